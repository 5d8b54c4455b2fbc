"""`solve`, and `resume`, `export` and `info` of its runs."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

from pokerspiel.experiments.game_choice import any_game_text
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.experiments.solve import next_stop
from pokerspiel.solvers.best_response import evaluate
from pokerspiel.solvers.cfr import Cfr
from pokerspiel.solvers.compile_tree import compile_tree
from tests.command_line import pokerspiel, refuse, succeed
from tests.test_cli_process import start

KEYS = [
    *("game", "algorithm", "iterations", "exploitability", "value", "nodes", "information_sets"),
    *("seconds", "nash_conv", "gains", "unit", "definition", "exact", "nodes_touched", "seed"),
    *("status", "run"),
]
LEDUC_VALUE = -0.085606
"""To the first seat, in antes (Southey and others 2005 and many since)."""


def arrays_of(run: Path) -> dict[str, np.ndarray]:
    return load_file(RunFolder(run).latest_checkpoint())


def assert_same_arrays(one: Path, other: Path) -> None:
    left, right = arrays_of(one), arrays_of(other)
    assert left.keys() == right.keys()
    for name in left:
        assert np.array_equal(left[name], right[name]), name


def without_time(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in ("seconds", "run")}


@pytest.fixture(scope="module")
def leduc_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "leduc"
    words = ("solve", "leduc", "--algorithm", "pcfr+", "--iterations", 3000)
    succeed(*words, "--out", run, "-q", "--json")
    return run


# What it prints.


def test_the_result_is_one_document() -> None:
    document = succeed("solve", "leduc_poker", "--json", "--iterations", 2000).document
    assert list(document) == KEYS
    assert document["game"] == "leduc_poker" and document["algorithm"] == "dcfr"
    assert document["nodes"] == 9457 and document["information_sets"] == 936
    assert document["iterations"] == 2000 and document["status"] == "done"
    assert document["nodes_touched"] == 2000 * 2 * 9457, "each player's pass touches every node"
    assert document["value"] == pytest.approx([LEDUC_VALUE, -LEDUC_VALUE], abs=1e-4)
    assert document["exploitability"] == pytest.approx(sum(document["gains"]) / 2)
    assert document["nash_conv"] == pytest.approx(sum(document["gains"]))
    assert document["unit"] == "utility" and document["exact"] is True and document["run"] is None


def test_figures_are_in_antes_whatever_the_chips() -> None:
    words = ("--algorithm", "cfr", "--iterations", 50, "--json")
    small = succeed("solve", "mini_svara", *words).document
    large = succeed("solve", "mini_svara", "--set", "ante=2", "--set", "stack=12", *words).document
    assert small["unit"] == large["unit"] == "ante"
    assert large["game"] == "mini_svara(ante=2,stack=12)"
    for name in ("value", "gains", "exploitability"):
        assert large[name] == pytest.approx(small[name], rel=1e-9)


def test_our_kuhn_is_openspiel_s() -> None:
    words = ("--algorithm", "cfr", "--iterations", 100, "--json")
    ours = succeed("solve", "kuhn", *words).document
    theirs = succeed("solve", "kuhn_poker", *words).document
    for name in ("value", "exploitability", "nodes", "information_sets"):
        assert ours[name] == pytest.approx(theirs[name], rel=1e-9)


def test_the_table_names_the_definition() -> None:
    outcome = succeed("solve", "kuhn", "--iterations", 10)
    assert "NashConv / number of players, ante" in outcome.out
    assert "12 information sets" in outcome.out


def test_until_stops_early_and_says_if_it_does_not() -> None:
    reached = succeed("solve", "leduc_poker", "--until", 1e-3, "--json").document
    assert reached["status"] == "reached" and reached["exploitability"] <= 1e-3
    words = ("--iterations", int(reached["iterations"] / 1.3), "--json")
    before = succeed("solve", "leduc_poker", *words).document
    assert before["exploitability"] > 1e-3, "it stops within a quarter of where it could"
    missed = succeed("solve", "leduc_poker", "--until", 1e-9, "--iterations", 20, "--json")
    assert missed.document["status"] == "done" and "1e-09 is not reached" in missed.err


def test_time_ends_a_run() -> None:
    document = succeed("solve", "leduc", "--time", 0.2, "--json").document
    assert document["status"] == "done" and 0.15 < document["seconds"] < 2.0
    assert document["iterations"] > 100


def test_algorithms_with_a_schedule_plan_for_the_iterations_asked() -> None:
    tree = compile_tree("kuhn_poker")
    words = ("solve", "kuhn_poker", "--algorithm", "hs-dcfr", "--json", "--iterations", 50)
    for horizon, more in ((50, ()), (400, ("--horizon", 400))):
        solver = Cfr(tree, "hs-dcfr", horizon=horizon)
        solver.run(iterations=50)
        outcome = succeed(*words, *more).document
        expected = evaluate(tree, solver.average_strategy())
        assert outcome["exploitability"] == expected.exploitability
    assert succeed(*words[:-2], "--time", 30).document["iterations"] == 1000


def test_simultaneous_updates_differ() -> None:
    words = ("solve", "kuhn", "--algorithm", "cfr", "--iterations", 100, "--json")
    in_turn, at_once = succeed(*words).document, succeed(*words, "--simultaneous").document
    assert at_once["exploitability"] != in_turn["exploitability"]
    assert at_once["nodes_touched"] == in_turn["nodes_touched"] // 2


# Stops.


def test_stops_are_the_round_numbers_and_quarters() -> None:
    stops = [0]
    while stops[-1] < 1000:
        stops.append(next_stop(stops[-1], quarters=False))
    assert stops[1:] == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    dense = [0]
    while dense[-1] < 1000:
        dense.append(next_stop(dense[-1], quarters=True))
    assert set(stops) <= set(dense)
    assert all(b <= max(a + 1, 1.25 * a) for a, b in pairwise(dense))
    assert len(dense) < 45


# Games.


def test_parameters_of_openspiel_s_games() -> None:
    text = "turn_based_simultaneous_game(game=goofspiel(num_cards=4,imp_info=True))"
    assert any_game_text(text) == text
    assert any_game_text("liars_dice", ["dice_sides=4"]) == "liars_dice(dice_sides=4)"
    given = any_game_text("liars_dice(dice_sides=4,numdice=1)", ["dice_sides=3"])
    assert given == "liars_dice(numdice=1,dice_sides=3)"
    battleship = "battleship(ship_sizes=[1;2],board_width=2)"
    assert any_game_text(battleship, ["board_width=3"]) == (
        "battleship(ship_sizes=[1;2],board_width=3)"
    )
    assert any_game_text("kuhn", ["players=3"]) == "kuhn(players=3)"


@pytest.mark.parametrize(
    ("naming", "words"),
    [
        ("unknown game 'lduc': did you mean leduc", ("lduc",)),
        ("unknown game 'liar_dice': did you mean liars_dice", ("liar_dice",)),
        ("unknown algorithm 'dfcr': did you mean dcfr", ("leduc", "--algorithm", "dfcr")),
        ("known are cfr, cfr+,", ("leduc", "--algorithm", "simplex")),
        ("9,457 nodes (1.4 MiB), more than the memory", ("leduc", "--memory-limit", "1MiB")),
        ("more than the 6,553 nodes", ("sviten_special", "--memory-limit", "1MiB")),
        ("have more than 21 actions: the memory", ("svara", "--memory-limit", "1MiB")),
        ("--preset home: leduc has no presets", ("leduc", "--preset", "home")),
        ("cfr-br needs a tree: svara(abstraction=hands)", ("svara", "--algorithm", "cfr-br")),
        ("svara(abstraction=hands) the players are updated in turn", ("svara", "--simultaneous")),
        ("--preset villa: expected home, club, real", ("svara", "--preset", "villa")),
        ("chess", ("chess",)),
        ("Unknown parameter 'dice'", ("liars_dice", "--set", "dice=3")),
        ("expected key=value", ("liars_dice", "--set", "dice_sides")),
        ("-1 is not allowed: expected an exploitability", ("leduc", "--until=-1")),
        ("exists already", ("leduc", "--out", "{folder}")),
        ("memory limit 'lots'", ("leduc", "--memory-limit", "lots")),
    ],
)
def test_refused_in_one_line(naming: str, words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "letter").touch()
    refuse("solve", *(word.replace("{folder}", str(tmp_path)) for word in words), naming=naming)


# Run folders.


def test_the_folder_holds_what_the_run_was(leduc_run: Path) -> None:
    manifest = json.loads((leduc_run / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["kind"] == "solve" and manifest["algorithm"] == "pcfr+"
    assert manifest["game"] == "leduc" and "Farina" in manifest["paper"]
    assert {"versions", "machine", "started", "seed", "rule_version"} <= manifest.keys()
    rows = RunFolder(leduc_run).metrics()
    assert [row["iteration"] for row in rows] == [
        *(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3000)
    ]
    assert all(row["nash_conv"] == pytest.approx(2 * row["exploitability"]) for row in rows)
    assert rows[-1]["exploitability"] < 1e-3 < rows[0]["exploitability"]
    assert not [path for path in leduc_run.rglob(".*") if path.is_file()]


def test_events_hold_the_curve_for_tensorboard(leduc_run: Path) -> None:
    events = next(leduc_run.glob("events.out.tfevents.*"))
    curve = [
        event.step
        for event in EventFileLoader(str(events)).Load()
        for value in event.summary.value
        if value.tag == "exploitability"
    ]
    assert curve[:3] == [1, 2, 5] and curve[-1] == 3000


def test_without_out_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    succeed("solve", "kuhn", "--iterations", 10)
    assert not list(tmp_path.iterdir())


def test_the_resolved_configuration_repeats_the_run(leduc_run: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    succeed("solve", "--config", leduc_run / "config.toml", "--out", again, "-q", "--json")
    assert_same_arrays(leduc_run, again)


def test_info_of_a_run_folder(leduc_run: Path) -> None:
    info = succeed("info", leduc_run, "--json").document
    assert info["kind"] == "solve" and info["config"]["iterations"] == 3000
    assert info["progress"]["iteration"] == 3000
    assert "pcfr+" in succeed("info", leduc_run).out


# Going on.


def wait_for_metrics(run: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if (run / "metrics.jsonl").exists() and RunFolder(run).metrics():
            return
        time.sleep(0.01)
    process.kill()
    raise AssertionError(f"the solver does not begin: {process.communicate()}")


def test_an_interrupted_run_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    words = ("leduc_poker", "--algorithm", "pcfr+", "--iterations", 60_000, "--json", "-q")
    straight = succeed("solve", *words, "--out", whole).document
    with start("solve", *words, "--out", pieces) as process:
        wait_for_metrics(pieces, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err, err
    stopped = json.loads(out)
    assert stopped["status"] == "interrupted" and 0 < stopped["iterations"] < 60_000
    assert RunFolder(pieces).load_checkpoint()[1]["iteration"] == stopped["iterations"]
    resumed = succeed("resume", pieces, "--json", "-q").document
    assert without_time(resumed) == without_time(straight)
    assert_same_arrays(whole, pieces)
    curves = [
        {row["iteration"]: row["exploitability"] for row in RunFolder(run).metrics()}
        for run in (whole, pieces)
    ]
    assert curves[0].items() <= curves[1].items()
    refuse("resume", pieces, naming="the run is complete")


@pytest.mark.parametrize("algorithm", ["cfr", "dcfr", "hs-pcfr+"])
def test_pieces_are_the_whole_bit_for_bit(algorithm: str, tmp_path: Path) -> None:
    words = ("solve", "leduc", "--algorithm", algorithm, "--horizon", 500, "-q", "--json")
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    straight = succeed(*words, "--iterations", 137, "--out", whole).document
    succeed(*words, "--iterations", 40, "--out", pieces)
    succeed("resume", pieces, "--iterations", 3, "-q", "--json")
    resumed = succeed("resume", pieces, "--iterations", 94, "--json").document
    assert without_time(resumed) == without_time(straight)
    assert_same_arrays(whole, pieces)


def test_resume_can_be_told_an_exploitability(tmp_path: Path) -> None:
    run = tmp_path / "run"
    succeed("solve", "kuhn", "--iterations", 10, "--out", run, "-q", "--json")
    document = succeed("resume", run, "--until", 1e-3, "--json").document
    assert document["status"] == "reached" and document["exploitability"] <= 1e-3
    train = tmp_path / "train"
    succeed("train", "kuhn", "--out", train, "--iterations", 10, "-q")
    refuse("resume", train, "--until", 1e-3, naming="run of `train`")


def test_another_tree_or_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    succeed("solve", "kuhn", "--iterations", 10, "--out", run, "-q", "--json")
    checkpoint = RunFolder(run).latest_checkpoint()
    checkpoint.write_bytes(checkpoint.read_bytes()[:-9])
    refuse("resume", run, "--iterations", 1, naming="is damaged")
    refuse("export", run, "-o", tmp_path / "bot.pspiel", naming="is damaged")
    config = run / "config.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace('"kuhn"', '"kuhn(players=3)"'), encoding="utf-8")
    refuse("resume", run, "--iterations", 1, naming="has changed since")
    config.write_text(text.replace("seed = 0\n", ""), encoding="utf-8")
    refuse("resume", run, "--iterations", 1, naming="is damaged: KeyError('seed')")


def test_a_second_run_does_not_take_the_folder(leduc_run: Path) -> None:
    refuse("solve", "kuhn", "--out", leduc_run, naming="exists already")


# Bots.


def test_export_of_our_game_is_as_exploitable_as_the_strategy(
    leduc_run: Path, tmp_path: Path
) -> None:
    bot = tmp_path / "leduc.pspiel"
    document = succeed("export", leduc_run, "-o", bot, "--name", "equilibrium", "--json").document
    assert document["algorithm"] == "pcfr+" and document["iterations"] == 3000
    assert document["information_sets"] == 288
    solved = RunFolder(leduc_run).metrics()[-1]["exploitability"]
    assert document["strength"]["exploitability"] == pytest.approx(solved, rel=1e-2)
    measured = succeed("exploit", bot, "--json").document
    assert measured["exploitability"] == pytest.approx(solved, rel=1e-2)
    match = succeed("match", bot, "random", "--hands", 20_000, "--seed", 1, "--json").document
    assert match["players"][0]["mbb_per_hand"] > 0


def test_export_of_an_openspiel_game(tmp_path: Path) -> None:
    run, bot = tmp_path / "run", tmp_path / "dice.pspiel"
    game = "liars_dice(dice_sides=3)"
    solved = succeed("solve", game, "--iterations", 200, "--out", run, "--json", "-q").document
    succeed("export", run, "-o", bot, "-q")
    assert succeed("info", bot, "--json").document["game"] == game
    measured = succeed("exploit", bot, "--json").document
    assert measured["exploitability"] == pytest.approx(solved["exploitability"], rel=1e-2)
    refuse("match", bot, "random", naming="OpenSpiel")


def test_ctrl_c_without_a_folder_tells_where_the_run_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = Cfr.advance

    def advance(solver: Cfr, iterations: int) -> None:
        original(solver, iterations)
        if solver.iteration >= 100:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Cfr, "advance", advance)
    outcome = pokerspiel("solve", "leduc", "--time", 60, "--json")
    assert outcome.status == 130 and outcome.document["status"] == "interrupted"
    assert outcome.document["iterations"] >= 100 and "interrupted" in outcome.err
