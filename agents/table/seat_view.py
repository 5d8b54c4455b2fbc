"""What a seat sees of a hand, as a JSON document; the same for the page, the API and programs.

Everything in it is public or belongs to the seat. Without a seat it is the view of a witness who
sees all cards, for hands that are over. docs/programs.md describes its members.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pokerspiel.agents.agent import legal
from pokerspiel.agents.table.dealing import halves_of, kind_of
from pokerspiel.agents.table.holdings import (
    board_cards,
    draw_half,
    omaha_half,
    own_cards,
    points_of,
    reason_of,
    shown_cards,
)
from pokerspiel.agents.table.live_hand import LiveHand, Step
from pokerspiel.games import svara, sviten
from pokerspiel.games.betting import FIXED_LIMIT, WAGER
from pokerspiel.games.cards import card_name, mask_of, parse_cards
from pokerspiel.games.kernel import EVERYBODY, KIND_RAISE, MAX_SEATS, NOBODY
from pokerspiel.games.sviten.state import DRAW, KEEP, KEPT, REJECTED
from pokerspiel.games.variants import Game

VERSION = 1
"""Version of the documents."""

FEW = 12
"""More sizes of a bet than this are given as a range."""

Document = dict[str, Any]


def seat_view(
    hand: LiveHand,
    seat: int | None,
    names: Sequence[str],
    number: int = 0,
    steps: int | None = None,
) -> Document:
    """The hand as `seat` sees it, after its first `steps` steps or all of them.

    `names` are by seat, `number` is the number of the hand.
    """
    game = hand.game
    past = hand.steps if steps is None else hand.steps[:steps]
    state = hand.state if steps is None or steps == len(hand.steps) else hand.steps[steps].before
    turn = int(state["turn"])
    over = hand.is_over and len(past) == len(hand.steps)
    return {
        "version": VERSION,
        "game": str(game),
        "hand": number,
        "seat": seat,
        "players": list(names),
        "dealer": _dealer(game, state),
        "turn": turn if turn >= 0 else None,
        "over": over,
        "phase": _phase(game, state, over),
        **_chips(game, state, over),
        "to_call": 0 if over else _to_call(game, state, seat),
        **_cards(game, state, seat, past),
        "actions": actions_of(game, state) if turn >= 0 and seat in (turn, None) else [],
        "events": [event for step in past for event in events_of(game, step, seat, past)],
        "returns": [_number(chips) for chips in hand.returns] if over else None,
        "won": _won(game, state) if over else None,
    }


def _number(chips: float) -> int | float:
    return int(chips) if chips == int(chips) else float(chips)


def _seats(mask: int) -> list[int]:
    return [seat for seat in range(MAX_SEATS) if int(mask) >> seat & 1]


# The table.


def _dealer(game: Game, state: Any) -> int:
    return int(state["dealer"]) if game.family is svara else game.players - 1


_SVARA_PHASES = ("blind", "deal", "bet", "join")
_STREETS = ("preflop", "flop", "turn", "river", "showdown")


def _phase(game: Game, state: Any, over: bool) -> str:
    """ "bet", "blind", "join", "draw", "keep", "deal" or "over"."""
    if over:
        return "over"
    if game.family is svara:
        return _SVARA_PHASES[int(state["phase"])]
    if int(state["turn"]) < 0:
        return "deal"
    if game.family is sviten:
        return {KEEP: "keep", DRAW: "draw"}.get(int(state["phase"]), "bet")
    return "bet"


def _chips(game: Game, state: Any, over: bool) -> Document:
    """Chips in the middle and in front of the seats, which have been paid when a hand is over."""
    fields = state.dtype.names or ()
    n = game.players
    document: Document = {}
    if "stack" in fields:
        document = {
            "pot": int(state["pot"]),
            "stacks": [int(chips) for chips in state["stack"][:n]],
            "bets": [int(chips) for chips in state["bet"][:n]],
        }
        if over:
            paid = game.tables.rules[0]["start_stack"][:n] + state["returns"][:n]
            document = {"pot": 0, "stacks": [_number(c) for c in paid], "bets": [0] * n}
    if game.family is svara:
        in_deal = int(state["in_deal"]) & ~int(state["folded"])
        document["live"] = _seats(in_deal)
        document["svarka"] = int(state["svarkas"])
        document["price"] = int(state["price"])
        document["blind"] = int(state["blind"])
    if game.family is sviten:
        document["live"] = _seats(~int(state["folded"]) & (1 << n) - 1)
        document["street"] = _STREETS[int(state["street"])]
    return document


def _to_call(game: Game, state: Any, seat: int | None) -> int:
    """Chips that staying in costs the seat that looks, or for a witness the seat to act."""
    if seat is None:
        seat = int(state["turn"])
    if seat < 0 or "level" not in (state.dtype.names or ()):
        return 0
    if game.family is svara and state["phase"] == svara.JOIN:
        return int(state["price"])
    return max(min(int(state["level"] - state["bet"][seat]), int(state["stack"][seat])), 0)


# Cards.


def _cards(game: Game, state: Any, seat: int | None, past: Sequence[Step]) -> Document:
    document: Document = {
        "cards": _names(game, own_cards(game, state, seat)) if seat is not None else [],
        "hands": _hands(game, state, seat, past),
    }
    if game.family is svara and document["cards"]:
        document["points"] = points_of(game, own_cards(game, state, seat or 0))
        document["why"] = reason_of(game, own_cards(game, state, seat or 0))
    if game.family is sviten:
        document["board"] = _names(game, board_cards(game, state))
        document["draws"] = _draws(game, state)
    if game.family not in (svara, sviten) and seat is not None:
        document["cards"] = _dealt(past, seat)
    return document


def _dealt(past: Sequence[Step], seat: int) -> list[str]:
    """The cards that were dealt to a seat."""
    return [step.words for step in past if step.by_chance and step.audience == seat]


def _names(game: Game, cards: Sequence[int]) -> list[str]:
    return [game.card_name(card) for card in sorted(cards, reverse=True)]


def _hands(game: Game, state: Any, seat: int | None, past: Sequence[Step]) -> list[Document | None]:
    """The hands that lie open, by seat, until new cards are dealt; a witness sees all of them."""
    shown = _last_shown(past)
    if shown is not None:
        return [
            _compared(game, shown, other, past) if other in shown.shown else None
            for other in range(game.players)
        ]
    if seat is not None:
        return [None] * game.players
    hands: list[Document | None] = []
    for other in range(game.players):
        cards = _names(game, own_cards(game, state, other)) or _dealt_in(game, past, other)
        hands.append({"cards": cards} if cards else None)
    return hands


def _last_shown(past: Sequence[Step]) -> Step | None:
    """The step after which hands were shown that still lie there."""
    for step in reversed(past):
        if step.shown:
            return step
        if step.by_chance:
            return None
    return None


def _dealt_in(game: Game, past: Sequence[Step], seat: int) -> list[str]:
    """Cards of a seat in games whose hands are not known by their records."""
    return [] if game.family in (svara, sviten) else _dealt(past, seat)


def _compared(game: Game, step: Step, seat: int, past: Sequence[Step]) -> Document:
    """A hand that is shown after a step, and what it is worth."""
    if game.family not in (svara, sviten):
        return {"cards": _dealt(past, seat)}
    cards = shown_cards(game, step.after, seat)
    document: Document = {"cards": _names(game, cards)}
    if game.family is svara:
        return document | {"points": points_of(game, cards), "why": reason_of(game, cards)}
    document["draw"] = draw_half(game, cards)["name"]
    document["omaha"] = omaha_half(game, cards, board_cards(game, step.after))["name"]
    return document


def _draws(game: Game, state: Any) -> list[Document | None]:
    """What each seat drew: how many cards, and a card that was shown, which it kept or not."""
    face_up = [int(card) for card in state["up"][: int(state["up_count"])]]
    draws: list[Document | None] = [None] * game.players
    for seat in range(game.players):
        count = int(state["draws"][seat])
        if count < 0:
            continue
        draws[seat] = {"count": count}
        if count == 1 and face_up and game.parameters["one_card_face_up"]:
            end = int(state["draw_end"][seat])
            kept = {KEPT: True, REJECTED: False}.get(end)
            draws[seat] = {"count": 1, "card": game.card_name(face_up.pop(0)), "kept": kept}
    return draws


# Actions.


_KINDS = (
    *("fold", "call", "raise", "blind", "look"),
    *("discard", "keep", "reject", "join", "decline"),
)
"""The names of `kernel`'s kinds of actions, in their order."""


