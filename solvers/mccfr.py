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

For games too large for that a `Scheme` may let the weights grow up to an iteration only, sample the
actions of draws, and prune: see `traversal.py`.

The deal and the sampled actions are functions of (seed, iteration, traverser) and of the table, so
with one thread a run is the same however it is cut into pieces. Several threads share the table and
may overwrite each other's sums: their runs differ. The order of the deck is fixed for a traversal:
the same cards fall in all its branches, which lowers the variance of the regrets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Timer
from typing import Any, Literal

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.deals import NO_CLASS
from pokerspiel.games.kernel import (
    CHANCE,
    act,
    begin,
    information_key,
    legal_actions,
    mix,
    next_card,
    random_below,
)
from pokerspiel.games.variants import Game
from pokerspiel.solvers.blueprint import Blueprint, average_blueprint
from pokerspiel.solvers.chart import Chart, average_chart
from pokerspiel.solvers.table import (
    CONFLICTS,
    SETS,
    UNSTORED,
    USED,
    Table,
    TableFullError,
    average_strategy,
    bytes_for,
    growth_bytes,
    make_room,
    new_table,
    restored_table,
    table_bytes,
)
from pokerspiel.solvers.threads import run_together
from pokerspiel.solvers.traversal import (
    NEXT,
    NODES,
    STOP,
    Scheme,
    deal,
    new_workspace,
    run_iterations,
)

DEFAULT_MEMORY_LIMIT = 2 << 30
PERIOD = 0.2
"""Seconds between two reports of progress, and at least between two growths of the table."""

Status = Literal["done", "full"]


@dataclass
class MccfrState:
    """All that a run needs to go on: what a checkpoint holds."""

    seed: int
    control: np.ndarray
    """[3] int64, shared with the running kernels: see NEXT, NODES and STOP of traversal.py."""
    seconds: float
    """Wall time of all runs."""
    table: Table

    @property
    def iteration(self) -> int:
        """Iterations done."""
        return int(self.control[NEXT])

    @property
    def nodes(self) -> int:
        """States visited, chance and terminal states included."""
        return int(self.control[NODES])

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
            "classes": self.table.classes,
        }

    def average(self) -> Blueprint | Chart:
        """The average strategy: a chart where keys name classes of hands."""
        return average_chart(self.table) if self.table.classes else average_blueprint(self.table)

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, np.ndarray],
        numbers: Mapping[str, int | float],
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> MccfrState:
        """The inverse of `to_arrays` and `to_numbers`.

        Raises ValueError beyond the limit, or if the arrays are of an older format.
        """
        table = restored_table(
            arrays["slots"],
            arrays["values"],
            arrays["counts"],
            int(numbers.get("classes", 0)),
            memory_limit,
        )
        return cls(
            seed=int(numbers["seed"]),
            control=np.array([numbers["iteration"], numbers["nodes"], 0], np.int64),
            seconds=float(numbers["seconds"]),
            table=table,
        )


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    iteration: int
    nodes: int
    seconds: float
    information_sets: int
    """Stored; where keys name classes, all classes of each situation, visited or not."""
    bytes: int
    """Of the table."""
    unstored: int
    """Visits to information sets that found no room."""


