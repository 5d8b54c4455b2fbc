"""Leaks: unbiased for every node, zero for a bot against itself, and the match in their sum."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pokerspiel.agents.arena import play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.bot_file import Bot, save_bot
from pokerspiel.agents.exact_strategy import strategy_of, values_against
from pokerspiel.agents.leak_sums import Leak, LeakSums
from pokerspiel.agents.leaks import Judge
from pokerspiel.agents.public_lines import line_to
from pokerspiel.agents.scores import Score
from pokerspiel.agents.table.dealing import top_card
from pokerspiel.agents.table.history import history_of, line_of
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.experiments.leaks import judge_bot
from pokerspiel.games import drive
from pokerspiel.games.variants import load
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.network import SOFTMAX, new_network
from pokerspiel.solvers.strategies import blueprint_of
from tests.command_line import refuse, succeed
from tests.some_strategies import random_strategy

STRICT = 4.0 / 1.96
"""Half-widths of an interval that make four standard errors."""


@lru_cache(maxsize=16)
def bot_of(text: str, seed: int) -> Bot:
    """A bot with some strategy of a small game."""
    tree = compile_tree(text)
    return Bot(f"some{seed}", load(text), blueprint_of(tree, random_strategy(tree, seed)), None)


def saved(path: Path, text: str, seed: int) -> Path:
    bot = bot_of(text, seed)
    about = {"algorithm": "a", "seed": 0, "iterations": 0, "nodes": 0, "seconds": 0.0}
    save_bot(path, load(text), bot.table, **about)  # type: ignore[arg-type]
    return path


@lru_cache(maxsize=2)
def exact_leaks(text: str) -> dict[str, float]:
    """What the decisions of each public line cost bot 1 against bot 2, in mbb per hand, exactly.

    The player has each seat equally often, and the others play as the reference.
    """
    tree, game = compile_tree(text), load(text)
    own, other = (strategy_of(bot_of(text, seed), tree)[0] for seed in (1, 2))
    lines = [line_to(game, tree.history(node)).words for node in tree.set_node]
    values = np.zeros((tree.nodes, tree.players))
    values[tree.terminal] = tree.returns
    own_chance, other_chance = tree.chance.copy(), tree.chance.copy()
    for node in range(1, tree.nodes):
        above = int(tree.parent[node])
        if tree.turn[above] >= 0:
            sequence = tree.set_first[tree.information_set[above]] + node - tree.first_child[above]
            own_chance[node], other_chance[node] = own[sequence], other[sequence]
    for node in range(tree.nodes - 1, 0, -1):
        values[tree.parent[node]] += other_chance[node] * values[node]
    unit = 1000.0 / game.limits.big_unit / tree.players
    costs: Counter[str] = Counter()
    for seat in range(tree.players):
        reach = np.ones(tree.nodes)
        for node in range(1, tree.nodes):
            above = int(tree.parent[node])
            chance = own_chance[node] if tree.turn[above] == seat else other_chance[node]
            reach[node] = reach[above] * chance
            if tree.turn[above] == seat and tree.children[above] > 1:
                change = own_chance[node] - other_chance[node]
                line = lines[tree.information_set[above]]
                costs[line] += unit * reach[above] * change * values[node, seat]
    return dict(costs)


def agrees(score: Score, expected: float) -> bool:
    """Within four standard errors; an interval of no width is a figure without chance."""
    assert score.mbb_per_hand is not None and score.width is not None
    return abs(score.mbb_per_hand - expected) <= STRICT * score.width + 1e-6


def whole(leak: Leak) -> float:
    assert leak.score.mbb_per_hand is not None
    return leak.score.mbb_per_hand


@pytest.mark.parametrize(
    ("text", "playouts"),
    [
        ("leduc", 1),
        ("mini_sviten", 3),
        pytest.param("leduc", 3, marks=pytest.mark.slow),
        pytest.param("mini_sviten", 1, marks=pytest.mark.slow),
    ],
)
def test_every_node_and_the_sum_are_those_of_the_tree(text: str, playouts: int) -> None:
    player, reference, game = bot_of(text, 1), bot_of(text, 2), load(text)
    exact = exact_leaks(text)
    tree = compile_tree(text)
    values = values_against(strategy_of(player, tree)[0], reference, tree)
    expected = values.mean() * 1000.0 / game.limits.big_unit
    assert sum(exact.values()) == pytest.approx(expected, abs=1e-6)

    sums = judge_bot(Judge(reference, game, playouts, seed=3), player, 60_000)
    total = sums.total()
    assert agrees(total.score, expected) and agrees(sums.difference(), 0.0)
    assert total.score.width is not None
    assert total.score.width < 0.2 * abs(expected), "the test tells nothing"
    lines = {leak.name: leak for leak in sums.lines()}
    assert lines.keys() <= exact.keys()
    often = [leak for leak in lines.values() if leak.reached >= 300]
    assert len(often) > 15
    for leak in often:
        assert agrees(leak.score, exact[leak.name]), leak


def test_it_holds_for_three_players_against_copies_of_the_reference() -> None:
    text = "leduc(players=3)"
    random, tight = BASELINES["random"](), BASELINES["tight"]()
    sums = judge_bot(Judge(tight, load(text), 2, seed=1), random, 15_000)
    match = play_match([random, tight, tight], load(text), 60_000, seed=9).players[0].score
    total, width = sums.total(), match.width
    assert width is not None and total.score.width is not None and match.mbb_per_hand is not None
    reach = STRICT * np.hypot(width, total.score.width)
    assert abs(whole(total) - match.mbb_per_hand) < reach < 0.3 * abs(match.mbb_per_hand)


def test_a_mixture_of_networks_is_one_of_them_for_a_whole_hand() -> None:
    """One member never folds and raises, the other never raises and folds. Were another one drawn
    for the play-outs, what the opponent has done would tell nothing of what it will do.
    """
    text = "leduc"
    game, tree = load(text), compile_tree(text)
    sizes = (game.family.observation_size(game.parameters), game.limits.num_actions)
    weights = np.zeros((2, 1, sizes[0] * sizes[1] + sizes[1]), np.float32)
    weights[:, 0, -3:] = [[-9.0, 0.0, 3.0], [9.0, 0.0, -9.0]]
    mixture = Bot("mixture", game, new_network(sizes, weights, SOFTMAX, (0.5, 1.0)), None)
    player = bot_of(text, 1)
    values = values_against(strategy_of(player, tree)[0], mixture, tree)
    sums = judge_bot(Judge(mixture, game, 2, seed=1), player, 100_000)
    assert agrees(sums.total().score, values.mean() * 1000.0)
    assert agrees(sums.difference(), 0.0)
    assert (sums.total().score.width or 1e9) < 25.0, "the test tells nothing"


def test_all_groups_add_up_to_the_total() -> None:
    sums = judge_bot(
        Judge(bot_of("mini_sviten", 2), load("mini_sviten"), 2), bot_of("mini_sviten", 1), 2_000
    )
    total = whole(sums.total())
    groups = (sums.streets(), sums.lines(), sums.on_streets(), [*sums.choices(), *sums.draws()])
    for leaks in groups:
        assert sum(map(whole, leaks)) == pytest.approx(total, abs=1e-6)
        for leak in leaks:
            parts = [part.mbb_per_hand for part in leak.parts]
            assert len(parts) == 3 and sum(filter(None, parts)) == pytest.approx(whole(leak))
    assert {leak.name for leak in sums.streets()} == {"preflop", "flop", "draw", "turn"}
    assert sum(leak.reached for leak in sums.lines()) == sums.decisions
    assert any(leak.name == "draw 1, not stand pat" for leak in sums.draws())
    assert any(leak.name == "keep, not reject" for leak in sums.draws())


def test_halves_are_those_of_the_showdowns() -> None:
    """Who always calls meets a showdown whatever it draws: nothing is won without one but by the
    folds of the other, and odd chips are not paid here.
    """
    calling = BASELINES["always-call"]()
    judge = Judge(calling, load("mini_sviten"), 2)
    sums = judge_bot(judge, bot_of("mini_sviten", 1), 4_000)
    of_draws = [leak.parts for leak in sums.draws()]
    assert all(rest.mbb_per_hand == 0.0 for _, _, rest in of_draws)
    assert any(draw.mbb_per_hand != 0.0 for draw, _, _ in of_draws)
    folds = [leak for leak in sums.choices() if leak.name.startswith("fold")]
    assert any(rest.mbb_per_hand for leak in folds for rest in leak.parts[2:])


@pytest.mark.parametrize("name", ["random", "always-call", "tight", "equity"])
def test_a_bot_against_itself_leaks_nothing(name: str) -> None:
    """Those that sample as well: both ask with the same luck."""
    bot = BASELINES[name]()
    sums = judge_bot(Judge(bot, load("mini_sviten"), 2, seed=5), bot, 400)
    assert sums.decisions > 400 and whole(sums.total()) == 0.0
    assert sums.choices() == sums.draws() == []
    assert all(whole(leak) == 0.0 for leak in sums.lines())


def test_hands_are_those_of_a_match_with_the_same_seed() -> None:
    bots, game = [bot_of("leduc", 1), bot_of("leduc", 2)], load("leduc")
    sums = judge_bot(Judge(bots[1], game, 1, seed=11), bots[0], 2_000)
    score, won = play_match(bots, game, 2_000, seed=11).players[0].score, sums.won()
    assert score.ci95 is not None
    assert won.mbb_per_hand == pytest.approx(score.mbb_per_hand)
    assert won.ci95 == pytest.approx(score.ci95)


def test_same_seed_same_leaks_however_they_are_cut() -> None:
    def told(seed: int, cuts: list[int]) -> str:
        judge, sums = Judge(bot_of("leduc", 2), load("leduc"), 2, seed), LeakSums(load("leduc"))
        for first, last in pairwise(cuts):
            found = judge.deals(bot_of("leduc", 1), first, last - first)
            sums.add(found, np.arange(len(found.returns)) // 2)
        return json.dumps([leak.to_json() for leak in sums.lines()])

    assert told(3, [0, 500]) == told(3, [0, 1, 130, 500])
    assert told(3, [0, 500]) != told(4, [0, 500])


@pytest.mark.parametrize("epoch", [0, 3])
@pytest.mark.parametrize("shared", [0, 1])
def test_a_new_seed_orders_the_cards_that_are_left(epoch: int, shared: int) -> None:
    """Any two of the four that are left come next, each pair as often: within four deviations."""
    game, decks = load("leduc"), drive.new_decks()
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    for card in (1, 4):
        drive.apply_action(states, game.tables, card)
    left = int(states[0]["stub"])
    pairs: Counter[tuple[int, int]] = Counter()
    for seed in range(6_000):
        drive.seed_hand(decks, np.uint64(seed * 7919))
        states["shared"], states["epoch"], states["stub"] = shared, epoch, left
        first = top_card(states, game.tables, decks)
        states["stub"] = left & ~(1 << first)
        pairs[first, top_card(states, game.tables, decks)] += 1
    assert len(pairs) == 12
    assert max(abs(count - 500) for count in pairs.values()) < 4 * np.sqrt(500 * 11 / 12)


# Hands that were played.


def seen_by(seat: int, line: str) -> str:
    """A line of a match as one seat saw it."""
    document = json.loads(line)
    hand = LiveHand(load(document["game"]))
    for action in document["actions"]:
        hand.play(action)
    return line_of(history_of(hand, seat, document["players"], document["hand"]))


def test_the_hands_of_a_match_tell_the_same(tmp_path: Path) -> None:
    text, names = "leduc", ["mine", "theirs"]
    mine, theirs = (saved(tmp_path / f"{name}.pspiel", text, n) for n, name in enumerate(names, 1))
    file = tmp_path / "hands.jsonl"
    succeed("match", mine, theirs, "--hands", 4_000, "--seed", 5, "--histories", file)
    of_bot = succeed("leaks", mine, theirs, "--hands", 4_000, "--seed", 5, "--json").document
    of_hands = succeed("leaks", theirs, "--histories", file, "--player", "mine", "--json").document
    assert of_hands["won"] == of_bot["won"]
    assert (of_hands["hands"], of_hands["deals"]) == (4_000, 2_000)
    low, high = of_hands["difference"]["ci95"]
    middle = (low + high) / 2
    assert abs(middle) < STRICT * (high - low) / 2
    both = [document["total"] for document in (of_bot, of_hands)]
    width = sum((total["ci95"][1] - total["ci95"][0]) / 2 for total in both)
    assert abs(both[0]["mbb_per_hand"] - both[1]["mbb_per_hand"]) < STRICT * width
    # What is judged is what was done, not what might have been.
    assert both[0]["ci95"][1] - both[0]["ci95"][0] < both[1]["ci95"][1] - both[1]["ci95"][0]


def test_cards_that_a_player_did_not_see_are_drawn(tmp_path: Path) -> None:
    """With few hidden cards the ranges are exact; the sum is the same but for less luck in it."""
    text = "leduc"
    theirs = saved(tmp_path / "theirs.pspiel", text, 2)
    mine = saved(tmp_path / "mine.pspiel", text, 1)
    whole_file, seen = tmp_path / "whole.jsonl", tmp_path / "seen.jsonl"
    succeed("match", mine, theirs, "--hands", 600, "--seed", 6, "--histories", whole_file)
    lines = whole_file.read_text().splitlines()
    views = [seen_by(json.loads(line)["players"].index("mine"), line) for line in lines]
    views.append(seen_by(json.loads(lines[0])["players"].index("theirs"), lines[0]))
    other = tmp_path / "other.jsonl"
    succeed("match", "random", "random", "--game", "kuhn", "--hands", 2, "--histories", other)
    views += other.read_text().replace('"random #2"', '"mine"').splitlines()
    seen.write_text("\n".join(views))
    documents = [
        succeed("leaks", theirs, "--histories", file, "--player", "mine", "--json").document
        for file in (whole_file, seen)
    ]
    source = documents[1]["source"]
    assert source["hands_with_cards_drawn"] == 600
    assert source["hands_seen_by_others_alone"] == 1
    assert source["hands_of_other_games"] == 2
    assert source["decisions_without_a_value"] == 0
    totals = [document["total"] for document in documents]
    widths = [total["ci95"][1] - total["ci95"][0] for total in totals]
    assert abs(totals[0]["mbb_per_hand"] - totals[1]["mbb_per_hand"]) < STRICT * sum(widths) / 2
    assert widths[1] < widths[0]
    assert documents[0]["decisions"] == documents[1]["decisions"]


# The command.


def test_the_report_and_the_tables(tmp_path: Path) -> None:
    mine, theirs = (saved(tmp_path / f"some{n}.pspiel", "leduc", n) for n in (1, 2))
    page = tmp_path / "leaks.html"
    words = ("leaks", mine, theirs, "--hands", 400, "--top", 3, "--out", page)
    document = succeed(*words, "--json").document
    assert document["game"] == "leduc" and document["unit"] == "ante"
    assert len(document["nodes"]) == 3 < document["nodes_met"]
    sizes = [node["mbb_per_hand"] for node in document["nodes"]]
    assert sizes == sorted(sizes)
    text = page.read_text()
    told = succeed(*words, "--quiet").out
    for name in ("leaks, all decisions", "check or call, not fold", "round 2", "round 1: "):
        assert name in text and name in told
    assert f"the worst 3 of {document['nodes_met']}" in told


def test_what_is_no_pair_of_bots_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    succeed("match", "random", "always-call", "--game", "leduc", "--hands", 4, "--histories", file)
    refuse("leaks", "random", "--game", "leduc", naming="expected two bots")
    refuse("leaks", "random", "always-call", naming="--game")
    refuse("leaks", "random", "cmd:cat", "--game", "leduc", naming="cannot be the reference")
    refuse("leaks", "cmd:cat", "random", "--game", "leduc", naming="--histories")
    refuse("leaks", "random", "random", "--player", "Ana", "--game", "leduc", naming="--player Ana")
    refuse("leaks", "random", "--histories", file, naming="--player")
    refuse("leaks", "random", "--histories", file, "--player", "Ana", naming="--player Ana")
    refuse("leaks", "svara-home", "--histories", file, "--player", "random", naming="plays leduc")
    refuse("leaks", "random", "random", "--game", "leduc", "--playouts", 0, naming="0 is not")
    file.write_text("{}\n")
    refuse("leaks", "random", "--histories", file, "--player", "random", naming="hands.jsonl: line")
