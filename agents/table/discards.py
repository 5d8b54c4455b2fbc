"""What each of the 32 discards of a Sviten hand wins after the flop, over a sample of deals.

A discard is a mask over the places of the hand. A *deal* is all that the hand meets at the
showdown: the full board and the other hands after their draw. On each deal the hand is valued
after every discard: standing pat, with each single card that may come, and with some random draws
of more cards. `left` are the cards that may still come to the hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.agents.table.drawing import FLOP, MAX_TRIES, deal_opponents, finish_opponents
from pokerspiel.agents.table.equities import MAX_SEATS, list_cards, rank_pairs
from pokerspiel.games.abstraction.outlook import DISCARDS, new_outlook, take_card
from pokerspiel.games.cards import card_set, popcount
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import draw_rank, omaha_rank

CARDS = 52
PLACES = 5
FIELDS = 3
DRAW, OMAHA, SCOOP = range(FIELDS)
DRAWS = 4
"""Random draws of two and more cards on each deal."""


class Sums(NamedTuple):
    """DRAW, OMAHA and SCOOP, added up over deals: share of each half, and both won alone."""

    share: np.ndarray
    """[DISCARDS, 3] mean over the cards drawn; a single card is kept whatever it is."""
    keep: np.ndarray
    """[5, CARDS, 3] by the place thrown away and the single card that came, times its chance."""
    reject: np.ndarray
    """[5, CARDS, 3] mean over the second cards after that card was rejected, times its chance."""
    chance: np.ndarray
    """[CARDS] of the single card to be this one."""


def new_sums() -> Sums:
    return Sums(
        np.zeros((DISCARDS, FIELDS)),
        np.zeros((PLACES, CARDS, FIELDS)),
        np.zeros((PLACES, CARDS, FIELDS)),
        np.zeros(CARDS),
    )


class Room(NamedTuple):
    """Memory for one deal."""

    cards: np.ndarray
    """The hand, and behind it cards that may come."""
    pairs: np.ndarray
    """Omaha strength of two of the `cards`."""
    hand: np.ndarray
    share: np.ndarray
    """[CARDS, FIELDS] after one discard, by the place of the card that came."""
    total: np.ndarray
    """[FIELDS] over those cards."""
    target: np.ndarray
    """Best draw half of the others, how many hold it, and the same of their Omaha half."""


@kernel(allocates=True)
def new_room() -> Any:
    return Room(
        np.zeros(5 + CARDS, np.uint8),
        np.zeros((5 + CARDS, 5 + CARDS), np.int64),
        np.zeros(5, np.uint8),
        np.zeros((CARDS, FIELDS)),
        np.zeros(FIELDS),
        np.zeros(4, np.int64),
    )


@kernel
def set_target(game: Any, hands: Any, full: Any, target: Any) -> None:
    """Write the best halves of the other hands on a full board."""
    target[:] = 0
    for seat in range(len(hands)):
        draw = np.int64(draw_rank(game.hands, hands[seat], 5, game.draw_half))
        omaha = np.int64(omaha_rank(game.hands, hands[seat], 5, full, 5, 2, 3))
        for place, strength in ((0, draw), (2, omaha)):
            if strength > target[place]:
                target[place], target[place + 1] = strength, 0
            target[place + 1] += strength == target[place]


@kernel
def _share(strength: int, best: int, winners: int) -> float:
    """Share of a half against the best of the others, which so many of them hold."""
    if strength > best:
        return 1.0
    return 1.0 / (1 + winners) if strength == best else 0.0


@kernel
def _add_shares(game: Any, omaha: int, weight: float, room: Any, out: Any) -> None:
    """Add to `out` [FIELDS] what `room.hand`, with this Omaha half, wins of the others."""
    draw = np.int64(draw_rank(game.hands, room.hand, 5, game.draw_half))
    out[DRAW] += weight * _share(draw, room.target[0], room.target[1])
    out[OMAHA] += weight * _share(omaha, room.target[2], room.target[3])
    if draw > room.target[0] and omaha > room.target[2]:
        out[SCOOP] += weight


@kernel
def _add_pat(game: Any, room: Any, out: Any) -> None:
    for i in range(5):
        room.hand[i] = room.cards[i]
    _add_shares(game, best_kept(room, 31), 1.0, room, out[0])


@kernel
def best_kept(room: Any, kept: int) -> Any:
    """The best pair of the places `kept` of the hand."""
    best = np.int64(0)
    for i in range(1, 5):
        for j in range(i):
            if kept >> i & 1 and kept >> j & 1:
                best = max(best, room.pairs[i, j])
    return best


@kernel
def _add_single(game: Any, place: int, n: int, room: Any, sums: Any) -> None:
    """Add what comes of throwing away one card, for each of the n cards behind the hand."""
    for i in range(5):
        room.hand[i] = room.cards[i]
    kept = 31 & ~(1 << place)
    held = best_kept(room, kept)
    room.share[:n] = 0.0
    room.total[:] = 0.0
    for c in range(n):
        room.hand[place] = room.cards[5 + c]
        best = held
        for i in range(5):
            if i != place:
                best = max(best, room.pairs[5 + c, i])
        _add_shares(game, best, 1.0, room, room.share[c])
        for field in range(FIELDS):
            room.total[field] += room.share[c, field]
    for field in range(FIELDS):
        total = room.total[field]
        sums.share[1 << place, field] += total / n
        for c in range(n):
            card, own = np.int64(room.cards[5 + c]), room.share[c, field]
            sums.keep[place, card, field] += own / n
            sums.reject[place, card, field] += (total - own) / (n - 1) / n


@kernel
def _add_drawn(game: Any, room: Any, weight: float, out: Any) -> None:
    """Add each discard of two and more cards, replaced by the first cards behind the hand."""
    for discard in range(DISCARDS):
        if popcount(discard) < 2:
            continue
        drawn = 5
        best = np.int64(0)
        for i in range(5):
            place = i
            if discard >> i & 1:
                place = drawn
                drawn += 1
            room.hand[i] = room.cards[place]
            for j in range(5):
                other_is_kept = not discard >> j & 1
                if other_is_kept and j != place:
                    best = max(best, room.pairs[place, j])
        for i in range(6, drawn):
            for j in range(5, i):
                best = max(best, room.pairs[i, j])
        _add_shares(game, best, weight, room, out[discard])


@kernel
def add_singles(game: Any, full: Any, left: int, room: Any, sums: Any) -> None:
    """Add standing pat and every single card, on a full board."""
    n = list_cards(left, room.cards[5:])
    rank_pairs(game.hands, room.cards, 5 + n, full, room.pairs)
    _add_pat(game, room, sums.share)
    for place in range(5):
        _add_single(game, place, n, room, sums)
    for c in range(n):
        sums.chance[room.cards[5 + c]] += 1.0 / n


@kernel(allocates=True)
def sample_discards(
    rules: Any,
    hole: Any,
    others: Any,
    drew: Any,
    opponents_draw: bool,
    flop: Any,
    dead: int,
    deals: int,
    seed: int,
    sums: Any,
) -> int:
    """Add `deals` random deals to `sums`; returns how many there were.

    `others` [n, 5] are known hands, `drew` [m] belongs to opponents with random cards, see
    `deal_opponents`; with `opponents_draw` all of them draw by `best_discard`, else they stand pat.
    Fewer deals come about where hands that throw so many cards are too rare.
    """
    game = rules[0]
    n, m = len(others), len(drew)
    random = np.array([seed], np.uint64)
    room, outlook = new_room(), new_outlook()
    hands = np.zeros((MAX_SEATS, 5), np.uint8)
    discards = np.zeros(MAX_SEATS, np.int64)
    full = np.zeros(5, np.uint8)
    full[:FLOP] = flop[:FLOP]
    room.cards[:5] = hole
    gone = np.uint64(dead) | card_set(hole, 5) | card_set(flop, FLOP)
    for seat in range(n):
        gone |= card_set(others[seat], 5)
    budget = MAX_TRIES
    for deal in range(deals):
        left: Any = game.deck & ~gone
        left, tries = deal_opponents(
            game, random, drew, full, left, hands[n : n + m], discards[n : n + m], outlook
        )
        budget -= tries
        if budget < 0 or tries >= MAX_TRIES:
            return deal
        for seat in range(n):
            hands[seat] = others[seat]
            discards[seat] = -1
        if opponents_draw:
            left = finish_opponents(
                game, random, full, left, hands[: n + m], discards[: n + m], outlook
            )
        for i in range(FLOP, 5):
            full[i] = take_card(random, left)
            left &= ~card_set(full[i:], 1)
        set_target(game, hands[: n + m], full, room.target)
        add_singles(game, full, left, room, sums)
        for _ in range(DRAWS):
            rest: Any = left
            for i in range(5):
                room.cards[5 + i] = take_card(random, rest)
                rest &= ~card_set(room.cards[5 + i :], 1)
            rank_pairs(game.hands, room.cards, 10, full, room.pairs)
            _add_drawn(game, room, 1.0 / DRAWS, sums.share)
    return deals
