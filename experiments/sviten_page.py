"""The page of `bench sviten`: its tables and their figures in one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator, ScalarFormatter

from pokerspiel.experiments.bench_bounds import GOAL as EXACT_GOAL
from pokerspiel.experiments.bench_curves import BUCKETS, TIME
from pokerspiel.experiments.bench_tables import machine_words, versions_words
from pokerspiel.experiments.kept_rows import FILE, Row
from pokerspiel.experiments.plots import (
    GOAL,
    INK,
    MUTED,
    OURS,
    STYLE,
    THEIRS,
    match_figure,
    svg_text,
)
from pokerspiel.experiments.report import figure, page, table
from pokerspiel.experiments.run_folder import write_text
from pokerspiel.experiments.sviten_tables import Section, rows_of, sections

REPORT = "report.html"

_STYLE = """
main { max-width: 62rem; }
main > p, figure { max-width: 44rem; }
.wide { overflow-x: auto; }
table { font-size: .84rem; }
"""
_SIZE = (6.4, 3.8)
_COLORS = (OURS, THEIRS, "#a9743a")
"""Of the opponents of a curve, and of responses."""
_RESPONSES = {
    "best_response": "best response",
    "local": "local best response",
    "trained": "trained responder",
}


def write_page(path: Path, document: Mapping[str, Any]) -> None:
    """Write the page about a document of `KeptRows`. Raises OSError if that fails."""
    write_text(path, page_html(document))


def page_html(document: Mapping[str, Any]) -> str:
    its = sections(document)
    body = "\n".join((_opening(its), *(_section(one, document) for one in its), _origin(document)))
    return page("pokerspiel: the Sviten bots measured", body, _STYLE)


def _opening(its: Sequence[Section]) -> str:
    titles = ", ".join(dict.fromkeys(one.part for one in its)) or "nothing yet"
    return (
        "<h1>How strong are the Sviten bots?</h1>\n"
        f'<p class="lead">Measured: {titles}.</p>\n'
        "<p>Heads-up Sviten Special is too large for exact values: there, strength is what a bot "
        "wins from others, and a lower bound on what can be won from it. Whatever is called "
        f"exact is so in a small game only. All figures are in <code>{FILE}</code> beside this "
        "file.</p>"
    )


def _section(one: Section, document: Mapping[str, Any]) -> str:
    parts = [f"<h2>{escape(one.title)}</h2>", f"<p>{escape(one.about)}</p>"]
    draw = _FIGURES.get(one.name)
    if draw is not None:
        parts += draw(rows_of(document, one.name))
    parts.append(f'<div class="wide">{table(one.columns, one.cells)}</div>')
    return "\n".join(parts)


def _origin(document: Mapping[str, Any]) -> str:
    """Machines and versions of all calls that have measured what is shown."""
    shown = {row["sitting"] for its in document["parts"].values() for row in its["rows"]}
    parts = ["<h2>How it was measured</h2>"]
    for number in sorted(shown):
        sitting = document["sittings"][number]
        facts = [
            ("started", sitting["started"]),
            ("machine", machine_words(sitting["machine"])),
            ("versions", versions_words(sitting["versions"])),
        ]
        parts.append(table(("", ""), facts))
    parts.append(
        '<p class="small">Rows that were measured before with the same settings are shown as they '
        "were. With several threads two trainings are never quite the same.</p>"
    )
    return "\n".join(parts)


# Figures.


def _won(rows: Sequence[Row], of: str) -> str:
    """Means and intervals, one line for each row, which is named by its key `of`."""
    return match_figure(
        [{"opponent": row[of], "unit": row["unit"], "players": [row]} for row in rows]
    )


def _measured(rows: Sequence[Row]) -> list[Row]:
    """Those with an interval."""
    return [row for row in rows if row["ci95"] is not None]


def _match_figures(rows: Sequence[Row]) -> list[str]:
    """A figure for each bot."""
    figures = []
    for bot in dict.fromkeys(row["bot"] for row in _measured(rows)):
        its = [row for row in _measured(rows) if row["bot"] == bot]
        caption = (
            f"What {escape(bot)} wins from each opponent in big blinds per 100 hands: the dot is "
            "the mean, the bar the 95 % interval."
        )
        figures.append(figure(_won(its, "opponent"), caption))
    return figures


def _lbr_figures(rows: Sequence[Row]) -> list[str]:
    if not _measured(rows):
        return []
    caption = (
        "What local best response wins from each bot in big blinds per 100 hands: the dot is the "
        "mean, the bar the 95 % interval. Less is better for the bot."
    )
    return [figure(_won(_measured(rows), "bot"), caption)]


def _bound_figures(rows: Sequence[Row]) -> list[str]:
    with matplotlib.rc_context(STYLE):
        drawing = Figure(figsize=(_SIZE[0], 0.9 + 0.5 * len(rows)))
        axes = drawing.subplots()
        places = range(len(rows))[::-1]
        for place, row in zip(places, rows, strict=True):
            won = [row[name]["mbb_per_hand"] for name in _RESPONSES]
            axes.plot([min(won), max(won)], [place, place], color=MUTED, linewidth=1)
        for (name, label), marker, color in zip(_RESPONSES.items(), "osD", _COLORS, strict=True):
            won = [row[name]["mbb_per_hand"] for row in rows]
            axes.plot(won, places, marker, color=color, label=label, markerfacecolor="none")
        axes.axvline(1000.0 * EXACT_GOAL, color=GOAL, linewidth=1, linestyle="--", label="goal")
        axes.set_xscale("symlog", linthresh=1.0)
        all_won = [row[name]["mbb_per_hand"] for row in rows for name in _RESPONSES]
        axes.set_xlim(min(2.0 * min(all_won), 0.0), 2.0 * max(all_won))
        axes.set_yticks(places, [row["bot"] for row in rows])
        axes.set_ylim(-0.6, len(rows) - 0.4)
        axes.set_xlabel("won from the bot, thousandths of a big blind a hand")
        axes.legend(frameon=False)
        svg = svg_text(drawing)
    caption = (
        "What the best response wins from each bot, and what its bounds do: all exact, on a "
        "logarithmic axis that is linear below 1. The goal is for the bot that has learnt longest."
    )
    return [figure(svg, caption)]


def _abstraction_figures(rows: Sequence[Row]) -> list[str]:
    whole = next((row for row in rows if row["buckets"] is None), None)
    bucketed = sorted((row for row in rows if row["buckets"]), key=lambda row: row["buckets"])
    with matplotlib.rc_context(STYLE):
        drawing = Figure(figsize=_SIZE)
        axes = drawing.subplots()
        numbers = [row["buckets"] for row in bucketed]
        axes.plot(numbers, [row["exploitability"] for row in bucketed], "o-", color=OURS)
        if whole is not None:
            label = "all hands told apart"
            axes.axhline(
                whole["exploitability"], color=THEIRS, linewidth=1, linestyle="--", label=label
            )
            axes.legend(frameon=False)
        axes.set_yscale("log")
        _log_axis(axes, numbers)
        axes.set_xlabel("buckets at each moment")
        axes.set_ylabel("exploitability, big blinds a hand")
        svg = svg_text(drawing)
    caption = "Exact exploitability in the whole small game of what has been learnt in buckets."
    return [figure(svg, caption)]


def _curve_figures(rows: Sequence[Row], label: str) -> list[str]:
    """Winnings along a curve, one line with its intervals for each opponent."""
    with matplotlib.rc_context(STYLE):
        drawing = Figure(figsize=_SIZE)
        axes = drawing.subplots()
        opponents = dict.fromkeys(row["opponent"] for row in _measured(rows))
        for opponent, color in zip(opponents, _COLORS, strict=False):
            its = [row for row in _measured(rows) if row["opponent"] == opponent]
            its.sort(key=lambda row: float(row["place"]))
            x = [row["place"] for row in its]
            mean = [row["mbb_per_hand"] for row in its]
            reach = [mean[i] - row["ci95"][0] for i, row in enumerate(its)]
            axes.errorbar(
                x, mean, reach, fmt="o-", color=color, capsize=3, label=f"against {opponent}"
            )
        axes.axhline(0.0, color=INK, linewidth=1)
        _log_axis(axes, sorted({row["place"] for row in rows}))
        axes.set_xlabel(label)
        axes.set_ylabel("won, thousandths of a big blind a hand")
        axes.legend(frameon=False)
        svg = svg_text(drawing)
    return [figure(svg, f"What the bot wins, against {escape(label)}; bars are 95 % intervals.")]


def _log_axis(axes: Any, places: Sequence[float]) -> None:
    """A logarithmic axis whose ticks are the places that were measured."""
    axes.set_xscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_xticks(places, [f"{place:g}" for place in places])


_FIGURES: Mapping[str, Callable[[Sequence[Row]], list[str]]] = MappingProxyType(
    {
        "bounds": _bound_figures,
        "abstraction": _abstraction_figures,
        "matches": _match_figures,
        "lbr": _lbr_figures,
        "river": _match_figures,
        TIME: lambda rows: _curve_figures(rows, "seconds of training"),
        BUCKETS: lambda rows: _curve_figures(rows, "number of buckets"),
    }
)
"""What draws the figures of a section, by its name."""
