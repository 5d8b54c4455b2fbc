"""Sviten Special, Sviten Flush and Dramaha in plain Python, written from the rules alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

from tests.reference.betting_model import (
    BettingRound,
    actions_before_the_family,
    chips_of_seats,
    layers,
)
from tests.reference.poker_model import (
    deck_of,
    flush_value,
    high_value,
    omaha_value,
    rank_of,
    suit_of,
)

CHANCE = -1
TERMINAL = -4
BURNS = 3


def best_seats(value: dict[int, tuple]) -> list[int]:
    """The seats with the best hand, from the left of the button."""
    best = max(value.values())
    return sorted(p for p in value if value[p] == best)


def shares(amount: int, winners: list[int], served: list[int]) -> dict[int, int]:
    """Half a pot among its winners, odd chips one each from the left of the button.

    A seat in `served` has had an odd chip of the other half, and comes last; those who get an odd
    chip here are added to it.
    """
    share, odd = divmod(amount, len(winners))
    turn = [p for p in winners if p not in served] + [p for p in winners if p in served]
    lucky = turn[:odd]
    served.extend(lucky)
    return {p: share + (p in lucky) for p in winners}


def split_pot(
    amount: int,
    draw: list[int],
    omaha: list[int],
    odd_chip: str = "draw",
    one_odd_chip_per_pot: bool = True,
) -> dict[int, int | Fraction]:
    """What each seat gets of one pot; `draw` and `omaha` are the winners of the two halves."""
    pay: dict[int, int | Fraction] = dict.fromkeys({*draw, *omaha}, 0)
    if odd_chip == "fractional":
        for winners in (draw, omaha):
            for p in winners:
                pay[p] += Fraction(amount, 2 * len(winners))
        return pay
    to_omaha = odd_chip == "omaha" or (odd_chip == "position" and min(omaha) < min(draw))
    omaha_half = amount // 2 + (amount % 2 if to_omaha else 0)
    served: list[int] = []
    for half, winners in ((amount - omaha_half, draw), (omaha_half, omaha)):
        for p, chips in shares(half, winners, served).items():
            pay[p] += chips
        if not one_odd_chip_per_pot:
            served = []
    return pay


def showdown_pay(
    paid: list[int],
    live: set[int],
    hands: list[list[int]],
    board: list[int],
    *,
    draw_half: str = "high",
    odd_chip: str = "draw",
    one_odd_chip_per_pot: bool = True,
    omaha_hole: int = 2,
    omaha_board: int = 3,
) -> list[int | Fraction]:
    """Chips that each seat takes from the middle; seat 0 sits left of the button."""
    pay: list[int | Fraction] = [0] * len(paid)
    for amount, eligible in layers(paid, live):
        if len(eligible) == 1:
            pay[next(iter(eligible))] += amount
            continue
        strength = flush_value if draw_half == "flush" else high_value
        draw = best_seats({p: strength(hands[p]) for p in eligible})
        omaha = best_seats(
            {p: omaha_value(hands[p], board, omaha_hole, omaha_board) for p in eligible}
        )
        for p, chips in split_pot(amount, draw, omaha, odd_chip, one_odd_chip_per_pot).items():
            pay[p] += chips
    return pay


class SvitenModel:
    """One hand; seat players - 1 is the button."""

    def __init__(
        self,
        *,
        players: int = 2,
        small_blind: int = 1,
        big_blind: int = 2,
        stack: int = 200,
        stacks: str = "",
        betting: str = "fixed_limit",
        max_wagers: int = 4,
        bet_sizes: str = "any",
        max_discards: int = 5,
        one_card_face_up: bool = True,
        burn: bool = False,
        draw_half: str = "high",
        odd_chip: str = "draw",
        one_odd_chip_per_pot: bool = True,
        hole_cards: int = 5,
        flop_cards: int = 3,
        turn_cards: int = 1,
        river_cards: int = 1,
        rounds: int = 4,
        omaha_hole: int = 2,
        omaha_board: int = 3,
        ranks: str = "23456789TJQKA",
        suits: str = "cdhs",
    ) -> None:
        self.players = players
        self.big_blind = big_blind
        self.betting = betting
        self.max_wagers = max_wagers
        self.bet_sizes = bet_sizes
        self.max_discards = max_discards
        self.one_card_face_up = one_card_face_up
        self.burns = BURNS if burn else 0
        self.showdown_rules = {
            "draw_half": draw_half,
            "odd_chip": odd_chip,
            "one_odd_chip_per_pot": one_odd_chip_per_pot,
            "omaha_hole": omaha_hole,
            "omaha_board": omaha_board,
        }
        self.hole_cards = hole_cards
        self.street_cards = [0, flop_cards, turn_cards, river_cards][:rounds]
        """Cards of the board that fall before each betting round."""
        self.stub = deck_of(ranks, suits)
        self.check_deck()

        self.stack: list[int | Fraction] = list(chips_of_seats(players, stack, stacks))
        self.initial = list(self.stack)
        self.first_action = actions_before_the_family(betting, bet_sizes, max(self.initial))
        self.live = set(range(players))
        self.paid = [0] * players
        self.hands: list[list[int]] = [[] for _ in range(players)]
        self.board: list[int] = []
        self.muck: set[int] = set()
        """What a reshuffle brings back: folded hands, discards and rejects of earlier drawers."""
        self.own_dead: set[int] = set()
        """Discards, and the rejected card, of the player who is drawing."""
        self.set_aside: list[int] | None = None
        """Turn and river, once a reshuffle has set them aside."""
        self.reshuffles = 0
        self.post_blinds(small_blind, big_blind)
        order = list(range(players)) * hole_cards
        self.deal([("hole", p) for p in order], lambda: self.start_round(0))

    def check_deck(self) -> None:
        spare = max(self.max_discards, 2 if self.one_card_face_up else 1)
        need = self.players * self.hole_cards + sum(self.street_cards) + self.burns + spare
        if len(self.stub) < need:
            raise ValueError(f"{len(self.stub)} cards are too few: {need} may be needed")

    # The state, as a test sees it

    def player(self) -> int:
        """The seat to act, CHANCE or TERMINAL."""
        if self.phase == "chance":
            return CHANCE
        if self.phase == "over":
            return TERMINAL
        return self.round.seat if self.phase == "bet" else self.drawer

    def chance_cards(self) -> list[int]:
        """The cards that may fall; a board card that was set aside is the only one."""
        return sorted(self.stub) if self.purposes[0] != ("shown",) else self.set_aside[:1]

    def legal_actions(self) -> dict[int, tuple]:
        if self.phase == "bet":
            return self.round.legal()
        if self.phase == "discard":
            return self.discards()
        if self.phase == "choice":
            keep = self.first_action + 2**self.hole_cards
            return {keep: ("keep",), keep + 1: ("reject",)}
        return {}

    def discards(self) -> dict[int, tuple]:
        """Sets of at most `max_discards` cards, numbered by their places in the ordered hand."""
        hand = self.hands[self.drawer]
        count = Counter(rank_of(c) for c in hand)
        ordered = sorted(hand, key=lambda c: (-count[rank_of(c)], -rank_of(c), suit_of(c)))
        found = {}
        for size in range(min(self.max_discards, len(hand)) + 1):
            for places in combinations(range(len(hand)), size):
                mask = sum(1 << place for place in places)
                chosen = frozenset(ordered[place] for place in places)
                found[self.first_action + mask] = ("discard", chosen)
        return dict(sorted(found.items()))

    def stacks(self) -> list[int | Fraction]:
        return list(self.stack)

    def pot(self) -> int:
        """All chips in the middle."""
        return sum(self.paid)

    def owed(self, seat: int) -> int:
        """Chips that `seat` must add to stay; in the betting only."""
        return self.round.owed(seat)

    def returns(self) -> list[int | Fraction]:
        return [now - before for now, before in zip(self.stack, self.initial, strict=True)]

    def apply(self, action: int) -> None:
        """Play a legal action, or let a card fall."""
        if self.player() == CHANCE:
            self.card_falls(action)
        else:
            self.play(self.legal_actions()[action])

    def play(self, description: tuple) -> None:
        """Play a legal action given by its description."""
        assert description in self.legal_actions().values(), description
        if self.phase == "bet":
            self.bet(description)
        elif self.phase == "discard":
            self.discard(description[1])
        else:
            self.choose(description)

    # Chance: cards fall one by one, each for a purpose

    def deal(self, purposes: list[tuple], then: Callable[[], None]) -> None:
        """Let a card fall for each purpose, then go on with `then`."""
        self.purposes = purposes
        self.then = then
        self.phase = "chance"
        if not purposes:
            then()

    def card_falls(self, card: int) -> None:
        assert card in self.chance_cards()
        self.stub.discard(card)
        purpose = self.purposes.pop(0)
        if purpose[0] == "hole":
            self.hands[purpose[1]].append(card)
        elif purpose[0] == "board":
            self.board.append(card)
        elif purpose[0] == "aside":
            self.set_aside.append(card)
        elif purpose[0] == "shown":
            self.board.append(self.set_aside.pop(0))
        else:
            self.face_up = card
        if not self.purposes:
            self.then()

    # Blinds and betting

    def post_blinds(self, small_blind: int, big_blind: int) -> None:
        seats = (1, 0) if self.players == 2 else (0, 1)
        self.bets = [0] * self.players
        for p, blind in zip(seats, (small_blind, big_blind), strict=True):
            chips = min(self.stack[p], blind)
            self.stack[p] -= chips
            self.bets[p] = self.paid[p] = chips

    def first_seat(self, number: int) -> int:
        """Left of the big blind before the flop, left of the button later."""
        if number > 0:
            return 0
        return 1 if self.players == 2 else 2 % self.players

    def start_round(self, number: int) -> None:
        """Betting round `number`, 0 before the flop."""
        self.round_number = number
        before_flop = number == 0
        if not before_flop:
            self.bets = [0] * self.players
        fixed = self.betting == "fixed_limit"
        self.phase = "bet"
        self.round = BettingRound(
            stacks=self.stack,
            bets=self.bets,
            paid=self.paid,
            live=self.live,
            pot=self.pot,
            first=self.first_seat(number),
            level=self.big_blind if before_flop else 0,
            step=2 * self.big_blind if fixed and number >= 2 else self.big_blind,
            wagers=1 if before_flop else 0,
            cap=self.max_wagers,
            structure=self.betting,
            sizes=self.bet_sizes,
            step_grows=True,
            no_check=False,
        )
        self.go_on()

    def bet(self, description: tuple) -> None:
        seat = self.round.seat
        self.round.act(description)
        if description == ("fold",):
            self.muck |= set(self.hands[seat])
        self.go_on()

    def go_on(self) -> None:
        if self.round.seat is not None:
            return
        if len(self.live) == 1:
            self.showdown()
        elif self.round_number == 1:
            self.drawers = sorted(self.live)
            self.next_drawer()
        else:
            self.next_street()

    def next_street(self) -> None:
        number = self.round_number + 1
        if number == len(self.street_cards):
            self.showdown()
            return
        count = self.street_cards[number]
        source = "board" if self.set_aside is None else "shown"
        self.deal([(source,)] * count, lambda: self.start_round(number))

    # The draw

    def next_drawer(self) -> None:
        if not self.drawers:
            self.next_street()
            return
        self.drawer = self.drawers.pop(0)
        self.phase = "discard"

    def discard(self, chosen: frozenset[int]) -> None:
        hand = self.hands[self.drawer]
        self.hands[self.drawer] = [c for c in hand if c not in chosen]
        self.own_dead = set(chosen)
        if len(chosen) == 1 and self.one_card_face_up:
            self.supply([("face up",)], self.offer)
        else:
            self.supply([("hole", self.drawer)] * len(chosen), self.end_draw)

    def offer(self) -> None:
        self.phase = "choice"

    def choose(self, description: tuple) -> None:
        if description == ("keep",):
            self.hands[self.drawer].append(self.face_up)
            self.end_draw()
        else:
            self.own_dead.add(self.face_up)
            self.supply([("hole", self.drawer)], self.end_draw)

    def end_draw(self) -> None:
        self.muck |= self.own_dead
        self.own_dead = set()
        self.next_drawer()

    def cards_to_come(self) -> int:
        """Cards of turn and river that are still in the stub."""
        return 0 if self.set_aside is not None else sum(self.street_cards[2:])

    def supply(self, purposes: list[tuple], then: Callable[[], None]) -> None:
        """Deal to the drawing player, after a reshuffle if the stub is too small."""
        if len(self.stub) - self.cards_to_come() - self.burns >= len(purposes):
            self.deal(purposes, then)
            return
        aside = [("aside",)] * self.cards_to_come()
        if self.set_aside is None:
            self.set_aside = []
        self.deal(aside, lambda: self.reshuffle(purposes, then))

    def reshuffle(self, purposes: list[tuple], then: Callable[[], None]) -> None:
        self.reshuffles += 1
        self.stub |= self.muck
        self.muck = set()
        assert len(self.stub) - self.burns >= len(purposes), "the deck was checked"
        self.deal(purposes, then)

    # The end

    def showdown(self) -> None:
        pay = showdown_pay(self.paid, self.live, self.hands, self.board, **self.showdown_rules)
        for p in range(self.players):
            self.stack[p] += pay[p]
        self.paid = [0] * self.players
        self.phase = "over"
