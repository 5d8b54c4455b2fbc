"""Workers of Ray: one started here for as long as they are open, or those of a running cluster.

The code does not travel: every machine of a cluster needs the same version of this package, and of
Python, which is checked when connecting for the machines that are there.

A Ray started here listens on this machine's own address alone, asks for a token that is drawn for
it, serves no dashboard, reports no usage, and ends with this process, however that ends.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import pickle
import platform
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from pokerspiel.experiments import ray_end
from pokerspiel.experiments.workers import (
    CORES,
    ONE_THREAD,
    RAY,
    Outcome,
    Shared,
    Workers,
    do_pickled,
    environment,
    in_one_line,
)

LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""What makes Ray use 127.0.0.1, as it does on other systems; read when Ray is imported."""
QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
"""No reports of usage to the makers of Ray."""
TOKEN = "RAY_AUTH_TOKEN"
CONNECTING = 10.0
"""Seconds to wait for the address of a cluster to answer."""
CHECKING = 120.0
"""Seconds to wait until every machine of a cluster has said what is installed there."""
MISSING = "Ray is not installed: pip install 'pokerspiel[ray]'"


class RayWorkers(Workers):
    """Tasks of Ray, each on one core. `on` as for `open_workers`."""

    def __init__(self, on: str, count: int | None = None, anew: bool = False) -> None:
        self._ender: subprocess.Popen[bytes] | None = None
        address = "local" if on == RAY else address_of(on)
        ray = self._ray = _import_ray(loopback=on == RAY or _is_loopback(address))
        if ray.is_initialized():
            raise ValueError(f"--on {on}: this process is connected to a Ray already")
        try:
            with _handler_of_sigterm_kept():
                if on == RAY:
                    self.count = count or CORES
                    self._begin()
                else:
                    self._connect(address)
                    self.count = count or max(int(ray.cluster_resources().get("CPU", 1)), 1)
        except BaseException:
            self.close()
            raise
        # The worker processes are Ray's; how often a job is done again is counted by `run`.
        self._task = ray.remote(num_cpus=1, max_retries=0, max_calls=1 if anew else 0)(_serve)

    def _begin(self) -> None:
        # A short path: Ray's sockets lie below it.
        folder = tempfile.mkdtemp(prefix="pokerspiel-ray-", dir="/tmp")
        command = [sys.executable, "-m", ray_end.__name__, folder, str(os.getpid())]
        self._ender = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
        with environment({**QUIET, TOKEN: _token()}):
            cache = os.environ.get("XDG_CACHE_HOME")
            self._init(
                "local",
                {**ONE_THREAD, **({"XDG_CACHE_HOME": cache} if cache else {})},
                num_cpus=self.count,
                include_dashboard=False,
                _temp_dir=folder,
            )

    def _connect(self, address: str) -> None:
        try:
            with environment(QUIET), warnings.catch_warnings(action="ignore"):
                self._init(address, ONE_THREAD)
        except (ConnectionError, RuntimeError) as error:
            raise ValueError(
                f"no Ray cluster at {address!r}: {in_one_line(error)}; if it asks for a token, "
                "RAY_AUTH_MODE=token must be set"
            ) from None
        self._check_versions()

    def _init(self, address: str, environment: dict[str, str], **options: Any) -> None:
        self._ray.init(
            address,
            runtime_env={"env_vars": environment},
            log_to_driver=False,
            logging_level=logging.CRITICAL,
            **options,
        )

    def _check_versions(self) -> None:
        """Raise ValueError if a machine with cores lacks this version of the package."""
        ray = self._ray
        machines = [
            machine
            for machine in ray.nodes()
            if machine["Alive"] and machine["Resources"].get("CPU", 0) > 0
        ]
        ask = ray.remote(num_cpus=0, max_retries=0)(installed)
        stay = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        answers = [
            ask.options(scheduling_strategy=stay(machine["NodeID"], soft=False)).remote()
            for machine in machines
        ]
        for machine, answer in zip(machines, answers, strict=True):
            place = f"the machine {machine['NodeManagerAddress']} of the Ray cluster"
            try:
                theirs = ray.get(answer, timeout=CHECKING)
            except ray.exceptions.RayError as error:
                why = in_one_line(getattr(error, "cause", None) or error)
                raise ValueError(
                    f"{place} cannot run pokerspiel {version('pokerspiel')}: {why}"
                ) from None
            check_same(place, theirs)

    def share(self, value: Any) -> Shared:
        return _SharedObject(self._ray.put(value))

    def close(self) -> None:
        with _handler_of_sigterm_kept():
            self._ray.shutdown()
        if self._ender is not None:
            self._ender.communicate()
            self._ender = None

    def _start(self, work: Callable[[Any], Any], job: Any) -> Any:
        file = io.BytesIO()
        pickler = _Pickler(file)
        pickler.dump((work, job))
        return self._task.remote(file.getvalue(), pickler.references)

    def _ended(self, attempts: list[Any], seconds: float) -> list[Any]:
        ended, _ = self._ray.wait(attempts, num_returns=1, timeout=seconds)
        return list(ended)

    def _outcome(self, attempt: Any) -> Outcome:
        errors = self._ray.exceptions
        try:
            outcome: Outcome = pickle.loads(self._ray.get(attempt))
            return outcome
        except errors.RayTaskError as error:
            return Outcome(error=in_one_line(error.cause))
        except errors.OutOfMemoryError:
            words = "Ray killed the process: its machine has too little memory"
        except errors.NodeDiedError:
            words = "the machine of the process is lost"
        except errors.WorkerCrashedError:
            words = "the process died"
        except errors.RayError as error:
            words = in_one_line(error)
        return Outcome(error=words, died=True)

    def _kill(self, attempts: list[Any]) -> None:
        for attempt in attempts:
            with contextlib.suppress(self._ray.exceptions.RayError):
                self._ray.cancel(attempt, force=True)


