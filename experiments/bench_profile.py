"""`pokerspiel bench profile`: where an iteration of CFR spends its time, and how far that is from
the speed of the memory.

Each pass over the sequence form is timed by itself and set against the bytes that it reads and
writes. The limit is what the machine moves on arrays as large as all that the passes use: a scaled
sum of two arrays, written back to the first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.cfr import Cfr
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.layout import Layout, aligned, padded
from pokerspiel.solvers.passes import add_reach, terminal_values, update_regrets
from pokerspiel.solvers.vectors import eight, load, splat, store

GAMES = ("kuhn_poker", "leduc_poker", "liars_dice")
ROUNDS, SECONDS = 7, 0.1
_DOUBLE, _INDEX = 8, 4


def run(games: Sequence[str], json: bool, quiet: bool) -> None:
    results = []
    for game in games:
        note(f"profiling {game} ...", quiet)
        results.append(profile(game))
    if json:
        print_json({"games": results})
    else:
        for result in results:
            _print(result)


def profile(game: str) -> dict[str, Any]:
    """Times, bytes and limit of CFR+ on one game, one thread."""
    tree = compile_tree(game)
    solver = Cfr(tree, "cfr+")
    solver.run(10)
    layout, state = solver.form.layout, solver.state
    moved = bytes_moved(layout)
    work: dict[str, Callable[[int], None]] = {
        "terminal values": lambda n: _repeat_values(layout, state, n),
        "regrets": lambda n: _repeat_regrets(layout, state, n),
        "reach and average": lambda n: _repeat_reach(layout, state, n),
    }
    seconds = {name: _seconds(repeat) for name, repeat in work.items()}
    whole = _seconds(solver.advance)
    used = layout_bytes(layout) + sum(array.nbytes for array in state)
    limit = bandwidth(used)
    passes = [
        {
            "pass": name,
            "seconds": seconds[name],
            "bytes": moved[name],
            "bytes_per_second": moved[name] / seconds[name],
        }
        for name in work
    ]
    return {
        "game": tree.game,
        "layout": "lanes" if layout.blocks.width else "sparse rows",
        "iterations_per_second": 1.0 / whole,
        "passes": passes,
        "bytes": sum(moved.values()),
        "working_set": used,
        "limit_bytes_per_second": limit,
        "limit_iterations_per_second": limit / sum(moved.values()),
        "share_of_limit": sum(moved.values()) / whole / limit,
    }


def _seconds(repeat: Callable[[int], None]) -> float:
    """Of one repetition: the least of several rounds."""
    repeat(1)
    start, n = time.perf_counter(), 1
    while (spent := time.perf_counter() - start) < SECONDS:
        repeat(n)
        n *= 2
    n = max(1, int(n * SECONDS / spent / 2))
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        repeat(n)
        best = min(best, (time.perf_counter() - start) / n)
    return best


def bytes_moved(layout: Layout) -> dict[str, int]:
    """Bytes that each pass reads and writes in one iteration, wherever they lie."""
    groups = layout.groups.astype(np.int64)
    places = int((groups[:, 1] * groups[:, 2]).sum())
    sets = int(groups[:, 2].sum())
    width, entries, rows = layout.blocks.width, len(layout.values), len(layout.rows)
    if width:
        size = 4 if width <= 4 else padded(width)
        one = 2 * _DOUBLE + _INDEX + width * _DOUBLE * (1 + size)
        values = entries * one + rows * (_INDEX + width * _DOUBLE)
    else:
        values = entries * (2 * _DOUBLE + _INDEX) + rows * (_DOUBLE + _INDEX)
    return {
        "terminal values": values,
        "regrets": places * 5 * _DOUBLE + sets * (_INDEX + 2 * _DOUBLE),
        "reach and average": places * 5 * _DOUBLE + sets * (_INDEX + _DOUBLE),
    }


def layout_bytes(layout: Layout) -> int:
    """Bytes of all arrays of a layout."""
    arrays = [*layout, *layout.blocks]
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


def bandwidth(working_set: int) -> float:
    """Bytes that one thread moves a second on arrays of this size together."""
    n = max(64, working_set // (2 * _DOUBLE) // 8 * 8)
    a, b = aligned(np.ones(n)), aligned(np.ones(n))
    return 3 * _DOUBLE * n / _seconds(lambda repetitions: _stream(a, b, repetitions))


@kernel
def _stream(a: Any, b: Any, repetitions: int) -> None:
    zero = eight(0.0)
    half = splat(0.5, zero)
    for _ in range(repetitions):
        for i in range(np.uint64(0), np.uint64(len(a)), np.uint64(8)):
            store(a, i, load(a, i, zero) * half + load(b, i, zero))


@kernel
def _repeat_values(layout: Any, state: Any, repetitions: int) -> None:
    for _ in range(repetitions):
        for player in range(layout.group_first.shape[0]):
            for part in range(layout.group_first.shape[1] - 1):
                terminal_values(layout, player, part, state.reach, state.value)


@kernel
def _repeat_regrets(layout: Any, state: Any, repetitions: int) -> None:
    for _ in range(repetitions):
        for player in range(layout.group_first.shape[0]):
            for part in range(layout.group_first.shape[1] - 1):
                update_regrets(layout, player, part, state, 1.0, 0.0, 0.0)


@kernel
def _repeat_reach(layout: Any, state: Any, repetitions: int) -> None:
    for _ in range(repetitions):
        for player in range(layout.group_first.shape[0]):
            for part in range(layout.group_first.shape[1] - 1):
                add_reach(layout, player, part, state, 0.5)


def _print(result: dict[str, Any]) -> None:
    total = sum(row["seconds"] for row in result["passes"])
    rows = [
        (
            row["pass"],
            f"{row['seconds'] * 1e6:,.2f}",
            f"{row['seconds'] / total:.0%}",
            f"{row['bytes'] / 1e3:,.1f}",
            f"{row['bytes_per_second'] / 1e9:.0f}",
        )
        for row in result["passes"]
    ]
    title = (
        f"{result['game']}, {result['layout']}: {result['iterations_per_second']:,.0f} iterations/s"
    )
    print_table(title, ("pass", "µs>", "share>", "kB moved>", "GB/s>"), rows)
    print(
        f"memory moves {result['limit_bytes_per_second'] / 1e9:.0f} GB/s on the "
        f"{result['working_set'] / 1e6:,.2f} MB in use, which would allow "
        f"{result['limit_iterations_per_second']:,.0f} iterations/s: "
        f"{result['share_of_limit']:.0%} of it is reached\n"
    )
