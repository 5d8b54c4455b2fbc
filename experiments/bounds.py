"""`pokerspiel exploit --bound`: a lower bound on what a perfect opponent wins from a bot.

For bots of games that are too large to be measured exactly. An opponent made to exploit the bot
plays it; what it wins on average, a best response wins as well, and perhaps more.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.arena import MatchResult, play_match
from pokerspiel.agents.local_best_response import LocalBestResponse
from pokerspiel.agents.ranges import PARTICLES
from pokerspiel.agents.roster import find_bot
from pokerspiel.agents.spiel_table import is_ours
from pokerspiel.experiments.exploit import measured_game
from pokerspiel.experiments.match import interval_text
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.games.variants import Game, load

INTERRUPTED = 130
HANDS = 2000
"""Hands that are played unless another number is asked for."""
DEFINITION = (
    "won by the opponent per hand, mean of both seats; on average at most the exploitability, "
    "NashConv / number of players"
)


@dataclass(frozen=True)
class Options:
    """How a bound is found."""

    hands: int = HANDS
    seed: int = 0
    particles: int = PARTICLES
    """Deals that a local best response keeps in mind."""


def _local(target: CompiledAgent, game: Game, options: Options) -> Agent:
    return LocalBestResponse(target, options.particles)


BOUNDS: Mapping[str, Callable[[CompiledAgent, Game, Options], Agent]] = MappingProxyType(
    {"local": _local}
)
"""By name: what makes the opponent of a bot in a game."""


def run(
    bot: str,
    game_text: str | None,
    settings: Sequence[str] | None,
    bound: str,
    options: Options,
    json: bool,
    quiet: bool,
) -> int:
    if bound not in BOUNDS:
        near = difflib.get_close_matches(bound, BOUNDS, 1) or list(BOUNDS)
        raise ValueError(f"unknown bound {bound!r}: expected {' or '.join(near)}")
    target = find_bot(bot)
    game = _game_for_two(target, measured_game(target, game_text, settings))
    assert isinstance(target, CompiledAgent)
    opponent = BOUNDS[bound](target, game, options)
    with ProgressReport(f"{game}: {opponent.name}", quiet) as report:
        result = play_match(
            [opponent, target],
            game,
            options.hands,
            options.seed,
            lambda done, total: report.show(done / total, f"{done:,} of {total:,} hands"),
        )
    document = to_json(result, bound, options)
    if json:
        print_json(document)
    else:
        print_result(document)
    if not result.complete:
        note(f"interrupted after {result.hands:,} of {options.hands:,} hands")
    return 0 if result.complete else INTERRUPTED


def _game_for_two(target: Agent, text: str) -> Game:
    """The game of a game string; ValueError, in one line, if no bound can be found in it."""
    if not is_ours(text):
        raise ValueError(f"{text} is one of OpenSpiel's games: bounds are for this package's")
    game = load(text)
    if game.players != 2:
        raise ValueError(f"{game} is for {game.players} players: bounds are for games for two")
    if not isinstance(target, CompiledAgent):
        raise ValueError(f"{target.name} is no bot with a table: its strategy is not known")
    return game


def to_json(result: MatchResult, bound: str, options: Options) -> dict[str, Any]:
    """What the opponent won, in thousandths of an ante or a big blind."""
    won = result.players[0]
    return {
        "bot": result.players[1].name,
        "game": result.game,
        "bound": bound,
        "exact": False,
        "opponent": won.name,
        "mbb_per_hand": won.score.mbb_per_hand,
        "ci95": won.score.ci95,
        "seats": [score.mbb_per_hand for score in won.seats],
        "unit": result.unit,
        "definition": DEFINITION,
        "particles": options.particles,
        "seed": result.seed,
        "hands": result.hands,
        "complete": result.complete,
        "seconds": result.seconds,
    }


def print_result(document: dict[str, Any]) -> None:
    unit = "milli-antes" if document["unit"] == "ante" else "thousandths of a big blind"
    won = [document["mbb_per_hand"], *document["seats"]]
    mean, *seats = ("" if value is None else f"{value:+,.0f}" for value in won)
    print_table(
        f"{document['opponent']} in {document['game']}: {document['hands']:,} hands, "
        f"mbb are {unit}",
        ("", "mbb/hand>"),
        [
            ("it wins", mean),
            ("95 % interval", interval_text(document["ci95"])),
            *((f"in seat {seat}", value) for seat, value in enumerate(seats)),
        ],
    )
    print(
        "A lower bound, by sampling, on what a best response wins; not the exact exploitability "
        f"of {document['bot']}"
    )
