"""Matches between agents: duplicate deals, seats rotated, intervals over deals.

Every deal is played once in each cyclic rotation of the seats, with the same cards and, seat by
seat, the same luck. The deal is the sampling unit: a player's result is the mean of its deals, and
the 95 % interval follows from their spread (Student's t). An agent against itself scores zero.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TextIO

import numpy as np
from scipy.special import stdtrit

from pokerspiel.agents.agent import (
    Agent,
    CompiledAgent,
    Follower,
    HandAgent,
    ViewAgent,
    legal,
)
from pokerspiel.agents.batch import (
    NOBODY,
    Batch,
    Sums,
    add_halves,
    add_results,
    advance,
    begin_hands,
    longest_hand,
    new_batch,
    new_sums,
    play,
    some_hands,
    waiting_hands,
)
from pokerspiel.agents.policy import UNIFORM, Policy, decision_seed, new_policy, new_work, sample
from pokerspiel.agents.table.history import history_of, line_of
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.games.kernel import MAX_SEATS
from pokerspiel.games.variants import Game, exact

CONFIDENCE = 0.95
_FIRST_HANDS = 64
_MOST_HANDS = 1024
"""Hands of a batch: as many as fit into the processor's cache."""
_MOST_EVENTS = 1 << 24
"""Room for recorded events in a batch; deep stacks make the longest possible hand very long."""
_BATCH_SECONDS = 0.25
"""Batches of slow agents are kept shorter, so that progress shows and Ctrl-C loses little."""


@dataclass(frozen=True)
class Score:
    """Winnings in thousandths of a big blind or an ante per hand."""

    mbb_per_hand: float | None
    """None if no deal was finished."""
    ci95: tuple[float, float] | None
    """Interval of 95 % confidence; None with fewer than two deals."""


@dataclass(frozen=True)
class HalvesScore:
    """Showdowns of a game whose pots have a draw half and an Omaha half."""

    showdowns: float
    """Showdowns per hand."""
    draw: float
    """Share of the chips in draw halves that the player won at its showdowns."""
    omaha: float
    """The same of the Omaha halves."""
    scoops: float
    """Share of its showdowns at which it won everything."""


@dataclass(frozen=True)
class PlayerResult:
    """What one player of a match did."""

    name: str
    score: Score
    seats: tuple[Score, ...]
    decisions: int
    """Choices between two or more actions."""
    misses: float
    """Share of the decisions that the player's table did not hold, played at random."""
    halves: HalvesScore | None
    faults: Mapping[str, int] = field(default_factory=dict)
    """Decisions that a program gave no good answer to, by what was wrong; a rule played them."""
    notes: tuple[str, ...] = ()
    """The faults in words, and the last that a program with faults wrote to stderr."""


