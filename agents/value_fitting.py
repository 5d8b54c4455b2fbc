"""Fitting a value function (`value_function`) to hands that given agents play for that alone."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, diags, vstack

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.aivat import Corrections
from pokerspiel.agents.arena import Match
from pokerspiel.agents.batch import Batch
from pokerspiel.agents.chairs import distinct_names
from pokerspiel.agents.policy import Policy
from pokerspiel.agents.value_function import (
    ValueFunction,
    feature_size,
    luck_beside,
    new_room,
    sit_down,
    write_features,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE, act, begin, mix
from pokerspiel.games.variants import Game, exact
from pokerspiel.solvers.network import SOFTMAX, Network, new_network

STATES_A_HAND = 3.0
"""States of a hand that are learnt from, drawn at random; more of one hand tell little."""
WIDTHS = (64, 32)
"""Numbers of the hidden layers."""
BATCH = 256
STAGES = ((False, 2e-3, 4), (True, 2e-3, 4), (True, 1e-3, 4), (True, 2e-4, 3))
"""Of the fit: whether to results that are corrected by what was fitted before, the learning rate of
Adam, and how many passes over all states."""
KEPT_ASIDE = 20
"""Every so many deals one is not learnt from, but only judged by."""
_SHARE_OF_PLAY = 0.3
"""Of the work, as progress counts it."""


def fit_values(
    meetings: Sequence[Sequence[Agent]],
    game: Game,
    hands: int,
    seed: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> ValueFunction:
    """A value function fitted on so many hands, of each meeting of agents as many as of the others.

    `seed` is that of the match to come: the hands are those of another one, `other_seed`.
    `on_progress` gets the share done. Raises ValueError, in one line, if agents cannot meet.
    """
    names = dict.fromkeys(name for agents in meetings for name in distinct_names(agents))
    fitting = _Fitting(exact(game), tuple(names), other_seed(seed))
    report = on_progress or (lambda share: None)
    deals = max(hands // game.players // len(meetings), 1)
    for number, agents in enumerate(meetings):
        with Match(agents, game, fitting.seed) as match:
            policies = [chair.known_policy for chair in match.chairs]
            for batch, first in match.batches(number * deals, deals, traced=True):
                fitting.add(_Played(batch, match.names, policies))
                done = first + len(batch.states) / game.players
                report(_SHARE_OF_PLAY * done / (deals * len(meetings)))
    return fitting.fit(lambda share: report(_SHARE_OF_PLAY + share * (1 - _SHARE_OF_PLAY)))


def other_seed(seed: int) -> int:
    """The seed of the hands that a value function for a match of `seed` is fitted on."""
    return int(mix(np.uint64(seed % (1 << 64)), np.uint64(0xF17))) >> 1


@kernel
def _write_states(
    batch: Any,
    tables: Any,
    players: int,
    room: Any,
    share: float,
    features: Any,
    places: Any,
) -> Any:
    """Write what a random share of the states of hands that are over look like.

    States are those in which a seat is to act, or the cards of a street begin to fall: those that
    `aivat` asks for. `places` gets (hand, number of the next event). Returns how many there are.
    """
    n: Any = np.int64(0)
    below = np.uint64(share * 4294967296.0)
    for h in range(len(batch.states)):
        state = room.states[0]
        own_luck = luck_beside(batch.decks[h].seed)
        sit_down(room, np.int64(batch.rotation[h]))
        begin(state, tables)
        falling = False
        for e in range(batch.events[h]):
            falls = state.turn == CHANCE
            luck = mix(batch.decks[h].seed ^ np.uint64(0x7A10E5), np.uint64(e) << np.uint64(8))
            luck = mix(luck, np.uint64(batch.rotation[h])) >> np.uint64(32)
            if not (falls and falling) and luck < below and n < len(features):
                write_features(state, tables, players, own_luck, room, features[n])
                places[n, 0] = h
                places[n, 1] = e
                n += 1
            falling = falls
            act(state, tables, batch.trace[h, e])
    return n


@dataclass(frozen=True)
class _Played:
    """Hands that are over, with cards and actions, and their players."""

    batch: Batch
    names: Sequence[str]
    policies: Sequence[Policy | None]
    """None of a player who is not known."""


class _Fitting:
    """Gathers hands that were played, and fits a value function to some of their states.

    It fits several times. First to what hands came to in the end; then to what they came to after
    the corrections of all later events, by the function found before: the same on average, with
    much less luck in it.
    """

    def __init__(self, game: Game, names: tuple[str, ...], seed: int) -> None:
        self._game = game
        self._names = names
        self.seed = seed
        self._features: list[csr_matrix] = []
        self._played: list[tuple[_Played, np.ndarray]] = []

    def add(self, played: _Played) -> None:
        """Keep hands, and list states of theirs."""
        batch, players = played.batch, self._game.players
        share = min(STATES_A_HAND * len(batch.states) / max(int(batch.events.sum()), 1), 1.0)
        most = min(int(batch.events.sum()), 16 * len(batch.states))
        features = np.zeros((most, feature_size(self._game, len(self._names))), np.float32)
        places = np.zeros((most, 2), np.int64)
        numbers = [self._names.index(name) for name in played.names]
        room = new_room(self._game, numbers, len(self._names))
        n = _write_states(batch, self._game.tables, players, room, share, features, places)
        self._features.append(csr_matrix(features[:n]))
        kept = batch._replace(trace=batch.trace[:, : int(batch.events.max())])
        batch = Batch(*(np.array(array) for array in kept))
        self._played.append((replace(played, batch=batch), places[:n]))

    def fit(self, on_progress: Callable[[float], None]) -> ValueFunction:
        """The function that has the least squared error on the states seen so far."""
        from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped]
        from sklearn.neural_network import MLPRegressor  # type: ignore[import-untyped]
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        inputs = vstack(self._features, "csr")
        # Winnings come in chips, all other features are no larger than 1.
        sizes = np.ones(inputs.shape[1])
        winnings = inputs[:, -self._game.players :]
        sizes[-self._game.players :] = np.sqrt(winnings.power(2).mean() or 1.0)
        inputs = (inputs @ diags((1.0 / sizes).astype(np.float32))).tocsr()
        results = self._returns(None)
        scale = float(results.std()) or 1.0
        kept = self._kept_aside()
        network = MLPRegressor(
            hidden_layer_sizes=WIDTHS,
            batch_size=min(BATCH, int((~kept).sum())),
            warm_start=True,
            random_state=self.seed % (1 << 32),
        )
        values = None
        for stage, (corrected, rate, epochs) in enumerate(STAGES):
            if corrected:
                results = self._returns(values)
            # Matrices so small are slower on several threads.
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore", ConvergenceWarning)
                network.set_params(learning_rate_init=rate, max_iter=epochs)
                network.fit(inputs[~kept], (results[~kept] / scale).astype(np.float32))
                wrong = network.predict(inputs[kept]) * scale - results[kept]
            values = ValueFunction(
                self._game,
                _network(network.coefs_, network.intercepts_, sizes),
                scale,
                self._names,
                sum(len(played.batch.states) for played, _ in self._played),
                self.seed,
                1.0 - float(np.square(wrong).sum() / (np.square(results[kept]).sum() or 1.0)),
            )
            on_progress((stage + 1) / len(STAGES))
        assert values is not None
        return values

    def _kept_aside(self) -> np.ndarray:
        """[S] bool: whether a state is one of the deals that are not learnt from."""
        deals = [places[:, 0] // self._game.players for _, places in self._played]
        return np.asarray(np.concatenate(deals) % KEPT_ASIDE == 0)

    def _returns(self, values: ValueFunction | None) -> np.ndarray:
        """[S, n] chips that each seat won in the end, corrected for the luck after the state."""
        parts = []
        for played, places in self._played:
            hand, event = places[:, 0], places[:, 1]
            won = played.batch.states["returns"][hand, : self._game.players].astype(float)
            if values is not None:
                corrections = Corrections(values, self._game, played.names, played.policies)
                events = corrections.of_events(played.batch)
                later = np.cumsum(events[:, ::-1], axis=1)[:, ::-1]
                won += later[hand, event]
            parts.append(won)
        return np.concatenate(parts)


def _network(
    matrices: Sequence[np.ndarray], biases: Sequence[np.ndarray], inputs: np.ndarray
) -> Network:
    """The network for features that are so many times larger than those learnt from."""
    matrices = [matrices[0] / inputs[:, None], *matrices[1:]]
    sizes = [len(matrices[0]), *(len(bias) for bias in biases)]
    parts = [
        np.concatenate([matrix.ravel(), bias])
        for matrix, bias in zip(matrices, biases, strict=True)
    ]
    return new_network(sizes, np.concatenate(parts).astype(np.float32)[None, None], SOFTMAX)
