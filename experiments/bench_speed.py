"""`pokerspiel bench speed`: this package against others, as ratios measured in one run.

Ours and the rival's turn alternate over several rounds; the figures are medians. A rate counts the
same thing on both sides, named by the row's unit, on one core.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.util import find_spec
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np

from pokerspiel.experiments import bench_neural, bench_solvers
from pokerspiel.experiments.bench_row import Row, timed
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.games import drive, variants
from pokerspiel.games.cards import CARDS, card_name
from pokerspiel.games.hands import hand_tables, rank_hands, rank_omaha_hands

LIMIT_HOLDEM = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=2 1,firstPlayer=2 1 1 1,"
    "raiseSize=2 2 4 4,maxRaises=3 4 4 4,numSuits=4,numRanks=13,numHoleCards=2,"
    "numBoardCards=0 3 1 1,stack=1000 1000)"
)
ABSTRACT = {
    "svara": "svara(abstraction=points)",
    "sviten_special": "sviten_special(abstraction=halves)",
}


@dataclass(frozen=True)
class Budget:
    rounds: int
    seconds: float


FULL, QUICK = Budget(9, 0.5), Budget(3, 0.2)


def run(only: Sequence[str], quick: bool, seed: int, json: bool, quiet: bool) -> None:
    rows = [row for row in all_rows() if not only or any(part in row.name for part in only)]
    if not rows:
        names = ", ".join(row.name for row in all_rows())
        raise ValueError(f"--only {' '.join(only)}: no such row; there are: {names}")
    results = []
    for row in rows:
        note(f"measuring {row.name} against {row.rival_name} ...", quiet)
        results.append(measure(row, QUICK if quick else FULL, seed))
    if json:
        print_json({"rows": results})
    else:
        _print(results)


def measure(row: Row, budget: Budget, seed: int) -> dict[str, Any]:
    """The medians of both sides, after an untimed turn of each."""
    ours, rivals = [], []
    row.ours(0.01, seed)
    if row.rival is not None:
        row.rival(0.01, seed)
    for turn in range(budget.rounds):
        ours.append(row.ours(budget.seconds, seed + turn))
        if row.rival is not None:
            rivals.append(row.rival(budget.seconds, seed + turn))
    rival = median(rivals) if rivals else None
    return {
        "name": row.name,
        "unit": row.unit,
        "ours": median(ours),
        "rival": rival,
        "ratio": median(ours) / rival if rival else None,
        "goal": row.goal,
        "absolute": row.absolute,
        "rival_name": row.rival_name
        if rival or row.absolute
        else f"{row.rival_name} (not installed)",
    }


def _print(results: Sequence[dict[str, Any]]) -> None:
    cells = []
    for row in results:
        rival = "" if row["rival"] is None else f"{row['rival']:,.0f}"
        ratio = "" if row["ratio"] is None else f"{row['ratio']:,.2f}"
        reached = row["ours"] if row["absolute"] else row["ratio"]
        met = "" if reached is None else ("yes" if reached >= row["goal"] else "NO")
        name = f"{row['name']}, {row['unit']}/s"
        goal = f"{row['goal']:,g}"
        cells.append((name, f"{row['ours']:,.0f}", rival, row["rival_name"], ratio, goal, met))
    columns = ("what", "ours>", "rival>", "rival's name", "ratio>", "goal>", "met")
    print_table("", columns, cells)


def all_rows() -> list[Row]:
    games = ("svara", "sviten_special")
    kernel_goals, nodes_goal = {"svara": 50.0, "sviten_special": 20.0}, 100.0
    rows = [
        Row(
            f"{name} play-outs in the kernel",
            "moves",
            kernel_goals[name],
            partial(kernel_moves, name),
            partial(python_moves, LIMIT_HOLDEM),
            "universal_poker, limit hold'em, from Python",
        )
        for name in games
    ]
    rows += [
        Row(
            f"{name} play-outs through OpenSpiel",
            "moves",
            0.5,
            partial(python_moves, name),
            partial(python_moves, "python_kuhn_poker"),
            "python_kuhn_poker",
        )
        for name in games
    ]
    rows.append(
        Row(
            "leduc external sampling",
            "iterations",
            6.0,
            partial(mccfr_rate, "leduc", "iteration"),
            partial(openspiel_iterations, "leduc_poker"),
            "OpenSpiel's C++ external sampling",
        )
    )
    rows += [
        Row(
            f"{name} external sampling",
            "nodes",
            nodes_goal,
            partial(mccfr_rate, ABSTRACT[name], "nodes"),
            partial(openspiel_nodes, ABSTRACT[name]),
            "OpenSpiel's C++ external sampling on our game",
        )
        for name in games
    ]
    return [*rows, *_hand_rows(), *bench_solvers.rows(), *bench_neural.rows()]


def _hand_rows() -> list[Row]:
    installed = find_spec("eval7") is not None
    five, omaha = (eval7_rate, eval7_omaha_rate) if installed else (None, None)
    brute_force = "eval7, all 100 choices of 2 and 3 cards"
    return [
        Row("five-card hands", "hands", 60.0, five_card_rate, five, "eval7"),
        Row("Omaha with five hole cards", "hands", 100.0, omaha_rate, omaha, brute_force),
    ]


# Random play-outs. Moves are actions and cards.


def kernel_moves(name: str, seconds: float, seed: int) -> float:
    game = variants.load(name)
    states, decks = game.new_states(), drive.new_decks()
    actions = np.zeros(game.limits.num_actions, np.int64)

    def play(turn: int) -> int:
        hand_seed = np.uint64(seed * 1_000_003 + turn)
        moves, _ = drive.random_hands(states, game.tables, decks, actions, 2000, hand_seed)
        return int(moves)

    return timed(play, seconds)


def python_moves(game_string: str, seconds: float, seed: int) -> float:
    """A pyspiel game driven from Python; chance is sampled by its probabilities."""
    game = _spiel_game(game_string)
    luck = random.Random(seed)
    return timed(lambda turn: _python_hand(game, luck), seconds)


def _python_hand(game: Any, luck: random.Random) -> int:
    moves = 0
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(_fall(state.chance_outcomes(), luck.random()))
        else:
            state.apply_action(luck.choice(state.legal_actions()))
        moves += 1
    state.returns()
    return moves


def _fall(outcomes: Sequence[tuple[int, float]], mark: float) -> int:
    """The outcome at `mark` in [0, 1): faster than any library's choice on short lists."""
    for action, probability in outcomes:
        mark -= probability
        if mark < 0.0:
            return action
    return outcomes[-1][0]


