"""Every named game as data: a family, the parameters that it sets, and the version of its rules.

`load("svara(players=3,stack=50)")` gives a `Game`; the text is the one that OpenSpiel uses.
"""

from __future__ import annotations

import difflib
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from pokerspiel.games import kernel, kuhn, leduc, svara, sviten
from pokerspiel.games.abstraction.cluster_file import Centres
from pokerspiel.games.abstraction.cluster_file import find as find_centres
from pokerspiel.games.cards import card_name
from pokerspiel.games.deals import DealChain
from pokerspiel.games.parameters import Limits, Parameter, Value, resolve


@dataclass(frozen=True)
class Variant:
    """A named game of a family: its parameters' defaults where they differ from the family's."""

    name: str
    family: types.ModuleType
    summary: str
    rule_version: int = 1
    defaults: Mapping[str, Value] = field(default_factory=dict)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The family's parameters with this variant's defaults."""
        return tuple(
            Parameter(
                p.name, self.defaults.get(p.name, p.default), p.help, p.low, p.high, p.choices
            )
            for p in self.family.PARAMETERS
        )


_MINI_SVARA: dict[str, Value] = {
    "stack": 6,
    "max_raises": 0,
    "blind_multipliers": "2x",
    "max_svarkas": 1,
    "hole_cards": 1,
    "ranks": "7KA",
    "suits": "ch",
}
_MINI_SVITEN: dict[str, Value] = {
    "stack": 20,
    "max_wagers": 1,
    "max_discards": 1,
    "hole_cards": 1,
    "flop_cards": 1,
    "turn_cards": 0,
    "river_cards": 0,
    "rounds": 3,
    "omaha_hole": 1,
    "omaha_board": 1,
    "ranks": "QKA",
    "suits": "ch",
    "odd_chip": "fractional",
}

VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("sviten_special", sviten, "Omaha and five-card draw, a single card drawn face up"),
        Variant(
            "sviten_flush",
            sviten,
            "the longest flush held instead of the best hand",
            defaults={"draw_half": "flush"},
        ),
        Variant(
            "dramaha",
            sviten,
            "Sviten Special without the face-up card",
            defaults={"one_card_face_up": False},
        ),
        Variant("svara", svara, "three cards, blind bets, no check, ties played off"),
        Variant(
            "mini_sviten",
            sviten,
            "Sviten Special with 6 cards, one in the hand",
            defaults=_MINI_SVITEN,
        ),
        Variant("mini_svara", svara, "Svara with 6 cards, one in the hand", defaults=_MINI_SVARA),
        Variant("kuhn", kuhn, "Kuhn poker, for validation"),
        Variant("leduc", leduc, "Leduc poker, for validation"),
    )
}


@dataclass(frozen=True)
class Game:
    """A variant with all its parameters: what kernels and people need to play it."""

    variant: Variant
    parameters: Mapping[str, Value]
    tables: Any
    limits: Limits

    @property
    def name(self) -> str:
        return self.variant.name

    @property
    def family(self) -> types.ModuleType:
        return self.variant.family

    @property
    def rule_version(self) -> int:
        return self.variant.rule_version

    @property
    def state_type(self) -> np.dtype:
        """The record of a state; whoever has it can run the family's kernels."""
        kernel.link(self.family.STATE)
        return self.family.STATE  # type: ignore[no-any-return]

    @property
    def players(self) -> int:
        return int(self.parameters["players"])

    @property
    def abstraction(self) -> str:
        """Name and version of the information sets, such as "points-1"."""
        name = str(self.parameters.get("abstraction", "none"))
        versions = getattr(self.family, "ABSTRACTIONS", {"none": 1})
        return f"{name}-{versions[name]}"

    @property
    def classes(self) -> int:
        """Number of classes of hands that the last 11 bits of a key name; 0 if they name none.

        The rest of such a key is the situation, in which every class has the same actions.
        """
        classes = getattr(self.family, "key_classes", None)
        return int(classes(self)) if classes is not None else 0

    @property
    def centres(self) -> Centres | None:
        """The centres of its buckets, which its runs and bots carry along; None without buckets."""
        name = str(self.parameters.get("buckets", ""))
        return find_centres(name, self.name) if name else None

    def new_states(self, n: int = 1) -> np.ndarray:
        """`n` blank states; a kernel's `begin` starts a hand in one."""
        return np.zeros(n, self.state_type)

    def with_parameters(self, **changes: Value) -> Game:
        """The same variant with other values for some parameters."""
        kept = dict(self.parameters)
        if changes.get("abstraction", kept.get("abstraction")) != kept.get("abstraction"):
            for name in getattr(self.family, "OF_ABSTRACTION", ()):
                del kept[name]
        return load_variant(self.name, {**kept, **changes})

    def chain_of_deals(self, most_rows: int | None = None) -> DealChain:
        """The game as a chain of deals, whatever its abstraction.

        Raises ValueError if it is not one, or ChainTooLongError if it has more than `most_rows`
        actions.
        """
        if not hasattr(self.family, "chain_of_deals"):
            raise ValueError(f"{self.name} is no chain of deals: Svara is")
        limits = () if most_rows is None else (most_rows,)
        chain: DealChain = self.family.chain_of_deals(
            self.with_parameters(abstraction="hands"), *limits
        )
        return chain

    def action_name(self, state: Any, action: int) -> str:
        """The action in words, unique at a node."""
        return str(self.family.action_name(self, state, action))

    def describe(self, states: np.ndarray, action: int) -> tuple[Any, ...]:
        """Kind of an action and its chips or cards, for programs."""
        return tuple(self.family.describe(self, states[0], action))

    def card_name(self, card: int) -> str:
        return card_name(card) if self.limits.max_chance_outcomes == 52 else str(card)

    def __str__(self) -> str:
        """The game string: the parameters that differ from the variant's defaults."""
        changed = [
            f"{p.name}={self.parameters[p.name]}"
            for p in self.variant.parameters
            if self.parameters[p.name] != p.default
        ]
        return f"{self.name}({','.join(changed)})" if changed else self.name

    def __reduce__(self) -> Any:
        return load_variant, (self.name, dict(self.parameters))


