"""The measurements of a grid of runs, in one file of SQLite: `results.sqlite`.

| table | column | holds |
|---|---|---|
| `sittings` | | one row a call of the command that measured something: see `database` |
| `runs` | `id`, `sitting`, `finished` | one row a cell of the grid, and when it was written |
| | `game`, `label` | canonical game string, and as it was asked for |
| | `rule_version`, `abstraction` | of our own games; 0 and "" of OpenSpiel's |
| | `algorithm`, `paper`, `program` | its name, its source, and what ran it with the version |
| | `parameters` | JSON object |
| | `sampled`, `seed` | whether luck has a part in it, and whose luck |
| | `alternating` | 1: players are updated one after the other; 0: all at once |
| | `budget` | when the run was to end, such as "1000it" |
| | `status` | "done"; "refused": it cannot be; "missing": not installed; "failed" |
| | `message` | why it is not done |
| | `measure` | "exploitability", or "match": winnings against `equity` |
| | `unit` | what figures are in: "ante", "big blind" or "utility" |
| | `tree_nodes`, `information_sets` | size of the game; NULL without a tree |
| `points` | `run`, `iterations` | one row a measurement |
| | `nodes` | nodes touched so far; NULL where a program does not count |
| | `seconds` | of solving; measuring and compiling left out |
| | `exploitability`, `nash_conv` | in units a hand |
| | `value` | of the strategy to the first player, in units a hand |
| | `mbb_per_hand`, `ci_low`, `ci_high` | of a match, with 95 % confidence, in milli-units |

A run and its points are written in one transaction, so that a run is there whole or not at all. A
cell is one (game, rule version, abstraction, algorithm, seed, alternating, budget); writing it
again replaces what was there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from pokerspiel.experiments.database import Database
from pokerspiel.experiments.output import json_text

FILE = "results.sqlite"
FORMAT = 1

DONE, REFUSED, MISSING, FAILED = "done", "refused", "missing", "failed"
"""How a cell can end. Refused cells are as settled as those that are done."""

EXPLOITABILITY, MATCH = "exploitability", "match"
"""What is measured of a run."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY,
    sitting INTEGER NOT NULL REFERENCES sittings(id),
    finished TEXT NOT NULL,
    game TEXT NOT NULL,
    label TEXT NOT NULL,
    rule_version INTEGER NOT NULL,
    abstraction TEXT NOT NULL,
    algorithm TEXT NOT NULL,
    paper TEXT NOT NULL,
    program TEXT NOT NULL,
    parameters TEXT NOT NULL,
    sampled INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    alternating INTEGER NOT NULL,
    budget TEXT NOT NULL,
    status TEXT NOT NULL,
    message TEXT NOT NULL,
    measure TEXT NOT NULL,
    unit TEXT NOT NULL,
    tree_nodes INTEGER,
    information_sets INTEGER,
    UNIQUE (game, rule_version, abstraction, algorithm, seed, alternating, budget)
);
CREATE TABLE IF NOT EXISTS points (
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    iterations INTEGER NOT NULL,
    nodes INTEGER,
    seconds REAL NOT NULL,
    exploitability REAL,
    nash_conv REAL,
    value REAL,
    mbb_per_hand REAL,
    ci_low REAL,
    ci_high REAL,
    PRIMARY KEY (run, iterations)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Point:
    """One measurement; the columns of `points`."""

    iterations: int
    nodes: int | None
    seconds: float
    exploitability: float | None = None
    nash_conv: float | None = None
    value: float | None = None
    mbb_per_hand: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None


@dataclass(frozen=True)
class Run:
    """A cell of the grid with what came of it; the columns of `runs`."""

    game: str
    label: str
    rule_version: int
    abstraction: str
    algorithm: str
    seed: int
    alternating: bool
    budget: str
    sampled: bool
    status: str = DONE
    message: str = ""
    paper: str = ""
    program: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    measure: str = EXPLOITABILITY
    unit: str = ""
    tree_nodes: int | None = None
    information_sets: int | None = None
    points: tuple[Point, ...] = ()
    finished: str = ""

    @property
    def settled(self) -> bool:
        """Whether doing it again would give the same."""
        return self.status in (DONE, REFUSED)


_RUN = [entry.name for entry in fields(Run) if entry.name != "points"]
_POINT = [entry.name for entry in fields(Point)]


class Results(Database):
    """The file of a folder. Raises OSError or ValueError as every `Database`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, FILE, FORMAT, _SCHEMA, "results")

    # Writing.

    def write(self, run: Run) -> None:
        """Keep a run with its points, in the place of an earlier one of the same cell."""
        assert self.sitting is not None
        values = {name: getattr(run, name) for name in _RUN}
        values["parameters"] = json_text(dict(run.parameters), None)
        points = [[getattr(point, name) for name in _POINT] for point in run.points]
        with self.errors(), self.transaction():
            number = self.insert("runs", ("sitting", *values), (self.sitting, *values.values()))
            marks = ", ".join("?" * (1 + len(_POINT)))
            self.base.executemany(
                f"INSERT INTO points (run, {', '.join(_POINT)}) VALUES ({marks})",
                [(number, *point) for point in points],
            )

    # Reading.

    def runs(self) -> list[Run]:
        """All runs, in the order in which they were written."""
        points: dict[int, list[Point]] = {}
        with self.errors():
            words = f"SELECT run, {', '.join(_POINT)} FROM points ORDER BY run, iterations"
            for number, *values in self.base.execute(words):
                points.setdefault(number, []).append(Point(*values))
            words = f"SELECT id, {', '.join(_RUN)} FROM runs ORDER BY id"
            rows = self.base.execute(words).fetchall()
        return [self._run(row, tuple(points.get(row[0], ()))) for row in rows]

    def _run(self, row: Sequence[Any], points: tuple[Point, ...]) -> Run:
        values = dict(zip(_RUN, row[1:], strict=True))
        values["parameters"] = json.loads(values["parameters"])
        for name in ("sampled", "alternating"):
            values[name] = bool(values[name])
        return Run(points=points, **values)

    def sittings(self) -> list[dict[str, Any]]:
        """The sittings in which runs were measured that are still there."""
        return list(self.sittings_of("runs").values())
