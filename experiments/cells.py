"""One cell of the grid: an algorithm on a game until its budget is spent, measured on the way.

On a game whose tree fits into memory, exploitability is exact and points are spaced evenly on a
logarithmic axis of iterations. A larger game of ours is left to the sampled solver of the kernel
and to neural algorithms, and measured by matches against `equity`, which bound nothing.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from pokerspiel.experiments.budget import Budget, Standing, spaced, spend
from pokerspiel.experiments.results import MATCH, MISSING, REFUSED, Point, Run
from pokerspiel.experiments.rivals import RIVALS, MissingError, Rival
from pokerspiel.games import variants
from pokerspiel.games.variants import VARIANTS, Game
from pokerspiel.solvers.algorithms import DISCOUNTING, Linear
from pokerspiel.solvers.best_response import Evaluator
from pokerspiel.solvers.catalogue import ALGORITHMS, DEFAULT_HORIZON, Plan, new_solver
from pokerspiel.solvers.compile_tree import compile_tree, load_spiel_game
from pokerspiel.solvers.mirror_descent import Magnet
from pokerspiel.solvers.neural import catalogue
from pokerspiel.solvers.neural.catalogue import NEURAL
from pokerspiel.solvers.sampling_schemes import SAMPLED
from pokerspiel.solvers.solver import Solver
from pokerspiel.solvers.tree import Tree, TreeError, TreeTooLargeError

KERNEL_ALGORITHM = "external-sampling-linear"
"""What solves games whose tree is too large."""
OPPONENT = "equity"
MATCH_HANDS, MATCH_SEED = 40_000, 1

POINTS_A_DECADE = 6
NEURAL_POINTS_A_DECADE = 4
RIVAL_POINTS_A_DECADE = 3
"""Fewer, because reading another package's policy takes a while."""


@dataclass(frozen=True)
class Choice:
    """A game of the grid."""

    label: str
    """As it was asked for."""
    game: str
    """Canonical game string."""
    rule_version: int = 0
    """0 where the rules are OpenSpiel's."""
    abstraction: str = ""


def choose(text: str) -> Choice:
    """The game of a text; ValueError, in one line, if there is none."""
    label = text.strip()
    if label.partition("(")[0].strip() in VARIANTS:
        game = variants.load(label)
        return Choice(label, str(game), game.rule_version, game.abstraction)
    try:
        return Choice(label, str(load_spiel_game(label)))
    except TreeError:
        return Choice(label, label)


def known_algorithms() -> list[str]:
    """All names of the grid's algorithms, the rivals' last."""
    return list(dict.fromkeys([*ALGORITHMS, KERNEL_ALGORITHM, *NEURAL, *RIVALS]))


def updates_alternate(algorithm: str, asked: bool) -> bool:
    """Whether an algorithm updates players one after the other, where `asked` is what is wished."""
    if algorithm in RIVALS:
        return RIVALS[algorithm].alternating
    if algorithm in DISCOUNTING or algorithm == "xfp":
        return asked
    return algorithm not in ("mmd", *NEURAL)


@dataclass(frozen=True)
class Cell:
    """What is to be run."""

    choice: Choice
    algorithm: str
    seed: int
    alternating: bool
    budget: Budget

    @property
    def sampled(self) -> bool:
        """Whether another seed gives another run."""
        if self.algorithm in RIVALS:
            return RIVALS[self.algorithm].sampled
        return self.algorithm not in ALGORITHMS or ALGORITHMS[self.algorithm].sampled

    @property
    def has_kernel(self) -> bool:
        """Whether it can be solved without a tree."""
        return self.algorithm in (KERNEL_ALGORITHM, *NEURAL) and self.choice.rule_version > 0

    def blank(self) -> Run:
        """Its row, before anything is measured."""
        run = Run(
            game=self.choice.game,
            label=self.choice.label,
            rule_version=self.choice.rule_version,
            abstraction=self.choice.abstraction,
            algorithm=self.algorithm,
            seed=self.seed,
            alternating=self.alternating,
            budget=str(self.budget),
            sampled=self.sampled,
        )
        if self.algorithm in RIVALS:
            rival = RIVALS[self.algorithm]
            return replace(run, paper=rival.paper, program=_with_version(rival))
        rows: list[Mapping[str, Any]] = [ALGORITHMS, SAMPLED, NEURAL]
        paper = next(row[self.algorithm].paper for row in rows if self.algorithm in row)
        return replace(run, paper=paper, program=f"pokerspiel {version('pokerspiel')}")


