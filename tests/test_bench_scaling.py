"""`bench scaling`: workers against each other on the same work, and what is computed from costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pokerspiel.experiments import bench_scaling
from pokerspiel.experiments.scaling_plan import WORKERS, Costs, simulate
from pokerspiel.solvers.sharded_mccfr import Schedule
from tests.command_line import refuse, succeed

COSTS = Costs(
    nodes_per_second=1e7,
    nodes_per_traversal=100.0,
    sets=10**6,
    shard_nodes=1e6,
    shard_sets=1e5,
    growth=0.5,
    actions=3.0,
    copy_seconds=1e-10,
    compare_seconds=1e-8,
    merge_seconds=1e-7,
    take_seconds=1e-7,
)
FAST = 1e15
"""A network that takes no time, in bytes a second."""


def test_all_workers_do_the_same_work() -> None:
    words = ("bench", "scaling", "--game", "leduc", "--iterations", 3000, "--on", "processes")
    document = succeed(*words, "--workers", 1, 2, "--json", "-q").document
    rows = document["rows"]
    assert [(row["who"], row["workers"]) for row in rows] == [
        ("threads", 1),
        ("threads", 2),
        ("processes", 1),
        ("processes", 2),
    ]
    one, two = rows[2:]
    assert one["table"] == two["table"] is not None and one["nodes"] == two["nodes"]
    assert 3000 <= one["iterations"] == two["iterations"]
    for row in rows:
        done = row["traversals_per_second"] * row["seconds"]
        assert done == pytest.approx(2 * row["iterations"])
    assert 0.0 < two["merging_seconds"] < two["seconds"]


def test_different_tables_of_one_schedule_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    original = bench_scaling.measure

    def measure(game: Any, options: Any, who: str, workers: int) -> Any:
        return replace(original(game, options, "threads", 1), who=who, table=str(workers))

    monkeypatch.setattr(bench_scaling, "measure", measure)
    options = bench_scaling.Options("leduc", 100, ("processes",), (1, 2), 4, "64MiB", 0)
    with pytest.raises(RuntimeError, match="2 different tables"):
        bench_scaling.run(options, json=True, quiet=True)


def test_a_plan_says_what_is_measured_and_what_is_computed() -> None:
    words = ("bench", "scaling", "--plan", "--game", "leduc", "--time", 0.3, "--workers", 8)
    document = succeed(*words, "--sets", "1e9", "--json", "-q").document
    measured, computed = document["measured"], document["computed"]
    assert measured["sets"] == 288 and 2.0 < measured["actions"] < 3.0
    assert document["information_sets"] == 10**9 and document["given"]
    slots = 16 << 31
    assert computed["table_bytes"] == pytest.approx(slots + 8e9 * measured["actions"], rel=0.01)
    assert computed["worker_bytes"] == 2 * computed["table_bytes"]
    assert [row["workers"] for row in computed["scaling"]] == list(WORKERS)
    assert computed["round"]["workers"] == 8
    said = succeed(*words, "-q").out
    assert "measured" in said and "computed" in said and "not implemented" in said


def test_without_network_and_merging_workers_add_up() -> None:
    free = replace(COSTS, merge_seconds=0.0, take_seconds=0.0, compare_seconds=0.0)
    one, many = (simulate(free, workers, 10**6, 0.0, FAST) for workers in (1, 64))
    assert one.traversals_per_second == pytest.approx(1e5)
    assert many.traversals_per_second == pytest.approx(64e5, rel=1e-4)
    assert one.bytes == 0.0 and one.sampling == pytest.approx(1.0)


def test_a_round_sends_what_shards_change_and_what_any_changes() -> None:
    """30 shards as long as the measured one change √30 times as many sets; all of them at most."""
    nodes = Schedule().most_nodes
    round_ = simulate(COSTS, 4, 10**9, 0.0, 1e9)
    assert round_.sets_of_shard == pytest.approx(1e5 * (nodes / 1e6) ** 0.5)
    assert round_.sets_of_round == pytest.approx(2 * round_.sets_of_shard)
    row = 8 + 2 + 2 * 4 * COSTS.actions
    assert round_.bytes == pytest.approx(4 * row * (round_.sets_of_shard + round_.sets_of_round))
    assert simulate(COSTS, 4, 1000, 0.0, 1e9).sets_of_round == 1000


def test_a_slow_network_or_a_large_table_costs_speed() -> None:
    def speed(table: float, bandwidth: float) -> float:
        return simulate(COSTS, 64, 10**8, table, bandwidth).traversals_per_second

    assert speed(0.0, 1e8) < speed(0.0, 1e9) < speed(0.0, FAST)
    assert speed(1e11, FAST) < speed(0.0, FAST)


def test_options_of_the_plan_are_refused_without_it() -> None:
    refuse("bench", "scaling", "--sets", "1e9", naming="--sets")
    refuse("bench", "scaling", "--plan", "--on", "ray", naming="--on")
    refuse("bench", "scaling", "--plan", "--sets", "0", naming="0 is not allowed")
    refuse("bench", "scaling", "--workers", 8, "--on", "processes", naming="--workers 8")