def _is_loopback(address: str) -> bool:
    host = address.removeprefix("ray://").rpartition(":")[0].strip("[]")
    return host in ("localhost", "::1") or host.startswith("127.")


def _import_ray(loopback: bool) -> Any:
    """Ray; ValueError if it is not installed."""
    try:
        with environment({**QUIET, **(LOOPBACK if loopback else {})}):
            import ray
            import ray.util.scheduling_strategies
    except ImportError:
        raise ValueError(MISSING) from None
    # It would print to standard output that a worker has died, which is told by the job's end.
    ray._private.worker._worker_logs_enabled = False
    return ray


@lru_cache(maxsize=1)
def _token() -> str:
    """What a Ray started here asks for; one for this process, since Ray reads it only once."""
    return os.environ.get(TOKEN) or secrets.token_hex(32)


@contextlib.contextmanager
def _handler_of_sigterm_kept() -> Iterator[None]:
    """Ray puts one of its own in its place."""
    main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if main:
            signal.signal(signal.SIGTERM, handler)


def address_of(on: str) -> str:
    """Ray's address of a cluster, from `on` as for `open_workers`.

    ValueError if nothing listens there: Ray itself would try for minutes.
    """
    address = on if on.startswith("ray://") else on.removeprefix("ray:")
    if address == "auto":
        return address
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(f"Ray cluster {address!r}: expected an address such as host:6379")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECTING).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"no Ray cluster at {address!r}: {in_one_line(error)}") from None
    return address


# What a machine of a cluster has to agree on.


def installed() -> dict[str, str]:
    """The versions that results depend on, and the hash of all compiled functions."""
    from pokerspiel.games.compiled import CACHE_FOLDER

    return {
        "Python": platform.python_version(),
        "pokerspiel": version("pokerspiel"),
        "kernels": CACHE_FOLDER.name,
    }


def check_same(place: str, theirs: dict[str, str]) -> None:
    """Raise ValueError, in one line, if `place` has other versions than this process."""
    ours = installed()
    differ = [
        f"{name} {theirs.get(name)}, not {value}"
        for name, value in ours.items()
        if theirs.get(name) != value
    ]
    if differ:
        raise ValueError(f"{place} has {'; '.join(differ)}: install the same there")


# In the processes of Ray.


def _serve(task: bytes, references: list[Any]) -> bytes:
    return do_pickled(task, lambda data: _Unpickler(io.BytesIO(data), references).load())


@dataclass(frozen=True)
class _SharedObject(Shared):
    """A value in Ray's object store."""

    reference: Any

    def load(self) -> Any:
        import ray

        return ray.get(self.reference)


class _Pickler(pickle.Pickler):
    """Leaves references to shared values to Ray, which keeps count of them."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=5)
        self.references: list[Any] = []

    def persistent_id(self, obj: Any) -> int | None:
        if not isinstance(obj, _SharedObject):
            return None
        self.references.append(obj.reference)
        return len(self.references) - 1


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, references: list[Any]) -> None:
        super().__init__(file)
        self._references = references

    def persistent_load(self, pid: Any) -> Any:
        return _SharedObject(self._references[pid])
