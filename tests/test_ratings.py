"""Ratings against known answers."""

from __future__ import annotations

import numpy as np
import pytest

from pokerspiel.experiments.ratings import (
    alpha_rank,
    circles,
    cycle_test,
    cyclic_part,
    nash_averages,
    nash_of,
    ratings_of,
)

ROCK_PAPER_SCISSORS = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
RATINGS = np.array([30.0, 10, -5, -35])
TRANSITIVE = RATINGS[:, None] - RATINGS[None, :]


def circle(*payoffs: float) -> np.ndarray:
    """Three players: the second wins from the first, the third from the second and so on."""
    a, b, c = payoffs
    return np.array([[0.0, -a, c], [a, 0.0, -b], [-c, b, 0.0]])


def noisy(payoffs: np.ndarray, count: int, scale: float, seed: int) -> np.ndarray:
    """`count` matrices with independent normal noise on every match."""
    noise = np.random.default_rng(seed).normal(0.0, scale, (count, *payoffs.shape))
    noise = np.triu(noise, 1)
    return np.asarray(payoffs + noise - np.swapaxes(noise, 1, 2))


# Nash averaging.


def test_rock_paper_scissors_has_the_uniform_equilibrium() -> None:
    shares = nash_of(ROCK_PAPER_SCISSORS)
    assert shares == pytest.approx([1 / 3] * 3)
    assert nash_averages(ROCK_PAPER_SCISSORS, shares) == pytest.approx([0.0] * 3, abs=1e-9)


def test_a_circle_of_unequal_wins_has_its_known_equilibrium() -> None:
    """Each share is in proportion to the match of the other two."""
    assert nash_of(circle(1.0, 2.0, 5.0)) == pytest.approx([2 / 8, 5 / 8, 1 / 8])


def test_copies_divide_the_share_of_the_original() -> None:
    """Balduzzi et al. 2018: what makes the average invariant to redundant players."""
    with_copy = ROCK_PAPER_SCISSORS[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    shares = nash_of(with_copy)
    assert shares == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-6)
    assert nash_averages(with_copy, shares) == pytest.approx([0.0] * 4, abs=1e-6)


def test_all_equal_players_share_equally() -> None:
    assert nash_of(np.zeros((4, 4))) == pytest.approx([0.25] * 4)


def test_the_best_of_a_transitive_order_takes_all() -> None:
    shares = nash_of(TRANSITIVE)
    assert shares == pytest.approx([1, 0, 0, 0])
    assert nash_averages(TRANSITIVE, shares) == pytest.approx(RATINGS - 30)


def test_equal_best_players_share_even_if_others_are_worse() -> None:
    ratings = np.array([1.0, 1.0, 0.0])
    assert nash_of(ratings[:, None] - ratings[None, :]) == pytest.approx([0.5, 0.5, 0])


@pytest.mark.parametrize("players", [2, 3, 6, 11])
def test_nobody_wins_from_the_equilibrium_of_a_random_matrix(players: int) -> None:
    random = np.random.default_rng(players)
    for _ in range(10):
        upper = np.triu(random.normal(size=(players, players)), 1)
        payoffs = upper - upper.T
        shares = nash_of(payoffs)
        assert shares.min() >= 0 and shares.sum() == pytest.approx(1)
        won = nash_averages(payoffs, shares)
        assert won.max() < 1e-7
        assert abs(won[shares > 1e-6]).max() < 1e-7


def test_entropy_is_largest_among_many_equilibria() -> None:
    """Two circles that tie with each other: any mixture is an equilibrium, the even one best."""
    payoffs = np.zeros((6, 6))
    payoffs[:3, :3] = payoffs[3:, 3:] = ROCK_PAPER_SCISSORS
    assert nash_of(payoffs) == pytest.approx([1 / 6] * 6, abs=1e-6)


# Alpha-rank.


def test_evolution_spends_equal_time_in_a_circle() -> None:
    assert alpha_rank(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3)


def test_evolution_stays_with_the_best_of_an_order() -> None:
    shares = alpha_rank(TRANSITIVE)
    assert list(np.argsort(-shares)) == [0, 1, 2, 3]
    assert shares[0] > 0.95 and shares.sum() == pytest.approx(1)


def test_alpha_rank_of_one_player_is_all() -> None:
    assert alpha_rank(np.zeros((1, 1))) == pytest.approx([1])


# Ratings and circles.


def test_a_transitive_matrix_gives_back_its_ratings() -> None:
    assert ratings_of(TRANSITIVE) == pytest.approx(RATINGS)
    assert cyclic_part(TRANSITIVE) == pytest.approx(np.zeros((4, 4)), abs=1e-9)


def test_ratings_need_not_every_match_but_a_connection() -> None:
    some = TRANSITIVE.copy()
    for i, j in ((0, 3), (1, 3)):
        some[i, j] = some[j, i] = np.nan
    assert ratings_of(some) == pytest.approx(RATINGS)
    some[2, 3] = some[3, 2] = np.nan
    with pytest.raises(ValueError, match="do not connect"):
        ratings_of(some)


def test_a_circle_is_all_cyclic() -> None:
    test = cycle_test(ROCK_PAPER_SCISSORS, noisy(ROCK_PAPER_SCISSORS, 200, 0.05, 1))
    assert test is not None
    assert test.share == pytest.approx(1)
    assert test.p_value < 0.01 and test.by_noise < 0.01


def test_a_transitive_order_has_no_circles() -> None:
    test = cycle_test(TRANSITIVE, noisy(TRANSITIVE, 200, 1.0, 1))
    assert test is not None
    assert test.share == 0
    assert test.p_value == 1


def test_two_players_cannot_form_a_circle() -> None:
    pair = np.array([[0.0, 3], [-3, 0]])
    assert cycle_test(pair, noisy(pair, 10, 1.0, 1)) is None


def test_the_cycle_test_is_wrong_as_often_as_it_says() -> None:
    """Without circles its p-values are uniform: 5 % of them lie below 0.05."""
    random = np.random.default_rng(7)
    below = 0
    for seed in range(400):
        (seen,) = noisy(TRANSITIVE, 1, 5.0, int(random.integers(1 << 40)))
        test = cycle_test(seen, noisy(seen, 99, 5.0, seed))
        assert test is not None
        below += test.p_value <= 0.05
    assert 0.02 * 400 < below < 0.09 * 400


def test_circles_are_three_who_beat_each_other_in_turn() -> None:
    assert circles(ROCK_PAPER_SCISSORS > 0) == [(0, 2, 1)]
    assert circles(TRANSITIVE > 0) == []
    assert circles(np.zeros((3, 3), bool)) == []
