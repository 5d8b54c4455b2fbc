"""The commands around solved Svara: `solve`, `export`, `exploit`, `study`, `bench svara`."""

from __future__ import annotations

import re
import resource
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot, read_manifest, save_bot
from pokerspiel.agents.roster import BOTS, find_bot
from pokerspiel.agents.spiel_bot import as_spiel_bot
from pokerspiel.experiments import study
from pokerspiel.experiments.game_choice import any_game_text
from pokerspiel.experiments.problems import PRESETS, with_preset
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.games.variants import load
from pokerspiel.solvers.bucket_cfr import BucketCfr
from pokerspiel.solvers.chart import Chart, chart_of
from pokerspiel.solvers.solver import Solver
from pokerspiel.solvers.vector import VectorCfr
from tests.command_line import pokerspiel, refuse, succeed
from tests.small_decks import chain_of, random_deal_strategy
from tests.some_agents import random_blueprint
from tests.test_cli_solve import KEYS, assert_same_arrays, without_time

SMALL = "svara(stack=3)"
"""All 32 cards, and two chips to bet."""
MINI = "mini_svara(abstraction=hands)"
THREE = "svara(players=3,stack=3,max_svarkas=1,abstraction=points)"
ABSTRACT = ("points", "blockers")
HOME = "svara-home"
ABOUT: dict[str, Any] = {"algorithm": "a", "seed": 0, "iterations": 0, "nodes": 0, "seconds": 0.0}

OUTSIDE = r"""(?:src|href)=["'](?!#)|url\((?!#)|@import|<script|<link|<iframe"""
"""What would make a page ask for something, or run."""


def solve(folder: Path, game: str, iterations: int) -> Any:
    """The document of a run of `solve`."""
    words = ("solve", game, "--iterations", iterations, "--out", folder)
    return succeed(*words, "--json", "-q").document


def export(run: Path, bot: Path) -> Any:
    """The document of `export`: the manifest of the bot."""
    return succeed("export", run, "-o", bot, "--json").document


def exploit(*words: object) -> Any:
    return succeed("exploit", *words, "--json", "-q").document


def match(*words: object, hands: int = 20_000, seed: int = 1) -> Any:
    words = ("match", *words, "--hands", hands, "--seed", seed)
    return succeed(*words, "--json", "-q").document


def assert_wins(score: Any, expected: float) -> None:
    """The mean of a match is the exact one, in antes, to within four standard errors."""
    low, high = score["ci95"]
    error = (high - low) / 2 / 1.96
    assert abs(score["mbb_per_hand"] - 1000.0 * expected) < 4.0 * error


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file grows beyond `size` bytes: writing fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("small") / "run"
    solve(run, SMALL, 200)
    return run


@pytest.fixture(scope="module")
def small_bot(small_run: Path) -> Path:
    bot = small_run.parent / "small.pspiel"
    export(small_run, bot)
    return bot


@pytest.fixture(scope="module")
def three_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("three") / "run"
    solve(run, THREE, 100)
    return run


@pytest.fixture(scope="module")
def three_bot(three_run: Path) -> Path:
    bot = three_run.parent / "three.pspiel"
    export(three_run, bot)
    return bot


# What `solve` prints.


def test_svara_for_two_is_solved_deal_by_deal() -> None:
    document = succeed("solve", SMALL, "--iterations", 50, "--json").document
    chain = chain_of(SMALL)
    assert list(document) == KEYS
    assert document["game"] == "svara(stack=3,abstraction=hands)"
    assert (document["algorithm"], document["unit"]) == ("dcfr", "ante")
    assert document["nodes"] == chain.nodes == 12
    assert document["information_sets"] == chain.information_sets(1192) == 9 * 1192 + 3
    assert document["nodes_touched"] == 50 * 2 * 12 * 1192, "every hand, once for each player"
    assert document["iterations"] == 50 and document["status"] == "done"
    assert sum(document["value"]) == pytest.approx(0.0, abs=1e-12)
    assert document["nash_conv"] == pytest.approx(sum(document["gains"]))
    assert document["exploitability"] == pytest.approx(document["nash_conv"] / 2)
    assert document["exact"] is True and document["run"] is None


