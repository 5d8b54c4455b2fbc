"""The subcommands of `pokerspiel abstract`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pokerspiel.experiments.options import (
    Config,
    Json,
    Quiet,
    Seed,
    Set,
    whole,
)

abstract = typer.Typer(help="Build and measure card buckets.", no_args_is_help=True)


@abstract.command("build")
def abstract_build_command(
    game: Annotated[str, typer.Argument(help="A Sviten game.")],
    buckets: Annotated[
        str, typer.Option(help="Buckets, such as 500 or 500,preflop=200,river=1000.")
    ] = "500",
    samples: Annotated[
        int,
        typer.Option(parser=whole(100, 10_000_000), metavar="N", help="Random hands to cluster."),
    ] = 200_000,
    restarts: Annotated[
        int,
        typer.Option(parser=whole(1, 1000), metavar="N", help="Runs of k-means; the best stays."),
    ] = 3,
    name: Annotated[str | None, typer.Option(help="Short name of the centres.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write; otherwise your folder of centres.")
    ] = None,
    seed: Seed = 0,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Find the centres of hands that are alike: minutes for hundreds, hours for thousands."""
    from pokerspiel.experiments import abstract as command

    command.build(game, set_, buckets, samples, restarts, seed, name, out, json, quiet)


@abstract.command("list")
def abstract_list_command(json: Json = False) -> None:
    """List the centres that come with the package, and your own."""
    from pokerspiel.experiments import abstract as command

    command.show_all(json)


@abstract.command("measure")
def abstract_measure_command(
    game: Annotated[str, typer.Argument(help="A game with abstraction=clusters.")],
    hands: Annotated[
        int, typer.Option(parser=whole(100, 10_000_000), metavar="N", help="Random hands.")
    ] = 20_000,
    seed: Seed = 1,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Say how well buckets predict what hands are worth in each half of the pot."""
    from pokerspiel.experiments import abstract as command

    command.measure(game, set_, hands, seed, json, quiet)
