"""Compile every kernel once: `python -m pokerspiel.experiments.warm [GAME ...]`.

Later processes load the machine code from the cache. Each family is compiled by playing, training
and measuring a little with it, through the commands themselves; two processes share the work.
"""

from __future__ import annotations

import contextlib
import io
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pokerspiel.experiments.output import note
from pokerspiel.games.compiled import CACHE_FOLDER

SOLVERS = "solvers"
LOOKUPS = "lookups"
JOBS = ("sviten_special", "svara", SOLVERS, "leduc", "kuhn", LOOKUPS)
"""What one process compiles: a game of each family, the solvers of trees, what is looked up; the
longest first."""
SMALL = {"svara": "mini_svara", "sviten_special": "mini_sviten"}
"""Games of the same families whose trees are small."""

_MARK = CACHE_FOLDER / "warm"
"""Says that all kernels of this version have been compiled."""

Step = tuple[str, Callable[[], object]]


def warm_up_once(quiet: bool = False) -> None:
    """`warm_up`, unless it has been done for this version of the kernels."""
    if not _MARK.exists():
        warm_up(quiet)


def warm_up(quiet: bool = False) -> None:
    """Compile all kernels in two processes. Raises RuntimeError if one of them fails."""
    with ThreadPoolExecutor(2) as pool:
        statuses = list(pool.map(lambda job: _process(job, quiet), JOBS))
    if any(statuses):
        raise RuntimeError("a kernel could not be compiled: see above")
    _MARK.touch()


def _process(job: str, quiet: bool) -> int:
    """Compile for one job in a process of its own; its exit status."""
    command = [sys.executable, "-m", "pokerspiel.experiments.warm", job]
    return subprocess.run([*command, "--quiet"] if quiet else command, check=False).returncode


def main(games: Sequence[str], quiet: bool) -> None:
    """Compile the kernels for `games`, one after the other; what is done is told on stderr."""
    with tempfile.TemporaryDirectory() as folder:
        for game in games:
            for what, step in steps(game, Path(folder)):
                start = time.perf_counter()
                with contextlib.redirect_stdout(io.StringIO()):
                    step()
                note(f"{game}: {what} {time.perf_counter() - start:.1f} s", quiet)


def steps(game: str, folder: Path) -> Iterator[Step]:
    """What is done for a job, with its name."""
    if game == LOOKUPS:
        return _lookup_steps()
    return _solver_steps(folder) if game == SOLVERS else _game_steps(game, folder)


def _solver_steps(folder: Path) -> Iterator[Step]:
    """Every kind of solver on trees, for two players and for three."""
    three = "kuhn(players=3)"
    for game, algorithms in (
        ("leduc", ("dcfr", "cfr-br", "xfp", "mmd", "external-sampling", "outcome-sampling")),
        (three, ("external-sampling", "outcome-sampling")),
    ):
        for algorithm in algorithms:
            words = ("solve", game, "--algorithm", algorithm, "--iterations", "2", "-q")
            yield f"{game} {algorithm}", partial(_command, *words)
    yield "bot file", partial(_command, "solve", "leduc", "--out", str(folder / "solve"), "-q")


def _lookup_steps() -> Iterator[Step]:
    """Hands, showdowns and the calculator, and a responder that is trained against a bot."""
    hand = partial(_command, "hand")
    yield "hand of Svara", partial(hand, "svara", "7c9sJs", "AsAhKd")
    yield "hand of Sviten", partial(hand, "sviten_special", *_HANDS, "--board", "2h7h4c")
    yield "showdown of Svara", partial(_command, *_SVARA_SHOWDOWN)
    yield "showdown of Sviten", partial(_command, *_SVITEN_SHOWDOWN)
    yield "evaluators", _evaluators
    yield "calculator", _calculator
    bound = ("--bound", "trained", "--time", "0.1", "--hands", "4", "-q")
    yield "trained bound", partial(_command, "exploit", "tight", "--game", "mini_sviten", *bound)


