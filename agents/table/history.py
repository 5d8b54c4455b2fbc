"""Hands on paper: one JSON document a hand, as one seat saw it or with all cards.

docs/histories.md describes the format. A history that is read is replayed by the rules, so that
whatever it claims, its hand is one that was possible and its chips are right.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pokerspiel.agents.table.completion import (
    action_of,
    card_named,
    cards_by_name,
    check_turn,
    completed,
    whose_turn,
)
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.seat_view import Document, events_of
from pokerspiel.games.kernel import CHANCE
from pokerspiel.games.variants import Game, load, parse_game

FORMAT = "pokerspiel-hand"
VERSION = 1

MOST_LETTERS = 1 << 20
"""Of one hand."""
MOST_EVENTS = 5000
MOST_NAME = 200
MOST_DEPTH = 12
MOST_WORK = 50_000_000
"""Actions of a hand times the actions that the game numbers: what checking it costs."""


class HistoryError(ValueError):
    """A history that cannot be read or played; one line that says where and why."""


@dataclass(frozen=True)
class History:
    """A hand that was read."""

    document: Document
    game: Game
    where: str = ""
    """Where it stands in the text, such as "line 3"."""

    @property
    def viewer(self) -> int | None:
        """The seat whose view it is; None if all cards are known."""
        seat = self.document["viewer"]
        return None if seat is None else int(seat)

    @property
    def players(self) -> list[str]:
        """Names by seat."""
        return list(self.document["players"])

    @property
    def number(self) -> int:
        return int(self.document["hand"])

    @property
    def events(self) -> list[Document]:
        return list(self.document["events"])

    @property
    def returns(self) -> list[float]:
        """Chips won or lost, by seat."""
        return [float(chips) for chips in self.document["returns"]]

    def hand(self) -> LiveHand:
        """The hand played again by the rules, hidden cards being any that fit.

        Raises HistoryError, in one line, if it is not possible or comes out differently.
        """
        return replay(self)


def history_of(
    hand: LiveHand, viewer: int | None, names: Sequence[str], number: int = 0, **extra: Any
) -> Document:
    """The document of a hand that is over, as `viewer` saw it; None for a witness of all cards.

    `names` are by seat, `extra` members come last. Letters of names that cannot be shown become
    question marks. Raises ValueError if the hand is not over.
    """
    if not hand.is_over:
        raise ValueError(f"hand {number} is not over: it has no history yet")
    events = [
        event for step in hand.steps for event in events_of(hand.game, step, viewer, hand.steps)
    ]
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": str(hand.game),
        "rule_version": hand.game.rule_version,
        "hand": number,
        "players": [_shown_name(name) for name in names],
        "viewer": viewer,
        "events": events,
        "returns": [int(chips) if chips == int(chips) else chips for chips in hand.returns],
        **extra,
    }


def _shown_name(name: str) -> str:
    """A name that `are_names` accepts."""
    letters = (letter if letter.isprintable() else "?" for letter in name[:MOST_NAME])
    return "".join(letters) or "?"


def line_of(document: Document) -> str:
    """A history as one line of text, without the end of the line."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


# Playing it again.


def replay(history: History) -> LiveHand:
    """The hand of a history; see `History.hand`."""
    try:
        hand = play(history.game, history.viewer, history.events)
        if not hand.is_over:
            raise ValueError(f"the hand is not over: {whose_turn(hand.state)}")
        again = history_of(hand, history.viewer, history.players, history.number)
        check_same(history.events, again["events"])
        if not all(map(math.isclose, history.returns, hand.returns)):
            raise ValueError(f"returns {history.document['returns']}: played {again['returns']}")
    except ValueError as error:
        where = history.where or f"hand {history.number}"
        raise HistoryError(f"{where}: {error}") from None
    return hand


