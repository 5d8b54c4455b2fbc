"""The passes over a sequence form: values up, regrets, reach down.

All arrays are indexed by place (see layout.py), float64:

| array | holds |
|---|---|
| `value` | value of a place to its player, times the reach of chance and the others |
| `behaviour` | probability of the action in its set |
| `reach` | the player's own probability of playing to the place |
| `regret` | cumulative regret, discounted |
| `average` | discounted sum of the reach of the strategies played |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.vectors import (
    eight,
    four,
    gather,
    larger,
    load,
    scatter_add,
    splat,
    store,
    store_first,
    sum_of,
    where_positive,
)

LANES = 8
"""Sets of a group that are worked on at once."""


@kernel(fuse=True)
def multiply_joint(layout: Any, player: int, reach: Any, joint: Any) -> None:
    """Products of the others' reaches, for games of three players or more."""
    first = layout.joint_first[player]
    indices = layout.joint
    for k in range(layout.joint_first[player + 1] - first):
        product = 1.0
        for q in range(indices.shape[1]):
            product *= reach[indices[first + k, q]]
        joint[k] = product


@kernel(fuse=True, inline=True)
def terminal_values(layout: Any, player: int, part: int, y: Any, value: Any) -> None:
    """Values of the places of one part from the hands that end right after them."""
    if layout.blocks.width > 0:
        _block_values(layout, player, part, y, value)
        return
    runs = layout.runs
    for run in range(layout.run_first[player, part], layout.run_first[player, part + 1]):
        length = runs[run, 2]
        if length == 0:
            for r in range(runs[run, 0], runs[run, 1]):
                value[layout.rows[r]] = 0.0
        elif length == 1:
            _sum_rows(layout, run, y, value, (0,))
        elif length == 2:
            _sum_rows(layout, run, y, value, (0, 0))
        elif length == 3:
            _sum_rows(layout, run, y, value, (0, 0, 0))
        elif length == 4:
            _sum_rows(layout, run, y, value, (0, 0, 0, 0))
        elif length == 5:
            _sum_rows(layout, run, y, value, (0, 0, 0, 0, 0))
        elif length == 6:
            _sum_rows(layout, run, y, value, (0, 0, 0, 0, 0, 0))
        elif length == 7:
            _sum_rows(layout, run, y, value, (0, 0, 0, 0, 0, 0, 0))
        elif length == 8:
            _sum_rows(layout, run, y, value, (0, 0, 0, 0, 0, 0, 0, 0))
        else:
            _sum_long_rows(layout, run, y, value)


@kernel(fuse=True, inline=True)
def _sum_rows(layout: Any, run: int, y: Any, value: Any, entries: Any) -> None:
    """The rows of a run; the number of their entries is told by the length of a tuple."""
    runs, rows, columns, values = layout.runs, layout.rows, layout.columns, layout.values
    i = runs[run, 3]
    for r in range(runs[run, 0], runs[run, 1]):
        total = 0.0
        for k in range(len(entries)):
            total += values[i + np.uint64(k)] * y[columns[i + np.uint64(k)]]
        value[rows[r]] = total
        i += np.uint64(len(entries))


@kernel(inline=True)
def _sum_long_rows(layout: Any, run: int, y: Any, value: Any) -> None:
    """The rows of a run, four entries at a time; long rows are padded to a multiple of four."""
    runs, rows, columns, values = layout.runs, layout.rows, layout.columns, layout.values
    zero = four(0.0)
    length, i = runs[run, 2], runs[run, 3]
    for r in range(runs[run, 0], runs[run, 1]):
        total = zero
        for k in range(i, i + length, np.uint64(4)):
            total = total + load(values, k, zero) * gather(y, columns, k, zero)
        value[rows[r]] = sum_of(total)
        i += length


@kernel(inline=True)
def _block_values(layout: Any, player: int, part: int, y: Any, value: Any) -> None:
    """`terminal_values` of a game with lanes.

    The number of lanes is told by the length of a tuple, which the compiler knows.
    """
    width = layout.blocks.width
    if width == 8:
        _sum_blocks(layout, player, part, y, value, eight(0.0), (0, 0, 0, 0, 0, 0, 0, 0))
    elif width == 7:
        _sum_blocks(layout, player, part, y, value, eight(0.0), (0, 0, 0, 0, 0, 0, 0))
    elif width == 6:
        _sum_blocks(layout, player, part, y, value, eight(0.0), (0, 0, 0, 0, 0, 0))
    elif width == 5:
        _sum_blocks(layout, player, part, y, value, eight(0.0), (0, 0, 0, 0, 0))
    elif width == 4:
        _sum_blocks(layout, player, part, y, value, four(0.0), (0, 0, 0, 0))
    else:
        _sum_wide_blocks(layout, player, part, y, value)


