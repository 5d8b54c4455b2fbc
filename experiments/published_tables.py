"""The tables of published figures, from the JSON documents of the commands that measure them.

Each function takes the outputs of a figure's commands, in their order, and gives its view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pokerspiel.experiments.published_views import (
    SAMPLED,
    TIMED,
    Cell,
    Output,
    Quantity,
    Table,
    View,
    exact,
    mbb,
    mbb_range,
    minus,
    timed,
)

Outputs = Sequence[Any]
Show = Callable[[Outputs], View]


# Matches and exact exploitability.


def cross_table(outputs: Outputs) -> View:
    """What bots win from opponents, by `match`, and what a perfect opponent wins from them, by
    `exploit`, in thousandths."""
    matches = [output for output in outputs if "players" in output]
    exploited = {output["bot"]: output for output in outputs if "exploitability" in output}
    won = {tuple(_names(match)): match for match in matches}
    bots = dict.fromkeys([*(_names(match)[0] for match in matches), *exploited])
    opponents = dict.fromkeys(_names(match)[1] for match in matches)
    rows = []
    for bot in bots:
        hands = [match["hands"] for match in matches if _names(match)[0] == bot]
        cells: list[Cell] = [bot, f"{max(hands):,}" if hands else ""]
        for opponent in opponents:
            match = won.get((bot, opponent))
            cells.append("" if match is None else mbb(match["players"][0]))
        rows.append((*cells, _perfect(exploited.get(bot))))
    head = ("bot", "hands each>", *(f"{name}>" for name in opponents), "a perfect opponent wins>")
    return [Table(head, tuple(rows))]


def _names(match: dict[str, Any]) -> list[str]:
    return [player["name"] for player in match["players"]]


def _perfect(found: Mapping[str, Any] | None) -> Cell:
    """What a perfect opponent wins, in thousandths."""
    return "not known" if found is None else exact(1000 * found["exploitability"], ".2g")


def certainty(outputs: Outputs) -> View:
    """Three intervals of each match, for its first player."""
    rows = []
    for match in outputs:
        player = match["players"][0]
        corrected = player["aivat"]
        rows.append(
            (
                f"{match['game']}: {' against '.join(_names(match))}",
                f"{match['hands']:,}",
                mbb(player["plain"], 1),
                mbb(player, 1),
                _times(player["hands_saved"]),
                mbb(corrected, 1),
                _times(corrected["hands_saved"]),
            )
        )
    head = (
        *("match", "hands>", "each hand its own cards>", "duplicate deals>", "hands saved>"),
        *("AIVAT>", "hands saved>"),
    )
    return [Table(head, tuple(rows))]


def _times(factor: float | None) -> str:
    return "" if factor is None else f"{factor:,.1f} times"


# Tournaments.


def tournament(name: str) -> Show:
    """Leaderboard, cross-table, ratings and trainings of a tournament of `bench tournaments`."""

    def show(outputs: Outputs) -> View:
        its = outputs[0]["tournaments"][name]
        tables = [_leaderboard(its)]
        if len(its["bots"]) > its["players"]:
            tables.append(_everybody(its))
        tables += [_ratings(its), _cycles(its), _trainings(its)]
        return [table for table in tables if table.rows]

    return show


def _leaderboard(its: Mapping[str, Any]) -> Table:
    bots = its["bots"]
    columns: dict[str, Callable[[Any], Cell]] = {"mbb/hand>": lambda bot: mbb(bot["score"])}
    if its["values"]:
        columns["AIVAT>"] = lambda bot: "" if bot["aivat"] is None else mbb(bot["aivat"])
    if any(bot["exploitability"] for bot in bots):
        columns["exploitability>"] = lambda bot: _exploitability(bot["exploitability"])
    rows = tuple(
        (
            *(bot["name"], "" if bot["rank"] is None else str(bot["rank"]), f"{bot['hands']:,}"),
            *(cell(bot) for cell in columns.values()),
        )
        for bot in bots
    )
    title = f"{its['game']}: {its['hands']:,} hands a match"
    return Table(("bot", "rank>", "hands>", *columns), rows, title)


def _exploitability(found: Mapping[str, Any] | None) -> Cell:
    if found is None or found["mbb_per_hand"] is None:
        return ""
    value = found["mbb_per_hand"]
    return exact(value, ",.4g") if found["exact"] else f"≥ {value:,.4g}"


def _everybody(its: Mapping[str, Any]) -> Table:
    names = [bot["name"] for bot in its["bots"]]
    rows = tuple(
        (name, *("" if cell is None else mbb(cell) for cell in cells))
        for name, cells in zip(names, its["cross_table"][its["scored_by"]], strict=True)
    )
    what = "from the column" if its["players"] == 2 else "when the column is at the table"
    by = ", corrected by AIVAT" if its["scored_by"] == "aivat" else ""
    return Table(("", *(f"{name}>" for name in names)), rows, f"what the row wins {what}{by}")


def _ratings(its: Mapping[str, Any]) -> Table:
    """Ratings, Nash averages and alpha-ranks, with the ends of the intervals of the last two."""
    rows = tuple(
        (
            *(bot["name"], mbb(bot["rating"]), *mbb_range(bot["nash"], 0)),
            _share(bot["nash"]["share"]),
            _share(bot["alpha_rank"]["share"], bot["alpha_rank"]["ci95"]),
            " to ".join(f"{end:.1%}" for end in bot["alpha_rank"]["ci95"] or ()),
        )
        for bot in its["bots"]
        if bot.get("rating")
    )
    head = (
        *("bot", "rating>", "Nash average>", "its interval>", "part in it>"),
        *("alpha-rank>", "its interval>"),
    )
    return Table(head, rows, "ratings")


def _share(value: float, ci95: Sequence[float] | None = None) -> Quantity:
    ends = None if ci95 is None else (ci95[0], ci95[1])
    return Quantity(value, f"{value:.1%}", SAMPLED, ends)


def _cycles(its: Mapping[str, Any]) -> Table:
    """The test whether ratings explain all but noise, and circles of three."""
    found = its["ratings"]
    cycles = None if found is None else found["cycles"]
    if found is None or cycles is None:
        return Table((), ())
    p_value = max(cycles["p_value"], 0.001)
    circles = (" beats ".join([*names, names[0]]) for names in found["circles"])
    row: tuple[Cell, ...] = (
        Quantity(cycles["share"], f"{cycles['share']:.2%}"),
        Quantity(cycles["by_noise"], f"{cycles['by_noise']:.2%}"),
        f"{'<' if cycles['p_value'] < p_value else '='} {p_value:.3f}",
        "; ".join(circles) or "none",
    )
    head = (
        *("of the squared winnings no rating explains>", "noise alone>", "p>"),
        "circles of three, each match beyond its interval",
    )
    return Table(head, (row,), "cycles", names=0)


def _trainings(its: Mapping[str, Any]) -> Table:
    rows = tuple(
        (
            *(bot["name"], f"`{bot['manifest']['game']}`", bot["manifest"]["algorithm"]),
            *(f"{bot['manifest']['iterations']:,}", str(bot["manifest"]["seed"])),
            timed(bot["manifest"]["seconds"], ",.0f", " s"),
        )
        for bot in its["bots"]
        if bot["manifest"]
    )
    head = ("bot", "trained on", "algorithm", "iterations>", "seed>", "took>")
    return Table(head, rows, "trainings")


# Leaks.


def leaks(choices: int, nodes: int, draws: int = 0) -> Show:
    """The tables of `leaks`, with so many lines of each."""

    def show(outputs: Outputs) -> View:
        (document,) = outputs
        tables = [_leak_sums(document)]
        if "parts" in document["total"]:
            tables.append(_leak_table("street", document["streets"], _per_hand(document)))
        for what, member, most in (
            ("choice", "choices", choices),
            ("draw", "draws", draws),
            ("node", "nodes", nodes),
        ):
            if document[member] and most:
                rows = document[member][:most]
                tables.append(_leak_table(what, rows, _per_hand(document)))
        return tables

    return show


_PARTS = {"draw": "draw halves", "omaha": "Omaha halves", "rest": "no showdown"}


def _leak_sums(document: dict[str, Any]) -> Table:
    total = document["total"]
    lines = [("leaks, all decisions", total)]
    lines += [(f"– {_PARTS[part]}", score) for part, score in total.get("parts", {}).items()]
    lines += [("won in these hands", document["won"]), ("difference", document["difference"])]
    rows = tuple((name, *mbb_range(score)) for name, score in lines)
    title = (
        f"{document['player']} judged by {document['reference']}, {document['game']}: "
        f"{document['hands']:,} hands ({document['deals']:,} deals), "
        f"{document['decisions']:,} decisions"
    )
    return Table(("", f"{_per_hand(document)}>", "95 % interval>"), rows, title)


def _per_hand(document: dict[str, Any]) -> str:
    return "milli-antes/hand" if document["unit"] == "ante" else "mbb/hand"


def _leak_table(what: str, leaks: Sequence[dict[str, Any]], unit: str) -> Table:
    parts = list(leaks[0].get("parts", ()))
    rows = tuple(
        (
            leak["name"],
            f"{leak['reached']:,}",
            *mbb_range(leak),
            *(mbb(leak["parts"][part], 1) for part in parts),
        )
        for leak in leaks
    )
    columns = (f"{_PARTS[part]}>" for part in parts)
    return Table((what, "decisions>", f"{unit}>", "95 % interval>", *columns), rows)


# Heads-up Svara.


def svara_players(outputs: Outputs) -> View:
    (document,) = outputs
    rows = []
    for row in document["players"]:
        match = row.get("solution")
        cells: tuple[Cell, ...] = ("", "")
        if match is not None:
            cells = (mbb(match, 1), timed(match["hands_per_second"]))
        found = exact(1000 * row["exploitability"], ",.3f")
        rows.append((row["player"], found, mbb(row["best_response"], 1), *cells))
    head = (
        *("player", "exploitability>", "its best response wins>"),
        *("svara-home wins>", "hands/s>"),
    )
    return [Table(head, tuple(rows))]


def svara_tables(outputs: Outputs) -> View:
    (document,) = outputs
    rows = tuple(
        (
            row["preset"],
            f"{row['goal']:g}",
            exact(row["exploitability"], ".2e"),
            exact(row["value"], ".6f"),
            exact(row["residual"], ".1e"),
            f"{row['iterations']:,}",
            timed(row["seconds"], ",.1f", " s"),
            timed(row["wall_seconds"], ",.1f", " s"),
        )
        for row in document["presets"]
    )
    head = (
        *("preset", "goal>", "reached>", "value>", "residual>"),
        *("iterations>", "solving>", "in all>"),
    )
    return [Table(head, rows, names=2)]


def svara_showdowns(outputs: Outputs) -> View:
    (document,) = outputs
    rows = tuple(
        (
            name,
            timed(row["microseconds"], ",.2f"),
            timed(row["ratio_to_sums"], ",.0f"),
            exact(row["operations"] / 1e6, ".2g"),
            timed(row["gigaflops"], ".1f"),
            timed(100 * row["gigaflops"] / row["peak_gigaflops"], ".0f", " %"),
        )
        for name, row in document["showdowns"].items()
    )
    head = ("", "µs>", "ratio>", "million operations>", "GFLOP/s>", "of one core's peak>")
    return [Table(head, rows)]


def svara_abstractions(outputs: Outputs) -> View:
    (document,) = outputs
    rows = tuple(
        (
            f"`{row['abstraction']}`",
            f"{row['information_sets']:,}",
            exact(row["exploitability_in_it"], ".1e"),
            exact(row["exploitability"], ".2g"),
        )
        for row in document["abstractions"]
    )
    head = ("abstraction", "information sets>", "exploitability in it>", "in the whole game>")
    return [Table(head, rows)]


# Speed.


def speed(outputs: Outputs) -> View:
    """Rates of `bench speed`, ours and the rival's, without rivals that are not installed."""
    (document,) = outputs
    rows = []
    for row in document["rows"]:
        if row["rival"] is None and row["rival_name"]:
            continue
        name = f"{row['name']}, {row['unit']}/s"
        rival: Cell = "" if row["rival"] is None else timed(row["rival"], _rate(row["rival"]))
        ratio: Cell = "" if row["ratio"] is None else timed(row["ratio"], _rate(row["ratio"]))
        ours = timed(row["ours"], _rate(row["ours"]))
        rows.append((name, row["rival_name"], ours, rival, ratio))
    return [Table(("what", "rival", "ours>", "the rival's>", "ratio>"), tuple(rows), names=2)]


