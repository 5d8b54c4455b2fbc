"""The course of a hand of Svara: blind phase, deal, betting, showdown and svarka."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games import betting
from pokerspiel.games.betting import (
    FIXED_LIMIT,
    FOLD,
    GIVES_UP,
    LARGEST,
    WAGER,
    WAGERS,
    bet,
    bit,
    is_live,
    legal_bets,
    move_kind,
    next_live_seat,
    next_to_act,
    note_move,
    open_round,
    pay,
    seats_with_chips,
    set_price,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import svara_points
from pokerspiel.games.kernel import (
    CHANCE,
    KIND_BLIND,
    KIND_DECLINE,
    KIND_JOIN,
    KIND_LOOK,
    TERMINAL,
    mix,
)
from pokerspiel.games.pots import best_seats, count_seats, next_layer, share
from pokerspiel.games.svara.knowledge import mix_hand, receiver
from pokerspiel.games.svara.state import (
    BET,
    BETTING_LANE,
    BLIND,
    BLIND_LANE,
    COUNTED_SVARKAS,
    DEAL,
    DOWN,
    JOIN,
    MAIN_POT,
    UP,
    decline,
    first_blind,
    join,
    look,
)

# Beginning a deal.


@kernel
def begin(state: Any, tables: Any) -> None:
    """A new hand: stacks and antes; the blind phase, or the first card, comes next."""
    rules = tables.rules[0]
    state.history = 0
    state.epoch = 0
    state.shared = 0
    state.svarkas = 0
    state.folded = 0
    state.pot = 0
    state.pots = 0
    state.tied = 0
    state.price = 0
    state.dealer = rules.players - 1
    for seat in range(rules.players):
        state.returns[seat] = 0.0
        state.stack[seat] = rules.start_stack[seat]
        state.bet[seat] = 0
        state.paid[seat] = 0
        state.memory[seat] = 0
    _pay_antes(state, rules)
    _start_deal(state, rules)


@kernel
def _pay_antes(state: Any, rules: Any) -> None:
    for seat in range(rules.players):
        if is_live(state, seat):
            pay(state, seat, rules.ante)


@kernel
def _start_deal(state: Any, rules: Any) -> None:
    """The blind phase, or the deal, for the seats that are live."""
    state.stub = rules.deck
    state.epoch = state.svarkas
    state.dealt = 0
    state.blind = 0
    state.blind_seat = -1
    state.asked = 0
    state.in_deal = 0
    for seat in range(rules.players):
        state.moves[seat] = 0
        if is_live(state, seat):
            state.in_deal |= bit(seat)
    open_round(state, rules.players, rules.min_bet)
    _hash_stakes(state, rules)
    if rules.blind_phase and seats_with_chips(state, rules.players) > 1:
        state.phase = BLIND
        _ask_next_blind(state, rules)
    else:
        _start_cards(state)


@kernel
def _hash_stakes(state: Any, rules: Any) -> None:
    """Begin `deal_history` with what matters of the past: stacks, pots, who is in.

    Seats count from the left of the dealer, so that it is the same whoever deals.
    """
    n = rules.players
    left = rules.max_svarkas - state.svarkas if counts_svarkas(rules) else 0
    key = mix(np.uint64(left), _from_dealer(state, n, state.in_deal))
    key = mix(key, _from_dealer(state, n, state.tied))
    for i in range(n):
        seat = (state.dealer + 1 + i) % n
        key = mix(key, np.uint64(state.stack[seat]))
        if rules.svarka_ante and n > 2:
            key = mix(key, np.uint64(state.paid[seat]))  # antes are in no pot yet
    for i in range(np.int64(state.pots)):
        seats = _from_dealer(state, n, state.pot_seats[i])
        key = mix(key, np.uint64(state.pot_chips[i]) << np.uint64(16) | seats)
    state.deal_history = key


@kernel
def counts_svarkas(rules: Any) -> Any:
    """Whether how many svarkas are left belongs to what is at stake."""
    return rules.max_svarkas <= COUNTED_SVARKAS or rules.can_check != 0 or rules.players > 2


@kernel
def _from_dealer(state: Any, players: int, seats: int) -> Any:
    """A set of seats, numbered from the left of the dealer."""
    turned = np.uint64(0)
    for i in range(players):
        if seats & bit((state.dealer + 1 + i) % players):
            turned |= np.uint64(1) << np.uint64(i)
    return turned


@kernel
def _remember(state: Any, event: int) -> None:
    """Add a public event to the histories."""
    state.history = mix(state.history, np.uint64(event + 1))
    state.deal_history = mix(state.deal_history, np.uint64(event + 1))


# The blind phase.


@kernel
def _smallest_blind(state: Any, rules: Any) -> Any:
    return rules.opening_blind if state.blind == 0 else state.blind * rules.multiplier[0]


@kernel
def blind_total(state: Any, rules: Any, action: int) -> Any:
    """The total blind bet of a blind action."""
    index = action - first_blind(rules)
    return rules.opening_blind if index == 0 else state.blind * rules.multiplier[index - 1]


@kernel
def _ask_next_blind(state: Any, rules: Any) -> None:
    """Give the turn to the next seat that may bet blind, or end the phase."""
    while state.asked < rules.players * rules.max_blind_laps:
        seat = (state.dealer + 1 + state.asked) % rules.players
        if is_live(state, seat) and state.stack[seat] > 0:
            can_pay = state.bet[seat] + state.stack[seat] >= _smallest_blind(state, rules)
            if can_pay and seat != state.blind_seat:
                state.turn = seat
                return
            break  # nothing on offer that it can pay: as good as a look
        state.asked += 1
    _start_cards(state)


@kernel
def _legal_blinds(state: Any, rules: Any, actions: Any) -> int:
    seat = state.turn
    actions[0] = look(rules)
    if state.blind == 0:
        actions[1] = first_blind(rules)
        return 2
    n = 1
    for i in range(rules.multipliers):
        if state.blind * rules.multiplier[i] <= state.bet[seat] + state.stack[seat]:
            actions[n] = first_blind(rules) + 1 + i
            n += 1
    return n


@kernel
def _act_blind(state: Any, rules: Any, action: int) -> None:
    if action == look(rules):
        note_move(state, state.turn, BLIND_LANE, GIVES_UP)
        _start_cards(state)
        return
    size = min(action - first_blind(rules), LARGEST)
    note_move(state, state.turn, BLIND_LANE, WAGERS + size)
    total = blind_total(state, rules, action)
    pay(state, state.turn, total - state.bet[state.turn])
    state.blind = total
    state.blind_seat = state.turn
    state.asked += 1
    _ask_next_blind(state, rules)


# The deal.


@kernel
def _start_cards(state: Any) -> None:
    state.phase = DEAL
    state.turn = CHANCE


@kernel
def _deal(state: Any, rules: Any, card: int) -> None:
    seats = count_seats(np.int64(state.in_deal))
    state.hand[receiver(state, rules.players), state.dealt // seats] = card
    state.stub &= ~(np.uint64(1) << np.uint64(card))
    state.dealt += 1
    if state.dealt == seats * rules.hole_cards:
        for seat in range(rules.players):
            if state.in_deal & bit(seat):
                state.points[seat] = svara_points(
                    state.hand[seat], rules.hole_cards, rules.joker_mode, rules.sevens
                )
        _start_betting(state, rules)


# Betting.


@kernel
def _start_betting(state: Any, rules: Any) -> None:
    """The normal phase: after a blind bet B the price is 2B, else nothing is bet yet.

    Behind the last blind bettor is the first seat that did not bet blind, or, when the whole lap
    did, the one left of the dealer.
    """
    state.phase = BET
    after = state.dealer
    if state.blind > 0:
        set_price(state, 2 * state.blind)
        if rules.structure == FIXED_LIMIT:
            state.step = 2 * state.blind
        after = state.blind_seat
    _go_on(state, rules, after)


@kernel
def _go_on(state: Any, rules: Any, after: int) -> None:
    """Give the turn to the next seat that has to act, or settle the pots."""
    seat = next_to_act(state, rules.players, after)
    if seat >= 0 and seat == state.blind_seat and state.bet[seat] == state.blind:
        seat = seat if _somebody_paid(state) else -1
    if seat >= 0:
        state.turn = seat
    else:
        _settle(state, rules)


@kernel
def _somebody_paid(state: Any) -> Any:
    """Whether a seat still in has acted in the normal phase; else a blind bettor owes nothing."""
    return (state.closed & ~state.folded) != 0


@kernel
def _act_bet(state: Any, rules: Any, action: int) -> None:
    seat = state.turn
    bet(state, rules, seat, action)
    note_move(state, seat, BETTING_LANE, move_kind(rules, action))
    if action == FOLD:
        for i in range(np.int64(state.pots)):
            if state.pot_seats[i] != bit(seat):
                state.pot_seats[i] &= ~bit(seat)
    _go_on(state, rules, seat)


# Showdown and svarka.


@kernel
def _collect_bets(state: Any, rules: Any) -> None:
    """Lay the chips of this deal into pots; a pot of the same seats grows, others are new."""
    floor: Any = 0
    while True:
        top, chips, seats = next_layer(state.paid, np.int64(state.folded), rules.players, floor)
        if top == 0:
            break
        index: Any = np.int64(state.pots)
        for i in range(np.int64(state.pots)):
            if np.int64(state.pot_seats[i]) == seats:
                index = i
                break
        if index == state.pots:
            state.pots += 1
            state.pot_seats[index] = seats
            state.pot_chips[index] = 0
        state.pot_chips[index] += chips
        floor = top
    for seat in range(rules.players):
        state.paid[seat] = 0
        state.bet[seat] = 0


@kernel
def _settle(state: Any, rules: Any) -> None:
    """Pay every pot that one seat wins; go on with those that are tied."""
    _collect_bets(state, rules)
    last = state.svarkas >= rules.max_svarkas
    state.tied = 0
    kept = 0
    for i in range(np.int64(state.pots)):
        chips = state.pot_chips[i]
        winners = best_seats(state.points, np.int64(state.pot_seats[i]), rules.players)
        tie = count_seats(winners) > 1
        if chips > 0 and (not tie or last):
            share(chips, winners, (state.dealer + 1) % rules.players, rules.players, 0, state.stack)
            state.pot -= chips
        elif chips > 0:
            state.tied |= np.uint16(winners)
        carried = tie and not last and chips > 0
        if carried or i == MAIN_POT:
            # The main pot keeps its place, even when it is decided and empty.
            state.pot_chips[kept] = chips if carried else 0
            state.pot_seats[kept] = winners if carried else 0
            kept += 1
    state.pots = kept
    if state.tied == 0:
        _finish(state, rules)
    else:
        _start_joining(state, rules)


@kernel
def _finish(state: Any, rules: Any) -> None:
    state.turn = TERMINAL
    for seat in range(rules.players):
        state.returns[seat] = state.stack[seat] - rules.start_stack[seat]


@kernel
def _start_joining(state: Any, rules: Any) -> None:
    """Ask those who are not tied to buy into the main pot, if that is among the tied ones."""
    state.folded = 0
    for seat in range(rules.players):
        state.moves[seat] = 0
        if not state.tied & bit(seat):
            state.folded |= bit(seat)
    state.phase = JOIN
    state.asked = 0
    state.price = 0
    tied = count_seats(np.int64(state.pot_seats[MAIN_POT]))
    if tied > 0:
        state.price = share_of_pot(state.pot_chips[MAIN_POT], tied, rules.rounding)
    _hash_stakes(state, rules)
    if rules.players > 2:
        # Everybody sees who is tied.
        state.history = mix(state.history, state.deal_history)
    _ask_next_joiner(state, rules)


@kernel
def share_of_pot(chips: int, tied: int, rounding: int) -> int:
    if rounding == UP:
        return (chips + tied - 1) // tied
    if rounding == DOWN:
        return chips // tied
    return (2 * chips + tied) // (2 * tied)


@kernel
def _ask_next_joiner(state: Any, rules: Any) -> None:
    while state.price > 0 and state.asked < rules.players:
        seat = (state.dealer + 1 + state.asked) % rules.players
        if not state.tied & bit(seat) and state.stack[seat] >= state.price:
            state.turn = seat
            return
        state.asked += 1
    _start_svarka(state, rules)


@kernel
def _act_join(state: Any, rules: Any, action: int) -> None:
    seat = state.turn
    if action == join(rules):
        state.stack[seat] -= state.price
        state.pot += state.price
        state.pot_chips[MAIN_POT] += state.price
        state.pot_seats[MAIN_POT] |= bit(seat)
        state.folded &= ~bit(seat)
    state.asked += 1
    _ask_next_joiner(state, rules)


@kernel
def _start_svarka(state: Any, rules: Any) -> None:
    for seat in range(rules.players):
        if state.in_deal & bit(seat):
            state.memory[seat] = mix_hand(state.memory[seat], state, rules, seat)
    state.svarkas += 1
    state.tied = 0
    state.price = 0
    state.dealer = next_live_seat(state, rules.players, state.dealer)
    if rules.svarka_ante:
        _pay_antes(state, rules)
    _start_deal(state, rules)


# The generic names.


@kernel
def legal_actions(state: Any, tables: Any, actions: Any) -> Any:
    rules = tables.rules[0]
    if state.phase == BLIND:
        return _legal_blinds(state, rules, actions)
    if state.phase == BET:
        return legal_bets(state, rules, state.turn, actions)
    actions[0] = join(rules)
    actions[1] = decline(rules)
    return 2


@kernel
def act(state: Any, tables: Any, action: int) -> None:
    rules = tables.rules[0]
    if state.turn == CHANCE:
        _deal(state, rules, action)
        return
    _remember(state, action)
    if state.phase == BLIND:
        _act_blind(state, rules, action)
    elif state.phase == BET:
        _act_bet(state, rules, action)
    else:
        _act_join(state, rules, action)


@kernel
def action_kind(state: Any, tables: Any, action: int) -> int:
    """What an action does: see `kernel`."""
    rules = tables.rules[0]
    if action < rules.after_wagers:
        return min(action, WAGER)
    if action == look(rules):
        return KIND_LOOK
    if action == join(rules):
        return KIND_JOIN
    if action == decline(rules):
        return KIND_DECLINE
    return KIND_BLIND


@kernel
def raise_cost(state: Any, tables: Any, action: int) -> Any:
    """Chips that a bet or raise puts in."""
    seat = np.int64(state.turn)
    return betting.wager_total(state, tables.rules[0], seat, action) - np.int64(state.bet[seat])
