"""What all long runs do, whatever they compute: stop when asked, leave a log, and go on."""

from __future__ import annotations

import signal
import time as clock
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Protocol, Self

from pokerspiel.experiments.checkpoints import CheckpointWriter, State
from pokerspiel.experiments.events import EventLog
from pokerspiel.experiments.output import note
from pokerspiel.experiments.run_folder import RunFolder


class Interrupts:
    """A context in which the first SIGINT or SIGTERM is noted, until `check` raises it.

    So a run ends between two iterations. A second signal interrupts at once.
    """

    def __init__(self) -> None:
        self._noted = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._noted:
            raise KeyboardInterrupt
        self._noted = True

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal has come."""
        if self._noted:
            raise KeyboardInterrupt

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


class RunLog:
    """Metrics, TensorBoard's curves and checkpoints of a run, in its folder."""

    def __init__(
        self,
        folder: RunFolder,
        state: State,
        checkpoint_every: float,
        free_memory: Callable[[], int] | None = None,
    ) -> None:
        """`state` is that of the running solver; `checkpoint_every` is in seconds.

        If `free_memory` gives the bytes that the solver does not need, checkpoints are copied and
        written in the background where that is enough.
        """
        self._folder = folder
        self._writer = CheckpointWriter(folder, state, free_memory)
        self._every = checkpoint_every
        self._next_checkpoint = clock.monotonic() + checkpoint_every
        self._last = int(state.to_numbers()["iteration"])
        self._events = EventLog(folder.path, self._last)
        self._failed = False

    def add(self, numbers: Mapping[str, int | float]) -> None:
        """Log the numbers of an iteration, unless that has been done.

        A log that cannot be written, as on a full disk, costs a line, the first time, not the run.
        """
        iteration = int(numbers["iteration"])
        if iteration == self._last:
            return
        self._last = iteration
        scalars = {name: float(value) for name, value in numbers.items() if name != "iteration"}
        try:
            self._folder.add_metrics(numbers)
            self._events.add(iteration, clock.time(), scalars)
        except OSError as error:
            if not self._failed:
                note(f"pokerspiel: {error}; the run goes on, its log has a gap")
            self._failed = True

    def save_if_due(self) -> None:
        """To be called between two periods of the solver."""
        self._writer.make_way()
        if clock.monotonic() >= self._next_checkpoint and self._writer.begin():
            self._next_checkpoint = clock.monotonic() + self._every

    def save(self) -> Path:
        """Write the last checkpoint."""
        return self._writer.finish()


class Standing(Protocol):
    """Where a run stands."""

    @property
    def iteration(self) -> int: ...

    @property
    def seconds(self) -> float: ...


def share_done(
    begin: Standing, now: Standing, seconds: float | None, iterations: int | None
) -> float | None:
    """The share of a call that is done, of whichever limit is nearer; None without a limit."""
    shares = []
    if seconds is not None:
        shares.append((now.seconds - begin.seconds) / seconds)
    if iterations is not None:
        shares.append((now.iteration - begin.iteration) / iterations)
    return min(max(shares), 1.0) if shares else None


def what_is_left(
    planned: tuple[float | None, int | None],
    asked: tuple[float | None, int | None],
    done: tuple[float, int],
) -> tuple[float | None, int | None]:
    """Seconds and iterations to go on for: what is asked for now, or else the rest of the plan.

    Each pair holds seconds and iterations. Raises ValueError if nothing is left.
    """
    if asked != (None, None):
        return asked
    seconds, iterations = planned
    if seconds is not None:
        seconds -= done[0]
    if iterations is not None:
        iterations -= done[1]
    if (seconds is not None and seconds <= 0) or (iterations is not None and iterations <= 0):
        raise ValueError("the run is complete: say with --time or --iterations how far to go on")
    return seconds, iterations
