"""Every variant passes the conformance suite, for several seats, structures and abstractions."""

import pickle
import subprocess
import sys

import pyspiel
import pytest

from pokerspiel.games import conformance
from pokerspiel.games.variants import VARIANTS, load

GAMES = [
    "kuhn",
    "kuhn(players=4)",
    "leduc",
    "leduc(players=3)",
    "mini_svara",
    "mini_svara(players=3)",
    "mini_sviten",
    "svara",
    "svara(players=3,stack=9,abstraction=points)",
    "svara(abstraction=hands)",
    "svara(players=3,stack=9,abstraction=hands)",
    "svara(abstraction=blockers)",
    "mini_svara(abstraction=hands)",
    "svara(hole_cards=2,suits=chs,stacks=7 4,allow_check=True,abstraction=hands)",
    "mini_svara(players=3,ranks=78KA,max_svarkas=9,abstraction=blockers)",
    "svara(players=9,stacks=20 5 9 30 7 12 6 8 40,betting=no_limit)",
    "svara(players=4,betting=pot_limit,bet_sizes=0.5 1 max,stack=15)",
    "svara(allow_check=True,max_blind_laps=2,joker_mode=sum_all,sevens=fixed_23,ranks=7KA,players=4)",
    "svara(players=5,blind_phase=False,svarka_ante=True,buyin_rounding=nearest,ranks=7 8 9 T)",
    "sviten_special",
    "sviten_special(players=8)",
    "sviten_special(players=6,abstraction=halves)",
    "sviten_special(players=3,betting=pot_limit,bet_sizes=pot)",
    "sviten_special(players=5,betting=no_limit,stacks=10 20 30 7 50)",
    "sviten_special(players=7,burn=True,odd_chip=fractional)",
    "sviten_flush(abstraction=halves)",
    "sviten_flush(players=4,stack=9,odd_chip=position)",
    "dramaha(players=5,max_discards=3)",
    "mini_sviten(players=2,max_wagers=3,abstraction=halves)",
]


def hands_of(game: str) -> int:
    return 12 if load(game).players > 4 else 25


@pytest.mark.parametrize("name", GAMES)
def test_chips_actions_and_recall(name: str) -> None:
    game = pyspiel.load_game(name)
    recall = conformance.Recall(perfect=game.game.parameters.get("abstraction", "none") == "none")
    for seed in range(hands_of(name)):
        conformance.check_hand(game, seed, recall)


@pytest.mark.parametrize("name", ["mini_svara", "mini_sviten", "leduc"])
def test_perfect_recall_of_small_games_over_many_hands(name: str) -> None:
    game = pyspiel.load_game(name)
    recall = conformance.Recall(perfect=True)
    for seed in range(1500):
        conformance.check_hand(game, seed, recall)


@pytest.mark.parametrize("name", GAMES)
def test_nothing_hidden_leaks(name: str) -> None:
    game = pyspiel.load_game(name)
    assert sum(conformance.check_hidden(game, seed) for seed in range(3)) > 0


@pytest.mark.parametrize("name", [name for name in GAMES if not name.startswith(("kuhn", "leduc"))])
def test_suits_are_exchangeable(name: str) -> None:
    game = pyspiel.load_game(name)
    svara = "joker_mode" in game.game.parameters
    suits = game.game.parameters["suits"]
    all_suits = ["cdhs".index(suit) for suit in suits]
    exchangeable = all_suits[1:] if svara else all_suits
    for seed in range(8):
        conformance.check_suits(game, seed, exchangeable)


@pytest.mark.parametrize("name", GAMES)
def test_openspiel_simulation_and_serialisation(name: str) -> None:
    conformance.check_openspiel(name)


@pytest.mark.parametrize("name", list(VARIANTS))
def test_every_variant_is_registered_with_its_defaults(name: str) -> None:
    assert pyspiel.load_game(name).game.parameters == load(name).parameters


def test_a_state_pickles_into_a_fresh_process() -> None:
    game = pyspiel.load_game("svara(players=3)")
    state = game.new_initial_state()
    for action in (3, 20, 24, 28, 32, 36, 40, 44, 48, 21):
        state.apply_action(action)
    code = (
        "import sys, pickle, pokerspiel.games;"
        "state = pickle.loads(sys.stdin.buffer.read());"
        "print(state.information_state_string(0)); print(str(state))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(state), capture_output=True, check=True
    )
    assert result.stdout.decode().split("\n")[:2] == [
        state.information_state_string(0),
        str(state),
    ]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("svara(players=10)", "players=10"),
        ("svara(stack=-3)", "stack=-3"),
        ("svara(ante=5,stack=4)", "4 chips"),
        ("sviten_special(players=9)", "players=9"),
        ("sviten_special(players=8,burn=True)", "run dry"),
        ("svara(blind_multipliers=1 2)", "blind_multipliers"),
        ("svara(bet_sizes=half,betting=pot_limit)", "half"),
        ("svara(abstraction=halves)", "abstraction=halves"),
        ("svara(ranks=2 3 4)", "below a seven"),
        ("svara(stacks=10 20 30)", "expected 2 numbers"),
    ],
)
def test_parameters_out_of_range_raise_a_clear_error(text: str, word: str) -> None:
    with pytest.raises(ValueError, match=word) as caught:
        load(text)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=word):
        pyspiel.load_game(text)
