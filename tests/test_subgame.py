"""The last betting round: what it pays, whom it lets meet, and that its solution is exact."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from pokerspiel.games import drive
from pokerspiel.games.cards import mask_of, parse_cards
from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.games.sviten.state import DRAW, RIVER
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.algorithms import DISCOUNTING
from pokerspiel.solvers.subgame import (
    FOLDED,
    SHOWDOWN,
    PublicTree,
    Range,
    Subgame,
    SubgameTooLargeError,
    build_subgame,
)
from pokerspiel.solvers.subgame_cfr import SubgameSolution, solve

EXACT = "sviten_special(odd_chip=fractional)"
GAMES = (
    EXACT,
    "sviten_flush(odd_chip=fractional)",
    "sviten_special(odd_chip=fractional,betting=no_limit,bet_sizes=1 max,stacks=20 33)",
)
BOARD = "2c7d9hJsQc"
HANDS = (
    ("AcAdKhKs3c", "9c9dTs8s4h", "2d3d4d5d6h"),
    ("QdQhJdJh5c", "KcTcAh6h7h", "8c8d8h6s5s"),
)


def river(game: Game, one: list[int], other: list[int], board: list[int]) -> np.ndarray:
    """The river after checks and calls in which both seats drew no card."""
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    private = [card for pair in zip(one, other, strict=True) for card in pair]
    shared = list(board)
    while states[0]["turn"] == CHANCE or states[0]["street"] < RIVER:
        if states[0]["turn"] == CHANCE:
            action = shared.pop(0) if states[0]["shared"] else private.pop(0)
        elif states[0]["phase"] == DRAW:
            action = int(game.tables.rules[0]["after_wagers"])
        else:
            action = 1
        drive.apply_action(states, game.tables, action)
    return states


def deals(game: Game, hands: list[list[list[int]]], board: list[int]) -> list[np.ndarray]:
    """[states, held]: deal i gives both seats their hand i; the hands of a deal must not clash."""
    pairs = list(zip(*hands, strict=True))
    states = np.concatenate([river(game, one, other, board) for one, other in pairs])
    return [states, np.array([[mask_of(hand) for hand in seat] for seat in hands], np.uint64)]


def explicit(game: Game) -> list[np.ndarray]:
    hands = [[parse_cards(hand) for hand in seat] for seat in HANDS]
    return deals(game, hands, parse_cards(BOARD))


def random_deals(game: Game, n: int, seed: int) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    deck = random.permutation(52).tolist()
    dealt = [random.permutation(deck[5:])[:10].tolist() for _ in range(n)]
    return deals(game, [[d[:5] for d in dealt], [d[5:] for d in dealt]], deck[:5])


def built(
    game: Game, states: np.ndarray, held: np.ndarray, weights: np.ndarray, seen: int = 0
) -> Subgame:
    """The subgame of deals; `seen` are cards that seat 0 has seen besides in the first of them."""
    ranges = [
        Range(states, held[seat], np.zeros(len(states), np.uint64), weights[seat])
        for seat in range(2)
    ]
    ranges[0].seen[:1] = seen
    return build_subgame(game, (ranges[0], ranges[1]))


def some_subgame(n: int = 60, seed: int = 1) -> Subgame:
    game = load("sviten_special")
    states, held = random_deals(game, n, seed)
    return built(game, states, held, np.random.default_rng(seed).random((2, n)))


def path_to(tree: PublicTree, node: int) -> list[int]:
    path: list[int] = []
    while node:
        path.insert(0, int(tree.action[node]))
        node = next(
            i for i in range(node) if tree.first[i] <= node < tree.first[i] + tree.choices[i]
        )
    return path


def payoff(subgame: Subgame, node: int) -> np.ndarray:
    """[N_0, N_1]: what seat 0 wins at a terminal."""
    folded = subgame.tree.player[node] == FOLDED
    return np.asarray(
        subgame.tree.chips[node] * (subgame.meets if folded else subgame.showdown), np.float64
    )


# What a round pays


@pytest.mark.parametrize("text", GAMES)
def test_terminals_pay_what_the_game_pays(text: str) -> None:
    game = load(text)
    board = parse_cards(BOARD)
    subgame = built(game, *explicit(game), np.ones((2, 3)))
    terminals = np.flatnonzero(subgame.tree.player < 0)
    assert {SHOWDOWN, FOLDED} == set(subgame.tree.player[terminals].tolist())
    for node in terminals:
        pays = payoff(subgame, node)
        for i, j in itertools.product(range(3), repeat=2):
            one, other = parse_cards(HANDS[0][i]), parse_cards(HANDS[1][j])
            k, m = subgame.hand_of_deal[0][i], subgame.hand_of_deal[1][j]
            if mask_of(one) & mask_of(other):
                assert pays[k, m] == 0.0
                continue
            states = river(game, one, other, board)
            for action in path_to(subgame.tree, node):
                drive.apply_action(states, game.tables, action)
            assert states[0]["turn"] == TERMINAL
            assert pays[k, m] == pytest.approx(float(states[0]["returns"][0]), abs=1e-6)


def test_odd_chips_are_missed_by_one_at_most() -> None:
    game = load("sviten_special(small_blind=1,big_blind=3,stack=90)")
    states, held = random_deals(game, 30, 4)
    subgame = built(game, states, held, np.ones((2, 30)))
    for node in np.flatnonzero(subgame.tree.player == SHOWDOWN):
        pays = payoff(subgame, node)
        for i in range(30):
            deal = states[i : i + 1].copy()
            for action in path_to(subgame.tree, node):
                drive.apply_action(deal, game.tables, action)
            estimate = pays[subgame.hand_of_deal[0][i], subgame.hand_of_deal[1][i]]
            assert abs(estimate - float(deal[0]["returns"][0])) <= 1.0


def test_hands_meet_that_share_no_card() -> None:
    game = load(EXACT)
    states, held = random_deals(game, 40, 2)
    seen = int(held[1, 1])
    subgame = built(game, states, held, np.ones((2, 40)), seen)
    for i, j in itertools.product(range(40), repeat=2):
        clash = (int(held[0, i]) | (seen if i == 0 else 0)) & int(held[1, j])
        k, m = subgame.hand_of_deal[0][i], subgame.hand_of_deal[1][j]
        assert subgame.meets[k, m] == (clash == 0)
        assert clash == 0 or subgame.showdown[k, m] == 0.0


def test_the_same_hand_of_two_deals_is_one() -> None:
    game = load(EXACT)
    states, held = random_deals(game, 5, 3)
    once = built(game, states, held, np.full((2, 5), 3.0))
    thrice = built(
        game, np.tile(states, 3), np.tile(held, (1, 3)), np.tile([0.5, 1.0, 1.5], (2, 5))
    )
    for seat in range(2):
        assert len(thrice.weights[seat]) == len(once.weights[seat])
        assert thrice.weights[seat].sum() == pytest.approx(once.weights[seat].sum())
    assert np.array_equal(thrice.showdown, once.showdown)


# What a solution is


def kuhn() -> Subgame:
    """All of Kuhn poker: behind the deal there is one betting round."""
    game = load("kuhn")
    dealt = list(itertools.permutations(range(3), 2))
    states = game.new_states(len(dealt))
    for i, cards in enumerate(dealt):
        drive.begin_hand(states[i : i + 1], game.tables)
        for card in cards:
            drive.apply_action(states[i : i + 1], game.tables, card)
    held = np.array([[1 << cards[seat] for cards in dealt] for seat in range(2)], np.uint64)
    return built(game, states, held, np.ones((2, len(dealt))))


@pytest.mark.parametrize("algorithm", ["cfr+", "dcfr", "pcfr+"])
def test_kuhn_poker_is_worth_minus_one_eighteenth(algorithm: str) -> None:
    """Kuhn 1950: so much to the first player, and the second one has one strategy only."""
    solution = solve(kuhn(), 3000, algorithm=algorithm)
    assert solution.evaluation.values == pytest.approx([-1 / 18, 1 / 18], abs=2e-3)
    assert solution.exploitability < 2e-3
    tree = solution.subgame.tree
    after_pass, after_bet = (solution.strategy(tree.child(0, action)) for action in (0, 1))
    assert after_pass[1] == pytest.approx([1 / 3, 0.0, 1.0], abs=0.02)
    assert after_bet[1] == pytest.approx([0.0, 1 / 3, 1.0], abs=0.02)


@pytest.mark.parametrize(("pot", "bet"), [(2.0, 2.0), (4.0, 1.0), (2.0, 6.0)])
def test_a_polarised_range_bluffs_as_often_as_the_odds_say(pot: float, bet: float) -> None:
    """Nuts or nothing against a bluff catcher: B/(P+2B) of the bets are bluffs, P/(P+B) are called.

    Ankenman and Chen 2006, "The mathematics of poker", on half-street games.
    """
    tree = PublicTree(
        player=np.array([0, SHOWDOWN, 1, FOLDED, SHOWDOWN]),
        action=np.array([-1, 0, 1, 0, 1]),
        first=np.array([1, 0, 3, 0, 0]),
        choices=np.array([2, 0, 2, 0, 0]),
        chips=np.array([0.0, pot / 2, 0.0, pot / 2, pot / 2 + bet]),
    )
    pairs = np.array([[1.0], [-1.0]], np.float32)
    hands = np.arange(2), np.arange(1)
    subgame = Subgame(tree, (np.ones(2), np.ones(1)), pairs, np.ones((2, 1), np.float32), hands)
    solution = solve(subgame, 20_000)
    nuts, nothing = solution.strategy(0)[1]
    assert nuts == pytest.approx(1.0, abs=0.01)
    assert nothing / (nothing + nuts) == pytest.approx(bet / (pot + 2 * bet), abs=0.01)
    assert solution.strategy(2)[1, 0] == pytest.approx(pot / (pot + bet), abs=0.01)


def value_by_linear_program(subgame: Subgame) -> float:
    """The value to seat 0, on the sequence form: a sequence is a hand and a node it has led to."""
    tree = subgame.tree
    plans = [_sequences(subgame, seat) for seat in range(2)]
    payoffs = np.zeros((len(plans[0][0]), len(plans[1][0])))
    chance = subgame.chance
    for node in np.flatnonzero(tree.player < 0):
        pays = payoff(subgame, node)
        for (i, one), (j, other) in itertools.product(
            enumerate(subgame.weights[0]), enumerate(subgame.weights[1])
        ):
            row = plans[0][0][i, _last_own(tree, node, 0)]
            column = plans[1][0][j, _last_own(tree, node, 1)]
            payoffs[row, column] += one * other / chance * pays[i, j]
    (_, first, first_sum), (_, second, second_sum) = plans
    # maximise q . f   subject to   payoffs^T x - F^T q >= 0,   E x = e,   x >= 0
    n, m = payoffs.shape[0], len(second_sum)
    result = linprog(
        np.concatenate([np.zeros(n), -second_sum]),
        A_ub=np.hstack([-payoffs.T, second.T]),
        b_ub=np.zeros(payoffs.shape[1]),
        A_eq=np.hstack([first, np.zeros((len(first_sum), m))]),
        b_eq=first_sum,
        bounds=[(0, None)] * n + [(None, None)] * m,
    )
    assert result.success
    return float(-result.fun)


def _last_own(tree: PublicTree, node: int, seat: int) -> int:
    """The node that the last action of a seat on the way to `node` led to; 0 if it had none."""
    while node:
        above = next(
            i for i in range(node) if tree.first[i] <= node < tree.first[i] + tree.choices[i]
        )
        if tree.player[above] == seat:
            return node
        node = above
    return 0


def _sequences(
    subgame: Subgame, seat: int
) -> tuple[dict[tuple[int, int], int], np.ndarray, np.ndarray]:
    """(Place of each sequence, the plan's constraints, their right-hand side)."""
    tree, hands = subgame.tree, range(len(subgame.weights[seat]))
    own = np.flatnonzero(tree.player == seat).tolist()
    led = [0, *(tree.first[v] + k for v in own for k in range(tree.choices[v]))]
    place = {(h, int(node)): i for i, (h, node) in enumerate(itertools.product(hands, led))}
    rows, sums = [], []
    for hand in hands:
        row = np.zeros(len(place))
        row[place[hand, 0]] = 1.0
        rows.append(row)
        sums.append(1.0)
        for node in own:
            row = np.zeros(len(place))
            row[place[hand, _last_own(tree, node, seat)]] = -1.0
            for k in range(tree.choices[node]):
                row[place[hand, int(tree.first[node]) + k]] = 1.0
            rows.append(row)
            sums.append(0.0)
    return place, np.array(rows), np.array(sums)


@pytest.mark.parametrize("text", GAMES)
@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (0.2, 3.0, 0.5)])
def test_the_value_is_that_of_a_linear_program(text: str, weights: tuple[float, ...]) -> None:
    game = load(text)
    subgame = built(game, *explicit(game), np.array([weights, weights[::-1]]))
    solution = solve(subgame, 4000)
    value = value_by_linear_program(subgame)
    assert solution.exploitability < 2e-3
    assert solution.evaluation.values[0] == pytest.approx(value, abs=4e-3)
    lowest, highest = -solution.evaluation.best_values[1], solution.evaluation.best_values[0]
    assert lowest - 1e-5 <= value <= highest + 1e-5


