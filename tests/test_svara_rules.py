"""The rules of Svara, each as a test named after it; the numbered cases come with the rules."""

import json
from pathlib import Path

import pytest

from tests.table import Table, dealt

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parent / "data/svara_betting.json").read_text())
}
THREE = "svara(players=3,ante=10,stack=1000,betting=no_limit"
HIGH, MIDDLE, LOW = "AsKsQs", "AdTd8c", "9hTcQd"


def three(*more: str) -> str:
    return ",".join([THREE, *more]) + ")"


def looking(game: str, hands: tuple[str, ...] = (HIGH, MIDDLE, LOW)) -> Table:
    """A table at which the first seat looks at once."""
    return Table(game, dealt(hands)).play("look")


# Betting cases.


def test_case_b1_the_dealer_takes_the_antes_when_all_others_fold() -> None:
    table = looking(three()).play("fold", "fold")
    assert table.returns == CASES["B1"]["returns"]


def test_case_b2_the_blind_bettor_takes_the_pot_when_nobody_pays() -> None:
    table = Table(three(), dealt((HIGH, MIDDLE, LOW))).play("blind 10", "look", "fold", "fold")
    assert table.returns == CASES["B2"]["returns"]


def test_case_b3_a_blind_is_two_three_or_four_times_the_last() -> None:
    table = Table(three()).play("blind 10")
    expected = [f"blind {chips}" for chips in CASES["B3"]["legal_blinds"]]
    assert table.names() == ["look", *expected]


def test_case_b4_the_price_after_blinds_is_twice_the_last_and_chips_count() -> None:
    table = Table(three(), dealt((HIGH, MIDDLE, LOW))).play("blind 10", "blind 20", "look")
    assert table.turn == 2
    table.play("call 40")
    assert table.pot == 100
    assert table.turn == 0 and table.owed(0) == 30
    table.play("fold")
    assert table.turn == 1 and table.owed(1) == 20
    table.play("call 20")
    assert table.over
    winnings = max(table.returns)
    assert winnings == CASES["B4"]["pot_at_showdown"] - 50


def test_case_b5_a_raise_over_a_blind() -> None:
    table = Table(three(), dealt((HIGH, MIDDLE, LOW))).play("blind 10", "look", "raise to 60")
    owed = CASES["B5"]["owed"]
    assert table.owed(2) == owed["D"] and table.owed(0) == owed["L"]


def test_case_b6_there_is_no_check() -> None:
    names = looking(three()).names()
    assert CASES["B6"]["illegal"] not in names
    assert names[0] == "fold" and names[1] == "bet 10"


def test_case_b7_the_last_to_act_may_raise_and_the_first_bettor_must_answer() -> None:
    table = looking(three()).play("bet 10", "fold", "raise to 20")
    assert table.turn == 0 and table.owed(0) == 10


def four_with_tie(pot: int) -> Table:
    """A tie between seats 0 and 1 for `pot`, seats 2 and 3 out; antes 10, seats 0 and 1 bet."""
    game = "svara(players=4,ante=10,stack=1000,betting=no_limit,blind_phase=False)"
    table = Table(game, dealt(("AsKs7h", "AdKd7s", "8c9dTh", "8d9sTc")))
    bet = (pot - 40) // 2
    return table.play(f"bet {bet}", f"call {bet}", "fold", "fold")


def test_case_b8_joiners_pay_the_share_fixed_when_the_tie_happened() -> None:
    table = four_with_tie(300)
    assert table.pot == 300 and table.turn == 2
    assert table.names() == ["join 150", "decline"]
    table.play("join 150")
    assert table.pot == CASES["B8"]["pot_after"][0]
    assert table.names() == ["join 150", "decline"]
    table.next_cards("").play("join 150")
    assert table.pot == CASES["B8"]["pot_after"][1]


def test_case_b9_the_price_to_join_is_rounded_up() -> None:
    game = "svara(players=4,ante=25,stack=500,blind_phase=False,allow_check=True)"
    tied = ("AsKs7h", "AdKd7s", "AhKh8c", "8d9sTc")
    table = Table(game, dealt(tied)).play("check", "check", "check", "check")
    assert table.pot == 100
    assert table.names() == [f"join {CASES['B9']['buy_in'][0]}", "decline"]