def actions_of(game: Game, state: Any) -> list[Document]:
    """The actions of the seat to act; many sizes of a bet in a row are one with `min` and `max`.

    Each has a `name` that can be played, and a `kind`.
    """
    states = np.array([state])
    actions = legal(game, states)
    raises = _free_raises(game, actions)
    if len(raises) <= FEW:
        return [_action(game, states, action) for action in actions]
    documents = [_action(game, states, action) for action in actions if action < raises[0]]
    last = _action(game, states, raises[-1])
    span = _action(game, states, raises[0])
    span |= {"min": span["to"], "max": last["to"]}
    rest = [_action(game, states, action) for action in actions if action > raises[-1]]
    return [*documents, span, *rest]


def _action(game: Game, states: np.ndarray, action: int) -> Document:
    described = game.describe(states, action) if hasattr(game.family, "describe") else ("",)
    kind = kind_of(states, game.tables, action)
    document: Document = {"name": game.action_name(states[0], action), "kind": _KINDS[kind]}
    if described[0] == "discard":
        document["cards"] = [card_name(card) for card in sorted(described[1], reverse=True)]
    elif len(described) > 1:
        document["to" if kind == KIND_RAISE else "chips"] = int(described[1])
    return document


def _free_raises(game: Game, actions: Sequence[int]) -> list[int]:
    """The raises among the actions where any size may be bet: they are numbered one by one."""
    fields = game.tables.rules[0].dtype.names or ()
    if "sizes" not in fields:
        return []
    rules = game.tables.rules[0]
    if rules["structure"] == FIXED_LIMIT or rules["sizes"]:
        return []
    return [action for action in actions if WAGER <= action < rules["after_wagers"]]