@kernel
def _sum_blocks(
    layout: Any, player: int, part: int, y: Any, value: Any, zero: Any, lanes: Any
) -> None:
    """Each row: the sum over its entries of value * matrix * reach of the other player's lanes."""
    for run in range(layout.run_first[player, part], layout.run_first[player, part + 1]):
        length = layout.runs[run, 2]
        if length == 1:
            _sum_block_rows(layout, player, run, y, value, zero, lanes, (0,))
        elif length == 2:
            _sum_block_rows(layout, player, run, y, value, zero, lanes, (0, 0))
        else:
            _sum_block_rows(layout, player, run, y, value, zero, lanes, range(length))


@kernel(inline=True)
def _sum_block_rows(
    layout: Any, player: int, run: int, y: Any, value: Any, zero: Any, lanes: Any, entries: Any
) -> None:
    """The rows of a run, which have as many entries as `entries` is long."""
    runs, rows, columns, values = layout.runs, layout.rows, layout.columns, layout.values
    matrix, numbers = layout.blocks.matrix, layout.blocks.numbers
    begin = layout.blocks.first[player]
    size = np.uint64(4 if len(lanes) <= 4 else 8)
    matrix_size = size * np.uint64(len(lanes))
    entry = runs[run, 3]
    for row in range(runs[run, 0], runs[run, 1]):
        total = zero
        for _ in range(len(entries)):
            lane = np.uint64(columns[entry])
            at = begin + matrix[entry] * matrix_size
            product = load(numbers, at, zero) * splat(y[lane], zero)
            for k in range(1, len(lanes)):
                reach = splat(y[lane + np.uint64(k)], zero)
                product = product + load(numbers, at + np.uint64(k) * size, zero) * reach
            total = total + splat(values[entry], zero) * product
            entry += np.uint64(1)
        store_first(value, np.uint64(rows[row]), total, len(lanes))


@kernel
def _sum_wide_blocks(layout: Any, player: int, part: int, y: Any, value: Any) -> None:
    """The same for any number of lanes, eight at a time."""
    runs, rows, columns, values = layout.runs, layout.rows, layout.columns, layout.values
    matrix, numbers, first = layout.blocks.matrix, layout.blocks.numbers, layout.blocks.first
    zero, width = eight(0.0), np.uint64(layout.blocks.width)
    room = (width + np.uint64(7)) // np.uint64(8) * np.uint64(8)
    for run in range(layout.run_first[player, part], layout.run_first[player, part + 1]):
        length = runs[run, 2]
        for row in range(runs[run, 0], runs[run, 1]):
            start = runs[run, 3] + (row - runs[run, 0]) * length
            for chunk in range(np.uint64(0), width, np.uint64(8)):
                total = zero
                for entry in range(start, start + length):
                    product = zero
                    u = first[player] + matrix[entry] * room * width + chunk
                    for k in range(width):
                        reach = splat(y[np.uint64(columns[entry]) + k], zero)
                        product = product + load(numbers, u, zero) * reach
                        u += room
                    total = total + splat(values[entry], zero) * product
                left = np.int64(width - chunk)
                store_first(value, np.uint64(rows[row]) + chunk, total, min(left, 8))


@kernel
def lift(layout: Any, player: int, value: Any) -> None:
    """Add the values of a player's stubs to the places that they stand for."""
    links = layout.links
    for link in range(layout.link_first[player], layout.link_first[player + 1]):
        value[links[link, 1]] += value[links[link, 0]]


@kernel
def lower(layout: Any, player: int, reach: Any) -> None:
    """Give the stubs of a player the reach of the places that they stand for."""
    links = layout.links
    for link in range(layout.link_first[player], layout.link_first[player + 1]):
        reach[links[link, 0]] = reach[links[link, 1]]


@kernel(inline=True)
def update_regrets(
    layout: Any,
    player: int,
    part: int,
    state: Any,
    positive: float,
    negative: float,
    prediction: float,
) -> None:
    """Add the regrets of one part from the leaves up, discount them, and match them.

    For each set, with v the value of its strategy and r = value - v:

        R <- max(R + r, 0) * positive + min(R + r, 0) * negative
        behaviour ∝ max(max(R, 0) + prediction * r, 0), uniform where all are zero
    """
    groups, above = layout.groups, layout.above
    value, behaviour, regret = state.value, state.behaviour, state.regret
    first, last = layout.group_first[player, part], layout.group_first[player, part + 1]
    for group in range(last - 1, first - 1, -1):
        base, n, m, entry = groups[group, 0], groups[group, 1], groups[group, 2], groups[group, 3]
        for i in range(np.uint64(0), m, np.uint64(LANES)):
            start = base + i
            rates = (positive, negative, prediction)
            v = match(value, behaviour, regret, start, m, n, rates)
            scatter_add(value, above, entry + i, v)


@kernel(inline=True)
def match(value: Any, behaviour: Any, regret: Any, start: int, m: int, n: int, rates: Any) -> Any:
    """Update eight sets of `n` actions, the places of an action `m` apart, and give their values.

    `rates` are the factors of positive and negative regrets and the weight of the prediction.
    """
    if n == 2:
        v = _match(value, behaviour, regret, start, m, rates, (0, 0))
    elif n == 3:
        v = _match(value, behaviour, regret, start, m, rates, (0, 0, 0))
    else:
        v = _match(value, behaviour, regret, start, m, rates, range(n))
    return v


