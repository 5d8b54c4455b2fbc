"""`pokerspiel bench scaling`: how much faster more workers train, and what a larger run would need.

Every row trains from the beginning for as many iterations, in one schedule, so that all do the same
work and come to the same table; that is checked. Threads that share a table have no schedule.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pokerspiel.experiments.game_choice import with_usual_abstraction
from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.options import parse_bytes
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.sharded_training import check_count, sharded_solver
from pokerspiel.experiments.train import ABSTRACTIONS
from pokerspiel.experiments.workers import PROCESSES, RAY
from pokerspiel.games.variants import Game
from pokerspiel.solvers.mccfr import Mccfr
from pokerspiel.solvers.sharded_mccfr import Schedule, ShardedMccfr
from pokerspiel.solvers.traversal import Scheme

THREADS = "threads"
KINDS, WORKERS = (PROCESSES, RAY), (1, 2)
"""What is measured where nothing else is named."""


@dataclass(frozen=True)
class Options:
    """What is measured; the fields are options of the command."""

    game: str
    iterations: int
    on: tuple[str, ...]
    """Kinds of workers: see `open_workers`."""
    workers: tuple[int, ...]
    """Numbers of workers, each with every kind."""
    shards: int
    memory_limit: str
    seed: int


@dataclass(frozen=True)
class Row:
    """A training of some workers."""

    who: str
    workers: int
    iterations: int
    nodes: int
    seconds: float
    """Of training: without starting workers and loading kernels."""
    traversals_per_second: float
    nodes_per_second: float
    merging_seconds: float | None
    """Part of the seconds in which the table was brought up to date, and all workers waited."""
    rounds: int | None
    starting_seconds: float
    table: str | None
    """Hash of slots and values; None where threads race."""


def run(options: Options, json: bool, quiet: bool) -> None:
    game = with_usual_abstraction(options.game, None, ABSTRACTIONS)
    if options.on:
        check_count(max(options.workers), options.shards)
    rows = []
    for who in (THREADS, *options.on):
        for workers in options.workers:
            note(f"{who}, {workers}: {options.iterations:,} iterations of {game}", quiet)
            rows.append(measure(game, options, who, workers))
    tables = {row.table for row in rows if row.table is not None}
    if len(tables) > 1:
        raise RuntimeError(f"{len(tables)} different tables come of one schedule")
    if json:
        document = {"game": str(game), "shards": options.shards, **origin()}
        print_json({**document, "rows": [asdict(row) for row in rows]})
    else:
        _print(game, options, rows)


def measure(game: Game, options: Options, who: str, workers: int) -> Row:
    """Train once; with THREADS, so many threads of this process on one table."""
    limit = parse_bytes(options.memory_limit)
    begin = time.perf_counter()
    if who == THREADS:
        plain = Mccfr(game, options.seed, workers, limit)
        plain.run(iterations=1)
        return _row(plain, who, workers, options.iterations, begin)
    with sharded_solver(
        game,
        options.seed,
        limit,
        None,
        Scheme(),
        Schedule(options.shards),
        who,
        workers,
        here=False,
    ) as solver:
        return _row(solver, who, workers, options.iterations, begin)


def _row(
    solver: Mccfr | ShardedMccfr, who: str, workers: int, iterations: int, begin: float
) -> Row:
    start = time.perf_counter()
    seconds = solver.state.seconds
    if solver.run(iterations) == "full":
        raise ValueError("the memory limit ended a run: choose a larger --memory-limit")
    state = solver.state
    seconds = state.seconds - seconds
    sharded = solver if isinstance(solver, ShardedMccfr) else None
    return Row(
        who=who,
        workers=workers,
        iterations=state.iteration,
        nodes=state.nodes,
        seconds=seconds,
        traversals_per_second=state.iteration * solver.game.players / seconds,
        nodes_per_second=state.nodes / seconds,
        merging_seconds=sharded.merging_seconds if sharded else None,
        rounds=sharded.rounds if sharded else None,
        starting_seconds=start - begin,
        table=_hash(state.to_arrays()) if sharded else None,
    )


def _hash(arrays: dict[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for name in ("slots", "values"):
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()[:16]


def _print(game: Game, options: Options, rows: Sequence[Row]) -> None:
    columns = ("who", "workers>", "traversals/s>", "times>", "M nodes/s>", "times>", "merging>")
    print_table(
        f"{game}, {options.iterations:,} iterations in rounds of {options.shards} shards",
        (*columns, "rounds>", "start>"),
        [_cells(row, _first(rows, row)) for row in rows],
    )


def _first(rows: Sequence[Row], row: Row) -> Row:
    """The first row of the same kind of workers, to which the others are compared."""
    return next(other for other in rows if other.who == row.who)


def _cells(row: Row, first: Row) -> tuple[Any, ...]:
    merging = "" if row.merging_seconds is None else f"{row.merging_seconds / row.seconds:.1%}"
    return (
        row.who,
        row.workers,
        f"{row.traversals_per_second:,.0f}",
        f"{row.traversals_per_second / first.traversals_per_second:.2f}",
        f"{row.nodes_per_second / 1e6:.1f}",
        f"{row.nodes_per_second / first.nodes_per_second:.2f}",
        merging,
        "" if row.rounds is None else row.rounds,
        f"{row.starting_seconds:.1f} s",
    )
