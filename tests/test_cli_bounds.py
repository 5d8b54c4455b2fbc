"""`pokerspiel exploit --bound`: its JSON is a contract, and it never claims to be exact."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pokerspiel.agents.bot_file import read_manifest
from pokerspiel.agents.local_best_response import LocalBestResponse
from pokerspiel.experiments import bounds
from tests.command_line import pokerspiel, refuse, succeed

KEYS = {
    "bot",
    "game",
    "bound",
    "exact",
    "opponent",
    "mbb_per_hand",
    "ci95",
    "seats",
    "unit",
    "definition",
    "seed",
    "hands",
    "complete",
    "seconds",
}
OF_LOCAL = {"particles"}
OF_TRAINED = {"responder", "abstraction", "iterations", "training_seconds", "information_sets"}
LOCAL = ("--bound", "local")
TRAINED = ("--bound", "trained", "--time", 0.3)


def test_the_document_is_a_bound_and_says_so() -> None:
    """Against a station in Kuhn a third of an ante can be won: see the tests of `exploit`."""
    words = ("exploit", "always-call", "--game", "kuhn", *LOCAL, "--hands", 2000, "--seed", 4)
    document: Any = succeed(*words, "--json").document
    assert document.keys() == KEYS | OF_LOCAL
    assert (document["bot"], document["game"], document["bound"]) == (
        "always-call",
        "kuhn",
        "local",
    )
    assert document["exact"] is False and document["complete"] is True
    assert document["hands"] == 2000 and document["particles"] == 1000 and document["seed"] == 4
    low, high = document["ci95"]
    assert low < document["mbb_per_hand"] < high
    assert low - (high - low) < 1000 / 3 < high + (high - low)
    assert "at most the exploitability" in document["definition"]
    again = succeed(*words, "--json").document
    assert {**again, "seconds": 0} == {**document, "seconds": 0}


def test_the_table_says_what_it_is() -> None:
    out = succeed("exploit", "random", "--game", "leduc", *LOCAL, "--hands", 20).out
    assert "local best response to random" in out
    assert "A lower bound, by sampling" in out and "not the exact exploitability" in out


def test_a_trained_responder_finds_what_a_station_loses(tmp_path: Path) -> None:
    path = tmp_path / "response.pspiel"
    words = ("exploit", "always-call", "--game", "kuhn", *TRAINED, "--hands", 20_000)
    outcome = succeed(*words, "--response", path, "--threads", 2, "--seed", 4, "--json")
    document: Any = outcome.document
    assert document.keys() == KEYS | OF_TRAINED
    assert (document["bound"], document["exact"], document["hands"]) == ("trained", False, 20_000)
    assert (document["responder"], document["abstraction"]) == ("kuhn", "none-1")
    assert document["iterations"] > 100 and 0.2 < document["training_seconds"] < 5.0
    low, high = document["ci95"]
    assert low < document["mbb_per_hand"] < high
    assert low - (high - low) < 1000 / 3 < high + (high - low)
    assert f"{path}: a best responder to always-call" in outcome.err
    manifest = read_manifest(path)
    assert manifest.iterations == document["iterations"]
    assert manifest.algorithm == "MCCFR against always-call, linear weights"
    match = succeed("match", path, "always-call", "--game", "kuhn", "--hands", 2000, "--json")
    assert match.document["players"][0]["mbb_per_hand"] > 0.0


def test_a_responder_learns_in_the_abstraction_that_is_named() -> None:
    words = ("exploit", "random", "--game", "mini_svara", *TRAINED, "--hands", 200)
    points = "mini_svara(abstraction=points)"
    document = succeed(*words, "--responder", points, "--json").document
    assert document["responder"] == points and document["game"] == "mini_svara"
    out = succeed(*words, "--responder", points).out
    assert "The responder was trained for 0.3 s" in out and points in out
    assert "A lower bound, by sampling" in out and "not the exact exploitability" in out


@pytest.mark.parametrize("bound", ["trained", "learned"])
def test_what_was_learnt_before_an_interrupt_is_kept(tmp_path: Path, bound: str) -> None:
    if bound == "learned":
        pytest.importorskip("torch")
    path = tmp_path / "response.pspiel"
    words = ("exploit", "random", "--game", "leduc", "--bound", bound)
    succeed(*words, "--time", 0.01, "--hands", 2)  # compiles
    threading.Timer(2.0, signal.raise_signal, [signal.SIGINT]).start()
    outcome = pokerspiel(*words, "--time", 100, "--response", path)
    assert outcome.status == 130 and outcome.out == ""
    iterations = read_manifest(path).iterations
    assert f"interrupted after {iterations:,} iterations" in outcome.err


def test_what_was_played_before_an_interrupt_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(LocalBestResponse):
        """Is interrupted in its last hands."""

        def follow(self, game: Any, seat: int) -> Any:
            follower = super().follow(game, seat)
            follower.choose = _until_interrupted(follower.choose, 100)  # type: ignore[assignment, method-assign]
            return follower

    monkeypatch.setattr(bounds, "LocalBestResponse", Interrupted)
    words = ("exploit", "random", "--game", "kuhn", *LOCAL, "--hands", 2000, "--json")
    outcome = pokerspiel(*words)
    assert outcome.status == 130
    assert outcome.document["complete"] is False
    assert 0 < outcome.document["hands"] < 2000
    assert f"interrupted after {outcome.document['hands']} of 2,000 hands" in outcome.err


def _until_interrupted(choose: Callable[[int], int], decisions: int) -> Callable[[int], int]:
    left = decisions

    def chosen(seed: int) -> int:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return choose(seed)

    return chosen


def test_bad_input_is_refused() -> None:
    kuhn = ("exploit", "random", "--game", "kuhn")
    refuse(*kuhn, "--bound", "loca", naming="unknown bound 'loca': expected local")
    refuse(*kuhn, "--hands", 10, naming="--hands 10: nothing is played without --bound")
    refuse(*kuhn, "--particles", 10, naming="--particles 10: nothing is played without --bound")
    refuse(*kuhn, *LOCAL, "--hands", 0, naming="0 is not allowed")
    refuse(*kuhn, *LOCAL, "--particles", 0, naming="0 is not allowed")
    refuse(*kuhn, *LOCAL, "--response", "x.pspiel", naming="--bound local has no use for it")
    refuse(*kuhn, *LOCAL, "--threads", 2, naming="--threads 2: --bound local has no use for it")
    refuse(*kuhn, *TRAINED, "--particles", 9, naming="--bound trained has no use for it")
    refuse(*kuhn, *TRAINED, "--time", 0, naming="0 is not allowed")
    refuse(*kuhn, *TRAINED, "--responder", "leduc", naming="expected kuhn, with any abstraction")
    refuse(*kuhn, *TRAINED, "--memory-limit", "9", naming="memory_limit=9 bytes")
    refuse(*kuhn, "--time", 3, naming="--time 3.0: nothing is played without --bound")
    refuse(*kuhn, "--seed", 3, naming="--seed 3: nothing is played without --bound")
    refuse(*kuhn, *LOCAL, "--set", "players=3", naming="is for 3 players")
    refuse("exploit", "random", "--game", "kuhn_poker", *LOCAL, naming="one of OpenSpiel's games")
    refuse("exploit", "random", "--game", "sviten_special", naming="--bound local gives a lower")
