"""Card numbers, sets of cards as bit masks, and text such as "7c9sJs".

A card is the number rank * 4 + suit in 0..51: ranks 0..12 are 2..A, suits 0..3 are clubs, diamonds,
hearts and spades. A set of cards is a 52-bit mask, bit c for card c. Small decks are such sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARDS = 52
FULL_DECK = (1 << CARDS) - 1


def card_name(card: int) -> str:
    """Rank and suit of a card, such as "7c"; raises ValueError if it is not in 0..51."""
    if not 0 <= card < CARDS:
        raise ValueError(f"{card} is not a card number: they run from 0 to 51")
    return RANKS[card >> 2] + SUITS[card & 3]


def cards_text(cards: Iterable[int]) -> str:
    """The cards in the order given, such as "7c9sJs"; `parse_cards` reads it back."""
    return "".join(card_name(int(card)) for card in cards)


def parse_cards(text: str) -> list[int]:
    """Card numbers of a text such as "7c9sJs", in its order.

    Upper and lower case are the same, spaces and commas may stand between cards, ten is T or 10.
    Raises ValueError, one line that names the bad text, for what is no card or comes twice.
    """
    compact = "".join(text.replace(",", " ").split()).replace("10", "T")
    cards: list[int] = []
    for start in range(0, len(compact), 2):
        word = compact[start : start + 2]
        rank = RANKS.find(word[0].upper())
        suit = SUITS.find(word[1:].lower()) if len(word) == 2 else -1
        if rank < 0 or suit < 0:
            raise ValueError(
                f"{word!r} in {text!r} is no card: write a rank of {RANKS}, then a suit of {SUITS}"
            )
        if rank * 4 + suit in cards:
            raise ValueError(f"card {word!r} comes twice in {text!r}")
        cards.append(rank * 4 + suit)
    return cards


def mask_of(cards: Iterable[int]) -> int:
    """The set of these cards as a bit mask."""
    mask = 0
    for card in cards:
        mask |= 1 << int(card)
    return mask


def cards_of(mask: int) -> list[int]:
    """The cards of a bit mask, ascending."""
    return [card for card in range(CARDS) if int(mask) >> card & 1]


def deck_mask(ranks: str = RANKS, suits: str = SUITS) -> int:
    """The deck of all `ranks` in all `suits`, as a bit mask; spaces in either text do not count.

    Raises ValueError, one line that names the bad text.
    """
    chosen_ranks = _places(ranks.upper(), RANKS, "rank")
    chosen_suits = _places(suits.lower(), SUITS, "suit")
    return mask_of(rank * 4 + suit for rank in chosen_ranks for suit in chosen_suits)


def _places(text: str, letters: str, what: str) -> Sequence[int]:
    """Where each letter of `text` stands in `letters`."""
    chosen = "".join(text.split())
    if not chosen:
        raise ValueError(f"a deck needs at least one {what} of {letters}")
    for letter in chosen:
        if letter not in letters:
            raise ValueError(f"{letter!r} in {text!r} is not a {what}: choose from {letters}")
        if chosen.count(letter) > 1:
            raise ValueError(f"{what} {letter!r} comes twice in {text!r}")
    return [letters.index(letter) for letter in chosen]


# Sets of cards in compiled code.


@kernel
def popcount(mask: int) -> int:
    """Number of cards in a set: bits summed in parallel, which LLVM makes one instruction."""
    x = np.uint64(mask)
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56)))


@kernel
def lowest_card(mask: int) -> int:
    """The card with the smallest number in a set; 64 for the empty set."""
    x = np.uint64(mask)
    return int(popcount(~x & (x - np.uint64(1))))


@kernel
def card_set(cards: Any, n: int) -> Any:
    """The first n of `cards` as a set."""
    mask: Any = np.uint64(0)
    for i in range(n):
        mask |= np.uint64(1) << np.uint64(cards[i])
    return mask


@kernel
def insert_card(cards: Any, n: int, card: int) -> None:
    """Put a card in its place among the first n of `cards`, which ascend."""
    while n > 0 and cards[n - 1] > card:
        cards[n] = cards[n - 1]
        n -= 1
    cards[n] = card


@kernel
def nth_card(mask: int, n: int) -> int:
    """The card of a set that has n smaller ones in it; 64 if the set has no more than n cards."""
    x = np.uint64(mask)
    for _ in range(n):
        x &= x - np.uint64(1)
    return int(lowest_card(x))
