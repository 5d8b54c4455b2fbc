"""The flat tree against OpenSpiel's games, and what it refuses."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.solvers import compile_tree as compiling
from pokerspiel.solvers.compile_tree import (
    compile_tree,
    estimate_nodes,
    load_spiel_game,
    tree_of_spiel_game,
)
from pokerspiel.solvers.tree import (
    ROOT,
    ActionsDifferError,
    ChanceError,
    ImperfectRecallError,
    Tree,
    TreeError,
    TreeTooLargeError,
    Walk,
    make_tree,
)

GOOFSPIEL = (
    "turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards=4,"
    "points_order=descending,returns_type=win_loss))"
)


@pytest.mark.parametrize(
    ("game", "nodes", "sets"),
    [
        ("kuhn_poker", 58, 12),
        ("leduc_poker", 9_457, 936),
        (GOOFSPIEL, 1_077, 162),
        ("liars_dice(dice_sides=4)", 8_181, 1_024),
        ("kuhn", 58, 12),
    ],
)
def test_nodes_and_information_sets_are_as_many_as_published(
    game: str, nodes: int, sets: int
) -> None:
    tree = compile_tree(game, keep=False)
    assert (tree.nodes, tree.information_sets) == (nodes, sets)


def test_nodes_are_in_level_order_with_the_children_of_each_side_by_side() -> None:
    tree = compile_tree("leduc_poker", keep=False)
    depth = np.zeros(tree.nodes, int)
    for node in range(1, tree.nodes):
        depth[node] = depth[tree.parent[node]] + 1
    assert np.all(np.diff(depth) >= 0)
    assert [int(np.sum(depth == d)) for d in range(depth.max() + 1)] == np.diff(tree.level).tolist()
    for node in range(tree.nodes):
        first, n = int(tree.first_child[node]), int(tree.children[node])
        assert np.all(tree.parent[first : first + n] == node)
        assert np.all(np.diff(tree.action[first : first + n]) > 0)
    assert int(tree.children.sum()) == tree.nodes - 1


@pytest.mark.parametrize(
    "name", ["kuhn_poker", "liars_dice(dice_sides=3)", "kuhn_poker(players=3)"]
)
def test_every_node_is_the_state_that_its_history_leads_to(name: str) -> None:
    game = load_spiel_game(name)
    tree = compile_tree(name, keep=False)
    terminal = {int(node): i for i, node in enumerate(tree.terminal)}
    for node in range(0, tree.nodes, max(1, tree.nodes // 500)):
        state = game.new_initial_state()
        for action in tree.history(node):
            state.apply_action(action)
        assert state.current_player() == tree.turn[node]
        if state.is_terminal():
            assert state.returns() == tree.returns[terminal[node]].tolist()
        elif not state.is_chance_node():
            i = tree.information_set[node]
            assert tree.name(i) == state.information_state_string()
            assert tree.actions(i).tolist() == state.legal_actions()
            assert tree.set_player[i] == state.current_player()


@pytest.mark.parametrize("game", ["kuhn", "leduc", "mini_svara", "kuhn(players=3)"])
def test_the_kernels_and_pyspiel_give_the_same_tree(game: str) -> None:
    ours = compile_tree(game, keep=False)
    theirs = tree_of_spiel_game(load_spiel_game(game), 10**6)
    same = ("turn", "parent", "first_child", "children", "action", "information_set", "level")
    for name in (*same, "returns", "terminal", "set_player", "set_first", "set_parent"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert np.allclose(ours.chance, theirs.chance, rtol=0, atol=1e-15)
    keys = [int(theirs.name(i).rpartition("#")[2], 16) for i in range(theirs.information_sets)]
    assert ours.set_key.tolist() == keys


def test_a_sequence_before_a_set_is_its_players_last_action() -> None:
    tree = compile_tree("leduc_poker", keep=False)
    owner = np.repeat(np.arange(tree.information_sets), np.diff(tree.set_first))
    for node in np.flatnonzero(tree.information_set >= 0)[::17]:
        i, player = tree.information_set[node], tree.turn[node]
        above, last = int(node), ROOT
        while tree.parent[above] >= 0:
            below, above = above, int(tree.parent[above])
            if tree.turn[above] == player:
                place = below - int(tree.first_child[above])
                last = int(tree.set_first[tree.information_set[above]]) + place
                break
        assert tree.set_parent[i] == last
        assert last == ROOT or tree.set_player[owner[last]] == player


def test_chance_reaches_the_terminal_nodes_with_certainty_in_all() -> None:
    tree = compile_tree("leduc_poker", keep=False)
    last = tree.last_sequences()
    assert last.shape == (2, tree.nodes)
    deals = tree.chance_reach()[tree.parent[1:][tree.turn[tree.parent[1:]] == CHANCE]]
    assert deals.min() > 0.0
    # A strategy that always takes the first action plays to a set of hands of total chance 1.
    first = tree.first_child[tree.parent[1:]] == np.arange(1, tree.nodes)
    played = np.ones(tree.nodes, bool)
    for node in range(1, tree.nodes):
        above = tree.parent[node]
        played[node] = played[above] and (tree.turn[above] == CHANCE or first[node - 1])
    ends = played & (tree.turn == TERMINAL)
    assert tree.chance_reach()[ends].sum() == pytest.approx(1.0, abs=1e-12)


# What it refuses.


def test_perfect_information_goofspiel_forgets_and_is_refused() -> None:
    game = "goofspiel(imp_info=False,num_cards=4,points_order=descending)"
    with pytest.raises(
        ImperfectRecallError, match=r"in \d+ of \d+ information sets .* the first is"
    ):
        compile_tree(game, keep=False)


def test_an_abstraction_that_forgets_is_refused() -> None:
    game = "mini_sviten(abstraction=halves)"
    with pytest.raises(TreeError, match=r"mini_sviten\(abstraction=halves\).*information sets"):
        compile_tree(game, keep=False)


def _walk(**changes: list) -> Walk:  # type: ignore[type-arg]
    """Chance deals one of two, then a player who cannot tell them apart picks one of two."""
    arrays = {
        "parent": np.array([-1, 0, 1, 1, 0, 4, 4], np.int32),
        "turn": np.array([CHANCE, 0, TERMINAL, TERMINAL, 0, TERMINAL, TERMINAL], np.int8),
        "action": np.array([-1, 0, 0, 1, 1, 0, 1], np.int64),
        "chance": np.array([1.0, 0.5, 1.0, 1.0, 0.5, 1.0, 1.0]),
        "label": np.array([-1, 0, -1, -1, 0, -1, -1], np.int32),
    }
    for name, values in changes.items():
        arrays[name] = np.array(values, arrays[name].dtype)
    returns = np.array([[1.0, -1.0], [0.0, 0.0], [-1.0, 1.0], [2.0, -2.0]])
    return Walk(**arrays, returns=returns, keys=np.array([7], np.uint64), names=["blind"])


def _tree(walk: Walk) -> Tree:
    return make_tree("test", "chip", 1.0, 2, walk)


def test_a_good_walk_is_accepted() -> None:
    tree = _tree(_walk())
    assert tree.information_sets == 1
    assert tree.name(0) == "blind"
    assert tree.returns[:, 0].tolist() == [1.0, 0.0, -1.0, 2.0]


def test_chances_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ChanceError, match=r"history \[\] add up to 0.9, expected 1"):
        _tree(_walk(chance=[1.0, 0.5, 1, 1, 0.4, 1, 1]))


def test_different_actions_in_one_set_are_refused() -> None:
    with pytest.raises(ActionsDifferError, match=r"1 of 1 information sets .* 'blind'"):
        _tree(_walk(action=[-1, 0, 0, 1, 1, 0, 2]))


def test_two_players_in_one_set_are_refused() -> None:
    with pytest.raises(ActionsDifferError, match="different players"):
        _tree(_walk(turn=[CHANCE, 0, TERMINAL, TERMINAL, 1, TERMINAL, TERMINAL]))


def test_a_set_met_twice_on_one_way_is_refused() -> None:
    with pytest.raises(ImperfectRecallError, match="forgets"):
        _tree(
            Walk(
                parent=np.array([-1, 0, 1, 1, 0], np.int32),
                turn=np.array([0, 0, TERMINAL, TERMINAL, TERMINAL], np.int8),
                action=np.array([-1, 0, 0, 1, 1], np.int64),
                chance=np.ones(5),
                label=np.array([0, 0, -1, -1, -1], np.int32),
                returns=np.zeros((3, 2)),
                keys=np.array([7], np.uint64),
                names=["absent-minded"],
            )
        )


@pytest.mark.parametrize("game", ["leduc_poker", "leduc", "universal_poker", "svara"])
def test_a_tree_beyond_the_memory_limit_is_refused_with_the_figure(game: str) -> None:
    with pytest.raises(TreeTooLargeError, match=r"nodes"):
        compile_tree(game, memory_limit=500_000, keep=False)


@pytest.mark.parametrize(
    "game", ["nothing", "leduc_poker(players=77)", "liars_dice(sides=4)", "kuhn(cards=9)"]
)
def test_an_unknown_game_costs_one_line_and_nothing_on_stderr(
    game: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError) as error:
        compile_tree(game, keep=False)
    assert "\n" not in str(error.value)
    assert capfd.readouterr().err == ""


def test_a_simultaneous_game_is_played_one_move_after_the_other() -> None:
    tree = compile_tree("matrix_pd", keep=False)
    assert (tree.nodes, tree.information_sets) == (7, 2)


def test_estimated_nodes_are_about_right() -> None:
    game = load_spiel_game("leduc_poker")
    guesses = [estimate_nodes(game, probes=500, seed=seed) for seed in range(8)]
    error = np.std(guesses, ddof=1) / np.sqrt(len(guesses))
    assert abs(np.mean(guesses) - 9_457) < 4 * error


# On disk.


def test_a_kept_tree_is_the_same_and_a_damaged_one_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "CACHE_FOLDER", tmp_path / "kernels")
    made = compile_tree("leduc_poker")
    [file] = (tmp_path / "trees").iterdir()
    kept = compile_tree("leduc_poker")
    for name, values in vars(made).items():
        if isinstance(values, np.ndarray):
            assert np.array_equal(values, getattr(kept, name)), name
    assert (kept.game, kept.unit, kept.players) == (made.game, made.unit, made.players)
    file.write_bytes(file.read_bytes()[:1000])
    assert Counter(compile_tree("leduc_poker").turn.tolist()) == Counter(made.turn.tolist())


def test_the_arrays_of_a_tree_cannot_be_written() -> None:
    tree = compile_tree("kuhn", keep=False)
    with pytest.raises(ValueError, match="read-only"):
        tree.returns[0] = 1.0


def test_a_game_without_decisions_is_refused() -> None:
    with pytest.raises(TreeError, match=r"^mini_svara\(stack=1\) has no decisions"):
        compile_tree("mini_svara(stack=1)")
