"""Side pots and how they are shared.

Every live seat covers the pot up to its own contribution. The *layers* lie between the contribution
levels of the live seats; chips of folded seats above the top level belong to the top layer, and a
top layer with a single contributor is an uncalled bet that goes back to him.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel


@kernel
def next_layer(paid: Any, folded: int, players: int, floor: int) -> tuple[int, int, int]:
    """The layer above the contribution level `floor`: (its top, its chips, mask of its seats).

    The top is 0 when there is none left.
    """
    top: Any = 0
    highest: Any = 0
    for seat in range(players):
        if not folded >> seat & 1:
            if paid[seat] > floor and (top == 0 or paid[seat] < top):
                top = np.int64(paid[seat])
            highest = max(highest, np.int64(paid[seat]))
    if top == 0:
        return 0, 0, 0
    chips: Any = 0
    seats = 0
    for seat in range(players):
        covered: Any = np.int64(paid[seat])
        if top < highest:
            covered = min(covered, top)
        chips += max(covered - floor, 0)
        if not folded >> seat & 1 and paid[seat] >= top:
            seats |= 1 << seat
    return top, chips, seats


@kernel
def count_seats(seats: int) -> int:
    count = 0
    while seats:
        seats &= seats - 1
        count += 1
    return count


@kernel
def best_seats(strength: Any, seats: int, players: int) -> int:
    """The seats of the mask `seats` whose strength is the greatest, as a mask."""
    best = 0
    winners = 0
    for seat in range(players):
        if seats >> seat & 1:
            if winners == 0 or strength[seat] > best:
                best = strength[seat]
                winners = 1 << seat
            elif strength[seat] == best:
                winners |= 1 << seat
    return winners


@kernel
def share(chips: int, winners: int, first: int, players: int, served: int, pays: Any) -> int:
    """Share `chips` among `winners`; odd chips go one each, clockwise from seat `first`.

    Seats of the mask `served` already hold an odd chip of this pot and come last. Returns `served`
    with the seats that got one now.
    """
    count = count_seats(winners)
    odd = chips % count
    given = 0
    for seat in range(players):
        if winners >> seat & 1:
            pays[seat] += chips // count
    for turn in range(2):
        for i in range(players):
            seat = (first + i) % players
            if odd > 0 and winners >> seat & 1 and (served >> seat & 1) == turn:
                pays[seat] += 1
                odd -= 1
                given |= 1 << seat
    return served | given
