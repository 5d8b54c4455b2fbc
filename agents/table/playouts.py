"""What actions are worth by play-outs: hidden cards drawn from the ranges, then a bot on all seats.

Play-outs come in rounds. In each round deals are drawn as the seat sees the hand, weighted by the
chances that the bot, in the place of the others, would have acted as they did (`ranges`); every
action meets the same deals and the same luck. The value of an action is the weighted mean over all
rounds, its standard error that of a ratio of sums over independent rounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerspiel.agents.policy import Policy, choose, decision_seed, new_work
from pokerspiel.agents.ranges import Ranges
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE, TERMINAL, act, mix, random_below
from pokerspiel.games.variants import Game

ROUND = 150
"""Hands that a round plays out, all actions together ..."""
MOST_DEALS, FEWEST_DEALS = 50, 10
"""... and how many deals it draws for them."""
FEWEST_ROUNDS = 16
"""Rounds that are played whatever the time, for an error that means something."""
FEWEST_EFFECTIVE = 20.0
"""Equally likely deals that the drawn ones must be worth; with fewer nothing is estimated."""
HOPELESS = 4.0
"""An action is given up once it is worse than another by so many standard errors ..."""
FIRST_GIVEN_UP = 8
"""... after so many rounds."""
MOST_PLAYOUTS = 100_000

_CARDS = 64
"""Bits of a deck."""


@kernel
def _random_card(state: Any, random: Any) -> Any:
    """One of the cards that may fall."""
    n: Any = 0
    for card in range(_CARDS):
        n += np.int64(state.stub >> np.uint64(card) & np.uint64(1))
    left = random_below(random, n)
    for card in range(_CARDS):
        if state.stub >> np.uint64(card) & np.uint64(1):
            if left == 0:
                return np.int64(card)
            left -= 1
    return np.int64(-1)


@kernel
def _play_out(
    state: Any, seat: int, seed: Any, policy: Any, work: Any, tables: Any, random: Any
) -> float:
    """What `seat` wins if the policy plays on for everybody."""
    random[0] = seed
    decisions = 0
    while state.turn != TERMINAL:
        if state.turn == CHANCE:
            act(state, tables, _random_card(state, random))
            continue
        turn: Any = np.int64(state.turn)
        action, _ = choose(state, policy, work, decision_seed(seed, turn, decisions), tables)
        decisions += 1
        act(state, tables, action)
    return np.float64(state.returns[seat])


@kernel
def _play_outs(
    deals: Any,
    picks: Any,
    actions: Any,
    seat: int,
    seed: Any,
    policy: Any,
    work: Any,
    tables: Any,
    room: Any,
    random: Any,
    out: Any,
) -> None:
    """Write to out[pick, action] what `seat` wins from each of the deals by each action."""
    for j in range(len(picks)):
        luck = mix(np.uint64(seed), np.uint64(j))
        for a in range(len(actions)):
            room[0] = deals[picks[j]]
            act(room[0], tables, actions[a])
            out[j, a] = _play_out(room[0], seat, luck, policy, work, tables, random)


@dataclass(frozen=True)
class Estimate:
    """Estimated values of actions, in chips won in the hand."""

    actions: tuple[int, ...]
    sums: np.ndarray
    """[rounds, actions] chips won, weighted; NaN after an action was given up."""
    weights: np.ndarray
    """[rounds] weight of the deals."""
    playouts: int
    """Hands played out with each action that was not given up."""
    never: bool
    """Whether the others have done what the bot never does: their cards are then any."""

    def value(self, action: int) -> tuple[float, float]:
        """(Value of an action, its standard error)."""
        return _ratio(self.sums[:, self.actions.index(action)], self.weights)

    def difference(self, better: int, worse: int) -> tuple[float, float]:
        """(What one action is worth more than another, its standard error)."""
        first, second = self.actions.index(better), self.actions.index(worse)
        return _ratio(self.sums[:, first] - self.sums[:, second], self.weights)

    @property
    def best(self) -> int:
        return max(self.actions, key=lambda action: self.value(action)[0])


def _ratio(sums: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """(Mean, standard error) of a weighted mean over rounds; NaN in `sums` is left out."""
    some = ~np.isnan(sums)
    sums, weights = sums[some], weights[some]
    n, total = len(sums), weights.sum()
    mean = float(sums.sum() / total)
    if n < 2:
        return mean, float("inf")
    spread = float(((sums - mean * weights) ** 2).sum()) * n / (n - 1)
    return mean, float(np.sqrt(spread) / total)


def estimate(
    game: Game,
    policy: Policy,
    seat: int,
    past: Sequence[int],
    actions: Sequence[int],
    *,
    seed: int,
    seconds: float | None,
    playouts: int = MOST_PLAYOUTS,
    kept: Sequence[int] = (),
    stop: Callable[[], bool] = lambda: False,
) -> Estimate | None:
    """The values of actions of the seat to act after the cards and actions `past`.

    It ends after so many `seconds`, or `playouts` of each action, or when `stop()` says so; the
    actions `kept` are never given up. A function of what the seat knows, of `seed` and of the
    number of rounds. None if too few deals look like this hand to the seat.
    """
    rounds = _Rounds(game, policy, seat, past, actions, seed)
    deadline = None if seconds is None else time.monotonic() + seconds
    while rounds.playouts < playouts and not stop():
        late = deadline is not None and time.monotonic() > deadline
        if late and rounds.played >= FEWEST_ROUNDS:
            break
        if not rounds.play():
            return None
        if rounds.played >= FIRST_GIVEN_UP and rounds.played % 4 == 0:
            rounds.give_up(kept)
    return rounds.estimate()


class _Rounds:
    """Rounds of play-outs of one decision."""

    def __init__(
        self,
        game: Game,
        policy: Policy,
        seat: int,
        past: Sequence[int],
        actions: Sequence[int],
        seed: int,
    ) -> None:
        self._game = game
        self._policy = policy
        self._seat = seat
        self._past = list(past)
        self._actions = np.array(actions, np.int64)
        self._alive = np.ones(len(actions), bool)
        self._seed = np.uint64(seed % (1 << 64))
        self._work = new_work(game)
        self._room = game.new_states()
        self._random = np.zeros(1, np.uint64)
        self._ranges: dict[int, Ranges] = {}
        self._sums: list[np.ndarray] = []
        self._weights: list[float] = []
        self._squares = 0.0
        self._exact = False
        self._met = False
        """Whether a deal was drawn in which the bot acts as the others did."""
        self.playouts = 0
        self.played = 0

    def play(self) -> bool:
        """Play a round; False if no deal looks like this hand."""
        deals = int(np.clip(ROUND // self._alive.sum(), FEWEST_DEALS, MOST_DEALS))
        seed = int(mix(self._seed, np.uint64(self.played)))
        ranges = self._ranges.get(deals)
        if ranges is None or not ranges.exact:
            ranges = self._drawn(deals, seed)
            if ranges is None:
                return False
        states, weights = ranges.states, ranges.weights.prod(axis=1)
        self._exact = ranges.exact
        if weights.any() and not self._met:
            self._forget()
        if not self._met:
            weights = np.ones(len(weights))
        picks = np.flatnonzero(weights > 0.0)
        picks = np.tile(picks, max(deals // len(weights), 1))
        out = np.zeros((len(picks), int(self._alive.sum())))
        _play_outs(
            states,
            picks,
            self._actions[self._alive],
            self._seat,
            np.uint64(seed),
            self._policy,
            self._work,
            self._game.tables,
            self._room,
            self._random,
            out,
        )
        sums = np.full(len(self._actions), np.nan)
        sums[self._alive] = weights[picks] @ out
        self._sums.append(sums)
        self._weights.append(float(weights[picks].sum()))
        self._squares += float((weights**2).sum())
        self.playouts += len(picks)
        self.played += 1
        return True

    def _drawn(self, deals: int, seed: int) -> Ranges | None:
        """Ranges with new luck for the hidden cards."""
        if deals not in self._ranges:
            others = {s: self._policy for s in range(self._game.players) if s != self._seat}
            self._ranges[deals] = Ranges(self._game, others, self._seat, deals)
        ranges = self._ranges[deals]
        ranges.begin(seed)
        try:
            ranges.follow(self._past)
        except RuntimeError:
            return None
        return ranges

    def _forget(self) -> None:
        """Leave out the rounds in which any cards stood for those that the bot may hold."""
        self._met = True
        self._alive[:] = True
        self._sums.clear()
        self._weights.clear()
        self._squares = 0.0
        self.playouts = 0

    def give_up(self, kept: Sequence[int]) -> None:
        """Leave out the actions that are worse than another beyond doubt."""
        found = self.estimate(check=False)
        if found is None:
            return
        best = found.best
        for i, action in enumerate(found.actions):
            if not self._alive[i] or action in kept or action == best:
                continue
            difference, error = found.difference(best, action)
            if difference > HOPELESS * error and self._alive.sum() > 2:
                self._alive[i] = False

    def estimate(self, check: bool = True) -> Estimate | None:
        """What has been found so far; None if it rests on too few deals."""
        weights = np.array(self._weights)
        if len(weights) < 2 or not weights.any():
            return None
        if check and not self._exact:
            effective = weights.sum() ** 2 / self._squares
            if effective < FEWEST_EFFECTIVE:
                return None
        return Estimate(
            tuple(self._actions.tolist()),
            np.array(self._sums),
            weights,
            self.playouts,
            not self._met,
        )
