"""What everybody has seen a hand do so far, in short words: the names of betting nodes.

A line has a section for each part of the hand, such as "flop: c r". Cards are left out of it, so
that all hands that come to a decision by the same public actions share its line. The words are
those of the game: "f", "c" and "r" for fold, check or call, bet or raise; "r0" for the first size
of a menu, "draw2", "keep"; in Svara "look", "b0" for the opening blind and "b1" for the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pokerspiel.games import drive, leduc, svara, sviten
from pokerspiel.games.sviten.state import DRAW, KEEP
from pokerspiel.games.variants import Game

_STREETS = ("preflop", "flop", "turn", "river")
_PHASES = ("blind phase", "deal", "betting", "joining")


@dataclass(frozen=True)
class Line:
    """The public actions before a decision."""

    street: str
    """The part of the hand that the decision belongs to, such as "flop" or "draw"."""
    sections: tuple[str, ...]
    """Name and actions of each part of the hand so far, the present one last."""

    @property
    def words(self) -> str:
        """All of it: "preflop: r c / flop: c r"."""
        return " / ".join(self.sections)

    @property
    def on_street(self) -> str:
        """The present part alone: "flop: c r"."""
        return self.sections[-1]


def line_to(game: Game, past: Sequence[int]) -> Line:
    """The line to the decision that follows the cards and actions `past` of an exact game's hand.

    Raises ValueError if no seat is to act there.
    """
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    parts: list[tuple[tuple[int, str], list[str]]] = []
    for action in past:
        seat = int(states[0]["turn"])
        words = [] if seat < 0 else _words_of_part(parts, _part(game, states[0]))
        drive.apply_action(states, game.tables, action)
        if seat >= 0:
            event = game.family.public_event(game, states[0], seat, action)
            words.append(game.family.event_name(game, event))
    if int(states[0]["turn"]) < 0:
        raise ValueError("nobody is to act: there is no line to a decision")
    part = _part(game, states[0])
    _words_of_part(parts, part)
    return Line(part[1], tuple(" ".join([f"{name}:", *words]) for (_, name), words in parts))


def _words_of_part(parts: list[tuple[tuple[int, str], list[str]]], part: tuple[int, str]) -> Any:
    """The words of the present part, which is a new one unless it is the last."""
    if not parts or parts[-1][0] != part:
        parts.append((part, []))
    return parts[-1][1]


def _part(game: Game, state: Any) -> tuple[int, str]:
    """The part of the hand that the decision belongs to: (number of its deal, name)."""
    if game.family is sviten:
        drawing = state["phase"] in (DRAW, KEEP)
        return 0, "draw" if drawing else _STREETS[int(state["street"])]
    if game.family is svara:
        deal, phase = int(state["svarkas"]), _PHASES[int(state["phase"])]
        return deal, f"svarka, {phase}" if deal else phase
    if game.family is leduc:
        return 0, f"round {int(state['round']) + 1}"
    return 0, "betting"
