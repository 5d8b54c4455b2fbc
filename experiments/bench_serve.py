"""`pokerspiel bench serve`: how long many tables at once wait for their bots.

A server in a process of its own, and a guest at each table who thinks for a random while and then
acts at random, over the socket of the page. What is measured is the time from an action to the
answer, bots, disk and the way there and back included.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import connect

from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.output import note, print_json, print_table

GAMES = (
    ("svara", "svara-home"),
    ("sviten_special", "sviten-limit"),
    ("svara(players=5)", "equity"),
    ("sviten_special(players=6)", "equity"),
)
"""What the tables play, in turn: the game and the bots."""
RATE = 100_000
"""Requests a second that the server allows the one client that plays all tables."""
START_SECONDS = 60.0


@dataclass
class Waits:
    """What the guests of one game met."""

    seconds: list[float] = field(default_factory=list)
    """From each action to its answer."""
    hands: int = 0
    errors: int = 0


def run(tables: int, seconds: float, think: float, seed: int, json_: bool, quiet: bool) -> None:
    """Play `tables` tables for so long; guests think `think` seconds at the mean."""
    with tempfile.TemporaryDirectory() as folder, _server(Path(folder), seed) as url:
        note(f"{tables} tables for {seconds:g} s at {url}", quiet)
        waits = {game: Waits() for game, _ in GAMES}
        start = time.perf_counter()
        asyncio.run(_play(url, tables, seconds, think, seed, waits))
        took = time.perf_counter() - start
    document = {
        "tables": tables,
        "seconds": took,
        "think_seconds": think,
        "rows": [_row(game, bot, waits[game], took) for game, bot in GAMES],
        "all": _row("all", "", _together(list(waits.values())), took),
        **origin(),
    }
    if json_:
        print_json(document)
    else:
        _print(document)


def _together(parts: Sequence[Waits]) -> Waits:
    whole = Waits()
    for part in parts:
        whole.seconds += part.seconds
        whole.hands += part.hands
        whole.errors += part.errors
    return whole


def _row(game: str, bot: str, waits: Waits, took: float) -> dict[str, Any]:
    names = {"p50": 50, "p90": 90, "p99": 99, "longest": 100}
    row: dict[str, Any] = {
        "game": game,
        "bots": bot,
        "answers": len(waits.seconds),
        "answers_per_second": len(waits.seconds) / took,
        "hands": waits.hands,
        "errors": waits.errors,
    }
    for name, share in names.items():
        known = bool(waits.seconds)
        row[f"{name}_ms"] = 1000 * float(np.percentile(waits.seconds, share)) if known else None
    return row


def _print(document: dict[str, Any]) -> None:
    columns = ("game", "bots", "answers>", "hands>", "errors>", "p50 ms>", "p99 ms>", "longest>")
    rows = []
    for row in [*document["rows"], document["all"]]:
        times = [row[f"{name}_ms"] for name in ("p50", "p99", "longest")]
        words = ["" if t is None else f"{t:.1f}" for t in times]
        counts = [f"{row[name]:,}" for name in ("answers", "hands", "errors")]
        rows.append((row["game"], row["bots"], *counts, *words))
    title = f"{document['tables']} tables, {document['seconds']:.0f} s, from action to answer"
    print_table(title, columns, rows)


# The server.


@contextmanager
def _server(folder: Path, seed: int) -> Iterator[str]:
    """A server in a process of its own; its address."""
    words = ("serve", "--port", "0", "--data", str(folder), "--seed", str(seed))
    limits = ("--rate", str(RATE))
    program = "from pokerspiel.experiments.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words, *limits],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        if not line.startswith("http"):
            raise RuntimeError(f"the server does not start: {line.strip()}")
        url = line.split()[0].rstrip("/")
        _wait_for(url)
        yield url
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _wait_for(url: str) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"{url}/api/bots", timeout=5).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise RuntimeError(f"no answer from {url}") from None
            time.sleep(0.05)


# The guests.


async def _play(
    url: str, tables: int, seconds: float, think: float, seed: int, waits: dict[str, Waits]
) -> None:
    end = time.perf_counter() + seconds
    async with asyncio.TaskGroup() as group:
        for i in range(tables):
            game, bot = GAMES[i % len(GAMES)]
            luck = random.Random(f"{seed} {i}")
            group.create_task(_guest(url, game, bot, end, think, luck, waits[game]))


async def _guest(
    url: str, game: str, bot: str, end: float, think: float, luck: random.Random, waits: Waits
) -> None:
    token = await asyncio.to_thread(_new_table, url, game, bot)
    async with connect(url.replace("http", "ws") + "/ws", max_size=None) as socket:
        await socket.send(json.dumps({"type": "join", "token": token}))
        view = _last_view(await socket.recv())
        while time.perf_counter() < end:
            await asyncio.sleep(luck.expovariate(1.0 / think) if think else 0.0)
            start = time.perf_counter()
            await socket.send(json.dumps(_message(view, luck)))
            answer = _last_view(await socket.recv())
            waits.seconds.append(time.perf_counter() - start)
            if answer is None:
                waits.errors += 1
                continue
            waits.hands += answer["over"]
            view = answer


def _new_table(url: str, game: str, bot: str) -> str:
    body = json.dumps({"game": game, "against": [bot]}).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{url}/api/new_hand", body, headers)
    with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:
        return str(json.load(answer)["token"])


def _message(view: dict[str, Any] | None, luck: random.Random) -> dict[str, str]:
    """Deal the next hand, or act: seldom by folding, so that hands last."""
    if view is None or view["over"]:
        return {"type": "deal"}
    names = [action["name"] for action in view["actions"]]
    if len(names) > 1 and names[0] == "fold" and luck.random() < 0.8:
        names = names[1:]
    return {"type": "act", "action": luck.choice(names)}


def _last_view(message: str | bytes) -> dict[str, Any] | None:
    """The hand as it stands after a message; None for an error."""
    document = json.loads(message)
    if document["type"] == "error":
        return None
    view: dict[str, Any] = document["frames"][-1]["view"]
    return view
