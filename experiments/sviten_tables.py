"""The measurements of `bench sviten` as tables with a word on what they say: for every page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pokerspiel.experiments.bench_bounds import GOAL
from pokerspiel.experiments.bench_curves import BUCKETS, TIME
from pokerspiel.experiments.kept_rows import Row
from pokerspiel.experiments.match_tables import interval_text
from pokerspiel.solvers.best_response import EXPLOITABILITY

INTERVALS = (
    "mbb are thousandths of a big blind a hand; every deal is played twice with the seats "
    "exchanged, and the intervals of 95 % confidence are over deals"
)


@dataclass(frozen=True)
class Section:
    """A table of one part."""

    part: str
    name: str
    """Of the table: "time" and "buckets" are both of the part "curves"."""
    title: str
    columns: tuple[str, ...]
    """Those whose name ends in ">" hold numbers."""
    cells: Sequence[tuple[str, ...]]
    about: str
    """What is measured: against whom, over how many hands, by which interval, whether exactly."""


def sections(document: Mapping[str, Any]) -> list[Section]:
    """Tables of all rows in a document of `KeptRows` that were asked for last."""
    found = []
    for part, name, make in _SECTIONS:
        rows = rows_of(document, name)
        if rows:
            title, columns, cells, about = make(rows)
            found.append(Section(part, name, title, columns, cells, about))
    return found


def rows_of(document: Mapping[str, Any], name: str) -> list[Row]:
    """The rows behind the table of a name."""
    curve = name in (TIME, BUCKETS)
    rows: list[Row] = document["parts"].get("curves" if curve else name, {}).get("rows", [])
    return [row for row in rows if not curve or row["curve"] == name]


_Table = tuple[str, tuple[str, ...], Sequence[tuple[str, ...]], str]
"""Title, columns, cells and the words about them."""


def _mbb(value: float | None) -> str:
    return "" if value is None else f"{value:+,.1f}"


def _hands(rows: Sequence[Row]) -> str:
    """How many hands every row has: "1,000", or "1,000 to 2,000"."""
    numbers = sorted({row["hands"] for row in rows})
    return " to ".join(f"{n:,}" for n in dict.fromkeys((numbers[0], numbers[-1])))


def _games(rows: Sequence[Row]) -> str:
    return ", ".join(dict.fromkeys(row["game"] for row in rows))


def _speed(rows: Sequence[Row]) -> _Table:
    cells = []
    for row in rows:
        rival = "" if row["rival"] is None else f"{row['rival']:,.0f}"
        ratio = "" if row["ratio"] is None else f"{row['ratio']:,.2f}"
        reached = row["ours"] if row["absolute"] else row["ratio"]
        met = "yes" if reached >= row["goal"] else "NO"
        name = f"{row['name']}, {row['unit']}/s"
        goal = f"{row['goal']:,g}"
        cells.append((name, f"{row['ours']:,.0f}", rival, row["rival_name"], ratio, goal, met))
    columns = ("what", "ours>", "other>", "the other", "ratio>", "goal>", "met")
    rounds = ", ".join(f"{n}" for n in dict.fromkeys(row["settings"]["rounds"] for row in rows))
    about = (
        f"{_games([row['settings'] for row in rows])}: medians of {rounds} stretches, both sides "
        "in turn within one run. A goal is for the ratio, or for our own rate where there is no "
        "other."
    )
    return "Speed", columns, cells, about


def _bounds(rows: Sequence[Row]) -> _Table:
    cells = [
        (
            row["bot"],
            f"{row['exploitability']:.4f}",
            _mbb(row["best_response"]["mbb_per_hand"]),
            _mbb(row["local"]["mbb_per_hand"]),
            _mbb(row["trained"]["mbb_per_hand"]),
            "yes" if row["holds"] else "NO",
        )
        for row in rows
    ]
    columns = (
        *("bot", "exploitability, big blinds>", "best response, mbb>"),
        *("local best response, mbb>", "trained responder, mbb>", "bounds hold"),
    )
    best = min(row["exploitability"] for row in rows)
    verdict = "within" if best <= GOAL else "NOT within"
    about = (
        f"All exact, by walking {rows[0]['game']} whole: what each response wins a hand, mean of "
        "both seats, in thousandths of a big blind. The trained responder has learnt for "
        f"{rows[0]['responder_iterations']:,} iterations against the bot. The bounds hold if none "
        f"of them is above the best response in any seat. Exploitability is {EXPLOITABILITY}, for "
        f"two players what the best response wins. The strongest bot is {best:.4f} big blinds from "
        f"an equilibrium, {verdict} the goal of {GOAL:g}."
    )
    return "Bounds on what a perfect opponent wins", columns, cells, about


def _quality(rows: Sequence[Row]) -> _Table:
    (row,) = rows
    cells = [
        (
            one["moment"],
            f"{one['buckets']:,}",
            f"{one['used']:,}",
            *(f"{one[name]:.3f}" for name in ("draw", "omaha", "mean")),
        )
        for one in row["moments"]
    ]
    columns = ("moment", "buckets>", "used>", "R² draw half>", "R² Omaha half>", "R² mean>")
    about = (
        f"{row['game']}: share of the variance of percentiles that the means of buckets explain, "
        f"estimated from {row['hands']:,} random hands. It tells about hands, not about play."
    )
    return "What buckets tell", columns, cells, about


def _abstraction(rows: Sequence[Row]) -> _Table:
    cells = [
        (
            "all hands told apart" if row["buckets"] is None else f"{row['buckets']:,}",
            f"{row['information_sets']:,}",
            f"{row['exploitability']:.4f}",
            f"{row['value'][0]:+.4f}",
            f"{row['iterations']:,}",
        )
        for row in rows
    ]
    columns = (
        *("buckets a moment", "information sets>", "exploitability, big blinds>"),
        *("value of seat 0>", "iterations>"),
    )
    about = (
        f"Exact, in the whole of {rows[0]['settings']['game']}: exploitability ({EXPLOITABILITY}), "
        "in big blinds a hand, of what MCCFR has learnt in buckets. The last row has no "
        "buckets and as many iterations: what it is off is what more training would mend."
    )
    return "What an abstraction loses", columns, cells, about


def _matches(rows: Sequence[Row]) -> _Table:
    cells = [
        (
            row["bot"],
            row["opponent"],
            _mbb(row["mbb_per_hand"]),
            interval_text(row["ci95"]),
            f"{row['misses']:.2%}",
            f"{row['hands']:,}",
        )
        for row in rows
    ]
    columns = ("bot", "opponent", "mbb/hand>", "95 % interval>", "unknown decisions>", "hands>")
    about = (
        f"What the bot wins from the opponent in {_games(rows)}, over {_hands(rows)} duplicate "
        f"hands each; {INTERVALS}."
    )
    return "Matches", columns, cells, about


def _lbr(rows: Sequence[Row]) -> _Table:
    cells = [
        (row["bot"], _mbb(row["mbb_per_hand"]), interval_text(row["ci95"]), f"{row['hands']:,}")
        for row in rows
    ]
    columns = ("bot", "local best response wins, mbb/hand>", "95 % interval>", "hands>")
    particles = rows[0]["particles"]
    about = (
        f"A sampled lower bound on exploitability in {_games(rows)}, not the exact one: what a "
        f"local best response that keeps {particles:,} deals in mind wins from the bot over "
        f"{_hands(rows)} duplicate hands; {INTERVALS}."
    )
    return "Local best response", columns, cells, about


def _river(rows: Sequence[Row]) -> _Table:
    _, columns, cells, about = _matches(rows)
    return "The last betting round solved anew, against the bot itself", columns, cells, about


def _curve(rows: Sequence[Row], place: str, title: str, what: str) -> _Table:
    cells = [
        (
            f"{row['place']:g}",
            row["opponent"],
            _mbb(row["mbb_per_hand"]),
            interval_text(row["ci95"]),
            f"{row['trained_seconds']:,.1f}",
            f"{row['iterations']:,}",
            f"{row['information_sets']:,}" + (", full" if row["memory_full"] else ""),
        )
        for row in rows
    ]
    columns = (
        *(place, "opponent", "mbb/hand>", "95 % interval>"),
        *("trained, s>", "iterations>", "information sets>"),
    )
    threads = rows[0]["settings"]["threads"]
    about = (
        f"{what}, with {threads} thread{'' if threads == 1 else 's'}. What the bot wins from each "
        f"opponent over {_hands(rows)} duplicate hands; {INTERVALS}. The intervals are about the "
        "cards of the matches; another training would give another bot."
    )
    return title, columns, cells, about


def _time(rows: Sequence[Row]) -> _Table:
    what = f"One training in {rows[0]['settings']['game']}, looked at as it goes on"
    return _curve(rows, "seconds>", "Strength against training time", what)


def _buckets(rows: Sequence[Row]) -> _Table:
    what = f"One training for each number of buckets in {rows[0]['settings']['game']}"
    return _curve(rows, "buckets>", "Strength against the number of buckets", what)


_SECTIONS: tuple[tuple[str, str, Callable[[Sequence[Row]], _Table]], ...] = (
    ("speed", "speed", _speed),
    ("bounds", "bounds", _bounds),
    ("abstraction", "quality", _quality),
    ("abstraction", "abstraction", _abstraction),
    ("matches", "matches", _matches),
    ("lbr", "lbr", _lbr),
    ("river", "river", _river),
    ("curves", TIME, _time),
    ("curves", BUCKETS, _buckets),
)
