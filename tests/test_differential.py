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


def compare_hands(
    game: Any, model: type, parameters: dict[str, Any], seed: int, hands: int = HANDS
) -> None:
    for hand in range(hands):
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


TIES = {"hole_cards": 2, "flop_cards": 1, "turn_cards": 0, "river_cards": 0, "rounds": 3}
TIES |= {"omaha_hole": 1, "omaha_board": 1, "ranks": "QKA", "players": 4, "max_discards": 1}
TIES |= {"big_blind": 3, "stacks": "3 5 3 5"}
SHORT_STACKS = {"players": 7, "big_blind": 4, "small_blind": 2, "stacks": "99 70 60 14 9 11 17"}
MANY_SVARKAS = {"players": 5, "ranks": "TJQKA", "hole_cards": 1, "max_svarkas": 6}
MANY_SVARKAS |= {"stacks": "4 30 31 40 29", "betting": "no_limit", "bet_sizes": "min 1"}

DIRECTED = {
    "odd chips": ("sviten_special", TIES, 2000),
    "odd chips, Omaha half first": ("sviten_special", TIES | {"odd_chip": "omaha"}, 500),
    "odd chips, by position": ("sviten_special", TIES | {"odd_chip": "position"}, 500),
    "short all-ins": ("sviten_special", SHORT_STACKS | {"betting": "no_limit"}, 150),
    "short all-ins, fixed limit": ("sviten_special", SHORT_STACKS, 150),
    "svarkas in a row": ("svara", MANY_SVARKAS, 300),
    "svarkas without blinds": ("svara", MANY_SVARKAS | {"blind_phase": False}, 1000),
    "svarkas, shared at the bound": ("svara", MANY_SVARKAS | {"max_svarkas": 2}, 300),
}
"""Parameters under which rare rules decide often, and how many hands it takes to see them."""


@pytest.mark.parametrize("case", DIRECTED)
def test_rare_rules(case: str) -> None:
    name, parameters, hands = DIRECTED[case]
    game = variants.load_variant(name, parameters)
    model = SvaraModel if name == "svara" else SvitenModel
    compare_hands(game, model, parameters, seed=7, hands=hands)


@pytest.mark.parametrize(
    ("name", "model"), [("svara", SvaraModel), ("sviten_special", SvitenModel)]
)
def test_defaults_are_those_of_the_model(name: str, model: type) -> None:
    compare_hands(variants.load(name), model, {}, seed=1)
