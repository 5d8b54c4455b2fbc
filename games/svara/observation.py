"""What a network sees of a hand of Svara."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games import betting
from pokerspiel.games.betting import bit, is_live
from pokerspiel.games.cards import RANKS, card_set
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import JOKER
from pokerspiel.games.kernel import MAX_DECKS
from pokerspiel.games.observing import (
    ALIKE,
    CARDS,
    PER_LANE,
    chips_on_table,
    depth,
    pot_odds,
    suit_order,
    write_cards,
    write_moves,
)
from pokerspiel.games.svara.knowledge import cards_held
from pokerspiel.games.svara.play import counts_svarkas
from pokerspiel.games.svara.state import BET, JOIN, MAIN_POT

_PHASES = 4
_LANES = 2
_STAKES = 12
_PER_SEAT = 7 + _LANES * PER_LANE
_PUBLIC = _PHASES + _STAKES
_MOST_POINTS = 34
_PRIVATE = CARDS + 1 + _MOST_POINTS + 1 + 2
_ACE = RANKS.index("A")


def observation_size(parameters: dict[str, Any]) -> Any:
    """Length of the observation: see `observe`."""
    return _PER_SEAT * parameters["players"] + _PUBLIC + _PRIVATE


def private_block(parameters: dict[str, Any]) -> slice:
    """Where `observe` writes what the others do not see."""
    at = _PER_SEAT * parameters["players"] + _PUBLIC
    return slice(at, at + _PRIVATE)


@kernel
def observe(state: Any, tables: Any, player: int, out: Any) -> None:
    """Write what `player` sees now, with n players.

    Seats are counted from the left of the dealer, who is at place n - 1, so that it is the same
    whoever deals. What everybody sees; chips are divided by the chips on the table:

    | from | numbers | meaning |
    |---|---|---|
    | 0 | n | the player |
    | n | n | live seats |
    | 2n | n | seats that take part in the deal |
    | 3n | n | stacks |
    | 4n | n | bets of the round |
    | 5n | n | seats that may win the main pot |
    | 6n | n | the seat that made the last blind bet |
    | 7n | 30n | moves: seat x (blind phase, betting) x 5, latest first, x (stays, wagers, |
    | | | menu size or multiplier / 4) |
    | 37n | 4 | phase |
    | 37n + 4 | 12 | pot, the main pot as it was carried into the deal, level, blind, price to |
    | | | join, owed by the player, wagers / 10, svarkas left / 16 (where they count), |
    | | | pot odds owed / (pot + owed); then log2(1 + antes) / 8 of pot, owed, own stack |

    What the others do not see, from p = 37n + 16:

    | from | numbers | meaning |
    |---|---|---|
    | p | 4 x 13 | own cards: clubs, then the other suits, in an order that hides their names |
    | p + 52 | 1 | points / 34 |
    | p + 53 | 35 | points: 0 to 34 |
    | p + 88 | 1 | the joker is held |
    | p + 89 | 1 | aces / 4 |

    It depends on nothing that the abstraction `hands` forgets: a deal knows of earlier ones what is
    at stake. While seats are asked to join, level, blind, wagers, moves and cards of the deal that
    is over are gone.
    """
    rules = tables.rules[0]
    out[:] = 0.0
    at = _write_seats(state, rules, player, out)
    out[at + state.phase] = 1.0
    at = _write_stakes(state, rules, player, out, at + _PHASES)
    if state.phase != JOIN:
        _write_hand(state, rules, player, out, at)


@kernel
def _write_seats(state: Any, rules: Any, player: int, out: Any) -> Any:
    n = rules.players
    chips = chips_on_table(rules)
    at = 7 * n
    for place in range(n):
        seat = (state.dealer + 1 + place) % n
        out[place] = 1.0 if seat == player else 0.0
        out[n + place] = 1.0 if is_live(state, seat) else 0.0
        out[2 * n + place] = 1.0 if state.in_deal & bit(seat) else 0.0
        out[3 * n + place] = state.stack[seat] / chips
        out[4 * n + place] = state.bet[seat] / chips
        if state.pots > 0 and state.pot_seats[MAIN_POT] & bit(seat):
            out[5 * n + place] = 1.0
        if state.phase != JOIN and state.blind_seat == seat:
            out[6 * n + place] = 1.0
        at = write_moves(out, at, state.moves[seat], _LANES)
    return at


@kernel
def _owed(state: Any, player: int) -> Any:
    """Chips that staying in, or joining, costs the player."""
    if state.phase == JOIN:
        return np.int64(state.price)
    if state.phase == BET and is_live(state, player):
        return np.int64(betting.owed(state, player))
    return np.int64(0)


@kernel
def _write_stakes(state: Any, rules: Any, player: int, out: Any, at: int) -> Any:
    chips = chips_on_table(rules)
    owed = _owed(state, player)
    out[at] = state.pot / chips
    if state.pots > 0:
        out[at + 1] = state.pot_chips[MAIN_POT] / chips
    if state.phase != JOIN:
        out[at + 2] = state.level / chips
        out[at + 3] = state.blind / chips
        out[at + 6] = state.wagers / 10.0
    out[at + 4] = state.price / chips
    out[at + 5] = owed / chips
    if counts_svarkas(rules):
        out[at + 7] = (rules.max_svarkas - state.svarkas) / MAX_DECKS
    out[at + 8] = pot_odds(owed, state.pot)
    out[at + 9] = depth(state.pot, rules.ante)
    out[at + 10] = depth(owed, rules.ante)
    out[at + 11] = depth(state.stack[player], rules.ante)
    return at + _STAKES


@kernel
def _write_hand(state: Any, rules: Any, player: int, out: Any, at: int) -> None:
    """The cards of the player; what they are worth once there are all of them."""
    n = cards_held(state, rules, player)
    own = card_set(state.hand[player], n)
    clubs = np.uint64(0x1111111111111)
    at = write_cards(out, at, own, suit_order((clubs, own), ALIKE))
    if n == 0 or state.phase != BET:
        return
    out[at] = state.points[player] / _MOST_POINTS
    out[at + 1 + state.points[player]] = 1.0
    at += 2 + _MOST_POINTS
    for i in range(n):
        card = np.int64(state.hand[player, i])
        if card == JOKER:
            out[at] = 1.0
        elif card >> 2 == _ACE:
            out[at + 1] += 0.25
