"""The hands of Svara up to an exchange of suits: the joker is a club, the other suits are alike."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np

from pokerspiel.games.cards import RANKS
from pokerspiel.games.deals import Hands
from pokerspiel.games.hands import JOKER, svara_points

_OTHER_SUITS = (1, 2, 3)


@lru_cache(maxsize=32)
def hand_classes(deck: int, hole_cards: int, joker_mode: int, sevens: int) -> Hands:
    """The classes of all hands of a deck, given as a mask, under the rules of the score."""
    cards = [card for card in range(deck.bit_length()) if deck >> card & 1]
    hands = sorted(combinations(cards, hole_cards), key=lambda hand: hand[::-1])
    members: dict[tuple[int, ...], list[int]] = {}
    for number, hand in enumerate(hands):
        members.setdefault(kind_of(hand), []).append(number)
    shown = {kind: hands[some[0]] for kind, some in members.items()}
    points = {
        kind: int(svara_points(np.array(hand, np.uint8), hole_cards, joker_mode, sevens))
        for kind, hand in shown.items()
    }
    order = sorted(members, key=lambda kind: (points[kind], kind))
    hand_class = np.zeros(len(hands), np.uint16)
    for number, kind in enumerate(order):
        hand_class[members[kind]] = number
    parts = [part for size in range(hole_cards) for part in combinations(range(hole_cards), size)]
    numbered: dict[tuple[int, ...], int] = {}
    part = np.zeros((len(order), len(parts)), np.int64)
    for row, kind in enumerate(order):
        for column, places in enumerate(parts):
            part_kind = kind_of(tuple(shown[kind][i] for i in places))
            part[row, column] = numbered.setdefault(part_kind, len(numbered))
    part_count = np.zeros(len(numbered), np.int64)
    for size in range(hole_cards):
        for some_cards in combinations(cards, size):
            part_count[numbered[kind_of(some_cards)]] += 1
    return Hands(
        cards=np.array([shown[kind] for kind in order], np.uint8),
        count=np.array([len(members[kind]) for kind in order], np.int64),
        score=np.array([points[kind] for kind in order], np.int64),
        part=part,
        part_size=np.array([len(places) for places in parts], np.int64),
        part_count=part_count,
        all_cards=np.array(hands, np.uint8),
        hand_class=hand_class,
        deck=len(cards),
    )


def bucket_of_class(hands: Hands, abstraction: str) -> np.ndarray:
    """[C] int64: what an abstraction tells apart, as numbers from 0 in the order of the scores."""
    if abstraction == "hands":
        return np.arange(hands.classes)
    joker = (hands.cards == JOKER).any(axis=1)
    aces = (hands.cards >> 2 == RANKS.index("A")).sum(axis=1)
    kept = [hands.score] if abstraction == "points" else [hands.score, joker, aces]
    return np.unique(np.column_stack(kept), axis=0, return_inverse=True)[1].astype(np.int64)


def kind_of(cards: tuple[int, ...]) -> tuple[int, ...]:
    """The ranks of the clubs, then those of the other suits in an order that hides their names."""
    clubs = sum(1 << (card >> 2) for card in cards if card & 3 == 0)
    others = (sum(1 << (card >> 2) for card in cards if card & 3 == s) for s in _OTHER_SUITS)
    return (clubs, *sorted(others))
