"""`pokerspiel export`: the strategy of a run of `train` or `solve` as a bot file.

The network of a run, or of a bot file, can also be written for runtimes of ONNX.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pokerspiel.agents.bot_file import Bot, Manifest, load_bot, save_bot
from pokerspiel.agents.stored_tables import content_hash
from pokerspiel.experiments.measured import measured
from pokerspiel.experiments.options import bytes_text
from pokerspiel.experiments.output import note, print_json
from pokerspiel.experiments.run_folder import NEURAL, SOLVED, RunFolder
from pokerspiel.experiments.solve import Plan, load_solver, read_plan
from pokerspiel.experiments.train import ALGORITHM, load_state
from pokerspiel.games.variants import Game
from pokerspiel.solvers.best_response import EXPLOITABILITY
from pokerspiel.solvers.mccfr import MccfrState
from pokerspiel.solvers.network import Network
from pokerspiel.solvers.table import visited_sets

ONNX = ".onnx"
"""What names of files for runtimes of ONNX end with."""


def run(
    path: Path, out: Path, name: str | None, figures: Path | None, json: bool, quiet: bool
) -> None:
    """`figures` is a folder with measurements of the bot, which go into its manifest."""
    if out.suffix == ONNX:
        _export_onnx(path, out, name, figures, quiet)
        return
    folder = RunFolder(path)
    if folder.kind == SOLVED and figures is not None:
        raise ValueError(f"--measured {figures}: the exploitability of a solved run is known")
    if folder.kind == SOLVED:
        bot = _solved_bot(folder, out, name)
    elif folder.kind == NEURAL:
        bot = _neural_bot(folder, out, name, figures)
    else:
        bot = _trained_bot(folder, out, name, figures)
    if json:
        print_json({"bot": str(out), **vars(bot)})
    else:
        sets = f"{bot.information_sets:,} information sets" if bot.information_sets else "networks"
        note(f"{out}: {bot.game}, {sets}, {bytes_text(out.stat().st_size)}", quiet)


def _export_onnx(
    path: Path, out: Path, name: str | None, figures: Path | None, quiet: bool
) -> None:
    """Write the network of a run or of a bot file."""
    from pokerspiel.experiments import export_onnx, train_neural

    for option, value in (("name", name), ("measured", figures)):
        if value is not None:
            raise ValueError(f"--{option} {value}: a file of ONNX holds no manifest")
    if path.is_file():
        bot = load_bot(path)
        if not isinstance(bot, Bot) or not isinstance(bot.table, Network):
            raise ValueError(f"{path}: {bot.name} plays by a table, not by a network")
        assert bot.game is not None
        game, network = bot.game, bot.table
    else:
        folder = RunFolder(path)
        if folder.kind != NEURAL:
            raise ValueError(f"{path}: a table was learnt there, not a network")
        solver = train_neural.load_solver(folder, train_neural.read_plan(folder))
        game, network = solver.game, solver.policy()
    export_onnx.write_onnx(out, game, network)
    note(f"{out}: the network of {game}, {bytes_text(out.stat().st_size)}", quiet)


def _trained_bot(folder: RunFolder, out: Path, name: str | None, figures: Path | None) -> Manifest:
    manifest = folder.manifest()
    game = folder.game()
    folder.check_versions(game)
    state = load_state(folder, None)
    strength = None
    if figures is not None:
        strength = measured(figures, content_hash(state.average(), one_byte=game.classes > 0))
    algorithm = str(manifest.get("algorithm"))
    return write_bot(out, game, state, name, strength, algorithm)


def _neural_bot(folder: RunFolder, out: Path, name: str | None, figures: Path | None) -> Manifest:
    """Write the networks of a run; the bot plays without torch."""
    from pokerspiel.experiments import train_neural

    solver = train_neural.load_solver(folder, train_neural.read_plan(folder))
    if solver.iteration == 0:
        raise ValueError("nothing has been learnt yet: train longer")
    network = solver.policy()
    return save_bot(
        out,
        solver.game,
        network,
        algorithm=str(folder.manifest().get("algorithm")),
        seed=solver.seed,
        iterations=solver.iteration,
        nodes=solver.nodes,
        seconds=solver.seconds,
        name=name,
        strength=None if figures is None else measured(figures, content_hash(network)),
    )


def _solved_bot(folder: RunFolder, out: Path, name: str | None) -> Manifest:
    """Write the strategy of a run of `solve`; the file says how exploitable it is."""
    plan = read_plan(folder)
    problem, solver = load_solver(folder, plan)
    game, table, result = problem.bot(solver)
    return save_bot(
        out,
        game,
        table,
        algorithm=_algorithm(plan, game),
        seed=plan.seed,
        iterations=solver.iteration,
        nodes=solver.nodes,
        seconds=solver.seconds,
        name=name,
        strength={
            "exploitability": result.exploitability / problem.big_unit,
            "value": (result.values / problem.big_unit).tolist(),
            "gains": (result.gains / problem.big_unit).tolist(),
            "unit": problem.unit,
            "definition": EXPLOITABILITY,
            "exact": True,
        },
    )


def _algorithm(plan: Plan, game: str) -> str:
    """The algorithm in words, with the abstraction that it ran in if the bot does not name it."""
    abstraction = "" if plan.game == game else f", on {plan.game}"
    return plan.algorithm + (", simultaneous" if plan.simultaneous else "") + abstraction


def write_bot(
    out: Path,
    game: Game,
    state: MccfrState,
    name: str | None = None,
    strength: Mapping[str, Any] | None = None,
    algorithm: str = ALGORITHM,
) -> Manifest:
    """Write the average strategy of a solver's state for `game` to a bot file.

    Of a game whose keys name classes of hands it is a chart with one byte a probability, which
    counts the information sets that were visited.
    """
    visited = visited_sets(state.table)
    if visited == 0:
        raise ValueError("nothing has been learnt yet: train longer")
    return save_bot(
        out,
        game,
        state.average(),
        information_sets=visited,
        one_byte=game.classes > 0,
        algorithm=algorithm,
        seed=state.seed,
        iterations=state.iteration,
        nodes=state.nodes,
        seconds=state.seconds,
        name=name,
        strength=strength,
    )
