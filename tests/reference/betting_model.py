"""One betting round, and the pots that it leaves, in plain Python.

Amounts are chips. `level` is the price to stay in the round, `base` the level of the last full
wager, `step` the size of a wager (fixed limit) or the smallest raise (pot limit, no limit).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

STRUCTURES = ("fixed_limit", "pot_limit", "no_limit")


def clockwise(first: int, seats: int) -> list[int]:
    """All seats in order, starting with `first`."""
    return [(first + i) % seats for i in range(seats)]


def chips_of_seats(players: int, stack: int, stacks: str) -> list[int]:
    """The stack of each seat: `stacks`, such as "20 30", or the same `stack` for all."""
    if not stacks:
        return [stack] * players
    values = [int(value) for value in stacks.split()]
    if len(values) != players:
        raise ValueError(f"stacks must name {players} stacks, not {stacks!r}")
    return values


def layers(paid: list[int], live: Iterable[int]) -> list[tuple[int, frozenset[int]]]:
    """Pots as (amount, seats that may win it), the main pot first.

    One layer a level of contribution of a live player. What folded players paid above the highest
    level belongs to the top layer. A top layer with one seat is what that seat gets back.
    """
    live = list(live)
    levels = sorted({paid[p] for p in live if paid[p] > 0})
    pots = []
    lower = 0
    for level in levels:
        amount = sum(min(chips, level) - min(chips, lower) for chips in paid)
        if level == levels[-1]:
            amount += sum(max(chips - level, 0) for chips in paid)
        pots.append((amount, frozenset(p for p in live if paid[p] >= level)))
        lower = level
    assert sum(amount for amount, _ in pots) == sum(paid), "every chip lies in a pot"
    return pots


class BettingRound:
    """One betting round; it changes `stacks`, `bets`, `paid` and `live`, which belong to the hand.

    `pot` tells all chips in the middle, bets of the round included. `step_grows`: a full raise
    sets the smallest size of the next (pot limit, no limit). `cap`: most wagers of a fixed-limit
    round. `no_check`: while nobody has bet, a player bets or folds. `last_blind_seat`: who bet the
    last blind of Svara, before anybody has paid the price that it set.
    """

    def __init__(
        self,
        *,
        stacks: list[int],
        bets: list[int],
        paid: list[int],
        live: set[int],
        pot: Callable[[], int],
        first: int,
        level: int,
        step: int,
        wagers: int,
        cap: int,
        structure: str,
        sizes: str,
        step_grows: bool,
        no_check: bool,
        last_blind_seat: int | None = None,
    ) -> None:
        if structure not in STRUCTURES:
            raise ValueError(f"betting must be one of {STRUCTURES}, not {structure!r}")
        self.stacks, self.bets, self.paid, self.live = stacks, bets, paid, live
        self.pot = pot
        self.level = self.base = level
        self.step = step
        self.wagers, self.cap = wagers, cap
        self.structure, self.sizes = structure, sizes
        self.step_grows, self.no_check = step_grows, no_check
        self.last_blind_seat = last_blind_seat
        self.acted: set[int] = set()
        """Who has acted since `base` last changed."""
        self.seat: int | None = None
        self.pass_to(first)

    # Whose turn

    def owed(self, seat: int) -> int:
        """Chips that `seat` must add to match the price.

        The price does not fall because others are all-in for less. `last_blind_seat` owes nothing
        until somebody has paid.
        """
        if seat == self.last_blind_seat and not self.acted:
            return 0
        return max(self.level - self.bets[seat], 0)

    def settled(self) -> bool:
        """At most one live player has chips, and he owes nothing: no betting is left."""
        holders = [p for p in self.live if self.stacks[p] > 0]
        return len(holders) <= 1 and all(self.owed(p) == 0 for p in holders)

    def pass_to(self, first: int) -> None:
        """Find the next seat to act, from `first` on; None when the round is over."""
        self.seat = None
        if len(self.live) == 1 or self.settled():
            return
        for p in clockwise(first, len(self.stacks)):
            waiting = self.owed(p) > 0 or p not in self.acted
            if p in self.live and self.stacks[p] > 0 and waiting:
                self.seat = p
                return

    # What is legal

    def raise_bounds(self) -> tuple[int, int] | None:
        """Smallest and largest total to which the seat may raise; None if it may not."""
        seat = self.seat
        most = self.bets[seat] + self.stacks[seat]
        rivals = [p for p in self.live if p != seat and self.stacks[p] > 0]
        if seat in self.acted or most <= self.level or not rivals:
            return None
        if self.structure == "fixed_limit":
            if self.wagers >= self.cap:
                return None
            total = min(most, self.base + self.step)
            return total, total
        smallest = self.level + self.step
        if most <= smallest:
            return most, most
        largest = most
        if self.structure == "pot_limit":
            largest = min(most, max(smallest, self.level + self.pot() + self.owed(seat)))
        return smallest, largest

    def menu_total(self, token: str, smallest: int, largest: int) -> int:
        """The total that an entry of the menu stands for here."""
        if token == "min":
            return smallest
        if token == "max":
            return largest
        size = Fraction(token) * (self.pot() + self.owed(self.seat))
        total = self.level + math.floor(size + Fraction(1, 2))
        return max(smallest, min(largest, total))

    def raises(self) -> dict[int, int]:
        """Action numbers of the raises, with the totals that they raise to."""
        bounds = self.raise_bounds()
        if bounds is None:
            return {}
        smallest, largest = bounds
        if self.structure == "fixed_limit":
            return {2: smallest}
        if self.sizes == "any":
            return {1 + total: total for total in range(smallest, largest + 1)}
        found: dict[int, int] = {}
        for i, token in enumerate(self.sizes.split()):
            total = self.menu_total(token, smallest, largest)
            if total not in found.values():
                found[2 + i] = total
        return found

    def legal(self) -> dict[int, tuple]:
        """Legal actions of the seat to act: number -> description."""
        owed = self.owed(self.seat)
        legal: dict[int, tuple] = {}
        unopened = self.level == 0
        if owed > 0 or (unopened and self.no_check):
            legal[0] = ("fold",)
        if owed > 0:
            legal[1] = ("call", min(owed, self.stacks[self.seat]))
        elif not (unopened and self.no_check):
            legal[1] = ("check",)
        for action, total in self.raises().items():
            legal[action] = ("raise", total)
        return legal

    # What happens

    def pay(self, seat: int, chips: int) -> None:
        assert 0 <= chips <= self.stacks[seat]
        self.stacks[seat] -= chips
        self.bets[seat] += chips
        self.paid[seat] += chips

    def act(self, description: tuple) -> None:
        """Play a legal action, given by its description, and pass the turn on."""
        seat = self.seat
        kind = description[0]
        if kind == "fold":
            self.live.discard(seat)
        elif kind == "call":
            self.pay(seat, description[1])
            self.acted.add(seat)
        elif kind == "check":
            self.acted.add(seat)
        else:
            self.raise_to(seat, description[1])
        self.pass_to((seat + 1) % len(self.stacks))

    def raise_to(self, seat: int, total: int) -> None:
        """Raise to `total`; a raise that is full, or completes a full one, reopens the betting."""
        increment = total - self.level
        beyond_base = total - self.base
        self.pay(seat, total - self.bets[seat])
        self.level = total
        if self.structure == "fixed_limit":
            reopens = 2 * beyond_base >= self.step
            self.wagers += reopens
        else:
            reopens = beyond_base >= self.step
            if increment >= self.step and self.step_grows:
                self.step = increment
        if reopens:
            self.base = total
            self.acted = set()
        self.acted.add(seat)


def actions_before_the_family(structure: str, sizes: str, largest_stack: int) -> int:
    """The first action number after fold, check or call, and the wagers."""
    if structure == "fixed_limit":
        return 3
    if sizes == "any":
        return 2 + largest_stack
    return 2 + len(sizes.split())
