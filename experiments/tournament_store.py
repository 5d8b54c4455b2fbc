"""The deals of tournaments, in one file of SQLite: `tournament.sqlite`.

| table | column | holds |
|---|---|---|
| `sittings` | | calls of the command: see `database` |
| `bots` | `content`, `name` | hash of all that a bot is, and its own name |
| | `given` | what it was called on the command line |
| | `manifest` | JSON object: that of a bot file |
| `chunks` | `sitting`, `finished` | one row some deals of a table, and when they were played |
| | `game`, `rule_version` | game string, and the version of its rules |
| | `seed` | of the cards |
| | `players` | JSON array: `content` of the players in their order |
| | `values_hash` | of the value function that corrected the chips; "" without one |
| | `first`, `deals` | number of the first deal, and how many there are |
| | `chips` | float64 [deals, rotations, seats]: what each seat won, in chips |
| | `corrected` | the same after the corrections of `aivat`; NULL without them |
| | `counts` | int64 [players, 2]: decisions, and those that a policy missed |
| | `faults` | JSON array: what went wrong with each player, by kind |
| | `seconds` | of playing |
| `failures` | `game` ... `values_hash` | a table that could not be played, as in `chunks` |
| | `message` | why, in one line |
| `exploitabilities` | `content`, `game`, `rule_version`, `how` | a bot, and what was asked for |
| | `found` | JSON object |

A chunk is written in one transaction: it is there whole or not at all. Chunks of a table may have
any sizes and come in any order, but no deal comes twice.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pokerspiel.agents.arena import DealScores
from pokerspiel.experiments.database import Database
from pokerspiel.experiments.entrants import Entrant
from pokerspiel.experiments.output import json_text

FILE = "tournament.sqlite"
FORMAT = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS bots (
    content TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    given TEXT NOT NULL,
    manifest TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY,
    sitting INTEGER NOT NULL REFERENCES sittings(id),
    finished TEXT NOT NULL,
    game TEXT NOT NULL,
    rule_version INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    players TEXT NOT NULL,
    values_hash TEXT NOT NULL,
    first INTEGER NOT NULL,
    deals INTEGER NOT NULL,
    chips BLOB NOT NULL,
    corrected BLOB,
    counts BLOB NOT NULL,
    faults TEXT NOT NULL,
    seconds REAL NOT NULL,
    UNIQUE (game, rule_version, seed, players, values_hash, first)
);
CREATE TABLE IF NOT EXISTS failures (
    game TEXT NOT NULL,
    rule_version INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    players TEXT NOT NULL,
    values_hash TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (game, rule_version, seed, players, values_hash)
);
CREATE TABLE IF NOT EXISTS exploitabilities (
    content TEXT NOT NULL,
    game TEXT NOT NULL,
    rule_version INTEGER NOT NULL,
    how TEXT NOT NULL,
    sitting INTEGER NOT NULL REFERENCES sittings(id),
    found TEXT NOT NULL,
    PRIMARY KEY (content, game, rule_version, how)
);
"""

_KEY = ("game", "rule_version", "seed", "players", "values_hash")
_SAME = " AND ".join(f"{column} = ?" for column in _KEY)


@dataclass(frozen=True)
class Match:
    """Players who meet, in their order, and what their scores depend on."""

    game: str
    rule_version: int
    seed: int
    players: tuple[str, ...]
    """`content` of the players."""
    values_hash: str = ""

    def key(self) -> tuple[Any, ...]:
        players = json_text(self.players, None)
        return self.game, self.rule_version, self.seed, players, self.values_hash


