"""The figures of a study, as SVG whose colours follow the page's: light or dark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import matplotlib
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from pokerspiel.experiments.plots import GOAL, GRID, INK, MUTED, OURS, STYLE, THEIRS, svg_text
from pokerspiel.experiments.study_figures import (
    BlindDecision,
    Choice,
    Contrast,
    Decision,
    Ending,
    Pots,
)
from pokerspiel.experiments.study_words import FOLD, TIE, meaning, minus, one_in, percent, split
from pokerspiel.games.cards import RANKS
from pokerspiel.games.hands import JOKER

FOLDS = "#b4bdc7"
RAISES = (OURS, "#e0a03b", "#c05746", "#7e57c2")
"""Of the bets and raises of a decision, the smallest first."""

VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--line",
    FOLDS: "--fold",
    THEIRS: "--call",
    **{color: f"--raise{i}" for i, color in enumerate(RAISES)},
}
"""The name of each colour in the style of the page."""

_STYLE = {
    **STYLE,
    "font.size": 9,
    "font.sans-serif": ["DejaVu Sans"],
    "svg.fonttype": "none",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "savefig.pad_inches": 0.0,
    "axes.axisbelow": True,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}

WIDE, NARROW = 4.7, 3.9
"""Inches: of a figure that stands alone, and of one that stands beside another."""

_BOTTOM, _TOP = 0.4, 0.1
"""Inches below the axes, and above and to the right of them."""
_NAMES = 1.2
"""Inches for names on the left."""
_FAINT = 0.4
"""Opacity of what is nearly never held."""
_OFTEN = 0.02
"""A score that makes up this share of the hands, or more, is opaque."""
SMALL = 0.001
"""A way to end that is rarer is not drawn."""
RARE = 1e-7
"""A pot that comes up more rarely is not drawn."""

Paint = Callable[..., None]


def _drawn(
    size: tuple[float, float], label: str, paint: Paint, left: float = 0.45, **panels: Any
) -> str:
    """The SVG that `paint` draws on the axes it is given, `left` inches from the edge.

    `label` says what it is to a reader that cannot see it.
    """
    width, height = size
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=size)
        figure.subplots_adjust(left / width, _BOTTOM / height, 1 - _TOP / width, 1 - _TOP / height)
        # Figures are cut to what is drawn on them: a frame that nobody sees keeps their size.
        figure.add_artist(Rectangle((0, 0), 1, 1, fill=False, linewidth=0))
        paint(*np.ravel(figure.subplots(**panels)))
        return themed(svg_text(figure), label)


def themed(svg: str, label: str) -> str:
    """An SVG in the colours of the page."""
    for color, name in VARIABLES.items():
        svg = svg.replace(color, f"var({name})")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)


def color_of_words(words: Sequence[str]) -> dict[str, str]:
    """The colour of each action of a decision."""
    kinds = {"f": FOLDS, "c": THEIRS, "x": THEIRS, "look": THEIRS}
    raises = [word for word in words if split(word)[0] not in kinds]
    colors = {word: RAISES[i % len(RAISES)] for i, word in enumerate(raises)}
    return {word: colors.get(word) or kinds[split(word)[0]] for word in words}


def _percent_axis(axis: Any) -> None:
    axis.set_major_formatter(FuncFormatter(lambda share, _: minus(f"{100 * share:.3g} %")))


def _pot_axis(axes: Any, pots: np.ndarray) -> None:
    axes.set_xticks(range(len(pots)), [str(pot) for pot in pots])
    axes.tick_params(axis="x", labelsize=7)
    axes.grid(axis="x", visible=False)
    axes.set_xlabel("pot when the deal begins, in chips")


# Blind bets.


def choices_figure(choices: Sequence[Choice], label: str) -> str:
    """What each action before the cards are seen is worth, with how often it is taken."""

    def paint(axes: Any) -> None:
        names = [f"{meaning(one.word)}: {percent(one.frequency)}" for one in choices]
        color = color_of_words([one.word for one in choices])
        worth = [one.worth for one in choices]
        bars = axes.barh(names, worth, 0.6, color=[color[one.word] for one in choices])
        axes.bar_label(bars, [minus(f"{value:+.3f}") for value in worth], padding=4)
        axes.axvline(0.0, color=INK, linewidth=1)
        axes.margins(x=0.32)
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.set_xlabel("antes won in a hand")

    return _drawn((NARROW, 0.5 + 0.36 * len(choices)), label, paint, _NAMES)


def blind_figure(blind: BlindDecision, label: str) -> str:
    """What is done before the cards are seen, at each pot."""

    def paint(axes: Any) -> None:
        _stack(axes, blind.words, blind.frequency)
        _pot_axis(axes, blind.pots)

    return _drawn((NARROW, 2.0), label, paint)


def _stack(
    axes: Any,
    words: Sequence[str],
    frequency: np.ndarray,
    alpha: np.ndarray | float = 1.0,
) -> None:
    """Stacked bars of the frequencies [words, bars] of actions."""
    color = color_of_words(words)
    bottom = np.zeros(frequency.shape[1])
    for word, share in zip(words, frequency, strict=True):
        _columns(axes, bottom, share, color[word], alpha)
        bottom += share
    axes.set_ylim(0.0, 1.0)
    axes.grid(visible=False)
    _percent_axis(axes.yaxis)


def _columns(
    axes: Any,
    bottom: np.ndarray,
    height: np.ndarray,
    color: str,
    alpha: np.ndarray | float = 1.0,
) -> None:
    """Columns at 0, 1, 2 ... as one object, which is drawn faster than many bars."""
    boxes = [
        [(x - 0.42, low), (x - 0.42, low + h), (x + 0.42, low + h), (x + 0.42, low)]
        for x, (low, h) in enumerate(zip(bottom, height, strict=True))
    ]
    faces = to_rgba_array(color, alpha)
    axes.add_collection(PolyCollection(boxes, facecolors=faces, linewidths=0))
    axes.set_xlim(-0.6, len(boxes) - 0.4)


# Decisions.


def score_figure(decision: Decision, label: str) -> str:
    """What is done with each score, and below it how often the score is held."""

    def paint(upper: Any, lower: Any) -> None:
        alpha = np.clip(decision.held / _OFTEN, _FAINT, 1.0)
        _stack(upper, decision.words, np.nan_to_num(decision.by_score), alpha)
        upper.xaxis.set_major_locator(NullLocator())
        _columns(lower, np.zeros(len(decision.held)), decision.held, MUTED)
        lower.set_ylim(0.0, 1.05 * decision.held.max())
        lower.set_xticks(
            range(len(decision.scores)), [str(score) for score in decision.scores], fontsize=6.5
        )
        lower.set_ylabel("held", color=MUTED)
        lower.grid(visible=False)
        lower.set_xlabel("points of the hand")
        lower.yaxis.set_major_locator(NullLocator())
        lower.spines["left"].set_visible(False)

    grid = {"height_ratios": (5, 1), "hspace": 0.1}
    return _drawn((NARROW, 2.6), label, paint, nrows=2, gridspec_kw=grid)


def contrast_figure(contrast: Contrast, cards: np.ndarray, label: str) -> str:
    """Hands of one score as dots: what they hold against how often they take an action."""

    def paint(axes: Any) -> None:
        lanes = _lanes(contrast, cards)
        color = color_of_words(contrast.decision.words)
        for height, some in enumerate(lanes.values()):
            spread = 0.3 * (2.0 * np.modf(0.618034 * np.arange(len(some)))[0] - 1.0)
            size = 6.0 * np.round(400.0 * contrast.weight[some] / contrast.weight.sum())
            axes.scatter(
                contrast.frequency[some],
                height + spread,
                np.clip(size, 6.0, 90.0),
                color=color[contrast.decision.words[contrast.action]],
                alpha=0.6,
                linewidth=0,
            )
        axes.set_yticks(range(len(lanes)), list(lanes))
        axes.set_ylim(-0.6, len(lanes) - 0.4)
        axes.set_xlim(-0.04, 1.04)
        _percent_axis(axes.xaxis)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(f"how often they {meaning(contrast.decision.words[contrast.action])}")

    return _drawn((NARROW, 0.7 + 0.3 * len(_lanes(contrast, cards))), label, paint, _NAMES)


def _lanes(contrast: Contrast, cards: np.ndarray) -> dict[str, list[int]]:
    """The hands of a contrast by what they hold, those that take the action least often first."""
    lanes: dict[str, list[int]] = {}
    for i, hand in enumerate(contrast.classes):
        lanes.setdefault(pattern(cards[hand]), []).append(i)

    def mean(name: str) -> float:
        some = lanes[name]
        return float(np.average(contrast.frequency[some], weights=contrast.weight[some]))

    return {name: lanes[name] for name in sorted(lanes, key=mean)}


_KINDS = ("joker", "A", "10", "low")


def pattern(cards: np.ndarray) -> str:
    """What a hand holds: the joker, aces, cards worth ten and low ones, as "joker 10 low"."""
    kinds = sorted(_kind(int(card)) for card in cards)
    return " ".join(_KINDS[kind] for kind in kinds)


def _kind(card: int) -> int:
    if card == JOKER:
        return 0
    rank = RANKS[card >> 2]
    return 1 if rank == "A" else 2 if rank in "TJQK" else 3


# Pots.


def position_figure(pots: Pots, label: str) -> str:
    """What each place wins at each pot."""

    def paint(axes: Any) -> None:
        for value, color in ((pots.first, THEIRS), (-pots.first, OURS)):
            axes.plot(value, "o-", color=color, markersize=4, linewidth=1.8)
        axes.axhline(0.0, color=INK, linewidth=1)
        _pot_axis(axes, pots.pots)
        axes.set_ylabel("antes won in a hand")

    return _drawn((WIDE, 2.8), label, paint)


def share_figure(pots: Pots, label: str) -> str:
    """What each place wins beyond half the pot, as a share of it."""

    def paint(axes: Any) -> None:
        for place, share, color in ((0, pots.share, THEIRS), (1, -pots.share, OURS)):
            at = np.arange(len(share)) + 0.2 * (2 * place - 1)
            axes.bar(at, share, 0.4, color=color, linewidth=0)
        axes.axhline(0.0, color=INK, linewidth=1)
        _pot_axis(axes, pots.pots)
        _percent_axis(axes.yaxis)

    return _drawn((NARROW, 2.3), label, paint)


def chance_figure(pots: Pots, label: str) -> str:
    """How often a hand comes to each pot."""

    def paint(axes: Any) -> None:
        at = np.flatnonzero(pots.played > RARE)
        axes.set_yscale("log")
        axes.vlines(at, RARE, pots.played[at], color=GRID, linewidth=3)
        axes.plot(at, pots.played[at], "o", color=RAISES[1], markersize=5)
        axes.set_ylim(RARE, 3.0)
        _pot_axis(axes, pots.pots[: at[-1] + 1])
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda chance, _: one_in(chance)))

    return _drawn((NARROW, 2.3), label, paint, _NAMES)


# Ends.


def endings_figure(
    first: Sequence[Ending], svarkas: Sequence[Ending], names: Mapping[tuple[str, ...], str]
) -> str:
    """How often deals end in each way: the first one of a hand, and those that follow a tie."""

    both = [end for end in (*first, *svarkas) if end.chance >= SMALL]
    kinds = list(dict.fromkeys(end.kind for end in both))

    def paint(axes: Any) -> None:
        for lane, (ends, opacity) in enumerate(((first, 1.0), (svarkas, 0.45))):
            some = [end for end in ends if end.kind in kinds]
            height = [kinds.index(end.kind) + 0.2 * (2 * lane - 1) for end in some]
            bars = axes.barh(height, [end.chance for end in some], 0.38, alpha=opacity)
            for bar, end in zip(bars, some, strict=True):
                bar.set_color(_ending_color(end))
            texts = [f"{percent(end.chance)}, pot {end.pot:.1f}" for end in some]
            axes.bar_label(bars, texts, padding=4, fontsize=7.5, color=MUTED)
        axes.set_yticks(range(len(kinds)), [names[kind] for kind in kinds])
        axes.invert_yaxis()
        axes.margins(x=0.25)
        axes.grid(axis="y", visible=False)
        _percent_axis(axes.xaxis)

    return _drawn((WIDE, 0.5 + 0.46 * len(kinds)), "How deals end", paint, 1.7)


def _ending_color(end: Ending) -> str:
    return {FOLD: FOLDS, TIE: RAISES[1]}.get(end.kind[0], OURS)


# House rules.


def sensitivity_figure(rows: Sequence[Mapping[str, Any]], key: str, label: str, share: bool) -> str:
    """One number of the changed games, each against that of the first row."""

    def paint(axes: Any) -> None:
        values = [float(row[key]) for row in rows]
        axes.axvline(values[0], color=MUTED, linewidth=1, linestyle="--")
        for height, value in enumerate(values):
            axes.plot([values[0], value], [height, height], color=THEIRS, linewidth=3, alpha=0.4)
        colors = [GOAL, *[THEIRS] * (len(rows) - 1)]
        axes.scatter(values, range(len(rows)), 40, color=colors, zorder=3)
        axes.set_yticks(range(len(rows)), [str(row["change"]) for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.margins(x=0.12)
        axes.grid(axis="y", visible=False)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        if share:
            _percent_axis(axes.xaxis)

    return _drawn((NARROW, 0.4 + 0.26 * len(rows)), label, paint, _NAMES)
