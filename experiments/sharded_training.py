"""Shards of MCCFR on workers: processes of this machine, or of a Ray cluster.

Every worker keeps a copy of the table. It brings it up to date with the news of the rounds that it
has not seen, of which the last ones are at hand, does its shard in a second copy, and sends back
what has changed. Where a worker has no copy, or one that is too old, as after a restart, it says
so, and is given the whole table. So it does not matter which worker does a shard, nor how often.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.experiments.workers import PROCESSES, End, Shared, Workers, get, open_workers
from pokerspiel.games.abstraction import cluster_file
from pokerspiel.games.abstraction.cluster_file import Centres
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.mccfr import MccfrState
from pokerspiel.solvers.sharded_mccfr import Part, Schedule, Shard, ShardedMccfr, ShardWork, Tick
from pokerspiel.solvers.table import SETS, USED, Table, new_table, restored_table
from pokerspiel.solvers.table_changes import Rows, take_over
from pokerspiel.solvers.traversal import Scheme

RETRIES = 3
"""How often a shard is done again whose process died."""
ROUNDS_KEPT = 4
"""Rounds whose news are at hand for workers that have not seen them."""

BEHIND, FULL = "behind", "full"
"""What a worker says that has no table for its shard, or whose table has got full."""


class WorkersFailedError(OSError):
    """A shard could not be done."""


# In the processes of workers.


@dataclass(frozen=True)
class _Setup:
    """What all shards of a run have in common."""

    game: str
    centres: Centres | None
    seed: int
    memory_limit: int
    scheme: tuple[float, ...]

    def load(self) -> Game:
        if self.centres is not None:
            cluster_file.bring(self.centres)
        return load(self.game)


@dataclass(frozen=True)
class _News:
    """By what the table differs from that after `before` iterations, to be that after `after`."""

    before: int
    after: int
    rows: Shared


@dataclass(frozen=True)
class _Job:
    """A shard, and where to find the table that it begins with."""

    run: str
    setup: Shared
    shard: Shard
    version: int
    """Iterations after which the table is needed."""
    news: tuple[_News, ...]
    whole: Shared | None
    """The table itself, of this version."""


class _Copy:
    """A worker's copy of the table of a run."""

    def __init__(self, setup: _Setup) -> None:
        game = setup.load()
        self._limit = setup.memory_limit
        self._classes = game.classes
        self.work = ShardWork(game, setup.seed, setup.memory_limit, Scheme(*setup.scheme))
        self.table = new_table(setup.memory_limit, classes=game.classes)
        self.version = 0

    def bring_to(self, job: _Job) -> bool:
        """Make it the table that a job needs; False if that cannot be."""
        if job.whole is not None and self.version != job.version:
            slots, values, counts = get(job.whole)
            self.table = restored_table(slots, values, counts, self._classes, self._limit)
            self.version = job.version
        for news in job.news:
            if news.before == self.version:
                rows = Rows(*map(np.array, get(news.rows)))
                self.table = take_over(self.table, rows, self._limit)
                self.version = news.after
        return self.version == job.version


_copies: dict[str, _Copy] = {}
"""The copy of the run that this process works for."""


def _copy_of(run: str, setup: Shared) -> _Copy:
    if run not in _copies:
        _copies.clear()
        _copies[run] = _Copy(get(setup))
    return _copies[run]


def do_shard(job: _Job) -> Part | str:
    copy = _copy_of(job.run, job.setup)
    if not copy.bring_to(job):
        return BEHIND
    return copy.work.run(job.shard, copy.table) or FULL


def make_ready(job: tuple[str, Shared, int]) -> None:
    """Load the game and the kernels, before the clock runs."""
    run, setup, _ = job
    copy = _copy_of(run, setup)
    copy.work.run(Shard(0, 0, 1), new_table(1 << 22, classes=copy.table.classes))
    empty = Rows(np.zeros(0, np.uint64), np.zeros(0, np.uint16), np.zeros(0, np.float32))
    take_over(copy.table, empty, 1 << 22)


