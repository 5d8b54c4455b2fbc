"""The generated parts of Markdown files.

A part begins with a line `<!-- figures: NAME -->` and ends with a line `<!-- end -->`; what stands
between them belongs to the command that makes it. Lines in fenced code are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_BEGIN = re.compile(r"<!-- figures: (\S+) -->")
_END = "<!-- end -->"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True)
class Part:
    """A generated part of a file."""

    name: str
    first: int
    """Number of the line after the one that begins it, from 0."""
    last: int
    """Number of the line that ends it."""


def parts_of(path: Path, text: str) -> list[Part]:
    """The parts of a file, in their order. Raises ValueError, naming file and line, if a part does
    not end, or ends without a beginning."""
    parts: list[Part] = []
    name, first = None, 0
    fence = ""
    for number, line in enumerate(text.splitlines()):
        fenced = _FENCE.match(line)
        if fenced and (not fence or fenced[1].startswith(fence)):
            fence = "" if fence else fenced[1]
        begins = None if fence else _BEGIN.fullmatch(line)
        ends = not fence and line == _END
        if (begins and name is not None) or (ends and name is None):
            what = f"{name} has no end before it" if begins else "ends a part that never began"
            raise ValueError(f"{path}:{number + 1}: {line}: {what}")
        if begins:
            name, first = begins[1], number + 1
        elif ends and name is not None:
            parts.append(Part(name, first, number))
            name = None
    if name is not None:
        raise ValueError(f"{path}:{first}: the part {name} has no line {_END}")
    return parts


def body(text: str, part: Part) -> str:
    """What a part holds, without the empty lines around it."""
    return "\n".join(text.splitlines()[part.first : part.last]).strip("\n")


def rewritten(path: Path, text: str, bodies: Mapping[str, str]) -> str:
    """The text with new bodies in the parts that are named, and all else as it was."""
    return "".join(_pieces(path, text, bodies))


def _pieces(path: Path, text: str, bodies: Mapping[str, str]) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    done = 0
    for part in parts_of(path, text):
        if part.name in bodies:
            yield from lines[done : part.first]
            yield f"\n{bodies[part.name]}\n\n"
            done = part.last
    yield from lines[done:]
