"""Ranges: exact ones are Bayes' posteriors of the tree, sampled ones come close, none peeks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import pytest

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.exact_strategy import strategy_of
from pokerspiel.agents.ranges import Ranges
from pokerspiel.games import drive
from pokerspiel.games.kernel import EVERYBODY, TERMINAL
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.tree import Tree
from tests.some_agents import positions, random_bot

SMALL = ("kuhn", "leduc", "mini_sviten", "mini_svara")


def ranges_of(game: Game, bot: CompiledAgent, observer: int | None, particles: int) -> Ranges:
    policy = bot.policy(game)
    return Ranges(game, dict.fromkeys(range(game.players), policy), observer, particles)


def state_after(game: Game, history: list[int]) -> np.ndarray:
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    for event in history:
        drive.apply_action(states, game.tables, event)
    return states


def by_key(game: Game, ranges: Ranges, seat: int) -> dict[int, float]:
    """The chance of each information set that `seat` may be in."""
    total: dict[int, float] = defaultdict(float)
    states = ranges.states
    for i, chance in enumerate(ranges.chances):
        total[int(drive.key_of(states[i : i + 1], game.tables, seat))] += float(chance)
    return {key: chance for key, chance in total.items() if chance > 0.0}


def posterior(tree: Tree, bot: CompiledAgent, information_set: int) -> dict[int, float] | None:
    """The same of the opponent by Bayes' rule, from the nodes of a set; None if never reached."""
    game = load(tree.game)
    strategy, _ = strategy_of(bot, tree)
    me = int(tree.set_player[information_set])
    chance, last = tree.chance_reach(), tree.last_sequences()
    reach = sequence_reach(tree, strategy)
    total: dict[int, float] = defaultdict(float)
    for node in np.flatnonzero(tree.information_set == information_set):
        states = state_after(game, tree.history(int(node)))
        key = int(drive.key_of(states, game.tables, 1 - me))
        total[key] += float(chance[node] * reach[last[1 - me, node]])
    whole = sum(total.values())
    return {key: x / whole for key, x in total.items() if x > 0.0} if whole > 0.0 else None


def sequence_reach(tree: Tree, strategy: np.ndarray) -> np.ndarray:
    """[S + 1] probability that a player plays each of its sequences; the last is the empty one."""
    reach = np.ones(tree.sequences + 1)
    for i in np.argsort(tree.set_node):
        first, end = tree.set_first[i : i + 2]
        reach[first:end] = reach[tree.set_parent[i]] * strategy[first:end]
    return reach


@pytest.mark.parametrize("text", SMALL)
@pytest.mark.parametrize("name", ["random-table", "random", "always-call"])
def test_exact_ranges_are_the_posteriors_of_the_tree(text: str, name: str) -> None:
    game, tree = load(text), compile_tree(text)
    bot = random_bot(text) if name == "random-table" else BASELINES[name]()
    followed = [ranges_of(game, bot, seat, 1000) for seat in range(2)]
    reached = 0
    some = np.random.default_rng(3).permutation(tree.information_sets)[:60]
    for i in map(int, some):
        ranges = followed[tree.set_player[i]]
        ranges.begin(0)
        ranges.follow(tree.history(int(tree.set_node[i])))
        assert ranges.exact
        expected = posterior(tree, bot, i)
        if expected is not None:
            reached += 1
            found = by_key(game, ranges, 1 - int(tree.set_player[i]))
            assert found == pytest.approx(expected, abs=1e-6)
    assert reached >= 5


def test_what_is_told_bit_by_bit_is_the_same_in_the_end() -> None:
    game = load("mini_sviten")
    bot = random_bot("mini_sviten")
    at_once, by_bits = (ranges_of(game, bot, 0, 1000) for _ in range(2))
    for states, past in positions(game, 20, 2):
        seat = 1 - int(states[0]["turn"])
        at_once.begin(0)
        at_once.follow(past)
        by_bits.begin(0)
        for end in range(len(past) + 1):
            by_bits.follow(past[:end])
        one, other = by_key(game, at_once, seat), by_key(game, by_bits, seat)
        assert one == pytest.approx(other)


@pytest.mark.parametrize("text", ["leduc", "mini_sviten", "mini_svara"])
def test_sampled_ranges_come_close_to_the_exact_ones(text: str) -> None:
    """Within five standard errors, which the effective size gives, for each set of the opponent."""
    game = load(text)
    bot = random_bot(text)
    exact = ranges_of(game, bot, 0, 1000)
    particles = ranges_of(game, bot, 0, 2000)
    told = 0
    for _, past in positions(game, 12, 7):
        exact.begin(0)
        particles.begin(told)
        exact.follow(past)
        particles.exact = False  # as if there were too many deals for all of them
        particles._used = 2000
        particles._restart(np.arange(2000))
        particles.follow(past)
        expected, found = by_key(game, exact, 1), by_key(game, particles, 1)
        assert found.keys() <= expected.keys()
        for key, chance in expected.items():
            error = (chance * (1.0 - chance) / particles.effective_size) ** 0.5
            assert abs(found.get(key, 0.0) - chance) <= 5.0 * error + 1e-6, (past, key)
        told += 1
    assert told > 10


