"""`pokerspiel train`, and `pokerspiel resume` of it: external-sampling MCCFR in a run folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pokerspiel.experiments import run_folder
from pokerspiel.experiments.game_choice import with_usual_abstraction
from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.options import bytes_text, parse_bytes
from pokerspiel.experiments.output import note, print_json
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.experiments.run_log import RunLog, what_is_left
from pokerspiel.experiments.sharded_training import (
    WorkersFailedError,
    check_resumed,
    sharded_solver,
)
from pokerspiel.experiments.training_loop import Trainee, train
from pokerspiel.experiments.workers import PROCESSES
from pokerspiel.games.variants import Game
from pokerspiel.solvers.mccfr import Mccfr, MccfrState, Progress, estimate_size
from pokerspiel.solvers.sharded_mccfr import SHARDS, Schedule, ShardedMccfr
from pokerspiel.solvers.traversal import Scheme

ALGORITHM = "external-sampling MCCFR, linear weights"
ABSTRACTIONS = {
    "svara": "points",
    "sviten_special": "halves",
    "sviten_flush": "halves",
    "dramaha": "halves",
}
"""Information sets to train on where the game string names none; other games: all of them."""

HANDS, FEW_HANDS = 100_000, 10_000
"""Random hands from which the size of a run is guessed: few where buckets take long to find, and
there are not many situations."""
INTERRUPTED = 130
MEMORY_FULL = 2
WORKERS_FAILED = 2
FAILED = "failed"
"""How a run ends whose workers fail again and again."""


@dataclass(frozen=True)
class Plan:
    """What a run is asked to do; the fields are the options of `train`."""

    game: str
    time: float | None
    """Seconds to train for; None: no limit."""
    iterations: int | None
    """Iterations to do; None: no limit."""
    threads: int
    memory_limit: str
    checkpoint_every: float
    """Seconds."""
    seed: int
    linear_until: int | None = None
    """Iteration up to which the weights grow; None: they always do."""
    draw_sampling: float = 1.0
    """Probability of following a discard that was not drawn from the strategy."""
    prune: float | None = None
    """Regret, in big blinds or antes times the weight, below which actions are skipped."""
    workers: int | None = None
    """Workers that share the run, by a schedule; None: the threads of this process, without one."""
    on: str | None = None
    """Who the workers are: see `open_workers`."""
    shards: int | None = None
    """Shards of a round of the schedule."""

    def __post_init__(self) -> None:
        if self.workers is not None and self.threads > 1:
            raise ValueError(f"--threads {self.threads}: not with --workers, which have one each")

    def solver(self, game: Game, limit: int, state: MccfrState | None = None) -> Mccfr:
        """The solver of a plan without workers. Raises ValueError if an option makes no sense."""
        return Mccfr(game, self.seed, self.threads, limit, state, self.scheme(game))

    def scheme(self, game: Game) -> Scheme:
        usual = Scheme()
        return Scheme(
            usual.linear_until if self.linear_until is None else self.linear_until,
            self.draw_sampling,
            usual.prune if self.prune is None else self.prune * game.limits.big_unit,
        )

    @contextmanager
    def opened(
        self, game: Game, limit: int, state: MccfrState | None = None
    ) -> Iterator[Mccfr | ShardedMccfr]:
        """The solver of the plan, with its workers. Raises ValueError as above."""
        if self.workers is None:
            yield self.solver(game, limit, state)
            return
        with sharded_solver(
            game,
            self.seed,
            limit,
            state,
            self.scheme(game),
            Schedule(self.shards or SHARDS),
            self.on or PROCESSES,
            self.workers,
        ) as solver:
            yield solver

    def algorithm(self, game: Game) -> str:
        """The algorithm in words."""
        words = [ALGORITHM]
        if self.linear_until is not None:
            words.append(f"constant ones from iteration {self.linear_until} on")
        if self.draw_sampling < 1.0:
            words.append(f"draws sampled at {self.draw_sampling:g}")
        if self.prune is not None:
            words.append(f"pruned below -{self.prune:g} {game.limits.unit}s")
        if self.workers is not None:
            words.append(f"rounds of {self.shards or SHARDS} shards")
        return ", ".join(words)


def start(plan: Plan, out: Path, settings: Sequence[str] | None, json: bool, quiet: bool) -> int:
    game = with_usual_abstraction(plan.game, settings, ABSTRACTIONS)
    shards = plan.shards if plan.workers is None else plan.shards or SHARDS
    plan = replace(plan, game=str(game), shards=shards)
    limit = parse_bytes(plan.memory_limit)
    run_folder.check_unused(out)
    with (
        plan.opened(game, limit) as solver,
        run_folder.create(out, vars(plan), manifest(game, plan), game=game) as folder,
    ):
        _announce(game, limit, quiet)
        return _train(solver, plan, folder, json, quiet)


def manifest(game: Game, plan: Plan) -> dict[str, Any]:
    return {
        "game": str(game),
        "rule_version": game.rule_version,
        "abstraction": game.abstraction,
        "algorithm": plan.algorithm(game),
        "seed": plan.seed,
        **origin(),
    }


def _announce(game: Game, limit: int, quiet: bool) -> None:
    """Say before the start how much memory the run will take."""
    if quiet:
        return
    guess = estimate_size(game, FEW_HANDS if game.classes else HANDS)
    text = (
        f"{game}: at least {guess.information_sets:,} information sets, {bytes_text(guess.bytes)}"
    )
    if guess.bytes > limit:
        text += f"; the memory limit of {bytes_text(limit)} will end the run before all are seen"
    note(text)


def resume(
    path: Path,
    time: float | None,
    iterations: int | None,
    threads: int | None,
    memory_limit: str | None,
    workers: int | None,
    on: str | None,
    json: bool,
    quiet: bool,
) -> int:
    folder = RunFolder(path)
    plan = _read_plan(folder)
    check_resumed(folder, plan.workers, workers, on)
    plan = replace(
        plan,
        threads=threads or plan.threads,
        memory_limit=memory_limit or plan.memory_limit,
        workers=workers or plan.workers,
        on=on or plan.on,
    )
    game = folder.game()
    folder.check_versions(game)
    limit = parse_bytes(plan.memory_limit)
    state = load_state(folder, limit)
    left = what_is_left(
        (plan.time, plan.iterations), (time, iterations), (state.seconds, state.iteration)
    )
    plan = replace(plan, time=left[0], iterations=left[1])
    folder.forget_metrics_after(state.iteration)
    with plan.opened(game, limit, state) as solver:
        return _train(solver, plan, folder, json, quiet)


def _read_plan(folder: RunFolder) -> Plan:
    config = folder.config()
    try:
        return Plan(
            game=str(config["game"]),
            time=config.get("time"),
            iterations=config.get("iterations"),
            threads=int(config["threads"]),
            memory_limit=str(config["memory_limit"]),
            checkpoint_every=float(config["checkpoint_every"]),
            seed=int(config["seed"]),
            linear_until=config.get("linear_until"),
            draw_sampling=float(config.get("draw_sampling", 1.0)),
            prune=config.get("prune"),
            workers=config.get("workers"),
            on=config.get("on"),
            shards=config.get("shards"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{folder.path / run_folder.CONFIG} is damaged: {error!r}") from None


def load_state(folder: RunFolder, limit: int | None) -> MccfrState:
    """The solver's state at the newest checkpoint; ValueError if it is damaged or too large.

    Without a limit it takes no more memory than it needs, and cannot grow.
    """
    arrays, numbers = folder.load_checkpoint(mapped=True)
    try:
        needed = sum(array.nbytes for array in arrays.values())
        return MccfrState.from_arrays(arrays, numbers, needed if limit is None else limit)
    except (KeyError, IndexError) as error:
        raise ValueError(f"{folder.latest_checkpoint()} is damaged: {error!r}") from None
    except ValueError as error:
        raise ValueError(f"{folder.latest_checkpoint()}: {error}") from None


class _Trainee(Trainee[Progress]):
    def __init__(self, solver: Mccfr | ShardedMccfr, plan: Plan) -> None:
        self.title = plan.game
        self._solver = solver
        self._plan = plan
        self._begin = solver.progress()

    def progress(self) -> Progress:
        return self._solver.progress()

    def run(self, on_progress: Callable[[Progress], None]) -> str:
        try:
            return self._solver.run(self._plan.iterations, self._plan.time, on_progress)
        except WorkersFailedError as error:
            note(f"pokerspiel: {error}")
            return FAILED

    def words(self, now: Progress, rate: float) -> str:
        speed = f"{rate / 1e6:.2f}M nodes/s"
        if self._plan.workers is not None:
            seconds = max(now.seconds - self._begin.seconds, 1e-9)
            done = (now.iteration - self._begin.iteration) * self._solver.game.players
            speed = f"{done / seconds:,.0f} traversals/s, {speed}"
        return (
            f"{now.iteration:,} iterations, {speed}, "
            f"{now.information_sets:,} information sets, {bytes_text(now.bytes)}"
        )


def _train(
    solver: Mccfr | ShardedMccfr, plan: Plan, folder: RunFolder, json: bool, quiet: bool
) -> int:
    """Run the solver and report; returns the exit status of the command."""
    if plan.time is None and plan.iterations is None:
        note("no --time and no --iterations: Ctrl-C ends the training and saves it", quiet)
    log = RunLog(folder, solver.state, plan.checkpoint_every, solver.free_memory)
    status, path = train(_Trainee(solver, plan), log, (plan.time, plan.iterations), quiet)
    _print_result(status, solver.progress(), plan, folder, path, json, quiet)
    return {"interrupted": INTERRUPTED, "full": MEMORY_FULL, FAILED: WORKERS_FAILED}.get(status, 0)


def _print_result(
    status: str, end: Progress, plan: Plan, folder: RunFolder, path: Path, json: bool, quiet: bool
) -> None:
    if json:
        numbers = {**vars(end), "nodes_per_second": end.nodes / max(end.seconds, 1e-9)}
        document = {"run": folder.path, "game": plan.game, "status": status, **numbers}
        print_json({**document, "run": str(folder.path), "checkpoint": str(path)})
    if status == "full":
        note(
            f"pokerspiel: the memory limit of {plan.memory_limit} is reached after "
            f"{end.iteration:,} iterations; the checkpoint is kept: "
            f"`pokerspiel resume {folder.path} --memory-limit ...` goes on with more"
        )
    elif status == FAILED:
        note(f"saved as it was before; go on with `pokerspiel resume {folder.path}`", quiet)
    elif status == "interrupted":
        note(f"interrupted and saved; go on with `pokerspiel resume {folder.path}`", quiet)
    elif not json:
        note(
            f"{end.iteration:,} iterations, {end.information_sets:,} information sets, "
            f"{end.nodes / max(end.seconds, 1e-9) / 1e6:.2f}M nodes/s in {end.seconds:.1f} s; "
            f"`pokerspiel export {folder.path} -o bot.pspiel` makes a bot of it",
            quiet,
        )
