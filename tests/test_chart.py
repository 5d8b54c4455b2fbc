"""Charts: strategies of all hands to play from, in memory, on disk and at the table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot, BotFileError, load_bot, save_bot
from pokerspiel.games import drive
from pokerspiel.games.deals import NO_CLASS
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.chart import (
    ONE,
    Chart,
    DealStrategy,
    chart_of,
    chart_strategy_of,
    new_chart,
)
from tests.small_decks import (
    SMALL_DECKS,
    chain_of,
    chart_bot,
    place_of_situation,
    random_deal_strategy,
    rounded,
)
from tests.some_agents import positions

PROMISE = 1e-3
"""How far a chart may be from the strategy that it was made from."""
TRAINING: dict[str, Any] = {
    "algorithm": "dcfr",
    "seed": 0,
    "iterations": 200,
    "nodes": 1000,
    "seconds": 1.0,
}
HANDS = "svara(abstraction=hands)"


def furthest(one: DealStrategy, other: DealStrategy) -> float:
    """The largest difference between two probabilities."""
    return max(np.abs(a - b).max() for a, b in zip(one, other, strict=True) if a.size)


def without_half(chart: Chart) -> Chart:
    """The chart without every other decision."""
    kept = range(0, len(chart.situations), 2)
    parts = [chart.weights[chart.first[i] : chart.first[i + 1]] for i in kept]
    first = np.cumsum([0, *map(len, parts)]).astype(np.uint32)
    return new_chart(chart.situations[kept], first, chart.actions[kept], np.concatenate(parts))


# A strategy and its chart.


@pytest.mark.parametrize("game", ["svara", *SMALL_DECKS])
def test_a_chart_gives_the_strategy_back(game: str) -> None:
    chain = chain_of(game)
    strategy = random_deal_strategy(chain, 1)
    back, missed = chart_strategy_of(chain, chart_of(chain, strategy))
    assert missed == 0
    assert furthest(strategy, back) < 1e-4 < PROMISE
    for deal, rows in zip(chain.deals, back, strict=True):
        totals = np.add.reduceat(rows, deal.first_row[:-1])
        assert np.abs(totals - 1.0).max() < 1e-12
        assert rows.min() >= 0.0


def test_a_strategy_out_of_a_chart_makes_the_same_chart() -> None:
    chain = chain_of("svara")
    chart = chart_of(chain, random_deal_strategy(chain, 2))
    again = chart_of(chain, chart_strategy_of(chain, chart)[0])
    for mine, other in zip(chart, again, strict=True):
        assert mine.dtype == other.dtype and np.array_equal(mine, other)


def test_a_certain_action_stays_certain() -> None:
    chain = chain_of("mini_svara")
    strategy = random_deal_strategy(chain, 3)
    for deal, rows in zip(chain.deals, strategy, strict=True):
        rows[:] = 0.0
        rows[deal.first_row[1:] - 1] = 1.0
    assert furthest(strategy, rounded(chain, strategy)) == 0.0


def test_no_probability_out_of_a_chart_is_negative() -> None:
    """Where the last action is never played, and the others' shares are no exact fractions."""
    chain = chain_of("mini_svara(stack=9,betting=no_limit)")
    strategy = random_deal_strategy(chain, 3)
    deal = chain.deals[0]
    node = int(np.flatnonzero((np.diff(deal.first_row) == 4) & deal.looked)[0])
    first = deal.first_row[node]
    strategy[0][first : first + 4] = np.array([[7081], [56337], [2117], [0]]) / ONE
    back = rounded(chain, strategy)
    assert min(rows.min() for rows in back) >= 0.0
    assert furthest(rounded(chain, back), back) == 0.0


def test_a_chart_holds_two_bytes_for_each_probability_but_the_last() -> None:
    chain = chain_of("svara")
    chart = chart_of(chain, random_deal_strategy(chain, 4))
    sizes = [
        (int(end - first) - 1) * (chain.hands.classes if looked else 1)
        for deal in chain.deals
        for first, end, looked in zip(
            deal.first_row[:-1], deal.first_row[1:], deal.looked, strict=True
        )
    ]
    assert len(chart.weights) == sum(sizes)
    assert chart.weights.dtype == np.uint16
    assert len(chart.situations) == np.count_nonzero(sizes)


def _not_one(rows: np.ndarray) -> None:
    rows[0] += 0.01


def _negative(rows: np.ndarray) -> None:
    rows[0] -= 1.5
    rows[1] += 1.5


def _not_a_number(rows: np.ndarray) -> None:
    rows[0, 0] = np.nan


