"""The chances of the hands of several places together, where hands are grouped in buckets.

Hands are dealt from one deck, so that what one place holds changes what the others may hold. For
hands that are to avoid certain cards, let held[T, b] be how many hands of bucket b hold all cards
of the part T. Two such hands of buckets b and c that share no card are counted by inclusion and
exclusion over the cards that they share:

    sum over all parts T of (-1)^|T| held[T, b] held[T, c]

which is exact, in whole numbers.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from pokerspiel.games.deals import Hands

MOST_PLACES = 3


def scores_of_buckets(hands: Hands, bucket_of_class: np.ndarray) -> np.ndarray:
    """[buckets] int64: the score that all hands of a bucket have.

    Raises ValueError if `bucket_of_class` [classes] does not number buckets of equal scores.
    """
    if np.shape(bucket_of_class) != (hands.classes,):
        raise ValueError(
            f"bucket_of_class of shape {np.shape(bucket_of_class)}: expected a number for each of "
            f"{hands.classes} classes"
        )
    used = np.unique(bucket_of_class)
    if not np.array_equal(used, np.arange(len(used))):
        raise ValueError(f"buckets {used.tolist()}: expected all numbers from 0 on")
    score = np.zeros(len(used), np.int64)
    score[bucket_of_class] = hands.score
    mixed = np.flatnonzero(score[bucket_of_class] != hands.score)
    if len(mixed):
        bucket = int(bucket_of_class[mixed[0]])
        raise ValueError(f"bucket {bucket} has hands of different scores: expected a single one")
    return score


def pair_chances(hands: Hands) -> np.ndarray:
    """[C, C] float64: chance that two places hold hands of these classes; symmetric, sum 1."""
    masks = _masks(hands.all_cards)
    ways = np.zeros((hands.classes, hands.classes))
    for number, taken in enumerate(_masks(hands.cards)):
        free = masks & taken == 0
        ways[number] = np.bincount(hands.hand_class[free], minlength=hands.classes)
    ways *= hands.count[:, None]
    return np.asarray(ways / ways.sum())


def joint_chances(hands: Hands, bucket_of_class: np.ndarray, places: int) -> np.ndarray:
    """[classes, buckets, ...] float64, an axis of buckets for every place but one.

    The chance that this place holds a hand of the class while the others hold hands of these
    buckets. All of them add up to 1. Raises ValueError for more than MOST_PLACES places.
    """
    if not 2 <= places <= MOST_PLACES:
        raise ValueError(f"{places} places: hands are counted for 2 to {MOST_PLACES}")
    buckets = len(scores_of_buckets(hands, bucket_of_class))
    if places == 2:
        return of_buckets(pair_chances(hands).T, bucket_of_class).T
    size = hands.all_cards.shape[1]
    mask = _masks(hands.all_cards)
    parts, part = _parts(hands.all_cards)
    sign = 1.0 - 2.0 * (np.bitwise_count(parts) % 2)
    bucket = bucket_of_class[hands.hand_class]
    ways = np.empty((hands.classes, buckets, buckets))
    for number, taken in enumerate(_masks(hands.cards)):
        free = mask & taken == 0
        cells = part[free] * buckets + bucket[free, None]
        held = np.bincount(cells.ravel(), minlength=len(parts) * buckets)
        held = held.reshape(len(parts), buckets).astype(np.float64)
        # Two hands share all of their cards if they are the same hand.
        same = (-1.0) ** size * np.diag(held[0])
        ways[number] = held.T @ (sign[:, None] * held) + same
    total = 1
    for place in range(places):
        total *= comb(hands.deck - place * size, size)
    return np.asarray(ways * hands.count[:, None, None] / total)


def of_buckets(chances: np.ndarray, bucket_of_class: np.ndarray) -> np.ndarray:
    """[buckets, ...] float64: the chances of `joint_chances` with a bucket for the class."""
    out = np.zeros((bucket_of_class.max() + 1, *chances.shape[1:]))
    np.add.at(out, bucket_of_class, chances)
    return out


def _masks(hands: np.ndarray) -> np.ndarray:
    """[H] uint64: the cards of each hand [H, h] as bits."""
    bits: np.ndarray = np.uint64(1) << hands.astype(np.uint64)
    return np.asarray(bits.sum(axis=1, dtype=np.uint64))


def _parts(hands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Proper parts of the hands as masks, the empty one first, number of each part of a hand)."""
    size = hands.shape[1]
    columns = [list(some) for n in range(size) for some in combinations(range(size), n)]
    masks = np.stack([_masks(hands[:, some]) for some in columns], axis=1)
    parts, number = np.unique(masks, return_inverse=True)
    return parts, number.reshape(masks.shape)
