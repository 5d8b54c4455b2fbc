"""The table of a grid for papers: games across, algorithms down, in Markdown and in LaTeX.

A cell is the exploitability at the end of the budget: of an algorithm that samples the median over
seeds with the least and the most. Games without a tree, where there is no exploitability, have a
table of their own with the winnings in matches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pokerspiel.experiments.bench_lines import FLOOR, Line, Spread, Table, short
from pokerspiel.experiments.cells import MATCH_HANDS, OPPONENT
from pokerspiel.experiments.results import EXPLOITABILITY, MATCH

Sittings = Sequence[Mapping[str, Any]]


def budget_words(budget: str) -> str:
    """The budget "10s,1000it" as "10 seconds or 1,000 iterations, whichever comes first"."""
    words = []
    for part in filter(None, budget.split(",")):
        for unit, name in (("nodes", "nodes"), ("it", "iterations"), ("s", "seconds")):
            if part.endswith(unit):
                words.append(f"{float(part.removesuffix(unit)):,.10g} {name}")
                break
    return " or ".join(words) + (", whichever comes first" if len(words) > 1 else "")


def machine_words(machine: Mapping[str, Any]) -> str:
    return f"{machine['processor']}, {machine['cores']} cores, {machine['system']}"


def versions_words(versions: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {number}" for name, number in versions.items())


def _exact(tables: Sequence[Table]) -> list[Table]:
    return [its for its in tables if its.measure == EXPLOITABILITY]


def _names(tables: Sequence[Table]) -> list[str]:
    """The names of all lines, in the order in which they first appear."""
    return list(dict.fromkeys(line.name for its in tables for line in its.lines))


def _find(its: Table, name: str) -> Line | None:
    return next((line for line in its.lines if line.name == name), None)


def _rows(tables: Sequence[Table], text: Callable[[Spread, bool], str]) -> list[list[str]]:
    """One row an algorithm: its name, and a cell a game; the best of a game is marked."""
    best = [_best(its) for its in tables]
    rows = []
    for name in _names(tables):
        row = [name]
        for its, least in zip(tables, best, strict=True):
            line = _find(its, name)
            spread = line.last("exploitability") if line else None
            row.append("" if spread is None else text(spread, max(spread.median, FLOOR) == least))
        rows.append(row)
    return rows


def _best(its: Table) -> float | None:
    found = [line.last("exploitability") for line in its.lines]
    return min((max(spread.median, FLOOR) for spread in found if spread), default=None)


def _several(spread: Spread) -> bool:
    return spread.high > max(spread.low, FLOOR)


# Markdown.


def markdown(tables: Sequence[Table], budget: str, sittings: Sittings) -> str:
    exact = _exact(tables)
    parts = [f"# Exploitability after {budget_words(budget)}"]
    if exact:
        head = ["algorithm", *(f"{its.game}, {its.units}" for its in exact)]
        parts.append(pipes(head, _rows(exact, _plain)))
        parts.append(
            "Exploitability is NashConv / number of players, per hand. Algorithms that sample: "
            "median over seeds (least, most). The best of each game is bold."
        )
    for its in tables:
        if its.measure == MATCH:
            parts.append(f"# {its.game}: matches, no exploitability and no bound on it")
            rows = [line.cells(its.main_columns) for line in its.lines if line.runs]
            parts.append(pipes([column.head.rstrip(">") for column in its.main_columns], rows))
            parts.append(f"Milli-{its.units} a hand against {OPPONENT}, {MATCH_HANDS:,} hands.")
    problems = [
        f"- {its.game}: {', '.join(names)}: {problem}"
        for its in tables
        for problem, names in its.problems().items()
    ]
    if problems:
        parts += ["# Not measured", "\n".join(problems)]
    for sitting in sittings:
        machine, versions = sitting["machine"], sitting["versions"]
        parts.append(
            f"{sitting['started']}: {machine_words(machine)}; {versions_words(versions)}; "
            f"`{sitting['command']}`"
        )
    return "\n\n".join(parts) + "\n"


def _plain(spread: Spread, best: bool) -> str:
    text = short(spread.median)
    text = f"**{text}**" if best else text
    return f"{text} ({short(spread.low)}, {short(spread.high)})" if _several(spread) else text


def pipes(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; all columns but the first hold numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


# LaTeX, for the packages booktabs and array.


def latex(tables: Sequence[Table], budget: str, sittings: Sittings) -> str:
    exact = _exact(tables)
    parts = ["% \\usepackage{booktabs}"]
    if exact:
        head = ["Algorithm", *(its.game for its in exact)]
        units = ["", *(its.units for its in exact)]
        caption = (
            f"Exploitability (NashConv divided by the number of players, per hand) after "
            f"{budget_words(budget)} on one core{_on(sittings)}. Algorithms that sample: median "
            "over seeds, with the least and the most. The best of each game is bold."
        )
        rows = [[_tex(row[0]), *(cell or "--" for cell in row[1:])] for row in _rows(exact, _math)]
        parts.append(_booktabs([head, units], rows, caption, "tab:exploitability"))
    for its in tables:
        lines = [line for line in its.lines if line.runs]
        if its.measure == MATCH and lines:
            caption = (
                f"{its.game}: milli-{its.units} per hand won from the baseline {OPPONENT} in "
                f"{MATCH_HANDS:,} duplicate hands, after {budget_words(budget)} of training on one "
                "core. The tree is too large for exploitability, and no bound on it is implied."
            )
            head = ["Algorithm", "Iterations", "Winnings", "95 % interval"]
            rows = [_match_row(line) for line in lines]
            parts.append(_booktabs([head], rows, caption, f"tab:{_slug(its.game)}"))
    return "\n\n".join(parts) + "\n"


def _on(sittings: Sittings) -> str:
    """The machine, where it is one."""
    machines = {str(sitting["machine"]["processor"]) for sitting in sittings}
    return f" ({machines.pop()})" if len(machines) == 1 else ""


def _match_row(line: Line) -> list[str]:
    spread, iterations, ci95 = line.last("mbb_per_hand"), line.last("iterations"), line.interval()
    assert spread is not None and iterations is not None and ci95 is not None
    interval = f"${ci95[0]:+.0f}$ to ${ci95[1]:+.0f}$"
    return [_tex(line.name), f"{iterations.median:,.0f}", f"${spread.median:+.0f}$", interval]


def _math(spread: Spread, best: bool) -> str:
    """A number in scientific notation; of several seeds with one exponent for all three."""
    if spread.median < FLOOR:
        below = f"< 10^{{{math.log10(FLOOR):.0f}}}"
        return f"$\\mathbf{{{below}}}$" if best else f"${below}$"
    power = math.floor(math.log10(float(short(spread.median))))
    middle, low, high = (
        f"{value / 10**power:.1f}" for value in (spread.median, spread.low, spread.high)
    )
    middle = f"\\mathbf{{{middle}}}" if best else middle
    interval = f"\\,[{low}, {high}]" if _several(spread) else ""
    return f"${middle}{interval} \\times 10^{{{power}}}$"


def _booktabs(
    heads: Sequence[Sequence[str]], rows: Sequence[Sequence[str]], caption: str, label: str
) -> str:
    tops = [" & ".join(map(_tex, head)) + " \\\\" for head in heads]
    lines = [" & ".join(row) + " \\\\" for row in rows]
    return "\n".join(
        (
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{_tex(caption)}}}",
            f"\\label{{{label}}}",
            f"\\begin{{tabular}}{{l{'r' * (len(heads[0]) - 1)}}}",
            "\\toprule",
            *tops,
            "\\midrule",
            *lines,
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
        )
    )


_SPECIAL = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "–": "--",
}


def _tex(text: str) -> str:
    """Plain text for LaTeX."""
    return "".join(_SPECIAL.get(c, c) for c in text)


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text).strip("-")
