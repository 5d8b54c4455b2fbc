"""Writing the checkpoints of a run, beside the run where memory allows.

A copy of the solver's state is taken between two periods of work and written by a thread. If the
copy does not fit into the memory that the solver leaves free, the run waits for the writing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from pokerspiel.experiments.output import note
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.solvers.pages import copy_in_pages


class State(Protocol):
    """What a checkpoint is made of."""

    def to_arrays(self) -> dict[str, np.ndarray]: ...

    def to_numbers(self) -> dict[str, int | float]: ...


class CheckpointWriter:
    """Checkpoints of `state` in `folder`, one at a time."""

    def __init__(
        self, folder: RunFolder, state: State, free_memory: Callable[[], int] | None = None
    ) -> None:
        """`free_memory` gives the bytes that the solver does not need, between two periods."""
        self._folder = folder
        self._state = state
        self._free_memory = free_memory or (lambda: 0)
        self._thread: threading.Thread | None = None
        self._copied = 0
        self._error: OSError | None = None

    def begin(self) -> bool:
        """Write a checkpoint, in the background if possible; False while one is being written."""
        if self._thread is not None and self._thread.is_alive():
            return False
        self._end()
        arrays, numbers = self._state.to_arrays(), self._state.to_numbers()
        size = sum(array.nbytes for array in arrays.values())
        if size > self._free_memory():
            self._write(arrays, numbers)
            self._end()
        else:
            self._copied = size
            copies = {name: copy_in_pages(array) for name, array in arrays.items()}
            self._thread = threading.Thread(target=self._write, args=(copies, numbers))
            self._thread.start()
        return True

    def make_way(self) -> None:
        """To be called between two periods: wait for the writer if the solver needs its memory."""
        if self._thread is None:
            return
        if not self._thread.is_alive() or self._copied > self._free_memory():
            self._end()

    def finish(self) -> Path:
        """Wait for the writer, then write the last checkpoint. Raises OSError if that fails."""
        if self._thread is not None:
            self._thread.join()
        return self._folder.save_checkpoint(self._state.to_arrays(), self._state.to_numbers())

    def _write(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]) -> None:
        try:
            self._folder.save_checkpoint(arrays, numbers)
        except OSError as error:
            self._error = error

    def _end(self) -> None:
        """Wait for the writer. Say in one line if it failed; raise OSError if it was the first."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        error, self._error = self._error, None
        if error is not None:
            if not self._folder.has_checkpoint:
                raise error
            note(f"pokerspiel: {error}; the run goes on, its last checkpoint is older")
