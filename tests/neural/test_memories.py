"""Memories of rows, and what is computed from the decisions of whole hands."""

from __future__ import annotations

import numpy as np
import pytest

from pokerspiel.games.variants import load

torch = pytest.importorskip("torch")

from pokerspiel.solvers.lockstep import Hands, Seen  # noqa: E402
from pokerspiel.solvers.neural.experience import (  # noqa: E402
    Experience,
    Table,
    later_surprises,
    next_decisions,
)
from pokerspiel.solvers.neural.memories import ConciseSample, LatestRows  # noqa: E402
from pokerspiel.solvers.neural.merging import equal_rows, merged  # noqa: E402

COLUMNS = {"number": ((), np.int64), "pair": ((2,), np.float32)}
LEGAL = np.array([True, True, False])


def rows(first: int, last: int) -> dict[str, np.ndarray]:
    numbers = np.arange(first, last)
    return {"number": numbers, "pair": np.stack((numbers, -numbers), axis=1).astype(np.float32)}


def put(memory: ConciseSample, random: np.random.Generator, numbers: np.ndarray) -> None:
    """One answer for each situation of a number: [number, 1, 0] with the weight number + 1."""
    n = len(numbers)
    memory.add(
        random,
        np.stack((numbers, np.ones(n)), axis=1).astype(np.float32),
        np.tile(LEGAL, (n, 1)),
        np.stack((numbers, np.ones(n), np.zeros(n)), axis=1),
        numbers + 1.0,
    )


def situations(memory: ConciseSample) -> np.ndarray:
    return memory.column("observations")[:, 0].astype(np.int64)


def test_each_answer_stays_with_the_same_chance() -> None:
    """Those of situations that come often, and those of others."""
    random = np.random.default_rng(1)
    stream = np.concatenate((np.arange(60), np.repeat(np.arange(5), 20)))
    met, kept, rates = np.bincount(stream), np.zeros(60), []
    repeats = 1500
    for _ in range(repeats):
        memory = ConciseSample(10, 2, 3)
        order = random.permutation(stream)
        for first in range(0, len(order), 7):
            put(memory, random, order[first : first + 7])
        assert len(memory) <= 10
        found = situations(memory)
        assert len(np.unique(found)) == len(memory)
        kept[found] += memory.column("counts")[:, 0] / memory.rate
        rates.append(memory.rate)
    assert max(rates) < 0.5
    assert np.abs(kept / repeats / met - 1.0).max() < 0.3
    assert abs((kept / repeats / met).mean() - 1.0) < 0.03


def test_nothing_is_lost_as_long_as_situations_find_room() -> None:
    random = np.random.default_rng(2)
    memory = ConciseSample(50, 2, 3)
    answers = {number: np.zeros(4) for number in range(50)}
    for _ in range(40):
        numbers, said = random.integers(0, 50, 30), random.normal(size=(30, 3))
        weights = random.random(30)
        observations = np.stack((numbers, np.ones(30)), axis=1).astype(np.float32)
        memory.add(random, observations, np.tile(LEGAL, (30, 1)), said, weights)
        for number, answer, weight in zip(numbers, said, weights, strict=True):
            answers[int(number)] += [*(weight * answer), weight]
    assert len(memory) == 50 and memory.rate == 1.0
    assert memory.column("counts").sum() == 1200
    for place, number in enumerate(situations(memory)):
        *total, weight = answers[int(number)]
        assert memory.weights[place] == pytest.approx(weight)
        assert memory.targets[place] == pytest.approx(np.array(total) / weight, rel=1e-5)
        assert memory.column("legal")[place].tolist() == LEGAL.tolist()


def test_what_may_be_done_tells_situations_apart() -> None:
    memory = ConciseSample(10, 2, 3)
    seen = np.ones((4, 2), np.float32)
    legal = np.array([[1, 1, 0], [1, 1, 1], [1, 1, 0], [0, 1, 1]], bool)
    memory.add(np.random.default_rng(0), seen, legal, np.ones((4, 3)), np.ones(4))
    assert memory.column("legal").tolist() == legal[[0, 1, 3]].tolist()
    assert memory.weights.tolist() == [2.0, 1.0, 1.0]


def test_mini_batches_are_all_situations_or_drawn_by_their_weight() -> None:
    random = np.random.default_rng(3)
    memory = ConciseSample(100, 2, 3)
    assert list(memory.batches(3, 8, random)) == []
    put(memory, random, np.array([0, 3, 3]))
    (whole,) = memory.batches(1, 2, random)
    assert whole["weights"] == pytest.approx([2 / 9, 16 / 9])
    assert whole["targets"][:, 0].tolist() == [0.0, 3.0]
    put(memory, random, np.arange(4, 9))
    drawn = list(memory.batches(2000, 5, random))
    assert len(drawn) == 2000
    seen = np.concatenate([batch["observations"][:, 0] for batch in drawn]).astype(np.int64)
    told = np.concatenate([batch["targets"][:, 0] for batch in drawn])
    assert (seen == told).all()
    shares = np.bincount(seen, minlength=9)[situations(memory)] / len(seen)
    assert shares == pytest.approx(memory.weights / memory.weights.sum(), abs=0.02)
    assert all((batch["weights"] == 1.0).all() for batch in drawn)


