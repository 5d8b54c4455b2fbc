"""What a Sviten hand is worth in each half, now and over the cards to come, as percentiles.

A percentile is the share of other hands that a hand beats, ties counted half, so that the mean of
both halves' percentiles is about its share of the pot against one random hand.

- *Draw half*: looked up by strength, among hands at the end of a deal in which everybody has drawn
  by the best outlook.
- *Omaha half*: among random hands on the same board. For each board of five cards, up to an
  exchange of suits, `LEVELS` strengths are kept that cut the hands there at `CUTS`. Small decks
  have no such boards: there other hands are sampled.

The cards to come are sampled from a stream that the known cards fix, so that equal information
gives equal numbers: `run_outs` deals the rest of the board and the cards drawn, and values all
discards on the same cards. The first board card and the first card drawn are spread evenly over
what may come.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.cards import lowest_card, nth_card, popcount
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import (
    BOARDS,
    PAIRS,
    draw_rank,
    flush_of_pair,
    number_of_board,
    omaha_rank,
    pair_of_ranks,
    suit_of_flush,
)
from pokerspiel.games.kernel import mix, random_below, random_unit

MAX_CARDS = 5
"""Most cards of a hand, and of a board."""
DISCARDS = 1 << MAX_CARDS
ALL_DISCARDS = (1 << DISCARDS) - 1
STRENGTHS = 8192
CUTS = (
    *(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.68, 0.75),
    *(0.81, 0.86, 0.9, 0.93, 0.955, 0.975, 0.988, 0.996),
)
LEVELS = len(CUTS)
FLUSHES = 32
"""Which of a board's ranks, ascending, are those of its flush suit, as a mask; 0: no flush."""
BOARD_ROWS = 65_536
"""Room for boards up to an exchange of suits; 0 is none."""
_STRIDE = 13
"""Order of the first cards drawn among the samples, against that of the first board cards."""
FEW_HANDS = 60
"""Other hands that are sampled where no strengths of the board are kept."""

OUTLOOK = np.dtype(
    [
        ("draw_percentile", np.float32, (STRENGTHS,)),
        ("board_row", np.uint16, (BOARDS * FLUSHES,)),  # by number of the ranks and flush mask
        ("cuts", np.int16, (BOARD_ROWS, LEVELS)),  # the lowest strength above each cut
        ("level_percentile", np.float32, (LEVELS + 1,)),
        ("has_boards", np.int32),
    ],
    align=True,
)


class Outlook(NamedTuple):
    """Means over the cards to come for each discard, a mask over the places of the hand."""

    draw: np.ndarray
    """[DISCARDS] percentile of the draw half."""
    omaha: np.ndarray
    """[DISCARDS] percentile of the Omaha half."""
    both: np.ndarray
    """[DISCARDS] product of the two: about the chance to win both halves."""
    square: np.ndarray
    """[DISCARDS] square of the mean of the two, from which the spread of the outcomes follows."""


class Sight(NamedTuple):
    """What a player sees."""

    hand: np.ndarray
    """[MAX_CARDS] the cards of a whole hand."""
    board: np.ndarray
    """[MAX_CARDS] the board, as far as it lies."""
    board_count: np.int64
    seen: np.uint64
    """Mask of the cards that cannot come: these, and those thrown away or shown."""


class _Room(NamedTuple):
    """Memory for one deal of the cards to come."""

    cards: np.ndarray
    """The hand, and behind it the cards that may be drawn."""
    board: np.ndarray
    places: np.ndarray
    """[DISCARDS, MAX_CARDS] where among `cards` the hand is after a discard."""
    hand: np.ndarray
    pairs: np.ndarray
    """Omaha strength of two of the `cards`, [j < i]."""
    held: np.ndarray
    """[DISCARDS] strength of the best pair in a part of the hand."""
    drawn: np.ndarray
    """[MAX_CARDS + 1] the same of the first so many cards drawn."""
    mixed: np.ndarray
    """[MAX_CARDS + 1, MAX_CARDS] the same of one of these and a card of the hand."""
    best: np.ndarray
    """[DISCARDS] the same after a discard."""
    random: np.ndarray


