"""The report of the demo, and the exact measurements in it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from pokerspiel.experiments import demo
from pokerspiel.experiments.exact import GOAL, Curves, ExactGame, Point, key_in, measure_curves
from pokerspiel.experiments.report import report_html, write_report
from tests.command_line import succeed


@pytest.fixture(scope="module")
def curves() -> Curves:
    return measure_curves("mini_svara", (300, 3_000, 30_000), seed=1)


def test_cfr_plus_reaches_the_goal_on_mini_svara(curves: Curves) -> None:
    assert curves.cfr_plus[-1].exploitability < GOAL
    assert curves.unit == "ante" and curves.information_sets > 100


def test_mccfr_approaches_an_equilibrium_of_mini_svara(curves: Curves) -> None:
    values = [point.exploitability for point in curves.mccfr]
    assert values[0] > values[1] > values[2]
    # A factor of a hundred in iterations is a factor of ten in exploitability, give or take three.
    assert 3 < values[0] / values[2] < 100


def test_uniform_play_of_kuhn_poker_has_its_known_exploitability() -> None:
    exact = ExactGame("kuhn")
    assert exact.exploitability(lambda key, n: [1 / n] * n) == pytest.approx(11 / 24)


def test_the_key_ends_an_information_state() -> None:
    assert key_in("p1 [c r] 7x #9e8d3a0655220fb9") == 0x9E8D3A0655220FB9


def _player(mean: float, halves: bool) -> dict[str, Any]:
    player = {"mbb_per_hand": mean, "ci95": [mean - 10, mean + 10], "misses": 0.01}
    if halves:
        shares = {"showdowns": 0.5, "draw": 0.5, "omaha": 0.5, "scoops": 0.2}
        return {**player, "halves": shares}
    return player


def _training(name: str) -> dict[str, Any]:
    metrics = [{"seconds": float(s), "information_sets": 100 * s} for s in range(1, 5)]
    run = {"name": name, "game": name, "abstraction": "x-1", "seconds": 4.0, "iterations": 9}
    return {**run, "nodes": 10**7, "information_sets": 400, "bytes": 5000, "metrics": metrics}


def _results(curves: Curves) -> dict[str, Any]:
    matches = [
        {"bot": bot, "opponent": opponent, "hands": 1000, "unit": unit, "players": [player]}
        for bot, unit in (("svara", "ante"), ("sviten_special", "big blind"))
        for opponent, mean in (("random", 300.0), ("always-call", 200.0), ("tight", -5.0))
        for player in (_player(mean, bot != "svara"),)
    ]
    example = {"game": "svara", "players": ["svara", "<b>tight</b>"], "lines": ["<i> & folds"]}
    return {
        "seconds": 300.0,
        "seed": 7,
        "date": "2030-01-01",
        "machine": {"processor": "Some & CPU", "cores": 2, "system": "Linux"},
        "versions": {"python": "3.11"},
        "threads": 2,
        "training": [_training("svara"), _training("sviten_special")],
        "matches": matches,
        "curves": [asdict(curves)],
        "exploitability": [
            {"bot": bot, "exploitability": value, "unit": "ante"}
            for bot, value in (("svara", 0.0123), ("svara-home", 1e-6))
        ],
        "examples": [{**example, "seed": 3, "returns": [1.0, -1.0]}],
    }


def test_report_is_one_file_with_figures_and_says_who_is_beaten(
    curves: Curves, tmp_path: Path
) -> None:
    write_report(tmp_path / "report.html", _results(curves))
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 4
    assert "http://" not in html.replace("http://www.w3.org", "").replace(
        "http://creativecommons.org", ""
    ).replace("http://purl.org", "")
    assert "<script" not in html and "<img" not in html
    assert "Svara: beats random, always-call" in html
    assert "2 of 3" in html
    assert "open" in html and "+290 to +310" in html
    assert "&lt;i&gt; &amp; folds" in html and "<i>" not in html
    assert "<em>svara</em> it wins 0.012 antes a hand" in html
    assert "seed 3" in html and "Some &amp; CPU" in html


def test_curves_of_one_point_make_a_figure() -> None:
    single = Curves("mini_svara", "ante", 5, 0, 1.0, [Point(10, 0.01)], [Point(10, 0.2)])
    assert "<svg" in report_html(_results(single))


@pytest.mark.slow
def test_demo_quick(tmp_path: Path) -> None:
    document = succeed("demo", "--quick", "--out", tmp_path / "demo", "--json").document
    assert (tmp_path / "demo" / demo.REPORT).is_file()
    opponents = [*demo.OPPONENTS, "svara-home", *demo.OPPONENTS, "sviten-limit"]
    assert [match["players"][1]["name"] for match in document["matches"]] == opponents
    succeed("demo", "--quick", "--out", tmp_path / "demo", "-q")