def play(game: Game, viewer: int | None, events: Sequence[Document]) -> LiveHand:
    """Play events by the rules, deal by deal, with cards in place of those that are hidden.

    Raises ValueError, in one line, if they are not possible.
    """
    hand = LiveHand(game)
    cards = cards_by_name(game)
    start = 0
    for end in _ends_of_deals(events):
        deal: Sequence[Sequence[Document]] = [[event] for event in events[start:end]]
        if viewer is not None:
            deal = completed(game, hand.states, events[start:end], start + 1)
        for i, whole in enumerate(deal, start + 1):
            try:
                for event in whole:
                    _play_event(hand, event, cards)
            except ValueError as error:
                raise ValueError(f"event {i}: {error}") from None
        start = end
    return hand


def _ends_of_deals(events: Sequence[Document]) -> list[int]:
    """Where deals end: behind the hands that are shown, and with the hand."""
    behind = range(1, len(events))
    shown = [i for i in behind if "shows" in events[i - 1] and "shows" not in events[i]]
    return [*shown, len(events)]


def _play_event(hand: LiveHand, event: Document, cards: dict[str, int]) -> None:
    if "card" in event:
        if hand.turn != CHANCE:
            raise ValueError(f"no card falls, {whose_turn(hand.state)}")
        card = card_named(cards, event["card"])
        if card not in hand.cards_to_come():
            raise ValueError(f"{event['card']} cannot fall: it is not in the deck")
        hand.play(card)
    elif "action" in event:
        check_turn(hand.state, event["seat"])
        hand.play(action_of(hand.game, hand.states, event["action"]))


def check_same(given: Sequence[Document], played: Sequence[Document]) -> None:
    """Raise ValueError, in one line, if the rules lead to other events than a history gives."""
    for i, (one, other) in enumerate(zip(given, played, strict=False), 1):
        if essence(one) != essence(other):
            raise ValueError(
                f"event {i} is {shortened(one)}: by the rules it is {shortened(other)}"
            )
    if len(given) != len(played):
        raise ValueError(f"{len(given)} events: by the rules there are {len(played)}")


def essence(event: Document) -> Document:
    """An event without the words for what a shown hand is worth."""
    if "shows" not in event:
        return event
    return {"seat": event["seat"], "shows": event["shows"]["cards"]}


def shortened(value: Any) -> str:
    """A value in one line of a message."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:77]}..."


# Reading.


def read_any(text: str) -> list[History]:
    """The hands of a text, which is JSON lines or PHH.

    Raises HistoryError, in one line that says where, for what is neither; hands of PHH have been
    replayed then.
    """
    return list(map(_or_raise, each_of(text)))


def each_of(text: str) -> Iterator[History | HistoryError]:
    """The hands of a text, one after the other; for a bad one what is wrong with it."""
    if looks_like_json(text):
        return each_line(text.splitlines())
    from pokerspiel.agents.table.phh import each_table

    return each_table(text)


def looks_like_json(text: str) -> bool:
    """Whether a text, or its beginning, is JSON lines rather than PHH."""
    return text.lstrip()[:1] == "{"


def each_line(lines: Iterable[str]) -> Iterator[History | HistoryError]:
    """The hands of JSON lines; for a bad one what is wrong with it. Blank lines do not count."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield replace(read_document(_json(line)), where=f"line {number}")
            except ValueError as error:
                yield HistoryError(f"line {number}: {error}")


def _or_raise(result: History | HistoryError) -> History:
    if isinstance(result, HistoryError):
        raise result
    return result


def _json(line: str) -> Any:
    if len(line) > MOST_LETTERS:
        raise ValueError(f"{len(line)} letters: a hand has {MOST_LETTERS} at most")
    try:
        value = json.loads(line, object_pairs_hook=_members, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error.msg} at letter {error.pos + 1}") from None
    except RecursionError:
        raise ValueError(f"nested deeper than {MOST_DEPTH}") from None
    _check_depth(value)
    return value


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:40]!r} comes twice")
    return members


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


def _check_depth(value: Any) -> None:
    layer = [value]
    for _ in range(MOST_DEPTH):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    if layer:
        raise ValueError(f"nested deeper than {MOST_DEPTH}")


