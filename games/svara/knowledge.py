"""What a seat knows in Svara, and the key of its information set."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games import betting
from pokerspiel.games.betting import (
    bit,
)
from pokerspiel.games.cards import RANKS, popcount
from pokerspiel.games.compiled import kernel
from pokerspiel.games.deals import NO_CLASS
from pokerspiel.games.hands import JOKER
from pokerspiel.games.kernel import (
    CHANCE,
    EVERYBODY,
    mix,
)
from pokerspiel.games.pots import count_seats
from pokerspiel.games.svara.state import (
    BET,
    BLIND,
    BLOCKERS,
    CLUBS,
    HANDS,
    JOIN,
    MAIN_POT,
    NO_ABSTRACTION,
)

_ACE = RANKS.index("A")


@kernel
def receiver(state: Any, players: int) -> Any:
    """The seat that gets the next card: one at a time, clockwise from the left of the dealer."""
    place = state.dealt % count_seats(np.int64(state.in_deal))
    for i in range(1, players + 1):
        seat = (state.dealer + i) % players
        if state.in_deal & bit(seat):
            if place == 0:
                return seat
            place -= 1
    return -1


@kernel
def cards_held(state: Any, rules: Any, seat: int) -> Any:
    """Cards that a seat has been dealt in this deal."""
    if not state.in_deal & bit(seat):
        return 0
    seats = count_seats(np.int64(state.in_deal))
    held = state.dealt // seats
    place = 0
    for i in range(1, rules.players + 1):
        other = (state.dealer + i) % rules.players
        if other == seat:
            break
        if state.in_deal & bit(other):
            place += 1
    return held + 1 if place < state.dealt % seats else held


@kernel
def mix_hand(key: int, state: Any, rules: Any, seat: int) -> Any:
    """Add the hand to a hash; spades, hearts and diamonds are exchangeable, the joker is a club."""
    clubs = np.uint64(0)
    a = np.uint64(0)
    b = np.uint64(0)
    c = np.uint64(0)
    for i in range(cards_held(state, rules, seat)):
        card = np.uint64(state.hand[seat, i])
        rank = np.uint64(1) << (card >> np.uint64(2))
        suit = card & np.uint64(3)
        if suit == CLUBS:
            clubs |= rank
        elif suit == 1:
            a |= rank
        elif suit == 2:
            b |= rank
        else:
            c |= rank
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    key = mix(key, clubs | a << np.uint64(16))
    return mix(key, b | c << np.uint64(16))


@kernel
def information_key(state: Any, tables: Any, player: int) -> Any:
    """Hash of what `player` knows.

    `none` remembers all actions and own hands, up to an exchange of spades, hearts and diamonds.
    The others forget what no later deal depends on: they keep the stakes at the deal, the place
    behind the dealer, the actions since and of the hand its points (`points`), with the joker and
    the number of aces (`blockers`), or all up to suits (`hands`). A key of `hands` has the number
    of the hand's class in its last bits, NO_CLASS without a hand.
    """
    rules = tables.rules[0]
    if rules.abstraction == NO_ABSTRACTION:
        key = mix(mix(state.history, np.uint64(player)), state.memory[player])
        return mix_hand(key, state, rules, player)
    place = (player + 2 * rules.players - state.dealer - 1) % rules.players
    key = mix(state.deal_history, np.uint64(place))
    looked = state.phase == BET and state.in_deal & bit(player) != 0
    if rules.abstraction == HANDS:
        number: Any = NO_CLASS
        if looked:
            number = np.int64(tables.hand_class[hand_place(state.hand[player], rules)])
        return key & ~np.uint64(NO_CLASS) | np.uint64(number)
    if not looked:
        return mix(key, np.uint64(64 + state.phase))
    if rules.abstraction == BLOCKERS:
        key = mix(key, _blockers(state.hand[player], rules.hole_cards))
    return mix(key, np.uint64(state.points[player]))


@kernel
def hand_place(hand: Any, rules: Any) -> Any:
    """The number of a full hand among all hands of the deck, whatever the order of its cards.

    With places p < q < r of the cards in the deck it is C(p, 1) + C(q, 2) + C(r, 3).
    """
    n = np.int64(rules.hole_cards)
    number: Any = np.int64(0)
    for i in range(n):
        card = np.uint64(hand[i])
        place = popcount(rules.deck & ((np.uint64(1) << card) - np.uint64(1)))
        lower = 0
        for j in range(n):
            lower += hand[j] < hand[i]
        if lower == 0:
            number += place
        elif lower == 1:
            number += place * (place - 1) // 2
        else:
            number += place * (place - 1) * (place - 2) // 6
    return number


@kernel
def _blockers(hand: Any, n: int) -> Any:
    """Whether the hand holds the joker, and its aces."""
    found = np.uint64(0)
    for i in range(n):
        if hand[i] == JOKER:
            found += np.uint64(8)
        elif np.int64(hand[i]) >> 2 == _ACE:
            found += np.uint64(1)
    return found


@kernel
def audience(state: Any, tables: Any) -> int:
    """Who sees the next event: a card is seen by the seat that it is dealt to."""
    return receiver(state, tables.rules[0].players) if state.turn == CHANCE else EVERYBODY


@kernel
def odds(state: Any, player: int) -> Any:
    """(chips that staying in costs, chips to be won: for a joiner those of the main pot)."""
    if state.phase == JOIN:
        return np.int64(state.price), np.int64(state.pot_chips[MAIN_POT])
    if state.phase == BLIND:
        return 0, np.int64(state.pot)
    return np.int64(betting.owed(state, player)), np.int64(state.pot)
