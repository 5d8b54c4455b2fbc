"""The command `pokerspiel`: one verb a subcommand, each in a file of its own.

The files are imported when their verb is called, so that `--help` is quick.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pokerspiel.experiments.cli_abstract import abstract
from pokerspiel.experiments.cli_bench import bench
from pokerspiel.experiments.cli_leaks import leaks_command
from pokerspiel.experiments.cli_table import (
    histories_command,
    match_command,
    play_command,
    serve_command,
)
from pokerspiel.experiments.cli_tournament import tournament_command
from pokerspiel.experiments.options import (
    DEFAULT_MEMORY,
    CheckpointEvery,
    Config,
    Game,
    Iterations,
    Json,
    ManyValues,
    MemoryLimit,
    Preset,
    Quiet,
    Seed,
    Set,
    Threads,
    Time,
    Until,
    WorkerCount,
    number,
    parse_bytes,
    real,
    refuse_given,
    seconds,
    whole,
)

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="pokerspiel",
    help="Train, match and benchmark machines that play Sviten Special and Svara.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.add_typer(bench, name="bench")
app.add_typer(abstract, name="abstract")


# Looking things up.


@app.command("games")
def games_command(
    name: Annotated[str | None, typer.Argument(help="One game, with its parameters.")] = None,
    json: Json = False,
) -> None:
    """List the games, their seats and parameters."""
    from pokerspiel.experiments import list_games

    list_games.run(name, json)


@app.command("hand")
def hand_command(
    game: Game,
    hands: Annotated[list[str], typer.Argument(help="Hands, such as 7c9sJs.")],
    board: Annotated[str | None, typer.Option(help="Board cards, such as 2h7hJh.")] = None,
    discards: Annotated[
        bool, typer.Option("--discards", help="Rank the 32 discards of the first hand.")
    ] = False,
    opponents: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, 7),
            metavar="N",
            help="With --discards: opponents with random cards; 1 if no other hand is given.",
        ),
    ] = None,
    time: Time = None,
    seed: Seed = 0,
    set_: Set = None,
    json: Json = False,
    config: Config = None,
) -> None:
    """Say what hands are worth and who wins, or what to discard after the flop.

    --opponents, --time (1 second) and --seed are for --discards.
    """
    if discards:
        from pokerspiel.experiments import best_discards

        best_discards.run(game, hands, board, set_, opponents, time, seed, json)
    else:
        refuse_given(
            "hands alone, only with --discards", opponents=(opponents, None), time=(time, None)
        )
        from pokerspiel.experiments import hand

        hand.run(game, hands, board, set_, json)


@app.command("showdown", cls=ManyValues)
def showdown_command(
    game: Game,
    hands: Annotated[
        list[str], typer.Option(help="Hands from the left of the button; the last one has it.")
    ],
    contributions: Annotated[
        list[int],
        typer.Option(parser=number, metavar="CHIPS", help="Chips that each seat has put in."),
    ],
    board: Annotated[str | None, typer.Option(help="Board cards.")] = None,
    folded: Annotated[
        list[int] | None,
        typer.Option(parser=number, metavar="SEAT", help="Seats that have folded, from 0."),
    ] = None,
    set_: Set = None,
    json: Json = False,
    config: Config = None,
) -> None:
    """Share the pots of a hand."""
    from pokerspiel.experiments import showdown

    showdown.run(game, hands, board, contributions, folded or [], set_, json)


@app.command("bots")
def bots_command(json: Json = False) -> None:
    """List the bots that every command knows by name."""
    from pokerspiel.experiments import list_bots

    list_bots.run(json)


@app.command("info")
def info_command(
    file: Annotated[Path, typer.Argument(help="Bot file or run folder.")], json: Json = False
) -> None:
    """Describe a bot file or a run folder."""
    from pokerspiel.experiments import info

    info.run(file, json)


# Training.


@app.command("train")
def train_command(
    game: Game,
    out: Annotated[Path, typer.Option(help="Run folder, which must not exist yet.")],
    algorithm: Annotated[
        str,
        typer.Option(help="mccfr, or a neural one such as ppo or sd-cfr; a wrong one lists all."),
    ] = "mccfr",
    time: Time = None,
    iterations: Iterations = None,
    threads: Threads = 1,
    memory_limit: MemoryLimit = DEFAULT_MEMORY,
    checkpoint_every: CheckpointEvery = 60.0,
    seed: Seed = 0,
    tune: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A setting of a neural algorithm; may be repeated."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BOT",
            help="Let a network play half of its hands against this bot; may be repeated.",
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Where networks learn: auto, cpu or cuda.")] = "auto",
    linear_until: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 2**48),
            metavar="ITERATIONS",
            help="Let the weights of iterations grow up to this one only; always.",
        ),
    ] = None,
    draw_sampling: Annotated[
        float,
        typer.Option(
            parser=real(0.0, "a probability,"),
            metavar="RHO",
            help="At a draw follow a discard of the strategy, and any other with this probability.",
        ),
    ] = 1.0,
    prune: Annotated[
        float | None,
        typer.Option(
            parser=real(0.0, "a number of big blinds or antes,"),
            metavar="BIG_UNITS",
            help="Skip actions whose regret is below minus this, 19 times in 20; none.",
        ),
    ] = None,
    workers: WorkerCount = None,
    on: Annotated[
        str | None,
        typer.Option(metavar="WORKERS", help="With --workers: processes, ray or ray://host:10001."),
    ] = None,
    shards: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 4096),
            metavar="N",
            help="With --workers: parts of a round, which fix its result; 4.",
        ),
    ] = None,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> int:
    """Train a strategy: with external-sampling MCCFR, or networks.

    --memory-limit, --linear-until, --draw-sampling and --prune are for MCCFR, --tune, --against
    and --device for networks. With --workers a run is cut into shards, and its result does not
    depend on who does them.
    """
    if workers is None:
        refuse_given("a run without --workers", on=(on, None), shards=(shards, None))
    if algorithm != "mccfr":
        from pokerspiel.experiments import train_neural

        refuse_given(
            f"--algorithm {algorithm}",
            memory_limit=(memory_limit, DEFAULT_MEMORY),
            linear_until=(linear_until, None),
            draw_sampling=(draw_sampling, 1.0),
            prune=(prune, None),
        )
        neural = train_neural.Plan(
            game=game,
            algorithm=algorithm,
            tune=" ".join(tune or ()),
            against=tuple(against or ()),
            time=time,
            iterations=iterations,
            threads=threads,
            device=device,
            checkpoint_every=checkpoint_every,
            seed=seed,
            workers=workers,
            on=on,
            shards=shards,
        )
        return train_neural.start(neural, out, set_, json, quiet)
    refuse_given(
        "--algorithm mccfr", tune=(tune, None), against=(against, None), device=(device, "auto")
    )
    from pokerspiel.experiments import train

    plan = train.Plan(
        game=game,
        time=time,
        iterations=iterations,
        threads=threads,
        memory_limit=memory_limit,
        checkpoint_every=checkpoint_every,
        seed=seed,
        linear_until=linear_until,
        draw_sampling=draw_sampling,
        prune=prune,
        workers=workers,
        on=on,
        shards=shards,
    )
    return train.start(plan, out, set_, json, quiet)


@app.command("solve")
def solve_command(
    game: Annotated[
        str, typer.Argument(help="Small game, ours or OpenSpiel's: mini_svara, leduc_poker, ...")
    ],
    algorithm: Annotated[
        str, typer.Option(help="Algorithm, such as cfr+, dcfr or pcfr+; an unknown one lists all.")
    ] = "dcfr",
    iterations: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 2**48),
            metavar="N",
            help="Iterations to do; 1000 if neither --time nor --until is given.",
        ),
    ] = None,
    time: Time = None,
    until: Until = None,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Update all players at once, not in turn.")
    ] = False,
    seed: Seed = 0,
    threads: Threads = 1,
    memory_limit: Annotated[
        str, typer.Option(help="Most memory for the game, such as 512MiB or 4GiB.")
    ] = DEFAULT_MEMORY,
    horizon: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 2**48),
            metavar="N",
            help="Iterations that algorithms with a schedule plan for; those asked for.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Run folder, which must not exist yet; none by default.")
    ] = None,
    checkpoint_every: CheckpointEvery = 60.0,
    preset: Preset = None,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> int:
    """Solve a small game, or heads-up Svara, and say how far it is from an equilibrium: exactly."""
    from pokerspiel.experiments import solve

    plan = solve.Plan(
        game=game,
        algorithm=algorithm,
        iterations=iterations,
        time=time,
        until=until,
        simultaneous=simultaneous,
        seed=seed,
        threads=threads,
        memory_limit=memory_limit,
        horizon=horizon,
        checkpoint_every=checkpoint_every,
    )
    return solve.start(plan, preset, out, set_, json, quiet)


@app.command("resume")
def resume_command(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    time: Time = None,
    iterations: Iterations = None,
    until: Until = None,
    threads: Annotated[
        int | None, typer.Option(parser=whole(1, 256), metavar="N", help="Threads; as before.")
    ] = None,
    memory_limit: Annotated[str | None, typer.Option(help="Memory limit; as before.")] = None,
    workers: Annotated[
        int | None, typer.Option(parser=whole(1, 4096), metavar="N", help="Workers; as before.")
    ] = None,
    on: Annotated[
        str | None, typer.Option(metavar="WORKERS", help="Who the workers are; as before.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> int:
    """Go on with a run of `train` or `solve` from its last checkpoint."""
    from pokerspiel.experiments import resume

    limits = (time, iterations, until)
    return resume.run(run, limits, threads, memory_limit, (workers, on), json, quiet)


@app.command("export")
def export_command(
    run: Annotated[
        Path, typer.Argument(help="Run folder; for ONNX also the file of a bot with a network.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="Bot file to write, or with the ending .onnx its network."
        ),
    ],
    name: Annotated[str | None, typer.Option(help="Name of the bot.")] = None,
    measured: Annotated[
        Path | None,
        typer.Option(help="Folder of bench sviten: what it says of the bot goes into the file."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the strategy of a run to a bot file."""
    from pokerspiel.experiments import export

    export.run(run, out, name, measured, json, quiet)


