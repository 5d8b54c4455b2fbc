"""A network that learns from remembered rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from pokerspiel.solvers.neural.reservoir import Rows

Loss = Callable[[dict[str, Tensor]], Tensor]
"""Gives the loss [rows] of each row of a mini-batch, whose columns it takes."""


def drawn_rows(
    memory: Rows, batch: int, random: np.random.Generator, device: torch.device
) -> dict[str, Tensor]:
    """A mini-batch of rows, each as likely as the other, drawn with replacement."""
    places = random.integers(0, len(memory), batch)
    return {
        name: torch.from_numpy(column[places]).to(device) for name, column in memory.columns.items()
    }


def descend(
    optimizer: torch.optim.Optimizer, network: nn.Module, error: Tensor, norm: float
) -> Tensor:
    """One step of an optimizer, with a gradient of at most `norm`; returns the error, as it was."""
    optimizer.zero_grad()
    error.backward()
    nn.utils.clip_grad_norm_(network.parameters(), norm)
    optimizer.step()
    return error.detach()


def fit(
    network: nn.Module,
    memory: Rows,
    loss: Loss,
    random: np.random.Generator,
    device: torch.device,
    *,
    updates: int,
    batch: int,
    learning_rate: float,
    norm: float,
) -> float:
    """Learn by Adam from rows, weighed by their column `weights`; returns the loss at the end.

    That is the mean of the last mini-batches.
    """
    optimizer = torch.optim.Adam(network.parameters(), learning_rate)
    mean = float(memory.columns["weights"][: len(memory)].mean())
    losses = []
    for _ in range(updates):
        rows = drawn_rows(memory, batch, random, device)
        error = (loss(rows) * rows["weights"] / mean).mean()
        losses.append(descend(optimizer, network, error, norm))
    return mean_loss(losses[-20:])


def mean_loss(losses: list[Tensor]) -> float:
    """The mean of some losses; 0 of none."""
    return float(torch.stack(losses).mean()) if losses else 0.0
