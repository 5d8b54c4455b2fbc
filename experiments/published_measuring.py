"""Measuring a published figure: its commands, as processes in an empty folder."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from pokerspiel.experiments.published import Figure, seeds_of
from pokerspiel.experiments.published_store import Measured

COMMAND = (sys.executable, "-c", "from pokerspiel.experiments.cli import main; main()")
LOOK_EVERY = 0.5
"""Seconds between two looks at a command that runs."""
GRACE = 15.0
"""Seconds that an interrupted command has to end by itself."""


class MeasuringError(Exception):
    """A command of a figure failed; the text is one line."""


def with_seed(command: str, seed: int) -> str:
    """The command with another seed, if it names one."""
    words = shlex.split(command)
    for i, word in enumerate(words[:-1]):
        if word == "--seed":
            words[i + 1] = str(seed)
    return shlex.join(words)


def measure(
    figure: Figure,
    docs: Path,
    seed: int | None = None,
    show: Callable[[float, str], None] = lambda share, text: None,
) -> Measured:
    """Run the commands of a figure from nothing; with another seed than theirs if one is given.

    `docs` is what they see as `docs`; `show` is told the share done and the command that runs.
    Raises MeasuringError if a command fails.
    """
    commands = figure.commands
    if seed is not None:
        commands = tuple(with_seed(command, seed) for command in commands)
    start = time.perf_counter()
    outputs = []
    with tempfile.TemporaryDirectory(prefix="pokerspiel-") as name:
        folder = Path(name)
        (folder / "docs").symlink_to(docs.resolve(), target_is_directory=True)
        for i, command in enumerate(commands):
            said = partial(show, i / len(commands), f"{figure.name}: pokerspiel {command}")
            outputs.append(_run(command, figure.as_text, folder, said))
    seeds = {one for command in commands for one in seeds_of(command)}
    seconds = time.perf_counter() - start
    return Measured(commands, tuple(sorted(seeds)), tuple(outputs), seconds)


def _run(command: str, as_text: bool, folder: Path, show: Callable[[], None]) -> Any:
    """The document that a command prints, or its output."""
    words = [*COMMAND, *shlex.split(command), *([] if as_text else ["--json"])]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        words,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    ) as process:
        try:
            out, err = _wait(process, show)
        except BaseException:
            _stop(process)
            raise
    if process.returncode != 0:
        why = (err.strip().splitlines() or ["no word of why"])[-1]
        status = f"ended with status {process.returncode}"
        raise MeasuringError(f"`pokerspiel {command}` {status}: {why.removeprefix('pokerspiel: ')}")
    if as_text:
        return out
    try:
        return json.loads(out)
    except ValueError:
        raise MeasuringError(f"`pokerspiel {command}` printed no JSON document") from None


def _wait(process: subprocess.Popen[str], show: Callable[[], None]) -> tuple[str, str]:
    while True:
        show()
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=LOOK_EVERY)


def _stop(process: subprocess.Popen[str]) -> None:
    """Let a command and its own processes end as by Ctrl-C, and kill them if they do not."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=GRACE)
            return
