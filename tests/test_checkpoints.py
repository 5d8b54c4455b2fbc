"""Checkpoints of a training: in the background, within the memory limit, and after any death."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pokerspiel.experiments import run_folder
from pokerspiel.experiments.checkpoints import CheckpointWriter
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.games.variants import load
from pokerspiel.solvers.mccfr import Mccfr
from tests.command_line import pokerspiel, refuse, succeed

COMMAND = [sys.executable, "-c", "from pokerspiel.experiments.cli import main; main()"]


class SomeState:
    """A state of a number and an array that is full of it."""

    def __init__(self) -> None:
        self.iteration = 1
        self.array = np.full(1000, 1)

    def advance(self) -> None:
        self.iteration += 1
        self.array[:] = self.iteration

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {"a": self.array}

    def to_numbers(self) -> dict[str, int | float]:
        return {"iteration": self.iteration}


class Gate:
    """Stands in for `RunFolder.save_checkpoint`, which it lets through when it is open."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = threading.Event()
        self.threads: list[threading.Thread] = []
        self.error: OSError | None = None
        save = RunFolder.save_checkpoint

        def wait(folder: RunFolder, arrays: Any, numbers: Any) -> Path:
            self.threads.append(threading.current_thread())
            self.open.wait(10)
            if self.error is not None:
                raise self.error
            return save(folder, arrays, numbers)

        monkeypatch.setattr(RunFolder, "save_checkpoint", wait)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return run_folder.create(tmp_path / "run", {"game": "leduc"}, {})


def stored(folder: RunFolder) -> tuple[int, set[int]]:
    """(Number of the newest checkpoint, what its array is full of)."""
    arrays, numbers = folder.load_checkpoint()
    return int(numbers["iteration"]), set(arrays["a"].tolist())


