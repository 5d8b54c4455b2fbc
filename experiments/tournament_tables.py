"""The tables of a tournament, as words: for the terminal, the page and `table.md`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pokerspiel.experiments.bench_tables import machine_words, pipes, versions_words
from pokerspiel.experiments.match_tables import interval_text

Document = Mapping[str, Any]

UNITS = {"ante": "milli-antes", "big blind": "thousandths of a big blind"}


@dataclass(frozen=True)
class Table:
    """A title, columns (those whose name ends in ">" hold numbers), rows, and lines below."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Column:
    head: str
    cell: Callable[[Document], str]


def _table(
    title: str, columns: Sequence[_Column], rows: Sequence[Document], notes: Sequence[str] = ()
) -> Table:
    cells = tuple(tuple(column.cell(row) for column in columns) for row in rows)
    return Table(title, tuple(column.head for column in columns), cells, tuple(notes))


def mean_text(score: Document | None, digits: int = 0) -> str:
    mean = None if score is None else score["mbb_per_hand"]
    return "" if mean is None else f"{mean:+,.{digits}f}"


def _interval(score: Document | None) -> str:
    return "" if score is None else interval_text(score["ci95"])


def reach_text(score: Document | None, digits: int = 0) -> str:
    """The mean and half the width of its interval."""
    if score is None or score["mbb_per_hand"] is None:
        return ""
    if score["ci95"] is None:
        return mean_text(score, digits)
    low, high = score["ci95"]
    return f"{mean_text(score, digits)} ± {(high - low) / 2:,.{digits}f}"


# Leaderboard.


def leaderboard(document: Document) -> Table:
    """Every bot with its score, best first."""
    bots = document["bots"]
    columns = [
        _Column("rank>", lambda bot: "" if bot["rank"] is None else str(bot["rank"])),
        _Column("bot", lambda bot: str(bot["name"])),
        _Column("mbb/hand>", lambda bot: mean_text(bot["score"])),
        _Column("95 % interval>", lambda bot: _interval(bot["score"])),
    ]
    if document["values"]:
        columns += [
            _Column("AIVAT>", lambda bot: mean_text(bot["aivat"])),
            _Column("95 % interval>", lambda bot: _interval(bot["aivat"])),
        ]
    columns.append(_Column("hands>", lambda bot: f"{bot['hands']:,}"))
    if any(bot["misses"] for bot in bots):
        columns.append(_Column("misses>", lambda bot: f"{bot['misses']:.2%}"))
    if any(bot["faults"] for bot in bots):
        columns.append(_Column("faults>", lambda bot: f"{sum(bot['faults'].values()):,}"))
    if any(_exploitability(bot) for bot in bots):
        columns.append(_Column("exploitability>", _exploitability))
    unit = UNITS[document["unit"]]
    title = f"{document['game']}: {document['hands']:,} hands a match, mbb are {unit}"
    return _table(title, columns, bots, _notes_of_leaderboard(document))


def _exploitability(bot: Document) -> str:
    found = bot["exploitability"]
    if found is None or found["mbb_per_hand"] is None:
        return ""
    sign = "" if found["exact"] else "≥ "
    return f"{sign}{found['mbb_per_hand']:,.4g}"


def _notes_of_leaderboard(document: Document) -> list[str]:
    bots, notes = document["bots"], []
    if any(bot["rank"] is None for bot in bots):
        notes.append(
            f"ranked are those with {document['min_hands']:,} hands or more and no failed match"
        )
    if any(bot["faults"] for bot in bots):
        notes.append("faults are decisions that a program gave no good answer to; a rule made them")
    found = [bot["exploitability"] for bot in bots if bot["exploitability"]]
    if any(its["mbb_per_hand"] is not None for its in found):
        words = "exploitability: what a perfect opponent wins, mean of all seats, exact"
        bound = any(not its["exact"] and its["mbb_per_hand"] is not None for its in found)
        notes.append(words + (" but where ≥ marks a lower bound by sampling" if bound else ""))
    return notes


# Cross-table.


