"""The study of a solved game: its numbers against counts over all deals, its words, its page."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from pokerspiel.experiments import study_figures as figures
from pokerspiel.experiments.output import json_text
from pokerspiel.experiments.study import describe_at, print_at, write_report
from pokerspiel.experiments.study_figures import Solution
from pokerspiel.experiments.study_page import rule_of_thumb, study_html
from pokerspiel.experiments.study_words import (
    FOLD,
    SHOWDOWN,
    TIE,
    chips_in,
    final_pot,
    find_decision,
    meaning,
    met,
    situation,
    steps,
    words_of,
)
from pokerspiel.games.cards import parse_cards
from pokerspiel.games.deals import NO_NODE, NOT_PLAYED_OFF, Deal
from pokerspiel.solvers.chart import DealStrategy
from pokerspiel.solvers.vector import evaluate_chain
from tests.small_decks import (
    SMALL_DECKS,
    chain_of,
    form_of,
    normalised_rows,
    random_deal_strategy,
    solved,
)

THREE_CARDS = "svara(stack=4,ranks=789A,suits=cdh)"
BOUND = "mini_svara(stack=14,max_svarkas=9,max_raises=1,ranks=7A)"
"""More ties are possible than are played off."""
GAMES = (*SMALL_DECKS, THREE_CARDS, BOUND)


def solution_of(game: str, strategy: DealStrategy) -> Solution:
    chain = chain_of(game)
    return Solution(chain, strategy, evaluate_chain(form_of(game), strategy), "mine", 1)


@lru_cache(maxsize=64)
def at_random(game: str) -> Solution:
    """Strategies at random; in the game BOUND they are likely to bet one chip and to call."""
    chain = chain_of(game)
    strategy = random_deal_strategy(chain, 3)
    if game == BOUND:
        for deal, rows in zip(chain.deals, strategy, strict=True):
            rows[[word in ("look", "b1", "c") for word in deal.word]] += 20.0
            rows[:] = normalised_rows(deal, rows)
    return solution_of(game, strategy)


@lru_cache(maxsize=8)
def nearly_solved(game: str) -> Solution:
    return solution_of(game, solved(game, 100))


# An independent count: every pair of hands is dealt, and walks down the tree of a deal.

Chances = dict[tuple[int, int], float]


@lru_cache(maxsize=64)
def pairs_dealt(game: str) -> dict[tuple[int, int], float]:
    """Chance of the classes of two hands."""
    hands = chain_of(game).hands
    cards = [frozenset(hand.tolist()) for hand in hands.all_cards]
    classes = hands.hand_class.tolist()
    dealt = Counter(
        (classes[i], classes[j])
        for i, mine in enumerate(cards)
        for j, theirs in enumerate(cards)
        if not mine & theirs
    )
    return {pair: count / dealt.total() for pair, count in dealt.items()}


@lru_cache(maxsize=256)
def counted(game: str, number: int) -> tuple[Chances, Chances]:
    """Chances of (node, class of who decides) and of (leaf, outcome), strategies at random."""
    solution = at_random(game)
    deal, strategy = solution.chain.deals[number], solution.strategy[number]
    score = solution.chain.hands.score
    leaf_of = {row: leaf for leaf, row in enumerate(deal.leaf_row.tolist())}
    at_node: Chances = {}
    at_leaf: Chances = {}

    def walk(row: int, held: tuple[int, int], chance: float) -> None:
        node = (0 if deal.nodes else NO_NODE) if row < 0 else int(deal.child[row])
        if node == NO_NODE:
            mine, theirs = (int(score[one]) for one in held)
            rank = (int(mine < theirs), int(theirs < mine))
            key = (leaf_of[row], solution.chain.outcomes.index(rank))
            at_leaf[key] = at_leaf.get(key, 0.0) + chance
            return
        own = held[int(deal.place[node])]
        at_node[node, own] = at_node.get((node, own), 0.0) + chance
        for after in range(deal.first_row[node], deal.first_row[node + 1]):
            walk(after, held, chance * float(strategy[after, own]))

    for held, chance in pairs_dealt(game).items():
        walk(-1, held, chance)
    return at_node, at_leaf


@lru_cache(maxsize=64)
def played_out(game: str) -> tuple[dict[tuple[int, int], float], float]:
    """(How often each (ties, deal) comes up, mean of the last pot), followed tie by tie."""
    chain = chain_of(game)
    comes: dict[tuple[int, int], float] = {}
    pots = [0.0]

    def follow(number: int, ties: int, chance: float) -> None:
        comes[ties, number] = comes.get((ties, number), 0.0) + chance
        deal = chain.deals[number]
        onward: dict[int, float] = {}
        for (leaf, outcome), share in counted(game, number)[1].items():
            follower = int(deal.follower[leaf, outcome])
            if follower == NOT_PLAYED_OFF or ties == chain.svarkas:
                pots[0] += chance * share * final_pot(deal, int(deal.leaf_row[leaf]))
            else:
                onward[follower] = onward.get(follower, 0.0) + share
        for follower, share in onward.items():
            if chance * share > 0.0:
                follow(follower, ties + 1, chance * share)

    follow(0, 0, 1.0)
    return comes, pots[0]


@pytest.mark.parametrize("game", GAMES)
def test_decisions_are_met_as_often_as_counted(game: str) -> None:
    solution = at_random(game)
    for number in {0, len(solution.chain.deals) - 1}:
        at_node, _ = counted(game, number)
        for node in range(solution.chain.deals[number].nodes):
            one = figures.decision(solution, number, node)
            wanted = [at_node.get((node, c), 0.0) for c in range(solution.chain.hands.classes)]
            assert one.arrives == pytest.approx(wanted, abs=1e-12)
            assert one.chance == pytest.approx(sum(wanted), abs=1e-12)


@pytest.mark.parametrize("game", GAMES)
def test_deals_end_as_often_as_counted(game: str) -> None:
    solution = at_random(game)
    for number, ends in enumerate(solution.ends):
        wanted = np.zeros(ends.shape)
        for key, chance in counted(game, number)[1].items():
            wanted[key] = chance
        assert ends == pytest.approx(wanted, abs=1e-12)
        assert ends.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("game", GAMES)
def test_svarkas_come_up_as_often_as_followed_tie_by_tie(game: str) -> None:
    solution = at_random(game)
    comes, pot = played_out(game)
    wanted = np.zeros(solution.rounds.shape)
    for key, chance in comes.items():
        wanted[key] = chance
    assert solution.rounds == pytest.approx(wanted, abs=1e-12)
    assert game != BOUND or solution.rounds[-1].sum() > 1e-4
    assert solution.played == pytest.approx(wanted.sum(axis=0), abs=1e-12)
    assert figures.svarkas_per_hand(solution) == pytest.approx(wanted[1:].sum(), abs=1e-12)
    assert figures.mean_final_pot(solution) == pytest.approx(pot, rel=1e-9)


@pytest.mark.parametrize("game", GAMES)
def test_frequencies_by_score_are_means_over_the_hands_that_the_player_brings_there(
    game: str,
) -> None:
    solution = at_random(game)
    hands, deal, rows = solution.chain.hands, solution.chain.deals[0], solution.strategy[0]
    for one in figures.decisions(solution):
        own = _own_rows(deal, one.node)
        weights = [hands.count[c] * np.prod(rows[own, c]) for c in range(hands.classes)]
        if sum(weights) == 0.0:
            weights = hands.count.tolist()
        for place, score in enumerate(one.scores):
            some = [c for c in range(hands.classes) if hands.score[c] == score]
            weight = [weights[c] for c in some]
            if sum(weight) == 0.0:
                assert np.isnan(one.by_score[:, place]).all()
                continue
            first, end = deal.first_row[one.node : one.node + 2]
            for action, row in enumerate(range(first, end)):
                wanted = sum(w * rows[row, c] for w, c in zip(weight, some, strict=True))
                assert one.by_score[action, place] == pytest.approx(wanted / sum(weight))
        assert one.held.sum() == pytest.approx(1.0)


def _own_rows(deal: Deal, node: int) -> list[int]:
    """The rows that the player of a decision has taken before."""
    rows, place = [], deal.place[node]
    while (row := int(deal.parent[node])) >= 0:
        node = deal.node_of_row(row)
        if deal.place[node] == place:
            rows.append(row)
    return rows


def test_decisions_come_in_the_order_in_which_they_are_met() -> None:
    chances = [one.chance for one in figures.decisions(at_random(THREE_CARDS))]
    assert chances == sorted(chances, reverse=True) and len(chances) > 5


@pytest.mark.parametrize("game", GAMES)
def test_the_ends_of_the_first_deal_pay_what_the_evaluation_says(game: str) -> None:
    solution = at_random(game)
    values = figures.values_of_first(solution, solution.strategy[0])
    assert values == pytest.approx(solution.evaluation.game.values, abs=1e-9)


@pytest.mark.parametrize("game", ("mini_svara", THREE_CARDS))
def test_a_blind_choice_is_worth_what_a_strategy_that_always_takes_it_wins(game: str) -> None:
    solution = at_random(game)
    deal = solution.chain.deals[0]
    choices = figures.blind_choices(solution)
    assert [deal.path(node) for node in choices] == [(), ("blind1",)]
    for node, some in choices.items():
        for one in some:
            forced = [rows.copy() for rows in solution.strategy]
            for word, at in [(one.word, node)] if node == 0 else [(one.word, node), ("blind1", 0)]:
                first, end = deal.first_row[at : at + 2]
                forced[0][first:end] = 0.0
                forced[0][first + words_of(deal, at).index(word)] = 1.0
            values = evaluate_chain(form_of(game), forced).game.values
            assert one.worth == pytest.approx(values[deal.place[node]])
            row = deal.first_row[node] + words_of(deal, node).index(one.word)
            assert one.frequency == solution.strategy[0][row, 0]


def test_blind_bets_by_pot_are_those_of_each_deal() -> None:
    solution = at_random(THREE_CARDS)
    blind = figures.blind_by_pot(solution)
    assert [one.path for one in blind] == [(), ("blind1",)]
    for column, pot in enumerate(blind[0].pots):
        number = find_decision(solution.chain, f"pot {pot}:").deal
        deal = solution.chain.deals[number]
        words = dict(zip(blind[0].words, blind[0].frequency[:, column], strict=True))
        for row, word in enumerate(words_of(deal, 0)):
            assert words[word] == pytest.approx(solution.strategy[number][row, 0])


def test_deals_of_the_same_pot_count_as_often_as_they_are_played() -> None:
    solution = at_random("mini_svara(stack=4,max_raises=1,max_svarkas=2)")
    pots = figures.svara_pots(solution)
    of_deal = [deal.pot for deal in solution.chain.deals]
    assert len(set(of_deal)) < len(of_deal)
    for pot, value, played in zip(pots.pots, pots.first, pots.played, strict=True):
        some = [i for i, other in enumerate(of_deal) if other == pot]
        times = [solution.played[i] for i in some]
        total = sum(t * solution.evaluation.values[i, 0] for t, i in zip(times, some, strict=True))
        assert played == pytest.approx(sum(times))
        assert value == pytest.approx(total / sum(times))
    assert pots.share == pytest.approx(pots.first / pots.pots)


@pytest.mark.parametrize("game", ("mini_svara", THREE_CARDS))
def test_ways_to_end_add_up_to_what_is_counted(game: str) -> None:
    solution = at_random(game)
    deal = solution.chain.deals[0]
    folds = ties = wins = 0.0
    for (leaf, outcome), chance in counted(game, 0)[1].items():
        if deal.word[deal.leaf_row[leaf]] == "f":
            folds += chance
        elif outcome == solution.chain.tie:
            ties += chance
        else:
            wins += chance
    found = figures.endings_of_first(solution)
    for kind, wanted in ((FOLD, folds), (TIE, ties), (SHOWDOWN, wins)):
        total = sum(end.chance for end in found if end.kind[0] == kind)
        assert total == pytest.approx(wanted, abs=1e-12)
    assert sum(end.chance for end in figures.endings_of_svarkas(solution)) == pytest.approx(1.0)
    unbet = next(end for end in found if end.kind == (FOLD, "first", "nothing"))
    assert unbet.pot == pytest.approx(deal.pot)


def test_hands_of_one_score_are_set_against_each_other_where_they_differ_most() -> None:
    solution = at_random(THREE_CARDS)
    some = figures.decisions(solution)
    found = figures.contrasts(solution, some, 1000)
    assert [one.importance for one in found] == sorted(
        (one.importance for one in found), reverse=True
    )
    first = found[0]
    weight = [float(first.decision.arrives[c]) for c in first.classes]
    variance = 0.0
    for row in first.decision.behaviour:
        chances = [float(row[c]) for c in first.classes]
        mean = sum(w * p for w, p in zip(weight, chances, strict=True)) / sum(weight)
        variance += sum(w * (p - mean) ** 2 for w, p in zip(weight, chances, strict=True))
    assert first.importance == pytest.approx(variance)
    assert set(solution.chain.hands.score[first.classes]) == {first.score}
    assert list(first.frequency) == sorted(first.frequency)
    two = figures.contrasts(solution, some, 2)
    assert [one.importance for one in two] == [one.importance for one in found[:2]]


@pytest.mark.parametrize("game", ("mini_svara", THREE_CARDS))
def test_a_row_of_the_house_rules_holds_what_the_game_shows(game: str) -> None:
    solution = nearly_solved(game)
    row = figures.sensitivity_row("joker_mode=sum_all", solution)
    hands, first = solution.chain.hands, solution.strategy[0]
    bet = sum(first[3] * hands.count) / hands.count.sum()
    assert solution.chain.deals[0].word[:4] == ("look", "blind1", "f", "b1")
    assert row == {
        "change": "joker_mode=sum_all",
        "value": pytest.approx(solution.evaluation.game.values[0]),
        "exploitability": pytest.approx(solution.evaluation.game.exploitability),
        "blind_first": pytest.approx(first[1, 0]),
        "bet_rate": pytest.approx(bet),
    }


def test_a_game_without_blind_bets_has_none() -> None:
    solution = nearly_solved("mini_svara(stack=9,max_raises=3,blind_phase=False,max_svarkas=2)")
    row = figures.sensitivity_row("blind_phase=False", solution)
    assert row["blind_first"] == 0.0
    first = solution.strategy[0][solution.chain.deals[0].word.index("b1")]
    assert row["bet_rate"] == pytest.approx(np.average(first, weights=solution.chain.hands.count))


@pytest.mark.parametrize(
    ("chance", "says"),
    (
        (0.0, "never met"),
        (0.004, "met once in 250 hands"),
        (1 / 40_000, "met once in 40 thousand hands"),
        (0.8, "met in 80 % of the hands"),
        (0.999, "met in over 99 % of the hands"),
    ),
)
def test_chances_are_told_in_words(chance: float, says: str) -> None:
    assert met(chance) == says


# Words.


@pytest.mark.parametrize("game", [game for game in GAMES if "svarka_ante" not in game])
def test_chips_in_the_pot_are_those_that_a_svarka_is_played_for(game: str) -> None:
    chain = chain_of(game)
    ties = 0
    for deal in chain.deals:
        for row, followers in zip(deal.leaf_row, deal.follower, strict=True):
            if followers[chain.tie] != NOT_PLAYED_OFF:
                ties += 1
                assert final_pot(deal, int(row)) == chain.deals[followers[chain.tie]].pot
    assert ties > 0 or chain.svarkas == 0


@pytest.mark.parametrize("game", GAMES)
def test_who_folds_loses_the_chips_that_the_words_say(game: str) -> None:
    chain = chain_of(game)
    for deal in chain.deals:
        for leaf, row in enumerate(deal.leaf_row):
            taken = steps(deal, int(row))
            if taken and taken[-1][1] == "f":
                place = taken[-1][0]
                left = deal.stacks[place] - chips_in(deal, int(row))[place]
                assert deal.payoff[leaf, 0, place] == left


def test_every_decision_is_found_by_its_path() -> None:
    chain = chain_of(THREE_CARDS)
    for number, deal in enumerate(chain.deals):
        for node in range(deal.nodes):
            text = " ".join(deal.path(node))
            spot = find_decision(chain, f"pot {deal.pot}: {text}")
            assert (spot.deal, spot.node) == (number, node)
            short = re.sub(r"^look ", "", text) if text != "look" else text
            spot = find_decision(chain, f"POT {deal.pot}:" + short.upper().replace(" ", ", "))
            assert (spot.deal, spot.node) == (number, node)


@pytest.mark.parametrize(
    ("text", "full"),
    (
        ("", ""),
        ("look", "look"),
        ("b1", "look b1"),
        ("Bet 1, raise to 2", "look b1 r2"),
        ("blind 1 blind 2", "blind1 blind2"),
        ("blind1 call", "blind1 look c"),
        ("look b1 c svarka", "look b1 c svarka"),
        ("b1 c svarka b1", "look b1 c svarka look b1"),
        ("pot 4: b1", "pot 4: look b1"),
    ),
)
def test_what_is_clear_may_be_left_out(text: str, full: str) -> None:
    spot = find_decision(chain_of(THREE_CARDS), text)
    assert spot.text == full
    assert (spot.deal > 0) == ("svarka" in full or "pot" in full)


def test_after_a_tie_the_next_deal_has_the_pot_of_both() -> None:
    chain = chain_of(THREE_CARDS)
    tied = find_decision(chain, "b1 c svarka look")
    assert tied.deal == find_decision(chain, "pot 4: look").deal
    assert chain.deals[tied.deal].pot == 4


@pytest.mark.parametrize(
    ("text", "says"),
    (
        ("b7", "'b7' is not possible at the beginning: write one of look, blind1 (or, looking"),
        ("b1 b2", "'b2' is not possible after 'look b1': write one of f, c, r2"),
        ("blind1 b1", "write one of look, blind2, blind3"),
        ("f", "nobody decides anything after 'look f': the hand is over"),
        ("f svarka", "'svarka' is not possible after 'look f': the hand is over"),
        ("b1 c", "only 'svarka' goes on, after a tie"),
        ("b1 c f", "'f' is not possible after 'look b1 c': the hands are shown"),
        ("pot 5: look", "'pot 5' begins no deal: write 'pot N:' with N one of 2, 4, 6"),
        ("chips: look", "'chips' begins no deal"),
    ),
)
def test_a_word_that_is_not_possible_is_refused_with_those_that_are(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)) as refused:
        find_decision(chain_of(THREE_CARDS), text)
    assert "\n" not in str(refused.value)


def test_a_pot_that_several_deals_have_is_refused() -> None:
    chain = chain_of("mini_svara(stack=4,max_raises=1,max_svarkas=2)")
    pots = Counter(deal.pot for deal in chain.deals)
    pot = next(pot for pot, count in pots.items() if count > 1)
    with pytest.raises(ValueError, match=f"{pots[pot]} deals begin with a pot of {pot}"):
        find_decision(chain, f"pot {pot}:")


def _told(game: str, text: str) -> str:
    chain = chain_of(game)
    spot = find_decision(chain, text)
    return situation(chain.deals[spot.deal], spot.node)


def test_situations_are_told_to_the_player_who_decides() -> None:
    assert _told(THREE_CARDS, "") == "You are first and have not looked: nothing is bet yet"
    assert _told(THREE_CARDS, "look") == "You are first and have looked: nothing is bet yet"
    assert _told(THREE_CARDS, "b1") == "You deal: the first player bet 1"
    assert _told(THREE_CARDS, "b1 r2") == "You are first: you bet 1, the dealer raised to 2"
    assert _told(THREE_CARDS, "blind1") == (
        "You deal and have not looked: the first player bet 1 blind"
    )
    assert _told(THREE_CARDS, "blind1 c") == (
        "You are first: you bet 1 blind, the dealer looked and called"
    )


@pytest.mark.parametrize("game", GAMES)
def test_no_two_decisions_of_a_deal_are_told_alike(game: str) -> None:
    for deal in chain_of(game).deals:
        told = [situation(deal, node) for node in range(deal.nodes)]
        assert len(set(told)) == len(told)
        assert all(meaning(word) for word in deal.word)


# One decision.


def test_a_decision_is_described_with_its_pot_and_its_price() -> None:
    solution = nearly_solved(THREE_CARDS)
    found = describe_at(solution, "b1")
    assert json.loads(json_text(found)) == found
    assert (found["pot"], found["to_call"], found["place"]) == (3, 1, "dealer")
    assert found["deal_chance"] == 1.0 and 0.0 < found["chance"] < 1.0
    assert [action["word"] for action in found["actions"]] == ["f", "c", "r2"]
    assert sum(action["frequency"] for action in found["actions"]) == pytest.approx(1.0)
    assert sum(row["held"] for row in found["scores"]) == pytest.approx(1.0)
    assert sum(row["count"] for row in found["hands"]) == 220
    for row in found["hands"]:
        assert len(parse_cards(row["hand"])) == 3
        assert sum(row["frequency"].values()) == pytest.approx(1.0)
    blind = describe_at(solution, "blind1 blind2")
    assert (blind["pot"], blind["to_call"], blind["looked"]) == (5, 2, True)
    tied = describe_at(solution, "pot 4: look")
    number = find_decision(solution.chain, "pot 4:").deal
    assert tied["deal_chance"] == pytest.approx(solution.played[number])


def test_a_decision_before_the_cards_are_seen_has_no_scores() -> None:
    found = describe_at(nearly_solved(THREE_CARDS), "")
    assert found["scores"] == found["hands"] == [] and not found["looked"]


def test_a_decision_is_printed_score_by_score(capsys: pytest.CaptureFixture[str]) -> None:
    found = describe_at(nearly_solved(THREE_CARDS), "b1")
    print_at(found)
    printed = capsys.readouterr().out
    assert "You deal: the first player bet 1. Pot 3, 1 to call; met " in printed
    for row in found["scores"]:
        line = next(line for line in printed.splitlines() if line.startswith(f"│ {row['score']}"))
        assert all(f"{chance:.1%}" in line for chance in row["frequency"].values())


# The page.

SECTIONS = (
    "When to bet blind",
    "What to do with how many points",
    "Same points, different hand",
    "What the place is worth",
    "What a svarka is worth",
    "How a hand ends",
    "How it was made",
)


def _page(game: str) -> str:
    solution = nearly_solved(game)
    return study_html(solution, [figures.sensitivity_row("ante=2", at_random(game))])


@pytest.fixture(scope="module")
def page() -> str:
    return _page(THREE_CARDS)


def test_the_page_has_every_section_in_order(page: str) -> None:
    titles = re.findall("<h2>(.*?)</h2>", page)
    assert tuple(title for title in titles if title != "What the house rules change") == SECTIONS
    assert titles[-2] == "What the house rules change"


def test_the_page_needs_nothing_else(page: str) -> None:
    outside = re.findall(r"""(?:src|href)=["'](?!#)|url\((?!#)|@import|<script""", page)
    assert outside == []


