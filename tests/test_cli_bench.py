"""`bench speed` and `bench profile`: their documents, and that each side counts what it says."""

from __future__ import annotations

import numpy as np
import pyspiel
import pytest

from pokerspiel.experiments import bench_profile, bench_solvers, bench_speed
from pokerspiel.experiments.bench_row import Rate, Row
from pokerspiel.experiments.bench_speed import LIMIT_HOLDEM, Budget, all_rows, measure
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.sequence_form import sequence_form
from tests.command_line import succeed


def test_bench_document() -> None:
    document = succeed("bench", "speed", "--quick", "--only", "five-card", "--json").document
    (row,) = document["rows"]
    assert {"name", "ours", "rival", "ratio", "goal"} <= row.keys()
    assert row["ratio"] == pytest.approx(row["ours"] / row["rival"])
    assert row["goal"] == 60


def test_every_ratio_of_the_plan_has_a_row() -> None:
    goals = {(row.name, row.rival_name.partition(" ")[0]): row.goal for row in all_rows()}
    solvers = {(row.name, row.rival_name.partition(" ")[0]) for row in bench_solvers.rows()}
    assert {
        name: goal for (name, rival), goal in goals.items() if (name, rival) not in solvers
    } == {
        "svara play-outs in the kernel": 50,
        "sviten_special play-outs in the kernel": 20,
        "svara play-outs through OpenSpiel": 0.5,
        "sviten_special play-outs through OpenSpiel": 0.5,
        "leduc external sampling": 6,
        "svara external sampling": 100,
        "sviten_special external sampling": 100,
        "five-card hands": 60,
        "Omaha with five hole cards": 100,
        "leduc environment in batch": 50,
        "leduc Deep CFR": 20,
    }
    for game, against_openspiel, against_liteefg in (
        ("kuhn_poker", 80, 30),
        ("leduc_poker", 1400, 400),
        ("goofspiel, 5 cards", 1500, 700),
        ("liars_dice, 6 sides", 750, 900),
    ):
        assert goals[f"{game}, full tree", "OpenSpiel's"] == against_openspiel
        assert goals[f"{game}, full tree", "LiteEFG's"] == against_liteefg


def test_solver_rates_count_iterations() -> None:
    tree = compile_tree("kuhn_poker")
    assert bench_solvers.solver_rate("cfr", 1, "kuhn_poker", 0.05, 0) > 0
    solver = bench_solvers._solver("kuhn_poker", "cfr", 1)
    assert solver.nodes == solver.iteration * 2 * tree.nodes
    assert bench_solvers.compile_rate("leduc_poker", 0.0, 0) > 0
    assert bench_solvers.pyspiel_compile_rate("kuhn", 0.0, 0) > 0
    assert bench_solvers.exploitability_rate("kuhn_poker", 0.01, 0) > 0


def test_an_absolute_goal_needs_no_rival() -> None:
    row = Row("x", "things", 4.0, lambda seconds, seed: 7.0, None, "", absolute=True)
    result = measure(row, Budget(1, 0.0), 0)
    assert (result["ours"], result["ratio"], result["rival_name"]) == (7.0, None, "")


def test_profile_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_profile, "SECONDS", 0.01)
    document = succeed("bench", "profile", "kuhn_poker", "leduc_poker", "--json").document
    sparse, lanes = document["games"]
    assert (sparse["layout"], lanes["layout"]) == ("sparse rows", "lanes")
    for game in (sparse, lanes):
        assert game["bytes"] == sum(row["bytes"] for row in game["passes"])
        assert game["share_of_limit"] == pytest.approx(
            game["iterations_per_second"] / game["limit_iterations_per_second"]
        )


def test_bytes_of_kuhn_are_counted_by_hand() -> None:
    """12 sets of 2 actions in 3 groups, each padded to 8 sets; 26 rows and 60 payoffs in them."""
    layout = sequence_form(compile_tree("kuhn_poker")).layout
    assert (len(layout.rows), len(layout.values)) == (26, 60)
    assert bench_profile.bytes_moved(layout) == {
        "terminal values": 60 * (8 + 8 + 4) + 26 * (8 + 4),
        "regrets": 48 * 5 * 8 + 24 * (4 + 16),
        "reach and average": 48 * 5 * 8 + 24 * (4 + 8),
    }


def test_both_sides_take_turns_and_the_figures_are_medians() -> None:
    calls: list[str] = []
    values = {"ours": iter([0.0, 30.0, 10.0, 20.0]), "rival": iter([0.0, 4.0, 2.0, 6.0])}

    def side(name: str) -> Rate:
        def rate(seconds: float, seed: int) -> float:
            calls.append(name)
            return next(values[name])

        return rate

    row = Row("x", "things", 4.0, side("ours"), side("rival"), "rival")
    result = measure(row, Budget(3, 1.0), 0)
    assert calls == ["ours", "rival"] * 4
    assert (result["ours"], result["rival"], result["ratio"]) == (20.0, 4.0, 5.0)


def test_a_missing_rival_leaves_its_figures_open() -> None:
    row = Row("x", "things", 4.0, lambda seconds, seed: 7.0, None, "eval7")
    result = measure(row, Budget(1, 0.0), 0)
    assert result["ours"] == 7.0 and result["rival"] is None and result["ratio"] is None
    assert "not installed" in result["rival_name"]


def test_nodes_of_openspiel_s_solver_are_counted_as_it_visits_them() -> None:
    # On Kuhn poker every iteration of both players visits 2 roots, and each action and card.
    solver = bench_speed._openspiel_solver("kuhn", 3)
    few, many = (bench_speed._count_nodes(solver, "kuhn", iterations) for iterations in (1, 50))
    assert few >= 2 + 2 * 4
    assert many > 30 * few / 2


def test_a_training_of_openspiel_goes_on() -> None:
    training = bench_speed.OpenSpielTraining("kuhn")
    assert training(0.01, 3) > 0.0
    solvers = training._solvers
    assert training(0.01, 4) > 0.0 and training._solvers is solvers


def test_limit_holdem_is_the_game_that_it_is_called() -> None:
    game = pyspiel.load_game(LIMIT_HOLDEM)
    rng = np.random.default_rng(1)
    longest = 0
    for _ in range(200):
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            if not state.is_chance_node():
                assert len(actions) <= 3
            state.apply_action(int(rng.choice(actions)))
        longest = max(longest, sum(map(abs, state.returns())))
    assert longest <= 2 * (2 * 4 * (2 + 2 + 4 + 4))