@dataclass(frozen=True)
class MatchResult:
    """The outcome of a match; winnings of all players add up to zero."""

    game: str
    rule_version: int
    unit: str
    """What the thousandths are of: "big blind" or "ante"."""
    seed: int
    deals: int
    hands: int
    """Hands played: whole deals in all rotations, and thus perhaps more than were asked for."""
    hands_requested: int
    complete: bool
    """False if the match was interrupted; finished deals count."""
    seconds: float
    players: tuple[PlayerResult, ...]

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values."""
        values = asdict(self)
        values["players"] = [_player_json(player) for player in self.players]
        return values


def _player_json(player: PlayerResult) -> dict[str, Any]:
    values = {
        "name": player.name,
        **_score_json(player.score),
        "misses": player.misses,
        "decisions": player.decisions,
        "faults": dict(player.faults),
        "notes": list(player.notes),
        "seats": [{"seat": i, **_score_json(score)} for i, score in enumerate(player.seats)],
    }
    if player.halves is not None:
        values["halves"] = asdict(player.halves)
    return values


def _score_json(score: Score) -> dict[str, Any]:
    return {"mbb_per_hand": score.mbb_per_hand, "ci95": score.ci95 and list(score.ci95)}


def play_match(
    agents: Sequence[Agent],
    game: Game,
    hands: int,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
    histories: TextIO | None = None,
    hands_at_once: int | None = None,
) -> MatchResult:
    """Let one agent a seat play at least `hands` hands, rounded up to whole deals.

    Matches are played on the exact game, whatever the abstraction of `game` or of the agents.
    `on_progress` is called with (hands played, hands in all); `histories` gets every hand as a line
    of JSON (docs/histories.md). The result does not depend on `hands_at_once`. After a
    KeyboardInterrupt the result covers what was finished. Raises ValueError, in one line, if an
    agent cannot play.
    """
    game = exact(game)
    if len(agents) != game.players:
        raise ValueError(f"{len(agents)} agents for {game}, which needs {game.players}")
    if hands < 1:
        raise ValueError(f"hands={hands} is not allowed: expected 1 or more")
    _check_same_game(agents, game)
    match = _Match(agents, game, seed % (1 << 64), histories)
    deals = -(-hands // game.players)
    complete = True
    start = time.perf_counter()
    try:
        match.play(deals, on_progress, hands_at_once)
    except KeyboardInterrupt:
        complete = False
    finally:
        match.close()
    return match.result(hands, complete, time.perf_counter() - start)


def _check_same_game(agents: Sequence[Agent], game: Game) -> None:
    """Two agents made for different games cannot meet; an agent plays only what it was made for."""
    made = [agent for agent in agents if agent.game is not None]
    for other in made[1:]:
        try:
            other.check(exact(_game_of(made[0])))
        except ValueError as error:
            raise ValueError(f"{made[0].name} and {other.name} cannot meet: {error}") from None
    for agent in agents:
        agent.check(game)


def _game_of(agent: Agent) -> Game:
    assert agent.game is not None
    return agent.game


def distinct_names(agents: Sequence[Agent]) -> list[str]:
    """The names of the agents, with "#2" and so on behind those that come again."""
    names: list[str] = []
    for agent in agents:
        name, number = agent.name, 1
        while name in names:
            number += 1
            name = f"{agent.name} #{number}"
        names.append(name)
    return names


def names_by_seat(names: Sequence[str], rotation: int) -> list[str]:
    """The names in the order of the seats; the player of the first one sits on seat `rotation`."""
    return [names[(seat - rotation) % len(names)] for seat in range(len(names))]


class _Match:
    """A match under way."""

    def __init__(
        self, agents: Sequence[Agent], game: Game, seed: int, histories: TextIO | None
    ) -> None:
        self.game = game
        self.seed = seed
        self.names = distinct_names(agents)
        self.chairs: list[_Chair] = []
        try:
            for player, agent in enumerate(agents):
                self.chairs.append(_chair(agent, game, player, self.names))
        except BaseException:
            self.close()
            raise
        self._added = new_sums(game.players), np.zeros((game.players, 2), np.int64)
        self._histories = histories
        self._one_by_one = any(isinstance(agent, HandAgent) for agent in agents)
        self._traced = histories is not None or not all(
            isinstance(agent, CompiledAgent) for agent in agents
        )
        self._has_halves = hasattr(game.family, "halves_won")

    def play(
        self, deals: int, on_progress: Callable[[int, int], None] | None, at_once: int | None
    ) -> None:
        """Play the deals, batch by batch."""
        players = self.game.players
        hands = at_once or (1 if self._one_by_one else _FIRST_HANDS)
        most = deals
        if self._traced:
            most = max(_MOST_EVENTS // longest_hand(self.game) // players, 1)
        room = new_batch(self.game, 0, self._traced)
        done = 0
        while done < deals:
            size = players * min(max(hands // players, 1), most, deals - done)
            if size > len(room.states):
                room = new_batch(self.game, size, self._traced)
            start = time.perf_counter()
            self._play_deals(some_hands(room, 0, size), done)
            done += size // players
            if on_progress is not None:
                on_progress(done * players, deals * players)
            if at_once is None:
                hands = _next_size(size, time.perf_counter() - start)

    def _play_deals(self, batch: Batch, first: int) -> None:
        """Play a batch from the deal `first` on, and add it up."""
        game = self.game
        begin_hands(batch, game.tables, game.players, np.uint64(self.seed), first)
        step = 1 if self._one_by_one else len(batch.states)
        for start in range(0, len(batch.states), step):
            self._play_hands(some_hands(batch, start, start + step))
        if self._histories is not None:
            self._histories.write("".join(self._history(batch, first)))
        self._add(batch)

    def _add(self, batch: Batch) -> None:
        """Add up a batch that is over; an interrupt finds it added as a whole or not at all."""
        before, counts = self._added
        sums = Sums(*(array.copy() for array in before))
        add_results(batch, self.game.players, sums)
        if self._has_halves:
            chips = np.zeros((2, MAX_SEATS))
            add_halves(batch, self.game.tables, self.game.players, sums, chips)
        self._added = sums, counts + [chair.taken_counts() for chair in self.chairs]

    def _play_hands(self, batch: Batch) -> None:
        unfinished = len(batch.states)
        while unfinished:
            for chair in self.chairs:
                unfinished = chair.move(batch)
        for follower in self.chairs:
            if isinstance(follower, _HandChair):
                follower.end(batch)

    def _history(self, batch: Batch, first: int) -> list[str]:
        """The hands of a batch as lines of JSON, with all cards."""
        players = self.game.players
        lines = []
        for h in range(len(batch.states)):
            rotation = int(batch.rotation[h])
            by_seat = [self.names[(seat - rotation) % players] for seat in range(players)]
            actions = [int(action) for action in batch.trace[h, : batch.events[h]]]
            hand = LiveHand(self.game)
            for action in actions:
                hand.play(action)
            document = history_of(
                hand,
                None,
                by_seat,
                first * players + h,
                seed=self.seed,
                deal=first + h // players,
                actions=actions,
            )
            lines.append(line_of(document) + "\n")
        return lines

    def close(self) -> None:
        """Let all players go."""
        for chair in self.chairs:
            chair.close()

    def result(self, requested: int, complete: bool, seconds: float) -> MatchResult:
        deals = int(self._added[0].deals[0])
        return MatchResult(
            game=str(self.game),
            rule_version=self.game.rule_version,
            unit=self.game.limits.unit,
            seed=self.seed,
            deals=deals,
            hands=deals * self.game.players,
            hands_requested=requested,
            complete=complete,
            seconds=seconds,
            players=tuple(self._player(p) for p in range(self.game.players)),
        )

    def _player(self, p: int) -> PlayerResult:
        unit = 1000.0 / self.game.limits.big_unit
        sums, counts = self._added
        scores = [_score(sums, p, column, unit) for column in range(1 + self.game.players)]
        decisions, missed = (int(count) for count in counts[p])
        halves = _halves_score(sums, p, self.game.players) if self._has_halves else None
        return PlayerResult(
            self.names[p],
            scores[0],
            tuple(scores[1:]),
            decisions,
            missed / decisions if decisions else 0.0,
            halves,
            self.chairs[p].faults(),
            tuple(self.chairs[p].notes()),
        )


def _next_size(size: int, seconds: float) -> int:
    """Hands of the next batch, after one of `size` hands took `seconds`."""
    wanted = size * _BATCH_SECONDS / max(seconds, 1e-9)
    return int(min(wanted, 4 * size, _MOST_HANDS)) or 1


def _score(sums: Sums, player: int, column: int, unit: float) -> Score:
    deals = int(sums.deals[0])
    if deals == 0:
        return Score(None, None)
    mean = float(sums.mean[player, column]) * unit
    if deals == 1:
        return Score(mean, None)
    error = math.sqrt(float(sums.spread[player, column]) / (deals - 1) / deals) * unit
    reach = float(stdtrit(deals - 1, 0.5 + CONFIDENCE / 2)) * error
    return Score(mean, (mean - reach, mean + reach))


def _halves_score(sums: Sums, player: int, players: int) -> HalvesScore:
    showdowns, draw, of_draw, omaha, of_omaha, scoops = (float(x) for x in sums.halves[player])
    hands = int(sums.deals[0]) * players
    return HalvesScore(
        showdowns / hands if hands else 0.0,
        draw / of_draw if of_draw else 0.0,
        omaha / of_omaha if of_omaha else 0.0,
        scoops / showdowns if showdowns else 0.0,
    )


# How the arena asks each kind of agent.


class _Chair(ABC):
    """A player of the match."""

    def __init__(self, game: Game, player: int, policy: Policy, name: str) -> None:
        self.game = game
        self.player = player
        self.name = name
        self._counts = np.zeros(2, np.int64)
        self._policy = policy
        self._work = new_work(game)

    @abstractmethod
    def move(self, batch: Batch) -> int:
        """Act wherever it is this player's turn; returns the number of hands not over."""

    def taken_counts(self) -> np.ndarray:
        """Decisions since the last call, and those among them that the policy missed."""
        counts = self._counts
        self._counts = np.zeros(2, np.int64)
        return counts

    def faults(self) -> dict[str, int]:
        """Decisions without a good answer, by what was wrong."""
        return {}

    def notes(self) -> list[str]:
        """The faults in words."""
        return []

    def close(self) -> None:  # noqa: B027, most hold nothing
        """Let the player go."""

    def _advance(self, batch: Batch, player: int) -> int:
        game = self.game
        return int(
            advance(
                batch,
                game.tables,
                self._policy,
                self._work,
                player,
                game.players,
                self._counts,
            )
        )


