"""`pokerspiel match`: bots against each other, with duplicate deals and rotated seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.arena import MatchResult, check_meeting, play_match
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.scores import Sprt
from pokerspiel.agents.table.program import ProgramAgent
from pokerspiel.agents.translation import at_table
from pokerspiel.experiments.correction import Correction
from pokerspiel.experiments.game_choice import chosen_game, game_with_seats
from pokerspiel.experiments.interrupts import terminated_like_interrupted
from pokerspiel.experiments.match_on_workers import match_on_workers
from pokerspiel.experiments.match_tables import faults_in_words, print_result
from pokerspiel.experiments.options import refuse_given
from pokerspiel.experiments.output import note, print_json, written_whole
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.experiments.workers import PROCESSES, open_workers
from pokerspiel.games.variants import Game, exact

INTERRUPTED = 130


@dataclass(frozen=True)
class Plan:
    """What is asked for."""

    players: tuple[str, ...]
    game: str | None
    """None: that of the first bot file."""
    settings: tuple[str, ...]
    hands: int
    seed: int
    histories: Path | None
    time_limit: float | None
    correction: Correction
    sprt: Sprt | None
    on: str
    workers: int | None
    """None: this process plays, unless there is a cluster to play on."""


def run(plan: Plan, json: bool, quiet: bool) -> int:
    if len(plan.players) < 2:
        raise ValueError(f"a match needs two players or more, not only {' '.join(plan.players)}")
    with terminated_like_interrupted():
        try:
            result = _play(plan, quiet)
        except KeyboardInterrupt:
            note("interrupted before the first hand of the match")
            return INTERRUPTED
    if json:
        print_json(result.to_json())
    else:
        print_result(result)
    for line in faults_in_words(result):
        note(line, quiet)
    if not result.complete:
        note(f"interrupted after {result.hands:,} of {plan.hands:,} hands")
    return 0 if result.complete else INTERRUPTED


def _play(plan: Plan, quiet: bool) -> MatchResult:
    agents, game = seated(plan.players, plan.game, plan.settings)
    limit_programs(agents, plan.time_limit)
    check_meeting(agents, game)
    apart = plan.workers is not None or plan.on != PROCESSES
    if apart:
        refuse_given(
            "--workers or --on",
            histories=(plan.histories, None),
            sprt=(plan.sprt, None),
            time_limit=(plan.time_limit, None),
        )
    values = plan.correction.values([agents], game, plan.seed, quiet)
    title = f"{game}: {' - '.join(agent.name for agent in agents)}"
    with written_whole(plan.histories) as file, ProgressReport(title, quiet) as report:

        def show(done: int, total: int) -> None:
            report.show(done / total, f"{done:,} of {total:,} hands")

        if apart:
            with open_workers(plan.on, plan.workers) as workers:
                return match_on_workers(
                    workers, plan.players, agents, game, plan.hands, plan.seed, values, show
                )
        return play_match(
            agents, game, plan.hands, plan.seed, show, file, values=values, sprt=plan.sprt
        )


def parse_sprt(text: str | None, error: float) -> Sprt | None:
    """The test of `--sprt LOW,HIGH`; ValueError names what is no such thing."""
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"--sprt {text}: expected two numbers, such as 0,50") from None
    try:
        return Sprt(low, high, error, error)
    except ValueError as problem:
        raise ValueError(f"--sprt {text}: {problem}") from None


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
