"""Run folders: damage, two runs in one, a full disk, and death at any moment."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.bot_file import BotFileError, read_manifest
from pokerspiel.experiments import run_folder, train
from pokerspiel.experiments.export import write_bot
from pokerspiel.experiments.folder_lock import held, lock_folder
from pokerspiel.experiments.run_folder import RunFolder, append
from pokerspiel.games.abstraction import cluster_file
from pokerspiel.games.abstraction.cluster_file import CentresError
from pokerspiel.games.variants import load
from pokerspiel.solvers.mccfr import Mccfr
from tests.command_line import pokerspiel, refuse, succeed
from tests.failing_disk import full_disk, killed

COMMAND = [sys.executable, "-c", "from pokerspiel.experiments.cli import main; main()"]
MOST_CHANGES = 100
"""More than any of these writes makes."""


def new_run(path: Path) -> RunFolder:
    """A run folder with two checkpoints."""
    with run_folder.create(path, {"game": "leduc"}, {"game": "leduc"}) as folder:
        for iteration in (1, 2):
            save(folder, iteration)
    return folder


def save(folder: RunFolder, iteration: int) -> None:
    folder.save_checkpoint({"a": np.full(10, iteration)}, {"iteration": iteration})


def stored(folder: RunFolder) -> int:
    """The iteration of what is loaded; its array fits it."""
    arrays, numbers = RunFolder(folder.path).load_checkpoint()
    assert arrays["a"].tolist() == [numbers["iteration"]] * 10
    return int(numbers["iteration"])


def flip_last_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


# Damage.


@pytest.fixture
def leduc_run(tmp_path: Path) -> Path:
    """A training with checkpoints after 100 and 200 iterations."""
    run = tmp_path / "run"
    succeed("train", "leduc", "--out", run, "--iterations", 100, "-q")
    succeed("resume", run, "--iterations", 100, "-q")
    return run


def assert_goes_on(run: Path, iteration: int, said: str) -> None:
    """`resume` goes on from this iteration to 300 as if nothing had been, and says why."""
    outcome = succeed("resume", run, "--iterations", 300 - iteration, "-q")
    assert outcome.err.count("\n") == 1, outcome.err
    assert said in outcome.err and f"{iteration:015d}.safetensors is taken instead" in outcome.err
    arrays, _ = RunFolder(run).load_checkpoint()
    whole = Mccfr(load("leduc"))
    whole.run(300)
    assert all(np.array_equal(arrays[name], a) for name, a in whole.state.to_arrays().items())
    assert [row["iteration"] for row in RunFolder(run).metrics()][-2:] == [iteration, 300]


def test_an_older_checkpoint_replaces_a_damaged_one(leduc_run: Path) -> None:
    flip_last_byte(RunFolder(leduc_run).latest_checkpoint())
    assert_goes_on(leduc_run, 100, "000000000000200.safetensors is damaged")


def test_an_older_checkpoint_replaces_an_empty_one(leduc_run: Path) -> None:
    RunFolder(leduc_run).latest_checkpoint().write_bytes(b"")
    assert_goes_on(leduc_run, 100, "000000000000200.safetensors is damaged")


def test_without_a_pointer_the_newest_checkpoint_is_taken(leduc_run: Path) -> None:
    (leduc_run / "checkpoints" / "latest").unlink()
    assert_goes_on(leduc_run, 200, "latest is missing")


@pytest.mark.parametrize("text", [b"", b"\xff\x00", b"000000000000300.safetensors\n", b"../config"])
def test_with_a_damaged_pointer_the_newest_checkpoint_is_taken(
    tmp_path: Path, text: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = new_run(tmp_path / "run")
    (folder.path / "checkpoints" / "latest").write_bytes(text)
    assert stored(folder) == 2
    assert "which does not exist" in capsys.readouterr().err


def test_a_checkpoint_that_the_pointer_does_not_name_yet_is_the_last_resort(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = new_run(tmp_path / "run")
    (folder.path / "checkpoints" / "latest").write_text("000000000000001.safetensors\n")
    assert stored(folder) == 1 and capsys.readouterr().err == ""
    flip_last_byte(folder.latest_checkpoint())
    assert stored(folder) == 2


def test_if_all_checkpoints_are_damaged_the_newest_is_named(leduc_run: Path) -> None:
    for path in (leduc_run / "checkpoints").glob("*.safetensors"):
        flip_last_byte(path)
    refuse("resume", leduc_run, "--iterations", 1, naming="000000000000200.safetensors is damaged")


@pytest.mark.parametrize("shipped", sorted(cluster_file.SHIPPED.glob("*.centres"))[:1])
def test_no_flipped_byte_of_centres_is_read_as_other_buckets(shipped: Path, tmp_path: Path) -> None:
    whole, path = shipped.read_bytes(), tmp_path / shipped.name
    expected = cluster_file.load(shipped)
    header = 8 + int.from_bytes(whole[:8], "little")
    random = np.random.default_rng(1)
    places = [*random.integers(0, header, 40), *random.integers(header, len(whole), 40)]
    told = 0
    for at in places:
        flipped = bytearray(whole)
        flipped[at] ^= 1
        path.write_bytes(flipped)
        try:
            found = cluster_file.load(path)
        except CentresError as error:
            assert "\n" not in str(error)
            told += 1
        else:
            assert found.content_hash == expected.content_hash, at
    assert told >= 40, "every one in an array"


def test_damaged_lines_of_the_metrics_are_left_out(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run")
    lines = (b'{"iteration": 1}', b'{"itera', b"\xff\xfe", b"[1]", b'{"i": 2}', b'{"iteration": 3}')
    (folder.path / "metrics.jsonl").write_bytes(b"\n".join(lines))
    assert folder.metrics() == [{"iteration": 1}, {"iteration": 3}]
    folder.forget_metrics_after(2)
    assert folder.metrics() == [{"iteration": 1}]


def test_a_folder_of_a_later_format_is_refused(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run")
    later = {"format": 2, "kind": "run", "versions": {"pokerspiel": "9.1"}}
    (folder.path / "manifest.json").write_text(json.dumps(later))
    refuse("resume", folder.path, naming="by pokerspiel 9.1, format 2; this one reads up to 1: up")


# Two runs in one folder.


def test_a_folder_in_use_can_be_read_but_not_trained_in(leduc_run: Path, tmp_path: Path) -> None:
    with RunFolder(leduc_run):
        refuse("resume", leduc_run, "--iterations", 1, naming=f"{leduc_run} is in use")
        succeed("info", leduc_run)
        succeed("export", leduc_run, "-o", tmp_path / "bot.pspiel", "-q")
    succeed("resume", leduc_run, "--iterations", 1, "-q")


def test_of_two_that_begin_in_one_folder_one_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    faster = lock_folder(folder)
    with pytest.raises(OSError, match="in use"):
        run_folder.create(folder, {"game": "leduc"}, {})
    assert folder.is_dir(), "it is the other one's"
    os.close(faster)
    with run_folder.create(folder, {"game": "leduc"}, {}), pytest.raises(OSError, match="exists"):
        run_folder.create(folder, {"game": "kuhn"}, {})
    assert RunFolder(folder).config() == {"game": "leduc"}


def test_measurements_are_kept_by_one_command_at_a_time(tmp_path: Path) -> None:
    with held(tmp_path / "out"):
        words = ("bench", "sviten", "--only", "speed", "--game", "mini_sviten")
        refuse(*words, "--out", tmp_path / "out", naming=f"{tmp_path / 'out'} is in use")
    with held(tmp_path / "out"), held(None):
        assert (tmp_path / "out").is_dir()


def test_a_training_holds_its_folder_until_it_is_killed(tmp_path: Path) -> None:
    run, before = tmp_path / "run", 0
    words = ["train", "leduc", "--out", str(run), "--time", "60", "--checkpoint-every", "0.1"]
    for _ in range(3):
        with subprocess.Popen([*COMMAND, *words, "-q"]) as process:
            try:
                wait_for_checkpoint(run, before)
                refuse("resume", run, "--iterations", 1, naming="is in use")
                succeed("export", run, "-o", tmp_path / "bot.pspiel", "-q")
            finally:
                process.kill()
        before = int(RunFolder(run).load_checkpoint()[1]["iteration"])
        words = ["resume", str(run), "--time", "60"]
    outcome = succeed("resume", run, "--iterations", 1, "-q")
    assert outcome.err == ""
    arrays, numbers = RunFolder(run).load_checkpoint()
    assert numbers["iteration"] == before + 1
    whole = Mccfr(load("leduc"))
    whole.run(int(numbers["iteration"]))
    assert all(np.array_equal(arrays[name], a) for name, a in whole.state.to_arrays().items())


def wait_for_checkpoint(run: Path, iteration: int) -> None:
    """Wait until a run has a checkpoint after this iteration."""
    latest = run / "checkpoints" / "latest"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if latest.is_file() and int(latest.read_text()[:15]) > iteration:
            return
        time.sleep(0.01)
    raise AssertionError("there is no checkpoint")


# A full disk.


def no_trace(folder: Path) -> bool:
    return not [path for path in folder.rglob(".*") if path.is_file()]


def test_a_disk_that_gets_full_at_any_moment_leaves_the_last_checkpoint(tmp_path: Path) -> None:
    for n in range(MOST_CHANGES):
        folder = new_run(tmp_path / str(n))
        try:
            with full_disk(n) as disk:
                save(folder, 3)
        except OSError as error:
            assert "cannot write" in str(error) and "No space left on device" in str(error)
        assert stored(folder) in (2, 3) and no_trace(folder.path)
        if not disk.failed:
            assert n > 5 and stored(folder) == 3
            return
        save(folder, 4)
        assert stored(folder) == 4
    raise AssertionError("it never got through")


def test_a_disk_that_gets_full_at_any_moment_leaves_no_half_begun_run(tmp_path: Path) -> None:
    for n in range(MOST_CHANGES):
        path = tmp_path / str(n)
        try:
            with full_disk(n) as disk, run_folder.create(path, {"game": "leduc"}, {}):
                pass
        except OSError as error:
            assert f"cannot create {path}" in str(error) and "No space left" in str(error)
            assert not path.exists()
        if not disk.failed:
            assert n > 5
            return
    raise AssertionError("it never got through")


def test_an_addition_that_fails_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, b"one\n")
    for n in (0, 1):
        with pytest.raises(OSError, match=r"cannot write .*log: No space left"), full_disk(n):
            append(path, b"two\n")
        assert path.read_bytes() == b"one\n"
    append(path, b"three\n")
    assert path.read_bytes() == b"one\nthree\n"


def test_a_log_that_cannot_be_written_costs_a_line_and_not_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(path: Path, data: bytes) -> None:
        raise OSError(f"cannot write {path}: {os.strerror(errno.ENOSPC)}")

    monkeypatch.setattr(run_folder, "append", no_space)
    monkeypatch.setattr("pokerspiel.experiments.training_loop.METRICS_EVERY", 0.1)
    outcome = succeed("train", "leduc", "--out", tmp_path / "run", "--time", 1, "-q")
    assert outcome.err.count("\n") == 1
    assert "metrics.jsonl: No space left on device; the run goes on" in outcome.err
    assert RunFolder(tmp_path / "run").load_checkpoint()[1]["iteration"] > 0
    assert RunFolder(tmp_path / "run").metrics() == []


def test_a_disk_that_is_full_in_the_end_is_one_line_and_keeps_the_last_checkpoint(
    leduc_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(*words: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pokerspiel.experiments.checkpoint_format.write", no_space)
    refuse("resume", leduc_run, "--iterations", 1, naming="No space left on device")
    monkeypatch.undo()
    assert RunFolder(leduc_run).load_checkpoint()[1]["iteration"] == 200


# Death at any moment.


def test_killed_at_any_moment_of_a_checkpoint_the_old_or_the_new_one_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = set()
    for n in range(MOST_CHANGES):
        folder = new_run(tmp_path / str(n))
        with killed(n) as disk:
            save(folder, 3)
        found.add(stored(folder))
        again = RunFolder(folder.path)
        save(again, 4)
        assert stored(again) == 4 and no_trace(folder.path)
        if not disk.failed:
            assert n > 5 and found == {2, 3} and capsys.readouterr().err == ""
            return
    raise AssertionError("it never got through")


def test_killed_at_any_moment_of_the_first_checkpoint_it_is_there_or_not(tmp_path: Path) -> None:
    for n in range(MOST_CHANGES):
        folder = run_folder.create(tmp_path / str(n), {"game": "leduc"}, {"game": "leduc"})
        with folder, killed(n) as disk:
            save(folder, 1)
        try:
            assert stored(folder) == 1
        except ValueError as error:
            assert "has no checkpoint yet" in str(error)
        if not disk.failed:
            return
        save(folder, 1)
        assert stored(folder) == 1 and no_trace(folder.path)
    raise AssertionError("it never got through")


def old_or_new(tmp_path: Path, write: Callable[[Path, int], None], said: Callable[[Path], int]):
    """Killed at any moment of writing 2 over 1, `said` finds one of them."""
    found = []
    for n in range(MOST_CHANGES):
        path = tmp_path / str(n)
        write(path, 1)
        with killed(n) as disk:
            write(path, 2)
        found.append(said(path))
        if not disk.failed:
            assert set(found) == {1, 2} and found == sorted(found)
            return
    raise AssertionError("it never got through")


def test_killed_at_any_moment_of_forgetting_metrics_the_old_or_the_new_ones_are_there(
    tmp_path: Path,
) -> None:
    def write(path: Path, number: int) -> None:
        if number == 1:
            folder = new_run(path)
            for iteration in (1, 2, 3):
                folder.add_metrics({"iteration": iteration})
        else:
            RunFolder(path).forget_metrics_after(1)

    old_or_new(tmp_path, write, lambda path: {3: 1, 1: 2}[len(RunFolder(path).metrics())])


def test_killed_at_any_moment_of_writing_a_bot_the_old_or_the_new_one_is_there(
    tmp_path: Path,
) -> None:
    game = load("kuhn")
    solver = Mccfr(game)
    solver.run(10)

    def write(path: Path, number: int) -> None:
        write_bot(path, game, solver.state, str(number))

    old_or_new(tmp_path, write, lambda path: int(read_manifest(path).name))


def test_a_disk_that_gets_full_at_any_moment_leaves_the_old_bot(tmp_path: Path) -> None:
    game = load("kuhn")
    solver = Mccfr(game)
    solver.run(10)
    path = tmp_path / "bot.pspiel"
    write_bot(path, game, solver.state, "old")
    for n in range(MOST_CHANGES):
        try:
            with full_disk(n) as disk:
                write_bot(path, game, solver.state, "new")
        except BotFileError as error:
            assert f"cannot write {path}: No space left" in str(error)
        assert no_trace(tmp_path)
        if not disk.failed:
            assert n > 2 and read_manifest(path).name == "new"
            return
        assert read_manifest(path).name in ("old", "new")
    raise AssertionError("it never got through")


def test_an_interrupt_while_a_run_folder_is_made_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(values: Any) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(run_folder, "toml_text", interrupt)
    assert pokerspiel("train", "leduc", "--out", tmp_path / "run", "--iterations", 1).status == 130
    assert not (tmp_path / "run").exists()
    assert train.INTERRUPTED == 130
