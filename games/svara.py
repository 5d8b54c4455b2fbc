"""Svara: 2 to 9 seats, 32 cards, three cards each, blind bets, no check, ties played off.

A hand runs through blind phase, deal, betting and showdown; a tie for a pot is a *svarka*: the tied
players, and whoever buys in, begin again for the same pot with a new deck. Seat n-1 deals first.

Actions: the betting actions of `betting.py`, then look, the opening blind, a blind of each
multiplier, join, decline.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games import betting
from pokerspiel.games.betting import (
    BETTING,
    BETTING_PARAMETERS,
    BETTING_RULES,
    FIXED_LIMIT,
    FOLD,
    WAGER,
    bet,
    bit,
    fill_rules,
    is_live,
    legal_bets,
    live_seats,
    next_live_seat,
    next_to_act,
    numbers,
    open_round,
    pay,
    seats_with_chips,
    set_price,
    start_stacks,
)
from pokerspiel.games.cards import RANKS, card_name, deck_mask
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import svara_points
from pokerspiel.games.kernel import (
    CHANCE,
    COMMON,
    EVERYBODY,
    KIND_BLIND,
    KIND_DECLINE,
    KIND_JOIN,
    KIND_LOOK,
    MAX_DECKS,
    MAX_SEATS,
    TERMINAL,
    mix,
    random_below,
    register,
    same_action,
)
from pokerspiel.games.parameters import Limits, Parameter
from pokerspiel.games.pots import best_seats, count_seats, next_layer, share

BLIND, DEAL, BET, JOIN = 0, 1, 2, 3
MAX_HAND = 3
MAX_POTS = 2 * MAX_SEATS
MAIN_POT = 0
MAX_MULTIPLIERS = 4
UP, DOWN, NEAREST = 0, 1, 2
ROUNDINGS = ("up", "down", "nearest")
ABSTRACTIONS = {"none": 1, "points": 1}
"""Names of the information sets, with the version of each."""
NO_ABSTRACTION, POINTS = 0, 1
SUITS, CLUBS = 4, 0

STATE = np.dtype(
    [
        *COMMON,
        *BETTING,
        ("phase", np.uint8),
        ("dealer", np.int8),
        ("svarkas", np.uint8),  # ties played off so far
        ("in_deal", np.uint16),  # seats that take part in this deal
        ("dealt", np.uint8),  # cards dealt in this deal
        ("hand", np.uint8, (MAX_SEATS, MAX_HAND)),
        ("points", np.int8, (MAX_SEATS,)),
        ("asked", np.uint8),  # seats asked so far: in the blind phase, or to join
        ("blind", np.int32),  # the last blind bet
        ("blind_seat", np.int8),  # who made it
        ("tied", np.uint16),  # seats tied for a pot, while others are asked to join
        ("price", np.int32),  # what joining costs
        ("pots", np.uint8),  # pots carried into this deal
        ("pot_chips", np.int32, (MAX_POTS,)),
        ("pot_seats", np.uint16, (MAX_POTS,)),  # seats that may win the pot
        ("deal_history", np.uint64),  # hash of the stakes at the deal and the actions since
        ("memory", np.uint64, (MAX_SEATS,)),  # hash of the hands held in earlier deals
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("deck", np.uint64),
        *BETTING_RULES,
        ("ante", np.int32),
        ("min_bet", np.int32),
        ("blind_phase", np.int32),
        ("opening_blind", np.int32),
        ("multipliers", np.int32),
        ("multiplier", np.int32, (MAX_MULTIPLIERS,)),
        ("max_blind_laps", np.int32),
        ("svarka_ante", np.int32),
        ("max_svarkas", np.int32),
        ("rounding", np.int32),
        ("hole_cards", np.int32),
        ("joker_mode", np.int32),
        ("sevens", np.int32),
        ("abstraction", np.int32),
    ],
    align=True,
)


class Tables(NamedTuple):
    """Parameters of the game, for the kernels."""

    rules: np.ndarray


PARAMETERS = (
    Parameter("players", 2, "seats at the table", low=2, high=MAX_SEATS),
    Parameter("ante", 1, "chips that everybody pays before the deal", low=1, high=10_000),
    Parameter("stack", 20, "chips of every seat before the ante", low=1, high=1_000_000),
    *BETTING_PARAMETERS,
    Parameter("min_bet", 0, "smallest bet and raise; 0: the ante", low=0, high=10_000),
    Parameter("max_raises", 3, "raises after the first bet, in fixed_limit", low=0, high=20),
    Parameter("allow_check", False, "whether a seat may check"),
    Parameter("blind_phase", True, "whether seats may bet before they look"),
    Parameter("opening_blind", 0, "the first blind bet; 0: the ante", low=0, high=10_000),
    Parameter("blind_multipliers", "2 3 4", "a blind bet is one of these times the last one"),
    Parameter("max_blind_laps", 1, "laps of blind betting", low=1, high=4),
    Parameter(
        "joker_mode", "best", "joker and two others: 11 + best, or all", choices=("best", "sum_all")
    ),
    Parameter(
        "sevens", "best", "exactly two sevens: the best score, or 23", choices=("best", "fixed_23")
    ),
    Parameter("buyin_rounding", "up", "how the price to join is rounded", choices=ROUNDINGS),
    Parameter("svarka_ante", False, "whether a svarka costs a new ante"),
    Parameter("max_svarkas", 12, "ties played off in a row", low=0, high=MAX_DECKS - 1),
    Parameter("hole_cards", 3, "cards of each player", low=1, high=MAX_HAND),
    Parameter("ranks", "789TJQKA", "ranks in the deck"),
    Parameter("suits", "cdhs", "suits in the deck"),
    Parameter("abstraction", "none", "information sets", choices=tuple(ABSTRACTIONS)),
)


def make_tables(parameters: dict[str, Any]) -> Tables:
    """Check the parameters against each other and lay them out for the kernels.

    Raises ValueError with one line that names the value.
    """
    deck = deck_mask(parameters["ranks"], parameters["suits"])
    needed = parameters["players"] * parameters["hole_cards"]
    if deck & 0xFFFFF:
        raise ValueError(f"ranks={parameters['ranks']!r}: Svara has no card below a seven")
    if deck.bit_count() < needed:
        raise ValueError(
            f"a deck of {deck.bit_count()} cards is too small: {parameters['players']} players "
            f"need {needed}"
        )
    multipliers = numbers(parameters["blind_multipliers"], "blind_multipliers")
    if (
        not 1 <= len(multipliers) <= MAX_MULTIPLIERS
        or min(multipliers) < 2
        or max(multipliers) > 99
    ):
        raise ValueError(
            f"blind_multipliers={parameters['blind_multipliers']!r}: expected 1 to "
            f"{MAX_MULTIPLIERS} numbers from 2 to 99"
        )
    if sorted(set(multipliers)) != multipliers:
        raise ValueError(
            f"blind_multipliers={parameters['blind_multipliers']!r}: expected ascending numbers"
        )
    ante = parameters["ante"]
    stacks = start_stacks(parameters, least=ante)
    rules = np.zeros(1, RULES)
    # A seat that won a side pot may hold more than it began with when the main pot is played off.
    largest = max(stacks) if len(stacks) == 2 else sum(stacks)
    fill_rules(rules[0], parameters, stacks, largest)
    rules["deck"] = deck
    rules["max_wagers"] = parameters["max_raises"] + 1
    rules["can_check"] = parameters["allow_check"]
    rules["ante"] = ante
    rules["min_bet"] = parameters["min_bet"] or ante
    rules["blind_phase"] = parameters["blind_phase"]
    rules["opening_blind"] = parameters["opening_blind"] or ante
    rules["multipliers"] = len(multipliers)
    rules["multiplier"][0, : len(multipliers)] = multipliers
    rules["max_blind_laps"] = parameters["max_blind_laps"]
    rules["svarka_ante"] = parameters["svarka_ante"]
    rules["max_svarkas"] = parameters["max_svarkas"]
    rules["rounding"] = ROUNDINGS.index(parameters["buyin_rounding"])
    rules["hole_cards"] = parameters["hole_cards"]
    rules["joker_mode"] = int(parameters["joker_mode"] == "sum_all")
    rules["sevens"] = int(parameters["sevens"] == "fixed_23")
    rules["abstraction"] = tuple(ABSTRACTIONS).index(parameters["abstraction"])
    return Tables(rules)


def limits(parameters: dict[str, Any]) -> Limits:
    rules = make_tables(parameters).rules[0]
    players = int(rules["players"])
    stacks = rules["start_stack"][:players]
    deals = int(rules["max_svarkas"]) + 1
    wagers = int(rules["max_wagers"])
    if rules["structure"] != FIXED_LIMIT:
        wagers = int(stacks.sum()) // int(rules["min_bet"])
    wagers += players  # short all-ins
    blind = players * int(rules["max_blind_laps"]) if rules["blind_phase"] else 0
    decisions = blind + players * (wagers + 2)
    return Limits(
        num_actions=int(rules["after_wagers"]) + 4 + int(rules["multipliers"]),
        max_game_length=deals * decisions + (deals - 1) * players,
        max_chance_nodes=deals * players * int(rules["hole_cards"]),
        max_chance_outcomes=52,
        min_utility=-float(stacks.max()),
        max_utility=float(stacks.sum() - stacks.min()),
        big_unit=int(rules["ante"]),
        unit="ante",
    )


# Action numbers after the wagers.


@kernel
def look(rules: Any) -> Any:
    return np.int64(rules.after_wagers)


@kernel
def first_blind(rules: Any) -> Any:
    """The opening blind; the blinds of each multiplier follow."""
    return np.int64(rules.after_wagers) + 1


@kernel
def join(rules: Any) -> Any:
    return np.int64(rules.after_wagers) + 2 + rules.multipliers


@kernel
def decline(rules: Any) -> Any:
    return join(rules) + 1


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
    for seat in range(MAX_SEATS):
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
    """Begin `deal_history` with what matters of the past: stacks, pots, who is in, who deals."""
    key = mix(np.uint64(state.svarkas), np.uint64(state.in_deal) << np.uint64(8))
    key = mix(key, np.uint64(state.dealer + 1))
    key = mix(key, np.uint64(state.tied))
    for seat in range(rules.players):
        key = mix(key, np.uint64(state.stack[seat]))
    for i in range(np.int64(state.pots)):
        key = mix(
            key, np.uint64(state.pot_chips[i]) << np.uint64(16) | np.uint64(state.pot_seats[i])
        )
    state.deal_history = key


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
def _blind_total(state: Any, rules: Any, action: int) -> Any:
    """The total blind bet of a blind action."""
    index = action - first_blind(rules)
    return rules.opening_blind if index == 0 else state.blind * rules.multiplier[index - 1]


@kernel
def _ask_next_blind(state: Any, rules: Any) -> None:
    """Give the turn to the next seat that may bet blind, or end the phase."""
    while state.asked < rules.players * rules.max_blind_laps:
        seat = (state.dealer + 1 + state.asked) % rules.players
        if is_live(state, seat) and state.stack[seat] > 0:
            if state.bet[seat] + state.stack[seat] >= _smallest_blind(state, rules):
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
        _start_cards(state)
        return
    total = _blind_total(state, rules, action)
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
def _receiver(state: Any, players: int) -> Any:
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
def _deal(state: Any, rules: Any, card: int) -> None:
    seats = count_seats(np.int64(state.in_deal))
    state.hand[_receiver(state, rules.players), state.dealt // seats] = card
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
    """The normal phase: after a blind bet B the price is 2B, else nothing is bet yet."""
    state.phase = BET
    first = state.dealer
    if state.blind > 0:
        set_price(state, 2 * state.blind)
        if rules.structure == FIXED_LIMIT:
            state.step = 2 * state.blind
        for i in range(1, rules.players + 1):
            seat = (state.dealer + i) % rules.players
            if is_live(state, seat) and state.bet[seat] == 0:
                first = seat - 1 + rules.players
                break
    _go_on(state, rules, first % rules.players)


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
        if not state.tied & bit(seat):
            state.folded |= bit(seat)
    state.phase = JOIN
    state.asked = 0
    state.price = 0
    tied = count_seats(np.int64(state.pot_seats[MAIN_POT]))
    if tied > 0:
        state.price = _share_of_pot(state.pot_chips[MAIN_POT], tied, rules.rounding)
    _hash_stakes(state, rules)
    _ask_next_joiner(state, rules)


@kernel
def _share_of_pot(chips: int, tied: int, rounding: int) -> int:
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
            state.memory[seat] = _mix_hand(state.memory[seat], state, rules, seat)
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
def _mix_hand(key: int, state: Any, rules: Any, seat: int) -> Any:
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
    `points` keeps the stakes at the deal, the actions since and the points of the hand.
    """
    rules = tables.rules[0]
    if rules.abstraction == POINTS:
        key = mix(state.deal_history, np.uint64(player))
        if state.phase == BET and state.in_deal & bit(player):
            return mix(key, np.uint64(state.points[player]))
        return mix(key, np.uint64(64 + state.phase))
    key = mix(mix(state.history, np.uint64(player)), state.memory[player])
    return _mix_hand(key, state, rules, player)


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


