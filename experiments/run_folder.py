"""The folder of a run of `train` or `solve`.

| file | holds |
|---|---|
| `config.toml` | the options, resolved; `--config` of the same command takes it back |
| `manifest.json` | kind of the run, game string, algorithm, versions, machine |
| `*.centres` | the centres of the game's buckets, if it has any |
| `metrics.jsonl` | one line a report: iteration, seconds, nodes and more of the solver's |
| `events.out.tfevents.*` | the same for TensorBoard |
| `checkpoints/N.safetensors` | the solver's state after N iterations; `latest` names the last one |

Files appear whole or not at all: they are written under another name, synced and renamed. Only the
logs grow, by whole lines and events. One process at a time trains in a folder; others may read.
"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from pokerspiel.experiments import checkpoint_format
from pokerspiel.experiments.checkpoint_format import About, Arrays, DamagedError, Numbers
from pokerspiel.experiments.folder_lock import lock_folder
from pokerspiel.experiments.output import json_text, note
from pokerspiel.games.abstraction import cluster_file
from pokerspiel.games.abstraction.cluster_file import Centres
from pokerspiel.games.variants import Game, load

FORMAT = 1
KEPT_CHECKPOINTS = 3
CONFIG, MANIFEST, METRICS = "config.toml", "manifest.json", "metrics.jsonl"
CHECKPOINTS, LATEST = "checkpoints", "latest"
TRAINED, SOLVED, NEURAL = "run", "solve", "neural"
"""Kinds of runs: those of `train`, those of `solve`, and of `train` with a neural algorithm."""
_CHECKPOINT_KINDS = {
    TRAINED: checkpoint_format.MCCFR,
    SOLVED: checkpoint_format.SOLVE,
    NEURAL: checkpoint_format.NEURAL,
}


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


def append(path: Path, data: bytes) -> None:
    """Add all or nothing to the end of a file, which is made if it is not there. Raises OSError."""
    before = path.stat().st_size if path.exists() else 0
    try:
        with path.open("ab") as file:
            file.write(data)
    except OSError as error:
        with suppress(OSError):
            os.truncate(path, before)
        raise OSError(f"cannot write {path}: {error.strerror or error}") from None


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
    """A new run folder, with the centres of the buckets of `game`, held as by `RunFolder.lock`.

    Raises OSError if the folder is in use or cannot be written.
    """
    check_unused(folder)
    fresh = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(f"cannot create {folder}: {error.strerror or error}") from None
    lock = lock_folder(folder)
    try:
        check_unused(folder)  # nobody was faster
        _fill(folder, config, {"format": FORMAT, "kind": kind, **manifest}, fresh, game)
        return RunFolder(folder, lock)
    except BaseException:
        os.close(lock)
        raise


def _fill(
    folder: Path,
    config: Mapping[str, Any],
    manifest: Mapping[str, Any],
    fresh: bool,
    game: Game | None,
) -> None:
    """Write what a run begins with; leaves the folder as it was if that fails."""
    try:
        (folder / CHECKPOINTS).mkdir()
        write_text(folder / CONFIG, toml_text(config))
        write_text(folder / MANIFEST, json_text(manifest))
        (folder / METRICS).touch()
        if game is not None and game.centres is not None:
            _keep_centres(folder, game.name, game.centres)
    except BaseException as error:
        _clear(folder, fresh)
        if isinstance(error, OSError):
            raise OSError(f"cannot create {folder}: {error.strerror or error}") from None
        raise


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
    """An existing run folder. Raises ValueError or OSError if `path` is none.

    As a context manager it is held for training, as by `lock`.
    """

    def __init__(self, path: Path, lock: int | None = None) -> None:
        """`lock` is what `lock_folder` gave."""
        self.path = path
        self._lock = lock
        if not path.is_dir():
            problem = "is a file, not a run folder" if path.exists() else "does not exist"
            raise ValueError(f"{path} {problem}")
        if not (path / MANIFEST).is_file() or not (path / CONFIG).is_file():
            raise ValueError(f"{path} is no run folder: it has no {MANIFEST} and {CONFIG}")

    def lock(self) -> None:
        """Hold the folder until `release`, or until the process ends; OSError if another one does.

        Reading needs no lock.
        """
        if self._lock is None:
            self._lock = lock_folder(self.path)

    def release(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    def __enter__(self) -> Self:
        self.lock()
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def manifest(self) -> dict[str, Any]:
        path = self.path / MANIFEST
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is damaged: {error}") from None
        if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), int):
            raise ValueError(f"{path}: expected a run folder of format {FORMAT}")
        found: int = manifest["format"]
        if found > FORMAT:
            writer = manifest.get("versions", {}).get("pokerspiel", "?")
            raise checkpoint_format.newer_format(path, writer, found, FORMAT)
        return manifest

    @property
    def kind(self) -> str:
        """TRAINED, SOLVED or NEURAL."""
        return str(self.manifest().get("kind"))

    @cached_property
    def about(self) -> About:
        """What its checkpoints are of. Raises ValueError if this version does not know the kind."""
        manifest = self.manifest()
        kind = str(manifest.get("kind"))
        if kind not in _CHECKPOINT_KINDS:
            raise ValueError(f"{self.path} is a run of kind {kind!r}, which this version has not")
        return About.of(_CHECKPOINT_KINDS[kind], manifest)

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
        """Add a line. Raises OSError; the file then ends as before."""
        append(self.path / METRICS, (json_text(dict(numbers), indent=None) + "\n").encode())

    def metrics(self) -> list[dict[str, Any]]:
        """The lines of the metrics, without damaged ones, such as one that was cut off."""
        rows = []
        path = self.path / METRICS
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        for line in text.splitlines():
            with suppress(ValueError):
                row = json.loads(line)
                if isinstance(row, dict) and isinstance(row.get("iteration"), int):
                    rows.append(row)
        return rows

    def forget_metrics_after(self, iteration: int) -> None:
        """Drop the lines that a run which did not reach its next checkpoint has left."""
        rows = [row for row in self.metrics() if row["iteration"] <= iteration]
        text = "".join(json_text(row, indent=None) + "\n" for row in rows)
        write_text(self.path / METRICS, text)

    # Checkpoints.

    def save_checkpoint(self, arrays: Arrays, numbers: Numbers) -> Path:
        """Write the state of a solver, point `latest` to it and drop the oldest checkpoints."""
        folder = self.path / CHECKPOINTS
        path = folder / f"{int(numbers['iteration']):015d}.safetensors"
        write_file(
            path,
            lambda temporary: checkpoint_format.write(temporary, self.about, arrays, numbers),
        )
        write_text(folder / LATEST, path.name + "\n")
        self._clean_up(path)
        return path

    def _clean_up(self, newest: Path) -> None:
        """Drop old checkpoints, and what runs that were killed have left: files half written, and
        checkpoints that `latest` never came to name."""
        stored = self._stored()
        known = stored.index(newest) + 1
        for path in (*stored[: max(known - KEPT_CHECKPOINTS, 0)], *stored[known:]):
            path.unlink(missing_ok=True)
        for half in newest.parent.glob(".*"):
            half.unlink(missing_ok=True)

    def _stored(self) -> list[Path]:
        """All checkpoints, whole or not, the oldest first."""
        return sorted((self.path / CHECKPOINTS).glob("[0-9]*.safetensors"))

    @property
    def has_checkpoint(self) -> bool:
        return (self.path / CHECKPOINTS / LATEST).is_file()

    def latest_checkpoint(self) -> Path:
        """The checkpoint that `latest` names, or else the newest; ValueError if there is none."""
        return self._candidates()[0][0]

    def _candidates(self) -> tuple[list[Path], str]:
        """(Checkpoints to go on from, the best first; what is wrong with `latest`, or "").

        The best are the one that `latest` names and those before it; those that it never came to
        name are the last. Raises ValueError if there is none.
        """
        stored = self._stored()[::-1]
        pointer = self.path / CHECKPOINTS / LATEST
        name = pointer.read_text(errors="replace").strip() if pointer.is_file() else None
        if name is None and not stored:
            raise ValueError(f"{self.path} has no checkpoint yet")
        named = pointer.parent / Path(name or "").name
        if named in stored:
            at = stored.index(named)
            return stored[at:] + stored[:at], ""
        problem = f"{pointer} " + (
            "is missing" if name is None else f"names {named.name!r}, which does not exist"
        )
        if not stored:
            raise ValueError(problem)
        return stored, problem

    def load_checkpoint(self, mapped: bool = False) -> tuple[Arrays, Numbers]:
        """Arrays and numbers of the newest checkpoint that is not damaged.

        If that is not the one that `latest` names, a line on stderr says so. If `mapped` the arrays
        can only be read, from the file itself, and take no memory. Raises DamagedError if there is
        none, ValueError if it is of another run or of a later format.
        """
        candidates, problem = self._candidates()
        first: DamagedError | None = None
        for path in candidates:
            try:
                found = checkpoint_format.read(path, self.about, mapped)
            except DamagedError as error:
                first = first or error
                continue
            problem = str(first) if first is not None else problem
            if problem:
                note(f"pokerspiel: {problem}; {path.name} is taken instead")
            return found
        assert first is not None
        raise first
