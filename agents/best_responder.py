"""A best responder: a strategy trained against one frozen agent, by external sampling.

Only one seat of a hand learns, the others play as the frozen agent does: its actions are sampled
from its own probabilities, and never change. All actions of the learner are followed, and its
regrets gathered with linear weights, as in `Mccfr` (Lanctot, Waugh, Zinkevich and Bowling 2009,
section 4.2; linear weights: Brown and Sandholm 2019). One iteration is a hand for each seat as the
learner.

The learner sees the information sets of any abstraction, the frozen agent those of its own; the
hand itself is one of the exact game. What the learner ends with is a strategy like any other: what
it wins from the agent, on average, a best response wins as well, and perhaps more.

*The average.* A solver adds to the average of a player where another one traverses, since there its
nodes are reached as often as it plays to them. Here nobody else traverses. So the learner adds
t * own reach * strategy at its own nodes, where its own reach is the product of the probabilities
of its actions on the way: a traversal reaches a node as often as chance and the others let it. The
strategy is the one that the new regrets make: against agents that do not change there is nothing to
be gained by lagging behind, and of a large game most nodes are met a few times only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.exact_strategy import strategy_of, values_against
from pokerspiel.agents.policy import Work, choose, new_work
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    act,
    begin,
    information_key,
    legal_actions,
    lift,
    mix,
    next_card,
    random_bits,
)
from pokerspiel.games.variants import Game, exact, load
from pokerspiel.solvers.atomics import atomic_add
from pokerspiel.solvers.mccfr import DEFAULT_MEMORY_LIMIT, Mccfr
from pokerspiel.solvers.table import NOT_STORED, find, find_or_add
from pokerspiel.solvers.traversal import (
    NODES,
    NONE_LEFT,
    Workspace,
    add_regrets,
    deal,
    new_workspace,
    next_action,
    open_frame,
    positive_sum,
    take_iteration,
)
from pokerspiel.solvers.tree import Tree


class _Room(NamedTuple):
    """The memory of one thread."""

    stacks: Workspace
    """Its chances are all 1: every action is followed."""
    shares: np.ndarray
    """Beside the stack of actions: how likely the learner takes each of them."""
    reach: np.ndarray
    """[frames] probability that the learner plays to its open decision."""
    others: Work
    """Scratch of the frozen agent."""


def _new_room(game: Game) -> _Room:
    stacks = new_workspace(game)
    stacks.chances[:] = 1.0
    return _Room(
        stacks, np.zeros(len(stacks.actions)), np.zeros(len(stacks.frames)), new_work(game)
    )


class BestResponder(Mccfr):
    """Learns in the abstraction of `game` to play against `target`, which does not learn.

    It runs as its base class does. Raises ValueError, in one line, if the target cannot play the
    game.
    """

    def __init__(
        self,
        target: CompiledAgent,
        game: Game,
        seed: int = 0,
        threads: int = 1,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> None:
        self._exact = exact(game)
        self._policy = target.policy(self._exact)
        super().__init__(game, seed, threads, memory_limit)
        self._rooms = [_new_room(self._exact) for _ in range(threads)]
        self.name = f"best responder to {target.name}"

    def bot(self) -> Bot:
        """What has been learnt so far, ready to play."""
        return Bot(self.name, self.game, self.state.average(), None)

    def _iterate(self, thread: int, last: int) -> None:
        _run_iterations(
            self._rooms[thread],
            self.game.tables,
            self._exact.tables,
            self._policy,
            self.state.table,
            self.state.control,
            self.game.players,
            np.uint64(self.state.seed % (1 << 64)),
            last,
        )


@kernel
def _run_iterations(
    room: Any,
    tables: Any,
    exact_tables: Any,
    policy: Any,
    table: Any,
    control: Any,
    players: int,
    seed: int,
    last: int,
) -> None:
    """Do one iteration after the other, until there is none left."""
    nodes = 0
    while True:
        iteration = take_iteration(control, table, last)
        if iteration == NONE_LEFT:
            break
        weight = np.float64(iteration + 1)
        for learner in range(players):
            deal(room.stacks, mix(mix(seed, iteration), learner))
            nodes += _traverse(room, tables, exact_tables, policy, table, learner, weight)
    atomic_add(control, NODES, nodes)


@kernel
def _traverse(
    room: Any,
    tables: Any,
    exact_tables: Any,
    policy: Any,
    table: Any,
    learner: int,
    weight: float,
) -> Any:
    """One traversal; gives the number of states visited.

    The learner decides by the information sets and actions of `tables`; the stack holds the same
    actions as those of the exact game. See `traversal.py` for how the stacks work.
    """
    stacks, shares, reaches = room.stacks, room.shares, room.reach
    states, frames, actions = stacks.states, stacks.frames, stacks.actions
    utilities, chances, random = stacks.utilities, stacks.chances, stacks.random
    values, deck = table.values, stacks.deck[0]
    depth = 0
    top = 0
    place = 0
    nodes = 0
    reach = 1.0
    begin(states[0], exact_tables)
    while True:
        state = states[place]
        nodes += 1
        turn: Any = np.int64(state.turn)
        follow = False
        if turn == CHANCE:
            action = next_card(state, exact_tables, deck)
        elif turn == learner:
            n = legal_actions(state, tables, actions[top:])
            for i in range(top, top + n):
                actions[i] = lift(state, tables, actions[i], exact_tables)
            action = actions[top]
            if n > 1:
                key = information_key(state, tables, turn)
                open_frame(frames[depth], key, place, top, n, 1.0)
                reaches[depth] = reach
                _match(values, find(table, key, n), n, shares[top:])
                depth += 1
                follow = True
        elif turn >= 0:
            action, _ = choose(state, policy, room.others, random_bits(random), exact_tables)
        else:
            value = state.returns[learner]
            while depth > 0:
                frame = frames[depth - 1]
                utilities[frame.top + frame.current] = value
                if frame.left > 0:
                    break
                n = frame.n
                first = find_or_add(table, frame.key, n)
                value = add_regrets(values, first, frame, weight, utilities, chances, -np.inf)
                depth -= 1
                if first != NOT_STORED:
                    _match(values, first, n, shares[frame.top :])
                    for i in range(n):
                        values[first + n + i] += weight * reaches[depth] * shares[frame.top + i]
            if depth == 0:
                return nodes
            follow = True
        if follow:
            frame = frames[depth - 1]
            next_action(frame, chances)
            place = frame.place
            top = frame.top + frame.n
            action = actions[frame.top + frame.current]
            reach = reaches[depth - 1] * shares[frame.top + frame.current]
            if frame.left > 0:
                states[place + 1] = states[place]
                place += 1
        act(states[place], exact_tables, action)


@kernel
def _match(values: Any, first: int, n: int, shares: Any) -> None:
    """Write the strategy of regret matching to shares[:n]: uniform if none is stored."""
    total = positive_sum(values, first, n)
    for i in range(n):
        shares[i] = max(values[first + i], 0.0) / total if total > 0.0 else 1.0 / n


def trained_values(target: CompiledAgent, tree: Tree, iterations: int, seed: int = 0) -> np.ndarray:
    """[players] what a responder to `target` wins from it in each seat, exactly, in chips.

    It is trained for so many iterations, with all information sets of the exact game, whose tree is
    `tree`. At most the value of a best response, `Evaluation.best_values`.
    """
    responder = BestResponder(target, load(tree.game), seed)
    responder.run(iterations)
    return values_against(strategy_of(responder.bot(), tree)[0], target, tree)
