"""Bots for OpenSpiel's own games, which look their decisions up by the text of what they know.

The key of an information set is the hash of OpenSpiel's information state string and the player:
`text_key`. Matches here play our own games only; these bots play as a `pyspiel.Bot`.
"""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING, Any

import numpy as np

from pokerspiel.agents.agent import Agent
from pokerspiel.games.kernel import CHANCE
from pokerspiel.games.variants import VARIANTS, Game
from pokerspiel.solvers.blueprint import Blueprint, blueprint_strategy
from pokerspiel.solvers.compile_tree import game_name, load_spiel_game, text_key

if TYPE_CHECKING:
    from pokerspiel.agents.bot_file import Manifest

TEXTS = "openspiel-1"
"""Name and version of the information sets: what `text_key` makes of OpenSpiel's texts."""
_PROBE_HANDS = 200


class SpielGame:
    """One of OpenSpiel's own games, with what a bot file says of its game."""

    rule_version = 1
    abstraction = TEXTS

    def __init__(self, text: str) -> None:
        """Raises ValueError if OpenSpiel has no such game, or one without a tree."""
        self.spiel_game = load_spiel_game(text)

    @property
    def name(self) -> str:
        return _short_name(self.spiel_game)

    @property
    def num_actions(self) -> int:
        return int(self.spiel_game.num_distinct_actions())

    def __str__(self) -> str:
        return game_name(self.spiel_game)

    def is_game(self, other: Any) -> bool:
        """Whether the pyspiel game `other` is the same, however its string is written."""
        mine = self.spiel_game
        return (self.name, mine.get_parameters()) == (_short_name(other), other.get_parameters())

    def information_hash(self) -> str:
        """A hash of the keys and legal actions along 200 random hands from fixed seeds."""
        digest = hashlib.sha256()
        for hand in range(_PROBE_HANDS):
            luck = random.Random(hand)
            state = self.spiel_game.new_initial_state()
            while not state.is_terminal():
                moves = state.legal_actions()
                if state.current_player() != CHANCE:
                    digest.update(key_of(state).to_bytes(8, "little"))
                    digest.update(repr(moves).encode())
                state.apply_action(moves[int(luck.random() * len(moves))])
        return digest.hexdigest()


def _short_name(spiel_game: Any) -> str:
    return str(spiel_game.get_type().short_name)


def is_ours(text: str) -> bool:
    """Whether a game string names a game of this package."""
    return text.partition("(")[0].strip() in VARIANTS


def key_of(state: Any) -> int:
    """The key of the information set in which the player to act stands."""
    player = state.current_player()
    return text_key(player, state.information_state_string(player))


class SpielTableBot(Agent):
    """A player of one of OpenSpiel's own games that looks its decisions up in a blueprint."""

    def __init__(
        self, name: str, spiel_game: SpielGame, blueprint: Blueprint, manifest: Manifest | None
    ) -> None:
        super().__init__(name)
        self.spiel_game = spiel_game
        self.blueprint = blueprint
        self.manifest = manifest

    def check(self, game: Game) -> None:
        """Raises ValueError: it plays none of our own games."""
        raise ValueError(self.refusal)

    @property
    def refusal(self) -> str:
        """Why it sits at no table here, in one line."""
        return (
            f"{self.name} plays {self.spiel_game}, one of OpenSpiel's own games: matches here are "
            "of this package's games"
        )

    def distribution(self, state: Any) -> dict[int, float]:
        """Probability of each legal action of the player to act; uniform where it knows none."""
        actions = state.legal_actions()
        chances = np.ones(len(actions))
        if len(actions) > 1:
            blueprint_strategy(self.blueprint, np.uint64(key_of(state)), len(actions), chances)
        return dict(zip(actions, chances.tolist(), strict=True))
