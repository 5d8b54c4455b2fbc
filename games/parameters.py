"""What a family of games may be told, and what it says about its size.

A family declares its parameters as a tuple of `Parameter`; `resolve` checks the values that a
person or a file gives and fills in the rest. `Limits` holds the bounds that OpenSpiel and the
solvers ask of a game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

Value = bool | int | str


@dataclass(frozen=True)
class Parameter:
    """One parameter of a game; its type (bool, int or str) is the type of `default`."""

    name: str
    default: Value
    help: str
    low: int | None = None
    """Smallest value allowed, of a whole number."""
    high: int | None = None
    """Largest value allowed, of a whole number."""
    choices: tuple[Value, ...] | None = None

    @property
    def type(self) -> type[Value]:
        return type(self.default)

    def check(self, value: object) -> Value:
        """`value` in the parameter's type; text that reads as one ("3", "true") is accepted.

        Raises ValueError with one line that names the value and says what would be right.
        """
        typed = self._typed(value)
        if typed is None or not self._allowed(typed):
            raise ValueError(f"{self.name}={value!s} is not allowed: expected {self.expected()}")
        return typed

    def expected(self) -> str:
        """What would be right, in words: "a whole number from 2 to 9"."""
        if self.choices is not None:
            return "one of " + ", ".join(str(choice) for choice in self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return "text"
        if self.low is not None and self.high is not None:
            return f"a whole number from {self.low} to {self.high}"
        if self.low is not None:
            return f"a whole number, {self.low} or more"
        if self.high is not None:
            return f"a whole number, {self.high} or less"
        return "a whole number"

    def _typed(self, value: object) -> Value | None:
        """`value` as bool, int or str after the default's type; None if it is of another type."""
        if isinstance(self.default, bool):
            if isinstance(value, str):
                return {"true": True, "false": False}.get(value.strip().lower())
            return value if isinstance(value, bool) else None
        if isinstance(self.default, int):
            if isinstance(value, str):
                return _whole_number(value)
            if isinstance(value, bool):
                return None
            return int(value) if isinstance(value, Integral) else None
        return value if isinstance(value, str) else None

    def _allowed(self, value: Value) -> bool:
        if self.choices is not None:
            return value in self.choices
        if isinstance(value, str):
            return True
        too_low = self.low is not None and value < self.low
        too_high = self.high is not None and value > self.high
        return not (too_low or too_high)


def _whole_number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def resolve(specification: Sequence[Parameter], given: Mapping[str, object]) -> dict[str, Value]:
    """All parameters of a game, in the order of `specification`: those given, else the defaults.

    Raises ValueError with one line that names the value and says what would be right.
    """
    known = [parameter.name for parameter in specification]
    for name in given:
        if name not in known:
            raise ValueError(f"unknown parameter {name}: known are {', '.join(known)}")
    return {
        parameter.name: parameter.check(given[parameter.name])
        if parameter.name in given
        else parameter.default
        for parameter in specification
    }


@dataclass(frozen=True)
class Limits:
    """Bounds of a game, over all hands; utilities in chips."""

    num_actions: int
    """Action numbers lie in [0, num_actions)."""
    max_game_length: int
    """Most decisions of players in one hand, chance not counted."""
    max_chance_nodes: int
    """Most cards dealt in one hand."""
    max_chance_outcomes: int
    """Cards are numbered in [0, max_chance_outcomes)."""
    min_utility: float
    max_utility: float
    big_unit: int
    """Chips of a big blind or an ante: the unit in which results are reported."""
    unit: str
    """Name of `big_unit`: "big blind" or "ante"."""