@pytest.mark.parametrize("algorithm", DISCOUNTING)
def test_exploitability_falls(algorithm: str) -> None:
    subgame = some_subgame()
    few, many = (solve(subgame, n, algorithm=algorithm) for n in (20, 1000))
    assert 0.0 <= many.exploitability < 0.2 * few.exploitability
    assert many.exploitability < 0.05


def test_what_one_seat_wins_the_other_loses() -> None:
    for iterations in (1, 100):
        values = solve(some_subgame(), iterations).evaluation.values
        assert values.sum() == pytest.approx(0.0, abs=1e-9)
        assert abs(values[0]) > 1e-3


def test_strategies_are_probabilities() -> None:
    solution = solve(some_subgame(), 50)
    for node in np.flatnonzero(solution.subgame.tree.player >= 0):
        chances = solution.strategy(int(node))
        assert (chances >= 0.0).all()
        assert chances.sum(axis=0) == pytest.approx(np.ones(chances.shape[1]))
    with pytest.raises(ValueError, match="is a terminal"):
        solution.strategy(int(np.flatnonzero(solution.subgame.tree.player < 0)[0]))


def test_a_hand_that_nobody_can_meet_changes_nothing() -> None:
    """The strongest hand of seat 1 shares a card with each hand of seat 0."""
    game = load(EXACT)
    one = [parse_cards("AcAdKhKs3c"), parse_cards("Ac2d3d4d5d"), parse_cards("Ac6d7h8h9s")]
    other = [parse_cards(hand) for hand in ("QdQhJd5c6c", "KcTcAh6h7c", "8c8s8d5s6s")]
    board = parse_cards(BOARD)
    states, held = deals(game, [one, other], board)
    without = solve(built(game, states, held, np.ones((2, 3))), 500)
    blocked = np.append(held, held[:, :1], axis=1)
    blocked[1, 3] |= np.uint64(mask_of(parse_cards("Ac")))
    subgame = built(game, np.append(states, states[:1]), blocked, np.ones((2, 4)))
    weights = subgame.weights[0].copy()
    weights[subgame.hand_of_deal[0][3]] = 1.0
    subgame = Subgame(
        subgame.tree,
        (weights, subgame.weights[1]),
        subgame.showdown,
        subgame.meets,
        subgame.hand_of_deal,
    )
    with_it = solve(subgame, 500)
    assert with_it.evaluation.values == pytest.approx(without.evaluation.values, abs=1e-5)
    assert with_it.hand_values(1)[subgame.hand_of_deal[1][3]] == 0.0


