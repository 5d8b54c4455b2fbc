"""Budgets, points on the way, and jobs in processes of their own."""

from __future__ import annotations

import math
import os
import re
import signal
import time
from collections.abc import Sequence
from typing import Any

import pytest

from pokerspiel.experiments.budget import Budget, Standing, parse_budget, spaced, spend
from pokerspiel.experiments.grid import End, run_jobs

# Budgets.


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


# Processes.


def collect(work: Any, jobs: Sequence[Any], processes: int = 1) -> dict[Any, End]:
    ends: dict[Any, End] = {}
    run_jobs(work, jobs, processes, lambda end: ends.update({end.job: end}))
    return ends


def test_jobs_have_results_or_errors_of_one_line() -> None:
    ends = collect(math.sqrt, [4.0, -1.0, 9.0], processes=2)
    assert (ends[4.0].result, ends[9.0].result) == (2.0, 3.0)
    assert ends[-1.0] == End(-1.0, None, "ValueError: math domain error")


def test_a_process_that_dies_is_one_failure() -> None:
    assert collect(signal.raise_signal, [9])[9].error == "the process was killed by SIGKILL"
    assert collect(os._exit, [3])[3].error == "the process ended with status 3"


def test_a_job_has_one_thread_and_leaves_our_environment() -> None:
    before = os.environ.get("OMP_NUM_THREADS")
    assert collect(os.getenv, ["OMP_NUM_THREADS"])["OMP_NUM_THREADS"].result == "1"
    assert os.environ.get("OMP_NUM_THREADS") == before


def test_an_interrupt_kills_the_processes_at_once() -> None:
    def interrupt(running: Sequence[Any]) -> None:
        if time.monotonic() > start + 0.5:
            raise KeyboardInterrupt

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_jobs(time.sleep, [60.0, 61.0], 2, lambda end: None, interrupt)
    assert time.monotonic() < start + 3.0
