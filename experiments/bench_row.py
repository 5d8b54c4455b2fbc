"""One comparison of speed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

Rate = Callable[[float, int], float]
"""Takes seconds to spend, about, and a seed; gives things done a second."""


@dataclass(frozen=True)
class Row:
    """Ours against a rival, which is None if its package is missing or there is none."""

    name: str
    unit: str
    goal: float
    ours: Rate
    rival: Rate | None
    rival_name: str
    absolute: bool = False
    """The goal is for our rate itself, not for its ratio to the rival's."""


def timed(work: Callable[[int], int], seconds: float) -> float:
    """Things done a second by `work(turn)`, which returns how many it did, over `seconds`."""
    done = turn = 0
    start = time.perf_counter()
    while True:
        done += work(turn)
        turn += 1
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return done / elapsed
