"""Threads that run one kernel together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait


def run_together(work: Callable[[int], None], threads: int) -> None:
    """Call work(0) to work(threads - 1) at the same time and wait for all of them.

    A KeyboardInterrupt is raised after they have ended, so that it never meets half an iteration.
    """
    if threads == 1:
        work(0)
        return
    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(work, thread) for thread in range(threads)]
        join(running)
    for done in running:
        done.result()


def join(running: list[Future[None]]) -> None:
    """Wait for all threads before an interrupt is raised."""
    interrupt: KeyboardInterrupt | None = None
    while True:
        try:
            wait(running)
            break
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
