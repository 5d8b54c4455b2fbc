"""Strength against training time, and against the number of buckets.

Bots are trained on the spot and meet the same opponents. Along time there is one training, which is
looked at as it goes on. Along buckets there is a training for each number, all equally long, in
centres that are built for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.roster import find_agent
from pokerspiel.experiments.abstract import parse_buckets
from pokerspiel.experiments.bench_bounds import bot_of, with_buckets
from pokerspiel.experiments.bench_matches import Player, winnings
from pokerspiel.experiments.kept_rows import KeptRows, Row
from pokerspiel.experiments.output import note
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.games.variants import Game, exact, load
from pokerspiel.solvers.mccfr import Mccfr, Progress

OPPONENTS = ("equity", "tight")
TIME, BUCKETS = "time", "buckets"
"""The two curves, by what lies along them."""


@dataclass(frozen=True)
class Plan:
    """What is trained, and for how long."""

    game: str
    """Of the curve along time; the other one is for the same game in other buckets."""
    times: tuple[float, ...]
    """Seconds, ascending."""
    buckets: tuple[int, ...]
    bucket_time: float
    """Seconds of training with each number of buckets."""
    samples: int
    """Hands from which centres are built."""
    hands: int
    """Hands of each match."""
    threads: int
    memory_limit: int
    seed: int


def curves(rows: KeptRows, plan: Plan, rival: Player | None, quiet: bool) -> None:
    """Both curves, against OPPONENTS and the bot `rival`."""
    game = load(plan.game)
    opponents = opponents_of(game, rival)
    for point in _points(game, plan, quiet):
        for opponent in opponents:
            settings = {**point.settings, "opponent": opponent.identity, "hands": plan.hands}
            rows.row("curves", settings, partial(_measure, point, opponent, plan, quiet))


def opponents_of(game: Game, rival: Player | None) -> list[Player]:
    """Whom all points meet. Raises ValueError if the rival does not play the game."""
    words = [(name, name) for name in OPPONENTS]
    if rival is not None:
        words.append((rival.name, rival.word))
    return [Player(name, word, find_agent(word, exact(game))) for name, word in words]


class _Training:
    """A training that begins when it is first needed."""

    def __init__(self, game: Callable[[], Game], plan: Plan, quiet: bool) -> None:
        self._game = game
        self._plan = plan
        self._quiet = quiet
        self._solver: Mccfr | None = None
        self._asked = 0.0
        self._found: tuple[Bot, Row] | None = None

    def bot_after(self, seconds: float) -> tuple[Bot, Row]:
        """The bot after so many seconds of training, not less than before, and facts about it.

        All who ask for the same number of seconds get the same bot.
        """
        if self._found is None or self._asked < seconds:
            self._found = self._look(seconds)
            self._asked = seconds
        return self._found

    def _look(self, seconds: float) -> tuple[Bot, Row]:
        if self._solver is None:
            plan = self._plan
            self._solver = Mccfr(self._game(), plan.seed, plan.threads, plan.memory_limit)
        solver = self._solver
        full = self._train(solver, seconds) == "full"
        progress = solver.progress()
        return bot_of(f"{solver.game}, {seconds:g} s", solver), {
            "game": str(solver.game),
            "trained_seconds": solver.state.seconds,
            "iterations": progress.iteration,
            "nodes": progress.nodes,
            "information_sets": progress.information_sets,
            "memory_full": full,
        }

    def _train(self, solver: Mccfr, seconds: float) -> str:
        note(f"{solver.game}: training up to {seconds:g} s ...", self._quiet)
        with ProgressReport("training", self._quiet) as report:

            def show(progress: Progress) -> None:
                share = min(progress.seconds / seconds, 1.0)
                report.show(share, f"{progress.iteration:,} iterations")

            return solver.run(seconds=seconds - solver.state.seconds, on_progress=show)


@dataclass(frozen=True)
class _Point:
    """A place on one of the curves."""

    curve: str
    place: float
    seconds: float
    training: _Training
    settings: Mapping[str, Any]
    """All but the opponent that its figures depend on."""


def _points(game: Game, plan: Plan, quiet: bool) -> Iterator[_Point]:
    common = {"threads": plan.threads, "memory_limit": plan.memory_limit, "seed": plan.seed}
    one = _Training(lambda: game, plan, quiet)
    for seconds in plan.times:
        settings = {"game": str(game), "seconds": seconds, **common}
        yield _Point(TIME, seconds, seconds, one, {"curve": TIME, **settings})
    for n in plan.buckets:
        training = _Training(partial(_in_buckets, game, n, plan, quiet), plan, quiet)
        settings = {"game": str(exact(game)), "buckets": n, "samples": plan.samples, **common}
        settings["seconds"] = plan.bucket_time
        yield _Point(BUCKETS, n, plan.bucket_time, training, {"curve": BUCKETS, **settings})


def _in_buckets(game: Game, buckets: int, plan: Plan, quiet: bool) -> Game:
    note(f"{exact(game)}: centres for {buckets} buckets ...", quiet)
    with ProgressReport("centres", quiet) as report:
        return with_buckets(
            exact(game),
            parse_buckets(str(buckets)),
            max(plan.samples, buckets),
            plan.seed,
            lambda what, share: report.show(share, what),
        )


def _measure(point: _Point, opponent: Player, plan: Plan, quiet: bool) -> Row:
    bot, facts = point.training.bot_after(point.seconds)
    where = f"{point.seconds:g} s" if point.curve == TIME else f"{point.place:g} buckets"
    note(f"{where}: {plan.hands:,} hands against {opponent.name} ...", quiet)
    game = exact(load(plan.game))
    won = winnings([bot, opponent.agent], game, plan.hands, plan.seed, quiet)
    about = {"curve": point.curve, "place": point.place, "opponent": opponent.name}
    return {**about, **won, **facts}
