"""A growing hash table of information sets that several threads fill at once.

`slots` is an open-addressing table with linear probing of pairs (key, entry), where an entry packs
the index of the first value (48 bits) and the number of actions (16 bits). The values of an
information set with n actions are n cumulative regrets followed by n sums of the average strategy.

Of a game with classes of hands (`Game.classes`) the last bits of a key are the class of the hand
and the rest is the situation, in which all classes have the same actions. One slot then serves a
whole situation, and its values are a dense block [classes, 2n]. Without classes the whole key is
the situation, and a block has one row. The values are reserved as virtual memory.

Values are float32, 24 bits. An increment of the t-th iteration weighs t of the t**2 / 2 that a sum
has gathered, or 1 of about t once the weights are constant: at an information set that every
iteration visits, an increment is 1 / t to 2 / t of what it is added to, and becomes as small as the
rounding after some 10**7 iterations. A set that one iteration in k visits has k times as many.

Threads share one table without locks: claiming a slot and reserving values are atomic. Sums of
values may race, so that with several threads an update is lost now and then. The slots never move
while kernels run: whoever runs them calls `make_room` in between when `is_crowded` says so. An
information set that finds no room before that is not stored.

Keys must be hashes, uniform over the 53 bits above the class; the situation 0 is never stored.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.deals import NO_CLASS
from pokerspiel.solvers.atomics import atomic_add, compare_and_swap, prefetch
from pokerspiel.solvers.pages import copy_in_pages, zeros_in_pages

# Indices of `Table.counts`.
SETS = 0
"""Situations stored: information sets, if the game has no classes."""
USED = 1
"""Values in use."""
MAX_SETS = 2
"""With more situations than this the table is crowded."""
MAX_USED = 3
"""With more values than this the table is crowded."""
UNSTORED = 4
"""Visits to information sets that found no room."""
CONFLICTS = 5
"""Visits to information sets with a broken key: one whose situation is stored with another number
of actions, or that names a class which the game does not have."""
CAPACITY = 6
"""Values that fit into the memory limit beside the slots: no more are ever used."""
_COUNTS = 7

NOT_STORED = -1
_ACTION_BITS = 16
_CLASS_BITS = 11
_SLOT_BYTES = 16
_VALUE_BYTES = 4
_RESERVE = 1 / 32
"""Share of the values that is kept for the iterations under way when the table gets crowded."""


class Table(NamedTuple):
    """The arrays of the table; kernels take it as one argument."""

    slots: np.ndarray
    """[2 * slots] uint64, in pairs: a situation, 0 where free, and its entry."""
    values: np.ndarray
    """float32: of each information set the regrets, then the sums of the average strategy."""
    counts: np.ndarray
    """[7] int64: see SETS, USED, MAX_SETS, MAX_USED, UNSTORED, CONFLICTS and CAPACITY."""
    classes: int
    """Classes of hands that keys name, 0 if they name none."""


class TableFullError(MemoryError):
    """The table may not grow within its memory limit."""


def new_table(memory_limit: int, slots: int = 1 << 16, classes: int = 0) -> Table:
    """An empty table that will take at most `memory_limit` bytes; `slots` is a power of two.

    The values are reserved at once as virtual memory, which becomes real where it is used: they
    never move. Raises ValueError if not even the empty slots fit or the machine has less memory.
    """
    if slots < 16 or slots & (slots - 1):
        raise ValueError(f"slots={slots} is not a power of two, 16 or more")
    if not 0 <= classes <= NO_CLASS:
        raise ValueError(f"classes={classes} is not allowed: expected 0 to {NO_CLASS}")
    if memory_limit < 2 * _SLOT_BYTES * slots:
        needed = 2 * _SLOT_BYTES * slots
        raise ValueError(f"memory_limit={memory_limit} bytes: at least {needed} are needed")
    counts = np.zeros(_COUNTS, np.int64)
    table = Table(
        zeros_in_pages(2 * slots, np.uint64), _reserved_values(memory_limit), counts, classes
    )
    _set_bounds(table, memory_limit, 0.5)
    return table


def restored_table(
    slots: np.ndarray, values: np.ndarray, counts: np.ndarray, classes: int, limit: int
) -> Table:
    """A table with copies of these arrays, free to grow to `limit` bytes.

    Raises ValueError if it is larger already, or of another format.
    """
    if values.dtype != np.float32 or len(counts) != _COUNTS:
        raise ValueError(f"a table of an older format, of {values.dtype}: train anew")
    size = slots.nbytes + int(counts[USED]) * _VALUE_BYTES
    if size > limit:
        raise ValueError(f"memory_limit={limit} bytes: the table takes {size} already")
    reserved = _reserved_values(limit)
    reserved[: counts[USED]] = values[: counts[USED]]
    table = Table(copy_in_pages(slots), reserved, np.array(counts), classes)
    _set_bounds(table, limit, 0.5)
    return table


def _reserved_values(memory_limit: int) -> np.ndarray:
    try:
        return zeros_in_pages(memory_limit // _VALUE_BYTES, np.float32)
    except MemoryError:
        raise ValueError(
            f"memory_limit={memory_limit} bytes: more than this machine can give"
        ) from None


def table_bytes(table: Table) -> int:
    """Bytes in use: all slots, and the values of the information sets stored."""
    return int(table.slots.nbytes + table.counts[USED] * _VALUE_BYTES)


def growth_bytes(table: Table) -> int:
    """Bytes that the next `make_room` takes for a moment, if there is room for them."""
    return 2 * table.slots.nbytes if table.counts[SETS] > table.counts[MAX_SETS] else 0


def bytes_for(situations: int, actions: float, classes: int = 0) -> int:
    """Bytes of a table of so many situations with so many actions each on average."""
    slots = 1 << max(16, (2 * situations - 1).bit_length())
    block = 2 * _VALUE_BYTES * actions * max(classes, 1)
    return slots * _SLOT_BYTES + int(block * situations)


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
        slots = zeros_in_pages(2 * len(table.slots), np.uint64)
        _rehash(table.slots, slots)
        table = table._replace(slots=slots)
        _set_bounds(table, memory_limit, 0.5)
        return table
    _set_bounds(table, memory_limit, 0.75)
    if counts[SETS] > counts[MAX_SETS]:
        raise TableFullError(f"the table may not grow within {memory_limit} bytes")
    return table


def _set_bounds(table: Table, memory_limit: int, load: float) -> None:
    """Let the table be crowded above this load of the slots, or when its values fill the limit."""
    capacity = (memory_limit - table.slots.nbytes) // _VALUE_BYTES
    table.counts[MAX_SETS] = int(load * len(table.slots) / 2)
    table.counts[CAPACITY] = capacity
    table.counts[MAX_USED] = int(capacity * (1 - _RESERVE))


@kernel
def _home(slots: Any, situation: int) -> Any:
    """The slot where the search for a situation begins, whether its last bits are 0 or not."""
    mask = np.uint64((len(slots) >> 1) - 1)
    return (np.uint64(situation) ^ np.uint64(situation) >> np.uint64(_CLASS_BITS)) & mask


@kernel
def _split(classes: int, key: int) -> Any:
    """(Situation, row of its block) of a key. Without a hand it is row 0, as in a chart.

    The row is NOT_STORED if the game has no such class.
    """
    if classes == 0:
        return np.uint64(key), np.int64(0)
    situation = np.uint64(key) & ~np.uint64(NO_CLASS)
    row: Any = np.int64(np.uint64(key) & np.uint64(NO_CLASS))
    if row >= classes:
        row = 0 if row == NO_CLASS else NOT_STORED
    return situation, row


@kernel
def _rehash(old: Any, new: Any) -> None:
    mask = np.uint64((len(new) >> 1) - 1)
    for i in range(0, len(old), 2):
        situation = old[i]
        if situation == 0:
            continue
        slot = _home(new, situation)
        while new[slot << np.uint64(1)] != 0:
            slot = (slot + np.uint64(1)) & mask
        at = np.int64(slot << np.uint64(1))
        new[at] = situation
        new[at + 1] = old[i + 1]


@kernel
def prefetch_slot(table: Any, key: int) -> None:
    """Fetch the slot of `key`, which will be looked up later."""
    situation, _ = _split(table.classes, key)
    prefetch(table.slots, np.int64(_home(table.slots, situation) << np.uint64(1)))


@kernel
def prefetch_values(table: Any, values: Any, key: int, n: int) -> None:
    """Fetch the first values of `key`, whose slot is at hand, if it is in its first place."""
    situation, row = _split(table.classes, key)
    slots = table.slots
    at = _home(slots, situation) << np.uint64(1)
    if slots[at] == situation:
        first = np.int64(slots[at + np.uint64(1)] >> np.uint64(_ACTION_BITS))
        prefetch(values, first + row * 2 * n)


@kernel
def find(table: Any, key: int, n: int) -> Any:
    """Index of the first value of the information set `key` with `n` actions, or NOT_STORED."""
    slots = table.slots
    situation, row = _split(table.classes, key)
    mask = np.uint64((len(slots) >> 1) - 1)
    slot = _home(slots, situation)
    while True:
        at = slot << np.uint64(1)
        stored = slots[at]
        if stored == situation:
            return _first_value(slots[at + np.uint64(1)], n, row)
        if stored == 0:
            return NOT_STORED
        slot = (slot + np.uint64(1)) & mask


@kernel
def find_or_add(table: Any, key: int, n: int) -> Any:
    """Index of the first value of the information set `key` with `n` actions, stored if it is new.

    NOT_STORED if there is no room, or if another thread is storing the same set this very moment.
    """
    slots = table.slots
    situation, row = _split(table.classes, key)
    mask = np.uint64((len(slots) >> 1) - 1)
    slot = _home(slots, situation)
    while True:
        at = slot << np.uint64(1)
        stored = slots[at]
        if stored == situation:
            entry = slots[at + np.uint64(1)]
            first = _first_value(entry, n, row)
            if first == NOT_STORED and entry != 0:
                atomic_add(table.counts, CONFLICTS, 1)
            return first
        if stored == 0:
            return _add(table, situation, n, row, slot)
        slot = (slot + np.uint64(1)) & mask


@kernel
def _first_value(entry: int, n: int, row: int) -> Any:
    """Index of the row's first value, NOT_STORED if the entry is empty or has not `n` actions."""
    if np.int64(entry & np.uint64((1 << _ACTION_BITS) - 1)) != n or row == NOT_STORED:
        return NOT_STORED
    return np.int64(entry >> np.uint64(_ACTION_BITS)) + row * 2 * n


