"""Corrected scores: no bias, little luck, nothing that hangs on batches or on who is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.arena import Match, joined, play_deals, play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.exact_strategy import strategy_of, values_against
from pokerspiel.agents.scores import Score, hands_saved, player_scores, score_of
from pokerspiel.agents.value_fitting import fit_values, other_seed
from pokerspiel.agents.value_function import ValueFunction, load_values
from pokerspiel.games.variants import Game, exact, load
from pokerspiel.solvers.catalogue import new_solver
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.strategies import blueprint_of
from tests.some_agents import UniformViewer

REPETITIONS = 100
FEWEST_INSIDE = 88
"""Of 100 intervals of 95 %: fewer lie around the truth once in a thousand times."""


@lru_cache(maxsize=8)
def solved(name: str) -> Bot:
    """A bot that plays an equilibrium of a small game."""
    tree = compile_tree(str(load(name)))
    solver = new_solver(tree, "dcfr")
    solver.run(iterations=300)
    return Bot("solved", load(name), blueprint_of(tree, solver.average_strategy()), None)


def player(name: str, game: str) -> CompiledAgent:
    return solved(game) if name == "solved" else BASELINES[name]()


@lru_cache(maxsize=8)
def fitted(game: str, names: tuple[str, ...], hands: int = 6000) -> ValueFunction:
    return fit_values([[player(name, game) for name in names]], load(game), hands, seed=1)


def exact_mbb(agents: Sequence[CompiledAgent], game: Game) -> float:
    """What the first of two agents wins, over both seats, in mbb/hand."""
    tree = compile_tree(str(exact(game)))
    values = values_against(strategy_of(agents[0], tree)[0], agents[1], tree)
    return float(values.mean()) * 1000.0 / game.limits.big_unit


@pytest.mark.parametrize(
    ("text", "names", "deals"),
    [
        pytest.param("leduc", ("random", "always-call"), 100, marks=pytest.mark.slow),
        ("leduc", ("solved", "random"), 100),
        ("mini_svara", ("random", "solved"), 100),
        ("mini_sviten", ("solved", "random"), 50),
    ],
)
def test_corrected_means_are_those_of_the_pair(
    text: str, names: tuple[str, str], deals: int
) -> None:
    game = load(text)
    agents = [player(name, text) for name in names]
    truth = exact_mbb(agents, game)
    values = fitted(text, names)
    scores = play_deals(agents, game, 0, deals * REPETITIONS, 7, values)
    assert scores.corrected is not None
    unit = 1000.0 / game.limits.big_unit
    corrected = player_scores(scores.corrected)[:, 0].reshape(REPETITIONS, deals)
    intervals = [score_of(part, unit).ci95 for part in corrected]
    inside = sum(ci95 is not None and ci95[0] <= truth <= ci95[1] for ci95 in intervals)
    assert inside >= FEWEST_INSIDE
    whole = score_of(corrected.ravel(), unit)
    plain = score_of(player_scores(scores.chips)[:, 0], unit)
    assert whole.mbb_per_hand is not None and whole.width is not None and plain.width is not None
    assert abs(whole.mbb_per_hand - truth) < 2.0 * whole.width
    assert whole.width < plain.width / 2


@pytest.mark.parametrize("text", ["leduc", pytest.param("mini_svara", marks=pytest.mark.slow)])
def test_little_luck_is_left_at_an_equilibrium(text: str) -> None:
    agents = [solved(text), solved(text)]
    values = fitted(text, ("solved", "solved"), 20_000)
    result = play_match(agents, load(text), 4000, 3, values=values)
    assert result.players[0].corrected is not None
    saved = hands_saved(result.players[0].plain, result.players[0].corrected)
    assert saved is not None and saved > 100.0


def test_corrections_add_up_to_nothing_over_the_seats() -> None:
    game = load("kuhn(players=3)")
    names = ("always-call", "random", "tight")
    agents = [BASELINES[name]() for name in names]
    values = fit_values([agents], game, 3000, seed=2)
    scores = play_deals(agents, game, 0, 300, 5, values)
    assert scores.corrected is not None
    np.testing.assert_allclose(scores.corrected.sum(axis=2), 0.0, atol=1e-6)
    assert not np.array_equal(scores.corrected, scores.chips)
    corrected = score_of(player_scores(scores.corrected)[:, 0])
    assert corrected.width is not None
    assert corrected.width < (score_of(player_scores(scores.chips)[:, 0]).width or 0.0)


def test_a_player_who_is_not_known_gets_less_taken_out() -> None:
    game = load("leduc")
    values = fitted("leduc", ("random", "always-call"))
    unknown: list[Agent] = [UniformViewer(), BASELINES["always-call"]()]
    known: list[Agent] = [BASELINES["random"](), BASELINES["always-call"]()]
    widths = []
    for agents in (known, unknown):
        result = play_match(agents, game, 2000, 4, values=values).players[0]
        assert result.corrected is not None and result.corrected.width is not None
        assert result.score.width is not None
        widths.append((result.corrected.width, result.score.width))
    assert widths[0][1] == widths[1][1]
    assert widths[0][0] < widths[1][0] < widths[1][1]


def test_corrected_scores_do_not_depend_on_batches_or_pieces() -> None:
    game = load("leduc")
    agents = [solved("leduc"), BASELINES["equity"]()]
    values = fitted("leduc", ("solved", "random"))
    whole = play_deals(agents, game, 0, 90, 8, values).corrected
    with Match(agents, game, 8, values=values) as match:
        parts = [*match.play(0, 40, 2), *match.play(40, 50, 14)]
    pieces = joined(parts).corrected
    assert whole is not None and pieces is not None
    np.testing.assert_array_equal(whole, pieces)


def test_values_are_kept_in_a_file(tmp_path: Path) -> None:
    values = fitted("leduc", ("random", "always-call"))
    path = tmp_path / "leduc.values"
    values.save(path)
    again = load_values(path)
    assert again.words == values.words
    assert again.scale == values.scale
    np.testing.assert_array_equal(again.network.weights, values.network.weights)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match=r"leduc\.values is no value function"):
        load_values(path)
    replace(values, scale=float("nan")).save(path)
    with pytest.raises(ValueError, match="its scale is nan: expected a number above 0"):
        load_values(path)
    with pytest.raises(ValueError, match="does not exist"):
        load_values(tmp_path / "none.values")


def test_values_of_another_game_or_of_the_same_deals_are_refused() -> None:
    values = fitted("leduc", ("random", "always-call"))
    agents = [BASELINES["random"](), BASELINES["tight"]()]
    with pytest.raises(ValueError, match=r"a value function of leduc.* says nothing about kuhn"):
        play_match(agents, load("kuhn"), 10, values=values)
    with pytest.raises(ValueError, match="fitted on its deals"):
        play_match(agents, load("leduc"), 10, seed=other_seed(1), values=values)


def test_a_factor_of_hands_is_a_ratio_of_squared_intervals() -> None:
    assert hands_saved(Score(0.0, (-3.0, 3.0)), Score(1.0, (0.0, 2.0))) == pytest.approx(9.0)
    assert hands_saved(Score(0.0, None), Score(1.0, (0.0, 2.0))) is None
    assert hands_saved(Score(0.0, (-3.0, 3.0)), Score(1.0, (1.0, 1.0))) is None
