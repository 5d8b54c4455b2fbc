"""Bots at tables with other bets than those of their menu."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from pokerspiel.agents.agent import CompiledAgent, Follower, legal
from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import save_bot
from pokerspiel.agents.policy import Policy
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.translation import (
    Shadowing,
    Translated,
    at_table,
    chance_of_smaller,
    counted_as,
)
from pokerspiel.games import drive
from pokerspiel.games.betting import CALL, FOLD, WAGER
from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.games.variants import Game, load
from tests.command_line import succeed
from tests.some_agents import random_blueprint, random_bot
from tests.test_agents import _worlds as worlds

POT = "sviten_special(betting=pot_limit,bet_sizes=1)"
ANY = "sviten_special(betting=pot_limit)"
NO_LIMIT = "sviten_special(betting=no_limit,stack=50"
"""To be closed with the menu."""


# How a bet is counted.


@pytest.mark.parametrize(
    ("x", "smaller", "larger", "chance"),
    [
        (0.25, 0.0, 1.0, 0.6),  # 0.75 / 1.25
        (0.5, 0.0, 1.0, 1 / 3),  # 0.5 / 1.5
        (1 / 3, 0.0, 1.0, 0.5),  # the median: x = (A + B + 2AB) / (A + B + 2)
        (1.0, 0.5, 2.0, 0.5),  # 1 * 1.5 / (1.5 * 2)
        (0.5, 0.5, 1.0, 1.0),
        (1.0, 0.5, 1.0, 0.0),
        (0.2, 0.5, 1.0, 1.0),
        (7.0, 0.5, 1.0, 0.0),
    ],
)
def test_the_pseudo_harmonic_mapping(
    x: float, smaller: float, larger: float, chance: float
) -> None:
    assert chance_of_smaller(x, smaller, larger) == pytest.approx(chance)


@pytest.mark.parametrize("x", [0.0, 0.1, 0.5, 0.8, 1.0, 1.7, 9.0])
def test_a_bet_counts_as_its_neighbours_with_the_chances_of_the_mapping(x: float) -> None:
    fractions = (0.0, 0.5, 1.0, 2.5)
    marks = (np.arange(10_000) + 0.5) / 10_000
    shares = np.bincount([counted_as(x, fractions, mark) for mark in marks], minlength=4) / 10_000
    expected = np.zeros(4)
    nearer = float(np.clip(x, 0.0, 2.5))
    below = int(np.searchsorted(fractions, nearer, "right")) - 1
    above = min(below + 1, 3)
    chance = chance_of_smaller(nearer, fractions[below], fractions[above])
    expected[below] += chance
    expected[above] += 1.0 - chance
    assert shares == pytest.approx(expected, abs=2e-4)


def test_a_menu_of_one_size_counts_everything_as_that() -> None:
    assert {counted_as(x, (1.0,), 0.5) for x in (0.0, 0.7, 1.0, 4.0)} == {0}


# Hands at random tables.


class _Uniform(CompiledAgent):
    """Plays a game with a menu at random."""

    def policy(self, game: Game) -> Policy:
        return BASELINES["random"]().policy(game)


def _uniform(text: str) -> Translated:
    return Translated(_Uniform("uniform", load(text)))


HANDS = 250
TABLES = [
    ("sviten_special(betting=pot_limit", "pot", "any", ""),
    ("sviten_special(betting=pot_limit", "0.5 1", "any", "30 90"),
    ("sviten_special(betting=no_limit", "0.5 1 max", "any", "200 40"),
    ("sviten_special(betting=no_limit", "1", "0.33 0.75 1.5", ""),
    ("sviten_special(betting=no_limit", "any", "pot", "50 60"),
    ("sviten_special(players=3,betting=pot_limit", "pot", "any", "20 60 200"),
    ("sviten_special(players=3,betting=no_limit", "min max", "any", ""),
    ("mini_sviten(betting=no_limit,rounds=4", "pot", "any", "9 30"),
    ("svara(betting=pot_limit", "pot", "any", ""),
    ("svara(betting=no_limit", "0.5 1 max", "any", "12 60"),
    ("svara(betting=no_limit,allow_check=true", "1 2", "any", "90 60"),
    ("svara(players=3,betting=pot_limit", "pot", "any", "10 30 60"),
    ("svara(players=3,betting=no_limit,allow_check=true,svarka_ante=true", "1", "any", ""),
    ("mini_svara(betting=no_limit,max_svarkas=5", "pot", "any", "9 15"),
]
"""Game and other parameters, the bot's menu, the table's, stacks."""


@pytest.mark.parametrize(("text", "own", "real", "stacks"), TABLES)
def test_any_hand_gets_legal_answers_of_the_same_size(
    text: str, own: str, real: str, stacks: str
) -> None:
    game = load(f"{text},bet_sizes={real},stacks={stacks})")
    agent = _uniform(f"{text},bet_sizes={own},stacks={stacks})")
    random = np.random.default_rng(3)
    seats = [agent.follow(game, seat) for seat in range(game.players)]
    count = {"asked": 0, "in step": 0, "wagers": 0}

    def ask(states: np.ndarray) -> int:
        follower = seats[int(states[0]["turn"])]
        assert isinstance(follower, Shadowing)
        action = follower.choose(int(random.integers(1 << 62)))
        assert action in legal(game, states)
        assert np.array_equal(follower.real.states["stack"], states["stack"])
        assert not (follower.lost and game.players == 2)
        count["asked"] += 1
        count["in step"] += follower.in_step
        count["wagers"] += _keeps_its_size(follower, action)
        return action if random.random() < 0.7 else _some_action(game, states, random)

    for _ in range(HANDS):
        _play_hand(game, seats, random, ask)
    assert count["wagers"] > 50
    assert count["in step"] > 0.85 * count["asked"]


def test_a_shadow_without_a_place_for_a_card_leaves_the_hand_to_the_rule() -> None:
    # Pots, and so who may join a svarka, differ in the shadow.
    text = "svara(players=3,hole_cards=1,ranks=QKA,betting=pot_limit"
    game, agent = load(f"{text},bet_sizes=any)"), _uniform(f"{text},bet_sizes=0.5 1)")
    random = np.random.default_rng(5)
    seats = [agent.follow(game, seat) for seat in range(3)]
    lost = 0

    def ask(states: np.ndarray) -> int:
        nonlocal lost
        follower = seats[int(states[0]["turn"])]
        assert isinstance(follower, Shadowing)
        missed = follower.misses
        action = follower.choose(int(random.integers(1 << 62)))
        if follower.lost:
            lost += 1
            assert action in legal(game, states)
            assert follower.misses == missed + 1
            assert follower.meant is None
        return _some_action(game, states, random)

    for _ in range(300):
        _play_hand(game, seats, random, ask)
    assert lost > 0


def _play_hand(
    game: Game,
    seats: Sequence[Follower],
    random: np.random.Generator,
    ask: Callable[[np.ndarray], int],
) -> None:
    for seat in seats:
        seat.begin()
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    cards = np.zeros(52, np.int64)
    while states[0]["turn"] != TERMINAL:
        if states[0]["turn"] == CHANCE:
            event = int(random.choice(cards[: drive.list_cards(states, cards)]))
        else:
            event = ask(states)
        for seat in seats:
            seat.tell(event)
        drive.apply_action(states, game.tables, event)


def _some_action(game: Game, states: np.ndarray, random: np.random.Generator) -> int:
    """Seldom a fold; small bets, all-ins, and all in between."""
    actions = legal(game, states)
    end = int(game.tables.rules[0]["after_wagers"])
    wagers = [action for action in actions if WAGER <= action < end]
    others = [action for action in actions if action not in wagers and action != FOLD]
    if FOLD in actions and random.random() < 0.05:
        return FOLD
    if wagers and (random.random() < 0.4 or not others):
        return wagers[-1 if random.random() < 0.1 else int(len(wagers) * random.random() ** 3)]
    return int(random.choice(others or actions))


def _keeps_its_size(follower: Shadowing, action: int) -> bool:
    """Check a wager made in the shadow and at the table; returns whether it was one."""
    real, shadow = follower.real, follower.shadow
    meant = follower.meant
    if meant not in shadow.wagers() or action not in real.wagers():
        return False
    total, allowed = real.wagers()[action], sorted(real.wagers().values())
    meant_total = shadow.wagers()[meant]
    if meant_total == shadow.all_in:
        assert total == allowed[-1]
        return True
    wanted = np.clip(real.total_of(shadow.fraction(meant_total)), allowed[0], allowed[-1])
    assert abs(total - wanted) == min(abs(other - wanted) for other in allowed)
    return True


# Single hands of two: seat 1 has the small blind and begins.


def _told(follower: Follower, events: Iterable[int]) -> Follower:
    follower.begin()
    for event in events:
        follower.tell(event)
    return follower


def _shadows(own: str, events: Sequence[int], seeds: int, table: str = NO_LIMIT) -> list[Shadowing]:
    """Seat 0 after ten cards and the events, with the luck of each of the seeds."""
    agent, game = _uniform(f"{table},bet_sizes={own})"), load(f"{table},bet_sizes=any)")
    followers = []
    for seed in range(seeds):
        follower = agent.follow(game, 0)
        assert isinstance(follower, Shadowing)
        _told(follower, [*range(10), *events]).catch_up(seed)
        followers.append(follower)
    return followers


def raise_to(total: int) -> int:
    """The action at a table where all bets are allowed."""
    return WAGER - 1 + total


def test_a_raise_counts_as_a_call_or_as_the_menu_has_it_by_chance() -> None:
    # A raise to 4 over a blind of 2 adds 2 to a pot of 4: 1/2, as a call with chance 1/3.
    levels = [int(f.shadow.states["level"][0]) for f in _shadows("pot", [raise_to(4)], 900)]
    assert set(levels) == {2, 6}
    error = np.sqrt(900 * 1 / 3 * 2 / 3)
    assert abs(levels.count(2) - 300) < 4 * error


def test_a_raise_of_the_menu_stays_what_it_is_and_a_larger_one_is_the_largest() -> None:
    for total, level in ((6, 6), (4, 4), (40, 6)):
        for follower in _shadows("0.5 1", [raise_to(total)], 20):
            assert follower.shadow.states["level"][0] == level
            assert follower.in_step


def test_a_raise_never_counts_as_a_call_that_ends_the_round() -> None:
    # The small blind calls, the big blind checks; on the flop a check and the smallest bet.
    events = [CALL, CALL, 10, 11, 12, CALL, raise_to(2)]
    for follower in _shadows("2", events, 50):
        assert follower.shadow.states["level"][0] == 8
        assert follower.in_step


def test_an_all_in_counts_as_all_in_if_that_is_nearest() -> None:
    for follower in _shadows("0.5 max", [raise_to(50)], 30):
        assert follower.shadow.states["stack"][0, 1] == 0


def test_without_a_decision_of_the_shadow_the_bot_calls_or_folds() -> None:
    # A raise to 4 is all-in or a call; when all-in is called, the shadow has no more bets.
    events = [raise_to(4), CALL, 10, 11, 12]
    ahead = [f for f in _shadows("max", events, 40) if f.shadow.states["stack"][0, 1] == 0]
    assert 5 < len(ahead) < 35
    for follower in ahead:
        assert not follower.in_step
        assert follower.choose(1) == CALL
        assert follower.misses == 1
        follower.tell(CALL)
        follower.tell(raise_to(8))
        assert follower.choose(1) in (FOLD, CALL)
        assert follower.misses == 2
        # The draw is the same in both hands.
        follower.tell(CALL)
        discard = follower.choose(1)
        assert follower.in_step
        assert follower.misses == 2
        assert discard in legal(follower.real.game, follower.real.states)


def test_own_bets_stay_in_the_shadow_what_they_were_meant_to_be() -> None:
    agent, game = _uniform(f"{NO_LIMIT},bet_sizes=0.5 0.8 1)"), load(f"{NO_LIMIT},bet_sizes=any)")
    for seed in range(60):
        follower = agent.follow(game, 1)
        assert isinstance(follower, Shadowing)
        _told(follower, range(10))
        action = follower.choose(seed)
        meant = follower.shadow.wagers().get(follower.meant or FOLD)
        follower.tell(action)
        follower.catch_up(seed)
        if meant is not None:
            assert follower.shadow.states["level"][0] == meant


# Matches.


def test_between_equal_menus_nothing_changes() -> None:
    bot = random_bot("sviten_special(betting=pot_limit,bet_sizes=pot,abstraction=halves)", 200)
    one, other = (f"sviten_special(betting=pot_limit,bet_sizes={size})" for size in ("pot", "1"))
    results = [
        play_match([agent, BASELINES["always-call"]()], load(text), 100, 4).players[0]
        for agent, text in ((bot, one), (Translated(bot), other))
    ]
    assert results[0] == results[1]
    assert results[0].misses > 0.0


def test_a_match_is_the_same_for_the_same_seed() -> None:
    bots = [Translated(random_bot(POT, 300)), BASELINES["random"]()]
    first, again, other = (play_match(bots, load(ANY), 60, seed).players for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_translated_bot_against_itself_is_zero() -> None:
    bot = Translated(_Uniform("uniform", load(POT)))
    for player in play_match([bot, bot], load(ANY), 60, 3).players:
        assert player.score.mbb_per_hand == 0.0


@pytest.mark.parametrize("text", [ANY, "svara(players=3,betting=no_limit)"])
def test_hidden_cards_change_nothing(text: str) -> None:
    game = load(text)
    agent = Translated(random_bot(str(game.with_parameters(bet_sizes="pot")), 300))
    compared = 0
    for seed in range(40):
        for one, other in worlds(text, seed):
            seat = one.current_player()
            followers = [agent.follow(game, seat) for _ in range(2)]
            answers = []
            for follower, state in zip(followers, (one, other), strict=True):
                assert isinstance(follower, Shadowing)
                _told(follower, state.history())
                answers.append([follower.choose(luck) for luck in range(4)])
                answers[-1].append(follower.misses)
            assert answers[0] == answers[1]
            compared += one.history() != other.history()
    assert compared > 50


# Who is translated.


def test_only_another_menu_is_translated() -> None:
    bot = random_bot(POT, 20)
    assert at_table(bot, load(POT)) is bot
    assert at_table(bot, None) is bot
    assert at_table(bot, load("kuhn")) is bot
    assert at_table(bot, load("sviten_special(betting=no_limit,bet_sizes=1)")) is bot
    assert at_table(bot, load("sviten_special")) is bot
    caller = BASELINES["always-call"]()
    assert at_table(caller, load(ANY)) is caller
    translated = at_table(bot, load(ANY))
    assert isinstance(translated, Translated)
    assert translated.name == bot.name
    translated.check(load(ANY))
    with pytest.raises(ValueError, match="random-table plays sviten_special"):
        translated.check(load("sviten_special(betting=no_limit)"))
    with pytest.raises(ValueError, match="random-table plays sviten_special"):
        translated.check(load("kuhn"))


def test_what_has_no_menu_cannot_be_translated() -> None:
    for bot in (BASELINES["equity"](), random_bot("kuhn", 5)):
        with pytest.raises(ValueError, match="has no menu of bets"):
            Translated(bot)


def test_match_of_a_bot_file_on_a_table_with_other_bets(tmp_path: Path) -> None:
    path = tmp_path / "pot.pspiel"
    game = load(POT)
    save_bot(
        path,
        game,
        random_blueprint(game, 100, 4),
        name="pot",
        algorithm="none",
        seed=0,
        iterations=0,
        nodes=0,
        seconds=0.0,
    )
    assert isinstance(find_agent(str(path), load(ANY)), Translated)
    assert not isinstance(find_agent(str(path), game), Translated)
    words = ("match", path, "equity", "--hands", 40, "--json")
    document = succeed(*words, "--game", "sviten_special(betting=pot_limit,bet_sizes=any)").document
    assert [player["name"] for player in document["players"]] == ["pot", "equity"]
    assert document["game"] == ANY
    assert 0.0 < document["players"][0]["misses"] <= 1.0
    again = succeed(*words, "--set", "bet_sizes=any").document
    assert {**document, "seconds": 0} == {**again, "seconds": 0}
    with pytest.raises(ValueError, match="pot plays"):
        find_agent(str(path), load("sviten_special"))