@pytest.mark.parametrize("spoil", [_not_one, _negative, _not_a_number])
def test_what_is_no_strategy_has_no_chart(spoil: Callable[[np.ndarray], None]) -> None:
    chain = chain_of("mini_svara")
    strategy = random_deal_strategy(chain, 5)
    spoil(strategy[1])
    with pytest.raises(ValueError, match="probabilit") as error:
        chart_of(chain, strategy)
    assert "\n" not in str(error.value)


def _some_arrays() -> dict[str, np.ndarray]:
    return {
        "situations": np.array([5, 9], np.uint64),
        "first": np.array([0, 2, 5], np.uint32),
        "actions": np.array([3, 2], np.uint8),
        "weights": np.array([1, 2, 3, 4, 5], np.uint16),
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"situations": np.array([9, 5], np.uint64)}, "must ascend"),
        ({"situations": np.array([5, 5], np.uint64)}, "must ascend"),
        ({"situations": np.array([5], np.uint64)}, "chart of 1 decisions"),
        ({"actions": np.array([3, 1], np.uint8)}, "two actions or more"),
        ({"actions": np.array([3], np.uint8)}, "chart of 2 decisions"),
        ({"first": np.array([0, 3, 5], np.uint32)}, "do not fit its actions"),
        ({"first": np.array([0, 0, 5], np.uint32)}, "do not fit its actions"),
        ({"first": np.array([0, 6, 5], np.uint32)}, "do not fit its actions"),
        ({"first": np.array([0, 2, 6], np.uint32)}, "5 weights"),
        ({"first": np.array([1, 2, 5], np.uint32)}, "chart of 2 decisions"),
    ],
)
def test_arrays_that_are_no_chart_are_refused(changes: dict[str, np.ndarray], message: str) -> None:
    new_chart(**_some_arrays())
    with pytest.raises(ValueError, match=message) as error:
        new_chart(**{**_some_arrays(), **changes})
    assert "\n" not in str(error.value)


# On disk.


def written(path: Path, text: str = HANDS, seed: int = 6) -> Path:
    """A bot file with a chart for the game `text`."""
    chain = chain_of(text)
    save_bot(path, load(text), chart_of(chain, random_deal_strategy(chain, seed)), **TRAINING)
    return path


