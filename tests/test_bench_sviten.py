"""The bench of the Sviten bots: rows that are kept, exact relations, curves, and the report."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot, save_bot
from pokerspiel.agents.exact_strategy import strategy_of, values_against
from pokerspiel.experiments import bench_bounds, bench_curves, bench_matches
from pokerspiel.experiments.kept_rows import FILE, KeptRows, Row
from pokerspiel.experiments.sviten_page import page_html
from pokerspiel.experiments.sviten_tables import sections
from pokerspiel.games.variants import load
from pokerspiel.solvers.best_response import evaluate
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.strategies import strategy_from_blueprint
from tests.command_line import pokerspiel, refuse, succeed
from tests.some_agents import random_bot

MINI = "mini_sviten"
TINY = "mini_sviten(max_discards=0)"
"""Nobody draws: 336 information sets."""
OUTSIDE = r"""(?:src|href)=["'](?!#)|url\((?!#)|@import|<script|<link|<iframe"""
"""What would make a page ask for something, or run."""


def write(path: Path, text: str = MINI, seed: int = 5) -> Path:
    """A bot file with random probabilities."""
    bot = random_bot(text, seed=seed)
    about: dict[str, Any] = {"algorithm": "a", "seed": 0, "iterations": 0, "nodes": 0}
    save_bot(path, load(text), bot.table, seconds=0.0, **about)
    return path


def bench(*words: object) -> Any:
    """The document of a quick run."""
    words = ("bench", "sviten", "--quick", *words, "--json", "-q")
    return succeed(*words).document


def standard_error(row: Row) -> float:
    low, high = row["ci95"]
    return float(high - low) / 2 / 1.96


# Rows.


def test_a_row_with_the_same_settings_is_not_measured_again(tmp_path: Path) -> None:
    measured: list[int] = []

    def measure() -> Row:
        measured.append(1)
        return {"value": np.float64(len(measured))}

    for _ in range(2):
        rows = KeptRows(tmp_path / "out")
        rows.begin("part")
        assert rows.row("part", {"hands": 10}, measure)["value"] == 1.0
        assert rows.row("part", {"hands": 20}, measure)["value"] == 2.0
    assert len(measured) == 2 and len(rows.document()["sittings"]) == 1


def test_only_rows_that_were_asked_for_last_are_shown_and_none_is_lost(tmp_path: Path) -> None:
    rows = KeptRows(tmp_path)
    rows.row("part", {"hands": 10}, lambda: {"value": 1})
    rows.row("other", {"hands": 10}, lambda: {"value": 2})
    rows = KeptRows(tmp_path)
    rows.begin("part")
    rows.row("part", {"hands": 20}, lambda: {"value": 3})
    assert [row["value"] for row in rows.rows("part")] == [3]
    assert [row["value"] for row in rows.rows("other")] == [2]
    rows.begin("part")
    assert rows.row("part", {"hands": 10}, lambda: {"value": 4})["value"] == 1


def test_an_interrupt_leaves_the_rows_before_it(tmp_path: Path) -> None:
    def interrupt() -> Row:
        raise KeyboardInterrupt

    rows = KeptRows(tmp_path)
    rows.row("part", {"hands": 10}, lambda: {"value": 1})
    with pytest.raises(KeyboardInterrupt):
        rows.row("part", {"hands": 20}, interrupt)
    assert [row["value"] for row in KeptRows(tmp_path).rows("part")] == [1]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{]")
    with pytest.raises(ValueError, match="is damaged"):
        KeptRows(tmp_path)
    (tmp_path / FILE).write_text('{"seed": 0}')
    with pytest.raises(ValueError, match="choose another folder"):
        KeptRows(tmp_path)


# Exact figures.


@pytest.fixture(scope="module")
def bounds() -> list[Row]:
    rows = KeptRows(None)
    bench_bounds.bounds(rows, TINY, (20, 100_000), 20_000, 0, quiet=True)
    return rows.rows("bounds")


def test_bounds_of_bots_that_have_hardly_learnt_hold() -> None:
    rows = KeptRows(None)
    bench_bounds.bounds(rows, TINY, (20,), 500, 0, quiet=True)
    found = rows.rows("bounds")
    assert len(found) == 3 and all(row["exact"] and row["holds"] for row in found)


@pytest.mark.slow
def test_no_bound_is_above_the_exact_value(bounds: list[Row]) -> None:
    assert len(bounds) == 4 and all(row["exact"] and row["holds"] for row in bounds)
    for row in bounds:
        best = np.array(row["best_response"]["seats"])
        for name in bench_bounds.BOUNDS:
            assert np.all(np.array(row[name]["seats"]) <= best + 1e-6), row
            assert row[name]["mbb_per_hand"] == pytest.approx(np.mean(row[name]["seats"]))


@pytest.mark.slow
def test_for_two_exploitability_is_what_a_best_response_wins(bounds: list[Row]) -> None:
    for row in bounds:
        won = row["best_response"]["mbb_per_hand"]
        assert 1000.0 * row["exploitability"] == pytest.approx(won)


@pytest.mark.slow
def test_training_approaches_an_equilibrium(bounds: list[Row]) -> None:
    random, _, little, much = (row["exploitability"] for row in bounds)
    assert much < bench_bounds.GOAL < little < random


@pytest.mark.slow
def test_a_trained_responder_finds_nearly_all(bounds: list[Row]) -> None:
    random = bounds[0]
    won, best = (random[name]["mbb_per_hand"] for name in ("trained", "best_response"))
    assert 0.95 * best < won


@pytest.mark.slow
def test_a_bound_that_is_too_high_is_told(
    monkeypatch: pytest.MonkeyPatch, bounds: list[Row]
) -> None:
    """As if local best response had won more than can be won, in one seat only."""
    best = np.array(bounds[0]["best_response"]["seats"]) * compile_tree(TINY).big_unit / 1000.0
    too_high = best + np.array([-1.0, 0.001])
    monkeypatch.setattr(bench_bounds, "local_values", lambda bot, tree: too_high)
    rows = KeptRows(None)
    bench_bounds.bounds(rows, TINY, (), 10, 0, quiet=True)
    assert not rows.rows("bounds")[0]["holds"]
    (section,) = sections(rows.document())
    assert section.cells[0][-1] == "NO"


@pytest.mark.slow
def test_buckets_lose_and_more_of_them_less() -> None:
    rows = KeptRows(None)
    bench_bounds.abstraction(rows, TINY, (1, 6), 70_000, 0, quiet=True)
    one, six, whole = (row["exploitability"] for row in rows.rows("abstraction"))
    assert one > 2 * six and six > whole and whole < 0.01


# Matches.


def test_a_match_is_near_the_exact_value(tmp_path: Path) -> None:
    players = bench_matches.find_players([str(write(tmp_path / "a.pspiel"))])
    rows = KeptRows(None)
    bench_matches.matches(rows, players, 2_000, 3, quiet=True)
    by_name = {row["opponent"]: row for row in rows.rows("matches")}
    assert list(by_name) == list(BASELINES)
    tree = compile_tree(MINI)
    bot = players[0].agent
    assert isinstance(bot, Bot)
    for name in ("random", "always-call"):
        exact = (
            values_against(strategy_of(bot, tree)[0], BASELINES[name](), tree).mean()
            / tree.big_unit
            * 1000.0
        )
        row = by_name[name]
        assert abs(row["mbb_per_hand"] - exact) < 4.0 * standard_error(row)


def test_every_pair_of_bots_meets_once(tmp_path: Path) -> None:
    words = [str(write(tmp_path / f"{name}.pspiel", seed=i)) for i, name in enumerate("abc")]
    rows = KeptRows(None)
    bench_matches.matches(rows, bench_matches.find_players(words), 10, 0, quiet=True)
    pairs = [(row["bot"], row["opponent"]) for row in rows.rows("matches")]
    between = [pair for pair in pairs if pair[1] not in BASELINES]
    assert between == [("a", "b"), ("a", "c"), ("b", "c")] and len(pairs) == 3 + 3 * len(BASELINES)


def test_a_retrained_bot_of_the_same_name_is_measured_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.pspiel"
    words = ("--only", "matches", "--bots", path, "--hands", 10, "--out", tmp_path / "out")
    write(path, seed=1)
    first = bench(*words, "--game", MINI)
    assert bench(*words, "--game", MINI) == first
    write(path, seed=2)
    other = bench(*words, "--game", MINI)
    assert [row["sitting"] for row in other["matches"]] == [1] * len(BASELINES)


def test_local_best_response_stays_below_the_best_response(tmp_path: Path) -> None:
    """By sampled hands, to four standard errors; and it wins something."""
    words = ("--only", "lbr", "--bots", write(tmp_path / "a.pspiel", TINY), "--game", TINY)
    rows = {row["bot"]: row for row in bench(*words, "--lbr-hands", 600)["lbr"]}
    assert list(rows) == ["a", "always-call", "equity"]
    tree = compile_tree(TINY)
    table = random_bot(TINY).table
    strategy = strategy_from_blueprint(tree, table)[0]  # type: ignore[arg-type]
    best = evaluate(tree, strategy).best_values.mean() / tree.big_unit * 1000.0
    won, error = rows["a"]["mbb_per_hand"], standard_error(rows["a"])
    assert won - 2.0 * error > 0.0 and won < best + 4.0 * error


# Curves.


def plan_of(**changes: Any) -> bench_curves.Plan:
    plan: dict[str, Any] = {
        "game": f"{TINY[:-1]},abstraction=halves)",
        "times": (0.02, 0.05, 0.1),
        "buckets": (1, 2, 6),
        "bucket_time": 0.05,
        "samples": 200,
        "hands": 100,
        "threads": 1,
        "memory_limit": 1 << 28,
        "seed": 0,
    }
    return bench_curves.Plan(**{**plan, **changes})


def test_curves_have_a_point_for_each_opponent_and_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = KeptRows(tmp_path)
    bench_curves.curves(rows, plan_of(), None, quiet=True)
    found = rows.rows("curves")
    places = [row["place"] for row in found if row["opponent"] == "equity"]
    assert places == [0.02, 0.05, 0.1, 1, 2, 6] and len(found) == 12
    trained = [row["trained_seconds"] for row in found if row["curve"] == bench_curves.TIME]
    assert all(a >= b for a, b in zip(trained, np.repeat((0.02, 0.05, 0.1), 2), strict=True))
    assert trained == sorted(trained)
    page = page_html(rows.document())
    assert page.count("<svg") == 2 and not re.search(OUTSIDE, page)

    def refuse_to_train(*its: object) -> None:
        raise AssertionError("it was measured before")

    monkeypatch.setattr(bench_curves, "Mccfr", refuse_to_train)
    again = KeptRows(tmp_path)
    again.begin("curves")
    bench_curves.curves(again, plan_of(), None, quiet=True)
    assert again.rows("curves") == found
    with pytest.raises(AssertionError, match="measured before"):
        bench_curves.curves(again, plan_of(hands=50), None, quiet=True)


def test_the_bot_named_first_is_an_opponent(tmp_path: Path) -> None:
    (rival,) = bench_matches.find_players([str(write(tmp_path / "rival.pspiel", TINY))])
    rows = KeptRows(None)
    plan = plan_of(times=(0.02,), buckets=())
    bench_curves.curves(rows, plan, rival, quiet=True)
    assert [row["opponent"] for row in rows.rows("curves")] == ["equity", "tight", "rival"]


# The command.


def test_the_report_has_its_plots_and_tables(tmp_path: Path) -> None:
    bot, out = write(tmp_path / "a.pspiel"), tmp_path / "out"
    words = ("bench", "sviten", "--quick", "--only", "matches", "river", "--bots", bot)
    sizes = ("--game", MINI, "--hands", 50, "--river-hands", 4)
    printed = succeed(*words, *sizes, "--out", out).out
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2 and not re.search(OUTSIDE, page)
    for text in ("50 duplicate hands", "95 %", "a+river", *BASELINES):
        assert text in printed and text in page
    assert (out / FILE).is_file()


def test_speed_is_told_as_ratios() -> None:
    document = bench("--only", "speed", "--game", f"{MINI}(abstraction=halves)")
    assert [row["name"] for row in document["speed"]] == ["external sampling", "two threads"]
    for row in document["speed"]:
        assert row["ratio"] == pytest.approx(row["ours"] / row["rival"])
        assert row["unit"] == "nodes" and row["ours"] > 0


def test_an_interrupted_command_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*its: object) -> None:
        raise KeyboardInterrupt

    bot, out = write(tmp_path / "a.pspiel"), tmp_path / "out"
    words = ("bench", "sviten", "--quick", "-q", "--only", "matches", "bounds", "--bots", bot)
    monkeypatch.setattr(bench_bounds, "compile_tree", interrupt)
    outcome = pokerspiel(*words, "--game", MINI, "--hands", 10, "--out", out)
    assert outcome.status == 130 and "the same command goes on" in outcome.err
    assert len(KeptRows(out).rows("matches")) == len(BASELINES)


