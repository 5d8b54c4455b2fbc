"""Whole hands played by networks, and what they teach.

Letters: N decisions, H hands, D numbers of an observation, A action numbers, P players.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE, act, legal_actions, next_card, random_below
from pokerspiel.games.variants import Game, exact
from pokerspiel.solvers.lockstep import (
    Hands,
    Seen,
    begin_hands,
    draw_actions,
    hand_returns,
    lead_on,
    new_hands,
    new_seen,
    play_actions,
    see,
)

Choose = Callable[[Hands, np.ndarray, Seen], np.ndarray]
"""Gives the chances [n, A] with which the seats to act in some hands choose: takes all hands, the
numbers [n] of those that wait, and what the seats see."""

Opponents = Callable[[Hands, np.ndarray], None]
"""Plays hands on until the seats [H] of the learner must act, or they are over. Where the seat is
EVERY_SEAT, the learner plays all of them, and there is nothing to do."""

EVERY_SEAT = -1


@dataclass(frozen=True)
class Experience:
    """Decisions of whole hands, in an order in which those of a hand follow each other."""

    observations: np.ndarray
    """[N, D] float32"""
    legal: np.ndarray
    """[N, A] bool"""
    seats: np.ndarray
    """[N] int64"""
    others: np.ndarray
    """[N, (P - 1) * B] float32: private blocks of the others, or [N, 0]: see `Seen`."""
    hands: np.ndarray
    """[N] int64: which hand, from 0."""
    chances: np.ndarray
    """[N, A] float32: what the action was drawn from."""
    actions: np.ndarray
    """[N] int64"""
    returns: np.ndarray
    """[H, P] float64: chips won."""


def joined_experience(parts: Sequence[Experience]) -> Experience:
    """The hands of all parts, part by part."""
    if len(parts) == 1:
        return parts[0]
    begins = np.cumsum([0, *(len(part.returns) for part in parts)])
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in vars(parts[0])
    }
    hands = [part.hands + begin for part, begin in zip(parts, begins, strict=False)]
    return Experience(**{**columns, "hands": np.concatenate(hands)})


class Table:
    """Room for `hands` hands that are played in lock-step, again and again."""

    def __init__(self, game: Game, hands: int, threads: int = 1, with_others: bool = False) -> None:
        """With `with_others` it is also written down what those saw who did not act."""
        self.game = game
        self.threads = threads
        self._exact = exact(game)
        self._with_others = with_others
        self._hands = new_hands(game, hands)
        self._waiting = np.zeros(hands, np.int64)

    def play(
        self,
        choose: Choose,
        seed: int,
        first: int,
        opponents: Opponents | None = None,
        share: float = 1.0,
    ) -> Experience:
        """Play the hands number `first` and so on of those that belong to `seed`.

        In the first `share` of the hands `opponents`, if there are any, play all seats but one,
        which is another one from hand to hand.
        """
        game, hands, tables = self.game, self._hands, self._exact.tables
        numbers = np.arange(len(hands.states))
        alone = numbers < share * len(numbers)
        learner = np.where(alone, (first + numbers) % game.players, EVERY_SEAT)
        parts: list[tuple[np.ndarray, ...]] = []
        begin_hands(hands, tables, np.uint64(seed), first)
        while True:
            if opponents is not None:
                opponents(hands, learner)
            n = lead_on(hands, tables, self._waiting)
            if n == 0:
                break
            waiting = self._waiting[:n].copy()
            seen = new_seen(game, n, self._with_others)
            see(game, hands, waiting, seen, self.threads)
            chances = choose(hands, waiting, seen)
            actions = np.zeros(n, np.int64)
            draw_actions(hands, waiting, chances, actions)
            play_actions(hands, game.tables, waiting, actions, tables)
            parts.append((*seen, waiting, chances, actions))
        returns = np.zeros((len(hands.states), game.players))
        hand_returns(hands, game.players, returns)
        columns = [np.concatenate(part) for part in zip(*parts, strict=True)]
        return Experience(*columns, returns)  # type: ignore[call-arg]


@kernel
def later_surprises(
    hands: Any,
    seats: Any,
    paid: Any,
    worth: Any,
    chosen: Any,
    returns: Any,
    share: float,
    after: Any,
    out: Any,
) -> None:
    """Write by how much each decision turned out better than its action was thought to be worth.

    `worth` [N] is what the player expected at its decision, `chosen` [N] what of the action that
    it took, `returns` [H, P] what it got, in one unit. What came is the next `worth` of the same
    player, with λ = `share` times the surprise that it had there in turn (TD(λ), Sutton and Barto
    2018, chapter 12), or what it got. At each decision the seat to act has `paid` [N] besides, in
    equal shares to the others. `after` [H, P, 4] is scratch: by seat its next worth, its surprise
    there, whether there is one, and what it got from here to there.
    """
    after[:] = 0.0
    players = after.shape[1]
    for i in range(len(hands) - 1, -1, -1):
        for seat in range(players):
            got = -paid[i] if seat == seats[i] else paid[i] / (players - 1)
            after[hands[i], seat, 3] += got
        later = after[hands[i], seats[i]]
        came = later[0] + share * later[1] if later[2] > 0.0 else returns[hands[i], seats[i]]
        out[i] = later[3] + came - chosen[i]
        later[0], later[1], later[2], later[3] = worth[i], out[i], 1.0, 0.0


@kernel
def next_decisions(hands: Any, seats: Any, latest: Any, out: Any) -> None:
    """Write the number of the next decision of the same hand and seat, or -1 if there is none.

    `latest` [H, P] is scratch. Seats that are all 0 give the next decision of the hand.
    """
    latest[:] = -1
    for i in range(len(hands) - 1, -1, -1):
        out[i] = latest[hands[i], seats[i]]
        latest[hands[i], seats[i]] = i


def scale_of(game: Game, hands: int = 20_000, seed: int = 0) -> float:
    """Chips that a seat wins or loses in a hand when all play at random: root of the mean square.

    Utilities are divided by it, so that the settings of an algorithm mean the same in every game.
    """
    total = np.zeros(1)
    actions = np.zeros(game.limits.num_actions, np.int64)
    _add_squares(
        new_hands(game, 1), game.tables, game.players, np.uint64(seed), hands, actions, total
    )
    return float(np.sqrt(total[0] / (hands * game.players))) or 1.0


@kernel
def _add_squares(
    table: Any, tables: Any, players: int, seed: Any, hands: int, actions: Any, total: Any
) -> None:
    state = table.states[0]
    for hand in range(hands):
        begin_hands(table, tables, seed, hand)
        while state.turn >= CHANCE:
            if state.turn == CHANCE:
                act(state, tables, next_card(state, tables, table.decks[0]))
            else:
                n = legal_actions(state, tables, actions)
                act(state, tables, actions[random_below(table.luck[0], n)])
        for seat in range(players):
            total[0] += state.returns[seat] ** 2
