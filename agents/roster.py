"""Everybody who can sit down: baselines and shipped bots by name, bot files and programs by path.

A program is a file to run, or "cmd:" and the words of a command line. A bot's name with "+river"
behind it is the bot that solves its last betting round anew.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TypedDict

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.baselines import BASELINES, DESCRIPTIONS
from pokerspiel.agents.bot_file import SUFFIX, BotFileError, load_bot, read_manifest
from pokerspiel.agents.river_resolver import RiverResolver
from pokerspiel.agents.spiel_table import SpielTableBot
from pokerspiel.agents.table.program import ProgramAgent, is_program
from pokerspiel.agents.translation import at_table
from pokerspiel.games.variants import Game

BOTS = Path(__file__).parent / "bots"
"""The folder of the bots that come with the package."""

RESOLVED = "+river"
"""What is behind the name of a bot that solves its last betting round anew."""


class Entry(TypedDict):
    """A line of the list of agents; `game` is None for those that play everything."""

    name: str
    game: str | None
    summary: str


def find_agent(name: str, game: Game | None = None) -> Agent:
    """The agent of a name, or of the path of a bot or program; with `game`, one that plays it.

    A bot that knows another menu of bets than `game` has is translated.
    Raises ValueError, in one line, if there is none, if its file is damaged, or if it was made for
    another game, such as one of OpenSpiel's own, which matches here do not play.
    """
    agent = find_bot(name)
    if isinstance(agent, SpielTableBot):
        raise ValueError(agent.refusal)
    agent = at_table(agent, game)
    if game is not None:
        agent.check(game)
    return agent


def find_bot(name: str) -> Agent:
    """The agent of a name, or of the path of a bot or program, whatever game it plays.

    Raises ValueError, in one line, if there is none, if its file is damaged or not to be run, or if
    it cannot be resolved as its name says.
    """
    if name.endswith(RESOLVED):
        bot = find_bot(name.removesuffix(RESOLVED))
        if not isinstance(bot, CompiledAgent):
            raise ValueError(f"{name}: {bot.name} is no bot whose last round can be solved anew")
        return RiverResolver(bot)
    if name in BASELINES:
        return BASELINES[name]()
    if name in _shipped():
        return load_bot(_shipped()[name])
    if not name.endswith(SUFFIX) and is_program(name):
        return ProgramAgent(name)
    if name.endswith(SUFFIX) or "/" in name or Path(name).is_file():
        return load_bot(name)
    known = [*BASELINES, *_shipped()]
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
    raise ValueError(f"unknown agent {name!r}: {hint}, or give the path of a bot or program")


def _shipped() -> dict[str, Path]:
    """The bots of the package, by name."""
    return {path.stem: path for path in sorted(BOTS.glob(f"*{SUFFIX}"))}


def list_agents() -> list[Entry]:
    """All agents with a name."""
    entries = [Entry(name=name, game=None, summary=DESCRIPTIONS[name]) for name in BASELINES]
    for name, path in _shipped().items():
        try:
            manifest = read_manifest(path)
        except BotFileError as error:
            entries.append(Entry(name=name, game=None, summary=str(error)))
            continue
        summary = f"{manifest.algorithm}, {manifest.iterations:,} iterations"
        entries.append(Entry(name=name, game=manifest.game, summary=summary))
    return entries
