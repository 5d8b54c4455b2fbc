"""A Sviten hand in words: actions, public events, and what an information set says of the cards."""

from __future__ import annotations

from typing import Any

from pokerspiel.games import betting
from pokerspiel.games.abstraction import clusters, halves
from pokerspiel.games.cards import (
    RANKS,
    card_name,
    cards_of,
    cards_text,
)
from pokerspiel.games.kernel import CHANCE
from pokerspiel.games.sviten.knowledge import (
    DISCARDED,
    DRAWN,
    HELD,
    ON_FLOP,
    ON_RIVER,
    ON_TURN,
    information_key,
    known_suits,
    place_of,
    visible,
)
from pokerspiel.games.sviten.play import discarded
from pokerspiel.games.sviten.state import (
    CLUSTERS,
    DRAW,
    HALVES,
    KEEP,
    KEPT,
    MAX_HAND,
    NO_ABSTRACTION,
    REJECTED,
    first_discard,
    keep,
    reject,
)


def describe(game: Any, state: Any, action: int) -> tuple[Any, ...]:
    """What an action of the seat to act means: its kind, and the chips or cards of it."""
    rules = game.tables.rules[0]
    if action < rules["after_wagers"]:
        return betting.describe(state, rules, action)
    if action == keep(rules):
        return ("keep",)
    if action == reject(rules):
        return ("reject",)
    places = discarded(state, game.tables, action)
    hole = state["hole"][state["turn"]]
    return ("discard", frozenset(int(hole[i]) for i in range(MAX_HAND) if places >> i & 1))


def action_name(game: Any, state: Any, action: int) -> str:
    """The action in words, unique among the legal ones: "raise to 8", "discard 7c9s", "deal 7c"."""
    if state["turn"] == CHANCE:
        return f"deal {card_name(action)}"
    described = describe(game, state, action)
    if described[0] != "discard":
        return " ".join(str(word) for word in betting.in_words(state, described))
    cards = cards_text(sorted(described[1], reverse=True))
    words = f"discard {cards}" if cards else "stand pat"
    rules = game.tables.rules[0]
    if rules["abstraction"] != NO_ABSTRACTION:
        return f"{words} (plan {action - first_discard(rules)})"
    return words


def public_event(game: Any, state: Any, seat: int, action: int) -> int:
    """The number under which everybody sees the last action: of discards, their count."""
    rules = game.tables.rules[0]
    first = int(rules["after_wagers"])
    if first <= action < first + (1 << int(rules["hole_cards"])):
        return first + int(state["draws"][seat])
    return action


def event_name(game: Any, event: int) -> str:
    """A public event in short: "f", "c", "r", "draw2", "keep" ..."""
    rules = game.tables.rules[0]
    drawn = event - int(rules["after_wagers"])
    if drawn < 0:
        return betting.short_name(rules, event)
    kept = 1 << int(rules["hole_cards"])
    if drawn < kept:
        return f"draw{drawn}"
    return "keep" if drawn == kept else "reject"


_PLACES = {
    HELD: "hole",
    DRAWN: "drawn",
    DISCARDED: "discards",
    ON_FLOP: "flop",
    ON_TURN: "turn",
    ON_RIVER: "river",
}


def hand_text(game: Any, state: Any, player: int) -> str:
    """What an information set says of the cards: their bucket, or all cards known, up to suits.

    The suits are named w, x, y, z, in an order that does not depend on their real names.
    """
    if game.tables.rules[0]["abstraction"] == HALVES:
        moment = {DRAW: halves.DRAWING, KEEP: halves.KEEPING}.get(
            int(state["phase"]), halves.BETTING
        )
        return f"bucket {int(halves.bucket(state, game.tables, player, moment))}"
    if game.tables.rules[0]["abstraction"] == CLUSTERS:
        key = information_key(state, game.tables, player)
        return f"bucket {int(key) & clusters.KEY_CLASS}"
    words = [int(word) for word in known_suits(state, player)]
    names = dict(zip(sorted(range(4), key=lambda suit: -words[suit]), "wxyz", strict=True))
    places: dict[str, list[str]] = {}
    seen = cards_of(int(visible(state, player)))
    for card in sorted(seen, key=lambda card: (-(card >> 2), names[card & 3])):
        text = RANKS[card >> 2] + names[card & 3]
        place = int(place_of(state, player, card))
        if place:
            places.setdefault(_PLACES[place], []).append(text)
        for i in range(int(state["up_count"])):
            if state["up"][i] == card:
                places.setdefault(f"up{i}", []).append(text)
    return " ".join(f"{name} {''.join(cards)}" for name, cards in sorted(places.items()))


_STREET_NAMES = ("before the flop", "flop", "turn", "river", "showdown")
_ENDS = {KEPT: " kept", REJECTED: " rejected"}


def situation_text(game: Any, state: Any) -> str:
    """What everybody sees now: street, board, chips, what each seat drew, and the face-up cards."""
    drawn = [
        f"{count}{_ENDS.get(int(end), '')}" if count >= 0 else "-"
        for count, end in zip(state["draws"], state["draw_end"], strict=True)
    ][: game.players]
    return "; ".join(
        [
            f"{_STREET_NAMES[int(state['street'])]}, phase {state['phase']}",
            "board " + cards_text(state["board"][: state["board_count"]]),
            betting.situation_text(state, game.players),
            "drawn " + " ".join(drawn),
            "face up " + cards_text(state["up"][: state["up_count"]]),
        ]
    )


def private_text(game: Any, state: Any, player: int) -> str:
    """The cards that a player holds, and those thrown away."""
    held = sorted(int(card) for card in state["hole"][player][: state["hole_count"][player]])
    discards = cards_text(cards_of(int(state["discards"][player])))
    return cards_text(held) + (f" discards {discards}" if discards else "")
