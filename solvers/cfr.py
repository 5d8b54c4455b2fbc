"""Full-tree counterfactual regret minimisation, every algorithm of the family in one engine.

One iteration updates every player once: one after the other, each against the others' newest
strategies (alternating), or all against those of the iteration before (simultaneous).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.algorithms import DISCOUNTING, Discounting, factors
from pokerspiel.solvers.atomics import meet
from pokerspiel.solvers.layout import SequenceForm, aligned
from pokerspiel.solvers.passes import (
    add_reach,
    lift,
    lower,
    multiply_joint,
    spread_reach,
    terminal_values,
    update_regrets,
)
from pokerspiel.solvers.sequence_form import sequence_form
from pokerspiel.solvers.solver import ITERATION, NODES
from pokerspiel.solvers.threads import run_together
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import TreeSolver, normalised

_SAVED = ("behaviour", "regret", "average")


class State(NamedTuple):
    """The numbers of a run, by place: see passes.py."""

    value: np.ndarray
    behaviour: np.ndarray
    reach: np.ndarray
    regret: np.ndarray
    average: np.ndarray


def initial_state(form: SequenceForm) -> State:
    """Uniform strategies, and sums of nothing."""
    tree, layout = form.tree, form.layout
    state = State(*(aligned(np.zeros(form.places)) for _ in range(5)))
    state.reach[layout.roots] = 1.0
    state.behaviour[:] = form.to_places(normalised(tree, np.zeros(tree.sequences)))
    spread_all(form, state)
    return state


def spread_all(form: SequenceForm, state: State) -> None:
    """The reach of all players under the present strategies."""
    for player in range(form.tree.players):
        spread_reach(form.layout, player, state.behaviour, state.reach)


class Cfr(TreeSolver):
    """An algorithm of the family, by its name in DISCOUNTING, on a tree.

    `horizon` is the number of iterations that algorithms with a schedule plan for. More than one of
    `threads` work on large trees only; the numbers are the same with any number.
    """

    def __init__(
        self,
        tree: Tree,
        algorithm: str | Discounting = "dcfr",
        alternating: bool = True,
        horizon: int = 1000,
        threads: int = 1,
        form: SequenceForm | None = None,
    ) -> None:
        super().__init__(tree)
        self.row = DISCOUNTING[algorithm] if isinstance(algorithm, str) else algorithm
        self.alternating = alternating
        self.horizon = horizon
        self.form = form or sequence_form(tree)
        self.state = initial_state(self.form)
        layout = self.form.layout
        parts = layout.group_first.shape[1] - 1
        self._threads = min(threads, max(parts - 1, 1))
        self._joint = np.zeros((self._threads, int(np.diff(layout.joint_first).max())))
        self._gate = np.zeros(1, np.int64)

    def prepare(self) -> None:
        self._iterate(np.zeros((0, 4)))

    def advance(self, iterations: int) -> None:
        start = self.iteration
        self._iterate(factors(self.row, start, start + iterations, self.horizon))

    def _iterate(self, weights: np.ndarray) -> None:
        passes = self.tree.players if self.alternating else 1
        nodes = passes * self.tree.nodes
        self._gate[0] = 0

        def work(thread: int) -> None:
            team = Team(thread, self._threads, self._gate, self._joint[thread])
            iterate(
                self.form.layout, self.state, weights, self.control, self.alternating, nodes, team
            )

        run_together(work, self._threads)

    def average_strategy(self) -> np.ndarray:
        return normalised(self.tree, self.form.to_tree(self.state.average))

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {name: self.form.to_tree(getattr(self.state, name)) for name in _SAVED}

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]) -> None:
        for name in _SAVED:
            values = arrays.get(name)
            if values is None or values.shape != (self.tree.sequences,):
                raise ValueError(f"array {name} does not fit {self.tree.game}")
            getattr(self.state, name)[:] = self.form.to_places(values)
        self._restore_control(numbers)
        spread_all(self.form, self.state)


class Team(NamedTuple):
    """A thread among those that run an iteration together."""

    thread: int
    threads: int
    gate: np.ndarray
    joint: np.ndarray
    """Room for the products of multiply_joint."""


@kernel
def iterate(
    layout: Any,
    state: Any,
    weights: Any,
    control: Any,
    alternating: bool,
    nodes: int,
    team: Any,
) -> None:
    """One iteration for each row of `weights`, the factors of algorithms.py.

    Each thread works on its own parts; the first one also on the top, between the others' ways up
    and down. All meet before they read what others wrote.
    """
    players = layout.group_first.shape[0]
    meetings = 0
    for t in range(len(weights)):
        if not alternating:
            for player in range(players):
                _values(layout, state, player, team)
                if team.thread == 0:
                    _top_values(layout, state, player, team)
            meetings = _gather_threads(team, meetings)
        for player in range(players):
            if alternating:
                _values(layout, state, player, team)
            meetings = _update(layout, state, player, weights, t, alternating, team, meetings)
        if team.thread == 0:
            control[ITERATION] += 1
            control[NODES] += nodes


@kernel(inline=True)
def _values(layout: Any, state: Any, player: int, team: Any) -> None:
    """Values of the ends of a player's parts below the top."""
    y = state.reach
    if layout.group_first.shape[0] > 2:
        multiply_joint(layout, player, state.reach, team.joint)
        y = team.joint
    for part in range(1, layout.group_first.shape[1] - 1):
        if _is_mine(part, team):
            terminal_values(layout, player, part, y, state.value)


