"""The file of a tournament: whole chunks or none, no deal twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pokerspiel.agents.arena import DealScores
from pokerspiel.experiments.entrants import Entrant
from pokerspiel.experiments.tournament_store import FILE, Match, TournamentStore

MATCH = Match("kuhn", 1, 2**62, ("a", "b"))


def scores(first: int, deals: int, corrected: bool = True) -> DealScores:
    chips = np.random.default_rng(first).normal(size=(deals, 2, 2))
    counts = np.array([[5, 1], [2**40, 0]])
    return DealScores(
        first, chips, chips / 3 if corrected else None, None, counts, ({"crash": 2}, {})
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TournamentStore]:
    with TournamentStore(tmp_path) as opened:
        opened.begin_sitting("2026", "pokerspiel tournament", {"cores": 2}, {"numpy": "2.4"})
        yield opened


def test_deals_come_back_as_they_were_written(store: TournamentStore) -> None:
    store.write(MATCH, scores(10, 4), 0.5)
    store.write(MATCH, scores(0, 10, corrected=False), 1.5)
    assert store.played(MATCH) == [(0, 10), (10, 4)]
    (first, took), (second, _) = store.scores(MATCH)
    assert took == 1.5 and first.corrected is None
    wanted = scores(10, 4)
    assert second.chips.tobytes() == wanted.chips.tobytes()
    assert second.corrected is not None and wanted.corrected is not None
    assert second.corrected.tobytes() == wanted.corrected.tobytes()
    assert second.counts.tolist() == [[5, 1], [2**40, 0]]
    assert second.faults == ({"crash": 2}, {})


@pytest.mark.parametrize(
    "change",
    [
        {"game": "leduc"},
        {"rule_version": 2},
        {"seed": 1},
        {"players": ("b", "a")},
        {"values_hash": "v"},
    ],
    ids=str,
)
def test_what_makes_another_match(store: TournamentStore, change: dict[str, object]) -> None:
    other = replace(MATCH, **change)  # type: ignore[arg-type]
    store.write(MATCH, scores(0, 3), 1.0)
    store.fail(MATCH, "no")
    assert store.played(other) == [] and store.failure(other) is None
    store.write(other, scores(0, 3), 1.0)
    assert store.played(MATCH) == [(0, 3)]


@pytest.mark.parametrize("first", [0, 3, 9])
def test_no_deal_comes_twice(store: TournamentStore, first: int) -> None:
    store.write(MATCH, scores(3, 4), 1.0)
    store.write(MATCH, scores(9, 1), 1.0)
    with pytest.raises(ValueError, match=f"deals from {first} on are there already"):
        store.write(MATCH, scores(first, 4), 1.0)
    assert store.played(MATCH) == [(3, 4), (9, 1)]


def test_a_chunk_is_there_whole_or_not_at_all(store: TournamentStore) -> None:
    store.write(MATCH, scores(0, 3), 1.0)
    store.base.execute("PRAGMA max_page_count = 20")
    with pytest.raises(OSError, match=r"cannot use .*: database or disk is full"):
        store.write(MATCH, scores(3, 100_000), 1.0)
    assert store.played(MATCH) == [(0, 3)]
    store.base.execute("PRAGMA max_page_count = 1000000")
    store.write(MATCH, scores(3, 100_000), 1.0)
    assert store.played(MATCH) == [(0, 3), (3, 100_000)]


def test_a_failure_is_told_until_it_is_forgotten(store: TournamentStore) -> None:
    store.fail(MATCH, "it crashed")
    store.fail(MATCH, "it crashed again")
    assert store.failure(MATCH) == "it crashed again"
    store.forget_failure(MATCH)
    assert store.failure(MATCH) is None


def test_a_bot_whose_file_has_changed_is_told(store: TournamentStore) -> None:
    bot = Entrant("mine", "mine.pspiel", "/mine.pspiel", "a", {"seed": 1})
    assert store.changed([bot]) == []
    store.add_bots([bot])
    assert store.changed([bot]) == []
    trained = replace(bot, content="b")
    assert store.changed([trained]) == [trained]
    store.add_bots([trained])
    assert store.changed([bot, trained]) == []


def test_exploitabilities_are_kept(store: TournamentStore) -> None:
    store.keep_exploitability("a", "kuhn", 1, "exact", {"mbb_per_hand": 0.5})
    assert store.exploitability("a", "kuhn", 1, "exact") == {"mbb_per_hand": 0.5}
    for other in (("b", "kuhn", 1, "exact"), ("a", "leduc", 1, "exact"), ("a", "kuhn", 2, "exact")):
        assert store.exploitability(*other) is None
    assert store.exploitability("a", "kuhn", 1, "bounds") is None


def test_a_folder_has_one_writer(store: TournamentStore, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="in use"):
        TournamentStore(tmp_path)


def test_another_file_or_format_is_refused_in_one_line(tmp_path: Path) -> None:
    TournamentStore(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE) as base:
        base.execute("PRAGMA user_version = 99")
    with pytest.raises(ValueError, match="expected a tournament of format 1, not 99"):
        TournamentStore(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / FILE).write_bytes(b"no database at all\n" * 100)
    with pytest.raises(ValueError, match="is damaged"):
        TournamentStore(other)
