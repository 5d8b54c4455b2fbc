"""Files of checkpoints: the arrays of a solver's state, and what they are of.

The file is in the safetensors format, so that loading runs no code. Its metadata are texts:

| name | holds |
|---|---|
| `format` | number of the format of this kind of checkpoint |
| `kind` | MCCFR, SOLVE or NEURAL |
| `pokerspiel` | version of the package that wrote the file |
| `game`, `rule_version`, `abstraction`, `algorithm` | those of the run |
| `numbers` | JSON object: the numbers of the state |
| `crc32` | checksum of the rest, and of the arrays with their names, types and shapes |

The checksum is the same in every format, so that damage is told from news. Format 1 had `numbers`
alone. Whoever changes what the arrays or numbers of a kind mean gives it a new number in FORMATS,
and a step from the one before in MIGRATIONS.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from pokerspiel.experiments.output import json_text

Arrays = Mapping[str, np.ndarray]
Numbers = Mapping[str, int | float]
Migration = Callable[[Arrays, Numbers], tuple[Arrays, Numbers]]

MCCFR, SOLVE, NEURAL = "mccfr", "solve", "neural"
"""Kinds: tables of `train`, algorithms of `solve`, and networks."""
FORMATS: Mapping[str, int] = {MCCFR: 2, SOLVE: 2, NEURAL: 2}
"""The format of each kind that is written."""


def _as_it_was(arrays: Arrays, numbers: Numbers) -> tuple[Arrays, Numbers]:
    return arrays, numbers


def _without_classes(arrays: Arrays, numbers: Numbers) -> tuple[Arrays, Numbers]:
    """The first tables had no classes of hands, and did not say so."""
    return arrays, {"classes": 0, **numbers}


MIGRATIONS: Mapping[tuple[str, int], Migration] = {
    (MCCFR, 1): _without_classes,
    (SOLVE, 1): _as_it_was,
    (NEURAL, 1): _as_it_was,
}
"""Steps from a format of a kind to the next one."""


class DamagedError(ValueError):
    """A checkpoint that is not what was written."""


@dataclass(frozen=True)
class About:
    """Which run a checkpoint is of."""

    kind: str
    game: str
    rule_version: str
    abstraction: str
    algorithm: str

    @classmethod
    def of(cls, kind: str, manifest: Mapping[str, Any]) -> About:
        """By the manifest of the run; what it does not name is empty."""
        names = ("game", "rule_version", "abstraction", "algorithm")
        return cls(kind, *(str(manifest.get(name, "")) for name in names))


def newer_format(what: Path, writer: str, found: int, known: int) -> ValueError:
    """What a file is refused with that a later version has written."""
    return ValueError(
        f"{what} was written by pokerspiel {writer}, format {found}; this one reads up to "
        f"{known}: update"
    )


# Writing.


def write(path: Path, about: About, arrays: Arrays, numbers: Numbers) -> None:
    """Write a checkpoint. Raises OSError."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    metadata = {
        "format": str(FORMATS[about.kind]),
        "pokerspiel": version("pokerspiel"),
        **vars(about),
        "numbers": json_text(dict(numbers), indent=None),
    }
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    metadata["crc32"] = _checksum(metadata, contiguous)
    try:
        save_file(contiguous, path, metadata)
    except SafetensorError as error:
        raise OSError(" ".join(str(error).split())) from None


def _checksum(metadata: Mapping[str, str], arrays: Arrays) -> str:
    """Of all metadata but itself, and of contiguous arrays."""
    texts = sorted((name, text) for name, text in metadata.items() if name != "crc32")
    shapes = [(name, arrays[name].dtype.str, arrays[name].shape) for name in sorted(arrays)]
    checksum = zlib.crc32(json.dumps([texts, shapes]).encode())
    for name in sorted(arrays):
        checksum = zlib.crc32(arrays[name].data, checksum)
    return f"{checksum:08x}"


# Reading.


def read(path: Path, about: About, mapped: bool = False) -> tuple[Arrays, Numbers]:
    """The arrays and numbers of a checkpoint of the run `about`, in the format of today.

    If `mapped` the arrays can only be read, from the file itself, and take no memory. Raises
    DamagedError if the file is damaged, ValueError if it is of another run or of a format that this
    version does not read.
    """
    metadata, arrays = _whole(path, mapped)
    if metadata.keys() == {"numbers"}:
        found = 1
    else:
        _check_run(path, metadata, about)
        found = int(metadata["format"])
        if found > FORMATS[about.kind]:
            raise newer_format(path, metadata["pokerspiel"], found, FORMATS[about.kind])
    numbers: Numbers = json.loads(metadata["numbers"])
    for step in range(found, FORMATS[about.kind]):
        if (about.kind, step) not in MIGRATIONS:
            raise ValueError(f"{path} has format {found}, which is too old: train anew")
        arrays, numbers = MIGRATIONS[about.kind, step](arrays, numbers)
    return arrays, numbers


def _whole(path: Path, mapped: bool) -> tuple[dict[str, str], Arrays]:
    """Metadata and arrays as they were written. Raises DamagedError."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            metadata: dict[str, str] = dict(file.metadata() or {})
            if mapped:
                arrays = _mapped_arrays(path)
            else:
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, TypeError, KeyError) as error:
        raise DamagedError(f"{path} is damaged: {' '.join(str(error).split())}") from None
    if metadata.keys() != {"numbers"} and metadata.get("crc32") != _checksum(metadata, arrays):
        raise DamagedError(f"{path} is damaged: its checksum is not that of what it holds")
    try:
        json.loads(metadata["numbers"])
    except (KeyError, ValueError) as error:
        raise DamagedError(f"{path} is damaged: {error}") from None
    return metadata, arrays


def _check_run(path: Path, metadata: Mapping[str, str], about: About) -> None:
    for name, expected in vars(about).items():
        if metadata.get(name) != expected:
            raise ValueError(
                f"{path} is of another run: its {name.replace('_', ' ')} is "
                f"{metadata.get(name)!r}, expected {expected!r}"
            )


def _mapped_arrays(path: Path) -> dict[str, np.ndarray]:
    """Views of the arrays of a valid file: its header is JSON after eight bytes with its length."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    data = np.memmap(path, np.uint8, "r", 8 + size)
    arrays = {}
    for name, about in header.items():
        if name != "__metadata__":
            kind = f"{about['dtype'][0].lower()}{int(about['dtype'][1:]) // 8}"
            start, end = about["data_offsets"]
            arrays[name] = data[start:end].view(kind).reshape(about["shape"])
    return arrays
