"""The file of measurements: whole runs or none, one run a cell, one writer at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pokerspiel.experiments.results import FAILED, FILE, REFUSED, Point, Results, Run

RUN = Run(
    game="leduc",
    label="leduc",
    rule_version=3,
    abstraction="none-1",
    algorithm="dcfr",
    seed=2**62,
    alternating=True,
    budget="10it",
    sampled=False,
    paper="Brown and Sandholm 2019",
    program="pokerspiel 1",
    parameters={"alpha": 1.5, "beta": "-inf"},
    unit="ante",
    tree_nodes=9457,
    information_sets=288,
    points=(
        Point(1, 18_914, 1e-5, 2.3, 4.6, -0.5),
        Point(10, None, 1e-4, mbb_per_hand=-3.0, ci_low=-5.0, ci_high=-1.0),
    ),
    finished="2026-01-01T00:00:00Z",
)


@pytest.fixture
def results(tmp_path: Path) -> Iterator[Results]:
    with Results(tmp_path) as opened:
        opened.begin_sitting("2026", "pokerspiel bench", {"cores": 2}, {"numpy": "2.4"})
        yield opened


def test_a_run_comes_back_as_it_was_written(tmp_path: Path) -> None:
    with Results(tmp_path) as first:
        first.begin_sitting("2026", "pokerspiel bench", {"cores": 2}, {"numpy": "2.4"})
        first.write(RUN)
    with Results(tmp_path) as again:
        assert again.runs() == [RUN]
        assert again.sittings() == [
            {
                "started": "2026",
                "command": "pokerspiel bench",
                "machine": {"cores": 2},
                "versions": {"numpy": "2.4"},
            }
        ]


def test_a_sitting_that_measured_nothing_is_not_told(results: Results) -> None:
    assert results.sittings() == []


def test_a_cell_has_one_run_the_last(results: Results) -> None:
    results.write(replace(RUN, status=FAILED, message="killed", points=RUN.points[:1]))
    results.write(RUN)
    assert results.runs() == [RUN]
    with sqlite3.connect(results.path) as other:
        (points,) = other.execute("SELECT count(*) FROM points").fetchone()
    assert points == len(RUN.points)


@pytest.mark.parametrize(
    "change",
    [
        {"game": "kuhn"},
        {"rule_version": 4},
        {"abstraction": "points-1"},
        {"algorithm": "cfr"},
        {"seed": 1},
        {"alternating": False},
        {"budget": "10s"},
    ],
    ids=str,
)
def test_what_makes_another_cell(results: Results, change: dict[str, object]) -> None:
    results.write(RUN)
    results.write(replace(RUN, **change))  # type: ignore[arg-type]
    assert len(results.runs()) == 2


def test_a_run_is_there_whole_or_not_at_all(results: Results) -> None:
    results.write(RUN)
    with pytest.raises(sqlite3.IntegrityError):
        results.write(replace(RUN, message="two points at one place", points=RUN.points[:1] * 2))
    assert results.runs() == [RUN]


def test_done_and_refused_are_settled() -> None:
    assert RUN.settled and replace(RUN, status=REFUSED).settled
    assert not replace(RUN, status=FAILED).settled


def test_a_folder_has_one_writer(results: Results, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="in use"):
        Results(tmp_path)
    results.close()
    Results(tmp_path).close()


def test_another_file_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database at all\n" * 100)
    with pytest.raises(ValueError, match="is damaged") as caught:
        Results(tmp_path)
    assert "\n" not in str(caught.value)
    # The folder is free again.
    (tmp_path / FILE).unlink()
    Results(tmp_path).close()


def test_another_format_is_refused(tmp_path: Path) -> None:
    Results(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE) as base:
        base.execute("PRAGMA user_version = 99")
    with pytest.raises(ValueError, match="format 1, not 99"):
        Results(tmp_path)
