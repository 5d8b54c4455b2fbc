"""What a published figure shows: tables and outputs, in which every number says how sure it is.

A view is written as Markdown, and two views of one figure are compared number by number.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SAMPLED, EXACT, TIMED = "sampled", "exact", "timed"
"""What a number is: the mean of a sample, with its interval; computed without any luck; or a
duration, or what comes of a training by the clock, which no interval tells."""

_WIDTH = 100
"""Columns of a command before it is continued on another line."""

DIGITS = 1e-6
"""Relative difference of exact numbers, at most: the order of sums is free."""
ZERO = 1e-10
"""A difference of exact numbers below this is rounding."""


@dataclass(frozen=True)
class Quantity:
    """A number as it was measured, and as it is shown."""

    value: float
    text: str
    kind: str = SAMPLED
    ci95: tuple[float, float] | None = None
    """95 % interval of a sampled number; None where one sample has none."""


Cell = str | Quantity


@dataclass(frozen=True)
class Table:
    """Columns whose name ends in ">" are aligned to the right."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    names: int = 1
    """Cells at the start of a row that name it."""


@dataclass(frozen=True)
class Output:
    """What a command prints on a terminal."""

    command: str
    text: str


View = Sequence[Table | Output]


# Markdown.


def markdown(view: View) -> str:
    """The parts of a view, with empty lines between them; it ends without a line break."""
    return "\n\n".join(
        _output_text(part) if isinstance(part, Output) else _table_text(part) for part in view
    )


def _output_text(output: Output) -> str:
    typed = textwrap.wrap(
        f"$ pokerspiel {output.command}",
        _WIDTH,
        subsequent_indent="      ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    lines = (line.rstrip() for line in output.text.rstrip().splitlines())
    return "\n".join(("```", " \\\n".join(typed), *lines, "```"))


def _table_text(table: Table) -> str:
    rule = ("---:" if name.endswith(">") else "---" for name in table.head)
    lines = [
        _line(name.rstrip(">") for name in table.head),
        _line(rule),
        *(_line(map(_cell_text, row)) for row in table.rows),
    ]
    return "\n".join([f"**{table.title}**\n"] * bool(table.title) + lines)


def _line(cells: Iterator[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cell_text(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell.text


# Comparison.

AGREES, DISAGREES, OPEN = "agrees", "disagrees", "open"


@dataclass(frozen=True)
class Comparison:
    """One number of a figure, as it was published and as it came out again."""

    name: str
    kind: str
    published: str
    again: str
    verdict: str
    """OPEN where no interval tells."""
    ratio: float | None
    """Again over published; None where there is none."""

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


def compare(published: View, again: View) -> list[Comparison]:
    """All numbers of both, in the order of the first; one that is missing disagrees.

    Sampled numbers agree if they differ by no more than the 95 % interval of their difference, as
    if both samples were independent: of many equal ones with other luck, one in twenty does not.
    """
    old, new = _items(published), _items(again)
    names = [*old, *(name for name in new if name not in old)]
    return [_compare(name, old.get(name), new.get(name)) for name in names]


def _compare(name: str, old: Cell | None, new: Cell | None) -> Comparison:
    published, again = ("missing" if cell is None else _cell_text(cell) for cell in (old, new))
    if not isinstance(old, Quantity) or not isinstance(new, Quantity):
        verdict = AGREES if old == new else DISAGREES
        return Comparison(name, EXACT, published, again, verdict, None)
    ratio = new.value / old.value if old.value else None
    if old.kind == TIMED or (old.kind == SAMPLED and None in (old.ci95, new.ci95)):
        verdict = OPEN
    else:
        verdict = AGREES if _agree(old, new) else DISAGREES
    return Comparison(name, old.kind, published, again, verdict, ratio)


def _agree(old: Quantity, new: Quantity) -> bool:
    difference = abs(new.value - old.value)
    if old.ci95 is None or new.ci95 is None:
        return difference <= max(DIGITS * abs(old.value), ZERO)
    halves = ((high - low) / 2 for low, high in (old.ci95, new.ci95))
    return difference <= math.hypot(*halves) + ZERO


def _items(view: View) -> Mapping[str, Cell]:
    """Numbers and outputs by name. Names are made different where rows have the same."""
    items: dict[str, Cell] = {}
    for part in view:
        for name, cell in _named(part):
            known = sum(other == name or other.startswith(f"{name} #") for other in items)
            items[f"{name} #{known + 1}" if known else name] = cell
    return items


def _named(part: Table | Output) -> Iterator[tuple[str, Cell]]:
    if isinstance(part, Output):
        yield part.command, part.text
        return
    for row in part.rows:
        where = [part.title, *map(_cell_text, row[: part.names])]
        for column, cell in zip(part.head, row, strict=True):
            if isinstance(cell, Quantity):
                yield ", ".join(word for word in (*where, column.rstrip(">")) if word), cell


CHANCE = 0.05
"""How often an equal number of another sample disagrees."""


def by_chance(comparisons: Sequence[Comparison]) -> float:
    """How often other luck alone gives as many disagreements of sampled numbers, or more.

    Numbers are taken as independent of each other. 0 if an exact one disagrees.
    """
    verdicts = [one.verdict for one in comparisons if one.kind == SAMPLED and one.verdict != OPEN]
    if any(one.verdict == DISAGREES and one.kind == EXACT for one in comparisons):
        return 0.0
    n, found = len(verdicts), verdicts.count(DISAGREES)
    tail = (math.comb(n, k) * CHANCE**k * (1.0 - CHANCE) ** (n - k) for k in range(found, n + 1))
    return min(sum(tail), 1.0)


# Numbers.


def mbb(score: Mapping[str, Any], digits: int = 0) -> Cell:
    """What somebody wins, in thousandths, with half of the 95 % interval: "+577 ± 17"."""
    value, ci95 = score["mbb_per_hand"], score["ci95"]
    if value is None:
        return ""
    text = signed(value, digits)
    if ci95 is None:
        return Quantity(value, text)
    low, high = ci95
    return Quantity(value, f"{text} ± {(high - low) / 2:,.{digits}f}", SAMPLED, (low, high))


def mbb_range(score: Mapping[str, Any], digits: int = 1) -> tuple[Cell, str]:
    """What somebody wins and, in a cell of its own, the ends of the interval."""
    value, ci95 = score["mbb_per_hand"], score["ci95"]
    if value is None:
        return "", ""
    text = signed(value, digits)
    if ci95 is None:
        return Quantity(value, text), ""
    low, high = ci95
    ends = f"{signed(low, digits)} to {signed(high, digits)}"
    return Quantity(value, text, SAMPLED, (low, high)), ends


def exact(value: float, form: str = ".3g") -> Quantity:
    """A number that no luck has a part in; `form` is a format."""
    return Quantity(value, minus(format(value, form)), EXACT)


def timed(value: float, form: str = ",.0f", unit: str = "") -> Quantity:
    return Quantity(value, minus(format(value, form)) + unit, TIMED)


def signed(value: float, digits: int) -> str:
    return minus(f"{value:+,.{digits}f}")


def minus(text: str) -> str:
    """The text of a number with a minus sign in the place of a leading hyphen."""
    return f"−{text[1:]}" if text.startswith("-") else text
