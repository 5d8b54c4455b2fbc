"""The fields of the published tournaments, and the training of their bots.

A bot has a run folder and a bot file in one folder. It is trained by one thread, for a number of
iterations, so that the same seed gives the same strategy again, wherever the training was stopped
in between.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pokerspiel.agents.bot_file import SUFFIX
from pokerspiel.experiments import export, resume, train, train_neural
from pokerspiel.experiments.options import DEFAULT_MEMORY
from pokerspiel.experiments.output import note
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.experiments.run_folder import CONFIG, RunFolder, toml_text
from pokerspiel.experiments.tournament_exploitability import EXACT, NONE
from pokerspiel.experiments.workers import End, open_workers
from pokerspiel.games.variants import load

MCCFR = "mccfr"
CHECKPOINT_EVERY = 15.0
"""Seconds of training that an interrupt costs at most."""
RETRIES = 1
"""How often a training goes on whose process has died."""
QUICK_SHARE = 100
"""So many times less is trained and played in a rough run."""
QUICK_FIT_HANDS = 1_000


@dataclass(frozen=True)
class Training:
    """A bot that is trained for a field."""

    label: str
    game: str
    """With the abstraction that it is trained in."""
    iterations: int
    algorithm: str = MCCFR
    tune: str = ""
    against: tuple[str, ...] = ()
    """Of a network: bots that half of the hands are played against."""

    @property
    def name(self) -> str:
        """The label and the iterations, such as "points-30k"."""
        return f"{self.label}-{_short(self.iterations)}"

    def plan(self, seed: int) -> train.Plan | train_neural.Plan:
        """What `train` is asked to do."""
        game = str(load(self.game))
        if self.algorithm == MCCFR:
            return train.Plan(
                game, None, self.iterations, 1, DEFAULT_MEMORY, CHECKPOINT_EVERY, seed
            )
        return train_neural.Plan(
            game=game,
            algorithm=self.algorithm,
            tune=self.tune,
            against=self.against,
            time=None,
            iterations=self.iterations,
            threads=1,
            device="cpu",
            checkpoint_every=CHECKPOINT_EVERY,
            seed=seed,
        )


def _short(number: int) -> str:
    for unit, size in (("m", 1_000_000), ("k", 1_000)):
        if number % size == 0:
            return f"{number // size}{unit}"
    return str(number)


@dataclass(frozen=True)
class Field:
    """Who meets in a tournament, and how long."""

    game: str
    named: tuple[str, ...]
    """Bots that the package knows by name."""
    trained: tuple[Training, ...]
    hands: int
    """Of a match."""
    fit_hands: int
    """That the value function of AIVAT is fitted on."""
    exploitability: str

    def quick(self) -> Field:
        """A rough version of it."""
        trained = (
            replace(its, iterations=max(its.iterations // QUICK_SHARE, 1)) for its in self.trained
        )
        hands = max(self.hands // QUICK_SHARE, 1)
        fit_hands = min(self.fit_hands, QUICK_FIT_HANDS)
        return replace(self, trained=tuple(trained), hands=hands, fit_hands=fit_hands)


BASELINES = ("random", "always-call", "tight", "equity")
FIELDS = {
    "svara": Field(
        game="svara",
        named=("svara-home", *BASELINES),
        trained=(
            Training("points", "svara(abstraction=points)", 30_000),
            Training("points", "svara(abstraction=points)", 10_000_000),
            Training("blockers", "svara(abstraction=blockers)", 10_000_000),
            Training(
                "ppo",
                "svara(abstraction=hands)",
                200,
                "ppo",
                "entropy=0.3 decay=0.25 hands=4096 batch=4096",
            ),
        ),
        hands=40_000,
        fit_hands=60_000,
        exploitability=EXACT,
    ),
    "sviten": Field(
        game="sviten_special",
        named=("sviten-limit", *BASELINES),
        trained=(
            Training("halves", "sviten_special(abstraction=halves)", 3_000),
            Training("halves", "sviten_special(abstraction=halves)", 100_000),
            Training("clusters", "sviten_special(abstraction=clusters)", 50_000),
        ),
        hands=4_000,
        fit_hands=8_000,
        exploitability=NONE,
    ),
    "svara-5": Field(
        game="svara(players=5)",
        named=BASELINES,
        trained=(
            Training(
                "ppo",
                "svara(players=5,abstraction=hands)",
                300,
                "ppo",
                "entropy=0.3 decay=0.25",
                ("tight", "equity", "always-call"),
            ),
        ),
        hands=120_000,
        fit_hands=12_000,
        exploitability=NONE,
    ),
}
"""The tournaments that are published, by name."""


@dataclass(frozen=True)
class _Job:
    training: Training
    folder: Path
    seed: int

    @property
    def run(self) -> Path:
        return self.folder / self.training.name

    @property
    def bot(self) -> Path:
        return self.folder / f"{self.training.name}{SUFFIX}"

    @property
    def done(self) -> bool:
        return self.bot.is_file() and (self.run / CONFIG).is_file()

    def check(self) -> None:
        """Raise ValueError if there is a run with other options in its place."""
        if not (self.run / CONFIG).is_file():
            return
        found = RunFolder(self.run).config()
        wanted = tomllib.loads(toml_text(vars(self.training.plan(self.seed))))
        for option in sorted({*found, *wanted}):
            if found.get(option) != wanted.get(option):
                raise ValueError(
                    f"{self.run} was trained with {option} {found.get(option)}, not "
                    f"{wanted.get(option)}: choose another --out"
                )


def train_missing(
    trainings: Sequence[Training], folder: Path, seed: int, quiet: bool
) -> dict[Training, Path]:
    """The bot files of some trainings, each of which is made or gone on with if it is missing.

    Raises ValueError, in one line, if one fails or was trained with other options. A
    KeyboardInterrupt leaves the checkpoints.
    """
    jobs = [_Job(training, folder, seed) for training in trainings]
    for job in jobs:
        job.check()
    missing = [job for job in jobs if not job.done]
    if missing:
        _train_all(missing, quiet)
    return {job.training: job.bot for job in jobs}


def _train_all(jobs: Sequence[_Job], quiet: bool) -> None:
    names = ", ".join(job.training.name for job in jobs)
    note(f"training {names}", quiet)
    ended: list[End] = []
    with ProgressReport("training", quiet) as report, open_workers() as workers:

        def show(running: Sequence[_Job]) -> None:
            words = ", ".join(_progress_words(job) for job in running)
            report.show(len(ended) / len(jobs), words)

        workers.run(train_bot, jobs, ended.append, show, RETRIES)
    for end in ended:
        if end.error is not None:
            raise ValueError(f"{end.job.training.name} could not be trained: {end.error}")


def _progress_words(job: _Job) -> str:
    """How far a training is, as its log says."""
    rows = RunFolder(job.run).metrics() if (job.run / CONFIG).is_file() else []
    done = rows[-1]["iteration"] if rows else 0
    return f"{job.training.name} {done / job.training.iterations:.0%}"


def train_bot(job: _Job) -> None:
    """Train, or go on, and write the bot file. Raises ValueError or OSError if that fails."""
    if job.run.is_dir() and not _has_checkpoint(job.run):
        shutil.rmtree(job.run)
    if not job.run.exists():
        _start(job)
    elif int(RunFolder(job.run).latest_checkpoint().stem) < job.training.iterations:
        _check(resume.run(job.run, (None, None, None), None, None, (None, None), False, True))
    export.run(job.run, job.bot, job.training.name, None, json=False, quiet=True)


def _has_checkpoint(run: Path) -> bool:
    return (run / CONFIG).is_file() and RunFolder(run).has_checkpoint


def _start(job: _Job) -> None:
    plan = job.training.plan(job.seed)
    if isinstance(plan, train.Plan):
        _check(train.start(plan, job.run, None, json=False, quiet=True))
    else:
        _check(train_neural.start(plan, job.run, None, json=False, quiet=True))


def _check(status: int) -> None:
    if status != 0:
        raise ValueError(f"training ended with status {status}")
