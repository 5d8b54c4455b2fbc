"""The names that compiled code calls on any game.

A *family* of games is one numpy record (its state) that starts with the fields of `COMMON`, and a
few kernels on it, registered here under generic names. numba resolves a generic name by the record's
type while it compiles the caller, so that a solver, the arena or the OpenSpiel adapter is written
once and runs at the speed of the family's own code.

Every generic name takes `tables`, a NamedTuple of arrays: look-up tables, and the record `rules[0]`
with the parameters of the game, whose field `deck` is the set of cards as a bit mask.

| generic name | meaning |
|---|---|
| `begin(state, tables)` | a new hand: stacks, antes or blinds; cards still to be dealt |
| `legal_actions(state, tables, actions) -> n` | the actions of the seat to act, ascending |
| `act(state, tables, action)` | play an action; at a chance node the action is the card that falls |
| `information_key(state, tables, player) -> uint64` | all that `player` may know, hashed |
| `observe(state, tables, player, out)` | the same as numbers for a network (see the family) |
| `equity(state, tables, player, action, samples, seed)` | share of the pot against random hands |
| `odds(state, player) -> (owed, pot)` | chips to call, and chips in the middle |

Chance is always uniform: any card of the mask `state.stub` may fall, each as likely as the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import from_dtype
from numba.extending import overload

from pokerspiel.games.compiled import kernel

MAX_SEATS = 9
MAX_DECKS = 16
"""Most decks that one hand may use: a svarka, or a reshuffle, takes a new one."""

CHANCE = -1
TERMINAL = -4

COMMON: list[Any] = [
    ("turn", np.int8),  # seat to act, CHANCE or TERMINAL
    ("shared", np.uint8),  # at a chance node: 1 if the card goes to the board
    ("epoch", np.uint8),  # number of the deck in use
    ("stub", np.uint64),  # cards that chance may deal next, as a bit mask
    ("history", np.uint64),  # hash of all public events but the cards
    ("returns", np.float64, (MAX_SEATS,)),  # chips won or lost, set when the hand ends
]

_families: dict[Any, dict[str, Callable[..., Any]]] = {}


def register(record: np.dtype, **functions: Callable[..., Any]) -> None:
    """Let the generic names call `functions` on states of type `record`."""
    _families[from_dtype(record)] = functions


def _function_of(state: Any, name: str) -> Callable[..., Any]:
    if state not in _families:
        raise TypeError(f"no family of games is registered for the record {state}")
    return _families[state][name]


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


def odds(state: Any, player: int) -> tuple[int, int]:
    raise NotImplementedError("called from compiled code only")


@overload(begin)
def _begin(state: Any, tables: Any) -> Any:
    function = _function_of(state, "begin")
    return lambda state, tables: function(state, tables)


@overload(legal_actions)
def _legal_actions(state: Any, tables: Any, actions: Any) -> Any:
    function = _function_of(state, "legal_actions")
    return lambda state, tables, actions: function(state, tables, actions)


@overload(act)
def _act(state: Any, tables: Any, action: Any) -> Any:
    function = _function_of(state, "act")
    return lambda state, tables, action: function(state, tables, action)


@overload(information_key)
def _information_key(state: Any, tables: Any, player: Any) -> Any:
    function = _function_of(state, "information_key")
    return lambda state, tables, player: function(state, tables, player)


@overload(observe)
def _observe(state: Any, tables: Any, player: Any, out: Any) -> Any:
    function = _function_of(state, "observe")
    return lambda state, tables, player, out: function(state, tables, player, out)


@overload(equity)
def _equity(state: Any, tables: Any, player: Any, action: Any, samples: Any, seed: Any) -> Any:
    function = _function_of(state, "equity")
    return lambda state, tables, player, action, samples, seed: function(
        state, tables, player, action, samples, seed
    )


@overload(odds)
def _odds(state: Any, player: Any) -> Any:
    function = _function_of(state, "odds")
    return lambda state, player: function(state, player)


# Hashing and randomness: the finaliser and the generator of splitmix64 (Steele, Lea and Flood 2014).


@kernel
def mix(key: int, value: int) -> int:
    """Fold `value` into the 64-bit hash `key`; the order of values matters."""
    x = (np.uint64(key) ^ np.uint64(value)) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def random_bits(random: Any) -> int:
    """The next 64 random bits of the generator whose state is `random[0]`."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    x = random[0]
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def random_below(random: Any, n: int) -> int:
    """A whole number in [0, n), uniform up to n / 2**32."""
    return np.int64(((random_bits(random) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@kernel
def random_unit(random: Any) -> float:
    """A number in [0, 1)."""
    return np.float64(random_bits(random) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


# The deck: its order is fixed by the seed of the hand, so that other players can replay the hand.

DECK = np.dtype(
    [
        ("seed", np.uint64),
        ("ready", np.int32),  # number of decks shuffled so far
        ("size", np.int32),
        ("order", np.uint8, (MAX_DECKS, 52)),
    ],
    align=True,
)


@kernel
def seed_deck(deck: Any, seed: int) -> None:
    """Fix the order of all cards of a hand."""
    deck.seed = np.uint64(seed)
    deck.ready = 0


@kernel
def _shuffle(deck: Any, cards: int) -> None:
    """Write the order of the next deck: a Fisher-Yates shuffle of the mask `cards`."""
    order = deck.order[deck.ready]
    n = 0
    for card in range(52):
        if np.uint64(cards) >> np.uint64(card) & np.uint64(1):
            order[n] = card
            n += 1
    random = mix(deck.seed, np.uint64(deck.ready))
    for i in range(n - 1, 0, -1):
        random = mix(random, np.uint64(i))
        j = np.int64(((random >> np.uint64(32)) * np.uint64(i + 1)) >> np.uint64(32))
        order[i], order[j] = order[j], order[i]
    deck.size = n
    deck.ready += 1


@kernel
def next_card(state: Any, tables: Any, deck: Any) -> int:
    """The card that falls at a chance node: from the top of the deck, for the board from the bottom.

    The board of a hand is thus the same whatever the players draw.
    """
    while deck.ready <= state.epoch:
        _shuffle(deck, tables.rules[0].deck)
    order = deck.order[state.epoch]
    last = deck.size - 1
    for i in range(deck.size):
        card = order[last - i] if state.shared else order[i]
        if state.stub >> np.uint64(card) & np.uint64(1):
            return np.int64(card)
    return np.int64(-1)
