"""`train --workers` and `resume` of it: the same result whoever does the shards, whatever dies."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from pokerspiel.experiments import sharded_training
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.experiments.sharded_training import (
    BEHIND,
    FULL,
    RoundsOnWorkers,
    WorkersFailedError,
    do_shard,
)
from pokerspiel.experiments.workers import End, Shared
from pokerspiel.games.variants import load
from pokerspiel.solvers.mccfr import Mccfr, Progress
from pokerspiel.solvers.sharded_mccfr import ShardedMccfr
from tests.command_line import pokerspiel, refuse, succeed
from tests.test_sharded_mccfr import assert_same_tables
from tests.workers_here import WorkersHere

COMMAND = [sys.executable, "-c", "from pokerspiel.experiments.cli import main; main()"]
GAME = "leduc"


def arrays_of(run: Path) -> dict[str, np.ndarray]:
    return load_file(RunFolder(run).latest_checkpoint())


def assert_same_runs(one: Path, other: Path) -> None:
    left, right = arrays_of(one), arrays_of(other)
    assert left.keys() == right.keys()
    for name in left:
        assert np.array_equal(left[name], right[name]), name


def train(run: Path, iterations: int, workers: int, *more: object) -> Any:
    words = ("train", GAME, "--out", run, "--iterations", iterations, "--workers", workers)
    return succeed(*words, "--seed", 5, *more)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose shards were all done in its own process."""
    run = tmp_path_factory.mktemp("runs") / "alone"
    train(run, 20_000, 1, "-q")
    return run


# The result.


def test_two_processes_come_to_what_one_does(alone: Path, tmp_path: Path) -> None:
    document = train(tmp_path / "two", 20_000, 2, "--json").document
    assert document["status"] == "done" and 20_000 <= document["iteration"] < 22_500
    assert_same_runs(alone, tmp_path / "two")
    manifest = json.loads((alone / "manifest.json").read_text(encoding="utf-8"))
    assert "rounds of 4 shards" in manifest["algorithm"]