def test_nobody_joins_without_chips() -> None:
    tied = ("AsKs7h", "AdKd7s", "AhKh8c", "8d9sTc")
    assert Table("svara(players=4,ante=25,stack=25)", dealt(tied)).over


@pytest.mark.parametrize(("rounding", "price"), [("up", 35), ("down", 34), ("nearest", 34)])
def test_buyin_rounding(rounding: str, price: int) -> None:
    game = (
        "svara(players=4,ante=25,stack=500,blind_phase=False,betting=no_limit,min_bet=1,"
        f"buyin_rounding={rounding})"
    )
    tied = ("AsKs7h", "AdKd7s", "AhKh8c", "8d9sTc")
    table = Table(game, dealt(tied)).play("bet 1", "call 1", "call 1", "fold")
    assert table.names()[0] == f"join {price}"


def test_case_b10_a_svarka_without_chips_is_dealt_and_shown() -> None:
    first = dealt(("AsKs7h", "AdKd7s"))
    second = dealt(("AsKsQs", "8h9dTc"), first=1)
    table = Table("svara(ante=10,stack=20,betting=no_limit,blind_phase=False)", first + second)
    table.play("bet 10", "call 10")
    assert table.over
    assert table.returns == [20.0, -20.0]


def test_case_b11_heads_up_the_other_seat_acts_before_the_dealer() -> None:
    assert Table("svara(blind_phase=False)").turn == 0


def test_case_b12_an_all_in_for_less_never_lowers_the_price() -> None:
    game = "svara(players=3,ante=10,stacks=1000 60 1000,betting=no_limit,blind_phase=False)"
    table = Table(game, dealt((HIGH, MIDDLE, LOW))).play("bet 100", "call 50")
    assert table.turn == 2 and table.owed(2) == 100
    table.play("call 100")
    assert table.over  # nobody acts twice for it


def test_case_b13_looking_ends_the_blind_phase_and_the_looker_must_pay() -> None:
    table = Table(three(), dealt((HIGH, MIDDLE, LOW))).play("blind 10", "look")
    assert table.turn == 1
    names = table.names()
    assert names[:2] == ["fold", "call 20"] and names[2] == "raise to 30"


# The deal and the blind phase.


def test_cards_are_dealt_after_the_blind_phase_and_a_blind_bettor_knows_nothing() -> None:
    table = Table(three()).play("blind 10")
    assert int(table.state["dealt"]) == 0


def test_the_dealer_is_the_last_to_be_asked_for_a_blind_and_there_is_one_lap() -> None:
    table = Table(three(), dealt((HIGH, MIDDLE, LOW))).play("blind 10", "blind 20")
    assert table.turn == 2
    table.play("blind 40")
    assert table.turn == 0 and table.owed(0) == 70  # all bet blind: left of the dealer acts first


def test_max_blind_laps() -> None:
    table = Table(three("max_blind_laps=2")).play("blind 10", "blind 20", "blind 40")
    assert table.turn == 0 and table.names() == ["look", "blind 80", "blind 120", "blind 160"]


def test_opening_blind() -> None:
    assert Table(three("opening_blind=25")).names() == ["look", "blind 25"]


def test_a_blind_that_cannot_be_paid_in_full_cannot_be_made() -> None:
    game = "svara(players=3,ante=10,stacks=100 45 100,betting=no_limit)"
    assert Table(game).play("blind 10").names() == ["look", "blind 20", "blind 30"]
    game = "svara(players=3,ante=10,stacks=100 25 100,betting=no_limit)"
    table = Table(game, dealt((HIGH, MIDDLE, LOW))).play("blind 10")
    assert table.turn == 1 and table.names() == ["fold", "call 15"]  # nothing on offer: it looks


def test_after_a_blind_the_first_who_did_not_bet_blind_acts_first() -> None:
    table = Table(three(), dealt((HIGH, MIDDLE, LOW))).play("blind 10", "look")
    assert table.turn == 1


