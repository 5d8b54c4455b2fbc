"""Chances of Svara hands whose cards are known in part, against each other and random ones."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations
from math import comb, prod

import numpy as np

from pokerspiel.agents.table.holdings import points_of
from pokerspiel.experiments.web.sampling import Document, Sample, estimate, how, mean_and_error
from pokerspiel.games.cards import cards_of
from pokerspiel.games.variants import Game, load

HAND = 3
WIN, TIE, SHARE = range(3)
MAX_COMPLETIONS = 5_000
"""Ways of all hands but one that are gone through one by one."""
CHUNK = 5_000
"""Deals of a batch of the sample."""
_MOST_CHUNKS = 400


def point_table(game: Game) -> np.ndarray:
    """Points of each three cards [52, 52, 52]; 0 for cards that are not in the deck."""
    return _point_table(str(game))


@lru_cache(maxsize=4)
def _point_table(text: str) -> np.ndarray:
    game = load(text)
    table = np.zeros((52, 52, 52), np.int8)
    for cards in combinations(cards_of(int(game.tables.rules[0]["deck"])), HAND):
        for order in permutations(cards):
            table[order] = points_of(game, cards)
    return table


def completions(known: Sequence[int], left: Sequence[int]) -> np.ndarray:
    """Every whole hand [ways, 3] that begins with the known cards, the rest taken from `left`."""
    missing = HAND - len(known)
    return np.array([[*known, *rest] for rest in combinations(left, missing)], np.int64)


def distribution(game: Game, known: Sequence[int], left: Sequence[int]) -> Document:
    """How many of the whole hands with these cards have how many points."""
    hands = completions(known, left)
    points, ways = np.unique(point_table(game)[tuple(hands.T)], return_counts=True)
    rows = [
        {"points": int(p), "ways": int(n), "chance": float(n / len(hands))}
        for p, n in zip(points, ways, strict=True)
    ]
    return {"hands": len(hands), "mean": float((points * ways).sum() / len(hands)), "points": rows}


def chances(
    game: Game,
    holdings: Sequence[Sequence[int]],
    left: Sequence[int],
    seconds: float,
    samples: int | None,
    seed: int,
) -> Document:
    """For each holding of 0 to 3 known cards: to have the best score alone, or tied, and its share.

    Exact where the ways are few enough, else a sample. `left` are the cards nobody is known to
    hold.
    """
    missing = [HAND - len(cards) for cards in holdings]
    if prod(_ways(missing, len(left))[:-1]) <= MAX_COMPLETIONS:
        sums, deals = _all_deals(game, holdings, left)
        mean, error, sampled = sums / deals, np.zeros_like(sums), 0
    else:
        sample = _sample(game, holdings, left, seconds, samples, seed)
        mean, error = mean_and_error(sample.sums, sample.deals)
        sampled = deals = sample.total
    rows = [
        {
            name: estimate(mean[seat, field], error[seat, field], sampled)
            for name, field in (("win", WIN), ("tie", TIE), ("share", SHARE))
        }
        for seat in range(len(holdings))
    ]
    return {
        "exact": not sampled,
        "deals": deals,
        "how": how(sampled, float(error[0, SHARE]), f"exact, over {deals:,} deals"),
        "rows": rows,
    }


def _ways(missing: Sequence[int], left: int) -> list[int]:
    """Ways to complete each hand after those before it, the hand with most to come last."""
    ways = []
    for cards in sorted(missing):
        ways.append(comb(left, cards))
        left -= cards
    return ways


def _add(points: np.ndarray, sums: np.ndarray) -> None:
    """Add deals with these points [seats, deals] to sums [seats, 3]."""
    best = points == points.max(axis=0)
    winners = best.sum(axis=0)
    sums[:, WIN] += (best & (winners == 1)).sum(axis=1)
    sums[:, TIE] += (best & (winners > 1)).sum(axis=1)
    sums[:, SHARE] += (best / winners).sum(axis=1)


def _all_deals(
    game: Game, holdings: Sequence[Sequence[int]], left: Sequence[int]
) -> tuple[np.ndarray, int]:
    """Sums over all ways to complete the hands, and how many there are."""
    table = point_table(game)
    order = sorted(range(len(holdings)), key=lambda seat: HAND - len(holdings[seat]))
    last = order[-1]
    hands = completions(holdings[last], left)
    own = table[tuple(hands.T)]
    taken = (np.uint64(1) << hands[:, len(holdings[last]) :].astype(np.uint64)).sum(
        axis=1, dtype=np.uint64
    )
    sums, deals = np.zeros((len(holdings), 3)), 0
    for known in _completed([holdings[seat] for seat in order[:-1]], left):
        gone = np.uint64(sum(1 << card for hand in known for card in hand))
        fits = taken & gone == 0
        points = np.empty((len(holdings), int(fits.sum())), np.int64)
        for seat, hand in zip(order, known, strict=False):
            points[seat] = table[hand]
        points[last] = own[fits]
        _add(points, sums)
        deals += points.shape[1]
    return sums, deals


def _completed(
    holdings: Sequence[Sequence[int]], left: Sequence[int]
) -> Iterator[list[tuple[int, ...]]]:
    """Every way to complete all of these hands."""
    if not holdings:
        yield []
        return
    for rest in combinations(left, HAND - len(holdings[0])):
        others = [card for card in left if card not in rest]
        for more in _completed(holdings[1:], others):
            yield [(*holdings[0], *rest), *more]


def _sample(
    game: Game,
    holdings: Sequence[Sequence[int]],
    left: Sequence[int],
    seconds: float,
    samples: int | None,
    seed: int,
) -> Sample:
    """Random deals until the time is up."""
    luck = np.random.default_rng(seed)
    table, cards = point_table(game), np.array(left)
    needed = sum(HAND - len(known) for known in holdings)
    end = time.monotonic() + seconds
    batches: list[np.ndarray] = []
    while len(batches) < 4 or (
        time.monotonic() < end and len(batches) < _MOST_CHUNKS and not _enough(batches, samples)
    ):
        drawn = luck.permuted(np.tile(cards, (CHUNK, 1)), axis=1)[:, :needed]
        points, start = np.empty((len(holdings), CHUNK), np.int64), 0
        for seat, known in enumerate(holdings):
            end_of = start + HAND - len(known)
            hand = [np.full(CHUNK, card) for card in known] + list(drawn[:, start:end_of].T)
            points[seat], start = table[tuple(hand)], end_of
        sums = np.zeros((len(holdings), 3))
        _add(points, sums)
        batches.append(sums)
    return Sample(np.array(batches), CHUNK)


def _enough(batches: Sequence[np.ndarray], samples: int | None) -> bool:
    return samples is not None and len(batches) * CHUNK >= samples
