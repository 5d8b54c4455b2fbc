"""Budgets, and points on the way."""

from __future__ import annotations

import math
import re

import pytest

from pokerspiel.experiments.budget import Budget, Standing, parse_budget, spaced, spend


@pytest.mark.parametrize(
    ("text", "budget", "canonical"),
    [
        ("10s", Budget(seconds=10.0), "10s"),
        ("1000it", Budget(iterations=1000), "1000it"),
        ("1e7nodes", Budget(nodes=10**7), "10000000nodes"),
        ("0.5s, 2e3IT", Budget(iterations=2000, seconds=0.5), "2000it,0.5s"),
    ],
)
def test_budgets_are_read_and_written(text: str, budget: Budget, canonical: str) -> None:
    assert parse_budget(text) == budget
    assert str(budget) == canonical
    assert parse_budget(canonical) == budget


@pytest.mark.parametrize(
    "text", ["", "10", "it", "-1it", "0s", "1.5it", "1e-3nodes", "1s,2s", "5min", "1e99it", "nans"]
)
def test_bad_budgets_are_named(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(text))):
        parse_budget(text)


def test_points_are_spaced_evenly_on_a_logarithmic_axis() -> None:
    points = spaced(3)
    assert [next(points) for _ in range(8)] == [1, 2, 5, 10, 22, 46, 100, 215]


class _Clockwork:
    """A solver whose iterations take a known time and touch a known number of nodes."""

    def __init__(self, nodes: int = 7, seconds: float = 0.25) -> None:
        self.now = Standing(0, 0, 0.0)
        self.calls: list[int] = []
        self._nodes, self._seconds = nodes, seconds

    def advance(self, iterations: int, seconds: float | None) -> None:
        if seconds is not None:
            iterations = min(iterations, math.ceil(seconds / self._seconds))
        self.calls.append(iterations)
        done = self.now.iterations + iterations
        self.now = Standing(done, done * self._nodes, done * self._seconds)

    def stops(self, budget: Budget) -> list[int]:
        found = spend(self.advance, lambda: self.now, budget, spaced(1))
        return [standing.iterations for standing in found]


@pytest.mark.parametrize(
    ("budget", "stops"),
    [
        (Budget(iterations=1), [1]),
        (Budget(iterations=50), [1, 10, 50]),
        (Budget(iterations=100), [1, 10, 100]),
        (Budget(nodes=1), [1]),
        (Budget(nodes=7 * 100), [1, 10, 100]),
        (Budget(nodes=7 * 100 + 1), [1, 10, 100, 101]),
        (Budget(seconds=2.0), [1, 8]),
        (Budget(seconds=2.5), [1, 10]),
        (Budget(seconds=3.0, iterations=11), [1, 10, 11]),
        (Budget(seconds=3.0, nodes=7 * 20), [1, 10, 12]),
    ],
    ids=str,
)
def test_a_run_stops_for_its_points_and_at_its_end(budget: Budget, stops: list[int]) -> None:
    assert _Clockwork().stops(budget) == stops


def test_nodes_are_counted_seldom() -> None:
    clockwork = _Clockwork()
    assert clockwork.stops(Budget(nodes=7 * 10**6))[-1] == 10**6
    assert len(clockwork.calls) < 200
