"""The bot that solves its last betting round: what it knows, when it does so, and that it helps."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.agent import CompiledAgent, legal
from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.policy import choose, new_work
from pokerspiel.agents.river_resolver import Resolving, RiverResolver, thinned
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.spiel_bot import spiel_game_of
from pokerspiel.games import conformance, drive
from pokerspiel.games.betting import CALL, FOLD, WAGER
from pokerspiel.games.cards import parse_cards
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE
from pokerspiel.games.sviten.state import DRAW
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.blueprint import average_blueprint
from pokerspiel.solvers.mccfr import Mccfr
from tests.some_agents import random_bot

SVITEN = "sviten_special"


@lru_cache(maxsize=4)
def trained(text: str) -> Bot:
    """A bot of the abstraction `halves` after a few iterations."""
    game = load(text).with_parameters(abstraction="halves")
    solver = Mccfr(game, seed=1)
    solver.run(iterations=300)
    return Bot("halves", game, average_blueprint(solver.state.table), None)


def small(bot: CompiledAgent, **changes: Any) -> RiverResolver:
    """A resolver that thinks little."""
    return RiverResolver(bot, **{"iterations": 20, "hands": 40, "particles": 150, **changes})


def told(agent: RiverResolver, game: Game, seat: int, events: list[int]) -> Resolving:
    follower = agent.follow(game, seat)
    for event in events:
        follower.tell(event)
    return follower


# What it knows


def _rivers(text: str, seed: int) -> Iterator[tuple[Any, Any]]:
    """Pairs of last rounds that the seat to act cannot tell apart, nobody having folded."""
    game = load(text)
    last = int(game.tables.rules[0]["rounds"]) - 1
    random = np.random.default_rng(seed)
    spiel_game = spiel_game_of(game)
    state = spiel_game.new_initial_state()
    while not state.is_terminal():
        if state.current_player() >= 0:
            if state.kernel_state()[0]["street"] == last:
                other = conformance.other_world(spiel_game, state, state.current_player(), random)
                if other is not None and other.history() != state.history():
                    yield state, other
            actions = [action for action in state.legal_actions() if action != FOLD]
            state.apply_action(int(random.choice(actions)))
        else:
            state.apply_action(int(random.choice([card for card, _ in state.chance_outcomes()])))


@pytest.mark.parametrize("text", [SVITEN, "sviten_flush", "mini_sviten"])
def test_it_does_not_notice_other_hidden_cards(text: str) -> None:
    game = load(text)
    agent = small(random_bot(f"{text}(abstraction=halves)"))
    compared = 0
    for seed in range(12):
        for one, other in _rivers(text, seed):
            seat = one.current_player()
            chances = [
                told(agent, game, seat, state.history()).resolved() for state in (one, other)
            ]
            assert chances[0] is not None
            assert chances[0] == chances[1]
            compared += 1
    assert compared > 5


def test_its_seed_is_its_only_luck() -> None:
    game = load(SVITEN)
    bot = random_bot(f"{SVITEN}(abstraction=halves)")
    state, _ = next(_rivers(SVITEN, 1))
    seat, events = state.current_player(), state.history()
    chances = [told(small(bot, seed=seed), game, seat, events).resolved() for seed in (4, 4, 5)]
    assert chances[0] == chances[1] != chances[2]


# What it plays


def events_to_the_river(game: Game, own: list[int], board: list[int]) -> list[int]:
    """Checks, calls and no draws; seat 1 has the cards `own`, seat 0 some that are left."""
    free = [card for card in range(52) if card not in own + board]
    private = [card for pair in zip(free, own, strict=False) for card in pair]
    shared = list(board)
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    events = []
    while states[0]["turn"] == CHANCE or states[0]["street"] < 3:
        if states[0]["turn"] == CHANCE:
            event = shared.pop(0) if states[0]["shared"] else private.pop(0)
        else:
            pat = int(game.tables.rules[0]["after_wagers"])
            event = pat if states[0]["phase"] == DRAW else CALL
        events.append(event)
        drive.apply_action(states, game.tables, event)
    return events


def test_the_best_hand_bets_and_never_folds() -> None:
    """A royal flush held, and the best straight flush with the board: nobody can win a chip."""
    game = load(SVITEN)
    own, board = parse_cards("AsKsQsJsTs"), parse_cards("9s8s7s2d3c")
    before = events_to_the_river(game, own, board)
    agent = RiverResolver(trained(SVITEN), iterations=300, hands=150, particles=600)
    after_check = told(agent, game, 1, [*before, CALL]).resolved()
    assert after_check is not None
    assert set(after_check) == {CALL, WAGER}
    assert after_check[WAGER] > 0.95
    after_bet = told(agent, game, 1, [*before, WAGER]).resolved()
    assert after_bet is not None
    assert after_bet[FOLD] < 1e-3


def test_one_solution_serves_the_round() -> None:
    game = load(SVITEN)
    before = events_to_the_river(game, parse_cards("AsKsQsJsTs"), parse_cards("9s8s7s2d3c"))
    follower = told(small(trained(SVITEN)), game, 1, [*before, CALL])
    follower.resolved()
    for event in (WAGER, WAGER):
        follower.tell(event)
    again = told(small(trained(SVITEN)), game, 1, [*before, CALL, WAGER, WAGER])
    assert follower.resolved() == again.resolved()
    follower.begin()
    assert follower.resolved() is None


@kernel
def _chosen(states: Any, policy: Any, work: Any, seed: Any, tables: Any) -> Any:
    return choose(states[0], policy, work, seed, tables)[0]


def test_before_the_last_round_it_is_the_bot() -> None:
    game = load(SVITEN)
    bot = trained(SVITEN)
    policy, work = bot.policy(game), new_work(game)
    follower = small(bot).follow(game, 0)
    random = np.random.default_rng(3)
    cards = np.zeros(52, np.int64)
    asked = 0
    for hand in range(30):
        states = game.new_states()
        drive.begin_hand(states, game.tables)
        follower.begin()
        while states[0]["turn"] == CHANCE or (states[0]["turn"] >= 0 and states[0]["street"] < 3):
            if states[0]["turn"] == CHANCE:
                event = int(random.choice(cards[: drive.list_cards(states, cards)]))
            elif states[0]["turn"] == 0 and len(legal(game, states)) > 1:
                event = follower.choose(hand)
                assert event == _chosen(states, policy, work, np.uint64(hand), game.tables)
                asked += 1
            else:
                event = int(random.choice([a for a in legal(game, states) if a != FOLD]))
            follower.tell(event)
            drive.apply_action(states, game.tables, event)
    assert asked > 30


@pytest.mark.parametrize(
    "text",
    [SVITEN, "sviten_flush", f"{SVITEN}(betting=pot_limit,bet_sizes=1,stack=60)", "mini_sviten"],
)
def test_it_plays_whole_matches(text: str) -> None:
    game = load(text)
    agents = [small(trained(text)), BASELINES["equity"]()]
    outcomes = []
    for at_once in (None, 3):
        histories = io.StringIO()
        result = play_match(agents, game, 40, 7, histories=histories, hands_at_once=at_once)
        outcomes.append(histories.getvalue())
        assert sum(player.score.mbb_per_hand or 0.0 for player in result.players) == pytest.approx(
            0
        )
    assert outcomes[0] == outcomes[1]
    hands = [json.loads(line) for line in outcomes[0].splitlines()]
    assert len(hands) == 40
    assert all(sum(hand["returns"]) == 0.0 for hand in hands)


def test_a_limit_of_time_is_kept_to() -> None:
    game = load(SVITEN)
    before = events_to_the_river(game, parse_cards("AsKsQsJsTs"), parse_cards("9s8s7s2d3c"))
    chances = told(small(trained(SVITEN), seconds=0.02), game, 1, [*before, CALL]).resolved()
    assert chances is not None
    assert sum(chances.values()) == pytest.approx(1.0)


# What it leaves to the bot, or refuses


def test_bets_of_any_size_are_left_to_the_bot() -> None:
    game = load(f"{SVITEN}(betting=pot_limit,stack=30)")
    before = events_to_the_river(game, parse_cards("AsKsQsJsTs"), parse_cards("9s8s7s2d3c"))
    follower = told(small(BASELINES["always-call"]()), game, 1, [*before, CALL])
    assert follower.resolved() is None
    assert follower.choose(1) == CALL


def test_missed_decisions_of_the_bot_are_counted() -> None:
    game = load(SVITEN)
    nothing = random_bot(f"{SVITEN}(abstraction=halves)", hands=1)
    result = play_match([small(nothing), BASELINES["always-call"]()], game, 6)
    assert 0.0 < result.players[0].misses < 1.0


def test_other_games_are_refused() -> None:
    resolver = small(BASELINES["random"]())
    for text in ("svara", f"{SVITEN}(players=3)"):
        with pytest.raises(ValueError, match=r"random\+river plays Sviten games for two, not"):
            resolver.follow(load(text), 0)
    with pytest.raises(ValueError, match="plays Sviten games for two, not svara"):
        RiverResolver(random_bot("svara", hands=3))


@pytest.mark.parametrize("name", ["iterations", "hands", "particles"])
def test_numbers_below_one_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}=0 is not allowed"):
        small(BASELINES["random"](), **{name: 0})


def test_it_is_named_after_its_bot() -> None:
    agent = find_agent("always-call+river", load(SVITEN))
    assert isinstance(agent, RiverResolver)
    assert agent.name == "always-call+river"
    with pytest.raises(ValueError, match="unknown agent 'alway-call': did you mean always-call"):
        find_agent("alway-call+river")
    with pytest.raises(ValueError, match="is no bot whose last round can be solved anew"):
        find_agent("always-call+river+river")
    with pytest.raises(ValueError, match="plays Sviten games for two"):
        find_agent("svara-home+river")


def test_a_thinned_range_keeps_its_proportions() -> None:
    weights = np.random.default_rng(1).exponential(size=1000) ** 2
    picks, kept = thinned(weights, 50)
    assert len(picks) <= 50
    assert kept.sum() == 50
    for start in range(0, 1000, 100):
        inside = (picks >= start) & (picks < start + 100)
        wanted = 50 * weights[start : start + 100].sum() / weights.sum()
        assert abs(kept[inside].sum() - wanted) <= 1.0
    few = np.array([1.0, 0.0, 2.0])
    picks, kept = thinned(few, 3)
    assert picks.tolist() == [0, 1, 2]
    assert kept.tolist() == few.tolist()
