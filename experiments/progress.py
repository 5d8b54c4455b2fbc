"""How a long command shows that it is alive: a bar on a terminal, plain lines otherwise."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

LINE_EVERY = 10.0
"""Seconds between two plain lines."""


class ProgressReport:
    """A context manager; `show` takes the share done (None if it is not known) and a short text."""

    def __init__(self, title: str, quiet: bool = False) -> None:
        self._title = title
        self._quiet = quiet
        self._bar: Any = None
        self._task: Any = None
        self._next_line = time.monotonic() + LINE_EVERY

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            self._start_bar()
        return self

    def _start_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
        from rich.progress import TimeElapsedColumn as Elapsed

        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            Elapsed(),
            TextColumn("{task.fields[text]}"),
        )
        self._bar = Progress(*columns, console=Console(file=sys.stderr), transient=True)
        self._task = self._bar.add_task(self._title, total=None, text="")
        self._bar.start()

    def show(self, share: float | None, text: str) -> None:
        if self._bar is not None:
            total = None if share is None else 1.0
            self._bar.update(self._task, total=total, completed=share or 0.0, text=text)
        elif not self._quiet and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + LINE_EVERY
            done = "" if share is None else f" {share:.0%}"
            print(f"{self._title}{done}: {text}", file=sys.stderr, flush=True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
