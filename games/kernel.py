"""The names that compiled code calls on any game.

A *family* of games is one numpy record (its state) that starts with the fields of `COMMON`, and a
few kernels on it, registered here under generic names. numba resolves a generic name by the
record's type while it compiles the caller, so that a solver, the arena or the OpenSpiel adapter is
written once and runs at the speed of the family's own code.

Every generic name takes `tables`, a NamedTuple of arrays: look-up tables, and the record `rules[0]`
with the parameters of the game, whose field `deck` is the set of cards as a bit mask.

| generic name | meaning |
|---|---|
| `begin(state, tables)` | a new hand: stacks, antes or blinds; cards still to be dealt |
| `legal_actions(state, tables, actions) -> n` | the actions of the seat to act, ascending |
| `act(state, tables, action)` | play an action; at a chance node, the card that falls |
| `information_key(state, tables, player) -> uint64` | all that `player` may know, hashed |
| `observe(state, tables, player, out)` | the same as numbers for a network (see the family) |
| `equity(state, tables, player, action, samples, seed)` | share of the pot against random hands |
| `audience(state, tables) -> seat` | who sees the next card or action: a seat, or EVERYBODY ... |
| `odds(state, player) -> (owed, pot)` | chips to call, and chips in the middle |
| `action_kind(state, tables, action)` | what a legal action does: KIND_FOLD, KIND_CALL ... |
| `raise_cost(state, tables, action)` | chips that a bet or raise puts in |
| `lift(state, tables, action, exact_tables)` | an abstract action as one of the exact game |
| `halves_won(state, tables, draw, omaha)` | chips won of each half, where pots have two halves |

Chance is always uniform: any card of the mask `state.stub` may fall, each as likely as the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import from_dtype, typeof, types
from numba.extending import overload

from pokerspiel.games.compiled import apart, kernel

MAX_SEATS = 9
MAX_DECKS = 16
"""Most decks that one hand may use: a svarka, or a reshuffle, takes a new one."""

CHANCE = -1
TERMINAL = -4

EVERYBODY = -1
NOBODY = -2
"""What `audience` says when the next event is public, or hidden from all."""

KIND_FOLD, KIND_CALL, KIND_RAISE = 0, 1, 2
KIND_BLIND, KIND_LOOK = 3, 4
KIND_DRAW, KIND_KEEP, KIND_REJECT = 5, 6, 7
KIND_JOIN, KIND_DECLINE = 8, 9
"""What an action does, in any game: a check is a call of nothing, a bet the first raise."""

COMMON: list[Any] = [
    ("turn", np.int8),  # seat to act, CHANCE or TERMINAL
    ("shared", np.uint8),  # at a chance node: 1 if the card goes to the board
    ("epoch", np.uint8),  # number of the deck in use
    ("stub", np.uint64),  # cards that chance may deal next, as a bit mask
    ("history", np.uint64),  # hash of all public events but the cards
    ("returns", np.float64, (MAX_SEATS,)),  # chips won or lost, set when the hand ends
]


class RulesOnly(NamedTuple):
    """The tables of a game that looks nothing up.

    One class for all such games: numba tells named tuples apart by their members only, and takes a
    slow way where two classes have the same.
    """

    rules: np.ndarray


class _Family(NamedTuple):
    """What `register` was told."""

    tables: Any
    """numba's type of the tables; None in a small game."""
    functions: dict[str, Callable[..., Any]]


_families: dict[Any, _Family] = {}

_PLAYER = _ACTION = types.int64
_APART: dict[str, tuple[Any, ...]] = {
    "begin": (types.void,),
    "legal_actions": (types.int64, types.int64[::1]),
    "act": (types.void, _ACTION),
    "information_key": (types.uint64, _PLAYER),
    "observe": (types.void, _PLAYER, types.float32[::1]),
    "equity": (types.float64, _PLAYER, _ACTION, types.int64, types.int64),
}
"""Functions that are large: what each returns, and what it takes after state and tables."""


def register(record: np.dtype, tables: Any = None, **functions: Callable[..., Any]) -> None:
    """Let the generic names call `functions` on states of type `record`.

    With `tables` of any game of the family, empty ones too, the large functions are compiled once
    and called by their address: see `compiled.apart`. Without, in a small game where a call would
    cost more than it saves, they become part of every kernel that calls them.
    """
    _families[from_dtype(record)] = _Family(None if tables is None else typeof(tables), functions)


@cache
def link(record: np.dtype) -> None:
    """Compile or load the large functions of a family: before any kernel meets its states."""
    for name in _APART:
        _function_of(from_dtype(record), name)


