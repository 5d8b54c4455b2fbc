"""Hands of Svara and Sviten in PHH, the TOML format for hands of poker (Kim, arXiv 2312.11753).

Standard fields and actions say all that the standard can; what it has no words for stands in fields
with an underscore before their names, as the standard asks of others. docs/histories.md has the
table. Both kinds of files are read and written, of one hand (.phh) and of several (.phhs).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pokerspiel.agents.table.history import (
    FORMAT,
    MOST_EVENTS,
    VERSION,
    History,
    HistoryError,
    are_names,
    check_same,
    history_of,
    is_whole,
    play,
    read_game,
    shortened,
)
from pokerspiel.agents.table.seat_view import Document
from pokerspiel.games import svara, sviten
from pokerspiel.games.betting import FIXED_LIMIT
from pokerspiel.games.cards import cards_text, parse_cards
from pokerspiel.games.variants import Game, load

MOST_LETTERS = 1 << 24
"""Of a file."""

UNKNOWN = "??"

# Writing.


def to_phh(history: History | Document) -> str:
    """A history as a PHH file of one hand; members beyond the format's own stay behind.

    Raises ValueError, in one line, for a game that is not played with real cards.
    """
    document = history.document if isinstance(history, History) else history
    game = load(document["game"])
    fields = _setup(game)
    stacks = fields["starting_stacks"]
    actions, moves = _actions_of(document["events"])
    fields |= {
        "actions": actions,
        "hand": document["hand"],
        "players": document["players"],
        "finishing_stacks": [a + b for a, b in zip(stacks, document["returns"], strict=True)],
        "_format": FORMAT,
        "_version": VERSION,
        "_game": document["game"],
        "_rule_version": document["rule_version"],
    }
    if document["viewer"] is not None:
        fields["_viewer"] = f"p{document['viewer'] + 1}"
    if moves:
        fields["_moves"] = moves
    return "".join(f"{name} = {_toml(value)}\n" for name, value in fields.items())


def to_phhs(histories: Iterable[History | Document]) -> str:
    """Histories as a PHH file of several hands, whose tables are numbered from 1 on."""
    return "\n".join(f"[{i}]\n{to_phh(history)}" for i, history in enumerate(histories, 1))


def _toml(value: Any) -> str:
    if isinstance(value, list):
        if len(value) > 0 and isinstance(value[0], str):
            return "[\n" + "".join(f"    {_toml(text)},\n" for text in value) + "]"
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _setup(game: Game) -> Document:
    """The fields that say what is played for."""
    if game.family not in (svara, sviten):
        raise ValueError(f"{game}: PHH is for games with real cards, Svara and Sviten")
    rules, players = game.tables.rules[0], game.players
    antes, blinds = [0] * players, [0] * players
    if game.family is svara:
        antes = [int(rules["ante"])] * players
        least = most = int(rules["min_bet"])
    else:
        blinds[:2] = int(rules["small_blind"]), int(rules["big_blind"])
        least, most = blinds[1], 2 * blinds[1]
    fixed = rules["structure"] == FIXED_LIMIT
    return {
        "variant": game.name,
        "antes": antes,
        "blinds_or_straddles": blinds,
        **({"small_bet": least, "big_bet": most} if fixed else {"min_bet": least}),
        "starting_stacks": [int(chips) for chips in rules["start_stack"][:players]],
    }


def _actions_of(events: Sequence[Document]) -> tuple[list[str], list[str]]:
    """Events as standard actions and, with the number of those before it, each other move."""
    actions: list[str] = []
    moves: list[str] = []
    i = 0
    while i < len(events):
        run = _run_of_cards(events, i)
        if run:
            actions += _dealt(events[i : i + run])
            aside = "".join(event["card"] for event in events[i : i + run] if _is_aside(event))
            if aside:
                moves.append(f"{len(actions)} d aside {aside}")
            i += run
            continue
        event = events[i]
        player = f"p{event['seat'] + 1}"
        if "shows" in event:
            actions.append(f"{player} sm {''.join(event['shows']['cards'])}")
        elif (standard := _standard(event["action"])) is not None:
            actions.append(f"{player} {standard}")
        else:
            moves.append(f"{len(actions)} {player} {event['action']}")
        i += 1
    return actions, moves


def _is_aside(event: Document) -> bool:
    return bool(event["to"] == "nobody")


def _run_of_cards(events: Sequence[Document], first: int) -> int:
    """How many cards from event `first` on are of one deal: to seats, to the board or aside."""
    end = first
    while (
        end < len(events) and "card" in events[end] and _kind(events[end]) == _kind(events[first])
    ):
        end += 1
        if "face_up" in events[first]:
            break
    return end - first


def _kind(event: Document) -> tuple[bool, bool, bool]:
    return event["to"] == "board", event["to"] == "nobody", "face_up" in event


def _dealt(run: Sequence[Document]) -> list[str]:
    """Cards of one deal as actions: those of a seat together, if they were dealt in turn."""
    cards: dict[Any, list[str]] = {}
    for event in run:
        cards.setdefault(event["to"], []).append(event["card"] or UNKNOWN)
    if "nobody" in cards:
        return []
    if "board" in cards:
        return [f"d db {''.join(cards['board'])}"]
    seats = [event["to"] for event in run]
    if seats != _in_turn([[seat] * len(cards[seat]) for seat in cards]):
        return [f"d dh p{event['to'] + 1} {event['card'] or UNKNOWN}" for event in run]
    return [f"d dh p{seat + 1} {''.join(cards[seat])}" for seat in cards]


def _in_turn(hands: Sequence[Sequence[Any]]) -> list[Any]:
    """One of each hand in turn, until all are dealt."""
    longest = max(map(len, hands), default=0)
    return [hand[i] for i in range(longest) for hand in hands if i < len(hand)]


def _standard(words: str) -> str | None:
    """An action in the standard's notation; None if it has none."""
    verb, _, rest = words.partition(" ")
    if verb == "raise":
        return f"cbr {rest.removeprefix('to ')}"
    if verb == "draw":
        return f"sd {UNKNOWN * int(rest)}"
    simple = {"fold": "f", "check": "cc", "call": "cc", "stand": "sd"}
    return {"bet": f"cbr {rest}", "discard": f"sd {rest}"}.get(verb, simple.get(verb))


