"""Strategies by buckets of hands: chances, values and best responses against trees and counting."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, permutations
from math import perm

import numpy as np
import pytest

from pokerspiel.games.deals import NO_CLASS, Hands
from pokerspiel.games.variants import load
from pokerspiel.solvers.algorithms import DISCOUNTING
from pokerspiel.solvers.best_response import Evaluation, evaluate
from pokerspiel.solvers.bucket_cfr import BucketCfr, lift
from pokerspiel.solvers.bucket_form import BucketForm
from pokerspiel.solvers.bucket_values import evaluate_buckets
from pokerspiel.solvers.joint import joint_chances, of_buckets
from pokerspiel.solvers.kernel_walk import walk_kernel_game
from pokerspiel.solvers.tree import Tree, make_tree
from pokerspiel.solvers.vector import ChainForm, VectorCfr, evaluate_chain
from tests.small_decks import chain_of

ONE_CARD = (
    "svara(abstraction=hands,players=3,stack=4,max_svarkas=1,hole_cards=1,ranks=78,suits=cdh)"
)
TWO_CARDS = (
    "svara(abstraction=hands,players=3,stack=3,max_svarkas=1,hole_cards=2,ranks=789,suits=cd)"
)
TWO_SVARKAS = (
    "svara(abstraction=hands,players=3,stack=5,max_svarkas=2,hole_cards=1,ranks=78,suits=cd)"
)
UNEQUAL = (
    "svara(abstraction=hands,players=3,stacks=2 2 5,max_svarkas=2,max_raises=1,"
    "hole_cards=1,ranks=78,suits=cdh)"
)
"""A player with chips may join when those without are tied."""
ANTES = (
    "svara(abstraction=hands,players=3,stacks=2 3 2,max_svarkas=1,svarka_ante=true,"
    "blind_phase=false,max_raises=0,hole_cards=1,ranks=89T,suits=cd)"
)
"""Who is left with a chip has paid the ante of the svarka or not."""
TWO_PLAYERS = "svara(abstraction=hands,stack=4,max_svarkas=1,hole_cards=2,ranks=789,suits=cd)"
MOST_NODES = 1_000_000
GAMES = (ONE_CARD, TWO_CARDS, TWO_SVARKAS, UNEQUAL, ANTES)


@lru_cache(maxsize=16)
def tree_of(text: str) -> Tree:
    """The whole game with the keys of `hands` and perfect recall.

    A player knows all that it did and held, and what the keys say of who plays for which pots.
    """
    game = load(text)
    walk = walk_kernel_game(game, MOST_NODES)
    recall = walk_kernel_game(game.with_parameters(abstraction="none"), MOST_NODES)
    known = np.stack([walk.label, recall.label])
    pairs, label = np.unique(known, axis=1, return_inverse=True)
    first = np.count_nonzero(pairs[0] < 0)
    keys = walk.keys[pairs[0, first:]]
    refined = replace(walk, label=(label.ravel() - first).astype(np.int32), keys=keys)
    return make_tree(text, "chips", 1.0, game.players, refined)


def points(hands: Hands) -> np.ndarray:
    return np.unique(hands.score, return_inverse=True)[1]


def classes(hands: Hands) -> np.ndarray:
    return np.arange(hands.classes)


def random_strategy(form: BucketForm, seed: int) -> list[np.ndarray]:
    """The same for nodes of the same situation, as whoever plays by keys would have it."""
    strategy = []
    for deal in form.chain.deals:
        rows = np.zeros((deal.rows, form.buckets))
        for node, situation in enumerate(deal.situation):
            first, end = deal.first_row[node : node + 2]
            columns = form.buckets if deal.looked[node] else 1
            rows[first:end] = _random_node(int(situation), end - first, columns, seed)
        strategy.append(rows)
    return strategy


def _random_node(situation: int, actions: int, columns: int, seed: int) -> np.ndarray:
    """[actions, columns]: about a fifth of the actions are hardly ever taken, or never."""
    draw = np.random.default_rng([situation, seed])
    weights = draw.exponential(size=(actions, columns))
    weights *= draw.random(weights.shape) > 0.2
    weights[0] += 1e-3
    return np.asarray(weights / weights.sum(axis=0))


def strategy_of_tree(text: str, strategy: list[np.ndarray]) -> np.ndarray:
    """[S] of the tree from [rows, classes] of each deal, by the keys of its sets."""
    chain, tree = chain_of(text), tree_of(text)
    node_of_key = {
        int(situation): (number, node)
        for number, deal in enumerate(chain.deals)
        for node, situation in enumerate(deal.situation)
    }
    out = np.zeros(tree.sequences)
    for i, key in enumerate(tree.set_key):
        number, node = node_of_key[int(key) & ~NO_CLASS]
        deal, hand = chain.deals[number], int(key) & NO_CLASS
        rows = slice(int(deal.first_row[node]), int(deal.first_row[node + 1]))
        assert tree.actions(i).tolist() == deal.action[rows].tolist()
        assert (hand != NO_CLASS) == deal.looked[node]
        column = strategy[number][rows, 0 if hand == NO_CLASS else hand]
        out[tree.set_first[i] : tree.set_first[i + 1]] = column
    return out


# Chances.


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("bucket_of", [points, classes])
def test_joint_chances_are_those_of_all_ways_to_deal(players: int, bucket_of: object) -> None:
    hands = chain_of(TWO_CARDS).hands
    assert callable(bucket_of)
    bucket = bucket_of(hands)
    expected = np.zeros((hands.classes, *[bucket.max() + 1] * (players - 1)))
    number = {frozenset(hand.tolist()): i for i, hand in enumerate(hands.all_cards)}
    deck = np.unique(hands.all_cards).tolist()
    for cards in permutations(deck, 2 * players):
        dealt = [number[frozenset(cards[i : i + 2])] for i in range(0, 2 * players, 2)]
        first, *others = (int(hands.hand_class[hand]) for hand in dealt)
        expected[(first, *bucket[others])] += 1.0 / perm(len(deck), 2 * players)
    found = joint_chances(hands, bucket, players)
    assert found == pytest.approx(expected, abs=1e-12)
    by_bucket = of_buckets(found, bucket)
    assert by_bucket == pytest.approx(np.moveaxis(by_bucket, 0, -1), abs=1e-15)


def test_joint_chances_of_the_full_deck_do_not_depend_on_the_third_hand() -> None:
    hands = chain_of("svara(abstraction=hands)").hands
    bucket = points(hands)
    three, two = joint_chances(hands, bucket, 3), joint_chances(hands, bucket, 2)
    assert three.sum(axis=2) == pytest.approx(two, abs=1e-15)
    assert np.trace(of_buckets(two, bucket)) == pytest.approx(1_869_340 / 18_123_840, rel=1e-12)


def test_buckets_of_different_scores_are_refused() -> None:
    hands = chain_of(TWO_CARDS).hands
    with pytest.raises(ValueError, match="bucket 0 has hands of different scores"):
        joint_chances(hands, np.zeros(hands.classes, np.int64), 3)
    with pytest.raises(ValueError, match="expected all numbers from 0 on"):
        joint_chances(hands, classes(hands) + 1, 3)
    with pytest.raises(ValueError, match="expected a number for each of 15 classes"):
        joint_chances(hands, np.arange(3), 3)
    with pytest.raises(ValueError, match="4 places"):
        joint_chances(hands, classes(hands), 4)


# Values and best responses.


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("text", GAMES)
def test_with_classes_as_buckets_values_are_those_of_the_tree(text: str, seed: int) -> None:
    form = BucketForm(chain_of(text), classes(chain_of(text).hands))
    strategy = random_strategy(form, seed)
    found = evaluate_buckets(form, strategy)
    expected = evaluate(tree_of(text), strategy_of_tree(text, strategy))
    assert found.game.values == pytest.approx(expected.values, abs=1e-9)
    assert found.game.best_values == pytest.approx(expected.best_values, abs=1e-9)
    assert found.by_bucket.best_values == pytest.approx(expected.best_values, abs=1e-9)


@pytest.mark.parametrize("text", [ONE_CARD, TWO_CARDS])
def test_against_buckets_best_responses_with_all_hands_are_those_of_the_tree(text: str) -> None:
    hands = chain_of(text).hands
    form = BucketForm(chain_of(text), points(hands))
    strategy = random_strategy(form, 3)
    found = evaluate_buckets(form, strategy)
    in_tree = strategy_of_tree(text, lift(strategy, form.bucket_of_class))
    expected = evaluate(tree_of(text), in_tree)
    assert form.buckets < hands.classes
    assert found.game.values == pytest.approx(expected.values, abs=1e-9)
    assert found.game.best_values == pytest.approx(expected.best_values, abs=1e-9)


def test_cards_of_a_bucket_tell_more_than_the_bucket() -> None:
    form = BucketForm(chain_of(TWO_CARDS), points(chain_of(TWO_CARDS).hands))
    found = evaluate_buckets(form, random_strategy(form, 3))
    assert np.array_equal(found.by_bucket.values, found.game.values)
    assert np.all(found.by_bucket.best_values <= found.game.best_values + 1e-12)
    assert found.by_bucket.nash_conv < found.game.nash_conv - 1e-3


@pytest.mark.parametrize("text", [TWO_PLAYERS, "mini_svara(stack=4,max_raises=1,max_svarkas=2)"])
def test_two_players_are_worth_what_they_are_with_all_hands_at_once(text: str) -> None:
    chain = chain_of(text)
    form = BucketForm(chain, classes(chain.hands))
    strategy = random_strategy(form, 5)
    found, expected = evaluate_buckets(form, strategy), evaluate_chain(ChainForm(chain), strategy)
    assert found.game.values == pytest.approx(expected.game.values, abs=1e-9)
    assert found.game.best_values == pytest.approx(expected.game.best_values, abs=1e-9)


@pytest.mark.parametrize("text", GAMES)
def test_chips_are_conserved(text: str) -> None:
    chain = chain_of(text)
    form = BucketForm(chain, points(chain.hands))
    found = evaluate_buckets(form, random_strategy(form, 4))
    assert found.game.values.sum() == pytest.approx(0.0, abs=1e-12)
    assert found.values.sum(axis=1) == pytest.approx(sum(chain.start), abs=1e-12)


def test_without_decisions_the_odd_chips_of_ties_decide() -> None:
    chain = chain_of("svara(abstraction=hands,players=3,stack=1,max_svarkas=0,hole_cards=2)")
    solver = BucketCfr(chain, points(chain.hands))
    solver.run(iterations=2)
    found = evaluate_buckets(solver.form, solver.average_strategy())
    left_of_dealer, second, dealer = found.game.values
    assert left_of_dealer > second > dealer
    assert found.game.values.sum() == pytest.approx(0.0, abs=1e-12)
    assert found.game.gains == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_chain_that_forgets_the_svarkas_that_are_left_is_refused() -> None:
    chain = chain_of("mini_svara(max_svarkas=9)")
    with pytest.raises(ValueError, match="max_svarkas=9"):
        BucketForm(chain, classes(chain.hands))


# The solver.


@pytest.mark.parametrize("algorithm", ["cfr", "dcfr", "pcfr+"])
def test_iterations_lower_what_best_responses_gain(algorithm: str) -> None:
    chain = chain_of(TWO_CARDS)
    solver = BucketCfr(chain, points(chain.hands), algorithm)

    def gains() -> Evaluation:
        return evaluate_buckets(solver.form, solver.average_strategy()).by_bucket

    at_first = gains()
    solver.run(iterations=20)
    after_some = gains()
    solver.run(iterations=480)
    after_many = gains()
    assert after_some.nash_conv < 0.5 * at_first.nash_conv
    assert after_many.nash_conv < 0.2 * after_some.nash_conv
    assert after_many.gains.min() > -1e-12


@pytest.mark.parametrize("algorithm", DISCOUNTING)
def test_a_run_is_the_same_however_it_is_cut(algorithm: str) -> None:
    chain = chain_of(ONE_CARD)
    bucket_of_class = points(chain.hands)
    whole, first, rest = (BucketCfr(chain, bucket_of_class, algorithm, 60) for _ in range(3))
    for solver in (whole, first, rest):
        solver.prepare()
    whole.advance(60)
    for iterations in (1, 30, 6):
        first.advance(iterations)
    rest.restore(first.to_arrays(), first.to_numbers())
    for _ in range(23):
        rest.advance(1)
    assert rest.to_numbers() == {**whole.to_numbers(), "seconds": 0.0}
    assert rest.nodes == 60 * 3 * chain.nodes * 3
    for name, expected in whole.to_arrays().items():
        assert np.array_equal(rest.to_arrays()[name], expected), name


def test_arrays_of_another_game_are_refused() -> None:
    one, other = (BucketCfr(chain_of(t), points(chain_of(t).hands)) for t in (ONE_CARD, TWO_CARDS))
    with pytest.raises(ValueError, match="array behaviour does not fit"):
        one.restore(other.to_arrays(), other.to_numbers())


def test_what_is_done_before_the_cards_are_seen_is_the_same_for_all_buckets() -> None:
    chain = chain_of(ONE_CARD)
    solver = BucketCfr(chain, points(chain.hands))
    solver.run(iterations=10)
    for deal, rows in zip(chain.deals, solver.average_strategy(), strict=True):
        blind = np.repeat(~deal.looked, np.diff(deal.first_row))
        assert np.array_equal(rows[blind], np.repeat(rows[blind, :1], rows.shape[1], axis=1))
        for first, end in pairwise(deal.first_row):
            assert rows[first:end].sum(axis=0) == pytest.approx(np.ones(3), abs=1e-12)


def test_two_players_reach_the_value_that_all_hands_at_once_reach() -> None:
    chain = chain_of(TWO_PLAYERS)
    ours, theirs = BucketCfr(chain, classes(chain.hands)), VectorCfr(ChainForm(chain))
    ours.run(iterations=1000)
    theirs.run(iterations=1000)
    found = evaluate_buckets(ours.form, ours.average_strategy()).game
    expected = evaluate_chain(theirs.form, theirs.average_strategy()).game
    assert found.values == pytest.approx(expected.values, abs=1e-4)
    assert found.nash_conv < 1e-3
