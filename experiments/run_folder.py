"""The folder of a run of `train` or `solve`.

| file | holds |
|---|---|
| `config.toml` | the options, resolved; `--config` of the same command takes it back |
| `manifest.json` | kind of the run, game string, algorithm, versions, machine |
| `*.centres` | the centres of the game's buckets, if it has any |
| `metrics.jsonl` | one line a report: iteration, seconds, nodes and more of the solver's |
| `events.out.tfevents.*` | the same for TensorBoard |
| `checkpoints/N.safetensors` | the solver's state after N iterations; `latest` names the last one |

Files appear whole or not at all: they are written under another name, synced and renamed.
"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from pokerspiel.experiments.output import json_text
from pokerspiel.games.abstraction import cluster_file
from pokerspiel.games.abstraction.cluster_file import Centres
from pokerspiel.games.variants import Game, load

FORMAT = 1
KEPT_CHECKPOINTS = 3
CONFIG, MANIFEST, METRICS = "config.toml", "manifest.json", "metrics.jsonl"
CHECKPOINTS, LATEST = "checkpoints", "latest"
TRAINED, SOLVED, NEURAL = "run", "solve", "neural"
"""Kinds of runs: those of `train`, those of `solve`, and of `train` with a neural algorithm."""


def write_file(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file, then put it in the place of `path`.

    Raises OSError and leaves no trace if that fails, or if there is something that is no file.
    """
    _check_file(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(temporary)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise OSError if a file and the folders that it needs cannot be made."""
    _check_file(path)
    folder = next(folder for folder in path.absolute().parents if folder.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise OSError(f"cannot write {path}: {folder} is no folder that can be written")


def _check_file(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise FileExistsError(f"cannot write {path}: it exists and is not a file")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    write_file(path, lambda temporary: _write_text(temporary, text))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def check_unused(folder: Path) -> None:
    """Raise OSError if there is something at the place of a new run folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(
            f"{folder} exists already: choose another --out, or `pokerspiel resume {folder}`"
        )


def create(
    folder: Path,
    config: Mapping[str, Any],
    manifest: Mapping[str, Any],
    kind: str = TRAINED,
    game: Game | None = None,
) -> RunFolder:
    """A new run folder, with the centres of the buckets of `game`.

    Raises OSError if the folder is in use or cannot be written.
    """
    check_unused(folder)
    fresh = not folder.exists()
    try:
        (folder / CHECKPOINTS).mkdir(parents=True)
        write_text(folder / CONFIG, toml_text(config))
        write_text(folder / MANIFEST, json_text({"format": FORMAT, "kind": kind, **manifest}))
        (folder / METRICS).touch()
        if game is not None and game.centres is not None:
            _keep_centres(folder, game.name, game.centres)
    except OSError as error:
        _clear(folder, fresh)
        raise OSError(f"cannot create {folder}: {error.strerror or error}") from None
    return RunFolder(folder)


def _keep_centres(folder: Path, variant: str, centres: Centres) -> None:
    """Write the centres of a game's buckets, so that the run goes on wherever it lies."""
    path = folder / cluster_file.file_name(variant, centres)
    write_file(path, lambda temporary: cluster_file.save(centres, temporary))


def _clear(folder: Path, fresh: bool) -> None:
    """Take back what `create` has begun."""
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        for name in (CONFIG, MANIFEST, METRICS):
            (folder / name).unlink(missing_ok=True)
        for path in folder.glob(f"*{cluster_file.SUFFIX}"):
            path.unlink()
        shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)


def toml_text(values: Mapping[str, Any]) -> str:
    """Flat TOML of strings, numbers and booleans; None is left out."""
    lines = []
    for key, value in values.items():
        if value is not None:
            # JSON's form of these types is TOML's as well.
            lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


