"""Information sets of the abstraction `clusters`: the bucket of a hand, and what is kept besides.

A key is the hash of a situation, and in its last bits the bucket of the hand. In a betting round a
situation keeps the level of the pot at its start (or how deep the stacks are for it, where they
may run out), who made the last wager before, all bets of the round, how many cards the other seat
drew, whether it kept a face-up card, high or low, or rejected it, and the same of the player's own
draw, coarser. At the draw it keeps the other's draw, and of the bets who made the last one. It
forgets the rest: the fewer situations, the sooner each is learnt.

With three or more seats that would be too many situations. There the others are one crowd: kept are
how many are in and how many may still act, how many wagers there were and whether the last ones
were the player's own, whether it acts last, and the strongest of the others' draws. Which seat did
what is lost, and in which order.

Buckets take long to find (`abstraction/clusters.py`), and the same hand is asked for at many nodes:
answers are remembered, each with the bits of its hash that its place does not tell, in one word,
which threads read and write as a whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types

from pokerspiel.games.abstraction import halves
from pokerspiel.games.abstraction.clusters import (
    BUCKET_BITS,
    CANDIDATE_BITS,
    CANDIDATES,
    CARD_BITS,
    DRAW,
    FLOP,
    KEEP,
    KEY_CLASS,
    MEMO,
    MOMENTS,
    PREFLOP,
    RIVER,
    TURN,
    candidate,
    classify,
)
from pokerspiel.games.abstraction.outlook import MAX_CARDS, board_to_come
from pokerspiel.games.betting import FIXED_LIMIT, bit, is_live, legal_bets, live_seats
from pokerspiel.games.cards import card_set, insert_card
from pokerspiel.games.compiled import apart, kernel
from pokerspiel.games.kernel import mix
from pokerspiel.games.sviten import state as sviten

_OFFER = len(MOMENTS)
"""The question for the candidates, beside those for the buckets of the moments."""


_classify = apart(
    classify,
    types.int64(
        from_dtype(sviten.LOOK_UP),
        *(types.int64, types.int64, types.int64, types.uint64, types.int64),
    ),
)


# What has been computed once is remembered: each answer with the bits of its hash that its place
# does not tell, in one word, which threads read and write as a whole.


@kernel
def _recall(memo: Any, key: Any, bits: int) -> Any:
    """The answer for a hash, -1 if it is not remembered."""
    entry = memo[key & np.uint64(MEMO - 1)]
    known = (entry ^ key) >> np.uint64(bits) == np.uint64(0)
    return np.int64(entry & np.uint64((1 << bits) - 1)) if known else np.int64(-1)


@kernel
def _remember(memo: Any, key: Any, bits: int, answer: int) -> None:
    low = np.uint64((1 << bits) - 1)
    memo[key & np.uint64(MEMO - 1)] = (key & ~low) | np.uint64(answer)


@kernel
def _seen(state: Any, player: int, moment: int) -> Any:
    """The cards that cannot come, as far as the moment's features mind: face-up cards of others
    count after the draw only."""
    seen = card_set(state.hole[player], state.hole_count[player])
    seen |= card_set(state.board, state.board_count) | state.discards[player]
    if moment in (TURN, KEEP):
        seen |= card_set(state.up, state.up_count)
    return seen


@kernel
def _hash(state: Any, player: int, moment: int) -> Any:
    """Hash of the cards that the answer depends on; the place in the memo is its last bits."""
    hole = card_set(state.hole[player], state.hole_count[player])
    board = card_set(state.board, state.board_count)
    key = mix(mix(hole, board), np.uint64(moment))
    if moment == KEEP:
        key = mix(key, np.uint64(state.up[state.up_count - 1]))
    return mix(key, _seen(state, player, moment)) if moment != RIVER else key


@kernel(allocates=True)
def _packed_hand(state: Any, player: int, moment: int) -> Any:
    """The cards of the hand, ascending, and behind them a face-up card, CARD_BITS each."""
    hand = np.zeros(MAX_CARDS, np.int64)
    n = _sorted_hand(state, player, hand)
    if moment == KEEP:
        hand[n] = state.up[state.up_count - 1]
        n += 1
    packed = 0
    for i in range(n):
        packed |= hand[i] << (CARD_BITS * i)
    return packed


@kernel
def _sorted_hand(state: Any, player: int, hand: Any) -> Any:
    """Write the cards held, ascending; returns how many."""
    n = np.int64(state.hole_count[player])
    for i in range(n):
        insert_card(hand, i, np.int64(state.hole[player, i]))
    return n


@kernel
def _answer(state: Any, rules: Any, player: int, moment: int) -> Any:
    board = np.int64(0)
    for i in range(np.int64(state.board_count)):
        board |= np.int64(state.board[i]) << (CARD_BITS * i)
    return _classify(
        rules,
        np.int64(_packed_hand(state, player, moment)),
        board,
        np.int64(state.board_count),
        np.uint64(_seen(state, player, moment)),
        np.int64(moment),
    )


@kernel
def ask(state: Any, rules: Any, player: int, question: int) -> Any:
    """The bucket at a moment, or the packed candidates."""
    memo = rules.clusters.memo
    bits = CANDIDATE_BITS if question == _OFFER else BUCKET_BITS
    key = _hash(state, player, question)
    answer: Any = _recall(memo, key, bits)
    if answer >= 0:
        return answer
    on_flop = question in (FLOP, DRAW, _OFFER)
    answer = _answer(state, rules, player, FLOP if on_flop else question)
    if not on_flop:
        _remember(memo, key, bits, answer)
        return answer
    last_bits = (1 << BUCKET_BITS) - 1
    flop, draw = answer & last_bits, answer >> BUCKET_BITS & last_bits
    packed = answer >> (2 * BUCKET_BITS)
    _remember(memo, _hash(state, player, FLOP), BUCKET_BITS, flop)
    _remember(memo, _hash(state, player, DRAW), BUCKET_BITS, draw)
    _remember(memo, _hash(state, player, _OFFER), CANDIDATE_BITS, packed)
    if question == _OFFER:
        return packed
    return flop if question == FLOP else draw


# Candidates for the draw.


@kernel
def offers(rules: Any) -> Any:
    """How many choices the draw has."""
    return min(len(CANDIDATES), 1 << rules.hole_cards)


@kernel(allocates=True)
def plan(state: Any, rules: Any, player: int, choice: int) -> Any:
    """The cards that a choice throws away, as a bit mask over `state.hole[player]`."""
    hand = np.zeros(MAX_CARDS, np.int64)
    n = _sorted_hand(state, player, hand)
    discard = candidate(ask(state, rules, player, _OFFER), choice)
    places = 0
    for i in range(n):
        for j in range(n):
            if discard >> j & 1 and state.hole[player, i] == hand[j]:
                places |= 1 << i
    return places


@kernel
def moment_of(state: Any, rules: Any, player: int, drawing: bool, keeping: bool) -> int:
    """Which of MOMENTS it is for `player`, which draws or keeps if it is at turn."""
    if state.turn == player and keeping:
        return KEEP
    if state.turn == player and drawing:
        return DRAW
    if state.street == 0:
        return PREFLOP
    if state.street == 1:
        return FLOP
    return RIVER if state.board_count == board_to_come(rules) else TURN


# Information sets.

_NOT_DRAWN, _PAT, _ONE, _TWO, _MORE, _KEPT_LOW, _KEPT_HIGH, _REJECTED = range(8)
_TELLS = (0, 7, 4, 2, 1, 5, 6, 3)
"""How good a hand each of them tells of."""
_HIGH_CARD = 8
"""A ten or better is a high card."""
POT_LEVELS = (2, 4, 6, 8, 12, 16, 24)
"""Upper bounds of the levels of a pot, in big blinds."""


@kernel
def _draw_class(state: Any, seat: int) -> Any:
    """What everybody has seen of a seat's draw."""
    drawn = state.draws[seat]
    if drawn < 1:
        return drawn + 1
    if drawn == 1 and state.draw_end[seat] > 1:
        if state.draw_end[seat] == 3:
            return _REJECTED
        earlier = 0
        for other in range(seat):
            if state.draws[other] == 1 and state.draw_end[other] > 1:
                earlier += 1
        return _KEPT_HIGH if state.up[earlier] >> 2 >= _HIGH_CARD else _KEPT_LOW
    return min(drawn + 1, _MORE)


