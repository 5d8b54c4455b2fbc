"""Agents and positions for the tests of agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from pokerspiel.agents.agent import CompiledAgent, View, ViewAgent, legal
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot
from pokerspiel.games import drive
from pokerspiel.games.kernel import TERMINAL
from pokerspiel.games.variants import Game, exact, load
from pokerspiel.solvers.blueprint import Blueprint, new_blueprint

GAMES = (
    "kuhn",
    "leduc",
    "mini_svara",
    "svara",
    "svara(players=3,betting=no_limit)",
    "mini_sviten",
    "sviten_special",
    "sviten_flush(players=3,betting=pot_limit,bet_sizes=0.5 1)",
)


def positions(game: Game, hands: int, seed: int) -> Iterator[tuple[np.ndarray, list[int]]]:
    """(State, cards and actions before it) of all decisions in random hands."""
    random = np.random.default_rng(seed)
    states = game.new_states()
    cards = np.zeros(52, np.int64)
    for _ in range(hands):
        drive.begin_hand(states, game.tables)
        past: list[int] = []
        while states[0]["turn"] != TERMINAL:
            if states[0]["turn"] < 0:
                action = int(random.choice(cards[: drive.list_cards(states, cards)]))
            else:
                yield states.copy(), list(past)
                action = int(random.choice(legal(game, states)))
            past.append(action)
            drive.apply_action(states, game.tables, action)


def random_blueprint(game: Game, hands: int, seed: int) -> Blueprint:
    """Random probabilities for every information set of some random hands."""
    random = np.random.default_rng(seed)
    sets = {
        int(drive.key_of(states, game.tables, int(states[0]["turn"]))): len(legal(game, states))
        for states, _ in positions(game, hands, seed)
    }
    keys = np.array(sorted(sets), np.uint64)
    first = np.cumsum([0] + [sets[key] for key in sorted(sets)]).astype(np.uint32)
    chances = [random.dirichlet(np.ones(sets[key])) for key in sorted(sets)]
    return new_blueprint(keys, first, np.concatenate(chances).astype(np.float32))


def random_bot(text: str, hands: int = 300, seed: int = 5, name: str = "random-table") -> Bot:
    """A bot for the game `text` that knows the information sets of some random hands."""
    game = load(text)
    return Bot(name, game, random_blueprint(game, hands, seed), None)


def compiled_agents(game: Game) -> list[CompiledAgent]:
    """All baselines, and table bots for each abstraction of the game."""
    agents: list[CompiledAgent] = [make() for make in BASELINES.values()]
    for name in getattr(game.family, "ABSTRACTIONS", {"none": 1}):
        made_for = game.with_parameters(abstraction=name) if name != "none" else exact(game)
        agents.append(Bot(f"table-{name}", made_for, random_blueprint(made_for, 100, 5), None))
    return agents


class UniformViewer(ViewAgent):
    """Plays as `random` does, in Python; keeps what it was shown."""

    def __init__(self) -> None:
        super().__init__("viewer")
        self.views: list[View] = []

    def probabilities(self, view: View) -> Mapping[int, float]:
        self.views.append(view)
        return {action: 1.0 / len(view.actions) for action in view.actions}
