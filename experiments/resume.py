"""`pokerspiel resume`: go on with a run of `train` or of `solve`."""

from __future__ import annotations

from pathlib import Path

from pokerspiel.experiments.options import refuse_given
from pokerspiel.experiments.run_folder import NEURAL, SOLVED, RunFolder


def run(
    path: Path,
    limits: tuple[float | None, int | None, float | None],
    threads: int | None,
    memory_limit: str | None,
    workers: tuple[int | None, str | None],
    json: bool,
    quiet: bool,
) -> int:
    """Go on; `limits` are the seconds, iterations and exploitability asked for now.

    `workers` are how many, and who they are; None: as before.
    """
    with RunFolder(path) as folder:
        return _resume(folder, limits, threads, memory_limit, workers, json, quiet)


def _resume(
    folder: RunFolder,
    limits: tuple[float | None, int | None, float | None],
    threads: int | None,
    memory_limit: str | None,
    workers: tuple[int | None, str | None],
    json: bool,
    quiet: bool,
) -> int:
    path = folder.path
    time, iterations, until = limits
    if folder.kind == SOLVED:
        from pokerspiel.experiments import solve

        refuse_given("a run of `solve`", workers=(workers[0], None), on=(workers[1], None))
        return solve.resume(folder, limits, threads, memory_limit, json, quiet)
    if until is not None:
        raise ValueError(f"--until {until:g}: {path} is a run of `train`, which computes none")
    if folder.kind == NEURAL:
        from pokerspiel.experiments import train_neural

        if memory_limit is not None:
            raise ValueError(f"--memory-limit {memory_limit}: {path} has networks, no table")
        return train_neural.resume(folder, time, iterations, threads, *workers, json, quiet)
    from pokerspiel.experiments import train

    return train.resume(path, time, iterations, threads, memory_limit, *workers, json, quiet)
