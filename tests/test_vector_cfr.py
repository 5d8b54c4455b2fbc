"""All hands at once: the values are those of the exact game's tree, and the solver closes in."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import exploitability as spiel_exploitability

from pokerspiel.agents.exact_strategy import strategy_of
from pokerspiel.agents.spiel_policy import to_tabular_policy
from pokerspiel.games.deals import NOT_PLAYED_OFF
from pokerspiel.solvers.algorithms import DISCOUNTING
from pokerspiel.solvers.best_response import evaluate
from pokerspiel.solvers.chart import DealStrategy
from pokerspiel.solvers.hand_matrices import HandMatrices
from pokerspiel.solvers.linear_program import solve_linear_program
from pokerspiel.solvers.vector import ChainForm, VectorCfr, evaluate_chain, svarkas_left
from tests.reference.deal_model import DealModel
from tests.small_decks import (
    SMALL_DECKS,
    TWO_SVARKAS,
    UNCOUNTED,
    chain_of,
    chart_bot,
    exact_tree,
    form_of,
    lifted,
    random_deal_strategy,
    rounded,
    solved,
)

SMALLEST = ("mini_svara(stack=3,ranks=78A,suits=c)", "mini_svara(stacks=3 4,ranks=7A)")


@lru_cache(maxsize=64)
def some_strategies(game: str) -> tuple[DealStrategy, ...]:
    """Two random strategies and one that is nearly solved, as charts keep them."""
    chain = chain_of(game)
    found = (random_deal_strategy(chain, 1), random_deal_strategy(chain, 2), solved(game, 60))
    return tuple(rounded(chain, strategy) for strategy in found)


# Evaluation.


@pytest.mark.parametrize("game", SMALL_DECKS)
def test_values_are_those_of_the_exact_tree(game: str) -> None:
    for strategy in some_strategies(game):
        ours = evaluate_chain(form_of(game), strategy).game
        exact = evaluate(exact_tree(game), lifted(game, strategy))
        assert ours.values == pytest.approx(exact.values, abs=1e-9)
        assert ours.best_values == pytest.approx(exact.best_values, abs=1e-9)


def test_two_svarkas_in_a_row_are_in_the_tree() -> None:
    chain = chain_of(TWO_SVARKAS)
    assert [deal.svarkas_left for deal in chain.deals] == [2, 1, 1, 0]
    again = [deal for deal in chain.deals if deal.svarkas_left == 1]
    assert any((deal.follower != NOT_PLAYED_OFF).any() for deal in again)


@pytest.mark.parametrize("game", SMALLEST)
def test_exploitability_is_openspiels(game: str) -> None:
    tree = exact_tree(game)
    spiel_game = pyspiel.load_game(game)
    for strategy in some_strategies(game):
        policy = to_tabular_policy(tree, lifted(game, strategy))
        ours = evaluate_chain(form_of(game), strategy).game.exploitability
        theirs = spiel_exploitability.exploitability(spiel_game, policy)
        assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("game", [*SMALL_DECKS, "svara(stack=8,max_svarkas=1)"])
def test_values_are_those_of_dense_matrices_over_all_pairs_of_hands(game: str) -> None:
    model = DealModel(chain_of(game))
    strategy = random_deal_strategy(chain_of(game), 3)
    found = evaluate_chain(form_of(game), strategy).game
    assert found.values == pytest.approx(model.match(strategy, strategy), abs=1e-11)
    assert found.best_values == pytest.approx(model.best_response(strategy), abs=1e-11)


@pytest.mark.parametrize("game", SMALL_DECKS)
def test_best_responses_win_their_values(game: str) -> None:
    """Each seat of the exact tree in turn plays the responses, the other one the strategy."""
    chain, tree = chain_of(game), exact_tree(game)
    for strategy in some_strategies(game):
        found = evaluate_chain(form_of(game), strategy)
        response, missed = strategy_of(chart_bot(chain, found.responses), tree)
        assert missed == 0
        owner = np.repeat(tree.set_player, np.diff(tree.set_first))
        for seat in range(2):
            mixed = np.where(owner == seat, response, lifted(game, strategy))
            won = evaluate(tree, mixed).values[seat]
            assert won == pytest.approx(found.game.best_values[seat], abs=1e-9)


def test_best_responses_win_their_values_with_all_cards() -> None:
    chain, form = chain_of("svara(stack=8)"), form_of("svara(stack=8)")
    strategy = random_deal_strategy(chain, 4)
    found = evaluate_chain(form, strategy)
    model = DealModel(chain)
    won = model.match(found.responses, strategy)
    assert won == pytest.approx(found.game.best_values, abs=1e-9)
    assert model.match(strategy, strategy) == pytest.approx(found.game.values, abs=1e-11)


@pytest.mark.parametrize("game", ["svara(stack=8,max_svarkas=0)", "mini_svara"])
def test_matrices_value_strategies_as_sweeps_do(game: str) -> None:
    chain, strategy = chain_of(game), random_deal_strategy(chain_of(game), 6)
    swept = evaluate_chain(form_of(game), strategy)
    multiplied = evaluate_chain(ChainForm(chain, HandMatrices(chain.hands)), strategy)
    assert multiplied.values == pytest.approx(swept.values, abs=1e-12)
    assert multiplied.best_values == pytest.approx(swept.best_values, abs=1e-12)
    assert multiplied.game.nash_conv == pytest.approx(swept.game.nash_conv, abs=1e-12)


def test_a_deal_in_which_nobody_can_act_is_worth_nothing() -> None:
    form = form_of("svara(stacks=1 5)")
    assert form.chain.nodes == 0
    solver = VectorCfr(form)
    solver.run(3)
    found = evaluate_chain(form, solver.average_strategy())
    for values in (found.values, found.best_values, found.game.values, solver.values):
        assert np.abs(values).max() < 1e-15


def test_the_pot_of_a_deal_is_won_from_each_other() -> None:
    strategy = random_deal_strategy(chain_of("svara"), 5)
    found = evaluate_chain(form_of("svara"), strategy)
    assert found.values.shape == (19, 2)
    assert found.values.sum(axis=1) == pytest.approx(np.zeros(19), abs=1e-12)
    assert (found.best_values >= found.values - 1e-12).all()


def test_how_many_svarkas_are_left_is_what_the_deals_say() -> None:
    for game in (TWO_SVARKAS, "svara(allow_check=True,stack=6)", "svara(max_svarkas=2,stack=8)"):
        chain = chain_of(game)
        assert svarkas_left(chain) == [{deal.svarkas_left} for deal in chain.deals]
    assert svarkas_left(chain_of(UNCOUNTED)) == [{9}, {8}, {8, 7}]


def test_three_players_are_refused() -> None:
    with pytest.raises(ValueError, match="only games of two players") as error:
        ChainForm(chain_of("mini_svara(players=3,stack=3)"))
    assert "mini_svara(players=3,stack=3)" in str(error.value)
    assert "\n" not in str(error.value)


# The solver.


@pytest.mark.parametrize(
    ("game", "algorithm", "iterations"),
    [
        ("mini_svara", "dcfr", 2000),
        ("mini_svara", "pcfr+", 2000),
        (TWO_SVARKAS, "pcfr+", 2000),
        ("mini_svara(stacks=3 7,betting=no_limit,ranks=7A,max_svarkas=2)", "dcfr", 2000),
        ("mini_svara(stack=3,hole_cards=2,suits=chs,ranks=7A)", "pcfr+", 2000),
    ],
)
def test_the_value_is_the_linear_programs(game: str, algorithm: str, iterations: int) -> None:
    strategy = solved(game, iterations, algorithm)
    found = evaluate_chain(form_of(game), strategy).game
    value = solve_linear_program(exact_tree(game)).value
    assert found.values == pytest.approx(value, abs=1e-5)
    assert (found.best_values >= value - 1e-9).all()


def exploitability(solver: VectorCfr) -> float:
    return evaluate_chain(solver.form, solver.average_strategy()).game.exploitability


@pytest.mark.parametrize("algorithm", DISCOUNTING)
def test_every_algorithm_comes_closer(algorithm: str) -> None:
    solver = VectorCfr(form_of(TWO_SVARKAS), algorithm, horizon=300)
    uniform = exploitability(solver)
    solver.run(30)
    early = exploitability(solver)
    solver.run(270)
    assert exploitability(solver) < 0.5 * early < 0.25 * uniform


def test_a_hundred_iterations_solve_svara_to_a_hundredth_of_an_ante() -> None:
    solver = VectorCfr(form_of("svara"))
    solver.run(100)
    assert exploitability(solver) < 0.01


def assert_same(one: VectorCfr, other: VectorCfr) -> None:
    """All numbers of two runs are the same to the bit."""
    assert (one.iteration, one.nodes, one.taken) == (other.iteration, other.nodes, other.taken)
    theirs = other.to_arrays()
    for name, values in one.to_arrays().items():
        assert np.array_equal(values, theirs[name]), name
    for mine, yours in zip(one.average_strategy(), other.average_strategy(), strict=True):
        assert np.array_equal(mine, yours)


@pytest.mark.parametrize("game", ["svara", TWO_SVARKAS])
@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+"])
def test_any_number_of_threads_gives_the_same_numbers(game: str, algorithm: str) -> None:
    alone, together = (VectorCfr(form_of(game), algorithm, threads=n) for n in (1, 2))
    for solver in (alone, together):
        solver.prepare()
        solver.advance(12)
    assert_same(alone, together)


@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+", "hs-dcfr"])
def test_a_run_in_pieces_is_the_same_run(algorithm: str) -> None:
    whole, pieces = (VectorCfr(form_of(TWO_SVARKAS), algorithm, horizon=60) for _ in range(2))
    whole.run(60)
    for iterations in (1, 2, 20, 7, 30):
        pieces.run(iterations)
    assert_same(whole, pieces)


@pytest.mark.parametrize("algorithm", ["cfr", "pcfr+", "dcfr"])
def test_a_restored_run_is_the_same_run(algorithm: str) -> None:
    whole, first, second = (VectorCfr(form_of(TWO_SVARKAS), algorithm) for _ in range(3))
    whole.run(40)
    first.run(23)
    second.restore(first.to_arrays(), first.to_numbers())
    second.run(17)
    assert_same(whole, second)


def test_a_state_of_another_game_is_refused() -> None:
    solver, other = VectorCfr(form_of("mini_svara")), VectorCfr(form_of(TWO_SVARKAS))
    with pytest.raises(ValueError, match="does not fit mini_svara"):
        solver.restore(other.to_arrays(), other.to_numbers())


def run_until_taken(game: str, least: int) -> VectorCfr:
    """A run of `least` iterations, and on until the values of all deals have just been taken."""
    solver = VectorCfr(form_of(game))
    solver.run(least)
    while solver.taken < solver.iteration:
        solver.run(1)
    return solver


@pytest.mark.parametrize("game", ["svara", *SMALL_DECKS])
def test_the_values_kept_are_those_of_the_average_strategy(game: str) -> None:
    """Each deal's, with those kept of the deals that follow it; and nearly the exact ones.

    Where the chain does not count svarkas, only their bound makes a difference.
    """
    solver = run_until_taken(game, 30)
    form, strategy = solver.form, solver.average_strategy()
    for deal, rows in enumerate(strategy):
        both = form.pack(deal, rows, 0)
        for place in range(2):
            value = form.value(deal, both, place, solver.values[1 - place])
            assert solver.values[place, deal] == pytest.approx(value, abs=1e-12)
    exact = evaluate_chain(form, strategy).values
    counted = all(deal.svarkas_left is not None for deal in form.chain.deals)
    bound = 1e-12 if counted else 1e-9
    if game != UNCOUNTED:  # a third of its hands tie: nine svarkas in a row are no rarity
        assert np.abs(solver.values.T - exact).max() < bound


def test_nodes_are_counted_for_every_hand_and_player() -> None:
    solver: Any = VectorCfr(form_of("mini_svara"))
    solver.run(5)
    assert solver.nodes == 5 * 2 * solver.chain.nodes * 6


@pytest.mark.parametrize("name", ["regret", "average", "values"])
def test_a_checkpoint_with_what_is_no_number_is_refused(name: str) -> None:
    solver = VectorCfr(form_of("mini_svara"))
    solver.advance(3)
    arrays = solver.to_arrays()
    arrays[name].flat[0] = np.nan
    with pytest.raises(ValueError, match=rf"^array {name} does not fit mini_svara$"):
        VectorCfr(form_of("mini_svara")).restore(arrays, solver.to_numbers())
