"""Bounds and abstractions on a small Sviten game, where everything is known exactly.

`bounds`: bots of very different strength, what a best response wins from each of them, and how
much of it is found by the ways that serve games which are too large for that.

`abstraction`: what buckets tell of hands, and what an equilibrium of the abstract game loses in the
whole game, for several numbers of buckets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.best_responder import trained_values
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.exact_strategy import strategy_of
from pokerspiel.agents.local_best_response import local_values
from pokerspiel.experiments.kept_rows import KeptRows, Row
from pokerspiel.experiments.output import note
from pokerspiel.games.abstraction import cluster_build, cluster_file, cluster_measure
from pokerspiel.games.abstraction.cluster_build import OnProgress
from pokerspiel.games.abstraction.clusters import MOMENTS
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.best_response import Evaluator
from pokerspiel.solvers.blueprint import average_blueprint
from pokerspiel.solvers.chart import average_chart
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.mccfr import Mccfr
from pokerspiel.solvers.tree import Tree

SMALL_GAME = "mini_sviten"
GOAL = 0.01
"""Big blinds a hand: exploitability of the strategy that has learnt longest."""
UNTRAINED = ("random", "always-call")
BOUNDS = ("local", "trained")
"""What is compared with the best response: local best response, and a trained best responder."""
ROUNDING = 1e-9
"""Big blinds by which a bound may lie above the exact value without being wrong."""
SAMPLES = 2000
"""Hands from which the centres of the small game are built."""


def bot_of(name: str, solver: Mccfr) -> Bot:
    """The average strategy of a solver, ready to play."""
    table = solver.state.table
    of_classes = solver.game.classes > 0
    return Bot(name, solver.game, (average_chart if of_classes else average_blueprint)(table), None)


# Bounds.


def bounds(
    rows: KeptRows,
    text: str,
    iterations: Sequence[int],
    responder_iterations: int,
    seed: int,
    quiet: bool,
) -> None:
    """Exact values and bounds for untrained bots, and bots trained for so many iterations."""
    tree = compile_tree(text)
    common = {"game": text, "responder_iterations": responder_iterations, "seed": seed}
    bots: list[tuple[dict[str, Any], Callable[[], CompiledAgent]]] = [
        *(({"bot": name}, BASELINES[name]) for name in UNTRAINED),
        *(({"iterations": n}, partial(_trained, text, n, seed)) for n in iterations),
    ]
    for its, bot in bots:
        measure = partial(_bounds, bot, tree, responder_iterations, seed, quiet)
        rows.row("bounds", {**its, **common}, measure)


def _trained(text: str, iterations: int, seed: int) -> CompiledAgent:
    solver = Mccfr(load(text), seed)
    solver.run(iterations)
    return bot_of(f"MCCFR, {iterations:,} iterations", solver)


def _bounds(
    make: Callable[[], CompiledAgent],
    tree: Tree,
    responder_iterations: int,
    seed: int,
    quiet: bool,
) -> Row:
    """What responses win from a bot, in thousandths of a big blind a hand, exactly."""
    bot = make()
    note(f"{bot.name}: best response and bounds on {tree.game} ...", quiet)
    result = Evaluator(tree).evaluate(strategy_of(bot, tree)[0])
    won = {
        "best_response": result.best_values,
        "local": local_values(bot, tree),
        "trained": trained_values(bot, tree, responder_iterations, seed),
    }
    bounds = np.array([won[name] for name in BOUNDS])
    return {
        "game": tree.game,
        "bot": bot.name,
        "exact": True,
        "exploitability": result.exploitability / tree.big_unit,
        **{name: _in_mbb(values, tree) for name, values in won.items()},
        "responder_iterations": responder_iterations,
        "holds": bool(np.all(bounds <= result.best_values + ROUNDING * tree.big_unit)),
    }


def _in_mbb(values: np.ndarray, tree: Tree) -> Row:
    """What is won in each seat, and the mean of them, in thousandths of a big blind."""
    won = values * 1000.0 / tree.big_unit
    return {"mbb_per_hand": won.mean(), "seats": won}


# Abstractions.


def quality(rows: KeptRows, game: Game, hands: int, seed: int, quiet: bool) -> None:
    """How much the buckets of a game tell of its hands, at every moment."""
    settings = {"game": str(game), "hands": hands, "seed": seed}

    def measure() -> Row:
        note(f"what the buckets of {game} tell ...", quiet)
        found = cluster_measure.measure(game, hands, seed)
        return {"game": str(game), "hands": hands, "moments": [asdict(one) for one in found]}

    rows.row("quality", settings, measure)


def abstraction(
    rows: KeptRows, text: str, buckets: Sequence[int], iterations: int, seed: int, quiet: bool
) -> None:
    """The loss of equilibria in so many buckets a moment, and of training without buckets."""
    tree = compile_tree(text)
    for n in [*buckets, None]:
        settings = {"game": text, "buckets": n, "iterations": iterations, "seed": seed}
        measure = partial(_abstraction, tree, n, iterations, seed, quiet)
        rows.row("abstraction", settings, measure)


def _abstraction(tree: Tree, buckets: int | None, iterations: int, seed: int, quiet: bool) -> Row:
    game = load(tree.game)
    if buckets is not None:
        game = with_buckets(game, dict.fromkeys(MOMENTS, buckets), SAMPLES, seed)
    note(f"{game}: {iterations:,} iterations ...", quiet)
    solver = Mccfr(game, seed)
    solver.run(iterations)
    strategy, missed = strategy_of(bot_of("", solver), tree)
    result = Evaluator(tree).evaluate(strategy)
    return {
        "game": str(game),
        "exact": True,
        "buckets": buckets,
        "information_sets": solver.progress().information_sets,
        "iterations": iterations,
        "exploitability": result.exploitability / tree.big_unit,
        "value": result.values / tree.big_unit,
        "missed": missed,
        "seconds": solver.state.seconds,
    }


def with_buckets(
    game: Game,
    sizes: Mapping[str, int],
    samples: int,
    seed: int,
    on_progress: OnProgress | None = None,
) -> Game:
    """A game in buckets whose centres are built on the spot, known to this process only."""
    name = f"b{max(sizes.values())}"
    centres = cluster_build.build(game, sizes, samples, 1, seed, name, on_progress)
    return game.with_parameters(abstraction="clusters", buckets=cluster_file.bring(centres))
