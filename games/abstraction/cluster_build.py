"""Building centres: sample hands at every moment, compute their features, and run k-means on them.

First the percentiles of the draw half are found: among random hands, then, twice, among hands that
have drawn by the best outlook, as everybody is taken to do. Then hands are dealt to the end, each
seen once at every moment, and k-means (k-means++ with restarts) runs for each moment apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pokerspiel.games.abstraction.cluster_file import DEAL, Centres, check_name, fill_outlook
from pokerspiel.games.abstraction.clusters import (
    CANDIDATES,
    DRAW,
    FACE_UP_SAMPLES,
    FEATURES,
    FEW_SAMPLES,
    FLOP,
    KEEP,
    MAX_BUCKETS,
    MOMENTS,
    PREFLOP,
    RIVER,
    SAMPLES,
    TURN,
    best_discard,
    candidate,
    candidates,
    draw_features,
    flop_features,
    keep_features,
    look_ahead,
    look_at_face_up,
    preflop_features,
    river_features,
    turn_features,
    value_of,
)
from pokerspiel.games.abstraction.outlook import (
    MAX_CARDS,
    STRENGTHS,
    Sight,
    board_to_come,
    draw_percentile,
    new_outlook,
    run_outs,
    sampled_percentile,
    take_card,
)
from pokerspiel.games.cards import insert_card, popcount
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import draw_rank
from pokerspiel.games.kernel import mix, random_below, random_unit
from pokerspiel.games.variants import Game

PERCENTILE_HANDS = 20_000
"""Hands whose strengths make up the percentiles of the draw half."""
PASSES = 3
OTHER_DRAWS = 0.2
"""Share of the sampled hands that draw another way than the best: bots must know these too."""
_CHUNK = 100

OnProgress = Callable[[str, float], None]
"""Called with what is being done, and the share of it that is done."""


def build(
    game: Game,
    buckets: Mapping[str, int],
    samples: int,
    restarts: int,
    seed: int,
    name: str,
    on_progress: OnProgress | None = None,
) -> Centres:
    """Centres for games that are dealt like `game`, with so many `buckets` at each of MOMENTS.

    Raises ValueError, one line that names the value, if a number cannot be right.
    """
    check_name(name)
    for moment in MOMENTS:
        if not 1 <= buckets[moment] <= min(MAX_BUCKETS, samples):
            raise ValueError(
                f"{buckets[moment]} buckets for the {moment}: expected 1 to "
                f"{min(MAX_BUCKETS, samples)}, with {samples:,} samples"
            )
    if restarts < 1:
        raise ValueError(f"restarts={restarts} is not allowed: expected 1 or more")
    report = on_progress or (lambda what, share: None)
    tables = game.with_parameters(abstraction="none").tables
    draw_percentile = _percentiles(tables.rules, game, seed, report)
    found, _ = sample_hands(tables.rules, samples, seed, report)
    centres, errors = [], {}
    for i, moment in enumerate(MOMENTS):
        report(f"k-means, {moment}", i / len(MOMENTS))
        points = found[i][np.isfinite(found[i]).all(axis=1)]
        some, errors[moment] = _k_means(points, buckets[moment], restarts, seed)
        centres.append(some)
    about = {"samples": samples, "restarts": restarts, "seed": seed, "distance": errors}
    deal = {parameter: game.parameters[parameter] for parameter in DEAL}
    return Centres(name, deal, tuple(centres), draw_percentile, about)


def _percentiles(rules: np.ndarray, game: Game, seed: int, report: OnProgress) -> np.ndarray:
    """The percentile of each strength of the draw half, ties counted half."""
    percentile = np.zeros(STRENGTHS, np.float32)
    strengths = np.zeros(PERCENTILE_HANDS, np.int64)
    for turn in range(PASSES):
        for first in range(0, PERCENTILE_HANDS, _CHUNK):
            report("percentiles", (turn + first / PERCENTILE_HANDS) / PASSES)
            part = strengths[first : first + _CHUNK]
            _final_strengths(rules, np.uint64(seed), first, turn > 0, part)
        ordered = np.sort(strengths)
        below = np.searchsorted(ordered, np.arange(STRENGTHS), side="left")
        up_to = np.searchsorted(ordered, np.arange(STRENGTHS), side="right")
        percentile = ((below + up_to) / (2 * PERCENTILE_HANDS)).astype(np.float32)
        fill_outlook(rules, game.parameters, percentile)
    return percentile


def sample_hands(
    rules: np.ndarray,
    hands: int,
    seed: int,
    report: OnProgress | None = None,
    *,
    first: int = 0,
    deals: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Features [MOMENTS, hands, FEATURES] float32 of random hands, and what these are worth.

    That is [MOMENTS, hands, 2]: the percentiles of both halves over so many `deals` of the cards to
    come, other ones than the features are from; without deals it is left 0. Features are NaN where
    a hand did not meet the moment. Hands are numbered, from `first` on.
    """
    found = np.full((len(MOMENTS), hands, FEATURES), np.nan, np.float32)
    worth = np.zeros((len(MOMENTS), hands, 2))
    for done in range(0, hands, _CHUNK):
        if report is not None:
            report("hands", done / hands)
        part = slice(done, done + _CHUNK)
        _sample(rules, np.uint64(seed), first + done, deals, found[:, part], worth[:, part])
    return found, worth


