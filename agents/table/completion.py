"""Cards for the places that one seat did not see: any that fit all that it knows.

What the chips depend on is public in the end: bets, boards and the hands that were shown. So any
cards in the hidden places will do, as long as nothing that is known contradicts them.

A *dry run* of a deal with arbitrary cards finds its *slots*, cards that were dealt once, and the
time during which each is out of the deck: cards come back only where the deck of a draw runs dry. A
search then gives every slot a card, so that no two slots have the same one at the same time, and so
that a hand that was shown is made of its cards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerspiel.agents.table.seat_view import Document, action_named
from pokerspiel.games import betting, drive, sviten
from pokerspiel.games.cards import cards_of, mask_of
from pokerspiel.games.kernel import CHANCE, NOBODY
from pokerspiel.games.variants import Game

MOST_TRIES = 4000
"""Cards that the search tries before it gives up; a hand that was played needs about one a slot."""

_NEVER = 1 << 30


@dataclass
class Slot:
    """A card that was dealt once. Time is counted in shuffles of the deck."""

    stand_in: int
    """The card in its place in the dry run."""
    begin: int
    """The shuffles before it was dealt."""
    domain: int
    """The cards that it may be, as a mask."""
    end: int = _NEVER
    """The shuffle that brought it back into the deck."""

    def meets(self, other: Slot) -> bool:
        """Whether both are out of the deck at one time."""
        return self.begin < other.end and other.begin < self.end


def completed(
    game: Game, states: np.ndarray, events: Sequence[Document], first: int = 1
) -> list[list[Document]]:
    """The events of a deal that begins in `states[0]` with nothing hidden: for each what it was.

    Cards that were set aside unseen stand before the card that follows them. Raises ValueError, in
    one line, if the rules do not allow the events, which are numbered from `first` on, or if no
    cards fit them.
    """
    dry = _DryRun(game, states.copy())
    for i, event in enumerate(events, first):
        try:
            dry.step(event)
        except ValueError as error:
            raise ValueError(f"event {i}: {error}") from None
    cards = find_cards(dry.slots, int(game.tables.rules[0]["deck"]))
    if cards is None:
        raise ValueError("no cards fit what is known: one would be in two places")
    return dry.with_cards(events, cards)


def action_of(game: Game, states: np.ndarray, words: str) -> int:
    """The legal action in words; "cc" and "cbr 4" stand for a call and a bet or raise.

    Raises ValueError, in one line, if it is no legal one.
    """
    verb, _, chips = words.partition(" ")
    if verb == "cc":
        words = game.action_name(states[0], betting.CALL)
    elif verb == "cbr":
        words = f"{'raise to' if states[0]['level'] else 'bet'} {chips}"
    return action_named(game, states, words)


def cards_by_name(game: Game) -> dict[str, int]:
    """The cards of the deck."""
    return {game.card_name(card): card for card in cards_of(int(game.tables.rules[0]["deck"]))}


def card_named(cards: Mapping[str, int], name: object) -> int:
    """The card of a name; ValueError, in one line, if the deck has none."""
    if not isinstance(name, str) or name not in cards:
        raise ValueError(f"{str(name)[:20]!r} is no card of this game")
    return cards[name]


def discards_of(words: str) -> list[str] | None:
    """The cards that a discard names; None for another action."""
    verb, _, cards = words.partition(" ")
    if verb != "discard":
        return None
    return [cards[i : i + 2] for i in range(0, len(cards), 2)]


class _DryRun:
    """A deal with the lowest cards that may fall in place of those that fell."""

    def __init__(self, game: Game, states: np.ndarray) -> None:
        self.slots: list[Slot] = []
        self._game = game
        self._states = states
        self._cards = cards_by_name(game)
        self._held: dict[int, list[Slot]] = {}
        self._shuffles = 0
        self._done: list[list[Slot]] = []  # by event: cards that fell, or that were thrown away

    def step(self, event: Document) -> None:
        """Play an event. Raises ValueError, in one line, if it is not possible."""
        if "shows" in event:
            self._show(event["seat"], event["shows"]["cards"])
        elif "card" in event:
            self._deal(event["card"])
        else:
            self._act(event["seat"], event["action"])

    def with_cards(self, events: Sequence[Document], cards: Sequence[int]) -> list[list[Document]]:
        """The events with these cards in the slots."""
        names = {
            id(slot): self._game.card_name(card)
            for slot, card in zip(self.slots, cards, strict=True)
        }
        complete = []
        for event, done in zip(events, self._done, strict=True):
            if "card" in event:
                aside = [{"card": names[id(slot)], "to": "nobody"} for slot in done[:-1]]
                complete.append([*aside, {**event, "card": names[id(done[-1])]}])
            elif done:
                thrown = "".join(names[id(slot)] for slot in done)
                complete.append([{**event, "action": f"discard {thrown}"}])
            else:
                complete.append([event])
        return complete

    def _deal(self, name: str | None) -> None:
        fallen = []
        while self._states[0]["turn"] == CHANCE and self._audience() == NOBODY:
            fallen.append(self._card(None))
        self._done.append([*fallen, self._card(name)])

    def _audience(self) -> int:
        return int(drive.audience_of(self._states, self._game.tables))

    def _card(self, name: str | None) -> Slot:
        """Let the lowest card fall that may: a new slot, or one that had been set aside."""
        state = self._states[0]
        if state["turn"] != CHANCE:
            raise ValueError(f"no card falls, {whose_turn(state)}")
        card = cards_of(int(state["stub"]))[0]
        slot = next((s for s in self.slots if s.stand_in == card and s.end == _NEVER), None)
        if slot is None:
            slot = Slot(card, self._shuffles, int(self._game.tables.rules[0]["deck"]))
            self.slots.append(slot)
        if name is not None:
            slot.domain &= 1 << card_named(self._cards, name)
        seat = self._audience()
        if seat >= 0:
            self._held.setdefault(seat, []).append(slot)
        self._play(card)
        return slot

    def _act(self, seat: int, words: str) -> None:
        check_turn(self._states[0], seat)
        held = self._held.setdefault(seat, [])
        thrown = self._thrown(words, held)
        if thrown:
            names = "".join(self._game.card_name(slot.stand_in) for slot in thrown)
            self._play(action_of(self._game, self._states, f"discard {names}"))
            self._held[seat] = [slot for slot in held if slot not in thrown]
        else:
            self._play(action_of(self._game, self._states, words))
            if words == "keep":
                held.append(self._done[-1][-1])
        self._done.append(thrown)

    def _play(self, action: int) -> None:
        """Play a step, and see which cards are shuffled back."""
        before = int(self._states[0]["stub"])
        drive.apply_action(self._states, self._game.tables, action)
        state = self._states[0]
        back = int(state["stub"]) & ~before
        if self._game.family is sviten:
            back &= ~mask_of(state["aside"][: int(state["aside_count"])])
        self._shuffles += back != 0
        for slot in self.slots:
            if slot.end == _NEVER and back >> slot.stand_in & 1:
                slot.end = self._shuffles

    def _thrown(self, words: str, held: Sequence[Slot]) -> list[Slot]:
        """The slots that an action throws away; which ones is free if the cards are not named."""
        verb, _, rest = words.partition(" ")
        if verb == "draw":
            if rest not in map(str, range(1, len(held) + 1)):
                raise ValueError(f"{words[:20]!r} with {len(held)} cards in the hand")
            return list(held[: int(rest)])
        named = [1 << card_named(self._cards, name) for name in discards_of(words) or []]
        thrown = [slot for slot in held if slot.domain in named]
        if len(thrown) != len(named):
            raise ValueError(f"{words[:40]!r}: the seat does not hold these cards")
        return thrown

    def _show(self, seat: int, names: Sequence[str]) -> None:
        """The slots of a seat hold the cards that it shows."""
        held = self._held.get(seat, [])
        if len(held) != len(names):
            raise ValueError(f"seat {seat} shows {len(names)} cards, it holds {len(held)}")
        shown = self._mask_of(names)
        for slot in held:
            slot.domain &= shown
        self._done.append([])

    def _mask_of(self, names: Sequence[str]) -> int:
        return mask_of(card_named(self._cards, name) for name in names)


def whose_turn(state: Any) -> str:
    """Who is to act, in words."""
    turn = int(state["turn"])
    if turn >= 0:
        return f"seat {turn} is to act"
    return "a card falls" if turn == CHANCE else "the hand is over"


def check_turn(state: Any, seat: int) -> None:
    """Raise ValueError if it is not the turn of a seat."""
    if seat != state["turn"]:
        raise ValueError(f"seat {seat} cannot act, {whose_turn(state)}")


# The search.


def find_cards(slots: Sequence[Slot], deck: int) -> list[int] | None:
    """A card of the deck for each slot; None if there are none that fit, or none were found soon.

    The slot with the fewest cards left is filled first, the one that is out of the deck longest
    among equals; cards that are known to be elsewhere at another time go first, so that the others
    stay free for slots that need one all the time. Slots that are alike in time and domain take
    their cards in this order, so that permutations are not tried.
    """
    known = [slot.domain for slot in slots if slot.domain.bit_count() == 1]
    order = sorted(cards_of(deck), key=lambda card: -sum(mask >> card & 1 for mask in known))
    search = _Search(slots, order)
    return search.chosen if search.fill([slot.domain & deck for slot in slots]) else None


class _Search:
    """Depth-first, with a look ahead at the cards that every slot has left."""

    def __init__(self, slots: Sequence[Slot], order: Sequence[int]) -> None:
        self.chosen = [-1] * len(slots)
        self._order = order
        self._behind = {card: mask_of(order[i + 1 :]) for i, card in enumerate(order)}
        self._length = [slot.begin - slot.end for slot in slots]
        kinds = [(slot.begin, slot.end, slot.domain) for slot in slots]
        self._meeting = [
            [j for j, other in enumerate(slots) if j != i and slot.meets(other)]
            for i, slot in enumerate(slots)
        ]
        self._alike = [
            {j for j, other in enumerate(kinds) if j != i and other == kind}
            for i, kind in enumerate(kinds)
        ]
        self._tries = 0

    def fill(self, left: list[int]) -> bool:
        """Fill the slots that are still empty; `left` are the cards that each may take."""
        empty = [i for i, card in enumerate(self.chosen) if card < 0]
        if not empty:
            return True
        i = min(empty, key=lambda j: (left[j].bit_count(), self._length[j]))
        for card in self._order:
            if not left[i] >> card & 1:
                continue
            self._tries += 1
            if self._tries > MOST_TRIES:
                return False
            self.chosen[i] = card
            ahead = self._look_ahead(i, card, left)
            if ahead is not None and self.fill(ahead):
                return True
            self.chosen[i] = -1
        return False

    def _look_ahead(self, i: int, card: int, left: list[int]) -> list[int] | None:
        """What is left for the others; None if nothing is left for one of them."""
        ahead = list(left)
        for j in self._meeting[i]:
            if self.chosen[j] < 0:
                ahead[j] &= self._behind[card] if j in self._alike[i] else ~(1 << card)
                if ahead[j] == 0:
                    return None
        return ahead
