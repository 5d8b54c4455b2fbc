"""Kuhn poker against OpenSpiel's: every state of both trees in step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import pytest

from pokerspiel.games import kuhn, variants
from pokerspiel.games.kernel import CHANCE, TERMINAL


class Walk:
    """Both trees in step; keeps which key goes with which information state."""

    def __init__(self, players: int) -> None:
        self.game = variants.load(f"kuhn(players={players})")
        self.keys: dict[str, int] = {}
        self.states = 0
        self.observation = np.zeros(kuhn.observation_size({"players": players}))
        ours = self.game.new_states()
        kuhn.begin(ours[0], self.game.tables)
        theirs = pyspiel.load_game(f"kuhn_poker(players={players})").new_initial_state()
        self.compare(theirs, ours)

    def compare(self, theirs: Any, ours: np.ndarray) -> None:
        self.states += 1
        state = ours[0]
        if theirs.is_terminal():
            assert state["turn"] == TERMINAL
            assert theirs.returns() == list(state["returns"][: self.game.players])
            return
        if theirs.is_chance_node():
            assert state["turn"] == CHANCE
            moves = [card for card in range(64) if int(state["stub"]) >> card & 1]
            assert moves == [card for card, _ in theirs.chance_outcomes()]
        else:
            moves = self.compare_decision(theirs, state)
        for move in moves:
            copy = ours.copy()
            kuhn.act(copy[0], self.game.tables, move)
            self.compare(theirs.child(move), copy)

    def compare_decision(self, theirs: Any, state: Any) -> list[int]:
        actions = np.zeros(2, np.int64)
        n = kuhn.legal_actions(state, self.game.tables, actions)
        assert state["turn"] == theirs.current_player()
        assert list(actions[:n]) == theirs.legal_actions()
        for player in range(self.game.players):
            text = f"{player}: {theirs.information_state_string(player)}"
            key = int(kuhn.information_key(state, self.game.tables, player))
            assert self.keys.setdefault(text, key) == key
            kuhn.observe(state, self.game.tables, player, self.observation)
            assert list(self.observation) == theirs.information_state_tensor(player)
        return [int(action) for action in actions[:n]]


@pytest.mark.parametrize(("players", "states"), [(2, 58), (3, 617)])
def test_tree_is_openspiels(players: int, states: int) -> None:
    walk = Walk(players)
    assert walk.states == states
    assert len(set(walk.keys.values())) == len(walk.keys), "two information states share a key"


@pytest.mark.parametrize("players", [2, 3, 9])
def test_limits_are_openspiels(players: int) -> None:
    ours = variants.load(f"kuhn(players={players})").limits
    theirs = pyspiel.load_game(f"kuhn_poker(players={players})")
    assert ours.num_actions == theirs.num_distinct_actions()
    assert ours.max_game_length == theirs.max_game_length()
    assert ours.max_chance_nodes == theirs.max_chance_nodes_in_history()
    assert ours.max_chance_outcomes == theirs.max_chance_outcomes()
    assert (ours.min_utility, ours.max_utility) == (theirs.min_utility(), theirs.max_utility())


def after(players: int, *moves: int) -> tuple[variants.Game, Any]:
    game = variants.load(f"kuhn(players={players})")
    state = game.new_states()[0]
    kuhn.begin(state, game.tables)
    for move in moves:
        kuhn.act(state, game.tables, move)
    return game, state


def test_odds_after_a_bet() -> None:
    _, state = after(3, 0, 1, 2, kuhn.PASS, kuhn.BET)
    assert [kuhn.odds(state, player) for player in range(3)] == [(1, 4), (0, 4), (1, 4)]


def test_equity_counts_only_the_seats_still_in() -> None:
    game, state = after(3, 0, 2, 1)
    assert kuhn.equity(state, game.tables, 1, 0, 1, 0) == pytest.approx(2 / 3 * 1 / 2)
    game, state = after(3, 0, 2, 1, kuhn.BET)
    assert kuhn.equity(state, game.tables, 1, 0, 1, 0) == pytest.approx(2 / 3 * 1 / 2)
    game, state = after(3, 0, 2, 1, kuhn.PASS, kuhn.BET, kuhn.PASS)
    assert kuhn.equity(state, game.tables, 1, 0, 1, 0) == pytest.approx(2 / 3)
