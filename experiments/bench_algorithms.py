"""`pokerspiel bench algorithms`: algorithms on games, exactly measured, in a grid that can go on.

The folder holds `results.sqlite` with every measurement, `report.html`, and a table for papers as
`table.md` and `table.tex`. The same command again does only what is missing.
"""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pokerspiel.experiments.bench_lines import summarise
from pokerspiel.experiments.bench_report import REPORT, TABLE_MD, TABLE_TEX, write_reports
from pokerspiel.experiments.budget import Budget, parse_budget
from pokerspiel.experiments.cells import (
    Cell,
    Choice,
    choose,
    known_algorithms,
    measure_cell,
    prepare,
    updates_alternate,
)
from pokerspiel.experiments.database import check_folder
from pokerspiel.experiments.interrupts import terminated_like_interrupted
from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.experiments.results import FAILED, FILE, REFUSED, Results, Run
from pokerspiel.experiments.rivals import RIVALS
from pokerspiel.experiments.workers import PROCESSES, RAY, End, Workers, open_workers

GAMES = ("kuhn", "leduc", "mini_svara", "mini_sviten", "svara(abstraction=points)")
DEFAULT_ALGORITHMS = (
    *("cfr", "cfr+", "lcfr", "dcfr", "dcfr+", "pcfr+", "pdcfr+"),
    *("external-sampling", "external-sampling-linear", "outcome-sampling"),
)
SEEDS = (0, 1, 2)
BUDGET = "10s"
FAILURES, INTERRUPTED = 1, 130


@dataclass(frozen=True)
class Grid:
    """What is asked for."""

    choices: tuple[Choice, ...]
    algorithms: tuple[str, ...]
    seeds: tuple[int, ...]
    budget: Budget
    alternating: bool
    """Where an algorithm leaves the choice."""

    def cells(self) -> list[Cell]:
        """Every cell; algorithms without luck have one for the first seed."""
        cells = []
        for choice in self.choices:
            for algorithm in self.algorithms:
                alternating = updates_alternate(algorithm, self.alternating)
                cell = Cell(choice, algorithm, self.seeds[0], alternating, self.budget)
                seeds = self.seeds if cell.sampled else self.seeds[:1]
                cells += [replace(cell, seed=seed) for seed in seeds]
        return cells


