"""What is made of the deals: scores, intervals, cross-tables and ratings."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.arena import play_deals, play_match
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.scores import player_scores, score_of
from pokerspiel.agents.value_fitting import fit_values
from pokerspiel.experiments import tournament_results
from pokerspiel.experiments.entrants import Entrant, entrants_of
from pokerspiel.experiments.tournament_play import hash_of_values, meetings_of, play_missing
from pokerspiel.experiments.tournament_results import Document, Played, document_of
from pokerspiel.experiments.tournament_store import TournamentStore
from pokerspiel.games.variants import Game, load
from tests.workers_here import WorkersHere

LEDUC, KUHN, THREE = load("leduc"), load("kuhn"), load("kuhn(players=3)")
BOTS = ("random", "always-call", "tight")


def tournament(
    folder: Path,
    names: tuple[str, ...],
    game: Game,
    deals: int,
    min_hands: int = 0,
    values: Path | None = None,
    broken: str | None = None,
) -> Document:
    """The document of a tournament of seed 3; matches of `broken` fail."""
    bots = entrants_of(names, game)
    found: Any = WorkersHere(_refuse(bots, broken))
    meetings = meetings_of(bots, game, 3, "" if values is None else hash_of_values(values))
    with TournamentStore(folder) as store:
        store.begin_sitting("2026", "", {}, {})
        for meeting in meetings:
            if broken is not None and any(bots[m].given == broken for m in meeting.members):
                store.fail(meeting.matches[0], "broken")
        whole = [meeting for meeting in meetings if not store.failure(meeting.matches[0])]
        play_missing(store, found, bots, whole, deals, values, lambda done, total: None)
        words = None if values is None else "a network"
        nothing = [None] * len(bots)
        return document_of(store, bots, meetings, game, 3, deals, min_hands, words, nothing)


def _refuse(bots: list[Entrant], broken: str | None) -> Any:
    contents = {bot.content for bot in bots if bot.given == broken}

    def check(chunk: Any) -> None:
        assert not contents & set(chunk.match.players)

    return check


def bot(document: Document, name: str) -> Document:
    return next(its for its in document["bots"] if its["name"] == name)


# Two players.


def test_the_score_of_a_match_is_that_of_the_arena(tmp_path: Path) -> None:
    document = tournament(tmp_path, ("tight", "random"), LEDUC, 500)
    result = play_match([find_agent("tight"), find_agent("random")], LEDUC, 1000, 3)
    (match,) = document["matches"]
    for mine, its in zip(match["players"], result.players, strict=True):
        assert mine["mbb_per_hand"] == pytest.approx(its.score.mbb_per_hand)
        assert mine["ci95"] == pytest.approx(its.score.ci95)
    assert match["hands"] == 1000
    its = bot(document, "tight")
    assert its["score"]["mbb_per_hand"] == pytest.approx(result.players[0].score.mbb_per_hand)
    # A bootstrap over 500 deals comes close to Student's t.
    assert its["score"]["ci95"] == pytest.approx(result.players[0].score.ci95, abs=25)
    assert its["decisions"] == result.players[0].decisions


def test_every_opponent_weighs_the_same_and_tables_are_antisymmetric(tmp_path: Path) -> None:
    document = tournament(tmp_path, BOTS, LEDUC, 300)
    names = [its["name"] for its in document["bots"]]
    cells = document["cross_table"]["plain"]
    for row, name in enumerate(names):
        means = [cell["mbb_per_hand"] for cell in cells[row] if cell is not None]
        assert len(means) == 2 and cells[row][row] is None
        its = bot(document, name)
        assert its["score"]["mbb_per_hand"] == pytest.approx(np.mean(means))
        # On a round robin without gaps the rating is the mean of the row with its diagonal.
        assert its["rating"]["mbb_per_hand"] == pytest.approx(np.mean([*means, 0.0]))
        for column in range(3):
            if row != column:
                other = cells[column][row]["mbb_per_hand"]
                assert cells[row][column]["mbb_per_hand"] == pytest.approx(-other)
    scores = [its["score"]["mbb_per_hand"] for its in document["bots"]]
    assert scores == sorted(scores, reverse=True)
    assert [its["rank"] for its in document["bots"]] == [1, 2, 3]
    assert sum(its["alpha_rank"]["share"] for its in document["bots"]) == pytest.approx(1)
    assert sum(its["nash"]["share"] for its in document["bots"]) == pytest.approx(1)


def test_ranks_need_hands(tmp_path: Path) -> None:
    document = tournament(tmp_path, BOTS, KUHN, 100, min_hands=401)
    assert [its["hands"] for its in document["bots"]] == [400] * 3
    assert [its["rank"] for its in document["bots"]] == [None] * 3


def test_only_the_deals_asked_for_count(tmp_path: Path) -> None:
    before = tournament(tmp_path, BOTS, KUHN, 100)
    tournament(tmp_path, BOTS, KUHN, 250)
    after = tournament(tmp_path, BOTS, KUHN, 100)
    for document in (before, after):
        for its in document["bots"]:
            del its["decisions"]
    assert after["bots"] == before["bots"] and after["matches"] == before["matches"]


def test_a_bot_whose_matches_fail_is_left_out(tmp_path: Path) -> None:
    whole = tournament(tmp_path / "whole", BOTS[:2], LEDUC, 200)
    document = tournament(tmp_path / "part", BOTS, LEDUC, 200, broken="tight")
    lost = bot(document, "tight")
    assert (lost["rank"], lost["hands"], lost["failed_matches"]) == (None, 0, 2)
    assert lost["score"] == {"mbb_per_hand": None, "ci95": None} and lost["rating"] is None
    assert document["ratings"]["left_out"] == ["tight"]
    assert [match["failure"] for match in document["matches"]] == [None, "broken", "broken"]
    for name in BOTS[:2]:
        assert bot(document, name)["score"] == bot(whole, name)["score"]
        assert bot(document, name)["rating"] == bot(whole, name)["rating"]
        assert bot(document, name)["rank"] is None


def test_corrected_scores_have_the_same_mean_and_less_noise(tmp_path: Path) -> None:
    path = tmp_path / "leduc.values"
    agents = [find_agent(name) for name in BOTS]
    fit_values(list(combinations(agents, 2)), LEDUC, 8_000).save(path)
    document = tournament(tmp_path, BOTS, LEDUC, 3000, values=path)
    assert document["scored_by"] == "aivat"
    for match in document["matches"]:
        player = match["players"][0]
        (low, high), (fair_low, fair_high) = player["ci95"], player["aivat"]["ci95"]
        both = np.hypot(high - low, fair_high - fair_low) / 2
        assert abs(player["aivat"]["mbb_per_hand"] - player["mbb_per_hand"]) < 1.5 * both
    # `random` has much luck, and a policy that is known.
    its = bot(document, "random")
    assert np.ptp(its["aivat"]["ci95"]) < 0.9 * np.ptp(its["score"]["ci95"])
    (match,) = (
        match
        for match in document["matches"]
        if {player["name"] for player in match["players"]} == {"random", "always-call"}
    )
    player = match["players"][0]
    assert player["aivat"]["hands_saved"] > 1.2 * player["hands_saved"]


# Three players.


def test_a_table_of_three_is_the_mean_of_both_orders(tmp_path: Path) -> None:
    document = tournament(tmp_path, BOTS, THREE, 60)
    agents = {name: find_agent(name, THREE) for name in BOTS}
    orders = (BOTS, (BOTS[0], BOTS[2], BOTS[1]))
    scores = np.mean(
        [
            player_scores(play_deals([agents[name] for name in order], THREE, 0, 60, 3).chips)[
                :, [order.index(name) for name in BOTS]
            ]
            for order in orders
        ],
        axis=0,
    )
    (match,) = document["matches"]
    assert (match["orders"], match["hands"]) == (2, 360)
    for place, name in enumerate(BOTS):
        wanted = score_of(scores[:, place], 1000.0)
        its = bot(document, name)
        assert its["score"]["mbb_per_hand"] == pytest.approx(wanted.mbb_per_hand)
        assert match["players"][place]["ci95"] == pytest.approx(wanted.ci95)
    assert document["ratings"] is None


def test_a_cell_of_larger_tables_is_the_mean_over_those_with_both(tmp_path: Path) -> None:
    names = (*BOTS, "equity")
    document = tournament(tmp_path, names, THREE, 30)
    order = [its["name"] for its in document["bots"]]
    row, column = order.index("tight"), order.index("random")
    its = [
        {player["name"]: player["mbb_per_hand"] for player in match["players"]}
        for match in document["matches"]
    ]
    wanted = np.mean([match["tight"] for match in its if {"tight", "random"} <= match.keys()])
    assert document["cross_table"]["plain"][row][column]["mbb_per_hand"] == pytest.approx(wanted)
    assert bot(document, "tight")["score"]["mbb_per_hand"] == pytest.approx(
        np.mean([match["tight"] for match in its if "tight" in match])
    )


# Intervals.


def _simulated(random: np.random.Generator, deals: int) -> list[Played]:
    """Three bots of strength 40, 0 and -40 on deals that favour the same one at all tables."""
    strength = np.array([40.0, 0.0, -40.0])
    common = random.standard_t(4, size=(deals, 3)) * 100
    played = []
    for first, second in combinations(range(3), 2):
        noise = random.normal(0.0, 50.0, deals)
        won = strength[first] - strength[second] + common[:, first] - common[:, second] + noise
        scores = np.stack((won, -won), axis=1)
        played.append(Played(scores, None, (), np.zeros((2, 2)), ({}, {}), 0.0))
    return played


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """95 % of them, with heavy tails and deals shared by tables, give or take three errors."""
    random = np.random.default_rng(11)
    meetings = meetings_of([Entrant(n, n, n, n, {}) for n in "abc"], KUHN, 0)
    held = np.zeros(3)
    runs = 200
    for _ in range(runs):
        bots: list[Document] = [{}, {}, {}]
        tournament_results._add_scores(bots, meetings, _simulated(random, 100))
        for number, truth in enumerate((60.0, 0.0, -60.0)):
            low, high = bots[number]["score"]["ci95"]
            held[number] += low <= truth <= high
    error = np.sqrt(0.95 * 0.05 / runs)
    assert np.abs(held / runs - 0.95).max() < 3 * error + 0.005
