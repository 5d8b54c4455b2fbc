"""`pokerspiel demo`: train a bot for each game, measure both, and write a report.

While the bots train, a second process measures on small games how far from an equilibrium
OpenSpiel's CFR+ and our MCCFR are. The folder holds the runs, the bot files, `results.json` with
all figures and `report.html`.
"""

from __future__ import annotations

import multiprocessing
import shutil
import signal
import time as clock
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.arena import play_match
from pokerspiel.agents.bot_file import Manifest
from pokerspiel.agents.roster import find_agent, find_bot
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.telling import Telling
from pokerspiel.experiments import train, warm
from pokerspiel.experiments.exact import Curves, measure_curves
from pokerspiel.experiments.exploit import measure
from pokerspiel.experiments.export import write_bot
from pokerspiel.experiments.machine import machine, versions
from pokerspiel.experiments.match_tables import interval_text
from pokerspiel.experiments.options import parse_bytes
from pokerspiel.experiments.output import json_text, note, print_json, print_table
from pokerspiel.experiments.report import write_report
from pokerspiel.experiments.run_folder import RunFolder, write_text
from pokerspiel.games.variants import Game, exact

RESULTS, REPORT = "results.json", "report.html"
OPPONENTS = ("random", "always-call", "tight", "equity")
SHIPPED = {"svara": "svara-home", "sviten_special": "sviten-limit"}
"""The bots of the package, which those of the demo meet as well."""
SMALL_GAMES = ("mini_svara", "mini_sviten", "leduc")
MEMORY_LIMIT = "2GiB"
INTERRUPTED = 130


@dataclass(frozen=True)
class Size:
    """How much is trained and played."""

    training: dict[str, float]
    """Seconds by game."""
    hands: dict[str, int]
    """Hands against each opponent."""
    iterations: tuple[int, ...]
    """Iterations of MCCFR on the small games at which exploitability is measured."""


