"""What each of the 32 discards of a Sviten hand wins after the flop, over all deals.

Against known hands that stand pat everything can be counted: see `discards` for what is added up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.agents.table.discards import (
    CARDS,
    DRAW,
    OMAHA,
    add_singles,
    best_kept,
    new_room,
    set_target,
)
from pokerspiel.agents.table.drawing import FLOP
from pokerspiel.agents.table.equities import list_cards, next_choice
from pokerspiel.games.abstraction.outlook import DISCARDS
from pokerspiel.games.cards import card_set, lowest_card, popcount
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import draw_rank


@kernel(allocates=True)
def all_discards(rules: Any, hole: Any, others: Any, flop: Any, dead: int, sums: Any) -> int:
    """Add every board and every draw against known hands that stand pat; returns the boards.

    All sums are over boards, of means over the cards drawn. SCOOP stays 0 for discards of two
    cards and more: each half is counted by itself.
    """
    game = rules[0]
    room = new_room()
    full = np.zeros(5, np.uint8)
    full[:FLOP] = flop[:FLOP]
    room.cards[:5] = hole
    gone = np.uint64(dead) | card_set(hole, 5) | card_set(flop, FLOP)
    for seat in range(len(others)):
        gone |= card_set(others[seat], 5)
    stub = np.zeros(CARDS, np.uint8)
    size = list_cards(game.deck & ~gone, stub)
    links = np.zeros((2, CARDS), np.uint64)
    boards = 0
    for turn in range(1, size):
        for river in range(turn):
            full[3], full[4] = stub[turn], stub[river]
            set_target(game, others, full, room.target)
            left = game.deck & ~gone & ~card_set(full, 5)
            add_singles(game, full, left, room, sums)
            _add_omaha_draws(room, size - 2, links, sums.share)
            boards += 1
    bounds = np.array([room.target[0], room.target[0] + 1])
    counts = np.zeros((DISCARDS, 3), np.int64)
    draw_counts(rules, hole, game.deck & ~gone, bounds, counts)
    for discard in range(DISCARDS):
        if popcount(discard) > 1:
            won = counts[discard, 2] + counts[discard, 1] / (1 + room.target[1])
            sums.share[discard, DRAW] += boards * won / counts[discard].sum()
    return boards


@kernel
def _add_omaha_draws(room: Any, n: int, links: Any, out: Any) -> None:
    """Add the Omaha half after each discard of two and more, over all draws of n cards.

    A draw beats the target unless no two of its cards do, with those kept: such draws are counted
    as sets of vertices without a link, in the graph whose links are the pairs that beat it.
    """
    best, winners = room.target[2], room.target[3]
    for c in range(n):
        links[0, c] = links[1, c] = np.uint64(0)
        for d in range(n):
            if d != c:
                above, equal = room.pairs[5 + c, 5 + d] > best, room.pairs[5 + c, 5 + d] >= best
                links[0, c] |= np.uint64(above) << np.uint64(d)
                links[1, c] |= np.uint64(equal) << np.uint64(d)
    for discard in range(DISCARDS):
        size = popcount(discard)
        if size < 2:
            continue
        draws = _choose(n, size)
        above = draws - _not_above(room, n, 31 & ~discard, size, best, links[0])
        equal = draws - _not_above(room, n, 31 & ~discard, size, best - 1, links[1])
        out[discard, OMAHA] += (above + (equal - above) / (1 + winners)) / draws


@kernel
def _not_above(room: Any, n: int, kept: int, size: int, best: int, links: Any) -> int:
    """How many draws of `size` cards leave the hand without a pair stronger than `best`."""
    if best_kept(room, kept) > best:
        return 0
    allowed = np.uint64(0)
    for c in range(n):
        fits = True
        for i in range(5):
            if kept >> i & 1 and room.pairs[5 + c, i] > best:
                fits = False
        allowed |= np.uint64(fits) << np.uint64(c)
    return int(_unlinked_sets(links, allowed, size))


@kernel
def _unlinked_pairs(links: Any, allowed: Any) -> int:
    count = 0
    left = allowed
    while left:
        vertex = lowest_card(left)
        left &= left - np.uint64(1)
        count += popcount(left & ~links[vertex])
    return count


@kernel
def _unlinked_triples(links: Any, allowed: Any) -> int:
    count = 0
    left = allowed
    while left:
        vertex = lowest_card(left)
        left &= left - np.uint64(1)
        count += _unlinked_pairs(links, left & ~links[vertex])
    return count


@kernel
def _unlinked_sets(links: Any, allowed: Any, size: int) -> int:
    """How many sets of `size`, 2 to 5, of the vertices `allowed` have no link inside."""
    if size == 2:
        return int(_unlinked_pairs(links, allowed))
    if size == 3:
        return int(_unlinked_triples(links, allowed))
    count = 0
    left = allowed
    while left:
        vertex = lowest_card(left)
        left &= left - np.uint64(1)
        rest = left & ~links[vertex]
        if size == 4:
            count += _unlinked_triples(links, rest)
            continue
        while rest:
            second = lowest_card(rest)
            rest &= rest - np.uint64(1)
            count += _unlinked_triples(links, rest & ~links[second])
    return count


@kernel
def _choose(n: int, k: int) -> int:
    ways = 1
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return ways


@kernel(allocates=True)
def draw_counts(rules: Any, hole: Any, unseen: int, bounds: Any, counts: Any) -> None:
    """Count every draw from `unseen` by the strength of the draw half that it makes.

    `counts` [DISCARDS, len(bounds) + 1] gets, for each discard, how many draws reach exactly so
    many of the ascending `bounds`. A single card is kept whatever it is.
    """
    game = rules[0]
    stub, hand = np.zeros(CARDS, np.uint8), np.zeros(5, np.uint8)
    size = list_cards(unseen, stub)
    places = np.zeros(5, np.int64)
    for discard in range(DISCARDS):
        k = popcount(discard)
        for i in range(5):
            hand[i] = hole[i]
            places[i] = i
        more = True
        while more:
            drawn = 0
            for i in range(5):
                if discard >> i & 1:
                    hand[i] = stub[places[drawn]]
                    drawn += 1
            strength = draw_rank(game.hands, hand, 5, game.draw_half)
            reached = 0
            for bound in bounds:
                reached += strength >= bound
            counts[discard, reached] += 1
            more = next_choice(places, k, size)
