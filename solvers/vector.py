"""CFR on a chain of deals with all hands at once: whole two-player games, ties played off included.

The value of a deal to each place, under the average strategies so far, is what a tie that leads to
it pays. Every deal is iterated for a stretch of iterations; then the values are taken anew, those
of the largest pots first, which the others hang on. The stretches grow with the number of
iterations, so that old values are forgotten like old regrets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pokerspiel.games.deals import NOT_PLAYED_OFF, DealChain
from pokerspiel.solvers.algorithms import DISCOUNTING, Discounting, factors
from pokerspiel.solvers.best_response import Evaluation
from pokerspiel.solvers.chart import DealStrategy
from pokerspiel.solvers.deal_form import Numbers, evaluation_numbers, new_numbers, sides_of
from pokerspiel.solvers.deal_passes import (
    TILE,
    Desk,
    average_behaviour,
    gather_ends,
    iterate_deal,
    spread_behaviour,
    spread_values,
    update_player,
    value_ends,
    value_of_deal,
)
from pokerspiel.solvers.hand_matrices import HandMatrices
from pokerspiel.solvers.hand_sums import LANES, HandSums, hand_sums
from pokerspiel.solvers.layout import aligned, balanced, padded
from pokerspiel.solvers.solver import ITERATION, NODES, Solver
from pokerspiel.solvers.threads import run_together

Both = tuple[Numbers, Numbers]
"""The numbers of both players of a deal."""

SAVED = (
    "behaviour",
    "regret",
    "average",
    "blind_behaviour",
    "blind_regret",
    "blind_average",
)
"""What a checkpoint holds of each player."""

STRETCH = 0.1
"""Iterations of a stretch, as a share of those already done."""


class ChainForm:
    """A chain of deals of a two-player game, laid out, with room for evaluations.

    With `matrices` showdowns are products with them, and strategies are [rows, buckets]; else they
    are swept (hand_sums.py). Raises ValueError for another number of players.
    """

    def __init__(self, chain: DealChain, matrices: HandMatrices | None = None) -> None:
        if chain.places != 2:
            raise ValueError(f"{chain.game}: only games of two players are solved with all hands")
        self.chain = chain
        self.matrices = matrices
        self.classes = chain.hands.classes if matrices is None else matrices.buckets
        self.chunks = padded(self.classes) // LANES
        self.sides = [sides_of(chain, deal, self.chunks) for deal in chain.deals]
        self.sums: HandSums = hand_sums(chain.hands)
        self._desk = self.new_desk()
        self._rooms: dict[int, tuple[np.ndarray, ...]] = {}

    @staticmethod
    def bytes_for(rows: int, classes: int) -> int:
        """Memory of a solver of deals with so many rows and classes or buckets, about."""
        return 8 * len(Numbers._fields[:5]) * padded(classes) * rows

    def new_desk(self) -> Desk:
        """Room for the sweeps of a thread."""
        lose, tie, win = (aligned(np.zeros(self.chunks * TILE)) for _ in range(3))
        total = aligned(np.zeros(self.sums.kinds * LANES))
        return Desk(lose, tie, win, total, aligned(np.zeros(3 * TILE)))

    def room(self, deal: int, number: int) -> Both:
        """Room to evaluate a deal in, for behaviour, reach and values only.

        Another deal takes the same memory; rooms of different numbers do not share any.
        """
        if number not in self._rooms:
            sizes = [[int(n) for n in side.layout.shape] for both in self.sides for side in both]
            most = max(chunks * rows for _, rows, chunks in sizes) * LANES
            most_blind = max(blind for blind, _, _ in sizes) * LANES
            self._rooms[number] = tuple(
                aligned(np.zeros(size)) for size in 6 * [most] + 6 * [most_blind]
            )
        rooms = self._rooms[number]
        first, second = (
            evaluation_numbers(side, rooms[3 * place : 3 * place + 3], rooms[6 + 3 * place :])
            for place, side in enumerate(self.sides[deal])
        )
        return first, second

    def pack(self, deal: int, strategy: np.ndarray, room: int) -> Both:
        """Numbers of both sides of a deal whose behaviour is [rows, classes], and its reach."""
        both = self.room(deal, room)
        for side, numbers in zip(self.sides[deal], both, strict=True):
            mine = np.flatnonzero(side.row >= 0)
            blind, rows, chunks = (int(n) for n in side.layout.shape)
            values = np.zeros((rows, chunks * LANES))
            values[side.row[mine], : self.classes] = strategy[mine]
            numbers.behaviour[:] = values.reshape(rows, chunks, LANES).transpose(1, 0, 2).ravel()
            numbers.blind_behaviour[:] = np.repeat(values[:blind, 0], LANES)
            spread_behaviour(side.layout, numbers)
        return both

    def unpack(self, deal: int, both: Both) -> np.ndarray:
        """[rows, classes] of a deal: the behaviour of both sides."""
        out = np.zeros((self.chain.deals[deal].rows, self.classes))
        for side, numbers in zip(self.sides[deal], both, strict=True):
            mine = np.flatnonzero(side.row >= 0)
            blind, rows, chunks = (int(n) for n in side.layout.shape)
            values = numbers.behaviour.reshape(chunks, rows, LANES).transpose(1, 0, 2)
            values = values.reshape(rows, -1)[:, : self.classes].copy()
            values[:blind] = numbers.blind_behaviour.reshape(blind, LANES)[:, :1]
            out[mine] = values[side.row[mine]]
        return out

    def value_ends(self, deal: int, both: Both, place: int) -> None:
        """Value the rows of a place from what ends right after them."""
        side, other = self.sides[deal][place], self.sides[deal][1 - place]
        mine, theirs, desk = both[place], both[1 - place], self._desk
        their_rows = other.layout.shape[1]
        if self.matrices is None:
            value_ends(side.layout, mine, theirs, their_rows, self.sums, desk)
            return
        for group in range(len(side.layout.lanes)):
            gather_ends(side.layout, mine, theirs, their_rows, group, desk)
            weights = (
                x.reshape(-1, LANES)[: self.classes] for x in (desk.lose, desk.tie, desk.win)
            )
            lose, tie, win = weights
            flat = bool(side.layout.flat[group])
            desk.lose.reshape(-1, LANES)[: self.classes] = self.matrices.values(
                lose, None if flat else tie, None if flat else win
            )
            desk.lose[self.classes * LANES :] = 0.0
            spread_values(side.layout, mine, group, desk)

    def value(
        self, deal: int, both: Both, place: int, values: np.ndarray, best: bool = False
    ) -> float:
        """What a deal adds to the fair share of a place, whose behaviour and the other's are given.

        `values` [deals] is what the deals that follow add for the other place, which is the
        player's then. With `best` the behaviour of the place becomes a best response.
        """
        side = self.sides[deal][place]
        both[place].coefficient[:] = side.coefficients(values)
        self.value_ends(deal, both, place)
        return float(value_of_deal(side.layout, both[place], best))


@dataclass(frozen=True)
class ChainEvaluation:
    """What strategies of a chain of deals are worth, in chips, exactly."""

    game: Evaluation
    """The whole game."""
    values: np.ndarray
    """[deals, 2]: what each deal adds to the fair share of its places, at its first occurrence."""
    best_values: np.ndarray
    """The same of best responses."""
    responses: DealStrategy
    """A best response of each place to the other, if it is kept; else nothing."""


def evaluate_chain(form: ChainForm, strategy: DealStrategy) -> ChainEvaluation:
    """The exact values of a strategy and of the best responses to it.

    The bound on svarkas in a row counts: where the chain does not, a deal is valued for every
    number of svarkas that may be left, and at the bound a tied pot is shared.
    """
    return _evaluate(form, lambda deal, room: form.pack(deal, strategy[deal], room), True)


def _evaluate(
    form: ChainForm, fill: Callable[[int, int], Both], keep_responses: bool
) -> ChainEvaluation:
    """`evaluate_chain` of what `fill` puts into a room for a deal: behaviour and reach."""
    chain = form.chain
    left = svarkas_left(chain)
    mean = [dict[int, np.ndarray]() for _ in chain.deals]
    best = [dict[int, np.ndarray]() for _ in chain.deals]
    responses: list[np.ndarray] = []
    for deal in range(len(chain.deals) - 1, -1, -1):
        both, answers = fill(deal, 0), fill(deal, 1)
        known: dict[bytes, float] = {}
        for n in sorted(left[deal]):
            pair = []
            for table, numbers, is_best in ((mean, both, False), (best, answers, True)):
                value = np.zeros(2)
                for place in range(2):
                    values = _followers(form, deal, place, table, n)
                    key = bytes([place, is_best]) + values.tobytes()
                    if key not in known:
                        sides = list(both)
                        sides[place] = numbers[place]
                        known[key] = form.value(deal, (sides[0], sides[1]), place, values, is_best)
                    value[place] = known[key]
                pair.append(value)
            mean[deal][n], best[deal][n] = pair
        if keep_responses:
            responses.append(form.unpack(deal, answers))
    first = max(left[0])
    fair = chain.deals[0].fair - np.array(chain.start)
    return ChainEvaluation(
        Evaluation(mean[0][first] + fair, best[0][first] + fair),
        np.array([table[max(table)] for table in mean]),
        np.array([table[max(table)] for table in best]),
        responses[::-1],
    )


def svarkas_left(chain: DealChain) -> list[set[int]]:
    """For each deal how many svarkas may still be played when it begins."""
    left: list[set[int]] = [set() for _ in chain.deals]
    left[0].add(chain.svarkas)
    for deal, numbers in zip(chain.deals, left, strict=True):
        for follower in set(deal.follower[deal.follower != NOT_PLAYED_OFF].tolist()):
            left[follower] |= {n - 1 for n in numbers if n > 0}
    return left


def _followers(
    form: ChainForm, deal: int, place: int, table: Sequence[Mapping[int, np.ndarray]], left: int
) -> np.ndarray:
    """[deals]: what those that follow add for the other place; zero at the bound, where pots are
    shared."""
    values = np.zeros(len(form.chain.deals))
    if left > 0:
        for follower in set(form.sides[deal][place].follower.tolist()) - {NOT_PLAYED_OFF}:
            values[follower] = table[follower][left - 1][1 - place]
    return values


class VectorCfr(Solver):
    """An algorithm of the family, by its name in DISCOUNTING, on a chain of deals.

    `horizon` is the number of iterations that algorithms with a schedule plan for. Each of the
    `threads` has deals of its own; with matrices one thread works. The numbers are the same with
    any number.
    """

    def __init__(
        self,
        form: ChainForm,
        algorithm: str | Discounting = "dcfr",
        horizon: int = 1000,
        threads: int = 1,
    ) -> None:
        super().__init__()
        self.form = form
        self.chain = form.chain
        self.row = DISCOUNTING[algorithm] if isinstance(algorithm, str) else algorithm
        self.horizon = horizon
        self.threads = min(threads, len(self.chain.deals)) if form.matrices is None else 1
        self._thread = balanced(np.array([deal.rows for deal in self.chain.deals]), self.threads)
        self._desks = [form.new_desk() for _ in range(self.threads)]
        self.numbers = [(new_numbers(one), new_numbers(two)) for one, two in form.sides]
        self.values = np.zeros((2, len(self.chain.deals)))
        """What each deal adds to the fair share of its places, under the averages of `taken`."""
        self.taken = 0
        """Iteration after which the values were taken."""
        for both, numbers in zip(form.sides, self.numbers, strict=True):
            for side, mine in zip(both, numbers, strict=True):
                average_behaviour(side.layout, mine, mine)
                spread_behaviour(side.layout, mine)

    def prepare(self) -> None:
        self._iterate(np.zeros((0, 4)))

    def advance(self, iterations: int) -> None:
        last = self.iteration + iterations
        while self.iteration < last:
            start = self.iteration
            stop = self.taken + 1 + int(STRETCH * self.taken)
            end = min(last, stop)
            weights = factors(self.row, start, end, self.horizon)
            self._iterate(weights)
            if end == stop:
                self._take_values()
                self.taken = end
            self.control[ITERATION] = end
            self.control[NODES] += (end - start) * 2 * self.chain.nodes * self.form.classes

    def _iterate(self, weights: np.ndarray) -> None:
        """An iteration of every deal for each row of `weights`."""
        for both, numbers in zip(self.form.sides, self.numbers, strict=True):
            for place in range(2):
                numbers[place].coefficient[:] = both[place].coefficients(self.values[1 - place])
        if self.form.matrices is not None:
            for deal in range(len(self.chain.deals)):
                self._iterate_with_matrices(deal, weights)
            return
        run_together(lambda thread: self._iterate_some(thread, weights), self.threads)

    def _iterate_some(self, thread: int, weights: np.ndarray) -> None:
        """Iterate the deals of a thread."""
        for deal in np.flatnonzero(self._thread == thread):
            first, second = self.form.sides[deal]
            iterate_deal(
                first.layout,
                self.numbers[deal][0],
                second.layout,
                self.numbers[deal][1],
                weights,
                self.form.sums,
                self._desks[thread],
            )

    def _iterate_with_matrices(self, deal: int, weights: np.ndarray) -> None:
        for row in weights:
            for place in range(2):
                self.form.value_ends(deal, self.numbers[deal], place)
                update_player(self.form.sides[deal][place].layout, self.numbers[deal][place], row)

    def _take_values(self) -> None:
        """Value all deals under the average strategies, each after those that follow it."""
        for deal in range(len(self.chain.deals) - 1, -1, -1):
            value = self.form.value(deal, self._average(deal, 0), 0, self.values[1])
            self.values[:, deal] = value, -value

    def _average(self, deal: int, room: int) -> Both:
        """Room in which the behaviour of both sides is their average strategy, with its reach."""
        both = self.form.room(deal, room)
        sides = self.form.sides[deal]
        for side, numbers, out in zip(sides, self.numbers[deal], both, strict=True):
            average_behaviour(side.layout, numbers, out)
            spread_behaviour(side.layout, out)
        return both

    def evaluate(self) -> ChainEvaluation:
        """What the average strategy is worth, exactly, without the best responses themselves."""
        return _evaluate(self.form, self._average, False)

    def average_strategy(self) -> DealStrategy:
        """The average strategy of both players."""
        return [
            self.form.unpack(deal, self._average(deal, 0)) for deal in range(len(self.chain.deals))
        ]

    def to_arrays(self) -> dict[str, np.ndarray]:
        arrays = {
            name: np.concatenate([getattr(mine, name) for both in self.numbers for mine in both])
            for name in SAVED
        }
        return {**arrays, "values": self.values.copy()}

    def to_numbers(self) -> dict[str, int | float]:
        return {**super().to_numbers(), "taken": self.taken}

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]) -> None:
        for name in SAVED:
            targets = [getattr(mine, name) for both in self.numbers for mine in both]
            ends = np.cumsum([len(target) for target in targets])
            values = arrays.get(name)
            if values is None or values.shape != (ends[-1],) or not np.isfinite(values).all():
                raise ValueError(f"array {name} does not fit {self.chain.game}")
            for target, part in zip(targets, np.split(values, ends[:-1]), strict=True):
                target[:] = part
        values = arrays.get("values")
        if values is None or values.shape != self.values.shape or not np.isfinite(values).all():
            raise ValueError(f"array values does not fit {self.chain.game}")
        self.values[:] = values
        self.taken = int(numbers["taken"])
        self._restore_control(numbers)
        for both, pair in zip(self.form.sides, self.numbers, strict=True):
            for side, mine in zip(both, pair, strict=True):
                spread_behaviour(side.layout, mine)
