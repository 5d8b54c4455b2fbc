"""What networks see: nothing hidden, no names of suits, and all that matters of the past."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel
import pytest

from pokerspiel.agents.agent import legal
from pokerspiel.agents.spiel_bot import spiel_game_of
from pokerspiel.games import conformance, drive
from pokerspiel.games.cards import parse_cards
from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.games.sviten.levels import KINDS
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.compile_tree import compile_tree
from tests.some_agents import positions

SVITEN = (
    "sviten_special",
    "sviten_special(players=3,betting=pot_limit,bet_sizes=0.5 1 max)",
    "sviten_special(players=7,burn=True)",
    "sviten_special(abstraction=halves)",
    "sviten_flush(players=4,stacks=9 30 14 60)",
    "dramaha(betting=no_limit)",
    "mini_sviten",
    "mini_sviten(hole_cards=3,max_discards=3,ranks=9TJQKA,suits=cdhs)",
)
SVARA = (
    "svara",
    "svara(players=5,stack=12)",
    "svara(players=4,betting=pot_limit,bet_sizes=0.5 1 max,ranks=7 8 9 T)",
    "svara(players=3,hole_cards=1,ranks=789T,svarka_ante=True,allow_check=True)",
    "svara(max_blind_laps=2,max_svarkas=4,ranks=789A)",
    "mini_svara",
    "mini_svara(stack=4,max_svarkas=9,ranks=78A,suits=cdh)",
)
NOBODY_AT_THE_TABLE = -9


def observation(game: Game, states: np.ndarray, seat: int) -> np.ndarray:
    out = np.zeros(game.family.observation_size(game.parameters), np.float32)
    drive.observe_into(states, game.tables, seat, out)
    return out


def hand(game: Game, random: np.random.Generator, renamed: Any = None) -> Iterator[np.ndarray]:
    """The states of a random hand, its end among them; with `renamed` suits beside each other."""
    states = game.new_states(1 if renamed is None else 2)
    cards = np.zeros(52, np.int64)
    for i in range(len(states)):
        drive.begin_hand(states[i : i + 1], game.tables)
    while True:
        yield states
        if states[0]["turn"] == TERMINAL:
            return
        if states[0]["turn"] == CHANCE:
            move = int(random.choice(cards[: drive.list_cards(states[:1], cards)]))
            other = move if renamed is None else move & ~3 | renamed[move & 3]
        else:
            move = int(random.choice(_mostly_in(legal(game, states[:1]), random)))
            other = move if renamed is None else _same_discard(game, states, move, renamed)
        for i in range(len(states)):
            drive.apply_action(states[i : i + 1], game.tables, (move, other)[i])


def _same_discard(game: Game, states: np.ndarray, move: int, renamed: list[int]) -> int:
    """The action in the second state that throws the renamed cards away; others are the same.

    Of two cards that its player cannot tell apart a discard takes any.
    """
    kind, *cards = game.describe(states[:1], move)
    if kind != "discard":
        return move
    wanted = ("discard", {card & ~3 | renamed[card & 3] for card in cards[0]})
    choices = [move, *legal(game, states[1:])]
    return next(choice for choice in choices if game.describe(states[1:], choice) == wanted)


def _mostly_in(actions: list[int], random: np.random.Generator) -> list[int]:
    """Without the fold, three times in four, so that hands last."""
    if actions[0] == 0 and len(actions) > 1 and random.random() < 0.75:
        return actions[1:]
    return actions


def after(game: Game, moves: list[Any]) -> np.ndarray:
    """The state after cards (text) and actions (numbers)."""
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    for move in moves:
        for event in parse_cards(move) if isinstance(move, str) else [move]:
            drive.apply_action(states, game.tables, event)
    return states


# Suits and hidden cards


@pytest.mark.parametrize("text", SVITEN + SVARA)
def test_exchanging_suits_changes_nothing(text: str) -> None:
    game = load(text)
    exchangeable = ["cdhs".index(suit) for suit in str(game.parameters["suits"])]
    if text in SVARA:
        exchangeable = exchangeable[1:]
    random = np.random.default_rng(1)
    for _ in range(25):
        renamed = list(range(4))
        names = random.permutation(exchangeable).tolist()
        for suit, name in zip(exchangeable, names, strict=True):
            renamed[suit] = name
        for states in hand(game, random, renamed):
            for seat in range(game.players):
                one, other = (observation(game, states[i : i + 1], seat) for i in range(2))
                assert np.array_equal(one, other)


def test_what_a_bucket_tells_is_not_hidden() -> None:
    game = pyspiel.load_game("sviten_special(abstraction=clusters)")
    assert sum(conformance.check_hidden(game, seed) for seed in range(2)) > 10


@pytest.mark.parametrize("text", SVITEN + SVARA)
def test_the_public_part_depends_on_nothing_private(text: str) -> None:
    spiel_game = spiel_game_of(load(text))
    game = spiel_game.game
    random = np.random.default_rng(2)
    private = game.family.private_block(game.parameters)
    compared = changed = 0
    for _ in range(6):
        state = spiel_game.new_initial_state()
        while not state.is_terminal():
            moves = state.legal_actions()
            state.apply_action(int(random.choice(_mostly_in(moves, random))))
            other = conformance.other_world(spiel_game, state, NOBODY_AT_THE_TABLE, random)
            if other is None or state.is_terminal():
                continue
            for seat in range(game.players):
                views = [observation(game, s.kernel_state(), seat) for s in (state, other)]
                changed += not np.array_equal(views[0], views[1])
                for view in views:
                    view[private] = 0.0
                assert np.array_equal(views[0], views[1])
                compared += 1
    assert compared > 20
    assert changed > 10


# What is kept


@lru_cache(maxsize=4)
def first_nodes(text: str) -> tuple[Game, list[np.ndarray]]:
    """A state of each information set of a small game."""
    tree, game = compile_tree(text), load(text)
    sets, nodes = np.unique(tree.information_set, return_index=True)
    found = []
    for node in nodes[sets >= 0].tolist():
        path = []
        while tree.parent[node] >= 0:
            path.append(int(tree.action[node]))
            node = int(tree.parent[node])
        found.append(after(game, path[::-1]))
    return game, found


def sets_by_observation(text: str) -> dict[bytes, list[np.ndarray]]:
    game, found = first_nodes(text)
    sets = defaultdict(list)
    for states in found:
        sets[observation(game, states, int(states[0]["turn"])).tobytes()].append(states)
    return sets


def test_no_two_information_sets_of_mini_sviten_look_alike() -> None:
    assert all(len(alike) == 1 for alike in sets_by_observation("mini_sviten").values())


def test_sets_of_mini_svara_that_look_alike_differ_in_earlier_deals_only() -> None:
    sets = sets_by_observation("mini_svara")
    game = load("mini_svara")
    tables = game.with_parameters(abstraction="hands").tables
    keys = set()
    for alike in sets.values():
        keys |= {int(drive.key_of(states, tables, int(states[0]["turn"]))) for states in alike}
        assert len({tuple(legal(game, states)) for states in alike}) == 1
        assert len(alike) == 1 or all(states[0]["svarkas"] > 0 for states in alike)
    assert len(sets) == len(keys)


@pytest.mark.parametrize("text", SVARA)
def test_svara_shows_what_the_abstraction_hands_keeps(text: str) -> None:
    game = load(text).with_parameters(abstraction="hands")
    random = np.random.default_rng(3)
    seen: dict[int, bytes] = {}
    met = 0
    for _ in range(400):
        for states in hand(game, random):
            if states[0]["turn"] < 0:
                continue
            for seat in range(game.players):
                view = observation(game, states, seat).tobytes()
                key = int(drive.key_of(states, game.tables, seat))
                met += key in seen
                assert seen.setdefault(key, view) == view
    assert met > 100


# Blocks


@pytest.mark.parametrize("text", SVITEN + SVARA)
def test_values_are_finite_and_stay_in_place(text: str) -> None:
    game = load(text)
    size = game.family.observation_size(game.parameters)
    room = np.full(size + 20, 7.0, np.float32)
    random = np.random.default_rng(4)
    for _ in range(15):
        for states in hand(game, random):
            before = states.copy()
            for seat in range(game.players):
                drive.observe_into(states, game.tables, seat, room[10:-10])
                assert np.all(np.isfinite(room))
                assert room.min() >= 0.0
                assert room[10:-10].max() <= 2.5
            assert np.array_equal(states, before)
    assert np.all(room[:10] == 7.0)
    assert np.all(room[-10:] == 7.0)


@pytest.mark.parametrize("name", ["sviten_special", "svara"])
def test_the_length_does_not_depend_on_the_abstraction(name: str) -> None:
    game = load(name)
    lengths = {
        made_for.family.observation_size(made_for.parameters)
        for abstraction in game.family.ABSTRACTIONS
        for made_for in [game.with_parameters(abstraction=abstraction)]
    }
    assert lengths == {737 if name == "sviten_special" else 180}


DEAL = "AcKdAd7hKc2s9c2h5s3d"
"""Cards of seats 0 and 1 in turn: Ac Ad Kc 9c 5s, and Kd 7h 2s 2h 3d."""


def test_blocks_of_sviten_special() -> None:
    game, n = load("sviten_special"), 2
    private = 81 * n + 152
    states = after(game, [DEAL, 1, 1, "QcJcTs", 1, 2])
    view = observation(game, states, 0)
    assert view[:n].tolist() == [1, 0]
    seat_1_flop = 8 * n + 60 * 1 + 15 * 1
    assert view[seat_1_flop : seat_1_flop + 6].tolist() == [0, 1, 0, 0, 0, 0]
    seat_0_flop = 8 * n + 15
    assert view[seat_0_flop : seat_0_flop + 6].tolist() == [1, 0, 0, 0, 0, 0]
    assert view[81 * n + 1] == 1  # betting
    assert view[81 * n + 8 + 1] == 1  # on the flop
    stakes = view[81 * n + 143 : private]
    expected = [6 / 400, 2 / 400, 0.1, 4 / 400, 2 / 400, 2 / 8, 2 / 8, 1 / 8]
    assert stakes[:8].tolist() == pytest.approx(expected)
    own = view[private : private + 52].reshape(4, 13)
    assert np.flatnonzero(own[0]).tolist() == [7, 11, 12]  # clubs: the highest in the hand
    assert np.flatnonzero(own[1]).tolist() == [12]
    assert np.flatnonzero(own[2]).tolist() == [3]
    board = view[private + 156 : private + 208].reshape(4, 13)
    assert np.flatnonzero(board[0]).tolist() == [9, 10]
    assert np.flatnonzero(board[2]).tolist() == [8]
    draw, omaha = view[private + 397 : private + 407], view[private + 407 : private + 417]
    assert np.flatnonzero(draw[:KINDS]).tolist() == [1]  # a pair of aces
    assert 0.9 < draw[KINDS] < 0.925
    assert np.flatnonzero(omaha[:KINDS]).tolist() == [4]  # a straight
    assert not view[private + 417 :].any()


def test_the_draw_is_seen() -> None:
    game, n = load("sviten_special"), 2
    rules = game.tables.rules[0]
    private, discard = 81 * n + 152, int(rules["after_wagers"])
    states = after(game, [DEAL, 1, 1, "QcJcTs", 1, 1])
    view = observation(game, states, 0)
    names = view[private + 312 : private + 397].reshape(5, 17)
    assert names[:, :13].argmax(axis=1).tolist() == [12, 12, 11, 7, 3]
    places = names[:, 13:].argmax(axis=1).tolist()
    assert sorted(places[:2]) == [0, 1]
    assert places[2:] == [0, 0, 2]
    # Seat 0 throws away what has the names of the king and the five; seat 1 one card, and rejects.
    states = after(game, [DEAL, 1, 1, "QcJcTs", 1, 1, discard + 0b10100, "8h4h"])
    view = observation(game, states, 0)
    assert view[5 * n] == pytest.approx(0.4)
    discards, drawn = (view[private + at : private + at + 52].reshape(4, 13) for at in (52, 104))
    assert np.argwhere(discards).tolist() == [[0, 11], [3, 3]]  # no spade is held any more
    assert sorted(np.argwhere(drawn)[:, 1].tolist()) == [2, 6]
    moves = [DEAL, 1, 1, "QcJcTs", 1, 1, discard + 0b10100, "8h4h", discard + 1, "6d"]
    states = after(game, moves)
    for seat, block in ((0, 260), (1, 208)):
        view = observation(game, states, seat)
        assert view[68 * n + 13 : 68 * n + 26].tolist() == [float(rank == 4) for rank in range(13)]
        assert view[private + block : private + block + 52].sum() == 1.0
    states = after(game, [*moves, discard + 33, "6h", "Jd"])
    view = observation(game, states, 1)
    assert view[7 * n : 8 * n].tolist() == [0, 1]
    assert view[81 * n + 13 : 81 * n + 39].tolist() == [float(i == 9) for i in range(26)]
    assert view[private + 104 : private + 156].sum() == 1.0


def test_a_card_to_be_kept_counts_as_held() -> None:
    game = load("sviten_special")
    private, discard = 81 * 2 + 152, int(game.tables.rules[0]["after_wagers"])
    moves = [DEAL, 1, 1, "QcJcTs", 1, 1, discard + 0b10000, "As"]
    view = observation(game, after(game, moves), 0)
    assert view[private + 397 + 3] == 1.0  # three aces
    assert view[private : private + 52].sum() == 4.0


def test_only_clusters_fill_the_centre() -> None:
    for abstraction in ("none", "halves", "clusters"):
        game = load("sviten_special").with_parameters(abstraction=abstraction)
        at = 81 * 2 + 152 + 417
        centres = game.tables.rules[0]["clusters"]["centres"]
        moments = set()
        for states, _ in positions(game, 3, 5):
            seat = int(states[0]["turn"])
            centre = observation(game, states, seat)[at:]
            if abstraction != "clusters":
                assert not centre.any()
                continue
            bucket = int(drive.key_of(states, game.tables, seat)) & 2047
            alike = np.flatnonzero((centres[:, :, bucket] == centre).all(axis=1))
            assert len(alike) == 1
            moments.add(int(alike[0]))
        assert abstraction != "clusters" or len(moments) > 3


def test_blocks_of_svara() -> None:
    game, n = load("svara"), 2
    private = 37 * n + 16
    opening, times_two = 4, 5
    states = after(game, [opening, times_two, "7dAs7cKh9hJd"])
    view = observation(game, states, 0)
    assert view[: 2 * n].tolist() == [1, 0, 1, 1]  # seat 0 is left of the dealer
    assert view[6 * n : 7 * n].tolist() == [0, 1]
    blinds = [7 * n + 30 * place for place in range(n)]
    assert view[blinds[0] : blinds[0] + 3].tolist() == [0, 1, 0]
    assert view[blinds[1] : blinds[1] + 3].tolist() == [0, 1, 0.25]
    assert np.flatnonzero(view[37 * n : 37 * n + 4]).tolist() == [2]
    stakes = view[37 * n + 4 : private].tolist()
    expected = [5 / 40, 0, 4 / 40, 2 / 40, 0, 3 / 40, 0.1, 0, 3 / 8]
    assert stakes[:9] == pytest.approx(expected)
    own = view[private : private + 52].reshape(4, 13)
    assert np.argwhere(own).tolist() == [[0, 5], [1, 7], [2, 5]]
    points = int(states[0]["points"][0])
    assert view[private + 52] == pytest.approx(points / 34)
    assert view[private + 53 : private + 88].argmax() == points
    assert view[private + 88 : private + 90].tolist() == [1, 0]
    other = observation(game, states, 1)
    assert other[private + 88 : private + 90].tolist() == [0, 0.25]
    view = observation(game, after(game, [opening, times_two, "7dAs7cKh9hJd", 2]), 1)
    bets = 7 * n + 15
    assert view[bets : bets + 3].tolist() == [0, 1, 0]


def test_a_svarka_begins_a_new_page() -> None:
    game, n = load("svara"), 2
    states = after(game, [3, "QdQhKdKhTdTh", 2, 1])
    assert states[0]["svarkas"] == 1
    for seat in range(n):
        view = observation(game, states, seat)
        assert view[:n].tolist() == [float(seat == 1), float(seat == 0)]  # seat 0 deals now
        assert not view[7 * n : 37 * n].any()
        assert view[5 * n : 6 * n].tolist() == [1, 1]
        assert view[37 * n + 4 : 37 * n + 6] == pytest.approx(4 / 40)
        assert not view[37 * n + 16 :].any()
