"""Sviten Special, Sviten Flush and Dramaha: Omaha and five-card draw share one hand and one pot.

A hand runs through blinds and deal, betting, flop, betting, one draw, turn, betting, river, betting
and showdown. Seat n-1 has the button; heads-up it posts the small blind. Who draws exactly one card
sees it face up and may reject it for another.

Actions: the betting actions of `betting.py`, then the discards (a bit mask over the hand in the
order of `hand_order`; the plans of `abstraction.halves` in that abstraction), keep, reject.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games import betting
from pokerspiel.games.abstraction import halves
from pokerspiel.games.betting import (
    BETTING,
    BETTING_PARAMETERS,
    BETTING_RULES,
    CALL,
    FIXED_LIMIT,
    FOLD,
    WAGER,
    bet,
    fill_rules,
    is_live,
    legal_bets,
    live_seats,
    next_to_act,
    open_round,
    pay,
    set_price,
    start_stacks,
)
from pokerspiel.games.cards import (
    RANKS,
    card_name,
    cards_of,
    cards_text,
    deck_mask,
    lowest_card,
    popcount,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import HAND_TABLES, draw_rank, hand_tables, omaha_rank
from pokerspiel.games.kernel import (
    CHANCE,
    COMMON,
    EVERYBODY,
    KIND_DRAW,
    KIND_KEEP,
    KIND_REJECT,
    MAX_DECKS,
    MAX_SEATS,
    NOBODY,
    TERMINAL,
    mix,
    random_below,
    register,
)
from pokerspiel.games.parameters import Limits, Parameter
from pokerspiel.games.pots import best_seats, next_layer, share

HOLE, BET, BOARD, DRAW, FACE_UP, KEEP, REPLACE, SET_ASIDE = 0, 1, 2, 3, 4, 5, 6, 7
"""Phases: deal, bet, board card, discard, face-up card, keep or reject, new cards, reshuffle."""
PREFLOP, FLOP, TURN, RIVER = 0, 1, 2, 3
SEATS = 8
MAX_HAND = 5
MAX_BOARD = 5
BURNS = 3
NOT_DRAWN, FACE_DOWN, KEPT, REJECTED = 0, 1, 2, 3
DRAW_HALVES = ("high", "flush")
TO_DRAW, TO_OMAHA, BY_POSITION, FRACTIONAL = 0, 1, 2, 3
ODD_CHIPS = ("draw", "omaha", "position", "fractional")
ABSTRACTIONS = {"none": 1, "halves": halves.VERSION}
"""Names of the information sets, with the version of each."""
NO_ABSTRACTION, HALVES = 0, 1

STATE = np.dtype(
    [
        *COMMON,
        *BETTING,
        ("phase", np.uint8),
        ("street", np.uint8),
        ("resume", np.uint8),  # phase to go on with after a reshuffle
        ("to_deal", np.uint8),  # cards that this chance phase still deals
        ("drawer", np.int8),  # seat that draws
        ("hole_count", np.uint8, (SEATS,)),
        ("hole", np.uint8, (SEATS, MAX_HAND)),
        ("board_count", np.uint8),
        ("flop_count", np.uint8),  # board cards that belong to the flop
        ("board", np.uint8, (MAX_BOARD,)),
        ("aside_count", np.uint8),  # board cards set aside by a reshuffle and not yet shown
        ("aside", np.uint8, (MAX_BOARD,)),
        ("reserve", np.uint8),  # cards of the stub that draws may not use
        ("muck", np.uint64),  # dead cards that a reshuffle brings back
        ("put_down", np.uint64),  # dead cards of the seat that draws now
        ("discards", np.uint64, (SEATS,)),  # cards thrown away at the draw
        ("drawn", np.uint64, (SEATS,)),  # cards received face down at the draw
        ("draws", np.int8, (SEATS,)),  # how many cards were drawn
        ("draw_end", np.uint8, (SEATS,)),  # NOT_DRAWN, FACE_DOWN, KEPT or REJECTED
        ("up_count", np.uint8),
        ("up", np.uint8, (SEATS,)),  # the face-up cards, in order
        ("memory", np.uint64, (SEATS,)),  # hash of private events
        (
            "round_history",
            np.uint64,
        ),  # hash of the stakes at the start of the round and the bets since
        ("aggressor", np.int8),  # who made the last wager of the round
        ("bucket", np.int32, (SEATS,)),  # abstract hand, for the moment named by `bucket_tag`
        ("bucket_tag", np.uint8, (SEATS,)),
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("deck", np.uint64),
        *BETTING_RULES,
        ("small_blind", np.int32),
        ("big_blind", np.int32),
        ("max_discards", np.int32),
        ("one_card_face_up", np.int32),
        ("burn", np.int32),
        ("draw_half", np.int32),
        ("odd_chip", np.int32),
        ("one_odd_chip_per_pot", np.int32),
        ("hole_cards", np.int32),
        ("street_cards", np.int32, (4,)),
        ("rounds", np.int32),
        ("omaha_hole", np.int32),
        ("omaha_board", np.int32),
        ("abstraction", np.int32),
    ],
    align=True,
)

LOOK_UP = np.dtype(
    [
        *((name, RULES[name]) for name in RULES.names or ()),
        ("hands", HAND_TABLES),
        ("draw_class", np.int8, (halves.STRENGTHS,)),  # class of a strength, in `halves`
        ("omaha_class", np.int8, (halves.BOARDS, halves.STRENGTHS)),  # by cards on the board
    ],
    align=True,
)
"""RULES and the look-up tables in one record: one pointer is cheaper to pass than many arrays."""


class Tables(NamedTuple):
    """Parameters and look-up tables, for the kernels."""

    rules: np.ndarray
    """One record of type LOOK_UP."""


PARAMETERS = (
    Parameter("players", 2, "seats at the table", low=2, high=SEATS),
    Parameter("small_blind", 1, "chips", low=0, high=10_000),
    Parameter("big_blind", 2, "chips; the small bet of fixed_limit", low=1, high=10_000),
    Parameter("stack", 200, "chips of every seat", low=1, high=1_000_000),
    *BETTING_PARAMETERS,
    Parameter("max_wagers", 4, "bets and raises a round, in fixed_limit", low=1, high=20),
    Parameter("max_discards", 5, "most cards that a player may draw", low=0, high=MAX_HAND),
    Parameter("one_card_face_up", True, "whether a single drawn card is shown and may be rejected"),
    Parameter("burn", False, "whether cards are burnt before flop, turn and river"),
    Parameter("draw_half", "high", "what the held hand is ranked by", choices=DRAW_HALVES),
    Parameter("odd_chip", "draw", "which half gets the odd chip of a pot", choices=ODD_CHIPS),
    Parameter("one_odd_chip_per_pot", True, "who has an odd chip of a pot is last for another"),
    Parameter("hole_cards", 5, "cards of each player", low=1, high=MAX_HAND),
    Parameter("flop_cards", 3, "board cards on the flop", low=0, high=3),
    Parameter("turn_cards", 1, "board cards on the turn", low=0, high=1),
    Parameter("river_cards", 1, "board cards on the river", low=0, high=1),
    Parameter("rounds", 4, "betting rounds: 3 ends the hand after the turn", low=3, high=4),
    Parameter("omaha_hole", 2, "hole cards in an Omaha hand", low=1, high=2),
    Parameter("omaha_board", 3, "board cards in an Omaha hand", low=1, high=3),
    Parameter("ranks", "23456789TJQKA", "ranks in the deck"),
    Parameter("suits", "cdhs", "suits in the deck"),
    Parameter("abstraction", "none", "information sets", choices=tuple(ABSTRACTIONS)),
)


def make_tables(parameters: dict[str, Any]) -> Tables:
    """Check the parameters against each other and lay them out for the kernels.

    Raises ValueError with one line that names the value.
    """
    deck = deck_mask(parameters["ranks"], parameters["suits"])
    streets = [0, *(parameters[f"{street}_cards"] for street in ("flop", "turn", "river"))]
    if parameters["rounds"] == 3:
        streets[RIVER] = 0
    _check_deck(parameters, deck.bit_count(), sum(streets))
    if parameters["omaha_hole"] > parameters["hole_cards"]:
        raise ValueError(
            f"omaha_hole={parameters['omaha_hole']}: only {parameters['hole_cards']} cards are held"
        )
    if parameters["omaha_board"] > sum(streets):
        raise ValueError(
            f"omaha_board={parameters['omaha_board']}: the board has only {sum(streets)} cards"
        )
    if parameters["small_blind"] > parameters["big_blind"]:
        raise ValueError(
            f"small_blind={parameters['small_blind']}: expected at most the big blind, "
            f"{parameters['big_blind']}"
        )
    stacks = start_stacks(parameters, least=1)
    rules = np.zeros(1, RULES)
    fill_rules(rules[0], parameters, stacks, max(stacks))
    rules["deck"] = deck
    rules["can_check"] = 1
    rules["step_grows"] = 1
    rules["street_cards"] = streets
    rules["draw_half"] = DRAW_HALVES.index(parameters["draw_half"])
    rules["odd_chip"] = ODD_CHIPS.index(parameters["odd_chip"])
    rules["abstraction"] = tuple(ABSTRACTIONS).index(parameters["abstraction"])
    for name in (
        "max_wagers",
        "small_blind",
        "big_blind",
        "max_discards",
        "one_card_face_up",
        "burn",
        "one_odd_chip_per_pot",
        "hole_cards",
        "rounds",
        "omaha_hole",
        "omaha_board",
    ):
        rules[name] = parameters[name]
    tables = Tables(np.zeros(1, LOOK_UP))
    for name in RULES.names or ():
        tables.rules[name] = rules[name]
    tables.rules["hands"] = hand_tables()
    if rules["abstraction"][0] == HALVES:
        draw_class, omaha_class = _strength_classes(tables, rules.tobytes())
        tables.rules["draw_class"] = draw_class
        tables.rules["omaha_class"] = omaha_class
    return tables


_classes_of: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}


def _strength_classes(tables: Tables, key: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Classes of both halves, kept for games with the same rules."""
    if key not in _classes_of:
        _classes_of[key] = halves.strength_classes(tables.rules)
    return _classes_of[key]


