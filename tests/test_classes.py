"""Tables with classes of hands: one block a situation, and the chart that is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pokerspiel.agents.bot_file import Bot, BotFileError, load_bot, save_bot
from pokerspiel.experiments import export
from pokerspiel.games.deals import NO_CLASS
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.blueprint import average_blueprint, blueprint_strategy
from pokerspiel.solvers.chart import (
    BYTE_ONE,
    BYTE_UNIT,
    ONE,
    average_chart,
    chart_chances,
    weights_as_bytes,
)
from pokerspiel.solvers.mccfr import Mccfr, MccfrState, estimate_size
from pokerspiel.solvers.table import (
    CONFLICTS,
    NOT_STORED,
    SETS,
    UNSTORED,
    USED,
    Table,
    average_strategy,
    find,
    find_or_add,
    make_room,
    new_table,
    table_bytes,
    visited_sets,
)

MEGABYTE = 1 << 20
HANDS = "svara(stack=6,abstraction=hands)"
"""Keys of these information sets name the class of the hand in their last bits."""


def classes_of_hands(game: Game) -> int:
    return int(game.tables.hand_class.max()) + 1


@pytest.fixture
def with_classes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let games with the information sets `hands` say how many classes they have."""
    monkeypatch.setattr(Game, "classes", property(classes_of_hands))
    yield


def situations(n: int, seed: int = 0) -> np.ndarray:
    keys = np.random.default_rng(seed).integers(1, 1 << 63, n).astype(np.uint64)
    return keys & ~np.uint64(NO_CLASS)


def with_class(situation: np.uint64, hand: int) -> np.uint64:
    return situation | np.uint64(hand)


# The table.


def test_one_slot_serves_all_classes_of_a_situation() -> None:
    table = new_table(4 * MEGABYTE, classes=10)
    situation, other = situations(2)
    first = find_or_add(table, with_class(situation, 3), 4)
    assert table.counts[SETS] == 1
    assert table.counts[USED] == 10 * 2 * 4
    for hand in range(10):
        assert find(table, with_class(situation, hand), 4) == first + (hand - 3) * 8
        assert find_or_add(table, with_class(situation, hand), 4) == first + (hand - 3) * 8
    assert find(table, with_class(other, 3), 4) == NOT_STORED
    assert find_or_add(table, with_class(other, 9), 2) == 80 + 9 * 4
    assert table.counts[SETS] == 2 and table.counts[USED] == 80 + 40


def test_a_seat_without_a_hand_has_the_first_row() -> None:
    table = new_table(4 * MEGABYTE, classes=10)
    situation = situations(1)[0]
    assert find_or_add(table, with_class(situation, NO_CLASS), 3) == 0
    assert find(table, with_class(situation, 0), 3) == 0


def test_broken_keys_are_counted_and_not_stored() -> None:
    table = new_table(4 * MEGABYTE, classes=10)
    situation, other = situations(2)
    assert find_or_add(table, with_class(situation, 10), 3) == NOT_STORED
    assert table.counts[CONFLICTS] == 1 and table.counts[SETS] == 0
    find_or_add(table, with_class(situation, 1), 3)
    assert find_or_add(table, with_class(situation, 10), 3) == NOT_STORED
    assert find_or_add(table, with_class(situation, 2), 4) == NOT_STORED
    assert table.counts[CONFLICTS] == 3
    assert find(table, with_class(other, 10), 3) == NOT_STORED
    with pytest.raises(ValueError, match="classes=2048"):
        new_table(4 * MEGABYTE, classes=2048)


def filled(table: Table, keys: np.ndarray, n: int) -> None:
    for key in keys:
        first = find_or_add(table, with_class(key, 1), n)
        table.values[first] = np.float32(int(key) >> 40)


