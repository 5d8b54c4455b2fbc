"""Jobs for workers, and how they ended."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pokerspiel.experiments.workers import End, Shared, Workers, get


def ends_of(
    workers: Workers, work: Any, jobs: Sequence[Any], retries: int = 0
) -> dict[Any, tuple[Any, str | None]]:
    """Results and errors by job."""
    ends: list[End] = []
    workers.run(work, jobs, ends.append, retries=retries)
    assert sorted(end.job for end in ends) == sorted(jobs)
    return {end.job: (end.result, end.error) for end in ends}


def process_id(job: int) -> int:
    time.sleep(0.2)
    return os.getpid()


def lives(process: int) -> bool:
    """Whether there is such a process, zombies not counted."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(") ")[2][0] != "Z"


def wait_for(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def count_and_die(job: tuple[str, int, int]) -> int:
    """Write a line into the folder's file; die by SIGKILL unless there are more than so many."""
    folder, number, deaths = job
    path = Path(folder) / str(number)
    with path.open("a") as file:
        file.write("x")
    if path.stat().st_size <= deaths:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def shout_and_exit(job: int) -> None:
    print("what a library says")
    os.system("echo last words >&2")
    os._exit(job)


def announce_and_sleep(folder: str) -> None:
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(60.0)


def look_at(shared: Shared) -> tuple[int, bool, bool, float]:
    """The process, and of the shared array: whether it is loaded already, writeable, its sum."""
    first = get(shared)
    array = first["array"]
    return os.getpid(), get(shared) is first, array.flags.writeable, float(array.sum())