def test_a_copy_is_written_while_the_solver_goes_on(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, state = Gate(monkeypatch), SomeState()
    writer = CheckpointWriter(folder, state, lambda: 1 << 20)
    assert writer.begin()
    state.advance()
    assert not writer.begin(), "the first one is still being written"
    writer.make_way()
    gate.open.set()
    path = writer.finish()
    assert [thread is threading.main_thread() for thread in gate.threads] == [False, True]
    assert stored(folder) == (2, {2})
    path.unlink()
    (path.parent / "latest").write_text("000000000000001.safetensors")
    assert stored(folder) == (1, {1}), "the copy of the first moment"


def test_without_memory_for_a_copy_the_solver_waits(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, state = Gate(monkeypatch), SomeState()
    gate.open.set()
    writer = CheckpointWriter(folder, state, lambda: 7_999)
    assert writer.begin()
    assert gate.threads == [threading.main_thread()]
    assert stored(folder) == (1, {1})


def test_the_solver_gets_the_memory_of_the_copy_when_it_needs_it(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = 8_000
    gate, state = Gate(monkeypatch), SomeState()
    writer = CheckpointWriter(folder, state, lambda: free)
    writer.begin()
    threading.Timer(0.3, gate.open.set).start()
    writer.make_way()
    assert not folder.has_checkpoint, "there is enough: nobody waits"
    free = 7_999
    writer.make_way()
    assert stored(folder) == (1, {1}), "it has waited for the writer"


def test_a_failed_checkpoint_is_one_line_if_there_is_an_earlier_one(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gate, state = Gate(monkeypatch), SomeState()
    gate.open.set()
    writer = CheckpointWriter(folder, state, lambda: 1 << 20)
    gate.error = OSError("cannot write it: No space left on device")
    writer.begin()
    gate.threads[0].join()
    with pytest.raises(OSError, match="No space left"):
        writer.make_way()
    gate.error = None
    writer.begin()
    gate.threads[1].join()
    writer.make_way()
    gate.error = OSError("cannot write it: No space left on device")
    state.advance()
    writer.begin()
    gate.threads[2].join()
    writer.make_way()
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "No space left" in said and "goes on" in said
    assert stored(folder) == (1, {1})
    with pytest.raises(OSError, match="No space left"):
        writer.finish()


def test_what_killed_runs_leave_is_cleared(folder: RunFolder) -> None:
    checkpoints = folder.path / "checkpoints"
    for name in ("000000000000007.safetensors", ".000000000000009.safetensors.4711", ".latest.1"):
        (checkpoints / name).write_text("half")
    for iteration in (2, 4, 5, 6):
        folder.save_checkpoint({"a": np.full(3, iteration)}, {"iteration": iteration})
    names = sorted(path.name for path in checkpoints.iterdir())
    assert [name[:15] for name in names[:-1]] == ["000000000000004", "000000000000005", f"{6:015d}"]
    assert names[-1] == "latest" and stored(folder) == (6, {6})


def test_a_full_disk_does_not_end_a_training_that_can_save_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = RunFolder.save_checkpoint
    calls = []

    def full_once(folder: RunFolder, arrays: Any, numbers: Any) -> Path:
        calls.append(numbers["iteration"])
        if len(calls) == 2:
            raise OSError("cannot write it: No space left on device")
        return save(folder, arrays, numbers)

    monkeypatch.setattr(RunFolder, "save_checkpoint", full_once)
    words = ("train", "leduc", "--out", tmp_path / "run", "--time", 2, "--checkpoint-every", 0.3)
    outcome = pokerspiel(*words, "-q")
    assert outcome.status == 0 and len(calls) > 3
    assert outcome.err.count("\n") == 1 and "No space left" in outcome.err
    assert RunFolder(tmp_path / "run").load_checkpoint()[1]["iteration"] == calls[-1]


def test_checkpoints_of_an_older_format_are_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    succeed("train", "leduc", "--out", run, "--iterations", 10, "-q")
    folder = RunFolder(run)
    arrays, numbers = folder.load_checkpoint()
    arrays["values"] = arrays["values"].astype(np.float64)
    folder.save_checkpoint(arrays, {**numbers, "iteration": 11})
    refuse("resume", run, "--iterations", 1, naming="train anew")
    refuse("export", run, "-o", tmp_path / "bot.pspiel", naming="train anew")


def test_a_run_goes_on_with_its_scheme(tmp_path: Path) -> None:
    words = ("--linear-until", 700, "--prune", 200, "--draw-sampling", 0.5)
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    succeed("train", "leduc", "--out", whole, "--iterations", 2000, *words, "-q")
    succeed("train", "leduc", "--out", pieces, "--iterations", 500, *words, "-q")
    succeed("resume", pieces, "--iterations", 1500, "-q")
    one, other = RunFolder(whole).load_checkpoint()[0], RunFolder(pieces).load_checkpoint()[0]
    assert all(np.array_equal(one[name], other[name]) for name in one)
    bot = tmp_path / "bot.pspiel"
    succeed("export", whole, "-o", bot, "-q")
    assert "700" in succeed("info", bot, "--json").document["algorithm"]
    words = ("train", "leduc", "--iterations", 1, "--out", tmp_path / "none")
    refuse(*words, "--draw-sampling", 1.5, naming="draw_sampling=1.5")
    refuse(*words, "--prune", 0, naming="prune=0")


def test_mapped_arrays_are_those_that_were_written(folder: RunFolder) -> None:
    arrays = {
        "a": np.arange(7, dtype=np.uint64),
        "b": np.linspace(0.0, 1.0, 12, dtype=np.float32).reshape(3, 4),
        "c": np.array([-1, 2], np.int64),
    }
    folder.save_checkpoint(arrays, {"iteration": 3})
    mapped, numbers = folder.load_checkpoint(mapped=True)
    assert numbers == {"iteration": 3} and mapped.keys() == arrays.keys()
    for name, array in arrays.items():
        assert mapped[name].dtype == array.dtype and np.array_equal(mapped[name], array)
        with pytest.raises(ValueError, match="read-only"):
            mapped[name][:] = 0


# Death at any moment.

SVITEN = "sviten_special(abstraction=halves)"


def test_a_killed_training_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    """Killed while a checkpoint is written nearly all the time; each run goes on with the last one,
    and what is stored in the end is what an uninterrupted run comes to."""
    run = tmp_path / "run"
    words = ["train", SVITEN, "--out", str(run), "--time", "60", "--checkpoint-every", "0.2", "-q"]
    delays = random.Random(1)
    before = 0
    for _ in range(3):
        with subprocess.Popen([*COMMAND, *words]) as process:
            wait_for_checkpoint(run, before)
            time.sleep(delays.uniform(0.0, 0.6))
            process.kill()
        arrays, numbers = RunFolder(run).load_checkpoint()
        assert numbers["iteration"] > before
        before = int(numbers["iteration"])
        words = ["resume", str(run), "--time", "60", "-q"]
    uninterrupted = Mccfr(load(SVITEN))
    uninterrupted.run(before)
    for name, array in uninterrupted.state.to_arrays().items():
        assert np.array_equal(array, arrays[name]), name


def wait_for_checkpoint(run: Path, iteration: int) -> None:
    """Wait until a run has a checkpoint after this iteration."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        folder = run / "checkpoints"
        if (folder / "latest").is_file() and int((folder / "latest").read_text()[:15]) > iteration:
            return
        time.sleep(0.01)
    raise AssertionError("there is no checkpoint")


# Memory.

MEASURE = """
import json, sys
from pathlib import Path
from pokerspiel.experiments import run_folder, train
from pokerspiel.games.variants import load

def status():
    lines = Path("/proc/self/status").read_text().splitlines()
    return {line.split()[0]: int(line.split()[1]) << 10 for line in lines if "kB" in line}

def training(name, time, iterations):
    plan = train.Plan(str(game), time, iterations, 1, str(limit), 0.2, 1)
    folder = run_folder.create(Path(sys.argv[3]) / name, vars(plan), {})
    return train._train(plan.solver(game, limit), plan, folder, False, True)

game, limit = load(sys.argv[1]), int(sys.argv[2])
training("warm", None, 400)  # loads the kernels
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
before = status()
end = training("run", 60.0, None)
print(json.dumps({"status": end, "grown": status()["VmHWM:"] - before["VmRSS:"]}))
"""


@pytest.mark.parametrize("limit", [64 << 20, pytest.param(160 << 20, marks=pytest.mark.slow)])
def test_table_and_copy_stay_within_the_memory_limit(tmp_path: Path, limit: int) -> None:
    """Peak resident memory of a training that fills its limit and saves five times a second."""
    command = [sys.executable, "-c", MEASURE, "sviten_special(abstraction=none)"]
    done = subprocess.run(
        [*command, str(limit), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert measured["status"] == 2, "the limit is reached"
    assert 0.5 * limit < measured["grown"] < 1.1 * limit