def test_a_small_deck_is_a_tree_unless_an_abstraction_is_named() -> None:
    """Both ways come to the value of the game: each is off by no more than responses gain."""
    words = ("--iterations", 300, "--json")
    tree = succeed("solve", "mini_svara", *words).document
    deals = succeed("solve", MINI, *words).document
    assert tree["game"] == "mini_svara" and deals["game"] == MINI
    assert tree["nodes"] > 10 * deals["nodes"] == 10 * chain_of("mini_svara").nodes
    off = max(tree["gains"]) + max(deals["gains"])
    assert off < 1e-3
    assert abs(tree["value"][0] - deals["value"][0]) < off


@pytest.mark.parametrize("game", [SMALL, MINI, "svara(stack=3,abstraction=points)"])
def test_exploitability_falls(game: str, tmp_path: Path) -> None:
    document = solve(tmp_path / "run", game, 100)
    rows = RunFolder(tmp_path / "run").metrics()
    curve = [row["exploitability"] for row in rows]
    assert [row["iteration"] for row in rows] == [1, 2, 5, 10, 20, 50, 100]
    assert curve[-1] == document["exploitability"] < curve[3] / 10 < curve[0] / 20
    assert rows[-1]["nash_conv"] == document["nash_conv"] == pytest.approx(2 * curve[-1])


def test_until_stops_and_says_if_it_does_not() -> None:
    reached = succeed("solve", SMALL, "--until", 1e-3, "--json").document
    assert reached["status"] == "reached" and reached["exploitability"] <= 1e-3
    words = ("solve", SMALL, "--iterations", int(reached["iterations"] / 1.3), "--json")
    assert succeed(*words).document["exploitability"] > 1e-3, "it stops as soon as it can"
    missed = succeed("solve", SMALL, "--until", 1e-12, "--iterations", 5, "--json")
    assert missed.document["status"] == "done" and "1e-12 is not reached" in missed.err


def test_what_the_work_will_take_is_said_beforehand() -> None:
    words = ("solve", SMALL, "--iterations", 5, "--until", 1e-4, "--json")
    assert "2 deals, 12 decisions, 10,731 information sets" in succeed(*words).err
    assert "s for 100 iterations" in succeed(*words).err and "s to 0.0001" in succeed(*words).err
    assert succeed(*words, "-q").err == ""
    three = succeed("solve", THREE, "--iterations", 1, "--json")
    assert "with three players CFR promises no equilibrium" in three.err


# Tables and settings.


def test_a_preset_is_a_table_and_set_goes_before_it() -> None:
    club = any_game_text("svara", with_preset("svara", "club", None))
    assert club == "svara(stack=50,betting=pot_limit,bet_sizes=0.5 1)"
    mixed = any_game_text("svara", with_preset("svara", "club", ["stack=7", "max_raises=1"]))
    assert mixed == "svara(stack=7,betting=pot_limit,bet_sizes=0.5 1,max_raises=1)"
    assert any_game_text("svara", with_preset("svara", "home", ["ante=2"])) == "svara(ante=2)"
    assert with_preset("svara", None, ["stack=7"]) == ["stack=7"]
    for name in PRESETS:
        table = load(any_game_text("svara", with_preset("svara", name, None)))
        assert {key: str(table.parameters[key]) for key in PRESETS[name]} == PRESETS[name]
    words = ("solve", "svara", "--preset", "club", "--set", "stack=3", "--iterations", 2)
    document = succeed(*words, "--json").document
    assert document["game"] == (
        "svara(stack=3,betting=pot_limit,bet_sizes=0.5 1,abstraction=hands)"
    )


def test_a_game_that_does_not_fit_the_memory_is_refused_with_its_size(tmp_path: Path) -> None:
    words = ("--preset", "club", "--memory-limit", "100MiB", "--out", tmp_path / "run")
    club = "svara(stack=50,betting=pot_limit,bet_sizes=0.5 1,abstraction=hands)"
    size = "have more than 2,199 actions: the memory limit of 100.0 MiB allows no more"
    refuse("solve", "svara", *words, naming=f"the deals of {club} {size}")
    assert not list(tmp_path.iterdir())
    refuse("solve", THREE, "--memory-limit", "1KiB", naming="have more than 1 actions")
    words = ("--preset", "club", "--memory-limit", "100MiB", "--out", tmp_path / "study.html")
    refuse("study", "svara", *words, "-q", naming="have more than 2,199 actions")
    assert not list(tmp_path.iterdir())


