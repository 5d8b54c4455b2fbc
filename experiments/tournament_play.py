"""Playing the matches of a tournament that are missing, in chunks, by workers.

Every set of as many bots as there are seats meets, in all orders around the table. The deals are
the same for all. What a deal comes to depends on nothing else: chunks may have any sizes and be
played anywhere.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from math import factorial
from pathlib import Path

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.arena import DealScores, play_deals
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.value_function import ValueFunction, load_values
from pokerspiel.experiments.entrants import Entrant, content_of
from pokerspiel.experiments.tournament_store import Match, TournamentStore
from pokerspiel.experiments.workers import End, Workers
from pokerspiel.games.variants import Game, load

CHUNK_SECONDS = 1.0
"""What a chunk is to take, so that a run that is killed loses little."""
FIRST_DEALS = 4
"""Of the first chunk of a match, when nothing is known of its speed."""
GROWTH = 16
"""How many times larger than the last one a chunk may be."""
RETRIES = 2
"""How often a chunk is played again whose process has died."""


@dataclass(frozen=True)
class Meeting:
    """A set of bots who meet, and the matches that they play: one for each order."""

    members: tuple[int, ...]
    """Numbers of the entrants, ascending."""
    matches: tuple[Match, ...]


def meetings_of(
    entrants: Sequence[Entrant], game: Game, seed: int, values_hash: str = ""
) -> list[Meeting]:
    """All sets of bots for the seats of a game, with all orders up to rotation.

    Rotations are those of the arena. An order begins with the least `content`, so that it is the
    same whatever the order of the entrants. Raises ValueError if there are too few.
    """
    if len(entrants) < game.players:
        names = ", ".join(entrant.given for entrant in entrants)
        raise ValueError(f"{game} needs {game.players} bots or more, not only {names}")
    meetings = []
    for members in combinations(range(len(entrants)), game.players):
        first, *others = sorted(entrants[member].content for member in members)
        matches = tuple(
            Match(str(game), game.rule_version, seed, (first, *rest), values_hash)
            for rest in permutations(others)
        )
        meetings.append(Meeting(members, matches))
    return meetings


def deals_for(hands: int, game: Game) -> int:
    """Deals that make at least so many hands of a meeting, all orders and rotations counted."""
    return -(-hands // hands_a_deal(game))


def hands_a_deal(game: Game) -> int:
    """Hands of a meeting that are played with the cards of one deal."""
    return factorial(game.players)


# What a worker does.


@dataclass(frozen=True)
class Chunk:
    """Deals of a match, for a worker."""

    match: Match
    places: tuple[str, ...]
    """Where the players are, in their order."""
    first: int
    deals: int
    values: str | None = None
    """Path of a value function."""


def play_chunk(chunk: Chunk) -> tuple[DealScores, float]:
    """The scores of a chunk, and the seconds that it took."""
    agents, values = _players(chunk.match, chunk.places, chunk.values)
    start = time.perf_counter()
    scores = play_deals(
        agents, load(chunk.match.game), chunk.first, chunk.deals, chunk.match.seed, values
    )
    return scores, time.perf_counter() - start


@lru_cache(maxsize=16)
def _players(
    match: Match, places: Sequence[str], values: str | None
) -> tuple[list[Agent], ValueFunction | None]:
    """The players of a match and its value function.

    Those in kernels play a deal, so that what loads or compiles them does not count for speed.
    """
    agents = [
        _agent(place, content, match.game)
        for place, content in zip(places, match.players, strict=True)
    ]
    function = None if values is None else _values(values, match.values_hash)
    if all(isinstance(agent, CompiledAgent) for agent in agents):
        play_deals(agents, load(match.game), 0, 1, match.seed, function)
    return agents, function


@lru_cache(maxsize=16)
def _agent(place: str, content: str, game: str) -> Agent:
    if content_of(place) != content:
        raise ValueError(f"{place} has changed since the tournament began")
    return find_agent(place, load(game))


@lru_cache(maxsize=1)
def _values(path: str, values_hash: str) -> ValueFunction:
    if hash_of_values(Path(path)) != values_hash:
        raise ValueError(f"{path} has changed since the tournament began")
    return load_values(Path(path))


def hash_of_values(path: Path) -> str:
    """SHA-256 of the file of a value function. Raises OSError if it cannot be read."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


