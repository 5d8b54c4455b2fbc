"""Leaks in hands that one seat saw: the cards of the others are drawn from the reference's ranges.

Such a hand does not say what the others held. So an action is worth what it is on average over the
deals that fit what the seat knew, weighted by the chances that the reference, in the place of the
others, would have acted as they did (see `table.playouts`). Halves of pots are not told apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.agents.agent import legal
from pokerspiel.agents.leak_kernels import SAME
from pokerspiel.agents.leak_rows import DECISION, PARTS, SHARE, Found
from pokerspiel.agents.leaks import Judge
from pokerspiel.agents.table.live_hand import LiveHand, Step
from pokerspiel.agents.table.playouts import estimate
from pokerspiel.games.kernel import mix

PLAYOUTS = 200
"""Fewest of each action: the cards of the others are estimated too."""


def judge_view(judge: Judge, hand: LiveHand, seat: int, number: int) -> tuple[Found, int]:
    """(What the decisions of `seat` cost, number of them without a value).

    `number` is that of the hand, which decides about the luck of the play-outs. A decision has no
    value where too few deals look like the hand.
    """
    decisions: list[tuple[int, ...]] = []
    shares: list[tuple[Any, ...]] = []
    unknown = 0
    past = hand.past
    for stop, step in enumerate(hand.steps):
        if step.seat != seat or len(legal(judge.game, np.array([step.before]))) < 2:
            continue
        seed = mix(np.uint64(mix(judge.seed, np.uint64(number))), np.uint64(stop))
        costs = _costs(judge, step, seat, past[:stop], int(seed))
        unknown += costs is None
        shares += [(len(decisions), did, instead, parts) for did, instead, parts in costs or ()]
        decisions.append((0, step.before["history"], 0, stop))
    counts = np.array([len(decisions), len(shares), len(past)], np.int64)
    found = Found(
        counts,
        np.array(decisions, DECISION),
        np.array(shares, SHARE),
        np.array(past, np.int32),
        np.array([hand.returns[seat]]),
    )
    return found, unknown


def _costs(
    judge: Judge, step: Step, seat: int, past: list[int], seed: int
) -> list[tuple[int, int, tuple[float, ...]]] | None:
    """What was done, instead of what, and the chips that it costs; None if that is not known."""
    states = np.array([step.before])
    chances = judge.reference.sit(judge.game).distribution(states, past, seed)
    others = [a for a, chance in chances.items() if chance > SAME and a != step.action]
    if not others:
        return []
    actions = [step.action, *others]
    found = estimate(
        judge.game,
        judge.policy,
        seat,
        past,
        actions,
        seed=seed,
        seconds=None,
        playouts=max(judge.playouts, PLAYOUTS),
        kept=actions,
    )
    if found is None:
        return None
    did = judge.kind_of(states, step.action)
    costs = []
    for other in others:
        loss = chances[other] * found.difference(step.action, other)[0]
        parts = (*(0.0 for _ in PARTS[1:]), loss)
        costs.append((did, judge.kind_of(states, other), parts))
    return costs
