"""What a bot plays from, as arrays of its file: a blueprint, a chart or a network."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from pokerspiel.agents.spiel_table import SpielGame
from pokerspiel.games import drive
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    TERMINAL,
    act,
    begin,
    information_key,
    legal_actions,
    mix,
    next_card,
    observe,
    random_below,
    seed_deck,
)
from pokerspiel.games.variants import Game, exact
from pokerspiel.solvers.blueprint import Blueprint, new_blueprint
from pokerspiel.solvers.chart import (
    ONE,
    Chart,
    new_chart,
    weights_as_bytes,
    weights_of_bytes,
)
from pokerspiel.solvers.lockstep import observation_size
from pokerspiel.solvers.network import Network, new_network

BotTable = Blueprint | Chart | Network

ARRAYS: Mapping[type[BotTable], Mapping[str, tuple[type, int]]] = {
    Blueprint: {
        "keys": (np.uint64, 1),
        "first": (np.uint32, 1),
        "probabilities": (np.float32, 1),
    },
    Chart: {
        "situations": (np.uint64, 1),
        "first": (np.uint32, 1),
        "actions": (np.uint8, 1),
        "weights": (np.uint16, 1),
    },
    Network: {
        "sizes": (np.int64, 1),
        "weights": (np.float32, 3),
        "up_to": (np.float64, 1),
        "head": (np.int64, 1),
    },
}
"""Type and dimensions of the arrays of each kind. Weights of a chart may be stored as bytes: see
`chart.py`."""

_PROBE_HANDS = 200
_SUM_TOLERANCE = 1e-3
"""How far float32 probabilities of an information set may be from a sum of 1."""


# Writing.


def stored_arrays(table: BotTable, one_byte: bool = False) -> dict[str, np.ndarray]:
    """The arrays of the file; with `one_byte` the weights of a chart are stored as bytes."""
    arrays = {key: getattr(table, key) for key in ARRAYS[type(table)]}
    if one_byte:
        arrays["weights"] = weights_as_bytes(arrays["weights"])
    return arrays


def hash_of_arrays(arrays: Mapping[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for array in arrays.values():
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def content_hash(table: BotTable, one_byte: bool = False) -> str:
    """The content hash that the bot file of this table will name."""
    return hash_of_arrays(stored_arrays(table, one_byte))


def information_sets_of(table: BotTable) -> int:
    """How many a table holds; none is listed in a network."""
    if isinstance(table, Network):
        return 0
    if isinstance(table, Blueprint):
        return len(table.keys)
    sizes = np.diff(table.first.astype(np.int64))
    return int((sizes // (table.actions.astype(np.int64) - 1)).sum())


# What must not change.


def information_hash(game: Game | SpielGame, observed: bool = False) -> str:
    """What must not change for what a bot has learnt to mean the same.

    A hash of the tables that the abstraction adds to the exact game, and of all keys and legal
    actions along 200 random hands from a fixed seed; of the observations too if they are what the
    bot goes by.
    """
    if isinstance(game, SpielGame):
        return game.information_hash()
    digest = hashlib.sha256()
    plain = exact(game)
    for name in game.tables._fields:
        values = np.asarray(getattr(game.tables, name)).tobytes()
        if name != "rules" and values != np.asarray(getattr(plain.tables, name)).tobytes():
            digest.update(name.encode() + values)
    actions = np.zeros(game.limits.num_actions, np.int64)
    observation = np.zeros(observation_size(game) if observed else 0, np.float32)
    probe = _probe_information(
        game.new_states(), game.tables, drive.new_decks(), actions, observation, _PROBE_HANDS
    )
    digest.update(int(probe).to_bytes(8, "little"))
    return digest.hexdigest()


@kernel(allocates=True)
def _probe_information(
    states: Any, tables: Any, decks: Any, actions: Any, observation: Any, hands: int
) -> Any:
    """A hash of what the seats to act know along random hands."""
    state = states[0]
    random = np.zeros(1, np.uint64)
    result: Any = np.uint64(0)
    for hand in range(hands):
        seed_deck(decks[0], hand)
        random[0] = hand
        begin(state, tables)
        while state.turn != TERMINAL:
            if state.turn == CHANCE:
                act(state, tables, next_card(state, tables, decks[0]))
                continue
            n = legal_actions(state, tables, actions)
            seat: Any = np.int64(state.turn)
            result = mix(result, information_key(state, tables, seat))
            for i in range(n):
                result = mix(result, actions[i])
            if len(observation) > 0:
                observe(state, tables, seat, observation)
                for i in range(len(observation)):
                    result = mix(result, np.int64(observation[i] * 1048576.0))
            act(state, tables, actions[random_below(random, n)])
    return result


# Reading.


def kind_of(arrays: Mapping[str, np.ndarray]) -> type[BotTable]:
    """The kind of table that some arrays are meant to be."""
    if "sizes" in arrays:
        return Network
    return Chart if "situations" in arrays else Blueprint


def checked_table(
    game: Game | SpielGame, arrays: Mapping[str, np.ndarray], content: str
) -> BotTable:
    """The table of the arrays, with the content hash that they should have.

    Raises ValueError if they are not what they should be.
    """
    kind = kind_of(arrays) if isinstance(game, Game) else Blueprint
    wanted = ARRAYS[kind]
    if set(arrays) != set(wanted):
        raise ValueError(f"has the arrays {sorted(arrays)}: expected {sorted(wanted)}")
    for key, (dtype, dimensions) in wanted.items():
        in_bytes = kind is Chart and key == "weights" and arrays[key].dtype == np.uint8
        if (arrays[key].dtype != dtype and not in_bytes) or arrays[key].ndim != dimensions:
            raise ValueError(
                f"array {key} is {arrays[key].dtype}{list(arrays[key].shape)}: expected "
                f"{dimensions} dimensions of {np.dtype(dtype)}"
            )
    if hash_of_arrays({key: arrays[key] for key in wanted}) != content:
        raise ValueError("is damaged: its arrays are not those that were written")
    found = {key: np.array(arrays[key]) for key in wanted}
    if isinstance(game, SpielGame):
        return _checked_blueprint(found, game.num_actions)
    if kind is Chart:
        return _checked_chart(found, game)
    if kind is Network:
        return _checked_network(found, game)
    return _checked_blueprint(found, game.limits.num_actions)


def _checked_network(arrays: Mapping[str, np.ndarray], game: Game) -> Network:
    """A network that fits its game."""
    if arrays["head"].shape != (1,):
        raise ValueError("has no head for its network")
    head = int(arrays["head"][0])
    network = new_network(arrays["sizes"], arrays["weights"], head, arrays["up_to"])
    ends = int(network.sizes[0]), int(network.sizes[-1])
    expected = observation_size(game), game.limits.num_actions
    if ends != expected:
        raise ValueError(
            f"has a network from {ends[0]} numbers to {ends[1]} actions: the game has "
            f"{expected[0]} and {expected[1]}"
        )
    return network


def _checked_chart(arrays: dict[str, np.ndarray], game: Game) -> Chart:
    if arrays["weights"].dtype == np.uint8:
        arrays["weights"] = weights_of_bytes(arrays["weights"])
    chart = new_chart(*arrays.values())
    _check_chart(chart, _classes(game), game.limits.num_actions)
    return chart


def _checked_blueprint(arrays: Mapping[str, np.ndarray], num_actions: int) -> Blueprint:
    blueprint = new_blueprint(*arrays.values())
    _check_probabilities(blueprint, num_actions)
    return blueprint


def _classes(game: Game) -> int:
    """Classes of hands that the keys of a game name; ValueError if they name none."""
    if game.classes:
        return game.classes
    if game.abstraction.partition("-")[0] != "hands":
        raise ValueError(f"has a chart for {game.abstraction}: charts are for hands")
    return int(game.tables.hand_class.max()) + 1


def _check_chart(chart: Chart, classes: int, num_actions: int) -> None:
    """Raise ValueError if a chart does not fit its game, or holds no probabilities."""
    most = chart.actions.max(initial=0)
    if most > num_actions:
        raise ValueError(f"has a decision of {most} actions: the game has {num_actions}")
    columns = chart.actions.astype(np.int64) - 1
    rows = np.diff(chart.first.astype(np.int64)) // columns
    others = rows[(rows != 1) & (rows != classes)]
    if len(others):
        raise ValueError(f"has a decision with {others[0]} hands: the game has {classes}")
    if _largest_sum(chart.weights, chart.first, chart.actions) > ONE:
        raise ValueError("has probabilities that add up to more than 1")


@kernel
def _largest_sum(weights: Any, first: Any, actions: Any) -> Any:
    """The largest sum of a row of the decisions of a chart."""
    largest: Any = 0
    for k in range(len(actions)):
        width = np.int64(actions[k]) - 1
        for start in range(np.int64(first[k]), np.int64(first[k + 1]), width):
            total: Any = 0
            for i in range(start, start + width):
                total += np.int64(weights[i])
            largest = max(largest, total)
    return largest


def _check_probabilities(blueprint: Blueprint, num_actions: int) -> None:
    probabilities = blueprint.probabilities
    if len(probabilities) == 0:
        return
    actions = np.diff(blueprint.first.astype(np.int64))
    if actions.max() > num_actions:
        raise ValueError(
            f"has an information set of {actions.max()} actions: the game has {num_actions}"
        )
    if not np.all(np.isfinite(probabilities)) or probabilities.min() < 0 or probabilities.max() > 1:
        raise ValueError("has probabilities outside [0, 1]")
    sums = np.add.reduceat(probabilities.astype(np.float64), blueprint.first[:-1].astype(np.int64))
    if np.abs(sums - 1.0).max() > _SUM_TOLERANCE:
        raise ValueError("has probabilities that do not add up to 1")