def test_what_cannot_be_measured_is_refused(tmp_path: Path) -> None:
    game = ("--game", MINI)
    refuse("bench", "sviten", "--only", "hands", *game, naming="--only hands: expected speed,")
    words = ("bench", "sviten", "--only", "matches", *game, "--bots")
    refuse(*words, tmp_path / "no.pspiel", naming="cannot read")
    (tmp_path / "bad.pspiel").write_text("nothing")
    refuse(*words, tmp_path / "bad.pspiel", naming="no bot file, or is damaged")
    refuse(*words, "equity", naming="--bots equity: it is a baseline")
    refuse(*words, "svara-home", naming="expected a Sviten game for two")
    refuse("bench", "sviten", "--game", "svara", naming="expected a Sviten game for two")
    three = "mini_sviten(players=3,ranks=JQKA)"
    refuse("bench", "sviten", "--game", three, naming="expected a Sviten game for two")
    file = tmp_path / "file"
    file.write_text("")
    refuse(*words[:-1], "--out", file, naming=str(file))
    refuse("bench", "sviten", "--times", "0", naming="a number of seconds, 0.1 or more")


# Figures in a bot file.


def test_an_exported_bot_says_what_was_measured_of_it(tmp_path: Path) -> None:
    run, bot, folder = tmp_path / "run", tmp_path / "a.pspiel", tmp_path / "figures"
    succeed("train", TINY, "--iterations", 50, "--out", run)
    succeed("export", run, "--out", bot)
    parts = ("--only", "matches", "lbr", "--bots", bot, write(tmp_path / "b.pspiel", TINY))
    rows = bench(*parts, "--hands", 100, "--out", folder, "--game", TINY)
    words = ("export", run, "--out", bot, "--measured", folder, "--json")
    strength = succeed(*words).document["strength"]
    assert (strength["unit"], strength["confidence"]) == ("big blind", 0.95)
    wins = [row for row in rows["matches"] if row["bot"] == "a"]
    (loses,) = (row for row in rows["lbr"] if row["bot"] == "a")
    assert [row["opponent"] for row in wins] == [*BASELINES, "b"]
    for said, row in zip(strength["rows"], [*wins, loses], strict=True):
        assert said.get("opponent") == (None if row is loses else row["opponent"])
        assert (said["mbb_per_hand"], said["ci95"]) == (row["mbb_per_hand"], row["ci95"])
        assert (said["hands"], said["game"], said["seed"]) == (row["hands"], row["game"], 0)
    assert succeed("info", bot, "--json").document["strength"] == strength


def test_figures_of_another_bot_are_refused(tmp_path: Path) -> None:
    run, bot, folder = tmp_path / "run", tmp_path / "a.pspiel", tmp_path / "figures"
    succeed("train", TINY, "--iterations", 50, "--out", run)
    words = ("export", run, "--out", bot, "--measured", folder)
    refuse(*words, naming="it has no results.json: expected a folder of bench sviten")
    other = write(tmp_path / "b.pspiel", TINY)
    bench("--only", "matches", "--bots", other, "--hands", 10, "--out", folder, "--game", TINY)
    refuse(*words, naming="nothing was measured there of the bot with content hash")
    assert not bot.exists()