class _CompiledChair(_Chair):
    def move(self, batch: Batch) -> int:
        return self._advance(batch, self.player)


class _PythonChair(_Chair):
    """Asks for one decision at a time; its policy only lets cards fall."""

    def __init__(self, game: Game, player: int, name: str) -> None:
        super().__init__(game, player, new_policy(UNIFORM, game), name)

    def move(self, batch: Batch) -> int:
        self._advance(batch, NOBODY)
        waiting = np.zeros(len(batch.states), np.int64)
        n = waiting_hands(batch, self.player, self.game.players, waiting)
        for h in waiting[:n]:
            actions = legal(self.game, batch.states[h : h + 1])
            action = actions[0]
            if len(actions) > 1:
                self._counts[0] += 1
                action = self._choose(batch, int(h), actions)
            batch.decisions[h] += 1
            play(batch, h, self.game.tables, action)
        return self._advance(batch, NOBODY)

    @abstractmethod
    def _choose(self, batch: Batch, h: int, actions: list[int]) -> int: ...

    def _seed(self, batch: Batch, h: int) -> np.uint64:
        """Seed of the decision that hand `h` waits for."""
        hand = np.uint64(batch.decks["seed"][h])
        seat = int(batch.states["turn"][h])
        return np.uint64(decision_seed(hand, seat, batch.decisions[h]))


