"""A match in pieces, played by workers: the same result, whoever plays them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.arena import (
    DealScores,
    MatchResult,
    joined,
    no_deals,
    play_deals,
    result_of,
)
from pokerspiel.agents.chairs import distinct_names
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.value_function import ValueFunction
from pokerspiel.experiments.workers import End, Shared, Workers, get
from pokerspiel.games.variants import Game, load

PIECES = 20
"""For each worker, so that none waits long for the last one."""
FEWEST_DEALS = 20
"""Of a piece."""
RETRIES = 2
"""How often a piece is played again whose process has died."""


@dataclass(frozen=True)
class _Piece:
    """Some deals of a match, for a worker."""

    players: tuple[str, ...]
    game: str
    seed: int
    first: int
    deals: int
    values: Shared | None


def _play_piece(piece: _Piece) -> DealScores:
    values = None if piece.values is None else _values(piece.values)
    agents = _agents(piece.players, piece.game)
    return play_deals(agents, load(piece.game), piece.first, piece.deals, piece.seed, values)


@lru_cache(maxsize=4)
def _agents(players: Sequence[str], game: str) -> list[Agent]:
    return [find_agent(player, load(game)) for player in players]


@lru_cache(maxsize=1)
def _values(shared: Shared) -> ValueFunction:
    values: ValueFunction = get(shared)
    return values.with_own_arrays()


def match_on_workers(
    workers: Workers,
    players: Sequence[str],
    agents: Sequence[Agent],
    game: Game,
    hands: int,
    seed: int,
    values: ValueFunction | None,
    on_progress: Callable[[int, int], None],
) -> MatchResult:
    """The match of `agents`, which workers find as `players`: what `play_match` comes to.

    After a KeyboardInterrupt the result covers the first deals, up to one that is missing. Raises
    OSError, in one line, if a player fails or workers die again and again.
    """
    start = time.perf_counter()
    deals = -(-hands // game.players)
    shared = None if values is None else workers.share(values)
    size = max(deals // (PIECES * workers.count), FEWEST_DEALS)
    pieces = [
        _Piece(tuple(players), str(game), seed, first, min(size, deals - first), shared)
        for first in range(0, deals, size)
    ]
    parts: dict[int, DealScores] = {}

    def keep(end: End) -> None:
        if end.error is not None:
            raise OSError(f"the match failed: {end.error}")
        parts[end.job.first] = end.result
        done = sum(part.deals for part in parts.values())
        on_progress(done * game.players, deals * game.players)

    complete = True
    try:
        workers.run(_play_piece, pieces, keep, retries=RETRIES)
    except KeyboardInterrupt:
        complete = False
    scores = no_deals(game, 0, values is not None)
    while scores.deals in parts and scores.deals < deals:
        scores = joined([scores, parts[scores.deals]])
    return result_of(
        scores,
        distinct_names(agents),
        game,
        seed,
        hands_requested=hands,
        complete=complete,
        seconds=time.perf_counter() - start,
        values=values,
    )
