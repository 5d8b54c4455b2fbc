"""The command as a process: its speed, its signals, its pipes and a disk that is full."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

from pokerspiel.experiments.run_folder import RunFolder
from tests.command_line import succeed

COMMAND = [sys.executable, "-c", "from pokerspiel.experiments.cli import main; main()"]


def start(*words: object) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*COMMAND, *map(str, words)], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def test_help_imports_no_game() -> None:
    code = (
        "import sys\nfrom pokerspiel.experiments import cli\n"
        "status = cli.run(['--help'])\n"
        "heavy = {'numba', 'numpy', 'pyspiel', 'matplotlib', 'tensorboard'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else status)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "sviten" in done.stdout.lower()


def test_json_is_all_that_stands_on_stdout() -> None:
    with start("match", "tight", "random", "--game", "leduc", "--hands", 20, "--json") as process:
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert json.loads(out)["hands"] == 20


def test_bad_input_ends_with_two_and_no_traceback() -> None:
    with start("hand", "svara", "7c9sZs") as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err.count("\n") == 1 and "'Zs'" in err


def test_play_ends_cleanly_with_the_input() -> None:
    with start("play", "leduc", "--against", "random", "--seed", 1) as process:
        out, err = process.communicate("1\n1\n", timeout=120)
    assert process.returncode == 0, err
    assert "Goodbye" in out and "Traceback" not in err


def wait_for_iterations(run: Path, process: subprocess.Popen[str]) -> None:
    """Wait until the training in another process writes its first metrics."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if (run / "metrics.jsonl").exists() and RunFolder(run).metrics():
            return
        time.sleep(0.05)
    raise AssertionError("the training does not begin")


def test_signals_end_a_training_with_a_checkpoint(tmp_path: Path) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        run = tmp_path / number.name
        with start("train", "leduc", "--out", run, "--time", 300) as process:
            wait_for_iterations(run, process)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert f"pokerspiel resume {run}" in err and "Traceback" not in err
        assert RunFolder(run).load_checkpoint()[1]["iteration"] > 0
        succeed("resume", run, "--iterations", 10, "-q")


def full_disk(size: int) -> None:
    """Let no file of this process grow beyond `size` bytes: writing fails as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_full_disk_is_one_line_and_leaves_the_last_checkpoint(tmp_path: Path) -> None:
    run = tmp_path / "run"
    succeed("train", "leduc", "--out", run, "--iterations", 100, "-q")
    before = RunFolder(run).latest_checkpoint().read_bytes()
    done = subprocess.run(
        [*COMMAND, "resume", str(run), "--iterations", "50", "-q"],
        capture_output=True,
        text=True,
        preexec_fn=lambda: full_disk(200_000),
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1 and "cannot write" in done.stderr
    assert RunFolder(run).latest_checkpoint().read_bytes() == before
    assert len(list((run / "checkpoints").iterdir())) == 2


def test_a_closed_pipe_is_no_error() -> None:
    command = " ".join(f"'{word}'" for word in [*COMMAND, "games", "svara", "--json"])
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -1"],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
    )
    assert done.stdout == "{\n"
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


COUNT_COMPILATIONS = """
import sys
from numba.core import event
from pokerspiel.experiments import cli
with event.install_recorder("numba:compile") as recorder:
    status = cli.run(sys.argv[1:])
sys.exit(status or (f"{len(recorder.buffer) // 2} functions compiled" if recorder.buffer else 0))
"""


def test_a_second_start_compiles_nothing(tmp_path: Path) -> None:
    commands = (
        ("train", "svara", "--out", "{out}", "--iterations", "5"),
        ("play", "svara", "--against", "random", "--seed", "1"),
    )
    for command in commands:
        for turn in range(2):
            words = [word.replace("{out}", str(tmp_path / f"run{turn}")) for word in command]
            done = subprocess.run(
                [sys.executable, "-c", COUNT_COMPILATIONS, *words],
                capture_output=True,
                text=True,
                input="1\n1\n1\n",
                check=False,
            )
        assert done.returncode == 0, f"{command[0]}: {done.stderr}"