@kernel
def audience(state: Any, tables: Any) -> int:
    """Who sees the next event: a card is seen by the seat that it is dealt to."""
    return _receiver(state, tables.rules[0].players) if state.turn == CHANCE else EVERYBODY


@kernel
def odds(state: Any, player: int) -> Any:
    """(chips that staying in costs, chips in the middle)."""
    if state.phase == JOIN:
        return np.int64(state.price), np.int64(state.pot)
    if state.phase == BLIND:
        return 0, np.int64(state.pot)
    return np.int64(betting.owed(state, player)), np.int64(state.pot)


@kernel
def equity(state: Any, tables: Any, player: int, action: int, samples: int, seed: int) -> Any:
    """Share of the pot that the hand takes from random hands of the seats still in, by sampling.

    Ties share equally. Before the cards are dealt it is an equal share.
    """
    rules = tables.rules[0]
    others = live_seats(state, rules.players) - (1 if is_live(state, player) else 0)
    if state.phase != BET:
        return 1.0 / (others + 1)
    random = np.array([seed], dtype=np.uint64)
    hand = np.empty(MAX_HAND, np.uint8)
    unseen = rules.deck
    for i in range(rules.hole_cards):
        unseen &= ~(np.uint64(1) << np.uint64(state.hand[player, i]))
    own = state.points[player]
    total = 0.0
    for _ in range(samples):
        left = unseen
        ties = 1
        lost = False
        for _ in range(others):
            for i in range(rules.hole_cards):
                card = random_below(random, 52)
                while not left >> np.uint64(card) & np.uint64(1):
                    card = random_below(random, 52)
                left &= ~(np.uint64(1) << np.uint64(card))
                hand[i] = card
            points = svara_points(hand, rules.hole_cards, rules.joker_mode, rules.sevens)
            if points > own:
                lost = True
            elif points == own:
                ties += 1
        if not lost:
            total += 1.0 / ties
    return total / samples


