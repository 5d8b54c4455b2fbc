"""`pokerspiel abstract`: building, listing and measuring centres from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pokerspiel.games.abstraction import cluster_build, cluster_file
from pokerspiel.games.abstraction.clusters import MOMENTS
from pokerspiel.games.variants import load
from tests.command_line import refuse, succeed

FEW = ("--buckets", "8,river=12", "--samples", 200, "--restarts", 1)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of centres of the test's own, and rough percentiles."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(cluster_build, "PERCENTILE_HANDS", 1000)
    yield cluster_file.user_folder()


def test_what_is_built_is_listed_measured_and_played_by_name(own_folder: Path) -> None:
    words = ("abstract", "build", "sviten_special", *FEW, "--name", "mine", "--json", "-q")
    built = succeed(*words).document
    assert built["buckets"] == {**dict.fromkeys(MOMENTS, 8), "river": 12}
    assert Path(built["file"]).parent == own_folder
    assert str(load(built["game"])) == built["game"]
    listed = succeed("abstract", "list", "--json").document["centres"]
    assert built["name"] in [row["name"] for row in listed]
    game = "sviten_special(abstraction=clusters,buckets=mine)"
    measured = succeed("abstract", "measure", game, "--hands", 200, "--json", "-q").document
    river = measured["moments"][-1]
    assert river["moment"] == "river" and river["buckets"] == 12 and 0.3 < river["mean"] < 1.0


def test_a_damaged_file_does_not_hide_the_others(own_folder: Path) -> None:
    own_folder.mkdir(parents=True)
    (own_folder / f"sviten_special-bad-0{cluster_file.SUFFIX}").write_bytes(b"nothing")
    document = succeed("abstract", "list", "--json").document
    assert "standard" in {row["name"].partition("-")[0] for row in document["centres"]}
    assert len(document["damaged"]) == 1 and "bad-0" in document["damaged"][0]


@pytest.mark.parametrize(
    ("words", "naming"),
    [
        (("build", "svara"), "svara has no card buckets"),
        (("build", "sviten_special", "--buckets", "many"), "'many'"),
        (("build", "sviten_special", "--buckets", "9,noon=3"), "noon=3"),
        (("build", "sviten_special", "--buckets", "river=3"), "how many for the preflop"),
        (("build", "sviten_special", "--name", "7up"), "7up"),
        (("build", "sviten_special", "--out", "/dev/null/x.centres"), "/dev/null"),
        (("measure", "sviten_special(abstraction=halves)"), "have no buckets"),
    ],
)
def test_bad_input_gets_one_line(words: tuple[str, ...], naming: str) -> None:
    refuse("abstract", *words, "-q", naming=naming)
