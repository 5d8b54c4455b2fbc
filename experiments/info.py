"""`pokerspiel info`: what a bot file or a run folder holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pokerspiel.agents.bot_file import load_bot
from pokerspiel.experiments.options import bytes_text
from pokerspiel.experiments.output import json_text, print_json, print_table
from pokerspiel.experiments.run_folder import RunFolder


def run(path: Path, json: bool) -> None:
    document = describe(path)
    if json:
        print_json(document)
    else:
        rows = [(name, _shown(name, value)) for name, value in document.items()]
        print_table(str(path), ("", ""), rows)


def describe(path: Path) -> dict[str, Any]:
    """All that a bot file or a run folder says of itself. Raises ValueError if it is neither."""
    if path.is_dir():
        return _run_folder(RunFolder(path))
    if not path.exists():
        raise ValueError(f"{path} does not exist")
    bot = load_bot(path)
    assert bot.manifest is not None
    return {"kind": "bot", "bytes": path.stat().st_size, **vars(bot.manifest)}


def _run_folder(folder: RunFolder) -> dict[str, Any]:
    metrics = folder.metrics()
    return {
        **folder.manifest(),
        "config": folder.config(),
        "checkpoint": folder.latest_checkpoint().name,
        "progress": metrics[-1] if metrics else None,
    }


def _shown(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {_shown(key, item)}" for key, item in value.items())
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        lines = (", ".join(f"{key} {_shown(key, row[key])}" for key in row) for row in value)
        return "\n" + "\n".join(lines)
    if isinstance(value, list):
        return f"[{', '.join(_shown(name, item) for item in value)}]"
    if name == "bytes":
        return bytes_text(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}" if name != "seed" else str(value)
    return value if isinstance(value, str) else json_text(value)
