"""Strategies as blueprints and as OpenSpiel's policies, and back; their exact values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy

from pokerspiel.agents.arena import play_match
from pokerspiel.agents.bot_file import Bot, load_bot, save_bot
from pokerspiel.agents.exact_strategy import strategy_of
from pokerspiel.agents.spiel_policy import from_tabular_policy, to_tabular_policy
from pokerspiel.games.variants import load
from pokerspiel.solvers.best_response import evaluate
from pokerspiel.solvers.blueprint import Blueprint, new_blueprint
from pokerspiel.solvers.compile_tree import compile_tree, load_spiel_game
from pokerspiel.solvers.linear_program import solve_linear_program
from pokerspiel.solvers.strategies import (
    blueprint_of,
    strategy_from_blueprint,
    uniform_strategy,
)
from pokerspiel.solvers.tree import Tree
from tests.reference.best_response import best_response_value, expected_values, nash_conv
from tests.some_agents import positions, random_bot
from tests.some_strategies import random_strategy, reference_policy, spiel_game

OURS = ("kuhn", "kuhn(players=3)", "leduc", "mini_svara")
THEIRS = (
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "goofspiel(imp_info=True,num_cards=3,points_order=descending)",
)

SINGLE = 6e-8
"""Largest error of a probability in single precision."""


# Exact values of strategies


@pytest.mark.parametrize("text", [text for text in (*OURS, *THEIRS) if text != "leduc"])
def test_values_and_best_responses_are_those_of_the_reference(text: str) -> None:
    tree = compile_tree(text)
    game = spiel_game(text)
    for strategy in (random_strategy(tree, 1), uniform_strategy(tree)):
        policy = reference_policy(tree, strategy)
        result = evaluate(tree, strategy)
        values = expected_values(game.new_initial_state(), policy)
        best = [best_response_value(game, policy, p) for p in range(tree.players)]
        assert result.values == pytest.approx(values, abs=1e-10)
        assert result.best_values == pytest.approx(best, abs=1e-10)
        assert result.nash_conv == pytest.approx(sum(best) - sum(values), abs=1e-10)
        assert result.exploitability == pytest.approx(result.nash_conv / tree.players)


@pytest.mark.parametrize("text", [*OURS, *THEIRS])
def test_exploitability_is_openspiels(text: str) -> None:
    """For three players too, where OpenSpiel says nothing of dividing by their number."""
    tree = compile_tree(text)
    strategy = random_strategy(tree, 2)
    policy = to_tabular_policy(tree, strategy)
    game = spiel_game(text)
    result = evaluate(tree, strategy)
    assert result.exploitability == pytest.approx(pyspiel.exploitability(game, policy), abs=1e-9)
    assert result.nash_conv == pytest.approx(pyspiel.nash_conv(game, policy), abs=1e-9)


def test_nash_conv_of_three_players_is_the_sum_of_their_gains() -> None:
    tree = compile_tree("kuhn(players=3)")
    result = evaluate(tree, random_strategy(tree, 3))
    assert result.gains.shape == (3,)
    assert result.gains.min() >= 0.0
    assert result.nash_conv == pytest.approx(result.gains.sum())
    assert result.exploitability == pytest.approx(result.nash_conv / 3)
    policy = reference_policy(tree, random_strategy(tree, 3))
    assert result.nash_conv == pytest.approx(nash_conv(spiel_game(tree.game), policy))


# Blueprints


@pytest.mark.parametrize("text", [*OURS, "mini_sviten", *THEIRS])
def test_a_blueprint_gives_the_strategy_back(text: str) -> None:
    tree = compile_tree(text)
    strategy = random_strategy(tree, 4)
    back, misses = strategy_from_blueprint(tree, blueprint_of(tree, strategy))
    assert misses == 0
    assert np.abs(back - strategy).max() < SINGLE
    totals = np.add.reduceat(back, tree.set_first[:-1])
    assert np.abs(totals - 1.0).max() < 1e-12


def _without(blueprint: Blueprint, drop: np.ndarray) -> Blueprint:
    """The blueprint without some of its keys."""
    sizes = np.diff(blueprint.first.astype(np.int64))
    keep = np.repeat(~drop, sizes)
    first = np.concatenate([[0], np.cumsum(sizes[~drop])]).astype(np.uint32)
    return new_blueprint(blueprint.keys[~drop], first, blueprint.probabilities[keep])


def test_sets_that_a_blueprint_does_not_hold_are_played_uniformly() -> None:
    tree = compile_tree("leduc")
    strategy = random_strategy(tree, 5)
    blueprint = blueprint_of(tree, strategy)
    drop = np.random.default_rng(5).random(tree.information_sets) < 0.3
    back, misses = strategy_from_blueprint(tree, _without(blueprint, drop))
    assert misses == drop.sum()
    dropped = set(blueprint.keys[drop].tolist())
    for i, key in enumerate(tree.set_key.tolist()):
        mine = slice(tree.set_first[i], tree.set_first[i + 1])
        wanted = np.full(len(back[mine]), 1 / len(back[mine])) if key in dropped else strategy[mine]
        assert back[mine] == pytest.approx(wanted, abs=1e-6)


def test_a_set_with_another_number_of_actions_is_missed() -> None:
    tree = compile_tree("kuhn")
    blueprint = new_blueprint(
        np.sort(tree.set_key),
        np.arange(0, 3 * tree.information_sets + 1, 3).astype(np.uint32),
        np.tile(np.array([0.2, 0.3, 0.5], np.float32), tree.information_sets),
    )
    strategy, misses = strategy_from_blueprint(tree, blueprint)
    assert misses == tree.information_sets
    assert np.array_equal(strategy, uniform_strategy(tree))


def test_sets_without_a_choice_may_be_left_out() -> None:
    tree = compile_tree("liars_dice(dice_sides=2)")
    strategy = random_strategy(tree, 6)
    blueprint = blueprint_of(tree, strategy)
    forced = np.diff(blueprint.first.astype(np.int64)) == 1
    assert forced.sum() == 16
    back, misses = strategy_from_blueprint(tree, _without(blueprint, forced))
    assert misses == 0
    assert np.abs(back - strategy).max() < SINGLE


def test_an_empty_blueprint_knows_nothing() -> None:
    tree = compile_tree("kuhn")
    empty = new_blueprint(np.zeros(0, np.uint64), np.zeros(1, np.uint32), np.zeros(0, np.float32))
    strategy, misses = strategy_from_blueprint(tree, empty)
    assert misses == 12
    assert np.array_equal(strategy, np.full(24, 0.5))


def _spoilt(tree: Tree) -> dict[str, np.ndarray]:
    """What is no strategy of a tree, by what is said of it."""
    sums = uniform_strategy(tree)
    sums[3] += 0.5
    negative = uniform_strategy(tree)
    negative[:2] = -0.5, 1.5
    unknown = uniform_strategy(tree)
    unknown[0] = np.nan
    return {
        "has 24 sequences": np.full(23, 0.5),
        "add up to 1.5": sums,
        "has the probability -0.5": negative,
        "add up to nan": unknown,
    }


@pytest.mark.parametrize("message", _spoilt(compile_tree("kuhn")))
def test_what_is_no_strategy_is_refused(message: str) -> None:
    tree = compile_tree("kuhn")
    spoilt = _spoilt(tree)[message]
    for use in (blueprint_of, to_tabular_policy):
        with pytest.raises(ValueError, match=message):
            use(tree, spoilt)


# OpenSpiel's policies


@pytest.mark.parametrize("text", [*OURS, *THEIRS])
def test_a_tabular_policy_gives_the_strategy_back(text: str) -> None:
    tree = compile_tree(text)
    strategy = random_strategy(tree, 7)
    policy = to_tabular_policy(tree, strategy)
    assert len(policy.policy_table()) == tree.information_sets
    assert from_tabular_policy(tree, policy) == pytest.approx(strategy, abs=1e-12)


def test_policies_of_all_kinds_are_read() -> None:
    tree = compile_tree("leduc_poker")
    game = load_spiel_game("leduc_poker")
    table = spiel_policy.TabularPolicy(game)
    table.action_probability_array[:] = table.legal_actions_mask
    table.action_probability_array[:, 1] *= 3.0
    table.action_probability_array /= table.action_probability_array.sum(1, keepdims=True)
    read = from_tabular_policy(tree, table)
    wanted = np.where(tree.sequence_action == 1, 3.0, 1.0)
    wanted /= np.repeat(np.add.reduceat(wanted, tree.set_first[:-1]), np.diff(tree.set_first))
    assert read == pytest.approx(wanted)
    kinds: list[Any] = [pyspiel.UniformRandomPolicy(game), spiel_policy.UniformRandomPolicy(game)]
    for policy in kinds:
        assert from_tabular_policy(tree, policy) == pytest.approx(uniform_strategy(tree))


def test_openspiels_solver_is_measured_as_openspiel_does() -> None:
    game = load_spiel_game("kuhn_poker")
    solver = pyspiel.CFRSolver(game)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    policy = solver.tabular_average_policy()
    tree = compile_tree("kuhn_poker")
    ours = evaluate(tree, from_tabular_policy(tree, policy)).exploitability
    assert ours == pytest.approx(pyspiel.exploitability(game, policy), abs=1e-12)


def test_policies_without_some_information_sets_are_refused() -> None:
    tree = compile_tree("kuhn_poker")
    policy = to_tabular_policy(tree, uniform_strategy(tree)).policy_table()
    del policy["1pb"]
    partial = pyspiel.TabularPolicy(policy)
    for given in (partial, spiel_policy.TabularPolicy(load_spiel_game("leduc_poker"))):
        with pytest.raises(ValueError, match="expected probabilities of"):
            from_tabular_policy(tree, given)
    policy["1pb"] = [(0, 0.5), (1, 0.4)]
    short = pyspiel.TabularPolicy(policy)
    with pytest.raises(ValueError, match="'1pb'"):
        from_tabular_policy(tree, short)


# Bots


def _pair_value(tree: Tree, first: np.ndarray, second: np.ndarray) -> float:
    """What the first strategy wins from the second on average over both seats."""
    owner = np.repeat(tree.set_player, np.diff(tree.set_first))
    one = evaluate(tree, np.where(owner == 0, first, second)).values[0]
    two = evaluate(tree, np.where(owner == 1, first, second)).values[1]
    return float(one + two) / 2


@pytest.mark.parametrize("text", ["leduc", "mini_svara"])
def test_a_solved_bot_wins_in_matches_what_its_strategy_is_worth(tmp_path: Any, text: str) -> None:
    tree = compile_tree(text)
    strategies = [solve_linear_program(tree).strategy, random_strategy(tree, 8)]
    bots = []
    for name, strategy in zip(("solved", "random-table"), strategies, strict=True):
        save_bot(
            tmp_path / f"{name}.pspiel",
            tree.game,
            blueprint_of(tree, strategy),
            algorithm="linear program",
            seed=0,
            iterations=0,
            nodes=tree.nodes,
            seconds=0.0,
        )
        bots.append(load_bot(tmp_path / f"{name}.pspiel"))
    result = play_match(bots, load(text), 40_000, seed=3)
    assert [player.misses for player in result.players] == [0.0, 0.0]
    score = result.players[0].score
    assert score.mbb_per_hand is not None and score.ci95 is not None
    worth = _pair_value(tree, *strategies) * 1000.0
    reach = (score.ci95[1] - score.ci95[0]) / 2
    assert worth > 5 * reach, "the match is too short to tell"
    assert abs(score.mbb_per_hand - worth) < 2 * reach


@pytest.mark.parametrize(
    "text", ["mini_svara(abstraction=points)", "mini_sviten(abstraction=halves)"]
)
def test_an_abstract_bot_has_a_strategy_in_the_exact_game(text: str) -> None:
    bot = random_bot(text, 60)
    game = load(text.partition("(")[0])
    tree = compile_tree(str(game))
    strategy, unknown = strategy_of(bot, tree)
    assert 0 < unknown < tree.information_sets
    place = {key: i for i, key in enumerate(tree.set_key.tolist())}
    seated = bot.sit(game)
    for states, past in positions(game, 300, 9):
        key = game.family.information_key(states[0], game.tables, int(states[0]["turn"]))
        i = place[int(key)]
        start, end = tree.set_first[i : i + 2]
        chances = dict(zip(tree.actions(i).tolist(), strategy[start:end].tolist(), strict=True))
        assert chances == pytest.approx(seated.distribution(states, past, 0), abs=1e-6)


def test_the_strategy_of_a_table_is_the_table() -> None:
    tree = compile_tree("mini_svara")
    strategy = random_strategy(tree, 10)
    bot = Bot("table", load("mini_svara"), blueprint_of(tree, strategy), None)
    found, unknown = strategy_of(bot, tree)
    assert unknown == 0
    assert np.abs(found - strategy).max() < SINGLE