class _ViewChair(_PythonChair):
    def __init__(self, agent: ViewAgent, game: Game, player: int) -> None:
        super().__init__(game, player, agent.name)
        self._seated = agent.sit(game)

    def _choose(self, batch: Batch, h: int, actions: list[int]) -> int:
        states = batch.states[h : h + 1]
        seed = self._seed(batch, h)
        past = batch.trace[h, : batch.events[h]].tolist()
        chances = self._seated.distribution(states, past, int(seed))
        probabilities = np.array([chances[action] for action in actions])
        return actions[int(sample(probabilities, len(actions), np.array([seed], np.uint64)))]


class _HandChair(_PythonChair):
    """Tells an agent that follows the hand what happens; plays one hand at a time."""

    def __init__(self, agent: HandAgent, game: Game, player: int, names: Sequence[str]) -> None:
        super().__init__(game, player, agent.name)
        self._names = names
        self._followers: list[Follower] = []
        self._told = -1
        self._hand = 0
        try:
            for seat in range(game.players):
                self._followers.append(agent.follow(game, seat))
        except BaseException:
            self.close()
            raise

    def faults(self) -> dict[str, int]:
        faults: Counter[str] = Counter()
        for follower in self._followers:
            faults.update(follower.faults)
        return dict(faults)

    def notes(self) -> list[str]:
        notes = [note for follower in self._followers for note in follower.notes]
        return list(dict.fromkeys(notes))

    def close(self) -> None:
        for follower in self._followers:
            follower.close()

    def end(self, batch: Batch) -> None:
        """Tell the rest of a hand that is over."""
        self._follower(batch)
        self._told = -1
        self._hand += 1

    def _follower(self, batch: Batch) -> Follower:
        """The agent on its seat of this hand, told all that has happened."""
        players, rotation = self.game.players, int(batch.rotation[0])
        follower = self._followers[(self.player + rotation) % players]
        if self._told < 0:
            follower.meet(self._hand, names_by_seat(self._names, rotation))
            follower.begin()
            self._told = 0
        for event in batch.trace[0, self._told : batch.events[0]]:
            follower.tell(int(event))
        self._told = int(batch.events[0])
        return follower

    def _choose(self, batch: Batch, h: int, actions: list[int]) -> int:
        follower = self._follower(batch)
        missed = follower.misses
        action = follower.choose(int(self._seed(batch, h)))
        self._counts[1] += follower.misses - missed
        if action not in actions:
            raise ValueError(f"{self.name} plays {action}: legal are {actions}")
        return action


def _chair(agent: Agent, game: Game, player: int, names: Sequence[str]) -> _Chair:
    if isinstance(agent, CompiledAgent):
        return _CompiledChair(game, player, agent.policy(game), agent.name)
    if isinstance(agent, ViewAgent):
        return _ViewChair(agent, game, player)
    if isinstance(agent, HandAgent):
        return _HandChair(agent, game, player, names)
    raise TypeError(f"{agent.name} is no agent that the arena knows: {type(agent).__name__}")