def run(
    games: Sequence[str],
    algorithms: Sequence[str],
    seeds: Sequence[int],
    budget: str,
    on: str,
    workers: int | None,
    out: Path,
    rivals: bool,
    simultaneous: bool,
    json: bool,
    quiet: bool,
) -> int:
    asked = Grid(
        choices=tuple(dict.fromkeys(choose(game) for game in games or GAMES)),
        algorithms=_algorithms(algorithms or DEFAULT_ALGORITHMS, rivals),
        seeds=tuple(dict.fromkeys(seeds or SEEDS)),
        budget=parse_budget(budget),
        alternating=not simultaneous,
    )
    if workers is None and on in (PROCESSES, RAY):
        workers = max((os.cpu_count() or 2) // 2, 1)
    check_folder(out, FILE)
    with Results(out) as results:
        try:
            with terminated_like_interrupted():
                _fill(results, asked, on, workers, quiet)
                runs = _in_order(results.runs(), asked)
                write_reports(out, runs, results.sittings())
        except KeyboardInterrupt:
            note(f"interrupted; what is done is in {out}, and the same command goes on")
            return INTERRUPTED
    failed = [run for run in runs if run.status == FAILED]
    note(", ".join(str(out / name) for name in (REPORT, TABLE_MD, TABLE_TEX)), quiet)
    if json:
        print_json(_document(out, asked, runs))
    else:
        _print(runs)
    for lost in failed:
        note(f"pokerspiel: {lost.label}, {lost.algorithm}, seed {lost.seed}: {lost.message}")
    return FAILURES if failed else 0


def _algorithms(names: Sequence[str], rivals: bool) -> tuple[str, ...]:
    known = known_algorithms()
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
            raise ValueError(f"unknown algorithm {name!r}: {hint}")
    return tuple(dict.fromkeys([*names, *(RIVALS if rivals else ())]))


# Filling the grid.


def _fill(results: Results, asked: Grid, on: str, count: int | None, quiet: bool) -> None:
    """Measure the cells that are missing, and write every one down as it ends.

    A process that dies is the failure of its cell: one that needs too much memory would need it
    again. The same command tries failed cells again.
    """
    cells = asked.cells()
    missing = missing_cells(cells, results.runs())
    note(f"{len(cells)} cells, {len(cells) - len(missing)} of them done before", quiet)
    if not missing:
        return
    with open_workers(on, count, anew=True) as workers:
        begin = origin()
        command = _command(asked, on, workers.count)
        results.begin_sitting(begin["started"], command, begin["machine"], begin["versions"])
        _measure(results, missing, workers, quiet)


def _measure(results: Results, missing: Sequence[Cell], workers: Workers, quiet: bool) -> None:
    note("compiling kernels and trees, unless that is done ...", quiet)
    refused: dict[Cell, str] = {}
    workers.run(prepare, [tuple(missing)], lambda end: refused.update(end.result or {}))
    for cell, reason in refused.items():
        results.write(replace(cell.blank(), status=REFUSED, message=reason, finished=_now()))
    left = [cell for cell in missing if cell not in refused]
    ended: list[Cell] = []

    def keep(end: End) -> None:
        ended.append(end.job)
        row = end.result or replace(end.job.blank(), status=FAILED, message=end.error or "")
        results.write(replace(row, finished=_now()))

    with ProgressReport("grid", quiet) as report:

        def show(running: Sequence[Cell]) -> None:
            names = ", ".join(f"{cell.choice.label} {cell.algorithm}" for cell in running)
            share = len(ended) / max(len(left), 1)
            report.show(share, f"{len(ended)} of {len(left)} cells; now {names}")

        workers.run(measure_cell, left, keep, show)


def missing_cells(cells: Sequence[Cell], runs: Sequence[Run]) -> list[Cell]:
    """Those without a settled run. A cell without luck is settled by a run of any seed."""
    settled = {_key(run, run.seed) for run in runs if run.settled}
    settled |= {_key(run, None) for run in runs if run.settled and not run.sampled}
    blanks = [(cell, cell.blank()) for cell in cells]
    return [
        cell
        for cell, blank in blanks
        if _key(blank, blank.seed if blank.sampled else None) not in settled
    ]


def _key(run: Run, seed: int | None) -> tuple[object, ...]:
    game = run.game, run.rule_version, run.abstraction
    return *game, run.algorithm, seed, run.alternating, run.budget


def _command(asked: Grid, on: str, count: int) -> str:
    """The command line that asks for the same, options spelt out."""
    words = ["pokerspiel", "bench", "algorithms"]
    words += ["--games", *(choice.label for choice in asked.choices)]
    words += ["--algorithms", *asked.algorithms, "--seeds", *map(str, asked.seeds)]
    words += ["--budget", str(asked.budget), "--on", on, "--workers", str(count)]
    return shlex.join(words) + ("" if asked.alternating else " --simultaneous")


def _now() -> str:
    return str(origin()["started"])


def _in_order(runs: Sequence[Run], asked: Grid) -> list[Run]:
    """All runs of the folder with the budget asked for: as asked for, then the others."""
    games = [choice.game for choice in asked.choices]
    games += [run.game for run in runs if run.game not in games]
    algorithms = [*asked.algorithms, *known_algorithms()]

    def place(run: Run) -> tuple[object, ...]:
        return games.index(run.game), algorithms.index(run.algorithm), run.alternating, run.seed

    its = [run for run in runs if run.budget == str(asked.budget)]
    return sorted((run for run in its if run.algorithm in algorithms), key=place)


# What is printed.


def _document(out: Path, asked: Grid, runs: Sequence[Run]) -> dict[str, Any]:
    return {
        "folder": str(out),
        "report": str(out / REPORT),
        "budget": str(asked.budget),
        "games": [
            {
                "game": table.game,
                "unit": table.unit,
                "measure": table.measure,
                "nodes": table.tree_nodes,
                "information_sets": table.information_sets,
                "rows": [line.to_json() for line in table.lines],
            }
            for table in summarise(runs)
        ],
    }


def _print(runs: Sequence[Run]) -> None:
    for table in summarise(runs):
        heads = [column.head for column in table.main_columns]
        lines = [line for line in table.lines if line.runs]
        print_table(table.title, heads, [line.cells(table.main_columns) for line in lines])
        for problem, names in table.problems().items():
            print(f"not measured: {', '.join(names)}: {problem}")
