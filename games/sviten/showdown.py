"""Showdown of the Sviten games: every pot is split between two halves, each among its winners."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.betting import (
    is_live,
    live_seats,
)
from pokerspiel.games.cards import (
    popcount,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import draw_rank, omaha_rank
from pokerspiel.games.kernel import (
    MAX_SEATS,
    TERMINAL,
)
from pokerspiel.games.pots import best_seats, next_layer, share
from pokerspiel.games.sviten.state import BY_POSITION, FRACTIONAL, TO_OMAHA

# Showdown.


@kernel
def draw_strength(tables: Any, hole: Any, count: int) -> Any:
    """Strength of the draw half: of the cards held, as a high hand or as a flush."""
    return draw_rank(tables.rules[0].hands, hole, count, tables.rules[0].draw_half)


@kernel
def omaha_strength(tables: Any, hole: Any, count: int, board: Any, board_count: int) -> Any:
    """Strength of the Omaha half."""
    rules = tables.rules[0]
    return omaha_rank(
        tables.rules[0].hands, hole, count, board, board_count, rules.omaha_hole, rules.omaha_board
    )


@kernel
def _first_winner(winners: int, players: int) -> int:
    for seat in range(players):
        if winners >> seat & 1:
            return seat
    return players


@kernel
def settle(
    rules: Any, paid: Any, folded: int, draw: Any, omaha: Any, pays: Any, whole: Any
) -> None:
    """Share every pot: half to the best of `draw`, half to the best of `omaha` (strengths by seat).

    `pays` [seats] is set to the chips that each seat receives; `whole` is scratch of its length.
    """
    players = rules.players
    for seat in range(players):
        pays[seat] = 0.0
        whole[seat] = 0
    floor = 0
    while True:
        floor, chips, seats = next_layer(paid, folded, players, floor)
        if floor == 0:
            break
        by_draw = best_seats(draw, seats, players)
        by_omaha = best_seats(omaha, seats, players)
        if rules.odd_chip == FRACTIONAL:
            _share_exactly(chips, by_draw, by_omaha, players, pays)
            continue
        odd_to_draw = rules.odd_chip != TO_OMAHA
        if rules.odd_chip == BY_POSITION:
            odd_to_draw = _first_winner(by_draw, players) <= _first_winner(by_omaha, players)
        to_draw = (chips + 1) // 2 if odd_to_draw else chips // 2
        served = share(to_draw, by_draw, 0, players, 0, whole)
        if not rules.one_odd_chip_per_pot:
            served = 0
        share(chips - to_draw, by_omaha, 0, players, served, whole)
    for seat in range(players):
        pays[seat] += whole[seat]


@kernel
def _share_exactly(chips: int, by_draw: int, by_omaha: int, players: int, pays: Any) -> None:
    draw_winners = popcount(by_draw)
    omaha_winners = popcount(by_omaha)
    for seat in range(players):
        if by_draw >> seat & 1:
            pays[seat] += chips / 2.0 / draw_winners
        if by_omaha >> seat & 1:
            pays[seat] += chips / 2.0 / omaha_winners


@kernel
def _compare_hands(state: Any, tables: Any, draw: Any, omaha: Any) -> None:
    """Write the strengths of both halves of every live seat."""
    rules = tables.rules[0]
    for seat in range(rules.players):
        if is_live(state, seat):
            hole = state.hole[seat]
            draw[seat] = draw_strength(tables, hole, rules.hole_cards)
            omaha[seat] = omaha_strength(
                tables, hole, rules.hole_cards, state.board, state.board_count
            )


@kernel(allocates=True)
def halves_won(state: Any, tables: Any, draw: Any, omaha: Any) -> Any:
    """Write the chips that each seat won of the draw halves and of the Omaha halves.

    Halves are exact, odd chips shared; a bet that nobody called is no pot. Returns the mask of the
    seats at the showdown; 0, and no chips, if there was none.
    """
    players = tables.rules[0].players
    for seat in range(players):
        draw[seat] = 0.0
        omaha[seat] = 0.0
    if live_seats(state, players) == 1:
        return 0
    folded = np.int64(state.folded)
    strengths = np.zeros((2, MAX_SEATS), np.int64)
    _compare_hands(state, tables, strengths[0], strengths[1])
    floor = 0
    while True:
        floor, chips, seats = next_layer(state.paid, folded, players, floor)
        if floor == 0:
            return ((1 << players) - 1) & ~folded
        if popcount(seats) > 1:
            _share_exactly(chips, best_seats(strengths[0], seats, players), 0, players, draw)
            _share_exactly(chips, 0, best_seats(strengths[1], seats, players), players, omaha)


@kernel(allocates=True)
def finish(state: Any, tables: Any) -> None:
    """The last seat takes everything unseen, or the live hands are compared."""
    rules = tables.rules[0]
    state.turn = TERMINAL
    if live_seats(state, rules.players) == 1:
        for seat in range(rules.players):
            takes = state.pot if is_live(state, seat) else 0
            state.returns[seat] = takes - state.paid[seat]
        return
    scratch = np.zeros((3, MAX_SEATS), np.int64)
    _compare_hands(state, tables, scratch[0], scratch[1])
    folded = np.int64(state.folded)
    settle(rules, state.paid, folded, scratch[0], scratch[1], state.returns, scratch[2])
    for seat in range(rules.players):
        state.returns[seat] -= state.paid[seat]
