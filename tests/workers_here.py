"""Workers that do their jobs at once, in the test process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pokerspiel.experiments.workers import End


class WorkersHere:
    """In place of `Workers`: one job after the other; `before` is called with each job first."""

    count = 1

    def __init__(self, before: Callable[[Any], None] | None = None) -> None:
        self._before = before

    def __enter__(self) -> WorkersHere:
        return self

    def __exit__(self, *error: object) -> None:
        """There is nothing to end."""

    def run(
        self,
        work: Callable[[Any], Any],
        jobs: Iterable[Any],
        on_end: Callable[[End], None],
        on_tick: Callable[[Sequence[Any]], None] | None = None,
        retries: int = 0,
    ) -> None:
        for job in jobs:
            if self._before is not None:
                self._before(job)
            try:
                end = End(job, work(job))
            except Exception as error:
                end = End(job, None, f"{type(error).__name__}: {error}")
            on_end(end)
            if on_tick is not None:
                on_tick([])