def read_document(document: Any) -> History:
    """A history from its JSON values. Raises ValueError, in one line, for what is none."""
    if not isinstance(document, dict):
        raise ValueError(f"{shortened(document)} is no hand: expected an object")
    if document.get("format") != FORMAT:
        raise ValueError(f"format {shortened(document.get('format'))}: expected {FORMAT!r}")
    if not is_whole(document.get("version")) or document["version"] != VERSION:
        raise ValueError(f"version {shortened(document.get('version'))}: expected {VERSION}")
    game = read_game(document.get("game"), document.get("rule_version"))
    _check(document, "hand", "a whole number", lambda x: is_whole(x) and 0 <= x < 1 << 63)
    _check(document, "players", f"{game.players} names", lambda x: are_names(x, game.players))
    _check(document, "viewer", "a seat or null", lambda x: x is None or _is_seat(x, game))
    _check(document, "returns", f"{game.players} numbers", lambda x: _are_chips(x, game.players))
    _check(document, "events", f"at most {MOST_EVENTS} events", _is_list_of_events)
    actions = 0
    for i, event in enumerate(document["events"], 1):
        if not is_event(event, game, hidden=document["viewer"] is not None):
            raise ValueError(f"event {i} is {shortened(event)}: no event of this game")
        actions += "action" in event
    if actions * game.limits.num_actions > MOST_WORK:
        raise ValueError(
            f"{actions} actions of a game with {game.limits.num_actions} bets: too many"
        )
    return History(document, game)


def read_game(text: Any, rule_version: Any) -> Game:
    """The game of a history. Raises ValueError, in one line, if it cannot be played."""
    if not isinstance(text, str) or len(text) > 1000:
        raise ValueError(f"game {shortened(text)}: expected a game such as 'svara(players=3)'")
    name, given = parse_game(text)
    for parameter in ("abstraction", "buckets"):
        if parameter in given:
            raise ValueError(f"game {shortened(text)}: hands are played without {parameter}")
    game = load(text)
    if not is_whole(rule_version) or rule_version != game.rule_version:
        raise ValueError(
            f"rule_version {shortened(rule_version)}: {name} has rules {game.rule_version}"
        )
    return game


def _check(document: Document, name: str, expected: str, is_right: Callable[[Any], bool]) -> None:
    if name not in document:
        raise ValueError(f"{name} is missing")
    if not is_right(document[name]):
        raise ValueError(f"{name} {shortened(document[name])}: expected {expected}")


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_seat(value: Any, game: Game) -> bool:
    return is_whole(value) and 0 <= value < game.players


def are_names(value: Any, players: int) -> bool:
    """Whether a value is a list of names, one a seat, that can be shown."""
    return (
        isinstance(value, list)
        and len(value) == players
        and all(isinstance(name, str) and 0 < len(name) <= MOST_NAME for name in value)
        and all(name.isprintable() for name in value)
    )


def _are_chips(value: Any, players: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == players
        and all(is_whole(chips) or isinstance(chips, float) for chips in value)
        and all(abs(chips) < 1 << 53 for chips in value)
    )


def _is_list_of_events(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MOST_EVENTS


def is_event(event: Any, game: Game, hidden: bool) -> bool:
    """Whether a value has the form of an event; cards are only hidden if `hidden`."""
    if not isinstance(event, dict):
        return False
    members = set(event)
    if "card" in members:
        card, to = event["card"], event.get("to")
        named = (card is None and hidden) or isinstance(card, str)
        upward = members <= {"card", "to"} or event.get("face_up") is True
        return (
            members <= {"card", "to", "face_up"}
            and named
            and upward
            and (_is_seat(to, game) or to == "board" or (to == "nobody" and not hidden))
        )
    if not _is_seat(event.get("seat"), game):
        return False
    if members == {"seat", "action"}:
        return isinstance(event["action"], str) and len(event["action"]) <= 80
    shows = event.get("shows")
    return (
        members == {"seat", "shows"}
        and isinstance(shows, dict)
        and isinstance(shows.get("cards"), list)
        and all(isinstance(card, str) for card in shows["cards"])
    )
