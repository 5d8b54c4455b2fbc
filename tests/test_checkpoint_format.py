"""Files of checkpoints: what they say, what is refused, and those of earlier formats."""

from __future__ import annotations

import tarfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from pokerspiel.experiments import checkpoint_format
from pokerspiel.experiments.checkpoint_format import (
    FORMATS,
    MCCFR,
    MIGRATIONS,
    NEURAL,
    SOLVE,
    About,
    Arrays,
    DamagedError,
    Numbers,
    read,
    write,
)
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.games.variants import load
from pokerspiel.solvers.catalogue import new_solver
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.mccfr import Mccfr
from tests.command_line import refuse, succeed

DATA = Path(__file__).parent / "data" / "checkpoints"
ABOUT = About(SOLVE, "kuhn", "1", "none-1", "dcfr")
ARRAYS = {
    "a": np.arange(5, dtype=np.float32),
    "b": np.array([[True], [False]]),
    "c": np.zeros((0, 3)),
}
NUMBERS: dict[str, int | float] = {"iteration": 7, "seconds": 0.25}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "7.safetensors"
    write(path, ABOUT, ARRAYS, NUMBERS)
    return path


def assert_as_written(found: tuple[Arrays, Numbers]) -> None:
    arrays, numbers = found
    assert numbers == NUMBERS and arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype and arrays[name].shape == array.shape
        assert np.array_equal(arrays[name], array)


def test_a_checkpoint_says_what_it_is_of(path: Path) -> None:
    assert_as_written(read(path, ABOUT))
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    assert metadata["format"] == str(FORMATS[SOLVE]) == "2"
    assert metadata["pokerspiel"] == version("pokerspiel")
    assert {name: metadata[name] for name in vars(ABOUT)} == vars(ABOUT)


# Damage.


@pytest.mark.parametrize("mask", [1, 64])
def test_no_flipped_byte_is_read_as_something_else(path: Path, mask: int) -> None:
    whole = path.read_bytes()
    told = 0
    for at in range(len(whole)):
        flipped = bytearray(whole)
        flipped[at] ^= mask
        path.write_bytes(flipped)
        try:
            assert_as_written(read(path, ABOUT))
        except DamagedError as error:
            assert "is damaged" in str(error) and "\n" not in str(error)
            told += 1
    assert told > len(whole) - 10, "all but what fills up the header"


def test_no_truncated_file_is_read(path: Path) -> None:
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(DamagedError):
            read(path, ABOUT)
    path.unlink()
    with pytest.raises(DamagedError):
        read(path, ABOUT)


def test_mapped_arrays_are_checked_as_well(path: Path) -> None:
    arrays = {"a": np.arange(100, dtype=np.uint64)}
    write(path, ABOUT, arrays, NUMBERS)
    assert np.array_equal(read(path, ABOUT, mapped=True)[0]["a"], arrays["a"])
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    path.write_bytes(whole)
    with pytest.raises(DamagedError, match="checksum"):
        read(path, ABOUT, mapped=True)


# Other runs and other versions.


@pytest.mark.parametrize(
    ("about", "named"),
    [
        (About(MCCFR, "kuhn", "1", "none-1", "dcfr"), "kind is 'solve', expected 'mccfr'"),
        (About(SOLVE, "leduc", "1", "none-1", "dcfr"), "game is 'kuhn', expected 'leduc'"),
        (About(SOLVE, "kuhn", "2", "none-1", "dcfr"), "rule version is '1', expected '2'"),
        (About(SOLVE, "kuhn", "1", "pairs-1", "dcfr"), "abstraction is 'none-1'"),
        (About(SOLVE, "kuhn", "1", "none-1", "cfr"), "algorithm is 'dcfr', expected 'cfr'"),
    ],
)
def test_checkpoints_of_other_runs_are_refused(path: Path, about: About, named: str) -> None:
    with pytest.raises(ValueError, match="of another run") as error:
        read(path, about)
    assert named in str(error.value) and not isinstance(error.value, DamagedError)


def test_a_later_format_is_refused_with_who_wrote_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as later:
        later.setattr(checkpoint_format, "FORMATS", {SOLVE: 5})
        later.setattr(checkpoint_format, "version", lambda package: "9.1")
        write(path, ABOUT, ARRAYS, NUMBERS)
    with pytest.raises(
        ValueError, match=r"by pokerspiel 9\.1, format 5; this one reads up to 2: up"
    ):
        read(path, ABOUT)


