"""The rows of a grid's tables: the runs of one algorithm on one game, seeds taken together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from pokerspiel.experiments.plots import NAMES
from pokerspiel.experiments.results import DONE, EXPLOITABILITY, MATCH, Point, Run

GOALS, MAIN_GOAL = (1e-2, 1e-3, 1e-4), 1e-3
"""Exploitabilities whose times are told."""
FLOOR = 1e-12
"""Below this, exploitability is the rounding of float64, and no figure is told."""


@dataclass(frozen=True)
class Spread:
    """The median over seeds, with the least and the most."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(median(values), min(values), max(values))


@dataclass(frozen=True)
class CurvePoint:
    """The medians over seeds after some iterations, and the range of the measure."""

    iterations: float
    nodes: float | None
    seconds: float
    measure: Spread
    """Exploitability, or mbb/hand; the range of a single match is its interval."""


@dataclass(frozen=True)
class Line:
    """An algorithm on a game."""

    name: str
    """With a word on the updates where they are simultaneous."""
    algorithm: str
    runs: tuple[Run, ...]
    """Those that are done, by seed."""
    problem: str
    """Why there are no runs, or not of all seeds."""

    @property
    def rival(self) -> str:
        """The program of a rival, "" for ours."""
        return self.algorithm.partition(" ")[0] if " " in self.algorithm else ""

    @property
    def method(self) -> str:
        """The name without the program."""
        return self.algorithm.partition(" ")[2] or self.algorithm

    @property
    def seeds(self) -> str:
        """Whose luck it was; "–" without any."""
        if not self.runs or not self.runs[0].sampled:
            return "–"
        return ", ".join(str(run.seed) for run in self.runs)

    def last(self, figure: str) -> Spread | None:
        """A column of the runs' last points."""
        values = [getattr(run.points[-1], figure) for run in self.runs]
        values = [value for value in values if value is not None]
        return Spread.of(values) if values else None

    def interval(self) -> tuple[float, float] | None:
        """95 % of the last matches, all seeds together: from the least to the most."""
        low, high = self.last("ci_low"), self.last("ci_high")
        return None if low is None or high is None else (low.low, high.high)

    def seconds_to(self, goal: float) -> float | None:
        """Median seconds until exploitability is first seen at `goal`; None if a seed is not."""
        times = []
        for run in self.runs:
            reached = [p.seconds for p in run.points if (p.exploitability or 0.0) <= goal]
            if not reached:
                return None
            times.append(reached[0])
        return median(times) if times else None

    def curve(self) -> list[CurvePoint]:
        """Points that all seeds share, and the last ones."""
        if not self.runs:
            return []
        rows = [{point.iterations: point for point in run.points[:-1]} for run in self.runs]
        shared = sorted(set(rows[0]).intersection(*rows[1:]))
        curve = [_curve_point([row[n] for row in rows]) for n in shared]
        return [*curve, _curve_point([run.points[-1] for run in self.runs])]

    def cells(self, columns: Sequence[Column]) -> list[str]:
        """The line as text."""
        return [column.text(self) for column in columns]

    def to_json(self) -> dict[str, Any]:
        spreads = {name: self.last(name) for name in _JSON_FIGURES}
        return {
            "algorithm": self.algorithm,
            "name": self.name,
            "seeds": [run.seed for run in self.runs],
            "problem": self.problem,
            **{name: spread and vars(spread) for name, spread in spreads.items()},
            "ci95": self.interval(),
        }


_JSON_FIGURES = ("iterations", "nodes", "seconds", "exploitability", "value", "mbb_per_hand")


def _curve_point(points: Sequence[Point]) -> CurvePoint:
    nodes = [point.nodes for point in points if point.nodes is not None]
    values = [p.exploitability if p.mbb_per_hand is None else p.mbb_per_hand for p in points]
    spread = Spread.of([value for value in values if value is not None])
    if points[0].ci_low is not None:
        lows = [point.ci_low for point in points if point.ci_low is not None]
        highs = [point.ci_high for point in points if point.ci_high is not None]
        spread = replace(spread, low=min(lows), high=max(highs))
    return CurvePoint(
        iterations=median([point.iterations for point in points]),
        nodes=median(nodes) if len(nodes) == len(points) else None,
        seconds=median([point.seconds for point in points]),
        measure=spread,
    )


