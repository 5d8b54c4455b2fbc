"""What judging hands writes down: decisions, and what each of them costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

PARTS = ("draw", "omaha", "rest")
"""What a leak is made of: the two halves of pots at showdowns, and all that is won otherwise."""

_KINDS = (
    "fold",
    "check or call",
    "bet or raise",
    "blind",
    "look",
    "draw",
    "keep",
    "reject",
    "join",
    "decline",
)
DRAW_KINDS = len(_KINDS)
"""The kinds of draws: this one for none, the next for one card ..."""
MOST_DRAWN = 5
KINDS = (*_KINDS, "stand pat", *(f"draw {n}" for n in range(1, MOST_DRAWN + 1)))
"""What an action does, in words; draws are told apart by the number of cards."""

DECISION = np.dtype(
    [
        ("hand", np.int64),  # place of the hand in its chunk
        ("history", np.uint64),  # hash of all public events
        ("start", np.int64),  # where the hand begins in `trace`
        ("stop", np.int64),  # where the decision comes
    ],
    align=True,
)
SHARE = np.dtype(
    [
        ("decision", np.int64),
        ("did", np.int8),
        ("instead", np.int8),
        ("parts", np.float64, (len(PARTS),)),  # chips
    ],
    align=True,
)


class Found(NamedTuple):
    """What the kernels write."""

    counts: np.ndarray
    """[3] decisions, shares and events written so far."""
    decisions: np.ndarray
    """Of type DECISION: the decisions of the player that had a choice."""
    shares: np.ndarray
    """Of type SHARE: what a decision costs, by what was done instead of what."""
    trace: np.ndarray
    """Cards and actions, one hand after the other."""
    returns: np.ndarray
    """[hands] chips won by the player."""

    def larger(self) -> Found:
        """Twice the room, with nothing in it."""
        return Found(
            np.zeros(3, np.int64),
            np.zeros(2 * len(self.decisions), DECISION),
            np.zeros(2 * len(self.shares), SHARE),
            np.zeros(2 * len(self.trace), np.int32),
            self.returns,
        )

    def written(self) -> Found:
        """A copy of what is there."""
        decisions, shares, events = self.counts.tolist()
        return Found(
            self.counts.copy(),
            self.decisions[:decisions].copy(),
            self.shares[:shares].copy(),
            self.trace[:events].copy(),
            self.returns.copy(),
        )


def new_found(hands: int) -> Found:
    return Found(
        np.zeros(3, np.int64),
        np.zeros(1024, DECISION),
        np.zeros(1024, SHARE),
        np.zeros(4096, np.int32),
        np.zeros(hands),
    )
