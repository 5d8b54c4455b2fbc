"""The figures of a grid: how algorithms approach an equilibrium, or win.

The colour tells the algorithm, the kind of line the program that ran it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from pokerspiel.experiments.bench_lines import FLOOR, CurvePoint, Line, Table
from pokerspiel.experiments.plots import INK, MUTED, STYLE, svg_text
from pokerspiel.experiments.results import MATCH

COLORS = {
    "cfr": "#7b8794",
    "cfr+": "#0b6e4f",
    "lcfr": "#a9743a",
    "dcfr": "#d1382c",
    "dcfr+": "#f29f05",
    "pcfr+": "#2f7fd0",
    "pdcfr+": "#16325c",
    "hs-dcfr": "#e78ac3",
    "hs-pcfr+": "#7e57c2",
    "cfr-br": "#4f6d1f",
    "xfp": "#2b2b2b",
    "mmd": "#b8a600",
    "external-sampling": "#00a6a6",
    "external-sampling-linear": "#6aa84f",
    "external-sampling-plus": "#9fc131",
    "outcome-sampling": "#a23b9c",
    "chance-sampling": "#8d6e63",
    "average-strategy-sampling": "#ef6f8e",
    "vr-mccfr": "#546e7a",
}
MARKERS = "os^vDPX*<>ph"

PROGRAMS: dict[str, tuple[str, Any]] = {
    "": ("pokerspiel", "-"),
    "openspiel-c++": ("OpenSpiel, C++", (0, (5, 2))),
    "openspiel-python": ("OpenSpiel, Python", (0, (1, 1.3))),
    "liteefg": ("LiteEFG", (0, (6, 1.5, 1, 1.5))),
}
"""By the first word of an algorithm's name: what the legend says, and how its lines look."""

_MORE_STYLE = {
    "font.size": 11.5,
    "axes.labelcolor": INK,
    "xtick.color": "#3e4c59",
    "ytick.color": "#3e4c59",
}

_AXES: tuple[tuple[str, Callable[[CurvePoint], float | None]], ...] = (
    ("iterations", lambda point: point.iterations),
    ("nodes touched", lambda point: point.nodes),
    ("seconds", lambda point: point.seconds),
)


def table_figure(table: Table) -> str:
    """The measure of a game against iterations, nodes and seconds, one line an algorithm."""
    lines = [line for line in table.lines if line.runs]
    with matplotlib.rc_context({**STYLE, **_MORE_STYLE}):
        figure = Figure(figsize=(13.5, 5.8))
        panels = figure.subplots(1, len(_AXES), sharey=True)
        for axes, (label, where) in zip(panels, _AXES, strict=True):
            for line in lines:
                _draw(axes, line, where, table.measure)
            _dress(axes, label, table.measure)
        if table.measure == MATCH:
            panels[0].set_ylabel(f"milli-{table.units} a hand against equity")
        else:
            panels[0].set_ylabel(f"exploitability, {table.units} a hand")
        figure.subplots_adjust(wspace=0.06, bottom=0.27)
        _legend(figure, lines)
        return svg_text(figure)


def _draw(axes: Any, line: Line, where: Callable[[CurvePoint], float | None], measure: str) -> None:
    curve = [(where(point), point.measure) for point in line.curve()]
    curve = [(x, spread) for x, spread in curve if x is not None]
    if not curve:
        return
    floor = -float("inf") if measure == MATCH else FLOOR
    x = [x for x, _ in curve]
    low, middle, high = (
        [max(getattr(spread, name), floor) for _, spread in curve]
        for name in ("low", "median", "high")
    )
    color, marker = color_of(line.method), marker_of(line.method)
    wide = 1.4 if line.rival else 1.9
    axes.plot(x, middle, color=color, linestyle=PROGRAMS[line.rival][1], linewidth=wide)
    if measure == MATCH or len(line.runs) > 1:
        axes.fill_between(x, low, high, color=color, alpha=0.16, linewidth=0)
    face = "white" if line.rival or not line.runs[0].alternating else color
    axes.plot(
        x[-1:], middle[-1:], marker, color=color, markersize=6, markerfacecolor=face, zorder=4
    )


def color_of(method: str) -> str:
    """The same colour for an algorithm in every figure."""
    return COLORS.get(method) or list(COLORS.values())[_place(method) % len(COLORS)]


def marker_of(method: str) -> str:
    """The same marker for an algorithm in every figure."""
    return MARKERS[_place(method) % len(MARKERS)]


def _place(method: str) -> int:
    return list(COLORS).index(method) if method in COLORS else sum(method.encode())


def _dress(axes: Any, label: str, measure: str) -> None:
    axes.set_xscale("log")
    axes.set_xlabel(label)
    if measure == MATCH:
        axes.axhline(0.0, color=INK, linewidth=1)
    else:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(numticks=12))
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_locator(LogLocator(numticks=9))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(which="minor", length=0)
    axes.grid(which="major", visible=True)


def _legend(figure: Figure, lines: Sequence[Line]) -> None:
    """Colours of algorithms, and below them the kinds of lines where there are rivals."""
    names = sorted(_once(line.method for line in lines), key=_place)
    methods = [
        Line2D([], [], color=color_of(m), marker=marker_of(m), markersize=6, linewidth=2, label=m)
        for m in names
    ]
    columns = min(len(methods), 6)
    place = {"loc": "upper center", "frameon": False, "handlelength": 2.2}
    figure.legend(handles=methods, ncols=columns, bbox_to_anchor=(0.5, 0.18), **place)
    rivals = _once(line.rival for line in lines)
    if rivals == [""]:
        return
    kinds = [
        Line2D([], [], color=MUTED, linestyle=PROGRAMS[r][1], linewidth=2, label=PROGRAMS[r][0])
        for r in rivals
    ]
    rows = -(-len(methods) // columns)
    place["handlelength"] = 3.4
    below = (0.5, 0.17 - 0.05 * rows)
    figure.legend(handles=kinds, ncols=len(kinds), bbox_to_anchor=below, **place)


def _once(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
