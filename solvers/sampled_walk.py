"""Monte Carlo CFR in one formulation: a walk of the tree that follows the actions it samples.

Letters: h a node, i the traverser, σ the strategy, ξ(h, a) the probability with which the walk
follows action a at h once it is there, q(h) the product of ξ and of the chances on the way to h.

- An action is worth, by estimate, v(h, a) = b(h, a) + [a followed] (v(ha) - b(h, a)) / ξ(h, a),
  and a node v(h) = Σ_a σ(h, a) v(h, a). The baseline b is any number fixed before the walk (Schmid
  et al. 2019, equation 9), or 0. By induction from the leaves E[v(h)] is the expected payoff of i
  from h on: the baseline cancels.
- The importance of h is w(h) = π_others(h) / q(h), with chance among the others; chance is sampled
  as it is and cancels. At each node of the traverser its regrets get w(h) (v(h, a) - v(h)). The walk
  is there with probability q(h), so the expected sum over an information set is
  Σ_h π_others(h) (u(ha) - u(h)), the counterfactual regret, whatever the scheme.
- At each node of another player its average strategy gets w(h) σ(h): in expectation
  Σ_h π_others(h) σ(h). With two players that is the reach probability of the player who acts, times
  a constant of the set: what the average asks for (stochastically weighted averaging, Lanctot 2013,
  section 4.4). With more players the play of the rest weighs as well.

An information set of the traverser can be met more than once in a walk that follows all actions of
the others. Its regrets wait for the end of the walk, so that σ stays as it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import mix, random_bits, random_unit
from pokerspiel.solvers.packed_tree import LEAF, UNIFORM, WEIGHTED, outcome_of, place_of
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import ITERATION, NODES

ALL, ONE, EACH = 0, 1, 2
"""Which actions of a node the walk follows: all, one, or each by a chance of its own."""


class Rules(NamedTuple):
    """A sampling scheme as numbers; see SamplingScheme in sampling.py."""

    own: int
    """ALL, ONE or EACH of the traverser's actions."""
    others: int
    """ALL or ONE of the actions of the other players."""
    epsilon: float
    beta: float
    tau: float
    alpha: float
    """Decay of the baselines; without baselines 0."""
    linear: bool
    floor: float


_FRAME = np.dtype(
    [
        ("first_child", np.int64),
        ("n", np.int64),  # actions
        ("tried", np.int64),  # actions tried or left out, the one under way included
        ("first", np.int64),  # first sequence of the information set
        ("top", np.int64),  # index of the first action on the stacks
        ("own", np.bool_),  # whether the traverser acts
        ("importance", np.float64),  # w(h)
    ],
    align=True,
)


class WalkMemory(NamedTuple):
    """The stacks of a walk, and the regrets that wait for its end."""

    frames: np.ndarray
    strategy: np.ndarray
    """σ(h, a) of the open decisions."""
    followed: np.ndarray
    """ξ(h, a) of the actions to follow, 0 for the rest."""
    values: np.ndarray
    """v(h, a)."""
    random: np.ndarray
    """[1] uint64: the state of the random numbers."""
    pending: np.ndarray
    """[S] float64: the regrets that wait."""
    is_pending: np.ndarray
    """[S] bool: at the first sequence of a set, whether its regrets wait."""
    pending_sets: np.ndarray
    """[I + 1, 2] int64: first sequence and number of actions of the sets whose regrets wait."""
    pending_count: np.ndarray
    """[1] int64: how many these are."""


