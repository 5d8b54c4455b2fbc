"""Networks in torch, and the same as compiled code plays them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from pokerspiel.solvers.lockstep import Seen
from pokerspiel.solvers.network import Network, new_network
from pokerspiel.solvers.neural.checkpoint import stored


def choose_device(name: str) -> torch.device:
    """The device of a name; "auto" is a GPU if torch has one. Raises ValueError if it has not."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError):
        raise ValueError(f"device={name}: torch has none here; expected auto or cpu") from None
    return device


def new_layers(
    sizes: Sequence[int], random: np.random.Generator, last_scale: float = 1.0
) -> nn.Sequential:
    """Linear layers with rectifiers between them.

    Weights are uniform in ±sqrt(6 / numbers in), as rectifiers ask for (He et al. 2015), biases
    zero; the weights of the last layer are made smaller by `last_scale`.
    """
    layers: list[nn.Module] = []
    for i, (n, m) in enumerate(pairwise(sizes)):
        linear = nn.Linear(n, m)
        last = i == len(sizes) - 2
        reach = np.sqrt(6.0 / n) * (last_scale if last else 1.0)
        with torch.no_grad():
            drawn = random.uniform(-reach, reach, (m, n)).astype(np.float32)
            linear.weight.copy_(torch.from_numpy(drawn))
            linear.bias.zero_()
        layers += [linear] if last else [linear, nn.ReLU()]
    return nn.Sequential(*layers)


def to_network(networks: Sequence[nn.Sequential], head: int) -> Network:
    """Networks of one shape, one for each seat or one for all, for compiled code."""
    return new_network(sizes_of(networks[0]), np.stack([flat(n) for n in networks])[None], head)


def sizes_of(network: nn.Sequential) -> list[int]:
    """How many numbers come in and leave each layer."""
    linears = _linears(network)
    return [linears[0].in_features, *(linear.out_features for linear in linears)]


def flat(network: nn.Sequential) -> np.ndarray:
    """[W] float32: the weights of a network, in the order of `Network`."""
    parts = []
    for linear in _linears(network):
        parts += [linear.weight.detach().t().reshape(-1), linear.bias.detach()]
    return np.asarray(torch.cat(parts).cpu().numpy(), np.float32)


def outputs_of_seats(
    networks: Sequence[nn.Sequential], seen: Seen, device: torch.device
) -> np.ndarray:
    """[n, A] float32: what the network of each seat to act, one for each, says of what it sees."""
    observations = torch.from_numpy(seen.observations).to(device)
    outputs = np.zeros(seen.legal.shape, np.float32)
    with torch.no_grad():
        for seat in np.unique(seen.seats):
            rows = np.flatnonzero(seen.seats == seat)
            said = networks[seat](observations[torch.from_numpy(rows).to(device)])
            outputs[rows] = said.cpu().numpy()
    return outputs


def _linears(network: nn.Sequential) -> list[nn.Linear]:
    return [layer for layer in network if isinstance(layer, nn.Linear)]


def masked(logits: Tensor, legal: Tensor) -> Tensor:
    """Logits of the legal actions; the others have no chance."""
    return logits.masked_fill(~legal, -torch.inf)


def finite_logs(logits: Tensor) -> Tensor:
    """Logarithms of the chances of masked logits, with 0 for those that have no chance."""
    return torch.where(torch.isfinite(logits), logits.log_softmax(1), 0.0)


def entropy_of(logits: Tensor) -> Tensor:
    """[n]: entropies of the chances of masked logits."""
    return -(logits.softmax(1) * finite_logs(logits)).sum(1)


def centred(values: Tensor, legal: Tensor) -> Tensor:
    """[n, A]: values of legal actions less their mean; 0 for the others."""
    finite = torch.where(legal, values, 0.0)
    mean = finite.sum(1, keepdim=True) / legal.sum(1, keepdim=True)
    return torch.where(legal, finite - mean, 0.0)


# What a checkpoint holds.


def module_arrays(name: str, module: nn.Module) -> dict[str, np.ndarray]:
    return {f"{name}.{key}": value.cpu().numpy() for key, value in module.state_dict().items()}


def restore_module(name: str, module: nn.Module, arrays: Mapping[str, np.ndarray]) -> None:
    """Take over what `module_arrays` gave. Raises ValueError if it does not fit."""
    module.load_state_dict(
        {
            key: torch.from_numpy(stored(arrays, f"{name}.{key}", value.shape))
            for key, value in module.state_dict().items()
        }
    )


def adam_arrays(name: str, optimizer: torch.optim.Adam) -> dict[str, np.ndarray]:
    """The number of Adam's steps and its moments, by the place of the parameter."""
    arrays = {}
    for place, state in optimizer.state_dict()["state"].items():
        for key in _OF_ADAM:
            values = torch.as_tensor(state[key]).cpu().numpy()
            arrays[f"{name}.{place}.{key}"] = np.atleast_1d(values)
    return arrays


_OF_ADAM = ("step", "exp_avg", "exp_avg_sq")


def restore_adam(name: str, optimizer: torch.optim.Adam, arrays: Mapping[str, np.ndarray]) -> None:
    """Take over what `adam_arrays` gave: nothing before the first step.

    Raises ValueError if it does not fit.
    """
    document: dict[str, Any] = optimizer.state_dict()
    parameters = [weights for group in optimizer.param_groups for weights in group["params"]]
    if not any(key.startswith(f"{name}.") for key in arrays):
        parameters = []
    for place, weights in enumerate(parameters):
        shapes = ((1,), weights.shape, weights.shape)
        found = {
            key: torch.from_numpy(stored(arrays, f"{name}.{place}.{key}", shape))
            for key, shape in zip(_OF_ADAM, shapes, strict=True)
        }
        document["state"][place] = {**found, "step": found["step"].reshape(())}
    optimizer.load_state_dict(document)
