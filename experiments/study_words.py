"""Decisions of a two-player deal of Svara in words, and the way back: from words to a decision."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from pokerspiel.games.cards import RANKS
from pokerspiel.games.deals import NO_NODE, NOT_PLAYED_OFF, Deal, DealChain

PLACES = ("first", "dealer")
"""The two places: left of the dealer, and the dealer."""

SVARKA = "svarka"
"""The word that follows a tie."""

FOLD, SHOWDOWN, TIE = "fold", "showdown", "tie"

_LONG_WORDS = (
    (r"\bfolds?\b", "f"),
    (r"\bcalls?\b", "c"),
    (r"\bchecks?\b", "x"),
    (r"\b(blind|bet|raise)s?\s+(?:to\s+)?(\d+)", r"\1\2"),
    (r"\bbet(\d+)", r"b\1"),
    (r"\braise(\d+)", r"r\1"),
)
"""What a player may write instead of the words of a deal."""

_OTHERS = ("the first player", "the dealer")
_PAST = {"look": "looked", "c": "called", "x": "checked", "f": "folded"}
_PRESENT = {"look": "look", "c": "call", "x": "check", "f": "fold"}
_AMOUNTS = {
    "blind": ("bet {} blind", "bet {} blind"),
    "b": ("bet {}", "bet {}"),
    "r": ("raised to {}", "raise to {}"),
}
_SUITS = "♣♦♥♠"

_LONGEST = 40
"""Letters of a wrong word that a refusal repeats."""


def words_of(deal: Deal, node: int) -> tuple[str, ...]:
    """The words of the actions that a decision offers."""
    return deal.word[deal.first_row[node] : deal.first_row[node + 1]]


def split(word: str) -> tuple[str, int]:
    """The kind of an action and its chips, 0 if it names none: "r4" is ("r", 4)."""
    kind = word.rstrip("0123456789")
    return kind, int(word[len(kind) :] or 0)


def meaning(word: str) -> str:
    """An action in English: "raise to 4"."""
    kind, chips = split(word)
    return _PRESENT.get(kind) or _AMOUNTS[kind][1].format(chips)


def _past(word: str) -> str:
    kind, chips = split(word)
    return _PAST.get(kind) or _AMOUNTS[kind][0].format(chips)


def steps(deal: Deal, row: int) -> list[tuple[int, str]]:
    """(Place, word) of each action on the way to a row, that included; row -1 is the beginning."""
    some = []
    while row >= 0:
        node = deal.node_of_row(row)
        some.append((int(deal.place[node]), deal.word[row]))
        row = int(deal.parent[node])
    return some[::-1]


def situation(deal: Deal, node: int) -> str:
    """Where the player stands who decides: "You deal: the first player bet 1"."""
    place = int(deal.place[node])
    taken = steps(deal, int(deal.parent[node]))
    if taken and taken[0][1] == "look":
        taken = taken[1:]
    you = "You are first" if place == 0 else "You deal"
    if not deal.looked[node]:
        you += " and have not looked"
    elif not taken:
        you += " and have looked"
    return f"{you}: {_told(place, taken) or 'nothing is bet yet'}"


def _told(place: int, taken: Sequence[tuple[int, str]]) -> str:
    """What happened, told to the player at a place."""
    told = []
    for who, some in groupby(taken, key=lambda step: step[0]):
        name = "you" if who == place else _OTHERS[who]
        told.append(f"{name} {' and '.join(_past(word) for _, word in some)}")
    return ", ".join(told)


def chips_in(deal: Deal, row: int) -> tuple[int, int]:
    """Chips that each place has put in since the deal began, after a row.

    A call pays the highest bet, or twice the last blind, as far as the chips reach.
    """
    paid = [0, 0]
    price = 0
    for place, word in steps(deal, row):
        kind, chips = split(word)
        if kind == "c":
            paid[place] = min(price, deal.stacks[place])
        elif chips:
            paid[place] = chips
            price = 2 * chips if kind == "blind" else chips
    return paid[0], paid[1]


def price_of_call(deal: Deal, node: int) -> int:
    """Chips that a call costs at a decision; 0 if there is none."""
    words = words_of(deal, node)
    if "c" not in words:
        return 0
    place = int(deal.place[node])
    before = chips_in(deal, int(deal.parent[node]))
    after = chips_in(deal, int(deal.first_row[node]) + words.index("c"))
    return after[place] - before[place]


def final_pot(deal: Deal, row: int) -> int:
    """The pot when a deal ends after a row, without chips that nobody called."""
    return deal.pot + 2 * min(chips_in(deal, row))


def ending(deal: Deal, row: int) -> tuple[str, ...]:
    """How a deal ends after a row: (FOLD, place, what it folds to) or (SHOWDOWN,)."""
    taken = steps(deal, row)
    if not taken or taken[-1][1] != "f":
        return (SHOWDOWN,)
    faced = [split(word)[0] for _, word in taken]
    kinds = (("raise", "r"), ("bet", "b"), ("blind bet", "blind"))
    name = next((name for name, kind in kinds if kind in faced), "nothing")
    return (FOLD, PLACES[taken[-1][0]], name)


def cards_in_words(cards: Iterable[int]) -> str:
    """Cards, the highest first: "A♠ 10♥ 7♣"."""
    names = []
    for card in sorted((int(card) for card in cards), reverse=True):
        rank = RANKS[card >> 2].replace("T", "10")
        names.append(rank + _SUITS[card & 3])
    return " ".join(names)


def percent(share: float) -> str:
    """A share in words: "27 %", "under 1 %"."""
    if 0.0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1.0:
        return "over 99 %"
    return f"{100.0 * share:.0f} %"


_LARGE = ((1e9, "billion"), (1e6, "million"), (1e3, "thousand"))


def one_in(chance: float) -> str:
    """A chance in words: "1 in 30 thousand"."""
    return "every hand" if chance > 0.7 else f"1 in {_in_words(1.0 / chance)}"


def _in_words(number: float) -> str:
    for size, name in _LARGE:
        if number >= 0.99 * size:
            return f"{number / size:,.0f} {name}"
    return f"{number:.0f}"


def met(chance: float) -> str:
    """How often something comes up: "met in 80 % of the hands", "met once in 257 hands"."""
    if chance == 0.0:
        return "never met"
    if chance < 0.01:
        return f"met once in {_in_words(1.0 / chance)} hands"
    return f"met in {percent(chance)} of the hands"


def minus(number: str) -> str:
    """A number with a proper minus."""
    return number.replace("-", "−")


# From words to a decision.


@dataclass(frozen=True)
class Spot:
    """A decision of a chain of deals."""

    deal: int
    node: int
    text: str
    """The actions that lead there, in full."""


def find_decision(chain: DealChain, text: str) -> Spot:
    """The decision that `text` leads to: "look b1 r2", "b1 c svarka look", "pot 8: look b1".

    A "look" may be left out where a word is possible after it only. Raises ValueError, one line
    with the words that are possible, for any other that is not.
    """
    deal, rest = _beginning(chain, text.lower())
    walk = _Walk(chain, deal)
    for word in _short_words(rest):
        walk.take(word)
    return walk.spot()


def _short_words(text: str) -> list[str]:
    for long, short in _LONG_WORDS:
        text = re.sub(long, short, text)
    return re.split(r"[\s,]+", text.strip(" ,\t\n")) if text.strip(" ,\t\n") else []


def _beginning(chain: DealChain, text: str) -> tuple[int, str]:
    """The deal that a text begins with, and what comes after its pot."""
    before, colon, rest = text.partition(":")
    if not colon:
        return 0, text
    match = re.fullmatch(r"\s*pot\s*(\d+)\s*", before)
    pots = sorted({deal.pot for deal in chain.deals})
    if match is None or int(match[1]) not in pots:
        names = ", ".join(str(pot) for pot in pots)
        said = before.strip()[:_LONGEST]
        raise ValueError(f"{said!r} begins no deal: write 'pot N:' with N one of {names}")
    found = [i for i, deal in enumerate(chain.deals) if deal.pot == int(match[1])]
    if len(found) > 1:
        raise ValueError(
            f"{len(found)} deals begin with a pot of {match[1]}: name the actions that lead there"
        )
    return found[0], rest


class _Walk:
    """A walk through a chain of deals, word by word."""

    def __init__(self, chain: DealChain, deal: int) -> None:
        self.chain = chain
        self._begin(deal)
        self._said = [f"pot {self._deal.pot}:"] if deal else []

    def _begin(self, deal: int) -> None:
        self._number = deal
        self._deal = self.chain.deals[deal]
        self._row = -1
        self._node = 0 if self._deal.nodes else NO_NODE

    def take(self, word: str) -> None:
        """Take an action, or go on after a tie."""
        if self._node == NO_NODE:
            self._play_off(word)
            return
        words = words_of(self._deal, self._node)
        implied = self._after_look(words)
        if word not in words and word in implied:
            self._step("look")
            self.take(word)
        elif word not in words:
            raise ValueError(
                f"{word[:_LONGEST]!r} is not possible {self._where()}: {_choices(words, implied)}"
            )
        else:
            self._step(word)

    def _after_look(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words that are possible after a look, if one is possible."""
        if "look" not in words:
            return ()
        node = int(self._deal.child[self._deal.first_row[self._node] + words.index("look")])
        return () if node == NO_NODE else words_of(self._deal, node)

    def _step(self, word: str) -> None:
        words = words_of(self._deal, self._node)
        self._row = int(self._deal.first_row[self._node]) + words.index(word)
        self._node = int(self._deal.child[self._row])
        self._said.append(word)

    def _follower(self) -> int:
        """The deal that follows a tie, where a deal has ended."""
        leaf = int(np.flatnonzero(self._deal.leaf_row == self._row)[0])
        return int(self._deal.follower[leaf, self.chain.tie])

    def _play_off(self, word: str) -> None:
        follower = self._follower()
        if word != SVARKA or follower == NOT_PLAYED_OFF:
            raise ValueError(f"{word[:_LONGEST]!r} is not possible {self._where()}: {self._end()}")
        self._said.append(SVARKA)
        self._begin(follower)

    def _where(self) -> str:
        return f"after {' '.join(self._said)!r}" if self._said else "at the beginning"

    def _end(self) -> str:
        if self._follower() == NOT_PLAYED_OFF:
            return "the hand is over"
        return f"the hands are shown, and only {SVARKA!r} goes on, after a tie"

    def spot(self) -> Spot:
        if self._node == NO_NODE:
            raise ValueError(f"nobody decides anything {self._where()}: {self._end()}")
        return Spot(self._number, self._node, " ".join(self._said))


def _choices(words: Sequence[str], implied: Sequence[str]) -> str:
    after = f" (or, looking first, {', '.join(implied)})" if implied else ""
    return f"write one of {', '.join(words)}{after}"
