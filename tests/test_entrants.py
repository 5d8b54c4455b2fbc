"""Who is who in a tournament: by content, not by name."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pokerspiel.agents.bot_file import save_bot
from pokerspiel.agents.roster import BOTS
from pokerspiel.experiments.entrants import content_of, entrants_of
from pokerspiel.games.variants import load
from tests.some_agents import random_blueprint

KUHN = load("kuhn")


def write_bot(path: Path, seed: int, name: str = "mine") -> Path:
    """A bot for Kuhn poker that plays at random; the seed decides how."""
    path.parent.mkdir(exist_ok=True)
    save_bot(
        path,
        KUHN,
        random_blueprint(KUHN, 50, seed),
        algorithm="chance",
        seed=seed,
        iterations=1,
        nodes=1,
        seconds=0.0,
        name=name,
    )
    return path


def test_bots_with_one_name_are_told_apart(tmp_path: Path) -> None:
    paths = [str(write_bot(tmp_path / f"{seed}.pspiel", seed)) for seed in (1, 2, 3)]
    entrants = entrants_of([paths[0], "random", *paths[1:]], KUHN)
    assert [entrant.name for entrant in entrants] == ["mine", "random", "mine #2", "mine #3"]
    assert [entrant.manifest.get("seed") for entrant in entrants] == [1, None, 2, 3]


def test_the_same_bot_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="tight is given twice"):
        entrants_of(["tight", "random", "tight"], KUHN)
    path = write_bot(tmp_path / "a.pspiel", 1)
    copy = tmp_path / "b.pspiel"
    shutil.copy(path, copy)
    with pytest.raises(ValueError, match=f"{copy} is {path}"):
        entrants_of([str(path), str(copy)], KUHN)
    shipped = BOTS / "svara-home.pspiel"
    with pytest.raises(ValueError, match="is svara-home: a bot does not play against itself"):
        entrants_of(["svara-home", str(shipped)], load("svara"))


def test_a_bot_is_known_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_bot(tmp_path / "a.pspiel", 1)
    before = content_of(str(path))
    monkeypatch.chdir(tmp_path)
    (entrant,) = entrants_of(["./a.pspiel"], KUHN)
    assert (entrant.content, entrant.place) == (before, str(path))
    resolved = content_of(f"{path}+river")
    assert resolved != before
    write_bot(path, 2)
    assert content_of(str(path)) != before
    assert content_of(f"{path}+river") != resolved


def test_a_program_is_known_by_its_command_and_its_files(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text("print(1)\n")
    names = (str(script), f"cmd:python {script}", f"cmd:python {script} --bold")
    before = [content_of(name) for name in names]
    assert len(set(before)) == 3
    (tmp_path / "elsewhere").mkdir()
    moved = shutil.copy(script, tmp_path / "elsewhere" / "bot.py")
    assert content_of(str(moved)) == before[0]
    script.write_text("print(2)\n")
    assert not set(before) & {content_of(name) for name in names}


def test_places_are_good_in_other_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "bot.py"
    script.write_text("#!/usr/bin/env python3\n")
    os.chmod(script, 0o755)
    monkeypatch.chdir(tmp_path)
    entrants = entrants_of(["random", "bot.py", "cmd:python bot.py"], KUHN)
    assert [entrant.place for entrant in entrants] == ["random", str(script), "cmd:python bot.py"]


def test_a_bot_of_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match="svara-home plays svara"):
        entrants_of(["svara-home", "random"], KUHN)
