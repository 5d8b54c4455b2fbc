"""The calculator's chances: known answers, counts in plain Python, and samples against them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.table import all_discards, drawing
from pokerspiel.agents.table.discards import new_sums, sample_discards
from pokerspiel.experiments.web import svara_odds
from pokerspiel.experiments.web.calculator import svara_document, sviten_document
from pokerspiel.experiments.web.discard_odds import at_least
from pokerspiel.games.abstraction.outlook import new_outlook
from pokerspiel.games.cards import FULL_DECK, cards_text, mask_of, parse_cards
from pokerspiel.games.hands import five_rank, hand_tables, omaha_rank
from pokerspiel.games.variants import load
from tests.command_line import refuse, succeed

ACES, QUEENS, FLOP = "AsAdKcKs9c", "QhTh8c6s3d", "2h7h4c"
SPECIAL = load("sviten_special(abstraction=clusters)")
FEW = 5e-3
"""A share that two samples of this size may differ by, at five standard errors."""

Cards = Sequence[int]


def array(cards: Iterable[int]) -> np.ndarray:
    return np.array(list(cards), np.uint8)


def high(cards: Cards) -> int:
    return int(five_rank(hand_tables(), *(int(card) for card in cards)))


def omaha(cards: Cards, board: Cards) -> int:
    return int(omaha_rank(hand_tables(), array(cards), 5, array(board), 5, 2, 3))


def share(own: int, other: int) -> float:
    return 1.0 if own > other else 0.5 if own == other else 0.0


def dead_but(count: int, *known: str) -> tuple[str, list[int]]:
    """Dead cards so that only `count` are left, spread over the deck, and those that are left."""
    seen = set(parse_cards("".join(known)))
    unseen = np.random.default_rng(4).permutation([c for c in range(52) if c not in seen])
    return cards_text(unseen[count:]), sorted(unseen[:count].tolist())


def value(row: Any) -> float:
    return float(row["value"])


# Sviten: everybody stands pat.


def test_known_shares_without_a_draw() -> None:
    document = sviten_document("sviten_special", ACES, FLOP, [QUEENS], draw=False)
    assert document["exact"] and document["deals"] == 741
    assert document["how"] == "exact, over 741 run-outs"
    first, second = document["players"]
    assert value(first["pot"]) == pytest.approx(174 / 247, abs=1e-12)
    assert value(second["pot"]) == pytest.approx(73 / 247, abs=1e-12)
    assert value(first["scoop"]) == value(first["omaha"]["win"])
    assert first["draw"]["name"] == "two pair, aces and kings"
    assert first["pot"]["error"] == 0.0


@pytest.mark.parametrize("board", [FLOP + "Jh5d", FLOP + "Jh"])
def test_one_random_opponent_is_counted(board: str) -> None:
    dead, left = dead_but(11, ACES, board)
    document = sviten_document("sviten_special", ACES, board, dead=dead, opponents=1)
    own, shown = parse_cards(ACES), parse_cards(board)
    totals = dict.fromkeys(("draw", "omaha", "scoop", "tie"), 0.0)
    deals = 0
    for river in [[]] if len(shown) == 5 else [[card] for card in left]:
        full = [*shown, *river]
        for other in combinations([card for card in left if card not in river], 5):
            by_draw = share(high(own), high(other))
            by_omaha = share(omaha(own, full), omaha(other, full))
            totals["draw"] += by_draw
            totals["omaha"] += by_omaha
            totals["scoop"] += by_draw == 1.0 and by_omaha == 1.0
            totals["tie"] += by_omaha == 0.5
            deals += 1
    row, other_row = document["players"]
    assert document["exact"] and document["deals"] == deals
    assert value(row["draw"]["share"]) == pytest.approx(totals["draw"] / deals)
    assert value(row["omaha"]["share"]) == pytest.approx(totals["omaha"] / deals)
    assert value(row["omaha"]["tie"]) == pytest.approx(totals["tie"] / deals)
    assert value(row["scoop"]) == pytest.approx(totals["scoop"] / deals)
    assert value(row["pot"]) + value(other_row["pot"]) == pytest.approx(1.0)
    assert other_row["hand"] is None


def test_a_sample_agrees_with_the_count() -> None:
    board = FLOP + "Jh"
    exact = sviten_document("sviten_special", ACES, board, opponents=1)
    sample = sviten_document(
        "sviten_special", ACES, board, opponents=1, seconds=0.1, samples=60_000
    )
    assert exact["exact"] and not sample["exact"] and sample["how"].startswith("sampled:")
    for field in ("pot", "scoop"):
        true, found = exact["players"][0][field], sample["players"][0][field]
        assert 0 < found["error"] < FEW
        assert abs(value(true) - value(found)) < 5 * found["error"]
        assert found["low"] < found["value"] < found["high"]


def test_the_same_seed_gives_the_same_sample() -> None:
    asked = {"board": FLOP, "samples": 1600, "seconds": 10.0}
    first, again, other = (
        sviten_document("sviten_special", ACES, seed=seed, **asked) for seed in (5, 5, 6)
    )
    assert first == again
    assert first["players"] != other["players"]


def test_shares_of_all_hands_add_up_to_the_pot() -> None:
    document = sviten_document(
        "sviten_flush", ACES, "", [QUEENS], opponents=2, draw=False, samples=2000
    )
    assert [player["hand"] for player in document["players"]] == [ACES, QUEENS, None, None]
    assert sum(value(player["pot"]) for player in document["players"]) == pytest.approx(1.0)


# Sviten: the draw.


def test_the_flush_draw_with_the_right_to_reject() -> None:
    hand = parse_cards("As9s6s3sKd")
    rows = at_least(SPECIAL, hand, mask_of(hand))
    chances = {row["name"]: row["chance"] for row in rows[16]}
    assert chances["flush"] == pytest.approx(1 - (38 / 47) * (37 / 46), abs=1e-12)
    plain = at_least(load("dramaha(abstraction=clusters)"), hand, mask_of(hand))
    assert {row["name"]: row["chance"] for row in plain[16]}["flush"] == pytest.approx(9 / 47)


def test_kinds_of_drawn_hands_are_those_of_five_cards() -> None:
    """Of all hands of five cards from the 47 others, by the known counts of a deck."""
    hand = parse_cards("2c3c4c5c6c")
    chances = {row["name"]: row["chance"] for row in at_least(SPECIAL, hand, 0)[31]}
    hands = comb(52, 5)
    better = {"straight flush": 40, "four of a kind": 664, "full house": 4408, "flush": 9516}
    for name, count in {**better, "straight": 19_716, "pair": hands - 1_302_540}.items():
        assert chances[name] == pytest.approx(count / hands), name
    flushes = at_least(load("sviten_flush(abstraction=clusters)"), hand, 0)[31]
    counts = {"five": 5148, "four": 5148 + 111_540, "three": 5148 + 111_540 + 847_704}
    for row in flushes:
        assert row["chance"] == pytest.approx(counts[row["name"].partition("-")[0]] / hands)


def plain_values(own: Cards, other: Cards, flop: Cards, left: Cards) -> dict[int, float]:
    """Share of the pot after each discard against a known hand that stands pat, in plain Python."""
    values = dict.fromkeys(range(32), 0.0)
    singles: dict[tuple[int, int], list[float]] = {}
    boards = list(combinations(left, 2))
    for board in boards:
        full = [*flop, *board]
        target = high(other), omaha(other, full)
        free = [card for card in left if card not in board]
        for discard in range(32):
            kept = [card for i, card in enumerate(own) if not discard >> i & 1]
            found = []
            for drawn in combinations(free, 5 - len(kept)):
                hand = [*kept, *drawn]
                pot = (share(high(hand), target[0]) + share(omaha(hand, full), target[1])) / 2
                found.append(pot)
                if len(drawn) == 1:
                    singles.setdefault((discard, drawn[0]), []).append(pot)
            values[discard] += sum(found) / len(found) / len(boards)
            if len(kept) == 4:
                for card, pot in zip(free, found, strict=True):
                    rest = (sum(found) - pot) / (len(found) - 1)
                    singles.setdefault((discard, ~card), []).append(rest)
    for discard in (1, 2, 4, 8, 16):
        best = [max(np.mean(singles[discard, c]), np.mean(singles[discard, ~c])) for c in left]
        values[discard] = float(np.mean(best))
    return values


def test_all_discards_against_plain_python() -> None:
    dead, left = dead_but(9, ACES, QUEENS, FLOP)
    document = sviten_document(
        "sviten_special", QUEENS, FLOP, [ACES], dead=dead, opponents_draw="pat"
    )
    own = parse_cards(QUEENS)
    expected = plain_values(own, parse_cards(ACES), parse_cards(FLOP), left)
    assert document["exact"] and document["deals"] == comb(9, 2)
    found = {}
    for row in document["discards"]:
        thrown = parse_cards(row["discard"])
        found[sum(1 << i for i, card in enumerate(own) if card in thrown)] = value(row["pot"])
    assert found == pytest.approx(expected)
    pots = [value(row["pot"]) for row in document["discards"]]
    assert pots == sorted(pots, reverse=True) and document["discards"][0]["as_good"]
    assert value(document["players"][0]["pot"]) == pots[0] == pytest.approx(max(expected.values()))
    for part in document["face_up"]:
        row = next(row for row in document["discards"] if row["discard"] == part["discard"])
        best = [max(card["keep"], card["reject"]) for card in part["cards"]]
        assert np.mean(best) == pytest.approx(value(row["pot"]))


def test_sampled_discards_agree_with_all_of_them() -> None:
    rules, hand, other, flop = (
        SPECIAL.tables.rules,
        array(parse_cards(QUEENS)),
        array(parse_cards(ACES))[None],
        array([*parse_cards(FLOP), 0, 0]),
    )
    exact, sample, deals = new_sums(), new_sums(), 40_000
    boards = all_discards.all_discards(rules, hand, other, flop, 0, exact)
    none = np.zeros(0, np.int64)
    assert sample_discards(rules, hand, other, none, False, flop, 0, deals, 9, sample) == deals
    for half in range(2):
        apart = sample.share[:, half] / deals - exact.share[:, half] / boards
        assert np.abs(apart).max() < 5 * 0.5 / np.sqrt(deals)
    seen = exact.chance > 0
    assert np.array_equal(seen, sample.chance > 0) and seen.sum() == 52 - 13
    assert sample.chance.sum() == pytest.approx(deals)
    kept = (
        exact.keep[:, seen, 1] / exact.chance[seen] - sample.keep[:, seen, 1] / sample.chance[seen]
    )
    assert np.abs(kept).max() < 6 * 0.5 / np.sqrt(deals * 0.9)


def test_standing_pat_in_the_sample_is_the_share_without_a_draw() -> None:
    asked: Any = {"opponents": 1, "samples": 40_000, "seconds": 10.0}
    document = sviten_document("dramaha", ACES, FLOP, opponents_draw="pat", **asked)
    assert document["face_up"] is None
    pat = next(row for row in document["discards"] if not row["discard"])
    plain = sviten_document("dramaha", ACES, FLOP, draw=False, **asked)["players"][0]
    for one, other in ((pat["pot"], plain["pot"]), (pat["scoop"], plain["scoop"])):
        assert abs(value(one) - value(other)) < 5 * np.hypot(one["error"], other["error"])


def test_the_right_to_reject_is_worth_something() -> None:
    hand = "As9s6s3sKd"
    special, dramaha = (
        sviten_document(game, hand, FLOP, ["AdAcQdQc8d"], opponents_draw="pat")
        for game in ("sviten_special", "dramaha")
    )
    by_game = [
        next(row for row in document["discards"] if row["discard"] == "Kd")
        for document in (special, dramaha)
    ]
    assert value(by_game[0]["pot"]) > value(by_game[1]["pot"]) + 0.05
    kd = next(part for part in special["face_up"] if part["discard"] == "Kd")
    spades = [card for card in kd["cards"] if card["card"].endswith("s")]
    assert len(spades) == 9 and all(card["choice"] == "keep" for card in spades)


def test_discards_of_a_hand_that_is_made_and_of_one_that_is_not() -> None:
    made = sviten_document("sviten_special", "QsJsTs9s8s", "2h2d7c", samples=1600)
    assert made["discards"][0]["discard"] == ""
    assert not made["discards"][-1]["as_good"]
    assert "not values of the betting game" in made["assumption"]
    assert all(row["behind"]["value"] >= 0 for row in made["discards"])


def test_opponents_have_thrown_as_many_cards_as_is_said() -> None:
    flop = array([*parse_cards(FLOP), 0, 0])
    left = FULL_DECK & ~mask_of(parse_cards(ACES + FLOP))
    hands, discards = np.zeros((3, 5), np.uint8), np.zeros(3, np.int64)
    random, outlook = np.array([3], np.uint64), new_outlook()
    drew = np.array([0, drawing.ANY, 2])
    for _ in range(3):
        rest, _ = drawing.deal_opponents(
            SPECIAL.tables.rules[0], random, drew, flop, left, hands, discards, outlook
        )
        dealt = mask_of(hands.ravel().tolist())
        assert dealt.bit_count() == 15 and dealt & ~left == 0 and int(rest) == left & ~dealt
        for seat in (0, 2):
            again = drawing.best_discard(SPECIAL.tables.rules[0], hands[seat], flop, outlook)
            assert int(again).bit_count() == drew[seat]
        assert discards[1] == -1


def test_an_opponent_who_stands_pat_is_stronger() -> None:
    board = FLOP + "Jh5d"
    pots = [
        value(
            sviten_document(
                "sviten_special",
                *(ACES, board),
                opponents_draw="best",
                drew=drew,
                samples=400,
                seconds=10.0,
            )["players"][0]["draw"]["share"]
        )
        for drew in ([0], [4])
    ]
    assert pots[0] < pots[1] - 0.1


def test_before_the_flop_everybody_draws() -> None:
    document = sviten_document("sviten_special", ACES, opponents=2, samples=1600)
    assert document["draw"] and document["opponents_draw"] == "best"
    assert document["discards"] is None
    pots = [value(player["pot"]) for player in document["players"]]
    assert sum(pots) == pytest.approx(1.0) and pots[0] > 0.45


# Svara.


def test_two_random_hands_of_svara_tie_as_often_as_is_known() -> None:
    game = load("svara")
    deck = list(range(20, 52))
    found = svara_odds.chances(game, [[], []], deck, 1.0, None, 0)
    assert found["exact"] and found["deals"] == 18_123_840
    assert value(found["rows"][0]["tie"]) == pytest.approx(1_869_340 / 18_123_840, abs=1e-12)
    assert value(found["rows"][1]["share"]) == pytest.approx(0.5)


def test_possible_points_of_two_known_cards() -> None:
    (row,) = svara_document(["7c9s"])["hands"]
    points = [
        svara_document([f"7c9s{cards_text([card])}"])["hands"][0]["points"]
        for card in range(20, 52)
        if cards_text([card]) not in ("7c", "9s")
    ]
    assert row["points"] is None and row["possible"]["hands"] == 30
    for line in row["possible"]["points"]:
        assert line["ways"] == points.count(line["points"])
    assert row["possible"]["mean"] == pytest.approx(np.mean(points))


def test_the_share_against_one_opponent_counts_every_hand() -> None:
    document = svara_document(["7c9sJs"], opponents=1)
    (row,) = document["hands"]
    versus = document["versus"]["rows"]
    assert document["versus"]["deals"] == comb(29, 3)
    assert value(versus[0]["win"]) == pytest.approx(row["beats"])
    assert value(versus[0]["tie"]) == pytest.approx(row["ties"])
    assert value(versus[0]["share"]) + value(versus[1]["share"]) == pytest.approx(1.0)


def test_a_sample_of_svara_agrees_with_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = svara_document(["7c9s", "Ah"], opponents=0)["versus"]
    monkeypatch.setattr(svara_odds, "MAX_COMPLETIONS", 0)
    sample = svara_document(["7c9s", "Ah"], samples=40_000)["versus"]
    assert exact["exact"] and not sample["exact"] and sample["deals"] == 40_000
    for true, found in zip(exact["rows"], sample["rows"], strict=True):
        for field in ("win", "tie", "share"):
            assert abs(value(true[field]) - value(found[field])) < 6 * found[field]["error"]


def test_house_rules_and_winners() -> None:
    hands = ["7c9sJh", "AsAhKd"]
    best, sum_all = (svara_document(hands, joker_mode=mode) for mode in ("best", "sum_all"))
    assert [row["points"] for row in best["hands"]] == [21, 22] and best["winners"] == [1]
    assert [row["points"] for row in sum_all["hands"]] == [30, 22] and sum_all["winners"] == [0]
    assert [value(row["win"]) for row in best["versus"]["rows"]] == [0.0, 1.0]


# What is refused, and what comes out.


@pytest.mark.parametrize(
    ("arguments", "naming"),
    [
        ({"hand": "AsAdKcKs"}, "AsAdKcKs"),
        ({"hand": "AsAdKcKsXx"}, "Xx"),
        ({"hand": ""}, "hand"),
        ({"hand": "As" * 200}, "letters"),
        ({"hand": ACES, "board": "2h7h"}, "2h7h"),
        ({"hand": ACES, "board": "As7h4c"}, "As"),
        ({"hand": ACES, "dead": "9c"}, "9c"),
        ({"hand": ACES, "others": [QUEENS, QUEENS]}, "Qh"),
        ({"hand": ACES, "others": ["-"]}, "'-'"),
        ({"hand": ACES, "opponents": 8}, "opponents"),
        ({"hand": ACES, "opponents": 0}, "hands and opponents"),
        ({"hand": ACES, "opponents": 7}, "deck can run out"),
        ({"hand": ACES, "board": FLOP + "Jh", "opponents": 4, "opponents_draw": "best"}, "run out"),
        ({"hand": ACES, "board": FLOP + "Jh", "draw": True}, "draw"),
        ({"hand": ACES, "opponents_draw": "well"}, "well"),
        ({"hand": ACES, "drew": [1]}, "drew"),
        ({"hand": ACES, "board": FLOP, "drew": [6]}, "6"),
        ({"hand": ACES, "board": FLOP, "drew": [1, 1]}, "drew"),
        ({"hand": ACES, "seconds": 11.0}, "11.0"),
        ({"hand": ACES, "seconds": float("nan")}, "nan"),
        ({"hand": ACES, "seed": -1}, "-1"),
        ({"hand": ACES, "game": "svara"}, "svara"),
        ({"hand": ACES, "opponents": 3, "dead": "2c3c4c5c"}, "dead"),
    ],
)
def test_sviten_refusals_name_the_value(arguments: dict[str, Any], naming: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]*$") as refused:
        sviten_document(**{"game": "sviten_special", **arguments})
    assert naming in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "naming"),
    [
        ({"hands": []}, "hands"),
        ({"hands": [""]}, "expected 1, 2 or 3"),
        ({"hands": ["7c8c9cTc"]}, "7c8c9cTc"),
        ({"hands": ["6c7c8c"]}, "6c"),
        ({"hands": ["7c8c", "7c"]}, "7c"),
        ({"hands": ["7c"], "opponents": 9}, "opponents"),
        ({"hands": ["7c"] * 10}, "hands"),
        ({"hands": ["7c"], "joker_mode": "worst"}, "worst"),
        ({"hands": ["7c"], "sevens": ""}, "sevens"),
    ],
)
def test_svara_refusals_name_the_value(arguments: dict[str, Any], naming: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]*$") as refused:
        svara_document(**arguments)
    assert naming in str(refused.value)


def test_documents_are_json() -> None:
    for document in (
        svara_document(["7c9s", "AsAhKd"], opponents=1),
        sviten_document("sviten_flush", ACES, FLOP, [QUEENS], opponents_draw="pat"),
        sviten_document("sviten_special", ACES, FLOP, samples=100, seconds=0.05),
    ):
        assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_the_command_ranks_discards() -> None:
    words = ("hand", "sviten_special", ACES, QUEENS, "--board", FLOP, "--discards", "--time", 0.1)
    document = succeed(*words, "--json").document
    assert len(document["discards"]) == 32 and document["others"] == [QUEENS]
    out = succeed(*words).out
    assert "stand pat" in out and "sampled" in out and "not values of the betting game" in out


def test_the_command_refuses_what_has_no_discards() -> None:
    refuse("hand", "svara", "7c9sJs", "--discards", naming="svara")
    refuse("hand", "sviten_special", ACES, "--discards", naming="flop")
    refuse("hand", "sviten_special", ACES, "--opponents", 2, naming="--discards")
    refuse("hand", "sviten_special", ACES, "--discards", "--set", "burn=true", naming="burn")
