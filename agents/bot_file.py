"""A bot on disk: one file of arrays and a manifest, safe to share.

The file is in the safetensors format, so that loading runs no code. Its metadata holds the manifest
as JSON: which game and information sets the bot knows, where it comes from and how strong it is.
Whatever does not fit is refused with a `BotFileError` of one line.

A bot of one of our own games plays through its kernels; one of OpenSpiel's own games, whose
abstraction is called "openspiel", by OpenSpiel's texts.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.policy import BLUEPRINT, CHART, NETWORK, Policy, new_policy
from pokerspiel.agents.spiel_table import TEXTS, SpielGame, SpielTableBot, is_ours
from pokerspiel.agents.stored_tables import (
    BotTable,
    checked_table,
    hash_of_arrays,
    information_hash,
    information_sets_of,
    kind_of,
    stored_arrays,
)
from pokerspiel.games.abstraction.cluster_file import bring, new_centres
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.blueprint import Blueprint
from pokerspiel.solvers.chart import Chart
from pokerspiel.solvers.network import Network

FORMAT = "pokerspiel-bot"
FORMAT_VERSION = 1
SUFFIX = ".pspiel"
_CENTRES = "centres."
"""What the names of the arrays begin with that hold the centres of the bot's buckets."""


class BotFileError(ValueError):
    """A bot file that cannot be written, read or used; one line that says why."""


@dataclass(frozen=True)
class Manifest:
    """What a bot file says about its bot."""

    name: str
    game: str
    """Game string, ours with the abstraction that the bot was trained in, or OpenSpiel's."""
    rule_version: int
    abstraction: str
    """Name and version of its information sets, such as "points-1" or "openspiel-1"."""
    information_hash: str
    """Of the abstraction's tables and of the keys along random hands: see `information_hash`."""
    algorithm: str
    seed: int
    iterations: int
    nodes: int
    """States visited in training."""
    seconds: float
    """Wall time of training."""
    information_sets: int
    """Those that its table holds; 0: it plays by a network."""
    content_hash: str
    """SHA-256 of the arrays."""
    strength: Mapping[str, Any] | None = None
    """Measured strength and how it was measured."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of the packages that trained the bot."""
    created: str = ""
    """Time of writing, ISO 8601 in UTC."""


class Bot(CompiledAgent):
    """A player that looks its decisions up in a table, or asks a network."""

    def __init__(self, name: str, game: Game, table: BotTable, manifest: Manifest | None) -> None:
        super().__init__(name, game)
        self.table = table
        self.manifest = manifest

    def policy(self, game: Game) -> Policy:
        self.check(game)
        assert self.game is not None
        if isinstance(self.table, Network):
            return new_policy(NETWORK, self.game, network=self.table)
        if isinstance(self.table, Chart):
            return new_policy(CHART, self.game, chart=self.table)
        return new_policy(BLUEPRINT, self.game, blueprint=self.table)


