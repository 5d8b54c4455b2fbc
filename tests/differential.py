"""A hand played in step on the compiled kernels and on a reference model.

At every node the two must agree on who acts, which cards may fall, what is legal, and where the
chips are; at the end on what each seat won.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pokerspiel.games import drive
from tests.random_play import CHANCE, TERMINAL, choose
from tests.reference.poker_model import text

ActionKey = Callable[[Any, np.ndarray, int], tuple]


class DisagreementError(AssertionError):
    """Kernel and model differ; the message holds the game, the hand so far and both answers."""


def described(game: Any, states: np.ndarray, action: int) -> tuple:
    """The kernel's action as the models describe it: ("call", 4), ("discard", frozenset)."""
    kind, *rest = game.describe(states, action)
    if kind == "discard":
        return kind, frozenset(int(c) for c in rest[0])
    if kind == "call" and rest[0] == 0:
        return ("check",)
    return kind, *(int(chips) for chips in rest)


class KernelHand:
    """One hand on the compiled kernels, with the methods of a model."""

    def __init__(self, game: Any, action_key: ActionKey = described) -> None:
        self.game = game
        self.action_key = action_key
        self.states = game.new_states()
        self.buffer = np.zeros(max(game.limits.num_actions, 1), np.int64)
        drive.begin_hand(self.states, game.tables)

    @property
    def state(self) -> Any:
        return self.states[0]

    def player(self) -> int:
        return int(self.state["turn"])

    def chance_cards(self) -> list[int]:
        stub = int(self.state["stub"])
        return [c for c in range(52) if stub >> c & 1]

    def actions(self) -> list[int]:
        n = drive.list_actions(self.states, self.game.tables, self.buffer)
        return [int(action) for action in self.buffer[:n]]

    def legal_actions(self) -> dict[int, tuple]:
        return {a: self.action_key(self.game, self.states, a) for a in self.actions()}

    def apply(self, action: int) -> None:
        drive.apply_action(self.states, self.game.tables, action)

    def stacks(self) -> list[int]:
        return [int(chips) for chips in self.state["stack"][: self.game.players]]

    def pot(self) -> int:
        return int(self.state["pot"])

    def returns(self) -> list[float]:
        return [float(chips) for chips in self.state["returns"][: self.game.players]]


def in_words(move: tuple) -> str:
    seat, what = move
    if seat == CHANCE:
        return text([what])
    if what[0] == "discard":
        return f"{seat} discards {text(sorted(what[1])) or 'nothing'}"
    return f"{seat} {' '.join(map(str, what))}"


def ordered(descriptions: Iterable[tuple]) -> list[tuple]:
    """Descriptions in an order of their own, whatever the numbers of the actions."""
    return sorted(descriptions, key=lambda d: (d[0], sorted(d[1]) if d[0] == "discard" else d[1:]))


class Comparison:
    """The hand so far, and what is checked at each of its nodes."""

    def __init__(self, game: Any, model: Any, action_key: ActionKey) -> None:
        self.game = game
        self.model = model
        self.kernel = KernelHand(game, action_key)
        self.chips = sum(model.stacks()) + model.pot()
        self.moves: list[tuple] = []

    def agree(self, what: str, kernel: Any, model: Any) -> None:
        if kernel != model:
            moves = "; ".join(in_words(move) for move in self.moves)
            raise DisagreementError(
                f"{what}: kernel {kernel}, model {model}\n  game {self.game}\n  hand {moves}"
            )

    def check_node(self) -> None:
        kernel, model = self.kernel, self.model
        self.agree("player", kernel.player(), model.player())
        if model.player() == TERMINAL:
            won = [float(chips) for chips in model.returns()]
            if not np.allclose(kernel.returns(), won, rtol=0, atol=1e-9):
                self.agree("returns", kernel.returns(), won)
            self.check_limits(won)
            return
        self.agree("stacks", kernel.stacks(), model.stacks())
        self.agree("pot", kernel.pot(), model.pot())
        self.agree("chips", sum(model.stacks()) + model.pot(), self.chips)
        if model.player() == CHANCE:
            self.agree("cards that may fall", kernel.chance_cards(), model.chance_cards())
            return
        actions = kernel.actions()
        self.agree("order of the actions", actions, sorted(set(actions)))
        limit = self.game.limits.num_actions
        self.agree("actions below the limit", [a for a in actions if a < limit], actions)
        legal = list(kernel.legal_actions().values())
        self.agree("actions described twice", len(set(legal)), len(legal))
        self.agree("legal actions", ordered(legal), ordered(model.legal_actions().values()))

    def check_limits(self, won: list[float]) -> None:
        """The hand, now over, stayed within what the game says of its size."""
        limits = self.game.limits
        cards = sum(seat == CHANCE for seat, _ in self.moves)
        within = {
            "cards": cards <= limits.max_chance_nodes,
            "decisions": len(self.moves) - cards <= limits.max_game_length,
            "least": min(won) >= limits.min_utility,
            "most": max(won) <= limits.max_utility,
        }
        self.agree("limits that were broken", [what for what, ok in within.items() if not ok], [])

    def step(self, rng: np.random.Generator) -> None:
        kernel, model = self.kernel, self.model
        seat = model.player()
        if seat == CHANCE:
            card = int(rng.choice(model.chance_cards()))
            self.moves.append((seat, card))
            kernel.apply(card)
            model.apply(card)
            return
        description = model.legal_actions()[choose(model.legal_actions(), rng)]
        self.moves.append((seat, description))
        action = next(a for a, d in kernel.legal_actions().items() if d == description)
        kernel.apply(action)
        model.play(description)


def compare(
    game: Any, model: Any, rng: np.random.Generator, action_key: ActionKey = described
) -> list[tuple]:
    """Play one random hand on both; returns its moves, or raises DisagreementError.

    `model` has just begun, with the parameters of `game`; `action_key(game, states, action)`
    describes an action of the kernel as the models do.
    """
    comparison = Comparison(game, model, action_key)
    comparison.check_node()
    while model.player() != TERMINAL:
        comparison.step(rng)
        comparison.check_node()
    return comparison.moves


def game_string(name: str, parameters: dict[str, Any]) -> str:
    """The game in OpenSpiel's format; empty texts are left out, being the default."""
    given = ",".join(f"{key}={value}" for key, value in parameters.items() if value != "")
    return f"{name}({given})"
