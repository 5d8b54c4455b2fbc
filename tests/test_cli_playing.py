"""`match` and `play`: the arena's document, histories, and hands at the terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pokerspiel.experiments.play import understood
from tests.command_line import Outcome, pokerspiel, succeed


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bot")
    succeed("train", "svara", "--out", folder / "run", "--iterations", 2000, "-q")
    succeed("export", folder / "run", "-o", folder / "svara.pspiel", "-q")
    return folder / "svara.pspiel"


# Matches.


def test_match_document(bot: Path) -> None:
    words = ("match", bot, "random", "--hands", 400, "--seed", 3, "--json")
    document = succeed(*words).document
    assert document["hands"] == 400 and document["game"] == "svara"
    assert [player["name"] for player in document["players"]] == ["svara", "random"]
    for player in document["players"]:
        low, high = player["ci95"]
        assert low < player["mbb_per_hand"] < high
        assert 0.0 <= player["misses"] <= 1.0
        assert len(player["seats"]) == 2
    assert sum(p["mbb_per_hand"] for p in document["players"]) == pytest.approx(0.0, abs=1e-6)
    assert document["players"][0]["ci95"][0] > 0, "even a little training beats random play"
    again = succeed(*words).document
    assert {**document, "seconds": 0} == {**again, "seconds": 0}


def test_match_of_three_takes_the_number_of_players_from_the_table() -> None:
    words = ("match", "tight", "random", "always-call", "--game", "svara", "--hands", 90)
    document = succeed(*words, "--json").document
    assert document["game"] == "svara(players=3)"
    assert document["hands"] == 90 and len(document["players"]) == 3


def test_match_of_sviten_tells_the_halves() -> None:
    words = ("match", "tight", "random", "--game", "sviten_special", "--hands", 60)
    document = succeed(*words, "--json").document
    assert {"showdowns", "draw", "omaha", "scoops"} <= document["players"][0]["halves"].keys()
    out = succeed(*words).out
    assert "Omaha half" in out and "95 % interval" in out


def test_match_histories_are_lines_of_json(bot: Path, tmp_path: Path) -> None:
    histories = tmp_path / "hands.jsonl"
    succeed("match", bot, "tight", "--hands", 20, "--histories", histories, "--json")
    hands = [json.loads(line) for line in histories.read_text(encoding="utf-8").splitlines()]
    assert len(hands) == 20
    assert all(sum(hand["returns"]) == 0 for hand in hands)
    assert [path.name for path in tmp_path.iterdir()] == ["hands.jsonl"]


def test_match_against_itself_is_zero(bot: Path) -> None:
    document = succeed("match", bot, bot, "--hands", 100, "--json").document
    assert [player["mbb_per_hand"] for player in document["players"]] == [0.0, 0.0]


# Playing.


def play(game: str, *words: object, keys: str, seed: int = 1) -> Outcome:
    return succeed("play", game, "--seed", seed, *words, keyboard=keys)


def test_play_ends_with_q_and_with_the_end_of_input() -> None:
    for keys in ("q\n", "", "1\nq\n"):
        out = play("svara", "--against", "random", keys=keys).out
        assert "Goodbye. 0 hands played, total +0 chips." in out
        assert "look" in out and "blind 1" in out


def test_play_tells_cards_moves_results_and_the_running_total() -> None:
    out = play("svara", "--against", "always-call", keys="look\nbet\n" * 30).out
    assert re.search(r"You are dealt \w\w \w\w \w\w", out)
    assert "always-call calls" in out
    assert re.search(r"your cards .* \(\d+ points\); pot \d+", out)
    assert re.search(r"You (win|lose) \d+\. Total after 1 hands: [+-]\d+", out)
    totals = [int(total) for total in re.findall(r"Total after \d+ hands: ([+-]\d+)", out)]
    results = [
        {"win": 1, "lose": -1}[word] * int(chips)
        for word, chips in re.findall(r"You (win|lose) (\d+)\.", out)
    ]
    assert totals[-1] == sum(results)


def test_play_shows_the_svarka() -> None:
    for seed in range(20):
        out = play("svara", "--against", "always-call", keys="1\n2\n" * 40, seed=seed).out
        if "svarka" in out:
            assert "The best hands tie: a svarka" in out
            assert re.search(r"New cards for .*, who play for \d+", out)
            return
    raise AssertionError("no svarka in 20 sessions")


def test_play_asks_the_others_to_join_a_svarka() -> None:
    words = ("svara(players=3)", "--against", "always-call")
    for seed in range(40):
        out = play(*words, keys="look\nfold\n1\n" * 40, seed=seed).out
        if "join" in out:
            assert re.search(r"Joining it costs \d+", out)
            return
    raise AssertionError("nobody could join in 40 sessions")


def test_play_sviten_shows_board_draw_and_face_up_card() -> None:
    seen = ""
    for seed in range(12):
        keys = "1\n1\n5\n" * 60
        seen += play("sviten_special", "--against", "equity", keys=keys, seed=seed).out
    assert re.search(r"Flop: \w\w \w\w \w\w", seen)
    assert re.search(r"(Turn|River): \w\w", seen)
    assert "face up:" in seen
    assert re.search(r"(equity|You) (keep|reject)s? the card", seen)
    assert re.search(r"equity draws [2-5] cards|equity stands pat", seen)
    assert "has the button" in seen
    assert "discard" in seen


def test_play_does_not_show_the_cards_of_others_before_the_showdown() -> None:
    out = play("svara", "--against", "random", keys="1\n1\n" * 20).out
    assert "random is dealt" not in out and "random gets" not in out


def test_play_takes_several_bots_and_one_for_all_seats() -> None:
    out = play("svara", "--against", "tight", "--against", "random", keys="q\n").out
    assert "svara(players=3)" in out
    out = play("leduc(players=4)", "--against", "random", keys="1\n" * 20).out
    assert "random #3" in out


def test_play_is_the_same_for_the_same_seed() -> None:
    one, two = (play("svara", "--against", "random", keys="1\n2\n" * 9).out for _ in range(2))
    assert one == two


def test_play_explains_an_answer_that_it_does_not_understand() -> None:
    out = play("svara", "--against", "random", keys="hello\n?\nq\n").out
    assert "'hello' is none of the actions" in out


def test_play_of_a_trained_bot(bot: Path) -> None:
    assert "svara" in play("svara", "--against", bot, keys="1\n2\nq\n").out


@pytest.mark.parametrize(
    ("answer", "place"),
    [("1", 0), ("fold", 0), ("call", 1), ("call 4", 1), ("raise to 8", 2), ("raise", None)],
)
def test_answers(answer: str, place: int | None) -> None:
    assert understood(answer, ["fold", "call 4", "raise to 8", "raise to 12"]) == place


def test_discards_are_understood_in_any_order() -> None:
    names = ["stand pat", "discard 7c", "discard 9s7c"]
    assert understood("7c9s", names) == 2
    assert understood("discard 7c 9s", names) == 2
    assert understood("2h", names) is None


def test_a_player_who_does_not_exist_is_refused() -> None:
    assert pokerspiel("play", "svara", "--against", "").status == 2
