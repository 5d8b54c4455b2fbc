"""A bot that solves the last betting round anew, for the hand that it meets.

Up to there it plays as its *blueprint*. Then both ranges are estimated from what everybody has
seen, as if both seats played the blueprint, and the round is solved from its beginning with the
cards as they are, not in an abstraction. The solution is kept for all decisions of the round.

The resolving is plain, or unsafe: it trusts that the other seat comes with the blueprint's range,
and may be worse than the blueprint against one that does not. Safe variants (Burch, Johanson and
Bowling 2014; Brown and Sandholm 2017) are left for when that shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.agents.agent import CompiledAgent, Follower, HandAgent, legal
from pokerspiel.agents.policy import MISSED, Policy, choose, new_work, sample
from pokerspiel.agents.ranges import Ranges
from pokerspiel.games import drive, sviten
from pokerspiel.games.betting import FIXED_LIMIT
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import EVERYBODY, mix
from pokerspiel.games.sviten.state import BET
from pokerspiel.games.variants import Game, exact
from pokerspiel.solvers.subgame import (
    ROOT,
    EmptyRangesError,
    Range,
    SubgameTooLargeError,
    build_subgame,
)
from pokerspiel.solvers.subgame_cfr import SubgameSolution, solve

ITERATIONS = 100
"""Of the solution: 60 rounds of fixed limit were then within 0.0013 big blinds of equilibrium."""
PARTICLES = 3000
"""Deals from which the ranges are estimated ..."""
HANDS = 400
"""... and how many hands of each seat are kept of them, the likelier the more of a kind."""
_NO_LIMIT = 1_000_000


class RiverResolver(HandAgent):
    """`bot` with its last betting round solved anew, in the Sviten games for two.

    It is solved by `iterations`, or for `seconds` if they are given, beside the time that ranges
    and payoffs take. Then what it plays depends on the machine; otherwise it is a function of
    `seed` and of what its seat knows. A round with bets of any size, one too large, or one in which
    the other seat can hold nothing beside the own hand is left to the bot.
    """

    def __init__(
        self,
        bot: CompiledAgent,
        iterations: int = ITERATIONS,
        seconds: float | None = None,
        hands: int = HANDS,
        particles: int = PARTICLES,
        seed: int = 0,
    ) -> None:
        for name, number in (
            ("iterations", iterations),
            ("hands", hands),
            ("particles", particles),
        ):
            if number < 1:
                raise ValueError(f"{name}={number} is not allowed: expected 1 or more")
        super().__init__(f"{bot.name}+river", bot.game)
        if bot.game is not None:
            self._check_kind(bot.game)
        self.bot = bot
        self.iterations = iterations
        self.seconds = seconds
        self.hands = hands
        self.particles = particles
        self.seed = seed % (1 << 64)

    def check(self, game: Game) -> None:
        super().check(game)
        self._check_kind(game)

    def _check_kind(self, game: Game) -> None:
        if game.family is not sviten or game.players != 2:
            raise ValueError(f"{self.name} plays Sviten games for two, not {game}")

    def follow(self, game: Game, seat: int) -> Resolving:
        self.check(game)
        return Resolving(self, exact(game), seat)


@kernel
def _choose(states: Any, policy: Any, work: Any, seed: Any, tables: Any) -> Any:
    return choose(states[0], policy, work, seed, tables)


class Resolving(Follower):
    """A resolver on its seat."""

    def __init__(self, agent: RiverResolver, game: Game, seat: int) -> None:
        self._agent = agent
        self._game = game
        self._seat = seat
        self._policy: Policy = agent.bot.policy(game)
        self._work = new_work(game)
        self._ranges = Ranges(game, {0: self._policy, 1: self._policy}, particles=agent.particles)
        rules = game.tables.rules[0]
        self._any_bet = rules["structure"] != FIXED_LIMIT and rules["sizes"] == 0
        self._last_street = int(rules["rounds"]) - 1
        self._states = game.new_states()
        self.misses = 0
        self.begin()

    def begin(self) -> None:
        drive.begin_hand(self._states, self._game.tables)
        self._events: list[int] = []
        self._public = np.uint64(self._agent.seed)
        self._round: _Round | None = None

    def tell(self, event: int) -> None:
        if drive.audience_of(self._states, self._game.tables) == EVERYBODY:
            self._public = np.uint64(mix(self._public, np.uint64(event)))
        self._events.append(event)
        drive.apply_action(self._states, self._game.tables, event)
        state = self._states[0]
        in_last = state["turn"] >= 0 and state["phase"] == BET
        if in_last and state["street"] == self._last_street and self._round is None:
            self._round = _Round(len(self._events), int(self._public), self._states.copy())

    def choose(self, seed: int) -> int:
        chances = self.resolved()
        if chances is None:
            action, found = _choose(
                self._states, self._policy, self._work, np.uint64(seed), self._game.tables
            )
            self.misses += found == MISSED
            return int(action)
        place = sample(np.array(list(chances.values())), len(chances), np.array([seed], np.uint64))
        return list(chances)[int(place)]

    def resolved(self) -> dict[int, float] | None:
        """The probability of each legal action by the solution; None where the bot decides."""
        if self._round is None or self._any_bet:
            return None
        if not self._round.solved:
            self._round.solution = self._solve(self._round)
            self._round.solved = True
        solution = self._round.solution
        if solution is None:
            return None
        node = ROOT
        for action in self._events[self._round.start :]:
            node = solution.subgame.tree.child(node, action)
        chances = solution.strategy(node)[:, self._own_hand(solution)]
        return dict(zip(legal(self._game, self._states), chances.tolist(), strict=True))

    def _solve(self, round_: _Round) -> SubgameSolution | None:
        """The solution of the round for the ranges at its start."""
        self._ranges.begin(round_.public)
        self._ranges.follow(self._events[: round_.start])
        states, weights = self._ranges.states, self._ranges.weights
        if len(states) == 0:
            return None
        ranges = [_range(states, weights[:, seat], seat, self._agent.hands) for seat in range(2)]
        ranges[self._seat] = _with_hand(ranges[self._seat], round_.states, self._seat)
        try:
            subgame = build_subgame(self._game, (ranges[0], ranges[1]))
        except (SubgameTooLargeError, EmptyRangesError):
            return None
        seconds = self._agent.seconds
        solution = solve(subgame, self._agent.iterations if seconds is None else _NO_LIMIT, seconds)
        own, other = self._seat, 1 - self._seat
        meets = subgame.meets if own == 0 else subgame.meets.T
        if meets[self._own_hand(solution)] @ subgame.weights[other] <= 0.0:
            return None
        return solution

    def _own_hand(self, solution: SubgameSolution) -> int:
        """The hand that this seat holds: `_with_hand` puts it last."""
        return int(solution.subgame.hand_of_deal[self._seat][-1])


class _Round:
    """The last betting round of a hand."""

    def __init__(self, start: int, public: int, states: np.ndarray) -> None:
        self.start = start
        """Number of events before it."""
        self.public = public
        """Hash of what everybody has seen before it."""
        self.states = states
        """The state at its beginning."""
        self.solved = False
        self.solution: SubgameSolution | None = None


def _masks(states: np.ndarray, seat: int) -> np.ndarray:
    """[states] uint64: the cards held."""
    cards = states["hole"][:, seat].astype(np.uint64)
    held = np.arange(cards.shape[1]) < states["hole_count"][:, seat, None]
    bits = np.where(held, np.uint64(1) << cards, np.uint64(0))
    return np.asarray(bits.sum(axis=1, dtype=np.uint64))


def _range(states: np.ndarray, weights: np.ndarray, seat: int, hands: int) -> Range:
    """At most `hands` deals of a seat; all alike if the blueprint never comes here."""
    if not weights.any():
        weights = np.ones(len(weights))
    picks, weights = thinned(weights, hands)
    states = states[picks]
    return Range(states, _masks(states, seat), states["discards"][:, seat], weights)


def _with_hand(range_: Range, states: np.ndarray, seat: int) -> Range:
    """The range with the hand that the seat holds indeed as its last deal, of no weight.

    It is one of a million hands: with the weight of one in a sample it would tell the other seat
    something. Without any, what both play depends on public knowledge only.
    """
    return Range(
        np.concatenate([range_.states, states]),
        np.concatenate([range_.held, _masks(states, seat)]),
        np.concatenate([range_.seen, states["discards"][:, seat]]),
        np.append(range_.weights, 0.0),
    )


def thinned(weights: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """(Places of at most `most` weights, their new weights): a systematic sample in proportion."""
    if len(weights) <= most:
        return np.arange(len(weights)), weights
    marks = (np.arange(most) + 0.5) / most * weights.sum()
    places = np.minimum(np.searchsorted(np.cumsum(weights), marks), len(weights) - 1)
    picks, times = np.unique(places, return_counts=True)
    return picks, times.astype(np.float64)
