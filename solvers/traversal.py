"""The kernels of external sampling: one traversal of a hand, on any family of games.

A traversal is a loop with a stack of frames, one for each open decision of the traverser. It
follows all actions of the traverser, but for two liberties that a `Scheme` may take.

*Sampled draws.* At a draw with strategy s one action b is drawn from s, and of the others each is
followed with probability r. With v(a) the sampled value of an action that is followed, the estimate

    w(a) = v(b) + [a is followed] (v(a) - v(b)) / r,    w(b) = v(b)

is unbiased for every a, whatever b is: over the coin of a, which no value depends on, its mean is
v(b) + (v(a) - v(b)). So are then the value of the decision, the sum of s(a) w(a), and the regrets.
What lies below a is reached with probability q(a) = s(a) + (1 - s(a)) r, by being drawn or by its
coin. All that is added there, regrets of the traverser and averages of the others, is divided by
the product of these q on the way (its *importance* is the inverse): its mean is that of a full
traversal. It is importance sampling of the player's own actions, in the sense of Lanctot et al.
(2009, section 4), with the value of a drawn action as baseline of the others.

*Pruning.* In 19 of 20 iterations an action of the traverser is skipped if its regret is below a
bound, unless it is a fold, which costs nothing (Brown and Sandholm 2019, "Superhuman AI for
multiplayer poker", supplement). A set without positive regrets, which plays all its actions, skips
none. A skipped action keeps its regret; regrets stop at 1.1 times the bound, from where they can
come back. This is not unbiased: regrets and averages below a skipped action see one iteration in 20
only, and a regret at the stop has forgotten how far below it would be.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    DECK,
    KIND_DRAW,
    KIND_FOLD,
    act,
    action_kind,
    begin,
    information_key,
    legal_actions,
    mix,
    next_card,
    random_unit,
    seed_deck,
)
from pokerspiel.games.variants import Game
from pokerspiel.solvers.atomics import atomic_add, atomic_load
from pokerspiel.solvers.table import (
    NOT_STORED,
    find,
    find_or_add,
    is_crowded,
    prefetch_slot,
    prefetch_values,
)

# Indices of the control array that the threads of a run share.
NEXT = 0
"""The iteration that the next free thread takes."""
NODES = 1
"""States visited."""
STOP = 2
"""1: return after the current iteration."""

NONE_LEFT = -1
"""What stands for an iteration where there is none to do."""

FULL_EVERY = 20
"""One iteration in so many prunes nothing."""
_FLOOR = 1.1
"""Where regrets stop, as a multiple of the bound of pruning."""
_PRUNING = 0x9B01
"""Tells the hash that chooses these iterations from the hashes of deals."""
_NOT_SAMPLED = -1


class Scheme(NamedTuple):
    """What a run of external sampling may be told."""

    linear_until: float = np.inf
    """Iterations whose weights grow; the weight of all later ones is this number."""
    draw_sampling: float = 1.0
    """Probability of following an action of a draw that was not drawn from the strategy."""
    prune: float = np.inf
    """An action is skipped whose regret is below minus this many chips times the weight."""


FRAME = np.dtype(
    [
        ("key", np.uint64),
        ("place", np.int64),  # index of the decision's state
        ("top", np.int64),  # index of its first action, utility and chance on their stacks
        ("n", np.int64),  # legal actions
        ("current", np.int64),  # the action under way
        ("left", np.int64),  # actions still to be followed after it
        ("drawn", np.int64),  # at a sampled draw the action drawn, else _NOT_SAMPLED
        ("importance", np.float64),  # inverse of the probability that the frame is reached
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
    chances: np.ndarray
    """Stack of the probabilities of following these actions, 0 for those that are not followed."""
    deck: np.ndarray
    random: np.ndarray


def new_workspace(game: Game) -> Workspace:
    depth = game.limits.max_game_length + 1
    return Workspace(
        np.zeros(depth + 1, game.state_type),
        np.zeros(depth, FRAME),
        np.zeros(depth * game.limits.num_actions, np.int64),
        np.zeros(depth * game.limits.num_actions),
        np.zeros(depth * game.limits.num_actions),
        np.zeros(1, DECK),
        np.zeros(1, np.uint64),
    )


@kernel
def run_iterations(
    work: Any,
    tables: Any,
    table: Any,
    control: Any,
    players: int,
    seed: int,
    last: int,
    scheme: Any,
) -> None:
    """Take the next iteration and do it, until `last`, a crowded table or a request to stop."""
    nodes = 0
    while True:
        iteration = take_iteration(control, table, last)
        if iteration == NONE_LEFT:
            break
        weight = min(np.float64(iteration + 1), scheme.linear_until)
        bound = -scheme.prune * weight
        floor = _FLOOR * bound
        if mix(mix(seed, iteration), _PRUNING) % np.uint64(FULL_EVERY) == 0:
            bound = -np.inf
        for traverser in range(players):
            deal(work, mix(mix(seed, iteration), traverser))
            nodes += _traverse(
                work, tables, table, traverser, weight, scheme.draw_sampling, bound, floor
            )
    atomic_add(control, NODES, nodes)


@kernel
def take_iteration(control: Any, table: Any, last: int) -> Any:
    """The number of the next iteration, which is then the caller's to do; NONE_LEFT at `last`, if
    the table is crowded or if a stop is requested.
    """
    if atomic_load(control, STOP) or is_crowded(table):
        return NONE_LEFT
    iteration = atomic_add(control, NEXT, 1)
    if iteration >= last:
        atomic_add(control, NEXT, -1)
        return NONE_LEFT
    return iteration


@kernel
def deal(work: Any, hand: int) -> None:
    """Fix the deal and the chances of the sampled actions.

    Every traverser needs a deal of its own: what the one before has learnt from this deal would
    let the other player act as if it knew the cards.
    """
    seed_deck(work.deck[0], hand)
    work.random[0] = mix(hand, 0)


@kernel
def _traverse(
    work: Any,
    tables: Any,
    table: Any,
    traverser: int,
    weight: float,
    draw_sampling: float,
    bound: float,
    floor: float,
) -> Any:
    """One traversal; gives the number of states visited.

    Regrets below `bound` are pruned, and none falls below `floor`. The state of a frame is copied
    for each of its actions but the last, which takes it over. (`act` is called in one place only,
    since it is large and compiled anew in each.)
    """
    states, frames, actions, utilities = work.states, work.frames, work.actions, work.utilities
    values, random, deck, chances = table.values, work.random, work.deck[0], work.chances
    depth = 0
    top = 0
    place = 0
    nodes = 0
    importance = 1.0
    begin(states[0], tables)
    while True:
        state = states[place]
        nodes += 1
        turn: Any = np.int64(state.turn)
        follow = False
        if turn == CHANCE:
            action = next_card(state, tables, deck)
        elif turn >= 0:
            n = legal_actions(state, tables, actions[top:])
            action = actions[top]
            if n > 1:
                key = information_key(state, tables, turn)
                if turn == traverser:
                    frame = frames[depth]
                    open_frame(frame, key, place, top, n, importance)
                    for i in range(top, top + n):
                        chances[i] = 1.0
                    sampled = draw_sampling < 1.0 and n > 2
                    if sampled and action_kind(state, tables, action) == KIND_DRAW:
                        first = find(table, key, n)
                        _sample_draw(frame, values, first, chances, draw_sampling, random)
                    if bound > -np.inf and frame.drawn == _NOT_SAMPLED:
                        first = find(table, key, n)
                        _prune(frame, values, first, chances, bound, state, tables, actions)
                    prefetch_slot(table, key)
                    depth += 1
                    follow = True
                else:
                    first = find_or_add(table, key, n)
                    added = weight * importance
                    action = actions[top + _choose(values, first, n, added, random_unit(random))]
        else:
            value = state.returns[traverser]
            while depth > 0:
                frame = frames[depth - 1]
                utilities[frame.top + frame.current] = value
                if frame.left > 0:
                    break
                if frame.drawn != _NOT_SAMPLED:
                    _estimate(frame, utilities, chances, draw_sampling)
                first = find_or_add(table, frame.key, frame.n)
                value = add_regrets(values, first, frame, weight, utilities, chances, floor)
                depth -= 1
            if depth == 0:
                return nodes
            follow = True
        if follow:
            frame = frames[depth - 1]
            next_action(frame, chances)
            place = frame.place
            top = frame.top + frame.n
            action = actions[frame.top + frame.current]
            importance = frame.importance / chances[frame.top + frame.current]
            if frame.left > 0:
                states[place + 1] = states[place]
                place += 1
            else:
                prefetch_values(table, values, frame.key, frame.n)
        act(states[place], tables, action)


@kernel
def open_frame(frame: Any, key: int, place: int, top: int, n: int, importance: float) -> None:
    frame.key = key
    frame.place = place
    frame.top = top
    frame.n = n
    frame.current = -1
    frame.left = n
    frame.drawn = _NOT_SAMPLED
    frame.importance = importance


@kernel
def next_action(frame: Any, chances: Any) -> None:
    """Go to the next action of a frame that is followed."""
    i = frame.current + 1
    while chances[frame.top + i] == 0.0:
        i += 1
    frame.current = i
    frame.left -= 1


@kernel
def _sample_draw(
    frame: Any, values: Any, first: int, chances: Any, draw_sampling: float, random: Any
) -> None:
    """Choose the actions of a draw that are followed: one by regret matching, others by a coin."""
    n = frame.n
    total = positive_sum(values, first, n)
    mark = random_unit(random)
    below = 0.0
    drawn = 0
    for i in range(n):
        share = max(values[first + i], 0.0) / total if total > 0.0 else 1.0 / n
        below += share
        drawn += mark >= below
        chances[frame.top + i] = share + (1.0 - share) * draw_sampling
    frame.drawn = min(drawn, n - 1)
    frame.left = n
    for i in range(n):
        if random_unit(random) >= draw_sampling and i != frame.drawn:
            chances[frame.top + i] = 0.0
            frame.left -= 1


@kernel
def _estimate(frame: Any, utilities: Any, chances: Any, draw_sampling: float) -> None:
    """The values of all actions of a sampled draw, from those of the actions followed."""
    top = frame.top
    base = utilities[top + frame.drawn]
    for i in range(frame.n):
        if chances[top + i] == 0.0:
            utilities[top + i] = base
            chances[top + i] = 1.0
        elif i != frame.drawn:
            utilities[top + i] = base + (utilities[top + i] - base) / draw_sampling


@kernel
def _prune(
    frame: Any,
    values: Any,
    first: int,
    chances: Any,
    bound: float,
    state: Any,
    tables: Any,
    actions: Any,
) -> None:
    """Skip the actions whose regret is below the bound, if others have a positive one."""
    if positive_sum(values, first, frame.n) <= 0.0:
        return
    for i in range(frame.n):
        at = frame.top + i
        if values[first + i] < bound and action_kind(state, tables, actions[at]) != KIND_FOLD:
            chances[at] = 0.0
            frame.left -= 1


@kernel
def positive_sum(values: Any, first: int, n: int) -> Any:
    """Sum of the positive regrets, 0 of an information set that is not stored."""
    total = 0.0
    if first != NOT_STORED:
        for i in range(first, first + n):
            total += max(values[i], 0.0)
    return total


@kernel
def _choose(values: Any, first: int, n: int, weight: float, unit: float) -> Any:
    """An action by regret matching, from `unit`, uniform in [0, 1); adds the strategy to the
    average. Any action if the information set is not stored.
    """
    if first == NOT_STORED:
        return np.int64(unit * n)
    total = positive_sum(values, first, n)
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
def add_regrets(
    values: Any,
    first: int,
    frame: Any,
    weight: float,
    utilities: Any,
    chances: Any,
    floor: float,
) -> Any:
    """Add the regrets of not having played each action followed; gives the value of the decision.

    It is the value of regret matching, or of uniform play if the information set is not stored.
    """
    n, top = frame.n, frame.top
    total = 0.0
    value = 0.0
    if first != NOT_STORED:
        for i in range(n):
            if chances[top + i] > 0.0:
                positive = max(values[first + i], 0.0)
                total += positive
                value += positive * utilities[top + i]
    value = value / total if total > 0.0 else _mean(utilities, chances, top, n)
    if first != NOT_STORED:
        scale = weight * frame.importance
        for i in range(n):
            if chances[top + i] > 0.0:
                regret = values[first + i] + scale * (utilities[top + i] - value)
                values[first + i] = max(regret, floor)
    return value


@kernel
def _mean(utilities: Any, chances: Any, top: int, n: int) -> Any:
    """The mean value of the actions followed."""
    total = 0.0
    followed = 0
    for i in range(top, top + n):
        if chances[i] > 0.0:
            total += utilities[i]
            followed += 1
    return total / followed
