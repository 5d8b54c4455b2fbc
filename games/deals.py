"""Games that are chains of deals: the shape that solves them without walking every card.

In such a game the private cards are dealt once a deal, all at the same moment, and what follows a
deal (a tie played off, say) begins with a new deck. Everything public is then a small tree, the
same for all cards, and the cards matter at the end of it alone. A family that is such a game has a
function `deals(game)` that gives a `DealChain`.

Seats are *places* here: place 0 is left of the dealer, the last place deals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NO_CLASS = 2047
"""Says that a seat has no hand yet. A key of the information sets `hands` is a hash of what
everybody knows, its situation, whose last bits are replaced by the class of the hand, or this."""

NO_NODE = -1
NOT_PLAYED_OFF = -1


class ChainTooLongError(ValueError):
    """A chain of deals with more actions than allowed."""


@dataclass(frozen=True)
class Hands:
    """All hands of a deck in *classes* of hands that differ by the names of suits only.

    The C classes are in the order of their scores. A *part* is a proper subset of a hand's cards,
    the empty one included; parts that differ by the names of suits are of one of F kinds. Two hands
    share no card if they share no part of one card, and what hands hold a part is known by its
    kind: that is all that counting with card removal needs.
    """

    cards: np.ndarray
    """[C, h] uint8: one hand of each class."""
    count: np.ndarray
    """[C] int64: hands of the class."""
    score: np.ndarray
    """[C] int64, ascending: the higher one wins, equal ones tie."""
    part: np.ndarray
    """[C, 2**h - 1] int64: kind of each part of the class's hand, the empty one first."""
    part_size: np.ndarray
    """[2**h - 1] int64: cards of each of these parts."""
    part_count: np.ndarray
    """[F] int64: different parts of a kind in the deck."""
    all_cards: np.ndarray
    """[H, h] uint8: every hand of the deck; its number is what the family calls its place."""
    hand_class: np.ndarray
    """[H] uint16: the class of each hand."""
    deck: int
    """Cards of the deck."""

    @property
    def classes(self) -> int:
        return len(self.count)

    @property
    def group_first(self) -> np.ndarray:
        """[scores + 1] int64: the first class of each score, and the number of classes."""
        changes = np.flatnonzero(np.diff(self.score)) + 1
        return np.concatenate([[0], changes, [self.classes]])


@dataclass(frozen=True)
class Deal:
    """The public tree of one deal: what may be bet before and after the cards are seen.

    Nodes are decisions, parents before children; the node's actions are its *rows*. A row leads to
    a node or to one of the leaves. *Outcomes* of a leaf are numbered as the chain's `outcomes`.
    """

    start: np.ndarray
    """[1]: a state of the game in which the deal begins."""
    stacks: tuple[int, ...]
    """[places] chips left."""
    pot: int
    """Chips in the middle when it begins, antes included."""
    fair: np.ndarray
    """[places] float64: chips of each in the end if the pots were shared at once."""
    svarkas_left: int | None
    """None if it does not matter."""
    place: np.ndarray
    """[N] int64: who decides."""
    looked: np.ndarray
    """[N] bool: whether it knows its cards."""
    situation: np.ndarray
    """[N] uint64: hash of what everybody knows, and of the place."""
    first_row: np.ndarray
    """[N + 1] int64: rows of each node."""
    parent: np.ndarray
    """[N] int64: the row that leads to the node; -1 for the first one."""
    action: np.ndarray
    """[R] int64: the game's number of the action, ascending in a node."""
    word: tuple[str, ...]
    """[R]: the action in short, unique in a node: "look", "blind2", "b1", "r4", "c", "f" ..."""
    child: np.ndarray
    """[R] int64: the node that the row leads to; NO_NODE if it ends in a leaf."""
    leaf_row: np.ndarray
    """[L] int64: the row that leads to each leaf; -1 if nobody decides anything."""
    payoff: np.ndarray
    """[L, outcomes, places] float64: chips of each place in the end, if no deal follows."""
    follower: np.ndarray
    """[L, outcomes] int64: the deal that follows, or NOT_PLAYED_OFF."""
    turn: np.ndarray
    """[L, outcomes] int64: there the place p becomes the place (p - turn) mod places."""

    @property
    def nodes(self) -> int:
        return len(self.place)

    @property
    def rows(self) -> int:
        return len(self.action)

    def path(self, node: int) -> tuple[str, ...]:
        """The words of the actions that lead to a node."""
        words: list[str] = []
        while self.parent[node] >= 0:
            words.append(self.word[self.parent[node]])
            node = self.node_of_row(int(self.parent[node]))
        return tuple(reversed(words))

    def node_of_row(self, row: int) -> int:
        return int(np.searchsorted(self.first_row, row, side="right")) - 1


@dataclass(frozen=True)
class DealChain:
    """A whole game: the first deal, and all that may follow, none before what leads to it."""

    game: str
    """Game string of the exact game."""
    start: tuple[int, ...]
    """Chips of each place before the game, antes included."""
    hands: Hands
    outcomes: tuple[tuple[int, ...], ...]
    """Rank of each place's hand, 0 the best; equal ranks tie."""
    deals: tuple[Deal, ...]
    svarkas: int
    """Ties that are played off in a row at most; at the bound a tied pot is shared."""

    @property
    def places(self) -> int:
        return len(self.start)

    @property
    def rows(self) -> int:
        return sum(deal.rows for deal in self.deals)

    @property
    def nodes(self) -> int:
        return sum(deal.nodes for deal in self.deals)

    def information_sets(self, buckets: int) -> int:
        """Decisions with each of so many classes or buckets, and those before cards are seen."""
        looked = sum(int(deal.looked.sum()) for deal in self.deals)
        return looked * buckets + self.nodes - looked

    @property
    def tie(self) -> int:
        """The outcome in which all are equal."""
        return self.outcomes.index((0,) * self.places)
