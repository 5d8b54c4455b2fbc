"""Svara as a chain of deals: the betting tree of each deal, played through the kernels.

A tree is built once for all cards: a copy of the state for each outcome of the showdown is dealt
hands that bring it about, and all copies play the same actions until the deal ends.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from pokerspiel.games import drive
from pokerspiel.games.deals import (
    NO_CLASS,
    NO_NODE,
    NOT_PLAYED_OFF,
    ChainTooLongError,
    Deal,
    DealChain,
    Hands,
)
from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.games.svara.classes import hand_classes
from pokerspiel.games.svara.play import counts_svarkas
from pokerspiel.games.svara.state import JOIN
from pokerspiel.games.svara.words import describe

MOST_ROWS = 400_000
"""A chain of deals with more actions is refused."""


def hands_of(game: Any) -> Hands:
    """The hands of a game's deck."""
    rules = game.tables.rules[0]
    return hand_classes(
        int(rules["deck"]),
        int(rules["hole_cards"]),
        int(rules["joker_mode"]),
        int(rules["sevens"]),
    )


def chain_of_deals(game: Any, most_rows: int = MOST_ROWS) -> DealChain:
    """All deals of a game with the information sets `hands`.

    Raises ChainTooLongError if they have more than `most_rows` actions, or MOST_ROWS.
    """
    rules, hands = game.tables.rules[0], hands_of(game)
    builder = _Builder(game, hands, min(most_rows, MOST_ROWS))
    start = tuple(int(chips) for chips in rules["start_stack"][: game.players])
    return DealChain(
        game=str(game.with_parameters(abstraction="none")),
        start=start,
        hands=hands,
        outcomes=builder.outcomes,
        deals=builder.deals(),
        svarkas=int(rules["max_svarkas"]),
    )


def outcomes_of(places: int) -> tuple[tuple[int, ...], ...]:
    """All ways in which hands may rank, 0 the best; no rank below the last one is left out."""
    ranks = (rank for rank in product(range(places), repeat=places))
    return tuple(rank for rank in ranks if set(rank) == set(range(max(rank) + 1)))


class _Builder:
    def __init__(self, game: Any, hands: Hands, most_rows: int) -> None:
        self.game = game
        self._most_rows = most_rows
        self.outcomes = outcomes_of(game.players)
        examples = [_example(hands, ranks) for ranks in self.outcomes]
        self._possible = [i for i, example in enumerate(examples) if example is not None]
        self._examples = [example for example in examples if example is not None]
        self._strict = [i for i in self._possible if len(set(self.outcomes[i])) == game.players]
        if not self._strict:
            raise ValueError(f"{game}: the hands of this deck have too few different scores")
        self._actions = np.zeros(game.limits.num_actions, np.int64)
        self._number: dict[int, int] = {}
        self._starts: list[np.ndarray] = []
        self._rows = 0
        self._counted = bool(counts_svarkas(game.tables.rules[0]))

    def deals(self) -> tuple[Deal, ...]:
        state = self.game.new_states()
        drive.begin_hand(state, self.game.tables)
        self._deal_number(state[0])
        deals: list[Deal] = []
        while len(deals) < len(self._starts):
            deals.append(self._deal(self._starts[len(deals)]))
        return _in_order(deals)

    def _deal_number(self, state: np.void) -> int:
        """The number of the deal that begins in `state`."""
        key = int(state["deal_history"])
        if key not in self._number:
            self._number[key] = len(self._starts)
            self._starts.append(np.repeat(np.array([state]), len(self._possible)))
        return self._number[key]

    def _deal(self, states: np.ndarray) -> Deal:
        """The tree of the deal that begins in all of `states`."""
        tree = _Tree(self.game, states[0].copy(), len(self.outcomes))
        tables = self.game.tables
        todo = [(NO_NODE, states)]
        while todo:
            row, states = todo.pop()
            if int(states[0]["turn"]) == CHANCE and not _is_over(states[0], tree.start):
                states = states.copy()
                for i, hands in enumerate(self._examples):
                    self._deal_hands(states[i : i + 1], tree.start, hands)
            if _is_over(states[0], tree.start):
                self._add_leaf(tree, row, states)
                continue
            turn = int(states[0]["turn"])
            count = drive.list_actions(states[:1], tables, self._actions)
            actions = [int(action) for action in self._actions[:count]]
            key = int(drive.key_of(states[:1], tables, turn))
            rows = tree.add_node(row, states[0], key, actions)
            self._rows += len(rows)
            if self._rows > self._most_rows:
                raise ChainTooLongError(
                    f"the deals of {self.game} have more than {self._most_rows:,} actions"
                )
            for row, action in reversed(list(zip(rows, actions, strict=True))):
                after = states.copy()
                for i in range(len(after)):
                    drive.apply_action(after[i : i + 1], tables, action)
                todo.append((row, after))
        return tree.deal(self._counted)

    def _deal_hands(self, states: np.ndarray, start: np.void, hands: np.ndarray) -> None:
        """Deal `hands` [places, cards] in `states[0]`."""
        svarkas = int(states[0]["svarkas"])
        dealt = np.zeros(self.game.players, np.int64)
        while int(states[0]["turn"]) == CHANCE and int(states[0]["svarkas"]) == svarkas:
            seat = int(drive.audience_of(states, self.game.tables))
            card = int(hands[_place(start, seat, self.game.players), dealt[seat]])
            dealt[seat] += 1
            drive.apply_action(states, self.game.tables, card)

    def _add_leaf(self, tree: _Tree, row: int, states: np.ndarray) -> None:
        """A leaf, from the copies of the state in which the deal has just ended."""
        leaf = tree.add_leaf(row)
        for outcome, state in zip(self._possible, states, strict=True):
            if int(state["turn"]) == TERMINAL:
                tree.pay(leaf, outcome, state["stack"])
            elif self._is_decided(state):
                tree.pay(leaf, outcome, self._expected_stacks(state))
            else:
                turn = int(state["dealer"]) - int(tree.start["dealer"])
                tree.follow(leaf, outcome, self._deal_number(state), turn % self.game.players)

    def _is_decided(self, state: np.void) -> bool:
        """Whether of two players nobody will decide anything any more: they are only dealt cards.

        Of three one with chips may have to say whether it joins the next svarka, and odd chips are
        not shared evenly.
        """
        return self.game.players == 2 and int((state["stack"][:2] > 0).sum()) < 2

    def _expected_stacks(self, state: np.void) -> np.ndarray:
        """[seats] What a deal without decisions is worth: everybody wins as often as the others.

        Ties are played off between players who are as likely to win as each other, so that they
        change nothing: it is the mean over all orders of the hands.
        """
        total = np.zeros(self.game.players)
        for outcome in self._strict:
            states = np.array([state])
            self._deal_hands(states, state, self._examples[self._possible.index(outcome)])
            total += states[0]["stack"][: self.game.players]
        return total / len(self._strict)


