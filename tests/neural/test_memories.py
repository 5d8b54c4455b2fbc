"""Memories of rows, and what is computed from the decisions of whole hands."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pokerspiel.games.variants import load

torch = pytest.importorskip("torch")

from pokerspiel.solvers.lockstep import Hands, Seen  # noqa: E402
from pokerspiel.solvers.neural.experience import (  # noqa: E402
    Experience,
    Table,
    later_surprises,
    next_decisions,
)
from pokerspiel.solvers.neural.reservoir import LatestRows, Reservoir  # noqa: E402

COLUMNS = {"number": ((), np.int64), "pair": ((2,), np.float32)}


def rows(first: int, last: int) -> dict[str, np.ndarray]:
    numbers = np.arange(first, last)
    return {"number": numbers, "pair": np.stack((numbers, -numbers), axis=1).astype(np.float32)}


def test_a_reservoir_keeps_every_row_with_the_same_chance() -> None:
    random = np.random.default_rng(1)
    met, capacity, repeats = 60, 10, 4000
    counts = np.zeros(met)
    for _ in range(repeats):
        reservoir = Reservoir(capacity, COLUMNS)
        for first in range(0, met, 7):
            reservoir.add(random, **rows(first, min(first + 7, met)))
        kept = reservoir.columns["number"]
        np.testing.assert_array_equal(reservoir.columns["pair"], np.stack((kept, -kept), axis=1))
        assert len(np.unique(kept)) == len(reservoir) == capacity
        counts[kept] += 1
    share = capacity / met
    squares = ((counts - repeats * share) ** 2).sum() / (repeats * share * (1.0 - share))
    # Each count is binomial; since a reservoir is always full, one degree of freedom is lost.
    chi_square = squares * (met - 1) / met
    assert stats.chi2.sf(chi_square, met - 1) > 1e-3


def test_the_latest_rows_stay() -> None:
    random = np.random.default_rng(0)
    latest = LatestRows(10, COLUMNS)
    for first, last in ((0, 4), (4, 13), (13, 15), (15, 48)):
        latest.add(random, **rows(first, last))
        wanted = np.arange(max(last - 10, 0), last)
        np.testing.assert_array_equal(np.sort(latest.columns["number"][: len(latest)]), wanted)
        np.testing.assert_array_equal(latest.columns["number"][wanted % 10], wanted)


@pytest.mark.parametrize("kind", [Reservoir, LatestRows])
def test_a_memory_goes_on_from_its_arrays(kind: type[Reservoir] | type[LatestRows]) -> None:
    one, two = kind(20, COLUMNS), kind(20, COLUMNS)
    one.add(np.random.default_rng(0), **rows(0, 33))
    two.restore("rows", one.to_arrays("rows"))
    for memory in (one, two):
        memory.add(np.random.default_rng(1), **rows(33, 50))
    for name, column in one.columns.items():
        np.testing.assert_array_equal(column, two.columns[name])
    with pytest.raises(ValueError, match=r"other\.met"):
        two.restore("other", one.to_arrays("rows"))
    with pytest.raises(ValueError, match=r"rows\.number"):
        kind(21, COLUMNS).restore("rows", one.to_arrays("rows"))


def played(text: str, hands: int) -> Experience:
    """Hands at random."""

    def choose(table: Hands, waiting: np.ndarray, seen: Seen) -> np.ndarray:
        return (seen.legal / seen.legal.sum(1, keepdims=True)).astype(np.float32)

    return Table(load(text), hands).play(choose, 0, 0)


def test_the_next_decision_is_that_of_the_same_hand_and_seat() -> None:
    experience = played("kuhn(players=3)", 50)
    n = len(experience.hands)
    out = np.zeros(n, np.int64)
    next_decisions(experience.hands, experience.seats, np.zeros((50, 3), np.int64), out)
    assert (out >= 0).any()
    for i in range(n):
        same = (experience.hands == experience.hands[i]) & (experience.seats == experience.seats[i])
        later = np.flatnonzero(same & (np.arange(n) > i))
        assert out[i] == (later[0] if len(later) else -1)


@pytest.mark.parametrize("text", ["kuhn(players=3)", "leduc"])
def test_surprises_reckon_with_what_is_paid(text: str) -> None:
    """With λ = 1 a surprise is all that is got from there on, less what was expected."""
    experience = played(text, 40)
    hands, seats = experience.hands, experience.seats
    n, players = len(hands), experience.returns.shape[1]
    random = np.random.default_rng(0)
    paid, values = random.normal(size=(2, n))
    for share in (1.0, 0.0):
        out = np.zeros(n)
        after = np.zeros((40, players, 4))
        won = experience.returns
        later_surprises(hands, seats, paid, values, values, won, share, after, out)
        for i in range(n):
            later = np.flatnonzero((hands == hands[i]) & (np.arange(n) >= i))
            own = later[seats[later] == seats[i]]
            got = experience.returns[hands[i], seats[i]]
            if share == 0.0 and len(own) > 1:
                later, got = later[later < own[1]], values[own[1]]
            gains = np.where(seats[later] == seats[i], -paid[later], paid[later] / (players - 1))
            assert out[i] == pytest.approx(got + gains.sum() - values[i])
