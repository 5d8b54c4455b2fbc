"""A small network that plays: rectified layers in compiled code, from an observation to chances.

What was learnt with torch plays without it. The last layer has a number for each action; its head
says what they mean: logits of a softmax over the legal actions, or advantages, whose positive parts
are matched as regrets are (Brown, Lerer, Gross and Sandholm 2019, section 5: if none is positive,
the greatest is played).

A player may also be a mixture of such networks, one of which it draws for each hand: so plays the
average of all iterations of CFR without a network of its own (Steinberger 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel

SOFTMAX, REGRETS = 0, 1
HEADS = ("softmax", "regrets")
"""Names of the heads, in the order of their numbers."""

WIDEST = 4096
"""Most numbers of a layer, those that come in included."""


class Network(NamedTuple):
    """Networks of one shape.

    Letters: L layers, K members of the mixture, N networks of each, one for all seats or one for
    each, W weights of one network.
    """

    sizes: np.ndarray
    """[L + 1] int64: how many numbers come in, leave each layer, and come out, one an action."""
    weights: np.ndarray
    """[K, N, W] float32: layer after layer its matrix, a row for each number that comes in, and its
    biases."""
    up_to: np.ndarray
    """[K] float64: the chance that a hand is played by a member up to this one; ends with 1."""
    head: np.ndarray
    """[1] int64: SOFTMAX or REGRETS."""


def new_network(
    sizes: Sequence[int] | np.ndarray,
    weights: np.ndarray,
    head: int,
    up_to: Sequence[float] | np.ndarray = (1.0,),
) -> Network:
    """A network for compiled code. Raises ValueError if something does not fit."""
    widths = np.asarray(sizes, np.int64)
    chances = np.asarray(up_to, np.float64)
    if widths.ndim != 1 or len(widths) < 2 or widths.min() < 1 or widths.max() > WIDEST:
        raise ValueError(f"layers of {widths.tolist()} numbers: expected 1 to {WIDEST} in each")
    if not 0 <= int(head) < len(HEADS):
        raise ValueError(f"head {head} of a network: expected 0 to {len(HEADS) - 1}")
    wanted = weights_in(widths)
    if weights.ndim != 3 or min(weights.shape[:2]) < 1 or weights.shape[2] != wanted:
        raise ValueError(
            f"weights of shape {weights.shape}: layers of {widths.tolist()} have {wanted}"
        )
    if not np.isfinite(weights).all():
        raise ValueError("some weights of the network are no numbers")
    if chances.shape != weights.shape[:1] or chances[-1] != 1.0 or np.any(np.diff(chances) < 0):
        raise ValueError("the chances of the networks of the mixture do not add up to 1")
    return Network(
        widths, np.ascontiguousarray(weights, np.float32), chances, np.array([head], np.int64)
    )


def weights_in(sizes: np.ndarray) -> int:
    """How many weights layers of these sizes have, biases included."""
    return int(((sizes[:-1] + 1) * sizes[1:]).sum())


NO_NETWORK = new_network((1, 1), np.zeros((1, 1, 2), np.float32), SOFTMAX)


@kernel
def drawn_member(network: Any, luck: float) -> Any:
    """Which member of the mixture plays a hand with `luck` in [0, 1)."""
    member: Any = np.int64(0)
    while luck >= network.up_to[member]:
        member += 1
    return member


@kernel
def network_outputs(network: Any, member: int, seat: int, observation: Any, layers: Any) -> Any:
    """Run the network of a seat; returns the row of `layers` [2, WIDEST] that holds what comes out.

    Zeros are passed over: most of an observation is zero, and so is half of each layer.
    """
    weights = network.weights[member, seat % network.weights.shape[1]]
    sizes = network.sizes
    at: Any = np.int64(0)
    row = 0
    for i in range(sizes[0]):
        layers[0, i] = observation[i]
    for layer in range(len(sizes) - 1):
        before, after = layers[row], layers[1 - row]
        n, m = sizes[layer], sizes[layer + 1]
        bias = weights[at + n * m : at + (n + 1) * m]
        for j in range(m):
            after[j] = bias[j]
        for i in range(n):
            value = before[i]
            if value != 0.0:
                part = weights[at + i * m : at + (i + 1) * m]
                for j in range(m):
                    after[j] += value * part[j]
        if layer < len(sizes) - 2:
            for j in range(m):
                after[j] = max(after[j], np.float32(0.0))
        at += (n + 1) * m
        row = 1 - row
    return row


@kernel
def network_chances(
    network: Any,
    member: int,
    seat: int,
    observation: Any,
    actions: Any,
    n: int,
    layers: Any,
    chances: Any,
) -> None:
    """Write the chances of the `n` legal actions."""
    row = network_outputs(network, member, seat, observation, layers)
    head_chances(network.head[0], layers[row], actions, n, chances)


@kernel
def head_chances(head: int, outputs: Any, actions: Any, n: int, chances: Any) -> None:
    """Write the chances of the `n` legal actions by what came out of a network."""
    best = 0
    for i in range(1, n):
        if outputs[actions[i]] > outputs[actions[best]]:
            best = i
    top = outputs[actions[best]]
    total = 0.0
    for i in range(n):
        output = outputs[actions[i]]
        chances[i] = np.exp(output - top) if head == SOFTMAX else max(output, np.float32(0.0))
        total += chances[i]
    for i in range(n):
        if total > 0.0:
            chances[i] /= total
        else:
            chances[i] = 1.0 if i == best else 0.0
