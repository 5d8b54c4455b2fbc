"""`pokerspiel bench sviten`: every figure about the Sviten bots, and a report with curves.

| part | measures |
|---|---|
| speed | buckets of deals, nodes of training against OpenSpiel's sampling, one thread and two |
| bounds | on a small game: bounds on what a best response wins against the exact values |
| abstraction | what buckets tell, and what equilibria in them lose in a small game, exactly |
| matches | each bot against baselines and the other bots |
| lbr | local best response against bots and baselines |
| river | each bot against itself with the last betting round solved anew |
| curves | strength against training time and against the number of buckets |

Rows are written to a folder as they come; the same command again measures only what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pokerspiel.agents.roster import find_agent, list_agents
from pokerspiel.experiments import bench_bounds, bench_curves, bench_matches
from pokerspiel.experiments.bench_lookups import deals_rate
from pokerspiel.experiments.bench_matches import Player, check_game, find_players
from pokerspiel.experiments.bench_row import Row as Comparison
from pokerspiel.experiments.bench_speed import Budget, OpenSpielTraining
from pokerspiel.experiments.bench_speed import measure as compare
from pokerspiel.experiments.folder_lock import held
from pokerspiel.experiments.kept_rows import KeptRows
from pokerspiel.experiments.machine import machine
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.sviten_page import REPORT, write_page
from pokerspiel.experiments.sviten_tables import rows_of, sections
from pokerspiel.games import sviten
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.best_response import EXPLOITABILITY
from pokerspiel.solvers.mccfr import Mccfr

INTERRUPTED = 130
GAME = "sviten_special(abstraction=clusters)"
PLAYED = {"matches", "lbr", "river", "curves"}
"""The parts in which bots play."""
SPEED, QUICK_SPEED = Budget(5, 2.0), Budget(3, 0.2)


@dataclass(frozen=True)
class Options:
    parts: tuple[str, ...]
    bots: tuple[str, ...]
    """Names or files; without any, those of the package that play a Sviten game for two."""
    game: str = GAME
    """That is trained, with its abstraction."""
    hands: int = 200_000
    lbr_hands: int = 2_000
    river_hands: int = 2_000
    times: tuple[float, ...] = (30.0, 120.0, 480.0)
    buckets: tuple[int, ...] = (30, 100, 300, 1000)
    bucket_time: float = 120.0
    curve_hands: int = 100_000
    samples: int = 20_000
    """Hands from which the centres of the curve are built."""
    quality_hands: int = 2_000
    speed: Budget = SPEED
    small_iterations: tuple[int, ...] = (2_000, 20_000, 200_000)
    """Of the bots whose exact values are compared with bounds."""
    responder_iterations: int = 200_000
    """Of the best responders that are trained against them."""
    small_buckets: tuple[int, ...] = (1, 2, 3, 4, 6)
    abstract_iterations: int = 500_000
    memory_limit: int = 2 << 30
    threads: int = 2
    out: Path | None = None
    seed: int = 0
    quiet: bool = False


QUICK: Mapping[str, Any] = MappingProxyType(
    {
        "hands": 1_000,
        "lbr_hands": 6,
        "river_hands": 6,
        "times": (0.5, 1.0, 2.0),
        "buckets": (5, 15, 50),
        "bucket_time": 1.0,
        "curve_hands": 1_000,
        "samples": 500,
        "quality_hands": 200,
        "speed": QUICK_SPEED,
        "small_iterations": (500, 20_000),
        "responder_iterations": 20_000,
        "small_buckets": (1, 3),
        "abstract_iterations": 20_000,
    }
)
"""What a rough run of about two minutes changes."""


@dataclass(frozen=True)
class _Bench:
    """What the parts work on."""

    options: Options
    rows: KeptRows
    game: Game
    players: list[Player]


def run(options: Options, json: bool) -> int:
    for part in options.parts:
        if part not in PARTS:
            raise ValueError(f"--only {part}: expected {', '.join(PARTS)}")
    game = load(options.game)
    check_game(f"--game {options.game}:", game)
    players = find_players(options.bots or (_shipped() if PLAYED & set(options.parts) else ()))
    if "curves" in options.parts:
        bench_curves.opponents_of(game, _strongest(players))
    with held(options.out):
        bench = _Bench(options, KeptRows(options.out), game, players)
        status = 0
        try:
            for part in dict.fromkeys(options.parts):
                PARTS[part](bench)
        except KeyboardInterrupt:
            status = INTERRUPTED
        _tell(bench, json)
    if status:
        note("interrupted; with --out, what is done is kept and the same command goes on")
    return status


def _shipped() -> list[str]:
    """The bots of the package that play a Sviten game for two."""
    named = [entry["name"] for entry in list_agents() if entry["game"] is not None]
    games = {name: find_agent(name).game for name in named}
    return [
        name
        for name, game in games.items()
        if game is not None and game.family is sviten and game.players == 2
    ]


def _strongest(players: list[Player]) -> Player | None:
    """The bot named first, which the curves meet."""
    return players[0] if players else None


def _tell(bench: _Bench, json: bool) -> None:
    """Print what was asked for, and write the report about all that the folder holds."""
    document = bench.rows.document()
    out = bench.options.out
    if out is not None:
        write_page(out / REPORT, document)
        note(f"{out / REPORT}", bench.options.quiet)
    its = [one for one in sections(document) if one.part in bench.options.parts]
    if json:
        shown = {one.name: rows_of(document, one.name) for one in its}
        print_json({"sittings": document["sittings"], "definition": EXPLOITABILITY, **shown})
        return
    for one in its:
        print_table(one.title, one.columns, one.cells)
        print(one.about)


# Speed.


def _speed(bench: _Bench) -> None:
    bench.rows.begin("speed")
    options = bench.options
    for comparison in _comparisons(bench.game):
        settings = {
            "game": str(bench.game),
            "name": comparison.name,
            "rounds": options.speed.rounds,
            "seconds": options.speed.seconds,
            "seed": options.seed,
            "machine": machine(),
        }

        def measure(comparison: Comparison = comparison) -> dict[str, Any]:
            note(f"{comparison.name} against {comparison.rival_name} ...", options.quiet)
            return compare(comparison, options.speed, options.seed)

        bench.rows.row("speed", settings, measure)


def _comparisons(game: Game) -> list[Comparison]:
    text = str(game)
    rows = []
    if game.parameters["abstraction"] == "clusters":
        rate = partial(deals_rate, game)
        rows.append(
            Comparison("buckets of a deal", "deals", 3000.0, rate, None, "one core", absolute=True)
        )
    rows.append(
        Comparison(
            "external sampling",
            "nodes",
            100.0,
            _going_on(game, 1),
            OpenSpielTraining(text),
            "OpenSpiel's C++ external sampling on our game, both trainings going on",
        )
    )
    two, one = (_going_on(game, threads) for threads in (2, 1))
    rows.append(Comparison("two threads", "nodes", 1.7, two, one, "one thread"))
    return rows


def _going_on(game: Game, threads: int) -> Callable[[float, int], float]:
    """The rate of one training that goes on from stretch to stretch, whatever their seeds."""
    solver: list[Mccfr] = []

    def rate(seconds: float, seed: int) -> float:
        if not solver:
            solver.append(Mccfr(game, seed, threads))
        before = solver[0].progress()
        solver[0].run(seconds=seconds)
        after = solver[0].progress()
        return (after.nodes - before.nodes) / (after.seconds - before.seconds)

    return rate


# The other parts.


def _bounds(bench: _Bench) -> None:
    options = bench.options
    bench.rows.begin("bounds")
    bench_bounds.bounds(
        bench.rows,
        bench_bounds.SMALL_GAME,
        options.small_iterations,
        options.responder_iterations,
        options.seed,
        options.quiet,
    )


def _abstraction(bench: _Bench) -> None:
    options, rows = bench.options, bench.rows
    rows.begin("quality")
    rows.begin("abstraction")
    if bench.game.parameters["abstraction"] == "clusters":
        hands = options.quality_hands
        bench_bounds.quality(rows, bench.game, hands, options.seed, options.quiet)
    bench_bounds.abstraction(
        rows,
        bench_bounds.SMALL_GAME,
        options.small_buckets,
        options.abstract_iterations,
        options.seed,
        options.quiet,
    )


def _matches(bench: _Bench) -> None:
    options = bench.options
    bench.rows.begin("matches")
    _say_if_nobody(bench, "matches")
    bench_matches.matches(bench.rows, bench.players, options.hands, options.seed, options.quiet)


def _lbr(bench: _Bench) -> None:
    options = bench.options
    bench.rows.begin("lbr")
    bench_matches.lbr(
        bench.rows, bench.players, options.game, options.lbr_hands, options.seed, options.quiet
    )


def _river(bench: _Bench) -> None:
    options = bench.options
    bench.rows.begin("river")
    _say_if_nobody(bench, "river")
    bench_matches.river(bench.rows, bench.players, options.river_hands, options.seed, options.quiet)


def _say_if_nobody(bench: _Bench, part: str) -> None:
    if not bench.players:
        note(f"{part}: no bot is named with --bots, nothing is played", bench.options.quiet)


def _curves(bench: _Bench) -> None:
    options = bench.options
    plan = bench_curves.Plan(
        game=str(bench.game),
        times=options.times,
        buckets=options.buckets,
        bucket_time=options.bucket_time,
        samples=options.samples,
        hands=options.curve_hands,
        threads=options.threads,
        memory_limit=options.memory_limit,
        seed=options.seed,
    )
    bench.rows.begin("curves")
    bench_curves.curves(bench.rows, plan, _strongest(bench.players), options.quiet)


PARTS: Mapping[str, Callable[[_Bench], None]] = MappingProxyType(
    {
        "speed": _speed,
        "bounds": _bounds,
        "abstraction": _abstraction,
        "matches": _matches,
        "lbr": _lbr,
        "river": _river,
        "curves": _curves,
    }
)
