"""Large arrays in pages of their own, beside the allocator.

The allocator keeps what freed arrays below 32 MiB have taken, which would count against a memory
limit; these pages go back to the system when the array is dropped.
"""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import Any

import numpy as np


def zeros_in_pages(count: int, dtype: Any) -> np.ndarray:
    """[count] zeros; the memory becomes real where it is used.

    Raises MemoryError if the machine has not that much.
    """
    kind = np.dtype(dtype)
    try:
        pages = mmap.mmap(
            -1, max(count * kind.itemsize, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        )
    except OSError as error:
        raise MemoryError(f"{count * kind.itemsize} bytes: {error.strerror}") from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without huge pages
            pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, kind, count)


def copy_in_pages(array: np.ndarray) -> np.ndarray:
    """A copy of an array."""
    copy = zeros_in_pages(array.size, array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