def test_a_hand_without_weight_plays_as_the_same_hand_with_some() -> None:
    """Its own weight does not matter to a hand, but for how the other answers it."""
    game = load(EXACT)
    states, held = random_deals(game, 50, 6)
    weights = np.ones((2, 50))
    seldom = weights.copy()
    weights[0, 7], seldom[0, 7] = 1e-4, 0.0
    chances = []
    for given in (weights, seldom):
        solution = solve(built(game, states, held, given), 300)
        hand = solution.subgame.hand_of_deal[0][7]
        chances.append(solution.strategy(0)[:, hand])
    assert chances[0] == pytest.approx(chances[1], abs=0.02)


# Limits and refusals


def test_time_runs_out() -> None:
    solution = solve(some_subgame(), 10**9, seconds=0.05)
    assert 1 <= solution.iterations < 10**8
    assert 0.05 <= solution.seconds < 5.0


def test_the_same_iterations_give_the_same_numbers() -> None:
    results = [solve(some_subgame(), 70, seconds=limit) for limit in (None, 3600.0)]
    assert np.array_equal(results[0].strategies[0], results[1].strategies[0])
    assert isinstance(results[0], SubgameSolution)


def test_no_iterations_are_refused() -> None:
    with pytest.raises(ValueError, match="iterations=0 is not allowed"):
        solve(some_subgame(), 0)


