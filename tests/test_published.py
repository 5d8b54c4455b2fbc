"""`bench report`: figures are measured, kept, shown, checked and compared."""

from __future__ import annotations

import json
import os
import re
import shlex
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pokerspiel.experiments import bench_published, bench_speed, published
from pokerspiel.experiments.published import Figure
from pokerspiel.experiments.published_measuring import MeasuringError, measure, with_seed
from pokerspiel.experiments.published_parts import body, parts_of, rewritten
from pokerspiel.experiments.published_store import FILE, Measured, PublishedStore
from pokerspiel.experiments.published_tables import (
    certainty,
    cross_table,
    leaks,
    outputs_of,
    speed,
    tournament,
)
from pokerspiel.experiments.published_views import (
    AGREES,
    DISAGREES,
    OPEN,
    Comparison,
    Output,
    Quantity,
    Table,
    by_chance,
    compare,
    exact,
    markdown,
    mbb,
    timed,
)
from tests.command_line import Outcome, pokerspiel, refuse, succeed

ROOT = Path(__file__).parents[1]

MATCH = Figure(
    "kuhn-match",
    "a match",
    ("match random always-call --game kuhn --hands 400 --seed 3",),
    cross_table,
    ("README.md", "docs/one.md"),
    "95 % intervals over deals",
)
HAND = "hand svara 7c9sJs"
TEXT = Figure("hand", "a hand", (HAND,), outputs_of([HAND]), ("docs/one.md",), "exact", True)


def part(name: str, text: str = "") -> str:
    return f"<!-- figures: {name} -->\n{text}<!-- end -->\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two figures, that of a match in both documents."""
    monkeypatch.setattr(published, "FIGURES", (MATCH, TEXT))
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text(f"# Title\n\n{part('kuhn-match')}\nAfter.\n")
    old = part("kuhn-match", "old\n")
    (tmp_path / "docs/one.md").write_text(f"Before.\n{old}{part('hand')}")
    (tmp_path / "docs/figures.md").write_text(part("list"))
    return tmp_path