@kernel(allocates=True)
def new_outlook() -> Any:
    return Outlook(np.zeros(DISCARDS), np.zeros(DISCARDS), np.zeros(DISCARDS), np.zeros(DISCARDS))


@kernel(allocates=True)
def _new_room() -> Any:
    return _Room(
        np.zeros(2 * MAX_CARDS, np.uint8),
        np.zeros(MAX_CARDS, np.uint8),
        np.zeros((DISCARDS, MAX_CARDS), np.uint8),
        np.zeros(MAX_CARDS, np.uint8),
        np.zeros((2 * MAX_CARDS, 2 * MAX_CARDS), np.int16),
        np.zeros(DISCARDS, np.int16),
        np.zeros(MAX_CARDS + 1, np.int16),
        np.zeros((MAX_CARDS + 1, MAX_CARDS), np.int16),
        np.zeros(DISCARDS, np.int16),
        np.zeros(1, np.uint64),
    )


def level_percentiles() -> np.ndarray:
    """The middle of each level."""
    edges = np.array([0.0, *CUTS, 1.0])
    return np.asarray((edges[1:] + edges[:-1]) / 2, np.float32)


# Percentiles.


@kernel
def board_place(hands: Any, board: Any) -> Any:
    """Index in `board_row` of five board cards."""
    ranks: Any = np.uint64(0)
    for i in range(5):
        ranks |= np.uint64(1) << np.uint64(board[i] >> 2)
    suit = suit_of_flush(board, 5)
    flush: Any = np.uint64(0)
    if suit >= 0:
        suited: Any = np.uint64(0)
        for i in range(5):
            if board[i] & 3 == suit:
                suited |= np.uint64(1) << np.uint64(board[i] >> 2)
        place = 0
        left = ranks
        while left:
            lowest = left & (~left + np.uint64(1))
            if suited & lowest:
                flush |= np.uint64(1) << np.uint64(place)
            place += 1
            left ^= lowest
    return np.int64(np.uint64(number_of_board(hands, board, 5)) * np.uint64(FLUSHES) + flush)


@kernel
def level(outlook: Any, row: int, strength: int) -> int:
    """How many cuts of a board lie below a strength."""
    n = 0
    for i in range(LEVELS):
        n += strength >= outlook.cuts[row, i]
    return n


@kernel
def omaha_percentile(game: Any, hand: Any, board: Any, board_size: int) -> Any:
    """Percentile of the Omaha half of a whole hand on a full board."""
    outlook = game.outlook
    if outlook.has_boards:
        row = np.int64(outlook.board_row[board_place(game.hands, board)])
        strength = omaha_rank(
            game.hands, hand, game.hole_cards, board, board_size, game.omaha_hole, game.omaha_board
        )
        return float(outlook.level_percentile[level(outlook, row, strength)])
    return sampled_percentile(game, hand, board, board_size, FEW_HANDS)


@kernel(allocates=True)
def sampled_percentile(game: Any, hand: Any, board: Any, board_size: int, hands: int) -> Any:
    """The same, among so many random hands, from a stream that the board fixes."""
    strength = omaha_rank(
        game.hands, hand, game.hole_cards, board, board_size, game.omaha_hole, game.omaha_board
    )
    taken: Any = np.uint64(0)
    for i in range(board_size):
        taken |= np.uint64(1) << np.uint64(board[i])
    random = np.zeros(1, np.uint64)
    random[0] = mix(np.uint64(61), taken)
    for i in range(game.hole_cards):
        taken |= np.uint64(1) << np.uint64(hand[i])
    other = np.zeros(MAX_CARDS, np.uint8)
    beaten = 0.0
    for _ in range(hands):
        left = game.deck & ~taken
        for i in range(game.hole_cards):
            other[i] = take_card(random, left)
            left &= ~(np.uint64(1) << np.uint64(other[i]))
        theirs = omaha_rank(
            game.hands, other, game.hole_cards, board, board_size, game.omaha_hole, game.omaha_board
        )
        beaten += 1.0 if theirs < strength else (0.5 if theirs == strength else 0.0)
    return beaten / hands


