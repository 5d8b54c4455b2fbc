"""How good the players of a round robin are, by the matrix of what they win from each other.

A *payoff matrix* [N, N] of N players is antisymmetric: its entry i, j is what player i wins from
player j, in any unit, such as mbb/hand. NaN is a match that was not played.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog, minimize

EPSILON = 0.01
"""Chance of a step against the payoffs in alpha-rank without end of selection (infinite alpha)."""

_ZERO = 1e-9
"""What a payoff must exceed, in parts of the largest one, to count."""


# Nash averaging.


def nash_of(payoffs: np.ndarray) -> np.ndarray:
    """The symmetric equilibrium of largest entropy of a payoff matrix: a share for each player [N].

    Balduzzi, Tuyls, Perolat and Graepel, "Re-evaluating evaluation" (2018): two players
    choose whom to send, and win what the one wins from the other. Copies of a player divide its
    share, and players whom the others beat change nothing.
    """
    players = len(payoffs)
    largest = float(np.abs(payoffs).max(initial=0.0))
    if largest == 0.0:
        return np.full(players, 1.0 / players)
    scaled = payoffs / largest
    support, point = _support(scaled)
    shares = np.zeros(players)
    inner = scaled[np.ix_(support, support)]
    one_point = np.linalg.matrix_rank(np.vstack((inner, np.ones(len(support)))), 1e-7)
    if one_point == len(support):
        shares[support] = point[support] / point[support].sum()
        return shares
    outside = np.setdiff1d(np.arange(players), support)
    shares[support] = _most_even(inner, scaled[np.ix_(outside, support)])
    return shares


def _support(payoffs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Players with a share in some equilibrium, and a multiple of an equilibrium of them all.

    p is an equilibrium if no player wins from it: payoffs @ p <= 0. Multiples of equilibria form a
    cone; in it, the sum of min(p, 1) is largest where every share that can be positive exceeds 1.
    """
    players = len(payoffs)
    eye = np.eye(players)
    above = np.block([[payoffs, np.zeros_like(payoffs)], [-eye, eye]])
    solved = linprog(
        np.concatenate((np.zeros(players), -np.ones(players))),
        above,
        np.zeros(2 * players),
        bounds=[(0, None)] * players + [(0, 1)] * players,
        method="highs",
    )
    if not solved.success:
        raise ArithmeticError(f"no equilibrium was found: {solved.message}")
    return np.flatnonzero(solved.x[players:] > 0.5), solved.x[:players]


def _most_even(inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """Shares of largest entropy with inner @ p = 0 and outer @ p <= 0.

    By its dual: p is exp(-multipliers @ rows), normalised, where the log of the sum is least.
    """
    rows = np.vstack((inner, outer))

    def dual(multipliers: np.ndarray) -> tuple[float, np.ndarray]:
        exponents = -multipliers @ rows
        top = exponents.max()
        weights = np.exp(exponents - top)
        total = weights.sum()
        return float(top + np.log(total)), -rows @ (weights / total)

    bounds = [(None, None)] * len(inner) + [(0, None)] * len(outer)
    solved = minimize(
        dual,
        np.zeros(len(rows)),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"maxiter": 10_000, "ftol": 1e-16, "gtol": 1e-10},
    )
    exponents = -solved.x @ rows
    weights = np.exp(exponents - exponents.max())
    return np.asarray(weights / weights.sum())