# Which chunks there are.


class _Left:
    """The deals of a match that are missing."""

    def __init__(self, match: Match, parts: Sequence[tuple[int, int]]) -> None:
        self.match = match
        self.parts = list(parts)
        self.size = FIRST_DEALS
        """Deals of the next chunk."""
        self.paced = False
        """Whether the speed is known."""

    @property
    def deals(self) -> int:
        return sum(deals for _, deals in self.parts)

    def take(self) -> tuple[int, int]:
        """(First deal, number of deals) of the next chunk."""
        first, deals = self.parts.pop(0)
        if deals > self.size:
            self.parts.insert(0, (first + self.size, deals - self.size))
        return first, min(deals, self.size)

    def learn(self, deals: int, seconds: float) -> None:
        """Choose the size of the next chunks after one of so many deals."""
        wanted = deals * CHUNK_SECONDS / max(seconds, 1e-9)
        self.paced = wanted < GROWTH * deals
        self.size = max(int(min(wanted, GROWTH * deals)), 1)


def missing_deals(played: Sequence[tuple[int, int]], deals: int) -> list[tuple[int, int]]:
    """(First deal, number of deals) of the gaps among the first `deals`; `played` ascends."""
    gaps, done = [], 0
    for first, count in [*played, (deals, 0)]:
        if done < min(first, deals):
            gaps.append((done, min(first, deals) - done))
        done = max(done, first + count)
    return gaps


def play_missing(
    store: TournamentStore,
    workers: Workers,
    entrants: Sequence[Entrant],
    meetings: Sequence[Meeting],
    deals: int,
    values: Path | None,
    on_progress: Callable[[int, int], None],
) -> None:
    """Play what is missing of the first `deals` deals of all meetings, and keep it as it comes.

    `on_progress` gets hands of this call, played and in all. A match that fails is marked, and the
    others go on.
    """
    place_of = {entrant.content: entrant.place for entrant in entrants}
    left = {}
    for match in [match for meeting in meetings for match in meeting.matches]:
        store.forget_failure(match)
        parts = missing_deals(store.played(match), deals)
        if parts:
            left[match] = _Left(match, parts)
    total = sum(len(match.players) * its.deals for match, its in left.items())
    path = None if values is None else str(values.absolute())
    done = 0

    def keep(end: End) -> None:
        nonlocal done
        chunk: Chunk = end.job
        done += len(chunk.places) * chunk.deals
        if end.error is None:
            scores, seconds = end.result
            store.write(chunk.match, scores, seconds)
            left[chunk.match].learn(chunk.deals, seconds)
        elif store.failure(chunk.match) is None:
            store.fail(chunk.match, end.error)

    def show(running: Sequence[Chunk]) -> None:
        on_progress(done, total)

    while any(its.parts for its in left.values()):
        jobs = []
        for match, its in left.items():
            places = tuple(place_of[content] for content in match.players)
            for first, count in _next_chunks(its, workers.count, len(left)):
                jobs.append(Chunk(match, places, first, count, path))
        workers.run(play_chunk, jobs, keep, show, RETRIES)
        for match, its in left.items():
            if store.failure(match) is not None:
                done += len(match.players) * its.deals
                its.parts = []


def _next_chunks(its: _Left, count: int, matches: int) -> Iterator[tuple[int, int]]:
    """All that is missing if the speed is known, else enough that no worker is idle."""
    chunks = 0
    while its.parts and (its.paced or chunks < -(-count // matches)):
        chunks += 1
        yield its.take()