@kernel
def take_card(random: Any, left: int) -> Any:
    """A random card of the mask `left`."""
    card = random_below(random, 52)
    while not np.uint64(left) >> np.uint64(card) & np.uint64(1):
        card = random_below(random, 52)
    return card


@kernel
def draw_percentile(game: Any, hand: Any, n: int) -> float:
    """Percentile of the draw half of n cards held."""
    strength = draw_rank(game.hands, hand, n, game.draw_half)
    return float(game.outlook.draw_percentile[strength])


# The cards to come.


@kernel
def board_to_come(game: Any) -> int:
    """Cards of the full board."""
    n = 0
    for street in range(game.rounds):
        n += game.street_cards[street]
    return n


@kernel(allocates=True)
def run_outs(game: Any, sight: Any, wanted: int, samples: int, stream: int, out: Any) -> None:
    """Write the outlook of each discard whose bit in `wanted` is set, over `samples` deals.

    `stream` says which deals.
    """
    _run_outs(game, sight, wanted, samples, stream, out, _new_room())


@kernel
def _run_outs(
    game: Any, sight: Any, wanted: int, samples: int, stream: int, out: Any, room: Any
) -> None:
    n = np.int64(game.hole_cards)
    drawn = 0
    for i in range(n):
        room.cards[i] = sight.hand[i]
    for i in range(sight.board_count):
        room.board[i] = sight.board[i]
    for discard in range(1 << n):
        out.draw[discard] = 0.0
        out.omaha[discard] = 0.0
        out.both[discard] = 0.0
        out.square[discard] = 0.0
        if wanted >> discard & 1:
            drawn = max(drawn, popcount(discard))
            _find_places(n, discard, room.places[discard])
    room.random[0] = mix(mix(np.uint64(stream), sight.seen), np.uint64(sight.board_count))
    shift, turn = random_unit(room.random), random_unit(room.random)
    for sample in range(samples):
        first_board = shift + sample / samples
        first_drawn = turn + sample * _STRIDE / samples
        _deal_to_come(game, sight, drawn, first_board, first_drawn, room)
        _add_values(game, wanted, drawn, room, out)
    for discard in range(1 << n):
        out.draw[discard] /= samples
        out.omaha[discard] /= samples
        out.both[discard] /= samples
        out.square[discard] /= 4.0 * samples


@kernel
def _deal_to_come(
    game: Any, sight: Any, drawn: int, first_board: float, first_drawn: float, room: Any
) -> None:
    """Deal the rest of the board and the cards drawn; the first ones are at places of a cycle."""
    random, board, cards = room.random, room.board, room.cards
    n = np.int64(game.hole_cards)
    unseen = game.deck & ~sight.seen
    left = unseen
    for i in range(sight.board_count, board_to_come(game)):
        if i == sight.board_count:
            board[i] = _spread_card(random, unseen, left, first_board)
        else:
            board[i] = take_card(random, left)
        left &= ~(np.uint64(1) << np.uint64(board[i]))
    for i in range(n, n + drawn):
        if i == n:
            cards[i] = _spread_card(random, unseen, left, first_drawn)
        else:
            cards[i] = take_card(random, left)
        left &= ~(np.uint64(1) << np.uint64(cards[i]))


@kernel
def _add_values(game: Any, wanted: int, drawn: int, room: Any, out: Any) -> None:
    """Add what the hand is worth after each discard, on the cards dealt."""
    outlook = game.outlook
    hand, cards, places, best = room.hand, room.cards, room.places, room.best
    n = np.int64(game.hole_cards)
    row: Any = 0
    if outlook.has_boards:
        row = np.int64(outlook.board_row[board_place(game.hands, room.board)])
        _rank_pairs(game.hands, cards, n + drawn, room.board, room.pairs)
        _best_pairs(n, drawn, room)
    for discard in range(1 << n):
        if not wanted >> discard & 1:
            continue
        for i in range(n):
            hand[i] = cards[places[discard, i]]
        draw = draw_percentile(game, hand, n)
        if outlook.has_boards:
            omaha = float(outlook.level_percentile[level(outlook, row, best[discard])])
        else:
            omaha = omaha_percentile(game, hand, room.board, board_to_come(game))
        out.draw[discard] += draw
        out.omaha[discard] += omaha
        out.both[discard] += draw * omaha
        out.square[discard] += (draw + omaha) * (draw + omaha)