def _k_means(
    points: np.ndarray, buckets: int, restarts: int, seed: int
) -> tuple[np.ndarray, float]:
    """(Centres ordered by their first feature, root mean square distance of the points)."""
    from sklearn.cluster import KMeans  # type: ignore[import-untyped]

    different = len(np.unique(points, axis=0))
    if different == 0:
        return np.zeros((1, FEATURES), np.float32), 0.0
    model = KMeans(
        min(buckets, different), n_init=restarts, random_state=seed % (1 << 32), max_iter=100
    )
    model.fit(points)
    centres = model.cluster_centers_.astype(np.float32)
    order = np.lexsort(centres.T[::-1])
    return np.ascontiguousarray(centres[order]), float(np.sqrt(model.inertia_ / len(points)))


# Dealing.


@kernel
def _deal_hand(game: Any, random: Any, hand: Any, board: Any) -> Any:
    """Deal a hand, sorted, and a full board; returns the cards left."""
    left = np.uint64(game.deck)
    for i in range(board_to_come(game)):
        board[i] = take_card(random, left)
        left &= ~(np.uint64(1) << np.uint64(board[i]))
    for i in range(game.hole_cards):
        card = take_card(random, left)
        left &= ~(np.uint64(1) << np.uint64(card))
        insert_card(hand, i, card)
    return left


@kernel
def _taken(hand: Any, n: int, board: Any, board_count: int) -> Any:
    seen = np.uint64(0)
    for i in range(n):
        seen |= np.uint64(1) << np.uint64(hand[i])
    for i in range(board_count):
        seen |= np.uint64(1) << np.uint64(board[i])
    return seen


@kernel
def _draw(random: Any, hand: Any, n: int, left: Any, discard: int) -> Any:
    """Draw in `hand`, the new cards last; returns the cards left."""
    kept = 0
    for i in range(n):
        if not discard >> i & 1:
            hand[kept] = hand[i]
            kept += 1
    for i in range(kept, n):
        hand[i] = take_card(random, left)
        left &= ~(np.uint64(1) << np.uint64(hand[i]))
    return left


@kernel
def _is_shown(game: Any, discard: int) -> Any:
    """Whether the card drawn lies face up and may be rejected."""
    return popcount(discard) == 1 and game.one_card_face_up


@kernel
def _keeps(out: Any, n: int) -> Any:
    """Whether keeping the face-up card promises as much as rejecting it."""
    return value_of(out, 0) >= value_of(out, 1 << (n - 1))


