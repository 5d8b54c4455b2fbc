"""The passes over a deal with all hands at once: values, regrets, reach.

Half an iteration updates one player: the ends of its rows are valued from the other's reach, then
its regrets and reach are updated, and then what it does before it looks, which no card decides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.atomics import prefetch
from pokerspiel.solvers.hand_sums import LANES, sweep
from pokerspiel.solvers.passes import match
from pokerspiel.solvers.vectors import (
    eight,
    larger,
    load,
    splat,
    store,
    sum_of,
    transpose,
    where_positive,
)

TILE = LANES * LANES
_AHEAD = np.uint64(3)
"""Chunks whose numbers are asked for before they are needed: memory takes longer than a chunk."""


class Desk(NamedTuple):
    """Room for the sweeps of one thread."""

    lose: np.ndarray
    tie: np.ndarray
    win: np.ndarray
    """[chunks * 64]"""
    total: np.ndarray
    """[kinds * 8]"""
    tile: np.ndarray
    """[3 * 64]"""


@kernel
def value_ends(
    layout: Any, numbers: Any, theirs: Any, their_rows: int, sums: Any, desk: Any
) -> None:
    """Values of all rows of a player from what ends right after them."""
    for group in range(np.uint64(len(layout.lanes))):
        flat = layout.flat[group] != 0
        gather_ends(layout, numbers, theirs, their_rows, group, desk)
        sweep(sums, flat, desk.lose, desk.tie, desk.win, desk.total)
        spread_values(layout, numbers, group, desk)


@kernel
def gather_ends(
    layout: Any, numbers: Any, theirs: Any, their_rows: Any, group: Any, desk: Any
) -> None:
    """The weights of a group's sweep: what its ends pay, times the other's reach."""
    zero = eight(0.0)
    group, their_rows, chunks = np.uint64(group), np.uint64(their_rows), layout.shape[2]
    lanes, tile = np.uint64(LANES), np.uint64(TILE)
    for chunk in range(chunks):
        for lane in range(lanes):
            x, y, z = zero, zero, zero
            first = group * lanes + lane
            for e in range(layout.entry_first[first], layout.entry_first[first + np.uint64(1)]):
                row, blind = layout.entry_row[e], layout.entry_blind[e]
                r = load(theirs.blind_reach, blind * lanes, zero)
                if row != blind:
                    place = (chunk * their_rows + row) * lanes
                    prefetch(theirs.reach, place + _AHEAD * their_rows * lanes)
                    r = r * load(theirs.reach, place, zero)
                at = np.uint64(3) * e
                x = x + splat(numbers.coefficient[at], zero) * r
                y = y + splat(numbers.coefficient[at + np.uint64(1)], zero) * r
                z = z + splat(numbers.coefficient[at + np.uint64(2)], zero) * r
            store(desk.tile, lane * lanes, x)
            store(desk.tile, tile + lane * lanes, y)
            store(desk.tile, np.uint64(2) * tile + lane * lanes, z)
        transpose(desk.tile, np.uint64(0), desk.lose, chunk * tile)
        if layout.flat[group] == 0:
            transpose(desk.tile, tile, desk.tie, chunk * tile)
            transpose(desk.tile, np.uint64(2) * tile, desk.win, chunk * tile)


@kernel
def spread_values(layout: Any, numbers: Any, group: Any, desk: Any) -> None:
    """Give the values of a group's rows, after its sweep, to the player's numbers."""
    zero = eight(0.0)
    group, rows, chunks = np.uint64(group), layout.shape[1], layout.shape[2]
    lanes, tile = np.uint64(LANES), np.uint64(TILE)
    for chunk in range(chunks):
        transpose(desk.lose, chunk * tile, desk.tile, np.uint64(0))
        for lane in range(layout.lanes[group]):
            row = layout.lane_row[group * lanes + lane]
            at = (chunk * rows + row) * lanes
            store(numbers.value, at, load(desk.tile, lane * lanes, zero))


@kernel(inline=True)
def _clear_bare(layout: Any, numbers: Any, base: Any) -> None:
    zero = eight(0.0)
    for i in range(np.uint64(len(layout.bare))):
        store(numbers.value, base + layout.bare[i] * np.uint64(LANES), zero)


@kernel(inline=True)
def _add(array: Any, at: Any, v: Any) -> None:
    store(array, at, load(array, at, v) + v)


@kernel
def update_hands(layout: Any, numbers: Any, rates: Any, fade: float) -> None:
    """Regrets, strategies, averages and reach of a player who has looked."""
    zero, one = eight(0.0), eight(1.0)
    lanes = np.uint64(LANES)
    sets = layout.sets
    blind, rows = layout.shape[0], layout.shape[1]
    old = splat(fade, zero)
    for chunk in range(layout.shape[2]):
        base = chunk * rows * lanes
        _clear_bare(layout, numbers, base)
        for i in range(len(sets) - 1, -1, -1):
            s: Any = np.uint64(i)
            at = base + sets[s, 0] * lanes
            v = match(
                numbers.value, numbers.behaviour, numbers.regret, at, lanes, sets[s, 1], rates
            )
            _add(numbers.value, base + sets[s, 2] * lanes, v)
        for s in range(np.uint64(len(sets))):
            above = one
            if sets[s, 2] >= blind:
                above = load(numbers.reach, base + sets[s, 2] * lanes, zero)
            before = load(numbers.blind_reach, sets[s, 3] * lanes, zero)
            start = base + sets[s, 0] * lanes
            for at in range(start, start + sets[s, 1] * lanes, lanes):
                played = before * load(numbers.reach, at, zero)
                store(numbers.average, at, load(numbers.average, at, zero) * old + played)
                store(numbers.reach, at, above * load(numbers.behaviour, at, zero))


@kernel
def sum_blind_values(layout: Any, numbers: Any) -> None:
    """The values of the blind rows, over all hands."""
    zero = eight(0.0)
    lanes = np.uint64(LANES)
    rows = layout.shape[1]
    for row in range(layout.shape[0]):
        v = zero
        for chunk in range(layout.shape[2]):
            v = v + load(numbers.value, (chunk * rows + row) * lanes, zero)
        store(numbers.blind_value, row * lanes, splat(sum_of(v), zero))


@kernel
def update_blind(layout: Any, numbers: Any, rates: Any, fade: float) -> None:
    """The same for what the player does before it looks; blind_value[0] is the whole deal's."""
    zero = eight(0.0)
    lanes = np.uint64(LANES)
    sets = layout.blind_sets
    sum_blind_values(layout, numbers)
    value, behaviour, regret = numbers.blind_value, numbers.blind_behaviour, numbers.blind_regret
    old = splat(fade, zero)
    for i in range(len(sets) - 1, -1, -1):
        s: Any = np.uint64(i)
        v = match(value, behaviour, regret, sets[s, 0] * lanes, lanes, sets[s, 1], rates)
        _add(value, sets[s, 2] * lanes, v)
    for s in range(np.uint64(len(sets))):
        above = load(numbers.blind_reach, sets[s, 2] * lanes, zero)
        start = sets[s, 0] * lanes
        for at in range(start, start + sets[s, 1] * lanes, lanes):
            average = load(numbers.blind_average, at, zero)
            store(numbers.blind_average, at, average * old + load(numbers.blind_reach, at, zero))
            store(numbers.blind_reach, at, above * load(behaviour, at, zero))


