"""Centres of the abstraction `clusters`: what they are, where they lie, and how a game gets them.

A set of centres is a small file in the safetensors format. Its full name ends with a hash of all
that its buckets depend on: games and bots name it in full, so that other centres never stand in for
it. A name is looked for among the centres that a bot has brought along, those of the package, and
those of the user's folder; a path of a file will do as well.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from pokerspiel.games.abstraction import clusters
from pokerspiel.games.abstraction.boards import board_tables
from pokerspiel.games.abstraction.clusters import FEATURES, MAX_BUCKETS, MOMENTS
from pokerspiel.games.abstraction.outlook import STRENGTHS, level_percentiles

SUFFIX = ".centres"
FORMAT = "pokerspiel-centres"
SHIPPED = Path(__file__).parent / "centres"
DEAL = (
    *("hole_cards", "flop_cards", "turn_cards", "river_cards", "rounds", "omaha_hole"),
    *("omaha_board", "ranks", "suits", "draw_half", "max_discards", "one_card_face_up"),
)
"""The parameters of a game that its centres depend on."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_HASH_LETTERS = 10


class CentresError(ValueError):
    """Centres that are not there, or do not fit; one line that says why."""


@dataclass(frozen=True)
class Centres:
    """Frozen centres for one way of dealing."""

    name: str
    """A short name, such as "b500"."""
    deal: Mapping[str, Any]
    """The parameters DEAL of the games that they are for."""
    centres: tuple[np.ndarray, ...]
    """[buckets, FEATURES] float32 for each of MOMENTS."""
    draw_percentile: np.ndarray
    """[STRENGTHS] float32: percentile of each strength of the draw half."""
    about: Mapping[str, Any]
    """How they were made: samples, restarts, seed, how far hands lie from them."""

    @property
    def sizes(self) -> dict[str, int]:
        """Buckets of each moment."""
        return {moment: len(c) for moment, c in zip(MOMENTS, self.centres, strict=True)}

    @property
    def content_hash(self) -> str:
        """SHA-256 of all that the buckets depend on."""
        digest = hashlib.sha256(f"{clusters.VERSION} {json.dumps(dict(self.deal))}".encode())
        for array in (*self.centres, self.draw_percentile, *_boards(self.deal)):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    @property
    def full_name(self) -> str:
        """The name and the start of the hash, such as "b500-1f0c93ab7e"."""
        return f"{self.name}-{self.content_hash[:_HASH_LETTERS]}"

    def to_arrays(self) -> dict[str, np.ndarray]:
        named = dict(zip(MOMENTS, self.centres, strict=True))
        return {**named, "draw_percentile": self.draw_percentile}

    def to_text(self) -> str:
        """All but the arrays, as JSON."""
        return json.dumps(
            {
                "name": self.name,
                "deal": dict(self.deal),
                "about": dict(self.about),
                "content_hash": self.content_hash,
            }
        )


def new_centres(arrays: Mapping[str, np.ndarray], text: str, where: str) -> Centres:
    """The inverse of `to_arrays` and `to_text`. Raises CentresError if they are damaged."""
    try:
        about = json.loads(text)
        result = Centres(
            check_name(str(about["name"])),
            {name: about["deal"][name] for name in DEAL},
            tuple(np.ascontiguousarray(arrays[moment], np.float32) for moment in MOMENTS),
            np.ascontiguousarray(arrays["draw_percentile"], np.float32),
            dict(about["about"]),
        )
        stated = str(about["content_hash"])
    except (KeyError, TypeError, ValueError) as error:
        raise CentresError(f"{where} holds no centres: {error}") from None
    for moment, centres in zip(MOMENTS, result.centres, strict=True):
        fits = centres.ndim == 2 and centres.shape[1] == FEATURES
        if not fits or not 1 <= len(centres) <= MAX_BUCKETS or not np.isfinite(centres).all():
            raise CentresError(f"{where}: its centres for the {moment} are damaged")
    if result.draw_percentile.shape != (STRENGTHS,):
        raise CentresError(f"{where}: its percentiles are damaged")
    if result.content_hash != stated:
        raise CentresError(
            f"{where} states the hash {stated[:_HASH_LETTERS]}, but its buckets have "
            f"{result.content_hash[:_HASH_LETTERS]}: build the abstraction anew"
        )
    return result


def check_name(name: str) -> str:
    """A short name as it may be. Raises CentresError otherwise."""
    if not _NAME.fullmatch(name):
        raise CentresError(
            f"centres named {name!r}: expected a letter, then letters, digits and underscores"
        )
    return name


