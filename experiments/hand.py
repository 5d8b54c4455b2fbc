"""`pokerspiel hand`: what hands are worth, and who wins which half of the pot."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from pokerspiel.agents.table.holdings import (
    FULL_BOARD,
    draw_half,
    omaha_half,
    points_of,
    reason_of,
)
from pokerspiel.experiments.game_choice import (
    board_size,
    chosen_game,
    known_cards,
    remaining_deck,
)
from pokerspiel.experiments.output import print_json, print_table
from pokerspiel.games import hands as strengths
from pokerspiel.games import svara
from pokerspiel.games.cards import cards_text, mask_of
from pokerspiel.games.variants import Game

MAX_HANDS = 10
FULL_HAND = 5


def run(
    game_text: str,
    hands: Sequence[str],
    board: str | None,
    settings: Sequence[str] | None,
    json: bool,
) -> None:
    game = chosen_game(game_text, settings)
    if len(hands) > MAX_HANDS:
        raise ValueError(f"{len(hands)} hands given: at most {MAX_HANDS} can be compared")
    holdings, board_cards = known_cards(game, hands, board)
    for text, cards in zip(hands, holdings, strict=True):
        if not cards:
            raise ValueError(f"hand {text!r} has no cards")
    if game.family is svara:
        document = svara_hands(game, holdings)
        if json:
            print_json(document)
        else:
            _print_svara(document)
    else:
        document = sviten_hands(game, holdings, board_cards)
        if json:
            print_json(document)
        else:
            _print_sviten(document)


# Svara.


def svara_hands(
    game: Game, holdings: Sequence[Sequence[int]], gone: Sequence[Sequence[int]] = ()
) -> dict[str, Any]:
    """Points of each hand, why, the shares of other hands that it beats and ties, the best hands.

    Other hands are all that can be made of the cards that none of `holdings` and `gone` has; with
    fewer such cards than a hand both shares are None.
    """
    points = [points_of(game, cards) for cards in holdings]
    others = _points_of_others(game, [*holdings, *gone])
    rows = [
        {
            "hand": cards_text(cards),
            "points": own,
            "why": reason_of(game, cards),
            "beats": float((others < own).mean()) if len(others) else None,
            "ties": float((others == own).mean()) if len(others) else None,
        }
        for cards, own in zip(holdings, points, strict=True)
    ]
    winners = [i for i, own in enumerate(points) if own == max(points)]
    return {"game": str(game), "hands": rows, "winners": winners}


def _points_of_others(game: Game, holdings: Sequence[Sequence[int]]) -> np.ndarray:
    """Points of every hand of the cards that are not in `holdings`."""
    rules = game.tables.rules[0]
    joker_mode, sevens = int(rules["joker_mode"]), int(rules["sevens"])
    size = int(rules["hole_cards"])
    others = np.array(list(combinations(remaining_deck(game, *holdings), size)), np.uint8)
    return np.array([strengths.svara_points(hand, size, joker_mode, sevens) for hand in others])


def _print_svara(document: dict[str, Any]) -> None:
    rows = []
    for i, row in enumerate(document["hands"]):
        beats, ties = ("" if row[key] is None else f"{row[key]:.2%}" for key in ("beats", "ties"))
        mark = "best" if i in document["winners"] and len(document["hands"]) > 1 else ""
        rows.append((row["hand"], row["points"], row["why"], beats, ties, mark))
    print_table(document["game"], ("hand", "points>", "why", "beats>", "ties>", ""), rows)


# Sviten.


def sviten_hands(
    game: Game, holdings: Sequence[Sequence[int]], board: Sequence[int]
) -> dict[str, Any]:
    """Names and strengths of both halves, and the exact shares of each hand over all run-outs.

    No card is drawn any more. Without a board there is only the draw half.
    """
    draw_shares, omaha_shares, run_outs = _shares(game, holdings, board)
    rows = []
    for i, cards in enumerate(holdings):
        row: dict[str, Any] = {
            "hand": cards_text(cards),
            "draw": {**draw_half(game, cards), "share": float(draw_shares[i])},
            "omaha": None,
            "pot_share": None,
        }
        if omaha_shares is not None:
            row["omaha"] = {**omaha_half(game, cards, board), "share": float(omaha_shares[i])}
            row["pot_share"] = float((draw_shares[i] + omaha_shares[i]) / 2)
        rows.append(row)
    document = {"game": str(game), "board": cards_text(board), "run_outs": run_outs, "hands": rows}
    winners = {"draw": _best(rows, "draw")}
    if len(board) == board_size(game):
        winners["omaha"] = _best(rows, "omaha")
    return {**document, "winners": winners}


def _best(rows: list[dict[str, Any]], half: str) -> list[int]:
    best = max(row[half]["rank"] for row in rows)
    return [i for i, row in enumerate(rows) if row[half]["rank"] == best]


Shares = list[Fraction]


def _shares(
    game: Game, holdings: Sequence[Sequence[int]], board: Sequence[int]
) -> tuple[Shares, Shares | None, int]:
    """Shares of the draw half and of the Omaha half (None without a board), and the run-outs."""
    draw = _equal_shares([draw_half(game, cards)["rank"] for cards in holdings])
    if not board:
        return draw, None, 0
    if len(board) == board_size(game):
        return draw, _equal_shares([omaha_half(game, h, board)["rank"] for h in holdings]), 1
    return draw, *_omaha_shares(game, holdings, board)


def _equal_shares(ranks: Sequence[int]) -> Shares:
    best = max(ranks)
    return [Fraction(int(rank == best), ranks.count(best)) for rank in ranks]


def _omaha_shares(
    game: Game, holdings: Sequence[Sequence[int]], board: Sequence[int]
) -> tuple[Shares, int]:
    """Shares of the Omaha half over all boards to come."""
    sizes = [game.parameters[name] for name in ("hole_cards", "omaha_hole", "omaha_board")]
    if sizes != [FULL_HAND, 2, 3] or board_size(game) != FULL_BOARD:
        raise ValueError(
            f"board {cards_text(board)}: {game.name} needs its full board of {board_size(game)}"
        )
    left = remaining_deck(game, board, *holdings)
    missing = FULL_BOARD - len(board)
    shown = np.zeros(FULL_BOARD, np.uint8)
    shown[: len(board)] = board
    _, omaha, _, run_outs = strengths.runout_shares(
        game.tables.rules["hands"][0],
        np.array(holdings, np.uint8),
        shown,
        len(board),
        int(game.tables.rules[0]["draw_half"]),
        np.uint64(mask_of(range(52)) & ~int(game.tables.rules[0]["deck"])),
    )
    assert run_outs == comb(len(left), missing)
    units = strengths.SHARE_UNITS * int(run_outs)
    return [Fraction(round(float(share) * units), units) for share in omaha], int(run_outs)


def _print_sviten(document: dict[str, Any]) -> None:
    rows = []
    for row in document["hands"]:
        omaha = row["omaha"] or {"name": "", "share": None}
        rows.append(
            (
                row["hand"],
                row["draw"]["name"],
                f"{row['draw']['share']:.2%}",
                omaha["name"],
                "" if omaha["share"] is None else f"{omaha['share']:.2%}",
                "" if row["pot_share"] is None else f"{row['pot_share']:.2%}",
            )
        )
    board = f", board {document['board']}" if document["board"] else ""
    title = f"{document['game']}{board}, run-outs: {document['run_outs']}"
    print_table(title, ("hand", "draw half", "share>", "Omaha half", "share>", "pot>"), rows)
