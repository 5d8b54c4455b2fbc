"""Rows that a network cannot tell apart, found by a hash and learnt as one.

In small games a network sees the same thousands of times. For a loss that is linear in what the
network should answer, up to a constant, as squared errors and cross-entropies are, rows of the same
input say no more than one row with their mean answer and their common weight: nothing is lost, and
a mini-batch that holds all of them is no longer left to chance.

Letters: N rows, D numbers of an input, A action numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import mix


def row_keys(inputs: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """[N] uint64: a hash of what a network sees, [N, D] float32, and may do, [N, A] bool."""
    keys = np.zeros(len(inputs), np.uint64)
    _write_keys(np.ascontiguousarray(inputs).view(np.uint32), legal, keys)
    return keys


@kernel
def _write_keys(words: Any, legal: Any, keys: Any) -> None:
    for row in range(len(keys)):
        key = np.uint64(0)
        for i in range(words.shape[1]):
            if words[row, i] != 0:
                key = mix(key, np.uint64(i) << np.uint64(32) | np.uint64(words[row, i]))
        for action in range(legal.shape[1]):
            if legal[row, action]:
                key = mix(key, np.uint64(action))
        keys[row] = key


@kernel
def enter_keys(keys: Any, known: Any, n: int, slots: Any, places: Any) -> int:
    """Write at which place of `known` each of some keys stands; new ones come behind the others.

    `known` has `n` places in use and room for all that may come. `slots` is a table of places, -1
    where it is empty, with a power of two of them, more than half of them empty at all times.
    Returns how many places are in use now.
    """
    last = np.uint64(len(slots) - 1)
    for row in range(len(keys)):
        slot = keys[row] & last
        while slots[slot] >= 0 and known[slots[slot]] != keys[row]:
            slot = (slot + np.uint64(1)) & last
        if slots[slot] < 0:
            slots[slot] = n
            known[n] = keys[row]
            n += 1
        places[row] = slots[slot]
    return n


def new_slots(rows: int) -> np.ndarray:
    """An empty table for so many rows."""
    return np.full(4 << max(rows - 1, 1).bit_length() - 1, -1, np.int64)


def equal_rows(inputs: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """([N] int64: to which group of equal rows each belongs, [groups]: one row of each).

    Groups are numbered as they appear, and the first row of each is given.
    """
    keys = row_keys(inputs, legal)
    groups = np.zeros(len(keys), np.int64)
    n = enter_keys(keys, np.zeros_like(keys), 0, new_slots(len(keys)), groups)
    first = np.zeros(n, np.int64)
    first[groups[::-1]] = np.arange(len(keys))[::-1]
    return groups, first


@kernel
def add_rows(rows: Any, places: Any, out: Any) -> None:
    """Add each of some rows [N, A] to the row of `out` at its place."""
    for row in range(len(rows)):
        for i in range(rows.shape[1]):
            out[places[row], i] += rows[row, i]


def merged(
    inputs: np.ndarray, legal: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(A row of each group of equal ones [G], sums of its `rows` [N, A], how many they are [G])."""
    groups, first = equal_rows(inputs, legal)
    sums = np.zeros((len(first), rows.shape[1]))
    add_rows(rows, groups, sums)
    return first, sums, np.bincount(groups, minlength=len(first))