# Playing: commands of `cli_table`.

app.command("match")(match_command)
app.command("tournament")(tournament_command)
app.command("play")(play_command)
app.command("serve")(serve_command)
app.command("histories")(histories_command)
app.command("leaks")(leaks_command)


# Measuring.


@app.command("exploit")
def exploit_command(
    bot: Annotated[str, typer.Argument(help="Bot file, or a name that `bots` lists.")],
    game: Annotated[str | None, typer.Option(help="Game; by default that of the bot file.")] = None,
    memory_limit: Annotated[
        str, typer.Option(help="Most memory for game or responder, such as 512MiB or 4GiB.")
    ] = DEFAULT_MEMORY,
    response: Annotated[
        Path | None, typer.Option(help="Bot file to write, which plays the best response found.")
    ] = None,
    bound: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A lower bound instead, for large games: 'local' plays hands against the bot by "
            "local best response, 'trained' by a responder that MCCFR trains against it, 'learned' "
            "by a network that learns to.",
        ),
    ] = None,
    hands: Annotated[
        int | None,
        typer.Option(
            parser=whole(1),
            metavar="N",
            help="Hands for a bound; by default 2000 if it is local, else 200,000.",
        ),
    ] = None,
    particles: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 10**6),
            metavar="N",
            help="Deals that a local best response keeps in mind; 1000 by default.",
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(
            parser=seconds(0.01), metavar="SECONDS", help="Training of a responder; 60 by default."
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 256), metavar="N", help="Threads that train it; 1 by default."
        ),
    ] = None,
    responder: Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            help="Game with the abstraction that it learns in; by default that of the bot. A finer "
            "one finds more, given time.",
        ),
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="Where a network learns: auto, cpu or cuda; auto by default.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, 2**63 - 1), metavar="N", help="Seed of a bound; 0 by default."
        ),
    ] = None,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> int:
    """Compute exactly what a perfect opponent wins from a bot: small games, heads-up Svara.

    With --bound, a lower bound by playing: any game for two, by a network any game.
    """
    for_bounds = {
        "hands": hands,
        "particles": particles,
        "time": time,
        "threads": threads,
        "responder": responder,
        "device": device,
        "seed": seed,
    }
    given = {name: value for name, value in for_bounds.items() if value is not None}
    if bound is not None:
        from pokerspiel.experiments import bounds

        kept = {} if response is None else {"response": response}
        given.pop("seed", None)
        memory = parse_bytes(memory_limit)
        options = bounds.options_of(bound, seed or 0, memory, {**given, **kept})
        return bounds.run(bot, game, set_, bound, options, json, quiet)
    from pokerspiel.experiments import exploit

    if given:
        name, value = next(iter(given.items()))
        raise ValueError(f"--{name} {value}: nothing is played without --bound")
    exploit.run(bot, game, set_, memory_limit, response, json, quiet)
    return 0