# What a network sees.

_PHASES = 4


def observation_size(parameters: dict[str, Any]) -> Any:
    """Length of the observation: see `observe`."""
    return 6 * parameters["players"] + _PHASES + 52 + 6


@kernel
def observe(state: Any, tables: Any, player: int, out: Any) -> None:
    """Write what `player` sees now; chips are divided by the chips on the table.

    Blocks in order: player (n), live (n), dealer (n), stacks (n), bets of the round (n), seats that
    may win the main pot (n), phase (4), own cards (52), then pot, level, blind, price to join,
    wagers / 10, svarkas / 10.
    """
    rules = tables.rules[0]
    n = rules.players
    chips = 0
    for seat in range(n):
        chips += rules.start_stack[seat]
    out[:] = 0.0
    out[player] = 1.0
    for seat in range(n):
        out[n + seat] = 1.0 if is_live(state, seat) else 0.0
        out[3 * n + seat] = state.stack[seat] / chips
        out[4 * n + seat] = state.bet[seat] / chips
        if state.pots > 0 and state.pot_seats[MAIN_POT] & bit(seat):
            out[5 * n + seat] = 1.0
    out[2 * n + state.dealer] = 1.0
    at = 6 * n
    out[at + state.phase] = 1.0
    at += _PHASES
    for i in range(cards_held(state, rules, player)):
        out[at + state.hand[player, i]] = 1.0
    at += 52
    out[at] = state.pot / chips
    out[at + 1] = state.level / chips
    out[at + 2] = state.blind / chips
    out[at + 3] = state.price / chips
    out[at + 4] = state.wagers / 10.0
    out[at + 5] = state.svarkas / 10.0


