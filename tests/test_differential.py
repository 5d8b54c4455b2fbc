"""Compiled kernels and reference models agree on random hands with random parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerspiel.games import variants
from tests.differential import compare, game_string
from tests.random_play import SVITEN_VARIANTS, svara_parameters, sviten_parameters
from tests.reference.svara_model import SvaraModel
from tests.reference.sviten_model import SvitenModel

HANDS = 4
"""Hands played with each set of parameters."""

SEEDS = st.integers(0, 2**32 - 1)


def compare_hands(game: Any, model: type, parameters: dict[str, Any], seed: int) -> None:
    for hand in range(HANDS):
        compare(game, model(**parameters), np.random.default_rng([seed, hand]))


@settings(deadline=None, max_examples=150)
@given(svara_parameters(), SEEDS)
def test_svara_plays_as_its_model(parameters: dict[str, Any], seed: int) -> None:
    game = variants.load_variant("svara", parameters)
    compare_hands(game, SvaraModel, parameters, seed)


@settings(deadline=None, max_examples=150)
@given(sviten_parameters(), SEEDS)
def test_sviten_plays_as_its_model(parameters: dict[str, Any], seed: int) -> None:
    game = variants.load_variant("sviten_special", parameters)
    compare_hands(game, SvitenModel, parameters, seed)


@pytest.mark.parametrize("name", SVITEN_VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 5, 8])
@pytest.mark.parametrize("betting", ["fixed_limit", "pot_limit", "no_limit"])
def test_named_sviten_plays_as_its_model(name: str, players: int, betting: str) -> None:
    parameters = {"players": players, "betting": betting, "stack": 40}
    game = variants.load(game_string(name, parameters))
    compare_hands(game, SvitenModel, parameters | SVITEN_VARIANTS[name], seed=players)


@pytest.mark.parametrize("players", range(2, 10))
@pytest.mark.parametrize("betting", ["fixed_limit", "pot_limit", "no_limit"])
def test_named_svara_plays_as_its_model(players: int, betting: str) -> None:
    parameters = {"players": players, "betting": betting, "stack": 40}
    game = variants.load(game_string("svara", parameters))
    compare_hands(game, SvaraModel, parameters, seed=players)


@pytest.mark.parametrize(
    ("name", "model"), [("svara", SvaraModel), ("sviten_special", SvitenModel)]
)
def test_defaults_are_those_of_the_model(name: str, model: type) -> None:
    compare_hands(variants.load(name), model, {}, seed=1)
