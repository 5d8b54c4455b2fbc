"""A player in compiled code: from the record of a state to the probabilities of the seat to act.

All compiled players of a family have one type, `Policy`, so that whatever calls them is compiled
once a family. A policy reads the whole record for speed, but only what its seat may know: its
information key, its equity, its legal actions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.agents.heuristics import always_call, by_equity
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    information_key,
    legal_actions,
    lift,
    mix,
    observe,
    random_unit,
)
from pokerspiel.games.variants import Game
from pokerspiel.solvers.blueprint import Blueprint, blueprint_strategy, new_blueprint
from pokerspiel.solvers.chart import Chart, chart_chances, new_chart
from pokerspiel.solvers.lockstep import observation_size
from pokerspiel.solvers.network import (
    NO_NETWORK,
    WIDEST,
    Network,
    drawn_member,
    network_chances,
)

UNIFORM, CALLING, EQUITY, BLUEPRINT, CHART, NETWORK = range(6)
"""Kinds of policies: random, a calling station, by equity against random hands, by one of two
tables, by a network."""

FORCED, KNOWN, MISSED = 0, 1, 2
"""How a decision was found: the only action, the policy's own, or none stored and thus uniform."""

_NO_CHART = new_chart(
    np.zeros(0, np.uint64), np.zeros(1, np.uint32), np.zeros(0, np.uint8), np.zeros(0, np.uint16)
)
_NO_BLUEPRINT = new_blueprint(
    np.zeros(0, np.uint64), np.zeros(1, np.uint32), np.zeros(0, np.float32)
)


class Policy(NamedTuple):
    """The arrays and numbers of a player; kernels take it as one argument."""

    kind: int
    tables: Any
    """Tables of the game in the player's own abstraction."""
    blueprint: Blueprint
    """Of the kind BLUEPRINT."""
    chart: Chart
    """Of the kind CHART, which sees the information sets `hands`."""
    network: Network
    """Of the kind NETWORK."""
    stay: float
    """EQUITY: a hand with less than `stay` times an equal share of the pot folds to any bet."""
    strong: float
    """EQUITY: a hand with `strong` times an equal share of the pot raises."""
    samples: int
    """EQUITY: random deals of one estimate of the equity."""
    draw_samples: int
    """EQUITY: the same for each of the discards."""


def new_policy(
    kind: int,
    game: Game,
    blueprint: Blueprint = _NO_BLUEPRINT,
    chart: Chart = _NO_CHART,
    network: Network = NO_NETWORK,
    stay: float = 0.0,
    strong: float = 0.0,
    samples: int = 1,
    draw_samples: int = 1,
) -> Policy:
    """A policy that sees the information sets of `game`."""
    return Policy(
        kind,
        game.tables,
        blueprint,
        chart,
        network,
        float(stay),
        float(strong),
        samples,
        draw_samples,
    )


def members_of(policy: Policy) -> list[Policy]:
    """A policy for each member of a mixture of networks."""
    network = policy.network
    alone = np.ones(1)
    return [
        policy._replace(network=network._replace(weights=weights[None], up_to=alone))
        for weights in network.weights
    ]


class Work(NamedTuple):
    """Scratch of a policy's kernels."""

    actions: np.ndarray
    probabilities: np.ndarray
    random: np.ndarray
    observation: np.ndarray
    layers: np.ndarray


def new_work(game: Game) -> Work:
    n = game.limits.num_actions
    return Work(
        np.zeros(n, np.int64),
        np.zeros(n),
        np.zeros(1, np.uint64),
        np.zeros(observation_size(game), np.float32),
        np.zeros((2, WIDEST), np.float32),
    )


@kernel
def policy_probabilities(state: Any, policy: Any, work: Any, seed: int) -> tuple[int, int]:
    """Write the legal actions of the seat to act and their probabilities into `work`.

    Actions are those of the policy's own abstraction. `seed` decides what the policy samples.
    Returns (number of actions, how they were found).
    """
    actions = work.actions
    probabilities = work.probabilities
    n = legal_actions(state, policy.tables, actions)
    if n == 1:
        probabilities[0] = 1.0
        return n, FORCED
    if policy.kind == BLUEPRINT or policy.kind == CHART:
        seat: Any = np.int64(state.turn)
        key = information_key(state, policy.tables, seat)
        if policy.kind == CHART:
            known = chart_chances(policy.chart, key, n, probabilities)
        else:
            known = blueprint_strategy(policy.blueprint, key, n, probabilities)
        return n, KNOWN if known else MISSED
    if policy.kind == NETWORK:
        seat = np.int64(state.turn)
        observe(state, policy.tables, seat, work.observation)
        network_chances(
            policy.network,
            drawn_member(policy.network, _luck_of_hand(seed)),
            seat,
            work.observation,
            actions,
            n,
            work.layers,
            probabilities,
        )
        return n, KNOWN
    if policy.kind == UNIFORM:
        for i in range(n):
            probabilities[i] = 1.0 / n
        return n, KNOWN
    for i in range(n):
        probabilities[i] = 0.0
    if policy.kind == CALLING:
        place = always_call(state, policy.tables, actions, n)
    else:
        place = by_equity(state, policy, actions, n, mix(seed, np.uint64(1)))
    probabilities[place] = 1.0
    return n, KNOWN


@kernel
def sample(probabilities: Any, n: int, random: Any) -> int:
    """A place in [0, n), each as likely as its probability says."""
    mark = random_unit(random)
    below = 0.0
    chosen = 0
    for i in range(n):
        if probabilities[i] > 0.0:
            chosen = i
            below += probabilities[i]
            if mark < below:
                break
    return chosen


@kernel
def choose(state: Any, policy: Any, work: Any, seed: Any, tables: Any) -> tuple[int, int]:
    """(An action of the game of `tables` for the seat to act, how it was found).

    A function of the information of the seat, the policy and `seed`.
    """
    n, found = policy_probabilities(state, policy, work, seed)
    place = 0
    if found != FORCED:
        work.random[0] = seed
        place = sample(work.probabilities, n, work.random)
    return lift(state, policy.tables, work.actions[place], tables), found


@kernel
def lifted_probabilities(
    states: Any, policy: Any, work: Any, seed: int, tables: Any, out: Any
) -> Any:
    """Write the probability of each action number of the game of `tables` in `states[0]`.

    Returns how the decision was found.
    """
    state = states[0]
    n, found = policy_probabilities(state, policy, work, seed)
    out[:] = 0.0
    for i in range(n):
        out[lift(state, policy.tables, work.actions[i], tables)] += work.probabilities[i]
    return found


_DECISIONS = np.uint64(0xFFFF)
"""The bits of a seed that tell the decisions of a seat in one hand apart."""


@kernel
def decision_seed(hand: Any, seat: int, decision: int) -> Any:
    """Seed of a decision, from the seed of the hand, the seat and the number of the decision.

    The same cards give the same luck to whoever sits there, and whatever hands are played beside.
    """
    of_hand = mix(np.uint64(hand), np.uint64(0x5EED0000) + np.uint64(seat))
    return of_hand & ~_DECISIONS | np.uint64(decision) & _DECISIONS


@kernel
def _luck_of_hand(seed: Any) -> float:
    """A number in [0, 1) that is the same at all decisions of a seat in a hand."""
    bits = mix(np.uint64(seed) & ~_DECISIONS, np.uint64(0x3E3BE2))
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)
