"""Who meets whom, and that chunks of any size, played anywhere, give the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.arena import play_deals
from pokerspiel.agents.roster import find_agent
from pokerspiel.experiments import tournament_play
from pokerspiel.experiments.entrants import Entrant, entrants_of
from pokerspiel.experiments.tournament_play import (
    Meeting,
    deals_for,
    meetings_of,
    missing_deals,
    play_missing,
)
from pokerspiel.experiments.tournament_store import Match, TournamentStore
from pokerspiel.experiments.workers import open_workers
from pokerspiel.games.variants import Game, load
from tests.workers_here import WorkersHere

LEDUC, KUHN, THREE = load("leduc"), load("kuhn"), load("kuhn(players=3)")
BOTS = ("random", "always-call", "tight")


def play(
    folder: Path,
    deals: int,
    bots: Sequence[Entrant],
    game: Game = KUHN,
    workers: Any = None,
    seed: int = 3,
) -> dict[Match, bytes]:
    """What is there in the end: all chips of each match, in the order of the deals."""
    meetings = meetings_of(bots, game, seed)
    with TournamentStore(folder) as store:
        store.begin_sitting("2026", "", {}, {})
        play_missing(store, workers or WorkersHere(), bots, meetings, deals, None, ignore)
        return {match: chips(store, match).tobytes() for match in all_matches(meetings)}


def ignore(done: int, total: int) -> None:
    """No progress is shown."""


def all_matches(meetings: Sequence[Meeting]) -> list[Match]:
    return [match for meeting in meetings for match in meeting.matches]


def chips(store: TournamentStore, match: Match) -> np.ndarray:
    return np.concatenate([part.chips for part, _ in store.scores(match)])


# Meetings.


def test_in_a_round_robin_all_pairs_meet_whatever_the_order_of_the_bots() -> None:
    bots = entrants_of(BOTS, KUHN)
    meetings = meetings_of(bots, KUHN, 7)
    assert [meeting.members for meeting in meetings] == [(0, 1), (0, 2), (1, 2)]
    assert all(len(meeting.matches) == 1 for meeting in meetings)
    others = meetings_of(bots[::-1], KUHN, 7)
    assert set(all_matches(meetings)) == set(all_matches(others))


@pytest.mark.parametrize(("seats", "bots"), [(3, 4), (4, 5)])
def test_larger_tables_see_all_orders_and_with_rotations_every_seating(
    seats: int, bots: int
) -> None:
    """Each set of bots sits in every one of its seats! seatings, once a deal."""
    entrants = [Entrant(f"bot {i}", "", "", f"hash {i}", {}) for i in range(bots)]
    game = replace(KUHN, parameters={**KUHN.parameters, "players": seats})
    meetings = meetings_of(entrants, game, 0)
    assert [meeting.members for meeting in meetings] == list(combinations(range(bots), seats))
    for meeting in meetings:
        seatings = Counter(
            tuple(match.players[(seat - rotation) % seats] for seat in range(seats))
            for match in meeting.matches
            for rotation in range(seats)
        )
        assert len(seatings) == factorial(seats)
        assert set(seatings.values()) == {1}


def test_hands_are_rounded_up_to_whole_deals() -> None:
    assert [deals_for(hands, KUHN) for hands in (1, 2, 3, 1000)] == [1, 1, 2, 500]
    assert [deals_for(hands, THREE) for hands in (6, 7, 600)] == [1, 2, 100]


def test_fewer_bots_than_seats_are_refused() -> None:
    bots = entrants_of(["random", "tight"], THREE)
    with pytest.raises(ValueError, match="needs 3 bots or more, not only random, tight"):
        meetings_of(bots, THREE, 0)


# Chunks.


@pytest.mark.parametrize(
    ("played", "missing"),
    [
        ([], [(0, 10)]),
        ([(0, 10)], []),
        ([(0, 3)], [(3, 7)]),
        ([(2, 3), (7, 1)], [(0, 2), (5, 2), (8, 2)]),
        ([(0, 4), (4, 20)], []),
        ([(12, 3)], [(0, 10)]),
        ([(8, 5)], [(0, 8)]),
    ],
    ids=str,
)
def test_missing_deals_are_the_gaps(
    played: list[tuple[int, int]], missing: list[tuple[int, int]]
) -> None:
    assert missing_deals(played, 10) == missing


def test_deals_are_those_of_the_arena(tmp_path: Path) -> None:
    bots = entrants_of(BOTS, LEDUC)
    found = play(tmp_path, 700, bots, LEDUC)
    given = {entrant.content: entrant.given for entrant in bots}
    for match, its in found.items():
        agents = [find_agent(given[content], LEDUC) for content in match.players]
        assert play_deals(agents, LEDUC, 0, 700, 3).chips.tobytes() == its


def test_sizes_of_chunks_and_workers_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = entrants_of(BOTS, LEDUC)
    whole = play(tmp_path / "a", 1000, bots, LEDUC)
    with open_workers(count=2) as workers:
        assert play(tmp_path / "b", 1000, bots, LEDUC, workers) == whole
    for seconds, growth in ((1e-9, 2), (1e9, 3)):
        monkeypatch.setattr(tournament_play, "CHUNK_SECONDS", seconds)
        monkeypatch.setattr(tournament_play, "GROWTH", growth)
        monkeypatch.setattr(tournament_play, "FIRST_DEALS", 37)
        few = 40 if seconds < 1 else 1000
        found = play(tmp_path / f"{seconds}", few, bots, LEDUC)
        assert found == {match: its[: few * 32] for match, its in whole.items()}


def test_an_interrupted_run_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    bots = entrants_of(BOTS, LEDUC)
    whole = play(tmp_path / "whole", 1000, bots, LEDUC)
    chunks: list[Any] = []

    def interrupt(chunk: Any) -> None:
        chunks.append(chunk)
        if len(chunks) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(tmp_path / "part", 1000, bots, LEDUC, WorkersHere(interrupt))
    done = {(chunk.match, chunk.first) for chunk in chunks[:4]}
    again: list[Any] = []
    assert play(tmp_path / "part", 1000, bots, LEDUC, WorkersHere(again.append)) == whole
    assert not done & {(chunk.match, chunk.first) for chunk in again}


def test_more_hands_and_a_later_bot_play_only_what_is_new(tmp_path: Path) -> None:
    two = entrants_of(BOTS[:2], LEDUC)
    first = play(tmp_path, 300, two, LEDUC)
    chunks: list[Any] = []
    more = play(tmp_path, 500, two, LEDUC, WorkersHere(chunks.append))
    assert min(chunk.first for chunk in chunks) == 300
    assert all(more[match].startswith(first[match]) for match in first)
    chunks.clear()
    three = entrants_of((BOTS[2], *BOTS[:2]), LEDUC)
    play(tmp_path, 500, three, LEDUC, WorkersHere(chunks.append))
    assert chunks and all(three[0].content in chunk.match.players for chunk in chunks)


def test_a_match_that_fails_is_marked_and_the_others_go_on(tmp_path: Path) -> None:
    bots = entrants_of(BOTS, KUHN)
    broken = [replace(bots[0], content="another one"), *bots[1:]]
    meetings = meetings_of(broken, KUHN, 3)
    shown: list[tuple[int, int]] = []
    with TournamentStore(tmp_path) as store:
        store.begin_sitting("2026", "", {}, {})
        play_missing(
            store, WorkersHere(), broken, meetings, 200, None, lambda *its: shown.append(its)
        )
        failures = [store.failure(meeting.matches[0]) for meeting in meetings]
        assert failures[:2] == ["ValueError: random has changed since the tournament began"] * 2
        assert failures[2] is None
        assert sum(deals for _, deals in store.played(meetings[2].matches[0])) == 200
    assert shown[-1][1] == 3 * 400 and max(done for done, _ in shown) <= 3 * 400


def test_a_failed_match_is_tried_again(tmp_path: Path) -> None:
    bots = entrants_of(BOTS[:2], KUHN)
    (meeting,) = meetings_of(bots, KUHN, 3)
    with TournamentStore(tmp_path) as store:
        store.begin_sitting("2026", "", {}, {})
        store.fail(meeting.matches[0], "the disk was gone")
        play_missing(store, WorkersHere(), bots, [meeting], 50, None, ignore)
        assert store.failure(meeting.matches[0]) is None
        assert missing_deals(store.played(meeting.matches[0]), 50) == []
