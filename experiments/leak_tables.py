"""What `pokerspiel leaks` tells: tables on a terminal, and a page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from pokerspiel.agents.leak_rows import PARTS
from pokerspiel.agents.leak_views import PLAYOUTS as VIEW_PLAYOUTS
from pokerspiel.experiments.output import print_table
from pokerspiel.experiments.report import page, table

ORDER = (
    "Choices, draws and nodes are sorted by size; each interval holds for its line alone, so that "
    "among a hundred lines without any leak five have intervals beside zero."
)
_HEAD = ("mbb/hand>", "95 % interval>")


def tables_of(document: dict[str, Any]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Title, columns and rows of all that a document tells."""
    total = document["total"]
    rows = [
        ["leaks, all decisions", *_figures(total)],
        ["won in these hands", *_figures(document["won"])],
        ["difference", *_figures(document["difference"])],
    ]
    if "parts" in total:
        names = dict(zip(PARTS, ("draw halves", "Omaha halves", "no showdown"), strict=True))
        rows[1:1] = [
            [f"  {names[part]}", *_figures(figure)] for part, figure in total["parts"].items()
        ]
    tables = [("", ["", *_HEAD], rows), _table("by street", "street", document["streets"])]
    if document["choices"]:
        title = "by choice: what was done too often, and not what"
        tables.append(_table(title, "choice", document["choices"]))
    if document["draws"]:
        shown = document["draws"][: document["top"]]
        title = f"by draw, the worst {len(shown)} of {len(document['draws'])}"
        tables.append(_table(title, "choice", shown))
    if document["street_nodes_met"] < document["nodes_met"]:
        tables.append(_nodes(document, "street_nodes", "by the betting of the street"))
    tables.append(_nodes(document, "nodes", "by node"))
    return tables


def _nodes(
    document: dict[str, Any], member: str, title: str
) -> tuple[str, list[str], list[list[str]]]:
    shown, met = len(document[member]), document[f"{member}_met"]
    return _table(f"{title}, the worst {shown} of {met:,}", "public actions", document[member])


def _table(
    title: str, what: str, leaks: Sequence[dict[str, Any]]
) -> tuple[str, list[str], list[list[str]]]:
    in_parts = bool(leaks) and "parts" in leaks[0]
    head = [what, "decisions>", *_HEAD, *(["draw>", "Omaha>", "rest>"] if in_parts else [])]
    rows = [
        [
            leak["name"],
            f"{leak['reached']:,}",
            *_figures(leak),
            *(_number(part["mbb_per_hand"]) for part in leak.get("parts", {}).values()),
        ]
        for leak in leaks
    ]
    return title, head, rows


def _figures(figure: dict[str, Any]) -> list[str]:
    low_high = [] if figure["ci95"] is None else map(_number, figure["ci95"])
    return [_number(figure["mbb_per_hand"]), " to ".join(low_high)]


def _number(mbb: float | None) -> str:
    return "" if mbb is None else f"{mbb:+,.1f}"


def title_of(document: dict[str, Any]) -> str:
    unit = "milli-antes" if document["unit"] == "ante" else "thousandths of a big blind"
    return (
        f"{document['game']}: {document['player']} judged by {document['reference']}, "
        f"{document['hands']:,} hands ({document['deals']:,} deals), "
        f"{document['playouts']} play-outs an action, mbb are {unit}"
    )


def notes_of(document: dict[str, Any]) -> list[str]:
    """How to read the tables, and what was left out of hands that were played."""
    source = document["source"]
    words = {
        "hands_of_other_games": "hands of other games are left out",
        "hands_seen_by_others_alone": "hands are left out: another seat saw them",
        "hands_with_cards_drawn": "hands were seen by the player alone: the cards of the others "
        f"are drawn as the reference would hold them, with {VIEW_PLAYOUTS} play-outs or more",
        "decisions_without_a_value": "decisions have no value: too few deals fit them",
    }
    left_out = [f"{source[name]:,} {text}." for name, text in words.items() if source.get(name)]
    return [ORDER, *left_out]


def report_html(document: dict[str, Any]) -> str:
    """A page with all tables."""
    parts = [
        f"<h1>Leaks of {escape(document['player'])}</h1>",
        f'<p class="lead">{escape(title_of(document))}; seed {document["seed"]}, '
        f"{document['seconds']:,.0f} s.</p>",
    ]
    for title, columns, rows in tables_of(document):
        parts += [f"<h2>{escape(title)}</h2>" if title else "", table(columns, rows)]
    parts += [f'<p class="small">{escape(line)}</p>' for line in notes_of(document)]
    parts.append(
        '<p class="small">A decision costs what the seat wins on average after what was done, less '
        "what it wins after what the reference does there, with the reference in all seats from "
        "then on (performance difference lemma). The sum over all decisions is what the player "
        "wins from the reference; the difference shows how well the two estimates agree.</p>"
    )
    return page(f"Leaks of {document['player']}", "\n".join(parts))


def print_leaks(document: dict[str, Any]) -> None:
    """All tables, on standard output."""
    print(title_of(document))
    for title, columns, rows in tables_of(document):
        print_table(title, columns, rows)
    for line in notes_of(document):
        print(line)
