"""Seeds taken together, and the tables for papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pokerspiel.experiments.bench_lines import summarise
from pokerspiel.experiments.bench_tables import latex, markdown
from pokerspiel.experiments.results import REFUSED, Point, Run


def sampled_run(seed: int, values: Sequence[float], budget: str = "9it") -> Run:
    points = tuple(
        Point(iterations, 10 * iterations + seed, iterations / 10, value, 2 * value, 0.0)
        for iterations, value in zip((1, 3, 9), values, strict=True)
    )
    return Run(
        game="mini_game",
        label="mini_game",
        rule_version=1,
        abstraction="",
        algorithm="outcome-sampling",
        seed=seed,
        alternating=True,
        budget=budget,
        sampled=True,
        unit="ante",
        tree_nodes=100,
        information_sets=10,
        points=points,
    )


SAMPLED = [
    sampled_run(2, (3.0, 2.0, 0.5)),
    sampled_run(0, (1.0, 0.9, 0.25)),
    sampled_run(1, (2.0, 1.0, 0.04)),
]


def test_seeds_are_taken_together() -> None:
    ((line,),) = (table.lines for table in summarise(SAMPLED))
    assert line.seeds == "0, 1, 2"
    last = line.last("exploitability")
    assert last is not None and (last.median, last.low, last.high) == (0.25, 0.04, 0.5)
    curve = line.curve()
    assert [(p.iterations, p.nodes, p.measure.median) for p in curve] == [
        (1, 11, 2.0),
        (3, 31, 1.0),
        (9, 91, 0.25),
    ]
    assert (curve[1].measure.low, curve[1].measure.high) == (0.9, 2.0)
    assert line.seconds_to(0.9) == pytest.approx(0.9)
    assert line.seconds_to(0.3) is None


def test_the_tables_for_papers() -> None:
    best = replace(
        sampled_run(0, (1.0, 0.1, 0.0015)), algorithm="cfr+", sampled=False, label="mini_game"
    )
    refused = replace(
        best, algorithm="xfp", status=REFUSED, message="three players & more", points=()
    )
    tables = summarise([*SAMPLED, best, refused])
    sitting = {"started": "2026", "machine": {"processor": "A_1", "cores": 2, "system": "L"}}
    sittings = [{**sitting, "versions": {"numba": "1"}, "command": "pokerspiel"}]
    tex = latex(tables, "9it", sittings)
    assert tex.count("\\toprule") == tex.count("\\midrule") == tex.count("\\bottomrule") == 1
    assert r"Algorithm & mini\_game \\" in tex
    assert r"outcome-sampling & $2.5\,[0.4, 5.0] \times 10^{-1}$ \\" in tex
    assert r"cfr+ & $\mathbf{1.5} \times 10^{-3}$ \\" in tex
    assert r"xfp & -- \\" in tex
    assert "after 9 iterations on one core (A\\_1)" in tex
    text = markdown(tables, "9it", sittings)
    assert "| outcome-sampling | 2.5e-01 (4.0e-02, 5.0e-01) |" in text
    assert "| cfr+ | **1.5e-03** |" in text
    assert "- mini_game: xfp: three players & more" in text


def test_rounding_is_no_figure() -> None:
    """Two algorithms at the bottom of float64 are equals."""
    first = replace(sampled_run(0, (1.0, 0.1, 3e-17)), algorithm="pcfr+", sampled=False)
    second = replace(sampled_run(0, (1.0, 0.1, -2e-17)), algorithm="pdcfr+", sampled=False)
    tables = summarise([first, second])
    for name in ("pcfr+", "pdcfr+"):
        assert f"{name} & $\\mathbf{{< 10^{{-12}}}}$ \\\\" in latex(tables, "9it", [])
        assert f"| {name} | **< 1e-12** |" in markdown(tables, "9it", [])
