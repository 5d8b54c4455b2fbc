"""Svara in plain Python, written from the rules alone.

A deal is: antes (in the first), the blind phase, the cards, the betting, the showdown. A tie leads
to another deal, a svarka, between the players tied, and those who buy themselves in.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.reference.betting_model import (
    BettingRound,
    actions_before_the_family,
    chips_of_seats,
    clockwise,
    layers,
)
from tests.reference.poker_model import deck_of, svara_points

CHANCE = -1
TERMINAL = -4


@dataclass
class Pot:
    """Chips in the middle for some players; `main`: the first pot of the hand, open to joiners."""

    amount: int
    eligible: set[int]
    main: bool = False


class SvaraModel:
    """One hand of Svara, svarkas included; seat players - 1 deals first."""

    def __init__(
        self,
        *,
        players: int = 2,
        ante: int = 1,
        stack: int = 20,
        stacks: str = "",
        betting: str = "fixed_limit",
        min_bet: int = 0,
        max_raises: int = 3,
        bet_sizes: str = "any",
        blind_phase: bool = True,
        opening_blind: int = 0,
        blind_multipliers: str = "2 3 4",
        max_blind_laps: int = 1,
        allow_check: bool = False,
        joker_mode: str = "best",
        sevens: str = "best",
        buyin_rounding: str = "up",
        svarka_ante: bool = False,
        max_svarkas: int = 12,
        ranks: str = "789TJQKA",
        suits: str = "cdhs",
        hole_cards: int = 3,
    ) -> None:
        self.players = players
        self.ante = ante
        self.betting = betting
        self.min_bet = min_bet or ante
        self.max_raises = max_raises
        self.bet_sizes = bet_sizes
        self.blind_phase = blind_phase
        self.opening_blind = opening_blind or ante
        self.multipliers = [int(k.rstrip("x")) for k in blind_multipliers.split()]
        self.max_blind_laps = max_blind_laps
        self.allow_check = allow_check
        self.joker_mode = joker_mode
        self.sevens = sevens
        self.buyin_rounding = buyin_rounding
        self.svarka_ante = svarka_ante
        self.max_svarkas = max_svarkas
        self.deck = deck_of(ranks, suits)
        self.hole_cards = hole_cards
        if players * hole_cards > len(self.deck):
            raise ValueError(f"{len(self.deck)} cards are too few for {players} players")

        self.stack = chips_of_seats(players, stack, stacks)
        self.initial = list(self.stack)
        self.first_action = actions_before_the_family(betting, bet_sizes, max(self.initial))
        self.dealer = players - 1
        self.carried: list[Pot] = []
        self.svarkas = 0
        self.deals = 0
        self.start_deal(set(range(players)), self.ante)

    # The state, as a test sees it

    def player(self) -> int:
        """The seat to act, CHANCE or TERMINAL."""
        if self.phase == "deal":
            return CHANCE
        if self.phase == "over":
            return TERMINAL
        return self.round.seat if self.phase == "bet" else self.asked

    def chance_cards(self) -> list[int]:
        return sorted(self.stub)

    def legal_actions(self) -> dict[int, tuple]:
        if self.phase == "bet":
            return self.round.legal()
        if self.phase == "blind":
            return {self.first_action: ("look",)} | self.blinds(self.asked)
        if self.phase == "join":
            join = self.first_action + 2 + len(self.multipliers)
            return {join: ("join", self.price), join + 1: ("decline",)}
        return {}

    def stacks(self) -> list[int]:
        return list(self.stack)

    def pot(self) -> int:
        """All chips in the middle."""
        return sum(pot.amount for pot in self.carried) + sum(self.paid)

    def owed(self, seat: int) -> int:
        """Chips that `seat` must add to stay; in the betting only."""
        return self.round.owed(seat)

    def returns(self) -> list[int]:
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
        elif self.phase == "blind":
            self.bet_blind(description)
        else:
            self.join(description)

    # Antes and the blind phase

    def from_left_of_dealer(self) -> list[int]:
        return clockwise((self.dealer + 1) % self.players, self.players)

    def start_deal(self, participants: set[int], ante: int) -> None:
        self.deals += 1
        self.participants = participants
        self.live = set(participants)
        self.paid = [0] * self.players
        self.bets = [0] * self.players
        for p in participants:
            chips = min(ante, self.stack[p])
            self.stack[p] -= chips
            self.paid[p] += chips
        self.last_blind = 0
        self.last_blind_seat: int | None = None
        order = [p for p in self.from_left_of_dealer() if p in participants]
        self.blind_queue = order * self.max_blind_laps
        if not self.blind_phase or sum(self.stack[p] > 0 for p in participants) < 2:
            self.blind_queue = []
        self.next_blind()

    def blinds(self, seat: int) -> dict[int, tuple]:
        """The blinds that `seat` can pay in full: action -> ("blind", total)."""
        first = self.first_action + 1
        if self.last_blind:
            totals = {first + 1 + i: k * self.last_blind for i, k in enumerate(self.multipliers)}
        else:
            totals = {first: self.opening_blind}
        most = self.bets[seat] + self.stack[seat]
        return {a: ("blind", total) for a, total in totals.items() if total <= most}

    def next_blind(self) -> None:
        """Ask the next seat with chips; one that can pay no blind ends the phase, as a look does.

        Nobody bets blind over himself: when all others are without chips, the phase is over.
        """
        while self.blind_queue:
            seat = self.blind_queue.pop(0)
            if self.stack[seat] == 0:
                continue
            if seat == self.last_blind_seat or not self.blinds(seat):
                break
            self.phase = "blind"
            self.asked = seat
            return
        self.start_cards()

    def bet_blind(self, description: tuple) -> None:
        if description == ("look",):
            self.start_cards()
            return
        total = description[1]
        chips = total - self.bets[self.asked]
        self.stack[self.asked] -= chips
        self.bets[self.asked] += chips
        self.paid[self.asked] += chips
        self.last_blind = total
        self.last_blind_seat = self.asked
        self.next_blind()

    # The cards

    def start_cards(self) -> None:
        order = [p for p in self.from_left_of_dealer() if p in self.participants]
        self.to_deal = order * self.hole_cards
        self.hands: dict[int, list[int]] = {p: [] for p in order}
        self.stub = set(self.deck)
        self.phase = "deal"

    def card_falls(self, card: int) -> None:
        self.stub.remove(card)
        self.hands[self.to_deal.pop(0)].append(card)
        if not self.to_deal:
            self.start_betting()

    # The betting

    def start_betting(self) -> None:
        """After a last blind B the price is 2B, the first bet; the seat after that blind opens."""
        self.phase = "bet"
        opener = self.dealer if self.last_blind_seat is None else self.last_blind_seat
        step = self.min_bet
        if self.betting == "fixed_limit" and self.last_blind:
            step = 2 * self.last_blind
        self.round = BettingRound(
            stacks=self.stack,
            bets=self.bets,
            paid=self.paid,
            live=self.live,
            pot=self.pot,
            first=(opener + 1) % self.players,
            level=2 * self.last_blind,
            step=step,
            wagers=1 if self.last_blind else 0,
            cap=1 + self.max_raises,
            structure=self.betting,
            sizes=self.bet_sizes,
            step_grows=False,
            no_check=not self.allow_check,
            last_blind_seat=self.last_blind_seat,
        )
        self.go_on()

    def bet(self, description: tuple) -> None:
        seat = self.round.seat
        self.round.act(description)
        if description == ("fold",):
            for pot in self.carried:
                if pot.eligible != {seat}:
                    pot.eligible.discard(seat)
        self.go_on()

    def go_on(self) -> None:
        if self.round.seat is None:
            self.showdown()

    # The showdown

    def collect_pots(self) -> list[Pot]:
        """The pots carried from earlier ties, then the layers of this deal.

        A layer for the same players as a pot that is there already goes into that pot.
        """
        pots = self.carried
        for amount, eligible in layers(self.paid, self.live):
            same = [pot for pot in pots if pot.eligible == eligible]
            if same:
                same[0].amount += amount
            else:
                main = self.deals == 1 and not pots
                pots.append(Pot(amount, set(eligible), main))
        self.carried = []
        self.paid = [0] * self.players
        return pots

    def winners(self, pot: Pot) -> set[int]:
        if len(pot.eligible) == 1:
            return pot.eligible
        points = {
            p: svara_points(self.hands[p], self.joker_mode, self.sevens) for p in pot.eligible
        }
        best = max(points.values())
        return {p for p in points if points[p] == best}

    def showdown(self) -> None:
        for pot in self.collect_pots():
            winners = self.winners(pot)
            if len(winners) == 1:
                self.stack[next(iter(winners))] += pot.amount
            else:
                self.carried.append(Pot(pot.amount, winners, pot.main))
        if not self.carried:
            self.phase = "over"
            return
        self.svarkas += 1
        if self.svarkas > self.max_svarkas:
            self.share_carried_pots()
        else:
            self.start_joining()

    def share_carried_pots(self) -> None:
        """At the bound of svarkas: equal shares, odd chips one each from the dealer's left."""
        for pot in self.carried:
            share, odd = divmod(pot.amount, len(pot.eligible))
            for p in self.from_left_of_dealer():
                if p in pot.eligible:
                    self.stack[p] += share + (odd > 0)
                    odd -= odd > 0
        self.carried = []
        self.phase = "over"

    # The svarka

    def buy_in(self, pot: Pot) -> int:
        """The pot divided by the players tied for it."""
        share, rest = divmod(pot.amount, len(pot.eligible))
        if self.buyin_rounding == "up":
            return share + (rest > 0)
        if self.buyin_rounding == "nearest":
            return share + (2 * rest >= len(pot.eligible))
        return share

    def start_joining(self) -> None:
        self.join_queue: list[int] = []
        tied = set().union(*(pot.eligible for pot in self.carried))
        for pot in self.carried:
            if pot.main:
                self.price = self.buy_in(pot)
                self.join_queue = [
                    p
                    for p in self.from_left_of_dealer()
                    if p not in tied and self.stack[p] >= self.price
                ]
        self.next_joiner()

    def next_joiner(self) -> None:
        if self.join_queue:
            self.phase = "join"
            self.asked = self.join_queue.pop(0)
            return
        participants = set().union(*(pot.eligible for pot in self.carried))
        self.dealer = next(p for p in self.from_left_of_dealer() if p in participants)
        self.start_deal(participants, self.ante if self.svarka_ante else 0)

    def join(self, description: tuple) -> None:
        if description[0] == "join":
            main = next(pot for pot in self.carried if pot.main)
            self.stack[self.asked] -= self.price
            main.amount += self.price
            main.eligible.add(self.asked)
        self.next_joiner()
