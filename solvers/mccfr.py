"""External-sampling Monte Carlo CFR with linear weights, on any game of the kernel.

One iteration is one traversal for each player (the traverser). A traversal samples the deal and the
actions of the others, follows every action of the traverser, and adds t * (value of the action -
value of the strategy) to the regrets, where t is the number of the iteration; the regrets are never
floored (Lanctot, Waugh, Zinkevich and Bowling 2009, section 4.2; linear weights: Brown and Sandholm
2019). The average strategy is updated by t * strategy at the nodes of the other players, because
there a node is reached as often as its own player plays to it. With three or more players each of
the others is updated, so that the average of a player is weighed by the play of those who are not
the traverser as well: as in all such solvers there is no promise of an equilibrium then. (OpenSpiel
updates only the player after the traverser.)

The deal and the sampled actions are functions of (seed, iteration, traverser) and of the table, so
with one thread a run is the same however it is cut into pieces. Several threads share the table and
may overwrite each other's sums: their runs differ.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    DECK,
    act,
    begin,
    information_key,
    legal_actions,
    mix,
    next_card,
    random_below,
    random_unit,
    seed_deck,
)
from pokerspiel.games.variants import Game
from pokerspiel.solvers.table import (
    CONFLICTS,
    NOT_STORED,
    SETS,
    UNSTORED,
    USED,
    Table,
    TableFullError,
    atomic_add,
    atomic_load,
    average_strategy,
    bytes_for,
    find_or_add,
    is_crowded,
    make_room,
    new_table,
    prefetch_slot,
    prefetch_values,
    restored_table,
    table_bytes,
)

DEFAULT_MEMORY_LIMIT = 2 << 30
PERIOD = 0.2
"""Seconds between two reports of progress, and at least between two growths of the table."""

# Indices of the control array that the threads of a run share.
_NEXT = 0  # the iteration that the next free thread takes
_NODES = 1  # states visited
_STOP = 2  # 1: return after the current iteration

Status = Literal["done", "full"]


@dataclass
class MccfrState:
    """All that a run needs to go on: what a checkpoint holds."""

    seed: int
    iteration: int
    """Iterations done."""
    nodes: int
    """States visited, chance and terminal states included."""
    seconds: float
    """Wall time of all runs."""
    table: Table

    def to_arrays(self) -> dict[str, np.ndarray]:
        used = int(self.table.counts[USED])
        return {
            "slots": self.table.slots,
            "values": self.table.values[:used],
            "counts": self.table.counts,
        }

    def to_numbers(self) -> dict[str, int | float]:
        return {
            "seed": self.seed,
            "iteration": self.iteration,
            "nodes": self.nodes,
            "seconds": self.seconds,
        }

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, np.ndarray],
        numbers: Mapping[str, int | float],
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> MccfrState:
        """The inverse of `to_arrays` and `to_numbers`; raises ValueError beyond the limit."""
        return cls(
            seed=int(numbers["seed"]),
            iteration=int(numbers["iteration"]),
            nodes=int(numbers["nodes"]),
            seconds=float(numbers["seconds"]),
            table=restored_table(arrays["slots"], arrays["values"], arrays["counts"], memory_limit),
        )


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    iteration: int
    nodes: int
    seconds: float
    information_sets: int
    bytes: int
    """Of the table."""
    unstored: int
    """Visits to information sets that found no room."""


class Mccfr:
    """External-sampling MCCFR on `game`, from `state` if given, else from the beginning.

    `memory_limit` bounds the bytes of the table, the moment of its growth included. Raises
    ValueError if it is too small to begin with.
    """

    def __init__(
        self,
        game: Game,
        seed: int = 0,
        threads: int = 1,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
        state: MccfrState | None = None,
    ) -> None:
        if threads < 1:
            raise ValueError(f"threads={threads} is not allowed: expected 1 or more")
        self.game = game
        self.memory_limit = memory_limit
        self.state = state or MccfrState(seed, 0, 0, 0.0, new_table(memory_limit))
        self._workspaces = [new_workspace(game) for _ in range(threads)]

    def run(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Status:
        """Run `iterations` more, or for `seconds`, whichever ends first; without either, for ever.

        "full" if the memory limit ended the run. `on_progress` is called about every PERIOD
        seconds. After a KeyboardInterrupt the state holds whole iterations and can go on.
        """
        self._compile()
        last = self.state.iteration + iterations if iterations is not None else 1 << 62
        deadline = time.perf_counter() + (seconds if seconds is not None else float("inf"))
        while self.state.iteration < last and time.perf_counter() < deadline:
            start = time.perf_counter()
            try:
                self.state.table = make_room(self.state.table, self.memory_limit)
                self._run_period(last, min(PERIOD, deadline - start))
            except TableFullError:
                return "full"
            finally:
                self.state.seconds += time.perf_counter() - start
            if on_progress is not None:
                on_progress(self.progress())
        return "done"

    def _compile(self) -> None:
        """Compile the kernel, or load it, before the clock runs."""
        _iterate(self._workspaces[0], self.game, self.state, np.array([0, 0, 1], np.int64), 0)

    def _run_period(self, last: int, seconds: float) -> None:
        """Let the threads work for some seconds, until iteration `last` or a crowded table."""
        state = self.state
        control = np.array([state.iteration, 0, 0], np.int64)
        with ThreadPoolExecutor(len(self._workspaces)) as pool:
            try:
                work: list[Future[None]] = [
                    pool.submit(_iterate, workspace, self.game, state, control, last)
                    for workspace in self._workspaces
                ]
                wait(work, timeout=max(seconds, 0.0))
            finally:
                control[_STOP] = 1
                pool.shutdown()
                state.iteration = int(control[_NEXT])
                state.nodes += int(control[_NODES])
        for done in work:
            done.result()

    def progress(self) -> Progress:
        counts = self.state.table.counts
        return Progress(
            iteration=self.state.iteration,
            nodes=self.state.nodes,
            seconds=self.state.seconds,
            information_sets=int(counts[SETS]),
            bytes=table_bytes(self.state.table),
            unstored=int(counts[UNSTORED] + counts[CONFLICTS]),
        )

    def average_strategy(self, key: int, n: int) -> np.ndarray:
        """Probabilities of the `n` actions of information set `key`; uniform if it is unknown."""
        out = np.zeros(n)
        average_strategy(self.state.table, np.uint64(key), n, out)
        return out


def _iterate(workspace: Workspace, game: Game, state: MccfrState, control: Any, last: int) -> None:
    """The work of one thread."""
    seed = np.uint64(state.seed % (1 << 64))
    _run_iterations(workspace, game.tables, state.table, control, game.players, seed, last)


@dataclass(frozen=True)
class Estimate:
    """A guess, before the start, at how large the table will grow."""

    information_sets: int
    """A lower bound in expectation (Chao 1984)."""
    bytes: int


def estimate_size(game: Game, hands: int = 100_000, seed: int = 0) -> Estimate:
    """Estimate the number of information sets from random hands.

    With S sets seen, f1 of them once and f2 twice: S + f1 (f1 - 1) / (2 (f2 + 1)), the estimator of
    Chao (1984) without bias. The less alike the chances of the sets, the more is missed.
    """
    keys = np.zeros(hands * min(game.limits.max_game_length, 64), np.uint64)
    actions = np.zeros(len(keys), np.int64)
    found = _sample_keys(new_workspace(game), game.tables, np.uint64(seed), hands, keys, actions)
    _, index, times = np.unique(keys[:found], return_index=True, return_counts=True)
    once = int(np.sum(times == 1))
    twice = int(np.sum(times == 2))
    sets = len(index) + once * (once - 1) // (2 * (twice + 1))
    mean = float(actions[index].mean()) if len(index) else 0.0
    return Estimate(sets, bytes_for(sets, mean))


# A traversal is a loop with a stack of frames, one for each open decision of the traverser.

FRAME = np.dtype(
    [
        ("key", np.uint64),
        ("place", np.int64),  # index of the decision's state
        ("top", np.int64),  # index of its first action and its first utility on their stacks
        ("n", np.int64),  # legal actions
        ("tried", np.int64),  # actions tried, the one under way included
    ],
    align=True,
)


class Workspace(NamedTuple):
    """The memory of one thread."""

    states: np.ndarray
    frames: np.ndarray
    actions: np.ndarray
    """Stack of the legal actions of the open decisions."""
    utilities: np.ndarray
    """Stack of the values of these actions to the traverser, in chips."""
    deck: np.ndarray
    random: np.ndarray


def new_workspace(game: Game) -> Workspace:
    depth = game.limits.max_game_length + 1
    return Workspace(
        np.zeros(depth + 1, game.state_type),
        np.zeros(depth, FRAME),
        np.zeros(depth * game.limits.num_actions, np.int64),
        np.zeros(depth * game.limits.num_actions),
        np.zeros(1, DECK),
        np.zeros(1, np.uint64),
    )


@kernel
def _run_iterations(
    work: Any, tables: Any, table: Any, control: Any, players: int, seed: int, last: int
) -> None:
    """Take the next iteration and do it, until `last`, a crowded table or a request to stop."""
    nodes = 0
    while not atomic_load(control, _STOP) and not is_crowded(table):
        iteration = atomic_add(control, _NEXT, 1)
        if iteration >= last:
            atomic_add(control, _NEXT, -1)
            break
        for traverser in range(players):
            _deal(work, mix(mix(seed, iteration), traverser))
            nodes += _traverse(work, tables, table, traverser, np.float64(iteration + 1))
    atomic_add(control, _NODES, nodes)


@kernel
def _deal(work: Any, hand: int) -> None:
    """Fix the deal and the chances of the sampled actions."""
    seed_deck(work.deck[0], hand)
    work.random[0] = mix(hand, 0)


@kernel
def _traverse(work: Any, tables: Any, table: Any, traverser: int, weight: float) -> int:
    """One traversal; gives the number of states visited.

    The state of a frame is copied for each of its actions but the last, which takes it over.
    (Arrays are taken out of their tuples once: each time costs two atomic counts. `act` is called
    in one place only, since it is large and compiled anew in each.)
    """
    states, frames, actions, utilities = work.states, work.frames, work.actions, work.utilities
    values, random, deck = table.values, work.random, work.deck[0]
    depth = 0
    top = 0
    place = 0
    nodes = 0
    begin(states[0], tables)
    while True:
        state = states[place]
        nodes += 1
        turn = np.int64(state.turn)
        if turn == CHANCE:
            action = next_card(state, tables, deck)
        elif turn >= 0:
            n = legal_actions(state, tables, actions[top:])
            action = actions[top]
            if n > 1:
                key = information_key(state, tables, turn)
                if turn == traverser:
                    _open_frame(frames[depth], key, place, top, n)
                    prefetch_slot(table.slots, key)
                    depth += 1
                    top += n
                    states[place + 1] = state
                    place += 1
                else:
                    first = find_or_add(table, key, n)
                    action = actions[top + _choose(values, first, n, weight, random_unit(random))]
        else:
            value = state.returns[traverser]
            while depth > 0:
                frame = frames[depth - 1]
                utilities[frame.top + frame.tried - 1] = value
                if frame.tried < frame.n:
                    break
                first = find_or_add(table, frame.key, frame.n)
                value = _add_regrets(values, first, frame.n, weight, utilities, frame.top)
                depth -= 1
            if depth == 0:
                return nodes
            frame = frames[depth - 1]
            place = frame.place
            top = frame.top + frame.n
            action = actions[frame.top + frame.tried]
            frame.tried += 1
            if frame.tried < frame.n:
                states[place + 1] = states[place]
                place += 1
            else:
                prefetch_values(table.slots, values, frame.key)
        act(states[place], tables, action)


@kernel
def _open_frame(frame: Any, key: int, place: int, top: int, n: int) -> None:
    frame.key = key
    frame.place = place
    frame.top = top
    frame.n = n
    frame.tried = 1


@kernel
def _choose(values: Any, first: int, n: int, weight: float, unit: float) -> int:
    """An action by regret matching, from `unit`, uniform in [0, 1); adds the strategy to the
    average. Any action if the information set is not stored.
    """
    if first == NOT_STORED:
        return np.int64(unit * n)
    total = 0.0
    for i in range(first, first + n):
        total += max(values[i], 0.0)
    if total <= 0.0:
        for i in range(first + n, first + 2 * n):
            values[i] += weight / n
        return np.int64(unit * n)
    scale = weight / total
    mark = unit * total
    below = 0.0
    chosen = 0
    for i in range(first, first + n):
        positive = max(values[i], 0.0)
        values[i + n] += scale * positive
        below += positive
        chosen += mark >= below
    return min(chosen, n - 1)


@kernel
def _add_regrets(values: Any, first: int, n: int, weight: float, utilities: Any, top: int) -> float:
    """Add the regrets of not having played each action; gives the value of regret matching.

    The value of uniform play if the information set is not stored.
    """
    if first == NOT_STORED:
        return _mean(utilities, top, n)
    total = 0.0
    value = 0.0
    for i in range(n):
        positive = max(values[first + i], 0.0)
        total += positive
        value += positive * utilities[top + i]
    value = value / total if total > 0.0 else _mean(utilities, top, n)
    for i in range(n):
        values[first + i] += weight * (utilities[top + i] - value)
    return value


@kernel
def _mean(utilities: Any, top: int, n: int) -> float:
    total = 0.0
    for i in range(top, top + n):
        total += utilities[i]
    return total / n


@kernel
def _sample_keys(work: Any, tables: Any, seed: int, hands: int, keys: Any, actions: Any) -> int:
    """Play random hands, write down key and number of actions at each decision; their number.

    Every other hand avoids the actions that end it, so that late decisions are seen too.
    """
    found = 0
    states, legal = work.states, work.actions
    for hand in range(hands):
        _deal(work, mix(seed, hand))
        begin(states[0], tables)
        while states[0].turn >= CHANCE:
            state = states[0]
            n = 1
            if state.turn == CHANCE:
                legal[0] = next_card(state, tables, work.deck[0])
            else:
                n = legal_actions(state, tables, legal)
            if n > 1 and found < len(keys):
                keys[found] = information_key(state, tables, np.int64(state.turn))
                actions[found] = n
                found += 1
            states[1] = state
            while n > 0:
                chosen = random_below(work.random, n)
                states[0] = states[1]
                act(states[0], tables, legal[chosen])
                if states[0].turn >= CHANCE or hand & 1 == 0:
                    break
                n -= 1
                legal[chosen] = legal[n]
    return found