def _boards(deal: Mapping[str, Any]) -> tuple[np.ndarray, ...]:
    """The tables of boards, where games that are dealt like this use them."""
    board = sum(deal[f"{street}_cards"] for street in ("flop", "turn", "river"))
    whole = len(deal["ranks"]) == 13 and len(deal["suits"]) == 4 and deal["rounds"] == 4
    omaha = (deal["hole_cards"], deal["omaha_hole"], deal["omaha_board"], board) == (5, 2, 3, 5)
    return board_tables() if whole and omaha else ()


# Files.


def user_folder() -> Path:
    """The folder of the user's own centres."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "pokerspiel" / "centres"


def save(centres: Centres, path: Path) -> None:
    """Write centres to a file, which appears whole or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        metadata = {"format": FORMAT, "centres": centres.to_text()}
        save_file(centres.to_arrays(), temporary, metadata)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except SafetensorError as error:
        raise OSError(f"cannot write {path}: {error}") from None
    finally:
        Path(temporary).unlink(missing_ok=True)


def load(path: Path) -> Centres:
    """The centres of a file. Raises CentresError if it is none, or damaged."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise CentresError(f"{path} holds no centres")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise CentresError(f"{path} does not exist") from None
    except (OSError, SafetensorError) as error:
        raise CentresError(f"{path} is damaged: {error}") from None
    return new_centres(arrays, metadata.get("centres", ""), str(path))


# Finding them.

_brought: dict[str, Centres] = {}


def bring(centres: Centres) -> str:
    """Make centres known to this process; returns their full name."""
    _brought[centres.full_name] = centres
    return centres.full_name


def known_files(variant: str) -> list[Path]:
    """The files of centres of the package and of the user for a variant."""
    folders = (SHIPPED, user_folder())
    return [path for folder in folders for path in sorted(folder.glob(f"{variant}-*{SUFFIX}"))]


def file_name(variant: str, centres: Centres) -> str:
    return f"{variant}-{centres.full_name}{SUFFIX}"


def find(text: str, variant: str) -> Centres:
    """The centres of a full or short name, or of a path. Raises CentresError.

    Without a name those that come with the package.
    """
    if text in _brought:
        return _brought[text]
    if text.endswith(SUFFIX) or "/" in text:
        centres = load(Path(text))
    else:
        path = _file_of(text, variant)
        centres = load(path)
        if path.name != file_name(variant, centres):
            raise CentresError(f"{path} holds the centres {centres.full_name}: rename or remove it")
    bring(centres)
    return centres


def _file_of(text: str, variant: str) -> Path:
    names = {path: path.name[len(variant) + 1 : -len(SUFFIX)] for path in known_files(variant)}
    matching = [
        path
        for path, name in names.items()
        if name == text or name.rpartition("-")[0] == text or (not text and path.parent == SHIPPED)
    ]
    if len({names[path] for path in matching}) == 1:
        return matching[0]
    there = ", ".join(sorted(set(names.values()))) or "none"
    what = "are several" if matching else "are none"
    raise CentresError(
        f"buckets={text!r} of {variant}: there {what} of this name (known: {there}); "
        f"`pokerspiel abstract build {variant}` makes some"
    )


def complete(parameters: dict[str, Any], variant: str) -> dict[str, Any]:
    """The parameters with the full name of the centres. Raises CentresError if they do not fit."""
    if parameters["abstraction"] != "clusters":
        if parameters["buckets"]:
            raise CentresError(
                f"buckets={parameters['buckets']!r}: only abstraction=clusters has buckets"
            )
        return parameters
    centres = find(str(parameters["buckets"]), variant)
    for name in DEAL:
        if centres.deal[name] != parameters[name]:
            raise CentresError(
                f"buckets={centres.full_name} are for {name}={centres.deal[name]}, "
                f"not {parameters[name]}"
            )
    return {**parameters, "buckets": centres.full_name}


def fill(rules: np.ndarray, parameters: Mapping[str, Any]) -> None:
    """Write the centres that completed parameters name into the look-up record `rules[0]`."""
    centres = _brought[str(parameters["buckets"])]
    for moment, array in enumerate(centres.centres):
        rules["clusters"]["sizes"][0, moment] = len(array)
        rules["clusters"]["centres"][0, moment, :, : len(array)] = array.T
    fill_outlook(rules, parameters, centres.draw_percentile)


def fill_outlook(rules: np.ndarray, deal: Mapping[str, Any], draw_percentile: np.ndarray) -> None:
    """Write the tables of percentiles into the look-up record `rules[0]`."""
    outlook = rules["outlook"]
    outlook["draw_percentile"][0] = draw_percentile
    outlook["level_percentile"][0] = level_percentiles()
    boards = _boards(deal)
    if boards:
        outlook["board_row"][0], outlook["cuts"][0, : len(boards[1])] = boards
        outlook["has_boards"] = 1
