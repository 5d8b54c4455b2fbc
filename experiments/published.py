"""The figures that README and docs publish: what measures each of them, and where it stands.

A figure is data. Its commands run in an empty folder, one after the other, so that what one of them
writes (a run, a bot) is there for the next; nothing else is, but `docs`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from itertools import pairwise

from pokerspiel.experiments import published_tables as tables
from pokerspiel.experiments.published_tables import Show

LIST = "list"
"""The part that lists all figures, in docs/figures.md."""

OVER_DEALS = "95 % intervals over deals, each played in every seat"
EXACT = "exact, without any sampling"
TIMINGS = "timings, which move with the machine and what else it does"


@dataclass(frozen=True)
class Figure:
    name: str
    title: str
    """What it shows, in a few words."""
    commands: tuple[str, ...]
    """Command lines without `pokerspiel` and `--json`, with the seeds of all luck in them."""
    show: Show
    documents: tuple[str, ...]
    """Files that have it as a part, as seen from the root of the repository."""
    certainty: str
    """What the intervals of its numbers are."""
    as_text: bool = False
    """Whether the commands are run without `--json`, and their output is shown as it is."""

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that the commands name."""
        return tuple(sorted({seed for command in self.commands for seed in seeds_of(command)}))


def seeds_of(command: str) -> list[int]:
    words = shlex.split(command)
    return [int(after) for word, after in pairwise(words) if word == "--seed"]


def _matches(bot: str, opponents: tuple[str, ...], options: str) -> tuple[str, ...]:
    return tuple(f"match {bot} {opponent} {options}" for opponent in opponents)


def _outputs(
    name: str, title: str, document: str, *commands: str, certainty: str = EXACT
) -> Figure:
    shown = tables.outputs_of(commands)
    return Figure(name, title, commands, shown, (document,), certainty, as_text=True)


_SIMPLE = ("random", "always-call", "tight", "equity")