@kernel(inline=True)
def _top_values(layout: Any, state: Any, player: int, team: Any) -> None:
    """Values of the ends of the top, by the first thread, after `_values`."""
    y = state.reach
    if layout.group_first.shape[0] > 2:
        y = team.joint
    terminal_values(layout, player, 0, y, state.value)


@kernel(inline=True)
def _is_mine(part: int, team: Any) -> Any:
    """Whether a part below the top is this thread's."""
    return (part - 1) % team.threads == team.thread


@kernel(inline=True)
def _update(
    layout: Any,
    state: Any,
    player: int,
    weights: Any,
    t: int,
    alternating: bool,
    team: Any,
    meetings: int,
) -> Any:
    """Regrets and reach of a player from the values of its ends; gives the number of meetings.

    The ends of the top are valued here when players alternate: their rows read what other threads
    have written for the player before, who have all met by then. With lanes no other rows do.
    """
    positive, negative, average, prediction = (
        weights[t, 0],
        weights[t, 1],
        weights[t, 2],
        weights[t, 3],
    )
    parts = layout.group_first.shape[1] - 1
    for part in range(1, parts):
        if _is_mine(part, team):
            update_regrets(layout, player, part, state, positive, negative, prediction)
    meetings = _gather_threads(team, meetings)
    if team.thread == 0:
        if alternating:
            _top_values(layout, state, player, team)
        lift(layout, player, state.value)
        update_regrets(layout, player, 0, state, positive, negative, prediction)
        add_reach(layout, player, 0, state, average)
        lower(layout, player, state.reach)
    meetings = _gather_threads(team, meetings)
    for part in range(1, parts):
        if _is_mine(part, team):
            add_reach(layout, player, part, state, average)
    if not alternating or layout.blocks.width == 0:
        meetings = _gather_threads(team, meetings)
    return meetings


@kernel(inline=True)
def _gather_threads(team: Any, meetings: int) -> Any:
    if team.threads > 1:
        meetings += 1
        meet(team.gate, team.threads, meetings)
    return meetings


@kernel
def update_player(layout: Any, state: Any, player: int, y: Any, weights: Any, t: int) -> None:
    """One iteration of one player, by one thread, against the others' reach `y`."""
    last = layout.group_first.shape[1] - 2
    for part in range(last, -1, -1):
        terminal_values(layout, player, part, y, state.value)
    for part in range(last, -1, -1):
        if part == 0:
            lift(layout, player, state.value)
        update_regrets(layout, player, part, state, weights[t, 0], weights[t, 1], weights[t, 3])
    for part in range(last + 1):
        add_reach(layout, player, part, state, weights[t, 2])
        if part == 0:
            lower(layout, player, state.reach)
