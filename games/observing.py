"""Parts of an observation that the families share: moves, cards by suit, chips on two scales.

Cards are written as four suits of thirteen ranks. Which suit comes first depends on the cards that
are known and not on the suits' names, so that exchanging suits changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.betting import MOVES, STAYS, WAGERS, move_at
from pokerspiel.games.cards import lowest_card
from pokerspiel.games.compiled import kernel

CARDS = 52
RANKS = 13
PER_LANE = 3 * MOVES
"""Numbers that the moves of a seat in one lane take."""
ALIKE = (0, 0, 0, 0)
"""Nothing more is known of the suits: see `suit_order`."""


@kernel
def _comes_first(sets: Any, words: Any, suit: int, other: int) -> Any:
    ranks = np.uint64(0x1111111111111)
    for cards in sets:
        one = cards >> np.uint64(suit) & ranks
        two = cards >> np.uint64(other) & ranks
        if one != two:
            return one > two
    if words[suit] != words[other]:
        return words[suit] > words[other]
    return suit < other


@kernel
def suit_order(sets: Any, words: Any) -> int:
    """The place of each suit, two bits each, that of suit 0 in the lowest ones.

    The first suit has the highest ranks in the first of `sets` (as a mask of ranks, so that the
    highest rank counts first); suits alike there are ordered by the next set, and so on. What else
    is known of a suit is hashed into its word, which comes last. Suits that are alike in everything
    are exchangeable.
    """
    order = 0
    for suit in range(4):
        for other in range(4):
            if other != suit and _comes_first(sets, words, other, suit):
                order += 1 << (2 * suit)
    return order


@kernel
def place_of_suit(order: int, card: int) -> Any:
    """The place of the suit of a card."""
    return order >> (2 * (card & 3)) & 3


@kernel
def write_cards(out: Any, at: int, cards: Any, order: int) -> Any:
    """Write a set of cards, 4 suits x 13 ranks; returns where the next block begins."""
    left = cards
    while left:
        card = lowest_card(left)
        left &= left - np.uint64(1)
        out[at + RANKS * place_of_suit(order, card) + (card >> 2)] = 1.0
    return at + CARDS


@kernel
def write_moves(out: Any, at: int, moves: Any, lanes: int) -> Any:
    """Write what a seat did: lanes x MOVES, the latest first, x (stays, wagers, size of it)."""
    for lane in range(lanes):
        for past in range(MOVES):
            kind = move_at(moves, lane, past)
            if kind == STAYS:
                out[at] = 1.0
            elif kind >= WAGERS:
                out[at + 1] = 1.0
                out[at + 2] = (kind - WAGERS) / 4.0
            at += 3
    return at


@kernel
def chips_on_table(rules: Any) -> int:
    chips = 0
    for seat in range(rules.players):
        chips += rules.start_stack[seat]
    return chips


@kernel
def depth(chips: Any, unit: Any) -> Any:
    """Chips on a logarithmic scale: an eighth of the number of doublings of `unit`."""
    return np.log2(1.0 + chips / unit) / 8.0


@kernel
def pot_odds(owed: Any, pot: Any) -> Any:
    """What of the pot a call pays; 0 where nothing is owed."""
    return owed / (pot + owed) if owed > 0 else 0.0
