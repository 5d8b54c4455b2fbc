"""Whatever is done on Ray: one Ray, started once for all tests of this file.

It has two cores. Commands that run as processes of their own connect to it by `address`.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import platform
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pokerspiel.experiments.budget import parse_budget
from pokerspiel.experiments.cells import Cell, choose, measure_cell
from pokerspiel.experiments.entrants import entrants_of
from pokerspiel.experiments.ray_end import writers
from pokerspiel.experiments.ray_workers import address_of, check_same, installed
from pokerspiel.experiments.results import Results, Run
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.experiments.sharded_training import RoundsOnWorkers
from pokerspiel.experiments.shared_play import HandsOnWorkers
from pokerspiel.experiments.tournament_play import meetings_of, play_missing
from pokerspiel.experiments.tournament_store import Match, TournamentStore
from pokerspiel.experiments.train_neural import Plan
from pokerspiel.experiments.workers import End, Workers, open_workers
from pokerspiel.games.variants import load
from pokerspiel.solvers.sharded_mccfr import ShardedMccfr
from tests.command_line import succeed
from tests.test_sharded_mccfr import assert_same_tables
from tests.worker_jobs import (
    announce_and_sleep,
    count_and_die,
    ends_of,
    lives,
    look_at,
    process_id,
    wait_for,
)
from tests.workers_here import WorkersHere

if find_spec("ray") is None:
    pytest.skip("Ray is not installed", allow_module_level=True)

COMMAND = [sys.executable, "-c", "from pokerspiel.experiments.cli import main; main()"]


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Two workers of a Ray that this process has started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        with open_workers("ray", 2) as opened:
            # What another process needs to connect.
            patch.setenv("RAY_AUTH_MODE", "token")
            yield opened


@pytest.fixture(scope="module")
def address(workers: Workers) -> str:
    """What another process gives to --on."""
    import ray

    return f"ray:{ray.get_runtime_context().gcs_address}"


def test_jobs_end_as_on_this_machine(workers: Workers) -> None:
    jobs = [4.0, -1.0, 9.0]
    with open_workers(count=2) as local:
        assert ends_of(workers, math.sqrt, jobs) == ends_of(local, math.sqrt, jobs)


def double(array: np.ndarray) -> np.ndarray:
    array *= 2
    return array


def test_arrays_of_jobs_and_results_can_be_written(workers: Workers) -> None:
    ends: list[End] = []
    workers.run(double, [np.ones(100_000)], ends.append)
    assert ends[0].error is None
    ends[0].result[:] += 1
    assert (ends[0].result == 3).all()


def test_a_process_has_one_thread_and_the_cache_of_kernels(workers: Workers) -> None:
    names = ["NUMBA_NUM_THREADS", "XDG_CACHE_HOME", "HOME"]
    ends = ends_of(workers, os.getenv, names)
    assert ends["NUMBA_NUM_THREADS"] == ("1", None)
    assert [ends[name] for name in names[1:]] == [(os.getenv(name), None) for name in names[1:]]


def test_a_job_whose_process_was_killed_is_done_again(
    workers: Workers, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    jobs = [(str(tmp_path), number, deaths) for number, deaths in enumerate((0, 1, 2))]
    ends = ends_of(workers, count_and_die, jobs, retries=1)
    assert [ends[job] for job in jobs] == [(0, None), (1, None), (None, "the process died")]
    assert [(tmp_path / str(job[1])).stat().st_size for job in jobs] == [1, 2, 2]
    time.sleep(1.0)
    assert capfd.readouterr() == ("", "")


def test_a_shared_value_is_loaded_once_a_process_and_read_only(workers: Workers) -> None:
    value = {"array": np.arange(100_000.0)}
    shared = workers.share(value)
    ends: list[End] = []
    workers.run(look_at, [shared] * 6, ends.append)
    assert {end.error for end in ends} == {None}
    assert {end.result[1:] for end in ends} == {(True, False, float(value["array"].sum()))}


def test_an_interrupt_kills_the_running_jobs(workers: Workers, tmp_path: Path) -> None:
    def interrupt(running: Sequence[Any]) -> None:
        if len(list(tmp_path.iterdir())) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jobs = [str(tmp_path), f"{tmp_path}/"]
        workers.run(announce_and_sleep, jobs, lambda end: None, interrupt)
    processes = [int(path.name) for path in tmp_path.iterdir()]
    wait_for(lambda: not any(map(lives, processes)))
    found = {result for result, _ in ends_of(workers, process_id, range(2)).values()}
    assert not found & set(processes)


def test_it_listens_on_this_machine_alone(address: str) -> None:
    import ray

    _, host, port = address.split(":")
    (node,) = ray.nodes()
    ports = [int(port), node["NodeManagerPort"], node["ObjectManagerPort"]]
    assert host == node["NodeManagerAddress"] == "127.0.0.1"
    for its in ports:
        socket.create_connection((host, its), 5.0).close()
        with pytest.raises(OSError):
            socket.create_connection((own_address(), its), 1.0)


def own_address() -> str:
    """The address of this machine in its network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unused:
        unused.connect(("192.0.2.1", 9))
        return str(unused.getsockname()[0])