@kernel
def _own_class(drawn: int) -> int:
    """The same of the player's own draw, which tells it less than its hand does: coarser."""
    if drawn == _KEPT_HIGH:
        return _KEPT_LOW
    return _MORE if drawn == _TWO else drawn


@kernel
def pot_level(rules: Any, pot: int) -> int:
    level = 0
    for bound in POT_LEVELS:
        if pot > bound * rules.big_blind:
            level += 1
    return level


@kernel(allocates=True)
def _stakes(state: Any, rules: Any, player: int) -> Any:
    """Hash of what a betting round is played for.

    Where the limit bounds the bets, the level of the pot. Else how deep the stacks are for the pot,
    in half powers of two, and which bets are legal; with any bet legal every chip counts.
    """
    who = state.folded if rules.players == 2 else live_seats(state, rules.players)
    key = mix(np.uint64(state.street), np.uint64(who))
    if halves.is_deep(state, rules):
        return mix(key, np.uint64(pot_level(rules, state.round_pot)))
    if rules.structure != FIXED_LIMIT and rules.sizes == 0:
        bets = mix(np.uint64(state.level), np.uint64(state.step))
        return mix(mix(key, halves.chips(state, rules)), mix(bets, np.uint64(state.bet[player])))
    depth = state.stack[player] + state.bet[player]
    for seat in range(rules.players):
        if is_live(state, seat):
            depth = min(depth, state.stack[seat] + state.bet[seat])
    ratio = 2.0 * np.log2(1.0 + depth / max(state.round_pot, rules.big_blind))
    key = mix(key, np.uint64(np.int64(ratio + 0.5)))
    actions = np.zeros(MAX_CARDS + 8, np.int64)
    n = legal_bets(state, rules, player, actions)
    for i in range(n):
        key = mix(key, np.uint64(actions[i]))
    return key


