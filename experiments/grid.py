"""Many independent jobs, each in a process of its own, some at a time.

A job is a picklable value that a function of a module turns into a result. A process that dies
is the failure of its job and of nothing else. The processes are ended, not asked, when the
caller is interrupted; they end by themselves when the caller is killed.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

ONE_THREAD = {
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""Environment of a job: its libraries start no threads of their own."""

TICK = 0.2
"""Seconds between two calls of `on_tick`, at most."""


@dataclass(frozen=True)
class End:
    """How a job ended: with a result, or else with one line that says what went wrong."""

    job: Any
    result: Any = None
    error: str | None = None


def run_jobs(
    work: Callable[[Any], Any],
    jobs: Sequence[Hashable],
    processes: int,
    on_end: Callable[[End], None],
    on_tick: Callable[[Sequence[Any]], None] | None = None,
) -> None:
    """Run `work(job)` for every job in a new process each, `processes` of them at a time.

    `work` must be a function that can be imported. `on_end` is called here, job by job, as they
    end; `on_tick` often, with the jobs that are running. Whatever is raised here, a
    KeyboardInterrupt above all, kills the processes first.
    """
    waiting = deque(jobs)
    running: dict[Connection, _Worker] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                worker = _start(work, waiting.popleft())
                running[worker.pipe] = worker
            ready = connection.wait(list(running), timeout=TICK)
            for pipe in [pipe for pipe in running if pipe in ready]:
                on_end(running.pop(pipe).end())
            if on_tick is not None:
                on_tick([worker.job for worker in running.values()])
    finally:
        for worker in running.values():
            worker.process.kill()
        for worker in running.values():
            worker.close()


@dataclass(frozen=True)
class _Worker:
    """A process with its job, the pipe for what it has to say, and the file of what it prints."""

    job: Any
    process: BaseProcess
    pipe: Connection
    printed: Path

    def end(self) -> End:
        """Its result, or how it died if it does not say."""
        try:
            result, error = self.pipe.recv()
            self.process.join(1.0)
            self.process.kill()
        except (EOFError, OSError):
            self.process.join()
            result, error = None, self._death()
        self.close()
        return End(self.job, result, error)

    def _death(self) -> str:
        code = self.process.exitcode or 0
        words = f"the process ended with status {code}"
        if code < 0:
            with contextlib.suppress(ValueError):
                words = f"the process was killed by {signal.Signals(-code).name}"
        lines = self.printed.read_text(encoding="utf-8", errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"{words}: {last}" if last else words

    def close(self) -> None:
        self.process.join()
        self.pipe.close()
        self.printed.unlink(missing_ok=True)


def _start(work: Callable[[Any], Any], job: Any) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    descriptor, printed = tempfile.mkstemp(prefix="pokerspiel-")
    os.close(descriptor)
    task = pickle.dumps((work, job))
    process = context.Process(target=_serve, args=(task, theirs, printed), daemon=True)
    with _environment(ONE_THREAD), _deaf_to_interrupts():
        process.start()
    theirs.close()
    return _Worker(job, process, ours, Path(printed))


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """A process started in here never hears Ctrl-C: whoever started it will end it.

    An interrupt in the meantime reaches this process afterwards.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(task: bytes, pipe: Connection, printed: str) -> None:
    """The life of a process: one job. What its libraries print is kept out of the terminal."""
    threading.Thread(target=_die_with_parent, daemon=True).start()
    with open(printed, "wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    try:
        work, job = pickle.loads(task)
        pipe.send((work(job), None))
    except Exception as error:
        text = " ".join(str(error).split())
        pipe.send((None, f"{type(error).__name__}: {text}" if text else type(error).__name__))


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