def _check_deck(parameters: dict[str, Any], deck: int, board: int) -> None:
    """Whatever is drawn, the cards left and the discards of others must serve the next drawer."""
    most = max(parameters["max_discards"], 2 if parameters["one_card_face_up"] else 1)
    needed = parameters["players"] * parameters["hole_cards"] + board + most
    needed += BURNS if parameters["burn"] else 0
    if deck < needed:
        raise ValueError(
            f"a deck of {deck} cards can run dry with {parameters['players']} players: "
            f"{needed} are needed"
        )


def limits(parameters: dict[str, Any]) -> Limits:
    rules = make_tables(parameters).rules[0]
    players = int(rules["players"])
    stacks = rules["start_stack"][:players]
    wagers = int(rules["max_wagers"])
    if rules["structure"] != FIXED_LIMIT:
        wagers = int(stacks.max()) // int(rules["big_blind"])
    bets = players * (wagers + players + 1)  # short all-ins come on top
    draws = players * (int(rules["hole_cards"]) + 2)
    return Limits(
        num_actions=int(rules["after_wagers"]) + (1 << int(rules["hole_cards"])) + 2,
        max_game_length=int(rules["rounds"]) * bets + 2 * players,
        max_chance_nodes=players * int(rules["hole_cards"])
        + draws
        + 2 * int(rules["street_cards"].sum()),
        max_chance_outcomes=52,
        min_utility=-float(stacks.max()),
        max_utility=float(stacks.sum() - stacks.min()),
        big_unit=int(rules["big_blind"]),
        unit="big blind",
    )


