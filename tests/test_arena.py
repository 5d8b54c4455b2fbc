"""Matches: exact values, duplicate deals, intervals, independence of the batches, histories."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyspiel
import pytest

from pokerspiel.agents.agent import Agent, CompiledAgent, ViewAgent
from pokerspiel.agents.arena import MatchResult, play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.chairs import distinct_names
from pokerspiel.agents.spiel_bot import as_spiel_bot, from_spiel_bot
from pokerspiel.games import drive
from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.blueprint import new_blueprint
from tests.some_agents import UniformViewer, random_bot


def baseline(name: str) -> CompiledAgent:
    return BASELINES[name]()


def outcome(result: MatchResult) -> dict[str, Any]:
    """The result without its time."""
    return replace(result, seconds=0.0).to_json()


# Against exact values


def exact_value(agents: Sequence[CompiledAgent], game: Game) -> float:
    """Chips a hand of the first agent, over all seats, deals and choices."""
    total = 0.0
    for rotation in range(game.players):
        by_seat = [
            agents[(seat - rotation) % game.players].sit(game) for seat in range(game.players)
        ]
        states = game.new_states()
        drive.begin_hand(states, game.tables)
        total += _value(game, by_seat, states, [], rotation)
    return total / game.players


def _value(game: Game, by_seat: list[Any], states: Any, past: list[int], seat: int) -> float:
    turn = int(states[0]["turn"])
    if turn == TERMINAL:
        return float(states[0]["returns"][seat])
    if turn == CHANCE:
        cards = np.zeros(52, np.int64)
        n = drive.list_cards(states, cards)
        chances = {int(card): 1.0 / n for card in cards[:n]}
    else:
        chances = by_seat[turn].distribution(states, past, 0)
    value = 0.0
    for action, chance in chances.items():
        if chance > 0.0:
            after = states.copy()
            drive.apply_action(after, game.tables, action)
            value += chance * _value(game, by_seat, after, [*past, action], seat)
    return value


@pytest.mark.parametrize(
    ("text", "names", "hands"),
    [
        ("kuhn", ("random", "always-call"), 200_000),
        ("kuhn", ("tight", "equity"), 200_000),
        ("kuhn", ("table", "random"), 200_000),
        ("kuhn(players=3)", ("equity", "random", "table"), 150_000),
        ("leduc", ("random", "always-call"), 100_000),
        ("leduc", ("table", "always-call"), 100_000),
        ("mini_svara", ("table", "always-call"), 100_000),
    ],
)
def test_a_match_comes_to_the_exact_value(text: str, names: Sequence[str], hands: int) -> None:
    game = load(text)
    agents = [random_bot(text) if name == "table" else baseline(name) for name in names]
    value = 1000.0 * exact_value(agents, game)
    result = play_match(agents, game, hands, seed=1)
    score = result.players[0].score
    assert score.mbb_per_hand is not None
    assert score.ci95 is not None
    standard_error = (score.ci95[1] - score.ci95[0]) / 2 / 1.96
    assert 0.0 < standard_error < 20.0
    assert abs(score.mbb_per_hand - value) < 4 * standard_error


def test_intervals_hold_as_often_as_they_say() -> None:
    game = load("kuhn")
    agents = [baseline("random"), baseline("equity")]
    value = 1000.0 * exact_value(agents, game)
    matches = 400
    inside = 0
    for seed in range(matches):
        ci95 = play_match(agents, game, 80, seed).players[0].score.ci95
        assert ci95 is not None
        inside += ci95[0] <= value <= ci95[1]
    # A binomial with p = 0.95: within four standard deviations.
    assert abs(inside - 0.95 * matches) < 4 * math.sqrt(matches * 0.95 * 0.05)


def test_the_interval_is_students_t() -> None:
    game = load("kuhn")
    histories = io.StringIO()
    result = play_match([baseline("random"), baseline("tight")], game, 10, 3, histories=histories)
    hands = [json.loads(line) for line in histories.getvalue().splitlines()]
    deals: dict[int, list[float]] = {}
    for hand in hands:
        seat = hand["players"].index("random")
        deals.setdefault(hand["deal"], []).append(hand["returns"][seat])
    means = np.array([np.mean(chips) for chips in deals.values()]) * 1000
    assert len(means) == 5
    score = result.players[0].score
    assert score.mbb_per_hand == pytest.approx(means.mean())
    reach = 2.776445 * means.std(ddof=1) / math.sqrt(5)  # t with 4 degrees of freedom
    assert score.ci95 == pytest.approx((means.mean() - reach, means.mean() + reach))


# Duplicate deals


@pytest.mark.parametrize("name", ["random", "always-call", "tight", "equity"])
@pytest.mark.parametrize("text", ["kuhn", "svara", "svara(players=3)", "mini_sviten"])
def test_an_agent_against_itself_scores_zero_in_every_deal(text: str, name: str) -> None:
    game = load(text)
    result = play_match([baseline(name) for _ in range(game.players)], game, 300, 7)
    for player in result.players:
        assert player.score.mbb_per_hand == pytest.approx(0.0, abs=1e-9)
        assert player.score.ci95 == pytest.approx((0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("text", ["svara", "svara(players=3)", "sviten_special"])
def test_every_deal_is_played_in_every_rotation(text: str) -> None:
    game = load(text)
    names = ["random", "tight", "equity"][: game.players]
    histories = io.StringIO()
    agents = [baseline(name) for name in names]
    result = play_match(agents, game, 20, 5, histories=histories, hands_at_once=6)
    hands = [json.loads(line) for line in histories.getvalue().splitlines()]
    assert result.hands == len(hands) == -(-20 // game.players) * game.players
    assert result.hands_requested == 20
    seats = Counter((hand["deal"], tuple(hand["players"])) for hand in hands)
    assert set(seats.values()) == {1}
    for deal in range(result.deals):
        same = [hand for hand in hands if hand["deal"] == deal]
        assert len(same) == game.players
        first = [next(event for event in hand["events"] if "card" in event) for hand in same]
        assert all(event == first[0] for event in first)
    for place, name in enumerate(names):
        seat_of = Counter(hand["players"].index(name) for hand in hands)
        assert set(seat_of.values()) == {result.deals}, place


def test_winnings_add_up_to_zero() -> None:
    game = load("svara(players=4)")
    agents = [baseline(name) for name in BASELINES]
    result = play_match(agents, game, 400, 2)
    total = sum(player.score.mbb_per_hand or 0.0 for player in result.players)
    assert total == pytest.approx(0.0, abs=1e-6)
    for player in result.players:
        by_seat = [seat.mbb_per_hand or 0.0 for seat in player.seats]
        assert np.mean(by_seat) == pytest.approx(player.score.mbb_per_hand)


def test_known_weaknesses_cost() -> None:
    for text in ("svara", "sviten_special", "leduc"):
        game = load(text)
        for strong, weak in (("equity", "random"), ("equity", "always-call"), ("tight", "random")):
            result = play_match([baseline(strong), baseline(weak)], game, 1500, 4)
            assert result.players[0].score.ci95 is not None
            assert result.players[0].score.ci95[0] > 0.0, (text, strong, weak)


# Independence


@pytest.mark.parametrize("text", ["svara(players=3)", "mini_sviten"])
def test_results_do_not_depend_on_the_batches(text: str) -> None:
    game = load(text)
    names = ("equity", "random", "table")[-game.players :]
    agents = [random_bot(text) if name == "table" else baseline(name) for name in names]
    results = [
        outcome(play_match(agents, game, 500, 9, hands_at_once=size)) for size in (None, 1, 64, 999)
    ]
    assert all(result == results[0] for result in results)


def test_a_seed_gives_the_same_match_again() -> None:
    game = load("svara")
    agents = [baseline("random"), baseline("equity")]
    one, again, other = (outcome(play_match(agents, game, 200, seed)) for seed in (1, 1, 2))
    assert one == again
    assert one["players"] != other["players"]


@pytest.mark.parametrize("text", ["kuhn", "svara(players=3)", "mini_sviten"])
def test_an_agent_in_python_plays_as_its_twin_in_kernels(text: str) -> None:
    game = load(text)
    rest: list[Agent] = [baseline("tight")] * (game.players - 1)
    compiled = outcome(play_match([baseline("random"), *rest], game, 60, 3))
    viewer = UniformViewer()
    python = outcome(play_match([viewer, *rest], game, 60, 3))
    compiled["players"][0]["name"] = viewer.name
    assert python == compiled
    assert len(viewer.views) == python["players"][0]["decisions"]


@pytest.mark.parametrize("text", ["kuhn", "svara(players=3)", "mini_sviten"])
def test_a_bot_of_openspiels_plays_as_its_twin_in_kernels(text: str) -> None:
    game = load(text)
    rest: list[Agent] = [baseline("random")] * (game.players - 1)
    compiled = outcome(play_match([baseline("always-call"), *rest], game, 40, 3))

    def make_bot(spiel_game: pyspiel.Game, player: int) -> pyspiel.Bot:
        return as_spiel_bot(baseline("always-call"), spiel_game, player)

    follower = from_spiel_bot(make_bot, "always-call")
    assert outcome(play_match([follower, *rest], game, 40, 3)) == compiled


# Misses


def _empty_bot(text: str) -> Bot:
    nothing = new_blueprint(np.zeros(0, np.uint64), np.zeros(1, np.uint32), np.zeros(0, np.float32))
    return Bot("empty", load(text), nothing, None)


def test_a_bot_without_a_table_misses_always_and_plays_at_random() -> None:
    game = load("svara")
    empty = outcome(play_match([_empty_bot("svara"), baseline("tight")], game, 200, 1))
    random = outcome(play_match([baseline("random"), baseline("tight")], game, 200, 1))
    assert [player["misses"] for player in empty["players"]] == [1.0, 0.0]
    for result in (empty, random):
        del result["players"][0]["misses"], result["players"][0]["name"]
    assert empty == random


def test_misses_are_counted_by_decision() -> None:
    game = load("svara")
    few, many = (
        play_match([random_bot("svara(abstraction=points)", n), baseline("equity")], game, 400, 1)
        for n in (20, 2000)
    )
    assert 0.0 < many.players[0].misses < few.players[0].misses < 1.0


def test_a_bot_with_plans_plays_the_exact_game() -> None:
    bot = random_bot("sviten_special(abstraction=halves)", 50)
    histories = io.StringIO()
    result = play_match([bot, baseline("random")], load("sviten_special"), 40, 1, None, histories)
    assert result.game == "sviten_special"
    assert result.hands == 40
    hands = [json.loads(line) for line in histories.getvalue().splitlines()]
    discards = [
        event["action"]
        for hand in hands
        for event in hand["events"]
        if "discard" in event.get("action", "") and hand["players"][event["seat"]] == "random-table"
    ]
    assert len(discards) > 5
    assert not any("plan" in discard for discard in discards)


# Halves


def test_halves_are_shared_at_showdowns() -> None:
    game = load("sviten_special")
    result = play_match([baseline("equity"), baseline("always-call")], game, 300, 6)
    equity, calling = (player.halves for player in result.players)
    assert equity is not None
    assert calling is not None
    assert equity.showdowns == calling.showdowns > 0.5
    assert equity.draw + calling.draw == pytest.approx(1.0)
    assert equity.omaha + calling.omaha == pytest.approx(1.0)
    assert equity.scoops + calling.scoops < 1.0
    assert equity.draw > calling.draw
    assert play_match([baseline("tight")] * 2, load("svara"), 2).players[0].halves is None


# Histories


@pytest.mark.parametrize("text", ["kuhn", "leduc", "svara(players=3)", "sviten_special"])
def test_a_history_replays_to_the_same_returns(text: str) -> None:
    game = load(text)
    histories = io.StringIO()
    agents = [baseline(name) for name in ("random", "random", "equity")[-game.players :]]
    play_match(agents, game, 12, 8, histories=histories)
    for number, line in enumerate(histories.getvalue().splitlines()):
        hand = json.loads(line)
        assert (hand["hand"], hand["game"], hand["seed"]) == (number, str(game), 8)
        states = game.new_states()
        drive.begin_hand(states, game.tables)
        events = [event for event in hand["events"] if "shows" not in event]
        for action, event in zip(hand["actions"], events, strict=True):
            turn = int(states[0]["turn"])
            if turn == CHANCE:
                assert event["card"] == game.card_name(action)
            else:
                assert event["seat"] == turn
                assert event["action"] == game.action_name(states[0], action)
            drive.apply_action(states, game.tables, action)
        assert states[0]["turn"] == TERMINAL
        assert states[0]["returns"][: game.players].tolist() == hand["returns"]


def test_a_history_says_who_gets_each_card() -> None:
    histories = io.StringIO()
    play_match([baseline("always-call")] * 2, load("sviten_special"), 2, 8, histories=histories)
    events = json.loads(histories.getvalue().splitlines()[0])["events"]
    assert [event["to"] for event in events[:10]] == [0, 1] * 5
    assert [event["to"] for event in events if "card" in event][10:] == ["board"] * 5


def test_names_in_results_are_distinct() -> None:
    agents = [baseline("tight"), baseline("tight"), baseline("random"), baseline("tight")]
    assert distinct_names(agents) == ["tight", "tight #2", "random", "tight #3"]
    result = play_match(agents, load("svara(players=4)"), 4)
    assert [player.name for player in result.players] == distinct_names(agents)


# The result


def test_the_json_has_the_promised_shape() -> None:
    result = play_match([baseline("random"), baseline("tight")], load("svara"), 30, 1).to_json()
    assert json.loads(json.dumps(result)) == result
    assert result["hands"] == 30
    assert result["complete"] is True
    assert result["unit"] == "ante"
    for player, name in zip(result["players"], ("random", "tight"), strict=True):
        assert player["name"] == name
        assert player["ci95"][0] < player["mbb_per_hand"] < player["ci95"][1]
        assert player["plain"]["mbb_per_hand"] == pytest.approx(player["mbb_per_hand"])
        assert player["hands_saved"] > 0.0
        assert player["bootstrap95"][0] < player["mbb_per_hand"] < player["bootstrap95"][1]
        assert "aivat" not in player
        assert player["misses"] == 0.0
        assert [seat["seat"] for seat in player["seats"]] == [0, 1]


def test_one_deal_has_no_interval() -> None:
    result = play_match([baseline("random"), baseline("tight")], load("svara"), 1).to_json()
    assert (result["deals"], result["hands"], result["hands_requested"]) == (1, 2, 1)
    assert result["players"][0]["ci95"] is None


@pytest.mark.parametrize("after", [0, 1, 3])
def test_an_interrupt_keeps_whole_deals(after: int) -> None:
    game = load("svara")
    calls = 0

    def interrupt(done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        assert total == 1000
        if calls == after:
            raise KeyboardInterrupt

    class Interrupting(ViewAgent):
        def probabilities(self, view: Any) -> dict[int, float]:
            raise KeyboardInterrupt

    if after == 0:
        agents: list[Agent] = [Interrupting("impatient"), baseline("random")]
        result = play_match(agents, game, 1000, 1, interrupt)
        assert result.hands == 0
        assert result.players[0].score.mbb_per_hand is None
        assert json.loads(json.dumps(result.to_json()))["players"][0]["ci95"] is None
    else:
        agents = [baseline("random"), baseline("tight")]
        result = play_match(agents, game, 1000, 1, interrupt, hands_at_once=10)
        assert result.hands == 10 * after
        whole = play_match(agents, game, 10 * after, 1)
        assert outcome(whole)["players"] == outcome(result)["players"]
    assert not result.complete


def test_progress_reaches_the_end() -> None:
    seen: list[tuple[int, int]] = []
    play_match(
        [baseline("random")] * 3,
        load("kuhn(players=3)"),
        1000,
        1,
        lambda done, total: seen.append((done, total)),
    )
    assert seen == sorted(seen)
    assert seen[-1] == (1002, 1002)


# Refusals


@pytest.mark.parametrize(
    ("agents", "text", "hands", "message"),
    [
        (["random"], "svara", 2, "1 agents for svara, which needs 2"),
        (["random"] * 2, "svara(players=3)", 2, "2 agents for svara(players=3), which needs 3"),
        (["random"] * 2, "svara", 0, "hands=0 is not allowed: expected 1 or more"),
        (
            ["svara", "kuhn"],
            "svara",
            2,
            "random-table and random-table cannot meet: random-table plays kuhn (rules 1)",
        ),
        (["kuhn", "random"], "leduc", 2, "random-table plays kuhn (rules 1), not leduc (rules 1)"),
    ],
)
def test_what_cannot_be_played_gets_one_line(
    agents: Sequence[str], text: str, hands: int, message: str
) -> None:
    players = [baseline(name) if name in BASELINES else random_bot(name, 2) for name in agents]
    with pytest.raises(ValueError) as error:
        play_match(players, load(text), hands)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
