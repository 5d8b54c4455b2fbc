"""`pokerspiel abstract`: centres of card buckets: build them, list them, measure what they tell."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pokerspiel.experiments.game_choice import chosen_game
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.experiments.run_folder import check_writable
from pokerspiel.games import sviten
from pokerspiel.games.abstraction import cluster_file
from pokerspiel.games.abstraction.cluster_file import Centres, CentresError
from pokerspiel.games.abstraction.clusters import KEEP, MAX_BUCKETS, MOMENTS, PREFLOP
from pokerspiel.games.variants import VARIANTS, Game

FEWER = {MOMENTS[PREFLOP]: 300, MOMENTS[KEEP]: 300}
"""Moments that have no use for more buckets than this, unless they are asked for by name."""


def build(
    game_text: str,
    settings: Sequence[str] | None,
    buckets: str,
    samples: int,
    restarts: int,
    seed: int,
    name: str | None,
    out: Path | None,
    json: bool,
    quiet: bool,
) -> None:
    from pokerspiel.games.abstraction import cluster_build

    game = _sviten(game_text, settings)
    sizes = parse_buckets(buckets)
    check_writable(out or cluster_file.user_folder() / cluster_file.SUFFIX)
    start = time.perf_counter()
    with ProgressReport(f"centres for {game.name}", quiet) as report:
        centres = cluster_build.build(
            game,
            sizes,
            samples,
            restarts,
            seed,
            name or f"b{max(sizes.values())}",
            lambda what, share: report.show(share, what),
        )
    path = out or cluster_file.user_folder() / cluster_file.file_name(game.name, centres)
    cluster_file.save(centres, path)
    use = str(out) if out is not None else centres.full_name
    text = str(game.with_parameters(abstraction="none")).rstrip(")")
    text += f"{',' if '(' in text else '('}abstraction=clusters,buckets={use})"
    if json:
        print_json({**_document(centres), "file": str(path), "game": text})
    else:
        seconds = time.perf_counter() - start
        note(f"{path}: {centres.full_name} in {seconds:.0f} s; the game is now {text}", quiet)


def _sviten(game_text: str, settings: Sequence[str] | None) -> Game:
    game = chosen_game(game_text, settings)
    if game.family is not sviten:
        raise ValueError(f"{game.name} has no card buckets: expected a Sviten game")
    return game


def parse_buckets(text: str) -> dict[str, int]:
    """Buckets of each moment from "500", or "500,preflop=200,river=1000".

    Raises ValueError, one line that names the bad part.
    """
    sizes: dict[str, int] = {}
    for part in text.split(","):
        moment, equals, number = part.strip().rpartition("=")
        if equals and moment not in MOMENTS:
            raise ValueError(f"buckets {part.strip()!r}: the moments are {', '.join(MOMENTS)}")
        if not number.isdecimal() or not 1 <= int(number) <= MAX_BUCKETS:
            raise ValueError(f"buckets {part.strip()!r}: expected 1 to {MAX_BUCKETS}")
        if equals:
            sizes[moment] = int(number)
        else:
            whole = {name: min(int(number), FEWER.get(name, MAX_BUCKETS)) for name in MOMENTS}
            sizes = {**whole, **sizes}
    missing = [name for name in MOMENTS if name not in sizes]
    if missing:
        raise ValueError(f"buckets {text!r}: how many for the {missing[0]}?")
    return sizes


def _document(centres: Centres) -> dict[str, Any]:
    return {
        "name": centres.full_name,
        "content_hash": centres.content_hash,
        "buckets": centres.sizes,
        "deal": dict(centres.deal),
        "about": dict(centres.about),
    }


def show_all(json: bool) -> None:
    """List the centres of the package and of the user."""
    names = [name for name, variant in VARIANTS.items() if variant.family is sviten]
    found, damaged = [], []
    for name in names:
        for path in cluster_file.known_files(name):
            try:
                found.append((name, path, cluster_file.load(path)))
            except CentresError as error:
                damaged.append(str(error))
    if json:
        documents = [
            {"variant": name, "file": str(path), **_document(centres)}
            for name, path, centres in found
        ]
        print_json({"centres": documents, "damaged": damaged})
        return
    rows = [
        (name, centres.full_name, " ".join(str(size) for size in centres.sizes.values()), path)
        for name, path, centres in found
    ]
    print_table("", ("game", "name", "buckets", "file"), rows)
    for line in damaged:
        note(line)


def measure(
    game_text: str,
    settings: Sequence[str] | None,
    hands: int,
    seed: int,
    json: bool,
    quiet: bool,
) -> None:
    """Tell how well the buckets of a game predict the percentiles of both halves."""
    from pokerspiel.games.abstraction import cluster_measure

    game = _sviten(game_text, settings)
    with ProgressReport(f"buckets of {game.name}", quiet) as report:
        found = cluster_measure.measure(
            game, hands, seed, lambda share: report.show(share, f"{hands:,} hands")
        )
    if json:
        print_json({"game": str(game), "hands": hands, "moments": [asdict(row) for row in found]})
        return
    rows = [
        (
            row.moment,
            f"{row.buckets:,}",
            f"{row.used:,}",
            f"{row.draw:.3f}",
            f"{row.omaha:.3f}",
            f"{row.mean:.3f}",
        )
        for row in found
    ]
    columns = ("moment", "buckets>", "met>", "draw half>", "Omaha half>", "mean>")
    print_table(f"{game}: R² of percentiles by bucket, {hands:,} random hands", columns, rows)
