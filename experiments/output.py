"""What commands print: results on stdout, as a table or as a JSON document; all else on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import numpy as np

_WIDTH = 110
"""Columns of a table that goes to a file or a pipe."""


def _plain(value: Any) -> Any:
    """numpy's numbers and arrays as Python's, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def json_text(document: object, indent: int | None = 2) -> str:
    return json.dumps(document, default=_plain, allow_nan=False, ensure_ascii=False, indent=indent)


def print_json(document: object) -> None:
    print(json_text(document))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on stdout; columns whose name ends in ">" are aligned to the right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", title_style="bold")
    for column in columns:
        right = column.endswith(">")
        table.add_column(column.rstrip(">"), justify="right" if right else "left")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    width = None if sys.stdout.isatty() else _WIDTH
    Console(file=sys.stdout, width=width, highlight=False).print(table)


def note(text: str, quiet: bool = False) -> None:
    """One line on stderr."""
    if not quiet:
        print(text, file=sys.stderr, flush=True)


@contextmanager
def written_whole(path: Path | None) -> Iterator[TextIO | None]:
    """A text file that appears under its name when all is written; None for no file.

    A pipe or a device is written as it is. Raises OSError, one line that names the file, if it
    cannot be written.
    """
    if path is None:
        yield None
        return
    special = path.exists() and not path.is_file()
    target = path if special else path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with target.open("w", encoding="utf-8") as file:
            yield file
            if not special:
                file.flush()
                os.fsync(file.fileno())
        if not special:
            os.replace(target, path)
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        if not special:
            with suppress(OSError):
                target.unlink(missing_ok=True)
