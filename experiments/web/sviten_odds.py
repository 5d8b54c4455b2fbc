"""Chances of Sviten hands at the showdown: the draw half, the Omaha half, the pot.

Exact where all deals can be gone through at once, else a sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pokerspiel.agents.table import drawing, equities
from pokerspiel.agents.table.equities import (
    DRAW_SHARE,
    DRAW_TIE,
    DRAW_WIN,
    FIELDS,
    OMAHA_SHARE,
    OMAHA_TIE,
    OMAHA_WIN,
    POT,
    SCOOP,
)
from pokerspiel.agents.table.holdings import FULL_BOARD, draw_half, omaha_half
from pokerspiel.experiments.web.sampling import (
    Document,
    draw_sample,
    estimate,
    how,
    mean_and_error,
)
from pokerspiel.games.cards import cards_text, mask_of
from pokerspiel.games.variants import Game

ANY = drawing.ANY
FLOP = drawing.FLOP
FULL_HAND = 5
_DEALS = 1000
_DRAWING_DEALS = 100
_CHOSEN_DEALS = (5, 2, 1)
"""Deals of a batch: nobody draws; somebody does; for 1, 2, 3 opponents hands have to be found
that throw so many cards."""
_SECONDS_FOR_TURN = 0.3
"""Time from which on all hands of one opponent and all rivers are gone through."""


@dataclass(frozen=True)
class Question:
    """What is asked about a hand; see `calculator.sviten_document`."""

    game: Game
    hand: list[int]
    board: list[int]
    others: list[list[int]]
    dead: list[int]
    opponents: int
    draw: bool
    opponents_draw: bool
    drew: list[int]
    seconds: float
    samples: int | None
    seed: int

    @property
    def holes(self) -> np.ndarray:
        """The known hands, the own one first."""
        return np.array([self.hand, *self.others], np.uint8)

    @property
    def shown(self) -> np.ndarray:
        """The board, followed by zeros."""
        shown = np.zeros(FULL_BOARD, np.uint8)
        shown[: len(self.board)] = self.board
        return shown

    @property
    def gone(self) -> int:
        """The dead cards, as a mask."""
        return mask_of(self.dead)

    @property
    def counts(self) -> np.ndarray:
        """How many cards each opponent with random cards has thrown, ANY if not known."""
        unknown = self.opponents - len(self.drew)
        return np.array([*self.drew, *[ANY] * unknown], np.int64)

    @property
    def batch_deals(self) -> int:
        chosen = sum(count != ANY for count in self.drew)
        if chosen:
            return _CHOSEN_DEALS[chosen - 1]
        return _DRAWING_DEALS if self.draw or self.opponents_draw else _DEALS


def showdown(question: Question) -> Document:
    """Chances of every hand where the own discards are settled, or chosen by `best_discard`.

    With the draw to come (only before the flop) the known hands draw like that too.
    """
    seats = len(question.others) + 1 + question.opponents
    exact = _all_deals(question, seats)
    if exact is not None:
        sums, deals, words = exact
        mean, error, sampled = sums / deals, np.zeros_like(sums), 0
    else:
        mean, error, sampled = _sampled(question, seats)
        deals, words = sampled, ""
    return {
        "exact": not sampled,
        "deals": deals,
        "how": how(sampled, float(error[0, POT]), words),
        "players": _players(question, mean, error, sampled),
    }


def _all_deals(question: Question, seats: int) -> tuple[np.ndarray, int, str] | None:
    """Sums over all deals, how many there are and what they are; None if they are too many."""
    if question.draw or (question.opponents and question.opponents_draw):
        return None
    sums = np.zeros((seats, FIELDS))
    rules, board = question.game.tables.rules, question.shown
    known = (rules, question.holes, board, len(question.board), question.gone, sums)
    if question.opponents == 0:
        deals = int(equities.all_run_outs(*known))
        return sums, deals, f"exact, over {_counted(deals, 'run-out')}"
    on_river = len(question.board) == FULL_BOARD
    on_turn = len(question.board) == FULL_BOARD - 1 and question.seconds >= _SECONDS_FOR_TURN
    if question.opponents > 1 or not (on_river or on_turn):
        return None
    deals = int(equities.all_opponents(*known))
    each = "" if on_river else " and rivers"
    return sums, deals, f"exact, over {deals:,} hands of the opponent{each}"


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}" + ("" if n == 1 else "s")


def _sampled(question: Question, seats: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Means and errors [seats, FIELDS], and the number of deals."""

    def batch(seed: int, deals: int, out: np.ndarray) -> int:
        return int(
            drawing.sample_showdowns(
                question.game.tables.rules,
                question.holes,
                question.draw,
                question.counts,
                question.opponents_draw,
                question.shown,
                len(question.board),
                question.gone,
                deals,
                seed,
                out.reshape(seats, FIELDS),
            )
        )

    sample = draw_sample(
        batch,
        seats * FIELDS,
        question.batch_deals,
        question.seconds,
        question.samples,
        question.seed,
    )
    sums = sample.sums.reshape(-1, seats, FIELDS)
    mean, error = mean_and_error(sums, sample.deals)
    return mean, error, sample.total


def _players(question: Question, mean: np.ndarray, error: np.ndarray, deals: int) -> list[Document]:
    """A row for each known hand, and one for each opponent with random cards."""
    hands: list[list[int] | None] = [question.hand, *question.others]
    hands += [None] * question.opponents
    return [
        player_row(question, hand, _half_rows(mean[seat], error[seat], deals))
        for seat, hand in enumerate(hands)
    ]


def _half_rows(mean: np.ndarray, error: np.ndarray, deals: int) -> Document:
    def of(field: int) -> dict[str, float]:
        return estimate(mean[field], error[field], deals)

    return {
        "draw": {"win": of(DRAW_WIN), "tie": of(DRAW_TIE), "share": of(DRAW_SHARE)},
        "omaha": {"win": of(OMAHA_WIN), "tie": of(OMAHA_TIE), "share": of(OMAHA_SHARE)},
        "scoop": of(SCOOP),
        "pot": of(POT),
    }


def player_row(question: Question, hand: Sequence[int] | None, row: Document) -> Document:
    """A row of `players`, with the names of both halves as the cards lie now."""
    draw, omaha = None, None
    if hand is not None:
        draw = draw_half(question.game, hand)["name"]
        if len(question.board) >= FLOP:
            omaha = omaha_half(question.game, hand, question.board)["name"]
    return {
        "hand": None if hand is None else cards_text(hand),
        **row,
        "draw": {"name": draw, **row["draw"]},
        "omaha": {"name": omaha, **row["omaha"]},
    }