def exact(game: Game) -> Game:
    """The game without abstraction, as matches play it."""
    if game.parameters.get("abstraction", "none") == "none":
        return game
    return game.with_parameters(abstraction="none")


def load_variant(name: str, given: Mapping[str, object]) -> Game:
    """The game `name` with the parameters `given`; ValueError names what is wrong with them."""
    if name not in VARIANTS:
        near = difflib.get_close_matches(name, VARIANTS, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(VARIANTS)}"
        raise ValueError(f"unknown game {name!r}: {hint}")
    variant = VARIANTS[name]
    parameters = resolve(variant.parameters, given)
    family = variant.family
    if hasattr(family, "complete"):
        parameters = family.complete(parameters, name)
    return Game(variant, parameters, family.make_tables(parameters), family.limits(parameters))


def parse_game(text: str) -> tuple[str, dict[str, str]]:
    """Name and parameters of a game string such as "svara(players=3,stack=50)"."""
    name, bracket, rest = text.strip().partition("(")
    if not bracket:
        return name, {}
    if not rest.endswith(")"):
        raise ValueError(f"game {text!r}: expected NAME or NAME(parameter=value,...)")
    given = {}
    for assignment in filter(None, (part.strip() for part in rest[:-1].split(","))):
        key, equals, value = assignment.partition("=")
        if not equals:
            raise ValueError(f"game {text!r}: expected parameter=value, not {assignment!r}")
        if key.strip() in given:
            raise ValueError(f"game {text!r}: {key.strip()} is given twice")
        given[key.strip()] = value.strip()
    return name, given


@lru_cache(maxsize=64)
def load(text: str) -> Game:
    """The game of a game string; ValueError in one line if there is none."""
    return load_variant(*parse_game(text))