@kernel
def _add(table: Any, situation: int, n: int, row: int, slot: Any) -> Any:
    """Store a situation in the free `slot`, or in the next free one if another thread is faster."""
    counts = table.counts
    slots = table.slots
    size = len(slots) >> 1
    if row == NOT_STORED:
        atomic_add(counts, CONFLICTS, 1)
        return NOT_STORED
    block = 2 * n * max(table.classes, 1)
    if counts[SETS] >= size - (size >> 3) or counts[USED] + block > counts[CAPACITY]:
        atomic_add(counts, UNSTORED, 1)
        return NOT_STORED
    first = atomic_add(counts, USED, block)
    if first + block > counts[CAPACITY]:
        atomic_add(counts, USED, -block)
        return NOT_STORED
    mask = np.uint64(size - 1)
    while True:
        at = np.int64(slot << np.uint64(1))
        stored = compare_and_swap(slots, at, np.uint64(0), situation)
        if stored == 0:
            slots[at + 1] = np.uint64(first << _ACTION_BITS | n)
            atomic_add(counts, SETS, 1)
            return first + row * 2 * n
        if stored == situation:
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


@kernel
def _count_visited(slots: Any, values: Any, rows: int) -> Any:
    visited = 0
    for i in range(1, len(slots), 2):
        n = np.int64(slots[i] & np.uint64((1 << _ACTION_BITS) - 1))
        first = np.int64(slots[i] >> np.uint64(_ACTION_BITS))
        for row in range(rows if n > 0 else 0):
            total = 0.0
            for j in range(first + row * 2 * n + n, first + (row + 1) * 2 * n):
                total += values[j]
            visited += total > 0.0
    return visited


def visited_sets(table: Table) -> int:
    """Information sets whose average strategy is known: of a situation, some classes only."""
    return int(_count_visited(table.slots, table.values, max(table.classes, 1)))
