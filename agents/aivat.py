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
event. If there are few ways in which they can fall, all are looked at; otherwise SAMPLES ways,
drawn anew, stand for them, which is as free of bias. *Actions* of players whose policy is known:
compiled ones. A player who samples while it thinks is asked THOUGHTS times; which member of a
mixture plays a hand counts as past. Decisions of programs, of people and of agents in Python get no
correction, and their hands lose less of their luck.

The function v is a fitted one (`value_function`) where cards fall next or somebody is to act who is
not known. Other decisions are looked through: what follows them is weighed by the chances of the
player's own policy, as far as LOOKED_AHEAD decisions go.

After the hand all cards are known, so v sees them all; the original takes instead the mean over all
private cards of a known player. That, too, would take out luck here, for those who are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.agents.batch import Batch
from pokerspiel.agents.policy import (
    EQUITY,
    FORCED,
    UNIFORM,
    Policy,
    decision_seed,
    new_policy,
    new_work,
    policy_probabilities,
)
from pokerspiel.agents.value_function import (
    STATES,
    ValueFunction,
    cards_in,
    luck_beside,
    new_room,
    nth_card,
    sit_down,
    state_values,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE, act, begin, lift, mix, random_below
from pokerspiel.games.variants import Game

ALL_WAYS = 64
"""Ways in which cards may fall that are all looked at ..."""
SAMPLES = 16
"""... and how many stand for more."""
THOUGHTS = 4
"""Decisions thought over anew of a player who samples while it thinks."""
LOOKED_AHEAD = 40
"""Decisions that are looked through at most, for one value."""
LEAST_CHANCE = 0.01
"""Decisions that are reached with less are not looked through."""
_DEEPEST = 24

_ACTUAL, _BEFORE, _AFTER, _STACK = 0, 1, 2, 3
"""States of a room: of the hand, before an event, after another one, and the first of a stack."""


class Players(NamedTuple):
    """Those who play, and what is known of them."""

    policies: Any
    """A policy for each player; any for one who is not known."""
    known: np.ndarray
    """[players] bool: whether the policy is the player's."""
    work: Any
    network: Any
    """Of the value function ..."""
    scale: float
    """... and its scale."""


class Ahead(NamedTuple):
    """A stack of decisions that are looked through: of each one its state and what may follow."""

    states: np.ndarray
    chance: np.ndarray
    """[_DEEPEST] that the decision is reached."""
    left: np.ndarray
    """[_DEEPEST] actions still to follow; -1 before they are listed."""
    actions: np.ndarray
    """[_DEEPEST, A]"""
    chances: np.ndarray
    """[_DEEPEST, A] of the actions."""
    value: np.ndarray
    """[players] of a state at the end."""
    random: np.ndarray
    """[1] uint64: see `random_bits`."""
    stub: np.ndarray
    """[STATES] cards that are still to be looked at."""


class Corrections:
    """Corrects hands between players of these names; `policies` has None for one who is not known.

    Raises ValueError if the value function is of another game.
    """

    def __init__(
        self,
        values: ValueFunction,
        game: Game,
        names: Sequence[str],
        policies: Sequence[Policy | None],
    ) -> None:
        values.check(game)
        self._game = game
        stranger = new_policy(UNIFORM, game)
        self._players = Players(
            tuple(policy or stranger for policy in policies),
            np.array([policy is not None for policy in policies]),
            new_work(game),
            values.network,
            values.scale,
        )
        self._room = new_room(game, values.numbers(names), len(values.agents))
        width = game.limits.num_actions
        self._ahead = Ahead(
            game.new_states(_DEEPEST),
            np.zeros(_DEEPEST),
            np.zeros(_DEEPEST, np.int64),
            np.zeros((_DEEPEST, width), np.int64),
            np.zeros((_DEEPEST, width)),
            np.zeros(game.players),
            np.zeros(1, np.uint64),
            np.zeros(STATES, np.uint64),
        )

    def of(self, batch: Batch) -> np.ndarray:
        """[hands, seats] corrections in chips, of hands that are over and were kept whole."""
        return np.asarray(self.of_events(batch).sum(axis=1))

    def of_events(self, batch: Batch) -> np.ndarray:
        """[hands, events, seats]: the same, event by event; cards count where the first falls."""
        out = np.zeros((len(batch.states), int(batch.events.max(initial=0)), self._game.players))
        _correct(batch, self._game.tables, self._players, self._room, self._ahead, out)
        return out


@kernel
def _correct(batch: Any, tables: Any, players: Any, room: Any, ahead: Any, out: Any) -> None:
    """Write the corrections of all events.

    Other ways for cards to fall are drawn by the seed of the deal: in all its rotations they are
    the same, so that what they miss of the mean is nearly the same for all players, and falls out.
    """
    states, mean = room.states, room.values[0]
    number = len(players.known)
    for h in range(len(batch.states)):
        seed = batch.decks[h].seed
        rotation: Any = np.int64(batch.rotation[h])
        luck = luck_beside(seed)
        sit_down(room, rotation)
        ahead.random[0] = luck + np.uint64(1)
        begin(states[_ACTUAL], tables)
        e: Any = np.int64(0)
        decisions: Any = np.int64(0)
        while e < batch.events[h]:
            turn: Any = np.int64(states[_ACTUAL].turn)
            first = e
            corrected = False
            states[_BEFORE] = states[_ACTUAL]
            if turn == CHANCE:
                ways: Any = np.int64(1)
                while states[_ACTUAL].turn == CHANCE:
                    ways = min(ways * cards_in(states[_ACTUAL].stub), 1 << 30)
                    act(states[_ACTUAL], tables, batch.trace[h, e])
                    e += 1
                corrected = True
                look = (seed, rotation, decisions, luck)
                if ways > ALL_WAYS or not _mean_of_all(tables, players, room, ahead, look, mean):
                    _mean_of_some(tables, players, room, ahead, look, mean)
            else:
                action: Any = np.int64(batch.trace[h, e])
                look = (seed, rotation, decisions + 1, luck)
                if players.known[(turn + number - rotation) % number]:
                    corrected = _mean_of_actions(tables, players, room, ahead, look, action, mean)
                act(states[_ACTUAL], tables, action)
                e += 1
                decisions += 1
            if corrected:
                value = room.values[1]
                look = (seed, rotation, decisions, luck)
                _value(states[_ACTUAL], tables, players, room, ahead, look, value)
                for seat in range(number):
                    out[h, first, seat] = mean[seat] - value[seat]


@kernel
def _mean_of_all(tables: Any, players: Any, room: Any, ahead: Any, look: Any, mean: Any) -> bool:
    """Write the mean value over all ways in which the cards may fall now.

    Gives up, and returns False, if there are too many of them: some cards may be followed by
    others, such as those of a svarka.
    """
    states, stub, value = room.states, ahead.stub, room.values[1]
    mean[:] = 0.0
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
            if _STACK + depth + 2 >= len(states):
                return False
            depth += 1
            chance /= cards
            states[_STACK + depth] = states[_AFTER]
            stub[depth] = states[_AFTER].stub
            continue
        ends += 1
        if ends > 2 * ALL_WAYS:
            return False
        _value(states[_AFTER], tables, players, room, ahead, look, value)
        for seat in range(len(mean)):
            mean[seat] += chance / cards * value[seat]
    return True


@kernel
def _mean_of_some(tables: Any, players: Any, room: Any, ahead: Any, look: Any, mean: Any) -> None:
    """Write the mean value over random ways in which the cards may fall now."""
    states, value = room.states, room.values[1]
    mean[:] = 0.0
    for _ in range(SAMPLES):
        states[_AFTER] = states[_BEFORE]
        while states[_AFTER].turn == CHANCE:
            stub = states[_AFTER].stub
            card = nth_card(stub, random_below(ahead.random, cards_in(stub)))
            act(states[_AFTER], tables, card)
        _value(states[_AFTER], tables, players, room, ahead, look, value)
        for seat in range(len(mean)):
            mean[seat] += value[seat] / SAMPLES


@kernel
def _mean_of_actions(
    tables: Any, players: Any, room: Any, ahead: Any, look: Any, action: int, mean: Any
) -> bool:
    """Write the mean value over the actions that the seat to act may take now.

    Returns False if there is nothing to choose, or if the action played is none of the policy's.
    """
    seed, rotation, decisions, luck = look
    states, value, number = room.states, room.values[1], len(players.known)
    state, work = states[_BEFORE], players.work
    seat: Any = np.int64(state.turn)
    policy = players.policies[(seat + number - rotation) % number]
    thoughts = THOUGHTS if policy.kind == EQUITY else 1
    own_seed = decision_seed(seed, seat, decisions - 1)
    mean[:] = 0.0
    seen = False
    for thought in range(thoughts):
        anew = own_seed
        if thoughts > 1:
            anew = mix(luck + np.uint64(decisions), np.uint64(thought))
        n, found = policy_probabilities(state, policy, work, anew)
        if found == FORCED:
            return False
        here = ahead.actions[_DEEPEST - 1]
        chances = ahead.chances[_DEEPEST - 1]
        for i in range(n):
            chances[i] = work.probabilities[i] / thoughts
            here[i] = lift(state, policy.tables, work.actions[i], tables)
            seen = seen or here[i] == action
        for i in range(n):
            if chances[i] > 0.0:
                states[_AFTER] = state
                act(states[_AFTER], tables, here[i])
                _value(states[_AFTER], tables, players, room, ahead, look, value)
                for other in range(number):
                    mean[other] += chances[i] * value[other]
    return seen or thoughts > 1


@kernel
def _value(
    state: Any, tables: Any, players: Any, room: Any, ahead: Any, look: Any, out: Any
) -> None:
    """Write what a state is worth: decisions of known players are looked through."""
    seed, rotation, decisions, luck = look
    number, work = len(players.known), players.work
    out[:] = 0.0
    ahead.states[0] = state
    ahead.chance[0] = 1.0
    ahead.left[0] = -1
    depth: Any = np.int64(0)
    looked_at = 0
    while depth >= 0:
        here = ahead.states[depth]
        if ahead.left[depth] < 0:
            turn: Any = np.int64(here.turn)
            through = turn >= 0 and depth < _DEEPEST - 2 and looked_at < LOOKED_AHEAD
            if through:
                player = (turn + number - rotation) % number
                policy = players.policies[player]
                through = (
                    players.known[player]
                    and policy.kind != EQUITY
                    and ahead.chance[depth] >= LEAST_CHANCE
                )
                if through:
                    looked_at += 1
                    own_seed = decision_seed(seed, turn, decisions + depth)
                    n, _ = policy_probabilities(here, policy, work, own_seed)
                    ahead.left[depth] = n
                    for i in range(n):
                        ahead.chances[depth, i] = work.probabilities[i]
                        ahead.actions[depth, i] = lift(here, policy.tables, work.actions[i], tables)
            if not through:
                state_values(
                    here, tables, number, players.network, players.scale, luck, room, ahead.value
                )
                for seat in range(number):
                    out[seat] += ahead.chance[depth] * ahead.value[seat]
                depth -= 1
            continue
        ahead.left[depth] -= 1
        i = ahead.left[depth]
        if i < 0:
            depth -= 1
            continue
        if ahead.chances[depth, i] > 0.0:
            ahead.states[depth + 1] = here
            act(ahead.states[depth + 1], tables, ahead.actions[depth, i])
            ahead.chance[depth + 1] = ahead.chance[depth] * ahead.chances[depth, i]
            ahead.left[depth + 1] = -1
            depth += 1