@cache
def _function_of(state: Any, name: str) -> Any:
    if state not in _families:
        raise TypeError(f"no family of games is registered for the record {state}")
    family = _families[state]
    function = family.functions[name]
    if name not in _APART or family.tables is None:
        return function
    returned, *arguments = _APART[name]
    return apart(function, returned(state, family.tables, *arguments))


def begin(state: Any, tables: Any) -> None:
    raise NotImplementedError("called from compiled code only")


def legal_actions(state: Any, tables: Any, actions: Any) -> int:
    raise NotImplementedError("called from compiled code only")


def act(state: Any, tables: Any, action: int) -> None:
    raise NotImplementedError("called from compiled code only")


def information_key(state: Any, tables: Any, player: int) -> int:
    raise NotImplementedError("called from compiled code only")


def observe(state: Any, tables: Any, player: int, out: Any) -> None:
    raise NotImplementedError("called from compiled code only")


def equity(state: Any, tables: Any, player: int, action: int, samples: int, seed: int) -> float:
    raise NotImplementedError("called from compiled code only")


def audience(state: Any, tables: Any) -> int:
    raise NotImplementedError("called from compiled code only")


def odds(state: Any, player: int) -> tuple[int, int]:
    raise NotImplementedError("called from compiled code only")


def action_kind(state: Any, tables: Any, action: int) -> int:
    raise NotImplementedError("called from compiled code only")


def raise_cost(state: Any, tables: Any, action: int) -> int:
    raise NotImplementedError("called from compiled code only")


def lift(state: Any, tables: Any, action: int, exact_tables: Any) -> int:
    raise NotImplementedError("called from compiled code only")


def halves_won(state: Any, tables: Any, draw: Any, omaha: Any) -> int:
    raise NotImplementedError("called from compiled code only")


@overload(begin, strict=False)
def _begin(state: Any, tables: Any) -> Any:
    function = _function_of(state, "begin")
    return lambda state, tables: function(state, tables)


@overload(legal_actions, strict=False)
def _legal_actions(state: Any, tables: Any, actions: Any) -> Any:
    function = _function_of(state, "legal_actions")
    return lambda state, tables, actions: function(state, tables, actions)


@overload(act, strict=False)
def _act(state: Any, tables: Any, action: Any) -> Any:
    function = _function_of(state, "act")
    return lambda state, tables, action: function(state, tables, np.int64(action))


@overload(information_key, strict=False)
def _information_key(state: Any, tables: Any, player: Any) -> Any:
    function = _function_of(state, "information_key")
    return lambda state, tables, player: function(state, tables, np.int64(player))


@overload(observe, strict=False)
def _observe(state: Any, tables: Any, player: Any, out: Any) -> Any:
    function = _function_of(state, "observe")
    return lambda state, tables, player, out: function(state, tables, np.int64(player), out)


@overload(equity, strict=False)
def _equity(state: Any, tables: Any, player: Any, action: Any, samples: Any, seed: Any) -> Any:
    function = _function_of(state, "equity")
    return lambda state, tables, player, action, samples, seed: function(
        state, tables, np.int64(player), np.int64(action), np.int64(samples), np.int64(seed)
    )


@overload(audience, strict=False)
def _audience(state: Any, tables: Any) -> Any:
    function = _function_of(state, "audience")
    return lambda state, tables: function(state, tables)


@overload(odds, strict=False)
def _odds(state: Any, player: Any) -> Any:
    function = _function_of(state, "odds")
    return lambda state, player: function(state, player)


@overload(action_kind, strict=False)
def _action_kind(state: Any, tables: Any, action: Any) -> Any:
    function = _function_of(state, "action_kind")
    return lambda state, tables, action: function(state, tables, action)


@overload(raise_cost, strict=False)
def _raise_cost(state: Any, tables: Any, action: Any) -> Any:
    function = _function_of(state, "raise_cost")
    return lambda state, tables, action: function(state, tables, action)


@overload(lift, strict=False)
def _lift(state: Any, tables: Any, action: Any, exact_tables: Any) -> Any:
    function = _function_of(state, "lift")
    return lambda state, tables, action, exact_tables: function(state, tables, action, exact_tables)


@overload(halves_won, strict=False)
def _halves_won(state: Any, tables: Any, draw: Any, omaha: Any) -> Any:
    function = _function_of(state, "halves_won")
    return lambda state, tables, draw, omaha: function(state, tables, draw, omaha)


