"""Kuhn poker for 2 to 9 seats, exactly as OpenSpiel's `kuhn_poker`: a game to test solvers on.

Each seat antes one chip and is dealt one of the cards 0..n. In turn the seats pass or bet one chip;
after a bet every other seat has one turn to pass (give up) or bet (match it). The highest card of
those who bet, or of all when nobody did, takes the pot (Kuhn 1950; for more seats Szafron, Gibson
and Sturtevant 2013).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    COMMON,
    EVERYBODY,
    KIND_CALL,
    KIND_FOLD,
    KIND_RAISE,
    MAX_SEATS,
    TERMINAL,
    RulesOnly,
    mix,
    register,
    same_action,
)
from pokerspiel.games.parameters import Limits, Parameter, Value

PASS = 0
BET = 1
NO_CARD = 15

PARAMETERS = (Parameter("players", 2, "number of seats", low=2, high=MAX_SEATS),)

STATE = np.dtype(
    [
        *COMMON,
        ("bet_mask", np.uint32),  # bit i: the i-th decision was to bet
        ("card", np.uint8, (MAX_SEATS,)),
        ("dealt", np.uint8),  # cards dealt so far
        ("decisions", np.uint8),  # decisions made so far; seats decide in turn from seat 0
        ("first_bet", np.uint8),  # number of the decision that opened the betting
    ],
    align=True,
)
NOBODY = 255
"""The value of `first_bet` before anybody bets."""

RULES = np.dtype([("deck", np.uint64), ("players", np.int64)], align=True)


def make_tables(parameters: Mapping[str, Value]) -> RulesOnly:
    rules = np.zeros(1, RULES)
    rules["players"] = parameters["players"]
    rules["deck"] = (1 << (int(parameters["players"]) + 1)) - 1
    return RulesOnly(rules)


def limits(parameters: Mapping[str, Value]) -> Limits:
    players = int(parameters["players"])
    return Limits(
        num_actions=2,
        max_game_length=2 * players - 1,
        max_chance_nodes=players,
        max_chance_outcomes=players + 1,
        min_utility=-2.0,
        max_utility=2.0 * (players - 1),
        big_unit=1,
        unit="ante",
    )


def observation_size(parameters: Mapping[str, Value]) -> int:
    """Length of `observe`'s vector: seat [n], card [n + 1], decisions [2n - 1, 2]."""
    return 6 * int(parameters["players"]) - 1


def action_name(game: Any, state: Any, action: int) -> str:
    return ("pass", "bet")[action]


@kernel
def begin(state: Any, tables: Any) -> None:
    state.turn = CHANCE
    state.shared = 0
    state.epoch = 0
    state.stub = tables.rules[0].deck
    state.history = np.uint64(1)
    state.bet_mask = np.uint32(0)
    state.dealt = 0
    state.decisions = 0
    state.first_bet = NOBODY
    for seat in range(tables.rules[0].players):
        state.card[seat] = NO_CARD


@kernel
def legal_actions(state: Any, tables: Any, actions: Any) -> int:
    actions[0] = PASS
    actions[1] = BET
    return 2


@kernel
def act(state: Any, tables: Any, action: int) -> None:
    players = tables.rules[0].players
    if state.turn == CHANCE:
        state.card[state.dealt] = action
        state.stub &= ~(np.uint64(1) << np.uint64(action))
        state.dealt += 1
        if state.dealt == players:
            state.turn = 0
        return
    if action == BET:
        state.bet_mask |= np.uint32(1) << np.uint32(state.decisions)
        if state.first_bet == NOBODY:
            state.first_bet = state.decisions
    state.history = mix(state.history, action)
    state.decisions += 1
    last = players if state.first_bet == NOBODY else state.first_bet + players
    if state.decisions == last:
        _pay(state, players)
        state.turn = TERMINAL
    else:
        state.turn = state.decisions % players


@kernel
def _pay(state: Any, players: int) -> None:
    """Set the returns: the best card of those who bet, or of all without a bet, takes the pot."""
    winner = -1
    pot = 0
    for seat in range(players):
        paid = 1 + has_bet(state, seat, players)
        pot += paid
        state.returns[seat] = -paid
        contends = paid == 2 or state.first_bet == NOBODY
        if contends and (winner < 0 or state.card[seat] > state.card[winner]):
            winner = seat
    state.returns[winner] += pot


