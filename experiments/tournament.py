"""`pokerspiel tournament`: every bot against every other, with the same deals for all.

The folder holds `tournament.sqlite` with what every deal came to, `report.html`, and tables as
`table.md`. The same command again plays only what is missing: more hands, or the matches of a bot
that comes later.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.value_function import ValueFunction
from pokerspiel.experiments.correction import Correction
from pokerspiel.experiments.database import check_folder
from pokerspiel.experiments.entrants import Entrant, entrants_of
from pokerspiel.experiments.game_choice import chosen_game
from pokerspiel.experiments.interrupts import terminated_like_interrupted
from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.experiments.tournament_exploitability import HOW, exploitabilities_of
from pokerspiel.experiments.tournament_play import (
    deals_for,
    hash_of_values,
    meetings_of,
    missing_deals,
    play_missing,
)
from pokerspiel.experiments.tournament_report import REPORT, TABLE_MD, write_reports
from pokerspiel.experiments.tournament_results import Document, document_of
from pokerspiel.experiments.tournament_store import FILE, TournamentStore
from pokerspiel.experiments.tournament_tables import cross_table, leaderboard, ratings
from pokerspiel.experiments.workers import Workers, open_workers
from pokerspiel.games.variants import Game, exact

FAILURES, INTERRUPTED = 1, 130
VALUES = "aivat.values"
"""The value function of a folder, unless another file is named."""


@dataclass(frozen=True)
class Plan:
    """What is asked for."""

    bots: tuple[str, ...]
    game: str
    settings: tuple[str, ...]
    hands: int
    """Of a match, all orders and rotations counted."""
    seed: int
    min_hands: int
    correction: Correction
    exploitability: str
    """One of HOW."""
    on: str
    workers: int | None


def run(plan: Plan, out: Path, json: bool, quiet: bool) -> int:
    try:
        document = play(plan, out, quiet)
    except KeyboardInterrupt:
        note(f"interrupted; what is done is in {out}, and the same command goes on")
        return INTERRUPTED
    if json:
        print_json(document)
    else:
        print_document(document)
    return FAILURES if tell_failures(document) else 0


def play(plan: Plan, out: Path, quiet: bool) -> Document:
    """Play what is missing in a folder and write its reports; all that is known then.

    A KeyboardInterrupt leaves what is done. Raises ValueError, in one line, if the plan makes no
    sense, OSError if the folder is that of something else or cannot be written.
    """
    if plan.exploitability not in HOW:
        raise ValueError(
            f"--exploitability {plan.exploitability}: expected one of {', '.join(HOW)}"
        )
    game = exact(chosen_game(plan.game, plan.settings))
    entrants = entrants_of(plan.bots, game)
    meetings_of(entrants, game, plan.seed)
    check_folder(out, FILE)
    with (
        TournamentStore(out) as store,
        terminated_like_interrupted(),
        open_workers(plan.on, plan.workers) as workers,
    ):
        document = _fill(plan, store, workers, entrants, game, out, quiet)
    write_reports(out, document)
    note(", ".join(str(out / name) for name in (REPORT, TABLE_MD)), quiet)
    return document


def tell_failures(document: Document) -> bool:
    """Say on stderr which matches failed, one line each; whether there are any."""
    failed = [match for match in document["matches"] if match["failure"]]
    for match in failed:
        names = " - ".join(player["name"] for player in match["players"])
        note(f"pokerspiel: {names} failed: {match['failure']}")
    return bool(failed)


def _fill(
    plan: Plan,
    store: TournamentStore,
    workers: Workers,
    entrants: Sequence[Entrant],
    game: Game,
    out: Path,
    quiet: bool,
) -> Document:
    """Play what is missing, and sum everything up."""
    deals = deals_for(plan.hands, game)
    for entrant in store.changed(entrants):
        note(f"{entrant.given} is not the bot that it was: it plays all its matches anew", quiet)
    path, values = _values(plan, entrants, game, out, quiet)
    values_hash = "" if path is None else hash_of_values(path)
    meetings = meetings_of(entrants, game, plan.seed, values_hash)
    matches = [match for meeting in meetings for match in meeting.matches]
    done = sum(not missing_deals(store.played(match), deals) for match in matches)
    note(f"{len(matches)} matches of {deals:,} deals, {done} of them played before", quiet)
    begin = origin()
    command = _command(plan, workers.count)
    store.begin_sitting(begin["started"], command, begin["machine"], begin["versions"])
    store.add_bots(entrants)
    with ProgressReport(str(game), quiet) as report:

        def show(done: int, total: int) -> None:
            report.show(done / max(total, 1), f"{done:,} of {total:,} hands")

        play_missing(store, workers, entrants, meetings, deals, path, show)
        report.show(None, "exploitability")
        found = exploitabilities_of(store, workers, entrants, game, plan.exploitability, note)
        words = None if values is None else values.words
        document = document_of(
            store, entrants, meetings, game, plan.seed, deals, plan.min_hands, words, found
        )
    return {**document, "sittings": store.sittings(matches)}


def _values(
    plan: Plan, entrants: Sequence[Entrant], game: Game, out: Path, quiet: bool
) -> tuple[Path | None, ValueFunction | None]:
    """The file of the value function, and what is in it; it is fitted if it is not there."""
    correction = plan.correction
    if not correction.wanted and correction.file is None:
        return None, None
    kept = replace(correction, file=correction.file or out / VALUES)
    agents = [find_agent(entrant.place, game) for entrant in entrants]
    return kept.file, kept.values(list(combinations(agents, game.players)), game, plan.seed, quiet)


def _command(plan: Plan, workers: int) -> str:
    """The command line that asks for the same, options spelt out."""
    words = ["pokerspiel", "tournament", *plan.bots, "--game", plan.game]
    for setting in plan.settings:
        words += ["--set", setting]
    words += ["--hands", str(plan.hands), "--seed", str(plan.seed)]
    correction = plan.correction
    if correction.file is not None:
        words += ["--values", str(correction.file)]
    if correction.wanted:
        words += ["--aivat", "--fit-hands", str(correction.fit_hands)]
    words += ["--min-hands", str(plan.min_hands), "--exploitability", plan.exploitability]
    return shlex.join([*words, "--on", plan.on, "--workers", str(workers)])


def print_document(document: Document) -> None:
    """The tables, on stdout."""
    tables = [leaderboard(document), cross_table(document), ratings(document)]
    for table in filter(None, tables):
        print_table(table.title, table.head, table.rows)
        for line in table.notes:
            print(line)
