"""Hands of neural algorithms that workers play: processes of this machine, or of a Ray cluster.

A worker makes a solver of its own, which never learns: with every shard come the networks that
play it. What its hands teach goes back, and is learnt where the run is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pokerspiel.experiments.sharded_training import RETRIES, WorkersFailedError, check_count
from pokerspiel.experiments.workers import PROCESSES, End, Shared, Workers, get, open_workers
from pokerspiel.games.abstraction import cluster_file
from pokerspiel.games.abstraction.cluster_file import Centres
from pokerspiel.games.variants import Game, load

if TYPE_CHECKING:
    from pokerspiel.experiments.train_neural import Plan


@dataclass(frozen=True)
class _Job:
    number: int
    """Which shard of those that are played now."""
    run: str
    setup: Shared
    """(Plan, centres of the game's buckets)."""
    networks: Shared
    shard: Any


_players: dict[str, Any] = {}
"""The solver of the run that this process plays for."""


def _player_of(run: str, setup: Shared) -> Any:
    if run not in _players:
        plan, centres = get(setup)
        if centres is not None:
            cluster_file.bring(centres)
        _players.clear()
        _players[run] = plan.solver(load(plan.game))
        _players[run].prepare()
    return _players[run]


def make_ready(job: tuple[str, Shared, int]) -> None:
    """Load the game, the networks and the kernels, before the clock runs."""
    run, setup, _ = job
    _player_of(run, setup)


def play_shard(job: _Job) -> Any:
    player = _player_of(job.run, job.setup)
    player.play_as(get(job.networks))
    return player.play(job.shard)


class HandsOnWorkers:
    """Has the hands of a run played by workers: a `PlayShards` of the solver."""

    def __init__(self, workers: Workers, plan: Plan, centres: Centres | None) -> None:
        self._workers = workers
        self._run = os.urandom(8).hex()
        here = replace(plan, workers=None, on=None, shards=None, device="cpu")
        self._setup = workers.share((here, centres))

    def prepare(self) -> None:
        jobs = [(self._run, self._setup, number) for number in range(self._workers.count)]
        self._workers.run(make_ready, jobs, _check, retries=RETRIES)

    def __call__(self, shards: Sequence[Any], arrays: Mapping[str, np.ndarray]) -> list[Any]:
        networks = self._workers.share(dict(arrays))
        results: dict[int, Any] = {}

        def on_end(end: End) -> None:
            _check(end)
            results[end.job.number] = end.result

        jobs = [
            _Job(number, self._run, self._setup, networks, shard)
            for number, shard in enumerate(shards)
        ]
        self._workers.run(play_shard, jobs, on_end, retries=RETRIES)
        return [results[number] for number in range(len(shards))]


def _check(end: End) -> None:
    if end.error is not None:
        raise WorkersFailedError(f"a worker failed: {end.error}")


@contextmanager
def played_by_workers(solver: Any, plan: Plan, game: Game) -> Iterator[None]:
    """Let the workers of the plan play the hands of a solver; one of this machine is this process.

    Raises ValueError, in one line, if that makes no sense.
    """
    assert plan.workers is not None and plan.shards is not None, "the plan has workers"
    check_count(plan.workers, plan.shards)
    solver.shards = plan.shards
    on = plan.on or PROCESSES
    if on == PROCESSES and plan.workers == 1:
        yield
        return
    solver.prepare()
    with open_workers(on, plan.workers) as workers:
        hands = HandsOnWorkers(workers, plan, game.centres)
        hands.prepare()
        solver.play_shards = hands
        yield