def rewritten(path: Path, **changes: np.ndarray) -> Path:
    """The file with other arrays, and a content hash that fits."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + length])["__metadata__"]
    arrays = {**load_arrays(data), **changes}
    manifest = json.loads(metadata["manifest"])
    digest = hashlib.sha256()
    for key in Chart._fields:
        digest.update(np.ascontiguousarray(arrays[key]).data)
    manifest["content_hash"] = digest.hexdigest()
    metadata["manifest"] = json.dumps(manifest)
    path.write_bytes(save_arrays(arrays, metadata))
    return path


def error_of(path: Path) -> str:
    """The message with which loading fails: one line that names the file."""
    with pytest.raises(BotFileError) as error:
        load_bot(path)
    message = str(error.value)
    assert "\n" not in message and str(path) in message
    return message


def test_a_chart_on_disk_comes_back(tmp_path: Path) -> None:
    chain = chain_of("svara")
    chart = chart_of(chain, random_deal_strategy(chain, 6))
    manifest = save_bot(tmp_path / "mine.pspiel", load(HANDS), chart, **TRAINING)
    bot = load_bot(tmp_path / "mine.pspiel")
    assert isinstance(bot, Bot) and isinstance(bot.table, Chart)
    assert (bot.name, bot.manifest, str(bot.game)) == ("mine", manifest, HANDS)
    assert (manifest.abstraction, manifest.game) == ("hands-1", HANDS)
    for name in Chart._fields:
        assert np.array_equal(getattr(bot.table, name), getattr(chart, name))
    decisions = [(deal, node) for deal in chain.deals for node in range(deal.nodes)]
    real = [(d, i) for d, i in decisions if d.first_row[i + 1] - d.first_row[i] > 1]
    expected = sum(chain.hands.classes if d.looked[i] else 1 for d, i in real)
    assert manifest.information_sets == expected


def test_weights_above_one_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "bot.pspiel", "mini_svara(max_raises=1,abstraction=hands)")
    arrays = load_arrays(path.read_bytes())
    three = int(np.flatnonzero(arrays["actions"] == 3)[0])
    weights = arrays["weights"].copy()
    start = int(arrays["first"][three])
    weights[start : start + 2] = ONE, 1
    assert "add up to more than 1" in error_of(rewritten(path, weights=weights))
    weights[start : start + 2] = ONE, 0
    load_bot(rewritten(path, weights=weights))


def test_a_changed_weight_is_damage(tmp_path: Path) -> None:
    path = written(tmp_path / "bot.pspiel", "mini_svara(abstraction=hands)")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert "is damaged" in error_of(path)


def test_decisions_with_more_actions_than_the_game_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "bot.pspiel", "mini_svara(abstraction=hands)")
    arrays = {
        "situations": np.array([2048], np.uint64),
        "first": np.array([0, 99], np.uint32),
        "actions": np.array([100], np.uint8),
        "weights": np.zeros(99, np.uint16),
    }
    assert "has a decision of 100 actions: the game has" in error_of(rewritten(path, **arrays))


@pytest.mark.parametrize("name", Chart._fields)
def test_arrays_of_another_type_are_refused(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "bot.pspiel", "mini_svara(abstraction=hands)")
    array = load_arrays(path.read_bytes())[name].astype(np.int64)
    assert f"array {name} is int64" in error_of(rewritten(path, **{name: array}))


@pytest.mark.parametrize("abstraction", ["none", "points", "blockers"])
def test_a_chart_for_another_abstraction_is_refused(tmp_path: Path, abstraction: str) -> None:
    text = f"mini_svara(abstraction={abstraction})"
    message = error_of(written(tmp_path / "bot.pspiel", text))
    assert f"has a chart for {load(text).abstraction}: charts are for hands" in message


# At the table.


def _row_of(
    chain_places: dict[int, tuple[int, int]], game: Game, states: np.ndarray
) -> tuple[int, int, int]:
    """(Deal, node, class of the hand) of the seat to act."""
    key = int(drive.key_of(states, game.tables, int(states[0]["turn"])))
    deal, node = chain_places[key & ~NO_CLASS]
    return deal, node, key & NO_CLASS


@pytest.mark.parametrize(
    ("text", "hands"), [("svara", 60), *[(text, 60) for text in SMALL_DECKS[::3]]]
)
def test_an_agent_plays_the_probabilities_of_its_chart(text: str, hands: int) -> None:
    chain, game = chain_of(text), load(text)
    strategy = random_deal_strategy(chain, 7)
    seated = chart_bot(chain, strategy).sit(game)
    found, places = rounded(chain, strategy), place_of_situation(chain)
    with_hands = game.with_parameters(abstraction="hands")
    looked = 0
    for states, past in positions(game, hands, 9):
        deal, node, number = _row_of(places, with_hands, states)
        tree = chain.deals[deal]
        first, end = tree.first_row[node : node + 2]
        chances = seated.distribution(states, past, 0)
        assert list(chances) == tree.action[first:end].tolist()
        expected = found[deal][first:end, 0 if number == NO_CLASS else number]
        assert list(chances.values()) == pytest.approx(expected, abs=1e-12)
        looked += number != NO_CLASS
    assert looked > 30


def test_unknown_situations_are_played_at_random_and_counted() -> None:
    chain, game = chain_of("svara"), load("svara")
    strategy = random_deal_strategy(chain, 8)
    whole = chart_bot(chain, strategy)
    assert isinstance(whole.table, Chart)
    half = Bot("half", load(HANDS), without_half(whole.table), None)
    kept = set(half.table.situations.tolist())
    found, missed = chart_strategy_of(chain, half.table)
    assert missed == len(whole.table.situations) - len(kept)
    seated, places = half.sit(game), place_of_situation(chain)
    random_ones = 0
    for states, past in positions(game, 40, 10):
        deal, node, _ = _row_of(places, load(HANDS), states)
        tree = chain.deals[deal]
        first, end = tree.first_row[node : node + 2]
        if end - first > 1 and int(tree.situation[node]) not in kept:
            chances = seated.distribution(states, past, 0)
            even = 1.0 / (end - first)
            assert list(chances.values()) == pytest.approx([even] * int(end - first), abs=1e-12)
            assert np.abs(found[deal][first:end] - even).max() < 1e-12
            random_ones += 1
    assert random_ones > 10
    for bot, least, most in ((whole, 0.0, 0.0), (half, 0.1, 0.9)):
        result = play_match([bot, BASELINES["always-call"]()], game, 400, 1)
        assert least <= result.players[0].misses <= most


def test_a_chart_bot_plays_its_own_game_only() -> None:
    chain = chain_of("mini_svara")
    bot = chart_bot(chain, random_deal_strategy(chain, 9))
    bot.check(load("mini_svara"))
    bot.check(load("mini_svara(abstraction=hands)"))
    with pytest.raises(ValueError, match=r"chart plays mini_svara \(rules 1\), not svara"):
        bot.check(load("svara"))
    with pytest.raises(ValueError, match="abstraction hands-1, not points-2"):
        bot.check(load("mini_svara(abstraction=points)"))
