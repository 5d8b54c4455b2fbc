"""What a player is: the information of a seat in, an action out.

Three kinds of agents sit at one table:

| agent | is asked through | for |
|---|---|---|
| `CompiledAgent` | `policy(game)`, run by kernels on the record of the state | bots, baselines |
| `ViewAgent` | `probabilities(view)`, in Python, with a `View` of its own seat | agents in Python |
| `HandAgent` | `follow(game, seat)`: a `Follower` is told every event | programs, other bots |

A `View` holds no hidden card. A compiled policy may touch the whole record, so a test swaps all
that is hidden and demands the same probabilities.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerspiel.agents.policy import Policy, lifted_probabilities, new_work
from pokerspiel.agents.story import story
from pokerspiel.games import drive
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import action_kind, odds
from pokerspiel.games.variants import Game, exact


@dataclass(frozen=True)
class View:
    """What the seat to act sees; enough to play, and nothing hidden."""

    game: Game
    seat: int
    key: int
    """Hash of all that the seat knows, in the abstraction of `game`."""
    observation: np.ndarray
    """The same as numbers for a network; its blocks are described in the family's `observe`."""
    actions: tuple[int, ...]
    """The legal actions, ascending."""
    names: tuple[str, ...]
    """The actions in words."""
    kinds: tuple[int, ...]
    """What each action does: KIND_FOLD, KIND_CALL ... of `kernel`."""
    owed: int
    """Chips that staying in costs."""
    pot: int
    """Chips in the middle."""
    events: tuple[str, ...]
    """What the seat has seen so far, in words."""

    @property
    def text(self) -> str:
        """All of it in words, for people and for programs that read."""
        to_call = f", {self.owed} to stay in" if self.owed else ""
        return (
            f"{self.game}, you are seat {self.seat}; {'; '.join(self.events)}; "
            f"pot {self.pot}{to_call}; {' | '.join(self.names)}"
        )


@kernel
def _odds_of(states: Any, player: int) -> tuple[int, int]:
    return odds(states[0], player)


@kernel
def _kind_of(states: Any, tables: Any, action: int) -> int:
    return action_kind(states[0], tables, action)


def legal(game: Game, states: np.ndarray) -> list[int]:
    """The legal actions of the seat to act in `states[0]`, ascending."""
    actions = np.zeros(game.limits.num_actions, np.int64)
    n = drive.list_actions(states, game.tables, actions)
    return [int(action) for action in actions[:n]]


def see(game: Game, states: np.ndarray, past: Sequence[int]) -> View:
    """The view of the seat to act in `states[0]`, after the cards and actions `past`."""
    seat = int(states[0]["turn"])
    if seat < 0:
        raise ValueError("nobody is to act: there is nothing to see")
    actions = legal(game, states)
    observation = np.zeros(game.family.observation_size(game.parameters), np.float32)
    drive.observe_into(states, game.tables, seat, observation)
    owed, pot = _odds_of(states, seat)
    return View(
        game,
        seat,
        int(drive.key_of(states, game.tables, seat)),
        observation,
        tuple(actions),
        tuple(game.action_name(states[0], action) for action in actions),
        tuple(int(_kind_of(states, game.tables, action)) for action in actions),
        int(owed),
        int(pot),
        tuple(filter(None, (event.told_to(seat) for event in story(game, past)))),
    )


class Agent:
    """A player with a name; `game` is what it was made for, None if it plays anything."""

    def __init__(self, name: str, game: Game | None = None) -> None:
        self.name = name
        self.game = game

    def check(self, game: Game) -> None:
        """Raise ValueError, in one line, if the agent cannot play `game`."""
        if self.game is None:
            return
        same = str(exact(self.game)) == str(exact(game))
        if not same or self.game.rule_version != game.rule_version:
            raise ValueError(
                f"{self.name} plays {_with_version(exact(self.game))}, not {_with_version(game)}"
            )
        if game.abstraction not in (self.game.abstraction, exact(game).abstraction):
            raise ValueError(
                f"{self.name} plays with the abstraction {self.game.abstraction}, "
                f"not {game.abstraction}"
            )

    def as_spiel_bot(self, game: Any, player: int, seed: int = 0) -> Any:
        """This agent as a `pyspiel.Bot` on the seat `player` of an OpenSpiel game it plays."""
        from pokerspiel.agents.spiel_bot import as_spiel_bot

        return as_spiel_bot(self, game, player, seed)


