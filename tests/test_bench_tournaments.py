"""The published tournaments: bots trained from nothing, and who meets whom, on a small field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pokerspiel.agents.bot_file import read_manifest
from pokerspiel.experiments import tournament, tournament_fields, train
from pokerspiel.experiments.run_folder import CONFIG
from pokerspiel.experiments.tournament_fields import FIELDS, Field, Training, train_missing
from tests.command_line import pokerspiel, refuse, succeed
from tests.workers_here import WorkersHere

SOME = Training("some", "kuhn", 1_000)
MORE = Training("some", "kuhn", 30_000)
SMALL = Field("kuhn", ("random", "always-call"), (SOME, MORE), 400, 400, "exact")


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let a small field be trained and played in this process; gives what is done."""
    done: list[Any] = []
    monkeypatch.setitem(FIELDS, "small", SMALL)
    for module in (tournament, tournament_fields):
        monkeypatch.setattr(module, "open_workers", lambda *its: WorkersHere(done.append))
    return done


def small(folder: Path, *more: object) -> list[object]:
    return ["bench", "tournaments", "--only", "small", "--out", folder, *more]


def strategy(bot: Path) -> str:
    """The hash of what a bot plays."""
    return read_manifest(bot).content_hash


def test_bots_are_trained_and_meet_once(tmp_path: Path, jobs: list[Any]) -> None:
    first = succeed(*small(tmp_path, "--json", "--quiet"))
    assert first.err == ""
    document = first.document
    its = document["tournaments"]["small"]
    assert {bot["name"] for bot in its["bots"]} == {"random", "always-call", "some-1k", "some-30k"}
    assert its["hands"] == 400 and its["seed"] == document["seed"] == 0
    assert its["scored_by"] == "aivat" and its["ratings"]["cycles"] is not None
    made = {bot["name"]: bot["manifest"] for bot in its["bots"]}
    assert made["some-1k"]["iterations"] == 1_000 and made["some-30k"]["iterations"] == 30_000
    by_name = {bot["name"]: bot["exploitability"]["mbb_per_hand"] for bot in its["bots"]}
    assert by_name["some-30k"] < by_name["some-1k"] < by_name["random"]
    assert (tmp_path / "small" / "report.html").is_file()
    jobs.clear()
    again = succeed(*small(tmp_path, "--json", "--quiet")).document
    assert not jobs
    assert again["tournaments"] == document["tournaments"]


def test_all_begins_again_from_nothing_with_the_same_bots(tmp_path: Path, jobs: list[Any]) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        train_missing((SOME, MORE), folder, 3, quiet=True)
    for name in ("some-1k", "some-30k"):
        assert strategy(one / f"{name}.pspiel") == strategy(other / f"{name}.pspiel")
    train_missing((SOME,), tmp_path / "seed", 4, quiet=True)
    assert strategy(tmp_path / "seed" / "some-1k.pspiel") != strategy(one / "some-1k.pspiel")


def test_an_interrupt_between_trainings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []

    def interrupt(job: Any) -> None:
        begun.append(job)
        if len(begun) == 2:
            raise KeyboardInterrupt

    monkeypatch.setitem(FIELDS, "small", SMALL)
    monkeypatch.setattr(tournament_fields, "open_workers", lambda: WorkersHere(interrupt))
    monkeypatch.setattr(tournament, "open_workers", lambda *its: WorkersHere())
    outcome = pokerspiel(*small(tmp_path))
    assert outcome.status == 130 and outcome.out == ""
    assert "the same command goes on" in outcome.err
    assert [path.name for path in (tmp_path / "bots").glob("*.pspiel")] == ["some-1k.pspiel"]
    assert succeed(*small(tmp_path)).out
    assert [job.training.name for job in begun] == ["some-1k", "some-30k", "some-30k"]


def test_a_training_that_was_stopped_goes_on(tmp_path: Path, jobs: list[Any]) -> None:
    whole, part_of_it = tmp_path / "whole", tmp_path / "part"
    train_missing((MORE,), whole, 0, quiet=True)
    plan = MORE.plan(0)
    assert isinstance(plan, train.Plan)
    half = train.Plan(plan.game, None, 10_000, 1, plan.memory_limit, plan.checkpoint_every, 0)
    train.start(half, part_of_it / MORE.name, None, json=False, quiet=True)
    config = part_of_it / MORE.name / CONFIG
    config.write_text(config.read_text().replace("10000", "30000"))
    train_missing((MORE,), part_of_it, 0, quiet=True)
    manifest = read_manifest(part_of_it / "some-30k.pspiel")
    assert manifest.iterations == 30_000
    assert manifest.content_hash == strategy(whole / "some-30k.pspiel")


def test_a_training_without_a_checkpoint_begins_anew(tmp_path: Path, jobs: list[Any]) -> None:
    train_missing((SOME,), tmp_path, 0, quiet=True)
    before = strategy(tmp_path / "some-1k.pspiel")
    (tmp_path / "some-1k.pspiel").unlink()
    for path in (tmp_path / SOME.name / "checkpoints").iterdir():
        path.unlink()
    train_missing((SOME,), tmp_path, 0, quiet=True)
    assert strategy(tmp_path / "some-1k.pspiel") == before


def test_bots_of_another_seed_are_left_alone(tmp_path: Path, jobs: list[Any]) -> None:
    succeed(*small(tmp_path))
    before = strategy(tmp_path / "bots" / "some-1k.pspiel")
    refuse(*small(tmp_path, "--seed", 7, "--quiet"), naming="with seed 0, not 7")
    assert strategy(tmp_path / "bots" / "some-1k.pspiel") == before


def test_a_training_that_fails_is_one_line(
    tmp_path: Path, jobs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Training("wrong", "kuhn", 5, "ppo", "depht=3")
    monkeypatch.setitem(FIELDS, "small", Field("kuhn", (), (SOME, wrong), 400, 400, "none"))
    refuse(*small(tmp_path, "--quiet"), naming="wrong-5 could not be trained")


def test_unknown_tournaments_are_refused(tmp_path: Path) -> None:
    refuse("bench", "tournaments", "--only", "chess", "--out", tmp_path, naming="--only chess")
    assert not list(tmp_path.iterdir())


def test_another_folder_is_left_alone(tmp_path: Path, jobs: list[Any]) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "letter.txt").write_text("dear Anna")
    refuse(*small(tmp_path, "--quiet"), naming="small holds other things")


def test_published_fields() -> None:
    """Eight or more meet heads-up, five or more at five seats, each with bots that are trained."""
    assert {name: len(its.named) + len(its.trained) for name, its in FIELDS.items()} == {
        "svara": 9,
        "sviten": 8,
        "svara-5": 5,
    }
    for field in FIELDS.values():
        names = [training.name for training in field.trained]
        assert names and len(set(names)) == len(names)
        quick = field.quick()
        assert quick.hands < field.hands
        assert all(
            few.iterations < many.iterations
            for few, many in zip(quick.trained, field.trained, strict=True)
        )
