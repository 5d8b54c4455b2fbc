"""A disk that is full from its n-th change on, and a process that is killed at its n-th change.

Changes are the calls by which files are opened for writing, written, synced, renamed and removed,
and folders made. What is written to a file goes wrong half-way.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import safetensors.numpy


class Killed(BaseException):
    """The process is dead: nothing that it does from now on has an effect."""


class Disk:
    """Counts the changes, and lets those from the n-th on go wrong."""

    def __init__(self, n: int, error: Callable[[], BaseException], kills: bool) -> None:
        self._left = n
        self._error = error
        self._kills = kills
        self.failed = False

    def change(self, work: Callable[[], Any], half: Callable[[], Any] | None = None) -> Any:
        """Do `work`, or `half` of it and fail."""
        self._left -= 1
        if self._left >= 0:
            return work()
        if half is not None and not (self.failed and self._kills):
            half()
        self.failed = True
        raise self._error()

    def removal(self, work: Callable[[], Any]) -> Any:
        """Which a full disk allows."""
        return self.change(work) if self._kills else work()


@contextmanager
def full_disk(n: int) -> Iterator[Disk]:
    """No room is left from the n-th change on, counted from 0."""
    with _patched(Disk(n, lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), False)) as disk:
        yield disk


@contextmanager
def killed(n: int) -> Iterator[Disk]:
    """The process is killed at the n-th change, counted from 0; `failed` tells if it came to it."""
    with _patched(Disk(n, Killed, True)) as disk:
        try:
            yield disk
        except Killed:
            assert disk.failed


@contextmanager
def _patched(disk: Disk) -> Iterator[Disk]:
    real_open, real_unlink, save = io.open, os.unlink, safetensors.numpy.save_file

    class Raw(io.FileIO):
        def write(self, data: Any) -> Any:
            view = memoryview(data)
            plain = super().write
            return disk.change(lambda: plain(view), lambda: plain(view[: len(view) // 2]))

    def open_file(file: Any, mode: str = "r", *more: Any, **named: Any) -> Any:
        if not set(mode) & {"w", "a"}:
            return real_open(file, mode, *more, **named)
        raw = disk.change(lambda: Raw(file, mode.replace("b", "")))
        buffered = io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding="utf-8")

    def save_file(arrays: Any, path: Path, metadata: Any) -> None:
        def half() -> None:
            save(arrays, path, metadata)
            os.truncate(path, path.stat().st_size // 2)

        disk.change(lambda: save(arrays, path, metadata), half)

    def counted(function: Callable) -> Callable:
        return lambda *words, **named: disk.change(lambda: function(*words, **named))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(io, "open", open_file)
        patch.setattr(safetensors.numpy, "save_file", save_file)
        for name in ("fsync", "replace", "mkdir"):
            patch.setattr(os, name, counted(getattr(os, name)))
        patch.setattr(
            os, "unlink", lambda *words, **named: disk.removal(lambda: real_unlink(*words, **named))
        )
        yield disk
