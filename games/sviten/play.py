"""The course of a Sviten hand: betting, board, draw, and what chance may deal."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games import betting
from pokerspiel.games.abstraction import halves
from pokerspiel.games.betting import (
    CALL,
    FIXED_LIMIT,
    FOLD,
    WAGER,
    bet,
    is_live,
    legal_bets,
    live_seats,
    move_kind,
    next_to_act,
    note_move,
    open_round,
    pay,
    set_price,
)
from pokerspiel.games.cards import (
    popcount,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    KIND_DRAW,
    KIND_KEEP,
    KIND_REJECT,
    MAX_DECKS,
    mix,
)
from pokerspiel.games.sviten import buckets
from pokerspiel.games.sviten.knowledge import hand_order
from pokerspiel.games.sviten.showdown import finish
from pokerspiel.games.sviten.state import (
    BET,
    BOARD,
    BURNS,
    CLUSTERS,
    DRAW,
    FACE_DOWN,
    FACE_UP,
    FLOP,
    HALVES,
    HOLE,
    KEEP,
    KEPT,
    NOT_DRAWN,
    PREFLOP,
    REJECTED,
    REPLACE,
    RIVER,
    SET_ASIDE,
    TURN,
    first_discard,
    held,
    keep,
    reject,
)

# Beginning a hand.


@kernel
def begin(state: Any, tables: Any) -> None:
    """A new hand: stacks and blinds; the hole cards come next."""
    rules = tables.rules[0]
    players = rules.players
    state.history = 0
    state.epoch = 0
    state.shared = 0
    state.stub = rules.deck
    state.folded = 0
    state.pot = 0
    state.street = PREFLOP
    state.phase = HOLE
    state.turn = CHANCE
    state.drawer = -1
    state.aggressor = -1
    state.board_count = 0
    state.flop_count = rules.street_cards[FLOP]
    state.aside_count = 0
    state.muck = 0
    state.put_down = 0
    state.up_count = 0
    state.to_deal = players * rules.hole_cards
    state.reserve = BURNS if rules.burn else 0
    for street in range(TURN, RIVER + 1):
        state.reserve += rules.street_cards[street]
    for seat in range(players):
        state.returns[seat] = 0.0
        state.stack[seat] = rules.start_stack[seat]
        state.paid[seat] = 0
        state.hole_count[seat] = 0
        state.discards[seat] = 0
        state.drawn[seat] = 0
        state.draws[seat] = -1
        state.draw_end[seat] = NOT_DRAWN
        state.memory[seat] = 0
        state.bucket_tag[seat] = 0
        state.moves[seat] = 0
    _open_round(state, rules, rules.big_blind)
    small, big = _blind_seats(players)
    pay(state, small, rules.small_blind)
    pay(state, big, rules.big_blind)
    set_price(state, rules.big_blind)


@kernel
def _blind_seats(players: int) -> tuple[int, int]:
    """(small blind, big blind): heads-up the button posts the small one."""
    return (1, 0) if players == 2 else (0, 1)


@kernel
def _open_round(state: Any, rules: Any, step: int) -> None:
    open_round(state, rules.players, step)
    state.round_bets = 0
    state.round_pot = state.pot
    state.led = state.aggressor
    state.aggressor = -1


@kernel
def _remember(state: Any, event: int) -> None:
    """Add a public event to the history."""
    state.history = mix(state.history, np.uint64(event + 1))


# The course of the hand.


@kernel
def _open_betting(state: Any, rules: Any) -> Any:
    """Open the round of the street; False if nobody has to act in it.

    Before the flop the seat behind the big blind is first, later the one left of the button.
    """
    state.phase = BET
    state.shared = 0
    first_after = rules.players - 1
    if state.street == PREFLOP:
        _, first_after = _blind_seats(rules.players)
    else:
        step = np.int64(rules.big_blind)
        if rules.structure == FIXED_LIMIT and state.street >= TURN:
            step *= 2
        _open_round(state, rules, step)
    seat = next_to_act(state, rules.players, first_after)
    state.turn = seat
    return seat >= 0


@kernel
def _advance(state: Any, tables: Any) -> None:
    """Go on after a betting round or a draw, up to the next decision or card, or to the end."""
    rules = tables.rules[0]
    while True:
        if state.street == FLOP and _next_drawer(state, rules):
            return
        state.street += 1
        if state.street == rules.rounds:
            finish(state, tables)
            return
        state.to_deal = rules.street_cards[state.street]
        if state.to_deal > 0:
            _offer_set_aside(state)
            state.phase = BOARD
            state.shared = 1
            state.turn = CHANCE
            return
        if _open_betting(state, rules):
            return


@kernel
def _offer_set_aside(state: Any) -> None:
    """After a reshuffle the board cards are fixed: the one set aside first is the only outcome."""
    if state.aside_count > 0:
        state.stub = np.uint64(1) << np.uint64(state.aside[0])


@kernel
def _act_bet(state: Any, tables: Any, action: int) -> None:
    rules = tables.rules[0]
    seat = state.turn
    bet(state, rules, seat, action)
    note_move(state, seat, state.street, move_kind(rules, action))
    state.round_bets = mix(state.round_bets, np.uint64(action + 1))
    if action == FOLD:
        state.muck |= held(state, seat)
        if live_seats(state, rules.players) == 1:
            finish(state, tables)
            return
    elif action != CALL:
        state.aggressor = seat
    following = next_to_act(state, rules.players, seat)
    if following >= 0:
        state.turn = following
    else:
        _advance(state, tables)


# The draw.


@kernel
def _next_drawer(state: Any, rules: Any) -> bool:
    """Give the turn to the next live seat that draws; False when all have drawn."""
    state.muck |= state.put_down
    state.put_down = 0
    for seat in range(state.drawer + 1, rules.players):
        if is_live(state, seat):
            state.drawer = seat
            state.turn = seat
            state.phase = DRAW
            return True
    state.drawer = rules.players
    return False


@kernel
def discarded(state: Any, tables: Any, action: int) -> Any:
    """What a discard throws away, as a bit mask over the places in `state.hole[drawer]`."""
    rules = tables.rules[0]
    choice = action - first_discard(rules)
    if rules.abstraction == HALVES:
        return halves.plan(state, rules, tables.rules[0].hands, state.turn, choice)
    if rules.abstraction == CLUSTERS:
        return buckets.plan(state, rules, state.turn, choice)
    order = hand_order(state, state.turn)
    places = 0
    for i in range(rules.hole_cards):
        if choice >> i & 1:
            places |= 1 << (order >> (4 * i) & 15)
    return places


@kernel
def _act_discard(state: Any, tables: Any, action: int) -> None:
    rules = tables.rules[0]
    seat = state.turn
    places = discarded(state, tables, action)
    state.memory[seat] = mix(state.memory[seat], np.uint64(action + 1))
    kept = 0
    drawn = 0
    for i in range(rules.hole_cards):
        card = state.hole[seat, i]
        if places >> i & 1:
            state.discards[seat] |= np.uint64(1) << np.uint64(card)
            drawn += 1
        else:
            state.hole[seat, kept] = card
            kept += 1
    state.hole_count[seat] = kept
    state.put_down = state.discards[seat]
    state.draws[seat] = drawn
    _remember(state, 1_000_000 + drawn)
    if drawn == 0:
        if not _next_drawer(state, rules):
            _advance(state, tables)
    elif drawn == 1 and rules.one_card_face_up:
        _deal_drawer(state, rules, FACE_UP, 1)
    else:
        _deal_drawer(state, rules, REPLACE, drawn)


@kernel
def _deal_drawer(state: Any, rules: Any, phase: int, cards: int) -> None:
    """Let chance deal `cards` to the drawing seat; reshuffle first when the deck has run out.

    A reshuffle sets turn and river aside, then brings back the discards of earlier drawers,
    rejected cards and folded hands.
    """
    state.turn = CHANCE
    state.phase = phase
    state.to_deal = cards
    if popcount(state.stub) - state.reserve >= cards:
        return
    burns = BURNS if rules.burn else 0
    if state.reserve > burns:
        state.resume = phase
        state.phase = SET_ASIDE
        state.shared = 1
        state.to_deal = state.reserve - burns
    else:
        _reshuffle(state)


@kernel
def _reshuffle(state: Any) -> None:
    state.stub |= state.muck
    state.muck = 0
    state.epoch = min(state.epoch + 1, MAX_DECKS - 1)


@kernel
def _act_keep(state: Any, tables: Any, action: int) -> None:
    rules = tables.rules[0]
    seat = state.turn
    card = state.up[state.up_count - 1]
    if action == keep(rules):
        _remember(state, 1_000_010)
        state.draw_end[seat] = KEPT
        _take(state, seat, card)
        if not _next_drawer(state, rules):
            _advance(state, tables)
    else:
        _remember(state, 1_000_011)
        state.draw_end[seat] = REJECTED
        state.put_down |= np.uint64(1) << np.uint64(card)
        _deal_drawer(state, rules, REPLACE, 1)


@kernel
def _take(state: Any, seat: int, card: int) -> None:
    state.hole[seat, state.hole_count[seat]] = card
    state.hole_count[seat] += 1


# Chance.


@kernel
def _deal(state: Any, tables: Any, card: int) -> None:
    rules = tables.rules[0]
    phase = state.phase
    state.stub &= ~(np.uint64(1) << np.uint64(card))
    state.to_deal -= 1
    if phase == HOLE:
        dealt = rules.players * rules.hole_cards - state.to_deal - 1
        _take(state, dealt % rules.players, card)
    elif phase == BOARD:
        state.board[state.board_count] = card
        state.board_count += 1
        if state.aside_count > 0:
            state.aside_count -= 1
            for i in range(np.int64(state.aside_count)):
                state.aside[i] = state.aside[i + 1]
            _offer_set_aside(state)
        elif state.street >= TURN:
            state.reserve -= 1
    elif phase == SET_ASIDE:
        state.aside[state.aside_count] = card
        state.aside_count += 1
        state.reserve -= 1
    elif phase == FACE_UP:
        state.up[state.up_count] = card
        state.up_count += 1
    else:
        state.drawn[state.drawer] |= np.uint64(1) << np.uint64(card)
        _take(state, state.drawer, card)
    if state.to_deal == 0:
        _end_dealing(state, tables, phase)


@kernel
def _end_dealing(state: Any, tables: Any, phase: int) -> None:
    rules = tables.rules[0]
    if phase in (HOLE, BOARD):
        if not _open_betting(state, rules):
            _advance(state, tables)
    elif phase == SET_ASIDE:
        _reshuffle(state)
        seat = state.drawer
        state.shared = 0
        state.phase = state.resume
        single = state.phase == FACE_UP or state.draw_end[seat] == REJECTED
        state.to_deal = 1 if single else state.draws[seat]
    elif phase == FACE_UP:
        state.turn = state.drawer
        state.phase = KEEP
    else:
        if state.draw_end[state.drawer] == NOT_DRAWN:
            state.draw_end[state.drawer] = FACE_DOWN
        if not _next_drawer(state, rules):
            _advance(state, tables)


# The generic names.


@kernel
def legal_actions(state: Any, tables: Any, actions: Any) -> Any:
    rules = tables.rules[0]
    if state.phase == BET:
        return legal_bets(state, rules, state.turn, actions)
    if state.phase == KEEP:
        actions[0] = keep(rules)
        actions[1] = reject(rules)
        return 2
    n = 0
    if rules.abstraction == HALVES:
        for choice in range(min(halves.PLANS, 1 << rules.hole_cards)):
            actions[n] = first_discard(rules) + choice
            n += 1
        return n
    if rules.abstraction == CLUSTERS:
        for choice in range(buckets.offers(rules)):
            actions[n] = first_discard(rules) + choice
            n += 1
        return n
    for choice in range(1 << rules.hole_cards):
        if popcount(choice) <= rules.max_discards:
            actions[n] = first_discard(rules) + choice
            n += 1
    return n


@kernel
def act(state: Any, tables: Any, action: int) -> None:
    if state.turn == CHANCE:
        _deal(state, tables, action)
    elif state.phase == BET:
        _remember(state, action)
        _act_bet(state, tables, action)
    elif state.phase == KEEP:
        _act_keep(state, tables, action)
    else:
        _act_discard(state, tables, action)


@kernel
def action_kind(state: Any, tables: Any, action: int) -> int:
    """What an action does: see `kernel`."""
    rules = tables.rules[0]
    if action < rules.after_wagers:
        return min(action, WAGER)
    if action == keep(rules):
        return KIND_KEEP
    if action == reject(rules):
        return KIND_REJECT
    return KIND_DRAW


@kernel
def raise_cost(state: Any, tables: Any, action: int) -> Any:
    """Chips that a bet or raise puts in."""
    seat = np.int64(state.turn)
    return betting.wager_total(state, tables.rules[0], seat, action) - np.int64(state.bet[seat])


@kernel
def lift(state: Any, tables: Any, action: int, exact_tables: Any) -> Any:
    """A plan as the discard of `exact_tables` that throws away the same cards."""
    same = tables.rules[0].abstraction == exact_tables.rules[0].abstraction
    if same or state.phase != DRAW:
        return action
    places = discarded(state, tables, action)
    order = hand_order(state, state.turn)
    choice = 0
    for i in range(state.hole_count[state.turn]):
        if places >> (order >> (4 * i) & 15) & 1:
            choice |= 1 << i
    return first_discard(exact_tables.rules[0]) + choice