@kernel
def _draws(state: Any, rules: Any, player: int) -> Any:
    """What everybody has seen of the draws, three bits a seat, the player's own coarser."""
    draws = np.uint64(0)
    for seat in range(rules.players):
        drawn = _draw_class(state, seat)
        if seat == player:
            drawn = _own_class(drawn)
        draws = draws << np.uint64(3) | np.uint64(drawn)
    return draws


@kernel
def _past_of_draw(state: Any, rules: Any, player: int, moment: int) -> Any:
    """Hash of what counts at the draw: the strongest draw so far, and at the discard who bet last.

    Whether to keep a face-up card is a question of the hand.
    """
    led = _whose(state.aggressor, player) if moment == DRAW else 0
    return mix(np.uint64(_strongest_draw(state, rules, player)), np.uint64(player * 3 + led))


@kernel
def _strongest_draw(state: Any, rules: Any, player: int) -> Any:
    """The draw of another live seat that tells of the best hand: pat, kept, one card, two, more."""
    strongest: Any = 0
    for seat in range(rules.players):
        if seat != player and is_live(state, seat):
            drawn = np.int64(_draw_class(state, seat))
            if _TELLS[drawn] > _TELLS[strongest]:
                strongest = drawn
    return strongest


@kernel
def _crowd(state: Any, rules: Any, player: int) -> Any:
    """Hash of what is kept of the others, and of the bets, with three or more seats."""
    to_act = 0
    last = 1
    for seat in range(rules.players):
        if seat != player and is_live(state, seat):
            if seat > player:
                last = 0
            if state.stack[seat] > 0 and not state.closed & bit(seat):
                to_act += 1
    owes = 1 if state.bet[player] < state.level else 0
    key = mix(np.uint64(state.wagers * 2 + owes), np.uint64(min(to_act, 2) * 2 + last))
    key = mix(key, np.uint64(player))
    own = _own_class(_draw_class(state, player))
    key = mix(key, np.uint64(own * 8 + _strongest_draw(state, rules, player)))
    return mix(key, np.uint64(_whose(state.aggressor, player) * 3 + _whose(state.led, player)))


@kernel
def _whose(seat: int, player: int) -> Any:
    """Nobody (0), the player (1), or somebody else (2)."""
    if seat < 0:
        return 0
    return 1 if seat == player else 2


@kernel
def information_key(state: Any, rules: Any, player: int, drawing: bool, keeping: bool) -> Any:
    """Hash of the abstract situation, and in its last bits the bucket of the hand."""
    moment = moment_of(state, rules, player, drawing, keeping)
    if moment in (DRAW, KEEP):
        key = _past_of_draw(state, rules, player, moment)
    else:
        key = _stakes(state, rules, player)
        if rules.players > 2:
            key = mix(key, _crowd(state, rules, player))
        else:
            key = mix(mix(key, state.round_bets), np.uint64(player * 4 + state.led + 1))
            key = mix(key, _draws(state, rules, player))
    key = mix(key, np.uint64(moment))
    return key & ~np.uint64(KEY_CLASS) | np.uint64(ask(state, rules, player, moment))
