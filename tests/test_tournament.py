"""The command: a tournament that goes on where it stopped, and its page."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pokerspiel.agents.arena import DealScores, joined
from pokerspiel.experiments import tournament
from pokerspiel.experiments.entrants import Entrant, entrants_of
from pokerspiel.experiments.tournament_play import meetings_of
from pokerspiel.experiments.tournament_store import FILE, TournamentStore
from pokerspiel.games.variants import Game, load
from tests.command_line import pokerspiel, refuse, succeed
from tests.test_entrants import write_bot
from tests.workers_here import WorkersHere

COMMAND = [sys.executable, "-c", "from pokerspiel.experiments.cli import main; main()"]
BOTS = ("random", "always-call", "tight")
LEDUC = ("tournament", *BOTS, "--game", "leduc", "--hands", 100_000, "--seed", 5)
QUICK = ("tournament", *BOTS, "--game", "kuhn", "--hands", 400)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let the command play in this process; gives the chunks that it plays."""
    chunks: list[Any] = []
    monkeypatch.setattr(tournament, "open_workers", lambda on, count: WorkersHere(chunks.append))
    return chunks


def deals(folder: Path, game: str, bots: tuple[str, ...], seed: int) -> dict[Any, bytes]:
    """All chips of each match."""
    with TournamentStore(folder) as store:
        meetings = meetings_of(entrants_of(bots, load(game)), load(game), seed)
        matches = [match for meeting in meetings for match in meeting.matches]
        parts = {match: [part for part, _ in store.scores(match)] for match in matches}
    return {match: _chips(its).tobytes() for match, its in parts.items() if its}


def _chips(parts: list[DealScores]) -> Any:
    return joined(parts).chips


def found(document: dict[str, Any]) -> dict[str, Any]:
    """The document without what depends on when and where."""
    return {name: its for name, its in document.items() if name not in ("seconds", "sittings")}


def figures(folder: Path) -> list[str]:
    """The lines of `table.md` that do not say when and where."""
    lines = (folder / "table.md").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not re.match(r"\d{4}-\d\d-\d\dT", line)]


def wait_for_chunks(folder: Path, process: subprocess.Popen[bytes], count: int) -> None:
    """Wait until so many chunks of another process are written."""
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        if (folder / FILE).exists():
            with sqlite3.connect(folder / FILE) as base:
                tables = base.execute("SELECT name FROM sqlite_master").fetchall()
                if ("chunks",) in tables:
                    (there,) = base.execute("SELECT count(*) FROM chunks").fetchone()
                    if there >= count:
                        return
        time.sleep(0.01)
    raise AssertionError("nothing is played")