def _before_the_river(phase: int) -> tuple[Game, np.ndarray]:
    game = load("sviten_special")
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    cards = iter(range(52))
    while states[0]["turn"] == CHANCE or states[0]["phase"] != phase:
        action = next(cards) if states[0]["turn"] == CHANCE else 1
        drive.apply_action(states, game.tables, action)
    return game, states


@pytest.mark.parametrize(("phase", "words"), [(1, "cards still fall"), (DRAW, "only the last rou")])
def test_only_the_last_round_is_taken(phase: int, words: str) -> None:
    game, states = _before_the_river(phase)
    with pytest.raises(ValueError, match=words):
        built(game, states, np.array([[1], [2]], np.uint64), np.ones((2, 1)))


def test_other_points_are_refused() -> None:
    game = load(EXACT)
    states, held = explicit(game)
    weights = np.ones((2, 3))
    moved = states.copy()
    drive.apply_action(moved[:1], game.tables, 1)
    with pytest.raises(ValueError, match="one public point"):
        built(game, moved, held, weights)
    with pytest.raises(ValueError, match="has 3 players"):
        built(load("sviten_special(players=3)"), states, held, weights)
    with pytest.raises(ValueError, match="no hands of seat 0"):
        built(game, states[:0], held[:, :0], weights[:, :0])
    with pytest.raises(ValueError, match="ranges are empty"):
        built(game, states, held, 0.0 * weights)
    with pytest.raises(ValueError, match="weights of seat 1"):
        built(game, states, held, weights * [[1.0], [-1.0]])
    over = states.copy()
    over["turn"] = TERMINAL
    with pytest.raises(ValueError, match="nobody is to act"):
        built(game, over, held, weights)


def test_a_round_of_any_bets_is_too_large() -> None:
    game = load("sviten_special(betting=no_limit)")
    with pytest.raises(SubgameTooLargeError, match="more than"):
        built(game, *explicit(game), np.ones((2, 3)))
