"""What a tournament has found, to read and to cite: `report.html` and `table.md`."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from pokerspiel.experiments.bench_tables import machine_words, versions_words
from pokerspiel.experiments.ratings import EPSILON
from pokerspiel.experiments.report import figure, page, table
from pokerspiel.experiments.run_folder import write_text
from pokerspiel.experiments.tournament_plots import heat_map, score_figure
from pokerspiel.experiments.tournament_tables import (
    UNITS,
    Table,
    cross_table,
    cycles_words,
    leaderboard,
    markdown,
    matches,
    ratings,
)

REPORT, TABLE_MD = "report.html", "table.md"

Document = Mapping[str, Any]

_STYLE = """
main { max-width: 62rem; }
main > p, main > ul, main > h1 { max-width: 46rem; }
table { font-size: .84rem; }
.wide { overflow-x: auto; }
td { white-space: nowrap; }
.origin td { white-space: normal; overflow-wrap: anywhere; }
"""


def write_reports(folder: Path, document: Document) -> None:
    """Write both files into the folder. Raises OSError if that fails."""
    write_text(folder / REPORT, report_html(document))
    write_text(folder / TABLE_MD, markdown(document))


def report_html(document: Document) -> str:
    sections = (
        _opening(document),
        _leaderboard(document),
        _cross_table(document),
        _ratings(document),
        _matches(document),
        _failures(document),
        _origin(document),
    )
    return page("pokerspiel: a tournament", "\n".join(filter(None, sections)), _STYLE)


def _opening(document: Document) -> str:
    bots, players = document["bots"], document["players"]
    who = "every bot met every other one" if players == 2 else f"every {players} bots met"
    orders = (
        "Every deal was played in both seats"
        if players == 2
        else "Every deal was played in all orders around the table and all rotations of the seats"
    )
    return (
        f"<h1>{len(bots)} bots at <code>{escape(document['game'])}</code></h1>\n"
        f'<p class="lead">In {document["hands"]:,} hands a match {who}, with the same cards in '
        "all matches.</p>\n"
        f"<p>{orders}. Scores are {UNITS[document['unit']]} a hand (mbb/hand). "
        "The deal is the sampling unit: all hands that were played with its cards, at all tables, "
        "count as one number, and intervals hold the true mean with 95 % confidence.</p>"
    )


def _words(its: Table) -> str:
    notes = "".join(f'<p class="small">{escape(_sentence(line))}</p>' for line in its.notes)
    return f'<div class="wide">{table(its.head, its.rows)}</div>{notes}'


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _leaderboard(document: Document) -> str:
    by = _scored_by(document)
    return "\n".join(
        (
            "<h2>Leaderboard</h2>",
            f"<p>A bot's score is its mean over all matches, each of them weighing the same{by}; "
            "the interval is a bootstrap over deals.</p>",
            figure(score_figure(document), "Score of each bot with its 95 % interval."),
            _words(leaderboard(document)),
        )
    )


def _scored_by(document: Document) -> str:
    if document["scored_by"] == "plain":
        return ""
    return ". Ranks, cross-table and ratings go by the scores that AIVAT has corrected for luck"


def _cross_table(document: Document) -> str:
    its = cross_table(document)
    parts = [
        "<h2>Cross-table</h2>",
        figure(heat_map(document), escape(_sentence(its.title))),
    ]
    if document["values"]:
        plain = cross_table(document, "plain")
        parts.append(
            "<details><summary>Not corrected by AIVAT</summary>" + _words(plain) + "</details>"
        )
    return "\n".join(parts)


def _ratings(document: Document) -> str:
    if document["players"] != 2:
        return (
            "<h2>Ratings</h2>\n<p>Nash averages, alpha-rank and ratings are made for games of two: "
            "there are none for more players.</p>"
        )
    its = ratings(document)
    if its is None:
        return "<h2>Ratings</h2>\n<p>There are none: too few bots have met each other.</p>"
    left_out = ", ".join(document["ratings"]["left_out"])
    without = f"<p>Without {escape(left_out)}, whose matches failed.</p>" if left_out else ""
    cycles = escape(_sentence(cycles_words(document)))
    return (
        "<h2>Ratings</h2>\n"
        "<ul>\n"
        "<li><strong>Rating</strong>: numbers whose differences come nearest to what bots win from "
        "each other, by least squares; Elo's idea in units of money (Jiang et al. 2011).</li>\n"
        "<li><strong>Nash average</strong>: what a bot wins from the most even mixture of bots "
        "that none of them beats, and its part in that mixture (Balduzzi et al. 2018).</li>\n"
        "<li><strong>Alpha-rank</strong>: the share of time that evolution spends with a bot, if a "
        f"better one takes over with probability {1 - EPSILON:g} and a worse one with {EPSILON:g} "
        "(Omidshafiei et al. 2019).</li>\n"
        "</ul>\n"
        f"<p>Ratings can only describe an order. {cycles}</p>\n"
        f"{without}{_words(Table(its.title, its.head, its.rows))}"
    )


def _matches(document: Document) -> str:
    its = matches(document)
    return f"<h2>Matches</h2>\n{_words(its)}" if its.rows else ""


def _failures(document: Document) -> str:
    rows = [
        (" - ".join(player["name"] for player in match["players"]), match["failure"])
        for match in document["matches"]
        if match["failure"]
    ]
    if not rows:
        return ""
    return (
        f'<h2>Matches that failed</h2>\n<div class="origin">{table(("match", "why"), rows)}</div>'
    )


def _origin(document: Document) -> str:
    facts = [
        ("game", f"{document['game']}, rules {document['rule_version']}"),
        ("seed", document["seed"]),
        ("deals", f"{document['deals']:,}, the same in all matches"),
        ("value function of AIVAT", document["values"] or "none"),
        ("time of playing", f"{document['seconds']:,.0f} s of all workers"),
    ]
    bots = [
        (bot["name"], bot["given"], bot["content"][:16], _trained(bot)) for bot in document["bots"]
    ]
    parts = [
        "<h2>How it was measured</h2>",
        f'<div class="origin">{table(("", ""), facts)}</div>',
        '<div class="origin">',
        table(("bot", "named", "SHA-256", "how it was made"), bots),
        "</div>",
    ]
    for sitting in document["sittings"]:
        its = [
            ("date", sitting["started"]),
            ("machine", machine_words(sitting["machine"])),
            ("versions", versions_words(sitting["versions"])),
            ("command", sitting["command"]),
        ]
        parts.append(f'<div class="origin">{table(("", ""), its)}</div>')
    parts.append(
        '<p class="small">What every deal came to is in <code>tournament.sqlite</code> beside this '
        "file.</p>"
    )
    return "\n".join(parts)


def _trained(bot: Document) -> str:
    its = bot["manifest"]
    if not its:
        return ""
    return f"{its['algorithm']}, {its['iterations']:,} iterations, seed {its['seed']}"