def test_a_killed_run_goes_on_and_ends_the_same(tmp_path: Path, here: list[Any]) -> None:
    """A worker is killed, then all of it, with kill -9; the rest is played by others."""
    part, whole = tmp_path / "part", tmp_path / "whole"
    words = [*COMMAND, *map(str, LEDUC), "--out", str(part), "--workers", "2", "--quiet"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        wait_for_chunks(part, process, 3)
        os.kill(a_worker_of(process.pid), signal.SIGKILL)
        wait_for_chunks(part, process, 6)
        process.kill()
        process.wait(timeout=30)
    before = deals(part, "leduc", BOTS, 5)
    one = succeed(*LEDUC, "--out", part, "--json").document
    other = succeed(*LEDUC, "--out", whole, "--json").document
    wanted = deals(whole, "leduc", BOTS, 5)
    assert {len(chips) for chips in wanted.values()} == {50_000 * 32}
    assert sum(map(len, before.values())) < sum(map(len, wanted.values()))
    assert deals(part, "leduc", BOTS, 5) == wanted
    assert found(one) == found(other)
    assert figures(part) == figures(whole)
    assert len(one["sittings"]) == 2 and len(other["sittings"]) == 1


def a_worker_of(parent: int) -> int:
    """A process that plays for another one."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    for child in children:
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
            return int(child)
    raise AssertionError("there are no workers")


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[Any] = []

    def interrupt(chunk: Any) -> None:
        played.append(chunk)
        if len(played) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(tournament, "open_workers", lambda on, count: WorkersHere(interrupt))
    outcome = pokerspiel(*QUICK, "--out", tmp_path)
    assert outcome.status == 130 and outcome.out == ""
    assert "the same command goes on" in outcome.err
    kept = deals(tmp_path, "kuhn", BOTS, 0)
    assert sum(map(len, kept.values())) > 0
    assert succeed(*QUICK, "--out", tmp_path).out
    assert all(
        chips.startswith(kept.get(match, b""))
        for match, chips in deals(tmp_path, "kuhn", BOTS, 0).items()
    )


def test_the_same_command_again_plays_nothing(tmp_path: Path, here: list[Any]) -> None:
    first = succeed(*QUICK, "--out", tmp_path, "--json")
    assert "3 matches of 200 deals, 0 of them played before" in first.err
    here.clear()
    again = succeed(*QUICK, "--out", tmp_path, "--json")
    assert "3 matches of 200 deals, 3 of them played before" in again.err
    assert not here and again.document == first.document


def test_a_bot_that_comes_later_plays_its_own_matches(tmp_path: Path, here: list[Any]) -> None:
    succeed(*QUICK, "--out", tmp_path)
    here.clear()
    words = ("tournament", "equity", *BOTS, *QUICK[4:])
    document = succeed(*words, "--out", tmp_path, "--json").document
    (equity,) = entrants_of(["equity"], load("kuhn"))
    chunks = [chunk for chunk in here if hasattr(chunk, "match")]
    assert chunks and all(equity.content in chunk.match.players for chunk in chunks)
    assert [bot["rank"] for bot in document["bots"]] == [1, 2, 3, 4]
    assert len(document["matches"]) == 6


def test_a_bot_that_was_trained_on_is_another_bot(tmp_path: Path, here: list[Any]) -> None:
    path = write_bot(tmp_path / "mine.pspiel", 1)
    words = ("tournament", path, "random", "--game", "kuhn", "--hands", 400)
    folder = tmp_path / "out"
    before = succeed(*words, "--out", folder, "--json").document
    write_bot(path, 2)
    outcome = succeed(*words, "--out", folder, "--json")
    assert f"{path} is not the bot that it was: it plays all its matches anew" in outcome.err
    after = outcome.document
    assert after["matches"] != before["matches"]
    assert {bot["content"] for bot in after["bots"]} != {bot["content"] for bot in before["bots"]}


def test_a_bot_that_fails_is_a_line_and_the_others_go_on(
    tmp_path: Path, here: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_a_changed_file(names: Any, game: Game) -> list[Entrant]:
        first, *others = entrants_of(names, game)
        return [replace(first, content="what it was before"), *others]

    monkeypatch.setattr(tournament, "entrants_of", with_a_changed_file)
    outcome = pokerspiel(*QUICK, "--out", tmp_path, "--json", "--quiet")
    assert outcome.status == 1
    lines = outcome.err.splitlines()
    assert [line.partition(" failed: ")[0] for line in lines] == [
        "pokerspiel: random - always-call",
        "pokerspiel: random - tight",
    ]
    assert "random has changed since the tournament began" in lines[0]
    hands = {bot["name"]: bot["hands"] for bot in outcome.document["bots"]}
    assert hands == {"random": 0, "always-call": 400, "tight": 400}
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Matches that failed" in page and "random has changed" in page


def test_a_program_plays_and_its_faults_are_told(tmp_path: Path, here: list[Any]) -> None:
    program = tmp_path / "wrong.py"
    program.write_text("import sys\nfor line in sys.stdin:\n    print('what?', flush=True)\n")
    words = ("tournament", program, "random", "--game", "kuhn", "--hands", 40, "--out")
    document = succeed(*words, tmp_path / "out", "--json").document
    faults = {bot["name"]: bot["faults"] for bot in document["bots"]}
    assert faults["wrong.py"]["garbage"] > 0 and not faults["random"]
    decisions = {bot["name"]: bot["decisions"] for bot in document["bots"]}
    assert sum(faults["wrong.py"].values()) == decisions["wrong.py"]
    assert "a rule made them" in (tmp_path / "out" / "table.md").read_text(encoding="utf-8")


def test_tables_of_three(tmp_path: Path, here: list[Any]) -> None:
    words = ("tournament", *BOTS, "equity", "--game", "kuhn", "--set", "players=3", "--hands", 60)
    document = succeed(*words, "--out", tmp_path, "--json").document
    assert (document["players"], document["deals"], len(document["matches"])) == (3, 10, 4)
    assert document["ratings"] is None
    assert "none for more players" in (tmp_path / "report.html").read_text(encoding="utf-8")
    refuse(
        *("tournament", "random", "tight", "--game", "kuhn(players=3)", "--out", tmp_path / "few"),
        naming="needs 3 bots or more",
    )
    assert not (tmp_path / "few").exists()


def test_corrected_scores_are_fitted_once_and_kept(tmp_path: Path, here: list[Any]) -> None:
    plain_words = ("tournament", *BOTS, "--game", "leduc", "--hands", 400, "--out", tmp_path)
    words = (*plain_words, "--aivat", "--fit-hands", 600)
    first = succeed(*words, "--json").document
    assert first["scored_by"] == "aivat" and "600 other hands" in first["values"]
    assert (tmp_path / "aivat.values").is_file()
    here.clear()
    assert found(succeed(*words, "--json").document) == found(first)
    assert not here
    assert "Not corrected by AIVAT" in (tmp_path / "report.html").read_text(encoding="utf-8")
    plain = succeed(*plain_words, "--json").document
    assert plain["scored_by"] == "plain" and here
    for bot in plain["bots"]:
        (same,) = (other for other in first["bots"] if other["name"] == bot["name"])
        assert bot["score"] == same["score"]


def test_exploitability_is_exact_where_a_bot_allows_it(tmp_path: Path, here: list[Any]) -> None:
    document = succeed(*QUICK, "--out", tmp_path, "--json").document
    by_name = {bot["name"]: bot["exploitability"] for bot in document["bots"]}
    measured = succeed("exploit", "random", "--game", "kuhn", "--json").document
    assert by_name["random"]["exact"]
    assert by_name["random"]["mbb_per_hand"] == pytest.approx(1000 * measured["exploitability"])
    assert by_name["tight"]["mbb_per_hand"] is None and "not known" in by_name["tight"]["why"]
    none = succeed(*QUICK, "--out", tmp_path, "--exploitability", "none", "--json").document
    assert [bot["exploitability"] for bot in none["bots"]] == [None] * 3


class _Balanced(HTMLParser):
    """Checks that every tag is closed."""

    VOID = frozenset({"meta", "path", "use", "rect", "image", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_says_what_was_found_and_how(tmp_path: Path, here: list[Any]) -> None:
    odd = write_bot(tmp_path / "odd.pspiel", 1, name="<b>&")
    words = ("tournament", *BOTS, odd, *QUICK[4:], "--min-hands", 2000)
    document = succeed(*words, "--out", tmp_path / "out", "--json").document
    page = _Balanced()
    page.feed((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    assert page.open == []
    text = "".join(page.text)
    for bot in document["bots"]:
        assert bot["name"] in text and bot["content"][:16] in text
        assert bot["rank"] is None
    (sitting,) = document["sittings"]
    assert sitting["started"] in text and sitting["machine"]["processor"] in text
    assert "Ranked are those with 2,000 hands or more" in text
    assert f"{document['bots'][0]['score']['mbb_per_hand']:+,.0f}" in text
    assert "Alpha-rank" in text and "circles of three" in text


def test_two_runs_in_one_folder_are_one_too_many(tmp_path: Path, here: list[Any]) -> None:
    with TournamentStore(tmp_path):
        refuse(*QUICK, "--out", tmp_path, naming="in use")
    succeed(*QUICK, "--out", tmp_path)


def test_a_full_disk_is_one_line(
    tmp_path: Path, here: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class SmallStore(TournamentStore):
        def __init__(self, folder: Path) -> None:
            super().__init__(folder)
            self.base.execute("PRAGMA max_page_count = 100")

    words = ("tournament", *BOTS, "--game", "kuhn", "--hands", 20_000, "--out", tmp_path)
    with monkeypatch.context() as small:
        small.setattr(tournament, "TournamentStore", SmallStore)
        refuse(*words, "--quiet", naming="database or disk is full")
    kept = deals(tmp_path, "kuhn", BOTS, 0)
    succeed(*words)
    after = deals(tmp_path, "kuhn", BOTS, 0)
    assert len(after) == 3
    assert all(after[match].startswith(chips) for match, chips in kept.items())


@pytest.mark.parametrize(
    ("words", "naming"),
    [
        (("random", "random"), "random is given twice"),
        (("random",), "needs 2 bots or more, not only random"),
        (("random", "nobody"), "unknown agent 'nobody'"),
        (("random", "tight", "--exploitability", "some"), "exact, bounds, none"),
        (("random", "tight", "--on", "clouds"), "'clouds'"),
        (("random", "tight", "--hands", "0"), "0 is not allowed"),
        (("random", "svara-home"), "svara-home plays svara"),
    ],
    ids=str,
)
def test_bad_input_is_named(tmp_path: Path, words: tuple[str, ...], naming: str) -> None:
    refuse("tournament", *words, "--game", "kuhn", "--out", tmp_path, "-q", naming=naming)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    refuse(*QUICK, "--out", tmp_path, naming="holds other things")
    refuse(*QUICK, "--out", tmp_path / "letter.txt", naming="is a file")
