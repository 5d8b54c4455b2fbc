"""Workers of this machine: spawned processes, and values that they share as files in memory."""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from pokerspiel.experiments.workers import (
    CORES,
    ONE_THREAD,
    Outcome,
    Shared,
    Workers,
    do_pickled,
    environment,
)

MEMORY = Path("/dev/shm")
"""Where files are memory, if there is such a place."""
ALIGNMENT = 64
"""Bytes at whose multiples arrays begin in a file."""
PATIENCE = 1.0
"""Seconds that idle processes have to end, before they are killed."""


class LocalWorkers(Workers):
    """Processes of this machine. A new one is started where no idle one is left."""

    def __init__(self, count: int | None = None, anew: bool = False) -> None:
        self.count = count or CORES
        self._anew = anew
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        place = MEMORY if os.access(MEMORY, os.W_OK) else None
        self._folder = Path(tempfile.mkdtemp(prefix="pokerspiel-", dir=place))

    def share(self, value: Any) -> Shared:
        return _write(value, self._folder)

    def close(self) -> None:
        self._kill(list(self._busy))
        for process in self._idle:
            process.pipe.close()
        deadline = time.monotonic() + PATIENCE
        while self._idle:
            self._idle.pop().end(max(deadline - time.monotonic(), 0.0))
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, work: Callable[[Any], Any], job: Any) -> _Process:
        task = pickle.dumps((work, job), protocol=5)
        process = self._take()
        # A process that has died is found out where its answer is read.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            process.pipe.send_bytes(task)
        return process

    def _take(self) -> _Process:
        """An idle process, or a new one; it is busy from now on."""
        while self._idle:
            process = self._idle.pop()
            if process.process.is_alive():
                self._busy.add(process)
                return process
            process.end(0.0)
        # An interrupt in the meantime is raised when the process is known.
        with _deaf_to_interrupts():
            process = _Process.start(self._folder)
            self._busy.add(process)
        return process

    def _ended(self, attempts: list[Any], seconds: float) -> list[Any]:
        ready = connection.wait([process.pipe for process in attempts], timeout=seconds)
        return [process for process in attempts if process.pipe in ready]

    def _outcome(self, attempt: Any) -> Outcome:
        process: _Process = attempt
        try:
            outcome: Outcome = process.pipe.recv()
        except (EOFError, OSError):
            process.process.join()
            outcome = Outcome(error=process.death(), died=True)
        if outcome.died or self._anew:
            process.pipe.close()
            process.end(PATIENCE)
        else:
            self._idle.append(process)
        self._busy.discard(process)
        return outcome

    def _kill(self, attempts: list[Any]) -> None:
        for process in attempts:
            process.process.kill()
        for process in attempts:
            process.end(0.0)
            self._busy.discard(process)


@dataclass(frozen=True, eq=False)
class _Process:
    """A process, the pipe to it, and the file of what it prints during a job."""

    process: BaseProcess
    pipe: Connection
    printed: Path

    @classmethod
    def start(cls, folder: Path) -> _Process:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        descriptor, printed = tempfile.mkstemp(prefix="printed-", dir=folder)
        os.close(descriptor)
        process = context.Process(target=_serve, args=(theirs, printed), daemon=True)
        with environment(ONE_THREAD):
            process.start()
        theirs.close()
        return cls(process, ours, Path(printed))

    def end(self, patience: float) -> None:
        """Wait so many seconds for its end, then kill it."""
        self.process.join(patience)
        self.process.kill()
        self.process.join()
        self.pipe.close()
        self.printed.unlink(missing_ok=True)

    def death(self) -> str:
        """How it died, in one line."""
        code = self.process.exitcode or 0
        words = f"the process ended with status {code}"
        if code < 0:
            with contextlib.suppress(ValueError):
                words = f"the process was killed by {signal.Signals(-code).name}"
        lines = self.printed.read_text(encoding="utf-8", errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"{words}: {last}" if last else words


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """A process started in here never hears Ctrl-C: whoever started it will end it.

    An interrupt in the meantime reaches this process afterwards: one that is half started would
    complain. The mask is what a new process inherits; other threads of this one can still be told
    of a signal, whose handler then runs in the main thread.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    came: list[int] = []
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number, handler in handlers.items():
        if callable(handler):
            signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in came:
            signal.raise_signal(number)


# The life of a process.


def _serve(pipe: Connection, printed: str) -> None:
    """Do jobs until the pipe is closed. What libraries print is kept out of the terminal."""
    folder = Path(printed).parent
    threading.Thread(target=_die_with_parent, args=(folder,), daemon=True).start()
    with open(printed, "ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    while True:
        try:
            task = pipe.recv_bytes()
        except (EOFError, OSError):
            return
        os.ftruncate(1, 0)
        answer = do_pickled(task)
        sys.stdout.flush()
        pipe.send_bytes(answer)


def _die_with_parent(folder: Path) -> None:
    """Wait for the end of the process that shares a folder with this one, and remove it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)


# Values that processes share.


@dataclass(frozen=True)
class _SharedFile(Shared):
    """A file with a pickle, and behind it the buffers that it names, each at its place."""

    path: str
    pickled: int
    """Bytes of the pickle."""
    places: tuple[tuple[int, int], ...]
    """Where buffers begin and end."""

    def load(self) -> Any:
        with open(self.path, "rb") as file:
            memory = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        buffers = [memory[begin:end] for begin, end in self.places]
        return pickle.loads(memory[: self.pickled], buffers=buffers)


def _write(value: Any, folder: Path) -> Shared:
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    places = []
    descriptor, path = tempfile.mkstemp(dir=folder)
    with open(descriptor, "wb") as file:
        file.write(pickled)
        for buffer in buffers:
            file.seek(-file.tell() % ALIGNMENT, os.SEEK_CUR)
            begin = file.tell()
            file.write(buffer.raw())
            places.append((begin, file.tell()))
    shared = _SharedFile(path, len(pickled), tuple(places))
    weakref.finalize(shared, Path(path).unlink, missing_ok=True)
    return shared
