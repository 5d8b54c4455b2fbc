"""Leduc hold'em against OpenSpiel's: every state of both trees in step."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyspiel
import pytest

from pokerspiel.games import leduc, variants
from pokerspiel.games.kernel import CHANCE, TERMINAL


def without_suits(information_state: str) -> str:
    """OpenSpiel's text with ranks in place of cards."""
    return re.sub(
        r"\[(Private|Public): (\d+)\]",
        lambda card: f"[{card[1]}: {int(card[2]) // 2}]",
        information_state,
    )


def observation_without_suits(tensor: list[float], players: int) -> list[float]:
    """OpenSpiel's tensor with the two suits of each rank added up."""
    cards = np.array(tensor[players : 5 * players + 4]).reshape(-1, 2).sum(axis=1)
    return [*tensor[:players], *cards, *tensor[5 * players + 4 :]]


class Walk:
    """Both trees in step, over all deals or over one at random."""

    def __init__(self, players: int, random: np.random.Generator | None = None) -> None:
        self.game = variants.load(f"leduc(players={players})")
        self.random = random
        self.keys: dict[str, int] = {}
        self.states = 0
        self.observation = np.zeros(leduc.observation_size({"players": players}))

    def run(self) -> None:
        ours = self.game.new_states()
        leduc.begin(ours[0], self.game.tables)
        name = f"leduc_poker(players={self.game.players})"
        self.compare(pyspiel.load_game(name).new_initial_state(), ours)

    def compare(self, theirs: Any, ours: np.ndarray) -> None:
        self.states += 1
        state = ours[0]
        if theirs.is_terminal():
            assert state["turn"] == TERMINAL
            assert np.allclose(theirs.returns(), state["returns"][: self.game.players])
            return
        if theirs.is_chance_node():
            assert state["turn"] == CHANCE
            moves = [card for card in range(64) if int(state["stub"]) >> card & 1]
            assert moves == [card for card, _ in theirs.chance_outcomes()]
            if self.random is not None:
                moves = [int(self.random.choice(moves))]
        else:
            moves = self.compare_decision(theirs, state)
        for move in moves:
            copy = ours.copy()
            leduc.act(copy[0], self.game.tables, move)
            self.compare(theirs.child(move), copy)

    def compare_decision(self, theirs: Any, state: Any) -> list[int]:
        actions = np.zeros(3, np.int64)
        n = leduc.legal_actions(state, self.game.tables, actions)
        assert state["turn"] == theirs.current_player()
        assert list(actions[:n]) == theirs.legal_actions()
        players = self.game.players
        for player in range(players):
            text = without_suits(theirs.information_state_string(player))
            key = int(leduc.information_key(state, self.game.tables, player))
            assert self.keys.setdefault(text, key) == key
            leduc.observe(state, self.game.tables, player, self.observation)
            tensor = theirs.information_state_tensor(player)
            assert list(self.observation) == observation_without_suits(tensor, players)
        return [int(action) for action in actions[:n]]


def test_whole_tree_is_openspiels() -> None:
    walk = Walk(2)
    walk.run()
    assert walk.states == 9457
    assert len(set(walk.keys.values())) == len(walk.keys), "two information states share a key"


@pytest.mark.parametrize("seed", range(4))
def test_betting_of_three_is_openspiels_on_random_boards(seed: int) -> None:
    walk = Walk(3, np.random.default_rng(seed))
    walk.run()
    assert walk.states > 1000
    assert len(set(walk.keys.values())) == len(walk.keys), "two information states share a key"


@pytest.mark.parametrize("players", [2, 3, 9])
def test_limits_are_openspiels(players: int) -> None:
    ours = variants.load(f"leduc(players={players})").limits
    theirs = pyspiel.load_game(f"leduc_poker(players={players})")
    assert ours.num_actions == theirs.num_distinct_actions()
    assert ours.max_game_length == theirs.max_game_length()
    assert ours.max_chance_nodes == players + 1  # OpenSpiel says 3 whatever the players
    assert ours.max_chance_outcomes == theirs.max_chance_outcomes()
    assert (ours.min_utility, ours.max_utility) == (theirs.min_utility(), theirs.max_utility())


def after(*moves: int) -> tuple[variants.Game, Any]:
    game = variants.load("leduc")
    state = game.new_states()[0]
    leduc.begin(state, game.tables)
    for move in moves:
        leduc.act(state, game.tables, move)
    return game, state


def test_odds_and_names_after_a_raise() -> None:
    game, state = after(0, 2, leduc.RAISE)
    assert [leduc.odds(state, player) for player in range(2)] == [(0, 4), (2, 4)]
    assert [game.action_name(state, a) for a in range(3)] == ["fold", "call 2", "raise 2"]


def test_equity_of_a_jack_is_what_enumeration_gives() -> None:
    """Own card 0 (J), and every order of the other five for the board and the opponent."""
    game, state = after(0, 2)
    share = 0.0
    for board in range(1, 6):
        for other in set(range(1, 6)) - {board}:
            strengths = [10 * (card // 2 == board // 2) + card // 2 for card in (0, other)]
            share += 0.5 if strengths[0] == strengths[1] else float(strengths[0] > strengths[1])
    samples = 100_000
    equity = leduc.equity(state, game.tables, 0, 0, samples, 1)
    assert equity == pytest.approx(share / 20, abs=4 * 0.5 / samples**0.5)
