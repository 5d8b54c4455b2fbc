"""Monte Carlo CFR in one formulation: a walk of the tree that follows the actions it samples.

Letters: h a node, i the traverser, σ the strategy, ξ(h, a) the probability with which the walk
follows action a at h once it is there, q(h) the product of ξ and of the chances on the way to h.

- By estimate, an action is worth v(h, a) = b(h, a) + [a followed] (v(ha) - b(h, a)) / ξ(h, a), and
  a node v(h) = Σ_a σ(h, a) v(h, a). The baseline b is any number that does not depend on whether a
  is followed (Schmid et al. 2019), or 0. By induction from the leaves, v(h) is on average the
  expected payoff u(h) of i from h on: the baseline cancels.
- The importance of h is w(h) = π_others(h) / q(h), with chance among the others; chance is sampled
  as it is and cancels. At each node of the traverser the regrets get w(h) (v(h, a) - v(h)). The
  walk is there with probability q(h), so an information set gets on average
  Σ_h π_others(h) (u(ha) - u(h)), its counterfactual regret, whatever the scheme.
- At each node of another player its average strategy gets w(h) σ(h), on average Σ_h π_others(h)
  σ(h). With two players that is the reach probability of the player who acts, times a constant of
  the set: what the average asks for (stochastically weighted averaging, Lanctot 2013). With more
  players the play of the rest weighs as well.

An information set of the traverser can be met more than once in a walk that follows all actions of
the others. Its regrets wait for the end of the walk, so that σ stays as it is.

All branches of a walk meet the same luck, as in external_sampling.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import mix, random_unit
from pokerspiel.solvers.packed_tree import (
    GAMMA,
    LEAF,
    UNIFORM,
    WEIGHTED,
    outcome_of,
    place_of,
    scrambled,
    unit_of,
)
from pokerspiel.solvers.sampling_schemes import ALL, ONE
from pokerspiel.solvers.solver import ITERATION, NODES
from pokerspiel.solvers.tree import Tree

_FRAME = np.dtype(
    [
        ("first_child", np.int64),
        ("n", np.int64),  # actions
        ("tried", np.int64),  # actions tried or left out, the one under way included
        ("first", np.int64),  # first sequence of the information set
        ("top", np.int64),  # index of the first action in the stack of actions
        ("importance", np.float64),  # w(h)
        ("luck", np.uint64),  # state of the random numbers of chance
        ("own", np.bool_),  # whether the traverser acts
    ],
    align=True,
)

_ACTION = np.dtype(
    [
        ("strategy", np.float64),  # σ(h, a)
        ("followed", np.float64),  # ξ(h, a) if the action is to be followed, else 0
        ("value", np.float64),  # v(h, a)
    ]
)

_PENDING = np.dtype([("regret", np.float64), ("listed", np.bool_)], align=True)


class WalkMemory(NamedTuple):
    """The stacks of a walk, and the regrets that wait for its end."""

    frames: np.ndarray
    """Open decisions."""
    actions: np.ndarray
    """Their actions."""
    random: np.ndarray
    """[1] uint64: the state of the random numbers of the players."""
    pending: np.ndarray
    """[S]: the regret that waits; at the first sequence of a set, whether the set is listed."""
    waiting: np.ndarray
    """[I + 1, 2] int64: first sequence and number of actions of the sets listed; in the first row
    how many these are."""


def new_walk_memory(tree: Tree) -> WalkMemory:
    depth = len(tree.level)
    widest = int(np.diff(tree.set_first).max(initial=1))
    return WalkMemory(
        frames=np.zeros(depth, _FRAME),
        actions=np.zeros(depth * widest, _ACTION),
        random=np.zeros(1, np.uint64),
        pending=np.zeros(tree.sequences, _PENDING),
        waiting=np.zeros((tree.information_sets + 1, 2), np.int64),
    )


@kernel
def run_sampled_walks(
    packed: Any,
    sums: Any,
    baselines: Any,
    memory: Any,
    rules: Any,
    control: Any,
    seed: int,
    iterations: int,
) -> None:
    """Run some iterations, each one walk for each player, and count them in `control`.

    baselines[i] are the baselines of traverser i, one for each sequence.
    """
    players = packed.nodes[0].returns.size
    for _ in range(iterations):
        iteration = control[ITERATION]
        regret_weight = np.float64(iteration + 1) if rules.linear_regrets else 1.0
        average_weight = np.float64(iteration + 1) if rules.linear_average else 1.0
        for traverser in range(players):
            memory.random[0] = mix(seed, iteration * players + traverser)
            control[NODES] += _walk(
                packed,
                sums,
                baselines[traverser],
                memory,
                rules,
                np.uint32(traverser),
                average_weight,
            )
            _add_pending(sums, memory.pending, memory.waiting, regret_weight, rules.floor)
        control[ITERATION] += 1


@kernel
def _walk(
    packed: Any,
    sums: Any,
    baselines: Any,
    memory: Any,
    rules: Any,
    traverser: Any,
    average_weight: float,
) -> Any:
    """One walk; gives the number of nodes visited."""
    nodes, cumulative = packed.nodes, packed.cumulative
    frames, actions, random = memory.frames, memory.actions, memory.random
    pending, waiting = memory.pending, memory.waiting
    number: Any = np.int64(0)
    top: Any = np.int64(0)
    depth, visited, importance = 0, 0, 1.0
    luck = scrambled(random[0])
    while True:
        node = nodes[number]
        turn, first_child, n = node.turn, np.uint64(node.first_child), np.uint64(node.children)
        visited += 1
        if turn == UNIFORM:
            luck += GAMMA
            number = np.int64(first_child + place_of(scrambled(luck), n))
            continue
        if turn == WEIGHTED:
            luck += GAMMA
            number = np.int64(outcome_of(cumulative, first_child, n, unit_of(scrambled(luck))))
            continue
        arrived = turn == LEAF
        value = node.returns[traverser] if arrived else 0.0
        if not arrived:
            frame = frames[depth]
            frame.first_child, frame.n, frame.tried = first_child, n, 0
            frame.first, frame.top, frame.own = node.first, top, turn == traverser
            frame.importance, frame.luck = importance, luck
            _choose(frame, actions, sums, baselines, rules, random, average_weight)
            depth += 1
            top += np.int64(n)
        while depth > 0:
            frame = frames[depth - 1]
            if arrived:
                _take(frame, actions, value, baselines, rules.alpha)
            while frame.tried < frame.n and actions[frame.top + frame.tried].followed == 0.0:
                frame.tried += 1
            if frame.tried < frame.n:
                action = actions[frame.top + frame.tried]
                share = 1.0 if frame.own else action.strategy
                importance = frame.importance * share / action.followed
                number, luck = frame.first_child + frame.tried, frame.luck
                break
            value = _close(frame, actions, pending, waiting)
            arrived = True
            depth -= 1
            top = frame.top
        if depth == 0:
            return visited


@kernel
def _choose(
    frame: Any,
    actions: Any,
    sums: Any,
    baselines: Any,
    rules: Any,
    random: Any,
    average_weight: float,
) -> None:
    """Write down the strategy at a node, the actions to follow, and the baselines as values."""
    first, top, n = frame.first, frame.top, frame.n
    _match_regrets(sums, first, n, actions, top)
    for a in range(n):
        actions[top + a].value = baselines[first + a] if rules.alpha > 0.0 else 0.0
    if not frame.own:
        scale = average_weight * frame.importance
        for a in range(n):
            sums[first + a].average += scale * actions[top + a].strategy
    scheme = rules.own if frame.own else rules.others
    if scheme == ALL:
        for a in range(n):
            needed = frame.own or actions[top + a].strategy > 0.0
            actions[top + a].followed = 1.0 if needed else 0.0
    elif scheme == ONE:
        _follow_one(actions, top, n, rules.epsilon if frame.own else 0.0, random)
    else:
        _follow_each(sums, first, n, actions, top, rules, random)


@kernel
def _match_regrets(sums: Any, first: int, n: int, actions: Any, top: int) -> None:
    """The strategy in proportion to positive regrets, uniform if there are none."""
    total = 0.0
    for a in range(n):
        positive = max(sums[first + a].regret, 0.0)
        actions[top + a].strategy = positive
        total += positive
    for a in range(n):
        share = actions[top + a].strategy / total if total > 0.0 else 1.0 / n
        actions[top + a].strategy = share


@kernel
def _follow_one(actions: Any, top: int, n: int, epsilon: float, random: Any) -> None:
    """One action: with probability ε any, else by the strategy."""
    unit = random_unit(random)
    below = 0.0
    chosen = -1
    chance_of_chosen = 1.0
    for a in range(n):
        chance = epsilon / n + (1.0 - epsilon) * actions[top + a].strategy
        if chance > 0.0 and (chosen < 0 or unit >= below):
            chosen, chance_of_chosen = a, chance
        below += chance
        actions[top + a].followed = 0.0
    actions[top + chosen].followed = chance_of_chosen


@kernel
def _follow_each(
    sums: Any, first: int, n: int, actions: Any, top: int, rules: Any, random: Any
) -> None:
    """Each action with probability max(ε, (β + τ s(a)) / (β + Σ s)), at most 1, where s are the
    sums of the average strategy (Gibson et al. 2012).
    """
    total = rules.beta
    for a in range(n):
        total += sums[first + a].average
    for a in range(n):
        chance = 1.0
        if total > 0.0:
            chance = (rules.beta + rules.tau * sums[first + a].average) / total
        chance = min(max(chance, rules.epsilon), 1.0)
        followed = chance == 1.0 or random_unit(random) < chance
        actions[top + a].followed = chance if followed else 0.0


@kernel
def _take(frame: Any, actions: Any, value: float, baselines: Any, alpha: float) -> None:
    """Make the value of a child that of its action, and move its baseline towards it."""
    action = actions[frame.top + frame.tried]
    action.value += (value - action.value) / action.followed
    if alpha > 0.0:
        sequence = frame.first + frame.tried
        baselines[sequence] += alpha * (value - baselines[sequence])
    frame.tried += 1


@kernel
def _close(frame: Any, actions: Any, pending: Any, waiting: Any) -> Any:
    """The value of a node whose actions are done; regrets of the traverser are put down."""
    first, top, n = frame.first, frame.top, frame.n
    value = 0.0
    for place in range(top, top + n):
        value += actions[place].strategy * actions[place].value
    if frame.own:
        if not pending[first].listed:
            pending[first].listed = True
            waiting[0, 0] += 1
            waiting[waiting[0, 0], 0], waiting[waiting[0, 0], 1] = first, n
        for a in range(n):
            pending[first + a].regret += frame.importance * (actions[top + a].value - value)
    return value


@kernel
def _add_pending(sums: Any, pending: Any, waiting: Any, weight: float, floor: float) -> None:
    """Add the regrets that wait."""
    for k in range(1, waiting[0, 0] + 1):
        first, n = waiting[k, 0], waiting[k, 1]
        pending[first].listed = False
        for sequence in range(first, first + n):
            regret = sums[sequence].regret + weight * pending[sequence].regret
            sums[sequence].regret = max(regret, floor)
            pending[sequence].regret = 0.0
    waiting[0, 0] = 0