# Reading.


def each_table(text: str) -> Iterator[History | HistoryError]:
    """The hands of a PHH file, of one hand or of several, replayed by the rules.

    For a bad one it is what is wrong with it, in one line that names the hand.
    """
    try:
        tables = _tables(text)
    except ValueError as error:
        yield HistoryError(str(error))
        return
    for name, fields in tables.items():
        where = f"hand [{shortened(name)[1:-1]}]" if name else ""
        try:
            yield replace(_read(fields), where=where)
        except ValueError as error:
            yield HistoryError(f"{where}: {error}" if where else str(error))


def _tables(text: str) -> dict[str, Document]:
    """The tables of a file by name; a file of one hand is one without a name."""
    if len(text) > MOST_LETTERS:
        raise ValueError(f"{len(text)} letters: a PHH file has {MOST_LETTERS} at most")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None
    except ValueError as error:
        raise ValueError(f"neither JSON lines nor PHH: {error}") from None
    if not tables:
        raise ValueError("no hands")
    if all(isinstance(table, dict) for table in tables.values()):
        return tables
    return {"": tables}


def _read(fields: Document) -> History:
    if fields.get("_format") != FORMAT or fields.get("_version") != VERSION:
        raise ValueError(
            f"variant {shortened(fields.get('variant'))}: expected a hand of Svara or Sviten "
            f"with _format = {FORMAT!r} and _version = {VERSION}"
        )
    game = read_game(fields.get("_game"), fields.get("_rule_version"))
    for name, value in _setup(game).items():
        if fields.get(name) != value:
            raise ValueError(f"{name} {shortened(fields.get(name))}: _game has {value}")
    names: Any = fields.get("players")
    number: Any = fields.get("hand", 0)
    if not are_names(names, game.players):
        raise ValueError(f"players {shortened(names)}: expected {game.players} names")
    if not is_whole(number) or not 0 <= number < 1 << 63:
        raise ValueError(f"hand {shortened(number)}: expected a whole number")
    viewer = _viewer(fields.get("_viewer"), game)
    events = _Reader(game, viewer).events(fields.get("actions"), fields.get("_moves", []))
    hand = play(game, viewer, events)
    document = history_of(hand, viewer, names, number)
    check_same(events, list(map(_loosely, document["events"])))
    finishing = [a + b for a, b in zip(fields["starting_stacks"], hand.returns, strict=True)]
    if fields.get("finishing_stacks") != finishing:
        given = shortened(fields.get("finishing_stacks"))
        raise ValueError(f"finishing_stacks {given}: by the rules they are {finishing}")
    return History(document, game)


