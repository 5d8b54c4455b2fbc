"""The abstraction `halves` of the Sviten games: a class for each half of the pot.

A hand is reduced to the class of its draw half, the class of its Omaha half among all hands on a
board of the same texture, and whether it draws to a flush. Classes are quantiles of the strength of
random hands, finer at the top. Of the past, an information set keeps the level of the pot at the
start of the betting round, who made the last wager before it, the bets of the round, and whether
every seat drew no card, one (after a rejection or not) or more. It forgets the rest.

Of the possible discards it keeps `PLANS`, named by their purpose, so that one choice means the same
for all hands of a class:

| plan | keeps |
|---|---|
| 0 | all cards |
| 1 | pairs, trips and quads, or else the highest card; for a flush half the best suit |
| 2 | all but the card that a four-flush, a four-straight or the best cards can do without |
| 3 | as 1, and the highest other card |
| 4 | the two cards that are best for the Omaha half on the flop |
| 5 | the cards of 1 and of 4 |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.betting import FIXED_LIMIT, is_live
from pokerspiel.games.cards import popcount
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import DRAW_FLUSH, draw_rank, flush_rank, omaha_rank
from pokerspiel.games.kernel import mix, random_below

VERSION = 2
PLANS = 6
BETTING, DRAWING, KEEPING = 0, 1, 2
"""Moments of decision: bet, choose discards, keep or reject the face-up card."""
QUANTILES = (0.2, 0.4, 0.55, 0.68, 0.79, 0.87, 0.93, 0.965, 0.985)
CLASSES = len(QUANTILES) + 1
SAMPLES = 100_000
FEWEST_SAMPLES = 200
"""A texture of the board that is rarer than this in the sample is not told from the others."""
STRENGTHS = 8192
BOARDS = 3
TEXTURES = 8
"""Sizes of the tables of classes: strengths, numbers of board cards, textures of the board."""
MAX_CARDS = 5
SMALL_POT, MIDDLE_POT, LARGE_POT, HUGE_POT = 2, 4, 8, 14
"""Levels of the pot, in big blinds."""


def strength_classes(rules: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Classes of the draw half [strength], and of Omaha [board, texture, strength].

    The axis of boards starts at the fewest board cards of an Omaha hand. Deterministic: the random
    hands come from a fixed seed. `rules` is one record with the look-up tables of hands.
    """
    boards = min(BOARDS, int(rules[0]["street_cards"].sum() - rules[0]["omaha_board"]) + 1)
    draw = np.zeros(SAMPLES, np.int32)
    omaha = np.zeros((boards, SAMPLES), np.int32)
    textures = np.zeros((boards, SAMPLES), np.int8)
    _sample_strengths(rules, draw, omaha, textures)
    omaha_class = np.zeros((BOARDS, TEXTURES, STRENGTHS), np.int8)
    for board in range(boards):
        for kind in range(TEXTURES):
            alike = omaha[board, textures[board] == kind]
            enough = len(alike) >= FEWEST_SAMPLES
            omaha_class[board, kind] = _classes(alike if enough else omaha[board])
    return _classes(draw), omaha_class


def _classes(sample: np.ndarray) -> np.ndarray:
    bounds = np.quantile(sample, QUANTILES, method="lower")
    return np.searchsorted(bounds, np.arange(STRENGTHS), side="left").astype(np.int8)


@kernel(allocates=True)
def _sample_strengths(rules: Any, draw: Any, omaha: Any, textures: Any) -> None:
    game = rules[0]
    random = np.array([20], dtype=np.uint64)
    cards = np.zeros(2 * MAX_CARDS, np.uint8)
    board = cards[MAX_CARDS:]
    for sample in range(draw.size):
        left = game.deck
        for i in range(2 * MAX_CARDS):
            is_hole = i < game.hole_cards
            is_board = MAX_CARDS <= i < MAX_CARDS + game.omaha_board + omaha.shape[0] - 1
            if is_hole or is_board:
                card = random_below(random, 52)
                while not left >> np.uint64(card) & np.uint64(1):
                    card = random_below(random, 52)
                left &= ~(np.uint64(1) << np.uint64(card))
                cards[i] = card
        draw[sample] = draw_rank(game.hands, cards, game.hole_cards, game.draw_half)
        for i in range(omaha.shape[0]):
            count = game.omaha_board + i
            textures[i, sample] = texture(game, board, count)
            omaha[i, sample] = omaha_rank(
                game.hands, cards, game.hole_cards, board, count, game.omaha_hole, game.omaha_board
            )


@kernel
def texture(rules: Any, board: Any, count: int) -> int:
    """What the board makes possible: a flush (1), a full house (2), a straight (4)."""
    kind = 0
    if _longest(_suit_counts(board, count)) >= rules.omaha_board:
        kind += 1
    if _paired(board, count):
        kind += 2
    return kind + (4 if _three_in_five(board, count) else 0)


