"""`pokerspiel bench scaling --plan`: what many workers would need, and how fast they would be.

Measured on this machine, by training for some seconds and taking a round apart: states a second of
one worker, and the seconds of copying, comparing, merging and taking over, per information set.
Computed from these: memory, bytes over the network, and the seconds of a round with any number of
workers, one shard each. What the network takes is bytes over bandwidth, all of it through the
machine that merges; delays, Ray's included, are left out. How many information sets change where v
states are visited is K v^β up to all of them, as for the words of texts (Heaps' law), with K and β
from a long and a short shard on this machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from math import ceil, log
from typing import Any

from pokerspiel.experiments.game_choice import with_usual_abstraction
from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.options import bytes_text, parse_bytes
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.train import ABSTRACTIONS, FEW_HANDS, HANDS
from pokerspiel.games.variants import Game
from pokerspiel.solvers.mccfr import estimate_size
from pokerspiel.solvers.sharded_mccfr import Part, Schedule, Shard, ShardedMccfr, ShardWork
from pokerspiel.solvers.table import SETS, USED, bytes_for, new_table
from pokerspiel.solvers.table_changes import changes_since, copied_table, merge, take_over

WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MACHINE_MEMORY = 64 << 30
"""Bytes of the machines that a table is counted in."""
SHORT = 16
"""How much shorter the short shard is."""
_KEY_BYTES = 10
"""Of a row of changes: key and number of actions."""
_VALUE_BYTES = 8
"""Of a row of changes, for each action: regret and average."""


@dataclass(frozen=True)
class Costs:
    """What one worker takes on this machine."""

    nodes_per_second: float
    """States visited, on one thread."""
    nodes_per_traversal: float
    sets: int
    """Information sets that were met."""
    shard_nodes: float
    shard_sets: float
    """Information sets that a shard of so many states has changed ..."""
    growth: float
    """... and the exponent β with which they grow."""
    actions: float
    """Mean number of actions of an information set."""
    copy_seconds: float
    """A byte of the table, to be copied."""
    compare_seconds: float
    """An information set in the table, to be searched for changes."""
    merge_seconds: float
    """An information set of a shard's changes, to be added."""
    take_seconds: float
    """An information set of the news, to be taken over."""

    @property
    def row_bytes(self) -> float:
        """Of an information set in changes or news."""
        return _KEY_BYTES + _VALUE_BYTES * self.actions

    def changed(self, nodes: float, sets: int) -> float:
        """Information sets, of so many, that change where so many states are visited."""
        met: float = self.shard_sets * (nodes / self.shard_nodes) ** self.growth
        return min(met, float(sets))


@dataclass(frozen=True)
class Round:
    """A round of so many workers, each with one shard: computed."""

    workers: int
    seconds: float
    traversals_per_second: float
    sampling: float
    """Share of the time in which workers traverse."""
    sets_of_shard: float
    """Information sets that a shard changes."""
    sets_of_round: float
    """Those that any shard changes."""
    bytes: float
    """Over the network of the machine that merges, to it and from it."""


def run(
    game_text: str,
    workers: int,
    sets: int | None,
    bandwidth: float,
    memory_limit: str,
    seconds: float,
    json: bool,
    quiet: bool,
) -> None:
    """Print the plan; `bandwidth` is in bytes a second, `sets` None is the estimate."""
    game = with_usual_abstraction(game_text, None, ABSTRACTIONS)
    note(f"{game}: measuring for {seconds:g} s", quiet)
    costs = measure(game, parse_bytes(memory_limit), seconds)
    guess = estimate_size(game, FEW_HANDS if game.classes else HANDS)
    wanted = sets or max(guess.information_sets, costs.sets)
    table = float(table_bytes_for(game, wanted, costs.actions))
    rounds = [simulate(costs, n, wanted, table, bandwidth) for n in WORKERS]
    chosen = simulate(costs, workers, wanted, table, bandwidth)
    document: dict[str, Any] = {
        "game": str(game),
        "information_sets": wanted,
        "given": sets is not None,
        "bandwidth": bandwidth,
        "measured": asdict(costs),
        "computed": {
            "table_bytes": table,
            "worker_bytes": 2 * table,
            "driver_bytes": table + (workers + 1) * chosen.sets_of_shard * costs.row_bytes,
            "round": asdict(chosen),
            "scaling": [asdict(each) for each in rounds],
        },
        **origin(),
    }
    if json:
        print_json(document)
    else:
        _print(document, costs, chosen, rounds)


def table_bytes_for(game: Game, sets: int, actions: float) -> int:
    """Bytes of a table of so many information sets."""
    classes = game.classes
    return bytes_for(ceil(sets / max(classes, 1)), actions, classes)


# Measured.


