"""Showdowns of all hands at once, against looking at every pair of hands."""

from __future__ import annotations

import sys
from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pytest

from pokerspiel.games.deals import Hands
from pokerspiel.games.variants import load
from pokerspiel.solvers.hand_matrices import HandMatrices, chances_against_one
from pokerspiel.solvers.hand_sums import LANES, hand_sums, pairs_of_hands, sweep
from pokerspiel.solvers.joint import pair_chances
from pokerspiel.solvers.layout import aligned, padded
from tests.small_decks import chain_of

DECKS = (
    "svara(hole_cards=1,ranks=789A)",
    "svara(hole_cards=1,ranks=7QKA,suits=ch)",
    "svara(hole_cards=2,ranks=789A,suits=cds)",
    "svara(hole_cards=2,ranks=TJQ,suits=hs)",
    "svara(hole_cards=3,ranks=78A,suits=chs)",
    "svara(hole_cards=3,ranks=7A)",
)
Payments = tuple[np.ndarray, np.ndarray, np.ndarray]
"""[C, 8] each: what a hand pays to those that it beats, ties, loses to."""


def hands_of(game: str) -> Hands:
    return chain_of(game).hands


def random_payments(hands: Hands, seed: int, flat: bool) -> Payments:
    draw = np.random.default_rng(seed)
    lose, tie, win = draw.normal(size=(3, hands.classes, LANES))
    return (lose, lose, lose) if flat else (lose, tie, win)


def swept(hands: Hands, payments: Payments, flat: bool) -> np.ndarray:
    """[C, 8]: what the sweep gives; nothing is paid where the arrays are padded."""
    lose, tie, win = payments
    columns = [aligned(np.full(padded(hands.classes) * LANES, 9.0)) for _ in range(3)]
    for column, values in zip(columns, (lose, tie - lose, win - tie), strict=True):
        column[: hands.classes * LANES] = values.ravel()
    sums = hand_sums(hands)
    sweep(sums, flat, *columns, aligned(np.zeros(sums.kinds * LANES)))
    assert not columns[0][hands.classes * LANES :].any()
    return columns[0][: hands.classes * LANES].reshape(-1, LANES)


def of_all_pairs(hands: Hands, payments: Payments) -> np.ndarray:
    """[C, 8]: the same, one pair of hands after the other."""
    out = np.zeros((hands.classes, LANES))
    together = [frozenset(cards) for cards in hands.all_cards.tolist()]
    classes = hands.hand_class.tolist()
    pairs = 0
    for mine, a in zip(together, classes, strict=True):
        for theirs, b in zip(together, classes, strict=True):
            if not mine & theirs:
                order = np.sign(hands.score[a] - hands.score[b])
                out[a] += payments[1 + order][b]
                pairs += 1
    return out / pairs


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("game", DECKS)
def test_a_sweep_is_the_sum_over_all_pairs_of_hands(game: str, flat: bool) -> None:
    hands = hands_of(game)
    payments = random_payments(hands, 1, flat)
    assert swept(hands, payments, flat) == pytest.approx(of_all_pairs(hands, payments), abs=1e-12)


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("game", [*DECKS, "svara"])
def test_matrices_give_what_sweeps_give(game: str, flat: bool) -> None:
    hands = hands_of(game)
    payments = random_payments(hands, 2, flat)
    lose, tie, win = payments
    matrices = HandMatrices(hands)
    found = matrices.values(lose) if flat else matrices.values(lose, tie - lose, win - tie)
    assert matrices.buckets == hands.classes
    assert np.abs(found - swept(hands, payments, flat)).max() < 1e-12


def test_matrices_of_buckets_add_up_those_of_their_classes() -> None:
    """Where all classes of a bucket pay the same."""
    hands = hands_of("svara")
    game = load("svara")
    for abstraction in ("points", "blockers", "hands"):
        bucket = game.family.bucket_of_class(hands, abstraction)
        lumped = HandMatrices(hands, bucket)
        assert lumped.buckets == bucket.max() + 1 == len(np.unique(bucket))
        by_bucket = np.random.default_rng(3).normal(size=(3, lumped.buckets, LANES))
        by_class = swept(hands, tuple(by_bucket[:, bucket]), flat=False)
        expected = np.zeros((lumped.buckets, LANES))
        np.add.at(expected, bucket, by_class)
        lose, tie, win = by_bucket
        assert np.abs(lumped.values(lose, tie - lose, win - tie) - expected).max() < 1e-12


def test_the_chances_of_all_pairs_add_up_to_one() -> None:
    hands = hands_of("svara")
    ones = np.ones((hands.classes, LANES))
    assert swept(hands, (ones, ones, ones), flat=True).sum(axis=0) == pytest.approx(1.0, abs=1e-12)


def test_the_chance_of_a_tie_heads_up_is_that_of_the_rules() -> None:
    hands = hands_of("svara")
    ties = pair_chances(hands) * (hands.score[:, None] == hands.score[None, :])
    pairs = round(float(ties.sum()) * pairs_of_hands(hands))
    assert (pairs, pairs_of_hands(hands)) == (1_869_340, 18_123_840)
    nothing, ones = np.zeros((hands.classes, LANES)), np.ones((hands.classes, LANES))
    chance = swept(hands, (nothing, ones, nothing), flat=False).sum(axis=0)
    expected = float(Fraction(1_869_340, 18_123_840))
    assert chance == pytest.approx(np.full(LANES, expected), abs=1e-14)


def test_a_device_gives_the_same_values_or_is_refused_without_torch() -> None:
    hands = hands_of("mini_svara")
    weights = np.random.default_rng(4).normal(size=(3, hands.classes, LANES))
    if find_spec("torch") is None:
        with pytest.raises(ValueError, match="needs torch, which is not installed"):
            HandMatrices(hands, device="cpu")
    else:
        expected = HandMatrices(hands).values(*weights)
        assert np.abs(HandMatrices(hands, device="cpu").values(*weights) - expected).max() < 1e-12


@pytest.mark.parametrize("game", DECKS)
def test_the_chances_against_a_random_hand_are_those_of_enumeration(game: str) -> None:
    hands = hands_of(game)
    win, tie = chances_against_one(hands)
    scores = hands.score[hands.hand_class]
    for number, cards in enumerate(hands.cards.tolist()):
        apart = [not set(cards) & set(other) for other in hands.all_cards.tolist()]
        order = np.sign(hands.score[number] - scores[apart])
        assert win[number] == pytest.approx((order > 0).mean(), abs=1e-12)
        assert tie[number] == pytest.approx((order == 0).mean(), abs=1e-12)


def test_a_device_needs_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ValueError, match="needs torch, which is not installed") as error:
        HandMatrices(hands_of("mini_svara"), device="cuda")
    assert "\n" not in str(error.value)
