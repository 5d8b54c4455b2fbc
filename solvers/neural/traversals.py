"""External sampling of many hands at once, so that networks see thousands of states a call.

The tree of each traversal grows level by level: all open states of all traversals are led on to
their next decision, networks say how each is played, and the next level holds every action of the
traverser and one drawn action of the others. The values then flow back from the last level to the
first. All branches of a traversal meet the same cards.

Letters: M open states, S decisions of the traverser, D numbers of an observation, A action numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    DECK,
    TERMINAL,
    act,
    begin,
    legal_actions,
    mix,
    next_card,
    observe,
    seed_deck,
)
from pokerspiel.games.variants import Game
from pokerspiel.solvers.lockstep import Seen, drawn_action, new_seen

Strategy = Callable[[Seen], np.ndarray]
"""Gives the chances [n, A] with which the seats to act choose."""

_NO_EDGE = -1


class _Level(NamedTuple):
    """The open states of all traversals at one depth."""

    states: np.ndarray
    """[M]"""
    traversal: np.ndarray
    """[M] int64: to which traversal each belongs."""
    edge: np.ndarray
    """[M] int64: decision of the traverser * A + action that leads here, or _NO_EDGE."""


class _Luck(NamedTuple):
    decks: np.ndarray
    """[traversals]"""
    random: np.ndarray
    """[traversals, 1] uint64: for the actions of the others."""


@dataclass(frozen=True)
class Visits:
    """What some traversals have met."""

    observations: np.ndarray
    """[S, D] float32: what the traverser saw."""
    legal: np.ndarray
    """[S, A] bool"""
    advantages: np.ndarray
    """[S, A] float64: chips that each action is worth more than the strategy; 0 if illegal."""
    others: Seen
    """Decisions of the other players ..."""
    others_chances: np.ndarray
    """... and how they were played, [., A] float32."""
    values: np.ndarray
    """[traversals] float64: what the traverser got, in chips."""
    decisions: int
    """All decisions met."""


def joined_visits(parts: Sequence[Visits]) -> Visits:
    """What the traversals of all parts have met, part by part."""
    if len(parts) == 1:
        return parts[0]
    return Visits(
        np.concatenate([part.observations for part in parts]),
        np.concatenate([part.legal for part in parts]),
        np.concatenate([part.advantages for part in parts]),
        Seen(*map(np.concatenate, zip(*(part.others for part in parts), strict=True))),
        np.concatenate([part.others_chances for part in parts]),
        np.concatenate([part.values for part in parts]),
        sum(part.decisions for part in parts),
    )


def traverse(
    game: Game, strategy: Strategy, traverser: int, traversals: int, seed: int, first: int
) -> Visits:
    """Traverse hand number `first` and so on of those that belong to `seed`."""
    wide = game.limits.num_actions
    luck = _Luck(np.zeros(traversals, DECK), np.zeros((traversals, 1), np.uint64))
    level = _new_level(game, traversals)
    _begin(level, luck, game.tables, np.uint64(seed), first)
    roots = np.zeros(traversals)
    values = np.zeros((0, wide))
    own: list[tuple[np.ndarray, ...]] = []
    others: list[tuple[np.ndarray, ...]] = []
    samples = decisions = 0
    while len(level.states):
        waiting = np.zeros(len(level.states), np.int64)
        n = _lead_on(level, luck, game.tables, traverser, values, roots, waiting)
        waiting = waiting[:n]
        seen = new_seen(game, n)
        _see(level, game.tables, waiting, seen, np.zeros(wide, np.int64))
        chances = strategy(seen)
        is_own = seen.seats == traverser
        new = int(is_own.sum())
        own.append(
            (
                seen.observations[is_own],
                seen.legal[is_own],
                chances[is_own],
                level.edge[waiting][is_own],
            )
        )
        others.append((*(array[~is_own] for array in seen), chances[~is_own]))
        values = np.concatenate((values, np.zeros((new, wide))))
        after = _new_level(game, int(seen.legal[is_own].sum()) + n - new)
        _expand(level, luck, game.tables, waiting, seen, chances, traverser, samples, after)
        level = after
        samples += new
        decisions += n
    observations, legal, chances, edges = map(np.concatenate, zip(*own, strict=True))
    _flow_back(legal, chances, edges, values, roots)
    *seen_by_others, others_chances = map(np.concatenate, zip(*others, strict=True))
    return Visits(
        observations, legal, values, Seen(*seen_by_others), others_chances, roots, decisions
    )


def _new_level(game: Game, states: int) -> _Level:
    return _Level(game.new_states(states), np.zeros(states, np.int64), np.zeros(states, np.int64))


@kernel
def _begin(level: Any, luck: Any, tables: Any, seed: Any, first: int) -> None:
    for i in range(len(level.states)):
        hand = mix(np.uint64(seed), np.uint64(first + i))
        seed_deck(luck.decks[i], hand)
        luck.random[i, 0] = mix(hand, np.uint64(0x5EED))
        level.traversal[i] = i
        level.edge[i] = _NO_EDGE - i
        begin(level.states[i], tables)


@kernel
def _lead_on(
    level: Any, luck: Any, tables: Any, traverser: int, values: Any, roots: Any, waiting: Any
) -> int:
    """Let cards fall, write down what hands that end are worth; lists those that do not."""
    n = 0
    wide = values.shape[1]
    for i in range(len(level.states)):
        state = level.states[i]
        while state.turn == CHANCE:
            act(state, tables, next_card(state, tables, luck.decks[level.traversal[i]]))
        if state.turn != TERMINAL:
            waiting[n] = i
            n += 1
        elif level.edge[i] < 0:
            roots[_NO_EDGE - level.edge[i]] = state.returns[traverser]
        else:
            values[level.edge[i] // wide, level.edge[i] % wide] = state.returns[traverser]
    return n


@kernel
def _see(level: Any, tables: Any, waiting: Any, seen: Any, actions: Any) -> None:
    for row in range(len(waiting)):
        state = level.states[waiting[row]]
        seat: Any = np.int64(state.turn)
        seen.seats[row] = seat
        observe(state, tables, seat, seen.observations[row])
        n = legal_actions(state, tables, actions)
        for i in range(n):
            seen.legal[row, actions[i]] = True


@kernel
def _expand(
    level: Any,
    luck: Any,
    tables: Any,
    waiting: Any,
    seen: Any,
    chances: Any,
    traverser: int,
    samples: int,
    after: Any,
) -> None:
    """Fill the next level: all actions of the traverser, one drawn action of the others."""
    n = 0
    sample: Any = np.int64(samples)
    wide = seen.legal.shape[1]
    for row in range(len(waiting)):
        i = waiting[row]
        own = seen.seats[row] == traverser
        drawn = -1
        if not own:
            drawn = drawn_action(chances[row], luck.random[level.traversal[i]])
        for action in range(wide):
            if seen.legal[row, action] and (own or action == drawn):
                after.states[n] = level.states[i]
                act(after.states[n], tables, action)
                after.traversal[n] = level.traversal[i]
                after.edge[n] = sample * wide + action if own else level.edge[i]
                n += 1
        sample += own


@kernel
def _flow_back(legal: Any, chances: Any, edges: Any, values: Any, roots: Any) -> None:
    """Turn values of actions into advantages, from the last decision to the first."""
    samples, wide = values.shape
    for sample in range(samples - 1, -1, -1):
        value = 0.0
        for action in range(wide):
            if legal[sample, action]:
                value += chances[sample, action] * values[sample, action]
        for action in range(wide):
            if legal[sample, action]:
                values[sample, action] -= value
        edge = edges[sample]
        if edge < 0:
            roots[_NO_EDGE - edge] = value
        else:
            values[edge // wide, edge % wide] = value