class RunFolder:
    """An existing run folder. Raises ValueError or OSError if `path` is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_dir():
            problem = "is a file, not a run folder" if path.exists() else "does not exist"
            raise ValueError(f"{path} {problem}")
        if not (path / MANIFEST).is_file() or not (path / CONFIG).is_file():
            raise ValueError(f"{path} is no run folder: it has no {MANIFEST} and {CONFIG}")

    def manifest(self) -> dict[str, Any]:
        path = self.path / MANIFEST
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is damaged: {error}") from None
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise ValueError(f"{path}: expected a run folder of format {FORMAT}")
        return manifest

    @property
    def kind(self) -> str:
        """TRAINED, SOLVED or NEURAL."""
        return str(self.manifest().get("kind"))

    def game(self) -> Game:
        """The game of the run. Raises ValueError if its centres are damaged or not there."""
        for path in sorted(self.path.glob(f"*{cluster_file.SUFFIX}")):
            cluster_file.bring(cluster_file.load(path))
        return load(str(self.manifest().get("game")))

    def check_versions(self, game: Game) -> None:
        """Raise ValueError if rules or information sets have changed since the run began."""
        manifest = self.manifest()
        for name, now in (("rule_version", game.rule_version), ("abstraction", game.abstraction)):
            if manifest.get(name) != now:
                raise ValueError(
                    f"{self.path} was trained with {name} {manifest.get(name)}, which is now "
                    f"{now}: train anew"
                )

    def config(self) -> dict[str, Any]:
        path = self.path / CONFIG
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is damaged: {error}") from None

    # Metrics.

    def add_metrics(self, numbers: Mapping[str, Any]) -> None:
        with (self.path / METRICS).open("a", encoding="utf-8") as file:
            file.write(json_text(dict(numbers), indent=None) + "\n")

    def metrics(self) -> list[dict[str, Any]]:
        """The lines of the metrics, without one that was cut off in writing."""
        rows = []
        path = self.path / METRICS
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                rows.append(json.loads(line))
            except ValueError:
                break
        return rows

    def forget_metrics_after(self, iteration: int) -> None:
        """Drop the lines that a run which did not reach its next checkpoint has left."""
        rows = [row for row in self.metrics() if row["iteration"] <= iteration]
        text = "".join(json_text(row, indent=None) + "\n" for row in rows)
        write_text(self.path / METRICS, text)

    # Checkpoints.

    def save_checkpoint(
        self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]
    ) -> Path:
        """Write the state of a solver, point `latest` to it and drop the oldest checkpoints."""
        folder = self.path / CHECKPOINTS
        path = folder / f"{int(numbers['iteration']):015d}.safetensors"
        metadata = {"numbers": json_text(dict(numbers), indent=None)}
        write_file(path, lambda temporary: _save_arrays(temporary, arrays, metadata))
        write_text(folder / LATEST, path.name + "\n")
        self._clean_up(path)
        return path

    def _clean_up(self, newest: Path) -> None:
        """Drop old checkpoints, and what runs that were killed have left: files half written, and
        checkpoints that `latest` never came to name."""
        folder = newest.parent
        stored = sorted(folder.glob("[0-9]*.safetensors"))
        known = stored.index(newest) + 1
        for path in (*stored[: max(known - KEPT_CHECKPOINTS, 0)], *stored[known:]):
            path.unlink()
        for half in folder.glob(".*"):
            half.unlink()

    @property
    def has_checkpoint(self) -> bool:
        return (self.path / CHECKPOINTS / LATEST).is_file()

    def latest_checkpoint(self) -> Path:
        """The newest checkpoint; ValueError if there is none."""
        pointer = self.path / CHECKPOINTS / LATEST
        if not pointer.is_file():
            raise ValueError(f"{self.path} has no checkpoint yet")
        path = pointer.parent / Path(pointer.read_text(encoding="utf-8").strip()).name
        if not path.is_file():
            raise ValueError(f"{pointer} names {path.name}, which does not exist")
        return path

    def load_checkpoint(
        self, mapped: bool = False
    ) -> tuple[dict[str, np.ndarray], dict[str, int | float]]:
        """Arrays and numbers of the newest checkpoint; ValueError if it is damaged.

        If `mapped` the arrays can only be read, from the file itself, and take no memory.
        """
        from safetensors import SafetensorError, safe_open

        path = self.latest_checkpoint()
        try:
            with safe_open(path, framework="numpy") as file:
                numbers = json.loads((file.metadata() or {}).get("numbers", "{}"))
                if mapped:
                    return _mapped_arrays(path), numbers
                return {name: file.get_tensor(name) for name in file.keys()}, numbers  # noqa: SIM118
        except (SafetensorError, ValueError, TypeError) as error:
            raise ValueError(f"{path} is damaged: {error}") from None


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


def _save_arrays(path: Path, arrays: Mapping[str, np.ndarray], metadata: dict[str, str]) -> None:
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    try:
        save_file(contiguous, path, metadata)
    except SafetensorError as error:
        raise OSError(str(error)) from None
