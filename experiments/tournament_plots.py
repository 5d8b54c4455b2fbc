"""The figures of a tournament's page, as SVG text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from pokerspiel.experiments.plots import GOAL, INK, OURS, STYLE, svg_text

Document = Mapping[str, Any]

_COLOURS = LinearSegmentedColormap.from_list("won and lost", [GOAL, "#fbfbf9", OURS])
_MOST_NUMBERS = 14
"""Bots up to which there is room for numbers in the cells."""


def score_figure(document: Document) -> str:
    """Each bot's score with its interval, best first; those that are best to go by."""
    bots = [bot for bot in document["bots"] if bot["score"]["mbb_per_hand"] is not None]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 0.8 + 0.4 * len(bots)))
        axes = figure.subplots()
        for row, bot in enumerate(reversed(bots)):
            score = bot["aivat"] or bot["score"]
            if score["ci95"] is not None:
                axes.plot(score["ci95"], [row, row], color=OURS, linewidth=5, alpha=0.35)
            axes.plot([score["mbb_per_hand"]], [row], "o", color=OURS, markersize=6)
        axes.axvline(0.0, color=INK, linewidth=1)
        axes.set_yticks(range(len(bots)), [bot["name"] for bot in reversed(bots)])
        axes.set_ylim(-0.6, len(bots) - 0.4)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("mbb/hand, mean over all opponents")
        return svg_text(figure)


def heat_map(document: Document) -> str:
    """The cross-table: green where the bot of the row wins, red where it loses."""
    names = [bot["name"] for bot in document["bots"]]
    cells = document["cross_table"][document["scored_by"]]
    means = np.array([[_mean(cell) for cell in row] for row in cells])
    largest = float(np.nanmax(np.abs(means))) if np.isfinite(means).any() else 1.0
    with matplotlib.rc_context({**STYLE, "axes.grid": False}):
        size = max(3.2, 0.85 * len(names) + 1.4)
        figure = Figure(figsize=(size, size * 0.8))
        axes = figure.subplots()
        limit = largest or 1.0
        axes.imshow(means, cmap=_COLOURS, vmin=-limit, vmax=limit, aspect="auto")
        axes.set_xticks(range(len(names)), names, rotation=40, ha="left")
        axes.set_yticks(range(len(names)), names)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for side in axes.spines.values():
            side.set_visible(False)
        if len(names) <= _MOST_NUMBERS:
            _write_numbers(axes, cells, 0.7 * limit)
        return svg_text(figure)


def _mean(cell: Document | None) -> float:
    mean = None if cell is None else cell["mbb_per_hand"]
    return float("nan") if mean is None else float(mean)


def _write_numbers(axes: Any, cells: Sequence[Sequence[Document | None]], dark: float) -> None:
    """Write mean and interval into each cell, in white from the mean `dark` on."""
    for row, line in enumerate(cells):
        for column, cell in enumerate(line):
            if cell is None or cell["mbb_per_hand"] is None:
                continue
            text = f"{cell['mbb_per_hand']:+,.0f}"
            if cell["ci95"] is not None:
                text += f"\n± {(cell['ci95'][1] - cell['ci95'][0]) / 2:,.0f}"
            color = "white" if abs(cell["mbb_per_hand"]) > dark else INK
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color=color)
