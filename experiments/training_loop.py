"""A training at work: its progress on the screen, its log, its checkpoints, and how it ends."""

from __future__ import annotations

import time as clock
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.experiments.run_log import Interrupts, RunLog, share_done

METRICS_EVERY = 2.0
"""Seconds between two lines of metrics."""
INTERRUPTED = "interrupted"


class Progress(Protocol):
    """Where a training stands."""

    @property
    def iteration(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def seconds(self) -> float: ...


P = TypeVar("P", bound=Progress)


class Trainee(ABC, Generic[P]):
    """A solver as the loop sees it."""

    title: str
    """What stands before its progress."""

    @abstractmethod
    def progress(self) -> P: ...

    @abstractmethod
    def run(self, on_progress: Callable[[P], None]) -> str:
        """Train to the end; says how it ended."""

    @abstractmethod
    def words(self, now: P, rate: float) -> str:
        """Where it stands, for people; `rate` is in nodes a second."""

    def more_metrics(self) -> Mapping[str, float]:
        """What is logged besides its progress."""
        return {}


def train(
    trainee: Trainee[P], log: RunLog, limits: tuple[float | None, int | None], quiet: bool
) -> tuple[str, Path]:
    """Run to the end, or until it is interrupted; returns how it ended and the last checkpoint.

    `limits` are the seconds and iterations of this call, None without one.
    """
    begin = trainee.progress()
    next_metrics = clock.monotonic()

    def rate(now: P) -> float:
        """Nodes a second since the run began or went on."""
        seconds = now.seconds - begin.seconds
        return (now.nodes - begin.nodes) / seconds if seconds > 0 else 0.0

    def write_metrics(now: P) -> None:
        numbers: dict[str, Any] = {**vars(now), "nodes_per_second": rate(now)}
        log.add({**numbers, **trainee.more_metrics()})

    with Interrupts() as interrupts, ProgressReport(trainee.title, quiet) as report:

        def on_progress(now: P) -> None:
            nonlocal next_metrics
            report.show(share_done(begin, now, *limits), trainee.words(now, rate(now)))
            if clock.monotonic() >= next_metrics:
                next_metrics = clock.monotonic() + METRICS_EVERY
                write_metrics(now)
            log.save_if_due()
            interrupts.check()

        try:
            status = trainee.run(on_progress)
            interrupts.check()
        except KeyboardInterrupt:
            status = INTERRUPTED
        write_metrics(trainee.progress())
        path = log.save()
    return status, path
