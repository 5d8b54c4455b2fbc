"""The game that a command is about: its game string and the parameters given with --set."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from pokerspiel.games import variants
from pokerspiel.games.cards import card_name, cards_text, parse_cards
from pokerspiel.games.variants import VARIANTS, Game


def chosen_game(text: str, settings: Iterable[str] | None = None, **more: object) -> Game:
    """The game `text` with the parameters of `settings` ("key=value") and of `more`.

    Raises ValueError with one line that names what is wrong.
    """
    name, given = variants.parse_game(text)
    return variants.load_variant(name, {**given, **parse_settings(settings), **more})


def any_game_text(text: str, settings: Iterable[str] | None = None) -> str:
    """The game string of one of our games, or of any other that OpenSpiel has, with its parameters.

    Raises ValueError if neither knows the name, or if our game does not take the parameters; what
    OpenSpiel's games take they say when they are loaded.
    """
    name, bracket, rest = text.strip().partition("(")
    if name in VARIANTS:
        return str(chosen_game(text, settings))
    import pyspiel

    names = [*VARIANTS, *pyspiel.registered_names()]
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean {near[0]}?" if near else "`pokerspiel games` lists this package's"
        raise ValueError(f"unknown game {name!r}: {hint}")
    given = parse_settings(settings)
    if not given:
        return text.strip()
    if bracket and not rest.endswith(")"):
        raise ValueError(f"game {text!r}: expected NAME or NAME(parameter=value,...)")
    kept = [part for part in _parameters(rest[:-1]) if part.partition("=")[0].strip() not in given]
    return f"{name}({','.join(kept + [f'{key}={value}' for key, value in given.items()])})"


def _parameters(text: str) -> list[str]:
    """The parameters in the brackets of a game string, which may have brackets of their own."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]


def game_with_seats(text: str, settings: Iterable[str] | None, seats: int, what: str) -> Game:
    """The game for `seats` players; ValueError if the text or the settings name another number.

    `what` says what there are `seats` of.
    """
    named = {**variants.parse_game(text)[1], **parse_settings(settings)}.get("players")
    if named is None:
        return chosen_game(text, settings, players=seats)
    game = chosen_game(text, settings)
    if game.players != seats:
        raise ValueError(f"players={named}: {seats} {what} are given")
    return game


def with_usual_abstraction(
    text: str, settings: Iterable[str] | None, usual: Mapping[str, str]
) -> Game:
    """The game to train on: with the abstraction of `usual`, by variant, unless one is named."""
    name, given = variants.parse_game(text)
    if name in usual and "abstraction" not in {**given, **parse_settings(settings)}:
        return chosen_game(text, settings, abstraction=usual[name])
    return chosen_game(text, settings)


def parse_settings(settings: Iterable[str] | None, option: str = "--set") -> dict[str, str]:
    """Names and values of "key=value" texts; ValueError for a bad one or a name given twice."""
    given: dict[str, str] = {}
    for setting in settings or ():
        name, equals, value = setting.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ValueError(f"{option} {setting!r}: expected key=value")
        if name in given:
            raise ValueError(f"{option} {name} is given twice")
        given[name] = value.strip()
    return given


UNSEEN = "-"
"""Stands for the cards of a folded seat that nobody has seen."""


def known_cards(
    game: Game, hands: Sequence[str], board: str | None
) -> tuple[list[list[int]], list[int]]:
    """The cards of each hand and of the board.

    Raises ValueError, one line that names the value, for what is no card, not in the deck, dealt
    twice, or of the wrong number; an unseen hand has no cards.
    """
    if "hole_cards" not in game.parameters:
        raise ValueError(f"{game.name} has no hands to compare: choose a Svara or Sviten game")
    owners: dict[int, str] = {}
    size = int(game.parameters["hole_cards"])
    holdings = []
    for text in hands:
        cards = [] if text == UNSEEN else _cards(game, f"hand {text}", text, owners)
        if len(cards) != size and text != UNSEEN:
            raise ValueError(f"hand {text}: {len(cards)} cards given, {game.name} deals {size}")
        holdings.append(cards)
    return holdings, _board_cards(game, board, owners)


def board_size(game: Game) -> int:
    """Cards of the full board; 0 if the game has none."""
    if "flop_cards" not in game.parameters:
        return 0
    return int(game.tables.rules[0]["street_cards"].sum())


def _board_cards(game: Game, board: str | None, owners: dict[int, str]) -> list[int]:
    if board is None:
        return []
    most = board_size(game)
    if most == 0:
        raise ValueError(f"board {board}: {game.name} has no board")
    cards = _cards(game, f"board {board}", board, owners)
    flop = int(game.parameters["flop_cards"])
    if not flop <= len(cards) <= most:
        numbers = " or ".join(str(n) for n in range(flop, most + 1))
        raise ValueError(f"board {board}: {len(cards)} cards given, expected {numbers}")
    return cards


def _cards(game: Game, where: str, text: str, owners: dict[int, str]) -> list[int]:
    """The cards of a text; `owners` remembers where each card has been seen."""
    cards = parse_cards(text)
    deck = int(game.tables.rules[0]["deck"])
    for card in cards:
        if not deck >> card & 1:
            raise ValueError(f"{where}: {card_name(card)} is not in the deck of {game.name}")
        if card in owners:
            raise ValueError(f"{where}: {card_name(card)} is already in {owners[card]}")
        owners[card] = where
    return cards


def remaining_deck(game: Game, *known: Sequence[int]) -> list[int]:
    """The cards of the deck that nobody has shown, ascending."""
    seen = {card for cards in known for card in cards}
    deck = int(game.tables.rules[0]["deck"])
    return [card for card in range(deck.bit_length()) if deck >> card & 1 and card not in seen]


def hand_text(cards: Sequence[int]) -> str:
    return cards_text(cards) if cards else UNSEEN
