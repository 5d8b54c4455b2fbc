"""`pokerspiel study`: what a solved game of Svara says to a player, as a page or one decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pokerspiel.agents.bot_file import SUFFIX
from pokerspiel.agents.roster import list_agents
from pokerspiel.experiments.game_choice import chosen_game
from pokerspiel.experiments.options import parse_bytes
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.problems import ChainProblem, with_preset
from pokerspiel.experiments.run_folder import check_writable, write_text
from pokerspiel.experiments.solve import DEFAULT_ALGORITHM, new_solver, solve_until
from pokerspiel.experiments.study_figures import Decision, Solution, decision, sensitivity_row
from pokerspiel.experiments.study_page import study_html
from pokerspiel.experiments.study_solution import solution_of_bot
from pokerspiel.experiments.study_words import (
    PLACES,
    chips_in,
    find_decision,
    meaning,
    met,
    price_of_call,
    situation,
)
from pokerspiel.games.cards import cards_text
from pokerspiel.games.variants import Game, exact
from pokerspiel.solvers.vector import evaluate_chain

CHANGES = (
    "joker_mode=sum_all",
    "sevens=fixed_23",
    "blind_phase=false",
    "stack=10",
    "stack=40",
)
"""House rules that the report compares, one change at a time."""
CHANGE_GOAL = 2e-5
"""Exploitability in antes to which they are solved: what they change is often a thousandth."""


@dataclass(frozen=True)
class Options:
    """What is to be studied, and how carefully."""

    what: str
    """A game, or a bot."""
    preset: str | None
    settings: Sequence[str] | None
    until: float
    """Exploitability in antes to solve to, where there is no bot."""
    threads: int
    memory_limit: str
    quiet: bool


def run(options: Options, at: str | None, out: Path, changes: Sequence[str], json: bool) -> None:
    """Write the report on a game or a bot, or with `at` print one decision."""
    if at is None:
        check_writable(out)
    solution = find_solution(options)
    if at is not None:
        document = describe_at(solution, at)
        if json:
            print_json(document)
        else:
            print_at(document)
        return
    rows = [sensitivity_row(change, _changed(solution, change, options)) for change in changes]
    out.parent.mkdir(parents=True, exist_ok=True)
    write_report(solution, out, rows)
    if json:
        print_json({"report": str(out), "game": solution.chain.game, "house_rules": rows})
    else:
        note(f"{out}", options.quiet)


def find_solution(options: Options) -> Solution:
    """The bot that is named, or one that comes with the package for the game, or a new solution.

    Raises ValueError, one line, if there is none, or if it is not of Svara for two.
    """
    what = options.what
    if what.endswith(SUFFIX) or what in {entry["name"] for entry in list_agents()}:
        if options.preset is not None or options.settings:
            raise ValueError(f"{what} is a bot: --preset and --set are for games")
        return solution_of_bot(what)
    game = chosen_game(what, with_preset(what, options.preset, options.settings))
    for entry in list_agents():
        if entry["game"] is not None and str(exact(game)) == str(exact(chosen_game(entry["game"]))):
            return solution_of_bot(entry["name"])
    return _solve(game, options)


def _solve(game: Game, options: Options) -> Solution:
    """Solve a game on the way."""
    if game.players != 2 or not hasattr(game.family, "chain_of_deals"):
        raise ValueError(f"{game} is not Svara for two: that is studied")
    problem = ChainProblem(exact(game), parse_bytes(options.memory_limit))
    note(f"solving {exact(game)} to {options.until:g} antes ...", options.quiet)
    solver = new_solver(problem, options.threads)
    solve_until(problem, solver, options.until)
    strategy = problem.solution(solver)
    return Solution(
        problem.chain,
        strategy,
        evaluate_chain(problem.form, strategy),
        str(exact(game)),
        game.limits.big_unit,
        {"algorithm": DEFAULT_ALGORITHM, "iterations": f"{solver.iteration:,}"},
    )


def _changed(solution: Solution, change: str, options: Options) -> Solution:
    name, _, value = change.partition("=")
    game = chosen_game(solution.chain.game)
    changed = chosen_game(game.name, None, **{**game.parameters, name: value})
    return _solve(changed, replace(options, until=min(options.until, CHANGE_GOAL)))


def write_report(solution: Solution, path: Path, sensitivity: Sequence[Mapping[str, Any]]) -> None:
    """Write the report on a solution; `sensitivity` holds rows as of `sensitivity_row`."""
    write_text(path, study_html(solution, sensitivity))


def describe_at(solution: Solution, at: str) -> dict[str, Any]:
    """One decision, found by the actions that lead to it: see `find_decision` for the text.

    `chance` is how often a deal that begins so comes to it, `deal_chance` how often such a deal is
    played in a hand. `scores` and `hands` are empty before the cards are seen; scores that are
    never held there are left out.
    Raises ValueError, one line, for actions that are not possible.
    """
    spot = find_decision(solution.chain, at)
    one = decision(solution, spot.deal, spot.node)
    deal = one.deal
    return {
        "game": solution.chain.game,
        "name": solution.name,
        "at": spot.text,
        "situation": situation(deal, spot.node),
        "place": PLACES[one.place],
        "looked": one.looked,
        "pot": deal.pot + sum(chips_in(deal, int(deal.parent[spot.node]))),
        "to_call": price_of_call(deal, spot.node),
        "chance": one.chance,
        "deal_chance": float(solution.played[spot.deal]),
        "actions": [
            {"word": word, "meaning": meaning(word), "frequency": float(share)}
            for word, share in zip(one.words, one.frequency, strict=True)
        ],
        "scores": _scores(one) if one.looked else [],
        "hands": _hands(solution, one) if one.looked else [],
    }


def _scores(one: Decision) -> list[dict[str, Any]]:
    """The scores that are held there."""
    return [
        {
            "score": int(score),
            "held": float(held),
            "frequency": dict(zip(one.words, shares.tolist(), strict=True)),
        }
        for score, held, shares in zip(one.scores, one.held, one.by_score.T, strict=True)
        if not np.isnan(shares[0])
    ]


def _hands(solution: Solution, one: Decision) -> list[dict[str, Any]]:
    """All hands, those that differ by the names of suits only as one; the best first."""
    hands = solution.chain.hands
    return [
        {
            "hand": cards_text(hands.cards[i]),
            "count": int(hands.count[i]),
            "score": int(hands.score[i]),
            "frequency": dict(zip(one.words, one.behaviour[:, i].tolist(), strict=True)),
        }
        for i in range(hands.classes - 1, -1, -1)
    ]


def print_at(document: Mapping[str, Any]) -> None:
    """Print what `describe_at` gives."""
    price = f", {document['to_call']} to call" if document["to_call"] else ""
    often = met(document["chance"] * document["deal_chance"])
    print(f"{document['situation']}. Pot {document['pot']}{price}; {often}.")
    actions = document["actions"]
    rows = [
        (row["score"], f"{row['held']:.1%}", *(f"{p:.1%}" for p in row["frequency"].values()))
        for row in document["scores"]
    ]
    rows.append(("all", "", *(f"{action['frequency']:.1%}" for action in actions)))
    columns = ["points", "held>", *(f"{action['meaning']}>" for action in actions)]
    print_table(f'{document["name"]} at "{document["at"]}"', columns, rows)
