"""From a tree to its sequence form, by lanes where the game has them."""

from __future__ import annotations

from pokerspiel.solvers.lane_form import lane_form
from pokerspiel.solvers.lanes import find_lanes
from pokerspiel.solvers.layout import SequenceForm
from pokerspiel.solvers.sparse_form import sparse_form
from pokerspiel.solvers.tree import Tree

__all__ = ["SequenceForm", "sequence_form"]


def sequence_form(tree: Tree, lanes: bool = True) -> SequenceForm:
    """Lay out the sequence form of `tree`, by lanes if it has them and they are wanted."""
    found = find_lanes(tree) if lanes else None
    if found is not None:
        by_lanes = lane_form(tree, found)
        if by_lanes is not None:
            return by_lanes
    return sparse_form(tree)