@kernel
def has_bet(state: Any, seat: int, players: int) -> Any:
    """1 if `seat` has bet, else 0. No seat decides more than twice, nor bets more than once."""
    decisions = np.uint32(1) << np.uint32(seat) | np.uint32(1) << np.uint32(seat + players)
    return np.int64((state.bet_mask & decisions) != 0)


@kernel
def information_key(state: Any, tables: Any, player: int) -> Any:
    """The seat, its card and all decisions."""
    return mix(state.history, player << 4 | np.int64(state.card[player]))


@kernel
def observe(state: Any, tables: Any, player: int, out: Any) -> None:
    """OpenSpiel's information state: one of n seats, one of n + 1 cards, and each decision as one
    of (pass, bet), zeros for what has not happened.
    """
    players = tables.rules[0].players
    out[:] = 0.0
    out[player] = 1.0
    if state.card[player] != NO_CARD:
        out[players + state.card[player]] = 1.0
    for i in range(state.decisions):
        bet = state.bet_mask >> np.uint32(i) & np.uint32(1)
        out[2 * players + 1 + 2 * i + np.int64(bet)] = 1.0


@kernel
def equity(state: Any, tables: Any, player: int, action: int, samples: int, seed: int) -> float:
    """Chance that the card of `player` beats random cards of the seats still in, exactly.

    `action`, `samples` and `seed` are not used.
    """
    players = tables.rules[0].players
    opponents = 0
    for seat in range(players):
        given_up = (
            state.first_bet != NOBODY
            and state.decisions > seat + (players if seat <= state.first_bet else 0)
            and not has_bet(state, seat, players)
        )
        if seat != player and not given_up:
            opponents += 1
    share = 1.0
    for i in range(opponents):
        share *= (np.int64(state.card[player]) - i) / (players - i)
    return max(share, 0.0)


@kernel
def action_kind(state: Any, tables: Any, action: int) -> int:
    """What an action does: see `kernel`. After a bet, to pass is to fold and to bet is to call."""
    if state.first_bet == NOBODY:
        return KIND_CALL if action == PASS else KIND_RAISE
    return KIND_FOLD if action == PASS else KIND_CALL


@kernel
def raise_cost(state: Any, tables: Any, action: int) -> int:
    """Chips that a bet or raise puts in."""
    return 1


@kernel
def audience(state: Any, tables: Any) -> Any:
    """Who sees the next event: a card is seen by the seat that it is dealt to."""
    return np.int64(state.dealt) if state.turn == CHANCE else EVERYBODY


@kernel
def odds(state: Any, player: int) -> Any:
    """Chips that `player` must pay to stay in, and chips in the middle."""
    pot = state.dealt  # antes: every seat has its card when somebody decides
    for i in range(state.decisions):
        pot += state.bet_mask >> np.uint32(i) & np.uint32(1)
    owed = 0
    if state.first_bet != NOBODY:
        owed = 1 - has_bet(state, player, np.int64(state.dealt))
    return owed, np.int64(pot)


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


def public_event(game: Any, state: Any, seat: int, action: int) -> int:
    """The number under which everybody sees an action: its own."""
    return action


def event_name(game: Any, event: int) -> str:
    """A public event in short."""
    return "pb"[event]


def hand_text(game: Any, state: Any, player: int) -> str:
    """The card of a player, or nothing before it is dealt."""
    card = int(state["card"][player])
    return "" if card == NO_CARD else str(card)


def private_block(parameters: Mapping[str, Value]) -> slice:
    """Where `observe` writes what the others do not see."""
    players = int(parameters["players"])
    return slice(players, 2 * players + 1)


def situation_text(game: Any, state: Any) -> str:
    """What everybody sees now: the decisions so far."""
    bets = int(state["bet_mask"])
    return "decisions " + "".join("pb"[bets >> i & 1] for i in range(int(state["decisions"])))


def private_text(game: Any, state: Any, player: int) -> str:
    """The card of a player."""
    return hand_text(game, state, player)