def measure(game: Game, memory_limit: int, seconds: float) -> Costs:
    """Train for some seconds, then take a round apart."""
    solver = ShardedMccfr(game, memory_limit=memory_limit)
    solver.run(seconds=seconds)
    state, schedule = solver.state, solver.schedule
    table, done = state.table, state.iteration
    length = schedule.iterations(done, state.nodes)
    work = ShardWork(game, state.seed, memory_limit, solver.scheme)
    room = new_table(memory_limit, classes=game.classes)
    used = int(table.counts[USED])
    room = copied_table(table, room)  # so that its pages are there
    copying, _ = _timed(lambda: copied_table(table, room))
    parts: list[Part] = []
    whole = 0.0
    for number in range(schedule.shards):
        shard = Shard(number, done + number * length, length)
        took, part = _timed(partial(work.run, shard, table))
        if part is None:
            raise ValueError("the memory limit ended the measurement: choose a larger one")
        parts.append(part)
        whole += took
    changes = [part.changes for part in parts]
    rows = sum(len(each.rows.keys) for each in changes)
    copy = copied_table(table, new_table(memory_limit, classes=game.classes))
    merging, (merged, news) = _timed(lambda: merge(room, changes, memory_limit))
    comparing, _ = _timed(lambda: changes_since(table, merged))
    taking, _ = _timed(lambda: take_over(copy, news, memory_limit))
    short = work.run(Shard(0, done, max(length // SHORT, 1)), table)
    assert short is not None, "a longer shard had room"
    sets = int(table.counts[SETS]) * max(game.classes, 1)
    nodes = sum(part.nodes for part in parts)
    sampling = max(whole - schedule.shards * (copying + comparing), 1e-9)
    return Costs(
        nodes_per_second=nodes / sampling,
        nodes_per_traversal=nodes / (schedule.shards * length * game.players),
        sets=sets,
        shard_nodes=parts[0].nodes,
        shard_sets=len(changes[0].rows.keys),
        growth=_growth(short, parts[0]),
        actions=used / (2.0 * sets),
        copy_seconds=copying / (table.slots.nbytes + 4 * used),
        compare_seconds=comparing / sets,
        merge_seconds=merging / rows,
        take_seconds=taking / max(len(news.keys), 1),
    )


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """(Processor seconds of some work of one thread, so that other work counts little; result)."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def _growth(short: Part, long: Part) -> float:
    """β of the sets that two shards have changed; 1, the most, if they were as long."""
    if long.nodes <= short.nodes:
        return 1.0
    sets = log(len(long.changes.rows.keys) / len(short.changes.rows.keys))
    nodes = log(long.nodes / short.nodes)
    return min(max(sets / nodes, 0.0), 1.0)


# Computed.


def simulate(costs: Costs, workers: int, sets: int, table: float, bandwidth: float) -> Round:
    """A late round, in which each shard visits as many states as a schedule allows.

    One worker is the process that merges, and needs no network.
    """
    nodes = float(Schedule().most_nodes)
    of_shard = costs.changed(nodes, sets)
    of_round = costs.changed(nodes * workers, sets)
    sampling = nodes / costs.nodes_per_second
    seconds = sampling + table * costs.copy_seconds + sets * costs.compare_seconds
    seconds += workers * of_shard * costs.merge_seconds
    sent = 0.0
    if workers > 1:
        sent = workers * (of_shard + of_round) * costs.row_bytes
        seconds += sent / bandwidth + of_round * costs.take_seconds
    return Round(
        workers=workers,
        seconds=seconds,
        traversals_per_second=workers * nodes / costs.nodes_per_traversal / seconds,
        sampling=sampling / seconds,
        sets_of_shard=of_shard,
        sets_of_round=of_round,
        bytes=sent,
    )


def _print(document: dict[str, Any], costs: Costs, chosen: Round, rounds: list[Round]) -> None:
    computed = document["computed"]
    sets, table = document["information_sets"], computed["table_bytes"]
    print_table(
        f"{document['game']}: measured on one thread of this machine",
        ("what", "measured>"),
        [
            ("states visited a second", f"{costs.nodes_per_second:,.0f}"),
            ("states visited a traversal", f"{costs.nodes_per_traversal:.1f}"),
            ("information sets changed by a shard", f"{costs.shard_sets:,.0f}"),
            ("... of so many states visited", f"{costs.shard_nodes:,.0f}"),
            ("... growing with this power of them", f"{costs.growth:.2f}"),
            ("copying the table", f"{1e-9 / costs.copy_seconds:.1f} GB/s"),
            ("comparing it, an information set", f"{1e9 * costs.compare_seconds:.0f} ns"),
            ("merging, a set of a shard", f"{1e9 * costs.merge_seconds:.0f} ns"),
            ("taking over, a set of the news", f"{1e9 * costs.take_seconds:.0f} ns"),
        ],
    )
    whose = "as given" if document["given"] else "at least"
    print_table(
        f"computed for {sets:,} information sets ({whose}) and {chosen.workers} workers",
        ("what", "computed>"),
        [
            ("the table", bytes_text(table)),
            ("memory of a worker: two tables", bytes_text(computed["worker_bytes"])),
            ("memory of the process that merges", bytes_text(computed["driver_bytes"])),
            ("network of that process, a round", bytes_text(chosen.bytes)),
            ("... and a second", bytes_text(chosen.bytes / chosen.seconds)),
            ("seconds of a round", f"{chosen.seconds:.2f}"),
        ],
    )
    one = rounds[0].traversals_per_second
    print_table(
        f"computed: a late round at {document['bandwidth'] / 125e6:g} Gbit/s, a shard a worker",
        ("workers>", "traversals/s>", "times>", "traversing>", "seconds>", "network>"),
        [
            (
                each.workers,
                f"{each.traversals_per_second:,.0f}",
                f"{each.traversals_per_second / one:.1f}",
                f"{each.sampling:.0%}",
                f"{each.seconds:.2f}",
                bytes_text(each.bytes),
            )
            for each in rounds
        ],
    )
    parts = ceil(table / MACHINE_MEMORY)
    split = f"{parts} x {bytes_text(table / parts)} on machines of {bytes_text(MACHINE_MEMORY)}"
    rows = bytes_text(chosen.sets_of_shard * costs.row_bytes)
    print(
        "A table must fit twice into the memory of every worker: one that is split among machines\n"
        "is not implemented. Split by the first bits of its keys, which are hashes, this one\n"
        f"would be {split}; a shard would fetch the\n"
        f"{chosen.sets_of_shard:,.0f} information sets that it meets, {rows}, and return as much."
    )