def new_walk_memory(tree: Tree) -> WalkMemory:
    depth = len(tree.level)
    room = depth * int(np.diff(tree.set_first).max(initial=1))
    return WalkMemory(
        frames=np.zeros(depth, _FRAME),
        strategy=np.zeros(room),
        followed=np.zeros(room),
        values=np.zeros(room),
        random=np.zeros(1, np.uint64),
        pending=np.zeros(tree.sequences),
        is_pending=np.zeros(tree.sequences, np.bool_),
        pending_sets=np.zeros((tree.information_sets + 1, 2), np.int64),
        pending_count=np.zeros(1, np.int64),
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
        weight = np.float64(iteration + 1) if rules.linear else 1.0
        for traverser in range(players):
            memory.random[0] = mix(seed, iteration * players + traverser)
            control[NODES] += _walk(
                packed, sums, baselines[traverser], memory, rules, np.uint32(traverser), weight
            )
            _add_pending(sums, memory, weight, rules.floor)
        control[ITERATION] += 1


@kernel
def _walk(
    packed: Any,
    sums: Any,
    baselines: Any,
    memory: Any,
    rules: Any,
    traverser: Any,
    weight: float,
) -> Any:
    """One walk; gives the number of nodes visited."""
    nodes, cumulative, frames = packed.nodes, packed.cumulative, memory.frames
    strategy, followed, random = memory.strategy, memory.followed, memory.random
    number, importance = np.int64(0), 1.0
    depth, top, visited = 0, 0, 0
    while True:
        node = nodes[number]
        turn, first_child, n = node.turn, np.uint64(node.first_child), np.uint64(node.children)
        visited += 1
        if turn == UNIFORM:
            number = np.int64(first_child + place_of(random_bits(random), n))
            continue
        if turn == WEIGHTED:
            number = np.int64(outcome_of(cumulative, first_child, n, random_unit(random)))
            continue
        arrived = turn == LEAF
        value = node.returns[traverser] if arrived else 0.0
        if not arrived:
            _open(frames[depth], node, top, turn == traverser, importance)
            _choose(frames[depth], sums, baselines, memory, rules, weight)
            depth += 1
            top += np.int64(n)
        while depth > 0:
            frame = frames[depth - 1]
            if arrived:
                _take(frame, value, baselines, memory, rules.alpha)
            while frame.tried < frame.n and followed[frame.top + frame.tried] == 0.0:
                frame.tried += 1
            if frame.tried < frame.n:
                place = frame.top + frame.tried
                share = 1.0 if frame.own else strategy[place]
                importance = frame.importance * share / followed[place]
                number = frame.first_child + frame.tried
                break
            value = _close(frame, memory)
            arrived = True
            depth -= 1
            top = frame.top
        if depth == 0:
            return visited


@kernel
def _open(frame: Any, node: Any, top: int, own: bool, importance: float) -> None:
    frame.first_child = node.first_child
    frame.n = node.children
    frame.tried = 0
    frame.first = node.first
    frame.top = top
    frame.own = own
    frame.importance = importance


@kernel
def _choose(
    frame: Any, sums: Any, baselines: Any, memory: Any, rules: Any, weight: float
) -> None:
    """Write down the strategy at a node, the actions to follow, and the baselines as values."""
    strategy, followed, values = memory.strategy, memory.followed, memory.values
    first, top, n = frame.first, frame.top, frame.n
    _match_regrets(sums, first, n, strategy, top)
    for a in range(n):
        values[top + a] = baselines[first + a] if rules.alpha > 0.0 else 0.0
    if not frame.own:
        for a in range(n):
            sums[first + a].average += weight * frame.importance * strategy[top + a]
    scheme = rules.own if frame.own else rules.others
    if scheme == ALL:
        for a in range(n):
            followed[top + a] = 1.0 if frame.own or strategy[top + a] > 0.0 else 0.0
    elif scheme == ONE:
        _follow_one(strategy, followed, top, n, rules.epsilon if frame.own else 0.0, memory.random)
    else:
        _follow_each(sums, first, n, followed, top, rules, memory.random)


@kernel
def _match_regrets(sums: Any, first: int, n: int, strategy: Any, top: int) -> None:
    """The strategy in proportion to positive regrets, uniform if there are none."""
    total = 0.0
    for a in range(n):
        positive = max(sums[first + a].regret, 0.0)
        strategy[top + a] = positive
        total += positive
    for a in range(n):
        strategy[top + a] = strategy[top + a] / total if total > 0.0 else 1.0 / n


@kernel
def _follow_one(
    strategy: Any, followed: Any, top: int, n: int, epsilon: float, random: Any
) -> None:
    """One action: with probability ε any, else by the strategy."""
    unit = random_unit(random)
    below = 0.0
    chosen = -1
    for a in range(n):
        chance = epsilon / n + (1.0 - epsilon) * strategy[top + a]
        followed[top + a] = chance
        below += chance
        if chance > 0.0 and (chosen < 0 or unit >= below - chance):
            chosen = a
    for a in range(n):
        if a != chosen:
            followed[top + a] = 0.0


@kernel
def _follow_each(
    sums: Any, first: int, n: int, followed: Any, top: int, rules: Any, random: Any
) -> None:
    """Each action with probability max(ε, (β + τ s(a)) / (β + Σ s)), at most 1, where s are the
    sums of the average strategy (Gibson et al. 2012, equation 7).
    """
    total = rules.beta
    for a in range(n):
        total += sums[first + a].average
    for a in range(n):
        chance = 1.0
        if total > 0.0:
            chance = (rules.beta + rules.tau * sums[first + a].average) / total
        chance = min(max(chance, rules.epsilon), 1.0)
        sampled = chance == 1.0 or random_unit(random) < chance
        followed[top + a] = chance if sampled else 0.0


@kernel
def _take(frame: Any, value: float, baselines: Any, memory: Any, alpha: float) -> None:
    """Make the value of a child that of its action, and move its baseline towards it."""
    place = frame.top + frame.tried
    values = memory.values
    values[place] += (value - values[place]) / memory.followed[place]
    if alpha > 0.0:
        sequence = frame.first + frame.tried
        baselines[sequence] += alpha * (value - baselines[sequence])
    frame.tried += 1


@kernel
def _close(frame: Any, memory: Any) -> Any:
    """The value of a node whose actions are done; regrets of the traverser are put down."""
    strategy, values = memory.strategy, memory.values
    first, top, n = frame.first, frame.top, frame.n
    value = 0.0
    for place in range(top, top + n):
        value += strategy[place] * values[place]
    if frame.own:
        if not memory.is_pending[first]:
            count = memory.pending_count[0]
            memory.pending_sets[count, 0], memory.pending_sets[count, 1] = first, n
            memory.pending_count[0] = count + 1
            memory.is_pending[first] = True
        for a in range(n):
            memory.pending[first + a] += frame.importance * (values[top + a] - value)
    return value


@kernel
def _add_pending(sums: Any, memory: Any, weight: float, floor: float) -> None:
    """Add the regrets that wait."""
    pending, pending_sets = memory.pending, memory.pending_sets
    for k in range(memory.pending_count[0]):
        first, n = pending_sets[k, 0], pending_sets[k, 1]
        memory.is_pending[first] = False
        for sequence in range(first, first + n):
            regret = sums[sequence].regret + weight * pending[sequence]
            sums[sequence].regret = max(regret, floor)
            pending[sequence] = 0.0
    memory.pending_count[0] = 0
