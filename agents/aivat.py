"""Results without the luck that can be told: AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling
2018, "AIVAT: a new variance reduction technique for agent evaluation in imperfect information
games").

A hand is a line of events. Let v be any function of what has happened so far, fixed before the
hand. Wherever the chances of the next event are known, the correction

    E[v(after the event)] - v(after the event that happened)

has mean zero, whatever has happened before: so the winnings plus all corrections have the same mean
as the winnings. If v is close to what the hand is worth, the corrections undo the luck. With the
exact values of the players' strategies nothing of it would be left.

Two kinds of events have known chances. *Cards*: all cards that fall between two decisions are one
event. If there are few ways in which they can fall, all are looked at; otherwise as many as SAMPLES
ways, drawn anew, stand for them, which is as free of bias. *Actions* of players whose policy is
known: compiled ones. What a policy samples while it thinks counts as past. Decisions of programs,
of people and of agents in Python get no correction, and their hands lose less of their luck.

After the hand all cards are known, so v sees them all; the original takes instead the mean over all
private cards of a known player. That, too, would take out luck here, for those who are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pokerspiel.agents.batch import Batch
from pokerspiel.agents.policy import FORCED, Policy, decision_seed, new_work, policy_probabilities
from pokerspiel.agents.value_function import (
    STATES,
    ValueFunction,
    cards_in,
    luck_beside,
    new_room,
    nth_card,
    state_values,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE, act, begin, lift, random_below
from pokerspiel.games.variants import Game

ALL_WAYS = 64
"""Ways in which cards may fall that are all looked at ..."""
SAMPLES = 16
"""... and how many stand for more."""

_ACTUAL, _BEFORE, _AFTER, _STACK = 0, 1, 2, 3
"""States of a room: of the hand, before an event, after another one, and the first of a stack."""


class Corrections:
    """Corrects hands between players; `policies` has None for one who is not known.

    Raises ValueError if the value function is of another game.
    """

    def __init__(
        self, values: ValueFunction, game: Game, policies: Sequence[Policy | None]
    ) -> None:
        values.check(game)
        self._values = values
        self._game = game
        self._policies = policies
        self._room = new_room(game)
        self._work = new_work(game)
        self._random = np.zeros(1, np.uint64)
        self._stub = np.zeros(STATES, np.uint64)

    def of(self, batch: Batch) -> np.ndarray:
        """[hands, seats] corrections in chips, of hands that are over and were kept whole."""
        return np.asarray(self.of_events(batch).sum(axis=1))

    def of_events(self, batch: Batch) -> np.ndarray:
        """[hands, events, seats]: the same, event by event; cards count where the first falls."""
        game, values = self._game, self._values
        out = np.zeros((len(batch.states), int(batch.events.max(initial=0)), game.players))
        about = (batch, game.tables, game.players, values.network, values.scale, self._room)
        _correct_cards(*about, self._random, self._stub, ALL_WAYS, SAMPLES, out)
        for player, policy in enumerate(self._policies):
            if policy is not None:
                _correct_actions(*about, policy, self._work, player, out)
        return out


@kernel
def _correct_cards(
    batch: Any,
    tables: Any,
    players: int,
    network: Any,
    scale: float,
    room: Any,
    random: Any,
    stub: Any,
    all_ways: int,
    samples: int,
    out: Any,
) -> None:
    """Write the corrections of all cards that fell.

    Other ways to fall are drawn by the seed of the deal: in all its rotations they are the same, so
    that what they miss of the mean is nearly the same for all players, and falls out.
    """
    states, values = room.states, room.values
    for h in range(len(batch.states)):
        luck = luck_beside(batch.decks[h].seed)
        random[0] = luck + np.uint64(1)
        begin(states[_ACTUAL], tables)
        e: Any = np.int64(0)
        while e < batch.events[h]:
            if states[_ACTUAL].turn != CHANCE:
                act(states[_ACTUAL], tables, batch.trace[h, e])
                e += 1
                continue
            first = e
            states[_BEFORE] = states[_ACTUAL]
            ways: Any = np.int64(1)
            while states[_ACTUAL].turn == CHANCE:
                ways = min(ways * cards_in(states[_ACTUAL].stub), 1 << 30)
                act(states[_ACTUAL], tables, batch.trace[h, e])
                e += 1
            mean, value = values[0], values[1]
            found = False
            if ways <= all_ways:
                found = _mean_of_all(
                    tables, players, network, scale, luck, room, stub, 2 * all_ways, mean, value
                )
            if not found:
                _mean_of_some(
                    tables, players, network, scale, luck, room, random, samples, mean, value
                )
            state_values(states[_ACTUAL], tables, players, network, scale, luck, room, value)
            for seat in range(players):
                out[h, first, seat] = mean[seat] - value[seat]


@kernel
def _mean_of_all(
    tables: Any,
    players: int,
    network: Any,
    scale: float,
    luck: Any,
    room: Any,
    stub: Any,
    most: int,
    mean: Any,
    value: Any,
) -> bool:
    """Write the mean value over all ways in which the cards may fall now.

    Gives up, and returns False, if there are more than `most` of them: some cards may be followed
    by others, such as those of a svarka.
    """
    states = room.states
    for seat in range(players):
        mean[seat] = 0.0
    chance = np.float64(1.0)
    depth: Any = np.int64(0)
    states[_STACK] = states[_BEFORE]
    stub[0] = states[_STACK].stub
    ends = 0
    while depth >= 0:
        here = states[_STACK + depth]
        cards = np.float64(cards_in(here.stub))
        if stub[depth] == np.uint64(0):
            depth -= 1
            if depth >= 0:
                chance *= np.float64(cards_in(states[_STACK + depth].stub))
            continue
        card = nth_card(stub[depth], 0)
        stub[depth] &= stub[depth] - np.uint64(1)
        states[_AFTER] = here
        act(states[_AFTER], tables, card)
        if states[_AFTER].turn == CHANCE:
            if _STACK + depth + 1 >= len(states):
                return False
            depth += 1
            chance /= cards
            states[_STACK + depth] = states[_AFTER]
            stub[depth] = states[_AFTER].stub
            continue
        ends += 1
        if ends > most:
            return False
        state_values(states[_AFTER], tables, players, network, scale, luck, room, value)
        for seat in range(players):
            mean[seat] += chance / cards * value[seat]
    return True


@kernel
def _mean_of_some(
    tables: Any,
    players: int,
    network: Any,
    scale: float,
    luck: Any,
    room: Any,
    random: Any,
    samples: int,
    mean: Any,
    value: Any,
) -> None:
    """Write the mean value over random ways in which the cards may fall now."""
    states = room.states
    for seat in range(players):
        mean[seat] = 0.0
    for _ in range(samples):
        states[_AFTER] = states[_BEFORE]
        while states[_AFTER].turn == CHANCE:
            here = states[_AFTER].stub
            act(states[_AFTER], tables, nth_card(here, random_below(random, cards_in(here))))
        state_values(states[_AFTER], tables, players, network, scale, luck, room, value)
        for seat in range(players):
            mean[seat] += value[seat] / samples


@kernel
def _correct_actions(
    batch: Any,
    tables: Any,
    players: int,
    network: Any,
    scale: float,
    room: Any,
    policy: Any,
    work: Any,
    player: int,
    out: Any,
) -> None:
    """Write the corrections of all decisions of a player whose policy is known."""
    states = room.states
    mean, value, actual = room.values[0], room.values[1], room.values[2]
    for h in range(len(batch.states)):
        luck = luck_beside(batch.decks[h].seed)
        seat_of_player = (player + batch.rotation[h]) % players
        begin(states[_ACTUAL], tables)
        decisions = 0
        for e in range(batch.events[h]):
            action: Any = np.int64(batch.trace[h, e])
            turn: Any = np.int64(states[_ACTUAL].turn)
            if turn == seat_of_player:
                seed = decision_seed(batch.decks[h].seed, turn, decisions)
                n, found = policy_probabilities(states[_ACTUAL], policy, work, seed)
                if found != FORCED:
                    for seat in range(players):
                        mean[seat] = 0.0
                        actual[seat] = 0.0
                    seen = False
                    for i in range(n):
                        chance = work.probabilities[i]
                        if chance > 0.0:
                            other = lift(states[_ACTUAL], policy.tables, work.actions[i], tables)
                            states[_AFTER] = states[_ACTUAL]
                            act(states[_AFTER], tables, other)
                            state_values(
                                states[_AFTER], tables, players, network, scale, luck, room, value
                            )
                            for seat in range(players):
                                mean[seat] += chance * value[seat]
                                if other == action:
                                    actual[seat] = value[seat]
                            seen = seen or other == action
                    if seen:
                        for seat in range(players):
                            out[h, e, seat] = mean[seat] - actual[seat]
            if turn >= 0:
                decisions += 1
            act(states[_ACTUAL], tables, action)
