"""The rules of the Sviten games, each as a test named after it."""

import json
from pathlib import Path

import numpy as np
import pytest

from pokerspiel.games import sviten
from pokerspiel.games.cards import cards_of, cards_text, parse_cards
from pokerspiel.games.variants import load
from tests.table import Table, dealt

SHOWDOWNS = json.loads((Path(__file__).parent / "data/sviten_showdowns.json").read_text())
VARIANT = {"special": "sviten_special", "flush": "sviten_flush"}
HANDS = ("AsAdKcKs9c", "QhTh8c6s3d")
FLOP = "2h7h4c"


# Known showdowns.


def settle(case: dict, **parameters: object) -> list[float]:
    """What each seat is paid in a showdown."""
    settings = "".join(f",{name}={value}" for name, value in parameters.items())
    players = len(case["contrib"])
    game = load(f"{VARIANT[case['variant']]}(players={players}{settings})")
    board = np.array(parse_cards(case["board"]), np.uint8)
    draw, omaha = np.zeros(players, np.int64), np.zeros(players, np.int64)
    for seat, text in enumerate(case["holes"]):
        hole = np.array(parse_cards(text), np.uint8)
        draw[seat] = sviten.draw_strength(game.tables, hole, 5)
        omaha[seat] = sviten.omaha_strength(game.tables, hole, 5, board, 5)
    pays, scratch = np.zeros(players), np.zeros(players, np.int64)
    folded = sum(1 << seat for seat in case["folded"])
    paid = np.array(case["contrib"], np.int32)
    sviten.settle(game.tables.rules[0], paid, folded, draw, omaha, pays, scratch)
    return pays.tolist()


@pytest.mark.parametrize("case", SHOWDOWNS, ids=lambda case: case["id"])
def test_known_showdown(case: dict) -> None:
    assert settle(case) == case["pay"]
    for condition, pays in case["pay_if"].items():
        name, value = condition.split("=")
        assert settle(case, **{name: value}) == pays, condition


def test_fractional_shares_exactly() -> None:
    case = next(case for case in SHOWDOWNS if case["id"] == "O01")
    assert settle(case, odd_chip="fractional") == [0.0, 50.5, 50.5]


# Seats and blinds.


def test_heads_up_the_button_posts_the_small_blind_acts_first_and_later_last() -> None:
    table = Table("sviten_special", dealt(HANDS))
    assert table.state["paid"][:2].tolist() == [2, 1] and table.turn == 1
    table.play("call 1", "check")
    assert table.turn == 0
    table.play("check", "check")
    assert table.turn == 0 and table.names()[0] == "stand pat"


def test_with_three_players_the_seat_behind_the_big_blind_opens() -> None:
    table = Table("sviten_special(players=3)")
    assert table.state["paid"][:3].tolist() == [1, 2, 0] and table.turn == 2
    table.play("fold", "call 1", "check")
    assert table.turn == 0


def test_the_big_blind_keeps_its_option() -> None:
    table = Table("sviten_special(players=3)").play("call 2", "call 1")
    assert table.turn == 1 and table.names() == ["check", "raise to 4"]


def test_folding_is_legal_only_when_facing_a_bet() -> None:
    table = Table("sviten_special").play("call 1")
    assert "fold" not in table.names()


# Betting structures.


def test_fixed_limit_small_bets_then_big_bets_and_four_wagers() -> None:
    table = Table("sviten_special", dealt(HANDS))
    table.play("raise to 4", "raise to 6", "raise to 8")
    assert table.names() == ["fold", "call 2"]
    table.play("call 2", "bet 2", "raise to 4", "raise to 6", "raise to 8", "call 2")
    table.play("stand pat", "stand pat")
    assert table.names() == ["check", "bet 4"]
    table.play("check", "check")
    assert table.names() == ["check", "bet 4"]


def test_an_all_in_of_half_a_bet_counts_as_a_raise_and_reopens() -> None:
    game = "sviten_special(players=3,small_blind=5,big_blind=10,stacks=100 100 15)"
    table = Table(game).play("raise to 15")
    assert table.names() == ["fold", "call 10", "raise to 25"]
    assert int(table.state["wagers"]) == 2


