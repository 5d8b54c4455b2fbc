"""`pokerspiel solve`, and `pokerspiel resume` of it: algorithms on a whole game (problems.py).

Exploitability is computed exactly after 1, 2, 5, 10, 20, 50, ... iterations, and for `--until` also
after each quarter more. A run is cut at exactly these iterations, and what the computation takes
does not count as time of solving.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any

from pokerspiel.experiments import run_folder
from pokerspiel.experiments.game_choice import any_game_text
from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.options import parse_bytes
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.problems import Problem, load_problem, with_preset
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.experiments.run_folder import SOLVED, RunFolder
from pokerspiel.experiments.run_log import Interrupts, RunLog, share_done, what_is_left
from pokerspiel.games import variants
from pokerspiel.games.variants import VARIANTS
from pokerspiel.solvers import catalogue
from pokerspiel.solvers.best_response import EXPLOITABILITY, Evaluation
from pokerspiel.solvers.catalogue import DEFAULT_HORIZON
from pokerspiel.solvers.solver import Progress, Solver

DEFAULT_ALGORITHM = "dcfr"
DEFAULT_ITERATIONS = 1000
"""Where no limit is named."""
INTERRUPTED = 130


@dataclass(frozen=True)
class Plan:
    """What a run is asked to do; the fields are the options of `solve`."""

    game: str
    algorithm: str
    iterations: int | None
    """Iterations to do; None: no limit."""
    time: float | None
    """Seconds to solve for; None: no limit."""
    until: float | None
    """Exploitability to stop at, in antes or big blinds; None: no such limit."""
    simultaneous: bool
    seed: int
    threads: int
    memory_limit: str
    horizon: int | None
    """Iterations that algorithms with a schedule plan for."""
    checkpoint_every: float
    """Seconds."""

    def resolved(self, game: str) -> Plan:
        """The plan with its defaults filled in."""
        iterations, horizon = self.iterations, self.horizon
        if catalogue.entry(self.algorithm).scheduled:
            horizon = horizon or iterations or DEFAULT_HORIZON
            iterations = iterations or horizon
        elif iterations is None and self.time is None and self.until is None:
            iterations = DEFAULT_ITERATIONS
        return replace(self, game=game, iterations=iterations, horizon=horizon)

    def for_solver(self) -> catalogue.Plan:
        return catalogue.Plan(
            self.seed, not self.simultaneous, self.threads, self.horizon or DEFAULT_HORIZON
        )


def start(
    plan: Plan,
    preset: str | None,
    out: Path | None,
    settings: Sequence[str] | None,
    json: bool,
    quiet: bool,
) -> int:
    catalogue.entry(plan.algorithm)
    text = any_game_text(plan.game, with_preset(plan.game, preset, settings))
    if out is not None:
        run_folder.check_unused(out)
    problem = load_problem(text, parse_bytes(plan.memory_limit))
    plan = plan.resolved(problem.text)
    solver = problem.new_solver(plan.algorithm, plan.for_solver())
    outlook = problem.outlook(plan.for_solver(), plan.until)
    if outlook is not None:
        note(outlook, quiet)
    if out is None:
        return _solve(problem, solver, plan, None, json, quiet)
    with run_folder.create(out, vars(plan), manifest(problem, plan), SOLVED) as folder:
        return _solve(problem, solver, plan, folder, json, quiet)


def manifest(problem: Problem, plan: Plan) -> dict[str, Any]:
    rules = {}
    if variants.parse_game(plan.game)[0] in VARIANTS:
        game = variants.load(plan.game)
        rules = {"rule_version": game.rule_version, "abstraction": game.abstraction}
    return {
        "game": plan.game,
        **rules,
        "algorithm": plan.algorithm,
        "paper": catalogue.entry(plan.algorithm).paper,
        "seed": plan.seed,
        "nodes": problem.nodes,
        "information_sets": problem.information_sets,
        "tree": problem.fingerprint(),
        **origin(),
    }


# Going on.


def resume(
    folder: RunFolder,
    limits: tuple[float | None, int | None, float | None],
    threads: int | None,
    memory_limit: str | None,
    json: bool,
    quiet: bool,
) -> int:
    """Go on with a run; `limits` are the seconds, iterations and exploitability asked for now."""
    time, iterations, until = limits
    plan = read_plan(folder)
    plan = replace(
        plan, threads=threads or plan.threads, memory_limit=memory_limit or plan.memory_limit
    )
    problem, solver = load_solver(folder, plan)
    if limits == (None, None, None):
        time, iterations = what_is_left(
            (plan.time, plan.iterations), (None, None), (solver.seconds, solver.iteration)
        )
        until = plan.until
    plan = replace(plan, time=time, iterations=iterations, until=until)
    folder.forget_metrics_after(solver.iteration)
    return _solve(problem, solver, plan, folder, json, quiet)


def read_plan(folder: RunFolder) -> Plan:
    """The plan in the folder of a run; ValueError if it is damaged."""
    config = folder.config()
    horizon = config.get("horizon")
    try:
        return Plan(
            game=str(config["game"]),
            algorithm=str(config["algorithm"]),
            iterations=config.get("iterations"),
            time=config.get("time"),
            until=config.get("until"),
            simultaneous=bool(config["simultaneous"]),
            seed=int(config["seed"]),
            threads=int(config["threads"]),
            memory_limit=str(config["memory_limit"]),
            horizon=None if horizon is None else int(horizon),
            checkpoint_every=float(config["checkpoint_every"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{folder.path / run_folder.CONFIG} is damaged: {error!r}") from None


def load_solver(folder: RunFolder, plan: Plan | None = None) -> tuple[Problem, Solver]:
    """The problem of a run, and its solver at the newest checkpoint.

    Raises ValueError if the checkpoint is damaged, or if the game is no longer the same.
    """
    plan = plan or read_plan(folder)
    problem = load_problem(plan.game, parse_bytes(plan.memory_limit))
    if folder.manifest().get("tree") != problem.fingerprint():
        raise ValueError(f"{folder.path}: the tree of {plan.game} has changed since: solve it anew")
    solver = problem.new_solver(plan.algorithm, plan.for_solver())
    arrays, numbers = folder.load_checkpoint()
    try:
        solver.restore(arrays, numbers)
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError(f"{folder.latest_checkpoint()} is damaged: {error!r}") from None
    return problem, solver


# The run.


def new_solver(problem: Problem, threads: int) -> Solver:
    """A solver of the usual algorithm, ready to run."""
    solver = problem.new_solver(DEFAULT_ALGORITHM, catalogue.Plan(threads=threads))
    solver.prepare()
    return solver


def solve_until(
    problem: Problem,
    solver: Solver,
    goal: float,
    on_measured: Callable[[int, float], None] | None = None,
) -> Evaluation:
    """Run to an exploitability, in antes or big blinds; gives the last evaluation.

    `on_measured` is called with (iterations, exploitability) on the way.
    """
    while True:
        result = problem.evaluate(solver)
        reached = result.exploitability / problem.big_unit
        if on_measured is not None:
            on_measured(solver.iteration, reached)
        if reached <= goal:
            return result
        solver.run(next_stop(solver.iteration, True) - solver.iteration)


def next_stop(iteration: int, quarters: bool) -> int:
    """The first of 1, 2, 5, 10, 20, 50, ... after `iteration`; with `quarters` also 1.25 times."""
    power = 1
    while 5 * power <= iteration:
        power *= 10
    stop = next(m * power for m in (1, 2, 5) if m * power > iteration)
    if quarters:
        n = 1
        while n <= iteration:
            n += max(1, n // 4)
        stop = min(stop, n)
    return stop


class _Run:
    """A solver at work: it is measured, logged and saved on the way."""

    def __init__(
        self,
        problem: Problem,
        solver: Solver,
        plan: Plan,
        log: RunLog | None,
        report: ProgressReport,
        check: Callable[[], None],
    ) -> None:
        """`check` raises KeyboardInterrupt if the run is to end."""
        self._problem = problem
        self._solver = solver
        self._plan = plan
        self._log = log
        self._report = report
        self._check = check
        self._begin = solver.progress()
        self._measured = -1
        self.result: Evaluation

    def go(self) -> str:
        """Run to one of the limits of the plan; returns which: "done" or "reached"."""
        solver, plan = self._solver, self._plan
        last = inf if plan.iterations is None else self._begin.iteration + plan.iterations
        while not self._reached(self.measure()):
            if solver.iteration >= last or self._seconds_left() <= 0.0:
                return "done"
            stop = min(last, next_stop(solver.iteration, plan.until is not None))
            seconds = None if plan.time is None else self._seconds_left()
            solver.run(int(stop) - solver.iteration, seconds, self._on_progress)
            self._check()
            if solver.iteration < stop:
                self.measure()
                return "done"
        return "reached"

    def measure(self) -> Evaluation:
        """Evaluate the average strategy, unless that has been done, and log the result."""
        now = self._solver.progress()
        if now.iteration != self._measured:
            self.result = self._problem.evaluate(self._solver)
            self._measured = now.iteration
            if self._log is not None:
                unit = self._problem.big_unit
                self._log.add(
                    {
                        **vars(now),
                        "exploitability": self.result.exploitability / unit,
                        "nash_conv": self.result.nash_conv / unit,
                    }
                )
        return self.result

    def _reached(self, result: Evaluation) -> bool:
        goal = self._plan.until
        return goal is not None and result.exploitability / self._problem.big_unit <= goal

    def _seconds_left(self) -> float:
        if self._plan.time is None:
            return inf
        return self._plan.time - (self._solver.seconds - self._begin.seconds)

    def _on_progress(self, now: Progress) -> None:
        unit = self._problem.big_unit
        spent = max(now.seconds - self._begin.seconds, 1e-9)
        rate = (now.iteration - self._begin.iteration) / spent
        self._report.show(
            share_done(self._begin, now, self._plan.time, self._plan.iterations),
            f"{now.iteration:,} iterations, {rate:,.0f}/s, exploitability "
            f"{self.result.exploitability / unit:.3g} after {self._measured:,}",
        )
        if self._log is not None:
            self._log.save_if_due()
        self._check()


def _solve(
    problem: Problem,
    solver: Solver,
    plan: Plan,
    folder: RunFolder | None,
    json: bool,
    quiet: bool,
) -> int:
    """Run the solver and report; returns the exit status of the command."""
    log = None if folder is None else RunLog(folder, solver, plan.checkpoint_every)
    with Interrupts() as interrupts, ProgressReport(plan.game, quiet) as report:
        run = _Run(problem, solver, plan, log, report, interrupts.check)
        try:
            status = run.go()
        except KeyboardInterrupt:
            status = "interrupted"
        if log is not None:
            log.save()
        result = run.measure()
    document = describe(problem, solver, plan, result, status)
    document["run"] = None if folder is None else str(folder.path)
    if json:
        print_json(document)
    else:
        _print_result(document)
    _say_how_it_ended(status, plan, folder, quiet)
    return INTERRUPTED if status == "interrupted" else 0


def describe(
    problem: Problem, solver: Solver, plan: Plan, result: Evaluation, status: str
) -> dict[str, Any]:
    """The result of a run, in antes, big blinds or what the returns of the game count."""
    return {
        "game": plan.game,
        "algorithm": plan.algorithm,
        "iterations": solver.iteration,
        "exploitability": result.exploitability / problem.big_unit,
        "value": result.values / problem.big_unit,
        "nodes": problem.nodes,
        "information_sets": problem.information_sets,
        "seconds": solver.seconds,
        "nash_conv": result.nash_conv / problem.big_unit,
        "gains": result.gains / problem.big_unit,
        "unit": problem.unit,
        "definition": EXPLOITABILITY,
        "exact": True,
        "nodes_touched": solver.nodes,
        "seed": plan.seed,
        "status": status,
    }


def _print_result(document: dict[str, Any]) -> None:
    unit = document["unit"]
    rate = document["iterations"] / max(document["seconds"], 1e-9)
    rows = [
        ("exploitability", f"{document['exploitability']:.6g} ({EXPLOITABILITY}, {unit})"),
        ("value", ", ".join(f"{value:+z.6f}" for value in document["value"])),
        ("iterations", f"{document['iterations']:,}"),
        ("seconds", f"{document['seconds']:.3g} ({rate:,.0f} iterations/s)"),
        ("game", f"{document['nodes']:,} nodes"),
        ("", f"{document['information_sets']:,} information sets"),
    ]
    print_table(f"{document['game']}, {document['algorithm']}", ("", ""), rows)


def _say_how_it_ended(status: str, plan: Plan, folder: RunFolder | None, quiet: bool) -> None:
    if status == "interrupted":
        kept = "" if folder is None else f" and saved; go on with `pokerspiel resume {folder.path}`"
        note(f"interrupted{kept}", quiet)
    elif status == "done" and plan.until is not None:
        note(f"an exploitability of {plan.until:g} is not reached", quiet)
    elif folder is not None:
        note(f"`pokerspiel export {folder.path} -o bot.pspiel` makes a bot of it", quiet)
