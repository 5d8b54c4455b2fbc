"""A sampled algorithm at work on a flat tree.

The average strategy is updated at the nodes of the players who are not the traverser, since their
actions are sampled as they are played. With three or more players each of the others is updated, so
the average of a player is weighed by the play of the rest as well, as in mccfr.py: as with all such
solvers there is no promise of an equilibrium then. (OpenSpiel's external sampling updates only the
player after the traverser, its outcome sampling the traverser.)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pokerspiel.solvers.external_sampling import new_traversal_memory, run_external_sampling
from pokerspiel.solvers.packed_tree import SUMS, pack_tree
from pokerspiel.solvers.sampled_walk import new_walk_memory, run_sampled_walks
from pokerspiel.solvers.sampling_schemes import SAMPLED, SamplingScheme
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import TreeSolver, normalised


class SampledSolver(TreeSolver):
    """A sampled algorithm, by its name in SAMPLED or as a scheme, on a tree of any players.

    Its random numbers are functions of (seed, iteration, traverser), so a run is the same however
    it is cut into pieces. `nodes` counts the nodes that walks visit, forced moves left out. Raises
    ValueError if there is no such name.
    """

    def __init__(
        self,
        tree: Tree,
        scheme: SamplingScheme | str = "external-sampling-linear",
        seed: int = 0,
    ) -> None:
        super().__init__(tree)
        if isinstance(scheme, str):
            if scheme not in SAMPLED:
                raise ValueError(f"scheme={scheme!r}: expected one of {', '.join(SAMPLED)}")
            scheme = SAMPLED[scheme]
        self.scheme = scheme
        self.seed = seed
        self._packed = pack_tree(tree)
        self._sums = np.zeros(tree.sequences, SUMS)
        with_baselines = scheme.alpha is not None
        self._baselines = np.zeros((tree.players, tree.sequences if with_baselines else 0))
        self._traversal = new_traversal_memory(tree)
        self._walk = new_walk_memory(tree)

    def prepare(self) -> None:
        self.advance(0)

    def advance(self, iterations: int) -> None:
        packed, sums, rules = self._packed, self._sums, self.scheme.rules
        seed = np.uint64(self.seed % (1 << 64))
        if self.scheme.is_external:
            run_external_sampling(
                packed, sums, self._traversal, rules, self.control, seed, iterations
            )
        else:
            run_sampled_walks(
                packed, sums, self._baselines, self._walk, rules, self.control, seed, iterations
            )

    def average_strategy(self) -> np.ndarray:
        return normalised(self.tree, self._sums["average"])

    def current_strategy(self) -> np.ndarray:
        """[S] float64: what regret matching plays next."""
        return normalised(self.tree, np.maximum(self._sums["regret"], 0.0))

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Regrets [S] and sums of past strategies [S]; with baselines those [P, S]."""
        arrays = {name: np.ascontiguousarray(self._sums[name]) for name in ("regret", "average")}
        if self.scheme.alpha is not None:
            arrays["baseline"] = self._baselines.copy()
        return arrays

    def to_numbers(self) -> dict[str, int | float]:
        return {**super().to_numbers(), "seed": self.seed}

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]) -> None:
        for name, present in self.to_arrays().items():
            shape = np.shape(arrays[name]) if name in arrays else "none"
            if shape != present.shape:
                raise ValueError(f"array {name}: its shape is {shape}, expected {present.shape}")
        missing = {"iteration", "nodes", "seconds", "seed"} - set(numbers)
        if missing:
            raise ValueError(f"a sampled run lacks the numbers {', '.join(sorted(missing))}")
        self._sums["regret"] = arrays["regret"]
        self._sums["average"] = arrays["average"]
        if self.scheme.alpha is not None:
            self._baselines[:] = arrays["baseline"]
        self.seed = int(numbers["seed"])
        self._restore_control(numbers)
