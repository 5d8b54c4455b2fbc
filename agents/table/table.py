"""A person, or a program, at a table of bots, hand after hand.

A table is its game, its bots, a seed, and what the guest did: everything else follows, so that a
table can be kept as these few values and rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.chairs import distinct_names
from pokerspiel.agents.policy import decision_seed
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.scores import Score, score_of
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.seat_view import Document, action_named, seat_view
from pokerspiel.agents.table.sitting import Sitting, sit_down
from pokerspiel.games.kernel import mix
from pokerspiel.games.variants import Game, exact

GUEST = "You"


class Table:
    """Hands one after the other; the guest moves one seat on with each."""

    def __init__(
        self, game: Game, agents: Sequence[Agent], seed: int, guest: str = GUEST, first: int = 0
    ) -> None:
        """A table with an agent for each other seat, clockwise of the guest.

        `seed` fixes all cards, `first` is the number of the first hand. Raises ValueError, in one
        line, if an agent cannot play the game.
        """
        self.game = exact(game)
        if len(agents) != self.game.players - 1:
            raise ValueError(
                f"{len(agents)} bots for {self.game.players} seats, one is the guest's"
            )
        self.agents = list(agents)
        self.seed = seed
        self.guest_name = guest
        self.number = first
        self._seats = self._sit_down()
        self._begin()

    def _sit_down(self) -> list[Sitting]:
        """The agents, clockwise of the guest; if one cannot sit down, the others get up again."""
        seats: list[Sitting] = []
        try:
            for agent in self.agents:
                seats.append(sit_down(agent, self.game))
        except ValueError:
            for sitting in seats:
                sitting.close()
            raise
        return seats

    def _begin(self) -> None:
        self.hand = LiveHand(self.game, self._seed_of(self.number))
        self._decisions = [0] * self.game.players

    def _seed_of(self, number: int) -> int:
        return int(mix(np.uint64(self.seed), np.uint64(number)))

    @property
    def guest(self) -> int:
        """The seat of the guest in this hand."""
        return self.number % self.game.players

    @property
    def names(self) -> list[str]:
        """Names by seat in this hand."""
        return self.names_in(self.number)

    def names_in(self, number: int) -> list[str]:
        """Names by seat in a hand."""
        names = [self.guest_name] * self.game.players
        for i, name in enumerate(distinct_names(self.agents)):
            names[(number % self.game.players + 1 + i) % self.game.players] = name
        return names

    @property
    def waits_for_guest(self) -> bool:
        return self.hand.turn == self.guest

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions of all seats in this hand so far; the cards follow from the seed."""
        return tuple(step.action for step in self.hand.steps if not step.by_chance)

    @property
    def won(self) -> float | None:
        """Chips that the guest won or lost in this hand; None before it is over."""
        return self.hand.returns[self.guest] if self.hand.is_over else None

    def view(self) -> Document:
        """What the guest sees."""
        return seat_view(self.hand, self.guest, self.names, self.number)

    def act(self, name: str) -> None:
        """Play the action of the guest that `name` says.

        Raises ValueError, in one line, if it is not the guest's turn or no legal action.
        """
        if not self.waits_for_guest:
            raise ValueError(f"{name[:60]!r}: it is not your turn")
        self.hand.play(action_named(self.game, self.hand.states, name))

    def let_bots_act(self) -> None:
        """Let the bots act until the guest is to act or the hand is over."""
        while self.hand.turn >= 0 and not self.waits_for_guest:
            self.hand.play(self._choice_of_bot(self.hand.turn))
        self._tell_the_end()

    def _tell_the_end(self) -> None:
        if self.hand.is_over:
            for seat in set(range(self.game.players)) - {self.guest}:
                self._bot_on(seat)

    def _bot_on(self, seat: int) -> Sitting:
        """The bot on a seat, who has heard of all that happened."""
        bot = self._seats[(seat - self.guest - 1) % self.game.players]
        bot.hear(self.hand, seat, self.number, self.names)
        return bot

    def _choice_of_bot(self, seat: int) -> int:
        seed = decision_seed(np.uint64(self.hand.seed or 0), seat, self._decisions[seat])
        self._decisions[seat] += 1
        return self._bot_on(seat).choose(self.hand, int(seed))

    def hand_of(self, number: int, actions: Sequence[int]) -> LiveHand:
        """An earlier hand, from the actions of all seats."""
        hand = LiveHand(self.game, self._seed_of(number))
        for action in actions:
            hand.play(action)
        return hand

    def replay(self, actions: Sequence[int]) -> None:
        """Play actions that all seats took earlier in this hand."""
        for action in actions:
            self._decisions[self.hand.turn] += 1
            self.hand.play(action)

    def deal(self) -> None:
        """Begin the next hand. Raises ValueError if this one is not over."""
        if not self.hand.is_over:
            raise ValueError(f"hand {self.number} is not over: act first")
        self._tell_the_end()
        self.number += 1
        self._begin()

    def close(self) -> None:
        """Let the bots go; programs end. The table is not played on any more."""
        for bot in self._seats:
            bot.close()


def seated_table(
    game_of: Callable[[int | None], Game], against: Sequence[str], seed: int, guest: str = GUEST
) -> Table:
    """A table with the bots of these names; a single one takes all other seats.

    `game_of` gives the game, for a number of seats if one is given.
    """
    if len(against) == 1:
        game = exact(game_of(None))
        against = list(against) * (game.players - 1)
    else:
        game = exact(game_of(len(against) + 1))
    return Table(game, [find_agent(name, game) for name in against], seed, guest)


def result_of(winnings: Sequence[float], unit: int) -> Score:
    """Thousandths of `unit` chips a hand, with the interval over hands (Student's t)."""
    return score_of(np.asarray(winnings, np.float64), 1000.0 / unit)