def _with_version(rival: Rival) -> str:
    try:
        return f"{rival.program} {version(rival.package)}"
    except PackageNotFoundError:
        return rival.program


class UnsuitableError(ValueError):
    """A cell that cannot be: the algorithm does not fit the game, or the budget."""


def prepare(cells: Sequence[Cell]) -> dict[Cell, str]:
    """Compile the kernels and trees of cells, once for all; gives those that cannot be, and why."""
    refused: dict[Cell, str] = {}
    for choice in dict.fromkeys(cell.choice for cell in cells):
        its = [cell for cell in cells if cell.choice == choice]
        try:
            compile_tree(choice.game)
        except TreeError as error:
            large = isinstance(error, TreeTooLargeError)
            refused |= {cell: str(error) for cell in its if not (large and cell.has_kernel)}
            its = [cell for cell in its if cell not in refused][:1]
        for cell in {cell.algorithm: cell for cell in its}.values():
            if cell.algorithm not in RIVALS:
                # What is wrong with a cell is for its own process to say.
                with contextlib.suppress(Exception):
                    measure_cell(replace(cell, budget=Budget(iterations=1)))
    return refused


def measure_cell(cell: Cell) -> Run:
    """Run a cell; the row says so if it cannot be. Anything else that goes wrong is raised."""
    try:
        return _measure(cell)
    except MissingError as error:
        return replace(cell.blank(), status=MISSING, message=str(error))
    except (TreeError, UnsuitableError) as error:
        return replace(cell.blank(), status=REFUSED, message=str(error))


def _measure(cell: Cell) -> Run:
    try:
        tree = compile_tree(cell.choice.game)
    except TreeTooLargeError as error:
        if not cell.has_kernel:
            raise
        return _measure_by_matches(cell, str(error))
    if cell.algorithm in RIVALS:
        return _measure_rival(cell, tree)
    if cell.algorithm in NEURAL:
        return _measure_neural(cell, tree)
    return _measure_solver(cell, tree)


def _measure_neural(cell: Cell, tree: Tree) -> Run:
    from pokerspiel.agents.bot_file import Bot
    from pokerspiel.agents.exact_strategy import strategy_of

    if cell.choice.rule_version == 0:
        raise UnsuitableError(f"{cell.algorithm} learns the games of this package only")
    game = variants.load(cell.choice.game)
    solver = neural_solver(cell, game)
    return _measured(
        cell,
        tree,
        spend(solver.run, lambda: _standing(solver), cell.budget, spaced(NEURAL_POINTS_A_DECADE)),
        lambda: strategy_of(Bot("learner", game, solver.policy(), None), tree)[0],
        vars(solver.options),
    )


def neural_solver(cell: Cell, game: Game) -> Any:
    """A neural algorithm at its start, on one thread of the processor."""
    try:
        return catalogue.new_solver(game, cell.algorithm, seed=cell.seed, device="cpu")
    except ValueError as error:
        raise UnsuitableError(str(error)) from None


def _measure_solver(cell: Cell, tree: Tree) -> Run:
    scheduled = ALGORITHMS[cell.algorithm].scheduled if cell.algorithm in ALGORITHMS else False
    horizon = _horizon(cell, tree)
    budget = replace(cell.budget, iterations=horizon) if scheduled else cell.budget
    plan = Plan(seed=cell.seed, alternating=cell.alternating, horizon=horizon)
    try:
        solver = new_solver(tree, cell.algorithm, plan)
    except ValueError as error:
        raise UnsuitableError(str(error)) from None
    parameters = _parameters(cell.algorithm)
    if scheduled:
        parameters["horizon"] = horizon
    return _measured(
        cell,
        tree,
        spend(solver.run, lambda: _standing(solver), budget, spaced(POINTS_A_DECADE)),
        solver.average_strategy,
        parameters,
    )


