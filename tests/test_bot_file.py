"""Bots on disk: what is written comes back, and whatever does not fit is refused in one line."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import (
    BotFileError,
    information_hash,
    load_bot,
    read_manifest,
    save_bot,
)
from pokerspiel.agents.roster import find_agent
from pokerspiel.games.variants import load
from tests.some_agents import positions, random_blueprint

TRAINING: dict[str, Any] = {
    "algorithm": "external sampling",
    "seed": 3,
    "iterations": 1000,
    "nodes": 123_456,
    "seconds": 1.5,
}


def written(path: Path, text: str = "svara(abstraction=points)", hands: int = 30) -> Path:
    """A bot file for the game `text`."""
    game = load(text)
    save_bot(path, game, random_blueprint(game, hands, 4), **TRAINING)
    return path


def error_of(path: Path) -> str:
    """The message with which loading fails: one line that names the file."""
    with pytest.raises(BotFileError) as error:
        load_bot(path)
    message = str(error.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def rewritten(path: Path, **changes: Any) -> Path:
    """The file with other manifest entries, arrays or metadata, and a content hash that fits."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + length])["__metadata__"]
    arrays = load_arrays(data)
    manifest = json.loads(metadata["manifest"])
    for key, value in changes.items():
        if key in arrays or key == "extra":
            arrays[key] = value
        elif key in metadata:
            metadata[key] = value
        else:
            manifest[key] = value
    if "content_hash" not in changes:
        digest = hashlib.sha256()
        for key in ("keys", "first", "probabilities"):
            digest.update(np.ascontiguousarray(arrays[key]).data)
        manifest["content_hash"] = digest.hexdigest()
    if "manifest" not in changes:
        metadata["manifest"] = json.dumps(manifest)
    path.write_bytes(save_arrays(arrays, metadata))
    return path


# What is written comes back


@pytest.mark.parametrize("text", ["kuhn", "svara(abstraction=points)", "mini_sviten"])
def test_a_bot_plays_as_before_it_was_saved(tmp_path: Path, text: str) -> None:
    game = load(text)
    blueprint = random_blueprint(game, 60, 4)
    manifest = save_bot(tmp_path / "mine.pspiel", game, blueprint, **TRAINING)
    bot = load_bot(tmp_path / "mine.pspiel")
    assert bot.name == manifest.name == "mine"
    assert bot.manifest == manifest
    assert str(bot.game) == text
    for name in ("keys", "first", "probabilities", "directory"):
        assert np.array_equal(getattr(bot.table, name), getattr(blueprint, name))
    seated = bot.sit(game)
    for states, past in positions(game, 10, 4):
        assert sum(seated.distribution(states, past, 0).values()) == pytest.approx(1.0, abs=1e-6)


def test_the_manifest_says_where_the_bot_comes_from(tmp_path: Path) -> None:
    game = load("svara(abstraction=points)")
    path = tmp_path / "bot.pspiel"
    save_bot(
        path,
        game,
        random_blueprint(game, 30, 4),
        name="points bot",
        strength={"equity": {"mbb_per_hand": 12.5, "hands": 1000}},
        **TRAINING,
    )
    manifest = read_manifest(path)
    assert manifest.name == "points bot"
    assert (manifest.game, manifest.rule_version) == ("svara(abstraction=points)", 1)
    assert manifest.abstraction == "points-2"
    assert manifest.strength == {"equity": {"mbb_per_hand": 12.5, "hands": 1000}}
    assert set(manifest.versions) == {"pokerspiel", "numba", "numpy"}
    for key, value in TRAINING.items():
        assert getattr(manifest, key) == value
    assert manifest.created.endswith("+00:00")


