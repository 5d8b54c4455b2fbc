"""What every neural algorithm has in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

import numpy as np
import torch

from pokerspiel.games.variants import Game
from pokerspiel.solvers.network import Network
from pokerspiel.solvers.neural.experience import Opponents
from pokerspiel.solvers.neural.networks import choose_device
from pokerspiel.solvers.solver import ITERATION, NODES, Solver


class NeuralSolver(Solver):
    """An algorithm that learns networks for `game`.

    `nodes` counts the decisions that were sampled in play: one for each time that a seat had to
    act, forced moves included. All random numbers are functions of (seed, iteration), so that on
    one device with the same number of threads a run is the same however it is cut into pieces.
    Raises ValueError if there is no such device.
    """

    def __init__(self, game: Game, seed: int, device: str, threads: int) -> None:
        super().__init__()
        self.game = game
        self.seed = seed
        self.device = choose_device(device)
        self.threads = threads
        self.opponents: Opponents | None = None
        """Who plays all seats but one, if it is to learn against them and not against itself ..."""
        self.opponents_share = 1.0
        """... and in what share of the hands."""
        torch.set_num_threads(threads)

    @abstractmethod
    def policy(self) -> Network:
        """The strategy that the algorithm promises something about, for compiled code."""

    def losses(self) -> dict[str, float]:
        """What the last iteration tells of the learning, for the log."""
        return {}

    def random(self, *purpose: int) -> np.random.Generator:
        """Random numbers of this iteration for one purpose."""
        return np.random.default_rng([self.seed, self.iteration, *purpose])

    def count(self, nodes: int) -> None:
        """An iteration is over, in which so many decisions were sampled."""
        self.control[ITERATION] += 1
        self.control[NODES] += nodes

    def to_numbers(self) -> dict[str, int | float]:
        return {**super().to_numbers(), "seed": self.seed}

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]) -> None:
        missing = {"iteration", "nodes", "seconds", "seed"} - set(numbers)
        if missing:
            raise ValueError(f"a neural run lacks the numbers {', '.join(sorted(missing))}")
        self.seed = int(numbers["seed"])
        self.restore_networks(arrays)
        self._restore_control(numbers)

    @abstractmethod
    def restore_networks(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take over the arrays of a checkpoint. Raises ValueError if they do not fit."""