@kernel(allocates=True)
def _final_strengths(rules: Any, seed: int, first: int, draws: bool, strengths: Any) -> None:
    """Write the strengths of the draw half of random hands, drawn by the best outlook or not."""
    game = rules[0]
    random = np.zeros(1, np.uint64)
    hand, board = np.zeros(MAX_CARDS, np.uint8), np.zeros(MAX_CARDS, np.uint8)
    out = new_outlook()
    flop, n = np.int64(game.street_cards[1]), np.int64(game.hole_cards)
    for k in range(len(strengths)):
        random[0] = mix(seed, np.uint64(first + k))
        left = _deal_hand(game, random, hand, board)
        if draws:
            seen = _taken(hand, n, board, flop)
            look_ahead(game, Sight(hand, board, flop, seen), SAMPLES, 0, out)
            discard = best_discard(game, out)
            left = _draw(random, hand, n, left, discard)
            if _is_shown(game, discard):
                seen |= _taken(hand, n, board, flop)
                look_at_face_up(game, Sight(hand, board, flop, seen), FACE_UP_SAMPLES, 0, out)
                if not _keeps(out, n):
                    hand[n - 1] = take_card(random, left)
        strengths[k] = draw_rank(game.hands, hand, game.hole_cards, game.draw_half)


@kernel(allocates=True)
def _sample(rules: Any, seed: int, first: int, deals: int, found: Any, worth: Any) -> None:
    """Deal random hands to the end, each seen once at every moment: see `sample_hands`."""
    game = rules[0]
    random = np.zeros(1, np.uint64)
    hand, board = np.zeros(MAX_CARDS, np.uint8), np.zeros(MAX_CARDS, np.uint8)
    features = np.zeros(FEATURES)
    out = new_outlook()
    flop, full = np.int64(game.street_cards[1]), np.int64(board_to_come(game))
    n = np.int64(game.hole_cards)
    for k in range(found.shape[1]):
        random[0] = mix(mix(seed, np.uint64(first + k)), np.uint64(2))
        left = _deal_hand(game, random, hand, board)
        sight = Sight(hand, board, np.int64(0), _taken(hand, n, board, 0))
        look_ahead(game, sight, FEW_SAMPLES, 0, out)
        preflop_features(game, out, features)
        found[PREFLOP, k] = features
        if deals > 0:
            look_ahead(game, sight, deals, 1, out)
            _write_worth(out, best_discard(game, out), worth[PREFLOP, k])

        sight = Sight(hand, board, flop, _taken(hand, n, board, flop))
        look_ahead(game, sight, SAMPLES, 0, out)
        flop_features(game, out, features)
        found[FLOP, k] = features
        packed = candidates(game, out)
        draw_features(game, out, packed, features)
        found[DRAW, k] = features
        discard = _some_discard(game, random, out, packed)
        if deals > 0:
            look_ahead(game, sight, deals, 1, out)
            for moment in (FLOP, DRAW):
                _write_worth(out, best_discard(game, out), worth[moment, k])

        left = _draw(random, hand, n, left, discard)
        seen = sight.seen | _taken(hand, n, board, flop)
        if _is_shown(game, discard):
            sight = Sight(hand, board, flop, seen)
            look_at_face_up(game, sight, FACE_UP_SAMPLES, 0, out)
            keep_features(game, out, features)
            found[KEEP, k] = features
            keeps = _keeps(out, n)
            if deals > 0:
                look_at_face_up(game, sight, deals, 1, out)
                _write_worth(out, 0 if _keeps(out, n) else 1 << (n - 1), worth[KEEP, k])
            if not keeps:
                hand[n - 1] = take_card(random, left)

        if full > flop:
            seen |= _taken(hand, n, board, full - 1)
            sight = Sight(hand, board, full - 1, seen)
            features[:] = 0.0
            turn_features(game, sight, features)
            found[TURN, k] = features
            if deals > 0:
                run_outs(game, sight, 1, deals, 1, out)
                _write_worth(out, 0, worth[TURN, k])

        features[:] = 0.0
        river_features(game, Sight(hand, board, full, seen), features)
        found[RIVER, k] = features
        if deals > 0:
            worth[RIVER, k, 0] = draw_percentile(game, hand, n)
            worth[RIVER, k, 1] = sampled_percentile(game, hand, board, full, deals)


@kernel
def _some_discard(game: Any, random: Any, out: Any, packed: int) -> Any:
    """The best discard, or now and then another one that is offered."""
    discard = np.int64(best_discard(game, out))
    if random_unit(random) < OTHER_DRAWS:
        discard = np.int64(candidate(packed, random_below(random, len(CANDIDATES))))
    return discard


@kernel
def _write_worth(out: Any, discard: int, worth: Any) -> None:
    worth[0] = out.draw[discard]
    worth[1] = out.omaha[discard]