def _rate(value: float) -> str:
    return ",.0f" if value >= 10 else ".2f"


def profile(outputs: Outputs) -> View:
    """Passes of an iteration by `bench profile`, one table for all games."""
    (document,) = outputs
    passes, sums = [], []
    for game in document["games"]:
        name, layout = game["game"].partition("(")[0], game["layout"]
        seconds = sum(one["seconds"] for one in game["passes"])
        for one in game["passes"]:
            passes.append(
                (
                    *(name, one["pass"]),
                    timed(1e6 * one["seconds"], ",.2f"),
                    timed(100 * one["seconds"] / seconds, ".0f", " %"),
                    exact(one["bytes"] / 1e3, ",.1f"),
                    timed(one["bytes_per_second"] / 1e9, ".0f"),
                )
            )
        sums.append(
            (
                *(name, layout),
                timed(game["iterations_per_second"]),
                exact(game["working_set"] / 1e6, ".2f"),
                timed(game["limit_bytes_per_second"] / 1e9, ".0f"),
                timed(game["limit_iterations_per_second"]),
                timed(100 * game["share_of_limit"], ".0f", " %"),
            )
        )
    limits = ("MB in use>", "memory moves, GB/s>", "would allow, iterations/s>", "reached>")
    return [
        Table(("game", "pass", "µs>", "share>", "kB moved>", "GB/s>"), tuple(passes), names=2),
        Table(("game", "layout", "iterations/s>", *limits), tuple(sums), names=2),
    ]