def other_deal(game: Game, past: list[int], observer: int, seed: int) -> list[int]:
    """The hand with other cards and discards wherever the observer does not see them.

    Cards that are seen later are left for then. The public part of each event stays as it is.
    """
    random = np.random.default_rng(seed)
    truth, other = (state_after(game, []) for _ in range(2))
    cards = np.zeros(52, np.int64)
    seen_cards = set(cards_seen(game, past, observer))
    events = []
    for event in past:
        seen = drive.audience_of(truth, game.tables) in (EVERYBODY, observer)
        card = truth[0]["turn"] < 0
        move = event
        if not seen and card:
            stub = set(cards[: drive.list_cards(other, cards)].tolist())
            move = int(random.choice(sorted(stub - seen_cards)))
        drive.apply_action(truth, game.tables, event)
        if not seen and not card:
            move = _like(game, other, truth, random)
        drive.apply_action(other, game.tables, move)
        events.append(move)
    return events


def _like(game: Game, states: np.ndarray, after: np.ndarray, random: np.random.Generator) -> int:
    """A random action that looks to others as the true one did."""
    actions = np.zeros(game.limits.num_actions, np.int64)
    alike = []
    for action in actions[: drive.list_actions(states, game.tables, actions)].tolist():
        tried = states.copy()
        drive.apply_action(tried, game.tables, action)
        if tried[0]["history"] == after[0]["history"]:
            alike.append(action)
    return int(random.choice(alike))


def cards_seen(game: Game, past: list[int], observer: int) -> list[int]:
    states = state_after(game, [])
    seen = []
    for event in past:
        public = drive.audience_of(states, game.tables) in (EVERYBODY, observer)
        if states[0]["turn"] < 0 and public:
            seen.append(event)
        drive.apply_action(states, game.tables, event)
    return seen


@pytest.mark.parametrize("text", ["mini_sviten", "sviten_special", "svara(max_svarkas=0)"])
@pytest.mark.parametrize("observer", [0, 1, None])
def test_what_is_hidden_from_the_observer_changes_nothing(text: str, observer: int | None) -> None:
    game = load(text)
    ranges = ranges_of(game, BASELINES["random"](), observer, 50)
    who = EVERYBODY if observer is None else observer
    swapped = 0
    for _, past in positions(game, 6, 11):
        other = other_deal(game, past, who, len(past))
        swapped += other != past
        ranges.begin(5)
        ranges.follow(past)
        states, weights = ranges.states, ranges.weights
        ranges.begin(5)
        ranges.follow(other)
        assert np.array_equal(states, ranges.states)
        assert np.array_equal(weights, ranges.weights)
    assert swapped > 5


@pytest.mark.parametrize("text", ["sviten_special", "sviten_flush(players=3)", "svara"])
def test_particles_hold_what_is_seen(text: str) -> None:
    """Own cards, board, chips and public history; also after a svarka, to which few deals lead."""
    game = load(text)
    ranges = ranges_of(game, BASELINES["random"](), 0, 100)
    checked = 0
    for states, past in positions(game, 12, 4):
        ranges.begin(1)
        ranges.follow(past)
        assert ranges.exact or len(ranges.states) >= (50 if states[0]["epoch"] == 0 else 1)
        assert np.all(ranges.states["history"] == states[0]["history"])
        assert np.all(ranges.states["pot"] == states[0]["pot"])
        keys = {
            int(drive.key_of(ranges.states[i : i + 1], game.tables, 0))
            for i in range(len(ranges.states))
        }
        assert keys == {int(drive.key_of(states, game.tables, 0))}
        checked += 1
    assert checked > 10


def test_public_ranges_weigh_each_seat_for_itself() -> None:
    """In Kuhn, who bets and is called: each weight is what the seat's own table says."""
    game = load("kuhn")
    bot, tree = random_bot("kuhn"), compile_tree("kuhn")
    strategy, _ = strategy_of(bot, tree)
    chance_of = chances_by_key(tree, strategy)
    ranges = ranges_of(game, bot, None, 100)
    ranges.follow([2, 0, 1, 1])
    assert ranges.exact and len(ranges.states) == 6
    assert np.all(ranges.states["turn"] == TERMINAL)
    for state, weights in zip(ranges.states, ranges.weights, strict=True):
        cards = state["card"][:2].tolist()
        first, second = state_after(game, cards), state_after(game, [*cards, 1])
        expected = [
            chance_of[int(drive.key_of(states, game.tables, seat)), 1]
            for seat, states in enumerate((first, second))
        ]
        assert weights == pytest.approx(expected, abs=1e-6)


def chances_by_key(tree: Tree, strategy: np.ndarray) -> Mapping[tuple[int, int], float]:
    return {
        (int(tree.set_key[i]), int(action)): float(strategy[tree.set_first[i] + place])
        for i in range(tree.information_sets)
        for place, action in enumerate(tree.actions(i))
    }


def test_what_the_policy_never_does_leaves_all_deals_alike() -> None:
    """A calling station never bets: when it has, its cards are as likely as before."""
    game = load("kuhn")
    ranges = ranges_of(game, BASELINES["always-call"](), 1, 100)
    ranges.follow([0, 1, 1])
    assert ranges.weights[:, 0].tolist() == [0.0, 0.0]
    assert ranges.chances.tolist() == [0.5, 0.5]


def test_hands_go_on_and_are_of_some_size() -> None:
    game = load("kuhn")
    ranges = ranges_of(game, BASELINES["random"](), 0, 10)
    ranges.follow([0, 1, 1])
    with pytest.raises(ValueError, match="do not go on"):
        ranges.follow([1, 0, 1])
    with pytest.raises(ValueError, match="particles=0 is not allowed"):
        ranges_of(game, BASELINES["random"](), 0, 0)
