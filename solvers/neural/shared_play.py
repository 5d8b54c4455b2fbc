"""Hands of an iteration in shards, which are played here or by workers, with the same result.

A hand depends on its number, on the networks that play and, where rounding is concerned, on how
many are played at once: so it is the shards that fix the result, not who plays them. What they have
taught is put together in their order. Learning stays here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from pokerspiel.solvers.neural.neural_solver import NeuralSolver


@dataclass(frozen=True)
class HandShard:
    """Some hands of an iteration that follow each other."""

    player: int
    """For whom they are traversed; 0 where all seats learn from all hands."""
    first: int
    """Number of the first one."""
    hands: int


PlayShards = Callable[[Sequence[HandShard], Mapping[str, np.ndarray]], Sequence[Any]]
"""Has shards played by the networks of these arrays; what each has taught, in their order."""


class SharedPlay(NeuralSolver):
    """An algorithm whose hands need nothing but its present networks."""

    shards = 1
    """Shards of an iteration's hands; with one they are played at once."""
    play_shards: PlayShards | None = None
    """Who plays them; None: this solver."""

    @abstractmethod
    def play(self, shard: HandShard) -> Any:
        """Play hands with the present networks; what they teach, which can be pickled."""

    @abstractmethod
    def playing_arrays(self) -> dict[str, np.ndarray]:
        """The networks that play."""

    @abstractmethod
    def play_as(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Play with the networks of `playing_arrays`. Raises ValueError if they do not fit."""

    def played(self, player: int, first: int, hands: int) -> list[Any]:
        """Hands of an iteration, played: what each shard teaches."""
        edges = [hands * i // self.shards for i in range(self.shards + 1)]
        shards = [
            HandShard(player, first + begin, end - begin)
            for begin, end in pairwise(edges)
            if end > begin
        ]
        if self.play_shards is not None:
            return list(self.play_shards(shards, self.playing_arrays()))
        return [self.play(shard) for shard in shards]