def _is_over(state: np.void, start: np.void) -> bool:
    """Whether the deal that began in `start` has ended; asking who joins is a deal of its own."""
    joining = int(state["phase"]) == JOIN and int(start["phase"]) != JOIN
    over = int(state["turn"]) == TERMINAL or int(state["svarkas"]) != int(start["svarkas"])
    return over or joining


def _place(start: np.void, seat: int, players: int) -> int:
    """The place of a seat in the deal that begins in `start`."""
    return (seat - int(start["dealer"]) - 1) % players


class _Tree:
    """The members of a `Deal`, as they are found."""

    def __init__(self, game: Any, start: np.void, outcomes: int) -> None:
        self.game = game
        self.start = start
        self._outcomes = outcomes
        self._nodes: list[tuple[int, bool, int, int, int]] = []
        self._rows: list[tuple[int, str]] = []
        self._child: list[int] = []
        self._leaf_row: list[int] = []
        self._payoff: list[np.ndarray] = []
        self._follower: list[np.ndarray] = []
        self._turn: list[np.ndarray] = []

    def add_node(self, row: int, state: np.void, key: int, actions: list[int]) -> range:
        """The decision of the seat to act in `state`; gives its rows."""
        if row >= 0:
            self._child[row] = len(self._nodes)
        place = _place(self.start, int(state["turn"]), self.game.players)
        looked = key & NO_CLASS != NO_CLASS
        first = len(self._rows)
        self._nodes.append((place, looked, key & ~NO_CLASS, first, row))
        self._rows += [(action, _word(self.game, state, action)) for action in actions]
        self._child += [NO_NODE] * len(actions)
        return range(first, len(self._rows))

    def add_leaf(self, row: int) -> int:
        self._leaf_row.append(row)
        self._payoff.append(np.zeros((self._outcomes, self.game.players)))
        self._follower.append(np.full(self._outcomes, NOT_PLAYED_OFF))
        self._turn.append(np.zeros(self._outcomes, np.int64))
        return len(self._leaf_row) - 1

    def pay(self, leaf: int, outcome: int, by_seat: np.ndarray) -> None:
        self._payoff[leaf][outcome] = self._by_place(by_seat)

    def follow(self, leaf: int, outcome: int, deal: int, turn: int) -> None:
        self._follower[leaf][outcome] = deal
        self._turn[leaf][outcome] = turn

    def _by_place(self, by_seat: np.ndarray) -> np.ndarray:
        n = self.game.players
        return np.array([by_seat[(int(self.start["dealer"]) + 1 + p) % n] for p in range(n)])

    def deal(self, counted: bool) -> Deal:
        start, n = self.start, self.game.players
        columns = list(zip(*self._nodes, strict=True)) or [()] * 5
        place, looked, situation, first_row, parent = columns
        fair = (start["stack"] + start["paid"])[:n].astype(np.float64)
        for chips, seats in list(zip(start["pot_chips"], start["pot_seats"], strict=True))[
            : int(start["pots"])
        ]:
            members = [seat for seat in range(n) if int(seats) >> seat & 1]
            fair[members] += chips / max(len(members), 1)  # a decided main pot is empty
        return Deal(
            start=np.array([start]),
            stacks=tuple(int(chips) for chips in self._by_place(start["stack"])),
            pot=int(start["pot"]),
            fair=self._by_place(fair),
            svarkas_left=int(self.game.parameters["max_svarkas"]) - int(start["svarkas"])
            if counted
            else None,
            place=np.array(place, np.int64),
            looked=np.array(looked, bool),
            situation=np.array(situation, np.uint64),
            first_row=np.array([*first_row, len(self._rows)], np.int64),
            parent=np.array(parent, np.int64),
            action=np.array([action for action, _ in self._rows], np.int64),
            word=tuple(word for _, word in self._rows),
            child=np.array(self._child, np.int64),
            leaf_row=np.array(self._leaf_row, np.int64),
            payoff=np.array(self._payoff),
            follower=np.array(self._follower),
            turn=np.array(self._turn),
        )


