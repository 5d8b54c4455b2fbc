"""Svara as a chain of deals: the same game as the kernels play, and the classes of its hands."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.agent import legal
from pokerspiel.games import drive
from pokerspiel.games.deals import NO_CLASS, NO_NODE, NOT_PLAYED_OFF, Deal, DealChain, Hands
from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.games.svara import deals
from pokerspiel.games.svara.state import JOIN
from pokerspiel.games.variants import Game, load
from tests.reference.deal_model import disjoint_counts
from tests.reference.poker_model import svara_points
from tests.small_decks import SMALL_DECKS, chain_of

FULL_DECKS = (
    "svara",
    "svara(betting=pot_limit,bet_sizes=0.5 1 max)",
    "svara(betting=no_limit,stack=8)",
    "svara(stacks=12 30)",
    "svara(svarka_ante=True)",
    "svara(stack=8,allow_check=True)",
    "svara(blind_phase=False)",
    "svara(max_blind_laps=2,stack=12)",
)
THREE_PLAYERS = (
    "svara(players=3,stack=5,max_svarkas=2)",
    "mini_svara(players=3,stack=4,ranks=78KA)",
    "mini_svara(players=3,stacks=3 5 4,betting=no_limit,bet_sizes=max,max_svarkas=2)",
)
TINY = (
    "mini_svara(stack=2,ranks=7A,max_svarkas=2)",
    "mini_svara(stacks=2 4,ranks=7A,max_svarkas=2)",
    "mini_svara(stacks=4 2,ranks=78A,suits=c,max_svarkas=3,svarka_ante=True)",
    "mini_svara(stack=3,ranks=78A,suits=c,max_svarkas=9)",
)


# The chain of plain Svara.


def test_plain_svara_is_a_chain_of_nineteen_deals() -> None:
    chain = chain_of("svara")
    first = chain.deals[0]
    assert (len(chain.deals), chain.places, chain.svarkas) == (19, 2, 12)
    assert (first.pot, first.stacks, first.nodes) == (2, (19, 19), 37)
    assert chain.start == (20, 20) and first.fair.tolist() == [20.0, 20.0]
    assert chain.outcomes == ((0, 0), (0, 1), (1, 0))
    assert chain.tie == 0
    assert all(deal.svarkas_left is None for deal in chain.deals)


def test_the_words_of_a_path_say_what_is_played() -> None:
    first = chain_of("svara").deals[0]
    paths = [" ".join(first.path(node)) for node in range(first.nodes)]
    assert len(set(paths)) == first.nodes
    assert {"", "look", "look b1", "look b1 r2", "blind1", "blind1 look"} <= set(paths)


def test_a_chain_is_the_same_whatever_the_abstraction() -> None:
    plain, points = load("svara").chain_of_deals(), load("svara(abstraction=points)")
    assert points.chain_of_deals().game == plain.game == "svara"


def test_other_families_are_no_chains() -> None:
    with pytest.raises(ValueError, match=r"sviten_special is no chain of deals: Svara is$"):
        load("sviten_special").chain_of_deals()


def test_chains_with_too_many_actions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deals, "MOST_ROWS", 100)
    with pytest.raises(ValueError, match=r"^the deals of svara\(.*\) have more than 100 actions$"):
        load("svara").chain_of_deals()


def test_a_deck_whose_hands_never_differ_is_refused() -> None:
    with pytest.raises(ValueError, match=r"hands of this deck have too few different scores$"):
        load("mini_svara(ranks=7A,suits=c)").chain_of_deals()


@pytest.mark.parametrize("game", [*FULL_DECKS, *SMALL_DECKS, *THREE_PLAYERS])
def test_the_chips_of_every_end_are_those_on_the_table(game: str) -> None:
    chain = chain_of(game)
    for deal in chain.deals:
        assert sum(deal.stacks) + deal.pot == sum(chain.start)
        assert deal.fair.sum() == pytest.approx(sum(chain.start), abs=1e-9)
        paid = deal.payoff.sum(axis=2)
        ends = deal.follower == NOT_PLAYED_OFF
        possible = _possible(chain)
        assert paid[:, possible][ends[:, possible]] == pytest.approx(sum(chain.start), abs=1e-9)
        assert not deal.payoff[~ends].any()


def _possible(chain: DealChain) -> list[int]:
    """The outcomes that some hands bring about: they pay, or lead to another deal."""

    def matters(deal: Deal, o: int) -> bool:
        return bool(deal.payoff[:, o].any() or (deal.follower[:, o] != NOT_PLAYED_OFF).any())

    outcomes = range(len(chain.outcomes))
    return [o for o in outcomes if any(matters(deal, o) for deal in chain.deals)]


@pytest.mark.parametrize("game", [*FULL_DECKS, *SMALL_DECKS, *THREE_PLAYERS])
def test_no_deal_comes_before_one_that_leads_to_it(game: str) -> None:
    for i, deal in enumerate(chain_of(game).deals):
        followed = deal.follower[deal.follower != NOT_PLAYED_OFF]
        assert (followed > i).all()
        assert (followed < len(chain_of(game).deals)).all()


@pytest.mark.parametrize("game", [*FULL_DECKS, *SMALL_DECKS])
def test_a_tie_leads_to_a_deal_for_what_both_have_paid(game: str) -> None:
    """The other seat deals, the pot holds the same from both, and it never shrinks."""
    chain = chain_of(game)
    rules = load(game).parameters
    for deal in chain.deals:
        assert (deal.follower[:, : chain.tie] == NOT_PLAYED_OFF).all()
        assert (deal.follower[:, chain.tie + 1 :] == NOT_PLAYED_OFF).all()
        for leaf in np.flatnonzero(deal.follower[:, chain.tie] != NOT_PLAYED_OFF):
            after = chain.deals[deal.follower[leaf, chain.tie]]
            assert deal.turn[leaf, chain.tie] == 1
            paid = [deal.stacks[p] - after.stacks[1 - p] for p in range(2)]
            assert paid[0] == paid[1] >= 0
            assert after.pot == deal.pot + sum(paid)
            if not rules["allow_check"]:
                assert after.pot > deal.pot
            if deal.svarkas_left is not None:
                assert after.svarkas_left == deal.svarkas_left - 1


@pytest.mark.parametrize("game", [*FULL_DECKS, *SMALL_DECKS, *THREE_PLAYERS])
def test_a_deal_is_a_tree(game: str) -> None:
    """Every row leads to one node or one leaf, parents come first, and actions ascend."""
    for deal in chain_of(game).deals:
        inner = np.flatnonzero(deal.child != NO_NODE)
        assert sorted(deal.child[inner]) == list(range(1, deal.nodes))
        assert (deal.parent[deal.child[inner]] == inner).all()
        assert sorted(deal.leaf_row) == np.flatnonzero(deal.child == NO_NODE).tolist() or (
            deal.nodes == 0 and deal.leaf_row.tolist() == [-1]
        )
        assert deal.first_row[-1] == deal.rows == len(deal.word)
        for node in range(deal.nodes):
            first, end = deal.first_row[node : node + 2]
            assert (np.diff(deal.action[first:end]) > 0).all()
            assert len(set(deal.word[first:end])) == end - first
            assert deal.parent[node] < first
            assert deal.node_of_row(int(first)) == deal.node_of_row(int(end - 1)) == node
            above = deal.parent[node]
            if above >= 0 and deal.looked[deal.node_of_row(int(above))]:
                assert deal.looked[node]


@pytest.mark.parametrize("game", [*FULL_DECKS, *SMALL_DECKS])
def test_no_two_decisions_of_two_players_look_alike(game: str) -> None:
    situations = np.concatenate([deal.situation for deal in chain_of(game).deals])
    assert len(np.unique(situations)) == len(situations)
    assert not (situations & np.uint64(NO_CLASS)).any()


# Svarkas that are counted.


def test_svarkas_are_counted_where_it_matters() -> None:
    for game in ("svara(max_svarkas=8)", "svara(allow_check=True,stack=6)", *THREE_PLAYERS):
        deals = chain_of(game).deals
        assert deals[0].svarkas_left == load(game).parameters["max_svarkas"]
        assert {deal.svarkas_left for deal in deals} <= set(range(deals[0].svarkas_left + 1))
    assert all(deal.svarkas_left is None for deal in chain_of("svara(max_svarkas=9)").deals)


@pytest.mark.parametrize("game", ["svara(max_svarkas=1)", "mini_svara", "svara(max_svarkas=0)"])
def test_at_the_bound_of_svarkas_a_tied_pot_is_shared(game: str) -> None:
    chain = chain_of(game)
    last = [deal for deal in chain.deals if deal.svarkas_left == 0]
    for deal in last:
        win, lose = (deal.payoff[:, chain.outcomes.index(o)] for o in ((0, 1), (1, 0)))
        tie = deal.payoff[:, chain.tie]
        assert (deal.follower == NOT_PLAYED_OFF).all()
        assert tie == pytest.approx((win + lose) / 2, abs=1e-12)
    assert last


# Svarkas in which nobody can act.


def _replayed(game: Game, deal: Deal, leaf: int) -> Iterator[np.ndarray]:
    """The states in which a leaf ends, for every way in which the cards may fall in the deal."""
    rows = []
    row = int(deal.leaf_row[leaf])
    while row >= 0:
        rows.append(row)
        row = int(deal.parent[deal.node_of_row(row)])
    todo = [(deal.start.copy(), rows, 0)]
    cards = game.players * int(game.parameters["hole_cards"])
    while todo:
        states, left, fallen = todo.pop()
        if states[0]["turn"] == CHANCE and fallen < cards:
            todo += [(after, left, fallen + 1) for after in _after_a_card(game, states)]
        elif left:
            drive.apply_action(states, game.tables, int(deal.action[left[-1]]))
            todo.append((states, left[:-1], fallen))
        else:
            yield states


def _after_a_card(game: Game, states: np.ndarray) -> Iterator[np.ndarray]:
    cards = np.zeros(52, np.int64)
    for card in cards[: drive.list_cards(states, cards)]:
        after = states.copy()
        drive.apply_action(after, game.tables, int(card))
        yield after


def _expected_stacks(game: Game, states: np.ndarray) -> np.ndarray:
    """[players]: the mean of the final stacks over all cards that may fall; nobody can act."""
    if states[0]["turn"] == TERMINAL:
        return states[0]["stack"][: game.players].astype(np.float64)
    assert states[0]["turn"] == CHANCE, "somebody can act"
    return np.mean([_expected_stacks(game, after) for after in _after_a_card(game, states)], axis=0)


@pytest.mark.parametrize("text", TINY)
def test_svarkas_without_chips_are_worth_what_they_bring_when_played_out(text: str) -> None:
    game, chain = load(text).with_parameters(abstraction="hands"), chain_of(text)
    played_out = 0
    for deal in chain.deals:
        dealer = int(deal.start[0]["dealer"])
        seats = [(dealer + 1 + place) % 2 for place in range(2)]
        ends = deal.follower[:, chain.tie] == NOT_PLAYED_OFF
        for leaf in np.flatnonzero(ends & np.ptp(deal.payoff[:, :, 0], axis=1).astype(bool)):
            for states in _replayed(game, deal, int(leaf)):
                if states[0]["points"][0] == states[0]["points"][1]:
                    stacks = _expected_stacks(game, states)[seats]
                    assert deal.payoff[leaf, chain.tie] == pytest.approx(stacks, abs=1e-9)
                    played_out += int(states[0]["turn"] == CHANCE)
    assert played_out > 0


# Random hands of the kernels walk along the chain.


class _Walk:
    """Random hands of the kernels, and where in the chain they are."""

    def __init__(self, text: str, seed: int) -> None:
        self.game = load(text).with_parameters(abstraction="hands")
        self.chain = chain_of(text)
        self.outcomes = _possible(self.chain)
        self.random = np.random.default_rng(seed)
        self.cards = np.zeros(52, np.int64)
        self.seen: Counter[str] = Counter()

    def hand(self) -> None:
        self.states = self.game.new_states()
        drive.begin_hand(self.states, self.game.tables)
        self.enter(0)
        while self.state["turn"] != TERMINAL:
            if self.state["turn"] == CHANCE:
                self.let_a_card_fall()
            else:
                self.act()

    @property
    def state(self) -> Any:
        return self.states[0]

    @property
    def deal(self) -> Deal:
        return self.chain.deals[self.number]

    def enter(self, number: int) -> None:
        """A deal begins."""
        self.number, self.node, self.fallen = number, 0, 0
        self.dealer = int(self.state["dealer"])
        assert int(self.state["pot"]) == self.deal.pot
        assert self.by_place(self.state["stack"]) == self.deal.stacks
        if self.deal.nodes == 0:
            self.leave(-1)

    def by_place(self, by_seat: Any) -> tuple[int, ...]:
        n = self.game.players
        return tuple(int(by_seat[(self.dealer + 1 + place) % n]) for place in range(n))

    def let_a_card_fall(self) -> None:
        self.in_deal = int(self.state["in_deal"])
        self.fallen += 1
        n = drive.list_cards(self.states, self.cards)
        drive.apply_action(self.states, self.game.tables, int(self.random.choice(self.cards[:n])))

    def act(self) -> None:
        deal, node, seat = self.deal, self.node, int(self.state["turn"])
        key = int(drive.key_of(self.states, self.game.tables, seat))
        assert key & ~NO_CLASS == int(deal.situation[node])
        assert key & NO_CLASS == (self.class_of(seat) if deal.looked[node] else NO_CLASS)
        assert deal.place[node] == (seat - self.dealer - 1) % self.game.players
        first, end = (int(row) for row in deal.first_row[node : node + 2])
        assert legal(self.game, self.states) == deal.action[first:end].tolist()
        self.seen["looked" if deal.looked[node] else deal.word[first]] += 1
        row = int(self.random.integers(first, end))
        drive.apply_action(self.states, self.game.tables, int(deal.action[row]))
        self.node = int(deal.child[row])
        if self.node == NO_NODE:
            self.leave(row)

    def class_of(self, seat: int) -> int:
        hands = self.chain.hands
        held = sorted(self.state["hand"][seat][: hands.cards.shape[1]].tolist())
        same = (np.sort(hands.all_cards, axis=1) == held).all(axis=1)
        return int(hands.hand_class[same][0])

    def leave(self, row: int) -> None:
        """The deal ends in the leaf that `row` leads to, once all cards are dealt.

        Where it is asked who joins, no cards are: any outcome will do.
        """
        leaf = self.deal.leaf_row.tolist().index(row)
        asked = int(self.deal.start[0]["phase"]) == JOIN
        if not asked:
            size = int(self.game.parameters["hole_cards"])
            while self.fallen == 0 or self.fallen < self.in_deal.bit_count() * size:
                self.let_a_card_fall()
        for outcome in self.outcomes if asked else self.matching_outcomes():
            self.arrive(leaf, outcome)
        follower = int(self.deal.follower[leaf, outcome])
        if follower != NOT_PLAYED_OFF:
            self.seen["svarka"] += 1
            self.enter(follower)
        elif self.state["turn"] != TERMINAL:
            self.play_out()

    def matching_outcomes(self) -> list[int]:
        """All that agree with the hands of those in the deal; who is out may rank anyhow."""
        points = self.by_place(self.state["points"])
        inside = [p for p, seat in enumerate(self.seats()) if self.in_deal >> seat & 1]
        return [
            o
            for o in self.outcomes
            if all(
                np.sign(points[p] - points[q])
                == np.sign(self.chain.outcomes[o][q] - self.chain.outcomes[o][p])
                for p, q in combinations(inside, 2)
            )
        ]

    def seats(self) -> list[int]:
        """The seat on each place."""
        n = self.game.players
        return [(self.dealer + 1 + place) % n for place in range(n)]

    def arrive(self, leaf: int, outcome: int) -> None:
        """The leaf says where the kernels are."""
        follower = int(self.deal.follower[leaf, outcome])
        if self.state["turn"] == TERMINAL:
            assert follower == NOT_PLAYED_OFF
            assert self.by_place(self.state["stack"]) == tuple(self.deal.payoff[leaf, outcome])
            shown = np.ptp(self.deal.payoff[leaf][:, 0]) > 0
            self.seen["shared" if shown and outcome == self.chain.tie else "won"] += 1
        elif follower != NOT_PLAYED_OFF:
            turn = int(self.state["dealer"]) - self.dealer
            assert self.deal.turn[leaf, outcome] == turn % self.game.players

    def play_out(self) -> None:
        """All-in players tie: what follows is no deal of the chain."""
        self.seen["played out"] += 1
        while self.state["turn"] != TERMINAL:
            if self.state["turn"] == CHANCE:
                self.let_a_card_fall()
            else:
                action = int(self.random.choice(legal(self.game, self.states)))
                drive.apply_action(self.states, self.game.tables, action)
        assert sum(self.by_place(self.state["stack"])) == sum(self.chain.start)


def walk(text: str, hands: int) -> Counter[str]:
    """What some random hands have met on their way along the chain."""
    found = _Walk(text, 8)
    for _ in range(hands):
        found.hand()
    return found.seen


@pytest.mark.parametrize("text", FULL_DECKS)
def test_random_hands_walk_along_the_chain(text: str) -> None:
    seen = walk(text, 150)
    assert seen["looked"] > 100 and seen["won"] > 100
    assert (seen["look"] > 100) == load(text).parameters["blind_phase"]


@pytest.mark.parametrize("text", SMALL_DECKS)
def test_random_hands_of_small_decks_walk_along_the_chain(text: str) -> None:
    seen = walk(text, 300)
    assert seen["looked"] > 200 and seen["won"] > 150
    assert (seen["svarka"] > 0) == (len(chain_of(text).deals) > 1)


@pytest.mark.parametrize("text", THREE_PLAYERS)
def test_random_hands_of_three_players_walk_along_the_chain(text: str) -> None:
    seen = walk(text, 400)
    assert seen["looked"] > 100 and seen["won"] > 50 and seen["svarka"] > 10 and seen["join"] > 5


def test_at_the_bound_of_svarkas_random_hands_share_the_pot() -> None:
    seen = walk("mini_svara(ranks=7A,stack=4,max_svarkas=1)", 400)
    assert seen["svarka"] > 20 and seen["shared"] > 5


# Classes of hands.


def full_deck() -> Hands:
    return chain_of("svara").hands


def test_the_hands_of_the_deck_are_in_1192_classes() -> None:
    hands = full_deck()
    assert (hands.classes, len(hands.all_cards), hands.deck) == (1192, 4960, 32)
    assert hands.count.sum() == 4960
    assert np.array_equal(np.bincount(hands.hand_class), hands.count)
    assert len({tuple(sorted(cards)) for cards in hands.all_cards.tolist()}) == 4960


def test_classes_come_in_the_order_of_the_24_scores() -> None:
    hands = full_deck()
    path = Path(__file__).parent / "data/svara_scores.json"
    expected = json.loads(path.read_text())["count_per_score"]
    first = hands.group_first
    assert first[0] == 0 and first[-1] == hands.classes
    groups = list(pairwise(first))
    found = {str(hands.score[start]): int(hands.count[start:end].sum()) for start, end in groups}
    assert found == expected
    assert len(groups) == 24
    assert (np.diff(hands.score) >= 0).all()


@pytest.mark.parametrize(
    "game",
    ["svara", "svara(joker_mode=sum_all)", "svara(sevens=fixed_23)", "svara(hole_cards=2)"],
)
def test_the_score_of_a_class_is_that_of_its_hands(game: str) -> None:
    hands, rules = chain_of(game).hands, load(game).parameters
    joker_mode, sevens = str(rules["joker_mode"]), str(rules["sevens"])
    for cards, number in zip(hands.all_cards.tolist(), hands.hand_class, strict=True):
        assert hands.score[number] == svara_points(cards, joker_mode, sevens)
    for number, cards in enumerate(hands.cards):
        assert hands.score[number] == svara_points(cards.tolist(), joker_mode, sevens)


def _without_names(cards: list[int]) -> tuple[Any, ...]:
    """The ranks held in clubs, and those in the other suits in any order."""
    of_suit = [tuple(sorted(card >> 2 for card in cards if card & 3 == suit)) for suit in range(4)]
    return of_suit[0], tuple(sorted(of_suit[1:]))


@pytest.mark.parametrize("game", ["svara", "svara(hole_cards=2,suits=chs)", "mini_svara"])
def test_classes_tell_apart_all_hands_but_for_the_names_of_suits(game: str) -> None:
    hands = chain_of(game).hands
    kinds = [_without_names(cards) for cards in hands.all_cards.tolist()]
    assert len(set(kinds)) == hands.classes
    assert len(set(zip(kinds, hands.hand_class.tolist(), strict=True))) == hands.classes
    assert [_without_names(cards) for cards in hands.cards.tolist()] == [
        kinds[hands.hand_class.tolist().index(number)] for number in range(hands.classes)
    ]


def _key(game: Game, mine: list[int], other: list[int]) -> int:
    """The key of the first seat, which has looked and holds `mine`."""
    states = game.new_states()
    drive.begin_hand(states, game.tables)
    for cards in zip(mine, other, strict=True):
        for card in cards:
            drive.apply_action(states, game.tables, card)
    return int(drive.key_of(states, game.tables, 0))


def test_keys_do_not_depend_on_the_names_of_suits_or_the_order_of_cards() -> None:
    game = load("svara(abstraction=hands,blind_phase=False)")
    hands = full_deck()
    random = np.random.default_rng(6)
    numbers = dict(
        zip(map(_without_names, hands.all_cards.tolist()), hands.hand_class, strict=True)
    )
    for _ in range(300):
        cards = random.choice(np.unique(hands.all_cards), 6, replace=False).astype(int)
        key = _key(game, cards[:3].tolist(), cards[3:].tolist())
        assert key & NO_CLASS == numbers[_without_names(cards[:3].tolist())]
        suits = np.array([0, *(1 + random.permutation(3))])
        renamed = (cards >> 2 << 2) + suits[cards & 3]
        mine, other = random.permutation(renamed[:3]), random.permutation(renamed[3:])
        assert _key(game, mine.tolist(), other.tolist()) == key


@pytest.mark.parametrize("game", ["svara", "svara(hole_cards=2)", "mini_svara(suits=chs)"])
def test_parts_count_the_hands_that_share_no_card(game: str) -> None:
    """By inclusion and exclusion, as by looking at all pairs of hands."""
    hands = chain_of(game).hands
    size = hands.cards.shape[1]
    kinds = len(hands.part_count)
    holding = np.zeros((kinds, hands.classes))
    np.add.at(holding.T, (np.arange(hands.classes)[:, None], hands.part), hands.count[:, None])
    holding /= hands.part_count[:, None]
    sign = (-1.0) ** hands.part_size
    counts = (-1.0) ** size * np.eye(hands.classes)
    for column, plus_or_minus in enumerate(sign):
        counts += plus_or_minus * holding[hands.part[:, column]]
    assert np.abs(counts - disjoint_counts(hands)).max() < 1e-9
    assert np.abs(counts.sum(axis=1) - comb(hands.deck - size, size)).max() < 1e-9
    for kind in range(kinds):
        some = int(hands.part_size[np.nonzero(hands.part == kind)[1][0]])
        others = comb(hands.deck - some, size - some)
        assert holding[kind].sum() == pytest.approx(others)