# In the process that merges.


class RoundsOnWorkers:
    """Has the shards of rounds done by workers."""

    def __init__(self, workers: Workers, game: Game, solver: ShardedMccfr) -> None:
        self._workers = workers
        self._run = os.urandom(8).hex()
        setup = _Setup(
            str(game),
            game.centres,
            solver.state.seed,
            solver.memory_limit,
            tuple(solver.scheme),
        )
        self._setup = workers.share(setup)
        self._version = -1
        self._news: tuple[_News, ...] = ()

    def prepare(self) -> None:
        jobs = [(self._run, self._setup, number) for number in range(self._workers.count)]
        self._workers.run(make_ready, jobs, _check, retries=RETRIES)

    def __call__(
        self, shards: Sequence[Shard], table: Table, news: Rows | None, on_tick: Tick
    ) -> list[Part] | None:
        """A `DoRound` of the solver."""
        version = shards[0].first
        if news is not None and version != self._version:
            rows = self._workers.share(tuple(news))
            latest = _News(self._version, version, rows)
            self._news = (*self._news, latest)[-ROUNDS_KEPT:]
        self._version = version
        is_first = news is None and int(table.counts[SETS]) > 0
        whole = self._workers.share(_arrays(table)) if is_first else None
        results = self._do(shards, whole, on_tick)
        behind = [shard for shard in shards if results[shard] == BEHIND]
        if behind:
            whole = self._workers.share(_arrays(table))
            results |= self._do(behind, whole, on_tick)
        if FULL in results.values():
            return None
        return [results[shard] for shard in shards]

    def _do(self, shards: Sequence[Shard], whole: Shared | None, on_tick: Tick) -> dict[Shard, Any]:
        jobs = [
            _Job(self._run, self._setup, shard, self._version, self._news, whole)
            for shard in shards
        ]
        results: dict[Shard, Any] = {}

        def on_end(end: End) -> None:
            _check(end)
            results[end.job.shard] = end.result

        self._workers.run(do_shard, jobs, on_end, lambda running: on_tick(), RETRIES)
        return results


def _arrays(table: Table) -> tuple[np.ndarray, ...]:
    return table.slots, table.values[: table.counts[USED]], table.counts


def _check(end: End) -> None:
    if end.error is not None:
        raise WorkersFailedError(f"a worker failed: {end.error}")


def check_count(workers: int, shards: int) -> None:
    """Raise ValueError if some workers would have nothing to do."""
    if workers > shards:
        raise ValueError(
            f"--workers {workers}: {shards} shards are work for {shards} of them; how many shards "
            "a run has is said at its start, with --shards"
        )


def check_resumed(
    folder: RunFolder, before: int | None, workers: int | None, on: str | None
) -> None:
    """Raise ValueError if workers are asked for where a run was begun without any."""
    if before is None and (workers is not None or on is not None):
        given = f"--on {on}" if workers is None else f"--workers {workers}"
        raise ValueError(f"{given}: {folder.path} was begun without workers, and has no shards")


@contextmanager
def sharded_solver(
    game: Game,
    seed: int,
    memory_limit: int,
    state: MccfrState | None,
    scheme: Scheme,
    schedule: Schedule,
    on: str,
    count: int,
    here: bool = True,
) -> Iterator[ShardedMccfr]:
    """A solver whose shards are done by `count` workers.

    One of this machine is this process, unless that is not to be `here`. Raises ValueError, in one
    line, if that makes no sense.
    """
    check_count(count, schedule.shards)
    solver = ShardedMccfr(game, seed, memory_limit, state, scheme, schedule)
    if here and on == PROCESSES and count == 1:
        yield solver
        return
    solver.prepare()
    with open_workers(on, count) as workers:
        rounds = RoundsOnWorkers(workers, game, solver)
        rounds.prepare()
        solver.do_round = rounds
        yield solver