def match_document(mean: float, half: float, hands: int = 400) -> dict[str, Any]:
    player = {"name": "random", "mbb_per_hand": mean, "ci95": [mean - half, mean + half]}
    return {"players": [player, {"name": "always-call"}], "hands": hands}


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What figures come out as in place of a measurement; an exception is raised instead."""
    results: dict[str, Any] = {"kuhn-match": [match_document(10, 4)], "hand": ["30 points\n"]}

    def stand_in(figure: Figure, docs: Path, seed: int | None = None, show: Any = None) -> Measured:
        found = results[figure.name]
        if isinstance(found, BaseException):
            raise found
        return Measured(figure.commands, figure.seeds, tuple(found), 1.5)

    monkeypatch.setattr(bench_published, "measure", stand_in)
    return results


def report(root: Path, *words: object) -> Outcome:
    return pokerspiel("bench", "report", "--root", root, *words)


# From nothing to a document.


def test_a_figure_is_measured_shown_and_comes_out_the_same_again(root: Path) -> None:
    document = succeed(
        *("bench", "report", "--root", root, "--measure", "kuhn-match", "hand", "--json", "-q")
    ).document
    assert document["measured"].keys() == {"kuhn-match", "hand"}
    assert (document["failed"], document["left"]) == ({}, [])

    readme, one = (root / "README.md").read_text(), (root / "docs/one.md").read_text()
    assert readme.startswith("# Title\n\n<!-- figures: kuhn-match -->\n\n| bot |")
    assert readme.endswith("\n\n<!-- end -->\n\nAfter.\n")
    assert re.search(r"\| random \| 400 \| [+−]\d+ ± \d+ \| not known \|", readme)
    assert re.search(r"<sub>\d{4}-\d\d-\d\d, .+, \d+ cores; seed 3; 95 % intervals", readme)
    assert f"`pokerspiel {MATCH.commands[0]}`" in readme
    assert "bench report --measure kuhn-match`" in readme
    assert "old" not in one and f"$ pokerspiel {HAND}\n" in one and "30" in one
    assert f"pokerspiel {MATCH.commands[0]}\n" in (root / "docs/figures.md").read_text()

    assert report(root, "--check").status == 0
    assert not list((root / "docs").glob(f"{FILE}-*"))
    again = report(root, "--again", "all", "--json", "-q")
    assert again.status == 0, again.err
    figures = again.document["figures"]
    assert (figures["kuhn-match"]["agrees"], figures["hand"]["agrees"]) == (1, 1)
    (number,) = figures["kuhn-match"]["numbers"]
    assert number["published"] == number["again"]


def test_other_luck_gives_other_numbers_of_the_same_figure(root: Path) -> None:
    first = measure(MATCH, root / "docs", seed=4)
    second = measure(MATCH, root / "docs", seed=5)
    assert (first.seeds, first.outputs[0]["seed"], second.outputs[0]["seed"]) == ((4,), 4, 5)
    assert first.commands == ("match random always-call --game kuhn --hands 400 --seed 4",)
    (one,), (other,) = (cross_table(found.outputs) for found in (first, second))
    assert compare([one], [other])[0].ratio != 1.0


def test_letters_are_not_compared_with_other_luck(
    root: Path, measured: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published, "FIGURES", (MATCH, replace(TEXT, commands=("x --seed 1",))))
    assert report(root, "--measure", "all", "-q").status == 0
    measured["hand"] = ["31 points\n"]
    outcome = report(root, "--again", "all", "--seed", 2, "--json")
    assert outcome.status == 0
    assert outcome.document["figures"].keys() == {"kuhn-match"}
    assert "hand is compared letter by letter" in outcome.err
    assert report(root, "--again", "all", "-q").status == 1


# The database and the documents.


def test_drift_is_named(root: Path, measured: dict[str, Any]) -> None:
    assert report(root, "--measure", "all", "-q").status == 0
    assert report(root, "--check").out == ""
    path = root / "docs/one.md"
    path.write_text(path.read_text().replace("+10 ± 4", "+11 ± 4"))
    outcome = report(root, "--check")
    assert outcome.status == 1
    assert outcome.out == "docs/one.md: kuhn-match differs from the database\n"

    assert report(root, "-q").status == 0
    assert "+10 ± 4" in path.read_text()
    assert report(root, "--check").status == 0


def test_parts_that_are_missing_misplaced_or_unmeasured_are_named(
    root: Path, measured: dict[str, Any]
) -> None:
    assert report(root, "--measure", "kuhn-match", "-q").status == 0
    path = root / "README.md"
    path.write_text(path.read_text().replace("kuhn-match -->", "hand -->"))
    problems = report(root, "--check", "--json").document["wrong"]
    assert {(row["document"], row["part"], row["problem"]) for row in problems} == {
        ("README.md", "hand", "is not to stand here"),
        ("README.md", "kuhn-match", "is missing"),
        ("docs/one.md", "hand", "is not measured, or by other commands"),
    }
    path.write_text(part("kuhn-macht"))
    refuse("bench", "report", "--root", root, "--check", naming="README.md:1: kuhn-macht")


def test_a_figure_of_other_commands_is_not_shown(
    root: Path, measured: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert report(root, "--measure", "all", "-q").status == 0
    other = replace(MATCH, commands=("match random tight --game kuhn --hands 400 --seed 3",))
    monkeypatch.setattr(published, "FIGURES", (other, TEXT))
    outcome = report(root, "--check")
    assert outcome.status == 1
    assert "README.md: kuhn-match is not measured, or by other commands" in outcome.out
    refuse("bench", "report", "--root", root, "--again", "kuhn-match", naming="kuhn-match")


def test_the_newest_measurement_is_shown_and_the_others_are_kept(
    root: Path, measured: dict[str, Any]
) -> None:
    assert report(root, "--measure", "kuhn-match", "-q").status == 0
    measured["kuhn-match"] = [match_document(-25, 5)]
    assert report(root, "--measure", "kuhn-match", "-q").status == 0
    assert "−25 ± 5" in (root / "README.md").read_text()
    with sqlite3.connect(root / "docs" / FILE) as base:
        rows = base.execute("SELECT outputs, seeds, seconds FROM measurements ORDER BY id")
        means = [
            (json.loads(outputs)[0]["players"][0]["mbb_per_hand"], seeds, seconds)
            for outputs, seeds, seconds in rows
        ]
    assert means == [(10, "[3]", 1.5), (-25, "[3]", 1.5)]


def test_reading_waits_for_nobody_and_writes_nothing(root: Path, measured: dict[str, Any]) -> None:
    assert report(root, "--measure", "all", "-q").status == 0
    with PublishedStore(root / "docs") as store:
        store.begin_sitting("now", "words", {}, {})
        assert report(root, "--check").status == 0
        refuse("bench", "report", "--root", root, "--measure", "all", naming="in use")
    before = sorted((path.name, path.stat().st_mtime_ns) for path in (root / "docs").iterdir())
    assert report(root, "--check").status == 0
    after = sorted((path.name, path.stat().st_mtime_ns) for path in (root / "docs").iterdir())
    assert before == after


def test_list_says_how_long_figures_took(root: Path, measured: dict[str, Any]) -> None:
    assert report(root, "--measure", "kuhn-match", "-q").status == 0
    match, hand = report(root, "--list", "--json").document["figures"]
    assert (match["name"], match["seconds"], match["seeds"]) == ("kuhn-match", 1.5, [3])
    assert (hand["name"], hand["measured"], hand["seeds"]) == ("hand", None, [])
    assert "not yet" in report(root, "--list").out


def test_documents_of_elsewhere_are_taken(root: Path, tmp_path: Path) -> None:
    there = {"started": "2026-05-06T07:08:09Z", "machine": {"processor": "Far", "cores": 64}}
    path = tmp_path / "far.json"
    document = {**match_document(-7, 2), **there, "versions": {}, "seed": 3, "seconds": 100.0}
    path.write_text(json.dumps(document))
    words: Sequence[object] = ("bench", "report", "--root", root)
    taken = succeed(*words, "--take", "kuhn-match", "--from", path, "--json").document
    assert taken["taken"] == ["kuhn-match"]
    readme = (root / "README.md").read_text()
    assert "−7 ± 2" in readme and "2026-05-06, Far, 64 cores; seed 3" in readme

    refuse(*words, "--take", "kuhn-match", naming="--from")
    refuse(*words, "--take", "hand", "--from", path, naming="hand is made of no documents")
    refuse(*words, "--take", "kuhn-match", "--from", path, path, naming="1 documents, not of 2")
    for change, naming in (
        ({"seed": 4}, "another seed"),
        ({"quick": True}, "quick"),
        ({"players": []}, "cannot be shown"),
    ):
        path.write_text(json.dumps({**document, **change}))
        refuse(*words, "--take", "kuhn-match", "--from", path, naming=naming)
    del document["machine"]
    path.write_text(json.dumps(document))
    refuse(*words, "--take", "kuhn-match", "--from", path, naming="when and where")
    path.write_text("")
    refuse(*words, "--take", "kuhn-match", "--from", path, naming="far.json is no JSON document")
    assert (root / "README.md").read_text() == readme


# Again.


@pytest.mark.parametrize(
    ("mean", "half", "verdict"), [(14.9, 3, AGREES), (15.1, 3, DISAGREES), (5.1, 3, AGREES)]
)
def test_again_compares_within_the_joint_interval(
    root: Path, measured: dict[str, Any], mean: float, half: float, verdict: str
) -> None:
    assert report(root, "--measure", "kuhn-match", "-q").status == 0
    before = (root / "docs" / FILE).read_bytes(), (root / "README.md").read_text()
    measured["kuhn-match"] = [match_document(mean, half)]
    outcome = report(root, "--again", "kuhn-match", "--json", "-q")
    assert outcome.status == (verdict == DISAGREES)
    figure = outcome.document["figures"]["kuhn-match"]
    assert [number["verdict"] for number in figure["numbers"]] == [verdict]
    assert before == ((root / "docs" / FILE).read_bytes(), (root / "README.md").read_text())


def test_a_doctored_row_disagrees(root: Path, measured: dict[str, Any]) -> None:
    assert report(root, "--measure", "all", "-q").status == 0
    with sqlite3.connect(root / "docs" / FILE) as base:
        base.execute("UPDATE measurements SET outputs = replace(outputs, '30', '31')")
    outcome = report(root, "--again", "hand", "kuhn-match", "-q")
    assert outcome.status == 1
    assert "hand: 0 of 1 numbers agree" in outcome.out
    assert "kuhn-match: 1 of 1 numbers agree" in outcome.out
    assert report(root, "--check").status == 1


def test_verdicts() -> None:
    def one_number(*values: Any) -> Table:
        return Table(("what", "much>"), tuple((f"{i}", value) for i, value in enumerate(values)))

    old = one_number(exact(2.0), exact(2.0), timed(4.0), Quantity(3.0, "3"), exact(1.0))
    new = one_number(exact(2.0 + 1e-9), exact(2.001), timed(6.0), Quantity(5.0, "5"))
    found = compare([old], [new])
    assert [one.verdict for one in found] == [AGREES, DISAGREES, OPEN, OPEN, DISAGREES]
    assert [one.name for one in found] == [f"{i}, much" for i in range(5)]
    assert (found[2].ratio, found[4].again) == (1.5, "missing")
    same = Table(("what", "much>"), (("a", exact(1.0)), ("a", exact(2.0))))
    assert [one.name for one in compare([same], [same])] == ["a, much", "a, much #2"]
    text = compare([Output("x", "1\n2")], [Output("x", "1\n3")])
    assert [one.verdict for one in text] == [DISAGREES]


def test_other_luck_may_explain_what_disagrees(root: Path, measured: dict[str, Any]) -> None:
    def numbers(disagree: int, among: int, kind: str = "sampled") -> list[Comparison]:
        verdicts = [DISAGREES] * disagree + [AGREES] * (among - disagree)
        return [Comparison("", kind, "", "", verdict, None) for verdict in verdicts]

    # Tails of binomial distributions with chance 1/20.
    assert by_chance(numbers(0, 8)) == pytest.approx(1.0)
    assert by_chance(numbers(1, 1)) == 0.05
    assert by_chance(numbers(1, 8)) == pytest.approx(1 - 0.95**8)
    assert by_chance(numbers(2, 8)) == pytest.approx(1 - 0.95**8 - 8 * 0.05 * 0.95**7)
    assert by_chance([*numbers(0, 8), *numbers(1, 1, "exact")]) == 0.0

    measured["kuhn-match"] = [match_document(0, 4)]
    assert report(root, "--measure", "kuhn-match", "-q").status == 0
    measured["kuhn-match"] = [match_document(7, 4)]
    assert report(root, "--again", "kuhn-match", "--seed", 9, "-q").status == 1

    matches = [match_document(mean, 4) for mean in range(0, 1000, 100)]
    for match, name in zip(matches, "abcdefghij", strict=True):
        match["players"][1]["name"] = name
    measured["kuhn-match"] = matches
    assert report(root, "--measure", "kuhn-match", "-q").status == 0
    measured["kuhn-match"] = [match_document(7, 4), *matches[1:]]
    measured["kuhn-match"][0]["players"][1]["name"] = "a"
    assert report(root, "--again", "kuhn-match", "-q").status == 1
    outcome = report(root, "--again", "kuhn-match", "--seed", 9, "-q")
    assert outcome.status == 0
    assert "9 of 10 numbers agree; luck alone gives so few in 40.1% of all runs" in outcome.out


# What can go wrong.


def test_an_interrupt_keeps_what_is_measured(root: Path, measured: dict[str, Any]) -> None:
    measured["hand"] = KeyboardInterrupt()
    outcome = report(root, "--measure", "all")
    assert outcome.status == 130
    assert "interrupted: 1 of 2 figures are measured and kept" in outcome.err
    assert "+10 ± 4" in (root / "README.md").read_text()
    listed = report(root, "--list", "--json").document["figures"]
    assert [row["measured"] is not None for row in listed] == [True, False]
    measured["kuhn-match"] = KeyboardInterrupt()
    assert report(root, "--again", "kuhn-match").status == 130


def test_a_command_that_fails_is_one_line_and_the_others_go_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = replace(MATCH, commands=("match random nobody --game kuhn --hands 10",))
    monkeypatch.setattr(published, "FIGURES", (bad, TEXT))
    outcome = report(root, "--measure", "all", "-q")
    assert outcome.status == 1
    assert outcome.err.count("\n") == 1
    assert outcome.err.startswith("pokerspiel: kuhn-match: `pokerspiel match random nobody")
    assert "status 2" in outcome.err and "nobody" in outcome.err
    assert f"$ pokerspiel {HAND}" in (root / "docs/one.md").read_text()


def test_outputs_that_cannot_be_shown_are_one_line(root: Path, measured: dict[str, Any]) -> None:
    measured["kuhn-match"] = [{"players": []}]
    outcome = report(root, "--measure", "kuhn-match")
    assert outcome.status == 1
    assert "what the commands of kuhn-match gave cannot be shown" in outcome.err
    assert report(root, "--list", "--json").document["figures"][0]["measured"] is None


def test_an_interrupted_command_is_ended(root: Path) -> None:
    endless = replace(MATCH, commands=("train kuhn --time 600 --out run",))
    seen: list[str] = []

    def interrupt(share: float, text: str) -> None:
        seen.append(text)
        if len(seen) > 1:
            raise KeyboardInterrupt

    before = _children()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        measure(endless, root / "docs", None, interrupt)
    assert time.monotonic() - start < 60
    assert _children() == before


def _children() -> set[str]:
    """Processes that this one has started and that are not gone."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {child for task in tasks for child in task.read_text().split()}


