"""Vectors against numpy, and the gate where threads meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.atomics import meet
from pokerspiel.solvers.threads import run_together
from pokerspiel.solvers.vectors import (
    eight,
    four,
    gather,
    larger,
    load,
    scatter_add,
    splat,
    store,
    store_first,
    transpose,
    where_positive,
)


@kernel
def _arithmetic(a: Any, b: Any, out: Any, zero: Any, count: int) -> None:
    x, y = load(a, 0, zero), load(b, 0, zero)
    store(out, 0, x + y)
    store(out, count, x - y)
    store(out, 2 * count, x * y)
    store(out, 3 * count, x / y)
    store(out, 4 * count, larger(x, y))
    store(out, 5 * count, where_positive(x, y, splat(7.0, zero)))


@kernel
def _arithmetic_of_eight(a: Any, b: Any, out: Any) -> None:
    _arithmetic(a, b, out, eight(0.0), 8)


@kernel
def _arithmetic_of_four(a: Any, b: Any, out: Any) -> None:
    _arithmetic(a, b, out, four(0.0), 4)


@pytest.mark.parametrize(("size", "work"), [(8, _arithmetic_of_eight), (4, _arithmetic_of_four)])
def test_arithmetic_is_numpys(size: int, work: Any) -> None:
    draw = np.random.default_rng(size)
    a, b = draw.normal(size=size), draw.normal(size=size)
    a[0] = 0.0
    out = np.zeros(6 * size)
    work(a, b, out)
    expected = (a + b, a - b, a * b, a / b, np.maximum(a, b), np.where(a > 0.0, b, 7.0))
    assert out == pytest.approx(np.concatenate(expected), rel=1e-15)


@kernel
def _move(array: Any, places: Any, out: Any, at: int) -> None:
    zero = eight(0.0)
    store_first(out, 3, gather(array, places, at, zero), 5)
    scatter_add(array, places, at, splat(1.0, zero))


def test_gather_scatter_and_partial_store() -> None:
    array = np.arange(20.0)
    places = np.array([0, 0, 19, 4, 4, 4, 1, 2, 3, 9], np.uint32)
    out = np.full(12, -1.0)
    _move(array, places, out, 2)
    assert out.tolist() == [-1.0] * 3 + [19.0, 4.0, 4.0, 4.0, 1.0] + [-1.0] * 4
    expected = np.arange(20.0)
    np.add.at(expected, places[2:10], 1.0)
    assert array.tolist() == expected.tolist()


@kernel
def _turn(source: Any, target: Any) -> None:
    transpose(source, 5, target, 3)


def test_transpose_makes_rows_of_columns() -> None:
    source = np.arange(80.0)
    target = np.full(70, -1.0)
    _turn(source, target)
    assert target[3:67].reshape(8, 8).tolist() == source[5:69].reshape(8, 8).T.tolist()
    assert target[:3].tolist() + target[67:].tolist() == [-1.0] * 6
    assert source.tolist() == list(range(80))


@kernel
def _turn_in_place(square: Any) -> None:
    transpose(square, 0, square, 0)


def test_a_square_is_transposed_in_place() -> None:
    square = np.arange(64.0)
    _turn_in_place(square)
    assert square.reshape(8, 8).tolist() == np.arange(64.0).reshape(8, 8).T.tolist()


@kernel
def _rounds(thread: int, threads: int, gate: Any, written: Any, seen: Any) -> None:
    """Each round writes its number, meets, and sums what all have written."""
    meetings = 0
    for turn in range(len(seen[thread])):
        written[thread] = turn + 1
        meetings += 1
        meet(gate, threads, meetings)
        for other in range(threads):
            seen[thread, turn] += written[other]
        meetings += 1
        meet(gate, threads, meetings)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_meet_before_they_go_on(threads: int) -> None:
    gate, rounds = np.zeros(1, np.int64), 200
    written, seen = np.zeros(threads, np.int64), np.zeros((threads, rounds), np.int64)
    run_together(lambda thread: _rounds(thread, threads, gate, written, seen), threads)
    expected = threads * np.arange(1, rounds + 1)
    assert np.array_equal(seen, np.tile(expected, (threads, 1)))
    assert gate[0] == 2 * rounds * threads


def test_an_error_in_a_thread_is_raised() -> None:
    def work(thread: int) -> None:
        if thread == 1:
            raise ValueError("thread 1 stops")

    with pytest.raises(ValueError, match="thread 1 stops"):
        run_together(work, 2)