@kernel(inline=True)
def _match(
    value: Any, behaviour: Any, regret: Any, start: int, m: int, rates: Any, actions: Any
) -> Any:
    """Update eight sets and give their values.

    They have as many actions as `actions` is long: a tuple, whose length the compiler knows and
    which spares it a loop, or a range.
    """
    zero, one = eight(0.0), eight(1.0)
    positive, negative, prediction = eight(rates[0]), eight(rates[1]), eight(rates[2])
    v = zero
    for a in range(len(actions)):
        at = start + np.uint64(a) * m
        v = v + load(value, at, zero) * load(behaviour, at, zero)
    total = zero
    for a in range(len(actions)):
        at = start + np.uint64(a) * m
        r = load(value, at, zero) - v
        sum_ = load(regret, at, zero) + r
        gain = larger(sum_, zero)
        kept = gain * positive
        store(regret, at, kept + (sum_ - gain) * negative)
        p = larger(kept + prediction * r, zero)
        store(behaviour, at, p)
        total = total + p
    share = where_positive(total, one / total, zero)
    rest = where_positive(total, zero, eight(1.0 / np.float64(len(actions))))
    for a in range(len(actions)):
        at = start + np.uint64(a) * m
        store(behaviour, at, load(behaviour, at, zero) * share + rest)
    return v


@kernel(inline=True)
def add_reach(layout: Any, player: int, part: int, state: Any, discount: float) -> None:
    """Add the reach of the strategy just played to the average, then set that of the new one."""
    groups, above = layout.groups, layout.above
    behaviour, reach, average = state.behaviour, state.reach, state.average
    zero, fade = eight(0.0), eight(discount)
    for group in range(layout.group_first[player, part], layout.group_first[player, part + 1]):
        base, n, m, entry = groups[group, 0], groups[group, 1], groups[group, 2], groups[group, 3]
        end = base + n * m
        for i in range(np.uint64(0), m, np.uint64(LANES)):
            parent = gather(reach, above, entry + i, zero)
            for at in range(base + i, end, m):
                store(average, at, load(average, at, zero) * fade + load(reach, at, zero))
                store(reach, at, parent * load(behaviour, at, zero))


@kernel
def spread_reach(layout: Any, player: int, behaviour: Any, reach: Any) -> None:
    """The reach of all of a player's places under `behaviour`, from that of the root."""
    top = layout.group_first[player, 1]
    _spread(layout, layout.group_first[player, 0], top, behaviour, reach)
    lower(layout, player, reach)
    _spread(layout, top, layout.group_first[player, -1], behaviour, reach)


@kernel
def _spread(layout: Any, first: int, last: int, behaviour: Any, reach: Any) -> None:
    groups, above = layout.groups, layout.above
    zero = eight(0.0)
    for group in range(first, last):
        base, n, m, entry = groups[group, 0], groups[group, 1], groups[group, 2], groups[group, 3]
        end = base + n * m
        for i in range(np.uint64(0), m, np.uint64(LANES)):
            parent = gather(reach, above, entry + i, zero)
            for at in range(base + i, end, m):
                store(reach, at, parent * load(behaviour, at, zero))


@kernel
def respond(layout: Any, player: int, y: Any, value: Any, behaviour: Any) -> Any:
    """The best response of a player to the others' reach, even among the best actions.

    Gives its value; `behaviour` takes its probabilities.
    """
    for part in range(layout.group_first.shape[1] - 1):
        terminal_values(layout, player, part, y, value)
    return choose_best(layout, player, value, behaviour)


@kernel
def choose_best(layout: Any, player: int, value: Any, behaviour: Any) -> Any:
    """`respond` where `value` holds the terminal values already."""
    top = layout.group_first[player, 1]
    _choose(layout, top, layout.group_first[player, -1], value, behaviour)
    lift(layout, player, value)
    _choose(layout, layout.group_first[player, 0], top, value, behaviour)
    best = 0.0
    for lane in range(layout.roots.shape[1]):
        best += value[layout.roots[player, lane]]
    return best


@kernel
def _choose(layout: Any, first: int, last: int, value: Any, behaviour: Any) -> None:
    """The best actions of the groups, whose values are carried up."""
    groups, above = layout.groups, layout.above
    zero, one = eight(0.0), eight(1.0)
    for group in range(last - 1, first - 1, -1):
        base, n, m, entry = groups[group, 0], groups[group, 1], groups[group, 2], groups[group, 3]
        end = base + n * m
        for i in range(np.uint64(0), m, np.uint64(LANES)):
            best = load(value, base + i, zero)
            for at in range(base + m + i, end, m):
                best = larger(best, load(value, at, zero))
            total = zero
            for at in range(base + i, end, m):
                chosen = where_positive(best - load(value, at, zero), zero, one)
                store(behaviour, at, chosen)
                total = total + chosen
            for at in range(base + i, end, m):
                store(behaviour, at, load(behaviour, at, zero) / total)
            scatter_add(value, above, entry + i, best)
