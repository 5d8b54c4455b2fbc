"""A strategy of a chain of deals, or of a table with classes of hands, to play from: dense.

It takes two bytes a probability. For each decision there is a small table: a row for each class of
hands, or a single one if the seat has not looked at its cards, and in it the probabilities of all
actions but the last one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.deals import NO_CLASS, DealChain
from pokerspiel.solvers.strategies import SUM_TOLERANCE
from pokerspiel.solvers.table import SETS, Table

ONE = 65535
"""What stands for the probability 1."""
BYTE_ONE = 255
BYTE_UNIT = ONE // BYTE_ONE
"""Weights that are multiples of it fit into one byte, in units of 1 / BYTE_ONE."""

DealStrategy = list[np.ndarray]
"""For each deal [rows, classes] float64: probability of each action with each hand.

At a decision before the cards are seen it is the same for all hands.
"""


class Chart(NamedTuple):
    """The arrays of a chart; kernels take it as one argument."""

    situations: np.ndarray
    """[N] uint64, ascending: the decisions, `Deal.situation`."""
    first: np.ndarray
    """[N + 1] uint32: index of the first weight of each decision, and the end."""
    actions: np.ndarray
    """[N] uint8: actions of each decision."""
    weights: np.ndarray
    """uint16: of each decision [hands, actions - 1], probabilities in units of 1 / ONE."""


def new_chart(
    situations: np.ndarray, first: np.ndarray, actions: np.ndarray, weights: np.ndarray
) -> Chart:
    """The chart with these arrays. Raises ValueError if they do not fit together."""
    n = len(situations)
    if len(first) != n + 1 or len(actions) != n or first[0] != 0 or first[-1] != len(weights):
        raise ValueError(f"chart of {n} decisions, {len(first)} indices, {len(weights)} weights")
    sizes: np.ndarray = np.diff(first.astype(np.int64))
    columns: np.ndarray = actions.astype(np.int64) - 1
    if np.any(situations[1:] <= situations[:-1]) or np.any(columns < 1):
        raise ValueError("the decisions of a chart must ascend, and have two actions or more")
    if columns.max(initial=0) > 254:
        raise ValueError(f"a decision of {columns.max() + 1} actions: a chart holds 255 at most")
    if np.any(sizes < columns) or np.any(sizes % columns):
        raise ValueError("the weights of a chart do not fit its actions")
    return Chart(
        np.ascontiguousarray(situations, np.uint64),
        np.ascontiguousarray(first, np.uint32),
        np.ascontiguousarray(actions, np.uint8),
        np.ascontiguousarray(weights, np.uint16),
    )


def chart_of(chain: DealChain, strategy: DealStrategy) -> Chart:
    """The strategy, rounded to 1 / ONE. Raises ValueError if it is none of the chain."""
    tables: dict[int, np.ndarray] = {}
    for deal, rows in zip(chain.deals, strategy, strict=True):
        check_strategy(rows, deal.first_row)
        for node in range(deal.nodes):
            chances = rows[deal.first_row[node] : deal.first_row[node + 1]]
            if len(chances) > 1:
                some = chances if deal.looked[node] else chances[:, :1]
                tables[int(deal.situation[node])] = _rounded(some.T)
    situations = sorted(tables)
    sizes = [tables[key][:, :-1].size for key in situations]
    parts = [tables[key][:, :-1].ravel() for key in situations]
    return new_chart(
        np.array(situations, np.uint64),
        np.cumsum([0, *sizes]).astype(np.uint32),
        np.array([tables[key].shape[1] for key in situations], np.uint8),
        np.concatenate([np.zeros(0, np.uint16), *parts]),
    )


def check_strategy(rows: np.ndarray, first_row: np.ndarray) -> None:
    """Raise ValueError if the rows of a deal hold no probabilities."""
    if len(rows) == 0:
        return
    if rows.min() < 0.0:
        raise ValueError(f"a strategy has the probability {rows.min():g}")
    totals = np.add.reduceat(rows, first_row[:-1]).ravel()
    worst = totals[np.abs(totals - 1.0).argmax()]
    if not abs(worst - 1.0) <= SUM_TOLERANCE:
        raise ValueError(f"probabilities of a decision add up to {worst:g}, not to 1")


def _rounded(chances: np.ndarray) -> np.ndarray:
    """[hands, actions] uint16 that add up to ONE: the rest goes to the largest."""
    weights = np.floor(chances * ONE + 0.5).astype(np.int64)
    largest = weights.argmax(axis=1)
    weights[np.arange(len(weights)), largest] += ONE - weights.sum(axis=1)
    return weights.astype(np.uint16)


def chart_strategy_of(chain: DealChain, chart: Chart) -> tuple[DealStrategy, int]:
    """(The chart as a strategy of a chain, number of decisions that it misses, made uniformly)."""
    place = {int(situation): i for i, situation in enumerate(chart.situations)}
    classes = chain.hands.classes
    out: DealStrategy = []
    missed = 0
    for deal in chain.deals:
        rows = np.zeros((deal.rows, classes))
        for node in range(deal.nodes):
            first, end = int(deal.first_row[node]), int(deal.first_row[node + 1])
            hands = classes if deal.looked[node] else 1
            table = _table(chart, place.get(int(deal.situation[node])), hands, end - first)
            if table is None:
                rows[first:end] = 1.0 / (end - first)
                missed += end - first > 1
            else:
                rows[first:end] = table
        out.append(rows)
    return out, missed


def _table(chart: Chart, i: int | None, hands: int, actions: int) -> np.ndarray | None:
    """[actions, hands] float64 of the decision number `i`; None if it is not of this size."""
    if i is None or chart.actions[i] != actions:
        return None
    weights = chart.weights[chart.first[i] : chart.first[i + 1]].astype(np.int64)
    if len(weights) != hands * (actions - 1):
        return None
    weights = weights.reshape(hands, actions - 1).T
    return np.vstack([weights, ONE - weights.sum(axis=0)]) / ONE


def average_chart(table: Table) -> Chart:
    """The average strategy of a table whose keys name classes, rounded to 1 / BYTE_ONE.

    It has all situations in which some class was visited; the classes that were not visited there
    play the average of those that were. Raises ValueError if it has 2**32 weights or more.
    """
    keys = np.zeros(table.counts[SETS], np.uint64)
    entries = np.zeros(table.counts[SETS], np.uint64)
    found = _collect(table.slots, table.values, table.classes, keys, entries)
    order = np.argsort(keys[:found])
    actions = (entries[:found][order] & np.uint64(0xFFFF)).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(table.classes * (actions - 1))])
    if first[-1] >= 1 << 32:
        raise ValueError(f"{first[-1]} probabilities do not fit into a chart")
    weights = np.zeros(first[-1], np.uint16)
    _round_averages(table.values, table.classes, entries[:found][order], first, weights)
    return new_chart(keys[:found][order], first, actions, weights)


@kernel(allocates=True)
def _collect(slots: Any, values: Any, classes: int, keys: Any, entries: Any) -> Any:
    """Write the keys and entries of the situations with an average, and give their number."""
    found = 0
    for i in range(0, len(slots), 2):
        n = np.int64(slots[i + 1] & np.uint64(0xFFFF))
        if n > 0:
            start = np.int64(slots[i + 1] >> np.uint64(16))
            if _block_mean(values, start, classes, n, np.zeros(n)) > 0.0:
                keys[found] = slots[i]
                entries[found] = slots[i + 1]
                found += 1
    return found


@kernel
def _block_mean(values: Any, start: int, classes: int, n: int, mean: Any) -> float:
    """Write the sum of the averages of all classes to mean[:n], and give its total."""
    total = 0.0
    mean[:n] = 0.0
    for hand in range(classes):
        for i in range(n):
            value = np.float64(values[start + hand * 2 * n + n + i])
            mean[i] += value
            total += value
    return total


@kernel(allocates=True)
def _round_averages(values: Any, classes: int, entries: Any, first: Any, weights: Any) -> None:
    for k in range(len(entries)):
        n = np.int64(entries[k] & np.uint64(0xFFFF))
        start = np.int64(entries[k] >> np.uint64(16))
        mean = np.zeros(n)
        row = np.zeros(n)
        _block_mean(values, start, classes, n, mean)
        for hand in range(classes):
            total = 0.0
            for i in range(n):
                row[i] = values[start + hand * 2 * n + n + i]
                total += row[i]
            if total <= 0.0:
                row[:] = mean
            at = first[k] + hand * (n - 1)
            _round_row(row, weights[at : at + n - 1])


@kernel(allocates=True)
def _round_row(row: Any, weights: Any) -> None:
    """Write all probabilities but the last to `weights`, none off by 1 / BYTE_ONE or more.

    Units that are left over go to the largest remainders: the last one does not become negative.
    """
    exact = row / row.sum() * BYTE_ONE
    units = np.floor(exact)
    remainder = exact - units
    for _ in range(BYTE_ONE - np.int64(units.sum())):
        i = remainder.argmax()
        units[i] += 1.0
        remainder[i] = -1.0
    weights[:] = units[:-1] * BYTE_UNIT


def weights_as_bytes(weights: np.ndarray) -> np.ndarray:
    """Weights in units of 1 / BYTE_ONE. Raises ValueError if one is no multiple of that."""
    small = (weights // BYTE_UNIT).astype(np.uint8)
    if not np.array_equal(weights_of_bytes(small), weights):
        raise ValueError(f"the weights of the chart are finer than 1 / {BYTE_ONE}")
    return small


def weights_of_bytes(small: np.ndarray) -> np.ndarray:
    """The inverse of `weights_as_bytes`."""
    return small.astype(np.uint16) * np.uint16(BYTE_UNIT)


@kernel
def chart_chances(chart: Any, key: int, n: int, out: Any) -> bool:
    """Write the strategy of an information set `hands` to out[:n]; uniform, False if unknown."""
    situation = np.uint64(key) & ~np.uint64(NO_CLASS)
    low, high = 0, len(chart.situations)
    while low < high:
        middle = (low + high) >> 1
        if chart.situations[middle] < situation:
            low = middle + 1
        else:
            high = middle
    known = low < len(chart.situations) and chart.situations[low] == situation
    hand: Any = np.int64(np.uint64(key) & np.uint64(NO_CLASS))
    if known:
        known = chart.actions[low] == n
    if known:
        hand = 0 if hand == NO_CLASS else hand
        start = np.int64(chart.first[low]) + hand * (n - 1)
        known = start + n - 1 <= np.int64(chart.first[low + 1])
    if not known:
        for i in range(n):
            out[i] = 1.0 / n
        return False
    left: Any = ONE
    for i in range(n - 1):
        weight = np.int64(chart.weights[start + i])
        out[i] = weight / ONE
        left -= weight
    out[n - 1] = left / ONE
    return True
