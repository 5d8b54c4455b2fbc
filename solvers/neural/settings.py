"""Checks of the settings of neural algorithms."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import fields
from typing import Any


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
