"""`train`, `resume`, `export` and `info`: run folders, checkpoints and bot files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

from pokerspiel.experiments import run_folder, train
from pokerspiel.experiments.game_choice import with_usual_abstraction
from pokerspiel.experiments.options import parse_bytes
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.games import variants
from pokerspiel.solvers.mccfr import Mccfr, Progress
from tests.command_line import pokerspiel, refuse, succeed


def arrays_of(run: Path) -> dict[str, np.ndarray]:
    return load_file(RunFolder(run).latest_checkpoint())


def assert_same_arrays(one: Path, other: Path) -> None:
    left, right = arrays_of(one), arrays_of(other)
    assert left.keys() == right.keys()
    for name in left:
        assert np.array_equal(left[name], right[name]), name


@pytest.fixture(scope="module")
def leduc_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "leduc"
    succeed("train", "leduc", "--out", run, "--iterations", 3000, "--seed", 5, "-q")
    return run


@pytest.fixture(scope="module")
def leduc_bot(leduc_run: Path) -> Path:
    bot = leduc_run.parent / "leduc.pspiel"
    succeed("export", leduc_run, "-o", bot, "-q")
    return bot


# Run folders.


def test_train_prints_one_document_and_fills_the_folder(tmp_path: Path) -> None:
    run = tmp_path / "new" / "run"
    outcome = succeed("train", "leduc", "--out", run, "--iterations", 500, "--json")
    document = outcome.document
    assert document["status"] == "done" and document["iteration"] == 500
    assert document["information_sets"] == 288
    assert Path(document["checkpoint"]).is_file()
    assert "information sets" in outcome.err, "the estimate goes to stderr"
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["game"] == "leduc" and manifest["seed"] == 0
    assert {"versions", "machine", "rule_version", "abstraction"} <= manifest.keys()
    assert RunFolder(run).metrics()[-1]["iteration"] == 500
    assert not [path for path in run.rglob(".*") if path.is_file()], "no temporary file is left"


def test_events_hold_the_curves_for_tensorboard(leduc_run: Path) -> None:
    events = next(leduc_run.glob("events.out.tfevents.*"))
    tags = {
        value.tag for event in EventFileLoader(str(events)).Load() for value in event.summary.value
    }
    assert {"information_sets", "nodes_per_second", "bytes"} <= tags


def test_the_resolved_configuration_repeats_the_run(leduc_run: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    succeed("train", "--config", leduc_run / "config.toml", "--out", again, "-q")
    assert_same_arrays(leduc_run, again)


@pytest.mark.parametrize(
    ("game", "settings", "abstraction"),
    [
        ("svara", None, "points"),
        ("sviten_flush", None, "halves"),
        ("svara", ["abstraction=none"], "none"),
        ("mini_svara", None, "none"),
    ],
)
def test_games_without_an_abstraction_named_get_their_usual_one(
    game: str, settings: list[str] | None, abstraction: str
) -> None:
    chosen = with_usual_abstraction(game, settings, train.ABSTRACTIONS)
    assert chosen.abstraction.startswith(abstraction)


def test_only_the_last_checkpoints_are_kept(leduc_run: Path, tmp_path: Path) -> None:
    folder = run_folder.create(tmp_path / "run", {"game": "leduc"}, {})
    for iteration in range(1, 6):
        folder.save_checkpoint({"a": np.arange(iteration)}, {"iteration": iteration})
    checkpoints = sorted((folder.path / "checkpoints").glob("*.safetensors"))
    assert [int(path.stem) for path in checkpoints] == [3, 4, 5]
    arrays, numbers = folder.load_checkpoint()
    assert numbers == {"iteration": 5} and len(arrays["a"]) == 5


# Going on.


def test_resume_is_bit_identical_with_one_thread(leduc_run: Path, tmp_path: Path) -> None:
    pieces = tmp_path / "pieces"
    succeed("train", "leduc", "--out", pieces, "--iterations", 1000, "--seed", 5, "-q")
    succeed("resume", pieces, "--iterations", 700, "-q")
    outcome = succeed("resume", pieces, "--iterations", 1300, "--json")
    assert outcome.document["iteration"] == 3000
    assert_same_arrays(leduc_run, pieces)


def interrupting(after: int) -> Any:
    """`Mccfr.run` that meets a Ctrl-C once it has done so many iterations."""
    original = Mccfr.run

    def run(solver: Mccfr, iterations: Any = None, seconds: Any = None, report: Any = None) -> Any:
        def watched(now: Progress) -> None:
            report(now)
            if now.iteration >= after:
                raise KeyboardInterrupt

        return original(solver, after, seconds, watched)

    return run


def test_ctrl_c_saves_a_checkpoint_and_resume_finishes_the_plan(
    leduc_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(Mccfr, "run", interrupting(after=1200))
        words = ("train", "leduc", "--out", run, "--iterations", 3000, "--seed", 5)
        outcome = pokerspiel(*words)
    assert outcome.status == 130
    assert f"pokerspiel resume {run}" in outcome.err
    assert RunFolder(run).load_checkpoint()[1]["iteration"] == 1200
    succeed("resume", run, "-q")
    assert_same_arrays(leduc_run, run)
    refuse("resume", run, naming="the run is complete")


def test_metrics_after_the_checkpoint_are_forgotten(tmp_path: Path) -> None:
    run = tmp_path / "run"
    succeed("train", "leduc", "--out", run, "--iterations", 100, "-q")
    RunFolder(run).add_metrics({"iteration": 180})
    with (run / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"iteration": 19')
    succeed("resume", run, "--iterations", 100, "-q")
    assert [row["iteration"] for row in RunFolder(run).metrics()][-1] == 200
    assert 180 not in [row["iteration"] for row in RunFolder(run).metrics()]


def test_the_memory_limit_ends_a_run_and_keeps_its_checkpoint(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("train", "sviten_special", "--out", run, "--memory-limit", "3MiB", "--time", 60)
    outcome = pokerspiel(*words, "-q")
    assert outcome.status == 2 and outcome.out == ""
    assert outcome.err.count("\n") == 1
    assert "the memory limit of 3MiB is reached" in outcome.err
    arrays, numbers = RunFolder(run).load_checkpoint()
    assert numbers["iteration"] > 0
    assert sum(array.nbytes for array in arrays.values()) <= 1.1 * (3 << 20)
    refuse("resume", run, "--memory-limit", "1MiB", "--iterations", 1, naming="limit=1048576")
    succeed("resume", run, "--memory-limit", "64MiB", "--iterations", 2, "-q")


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GiB", 4 << 30), ("512MiB", 512 << 20), ("1.5g", 3 << 29), ("2k", 2048), ("1000", 1000)],
)
def test_sizes_of_memory(text: str, size: int) -> None:
    assert parse_bytes(text) == size


# Damage.


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    succeed("train", "leduc", "--out", run, "--iterations", 100, "-q")
    checkpoint = RunFolder(run).latest_checkpoint()
    checkpoint.write_bytes(checkpoint.read_bytes()[:-100])
    refuse("resume", run, naming="is damaged")
    refuse("export", run, "-o", tmp_path / "bot.pspiel", naming="is damaged")
    assert not (tmp_path / "bot.pspiel").exists()
    checkpoint.unlink()
    refuse("resume", run, naming="does not exist")


def test_other_rules_or_information_sets_are_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    succeed("train", "leduc", "--out", run, "--iterations", 100, "-q")
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    (run / "manifest.json").write_text(json.dumps({**manifest, "rule_version": 99}))
    refuse("resume", run, "--iterations", 1, naming="rule_version 99")
    (run / "manifest.json").write_text("{")
    refuse("info", run, naming="is damaged")


def test_a_failed_checkpoint_leaves_the_last_one(
    leduc_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run_folder.create(tmp_path / "run", {"game": "leduc"}, {})
    folder.save_checkpoint({"a": np.arange(3)}, {"iteration": 1})

    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    with pytest.raises(OSError, match="No space left"):
        folder.save_checkpoint({"a": np.arange(4)}, {"iteration": 2})
    assert folder.load_checkpoint()[1] == {"iteration": 1}
    names = sorted(path.name for path in (folder.path / "checkpoints").iterdir())
    assert names == ["000000000000001.safetensors", "latest"]


# Bots.


def test_export_writes_a_bot_that_knows_where_it_comes_from(
    leduc_run: Path, tmp_path: Path
) -> None:
    bot = tmp_path / "mine.pspiel"
    document = succeed("export", leduc_run, "-o", bot, "--name", "mine", "--json").document
    assert document["bot"] == str(bot) and document["iterations"] == 3000
    info = succeed("info", bot, "--json").document
    assert info["kind"] == "bot" and info["name"] == "mine" and info["game"] == "leduc"
    assert 200 < info["information_sets"] <= 288 and info["seed"] == 5
    assert "leduc" in succeed("info", bot).out


def test_info_of_a_run_folder(leduc_run: Path) -> None:
    info = succeed("info", leduc_run, "--json").document
    assert info["kind"] == "run" and info["config"]["iterations"] == 3000
    assert info["checkpoint"] == "000000000003000.safetensors"
    assert info["progress"]["iteration"] == 3000
    assert "leduc" in succeed("info", leduc_run).out


def test_export_does_not_replace_a_device_or_a_folder(leduc_run: Path, tmp_path: Path) -> None:
    refuse("export", leduc_run, "-o", "/dev/null", naming="is not a file")
    refuse("export", leduc_run, "-o", tmp_path, naming="is not a file")
    assert Path("/dev/null").is_char_device()
    refuse("export", leduc_run, "-o", tmp_path / "no" / "bot.pspiel", naming="cannot write")


def test_truncated_and_foreign_bots_are_refused(leduc_bot: Path, tmp_path: Path) -> None:
    whole = leduc_bot.read_bytes()
    for size in (0, 5, 100, len(whole) // 2, len(whole) - 1):
        cut = tmp_path / "cut.pspiel"
        cut.write_bytes(whole[:size])
        refuse("info", cut, naming=str(cut))
        refuse("match", cut, "random", naming=str(cut))
        refuse("play", "leduc", "--against", cut, naming=str(cut))
    refuse("match", leduc_bot, "random", "--game", "svara", naming="leduc")
    refuse("play", "svara", "--against", leduc_bot, naming="leduc")


def test_the_solver_of_a_run_is_the_library_s(leduc_run: Path) -> None:
    solver = Mccfr(variants.load("leduc"), seed=5)
    solver.run(iterations=3000)
    saved = arrays_of(leduc_run)
    for name, array in solver.state.to_arrays().items():
        assert np.array_equal(array, saved[name]), name