@dataclass(frozen=True)
class Table:
    """A game with its lines."""

    game: str
    measure: str
    unit: str
    tree_nodes: int | None
    information_sets: int | None
    lines: tuple[Line, ...]

    def problems(self) -> dict[str, list[str]]:
        """Why there is nothing to tell of some lines: the names, by reason."""
        names: dict[str, list[str]] = {}
        for line in self.lines:
            if not line.runs:
                names.setdefault(line.problem, []).append(line.name)
        return names

    @property
    def units(self) -> str:
        """The unit in the plural."""
        return NAMES.get(self.unit, "units of utility")

    @property
    def columns(self) -> Sequence[Column]:
        return COLUMNS[self.measure]

    @property
    def main_columns(self) -> Sequence[Column]:
        """Those that fit into a terminal."""
        return [column for column in self.columns if not column.aside]

    @property
    def title(self) -> str:
        if self.measure == MATCH:
            return f"{self.game}: no tree, milli-{self.units} a hand against equity"
        size = ""
        if self.tree_nodes is not None:
            size = f" ({self.tree_nodes:,} nodes, {self.information_sets:,} information sets)"
        return f"{self.game}{size}: {self.units} a hand"


@dataclass(frozen=True)
class Column:
    """A column of a table; a head that ends in ">" is aligned to the right."""

    head: str
    text: Callable[[Line], str]
    aside: bool = False
    """Left out where there is little room."""


def _figure(name: str, form: Callable[[float], str]) -> Callable[[Line], str]:
    def text(line: Line) -> str:
        spread = line.last(name)
        return "" if spread is None else form(spread.median)

    return text


def _range(line: Line) -> str:
    spread = line.last("exploitability")
    if spread is None or len(line.runs) < 2:
        return ""
    return f"{short(spread.low)} to {short(spread.high)}"


def _goal(goal: float) -> Callable[[Line], str]:
    def text(line: Line) -> str:
        seconds = line.seconds_to(goal)
        return "" if seconds is None else seconds_text(seconds)

    return text


def _interval(line: Line) -> str:
    ci95 = line.interval()
    return "" if ci95 is None else f"{ci95[0]:+,.0f} to {ci95[1]:+,.0f}"


def short(value: float) -> str:
    """An exploitability with two digits: "1.6e-04"."""
    return f"{value:.1e}" if value >= FLOOR else f"< {FLOOR:g}"


def seconds_text(seconds: float) -> str:
    """Three digits, or fewer."""
    return f"{seconds:.3g}" if seconds < 1000 else f"{seconds:,.0f}"


def count_text(count: float) -> str:
    """Digits as far as they can be read, "12.3 M" beyond."""
    for size, unit in ((1e9, "G"), (1e6, "M")):
        if count >= size:
            return f"{count / size:.4g} {unit}"
    return f"{count:,.0f}"


_WORK = (
    Column("algorithm", lambda line: line.name),
    Column("seeds", lambda line: line.seeds),
    Column("iterations>", _figure("iterations", count_text)),
    Column("nodes>", _figure("nodes", count_text), aside=True),
    Column("seconds>", _figure("seconds", seconds_text)),
)
COLUMNS = {
    EXPLOITABILITY: (
        *_WORK,
        Column("exploitability>", _figure("exploitability", short)),
        Column("range of seeds>", _range),
        Column("value>", _figure("value", lambda value: f"{value:+.5f}"), aside=True),
        *(Column(f"s to {goal:g}>", _goal(goal), aside=goal != MAIN_GOAL) for goal in GOALS),
    ),
    MATCH: (
        *_WORK,
        Column("mbb/hand>", _figure("mbb_per_hand", lambda value: f"{value:+,.0f}")),
        Column("95 % interval>", _interval),
    ),
}


def summarise(runs: Sequence[Run]) -> list[Table]:
    """The tables of runs, in the order in which games and algorithms first appear."""
    games: dict[tuple[str, int, str], list[Run]] = {}
    for run in runs:
        games.setdefault((run.game, run.rule_version, run.abstraction), []).append(run)
    return [_table(its) for its in games.values()]


def _table(runs: Sequence[Run]) -> Table:
    lines: dict[tuple[str, bool], list[Run]] = {}
    for run in runs:
        lines.setdefault((run.algorithm, run.alternating), []).append(run)
    done = [run for run in runs if run.status == DONE] or list(runs)
    matches = any(run.measure == MATCH for run in runs)
    return Table(
        game=runs[-1].label,
        measure=MATCH if matches else EXPLOITABILITY,
        unit=done[0].unit,
        tree_nodes=done[0].tree_nodes,
        information_sets=done[0].information_sets,
        lines=tuple(_line(its) for its in lines.values()),
    )


def _line(runs: Sequence[Run]) -> Line:
    run = runs[0]
    done = sorted((r for r in runs if r.status == DONE and r.points), key=lambda r: r.seed)
    problems = dict.fromkeys(r.message for r in runs if r.status != DONE)
    return Line(
        name=run.algorithm if run.alternating else f"{run.algorithm}, simultaneous",
        algorithm=run.algorithm,
        runs=tuple(done),
        problem="; ".join(problems),
    )
