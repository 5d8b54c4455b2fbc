"""`pokerspiel bench svara`: heads-up Svara solved, the figures of docs/svara.md.

| part | measures |
|---|---|
| showdowns | the two ways to the values of showdowns, against each other and the processor |
| threads | iterations of the home table with one thread and with two |
| presets | time to an exploitability, on each table of problems.PRESETS |
| abstractions | what the equilibria of coarser information sets lose in the whole game |
| players | bots and baselines: exploitability, and matches with best response and solution |

Every exploitability is exact: of the whole game with all svarkas.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.arena import PlayerResult, play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.deal_strategy import deal_strategy_of
from pokerspiel.agents.roster import find_agent
from pokerspiel.experiments.game_choice import chosen_game
from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.problems import ABSTRACTIONS, PRESETS, ChainProblem
from pokerspiel.experiments.solve import DEFAULT_ALGORITHM, new_solver, solve_until
from pokerspiel.games.deals import Hands
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.best_response import EXPLOITABILITY
from pokerspiel.solvers.chart import chart_of
from pokerspiel.solvers.hand_matrices import HandMatrices
from pokerspiel.solvers.hand_sums import LANES, hand_sums, sweep
from pokerspiel.solvers.layout import aligned, padded
from pokerspiel.solvers.vector import ChainForm, VectorCfr, evaluate_chain

PARTS = ("showdowns", "threads", "presets", "abstractions", "players")
GOALS: dict[str, tuple[tuple[float, float], ...]] = {
    "home": ((1e-3, 15.0), (1e-6, 600.0)),
    "club": ((1e-3, 600.0),),
    "real": ((1e-3, 5400.0),),
}
"""For each preset the exploitabilities to reach, in antes, and the seconds that are allowed."""
QUICK_GOALS = {"home": ((1e-2, 15.0), (1e-3, 15.0))}
ABSTRACTION_GOAL = 1e-5
MEMORY = 1 << 33
HANDS, QUICK_HANDS = 1_000_000, 20_000


@dataclass(frozen=True)
class Options:
    parts: tuple[str, ...]
    presets: tuple[str, ...]
    bots: tuple[str, ...]
    threads: int
    quick: bool
    seed: int
    quiet: bool


def run(options: Options, json: bool) -> None:
    for part in options.parts:
        if part not in PARTS:
            raise ValueError(f"--only {part}: expected {', '.join(PARTS)}")
    for preset in options.presets:
        if preset not in PRESETS:
            raise ValueError(f"--presets {preset}: expected {', '.join(PRESETS)}")
    players = [find_agent(name, load("svara")) for name in (*BASELINES, SOLUTION, *options.bots)]
    results: dict[str, Any] = {**origin(), "definition": EXPLOITABILITY}
    if "showdowns" in options.parts:
        note("showdowns, two ways ...", options.quiet)
        results["showdowns"] = showdowns(0.2 if options.quick else 1.0)
    if "threads" in options.parts:
        note("one thread and two ...", options.quiet)
        results["threads"] = threads(0.5 if options.quick else 3.0)
    if "presets" in options.parts:
        results["presets"] = [row for name in options.presets for row in _preset(name, options)]
    if "abstractions" in options.parts:
        results["abstractions"] = [_abstraction(name, options) for name in ABSTRACTIONS]
    if "players" in options.parts:
        results["players"] = _players(players, options)
    if json:
        print_json(results)
    else:
        _print(results)


# Showdowns.


def showdowns(seconds: float) -> dict[str, Any]:
    """Processor time of the values of one row of showdowns, in microseconds, and its limits.

    Operations count products and sums with floats. The peak is what one core does in a product of
    large matrices of the same kind of numbers.
    """
    hands = load("svara").chain_of_deals().hands
    random = np.random.default_rng(0)
    weights = [random.random((hands.classes, 8 * LANES)) for _ in range(3)]
    # Each hand is added to the sums of its parts three times and read once.
    by_sums = 2 * hands.classes * (4 * hands.part.shape[1] + 1)
    by_matrices = 2 * 3 * hands.classes**2
    rows: dict[str, tuple[float, int, Any]] = {
        "sums": (_sweep_time(hands, weights, seconds), by_sums, np.float64)
    }
    for kind in (np.float64, np.float32):
        spent = _matrices_time(hands, [some.astype(kind) for some in weights], seconds)
        rows[f"matrices, {np.dtype(kind).name}"] = (spent, by_matrices, kind)
    return {
        name: {
            "microseconds": spent * 1e6,
            "operations": operations,
            "gigaflops": operations / spent / 1e9,
            "peak_gigaflops": _peak(kind, seconds) / 1e9,
            "ratio_to_sums": spent / rows["sums"][0],
        }
        for name, (spent, operations, kind) in rows.items()
    }


def _matrices_time(hands: Hands, weights: Sequence[np.ndarray], seconds: float) -> float:
    """Seconds a row."""
    matrices = HandMatrices(hands, kind=weights[0].dtype.type)
    spent = _processor_time(lambda: matrices.values(*weights), seconds)
    return float(spent / weights[0].shape[1])


def _sweep_time(hands: Hands, weights: Sequence[np.ndarray], seconds: float) -> float:
    """Seconds a row."""
    sums = hand_sums(hands)
    lose, tie, win = (aligned(np.zeros(padded(hands.classes) * LANES)) for _ in range(3))
    total = aligned(np.zeros(sums.kinds * LANES))
    for target, some in zip((lose, tie, win), weights, strict=True):
        target[: len(some) * LANES] = some[:, :LANES].ravel()
    return _processor_time(lambda: sweep(sums, False, lose, tie, win, total), seconds) / LANES


def _processor_time(work: Any, seconds: float) -> float:
    """Processor time of one call, of all threads together: the least of several stretches."""
    work()
    best = np.inf
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start, calls = time.process_time(), 0
        while time.process_time() - start < seconds / 10:
            work()
            calls += 1
        best = min(best, (time.process_time() - start) / calls)
    return float(best)


def _peak(kind: Any, seconds: float) -> float:
    """Operations a second of one core in a product of large matrices."""
    n = 1024
    a = np.ones((n, n), kind)
    return 2.0 * n**3 / _processor_time(lambda: a @ a, seconds)


# Threads.


def threads(seconds: float) -> dict[str, float]:
    """Iterations a second of plain Svara, in turn, medians of five."""
    problem = ChainProblem(load("svara"), MEMORY)
    solvers = [new_solver(problem, n) for n in (1, 2)]
    rates: list[list[float]] = [[], []]
    for _ in range(5):
        for solver, some in zip(solvers, rates, strict=True):
            before = solver.progress()
            solver.run(seconds=seconds / 5)
            after = solver.progress()
            some.append((after.iteration - before.iteration) / (after.seconds - before.seconds))
    one, two = median(rates[0]), median(rates[1])
    return {"one": one, "two": two, "ratio": two / one}


# Presets.


def _preset(name: str, options: Options) -> list[dict[str, Any]]:
    goals = QUICK_GOALS.get(name, ()) if options.quick else GOALS[name]
    game = chosen_game("svara", [f"{k}={v}" for k, v in PRESETS[name].items()])
    start = time.perf_counter()
    problem = ChainProblem(game, MEMORY)
    solver = new_solver(problem, options.threads)
    assert isinstance(solver, VectorCfr)
    rows = []
    for goal, allowed in goals:
        note(f"{name} to {goal:g} antes ...", options.quiet)
        result = solve_until(problem, solver, goal)
        wall = time.perf_counter() - start
        deals = solver.evaluate()
        rows.append(
            {
                "preset": name,
                "game": str(game),
                "deals": len(problem.chain.deals),
                "nodes": problem.nodes,
                "information_sets": problem.information_sets,
                "bytes": problem.bytes,
                "threads": options.threads,
                "goal": goal,
                "exploitability": result.exploitability / problem.big_unit,
                "value": result.values[0] / problem.big_unit,
                "iterations": solver.iteration,
                "seconds": solver.seconds,
                "wall_seconds": wall,
                "residual": float(np.abs(solver.values.T - deals.values).max()),
                "largest_gain_of_a_deal": float((deals.best_values - deals.values).max()),
                "seconds_allowed": allowed,
                "met": wall <= allowed,
            }
        )
    return rows


# Abstractions.


def _abstraction(name: str, options: Options) -> dict[str, Any]:
    note(f"the abstraction {name} ...", options.quiet)
    problem = ChainProblem(load(f"svara(abstraction={name})"), MEMORY)
    solver = new_solver(problem, 1)
    inside = solve_until(problem, solver, 1e-3 if options.quick else ABSTRACTION_GOAL)
    result = problem.bot(solver)[2]
    return {
        "abstraction": name,
        "information_sets": problem.information_sets,
        "exploitability_in_it": inside.exploitability / problem.big_unit,
        "exploitability": result.exploitability / problem.big_unit,
        "gains": result.gains / problem.big_unit,
        "iterations": solver.iteration,
        "seconds": solver.seconds,
    }


# Players.


def _players(agents: Sequence[Agent], options: Options) -> list[dict[str, Any]]:
    """Each against its best response, and against the first that is the solution."""
    game = load("svara")
    hands = QUICK_HANDS if options.quick else HANDS
    form = ChainForm(game.chain_of_deals())
    rows = []
    for agent in agents:
        note(f"{agent.name}: exploitability, best response, match ...", options.quiet)
        strategy, _ = deal_strategy_of(agent, form.chain)
        evaluation = evaluate_chain(form, strategy)
        response = Bot(
            "best response",
            game.with_parameters(abstraction="hands"),
            chart_of(form.chain, evaluation.responses),
            None,
        )
        row: dict[str, Any] = {
            "player": agent.name,
            "exploitability": evaluation.game.exploitability,
            "gains": evaluation.game.gains,
            "best_response": _winnings(response, agent, game, hands, options.seed),
        }
        row["agrees"] = _inside(1000.0 * row["exploitability"], row["best_response"])
        rows.append(row)
    solution = find_agent(SOLUTION)
    for agent, row in zip(agents, rows, strict=True):
        if agent.name != SOLUTION:
            note(f"{SOLUTION} against {agent.name} ...", options.quiet)
            row["solution"] = _winnings(solution, agent, game, hands, options.seed)
    return rows


SOLUTION = "svara-home"
"""The solution that comes with the package."""


def _winnings(agent: Agent, other: Agent, game: Game, hands: int, seed: int) -> dict[str, Any]:
    start = time.perf_counter()
    result = play_match([agent, other], game, hands, seed)
    player: PlayerResult = result.players[0]
    return {
        "hands": result.hands,
        "mbb_per_hand": player.score.mbb_per_hand,
        "ci95": player.score.ci95,
        "hands_per_second": result.hands / (time.perf_counter() - start),
    }


def _inside(value: float, match: dict[str, Any]) -> bool:
    low, high = match["ci95"]
    return bool(low <= value <= high)


# What is printed.


def _print(results: dict[str, Any]) -> None:
    if "showdowns" in results:
        _print_showdowns(results["showdowns"])
    if "threads" in results:
        row = results["threads"]
        cells = [(f"{row['one']:.1f}", f"{row['two']:.1f}", f"{row['ratio']:.2f}")]
        print_table("Iterations a second, svara", ("one thread>", "two>", "ratio>"), cells)
    if "presets" in results:
        _print_presets(results["presets"])
    if "abstractions" in results:
        _print_abstractions(results["abstractions"])
    if "players" in results:
        _print_players(results["players"])


def _print_showdowns(rows: dict[str, Any]) -> None:
    cells = [
        (
            name,
            f"{row['microseconds']:.2f}",
            f"{row['ratio_to_sums']:.1f}",
            f"{row['operations'] / 1e6:.3g}",
            f"{row['gigaflops']:.1f}",
            f"{row['gigaflops'] / row['peak_gigaflops']:.0%}",
        )
        for name, row in rows.items()
    ]
    columns = ("showdowns of a row", "µs>", "ratio>", "million operations>", "GFLOP/s>", "of peak>")
    print_table("1,192 classes of hands, processor time", columns, cells)


def _print_presets(rows: Sequence[dict[str, Any]]) -> None:
    cells = [
        (
            row["preset"],
            f"{row['goal']:g}",
            f"{row['exploitability']:.3g}",
            f"{row['value']:+.5f}",
            f"{row['residual']:.1e}",
            f"{row['iterations']:,}",
            f"{row['seconds']:.1f}",
            f"{row['wall_seconds']:.1f} of {row['seconds_allowed']:g}",
        )
        for row in rows
    ]
    columns = (
        *("preset", "goal>", "reached>", "value>", "residual>"),
        *("iterations>", "solving, s>", "in all, s>"),
    )
    threads = rows[0]["threads"] if rows else 1
    title = f"Exploitability and value in antes a hand, {DEFAULT_ALGORITHM}, {threads} threads"
    print_table(title, columns, cells)


def _print_abstractions(rows: Sequence[dict[str, Any]]) -> None:
    cells = [
        (
            row["abstraction"],
            f"{row['information_sets']:,}",
            f"{row['exploitability_in_it']:.2g}",
            f"{row['exploitability']:.5f}",
            f"{row['seconds']:.1f}",
        )
        for row in rows
    ]
    columns = ("abstraction", "sets>", "exploitability in it>", "in the whole game>", "seconds>")
    print_table("What abstractions lose, antes a hand", columns, cells)


def _print_players(rows: Sequence[dict[str, Any]]) -> None:
    cells = []
    for row in rows:
        response, match = row["best_response"], row.get("solution")
        cells.append(
            (
                row["player"],
                f"{1000 * row['exploitability']:.3f}",
                _interval(response),
                "yes" if row["agrees"] else "NO",
                "" if match is None else _interval(match),
                "" if match is None else f"{match['hands_per_second']:,.0f}",
            )
        )
    columns = (
        *("player", "exploitability>", "its best response wins>", "agrees"),
        *(f"{SOLUTION} wins>", "hands/s>"),
    )
    hands = f"{rows[0]['best_response']['hands']:,}" if rows else "0"
    print_table(f"Milli-antes a hand, {hands} duplicate hands, 95 % intervals", columns, cells)


def _interval(match: dict[str, Any]) -> str:
    low, high = match["ci95"]
    return f"{match['mbb_per_hand']:+.2f} ± {(high - low) / 2:.2f}"
