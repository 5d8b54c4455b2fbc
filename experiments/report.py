"""The report of the demo: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from pokerspiel.experiments.exact import GOAL
from pokerspiel.experiments.options import bytes_text
from pokerspiel.experiments.plots import NAMES, curve_figure, growth_figure, match_figure
from pokerspiel.experiments.run_folder import write_text

TITLES = {"svara": "Svara", "sviten_special": "Sviten Special"}
TO_BEAT = ("random", "always-call", "tight")

STYLE = """
:root { color-scheme: light; }
body { margin: 0; background: #fbfbf9; color: #1f2933;
  font: 17px/1.6 Georgia, "Iowan Old Style", "Palatino Linotype", serif; }
main { max-width: 46rem; margin: 0 auto; padding: 4rem 1.5rem 6rem; }
h1 { font-size: 2.3rem; line-height: 1.15; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.45rem; margin: 3.2rem 0 .6rem; padding-top: 1.2rem;
  border-top: 1px solid #e4e7eb; }
h3 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
p.lead { font-size: 1.15rem; color: #52606d; margin-top: 0; }
table, .cards, figcaption, .small { font-family: system-ui, "Segoe UI", Helvetica, sans-serif; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: 1rem 0 1.4rem; }
th { text-align: left; font-weight: 600; color: #52606d; border-bottom: 2px solid #cbd2d9; }
td, th { padding: .4rem .4rem; vertical-align: top; }
td:first-child, th:first-child { padding-left: 0; }
summary { cursor: pointer; color: #3e7cb1; font: .9rem system-ui, sans-serif; }
td { border-bottom: 1px solid #e4e7eb; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem;
  margin: 2rem 0; }
.card { background: #fff; border: 1px solid #e4e7eb; border-radius: 10px; padding: 1rem 1.1rem; }
.card b { display: block; font-size: 1.6rem; line-height: 1.2; color: #0b6e4f; }
.card.no b { color: #c05746; }
.card span { font-size: .85rem; color: #52606d; }
figure { margin: 1.2rem 0; background: #fff; border: 1px solid #e4e7eb; border-radius: 10px;
  padding: 1rem; }
figure svg { width: 100%; height: auto; }
figcaption, .small { font-size: .85rem; color: #52606d; line-height: 1.5; }
ol.hand { background: #fff; border: 1px solid #e4e7eb; border-radius: 10px;
  padding: 1rem 1rem 1rem 2.6rem; font-size: .95rem; }
ol.hand li::marker { color: #9aa5b1; font-size: .8rem; }
code { font-size: .85em; background: #f0f2f4; padding: .1em .3em; border-radius: 4px; }
"""


def write_report(path: Path, results: dict[str, Any]) -> None:
    """Write the report on `results`, the document that `demo` puts together."""
    write_text(path, report_html(results))


def report_html(results: dict[str, Any]) -> str:
    body = "\n".join(
        (
            _summary(results),
            _strength(results),
            _exactness(results),
            _training(results),
            _examples(results),
            _method(results),
        )
    )
    return page("pokerspiel: two games, two bots", body)


def page(title: str, body: str, style: str = "") -> str:
    """A page that needs nothing else; `style` is added to that of all reports."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns whose name ends in ">" hold numbers."""
    classes = [' class="n"' if name.endswith(">") else "" for name in head]
    columns = zip(head, classes, strict=True)
    top = "".join(f"<th{kind}>{escape(name.rstrip('>'))}</th>" for name, kind in columns)
    lines = []
    for row in rows:
        cells = zip(row, classes, strict=True)
        lines.append("".join(f"<td{kind}>{escape(str(cell))}</td>" for cell, kind in cells))
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def figure(svg: str, caption: str) -> str:
    """An SVG with a caption, which is HTML."""
    return f"<figure>\n{svg}\n<figcaption>{caption}</figcaption>\n</figure>"


def _title(game: str) -> str:
    name = game.partition("(")[0]
    return TITLES.get(name, name)


def _matches_of(results: dict[str, Any], bot: str) -> list[dict[str, Any]]:
    return [match for match in results["matches"] if match["bot"] == bot]


def _bots(results: dict[str, Any]) -> list[str]:
    return [run["name"] for run in results["training"]]


# Summary.


def _beaten(matches: Sequence[dict[str, Any]]) -> list[str]:
    """The opponents that are beaten by an interval that excludes zero."""
    return [match["opponent"] for match in matches if match["players"][0]["ci95"][0] > 0]


def _summary(results: dict[str, Any]) -> str:
    cards = []
    for bot in _bots(results):
        matches = _matches_of(results, bot)
        beaten = [name for name in TO_BEAT if name in _beaten(matches)]
        text = f"{_title(bot)}: beats {', '.join(beaten) or 'nobody'}"
        cards.append(_card(f"{len(beaten)} of {len(TO_BEAT)}", text, len(beaten) == len(TO_BEAT)))
    for curves in results["curves"]:
        if curves["game"].startswith("mini"):
            ours, theirs = (curves[name][-1]["exploitability"] for name in ("mccfr", "cfr_plus"))
            unit, game = NAMES[curves["unit"]], curves["game"]
            text = f"{unit} a hand: exploitability of our strategy for {game} (CFR+: {theirs:.4f})"
            cards.append(_card(f"{ours:.4f}", text, max(ours, theirs) < GOAL))
    minutes = results["seconds"] / 60
    return (
        "<h1>Two games, two bots</h1>\n"
        '<p class="lead">A Svara bot and a Sviten Special bot, trained from nothing on the real '
        f"rules in {minutes:.1f} minutes, this report included.</p>\n"
        f'<div class="cards">{"".join(cards)}</div>\n'
        "<p>Both bots learnt by external-sampling Monte Carlo CFR: they played against themselves "
        "and knew nothing but the rules. Then they met simple opponents and the bot of the package "
        "for their game, with the same cards dealt to both sides. On two small versions of the "
        "games the training is compared with an exact solution.</p>"
    )


def _card(figure: str, text: str, good: bool) -> str:
    kind = "card" if good else "card no"
    return f'<div class="{kind}"><b>{escape(figure)}</b><span>{escape(text)}</span></div>'


# Matches.


def _strength(results: dict[str, Any]) -> str:
    parts = [
        "<h2>How strong are they?</h2>",
        "<p>Every deal is played twice, with the seats exchanged, so that luck in the cards falls "
        "on both sides. The interval holds the true result with 95 % confidence; a bot beats an "
        "opponent when the whole interval lies above zero.</p>",
    ]
    for bot in _bots(results):
        matches = _matches_of(results, bot)
        unit = matches[0]["unit"]
        parts.append(f"<h3>{_title(bot)}</h3>")
        parts.append(
            figure(
                match_figure(matches),
                f"What the bot wins from each opponent in {NAMES[unit]} per 100 hands: the dot is "
                "the mean, the bar the 95 % interval.",
            )
        )
        head = ["opponent", "hands>", f"milli-{NAMES[unit]} a hand>", "95 % interval>", "verdict"]
        rows = [_match_row(match) for match in matches]
        parts.append(table([*head, "unknown decisions>"], rows))
        if "halves" in matches[0]["players"][0]:
            parts.append(_halves_table(matches))
    return "\n".join(parts)


def _match_row(match: dict[str, Any]) -> list[str]:
    player = match["players"][0]
    low, high = player["ci95"]
    verdict = "wins" if low > 0 else "loses" if high < 0 else "open"
    return [
        match["opponent"],
        f"{match['hands']:,}",
        f"{player['mbb_per_hand']:+,.0f}",
        f"{low:+,.0f} to {high:+,.0f}",
        verdict,
        f"{player['misses']:.1%}",
    ]


def _halves_table(matches: Sequence[dict[str, Any]]) -> str:
    rows = []
    for match in matches:
        halves = match["players"][0]["halves"]
        shares = (f"{halves[name]:.1%}" for name in ("showdowns", "draw", "omaha", "scoops"))
        rows.append((match["opponent"], *shares))
    head = ("opponent", "showdowns>", "draw half>", "Omaha half>", "whole pots>")
    return (
        table(head, rows)
        + '<p class="small">Share of the hands that are shown down, and of what the bot wins '
        "there: chips of the draw half, chips of the Omaha half, and both halves at once.</p>"
    )


# Exploitability.


def _exactness(results: dict[str, Any]) -> str:
    parts = [
        "<h2>How far from perfect play?</h2>",
        f"<p>{_exploitability_text(results)} Sviten Special is too large to say. On "
        "<code>mini_svara</code> and "
        "<code>mini_sviten</code>, which have every rule of the games and a handful of cards, "
        "OpenSpiel computes the exact best response to a strategy. <em>Exploitability</em> is what "
        "that best response wins on average over both seats; it is zero for an equilibrium. "
        "Sampling promises to approach it as 1 / √iterations, the dotted line; on the mini games "
        "it comes faster. Leduc poker, the yardstick of the literature, stands beside "
        "them.</p>",
    ]
    for curves in results["curves"]:
        unit = NAMES[curves["unit"]]
        caption = (
            f"{curves['game']}, {curves['information_sets']:,} information sets: exploitability in "
            f"{unit} a hand of the average strategy. One iteration of CFR+ walks the whole game "
            "tree, one of MCCFR a sample of it."
        )
        parts.append(figure(curve_figure(curves, GOAL), caption))
        rows = [
            (name, f"{point['iterations']:,}", f"{point['exploitability']:.5f}")
            for name, key in (("MCCFR (ours)", "mccfr"), ("CFR+ (OpenSpiel, C++)", "cfr_plus"))
            for point in curves[key]
        ]
        points = table(("algorithm", "iterations>", f"exploitability, {unit}>"), rows)
        parts.append(f"<details><summary>The points of this figure</summary>{points}</details>")
    return "\n".join(parts)


def _exploitability_text(results: dict[str, Any]) -> str:
    said = [
        f"from <em>{escape(row['bot'])}</em> it wins {row['exploitability']:.2g} "
        f"{NAMES[row['unit']]} a hand"
        for row in results["exploitability"]
    ]
    return f"Of heads-up Svara the perfect opponent is known exactly: {' and '.join(said)}."


# Training.


def _training(results: dict[str, Any]) -> str:
    rows = []
    for run in results["training"]:
        rows.append(
            (
                _title(run["name"]),
                run["abstraction"],
                f"{run['seconds']:.0f} s",
                f"{run['iterations']:,}",
                f"{run['nodes'] / max(run['seconds'], 1e-9) / 1e6:.2f} M",
                f"{run['information_sets']:,}",
                bytes_text(run["bytes"]),
            )
        )
    head = ("game", "abstraction", "time>", "iterations>", "nodes/s>", "information sets>")
    caption = (
        "Information sets found so far, against the time of training. A flat end means that the "
        "table holds nearly all that play reaches."
    )
    return "\n".join(
        (
            "<h2>Training</h2>",
            table((*head, "bot file>"), rows),
            figure(growth_figure(results["training"]), caption),
        )
    )


# Hands in words.


def _examples(results: dict[str, Any]) -> str:
    parts = [
        "<h2>Two hands</h2>",
        "<p>Hands of the trained bots against <em>tight</em>, with all cards open, picked because "
        "something happens in them.</p>",
    ]
    for example in results["examples"]:
        lines = "".join(f"<li>{escape(line)}</li>" for line in example["lines"])
        outcome = ", ".join(
            f"{name} {chips:+g}"
            for name, chips in zip(example["players"], example["returns"], strict=True)
        )
        parts.append(f"<h3>{_title(example['game'])}</h3>")
        parts.append(f'<ol class="hand">{lines}</ol>')
        parts.append(f'<p class="small">Chips won: {escape(outcome)}; seed {example["seed"]}.</p>')
    return "\n".join(parts)


# Method.


def _method(results: dict[str, Any]) -> str:
    opponents = (
        ("random", "any legal action, all as likely"),
        ("always-call", "never folds, never raises, draws nothing"),
        ("tight", "folds weak hands, raises strong ones, by its equity against random hands"),
        ("equity", "calls when its equity against random hands covers the price, and raises more"),
        ("svara-home", "an equilibrium of heads-up Svara, in all hands and all svarkas"),
        ("sviten-limit", "a blueprint of heads-up Sviten Special, trained for 40 minutes"),
    )
    machine = results["machine"]
    facts = [
        ("date", results["date"]),
        ("seed", results["seed"]),
        ("machine", f"{machine['processor']}, {machine['cores']} cores, {machine['system']}"),
        ("threads that trained", results["threads"]),
        ("versions", ", ".join(f"{name} {v}" for name, v in results["versions"].items())),
        ("games", ", ".join(run["game"] for run in results["training"])),
    ]
    return "\n".join(
        (
            "<h2>How it was measured</h2>",
            "<p>Matches are played on the exact rules; a bot looks its decisions up in a table of "
            "the information sets of its abstraction, and plays at random where the table knows "
            "nothing (<em>unknown decisions</em>). Results are in thousandths of a big blind or an "
            "ante per hand; the unit of the interval is the deal, played once in each rotation of "
            "the seats.</p>",
            table(("opponent", "how it plays"), opponents),
            table(("", ""), facts),
            '<p class="small">All figures are in <code>results.json</code> beside this file; '
            "<code>pokerspiel demo --seed N</code> repeats it with other luck. With several "
            "threads two trainings are never quite the same.</p>",
        )
    )
