"""Omaha strengths of all boards of five cards, up to an exchange of suits, cut into levels.

What a board makes possible follows from its ranks and from which of them are of its flush suit.
For each of these, random hands are ranked and the lowest strengths above each of CUTS are kept:
see `outlook.py`. The table is made once and kept beside the machine code of the kernels.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any
from zipfile import BadZipFile

import numpy as np

from pokerspiel.games.abstraction.outlook import (
    CUTS,
    FLUSHES,
    LEVELS,
    MAX_CARDS,
    board_place,
    take_card,
)
from pokerspiel.games.cards import FULL_DECK
from pokerspiel.games.compiled import CACHE_FOLDER, kernel
from pokerspiel.games.hands import BOARDS, hand_tables, omaha_rank
from pokerspiel.games.kernel import mix

HANDS = 2000
"""Random hands that are ranked on each board."""


@lru_cache(maxsize=1)
def board_tables() -> tuple[np.ndarray, np.ndarray]:
    """(Row of each board [BOARDS * FLUSHES], lowest strength above each cut [rows, LEVELS]).

    Row 0 is no board.
    """
    path = CACHE_FOLDER / "boards.npz"
    try:
        with np.load(path, allow_pickle=False) as kept:
            return kept["row"], kept["cuts"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        row, cuts = _make_tables()
    temporary = path.with_suffix(f".{os.getpid()}.npz")
    np.savez(temporary, row=row, cuts=cuts)
    os.replace(temporary, path)
    return row, cuts


def _make_tables() -> tuple[np.ndarray, np.ndarray]:
    boards = np.array(list(_boards()), np.uint8)
    row = np.zeros(BOARDS * FLUSHES, np.uint16)
    cuts = np.zeros((len(boards) + 1, LEVELS), np.int16)
    strengths = np.zeros(HANDS, np.int64)
    tables = hand_tables()
    for i, board in enumerate(boards, 1):
        row[_rank_hands(tables, board, np.uint64(i), strengths)] = i
        cuts[i] = _cuts(np.sort(strengths))
    return row, cuts


def _cuts(ordered: np.ndarray) -> np.ndarray:
    """The lowest strength whose percentile, ties counted half, is above each of CUTS."""
    values, first = np.unique(ordered, return_index=True)
    ends = np.append(first[1:], len(ordered))
    middle = (first + ends) / (2 * len(ordered))
    places = np.searchsorted(middle, CUTS, side="right")
    above = np.append(values, np.iinfo(np.int16).max)
    return np.asarray(above[places], np.int16)


def _boards() -> Iterator[list[int]]:
    """A board for each choice of ranks, and of those among them that make up a flush suit."""
    for ranks in combinations_with_replacement(range(13), MAX_CARDS):
        if ranks[0] == ranks[-1]:
            continue
        different = sorted(set(ranks))
        for flush in range(1 << len(different)):
            if flush == 0 or flush.bit_count() >= 3:
                suited = {rank for i, rank in enumerate(different) if flush >> i & 1}
                yield _with_suits(ranks, suited)


def _with_suits(ranks: tuple[int, ...], suited: set[int]) -> list[int]:
    """Cards of these ranks, one of each of `suited` in suit 0, no other three of a suit."""
    cards = []
    for i, rank in enumerate(ranks):
        if rank in suited and (i == 0 or ranks[i - 1] != rank):
            cards.append(4 * rank)
        else:
            suit = 1 + i % 3 if suited else i % 4
            cards.append(4 * rank + suit)
    return cards


@kernel(allocates=True)
def _rank_hands(hands: Any, board: Any, seed: int, strengths: Any) -> Any:
    """Write the strengths of random hands on a board; returns its place in the table of rows."""
    random = np.zeros(1, np.uint64)
    random[0] = mix(np.uint64(11), seed)
    hand = np.zeros(MAX_CARDS, np.uint8)
    free = np.uint64(FULL_DECK)
    for i in range(MAX_CARDS):
        free &= ~(np.uint64(1) << np.uint64(board[i]))
    for k in range(len(strengths)):
        left = free
        for i in range(MAX_CARDS):
            hand[i] = take_card(random, left)
            left &= ~(np.uint64(1) << np.uint64(hand[i]))
        strengths[k] = omaha_rank(hands, hand, 5, board, 5, 2, 3)
    return board_place(hands, board)
