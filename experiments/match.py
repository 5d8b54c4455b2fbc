"""`pokerspiel match`: bots against each other, with duplicate deals and rotated seats."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.arena import MatchResult, play_match
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.table.program import FAULTS, ProgramAgent
from pokerspiel.agents.translation import at_table
from pokerspiel.experiments.game_choice import chosen_game, game_with_seats
from pokerspiel.experiments.output import note, print_json, print_table, written_whole
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.games.variants import Game, exact

INTERRUPTED = 130


def run(
    players: Sequence[str],
    game_text: str | None,
    hands: int,
    seed: int,
    histories: Path | None,
    time_limit: float | None,
    settings: Sequence[str] | None,
    json: bool,
    quiet: bool,
) -> int:
    if len(players) < 2:
        raise ValueError(f"a match needs two players or more, not only {' '.join(players)}")
    agents, game = seated(players, game_text, settings)
    limit_programs(agents, time_limit)
    title = f"{game}: {' - '.join(agent.name for agent in agents)}"
    with (
        written_whole(histories) as file,
        ProgressReport(title, quiet) as report,
        _terminated_like_interrupted(agents),
    ):
        result = play_match(
            agents,
            game,
            hands,
            seed,
            lambda done, total: report.show(done / total, f"{done:,} of {total:,} hands"),
            file,
        )
    if json:
        print_json(result.to_json())
    else:
        print_result(result)
    for line in faults_in_words(result):
        note(line, quiet)
    if not result.complete:
        note(f"interrupted after {result.hands:,} of {hands:,} hands")
    return 0 if result.complete else INTERRUPTED


def seated(
    players: Sequence[str], game_text: str | None, settings: Sequence[str] | None
) -> tuple[list[Agent], Game]:
    """The agents, and the game that they play: the one named, or that of the first bot file."""
    if game_text is None:
        agents = [find_agent(player) for player in players]
        made_for = next((agent.game for agent in agents if agent.game is not None), None)
        if made_for is None:
            raise ValueError(f"no bot file among {' '.join(players)}: name a game with --game")
        game = exact(made_for)
        if settings:
            game = chosen_game(str(game), settings)
        return [at_table(agent, game) for agent in agents], game
    game = exact(game_with_seats(game_text, settings, len(players), "players"))
    return [find_agent(player, game) for player in players], game


def limit_programs(agents: Sequence[Agent], time_limit: float | None) -> None:
    """Give all programs among the agents this many seconds a decision; None changes nothing."""
    if time_limit is None:
        return
    programs = [agent for agent in agents if isinstance(agent, ProgramAgent)]
    if not programs:
        names = ", ".join(agent.name for agent in agents)
        raise ValueError(f"--time-limit {time_limit:g}: no program is among {names}")
    for program in programs:
        program.limits = replace(program.limits, decision=time_limit)


@contextmanager
def _terminated_like_interrupted(agents: Sequence[Agent]) -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does if there are programs, so that none of them is left."""
    if not any(isinstance(agent, ProgramAgent) for agent in agents):
        yield
        return
    handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)


def print_result(result: MatchResult) -> None:
    document = result.to_json()
    players = document["players"]
    rows = [_row(player) for player in players]
    columns = ["player", "mbb/hand>", "95 % interval>", "by seat>", "misses>"]
    if "halves" in players[0]:
        columns += ["draw half>", "Omaha half>", "scoops>"]
    if any(player["faults"] for player in players):
        columns.append("faults>")
        rows = [
            [*row, f"{sum(player['faults'].values()):,}"]
            for row, player in zip(rows, players, strict=True)
        ]
    unit = "milli-antes" if result.unit == "ante" else "thousandths of a big blind"
    title = f"{result.game}: {result.hands:,} hands ({result.deals:,} deals), mbb are {unit}"
    print_table(title, columns, rows)


def _row(player: dict[str, Any]) -> list[str]:
    mean = player["mbb_per_hand"]
    seats = (seat["mbb_per_hand"] for seat in player["seats"])
    row = [
        player["name"],
        "" if mean is None else f"{mean:+,.0f}",
        interval_text(player["ci95"]),
        "  ".join("" if score is None else f"{score:+,.0f}" for score in seats),
        f"{player['misses']:.2%}",
    ]
    if "halves" in player:
        row += [f"{player['halves'][name]:.1%}" for name in ("draw", "omaha", "scoops")]
    return row


def faults_in_words(result: MatchResult) -> list[str]:
    """What went wrong with programs, for people; nothing if nothing did."""
    lines = []
    for player in result.players:
        if player.faults:
            counts = sorted(player.faults.items(), key=lambda pair: FAULTS.index(pair[0]))
            kinds = ", ".join(f"{count:,} {kind}" for kind, count in counts)
            share = sum(player.faults.values()) / max(player.decisions, 1)
            lines.append(f"{player.name}: {kinds}; a rule played {share:.2%} of its decisions")
            lines += [f"  {line}" for line in player.notes]
    return lines


def interval_text(ci95: Sequence[float] | None) -> str:
    return "" if ci95 is None else f"{ci95[0]:+,.0f} to {ci95[1]:+,.0f}"
