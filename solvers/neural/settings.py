"""Settings that neural algorithms have in common, and checks of all."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class NetworkOptions:
    """Of the networks and of their learning."""

    width: int = 128
    """Numbers in a hidden layer."""
    depth: int = 2
    """Hidden layers."""
    batch: int = 1024
    """Decisions of a mini-batch."""
    norm: float = 0.5
    """Greatest norm of a gradient."""


def check_settings(
    options: Any, or_zero: Collection[str] = (), up_to_one: Collection[str] = ()
) -> None:
    """Raise ValueError, in one line, if a number is not above 0 and finite.

    Those of `or_zero` may be 0, those of `up_to_one` are at most 1.
    """
    for field in fields(options):
        value = getattr(options, field.name)
        low_enough = field.name not in up_to_one or value <= 1
        high_enough = value > 0 or (value == 0 and field.name in or_zero)
        if not (math.isfinite(value) and low_enough and high_enough):
            low = "0 or more" if field.name in or_zero else "more than 0"
            high = ", at most 1" if field.name in up_to_one else ""
            raise ValueError(f"{field.name}={value}: expected a number {low}{high}")
