"""Strengths as a kind of hand, and as a place among random hands."""

import numpy as np
import pytest

from pokerspiel.games.cards import parse_cards
from pokerspiel.games.hands import (
    STRAIGHT_FLUSH,
    five_rank,
    flush_rank,
    hand_tables,
    high_rank,
)
from pokerspiel.games.sviten.levels import (
    FLUSH_EDGES,
    FLUSH_ENDS,
    HIGH_EDGES,
    HIGH_ENDS,
    KINDS,
    write_level,
)


def test_levels_of_high_hands_are_spread_evenly() -> None:
    random = np.random.default_rng(6)
    t, out = hand_tables(), np.zeros(10)
    places, kinds = [], np.zeros(KINDS)
    for _ in range(20_000):
        out[:] = 0.0
        strength = int(five_rank(t, *random.choice(52, 5, replace=False).tolist()))
        assert write_level(out, 0, strength, HIGH_ENDS[5], HIGH_EDGES[5]) == 10
        kinds += out[:KINDS]
        places.append(out[KINDS])
    spread = np.abs(np.sort(places) - (np.arange(len(places)) + 0.5) / len(places))
    assert spread.max() < 0.02
    assert kinds[:3] / kinds.sum() == pytest.approx([0.5012, 0.4226, 0.0475], abs=0.01)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("7c5d4h3s2c", 0), ("AcAdKhQsJc", 1), ("Ac5d4h3s2c", 4), ("KcQcJcTc9c", STRAIGHT_FLUSH)],
)
def test_kinds_of_high_hands(text: str, kind: int) -> None:
    out = np.zeros(10)
    strength = int(five_rank(hand_tables(), *parse_cards(text)))
    write_level(out, 0, strength, HIGH_ENDS[5], HIGH_EDGES[5])
    assert np.flatnonzero(out[:KINDS]).tolist() == [kind]


@pytest.mark.parametrize(("text", "length"), [("7c5d4h3s2c", 2), ("AcKc4c2c2h", 4), ("7c", 1)])
def test_kinds_of_flushes_are_their_lengths(text: str, length: int) -> None:
    out, cards = np.zeros(10), np.array(parse_cards(text), np.uint8)
    strength = int(flush_rank(hand_tables(), cards, len(cards)))
    write_level(out, 0, strength, FLUSH_ENDS, FLUSH_EDGES[len(cards)])
    assert np.flatnonzero(out[:KINDS]).tolist() == [length]
    assert 0.0 < out[KINDS] < 1.0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *(("Ac", 0), ("AcKd", 0), ("AcAd", 1), ("AcAdAh", 3), ("AcAdKhKs", 2), ("AcAdAhAs", 7)),
        *(("AcKdQhJs9c", 0), ("AcAdKhQsJc", 1), ("AcKcQcJc9c", 5), ("AcAdAhKsKc", 6)),
    ],
)
def test_the_best_hand_of_a_kind_ends_it(text: str, kind: int) -> None:
    cards = np.array(parse_cards(text), np.uint8)
    assert high_rank(hand_tables(), cards, len(cards)) == HIGH_ENDS[len(cards), kind]
