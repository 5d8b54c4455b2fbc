"""Rows of measurements that are kept in a folder as they come: `results.json`.

| key | holds |
|---|---|
| `sittings` | one object a call of the command that measured something: when, where, with what |
| `parts` | for each part of a bench `rows`, those asked for last, and `earlier`, all others |

A row is known by its `settings`: all that its figures depend on. Asked for again with the same
settings, it is not measured again. `sitting` says in which call it was measured.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.output import json_text
from pokerspiel.experiments.run_folder import check_writable, write_text

FILE = "results.json"
FORMAT = 1

Row = dict[str, Any]


class KeptRows:
    """The rows of a folder; without one they are kept for the process only.

    Raises OSError if the folder cannot be written, ValueError if its file holds no such rows.
    """

    def __init__(self, folder: Path | None) -> None:
        self.path = None if folder is None else folder / FILE
        self._document: dict[str, Any] = {"format": FORMAT, "sittings": [], "parts": {}}
        self._sitting: int | None = None
        if self.path is None:
            return
        check_writable(self.path)
        if self.path.exists():
            self._document = read_document(self.path)
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def begin(self, part: str) -> None:
        """From now on `part` shows the rows that are asked for, and no others."""
        its = self._part(part)
        its["earlier"] += its["rows"]
        its["rows"] = []
        self._save()

    def row(self, part: str, settings: Mapping[str, Any], measure: Callable[[], Row]) -> Row:
        """The row of these settings: as it was measured before, or else by `measure`."""
        its, wanted = self._part(part), _plain(settings)
        for row in its["earlier"]:
            if row["settings"] == wanted:
                its["earlier"].remove(row)
                break
        else:
            row = {"settings": wanted, "sitting": self._sit(), **_plain(measure())}
        its["rows"].append(row)
        self._save()
        return dict(row)

    def document(self) -> dict[str, Any]:
        """What the file holds."""
        return self._document

    def rows(self, part: str) -> list[Row]:
        """The rows of a part that were asked for last."""
        return list(self._part(part)["rows"])

    def _part(self, part: str) -> dict[str, list[Row]]:
        its: dict[str, list[Row]] = self._document["parts"].setdefault(
            part, {"rows": [], "earlier": []}
        )
        return its

    def _sit(self) -> int:
        """The number of this call among the sittings."""
        if self._sitting is None:
            self._document["sittings"].append(origin())
            self._sitting = len(self._document["sittings"]) - 1
        return self._sitting

    def _save(self) -> None:
        if self.path is not None:
            write_text(self.path, json_text(self._document) + "\n")


def _plain(values: Mapping[str, Any]) -> Row:
    """The values as they come back from a file."""
    plain: Row = json.loads(json_text(dict(values), None))
    return plain


def read_document(path: Path) -> dict[str, Any]:
    """The document in a file. Raises ValueError if it holds none, OSError if it cannot be read."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"{path} holds no measurements of format {FORMAT}: choose another folder")
    return document
