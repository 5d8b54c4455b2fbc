"""A hand told in words, event by event, as one seat sees it or as everybody's cards lie open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pokerspiel.agents.table.holdings import (
    board_cards,
    draw_half,
    omaha_half,
    points_of,
    reason_of,
    shown_cards,
)
from pokerspiel.agents.table.live_hand import Step, svarka_begins
from pokerspiel.games import svara, sviten
from pokerspiel.games.cards import cards_text
from pokerspiel.games.kernel import EVERYBODY, NOBODY, TERMINAL
from pokerspiel.games.variants import Game

_VERBS = {
    "fold": ("fold", "folds"),
    "check": ("check", "checks"),
    "call": ("call", "calls"),
    "bet": ("bet", "bets"),
    "raise": ("raise", "raises"),
    "pass": ("pass", "passes"),
    "look": ("look at your cards", "looks at the cards"),
    "blind": ("bet blind:", "bets blind:"),
    "discard": ("discard", "discards"),
    "stand": ("stand", "stands"),
    "keep": ("keep the card", "keeps the card"),
    "reject": ("reject the card", "rejects the card"),
    "join": ("join the svarka for", "joins the svarka for"),
    "decline": ("stay out of the svarka", "stays out of the svarka"),
}
_STREETS = ("Board", "Flop", "Turn", "River")


class Telling:
    """Tells a hand to the seat `viewer`, or all of it if that is None; `names` are by seat."""

    def __init__(self, game: Game, names: Sequence[str], viewer: int | None) -> None:
        self._game = game
        self._names = names
        self._viewer = viewer
        self._dealt: dict[int, list[int]] = {}
        self._board: list[int] = []
        self._street = ""
        self._drawing = False

    def name(self, seat: int) -> str:
        return "You" if seat == self._viewer else self._names[seat]

    def tell(self, step: Step) -> list[str]:
        """What there is to say of the next step of the hand, if anything yet."""
        if step.by_chance:
            lines = self._card(step.before, step.audience, step.action)
        else:
            lines = [*self.flush(), *self._action(step)]
        if step.after["turn"] == TERMINAL or svarka_begins(self._game, step.before, step.after):
            lines += self.flush()
            lines += self._showdown(step)
        return [*lines, *self._svarka(step.before, step.after)]

    # Cards.

    def _card(self, before: Any, audience: int, card: int) -> list[str]:
        """A card that falls; cards that belong together are told together."""
        if audience == NOBODY:
            return []
        if audience != EVERYBODY:
            lines = self._flush_board()
            if self._viewer in (None, audience):
                self._dealt.setdefault(audience, []).append(card)
                self._drawing = self._game.family is sviten and before["phase"] == sviten.REPLACE
            return lines
        lines = self._flush_dealt()
        if self._game.family is sviten and before["phase"] == sviten.FACE_UP:
            seat = int(before["drawer"])
            verb = "draw" if seat == self._viewer else "draws"
            return [*lines, f"{self.name(seat)} {verb} one card, face up: {self._cards([card])}"]
        street = _STREETS[int(before["street"])] if self._game.family is sviten else "Board"
        if street != self._street:
            lines += self._flush_board()
        self._street = street
        self._board.append(card)
        return lines

    def flush(self) -> list[str]:
        """What has been dealt and not been told yet."""
        return [*self._flush_dealt(), *self._flush_board()]

    def _flush_dealt(self) -> list[str]:
        lines = []
        for seat, cards in sorted(self._dealt.items()):
            own = seat == self._viewer
            verb = ("get", "gets") if self._drawing else ("are dealt", "is dealt")
            lines.append(f"{self.name(seat)} {verb[0 if own else 1]} {self._cards(cards)}")
        self._dealt.clear()
        return lines

    def _flush_board(self) -> list[str]:
        if not self._board:
            return []
        line = f"{self._street}: {self._cards(self._board)}"
        self._board.clear()
        return [line]

    def _cards(self, cards: Sequence[int]) -> str:
        return " ".join(self._game.card_name(int(card)) for card in cards)

    # Actions.

    def _action(self, step: Step) -> list[str]:
        own = step.seat == self._viewer
        if not step.seen_by(self._viewer):
            if step.after["phase"] == sviten.FACE_UP:
                return []  # told with the card
            drawn = int(step.after["draws"][step.seat])
            if drawn == 0:
                return [f"{self.name(step.seat)} stands pat"]
            return [f"{self.name(step.seat)} draws {drawn} card{'' if drawn == 1 else 's'}"]
        verb, _, rest = step.words.partition(" ")
        spoken = _VERBS.get(verb, (verb, f"{verb}s"))[0 if own else 1]
        return [f"{self.name(step.seat)} {spoken} {rest}".rstrip()]

    # The end.

    def _showdown(self, step: Step) -> list[str]:
        """The hands that are shown, if more than one is left."""
        return [
            f"{self.name(seat)} {'show' if seat == self._viewer else 'shows'} "
            f"{_hand_in_words(self._game, step.after, seat)}"
            for seat in step.shown
        ]

    def _svarka(self, before: Any, after: Any) -> list[str]:
        if self._game.family is not svara:
            return []
        lines = []
        if svarka_begins(self._game, before, after):
            lines.append("The best hands tie: a svarka")
        if after["tied"] and not before["tied"] and after["turn"] >= 0:
            lines.append(f"Joining it costs {int(after['price'])}")
        if after["svarkas"] > before["svarkas"]:
            seats = [seat for seat in range(self._game.players) if after["in_deal"] >> seat & 1]
            names = " and ".join(self.name(seat).replace("You", "you") for seat in seats)
            lines.append(f"New cards for {names}, who play for {int(after['pot'])}")
        return lines


def _hand_in_words(game: Game, state: Any, seat: int) -> str:
    cards = shown_cards(game, state, seat)
    if game.family is svara:
        points = points_of(game, cards)
        return f"{cards_text(cards)}, {points} points ({reason_of(game, cards)})"
    if game.family is sviten:
        board = board_cards(game, state)
        draw, omaha = draw_half(game, cards)["name"], omaha_half(game, cards, board)["name"]
        return f"{cards_text(cards)}: {draw}; Omaha {omaha}"
    return str(game.family.hand_text(game, state, seat))
