"""A growing hash table of information sets that several threads fill at once.

`slots` is an open-addressing table with linear probing of pairs (key, entry), where an entry packs
the index of the first value (48 bits) and the number of actions (16 bits). The values of an
information set with n actions are n cumulative regrets followed by n sums of the average strategy.

Threads share one table without locks: claiming a slot and reserving values are atomic. Sums of
values may race, so that with several threads an update is lost now and then. The slots never move
while kernels run: whoever runs them calls `make_room` in between when `is_crowded` says so. An
information set that finds no room before that is not stored.

Keys must be hashes, uniform over 64 bits; the key 0 is never stored.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.atomics import atomic_add, compare_and_swap, prefetch

# Indices of `Table.counts`.
SETS = 0
"""Information sets stored."""
USED = 1
"""Values in use."""
MAX_SETS = 2
"""With more information sets than this the table is crowded."""
MAX_USED = 3
"""With more values than this the table is crowded."""
UNSTORED = 4
"""Visits to information sets that found no room."""
CONFLICTS = 5
"""Visits to information sets whose key is stored with another number of actions: a broken key."""
_COUNTS = 6

NOT_STORED = -1
_ACTION_BITS = 16
_SLOT_BYTES = 16
_VALUE_BYTES = 8


class Table(NamedTuple):
    """The arrays of the table; kernels take it as one argument."""

    slots: np.ndarray
    """[2 * slots] uint64, in pairs: a key, 0 where free, and its entry."""
    values: np.ndarray
    """float64: of each information set the regrets, then the sums of the average strategy."""
    counts: np.ndarray
    """[6] int64: see SETS, USED, MAX_SETS, MAX_USED, UNSTORED and CONFLICTS."""


class TableFullError(MemoryError):
    """The table may not grow within its memory limit."""


def new_table(memory_limit: int, slots: int = 1 << 16) -> Table:
    """An empty table that will take at most `memory_limit` bytes; `slots` is a power of two.

    The values are reserved at once as virtual memory, which becomes real where it is used: they
    never move. Raises ValueError if not even the empty slots fit or the machine has less memory.
    """
    if slots < 16 or slots & (slots - 1):
        raise ValueError(f"slots={slots} is not a power of two, 16 or more")
    if memory_limit < 2 * _SLOT_BYTES * slots:
        needed = 2 * _SLOT_BYTES * slots
        raise ValueError(f"memory_limit={memory_limit} bytes: at least {needed} are needed")
    counts = np.zeros(_COUNTS, np.int64)
    table = Table(np.zeros(2 * slots, np.uint64), _reserved_values(memory_limit), counts)
    _set_bounds(table, memory_limit, 0.5)
    return table


def restored_table(slots: np.ndarray, values: np.ndarray, counts: np.ndarray, limit: int) -> Table:
    """A table with copies of these arrays, free to grow to `limit` bytes.

    Raises ValueError if it is larger already.
    """
    size = slots.nbytes + int(counts[USED]) * _VALUE_BYTES
    if size > limit:
        raise ValueError(f"memory_limit={limit} bytes: the table takes {size} already")
    reserved = _reserved_values(limit)
    reserved[: counts[USED]] = values[: counts[USED]]
    table = Table(slots.copy(), reserved, counts.copy())
    _set_bounds(table, limit, 0.5)
    return table


def _reserved_values(memory_limit: int) -> np.ndarray:
    try:
        return np.zeros(memory_limit // _VALUE_BYTES)
    except MemoryError:
        raise ValueError(
            f"memory_limit={memory_limit} bytes: more than this machine can give"
        ) from None


def table_bytes(table: Table) -> int:
    """Bytes in use: all slots, and the values of the information sets stored."""
    return int(table.slots.nbytes + table.counts[USED] * _VALUE_BYTES)


def bytes_for(information_sets: int, actions: float) -> int:
    """Bytes of a table of so many information sets with so many actions each on average."""
    slots = 1 << max(16, (2 * information_sets - 1).bit_length())
    return slots * _SLOT_BYTES + int(2 * _VALUE_BYTES * actions * information_sets)


def make_room(table: Table, memory_limit: int) -> Table:
    """A crowded table with room for more: twice the slots, or if these do not fit into
    `memory_limit` bytes beside the old ones, the old slots filled further, to three quarters.

    Raises TableFullError if the limit allows neither. The result shares the values of `table`.
    """
    counts = table.counts
    if counts[USED] > counts[MAX_USED]:
        raise TableFullError(f"the table holds the {memory_limit} bytes that it may take")
    if counts[SETS] <= counts[MAX_SETS]:
        return table
    if 2 * table.slots.nbytes + table_bytes(table) <= memory_limit:
        slots = np.zeros(2 * len(table.slots), np.uint64)
        _rehash(table.slots, slots)
        table = Table(slots, table.values, counts)
        _set_bounds(table, memory_limit, 0.5)
        return table
    _set_bounds(table, memory_limit, 0.75)
    if counts[SETS] > counts[MAX_SETS]:
        raise TableFullError(f"the table may not grow within {memory_limit} bytes")
    return table


def _set_bounds(table: Table, memory_limit: int, load: float) -> None:
    """Let the table be crowded above this load of the slots, or when its values fill the limit."""
    table.counts[MAX_SETS] = int(load * len(table.slots) / 2)
    table.counts[MAX_USED] = (memory_limit - table.slots.nbytes) // _VALUE_BYTES


@kernel
def _rehash(old: Any, new: Any) -> None:
    mask = np.uint64((len(new) >> 1) - 1)
    for i in range(0, len(old), 2):
        key = old[i]
        if key == 0:
            continue
        slot = key & mask
        while new[slot << np.uint64(1)] != 0:
            slot = (slot + np.uint64(1)) & mask
        at = np.int64(slot << np.uint64(1))
        new[at] = key
        new[at + 1] = old[i + 1]


@kernel
def prefetch_slot(slots: Any, key: int) -> None:
    """Fetch the slot of `key`, which will be looked up later."""
    mask = np.uint64((len(slots) >> 1) - 1)
    prefetch(slots, np.int64((np.uint64(key) & mask) << np.uint64(1)))


@kernel
def prefetch_values(slots: Any, values: Any, key: int) -> None:
    """Fetch the first values of `key`, whose slot is at hand, if it is in its first place."""
    mask = np.uint64((len(slots) >> 1) - 1)
    at = (np.uint64(key) & mask) << np.uint64(1)
    if slots[at] == np.uint64(key):
        prefetch(values, np.int64(slots[at + np.uint64(1)] >> np.uint64(_ACTION_BITS)))


@kernel
def find(table: Any, key: int, n: int) -> Any:
    """Index of the first value of the information set `key` with `n` actions, or NOT_STORED."""
    slots = table.slots
    mask = np.uint64((len(slots) >> 1) - 1)
    slot = np.uint64(key) & mask
    while True:
        at = slot << np.uint64(1)
        stored = slots[at]
        if stored == np.uint64(key):
            return _first_value(slots[at + np.uint64(1)], n)
        if stored == 0:
            return NOT_STORED
        slot = (slot + np.uint64(1)) & mask


@kernel
def find_or_add(table: Any, key: int, n: int) -> Any:
    """Index of the first value of the information set `key` with `n` actions, stored if it is new.

    NOT_STORED if there is no room, or if another thread is storing the same set this very moment.
    """
    slots = table.slots
    mask = np.uint64((len(slots) >> 1) - 1)
    slot = np.uint64(key) & mask
    while True:
        at = slot << np.uint64(1)
        stored = slots[at]
        if stored == np.uint64(key):
            entry = slots[at + np.uint64(1)]
            first = _first_value(entry, n)
            if first == NOT_STORED and entry != 0:
                atomic_add(table.counts, CONFLICTS, 1)
            return first
        if stored == 0:
            return _add(table, np.uint64(key), n, slot)
        slot = (slot + np.uint64(1)) & mask


@kernel
def _first_value(entry: int, n: int) -> Any:
    """Index of the first value, NOT_STORED if the entry is empty or has not `n` actions."""
    if np.int64(entry & np.uint64((1 << _ACTION_BITS) - 1)) != n:
        return NOT_STORED
    return np.int64(entry >> np.uint64(_ACTION_BITS))


@kernel
def _add(table: Any, key: int, n: int, slot: Any) -> Any:
    """Store `key` in the free `slot`, or in the next free one if another thread is faster."""
    counts = table.counts
    slots = table.slots
    size = len(slots) >> 1
    if counts[SETS] >= size - (size >> 3) or counts[USED] + 2 * n > len(table.values):
        atomic_add(counts, UNSTORED, 1)
        return NOT_STORED
    first = atomic_add(counts, USED, 2 * n)
    if first + 2 * n > len(table.values):
        atomic_add(counts, USED, -2 * n)
        return NOT_STORED
    mask = np.uint64(size - 1)
    while True:
        at = np.int64(slot << np.uint64(1))
        stored = compare_and_swap(slots, at, np.uint64(0), key)
        if stored == 0:
            slots[at + 1] = np.uint64(first << _ACTION_BITS | n)
            atomic_add(counts, SETS, 1)
            return first
        if stored == key:
            return NOT_STORED
        slot = (slot + np.uint64(1)) & mask


@kernel
def is_crowded(table: Any) -> Any:
    counts = table.counts
    return counts[SETS] > counts[MAX_SETS] or counts[USED] > counts[MAX_USED]


@kernel
def average_strategy(table: Any, key: int, n: int, out: Any) -> Any:
    """Write the average strategy of `key` to out[:n]; uniform and False if it is unknown."""
    first = find(table, key, n)
    total = 0.0
    if first != NOT_STORED:
        for i in range(n):
            out[i] = table.values[first + n + i]
            total += out[i]
    for i in range(n):
        out[i] = out[i] / total if total > 0.0 else 1.0 / n
    return total > 0.0
