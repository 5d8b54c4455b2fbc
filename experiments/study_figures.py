"""Numbers for players out of a solved chain of deals: who comes where, with what, and how it ends.

All are exact: pairs of hands that share no card count as often as they are dealt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pokerspiel.experiments.study_words import (
    SHOWDOWN,
    TIE,
    ending,
    final_pot,
    steps,
    words_of,
)
from pokerspiel.games.deals import NOT_PLAYED_OFF, Deal, DealChain
from pokerspiel.solvers.chart import DealStrategy
from pokerspiel.solvers.deal_values import ChainPlay, reaches
from pokerspiel.solvers.vector import ChainEvaluation

SELDOM = 0.01
"""Decisions that fewer deals come to are seldom met."""


@dataclass(frozen=True)
class Solution:
    """A two-player chain of deals, strategies for it, and what they are worth."""

    chain: DealChain
    strategy: DealStrategy
    evaluation: ChainEvaluation
    name: str
    """What the strategies are called."""
    unit: int
    """Chips of an ante."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What else is known of how they were made: "algorithm", "iterations" ..."""

    @cached_property
    def play(self) -> ChainPlay:
        """What the strategies meet, and what their actions are worth."""
        return ChainPlay(self.chain, self.strategy)

    @property
    def pairs(self) -> np.ndarray:
        """[classes, classes]: chance that the places are dealt hands of these classes."""
        return self.play.pairs

    @property
    def ends(self) -> list[np.ndarray]:
        """For each deal [leaves, outcomes]: how often a deal that begins so ends so."""
        return self.play.ends

    @cached_property
    def rounds(self) -> np.ndarray:
        """[ties, deals]: how often each deal is played after so many ties in a row."""
        leads = np.zeros((len(self.chain.deals), len(self.chain.deals)))
        for row, deal, ends in zip(leads, self.chain.deals, self.ends, strict=True):
            followed = deal.follower != NOT_PLAYED_OFF
            np.add.at(row, deal.follower[followed], ends[followed])
        rounds = [np.eye(1, len(leads)).ravel()]
        while len(rounds) <= self.chain.svarkas:
            rounds.append(rounds[-1] @ leads)
        return np.array(rounds)

    @cached_property
    def played(self) -> np.ndarray:
        """[deals]: how often each deal is played in a hand of the game."""
        return np.asarray(self.rounds.sum(axis=0))


# Decisions.


@dataclass(frozen=True)
class Decision:
    """What a player does at one decision."""

    deal: Deal
    node: int
    chance: float
    """How often a deal that begins so comes to it."""
    arrives: np.ndarray
    """[classes]: chance of coming to it with each class; they sum to `chance`."""
    behaviour: np.ndarray
    """[actions, classes]: probability of each action."""
    scores: np.ndarray
    """[scores], ascending."""
    held: np.ndarray
    """[scores]: share of each score among the hands that are held there."""
    by_score: np.ndarray
    """[actions, scores]: mean probability over the hands of a score, each as often as the player's
    own actions lead there with it; NaN where they never do."""

    @property
    def words(self) -> tuple[str, ...]:
        return words_of(self.deal, self.node)

    @property
    def place(self) -> int:
        return int(self.deal.place[self.node])

    @property
    def looked(self) -> bool:
        return bool(self.deal.looked[self.node])

    @property
    def frequency(self) -> np.ndarray:
        """[actions]: how often each is taken."""
        return np.asarray(np.nansum(self.by_score * self.held, axis=1))


def decision(solution: Solution, number: int, node: int) -> Decision:
    """A decision of the deal `number`. One that is never met is described all the same."""
    deal = solution.chain.deals[number]
    return _decision(solution, number, node, reaches(deal, solution.strategy[number]))