def test_bad_input_is_refused(root: Path, tmp_path: Path) -> None:
    words: Sequence[object] = ("bench", "report", "--root", root)
    refuse(*words, "--measure", "kuhn", naming="kuhn is no figure: expected all, kuhn-match, hand")
    refuse(*words, "--check", "--list", naming="--check and --list")
    refuse(*words, "--seed", 5, naming="--seed 5: only with --again")
    refuse(*words, "--again", "hand", naming="hand is not measured")
    refuse("bench", "report", "--root", root / "docs", "--check", naming="--root")
    (root / "docs" / FILE).write_bytes(b"no database" * 100)
    refuse(*words, "--check", naming=FILE)


# Pieces.


def test_parts() -> None:
    path = Path("x.md")
    text = "a\n```\n<!-- figures: no -->\n```\n" + part("one", "\nx\n\n") + "b\n" + part("two")
    assert [(found.name, body(text, found)) for found in parts_of(path, text)] == [
        ("one", "x"),
        ("two", ""),
    ]
    new = rewritten(path, text, {"one": "y", "three": "z"})
    assert new == text.replace("\nx\n\n", "\ny\n\n")
    for bad, line in (
        ("<!-- figures: one -->\n", "x.md:1"),
        ("\n<!-- end -->\n", "x.md:2"),
        (f"<!-- figures: one -->\n{part('two')}", "x.md:2"),
    ):
        with pytest.raises(ValueError, match=line):
            parts_of(path, bad)


