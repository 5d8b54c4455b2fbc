"""An average strategy to play from: sorted keys and probabilities, a tenth of the solver's table.

The arrays `keys`, `first` and `probabilities` are what a bot file holds. `directory` is derived
from them: it gives for each range of keys where to look, on average at one key.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.table import SETS, USED, Table


class Blueprint(NamedTuple):
    """The arrays of a blueprint; kernels take it as one argument."""

    keys: np.ndarray
    """[N] uint64, ascending: the information sets."""
    first: np.ndarray
    """[N + 1] uint32: index of the first probability of each information set, and the end."""
    probabilities: np.ndarray
    """float32: of each information set the probabilities of its legal actions, ascending."""
    directory: np.ndarray
    """[max(N, 1) + 1] uint32: number of keys below each of as many equal ranges of the hash."""


def new_blueprint(keys: np.ndarray, first: np.ndarray, probabilities: np.ndarray) -> Blueprint:
    """The blueprint with these arrays. Raises ValueError if they do not fit together."""
    n = len(keys)
    if len(first) != n + 1 or first[0] != 0 or first[-1] != len(probabilities):
        raise ValueError(
            f"blueprint of {n} keys, {len(first)} indices and {len(probabilities)} probabilities"
        )
    if np.any(keys[1:] <= keys[:-1]) or np.any(first[1:] <= first[:-1]):
        raise ValueError("keys and indices of a blueprint must ascend")
    ranges = max(n, 1)
    of_key = (keys >> np.uint64(32)) * np.uint64(ranges) >> np.uint64(32)
    directory = np.searchsorted(of_key, np.arange(ranges + 1, dtype=np.uint64))
    return Blueprint(
        np.ascontiguousarray(keys, np.uint64),
        np.ascontiguousarray(first, np.uint32),
        np.ascontiguousarray(probabilities, np.float32),
        directory.astype(np.uint32),
    )


def average_blueprint(table: Table) -> Blueprint:
    """The average strategy of all information sets whose average is known.

    Raises ValueError if it has 2**32 probabilities or more, or its keys name classes of hands:
    `average_chart` is for these.
    """
    if table.classes:
        raise ValueError(f"a table with {table.classes} classes of hands makes a chart")
    if table.counts[USED] // 2 >= 1 << 32:
        raise ValueError(f"{table.counts[USED] // 2} probabilities do not fit into a blueprint")
    keys = np.zeros(table.counts[SETS], np.uint64)
    entries = np.zeros(table.counts[SETS], np.uint64)
    n = _collect(table.slots, table.values, keys, entries)
    order = np.argsort(keys[:n])
    keys = keys[:n][order]
    entries = entries[:n][order]
    first = np.zeros(n + 1, np.int64)
    np.cumsum(entries & np.uint64(0xFFFF), out=first[1:])
    probabilities = np.zeros(first[-1], np.float32)
    _normalise(table.values, entries, first, probabilities)
    return new_blueprint(keys, first.astype(np.uint32), probabilities)


@kernel
def _collect(slots: Any, values: Any, keys: Any, entries: Any) -> int:
    """Write the keys and entries of the sets with an average, and give their number."""
    n = 0
    for i in range(0, len(slots), 2):
        entry = slots[i + 1]
        if entry != 0 and _total(values, entry) > 0.0:
            keys[n] = slots[i]
            entries[n] = entry
            n += 1
    return n


@kernel
def _total(values: Any, entry: int) -> float:
    """Sum of the average strategy of the table's entry."""
    actions = np.int64(entry & np.uint64(0xFFFF))
    start = np.int64(entry >> np.uint64(16)) + actions
    total = 0.0
    for i in range(start, start + actions):
        total += values[i]
    return total


@kernel
def _normalise(values: Any, entries: Any, first: Any, probabilities: Any) -> None:
    for k in range(len(entries)):
        actions = first[k + 1] - first[k]
        start = np.int64(entries[k] >> np.uint64(16)) + actions
        total = _total(values, entries[k])
        for i in range(actions):
            probabilities[first[k] + i] = values[start + i] / total


@kernel
def blueprint_strategy(blueprint: Any, key: int, n: int, out: Any) -> bool:
    """Write the strategy of `key` with `n` actions to out[:n]; uniform and False if unknown."""
    keys = blueprint.keys
    directory = blueprint.directory
    ranges = np.uint64(len(directory) - 1)
    place = np.int64(((np.uint64(key) >> np.uint64(32)) * ranges) >> np.uint64(32))
    low = np.int64(directory[place])
    high = np.int64(directory[place + 1])
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < np.uint64(key):
            low = middle + 1
        else:
            high = middle
    found = low < len(keys) and keys[low] == np.uint64(key)
    start = np.int64(blueprint.first[low])
    if not found or np.int64(blueprint.first[low + 1]) - start != n:
        for i in range(n):
            out[i] = 1.0 / n
        return False
    for i in range(n):
        out[i] = blueprint.probabilities[start + i]
    return True
