"""The kernels of `leaks`: decisions are valued by play-outs while a hand is played, or again.

A term of the sum in `leaks` is shared out over what A does too often and what it does too seldom:
with p(a) = max(A(a) - B(a), 0), m(b) = max(B(b) - A(b), 0) and D = sum p = sum m it is the sum over
a and b of p(a) m(b) / D * (Q(a) - Q(b)): the cost of doing a instead of b.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import from_dtype
from numba.extending import overload

from pokerspiel.agents.batch import deal_seed
from pokerspiel.agents.leak_rows import DRAW_KINDS, KINDS, MOST_DRAWN, PARTS
from pokerspiel.agents.policy import (
    FORCED,
    choose,
    decision_seed,
    policy_probabilities,
    sample,
)
from pokerspiel.games import sviten
from pokerspiel.games.betting import is_live
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    DECK,
    KIND_DRAW,
    MAX_DECKS,
    MAX_SEATS,
    TERMINAL,
    act,
    action_kind,
    begin,
    halves_won,
    legal_actions,
    lift,
    mix,
    next_card,
    seed_deck,
)
from pokerspiel.games.variants import Game

SAME = 1e-7
"""Probabilities that differ by no more are the same: tables hold single precision."""

_LUCK = np.uint64(0x1EAC)
_BEYOND_DECKS = MAX_DECKS << 8
"""Decisions of a play-out are numbered from here on: its cards take the smaller numbers."""


class Room(NamedTuple):
    """Scratch of the kernels."""

    states: np.ndarray
    """[2] the hand, and a play-out."""
    decks: np.ndarray
    """[2] their decks."""
    actions: np.ndarray
    own: np.ndarray
    """[actions] probabilities of the player ..."""
    other: np.ndarray
    """... and of the reference in its place."""
    drawn: np.ndarray
    """[actions] cards that an action throws away, if it is a draw."""
    values: np.ndarray
    """[actions, parts] what an action is worth."""
    weight: np.ndarray
    """[2, kinds] probability that is done too often, and too seldom ..."""
    worth: np.ndarray
    """[2, kinds, parts] ... and the same times the values."""
    chips: np.ndarray
    """[2, seats] what is won of both halves."""


def new_room(game: Game) -> Room:
    n = game.limits.num_actions
    first = int(game.tables.rules[0]["after_wagers"]) if game.family is sviten else n
    drawn = [min((action - first).bit_count(), MOST_DRAWN) for action in range(first, n)]
    return Room(
        game.new_states(2),
        np.zeros(2, DECK),
        np.zeros(n, np.int64),
        np.zeros(n),
        np.zeros(n),
        np.array([0] * first + drawn, np.int64),
        np.zeros((n, len(PARTS))),
        np.zeros((2, len(KINDS))),
        np.zeros((2, len(KINDS), len(PARTS))),
        np.zeros((2, MAX_SEATS)),
    )


# What a hand that is over comes to, in parts.


@kernel
def _add_whole(state: Any, tables: Any, seat: int, chips: Any, out: Any) -> None:
    out[2] += state.returns[seat]


@kernel
def _add_halves(state: Any, tables: Any, seat: int, chips: Any, out: Any) -> None:
    """A seat pays for both halves alike. Odd chips, which halves leave out, go to the rest."""
    draw = 0.0
    omaha = 0.0
    if halves_won(state, tables, chips[0], chips[1]) >> seat & 1:
        called: Any = 0
        for other in range(tables.rules[0].players):
            if other != seat and is_live(state, other):
                called = max(called, np.int64(state.paid[other]))
        half = min(called, np.int64(state.paid[seat])) / 2.0
        draw = chips[0, seat] - half
        omaha = chips[1, seat] - half
    out[0] += draw
    out[1] += omaha
    out[2] += state.returns[seat] - draw - omaha


def _add_parts(state: Any, tables: Any, seat: int, chips: Any, out: Any) -> None:
    """Add what `seat` won in the hand `state`, which is over, to the parts `out`."""
    raise NotImplementedError("called from compiled code only")


@overload(_add_parts, strict=False)
def _parts_of_family(state: Any, tables: Any, seat: Any, chips: Any, out: Any) -> Any:
    function = _add_halves if state == from_dtype(sviten.STATE) else _add_whole
    return lambda state, tables, seat, chips, out: function(state, tables, seat, chips, out)


# A decision.


@kernel
def kind_in(states: Any, tables: Any, drawn: Any, action: int) -> Any:
    """What an action in `states[0]` does: a place in `KINDS`."""
    kind: Any = np.int64(action_kind(states[0], tables, action))
    return DRAW_KINDS + drawn[action] if kind == KIND_DRAW else kind


@kernel
def _play_out(
    room: Any, seat: int, hand: Any, luck: Any, policy: Any, work: Any, tables: Any, out: Any
) -> None:
    """Play the hand `room.states[1]` on by the policy in all seats, and add what `seat` wins.

    `hand` is the seed of the hand that it comes from. Whatever a policy draws once a hand, such as
    a member of a mixture, stays as it was there; only the low bits of the seeds of decisions are
    new.
    """
    state = room.states[1]
    deck = room.decks[1]
    seed_deck(deck, luck)
    decisions = 0
    while state.turn != TERMINAL:
        if state.turn == CHANCE:
            action = next_card(state, tables, deck)
        else:
            number = mix(luck, np.uint64(_BEYOND_DECKS + decisions))
            seed = decision_seed(hand, np.int64(state.turn), number)
            action, _ = choose(state, policy, work, seed, tables)
            decisions += 1
        act(state, tables, action)
    _add_parts(state, tables, seat, room.chips, out)


@kernel
def _gather(
    room: Any, n: int, seat: int, number: int, playouts: int, policy: Any, work: Any, tables: Any
) -> float:
    """Value the actions in which the probabilities differ, and add them up by kind.

    Returns how much the player does too often: zero if the probabilities are the same.
    """
    hand = room.decks[0].seed
    first = mix(mix(hand, _LUCK), np.uint64(number))
    room.weight[:] = 0.0
    room.worth[:] = 0.0
    state = room.states[0]
    total = 0.0
    for i in range(n):
        action = room.actions[i]
        difference = room.own[action] - room.other[action]
        if abs(difference) <= SAME:
            continue
        value = room.values[i]
        value[:] = 0.0
        for k in range(playouts):
            room.states[1] = state
            act(room.states[1], tables, action)
            _play_out(room, seat, hand, mix(first, np.uint64(k)), policy, work, tables, value)
        kind = kind_in(room.states, tables, room.drawn, action)
        side = 0 if difference > 0.0 else 1
        weight = abs(difference)
        if side == 0:
            total += weight
        room.weight[side, kind] += weight
        for part in range(len(value)):
            room.worth[side, kind, part] += weight * value[part] / playouts
    return total


@kernel
def _judge(
    room: Any,
    seat: int,
    number: int,
    start: int,
    h: int,
    playouts: int,
    policy: Any,
    work: Any,
    tables: Any,
    found: Any,
) -> bool:
    """Write what the decision in `room.states[0]` costs; False if there is no more room for it."""
    counts = found.counts
    place = counts[0]
    if place == len(found.decisions):
        return False
    state = room.states[0]
    row = found.decisions[place]
    row.hand = h
    row.history = state.history
    row.start = start
    row.stop = counts[2]
    counts[0] += 1
    n = legal_actions(state, tables, room.actions)
    total = _gather(room, n, seat, number, playouts, policy, work, tables)
    if total == 0.0:
        return True
    weight, worth = room.weight, room.worth
    for did in range(weight.shape[1]):
        for instead in range(weight.shape[1]):
            if weight[0, did] == 0.0 or weight[1, instead] == 0.0:
                continue
            if counts[1] == len(found.shares):
                return False
            share = found.shares[counts[1]]
            share.decision = place
            share.did = did
            share.instead = instead
            for part in range(worth.shape[2]):
                share.parts[part] = (
                    worth[0, did, part] * weight[1, instead]
                    - weight[0, did] * worth[1, instead, part]
                ) / total
            counts[1] += 1
    return True


@kernel
def _ask(state: Any, policy: Any, work: Any, seed: Any, tables: Any, out: Any) -> Any:
    """Write the probability of each exact action; returns the one that `choose` would take."""
    n, how = policy_probabilities(state, policy, work, seed)
    out[:] = 0.0
    for i in range(n):
        out[lift(state, policy.tables, work.actions[i], tables)] += work.probabilities[i]
    place = 0
    if how != FORCED:
        work.random[0] = seed
        place = sample(work.probabilities, n, work.random)
    return np.int64(lift(state, policy.tables, work.actions[place], tables))


# Hands.


@kernel
def _judge_hand(
    h: int,
    seat: int,
    hand: Any,
    played: Any,
    policy: Any,
    work: Any,
    reference: Any,
    reference_work: Any,
    tables: Any,
    playouts: int,
    room: Any,
    found: Any,
) -> bool:
    """Judge the decisions of `seat` in the hand of the seed `hand`; False if there is no more room.

    The hand is `played`, cards and actions, and what the seat did is all that is known of it;
    if that is empty, it plays by `policy`, and all others by `reference`.
    """
    state = room.states[0]
    deck = room.decks[0]
    seed_deck(deck, hand)
    begin(state, tables)
    counts = found.counts
    start = counts[2]
    decisions = 0
    while state.turn != TERMINAL:
        if counts[2] == len(found.trace):
            return False
        action: Any = np.int64(-1)
        if len(played) > 0:
            action = np.int64(played[counts[2] - start])
        turn: Any = np.int64(state.turn)
        if turn == CHANCE:
            if action < 0:
                action = next_card(state, tables, deck)
        else:
            seed = decision_seed(hand, turn, decisions)
            choice = turn == seat and legal_actions(state, tables, room.actions) > 1
            if action >= 0:
                room.own[:] = 0.0
                room.own[action] = 1.0
            elif turn == seat:
                action = _ask(state, policy, work, seed, tables, room.own)
            else:
                action, _ = choose(state, reference, reference_work, seed, tables)
            if choice:
                _ask(state, reference, reference_work, seed, tables, room.other)
                if not _judge(
                    room,
                    seat,
                    decisions,
                    start,
                    h,
                    playouts,
                    reference,
                    reference_work,
                    tables,
                    found,
                ):
                    return False
            decisions += 1
        found.trace[counts[2]] = action
        counts[2] += 1
        act(state, tables, action)
    found.returns[h] = state.returns[seat]
    return True


@kernel
def judge_deals(
    first: int,
    players: int,
    seed: Any,
    policy: Any,
    work: Any,
    reference: Any,
    reference_work: Any,
    tables: Any,
    playouts: int,
    room: Any,
    nothing: Any,
    found: Any,
) -> bool:
    """Play and judge whole deals, from the number `first` on; False if there is no more room."""
    found.counts[:] = 0
    for h in range(len(found.returns)):
        if not _judge_hand(
            h,
            h % players,
            deal_seed(seed, first + h // players),
            nothing,
            policy,
            work,
            reference,
            reference_work,
            tables,
            playouts,
            room,
            found,
        ):
            return False
    return True


@kernel
def judge_played(
    played: Any,
    first: Any,
    seats: Any,
    seeds: Any,
    reference: Any,
    work: Any,
    tables: Any,
    playouts: int,
    room: Any,
    found: Any,
) -> bool:
    """Judge a seat in each of some hands; False if there is no more room."""
    found.counts[:] = 0
    for h in range(len(seats)):
        if not _judge_hand(
            h,
            seats[h],
            seeds[h],
            played[first[h] : first[h + 1]],
            reference,
            work,
            reference,
            work,
            tables,
            playouts,
            room,
            found,
        ):
            return False
    return True
