"""`pokerspiel bench reference`: the published figures of full-tree algorithms, reproduced.

The last digit of a sum matters here: in CFR on Leduc poker a change of it grows tenfold in every 80
iterations or so, and where actions are exactly tied it decides which of them is played. So each
algorithm is also run on the same game with all payoffs multiplied by a constant: in exact
arithmetic that is the same run, and only the rounding differs. The *spread* is the range of the
figures so found, as fractions of the payoffs. A published figure inside it is one draw from it,
just as ours is; of n draws from one distribution and another, this one lies outside their range
with probability 2 / (n + 1).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np

from pokerspiel.experiments.machine import machine, versions
from pokerspiel.experiments.output import print_json, print_table
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.solvers.best_response import Evaluator
from pokerspiel.solvers.catalogue import Plan, new_solver
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import TreeSolver

SAME = 0.05
"""Relative difference from a figure that is published with two digits, at most."""
ZERO = 1e-12
"""An exploitability below this is the rounding of zero; so are the figures published as zero."""
DIGITS = 1e-6
"""Relative difference from a figure that is published with six digits or more, at most."""
SCALES = (1 / 3, 0.7, 0.9, 1.1, 3.0, 7.0, 1 / 7)
"""Constants that payoffs are multiplied by; more are drawn where the figures differ."""
SPREAD = "within the spread of rounding"
"""The verdict on a figure that differs from the published one by rounding only."""

ALGORITHMS = ("cfr", "cfr+", "lcfr", "dcfr", "dcfr+", "pcfr+", "pdcfr+", "hs-dcfr", "hs-pcfr+")


@dataclass(frozen=True)
class Reference:
    """What is published about one game: exploitability, NashConv / 2, in units of its returns."""

    name: str
    game: str
    nodes: int
    information_sets: int
    figures: tuple[float | None, ...]
    """By algorithm, in the order of ALGORITHMS, players updated in turn; None: not published."""
    iterations: int = 1000
    draws: int = 100
    """Runs with other rounding where our figure is not the published one."""
    quick: bool = False
    """Whether it is measured with --quick."""


GOOFSPIEL = "goofspiel(imp_info=True,num_cards=4,points_order=descending,returns_type=win_loss)"
BATTLESHIP = (
    "battleship(board_width=2,board_height=2,num_shots=3,ship_sizes=[2],ship_values=[2],"
    "allow_repeated_shots=False,loss_multiplier=1.0)"
)
"""A ship worth 2, and no more lost than won: worth 1, or with more to lose, figures do not fit."""

REFERENCES = (
    Reference(
        *("Kuhn poker", "kuhn_poker", 58, 12),
        (9.4e-4, 8.7e-5, 9.4e-5, 1.5e-4, 1.1e-4, 2.4e-8, 1.1e-13, 3.8e-4, 0.0),
        quick=True,
    ),
    Reference(
        *("Leduc poker", "leduc_poker", 9457, 936),
        (1.18e-2, 2.4e-4, 5.4e-3, 1.8e-4, 1.7e-4, 7.1e-4, 9.0e-4, 5.2e-4, 9.6e-4),
        quick=True,
    ),
    Reference(
        *("Goofspiel, 4 cards", f"turn_based_simultaneous_game(game={GOOFSPIEL})", 1077, 162),
        (7.9e-3, 2.7e-4, 4.2e-3, 4.1e-4, 7.7e-5, 1.0e-7, 4.8e-12, 1.1e-4, 0.0),
        quick=True,
    ),
    Reference(
        *("Liar's dice, 4 sides", "liars_dice(dice_sides=4)", 8181, 1024),
        (1.7e-3, 4.5e-5, 5.4e-4, 2.6e-5, 1.3e-5, 1.5e-6, 2.1e-10, 2.3e-4, 0.0),
        quick=True,
    ),
    Reference(
        *("Liar's dice, 5 sides", "liars_dice(dice_sides=5)", 51181, 5120),
        (2.0e-3, 4.6e-5, 6.1e-4, 1.7e-5, 2.2e-5, 1.8e-4, 4.5e-5, 1.6e-4, 5.8e-5),
        draws=60,
    ),
    Reference(
        *("Battleship, 2 by 2, 3 shots", BATTLESHIP, 10069, 3286),
        (6.4e-3, 2.6e-3, 2.2e-3, 2.1e-3, 2.5e-3, 1.5e-5, 3.5e-6, 1.4e-2, 4.2e-5),
        draws=60,
    ),
    Reference(
        *("Liar's dice, 6 sides", "liars_dice", 294883, 24576),
        (5.0e-3, 5.1e-4, None, 4.5e-4, None, 8.2e-4, 8.9e-4, None, None),
        iterations=500,
        draws=20,
    ),
)

VALUES = (
    ("Kuhn poker", "kuhn_poker", -1 / 18, 0.0),
    ("Leduc poker", "leduc_poker", -0.085606, 5e-7),
)
"""Values to the first player, and half a unit of the last digit published."""
VALUE_ALGORITHMS = ("pcfr+", "dcfr")
VALUE_GOAL, VALUE_ITERATIONS = 1e-6, 500_000
"""Exploitability at which a value is read, and iterations after which it is given up."""

OPENSPIEL_GAME = "leduc_poker"
OPENSPIEL_CFR = ((101, 0.0939493), (1000, 0.0118178))
"""Iterations and exploitability of OpenSpiel's CFR in Leduc poker."""


