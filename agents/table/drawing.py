"""Sviten players who draw after the flop, and chances at the showdown over a sample of deals.

A player that draws throws the cards whose replacement promises most: see `best_discard`. `game` is
the look-up record of a game with percentiles, as that of the abstraction `clusters` has them; sets
of cards are bit masks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.agents.table.equities import MAX_SEATS, add_showdown
from pokerspiel.games.abstraction.outlook import (
    ALL_DISCARDS,
    DISCARDS,
    Sight,
    new_outlook,
    run_outs,
    take_card,
)
from pokerspiel.games.cards import card_set, lowest_card, popcount
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import draw_rank, omaha_rank

FLOP = 3
OUTLOOK_SAMPLES = 16
"""Deals of the cards to come by which a player judges its discards."""
_STREAM = 71


@kernel
def _bit(card: int) -> Any:
    return np.uint64(1) << np.uint64(card)


@kernel(allocates=True)
def best_discard(game: Any, hand: Any, flop: Any, outlook: Any) -> int:
    """The discard, a mask over the places of the hand, after which both halves promise most.

    What they promise is the mean percentile of the draw half and the Omaha half over
    OUTLOOK_SAMPLES deals of the cards to come. Only the player's own cards and the flop count.
    """
    seen = card_set(hand, 5) | card_set(flop, FLOP)
    sight = Sight(hand, flop, np.int64(FLOP), seen)
    run_outs(game, sight, ALL_DISCARDS, OUTLOOK_SAMPLES, _STREAM, outlook)
    best = 0
    for discard in range(1, DISCARDS):
        if _promise(outlook, discard) > _promise(outlook, best):
            best = discard
    return best


@kernel
def _promise(outlook: Any, discard: int) -> float:
    return float(outlook.draw[discard] + outlook.omaha[discard])


@kernel(allocates=True)
def draw_cards(
    game: Any, random: Any, hand: Any, discard: int, flop: Any, left: int, outlook: Any
) -> Any:
    """Replace the discards in `hand` by random cards of the set `left`; returns what is left.

    A single card comes face up where the game has it so: it is kept if both halves then promise
    at least as much as with a card that nobody has seen.
    """
    rest: Any = np.uint64(left)
    seen = card_set(hand, 5) | card_set(flop, FLOP)
    for i in range(5):
        if discard >> i & 1:
            hand[i] = take_card(random, rest)
            rest &= ~_bit(hand[i])
    if popcount(discard) != 1 or not game.one_card_face_up:
        return rest
    place = lowest_card(np.uint64(discard))
    sight = Sight(hand, flop, np.int64(FLOP), seen | _bit(hand[place]))
    run_outs(game, sight, 1 | discard, OUTLOOK_SAMPLES, _STREAM, outlook)
    if _promise(outlook, discard) > _promise(outlook, 0):
        hand[place] = take_card(random, rest)
        rest &= ~_bit(hand[place])
    return rest


# Opponents with random cards.

ANY = -1
"""An opponent of whom nothing is known."""
MAX_TRIES = 4_000
"""Hands that are looked at, a call, for opponents who have thrown a known number of cards."""


@kernel
def _deal_hand(random: Any, left: Any, hand: Any) -> Any:
    """Five random cards of the set `left`; returns what is left."""
    for i in range(5):
        hand[i] = take_card(random, left)
        left &= ~_bit(hand[i])
    return left


@kernel(allocates=True)
def deal_opponents(
    game: Any, random: Any, drew: Any, flop: Any, left: int, hands: Any, discards: Any, outlook: Any
) -> Any:
    """Random hands before the draw, and what they throw; returns (cards left, hands looked at).

    `drew` is how many cards each throws, ANY if that is not known; `discards` is -1 where nobody
    has looked. Each such hand is drawn by itself until it fits, and all of them again while they
    share a card, so that all deals that fit are equally likely.
    """
    tries = 0
    rest: Any = np.uint64(left)
    overlap = True
    while overlap and tries < MAX_TRIES:
        overlap = False
        rest = np.uint64(left)
        for seat in range(len(drew)):
            if drew[seat] != ANY and not overlap:
                thrown = -1
                while thrown != drew[seat] and tries < MAX_TRIES:
                    _deal_hand(random, np.uint64(left), hands[seat])
                    discards[seat] = best_discard(game, hands[seat], flop, outlook)
                    thrown = popcount(discards[seat])
                    tries += 1
                overlap = rest & card_set(hands[seat], 5) != card_set(hands[seat], 5)
                rest &= ~card_set(hands[seat], 5)
    for seat in range(len(drew)):
        if drew[seat] == ANY:
            rest = _deal_hand(random, rest, hands[seat])
            discards[seat] = -1
    return rest, tries


@kernel(allocates=True)
def finish_opponents(
    game: Any, random: Any, flop: Any, left: int, hands: Any, discards: Any, outlook: Any
) -> Any:
    """Let each of `hands` draw, those that have not chosen their discards by `best_discard`.

    Returns the cards left.
    """
    rest: Any = np.uint64(left)
    for seat in range(len(hands)):
        if discards[seat] < 0:
            discards[seat] = best_discard(game, hands[seat], flop, outlook)
        rest = draw_cards(game, random, hands[seat], discards[seat], flop, rest, outlook)
    return rest


@kernel(allocates=True)
def sample_showdowns(
    rules: Any,
    holes: Any,
    known_draw: bool,
    drew: Any,
    random_draw: bool,
    board: Any,
    n_board: int,
    dead: int,
    deals: int,
    seed: int,
    out: Any,
) -> int:
    """Add `deals` random deals to `out`, as in `equities`; returns how many there were.

    `holes` [n, 5] are the known hands, `drew` [m] belongs to the random ones (see
    `deal_opponents`). With `known_draw` or `random_draw` these or those throw cards after the
    flop by `best_discard`, else all are as they will be at the showdown. Fewer deals come about
    where hands that throw so many cards are too rare.
    """
    game = rules[0]
    n, m = len(holes), len(drew)
    random = np.array([seed], np.uint64)
    outlook = new_outlook()
    hands = np.zeros((MAX_SEATS, 5), np.uint8)
    discards = np.zeros(MAX_SEATS, np.int64)
    draw, omaha = np.zeros(MAX_SEATS, np.int64), np.zeros(MAX_SEATS, np.int64)
    full = np.zeros(5, np.uint8)
    full[:n_board] = board[:n_board]
    gone = np.uint64(dead) | card_set(board, n_board)
    for seat in range(n):
        gone |= card_set(holes[seat], 5)
    budget = MAX_TRIES
    for deal in range(deals):
        left: Any = game.deck & ~gone
        for i in range(n_board, FLOP):
            full[i] = take_card(random, left)
            left &= ~_bit(full[i])
        left, tries = deal_opponents(
            game, random, drew, full, left, hands[n : n + m], discards[n : n + m], outlook
        )
        budget -= tries
        if budget < 0 or tries >= MAX_TRIES:
            return deal
        for seat in range(n):
            hands[seat] = holes[seat]
            discards[seat] = -1
        if known_draw:
            left = finish_opponents(game, random, full, left, hands[:n], discards[:n], outlook)
        if random_draw:
            left = finish_opponents(
                game, random, full, left, hands[n : n + m], discards[n : n + m], outlook
            )
        for i in range(max(n_board, FLOP), 5):
            full[i] = take_card(random, left)
            left &= ~_bit(full[i])
        for seat in range(n + m):
            draw[seat] = draw_rank(game.hands, hands[seat], 5, game.draw_half)
            omaha[seat] = omaha_rank(game.hands, hands[seat], 5, full, 5, 2, 3)
        add_showdown(draw, omaha, n + m, 1.0, out)
    return deals
