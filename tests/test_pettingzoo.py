"""The PettingZoo environment: the library's own tests, rewards, seeds, and what it may not show."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.games.kernel import EVERYBODY
from pokerspiel.games.variants import load

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test

from pokerspiel.agents.pettingzoo_env import Opponent, env, raw_env

GAMES = (
    "svara",
    "svara(players=3,betting=no_limit,stack=2000)",
    "sviten_special",
    "mini_sviten(players=3)",
    "leduc",
)


@pytest.mark.parametrize("text", GAMES)
def test_the_api_is_kept(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # What api_test says of every environment with masks but a list of PettingZoo's own.
        warnings.filterwarnings("ignore", message="Observation space for each agent probably")
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        api_test(env(text), num_cycles=60)
        seed_test(lambda: env(text), num_cycles=20)
    assert "Passed" in capsys.readouterr().out


def play_out(environment: Any, luck: np.random.Generator) -> list[float]:
    """Play a hand at random; returns the sum of rewards of each agent."""
    totals = dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, _ = environment.last()
        totals[agent] += reward
        if termination or truncation:
            environment.step(None)
            continue
        assert environment.observation_space(agent).contains(observation)
        environment.step(int(luck.choice(np.flatnonzero(observation["action_mask"]))))
    return list(totals.values())


@pytest.mark.parametrize("text", GAMES)
def test_rewards_are_the_chips_won_in_big_units(text: str) -> None:
    environment, luck = env(text), np.random.default_rng(1)
    unit = {"leduc": 1, "mini_sviten(players=3)": 2, "sviten_special": 2}.get(text, 1)
    swings = 0.0
    for seed in range(15):
        environment.reset(seed=seed)
        totals = play_out(environment, luck)
        hand = environment.unwrapped.hand
        replayed = LiveHand(load(text), hand.seed)
        for step in hand.steps:
            if not step.by_chance:
                replayed.play(step.action)
        assert totals == pytest.approx([chips / unit for chips in replayed.returns])
        assert sum(totals) == pytest.approx(0.0)
        swings += abs(totals[0])
    assert swings > 0


def test_a_seed_fixes_this_hand_and_those_after_it() -> None:
    seen = []
    for seed in (7, 7, 8):
        environment = raw_env("sviten_special")
        environment.reset(seed=seed)
        numbers = [environment.observe("seat_0")["observation"]]
        environment.reset()
        numbers.append(environment.observe("seat_0")["observation"])
        seen.append(np.concatenate(numbers))
    assert np.array_equal(seen[0], seen[1]) and not np.array_equal(seen[0], seen[2])
    half = len(seen[0]) // 2
    assert not np.array_equal(seen[0][:half], seen[0][half:])


def with_other_hidden_cards(hand: LiveHand, seat: int, luck: np.random.Generator) -> LiveHand:
    """The same play with the cards that `seat` has not seen dealt anew."""
    other = LiveHand(hand.game)
    seen = {
        step.action for step in hand.steps if step.by_chance and step.audience in (EVERYBODY, seat)
    }
    for step in hand.steps:
        if step.by_chance and step.action not in seen:
            other.play(int(luck.choice([c for c in other.cards_to_come() if c not in seen])))
        else:
            other.play(step.action)
    return other


@pytest.mark.parametrize("text", ["svara(players=3)", "sviten_special", "leduc", "kuhn"])
def test_hidden_cards_change_no_observation(text: str) -> None:
    luck = np.random.default_rng(3)
    swapped = 0
    environment, other = raw_env(text), raw_env(text)
    for seed in range(12):
        environment.reset(seed=seed)
        other.reset()
        while not environment.hand.is_over:
            hand = environment.hand
            for seat, agent in enumerate(environment.possible_agents):
                if any(step.shown for step in hand.steps):
                    continue  # a tied hand of Svara has been shown, and the svarka is played
                other.hand = with_other_hidden_cards(hand, seat, luck)
                swapped += other.hand.past != hand.past
                seen, also = environment.observe(agent), other.observe(agent)
                assert all(np.array_equal(seen[name], also[name]) for name in seen)
            mask = environment.observe(environment.agent_selection)["action_mask"]
            environment.step(int(luck.choice(np.flatnonzero(mask))))
    assert swapped > 20


def test_an_illegal_action_costs_the_most_or_is_refused() -> None:
    environment = env("sviten_special(stack=50)")
    environment.reset(seed=1)
    agent = environment.agent_selection
    mask = environment.last()[0]["action_mask"]
    illegal = int(np.flatnonzero(mask == 0)[0])
    environment.step(illegal)
    assert environment.rewards[agent] == -25.0
    assert all(environment.terminations.values())
    raw = raw_env("sviten_special")
    raw.reset(seed=1)
    with pytest.raises(ValueError, match=f"action {illegal} is not possible"):
        raw.step(illegal)
    with pytest.raises(ValueError, match="not None"):
        raw.step(None)


@pytest.mark.parametrize("bot", ["svara-home", "tight", "program"])
def test_bots_play_the_other_seats(bot: str, tmp_path: Path) -> None:
    if bot == "program":
        bot = str(Path(__file__).parent.parent / "docs" / "examples" / "bot.py")
    environment = env("svara")
    opponent = Opponent(environment, bot)
    outcomes = []
    for seed in [*range(6), *range(6)]:
        environment.reset(seed=seed)
        for agent in environment.agent_iter():
            observation, _, termination, _, _ = environment.last()
            action = None
            if not termination:
                mask = observation["action_mask"]
                mine = int(np.flatnonzero(mask)[-1])
                action = mine if agent == "seat_0" else opponent.action()
                assert mask[action] == 1
            environment.step(action)
        outcomes.append(tuple(environment.unwrapped.hand.returns))
    opponent.close()
    assert outcomes[:6] == outcomes[6:] and len(set(outcomes)) > 1
    with pytest.raises(ValueError, match="the hand is over"):
        opponent.action()


def test_the_hand_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    environment = raw_env("svara", render_mode="ansi")
    environment.reset(seed=3)
    while not environment.hand.is_over:
        mask = environment.observe(environment.agent_selection)["action_mask"]
        environment.step(int(np.flatnonzero(mask)[-1]))
    text = environment.render()
    assert text is not None and "seat_0 is dealt" in text and "seat_1 is dealt" in text
    human = raw_env("svara", render_mode="human")
    human.reset(seed=3)
    human.step(int(np.flatnonzero(human.observe(human.agent_selection)["action_mask"])[0]))
    assert capsys.readouterr().out.startswith("seat_0 ")


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match="unknown game 'svarra': did you mean svara"):
        env("svarra")
    with pytest.raises(ValueError, match="render_mode='rgb': expected human, ansi or None"):
        raw_env("svara", render_mode="rgb")
    with pytest.raises(ValueError, match="no hand is dealt yet"):
        raw_env("svara").observe("seat_0")
    with pytest.raises(ValueError, match="unknown agent 'tigth'"):
        Opponent(env("svara"), "tigth")