def _game_steps(game: str, folder: Path) -> Iterator[Step]:
    run, bot = str(folder / game), str(folder / f"{game}.pspiel")
    histories = str(folder / "histories")
    yield "rules, OpenSpiel", lambda: _spiel_hands(game)
    yield "play-outs", lambda: _play_outs(game)
    yield "training", lambda: _command("train", game, "--out", run, "--iterations", "20", "-q")
    yield "resuming", lambda: _command("resume", run, "--iterations", "20", "-q")
    yield "bot file", lambda: _command("export", run, "-o", bot, "-q")
    yield "match", lambda: _command(*_MATCH, bot, "--histories", histories)
    yield "play", lambda: _play(game, bot)
    yield "advice", lambda: _advice(game)
    yield "pyspiel bots", lambda: _spiel_bots(game, bot)
    if find_spec("torch") is not None:
        yield "networks", lambda: _networks(SMALL.get(game, game), folder)
    yield "exploit", lambda: _command("exploit", "always-call", "--game", SMALL.get(game, game))
    if game == "svara":
        chart = str(folder / "chart")
        words = (
            "solve",
            "mini_svara(abstraction=hands)",
            "--out",
            chart,
            "--iterations",
            "2",
            "-q",
        )
        yield "deals", lambda: _command(*words)
        yield "deals of a bot", lambda: _command("exploit", "tight", "--game", "svara(stack=3)")


_MATCH = ("match", "tight", "--hands", "4", "-q")
_HANDS = ("AsAdKcKs9c", "QhTh8c6s3d")
_SVARA_SHOWDOWN = (
    *("showdown", "svara", "--hands", "7c9sJs", "AsAhKd"),
    *("--contributions", "10", "20"),
)
_SVITEN_SHOWDOWN = (
    *("showdown", "sviten_special", "--hands", *_HANDS, "--board", "2h7hJh4c5d"),
    *("--contributions", "10", "20"),
)


def _command(*words: str) -> None:
    from pokerspiel.experiments import cli

    status = cli.run(words)
    if status != 0:
        raise RuntimeError(f"pokerspiel {' '.join(words)} ends with status {status}")


def _networks(game: str, folder: Path) -> None:
    """A few iterations of the neural algorithms whose kernels are of the game's family."""
    from pokerspiel.games.variants import load
    from pokerspiel.solvers.neural.catalogue import new_solver

    small = {"width": "8", "batch": "16"}
    new_solver(load(game), "ppo", {**small, "hands": "4"}).run(iterations=1)
    new_solver(load(game), "sd-cfr", {**small, "traversals": "2", "updates": "1"}).run(iterations=1)
    bound = ("--bound", "learned", "--time", "0.1", "--hands", "4", "-q")
    _command("exploit", "always-call", "--game", game, *bound)


def _spiel_hands(name: str) -> None:
    """Random hands through the adapter, with all that it can be asked."""
    import pyspiel

    from pokerspiel.games import openspiel  # noqa: F401, registers the game

    game = pyspiel.load_game(name)
    for seed in range(3):
        luck = random.Random(seed)
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() >= 0:
                state.information_state_string()
                state.information_state_tensor()
                state.observation_tensor()
            state = state.child(luck.choice(state.legal_actions()))
        state.returns()


def _play_outs(game: str) -> None:
    from pokerspiel.experiments.bench_speed import kernel_moves

    kernel_moves(game, 0.0, 0)


def _play(game: str, bot: str) -> None:
    """A few hands against a bot, with the first action every time."""
    keyboard, sys.stdin = sys.stdin, io.StringIO("1\n" * 20)
    try:
        _command("play", game, "--against", bot, "--seed", "1")
    finally:
        sys.stdin = keyboard


def _advice(game: str) -> None:
    """What a bot would do at the first decision of a hand, valued by play-outs."""
    from pokerspiel.agents.roster import find_agent
    from pokerspiel.agents.table.advice import advice
    from pokerspiel.agents.table.live_hand import LiveHand
    from pokerspiel.games.variants import load

    played = load(f"{game}(players=3)")  # for two the values of Svara are exact
    hand = LiveHand(played, 1)
    advice(hand, hand.turn, find_agent("tight", played), seconds=None, playouts=2)


def _spiel_bots(name: str, bot: str) -> None:
    """A table bot as a `pyspiel.Bot`."""
    import pyspiel

    from pokerspiel.agents.roster import find_agent

    game = pyspiel.load_game(name)
    bots: list[Any] = [find_agent(bot).as_spiel_bot(game, player, 0) for player in range(2)]
    state = game.new_initial_state()
    while not state.is_terminal():
        player = state.current_player()
        state.apply_action(state.legal_actions()[0] if player < 0 else bots[player].step(state))


def _calculator() -> None:
    from pokerspiel.experiments.web.calculator import compile_kernels

    compile_kernels()


def _evaluators() -> None:
    from pokerspiel.experiments.bench_speed import five_card_rate, omaha_rate

    five_card_rate(0.0, 0)
    omaha_rate(0.0, 0)


if __name__ == "__main__":
    named = [word for word in sys.argv[1:] if word != "--quiet"]
    if named:
        main(named, quiet="--quiet" in sys.argv)
    else:
        warm_up(quiet="--quiet" in sys.argv)
