"""`bench speed`: its document, and that each side counts what it says."""

from __future__ import annotations

import numpy as np
import pyspiel
import pytest

from pokerspiel.experiments import bench_speed
from pokerspiel.experiments.bench_speed import LIMIT_HOLDEM, Budget, Row, all_rows, measure
from tests.command_line import succeed


def test_bench_document() -> None:
    document = succeed("bench", "speed", "--quick", "--only", "five-card", "--json").document
    (row,) = document["rows"]
    assert {"name", "ours", "rival", "ratio", "goal"} <= row.keys()
    assert row["ratio"] == pytest.approx(row["ours"] / row["rival"])
    assert row["goal"] == 60


def test_every_ratio_of_the_plan_has_a_row() -> None:
    goals = {row.name: row.goal for row in all_rows()}
    assert goals == {
        "svara play-outs in the kernel": 50,
        "sviten_special play-outs in the kernel": 20,
        "svara play-outs through OpenSpiel": 0.5,
        "sviten_special play-outs through OpenSpiel": 0.5,
        "leduc external sampling": 6,
        "svara external sampling": 100,
        "sviten_special external sampling": 100,
        "five-card hands": 60,
        "Omaha with five hole cards": 100,
    }


def test_both_sides_take_turns_and_the_figures_are_medians() -> None:
    calls: list[str] = []
    values = {"ours": iter([0.0, 30.0, 10.0, 20.0]), "rival": iter([0.0, 4.0, 2.0, 6.0])}

    def side(name: str) -> bench_speed.Rate:
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
    few, many = (bench_speed._count_nodes("kuhn", 3, iterations) for iterations in (1, 50))
    assert few >= 2 + 2 * 4
    assert many > 30 * few / 2


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