@kernel
def _three_in_five(cards: Any, count: int) -> bool:
    """Whether three cards have different ranks within five of each other; the ace is low too."""
    ranks = 0
    for i in range(count):
        rank = cards[i] >> 2
        ranks |= 2 << rank
        if rank == 12:
            ranks |= 1
    most = 0
    for low in range(10):
        most = max(most, popcount(ranks >> low & 31))
    return most >= 3


# Information sets.


@kernel
def information_key(state: Any, tables: Any, player: int, moment: int) -> Any:
    """Hash of the abstract information set of `player` at a `moment` of decision."""
    key = mix(_stakes(state, tables.rules[0]), state.round_bets)
    key = mix(key, np.uint64((player * 4 + moment) * 16 + state.led + 1))
    draws = np.uint64(0)
    for seat in range(tables.rules[0].players):
        draws = draws << np.uint64(3) | np.uint64(_draw_class(state, seat))
    key = mix(key, draws)
    return mix(key, np.uint64(bucket(state, tables, player, moment) * 4 + state.street))


@kernel
def _stakes(state: Any, rules: Any) -> Any:
    """Hash of what a round is played for: the level of the pot when all stacks are deep enough.

    Where somebody can run out of chips, the legal actions depend on every chip: then all count.
    """
    key = mix(np.uint64(state.street), np.uint64(state.folded))
    if not is_deep(state, rules):
        return mix(key, chips(state, rules))
    return mix(key, np.uint64(pot_level(state.round_pot // rules.big_blind)))


@kernel
def chips(state: Any, rules: Any) -> Any:
    """Hash of all chips at the start of the round."""
    key = np.uint64(state.round_pot)
    for seat in range(rules.players):
        key = mix(key, np.uint64(state.stack[seat] + state.bet[seat]))
    return key


@kernel
def pot_level(blinds: int) -> int:
    """The level of a pot, counted in big blinds."""
    level = 0
    for bound in (SMALL_POT, MIDDLE_POT, LARGE_POT, HUGE_POT):
        if blinds > bound:
            level += 1
    return level


@kernel
def is_deep(state: Any, rules: Any) -> bool:
    """Whether no seat can run out of chips: the limit bounds what the rounds can cost from here."""
    if rules.structure != FIXED_LIMIT:
        return False
    most = 0
    for street in range(state.street, rules.rounds):
        most += rules.max_wagers * rules.big_blind * (2 if street > 1 else 1)
    for seat in range(rules.players):
        if is_live(state, seat) and state.stack[seat] + state.bet[seat] <= most:
            return False
    return True


@kernel
def _draw_class(state: Any, seat: int) -> int:
    """Public: not drawn yet (0), none (1), one (2), one after a rejection (3), more (4)."""
    drawn = state.draws[seat]
    if drawn == 1 and state.draw_end[seat] == 3:
        return 3
    return 4 if drawn > 1 else drawn + 1


@kernel
def bucket(state: Any, tables: Any, player: int, moment: int) -> Any:
    """The class of the hand; remembered in the state while the player is at turn."""
    tag = 1 + state.street + 4 * moment
    if state.turn == player and state.bucket_tag[player] == tag:
        return np.int64(state.bucket[player])
    value = _classify(state, tables, player, moment)
    if state.turn == player:
        state.bucket[player] = value
        state.bucket_tag[player] = tag
    return value


@kernel
def _classify(state: Any, tables: Any, player: int, moment: int) -> Any:
    rules = tables.rules[0]
    hole = state.hole[player]
    count = np.int64(state.hole_count[player])
    if moment == KEEPING and state.turn == player:
        hole[count] = state.up[state.up_count - 1]  # judged as if it were kept
        count += 1
    if count == 0:
        return 0
    strength = np.int64(draw_rank(rules.hands, hole, count, rules.draw_half))
    value = np.int64(rules.draw_class[min(strength, STRENGTHS - 1)])
    hole_suits = _suit_counts(hole, count)
    if state.street == 0:
        return value * 8 + _longest(hole_suits)
    board = state.board
    board_count = np.int64(state.board_count)
    made: Any = 0
    if board_count >= rules.omaha_board:
        omaha = omaha_rank(
            rules.hands, hole, count, board, board_count, rules.omaha_hole, rules.omaha_board
        )
        kind = texture(rules, board, board_count)
        made = np.int64(rules.omaha_class[board_count - rules.omaha_board, kind, omaha])
    value = value * CLASSES + made
    if state.street < 3:
        to_flush = _draws_to_flush(rules, hole_suits, _suit_counts(board, board_count))
        value = value * 2 + (1 if to_flush else 0)
    if state.street == 1:
        value = value * 2 + (1 if _longest(hole_suits) >= 4 else 0)
    return value


@kernel
def _suit_counts(cards: Any, count: int) -> int:
    """Number of cards of each suit, four bits a suit."""
    counts = 0
    for i in range(count):
        counts += 1 << (4 * (cards[i] & 3))
    return counts


@kernel
def _longest(suit_counts: int) -> int:
    longest = 0
    for suit in range(4):
        longest = max(longest, suit_counts >> (4 * suit) & 15)
    return longest


@kernel
def _draws_to_flush(rules: Any, hole_suits: int, board_suits: int) -> bool:
    """Whether one more board card can make an Omaha flush."""
    for suit in range(4):
        held = hole_suits >> (4 * suit) & 15
        shared = board_suits >> (4 * suit) & 15
        if held >= rules.omaha_hole and shared == rules.omaha_board - 1:
            return True
    return False


@kernel
def _paired(cards: Any, count: int) -> bool:
    for i in range(count):
        for j in range(i):
            if cards[i] >> 2 == cards[j] >> 2:
                return True
    return False


# Plans for the draw.


@kernel
def plan(state: Any, rules: Any, hands: Any, player: int, choice: int) -> Any:
    """The cards that plan `choice` throws away, as a bit mask over `state.hole[player]`."""
    hole = state.hole[player]
    count = np.int64(rules.hole_cards)
    everything = (1 << count) - 1
    if choice == 0:
        return 0
    if choice == 2:
        discards = _spare_card(hole, count)
    else:
        kept = 0
        if choice != 4:
            kept |= _best_group(rules, hands, hole, count)
        if choice == 3:
            kept |= _highest(hole, count, everything & ~kept)
        if choice >= 4:
            kept |= _best_for_omaha(state, rules, hands, hole, count)
        discards = everything & ~kept
    while popcount(discards) > rules.max_discards:
        discards &= ~_highest(hole, count, discards)
    return discards


@kernel
def _alike(hole: Any, count: int, i: int) -> int:
    """How many cards have the rank of card i."""
    alike = 0
    for j in range(count):
        if hole[j] >> 2 == hole[i] >> 2:
            alike += 1
    return alike


@kernel
def _highest(hole: Any, count: int, among: int) -> int:
    """The highest card of the places `among`, as a mask; 0 if there is none."""
    best = -1
    for i in range(count):
        if among >> i & 1 and (best < 0 or hole[i] >> 2 > hole[best] >> 2):
            best = i
    return 1 << best if best >= 0 else 0


@kernel(allocates=True)
def _best_group(rules: Any, hands: Any, hole: Any, count: int) -> int:
    """Pairs and better, or else the highest card; for a flush half the best suit."""
    if rules.draw_half == DRAW_FLUSH:
        best = 0
        best_rank = -1
        one_suit = np.empty(MAX_CARDS, np.uint8)
        for suit in range(4):
            places = 0
            length = 0
            for i in range(count):
                if hole[i] & 3 == suit:
                    one_suit[length] = hole[i]
                    length += 1
                    places |= 1 << i
            if length > 0:
                rank = flush_rank(hands, one_suit, length)
                if rank > best_rank:
                    best_rank = rank
                    best = places
        return best
    group = 0
    for i in range(count):
        if _alike(hole, count, i) > 1:
            group |= 1 << i
    return group if group else _highest(hole, count, (1 << count) - 1)


@kernel
def _spare_card(hole: Any, count: int) -> int:
    """The one card to throw away, as a mask: what is no part of a four-flush or a four-straight,
    or else the lowest card without a partner."""
    suits = _suit_counts(hole, count)
    lowest = -1
    straight = -1
    for i in range(count):
        if count == MAX_CARDS and suits >> (4 * (hole[i] & 3)) & 15 == 1 and _longest(suits) == 4:
            return 1 << i
        if count == MAX_CARDS and _straight_without(hole, count, i):
            straight = i
        if _alike(hole, count, i) == 1 and (lowest < 0 or hole[i] >> 2 < hole[lowest] >> 2):
            lowest = i
    if straight >= 0:
        return 1 << straight
    return 1 << lowest if lowest >= 0 else 0


@kernel
def _straight_without(hole: Any, count: int, spare: int) -> bool:
    """Whether the other cards have different ranks within five of each other."""
    low = 12
    high = 0
    for i in range(count):
        if i != spare:
            if _alike(hole, count, i) > 1 and not (
                _alike(hole, count, i) == 2 and hole[i] >> 2 == hole[spare] >> 2
            ):
                return False
            low = min(low, hole[i] >> 2)
            high = max(high, hole[i] >> 2)
    return high - low <= 4


@kernel(allocates=True)
def _best_for_omaha(state: Any, rules: Any, hands: Any, hole: Any, count: int) -> Any:
    """The places of the cards that make the best Omaha hand with the board."""
    if rules.omaha_hole == 1 or count < 2 or state.board_count < rules.omaha_board:
        return _highest(hole, count, (1 << count) - 1)
    pair = np.empty(2, np.uint8)
    best = 0
    best_rank = -1
    for i in range(1, count):
        for j in range(i):
            pair[0] = hole[i]
            pair[1] = hole[j]
            rank = omaha_rank(hands, pair, 2, state.board, state.board_count, 2, rules.omaha_board)
            if rank > best_rank:
                best_rank = rank
                best = 1 << i | 1 << j
    return best