def _decision(solution: Solution, number: int, node: int, reach: np.ndarray) -> Decision:
    deal, hands = solution.chain.deals[number], solution.chain.hands
    place = int(deal.place[node])
    own, other = reach[place, deal.parent[node]], reach[1 - place, deal.parent[node]]
    arrives = own * (solution.pairs @ other)
    weight = hands.count * own
    if not weight.any():
        weight = hands.count.astype(np.float64)
    first = hands.group_first[:-1]
    behaviour = solution.strategy[number][deal.first_row[node] : deal.first_row[node + 1]]
    total = np.add.reduceat(weight, first)
    held = np.add.reduceat(arrives if arrives.any() else weight, first)
    return Decision(
        deal=deal,
        node=node,
        chance=float(arrives.sum()),
        arrives=arrives,
        behaviour=behaviour,
        scores=hands.score[first],
        held=held / held.sum(),
        by_score=np.add.reduceat(behaviour * weight, first, axis=1)
        / np.where(total > 0.0, total, np.nan),
    )


def decisions(solution: Solution, number: int = 0) -> list[Decision]:
    """All decisions of a deal at which cards are known, those most often met first."""
    deal = solution.chain.deals[number]
    reach = reaches(deal, solution.strategy[number])
    some = [_decision(solution, number, int(n), reach) for n in np.flatnonzero(deal.looked)]
    return sorted(some, key=lambda one: -one.chance)


@dataclass(frozen=True)
class Contrast:
    """Hands of one score that are played differently at a decision."""

    decision: Decision
    score: int
    action: int
    """The action in which they differ most."""
    classes: np.ndarray
    """[hands] of the score, that are held there; those that do it least often first."""
    importance: float
    """Variance of the probabilities of all actions, times how often one comes there with the
    score."""

    @property
    def frequency(self) -> np.ndarray:
        """[hands]: probability of the action."""
        return np.asarray(self.decision.behaviour[self.action, self.classes])

    @property
    def weight(self) -> np.ndarray:
        """[hands]: how often each is held there."""
        return np.asarray(self.decision.arrives[self.classes])


def contrasts(solution: Solution, some: list[Decision], most: int) -> list[Contrast]:
    """The cases in which hands of one score differ most, at decisions that are not seldom met."""
    first = solution.chain.hands.group_first
    found = [
        _contrast(one, int(score), np.arange(first[i], first[i + 1]))
        for one in some
        if one.chance >= SELDOM
        for i, score in enumerate(one.scores)
        if one.held[i] > 0.0
    ]
    return sorted(found, key=lambda contrast: -contrast.importance)[:most]


def _contrast(one: Decision, score: int, classes: np.ndarray) -> Contrast:
    classes = classes[one.arrives[classes] > 0.0]
    weight, behaviour = one.arrives[classes], one.behaviour[:, classes]
    mean = np.average(behaviour, axis=1, weights=weight)[:, None]
    variance = np.average((behaviour - mean) ** 2, axis=1, weights=weight)
    # Of two actions both differ as much: the last one, to bet or to raise, says more.
    action = len(variance) - 1 - int(variance.round(9)[::-1].argmax())
    classes = classes[np.argsort(behaviour[action], kind="stable")]
    return Contrast(one, score, action, classes, float(variance.sum() * weight.sum()))


# Blind bets.


@dataclass(frozen=True)
class Choice:
    """An action before the cards are seen."""

    word: str
    frequency: float
    worth: float
    """Antes that the player wins in a hand in which it comes to this, everything else as ever."""


def blind_choices(solution: Solution) -> dict[int, list[Choice]]:
    """For each decision before the cards are seen, in the first deal: what may be done there."""
    deal = solution.chain.deals[0]
    return {
        int(node): [
            Choice(deal.word[row], float(solution.strategy[0][row, 0]), _worth_of(solution, row))
            for row in range(deal.first_row[node], deal.first_row[node + 1])
        ]
        for node in np.flatnonzero(~deal.looked)
    }