# Clusters that cannot be used.


def test_a_second_ray_is_refused(workers: Workers) -> None:
    with pytest.raises(ValueError, match="connected to a Ray already"):
        open_workers("ray", 1)


@pytest.mark.parametrize(
    ("on", "words"),
    [
        ("ray:nowhere", "expected an address such as host:6379"),
        ("ray://127.0.0.1", "expected an address such as host:6379"),
        ("ray:127.0.0.1:9", "no Ray cluster at '127.0.0.1:9': ConnectionRefusedError"),
        ("ray://127.0.0.1:9", "no Ray cluster at 'ray://127.0.0.1:9': ConnectionRefusedError"),
    ],
)
def test_an_address_without_a_cluster_is_refused(on: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        address_of(on)


def test_other_versions_are_named() -> None:
    check_same("it", installed())
    with pytest.raises(ValueError, match=r"^it has Python 3\.0\.0, not .*: install the same"):
        check_same("it", {**installed(), "Python": "3.0.0"})
    with pytest.raises(ValueError, match=r"^it has pokerspiel None, not .*; kernels None, not "):
        check_same("it", {"Python": platform.python_version()})


# Commands.


def test_the_grid_has_the_same_rows_as_in_this_process(address: str, tmp_path: Path) -> None:
    algorithms, seed, budget = ["cfr+", "outcome-sampling"], 3, "200it"
    words = ["bench", "algorithms", "--games", "kuhn", "--algorithms", *algorithms]
    words += ["--seeds", str(seed), "--budget", budget, "--on", address, "--workers", "2"]
    done = subprocess.run(
        [*COMMAND, *words, "--out", str(tmp_path), "--json", "--quiet"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(json.loads(done.stdout)["games"][0]["rows"]) == 2
    with Results(tmp_path) as results:
        found = {run.algorithm: timeless(run) for run in results.runs()}
    for algorithm in algorithms:
        cell = Cell(choose("kuhn"), algorithm, seed, True, parse_budget(budget))
        assert found.pop(algorithm) == timeless(measure_cell(cell))
    assert not found


def test_training_comes_to_the_same_on_ray(workers: Workers, tmp_path: Path) -> None:
    """A killed worker included: its shard is done again, by one that is given the whole table."""
    solver, expected = (ShardedMccfr(load("leduc"), seed=5) for _ in range(2))
    rounds = RoundsOnWorkers(workers, solver.game, solver)
    rounds.prepare()
    solver.do_round = rounds
    solver.run(iterations=10_000)
    one, *_ = ends_of(workers, process_id, range(2)).values()
    os.kill(one[0], signal.SIGKILL)
    solver.run(iterations=10_000)
    expected.run(iterations=10_000)
    expected.run(iterations=10_000)
    assert_same_tables(solver.state.table, expected.state.table)


def test_train_and_resume_on_a_cluster(address: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["train", "leduc", "--out", str(run), "--workers", "2", "--on", address]
    done = subprocess.run(
        [*COMMAND, *words, "--iterations", "5000", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    succeed("resume", run, "--on", "processes", "--workers", 1, "--iterations", 5000, "-q")
    solver = ShardedMccfr(load("leduc"))
    solver.run(iterations=5000)
    assert solver.state.iteration == json.loads(done.stdout)["iteration"]
    solver.run(iterations=5000)
    arrays, numbers = RunFolder(run).load_checkpoint()
    assert numbers["iteration"] == solver.state.iteration
    for name, array in solver.state.to_arrays().items():
        assert np.array_equal(array, arrays[name]), name


@pytest.mark.slow
def test_networks_learn_the_same_on_ray(workers: Workers) -> None:
    pytest.importorskip("torch")
    plan = Plan(
        game="leduc",
        algorithm="sd-cfr",
        tune="traversals=60 updates=5 width=8",
        against=(),
        time=None,
        iterations=2,
        threads=1,
        device="cpu",
        checkpoint_every=60.0,
        seed=4,
    )
    here, elsewhere = (plan.solver(load("leduc")) for _ in range(2))
    here.shards = elsewhere.shards = 3
    elsewhere.play_shards = HandsOnWorkers(workers, plan, None)
    for solver in (here, elsewhere):
        solver.run(iterations=2)
    ours, theirs = here.to_arrays(), elsewhere.to_arrays()
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


def timeless(run: Run) -> Run:
    """A run, without what depends on time."""
    points = tuple(replace(point, seconds=0.0) for point in run.points)
    return replace(run, finished="", points=points)


@pytest.mark.parametrize(
    "end", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_no_process_outlives_the_command_that_started_ray(
    end: signal.Signals, tmp_path: Path
) -> None:
    words = ["bench", "algorithms", "--games", "kuhn", "--algorithms", "cfr", "--budget", "60s"]
    words += ["--on", "ray", "--workers", "1", "--out", str(tmp_path)]
    with subprocess.Popen([*COMMAND, *words], stderr=subprocess.PIPE) as command:
        wait_for(lambda: b"ray::_serve" in titles(command.pid).values(), 90.0)
        processes = titles(command.pid)
        (watch,) = [title for title in processes.values() if b"ray_end" in title]
        folder = watch.split(b"\0")[3].decode()
        # One that has just begun does not write yet, one that has ended does not any more.
        wait_for(lambda: working(command.pid) <= set(writers(folder)), 15.0)
        command.send_signal(end)
        _, err = command.communicate(timeout=30.0)
    assert command.returncode == (130 if end == signal.SIGINT else -end)
    assert b"Traceback" not in err
    wait_for(lambda: not any(map(lives, processes)), 15.0)
    assert not writers(folder) and not Path(folder).exists()


def working(process: int) -> set[int]:
    """The processes of a Ray's work below a process."""
    return {child for child, title in titles(process).items() if title.startswith(b"ray::")}


def titles(process: int) -> dict[int, bytes]:
    """The processes that a process has started, and those that they have, with what `ps` says."""
    found = {}
    for task in Path("/proc").glob(f"{process}/task/*"):
        with contextlib.suppress(OSError):
            for child in map(int, (task / "children").read_text().split()):
                found |= {child: Path(f"/proc/{child}/cmdline").read_bytes(), **titles(child)}
    return {child: title.rstrip(b"\0 ") for child, title in found.items()}


def test_a_tournament_on_ray_ends_as_in_this_process(workers: Workers, tmp_path: Path) -> None:
    game = load("leduc")
    bots = entrants_of(["random", "always-call", "tight"], game)
    meetings = meetings_of(bots, game, 3)
    chips = []
    for name, ours in (("ray", workers), ("here", WorkersHere())):
        with TournamentStore(tmp_path / name) as store:
            store.begin_sitting("2026", "", {}, {})
            play_missing(store, ours, bots, meetings, 2000, None, lambda done, total: None)
            chips.append([joined_chips(store, meeting.matches[0]) for meeting in meetings])
    assert chips[0] == chips[1] and len(chips[0][0]) == 2000 * 32


def joined_chips(store: TournamentStore, match: Match) -> bytes:
    return b"".join(part.chips.tobytes() for part, _ in store.scores(match))
