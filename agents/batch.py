"""Many hands in lock-step, in compiled code.

A deal of n players is played in n rotations: player p has the seat (p + rotation) % n, and the
cards are the same in all of them. What a hand does depends on the seed of its deal alone, never on
the hands beside it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.agents.policy import FORCED, MISSED, choose, decision_seed
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    DECK,
    TERMINAL,
    act,
    begin,
    halves_won,
    mix,
    next_card,
    seed_deck,
)
from pokerspiel.games.variants import Game

NOBODY = -1
"""The player whose turn never comes: advancing it lets cards fall, and no more."""


class Batch(NamedTuple):
    """Hands under way."""

    states: np.ndarray
    decks: np.ndarray
    rotation: np.ndarray
    """[hands] how far the players are moved round the table."""
    decisions: np.ndarray
    """[hands] decisions made so far."""
    trace: np.ndarray
    """[hands, events] cards and actions so far; without room for any they are not recorded."""
    events: np.ndarray
    """[hands] cards and actions so far."""


def longest_hand(game: Game) -> int:
    """Most cards and actions of one hand."""
    return game.limits.max_game_length + game.limits.max_chance_nodes


def new_batch(game: Game, hands: int, traced: bool) -> Batch:
    """Room for `hands` hands; with `traced` their cards and actions are recorded."""
    longest = longest_hand(game) if traced else 0
    return Batch(
        game.new_states(hands),
        np.zeros(hands, DECK),
        np.arange(hands) % game.players,
        np.zeros(hands, np.int64),
        np.zeros((hands, longest), np.int32),
        np.zeros(hands, np.int64),
    )


def some_hands(batch: Batch, start: int, stop: int) -> Batch:
    """The hands from `start` to `stop`, in the memory of `batch`."""
    return Batch(*(array[start:stop] for array in batch))


@kernel
def deal_seed(seed: Any, deal: int) -> Any:
    """Seed of all the luck of a deal."""
    return mix(np.uint64(seed), np.uint64(deal))


@kernel
def begin_hands(batch: Any, tables: Any, players: int, seed: int, first: int) -> None:
    """Begin the hands of a batch of whole deals, from the deal `first` of the match on."""
    for h in range(len(batch.states)):
        seed_deck(batch.decks[h], deal_seed(seed, first + h // players))
        batch.decisions[h] = 0
        batch.events[h] = 0
        begin(batch.states[h], tables)


@kernel
def play(batch: Any, h: int, tables: Any, action: int) -> None:
    """Let a card fall or an action be played in hand `h`."""
    if batch.events[h] < batch.trace.shape[1]:
        batch.trace[h, batch.events[h]] = action
    batch.events[h] += 1
    act(batch.states[h], tables, action)


@kernel
def advance(
    batch: Any,
    tables: Any,
    policy: Any,
    work: Any,
    player: int,
    players: int,
    counts: Any,
) -> int:
    """Play every hand on until another player must act; returns the number of hands not over.

    `counts` [2]: decisions of the player, forced ones aside, and those that its policy missed.
    """
    unfinished = 0
    for h in range(len(batch.states)):
        state = batch.states[h]
        if state.turn == TERMINAL:
            continue
        rotation = batch.rotation[h]
        deck = batch.decks[h]
        while state.turn != TERMINAL:
            turn = np.int64(state.turn)
            if turn == CHANCE:
                action = next_card(state, tables, deck)
            elif (turn + players - rotation) % players == player:
                seed = decision_seed(deck.seed, turn, batch.decisions[h])
                action, found = choose(state, policy, work, seed, tables)
                batch.decisions[h] += 1
                counts[0] += found != FORCED
                counts[1] += found == MISSED
            else:
                break
            play(batch, h, tables, action)
        unfinished += state.turn != TERMINAL
    return unfinished


@kernel
def waiting_hands(batch: Any, player: int, players: int, out: Any) -> int:
    """Write the hands in which `player` must act; returns how many."""
    n = 0
    for h in range(len(batch.states)):
        turn = np.int64(batch.states[h].turn)
        if turn >= 0 and (turn + players - batch.rotation[h]) % players == player:
            out[n] = h
            n += 1
    return n


# What was won of the halves of the pots, where pots have two.

HALVES = ("showdowns", "draw_won", "draw_chips", "omaha_won", "omaha_chips", "scoops")
"""Showdowns of a player, chips won of each half and chips that were in it, whole pots won."""


@kernel
def add_halves(batch: Any, tables: Any, players: int, sums: Any, chips: Any) -> None:
    """Add who won the halves of the pots at showdowns to `sums` [players, HALVES].

    `chips` [2, seats] is scratch.
    """
    draw = chips[0]
    omaha = chips[1]
    for h in range(len(batch.states)):
        seats = halves_won(batch.states[h], tables, draw, omaha)
        draw_chips = 0.0
        omaha_chips = 0.0
        for seat in range(players):
            draw_chips += draw[seat]
            omaha_chips += omaha[seat]
        for seat in range(players):
            if seats >> seat & 1:
                row = sums[(seat + players - batch.rotation[h]) % players]
                row[0] += 1.0
                row[1] += draw[seat]
                row[2] += draw_chips
                row[3] += omaha[seat]
                row[4] += omaha_chips
                missing = draw_chips - draw[seat] + omaha_chips - omaha[seat]
                row[5] += missing < 1e-6
