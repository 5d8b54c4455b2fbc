"""One hand, step by step: cards fall, seats act, and whoever is left shows.

A hand is its game, the order of its cards and the actions so far, so that it can be rebuilt from
these; what each step was, and who saw it, is kept beside the state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerspiel.agents.agent import legal
from pokerspiel.agents.table.dealing import kind_of, top_card
from pokerspiel.games import drive, svara
from pokerspiel.games.kernel import CHANCE, EVERYBODY, KIND_FOLD, TERMINAL
from pokerspiel.games.variants import Game


@dataclass(frozen=True)
class Step:
    """A card that falls, or an action, with the records of the state before and after it."""

    action: int
    """The card, or the number of the action."""
    before: Any
    after: Any
    audience: int
    """The seat that sees all of it, or EVERYBODY or NOBODY."""
    kind: int | None
    """What the action does: KIND_FOLD ... of `kernel`; None for a card."""
    words: str
    """The card or the action, such as "7c", "raise to 4" or "discard 9s7c"."""
    public: str
    """What everybody sees of it, such as "draw2"; empty if nothing."""
    shown: tuple[int, ...]
    """The seats that show their hands after it."""

    @property
    def seat(self) -> int:
        """The seat that acted; negative for a card."""
        return int(self.before["turn"])

    @property
    def by_chance(self) -> bool:
        return self.seat < 0

    def seen_by(self, seat: int | None) -> bool:
        """Whether a seat saw all of it; None stands for a witness who sees everything."""
        return seat is None or self.audience in (EVERYBODY, seat)


class LiveHand:
    """A hand under way. `seed` fixes the order of its cards; without one they are played too."""

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self.game = game
        self.seed = seed
        self.states = game.new_states()
        self._decks = drive.new_decks()
        self.steps: list[Step] = []
        self._folded: set[int] = set()
        drive.begin_hand(self.states, game.tables)
        if seed is not None:
            drive.seed_hand(self._decks, np.uint64(seed))
            self._deal()

    @property
    def state(self) -> Any:
        """The record of the state."""
        return self.states[0]

    @property
    def turn(self) -> int:
        """The seat to act, or CHANCE or TERMINAL."""
        return int(self.states[0]["turn"])

    @property
    def is_over(self) -> bool:
        return self.turn == TERMINAL

    @property
    def past(self) -> list[int]:
        """The cards and actions so far."""
        return [step.action for step in self.steps]

    @property
    def returns(self) -> list[float]:
        """Chips won or lost, by seat; all zero before the hand is over."""
        chips = self.states[0]["returns"][: self.game.players]
        return [float(c) for c in chips] if self.is_over else [0.0] * self.game.players

    def legal(self) -> list[int]:
        """The actions of the seat to act, ascending; none if nobody is to act."""
        return legal(self.game, self.states) if self.turn >= 0 else []

    def cards_to_come(self) -> list[int]:
        """The cards that may fall next, ascending; none if no card falls."""
        if self.turn != CHANCE:
            return []
        cards = np.zeros(52, np.int64)
        return [int(card) for card in cards[: drive.list_cards(self.states, cards)]]

    def play(self, action: int) -> None:
        """Play an action, or a card if the hand has no seed, and let the cards fall that follow.

        Raises ValueError if it is not possible.
        """
        possible = self.cards_to_come() if self.turn == CHANCE else self.legal()
        if action not in possible:
            raise ValueError(f"action {action} is not possible: expected one of {possible}")
        self._step(action)
        if self.seed is not None:
            self._deal()

    def _deal(self) -> None:
        while self.turn == CHANCE:
            self._step(int(top_card(self.states, self.game.tables, self._decks)))

    def _step(self, action: int) -> None:
        game, states = self.game, self.states
        before = states[0].copy()
        seat = int(before["turn"])
        audience = int(drive.audience_of(states, game.tables))
        kind = None if seat < 0 else int(kind_of(states, game.tables, action))
        words = game.card_name(action) if seat < 0 else game.action_name(before, action)
        drive.apply_action(states, game.tables, action)
        if kind == KIND_FOLD:
            self._folded.add(seat)
        after = states[0].copy()
        public = words if audience == EVERYBODY else ""
        if seat >= 0 and not public:
            number = game.family.public_event(game, after, seat, action)
            public = game.family.event_name(game, number)
        shown = self._shown(before, after, seat if kind == KIND_FOLD else None)
        self.steps.append(Step(action, before, after, audience, kind, words, public, shown))

    def _shown(self, before: Any, after: Any, folding: int | None) -> tuple[int, ...]:
        """The seats whose hands are compared, if a deal ends with more than one left."""
        if after["turn"] != TERMINAL and not svarka_begins(self.game, before, after):
            return ()
        seats = set(range(self.game.players)) - self._folded
        if self.game.family is svara:
            live = int(before["in_deal"]) & ~int(before["folded"])
            seats = {seat for seat in range(self.game.players) if live >> seat & 1} - {folding}
        return tuple(sorted(seats)) if len(seats) > 1 else ()


def svarka_begins(game: Game, before: Any, after: Any) -> bool:
    """Whether a step ends a deal of Svara in a tie."""
    if game.family is not svara:
        return False
    goes_on = after["svarkas"] > before["svarkas"] or bool(after["tied"])
    return bool(goes_on and before["phase"] != svara.JOIN)