def save_bot(
    path: str | Path,
    game: Game | str,
    table: BotTable,
    *,
    algorithm: str,
    seed: int,
    iterations: int,
    nodes: int,
    seconds: float,
    name: str | None = None,
    strength: Mapping[str, Any] | None = None,
    information_sets: int | None = None,
    one_byte: bool = False,
) -> Manifest:
    """Write a bot for `game`, trained in its abstraction; returns the manifest written.

    A game string may name one of OpenSpiel's own games; the keys of the blueprint are then those
    of the game's tree. A chart is for a game whose keys name classes of hands; with `one_byte` its
    weights are stored as bytes. `information_sets` are those that were learnt, by default all that
    the table holds. The file appears whole or not at all. Raises BotFileError if it cannot be
    written, ValueError if there is no such game or the weights do not fit into bytes.
    """
    path = Path(path)
    about = _game(game) if isinstance(game, str) else game
    arrays = stored_arrays(table, one_byte)
    manifest = Manifest(
        name=name or path.stem,
        game=str(about),
        rule_version=about.rule_version,
        abstraction=about.abstraction,
        information_hash=information_hash(about, isinstance(table, Network)),
        algorithm=algorithm,
        seed=seed,
        iterations=iterations,
        nodes=nodes,
        seconds=seconds,
        information_sets=information_sets or information_sets_of(table),
        content_hash=hash_of_arrays(arrays),
        strength=strength,
        versions=_versions(about),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    metadata = {
        "format": FORMAT,
        "format_version": str(FORMAT_VERSION),
        "manifest": json.dumps(asdict(manifest)),
    }
    centres = about.centres if isinstance(about, Game) else None
    if centres is not None:
        arrays |= {_CENTRES + key: array for key, array in centres.to_arrays().items()}
        metadata["centres"] = centres.to_text()
    try:
        _write_whole(path, save(arrays, metadata))
    except OSError as error:
        raise BotFileError(f"cannot write {path}: {error.strerror or error}") from None
    return manifest


def _versions(game: Game | SpielGame) -> dict[str, str]:
    packages = ["pokerspiel", "numba", "numpy"]
    if isinstance(game, SpielGame):
        packages.append("open_spiel")
    return {package: version(package) for package in packages}


def _game(text: str, abstraction: str | None = None) -> Game | SpielGame:
    """The game of a game string; with the abstraction of a manifest it is clear whose it is."""
    ours = is_ours(text) if abstraction is None else abstraction != TEXTS
    return load(text) if ours else SpielGame(text)


def _write_whole(path: Path, data: bytes) -> None:
    """Write beside `path`, then rename: a reader, or a full disk, never meets half a file."""
    if path.exists() and not path.is_file():
        raise FileExistsError(errno.EEXIST, "it exists and is not a file")
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_manifest(path: str | Path) -> Manifest:
    """The manifest of a bot file, without its arrays. Raises BotFileError."""
    return _read(Path(path), with_arrays=False)[0]


def load_bot(path: str | Path) -> Bot | SpielTableBot:
    """The bot in a file, ready to play. Raises BotFileError if anything about it does not fit."""
    path = Path(path)
    manifest, arrays = _read(path, with_arrays=True)
    try:
        game = _known_game(manifest, observed=kind_of(arrays) is Network)
        table = checked_table(game, arrays, manifest.content_hash)
    except ValueError as error:
        raise BotFileError(f"{path}: {_one_line(error)}") from None
    if isinstance(game, SpielGame):
        assert isinstance(table, Blueprint)
        return SpielTableBot(manifest.name, game, table, manifest)
    return Bot(manifest.name, game, table, manifest)


def _read(path: Path, with_arrays: bool) -> tuple[Manifest, dict[str, np.ndarray]]:
    """Manifest and arrays of the table; the centres of the bot's buckets become known."""
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            manifest = _manifest(metadata)
            arrays = {key: file.get_tensor(key) for key in file.keys()} if with_arrays else {}  # noqa: SIM118
            if with_arrays:
                arrays = _without_centres(manifest, arrays, metadata)
    except (SafetensorError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise BotFileError(f"{path} is no bot file, or is damaged: {_one_line(error)}") from None
    except OSError as error:
        raise BotFileError(f"cannot read {path}: {error.strerror or _one_line(error)}") from None
    except ValueError as error:
        raise BotFileError(f"{path}: {_one_line(error)}") from None
    return manifest, arrays


def _without_centres(
    manifest: Manifest, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]
) -> dict[str, np.ndarray]:
    """Bring the centres in the file, if there are any; returns the other arrays.

    Raises ValueError if they are damaged, or not those that the game names.
    """
    if "centres" in metadata:
        of_centres = {
            key.removeprefix(_CENTRES): array
            for key, array in arrays.items()
            if key.startswith(_CENTRES)
        }
        name = bring(new_centres(of_centres, metadata["centres"], "the file"))
        if f"buckets={name}" not in manifest.game:
            raise ValueError(f"brings the centres {name}, which are not those of {manifest.game}")
    return {key: array for key, array in arrays.items() if not key.startswith(_CENTRES)}


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "Mapping[str, Any] | None": (dict, type(None)),
    "Mapping[str, str]": dict,
}


def _manifest(metadata: Mapping[str, str]) -> Manifest:
    """The manifest in the metadata of a file; ValueError if it is not one of ours."""
    if metadata.get("format") != FORMAT:
        raise ValueError("is no pokerspiel bot")
    if metadata.get("format_version") != str(FORMAT_VERSION):
        raise ValueError(
            f"has format version {metadata.get('format_version')}, this program reads "
            f"{FORMAT_VERSION}"
        )
    values = json.loads(metadata.get("manifest", "null"))
    known = {entry.name: str(entry.type) for entry in fields(Manifest)}
    if not isinstance(values, dict) or set(values) != set(known):
        raise ValueError("its manifest does not have the entries of this format")
    for name, kind in known.items():
        if not isinstance(values[name], _TYPES[kind]) or isinstance(values[name], bool):
            raise ValueError(f"its manifest has {name}={values[name]!r}: expected {kind}")
    return Manifest(**values)


def _known_game(manifest: Manifest, observed: bool) -> Game | SpielGame:
    """The game of a manifest, if this version plays it with the same information sets."""
    game = _game(manifest.game, manifest.abstraction)
    if manifest.rule_version != game.rule_version:
        raise ValueError(
            f"was made for version {manifest.rule_version} of the rules of {game.name}, "
            f"this program plays version {game.rule_version}"
        )
    if manifest.abstraction != game.abstraction:
        raise ValueError(
            f"was made with the abstraction {manifest.abstraction}, this program has "
            f"{game.abstraction}"
        )
    if manifest.information_hash != information_hash(game, observed):
        raise ValueError(
            f"the information sets of {game} ({game.abstraction}) have changed since it was made: "
            f"train it again"
        )
    return game
