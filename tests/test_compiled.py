"""How kernels are compiled: once for all widths of an integer, and apart where many call them.

Kernels free what they allocate: those that count no references leave no array behind.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numba import types
from numba.core.errors import TypingError
from numba.core.runtime import _nrt_python, rtsys

from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.local_best_response import LocalBestResponse
from pokerspiel.games.abstraction import cluster_measure
from pokerspiel.games.compiled import apart, kernel
from pokerspiel.games.variants import load
from pokerspiel.solvers.mccfr import Mccfr
from tests.some_agents import random_bot

TINY = "mini_sviten(max_discards=0)"


@kernel
def half(numbers: Any, place: int) -> Any:
    """Half of an even number of a list. Raises ValueError if it is odd."""
    if numbers[place] % 2:
        raise ValueError("an odd number")
    return numbers[place] // 2


half_apart = apart(half, types.int64(types.int64[::1], types.int64))


@kernel
def sum_of_halves(numbers: Any, small: Any) -> Any:
    """The halves of the first two numbers, and of the one that the first of `small` names."""
    return half(numbers, 0) + half(numbers, 1) + half(numbers, small[0])


@kernel
def quarter(numbers: Any) -> Any:
    numbers[0] = half_apart(numbers, 0)
    return half_apart(numbers, 0)


def test_a_kernel_is_compiled_once_for_all_integers() -> None:
    numbers = np.array([2, 4, 6])
    for small in (np.array([2], np.int8), np.array([2], np.int32)):
        assert sum_of_halves(numbers, small) == 1 + 2 + 3
    assert {arguments[1] for arguments in half.overloads} == {types.int64}


def test_a_kernel_apart_does_the_same() -> None:
    numbers = np.array([12, 0])
    assert quarter(numbers) == 3
    assert list(numbers) == [6, 0]


def test_a_kernel_apart_tells_its_errors() -> None:
    with pytest.raises(ValueError, match="an odd number"):
        quarter(np.array([6]))


def test_a_kernel_apart_takes_one_type_only() -> None:
    with pytest.raises(TypingError, match="half takes"):
        quarter(np.array([6.0]))


@pytest.fixture
def counted() -> Iterator[None]:
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


def alive() -> int:
    """Arrays that kernels have made and nobody has freed."""
    gc.collect()
    stats = rtsys.get_allocation_stats()
    return int(stats.mi_alloc - stats.mi_free)


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("text", ["svara", "sviten_special(abstraction=clusters)"])
def test_training_leaves_no_array_behind(text: str) -> None:
    solver = Mccfr(load(text), 0)
    solver.run(1)
    before, made = alive(), rtsys.get_allocation_stats().mi_alloc
    solver.run(30)
    assert alive() == before
    if "clusters" in text:
        assert rtsys.get_allocation_stats().mi_alloc > made


@pytest.mark.usefixtures("counted")
def test_matches_leave_no_array_behind() -> None:
    game = load(TINY)
    bot = random_bot(TINY)
    for first in (BASELINES["equity"](), LocalBestResponse(bot, 100)):
        before = alive()
        play_match([first, bot], game, 20, 0)
        assert alive() == before


@pytest.mark.usefixtures("counted")
def test_measuring_buckets_leaves_no_array_behind() -> None:
    game = load("mini_sviten(abstraction=clusters)")
    before = alive()
    cluster_measure.measure(game, 5, 0)
    assert alive() == before