@app.command("study")
def study_command(
    what: Annotated[str, typer.Argument(help="Svara with its parameters, or a bot of it.")],
    at: Annotated[
        str | None,
        typer.Option(metavar="ACTIONS", help="Print one decision instead, such as 'b1 r2'."),
    ] = None,
    out: Annotated[Path, typer.Option(help="HTML file to write.")] = Path("runs/study.html"),
    until: Annotated[
        float,
        typer.Option(
            parser=real(1e-8, "an exploitability,"),
            metavar="EXPLOITABILITY",
            help="How exactly a game is solved for which there is no bot, in antes.",
        ),
    ] = 1e-3,
    house_rules: Annotated[
        bool, typer.Option(help="Compare house rules, which are solved for it.")
    ] = True,
    preset: Preset = None,
    set_: Set = None,
    threads: Threads = 2,
    memory_limit: Annotated[
        str, typer.Option(help="Most memory for the game, such as 512MiB or 4GiB.")
    ] = DEFAULT_MEMORY,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Show how solved Svara is played: a report with pictures, or one decision as text."""
    from pokerspiel.experiments import study

    options = study.Options(what, preset, set_, until, threads, memory_limit, quiet)
    study.run(options, at, out, study.CHANGES if house_rules else (), json)


@app.command("demo")
def demo_command(
    out: Annotated[Path, typer.Option(help="Folder for bots and report.")] = Path("runs/demo"),
    threads: Threads = 2,
    quick: Annotated[bool, typer.Option("--quick", help="A short, rough run.")] = False,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> int:
    """Train a Svara and a Sviten Special bot, measure them, and write a report."""
    from pokerspiel.experiments import demo

    return demo.run(out, threads, quick, seed, json, quiet)


# Running it.

BAD_USAGE: tuple[type[Exception], ...] = tuple(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)
"""What typer raises when a command line cannot be understood; its class has no public name."""


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status: bad input costs one line on stderr."""
    try:
        status = app(list(arguments), prog_name="pokerspiel", standalone_mode=False)
        sys.stdout.flush()
    except BAD_USAGE as error:
        return _refuse(error.format_message())  # type: ignore[attr-defined]
    except BrokenPipeError:
        sys.stdout = open("/dev/null", "w", encoding="utf-8")  # noqa: SIM115
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{where}{error.strerror or error}")
    except (ValueError, MemoryError) as error:
        return _refuse(str(error) or type(error).__name__)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    return status if isinstance(status, int) else 0


def _refuse(message: str) -> int:
    print(f"pokerspiel: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT


def main() -> None:
    gc.set_threshold(100_000, 20, 20)  # imports make many objects, which stay
    status = run(sys.argv[1:])
    gc.freeze()  # nothing is to be collected from a process that ends
    sys.exit(status)
