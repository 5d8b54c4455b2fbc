"""The 32 discards of a Sviten hand after the flop, ranked by their share of the pot.

Where a single card comes face up, it is kept if that is worth more than rejecting it. In a sample
each half of the batches is played by what the other half says, so that luck in the choice does not
count as skill.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from pokerspiel.agents.table import all_discards
from pokerspiel.agents.table.discards import (
    DRAW,
    OMAHA,
    PLACES,
    SCOOP,
    new_sums,
    sample_discards,
)
from pokerspiel.experiments.web.sampling import (
    CONFIDENCE,
    Document,
    draw_sample,
    estimate,
    how,
    mean_and_error,
)
from pokerspiel.experiments.web.sviten_odds import Question, player_row
from pokerspiel.games.abstraction.outlook import DISCARDS
from pokerspiel.games.cards import card_name, cards_text, mask_of
from pokerspiel.games.variants import Game

HIGH_BOUNDS = {
    "pair": 1278,
    "two pair": 4138,
    "three of a kind": 4996,
    "straight": 5854,
    "flush": 5864,
    "full house": 7141,
    "four of a kind": 7297,
    "straight flush": 7453,
}
"""The lowest strength of each kind of five cards: above 1,277 high cards come 2,860 pairs, ..."""
FLUSH_BOUNDS = {
    f"{name}-card flush": sum(comb(13, k) for k in range(n))
    for n, name in enumerate(("three", "four", "five"), 3)
}
"""The lowest strength of each length: shorter ones have fewer of the 13 ranks of a suit."""
_SHAPES = [array.shape for array in new_sums()]
_FIGURES = sum(array.size for array in new_sums())


@dataclass(frozen=True)
class _Values:
    """What discards win a deal, by batch; one batch if they are exact."""

    share: np.ndarray
    """[batches, DISCARDS, FIELDS]"""
    keep: np.ndarray
    """[batches, PLACES, CARDS, FIELDS], times the chance of the card."""
    reject: np.ndarray
    chance: np.ndarray
    """[batches, CARDS]"""
    deals: int
    """Size of the sample, 0 if exact."""
    boards: int


def discards(question: Question) -> Document:
    """The same keys as `showdown`, and `discards` and `face_up`: see `sviten_document`."""
    exact = question.opponents == 0 and not question.opponents_draw
    values = _exact_values(question) if exact else _sampled_values(question)
    chooses = bool(question.game.parameters["one_card_face_up"])
    shares = _with_choice(values) if chooses else values.share
    rows = _rows(question, values, shares)
    pot_error = max(rows[0]["pot"]["error"], 0.0)
    return {
        "exact": exact,
        "deals": values.deals or values.boards,
        "how": how(values.deals, pot_error, f"exact, over {values.boards:,} run-outs, every draw"),
        "players": [_own_row(question, rows[0])],
        "discards": rows,
        "face_up": _face_up(question, values) if chooses else None,
    }


def _exact_values(question: Question) -> _Values:
    sums = new_sums()
    boards = all_discards.all_discards(
        question.game.tables.rules,
        np.array(question.hand, np.uint8),
        question.holes[1:],
        question.shown,
        question.gone,
        sums,
    )
    drawn = [discard for discard in range(DISCARDS) if discard.bit_count() > 1]
    sums.share[drawn, SCOOP] = np.nan
    share, keep, reject, chance = (array[None] / boards for array in sums)
    return _Values(share, keep, reject, chance, 0, int(boards))


def _sampled_values(question: Question) -> _Values:
    hand = np.array(question.hand, np.uint8)

    def batch(seed: int, deals: int, out: np.ndarray) -> int:
        sums = new_sums()
        done = sample_discards(
            question.game.tables.rules,
            hand,
            question.holes[1:],
            question.counts,
            question.opponents_draw,
            question.shown,
            question.gone,
            deals,
            seed,
            sums,
        )
        out += np.concatenate([array.ravel() for array in sums])
        return int(done)

    sample = draw_sample(
        batch, _FIGURES, question.batch_deals, question.seconds, question.samples, question.seed
    )
    ends = np.cumsum([int(np.prod(shape)) for shape in _SHAPES])
    parts = np.split(sample.sums / sample.deals, ends[:-1], axis=1)
    share, keep, reject, chance = (
        part.reshape(-1, *shape) for part, shape in zip(parts, _SHAPES, strict=True)
    )
    return _Values(share, keep, reject, chance, sample.total, 0)


def _pot(shares: np.ndarray) -> np.ndarray:
    return np.asarray((shares[..., DRAW] + shares[..., OMAHA]) / 2)


def _with_choice(values: _Values) -> np.ndarray:
    """The shares with the better of keeping and rejecting each face-up card."""
    shares = values.share.copy()
    batches = len(shares)
    cut = max(batches // 2, 1)
    parts = [slice(0, cut), slice(cut, batches)] if batches > 1 else [slice(0, 1)]
    for part, judge in zip(parts, reversed(parts), strict=True):
        keeps = _gain(values, judge).sum(axis=0) >= 0
        chosen = np.where(keeps[None, ..., None], values.keep[part], values.reject[part])
        for place in range(PLACES):
            shares[part, 1 << place] = chosen[:, place].sum(axis=1)
    return shares


def _gain(values: _Values, part: slice) -> np.ndarray:
    """[batches, PLACES, CARDS] share of the pot that keeping wins, times the chance of the card."""
    return np.asarray(_pot(values.keep[part]) - _pot(values.reject[part]))


def _error(figures: np.ndarray) -> np.ndarray:
    """Standard error of the mean over batches [batches, ...]."""
    if len(figures) == 1:
        return np.zeros(figures.shape[1:])
    return np.asarray(mean_and_error(figures, 1)[1])


# Rows.


def _rows(question: Question, values: _Values, shares: np.ndarray) -> list[Document]:
    """The discards, the best one first."""
    pots = _pot(shares)
    order = np.argsort(-pots.mean(axis=0), kind="stable")
    behind = pots[:, order[:1]] - pots
    mean, error = shares.mean(axis=0), _error(shares)
    known = [question.board, question.dead, question.hand, *question.others]
    reached = at_least(
        question.game, question.hand, mask_of(card for cards in known for card in cards)
    )
    rows = []
    for discard in order.tolist():
        loss, doubt = float(behind[:, discard].mean()), float(_error(behind[:, discard]))
        draw, omaha, scoop = (
            estimate(mean[discard, field], error[discard, field], values.deals)
            for field in (DRAW, OMAHA, SCOOP)
        )
        rows.append(
            {
                **_named(question, discard),
                "pot": estimate(
                    pots[:, discard].mean(), float(_error(pots[:, discard])), values.deals
                ),
                "draw": draw,
                "omaha": omaha,
                "scoop": None if np.isnan(mean[discard, SCOOP]) else scoop,
                "behind": {"value": loss, "error": doubt},
                "as_good": loss <= CONFIDENCE * doubt + 1e-12,
                "at_least": reached[discard],
            }
        )
    return rows


def _named(question: Question, discard: int) -> Document:
    thrown = [card for i, card in enumerate(question.hand) if discard >> i & 1]
    kept = [card for i, card in enumerate(question.hand) if not discard >> i & 1]
    return {"discard": cards_text(thrown), "keep": cards_text(kept), "count": len(thrown)}


def _own_row(question: Question, best: Document) -> Document:
    """The hand that throws the best discard, as a row of `players`."""
    halves = {half: {"win": None, "tie": None, "share": best[half]} for half in ("draw", "omaha")}
    return player_row(
        question, question.hand, {**halves, "scoop": best["scoop"], "pot": best["pot"]}
    )


def at_least(game: Game, hand: Sequence[int], seen: int) -> list[list[Document]]:
    """For each discard the chance that the draw half becomes at least a kind of hand.

    `seen` are the cards that cannot come, as a mask. A face-up card is taken to be rejected
    whenever it does not make that kind.
    """
    bounds = FLUSH_BOUNDS if game.parameters["draw_half"] == "flush" else HIGH_BOUNDS
    counts = np.zeros((DISCARDS, len(bounds) + 1), np.int64)
    all_discards.draw_counts(
        game.tables.rules,
        np.array(hand, np.uint8),
        int(game.tables.rules[0]["deck"]) & ~seen,
        np.array(list(bounds.values()), np.int64),
        counts,
    )
    reached = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    rows = []
    for discard in range(DISCARDS):
        ways, all_ways = reached[discard, 1:], int(reached[discard, 0])
        chance = ways / all_ways
        if game.parameters["one_card_face_up"] and discard.bit_count() == 1:
            chance = 1 - (1 - chance) * (1 - ways / (all_ways - 1))
        named = zip(bounds, chance.tolist(), strict=True)
        rows.append([{"name": name, "chance": value} for name, value in named if value > 0])
    return rows


def _face_up(question: Question, values: _Values) -> list[Document]:
    """For each single discard, which cards to keep when they come face up."""
    return [_face_up_of(question, values, place) for place in range(PLACES)]


def _face_up_of(question: Question, values: _Values, place: int) -> Document:
    chance = values.chance.sum(axis=0)
    keep = _pot(values.keep[:, place]).sum(axis=0)
    reject = _pot(values.reject[:, place]).sum(axis=0)
    gain = _pot(values.keep[:, place]) - _pot(values.reject[:, place])
    cards = []
    for card in np.flatnonzero(chance > 0).tolist():
        difference = float((keep[card] - reject[card]) / chance[card])
        left_over = gain[:, card] - difference * values.chance[:, card]
        doubt = float(np.sqrt((left_over**2).sum()) / chance[card]) if values.deals else 0.0
        cards.append(
            {
                "card": card_name(card),
                "keep": float(keep[card] / chance[card]),
                "reject": float(reject[card] / chance[card]),
                "difference": difference,
                "error": doubt,
                "choice": _choice(difference, doubt),
            }
        )
    kept = chance[keep - reject >= 0].sum() / chance.sum()
    return {
        **_named(question, 1 << place),
        "kept": float(kept),
        "cards": sorted(cards, key=lambda row: -float(str(row["difference"]))),
    }


def _choice(difference: float, error: float) -> str:
    if abs(difference) <= CONFIDENCE * error + 1e-12:
        return "either"
    return "keep" if difference > 0 else "reject"
