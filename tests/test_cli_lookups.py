"""The commands that look things up: their JSON is a contract, and their figures are exact."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import pokerspiel, succeed
from tests.reference.poker_model import cards as cards_in
from tests.reference.poker_model import svara_points

DATA = Path(__file__).parent / "data"
SHOWDOWNS = json.loads((DATA / "sviten_showdowns.json").read_text(encoding="utf-8"))
SVARA_HANDS = json.loads((DATA / "svara_hands.json").read_text(encoding="utf-8"))
ACES_KINGS, FLUSH_DRAW = "AsAdKcKs9c", "QhTh8c6s3d"


def test_games_lists_every_variant_with_defaults_and_seats() -> None:
    games = {game["name"]: game for game in succeed("games", "--json").document["games"]}
    assert games["svara"]["seats"] == [2, 9]
    assert games["sviten_special"]["seats"] == [2, 8]
    assert {"sviten_flush", "dramaha", "kuhn", "leduc", "mini_svara", "mini_sviten"} <= set(games)
    parameters = {p["name"]: p for p in games["svara"]["parameters"]}
    assert parameters["joker_mode"]["default"] == "best"
    assert parameters["joker_mode"]["choices"] == ["best", "sum_all"]
    assert parameters["players"]["low"] == 2 and parameters["players"]["high"] == 9


def test_games_in_words_shows_the_parameters_of_one_game() -> None:
    assert "joker_mode" in succeed("games", "svara").out
    assert "sviten_special" in succeed("games").out


# Svara hands.


@pytest.mark.parametrize("case", SVARA_HANDS, ids=lambda case: case["hand"])
def test_svara_points_of_known_hands(case: dict[str, Any]) -> None:
    for setting, key in ((None, "score"), ("joker_mode=sum_all", "sum_all")):
        more = [] if setting is None else ["--set", setting]
        document = succeed("hand", "svara", case["hand"], "--json", *more).document
        assert document["hands"][0]["points"] == case[key]
        assert document["winners"] == [0]


def test_svara_beats_is_the_share_of_the_other_hands_with_fewer_points() -> None:
    document = succeed("hand", "svara", "7c7d7h", "--json").document
    assert document["game"] == "svara"
    assert document["hands"] == [
        {"hand": "7c7d7h", "points": 34, "why": "three sevens: 34", "beats": 1.0, "ties": 0.0}
    ]


def test_svara_beats_counts_a_tie_as_not_beaten() -> None:
    hands = ("7c9sJs", "KcQc8d")
    document = succeed("hand", "svara", *hands, "--json").document
    known = [cards_in(hand) for hand in hands]
    others = list(combinations(set(range(20, 52)) - set(known[0]) - set(known[1]), 3))
    for row, cards in zip(document["hands"], known, strict=True):
        beaten = sum(svara_points(other) < svara_points(cards) for other in others)
        assert row["beats"] == pytest.approx(beaten / len(others))
        tied = sum(svara_points(other) == svara_points(cards) for other in others)
        assert row["ties"] == pytest.approx(tied / len(others))


def test_svara_winners_are_all_that_tie() -> None:
    document = succeed("hand", "svara", "KcQc8d", "KsQs8h", "7d8c9h", "--json").document
    assert document["winners"] == [0, 1]


# Sviten hands.


def test_sviten_shares_over_all_run_outs() -> None:
    words = ("hand", "sviten_special", ACES_KINGS, FLUSH_DRAW, "--board", "2h7h4c", "--json")
    document = succeed(*words).document
    assert document["run_outs"] == 741
    first, second = document["hands"]
    assert first["pot_share"] == pytest.approx(174 / 247, abs=1e-12)
    assert second["pot_share"] == pytest.approx(73 / 247, abs=1e-12)
    assert first["draw"]["share"] == 1.0 and second["draw"]["share"] == 0.0
    assert first["draw"]["name"] == "two pair, aces and kings"
    assert first["draw"]["rank"] > second["draw"]["rank"]


def test_sviten_river_gives_each_half_to_its_winner() -> None:
    words = ("hand", "sviten_special", ACES_KINGS, FLUSH_DRAW, "--board", "2h7hJh4c5d", "--json")
    document = succeed(*words).document
    assert document["winners"] == {"draw": [0], "omaha": [1]}
    assert [hand["omaha"]["share"] for hand in document["hands"]] == [0.0, 1.0]
    assert [hand["pot_share"] for hand in document["hands"]] == [0.5, 0.5]
    assert document["hands"][1]["omaha"]["name"] == "flush, queen-high"


def test_sviten_without_a_board_has_the_draw_half_only() -> None:
    document = succeed("hand", "sviten_flush", "AhKh2h3h9c", "AsKsQs2d3d", "--json").document
    assert document["hands"][0]["draw"]["name"] == "four-card flush, ace-high"
    assert document["hands"][0]["omaha"] is None and document["hands"][0]["pot_share"] is None
    assert document["winners"] == {"draw": [0]}


def test_turn_shares_add_up_to_one_and_average_the_rivers() -> None:
    hands = (ACES_KINGS, FLUSH_DRAW, "JsJd7c7s2c")
    board = "2h7h4cJh"
    words = ("hand", "sviten_special", *hands, "--json", "--board")
    shares = [hand["omaha"]["share"] for hand in succeed(*words, board).document["hands"]]
    assert sum(shares) == pytest.approx(1.0)
    seen = "".join(hands) + board
    rivers = [
        rank + suit
        for rank in "23456789TJQKA"
        for suit in "cdhs"
        if rank + suit not in {seen[i : i + 2] for i in range(0, len(seen), 2)}
    ]
    totals = [0.0, 0.0, 0.0]
    for river in rivers:
        for i, hand in enumerate(succeed(*words, board + river).document["hands"]):
            totals[i] += hand["omaha"]["share"] / len(rivers)
    assert shares == pytest.approx(totals)


# Showdowns.


def _showdown(case: dict[str, Any], *settings: str) -> Any:
    words = ["showdown", f"sviten_{case['variant']}", "--hands", *case["holes"]]
    words += ["--board", case["board"], "--contributions", *map(str, case["contrib"])]
    if case["folded"]:
        words += ["--folded", *map(str, case["folded"])]
    for setting in settings:
        words += ["--set", setting]
    return succeed(*words, "--json").document


@pytest.mark.parametrize("case", SHOWDOWNS, ids=lambda case: case["id"])
def test_known_showdowns(case: dict[str, Any]) -> None:
    document = _showdown(case)
    assert document["pays"] == case["pay"]
    assert sum(pot["chips"] for pot in document["pots"]) == sum(case["contrib"])
    for setting, pays in case["pay_if"].items():
        assert _showdown(case, setting)["pays"] == pays


def test_fractional_odd_chips_are_shared_exactly() -> None:
    words = ("showdown", "sviten_special", "--hands", ACES_KINGS, FLUSH_DRAW, "--json")
    words += ("--board", "2h7hJh4c5d", "--set", "odd_chip=fractional")
    document = succeed(*words, "--contributions", 5, 5).document
    assert document["pays"] == [5, 5]


def test_an_unseen_folded_hand_may_be_left_out() -> None:
    words = ("showdown", "sviten_special", "--hands", "-", ACES_KINGS, FLUSH_DRAW, "--folded", 0)
    words += ("--board", "2h7hJh4c5d", "--contributions", 10, 20, 20, "--json")
    assert succeed(*words).document["pays"] == [0, 25, 25]


def test_svara_showdown_pays_the_best_and_names_a_svarka() -> None:
    words = ("showdown", "svara", "--json", "--hands", "7c9sJs", "AsAhKd", "8cJhJd")
    document = succeed(*words, "--contributions", 10, 20, 20).document
    assert document["pays"] == [30, 20, 0]
    assert document["svarka"] is None
    tied = ("showdown", "svara", "--json", "--hands", "KcQc8d", "KsQs8h", "7d8c9h")
    document = succeed(*tied, "--contributions", 100, 100, 100).document
    assert document["pays"] == [0, 0, 0]
    assert document["svarka"] == {"players": [0, 1], "pot": 300, "price": 150}


def test_showdown_in_words() -> None:
    words = ("showdown", "sviten_special", "--hands", ACES_KINGS, FLUSH_DRAW)
    out = succeed(*words, "--board", "2h7hJh4c5d", "--contributions", 10, 20).out
    assert "main pot of 20: draw half to 0, Omaha half to 1" in out
    assert "side pot 1 of 10: goes to seat 1" in out


# Bots and files.


def test_bots_lists_the_baselines() -> None:
    names = [bot["name"] for bot in succeed("bots", "--json").document["bots"]]
    assert names[:4] == ["random", "always-call", "tight", "equity"]
    assert "always-call" in succeed("bots").out


def test_a_configuration_file_gives_options_and_game_parameters(tmp_path: Path) -> None:
    config = tmp_path / "svara.toml"
    config.write_text('game = "svara"\nhands = ["7c9sJh"]\n[set]\njoker_mode = "sum_all"\n')
    assert succeed("hand", "--config", config, "--json").document["hands"][0]["points"] == 30
    more = ("--set", "joker_mode=best")
    assert succeed("hand", "--config", config, "--json", *more).document["hands"][0]["points"] == 21


def test_help_of_every_command() -> None:
    for command in ("", "hand", "showdown", "train", "match", "play", "bench", "demo"):
        outcome = pokerspiel(*command.split(), "--help")
        assert outcome.status == 0 and "Usage" in outcome.out