def _with_version(game: Game) -> str:
    return f"{game} (rules {game.rule_version})"


class Seated(ABC):
    """An agent that can say at once how it would act in any state of a game."""

    @abstractmethod
    def distribution(self, states: np.ndarray, past: Sequence[int], seed: int) -> dict[int, float]:
        """Probability of each legal action of the seat to act in `states[0]`.

        `past` are the cards and actions so far; `seed` decides what the agent samples while it
        thinks.
        """

    def close(self) -> None:  # noqa: B027, most hold nothing
        """Let go of what the agent holds, such as a program; it is not asked any more."""


class CompiledAgent(Agent, ABC):
    """An agent whose decisions are a kernel's."""

    @abstractmethod
    def policy(self, game: Game) -> Policy:
        """The policy to play `game` with; ValueError if it cannot."""

    def sit(self, game: Game) -> Seated:
        return _SeatedPolicy(self.policy(game), game)


class _SeatedPolicy(Seated):
    def __init__(self, policy: Policy, game: Game) -> None:
        self._policy = policy
        self._game = game
        self._work = new_work(game)
        self._out = np.zeros(game.limits.num_actions)

    def distribution(self, states: np.ndarray, past: Sequence[int], seed: int) -> dict[int, float]:
        actions = legal(self._game, states)
        lifted_probabilities(
            states, self._policy, self._work, np.uint64(seed), self._game.tables, self._out
        )
        return {action: float(self._out[action]) for action in actions}


class ViewAgent(Agent, ABC):
    """An agent in Python."""

    @abstractmethod
    def probabilities(self, view: View) -> Mapping[int, float]:
        """The probability of each action that it may take; legal actions left out have none."""

    def sit(self, game: Game) -> Seated:
        self.check(game)
        return _SeatedView(self, game)


class _SeatedView(Seated):
    def __init__(self, agent: ViewAgent, game: Game) -> None:
        self._agent = agent
        self._game = game

    def distribution(self, states: np.ndarray, past: Sequence[int], seed: int) -> dict[int, float]:
        view = see(self._game, states, past)
        given = self._agent.probabilities(view)
        total = sum(given.values())
        illegal = [action for action in given if action not in view.actions]
        if illegal or min(given.values(), default=0.0) < 0.0 or abs(total - 1.0) > 1e-6:
            raise ValueError(
                f"{self._agent.name} gives {dict(given)}: no probabilities of {view.actions}"
            )
        return {action: given.get(action, 0.0) / total for action in view.actions}


class Follower(ABC):
    """A seat of a hand that is played by a program with a state of its own."""

    misses = 0
    """Decisions so far that the program did not know and played by some rule."""

    @property
    def faults(self) -> Mapping[str, int]:
        """Decisions so far without a good answer, by what was wrong; a rule played them."""
        return {}

    @property
    def notes(self) -> Sequence[str]:
        """The faults in words, as far as there are any."""
        return ()

    def meet(self, number: int, names: Sequence[str]) -> None:  # noqa: B027, most do not care
        """Before a hand begins: its number, and who sits where."""

    @abstractmethod
    def begin(self) -> None:
        """A new hand begins."""

    @abstractmethod
    def tell(self, event: int) -> None:
        """A card falls, or some seat acts, this one included."""

    @abstractmethod
    def choose(self, seed: int) -> int:
        """The action of this seat, which is to act; `seed` decides what it samples."""

    def close(self) -> None:  # noqa: B027, most hold nothing
        """Let go of what it holds, such as a process; it follows no more hands."""


class HandAgent(Agent, ABC):
    """An agent that follows whole hands; the arena plays its hands one at a time."""

    @abstractmethod
    def follow(self, game: Game, seat: int) -> Follower:
        """The agent on a seat, for one hand after the other.

        Followers of different seats know nothing of each other: in a match they get the same cards.
        """

    def follow_all(self, game: Game) -> list[Follower]:
        """The agent on every seat of a table at which it moves on, one hand after the other."""
        return [self.follow(game, seat) for seat in range(game.players)]