def test_markdown() -> None:
    table = Table(("a|b", "n>"), (("x", mbb({"mbb_per_hand": -1234.4, "ci95": [-1240, -1230]})),))
    assert markdown([table, Output("hand svara", "one  \ntwo\n")]) == (
        "| a\\|b | n |\n| --- | ---: |\n| x | −1,234 ± 5 |\n\n"
        "```\n$ pokerspiel hand svara\none\ntwo\n```"
    )
    long = markdown([Output(" ".join(["--hands AsKs"] * 20), "")])
    assert all(len(line) <= 102 for line in long.splitlines()) and long.count(" \\\n      ") == 2


def test_seeds_of_commands() -> None:
    assert with_seed("match a b --seed 1 --hands 2", 7) == "match a b --seed 7 --hands 2"
    assert with_seed("exploit a", 7) == "exploit a"
    assert MATCH.seeds == (3,) and TEXT.seeds == ()


def test_a_command_must_print_a_document(root: Path) -> None:
    with pytest.raises(MeasuringError, match="bots --help` printed no JSON document"):
        measure(replace(MATCH, commands=("bots --help",)), root / "docs")


def test_tables_of_leaks_and_corrected_scores() -> None:
    score = {"mbb_per_hand": 12.34, "ci95": [10.0, 14.68]}
    leak = {"name": "fold", "reached": 1234, **score}
    document: dict[str, Any] = {
        "player": "a",
        "reference": "b",
        "game": "leduc",
        "unit": "ante",
        "hands": 20,
        "deals": 10,
        "decisions": 30,
        **dict.fromkeys(("total", "won", "difference"), score),
        "choices": [leak, leak],
        "draws": [],
        "nodes": [leak],
    }
    text = markdown(leaks(choices=1, nodes=1)([document]))
    assert text.count("| fold | 1,234 | +12.3 | +10.0 to +14.7 |") == 2
    assert "| leaks, all decisions | +12.3 |" in text

    player = {"name": "a", **score, "plain": score, "hands_saved": 2.0}
    player["aivat"] = {**score, "hands_saved": 30.0}
    match = {"game": "leduc", "hands": 20, "players": [player, {"name": "b"}]}
    row = markdown(certainty([match])).splitlines()[-1]
    assert row == (
        "| leduc: a against b | 20 | +12.3 ± 2.3 | +12.3 ± 2.3 | 2.0 times "
        "| +12.3 ± 2.3 | 30.0 times |"
    )


