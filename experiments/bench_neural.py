"""The rows of `pokerspiel bench speed` about neural training, against OpenSpiel's own."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from pokerspiel.experiments.bench_row import Row, timed
from pokerspiel.games import variants
from pokerspiel.solvers.lockstep import Hands, Seen

GAME, THEIR_GAME = "leduc", "leduc_poker"
HANDS = 4096
STEPS_GOAL, SAMPLES_GOAL = 50.0, 20.0
TRAVERSALS, WIDTH, DEPTH, UPDATES, BATCH = 1500, 64, 3, 200, 2048
"""Of an iteration of Deep CFR, the same on both sides."""


def rows() -> list[Row]:
    """The comparisons; none without torch."""
    if find_spec("torch") is None:
        return []
    theirs = openspiel_samples if find_spec("tree") is not None else None
    return [
        Row(
            "leduc environment in batch",
            "steps",
            STEPS_GOAL,
            environment_steps,
            rl_environment_steps,
            "OpenSpiel's rl_environment",
        ),
        Row(
            "leduc Deep CFR",
            "samples",
            SAMPLES_GOAL,
            deep_cfr_samples,
            theirs,
            "OpenSpiel's PyTorch Deep CFR, same network",
        ),
    ]


def _at_random(hands: Hands, waiting: np.ndarray, seen: Seen) -> np.ndarray:
    return np.asarray(seen.legal / seen.legal.sum(1, keepdims=True), np.float32)


def environment_steps(seconds: float, seed: int) -> float:
    """Decisions a second with observations and legal actions for each, played at random."""
    from pokerspiel.solvers.neural.experience import Table

    table = Table(variants.load(GAME), HANDS)
    return timed(lambda turn: len(table.play(_at_random, seed, turn * HANDS).actions), seconds)


def rl_environment_steps(seconds: float, seed: int) -> float:
    """The same through OpenSpiel's environment for reinforcement learning."""
    from open_spiel.python import rl_environment

    environment = rl_environment.Environment(THEIR_GAME)
    environment.seed(seed)
    random = np.random.default_rng(seed)

    def work(turn: int) -> int:
        step, done = environment.reset(), 0
        while not step.last():
            player = step.observations["current_player"]
            step = environment.step([random.choice(step.observations["legal_actions"][player])])
            done += 1
        return done

    return timed(work, seconds)


@lru_cache(maxsize=1)
def _deep_cfr() -> Any:
    from pokerspiel.solvers.neural.catalogue import new_solver

    settings = {
        "traversals": TRAVERSALS,
        "width": WIDTH,
        "depth": DEPTH,
        "updates": UPDATES,
        "batch": BATCH,
    }
    text = {name: str(value) for name, value in settings.items()}
    solver = new_solver(variants.load(GAME), "deep-cfr", text, device="cpu")
    solver.prepare()
    solver.advance(1)
    return solver


def deep_cfr_samples(seconds: float, seed: int) -> float:
    """Decisions a second that are traversed, stored and learnt from, in whole iterations."""
    solver = _deep_cfr()

    def work(turn: int) -> int:
        before = solver.nodes
        solver.advance(1)
        return int(solver.nodes - before)

    return timed(work, seconds)


@lru_cache(maxsize=1)
def _openspiel_deep_cfr() -> Any:
    import pyspiel
    from open_spiel.python.pytorch.deep_cfr import DeepCFRSolver

    solver = DeepCFRSolver(
        pyspiel.load_game(THEIR_GAME),
        policy_network_layers=(WIDTH,) * DEPTH,
        advantage_network_layers=(WIDTH,) * DEPTH,
        num_iterations=1,
        num_traversals=TRAVERSALS,
        learning_rate=1e-3,
        batch_size_advantage=BATCH,
        batch_size_strategy=BATCH,
        advantage_network_train_steps=UPDATES,
        policy_network_train_steps=1,
    )
    return solver


def openspiel_samples(seconds: float, seed: int) -> float:
    """The same of OpenSpiel's Deep CFR; one step of its policy network comes on top."""
    solver = _openspiel_deep_cfr()
    met = [0]

    def counting(append: Callable[..., Any]) -> Callable[..., Any]:
        def count(*values: Any) -> Any:
            met[0] += 1
            return append(*values)

        return count

    plain = solver._append_to_stategy_buffer, solver._append_to_advantage_buffer
    solver._append_to_stategy_buffer = counting(plain[0])
    solver._append_to_advantage_buffer = counting(plain[1])

    def work(turn: int) -> int:
        met[0] = 0
        with contextlib.redirect_stdout(io.StringIO()):
            solver.solve()
        return met[0]

    try:
        return timed(work, seconds)
    finally:
        solver._append_to_stategy_buffer, solver._append_to_advantage_buffer = plain
