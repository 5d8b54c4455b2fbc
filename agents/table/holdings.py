"""The cards of a seat and what they are called: Svara points, both halves of a Sviten hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pokerspiel.games import hands as strengths
from pokerspiel.games import svara, sviten
from pokerspiel.games.variants import Game

FULL_BOARD = 5


def own_cards(game: Game, state: Any, seat: int) -> list[int]:
    """The cards that a seat of a Svara or Sviten game holds, of those that it has looked at."""
    if game.family is sviten:
        return [int(card) for card in state["hole"][seat][: int(state["hole_count"][seat])]]
    if game.family is svara and state["phase"] == svara.BET and int(state["in_deal"]) >> seat & 1:
        return [int(card) for card in state["hand"][seat][: int(game.parameters["hole_cards"])]]
    return []


def shown_cards(game: Game, state: Any, seat: int) -> list[int]:
    """The cards that a seat of a Svara or Sviten game shows when hands are compared.

    They are sorted: the order in which they came would tell which of them were drawn.
    """
    cards = own_cards(game, state, seat)
    if game.family is svara:
        cards = [int(card) for card in state["hand"][seat][: int(game.parameters["hole_cards"])]]
    return sorted(cards, reverse=True)


def board_cards(game: Game, state: Any) -> list[int]:
    if game.family is not sviten:
        return []
    return [int(card) for card in state["board"][: int(state["board_count"])]]


def points_of(game: Game, cards: Sequence[int]) -> int:
    """Points of a hand of Svara."""
    rules = game.tables.rules[0]
    return int(
        strengths.svara_points(
            np.array(cards, np.uint8), len(cards), int(rules["joker_mode"]), int(rules["sevens"])
        )
    )


def reason_of(game: Game, cards: Sequence[int]) -> str:
    """Why a hand of Svara has its points, whatever the order of its cards."""
    rules = game.tables.rules[0]
    ordered = sorted(cards)
    return strengths.svara_reason(ordered, int(rules["joker_mode"]), int(rules["sevens"]))


def draw_half(game: Game, cards: Sequence[int]) -> dict[str, Any]:
    """Name and strength of the cards held; the higher strength wins."""
    rank = int(sviten.draw_strength(game.tables, np.array(cards, np.uint8), len(cards)))
    if game.parameters["draw_half"] == "flush":
        return {"name": strengths.flush_name(cards), "rank": rank}
    return {"name": strengths.high_name(rank, len(cards)), "rank": rank}


def omaha_half(game: Game, cards: Sequence[int], board: Sequence[int]) -> dict[str, Any]:
    """Name and strength of the best Omaha hand on the board as it lies."""
    held, shared = np.array(cards, np.uint8), np.zeros(FULL_BOARD, np.uint8)
    shared[: len(board)] = board
    rank = int(sviten.omaha_strength(game.tables, held, len(cards), shared, len(board)))
    size = int(game.parameters["omaha_hole"]) + int(game.parameters["omaha_board"])
    return {"name": strengths.high_name(rank, size), "rank": rank}