def _viewer(label: Any, game: Game) -> int | None:
    if label is None:
        return None
    labels = [f"p{seat + 1}" for seat in range(game.players)]
    if label not in labels:
        raise ValueError(f"_viewer {shortened(label)}: expected one of {', '.join(labels)}")
    return labels.index(label)


def _loosely(event: Document) -> Document:
    """An event with calls and bets as PHH calls them."""
    standard = _standard(event.get("action", ""))
    if standard is not None and standard.startswith("c"):
        return {**event, "action": standard}
    return event


class _Reader:
    """Actions and moves as events, in which calls and bets are "cc" and "cbr 4"."""

    def __init__(self, game: Game, viewer: int | None) -> None:
        self._players = [f"p{seat + 1}" for seat in range(game.players)]
        self._hides = viewer is not None
        self._hands: list[tuple[int, list[str | None]]] = []
        self._events: list[Document] = []

    def events(self, actions: Any, moves: Any) -> list[Document]:
        """The events. Raises ValueError, in one line that names what is no action or move."""
        for name, value in (("actions", actions), ("_moves", moves)):
            if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
                raise ValueError(f"{name} {shortened(value)}: expected an array of strings")
            if len(value) > MOST_EVENTS:
                raise ValueError(f"{len(value)} {name}: expected at most {MOST_EVENTS}")
        for text in _merged(actions, moves):
            words = text.partition("#")[0].split()
            try:
                self._read(words)
            except ValueError as error:
                raise ValueError(f"action {shortened(text)}: {error}") from None
        self._deal()
        return self._events

    def _read(self, words: list[str]) -> None:
        match words:
            case []:
                pass
            case ["d", "dh", player, cards]:
                self._hands.append((self._seat(player), self._cards(cards)))
            case ["d", "db", cards]:
                self._deal()
                self._events += [{"card": card, "to": "board"} for card in self._cards(cards)]
            case ["d", "aside", cards]:
                self._deal()
                self._events += [{"card": card, "to": "nobody"} for card in self._cards(cards)]
            case [player, "sm", cards]:
                self._deal()
                shown = {"cards": self._cards(cards)}
                self._events.append({"seat": self._seat(player), "shows": shown})
            case [player, *rest] if rest:
                action = _action(rest)
                self._deal(up=action in ("keep", "reject"))
                self._events.append({"seat": self._seat(player), "action": action})
            case _:
                raise ValueError("expected one such as 'p1 cc' or 'd db 7h'")

    def _deal(self, up: bool = False) -> None:
        """Cards of seats that were dealt one after the other, in turn."""
        face_up = {"face_up": True} if up else {}
        hands = [[(seat, card) for card in cards] for seat, cards in self._hands]
        self._events += [{"card": card, "to": seat, **face_up} for seat, card in _in_turn(hands)]
        self._hands.clear()

    def _seat(self, player: str) -> int:
        if player not in self._players:
            raise ValueError(f"no player {player[:20]!r}, expected p1 to {self._players[-1]}")
        return self._players.index(player)

    def _cards(self, text: str) -> list[str | None]:
        cards = [text[i : i + 2] for i in range(0, len(text), 2)]
        if UNKNOWN in cards and not self._hides:
            raise ValueError("a card is unknown: _viewer says who saw the hand")
        return [None if card == UNKNOWN else card for card in cards]


def _action(words: list[str]) -> str:
    """An action as events have it, calls and bets as they are."""
    match words:
        case ["f"]:
            return "fold"
        case ["sd"]:
            return "stand pat"
        case ["sd", cards] if set(cards) == {"?"}:
            return f"draw {len(cards) // 2}"
        case ["sd", cards]:
            ordered = sorted(parse_cards(cards), reverse=True)
            return f"discard {cards_text(ordered)}"
    return " ".join(words)


def _merged(actions: Sequence[str], moves: Sequence[str]) -> list[str]:
    """Actions with every move before the action whose number it has."""
    behind: dict[int, list[str]] = {}
    for move in moves:
        found = re.fullmatch(r"([0-9]{1,5}) (.+)", move)
        if found is None or int(found[1]) > len(actions):
            raise ValueError(
                f"move {shortened(move)}: expected one such as '12 p1 look', behind so many actions"
            )
        behind.setdefault(int(found[1]), []).append(found[2])
    merged = []
    for i, action in enumerate([*actions, ""]):
        merged += [*behind.get(i, []), action]
    return merged
