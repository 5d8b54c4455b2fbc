"""From a game string to its tree: our own games by the kernels, OpenSpiel's through pyspiel.

A tree that took a while is kept on disk, in the folder of the compiled kernels, by game string and
version.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import sys
from array import array
from collections.abc import Callable, Iterator
from dataclasses import fields
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from pokerspiel.games import variants
from pokerspiel.games.compiled import CACHE_FOLDER
from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.games.variants import VARIANTS, Game
from pokerspiel.solvers.kernel_walk import walk_kernel_game
from pokerspiel.solvers.tree import Tree, TreeError, TreeTooLargeError, Walk, freeze, make_tree

DEFAULT_MEMORY_LIMIT = 2 << 30
BYTES_PER_NODE = 160
"""Most bytes that compiling takes for each node, names of information sets included."""
PROBES = 200
"""Random ways down the tree from which its size is estimated."""
KEPT_ABOVE = 2_000
"""Trees with more nodes than this are kept on disk."""

FORMAT_VERSION = 1


def compile_tree(text: str, memory_limit: int = DEFAULT_MEMORY_LIMIT, keep: bool = True) -> Tree:
    """The tree of a game string, with perfect recall and chances checked.

    Raises TreeTooLargeError with the figure if it does not fit into `memory_limit` bytes, another
    TreeError if no solver can work on the game, and ValueError if there is no such game. `keep`:
    take it from disk if it is there, and keep it there.
    """
    most_nodes = memory_limit // BYTES_PER_NODE
    if text.partition("(")[0].strip() in VARIANTS:
        game = variants.load(text)
        return _kept(
            str(game),
            f"{CACHE_FOLDER.name} {game.rule_version} {game.abstraction}",
            keep,
            lambda: tree_of_game(game, most_nodes),
        )
    spiel_game = load_spiel_game(text)
    return _kept(
        game_name(spiel_game),
        f"open_spiel {version('open_spiel')}",
        keep,
        lambda: tree_of_spiel_game(spiel_game, most_nodes),
    )


def tree_of_game(game: Game, most_nodes: int) -> Tree:
    """The tree of one of our own games."""
    limits = game.limits
    walk = walk_kernel_game(game, most_nodes)
    return make_tree(str(game), limits.unit, float(limits.big_unit), game.players, walk)


# OpenSpiel's games.


def load_spiel_game(text: str) -> Any:
    """The pyspiel game of a game string, one move after the other.

    Raises ValueError if there is none, TreeError if it is not one that has a tree.
    """
    import pokerspiel.games.openspiel  # noqa: F401, registers our games

    try:
        with _silent_stderr():
            game = pyspiel.load_game(text)
    except (pyspiel.SpielError, RuntimeError) as error:
        raise ValueError(f"unknown game {text!r}: {_first_line(error)}") from None
    kind = game.get_type()
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
        kind = game.get_type()
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise TreeError(f"{text}: its dynamics are {kind.dynamics.name}, expected SEQUENTIAL")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise TreeError(f"{text}: chance is sampled, its outcomes are not known")
    if not kind.provides_information_state_string:
        raise TreeError(f"{text}: the game gives no information state strings")
    return game


@contextlib.contextmanager
def _silent_stderr() -> Iterator[None]:
    """Keep OpenSpiel from printing its errors besides raising them."""
    sys.stderr.flush()
    saved = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)


def game_name(spiel_game: Any) -> str:
    """The game string of a pyspiel game, without empty brackets."""
    return str(spiel_game).removesuffix("()")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def tree_of_spiel_game(game: Any, most_nodes: int) -> Tree:
    """The tree of a sequential pyspiel game, ours or OpenSpiel's."""
    about = estimate_nodes(game)
    if about > most_nodes:
        size = f"{about:.2g} nodes ({about * BYTES_PER_NODE / 2**30:.2g} GiB)"
        raise TreeTooLargeError(
            f"{game_name(game)} has about {size if isfinite(about) else '1e300 nodes or more'}, "
            f"more than the {most_nodes:,} that are allowed"
        )
    return make_tree(game_name(game), "utility", 1.0, game.num_players(), _walk(game, most_nodes))


