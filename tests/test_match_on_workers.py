"""A match in pieces: the same result, whoever plays them and whoever dies."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pokerspiel.agents.arena import MatchResult, play_match
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.value_fitting import fit_values
from pokerspiel.agents.value_function import ValueFunction
from pokerspiel.experiments.match_on_workers import match_on_workers
from pokerspiel.experiments.workers import Workers, open_workers
from pokerspiel.games.variants import load
from tests.command_line import pokerspiel
from tests.workers_here import WorkersHere

PLAYERS = ("tight", "random")
HANDS = 1000


def on(
    workers: Any, values: ValueFunction | None = None, show: Callable[..., None] | None = None
) -> MatchResult:
    agents = [find_agent(name) for name in PLAYERS]
    its: Workers = workers
    return match_on_workers(
        its, PLAYERS, agents, load("kuhn"), HANDS, 5, values, show or (lambda done, total: None)
    )


def alone(values: ValueFunction | None = None) -> MatchResult:
    return play_match([find_agent(name) for name in PLAYERS], load("kuhn"), HANDS, 5, values=values)


def untimed(result: MatchResult) -> MatchResult:
    return replace(result, seconds=0.0)


def test_pieces_come_to_what_the_match_comes_to_though_a_worker_is_killed() -> None:
    killed = []

    def kill(done: int, total: int) -> None:
        if not killed:
            victim = multiprocessing.active_children()[0]
            victim.kill()
            killed.append(victim.pid)

    values = fit_values([[find_agent(name) for name in PLAYERS]], load("kuhn"), 400, 1)
    with open_workers("processes", 2) as workers:
        assert untimed(on(workers, values, kill)) == untimed(alone(values))
    assert killed


def test_an_interrupt_keeps_the_first_pieces() -> None:
    seen = []

    def stop(piece: Any) -> None:
        seen.append(piece.deals)
        if len(seen) == 4:
            raise KeyboardInterrupt

    result = on(WorkersHere(stop))
    assert not result.complete
    assert result.deals == sum(seen[:3])
    assert (
        result.players[0].score
        == play_match([find_agent(name) for name in PLAYERS], load("kuhn"), 2 * result.deals, 5)
        .players[0]
        .score
    )


def test_a_player_that_fails_is_one_line() -> None:
    def lose(piece: Any) -> None:
        object.__setattr__(piece, "players", ("tight", "nobody"))

    with pytest.raises(OSError, match="the match failed: ValueError: unknown agent 'nobody'"):
        on(WorkersHere(lose))


@pytest.mark.parametrize("option", [("--sprt", "0,20"), ("--histories", "hands.jsonl")])
def test_what_hangs_on_the_order_of_hands_is_played_by_one(option: tuple[str, str]) -> None:
    words = ["match", *PLAYERS, "--game", "kuhn", *option, "--workers", "2"]
    result = pokerspiel(*words)
    assert result.status == 2
    assert f"{option[0]}" in result.err
    assert "not with --workers or --on" in result.err
