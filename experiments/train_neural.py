"""`pokerspiel train --algorithm ppo` and its like: neural algorithms in a run folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.opposition import Opposition
from pokerspiel.agents.roster import find_agent
from pokerspiel.experiments import run_folder
from pokerspiel.experiments.game_choice import parse_settings, with_usual_abstraction
from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.output import note, print_json
from pokerspiel.experiments.run_folder import NEURAL, RunFolder
from pokerspiel.experiments.run_log import RunLog, what_is_left
from pokerspiel.experiments.sharded_training import WorkersFailedError, check_resumed
from pokerspiel.experiments.shared_play import played_by_workers
from pokerspiel.experiments.training_loop import Trainee, train
from pokerspiel.games.variants import Game, exact
from pokerspiel.solvers.neural import catalogue
from pokerspiel.solvers.sharded_mccfr import SHARDS
from pokerspiel.solvers.solver import Progress

ABSTRACTIONS = {
    "svara": "hands",
    "sviten_special": "clusters",
    "sviten_flush": "clusters",
    "dramaha": "clusters",
}
"""Information sets to train on where the game string names none; other games: all of them.

Networks look at the cards themselves. `hands` forgets what no later deal depends on; `clusters`
offers few discards and tells the network what a hand is worth.
"""

AGAINST_SHARE = 0.5
"""Share of the hands that are played against named bots; in the others the network plays itself."""

INTERRUPTED = 130
WORKERS_FAILED = 2


@dataclass(frozen=True)
class Plan:
    """What a run is asked to do; the fields are the options of `train`."""

    game: str
    algorithm: str
    tune: str
    """Settings of the algorithm that differ from its own, as "key=value" with blanks between."""
    against: tuple[str, ...]
    """Names of bots that half of the hands are played against, each as often as the others."""
    time: float | None
    """Seconds to train for; None: no limit."""
    iterations: int | None
    """Iterations to do; None: no limit."""
    threads: int
    device: str
    checkpoint_every: float
    """Seconds."""
    seed: int
    workers: int | None = None
    """Workers that play the hands; None: they are played here, all at once."""
    on: str | None = None
    """Who the workers are: see `open_workers`."""
    shards: int | None = None
    """Shards of the hands of an iteration."""

    def __post_init__(self) -> None:
        if self.workers is not None and not catalogue.entry(self.algorithm).shared:
            able = [name for name, entry in catalogue.NEURAL.items() if entry.shared]
            raise ValueError(
                f"--workers {self.workers}: not with {self.algorithm}, but with mccfr, "
                f"{', '.join(able)}"
            )
        if self.workers is not None and self.threads > 1:
            raise ValueError(f"--threads {self.threads}: not with --workers, which have one each")

    def solver(self, game: Game) -> Any:
        """The solver of the plan. Raises ValueError if an option makes no sense."""
        settings = parse_settings(self.tune.split(), "--tune")
        solver = catalogue.new_solver(
            game, self.algorithm, settings, self.seed, self.device, self.threads
        )
        if self.against:
            if not catalogue.entry(self.algorithm).against:
                able = [name for name, entry in catalogue.NEURAL.items() if entry.against]
                raise ValueError(
                    f"--against {self.against[0]}: not with {self.algorithm}, but with "
                    f"{', '.join(able)}"
                )
            solver.opponents = Opposition([_opponent(name, game) for name in self.against], game)
            solver.opponents_share = AGAINST_SHARE
        return solver

    def workers_of(self, solver: Any, game: Game) -> AbstractContextManager[None]:
        """A context in which the workers of the plan, if it has any, play for a solver."""
        if self.workers is None:
            return nullcontext()
        return played_by_workers(solver, self, game)


def start(plan: Plan, out: Path, settings: Sequence[str] | None, json: bool, quiet: bool) -> int:
    game = with_usual_abstraction(plan.game, settings, ABSTRACTIONS)
    shards = plan.shards if plan.workers is None else plan.shards or SHARDS
    plan = replace(plan, game=str(game), shards=shards)
    run_folder.check_unused(out)
    solver = plan.solver(game)
    with (
        plan.workers_of(solver, game),
        run_folder.create(out, vars(plan), manifest(game, plan), NEURAL, game) as folder,
    ):
        return _train(solver, plan, folder, json, quiet)


def _opponent(name: str, game: Game) -> CompiledAgent:
    agent = find_agent(name, exact(game))
    if not isinstance(agent, CompiledAgent):
        raise ValueError(f"--against {name}: it decides in Python; expected a baseline or a bot")
    return agent


def manifest(game: Game, plan: Plan) -> dict[str, Any]:
    return {
        "game": str(game),
        "rule_version": game.rule_version,
        "abstraction": game.abstraction,
        "algorithm": plan.algorithm,
        "paper": catalogue.entry(plan.algorithm).paper,
        "options": vars(
            catalogue.options_of(plan.algorithm, parse_settings(plan.tune.split(), "--tune"))
        ),
        "against": list(plan.against),
        "seed": plan.seed,
        **origin(),
    }


def resume(
    folder: RunFolder,
    time: float | None,
    iterations: int | None,
    threads: int | None,
    workers: int | None,
    on: str | None,
    json: bool,
    quiet: bool,
) -> int:
    plan = read_plan(folder)
    check_resumed(folder, plan.workers, workers, on)
    plan = replace(
        plan,
        threads=threads or plan.threads,
        workers=workers or plan.workers,
        on=on or plan.on,
    )
    solver = load_solver(folder, plan)
    left = what_is_left(
        (plan.time, plan.iterations), (time, iterations), (solver.seconds, solver.iteration)
    )
    plan = replace(plan, time=left[0], iterations=left[1])
    folder.forget_metrics_after(solver.iteration)
    with plan.workers_of(solver, folder.game()):
        return _train(solver, plan, folder, json, quiet)


def read_plan(folder: RunFolder) -> Plan:
    """The plan in the folder of a run; ValueError if it is damaged."""
    config = folder.config()
    try:
        return Plan(
            game=str(config["game"]),
            algorithm=str(config["algorithm"]),
            tune=str(config["tune"]),
            against=tuple(config.get("against", ())),
            time=config.get("time"),
            iterations=config.get("iterations"),
            threads=int(config["threads"]),
            device=str(config["device"]),
            checkpoint_every=float(config["checkpoint_every"]),
            seed=int(config["seed"]),
            workers=config.get("workers"),
            on=config.get("on"),
            shards=config.get("shards"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{folder.path / run_folder.CONFIG} is damaged: {error!r}") from None


def load_solver(folder: RunFolder, plan: Plan) -> Any:
    """The solver of a run at its newest checkpoint; ValueError if that is damaged."""
    game = folder.game()
    folder.check_versions(game)
    solver = plan.solver(game)
    arrays, numbers = folder.load_checkpoint()
    try:
        solver.restore(arrays, numbers)
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError(f"{folder.latest_checkpoint()} is damaged: {error!r}") from None
    except ValueError as error:
        raise ValueError(f"{folder.latest_checkpoint()}: {error}") from None
    return solver


class _Trainee(Trainee[Progress]):
    def __init__(self, solver: Any, plan: Plan) -> None:
        self.title = f"{plan.algorithm}, {plan.game}"
        self._solver = solver
        self._plan = plan

    def progress(self) -> Progress:
        now: Progress = self._solver.progress()
        return now

    def run(self, on_progress: Callable[[Progress], None]) -> str:
        try:
            self._solver.run(self._plan.iterations, self._plan.time, on_progress)
        except WorkersFailedError as error:
            note(f"pokerspiel: {error}")
            return "failed"
        return "done"

    def words(self, now: Progress, rate: float) -> str:
        losses = ", ".join(
            f"{name.replace('_', ' ')} {value:.3f}" for name, value in self.more_metrics().items()
        )
        words = f"{now.iteration:,} iterations, {now.nodes:,} decisions, {rate:,.0f}/s"
        return f"{words}; {losses}" if losses else words

    def more_metrics(self) -> Mapping[str, float]:
        losses: dict[str, float] = self._solver.losses()
        return losses


def _train(solver: Any, plan: Plan, folder: RunFolder, json: bool, quiet: bool) -> int:
    """Run the solver and report; returns the exit status of the command."""
    if plan.time is None and plan.iterations is None:
        note("no --time and no --iterations: Ctrl-C ends the training and saves it", quiet)
    log = RunLog(folder, solver, plan.checkpoint_every)
    status, path = train(_Trainee(solver, plan), log, (plan.time, plan.iterations), quiet)
    _print_result(status, solver.progress(), plan, folder, path, json, quiet)
    return {"interrupted": INTERRUPTED, "failed": WORKERS_FAILED}.get(status, 0)


def _print_result(
    status: str, end: Progress, plan: Plan, folder: RunFolder, path: Path, json: bool, quiet: bool
) -> None:
    if json:
        numbers: Mapping[str, Any] = vars(end)
        print_json(
            {
                "run": str(folder.path),
                "game": plan.game,
                "algorithm": plan.algorithm,
                "status": status,
                **numbers,
                "checkpoint": str(path),
            }
        )
    if status == "failed":
        note(f"saved as it was before; go on with `pokerspiel resume {folder.path}`", quiet)
    elif status == "interrupted":
        note(f"interrupted and saved; go on with `pokerspiel resume {folder.path}`", quiet)
    elif not json:
        note(
            f"{end.iteration:,} iterations, {end.nodes:,} decisions in {end.seconds:.1f} s; "
            f"`pokerspiel export {folder.path} -o bot.pspiel` makes a bot of it",
            quiet,
        )
