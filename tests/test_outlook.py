"""Percentiles of both halves, now and over the cards to come, against plain Python."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from pokerspiel.games.abstraction.boards import board_tables
from pokerspiel.games.abstraction.cluster_file import fill_outlook
from pokerspiel.games.abstraction.outlook import (
    ALL_DISCARDS,
    CUTS,
    DISCARDS,
    STRENGTHS,
    Sight,
    board_place,
    new_outlook,
    omaha_percentile,
    river_levels,
    run_outs,
)
from pokerspiel.games.cards import mask_of, parse_cards
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import hand_tables, omaha_rank
from pokerspiel.games.variants import Game, load

FLAT = (np.arange(STRENGTHS) / STRENGTHS).astype(np.float32)
"""Percentiles of the draw half that simply grow with the strength."""


def prepared(text: str) -> Game:
    game = load(text).with_parameters(abstraction="none")
    fill_outlook(game.tables.rules, game.parameters, FLAT)
    return game


@kernel
def _omaha_percentile(rules: Any, hand: Any, board: Any, size: int) -> float:
    return omaha_percentile(rules[0], hand, board, size)


@kernel
def _run_outs(
    rules: Any,
    hand: Any,
    board: Any,
    size: int,
    seen: Any,
    wanted: int,
    samples: int,
    stream: int,
    out: Any,
) -> None:
    run_outs(rules[0], Sight(hand, board, np.int64(size), seen), wanted, samples, stream, out)


@kernel
def _river_levels(rules: Any, hand: Any, board: Any, seen: Any) -> tuple[float, float, float]:
    return river_levels(rules[0], Sight(hand, board, np.int64(4), seen))


def cards(text: str) -> np.ndarray:
    return np.array(parse_cards(text), np.uint8)


def padded(text: str) -> np.ndarray:
    found = parse_cards(text)
    return np.array([*found, *[0] * (5 - len(found))], np.uint8)


def percentile_among(hand: np.ndarray, board: np.ndarray, others: int, seed: int) -> float:
    """Share of random hands that a hand beats on a board, ties counted half."""
    luck = np.random.default_rng(seed)
    tables = hand_tables()
    left = [card for card in range(52) if card not in board]
    own = omaha_rank(tables, hand, 5, board, 5, 2, 3)
    beaten = 0.0
    for _ in range(others):
        other = luck.choice(left, 5, replace=False).astype(np.uint8)
        rank = omaha_rank(tables, other, 5, board, 5, 2, 3)
        beaten += 1.0 if rank < own else 0.5 if rank == own else 0.0
    return beaten / others


# Boards.


def test_boards_up_to_an_exchange_of_suits_have_rows_of_their_own() -> None:
    row, cuts = board_tables()
    used = row[row > 0]
    assert len(np.unique(used)) == len(used) == len(cuts) - 1
    assert np.all(np.diff(cuts[1:].astype(int), axis=1) >= 0)


def test_every_board_has_a_row_and_suits_do_not_matter() -> None:
    row, _ = board_tables()
    luck = np.random.default_rng(0)
    tables = hand_tables()
    for _ in range(300):
        board = luck.choice(52, 5, replace=False).astype(np.uint8)
        place = int(board_place(tables, board))
        assert row[place] > 0
        suits = luck.permutation(4)
        other = np.array([4 * (card // 4) + suits[card % 4] for card in board], np.uint8)
        assert int(board_place(tables, luck.permutation(other))) == place


def test_the_flush_suit_tells_boards_apart() -> None:
    tables = hand_tables()
    texts = ("2h7hJhKd4s", "2h7hJdKh4s", "2h7dJsKd4c", "2h7hJhKh4s", "2h7hJhKh4h")
    places = {int(board_place(tables, cards(board))) for board in texts}
    assert len(places) == len(texts)


@pytest.mark.parametrize("board", ["2h7hJhKd4s", "2c2dKsKh9d", "8h9hTcJd2s", "AsKdQc7h2d"])
def test_omaha_percentile_is_that_among_random_hands(board: str) -> None:
    game = prepared("sviten_special")
    luck = np.random.default_rng(1)
    left = [card for card in range(52) if card not in parse_cards(board)]
    edges = np.array([0.0, *CUTS, 1.0])
    for _ in range(6):
        hand = luck.choice(left, 5, replace=False).astype(np.uint8)
        found = _omaha_percentile(game.tables.rules, hand, cards(board), 5)
        true = percentile_among(hand, cards(board), 3000, 2)
        place = int(np.searchsorted(edges, found)) - 1
        noise = 4 * np.sqrt(0.25 / 2000)
        assert edges[place] - noise <= true <= edges[place + 1] + noise, (hand, found, true)


def test_omaha_percentile_where_no_strengths_are_kept() -> None:
    game = prepared("sviten_special(hole_cards=1,omaha_hole=1,ranks=TJQKA)")
    assert not game.tables.rules["outlook"]["has_boards"][0]
    board = cards("AsAhKdQdJc")
    best = _omaha_percentile(game.tables.rules, padded("Ad"), board, 5)
    worst = _omaha_percentile(game.tables.rules, padded("Tc"), board, 5)
    assert worst < 0.5 < best


# Cards to come.


def test_run_outs_of_a_whole_board_are_the_hand_itself() -> None:
    game = prepared("sviten_special")
    hand, board = cards("AsAdKcKs9c"), cards("2h7h4cJdTs")
    out = new_outlook()
    seen = np.uint64(mask_of([*hand, *board]))
    _run_outs(game.tables.rules, hand, board, 5, seen, 1, 3, 0, out)
    assert out.omaha[0] == pytest.approx(_omaha_percentile(game.tables.rules, hand, board, 5))
    strength = game.family.draw_strength(game.tables, hand, 5)
    assert out.draw[0] == pytest.approx(FLAT[strength])
    assert out.both[0] == pytest.approx(out.draw[0] * out.omaha[0])


@pytest.mark.parametrize("text", ["sviten_special", "sviten_flush"])
def test_run_outs_are_means_over_random_deals(text: str) -> None:
    game = prepared(text)
    hand, board = cards("AsAdKsQs9c"), padded("2s7h4c")
    seen = np.uint64(mask_of([*hand, *parse_cards("2s7h4c")]))
    out = new_outlook()
    samples = 4000
    _run_outs(game.tables.rules, hand, board, 3, seen, ALL_DISCARDS, samples, 5, out)
    luck = np.random.default_rng(3)
    left = [card for card in range(52) if not int(seen) >> card & 1]
    for discard in (0, 0b10000, 0b01100, 0b11111):
        draws, omahas = [], []
        for _ in range(1200):
            new = luck.choice(left, 7, replace=False).astype(np.uint8)
            drawn = iter(new[2:])
            own = np.array(
                [next(drawn) if discard >> i & 1 else hand[i] for i in range(5)], np.uint8
            )
            full = np.array([*board[:3], *new[:2]], np.uint8)
            draws.append(FLAT[game.family.draw_strength(game.tables, own, 5)])
            omahas.append(_omaha_percentile(game.tables.rules, own, full, 5))
        for found, values in ((out.draw[discard], draws), (out.omaha[discard], omahas)):
            error = np.std(values) * np.sqrt(1 / 1200 + 1 / samples) + 1e-6
            assert abs(found - np.mean(values)) < 4 * error, (discard, found, np.mean(values))


def test_run_outs_do_what_is_wanted_only() -> None:
    game = prepared("sviten_special")
    hand, board = cards("AsAdKsQs9c"), padded("2s7h4c")
    seen = np.uint64(mask_of([*hand, *parse_cards("2s7h4c")]))
    some, everything = new_outlook(), new_outlook()
    _run_outs(game.tables.rules, hand, board, 3, seen, 1 | 1 << 16, 500, 0, some)
    _run_outs(game.tables.rules, hand, board, 3, seen, ALL_DISCARDS, 500, 0, everything)
    done = [discard for discard in range(DISCARDS) if some.draw[discard] > 0]
    assert done == [0, 16]
    assert some.draw[16] == pytest.approx(everything.draw[16], abs=0.06)


def test_river_levels_are_means_over_the_last_card() -> None:
    game = prepared("sviten_special")
    hand, board = cards("AsAdKcKs9c"), padded("2h7h4cJd")
    known = [*hand, *parse_cards("2h7h4cJd")]
    seen = np.uint64(mask_of(known))
    mean, square, high = _river_levels(game.tables.rules, hand, board, seen)
    values = []
    for card in range(52):
        if card not in known:
            full = np.array([*board[:4], card], np.uint8)
            values.append(_omaha_percentile(game.tables.rules, hand, full, 5))
    assert mean == pytest.approx(np.mean(values))
    assert square == pytest.approx(np.mean(np.square(values)))
    assert high == pytest.approx(np.mean(np.array(values) > 0.9))


def test_known_cards_never_come() -> None:
    """With all sevens known, a pair of sevens stays a pair."""
    game = prepared("sviten_special")
    hand, board = cards("7s7dAcKs2c"), padded("7h4cJd")
    seen = np.uint64(mask_of([*hand, *parse_cards("7h4cJd"), *parse_cards("7c")]))
    out = new_outlook()
    discard = 0b11100
    _run_outs(game.tables.rules, hand, board, 3, seen, 1 << discard, 300, 0, out)
    trips = [game.family.draw_strength(game.tables, cards("7s7d7cAhKd"), 5)]
    worst_trips = FLAT[trips[0]]
    pairs = [
        game.family.draw_strength(game.tables, np.array([*hand[:2], *rest], np.uint8), 5)
        for rest in list(combinations(parse_cards("AhKhQh3d5d6d"), 3))
    ]
    assert out.draw[discard] < worst_trips
    assert min(FLAT[pairs]) * 0.99 < out.draw[discard]
