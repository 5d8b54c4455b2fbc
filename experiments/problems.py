"""What `solve` works on: the tree of a small game, or the deals of Svara.

Svara with two seats is a chain of deals, solved with all hands at once: with the information sets
`hands`, which lose nothing, or with a coarser abstraction. Its small versions, whose decks have no
more than SMALL_DECK hands, are solved as trees unless an abstraction is named. With three seats an
abstraction must be named: strategies are by buckets of hands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Protocol

import numpy as np

from pokerspiel.agents.spiel_table import is_ours
from pokerspiel.experiments.options import bytes_text
from pokerspiel.games.deals import ChainTooLongError, DealChain
from pokerspiel.games.variants import Game, load, parse_game
from pokerspiel.solvers import catalogue
from pokerspiel.solvers.algorithms import DISCOUNTING
from pokerspiel.solvers.best_response import Evaluation, Evaluator, evaluate
from pokerspiel.solvers.blueprint import Blueprint
from pokerspiel.solvers.bucket_cfr import BucketCfr, lift
from pokerspiel.solvers.bucket_values import evaluate_buckets
from pokerspiel.solvers.chart import Chart, DealStrategy, chart_of, chart_strategy_of
from pokerspiel.solvers.compile_tree import BYTES_PER_NODE, compile_tree
from pokerspiel.solvers.hand_matrices import HandMatrices
from pokerspiel.solvers.sequence_form import SequenceForm
from pokerspiel.solvers.solver import Solver
from pokerspiel.solvers.strategies import blueprint_of, strategy_from_blueprint
from pokerspiel.solvers.tree import Tree, TreeTooLargeError
from pokerspiel.solvers.tree_solver import TreeSolver
from pokerspiel.solvers.vector import ChainForm, VectorCfr, evaluate_chain

SMALL_DECK = 100

ABSTRACTIONS = ("points", "blockers")
"""Those whose buckets have hands of one score only, the coarser one first."""

PRESETS: Mapping[str, Mapping[str, str]] = {
    "home": {},
    "club": {"stack": "50", "betting": "pot_limit", "bet_sizes": "0.5 1"},
    "real": {"stack": "100", "betting": "pot_limit", "bet_sizes": "0.33 0.67 1 max"},
}
"""Tables for heads-up Svara: the parameters that differ from the defaults."""

_SECONDS = 6.5e-9
"""For one action with one hand in one iteration on one core, about; see docs/svara.md."""
_ITERATIONS, _REACH, _POWER = 190, 1e-3, 0.58
_STACK, _DEPTH = 20, 1.2
"""Iterations to an exploitability of _REACH antes with a stack of _STACK antes, about, and how they
grow below it and with deeper stacks."""


def with_preset(text: str, preset: str | None, settings: Sequence[str] | None) -> list[str]:
    """The settings of --set, and before them those of a preset that the game does not name.

    Raises ValueError for an unknown preset, or another game than Svara.
    """
    given = list(settings or ())
    if preset is None:
        return given
    if preset not in PRESETS:
        raise ValueError(f"--preset {preset}: expected {', '.join(PRESETS)}")
    name, in_text = parse_game(text)
    if name != "svara":
        raise ValueError(f"--preset {preset}: {name} has no presets, svara has")
    named = {setting.partition("=")[0].strip() for setting in given} | set(in_text)
    return [f"{k}={v}" for k, v in PRESETS[preset].items() if k not in named] + given


class Problem(Protocol):
    """A game laid out to be solved."""

    text: str
    """Game string, with the abstraction that is solved."""
    unit: str
    big_unit: float
    """What the unit is in returns of the game."""
    nodes: int
    information_sets: int

    def new_solver(self, algorithm: str, plan: catalogue.Plan) -> Solver:
        """A solver at its start; ValueError if the algorithm cannot solve this."""
        ...

    def evaluate(self, solver: Solver) -> Evaluation:
        """The average strategy, exactly, in returns of the game as it is abstracted."""
        ...

    def bot(self, solver: Solver) -> tuple[str, Blueprint | Chart, Evaluation]:
        """(Game string of a bot, its table, what it is worth in the exact game if known)."""
        ...

    def fingerprint(self) -> str:
        """A hash of all that a checkpoint depends on."""
        ...

    def outlook(self, plan: catalogue.Plan, until: float | None) -> str | None:
        """What the work will take, in words; None if it is not worth a word."""
        ...


def load_problem(text: str, memory_limit: int) -> Problem:
    """The problem of a game string; TreeTooLargeError if it needs more bytes than allowed."""
    if is_ours(text) and is_solved_by_deals(load(text)):
        return ChainProblem(load(text), memory_limit)
    if is_ours(text) and is_solved_by_buckets(load(text)):
        return BucketProblem(load(text), memory_limit)
    try:
        return TreeProblem(load_tree(text, memory_limit))
    except TreeTooLargeError:
        if not is_ours(text) or not may_be_played_by_deals(load(text)) or load(text).players != 2:
            raise
        return ChainProblem(load(text), memory_limit)


def is_solved_by_deals(game: Game) -> bool:
    """Whether a game is a chain of deals for two, and not small enough for a tree."""
    if not may_be_played_by_deals(game) or game.players != 2:
        return False
    return game.parameters["abstraction"] != "none" or has_large_deck(game)


def is_solved_by_buckets(game: Game) -> bool:
    """Whether a game is a chain of deals for three, with an abstraction."""
    three = may_be_played_by_deals(game) and game.players == 3
    return three and game.parameters["abstraction"] in ABSTRACTIONS


def may_be_played_by_deals(game: Game) -> bool:
    """Whether a game is a chain of deals for two or three."""
    return hasattr(game.family, "chain_of_deals") and game.players in (2, 3)


def has_large_deck(game: Game) -> bool:
    """Whether a chain of deals has more hands than a tree should have."""
    deck = int(game.tables.rules[0]["deck"]).bit_count()
    return comb(deck, int(game.parameters["hole_cards"])) > SMALL_DECK


# Trees.


@dataclass
class TreeProblem:
    """The whole tree of a small game."""

    tree: Tree
    _evaluator: Evaluator | None = None

    def __post_init__(self) -> None:
        self.text = game_text(self.tree)
        self.unit, self.big_unit = self.tree.unit, float(self.tree.big_unit)
        self.nodes, self.information_sets = self.tree.nodes, self.tree.information_sets

    def new_solver(self, algorithm: str, plan: catalogue.Plan) -> TreeSolver:
        solver = catalogue.new_solver(self.tree, algorithm, plan)
        form = getattr(solver, "form", None)
        self._evaluator = Evaluator(self.tree, form if isinstance(form, SequenceForm) else None)
        return solver

    def evaluate(self, solver: Solver) -> Evaluation:
        assert isinstance(solver, TreeSolver) and self._evaluator is not None
        return self._evaluator.evaluate(solver.average_strategy())

    def bot(self, solver: Solver) -> tuple[str, Blueprint, Evaluation]:
        assert isinstance(solver, TreeSolver)
        blueprint = blueprint_of(self.tree, solver.average_strategy())
        played = strategy_from_blueprint(self.tree, blueprint)[0]
        return self.text, blueprint, evaluate(self.tree, played)

    def fingerprint(self) -> str:
        tree = self.tree
        return _hash_of(
            (tree.set_key, tree.set_first, tree.turn, tree.parent, tree.action, tree.returns)
        )

    def outlook(self, plan: catalogue.Plan, until: float | None) -> str | None:
        return None


def load_tree(text: str, memory_limit: int) -> Tree:
    """The tree of a game string; raises TreeTooLargeError if it needs more bytes than allowed."""
    tree = compile_tree(text, memory_limit)
    check_memory(text, f"{tree.nodes:,} nodes", tree.nodes * BYTES_PER_NODE, memory_limit)
    return tree


def game_text(tree: Tree) -> str:
    """The game string of a tree, without the empty brackets that OpenSpiel adds."""
    return tree.game.removesuffix("()")


# Chains of deals.


class DealProblem:
    """What problems of Svara have in common."""

    def __init__(self, game: Game, memory_limit: int) -> None:
        if game.parameters["abstraction"] == "none":
            game = game.with_parameters(abstraction="hands")
        self.game = game
        self.text = str(game)
        self.unit, self.big_unit = game.limits.unit, float(game.limits.big_unit)
        hands = game.family.hands_of(game)
        self.bucket = game.family.bucket_of_class(hands, game.parameters["abstraction"])
        self.buckets = int(self.bucket.max()) + 1
        self.chain = chain_within(game, self.buckets, memory_limit)
        self.nodes = self.chain.nodes
        self.information_sets = self.chain.information_sets(self.buckets)
        self.bytes = ChainForm.bytes_for(self.chain.rows, self.buckets)

    def check(self, algorithm: str, plan: catalogue.Plan) -> None:
        """Raise ValueError if the algorithm does not work deal by deal."""
        catalogue.entry(algorithm)
        if algorithm not in DISCOUNTING:
            known = ", ".join(DISCOUNTING)
            raise ValueError(f"{algorithm} needs a tree: {self.text} is solved by {known}")
        if not plan.alternating:
            raise ValueError(f"--simultaneous: in {self.text} the players are updated in turn")

    @property
    def bot_game(self) -> str:
        return str(self.game.with_parameters(abstraction="hands"))

    def fingerprint(self) -> str:
        deals = [
            array
            for deal in self.chain.deals
            for array in (deal.situation, deal.first_row, deal.action, deal.payoff, deal.follower)
        ]
        hands = self.chain.hands
        return _hash_of((*deals, hands.hand_class, hands.score, self.bucket))

    @property
    def size(self) -> str:
        return (
            f"{self.text}: {len(self.chain.deals):,} deals, {self.nodes:,} decisions, "
            f"{self.information_sets:,} information sets, {bytes_text(self.bytes)}"
        )


class ChainProblem(DealProblem):
    """Two-player Svara, deal by deal."""

    def __init__(self, game: Game, memory_limit: int) -> None:
        super().__init__(game, memory_limit)
        self._exact = ChainForm(self.chain)
        self.form = self._exact
        if self.buckets < self.chain.hands.classes:
            self.form = ChainForm(self.chain, HandMatrices(self.chain.hands, self.bucket))

    def new_solver(self, algorithm: str, plan: catalogue.Plan) -> VectorCfr:
        self.check(algorithm, plan)
        return VectorCfr(self.form, algorithm, plan.horizon, plan.threads)

    def evaluate(self, solver: Solver) -> Evaluation:
        assert isinstance(solver, VectorCfr)
        return solver.evaluate().game

    def solution(self, solver: Solver) -> DealStrategy:
        """The average strategy with every hand."""
        assert isinstance(solver, VectorCfr)
        strategy = solver.average_strategy()
        return strategy if self.form is self._exact else lift(strategy, self.bucket)

    def bot(self, solver: Solver) -> tuple[str, Chart, Evaluation]:
        chart = chart_of(self.chain, self.solution(solver))
        played = chart_strategy_of(self.chain, chart)[0]
        return self.bot_game, chart, evaluate_chain(self._exact, played).game

    def outlook(self, plan: catalogue.Plan, until: float | None) -> str | None:
        seconds = self.chain.rows * self.buckets * _SECONDS / plan.threads**0.8
        text = f"{self.size}; about {100 * seconds:.2g} s for 100 iterations"
        if until:
            stack = max(self.chain.start) / self.big_unit
            iterations = _ITERATIONS * (_REACH / until) ** _POWER * (stack / _STACK) ** _DEPTH
            text += f", {iterations * seconds:.2g} s to {until:g}"
        return text


class BucketProblem(DealProblem):
    """Three-player Svara, deal by deal, with strategies by buckets of hands.

    CFR promises no equilibrium here: exploitability says what best responses gain.
    """

    def new_solver(self, algorithm: str, plan: catalogue.Plan) -> BucketCfr:
        self.check(algorithm, plan)
        return BucketCfr(self.chain, self.bucket, algorithm, plan.horizon)

    def evaluate(self, solver: Solver) -> Evaluation:
        assert isinstance(solver, BucketCfr)
        return evaluate_buckets(solver.form, solver.average_strategy()).by_bucket

    def bot(self, solver: Solver) -> tuple[str, Chart, Evaluation]:
        assert isinstance(solver, BucketCfr)
        chart = chart_of(self.chain, lift(solver.average_strategy(), self.bucket))
        member = np.unique(self.bucket, return_index=True)[1]
        played = [rows[:, member] for rows in chart_strategy_of(self.chain, chart)[0]]
        return self.bot_game, chart, evaluate_buckets(solver.form, played).game

    def outlook(self, plan: catalogue.Plan, until: float | None) -> str | None:
        return f"{self.size}; with three players CFR promises no equilibrium"


def chain_within(game: Game, buckets: int, memory_limit: int) -> DealChain:
    """The deals of a game; TreeTooLargeError if they need more bytes than allowed."""
    try:
        return game.chain_of_deals(memory_limit // ChainForm.bytes_for(1, buckets))
    except ChainTooLongError as error:
        raise TreeTooLargeError(
            f"{error}: the memory limit of {bytes_text(memory_limit)} allows no more"
        ) from None


def check_memory(text: str, size: str, needed: int, allowed: int) -> None:
    """Raise TreeTooLargeError if a game of a size needs more bytes than allowed."""
    if needed > allowed:
        raise TreeTooLargeError(
            f"{text} has {size} ({bytes_text(needed)}), more than the memory limit of "
            f"{bytes_text(allowed)} allows"
        )


def _hash_of(arrays: tuple[np.ndarray, ...]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
