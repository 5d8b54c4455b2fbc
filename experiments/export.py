"""`pokerspiel export`: the average strategy of a run of `train` or `solve` as a bot file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pokerspiel.agents.bot_file import Manifest, save_bot
from pokerspiel.experiments.options import bytes_text
from pokerspiel.experiments.output import note, print_json
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.experiments.solve import load_solver, read_plan
from pokerspiel.experiments.train import ALGORITHM, check_versions, load_state
from pokerspiel.games import variants
from pokerspiel.games.variants import Game
from pokerspiel.solvers.best_response import EXPLOITABILITY, evaluate
from pokerspiel.solvers.blueprint import average_blueprint
from pokerspiel.solvers.mccfr import MccfrState
from pokerspiel.solvers.strategies import blueprint_of, strategy_from_blueprint


def run(path: Path, out: Path, name: str | None, json: bool, quiet: bool) -> None:
    folder = RunFolder(path)
    bot = _solved_bot(folder, out, name) if folder.solved else _trained_bot(folder, out, name)
    if json:
        print_json({"bot": str(out), **vars(bot)})
    else:
        note(
            f"{out}: {bot.game}, {bot.information_sets:,} information sets, "
            f"{bytes_text(out.stat().st_size)}",
            quiet,
        )


def _trained_bot(folder: RunFolder, out: Path, name: str | None) -> Manifest:
    manifest = folder.manifest()
    game = variants.load(str(manifest.get("game")))
    check_versions(manifest, game, folder.path)
    return write_bot(out, game, load_state(folder, None), name)


def _solved_bot(folder: RunFolder, out: Path, name: str | None) -> Manifest:
    """Write the strategy of a run of `solve`; the file says how exploitable it is."""
    plan = read_plan(folder)
    solver = load_solver(folder, plan)
    tree = solver.tree
    blueprint = blueprint_of(tree, solver.average_strategy())
    result = evaluate(tree, strategy_from_blueprint(tree, blueprint)[0])
    return save_bot(
        out,
        plan.game,
        blueprint,
        algorithm=plan.algorithm + (", simultaneous" if plan.simultaneous else ""),
        seed=plan.seed,
        iterations=solver.iteration,
        nodes=solver.nodes,
        seconds=solver.seconds,
        name=name,
        strength={
            "exploitability": result.exploitability / tree.big_unit,
            "unit": tree.unit,
            "definition": EXPLOITABILITY,
        },
    )


def write_bot(
    out: Path,
    game: Game,
    state: MccfrState,
    name: str | None = None,
    strength: Mapping[str, Any] | None = None,
) -> Manifest:
    """Write the average strategy of a solver's state for `game` to a bot file."""
    blueprint = average_blueprint(state.table)
    if len(blueprint.keys) == 0:
        raise ValueError("nothing has been learnt yet: train longer")
    return save_bot(
        out,
        game,
        blueprint,
        algorithm=ALGORITHM,
        seed=state.seed,
        iterations=state.iteration,
        nodes=state.nodes,
        seconds=state.seconds,
        name=name,
        strength=strength,
    )
