"""`pokerspiel resume`: go on with a run of `train` or of `solve`."""

from __future__ import annotations

from pathlib import Path

from pokerspiel.experiments.run_folder import NEURAL, SOLVED, RunFolder


def run(
    path: Path,
    limits: tuple[float | None, int | None, float | None],
    threads: int | None,
    memory_limit: str | None,
    json: bool,
    quiet: bool,
) -> int:
    """Go on; `limits` are the seconds, iterations and exploitability asked for now."""
    with RunFolder(path) as folder:
        return _resume(folder, limits, threads, memory_limit, json, quiet)


def _resume(
    folder: RunFolder,
    limits: tuple[float | None, int | None, float | None],
    threads: int | None,
    memory_limit: str | None,
    json: bool,
    quiet: bool,
) -> int:
    path = folder.path
    time, iterations, until = limits
    if folder.kind == SOLVED:
        from pokerspiel.experiments import solve

        return solve.resume(folder, limits, threads, memory_limit, json, quiet)
    if until is not None:
        raise ValueError(f"--until {until:g}: {path} is a run of `train`, which computes none")
    if folder.kind == NEURAL:
        from pokerspiel.experiments import train_neural

        if memory_limit is not None:
            raise ValueError(f"--memory-limit {memory_limit}: {path} has networks, no table")
        return train_neural.resume(folder, time, iterations, threads, json, quiet)
    from pokerspiel.experiments import train

    return train.resume(path, time, iterations, threads, memory_limit, json, quiet)