def nash_averages(payoffs: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """What each player [N] wins from the equilibrium: zero for those in it, no more for others."""
    return np.asarray(payoffs @ shares)


# Alpha-rank.


def alpha_rank(payoffs: np.ndarray) -> np.ndarray:
    """The share of time [N] that evolution spends with each player, by alpha-rank.

    Omidshafiei et al., "α-Rank: multi-agent evaluation by evolution" (2019), by OpenSpiel, for one
    population and infinitely strong selection (alpha without end): from each player the population
    moves on to a random other one, with probability 1 - EPSILON if that one wins, else EPSILON.
    Only who wins counts, not how much.
    """
    from open_spiel.python.egt import alpharank

    if len(payoffs) == 1:
        return np.ones(1)
    _, _, shares, _, _ = alpharank.compute([payoffs], use_inf_alpha=True, inf_alpha_eps=EPSILON)
    return np.asarray(shares, float)


# Ratings, and what they cannot say.


def ratings_of(payoffs: np.ndarray) -> np.ndarray:
    """Ratings r [N], mean zero, with payoffs[i, j] near r[i] - r[j] by least squares.

    Elo's idea in units of money: the transitive part of the Hodge decomposition (Jiang, Lim, Yao
    and Ye, "Statistical ranking and combinatorial Hodge theory", 2011; Balduzzi et al. 2018). If
    no match is missing it is the mean of a row, with the diagonal counted as zero. Raises
    ValueError if the matches do not connect all players.
    """
    players = len(payoffs)
    first, second = _matches(payoffs)
    edges = np.zeros((len(first) + 1, players))
    rows = np.arange(len(first))
    edges[rows, first], edges[rows, second] = 1.0, -1.0
    edges[-1] = 1.0
    wanted = np.append(payoffs[first, second], 0.0)
    ratings, _, rank, _ = np.linalg.lstsq(edges, wanted, rcond=None)
    if rank < players:
        raise ValueError("the matches do not connect all players: no common rating")
    return np.asarray(ratings)


def cyclic_part(payoffs: np.ndarray) -> np.ndarray:
    """The payoffs less the differences of ratings: what no rating explains."""
    ratings = ratings_of(payoffs)
    return np.asarray(payoffs - (ratings[:, None] - ratings[None, :]))


def _matches(payoffs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two players of each match that was played, the lower one first."""
    first, second = np.triu_indices(len(payoffs), 1)
    played = ~np.isnan(payoffs[first, second])
    return first[played], second[played]


def _size(payoffs: np.ndarray) -> float:
    """Sum of the squares over the matches."""
    return float((payoffs[_matches(payoffs)] ** 2).sum())


@dataclass(frozen=True)
class CycleTest:
    """Whether ratings leave out more than noise.

    What they leave out is the cyclic part, or curl. It is there wherever three players do not win
    from each other what two of the payoffs let expect of the third; `circles` are the case in which
    they even beat each other in turn.
    """

    share: float
    """Cyclic part of the sum of squared payoffs: 0 if ratings explain all, 1 if nothing."""
    by_noise: float
    """The share to be expected if ratings explain all but noise."""
    p_value: float
    """Chance of a cyclic part as large as this from noise alone."""


def cycle_test(payoffs: np.ndarray, replicates: np.ndarray) -> CycleTest | None:
    """The test, from bootstrap replicates [B, N, N] of the payoffs; None for two players or less.

    The replicates' deviations from the payoffs are the noise. Under a transitive model the cyclic
    part of the payoffs is that of their noise, since it is linear in them.
    """
    played = len(_matches(payoffs)[0])
    total = _size(payoffs)
    if played < len(payoffs) or total == 0.0:
        return None
    found = _size(cyclic_part(payoffs))
    noise = np.array([_size(cyclic_part(replicate - payoffs)) for replicate in replicates])
    least = found if found > _ZERO * total else 0.0
    return CycleTest(
        share=least / total,
        by_noise=float(noise.mean()) / total,
        p_value=(1 + int((noise >= least).sum())) / (1 + len(noise)),
    )


def circles(beats: np.ndarray) -> list[tuple[int, int, int]]:
    """All three players of whom the first beats the second, it the third, and that the first.

    `beats` [N, N] says who beats whom. The least number comes first.
    """
    players = range(len(beats))
    return [
        (a, b, c)
        for a in players
        for b in players
        for c in players
        if a < b and a < c and beats[a, b] and beats[b, c] and beats[c, a]
    ]