def scaling(outputs: Outputs) -> View:
    """Trainings of more and more workers by `bench scaling`."""
    tables = []
    for document in outputs:
        first: dict[str, Any] = {}
        rows = []
        for row in document["rows"]:
            base = first.setdefault(row["who"], row)
            merging = row["merging_seconds"]
            rate, nodes = row["traversals_per_second"], row["nodes_per_second"]
            rows.append(
                (
                    *(row["who"], str(row["workers"])),
                    timed(rate),
                    timed(rate / base["traversals_per_second"], ".2f"),
                    timed(nodes / 1e6, ".1f"),
                    "" if merging is None else timed(100 * merging / row["seconds"], ".1f", " %"),
                    "" if row["rounds"] is None else exact(row["rounds"], ","),
                    timed(row["starting_seconds"], ".1f", " s"),
                )
            )
        title = f"{document['game']}, rounds of {document['shards']} shards"
        head = ("who", "workers>", "traversals/s>", "times>", "M nodes/s>", "merging>")
        tables.append(Table((*head, "rounds>", "start>"), tuple(rows), title, names=2))
    return tables


# Figures of the literature.


def reference(outputs: Outputs) -> View:
    """Our figures of `bench reference` beside the published ones."""
    (document,) = outputs
    tables = [_reference_game(game) for game in document["games"]]
    values = tuple(
        (
            *(row["name"], row["algorithm"]),
            f"{row['iterations']:,}",
            exact(row["exploitability"], ".1e"),
            exact(row["ours"], ".8f"),
            minus(f"{row['published']:.8f}"),
            row["verdict"],
        )
        for row in document["values"]
    )
    head = ("game", "algorithm", "iterations>", "exploitability>", "ours>", "published>", "verdict")
    tables.append(Table(head, values, "Values to the first player", names=2))
    # Rounding grows along the run, so that not even our own figure is the same on all machines.
    openspiel = tuple(
        (
            f"{row['iterations']:,}",
            _spread(row["ours"], ".9f", row["low"], row["high"]),
            f"{row['openspiel']:.9f}",
            f"{row['published']:g}",
            row["verdict"],
        )
        for row in document["openspiel"]
    )
    columns = ("iterations>", "ours>", "OpenSpiel>", "published>", "verdict")
    tables.append(Table(columns, openspiel, "CFR in Leduc poker, here and in OpenSpiel"))
    counts = tuple((word, f"{count}") for word, count in document["verdicts"].items())
    tables.append(Table(("verdict", "published figures>"), counts, "All verdicts"))
    return tables