# Hashing and randomness: the finaliser and the generator of splitmix64 (Steele et al. 2014).


@kernel
def mix(key: int, value: int) -> Any:
    """Fold `value` into the 64-bit hash `key`; the order of values matters."""
    x = (np.uint64(key) + np.uint64(0xD1B54A32D192ED03)) * np.uint64(0x9E3779B97F4A7C15)
    x += np.uint64(value)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def same_action(state: Any, tables: Any, action: int, exact_tables: Any) -> int:
    """`lift` of a family whose abstractions leave the actions as they are."""
    return action


@kernel
def random_bits(random: Any) -> Any:
    """The next 64 random bits of the generator whose state is `random[0]`."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    x = random[0]
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def random_below(random: Any, n: int) -> Any:
    """A whole number in [0, n), uniform up to n / 2**32."""
    return np.int64(((random_bits(random) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@kernel
def random_unit(random: Any) -> float:
    """A number in [0, 1)."""
    return np.float64(random_bits(random) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


# The deck: its order is fixed by the seed of the hand, so that other players can replay the hand.
# Most hands see few cards, so the order is drawn as far as it is needed: the bottom, which the
# board comes from, when a deck is opened, and then from the top down (Fisher and Yates).

BOARD = 5
"""Cards at the bottom of a deck that are drawn when it is opened."""

DECK = np.dtype(
    [
        ("seed", np.uint64),
        ("ready", np.int32),  # number of decks opened so far
        ("size", np.int32),
        ("drawn", np.uint8, (MAX_DECKS,)),  # cards at the top whose order is drawn, by deck
        ("order", np.uint8, (MAX_DECKS, 52)),
        ("mask", np.uint64),  # the cards of the deck ...
        ("cards", np.uint8, (52,)),  # ... and the same, ascending
    ],
    align=True,
)


@kernel
def seed_deck(deck: Any, seed: int) -> None:
    """Fix the order of all cards of a hand."""
    deck.seed = np.uint64(seed)
    deck.ready = 0


@kernel
def _draw(deck: Any, epoch: int, i: int, low: int, n: int) -> None:
    """Put a random one of the `n` cards from position `low` of deck `epoch` at position `i`."""
    random = mix(deck.seed, epoch << 8 | i)
    j = low + np.int64(((random >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))
    order = deck.order[epoch]
    card = order[i]
    order[i] = order[j]
    order[j] = card


@kernel
def _list_cards(deck: Any, cards: int) -> None:
    """Write the cards of a mask into the deck, ascending."""
    deck.mask = cards
    deck.size = 0
    for card in range(52):
        if np.uint64(cards) >> np.uint64(card) & np.uint64(1):
            deck.cards[deck.size] = card
            deck.size += 1


@kernel
def _open_deck(deck: Any, cards: int) -> None:
    """Start the next deck, of the mask `cards`, and draw the order of its bottom."""
    if deck.mask != np.uint64(cards):
        _list_cards(deck, cards)
    epoch = np.int64(deck.ready)
    order = deck.order[epoch]
    for i in range(52):
        order[i] = deck.cards[i]
    n: Any = np.int64(deck.size)
    for i in range(n - 1, max(n - 1 - BOARD, -1), -1):
        _draw(deck, epoch, i, 0, i + 1)
    deck.drawn[epoch] = 0
    deck.ready += 1


@kernel
def _draw_top(deck: Any, epoch: int, end: int) -> None:
    """Draw the order of the top `end` cards, but for the bottom, which is drawn already."""
    bottom = max(deck.size - BOARD, 0)
    end = min(end, bottom)
    for i in range(np.int64(deck.drawn[epoch]), end):
        _draw(deck, epoch, i, i, bottom - i)
        deck.drawn[epoch] = i + 1


@kernel
def next_card(state: Any, tables: Any, deck: Any) -> Any:
    """The card that falls at a chance node: from the top, for the board from the bottom.

    The board of a hand is thus the same whatever the players draw.
    """
    epoch = np.int64(state.epoch)
    while deck.ready <= epoch:
        _open_deck(deck, tables.rules[0].deck)
    order = deck.order[epoch]
    size = np.int64(deck.size)
    for i in range(size):
        position: Any = i
        if state.shared:
            position = size - 1 - i
            if i >= BOARD:
                _draw_top(deck, epoch, size)
        elif i >= deck.drawn[epoch]:
            _draw_top(deck, epoch, i + 1)
        card = order[position]
        if state.stub >> np.uint64(card) & np.uint64(1):
            return np.int64(card)
    return np.int64(-1)
