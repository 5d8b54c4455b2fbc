"""Processes that do jobs: on this machine, or on a Ray cluster.

A job is a picklable value that a function of a module turns into a result. What a process prints
is kept out of the terminal, its libraries start no threads of their own, it is killed when the
caller is interrupted and ends by itself when the caller is killed. Processes are kept between jobs,
with what their modules remember, unless they are asked for `anew`.

Jobs end in no particular order, on one machine as on many: nothing may depend on it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

ONE_THREAD = {
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""Environment of a process that does jobs: its libraries start no threads of their own."""

TICK = 0.2
"""Seconds between two calls of `on_tick`, at most."""

PROCESSES, RAY = "processes", "ray"
CORES = len(os.sched_getaffinity(0))
"""That this process may use."""
VALUES_KEPT = 8
"""Shared values that a process keeps loaded, the last used ones."""


@dataclass(frozen=True)
class End:
    """How a job ended: with a result, or else with one line that says what went wrong."""

    job: Any
    result: Any = None
    error: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of one attempt at a job."""

    result: Any = None
    error: str | None = None
    died: bool = False
    """Whether the process died, rather than say what went wrong."""


class Shared(ABC):
    """A value that processes can have: small itself, to be put into jobs and read with `get`.

    The value is kept for as long as the object that `Workers.share` gave is.
    """

    @abstractmethod
    def load(self) -> Any:
        """The value, read anew."""


@lru_cache(maxsize=VALUES_KEPT)
def get(shared: Shared) -> Any:
    """The value of `Workers.share`, loaded once a process.

    Contiguous arrays in it are read only, and not copied: all processes of a machine see the same
    memory. numba compiles a kernel anew for read-only arrays; copy those that kernels take.
    """
    return shared.load()


class Workers(ABC):
    """Processes that do jobs, `count` of them at a time. A context manager that ends them."""

    count: int

    def run(
        self,
        work: Callable[[Any], Any],
        jobs: Iterable[Any],
        on_end: Callable[[End], None],
        on_tick: Callable[[Sequence[Any]], None] | None = None,
        retries: int = 0,
    ) -> None:
        """Do `work(job)` for every job.

        `work` must be a function that can be imported. `on_end` is called here, job by job, as they
        end; `on_tick` often, with the jobs that are running. A job whose process died is done again
        up to `retries` times; an exception that `work` raises is the end of its job at once.
        Whatever is raised here, a KeyboardInterrupt above all, kills the running jobs first.
        """
        waiting = deque((job, retries) for job in jobs)
        running: dict[Any, tuple[Any, int]] = {}
        try:
            while waiting or running:
                while waiting and len(running) < self.count:
                    job, left = waiting.popleft()
                    running[self._start(work, job)] = job, left
                for attempt in self._ended(list(running), TICK):
                    job, left = running.pop(attempt)
                    outcome = self._outcome(attempt)
                    if outcome.died and left > 0:
                        waiting.appendleft((job, left - 1))
                    else:
                        on_end(End(job, outcome.result, outcome.error))
                if on_tick is not None:
                    on_tick([job for job, _ in running.values()])
        finally:
            self._kill(list(running))

    @abstractmethod
    def share(self, value: Any) -> Shared:
        """Keep a large value where all processes can read it, with `get`."""

    @abstractmethod
    def close(self) -> None:
        """End the processes, and forget what they share."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # An attempt is whatever can be hashed and stands for one `work(job)` on its way.

    @abstractmethod
    def _start(self, work: Callable[[Any], Any], job: Any) -> Any:
        """Give a job to a process; the attempt."""

    @abstractmethod
    def _ended(self, attempts: list[Any], seconds: float) -> list[Any]:
        """Those that have ended, as soon as there is one; none after so many seconds."""

    @abstractmethod
    def _outcome(self, attempt: Any) -> Outcome:
        """What became of an attempt that has ended."""

    @abstractmethod
    def _kill(self, attempts: list[Any]) -> None:
        """Kill the processes of attempts."""


def open_workers(on: str = PROCESSES, count: int | None = None, anew: bool = False) -> Workers:
    """Processes of this machine ("processes"), of a Ray started here ("ray") or of a Ray cluster.

    A cluster is "ray://host:port" (Ray's client) or "ray:ADDRESS", where Ray's own address is
    "host:6379" or "auto"; the package must be installed on all its machines. `count` is as many as
    there are cores. With `anew`, every job has a process of its own. ValueError, in one line, where
    that cannot be.
    """
    if count is not None and count < 1:
        raise ValueError(f"{count} workers: expected 1 or more")
    if on == PROCESSES:
        from pokerspiel.experiments.local_workers import LocalWorkers

        return LocalWorkers(count, anew)
    if on == RAY or on.startswith("ray:"):
        from pokerspiel.experiments.ray_workers import RayWorkers

        return RayWorkers(on, count, anew)
    raise ValueError(
        f"unknown workers {on!r}: expected {PROCESSES}, {RAY}, ray://host:10001 or ray:auto"
    )


@contextlib.contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Variables of what is started in here."""
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


def do_pickled(task: bytes, load: Callable[[bytes], Any] = pickle.loads) -> bytes:
    """Do a job in this process: from (work, job) to an Outcome, both pickled.

    An exception is told in one line.
    """
    try:
        work, job = load(task)
        return pickle.dumps(Outcome(work(job)), protocol=5)
    except Exception as error:
        return pickle.dumps(Outcome(error=in_one_line(error)))


def in_one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
