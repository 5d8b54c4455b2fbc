"""Commands about hands that were played at the table or in matches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pokerspiel.experiments.options import Config, Json, whole


def histories_command(
    file: Annotated[Path, typer.Argument(help="Hand histories: JSON lines or PHH.")],
    to: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="Convert to jsonl or to phh.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write; otherwise the standard output.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Go on behind a bad hand, and name every one.")
    ] = False,
    tell: Annotated[
        int | None,
        typer.Option(parser=whole(0), metavar="N", help="Tell the hand of this number in words."),
    ] = None,
    json: Json = False,
    config: Config = None,
) -> int:
    """Replay hand histories and sum them up, convert them, or tell one hand."""
    from pokerspiel.experiments import histories

    return histories.run(file, to, out, check, tell, json)