def _worth_of(solution: Solution, row: int) -> float:
    """Antes that the player who decides wins if all actions that lead to a row are taken."""
    deal = solution.chain.deals[0]
    place = int(deal.place[deal.node_of_row(row)])
    forced = solution.strategy[0].copy()
    while row >= 0:
        node = deal.node_of_row(row)
        forced[deal.first_row[node] : deal.first_row[node + 1]] = 0.0
        forced[row] = 1.0
        row = int(deal.parent[node])
    return float(values_of_first(solution, forced)[place] / solution.unit)


def values_of_first(solution: Solution, strategy: np.ndarray) -> np.ndarray:
    """[places]: chips won in a hand if the first deal is played by a strategy [rows, classes]."""
    chain, deal = solution.chain, solution.chain.deals[0]
    worth = np.array([other.fair for other in chain.deals]) + solution.evaluation.values
    ends = solution.play.ends_of(deal, strategy)
    won = []
    for place in range(chain.places):
        followed = worth[deal.follower, (place - deal.turn) % chain.places]
        paid = deal.payoff[:, :, place]
        pays = np.where(deal.follower == NOT_PLAYED_OFF, paid, followed)
        won.append((ends * pays).sum() - chain.start[place])
    return np.array(won)


@dataclass(frozen=True)
class BlindDecision:
    """A decision before the cards are seen, at every pot that has it with the same actions."""

    path: tuple[str, ...]
    pots: np.ndarray
    """[pots], ascending."""
    words: tuple[str, ...]
    frequency: np.ndarray
    """[words, pots]."""


def blind_by_pot(solution: Solution) -> list[BlindDecision]:
    """The decisions before the cards are seen of the first deal, and what is done at other pots."""
    first = solution.chain.deals[0]
    return [
        _blind_decision(solution, first.path(int(node)), words_of(first, int(node)))
        for node in np.flatnonzero(~first.looked)
    ]


def _blind_decision(
    solution: Solution, path: tuple[str, ...], words: tuple[str, ...]
) -> BlindDecision:
    table = np.full((len(words), len(solution.chain.deals)), np.nan)
    for number, deal in enumerate(solution.chain.deals):
        for node in np.flatnonzero(~deal.looked):
            if deal.path(int(node)) == path:
                rows = range(deal.first_row[node], deal.first_row[node + 1])
                some = {deal.word[row]: solution.strategy[number][row, 0] for row in rows}
                table[:, number] = [some.get(word, 0.0) for word in words]
    has = np.flatnonzero(~np.isnan(table[0]))
    pots, frequency = by_pot(solution, table, has)
    return BlindDecision(path, pots, words, frequency)


# Pots.