def test_the_pictures_are_whole_and_take_their_colours_from_the_page(page: str) -> None:
    drawings = re.findall("<svg.*?</svg>", page, re.DOTALL)
    assert len(drawings) > 15
    for drawing in drawings:
        assert ElementTree.fromstring(drawing).get("aria-label")
        assert not re.search("(fill|stroke): #", drawing)
    for name in set(re.findall(r"var\(--([a-z0-9]+)\)", page)):
        assert page.count(f"--{name}: #") == 2 or name == "c"


def test_the_page_shows_the_figures_of_the_solution(page: str) -> None:
    solution = nearly_solved(THREE_CARDS)
    value = figures.first_value(solution)
    assert f"{value:+.3f}".replace("-", "−") in page and f"{-value:+.3f}" in page
    assert f"{figures.exploitability(solution):.3e}" in page
    assert ">220<" in page


def test_a_page_without_house_rules_has_no_section_on_them() -> None:
    assert "What the house rules change" not in study_html(nearly_solved("mini_svara"), [])


@pytest.mark.parametrize(
    "game",
    (
        "mini_svara(stack=9,max_raises=3,blind_phase=False,max_svarkas=2)",
        "mini_svara(stacks=3 7,betting=no_limit,ranks=7A,max_svarkas=2)",
        "mini_svara(stack=3,hole_cards=3,suits=chs,ranks=7KA,max_svarkas=0)",
        "mini_svara(stack=1)",
    ),
)
def test_other_rules_have_a_page_too(game: str) -> None:
    titles = re.findall("<h2>(.*?)</h2>", _page(game))
    assert titles[-1] == "How it was made"
    assert ("When to bet blind" in titles) == ("blind_phase" not in game and "stack=1" not in game)
    assert ("What a svarka is worth" in titles) == (len(chain_of(game).deals) > 1)


def test_a_rule_of_thumb_names_the_most_frequent_action_of_every_score() -> None:
    solution = nearly_solved(THREE_CARDS)
    one = figures.decision(solution, 0, find_decision(solution.chain, "look").node)
    text = rule_of_thumb(one)
    for i, score in enumerate(one.scores):
        action = meaning(one.words[int(one.by_score[:, i].argmax())])
        assert int(score) in _scores_with(text, action, [int(s) for s in one.scores])


def _scores_with(text: str, action: str, scores: list[int]) -> set[int]:
    """The scores that a rule of thumb names for an action."""
    part = re.search(rf"{action} with ([\d toand,]+?)(?:, [a-z]|\.)", text)
    assert part is not None, text
    spans = re.findall(r"(\d+)(?: to (\d+))?", part[1])
    return {s for low, high in spans for s in scores if int(low) <= s <= int(high or low)}


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "study.html"
    with pytest.raises(KeyError):
        write_report(nearly_solved("mini_svara"), path, [{"change": "nothing"}])
    assert list(tmp_path.iterdir()) == []
    write_report(nearly_solved("mini_svara"), path, [])
    assert path.read_text().startswith("<!doctype html>")
    assert path.read_text() == study_html(nearly_solved("mini_svara"), [])