@kernel
def update_player(layout: Any, numbers: Any, weights: Any) -> None:
    """What follows the values of the ends in half an iteration."""
    rates = (weights[0], weights[1], weights[3])
    update_hands(layout, numbers, rates, weights[2])
    if len(layout.blind_sets) > 0:
        update_blind(layout, numbers, rates, weights[2])


@kernel
def iterate_deal(
    first: Any,
    first_numbers: Any,
    second: Any,
    second_numbers: Any,
    weights: Any,
    sums: Any,
    desk: Any,
) -> None:
    """One iteration of both players, in turn, for each row of `weights` (algorithms.py)."""
    rows = (first.shape[1], second.shape[1])
    for t in range(len(weights)):
        value_ends(first, first_numbers, second_numbers, rows[1], sums, desk)
        update_player(first, first_numbers, weights[t])
        value_ends(second, second_numbers, first_numbers, rows[0], sums, desk)
        update_player(second, second_numbers, weights[t])


# Evaluation: the behaviour is fixed.


@kernel
def spread_behaviour(layout: Any, numbers: Any) -> None:
    """The reach of a player under its behaviour."""
    zero, one = eight(0.0), eight(1.0)
    lanes = np.uint64(LANES)
    sets, blind_sets = layout.sets, layout.blind_sets
    blind, rows = layout.shape[0], layout.shape[1]
    for s in range(np.uint64(len(blind_sets))):
        above = load(numbers.blind_reach, blind_sets[s, 2] * lanes, zero)
        start = blind_sets[s, 0] * lanes
        for at in range(start, start + blind_sets[s, 1] * lanes, lanes):
            store(numbers.blind_reach, at, above * load(numbers.blind_behaviour, at, zero))
    for chunk in range(layout.shape[2]):
        base = chunk * rows * lanes
        for s in range(np.uint64(len(sets))):
            above = one
            if sets[s, 2] >= blind:
                above = load(numbers.reach, base + sets[s, 2] * lanes, zero)
            start = base + sets[s, 0] * lanes
            for at in range(start, start + sets[s, 1] * lanes, lanes):
                store(numbers.reach, at, above * load(numbers.behaviour, at, zero))