def action_named(game: Game, states: np.ndarray, text: str) -> int:
    """The legal action of a name, such as "raise to 8"; cards may stand in any order.

    Raises ValueError, in one line, if it is no legal one.
    """
    plain = " ".join(text.split()).lower()
    wanted = _mask(plain.removeprefix("discard ")) if plain.startswith("discard ") else 0
    actions = legal(game, states)
    free = set(_free_raises(game, actions))
    for action in actions:
        if action in free and not plain.endswith(f" {action - WAGER + 1}"):
            continue  # naming each of thousands of sizes takes too long
        name = game.action_name(states[0], action)
        if name.lower() == plain:
            return action
        if wanted and name.startswith("discard ") and _mask(name[len("discard ") :]) == wanted:
            return action
    shown = [_name_of(document) for document in actions_of(game, states[0])]
    raise ValueError(f"{text[:60]!r} is no legal action: expected one of {', '.join(shown)}")


def _name_of(document: Document) -> str:
    """The name of an action, with its range if it has one."""
    if "max" in document:
        return f"{document['name']} ... {document['max']}"
    return str(document["name"])


def _mask(cards: str) -> int:
    """A set of cards; 0 for a text that names none."""
    try:
        return int(mask_of(parse_cards(cards)))
    except ValueError:
        return 0


# Events.


def events_of(game: Game, step: Step, seat: int | None, past: Sequence[Step]) -> list[Document]:
    """A step as a seat sees it, and the hands that are shown after it; empty if it sees nothing.

    `past` are the steps of the hand so far.
    """
    events = []
    if step.by_chance:
        if step.audience != NOBODY or seat is None:
            events.append(_card_event(game, step, seat))
    else:
        words = step.words if step.seen_by(seat) else _public_words(step)
        events.append({"seat": step.seat, "action": words})
    for shown in step.shown:
        events.append({"seat": shown, "shows": _compared(game, step, shown, past)})
    return events


def _card_event(game: Game, step: Step, seat: int | None) -> Document:
    """A card: to a seat, to the board, face up in front of a seat, or set aside by nobody."""
    card = step.words if step.seen_by(seat) else None
    if step.audience == NOBODY:
        return {"card": card, "to": "nobody"}
    if step.audience != EVERYBODY:
        return {"card": card, "to": step.audience}
    if game.family is sviten and not step.before["shared"]:
        return {"card": card, "to": int(step.before["drawer"]), "face_up": True}
    return {"card": card, "to": "board"}


def _public_words(step: Step) -> str:
    """A discard as the others see it, "draw 2" or "stand pat"."""
    drawn = int(step.after["draws"][step.seat])
    return f"draw {drawn}" if drawn else "stand pat"


# The end.


def _won(game: Game, state: Any) -> list[Document]:
    """The chips that each seat takes out of the middle; at a Sviten showdown, of each half.

    A bet that nobody called goes back and is not won; halves are exact, odd chips shared.
    """
    n = game.players
    if game.family is not sviten:
        return []
    draw, omaha = np.zeros(MAX_SEATS), np.zeros(MAX_SEATS)
    if not halves_of(np.array([state]), game.tables, draw, omaha):
        return []
    return [{"draw": _number(draw[s]), "omaha": _number(omaha[s])} for s in range(n)]
