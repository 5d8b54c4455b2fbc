"""A network that learns from remembered rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor, nn

from pokerspiel.solvers.neural.memories import ConciseSample, LatestRows

Loss = Callable[[dict[str, Tensor]], Tensor]
"""Gives the loss [rows] of each row of a mini-batch, whose columns it takes."""


def drawn_rows(
    memory: LatestRows, batch: int, random: np.random.Generator, device: torch.device
) -> dict[str, Tensor]:
    """A mini-batch of rows, each as likely as the other, drawn with replacement."""
    places = random.integers(0, len(memory), batch)
    return on_device({name: column[places] for name, column in memory.columns.items()}, device)


def on_device(rows: Mapping[str, np.ndarray], device: torch.device) -> dict[str, Tensor]:
    """Columns as tensors."""
    return {name: torch.from_numpy(column).to(device) for name, column in rows.items()}


def new_adam(network: nn.Module, learning_rate: float, eps: float = 1e-8) -> torch.optim.Adam:
    """Adam in one pass over the weights."""
    return torch.optim.Adam(network.parameters(), learning_rate, eps=eps, fused=True)


def descend(
    optimizer: torch.optim.Optimizer, network: nn.Module, error: Tensor, norm: float
) -> Tensor:
    """One step of an optimizer, with a gradient of at most `norm`; returns the error, as it was."""
    weights = list(network.parameters())
    for weight in weights:
        weight.grad = None
    error.backward()
    gradients = [weight.grad for weight in weights if weight.grad is not None]
    length = torch.cat([gradient.flatten() for gradient in gradients]).norm()
    shrink = (norm / (length + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(shrink)
    optimizer.step()
    return error.detach()


def fit(
    network: nn.Module,
    memory: ConciseSample,
    loss: Loss,
    random: np.random.Generator,
    device: torch.device,
    *,
    updates: int,
    batch: int,
    learning_rate: float,
    norm: float,
) -> float:
    """Learn by Adam what a memory holds; returns the loss at the end.

    That is the mean of the last mini-batches.
    """
    optimizer = new_adam(network, learning_rate)
    losses = []
    for columns in memory.batches(updates, batch, random):
        rows = on_device(columns, device)
        error = (loss(rows) * rows["weights"]).mean()
        losses.append(descend(optimizer, network, error, norm))
    return mean_loss(losses[-20:])


def cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """[n]: how badly masked logits predict the chances `targets` [n, A]."""
    return -(targets * logits.log_softmax(1).clamp_min(-30.0)).sum(1)


def mean_loss(losses: list[Tensor]) -> float:
    """The mean of some losses; 0 of none."""
    return float(torch.stack(losses).mean()) if losses else 0.0