def test_algorithms_and_updates_that_need_a_tree_are_refused() -> None:
    for game in (SMALL, MINI, "svara(abstraction=points)", THREE):
        refuse("solve", game, "--algorithm", "cfr-br", naming="cfr-br needs a tree")
        refuse("solve", game, "--simultaneous", naming="the players are updated in turn")


# Runs.


def test_the_run_folder_says_what_was_solved(small_run: Path) -> None:
    manifest = RunFolder(small_run).manifest()
    assert manifest["kind"] == "solve" and manifest["algorithm"] == "dcfr"
    assert manifest["game"] == "svara(stack=3,abstraction=hands)"
    assert manifest["abstraction"].startswith("hands-") and manifest["rule_version"] == 1
    assert {"versions", "machine", "started", "seed", "tree", "paper"} <= manifest.keys()
    assert RunFolder(small_run).config()["iterations"] == 200
    info = succeed("info", small_run, "--json").document
    assert info["kind"] == "solve" and info["progress"]["iteration"] == 200


def test_the_resolved_configuration_repeats_the_run(small_run: Path, tmp_path: Path) -> None:
    words = ("--config", small_run / "config.toml", "--out", tmp_path / "again")
    succeed("solve", *words, "-q", "--json")
    assert_same_arrays(small_run, tmp_path / "again")


