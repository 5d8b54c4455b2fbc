"""How hands rank, as columns of a matrix, where the others' hands are known by buckets.

A place has a *hand*: a bucket, or, if it sees all of its cards, a class. A *case* is a bucket for
the hand of each other place. A *column* is an outcome of the showdown together with a case that
allows it, and its chance with a hand is zero unless hand and case bring that outcome about.

The place comes first in the outcomes of columns, the others follow in their order: chances are the
same for all places. Most of them are zero: they are kept for chunks of eight hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from pokerspiel.solvers.layout import aligned, padded

LANES = 8

Outcomes = Sequence[tuple[int, ...]]


class Columns(NamedTuple):
    """The columns, outcome by outcome; the cases of an outcome come one after the other."""

    bucket: np.ndarray
    """[cases, places - 1] int64: the buckets of the others; cases that rank alike are together."""
    first_case: np.ndarray
    """[outcomes] int64: the case of each outcome's first column."""
    first: np.ndarray
    """[outcomes + 1] int64: first column of each outcome."""


class Chances(NamedTuple):
    """The chances of columns with hands, chunk by chunk; all indices are uint64."""

    hands: int
    """Hands, padded to whole chunks."""
    first: np.ndarray
    """[chunks + 1]: first entry of each chunk."""
    column: np.ndarray
    """[entries]: a column that has a chance with one of the chunk's hands."""
    value: np.ndarray
    """[entries * 8] float64: its chance with each of them."""


def columns_of(outcomes: Outcomes, score: np.ndarray) -> Columns:
    """The columns for buckets with these scores."""
    others = len(outcomes[0]) - 1
    case = np.array(list(product(range(len(score)), repeat=others)), np.int64)
    code = _code(_ranks(score[case]))
    order = np.argsort(code, kind="stable")
    wanted = _code(_ranks(-np.array(outcomes)[:, 1:]))
    first_case = np.searchsorted(code[order], wanted)
    cases = np.searchsorted(code[order], wanted, side="right") - first_case
    return Columns(case[order], first_case, np.cumsum([0, *cases]))


def chances_of_columns(
    columns: Columns,
    outcomes: Outcomes,
    joint: np.ndarray,
    score_of_hand: np.ndarray,
    score: np.ndarray,
) -> Chances:
    """The chances from those of joint.py, `joint` [hands, buckets, ...]."""
    chance = joint[(slice(None), *columns.bucket.T)].T
    scores = np.empty((*chance.shape, len(outcomes[0])), np.int64)
    scores[:, :, 0] = score_of_hand
    scores[:, :, 1:] = score[columns.bucket][:, None]
    code = _code(_ranks(scores))
    out = np.zeros((columns.first[-1], padded(len(joint))))
    for outcome, ranks in enumerate(outcomes):
        first, end = columns.first[outcome : outcome + 2]
        start = columns.first_case[outcome]
        cases = slice(start, start + end - first)
        fits = code[cases] == _code(np.array(ranks))
        out[first:end, : len(joint)] = np.where(fits, chance[cases], 0.0)
    return _in_chunks(out)


def _in_chunks(chance: np.ndarray) -> Chances:
    columns, hands = chance.shape
    chunks = chance.reshape(columns, -1, LANES).transpose(1, 0, 2)
    used = chunks.any(axis=2)
    return Chances(
        hands,
        np.cumsum([0, *used.sum(axis=1)]).astype(np.uint64),
        np.nonzero(used)[1].astype(np.uint64),
        aligned(chunks[used].ravel()),
    )


def outcomes_for(outcomes: Outcomes, place: int) -> np.ndarray:
    """[outcomes] int64: for each outcome of the columns its number where `place` is in its seat."""
    moved = [(*ranks[1 : place + 1], ranks[0], *ranks[place + 1 :]) for ranks in outcomes]
    return np.array([list(outcomes).index(ranks) for ranks in moved])


def _ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks along the last axis, 0 the best; equal scores have the same, and none is left out."""
    rank = np.zeros(scores.shape, np.int64)
    for i in range(scores.shape[-1]):
        other = scores[..., i : i + 1]
        is_new = np.all(scores[..., :i] != other, axis=-1, keepdims=True)
        rank += (other > scores) & is_new
    return rank


def _code(ranks: np.ndarray) -> np.ndarray:
    """A number for the ranks along the last axis."""
    places = ranks.shape[-1]
    return np.asarray(ranks @ places ** np.arange(places))