# Action numbers after the wagers.


@kernel
def first_discard(rules: Any) -> Any:
    """The discard of nothing; the masks of cards follow."""
    return np.int64(rules.after_wagers)


@kernel
def keep(rules: Any) -> Any:
    return first_discard(rules) + (1 << rules.hole_cards)


@kernel
def reject(rules: Any) -> Any:
    return keep(rules) + 1


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
    for seat in range(MAX_SEATS):
        state.returns[seat] = 0.0
        state.stack[seat] = rules.start_stack[seat]
        state.paid[seat] = 0
    for seat in range(SEATS):
        state.hole_count[seat] = 0
        state.discards[seat] = 0
        state.drawn[seat] = 0
        state.draws[seat] = -1
        state.draw_end[seat] = NOT_DRAWN
        state.memory[seat] = 0
        state.bucket_tag[seat] = 0
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
    key = mix(np.uint64(state.pot), np.uint64(state.folded))
    state.round_history = mix(key, np.uint64(state.street * 16 + state.aggressor + 1))
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
            _finish(state, tables)
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
    state.round_history = mix(state.round_history, np.uint64(action + 1))
    if action == FOLD:
        state.muck |= _held(state, seat)
        if live_seats(state, rules.players) == 1:
            _finish(state, tables)
            return
    elif action != CALL:
        state.aggressor = seat
    following = next_to_act(state, rules.players, seat)
    if following >= 0:
        state.turn = following
    else:
        _advance(state, tables)


