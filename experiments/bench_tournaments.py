"""`pokerspiel bench tournaments`: the published tournaments, from nothing.

The bots of a field are trained, then they meet. The folder holds the bots in `bots`, and each
tournament in a folder of its own.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pokerspiel.experiments import tournament
from pokerspiel.experiments.correction import Correction
from pokerspiel.experiments.folder_lock import held
from pokerspiel.experiments.interrupts import terminated_like_interrupted
from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.output import note, print_json
from pokerspiel.experiments.tournament_fields import FIELDS, Field, Training, train_missing
from pokerspiel.experiments.workers import PROCESSES

BOTS = "bots"
MIN_HANDS = 1000


@dataclass(frozen=True)
class Options:
    only: tuple[str, ...]
    """Names of FIELDS."""
    quick: bool
    out: Path
    seed: int
    """Of the trainings, and of the deals."""

    def __post_init__(self) -> None:
        for name in self.only:
            if name not in FIELDS:
                raise ValueError(f"--only {name}: expected some of {', '.join(FIELDS)}")

    def field(self, name: str) -> Field:
        return FIELDS[name].quick() if self.quick else FIELDS[name]

    @property
    def command(self) -> str:
        words = ["pokerspiel", "bench", "tournaments", "--only", *self.only]
        words += ["--quick"] if self.quick else []
        return shlex.join([*words, "--out", str(self.out), "--seed", str(self.seed)])


def run(options: Options, json: bool, quiet: bool) -> int:
    start = time.perf_counter()
    document: dict[str, Any] = {
        **origin(),
        "command": options.command,
        "seed": options.seed,
        "quick": options.quick,
        "tournaments": {},
    }
    failed = False
    try:
        with held(options.out), terminated_like_interrupted():
            fields = {name: options.field(name) for name in options.only}
            trainings = dict.fromkeys(its for field in fields.values() for its in field.trained)
            bots = train_missing(tuple(trainings), options.out / BOTS, options.seed, quiet)
            for name, field in fields.items():
                note(f"tournament {name}", quiet)
                folder = options.out / (f"{name}-quick" if options.quick else name)
                its = tournament.play(_plan(field, bots, options.seed), folder, quiet)
                document["tournaments"][name] = its
                failed |= tournament.tell_failures(its)
    except KeyboardInterrupt:
        note(f"interrupted; what is done is in {options.out}, and the same command goes on")
        return tournament.INTERRUPTED
    document["seconds"] = time.perf_counter() - start
    if json:
        print_json(document)
    else:
        for its in document["tournaments"].values():
            tournament.print_document(its)
    return tournament.FAILURES if failed else 0


def _plan(field: Field, bots: Mapping[Training, Path], seed: int) -> tournament.Plan:
    return tournament.Plan(
        bots=(*field.named, *(str(bots[training]) for training in field.trained)),
        game=field.game,
        settings=(),
        hands=field.hands,
        seed=seed,
        min_hands=min(MIN_HANDS, field.hands),
        correction=Correction(True, None, field.fit_hands),
        exploitability=field.exploitability,
        on=PROCESSES,
        workers=None,
    )
