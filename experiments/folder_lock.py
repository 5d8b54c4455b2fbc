"""A folder that one process at a time writes to."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def lock_folder(folder: Path) -> int:
    """Hold a folder until the descriptor that this gives is closed, or the process ends.

    However it ends: the lock is the kernel's, and leaves no file. Raises OSError if another process
    holds the folder, or this one by another descriptor. On a file system that knows no locks there
    is none.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise OSError(
            f"{folder} is in use by another run: wait until it ends, or choose another folder"
        ) from None
    except OSError:
        pass  # no locks here
    return descriptor


@contextmanager
def held(folder: Path | None) -> Iterator[None]:
    """A context in which this process holds a folder, which is made if it is not there.

    None: there is nothing to hold. Raises OSError as `lock_folder` does.
    """
    if folder is None:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    lock = lock_folder(folder)
    try:
        yield
    finally:
        os.close(lock)
