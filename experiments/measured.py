"""What `bench sviten` has measured about one bot, for the manifest in its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pokerspiel.experiments.kept_rows import FILE, Row, read_document

MEASURES = {
    "matches": "wins from",
    "lbr": "loses to local best response",
    "river": "wins with the river solved anew from the bot as it is",
}
"""What the figure of a row says, by the part of the bench that it is from."""


def measured(folder: Path, content_hash: str) -> dict[str, Any]:
    """All that the rows in `folder` say of the bot with this content hash.

    Raises ValueError, in one line, if they say nothing of it.
    """
    document = _document(folder)
    rows = []
    for part, measure in MEASURES.items():
        kept = document["parts"].get(part, {"rows": [], "earlier": []})
        for row in (*kept["rows"], *kept["earlier"]):
            if row["settings"]["bot"][1] == content_hash:
                rows.append(_row(measure, row))
    if not rows:
        raise ValueError(
            f"--measured {folder}: nothing was measured there of the bot with content hash "
            f"{content_hash[:12]}: expected a folder of bench sviten --out"
        )
    return {"unit": rows[0]["unit"], "confidence": 0.95, "rows": rows}


def _document(folder: Path) -> dict[str, Any]:
    if not (folder / FILE).is_file():
        raise ValueError(
            f"--measured {folder}: it has no {FILE}: expected a folder of bench sviten --out"
        )
    return read_document(folder / FILE)


def _row(measure: str, row: Row) -> dict[str, Any]:
    shown = {"measure": measure}
    if measure == MEASURES["matches"]:
        shown["opponent"] = row["opponent"]
    kept = ("mbb_per_hand", "ci95", "hands", "game", "unit")
    return {**shown, **{key: row[key] for key in kept}, "seed": row["settings"]["seed"]}