def _standing(solver: Solver) -> Standing:
    return Standing(solver.iteration, solver.nodes, solver.seconds)


def _horizon(cell: Cell, tree: Tree) -> int:
    """Iterations that algorithms with a schedule plan for: as many as the budget allows."""
    if cell.budget.iterations is not None:
        return cell.budget.iterations
    if cell.budget.nodes is not None:
        passes = tree.players if cell.alternating else 1
        return max(cell.budget.nodes // (passes * tree.nodes), 1)
    return DEFAULT_HORIZON


def _parameters(algorithm: str) -> dict[str, Any]:
    """The numbers of the algorithm's row of data, infinite ones as text."""
    rows: dict[str, Any] = {**DISCOUNTING, **SAMPLED, "mmd": Magnet()}
    numbers = vars(rows[algorithm]) if algorithm in rows else {}
    return {name: _number(value) for name, value in numbers.items() if name != "paper"}


def _number(value: Any) -> Any:
    if isinstance(value, Linear):
        return f"{value.at:g} {value.slope:+g} t/T"
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _measure_rival(cell: Cell, tree: Tree) -> Run:
    rival = RIVALS[cell.algorithm]
    if rival.sampled and cell.budget == Budget(nodes=cell.budget.nodes):
        raise UnsuitableError(f"{rival.program} counts no nodes: add seconds or iterations")
    solver = rival.make(cell.choice.label, cell.seed)

    def standing() -> Standing:
        nodes = None if rival.sampled else rival.passes * tree.nodes * solver.iteration
        return Standing(solver.iteration, nodes, solver.seconds)

    return _measured(
        cell,
        tree,
        spend(solver.run, standing, cell.budget, spaced(RIVAL_POINTS_A_DECADE)),
        lambda: solver.average_strategy(tree),
        {},
    )


def _measured(
    cell: Cell,
    tree: Tree,
    stops: Iterator[Standing],
    strategy: Callable[[], np.ndarray],
    parameters: dict[str, Any],
) -> Run:
    """The row of a run on a tree, with the exact figures at each stop."""
    evaluator = Evaluator(tree)
    points = []
    for at in stops:
        found = evaluator.evaluate(strategy())
        if not math.isfinite(found.nash_conv):
            raise ArithmeticError(f"no number after {at.iterations:,} iterations")
        points.append(
            Point(
                at.iterations,
                at.nodes,
                at.seconds,
                exploitability=found.exploitability / tree.big_unit,
                nash_conv=found.nash_conv / tree.big_unit,
                value=float(found.values[0]) / tree.big_unit,
            )
        )
    if not points:
        raise UnsuitableError(f"not one iteration in {cell.budget}")
    return replace(
        cell.blank(),
        parameters=parameters,
        unit=tree.unit,
        tree_nodes=tree.nodes,
        information_sets=tree.information_sets,
        points=tuple(points),
    )


def _measure_by_matches(cell: Cell, reason: str) -> Run:
    """The row of a game without a tree."""
    from pokerspiel.experiments.cell_matches import learner, match_points

    game = variants.load(cell.choice.game)
    if game.players != 2:
        raise UnsuitableError(f"{reason}; matches are measured heads-up only")
    return replace(
        cell.blank(),
        parameters={"opponent": OPPONENT, "hands": MATCH_HANDS, "deals_from_seed": MATCH_SEED},
        measure=MATCH,
        unit=game.limits.unit,
        points=tuple(match_points(learner(cell, game), game, cell.budget)),
        message=f"{reason}; no exploitability, and no bound on it",
    )
