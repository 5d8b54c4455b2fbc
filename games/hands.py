"""Strength of a hand: five-card high, Omaha, longest flush, and Svara points.

Strengths are whole numbers: the higher wins, equal ones tie, 0 is no hand at all. A high hand of n
cards is numbered 1, 2, ... from the worst to the best of that size; five cards have 7,462 values.
Hands of fewer cards, which small games use, know no straights and no flushes.

How it is computed: the ranks of two cards, in either order, are one of 105 *pairs*, those of three
one of 560 *triples*, those of up to five one of 8,568 *boards*; a missing card has the rank NONE.
Suits aside, a hand is a triple and a pair, and an Omaha hand a board and a pair, so that one small
table answers each. All tables are one record, which kernels take as their argument `t`: it passes
as a single pointer, while a tuple of arrays costs more to pass than a hand to rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any

import numpy as np

from pokerspiel.games.cards import FULL_DECK, RANKS, lowest_card, nth_card, popcount
from pokerspiel.games.compiled import kernel

NONE = 13
"""Rank of a card that is not there."""

HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(9)

DRAW_HIGH, DRAW_FLUSH = range(2)
"""Rules of the draw half: of Sviten Special and Dramaha, and of Sviten Flush."""

HandValue = tuple[int, tuple[int, ...]]
"""Category, then the ranks that decide within it: these tuples compare like hands."""


PAIRS, TRIPLES, BOARDS = (comb(NONE + k, k) for k in (2, 3, 5))

HAND_TABLES = np.dtype(
    [
        ("pair", np.uint8, (256,)),  # number of the pair of ranks a, b at a << 4 | b
        ("triple", np.uint16, (4096,)),  # number of the triple a, b, c at a << 8 | b << 4 | c
        ("board", np.uint16, (TRIPLES * PAIRS,)),  # number of the board of a triple and a pair
        ("high", np.int16, (TRIPLES * PAIRS,)),  # strength of a triple and a pair, suits aside
        ("suited", np.int16, (8192,)),  # strength of five cards of one suit, by their ranks' mask
        ("omaha", np.int16, (3 * BOARDS * PAIRS,)),  # best of 1, 2, 3 cards of a board and a pair
        ("flush", np.int16, (8192,)),  # order of flushes of any length, by their ranks' mask
    ],
    align=True,
)


# Building the tables.


def _value(ranks: Sequence[int], suited: bool = False) -> HandValue:
    """Value of a hand of up to five cards with these ranks, all of one suit or not."""
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    counts = [count for count, _ in groups]
    order = tuple(rank for _, rank in groups)
    if len(order) == 5:
        wheel = order == (12, 3, 2, 1, 0)
        if wheel or order[0] - order[4] == 4:
            return STRAIGHT_FLUSH if suited else STRAIGHT, (3 if wheel else order[0],)
        return FLUSH if suited else HIGH_CARD, order
    if counts[0] == 3:
        return FULL_HOUSE if counts[1:] == [2] else THREE, order
    if counts[0] == 2:
        return TWO_PAIR if counts[1:2] == [2] else PAIR, order
    return FOUR if counts[0] == 4 else HIGH_CARD, order


@cache
def _values(n: int) -> list[HandValue]:
    """All distinct values of hands of n cards, worst first: strength s is at place s - 1."""
    values = {
        _value(ranks)
        for ranks in combinations_with_replacement(range(13), n)
        if n < 5 or ranks[0] != ranks[4]
    }
    if n == 5:
        values |= {_value(ranks, suited=True) for ranks in combinations(range(13), 5)}
    return sorted(values)


def _strength_of_value(n: int) -> dict[HandValue, int]:
    return {value: i + 1 for i, value in enumerate(_values(n))}


def _number(ranks: np.ndarray) -> np.ndarray:
    """Number of each multiset of ranks [..., k]: the sum of C(i-th lowest rank + i, i + 1)."""
    binomial = np.array([[comb(r + i, i + 1) for i in range(5)] for r in range(NONE + 1)])
    places = np.arange(ranks.shape[-1])
    return np.asarray(binomial[np.sort(ranks, axis=-1), places].sum(axis=-1))


def _multisets(k: int) -> np.ndarray:
    """The multisets of k ranks, NONE among them, in the order of their numbers: [count, k]."""
    listed = np.array(list(combinations_with_replacement(range(NONE + 1), k)))
    return listed[np.argsort(_number(listed))]


def _strengths(multisets: np.ndarray) -> np.ndarray:
    """Strength of each multiset of ranks, suits aside; 0 for no card and for five of one rank."""
    strength = {n: _strength_of_value(n) for n in range(1, 6)}
    out = np.zeros(len(multisets), np.int16)
    for i, row in enumerate(multisets.tolist()):
        ranks = [rank for rank in row if rank != NONE]
        if ranks and len(ranks) - len(set(ranks)) < 4:
            out[i] = strength[len(ranks)][_value(ranks)]
    return out


def _suited_strengths() -> np.ndarray:
    strength = _strength_of_value(5)
    out = np.zeros(8192, np.int16)
    for ranks in combinations(range(13), 5):
        out[sum(1 << rank for rank in ranks)] = strength[_value(ranks, suited=True)]
    return out


def _flush_order() -> np.ndarray:
    """Order by length, then by the mask as a number: that is highest card, next card, and so on."""
    masks = np.arange(8192)
    order = np.empty(8192, np.int16)
    order[np.lexsort((masks, np.bitwise_count(masks)))] = masks
    return order


def _omaha_strengths(high: np.ndarray) -> np.ndarray:
    """Best strength [3, B, P] of exactly 1, 2, 3 cards of each board with each pair."""
    boards = _multisets(5)
    best = np.zeros((3, BOARDS, PAIRS), np.int16)
    for used in (1, 2, 3):
        for places in combinations(range(5), used):
            cards = np.full((BOARDS, 3), NONE)
            cards[:, :used] = boards[:, places]
            strengths = high[_number(cards)]
            strengths[(cards[:, :used] == NONE).any(axis=1)] = 0
            np.maximum(best[used - 1], strengths, out=best[used - 1])
    return best


@cache
def hand_tables() -> Any:
    """The record `t` of type HAND_TABLES (6 MB), built once a process in a fraction of a second."""
    t = np.zeros(1, HAND_TABLES)[0]
    ranks = np.minimum(np.arange(16), NONE)
    t["pair"] = _number(np.stack(np.meshgrid(ranks, ranks), axis=-1)).ravel()
    t["triple"] = _number(np.stack(np.meshgrid(ranks, ranks, ranks), axis=-1)).ravel()
    cards = np.empty((TRIPLES, PAIRS, 5), np.int64)
    cards[..., :3], cards[..., 3:] = _multisets(3)[:, None], _multisets(2)[None]
    board = _number(cards)
    high = _strengths(_multisets(5))[board]
    t["board"], t["high"] = board.ravel(), high.ravel()
    t["suited"] = _suited_strengths()
    t["omaha"] = _omaha_strengths(high).ravel()
    t["flush"] = _flush_order()
    return t


# Poker hands. Ranks and table places are unsigned, which spares numba the test for negative ones.


@kernel
def _rank(card: int) -> Any:
    return np.uint64(card) >> np.uint64(2)


@kernel
def _rank_at(cards: Any, i: int, n: int) -> Any:
    """Rank of the i-th of n cards, NONE past the last."""
    return _rank(cards[i]) if i < n else np.uint64(NONE)


@kernel
def _pair(t: Any, a: Any, b: Any) -> Any:
    return np.uint64(t.pair[(a << np.uint64(4)) | b])


@kernel
def _row(t: Any, a: Any, b: Any, c: Any) -> Any:
    """Where the row of the triple of ranks a, b, c starts in `t.high` and `t.board`."""
    triple = t.triple[(a << np.uint64(8)) | (b << np.uint64(4)) | c]
    return np.uint64(triple) * np.uint64(PAIRS)


@kernel
def five_rank(t: Any, a: int, b: int, c: int, d: int, e: int) -> int:
    """Strength of five cards in any order, 1..7462."""
    if ((a ^ b) | (a ^ c) | (a ^ d) | (a ^ e)) & 3 == 0:
        one = np.uint64(1)
        mask = one << _rank(a) | one << _rank(b) | one << _rank(c) | one << _rank(d)
        return int(t.suited[mask | one << _rank(e)])
    return int(t.high[_row(t, _rank(a), _rank(b), _rank(c)) + _pair(t, _rank(d), _rank(e))])


@kernel
def high_rank(t: Any, cards: Any, n: int) -> int:
    """Strength of the first n of `cards`, 1 to 5, among hands of n cards."""
    if n == 5:
        return int(five_rank(t, cards[0], cards[1], cards[2], cards[3], cards[4]))
    row = _row(t, _rank_at(cards, 0, n), _rank_at(cards, 1, n), _rank_at(cards, 2, n))
    return int(t.high[row + _pair(t, _rank_at(cards, 3, n), np.uint64(NONE))])


@kernel
def _suit_mask(cards: Any, n: int, suit: int) -> Any:
    """Mask of the ranks that the first n of `cards` have in a suit."""
    mask = np.uint64(0)
    for i in range(n):
        mask |= np.uint64(cards[i] & 3 == suit) << _rank(cards[i])
    return mask


@kernel
def flush_rank(t: Any, cards: Any, n: int) -> int:
    """Strength of the longest, then highest flush among the first n of `cards` (Sviten Flush)."""
    best = 0
    for suit in range(4):
        best = max(best, t.flush[_suit_mask(cards, n, suit)])
    return best


@kernel
def draw_rank(t: Any, cards: Any, n: int, draw_rule: int) -> int:
    """Strength of the n cards held in the draw half: by DRAW_HIGH or by DRAW_FLUSH."""
    if draw_rule == DRAW_FLUSH:
        return int(flush_rank(t, cards, n))
    return int(high_rank(t, cards, n))


@kernel
def _highest(mask: Any, n: int) -> Any:
    """The n highest ranks of a mask that has at least as many."""
    for _ in range(popcount(mask) - n):
        mask &= mask - np.uint64(1)
    return mask


@kernel
def _omaha_suited(t: Any, held: Any, shared: Any) -> int:
    """Best strength of two of `held` and three of `shared`, both masks of ranks of one suit."""
    union = held | shared
    for top in range(12, 2, -1):
        straight = np.uint64(31 << (top - 4)) if top > 3 else np.uint64(0x100F)  # ace to five
        if straight & union == straight and popcount(straight & held) == 2:
            return int(t.suited[straight])
    return int(t.suited[_highest(held, 2) | _highest(shared, 3)])


@kernel
def _suit_counts(cards: Any, n: int) -> Any:
    """How many of the first n of `cards` are of each suit, four bits a suit."""
    counts = np.uint64(0)
    for i in range(n):
        counts += np.uint64(1) << ((np.uint64(cards[i]) & np.uint64(3)) << np.uint64(2))
    return counts


@kernel
def _omaha_flush(t: Any, hole: Any, n_hole: int, board: Any, n_board: int) -> int:
    """Best strength of two hole and three board cards of one suit, 0 if there are none."""
    # A count of 2 or more (hole) or 3 or more (board) carries into the highest bit of its suit;
    # five board cards have no room for a second such suit.
    suits = _suit_counts(hole, n_hole) + np.uint64(0x6666)
    suits &= (_suit_counts(board, n_board) + np.uint64(0x5555)) & np.uint64(0x8888)
    if suits == 0:
        return 0
    suit = lowest_card(suits) >> 2
    held, shared = _suit_mask(hole, n_hole, suit), _suit_mask(board, n_board, suit)
    return int(_omaha_suited(t, held, shared))


@kernel
def number_of_board(t: Any, board: Any, n_board: int) -> Any:
    """Number of the ranks of up to five board cards, below BOARDS."""
    row = _row(
        t, _rank_at(board, 0, n_board), _rank_at(board, 1, n_board), _rank_at(board, 2, n_board)
    )
    return t.board[row + _pair(t, _rank_at(board, 3, n_board), _rank_at(board, 4, n_board))]


@kernel
def pair_of_ranks(t: Any, a: int, b: int) -> Any:
    """Number of the pair of the ranks of two cards, below PAIRS."""
    return _pair(t, _rank(a), _rank(b))


@kernel
def suit_of_flush(board: Any, n_board: int) -> Any:
    """The suit of which a board of up to five cards has three or more, -1 if there is none."""
    suits = (_suit_counts(board, n_board) + np.uint64(0x5555)) & np.uint64(0x8888)
    return np.int64(lowest_card(suits) >> 2) if suits else np.int64(-1)


@kernel
def flush_of_pair(t: Any, a: int, b: int, board: Any, n_board: int) -> int:
    """Best strength of two cards of one suit and three board cards of the same."""
    one = np.uint64(1)
    held = one << _rank(a) | one << _rank(b)
    return int(_omaha_suited(t, held, _suit_mask(board, n_board, a & 3)))


@kernel
def omaha_rank(
    t: Any, hole: Any, n_hole: int, board: Any, n_board: int, from_hole: int, from_board: int
) -> int:
    """Best strength of exactly `from_hole` (1, 2) hole and `from_board` (1, 2, 3) board cards.

    At most five board cards; the strength is one among hands of from_hole + from_board cards, and 0
    while there are too few cards.
    """
    number = number_of_board(t, board, n_board)
    start = np.uint64((from_board - 1) * BOARDS + number) * np.uint64(PAIRS)
    best = 0
    for i in range(n_hole):
        if from_hole == 1:
            best = max(best, t.omaha[start + _pair(t, _rank(hole[i]), np.uint64(NONE))])
        else:
            for j in range(i):
                best = max(best, t.omaha[start + _pair(t, _rank(hole[i]), _rank(hole[j]))])
    if from_hole + from_board == 5:
        best = max(best, _omaha_flush(t, hole, n_hole, board, n_board))
    return best


@kernel
def rank_hands(t: Any, hands: Any, out: Any) -> None:
    """`five_rank` of each row of `hands` uint8[N, 5]."""
    for i in range(len(hands)):
        out[i] = five_rank(t, hands[i, 0], hands[i, 1], hands[i, 2], hands[i, 3], hands[i, 4])


@kernel
def rank_omaha_hands(t: Any, holes: Any, boards: Any, out: Any) -> None:
    """`omaha_rank` of each row of `holes` uint8[N, 5] with that of `boards` uint8[N, 5]."""
    for i in range(len(holes)):
        out[i] = omaha_rank(t, holes[i], 5, boards[i], 5, 2, 3)


# Shares of the pot over all boards to come, for `pokerspiel hand`.

SHARE_UNITS = 2520
"""A half in whole units, so that any number of winners up to ten splits it exactly."""


@kernel
def _split(strengths: Any, units: Any) -> None:
    """Add a half, shared equally by the best of `strengths`, to `units`."""
    best, winners = 0, 0
    for strength in strengths:
        if strength > best:
            best, winners = strength, 0
        winners += strength == best
    for p in range(len(strengths)):
        if strengths[p] == best:
            units[p] += SHARE_UNITS // winners


@kernel
def _next_combination(places: Any, size: int) -> bool:
    """Step to the next choice of ascending places in [0, size); False after the last."""
    k = len(places)
    i = k - 1
    while i >= 0 and places[i] == size - k + i:
        i -= 1
    if i < 0:
        return False
    places[i] += 1
    for j in range(i + 1, k):
        places[j] = places[j - 1] + 1
    return True


@kernel(allocates=True)
def runout_shares(
    t: Any, holes: Any, board: Any, n_board: int, draw_rule: int, dead: int = 0
) -> tuple[Any, Any, Any, int]:
    """Exact shares of the draw half, the Omaha half and the pot, and the number of run-outs.

    `holes` uint8[n, 5] are the hands of up to ten players who no longer draw; the first `n_board`,
    0 to 5, of `board` lie face up; `dead` is the mask of other cards that cannot come. All cards
    are distinct. Every run-out to five board cards counts once, and ties share a half equally.
    """
    n, held = holes.shape
    gone = np.uint64(dead)
    strengths = np.zeros(n, np.int64)
    for p in range(n):
        strengths[p] = draw_rank(t, holes[p], held, draw_rule)
        for i in range(held):
            gone |= np.uint64(1) << np.uint64(holes[p, i])
    draw_units = np.zeros(n, np.int64)
    _split(strengths, draw_units)

    full = np.zeros(5, np.uint8)
    for i in range(n_board):
        full[i] = board[i]
        gone |= np.uint64(1) << np.uint64(board[i])
    stub = ~gone & np.uint64(FULL_DECK)
    places = np.arange(5 - n_board)
    omaha_units = np.zeros(n, np.int64)
    run_outs = 0
    more = True
    while more:
        for i in range(5 - n_board):
            full[n_board + i] = nth_card(stub, places[i])
        for p in range(n):
            strengths[p] = omaha_rank(t, holes[p], held, full, 5, 2, 3)
        _split(strengths, omaha_units)
        run_outs += 1
        more = _next_combination(places, popcount(stub))

    draw_share = draw_units / SHARE_UNITS
    omaha_share = omaha_units / (SHARE_UNITS * run_outs)
    return draw_share, omaha_share, (draw_share + omaha_share) / 2, run_outs


# Svara.

JOKER = 20
"""The 7 of clubs, worth 11."""

JOKER_BEST, JOKER_SUM_ALL = range(2)
"""Joker + x + y: both only if x and y share suit or rank, else the better one; or both always."""

SEVENS_BEST, SEVENS_FIXED_23 = range(2)
"""Exactly two sevens: 23 if nothing else is better; or 23 always."""

_SEVEN, _ACE = RANKS.index("7"), RANKS.index("A")


@kernel
def _svara_value(card: int) -> int:
    """Points of one card: 7, 8, 9 their number, ten to king 10, ace and joker 11."""
    rank = card >> 2
    return 11 if rank == _ACE or card == JOKER else min(rank + 2, 10)


@kernel
def svara_points(cards: Any, n: int, joker_mode: int, sevens: int) -> int:
    """Points of the first n of `cards`, 1 to 3: the best candidate of the table of scores."""
    best, joker, others, highest_other, others_match = 0, 0, 0, 0, joker_mode == JOKER_SUM_ALL
    seven_count, ace_count = 0, 0
    for i in range(n):
        card = np.int64(cards[i])
        value = _svara_value(card)
        suit_sum, rank_count = 0, 0
        for j in range(n):
            other = np.int64(cards[j])
            same_suit, same_rank = other & 3 == card & 3, other >> 2 == card >> 2
            suit_sum += same_suit * _svara_value(other)
            rank_count += same_rank
            if i != j and card != JOKER and other != JOKER:
                others_match |= same_suit or same_rank
        best = max(best, suit_sum, 3 * value if rank_count == 3 else 0)
        seven_count += card >> 2 == _SEVEN
        ace_count += card >> 2 == _ACE
        if card == JOKER:
            joker = value
        else:
            others += value
            highest_other = max(highest_other, value)
    if seven_count == 3:
        return 34
    if seven_count == 2 and sevens == SEVENS_FIXED_23:
        return 23
    if seven_count == 2:
        best = max(best, 23)
    if ace_count == 2:
        best = max(best, 22)
    if joker:
        best = max(best, joker + (others if others_match else highest_other))
    return best


# Names for people.

_RANK_WORDS = [
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace"),
]
_COUNT_WORDS = ["no", "one", "two", "three", "four", "five"]
_SUIT_WORDS = ["clubs", "diamonds", "hearts", "spades"]

_HIGH_NAMES = {
    HIGH_CARD: "{top}-high",
    PAIR: "pair of {first}",
    TWO_PAIR: "two pair, {first} and {second}",
    THREE: "three of a kind, {first}",
    STRAIGHT: "straight, {top}-high",
    FLUSH: "flush, {top}-high",
    FULL_HOUSE: "full house, {first} over {second}",
    FOUR: "four of a kind, {first}",
    STRAIGHT_FLUSH: "straight flush, {top}-high",
}


def _plural(rank: int) -> str:
    return _RANK_WORDS[rank] + ("es" if _RANK_WORDS[rank] == "six" else "s")


def high_name(strength: int, n: int = 5) -> str:
    """Name of a strength among hands of n cards, such as "two pair, kings and fours".

    Raises ValueError if hands of n cards have no such strength.
    """
    values = _values(n)
    if not 1 <= strength <= len(values):
        raise ValueError(
            f"{strength} is no strength of {n} cards: they run from 1 to {len(values)}"
        )
    category, ranks = values[strength - 1]
    return _HIGH_NAMES[category].format(
        top=_RANK_WORDS[ranks[0]], first=_plural(ranks[0]), second=_plural(ranks[1 % len(ranks)])
    )


def flush_name(cards: Sequence[int]) -> str:
    """Name of the best flush among the cards held, such as "four-card flush, ace-high"."""
    suits = [sorted((c >> 2 for c in cards if c & 3 == suit), reverse=True) for suit in range(4)]
    best = max(suits, key=lambda ranks: (len(ranks), ranks))
    return f"{_COUNT_WORDS[len(best)]}-card flush, {_RANK_WORDS[best[0]]}-high"


def _same_suit(cards: Sequence[int]) -> bool:
    return len({card & 3 for card in cards}) == 1


def _same_rank(cards: Sequence[int]) -> bool:
    return len({card >> 2 for card in cards}) == 1


def _svara_words(cards: Sequence[int]) -> str:
    """Cards in words: "9 and J of spades", "two kings" or "9 of clubs and J of hearts"."""
    ranks = [RANKS[card >> 2].replace("T", "10") for card in cards]
    if _same_suit(cards):
        *first, last = ranks
        return (
            ", ".join(first) + " and " if first else ""
        ) + f"{last} of {_SUIT_WORDS[cards[0] & 3]}"
    if _same_rank(cards):
        return f"{_COUNT_WORDS[len(cards)]} {_plural(cards[0] >> 2)}"
    return " and ".join(
        f"{rank} of {_SUIT_WORDS[c & 3]}" for rank, c in zip(ranks, cards, strict=True)
    )


def _svara_sums(cards: Sequence[int], joker_mode: int) -> dict[str, list[int]]:
    """The sets of cards whose values add up, in words, and their values."""
    plain = [card for card in cards if card != JOKER]
    sums: dict[str, list[int]] = {}
    for size in range(1, len(plain) + 1):
        for group in combinations(plain, size):
            values = [int(_svara_value(card)) for card in group]
            if _same_suit(group) or (size == 3 and _same_rank(group)):
                sums[_svara_words(group)] = values
            if len(plain) < len(cards) and (
                _same_suit(group) or _same_rank(group) or joker_mode == JOKER_SUM_ALL
            ):
                sums["joker + " + _svara_words(group)] = [11, *values]
    return sums or {"joker": [11]}


def svara_reason(
    cards: Sequence[int], joker_mode: int = JOKER_BEST, sevens: int = SEVENS_BEST
) -> str:
    """Which of 1 to 3 cards score, and how, such as "joker + 9 and J of spades: 11 + 9 + 10"."""
    seven_count = sum(card >> 2 == _SEVEN for card in cards)
    if seven_count == 3:
        return "three sevens: 34"
    if seven_count == 2 and sevens == SEVENS_FIXED_23:
        return "two sevens: 23"
    sums = _svara_sums(cards, joker_mode)
    if seven_count == 2:
        sums["two sevens"] = [23]
    if sum(card >> 2 == _ACE for card in cards) == 2:
        sums["two aces"] = [22]
    words, values = max(sums.items(), key=lambda item: sum(item[1]))
    return f"{words}: {' + '.join(map(str, values))}"