def test_the_last_blind_bettor_owes_nothing_when_nobody_pays() -> None:
    game = "svara(players=3,ante=10,stacks=20 100 100,betting=no_limit)"
    table = Table(game, dealt((LOW, MIDDLE, HIGH))).play("blind 10", "blind 20", "look", "fold")
    assert table.returns == [-20.0, 30.0, -10.0]


# Betting structures.


def test_allow_check() -> None:
    table = looking(three("allow_check=True"))
    assert table.names()[:2] == ["check", "bet 10"]
    table.play("check", "check", "check")
    assert table.returns == [20.0, -10.0, -10.0]


def test_fixed_limit_has_one_unit_and_three_raises() -> None:
    table = Table("svara(stack=50,blind_phase=False)").play("bet 1")
    assert table.names() == ["fold", "call 1", "raise to 2"]
    table.play("raise to 2", "raise to 3", "raise to 4")
    assert table.names() == ["fold", "call 1"]


def test_fixed_limit_unit_after_a_blind_is_twice_the_blind() -> None:
    table = Table("svara(stack=50)").play(
        "blind 1",
        "blind 2",
    )
    assert table.turn == 0 and table.names() == ["fold", "call 3", "raise to 8"]
    table.play("raise to 8", "raise to 12", "raise to 16")
    assert table.names() == ["fold", "call 4"]


def test_pot_limit_raise_is_at_most_bet_plus_pot_plus_call() -> None:
    table = looking("svara(players=3,ante=10,stack=1000,betting=pot_limit)")
    assert table.names()[-1] == "bet 30"
    table.play("bet 30")
    assert table.names()[-1] == "raise to 120"  # 30 + 60 + 30


def test_no_limit_is_up_to_the_stack() -> None:
    assert looking(three()).names()[-1] == "bet 990"


def test_bet_sizes_are_fractions_of_the_pot() -> None:
    table = looking(three("bet_sizes=0.5 1 max"))
    assert table.names() == ["fold", "bet 15", "bet 30", "bet 990"]


def test_raises_are_at_least_min_bet() -> None:
    table = looking(three("min_bet=25")).play("bet 25")
    assert table.names()[2] == "raise to 50"


def test_a_raise_reopens_the_betting_for_everybody_still_in() -> None:
    table = looking(three()).play("bet 10", "call 10", "raise to 30", "raise to 80")
    assert table.turn == 1 and table.owed(1) == 70


def test_one_player_left_takes_the_pot_unseen() -> None:
    table = looking(three(), (LOW, MIDDLE, HIGH)).play("bet 10", "fold", "fold")
    assert table.returns == [20.0, -10.0, -10.0]


def test_side_pots_by_what_each_covered() -> None:
    game = "svara(players=3,ante=10,stacks=30 60 100,betting=no_limit,blind_phase=False)"
    table = Table(game, dealt((HIGH, MIDDLE, LOW))).play("bet 20", "raise to 50", "call 50")
    assert table.over
    assert table.returns == [60.0, 0.0, -60.0]  # main pot 90 to seat 0, side pot 60 to seat 1


# Showdown and svarka.


def test_the_best_score_takes_everything() -> None:
    table = looking(three()).play("bet 10", "call 10", "call 10")
    assert table.returns == [40.0, -20.0, -20.0]


def test_a_tie_is_played_off_free_with_a_fresh_deck_and_the_next_seat_deals() -> None:
    first = dealt(("AsKs7h", "AdKd7s", LOW))
    table = Table(three("blind_phase=False"), first).play("bet 10", "call 10", "fold")
    assert table.turn == 2 and table.names() == ["join 25", "decline"]
    table.next_cards(dealt(("AsKsQs", "8h9dTc"), first=1)).play("decline")
    assert table.pot == 50 and int(table.state["dealer"]) == 0 and table.turn == 1
    table.play("bet 10", "call 10")
    assert table.returns == [40.0, -30.0, -10.0]


