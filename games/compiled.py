"""The decorator of every compiled kernel, and the folder that keeps their machine code.

numba notices when the file of a cached function changes, but not when a function that it calls
in another file does. The cache therefore lives in a folder named by a hash of all kernel sources:
a change in any of them compiles anew, and a stale kernel never runs.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

_PACKAGE_FOLDERS = ("games", "solvers", "agents", "experiments")
_MARK = "games.compiled import"


def _kernel_sources() -> list[Path]:
    """The files that define kernels: those that import this module."""
    here = Path(__file__).resolve()
    sources = [here]
    for folder in _PACKAGE_FOLDERS:
        for path in sorted((here.parent.parent / folder).rglob("*.py")):
            if _MARK in path.read_text(encoding="utf-8"):
                sources.append(path)
    return sources


def _source_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in _kernel_sources():
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    """A writable folder for this version of the kernels; a temporary one in a read-only home."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    name = _source_hash()
    for root in (Path(home) / "pokerspiel", Path(tempfile.gettempdir()) / "pokerspiel-cache"):
        folder = root / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="pokerspiel-cache-"))


CACHE_FOLDER = _cache_folder()
numba.config.CACHE_DIR = str(CACHE_FOLDER)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` with numba on first use and keep the machine code on disk.

    Kernels release the GIL, so that they can run in threads.
    """
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
