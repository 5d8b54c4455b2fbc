"""Advice: values against counts over a whole tree, nothing hidden matters, blunders are found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.exact_strategy import strategy_of
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.table.advice import advice
from pokerspiel.agents.table.adviser import adviser
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.playouts import estimate
from pokerspiel.agents.table.review import review, total_of
from pokerspiel.agents.table.seat_view import action_named
from pokerspiel.games.kernel import CHANCE
from pokerspiel.games.variants import load
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.lockstep import observation_size
from pokerspiel.solvers.network import SOFTMAX, new_network, weights_in
from pokerspiel.solvers.tree import Tree
from tests.small_decks import (
    TWO_SVARKAS,
    chain_of,
    chart_bot,
    exact_tree,
    lifted,
    random_deal_strategy,
    rounded,
)
from tests.some_agents import positions, random_bot
from tests.table import parse_cards_in_order

CHAINS = (
    "mini_svara",
    TWO_SVARKAS,
    "mini_svara(stacks=3 7,betting=no_limit,ranks=7A,max_svarkas=2)",
    "mini_svara(stack=3,allow_check=True,max_raises=1,ranks=7A,max_svarkas=2)",
)


class Reference:
    """What actions are worth, by going through all nodes of the exact tree."""

    def __init__(self, tree: Tree, strategy: np.ndarray) -> None:
        self.tree = tree
        share = tree.chance.copy()
        for node in range(1, tree.nodes):
            above = int(tree.parent[node])
            if tree.turn[above] >= 0:
                place = node - int(tree.first_child[above])
                share[node] = strategy[tree.set_first[tree.information_set[above]] + place]
        self.value = np.zeros((tree.nodes, tree.players))
        self.value[tree.terminal] = tree.returns
        self.others = np.ones((tree.nodes, tree.players))
        for node in range(tree.nodes - 1, 0, -1):
            self.value[tree.parent[node]] += share[node] * self.value[node]
        for node in range(1, tree.nodes):
            above = int(tree.parent[node])
            acts = np.arange(tree.players) == tree.turn[above]
            self.others[node] = self.others[above] * np.where(acts, 1.0, share[node])
        self.sets = {int(key): i for i, key in enumerate(tree.set_key)}

    def values(self, key: int) -> np.ndarray | None:
        """[actions] at an information set; None if the others never play to it."""
        tree, i = self.tree, self.sets[key]
        seat = int(tree.set_player[i])
        nodes = np.flatnonzero(tree.information_set == i)
        weight = self.others[nodes, seat]
        if weight.sum() == 0.0:
            return None
        count = int(np.diff(tree.set_first)[i])
        children = tree.first_child[nodes].astype(int)[:, None] + np.arange(count)
        return np.asarray(weight @ self.value[children, seat] / weight.sum())


def hand_after(game: str, past: Sequence[int]) -> LiveHand:
    hand = LiveHand(load(game))
    for event in past:
        hand.play(event)
    return hand


def hand_of(game: str, cards: str, *actions: str) -> LiveHand:
    """A hand in which the cards fall in this order between the actions."""
    hand = LiveHand(load(game))
    deck = parse_cards_in_order(cards)
    for action in [*actions, None]:
        while hand.turn == CHANCE:
            hand.play(deck.pop(0))
        if action is not None:
            hand.play(action_named(hand.game, hand.states, action))
    return hand


def values_of(document: dict[str, Any]) -> list[float | None]:
    return [entry["value"] for entry in document["actions"]]


@lru_cache(maxsize=1)
def home() -> Agent:
    return find_agent("svara-home")


# Exact values.


@pytest.mark.parametrize("game", CHAINS)
def test_exact_values_are_those_of_the_whole_tree(game: str) -> None:
    strategy = rounded(chain_of(game), random_deal_strategy(chain_of(game), 4))
    bot = chart_bot(chain_of(game), strategy)
    reference = Reference(exact_tree(game), lifted(game, strategy))
    compared = blind = svarkas = 0
    for states, past in positions(load(game), 60, 3):
        seat = int(states[0]["turn"])
        document = advice(hand_after(game, past), seat, bot)
        expected = reference.values(adviser(bot, load(game)).seed_of(states))
        if expected is not None:
            assert document["exact"] and document["playouts"] is None
            assert values_of(document) == pytest.approx(expected.tolist(), abs=2e-6)
            compared += 1
            blind += states[0]["phase"] == 0
            svarkas += states[0]["svarkas"] > 0
    assert compared > 50 and blind > 20
    assert svarkas > 2 or "no_limit" in game  # there a tie is mostly one of all chips


def test_frequencies_are_the_bots() -> None:
    game = "mini_svara"
    bot = random_bot("mini_svara(abstraction=points)")
    for states, past in positions(load(game), 10, 5):
        expected = bot.sit(load(game)).distribution(states, past, 1)
        document = advice(hand_after(game, past), int(states[0]["turn"]), bot)
        found = [entry["frequency"] for entry in document["actions"]]
        assert found == pytest.approx(list(expected.values()), abs=1e-6)
        assert document["found"] in ("known", "only")


def test_a_decision_that_the_bot_does_not_know_is_said_to_be_missed() -> None:
    bot = random_bot("mini_svara(abstraction=points)", hands=1)
    found = {
        advice(hand_after("mini_svara", past), int(states[0]["turn"]), bot)["found"]
        for states, past in positions(load("mini_svara"), 10, 5)
    }
    assert found == {"known", "missed"}


def test_home_mixes_only_what_is_worth_nearly_the_same() -> None:
    """What a hand does now and then is as good as the best it can do, in equilibrium."""
    mixed = 0
    for seed in range(40):
        hand = LiveHand(load("svara"), seed)
        for name in ("look", "bet 1"):
            hand.play(action_named(hand.game, hand.states, name))
        document = advice(hand, hand.turn, home())
        best = max(entry["value"] for entry in document["actions"])
        taken = [entry for entry in document["actions"] if entry["frequency"] > 0.02]
        assert all(entry["value"] == pytest.approx(best, abs=1e-3) for entry in taken)
        mixed += len(taken) > 1
    assert mixed >= 3


def test_the_blind_decision_is_worth_what_the_game_is() -> None:
    """docs/svara.md: the first player loses 0.160 antes a hand."""
    hand = LiveHand(load("svara"), 1)
    document = advice(hand, hand.turn, home())
    look, blind = document["actions"]
    assert look["value"] == pytest.approx(-0.1600, abs=1e-4)
    assert look["frequency"] > 0.999 and blind["value"] < look["value"]
    assert document["best"] == "look" and document["unit"] == "ante"


def test_a_blind_bet_that_the_bot_never_makes_says_nothing_of_the_cards() -> None:
    """The answer to it is valued all the same, against all hands."""
    hand = LiveHand(load("svara"), 1)
    hand.play(action_named(hand.game, hand.states, "blind 1"))
    document = advice(hand, hand.turn, home())
    assert document["exact"] and None not in values_of(document)


def test_advice_is_refused_where_the_seat_is_not_to_act() -> None:
    hand = LiveHand(load("svara"), 1)
    with pytest.raises(ValueError, match="seat 1 is not to act after 0 steps"):
        advice(hand, 1, home())
    with pytest.raises(ValueError, match="step 5: the hand has 0 steps"):
        advice(hand, 0, home(), steps=5)
    with pytest.raises(ValueError, match="svara-home plays svara"):
        advice(LiveHand(load("kuhn"), 1), 0, home())


# Estimates.


@pytest.mark.parametrize(("game", "name"), [("mini_sviten", "table"), ("leduc", "random")])
def test_estimates_are_within_their_errors(game: str, name: str) -> None:
    """Of 40 or more values about 1 in 300 may be off by 3 errors, 1 in 10 by 1.64."""
    bot = random_bot(game) if name == "table" else BASELINES[name]()
    tree = compile_tree(game)
    reference = Reference(tree, strategy_of(bot, tree)[0])
    off: list[float] = []
    for states, past in positions(load(game), 9, 8):
        key = adviser(bot, load(game)).seed_of(states)
        expected = reference.values(key)
        document = advice(
            hand_after(game, past), int(states[0]["turn"]), bot, seconds=None, playouts=900
        )
        if expected is None or len(expected) < 2:
            continue
        assert not document["exact"] and document["playouts"] >= 900
        for entry, value in zip(document["actions"], expected, strict=True):
            if entry["error"] > 1e-9:
                off.append((entry["value"] - value) / entry["error"])
            else:
                assert entry["value"] == pytest.approx(value, abs=1e-6)
    assert len(off) >= 20
    assert np.abs(off).max() < 4.5
    assert 0.5 < np.std(off) < 1.6
    assert abs(np.mean(off)) < 0.7


def test_bad_actions_are_given_up_and_kept_ones_are_not() -> None:
    game, bot = load("sviten_special"), BASELINES["always-call"]()
    cards = "AsKhAdKcAc2hAhQd3c4d8c8d8h"
    hand = hand_of("sviten_special", cards, "call 1", "check", "check", "check")
    actions = hand.legal()
    assert len(actions) == 32
    stand = action_named(game, hand.states, "stand pat")
    all_aces = action_named(game, hand.states, "discard AcAdAhAs")
    found = estimate(
        game, bot.policy(game), hand.turn, hand.past, actions,
        seed=3, seconds=None, playouts=600, kept=[all_aces],
    )  # fmt: skip
    assert found is not None
    played = (~np.isnan(found.sums)).sum(axis=0)
    assert played[actions.index(all_aces)] == len(found.sums)
    assert played.min() < len(found.sums)
    difference, error = found.difference(stand, all_aces)
    assert difference > 4 * error
    kept = {game.action_name(hand.state, found.best)}
    assert kept <= {"stand pat", "discard 3c"}


def test_play_outs_can_be_interrupted() -> None:
    hand = LiveHand(load("sviten_special"), 1)
    document = advice(hand, hand.turn, BASELINES["always-call"](), stop=lambda: True)
    assert values_of(document) == [None] * 3 and document["playouts"] is None


def test_many_sizes_are_grouped_by_what_the_bot_does() -> None:
    game = "svara(stack=40,betting=no_limit)"
    hand = hand_of(game, "AsKhAdKc7c8h", "look")
    document = advice(hand, hand.turn, BASELINES["equity"](), seconds=None, playouts=40)
    spans = [entry for entry in document["actions"] if "max" in entry]
    assert sum(entry["frequency"] for entry in document["actions"]) == pytest.approx(1.0, abs=1e-4)
    assert len(document["actions"]) <= 14 and all(entry["value"] is None for entry in spans)
    random = advice(hand, hand.turn, BASELINES["random"](), seconds=None, playouts=40)
    (rest,) = [entry for entry in random["actions"] if "max" in entry]
    assert rest["frequency"] == pytest.approx((39 - 12) / 40, abs=0.02)


# Mixtures.


def test_a_mixture_is_judged_by_what_the_seat_has_done() -> None:
    """Of two networks, one that never bets and one that always does: a bet tells which it is."""
    game = load("leduc")
    sizes = [observation_size(game), game.limits.num_actions]
    weights = np.zeros((2, 1, weights_in(np.array(sizes))), np.float32)
    outputs = weights[:, 0, -sizes[1] :]
    outputs[0] = [0.0, 50.0, 0.0]
    outputs[1] = [0.0, 0.0, 50.0]
    bot = Bot("two", game, new_network(sizes, weights, SOFTMAX, [0.25, 1.0]), None)
    hand = LiveHand(game, 3)
    first = advice(hand, 0, bot, seconds=None, playouts=100)["actions"]
    assert [entry["frequency"] for entry in first] == pytest.approx([0.25, 0.75], abs=1e-4)
    for name in ("raise 2", "raise 2"):
        hand.play(action_named(game, hand.states, name))
    again = advice(hand, 0, bot, seconds=None, playouts=100)["actions"]
    assert again[1]["name"].startswith("call")
    assert again[1]["frequency"] == pytest.approx(0.0, abs=1e-4) or len(again) == 2


# What is hidden.


@pytest.mark.parametrize(
    ("game", "bot", "cards", "other", "actions"),
    [
        ("svara", "svara-home", "AsKhAdKc7c8h", "As9hAdTc7cQh", ["look", "bet 1", "raise to 2"]),
        ("svara(players=3)", "tight", "AsKhJsAdKcJd7c8hJh", "AsTh9sAdTc8d7c9h7h",
         ["look", "bet 1", "call 1", "raise to 2"]),
        ("mini_sviten", "random", "QcKcAc", "QcKhAc", []),
    ],
)  # fmt: skip
def test_hidden_cards_do_not_matter(
    game: str, bot: str, cards: str, other: str, actions: list[str]
) -> None:
    documents = []
    for deal in (cards, other):
        hand = LiveHand(load(game))
        deck = parse_cards_in_order(deal)
        names = list(actions)
        while True:
            while hand.turn == CHANCE and deck:
                hand.play(deck.pop(0))
            if not names:
                break
            hand.play(action_named(hand.game, hand.states, names.pop(0)))
        documents.append(
            advice(hand, hand.turn, find_agent(bot, load(game)), seconds=None, playouts=600)
        )
    assert documents[0] == documents[1]
    assert None not in values_of(documents[0])


# Reviews.


def test_a_planted_blunder_is_found() -> None:
    """Three sevens, the best hand of all, folded to a bet."""
    hand = hand_of("svara", "As7cAd7d8h7h", "look", "bet 1", "fold")
    document = review(hand, 1, home(), 5)
    assert document["exact"] and document["hand"] == 5 and document["error"] is None
    (worst,) = document["decisions"]
    assert worst["action"] == "fold" and worst["best"] == "raise to 2"
    assert worst["frequency"] == 0.0 and not worst["within_error"]
    assert "34 points" in worst["situation"] and "1 to call" in worst["situation"]
    assert worst["loss"] == pytest.approx(document["loss"]) and worst["loss"] > 2.0
    assert json.loads(json.dumps(document)) == document


def test_the_worst_decision_comes_first_and_losses_add_up() -> None:
    """The loss of a decision is what its document says of the actions."""
    hand = hand_of("svara", "AsKhAdKc7c8h", "blind 1", "blind 2", "fold")
    document = review(hand, 0, home())
    assert [d["action"] for d in document["decisions"]] == ["fold", "blind 1"]
    for decision in document["decisions"]:
        values = {entry["name"]: entry["value"] for entry in decision["actions"]}
        lost = max(values.values()) - values[decision["action"]]
        assert decision["loss"] == pytest.approx(lost, abs=1e-5)
    assert document["loss"] == pytest.approx(sum(d["loss"] for d in document["decisions"]))
    total = total_of([document, review(hand, 1, home(), 1)])
    assert total["hands"] == 2 and total["decisions"] == 3
    assert total["loss"] >= document["loss"] and total["worst"][0]["action"] == "fold"
    assert total["loss_per_hand"] == pytest.approx(500.0 * total["loss"], rel=1e-4)


def test_losses_within_their_error_say_so_and_do_not_count() -> None:
    """At random in Leduc: few play-outs hardly tell apart whether to check or to bet."""
    bot = BASELINES["random"]()
    noisy = []
    for seed in range(10):
        hand = LiveHand(load("leduc"), seed)
        while not hand.is_over:
            hand.play(hand.legal()[-1])
        document = review(hand, 0, bot, seconds=None, playouts=100)
        noisy += [d for d in document["decisions"] if d["within_error"]]
        counted = [d["loss"] for d in document["decisions"] if not d["within_error"]]
        assert document["loss"] == pytest.approx(sum(counted), abs=1e-5)
    assert noisy and all(0.0 < d["loss"] <= 2.0 * d["error"] for d in noisy)


def test_reviews_of_different_bots_are_not_added_up() -> None:
    hand = hand_of("svara", "As7cAd7d8h7h", "look", "bet 1", "fold")
    with pytest.raises(ValueError, match="expected a single game and a single bot"):
        total_of([review(hand, 1, home()), review(hand, 1, BASELINES["random"]())])
    assert total_of([])["loss_per_hand"] is None
