"""MCCFR in shards: changes of tables, and runs that do not depend on who does the shards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from pokerspiel.games.variants import load
from pokerspiel.solvers.mccfr import Mccfr, MccfrState
from pokerspiel.solvers.sharded_mccfr import (
    Part,
    Schedule,
    Shard,
    ShardedMccfr,
    ShardWork,
    Tick,
)
from pokerspiel.solvers.table import UNSTORED, USED, Table, find_or_add, new_table
from pokerspiel.solvers.table_changes import (
    Changes,
    Rows,
    changes_since,
    copied_table,
    merge,
    take_over,
)
from pokerspiel.solvers.traversal import Scheme
from tests.test_mccfr import contents, exploitability

LIMIT = 1 << 22
GAME = "leduc"


def filled(keys: Sequence[int], values: float, classes: int = 0, limit: int = LIMIT) -> Table:
    """A table in which each set has two actions and these values."""
    table = new_table(limit, 16, classes)
    for key in keys:
        put(table, key, values)
    return table


def put(table: Table, key: int, value: float) -> None:
    first = find_or_add(table, np.uint64(key), 2)
    table.values[first : first + 4] = value


def key_of(number: int) -> int:
    return (number + 1) << 40 | (number + 1) << 11


def assert_same_tables(one: Table, other: Table) -> None:
    used = int(one.counts[USED])
    assert np.array_equal(one.counts, other.counts)
    assert np.array_equal(one.slots, other.slots)
    assert np.array_equal(one.values[:used], other.values[:used])


def value_of(table: Table, key: int) -> list[float]:
    first = find_or_add(table, np.uint64(key), 2)
    return [float(value) for value in table.values[first : first + 4]]


# Changes.


def test_changes_are_those_of_the_sets_touched() -> None:
    before = filled([key_of(0), key_of(1)], 1.0)
    after = copied_table(before, new_table(LIMIT, 16))
    put(after, key_of(1), 3.5)
    put(after, key_of(2), -1.0)
    rows = changes_since(before, after).rows
    found = dict(zip(rows.keys.tolist(), rows.values.reshape(-1, 4).tolist(), strict=True))
    assert found == {key_of(1): [2.5] * 4, key_of(2): [-1.0] * 4}
    assert rows.actions.tolist() == [2, 2]


def test_regrets_are_averaged_over_the_shards_and_averages_are_summed() -> None:
    table = filled([key_of(0)], 10.0)
    rows = Rows(
        np.array([key_of(0)], np.uint64), np.array([2], np.uint16), np.full(4, 2.0, np.float32)
    )
    changes = Changes(rows, 3, 1)
    table, news = merge(table, [changes, changes], LIMIT)
    assert value_of(table, key_of(0)) == [12.0, 12.0, 14.0, 14.0]
    assert news.values.tolist() == [12.0, 12.0, 14.0, 14.0] and len(news.keys) == 1
    assert int(table.counts[UNSTORED]) == 6


def test_a_situation_that_is_new_is_a_change_though_its_values_are_0() -> None:
    before = new_table(LIMIT, 16, classes=5)
    after = copied_table(before, new_table(LIMIT, 16, classes=5))
    put(after, key_of(3), 0.0)
    put(after, key_of(4) | 2, 1.0)
    merged, _ = merge(before, [changes_since(before, after)], LIMIT)
    assert_same_tables(merged, after)


@pytest.mark.parametrize("classes", [0, 3])
def test_copies_that_take_over_the_news_stay_the_same(classes: int) -> None:
    """Tables that grow on the way: from 16 slots to hundreds."""
    random = np.random.default_rng(1)
    table, copy = (new_table(LIMIT, 16, classes) for _ in range(2))
    for _ in range(4):
        shards = [some_changes(random, classes) for _ in range(3)]
        table, news = merge(table, shards, LIMIT)
        copy = take_over(copy, news, LIMIT)
        assert_same_tables(table, copy)
    assert len(table.slots) > 64


def some_changes(random: np.random.Generator, classes: int) -> Changes:
    numbers = random.choice(200, 60, replace=False)
    keys = [key_of(int(number)) | (int(number) % 3 if classes else 0) for number in numbers]
    values = random.integers(-9, 9, 4 * len(keys)).astype(np.float32)
    rows = Rows(np.array(keys, np.uint64), np.full(len(keys), 2, np.uint16), values)
    return Changes(rows, 0, 0)


# Schedules.


def test_rounds_grow_with_the_iterations_within_their_bounds() -> None:
    schedule = Schedule(shards=4, share=0.1, least=32, most_nodes=1000)
    assert schedule.iterations(0, 0) == 32
    assert schedule.iterations(100, 100) == 32
    assert schedule.iterations(10_000, 10_000) == 250
    assert schedule.iterations(10**6, 10**6) == 1000
    assert schedule.iterations(100, 10**6) == 1, "iterations of many nodes are few"
    with pytest.raises(ValueError, match="shards=0"):
        Schedule(shards=0)


def test_a_run_comes_close_to_an_equilibrium_as_one_thread_does() -> None:
    """One thread came to 0.0354 antes on average in 100,000 iterations: see test_mccfr.py."""
    solver = ShardedMccfr(load(GAME), seed=1)
    solver.run(iterations=100_000)
    plain = Mccfr(load(GAME), seed=1)
    plain.state = solver.state
    assert exploitability(plain) < 0.0354 + 4 * 0.0044
    assert solver.progress().information_sets == 288


def test_a_run_is_the_same_however_it_is_cut() -> None:
    whole, pieces = (ShardedMccfr(load(GAME), seed=7) for _ in range(2))
    whole.run(iterations=5000)
    for iterations in (1, 700, 2000):
        pieces.run(iterations=iterations)
    state = MccfrState.from_arrays(pieces.state.to_arrays(), pieces.state.to_numbers())
    restored = ShardedMccfr(load(GAME), state=state)
    restored.run(iterations=whole.state.iteration - state.iteration)
    assert restored.state.iteration == whole.state.iteration
    assert restored.state.nodes == whole.state.nodes
    assert_same_tables(restored.state.table, whole.state.table)


def test_seed_and_shards_make_the_result() -> None:
    def end(seed: int, shards: int) -> dict[int, bytes]:
        solver = ShardedMccfr(load(GAME), seed=seed, schedule=Schedule(shards=shards))
        solver.run(iterations=1000)
        plain = Mccfr(load(GAME))
        plain.state = solver.state
        return contents(plain)

    assert end(1, 4) == end(1, 4)
    assert end(1, 4) != end(2, 4) and end(1, 4) != end(1, 2)


def test_a_shard_done_twice_is_the_same() -> None:
    work = ShardWork(load(GAME), 3, LIMIT, Scheme())
    table = new_table(LIMIT)
    one, other, again = (work.run(Shard(0, first, 200), table) for first in (0, 200, 0))
    assert one is not None and other is not None and again is not None
    assert one.nodes == again.nodes != other.nodes
    for left, right in zip(one.changes.rows, again.changes.rows, strict=True):
        assert np.array_equal(left, right)
    assert int(table.counts[USED]) == 0, "the table itself is not written"


def test_an_interrupt_in_a_round_leaves_the_round_before() -> None:
    solver = ShardedMccfr(load(GAME), seed=2)
    whole = ShardedMccfr(load(GAME), seed=2)
    do_here = solver.do_round

    def do_round(
        shards: Sequence[Shard], table: Table, news: Any, tick: Tick
    ) -> Sequence[Part] | None:
        if shards[0].first > 1000:
            solver.do_round = do_here
            do_here(shards[:2], table, news, tick)
            raise KeyboardInterrupt
        return do_here(shards, table, news, tick)

    solver.do_round = do_round
    with pytest.raises(KeyboardInterrupt):
        solver.run(iterations=3000)
    whole.run(iterations=solver.state.iteration)
    assert_same_tables(solver.state.table, whole.state.table)
    solver.run(iterations=500)
    whole.run(iterations=500)
    assert_same_tables(solver.state.table, whole.state.table)


def test_a_full_table_ends_a_run_that_more_memory_lets_go_on() -> None:
    game = load("svara(abstraction=none)")
    solver = ShardedMccfr(game, memory_limit=3 << 20)
    assert solver.run(iterations=10**6) == "full"
    state = solver.state
    assert 0 < state.iteration < 10**6
    more = MccfrState.from_arrays(state.to_arrays(), state.to_numbers(), 1 << 26)
    goes_on = ShardedMccfr(game, memory_limit=1 << 26, state=more)
    assert goes_on.run(iterations=100) == "done"
    assert goes_on.state.iteration > state.iteration


def test_the_merge_itself_may_fill_the_table() -> None:
    limit = 2 * 16 * 16 + 600
    table = new_table(limit, 16)
    shards = [some_changes(np.random.default_rng(seed), 0) for seed in range(2)]
    table, news = merge(table, shards, limit)
    stored = len(news.keys)
    assert 0 < stored < 60
    assert int(table.counts[UNSTORED]) >= 120 - 2 * stored