def test_the_table_of_speed_leaves_out_rivals_that_are_not_installed() -> None:
    def row(rival: float | None, rival_name: str) -> dict[str, Any]:
        ratio = rival and 12_345.0 / rival
        values = {"ours": 12_345.0, "rival": rival, "ratio": ratio, "rival_name": rival_name}
        return {"name": "moves", "unit": "move", **values}

    rows = [row(3.0, "eval7"), row(None, "LiteEFG (not installed)"), row(None, "")]
    (table,) = speed([{"rows": rows}])
    assert markdown([table]).splitlines()[2:] == [
        "| moves, move/s | eval7 | 12,345 | 3.00 | 4,115 |",
        "| moves, move/s |  | 12,345 |  |  |",
    ]
    assert {one.verdict for one in compare([table], [table])} == {OPEN}


def test_tables_of_tournaments(tmp_path: Path) -> None:
    bots = ("tight", "random", "always-call")
    words = ("--game", "kuhn", "--hands", 400, "--exploitability", "none", "--out", tmp_path / "x")
    document = succeed("tournament", *bots, *words, "--json", "-q").document
    view = tournament("kuhn")([{"tournaments": {"kuhn": document}}])
    leaders, rest = markdown(view).split("\n\n**what the row wins from the column**\n\n")
    assert leaders.startswith("**kuhn: 400 hands a match**\n\n| bot | rank | hands | mbb/hand |")
    everybody, ratings = rest.split("\n\n**ratings**\n\n")
    assert len(everybody.splitlines()) == 5
    ratings, cycles = ratings.split("\n\n**cycles**\n\n")
    assert [line.split(" | ")[0] for line in ratings.splitlines()[2:]] == [
        f"| {bot['name']}" for bot in document["bots"]
    ]
    assert f"| {document['ratings']['cycles']['share']:.2%} | " in cycles
    numbers = compare(view, view)
    assert {one.verdict for one in numbers} == {AGREES, OPEN}  # shares without an interval
    assert sum("kuhn: 400 hands a match, " in one.name for one in numbers) == 3
    assert sum("ratings, " in one.name for one in numbers) == 3 * 4
    assert sum("what the row wins from the column, " in one.name for one in numbers) == 6


# The figures of this repository.


def test_the_documents_are_as_the_database_says() -> None:
    outcome = report(ROOT, "--check")
    assert outcome.status == 0, outcome.out + outcome.err


def test_figures_name_documents_that_are_there_and_each_name_is_one_figure() -> None:
    names = [figure.name for figure in published.FIGURES]
    assert len(names) == len(set(names))
    assert all((ROOT / name).is_file() for figure in published.FIGURES for name in figure.documents)


def test_every_row_of_speed_is_in_one_figure() -> None:
    commands = [shlex.split(figure.commands[0]) for figure in published.FIGURES]
    only = [
        [words[i + 1] for i, word in enumerate(words) if word == "--only"]
        for words in commands
        if words[:2] == ["bench", "speed"]
    ]
    for row in bench_speed.all_rows():
        where = [words for words in only if any(word in row.name for word in words)]
        assert len(where) == 1, (row.name, where)
