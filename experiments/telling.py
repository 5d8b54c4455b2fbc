"""A hand told in words, event by event, as one seat sees it or as everybody's cards lie open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pokerspiel.experiments.dealing import kind_of
from pokerspiel.experiments.hand import draw_half, omaha_half
from pokerspiel.games import drive, svara, sviten
from pokerspiel.games.cards import cards_text
from pokerspiel.games.hands import svara_reason
from pokerspiel.games.kernel import EVERYBODY, KIND_FOLD, NOBODY, TERMINAL
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
        self._drawing = False
        self._out: set[int] = set()

    def name(self, seat: int) -> str:
        return "You" if seat == self._viewer else self._names[seat]

    def event(self, states: np.ndarray, action: int) -> list[str]:
        """Play the card or action in `states[0]`; returns what there is to say, if anything yet."""
        before = states[0].copy()
        audience = int(drive.audience_of(states, self._game.tables))
        by_chance = before["turn"] < 0
        kind = None if by_chance else kind_of(states, self._game.tables, action)
        words = "" if by_chance else self._game.action_name(before, action)
        drive.apply_action(states, self._game.tables, action)
        after = states[0]
        if by_chance:
            lines = self._card(before, audience, action)
        else:
            seat = int(before["turn"])
            if kind == KIND_FOLD:
                self._out.add(seat)
            lines = [*self._flush(before), *self._action(after, seat, audience, words)]
        if after["turn"] == TERMINAL or _svarka_begins(self._game, before, after):
            lines += self._flush(before)
            lines += self._showdown(after)
        return [*lines, *self._svarka(before, after)]

    # Cards.

    def _card(self, before: Any, audience: int, card: int) -> list[str]:
        """A card that falls; cards that belong together are told together."""
        if audience == NOBODY:
            return []
        if audience != EVERYBODY:
            lines = self._flush_board(before)
            if self._viewer in (None, audience):
                self._dealt.setdefault(audience, []).append(card)
                self._drawing = self._game.family is sviten and before["phase"] == sviten.REPLACE
            return lines
        lines = self._flush_dealt()
        if self._game.family is sviten and before["phase"] == sviten.FACE_UP:
            seat = int(before["drawer"])
            verb = "draw" if seat == self._viewer else "draws"
            return [*lines, f"{self.name(seat)} {verb} one card, face up: {self._cards([card])}"]
        self._board.append(card)
        return lines

    def flush(self, states: np.ndarray) -> list[str]:
        """What has been dealt and not been told yet."""
        return self._flush(states[0])

    def _flush(self, state: Any) -> list[str]:
        return [*self._flush_dealt(), *self._flush_board(state)]

    def _flush_dealt(self) -> list[str]:
        lines = []
        for seat, cards in sorted(self._dealt.items()):
            own = seat == self._viewer
            verb = ("get", "gets") if self._drawing else ("are dealt", "is dealt")
            lines.append(f"{self.name(seat)} {verb[0 if own else 1]} {self._cards(cards)}")
        self._dealt.clear()
        return lines

    def _flush_board(self, state: Any) -> list[str]:
        if not self._board:
            return []
        street = _STREETS[int(state["street"])] if self._game.family is sviten else "Board"
        line = f"{street}: {self._cards(self._board)}"
        self._board.clear()
        return [line]

    def _cards(self, cards: Sequence[int]) -> str:
        return " ".join(self._game.card_name(int(card)) for card in cards)

    # Actions.

    def _action(self, after: Any, seat: int, audience: int, words: str) -> list[str]:
        own = seat == self._viewer
        if audience not in (EVERYBODY, seat) or (audience != EVERYBODY and not self._sees(seat)):
            drawn = int(after["draws"][seat])
            if after["phase"] == sviten.FACE_UP:
                return []  # told with the card
            return [f"{self.name(seat)} draws {drawn} card{'' if drawn == 1 else 's'}"]
        verb, _, rest = words.partition(" ")
        spoken = _VERBS.get(verb, (verb, f"{verb}s"))[0 if own else 1]
        return [f"{self.name(seat)} {spoken} {rest}".rstrip()]

    def _sees(self, seat: int) -> bool:
        return self._viewer is None or seat == self._viewer

    # The end.

    def _showdown(self, state: Any) -> list[str]:
        """The hands that are shown, if more than one is left."""
        seats = self._seats_in(state)
        if len(seats) < 2:
            return []
        return [
            f"{self.name(seat)} {'show' if seat == self._viewer else 'shows'} "
            f"{_hand_in_words(self._game, state, seat)}"
            for seat in seats
        ]

    def _seats_in(self, state: Any) -> list[int]:
        """The seats whose hands are compared when a hand, or a part of it, is over."""
        if self._game.family is svara:
            # A tie ends the deal: whoever is not tied counts as folded from there on.
            live = int(state["in_deal"]) & ~int(state["folded"])
            return [seat for seat in range(self._game.players) if live >> seat & 1]
        return [seat for seat in range(self._game.players) if seat not in self._out]

    def _svarka(self, before: Any, after: Any) -> list[str]:
        if self._game.family is not svara:
            return []
        lines = []
        if _svarka_begins(self._game, before, after):
            lines.append("The best hands tie: a svarka")
        if after["tied"] and not before["tied"] and after["turn"] >= 0:
            lines.append(f"Joining it costs {int(after['price'])}")
        if after["svarkas"] > before["svarkas"]:
            seats = [seat for seat in range(self._game.players) if after["in_deal"] >> seat & 1]
            names = " and ".join(self.name(seat).replace("You", "you") for seat in seats)
            lines.append(f"New cards for {names}, who play for {int(after['pot'])}")
        return lines


def _svarka_begins(game: Game, before: Any, after: Any) -> bool:
    if game.family is not svara:
        return False
    goes_on = after["svarkas"] > before["svarkas"] or bool(after["tied"])
    return bool(goes_on and before["phase"] != svara.JOIN)


def own_cards(game: Game, state: Any, seat: int) -> list[int]:
    """The cards that a seat of a Svara or Sviten game holds."""
    if game.family is sviten:
        return [int(card) for card in state["hole"][seat][: int(state["hole_count"][seat])]]
    if game.family is svara and state["phase"] == svara.BET and int(state["in_deal"]) >> seat & 1:
        return [int(card) for card in state["hand"][seat][: int(game.parameters["hole_cards"])]]
    return []


def board_cards(game: Game, state: Any) -> list[int]:
    if game.family is not sviten:
        return []
    return [int(card) for card in state["board"][: int(state["board_count"])]]


def _hand_in_words(game: Game, state: Any, seat: int) -> str:
    if game.family is svara:
        cards = [int(card) for card in state["hand"][seat][: int(game.parameters["hole_cards"])]]
        rules = game.tables.rules[0]
        reason = svara_reason(cards, int(rules["joker_mode"]), int(rules["sevens"]))
        return f"{cards_text(cards)}, {int(state['points'][seat])} points ({reason})"
    if game.family is sviten:
        cards, board = own_cards(game, state, seat), board_cards(game, state)
        draw, omaha = draw_half(game, cards)["name"], omaha_half(game, cards, board)["name"]
        return f"{cards_text(cards)}: {draw}; Omaha {omaha}"
    return str(game.family.hand_text(game, state, seat))
