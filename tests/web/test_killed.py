"""A server process that is killed at any moment: no finished hand is lost, no action undone."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError

from tests.web.pages import Site

SERVE = "from pokerspiel.experiments.cli import main; main()"


@contextmanager
def serving(data: Path) -> Iterator[tuple[Site, subprocess.Popen[str]]]:
    """A server in a process of its own; it must be ended."""
    words = ("serve", "--port", "0", "--data", str(data), "--rate", "100000")
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, *words], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("http"), line
        site = Site(line.split()[0].rstrip("/"))
        for _ in range(200):
            try:
                site.call("view", token="none")
            except URLError as error:
                if hasattr(error, "code"):  # it answers, with a refusal
                    break
                time.sleep(0.05)
        yield site, process


def play_on(site: Site, view: dict[str, Any], answers: list[dict[str, Any]]) -> None:
    """Play until the server is gone; `answers` gets all that it said."""
    luck = random.Random(len(answers))
    try:
        while True:
            if view["over"]:
                view = site.call("new_hand", token=view["token"])
            else:
                action = luck.choice(view["actions"])["name"]
                view = site.call("act", token=view["token"], action=action)
            answers.append(view)
    except OSError:
        return


def test_nothing_that_was_answered_is_lost(tmp_path: Path) -> None:
    answers: list[dict[str, Any]] = []
    for seconds in (0.4, 0.7):
        with serving(tmp_path) as (site, process):
            if answers:
                check(site, answers)
            else:
                answers.append(site.call("new_hand", game="svara(players=3)", against=["equity"]))
            player = threading.Thread(target=play_on, args=(site, answers[-1], answers))
            player.start()
            time.sleep(seconds)
            process.kill()
            player.join()
    with serving(tmp_path) as (site, process):
        check(site, answers)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert "Traceback" not in err and process.returncode == 130


def check(site: Site, answers: list[dict[str, Any]]) -> None:
    """The hands that were finished are there, and the last one is as it was, or further on."""
    token = answers[-1]["token"]
    finished = {view["hand"]: view["returns"][view["seat"]] for view in answers if view["over"]}
    hands = site.call("hands", token=token)["hands"]
    kept = {hand["number"]: hand["won"] for hand in hands}
    assert len(finished) > 3
    assert finished == {number: kept[number] for number in finished}
    last, now = answers[-1], site.call("view", token=token)
    if now["hand"] == last["hand"]:
        assert now["events"][: len(last["events"])] == last["events"]
    else:
        assert now["hand"] == last["hand"] + 1 and last["over"]
