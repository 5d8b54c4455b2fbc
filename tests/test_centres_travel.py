"""Centres of buckets go with runs and bots, and others are refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from pokerspiel.agents.bot_file import BotFileError, load_bot
from pokerspiel.experiments import cli
from pokerspiel.games.abstraction import cluster_build, cluster_file
from pokerspiel.games.abstraction.clusters import MOMENTS
from pokerspiel.games.variants import load


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of `train` and its bot; the file of the centres is gone."""
    path = tmp_path_factory.mktemp("centres")
    sizes = dict.fromkeys(MOMENTS, 8)
    centres = cluster_build.build(load("sviten_special"), sizes, 300, 1, 3, "gone")
    file = path / "gone.centres"
    cluster_file.save(centres, file)
    game = f"sviten_special(abstraction=clusters,buckets={file})"
    run = str(path / "run")
    assert cli.run(["train", game, "--iterations", "30", "--out", run, "-q"]) == 0
    assert cli.run(["export", run, "-o", str(path / "bot.pspiel"), "-q"]) == 0
    file.unlink()
    return path


def elsewhere(*words: str) -> subprocess.CompletedProcess[str]:
    """A command in a process that knows nothing of this one's centres."""
    program = "from pokerspiel.experiments.cli import main; main()"
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_run_goes_on_without_the_file_of_its_centres(folder: Path) -> None:
    done = elsewhere("resume", str(folder / "run"), "--iterations", "5", "--json", "-q")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["iteration"] == 35


def test_a_bot_plays_without_the_file_of_its_centres(folder: Path) -> None:
    words = ("match", str(folder / "bot.pspiel"), "always-call", "--hands", "4", "--json", "-q")
    done = elsewhere(*words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["hands"] == 4


def test_a_run_with_other_centres_is_refused(folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    for file in (folder / "run").rglob("*"):
        if file.is_file():
            target = run / file.relative_to(folder / "run")
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(file.read_bytes())
    (mine,) = run.glob("*.centres")
    centres = cluster_file.load(mine)
    moved = [array + np.float32(0.01) for array in centres.centres]
    other = cluster_file.Centres(
        centres.name, centres.deal, tuple(moved), centres.draw_percentile, {}
    )
    cluster_file.save(other, mine)
    done = elsewhere("resume", str(run), "--iterations", "5", "-q")
    assert done.returncode == 2
    assert centres.full_name in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_bot_with_other_centres_is_refused(folder: Path, tmp_path: Path) -> None:
    with safe_open(folder / "bot.pspiel", framework="np") as file:
        metadata = dict(file.metadata())
        arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    path = tmp_path / "other.pspiel"
    save_file(
        {**arrays, "centres.river": arrays["centres.river"] + np.float32(0.1)}, path, metadata
    )
    with pytest.raises(BotFileError, match="build the abstraction anew"):
        load_bot(path)
