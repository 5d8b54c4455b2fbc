"""Sviten bots at the table: against baselines, each other, local best response and resolving.

Every match is of duplicate hands; the intervals are of 95 % confidence, over deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.chairs import distinct_names
from pokerspiel.agents.local_best_response import LocalBestResponse
from pokerspiel.agents.ranges import PARTICLES
from pokerspiel.agents.river_resolver import RiverResolver
from pokerspiel.agents.roster import RESOLVED, find_agent
from pokerspiel.experiments.kept_rows import KeptRows, Row
from pokerspiel.experiments.output import note
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.games import sviten
from pokerspiel.games.variants import Game, exact, load

BOUNDED = ("always-call", "equity")
"""Baselines that local best response plays against."""


@dataclass(frozen=True)
class Player:
    """Somebody with a name in the tables."""

    name: str
    word: str
    """Name or path by which the roster knows it."""
    agent: Agent

    @property
    def identity(self) -> list[str]:
        """What tells it from others of the same name: a retrained bot is another player."""
        bot = self.agent.bot if isinstance(self.agent, RiverResolver) else self.agent
        manifest = bot.manifest if isinstance(bot, Bot) else None
        return [self.name, self.word if manifest is None else manifest.content_hash]


def find_players(words: Sequence[str]) -> list[Player]:
    """The bots of these names or paths.

    Raises ValueError, in one line, if there is none, or it plays no Sviten game for two.
    """
    agents = [find_agent(word) for word in words]
    for word, agent in zip(words, agents, strict=True):
        if agent.game is None:
            raise ValueError(f"--bots {word}: it is a baseline, which every bot meets anyway")
        check_game(f"--bots {word}: it plays", agent.game)
    names = distinct_names(agents)
    return [Player(*its) for its in zip(names, words, agents, strict=True)]


def check_game(what: str, game: Game) -> None:
    """Raise ValueError, in one line that begins with `what`, if it is no Sviten game for two."""
    if game.family is not sviten or game.players != 2:
        raise ValueError(f"{what} {game}, expected a Sviten game for two")


def winnings(agents: Sequence[Agent], game: Game, hands: int, seed: int, quiet: bool) -> Row:
    """What the first of two agents wins, in thousandths of a big blind a hand.

    Raises KeyboardInterrupt if the match was interrupted.
    """
    with ProgressReport(" - ".join(agent.name for agent in agents), quiet) as report:
        result = play_match(
            agents,
            game,
            hands,
            seed,
            lambda done, total: report.show(done / total, f"{done:,} of {total:,} hands"),
        )
    if not result.complete:
        raise KeyboardInterrupt
    player = result.players[0]
    return {
        "game": result.game,
        "unit": result.unit,
        "hands": result.hands,
        "mbb_per_hand": player.score.mbb_per_hand,
        "ci95": player.score.ci95,
        "seats": [score.mbb_per_hand for score in player.seats],
        "misses": player.misses,
        "seconds": result.seconds,
    }


def matches(rows: KeptRows, players: Sequence[Player], hands: int, seed: int, quiet: bool) -> None:
    """Each bot against each baseline, and each named after it that plays the same game."""
    for i, player in enumerate(players):
        baselines = [Player(name, name, BASELINES[name]()) for name in BASELINES]
        for other in [*baselines, *players[i + 1 :]]:
            if _may_meet(player, other):
                _match(rows, "matches", player, other, hands, seed, quiet)
            else:
                note(f"{player.name} and {other.name} play different games", quiet)


def _may_meet(player: Player, other: Player) -> bool:
    ours, theirs = player.agent.game, other.agent.game
    return ours is None or theirs is None or str(exact(ours)) == str(exact(theirs))


def river(rows: KeptRows, players: Sequence[Player], hands: int, seed: int, quiet: bool) -> None:
    """Each bot that solves its last betting round anew, against the bot itself."""
    for player in _with_tables(players, "river", quiet):
        word = player.word + RESOLVED
        resolver = Player(player.name + RESOLVED, word, find_agent(word))
        _match(rows, "river", resolver, player, hands, seed, quiet)


def _match(
    rows: KeptRows, part: str, player: Player, other: Player, hands: int, seed: int, quiet: bool
) -> None:
    assert player.agent.game is not None
    game = exact(player.agent.game)
    seated = find_agent(other.word, game)
    settings = {
        "game": str(game),
        "bot": player.identity,
        "opponent": other.identity,
        "hands": hands,
        "seed": seed,
    }

    def measure() -> Row:
        note(f"{player.name}: {hands:,} hands against {other.name} ...", quiet)
        won = winnings([player.agent, seated], game, hands, seed, quiet)
        return {"bot": player.name, "opponent": other.name, **won}

    rows.row(part, settings, measure)


def lbr(
    rows: KeptRows, players: Sequence[Player], game_text: str, hands: int, seed: int, quiet: bool
) -> None:
    """Local best response against each bot in its game, then in `game_text` against baselines."""
    bounded = [Player(name, name, BASELINES[name]()) for name in BOUNDED]
    for target in [*_with_tables(players, "lbr", quiet), *bounded]:
        assert isinstance(target.agent, CompiledAgent)
        game = exact(target.agent.game or load(game_text))
        settings = {
            "game": str(game),
            "bot": target.identity,
            "hands": hands,
            "particles": PARTICLES,
            "seed": seed,
        }
        rows.row("lbr", settings, partial(_bound, target, game, hands, seed, quiet))


def _bound(target: Player, game: Game, hands: int, seed: int, quiet: bool) -> Row:
    assert isinstance(target.agent, CompiledAgent)
    note(f"{target.name}: {hands:,} hands of local best response against it ...", quiet)
    response = LocalBestResponse(target.agent, PARTICLES)
    won = winnings([response, target.agent], game, hands, seed, quiet)
    return {"bot": target.name, "particles": PARTICLES, **won}


def _with_tables(players: Sequence[Player], part: str, quiet: bool) -> list[Player]:
    """Those whose strategy is known; the others are named on stderr."""
    known = [player for player in players if isinstance(player.agent, CompiledAgent)]
    for player in players:
        if player not in known:
            note(f"{part}: {player.name} is no bot with a table, it is left out", quiet)
    return known