def cross_table(document: Document, kind: str | None = None) -> Table:
    """What the bot of a row wins when that of a column is at the table; `kind` plain or aivat."""
    kind = kind or document["scored_by"]
    names = [bot["name"] for bot in document["bots"]]
    rows = tuple(
        (name, *(reach_text(cell) for cell in cells))
        for name, cells in zip(names, document["cross_table"][kind], strict=True)
    )
    what = "from the column" if document["players"] == 2 else "when the column is at the table"
    by = ", corrected by AIVAT" if kind == "aivat" else ""
    title = f"what the row wins {what}, mbb/hand ± half the 95 % interval{by}"
    return Table(title, ("", *(f"{name}>" for name in names)), rows)


# Ratings.


def ratings(document: Document) -> Table | None:
    """Ratings of two-player tournaments; None without any."""
    bots = [bot for bot in document["bots"] if bot.get("rating")]
    if not bots:
        return None
    columns = [
        _Column("bot", lambda bot: str(bot["name"])),
        _Column("rating>", lambda bot: reach_text(bot["rating"])),
        _Column("Nash average>", lambda bot: mean_text(bot["nash"])),
        _Column("95 % interval>", lambda bot: _interval(bot["nash"])),
        _Column("in it>", lambda bot: f"{bot['nash']['share']:.1%}"),
        _Column("alpha-rank>", lambda bot: f"{bot['alpha_rank']['share']:.1%}"),
        _Column("95 % interval>", lambda bot: _shares(bot["alpha_rank"]["ci95"])),
    ]
    return _table("ratings, mbb/hand", columns, bots, (cycles_words(document),))


def _shares(ci95: Sequence[float] | None) -> str:
    return "" if ci95 is None else f"{ci95[0]:.1%} to {ci95[1]:.1%}"


def cycles_words(document: Document) -> str:
    """What the test for cycles says, in a sentence or two."""
    cycles, circles = document["ratings"]["cycles"], document["ratings"]["circles"]
    if cycles is None:
        return "cycles: none can be told from so few bots or deals"
    verdict = (
        "no rating explains them, read the cross-table"
        if cycles["p_value"] < 0.05
        else "ratings and noise explain them"
    )
    p_value = max(cycles["p_value"], 0.001)
    sign = "<" if cycles["p_value"] < 0.001 else "="
    in_turn = "; ".join(" beats ".join([*names, names[0]]) for names in circles)
    return (
        f"cycles: ratings leave {cycles['share']:.2%} of the squared winnings unexplained, noise "
        f"alone would {cycles['by_noise']:.2%} (p {sign} {p_value:.3f}): {verdict}; "
        f"circles of three, each match beyond its interval: {in_turn or 'none'}"
    )


# Matches.


def matches(document: Document) -> Table:
    """Every match with its interval, and how many hands the pairing of deals and AIVAT save."""
    two = document["players"] == 2
    rows = [
        (match, player)
        for match in document["matches"]
        for player in (match["players"][:1] if two else match["players"])
        if not match["failure"]
    ]
    head = ["match", "bot", "mbb/hand>", "95 % interval>", "saves>"]
    if document["values"]:
        head += ["AIVAT>", "95 % interval>", "saves>"]
    cells = []
    for match, player in rows:
        names = " - ".join(its["name"] for its in match["players"])
        row = [names, player["name"], mean_text(player), _interval(player), _saved(player)]
        if document["values"]:
            fair = player["aivat"]
            row += [mean_text(fair), _interval(fair), _saved(fair)]
        cells.append(tuple(row))
    note = (
        "saves: how many times more hands give the same interval if every hand has cards of its own"
    )
    return Table("matches", tuple(head), tuple(cells), (note,))


def _saved(score: Document) -> str:
    saved = score["hands_saved"]
    return "" if saved is None else f"{saved:.1f} ×"


# Markdown.


def markdown(document: Document) -> str:
    """All tables, with how they were measured."""
    tables = [leaderboard(document), cross_table(document), ratings(document), matches(document)]
    parts = [f"# {document['game']}"]
    for table in tables:
        if table is not None:
            parts.append(f"## {table.title}")
            parts.append(pipes([name.rstrip(">") for name in table.head], table.rows))
            parts += table.notes
    parts += [
        f"- {' - '.join(player['name'] for player in match['players'])} failed: {match['failure']}"
        for match in document["matches"]
        if match["failure"]
    ]
    for sitting in document["sittings"]:
        parts.append(
            f"{sitting['started']}: {machine_words(sitting['machine'])}; "
            f"{versions_words(sitting['versions'])}; `{sitting['command']}`"
        )
    return "\n\n".join(parts) + "\n"
