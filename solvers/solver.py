"""What every algorithm has in common: it runs, reports, stops and goes on."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

# Indices of the control array, which the kernels update after each iteration.
ITERATION = 0
NODES = 1

PERIOD = 0.1
"""Seconds between two reports of progress, about; an interrupt waits no longer."""


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    iteration: int
    nodes: int
    seconds: float


class Solver(ABC):
    """An algorithm at work.

    Its state is `control` and what `to_arrays` gives; a run is the same however it is cut into
    pieces.
    """

    def __init__(self) -> None:
        self.control = np.zeros(2, np.int64)
        self.seconds = 0.0
        """Wall time of all runs, compiling left out."""

    @property
    def iteration(self) -> int:
        """Iterations done; one iteration updates every player."""
        return int(self.control[ITERATION])

    @property
    def nodes(self) -> int:
        """Nodes touched: those of the game once for every pass over it, or those sampled."""
        return int(self.control[NODES])

    def progress(self) -> Progress:
        return Progress(self.iteration, self.nodes, self.seconds)

    def run(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Run `iterations` more, or for `seconds`, whichever ends first; without either, for ever.

        `on_progress` is called about every PERIOD seconds. After a KeyboardInterrupt the state
        holds whole iterations and can go on.
        """
        self.prepare()
        last = self.iteration + iterations if iterations is not None else 1 << 62
        deadline = time.perf_counter() + (seconds if seconds is not None else float("inf"))
        step = 1
        while self.iteration < last and time.perf_counter() < deadline:
            start = time.perf_counter()
            try:
                self.advance(min(step, last - self.iteration))
            finally:
                spent = time.perf_counter() - start
                self.seconds += spent
            left = min(PERIOD, max(deadline - time.perf_counter(), 1e-4))
            step = max(1, min(int(step * left / max(spent, 1e-7)), 4 * step))
            if on_progress is not None:
                on_progress(self.progress())

    @abstractmethod
    def prepare(self) -> None:
        """Compile the kernels, or load them, before the clock runs."""

    @abstractmethod
    def advance(self, iterations: int) -> None:
        """Run exactly so many iterations and count them in `control`."""

    @abstractmethod
    def to_arrays(self) -> dict[str, np.ndarray]:
        """All that a checkpoint needs besides `to_numbers`."""

    def to_numbers(self) -> dict[str, int | float]:
        return {"iteration": self.iteration, "nodes": self.nodes, "seconds": self.seconds}

    @abstractmethod
    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]) -> None:
        """Take over the state that `to_arrays` and `to_numbers` gave for the same game.

        Raises ValueError if it does not fit.
        """

    def _restore_control(self, numbers: Mapping[str, int | float]) -> None:
        if int(numbers["iteration"]) < 0:
            raise ValueError(f"iteration {numbers['iteration']}: expected 0 or more")
        self.control[ITERATION] = int(numbers["iteration"])
        self.control[NODES] = int(numbers["nodes"])
        self.seconds = float(numbers["seconds"])
