"""What is asked of every neural algorithm: to play all games, to resume, to refuse."""

from __future__ import annotations

from functools import partial

import pytest

pytest.importorskip("torch")

from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.neural.catalogue import NEURAL, new_solver, options_of
from pokerspiel.solvers.neural.neural_solver import NeuralSolver
from tests.neural.solver_checks import check_cut_run, check_foreign_arrays, check_plays

FEW = {"hands": "64", "traversals": "20", "updates": "5", "width": "8", "average_updates": "5"}


def new(name: str, game: Game, seed: int) -> NeuralSolver:
    """A small one."""
    known = vars(options_of(name, {}))
    settings = {key: value for key, value in FEW.items() if key in known}
    return new_solver(game, name, settings, seed, "cpu")


@pytest.mark.parametrize("name", list(NEURAL))
def test_a_run_is_the_same_however_it_is_cut(name: str) -> None:
    check_cut_run(partial(new, name))


@pytest.mark.parametrize("name", list(NEURAL))
def test_a_foreign_checkpoint_is_refused(name: str) -> None:
    check_foreign_arrays(partial(new, name))


@pytest.mark.parametrize("name", list(NEURAL))
@pytest.mark.parametrize("text", ["kuhn(players=3)", "mini_svara(players=3)", "mini_sviten"])
def test_every_game_is_learnt(name: str, text: str) -> None:
    check_plays(partial(new, name), text)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hand": "3"}, "did you mean hands"),
        ({"hands": "three"}, "expected a whole number"),
        ({"hands": "0"}, "hands=0: expected a number more than 0"),
        ({"clip": "2"}, "at most 1"),
        ({"learning_rate": "nan"}, "learning_rate=nan"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        new_solver(load("kuhn"), "ppo", settings)


def test_an_unknown_algorithm_or_device_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean ppo"):
        new_solver(load("kuhn"), "ppoo")
    with pytest.raises(ValueError, match="device=abacus"):
        new_solver(load("kuhn"), "ppo", device="abacus")