@kernel
def _held(state: Any, seat: int) -> Any:
    """The hole cards of a seat as a mask."""
    mask = np.uint64(0)
    for i in range(np.int64(state.hole_count[seat])):
        mask |= np.uint64(1) << np.uint64(state.hole[seat, i])
    return mask


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


@kernel
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


@kernel
def _finish(state: Any, tables: Any) -> None:
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


# What a seat knows of each suit: the sum of a hash of every card that it has seen, with where it is
# and which of the face-up cards it was. Suits with equal sums are exchangeable.

_HELD, _DISCARDED, _ON_FLOP, _ON_TURN, _ON_RIVER, _UP, _DRAWN = 1, 2, 3, 4, 5, 6, 7


@kernel
def _times_up(state: Any, card: int) -> int:
    """Which of the face-up cards a card was, as a mask; after a reshuffle it may come again."""
    mask = 0
    for i in range(np.int64(state.up_count)):
        if state.up[i] == card:
            mask |= 1 << i
    return mask


@kernel
def _note(state: Any, a: Any, b: Any, c: Any, d: Any, card: int, what: int) -> Any:
    """The four sums with one more card."""
    fact = mix(np.uint64((card >> 2) * 16 + what), np.uint64(_times_up(state, card)))
    suit = card & 3
    if suit == 0:
        a += fact
    elif suit == 1:
        b += fact
    elif suit == 2:
        c += fact
    else:
        d += fact
    return a, b, c, d


@kernel
def _place_of(state: Any, player: int, card: int) -> int:
    """Where a card is that `player` has seen, 0 if only others may have it."""
    for i in range(np.int64(state.hole_count[player])):
        if state.hole[player, i] == card:
            return _DRAWN if state.drawn[player] >> np.uint64(card) & np.uint64(1) else _HELD
    if state.discards[player] >> np.uint64(card) & np.uint64(1):
        return _DISCARDED
    for i in range(np.int64(state.board_count)):
        if state.board[i] == card:
            if i < state.flop_count:
                return _ON_FLOP
            return _ON_TURN if i == state.flop_count else _ON_RIVER
    return 0


@kernel
def _known_suits(state: Any, player: int) -> Any:
    """What `player` knows of the clubs, diamonds, hearts and spades, as four 64-bit sums."""
    a = np.uint64(0)
    b = np.uint64(0)
    c = np.uint64(0)
    d = np.uint64(0)
    for i in range(np.int64(state.hole_count[player])):
        card = np.int64(state.hole[player, i])
        drawn = state.drawn[player] >> np.uint64(card) & np.uint64(1)
        a, b, c, d = _note(state, a, b, c, d, card, _DRAWN if drawn else _HELD)
    for i in range(np.int64(state.board_count)):
        what = _ON_FLOP
        if i >= state.flop_count:
            what = _ON_TURN + i - state.flop_count
        a, b, c, d = _note(state, a, b, c, d, np.int64(state.board[i]), what)
    left = state.discards[player]
    while left:
        card = lowest_card(left)
        left &= left - np.uint64(1)
        a, b, c, d = _note(state, a, b, c, d, card, _DISCARDED)
    for i in range(np.int64(state.up_count)):
        card = np.int64(state.up[i])
        first = _times_up(state, card) & ((1 << i) - 1) == 0
        if first and _place_of(state, player, card) == 0:
            a, b, c, d = _note(state, a, b, c, d, card, _UP)
    return a, b, c, d


