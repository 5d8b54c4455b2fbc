"""What a hand is worth to each seat while it is played: a function fitted on other hands.

The function sees all cards: what every seat observes (docs/observations.md). It is a small network,
fitted by least squares to what hands between given agents came to, and then frozen. It need not be
right: `aivat` uses it to take luck out of results, and a bad one takes out less, never anything
else.

Letters: n seats, D numbers of an observation, B of its private block, F = D + (n - 1) B features,
H hands, S states.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, vstack

from pokerspiel.agents.batch import Batch
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE, TERMINAL, act, begin, mix, observe
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
SUFFIX = ".values"
WIDTHS = (64, 32)
"""Numbers of the hidden layers."""
EPOCHS = 12
BATCH = 256
LEARNING_RATE = 2e-3


class Room(NamedTuple):
    """Scratch of the kernels that look at states."""

    states: np.ndarray
    """[_STATES] states of the game."""
    observation: np.ndarray
    """[D]"""
    features: np.ndarray
    """[F]"""
    layers: np.ndarray
    values: np.ndarray
    """[3, n]"""
    block: np.ndarray
    """[2] int64: where the private block of an observation begins and ends."""


STATES = 40
"""States that a room has."""


def new_room(game: Game) -> Room:
    return Room(
        game.new_states(STATES),
        np.zeros(observation_size(game), np.float32),
        np.zeros(feature_size(game), np.float32),
        np.zeros((2, WIDEST), np.float32),
        np.zeros((3, game.players)),
        np.array([_private_block(game).start, _private_block(game).stop], np.int64),
    )


def _private_block(game: Game) -> slice:
    block = game.family.private_block(game.parameters)
    return slice(*block.indices(observation_size(game)))


def feature_size(game: Game) -> int:
    """F"""
    block = _private_block(game)
    return observation_size(game) + (game.players - 1) * (block.stop - block.start)


@kernel
def write_features(state: Any, tables: Any, players: int, room: Any, out: Any) -> None:
    """Write what all seats see: the observation of the first, then the others' private blocks."""
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


@kernel
def state_values(
    state: Any, tables: Any, players: int, network: Any, scale: float, room: Any, out: Any
) -> None:
    """Write what the state is worth to each seat in chips: exactly, if the hand is over."""
    if state.turn == TERMINAL:
        for seat in range(players):
            out[seat] = state.returns[seat]
        return
    write_features(state, tables, players, room, room.features)
    row = network_outputs(network, 0, 0, room.features, room.layers)
    mean = 0.0
    for seat in range(players):
        out[seat] = np.float64(room.layers[row, seat]) * scale
        mean += out[seat] / players
    for seat in range(players):
        out[seat] -= mean


@kernel
def _write_states(
    batch: Any,
    tables: Any,
    players: int,
    room: Any,
    share: float,
    features: Any,
    returns: Any,
) -> int:
    """Write a random share of the states of hands that are over, and what came of them.

    States are those in which a seat is to act, or the cards of a street begin to fall: those that
    `aivat` asks for. Returns how many there are.
    """
    n: Any = np.int64(0)
    below = np.uint64(share * 4294967296.0)
    for h in range(len(batch.states)):
        state = room.states[0]
        begin(state, tables)
        falling = False
        for e in range(batch.events[h]):
            falls = state.turn == CHANCE
            luck = mix(batch.decks[h].seed ^ np.uint64(0x7A10E5), np.uint64(e) << np.uint64(8))
            luck = mix(luck, np.uint64(batch.rotation[h])) >> np.uint64(32)
            if not (falls and falling) and luck < below and n < len(features):
                write_features(state, tables, players, room, features[n])
                for seat in range(players):
                    returns[n, seat] = batch.states[h].returns[seat]
                n += 1
            falling = falls
            act(state, tables, batch.trace[h, e])
    return n


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

    def check(self, game: Game) -> None:
        """Raise ValueError if it does not belong to a game."""
        if str(exact(game)) != str(self.game) or game.rule_version != self.game.rule_version:
            raise ValueError(
                f"a value function of {self.game} (rules {self.game.rule_version}) says nothing "
                f"about {exact(game)} (rules {game.rule_version})"
            )

    def save(self, path: Path) -> None:
        """Write a file of safetensors, whole or not at all. Raises OSError if that fails."""
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
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_whole(path, save(arrays, about))


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
        network = new_network(sizes, weights[None, None], SOFTMAX)
        if list(network.sizes[[0, -1]]) != [feature_size(game), game.players]:
            raise ValueError(f"its network of {network.sizes.tolist()} does not fit {game}")
        return ValueFunction(
            game,
            network,
            float(about["scale"]),
            tuple(str(name) for name in json.loads(about["agents"])),
            int(about["hands"]),
            int(about["seed"]),
            float(about["explained"]),
        )
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist") from None
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no value function: {error}") from None