class Mccfr:
    """External-sampling MCCFR on `game`, from `state` if given, else from the beginning.

    `memory_limit` bounds the bytes of the table, the moment of its growth included. A run that goes
    on from a `state` must be given the `scheme` that it began with. Raises ValueError if the limit
    is too small to begin with, or the scheme makes no sense.
    """

    def __init__(
        self,
        game: Game,
        seed: int = 0,
        threads: int = 1,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
        state: MccfrState | None = None,
        scheme: Scheme | None = None,
    ) -> None:
        if threads < 1:
            raise ValueError(f"threads={threads} is not allowed: expected 1 or more")
        self.game = game
        self.memory_limit = memory_limit
        self.scheme = _checked(scheme or Scheme())
        self.state = state or _new_state(seed, memory_limit, game.classes)
        if self.state.table.classes != game.classes:
            raise ValueError(
                f"the table has {self.state.table.classes} classes of hands, {game} has "
                f"{game.classes}: train anew"
            )
        self.threads = threads
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
        self.state.control[STOP] = 1
        self._iterate(0, 0)

    def _iterate(self, thread: int, last: int) -> None:
        """The work of one thread: iterations until `last`, a crowded table or a request to stop."""
        state = self.state
        run_iterations(
            self._workspaces[thread],
            self.game.tables,
            state.table,
            state.control,
            self.game.players,
            np.uint64(state.seed % (1 << 64)),
            last,
            self.scheme,
        )

    def _run_period(self, last: int, seconds: float) -> None:
        """Let the threads work for some seconds, until iteration `last` or a crowded table."""
        control = self.state.control
        control[STOP] = 0
        timer = Timer(max(seconds, 0.0), control.__setitem__, (STOP, 1))
        timer.start()
        try:
            run_together(lambda thread: self._iterate(thread, last), self.threads)
        finally:
            control[STOP] = 1
            timer.cancel()

    def free_memory(self) -> int:
        """Bytes of the limit that neither the table nor its next growth needs."""
        table = self.state.table
        return self.memory_limit - table_bytes(table) - growth_bytes(table)

    def progress(self) -> Progress:
        table = self.state.table
        counts = table.counts
        return Progress(
            iteration=self.state.iteration,
            nodes=self.state.nodes,
            seconds=self.state.seconds,
            information_sets=int(counts[SETS]) * max(table.classes, 1),
            bytes=table_bytes(table),
            unstored=int(counts[UNSTORED] + counts[CONFLICTS]),
        )

    def average_strategy(self, key: int, n: int) -> np.ndarray:
        """Probabilities of the `n` actions of information set `key`; uniform if it is unknown."""
        out = np.zeros(n)
        average_strategy(self.state.table, np.uint64(key), n, out)
        return out


def _checked(scheme: Scheme) -> Scheme:
    """The scheme with numbers of the kernels' type; ValueError names one that makes no sense."""
    if not scheme.linear_until >= 1:
        raise ValueError(f"linear_until={scheme.linear_until:g}: expected 1 iteration or more")
    if not 0 < scheme.draw_sampling <= 1:
        raise ValueError(
            f"draw_sampling={scheme.draw_sampling:g}: expected a probability above 0, up to 1"
        )
    if not scheme.prune > 0:
        raise ValueError(f"prune={scheme.prune:g}: expected a number above 0")
    return Scheme(*map(float, scheme))


def _new_state(seed: int, memory_limit: int, classes: int) -> MccfrState:
    return MccfrState(seed, np.zeros(3, np.int64), 0.0, new_table(memory_limit, classes=classes))


@dataclass(frozen=True)
class Estimate:
    """A guess, before the start, at how large the table will grow."""

    information_sets: int
    """A lower bound in expectation (Chao 1984)."""
    bytes: int


def estimate_size(game: Game, hands: int = 100_000, seed: int = 0) -> Estimate:
    """Estimate the number of information sets from random hands.

    Where keys name classes of hands, of situations, in each of which all classes are stored. With S
    sets seen, f1 of them once and f2 twice: S + f1 (f1 - 1) / (2 (f2 + 1)), the estimator of
    Chao (1984) without bias. The less alike the chances of the sets, the more is missed.
    """
    classes = game.classes
    keys = np.zeros(hands * min(game.limits.max_game_length, 64), np.uint64)
    actions = np.zeros(len(keys), np.int64)
    found = _sample_keys(new_workspace(game), game.tables, np.uint64(seed), hands, keys, actions)
    if classes:
        keys &= ~np.uint64(NO_CLASS)
    _, index, times = np.unique(keys[:found], return_index=True, return_counts=True)
    once = int(np.sum(times == 1))
    twice = int(np.sum(times == 2))
    sets = len(index) + once * (once - 1) // (2 * (twice + 1))
    mean = float(actions[index].mean()) if len(index) else 0.0
    return Estimate(sets * max(classes, 1), bytes_for(sets, mean, classes))


@kernel
def _sample_keys(work: Any, tables: Any, seed: int, hands: int, keys: Any, actions: Any) -> Any:
    """Play random hands, write down key and number of actions at each decision; their number.

    Every other hand avoids the actions that end it, so that late decisions are seen too.
    """
    found = 0
    states, legal = work.states, work.actions
    for hand in range(hands):
        deal(work, mix(seed, hand))
        begin(states[0], tables)
        while states[0].turn >= CHANCE:
            state = states[0]
            turn: Any = np.int64(state.turn)
            n = 1
            if turn == CHANCE:
                legal[0] = next_card(state, tables, work.deck[0])
            else:
                n = legal_actions(state, tables, legal)
            if n > 1 and found < len(keys):
                keys[found] = information_key(state, tables, turn)
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
