"""What shards of iterations have learnt in copies of a table, and adding it to the table.

Several copies of one table learn from different iterations. What each has added to the sums of its
information sets are its *changes*: of the sets touched only. They are differences of float32,
rounded once more where a sum has grown by more than its double. A round adds them in a fixed order:
all of the averages, but of the regrets the mean over the shards. Each shard corrects its regrets
by itself, so that S shards that are added up correct them S times: with four of them the regrets of
Svara swing ever wider, and exploitability stays where it began. (As in distributed gradient descent
that averages the models of workers after many steps of each, McMahan et al. 2017.) Regret matching
does not care for the scale of regrets, and an information set that few shards meet loses nothing.

What comes of it are the *news*, the new values of all sets that any shard has touched, by which
every other copy of the table becomes the same, bit for bit, slots included: new sets are stored in
the order of the lists, and a table grows at the very set that makes it crowded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.pages import zeros_in_pages
from pokerspiel.solvers.table import (
    CONFLICTS,
    NOT_STORED,
    SETS,
    UNSTORED,
    USED,
    Table,
    TableFullError,
    find,
    find_or_add,
    is_crowded,
    make_room,
)

_ACTION_BITS = 16


class Rows(NamedTuple):
    """Information sets with numbers for each of their values."""

    keys: np.ndarray
    """[K] uint64"""
    actions: np.ndarray
    """[K] uint16: how many each has."""
    values: np.ndarray
    """float32: of each set 2n numbers, as in a table."""

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)


class Changes(NamedTuple):
    """What was added to a table."""

    rows: Rows
    """Differences."""
    unstored: int
    conflicts: int
    """Visits more than before: see UNSTORED and CONFLICTS of `table.py`."""


def copied_table(table: Table, room: Table) -> Table:
    """A copy of `table` in the arrays of `room`, a table of the same limit that held another one.

    The copy has the slots of `room` where they are as many.
    """
    used, filled = int(table.counts[USED]), int(room.counts[USED])
    room.values[:used] = table.values[:used]
    room.values[used:filled] = 0.0
    slots = (
        room.slots
        if len(room.slots) == len(table.slots)
        else zeros_in_pages(len(table.slots), np.uint64)
    )
    slots[:] = table.slots
    room.counts[:] = table.counts
    return room._replace(slots=slots)


def changes_since(before: Table, after: Table) -> Changes:
    """What was added to `before` to make `after`, which began as a copy of it."""
    rows = max(after.classes, 1)
    most, used = int(after.counts[SETS]) * rows, int(after.counts[USED])
    out = Rows(np.zeros(most, np.uint64), np.zeros(most, np.uint16), np.zeros(used, np.float32))
    sets, numbers = _collect(
        after.slots, before.values, after.values, int(before.counts[USED]), rows, out
    )
    found = Rows(out.keys[:sets].copy(), out.actions[:sets].copy(), out.values[:numbers].copy())
    more = after.counts - before.counts
    return Changes(found, int(more[UNSTORED]), int(more[CONFLICTS]))


@kernel
def _collect(slots: Any, before: Any, after: Any, used: int, classes: int, out: Any) -> Any:
    """Write the sets that differ; (how many there are, how many values they have).

    Blocks from `used` on are new: before they were 0, and one without changes is a row as well.
    """
    sets = numbers = 0
    for slot in range(0, len(slots), 2):
        if slots[slot] == 0:
            continue
        entry = slots[slot + 1]
        n: Any = np.int64(entry & np.uint64((1 << _ACTION_BITS) - 1))
        block = np.int64(entry >> np.uint64(_ACTION_BITS))
        new = block >= used
        for row in range(classes):
            first = block + row * 2 * n
            differs = new and row == 0
            for i in range(2 * n):
                old = np.float32(0.0) if new else before[first + i]
                difference = after[first + i] - old
                out.values[numbers + i] = difference
                differs = differs or difference != 0.0
            if differs:
                out.keys[sets] = slots[slot] | np.uint64(row)
                out.actions[sets] = n
                sets += 1
                numbers += 2 * n
    return sets, numbers


def merge(table: Table, shards: Sequence[Changes], limit: int) -> tuple[Table, Rows]:
    """Add the mean of the shards' regrets and all their averages; gives the table and the news.

    The shards are added in this order, and the table grows within `limit` bytes. Sets that find no
    room are counted as unstored.
    """
    for changes in shards:
        table = _apply(table, changes.rows, limit, 1.0 / len(shards))
        table.counts[UNSTORED] += changes.unstored
        table.counts[CONFLICTS] += changes.conflicts
    return table, _news(table, [changes.rows for changes in shards])


def take_over(table: Table, news: Rows, limit: int) -> Table:
    """Bring a copy up to date with the table that the news come from."""
    return _apply(table, news, limit, None)


def _apply(table: Table, rows: Rows, limit: int, of_regrets: float | None) -> Table:
    """Add the rows, of their regrets this share; None: put them in the place of the old values."""
    share = np.float32(of_regrets or 0.0)
    place = np.zeros(2, np.int64)
    full = False
    while place[0] < len(rows.keys):
        _write(table, rows, place, of_regrets is not None, share, full)
        try:
            table = make_room(table, limit)
        except TableFullError:
            full = True
    return table


@kernel
def _write(table: Any, rows: Any, place: Any, adds: bool, of_regrets: float, to_end: bool) -> None:
    """Write the rows from `place` (row, value) on, all or until the table is crowded."""
    values = table.values
    number = place[1]
    for row in range(place[0], len(rows.keys)):
        n: Any = np.int64(rows.actions[row])
        first = find_or_add(table, rows.keys[row], n)
        if first != NOT_STORED and adds:
            for i in range(n):
                values[first + i] += of_regrets * rows.values[number + i]
                values[first + n + i] += rows.values[number + n + i]
        elif first != NOT_STORED:
            for i in range(2 * n):
                values[first + i] = rows.values[number + i]
        number += 2 * n
        place[0], place[1] = row + 1, number
        if is_crowded(table) and not to_end:
            break


def _news(table: Table, shards: Sequence[Rows]) -> Rows:
    """The values of all sets of the shards, each once, in the order in which they are stored."""
    keys = np.concatenate([rows.keys for rows in shards])
    actions = np.concatenate([rows.actions for rows in shards])
    seen = np.zeros(int(table.counts[USED]) // 16 + 1, np.uint8)
    values = np.zeros(2 * int(actions.sum(dtype=np.int64)), np.float32)
    sets, numbers = _gather(table, keys, actions, seen, values)
    return Rows(keys[:sets].copy(), actions[:sets].copy(), values[:numbers].copy())


@kernel
def _gather(table: Any, keys: Any, actions: Any, seen: Any, values: Any) -> Any:
    """Move the first row of each set to the front and write its values; how many there are.

    Blocks begin at even places: `seen` has a bit for each of these.
    """
    sets = numbers = 0
    for row in range(len(keys)):
        n: Any = np.int64(actions[row])
        first = find(table, keys[row], n)
        if first == NOT_STORED:
            continue
        byte, bit = first >> 4, np.uint8(1 << ((first >> 1) & 7))
        if seen[byte] & bit:
            continue
        seen[byte] |= bit
        keys[sets] = keys[row]
        actions[sets] = n
        for i in range(2 * n):
            values[numbers + i] = table.values[first + i]
        sets += 1
        numbers += 2 * n
    return sets, numbers
