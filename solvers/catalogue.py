"""Every algorithm that works on a flat tree, by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from pokerspiel.solvers.algorithms import DISCOUNTING
from pokerspiel.solvers.cfr import Cfr
from pokerspiel.solvers.cfr_br import CfrBr
from pokerspiel.solvers.fictitious_play import FictitiousPlay
from pokerspiel.solvers.mirror_descent import MirrorDescent
from pokerspiel.solvers.sampled_solver import SampledSolver
from pokerspiel.solvers.sampling_schemes import SAMPLED
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import TreeSolver

DEFAULT_HORIZON = 1000


@dataclass(frozen=True)
class Plan:
    """How an algorithm is to be run."""

    seed: int = 0
    """Of sampled algorithms; the others have no luck."""
    alternating: bool = True
    """Players are updated one after the other, not all at once."""
    threads: int = 1
    horizon: int = DEFAULT_HORIZON
    """Iterations that algorithms with a schedule plan for."""


@dataclass(frozen=True)
class Entry:
    """An algorithm."""

    make: Callable[[Tree, Plan], TreeSolver]
    paper: str
    sampled: bool
    """Whether its iterations depend on a seed, and touch only a part of the tree."""
    scheduled: bool = False
    """Whether it depends on the horizon."""


def _discounting(name: str) -> Entry:
    row = DISCOUNTING[name]
    return Entry(
        lambda tree, plan: Cfr(tree, row, plan.alternating, plan.horizon, plan.threads),
        row.paper,
        sampled=False,
        scheduled=row.needs_horizon,
    )


def _sampled(name: str) -> Entry:
    return Entry(
        lambda tree, plan: SampledSolver(tree, name, plan.seed), SAMPLED[name].paper, sampled=True
    )


ALGORITHMS: dict[str, Entry] = {
    **{name: _discounting(name) for name in DISCOUNTING},
    "cfr-br": Entry(
        lambda tree, plan: CfrBr(tree),
        "Johanson, Bard, Burch and Bowling 2012",
        sampled=False,
    ),
    "xfp": Entry(
        lambda tree, plan: FictitiousPlay(tree, plan.alternating),
        "Heinrich, Lanctot and Silver 2015",
        sampled=False,
    ),
    "mmd": Entry(
        lambda tree, plan: MirrorDescent(tree),
        "Sokota et al. 2023",
        sampled=False,
    ),
    **{name: _sampled(name) for name in SAMPLED},
}


def entry(name: str) -> Entry:
    """The algorithm of a name; ValueError if there is none."""
    if name not in ALGORITHMS:
        near = difflib.get_close_matches(name, ALGORITHMS, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(ALGORITHMS)}"
        raise ValueError(f"unknown algorithm {name!r}: {hint}")
    return ALGORITHMS[name]


def new_solver(tree: Tree, name: str, plan: Plan | None = None) -> TreeSolver:
    """A solver at its start; ValueError if the algorithm is unknown or cannot solve the tree."""
    return entry(name).make(tree, plan or Plan())
