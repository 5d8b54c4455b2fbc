"""Outcome sampling of many hands in lock-step: one line of play each, corrected by baselines.

All seats but the traverser act as they play; the traverser explores. The value of what was not
played is what a baseline says; what was played is corrected, so that values are unbiased whatever
the baseline, and vary the less the better it is (Schmid et al. 2019, equation 9): with ξ the chance
with which a was drawn,

    u(h, b) = B(h, b) + [b = a] (u(ha) - B(h, b)) / ξ      u(h) = sum over b of σ(h, b) u(h, b)

Letters: N decisions, H hands, D numbers of an observation, A action numbers, P players.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.variants import Game
from pokerspiel.solvers.lockstep import Hands, Seen, observation_size, see_all
from pokerspiel.solvers.neural.experience import Experience, Table, joined_experience
from pokerspiel.solvers.neural.traversals import Strategy


@dataclass(frozen=True)
class Walks:
    """Hands that were walked through for a traverser."""

    experience: Experience
    """Its chances are those that actions were drawn from."""
    strategy: np.ndarray
    """[N, A] float32: the chances with which the seats play."""
    histories: np.ndarray
    """[N, `history_size`] float32: what all seats see together, and who is to act."""


def joined_walks(parts: Sequence[Walks]) -> Walks:
    """The hands of all parts, part by part."""
    return Walks(
        joined_experience([part.experience for part in parts]),
        np.concatenate([part.strategy for part in parts]),
        np.concatenate([part.histories for part in parts]),
    )


def history_size(game: Game) -> int:
    """How many numbers tell all that has happened in a hand: P D, and P for the seat to act."""
    return game.players * (observation_size(game) + 1)


def walk(
    table: Table, strategy: Strategy, traverser: int, exploration: float, seed: int, first: int
) -> Walks:
    """Walk through the hands number `first` and so on of those that belong to `seed`.

    With the chance `exploration` the traverser plays at random instead of by its strategy.
    """
    histories: list[np.ndarray] = []
    played: list[np.ndarray] = []

    def choose(hands: Hands, waiting: np.ndarray, seen: Seen) -> np.ndarray:
        chances = strategy(seen)
        played.append(chances)
        histories.append(_histories(table.game, hands, waiting, seen.seats))
        random = seen.legal / seen.legal.sum(1, keepdims=True)
        explores = np.where(seen.seats == traverser, exploration, 0.0)[:, None]
        return np.asarray(explores * random + (1.0 - explores) * chances, np.float32)

    experience = table.play(choose, seed, first)
    return Walks(experience, np.concatenate(played), np.concatenate(histories))


def _histories(game: Game, hands: Hands, waiting: np.ndarray, seats: np.ndarray) -> np.ndarray:
    seen = np.zeros((len(waiting), game.players, observation_size(game)), np.float32)
    see_all(hands, game.tables, waiting, seen)
    acting = (seats[:, None] == np.arange(game.players)).astype(np.float32)
    return np.concatenate((seen.reshape(len(waiting), -1), acting), axis=1)


def estimates(walks: Walks, baselines: np.ndarray, traverser: int) -> tuple[np.ndarray, np.ndarray]:
    """([N, A] float64: advantages, [N] float64: chance that the traverser let the hand come there).

    `baselines` [N, A] is what actions are thought to be worth to the traverser, in chips, and so
    are the advantages: what the traverser would win more by an action than by its strategy. With
    rows weighed by one over the chance, their sum over the visits to an information set of the
    traverser is unbiased for the counterfactual regrets, times the number of hands.
    """
    experience = walks.experience
    returns = experience.returns[:, traverser].copy()
    advantages = np.zeros(baselines.shape)
    _correct(
        experience.hands,
        experience.actions,
        experience.legal,
        experience.chances,
        walks.strategy,
        baselines,
        returns,
        advantages,
    )
    reach = np.zeros(len(baselines))
    own = experience.seats == traverser
    sampled = np.take_along_axis(experience.chances, experience.actions[:, None], 1)[:, 0]
    _reach(experience.hands, np.where(own, sampled, 1.0), np.ones(len(returns)), reach)
    return advantages, reach


@kernel
def _correct(
    hands: Any,
    actions: Any,
    legal: Any,
    drawn_from: Any,
    strategy: Any,
    baselines: Any,
    later: Any,
    advantages: Any,
) -> None:
    """Write the advantages; `later` [H] begins with what the traverser has won of each hand."""
    wide = legal.shape[1]
    for i in range(len(hands) - 1, -1, -1):
        played = actions[i]
        value = 0.0
        for action in range(wide):
            if legal[i, action]:
                worth = baselines[i, action]
                if action == played:
                    worth += (later[hands[i]] - worth) / drawn_from[i, action]
                advantages[i, action] = worth
                value += strategy[i, action] * worth
        for action in range(wide):
            if legal[i, action]:
                advantages[i, action] -= value
        later[hands[i]] = value


@kernel
def _reach(hands: Any, sampled: Any, so_far: Any, out: Any) -> None:
    for i in range(len(hands)):
        out[i] = so_far[hands[i]]
        so_far[hands[i]] *= sampled[i]
