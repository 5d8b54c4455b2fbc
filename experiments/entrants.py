"""Who takes part in a tournament: bots, baselines and programs, each known by its content.

A bot whose file has changed is another bot. So is a baseline of another version of the package.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import SUFFIX, read_manifest
from pokerspiel.agents.chairs import distinct_names
from pokerspiel.agents.roster import BOTS, RESOLVED, find_agent
from pokerspiel.agents.table.program import COMMAND, command_of, is_program
from pokerspiel.games.variants import Game


@dataclass(frozen=True)
class Entrant:
    """A player of a tournament."""

    name: str
    """Its own name, with "#2" and so on behind it if another one has the same."""
    given: str
    """What it was called on the command line."""
    place: str
    """The same with the whole path, if it is a file: good in another folder."""
    content: str
    """SHA-256 of all that it is: see `content_of`."""
    manifest: Mapping[str, Any]
    """Of a bot file; empty for others."""


def entrants_of(names: Sequence[str], game: Game) -> list[Entrant]:
    """The players of these names in a game.

    Raises ValueError, in one line, if one cannot play it, or if two are the same.
    """
    apart = distinct_names([find_agent(name, game) for name in names])
    entrants: list[Entrant] = []
    for name, given in zip(apart, names, strict=True):
        content = content_of(given)
        same = [other.given for other in entrants if other.content == content]
        if same:
            what = f"{given} is given twice" if same[0] == given else f"{given} is {same[0]}"
            raise ValueError(f"{what}: a bot does not play against itself")
        entrants.append(Entrant(name, given, _place(given), content, _manifest(given)))
    return entrants


def content_of(name: str) -> str:
    """A hash of what plays under a name, or under the path of a bot or program.

    Of a bot file it is that of the file. Of a program: of its command line, or the name of its
    file, and of the files that are named. Of what the package plays: of its name and version.
    """
    if name.endswith(RESOLVED):
        return _hash(content_of(name.removesuffix(RESOLVED)), RESOLVED, version("pokerspiel"))
    if name in BASELINES:
        return _hash("baseline", name, version("pokerspiel"))
    file = _bot_file(name)
    if file is not None:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    if not name.startswith(COMMAND):
        return _hash("program", Path(name).name, _of_file(name))
    return _hash("command", name, *(_of_file(word) for word in command_of(name)))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _of_file(word: str) -> str:
    path = Path(word)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _bot_file(name: str) -> Path | None:
    """The bot file that a name means, if it means one."""
    shipped = BOTS / f"{name}{SUFFIX}"
    if "/" not in name and shipped.is_file():
        return shipped
    return Path(name) if name.endswith(SUFFIX) or not is_program(name) else None


def _manifest(name: str) -> Mapping[str, Any]:
    name = name.removesuffix(RESOLVED)
    file = None if name in BASELINES else _bot_file(name)
    return {} if file is None else asdict(read_manifest(file))


def _place(name: str) -> str:
    end = RESOLVED if name.endswith(RESOLVED) else ""
    file = name.removesuffix(end) if end else name
    known = file in BASELINES or (BOTS / f"{file}{SUFFIX}").is_file() or name.startswith(COMMAND)
    return name if known else os.path.abspath(file) + end