def run(quick: bool, json: bool, quiet: bool) -> None:
    start = time.perf_counter()
    references = [reference for reference in REFERENCES if reference.quick or not quick]
    with ProgressReport("reference", quiet) as report:
        games = list(_with_progress(references, report))
        report.show(None, "values")
        values = [
            measure_value(*row, algorithm) for row in VALUES for algorithm in VALUE_ALGORITHMS
        ]
        report.show(None, "OpenSpiel's CFR")
        openspiel = compare_with_openspiel(OPENSPIEL_CFR[:1] if quick else OPENSPIEL_CFR)
    document = {
        "games": games,
        "values": values,
        "openspiel": openspiel,
        "verdicts": count_verdicts(games),
        "seconds": time.perf_counter() - start,
        "machine": machine(),
        "versions": versions(),
    }
    if json:
        print_json(document)
    else:
        print_document(document)


def _with_progress(
    references: Sequence[Reference], report: ProgressReport
) -> Iterator[dict[str, Any]]:
    for i, reference in enumerate(references):

        def show(share: float, text: str, done: int = i) -> None:
            report.show((done + share) / len(references), text)

        yield measure_game(reference, show)


# The table of figures.


def measure_game(
    reference: Reference, show: Callable[[float, str], None] = lambda share, text: None
) -> dict[str, Any]:
    """Every algorithm on one game: our figure, the published one, the spread and the verdict."""
    tree = compile_tree(reference.game)
    evaluator = Evaluator(tree)
    rows = []
    for i, (name, published) in enumerate(zip(ALGORITHMS, reference.figures, strict=True)):
        show(i / len(ALGORITHMS), f"{reference.name}, {name}")
        rows.append(measure_algorithm(tree, evaluator, name, published, reference))
    counted = (tree.nodes, tree.information_sets)
    return {
        "name": reference.name,
        "game": reference.game,
        "iterations": reference.iterations,
        "nodes": tree.nodes,
        "information_sets": tree.information_sets,
        "same_tree": counted == (reference.nodes, reference.information_sets),
        "algorithms": rows,
    }


def measure_algorithm(
    tree: Tree, evaluator: Evaluator, name: str, published: float | None, reference: Reference
) -> dict[str, Any]:
    start = time.perf_counter()
    ours = figure(tree, evaluator, name, reference.iterations, 1.0)
    differs = published is not None and not is_same(ours, published)
    draws = [
        figure(tree, evaluator, name, reference.iterations, scale)
        for scale in scales(reference.draws if differs else len(SCALES))
    ]
    figures = [ours, *draws]
    return {
        "algorithm": name,
        "ours": ours,
        "published": published,
        "low": min(figures),
        "median": median(figures),
        "high": max(figures),
        "share_below_published": None
        if published is None
        else sum(draw < published for draw in draws) / len(draws),
        "draws": len(draws),
        "verdict": verdict(ours, published, min(figures), max(figures)),
        "seconds": time.perf_counter() - start,
    }


def scales(draws: int) -> list[float]:
    """The constants of SCALES and, up to the number wanted, others between 1/8 and 8."""
    luck = np.random.default_rng(0)
    more = np.exp2(luck.uniform(-3.0, 3.0, max(draws - len(SCALES), 0)))
    return [*SCALES, *more.tolist()][:draws]


def figure(tree: Tree, evaluator: Evaluator, name: str, iterations: int, scale: float) -> float:
    """Exploitability after a run on the tree with its returns multiplied by `scale`.

    It is that of the strategy on `tree` itself, by the tree's evaluator.
    """
    scaled = replace(tree, returns=tree.returns * scale)
    solver = new_solver(scaled, name, Plan(horizon=iterations))
    solver.run(iterations)
    return evaluator.exploitability(solver.average_strategy())


def is_same(ours: float, published: float) -> bool:
    """Whether they are equal within the digits published."""
    return abs(ours - published) <= (ZERO if published == 0.0 else SAME * published)


def verdict(ours: float, published: float | None, low: float, high: float) -> str:
    """What to say of our figure, given what is published and the spread from `low` to `high`."""
    if published is None:
        return ""
    if is_same(ours, published):
        return "same"
    if low * (1.0 - SAME) <= published <= high * (1.0 + SAME):
        return SPREAD
    return "better" if ours < published else "NO"


