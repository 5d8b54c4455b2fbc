"""CFR on a chain of deals with all hands at once: whole two-player games, ties played off included.

A deal that follows another is solved before it matters: its value to each place, under the average
strategies so far, is what a tie that leads to it pays. The deals are iterated one after the other,
the last in the chain first, a stretch of iterations each; then the values are taken anew. The
stretches grow with the number of iterations, so that old values are forgotten like old regrets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pokerspiel.games.deals import NOT_PLAYED_OFF, DealChain
from pokerspiel.solvers.algorithms import DISCOUNTING, Discounting, factors
from pokerspiel.solvers.best_response import Evaluation
from pokerspiel.solvers.chart import DealStrategy
from pokerspiel.solvers.deal_form import Numbers, Side, new_numbers, sides_of
from pokerspiel.solvers.deal_passes import (
    TILE,
    Team,
    average_behaviour,
    iterate_deal,
    spread_behaviour,
    value_ends,
    value_of_deal,
)
from pokerspiel.solvers.hand_sums import LANES, HandSums, hand_sums
from pokerspiel.solvers.layout import aligned, padded
from pokerspiel.solvers.solver import ITERATION, NODES, Solver
from pokerspiel.solvers.threads import run_together

STRETCH = 0.1
"""Iterations of a stretch, as a share of those already done."""


class ChainForm:
    """A chain of deals of a two-player game, laid out, with room for evaluations.

    Raises ValueError for another number of players.
    """

    def __init__(self, chain: DealChain) -> None:
        if chain.places != 2:
            raise ValueError(f"{chain.game}: only games of two players are solved with all hands")
        self.chain = chain
        self.sides = [sides_of(chain, deal) for deal in chain.deals]
        self.sums: HandSums = hand_sums(chain.hands)
        self.classes = chain.hands.classes
        self.chunks = padded(self.classes) // LANES
        self._teams: dict[int, list[Team]] = {}

    def teams(self, threads: int) -> list[Team]:
        """The threads that work together on a deal; their gate is to be closed before each use."""
        if threads not in self._teams:
            gate = np.zeros(1, np.int64)
            self._teams[threads] = [self._team(i, threads, gate) for i in range(threads)]
        return self._teams[threads]

    def _team(self, thread: int, threads: int, gate: np.ndarray) -> Team:
        lose, tie, win = (aligned(np.zeros(self.chunks * TILE)) for _ in range(3))
        total = aligned(np.zeros(self.sums.kinds * LANES))
        return Team(thread, threads, gate, lose, tie, win, total, aligned(np.zeros(3 * TILE)))

    def pack(self, deal: int, strategy: np.ndarray) -> tuple[Numbers, Numbers]:
        """Numbers of both sides of a deal with [rows, classes] as their behaviour, and its reach."""
        both = []
        for side in self.sides[deal]:
            numbers = new_numbers(side)
            mine = np.flatnonzero(side.row >= 0)
            blind, rows, chunks = (int(n) for n in side.layout.shape)
            room = np.zeros((rows, chunks * LANES))
            room[side.row[mine], : self.classes] = strategy[mine]
            numbers.behaviour[:] = room.reshape(rows, chunks, LANES).transpose(1, 0, 2).ravel()
            numbers.blind_behaviour[:] = np.repeat(room[:blind, 0], LANES)
            spread_behaviour(side.layout, numbers)
            both.append(numbers)
        return both[0], both[1]

    def unpack(self, deal: int, both: tuple[Numbers, Numbers], name: str) -> np.ndarray:
        """[rows, classes] of a deal from the numbers `name` of both sides."""
        rows_of_deal = self.chain.deals[deal].rows
        out = np.zeros((rows_of_deal, self.classes))
        for side, numbers in zip(self.sides[deal], both, strict=True):
            mine = np.flatnonzero(side.row >= 0)
            blind, rows, chunks = (int(n) for n in side.layout.shape)
            room = getattr(numbers, name).reshape(chunks, rows, LANES).transpose(1, 0, 2)
            room = room.reshape(rows, -1)[:, : self.classes].copy()
            room[:blind] = getattr(numbers, f"blind_{name}").reshape(blind, LANES)[:, :1]
            out[mine] = room[side.row[mine]]
        return out

    def value(
        self,
        deal: int,
        both: tuple[Numbers, Numbers],
        place: int,
        values: np.ndarray,
        best: bool = False,
    ) -> float:
        """What a deal adds to the fair share of a place, whose behaviour and the other's are given.

        `values` [deals] is what the deals that follow add for the other place, which is the
        player's then. With `best` the behaviour of the place becomes a best response.
        """
        side, other = self.sides[deal][place], self.sides[deal][1 - place]
        mine, theirs = both[place], both[1 - place]
        mine.coefficient[:] = side.coefficients(values)
        team = self.teams(1)[0]
        value_ends(side.layout, mine, theirs, other.layout.shape[1], self.sums, team)
        return float(value_of_deal(side.layout, mine, best))


@dataclass(frozen=True)
class ChainEvaluation:
    """What strategies of a chain of deals are worth, in chips, exactly."""

    game: Evaluation
    """The whole game."""
    values: np.ndarray
    """[deals, 2]: what each deal adds to the fair share of its places, at its first occurrence."""
    best_values: np.ndarray
    """The same of best responses."""
    responses: list[np.ndarray]
    """A best response of each place to the other, as a DealStrategy."""


def evaluate_chain(form: ChainForm, strategy: DealStrategy) -> ChainEvaluation:
    """The exact values of a strategy and of the best responses to it.

    The bound on svarkas in a row counts: where the chain does not, a deal is valued for every
    number of svarkas that may be left, and at the bound a tied pot is shared.
    """
    chain = form.chain
    left = svarkas_left(chain)
    mean = [dict[int, np.ndarray]() for _ in chain.deals]
    best = [dict[int, np.ndarray]() for _ in chain.deals]
    responses: list[np.ndarray] = []
    for deal in range(len(chain.deals) - 1, -1, -1):
        both = form.pack(deal, strategy[deal])
        answers = form.pack(deal, strategy[deal])
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
        responses.append(form.unpack(deal, answers, "behaviour"))
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
    """An algorithm of the family, by its name in DISCOUNTING, on a chain of deals."""

    def __init__(
        self,
        chain: DealChain | ChainForm,
        algorithm: str | Discounting = "dcfr",
        horizon: int = 1000,
        threads: int = 1,
    ) -> None:
        super().__init__()
        self.form = chain if isinstance(chain, ChainForm) else ChainForm(chain)
        self.chain = self.form.chain
        self.row = DISCOUNTING[algorithm] if isinstance(algorithm, str) else algorithm
        self.horizon = horizon
        self.threads = threads
        self.numbers = [tuple(new_numbers(side) for side in both) for both in self.form.sides]
        self._scratch = [tuple(new_numbers(side) for side in both) for both in self.form.sides]
        self.values = np.zeros((2, len(self.chain.deals)))
        """What each deal adds to the fair share of its places, under the averages of `taken`."""
        self.taken = 0
        for deal in range(len(self.chain.deals)):
            self._set_uniform(deal)

    def _set_uniform(self, deal: int) -> None:
        for side, numbers in zip(self.form.sides[deal], self.numbers[deal], strict=True):
            average_behaviour(side.layout, numbers, numbers)
            spread_behaviour(side.layout, numbers)

    def prepare(self) -> None:
        self._iterate(0, np.zeros((0, 4)))

    def advance(self, iterations: int) -> None:
        last = self.iteration + iterations
        while self.iteration < last:
            start = self.iteration
            end = min(last, self.taken + 1 + int(STRETCH * self.taken))
            weights = factors(self.row, start, end, self.horizon)
            take = end == self.taken + 1 + int(STRETCH * self.taken)
            for deal in range(len(self.chain.deals) - 1, -1, -1):
                self._iterate(deal, weights)
                if take:
                    self._take_value(deal)
            if take:
                self.taken = end
            self.control[ITERATION] = end
            self.control[NODES] += (end - start) * 2 * self.chain.nodes * self.form.classes

    def _iterate(self, deal: int, weights: np.ndarray) -> None:
        both = self.form.sides[deal]
        numbers = self.numbers[deal]
        for place in range(2):
            values = self.values[1 - place]
            numbers[place].coefficient[:] = both[place].coefficients(values)
        teams = self.form.teams(self.threads)
        teams[0].gate[0] = 0

        def work(thread: int) -> None:
            iterate_deal(
                both[0].layout,
                numbers[0],
                both[1].layout,
                numbers[1],
                weights,
                self.form.sums,
                teams[thread],
            )

        run_together(work, self.threads)

    def _take_value(self, deal: int) -> None:
        """Value a deal under the average strategies."""
        scratch = self._scratch[deal]
        for side, numbers, out in zip(
            self.form.sides[deal], self.numbers[deal], scratch, strict=True
        ):
            average_behaviour(side.layout, numbers, out)
            spread_behaviour(side.layout, out)
        value = self.form.value(deal, scratch, 0, self.values[1])
        self.values[:, deal] = value, -value

    def average_strategy(self) -> list[np.ndarray]:
        """The average strategies, as a DealStrategy."""
        out = []
        for deal in range(len(self.chain.deals)):
            for side, numbers, scratch in zip(
                self.form.sides[deal], self.numbers[deal], self._scratch[deal], strict=True
            ):
                average_behaviour(side.layout, numbers, scratch)
            out.append(self.form.unpack(deal, self._scratch[deal], "behaviour"))
        return out

    def to_arrays(self) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]) -> None:
        raise NotImplementedError