def test_a_table_with_classes_grows() -> None:
    limit = 64 * MEGABYTE
    table = new_table(limit, slots=16, classes=3)
    keys = situations(5_000)
    for part in np.split(keys, 1_000):
        filled(table, part, 2)
        table = make_room(table, limit)
    assert table.counts[SETS] == len(keys) and table.counts[UNSTORED] == 0
    for key in keys:
        first = find(table, with_class(key, 1), 2)
        assert table.values[first] == np.float32(int(key) >> 40)


def test_the_table_never_takes_more_than_its_limit() -> None:
    limit = 3 * MEGABYTE
    table = new_table(limit, slots=1 << 12, classes=100)
    for key in situations(3_000):
        find_or_add(table, key, 5)
        assert table_bytes(table) <= limit
    assert table.counts[UNSTORED] > 0
    assert table_bytes(table) > 0.99 * limit


# A solver on such keys.


def test_classes_change_where_values_lie_and_not_what_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = load(HANDS)
    plain = Mccfr(game, seed=3)
    plain.run(3_000)
    with monkeypatch.context() as patch:
        patch.setattr(Game, "classes", property(classes_of_hands))
        blocks = Mccfr(game, seed=3)
        blocks.run(1_000)
        state = MccfrState.from_arrays(blocks.state.to_arrays(), blocks.state.to_numbers())
        blocks = Mccfr(game, state=state)
        blocks.run(2_000)
    ours, theirs = blocks.state.table, plain.state.table
    assert ours.classes == classes_of_hands(game) > 50
    assert blocks.state.nodes == plain.state.nodes
    for key, entry in theirs.slots.reshape(-1, 2):
        if key:
            n, there = int(entry) & 0xFFFF, int(entry) >> 16
            here = find(ours, key, n)
            assert np.array_equal(
                ours.values[here : here + 2 * n], theirs.values[there : there + 2 * n]
            )
    assert visited_sets(ours) == visited_sets(theirs) > 1_000
    assert ours.counts[SETS] < theirs.counts[SETS] / 20
    assert blocks.progress().information_sets == ours.counts[SETS] * ours.classes
    with pytest.raises(ValueError, match="train anew"):
        Mccfr(game, state=state)


@pytest.mark.usefixtures("with_classes")
def test_the_estimate_counts_situations_with_all_their_classes() -> None:
    game = load(HANDS)
    estimate = estimate_size(game)
    solver = Mccfr(game, seed=1)
    solver.run(30_000)
    assert estimate.information_sets == pytest.approx(solver.progress().information_sets, rel=0.05)
    assert estimate.bytes == pytest.approx(solver.progress().bytes, rel=0.1)


# The chart.


@pytest.fixture
def trained(with_classes: None) -> Mccfr:
    solver = Mccfr(load(HANDS), seed=3)
    solver.run(2_000)
    return solver


def test_the_chart_is_the_average_rounded_to_bytes(trained: Mccfr) -> None:
    table = trained.state.table
    chart = average_chart(table)
    assert np.all(chart.weights % BYTE_UNIT == 0)
    known = 0
    for k, situation in enumerate(chart.situations):
        n = int(chart.actions[k])
        mean = np.zeros(n)
        out, expected = np.zeros(n), np.zeros(n)
        for hand in range(table.classes):
            at = find(table, with_class(situation, hand), n)
            mean += table.values[at + n : at + 2 * n]
        for hand in range(table.classes):
            key = with_class(situation, hand)
            if average_strategy(table, key, n, expected):
                known += 1
            else:
                expected = mean / mean.sum()
            assert chart_chances(chart, key, n, out)
            assert out.sum() == pytest.approx(1.0)
            assert out.min() >= 0.0
            assert out == pytest.approx(expected, abs=1 / BYTE_ONE)
    assert known == visited_sets(table) < len(chart.situations) * table.classes
    with pytest.raises(ValueError, match="makes a chart"):
        average_blueprint(table)


