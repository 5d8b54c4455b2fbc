"""The command `pokerspiel tournament`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pokerspiel.experiments.options import (
    Aivat,
    Config,
    FitHands,
    Json,
    On,
    Quiet,
    Seed,
    Set,
    Values,
    WorkerCount,
    whole,
)


def tournament_command(
    bots: Annotated[
        list[str], typer.Argument(help="Bot files, names that `bots` lists, or programs to run.")
    ],
    game: Annotated[str, typer.Option(help="Game, such as svara or 'svara(players=3)'.")],
    hands: Annotated[
        int,
        typer.Option(parser=whole(1), metavar="N", help="Hands of a match, all seatings counted."),
    ] = 10_000,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option(help="Folder of the tournament.")] = Path("runs/tournament"),
    workers: WorkerCount = None,
    on: On = "processes",
    aivat: Aivat = False,
    values: Values = None,
    fit_hands: FitHands = 40_000,
    min_hands: Annotated[
        int, typer.Option(parser=whole(0), metavar="N", help="Hands that a bot needs for a rank.")
    ] = 1000,
    exploitability: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="exact: where that is quick; bounds: lower bounds elsewhere, minutes a bot; none.",
        ),
    ] = "exact",
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> int:
    """Let every bot meet every other one, with the same deals for all.

    The same command again goes on where it stopped; with more hands or bots it plays only those.
    """
    from pokerspiel.experiments import tournament
    from pokerspiel.experiments.correction import Correction

    plan = tournament.Plan(
        bots=tuple(bots),
        game=game,
        settings=tuple(set_ or ()),
        hands=hands,
        seed=seed,
        min_hands=min_hands,
        correction=Correction(aivat, values, fit_hands),
        exploitability=exploitability,
        on=on,
        workers=workers,
    )
    return tournament.run(plan, out, json, quiet)
