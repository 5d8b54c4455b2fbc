"""`pokerspiel exploit --bound`: its JSON is a contract, and it never claims to be exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

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
    "particles",
    "seed",
    "hands",
    "complete",
    "seconds",
}
LOCAL = ("--bound", "local")


def test_the_document_is_a_bound_and_says_so() -> None:
    """Against a station in Kuhn a third of an ante can be won: see the tests of `exploit`."""
    words = ("exploit", "always-call", "--game", "kuhn", *LOCAL, "--hands", 2000, "--seed", 4)
    document: Any = succeed(*words, "--json").document
    assert document.keys() == KEYS
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
    refuse(*kuhn, *LOCAL, "--response", "x.pspiel", naming="has no best response to keep")
    refuse(*kuhn, *LOCAL, "--set", "players=3", naming="is for 3 players")
    refuse("exploit", "random", "--game", "kuhn_poker", *LOCAL, naming="one of OpenSpiel's games")
    refuse("exploit", "random", "--game", "sviten_special", naming="--bound local gives a lower")
