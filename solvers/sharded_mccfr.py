"""External-sampling MCCFR in shards that may run anywhere, with one and the same result.

A run is cut into rounds, and a round into *shards*: ranges of iterations of the same length, each
done on one thread, from a copy of the table as it was at the beginning of the round. Then what the
shards have learnt is added to the table, shard by shard: see `table_changes.py`. So the result is
a function of the seed and of the `Schedule`; how many workers there are, and which of them is how
fast, makes no difference, nor does a shard that has to be done again.

A shard does not know what the others of its round learn. Rounds are a share of what came before, so
that early learning is not stale; they grow, and merging becomes rare. An iteration weighs its
number, as in `mccfr.py`: shards have their own numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from pokerspiel.games.variants import Game
from pokerspiel.solvers.mccfr import (
    DEFAULT_MEMORY_LIMIT,
    PERIOD,
    Mccfr,
    MccfrState,
    Progress,
    Status,
)
from pokerspiel.solvers.table import Table, TableFullError, make_room, new_table
from pokerspiel.solvers.table_changes import Changes, Rows, changes_since, copied_table, merge
from pokerspiel.solvers.threads import join
from pokerspiel.solvers.traversal import NEXT, NODES, Scheme, new_workspace, run_iterations

SHARDS = 4


@dataclass(frozen=True)
class Schedule:
    """How long rounds are. With the seed it fixes the result of a run."""

    shards: int = SHARDS
    """Shards of a round."""
    share: float = 0.1
    """Iterations of a round, as a share of those before it ..."""
    least: int = 32
    """... but a shard has so many at least ..."""
    most_nodes: int = 30_000_000
    """... and visits so many states at most, about, by the mean of the iterations before it:
    some seconds, which is what is lost if the run is interrupted."""

    def __post_init__(self) -> None:
        if self.shards < 1:
            raise ValueError(f"shards={self.shards} is not allowed: expected 1 or more")

    def iterations(self, done: int, nodes: int) -> int:
        """Iterations of each shard of the round that begins after so many iterations and nodes."""
        usual = max(int(self.share * done / self.shards), self.least)
        most = self.most_nodes * done // max(nodes, 1)
        return min(usual, max(most, 1)) if done else self.least


@dataclass(frozen=True)
class Shard:
    """A range of iterations."""

    number: int
    """Which shard of its round."""
    first: int
    iterations: int


@dataclass(frozen=True)
class Part:
    """What a shard has done."""

    changes: Changes
    nodes: int


Tick = Callable[[], None]
"""Called often while a round is under way; may raise KeyboardInterrupt."""
DoRound = Callable[[Sequence[Shard], Table, Rows | None, Tick], Sequence[Part] | None]
"""Does the shards of a round from this table, and gives their parts in their order: None if the
table of one got full. The rows are the news by which the table differs from that of the last round,
None in the first round of a call."""


class ShardWork:
    """Does shards, one after the other, on one thread: here, or in the process of a worker."""

    def __init__(self, game: Game, seed: int, memory_limit: int, scheme: Scheme) -> None:
        """`scheme` is that of a solver."""
        self._game = game
        self._seed = np.uint64(seed % (1 << 64))
        self._memory_limit = memory_limit
        self._scheme = scheme
        self._workspace = new_workspace(game)
        self._control = np.zeros(3, np.int64)
        self._table = new_table(memory_limit, classes=game.classes)

    def run(self, shard: Shard, before: Table, on_tick: Tick | None = None) -> Part | None:
        """Do a shard from a copy of the table; None if that got full."""
        control = self._control
        control[NEXT], control[NODES] = shard.first, 0
        self._table = copied_table(before, self._table)
        last = shard.first + shard.iterations
        step = 1
        while control[NEXT] < last:
            start = time.perf_counter()
            try:
                self._table = make_room(self._table, self._memory_limit)
            except TableFullError:
                return None
            self._iterate(min(int(control[NEXT]) + step, last))
            spent = time.perf_counter() - start
            step = max(1, min(int(step * PERIOD / max(spent, 1e-6)), 4 * step))
            if on_tick is not None and control[NEXT] < last:
                on_tick()
        return Part(changes_since(before, self._table), int(control[NODES]))

    def _iterate(self, last: int) -> None:
        """Iterations until `last`, or until the table is crowded."""
        run_iterations(
            self._workspace,
            self._game.tables,
            self._table,
            self._control,
            self._game.players,
            self._seed,
            last,
            self._scheme,
        )


class ShardedMccfr:
    """MCCFR on `game` by a schedule, from `state` if given, else from the beginning.

    `do_round` has the shards of a round done; without it they are done here, one after the other.
    `memory_limit` bounds the table here and each of the two that a worker holds. A run ends with
    whole rounds, so that it is the same however it is cut into pieces.
    """

    def __init__(
        self,
        game: Game,
        seed: int = 0,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
        state: MccfrState | None = None,
        scheme: Scheme | None = None,
        schedule: Schedule | None = None,
        do_round: DoRound | None = None,
    ) -> None:
        self._whole = Mccfr(game, seed, 1, memory_limit, state, scheme)
        self.game = game
        self.memory_limit = memory_limit
        self.schedule = schedule or Schedule()
        self.scheme = self._whole.scheme
        self.state = self._whole.state
        self.rounds = 0
        """Rounds of this object."""
        self.merging_seconds = 0.0
        """Wall time in which they were merged."""
        self._work = ShardWork(game, self.state.seed, memory_limit, self.scheme)
        self.do_round = do_round or self._do_round_here
        self._news: Rows | None = None
        self._merger = ThreadPoolExecutor(1)

    def free_memory(self) -> int:
        """Bytes of the limit that neither the table nor its next growth needs."""
        return self._whole.free_memory()

    def progress(self) -> Progress:
        return self._whole.progress()

    def run(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Status:
        """Run rounds until `iterations` more are done, or `seconds` are over; else for ever.

        "full" if the memory limit ended the run. `on_progress` is called often, in the middle of
        rounds too, with what the rounds before have come to; there it may raise KeyboardInterrupt.
        The state holds whole rounds at any time but while they are merged, which no interrupt cuts.
        """
        self.prepare()
        state = self.state
        last = state.iteration + iterations if iterations is not None else 1 << 62
        deadline = time.perf_counter() + (seconds if seconds is not None else float("inf"))

        def tick() -> None:
            if on_progress is not None:
                on_progress(self.progress())

        while state.iteration < last and time.perf_counter() < deadline:
            start = time.perf_counter()
            try:
                state.table = make_room(state.table, self.memory_limit)
                parts = self.do_round(self._shards(), state.table, self._news, tick)
            except TableFullError:
                parts = None
            if parts is None:
                return "full"
            merging = self._merger.submit(self._merge, parts, start)
            join([merging])  # an interrupt is raised afterwards
            merging.result()
            tick()
        return "done"

    def prepare(self) -> None:
        """Compile the kernels, or load them, before the clock runs."""
        empty = new_table(1 << 22, classes=self.game.classes)
        part = self._work.run(Shard(0, 0, 1), empty)
        assert part is not None, "a table of 4 MiB holds what one iteration meets"
        merge(empty, [part.changes], 1 << 22)

    def _shards(self) -> list[Shard]:
        """Those of the next round."""
        done = self.state.iteration
        length = self.schedule.iterations(done, self.state.nodes)
        return [Shard(i, done + i * length, length) for i in range(self.schedule.shards)]

    def _do_round_here(
        self, shards: Sequence[Shard], table: Table, news: Rows | None, on_tick: Tick
    ) -> list[Part] | None:
        parts = []
        for shard in shards:
            part = self._work.run(shard, table, on_tick)
            if part is None:
                return None
            parts.append(part)
        return parts

    def _merge(self, parts: Sequence[Part], start: float) -> None:
        """Add what the shards of a round, begun at `start`, have done."""
        begin = time.perf_counter()
        state = self.state
        length = self.schedule.iterations(state.iteration, state.nodes)
        changes = [part.changes for part in parts]
        state.table, self._news = merge(state.table, changes, self.memory_limit)
        state.control[NEXT] += length * len(parts)
        state.control[NODES] += sum(part.nodes for part in parts)
        end = time.perf_counter()
        state.seconds += end - start
        self.rounds += 1
        self.merging_seconds += end - begin