@lru_cache(maxsize=8)
def _spiel_game(game_string: str) -> Any:
    import open_spiel.python.games  # noqa: F401, registers python_kuhn_poker
    import pyspiel

    return pyspiel.load_game(game_string)


# External sampling. One iteration is a traversal for each player.


def mccfr_rate(game_string: str, what: str, seconds: float, seed: int) -> float:
    from pokerspiel.solvers.mccfr import Mccfr

    solver = Mccfr(variants.load(game_string), seed)
    solver.run(seconds=seconds)
    return float(getattr(solver.state, what)) / solver.state.seconds


def openspiel_iterations(game_string: str, seconds: float, seed: int) -> float:
    solver = _openspiel_solver(game_string, seed)

    def iterate(turn: int) -> int:
        solver.run_iteration()
        return 1

    return timed(iterate, seconds)


def openspiel_nodes(game_string: str, seconds: float, seed: int) -> float:
    """States that OpenSpiel's solver visits a second on one of our games, from an empty table."""
    return OpenSpielTraining(game_string)(seconds, seed)


class OpenSpielTraining:
    """One training of OpenSpiel's solver, which goes on from stretch to stretch.

    The solver has no counter: another one of the same seed does the same iterations with the states
    counted as they are made, which costs time that is not measured.
    """

    def __init__(self, game_string: str) -> None:
        self._game = game_string
        self._solvers: tuple[Any, Any] | None = None

    def __call__(self, seconds: float, seed: int) -> float:
        """Nodes a second in a stretch; the seed of the first one is that of the training."""
        if self._solvers is None:
            self._solvers = (
                _openspiel_solver(self._game, seed),
                _openspiel_solver(self._game, seed),
            )
        timed_one, counted_one = self._solvers
        iterations = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            timed_one.run_iteration()
            iterations += 1
        elapsed = time.perf_counter() - start
        return _count_nodes(counted_one, self._game, iterations) / elapsed