@pytest.mark.parametrize("n", [2, 3, 33, 250])
def test_rounded_rows_are_probabilities(n: int) -> None:
    table = new_table(64 * MEGABYTE, classes=1000)
    situation = situations(1)[0]
    find_or_add(table, situation, n)
    random = np.random.default_rng(n)
    rows = table.values[: 1000 * 2 * n].reshape(1000, 2, n)
    rows[:, 1] = random.random((1000, n)) ** random.integers(0, 20, (1000, 1))
    chart = average_chart(table)
    weights = chart.weights.reshape(1000, n - 1).astype(int)
    assert weights.min() >= 0
    assert weights.sum(axis=1).max() <= ONE
    exact = rows[:, 1] / rows[:, 1].sum(axis=1, keepdims=True)
    errors = np.abs(np.hstack([weights, ONE - weights.sum(axis=1, keepdims=True)]) / ONE - exact)
    assert errors.max() < 1.001 / BYTE_ONE


@pytest.mark.usefixtures("with_classes")
def test_a_bot_of_a_trained_chart_comes_back(trained: Mccfr, tmp_path: Path) -> None:
    path = tmp_path / "mine.pspiel"
    manifest = export.write_bot(path, trained.game, trained.state)
    chart = average_chart(trained.state.table)
    assert manifest.information_sets == visited_sets(trained.state.table)
    assert path.stat().st_size < len(chart.weights) + 20 * len(chart.situations) + 4096
    bot = load_bot(path)
    assert isinstance(bot, Bot)
    for name in ("situations", "first", "actions", "weights"):
        assert np.array_equal(getattr(bot.table, name), getattr(chart, name)), name
    assert bot.table.weights.dtype == np.uint16


def test_weights_that_are_no_bytes_are_refused(tmp_path: Path, trained: Mccfr) -> None:
    chart = average_chart(trained.state.table)
    assert np.array_equal(weights_as_bytes(chart.weights) * np.uint16(BYTE_UNIT), chart.weights)
    chart.weights[5] += 1
    about = {"algorithm": "none", "seed": 0, "iterations": 1, "nodes": 1, "seconds": 1.0}
    with pytest.raises(ValueError, match="finer than 1 / 255"):
        save_bot(tmp_path / "a.pspiel", trained.game, chart, one_byte=True, **about)
    save_bot(tmp_path / "b.pspiel", trained.game, chart, **about)
    assert load_bot(tmp_path / "b.pspiel").table.weights[5] == chart.weights[5]


def test_a_chart_of_bytes_that_add_up_to_more_than_one_is_refused(
    tmp_path: Path, trained: Mccfr
) -> None:
    chart = average_chart(trained.state.table)
    wide = int(np.flatnonzero(chart.actions > 2)[0])
    chart.weights[chart.first[wide] : chart.first[wide] + 2] = 200 * BYTE_UNIT
    about = {"algorithm": "none", "seed": 0, "iterations": 1, "nodes": 1, "seconds": 1.0}
    save_bot(tmp_path / "a.pspiel", trained.game, chart, one_byte=True, **about)
    with pytest.raises(BotFileError, match="add up to more than 1"):
        load_bot(tmp_path / "a.pspiel")


def test_the_chart_plays_as_well_as_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every information set that a table without classes knows has nearly the same strategy."""
    game = load(HANDS)
    plain = Mccfr(game, seed=3)
    plain.run(2_000)
    monkeypatch.setattr(Game, "classes", property(classes_of_hands))
    blocks = Mccfr(game, seed=3)
    blocks.run(2_000)
    blueprint, chart = average_blueprint(plain.state.table), average_chart(blocks.state.table)
    out, expected = np.zeros(8), np.zeros(8)
    for k, key in enumerate(blueprint.keys):
        n = int(blueprint.first[k + 1] - blueprint.first[k])
        assert blueprint_strategy(blueprint, key, n, expected)
        assert chart_chances(chart, key, n, out)
        assert out[:n] == pytest.approx(expected[:n], abs=1 / BYTE_ONE)