class TournamentStore(Database):
    """The file of a folder. Raises OSError or ValueError as every `Database`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, FILE, FORMAT, _SCHEMA, "a tournament")

    # Bots.

    def changed(self, entrants: Sequence[Entrant]) -> list[Entrant]:
        """Those of whom the file was another one when it was last here."""
        words = "SELECT count(*) FROM bots WHERE given = ? AND content != ?"
        known = "SELECT count(*) FROM bots WHERE content = ?"
        return [
            entrant
            for entrant in entrants
            if self._one(words, entrant.given, entrant.content)
            and not self._one(known, entrant.content)
        ]

    def add_bots(self, entrants: Sequence[Entrant]) -> None:
        with self.errors(), self.transaction():
            for entrant in entrants:
                manifest = json_text(dict(entrant.manifest), None)
                row = (entrant.content, entrant.name, entrant.given, manifest)
                self.insert("bots", ("content", "name", "given", "manifest"), row)

    # Deals.

    def write(self, match: Match, scores: DealScores, seconds: float) -> None:
        """Keep deals that were played; ValueError if one of them is there already."""
        assert self.sitting is not None
        for first, deals in self.played(match):
            if first < scores.first + scores.deals and scores.first < first + deals:
                raise ValueError(f"{self.path}: deals from {scores.first} on are there already")
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        columns = {
            "sitting": self.sitting,
            "finished": now,
            **dict(zip(_KEY, match.key(), strict=True)),
            "first": scores.first,
            "deals": scores.deals,
            "chips": _bytes(scores.chips),
            "corrected": None if scores.corrected is None else _bytes(scores.corrected),
            "counts": _bytes(scores.counts),
            "faults": json_text([dict(faults) for faults in scores.faults], None),
            "seconds": seconds,
        }
        with self.errors(), self.transaction():
            self.insert("chunks", tuple(columns), tuple(columns.values()))

    def played(self, match: Match) -> list[tuple[int, int]]:
        """(First deal, number of deals) of the chunks of a match, ascending."""
        words = f"SELECT first, deals FROM chunks WHERE {_SAME} ORDER BY first"
        with self.errors():
            return [(first, deals) for first, deals in self.base.execute(words, match.key())]

    def scores(self, match: Match) -> list[tuple[DealScores, float]]:
        """Chunks of a match, ascending, with the seconds that they took."""
        return list(self._scores(match))

    def _scores(self, match: Match) -> Iterator[tuple[DealScores, float]]:
        n = len(match.players)
        words = (
            "SELECT first, deals, chips, corrected, counts, faults, seconds FROM chunks "
            f"WHERE {_SAME} ORDER BY first"
        )
        with self.errors():
            for first, deals, chips, corrected, counts, faults, seconds in self.base.execute(
                words, match.key()
            ):
                shape = (deals, n, n)
                yield (
                    DealScores(
                        first,
                        _array(chips, "<f8", shape),
                        None if corrected is None else _array(corrected, "<f8", shape),
                        None,
                        _array(counts, "<i8", (n, 2)),
                        tuple(json.loads(faults)),
                    ),
                    seconds,
                )

    def sittings(self, matches: Sequence[Match]) -> list[dict[str, Any]]:
        """The sittings in which deals of these matches were played."""
        found: dict[int, dict[str, Any]] = {}
        for match in matches:
            found |= self.sittings_of("chunks", _SAME, match.key())
        return [found[number] for number in sorted(found)]

    # Matches that failed.

    def fail(self, match: Match, message: str) -> None:
        with self.errors(), self.transaction():
            self.insert("failures", (*_KEY, "message"), (*match.key(), message))

    def forget_failure(self, match: Match) -> None:
        with self.errors():
            self.base.execute(f"DELETE FROM failures WHERE {_SAME}", match.key())

    def failure(self, match: Match) -> str | None:
        """Why a match could not be played to its end, if so."""
        found = self._one(f"SELECT message FROM failures WHERE {_SAME}", *match.key())
        return None if found is None else str(found)

    # Exploitability.

    def keep_exploitability(
        self, content: str, game: str, rule_version: int, how: str, found: Mapping[str, Any]
    ) -> None:
        assert self.sitting is not None
        columns = ("content", "game", "rule_version", "how", "sitting", "found")
        text = json_text(dict(found), None)
        with self.errors(), self.transaction():
            row = (content, game, rule_version, how, self.sitting, text)
            self.insert("exploitabilities", columns, row)

    def exploitability(
        self, content: str, game: str, rule_version: int, how: str
    ) -> dict[str, Any] | None:
        words = (
            "SELECT found FROM exploitabilities "
            "WHERE content = ? AND game = ? AND rule_version = ? AND how = ?"
        )
        found = self._one(words, content, game, rule_version, how)
        return None if found is None else dict(json.loads(found))

    def _one(self, words: str, *values: Any) -> Any:
        """The first column of the first row; None if there is none."""
        with self.errors():
            row = self.base.execute(words, values).fetchone()
        return None if row is None else row[0]


def _bytes(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()


def _array(data: bytes, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    return np.frombuffer(data, kind).reshape(shape)
