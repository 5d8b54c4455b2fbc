"""Strengths of hands, against other evaluators, exact counts and known answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any

import eval7
import numpy as np
import phevaluator
import pytest

from pokerspiel.games.cards import card_name, parse_cards
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import (
    DRAW_FLUSH,
    DRAW_HIGH,
    JOKER,
    JOKER_BEST,
    JOKER_SUM_ALL,
    SEVENS_BEST,
    SEVENS_FIXED_23,
    draw_rank,
    five_rank,
    flush_name,
    flush_rank,
    hand_tables,
    high_name,
    high_rank,
    omaha_rank,
    rank_hands,
    rank_omaha_hands,
    runout_shares,
    svara_points,
    svara_reason,
)

DATA = Path(__file__).parent / "data"
SVARA_HANDS = json.loads((DATA / "svara_hands.json").read_text())
SVARA_SCORES = json.loads((DATA / "svara_scores.json").read_text())
SVITEN_SHOWDOWNS = json.loads((DATA / "sviten_showdowns.json").read_text())
SVARA_DECK = range(20, 52)

T = hand_tables()
EVAL7 = [eval7.Card(card_name(card)) for card in range(52)]


def cards(text: str) -> np.ndarray:
    return np.array(parse_cards(text), np.uint8)


def high(text: str) -> int:
    hand = cards(text)
    return int(high_rank(T, hand, len(hand)))


def flush(text: str) -> int:
    hand = cards(text)
    return int(flush_rank(T, hand, len(hand)))


def omaha(hole: str, board: str) -> int:
    h, b = cards(hole), cards(board)
    return int(omaha_rank(T, h, len(h), b, len(b), 2, 3))


@pytest.fixture(scope="module")
def all_hands() -> np.ndarray:
    """The 2,598,960 five-card hands, in the order of itertools.combinations."""
    flat = np.fromiter((c for hand in combinations(range(52), 5) for c in hand), np.uint8)
    return flat.reshape(-1, 5)


@pytest.fixture(scope="module")
def all_strengths(all_hands: np.ndarray) -> np.ndarray:
    out = np.zeros(len(all_hands), np.int16)
    rank_hands(T, all_hands, out)
    return out


# Five cards, high.


def test_all_five_card_hands_are_ordered_as_by_eval7(all_strengths: np.ndarray) -> None:
    theirs = np.fromiter(map(eval7.evaluate, combinations(EVAL7, 5)), np.int64)
    their_value = np.zeros(7463, np.int64)
    their_value[all_strengths] = theirs
    assert (their_value[all_strengths] == theirs).all()
    assert (np.diff(their_value) > 0).all()


def test_five_card_strengths_count_down_to_phevaluators_ranks(
    all_hands: np.ndarray, all_strengths: np.ndarray
) -> None:
    some = slice(None, None, 17)
    ranks = [phevaluator.evaluate_cards(*hand) for hand in all_hands[some].tolist()]
    assert (all_strengths[some] == 7463 - np.array(ranks)).all()


def test_hands_of_each_category(all_strengths: np.ndarray) -> None:
    frequency = np.bincount(all_strengths, minlength=7463)
    count: Counter[str] = Counter()
    for strength in range(1, 7463):
        name = high_name(strength)
        kind = "high card" if name.endswith("-high") and "," not in name else name.split(",")[0]
        count[kind.split(" of ")[0] if kind.startswith("pair") else kind] += int(
            frequency[strength]
        )
    assert count == {
        "straight flush": 40,
        "four of a kind": 624,
        "full house": 3_744,
        "flush": 5_108,
        "straight": 10_200,
        "three of a kind": 54_912,
        "two pair": 123_552,
        "pair": 1_098_240,
        "high card": 1_302_540,
    }


def test_order_of_cards_and_suits_do_not_matter(all_hands: np.ndarray) -> None:
    rng = np.random.default_rng(1)
    for hand in rng.choice(all_hands, 20):
        strengths = {five_rank(T, *order) for order in permutations(hand.tolist())}
        strengths |= {five_rank(T, *(hand ^ swap).tolist()) for swap in (1, 2, 3)}
        assert len(strengths) == 1


def test_ace_to_five_is_the_lowest_straight_and_none_wraps_around() -> None:
    assert high("2c3d4h5s6c") > high("Ac2d3h4s5c") > high("AcAdAhKsQc")
    assert high("QcKdAh2s3c") < high("2c2d3h4s5c")
    assert high("2s3s4s5s6s") > high("As2s3s4s5s") > high("AcAdAhAsKc")


def test_batch_rates_each_row(all_hands: np.ndarray, all_strengths: np.ndarray) -> None:
    for i in (0, 1_000_000, 2_598_959):
        assert all_strengths[i] == five_rank(T, *all_hands[i]) == high_rank(T, all_hands[i], 5)


# Fewer cards.


def by_multiplicity(hand: Iterable[int]) -> tuple[list[int], list[int]]:
    """What decides between hands without straights and flushes: groups, then their ranks."""
    groups = Counter(card >> 2 for card in hand)
    order = sorted(groups, key=lambda rank: (groups[rank], rank), reverse=True)
    return [groups[rank] for rank in order], order


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_hands_of_fewer_cards_know_groups_and_high_cards_only(n: int) -> None:
    rng = np.random.default_rng(n)
    hands = [rng.permutation(52)[:n].astype(np.uint8) for _ in range(3000)]
    strengths = [high_rank(T, hand, n) for hand in hands]
    values = [by_multiplicity(hand.tolist()) for hand in hands]
    order = {value: s for s, value in zip(strengths, map(repr, values), strict=True)}
    assert [order[repr(value)] for value in values] == strengths
    ranked = sorted(zip(strengths, values, strict=True))
    assert [value for _, value in ranked] == sorted(values)


def test_fewer_cards_in_order() -> None:
    assert high("3c") > high("2s")
    assert high("2c2d") > high("AcKc")
    assert high("2c2d2h") > high("AcAdKh") > high("AcKcQc")
    assert high("2c2d2h2s") > high("AcAdAhKs") > high("AcAdKhKs") > high("AcAdKhQs")
    assert high("9c8c7c6c") == high("9c8d7h6s")


# Omaha: exactly two hole cards and three board cards.


def best_of_pairs_and_triples(
    hole: Sequence[int], board: Sequence[int], strength: Callable[[tuple[int, ...]], int]
) -> int:
    return max(
        strength(two + three) for two in combinations(hole, 2) for three in combinations(board, 3)
    )


@pytest.fixture(scope="module")
def omaha_deals() -> np.ndarray:
    """4,000 random deals of five hole and five board cards, half of them rich in one suit."""
    rng = np.random.default_rng(5)
    deals = [rng.permutation(52)[:10] for _ in range(2000)]
    short_deck = np.array([card for card in range(52) if card & 3 == 2 or card < 12])
    deals += [rng.permutation(short_deck)[:10] for _ in range(2000)]
    return np.array(deals, np.uint8)


@pytest.fixture(scope="module")
def omaha_strengths(omaha_deals: np.ndarray) -> np.ndarray:
    holes, boards = omaha_deals[:, :5].copy(), omaha_deals[:, 5:].copy()
    out = np.zeros(len(omaha_deals), np.int16)
    rank_omaha_hands(T, holes, boards, out)
    return out


def test_omaha_is_the_best_of_two_and_three_by_eval7(
    omaha_deals: np.ndarray, omaha_strengths: np.ndarray
) -> None:
    def strength(hand: tuple[int, ...]) -> int:
        return int(eval7.evaluate([EVAL7[card] for card in hand]))

    theirs = np.array(
        [best_of_pairs_and_triples(d[:5], d[5:], strength) for d in omaha_deals.tolist()]
    )
    order = np.lexsort((theirs, omaha_strengths))
    steps = np.diff(omaha_strengths[order].astype(int)), np.diff(theirs[order])
    assert (np.sign(steps[0]) == np.sign(steps[1])).all()


def test_omaha_is_the_best_of_two_and_three_by_phevaluator(
    omaha_deals: np.ndarray, omaha_strengths: np.ndarray
) -> None:
    def strength(hand: tuple[int, ...]) -> int:
        return 7463 - int(phevaluator.evaluate_cards(*hand))

    some = slice(None, None, 4)
    theirs = [best_of_pairs_and_triples(d[:5], d[5:], strength) for d in omaha_deals[some].tolist()]
    assert omaha_strengths[some].tolist() == theirs


def test_omaha_of_four_hole_cards_as_by_phevaluator(omaha_deals: np.ndarray) -> None:
    for deal in omaha_deals[::2]:
        theirs = phevaluator.evaluate_omaha_cards(*deal[5:].tolist(), *deal[:4].tolist())
        assert omaha_rank(T, deal, 4, deal[5:], 5, 2, 3) == 7463 - theirs


def test_omaha_finds_every_straight_flush_of_two_and_three() -> None:
    for top in range(3, 13):
        straight = [12 if top == 3 and i == 4 else top - i for i in range(5)]
        suited = [rank * 4 + 3 for rank in straight]
        others = [c for c in range(52) if c & 3 != 3 and c >> 2 not in straight]
        for two in combinations(suited, 2):
            three = [card for card in suited if card not in two]
            hole = np.array([*two, *others[:3]], np.uint8)
            board = np.array([*others[-2:], *three], np.uint8)
            assert omaha_rank(T, hole, 5, board, 5, 2, 3) == five_rank(T, *suited)


def test_omaha_plays_neither_one_nor_three_nor_more_hole_cards() -> None:
    four_hearts_on_the_board = omaha("AhKc9d8c2s", "KhQhJhTh3c")
    assert four_hearts_on_the_board == high("AcKdQhJhTh")
    three_hearts_held = omaha("AhKhQh2c3d", "JhTh4s5s8c")
    assert three_hearts_held == high("AcKdJhTh8c")
    quads_held = omaha("AsAhAdAcKd", "8s9dTcJcKs")
    assert quads_held == high("AsAhJcTcKs")


@kernel
def nested(t: Any, states: Any) -> int:
    """Hole and board as nested arrays of a record."""
    state = states[0]
    return int(omaha_rank(t, state.hole[1], 5, state.board, state.board_count, 2, 3))


def test_omaha_reads_the_arrays_of_a_record(
    omaha_deals: np.ndarray, omaha_strengths: np.ndarray
) -> None:
    record = np.dtype(
        [("hole", np.uint8, (2, 5)), ("board", np.uint8, (5,)), ("board_count", np.uint8)]
    )
    states = np.zeros(1, record)
    states["hole"][0, 1], states["board"][0] = omaha_deals[7, :5], omaha_deals[7, 5:]
    states["board_count"] = 5
    assert nested(T, states) == omaha_strengths[7]


@pytest.mark.parametrize("from_hole", [1, 2])
@pytest.mark.parametrize("from_board", [1, 2, 3])
@pytest.mark.parametrize("n_board", [0, 1, 2, 3, 4, 5])
def test_small_omaha_is_the_best_of_its_sets(from_hole: int, from_board: int, n_board: int) -> None:
    rng = np.random.default_rng(from_hole * 100 + from_board * 10 + n_board)
    n = from_hole + from_board
    for n_hole in range(from_hole, 6):
        for _ in range(20):
            deal = rng.permutation(52)[:10].astype(np.uint8)
            hole, board = deal[:n_hole], deal[5 : 5 + n_board]
            sets = [
                np.array(held + shared, np.uint8)
                for held in combinations(hole.tolist(), from_hole)
                for shared in combinations(board.tolist(), from_board)
            ]
            expected = max((high_rank(T, hand, n) for hand in sets), default=0)
            assert omaha_rank(T, hole, n_hole, board, n_board, from_hole, from_board) == expected


# Sviten Flush: the longest flush held.


@kernel
def rank_flushes(t: Any, hands: Any, out: Any) -> None:
    for i in range(len(hands)):
        out[i] = draw_rank(t, hands[i], 5, DRAW_FLUSH)


def test_census_of_flushes(all_hands: np.ndarray) -> None:
    strengths = np.zeros(len(all_hands), np.int16)
    rank_flushes(T, all_hands, strengths)
    held = all_hands & 3
    lengths = np.max([(held == suit).sum(axis=1) for suit in range(4)], axis=0)
    assert np.bincount(lengths).tolist() == [0, 0, 1_634_568, 847_704, 111_540, 5_148]
    assert len(np.unique(strengths)) == 2_366
    for length in (2, 3, 4):
        assert strengths[lengths == length].max() < strengths[lengths == length + 1].min()


def longest_flush(hand: Sequence[int]) -> tuple[int, list[int]]:
    suits = [sorted((c >> 2 for c in hand if c & 3 == suit), reverse=True) for suit in range(4)]
    return max((len(ranks), ranks) for ranks in suits)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_longer_then_higher_flush_wins(n: int) -> None:
    rng = np.random.default_rng(n)
    hands = [rng.permutation(52)[:n].astype(np.uint8) for _ in range(2000)]
    ranked = sorted(hands, key=lambda hand: flush_rank(T, hand, n))
    for worse, better in pairwise(ranked):
        tied = flush_rank(T, worse, n) == flush_rank(T, better, n)
        assert tied == (longest_flush(worse.tolist()) == longest_flush(better.tolist()))
        assert longest_flush(worse.tolist()) <= longest_flush(better.tolist())


def test_pairs_and_straights_count_for_nothing_in_a_flush() -> None:
    assert flush("6h5h4h3h2h") < flush("7c5c4c3c2c")
    assert flush("AsAhAdAcKs") < flush("4c3c2c9h8d")
    assert flush("As2sKhQh3d") > flush("KsJsTc9d4h")
    assert flush("AhKh7s6d2c") == flush("AsKs8h5d3c")


# Both halves, known answers.


@pytest.mark.parametrize("case", SVITEN_SHOWDOWNS, ids=lambda case: case["id"])
def test_winners_of_known_showdowns(case: dict[str, Any]) -> None:
    draw_rule = DRAW_FLUSH if case["variant"] == "flush" else DRAW_HIGH
    live = [p for p in range(len(case["holes"])) if p not in case["folded"]]
    holes = {p: cards(case["holes"][p]) for p in live}
    board = cards(case["board"])
    draw = {p: draw_rank(T, holes[p], 5, draw_rule) for p in live}
    omaha_half = {p: omaha_rank(T, holes[p], 5, board, 5, 2, 3) for p in live}
    assert [p for p in live if draw[p] == max(draw.values())] == case["draw_winners"]
    assert [p for p in live if omaha_half[p] == max(omaha_half.values())] == case["omaha_winners"]


def test_shares_of_two_hands_over_741_run_outs() -> None:
    holes = np.array([cards("AsAdKcKs9c"), cards("QhTh8c6s3d")])
    draw, omaha_half, pot, run_outs = runout_shares(T, holes, cards("2h7h4c"), 3, DRAW_HIGH)
    assert run_outs == 741
    assert draw.tolist() == [1, 0]
    assert pot * 247 == pytest.approx([174, 73], abs=1e-9)
    assert pot == pytest.approx((draw + omaha_half) / 2)


def test_shares_on_the_turn_are_those_of_every_river() -> None:
    holes = np.array([cards("AsAdKcKs9c"), cards("QhTh8c6s3d"), cards("QsTs8d6c3c")])
    turn = cards("2h7h4cJd")
    rivers = [c for c in range(52) if c not in holes and c not in turn]
    shares = [
        runout_shares(T, holes, np.append(turn, np.uint8(river)), 5, DRAW_FLUSH) for river in rivers
    ]
    draw, omaha_half, pot, run_outs = runout_shares(T, holes, turn, 4, DRAW_FLUSH)
    assert run_outs == len(rivers) == 33 and {share[3] for share in shares} == {1}
    assert draw.tolist() == [1, 0, 0]
    assert omaha_half == pytest.approx(np.mean([share[1] for share in shares], axis=0))
    assert pot == pytest.approx(np.mean([share[2] for share in shares], axis=0))


def test_ties_share_each_half_equally() -> None:
    holes = np.array([cards("AhKdQcJs9h"), cards("AsKcQdJh9d"), cards("2c3c4d5d7s")])
    draw, omaha_half, pot, _ = runout_shares(T, holes, cards("9s2h2d7c6s"), 5, DRAW_HIGH)
    assert draw.tolist() == [0.5, 0.5, 0]
    assert omaha_half.tolist() == [0, 0, 1]
    assert pot.tolist() == [0.25, 0.25, 0.5]


def test_dead_cards_do_not_come() -> None:
    holes = np.array([cards("AsAdKcKs9c"), cards("QhTh8c6s3d")])
    hearts = sum(1 << card for card in range(2, 52, 4) if card not in cards("QhTh2h7h"))
    _, omaha_half, _, run_outs = runout_shares(T, holes, cards("2h7h4c"), 3, DRAW_HIGH, hearts)
    assert run_outs == 30 * 29 / 2  # 39 unseen cards, nine of them hearts
    _, with_hearts, _, _ = runout_shares(T, holes, cards("2h7h4c"), 3, DRAW_HIGH)
    assert omaha_half[1] < with_hearts[1]


# Svara.


def points(hand: Sequence[int], joker_mode: int = JOKER_BEST, sevens: int = SEVENS_BEST) -> int:
    return int(svara_points(np.array(hand, np.uint8), len(hand), joker_mode, sevens))


@pytest.mark.parametrize("case", SVARA_HANDS, ids=lambda case: case["hand"])
def test_svara_points_of_known_hands(case: dict[str, Any]) -> None:
    for order in permutations(parse_cards(case["hand"])):
        assert points(order) == case["score"]
        assert points(order, joker_mode=JOKER_SUM_ALL) == case["sum_all"]
        assert points(order, sevens=SEVENS_FIXED_23) == case["fixed_23"]


def test_svara_points_of_all_hands() -> None:
    hands = list(combinations(SVARA_DECK, 3))
    count = Counter(str(points(hand)) for hand in hands)
    of_joker = Counter(str(points(hand)) for hand in hands if JOKER in hand)
    assert len(hands) == SVARA_SCORES["hands"]
    assert count == SVARA_SCORES["count_per_score"]
    assert of_joker == SVARA_SCORES["joker_hands_per_score"]
    assert sum(points(hand) for hand in hands) / len(hands) == pytest.approx(17.056, abs=5e-4)


@pytest.mark.parametrize("joker_mode", [JOKER_BEST, JOKER_SUM_ALL])
@pytest.mark.parametrize("sevens", [SEVENS_BEST, SEVENS_FIXED_23])
def test_svara_reason_adds_up_to_the_points(joker_mode: int, sevens: int) -> None:
    for n in (1, 2, 3):
        for hand in combinations(SVARA_DECK, n):
            sums = svara_reason(hand, joker_mode, sevens).split(": ")[1]
            assert sum(map(int, sums.split(" + "))) == points(hand, joker_mode, sevens)


@pytest.mark.parametrize(
    ("hand", "reason"),
    [
        ("7c9sJs", "joker + 9 and J of spades: 11 + 9 + 10"),
        ("7cKsKh", "joker + two kings: 11 + 10 + 10"),
        ("7c8s9h", "joker + 9 of hearts: 11 + 9"),
        ("AsAhKc", "two aces: 22"),
        ("7h7dAs", "two sevens: 23"),
        ("7c7d7h", "three sevens: 34"),
        ("7s8s9s", "7, 8 and 9 of spades: 7 + 8 + 9"),
        ("KsKdKh", "three kings: 10 + 10 + 10"),
        ("JdThAh", "10 and A of hearts: 10 + 11"),
        ("8cTh9d", "10 of hearts: 10"),
        ("7c", "joker: 11"),
    ],
)
def test_svara_reason_names_the_cards_that_score(hand: str, reason: str) -> None:
    assert svara_reason(parse_cards(hand)) == reason


def test_joker_summed_always_names_both_cards() -> None:
    reason = svara_reason(parse_cards("7c8s9h"), JOKER_SUM_ALL)
    assert reason == "joker + 8 of spades and 9 of hearts: 11 + 8 + 9"


# Names.


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        ("KsKh4d4c9s", "two pair, kings and fours"),
        ("AsKsQsJsTs", "straight flush, ace-high"),
        ("As2s3s4s5s", "straight flush, five-high"),
        ("6s6h6d6c9s", "four of a kind, sixes"),
        ("4s4h4d9c9s", "full house, fours over nines"),
        ("As2s3s4s9s", "flush, ace-high"),
        ("As2s3s4s5d", "straight, five-high"),
        ("4s4h4dTc9s", "three of a kind, fours"),
        ("AsAhQdTc9s", "pair of aces"),
        ("JsAhQdTc9s", "ace-high"),
        ("JsJh9d9s", "two pair, jacks and nines"),
        ("JsJh", "pair of jacks"),
        ("Js", "jack-high"),
    ],
)
def test_high_hands_have_names(hand: str, name: str) -> None:
    assert high_name(high(hand), len(parse_cards(hand))) == name


@pytest.mark.parametrize(("strength", "n"), [(0, 5), (7463, 5), (14, 1), (-1, 3)])
def test_no_name_without_a_hand(strength: int, n: int) -> None:
    with pytest.raises(ValueError, match=str(strength)):
        high_name(strength, n)


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        ("AcJc8c4c3d", "four-card flush, ace-high"),
        ("6h5h4h3h2h", "five-card flush, six-high"),
        ("As2sKhQh3d", "two-card flush, ace-high"),
        ("9s", "one-card flush, nine-high"),
    ],
)
def test_flushes_have_names(hand: str, name: str) -> None:
    assert flush_name(parse_cards(hand)) == name