def test_equal_rows_are_found() -> None:
    random = np.random.default_rng(4)
    inputs = random.integers(0, 3, (300, 3)).astype(np.float32)
    legal = random.random((300, 2)) < 0.5
    groups, first = equal_rows(inputs, legal)
    both = np.concatenate((inputs, legal), axis=1)
    assert len(first) == len(np.unique(both, axis=0))
    assert (both[first][groups] == both).all()
    assert (np.diff(first) > 0).all(), "in the order in which they come"
    values = random.normal(size=(300, 4))
    places, sums, sizes = merged(inputs, legal, values)
    assert (places == first).all()
    assert sums.sum(0) == pytest.approx(values.sum(0))
    assert sums[5] == pytest.approx(values[groups == 5].sum(0))
    assert sizes.tolist() == np.bincount(groups).tolist()


def test_the_latest_rows_stay() -> None:
    latest = LatestRows(10, COLUMNS)
    for first, last in ((0, 4), (4, 13), (13, 15), (15, 48)):
        latest.add(**rows(first, last))
        wanted = np.arange(max(last - 10, 0), last)
        np.testing.assert_array_equal(np.sort(latest.columns["number"][: len(latest)]), wanted)
        np.testing.assert_array_equal(latest.columns["number"][wanted % 10], wanted)


def test_the_latest_rows_go_on_from_their_arrays() -> None:
    one, two = LatestRows(20, COLUMNS), LatestRows(20, COLUMNS)
    one.add(**rows(0, 33))
    two.restore("rows", one.to_arrays("rows"))
    for memory in (one, two):
        memory.add(**rows(33, 50))
    for name, column in one.columns.items():
        np.testing.assert_array_equal(column, two.columns[name])
    with pytest.raises(ValueError, match=r"other\.met"):
        two.restore("other", one.to_arrays("rows"))
    with pytest.raises(ValueError, match=r"rows\.number"):
        LatestRows(21, COLUMNS).restore("rows", one.to_arrays("rows"))


@pytest.mark.parametrize("capacity", [20, 200])
def test_a_sample_goes_on_from_its_arrays(capacity: int) -> None:
    one, two = (ConciseSample(capacity, 2, 3) for _ in range(2))
    put(one, np.random.default_rng(0), np.arange(90) % 60)
    two.restore("rows", one.to_arrays("rows"))
    for memory in (one, two):
        put(memory, np.random.default_rng(1), np.arange(100) % 70)
    left, right = one.to_arrays("rows"), two.to_arrays("rows")
    assert left.keys() == right.keys()
    for name, array in left.items():
        np.testing.assert_array_equal(array, right[name])
    with pytest.raises(ValueError, match=r"other\.rate"):
        two.restore("other", left)
    with pytest.raises(ValueError, match=r"rows\.observations"):
        ConciseSample(capacity, 3, 3).restore("rows", left)


def played(text: str, hands: int) -> Experience:
    """Hands at random."""

    def choose(table: Hands, waiting: np.ndarray, seen: Seen) -> np.ndarray:
        return (seen.legal / seen.legal.sum(1, keepdims=True)).astype(np.float32)

    return Table(load(text), hands).play(choose, 0, 0)


def test_the_next_decision_is_that_of_the_same_hand_and_seat() -> None:
    experience = played("kuhn(players=3)", 50)
    n = len(experience.hands)
    out = np.zeros(n, np.int64)
    next_decisions(experience.hands, experience.seats, np.zeros((50, 3), np.int64), out)
    assert (out >= 0).any()
    for i in range(n):
        same = (experience.hands == experience.hands[i]) & (experience.seats == experience.seats[i])
        later = np.flatnonzero(same & (np.arange(n) > i))
        assert out[i] == (later[0] if len(later) else -1)


@pytest.mark.parametrize("text", ["kuhn(players=3)", "leduc"])
def test_surprises_reckon_with_what_is_paid(text: str) -> None:
    """With λ = 1 a surprise is all that is got from there on, less what was expected."""
    experience = played(text, 40)
    hands, seats = experience.hands, experience.seats
    n, players = len(hands), experience.returns.shape[1]
    random = np.random.default_rng(0)
    paid, values = random.normal(size=(2, n))
    for share in (1.0, 0.0):
        out = np.zeros(n)
        after = np.zeros((40, players, 4))
        won = experience.returns
        later_surprises(hands, seats, paid, values, values, won, share, after, out)
        for i in range(n):
            later = np.flatnonzero((hands == hands[i]) & (np.arange(n) >= i))
            own = later[seats[later] == seats[i]]
            got = experience.returns[hands[i], seats[i]]
            if share == 0.0 and len(own) > 1:
                later, got = later[later < own[1]], values[own[1]]
            gains = np.where(seats[later] == seats[i], -paid[later], paid[later] / (players - 1))
            assert out[i] == pytest.approx(got + gains.sum() - values[i])