def test_a_run_goes_on_with_another_number_of_workers(alone: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    train(run, 5_000, 1, "-q")
    left = 20_000 - RunFolder(run).load_checkpoint()[1]["iteration"]
    succeed("resume", run, "--iterations", left, "--workers", 2, "-q")
    assert_same_runs(alone, run)
    bot = tmp_path / "bot.pspiel"
    succeed("export", run, "-o", bot, "-q")
    assert succeed("exploit", bot, "--json").document["exploitability"] < 0.2


def test_the_configuration_repeats_the_run(alone: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    succeed("train", "--config", alone / "config.toml", "--out", again, "-q")
    assert_same_runs(alone, again)


def test_shards_are_part_of_the_plan(tmp_path: Path) -> None:
    train(tmp_path / "run", 500, 1, "--shards", 2, "-q")
    assert RunFolder(tmp_path / "run").config()["shards"] == 2
    refuse("resume", tmp_path / "run", "--workers", 3, "--iterations", 1, naming="--workers 3")


# Death.


def test_a_worker_that_is_killed_changes_nothing(
    alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its shard is done again, by a process that has no table yet."""
    monkeypatch.setattr(sharded_training, "do_shard", do_shard_or_die)
    monkeypatch.setenv("DEATHS", str(tmp_path / "deaths"))
    train(tmp_path / "run", 20_000, 2, "-q")
    assert (tmp_path / "deaths").stat().st_size == 2
    assert_same_runs(alone, tmp_path / "run")


def do_shard_or_die(job: Any) -> Any:
    """Die at the first shard after some iterations, twice in all."""
    deaths = Path(os.environ["DEATHS"])
    dead = deaths.stat().st_size if deaths.exists() else 0
    if dead < 2 and job.shard.first > (dead + 1) * 3000:
        with deaths.open("a") as file:
            file.write("x")
        os.kill(os.getpid(), signal.SIGKILL)
    return do_shard(job)


def die(job: Any) -> Any:
    os._exit(7)


def test_workers_that_always_die_end_a_run_that_can_go_on(
    alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    train(run, 5_000, 1, "-q")
    left = 20_000 - RunFolder(run).load_checkpoint()[1]["iteration"]
    with monkeypatch.context() as patch:
        patch.setattr(sharded_training, "do_shard", die)
        patch.setattr(sharded_training, "RETRIES", 0)
        outcome = pokerspiel("resume", run, "--iterations", left, "--workers", 2, "-q")
    assert outcome.status == 2 and outcome.err.count("\n") == 1
    assert "status 7" in outcome.err
    succeed("resume", run, "--iterations", left, "--workers", 1, "-q")
    assert_same_runs(alone, run)


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    """The process that merges dies at a random moment; its workers end by themselves."""
    run = tmp_path / "run"
    words = ["train", GAME, "--out", str(run), "--workers", "2", "--time", "60", "-q"]
    words += ["--checkpoint-every", "0.2"]
    with subprocess.Popen([*COMMAND, *words], start_new_session=True) as process:
        wait_for_checkpoint(run, 0)
        time.sleep(random.uniform(0.0, 0.4))
        process.kill()
    before = int(RunFolder(run).load_checkpoint()[1]["iteration"])
    succeed("resume", run, "--iterations", 1000, "--workers", 1, "-q")
    end = int(RunFolder(run).load_checkpoint()[1]["iteration"])
    assert end >= before + 1000
    uninterrupted = ShardedMccfr(load(GAME))
    uninterrupted.run(end)
    assert uninterrupted.state.iteration == end
    for name, array in arrays_of(run).items():
        assert np.array_equal(array, uninterrupted.state.to_arrays()[name]), name


def wait_for_checkpoint(run: Path, iteration: int) -> None:
    deadline = time.monotonic() + 120
    latest = run / "checkpoints" / "latest"
    while time.monotonic() < deadline:
        if latest.is_file() and int((latest.read_text() or "0")[:15]) > iteration:
            return
        time.sleep(0.01)
    raise AssertionError("there is no checkpoint")


def test_ctrl_c_saves_whole_rounds(
    alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = ShardedMccfr.run

    def run_until(solver: Any, iterations: Any, seconds: Any, report: Any) -> Any:
        def watched(now: Progress) -> None:
            report(now)
            if now.iteration >= 6_000:
                raise KeyboardInterrupt

        return original(solver, iterations, seconds, watched)

    run = tmp_path / "run"
    words = ("train", GAME, "--out", run, "--iterations", 20_000, "--workers", 2, "--seed", 5)
    with monkeypatch.context() as patch:
        patch.setattr(ShardedMccfr, "run", run_until)
        outcome = pokerspiel(*words, "-q")
    assert outcome.status == 130
    assert 6_000 <= RunFolder(run).load_checkpoint()[1]["iteration"] < 20_000
    succeed("resume", run, "--workers", 1, "-q")
    assert_same_runs(alone, run)


def test_the_memory_limit_ends_a_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("train", "svara(abstraction=none)", "--out", run, "--workers", 1, "--time", 60)
    outcome = pokerspiel(*words, "--memory-limit", "3MiB", "-q")
    assert outcome.status == 2 and outcome.err.count("\n") == 1
    assert "the memory limit of 3MiB is reached" in outcome.err
    succeed("resume", run, "--memory-limit", "64MiB", "--iterations", 2, "-q")


# What a worker that lacks the table does.


class Here(WorkersHere):
    """Workers that are this process; it loses its table whenever `forgets` says so."""

    def __init__(self, forgets: Callable[[], bool] = lambda: False) -> None:
        super().__init__(lambda job: sharded_training._copies.clear() if forgets() else None)
        self.results: list[Any] = []

    def run(self, work: Any, jobs: Any, on_end: Any, *more: Any) -> None:
        def kept(end: End) -> None:
            self.results.append(end.result)
            on_end(end)

        super().run(work, jobs, kept)

    def share(self, value: Any) -> Shared:
        return _Value(value)


class _Value(Shared):
    def __init__(self, value: Any) -> None:
        self._value = value

    def load(self) -> Any:
        return self._value


@pytest.mark.parametrize("chance", [0.0, 0.1, 1.0])
def test_a_worker_that_has_lost_its_table_is_given_the_whole(chance: float) -> None:
    draws = random.Random(3)
    solver, expected = (ShardedMccfr(load(GAME), seed=1) for _ in range(2))
    workers = Here(lambda: draws.random() < chance)
    solver.do_round = RoundsOnWorkers(workers, solver.game, solver)
    solver.run(iterations=2000)
    expected.run(iterations=2000)
    assert (BEHIND in workers.results) == (chance > 0.0)
    assert_same_tables(solver.state.table, expected.state.table)
    assert solver.state.nodes == expected.state.nodes


def test_a_worker_whose_table_is_full_ends_the_run() -> None:
    solver, expected = (
        ShardedMccfr(load("svara(abstraction=none)"), memory_limit=3 << 20) for _ in range(2)
    )
    workers = Here()
    solver.do_round = RoundsOnWorkers(workers, solver.game, solver)
    assert solver.run(10**6) == expected.run(10**6) == "full"
    assert FULL in workers.results
    assert_same_tables(solver.state.table, expected.state.table)


def test_an_error_of_a_worker_is_one_line() -> None:
    solver = ShardedMccfr(load(GAME))
    workers = Here()

    def fail(work: Any, jobs: Any, on_end: Any, *_: Any) -> None:
        for job in jobs:
            on_end(End(job, error="MemoryError: no room"))

    workers.run = fail  # type: ignore[assignment]
    solver.do_round = RoundsOnWorkers(workers, solver.game, solver)
    with pytest.raises(WorkersFailedError, match="a worker failed: MemoryError: no room"):
        solver.run(iterations=100)
    assert solver.state.iteration == 0


# Bad input.


@pytest.mark.parametrize(
    ("words", "naming"),
    [
        (("--workers", 2, "--threads", 2), "--threads 2"),
        (("--workers", 5), "--workers 5"),
        (("--workers", 0), "0 is not allowed"),
        (("--shards", 2), "--shards 2"),
        (("--on", "ray"), "--on ray"),
        (("--workers", 2, "--on", "moon"), "moon"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, words: tuple[object, ...], naming: str
) -> None:
    run = tmp_path / "run"
    refuse("train", GAME, "--out", run, "--iterations", 1, *words, naming=naming)
    assert not run.exists()


def test_runs_without_workers_stay_without(tmp_path: Path) -> None:
    run = tmp_path / "run"
    succeed("train", GAME, "--out", run, "--iterations", 300, "-q")
    assert not {"workers", "on", "shards"} & RunFolder(run).config().keys()
    refuse("resume", run, "--workers", 2, "--iterations", 1, naming="--workers 2")
    refuse("resume", run, "--on", "processes", "--iterations", 1, naming="--on processes")
    plain = Mccfr(load(GAME))
    plain.run(300)
    assert np.array_equal(arrays_of(run)["values"], plain.state.to_arrays()["values"])