def _openspiel_solver(game_string: str, seed: int) -> Any:
    import pyspiel

    return pyspiel.ExternalSamplingMCCFRSolver(_spiel_game(game_string), seed=seed % 2**31)


def _count_nodes(solver: Any, game_string: str, iterations: int) -> int:
    """States that the next iterations visit: the roots, and one an action or card."""
    from pokerspiel.games.openspiel import KernelState

    roots = iterations * _spiel_game(game_string).num_players()
    moves = 0
    method = "_apply_action"
    original = getattr(KernelState, method)

    def counted(state: Any, action: int) -> None:
        nonlocal moves
        moves += 1
        original(state, action)

    setattr(KernelState, method, counted)
    try:
        for _ in range(iterations):
            solver.run_iteration()
    finally:
        setattr(KernelState, method, original)
    return int(roots) + moves


# Hands.

BATCH = 200_000
EVAL7_BATCH = 5_000
OMAHA_BATCH = 50_000
EVAL7_OMAHA_BATCH = 50


def _random_cards(hands: int, cards: int, seed: int) -> np.ndarray:
    """Different random cards in each row: uint8[hands, cards]."""
    order = np.random.default_rng(seed).random((hands, CARDS)).argpartition(cards, axis=1)
    return np.ascontiguousarray(order[:, :cards].astype(np.uint8))


def five_card_rate(seconds: float, seed: int) -> float:
    hands = _random_cards(BATCH, 5, seed)
    out = np.zeros(BATCH, np.int64)
    tables = hand_tables()

    def rank(turn: int) -> int:
        rank_hands(tables, hands, out)
        return BATCH

    return timed(rank, seconds)


def omaha_rate(seconds: float, seed: int) -> float:
    cards = _random_cards(OMAHA_BATCH, 10, seed)
    holes, boards = np.ascontiguousarray(cards[:, :5]), np.ascontiguousarray(cards[:, 5:])
    out = np.zeros(OMAHA_BATCH, np.int64)
    tables = hand_tables()

    def rank(turn: int) -> int:
        rank_omaha_hands(tables, holes, boards, out)
        return OMAHA_BATCH

    return timed(rank, seconds)


def eval7_rate(seconds: float, seed: int) -> float:
    from eval7 import evaluate

    hands = _eval7_cards(_random_cards(EVAL7_BATCH, 5, seed))

    def rank(turn: int) -> int:
        for hand in hands:
            evaluate(hand)
        return EVAL7_BATCH

    return timed(rank, seconds)


def eval7_omaha_rate(seconds: float, seed: int) -> float:
    from eval7 import evaluate

    hands = _eval7_cards(_random_cards(EVAL7_OMAHA_BATCH, 10, seed))

    def rank(turn: int) -> int:
        for cards in hands:
            pairs = [list(pair) for pair in combinations(cards[:5], 2)]
            triples = [list(triple) for triple in combinations(cards[5:], 3)]
            max(evaluate(pair + triple) for pair in pairs for triple in triples)
        return EVAL7_OMAHA_BATCH

    return timed(rank, seconds)


def _eval7_cards(hands: np.ndarray) -> list[list[Any]]:
    from eval7 import Card

    deck = [Card(card_name(card)) for card in range(CARDS)]
    return [[deck[card] for card in hand] for hand in hands.tolist()]