@kernel
def hand_order(state: Any, player: int) -> int:
    """Places in `state.hole[player]` in canonical order, four bits each, the first lowest.

    Cards come by the number of their rank in the hand, then by rank, then by suit, where suits of
    which the player knows the same are exchangeable: the order does not depend on suit names.
    """
    a, b, c, d = _known_suits(state, player)
    count = state.hole_count[player]
    order = 0
    for i in range(count):
        place = 0
        value = _order_value(state, player, i, a, b, c, d)
        for j in range(count):
            if _order_value(state, player, j, a, b, c, d) > value:
                place += 1
        order |= i << (4 * place)
    return order


@kernel
def _order_value(state: Any, player: int, i: int, a: int, b: int, c: int, d: int) -> Any:
    card = np.int64(state.hole[player, i])
    alike = 0
    for j in range(np.int64(state.hole_count[player])):
        if state.hole[player, j] >> 2 == card >> 2:
            alike += 1
    words = (a, b, c, d)
    suit = card & 3
    place = 0
    for other in range(4):
        if words[other] < words[suit] or (words[other] == words[suit] and other < suit):
            place += 1
    return (alike * 16 + (card >> 2)) * 4 + place


@kernel
def information_key(state: Any, tables: Any, player: int) -> Any:
    """Hash of what `player` knows.

    `none` remembers all public events and own cards and discards, up to an exchange of suits.
    `halves` is described in `abstraction/halves.py`.
    """
    rules = tables.rules[0]
    if rules.abstraction == HALVES:
        moment = halves.BETTING
        if state.phase == DRAW:
            moment = halves.DRAWING
        elif state.phase == KEEP:
            moment = halves.KEEPING
        return halves.information_key(state, tables, player, moment)
    a, b, c, d = _known_suits(state, player)
    if a > b:
        a, b = b, a
    if c > d:
        c, d = d, c
    if a > c:
        a, c = c, a
    if b > d:
        b, d = d, b
    if b > c:
        b, c = c, b
    key = mix(mix(state.history, np.uint64(player)), state.memory[player])
    return mix(mix(mix(mix(key, a), b), c), d)


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


@kernel
def audience(state: Any, tables: Any) -> Any:
    """Who sees the next event: the face-up card and the board are public, discards are not."""
    rules = tables.rules[0]
    if state.phase == HOLE:
        return (rules.players * rules.hole_cards - state.to_deal) % rules.players
    if state.phase == DRAW or state.phase == REPLACE:
        return np.int64(state.drawer)
    if state.phase == SET_ASIDE:
        return NOBODY
    return EVERYBODY


@kernel
def odds(state: Any, player: int) -> Any:
    """(chips that a call costs, chips in the middle)."""
    if state.phase != BET:
        return 0, np.int64(state.pot)
    return np.int64(betting.owed(state, player)), np.int64(state.pot)


@kernel
def _visible(state: Any, player: int) -> Any:
    """All cards that `player` has seen, as a mask."""
    seen = state.discards[player] | _held(state, player)
    for i in range(np.int64(state.up_count)):
        seen |= np.uint64(1) << np.uint64(state.up[i])
    for i in range(np.int64(state.board_count)):
        seen |= np.uint64(1) << np.uint64(state.board[i])
    return seen


@kernel
def _draw_from(random: Any, left: int) -> Any:
    """A random card of the mask `left`."""
    card = random_below(random, 52)
    while not left >> np.uint64(card) & np.uint64(1):
        card = random_below(random, 52)
    return card


