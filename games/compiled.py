"""The decorator of every compiled kernel, and the folders that keep their machine code.

numba notices when the file of a cached function changes, but not when a function that it calls
in another file does. The code of a file therefore lives in a folder named by a hash of all kernels
that the file may call: those of `games`, which generic names may reach, and of what it imports. A
change in any of them compiles anew, and a stale kernel never runs.
"""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

_ROOMS = ("games", "solvers", "agents", "experiments")
_MARK = "games.compiled import"
_HOUSE = Path(__file__).resolve().parent.parent
_DAYS_KEPT = 30


@lru_cache(maxsize=1)
def _kernel_files() -> tuple[Path, ...]:
    """The files that define kernels: those that import this module, and this one."""
    files = [Path(__file__).resolve()]
    for room in _ROOMS:
        for path in sorted((_HOUSE / room).rglob("*.py")):
            if _MARK in path.read_text(encoding="utf-8"):
                files.append(path)
    return tuple(files)


def _imported_files(path: Path) -> list[Path]:
    """The files of this project that a file imports."""
    files = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pokerspiel."):
            module = _HOUSE.joinpath(*str(node.module).split(".")[1:])
            names = [module / alias.name for alias in node.names]
            files += [p.with_suffix(".py") for p in (module, *names)]
    return [file for file in files if file.is_file()]


def _callable_files(path: Path) -> set[Path]:
    """The files whose kernels a kernel in `path` may call, `path` included."""
    reached = {file for file in _kernel_files() if file.is_relative_to(_HOUSE / "games")}
    todo = [path]
    while todo:
        file = todo.pop()
        if file not in reached:
            reached.add(file)
            todo += _imported_files(file)
    return reached


def _hash_of(files: Iterable[Path]) -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(files):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    """A folder that can be written; a temporary one in a read-only home."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    for root in (Path(home) / "pokerspiel", Path(tempfile.gettempdir()) / "pokerspiel-cache"):
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(root, os.W_OK):
            return root
    return Path(tempfile.mkdtemp(prefix="pokerspiel-cache-"))


def _remove_old(root: Path) -> None:
    """Delete folders of kernels that nobody has used for a month."""
    for folder in root.iterdir():
        if time.time() - folder.stat().st_mtime > _DAYS_KEPT * 86_400:
            shutil.rmtree(folder, ignore_errors=True)


def _folder(name: str) -> Path:
    folder = _ROOT / name
    folder.mkdir(exist_ok=True)
    os.utime(folder)
    return folder


@lru_cache(maxsize=64)
def _folder_for(source: str) -> str:
    return str(_folder(_hash_of(_callable_files(Path(source).resolve()))))


_ROOT = _cache_root()
_remove_old(_ROOT)
CACHE_FOLDER = _folder(_hash_of(_kernel_files()))
"""Belongs to the present version of all kernels together."""


_FUSED = {"nsz", "contract", "arcp"}
"""Liberties with floating point that keep the order of sums; NaN and infinity mean what they do."""


def kernel(
    function: Callable[..., Any] | None = None,
    *,
    signature: Any = None,
    fuse: bool = False,
    allocates: bool = False,
    inline: bool = False,
) -> Any:
    """Compile `function` with numba on first use and keep the machine code on disk.

    Kernels release the GIL, so that they can run in threads. With `signature` it is compiled at
    once, for these types only: a kernel that calls itself needs one. `fuse` lets a product and a
    sum become one operation, which rounds once. One that is `inline` becomes part of its caller:
    small kernels feel a call with many arrays.

    One that `allocates` makes new arrays, or calls a kernel that returns some. Only such a one
    counts the references to arrays: every count is a locked instruction, and where threads share an
    array, they wait for each other at it. (Without the flag numba refuses to compile a kernel that
    makes arrays; those that a callee returned would never be freed.)
    """
    if function is None:
        return lambda function: kernel(
            function, signature=signature, fuse=fuse, allocates=allocates, inline=inline
        )
    numba.config.CACHE_DIR = _folder_for(function.__code__.co_filename)
    options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
    options["_nrt"] = allocates
    if inline:
        options["forceinline"] = True
    compiled = numba.njit(signature, fastmath=_FUSED if fuse else False, **options)(function)
    compiled.get_call_template = partial(_call_template, compiled.get_call_template)
    return compiled


def _call_template(of_types: Callable[..., Any], args: Any, kws: Any) -> Any:
    """What a kernel that calls another one gets for its arguments.

    numba compiles a function anew for each number that is written in a call, and for each width of
    an integer. One version for them all is enough: short kernels become part of their callers.
    """
    return of_types([_widened(a) for a in args], {name: _widened(a) for name, a in kws.items()})


def _widened(argument: Any) -> Any:
    if isinstance(argument, types.IntegerLiteral):
        argument = argument.literal_type
    narrow = isinstance(argument, types.Integer) and argument.signed
    return types.int64 if narrow else argument


def apart(function: Any, signature: Any) -> Any:
    """A kernel for one signature that others call by its address.

    A kernel carries the machine code of all kernels that it calls, and so does everything that
    calls it. For a large function that many call this costs minutes of compiling; a call by address
    costs some nanoseconds. Compiles the code, or loads it; kernels in the cache that call it can be
    loaded only after that.
    """
    function.compile(signature)
    result = function.overloads[signature.args]
    name = f"{function.py_func.__module__}.{function.py_func.__qualname__}"
    binding.add_symbol(name, result.library.get_pointer_to_function(result.fndesc.llvm_func_name))

    @intrinsic
    def call(typing_context: Any, *args: Any) -> Any:
        def codegen(context: Any, builder: Any, given: Any, values: Any) -> Any:
            convention = context.call_conv
            kind = convention.get_function_type(signature.return_type, signature.args)
            target = cgutils.get_or_insert_function(builder.module, kind, name)
            arguments = cgutils.unpack_tuple(builder, values[0])
            status, returned = convention.call_function(
                builder, target, signature.return_type, signature.args, arguments
            )
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return returned

        if args != signature.args:
            raise TypingError(f"{name} takes {signature.args}, not {args}")
        return signature.return_type(types.StarArgTuple(args)), codegen

    return call
