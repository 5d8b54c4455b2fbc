"""The exact value and an equilibrium of a two-player game, by linear programming.

On the sequence form a player's strategy is a *realisation plan*: for each of its sequences the
product of its own probabilities along it, 1 for the empty sequence (von Stengel 1996). With payoffs
A (to player 0, chance included) and the plans' constraints E x = e, F y = f, an equilibrium solves

    maximise q . f   subject to   A^T x - F^T q >= 0,   E x = e,   x >= 0

where q is the value to player 0 of each information set of player 1, and the dual variables of the
inequalities are a plan y of player 1 (Koller, Megiddo and von Stengel 1996, "Efficient computation
of equilibria for extensive two-person games").

Letters used for shapes: X and Y sequences of player 0 and 1, the empty sequence included; I_0 and
I_1 their information sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from pokerspiel.solvers.tree import ROOT, Tree
from pokerspiel.solvers.tree_solver import normalised

METHOD = "highs-ds"
"""HiGHS's dual simplex: it ends at a vertex, exact but for rounding, and was several times faster
than the interior point method on all games tried."""
TOLERANCE = 1e-10
"""The smallest by which HiGHS may miss a constraint."""
_SUM_TOLERANCE = 1e-9
"""How far the sums of returns may differ, relative to the largest return."""


@dataclass(frozen=True)
class LinearProgramSolution:
    """An equilibrium of a two-player game."""

    value: np.ndarray
    """[2] float64: what each player wins in equilibrium, in units of the game's returns."""
    strategy: np.ndarray
    """[S] float64: the strategies of both; uniform where its own player never comes."""


def solve_linear_program(tree: Tree) -> LinearProgramSolution:
    """The value and an equilibrium of a two-player game whose returns add up to a constant.

    Raises ValueError if the game has more players or another sum, RuntimeError if HiGHS gives up.
    """
    total = _constant_sum(tree)
    place = _places(tree)
    payoffs = _payoffs(tree, place)
    plans = [_plan_constraints(tree, place, player) for player in range(2)]
    x, y, value = _solve(payoffs, *plans)
    realisation = np.empty(tree.sequences)
    owner = _owners(tree)
    for player, plan in enumerate((x, y)):
        mine = owner == player
        realisation[mine] = np.maximum(plan[place[:-1][mine]], 0.0)
    return LinearProgramSolution(np.array([value, total - value]), normalised(tree, realisation))


def _constant_sum(tree: Tree) -> float:
    """What the returns of both players add up to; ValueError if that is not the same everywhere."""
    if tree.players != 2:
        raise ValueError(f"{tree.game} has {tree.players} players: a linear program solves 2")
    sums = tree.returns.sum(axis=1)
    low, high = float(sums.min()), float(sums.max())
    if high - low > _SUM_TOLERANCE * max(1.0, float(np.abs(tree.returns).max())):
        raise ValueError(
            f"{tree.game}: the returns add up to anything from {low:g} to {high:g}: "
            "a linear program solves games where the sum is always the same"
        )
    return (low + high) / 2.0


def _owners(tree: Tree) -> np.ndarray:
    """[S] int8: the player of each sequence."""
    return np.repeat(tree.set_player, np.diff(tree.set_first))


def _places(tree: Tree) -> np.ndarray:
    """[S + 1] int64: the number of each sequence among those of its player, from 1.

    The last one, which ROOT = -1 finds, is the empty sequence: 0.
    """
    owner = _owners(tree)
    place = np.zeros(tree.sequences + 1, np.int64)
    for player in range(2):
        mine = np.flatnonzero(owner == player)
        place[mine] = np.arange(1, len(mine) + 1)
    return place


def _payoffs(tree: Tree, place: np.ndarray) -> Any:
    """[X, Y] sparse: returns of player 0 times the probability of chance, by last sequences."""
    shape = [int(np.count_nonzero(_owners(tree) == player)) + 1 for player in range(2)]
    last = place[tree.last_sequences()[:, tree.terminal]]
    worth = tree.chance_reach()[tree.terminal] * tree.returns[:, 0]
    payoffs = sparse.coo_array((worth, (last[0], last[1])), shape).tocsr()
    payoffs.eliminate_zeros()
    return payoffs


def _plan_constraints(tree: Tree, place: np.ndarray, player: int) -> Any:
    """[1 + I_p, X or Y] sparse: row 0 is the empty sequence, each other row one information set.

    The sequences of a set add up to the sequence before it.
    """
    sets = np.flatnonzero(tree.set_player == player)
    own = np.flatnonzero(_owners(tree) == player)
    rows = np.arange(1, len(sets) + 1)
    row = np.concatenate([[0], rows, np.repeat(rows, np.diff(tree.set_first)[sets])])
    column = np.concatenate([[place[ROOT]], place[tree.set_parent[sets]], place[own]])
    value = np.concatenate([[1.0], np.full(len(sets), -1.0), np.ones(len(own))])
    return sparse.coo_array((value, (row, column)), (len(sets) + 1, len(own) + 1)).tocsr()


def _solve(payoffs: Any, plans_0: Any, plans_1: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """(x, y, value to player 0). The variables of the program are x, then q."""
    x_size, q_size = plans_0.shape[1], plans_1.shape[0]
    scale = float(np.abs(payoffs.data).max(initial=0.0)) or 1.0
    objective = np.zeros(x_size + q_size)
    objective[x_size] = -1.0
    first = np.zeros(plans_0.shape[0])
    first[0] = 1.0
    lowest = np.concatenate([np.zeros(x_size), np.full(q_size, -np.inf)])
    result = linprog(
        objective,
        A_ub=sparse.hstack([-payoffs.T / scale, plans_1.T], "csc"),
        b_ub=np.zeros(plans_1.shape[1]),
        A_eq=sparse.hstack([plans_0, sparse.csr_array((len(first), q_size))], "csc"),
        b_eq=first,
        bounds=np.column_stack([lowest, np.full(len(lowest), np.inf)]),
        method=METHOD,
        options={
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        },
    )
    if result.status != 0:
        raise RuntimeError(f"the linear program was not solved: {result.message}")
    return result.x[:x_size], -result.ineqlin.marginals, -result.fun * scale
