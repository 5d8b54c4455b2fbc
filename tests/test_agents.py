"""Agents see their own information only, and the baselines play as described."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.agent import View, ViewAgent, legal, see
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.roster import find_agent, list_agents
from pokerspiel.agents.spiel_bot import spiel_game_of
from pokerspiel.games import conformance, drive
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    KIND_BLIND,
    KIND_CALL,
    KIND_DRAW,
    KIND_FOLD,
    KIND_JOIN,
    KIND_KEEP,
    KIND_LOOK,
    KIND_RAISE,
    TERMINAL,
    action_kind,
    equity,
    halves_won,
    lift,
)
from pokerspiel.games.variants import load
from tests.some_agents import GAMES, compiled_agents, positions, random_bot

HALVES_GAMES = ("mini_sviten", "sviten_special", "sviten_flush(max_discards=3)")


# Information


def _worlds(text: str, seed: int) -> Iterator[tuple[Any, Any]]:
    """Pairs of states that the player to act cannot tell apart."""
    spiel_game = spiel_game_of(load(text))
    random = np.random.default_rng(seed)
    state = spiel_game.new_initial_state()
    while not state.is_terminal():
        if state.current_player() >= 0:
            other = conformance.other_world(spiel_game, state, state.current_player(), random)
            if other is not None:
                yield state, other
            state.apply_action(int(random.choice(state.legal_actions())))
        else:
            state.apply_action(int(random.choice([card for card, _ in state.chance_outcomes()])))


@pytest.mark.parametrize("text", GAMES)
def test_a_policy_does_not_notice_other_hidden_cards(text: str) -> None:
    game = load(text)
    agents = compiled_agents(game)
    compared = 0
    for seed in range(8):
        for one, other in _worlds(text, seed):
            for agent in agents:
                seated = agent.sit(game)
                chances = [
                    seated.distribution(state.kernel_state(), state.history(), 7)
                    for state in (one, other)
                ]
                assert chances[0] == chances[1], agent.name
            compared += one.history() != other.history()
    assert compared > 3


@pytest.mark.parametrize("text", GAMES)
def test_a_view_does_not_show_other_hidden_cards(text: str) -> None:
    game = load(text)
    for seed in range(4):
        for one, other in _worlds(text, seed):
            views = [see(game, state.kernel_state(), state.history()) for state in (one, other)]
            assert np.array_equal(views[0].observation, views[1].observation)
            assert [views[0].key, views[0].text] == [views[1].key, views[1].text]
            assert views[0].kinds == views[1].kinds


def test_a_view_tells_the_hand_so_far() -> None:
    game = load("svara")
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    past = []
    for event in (3, 48, 20, 49, 21, 50, 22, 2):  # look, six cards, bet
        past.append(event)
        drive.apply_action(states, game.tables, event)
    view = see(game, states, past)
    assert view.seat == 1
    assert (view.owed, view.pot) == (1, 3)
    assert view.names == ("fold", "call 1", "raise to 2")
    assert view.kinds == (KIND_FOLD, KIND_CALL, KIND_RAISE)
    assert view.text == (
        "svara, you are seat 1; seat 0: look; you get 7c; you get 7d; you get 7h; seat 0: bet 1; "
        "pot 3, 1 to stay in; fold | call 1 | raise to 2"
    )


def test_nobody_sees_a_chance_node() -> None:
    game = load("kuhn")
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    with pytest.raises(ValueError, match="nobody is to act"):
        see(game, states, [])


class _Stubborn(ViewAgent):
    """Gives whatever it was told to give."""

    def __init__(self, given: dict[int, float]) -> None:
        super().__init__("stubborn")
        self.given = given

    def probabilities(self, view: View) -> Mapping[int, float]:
        return self.given


@pytest.mark.parametrize("given", [{}, {0: 0.5}, {0: 0.5, 7: 0.5}, {0: 1.5, 1: -0.5}, {0: 2.0}])
def test_what_is_no_distribution_is_refused(given: dict[int, float]) -> None:
    game = load("kuhn")
    states, past = next(positions(game, 1, 1))
    with pytest.raises(ValueError, match=r"stubborn gives .*: no probabilities of \(0, 1\)"):
        _Stubborn(given).sit(game).distribution(states, past, 0)


def test_a_view_agent_may_leave_actions_out() -> None:
    game = load("kuhn")
    states, past = next(positions(game, 1, 1))
    assert _Stubborn({1: 1.0}).sit(game).distribution(states, past, 0) == {0: 0.0, 1: 1.0}


@pytest.mark.parametrize("text", GAMES)
def test_probabilities_are_over_the_legal_actions(text: str) -> None:
    game = load(text)
    for agent in compiled_agents(game):
        seated = agent.sit(game)
        for states, past in positions(game, 5, 3):
            chances = seated.distribution(states, past, 1)
            assert list(chances) == legal(game, states)
            assert sum(chances.values()) == pytest.approx(1.0, abs=1e-6)


# Abstract actions and halves


@pytest.mark.parametrize("text", HALVES_GAMES)
def test_a_lifted_plan_throws_the_same_cards_away(text: str) -> None:
    game = load(text)
    abstract = game.with_parameters(abstraction="halves")
    draws = 0
    for states, _ in positions(game, 30, 2):
        for plan in legal(abstract, states):
            lifted = _lift(states, abstract.tables, plan, game.tables)
            ours, theirs = states.copy(), states.copy()
            drive.apply_action(ours, abstract.tables, plan)
            drive.apply_action(theirs, game.tables, lifted)
            for name in ("hole", "hole_count", "discards", "draws", "turn", "stub", "history"):
                assert np.array_equal(ours[name], theirs[name]), name
            draws += _kind(states, abstract.tables, plan) == KIND_DRAW
    assert draws > 20


@pytest.mark.parametrize("text", [text for text in GAMES if "sviten" not in text])
def test_actions_without_plans_are_lifted_as_they_are(text: str) -> None:
    game = load(text)
    for states, _ in positions(game, 5, 2):
        for action in legal(game, states):
            assert _lift(states, game.tables, action, game.tables) == action


@pytest.mark.parametrize(
    "text", ["sviten_special", "sviten_special(players=4,stacks=20 35 50 9)", "mini_sviten"]
)
def test_halves_won_are_what_the_showdown_pays(text: str) -> None:
    game = load(text).with_parameters(odd_chip="fractional")
    showdowns = 0
    for state in _ends(game, 60, 4):
        draw, omaha = np.zeros(9), np.zeros(9)
        mask = int(_halves(np.array([state]), game.tables, draw, omaha))
        live = [seat for seat in range(game.players) if not int(state["folded"]) >> seat & 1]
        assert mask == (sum(1 << seat for seat in live) if len(live) > 1 else 0)
        assert draw.sum() == pytest.approx(omaha.sum())
        if not mask:
            assert draw.sum() == 0.0
            continue
        showdowns += 1
        covered = sorted(int(state["paid"][seat]) for seat in live)[-2]
        for seat in range(game.players):
            received = state["returns"][seat] + state["paid"][seat]
            if seat in live and state["paid"][seat] > covered:  # an uncalled bet goes back
                assert received >= draw[seat] + omaha[seat]
            else:
                assert received == pytest.approx(draw[seat] + omaha[seat])
    assert showdowns > 5


def _ends(game: Any, hands: int, seed: int) -> Iterator[Any]:
    """The ends of random hands in which nobody folds if he can help it."""
    random = np.random.default_rng(seed)
    states = game.new_states()
    cards = np.zeros(52, np.int64)
    for _ in range(hands):
        drive.begin_hand(states, game.tables)
        while states[0]["turn"] != TERMINAL:
            if states[0]["turn"] < 0:
                choices = cards[: drive.list_cards(states, cards)].tolist()
            else:
                choices = legal(game, states)
                if 0 in choices and random.random() < 0.9:
                    choices.remove(0)
            drive.apply_action(states, game.tables, int(random.choice(choices)))
        yield states[0].copy()


@kernel
def _lift(states: Any, tables: Any, action: int, exact_tables: Any) -> int:
    return lift(states[0], tables, action, exact_tables)


@kernel
def _kind(states: Any, tables: Any, action: int) -> int:
    return action_kind(states[0], tables, action)


@kernel
def _halves(states: Any, tables: Any, draw: Any, omaha: Any) -> int:
    return halves_won(states[0], tables, draw, omaha)


@kernel
def _equity(states: Any, tables: Any, action: int, samples: int, seed: int) -> float:
    return equity(states[0], tables, np.int64(states[0].turn), action, samples, seed)


# Baselines


def _played(name: str, text: str, hands: int, seed: int = 3) -> Iterator[tuple[View, int, Any]]:
    """(View, the action that the baseline takes for sure, state) of random positions."""
    game = load(text)
    seated = BASELINES[name]().sit(game)
    for states, past in positions(game, hands, seed):
        chances = seated.distribution(states, past, 11)
        action = max(chances, key=lambda key: chances[key])
        assert chances[action] == 1.0
        yield see(game, states, past), action, states


@pytest.mark.parametrize("text", GAMES)
def test_always_call_neither_folds_nor_raises(text: str) -> None:
    wanted = (KIND_CALL, KIND_LOOK, KIND_KEEP, KIND_JOIN, KIND_DRAW, KIND_RAISE)
    for view, action, _ in _played("always-call", text, 40):
        best = next(kind for kind in wanted if kind in view.kinds)
        assert action == view.actions[view.kinds.index(best)]
        assert best != KIND_RAISE or KIND_CALL not in view.kinds
        if best == KIND_DRAW:
            assert view.names[view.actions.index(action)] == "stand pat"


@pytest.mark.parametrize("name", ["tight", "equity"])
@pytest.mark.parametrize("text", GAMES)
def test_bets_follow_the_equity(name: str, text: str) -> None:
    game = load(text)
    margin = 0.3  # four standard errors of 60 samples and more
    strong = {"tight": 1.5, "equity": 1.25}[name] / game.players
    stay = {"tight": 1.1, "equity": 0.0}[name] / game.players
    for view, action, states in _played(name, text, 40):
        kind = view.kinds[view.actions.index(action)]
        assert kind != KIND_BLIND
        if not {KIND_FOLD, KIND_CALL} & set(view.kinds):
            continue
        share = float(_equity(states, game.tables, 0, 4000, 5))
        if kind == KIND_RAISE:
            assert share > strong - margin or KIND_CALL not in view.kinds
        elif KIND_RAISE in view.kinds:
            assert share < strong + margin
        if kind == KIND_FOLD and KIND_CALL in view.kinds:
            price = view.owed / (view.pot + view.owed)
            assert view.owed > 0
            assert share < max(price, stay) + margin
        elif kind == KIND_CALL and view.owed:
            assert share > max(view.owed / (view.pot + view.owed), stay) - margin


@pytest.mark.parametrize(("name", "queen_calls"), [("tight", False), ("equity", True)])
def test_kuhn_is_played_by_the_card(name: str, queen_calls: bool) -> None:
    seen = set()
    for view, action, states in _played(name, "kuhn", 60):
        card = int(states[0]["card"][view.seat])
        faces_bet = KIND_FOLD in view.kinds
        bets = card == 2 or (card == 1 and faces_bet and queen_calls)
        assert action == int(bets)
        seen.add((card, faces_bet))
    assert len(seen) == 6


@pytest.mark.parametrize("name", ["tight", "equity"])
@pytest.mark.parametrize("text", ["sviten_special", "sviten_flush", "mini_sviten"])
def test_draws_are_worth_as_much_as_any(name: str, text: str) -> None:
    game = load(text)
    draws = 0
    for view, action, states in _played(name, text, 40):
        if view.kinds[0] in (KIND_DRAW, KIND_KEEP):
            shares = [float(_equity(states, game.tables, a, 1000, 9)) for a in view.actions]
            assert shares[view.actions.index(action)] > max(shares) - 0.2
            draws += view.kinds[0] == KIND_DRAW
    assert draws > 8


@pytest.mark.parametrize("name", ["tight", "equity", "always-call"])
def test_who_joins_a_svarka(name: str) -> None:
    asked = 0
    for view, action, states in _played(name, "svara(players=4,ranks=789T,hole_cards=1)", 150):
        if KIND_JOIN not in view.kinds:
            continue
        asked += 1
        others = bin(~int(states[0]["folded"]) & 15).count("1")
        fair = (view.pot + view.owed) / (others + 1) + 1e-6 >= view.owed
        joins = view.kinds[view.actions.index(action)] == KIND_JOIN
        assert joins == {"tight": False, "equity": fair, "always-call": True}[name]
    assert asked > 5


@pytest.mark.parametrize("name", ["tight", "equity"])
def test_raises_in_no_limit_are_about_the_pot(name: str) -> None:
    raises = 0
    for view, action, states in _played(name, "svara(betting=no_limit,stack=100)", 60):
        if view.kinds[view.actions.index(action)] != KIND_RAISE or KIND_CALL not in view.kinds:
            continue
        total = action - 1
        cost = total - int(states[0]["bet"][view.seat])
        smallest = action == min(a for a in view.actions if a >= 2)
        assert cost <= view.pot + 2 * view.owed or smallest
        raises += 1
    assert raises > 5


# The roster


def test_baselines_are_found_by_name() -> None:
    assert {entry["name"] for entry in list_agents()} >= set(BASELINES)
    for name in BASELINES:
        assert find_agent(name, load("svara(players=3)")).name == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tigth", "unknown agent 'tigth': did you mean tight?"),
        ("zebra", "unknown agent 'zebra': known are random, always-call, tight, equity"),
        ("no/such.pspiel", "cannot read no/such.pspiel: No such file or directory"),
    ],
)
def test_unknown_agents_get_one_clear_line(name: str, message: str) -> None:
    with pytest.raises(ValueError) as error:
        find_agent(name)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_bot_for_another_game_is_refused() -> None:
    bot = random_bot("svara(abstraction=points)", 5)
    bot.check(load("svara"))
    bot.check(load("svara(abstraction=points)"))
    with pytest.raises(ValueError, match=r"plays svara \(rules 1\), not svara\(players=3\)"):
        bot.check(load("svara(players=3)"))
    with pytest.raises(ValueError, match="abstraction none-1, not points-2"):
        random_bot("svara", 5).check(load("svara(abstraction=points)"))