@kernel(inline=True)
def _mean(value: Any, behaviour: Any, start: Any, n: Any) -> Any:
    zero = eight(0.0)
    v = zero
    for at in range(start, start + n * np.uint64(LANES), np.uint64(LANES)):
        v = v + load(value, at, zero) * load(behaviour, at, zero)
    return v


@kernel(inline=True)
def _best(value: Any, behaviour: Any, start: Any, n: Any) -> Any:
    """The value of the best action; `behaviour` becomes to play the first of those."""
    zero, one = eight(0.0), eight(1.0)
    lanes = np.uint64(LANES)
    end = start + n * lanes
    v = load(value, start, zero)
    for at in range(start + lanes, end, lanes):
        v = larger(v, load(value, at, zero))
    left = one
    for at in range(start, end, lanes):
        chosen = where_positive(v - load(value, at, zero), zero, left)
        store(behaviour, at, chosen)
        left = left - chosen
    return v


@kernel
def value_of_deal(layout: Any, numbers: Any, best: bool) -> Any:
    """Value of a player's behaviour where `numbers.value` holds the ends, which it destroys.

    With `best` it is the value of the best response, which takes the place of the behaviour.
    """
    lanes = np.uint64(LANES)
    sets, blind_sets = layout.sets, layout.blind_sets
    for chunk in range(layout.shape[2]):
        base = chunk * layout.shape[1] * lanes
        _clear_bare(layout, numbers, base)
        for i in range(len(sets) - 1, -1, -1):
            s: Any = np.uint64(i)
            start = base + sets[s, 0] * lanes
            v = _value_of_set(numbers.value, numbers.behaviour, start, sets[s, 1], best)
            _add(numbers.value, base + sets[s, 2] * lanes, v)
    sum_blind_values(layout, numbers)
    value, behaviour = numbers.blind_value, numbers.blind_behaviour
    for i in range(len(blind_sets) - 1, -1, -1):
        s = np.uint64(i)
        v = _value_of_set(value, behaviour, blind_sets[s, 0] * lanes, blind_sets[s, 1], best)
        _add(value, blind_sets[s, 2] * lanes, v)
    return value[0]


@kernel(inline=True)
def _value_of_set(value: Any, behaviour: Any, start: Any, n: Any, best: bool) -> Any:
    if best:
        return _best(value, behaviour, start, n)
    return _mean(value, behaviour, start, n)


@kernel
def average_behaviour(layout: Any, numbers: Any, out: Any) -> None:
    """Let the behaviour of `out` be the average strategy of `numbers`."""
    lanes = np.uint64(LANES)
    for chunk in range(layout.shape[2]):
        base = chunk * layout.shape[1] * lanes
        for s in range(np.uint64(len(layout.sets))):
            start = base + layout.sets[s, 0] * lanes
            _normalise(numbers.average, start, layout.sets[s, 1], out.behaviour)
    for s in range(np.uint64(len(layout.blind_sets))):
        start = layout.blind_sets[s, 0] * lanes
        _normalise(numbers.blind_average, start, layout.blind_sets[s, 1], out.blind_behaviour)


@kernel(inline=True)
def _normalise(average: Any, start: Any, n: Any, out: Any) -> None:
    zero, one = eight(0.0), eight(1.0)
    lanes = np.uint64(LANES)
    end = start + n * lanes
    total = zero
    for at in range(start, end, lanes):
        total = total + load(average, at, zero)
    share = where_positive(total, one / total, zero)
    rest = where_positive(total, zero, splat(1.0 / np.float64(n), zero))
    for at in range(start, end, lanes):
        store(out, at, load(average, at, zero) * share + rest)
