"""What a hand is worth to each seat while it is played: a function fitted on other hands.

The function sees all cards: what every seat observes (docs/observations.md), and what everybody
would win if all called, and drew nothing, to the end. It knows who sits where, as far as these are
players whose hands it was fitted on. It is a small network, fitted by least
squares to what hands between given agents came to, and then frozen. It need not be right: `aivat`
uses it to take luck out of results, and a bad one takes out less, never anything else.

Letters: n seats, D numbers of an observation, B of its private block, M players it was fitted on,
F = D + (n - 1) B + n M + n features.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.agents.heuristics import always_call
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    TERMINAL,
    act,
    legal_actions,
    mix,
    observe,
    random_below,
)
from pokerspiel.games.variants import Game, exact, load
from pokerspiel.solvers.lockstep import observation_size
from pokerspiel.solvers.network import (
    SOFTMAX,
    WIDEST,
    Network,
    network_outputs,
    new_network,
)

FORMAT = 1


class Room(NamedTuple):
    """Scratch of the kernels that look at states."""

    states: np.ndarray
    """[STATES] states of the game."""
    observation: np.ndarray
    """[D]"""
    features: np.ndarray
    """[F]"""
    layers: np.ndarray
    values: np.ndarray
    """[2, n]"""
    block: np.ndarray
    """[2] int64: where the private block of an observation begins and ends."""
    actions: np.ndarray
    random: np.ndarray
    """[1] uint64: see `random_bits`."""
    players: np.ndarray
    """[n] int64: numbers, below M, of the players of a match; -1 for one it was not fitted on."""
    seats: np.ndarray
    """[n] int64: the same by seat, in the hand that is looked at."""


STATES = 40
"""States that a room has; the last one is for hands that are called to the end."""
CALLED = 4
"""Hands that are called to the end, if cards are still to fall."""


def new_room(game: Game, players: Sequence[int], known: int) -> Room:
    """For a match of `players`, numbers below `known`, or -1."""
    return Room(
        game.new_states(STATES),
        np.zeros(observation_size(game), np.float32),
        np.zeros(feature_size(game, known), np.float32),
        np.zeros((2, WIDEST), np.float32),
        np.zeros((2, game.players)),
        np.array([_private_block(game).start, _private_block(game).stop], np.int64),
        np.zeros(game.limits.num_actions, np.int64),
        np.zeros(1, np.uint64),
        np.array(players, np.int64),
        np.zeros(game.players, np.int64),
    )


def _private_block(game: Game) -> slice:
    block = game.family.private_block(game.parameters)
    return slice(*block.indices(observation_size(game)))


def feature_size(game: Game, players: int) -> int:
    """F, of a function fitted on so many players."""
    block = _private_block(game)
    size = observation_size(game) + (game.players - 1) * int(block.stop - block.start)
    return size + game.players * players + game.players


@kernel
def write_features(state: Any, tables: Any, players: int, luck: Any, room: Any, out: Any) -> None:
    """Write what all seats see, and what they would win if all called to the end.

    The first seat's observation, the private blocks of the others, and the winnings. The cards that
    fall on the way to the end hang on `luck`, which must have nothing to do with those of the hand.
    """
    low, high = room.block[0], room.block[1]
    size = len(room.observation)
    for seat in range(players):
        observe(state, tables, seat, room.observation)
        if seat == 0:
            for i in range(size):
                out[i] = room.observation[i]
        else:
            at = size + (seat - 1) * (high - low)
            for i in range(high - low):
                out[at + i] = room.observation[low + i]
    at = size + (players - 1) * (high - low)
    end = len(out) - players
    known = (end - at) // players
    for i in range(at, end):
        out[i] = 0.0
    for seat in range(players):
        if room.seats[seat] >= 0:
            out[at + seat * known + room.seats[seat]] = 1.0
    _write_called(state, tables, players, luck, room, out[end:])


@kernel
def sit_down(room: Any, rotation: int) -> None:
    """Say who sits where in a hand of this rotation."""
    n = len(room.players)
    for seat in range(n):
        room.seats[seat] = room.players[(seat + n - rotation) % n]


@kernel
def _write_called(state: Any, tables: Any, players: int, luck: Any, room: Any, out: Any) -> None:
    """Write the mean winnings of some hands that are called to the end."""
    last = len(room.states) - 1
    room.random[0] = luck
    for seat in range(players):
        out[seat] = 0.0
    for _ in range(CALLED):
        room.states[last] = state
        here = room.states[last]
        fell = False
        while here.turn != TERMINAL:
            if here.turn == CHANCE:
                action = nth_card(here.stub, random_below(room.random, cards_in(here.stub)))
                fell = True
            else:
                n = legal_actions(here, tables, room.actions)
                action = room.actions[always_call(here, tables, room.actions, n)]
            act(here, tables, action)
        share = 1.0 / CALLED if fell else 1.0
        for seat in range(players):
            out[seat] += np.float32(share * here.returns[seat])
        if not fell:
            break


@kernel
def luck_beside(seed: Any) -> Any:
    """Luck for the evaluations of a hand of this seed, which has nothing to do with its cards."""
    return mix(np.uint64(seed), np.uint64(0xA1FA7))


@kernel
def cards_in(stub: Any) -> Any:
    """How many cards there are in a mask."""
    n: Any = np.int64(0)
    left = np.uint64(stub)
    while left != np.uint64(0):
        left &= left - np.uint64(1)
        n += 1
    return n


@kernel
def nth_card(stub: Any, n: int) -> Any:
    """The n-th card of a mask, counted from 0."""
    left = np.uint64(stub)
    for _ in range(n):
        left &= left - np.uint64(1)
    lowest = left & (~left + np.uint64(1))
    card: Any = np.int64(0)
    while lowest >> np.uint64(1) != np.uint64(0):
        lowest >>= np.uint64(1)
        card += 1
    return card


@kernel
def state_values(
    state: Any,
    tables: Any,
    players: int,
    network: Any,
    scale: float,
    luck: Any,
    room: Any,
    out: Any,
) -> None:
    """Write what the state is worth to each seat in chips: exactly, if the hand is over."""
    if state.turn == TERMINAL:
        for seat in range(players):
            out[seat] = state.returns[seat]
        return
    write_features(state, tables, players, luck, room, room.features)
    row = network_outputs(network, 0, 0, room.features, room.layers)
    mean = 0.0
    for seat in range(players):
        out[seat] = np.float64(room.layers[row, seat]) * scale
        mean += out[seat] / players
    for seat in range(players):
        out[seat] -= mean


@dataclass(frozen=True)
class ValueFunction:
    """A fitted function, ready for `aivat`."""

    game: Game
    network: Network
    scale: float
    """Chips that one unit of what comes out of the network stands for."""
    agents: tuple[str, ...]
    """Names of those whose hands it was fitted on."""
    hands: int
    """How many hands, with cards of their own."""
    seed: int
    explained: float
    """Share of the variance of results that it explained in hands that were kept aside."""

    @property
    def words(self) -> str:
        """What it is, in words."""
        return (
            f"a network fitted on {self.hands:,} other hands of {', '.join(self.agents)} "
            f"(seed {self.seed}; explains {self.explained:.0%} of what later comes of a state)"
        )

    def with_own_arrays(self) -> ValueFunction:
        """The same with arrays that may be written to, which is what kernels are compiled for."""
        return replace(self, network=Network(*(np.array(array) for array in self.network)))

    def numbers(self, names: Sequence[str]) -> list[int]:
        """The numbers of players by their names, -1 for one it was not fitted on."""
        return [self.agents.index(name) if name in self.agents else -1 for name in names]

    def check(self, game: Game) -> None:
        """Raise ValueError if it does not belong to a game."""
        if str(exact(game)) != str(self.game) or game.rule_version != self.game.rule_version:
            raise ValueError(
                f"a value function of {self.game} (rules {self.game.rule_version}) says nothing "
                f"about {exact(game)} (rules {game.rule_version})"
            )

    def save(self, path: Path) -> None:
        """Write a file of safetensors. Raises OSError if that fails."""
        from safetensors.numpy import save

        about = {
            "format": str(FORMAT),
            "game": str(self.game),
            "rule_version": str(self.game.rule_version),
            "scale": repr(self.scale),
            "agents": json.dumps(list(self.agents)),
            "hands": str(self.hands),
            "seed": str(self.seed),
            "explained": repr(self.explained),
        }
        arrays = {"sizes": self.network.sizes, "weights": self.network.weights[0, 0]}
        path.write_bytes(save(arrays, about))


def load_values(path: Path) -> ValueFunction:
    """The value function in a file. Raises ValueError, in one line, if it is none."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            if about.get("format") != str(FORMAT):
                raise ValueError(f"expected format {FORMAT}, not {about.get('format')}")
            sizes = file.get_tensor("sizes")
            weights = file.get_tensor("weights")
        game = load(about["game"])
        if str(game.rule_version) != about["rule_version"]:
            raise ValueError(
                f"made for rules {about['rule_version']} of {game}, which are now "
                f"{game.rule_version}: fit it anew"
            )
        scale = float(about["scale"])
        if not 0.0 < scale < float("inf"):
            raise ValueError(f"its scale is {scale}: expected a number above 0")
        network = new_network(sizes, weights[None, None], SOFTMAX)
        agents = tuple(str(name) for name in json.loads(about["agents"]))
        if list(network.sizes[[0, -1]]) != [
            feature_size(game, len(agents)),
            game.players,
        ]:
            raise ValueError(f"its network of {network.sizes.tolist()} does not fit {game}")
        return ValueFunction(
            game,
            network,
            scale,
            agents,
            int(about["hands"]),
            int(about["seed"]),
            float(about["explained"]),
        )
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist") from None
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no value function: {error}") from None
