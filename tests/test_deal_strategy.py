"""What agents do in every deal with every hand, against what they do at the table."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.deal_strategy import deal_strategy_of
from pokerspiel.games import drive
from pokerspiel.games.deals import NO_CLASS, DealChain
from pokerspiel.games.variants import load
from pokerspiel.solvers.blueprint import new_blueprint
from pokerspiel.solvers.chart import DealStrategy
from pokerspiel.solvers.vector import evaluate_chain
from tests.reference.deal_model import DealModel
from tests.small_decks import (
    SMALL_DECKS,
    chain_of,
    chart_bot,
    form_of,
    place_of_situation,
    random_deal_strategy,
    solved,
)
from tests.some_agents import UniformViewer, positions, random_bot

POINTS = "svara(abstraction=points)"
SHORT = "svara(stack=8)"
"""All cards, but a short chain."""


@lru_cache(maxsize=64)
def agent(name: str, text: str = "svara") -> CompiledAgent:
    """A baseline, a random table for an abstraction, a random "chart" or a "solved" one."""
    if name in ("points", "blockers"):
        return random_bot(str(load(text).with_parameters(abstraction=name)), 2000)
    if name == "chart":
        return chart_bot(chain_of(text), random_deal_strategy(chain_of(text), 1))
    if name == "solved":
        return chart_bot(chain_of(text), solved(text, 30))
    return BASELINES[name]()


@lru_cache(maxsize=64)
def strategy_of(name: str, text: str = "svara") -> DealStrategy:
    return deal_strategy_of(agent(name, text), chain_of(text))[0]


def expected_chances(
    chain: DealChain, strategy: DealStrategy, states: np.ndarray
) -> dict[int, float]:
    """Probability of each action of the seat to act, by the strategy."""
    game = load(chain.game).with_parameters(abstraction="hands")
    key = int(drive.key_of(states, game.tables, int(states[0]["turn"])))
    deal, node = place_of_situation(chain)[key & ~NO_CLASS]
    tree = chain.deals[deal]
    first, end = tree.first_row[node : node + 2]
    number = key & NO_CLASS
    chances = strategy[deal][first:end, 0 if number == NO_CLASS else number]
    return dict(zip(tree.action[first:end].tolist(), chances.tolist(), strict=True))


@pytest.mark.parametrize("name", ["random", "always-call", "points", "blockers", "chart"])
@pytest.mark.parametrize("text", [SHORT, *SMALL_DECKS[1:9:2]])
def test_the_strategy_is_what_the_agent_does(text: str, name: str) -> None:
    chain, strategy = chain_of(text), strategy_of(name, text)
    seated = agent(name, text).sit(load(text))
    seen = 0
    for states, past in positions(load(text), 40, 12):
        chances = seated.distribution(states, past, 0)
        assert chances == pytest.approx(expected_chances(chain, strategy, states), abs=1e-6)
        seen += 1
    assert seen > 50


@pytest.mark.parametrize("name", ["tight", "equity"])
@pytest.mark.parametrize("text", ["svara", "mini_svara(stack=9,max_raises=2)"])
def test_the_strategy_of_who_samples_is_what_it_does_on_average(text: str, name: str) -> None:
    """Within five standard errors over some hundreds of seeds."""
    chain, strategy = chain_of(text), strategy_of(name, text)
    seated = agent(name, text).sit(load(text))
    seeds, mixed = 300, 0
    for states, past in list(positions(load(text), 60, 13))[::3]:
        expected = expected_chances(chain, strategy, states)
        played = dict.fromkeys(expected, 0.0)
        for seed in range(seeds):
            for action, chance in seated.distribution(states, past, seed).items():
                played[action] += chance / seeds
        for action, chance in expected.items():
            error = np.sqrt(max(chance * (1.0 - chance), 0.0) / seeds)
            assert abs(played[action] - chance) <= 5.0 * error + 1e-3
            mixed += 0.02 < chance < 0.98
    assert mixed >= 4


@pytest.mark.parametrize("name", ["random", "always-call", "tight", "equity", "points", "chart"])
def test_probabilities_add_up_and_know_no_hand_before_the_look(name: str) -> None:
    for deal, rows in zip(chain_of(SHORT).deals, strategy_of(name, SHORT), strict=True):
        totals = np.add.reduceat(rows, deal.first_row[:-1])
        assert np.abs(totals - 1.0).max() < 1e-6
        assert rows.min() >= 0.0
        for node in np.flatnonzero(~deal.looked):
            some = rows[deal.first_row[node] : deal.first_row[node + 1]]
            assert np.ptp(some, axis=1).max() == 0.0


def test_three_players_have_strategies_too() -> None:
    text = "mini_svara(players=3,stack=4,ranks=78KA)"
    for name in ("random", "always-call", "points"):
        strategy = strategy_of(name, text)
        seated = agent(name, text).sit(load(text))
        for states, past in positions(load(text), 60, 14):
            expected = expected_chances(chain_of(text), strategy, states)
            assert seated.distribution(states, past, 0) == pytest.approx(expected, abs=1e-6)


# Misses.


def test_decisions_that_a_table_does_not_hold_are_counted_for_each_hand() -> None:
    chain = chain_of("mini_svara")
    nothing = new_blueprint(np.zeros(0, np.uint64), np.zeros(1, np.uint32), np.zeros(0, np.float32))
    empty = Bot("empty", load("mini_svara(abstraction=points)"), nothing, None)
    strategy, missed = deal_strategy_of(empty, chain)
    real = [np.diff(deal.first_row) > 1 for deal in chain.deals]
    expected = sum(
        int(np.where(deal.looked, chain.hands.classes, 1)[some].sum())
        for deal, some in zip(chain.deals, real, strict=True)
    )
    assert missed == expected
    for rows, even in zip(strategy, strategy_of("random", "mini_svara"), strict=True):
        assert np.array_equal(rows, even)
    assert deal_strategy_of(random_bot("mini_svara(abstraction=points)", 4000), chain)[1] == 0
    some = deal_strategy_of(random_bot("mini_svara(abstraction=points)", 15), chain)[1]
    assert 0 < some < expected


# Refusals.


@pytest.mark.parametrize(
    ("made", "text", "message"),
    [
        (lambda: random_bot("svara", 5), "svara", "random-table remembers earlier deals"),
        (lambda: UniformViewer(), "svara", "viewer is no bot with a table"),
        (lambda: random_bot(POINTS, 5), "svara(stack=9)", "plays svara .* not svara.stack=9"),
        (lambda: agent("chart"), "svara(stack=9)", "plays svara .* not svara.stack=9"),
        (BASELINES["tight"], "mini_svara(players=3,stack=3)", "against one opponent"),
        (BASELINES["equity"], "mini_svara(players=3,stack=3)", "against one opponent"),
    ],
)
def test_who_has_no_strategy_of_deals_is_refused(made: object, text: str, message: str) -> None:
    player: Agent = made()  # type: ignore[operator]
    with pytest.raises(ValueError, match=message) as error:
        deal_strategy_of(player, chain_of(text))
    assert "\n" not in str(error.value)


# The exact value of a match.


@pytest.mark.parametrize(
    ("one", "other"),
    [("tight", "equity"), ("solved", "always-call"), ("chart", "blockers")],
)
def test_matches_end_as_the_strategies_say(one: str, other: str) -> None:
    """Within four standard errors of the exact value, on both seats and over both."""
    exact = DealModel(chain_of(SHORT)).match(strategy_of(one, SHORT), strategy_of(other, SHORT))
    both = [agent(one, SHORT), agent(other, SHORT)]
    result = play_match(both, load(SHORT), 100_000, 21).players[0]
    for score, value in zip((result.score, *result.seats), (exact.mean(), *exact), strict=True):
        assert score.mbb_per_hand is not None and score.ci95 is not None
        error = (score.ci95[1] - score.ci95[0]) / 2 / 1.96
        assert abs(score.mbb_per_hand - 1000.0 * value) < 4.0 * error


@pytest.mark.parametrize("name", ["always-call", "tight", "points"])
def test_a_best_response_beats_an_agent_by_what_it_should(name: str) -> None:
    strategy = strategy_of(name)
    found = evaluate_chain(form_of("svara"), strategy)
    response = chart_bot(chain_of("svara"), found.responses, "response")
    result = play_match([response, agent(name)], load("svara"), 60_000, 22).players[0]
    assert result.score.mbb_per_hand is not None and result.score.ci95 is not None
    error = (result.score.ci95[1] - result.score.ci95[0]) / 2 / 1.96
    expected = 1000.0 * found.game.best_values.mean()
    assert abs(result.score.mbb_per_hand - expected) < 4.0 * error
    assert expected > 100.0