@kernel
def _spread_card(random: Any, unseen: Any, left: Any, place: float) -> Any:
    """The card at a place of the cycle of `unseen`, whose length is 1, or if it is not in `left`
    any card of that.

    Places at equal distances, shifted at random, meet each card equally often in the mean.
    """
    card = nth_card(unseen, int((place % 1.0) * popcount(unseen)))
    if left >> np.uint64(card) & np.uint64(1):
        return card
    return take_card(random, left)


@kernel
def _find_places(n: int, discard: int, places: Any) -> None:
    """Where the cards of a hand are after a discard: those drawn follow the first n."""
    drawn = n
    for i in range(n):
        places[i] = i
        if discard >> i & 1:
            places[i] = drawn
            drawn += 1


@kernel
def _rank_pairs(hands: Any, cards: Any, n: int, board: Any, pairs: Any) -> None:
    """Write the strength of each two of the first n cards with a board of five, [j < i]."""
    start = (np.uint64(2 * BOARDS) + np.uint64(number_of_board(hands, board, 5))) * np.uint64(PAIRS)
    suit = suit_of_flush(board, 5)
    for i in range(1, n):
        for j in range(i):
            strength = np.int64(hands.omaha[start + pair_of_ranks(hands, cards[i], cards[j])])
            if suit >= 0 and cards[i] & 3 == suit and cards[j] & 3 == suit:
                strength = max(strength, flush_of_pair(hands, cards[i], cards[j], board, 5))
            pairs[i, j] = strength


@kernel
def _best_pairs(n: int, drawn: int, room: Any) -> None:
    """Write the strength of the best pair in the hand after each discard of up to `drawn` cards.

    The best pair of a set is that of the set without its first card, or has this card in it.
    """
    pairs, held, best = room.pairs, room.held, room.best
    among_drawn, with_drawn = room.drawn, room.mixed
    for k in range(drawn):
        among_drawn[k + 1] = among_drawn[k]
        for j in range(k):
            among_drawn[k + 1] = max(among_drawn[k + 1], pairs[n + k, n + j])
        for i in range(n):
            with_drawn[k + 1, i] = max(with_drawn[k, i], pairs[n + k, i])
    everything = (1 << n) - 1
    for kept in range(1 << n):
        if kept:
            first = lowest_card(np.uint64(kept))
            rest = kept & (kept - 1)
            held[kept] = held[rest]
            for j in range(first + 1, n):
                if rest >> j & 1:
                    held[kept] = max(held[kept], pairs[j, first])
        size = n - popcount(kept)
        if size <= drawn:
            top = max(held[kept], among_drawn[size])
            for i in range(n):
                if kept >> i & 1:
                    top = max(top, with_drawn[size, i])
            best[everything ^ kept] = top


@kernel(allocates=True)
def river_levels(game: Any, sight: Any) -> tuple[float, float, float]:
    """(Mean, mean square, share above 0.9) of the Omaha percentile over the last board card."""
    deal = np.zeros(MAX_CARDS, np.uint8)
    for i in range(sight.board_count):
        deal[i] = sight.board[i]
    mean, square, high, n = 0.0, 0.0, 0.0, 0
    for card in range(52):
        if (game.deck & ~sight.seen) >> np.uint64(card) & np.uint64(1):
            deal[sight.board_count] = card
            value = omaha_percentile(game, sight.hand, deal, sight.board_count + 1)
            mean += value
            square += value * value
            high += value > 0.9
            n += 1
    return mean / n, square / n, high / n
