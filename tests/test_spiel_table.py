"""Bot files for OpenSpiel's own games: they play as their strategy says, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import BotFileError, load_bot, read_manifest, save_bot
from pokerspiel.agents.exact_strategy import strategy_of
from pokerspiel.agents.roster import find_agent, find_bot
from pokerspiel.agents.spiel_table import SpielTableBot
from pokerspiel.games.variants import load
from pokerspiel.solvers.best_response import evaluate
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.strategies import blueprint_of
from pokerspiel.solvers.tree import Tree
from tests.command_line import refuse, succeed
from tests.some_strategies import random_strategy
from tests.test_bot_file import rewritten

GAMES = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice(dice_sides=3)",
    "kuhn_poker(players=3)",
    "goofspiel(imp_info=True,num_cards=3)",
)


def written(path: Path, text: str, seed: int = 1) -> tuple[Path, Tree, np.ndarray]:
    """(A bot file with a random strategy, its tree, the strategy)."""
    tree = compile_tree(text)
    strategy = random_strategy(tree, seed)
    about: dict[str, Any] = {"algorithm": "none", "seed": seed, "iterations": 0, "seconds": 0.0}
    save_bot(path, tree.game, blueprint_of(tree, strategy), nodes=tree.nodes, **about)
    return path, tree, strategy


def error_of(path: Path) -> str:
    with pytest.raises(BotFileError) as error:
        load_bot(path)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("text", GAMES)
def test_a_bot_plays_as_its_strategy_says_at_every_node(tmp_path: Path, text: str) -> None:
    path, tree, strategy = written(tmp_path / "bot.pspiel", text)
    bot = load_bot(path)
    assert isinstance(bot, SpielTableBot)
    game = bot.spiel_game.spiel_game
    seats = [bot.as_spiel_bot(game, player) for player in range(tree.players)]
    nodes = np.flatnonzero(tree.information_set >= 0)
    for node in np.random.default_rng(2).choice(nodes, min(300, len(nodes)), replace=False):
        i = int(tree.information_set[node])
        state = game.new_initial_state()
        for action in tree.history(int(node)):
            state.apply_action(action)
        policy = seats[state.current_player()].get_policy(state)
        assert [action for action, _ in policy] == tree.actions(i).tolist()
        chances = [chance for _, chance in policy]
        assert chances == pytest.approx(
            strategy[tree.set_first[i] : tree.set_first[i + 1]].tolist()
        )
        waiting = seats[(state.current_player() + 1) % tree.players]
        assert waiting.step_with_policy(state) == ([], pyspiel.INVALID_ACTION)


def test_openspiel_plays_matches_of_bots_worth_their_strategy(tmp_path: Path) -> None:
    path, tree, strategy = written(tmp_path / "bot.pspiel", "kuhn_poker")
    bot = find_bot(str(path))
    game = pyspiel.load_game("kuhn_poker")
    bots = [bot.as_spiel_bot(game, player, seed=player) for player in range(2)]
    luck = np.random.default_rng(4)
    won = []
    for _ in range(4000):
        state = game.new_initial_state()
        for card in luck.permutation(3)[:2]:
            state.apply_action(int(card))
        for seat in bots:
            seat.restart_at(state)
        while not state.is_terminal():
            state.apply_action(bots[state.current_player()].step(state))
        won.append(state.returns()[0])
    error = np.std(won) / np.sqrt(len(won))
    assert abs(np.mean(won) - evaluate(tree, strategy).values[0]) < 4 * error


def test_sets_that_the_table_does_not_hold_are_played_uniformly(tmp_path: Path) -> None:
    path, tree, _ = written(tmp_path / "bot.pspiel", "kuhn_poker")
    empty = rewritten(
        path,
        keys=np.zeros(0, np.uint64),
        first=np.zeros(1, np.uint32),
        probabilities=np.zeros(0, np.float32),
    )
    bot = load_bot(empty)
    state = pyspiel.load_game("kuhn_poker").new_initial_state()
    for card in (2, 0):
        state.apply_action(card)
    assert bot.as_spiel_bot("kuhn_poker", 0).get_policy(state) == [(0, 0.5), (1, 0.5)]
    assert strategy_of(bot, tree)[1] == tree.information_sets


def test_the_manifest_names_the_game_as_openspiel_does(tmp_path: Path) -> None:
    path, tree, _ = written(tmp_path / "bot.pspiel", "liars_dice(dice_sides=3)")
    manifest = read_manifest(path)
    assert manifest.game == str(pyspiel.load_game("liars_dice(dice_sides=3)"))
    assert manifest.abstraction == "openspiel-1"
    assert manifest.information_sets == tree.information_sets
    assert manifest.versions["open_spiel"] == "2.0.2"
    assert succeed("info", path, "--json").document["abstraction"] == "openspiel-1"


def test_a_strategy_comes_back_from_its_file(tmp_path: Path) -> None:
    path, tree, strategy = written(tmp_path / "bot.pspiel", "leduc_poker")
    back, unknown = strategy_of(load_bot(path), tree)
    assert unknown == 0
    assert np.abs(back - strategy).max() < 6e-8


# What does not fit


def test_matches_refuse_it_in_one_line(tmp_path: Path) -> None:
    path, _, _ = written(tmp_path / "bot.pspiel", "leduc_poker")
    refusal = "bot plays leduc_poker, one of OpenSpiel's own games"
    for more in ([], ["--game", "leduc"]):
        refuse("match", path, "random", *more, naming=refusal)
    refuse("play", "leduc", "--against", path, naming=refusal)
    for use in (
        lambda: find_agent(str(path)),
        lambda: play_match([load_bot(path), BASELINES["random"]()], load("leduc"), 10),
        lambda: load_bot(path).as_spiel_bot(load("leduc"), 0),
    ):
        with pytest.raises(ValueError, match="one of OpenSpiel's own games"):
            use()


def test_other_games_and_seats_are_refused(tmp_path: Path) -> None:
    bot = load_bot(written(tmp_path / "bot.pspiel", "kuhn_poker")[0])
    others = ("leduc_poker", pyspiel.load_game("kuhn_poker(players=3)"), pyspiel.load_game("kuhn"))
    for other in others:
        with pytest.raises(ValueError, match=r"bot plays kuhn_poker, not "):
            bot.as_spiel_bot(other, 0)
    with pytest.raises(ValueError, match="player=2 is not allowed: expected 0 to 1"):
        bot.as_spiel_bot("kuhn_poker", 2)
    with pytest.raises(ValueError, match="random plays games of this package, not OpenSpiel's"):
        BASELINES["random"]().as_spiel_bot(pyspiel.load_game("kuhn_poker"), 0)
    assert bot.as_spiel_bot("kuhn_poker(players=2)", 1).player_id() == 1
    with pytest.raises(ValueError, match=r"bot plays kuhn_poker, not leduc_poker"):
        strategy_of(bot, compile_tree("leduc_poker"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "leduc_poker"}, "have changed since it was made"),
        ({"game": "kuhn_poker(players=3)"}, "have changed since it was made"),
        ({"game": "no_such_game"}, "unknown game 'no_such_game'"),
        ({"game": "kuhn_poker(cards=3)"}, "unknown game 'kuhn_poker(cards=3)'"),
        ({"game": "backgammon"}, "gives no information state strings"),
        ({"abstraction": "none-1"}, "unknown game 'kuhn_poker'"),
        ({"abstraction": "openspiel-2"}, "unknown game 'kuhn_poker'"),
        ({"rule_version": 2}, "version 2 of the rules of kuhn_poker"),
        ({"information_hash": "0" * 64}, "have changed since it was made"),
        ({"content_hash": "0" * 64}, "damaged"),
        ({"probabilities": np.full(24, 0.4, np.float32)}, "do not add up to 1"),
    ],
)
def test_files_that_do_not_fit_are_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path, _, _ = written(tmp_path / "bot.pspiel", "kuhn_poker")
    assert message in error_of(rewritten(path, **changes))


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    path, _, _ = written(tmp_path / "bot.pspiel", "kuhn_poker")
    data = path.read_bytes()
    for end in range(0, len(data), len(data) // 20):
        path.write_bytes(data[:end])
        assert "damaged" in error_of(path), end


def test_a_bot_is_written_for_games_that_exist(tmp_path: Path) -> None:
    tree = compile_tree("kuhn_poker")
    blueprint = blueprint_of(tree, random_strategy(tree, 1))
    about: dict[str, Any] = {"algorithm": "a", "seed": 0, "iterations": 0, "nodes": 0}
    with pytest.raises(ValueError, match="unknown game 'no_such_game'"):
        save_bot(tmp_path / "bot.pspiel", "no_such_game", blueprint, seconds=0.0, **about)
    assert list(tmp_path.iterdir()) == []