def test_the_roster_finds_bot_files(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.pspiel")
    assert find_agent(str(path), load("svara")).name == "mine"
    with pytest.raises(ValueError, match="mine plays svara"):
        find_agent(str(path), load("svara(players=3)"))


def test_a_loaded_bot_sits_in_the_arena(tmp_path: Path) -> None:
    bot = load_bot(written(tmp_path / "mine.pspiel"))
    result = play_match([bot, BASELINES["tight"]()], load("svara"), 20, 1)
    assert 0.0 < result.players[0].misses < 1.0


def test_an_empty_blueprint_is_a_bot(tmp_path: Path) -> None:
    path = rewritten(
        written(tmp_path / "bot.pspiel"),
        keys=np.zeros(0, np.uint64),
        first=np.zeros(1, np.uint32),
        probabilities=np.zeros(0, np.float32),
    )
    assert len(load_bot(path).table.keys) == 0


def test_information_hashes_tell_information_sets_apart() -> None:
    texts = ("svara", "svara(abstraction=points)", "svara(ante=2)", "sviten_special", "kuhn")
    hashes = {information_hash(load(text)) for text in texts}
    assert len(hashes) == len(texts)
    assert information_hash(load("svara")) == information_hash(load("svara(stack=20)"))


# Damage


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    data = written(tmp_path / "whole.pspiel").read_bytes()
    header = 8 + int.from_bytes(data[:8], "little")
    path = tmp_path / "cut.pspiel"
    ends = {0, 1, 7, 8, 9, header // 2, header - 1, header, header + 1, len(data) - 1}
    for end in sorted(ends | set(range(0, len(data), len(data) // 40))):
        path.write_bytes(data[:end])
        assert "damaged" in error_of(path), end


def test_a_changed_byte_anywhere_is_refused(tmp_path: Path) -> None:
    data = bytearray(written(tmp_path / "whole.pspiel").read_bytes())
    header = 8 + int.from_bytes(data[:8], "little")
    path = tmp_path / "changed.pspiel"
    random = np.random.default_rng(1)
    for place in [header, len(data) - 1, *random.integers(header, len(data), 60)]:
        changed = bytearray(data)
        changed[place] ^= 1 << int(random.integers(8))
        path.write_bytes(changed)
        assert "damaged" in error_of(path), place


def test_a_garbled_header_never_escapes_as_another_error(tmp_path: Path) -> None:
    data = written(tmp_path / "whole.pspiel").read_bytes()
    header = 8 + int.from_bytes(data[:8], "little")
    path = tmp_path / "garbled.pspiel"
    random = np.random.default_rng(2)
    refused = 0
    for _ in range(300):
        changed = bytearray(data)
        changed[int(random.integers(header))] = int(random.integers(256))
        path.write_bytes(changed)
        try:
            load_bot(path)
        except BotFileError as error:
            assert "\n" not in str(error)
            refused += 1
    assert refused > 200  # the rest changed words that mean nothing to the player


@pytest.mark.parametrize("data", [b"", b"hello", b"\0" * 64, os.urandom(4096), b"\xff" * 64])
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "other.pspiel"
    path.write_bytes(data)
    error_of(path)


def test_arrays_of_somebody_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    path.write_bytes(save_arrays({"weights": np.zeros(3, np.float32)}))
    assert "no pokerspiel bot" in error_of(path)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    assert "No such file" in error_of(tmp_path / "missing.pspiel")
    (tmp_path / "folder.pspiel").mkdir()
    error_of(tmp_path / "folder.pspiel")


# What does not fit


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "weights"}, "is no pokerspiel bot"),
        ({"format_version": "2"}, "has format version 2, this program reads 1"),
        ({"manifest": "null"}, "its manifest does not have the entries of this format"),
        ({"manifest": "{"}, "damaged"),
        ({"seed": "one"}, "its manifest has seed='one': expected int"),
        ({"strength": [1]}, "its manifest has strength=[1]"),
        ({"surprise": 1}, "its manifest does not have the entries of this format"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": "svara(players=30)"}, "players=30 is not allowed"),
        ({"game": "svara(players=3,abstraction=points)"}, "have changed since it was made"),
        ({"rule_version": 7}, "version 7 of the rules of svara, this program plays version 1"),
        ({"abstraction": "points-9"}, "abstraction points-9, this program has points-2"),
        ({"game": "svara"}, "abstraction points-2, this program has none-1"),
        ({"information_hash": "0" * 64}, "have changed since it was made: train it again"),
        ({"content_hash": "0" * 64}, "damaged"),
        ({"extra": np.zeros(1, np.float32)}, "has the arrays"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    assert message in error_of(rewritten(written(tmp_path / "bot.pspiel"), **changes))


def _arrays(path: Path) -> dict[str, np.ndarray]:
    return {name: array.copy() for name, array in load_arrays(path.read_bytes()).items()}


def _bad_arrays(arrays: dict[str, np.ndarray]) -> dict[str, dict[str, np.ndarray]]:
    """Arrays that no blueprint has, by what is wrong with them."""
    keys, first, chances = (arrays[name] for name in ("keys", "first", "probabilities"))
    shifted = first.copy()
    shifted[1:-1] += 1
    beyond = first.copy()
    beyond[-1] += 5

    def chance(i: int, value: float) -> dict[str, np.ndarray]:
        changed = chances.copy()
        changed[i] = value
        return {"probabilities": changed}

    return {
        "keys of another type": {"keys": keys.astype(np.int64)},
        "indices of another type": {"first": first.astype(np.int64)},
        "probabilities of another type": {"probabilities": chances.astype(np.float64)},
        "keys in a table": {"keys": keys.reshape(1, -1)},
        "keys that descend": {"keys": keys[::-1].copy()},
        "keys twice": {"keys": np.repeat(keys[:1], len(keys))},
        "a key too few": {"keys": keys[1:]},
        "an index beyond the end": {"first": beyond},
        "indices that do not start at 0": {"first": first + 1},
        "indices that descend": {"first": first[::-1].copy()},
        "other shares of the indices": {"first": shifted},
        "probabilities missing": {"probabilities": chances[:-1]},
        "not a number": chance(0, np.nan),
        "infinite": chance(3, np.inf),
        "negative": chance(5, -0.25),
        "more than one": chance(5, 1.5),
        "a sum other than one": chance(-1, float(chances[-1]) / 2 + 0.3),
        "too many actions": {
            "keys": keys[:1],
            "first": np.array([0, len(chances)], np.uint32),
            "probabilities": np.full(len(chances), 1.0 / len(chances), np.float32),
        },
    }


WRONG = tuple(_bad_arrays(dict.fromkeys(("keys", "first", "probabilities"), np.arange(9.0))))


@pytest.mark.parametrize("wrong", WRONG)
def test_arrays_that_are_no_blueprint_are_refused(tmp_path: Path, wrong: str) -> None:
    path = written(tmp_path / "bot.pspiel")
    message = error_of(rewritten(path, **_bad_arrays(_arrays(path))[wrong]))
    assert "content" not in message


# Writing


_FULL_DISK = """
import resource, sys
from pathlib import Path
from pokerspiel.agents.bot_file import BotFileError, information_hash, save_bot
from pokerspiel.games.variants import load
from tests.some_agents import random_blueprint

game = load("kuhn")
blueprint = random_blueprint(game, 50, 1)
information_hash(game)
resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
try:
    numbers = {"seed": 1, "iterations": 1, "nodes": 1, "seconds": 1.0}
    save_bot(Path(sys.argv[1]), game, blueprint, algorithm="a", **numbers)
except BotFileError as error:
    print(error)
"""


def test_a_full_disk_leaves_the_old_file_and_nothing_half_written(tmp_path: Path) -> None:
    path = written(tmp_path / "bot.pspiel", "kuhn")
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent.parent,
    )
    assert done.stdout == f"cannot write {path}: File too large\n"
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["bot.pspiel"]


def test_a_failed_rename_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(BotFileError, match=r"cannot write .*: No space left on device"):
        written(tmp_path / "bot.pspiel", "kuhn")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(BotFileError, match=r"cannot write .*nowhere/bot.pspiel: No such file"):
        written(tmp_path / "nowhere" / "bot.pspiel", "kuhn")


def test_writing_replaces_the_file_that_was_there(tmp_path: Path) -> None:
    path = written(tmp_path / "bot.pspiel", "kuhn")
    written(path, "leduc")
    assert str(load_bot(path).game) == "leduc"
    assert os.listdir(tmp_path) == ["bot.pspiel"]
