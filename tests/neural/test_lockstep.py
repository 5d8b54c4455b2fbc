"""Hands in lock-step: the same hands as one at a time, whatever is played beside them."""

from __future__ import annotations

import numpy as np
import pytest

from pokerspiel.games import drive
from pokerspiel.games.kernel import CHANCE, TERMINAL, mix, next_card
from pokerspiel.games.variants import Game, exact, load
from pokerspiel.solvers import lockstep
from pokerspiel.solvers.lockstep import Hands, Seen, new_hands, new_seen

GAMES = ["kuhn", "leduc(players=3)", "mini_svara", "svara(players=3)", "mini_sviten"]


def uniform(seen: Seen) -> np.ndarray:
    return np.asarray(seen.legal / seen.legal.sum(1, keepdims=True), np.float32)


def play(game: Game, hands: int, first: int, threads: int = 1) -> tuple[Hands, list[Seen]]:
    """Play whole hands at random; what was seen at each round of decisions."""
    batch, told = new_hands(game, hands), []
    waiting = np.zeros(hands, np.int64)
    lockstep.begin_hands(batch, game.tables, np.uint64(7), first)
    while n := lockstep.lead_on(batch, game.tables, waiting):
        seen = new_seen(game, n, with_others=True)
        lockstep.see(game, batch, waiting[:n], seen, threads)
        actions = np.zeros(n, np.int64)
        lockstep.draw_actions(batch, waiting[:n], uniform(seen), actions)
        assert seen.legal[np.arange(n), actions].all()
        lockstep.play_actions(batch, game.tables, waiting[:n], actions, exact(game).tables)
        told.append(seen)
    return batch, told


@pytest.mark.parametrize("text", GAMES)
def test_a_hand_depends_on_its_number_alone(text: str) -> None:
    game = load(text)
    many, _ = play(game, 90, 0)
    few, _ = play(game, 10, 40)
    assert many.states["returns"][40:50].tolist() == few.states["returns"].tolist()
    assert (many.states["turn"] == TERMINAL).all()


@pytest.mark.parametrize("text", GAMES)
def test_threads_see_the_same(text: str) -> None:
    game = load(text)
    _, alone = play(game, 200, 0)
    _, together = play(game, 200, 0, threads=2)
    for one, other in zip(alone, together, strict=True):
        for left, right in zip(one, other, strict=True):
            assert np.array_equal(left, right)


@pytest.mark.parametrize("text", GAMES)
def test_each_row_is_what_the_seat_to_act_sees_and_the_rest_what_others_do(text: str) -> None:
    game = load(text)
    batch = new_hands(game, 20)
    waiting = np.zeros(20, np.int64)
    lockstep.begin_hands(batch, game.tables, np.uint64(3), 0)
    n = lockstep.lead_on(batch, game.tables, waiting)
    seen = new_seen(game, n, with_others=True)
    lockstep.see(game, batch, waiting[:n], seen)
    block = game.family.private_block(game.parameters)
    expected = np.zeros(seen.observations.shape[1], np.float32)
    legal = np.zeros(game.limits.num_actions, np.int64)
    for row, h in enumerate(waiting[:n]):
        state = batch.states[h : h + 1]
        seat = int(state[0]["turn"])
        drive.observe_into(state, game.tables, seat, expected)
        assert seen.seats[row] == seat
        assert np.array_equal(seen.observations[row], expected)
        count = drive.list_actions(state, game.tables, legal)
        assert np.flatnonzero(seen.legal[row]).tolist() == legal[:count].tolist()
        for i in range(game.players - 1):
            drive.observe_into(state, game.tables, (seat + 1 + i) % game.players, expected)
            width = block.stop - block.start
            part = seen.others[row, i * width : (i + 1) * width]
            assert np.array_equal(part, expected[block])


def test_cards_fall_as_in_the_deck_of_the_hand() -> None:
    """The first cards are those that `next_card` gives for the same seed."""
    game = load("leduc")
    batch = new_hands(game, 1)
    lockstep.begin_hands(batch, game.tables, np.uint64(5), 11)
    lockstep.lead_on(batch, game.tables, np.zeros(1, np.int64))
    states, decks = game.new_states(), drive.new_decks()
    drive.seed_hand(decks, mix(np.uint64(5), np.uint64(11)))
    drive.begin_hand(states, game.tables)
    while states[0]["turn"] == CHANCE:
        card = int(next_card(states[0], game.tables, decks[0]))
        drive.apply_action(states, game.tables, card)
    assert states.tobytes() == batch.states.tobytes()


def test_actions_are_drawn_as_often_as_their_chances_say() -> None:
    """Within five standard errors."""
    game = load("kuhn")
    hands = 20_000
    batch = new_hands(game, hands)
    waiting = np.arange(hands)
    lockstep.begin_hands(batch, game.tables, np.uint64(1), 0)
    chances = np.tile(np.array([[0.3, 0.7]], np.float32), (hands, 1))
    actions = np.zeros(hands, np.int64)
    lockstep.draw_actions(batch, waiting, chances, actions)
    assert abs(actions.mean() - 0.7) < 5 * np.sqrt(0.21 / hands)


def test_an_abstraction_plays_its_actions_in_the_exact_game() -> None:
    """Discards of `halves` are choices; what is played are the cards thrown away."""
    game = load("sviten_special(abstraction=halves)")
    batch, told = play(game, 50, 0)
    assert (batch.states["turn"] == TERMINAL).all()
    assert batch.states["returns"].sum() == 0.0
    assert sum(len(seen.seats) for seen in told) > 50
