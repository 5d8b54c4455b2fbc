"""The passes over a sequence form: values up, regrets, reach down.

All arrays are indexed by place (see sequence_form.py), float64:

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

_TILE = 512
"""Sets of a group that are updated together, so that what they need stays in the nearest cache."""


@kernel(reorder=True)
def multiply_joint(layout: Any, player: int, reach: Any, joint: Any) -> None:
    """Products of the others' reaches, for games of three players or more."""
    first = layout.joint_first[player]
    indices = layout.joint
    for k in range(layout.joint_first[player + 1] - first):
        product = 1.0
        for q in range(indices.shape[1]):
            product *= reach[indices[first + k, q]]
        joint[k] = product


@kernel(reorder=True)
def terminal_values(layout: Any, player: int, part: int, y: Any, value: Any) -> None:
    """Values of the places of one part from the hands that end right after them."""
    if layout.blocks.width > 0:
        _block_values(layout.blocks, player, part, y, value)
        return
    runs, rows, columns, values = layout.runs, layout.rows, layout.columns, layout.values
    one = np.uint64(1)
    for run in range(layout.run_first[player, part], layout.run_first[player, part + 1]):
        low, high, length, i = runs[run, 0], runs[run, 1], runs[run, 2], runs[run, 3]
        if length == 0:
            for r in range(low, high):
                value[rows[r]] = 0.0
        elif length == 1:
            for r in range(low, high):
                value[rows[r]] = values[i] * y[columns[i]]
                i += one
        elif length == 2:
            for r in range(low, high):
                value[rows[r]] = values[i] * y[columns[i]] + values[i + one] * y[columns[i + one]]
                i += np.uint64(2)
        elif length == 3:
            for r in range(low, high):
                value[rows[r]] = _dot(values, columns, y, i, 3)
                i += np.uint64(3)
        elif length == 4:
            for r in range(low, high):
                value[rows[r]] = _dot(values, columns, y, i, 4)
                i += np.uint64(4)
        elif length == 5:
            for r in range(low, high):
                value[rows[r]] = _dot(values, columns, y, i, 5)
                i += np.uint64(5)
        elif length == 6:
            for r in range(low, high):
                value[rows[r]] = _dot(values, columns, y, i, 6)
                i += np.uint64(6)
        else:
            for r in range(low, high):
                value[rows[r]] = _dot(values, columns, y, i, length)
                i += length


@kernel(reorder=True)
def _dot(values: Any, columns: Any, y: Any, start: int, length: int) -> Any:
    total = 0.0
    for k in range(np.uint64(length)):
        total += values[start + k] * y[columns[start + k]]
    return total


# The kernels of blocks do not let sums be reordered: their vectors are the lanes, not the products.


@kernel
def _block_values(blocks: Any, player: int, part: int, y: Any, value: Any) -> None:
    """`terminal_values` of a game with lanes."""
    other_lanes = blocks.other_lanes[player, : blocks.other_count[player]]
    matrices = blocks.entries[blocks.matrix_first[player, part] :]
    if blocks.width > 4:
        _blocks_of_eight(blocks, player, part, other_lanes, matrices, y, value)
    else:
        _blocks_of_four(blocks, player, part, other_lanes, matrices, y, value)


@kernel
def _blocks_of_eight(
    blocks: Any, player: int, part: int, other_lanes: Any, matrices: Any, y: Any, value: Any
) -> None:
    """Eight sums at a time, which the compiler keeps in one or two vectors."""
    block_first, column, matrix = blocks.block_first, blocks.column, blocks.matrix
    scale, width = blocks.scale, blocks.width
    size = np.uint64(8 * len(other_lanes))
    place = np.uint64(blocks.start[player, part])
    for row in range(blocks.row_first[player], blocks.row_first[player + 1]):
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
        for block in range(np.uint64(block_first[row]), np.uint64(block_first[row + 1])):
            c, f, u = column[block], scale[block], matrix[block] * size
            for lane in range(np.uint64(len(other_lanes))):
                w = f * y[other_lanes[lane] + c]
                s0 += matrices[u] * w
                s1 += matrices[u + np.uint64(1)] * w
                s2 += matrices[u + np.uint64(2)] * w
                s3 += matrices[u + np.uint64(3)] * w
                s4 += matrices[u + np.uint64(4)] * w
                s5 += matrices[u + np.uint64(5)] * w
                s6 += matrices[u + np.uint64(6)] * w
                s7 += matrices[u + np.uint64(7)] * w
                u += np.uint64(8)
        value[place] = s0
        value[place + np.uint64(1)] = s1
        value[place + np.uint64(2)] = s2
        value[place + np.uint64(3)] = s3
        value[place + np.uint64(4)] = s4
        if width > 5:
            value[place + np.uint64(5)] = s5
        if width > 6:
            value[place + np.uint64(6)] = s6
        if width > 7:
            value[place + np.uint64(7)] = s7
        place += np.uint64(width)


@kernel
def _blocks_of_four(
    blocks: Any, player: int, part: int, other_lanes: Any, matrices: Any, y: Any, value: Any
) -> None:
    """The same with four sums."""
    block_first, column, matrix = blocks.block_first, blocks.column, blocks.matrix
    scale, width = blocks.scale, blocks.width
    size = np.uint64(4 * len(other_lanes))
    place = np.uint64(blocks.start[player, part])
    for row in range(blocks.row_first[player], blocks.row_first[player + 1]):
        s0 = s1 = s2 = s3 = 0.0
        for block in range(np.uint64(block_first[row]), np.uint64(block_first[row + 1])):
            c, f, u = column[block], scale[block], matrix[block] * size
            for lane in range(np.uint64(len(other_lanes))):
                w = f * y[other_lanes[lane] + c]
                s0 += matrices[u] * w
                s1 += matrices[u + np.uint64(1)] * w
                s2 += matrices[u + np.uint64(2)] * w
                s3 += matrices[u + np.uint64(3)] * w
                u += np.uint64(4)
        value[place] = s0
        if width > 1:
            value[place + np.uint64(1)] = s1
        if width > 2:
            value[place + np.uint64(2)] = s2
        if width > 3:
            value[place + np.uint64(3)] = s3
        place += np.uint64(width)