def test_an_all_in_of_less_than_half_a_bet_does_not_reopen() -> None:
    game = "sviten_special(players=3,small_blind=5,big_blind=10,stacks=100 100 14)"
    table = Table(game).play("raise to 14", "call 9")
    assert table.turn == 1 and table.names() == ["fold", "call 4", "raise to 20"]
    game = "sviten_special(players=3,small_blind=5,big_blind=10,stacks=14 100 100)"
    table = Table(game).play("call 10", "raise to 14", "call 4")
    assert table.turn == 2 and table.names() == ["fold", "call 4"]


def test_pot_limit_opening_heads_up_and_three_handed() -> None:
    names = Table("sviten_special(betting=pot_limit)").names()
    assert names[2] == "raise to 4" and names[-1] == "raise to 6"
    assert Table("sviten_special(players=3,betting=pot_limit)").names()[-1] == "raise to 7"


def test_pot_limit_blinds_100_200() -> None:
    game = "sviten_special(players=3,betting=pot_limit,small_blind=100,big_blind=200,stack=100000)"
    table = Table(game)
    assert table.names()[-1] == "raise to 700"
    table.play("raise to 700", "fold", "call 500")
    assert table.pot == 1500
    assert table.names()[-1] == "bet 1500"
    table.play("bet 1500")
    assert table.names()[2] == "raise to 3000" and table.names()[-1] == "raise to 6000"


def test_pot_limit_limped_pot() -> None:
    game = "sviten_special(players=3,betting=pot_limit,small_blind=100,big_blind=200,stack=100000)"
    table = Table(game).play("call 200", "call 100", "check")
    assert table.pot == 600
    table.play("bet 200", "call 200")
    assert table.names()[-1] == "raise to 1400"


def test_no_limit_smallest_raise_is_the_last_full_raise() -> None:
    table = Table("sviten_special(betting=no_limit)").play("raise to 10")
    assert table.names()[2] == "raise to 18" and table.names()[-1] == "raise to 200"


def test_a_short_all_in_does_not_reopen_unless_several_make_a_full_raise() -> None:
    game = "sviten_special(players=4,betting=no_limit,stacks=100 16 22 100)"
    table = Table(game).play("call 2", "raise to 12", "call 11", "raise to 16", "fold")
    assert table.turn == 3 and table.names() == ["fold", "call 4"]
    table = Table(game).play("call 2", "raise to 12", "call 11", "raise to 16", "raise to 22")
    # 4 and 6 together make a full raise of 10.
    assert table.turn == 3 and "raise to 32" in table.names()
    table.play("call 10")
    assert table.turn == 0 and "raise to 32" in table.names()


def test_bet_sizes_menu_drops_sizes_that_coincide() -> None:
    names = Table("sviten_special(betting=pot_limit,bet_sizes=0.1 1 max)").names()
    assert names == ["fold", "call 1", "raise to 4", "raise to 6"]


def test_with_one_player_holding_chips_betting_stops_but_draws_go_on() -> None:
    table = Table("sviten_special(stacks=200 10,betting=no_limit)", dealt(HANDS))
    table.play("raise to 10", "call 8")
    assert table.turn == 0 and table.names()[0] == "stand pat"
    table.play("stand pat")
    assert table.turn == 1  # all-in, and draws too
    table.play("discard 3d", "reject")
    assert table.over


def test_an_uncalled_excess_goes_back() -> None:
    table = Table("sviten_special(stacks=200 10,betting=no_limit)", dealt(HANDS))
    table.play("raise to 10", "call 8", "stand pat", "stand pat")
    assert max(abs(chips) for chips in table.returns) <= 10


def test_if_everybody_else_folds_the_last_player_takes_all_unseen() -> None:
    table = Table("sviten_special").play("raise to 4", "fold")
    assert table.returns == [-2.0, 2.0]


# The draw.


def before_draw(game: str = "sviten_special", hands: tuple[str, ...] = HANDS) -> Table:
    return Table(game, dealt(hands) + FLOP).play("call 1", "check", "check", "check")


def test_a_player_discards_any_of_32_sets_of_cards() -> None:
    table = before_draw()
    assert table.turn == 0 and len(table.legal()) == 32
    assert len(set(table.names())) == 32


def test_max_discards() -> None:
    assert len(before_draw("sviten_special(max_discards=2)").legal()) == 1 + 5 + 10


