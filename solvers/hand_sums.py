"""What hands win at showdowns, summed over all hands that share no card with them.

The values of the player's hands at the end of one of its rows are

    value[h] = sum over the other's hands o that share no card with h of
               lose[o] where o beats h, tie[o] where they tie, win[o] where h beats o

and lose, tie and win are what the row pays then, times the other's reach. The hands that share no
card with h are counted by inclusion and exclusion over the parts of h: all hands, less those with
one of its cards, plus those with two of them ... The hands come in the order of their scores, so
that one sweep suffices: in the beginning the sums of all parts count every hand as one that wins;
when a score is reached its hands become ties, and once it is passed they become beaten.

Eight rows are swept together, one a lane. Hands that differ by the names of suits only are one
class; the sum of a part is that of one part of its kind.
"""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.deals import Hands
from pokerspiel.solvers.vectors import eight, load, splat, store

LANES = 8


class HandSums(NamedTuple):
    """What the sweep needs to know of the hands."""

    slot: np.ndarray
    """[C * (parts - 1)] uint64: eight times the kind of each part of a class but the empty one."""
    share: np.ndarray
    """[C * (parts - 1)] float64: hands of the class that hold one certain part of the kind."""
    number: np.ndarray
    """[C] float64: hands of the class."""
    sign: np.ndarray
    """[parts + 1] float64: +1 for a part of an even number of cards, -1 for an odd one."""
    weight: np.ndarray
    """[C] float64: chance of holding one of the class's hands, and the other player a certain one
    that shares no card with it."""
    first: np.ndarray
    """[scores + 1] uint64: the first class of each score."""
    kinds: int


def hand_sums(hands: Hands) -> HandSums:
    size = hands.cards.shape[1]
    share = hands.count[:, None] / hands.part_count[hands.part]
    sign = np.where(np.append(hands.part_size, size) % 2 == 0, 1.0, -1.0)
    return HandSums(
        slot=(LANES * hands.part[:, 1:].ravel()).astype(np.uint64),
        share=share[:, 1:].ravel(),
        number=hands.count.astype(np.float64),
        sign=sign,
        weight=hands.count / pairs_of_hands(hands),
        first=hands.group_first.astype(np.uint64),
        kinds=len(hands.part_count),
    )


def pairs_of_hands(hands: Hands) -> int:
    """Number of ways to deal a hand to each of two players."""
    size = hands.cards.shape[1]
    return comb(hands.deck, size) * comb(hands.deck - size, size)


@kernel
def sweep(sums: Any, flat: bool, lose: Any, tie: Any, win: Any, total: Any) -> None:
    """Replace `lose` [8 * padded classes] by the values of eight rows; padding is worth nothing.

    `tie` holds tie - lose and `win` holds win - tie, which are not read if the rows are `flat`: if
    they pay the same whoever has the better hand. `total` [kinds * 8] is scratch.
    """
    parts = len(sums.sign) - 2
    if parts == 6:
        _sweep(sums, flat, lose, tie, win, total, (0, 0, 0, 0, 0, 0))
    elif parts == 2:
        _sweep(sums, flat, lose, tie, win, total, (0, 0))
    else:
        _sweep(sums, flat, lose, tie, win, total, ())


@kernel(inline=True)
def _sweep(sums: Any, flat: bool, lose: Any, tie: Any, win: Any, total: Any, parts: Any) -> None:
    """`parts` is as long as a hand has parts besides the empty one, whose sum is `all_`."""
    zero = eight(0.0)
    for at in range(np.uint64(0), np.uint64(len(total)), np.uint64(LANES)):
        store(total, at, zero)
    classes = np.uint64(len(sums.weight))
    all_ = _add(sums, np.uint64(0), classes, lose, total, zero, parts)
    for at in range(classes * np.uint64(LANES), np.uint64(len(lose)), np.uint64(LANES)):
        store(lose, at, zero)
    if flat:
        _read(sums, np.uint64(0), classes, lose, lose, 0.0, total, all_, parts)
        return
    for group in range(np.uint64(0), np.uint64(len(sums.first) - 1)):
        first, last = sums.first[group], sums.first[group + np.uint64(1)]
        all_ = _add(sums, first, last, tie, total, all_, parts)
        _read(sums, first, last, lose, tie, 1.0, total, all_, parts)
        all_ = _add(sums, first, last, win, total, all_, parts)


@kernel(inline=True)
def _add(sums: Any, first: Any, last: Any, more: Any, total: Any, all_: Any, parts: Any) -> Any:
    """Add `more` of the classes from `first` to `last` to the sums of their parts; gives `all_`."""
    zero = eight(0.0)
    n = np.uint64(len(parts))
    for c in range(first, last):
        x = load(more, c * np.uint64(LANES), zero)
        all_ = all_ + splat(sums.number[c], zero) * x
        for k in range(len(parts)):
            i = c * n + np.uint64(k)
            at = sums.slot[i]
            store(total, at, load(total, at, zero) + splat(sums.share[i], zero) * x)
    return all_


@kernel(inline=True)
def _read(
    sums: Any,
    first: Any,
    last: Any,
    lose: Any,
    tie: Any,
    ties: float,
    total: Any,
    all_: Any,
    parts: Any,
) -> None:
    """Write the values of the classes to `lose`; a hand counts itself with lose + ties * tie."""
    zero = eight(0.0)
    n = np.uint64(len(parts))
    own_sign, own_ties = splat(sums.sign[len(parts) + 1], zero), splat(ties, zero)
    for c in range(first, last):
        at = c * np.uint64(LANES)
        own = load(lose, at, zero) + own_ties * load(tie, at, zero)
        v = all_ + own_sign * own
        for k in range(len(parts)):
            part = load(total, sums.slot[c * n + np.uint64(k)], zero)
            v = v + splat(sums.sign[k + 1], zero) * part
        store(lose, at, v * splat(sums.weight[c], zero))
