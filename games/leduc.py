"""Leduc hold'em for 2 to 9 seats, exactly as OpenSpiel's `leduc_poker`: a game to test solvers on.

n + 1 ranks in two suits (card = 2 * rank + suit). Each seat antes one chip and is dealt one card; a
betting round with raises of 2; a card for the board; a round with raises of 4. At most two raises a
round, seat 0 or the first seat after it still in opens both rounds. At the showdown a pair with the
board wins, else the highest card; equal hands share the pot (Southey et al. 2005).
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

FOLD = 0
CALL = 1
RAISE = 2
ANTE = 1
MAX_RAISES = 2
NO_RANK = 15
"""The rank of a card that has not been dealt."""

PARAMETERS = (Parameter("players", 2, "number of seats", low=2, high=MAX_SEATS),)

STATE = np.dtype(
    [
        *COMMON,
        ("call_mask", np.uint32, (2,)),  # [round], bit i: the round's i-th decision was to call
        ("raise_mask", np.uint32, (2,)),
        ("decisions", np.uint8, (2,)),  # decisions made, by round
        ("round", np.uint8),
        ("price", np.uint8),  # total that a seat must have paid to stay in
        ("raises", np.uint8),  # in this round
        ("calls", np.uint8),  # since this round's last raise
        ("live", np.uint8),  # seats still in
        ("dealt", np.uint8),  # private cards dealt so far
        ("board", np.uint8),  # rank of the public card
        ("rank", np.uint8, (MAX_SEATS,)),  # of the private card, by seat
        ("paid", np.uint8, (MAX_SEATS,)),  # chips in the pot, by seat
        ("folded", np.uint8, (MAX_SEATS,)),  # 1 if out
    ],
    align=True,
)

RULES = np.dtype([("deck", np.uint64), ("players", np.int64)], align=True)


def make_tables(parameters: Mapping[str, Value]) -> RulesOnly:
    rules = np.zeros(1, RULES)
    rules["players"] = parameters["players"]
    rules["deck"] = (1 << (2 * (int(parameters["players"]) + 1))) - 1
    return RulesOnly(rules)


def limits(parameters: Mapping[str, Value]) -> Limits:
    players = int(parameters["players"])
    largest = 13.0  # ante 1, two raises of 2, two of 4
    return Limits(
        num_actions=3,
        max_game_length=2 * _longest_round(players),
        max_chance_nodes=players + 1,
        max_chance_outcomes=2 * (players + 1),
        min_utility=-largest,
        max_utility=largest * (players - 1),
        big_unit=ANTE,
        unit="ante",
    )


def _longest_round(players: int) -> int:
    """Decisions when all but one check, and both raises come as late as possible."""
    return 3 * players - 2


def observation_size(parameters: Mapping[str, Value]) -> int:
    """Length of `observe`'s vector: seat [n], private rank [n + 1], public rank [n + 1],
    decisions [2, 3n - 2, 2].
    """
    players = int(parameters["players"])
    return players + 2 * (players + 1) + 4 * _longest_round(players)


def action_name(game: Any, state: Any, action: int) -> str:
    if action == FOLD:
        return "fold"
    owed = int(state["price"]) - int(state["paid"][state["turn"]])
    if action == CALL:
        return f"call {owed}" if owed else "check"
    return f"raise {raise_size(int(state['round']))}"


@kernel
def raise_size(betting_round: int) -> int:
    return 2 + 2 * betting_round


@kernel
def begin(state: Any, tables: Any) -> None:
    players = tables.rules[0].players
    state.turn = CHANCE
    state.shared = 0
    state.epoch = 0
    state.stub = tables.rules[0].deck
    state.history = np.uint64(1)
    for betting_round in range(2):
        state.call_mask[betting_round] = np.uint32(0)
        state.raise_mask[betting_round] = np.uint32(0)
        state.decisions[betting_round] = 0
    state.round = 0
    state.price = ANTE
    state.raises = 0
    state.calls = 0
    state.live = players
    state.dealt = 0
    state.board = NO_RANK
    for seat in range(players):
        state.rank[seat] = NO_RANK
        state.paid[seat] = ANTE
        state.folded[seat] = 0


@kernel
def legal_actions(state: Any, tables: Any, actions: Any) -> int:
    n = 0
    if state.paid[state.turn] < state.price:
        actions[n] = FOLD
        n += 1
    actions[n] = CALL
    n += 1
    if state.raises < MAX_RAISES:
        actions[n] = RAISE
        n += 1
    return n


@kernel
def act(state: Any, tables: Any, action: int) -> None:
    if state.turn == CHANCE:
        _deal(state, tables.rules[0].players, action)
        return
    seat = state.turn
    betting_round = state.round
    bit = np.uint32(1) << np.uint32(state.decisions[betting_round])
    if action == FOLD:
        state.folded[seat] = 1
        state.live -= 1
    elif action == CALL:
        state.call_mask[betting_round] |= bit
        state.calls += 1
        state.paid[seat] = state.price
    else:
        state.raise_mask[betting_round] |= bit
        state.raises += 1
        state.calls = 0
        state.price += raise_size(betting_round)
        state.paid[seat] = state.price
    state.decisions[betting_round] += 1
    state.history = mix(state.history, action)
    _move_on(state, tables.rules[0].players)


@kernel
def _deal(state: Any, players: int, card: int) -> None:
    state.stub &= ~(np.uint64(1) << np.uint64(card))
    rank = card >> 1
    if state.dealt < players:
        state.rank[state.dealt] = rank
        state.dealt += 1
        if state.dealt == players:
            state.turn = 0
    else:
        state.board = rank
        state.turn = _next_seat(state, players - 1, players)


@kernel
def _move_on(state: Any, players: int) -> None:
    """After a decision: the next seat, the next round or the end."""
    to_call = state.live - (1 if state.raises > 0 else 0)
    if state.live == 1:
        _pay(state, players)
    elif state.calls < to_call:
        state.turn = _next_seat(state, np.int64(state.turn), players)
    elif state.round == 1:
        _pay(state, players)
    else:
        state.round = 1
        state.raises = 0
        state.calls = 0
        state.shared = 1
        state.turn = CHANCE


@kernel
def _next_seat(state: Any, seat: int, players: int) -> int:
    """The first seat after `seat` that is still in."""
    while True:
        seat += 1
        if seat == players:
            seat = 0
        if not state.folded[seat]:
            return seat


@kernel
def _strength(state: Any, seat: int) -> Any:
    """Zero if folded; a pair beats all else, then the private rank decides."""
    if state.folded[seat]:
        return 0
    rank = np.int64(state.rank[seat])
    return 1 + rank + (16 if rank == state.board else 0)


@kernel
def _pay(state: Any, players: int) -> None:
    """End the hand and set the returns: the best hands share the pot."""
    best = 0
    winners = 0
    pot: Any = 0
    for seat in range(players):
        pot += np.int64(state.paid[seat])
        strength = _strength(state, seat)
        if strength > best:
            best = strength
            winners = 1
        elif strength == best:
            winners += 1
    share = np.float64(pot) / winners
    for seat in range(players):
        won = share if _strength(state, seat) == best else 0.0
        state.returns[seat] = won - np.float64(state.paid[seat])
    state.turn = TERMINAL


@kernel
def information_key(state: Any, tables: Any, player: int) -> Any:
    """The seat, the ranks that it sees and all decisions. Suits mean nothing and are forgotten."""
    seen = player << 8 | np.int64(state.board) << 4 | np.int64(state.rank[player])
    return mix(state.history, seen)


@kernel
def observe(state: Any, tables: Any, player: int, out: Any) -> None:
    """OpenSpiel's information state with ranks for cards: one of n seats, one of n + 1 private and
    of n + 1 public ranks, and by round each decision as (call, raise), both zero for a fold.
    """
    players = tables.rules[0].players
    out[:] = 0.0
    out[player] = 1.0
    if state.rank[player] != NO_RANK:
        out[players + state.rank[player]] = 1.0
    if state.board != NO_RANK:
        out[2 * players + 1 + state.board] = 1.0
    longest = 3 * players - 2
    for betting_round in range(2):
        start = 3 * players + 2 + 2 * longest * betting_round
        for i in range(state.decisions[betting_round]):
            bit = np.uint32(i)
            out[start + 2 * i] = state.call_mask[betting_round] >> bit & np.uint32(1)
            out[start + 2 * i + 1] = state.raise_mask[betting_round] >> bit & np.uint32(1)


@kernel
def equity(state: Any, tables: Any, player: int, action: int, samples: int, seed: int) -> float:
    """Share of the pot of `player` against random cards of the seats still in, over `samples`
    random deals of their cards and of the board. `action` is not used.
    """
    ranks = tables.rules[0].players + 1
    total = 0.0
    random = mix(np.uint64(0), seed)
    own = np.int64(state.rank[player])
    for _ in range(samples):
        taken = np.uint64(1) << np.uint64(2 * own)
        board = np.int64(state.board)
        if board == NO_RANK:
            random, card = _random_card(random, taken, ranks)
            taken |= np.uint64(1) << np.uint64(card)
            board = card >> 1
        else:
            taken |= np.uint64(1) << np.uint64(2 * board + 1)
        mine = own + (16 if own == board else 0)
        ties = 1
        for _ in range(np.int64(state.live) - (0 if state.folded[player] else 1)):
            random, card = _random_card(random, taken, ranks)
            taken |= np.uint64(1) << np.uint64(card)
            rank = card >> 1
            theirs = rank + (16 if rank == board else 0)
            if theirs > mine:
                ties = 0
                break
            if theirs == mine:
                ties += 1
        if ties > 0:
            total += 1.0 / ties
    return total / samples


@kernel
def _random_card(random: int, taken: int, ranks: int) -> Any:
    """The next state of the generator, and a random card outside the mask `taken`."""
    while True:
        random = mix(random, np.uint64(1))
        card = np.int64(((random >> np.uint64(32)) * np.uint64(2 * ranks)) >> np.uint64(32))
        if not taken >> np.uint64(card) & np.uint64(1):
            return random, card


@kernel
def action_kind(state: Any, tables: Any, action: int) -> int:
    """What an action does: see `kernel`."""
    if action == FOLD:
        return KIND_FOLD
    return KIND_CALL if action == CALL else KIND_RAISE


@kernel
def raise_cost(state: Any, tables: Any, action: int) -> Any:
    """Chips that a bet or raise puts in."""
    owed = np.int64(state.price) - np.int64(state.paid[state.turn])
    return owed + raise_size(np.int64(state.round))


@kernel
def audience(state: Any, tables: Any) -> Any:
    """Who sees the next event: a private card is seen by the seat that it is dealt to."""
    private = state.turn == CHANCE and state.dealt < tables.rules[0].players
    return np.int64(state.dealt) if private else EVERYBODY


@kernel
def odds(state: Any, player: int) -> Any:
    """Chips that `player` must pay to stay in, and chips in the middle."""
    pot: Any = 0
    for seat in range(state.dealt):
        pot += np.int64(state.paid[seat])
    return np.int64(state.price) - np.int64(state.paid[player]), pot


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
    return "fcr"[event]


def hand_text(game: Any, state: Any, player: int) -> str:
    """The rank of a player's card, and of the public one behind a bar, as far as they are dealt."""
    ranks = [int(state["rank"][player]), int(state["board"])]
    return "|".join("" if rank == NO_RANK else str(rank) for rank in ranks)


def private_block(parameters: Mapping[str, Value]) -> slice:
    """Where `observe` writes what the others do not see."""
    players = int(parameters["players"])
    return slice(players, 2 * players + 1)


def situation_text(game: Any, state: Any) -> str:
    """What everybody sees now: round, public rank, chips paid, who is in, raises and calls."""
    board = "" if state["board"] == NO_RANK else str(state["board"])
    paid = " ".join(map(str, state["paid"][: game.players]))
    live = [str(seat) for seat in range(game.players) if not state["folded"][seat]]
    made = f"decisions {state['decisions'][int(state['round'])]}, raises {state['raises']}"
    return f"round {state['round']}; board {board}; paid {paid}; live {' '.join(live)}; {made}"


def private_text(game: Any, state: Any, player: int) -> str:
    """The card of a player."""
    return hand_text(game, state, player).partition("|")[0]
