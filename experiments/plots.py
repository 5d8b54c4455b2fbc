"""The figures of the report, as SVG text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.figure import Figure

INK, MUTED, GRID = "#1f2933", "#7b8794", "#e4e7eb"
OURS, THEIRS, GOAL = "#0b6e4f", "#3e7cb1", "#c05746"
NAMES = {"ante": "antes", "big blind": "big blinds"}

STYLE = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "svg.hashsalt": "pokerspiel",
}


def svg_text(figure: Figure) -> str:
    """The figure as an SVG element, the same text every time."""
    buffer = io.StringIO()
    figure.savefig(
        buffer, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
    )
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def match_figure(matches: Sequence[dict[str, Any]]) -> str:
    """Winnings of a bot against each opponent, with the interval, in units per 100 hands."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 0.6 + 0.5 * len(matches)))
        axes = figure.subplots()
        for row, match in enumerate(reversed(matches)):
            player = match["players"][0]
            low, high = (bound / 10 for bound in player["ci95"])
            mean = player["mbb_per_hand"] / 10
            axes.plot([low, high], [row, row], color=OURS, linewidth=5, alpha=0.35)
            axes.plot([mean], [row], "o", color=OURS, markersize=6)
        axes.axvline(0.0, color=INK, linewidth=1)
        axes.set_yticks(range(len(matches)), [m["opponent"] for m in reversed(matches)])
        axes.set_ylim(-0.6, len(matches) - 0.4)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(f"{NAMES[matches[0]['unit']]} won per 100 hands")
        return svg_text(figure)


def curve_figure(curves: dict[str, Any], goal: float) -> str:
    """Exploitability against iterations, both on logarithmic axes."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.8))
        axes = figure.subplots()
        ours = [(p["iterations"], p["exploitability"]) for p in curves["mccfr"]]
        theirs = [(p["iterations"], p["exploitability"]) for p in curves["cfr_plus"]]
        axes.loglog(*zip(*ours, strict=True), "o-", color=OURS, label="MCCFR (ours)")
        axes.loglog(*zip(*theirs, strict=True), "s-", color=THEIRS, label="CFR+ (OpenSpiel)")
        first, last = ours[0], ours[-1]
        guide = [first[1] * (first[0] / x) ** 0.5 for x in (first[0], last[0])]
        axes.loglog([first[0], last[0]], guide, ":", color=MUTED, label="1 / √iterations")
        axes.axhline(goal, color=GOAL, linewidth=1, linestyle="--", label=f"goal {goal:g}")
        axes.set_xlabel("iterations")
        axes.set_ylabel(f"exploitability, {NAMES[curves['unit']]} a hand")
        axes.grid(which="major", visible=True)
        axes.legend(frameon=False)
        return svg_text(figure)


def growth_figure(training: Sequence[dict[str, Any]]) -> str:
    """Information sets found against the time of training."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 2.8))
        axes = figure.subplots()
        for run, color in zip(training, (OURS, THEIRS), strict=False):
            seconds = [row["seconds"] for row in run["metrics"]]
            sets = [row["information_sets"] for row in run["metrics"]]
            axes.semilogy(seconds, sets, color=color, linewidth=2, label=run["game"])
        axes.set_xlabel("seconds of training")
        axes.set_ylabel("information sets")
        axes.legend(frameon=False)
        return svg_text(figure)
