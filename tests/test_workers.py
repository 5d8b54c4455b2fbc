"""Jobs in processes of this machine: results, deaths, interrupts, and values that are shared."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from multiprocessing import util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pokerspiel.experiments.workers import End, get, open_workers
from tests.worker_jobs import (
    announce_and_sleep,
    count_and_die,
    ends_of,
    lives,
    look_at,
    process_id,
    shout_and_exit,
    wait_for,
)


def test_jobs_have_results_or_errors_of_one_line() -> None:
    with open_workers(count=2) as workers:
        ends = ends_of(workers, math.sqrt, [4.0, -1.0, 9.0])
    assert ends == {
        4.0: (2.0, None),
        9.0: (3.0, None),
        -1.0: (None, "ValueError: math domain error"),
    }


def test_a_result_that_cannot_travel_is_an_error() -> None:
    with open_workers(count=1) as workers:
        (error,) = [error for _, error in ends_of(workers, open, [os.devnull]).values()]
        assert error is not None and error.startswith("TypeError: cannot pickle")
        assert ends_of(workers, math.sqrt, [4.0]) == {4.0: (2.0, None)}


@pytest.mark.parametrize(("anew", "processes"), [(False, 2), (True, 4)])
def test_processes_are_kept_unless_they_are_asked_for_anew(anew: bool, processes: int) -> None:
    with open_workers(count=2, anew=anew) as workers:
        found = {result for result, _ in ends_of(workers, process_id, range(4)).values()}
    assert len(found) == processes
    assert not any(map(lives, found))


def test_a_process_that_dies_is_one_failure() -> None:
    with open_workers(count=1) as workers:
        assert ends_of(workers, signal.raise_signal, [9]) == {
            9: (None, "the process was killed by SIGKILL")
        }
        assert ends_of(workers, os._exit, [3]) == {3: (None, "the process ended with status 3")}
        assert ends_of(workers, math.sqrt, [4.0]) == {4.0: (2.0, None)}


def test_a_job_whose_process_was_killed_is_done_again(tmp_path: Path) -> None:
    jobs = [(str(tmp_path), number, deaths) for number, deaths in enumerate((0, 2, 3, 1))]
    with open_workers(count=2) as workers:
        ends = ends_of(workers, count_and_die, jobs, retries=2)
    assert [ends[job] for job in jobs] == [
        (0, None),
        (1, None),
        (None, "the process was killed by SIGKILL"),
        (3, None),
    ]
    assert [(tmp_path / str(job[1])).stat().st_size for job in jobs] == [1, 3, 3, 2]


def test_an_idle_process_may_be_killed() -> None:
    with open_workers(count=1) as workers:
        (first,) = [result for result, _ in ends_of(workers, process_id, [0]).values()]
        os.kill(first, signal.SIGKILL)
        time.sleep(0.2)
        (second, error) = ends_of(workers, process_id, [0])[0]
    assert error is None and second != first


def test_a_process_has_one_thread_and_leaves_our_environment() -> None:
    before = os.environ.get("OMP_NUM_THREADS")
    with open_workers(count=1) as workers:
        assert ends_of(workers, os.getenv, ["OMP_NUM_THREADS"]) == {"OMP_NUM_THREADS": ("1", None)}
    assert os.environ.get("OMP_NUM_THREADS") == before


def test_what_a_process_prints_is_kept_out_of_the_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with open_workers(count=1) as workers:
        (_, error) = ends_of(workers, shout_and_exit, [1])[1]
    assert error == "the process ended with status 1: last words"
    assert capfd.readouterr() == ("", "")


def test_an_interrupt_kills_the_processes_at_once(tmp_path: Path) -> None:
    def interrupt(running: Sequence[Any]) -> None:
        if len(list(tmp_path.iterdir())) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), open_workers(count=2) as workers:
        jobs = [str(tmp_path), f"{tmp_path}/"]
        workers.run(announce_and_sleep, jobs, lambda end: None, interrupt)
    processes = [int(path.name) for path in tmp_path.iterdir()]
    assert len(processes) == 2 and not any(map(lives, processes))


def test_an_interrupt_waits_until_a_process_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process that never learns what it is for would print a traceback."""
    spawn, known = util.spawnv_passfds, []

    def interrupt() -> None:
        # Another thread than the one that starts the process may be told of Ctrl-C.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.raise_signal(signal.SIGINT)

    def spawn_and_interrupt(*arguments: Any) -> int:
        process = spawn(*arguments)
        thread = threading.Thread(target=interrupt)
        thread.start()
        thread.join()
        known.append(process)
        return process

    with open_workers(count=1) as workers:
        with monkeypatch.context() as patch:
            patch.setattr(util, "spawnv_passfds", spawn_and_interrupt)
            with pytest.raises(KeyboardInterrupt):
                workers.run(math.sqrt, [4.0], print)
        assert ends_of(workers, math.sqrt, [4.0]) == {4.0: (2.0, None)}
    assert len(known) == 1 and not lives(known[0])


# Sharing.


def test_a_shared_value_is_loaded_once_a_process_and_read_only() -> None:
    value = {"array": np.arange(100_000.0), "empty": np.zeros(0), "text": "words"}
    with open_workers(count=2) as workers:
        shared = workers.share(value)
        ends: list[End] = []
        workers.run(look_at, [shared] * 6, ends.append)
        assert {end.error for end in ends} == {None}
        assert {end.result[1:] for end in ends} == {(True, False, float(value["array"].sum()))}
        assert get(shared)["text"] == "words" and get(shared)["empty"].shape == (0,)


def test_files_of_shared_values_are_removed() -> None:
    with open_workers(count=1) as workers:
        kept, dropped = workers.share(np.ones(10)), workers.share(np.ones(10))
        paths = [Path(getattr(shared, "path")) for shared in (kept, dropped)]  # noqa: B009
        assert all(path.is_file() for path in paths)
        del dropped
        assert [path.is_file() for path in paths] == [True, False]
    assert not paths[0].parent.exists()


@pytest.mark.parametrize(
    ("on", "count", "words"),
    [
        ("threads", 1, "unknown workers 'threads': expected processes, ray,"),
        ("processes", 0, "0 workers: expected 1 or more"),
    ],
)
def test_what_cannot_be_is_named(on: str, count: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        open_workers(on, count)


# The end of the process that started them.

DRIVER = """
import sys
from pokerspiel.experiments.workers import open_workers
from tests.worker_jobs import announce_and_sleep
if __name__ == "__main__":
    with open_workers(count=2) as workers:
        workers.share(bytes(10))
        workers.run(announce_and_sleep, sys.argv[1:], print)
"""


def test_no_process_and_no_file_outlives_the_one_that_started_them(tmp_path: Path) -> None:
    script, folder = tmp_path / "driver.py", tmp_path / "processes"
    script.write_text(DRIVER)
    folder.mkdir()
    variables = {**os.environ, "PYTHONPATH": os.getcwd()}
    command = [sys.executable, str(script), str(folder), f"{folder}/"]
    with subprocess.Popen(command, env=variables) as driver:
        wait_for(lambda: len(list(folder.iterdir())) == 2)
        processes = [int(path.name) for path in folder.iterdir()]
        printed = [Path(os.readlink(f"/proc/{process}/fd/1")) for process in processes]
        assert all(path.is_file() for path in printed) and all(map(lives, processes))
        driver.kill()
    wait_for(lambda: not any(map(lives, processes)))
    wait_for(lambda: not any(path.parent.exists() for path in printed))
