"""A table for rule tests: actions are played by name, cards fall as the test says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pokerspiel.games import drive
from pokerspiel.games.cards import cards_of, parse_cards
from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.games.variants import load


class Table:
    """One hand of a game, from its first decision on."""

    def __init__(self, game: str, cards: str = ""):
        self.game = load(game)
        self.states = self.game.new_states()
        self.buffer = np.zeros(self.game.limits.num_actions + 1, np.int64)
        self.cards = parse_cards_in_order(cards)
        drive.begin_hand(self.states, self.game.tables)
        self._deal()

    @property
    def state(self) -> Any:
        return self.states[0]

    @property
    def turn(self) -> int:
        return int(self.state["turn"])

    @property
    def over(self) -> bool:
        return self.turn == TERMINAL

    @property
    def pot(self) -> int:
        return int(self.state["pot"])

    @property
    def stacks(self) -> list[int]:
        return self.state["stack"][: self.game.players].tolist()

    @property
    def returns(self) -> list[float]:
        assert self.over, f"seat {self.turn} has to act: {self.names()}"
        return self.state["returns"][: self.game.players].tolist()

    def legal(self) -> list[int]:
        n = drive.list_actions(self.states, self.game.tables, self.buffer)
        return self.buffer[:n].tolist()

    def names(self) -> list[str]:
        return [self.game.action_name(self.state, action) for action in self.legal()]

    def play(self, *names: str) -> Table:
        """Play these actions, each by the seat whose turn it is; cards fall in between."""
        for name in names:
            legal = self.names()
            assert name in legal, f"{name!r} is not legal for seat {self.turn}: {legal}"
            drive.apply_action(self.states, self.game.tables, self.legal()[legal.index(name)])
            self._deal()
        return self

    def next_cards(self, cards: str) -> Table:
        """The next cards to fall; without any left, the lowest possible ones fall."""
        self.cards = parse_cards_in_order(cards)
        return self

    def _deal(self) -> None:
        while self.turn == CHANCE:
            card = self.cards.pop(0) if self.cards else cards_of(int(self.state["stub"]))[0]
            assert card in cards_of(int(self.state["stub"])), f"card {card} cannot fall"
            drive.apply_action(self.states, self.game.tables, card)

    def owed(self, seat: int) -> int:
        return int(self.state["level"]) - int(self.state["bet"][seat])


def parse_cards_in_order(text: str) -> list[int]:
    """Cards in the order of `text`; the same card may come twice, in different deals."""
    return [card for word in _pairs(text) for card in parse_cards(word)]


def _pairs(text: str) -> list[str]:
    compact = text.replace(" ", "")
    return [compact[i : i + 2] for i in range(0, len(compact), 2)]


def dealt(hands: Sequence[str], first: int = 0) -> str:
    """Hands by seat as the order in which cards fall, one at a time from seat `first` on."""
    order = [*hands[first:], *hands[:first]]
    size = len(_pairs(order[0]))
    return "".join(_pairs(hand)[i] for i in range(size) for hand in order)
