"""Who plays which seats while a network learns."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.opposition import Opposition
from pokerspiel.agents.roster import find_agent
from pokerspiel.games.variants import load
from pokerspiel.solvers.lockstep import Hands, Seen
from pokerspiel.solvers.neural.experience import Table

HANDS = 600


def station() -> CompiledAgent:
    agent = find_agent("always-call")
    assert isinstance(agent, CompiledAgent)
    return agent


def folds_to_bets(hands: Hands, waiting: np.ndarray, seen: Seen) -> np.ndarray:
    """The first action of Leduc and Kuhn where it is legal: a fold, or a check."""
    first = seen.legal.argmax(1)[:, None] == np.arange(seen.legal.shape[1])
    return first.astype(np.float32)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_bots_play_all_seats_but_one_in_their_share_of_the_hands(share: float) -> None:
    game = load("leduc(players=3)")
    opposition = Opposition([station()], game)
    table = Table(game, HANDS)
    experience = table.play(folds_to_bets, 1, 5, opposition, share)
    first = int(share * HANDS)
    seats = [set(experience.seats[experience.hands == hand].tolist()) for hand in range(HANDS)]
    assert all(seats[hand] == {(5 + hand) % 3} for hand in range(first))
    assert all(len(seats[hand]) > 1 for hand in range(first, HANDS))


def test_bots_take_turns() -> None:
    game = load("kuhn")
    both = Opposition([station(), find_agent("random")], game)  # type: ignore[list-item]
    alone = Opposition([station()], game)
    ours, theirs = (
        Table(game, HANDS).play(folds_to_bets, 1, 0, bots).returns for bots in (both, alone)
    )
    same = (ours == theirs).all(1).reshape(-1, 2, game.players)
    assert same[:, 0].all(), "hands of the station, two of four"
    assert not same[:, 1].all(), "hands of the other bot"
