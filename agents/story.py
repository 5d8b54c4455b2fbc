"""The story of a hand in words: every event, who acts and who sees it.

A hand is the list of its cards and actions in order. Histories are told from it, and so is what a
`View` remembers of the hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pokerspiel.games import drive
from pokerspiel.games.kernel import EVERYBODY
from pokerspiel.games.variants import Game


@dataclass(frozen=True)
class Event:
    """A card that falls, or an action."""

    seat: int
    """The seat that acts, CHANCE for a card."""
    audience: int
    """The seat that sees all of it, or EVERYBODY or NOBODY."""
    words: str
    """The card or the action, such as "7c", "raise to 4" or "discard 9s7c"."""
    public: str
    """What everybody sees of it, such as "draw2"; empty if nothing."""

    def told_to(self, seat: int) -> str:
        """The event as a seat remembers it; empty if it saw nothing."""
        words = self.words if self.audience in (EVERYBODY, seat) else self.public
        if not words or self.seat >= 0:
            return f"seat {self.seat}: {words}" if words else ""
        return f"{'you get' if self.audience == seat else 'shown'} {words}"


def story(game: Game, actions: Sequence[int]) -> list[Event]:
    """The events of a hand that begins with these cards and actions."""
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    events = []
    for action in actions:
        seat = int(states[0]["turn"])
        audience = int(drive.audience_of(states, game.tables))
        words = game.card_name(action) if seat < 0 else game.action_name(states[0], action)
        drive.apply_action(states, game.tables, action)
        public = words if audience == EVERYBODY else ""
        if seat >= 0 and not public:
            number = game.family.public_event(game, states[0], seat, action)
            public = game.family.event_name(game, number)
        events.append(Event(seat, audience, words, public))
    return events
