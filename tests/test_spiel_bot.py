"""Agents as bots of OpenSpiel's, and bots of OpenSpiel's as agents."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import evaluate_bots
from open_spiel.python.bots import uniform_random

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.spiel_bot import as_spiel_bot, from_spiel_bot, spiel_game_of
from pokerspiel.games.variants import load
from tests.some_agents import UniformViewer, random_bot
from tests.test_arena import exact_value

GAMES = ("kuhn", "leduc", "svara(players=3)", "mini_sviten", "sviten_special")


def _agent(name: str, text: str) -> Any:
    if name == "viewer":
        return UniformViewer()
    return random_bot(text, 50) if name == "table" else BASELINES[name]()


def _uniform(spiel_game: pyspiel.Game, player: int) -> pyspiel.Bot:
    return uniform_random.UniformRandomBot(player, np.random.default_rng(player))


@pytest.mark.parametrize("name", ["tight", "equity", "random", "table", "viewer"])
@pytest.mark.parametrize("text", GAMES)
def test_openspiels_evaluators_run_our_bots(text: str, name: str) -> None:
    game = spiel_game_of(load(text))
    bots = [
        as_spiel_bot(_agent(name, text), game, player, seed=player)
        for player in range(game.num_players())
    ]
    random = np.random.default_rng(1)
    for _ in range(3):
        returns = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, random)
        assert sum(returns) == pytest.approx(0.0)
    returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 3)
    assert sum(returns) == pytest.approx(0.0)


def _decisions(text: str, seed: int, hands: int = 3) -> Any:
    """The decision nodes of random hands."""
    game = spiel_game_of(load(text))
    random = np.random.default_rng(seed)
    for _ in range(hands):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() >= 0:
                yield game, state
                choices = state.legal_actions()
            else:
                choices = [card for card, _ in state.chance_outcomes()]
            state.apply_action(int(random.choice(choices)))


@pytest.mark.parametrize("text", GAMES)
def test_the_policy_of_a_bot_is_the_agents(text: str) -> None:
    agent = _agent("table", text)
    seated = agent.sit(load(text))
    for game, state in _decisions(text, 5):
        player = state.current_player()
        bot = as_spiel_bot(agent, game, player)
        assert bot.provides_policy()
        policy, action = bot.step_with_policy(state)
        assert policy == bot.get_policy(state)
        assert dict(policy) == seated.distribution(state.kernel_state(), state.history(), 0)
        assert [choice for choice, _ in policy] == state.legal_actions()
        assert dict(policy)[action] > 0.0
        assert bot.step(state) in state.legal_actions()
        waiting = as_spiel_bot(agent, game, (player + 1) % game.num_players())
        assert waiting.get_policy(state) == []
        assert waiting.step_with_policy(state) == ([], pyspiel.INVALID_ACTION)


def test_steps_are_as_frequent_as_the_policy_says() -> None:
    agent = _agent("table", "leduc")
    for game, state in _decisions("leduc", 2, 1):
        bot = as_spiel_bot(agent, game, state.current_player(), seed=4)
        steps = 4000
        count = Counter(bot.step(state) for _ in range(steps))
        for action, chance in bot.get_policy(state):
            error = np.sqrt(steps * chance * (1 - chance)) + 1e-9
            assert abs(count[action] - steps * chance) < 4.5 * error


def test_a_seed_gives_the_same_play_and_hands_differ() -> None:
    game = spiel_game_of(load("leduc"))

    def play(seed: int) -> list[list[int]]:
        bots = [as_spiel_bot(BASELINES["random"](), game, player, seed) for player in range(2)]
        hands = []
        for _ in range(20):
            state = game.new_initial_state()
            for card in (0, 3):
                state.apply_action(card)
            for bot in bots:
                bot.restart_at(state)
            for _ in range(2):
                state.apply_action(bots[state.current_player()].step(state))
                if state.current_player() < 0:
                    break
            hands.append(state.history())
        return hands

    assert play(1) == play(1)
    assert play(1) != play(2)
    assert len({tuple(hand) for hand in play(1)}) > 2


def test_evaluation_by_openspiel_comes_to_the_exact_value() -> None:
    agents: list[CompiledAgent] = [BASELINES["equity"](), random_bot("kuhn")]
    game = spiel_game_of(load("kuhn"))
    random = np.random.default_rng(3)
    hands = 3000
    total = []
    for seat in range(2):
        by_seat = agents if seat == 0 else agents[::-1]
        bots = [as_spiel_bot(agent, game, player, 7) for player, agent in enumerate(by_seat)]
        for _ in range(hands // 2):
            state = game.new_initial_state()
            total.append(evaluate_bots.evaluate_bots(state, bots, random)[seat])
    error = np.std(total) / np.sqrt(hands)
    assert abs(np.mean(total) - exact_value(agents, load("kuhn"))) < 4 * error


def test_a_bot_of_openspiels_meets_the_exact_value_in_the_arena() -> None:
    uniform = from_spiel_bot(_uniform, "uniform")
    value = 1000 * exact_value([BASELINES["random"](), BASELINES["equity"]()], load("kuhn"))
    result = play_match([uniform, BASELINES["equity"]()], load("kuhn"), 3000, 2)
    score = result.players[0].score
    assert score.ci95 is not None
    assert score.mbb_per_hand is not None
    assert abs(score.mbb_per_hand - value) < 2 * (score.ci95[1] - score.ci95[0])
    assert result.players[0].name == "uniform"


class _Recorder(pyspiel.Bot):  # type: ignore[misc]
    """Plays the last legal action and writes down what it is told."""

    def __init__(self, player: int) -> None:
        super().__init__()
        self.player = player
        self.hands: list[list[tuple[int, int]]] = []

    def restart_at(self, state: pyspiel.State) -> None:
        assert state.history() == []
        self.hands.append([])

    def inform_action(self, state: pyspiel.State, player: int, action: int) -> None:
        assert player == state.current_player()
        self.hands[-1].append((player, action))

    def step(self, state: pyspiel.State) -> int:
        assert state.current_player() == self.player
        action = state.legal_actions()[-1]
        self.hands[-1].append((self.player, action))
        return int(action)


@pytest.mark.parametrize("text", ["kuhn(players=3)", "svara", "mini_sviten"])
def test_a_bot_of_openspiels_is_told_whole_hands(text: str) -> None:
    game = load(text)
    recorders: dict[int, _Recorder] = {}

    def make_bot(spiel_game: pyspiel.Game, player: int) -> pyspiel.Bot:
        return recorders.setdefault(player, _Recorder(player))

    rest = [BASELINES["random"]()] * (game.players - 1)
    result = play_match([from_spiel_bot(make_bot, "recorder"), *rest], game, 30, 4)
    assert result.hands == 30
    assert sum(len(recorder.hands) for recorder in recorders.values()) == 30
    for recorder in recorders.values():
        assert len(recorder.hands) == 30 // game.players
        for hand in recorder.hands:
            state = spiel_game_of(game).new_initial_state()
            for player, action in hand:
                assert player == state.current_player()
                state.apply_action(action)
            assert state.is_terminal()


class _Cheat(pyspiel.Bot):  # type: ignore[misc]
    """Plays what does not exist."""

    def restart_at(self, state: pyspiel.State) -> None:
        pass

    def inform_action(self, state: pyspiel.State, player: int, action: int) -> None:
        pass

    def step(self, state: pyspiel.State) -> int:
        return 99


def test_an_illegal_step_is_refused() -> None:
    cheat = from_spiel_bot(lambda game, player: _Cheat(), "cheat")
    with pytest.raises(ValueError, match=r"cheat plays 99: legal are \[0, 1\]"):
        play_match([cheat, BASELINES["random"]()], load("kuhn"), 2)


@pytest.mark.parametrize(
    "text",
    [
        "svara(betting=pot_limit,bet_sizes=0.5 1 max,blind_multipliers=2x)",
        "sviten_special(players=3,stacks=30 40 50)",
        "svara(abstraction=points)",
    ],
)
def test_openspiels_game_has_the_same_parameters(text: str) -> None:
    assert dict(spiel_game_of(load(text)).game.parameters) == dict(load(text).parameters)


def test_a_bot_plays_in_its_own_abstraction_too() -> None:
    text = "sviten_special(abstraction=halves)"
    bot = random_bot(text, 50)
    for abstract in (text, "sviten_special"):
        game = spiel_game_of(load(abstract))
        bots = [bot.as_spiel_bot(game, player) for player in range(2)]
        assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 3)) == pytest.approx(0.0)


def test_what_cannot_be_a_bot_is_refused() -> None:
    with pytest.raises(ValueError, match="random-table plays kuhn"):
        as_spiel_bot(random_bot("kuhn", 5), "leduc", 0)
    with pytest.raises(ValueError, match="player=2 is not allowed: expected 0 to 1"):
        as_spiel_bot(BASELINES["random"](), "kuhn", 2)
    with pytest.raises(ValueError, match="uniform is a bot of OpenSpiel's already"):
        as_spiel_bot(from_spiel_bot(_uniform, "uniform"), "kuhn", 0)
