"""The bots that come with the package: they play, and are as strong as their files say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.roster import find_agent, list_agents
from pokerspiel.games.variants import exact

MEGABYTE = 1_000_000


def shipped(name: str) -> Bot:
    bot = find_agent(name)
    assert isinstance(bot, Bot) and bot.manifest is not None
    return bot


def figures() -> list[dict[str, Any]]:
    bot = shipped("sviten-limit")
    assert bot.manifest is not None and bot.manifest.strength is not None
    return list(bot.manifest.strength["rows"])


def test_every_shipped_bot_is_listed_with_its_game() -> None:
    games = {entry["name"]: entry["game"] for entry in list_agents() if entry["game"]}
    assert set(games) >= {"svara-home", "sviten-limit"}
    assert games["sviten-limit"].startswith("sviten_special(abstraction=clusters,buckets=standard-")


def test_it_beats_every_baseline_over_200_000_hands_and_says_so() -> None:
    wins = {row["opponent"]: row for row in figures() if row["measure"] == "wins from"}
    assert set(wins) >= set(BASELINES)
    for row in wins.values():
        assert row["hands"] == 200_000 and row["ci95"][0] > 100.0


def test_local_best_response_wins_far_less_from_it_than_from_baselines() -> None:
    (loses,) = (row for row in figures() if row["measure"] == "loses to local best response")
    assert loses["ci95"][1] < 500.0


@pytest.mark.parametrize("opponent", ["always-call", "tight"])
def test_a_match_agrees_with_the_file(opponent: str) -> None:
    (said,) = (row for row in figures() if row.get("opponent") == opponent)
    bot = shipped("sviten-limit")
    assert bot.game is not None
    players = [bot, BASELINES[opponent]()]
    score = play_match(players, exact(bot.game), 10_000, seed=7).players[0].score
    errors = [(high - low) / 2 / 1.96 for low, high in (said["ci95"], score.ci95)]
    assert abs(score.mbb_per_hand - said["mbb_per_hand"]) < 4.0 * np.hypot(*errors)


def test_shipped_bots_are_small(pytestconfig: pytest.Config) -> None:
    for path in (pytestconfig.rootpath / "agents" / "bots").iterdir():
        assert path.stat().st_size < 40 * MEGABYTE
