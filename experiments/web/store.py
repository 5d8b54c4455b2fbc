"""What a server keeps on disk: its tables, and every action of every hand, in one sqlite file.

A table is its game, bots and seed, a hand the actions of all seats; cards follow from the seed. An
action is on disk before anybody hears of it, so that a server that is killed loses nothing.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FORMAT = 1
"""Version of the file."""

_TABLES = """
CREATE TABLE IF NOT EXISTS tables (
    id TEXT PRIMARY KEY,        -- a hash of the token, which the file does not hold
    game TEXT NOT NULL,
    rule_version INTEGER NOT NULL,
    bots TEXT NOT NULL,         -- JSON: names, clockwise of the guest
    seed INTEGER NOT NULL,
    created REAL NOT NULL       -- seconds since 1970
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hands (
    table_id TEXT NOT NULL REFERENCES tables (id),
    number INTEGER NOT NULL,
    actions TEXT NOT NULL,      -- JSON: the actions of all seats, in order
    won REAL,                   -- chips of the guest; NULL while the hand is under way
    PRIMARY KEY (table_id, number)
) WITHOUT ROWID;
"""
_HANDS = "SELECT number, actions, won FROM hands WHERE table_id = ?"


class StoreError(OSError):
    """The file cannot be read or written."""


@dataclass(frozen=True)
class TableRow:
    """A table as it was made."""

    game: str
    rule_version: int
    bots: tuple[str, ...]
    seed: int


@dataclass(frozen=True)
class HandRow:
    """A hand; `won` is None while it is under way."""

    number: int
    actions: tuple[int, ...]
    won: float | None


class Store:
    """The file; every method is one transaction and may be called from any thread.

    Raises StoreError, in one line, if it cannot be read or written, such as on a full disk.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            version = self._file.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, FORMAT):
                raise StoreError(f"{path} has format {version}: this version writes {FORMAT}")
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = NORMAL")
            self._file.executescript(_TABLES)
            self._file.execute(f"PRAGMA user_version = {FORMAT}")
        except sqlite3.Error as error:
            raise StoreError(f"{path} cannot keep the tables: {error}") from None
        path.chmod(0o600)

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def add_table(self, token: str, row: TableRow) -> None:
        self._write(
            "INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?)",
            (_id(token), row.game, row.rule_version, json.dumps(row.bots), row.seed, time.time()),
        )

    def find_table(self, token: str) -> TableRow | None:
        rows = self._read(
            "SELECT game, rule_version, bots, seed FROM tables WHERE id = ?", (_id(token),)
        )
        if not rows:
            return None
        game, rule_version, bots, seed = rows[0]
        return TableRow(game, rule_version, tuple(json.loads(bots)), seed)

    def count_tables(self) -> int:
        return int(self._read("SELECT COUNT(*) FROM tables", ())[0][0])

    def put_hand(self, token: str, hand: HandRow) -> None:
        """Keep a hand as it stands now."""
        self._write(
            "INSERT OR REPLACE INTO hands VALUES (?, ?, ?, ?)",
            (_id(token), hand.number, json.dumps(hand.actions), hand.won),
        )

    def hands(self, token: str) -> list[HandRow]:
        """The hands of a table, in order."""
        rows = self._read(f"{_HANDS} ORDER BY number", (_id(token),))
        return [HandRow(number, tuple(json.loads(actions)), won) for number, actions, won in rows]

    def hand(self, token: str, number: int) -> HandRow | None:
        """A hand of a table, if there is one of that number."""
        rows = self._read(f"{_HANDS} AND number = ?", (_id(token), number))
        return HandRow(number, tuple(json.loads(rows[0][1])), rows[0][2]) if rows else None

    def _write(self, statement: str, values: Sequence[object]) -> None:
        try:
            with self._lock:
                self._file.execute(statement, values)
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} cannot be written: {error}") from None

    def _read(self, statement: str, values: Sequence[object]) -> list[tuple]:
        try:
            with self._lock:
                return self._file.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} cannot be read: {error}") from None


def _id(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
