"""Strength of a hand by brute force, as Python values that compare as the hands do.

A card is a number, rank * 4 + suit, with ranks 0..12 = 2..A and suits in the order "cdhs".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

RANKS = "23456789TJQKA"
SUITS = "cdhs"
JOKER = 20
"""The 7 of clubs."""


def card(text: str) -> int:
    """The number of a card such as "7c"."""
    rank, suit = text
    return RANKS.index(rank) * 4 + SUITS.index(suit)


def cards(text: str) -> list[int]:
    """The numbers of the cards in a text such as "7c9sJs"."""
    text = text.replace(" ", "")
    return [card(text[i : i + 2]) for i in range(0, len(text), 2)]


def text(hand: Iterable[int]) -> str:
    return "".join(RANKS[c // 4] + SUITS[c % 4] for c in hand)


def deck_of(ranks: str, suits: str) -> set[int]:
    return {card(rank + suit) for rank in ranks for suit in suits}


def rank_of(number: int) -> int:
    return number // 4


def suit_of(number: int) -> int:
    return number % 4


def straight_top(ranks: list[int]) -> int | None:
    """The rank that tops a straight of five cards (in the wheel the five), or None."""
    ranks = sorted(ranks)
    if ranks == [0, 1, 2, 3, 12]:
        return 3
    if ranks == list(range(ranks[0], ranks[0] + 5)):
        return ranks[-1]
    return None


CATEGORY_OF_SHAPE = {
    (4,): 7,
    (4, 1): 7,
    (3, 2): 6,
    (3, 1, 1): 3,
    (3, 1): 3,
    (3,): 3,
    (2, 2, 1): 2,
    (2, 2): 2,
    (2, 1, 1, 1): 1,
    (2, 1, 1): 1,
    (2, 1): 1,
    (2,): 1,
}
"""Straight flush 8, quads 7, full house 6, flush 5, straight 4, trips 3, two pair 2, pair 1."""


def high_value(hand: Iterable[int]) -> tuple:
    """Standard high hand of at most five cards: (category, ranks by multiplicity and height).

    Only hands of the same number of cards may be compared. With fewer than five cards there are no
    straights and no flushes.
    """
    hand = list(hand)
    if len(hand) > 5:
        raise ValueError(f"a high hand has at most 5 cards, not {len(hand)}")
    count = Counter(rank_of(c) for c in hand)
    ordered = sorted(count, key=lambda rank: (count[rank], rank), reverse=True)
    shape = tuple(count[rank] for rank in ordered)
    if len(hand) == 5 and len(ordered) == 5:
        flush = len({suit_of(c) for c in hand}) == 1
        top = straight_top(ordered)
        if top is not None:
            return (8 if flush else 4, (top,))
        if flush:
            return (5, tuple(ordered))
    return (CATEGORY_OF_SHAPE.get(shape, 0), tuple(ordered))


def omaha_value(
    hole: Iterable[int], board: Iterable[int], from_hole: int, from_board: int
) -> tuple:
    """The best high hand of exactly `from_hole` hole cards and `from_board` cards of the board."""
    board = list(board)
    return max(
        high_value(own + shared)
        for own in combinations(list(hole), from_hole)
        for shared in combinations(board, from_board)
    )


def flush_value(hand: Iterable[int]) -> tuple:
    """The best flush held: (number of cards, their ranks from the highest)."""
    of_suit: dict[int, list[int]] = {}
    for c in hand:
        of_suit.setdefault(suit_of(c), []).append(rank_of(c))
    return max((len(ranks), tuple(sorted(ranks, reverse=True))) for ranks in of_suit.values())


SVARA_VALUE = {"7": 7, "8": 8, "9": 9, "T": 10, "J": 10, "Q": 10, "K": 10, "A": 11}


def svara_value(number: int) -> int:
    """Points of one card: the joker is worth 11."""
    return 11 if number == JOKER else SVARA_VALUE[RANKS[rank_of(number)]]


def svara_points(hand: Iterable[int], joker_mode: str = "best", sevens: str = "best") -> int:
    """Points of a hand of up to three Svara cards: the largest candidate of the table of scores."""
    hand = list(hand)
    count = Counter(RANKS[rank_of(c)] for c in hand)
    if count["7"] == 2 and sevens == "fixed_23":
        return 23
    candidates = [svara_value(c) for c in hand]
    for size in (2, 3):
        for group in combinations(hand, size):
            one_suit = len({suit_of(c) for c in group}) == 1
            one_rank = len({rank_of(c) for c in group}) == 1
            if one_suit or (one_rank and size == 3):
                candidates.append(sum(svara_value(c) for c in group))
    if count["A"] == 2:
        candidates.append(22)
    if count["7"] == 2:
        candidates.append(23)
    if count["7"] == 3:
        candidates.append(34)
    if JOKER in hand:
        candidates.append(joker_points([c for c in hand if c != JOKER], joker_mode))
    return max(candidates)


def joker_points(others: list[int], joker_mode: str) -> int:
    """The joker with up to two other cards: both add when they match, else the better one."""
    values = [svara_value(c) for c in others]
    matched = len({suit_of(c) for c in others}) == 1 or len({rank_of(c) for c in others}) == 1
    if matched or joker_mode == "sum_all":
        return 11 + sum(values)
    return 11 + max(values, default=0)
