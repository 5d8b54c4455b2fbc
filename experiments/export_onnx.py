"""`pokerspiel export ... -o bot.onnx`: the network of a bot for runtimes of ONNX.

Inputs: `observations` [N, D] float32, as `observe` writes them (docs/observations.md), and `legal`
[N, A] bool. Output: `chances` [N, A] float32, the probability of each action number.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from pokerspiel.experiments.run_folder import write_file
from pokerspiel.games.variants import Game
from pokerspiel.solvers.network import SOFTMAX, Network

OPSET = 17
_IR_VERSION = 9
_NEVER = np.float32(-1e9)
"""The logit of an illegal action."""


def write_onnx(path: Path, game: Game, network: Network) -> None:
    """Write the network of a bot of `game`.

    Raises ValueError, in one line, if it is more than one network or if onnx is not there, OSError
    if the file cannot be written.
    """
    if find_spec("onnx") is None:
        raise ValueError(f"{path}: onnx is not installed: pip install 'pokerspiel[onnx]'")
    members, seats, _ = network.weights.shape
    if members * seats > 1 or network.head[0] != SOFTMAX:
        raise ValueError(
            f"{path}: {members * seats} networks, of which each hand draws one: a file of ONNX "
            "holds one that gives chances, such as deep-cfr or ppo learn"
        )
    import onnx

    model = _model(game, network)
    onnx.checker.check_model(model)
    write_file(path, lambda temporary: _save(temporary, model.SerializeToString()))


def _save(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _model(game: Game, network: Network) -> Any:
    from onnx import TensorProto, helper, numpy_helper

    sizes = network.sizes.tolist()
    nodes, constants = [], [numpy_helper.from_array(np.array(_NEVER), "never")]
    at, value = 0, "observations"
    for layer in range(len(sizes) - 1):
        n, m = sizes[layer : layer + 2]
        weights = network.weights[0, 0, at : at + (n + 1) * m]
        constants.append(numpy_helper.from_array(weights[: n * m].reshape(n, m), f"weight{layer}"))
        constants.append(numpy_helper.from_array(weights[n * m :], f"bias{layer}"))
        out = f"layer{layer}"
        nodes.append(helper.make_node("Gemm", [value, f"weight{layer}", f"bias{layer}"], [out]))
        if layer < len(sizes) - 2:
            nodes.append(helper.make_node("Relu", [out], [f"relu{layer}"]))
            out = f"relu{layer}"
        at, value = at + (n + 1) * m, out
    nodes.append(helper.make_node("Where", ["legal", value, "never"], ["logits"]))
    nodes.append(helper.make_node("Softmax", ["logits"], ["chances"], axis=1))
    numbers, flags = TensorProto.FLOAT, TensorProto.BOOL
    graph = helper.make_graph(
        nodes,
        "policy",
        [
            helper.make_tensor_value_info("observations", numbers, ["N", sizes[0]]),
            helper.make_tensor_value_info("legal", flags, ["N", sizes[-1]]),
        ],
        [helper.make_tensor_value_info("chances", numbers, ["N", sizes[-1]])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = _IR_VERSION
    model.producer_name = "pokerspiel"
    helper.set_model_props(model, {"game": str(game), "rule_version": str(game.rule_version)})
    return model
