"""The command that says where a player loses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pokerspiel.experiments.options import Config, Json, Quiet, Seed, Set, refuse_given, whole

_HANDS = 10_000


def leaks_command(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT REFERENCE", help="The bot to judge and the reference, files or names."
        ),
    ],
    game: Annotated[
        str | None, typer.Option(help="Game; by default that of the first bot file.")
    ] = None,
    hands: Annotated[
        int, typer.Option(parser=whole(1), metavar="N", help="Hands, all rotations counted.")
    ] = _HANDS,
    histories: Annotated[
        Path | None,
        typer.Option(help="Judge a player of these hands, JSON lines or PHH, in place of a bot."),
    ] = None,
    player: Annotated[str | None, typer.Option(help="With --histories: the name to judge.")] = None,
    playouts: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 100_000), metavar="K", help="Play-outs of each action; 4 by default."
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(parser=whole(1), metavar="N", help="Most betting nodes to list.")
    ] = 20,
    out: Annotated[Path | None, typer.Option(help="HTML file for a report.")] = None,
    seed: Seed = 0,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> int:
    """Say where a player loses against a reference: by street, choice, draw and betting node.

    With --histories the only bot named is the reference.
    """
    from pokerspiel.experiments import leaks

    if histories is None:
        refuse_given("a bot to judge, only with --histories", player=(player, None))
    else:
        refuse_given("--histories", hands=(hands, _HANDS))
    return leaks.run(
        bots, game, hands, histories, player, playouts, seed, top, out, set_, json, quiet
    )
