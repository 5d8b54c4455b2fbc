"""The subcommands of `pokerspiel bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pokerspiel.experiments.options import (
    DEFAULT_MEMORY,
    Json,
    ManyValues,
    MemoryLimit,
    On,
    Quiet,
    Seed,
    Threads,
    WorkerCount,
    parse_bytes,
    real,
    refuse_given,
    seconds,
    whole,
)

bench = typer.Typer(help="Measure speed, and check figures.", no_args_is_help=True)


@bench.command("speed")
def bench_speed_command(
    only: Annotated[
        list[str] | None, typer.Option(help="Rows whose name contains this; repeatable.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short, rough measurements.")] = False,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure this package against others, in turn within one run."""
    from pokerspiel.experiments import bench_speed

    bench_speed.run(only or [], quick, seed, json, quiet)


@bench.command("serve")
def bench_serve_command(
    tables: Annotated[
        int, typer.Option(parser=whole(1, 10_000), metavar="N", help="Tables at once.")
    ] = 100,
    time: Annotated[
        float, typer.Option(parser=seconds(0.1), metavar="SECONDS", help="How long they play.")
    ] = 60.0,
    think: Annotated[
        float,
        typer.Option(parser=seconds(0.0), metavar="SECONDS", help="How long a guest thinks."),
    ] = 1.0,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure how long many tables at once wait for their bots."""
    from pokerspiel.experiments import bench_serve

    bench_serve.run(tables, time, think, seed, json, quiet)


@bench.command("scaling", cls=ManyValues)
def bench_scaling_command(
    game: Annotated[str, typer.Option(help="Game, with its abstraction.")] = "svara",
    iterations: Annotated[
        int, typer.Option(parser=whole(1, 2**48), metavar="N", help="Iterations of every training.")
    ] = 6_000_000,
    on: Annotated[
        list[str] | None,
        typer.Option(metavar="WORKERS", help="Kinds of workers; processes and ray by default."),
    ] = None,
    workers: Annotated[
        list[int] | None,
        typer.Option(parser=whole(1, 4096), metavar="N", help="Numbers of workers; 1 2."),
    ] = None,
    shards: Annotated[
        int, typer.Option(parser=whole(1, 4096), metavar="N", help="Shards of a round.")
    ] = 4,
    memory_limit: MemoryLimit = DEFAULT_MEMORY,
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what a run would need, and how it would scale.")
    ] = False,
    sets: Annotated[
        float | None,
        typer.Option(
            parser=real(1.0, "a number of information sets,"),
            metavar="N",
            help="With --plan: information sets, such as 1e9; by default an estimate.",
        ),
    ] = None,
    bandwidth: Annotated[
        float,
        typer.Option(
            parser=real(0.001, "a number of Gbit/s,"),
            metavar="GBIT",
            help="With --plan: network of each machine, in Gbit/s.",
        ),
    ] = 10.0,
    time: Annotated[
        float,
        typer.Option(
            parser=seconds(0.1), metavar="SECONDS", help="With --plan: how long it measures."
        ),
    ] = 10.0,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure how much faster more workers train, or with --plan what a larger run needs."""
    from pokerspiel.experiments import bench_scaling, scaling_plan

    if plan:
        refuse_given("--plan", on=(on, None), shards=(shards, 4))
        scaling_plan.run(
            game,
            max(workers or (2,)),
            None if sets is None else int(sets),
            bandwidth * 125e6,
            memory_limit,
            time,
            json,
            quiet,
        )
        return
    refuse_given("a measurement without --plan", sets=(sets, None))
    options = bench_scaling.Options(
        game=game,
        iterations=iterations,
        on=tuple(on or bench_scaling.KINDS),
        workers=tuple(sorted(set(workers or bench_scaling.WORKERS))),
        shards=shards,
        memory_limit=memory_limit,
        seed=seed,
    )
    bench_scaling.run(options, json, quiet)


@bench.command("reference")
def bench_reference_command(
    quick: Annotated[bool, typer.Option("--quick", help="The smallest games only.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce the published figures of full-tree algorithms, with the spread of rounding."""
    from pokerspiel.experiments import bench_reference

    bench_reference.run(quick, json, quiet)


@bench.command("report", cls=ManyValues)
def bench_report_command(
    measure: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Measure these figures anew, or all, and keep them."),
    ] = None,
    take: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Keep what was measured elsewhere, with --from."),
    ] = None,
    from_: Annotated[
        list[Path] | None,
        typer.Option(
            "--from", metavar="FILE", help="With --take: what the figure's commands printed."
        ),
    ] = None,
    again: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Measure these figures anew, or all, keep nothing, and say whether the numbers "
            "agree with the published ones.",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Name the parts that are not as the database says.")
    ] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="List all figures, and how long they took.")
    ] = False,
    root: Annotated[Path, typer.Option(help="The repository: README.md and docs.")] = Path(),
    seed: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, 2**31 - 1),
            metavar="N",
            help="With --again: the seed of all commands; by default as published.",
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Write the figures of README and docs from docs/results.sqlite, or measure them anew."""
    from pokerspiel.experiments import bench_published

    options = bench_published.Options(
        measure=tuple(measure or ()),
        take=tuple(take or ()),
        documents=tuple(from_ or ()),
        again=tuple(again or ()),
        check=check,
        list_all=list_,
        root=root,
        seed=seed,
    )
    return bench_published.run(options, json, quiet)


@bench.command("profile")
def bench_profile_command(
    games: Annotated[
        list[str] | None, typer.Argument(help="Games for two players; by default three.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say where an iteration of CFR spends its time, and how far that is from memory's limit."""
    from pokerspiel.experiments import bench_profile

    bench_profile.run(games or bench_profile.GAMES, json, quiet)