@kernel
def equity(state: Any, tables: Any, player: int, action: int, samples: int, seed: int) -> float:
    """Share of the pot that the hand takes from random hands of the seats still in, by sampling.

    The board is completed at random. `action` counts where it changes the hand: discards are
    replaced by random cards, and the face-up card is kept or not.
    """
    rules = tables.rules[0]
    random = np.array([seed], dtype=np.uint64)
    own = np.zeros(MAX_HAND, np.uint8)
    hand = np.zeros(MAX_HAND, np.uint8)
    board = np.zeros(MAX_BOARD, np.uint8)
    board_size = 0
    for street in range(rules.rounds):
        board_size += rules.street_cards[street]
    thrown = 0
    if state.phase == DRAW and state.turn == player:
        thrown = discarded(state, tables, action)
    kept = 0
    for i in range(np.int64(state.hole_count[player])):
        if not thrown >> i & 1:
            own[kept] = state.hole[player, i]
            kept += 1
    if state.phase == KEEP and state.turn == player and action == keep(rules):
        own[kept] = state.up[state.up_count - 1]
        kept += 1
    for i in range(np.int64(state.board_count)):
        board[i] = state.board[i]
    unseen = rules.deck & ~_visible(state, player)
    others = live_seats(state, rules.players) - (1 if is_live(state, player) else 0)
    total = 0.0
    for _ in range(samples):
        left = unseen
        for i in range(kept, rules.hole_cards):
            own[i] = _draw_from(random, left)
            left &= ~(np.uint64(1) << np.uint64(own[i]))
        for i in range(np.int64(state.board_count), board_size):
            board[i] = _draw_from(random, left)
            left &= ~(np.uint64(1) << np.uint64(board[i]))
        draw = draw_strength(tables, own, rules.hole_cards)
        omaha = omaha_strength(tables, own, rules.hole_cards, board, board_size)
        draw_share = 0.5
        omaha_share = 0.5
        draw_ties = 1
        omaha_ties = 1
        for _ in range(others):
            for i in range(rules.hole_cards):
                hand[i] = _draw_from(random, left)
                left &= ~(np.uint64(1) << np.uint64(hand[i]))
            other = draw_strength(tables, hand, rules.hole_cards)
            if other > draw:
                draw_share = 0.0
            elif other == draw:
                draw_ties += 1
            other = omaha_strength(tables, hand, rules.hole_cards, board, board_size)
            if other > omaha:
                omaha_share = 0.0
            elif other == omaha:
                omaha_ties += 1
        total += draw_share / draw_ties + omaha_share / omaha_ties
    return total / samples


# What a network sees.

_PHASES = 8
_STREETS = 5


def observation_size(parameters: dict[str, Any]) -> Any:
    """Length of the observation: see `observe`."""
    return 8 * parameters["players"] + _PHASES + _STREETS + 4 * 52 + 3


