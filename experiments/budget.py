"""When a run ends, and where it stops on the way to be measured."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """When a run ends: at the first of these that is reached."""

    iterations: int | None = None
    nodes: int | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        """The canonical text, which `parse_budget` takes back."""
        words = (
            f"{self.iterations}it" if self.iterations is not None else "",
            f"{self.nodes}nodes" if self.nodes is not None else "",
            f"{self.seconds:g}s" if self.seconds is not None else "",
        )
        return ",".join(word for word in words if word)


BUDGET_GRAMMAR = (
    "a number and its unit, such as 10s, 1000it or 1e7nodes; several are joined by commas, and the "
    "first one reached ends a run"
)
_AMOUNT = re.compile(r"(\d+(?:\.\d*)?(?:e\+?\d+)?)(s|it|nodes)")


def parse_budget(text: str) -> Budget:
    """The budget of a text; ValueError, in one line, if it is none."""
    amounts: dict[str, float] = {}
    for word in text.lower().replace(" ", "").split(","):
        match = _AMOUNT.fullmatch(word)
        amount = float(match[1]) if match else 0.0
        unit = match[2] if match else ""
        whole = unit == "s" or amount.is_integer()
        if not whole or not 0 < amount < 1e15 or unit in amounts:
            raise ValueError(f"--budget {text!r}: expected {BUDGET_GRAMMAR}")
        amounts[unit] = amount
    return Budget(
        iterations=int(amounts["it"]) if "it" in amounts else None,
        nodes=int(amounts["nodes"]) if "nodes" in amounts else None,
        seconds=amounts.get("s"),
    )


@dataclass(frozen=True)
class Standing:
    """How far a run is."""

    iterations: int
    nodes: int | None
    seconds: float


def spend(
    advance: Callable[[int, float | None], object],
    standing: Callable[[], Standing],
    budget: Budget,
    targets: Iterator[int],
) -> Iterator[Standing]:
    """Run until the budget is spent, and stop on the way wherever there is to measure.

    `advance(iterations, seconds)` runs on until one of the two ends; `targets` are the iterations
    to stop after. Without a limit on seconds, the stops depend on nothing but iterations and nodes.
    """
    stopped_at, ended = 0, False
    while not ended:
        target = next(targets)
        if budget.iterations is not None:
            target = min(target, budget.iterations)
        while not ended and standing().iterations < target:
            before = standing()
            step = _careful_step(target - before.iterations, before, budget.nodes)
            advance(step, None if budget.seconds is None else budget.seconds - before.seconds)
            ended = _ended(standing(), before.iterations + step, budget)
        if standing().iterations > stopped_at:
            stopped_at = standing().iterations
            yield standing()


def _careful_step(left: int, now: Standing, most_nodes: int | None) -> int:
    """Iterations until the nodes must be counted again: nine tenths of those that may be left."""
    if most_nodes is None or now.nodes is None:
        return left
    if not now.nodes:
        return 1
    about = (most_nodes - now.nodes) * now.iterations / now.nodes
    return max(1, min(left, int(0.9 * about)))


def _ended(now: Standing, expected: int, budget: Budget) -> bool:
    return (
        now.iterations < expected
        or (budget.iterations is not None and now.iterations >= budget.iterations)
        or (budget.nodes is not None and now.nodes is not None and now.nodes >= budget.nodes)
        or (budget.seconds is not None and now.seconds >= budget.seconds)
    )


def spaced(a_decade: int, first: int = 1) -> Iterator[int]:
    """Whole numbers from `first` on, evenly spaced on a logarithmic axis, for ever."""
    last = 0
    for k in itertools.count():
        value = round(first * 10 ** (k / a_decade))
        if value > last:
            yield value
            last = value
