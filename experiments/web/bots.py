"""The bots that a server offers: those with a name, those of a folder, and those it was given."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.bot_file import SUFFIX, BotFileError, read_manifest
from pokerspiel.agents.roster import Entry, find_agent, find_bot, list_agents
from pokerspiel.games.variants import Game, exact, load

MOST_LOADED = 32
"""Bots kept in memory; tables share them."""


@lru_cache(maxsize=MOST_LOADED)
def _loaded(place: str, version: int, game: str | None) -> Agent:
    """A bot as the roster finds it; `version` changes with its file."""
    return find_bot(place) if game is None else find_agent(place, load(game))


class UnknownBotError(ValueError):
    """A name that is none of the bots on offer."""


class Offer:
    """Bots by name. A name is looked up among those on offer and never becomes a path.

    `folder` is read anew each time, so that a file dropped into it can be played at once.
    """

    def __init__(self, folder: Path | None = None, more: Sequence[str] = ()) -> None:
        """`more` are bots as commands name them, such as paths of files and programs."""
        self._folder = folder
        self._given = {Path(name).name: name for name in more}

    def entries(self) -> list[Entry]:
        """What is on offer, for the list that a person chooses from."""
        entries = list_agents()
        entries += [_entry(name, path) for name, path in self._files().items()]
        entries += [_entry(name, Path(path)) for name, path in self._given.items()]
        return entries

    def agent(self, name: str, game: Game) -> Agent:
        """The bot of a name, for `game`.

        Raises UnknownBotError, or ValueError if it cannot play the game; both in one line.
        """
        return self._loaded(name, str(game))

    def bot(self, name: str) -> Agent:
        """The bot of a name, whatever game it plays. Raises as `agent` does."""
        return self._loaded(name, None)

    def _loaded(self, name: str, game: str | None) -> Agent:
        place = self._place(name)
        path = Path(place)
        return _loaded(place, path.stat().st_mtime_ns if path.is_file() else 0, game)

    def trained_for(self, game: Game) -> str | None:
        """The name of the first bot on offer that was made for a game, if there is one."""
        for entry in self.entries():
            if entry["game"] is not None and _same_game(entry["game"], game):
                return entry["name"]
        return None

    def _place(self, name: str) -> str:
        """What the roster finds a bot on offer by."""
        if name in self._given:
            return self._given[name]
        files = self._files()
        if name in files:
            return str(files[name])
        known = [entry["name"] for entry in list_agents()]
        if name in known:
            return name
        names = ", ".join([*known, *files, *self._given])
        raise UnknownBotError(f"unknown bot {name[:60]!r}: on offer are {names}")

    def _files(self) -> dict[str, Path]:
        """The bot files of the folder, by their names."""
        if self._folder is None:
            return {}
        return {path.name: path for path in sorted(self._folder.glob(f"*{SUFFIX}"))}


def _same_game(text: str, game: Game) -> bool:
    """Whether a game string names a game, whatever its abstraction; False for a foreign one."""
    try:
        return str(exact(load(text))) == str(game)
    except ValueError:
        return False


def _entry(name: str, path: Path) -> Entry:
    if path.suffix != SUFFIX:
        return Entry(name=name, game=None, summary="a program")
    try:
        manifest = read_manifest(path)
    except BotFileError as error:
        return Entry(name=name, game=None, summary=str(error))
    summary = f"{manifest.algorithm}, {manifest.iterations:,} iterations"
    return Entry(name=name, game=manifest.game, summary=summary)
