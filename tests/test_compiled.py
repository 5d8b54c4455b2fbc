"""Kernels free what they allocate: those that count no references leave no array behind."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from numba.core.runtime import _nrt_python, rtsys

from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.local_best_response import LocalBestResponse
from pokerspiel.games.abstraction import cluster_measure
from pokerspiel.games.variants import load
from pokerspiel.solvers.mccfr import Mccfr
from tests.some_agents import random_bot

TINY = "mini_sviten(max_discards=0)"


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