def count_verdicts(games: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How often each verdict is given on the published figures."""
    given = [row["verdict"] for game in games for row in game["algorithms"]]
    return {word: given.count(word) for word in ("same", SPREAD, "better", "NO")}


# Single figures.


def measure_value(
    name: str, game: str, published: float, half_digit: float, algorithm: str
) -> dict[str, Any]:
    """The value of a game to its first player, by a run down to VALUE_GOAL.

    It lies between what both players are sure of, so it is known to the sum of the gains.
    """
    tree = compile_tree(game)
    solver = new_solver(tree, algorithm)
    evaluator = Evaluator(tree)
    result = evaluator.evaluate(solver.average_strategy())
    while result.exploitability > VALUE_GOAL and solver.iteration < VALUE_ITERATIONS:
        solver.run(max(100, solver.iteration // 4))
        result = evaluator.evaluate(solver.average_strategy())
    ours = float(result.values[0])
    close = abs(ours - published) <= result.nash_conv + half_digit
    return {
        "name": name,
        "algorithm": algorithm,
        "iterations": solver.iteration,
        "exploitability": result.exploitability,
        "ours": ours,
        "published": published,
        "verdict": "same" if close and result.exploitability <= VALUE_GOAL else "NO",
    }


def compare_with_openspiel(rows: Sequence[tuple[int, float]]) -> list[dict[str, Any]]:
    """CFR here and in OpenSpiel's C++, by OpenSpiel's own exploitability, and as published."""
    import pyspiel

    tree = compile_tree(OPENSPIEL_GAME)
    evaluator = Evaluator(tree)
    solver: TreeSolver = new_solver(tree, "cfr")
    game = pyspiel.load_game(OPENSPIEL_GAME)
    theirs = pyspiel.CFRSolver(game)
    results = []
    for iterations, published in rows:
        for _ in range(iterations - solver.iteration):
            theirs.evaluate_and_update_policy()
        solver.run(iterations - solver.iteration)
        ours = evaluator.exploitability(solver.average_strategy())
        drawn = [figure(tree, evaluator, "cfr", iterations, scale) for scale in SCALES]
        policy = theirs.tabular_average_policy()
        openspiel = float(pyspiel.nash_conv(game, policy)) / 2
        low, high = min(ours, *drawn), max(ours, *drawn)
        results.append(
            {
                "iterations": iterations,
                "ours": ours,
                "openspiel": openspiel,
                "published": published,
                "relative_difference": ours / openspiel - 1.0,
                "low": low,
                "high": high,
                "verdict": digits_verdict(ours, openspiel, low, high),
            }
        )
    return results


def digits_verdict(ours: float, theirs: float, low: float, high: float) -> str:
    """The verdict on a figure that should agree in all its digits."""
    if abs(ours / theirs - 1.0) <= DIGITS:
        return "same"
    return SPREAD if low <= theirs <= high else "NO"


# The report.


def print_document(document: dict[str, Any]) -> None:
    for game in document["games"]:
        rows = [
            (
                row["algorithm"],
                _short(row["ours"]),
                "" if row["published"] is None else _short(row["published"]),
                f"{_short(row['low'])} to {_short(row['high'])}",
                row["verdict"],
            )
            for row in game["algorithms"]
        ]
        tree = f"{game['nodes']:,} nodes, {game['information_sets']:,} information sets"
        tree += "" if game["same_tree"] else ", NOT the published tree"
        title = f"{game['name']} ({tree}), {game['iterations']:,} iterations"
        columns = ("algorithm", "ours>", "published>", "spread of rounding", "verdict")
        print_table(title, columns, rows)
    print_table(
        "Values to the first player",
        ("game", "algorithm", "iterations>", "exploitability>", "ours>", "published>", "verdict"),
        [
            (
                *(row["name"], row["algorithm"], f"{row['iterations']:,}"),
                f"{row['exploitability']:.1e}",
                *(f"{row['ours']:+.8f}", f"{row['published']:+.8f}", row["verdict"]),
            )
            for row in document["values"]
        ],
    )
    print_table(
        "CFR in Leduc poker, here and in OpenSpiel",
        ("iterations>", "ours>", "OpenSpiel>", "published>", "difference>", "verdict"),
        [
            (
                f"{row['iterations']:,}",
                *(f"{row[name]:.9f}" for name in ("ours", "openspiel")),
                f"{row['published']:g}",
                f"{row['relative_difference']:.0e}",
                row["verdict"],
            )
            for row in document["openspiel"]
        ],
    )
    counts = ", ".join(f"{n} {word}" for word, n in document["verdicts"].items())
    print(f"published figures: {counts}")
    print(f"exploitability: NashConv / 2, in units of the returns; {document['seconds']:.0f} s")


def _short(value: float) -> str:
    return "0" if abs(value) < 1e-15 else f"{value:.2e}"