def _word(game: Any, state: np.void, action: int) -> str:
    """An action in short: "look", "blind2", "x" (check), "b2" (bet), "c", "r4", "f", "join" ..."""
    kind, *chips = describe(game, state, action)
    if kind == "call":
        return "c" if chips[0] else "x"
    if kind == "raise":
        return f"{'r' if state['level'] else 'b'}{chips[0]}"
    if kind == "blind":
        return f"blind{chips[0]}"
    return "f" if kind == "fold" else str(kind)


def _example(hands: Hands, ranks: tuple[int, ...]) -> np.ndarray | None:
    """Disjoint hands [places, cards] that rank like this; None if the deck has none.

    Hands are tried in an order that mixes strong and weak ones, so that large decks end at once.
    """
    order = np.random.default_rng(0).permutation(len(hands.hand_class))
    score = hands.score[hands.hand_class]
    chosen: list[int] = []
    tried = [0]
    while tried:
        place = len(chosen)
        for at in range(tried[-1], len(order)):
            hand = int(order[at])
            if _fits(hands, score, ranks, chosen, hand):
                tried[-1] = at + 1
                chosen.append(hand)
                break
        else:
            tried.pop()
            if chosen:
                chosen.pop()
            continue
        if place + 1 == len(ranks):
            return hands.all_cards[chosen]
        tried.append(0)
    return None


def _fits(
    hands: Hands, score: np.ndarray, ranks: tuple[int, ...], chosen: list[int], hand: int
) -> bool:
    """Whether a hand for the next place ranks right against those chosen, and shares no card."""
    rank = ranks[len(chosen)]
    for place, other in enumerate(chosen):
        wanted = np.sign(rank - ranks[place])
        if np.sign(score[other] - score[hand]) != wanted:
            return False
        if np.intersect1d(hands.all_cards[other], hands.all_cards[hand]).size:
            return False
    return True


def _in_order(deals: list[Deal]) -> tuple[Deal, ...]:
    """The deals, each after all that lead to it."""
    followers = [sorted(set(deal.follower[deal.follower >= 0].tolist())) for deal in deals]
    leading = np.zeros(len(deals), np.int64)
    for some in followers:
        leading[some] += 1
    order = [0]
    for deal in order:
        for follower in followers[deal]:
            leading[follower] -= 1
            if leading[follower] == 0:
                order.append(follower)
    assert len(order) == len(deals), "a pot that is played off never comes back as it was"
    number = np.full(len(deals) + 1, NOT_PLAYED_OFF)
    number[order] = np.arange(len(deals))
    return tuple(replace(deals[i], follower=number[deals[i].follower]) for i in order)
