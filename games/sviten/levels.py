"""Kind of a hand, and how good it is among random hands, from its strength.

The kind is the category of a high hand, or the length of a flush in Sviten Flush. Within a kind all
strengths are taken for equally likely, as they are for high hands of a full deck.
"""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import STRAIGHT_FLUSH
from pokerspiel.games.sviten.state import MAX_HAND

KINDS = STRAIGHT_FLUSH + 1
LEVEL = KINDS + 1
"""Numbers that a level takes: the kind, one of KINDS, then the share of hands that it beats."""

_VALUES = (
    (13,),
    (78, 13),
    (286, 156, 0, 13),
    (715, 858, 78, 156, 0, 0, 0, 13),
    (1277, 2860, 858, 858, 10, 1277, 156, 156, 10),
)
"""Different strengths of each category among hands of one card, two, ..., five."""
_HANDS = (
    (4,),
    (16, 6),
    (64, 24, 0, 4),
    (256, 96, 36, 16, 0, 0, 0, 1),
    (1020, 384, 144, 64, 1020, 4, 24, 4, 4),
)
"""Hands of each of these strengths."""
_OMAHA = (
    (0.102, 0.545, 0.212, 0.084, 0.029, 0.014, 0.012, 0.0018, 0.0002),
    (0.036, 0.349, 0.335, 0.099, 0.085, 0.047, 0.044, 0.0044, 0.0006),
    (0.008, 0.167, 0.376, 0.096, 0.152, 0.096, 0.096, 0.0076, 0.0014),
)
"""Share of each category among Omaha hands of five on boards of three, four and five cards, from
two million random ones."""


def _ends(values: tuple[int, ...]) -> np.ndarray:
    ends = np.zeros(KINDS, np.int64)
    ends[: len(values)] = values
    return np.cumsum(ends)


def _edges(shares: np.ndarray) -> np.ndarray:
    edges = np.ones(KINDS + 1)
    edges[: len(shares) + 1] = np.cumsum([0.0, *(shares / shares.sum())])
    return edges


def _flush_shares(cards: int) -> np.ndarray:
    """Share of the random hands whose longest flush has each length."""
    shares = np.zeros(cards + 1)
    for counts in product(range(cards + 1), repeat=4):
        if sum(counts) == cards:
            shares[max(counts)] += np.prod([comb(13, count) for count in counts])
    return shares


HIGH_ENDS = np.array([_ends(()), *map(_ends, _VALUES)])
"""[cards, kind] the highest strength of a category among hands of so many cards."""
HIGH_EDGES = np.array(
    [
        _edges(np.ones(1)),
        *(_edges(np.multiply(v, h)) for v, h in zip(_VALUES, _HANDS, strict=True)),
    ]
)
"""[cards, kind] the share of random hands of a lower category; it ends with 1."""
FLUSH_ENDS = _ends(tuple(comb(13, length) if length else 0 for length in range(MAX_HAND + 1)))
FLUSH_EDGES = np.array([_edges(_flush_shares(cards)) for cards in range(MAX_HAND + 1)])
OMAHA_EDGES = np.array([_edges(np.array(shares)) for shares in _OMAHA])
"""[board cards - 3, kind] the same of Omaha hands of five cards, two of them used."""


@kernel
def write_level(out: Any, at: int, strength: int, ends: Any, edges: Any) -> Any:
    """Write a strength as its kind and its place among random hands; nothing where there is none.

    `ends` and `edges` are the rows of the tables above for such hands. Returns where the next block
    begins.
    """
    if strength > 0:
        kind = 0
        while kind < KINDS - 1 and strength > ends[kind]:
            kind += 1
        below = ends[kind - 1] if kind > 0 else 0
        place = (strength - below - 0.5) / (ends[kind] - below)
        out[at + kind] = 1.0
        out[at + KINDS] = edges[kind] + (edges[kind + 1] - edges[kind]) * place
    return at + LEVEL