register(
    STATE,
    begin=begin,
    legal_actions=legal_actions,
    act=act,
    information_key=information_key,
    observe=observe,
    equity=equity,
    odds=odds,
    audience=audience,
    action_kind=action_kind,
    raise_cost=raise_cost,
    lift=same_action,
)


# For people.


def describe(game: Any, state: Any, action: int) -> tuple[Any, ...]:
    """What an action of the seat to act means: its kind, and the chips where there are any."""
    rules = game.tables.rules[0]
    if action < rules["after_wagers"]:
        return betting.describe(state, rules, action)
    if action == look(rules):
        return ("look",)
    if action == join(rules):
        return ("join", int(state["price"]))
    if action == decline(rules):
        return ("decline",)
    return ("blind", int(_blind_total(state, rules, action)))


def action_name(game: Any, state: Any, action: int) -> str:
    """The action in words, unique among the legal ones: "raise to 8", "blind 2", "deal 7c"."""
    if state["turn"] == CHANCE:
        return f"deal {card_name(action)}"
    return " ".join(str(word) for word in betting.in_words(state, describe(game, state, action)))


def public_event(game: Any, state: Any, seat: int, action: int) -> int:
    """The number under which everybody sees the action that led to `state`."""
    return action


def event_name(game: Any, event: int) -> str:
    """A public event in short: "f", "c", "r", "look", "b0" (the opening blind), "join" ..."""
    rules = game.tables.rules[0]
    place = event - int(rules["after_wagers"])
    if place < 0:
        return betting.short_name(rules, event)
    blinds = 1 + int(rules["multipliers"])
    if place <= blinds:
        return f"b{place - 1}" if place else "look"
    return "join" if place == blinds + 1 else "decline"


def hand_text(game: Any, state: Any, player: int) -> str:
    """What an information set says of the hand: its points, or its cards up to suits."""
    rules = game.tables.rules[0]
    held = int(cards_held(state, rules, player))
    if rules["abstraction"] == POINTS:
        shown = state["phase"] == BET and held
        return f"{int(state['points'][player])} points" if shown else ""
    cards = [int(card) for card in state["hand"][player][:held]]
    suits = [[card >> 2 for card in cards if card & 3 == suit] for suit in range(SUITS)]
    others = sorted((sorted(ranks) for ranks in suits[1:] if ranks), reverse=True)
    named = zip("cxyz", [suits[CLUBS], *others], strict=False)
    return "".join(RANKS[rank] + suit for suit, ranks in named for rank in sorted(ranks))


def private_block(parameters: dict[str, Any]) -> slice:
    """Where `observe` writes what the others do not see."""
    at = 6 * parameters["players"] + _PHASES
    return slice(at, at + 52)