def test_cards_are_dealt_before_the_next_player_draws() -> None:
    table = before_draw().next_cards("2c2d")
    table.play("discard Kc9c")
    assert table.turn == 1
    assert set(table.state["hole"][0].tolist()) == set(parse_cards("AsAdKs2c2d"))


def test_one_card_is_dealt_face_up_and_may_be_kept() -> None:
    table = before_draw().next_cards("2d").play("discard 9c")
    assert table.turn == 0 and table.names() == ["keep", "reject"]
    table.play("keep")
    assert parse_cards("2d")[0] in table.state["hole"][0].tolist() and table.turn == 1


def test_a_rejected_card_is_dead_and_the_second_card_must_be_kept() -> None:
    table = before_draw().next_cards("2d3c").play("discard 9c", "reject")
    assert table.turn == 1
    assert parse_cards("3c")[0] in table.state["hole"][0].tolist()
    stub = cards_of(int(table.state["stub"]))
    assert parse_cards("2d")[0] not in stub and parse_cards("9c")[0] not in stub


@pytest.mark.parametrize("discards", ["stand pat", "discard Kc9c"])
def test_other_numbers_of_cards_offer_no_choice(discards: str) -> None:
    assert before_draw().play(discards).turn == 1


def test_dramaha_deals_a_single_card_face_down() -> None:
    table = before_draw("dramaha").play("discard 9c")
    assert table.turn == 1


def test_the_chance_to_fill_a_flush_with_a_rejection_is_known() -> None:
    """Nine outs among the 47 cards that are not in the hand, without a flop to see."""
    hand = "AsKs9s2s7d"
    unseen = [card for card in range(52) if card not in parse_cards(hand)]
    random = np.random.default_rng(1)
    trials, hits = 1500, 0
    for _ in range(trials):
        fall = cards_text(random.permutation(unseen).tolist())
        others = fall[:10]
        table = Table("sviten_special(flop_cards=0,omaha_board=2)", dealt((hand, others)))
        table.play("call 1", "check", "check", "check").next_cards(fall[10:14])
        table.play("discard 7d")
        up = int(table.state["up"][0])
        table.play("keep" if up & 3 == 3 else "reject")
        hits += all(card & 3 == 3 for card in table.state["hole"][0].tolist())
    exact = 1 - 38 / 47 * 37 / 46
    assert abs(hits / trials - exact) < 4 * (exact * (1 - exact) / trials) ** 0.5


# The deck runs out.


def test_the_deck_lasts_with_four_players() -> None:
    table = Table("sviten_special(players=4)").play("call 2", "call 2", "call 1", *["check"] * 5)
    for _ in range(4):
        table.play(table.names()[-1])
    assert int(table.state["epoch"]) == 0


def test_when_the_deck_runs_out_the_discards_of_earlier_drawers_come_back() -> None:
    table = Table("sviten_special(players=6)")
    table.play("call 2", "call 2", "call 2", "call 2", "call 1", *["check"] * 7)
    drawn: list[set[int]] = []
    while table.names()[0] == "stand pat":
        seat = table.turn
        before = set(table.state["hole"][seat].tolist())
        epoch = int(table.state["epoch"])
        table.play(table.names()[-1])
        after = set(table.state["hole"][seat].tolist())
        assert not before & after, "a player got an own discard back"
        if int(table.state["epoch"]) > epoch:
            earlier = set().union(*drawn)
            assert after & earlier, "no discard came back"
        drawn.append(before)
    assert int(table.state["epoch"]) > 0
    assert len(set(table.state["board"][:4].tolist())) == 4


def test_turn_and_river_are_set_aside_before_a_reshuffle() -> None:
    table = Table("sviten_special(players=6)")
    table.play("call 2", "call 2", "call 2", "call 2", "call 1", *["check"] * 7)
    while int(table.state["epoch"]) == 0:
        table.play(table.names()[-1])
    aside = set(table.state["aside"][:2].tolist())
    assert int(table.state["aside_count"]) == 2
    while table.names()[0] == "stand pat":
        table.play("stand pat")
    board = set(table.state["board"][3:4].tolist())
    assert board < aside


def test_ten_players_cannot_be_dealt_and_nine_can_run_dry() -> None:
    for players in (9, 10):
        with pytest.raises(ValueError, match=f"players={players}"):
            load(f"sviten_special(players={players})")