@pytest.mark.parametrize(
    ("game", "kind"),
    [
        (SMALL, VectorCfr),
        ("svara(stack=3,abstraction=blockers)", VectorCfr),
        ("svara(stack=4,ranks=789A)", VectorCfr),
        (THREE, BucketCfr),
    ],
)
def test_an_interrupted_run_ends_as_if_it_had_not_been(
    game: str, kind: type[Solver], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    straight = solve(whole, game, 120)
    original: Callable[[Solver, int], None] = kind.advance

    def advance(solver: Solver, iterations: int) -> None:
        original(solver, iterations)
        if solver.iteration >= 37:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(kind, "advance", advance)
        stopped = pokerspiel("solve", game, "--iterations", 120, "--out", pieces, "--json")
    assert stopped.status == 130 and stopped.document["status"] == "interrupted"
    assert f"pokerspiel resume {pieces}" in stopped.err
    reached = stopped.document["iterations"]
    assert 37 <= reached < 120
    assert RunFolder(pieces).load_checkpoint()[1]["iteration"] == reached
    resumed = succeed("resume", pieces, "--threads", 2, "--json", "-q").document
    assert without_time(resumed) == without_time(straight)
    assert_same_arrays(whole, pieces)
    refuse("resume", pieces, naming="the run is complete")


def test_resume_goes_on_to_an_exploitability(tmp_path: Path) -> None:
    solve(tmp_path / "run", SMALL, 10)
    words = ("resume", tmp_path / "run", "--until", 1e-3, "--json", "-q")
    document = succeed(*words).document
    assert document["status"] == "reached" and document["exploitability"] <= 1e-3


@pytest.mark.parametrize(("game", "other"), [(SMALL, "svara(stack=4)"), (THREE, "svara(stack=3)")])
def test_a_damaged_or_foreign_checkpoint_is_refused(game: str, other: str, tmp_path: Path) -> None:
    run, stranger, bot = tmp_path / "run", tmp_path / "stranger", tmp_path / "bot.pspiel"
    solve(run, game, 5)
    solve(stranger, other, 5)
    checkpoint = RunFolder(run).latest_checkpoint()
    kept = checkpoint.read_bytes()
    shutil.copy(RunFolder(stranger).latest_checkpoint(), checkpoint)
    refuse("resume", run, "--iterations", 1, naming="is of another run: its game is")
    refuse("export", run, "-o", bot, naming="is of another run: its game is")
    RunFolder(run).save_checkpoint(*RunFolder(stranger).load_checkpoint())
    plain = str(load(game).with_parameters(abstraction="none"))
    refuse("resume", run, "--iterations", 1, naming=f"does not fit {plain}")
    refuse("export", run, "-o", bot, naming=f"does not fit {plain}")
    for damaged in (kept[:-9], b""):
        checkpoint.write_bytes(damaged)
        refuse("resume", run, "--iterations", 1, naming=f"{checkpoint} is damaged")
        refuse("export", run, "-o", bot, naming=f"{checkpoint} is damaged")
    checkpoint.write_bytes(kept)
    config = run / "config.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("stack=3", "stack=2"), encoding="utf-8")
    refuse("resume", run, "--iterations", 1, naming="has changed since: solve it anew")
    refuse("export", run, "-o", bot, naming="has changed since: solve it anew")
    config.write_text(text, encoding="utf-8")
    checkpoint.unlink()
    refuse("export", run, "-o", bot, naming="which does not exist")
    assert not bot.exists()


# Bots.


def test_a_bot_says_exactly_how_exploitable_it_is(small_run: Path, tmp_path: Path) -> None:
    bot = tmp_path / "mine.pspiel"
    document = export(small_run, bot)
    assert document["game"] == "svara(stack=3,abstraction=hands)"
    assert document["information_sets"] == chain_of(SMALL).information_sets(1192)
    loaded = find_bot(str(bot))
    assert isinstance(loaded, Bot) and isinstance(loaded.table, Chart)
    measured = exploit(bot)
    assert (measured["bot"], measured["game"], measured["unknown_sets"]) == ("mine", SMALL, 0)
    strength = read_manifest(bot).strength
    assert strength is not None and strength["exact"] is True
    for name in ("exploitability", "value", "gains", "unit", "definition"):
        assert measured[name] == strength[name] == document["strength"][name]
    assert 0.0 < measured["exploitability"] < 1e-4
    assert min(measured["gains"]) >= 0.0


@pytest.mark.parametrize("abstraction", ["hands", *ABSTRACT])
def test_with_few_cards_a_bot_is_worth_the_same_on_the_tree(
    abstraction: str, tmp_path: Path
) -> None:
    """The manifest holds what deal by deal comes out, `exploit` walks the tree of all cards."""
    run, bot = tmp_path / "run", tmp_path / "bot.pspiel"
    solve(run, f"mini_svara(abstraction={abstraction})", 20)
    strength = export(run, bot)["strength"]
    measured = exploit(bot)
    assert measured["nodes"] > 10 * chain_of("mini_svara").nodes
    assert measured["unknown_sets"] == 0
    for name in ("exploitability", "value", "gains"):
        assert measured[name] == pytest.approx(strength[name], abs=1e-9)


def test_coarser_information_sets_lose_in_the_whole_game(tmp_path: Path) -> None:
    """Even when they are solved: they tell fewer hands apart, points fewer than blockers."""
    outside = []
    for name in ABSTRACT:
        run, bot = tmp_path / name, tmp_path / f"{name}.pspiel"
        inside = solve(run, f"svara(stack=3,abstraction={name})", 300)
        document = export(run, bot)
        assert document["game"] == "svara(stack=3,abstraction=hands)"
        assert document["algorithm"] == f"dcfr, on svara(stack=3,abstraction={name})"
        measured = exploit(bot)
        assert measured["game"] == SMALL
        for key in ("exploitability", "value", "gains"):
            assert measured[key] == document["strength"][key]
        assert measured["exploitability"] > 10 * inside["exploitability"]
        assert inside["information_sets"] < measured["information_sets"]
        outside.append(measured["exploitability"])
    assert outside[0] > outside[1]


# What best responses win.


@pytest.mark.parametrize("name", sorted(BASELINES))
def test_a_best_response_wins_what_it_should(name: str, tmp_path: Path) -> None:
    """Over both seats what it gains, since a player wins nothing from itself; and in each seat."""
    response = tmp_path / "response.pspiel"
    measured = exploit(name, "--game", SMALL, "--response", response)
    assert measured["game"] == SMALL and measured["bot"] == name
    assert measured["unknown_sets"] == 0 and measured["exact"] is True
    assert min(measured["gains"]) > 0.0 and measured["exploitability"] > 0.05
    result = match(response, name, "--game", SMALL)["players"][0]
    assert result["misses"] == 0.0
    assert_wins(result, measured["exploitability"])
    for seat, value, gain in zip(
        result["seats"], measured["value"], measured["gains"], strict=True
    ):
        assert_wins(seat, value + gain)
    about = read_manifest(response)
    assert about.algorithm == f"best response to {name}"
    assert about.game == "svara(stack=3,abstraction=hands)"


def test_a_best_response_on_a_tree_wins_what_it_should(tmp_path: Path) -> None:
    response = tmp_path / "response.pspiel"
    measured = exploit("always-call", "--game", "mini_svara", "--response", response)
    result = match(response, "always-call", "--game", "mini_svara")["players"][0]
    assert result["misses"] == 0.0
    assert_wins(result, measured["exploitability"])


def test_a_best_response_to_a_bot_file(small_bot: Path, tmp_path: Path) -> None:
    """There is little to gain from a solution, but a second response finds the first one's hole."""
    response = tmp_path / "response.pspiel"
    outcome = succeed("exploit", small_bot, "--response", response, "--json")
    assert f"{response}: a best response to small" in outcome.err
    pure = exploit(response)
    assert pure["unknown_sets"] == 0
    assert pure["exploitability"] > 100 * outcome.document["exploitability"]
    played = match(response, small_bot)["players"][0]
    assert_wins(played, outcome.document["exploitability"])


# Three players.


def test_three_players_are_solved_by_buckets(three_run: Path, three_bot: Path) -> None:
    rows = RunFolder(three_run).metrics()
    assert rows[-1]["exploitability"] < 1e-3 < rows[0]["exploitability"]
    manifest = read_manifest(three_bot)
    assert manifest.game == "svara(players=3,stack=3,max_svarkas=1,abstraction=hands)"
    assert manifest.algorithm == f"dcfr, on {THREE}"
    measured = exploit(three_bot)
    strength = manifest.strength
    assert strength is not None
    assert len(measured["gains"]) == len(measured["value"]) == 3
    assert min(measured["gains"]) >= 0.0
    assert sum(measured["value"]) == pytest.approx(0.0, abs=1e-9)
    assert measured["exploitability"] == pytest.approx(measured["nash_conv"] / 3)
    assert measured["unknown_sets"] == 0
    assert measured["exploitability"] > rows[-1]["exploitability"], "who sees all cards gains more"
    for name in ("exploitability", "value", "gains"):
        assert measured[name] == pytest.approx(strength[name], abs=1e-4), "rounded in the file"


def test_a_match_of_three_ends_as_measured(three_bot: Path) -> None:
    measured = exploit(three_bot)
    document = match(three_bot, three_bot, three_bot, hands=30_000)
    players = document["players"]
    assert [player["misses"] for player in players] == [0.0, 0.0, 0.0]
    assert sum(player["mbb_per_hand"] for player in players) == pytest.approx(0.0, abs=1e-6)
    for player in players:
        for seat, value in zip(player["seats"], measured["value"], strict=True):
            assert_wins(seat, value)
    match(three_bot, "random", "tight", hands=300)


def test_no_best_response_is_kept_for_three(three_bot: Path, tmp_path: Path) -> None:
    words = ("--response", tmp_path / "response.pspiel")
    refuse("exploit", three_bot, *words, naming="with three players none is kept")
    assert not list(tmp_path.iterdir())


# What cannot be measured.


def test_what_cannot_be_measured_is_refused(tmp_path: Path) -> None:
    three = "svara(players=3,stack=3,max_svarkas=1)"
    refuse("exploit", "equity", "--game", three, naming="exactly against one opponent, not more")
    four = "svara(players=4,stack=3)"
    words = ("exploit", "random", "--game", four, "--memory-limit", "1MiB")
    refuse(*words, naming=f"{four} has more than")
    forgetful, teller = tmp_path / "forgetful.pspiel", tmp_path / "teller.pspiel"
    save_bot(forgetful, SMALL, random_blueprint(load(SMALL), 50, 1), **ABOUT)
    refuse("exploit", forgetful, naming="forgetful remembers earlier deals")
    chain = chain_of(three)
    game = load(three).with_parameters(abstraction="hands")
    save_bot(teller, game, chart_of(chain, random_deal_strategy(chain, 1)), **ABOUT)
    refuse("exploit", teller, naming="teller tells more hands apart than points and blockers do")
    refuse("exploit", HOME, "--game", SMALL, naming=f"{HOME} plays svara")
    refuse("exploit", HOME, "--set", "players=3", naming=f"{HOME} plays svara")


# The bot that comes with the package.


def test_bots_lists_the_solution_of_the_home_game() -> None:
    entries = {entry["name"]: entry for entry in succeed("bots", "--json").document["bots"]}
    assert entries.keys() == {*BASELINES, HOME, "sviten-limit"}
    assert entries[HOME]["game"] == "svara(abstraction=hands)"
    assert HOME in succeed("bots").out
    assert (BOTS / f"{HOME}.pspiel").stat().st_size < 4_000_000


def test_the_solution_is_as_good_as_its_manifest_says() -> None:
    strength = read_manifest(BOTS / f"{HOME}.pspiel").strength
    measured = exploit(HOME)
    assert strength is not None
    for name in ("exploitability", "value", "gains"):
        assert measured[name] == pytest.approx(strength[name], abs=1e-9)
    assert measured["game"] == "svara" and measured["unknown_sets"] == 0
    assert 0.0 < measured["exploitability"] < 1e-5
    assert min(measured["gains"]) >= 0.0


@pytest.mark.parametrize("name", sorted(BASELINES))
def test_the_solution_does_not_lose_to_a_baseline(name: str) -> None:
    solution, other = match(HOME, name)["players"]
    assert solution["ci95"][1] > 0.0
    assert solution["misses"] == 0.0 < solution["decisions"]
    assert other["mbb_per_hand"] == pytest.approx(-solution["mbb_per_hand"])


def test_the_solution_plays_as_a_bot_of_openspiels() -> None:
    """Against itself its first seat wins the value of the game, to four standard errors."""
    game = pyspiel.load_game("svara")
    bots = [as_spiel_bot(find_bot(HOME), game, seat, seed=seat) for seat in range(2)]
    returns = np.array(
        [pyspiel.evaluate_bots(game.new_initial_state(), bots, seed) for seed in range(400)]
    )
    assert np.all(returns.sum(axis=1) == 0.0)
    error = returns[:, 0].std() / np.sqrt(len(returns))
    assert abs(returns[:, 0].mean() - exploit(HOME)["value"][0]) < 4.0 * error


# Reports.


def test_a_report_is_one_page_that_asks_for_nothing(small_bot: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "folder" / "study.html"
    outcome = succeed("study", small_bot, "--no-house-rules", "--out", page, "--json")
    assert outcome.document == {"report": str(page), "game": SMALL, "house_rules": []}
    assert files_in(tmp_path) == [page]
    html = page.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>") and html.rstrip().endswith("</html>")
    assert html.count("<svg") > 10 and re.findall(OUTSIDE, html) == []
    assert SMALL in html and "What the house rules change" not in html
    assert f"{exploit(small_bot)['exploitability']:.3e}" in html


def test_a_report_compares_house_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = ("joker_mode=sum_all", "blind_phase=false", "stack=5")
    monkeypatch.setattr(study, "CHANGES", changes)
    page = tmp_path / "study.html"
    outcome = succeed("study", "svara(stack=4,ranks=789A)", "--out", page, "--json")
    rows = outcome.document["house_rules"]
    assert [row["change"] for row in rows] == list(changes)
    assert "solving svara(stack=5,ranks=789A) to 2e-05 antes" in outcome.err
    assert "What the house rules change" in page.read_text(encoding="utf-8")


def test_one_decision_as_text_and_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("study", SMALL, "--at", "b1")
    document = succeed(*words, "--json").document
    assert document["game"] == SMALL and document["at"] == "look b1"
    assert (document["place"], document["pot"], document["to_call"]) == ("dealer", 3, 1)
    shares = {action["word"]: action["frequency"] for action in document["actions"]}
    assert set(shares) == {"c", "f", "r2"}
    assert sum(shares.values()) == pytest.approx(1.0)
    text = succeed(*words).out
    assert document["situation"] in text and 'at "look b1"' in text
    for action in document["actions"]:
        assert action["meaning"] in text and f"{action['frequency']:.1%}" in text
    assert not list(tmp_path.iterdir())


def test_plain_svara_is_studied_by_the_bot_that_comes_with_it() -> None:
    outcome = succeed("study", "svara(abstraction=points)", "--at", "look b1", "--json")
    assert outcome.document["name"] == HOME and outcome.err == "", "nothing is solved"
    assert outcome.document == succeed("study", HOME, "--at", "b1", "--json").document
    other = succeed("study", SMALL, "--at", "look", "--json")
    assert other.document["name"] == SMALL and "solving svara(stack=3) to 0.001" in other.err


@pytest.mark.parametrize(
    ("naming", "words"),
    [
        ("'r9' is not possible after 'look b1': write one of", (HOME, "--at", "b1 r9")),
        ("'' begins no deal", (HOME, "--at", ": look")),
        ("the hands are shown, and only 'svarka' goes on", (HOME, "--at", "b1 c f")),
        ("leduc is not Svara for two", ("leduc",)),
        ("svara(players=3) is not Svara for two", ("svara(players=3)",)),
        ("tight is no bot of Svara for two", ("tight",)),
        ("unknown game 'svarra'", ("svarra",)),
        (f"{HOME} is a bot: --preset and --set are for games", (HOME, "--set", "stack=3")),
        (f"{HOME} is a bot: --preset and --set are for games", (HOME, "--preset", "club")),
        ("--preset villa: expected home, club, real", ("svara", "--preset", "villa")),
        ("unknown parameter chips", ("svara", "--set", "chips=3")),
        ("cannot read missing.pspiel", ("missing.pspiel",)),
    ],
)
def test_what_cannot_be_studied_is_refused(
    naming: str, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refuse("study", *words, naming=naming)
    assert not list(tmp_path.iterdir())


def test_three_players_are_not_studied(three_bot: Path, tmp_path: Path) -> None:
    words = ("--out", tmp_path / "study.html")
    refuse("study", three_bot, *words, naming="is no bot of Svara for two: those are studied")
    assert not list(tmp_path.iterdir())


# Where nothing can be written.


def test_what_cannot_be_written_costs_one_line(
    small_run: Path, small_bot: Path, tmp_path: Path
) -> None:
    """A file stands where a folder should be: nobody may write there, the superuser included."""
    wall = tmp_path / "wall"
    wall.write_text("in the way", encoding="utf-8")
    words: tuple[object, ...] = ("solve", SMALL, "--iterations", 1, "-q", "--out", wall / "run")
    refuse(*words, naming=f"cannot create {wall / 'run'}")
    refuse("export", small_run, "-o", wall / "bot.pspiel", naming=f"cannot write {wall}")
    refuse("exploit", small_bot, "--response", wall / "bot.pspiel", naming=f"cannot write {wall}")
    words = ("study", small_bot, "--no-house-rules", "--out")
    refuse(*words, wall / "study.html", naming=str(wall))
    refuse(*words, tmp_path, naming=f"cannot write {tmp_path}")
    assert files_in(tmp_path) == [wall]
    assert wall.read_text(encoding="utf-8") == "in the way"


def test_a_full_disk_leaves_nothing_behind(
    small_run: Path, small_bot: Path, tmp_path: Path
) -> None:
    bot, page, run = tmp_path / "bot.pspiel", tmp_path / "study.html", tmp_path / "run"
    with full_disk(20_000):
        refuse("export", small_run, "-o", bot, naming=f"cannot write {bot}: File too large")
        words: tuple[object, ...] = ("exploit", small_bot, "--response", bot)
        refuse(*words, naming=f"cannot write {bot}: File too large")
        words = ("study", small_bot, "--no-house-rules", "--out", page)
        refuse(*words, naming=f"cannot write {page}: File too large")
        assert files_in(tmp_path) == []
        words = ("solve", SMALL, "--iterations", 1, "-q", "--out", run)
        refuse(*words, naming="cannot write")
    assert [path.name for path in files_in(run / "checkpoints")] == []
    assert not [path for path in files_in(run) if path.name.startswith(".")]


# The bench.


def test_sums_beat_matrices_at_showdowns() -> None:
    words = ("bench", "svara", "--quick", "--only", "showdowns", "--json", "-q")
    document = succeed(*words).document
    rows = document["showdowns"]
    assert set(rows) == {"sums", "matrices, float64", "matrices, float32"}
    assert rows["sums"]["ratio_to_sums"] == 1.0
    for name in ("matrices, float64", "matrices, float32"):
        assert rows[name]["ratio_to_sums"] > 1.0
        assert rows[name]["operations"] > rows["sums"]["operations"]
        spent = rows[name]["microseconds"] * 1e-6
        rate = rows[name]["operations"] / spent / 1e9
        assert rows[name]["gigaflops"] == pytest.approx(rate)
    assert {"machine", "versions"} <= document.keys() and "presets" not in document


def test_parts_and_tables_that_are_not_known_are_refused() -> None:
    refuse("bench", "svara", "--only", "speed", naming="--only speed: expected showdowns,")
    words = ("bench", "svara", "--only", "presets", "--presets", "villa")
    refuse(*words, naming="--presets villa: expected home, club, real")
    words = ("bench", "svara", "--only", "players", "--bots", "nobody")
    refuse(*words, naming="unknown agent 'nobody'")
