"""What a grid has found, to read and to cite: `report.html`, `table.md` and `table.tex`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from pokerspiel.experiments.bench_lines import FLOOR, Table, summarise
from pokerspiel.experiments.bench_plots import table_figure
from pokerspiel.experiments.bench_tables import (
    Sittings,
    budget_words,
    latex,
    machine_words,
    markdown,
    versions_words,
)
from pokerspiel.experiments.cells import MATCH_HANDS, OPPONENT
from pokerspiel.experiments.report import figure, page, table
from pokerspiel.experiments.results import DONE, MATCH, Run
from pokerspiel.experiments.run_folder import write_text

REPORT, TABLE_MD, TABLE_TEX = "report.html", "table.md", "table.tex"

_STYLE = """
main { max-width: 74rem; }
main > p, main > ul, main > h1 { max-width: 46rem; }
table { font-size: .84rem; }
.wide { overflow-x: auto; }
td { white-space: nowrap; }
.origin td { white-space: normal; }
"""


def write_reports(folder: Path, runs: Sequence[Run], sittings: Sittings) -> None:
    """Write the three files into the folder. Raises OSError if that fails."""
    tables = summarise(runs)
    budget = runs[0].budget if runs else ""
    write_text(folder / REPORT, report_html(tables, runs, sittings))
    write_text(folder / TABLE_MD, markdown(tables, budget, sittings))
    write_text(folder / TABLE_TEX, latex(tables, budget, sittings))


# The page.


def report_html(tables: Sequence[Table], runs: Sequence[Run], sittings: Sittings) -> str:
    body = "\n".join(
        (
            _opening(tables, runs),
            *(_game(its) for its in tables),
            _definitions(),
            _origin(runs, sittings),
        )
    )
    return page("pokerspiel: algorithms measured", body, _STYLE)


def _opening(tables: Sequence[Table], runs: Sequence[Run]) -> str:
    names = ", ".join(f"<code>{escape(its.game)}</code>" for its in tables)
    budget = runs[0].budget if runs else ""
    done = sum(run.status == DONE for run in runs)
    return (
        "<h1>How fast do algorithms approach an equilibrium?</h1>\n"
        f'<p class="lead">{done} runs on {names}, each from nothing and on one core, for '
        f"{budget_words(budget)}.</p>\n"
        "<p>Exploitability is exact, not sampled: a best response is computed over the whole game "
        "tree. Algorithms that sample are run once for each seed, the others, which have no luck, "
        "only once. All figures are in <code>results.sqlite</code> beside this file.</p>"
    )


def _game(its: Table) -> str:
    lines = [line for line in its.lines if line.runs]
    parts = [f"<h2>{escape(its.game)}</h2>", f"<p>{_about(its)}</p>"]
    if lines:
        parts.append(figure(table_figure(its), _caption(its)))
        heads = [column.head for column in its.columns]
        cells = table(heads, [line.cells(its.columns) for line in lines])
        parts.append(f'<div class="wide">{cells}</div>')
    for problem, names in its.problems().items():
        who = escape(", ".join(names))
        parts.append(f'<p class="small">Not measured: {who}: {escape(problem)}</p>')
    parts += [
        f'<p class="small">{escape(line.name)}, some seeds: {escape(line.problem)}</p>'
        for line in lines
        if line.problem
    ]
    return "\n".join(parts)


def _about(its: Table) -> str:
    if its.measure == MATCH:
        return (
            "The tree of this game does not fit into memory, so that exploitability is not known, "
            f"<strong>and no bound on it is claimed here</strong>. Instead, the average strategy "
            f"meets the baseline <em>{OPPONENT}</em> for {MATCH_HANDS:,} duplicate hands. What it "
            "wins says something about play against that opponent, and nothing about others."
        )
    if its.tree_nodes is None:
        return "Nothing could be measured on this game: the table says why."
    return (
        f"{its.tree_nodes:,} nodes, {its.information_sets:,} information sets; figures are in "
        f"{its.units} a hand."
    )


def _caption(its: Table) -> str:
    if its.measure == MATCH:
        return (
            f"Milli-{its.units} a hand won from {OPPONENT}: the median over seeds; the band is the "
            "95 % interval of the deals, of all seeds together. All matches have the same deals."
        )
    several = any(len(line.runs) > 1 for line in its.lines)
    band = (
        " Lines of sampled algorithms are medians over seeds, bands their range." if several else ""
    )
    lasts = [line.last("exploitability") for line in its.lines]
    if any(spread is not None and spread.low < FLOOR for spread in lasts):
        band += f" Nothing is drawn below {FLOOR:g}, where rounding begins."
    uncounted = any(line.runs and line.last("nodes") is None for line in its.lines)
    missing = " Rivals that sample count no nodes." if uncounted else ""
    return (
        "Exploitability against iterations, nodes touched and seconds of solving. One iteration "
        "updates every player; it walks the whole tree, or a sample of it." + band + missing
    )


def _definitions() -> str:
    return f"""<h2>What the figures mean</h2>
<ul>
<li><strong>Exploitability</strong> is NashConv divided by the number of players. NashConv is the
sum, over the players, of what each would gain by a best response while the others keep to the
strategy (Lanctot et al. 2017, “A unified game-theoretic approach to multiagent reinforcement
learning”). It is zero for an equilibrium and no less for anything else; below {FLOOR:g} it is
rounding. What is judged is the strategy that the algorithm promises something about: for nearly
all of them the average.</li>
<li><strong>Value</strong> is what that strategy wins for the first player against itself.</li>
<li><strong>Nodes touched</strong> are those of the tree, once for every pass over it, or those that
were sampled. Passes of rivals are counted as if they skipped nothing.</li>
<li><strong>Seconds</strong> are wall time of solving alone. Building trees, compiling and computing
exploitability are left out, for rivals as for ours. “s to 0.001” is the time of the first
measurement at or below that figure.</li>
<li><strong>Iterations</strong> update every player once, one after the other unless a row says that
its updates are simultaneous.</li>
</ul>"""


def _origin(runs: Sequence[Run], sittings: Sittings) -> str:
    parts = ["<h2>How it was measured</h2>"]
    if len({str(sitting["machine"]) for sitting in sittings}) > 1:
        parts.append(
            "<p><strong>The runs were made on different machines: their seconds do not compare."
            "</strong></p>"
        )
    for sitting in sittings:
        facts = [
            ("date", sitting["started"]),
            ("machine", machine_words(sitting["machine"])),
            ("versions", versions_words(sitting["versions"])),
            ("command", sitting["command"]),
        ]
        parts.append(_origin_table(("", ""), facts))
    parts.append(_origin_table(("algorithm", "program", "source", "parameters"), _sources(runs)))
    return "\n".join(parts)


def _origin_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    return f'<div class="origin">{table(head, rows)}</div>'


def _sources(runs: Sequence[Run]) -> list[tuple[str, str, str, str]]:
    """Where each algorithm comes from, with the parameters of its runs."""
    parameters: dict[tuple[str, str, str], dict[str, None]] = {}
    for run in runs:
        numbers = parameters.setdefault((run.algorithm, run.program, run.paper), {})
        numbers |= {f"{name} {value}": None for name, value in run.parameters.items()}
    return [(*its, ", ".join(numbers)) for its, numbers in parameters.items()]