def by_pot(
    solution: Solution, numbers: np.ndarray, deals: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(The pots of some deals [pots], means of `numbers` [..., deals] for each of them).

    Deals that begin with the same pot count as often as they are played.
    """
    if deals is None:
        deals = np.arange(len(solution.chain.deals))
    of_deal = np.array([solution.chain.deals[number].pot for number in deals])
    weight = solution.played[deals] + np.finfo(float).tiny
    pots = np.unique(of_deal)
    means = [
        np.average(numbers[..., deals[of_deal == pot]], axis=-1, weights=weight[of_deal == pot])
        for pot in pots
    ]
    return pots, np.stack(means, axis=-1)


@dataclass(frozen=True)
class Pots:
    """What it means to begin a deal with each pot."""

    pots: np.ndarray
    """[pots] chips, ascending."""
    first: np.ndarray
    """[pots] antes that the place left of the dealer wins beyond its fair share."""
    share: np.ndarray
    """[pots] the same as a share of the pot."""
    played: np.ndarray
    """[pots] how often a deal with this pot is played in a hand."""


def svara_pots(solution: Solution) -> Pots:
    """Values and chances of all pots."""
    pots, value = by_pot(solution, solution.evaluation.values[:, 0])
    of_deal = np.array([deal.pot for deal in solution.chain.deals])
    played = np.array([solution.played[of_deal == pot].sum() for pot in pots])
    return Pots(pots, value / solution.unit, value / pots, played)


# Ends.


@dataclass(frozen=True)
class Ending:
    """A way for a deal to end."""

    kind: tuple[str, ...]
    """(FOLD, place, what it folds to), (SHOWDOWN,) or (TIE,)."""
    chance: float
    """Share of the deals that end so."""
    pot: float
    """Mean of the chips in the middle then."""


def endings(solution: Solution, deals: np.ndarray) -> list[Ending]:
    """How deals end, `deals` [deals] of each taken together; the most frequent way first."""
    chance: dict[tuple[str, ...], float] = {}
    chips: dict[tuple[str, ...], float] = {}
    for deal, ends, times in zip(solution.chain.deals, solution.ends, deals, strict=True):
        for row, outcomes in zip(deal.leaf_row, ends, strict=True):
            kind, pot = ending(deal, int(row)), final_pot(deal, int(row))
            for outcome, share in enumerate(outcomes * times / deals.sum()):
                tied = kind == (SHOWDOWN,) and outcome == solution.chain.tie
                key = (TIE,) if tied else kind
                chance[key] = chance.get(key, 0.0) + float(share)
                chips[key] = chips.get(key, 0.0) + float(share) * pot
    found = [Ending(key, chance[key], chips[key] / chance[key]) for key in chance if chance[key]]
    return sorted(found, key=lambda end: -end.chance)


def endings_of_first(solution: Solution) -> list[Ending]:
    """How the first deal of a hand ends."""
    return endings(solution, np.eye(1, len(solution.chain.deals)).ravel())


def endings_of_svarkas(solution: Solution) -> list[Ending]:
    """How deals end that follow a tie; empty if there are none."""
    times = solution.played.copy()
    times[0] = 0.0
    return endings(solution, times) if times.any() else []


def mean_final_pot(solution: Solution) -> float:
    """Mean of the pot, in antes, when a hand is over, its svarkas included."""
    total = 0.0
    bound = solution.rounds[solution.chain.svarkas]
    for deal, ends, played, last in zip(
        solution.chain.deals, solution.ends, solution.played, bound, strict=True
    ):
        pots = np.array([final_pot(deal, int(row)) for row in deal.leaf_row])
        times = np.where(deal.follower == NOT_PLAYED_OFF, played, last)
        total += float((times * ends * pots[:, None]).sum())
    return total / solution.unit


def svarkas_per_hand(solution: Solution) -> float:
    """Mean number of ties that are played off in a hand."""
    return float(solution.played.sum() - 1.0)


# The whole game.


def first_value(solution: Solution) -> float:
    """Antes that the place left of the dealer wins in a hand."""
    return float(solution.evaluation.game.values[0] / solution.unit)


def exploitability(solution: Solution) -> float:
    """Exploitability in antes."""
    return solution.evaluation.game.exploitability / solution.unit


def blind_first(solution: Solution) -> float:
    """How often the first player bets blind in the first deal."""
    deal = solution.chain.deals[0]
    if not deal.nodes or deal.looked[0]:
        return 0.0
    return 1.0 - float(solution.strategy[0][words_of(deal, 0).index("look"), 0])


def bet_rate(solution: Solution) -> float:
    """How often the first player bets in the first deal once it has looked; 0 if it never may."""
    deal = solution.chain.deals[0]
    for node in np.flatnonzero(deal.looked & (deal.place == 0)):
        if all(word == "look" for _, word in steps(deal, int(deal.parent[node]))):
            one = decision(solution, 0, int(node))
            bets = [word.startswith("b") for word in one.words]
            return float(one.frequency[bets].sum())
    return 0.0


def sensitivity_row(change: str, solution: Solution) -> dict[str, object]:
    """What a change of the house rules does: a row of a report's `sensitivity`.

    `value`: antes a hand of the place left of the dealer; `blind_first`: how often it bets blind;
    `bet_rate`: how often it bets once it has looked.
    """
    return {
        "change": change,
        "value": first_value(solution),
        "exploitability": exploitability(solution),
        "blind_first": blind_first(solution),
        "bet_rate": bet_rate(solution),
    }
