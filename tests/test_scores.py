"""Means, intervals, bootstrap and the sequential test, against simulation and known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pokerspiel.agents.scores import (
    Score,
    Sprt,
    bootstrap_interval,
    bootstrap_means,
    by_player,
    player_scores,
    score_of,
    score_of_seats,
)


def test_the_interval_is_students_t() -> None:
    score = score_of(np.array([1.0, 2.0, 4.0]), 10.0)
    error = 10.0 * math.sqrt(7.0 / 3.0 / 3.0)
    assert score.mbb_per_hand == pytest.approx(70.0 / 3.0)
    assert score.width == pytest.approx(4.302653 * error, rel=1e-6)
    assert score_of(np.zeros(0)) == Score(None, None)
    assert score_of(np.array([3.0])) == Score(3.0, None)


def test_hands_of_their_own_cards_forget_what_hangs_together() -> None:
    random = np.random.default_rng(1)
    luck = random.normal(size=(2000, 1))
    values = np.hstack([luck, -luck]) + random.normal(scale=0.1, size=(2000, 2))
    paired, single = score_of(values.mean(axis=1)), score_of_seats(values)
    assert single.mbb_per_hand == pytest.approx(paired.mbb_per_hand)
    assert single.width is not None and paired.width is not None
    assert single.width / paired.width == pytest.approx(math.sqrt(1.01) / 0.1, rel=0.1)


def test_players_move_round_the_table() -> None:
    chips = np.arange(9.0).reshape(1, 3, 3)
    seats = by_player(chips)
    for player in range(3):
        for rotation in range(3):
            seat = (player + rotation) % 3
            assert seats[0, player, seat] == chips[0, rotation, seat]
    np.testing.assert_allclose(player_scores(chips)[0], [4.0, 4.0, 4.0])


def test_a_bootstrap_agrees_with_students_t_where_both_hold() -> None:
    values = np.random.default_rng(2).normal(3.0, 2.0, 5000)
    low, high = score_of(values).ci95 or (0.0, 0.0)
    again = bootstrap_interval(values)
    assert again is not None
    assert again == pytest.approx((low, high), abs=0.15 * (high - low))
    assert bootstrap_interval(values[:1]) is None


def test_a_bootstrap_holds_as_often_as_it_says() -> None:
    random = np.random.default_rng(3)
    inside = 0
    for trial in range(400):
        low, high = bootstrap_interval(random.exponential(size=200), seed=trial) or (0.0, 0.0)
        inside += low <= 1.0 <= high
    assert 0.90 < inside / 400 < 0.98


def test_clusters_are_drawn_whole() -> None:
    # Two things that always sum to 1 in a cluster do so in every mean of clusters.
    values = np.random.default_rng(4).random((300, 1))
    means = bootstrap_means(np.hstack([values, 1.0 - values]))
    np.testing.assert_allclose(means.sum(axis=1), 1.0)
    some = np.array([[1.0, np.nan], [3.0, 5.0], [2.0, np.nan]])
    known = bootstrap_means(some)[:, 1]
    assert set(known[np.isfinite(known)]) == {5.0}


@pytest.mark.parametrize(("mean", "wrong"), [(0.0, "high"), (0.3, "low")])
def test_a_sequential_test_is_wrong_as_seldom_as_it_says(mean: float, wrong: str) -> None:
    random = np.random.default_rng(5)
    test = Sprt(0.0, 0.3, alpha=0.05, beta=0.05)
    errors, most = 0, 0
    for _ in range(400):
        values = random.normal(mean, 1.0, 2000)
        looks = range(50, 2001, 50)
        verdict, at = next(
            ((v, n) for n in looks if (v := test.verdict(values[:n])) != "open"), ("open", 2000)
        )
        errors += verdict == wrong
        most = max(most, at)
    # A binomial with p = 0.05, four standard deviations; looks in steps overshoot, which helps.
    assert errors / 400 < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 400)
    assert most < 2000


def test_a_sequential_test_needs_a_low_and_a_high_bound() -> None:
    with pytest.raises(ValueError, match="bounds 5 and 5: expected a low and a high one"):
        Sprt(5.0, 5.0)
    with pytest.raises(ValueError, match=r"alpha=0\.7"):
        Sprt(0.0, 5.0, alpha=0.7)
    assert Sprt(0.0, 1.0).verdict(np.zeros(0)) == "open"
    assert Sprt(0.0, 1.0).verdict(np.ones(50)) == "open"
