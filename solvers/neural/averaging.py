"""The average of all iterations of CFR as a mixture of the networks that played them.

Each hand is played by the networks of one past iteration, drawn with the chance that the average
gives to it (Steinberger 2019): exactly the average strategy, and no network has to learn it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from torch import nn

from pokerspiel.solvers.network import Network, new_network
from pokerspiel.solvers.neural.checkpoint import stored
from pokerspiel.solvers.neural.networks import flat


class Members:
    """The networks of past iterations, one for each seat, and their weights in the average."""

    def __init__(self, most: int) -> None:
        self.most = most
        """More than that are not kept: every other one is then dropped, its weight taken over by
        the next."""
        self._weights_of: list[np.ndarray] = []
        """[players, W] each."""
        self._chances: list[float] = []
        """Proportional to the chance that a member plays."""

    def __len__(self) -> int:
        return len(self._weights_of)

    def keep(self, networks: Sequence[nn.Sequential], weight: float) -> None:
        """Keep the networks of an iteration that weighs so much in the average."""
        self._weights_of.append(np.stack([flat(network) for network in networks]))
        self._chances.append(weight)
        if len(self) > self.most:
            odd = len(self) % 2
            pairs = zip(self._chances[odd::2], self._chances[odd + 1 :: 2], strict=True)
            self._chances = self._chances[:odd] + [sum(pair) for pair in pairs]
            self._weights_of = self._weights_of[:odd] + self._weights_of[odd + 1 :: 2]

    def mixture(self, sizes: Sequence[int], head: int) -> Network:
        """All members, whose layers have these sizes, for compiled code."""
        up_to = np.cumsum(self._chances)
        return new_network(sizes, np.stack(self._weights_of), head, up_to / up_to[-1])

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {
            "members": np.array(self._weights_of, np.float32),
            "members.weights": np.array(self._chances),
        }

    def restore(self, arrays: Mapping[str, np.ndarray], networks: Sequence[nn.Sequential]) -> None:
        """Take over what `to_arrays` gave. Raises ValueError if it does not fit the networks."""
        chances = stored(arrays, "members.weights", (None,))
        shape = (len(chances), len(networks), len(flat(networks[0]))) if len(chances) else (0,)
        self._weights_of = list(stored(arrays, "members", shape))
        self._chances = chances.tolist()