FULL = Size(
    {"svara": 60.0, "sviten_special": 120.0},
    {"svara": 100_000, "sviten_special": 60_000},
    (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
)
QUICK = Size(
    {"svara": 2.0, "sviten_special": 4.0},
    {"svara": 2_000, "sviten_special": 1_000},
    (100, 1_000, 10_000),
)


def run(out: Path, threads: int, quick: bool, seed: int, json: bool, quiet: bool) -> int:
    start = clock.perf_counter()
    _clear(out)
    size = QUICK if quick else FULL
    note("compiling the kernels, unless that is done ...", quiet)
    warm.warm_up_once(quiet)
    try:
        with _second_process() as pool:
            curves = [
                pool.submit(measure_curves, name, size.iterations, seed) for name in SMALL_GAMES
            ]
            results = _measure(out, size, threads, seed, quiet, curves)
    except KeyboardInterrupt:
        note(f"interrupted; what is done so far is in {out}")
        return INTERRUPTED
    results["seconds"] = clock.perf_counter() - start
    write_text(out / RESULTS, json_text(results))
    write_report(out / REPORT, results)
    note(f"done in {results['seconds']:.0f} s: {out / REPORT}", quiet)
    if json:
        print_json(results)
    else:
        _print(results)
    return 0


def _print(results: dict[str, Any]) -> None:
    rows = [
        (
            match["bot"],
            match["opponent"],
            f"{match['hands']:,}",
            f"{match['players'][0]['mbb_per_hand']:+,.0f}",
            interval_text(match["players"][0]["ci95"]),
        )
        for match in results["matches"]
    ]
    columns = ["bot", "against", "hands>", "mbb/hand>", "95 % interval>"]
    print_table("Thousandths of a big blind or an ante", columns, rows)
    points = [
        (curves["game"], name, f"{point['iterations']:,}", f"{point['exploitability']:.4f}")
        for curves in results["curves"]
        for name, point in (("MCCFR", curves["mccfr"][-1]), ("CFR+", curves["cfr_plus"][-1]))
    ]
    columns = ["small game", "algorithm", "iterations>", "exploitability>"]
    print_table("Exact exploitability in big blinds or antes", columns, points)


@contextmanager
def _second_process() -> Iterator[ProcessPoolExecutor]:
    """A process beside this one, which ends with it whatever happens."""
    # A fresh one: numba's threads and a fork do not agree.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, context, signal.signal, (signal.SIGINT, signal.SIG_IGN))
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()


def _clear(out: Path) -> None:
    """Make room for the demo; a folder that holds something else is left alone."""
    in_use = out.exists() and (not out.is_dir() or any(out.iterdir()))
    if in_use and not (out / RESULTS).is_file():
        raise FileExistsError(f"{out} exists and is no earlier demo: choose another --out")
    for game in FULL.training:
        shutil.rmtree(out / game, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / RESULTS, "{}\n")


def _measure(
    out: Path,
    size: Size,
    threads: int,
    seed: int,
    quiet: bool,
    curves: Sequence[Future[Curves]],
) -> dict[str, Any]:
    """Everything that the report tells."""
    results: dict[str, Any] = {
        "seed": seed,
        "date": clock.strftime("%Y-%m-%d %H:%M UTC", clock.gmtime()),
        "machine": machine(),
        "versions": versions(),
        "threads": threads,
        "training": [],
        "matches": [],
        "examples": [],
    }
    for name, seconds in size.training.items():
        note(f"training {name} for {seconds:.0f} s ...", quiet)
        bot = out / f"{name}.pspiel"
        results["training"].append(_train(out / name, bot, name, seconds, threads, seed, quiet))
        matches = []
        for opponent in (*OPPONENTS, SHIPPED[name]):
            note(f"{name}: {size.hands[name]:,} hands against {opponent} ...", quiet)
            matches.append(_match(bot, opponent, size.hands[name], seed))
        _write_bot(out / name, bot, matches)
        results["matches"] += matches
        results["examples"].append(example_hand(bot, "tight", seed))
    note("the exact exploitability of the Svara bot, and of the solution ...", quiet)
    solved = (out / "svara.pspiel", SHIPPED["svara"])
    results["exploitability"] = [_exploitability(name) for name in solved]
    note("waiting for the exact measurements on the small games ...", quiet)
    results["curves"] = [asdict(future.result()) for future in curves]
    return results


def _train(
    folder: Path, bot: Path, name: str, seconds: float, threads: int, seed: int, quiet: bool
) -> dict[str, Any]:
    """Train in a run folder and write the bot; returns how it went."""
    plan = train.Plan(name, seconds, None, threads, MEMORY_LIMIT, seconds, seed)
    status = train.start(plan, folder, None, json=False, quiet=quiet)
    if status == train.INTERRUPTED:
        raise KeyboardInterrupt
    manifest = _write_bot(folder, bot, ())
    return {
        **asdict(manifest),
        "threads": threads,
        "bytes": bot.stat().st_size,
        "memory_full": status == train.MEMORY_FULL,
        "metrics": RunFolder(folder).metrics(),
    }


def _write_bot(folder: Path, bot: Path, matches: Sequence[dict[str, Any]]) -> Manifest:
    """Write the bot of a run, with its results in `matches` as its measured strength."""
    run = RunFolder(folder)
    game = run.game()
    strength = {
        match["opponent"]: {
            "hands": match["hands"],
            "seed": match["seed"],
            "mbb_per_hand": match["players"][0]["mbb_per_hand"],
            "ci95": match["players"][0]["ci95"],
        }
        for match in matches
    }
    return write_bot(bot, game, train.load_state(run, None), strength=strength or None)


def _match(bot: Path, opponent: str, hands: int, seed: int) -> dict[str, Any]:
    agent = find_agent(str(bot))
    assert agent.game is not None
    result = play_match([agent, find_agent(opponent)], exact(agent.game), hands, seed)
    if not result.complete:
        raise KeyboardInterrupt
    return {"bot": agent.name, "opponent": opponent, **result.to_json()}


def _exploitability(bot: Path | str) -> dict[str, Any]:
    """What a perfect opponent wins from a bot of heads-up Svara."""
    agent = find_bot(str(bot))
    return measure(agent, None, None, parse_bytes(MEMORY_LIMIT)).to_json(agent.name)


# One hand in words.

TRIES = 400


def example_hand(bot: Path, opponent: str, seed: int) -> dict[str, Any]:
    """A hand between a bot and an opponent that shows what is special in the game."""
    agents: list[Agent] = [find_agent(str(bot)), find_agent(opponent)]
    assert agents[0].game is not None
    game = exact(agents[0].game)
    told = [_tell_hand(game, agents, seed + i) for i in range(TRIES)]
    best = max(told, key=lambda hand: _interest(hand["lines"]))
    return {"game": str(game), "players": [agent.name for agent in agents], **best}


def _interest(lines: Sequence[str]) -> tuple[int, int]:
    """Hands with a svarka or a face-up card come first, then those shown down; short ones win."""
    text = "\n".join(lines)
    special = ("svarka" in text) + ("face up" in text) + ("blind:" in text)
    return 2 * special + ("shows" in text) + ("raise" in text), -len(lines)


def _tell_hand(game: Game, agents: Sequence[Agent], seed: int) -> dict[str, Any]:
    seats = []
    for agent in agents:
        assert isinstance(agent, CompiledAgent)
        seats.append(agent.sit(game))
    luck = np.random.default_rng(seed)
    hand = LiveHand(game, seed)
    while not hand.is_over:
        chances = seats[hand.turn].distribution(hand.states, hand.past, seed)
        hand.play(_sampled(chances, luck.random()))
    telling = Telling(game, [agent.name for agent in agents], None)
    lines = [line for step in hand.steps for line in telling.tell(step)]
    return {"seed": seed, "lines": lines, "returns": hand.returns}


def _sampled(chances: dict[int, float], mark: float) -> int:
    """The action at `mark` in [0, 1)."""
    for action, chance in chances.items():
        mark -= chance
        if mark < 0.0:
            return action
    return max(chances, key=lambda action: chances[action])
