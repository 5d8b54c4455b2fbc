"""The abstraction `clusters`: buckets, draw candidates and keys of the Sviten games."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

from pokerspiel.games import conformance, drive, openspiel  # noqa: F401, registers the games
from pokerspiel.games.abstraction import cluster_build, cluster_file, cluster_measure, clusters
from pokerspiel.games.abstraction.cluster_file import Centres, CentresError
from pokerspiel.games.abstraction.clusters import MOMENTS
from pokerspiel.games.cards import parse_cards
from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.games.sviten.state import DRAW
from pokerspiel.games.variants import Game, load

SMALL = dict.fromkeys(MOMENTS, 12)


@pytest.fixture(scope="module", autouse=True)
def few_hands() -> Iterator[None]:
    """Rough percentiles will do here, and are found sooner."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster_build, "PERCENTILE_HANDS", 2000)
        yield


def built(text: str, name: str) -> str:
    """The full name of a few centres for a game, known to this process."""
    return cluster_file.bring(cluster_build.build(load(text), SMALL, 300, 1, 0, name))


@pytest.fixture(scope="module")
def centres() -> Iterator[Centres]:
    name = built("sviten_special", "tiny")
    yield cluster_file.find(name, "sviten_special")


def game_of(centres: Centres, more: str = "") -> Game:
    return load(f"sviten_special(abstraction=clusters,buckets={centres.full_name}{more})")


