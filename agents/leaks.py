"""Where a player loses against a reference: what each of its decisions costs, by play-outs.

Let A be judged and B be the reference. By the performance difference lemma (Kakade and Langford,
"Approximately optimal approximate reinforcement learning", 2002)

    value(A, B) - value(B, B) = E sum over the decisions h of A of sum_a (A(a|h) - B(a|h)) Q(h, a)

where hands are played by A against B, and Q(h, a) is what the seat of A wins after action a if B
plays all seats from there on. Over all seats value(B, B) is zero, so that the terms add up to what
A wins from B; those of a decision are its leak if they are negative. With more players all others
are B.

Q is estimated by play-outs from the true state, hidden cards as they were dealt, with a new order
of the rest of the deck; the actions of one decision meet the same cards and the same luck. Where A
and B have the same probabilities the term is zero, and nothing is played out. The estimate is
unbiased whatever the number of play-outs. A policy that samples while it thinks is asked with the
same luck in both places: its probabilities are then estimates, and the terms stay unbiased.
"""

from __future__ import annotations

import numpy as np

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.leak_kernels import (
    judge_deals,
    judge_played,
    kind_in,
    new_room,
)
from pokerspiel.agents.leak_rows import Found, new_found
from pokerspiel.agents.policy import Policy, Work, new_work
from pokerspiel.games.kernel import mix
from pokerspiel.games.variants import Game, exact

PLAYOUTS = 4
"""Of each action, by default."""


class Judge:
    """Judges decisions in the exact game of `game` by a reference, with its own play-outs.

    Raises ValueError, in one line, if the reference cannot play the game in compiled code.
    """

    def __init__(
        self, reference: Agent, game: Game, playouts: int = PLAYOUTS, seed: int = 0
    ) -> None:
        if playouts < 1:
            raise ValueError(f"playouts={playouts} is not allowed: expected 1 or more")
        if not isinstance(reference, CompiledAgent):
            raise ValueError(
                f"{reference.name} cannot be the reference: expected a bot file made for {game}, "
                "or one of those that `pokerspiel bots` lists"
            )
        self.game = exact(game)
        self.reference = reference
        self.playouts = playouts
        self.seed = np.uint64(seed % (1 << 64))
        self.policy: Policy = reference.policy(self.game)
        self._work = new_work(self.game)
        self._room = new_room(self.game)
        self._found = new_found(0)

    def kind_of(self, states: np.ndarray, action: int) -> int:
        """What an action in `states[0]` does: a place in `KINDS`."""
        return int(kind_in(states, self.game.tables, self._room.drawn, action))

    def deals(self, player: CompiledAgent, first: int, deals: int) -> Found:
        """Let the player and copies of the reference play deals, in all rotations of the seats.

        The cards and the luck are those of a match with this seed; the player is the first of it.
        """
        policy: Policy = player.policy(self.game)
        work: Work = new_work(self.game)
        players = self.game.players
        self._found = self._found._replace(returns=np.zeros(deals * players))
        while not judge_deals(
            first,
            players,
            self.seed,
            policy,
            work,
            self.policy,
            self._work,
            self.game.tables,
            self.playouts,
            self._room,
            np.zeros(0, np.int32),
            self._found,
        ):
            self._found = self._found.larger()
        return self._found.written()

    def hands(self, hands: list[list[int]], seats: list[int], first: int) -> Found:
        """Judge one seat in each of some hands, given as all their cards and actions.

        `first` is the number of the first of them, which decides about the luck of the play-outs.
        """
        played = np.array([action for hand in hands for action in hand], np.int32)
        starts = np.concatenate([[0], np.cumsum([len(hand) for hand in hands])]).astype(np.int64)
        numbers = range(first, first + len(hands))
        seeds = np.array([mix(self.seed, np.uint64(number)) for number in numbers], np.uint64)
        self._found = self._found._replace(returns=np.zeros(len(hands)))
        while not judge_played(
            played,
            starts,
            np.array(seats, np.int64),
            seeds,
            self.policy,
            self._work,
            self.game.tables,
            self.playouts,
            self._room,
            self._found,
        ):
            self._found = self._found.larger()
        return self._found.written()
