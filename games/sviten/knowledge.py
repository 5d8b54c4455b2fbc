"""What a seat knows in a Sviten game, and the key of its information set."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games import betting
from pokerspiel.games.abstraction import halves
from pokerspiel.games.cards import (
    lowest_card,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    EVERYBODY,
    NOBODY,
    mix,
)
from pokerspiel.games.sviten import buckets
from pokerspiel.games.sviten.state import (
    BET,
    CLUSTERS,
    DRAW,
    HALVES,
    HOLE,
    KEEP,
    REPLACE,
    SET_ASIDE,
    held,
)

# What a seat knows of each suit: the sum of a hash of every card that it has seen, with where it is
# and which of the face-up cards it was. Suits with equal sums are exchangeable.
HELD, DISCARDED, ON_FLOP, ON_TURN, ON_RIVER, _UP, DRAWN = 1, 2, 3, 4, 5, 6, 7


@kernel
def _times_up(state: Any, card: int) -> int:
    """Which of the face-up cards a card was, as a mask; after a reshuffle it may come again."""
    mask = 0
    for i in range(np.int64(state.up_count)):
        if state.up[i] == card:
            mask |= 1 << i
    return mask


@kernel
def _note(state: Any, a: Any, b: Any, c: Any, d: Any, card: int, what: int) -> Any:
    """The four sums with one more card."""
    fact = mix(np.uint64((card >> 2) * 16 + what), np.uint64(_times_up(state, card)))
    suit = card & 3
    if suit == 0:
        a += fact
    elif suit == 1:
        b += fact
    elif suit == 2:
        c += fact
    else:
        d += fact
    return a, b, c, d


@kernel
def place_of(state: Any, player: int, card: int) -> int:
    """Where a card is that `player` has seen, 0 if only others may have it."""
    for i in range(np.int64(state.hole_count[player])):
        if state.hole[player, i] == card:
            return DRAWN if state.drawn[player] >> np.uint64(card) & np.uint64(1) else HELD
    if state.discards[player] >> np.uint64(card) & np.uint64(1):
        return DISCARDED
    for i in range(np.int64(state.board_count)):
        if state.board[i] == card:
            if i < state.flop_count:
                return ON_FLOP
            return ON_TURN if i == state.flop_count else ON_RIVER
    return 0


@kernel
def known_suits(state: Any, player: int) -> Any:
    """What `player` knows of the clubs, diamonds, hearts and spades, as four 64-bit sums."""
    a = np.uint64(0)
    b = np.uint64(0)
    c = np.uint64(0)
    d = np.uint64(0)
    for i in range(np.int64(state.hole_count[player])):
        card = np.int64(state.hole[player, i])
        drawn = state.drawn[player] >> np.uint64(card) & np.uint64(1)
        a, b, c, d = _note(state, a, b, c, d, card, DRAWN if drawn else HELD)
    for i in range(np.int64(state.board_count)):
        what = ON_FLOP
        if i >= state.flop_count:
            what = ON_TURN + i - state.flop_count
        a, b, c, d = _note(state, a, b, c, d, np.int64(state.board[i]), what)
    left = state.discards[player]
    while left:
        card = lowest_card(left)
        left &= left - np.uint64(1)
        a, b, c, d = _note(state, a, b, c, d, card, DISCARDED)
    for i in range(np.int64(state.up_count)):
        card = np.int64(state.up[i])
        first = _times_up(state, card) & ((1 << i) - 1) == 0
        if first and place_of(state, player, card) == 0:
            a, b, c, d = _note(state, a, b, c, d, card, _UP)
    return a, b, c, d


@kernel
def hand_order(state: Any, player: int) -> int:
    """Places in `state.hole[player]` in canonical order, four bits each, the first lowest.

    Cards come by the number of their rank in the hand, then by rank, then by suit, where suits of
    which the player knows the same are exchangeable: the order does not depend on suit names.
    """
    a, b, c, d = known_suits(state, player)
    count = state.hole_count[player]
    order = 0
    for i in range(count):
        place = 0
        value = _order_value(state, player, i, a, b, c, d)
        for j in range(count):
            if _order_value(state, player, j, a, b, c, d) > value:
                place += 1
        order |= i << (4 * place)
    return order


@kernel
def _order_value(state: Any, player: int, i: int, a: int, b: int, c: int, d: int) -> Any:
    card = np.int64(state.hole[player, i])
    alike = 0
    for j in range(np.int64(state.hole_count[player])):
        if state.hole[player, j] >> 2 == card >> 2:
            alike += 1
    words = (a, b, c, d)
    suit = card & 3
    place = 0
    for other in range(4):
        if words[other] < words[suit] or (words[other] == words[suit] and other < suit):
            place += 1
    return (alike * 16 + (card >> 2)) * 4 + place


@kernel
def information_key(state: Any, tables: Any, player: int) -> Any:
    """Hash of what `player` knows.

    `none` remembers all public events and own cards and discards, up to an exchange of suits.
    `halves` and `clusters` are described in `abstraction/`.
    """
    rules = tables.rules[0]
    if rules.abstraction == CLUSTERS:
        drawing, keeping = state.phase == DRAW, state.phase == KEEP
        return buckets.information_key(state, rules, player, drawing, keeping)
    if rules.abstraction == HALVES:
        moment = halves.BETTING
        if state.phase == DRAW:
            moment = halves.DRAWING
        elif state.phase == KEEP:
            moment = halves.KEEPING
        return halves.information_key(state, tables, player, moment)
    a, b, c, d = known_suits(state, player)
    if a > b:
        a, b = b, a
    if c > d:
        c, d = d, c
    if a > c:
        a, c = c, a
    if b > d:
        b, d = d, b
    if b > c:
        b, c = c, b
    key = mix(mix(state.history, np.uint64(player)), state.memory[player])
    return mix(mix(mix(mix(key, a), b), c), d)


@kernel
def audience(state: Any, tables: Any) -> Any:
    """Who sees the next event: the face-up card and the board are public, discards are not."""
    rules = tables.rules[0]
    if state.phase == HOLE:
        return (rules.players * rules.hole_cards - state.to_deal) % rules.players
    if state.phase == DRAW or state.phase == REPLACE:
        return np.int64(state.drawer)
    if state.phase == SET_ASIDE:
        return NOBODY
    return EVERYBODY


@kernel
def odds(state: Any, player: int) -> Any:
    """(chips that a call costs, chips in the middle)."""
    if state.phase != BET:
        return 0, np.int64(state.pot)
    return np.int64(betting.owed(state, player)), np.int64(state.pot)


@kernel
def visible(state: Any, player: int) -> Any:
    """All cards that `player` has seen, as a mask."""
    seen = state.discards[player] | held(state, player)
    for i in range(np.int64(state.up_count)):
        seen |= np.uint64(1) << np.uint64(state.up[i])
    for i in range(np.int64(state.board_count)):
        seen |= np.uint64(1) << np.uint64(state.board[i])
    return seen
