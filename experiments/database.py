"""One file of SQLite in a folder: opened by one process at a time, written whole or not at all.

Every file has a table of sittings: calls of a command that wrote something, with what they were
measured with.

| column of `sittings` | holds |
|---|---|
| `id`, `started` | its number, and when it began |
| `command` | its words |
| `machine`, `versions` | JSON objects |
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pokerspiel.experiments.folder_lock import lock_folder
from pokerspiel.experiments.output import json_text

SITTINGS = """
CREATE TABLE IF NOT EXISTS sittings (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    command TEXT NOT NULL,
    machine TEXT NOT NULL,
    versions TEXT NOT NULL
);
"""


class Database:
    """The file `name` of a folder, which is made if it is not there. Use it as a context manager.

    `schema` are the statements that make its tables, `what` says what the file holds. Raises
    OSError if the folder cannot be written or is in use, ValueError if the file is no such file.
    """

    def __init__(self, folder: Path, name: str, version: int, schema: str, what: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / name
        self.sitting: int | None = None
        """The number of the sitting that has begun."""
        with contextlib.ExitStack() as opened:
            opened.callback(os.close, lock_folder(folder))
            with self.errors():
                self.base = sqlite3.connect(self.path, isolation_level=None)
                opened.callback(self.base.close)
                self._open(version, SITTINGS + schema, what)
            self._opened = opened.pop_all()

    def _open(self, version: int, schema: str, what: str) -> None:
        self.base.execute("PRAGMA foreign_keys = ON")
        (found,) = self.base.execute("PRAGMA user_version").fetchone()
        if found not in (0, version):
            raise ValueError(f"{self.path}: expected {what} of format {version}, not {found}")
        self.base.execute("PRAGMA journal_mode = WAL")
        if found == 0:
            with self.transaction():
                for statement in schema.split(";"):
                    self.base.execute(statement)
                self.base.execute(f"PRAGMA user_version = {version}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._opened.close()

    def begin_sitting(
        self, started: str, command: str, machine: Mapping[str, Any], versions: Mapping[str, Any]
    ) -> None:
        """What is written from now on is measured with this."""
        row = (started, command, json_text(machine, None), json_text(versions, None))
        with self.errors():
            self.sitting = self.insert(
                "sittings", ("started", "command", "machine", "versions"), row
            )

    def sittings_of(
        self, table: str, condition: str = "TRUE", values: Sequence[Any] = ()
    ) -> dict[int, dict[str, Any]]:
        """The sittings of the rows of a table that meet a condition, by number, ascending."""
        words = (
            "SELECT id, started, command, machine, versions FROM sittings "
            f"WHERE id IN (SELECT sitting FROM {table} WHERE {condition}) ORDER BY id"
        )
        with self.errors():
            rows = self.base.execute(words, values).fetchall()
        return {
            number: {
                "started": started,
                "command": command,
                "machine": json.loads(machine),
                "versions": json.loads(versions),
            }
            for number, started, command, machine, versions in rows
        }

    def insert(self, table: str, columns: Sequence[str], row: Sequence[Any]) -> int:
        """Write a row in the place of one with the same keys; returns its number."""
        marks = ", ".join("?" * len(columns))
        words = f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({marks})"
        number = self.base.execute(words, row).lastrowid
        assert number is not None
        return number

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """What is written in it is there as a whole, or not at all."""
        self.base.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.base.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self.base.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """SQLite's errors as those that commands know."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OSError(f"cannot use {self.path}: {error}") from None
        except sqlite3.IntegrityError:
            raise
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{self.path} is damaged: {error}") from None


def check_folder(folder: Path, name: str) -> None:
    """Raise OSError if a folder is there, and is that of something else than the file `name`."""
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file: choose another --out")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / name).is_file():
        raise FileExistsError(f"{folder} holds other things, and no {name}: choose another --out")