def _reference_game(game: dict[str, Any]) -> Table:
    rows = tuple(
        (
            row["algorithm"],
            _spread(row["ours"], ".2e", row["low"], row["high"]),
            "" if row["published"] is None else _short(row["published"]),
            f"{_short(row['low'])} to {_short(row['high'])}",
            row["verdict"],
        )
        for row in game["algorithms"]
    )
    title = (
        f"{game['name']} ({game['nodes']:,} nodes, {game['information_sets']:,} information sets), "
        f"{game['iterations']:,} iterations"
    )
    head = ("algorithm", "ours>", "published>", "spread of rounding", "verdict")
    return Table(head, rows, title)


def _spread(value: float, form: str, low: float, high: float) -> Quantity:
    """A number with the spread of rounding in the place of an interval."""
    return Quantity(
        value, _short(value) if form == ".2e" else f"{value:{form}}", SAMPLED, (low, high)
    )


def _short(value: float) -> str:
    return "0" if abs(value) < 1e-15 else f"{value:.2e}"


# The demo.


def demo(outputs: Outputs) -> View:
    """Matches of the bots of `demo`, which are trained by the clock, and small games."""
    (document,) = outputs
    exploited = {found["bot"]: found for found in document["exploitability"]}
    rows = []
    for run in document["training"]:
        matches = [match for match in document["matches"] if match["bot"] == run["name"]]
        rows.append(
            (
                run["name"],
                f"{run['seconds']:.0f} s",
                f"{matches[0]['hands']:,}",
                *(_trained(mbb(match["players"][0])) for match in matches),
                _trained(_perfect(exploited.get(run["name"]))),
            )
        )
    simple = [f"{match['opponent']}>" for match in document["matches"][:4]]
    head = ("bot", "trained>", "hands each>", *simple, "the package's bot>")
    small = tuple(
        (
            *(curves["game"], name),
            f"{curves[key][-1]['iterations']:,}",
            exact(curves[key][-1]["exploitability"], ".4f"),
        )
        for curves in document["curves"]
        for name, key in (("MCCFR", "mccfr"), ("OpenSpiel's CFR+", "cfr_plus"))
    )
    return [
        Table((*head, "a perfect opponent wins>"), tuple(rows)),
        Table(("game", "algorithm", "iterations>", "exploitability>"), small, names=2),
    ]


def _trained(cell: Cell) -> Cell:
    """A number of a bot that is another one whenever it is trained."""
    return replace(cell, kind=TIMED) if isinstance(cell, Quantity) else cell


# Outputs as they stand on a terminal.


def outputs_of(commands: Sequence[str]) -> Show:
    def show(outputs: Outputs) -> View:
        pairs = zip(commands, outputs, strict=True)
        return [Output(command, text) for command, text in pairs]

    return show
