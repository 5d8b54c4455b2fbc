"""Exact values of small games, and equilibria that nobody can exploit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyspiel
import pytest

from pokerspiel.agents.spiel_policy import to_tabular_policy
from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.solvers.best_response import evaluate
from pokerspiel.solvers.catalogue import new_solver
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.linear_program import solve_linear_program
from pokerspiel.solvers.tree import Walk, make_tree
from tests.reference.best_response import best_response_value
from tests.some_strategies import reference_policy

# Kuhn and Leduc as published. The rest is what this program, the interior point method of HiGHS
# and CFR agree on; 1 / 16 is also what a best response of either side proves below.
VALUES = {
    "kuhn": -1 / 18,
    "kuhn_poker": -1 / 18,
    "leduc": -0.085606,
    "leduc_poker": -0.085606,
    "liars_dice(dice_sides=4)": 1 / 16,
    "mini_svara": -0.1,
    "goofspiel(imp_info=True,num_cards=4,points_order=descending)": 0.0,
    "matrix_rps": 0.0,
    "mini_sviten": 4 / 15,
}


@pytest.mark.parametrize("text", VALUES)
def test_the_value_is_known_and_nobody_gains(text: str) -> None:
    tree = compile_tree(text)
    solution = solve_linear_program(tree)
    assert solution.value == pytest.approx([VALUES[text], -VALUES[text]], abs=1e-6)
    result = evaluate(tree, solution.strategy)
    assert result.values == pytest.approx(solution.value, abs=1e-8)
    assert abs(result.exploitability) < 1e-8


@pytest.mark.parametrize(
    ("text", "iterations"),
    [("kuhn", 4_000), ("leduc", 20_000), ("mini_svara", 20_000), ("mini_sviten", 2_000)],
)
@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+"])
def test_dcfr_and_pcfr_plus_find_the_same_values(
    text: str, iterations: int, algorithm: str
) -> None:
    tree = compile_tree(text)
    solver = new_solver(tree, algorithm)
    solver.run(iterations)
    result = evaluate(tree, solver.average_strategy())
    assert result.values == pytest.approx([VALUES[text], -VALUES[text]], abs=1e-5)
    # Each best response bounds the value from its side.
    assert result.best_values[0] >= VALUES[text] - 1e-6
    assert result.best_values[1] >= -VALUES[text] - 1e-6


@pytest.mark.parametrize("text", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=4)"])
def test_openspiel_finds_nothing_to_gain(text: str) -> None:
    tree = compile_tree(text)
    solution = solve_linear_program(tree)
    policy = to_tabular_policy(tree, solution.strategy)
    game = pyspiel.load_game(text)
    assert abs(pyspiel.exploitability(game, policy)) < 1e-8
    # Best responses of both sides bound the value from above and from below.
    table = reference_policy(tree, solution.strategy)
    for player in range(2):
        best = best_response_value(game, table, player)
        assert best == pytest.approx(solution.value[player], abs=1e-8)


def test_rock_paper_scissors_has_one_equilibrium() -> None:
    solution = solve_linear_program(compile_tree("matrix_rps"))
    assert solution.strategy == pytest.approx(np.full(6, 1 / 3), abs=1e-9)


def test_returns_may_add_up_to_any_constant() -> None:
    tree = compile_tree("leduc")
    shifted = replace(tree, returns=tree.returns + np.array([2.0, -5.0]))
    solution = solve_linear_program(shifted)
    assert solution.value == pytest.approx([-0.085606 + 2.0, 0.085606 - 5.0], abs=1e-6)
    assert abs(evaluate(shifted, solution.strategy).exploitability) < 1e-8


def test_large_returns_lose_no_digits() -> None:
    tree = compile_tree("leduc")
    for scale in (1e-6, 1e6):
        scaled = replace(tree, returns=tree.returns * scale)
        solution = solve_linear_program(scaled)
        assert solution.value[0] / scale == pytest.approx(-0.085606424, abs=1e-8)
        assert abs(evaluate(scaled, solution.strategy).exploitability) < 1e-8 * scale


def test_a_player_may_have_nothing_to_decide() -> None:
    """A coin falls, player 0 sees it and guesses: right wins 1, and the coin is fair."""
    walk = Walk(
        parent=np.array([-1, 0, 1, 1, 0, 4, 4], np.int32),
        turn=np.array([CHANCE, 0, TERMINAL, TERMINAL, 0, TERMINAL, TERMINAL], np.int8),
        action=np.array([-1, 0, 0, 1, 1, 0, 1], np.int64),
        chance=np.array([1.0, 0.5, 1.0, 1.0, 0.5, 1.0, 1.0]),
        label=np.array([-1, 0, -1, -1, 1, -1, -1], np.int32),
        returns=np.array([[1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]]),
        keys=np.array([1, 2], np.uint64),
        names=(),
    )
    tree = make_tree("coin", "utility", 1.0, 2, walk)
    solution = solve_linear_program(tree)
    assert solution.value == pytest.approx([1.0, -1.0])
    assert solution.strategy == pytest.approx([1.0, 0.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kuhn(players=3)", "has 3 players: a linear program solves 2"),
        ("matrix_pd", "the returns add up to anything from 2 to 10"),
    ],
)
def test_other_games_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        solve_linear_program(compile_tree(text))
    assert "\n" not in str(error.value)
