"""Many hands in lock-step: what a network that is learning asks of a game, without Python a hand.

All hands are led to their next decision, what the seats to act see is written into one array, the
network answers for all of them at once, and all hands go on. A hand depends on its seed alone,
never on the hands beside it. Seats see by the abstraction that the network learns in; what is
played is the exact game.

Letters: H hands, D numbers of an observation, B of its private block, A action numbers of the game,
P players.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    DECK,
    TERMINAL,
    act,
    begin,
    legal_actions,
    lift,
    mix,
    next_card,
    observe,
    random_unit,
    seed_deck,
)
from pokerspiel.games.variants import Game
from pokerspiel.solvers.threads import run_together


class Hands(NamedTuple):
    """Hands under way."""

    states: np.ndarray
    """[H]"""
    decks: np.ndarray
    """[H]"""
    luck: np.ndarray
    """[H, 1] uint64: state of the random numbers with which actions are drawn."""
    decisions: np.ndarray
    """[H] int64: decisions of those who do not learn, so far."""


class Seen(NamedTuple):
    """What the seats to act see, a row for each hand that waits for a decision."""

    observations: np.ndarray
    """[H, D] float32"""
    legal: np.ndarray
    """[H, A] bool"""
    seats: np.ndarray
    """[H] int64"""
    others: np.ndarray
    """[H, (P - 1) * B] float32: the private blocks of what the other seats see, clockwise, or
    [H, 0] where it was not asked for. It is for learning alone: no player may know it."""


def observation_size(game: Game) -> int:
    """D"""
    return int(game.family.observation_size(game.parameters))


def private_size(game: Game) -> int:
    """B"""
    block = game.family.private_block(game.parameters)
    return int(block.stop - block.start)


def new_hands(game: Game, hands: int) -> Hands:
    return Hands(
        game.new_states(hands),
        np.zeros(hands, DECK),
        np.zeros((hands, 1), np.uint64),
        np.zeros(hands, np.int64),
    )


def new_seen(game: Game, rows: int, with_others: bool = False) -> Seen:
    others = (game.players - 1) * private_size(game) if with_others else 0
    return Seen(
        np.zeros((rows, observation_size(game)), np.float32),
        np.zeros((rows, game.limits.num_actions), np.bool_),
        np.zeros(rows, np.int64),
        np.zeros((rows, others), np.float32),
    )


@kernel
def begin_hands(hands: Any, tables: Any, seed: Any, first: int) -> None:
    """Begin all hands: hand h is number `first` + h of those that belong to `seed`."""
    for h in range(len(hands.states)):
        hand = mix(np.uint64(seed), np.uint64(first + h))
        seed_deck(hands.decks[h], hand)
        hands.luck[h, 0] = mix(hand, np.uint64(0x5EED))
        hands.decisions[h] = 0
        begin(hands.states[h], tables)


@kernel
def lead_on(hands: Any, tables: Any, waiting: Any) -> int:
    """Let cards fall in all hands; write the hands that wait for a decision, returns how many."""
    n = 0
    for h in range(len(hands.states)):
        state = hands.states[h]
        while state.turn == CHANCE:
            act(state, tables, next_card(state, tables, hands.decks[h]))
        if state.turn != TERMINAL:
            waiting[n] = h
            n += 1
    return n


@kernel
def _see_waiting(
    hands: Any,
    tables: Any,
    players: int,
    waiting: Any,
    start: int,
    stop: int,
    seen: Any,
    actions: Any,
    scratch: Any,
    private: Any,
) -> None:
    first, size = private
    for row in range(start, stop):
        state = hands.states[waiting[row]]
        seat: Any = np.int64(state.turn)
        seen.seats[row] = seat
        observe(state, tables, seat, seen.observations[row])
        if seen.others.shape[1] > 0:
            for i in range(players - 1):
                observe(state, tables, (seat + 1 + i) % players, scratch)
                for j in range(size):
                    seen.others[row, i * size + j] = scratch[first + j]
        n = legal_actions(state, tables, actions)
        legal = seen.legal[row]
        for a in range(len(legal)):
            legal[a] = False
        for i in range(n):
            legal[actions[i]] = True


FEW_ROWS = 64
"""With fewer hands that wait a second thread costs more than it does."""


def see(game: Game, hands: Hands, waiting: np.ndarray, seen: Seen, threads: int = 1) -> None:
    """Write what the seats to act see in the hands `waiting`, one row each."""
    used = threads if len(waiting) >= FEW_ROWS else 1
    edges = [len(waiting) * thread // used for thread in range(used + 1)]

    def part(thread: int) -> None:
        _see_waiting(
            hands,
            game.tables,
            game.players,
            waiting,
            edges[thread],
            edges[thread + 1],
            seen,
            np.zeros(game.limits.num_actions, np.int64),
            np.zeros(observation_size(game), np.float32),
            (game.family.private_block(game.parameters).start, private_size(game)),
        )

    run_together(part, used)


@kernel
def see_all(hands: Any, tables: Any, waiting: Any, out: Any) -> None:
    """Write what every seat sees in some hands, hidden cards of all included, [n, players, D]."""
    for row in range(len(waiting)):
        for seat in range(out.shape[1]):
            observe(hands.states[waiting[row]], tables, seat, out[row, seat])


@kernel
def draw_actions(hands: Any, waiting: Any, chances: Any, actions: Any) -> None:
    """Draw an action for each waiting hand by its row of `chances` [rows, A], with its own luck."""
    for row in range(len(waiting)):
        actions[row] = drawn_action(chances[row], hands.luck[waiting[row]])


@kernel
def drawn_action(chances: Any, random: Any) -> int:
    """An action number, each as likely as its chance says."""
    mark = random_unit(random)
    below = 0.0
    drawn = -1
    for action in range(len(chances)):
        if chances[action] > 0.0:
            drawn = action
            below += chances[action]
            if mark < below:
                break
    return drawn


@kernel
def play_actions(hands: Any, tables: Any, waiting: Any, actions: Any, exact_tables: Any) -> None:
    """Play in each waiting hand an action of the abstraction of `tables`."""
    for row in range(len(waiting)):
        state = hands.states[waiting[row]]
        act(state, exact_tables, lift(state, tables, actions[row], exact_tables))


@kernel
def hand_returns(hands: Any, players: int, out: Any) -> None:
    """Write the chips won by each seat of hands that are over, [H, players]."""
    for h in range(len(hands.states)):
        for seat in range(players):
            out[h, seat] = hands.states[h].returns[seat]
