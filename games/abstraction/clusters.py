"""The abstraction `clusters` of the Sviten games: hands by the nearest of frozen centres.

At each moment of decision a hand has `FEATURES` numbers, computed on the fly from what its player
sees (`outlook.py`), in two dimensions throughout, since the halves of a pot are won separately:

| moment | features |
|---|---|
| preflop | draw half at best, as held; Omaha half as held, after the best discard; mean; spread |
| flop | of the best discard: both percentiles, product, spread of the outcome; both as held |
| draw | both percentiles of the best discard; what the best of 0, 1, 2, 3+ cards falls behind |
| keep | both percentiles when the face-up card is kept (and product), when it is rejected; gain |
| turn | draw half; mean, spread and share above 0.9 of the Omaha half's percentile on the river |
| river | percentile of both halves; whether the hand blocks the best flush or full house |

The bucket is the nearest centre (k-means, frozen in a file with a content hash). What else an
information set keeps is described in `sviten/buckets.py`.

Of the discards it offers a handful, `CANDIDATES`: the best of each number of cards by the mean of
both halves, and the best for each half alone. One choice thus means the same in all hands, and what
everybody sees of most of them is the same too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.abstraction.outlook import (
    DISCARDS,
    MAX_CARDS,
    Sight,
    draw_percentile,
    new_outlook,
    omaha_percentile,
    river_levels,
    run_outs,
)
from pokerspiel.games.cards import popcount
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import suit_of_flush

VERSION = 1
MOMENTS = ("preflop", "flop", "draw", "keep", "turn", "river")
PREFLOP, FLOP, DRAW, KEEP, TURN, RIVER = range(len(MOMENTS))
FEATURES = 6
MAX_BUCKETS = 2046
"""The buckets of a moment must fit into the last bits of a key."""
KEY_CLASS = 2047
MEMO = 1 << 16
"""Answers that are remembered, by a hash of the cards."""
FEW_SAMPLES, SAMPLES, FACE_UP_SAMPLES = 24, 32, 64
"""Deals of the cards to come: before the flop, on the flop, and for a card that lies face up."""
BY_MEAN, BY_DRAW, BY_OMAHA = range(3)
CANDIDATES = (
    (BY_MEAN, 0, 0),
    (BY_MEAN, 1, 1),
    (BY_MEAN, 2, 2),
    (BY_MEAN, 3, 5),
    (BY_DRAW, 0, 5),
    (BY_OMAHA, 0, 5),
)
"""The discards that are offered: the best by a number, of so many cards at least and at most."""
BY_COUNT = 4
"""Those at the beginning that divide all discards by their number of cards."""
FAR_BEHIND = 0.5
"""How far a choice falls behind that there is not."""
BLOCKER = 0.15
"""Weight of a blocker beside the percentiles."""

CLUSTERS = np.dtype(
    [
        ("sizes", np.int32, (len(MOMENTS),)),
        ("centres", np.float32, (len(MOMENTS), FEATURES, MAX_BUCKETS)),
        ("memo", np.uint64, (MEMO,)),
    ],
    align=True,
)


# Features.


@kernel
def value_of(out: Any, discard: int) -> Any:
    """The mean of both percentiles after a discard."""
    return 0.5 * (out.draw[discard] + out.omaha[discard])


@kernel
def _spread(out: Any, discard: int) -> Any:
    value = value_of(out, discard)
    return np.sqrt(max(out.square[discard] - value * value, 0.0))


@kernel
def _most(numbers: Any, wanted: int, n: int) -> int:
    """The discard of `wanted` with the highest number, the one of fewest cards among equals."""
    best = -1
    for discard in range(1 << n):
        if wanted >> discard & 1 and (
            best < 0
            or numbers[discard] > numbers[best]
            or (numbers[discard] == numbers[best] and popcount(discard) < popcount(best))
        ):
            best = discard
    return best


@kernel
def _legal_between(game: Any, fewest: int, most: int) -> Any:
    """The legal discards of so many cards, as a set of masks."""
    wanted = 0
    for discard in range(1 << game.hole_cards):
        if fewest <= popcount(discard) <= min(most, game.max_discards):
            wanted |= 1 << discard
    return wanted


@kernel(allocates=True)
def look_ahead(game: Any, sight: Any, samples: int, stream: int, out: Any) -> None:
    """`run_outs` of all legal discards; of one card with the right to reject it, in the draw half.

    There the mean is that over all cards that may come, of the better of the card and another one.
    The product and the square with the other half move as if that gain came in all deals alike.
    """
    run_outs(game, sight, _legal_between(game, 0, MAX_CARDS), samples, stream, out)
    if game.max_discards > 0:
        hand, values = np.zeros(MAX_CARDS, np.uint8), np.zeros(52)
        for place in range(np.int64(game.hole_cards)):
            _shift_draw(out, 1 << place, _one_card_drawn(game, sight, place, hand, values))


@kernel
def _one_card_drawn(game: Any, sight: Any, place: int, hand: Any, values: Any) -> float:
    """Mean percentile of the draw half after drawing one card at a place, and perhaps another."""
    n = np.int64(game.hole_cards)
    for i in range(n):
        hand[i] = sight.hand[i]
    total, count = 0.0, 0
    for card in range(52):
        if (game.deck & ~sight.seen) >> np.uint64(card) & np.uint64(1):
            hand[place] = card
            values[count] = draw_percentile(game, hand, n)
            total += values[count]
            count += 1
    if not game.one_card_face_up:
        return total / count
    drawn = 0.0
    for k in range(count):
        other = (total - values[k]) / max(count - 1, 1)
        drawn += max(values[k], other) / count
    return drawn


@kernel
def _shift_draw(out: Any, discard: int, draw: float) -> None:
    """Replace the mean of the draw half, as if it had been more or less by that in every deal."""
    gain = draw - out.draw[discard]
    out.square[discard] += gain * value_of(out, discard) + 0.25 * gain * gain
    out.both[discard] += gain * out.omaha[discard]
    out.draw[discard] = draw


@kernel(allocates=True)
def best_discard(game: Any, out: Any) -> Any:
    """The legal discard with the best mean of both halves."""
    values = np.zeros(DISCARDS)
    for discard in range(1 << game.hole_cards):
        values[discard] = value_of(out, discard)
    return _most(values, _legal_between(game, 0, MAX_CARDS), game.hole_cards)


@kernel(allocates=True)
def candidates(game: Any, out: Any) -> Any:
    """The discards that are offered, `MAX_CARDS` bits each, in the order of CANDIDATES.

    All hands are offered as many, so that some discards are offered twice; where there is none of a
    kind, no card is thrown away.
    """
    n = np.int64(game.hole_cards)
    numbers = np.zeros((3, DISCARDS))
    for discard in range(1 << n):
        numbers[BY_MEAN, discard] = value_of(out, discard)
        numbers[BY_DRAW, discard] = out.draw[discard]
        numbers[BY_OMAHA, discard] = out.omaha[discard]
    packed = 0
    for choice in range(len(CANDIDATES)):
        number, fewest, most = CANDIDATES[choice]
        best = _most(numbers[number], _legal_between(game, fewest, most), n)
        packed |= max(best, 0) << (MAX_CARDS * choice)
    return packed


@kernel
def candidate(packed: int, choice: int) -> Any:
    """The discard of a choice."""
    return packed >> (MAX_CARDS * choice) & (DISCARDS - 1)


@kernel
def preflop_features(game: Any, out: Any, features: Any) -> None:
    """Features before the flop, from the outlook on random boards."""
    wanted, n = _legal_between(game, 0, MAX_CARDS), game.hole_cards
    best = best_discard(game, out)
    features[0] = out.draw[_most(out.draw, wanted, n)]
    features[1] = out.draw[0]
    features[2] = out.omaha[0]
    features[3] = value_of(out, best)
    features[4] = _spread(out, best)
    features[5] = out.omaha[best]


@kernel
def flop_features(game: Any, out: Any, features: Any) -> None:
    best = best_discard(game, out)
    features[0] = out.draw[best]
    features[1] = out.omaha[best]
    features[2] = out.both[best]
    features[3] = _spread(out, best)
    features[4] = out.draw[0] * 0.5
    features[5] = out.omaha[0] * 0.5


@kernel
def draw_features(game: Any, out: Any, packed: int, features: Any) -> None:
    best = best_discard(game, out)
    features[0] = out.draw[best]
    features[1] = out.omaha[best]
    for choice in range(BY_COUNT):
        _, fewest, most = CANDIDATES[choice]
        behind = FAR_BEHIND
        discard = candidate(packed, choice)
        if fewest <= popcount(discard) <= most:
            behind = min(value_of(out, best) - value_of(out, discard), FAR_BEHIND)
        features[2 + choice] = 2.0 * behind


@kernel
def look_at_face_up(game: Any, sight: Any, samples: int, stream: int, out: Any) -> None:
    """`run_outs` of a whole hand whose last card lies face up: kept, or rejected."""
    wanted = 1 | 1 << (1 << (np.int64(game.hole_cards) - 1))
    run_outs(game, sight, wanted, samples, stream, out)


@kernel
def keep_features(game: Any, out: Any, features: Any) -> None:
    """Features of a face-up card, from `look_at_face_up`."""
    last = np.int64(game.hole_cards) - 1
    for i in range(2):
        discard = 0 if i == 0 else 1 << last
        features[2 * i] = out.draw[discard]
        features[2 * i + 1] = out.omaha[discard]
    features[4] = out.both[0]
    features[5] = value_of(out, 0) - value_of(out, 1 << last)


@kernel
def turn_features(game: Any, sight: Any, features: Any) -> None:
    mean, square, high = river_levels(game, sight)
    features[0] = draw_percentile(game, sight.hand, game.hole_cards)
    features[1] = mean
    features[2] = np.sqrt(max(square - mean * mean, 0.0))
    features[3] = 0.5 * high


@kernel
def river_features(game: Any, sight: Any, features: Any) -> None:
    hand, board, board_count = sight.hand, sight.board, sight.board_count
    features[0] = draw_percentile(game, hand, game.hole_cards)
    features[1] = omaha_percentile(game, hand, board, board_count)
    features[2] = BLOCKER * _blocks(game, hand, board, board_count)


@kernel
def _blocks(game: Any, hole: Any, board: Any, board_count: int) -> float:
    """Half for the highest card of the flush suit held, half for a card of a paired rank."""
    blocks = 0.0
    suit = suit_of_flush(board, board_count)
    if suit >= 0:
        for rank in range(12, -1, -1):
            card = 4 * rank + suit
            if not _holds(board, board_count, card):
                if _holds(hole, game.hole_cards, card):
                    blocks += 0.5
                break
    for i in range(board_count):
        for j in range(i):
            if board[i] >> 2 == board[j] >> 2:
                for k in range(game.hole_cards):
                    if hole[k] >> 2 == board[i] >> 2:
                        return blocks + 0.5
    return blocks


@kernel
def _holds(cards: Any, n: int, card: int) -> bool:
    held = False
    for i in range(n):
        held |= cards[i] == card
    return held


@kernel(allocates=True)
def nearest(clusters: Any, moment: int, features: Any) -> Any:
    """The bucket: the centre at the least distance, the first one among equals."""
    n = np.int64(clusters.sizes[moment])
    distance = np.zeros(n, np.float32)
    for i in range(FEATURES):
        centres = clusters.centres[moment, i]
        feature = np.float32(features[i])
        for bucket in range(n):
            step = centres[bucket] - feature
            distance[bucket] += step * step
    return distance.argmin()


# One answer for one hand.

CARD_BITS = 6
BUCKET_BITS = 11
CANDIDATE_BITS = MAX_CARDS * len(CANDIDATES)


@kernel
def unpack(packed: int, n: int, cards: Any) -> None:
    """Write the first n of the cards in a word, CARD_BITS each."""
    for i in range(n):
        cards[i] = packed >> (CARD_BITS * i) & ((1 << CARD_BITS) - 1)


@kernel(allocates=True)
def classify(
    game: Any, packed_hand: int, packed_board: int, board_count: Any, seen: Any, moment: int
) -> Any:
    """The bucket at a moment of a whole hand (at KEEP its last card lies face up).

    On the flop and at the draw all that one look ahead tells: the bucket on the flop, then that at
    the draw, BUCKET_BITS each, and the candidates.
    """
    hand, board = np.zeros(MAX_CARDS, np.uint8), np.zeros(MAX_CARDS, np.uint8)
    unpack(packed_hand, game.hole_cards, hand)
    unpack(packed_board, board_count, board)
    sight = Sight(hand, board, board_count, seen)
    features = np.zeros(FEATURES)
    if moment == RIVER:
        river_features(game, sight, features)
        return nearest(game.clusters, RIVER, features)
    if moment == TURN:
        turn_features(game, sight, features)
        return nearest(game.clusters, TURN, features)
    out = new_outlook()
    if moment == KEEP:
        look_at_face_up(game, sight, FACE_UP_SAMPLES, 0, out)
        keep_features(game, out, features)
        return nearest(game.clusters, KEEP, features)
    look_ahead(game, sight, FEW_SAMPLES if moment == PREFLOP else SAMPLES, 0, out)
    if moment == PREFLOP:
        preflop_features(game, out, features)
        return nearest(game.clusters, PREFLOP, features)
    flop_features(game, out, features)
    flop = nearest(game.clusters, FLOP, features)
    packed = candidates(game, out)
    draw_features(game, out, packed, features)
    draw = nearest(game.clusters, DRAW, features)
    return flop | draw << BUCKET_BITS | packed << (2 * BUCKET_BITS)
