"""`pokerspiel export`: the average strategy of a run as a bot file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pokerspiel.agents.bot_file import Manifest, save_bot
from pokerspiel.experiments.options import bytes_text
from pokerspiel.experiments.output import note, print_json
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.experiments.train import ALGORITHM, check_versions, load_state
from pokerspiel.games import variants
from pokerspiel.games.variants import Game
from pokerspiel.solvers.blueprint import average_blueprint
from pokerspiel.solvers.mccfr import MccfrState


def run(path: Path, out: Path, name: str | None, json: bool, quiet: bool) -> None:
    folder = RunFolder(path)
    manifest = folder.manifest()
    game = variants.load(str(manifest.get("game")))
    check_versions(manifest, game, path)
    bot = write_bot(out, game, load_state(folder, None), name)
    if json:
        print_json({"bot": str(out), **vars(bot)})
    else:
        note(
            f"{out}: {bot.game}, {bot.information_sets:,} information sets, "
            f"{bytes_text(out.stat().st_size)}",
            quiet,
        )


def write_bot(
    out: Path,
    game: Game,
    state: MccfrState,
    name: str | None = None,
    strength: Mapping[str, Any] | None = None,
) -> Manifest:
    """Write the average strategy of a solver's state for `game` to a bot file."""
    blueprint = average_blueprint(state.table)
    if len(blueprint.keys) == 0:
        raise ValueError("nothing has been learnt yet: train longer")
    return save_bot(
        out,
        game,
        blueprint,
        algorithm=ALGORITHM,
        seed=state.seed,
        iterations=state.iteration,
        nodes=state.nodes,
        seconds=state.seconds,
        name=name,
        strength=strength,
    )
