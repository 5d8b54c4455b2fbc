"""The passes of CFR over a forest of deals with buckets of hands.

The value of a row to its place, from what ends before the place acts again, is

    value[row, hand] = sum over the ends after the row and over the columns of
                       pay[end, outcome of the column] * reach[end, case] * chance[column, hand]

where the reach of a case is the product of what the others' own actions contribute. The weights of
the columns are summed up first, for some rows at a time; one product of matrices then gives their
values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.algorithms import AVERAGE, NEGATIVE, POSITIVE, PREDICTION
from pokerspiel.solvers.bucket_columns import LANES, Columns
from pokerspiel.solvers.layout import aligned
from pokerspiel.solvers.passes import match
from pokerspiel.solvers.solver import ITERATION, NODES
from pokerspiel.solvers.vectors import eight, load, splat, store

BLOCK = 4
"""Rows whose values are one product of matrices."""


class Numbers(NamedTuple):
    """The numbers of a run, [(rows + 1) * width] each; see passes.py for their meaning."""

    value: np.ndarray
    behaviour: np.ndarray
    reach: np.ndarray
    regret: np.ndarray
    average: np.ndarray


class Room(NamedTuple):
    """Scratch for the weights of columns."""

    case: np.ndarray
    """[cases]: reach of each."""
    weight: np.ndarray
    """[BLOCK, columns]"""
    value: np.ndarray
    """[BLOCK * hands]"""


def new_room(columns: Columns, hands: int) -> Room:
    shape = (BLOCK, int(columns.first[-1]))
    return Room(np.zeros(len(columns.bucket)), np.zeros(shape), aligned(np.zeros(BLOCK * hands)))


@kernel
def value_ends(
    layout: Any,
    columns: Any,
    chances: Any,
    coefficient: Any,
    reach: Any,
    width: int,
    some: Any,
    into: Any,
    room: Any,
    value: Any,
) -> None:
    """Values of some rows, of which `some` are the numbers in `end_row`, from what ends after them.

    They are written to the rows `into` of `value` [rows * hands].
    """
    hands = chances.hands
    for start in range(0, len(some), BLOCK):
        count = min(BLOCK, len(some) - start)
        for i in range(count):
            row = some[start + i]
            _weigh_ends(layout, columns, coefficient, reach, width, row, room.case, room.weight[i])
        _multiply(room.weight, chances, room.value)
        for i in range(count):
            at = into[start + i] * hands
            for hand in range(hands):
                value[at + hand] = room.value[i * hands + hand]


@kernel
def _multiply(weight: Any, chances: Any, value: Any) -> None:
    """Let `value` [BLOCK * hands] be the product of `weight` [BLOCK, columns] and the chances."""
    zero = eight(0.0)
    hands = np.uint64(chances.hands)
    for chunk in range(np.uint64(len(chances.first) - 1)):
        a, b, c, d = zero, zero, zero, zero
        for entry in range(chances.first[chunk], chances.first[chunk + np.uint64(1)]):
            column = chances.column[entry]
            chance = load(chances.value, entry * np.uint64(LANES), zero)
            a = a + splat(weight[0, column], zero) * chance
            b = b + splat(weight[1, column], zero) * chance
            c = c + splat(weight[2, column], zero) * chance
            d = d + splat(weight[3, column], zero) * chance
        at = chunk * np.uint64(LANES)
        store(value, at, a)
        store(value, at + hands, b)
        store(value, at + np.uint64(2) * hands, c)
        store(value, at + np.uint64(3) * hands, d)


@kernel
def _weigh_ends(
    layout: Any,
    columns: Any,
    coefficient: Any,
    reach: Any,
    width: int,
    row: int,
    case: Any,
    weight: Any,
) -> None:
    """The weights of the columns for one row."""
    weight[:] = 0.0
    for end in range(layout.end_first[row], layout.end_first[row + 1]):
        _reach_of_cases(columns, layout.others[end], reach, width, case)
        for outcome in range(len(columns.first_case)):
            pay = coefficient[end, outcome]
            into = weight[columns.first[outcome] : columns.first[outcome + 1]]
            start = columns.first_case[outcome]
            cases = case[start : start + len(into)]
            for k in range(len(into)):
                into[k] += pay * cases[k]


@kernel
def _reach_of_cases(columns: Any, last_rows: Any, reach: Any, width: int, case: Any) -> None:
    case[:] = 1.0
    for other in range(len(last_rows)):
        theirs = reach[last_rows[other] * width : (last_rows[other] + 1) * width]
        for k in range(len(case)):
            case[k] *= theirs[columns.bucket[k, other]]


@kernel
def spread_reach(sets: Any, behaviour: Any, reach: Any, width: int) -> None:
    """The reach of a place's rows under its behaviour, from that of the beginning."""
    zero = eight(0.0)
    for s in range(len(sets)):
        first, actions, above = sets[s, 0], sets[s, 1], sets[s, 2]
        for b in range(0, width, LANES):
            before = load(reach, above * width + b, zero)
            for row in range(first, first + actions):
                at = row * width + b
                store(reach, at, before * load(behaviour, at, zero))


@kernel
def _add_reach(sets: Any, numbers: Any, width: int, fade: float) -> None:
    """Add the reach of the strategy just played to the average."""
    zero, old = eight(0.0), eight(fade)
    for s in range(len(sets)):
        first, actions = sets[s, 0], sets[s, 1]
        for at in range(first * width, (first + actions) * width, LANES):
            average = load(numbers.average, at, zero)
            store(numbers.average, at, average * old + load(numbers.reach, at, zero))


@kernel
def _update_sets(sets: Any, numbers: Any, width: int, buckets: int, rates: Any) -> None:
    """Regrets and behaviour of a place, from the values of what ends right after its rows."""
    zero = eight(0.0)
    for s in range(len(sets) - 1, -1, -1):
        first, actions, above, looked = sets[s, 0], sets[s, 1], sets[s, 2], sets[s, 3]
        if not looked:
            _level(numbers.value, first, actions, width, buckets)
        for b in range(0, width, LANES):
            start, step = np.uint64(first * width + b), np.uint64(width)
            v = match(numbers.value, numbers.behaviour, numbers.regret, start, step, actions, rates)
            at = above * width + b
            store(numbers.value, at, load(numbers.value, at, zero) + v)


@kernel
def _level(value: Any, first: int, actions: int, width: int, buckets: int) -> None:
    """Let the values of rows be the same for all buckets, and their sum the same as it was."""
    for row in range(first, first + actions):
        values = value[row * width : (row + 1) * width]
        values[:] = values.sum() / buckets


@kernel
def iterate(
    layouts: Any,
    columns: Any,
    chances: Any,
    coefficients: Any,
    numbers: Any,
    buckets: int,
    weights: Any,
    room: Any,
    control: Any,
    nodes: int,
) -> None:
    """One iteration of all places, in turn, for each row of `weights` (algorithms.py)."""
    width = chances.hands
    for t in range(len(weights)):
        rates = (weights[t, POSITIVE], weights[t, NEGATIVE], weights[t, PREDICTION])
        for place in range(len(layouts)):
            layout = layouts[place]
            numbers.value[:] = 0.0
            value_ends(
                layout,
                columns,
                chances,
                coefficients[place],
                numbers.reach,
                width,
                layout.acted,
                layout.acted_row,
                room,
                numbers.value,
            )
            _update_sets(layout.sets, numbers, width, buckets, rates)
            _add_reach(layout.sets, numbers, width, weights[t, AVERAGE])
            spread_reach(layout.sets, numbers.behaviour, numbers.reach, width)
        control[ITERATION] += 1
        control[NODES] += nodes