def deal(game: Game, hands: list[str], board: str) -> np.ndarray:
    """The state at the first draw, after calls and checks only."""
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    by_seat = [parse_cards(hand) for hand in hands]
    order = [by_seat[i % len(hands)][i // len(hands)] for i in range(5 * len(hands))]
    cards = iter([*order, *parse_cards(board)])
    while states["phase"][0] != DRAW:
        turn = int(states["turn"][0])
        drive.apply_action(states, game.tables, next(cards) if turn == CHANCE else 1)
    return states


def legal(game: Game, states: np.ndarray) -> list[int]:
    actions = np.zeros(game.limits.num_actions, np.int64)
    return [int(a) for a in actions[: drive.list_actions(states, game.tables, actions)]]


def discards(game: Game, states: np.ndarray) -> list[str]:
    return [game.action_name(states[0], action).split(" (")[0] for action in legal(game, states)]


# Keys.


@pytest.mark.parametrize(
    "more", ["", ",players=3,betting=pot_limit,bet_sizes=pot,stack=60", ",players=6,stack=30"]
)
def test_conformance(centres: Centres, more: str) -> None:
    game = pyspiel.load_game(str(game_of(centres, more)))
    recall = conformance.Recall(perfect=False)
    for seed in range(12):
        conformance.check_hand(game, seed, recall)
    assert sum(conformance.check_hidden(game, seed) for seed in range(8)) > 10


def test_the_last_bits_of_a_key_are_the_bucket(centres: Centres) -> None:
    game = game_of(centres)
    states = deal(game, ["AsAdKcKs9c", "QhTh8c6s3d"], "2h7h4c")
    assert game.classes == 12
    for seat in range(2):
        assert int(drive.key_of(states, game.tables, seat)) & clusters.KEY_CLASS < 12


def test_in_one_situation_all_hands_have_the_same_actions(centres: Centres) -> None:
    game = game_of(centres, ",stack=12")
    situations: dict[int, tuple[int, ...]] = {}
    luck = np.random.default_rng(4)
    for hand in range(150):
        for states in decisions(game, hand, luck):
            key = int(drive.key_of(states, game.tables, int(states["turn"][0])))
            actions = tuple(legal(game, states))
            assert situations.setdefault(key & ~clusters.KEY_CLASS, actions) == actions


def decisions(game: Game, seed: int, luck: Any) -> Iterator[np.ndarray]:
    """The states of a random hand at which somebody acts."""
    states, decks = game.new_states(), drive.new_decks()
    drive.seed_hand(decks, np.uint64(seed))
    drive.begin_hand(states, game.tables)
    while states["turn"][0] != TERMINAL:
        if states["turn"][0] == CHANCE:
            cards = np.zeros(52, np.int64)
            n = drive.list_cards(states, cards)
            drive.apply_action(states, game.tables, int(luck.choice(cards[:n])))
        else:
            yield states
            drive.apply_action(states, game.tables, int(luck.choice(legal(game, states))))


def test_what_is_remembered_is_what_is_computed(centres: Centres) -> None:
    """A game that has answered other hands before gives the same keys as a fresh one."""
    used = game_of(centres)
    fresh = used.with_parameters(odd_chip="omaha")
    luck = np.random.default_rng(0)
    for hand in range(40):
        for states in decisions(used, hand, luck):
            seat = int(states["turn"][0])
            fresh.tables.rules["clusters"]["memo"] = 0
            assert drive.key_of(states, used.tables, seat) == drive.key_of(
                states, fresh.tables, seat
            )


def test_the_order_in_which_cards_came_does_not_matter(centres: Centres) -> None:
    game = game_of(centres)
    one = deal(game, ["AsAdKcKs9c", "QhTh8c6s3d"], "2h7h4c")
    other = deal(game, ["9cKsAdAsKc", "QhTh8c6s3d"], "2h7h4c")
    assert drive.key_of(one, game.tables, 0) == drive.key_of(other, game.tables, 0)
    assert set(discards(game, one)) == set(discards(game, other))


def test_the_pot_and_the_aggressor_are_told_apart(centres: Centres) -> None:
    """The pot after a limp, after either seat's raise, and after two raises, on the flop."""
    game = game_of(centres)
    keys = set()
    for preflop in ([1, 1], [2, 1], [1, 2, 1], [2, 2, 1]):
        states = game.new_states()
        drive.begin_hand(states, game.tables)
        cards = iter(parse_cards("AsQhAdThKc8cKs6s9c3d2h7h4c"))
        bets = iter(preflop)
        while states["street"][0] == 0 or states["turn"][0] == CHANCE:
            turn = int(states["turn"][0])
            drive.apply_action(states, game.tables, next(cards if turn == CHANCE else bets))
        keys.add(int(drive.key_of(states, game.tables, 0)))
    assert len(keys) == 4


# Candidates.


def test_candidates_are_the_best_of_each_number_of_cards(centres: Centres) -> None:
    game = game_of(centres)
    states = deal(game, ["KsKdKc7h2c", "QhTh8c6s3d"], "KhJd4c")
    offered = discards(game, states)
    assert offered[0] == "stand pat"
    assert "discard 2c" in offered or "discard 7h" in offered
    assert "discard 7h2c" in offered
    assert len(offered) == len(clusters.CANDIDATES)


def test_a_pat_hand_is_offered_to_stand(centres: Centres) -> None:
    game = game_of(centres)
    states = deal(game, ["AhKhQh9h2h", "QcTc8c6s3d"], "KdJd4c")
    assert "stand pat" in discards(game, states)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_no_more_cards_are_offered_than_may_be_drawn(most: int) -> None:
    text = f"sviten_special(max_discards={most})"
    game = load(f"{text[:-1]},abstraction=clusters,buckets={built(text, f'most{most}')})")
    states = deal(game, ["KsTd8c7h2c", "QhTh8d6s3d"], "KhJd4c")
    drawn = [name.removeprefix("discard ") for name in discards(game, states)]
    assert max(len(cards) // 2 if cards != "stand pat" else 0 for cards in drawn) == most


# Small games, whose deals are few.


@pytest.mark.parametrize("text", ["mini_sviten", "mini_sviten(hole_cards=2,ranks=TJQKA)"])
def test_small_games_have_buckets_too(text: str) -> None:
    name = built(text, "mini")
    abstract = load(text).with_parameters(abstraction="clusters", buckets=name)
    game = pyspiel.load_game(str(abstract))
    recall = conformance.Recall(perfect=False)
    for seed in range(40):
        conformance.check_hand(game, seed, recall)
    assert sum(conformance.check_hidden(game, seed) for seed in range(10)) > 10


@pytest.mark.parametrize("variant", ["sviten_flush", "dramaha"])
def test_other_variants_have_centres_of_their_own(variant: str) -> None:
    name = built(variant, "own")
    game = pyspiel.load_game(f"{variant}(abstraction=clusters,buckets={name})")
    for seed in range(6):
        conformance.check_hand(game, seed)


# Files.


def test_centres_survive_a_file(centres: Centres, tmp_path: Path) -> None:
    path = tmp_path / f"my{cluster_file.SUFFIX}"
    cluster_file.save(centres, path)
    assert cluster_file.load(path).full_name == centres.full_name
    game = load(f"sviten_special(abstraction=clusters,buckets={path})")
    assert game.parameters["buckets"] == centres.full_name
    assert "buckets=tiny-" in str(game)


def test_a_folder_of_the_user_is_searched(
    centres: Centres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    other = Centres("mine", centres.deal, centres.centres, centres.draw_percentile, {})
    name = cluster_file.file_name("sviten_special", other)
    cluster_file.save(other, cluster_file.user_folder() / name)
    assert cluster_file.find("mine", "sviten_special").full_name == other.full_name
    with pytest.raises(CentresError, match=r"there are none of this name.*mine-"):
        cluster_file.find("yours", "sviten_special")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sviten_special(abstraction=clusters,buckets=nowhere)", "buckets='nowhere'"),
        ("sviten_special(buckets=x1)", "only abstraction=clusters has buckets"),
        ("sviten_special(abstraction=clusters,buckets=/no/such.centres)", "does not exist"),
    ],
)
def test_centres_that_are_not_there(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load(text)


def test_centres_of_another_deal_are_refused(centres: Centres) -> None:
    with pytest.raises(CentresError, match="are for draw_half=high, not flush"):
        load(f"sviten_flush(abstraction=clusters,buckets={centres.full_name})")
    with pytest.raises(CentresError, match="max_discards=5, not 3"):
        game_of(centres, ",max_discards=3")


def test_a_changed_centre_has_another_hash_and_is_refused(centres: Centres, tmp_path: Path) -> None:
    arrays = centres.to_arrays()
    moved = arrays["river"].copy()
    moved[0, 0] += 0.01
    with pytest.raises(CentresError, match="build the abstraction anew"):
        cluster_file.new_centres({**arrays, "river": moved}, centres.to_text(), "file")
    with pytest.raises(CentresError, match="damaged"):
        cluster_file.new_centres({**arrays, "river": moved[:, :3]}, centres.to_text(), "file")
    path = tmp_path / "half.centres"
    cluster_file.save(centres, path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CentresError, match="damaged"):
        cluster_file.load(path)


def test_leaving_the_abstraction_leaves_its_buckets(centres: Centres) -> None:
    exact = game_of(centres, ",stack=50").with_parameters(abstraction="none")
    assert str(exact) == "sviten_special(stack=50)"


# Building.


def test_building_is_deterministic(centres: Centres) -> None:
    again = cluster_build.build(load("sviten_special"), SMALL, 300, 1, 0, "tiny")
    assert again.full_name == centres.full_name
    other = cluster_build.build(load("sviten_special"), SMALL, 300, 1, 1, "tiny")
    assert other.full_name != centres.full_name


def test_every_hand_is_nearest_to_its_centre(centres: Centres) -> None:
    rules = game_of(centres).tables.rules
    found, _ = cluster_build.sample_hands(rules, 50, 5)
    for i, moment in enumerate(MOMENTS):
        for features in found[i][np.isfinite(found[i]).all(axis=1)]:
            distances = ((centres.centres[i] - features) ** 2).sum(axis=1)
            chosen = int(clusters.nearest(rules[0]["clusters"], i, features.astype(float)))
            assert distances[chosen] == pytest.approx(distances.min(), abs=1e-6), moment


@pytest.mark.parametrize(
    ("sizes", "restarts", "name", "message"),
    [
        ({**SMALL, "river": 0}, 1, "a", "0 buckets for the river"),
        ({**SMALL, "flop": 5000}, 1, "a", "5000 buckets for the flop"),
        (SMALL, 0, "a", "restarts=0"),
        (SMALL, 1, "500", "centres named '500'"),
    ],
)
def test_what_cannot_be_built(
    sizes: dict[str, int], restarts: int, name: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        cluster_build.build(load("sviten_special"), sizes, 300, restarts, 0, name)


def test_more_buckets_tell_more(centres: Centres) -> None:
    few = cluster_measure.measure(game_of(centres), 600, 1)
    one = cluster_build.build(
        load("sviten_special"), dict.fromkeys(MOMENTS, 1), 300, 1, 0, "single"
    )
    cluster_file.bring(one)
    none = cluster_measure.measure(game_of(one), 600, 1)
    for row, alone in zip(few, none, strict=True):
        assert alone.mean < 0.01 and alone.used == 1
        assert 0.3 < row.mean <= 1.0 and row.used > 6, row