@kernel(reorder=True)
def update_regrets(
    layout: Any,
    player: int,
    part: int,
    state: Any,
    scratch: Any,
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
        if n == 2:
            _match_two(
                value[base : base + m],
                value[base + m : base + np.uint64(2) * m],
                behaviour[base : base + m],
                behaviour[base + m : base + np.uint64(2) * m],
                regret[base : base + m],
                regret[base + m : base + np.uint64(2) * m],
                scratch[0],
                positive,
                negative,
                prediction,
            )
            for i in range(m):
                value[above[entry + i]] += scratch[0, i]
        else:
            for start in range(np.uint64(0), m, np.uint64(_TILE)):
                count = min(np.uint64(_TILE), m - start)
                _match_many(
                    value,
                    behaviour,
                    regret,
                    base + start,
                    n,
                    m,
                    count,
                    scratch,
                    positive,
                    negative,
                    prediction,
                )
                for i in range(count):
                    value[above[entry + start + i]] += scratch[0, i]


@kernel(reorder=True)
def _match_two(
    value0: Any,
    value1: Any,
    behaviour0: Any,
    behaviour1: Any,
    regret0: Any,
    regret1: Any,
    expected: Any,
    positive: float,
    negative: float,
    prediction: float,
) -> None:
    """The regrets of all sets of a group with two actions; `expected` takes their values."""
    for i in range(len(value0)):
        v = behaviour0[i] * value0[i] + behaviour1[i] * value1[i]
        expected[i] = v
        r0 = value0[i] - v
        r1 = value1[i] - v
        sum0 = regret0[i] + r0
        sum1 = regret1[i] + r1
        gain0 = max(sum0, 0.0)
        gain1 = max(sum1, 0.0)
        kept0 = gain0 * positive
        kept1 = gain1 * positive
        regret0[i] = kept0 + (sum0 - gain0) * negative
        regret1[i] = kept1 + (sum1 - gain1) * negative
        p0 = max(kept0 + prediction * r0, 0.0)
        p1 = max(kept1 + prediction * r1, 0.0)
        total = p0 + p1
        scale = 1.0 / total if total > 0.0 else 0.0
        even = 0.0 if total > 0.0 else 0.5
        behaviour0[i] = p0 * scale + even
        behaviour1[i] = p1 * scale + even


@kernel(reorder=True)
def _match_many(
    value: Any,
    behaviour: Any,
    regret: Any,
    base: Any,
    n: Any,
    m: Any,
    count: Any,
    scratch: Any,
    positive: float,
    negative: float,
    prediction: float,
) -> None:
    """The regrets of `count` sets of a group with n actions; scratch[0] takes their values."""
    expected, total = scratch[0, :count], scratch[1, :count]
    for i in range(count):
        expected[i] = 0.0
        total[i] = 0.0
    for a in range(n):
        start = base + a * m
        v, b = value[start : start + count], behaviour[start : start + count]
        for i in range(count):
            expected[i] += v[i] * b[i]
    for a in range(n):
        start = base + a * m
        v, b = value[start : start + count], behaviour[start : start + count]
        kept = regret[start : start + count]
        for i in range(count):
            r = v[i] - expected[i]
            sum_ = kept[i] + r
            gain = max(sum_, 0.0)
            scaled = gain * positive
            kept[i] = scaled + (sum_ - gain) * negative
            p = max(scaled + prediction * r, 0.0)
            b[i] = p
            total[i] += p
    even = 1.0 / np.float64(n)
    for a in range(n):
        start = base + a * m
        b = behaviour[start : start + count]
        for i in range(count):
            b[i] = b[i] / total[i] if total[i] > 0.0 else even


@kernel(reorder=True)
def add_reach(layout: Any, player: int, part: int, state: Any, discount: float) -> None:
    """Add the reach of the strategy just played to the average, then set that of the new one."""
    groups, above = layout.groups, layout.above
    behaviour, reach, average = state.behaviour, state.reach, state.average
    for group in range(layout.group_first[player, part], layout.group_first[player, part + 1]):
        base, n, m, entry = groups[group, 0], groups[group, 1], groups[group, 2], groups[group, 3]
        parents = above[entry : entry + m]
        for a in range(n):
            start = base + np.uint64(a) * m
            b, x = behaviour[start : start + m], reach[start : start + m]
            s = average[start : start + m]
            for i in range(m):
                s[i] = s[i] * discount + x[i]
                x[i] = reach[parents[i]] * b[i]


@kernel(reorder=True)
def spread_reach(layout: Any, player: int, behaviour: Any, reach: Any) -> None:
    """The reach of a player's places under `behaviour`."""
    groups, above = layout.groups, layout.above
    for group in range(layout.group_first[player, 0], layout.group_first[player, -1]):
        base, n, m, entry = groups[group, 0], groups[group, 1], groups[group, 2], groups[group, 3]
        for a in range(n):
            start = base + np.uint64(a) * m
            for i in range(m):
                reach[start + i] = reach[above[entry + i]] * behaviour[start + i]
