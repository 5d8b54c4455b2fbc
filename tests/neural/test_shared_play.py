"""Hands of neural algorithms played by workers: the same result as in one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

pytest.importorskip("torch")

from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.experiments.shared_play import HandsOnWorkers
from pokerspiel.experiments.train_neural import Plan
from pokerspiel.experiments.workers import Shared
from pokerspiel.games.variants import load
from pokerspiel.solvers.neural import catalogue
from tests.command_line import refuse, succeed
from tests.workers_here import WorkersHere

GAME = "leduc"
SMALL = {
    "sd-cfr": "traversals=60 updates=5",
    "deep-cfr": "traversals=60 updates=5 average_updates=5",
    "dream": "walks=60 updates=5 baseline_updates=5",
    "es-mmd": "traversals=60 updates=5",
    "ppo": "hands=64",
    "neural-mmd": "hands=64",
    "r-nad": "hands=64",
}


def plan_of(algorithm: str, against: tuple[str, ...] = ()) -> Plan:
    return Plan(
        game=GAME,
        algorithm=algorithm,
        tune=f"{SMALL[algorithm]} width=8",
        against=against,
        time=None,
        iterations=3,
        threads=1,
        device="cpu",
        checkpoint_every=60.0,
        seed=4,
        workers=2,
        shards=3,
    )


class Here(WorkersHere):
    """Workers that are this process."""

    def share(self, value: Any) -> Shared:
        return _Value(value)


class _Value(Shared):
    def __init__(self, value: Any) -> None:
        self._value = value

    def load(self) -> Any:
        return self._value


def assert_same_arrays(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert np.array_equal(one[name], other[name]), name


@pytest.mark.parametrize(
    ("algorithm", "against"), [*((name, ()) for name in SMALL), ("ppo", ("random",))]
)
def test_whoever_plays_the_shards_the_run_is_the_same(
    algorithm: str, against: tuple[str, ...]
) -> None:
    plan = plan_of(algorithm, against)
    here, elsewhere = (plan.solver(load(GAME)) for _ in range(2))
    here.shards = elsewhere.shards = 3
    elsewhere.play_shards = HandsOnWorkers(Here(), plan, None)  # type: ignore[arg-type]
    for solver in (here, elsewhere):
        solver.run(iterations=3)
    assert here.nodes == elsewhere.nodes > 100
    assert_same_arrays(here.to_arrays(), elsewhere.to_arrays())


def test_one_shard_is_a_run_without_shards() -> None:
    """And more of them play the same hands: as many decisions in the first iteration."""
    one, many = (plan_of("ppo").solver(load(GAME)) for _ in range(2))
    assert one.shards == 1
    many.shards = 5
    for solver in (one, many):
        solver.run(iterations=1)
    assert one.nodes == many.nodes


def test_processes_play_what_this_process_would(tmp_path: Path) -> None:
    for workers in (1, 2):
        words = ("train", GAME, "--algorithm", "es-mmd", "--tune", "width=8", "--iterations", 3)
        out = ("--out", tmp_path / str(workers), "--workers", workers, "--device", "cpu", "-q")
        succeed(*words, *out)
    one, two = (
        load_file(RunFolder(tmp_path / str(workers)).latest_checkpoint()) for workers in (1, 2)
    )
    assert_same_arrays(one, two)
    succeed("resume", tmp_path / "2", "--iterations", 1, "--workers", 1, "-q")


def test_an_algorithm_that_cannot_names_those_that_can(tmp_path: Path) -> None:
    assert not catalogue.entry("nfsp").shared
    words = ("train", GAME, "--out", tmp_path / "run", "--algorithm", "nfsp", "--iterations", 1)
    refuse(*words, "--workers", 2, naming="not with nfsp, but with mccfr, sd-cfr")
    words = ("train", GAME, "--out", tmp_path / "run", "--algorithm", "ppo", "--iterations", 1)
    refuse(*words, "--workers", 2, "--threads", 2, naming="--threads 2")
    assert not (tmp_path / "run").exists()