FIGURES = (
    Figure(
        "package-bots",
        "what the package's bots win, and what can be won from them",
        (
            "exploit svara-home",
            *_matches("svara-home", _SIMPLE, "--hands 200000 --seed 0"),
            *_matches("sviten-limit", _SIMPLE, "--hands 200000 --seed 0"),
        ),
        tables.cross_table,
        ("README.md", "docs/sviten.md"),
        f"{OVER_DEALS}; what a perfect opponent wins is exact",
    ),
    Figure(
        "demo",
        "the bots of `make demo`",
        ("demo --seed 0 --threads 2",),
        tables.demo,
        ("README.md",),
        f"{OVER_DEALS}; another training by the clock gives other bots",
    ),
    _outputs("hand-svara", "two hands of Svara", "README.md", "hand svara 7c9sJs AsAhKc"),
    _outputs(
        *("hand-sviten", "two hands of Sviten Special on a flop", "README.md"),
        "hand sviten_special AsAdKcKs9c QhTh8c6s3d --board 2h7h4c",
    ),
    _outputs(
        *("showdown", "a pot with side pots", "README.md"),
        "showdown sviten_special --hands 2s2dAsKdQc AhKhQhJhTh 3s4d5c6h8s --board 2c7d7h9cJd "
        "--contributions 50 100 200",
    ),
    _outputs(
        *("match", "a match as it is printed", "README.md"),
        "match sviten-limit tight --hands 10000 --seed 1",
        certainty=OVER_DEALS,
    ),
    Figure(
        "speed-games",
        "speed of rules, hands and sampling",
        (
            "bench speed --only play-outs --only 'leduc external' --only 'svara external' "
            "--only 'sviten_special external' --only hands --only 'hole cards' --seed 0",
        ),
        tables.speed,
        ("README.md", "docs/speed.md"),
        f"medians of nine turns of each side; {TIMINGS}",
    ),
    Figure(
        "speed-solvers",
        "speed of solvers on the tree",
        (
            "bench speed --only 'full tree' --only 'poker, external' --only 'cards, external' "
            "--only 'sides, external' --only exploitability --only threads --only 'tree ' "
            "--seed 0",
        ),
        tables.speed,
        ("docs/speed.md",),
        f"medians of nine turns of each side; {TIMINGS}",
    ),
    Figure(
        "speed-networks",
        "speed of networks that learn",
        ("bench speed --only environment --only 'Deep CFR' --seed 0",),
        tables.speed,
        ("docs/speed.md",),
        f"medians of nine turns of each side; {TIMINGS}",
    ),
    Figure(
        "speed-passes",
        "where an iteration of CFR+ goes",
        ("bench profile",),
        tables.profile,
        ("docs/speed.md",),
        TIMINGS,
    ),
    Figure(
        "svara-tables",
        "heads-up Svara solved, home and club tables",
        ("bench svara --only presets --presets home club --threads 2",),
        tables.svara_tables,
        ("docs/svara.md",),
        f"exploitability, value and residual are exact; seconds are {TIMINGS}",
    ),
    Figure(
        "svara-showdowns",
        "showdowns of Svara by sums and by matrices",
        ("bench svara --only showdowns",),
        tables.svara_showdowns,
        ("docs/svara.md",),
        TIMINGS,
    ),
    Figure(
        "svara-abstractions",
        "what abstractions of Svara lose",
        ("bench svara --only abstractions",),
        tables.svara_abstractions,
        ("docs/svara.md",),
        EXACT,
    ),
    Figure(
        "svara-players",
        "players of Svara: exploitability, best responses and the solution",
        ("bench svara --only players --seed 0",),
        tables.svara_players,
        ("docs/svara.md",),
        f"exploitability is exact; matches of 1,000,000 hands: {OVER_DEALS}",
    ),
    Figure(
        "leaks-svara",
        "where `equity` loses in Svara",
        ("leaks equity svara-home --hands 1000000 --seed 1 --top 8",),
        tables.leaks(choices=5, nodes=4),
        ("docs/leaks.md",),
        OVER_DEALS,
    ),
    Figure(
        "leaks-sviten",
        "where `tight` loses in Sviten Special",
        ("leaks tight sviten-limit --hands 100000 --seed 1",),
        tables.leaks(choices=0, nodes=0, draws=4),
        ("docs/leaks.md",),
        OVER_DEALS,
    ),
    Figure(
        "aivat-leduc",
        "AIVAT on Leduc",
        _matches("equity", ("always-call", "tight"), "--game leduc --hands 20000 --seed 1 --aivat"),
        tables.certainty,
        ("docs/matches.md",),
        OVER_DEALS,
    ),
    Figure(
        "aivat-svara",
        "AIVAT on heads-up Svara",
        _matches("svara-home", ("random", "tight", "equity"), "--hands 20000 --seed 1 --aivat"),
        tables.certainty,
        ("docs/matches.md",),
        OVER_DEALS,
    ),
    Figure(
        "aivat-sviten",
        "AIVAT on Sviten Special",
        _matches("sviten-limit", ("equity",), "--hands 6000 --seed 1 --aivat --fit-hands 10000"),
        tables.certainty,
        ("docs/matches.md",),
        OVER_DEALS,
    ),
    *(
        Figure(
            f"tournament-{name}",
            f"everybody against everybody: {title}",
            (f"bench tournaments --only {name} --out tournaments --seed 0",),
            tables.tournament(name),
            ("docs/tournaments.md",),
            f"{OVER_DEALS}; mbb are milli-antes in Svara, thousandths of a big blind otherwise",
        )
        for name, title in (
            ("svara", "heads-up Svara"),
            ("sviten", "heads-up Sviten Special"),
            ("svara-5", "Svara for five"),
        )
    ),
    Figure(
        "scaling",
        "training by more workers",
        ("bench scaling --seed 0",),
        tables.scaling,
        ("docs/cluster.md",),
        TIMINGS,
    ),
    Figure(
        "reference",
        "figures of the literature, reproduced",
        ("bench reference",),
        tables.reference,
        ("docs/reference.md",),
        "exact but for rounding, whose spread stands in the tables",
    ),
)