@bench.command("algorithms", cls=ManyValues)
def bench_algorithms_command(
    games: Annotated[
        list[str] | None,
        typer.Option(help="Games, ours or OpenSpiel's, such as leduc or 'liars_dice(numdice=1)'."),
    ] = None,
    algorithms: Annotated[
        list[str] | None, typer.Option(help="Algorithms; an unknown one lists all.")
    ] = None,
    seeds: Annotated[
        list[int] | None,
        typer.Option(
            parser=whole(0, 2**63 - 1),
            metavar="N",
            help="Seeds of algorithms that sample; the others are run once. By default 0 1 2.",
        ),
    ] = None,
    budget: Annotated[
        str,
        typer.Option(
            help="When a run ends: a number and its unit, such as 10s, 1000it (iterations) or "
            "1e7nodes; several, joined by commas, end it with the first that is reached."
        ),
    ] = "10s",
    on: On = "processes",
    workers: WorkerCount = None,
    out: Annotated[
        Path, typer.Option(help="Folder for results and report; with results in it, it goes on.")
    ] = Path("runs/algorithms"),
    rivals: Annotated[
        bool, typer.Option("--rivals", help="Run OpenSpiel's and LiteEFG's algorithms as well.")
    ] = False,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Update all players at once, not in turn.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Measure algorithms on games: a grid that can be interrupted, and a report.

    Every run has a worker of its own, on one core; by default half of the cores of this machine
    work, or all of a Ray cluster.
    """
    from pokerspiel.experiments import bench_algorithms

    return bench_algorithms.run(
        games or (),
        algorithms or (),
        seeds or (),
        budget,
        on,
        workers,
        out,
        rivals,
        simultaneous,
        json,
        quiet,
    )


@bench.command("svara", cls=ManyValues)
def bench_svara_command(
    only: Annotated[
        list[str] | None,
        typer.Option(help="showdowns, threads, presets, abstractions, players; all by default."),
    ] = None,
    presets: Annotated[
        list[str] | None, typer.Option(help="Tables to solve: home, club, real; by default all.")
    ] = None,
    bots: Annotated[
        list[str] | None, typer.Option(help="More players: bot files, or names that `bots` lists.")
    ] = None,
    threads: Threads = 2,
    quick: Annotated[bool, typer.Option("--quick", help="Rough goals, few hands.")] = False,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve heads-up Svara and measure the solution: speed, abstractions, matches."""
    from pokerspiel.experiments import bench_svara

    options = bench_svara.Options(
        parts=tuple(only or bench_svara.PARTS),
        presets=tuple(presets or bench_svara.GOALS),
        bots=tuple(bots or ()),
        threads=threads,
        quick=quick,
        seed=seed,
        quiet=quiet,
    )
    bench_svara.run(options, json)


@bench.command("sviten", cls=ManyValues)
def bench_sviten_command(
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="speed, bounds, abstraction, matches, lbr, river, curves; all by default."
        ),
    ] = None,
    bots: Annotated[
        list[str] | None,
        typer.Option(
            help="Bot files, or names that `bots` lists, the strongest first; by default those of "
            "the package."
        ),
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="Game that is trained, with its abstraction.")
    ] = None,
    hands: Annotated[
        int | None,
        typer.Option(parser=whole(1), metavar="N", help="Hands of each match; 200,000."),
    ] = None,
    lbr_hands: Annotated[
        int | None,
        typer.Option(
            parser=whole(1), metavar="N", help="Hands of each local best response; 2,000."
        ),
    ] = None,
    river_hands: Annotated[
        int | None,
        typer.Option(parser=whole(1), metavar="N", help="Hands of each bot that resolves; 2,000."),
    ] = None,
    curve_hands: Annotated[
        int | None,
        typer.Option(parser=whole(1), metavar="N", help="Hands of each point of a curve; 100,000."),
    ] = None,
    times: Annotated[
        list[float] | None,
        typer.Option(
            parser=seconds(0.1),
            metavar="SECONDS",
            help="Times of training along the first curve; 30 120 480.",
        ),
    ] = None,
    buckets: Annotated[
        list[int] | None,
        typer.Option(
            parser=whole(1, 2046),
            metavar="N",
            help="Numbers of buckets along the second curve; 30 100 300 1000.",
        ),
    ] = None,
    bucket_time: Annotated[
        float | None,
        typer.Option(
            parser=seconds(0.1),
            metavar="SECONDS",
            help="Time of training with each number of buckets; 120.",
        ),
    ] = None,
    threads: Threads = 2,
    memory_limit: MemoryLimit = DEFAULT_MEMORY,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for results and report; with results in it, it goes on."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short, rough measurements.")] = False,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Measure the Sviten bots: speed, exact checks, matches, bounds, curves; and a report."""
    from pokerspiel.experiments import bench_sviten

    given: dict[str, Any] = {
        "game": game,
        "hands": hands,
        "lbr_hands": lbr_hands,
        "river_hands": river_hands,
        "curve_hands": curve_hands,
        "times": tuple(sorted(set(times or ()))) or None,
        "buckets": tuple(sorted(set(buckets or ()))) or None,
        "bucket_time": bucket_time,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    options = bench_sviten.Options(
        parts=tuple(only or bench_sviten.PARTS),
        bots=tuple(bots or ()),
        threads=threads,
        memory_limit=parse_bytes(memory_limit),
        out=out,
        seed=seed,
        quiet=quiet,
        **{**(bench_sviten.QUICK if quick else {}), **chosen},
    )
    return bench_sviten.run(options, json)


@bench.command("tournaments", cls=ManyValues)
def bench_tournaments_command(
    only: Annotated[
        list[str] | None, typer.Option(help="svara, sviten, svara-5; all by default.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short trainings, few hands.")] = False,
    out: Annotated[
        Path, typer.Option(help="Folder for bots and results; with results in it, it goes on.")
    ] = Path("runs/tournaments"),
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Train the bots of the published tournaments, and let them meet."""
    from pokerspiel.experiments import bench_tournaments, tournament_fields

    names = tuple(dict.fromkeys(only or tournament_fields.FIELDS))
    return bench_tournaments.run(bench_tournaments.Options(names, quick, out, seed), json, quiet)
