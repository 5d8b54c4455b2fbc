"""The reference models reproduce the known answers of the rules, and lose no chips."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import eval7
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.random_play import CHANCE, TERMINAL, step, svara_parameters, sviten_parameters
from tests.reference.betting_model import layers
from tests.reference.poker_model import (
    JOKER,
    card,
    cards,
    deck_of,
    flush_value,
    high_value,
    omaha_value,
    svara_points,
    text,
)
from tests.reference.svara_model import SvaraModel
from tests.reference.sviten_model import SvitenModel, showdown_pay

DATA = Path(__file__).parent / "data"
SHOWDOWNS = json.loads((DATA / "sviten_showdowns.json").read_text())
SVARA_HANDS = json.loads((DATA / "svara_hands.json").read_text())
BETTING = {case["id"]: case for case in json.loads((DATA / "svara_betting.json").read_text())}


# Strength of hands


@pytest.mark.parametrize("case", SVARA_HANDS, ids=lambda case: case["hand"])
def test_svara_points_of_known_hands(case: dict[str, Any]) -> None:
    hand = cards(case["hand"])
    assert svara_points(hand) == case["score"]
    assert svara_points(hand, joker_mode="sum_all") == case["sum_all"]
    assert svara_points(hand, sevens="fixed_23") == case["fixed_23"]


def test_svara_points_of_all_hands() -> None:
    known = json.loads((DATA / "svara_scores.json").read_text())
    all_hands = list(combinations(sorted(deck_of("789TJQKA", "cdhs")), 3))
    count = Counter(svara_points(hand) for hand in all_hands)
    of_joker = Counter(svara_points(hand) for hand in all_hands if JOKER in hand)
    assert len(all_hands) == known["hands"]
    assert count == {int(k): n for k, n in known["count_per_score"].items()}
    assert of_joker == {int(k): n for k, n in known["joker_hands_per_score"].items()}
    assert round(sum(k * n for k, n in count.items()) / len(all_hands), 3) == 17.056


def test_high_hands_are_ordered_as_by_eval7() -> None:
    rng = np.random.default_rng(1)
    hands = [rng.permutation(52)[:5].tolist() for _ in range(2000)]
    hands += [cards(h) for h in ("Ah2h3h4h5h", "Ac2h3d4s5h", "KdAs2c3d4h", "TcJcQcKcAc")]
    hands += [sorted(rng.permutation(24)[:5].tolist()) for _ in range(2000)]
    theirs = [eval7.evaluate([eval7.Card(text([c])) for c in hand]) for hand in hands]
    ours = [high_value(hand) for hand in hands]
    order = sorted(range(len(hands)), key=lambda i: theirs[i])
    for i, j in pairwise(order):
        assert (ours[i] < ours[j]) == (theirs[i] < theirs[j])
        assert (ours[i] == ours[j]) == (theirs[i] == theirs[j])


def test_small_hands_know_neither_straights_nor_flushes() -> None:
    assert high_value(cards("2c2d3h4s")) > high_value(cards("AcKcQcJc"))
    assert high_value(cards("2c2d3h3s")) > high_value(cards("AcAdKhQs"))
    assert high_value(cards("2c2d2h")) > high_value(cards("AcAdKh"))
    assert high_value(cards("3c4d")) > high_value(cards("2c4s"))


def test_omaha_takes_exactly_two_of_the_hand() -> None:
    assert omaha_value(cards("Ah2c3d8s9c"), cards("KhQhJh4h5s"), 2, 3)[0] == 0
    assert omaha_value(cards("AhTh3d8s9c"), cards("KhQhJh4h5s"), 2, 3)[0] == 8


@pytest.mark.slow
def test_flush_counts_of_all_hands() -> None:
    values = Counter(flush_value(hand) for hand in combinations(range(52), 5))
    lengths: Counter[int] = Counter()
    for (length, _), n in values.items():
        lengths[length] += n
    assert lengths == {5: 5_148, 4: 111_540, 3: 847_704, 2: 1_634_568}
    assert len(values) == 2_366


# Sviten: showdowns


def pay_of(case: dict[str, Any], **rules: Any) -> list[Any]:
    return showdown_pay(
        case["contrib"],
        set(range(len(case["contrib"]))) - set(case["folded"]),
        [cards(hole) for hole in case["holes"]],
        cards(case["board"]),
        draw_half="flush" if case["variant"] == "flush" else "high",
        **rules,
    )


@pytest.mark.parametrize("case", SHOWDOWNS, ids=lambda case: case["id"])
def test_sviten_showdown(case: dict[str, Any]) -> None:
    assert pay_of(case) == case["pay"]
    live = set(range(len(case["contrib"]))) - set(case["folded"])
    hands = {p: cards(case["holes"][p]) for p in live}
    strength = flush_value if case["variant"] == "flush" else high_value
    draw = {p: strength(hands[p]) for p in live}
    omaha = {p: omaha_value(hands[p], cards(case["board"]), 2, 3) for p in live}
    if len(live) > 1:
        assert [p for p in sorted(live) if draw[p] == max(draw.values())] == case["draw_winners"]
        assert [p for p in sorted(live) if omaha[p] == max(omaha.values())] == case["omaha_winners"]


@pytest.mark.parametrize(
    ("case", "rule"),
    [(case, rule) for case in SHOWDOWNS for rule in case["pay_if"]],
    ids=lambda value: value["id"] if isinstance(value, dict) else value,
)
def test_sviten_showdown_with_another_odd_chip_rule(case: dict[str, Any], rule: str) -> None:
    name, value = rule.split("=")
    rules = {name: value == "True" if value in ("True", "False") else value}
    assert pay_of(case, **rules) == case["pay_if"][rule]


@pytest.mark.parametrize("case", SHOWDOWNS, ids=lambda case: case["id"])
def test_fractional_shares_differ_from_chips_by_less_than_two_a_pot(case: dict[str, Any]) -> None:
    exact = pay_of(case, odd_chip="fractional")
    assert sum(exact) == sum(case["contrib"])
    pots = len(layers(case["contrib"], set(range(len(exact))) - set(case["folded"])))
    for share, chips in zip(exact, case["pay"], strict=True):
        assert abs(share - chips) < 2 * pots


def test_shares_over_all_run_outs() -> None:
    hands = [cards("AsAdKcKs9c"), cards("QhTh8c6s3d")]
    flop = cards("2h7h4c")
    rest = sorted(set(range(52)) - set(flop) - set(hands[0]) - set(hands[1]))
    won = [Fraction(0), Fraction(0)]
    run_outs = list(combinations(rest, 2))
    for run_out in run_outs:
        pay = showdown_pay([1, 1], {0, 1}, hands, [*flop, *run_out], odd_chip="fractional")
        won = [w + Fraction(p, 2) for w, p in zip(won, pay, strict=True)]
    assert len(run_outs) == 741
    assert [w / 741 for w in won] == [Fraction(174, 247), Fraction(73, 247)]


# Playing a script


def raises(model: Any) -> list[int]:
    return sorted(d[1] for d in model.legal_actions().values() if d[0] == "raise")


def kinds(model: Any) -> set[str]:
    return {d[0] for d in model.legal_actions().values()}


def let_cards_fall(model: Any, hands: list[str] | None = None) -> None:
    """Deal until a player is to act: Svara `hands`, one a seat that takes part, or the lowest."""
    left = [cards(hand) for hand in hands] if hands else None
    while model.player() == CHANCE:
        fall = left[model.to_deal[0]].pop(0) if left else model.chance_cards()[0]
        model.apply(fall)


def play(model: Any, *script: tuple) -> None:
    """Play descriptions, checking whose turn it is: (seat, description...)."""
    for seat, *description in script:
        let_cards_fall(model)
        assert model.player() == seat
        description = tuple(description)
        if description == ("call",):
            description = next(d for d in model.legal_actions().values() if d[0] == "call")
        model.play(description)


# Sviten: betting


def sviten(**parameters: Any) -> SvitenModel:
    model = SvitenModel(**parameters)
    let_cards_fall(model)
    return model


def test_pot_limit_openings_with_blinds_1_and_2() -> None:
    model = sviten(betting="pot_limit")
    assert model.player() == 1
    assert raises(model) == [4, 5, 6]
    model = sviten(betting="pot_limit", players=3)
    assert model.player() == 2
    assert raises(model) == [4, 5, 6, 7]


def test_pot_limit_after_the_flop() -> None:
    model = sviten(betting="pot_limit", players=3, small_blind=100, big_blind=200, stack=20_000)
    assert max(raises(model)) == 700
    play(model, (2, "raise", 700), (0, "fold"), (1, "call"))
    let_cards_fall(model)
    assert model.pot() == 1_500
    assert (model.player(), max(raises(model)), min(raises(model))) == (1, 1_500, 200)
    play(model, (1, "raise", 1_500))
    assert (min(raises(model)), max(raises(model))) == (3_000, 6_000)


def test_pot_limit_raise_of_a_bet_that_was_called() -> None:
    model = sviten(betting="pot_limit", players=3, small_blind=100, big_blind=200, stack=20_000)
    play(model, (2, "call"), (0, "call"), (1, "check"))
    let_cards_fall(model)
    assert model.pot() == 600
    play(model, (0, "raise", 200), (1, "call"))
    assert max(raises(model)) == 1_400


def test_heads_up_the_button_is_first_before_the_flop_and_last_after_it() -> None:
    model = sviten()
    assert model.stacks() == [198, 199]
    play(model, (1, "call"), (0, "check"), (0, "check"), (1, "check"))
    assert model.player() == 0
    assert kinds(model) == {"discard"}
    assert len(model.legal_actions()) == 32


def test_the_big_blind_keeps_its_option_and_nobody_folds_for_nothing() -> None:
    model = sviten(players=4)
    play(model, (2, "call"), (3, "call"), (0, "call"))
    assert model.player() == 1
    assert kinds(model) == {"check", "raise"}


def test_fixed_limit_sizes_and_wagers() -> None:
    model = sviten(players=3)
    for seat, total in ((2, 4), (0, 6), (1, 8)):
        assert raises(model) == [total]
        play(model, (seat, "raise", total))
    assert (model.player(), raises(model)) == (2, [])
    play(model, (2, "call"), (0, "call"), (0, "check"), (1, "raise", 2), (2, "call"), (0, "call"))
    for seat in range(3):
        play(model, (seat, "discard", frozenset()))
    let_cards_fall(model)
    assert raises(model) == [4]


def test_an_all_in_raise_of_less_than_half_a_bet_reopens_nothing() -> None:
    model = sviten(players=3, small_blind=2, big_blind=4, stacks="9 100 100")
    play(model, (2, "raise", 8), (0, "raise", 9))
    assert raises(model) == [12]
    play(model, (1, "call"))
    assert kinds(model) == {"fold", "call"}
    assert model.legal_actions()[1] == ("call", 1)


def test_an_all_in_raise_of_half_a_bet_is_a_raise() -> None:
    model = sviten(players=3, small_blind=2, big_blind=4, stacks="10 100 100")
    play(model, (2, "raise", 8), (0, "raise", 10), (1, "call"))
    assert raises(model) == [14]


def test_short_all_ins_that_make_a_full_raise_together_reopen() -> None:
    model = sviten(players=5, betting="no_limit", stacks="100 100 100 13 16")
    play(model, (2, "raise", 10), (3, "raise", 13), (4, "raise", 16), (0, "fold"), (1, "fold"))
    assert kinds(model) == {"fold", "call"}
    model = sviten(players=5, betting="no_limit", stacks="100 100 100 13 18")
    play(model, (2, "raise", 10), (3, "raise", 13), (4, "raise", 18), (0, "fold"), (1, "call"))
    assert min(raises(model)) == 26


def test_a_short_blind_leaves_the_price() -> None:
    model = sviten(players=3, betting="no_limit", stacks="100 1 100")
    assert model.legal_actions()[1] == ("call", 2)
    assert min(raises(model)) == 4


def test_menu_of_raises_is_clamped_and_has_no_duplicates() -> None:
    model = sviten(betting="pot_limit", bet_sizes="0.1 min 0.5 0.63 1 max 3")
    assert {a: d[1] for a, d in model.legal_actions().items() if d[0] == "raise"} == {
        2: 4,
        5: 5,
        6: 6,
    }


# Sviten: draw


def to_the_draw(**parameters: Any) -> SvitenModel:
    """A hand checked down to the draw, the cards falling from the lowest."""
    model = sviten(**parameters)
    while model.player() == CHANCE or model.phase == "bet":
        let_cards_fall(model)
        if model.phase == "bet":
            model.apply(1)
    return model


def test_a_rejected_card_is_replaced_by_one_that_must_be_kept() -> None:
    model = to_the_draw()
    hand = model.hands[0]
    model.play(("discard", frozenset(hand[:1])))
    shown = model.chance_cards()[3]
    model.apply(shown)
    assert set(model.legal_actions().values()) == {("keep",), ("reject",)}
    model.play(("reject",))
    assert shown not in model.chance_cards()
    second = model.chance_cards()[0]
    model.apply(second)
    assert model.hands[0] == [*hand[1:], second]
    assert model.player() == 1


def test_a_kept_card_and_dramaha() -> None:
    model = to_the_draw()
    hand = model.hands[0]
    model.play(("discard", frozenset(hand[:1])))
    shown = model.chance_cards()[0]
    model.apply(shown)
    model.play(("keep",))
    assert model.hands[0] == [*hand[1:], shown]
    model = to_the_draw(one_card_face_up=False)
    model.play(("discard", frozenset(model.hands[0][:1])))
    model.apply(model.chance_cards()[0])
    assert model.player() == 1


def test_the_deck_never_runs_out_with_four_players() -> None:
    model = to_the_draw(players=4)
    for seat in range(4):
        model.play(("discard", frozenset(model.hands[seat])))
        let_cards_fall(model)
    assert model.reshuffles == 0


def test_a_reshuffle_holds_all_but_the_drawers_own_discards() -> None:
    """Eight players: 9 cards are left after the flop, two of them for turn and river."""
    model = to_the_draw(players=8)
    first = set(model.hands[0])
    model.play(("discard", frozenset(first)))
    let_cards_fall(model)
    assert len(model.stub) == 4
    second = set(model.hands[1])
    model.play(("discard", frozenset(second)))
    assert (model.player(), model.chance_cards()) == (CHANCE, sorted(model.stub))
    left = sorted(model.stub)
    model.apply(left[0])
    model.apply(left[1])
    assert model.stub == first | set(left[2:])
    assert not model.stub & second
    let_cards_fall(model)
    third = model.hands[2]
    model.play(("discard", frozenset(third[:1])))
    assert len(model.stub) == 2
    shown = model.chance_cards()[0]
    model.apply(shown)
    model.play(("reject",))
    assert len(model.stub) == 1
    let_cards_fall(model)
    model.play(("discard", frozenset(model.hands[3][:2])))
    assert model.stub == second | {third[0], shown}
    let_cards_fall(model)
    while model.player() != TERMINAL:
        if model.player() == CHANCE:
            shown_cards = model.chance_cards()
            assert shown_cards == [left[len(model.board) - 3]]
            model.apply(shown_cards[0])
        else:
            model.play(("discard", frozenset()) if model.phase == "discard" else ("check",))
    assert model.board[3:] == left[:2]


def test_folded_hands_come_back_with_a_reshuffle() -> None:
    model = sviten(players=8)
    folder = set(model.hands[2])
    play(model, (2, "fold"), *((p, "call") for p in (3, 4, 5, 6, 7, 0)), (1, "check"))
    play(model, *((p, "check") for p in (0, 1, 3, 4, 5, 6, 7)))
    model.play(("discard", frozenset(model.hands[0])))
    let_cards_fall(model)
    model.play(("discard", frozenset(model.hands[1][:3])))
    model.apply(model.chance_cards()[0])
    model.apply(model.chance_cards()[0])
    assert folder <= model.stub


def test_all_in_players_still_draw() -> None:
    model = sviten(stack=2, betting="no_limit")
    model.play(("call", 1))
    let_cards_fall(model)
    assert (model.player(), kinds(model)) == (0, {"discard"})


def test_too_small_a_deck_is_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        SvitenModel(players=9)
    SvitenModel(players=8)


# Svara: the known betting sequences. Seats L = 0, M = 1, D = 2.


def svara(**parameters: Any) -> SvaraModel:
    parameters = {"players": 3, "ante": 10, "stack": 1_000, "betting": "no_limit"} | parameters
    return SvaraModel(**parameters)


LOOK = ((0, "look"),)
L_WINS = ["AsAhAd", "KsQhJd", "KhQdJs"]


def to_showdown(model: SvaraModel, hands: list[str], *script: tuple) -> None:
    """Play a script, the cards of the deal falling as given."""
    for seat, *description in script:
        let_cards_fall(model, hands)
        play(model, (seat, *description))
    let_cards_fall(model, hands)


def test_b1_the_dealer_takes_the_antes_without_acting() -> None:
    model = svara()
    play(model, *LOOK, (0, "fold"), (1, "fold"))
    assert (model.player(), model.returns()) == (TERMINAL, BETTING["B1"]["returns"])


def test_b2_nobody_pays_the_price_of_a_blind() -> None:
    model = svara()
    play(model, (0, "blind", 10), (1, "look"), (1, "fold"), (2, "fold"))
    assert (model.player(), model.returns()) == (TERMINAL, BETTING["B2"]["returns"])


def test_b3_blinds_on_offer() -> None:
    model = svara()
    play(model, (0, "blind", 10))
    assert model.player() == 1
    totals = [d[1] for d in model.legal_actions().values() if d[0] == "blind"]
    assert totals == BETTING["B3"]["legal_blinds"]


def test_b4_blind_bets_count_toward_the_price() -> None:
    model = svara()
    play(model, (0, "blind", 10), (1, "blind", 20), (2, "look"))
    let_cards_fall(model)
    assert model.legal_actions()[1] == ("call", 40)
    play(model, (2, "call"))
    assert model.pot() == 100
    assert model.legal_actions()[1] == ("call", 30)
    play(model, (0, "fold"))
    assert model.legal_actions()[1] == ("call", 20)
    play(model, (1, "call"))
    assert sum(model.returns()) == 0
    assert sorted(model.returns()) == [-50, -20, 70]
    assert BETTING["B4"]["pot_at_showdown"] == 70 + 50


def test_b5_what_is_owed_after_a_raise() -> None:
    model = svara()
    play(model, (0, "blind", 10), (1, "look"), (1, "raise", 60))
    owed = BETTING["B5"]["owed"]
    assert (model.owed(2), model.owed(0)) == (owed["D"], owed["L"])
    assert model.player() == 2


def test_b6_there_is_no_check() -> None:
    model = svara()
    play(model, *LOOK)
    let_cards_fall(model)
    assert kinds(model) == {"fold", "raise"}
    assert raises(model)[0] == 10
    model = svara(allow_check=True)
    play(model, *LOOK)
    let_cards_fall(model)
    assert kinds(model) == {"check", "raise"}


def test_b7_the_last_to_act_may_raise() -> None:
    model = svara()
    play(model, *LOOK, (0, "raise", 10), (1, "fold"), (2, "raise", 20))
    assert model.player() == 0
    assert model.legal_actions()[1] == ("call", 10)


def test_b8_two_join_a_svarka_for_half_the_pot_each() -> None:
    model = svara(players=4)
    tie = ["AsAhKd", "AdAcQd", "8s9hTd", "8d9cJh"]
    to_showdown(model, tie, *LOOK, (0, "raise", 130), (1, "call"), (2, "fold"), (3, "fold"))
    assert (model.pot(), model.player()) == (300, 2)
    for seat, price, pot in zip((2, 3), BETTING["B8"]["buy_in"], (450, 600), strict=True):
        assert model.player() == seat
        model.play(("join", price))
        assert model.pot() == pot
    assert BETTING["B8"]["pot_after"] == [450, 600]
    assert (model.dealer, model.participants) == (0, {0, 1, 2, 3})
    assert model.player() == 1


def test_b9_the_buy_in_is_rounded_up() -> None:
    for rounding, price in (("up", 34), ("down", 33), ("nearest", 33)):
        model = svara(players=4, buyin_rounding=rounding)
        tie = ["9sTs8h", "KsQhJd", "9dTd8c", "9cTc8d"]
        to_showdown(
            model,
            tie,
            *LOOK,
            (0, "raise", 20),
            (1, "fold"),
            (2, "call"),
            (3, "call"),
        )
        assert model.pot() == 100
        assert model.player() == 1
        assert ("join", price) in model.legal_actions().values()
    assert BETTING["B9"]["buy_in"] == [34]


def test_b10_a_svarka_without_chips_is_dealt_and_shown() -> None:
    model = svara(players=2, stack=10)
    for fall in cards("AsAdAhAcKdQd"):
        model.apply(fall)
    assert (model.deals, model.player(), model.pot()) == (2, CHANCE, 20)
    assert len(model.chance_cards()) == 32
    while model.deals == 2 and model.player() == CHANCE:
        dealt = sum(len(hand) for hand in model.hands.values())
        model.apply(cards("8s7h9d7dTc7s")[dealt])
    assert (model.player(), model.returns()) == (TERMINAL, [10, -10])


def test_b11_heads_up_the_other_player_opens() -> None:
    model = svara(players=2)
    assert model.player() == 0
    play(model, *LOOK)
    let_cards_fall(model)
    assert (model.dealer, model.player()) == (1, 0)


def test_b12_a_short_call_lowers_no_price_and_is_not_answered() -> None:
    model = svara(stacks="1000 30 1000")
    to_showdown(model, L_WINS, *LOOK, (0, "raise", 50), (1, "call"))
    assert (model.player(), model.legal_actions()[1]) == (2, ("call", 50))
    play(model, (2, "call"))
    assert (model.player(), model.returns()) == (TERMINAL, [90, -30, -60])


def test_b12_a_short_raise_is_not_a_raise_for_those_who_have_acted() -> None:
    model = svara(stacks="1000 65 1000")
    to_showdown(model, L_WINS, *LOOK, (0, "raise", 50), (1, "raise", 55), (2, "call"))
    assert (model.player(), kinds(model)) == (0, {"fold", "call"})
    assert model.legal_actions()[1] == ("call", 5)


def test_b13_a_look_ends_the_blind_phase_only() -> None:
    model = svara()
    play(model, (0, "blind", 10), (1, "look"))
    let_cards_fall(model)
    assert (model.player(), model.deals) == (1, 1)
    legal = set(model.legal_actions().values())
    assert {("fold",), ("call", 20), ("raise", 30)} <= legal
    assert ("raise", 29) not in legal


# Svara: limits, all-ins, pots


def test_if_all_bet_blind_the_left_of_the_dealer_opens() -> None:
    model = svara()
    play(model, (0, "blind", 10), (1, "blind", 30), (2, "blind", 60))
    let_cards_fall(model)
    assert model.player() == 0
    assert model.legal_actions()[1] == ("call", 110)


def test_fixed_limit_units() -> None:
    model = SvaraModel()
    play(model, (0, "look"), (0, "raise", 1), (1, "raise", 2), (0, "raise", 3), (1, "raise", 4))
    assert kinds(model) == {"fold", "call"}
    model = SvaraModel()
    play(model, (0, "blind", 1), (1, "look"))
    let_cards_fall(model)
    for seat, total in ((1, 4), (0, 6), (1, 8)):
        assert raises(model) == [total]
        play(model, (seat, "raise", total))
    assert kinds(model) == {"fold", "call"}


def test_pot_limit_counts_the_carried_pot() -> None:
    model = svara(players=2, betting="pot_limit")
    to_showdown(model, ["AsAhKd", "AdAcQd"], *LOOK, (0, "raise", 20), (1, "call"))
    assert model.pot() == 60
    play(model, (1, "look"))
    let_cards_fall(model)
    assert (model.player(), max(raises(model))) == (1, 60)


def test_a_blind_that_cannot_be_paid_is_not_offered() -> None:
    model = svara(stacks="1000 35 1000")
    play(model, (0, "blind", 10))
    assert set(model.legal_actions().values()) == {("look",), ("blind", 20)}
    model = svara(stacks="1000 25 1000")
    play(model, (0, "blind", 10))
    assert (model.player(), model.phase) == (CHANCE, "deal")
    let_cards_fall(model)
    assert model.player() == 1
    assert model.legal_actions()[1] == ("call", 15)


def test_an_opening_bet_may_be_all_in_for_less() -> None:
    model = svara(stacks="14 1000 1000")
    let_cards_fall(model)
    assert set(model.legal_actions().values()) == {("fold",), ("raise", 4)}


def test_a_side_pot_that_is_tied_has_its_own_svarka() -> None:
    model = svara(stacks="30 1000 1000")
    hands = ["KsKhKd", "AsAhKc", "AdAcQd"]
    to_showdown(model, hands, (0, "look"), (0, "raise", 20), (1, "raise", 50), (2, "call"))
    assert model.stacks()[0] == 90
    assert (model.pot(), model.participants, model.dealer) == (60, {1, 2}, 1)
    assert model.player() == 2


def test_at_the_bound_of_svarkas_the_tied_share() -> None:
    model = svara(max_svarkas=0, ante=3)
    hands = ["AsAhKd", "8s9hTd", "AdAcQd"]
    to_showdown(model, hands, *LOOK, (0, "raise", 10), (1, "fold"), (2, "call"))
    assert (model.player(), model.returns()) == (TERMINAL, [2, -3, 1])


def test_a_svarka_asks_no_new_ante_unless_told() -> None:
    for svarka_ante, pot in ((False, 60), (True, 80)):
        model = svara(players=2, svarka_ante=svarka_ante)
        to_showdown(model, ["AsAhKd", "AdAcQd"], *LOOK, (0, "raise", 20), (1, "call"))
        assert model.pot() == pot


# Random play


def play_at_random(model: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    chips = sum(model.stacks()) + model.pot()
    while model.player() != TERMINAL:
        assert sum(model.stacks()) + model.pot() == chips
        assert min(model.stacks()) >= 0
        legal = model.legal_actions()
        assert (model.player() == CHANCE) == (not legal)
        assert list(legal) == sorted(legal)
        assert len(set(legal.values())) == len(legal)
        step(model, rng)
    assert model.pot() == 0
    assert sum(model.stacks()) == chips
    assert sum(model.returns()) == 0


@settings(deadline=None, max_examples=300)
@given(svara_parameters(), st.integers(0, 2**32 - 1))
def test_svara_loses_no_chips(parameters: dict[str, Any], seed: int) -> None:
    play_at_random(SvaraModel(**parameters), seed)


@settings(deadline=None, max_examples=300)
@given(sviten_parameters(), st.integers(0, 2**32 - 1))
def test_sviten_loses_no_chips(parameters: dict[str, Any], seed: int) -> None:
    model = SvitenModel(**parameters)
    play_at_random(model, seed)
    held = [c for p in model.live for c in model.hands[p]] + model.board
    assert len(held) == len(set(held))


def test_card_numbers() -> None:
    assert card("7c") == JOKER
    assert text(cards("2c2dAs")) == "2c2dAs"