def test_a_svarka_has_a_blind_phase_too() -> None:
    table = Table(three(), dealt(("AsKs7h", "AdKd7s", LOW)))
    table.play("look", "bet 10", "call 10", "fold", "decline")
    assert table.turn == 1 and table.names() == ["look", "blind 10"]


def test_svarka_ante() -> None:
    first = dealt(("AsKs7h", "AdKd7s", LOW))
    table = Table(three("blind_phase=False", "svarka_ante=True"), first)
    table.play("bet 10", "call 10", "fold", "decline")
    assert table.pot == 70


def test_a_joiner_who_cannot_pay_the_whole_price_is_not_asked() -> None:
    game = "svara(players=3,ante=10,stacks=1000 1000 34,betting=no_limit,blind_phase=False)"
    first = dealt(("AsKs7h", "AdKd7s", LOW))
    table = Table(game, first).play("bet 10", "call 10", "fold")
    assert table.turn == 1 and int(table.state["svarkas"]) == 1


def test_another_tie_computes_the_price_anew() -> None:
    first = dealt(("AsKs7h", "AdKd7s", LOW))
    again = dealt(("AsKs7h", "AdKd7s"), first=1)
    table = Table(three("blind_phase=False"), first).play("bet 10", "call 10", "fold")
    table.next_cards(again).play("decline", "bet 20", "call 20")
    assert table.pot == 90 and table.names() == ["join 45", "decline"]


def test_max_svarkas_shares_the_pot_with_odd_chips_from_the_left_of_the_dealer() -> None:
    game = "svara(players=3,ante=1,stack=20,blind_phase=False,max_svarkas=0)"
    table = Table(game, dealt(("AsKs7h", "AdKd7s", LOW))).play("bet 1", "call 1", "fold")
    assert table.returns == [1.0, 0.0, -1.0]


def test_several_pots_are_decided_apart_and_joiners_buy_into_the_main_pot_only() -> None:
    game = "svara(players=4,ante=10,stacks=30 100 100 100,betting=no_limit,blind_phase=False)"
    tied = dealt(("AsKs7h", "AdKd7s", "AhKh8d", "8c9dTh"))
    table = Table(game, tied).play("bet 20", "raise to 50", "call 50", "fold")
    main, side = 10 + 3 * 30, 60
    assert table.pot == main + side
    assert table.names() == [f"join {-(-main // 3)}", "decline"]
    table.next_cards(dealt(("AsKsQs", "9c8hTd", "AdKd7s", "8c9dTh"), first=1)).play("join 34")
    # The side pot is for seats 1 and 2 only; seat 0 is all-in, seat 3 has joined the main pot.
    table.play("fold", "fold")
    assert table.over
    assert table.returns[0] == main + 34 - 30
    assert sum(table.returns) == 0


def test_a_decided_main_pot_leaves_only_the_side_pot_to_play_off() -> None:
    game = "svara(players=4,ante=10,stacks=30 100 100 200,betting=no_limit,blind_phase=False)"
    hands = dealt(("AsKsQs", "AdKd7s", "AhKh8d", "8c9dTh"))
    table = Table(game, hands).play("bet 20", "raise to 50", "call 50", "fold")
    # Seat 0 has won the main pot; nobody can buy into a side pot.
    assert not table.over and int(table.state["svarkas"]) == 1
    assert table.stacks[0] == 100 and table.pot == 60


# Score.


@pytest.mark.parametrize(
    "case",
    json.loads((Path(__file__).parent / "data/svara_hands.json").read_text()),
    ids=lambda case: case["hand"],
)
@pytest.mark.parametrize("mode", ["score", "sum_all", "fixed_23"])
def test_scores_decide_the_showdown(case: dict, mode: str) -> None:
    setting = {"score": "", "sum_all": ",joker_mode=sum_all", "fixed_23": ",sevens=fixed_23"}
    free = [c for c in ("8c", "9d", "Th", "8s", "9h", "Td") if c not in case["hand"]]
    table = Table(
        f"svara(blind_phase=False{setting[mode]})", dealt((case["hand"], "".join(free[:3])))
    )
    assert int(table.state["points"][0]) == case[mode]
