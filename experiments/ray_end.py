"""Ends what is left of a Ray once it is closed, or the process that started it is gone.

When that process is killed, Ray's own agents and its workers that are still starting linger for a
minute, and its folder for ever. `python -m pokerspiel.experiments.ray_end FOLDER PROCESS` waits for
the end of standard input, which is a pipe from that process, then kills whoever else has a file in
the folder open, and removes it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
from pathlib import Path

PATIENCE = 5.0
"""Seconds in which processes may still appear."""


def writers(folder: str) -> list[int]:
    """The processes that have a file in a folder open; each of Ray's has a log there."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            links = [os.readlink(fd) for fd in (place / "fd").iterdir()]
            if any(link.startswith(f"{folder}/") for link in links):
                found.append(int(place.name))
    return found


def end(folder: str, spared: int) -> None:
    """Kill them, except one, and remove the folder."""
    deadline = time.monotonic() + PATIENCE
    while (left := set(writers(folder)) - {spared}) and time.monotonic() < deadline:
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.1)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.stdin.read()
    end(sys.argv[1], spared=int(sys.argv[2]))