def test_migrations_are_steps_from_each_format_to_the_next(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(arrays: Arrays, numbers: Numbers) -> tuple[Arrays, Numbers]:
        return {**arrays, "a": 2 * arrays["a"]}, numbers

    def one_more(arrays: Arrays, numbers: Numbers) -> tuple[Arrays, Numbers]:
        return {**arrays, "a": arrays["a"] + 1}, {**numbers, "new": 1}

    monkeypatch.setattr(checkpoint_format, "FORMATS", {SOLVE: 4})
    steps = {(SOLVE, 2): twice, (SOLVE, 3): one_more}
    monkeypatch.setattr(checkpoint_format, "MIGRATIONS", steps)
    arrays, numbers = read(path, ABOUT)
    assert np.array_equal(arrays["a"], 2 * ARRAYS["a"] + 1) and numbers == {**NUMBERS, "new": 1}
    del steps[SOLVE, 2]
    with pytest.raises(ValueError, match="has format 2, which is too old: train anew"):
        read(path, ABOUT)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_earlier_format_has_a_step(kind: str) -> None:
    assert {number for name, number in MIGRATIONS if name == kind} == set(range(1, FORMATS[kind]))


def test_tables_of_the_first_format_need_not_name_classes(path: Path) -> None:
    save_file(ARRAYS, path, {"numbers": '{"iteration": 7}'})
    assert read(path, About(MCCFR, "", "", "", ""))[1] == {"iteration": 7, "classes": 0}


# Files that version 0.1.0 wrote in format 1.


@pytest.fixture
def old_run(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    with tarfile.open(DATA / f"{request.param}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / str(request.param)


OLD = sorted(path.name.removesuffix(".tar.gz") for path in DATA.glob("*.tar.gz"))


@pytest.mark.parametrize("old_run", OLD, indirect=True)
def test_a_run_of_the_first_format_goes_on_and_is_exported(old_run: Path, tmp_path: Path) -> None:
    if old_run.name.startswith(NEURAL):
        pytest.importorskip("torch")
    folder = RunFolder(old_run)
    stored = load_file(folder.latest_checkpoint())
    arrays, numbers = folder.load_checkpoint()
    assert arrays.keys() == stored.keys()
    assert all(np.array_equal(arrays[name], stored[name]) for name in stored)
    succeed("export", old_run, "-o", tmp_path / "before.pspiel", "-q")
    succeed("resume", old_run, "--iterations", 1, "-q")
    assert folder.load_checkpoint()[1]["iteration"] == numbers["iteration"] + 1
    with safe_open(folder.latest_checkpoint(), framework="numpy") as file:
        assert file.metadata()["format"] == "2"
    succeed("export", old_run, "-o", tmp_path / "after.pspiel", "-q")


@pytest.mark.parametrize("old_run", ["train-kuhn", "train-mini_svara"], indirect=True)
def test_a_training_of_the_first_format_goes_on_to_the_digit(old_run: Path) -> None:
    succeed("resume", old_run, "--iterations", 300, "-q")
    arrays, numbers = RunFolder(old_run).load_checkpoint()
    whole = Mccfr(load(old_run.name.removeprefix("train-")), seed=3)
    whole.run(int(numbers["iteration"]))
    for name, array in whole.state.to_arrays().items():
        assert np.array_equal(array, arrays[name]), name


@pytest.mark.parametrize("old_run", ["solve-kuhn"], indirect=True)
def test_a_solution_of_the_first_format_goes_on_to_the_digit(old_run: Path) -> None:
    succeed("resume", old_run, "--iterations", 30, "-q")
    arrays, _ = RunFolder(old_run).load_checkpoint()
    whole = new_solver(compile_tree("kuhn"), "dcfr")
    whole.run(50)
    for name, array in whole.to_arrays().items():
        assert np.array_equal(array, arrays[name]), name


@pytest.mark.parametrize("old_run", ["train-kuhn"], indirect=True)
def test_a_checkpoint_of_another_run_in_the_folder_is_refused(
    old_run: Path, tmp_path: Path
) -> None:
    succeed("solve", "kuhn", "--iterations", 200, "--out", tmp_path / "other", "-q")
    other = RunFolder(tmp_path / "other").latest_checkpoint()
    other.replace(RunFolder(old_run).latest_checkpoint())
    refuse("resume", old_run, "--iterations", 1, naming="kind is 'solve', expected 'mccfr'")
    refuse("export", old_run, "-o", tmp_path / "bot.pspiel", naming="is of another run")
