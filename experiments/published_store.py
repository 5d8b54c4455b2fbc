"""What published figures were measured as, in one file of SQLite: `docs/results.sqlite`.

| table | column | holds |
|---|---|---|
| `sittings` | | one row a call of the command that measured something: see `database` |
| `measurements` | `id`, `sitting` | one row a figure, measured to its end |
| | `figure` | its name |
| | `finished`, `seconds` | when it was done, and how long it took |
| | `commands` | JSON array: command lines of `pokerspiel`, in the order in which they ran |
| | `seeds` | JSON array: seeds that they name |
| | `outputs` | JSON array: for each command its JSON document, or its output as a string |

Rows are added and never changed; the newest of a figure is the one that is shown.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pokerspiel.experiments.database import Database
from pokerspiel.experiments.output import json_text

FILE = "results.sqlite"
FORMAT = 1
WHAT = "published figures"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS measurements (
    id INTEGER PRIMARY KEY,
    sitting INTEGER NOT NULL REFERENCES sittings(id),
    figure TEXT NOT NULL,
    finished TEXT NOT NULL,
    seconds REAL NOT NULL,
    commands TEXT NOT NULL,
    seeds TEXT NOT NULL,
    outputs TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS measurements_of_a_figure ON measurements (figure, id);
"""


@dataclass(frozen=True)
class Measured:
    """What came out of the commands of a figure."""

    commands: tuple[str, ...]
    seeds: tuple[int, ...]
    outputs: tuple[Any, ...]
    seconds: float


@dataclass(frozen=True)
class Kept(Measured):
    """A row of the file."""

    started: str
    """When the sitting began in which it was measured."""
    machine: Mapping[str, Any]
    versions: Mapping[str, Any]


class PublishedStore(Database):
    """The file of a folder. Raises OSError or ValueError as every `Database`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, FILE, FORMAT, _SCHEMA, WHAT)

    def write(self, figure: str, measured: Measured) -> None:
        assert self.sitting is not None
        columns = {
            "sitting": self.sitting,
            "figure": figure,
            "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "seconds": measured.seconds,
            "commands": json_text(measured.commands, None),
            "seeds": json_text(measured.seeds, None),
            "outputs": json_text(measured.outputs, None),
        }
        with self.errors(), self.transaction():
            self.insert("measurements", tuple(columns), tuple(columns.values()))

    def newest(self, figures: Sequence[str]) -> dict[str, Kept]:
        """The newest measurements of those of the figures that have any."""
        with self.errors():
            return _newest(self.base, figures)


def read(folder: Path, figures: Sequence[str]) -> dict[str, Kept]:
    """The newest measurements in the file of a folder; none if there is no file.

    Nothing is written, not even while another process measures. Raises OSError if the file cannot
    be read, ValueError if it is no such file.
    """
    path = folder / FILE
    if not path.exists():
        return {}
    # Without a log beside it the file is all there is, and needs no lock.
    still = not path.with_name(f"{FILE}-wal").exists()
    address = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if still else ''}"
    try:
        with closing(sqlite3.connect(address, uri=True)) as base:
            (found,) = base.execute("PRAGMA user_version").fetchone()
            if found != FORMAT:
                raise ValueError(f"{path}: expected {WHAT} of format {FORMAT}, not {found}")
            return _newest(base, figures)
    except sqlite3.OperationalError as error:
        raise OSError(f"cannot read {path}: {error}") from None
    except sqlite3.DatabaseError as error:
        raise ValueError(f"{path} is damaged: {error}") from None


def _newest(base: sqlite3.Connection, figures: Sequence[str]) -> dict[str, Kept]:
    words = (
        "SELECT commands, seeds, outputs, seconds, started, machine, versions "
        "FROM measurements JOIN sittings ON sittings.id = sitting "
        "WHERE figure = ? ORDER BY measurements.id DESC LIMIT 1"
    )
    found = {}
    for figure in figures:
        row = base.execute(words, (figure,)).fetchone()
        if row is not None:
            commands, seeds, outputs, seconds, started, machine, versions = row
            found[figure] = Kept(
                tuple(json.loads(commands)),
                tuple(json.loads(seeds)),
                tuple(json.loads(outputs)),
                seconds,
                started,
                json.loads(machine),
                json.loads(versions),
            )
    return found
