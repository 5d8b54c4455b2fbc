"""`pokerspiel exploit --bound`: a lower bound on what a perfect opponent wins from a bot.

For bots of games that are too large to be measured exactly. An opponent made to exploit the bot
plays it; what it wins on average, a best response wins as well, and perhaps more.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.arena import MatchResult, play_match
from pokerspiel.agents.best_responder import BestResponder
from pokerspiel.agents.bot_file import save_bot
from pokerspiel.agents.learned_responder import LearnedResponder
from pokerspiel.agents.local_best_response import LocalBestResponse
from pokerspiel.agents.ranges import PARTICLES
from pokerspiel.agents.roster import find_bot
from pokerspiel.agents.spiel_table import is_ours
from pokerspiel.experiments.exploit import measured_game
from pokerspiel.experiments.export import write_bot
from pokerspiel.experiments.game_choice import with_usual_abstraction
from pokerspiel.experiments.match_tables import interval_text
from pokerspiel.experiments.options import bytes_text
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.experiments.run_folder import check_writable
from pokerspiel.experiments.train_neural import ABSTRACTIONS
from pokerspiel.games.variants import Game, exact, load
from pokerspiel.solvers.mccfr import DEFAULT_MEMORY_LIMIT, Progress
from pokerspiel.solvers.solver import Progress as SolverProgress
from pokerspiel.solvers.table import visited_sets

INTERRUPTED = 130
DEFINITION = (
    "won by the opponent per hand, mean of all seats; on average at most the exploitability, "
    "NashConv / number of players"
)


@dataclass(frozen=True)
class Options:
    """How a bound is found."""

    hands: int
    seed: int = 0
    memory_limit: int = DEFAULT_MEMORY_LIMIT
    """Bytes that a trained responder may take."""
    particles: int = PARTICLES
    """Deals that a local best response keeps in mind."""
    time: float = 60.0
    """Seconds for which a responder is trained."""
    threads: int = 1
    """Threads that train it."""
    device: str = "auto"
    """Where a network learns."""
    responder: str | None = None
    """Game string with the abstraction that it learns in; None: the abstraction of the bot."""
    response: Path | None = None
    """Bot file to which it is written."""


@dataclass(frozen=True)
class Opponent:
    """Who plays a bot to find what can be won from it."""

    agent: Agent
    about: Mapping[str, Any]
    """How it was made, as JSON values."""
    words: str = ""
    """The same for people, where there is something to tell."""


def _local(target: CompiledAgent, game: Game, options: Options, quiet: bool) -> Opponent:
    agent = LocalBestResponse(target, options.particles)
    return Opponent(agent, {"particles": options.particles})


def _trained(target: CompiledAgent, game: Game, options: Options, quiet: bool) -> Opponent:
    if options.response is not None:
        check_writable(options.response)
    responder = BestResponder(
        target,
        _abstract_game(target, game, options.responder),
        options.seed,
        options.threads,
        options.memory_limit,
    )
    try:
        _train(responder, options, quiet)
    finally:
        if options.response is not None and visited_sets(responder.state.table) > 0:
            algorithm = f"MCCFR against {target.name}, linear weights"
            write_bot(options.response, responder.game, responder.state, algorithm=algorithm)
            note(f"{options.response}: a {responder.name}", quiet)
    end = responder.progress()
    return Opponent(
        responder.bot(),
        {
            "responder": str(responder.game),
            "abstraction": responder.game.abstraction,
            "iterations": end.iteration,
            "training_seconds": end.seconds,
            "information_sets": end.information_sets,
        },
        f"The responder was trained for {end.seconds:.1f} s, {end.iteration:,} iterations, on "
        f"{end.information_sets:,} information sets, in {responder.game} with the abstraction "
        f"{responder.game.abstraction}",
    )


def _train(responder: BestResponder, options: Options, quiet: bool) -> None:
    """Train it for its time, or until its memory is full."""

    def show(now: Progress) -> None:
        report.show(
            now.seconds / options.time,
            f"{now.iteration:,} iterations, {now.information_sets:,} information sets, "
            f"{bytes_text(now.bytes)}",
        )

    with ProgressReport(f"{responder.game}: {responder.name}", quiet) as report:
        try:
            status = responder.run(seconds=options.time, on_progress=show)
        except KeyboardInterrupt:
            note(f"interrupted after {responder.state.iteration:,} iterations")
            raise
    if status == "full":
        limit = bytes_text(options.memory_limit)
        note(f"the memory limit of {limit} ended the training; --memory-limit allows more")


def _learned(target: CompiledAgent, game: Game, options: Options, quiet: bool) -> Opponent:
    if options.response is not None:
        check_writable(options.response)
    text = options.responder
    if text is None and target.game is None:
        text = str(with_usual_abstraction(str(game), None, ABSTRACTIONS))
    responder = LearnedResponder(
        target,
        _abstract_game(target, game, text),
        options.seed,
        options.threads,
        options.device,
    )
    solver = responder.solver

    def show(now: SolverProgress) -> None:
        share = now.seconds / options.time
        report.show(share, f"{now.iteration:,} iterations, {now.nodes:,} decisions")

    with ProgressReport(f"{responder.game}: {responder.name}", quiet) as report:
        try:
            solver.run(seconds=options.time, on_progress=show)
        except KeyboardInterrupt:
            note(f"interrupted after {solver.iteration:,} iterations")
            raise
        finally:
            if options.response is not None and solver.iteration > 0:
                _save_learned(responder, target, options.response)
    bot = responder.bot()
    about = {
        "responder": str(responder.game),
        "abstraction": responder.game.abstraction,
        "iterations": solver.iteration,
        "decisions": solver.nodes,
        "training_seconds": solver.seconds,
    }
    return Opponent(
        bot,
        about,
        f"The responder is a network that learnt for {solver.seconds:.1f} s, {solver.nodes:,} "
        f"decisions, in {responder.game} with the abstraction {responder.game.abstraction}",
    )


def _save_learned(responder: LearnedResponder, target: Agent, path: Path) -> None:
    solver = responder.solver
    save_bot(
        path,
        responder.game,
        responder.bot().table,
        algorithm=f"ppo against {target.name}",
        seed=solver.seed,
        iterations=solver.iteration,
        nodes=solver.nodes,
        seconds=solver.seconds,
    )
    note(f"{path}: a {responder.name}")


def _abstract_game(target: CompiledAgent, game: Game, text: str | None) -> Game:
    """The game that a responder learns in; ValueError, in one line, if it is another one."""
    if text is None:
        return target.game or game
    learns = load(text)
    if str(exact(learns)) != str(game):
        raise ValueError(f"--responder {text}: expected {game}, with any abstraction")
    return learns


@dataclass(frozen=True)
class Bound:
    """A way to find a bound."""

    make: Callable[[CompiledAgent, Game, Options, bool], Opponent]
    """Makes the opponent of a bot in a game; tells about its progress unless it is to be quiet."""
    hands: int
    """Hands that are played unless another number is asked for."""
    options: tuple[str, ...]
    """The options for which it has a use."""
    players: int | None = 2
    """Players of the games that it can be found in; None: any number."""


BOUNDS: Mapping[str, Bound] = MappingProxyType(
    {
        "local": Bound(_local, 2_000, ("particles",)),
        "trained": Bound(_trained, 200_000, ("time", "threads", "responder", "response")),
        "learned": Bound(
            _learned, 200_000, ("time", "threads", "responder", "response", "device"), None
        ),
    }
)


def options_of(bound: str, seed: int, memory_limit: int, given: Mapping[str, Any]) -> Options:
    """The options of a bound; ValueError names one of those `given` for which it has no use."""
    if bound not in BOUNDS:
        near = difflib.get_close_matches(bound, BOUNDS, 1) or list(BOUNDS)
        raise ValueError(f"unknown bound {bound!r}: expected {' or '.join(near)}")
    about = BOUNDS[bound]
    for name, value in given.items():
        if name not in ("hands", *about.options):
            raise ValueError(f"--{name} {value}: --bound {bound} has no use for it")
    return Options(**{"hands": about.hands, **given}, seed=seed, memory_limit=memory_limit)


def run(
    bot: str,
    game_text: str | None,
    settings: Sequence[str] | None,
    bound: str,
    options: Options,
    json: bool,
    quiet: bool,
) -> int:
    target = find_bot(bot)
    game = _checked_game(target, measured_game(target, game_text, settings), bound)
    assert isinstance(target, CompiledAgent)
    opponent = BOUNDS[bound].make(target, game, options, quiet)
    with ProgressReport(f"{game}: {opponent.agent.name}", quiet) as report:
        result = play_match(
            [opponent.agent, *[target] * (game.players - 1)],
            game,
            options.hands,
            options.seed,
            lambda done, total: report.show(done / total, f"{done:,} of {total:,} hands"),
        )
    document = to_json(result, bound, opponent)
    if json:
        print_json(document)
    else:
        print_result(document, opponent.words)
    if not result.complete:
        note(f"interrupted after {result.hands:,} of {options.hands:,} hands")
    return 0 if result.complete else INTERRUPTED


def _checked_game(target: Agent, text: str, bound: str) -> Game:
    """The game of a game string; ValueError, in one line, if no bound can be found in it."""
    if not is_ours(text):
        raise ValueError(f"{text} is one of OpenSpiel's games: bounds are for this package's")
    game = load(text)
    if BOUNDS[bound].players not in (None, game.players):
        raise ValueError(
            f"{game} is for {game.players} players: --bound {bound} is for games for two, "
            "--bound learned for any"
        )
    if not isinstance(target, CompiledAgent):
        raise ValueError(f"{target.name} is no bot with a table: its strategy is not known")
    return game


def to_json(result: MatchResult, bound: str, opponent: Opponent) -> dict[str, Any]:
    """What the opponent won, in thousandths of an ante or a big blind."""
    won = result.players[0]
    return {
        "bot": result.players[1].name,
        "game": result.game,
        "bound": bound,
        "exact": False,
        "opponent": won.name,
        "mbb_per_hand": won.score.mbb_per_hand,
        "ci95": won.score.ci95,
        "seats": [score.mbb_per_hand for score in won.seats],
        "unit": result.unit,
        "definition": DEFINITION,
        **opponent.about,
        "seed": result.seed,
        "hands": result.hands,
        "complete": result.complete,
        "seconds": result.seconds,
    }


def print_result(document: dict[str, Any], words: str) -> None:
    unit = "milli-antes" if document["unit"] == "ante" else "thousandths of a big blind"
    won = [document["mbb_per_hand"], *document["seats"]]
    mean, *seats = ("" if value is None else f"{value:+,.0f}" for value in won)
    print_table(
        f"{document['opponent']} in {document['game']}: {document['hands']:,} hands, "
        f"mbb are {unit}",
        ("", "mbb/hand>"),
        [
            ("it wins", mean),
            ("95 % interval", interval_text(document["ci95"])),
            *((f"in seat {seat}", value) for seat, value in enumerate(seats)),
        ],
    )
    if words:
        print(words)
    print(
        "A lower bound, by sampling, on what a best response wins; not the exact exploitability "
        f"of {document['bot']}"
    )