@kernel
def observe(state: Any, tables: Any, player: int, out: Any) -> None:
    """Write what `player` sees now; chips are divided by the chips on the table.

    Blocks in order: player (n), live (n), stacks (n), bets of the round (n), chips paid (n), cards
    drawn / 5 (n), face-up card kept (n), rejected (n), phase (8), street (5), own cards (52), own
    discards (52), board (52), face-up cards (52), then pot, level, wagers / 10.
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
        out[2 * n + seat] = state.stack[seat] / chips
        out[3 * n + seat] = state.bet[seat] / chips
        out[4 * n + seat] = state.paid[seat] / chips
        out[5 * n + seat] = max(0, state.draws[seat]) / 5.0
        out[6 * n + seat] = 1.0 if state.draw_end[seat] == KEPT else 0.0
        out[7 * n + seat] = 1.0 if state.draw_end[seat] == REJECTED else 0.0
    at = 8 * n
    out[at + state.phase] = 1.0
    at += _PHASES
    out[at + state.street] = 1.0
    at += _STREETS
    for i in range(np.int64(state.hole_count[player])):
        out[at + state.hole[player, i]] = 1.0
    at += 52
    for card in range(52):
        if state.discards[player] >> np.uint64(card) & np.uint64(1):
            out[at + card] = 1.0
    at += 52
    for i in range(np.int64(state.board_count)):
        out[at + state.board[i]] = 1.0
    at += 52
    for i in range(np.int64(state.up_count)):
        out[at + state.up[i]] = 1.0
    at += 52
    out[at] = state.pot / chips
    out[at + 1] = state.level / chips
    out[at + 2] = state.wagers / 10.0


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
    lift=lift,
    halves_won=halves_won,
)


# For people.


def describe(game: Any, state: Any, action: int) -> tuple[Any, ...]:
    """What an action of the seat to act means: its kind, and the chips or cards of it."""
    rules = game.tables.rules[0]
    if action < rules["after_wagers"]:
        return betting.describe(state, rules, action)
    if action == keep(rules):
        return ("keep",)
    if action == reject(rules):
        return ("reject",)
    places = discarded(state, game.tables, action)
    hole = state["hole"][state["turn"]]
    return ("discard", frozenset(int(hole[i]) for i in range(MAX_HAND) if places >> i & 1))


def action_name(game: Any, state: Any, action: int) -> str:
    """The action in words, unique among the legal ones: "raise to 8", "discard 7c9s", "deal 7c"."""
    if state["turn"] == CHANCE:
        return f"deal {card_name(action)}"
    described = describe(game, state, action)
    if described[0] != "discard":
        return " ".join(str(word) for word in betting.in_words(state, described))
    cards = cards_text(sorted(described[1], reverse=True))
    words = f"discard {cards}" if cards else "stand pat"
    rules = game.tables.rules[0]
    if rules["abstraction"] == HALVES:
        return f"{words} (plan {action - first_discard(rules)})"
    return words


def public_event(game: Any, state: Any, seat: int, action: int) -> int:
    """The number under which everybody sees the last action: of discards, their count."""
    rules = game.tables.rules[0]
    first = int(rules["after_wagers"])
    if first <= action < first + (1 << int(rules["hole_cards"])):
        return first + int(state["draws"][seat])
    return action


def event_name(game: Any, event: int) -> str:
    """A public event in short: "f", "c", "r", "draw2", "keep" ..."""
    rules = game.tables.rules[0]
    drawn = event - int(rules["after_wagers"])
    if drawn < 0:
        return betting.short_name(rules, event)
    kept = 1 << int(rules["hole_cards"])
    if drawn < kept:
        return f"draw{drawn}"
    return "keep" if drawn == kept else "reject"


_PLACES = {
    _HELD: "hole",
    _DRAWN: "drawn",
    _DISCARDED: "discards",
    _ON_FLOP: "flop",
    _ON_TURN: "turn",
    _ON_RIVER: "river",
}


def hand_text(game: Any, state: Any, player: int) -> str:
    """What an information set says of the cards: their bucket, or all cards known, up to suits.

    The suits are named w, x, y, z, in an order that does not depend on their real names.
    """
    if game.tables.rules[0]["abstraction"] == HALVES:
        moment = {DRAW: halves.DRAWING, KEEP: halves.KEEPING}.get(
            int(state["phase"]), halves.BETTING
        )
        return f"bucket {int(halves.bucket(state, game.tables, player, moment))}"
    words = [int(word) for word in _known_suits(state, player)]
    names = dict(zip(sorted(range(4), key=lambda suit: -words[suit]), "wxyz", strict=True))
    places: dict[str, list[str]] = {}
    seen = cards_of(int(_visible(state, player)))
    for card in sorted(seen, key=lambda card: (-(card >> 2), names[card & 3])):
        text = RANKS[card >> 2] + names[card & 3]
        place = int(_place_of(state, player, card))
        if place:
            places.setdefault(_PLACES[place], []).append(text)
        for i in range(int(state["up_count"])):
            if state["up"][i] == card:
                places.setdefault(f"up{i}", []).append(text)
    return " ".join(f"{name} {''.join(cards)}" for name, cards in sorted(places.items()))


def private_block(parameters: dict[str, Any]) -> slice:
    """Where `observe` writes what the others do not see."""
    at = 8 * parameters["players"] + _PHASES + _STREETS
    return slice(at, at + 2 * 52)
