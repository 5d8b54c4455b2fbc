"""A hand of Svara in words: actions, public events, and what an information set says."""

from __future__ import annotations

from typing import Any

from pokerspiel.games import betting
from pokerspiel.games.cards import RANKS, card_name, cards_text
from pokerspiel.games.hands import JOKER
from pokerspiel.games.kernel import CHANCE
from pokerspiel.games.svara.knowledge import cards_held
from pokerspiel.games.svara.play import blind_total
from pokerspiel.games.svara.state import (
    BET,
    BLIND,
    BLOCKERS,
    CLUBS,
    DEAL,
    JOIN,
    NO_ABSTRACTION,
    POINTS,
    SUITS,
    decline,
    join,
    look,
)


def describe(game: Any, state: Any, action: int) -> tuple[Any, ...]:
    """What an action of the seat to act means: its kind, and the chips where there are any."""
    rules = game.tables.rules[0]
    if action < rules["after_wagers"]:
        return betting.describe(state, rules, action)
    if action == look(rules):
        return ("look",)
    if action == join(rules):
        return ("join", int(state["price"]))
    if action == decline(rules):
        return ("decline",)
    return ("blind", int(blind_total(state, rules, action)))


def action_name(game: Any, state: Any, action: int) -> str:
    """The action in words, unique among the legal ones: "raise to 8", "blind 2", "deal 7c"."""
    if state["turn"] == CHANCE:
        return f"deal {card_name(action)}"
    return " ".join(str(word) for word in betting.in_words(state, describe(game, state, action)))


def public_event(game: Any, state: Any, seat: int, action: int) -> int:
    """The number under which everybody sees the action that led to `state`."""
    return action


def event_name(game: Any, event: int) -> str:
    """A public event in short: "f", "c", "r", "look", "b0" (the opening blind), "join" ..."""
    rules = game.tables.rules[0]
    place = event - int(rules["after_wagers"])
    if place < 0:
        return betting.short_name(rules, event)
    blinds = 1 + int(rules["multipliers"])
    if place <= blinds:
        return f"b{place - 1}" if place else "look"
    return "join" if place == blinds + 1 else "decline"


def hand_text(game: Any, state: Any, player: int) -> str:
    """What an information set says of the hand: its points, or its cards up to suits."""
    rules = game.tables.rules[0]
    held = int(cards_held(state, rules, player))
    cards = [int(card) for card in state["hand"][player][:held]]
    if rules["abstraction"] != NO_ABSTRACTION and state["phase"] != BET:
        return ""
    if rules["abstraction"] in (POINTS, BLOCKERS) and held:
        blockers = "".join(card_name(card)[0] for card in sorted(cards) if _blocks(card))
        known = f" with {blockers}" if rules["abstraction"] == BLOCKERS and blockers else ""
        return f"{int(state['points'][player])} points{known}"
    suits = [[card >> 2 for card in cards if card & 3 == suit] for suit in range(SUITS)]
    others = sorted((sorted(ranks) for ranks in suits[1:] if ranks), reverse=True)
    named = zip("cxyz", [suits[CLUBS], *others], strict=False)
    return "".join(RANKS[rank] + suit for suit, ranks in named for rank in sorted(ranks))


def _blocks(card: int) -> bool:
    """Whether `blockers` names the card: the joker as 7, and aces."""
    return card == JOKER or card >> 2 == len(RANKS) - 1


_PHASE_NAMES = {BLIND: "blind phase", DEAL: "deal", BET: "betting", JOIN: "joining"}


def situation_text(game: Any, state: Any) -> str:
    """What everybody sees now: phase, dealer, chips, pots carried over, blind and price to join."""
    pots = int(state["pots"])
    carried = [
        f"{chips} for {int(seats):b}"
        for chips, seats in list(zip(state["pot_chips"], state["pot_seats"], strict=True))[:pots]
        if chips
    ]
    return "; ".join(
        [
            f"{_PHASE_NAMES[int(state['phase'])]}, svarka {state['svarkas']}",
            f"dealer {state['dealer']}",
            betting.situation_text(state, game.players),
            f"blind {state['blind']}, price {state['price']}",
            "carried " + (" and ".join(carried) or "nothing"),
        ]
    )


def private_text(game: Any, state: Any, player: int) -> str:
    """The cards of a player."""
    held = int(cards_held(state, game.tables.rules[0], player))
    return cards_text(sorted(int(card) for card in state["hand"][player][:held]))
