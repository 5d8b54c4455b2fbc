"""What a network sees of a Sviten hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.abstraction.clusters import FEATURES
from pokerspiel.games.betting import is_live
from pokerspiel.games.cards import card_set
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import DRAW_FLUSH
from pokerspiel.games.observing import (
    ALIKE,
    CARDS,
    PER_LANE,
    RANKS,
    chips_on_table,
    depth,
    place_of_suit,
    pot_odds,
    suit_order,
    write_cards,
    write_moves,
)
from pokerspiel.games.sviten import buckets
from pokerspiel.games.sviten.knowledge import hand_order, known_suits, odds
from pokerspiel.games.sviten.levels import (
    FLUSH_EDGES,
    FLUSH_ENDS,
    HIGH_EDGES,
    HIGH_ENDS,
    LEVEL,
    OMAHA_EDGES,
    write_level,
)
from pokerspiel.games.sviten.showdown import draw_strength, omaha_strength
from pokerspiel.games.sviten.state import CLUSTERS, DRAW, KEEP, KEPT, MAX_HAND, REJECTED, held

_PHASES = 8
_STREETS = 5
_LANES = 4
_STAKES = 9
_PER_SEAT = 8 + _LANES * PER_LANE + RANKS
_PER_PLACE = RANKS + 4
_PUBLIC = _PHASES + _STREETS + 2 * RANKS + 2 * CARDS + _STAKES
_PRIVATE = 6 * CARDS + MAX_HAND * _PER_PLACE + 2 * LEVEL + FEATURES


def observation_size(parameters: dict[str, Any]) -> Any:
    """Length of the observation: see `observe`."""
    return _PER_SEAT * parameters["players"] + _PUBLIC + _PRIVATE


def private_block(parameters: dict[str, Any]) -> slice:
    """Where `observe` writes what depends on cards that the others do not see."""
    at = _PER_SEAT * parameters["players"] + _PUBLIC
    return slice(at, at + _PRIVATE)


@kernel(allocates=True)
def observe(state: Any, tables: Any, player: int, out: Any) -> None:
    """Write what `player` sees now, with n players.

    What everybody sees; chips are divided by the chips on the table:

    | from | numbers | meaning |
    |---|---|---|
    | 0 | n | the player |
    | n | n | live seats |
    | 2n | n | stacks |
    | 3n | n | bets of the round |
    | 4n | n | chips paid |
    | 5n | n | cards drawn / 5 |
    | 6n | n | face-up card kept |
    | 7n | n | face-up card rejected |
    | 8n | 60n | moves: seat x 4 streets x 5, latest first, x (stays, wagers, menu size / 4) |
    | 68n | 13n | rank of the seat's face-up card |
    | 81n | 8 | phase |
    | 81n + 8 | 5 | street |
    | 81n + 13 | 2 x 13 | ranks of the first and the second board card after the flop |
    | 81n + 39 | 4 x 13 | board |
    | 81n + 91 | 4 x 13 | face-up cards |
    | 81n + 143 | 9 | pot, level, wagers / 10, pot when the round began, owed by the player, |
    | | | pot odds owed / (pot + owed); then log2(1 + big blinds) / 8 of pot, owed, own stack |

    What depends on private cards, from p = 81n + 152:

    | from | numbers | meaning |
    |---|---|---|
    | p | 4 x 13 | own cards |
    | p + 52 | 4 x 13 | own discards |
    | p + 104 | 4 x 13 | those of the own cards that were drawn face down |
    | p + 156 | 4 x 13 | board |
    | p + 208 | 4 x 13 | the face-up card of the player |
    | p + 260 | 4 x 13 | the face-up cards of the others |
    | p + 312 | 5 x 17 | at the discard: rank and suit of each card, in the order of the bits |
    | p + 397 | 10 | draw half as held: category (in Sviten Flush: length), share it beats |
    | p + 407 | 10 | Omaha half on the board as it lies: category, share it beats |
    | p + 417 | 6 | with the abstraction `clusters`: centre of the bucket |

    Suits are in an order that depends on the cards written, not on their names: in the public part
    on board and face-up cards, in the private one on all that the player knows. A face-up card yet
    to be kept or rejected counts as held in the draw half and the Omaha half.
    """
    rules = tables.rules[0]
    out[:] = 0.0
    out[player] = 1.0
    at = _write_seats(state, rules, out)
    at = _write_table(state, out, at)
    at = _write_stakes(state, rules, player, out, at)
    at = _write_known_cards(state, rules, player, out, at)
    at = _write_strengths(state, tables, player, out, at)
    _write_centre(state, rules, player, out, at)


# What everybody sees.


@kernel
def _write_seats(state: Any, rules: Any, out: Any) -> Any:
    n = rules.players
    chips = chips_on_table(rules)
    at = 8 * n
    for seat in range(n):
        out[n + seat] = 1.0 if is_live(state, seat) else 0.0
        out[2 * n + seat] = state.stack[seat] / chips
        out[3 * n + seat] = state.bet[seat] / chips
        out[4 * n + seat] = state.paid[seat] / chips
        out[5 * n + seat] = max(0, state.draws[seat]) / 5.0
        out[6 * n + seat] = 1.0 if state.draw_end[seat] == KEPT else 0.0
        out[7 * n + seat] = 1.0 if state.draw_end[seat] == REJECTED else 0.0
        at = write_moves(out, at, state.moves[seat], _LANES)
    shown = 0
    for seat in range(n):
        if _shows_card(state, seat):
            out[at + (state.up[shown] >> 2)] = 1.0
            shown += 1
        at += RANKS
    return at


@kernel
def _shows_card(state: Any, seat: int) -> Any:
    """Whether a seat has drawn a card face up; those who have are in the order of `state.up`."""
    pending = state.phase == KEEP and state.drawer == seat
    return pending or state.draw_end[seat] == KEPT or state.draw_end[seat] == REJECTED


@kernel
def _write_table(state: Any, out: Any, at: int) -> Any:
    """Phase, street, board and face-up cards."""
    out[at + state.phase] = 1.0
    at += _PHASES
    out[at + state.street] = 1.0
    at += _STREETS
    for i in range(np.int64(state.flop_count), np.int64(state.board_count)):
        out[at + RANKS * (i - state.flop_count) + (state.board[i] >> 2)] = 1.0
    at += 2 * RANKS
    board = card_set(state.board, state.board_count)
    shown = card_set(state.up, state.up_count)
    order = suit_order((board, shown), ALIKE)
    at = write_cards(out, at, board, order)
    return write_cards(out, at, shown, order)


@kernel
def _write_stakes(state: Any, rules: Any, player: int, out: Any, at: int) -> Any:
    owed, pot = odds(state, player)
    chips = chips_on_table(rules)
    out[at] = pot / chips
    out[at + 1] = state.level / chips
    out[at + 2] = state.wagers / 10.0
    out[at + 3] = state.round_pot / chips
    out[at + 4] = owed / chips
    out[at + 5] = pot_odds(owed, pot)
    out[at + 6] = depth(pot, rules.big_blind)
    out[at + 7] = depth(owed, rules.big_blind)
    out[at + 8] = depth(state.stack[player], rules.big_blind)
    return at + _STAKES


# What the player knows.


@kernel
def _write_known_cards(state: Any, rules: Any, player: int, out: Any, at: int) -> Any:
    """All that the player knows of the cards, and how its discards are named."""
    own = held(state, player)
    discards = state.discards[player]
    drawn = state.drawn[player] & own
    board = card_set(state.board, state.board_count)
    mine, theirs = _shown_cards(state, rules, player)
    words = known_suits(state, player)
    order = suit_order((own, discards, drawn, board, mine, theirs), words)
    at = write_cards(out, at, own, order)
    at = write_cards(out, at, discards, order)
    at = write_cards(out, at, drawn, order)
    at = write_cards(out, at, board, order)
    at = write_cards(out, at, mine, order)
    at = write_cards(out, at, theirs, order)
    if state.phase == DRAW and state.turn == player:
        places = hand_order(state, player)
        for i in range(np.int64(state.hole_count[player])):
            card = np.int64(state.hole[player, places >> (4 * i) & 15])
            out[at + _PER_PLACE * i + (card >> 2)] = 1.0
            out[at + _PER_PLACE * i + RANKS + place_of_suit(order, card)] = 1.0
    return at + MAX_HAND * _PER_PLACE


@kernel
def _shown_cards(state: Any, rules: Any, player: int) -> Any:
    """The face-up cards of the player, and those of the others."""
    mine = np.uint64(0)
    theirs = np.uint64(0)
    shown = 0
    for seat in range(rules.players):
        if _shows_card(state, seat):
            card = np.uint64(1) << np.uint64(state.up[shown])
            shown += 1
            if seat == player:
                mine |= card
            else:
                theirs |= card
    return mine, theirs


@kernel(allocates=True)
def _write_strengths(state: Any, tables: Any, player: int, out: Any, at: int) -> Any:
    """What both halves are worth now."""
    rules = tables.rules[0]
    hand = np.zeros(MAX_HAND, np.uint8)
    n = np.int64(state.hole_count[player])
    for i in range(n):
        hand[i] = state.hole[player, i]
    if state.phase == KEEP and state.turn == player:
        hand[n] = state.up[state.up_count - 1]
        n += 1
    draw = draw_strength(tables, hand, n)
    if rules.draw_half == DRAW_FLUSH:
        at = write_level(out, at, draw, FLUSH_ENDS, FLUSH_EDGES[n])
    else:
        at = write_level(out, at, draw, HIGH_ENDS[n], HIGH_EDGES[n])
    omaha = omaha_strength(tables, hand, n, state.board, state.board_count)
    used = rules.omaha_hole + rules.omaha_board
    edges = HIGH_EDGES[used]
    if used == MAX_HAND and rules.hole_cards == MAX_HAND:
        edges = OMAHA_EDGES[max(np.int64(state.board_count) - rules.omaha_board, 0)]
    return write_level(out, at, omaha, HIGH_ENDS[used], edges)


@kernel
def _write_centre(state: Any, rules: Any, player: int, out: Any, at: int) -> None:
    """The centre of the hand's bucket; nothing while cards fall, or with other abstractions."""
    if rules.abstraction != CLUSTERS or state.turn < 0:
        return
    moment = buckets.moment_of(state, rules, player, state.phase == DRAW, state.phase == KEEP)
    bucket = buckets.ask(state, rules, player, moment)
    for i in range(FEATURES):
        out[at + i] = rules.clusters.centres[moment, i, bucket]
