"""The full-tree algorithms against the papers, OpenSpiel, and each other."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np
import pyspiel
import pytest

from pokerspiel.solvers.algorithms import DISCOUNTING, Linear
from pokerspiel.solvers.best_response import Evaluator
from pokerspiel.solvers.catalogue import ALGORITHMS, Plan, entry, new_solver
from pokerspiel.solvers.cfr import Cfr
from pokerspiel.solvers.cfr_br import CfrBr
from pokerspiel.solvers.compile_tree import compile_tree, load_spiel_game
from pokerspiel.solvers.fictitious_play import FictitiousPlay
from pokerspiel.solvers.lanes import find_lanes
from pokerspiel.solvers.mirror_descent import MirrorDescent
from pokerspiel.solvers.sequence_form import sequence_form
from pokerspiel.solvers.tree import Tree
from tests.reference.cfr import ReferenceCfr

GOOFSPIEL = (
    "turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards=4,"
    "points_order=descending,returns_type=win_loss))"
)
FULL_TREE = [name for name, found in ALGORITHMS.items() if not found.sampled]


@lru_cache(maxsize=16)
def tree_of(game: str) -> Tree:
    return compile_tree(game)


def exploitability(game: str, solver: Any) -> float:
    return Evaluator(tree_of(game)).exploitability(solver.average_strategy())


# The definitions. Iteration t multiplies the regrets of iteration t - 1 by (t-1)^α / ((t-1)^α + c).


def _fraction(t: int, exponent: float, offset: float = 1.0) -> float:
    if exponent in (inf, -inf):
        return 1.0 if exponent > 0 else 0.0
    return (t - 1) ** exponent / ((t - 1) ** exponent + offset) if t > 1 else 0.0


PAPERS = {
    "cfr": lambda t: (1.0, 1.0, 1.0),
    "cfr+": lambda t: (1.0, 0.0, (t - 1) / t),
    "lcfr": lambda t: ((t - 1) / t, (t - 1) / t, (t - 1) / t),
    "dcfr": lambda t: (_fraction(t, 1.5), _fraction(t, 0.0), ((t - 1) / t) ** 2),
    "dcfr+": lambda t: (_fraction(t, 1.5, 1.5), 0.0, ((t - 1) / t) ** 4),
    "pcfr+": lambda t: (1.0, 0.0, ((t - 1) / t) ** 2),
    "pdcfr+": lambda t: (_fraction(t, 2.3), 0.0, ((t - 1) / t) ** 5),
}


def _uneven(history: list[int], players: int) -> list[float]:
    """Payoffs without ties: where regrets are equal, rounding would choose."""
    draw = np.random.default_rng([17, *history])
    return list(draw.normal(size=players))


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize(
    "game", ["kuhn_poker", "liars_dice(dice_sides=2)", "kuhn_poker(players=3)", "leduc_poker"]
)
@pytest.mark.parametrize("algorithm", PAPERS)
def test_each_algorithm_follows_its_paper(algorithm: str, game: str, alternating: bool) -> None:
    """On any payoffs, of no constant sum, for two and three players."""
    tree = tree_of(game)
    players, iterations = tree.players, 3 if game == "leduc_poker" else 12
    payoffs = [_uneven(tree.history(int(node)), players) for node in tree.terminal]
    tree = dataclasses.replace(tree, returns=np.array(payoffs))
    reference = ReferenceCfr(
        load_spiel_game(game),
        PAPERS[algorithm],
        alternating,
        DISCOUNTING[algorithm].predictive,
        lambda state: _uneven(state.history(), players),
    )
    for _ in range(iterations):
        reference.iterate()
    for lanes in (True, False):
        solver = Cfr(tree, algorithm, alternating, form=sequence_form(tree, lanes=lanes))
        solver.run(iterations)
        ours = solver.average_strategy()
        for i in range(tree.information_sets):
            key = f"{tree.set_player[i]} {tree.name(i)}"
            mine = ours[tree.set_first[i] : tree.set_first[i + 1]]
            assert mine == pytest.approx(reference.average_strategy(key), abs=1e-9), key


def test_schedules_follow_their_paper() -> None:
    row = DISCOUNTING["hs-dcfr"]
    assert (row.alpha, row.beta, row.gamma) == (Linear(1, 3), Linear(-1, -2), Linear(30, -5))
    assert DISCOUNTING["hs-pcfr+"].gamma == Linear(30, -5)
    assert {name for name in DISCOUNTING if entry(name).scheduled} == {"hs-dcfr", "hs-pcfr+"}


@pytest.mark.parametrize(("game", "iterations"), [("kuhn_poker", 50), ("leduc_poker", 5)])
def test_cfr_is_openspiels_cfr(game: str, iterations: int) -> None:
    tree = tree_of(game)
    theirs = pyspiel.CFRSolver(pyspiel.load_game(game))
    solver = Cfr(tree, "cfr")
    for _ in range(iterations):
        theirs.evaluate_and_update_policy()
    solver.run(iterations)
    table = theirs.tabular_average_policy().policy_table()
    ours = solver.average_strategy()
    for i in range(tree.information_sets):
        expected = [p for _, p in table[tree.name(i)]]
        assert ours[tree.set_first[i] : tree.set_first[i + 1]] == pytest.approx(expected, abs=1e-9)


def test_cfr_on_leduc_is_as_far_as_openspiel_says() -> None:
    solver = Cfr(tree_of("leduc_poker"), "cfr")
    solver.run(101)
    assert exploitability("leduc_poker", solver) == pytest.approx(0.0939493, abs=5e-7)
    solver.run(899)
    assert exploitability("leduc_poker", solver) == pytest.approx(0.0118178, rel=1e-3)


@pytest.mark.parametrize(
    ("algorithm", "kuhn", "leduc"),
    [
        ("cfr", 9.4e-4, 1.18e-2),
        ("cfr+", 8.7e-5, 2.4e-4),
        ("lcfr", 9.4e-5, 5.4e-3),
        ("dcfr", 1.5e-4, 1.8e-4),
        ("dcfr+", 1.1e-4, 1.7e-4),
        ("pcfr+", 2.4e-8, 7.1e-4),
        ("pdcfr+", 1e-12, 9.0e-4),
        ("hs-dcfr", 3.8e-4, 5.2e-4),
        ("hs-pcfr+", 1e-12, 9.6e-4),
    ],
)
def test_a_thousand_iterations_reach_the_published_figures(
    algorithm: str, kuhn: float, leduc: float
) -> None:
    """Within 10 %, but for ties in Leduc, where rounding decides: there 60 %."""
    for game, figure in (("kuhn_poker", kuhn), ("leduc_poker", leduc)):
        solver = Cfr(tree_of(game), algorithm, horizon=1000)
        solver.run(1000)
        slack = 1.6 if game == "leduc_poker" and algorithm != "cfr" else 1.1
        assert exploitability(game, solver) < slack * figure


def test_mirror_descent_reaches_the_published_figure() -> None:
    solver = MirrorDescent(tree_of("leduc_poker"))
    solver.run(1000)
    assert exploitability("leduc_poker", solver) == pytest.approx(7.1e-2, rel=0.02)


@pytest.mark.parametrize("algorithm", FULL_TREE)
@pytest.mark.parametrize(("game", "value"), [("kuhn_poker", -1 / 18), ("mini_svara", None)])
def test_every_algorithm_comes_closer(algorithm: str, game: str, value: float | None) -> None:
    tree = tree_of(game)
    evaluator = Evaluator(tree)
    solver = new_solver(tree, algorithm, Plan(horizon=2000))
    solver.run(100)
    early = evaluator.exploitability(solver.average_strategy())
    solver.run(1900)
    late = evaluator.evaluate(solver.average_strategy())
    assert late.exploitability < max(0.7 * early, 1e-9)
    if value is not None:
        # The value of a strategy pair differs from that of the game by its NashConv at most.
        assert abs(late.values[0] - value) <= late.nash_conv + 1e-12


def test_cfr_br_bounds_each_player_by_its_own_regret() -> None:
    """The best responder wins at least the value of the game in every iteration."""
    tree = tree_of("leduc_poker")
    solver = CfrBr(tree)
    solver.run(300)
    found = Evaluator(tree).evaluate(solver.average_strategy())
    assert found.best_values[1] >= 0.085606 - 1e-6
    assert found.best_values[0] >= -0.085606 - 1e-6


def test_cfr_br_is_for_two_players() -> None:
    with pytest.raises(ValueError, match="two players: kuhn_poker"):
        CfrBr(tree_of("kuhn_poker(players=3)"))


def test_fictitious_play_mixes_in_best_responses() -> None:
    """After one iteration at once the average is half uniform, half the response to uniform."""
    tree = tree_of("kuhn_poker")
    solver = FictitiousPlay(tree, alternating=False)
    solver.run(1)
    strategy = solver.average_strategy()
    by_name = {tree.name(i): strategy[tree.set_first[i] : tree.set_first[i + 1]] for i in range(12)}
    # With the king a bet is answered by a call: worth 2; a pass after a bet loses 1 for sure.
    assert by_name["2b"].tolist() == pytest.approx([0.25, 0.75])
    assert by_name["0b"].tolist() == pytest.approx([0.75, 0.25])


# One engine, several layouts.


def test_lanes_are_found_where_private_chance_comes_first() -> None:
    found = find_lanes(tree_of("leduc_poker"))
    assert found is not None and found.count == (6, 6)
    dice = find_lanes(tree_of("liars_dice(dice_sides=5)"))
    assert dice is not None and dice.count == (5, 5)
    for game in (GOOFSPIEL, "mini_svara", "mini_sviten", "kuhn_poker(players=3)"):
        assert find_lanes(tree_of(game)) is None


@pytest.mark.parametrize("game", ["leduc_poker", "liars_dice(dice_sides=4)"])
@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "pcfr+"])
def test_lanes_and_sparse_rows_run_the_same_algorithm(game: str, algorithm: str) -> None:
    tree = tree_of(game)
    strategies = []
    for lanes in (True, False):
        form = sequence_form(tree, lanes=lanes)
        assert (form.layout.blocks.width > 0) == lanes
        solver = Cfr(tree, algorithm, form=form)
        solver.run(8)
        strategies.append(solver.average_strategy())
    assert np.abs(strategies[0] - strategies[1]).max() < 1e-9


def test_any_number_of_threads_gives_the_same_numbers() -> None:
    tree = tree_of("liars_dice")
    for lanes in (True, False):
        runs = []
        for threads in (1, 2):
            form = sequence_form(tree, lanes=lanes)
            solver = Cfr(tree, "dcfr", threads=threads, form=form)
            solver.run(5)
            runs.append(solver.to_arrays())
        for name, values in runs[0].items():
            assert np.array_equal(values, runs[1][name]), name


def test_a_factor_on_all_payoffs_changes_nothing() -> None:
    tree = tree_of("leduc_poker")
    for lanes in (True, False):
        form = sequence_form(tree, lanes=lanes)
        plain, doubled = Cfr(tree, "dcfr", form=form), Cfr(tree, "dcfr", form=form.scaled(2.0))
        plain.run(20)
        doubled.run(20)
        assert np.array_equal(plain.average_strategy(), doubled.average_strategy())


@pytest.mark.parametrize("algorithm", FULL_TREE)
def test_a_run_in_pieces_is_the_same_run(algorithm: str) -> None:
    tree = tree_of("leduc_poker")
    whole = new_solver(tree, algorithm, Plan(horizon=40))
    whole.run(40)
    first = new_solver(tree, algorithm, Plan(horizon=40))
    first.run(17)
    second = new_solver(tree, algorithm, Plan(horizon=40))
    second.restore(first.to_arrays(), first.to_numbers())
    assert (second.iteration, second.nodes) == (17, first.nodes)
    second.run(23)
    assert second.nodes == whole.nodes
    for name, values in whole.to_arrays().items():
        assert np.array_equal(values, second.to_arrays()[name]), name


@pytest.mark.parametrize("algorithm", FULL_TREE)
def test_a_state_of_another_game_is_refused(algorithm: str) -> None:
    solver = new_solver(tree_of("leduc_poker"), algorithm)
    other = new_solver(tree_of("kuhn_poker"), algorithm)
    with pytest.raises(ValueError, match="does not fit leduc_poker"):
        solver.restore(other.to_arrays(), other.to_numbers())


def test_nodes_touched_are_counted_for_every_pass() -> None:
    tree = tree_of("leduc_poker")
    alternating, together = Cfr(tree, "cfr"), Cfr(tree, "cfr", alternating=False)
    alternating.run(3)
    together.run(3)
    assert (alternating.nodes, together.nodes) == (3 * 2 * 9_457, 3 * 9_457)


def test_an_unknown_algorithm_is_named() -> None:
    with pytest.raises(ValueError, match=r"unknown algorithm 'dcrf': did you mean dcfr"):
        entry("dcrf")


def test_a_time_limit_ends_a_run() -> None:
    solver = Cfr(tree_of("leduc_poker"), "dcfr")
    solver.run(seconds=0.2)
    assert solver.iteration > 0
    assert 0.05 < solver.seconds < 5.0
