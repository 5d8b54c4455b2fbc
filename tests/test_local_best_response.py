"""Local best response: exact in small games, never above a best response, true at the table."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.exact_strategy import strategy_of
from pokerspiel.agents.local_best_response import (
    LocalBestResponse,
    local_strategy,
    local_values,
)
from pokerspiel.games.variants import load
from pokerspiel.solvers.best_response import Evaluation, evaluate
from pokerspiel.solvers.blueprint import average_blueprint
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.linear_program import solve_linear_program
from pokerspiel.solvers.mccfr import Mccfr
from pokerspiel.solvers.strategies import blueprint_of
from tests.some_agents import positions, random_bot
from tests.some_strategies import random_strategy

SMALL = ("kuhn", "leduc", "mini_sviten(stack=4)", "mini_svara")
BOTS = ("random", "always-call", "some-table", "trained", "solved")


@lru_cache(maxsize=32)
def bot_of(text: str, name: str) -> CompiledAgent:
    if name in BASELINES:
        return BASELINES[name]()
    game, tree = load(text), compile_tree(text)
    if name == "trained":
        solver = Mccfr(game, seed=1)
        solver.run(2000)
        return Bot(name, game, average_blueprint(solver.state.table), None)
    solved = name == "solved"
    strategy = solve_linear_program(tree).strategy if solved else random_strategy(tree, 4)
    return Bot(name, game, blueprint_of(tree, strategy), None)


def evaluation_of(text: str, name: str) -> Evaluation:
    tree = compile_tree(text)
    return evaluate(tree, strategy_of(bot_of(text, name), tree)[0])


@lru_cache(maxsize=32)
def local_values_of(text: str, name: str) -> np.ndarray:
    return local_values(bot_of(text, name), compile_tree(text))


@pytest.mark.parametrize("text", SMALL)
@pytest.mark.parametrize("name", BOTS)
def test_it_never_wins_more_than_a_best_response(text: str, name: str) -> None:
    best = evaluation_of(text, name).best_values
    assert np.all(local_values_of(text, name) <= best + 1e-9)


@pytest.mark.parametrize("text", SMALL)
@pytest.mark.parametrize("name", ["random", "some-table"])
def test_it_wins_from_weak_bots(text: str, name: str) -> None:
    """More than the bot wins from itself, and half at least of what can be won in this way."""
    evaluation = evaluation_of(text, name)
    gains = local_values_of(text, name) - evaluation.values
    assert gains.sum() >= 0.5 * evaluation.nash_conv


@pytest.mark.parametrize("text", ["kuhn", "leduc", "mini_svara"])
def test_against_a_station_it_is_the_best_response(text: str) -> None:
    """Nobody folds or raises behind it, so that what it assumes of the future is true."""
    best = evaluation_of(text, "always-call").best_values
    assert local_values_of(text, "always-call") == pytest.approx(best)


def test_in_kuhn_it_bluffs_where_folds_pay() -> None:
    """Seat 1 calls bets with the king alone. With the jack a bet wins 1 from the queen and loses 2
    to the king, -1/2, and a check loses 1; with the queen a bet is worth -1/2, and a check 0.
    """
    game, tree = load("kuhn"), compile_tree("kuhn")
    strategy = np.zeros(tree.sequences)
    for i in range(tree.information_sets):
        king = tree.history(int(tree.set_node[i]))[int(tree.set_player[i])] == 2
        strategy[tree.set_first[i] + int(king)] = 1.0
    follower = LocalBestResponse(Bot("kings", game, blueprint_of(tree, strategy), None)).follow(
        game, 0
    )
    for card, other, check, bet in ((0, 1, -1.0, -0.5), (0, 2, -1.0, -0.5), (1, 0, 0.0, -0.5)):
        follower.begin()
        follower.tell(card)
        follower.tell(other)
        assert follower.values(0) == pytest.approx({0: check, 1: bet})


@pytest.mark.parametrize("text", ["leduc", "mini_sviten(stack=4)"])
def test_a_match_agrees_with_the_exact_value(text: str) -> None:
    """Four standard errors: the interval of the match is 1.96 of them to each side."""
    bot = bot_of(text, "some-table")
    game = load(text)
    result = play_match([LocalBestResponse(bot), bot], game, 3000, seed=9)
    score = result.players[0].score
    assert score.mbb_per_hand is not None and score.ci95 is not None
    expected = local_values_of(text, "some-table").mean() / game.limits.big_unit * 1000
    reach = (score.ci95[1] - score.ci95[0]) / 2
    assert abs(score.mbb_per_hand - expected) < 4 / 1.96 * reach
    assert reach < 0.2 * expected, "the test tells nothing"


def test_sampled_values_are_near_the_exact_ones() -> None:
    """Within five standard errors, were each rollout to win or lose the whole stack of 20."""
    game = load("mini_sviten")
    rollouts = 20_000
    follower = LocalBestResponse(bot_of("mini_sviten", "some-table")).follow(game, 0)
    compared = 0
    for states, past in positions(game, 30, 3):
        if states[0]["turn"] == 0:
            follower.begin()
            for event in past:
                follower.tell(event)
            exact = follower.values(1)
            assert follower.exact
            ranges, actions = follower.ranges, np.array(list(exact))
            sampled = follower._sampled(ranges.states, ranges.chances, rollouts, actions, 1)
            assert sampled == pytest.approx(list(exact.values()), abs=5 * 20 / rollouts**0.5)
            compared += 1
    assert compared >= 20


@pytest.mark.parametrize("text", ["sviten_special", "svara", "sviten_special(betting=no_limit)"])
def test_large_games_are_played(text: str) -> None:
    """It takes the money of who plays at random, and the same match is the same again."""
    bot = random_bot(text)
    results = [
        play_match([LocalBestResponse(bot, 200, 50), bot], load(text), 60, 3, hands_at_once=at_once)
        for at_once in (2, 60)
    ]
    first, second = (result.players[0].score for result in results)
    assert first == second
    assert first.mbb_per_hand is not None and first.mbb_per_hand > 0.0


def test_what_cannot_be_known_is_refused() -> None:
    station = BASELINES["always-call"]()
    with pytest.raises(ValueError, match="plays games for two, not kuhn"):
        LocalBestResponse(station).follow(load("kuhn(players=3)"), 0)
    with pytest.raises(ValueError, match="rollouts=0 is not allowed"):
        LocalBestResponse(station, rollouts=0)
    with pytest.raises(ValueError, match="mini_sviten is too large to know exactly"):
        local_strategy(station, compile_tree("mini_sviten"), particles=3)
