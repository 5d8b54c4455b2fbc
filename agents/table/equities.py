"""Chances of Sviten hands at the showdown, over all cards to come.

Every kernel adds to `out` [seats, FIELDS], one row a seat, the known hands first and the random
one behind them; divided by the number of deals the sums are chances and shares. `rules` is the
look-up record of a game of two hole cards out of five and three board cards out of five; sets of
cards are bit masks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.cards import card_set, lowest_card
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import (
    BOARDS,
    PAIRS,
    draw_rank,
    flush_of_pair,
    number_of_board,
    omaha_rank,
    pair_of_ranks,
    suit_of_flush,
)

FIELDS = 8
DRAW_WIN, DRAW_TIE, DRAW_SHARE, OMAHA_WIN, OMAHA_TIE, OMAHA_SHARE, SCOOP, POT = range(FIELDS)
"""Half won alone, half shared, share of the half; both halves won alone, share of the pot."""
MAX_SEATS = 10
_LOWER, _EQUAL, _HIGHER = range(3)


# Showdowns.


@kernel
def _add_half(strengths: Any, n: int, win: int, weight: float, out: Any) -> Any:
    """Add a half to the fields from `win` on; returns (its best strength, how many hold it)."""
    best, winners = np.int64(-1), 0
    for seat in range(n):
        if strengths[seat] > best:
            best, winners = strengths[seat], 0
        winners += strengths[seat] == best
    for seat in range(n):
        if strengths[seat] == best:
            out[seat, win + (winners > 1)] += weight
            out[seat, win + 2] += weight / winners
            out[seat, POT] += weight / winners / 2
    return best, winners


@kernel
def add_showdown(draw: Any, omaha: Any, n: int, weight: float, out: Any) -> None:
    """Add a showdown of n seats with these strengths, counted `weight` times."""
    best_draw, draw_winners = _add_half(draw, n, DRAW_WIN, weight, out)
    best_omaha, omaha_winners = _add_half(omaha, n, OMAHA_WIN, weight, out)
    if draw_winners == 1 and omaha_winners == 1:
        for seat in range(n):
            if draw[seat] == best_draw and omaha[seat] == best_omaha:
                out[seat, SCOOP] += weight


@kernel
def list_cards(mask: int, cards: Any) -> int:
    """Write the cards of a set, ascending; returns how many."""
    n = 0
    left = np.uint64(mask)
    while left:
        cards[n] = lowest_card(left)
        left &= left - np.uint64(1)
        n += 1
    return n


@kernel
def rank_pairs(t: Any, cards: Any, n: int, board: Any, pairs: Any) -> None:
    """Write the Omaha strength of each two of the first n cards on a full board, both ways."""
    start = (np.uint64(2 * BOARDS) + np.uint64(number_of_board(t, board, 5))) * np.uint64(PAIRS)
    suit = suit_of_flush(board, 5)
    for i in range(1, n):
        for j in range(i):
            strength = np.int64(t.omaha[start + pair_of_ranks(t, cards[i], cards[j])])
            if suit >= 0 and cards[i] & 3 == suit and cards[j] & 3 == suit:
                strength = max(strength, flush_of_pair(t, cards[i], cards[j], board, 5))
            pairs[i, j] = strength
            pairs[j, i] = strength


# All deals.


@kernel
def next_choice(places: Any, k: int, size: int) -> bool:
    """Step to the next choice of k ascending places below `size`; False after the last."""
    i = k - 1
    while i >= 0 and places[i] == size - k + i:
        i -= 1
    if i < 0:
        return False
    places[i] += 1
    for j in range(i + 1, k):
        places[j] = places[j - 1] + 1
    return True


@kernel(allocates=True)
def all_run_outs(rules: Any, holes: Any, board: Any, n_board: int, dead: int, out: Any) -> int:
    """Add every run-out of the board for known hands `holes` [n, 5]; returns how many there are.

    `dead` are further cards that cannot come.
    """
    game = rules[0]
    n = len(holes)
    gone = np.uint64(dead) | card_set(board, n_board)
    draw, omaha = np.zeros(MAX_SEATS, np.int64), np.zeros(MAX_SEATS, np.int64)
    for seat in range(n):
        gone |= card_set(holes[seat], 5)
        draw[seat] = draw_rank(game.hands, holes[seat], 5, game.draw_half)
    stub = np.zeros(52, np.uint8)
    size = list_cards(game.deck & ~gone, stub)
    full = np.zeros(5, np.uint8)
    full[:n_board] = board[:n_board]
    missing = 5 - n_board
    places = np.arange(5)
    count = 0
    more = True
    while more:
        for i in range(missing):
            full[n_board + i] = stub[places[i]]
        for seat in range(n):
            omaha[seat] = omaha_rank(game.hands, holes[seat], 5, full, 5, 2, 3)
        add_showdown(draw, omaha, n, 1.0, out)
        count += 1
        more = next_choice(places, missing, size)
    return count


@kernel(allocates=True)
def all_opponents(rules: Any, holes: Any, board: Any, n_board: int, dead: int, out: Any) -> int:
    """Add every river and every hand of one more seat, from a board of 4 or 5 cards on.

    The last row of `out` is that seat. Returns how many deals there are.
    """
    game = rules[0]
    n = len(holes)
    gone = np.uint64(dead) | card_set(board, n_board)
    draw, omaha = np.zeros(MAX_SEATS, np.int64), np.zeros(MAX_SEATS, np.int64)
    for seat in range(n):
        gone |= card_set(holes[seat], 5)
        draw[seat] = draw_rank(game.hands, holes[seat], 5, game.draw_half)
    rivers = np.zeros(52, np.uint8)
    n_rivers = list_cards(game.deck & ~gone, rivers) if n_board == 4 else 1
    full = np.zeros(5, np.uint8)
    full[:n_board] = board[:n_board]
    stub = np.zeros(52, np.uint8)
    pairs = np.zeros((52, 52), np.int64)
    counts = np.zeros((3, 3), np.int64)
    count = 0
    for river in range(n_rivers):
        if n_board == 4:
            full[4] = rivers[river]
        size = list_cards(game.deck & ~gone & ~card_set(full, 5), stub)
        for seat in range(n):
            omaha[seat] = omaha_rank(game.hands, holes[seat], 5, full, 5, 2, 3)
        rank_pairs(game.hands, stub, size, full, pairs)
        count += _count_opponents(game, stub, size, pairs, draw[:n].max(), omaha[:n].max(), counts)
        _add_counts(draw, omaha, n, counts, out)
    return count


@kernel(allocates=True)
def _count_opponents(
    game: Any, stub: Any, size: int, pairs: Any, draw: int, omaha: int, counts: Any
) -> int:
    """Count the hands of the stub by how their halves compare with `draw` and `omaha`."""
    counts[:] = 0
    hand = np.zeros(5, np.uint8)
    hands = 0
    for a in range(4, size):
        hand[0] = stub[a]
        for b in range(3, a):
            hand[1] = stub[b]
            two = pairs[a, b]
            for c in range(2, b):
                hand[2] = stub[c]
                three = max(two, pairs[a, c], pairs[b, c])
                for d in range(1, c):
                    hand[3] = stub[d]
                    four = max(three, pairs[a, d], pairs[b, d], pairs[c, d])
                    for e in range(d):
                        hand[4] = stub[e]
                        best = max(four, pairs[a, e], pairs[b, e])
                        best = max(best, pairs[c, e], pairs[d, e])
                        own = np.int64(draw_rank(game.hands, hand, 5, game.draw_half))
                        counts[_compared(own, draw), _compared(best, omaha)] += 1
                        hands += 1
    return hands


@kernel
def _compared(one: int, other: int) -> int:
    return int(one >= other) + int(one > other)


@kernel
def _add_counts(draw: Any, omaha: Any, n: int, counts: Any, out: Any) -> None:
    """Add the showdowns with one more seat whose halves compare so often like this."""
    best_draw, best_omaha = draw[:n].max(), omaha[:n].max()
    for x in range(3):
        for y in range(3):
            if counts[x, y]:
                draw[n], omaha[n] = best_draw + x - _EQUAL, best_omaha + y - _EQUAL
                add_showdown(draw, omaha, n + 1, float(counts[x, y]), out)
