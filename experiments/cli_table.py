"""The commands that play hands, and those about hands that were played."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pokerspiel.experiments.options import (
    Aivat,
    Config,
    FitHands,
    Game,
    Json,
    On,
    Quiet,
    Seed,
    Set,
    Values,
    WorkerCount,
    real,
    seconds,
    whole,
)


def match_command(
    players: Annotated[
        list[str], typer.Argument(help="Bot files, names that `bots` lists, or programs to run.")
    ],
    game: Annotated[
        str | None, typer.Option(help="Game; by default that of the first bot file.")
    ] = None,
    hands: Annotated[
        int, typer.Option(parser=whole(1), metavar="N", help="Hands, all rotations counted.")
    ] = 10_000,
    seed: Seed = 0,
    histories: Annotated[
        Path | None, typer.Option(help="File for the hand histories, one JSON line a hand.")
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            parser=seconds(0.001),
            metavar="SECONDS",
            help="Time of a program for a decision; 2 by default.",
        ),
    ] = None,
    aivat: Aivat = False,
    values: Values = None,
    fit_hands: FitHands = 40_000,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="LOW,HIGH",
            help="Stop once the first player's mbb/hand is known to be LOW rather than HIGH, or "
            "the other way round.",
        ),
    ] = None,
    sprt_error: Annotated[
        float,
        typer.Option(
            parser=real(0.0, "a probability,"),
            metavar="P",
            help="Chance with which that may be wrong, either way.",
        ),
    ] = 0.05,
    workers: WorkerCount = None,
    on: On = "processes",
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> int:
    """Let bots play duplicate hands against each other."""
    from pokerspiel.experiments import match
    from pokerspiel.experiments.correction import Correction

    plan = match.Plan(
        players=tuple(players),
        game=game,
        settings=tuple(set_ or ()),
        hands=hands,
        seed=seed,
        histories=histories,
        time_limit=time_limit,
        correction=Correction(aivat, values, fit_hands),
        sprt=match.parse_sprt(sprt, sprt_error),
        on=on,
        workers=workers,
    )
    return match.run(plan, json, quiet)


def play_command(
    game: Game,
    against: Annotated[list[str], typer.Option(help="Bot file or name; repeat for more seats.")],
    seed: Annotated[
        int | None, typer.Option(parser=whole(0, 2**63 - 1), metavar="N", help="Seed of the cards.")
    ] = None,
    set_: Set = None,
    config: Config = None,
) -> int:
    """Play against bots in the terminal."""
    from pokerspiel.experiments import play

    return play.run(game, against, seed, set_)


def serve_command(
    port: Annotated[
        int, typer.Option(parser=whole(0, 65535), metavar="N", help="Port; 0 for any free one.")
    ] = 8080,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others than localhost let strangers in.")
    ] = "127.0.0.1",
    data: Annotated[
        Path | None, typer.Option(help="Folder that keeps the tables and their hands.")
    ] = None,
    bots: Annotated[
        Path | None, typer.Option(help="Folder of bot files to offer; drop more in at any time.")
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(help="Another bot to offer, a file or a program; repeat for more."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(parser=whole(0, 2**63 - 1), metavar="N", help="Seed of all cards, for tests."),
    ] = None,
    rate: Annotated[
        float,
        typer.Option(
            parser=real(1, "a rate of"), metavar="N", help="Requests of one client a second."
        ),
    ] = 200.0,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    quiet: Quiet = False,
    config: Config = None,
) -> int:
    """Serve the table, study mode, calculator and explorer as a web page on this machine."""
    from pokerspiel.experiments import serve

    return serve.run(host, port, data, bots, bot or [], seed, open_, rate, quiet)


def histories_command(
    file: Annotated[Path, typer.Argument(help="Hand histories: JSON lines or PHH.")],
    to: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="Convert to jsonl or to phh.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write; otherwise the standard output.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Go on behind a bad hand, and name every one.")
    ] = False,
    tell: Annotated[
        int | None,
        typer.Option(parser=whole(0), metavar="N", help="Tell the hand of this number in words."),
    ] = None,
    json: Json = False,
    config: Config = None,
) -> int:
    """Replay hand histories and sum them up, convert them, or tell one hand."""
    from pokerspiel.experiments import histories

    return histories.run(file, to, out, check, tell, json)