def estimate_nodes(game: Any, probes: int = PROBES, seed: int = 0) -> float:
    """A guess at the number of nodes, without bias, from random ways down the tree.

    A way down counts each of its nodes as often as the branches that it left out would have it
    (Knuth 1975, "Estimating the efficiency of backtrack programs").
    """
    luck = random.Random(seed)
    total = 0.0
    for _ in range(probes):
        state = game.new_initial_state()
        alike = 1.0
        total += alike
        while not state.is_terminal():
            moves = state.legal_actions()
            alike *= len(moves)
            total += alike
            state.apply_action(luck.choice(moves))
    return total / probes


def _walk(game: Any, most_nodes: int) -> Walk:
    name = game_name(game)
    parent, turn, action, label = array("i"), array("b"), array("q"), array("i")
    chance, returns = array("d"), array("d")
    labels: dict[tuple[int, str], int] = {}
    stack: list[tuple[Any, int, int, float]] = [(game.new_initial_state(), -1, -1, 1.0)]
    while stack:
        state, above, move, probability = stack.pop()
        node = len(turn)
        if node >= most_nodes:
            raise TreeTooLargeError(f"{name} has more than the {most_nodes:,} nodes allowed")
        parent.append(above)
        action.append(move)
        chance.append(probability)
        player = state.current_player()
        turn.append(player)
        if player >= 0:
            known = (player, state.information_state_string())
            label.append(labels.setdefault(known, len(labels)))
            for move in reversed(state.legal_actions()):
                stack.append((state.child(move), node, move, 1.0))
            continue
        label.append(-1)
        if player == CHANCE:
            for move, probability in reversed(state.chance_outcomes()):
                stack.append((state.child(move), node, move, probability))
        elif player == TERMINAL:
            returns.extend(state.returns())
        else:
            raise TreeError(f"{name}: the player to act is {player} after {state.history()}")
    return Walk(
        parent=np.frombuffer(parent, np.int32),
        turn=np.frombuffer(turn, np.int8),
        action=np.frombuffer(action, np.int64),
        chance=np.frombuffer(chance, np.float64),
        label=np.frombuffer(label, np.int32),
        returns=np.frombuffer(returns, np.float64).reshape(-1, game.num_players()),
        keys=np.array([text_key(player, text) for player, text in labels], np.uint64),
        names=[text for _, text in labels],
    )


def text_key(player: int, text: str) -> int:
    """The key of OpenSpiel's text for an information set of a player."""
    name = f"{player} {text}".encode()
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little")


# On disk.


def _kept(game: str, made_by: str, keep: bool, make: Callable[[], Tree]) -> Tree:
    """The tree of the file, or a new one, which is kept if it is large."""
    if not keep:
        return make()
    path = _path(game, made_by)
    tree = _read(path, game)
    if tree is None:
        tree = make()
        if tree.nodes > KEPT_ABOVE:
            _write(path, tree)
    return tree


def _path(game: str, made_by: str) -> Path:
    name = hashlib.sha256(f"{FORMAT_VERSION} {made_by} {game}".encode()).hexdigest()[:32]
    folder = CACHE_FOLDER.parent / "trees"
    folder.mkdir(exist_ok=True)
    return folder / f"{name}.safetensors"


def _read(path: Path, game: str) -> Tree | None:
    """The tree in a file; None if there is none, or none that can be read."""
    try:
        with safe_open(path, framework="np") as file:
            about = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if about["game"] != game:
            return None
        tree = Tree(
            game=game,
            unit=about["unit"],
            big_unit=float(about["big_unit"]),
            players=int(about["players"]),
            **arrays,
        )
    except (OSError, SafetensorError, KeyError, TypeError, ValueError):
        return None
    return freeze(tree)


def _write(path: Path, tree: Tree) -> None:
    """Keep a tree; a disk that takes no more only costs time later."""
    values = {entry.name: getattr(tree, entry.name) for entry in fields(tree)}
    arrays = {name: v for name, v in values.items() if isinstance(v, np.ndarray)}
    about = {name: str(v) for name, v in values.items() if not isinstance(v, np.ndarray)}
    fresh = path.with_suffix(f".{random.getrandbits(64):016x}")
    try:
        save_file(arrays, fresh, about)
        fresh.replace(path)
    except (OSError, SafetensorError):
        fresh.unlink(missing_ok=True)