def _write_whole(path: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        Path(name).unlink(missing_ok=True)


class Fitting:
    """Gathers states of hands that are played, and fits a value function to them."""

    def __init__(self, game: Game, states_a_hand: float = 3.0, seed: int = 0) -> None:
        self.game = exact(game)
        self.seed = seed
        self.hands = 0
        self._wanted = states_a_hand
        self._room = new_room(self.game)
        self._features: list[csr_matrix] = []
        self._returns: list[np.ndarray] = []

    def add(self, batch: Batch) -> None:
        """Look at a batch of hands that are over, with cards and actions kept."""
        share = min(self._wanted * len(batch.states) / max(int(batch.events.sum()), 1), 1.0)
        most = int(batch.events.sum()) + 1
        features = np.zeros(
            (min(most, 16 * len(batch.states)), feature_size(self.game)), np.float32
        )
        returns = np.zeros((len(features), self.game.players), np.float32)
        n = _write_states(
            batch, self.game.tables, self.game.players, self._room, share, features, returns
        )
        self._features.append(csr_matrix(features[:n]))
        self._returns.append(returns[:n].copy())
        self.hands += len(batch.states)

    def fit(
        self, agents: Sequence[str], on_progress: Callable[[float], None] | None = None
    ) -> ValueFunction:
        """The function that has the least squared error on the states seen so far."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPRegressor

        inputs, results = vstack(self._features, "csr"), np.concatenate(self._returns)
        scale = float(results.std()) or 1.0
        targets = results / np.float32(scale)
        aside = max(len(targets) // 20, 1)
        network = MLPRegressor(
            WIDTHS,
            alpha=1e-5,
            batch_size=min(BATCH, len(targets) - aside),
            learning_rate_init=LEARNING_RATE,
            random_state=self.seed % (1 << 32),
        )
        random = np.random.default_rng(self.seed)
        learnt, kept = slice(0, len(targets) - aside), slice(len(targets) - aside, None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            for epoch in range(EPOCHS):
                network.set_params(
                    learning_rate_init=LEARNING_RATE * 0.5 ** max(0, epoch - EPOCHS // 2)
                )
                order = random.permutation(len(targets) - aside)
                network.partial_fit(inputs[learnt][order], targets[learnt][order])
                if on_progress is not None:
                    on_progress((epoch + 1) / EPOCHS)
        wrong = float(np.square(network.predict(inputs[kept]) - targets[kept]).mean())
        return ValueFunction(
            self.game,
            _network(network.coefs_, network.intercepts_),
            scale,
            tuple(agents),
            self.hands,
            self.seed,
            1.0 - wrong / (float(np.square(targets[kept]).mean()) or 1.0),
        )


def _network(matrices: Sequence[np.ndarray], biases: Sequence[np.ndarray]) -> Network:
    sizes = [len(matrices[0]), *(len(bias) for bias in biases)]
    parts = [
        np.concatenate([matrix.ravel(), bias])
        for matrix, bias in zip(matrices, biases, strict=True)
    ]
    return new_network(sizes, np.concatenate(parts).astype(np.float32)[None, None], SOFTMAX)
