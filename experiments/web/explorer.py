"""A solved game of Svara for two to look through: one decision after the other, with every hand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.table.holdings import reason_of
from pokerspiel.experiments.study_figures import Solution
from pokerspiel.experiments.study_solution import solution_of, solution_of_bot
from pokerspiel.experiments.study_words import (
    FOLD,
    PLACES,
    SHOWDOWN,
    SVARKA,
    Spot,
    chips_in,
    find_decision,
    meaning,
    met,
    price_of_call,
    situation,
    split,
    steps,
    words_of,
)
from pokerspiel.games.cards import card_name
from pokerspiel.games.deals import NO_NODE, NOT_PLAYED_OFF, Deal
from pokerspiel.games.variants import load

MOST_KEPT = 4
"""Solutions kept in memory."""

KINDS = {"f": "fold", "x": "call", "c": "call", "b": "raise", "r": "raise"}
"""What an action does, where its word does not say it."""

DIGITS = 5


def explorer_document(bot: str | Agent, at: str = "") -> dict[str, Any]:
    """One decision of the strategy of a bot of Svara for two, with all hands.

    `bot` is a name, the path of a bot file, or an agent. `at` names the actions that lead there, as
    for `find_decision`: "" is the beginning, "look b1", "b1 c svarka look", "pot 8: look".

    | member | meaning |
    |---|---|
    | `bot`, `game`, `unit`, `unit_chips` | what is looked at, and how many chips an ante is |
    | `at`, `path` | the actions so far, as text; each with `word`, `meaning`, `place`, `at` after |
    | `deal`, `deal_pot`, `svarka` | number of the deal, its pot at first, whether it is a svarka |
    | `deals` | deals by their pot, to begin at: `pot`, `at`, `chance` in a hand |
    | `situation`, `place`, `looked` | words; "first" or "dealer"; whether the cards are known |
    | `pot`, `stacks`, `to_call` | chips in the middle, left by place, price of a call |
    | `chance`, `met` | how often a deal that begins so comes here; how often a hand, in words |
    | `actions` | `word`, `meaning`, `kind`, `frequency`, `value`, and what follows (below) |
    | `grid` | by points, the best first; empty before the cards are seen |

    An action leads to the decision `next`, or it `ends` the deal: "fold" or "showdown"; then after
    a tie, whose chance is `tie`, it may go on at `svarka`. A row of the grid has `points`, `count`
    (hands dealt so), `held` (share of the hands held here), `reach`, `frequency` and `value` of
    each action, and `hands`, each with `cards`, `why`, `count`, `reach`, `frequency`, `value`.
    `reach` is how often the player's own actions lead here with the hand, once it has seen it.
    Values are chips that the player gets from here on, with what lies in the pot, if it takes the
    action with all these hands: a fold is worth 0; null where the other place never plays so.
    Raises ValueError, one line, for an unknown bot, one that plays no Svara for two, or actions
    that are not possible.
    """
    return _explored(bot).document(at)


def _explored(bot: str | Agent) -> _Explored:
    if isinstance(bot, Agent):
        return _explored_agent(bot)
    path = Path(bot)
    return _explored_name(bot, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=MOST_KEPT)
def _explored_name(name: str, version: int) -> _Explored:
    """`version` changes with the file."""
    return _Explored(solution_of_bot(name))


@lru_cache(maxsize=MOST_KEPT)
def _explored_agent(agent: Agent) -> _Explored:
    return _Explored(solution_of(agent, agent.name))


@dataclass(frozen=True)
class _Node:
    """The numbers of a decision."""

    weight: np.ndarray
    """[C] how often each class is held here; as it is dealt if nobody plays to here."""
    reach: np.ndarray
    """[C]"""
    behaviour: np.ndarray
    """[actions, C]"""
    values: np.ndarray
    """[actions, C] chips from here on."""


class _Explored:
    """A solution, ready for questions."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.chain = solution.chain
        self.play = solution.play
        self.game = load(solution.chain.game)
        self.play.prepare()

    @cached_property
    def _cards(self) -> list[list[str]]:
        """The cards of each class, the highest first."""
        hands = self.chain.hands.cards
        return [[card_name(int(card)) for card in sorted(hand, reverse=True)] for hand in hands]

    @cached_property
    def _why(self) -> list[str]:
        """Why each class has its points."""
        return [reason_of(self.game, hand.tolist()) for hand in self.chain.hands.cards]

    @cached_property
    def _deals(self) -> list[dict[str, Any]]:
        """The deals that their pot names, with a decision to begin at."""
        pots = [deal.pot for deal in self.chain.deals]
        return [
            {"pot": deal.pot, "at": f"pot {deal.pot}:" if i else "", "chance": _short(played)}
            for i, (deal, played) in enumerate(
                zip(self.chain.deals, self.solution.played, strict=True)
            )
            if deal.nodes and pots.count(deal.pot) == 1
        ]

    def document(self, at: str) -> dict[str, Any]:
        spot = find_decision(self.chain, at)
        deal = self.chain.deals[spot.deal]
        place = int(deal.place[spot.node])
        paid = chips_in(deal, int(deal.parent[spot.node]))
        node = self._numbers(spot, deal.stacks[place] - paid[place])
        chance = self.play.chance(spot.deal, spot.node)
        looked = bool(deal.looked[spot.node])
        return {
            "bot": self.solution.name,
            "game": self.chain.game,
            "unit": self.game.limits.unit,
            "unit_chips": self.game.limits.big_unit,
            "at": spot.text,
            "path": self._path(spot.text),
            "deal": spot.deal,
            "deal_pot": deal.pot,
            "svarka": spot.deal > 0,
            "deals": self._deals,
            "situation": situation(deal, spot.node),
            "place": PLACES[place],
            "looked": looked,
            "pot": deal.pot + sum(paid),
            "stacks": [chips - put for chips, put in zip(deal.stacks, paid, strict=True)],
            "to_call": price_of_call(deal, spot.node),
            "chance": _short(chance),
            "met": met(chance * float(self.solution.played[spot.deal])),
            "actions": self._actions(spot, node),
            "grid": self._grid(node) if looked else [],
        }

    def _numbers(self, spot: Spot, stack: int) -> _Node:
        """The decision in numbers; `stack` is what a fold leaves the player."""
        deal = self.chain.deals[spot.deal]
        own, other = self.play.parts(spot.deal, spot.node)
        rows = slice(deal.first_row[spot.node], deal.first_row[spot.node + 1])
        if deal.looked[spot.node]:
            values = self.play.action_values(spot.deal, spot.node)
        else:
            blind = self.play.blind_values(spot.deal, spot.node)
            values = np.repeat(blind[:, None], self.chain.hands.classes, axis=1)
        dealt = self.chain.hands.count.astype(np.float64)
        weights = (own * (self.play.pairs @ other), own * dealt, dealt)
        weight = next(some for some in weights if some.any())
        return _Node(weight, own, self.solution.strategy[spot.deal][rows], values - stack)

    # The way.

    def _path(self, text: str) -> list[dict[str, Any]]:
        """The actions of a text, as `find_decision` writes it, with the text up to each."""
        path: list[dict[str, Any]] = []
        begins, _, rest = text.rpartition(":")
        said = [f"{begins}:"] if begins else []
        spot = find_decision(self.chain, " ".join(said))
        for word in rest.split():
            said.append(word)
            at = " ".join(said)
            if word == SVARKA:
                path.append({"word": word, "meaning": "a tie: svarka", "place": None, "at": at})
                spot = find_decision(self.chain, at)
                continue
            place = PLACES[int(self.chain.deals[spot.deal].place[spot.node])]
            path.append({"word": word, "meaning": meaning(word), "place": place, "at": at})
            row = _row_of(self.chain.deals[spot.deal], spot.node, word)
            child = int(self.chain.deals[spot.deal].child[row])
            if child == NO_NODE:
                path[-1]["at"] = None  # the deal is over, and a svarka follows
            else:
                spot = Spot(spot.deal, child, at)
        return path

    # The actions.

    def _actions(self, spot: Spot, node: _Node) -> list[dict[str, Any]]:
        deal = self.chain.deals[spot.deal]
        shares = (node.behaviour * node.weight).sum(axis=1) / node.weight.sum()
        known = ~np.isnan(node.values[0])
        weight = np.where(known, node.weight, 0.0)
        values = np.nansum(node.values * weight, axis=1) / (weight.sum() or np.nan)
        return [
            {
                "word": word,
                "meaning": meaning(word),
                "kind": KINDS.get(split(word)[0], split(word)[0]),
                "frequency": _short(shares[i]),
                "value": _known(float(values[i])),
                **self._follows(spot, deal, int(deal.first_row[spot.node]) + i, word),
            }
            for i, word in enumerate(words_of(deal, spot.node))
        ]

    def _follows(self, spot: Spot, deal: Deal, row: int, word: str) -> dict[str, Any]:
        """What an action leads to."""
        at = f"{spot.text} {word}".strip()
        if deal.child[row] != NO_NODE:
            return {"next": at, "ends": None, "svarka": None, "tie": None}
        ends = FOLD if steps(deal, row)[-1][1] == "f" else SHOWDOWN
        leaf = int(np.flatnonzero(deal.leaf_row == row)[0])
        follower = int(deal.follower[leaf, self.chain.tie])
        outcomes = self.play.ends[spot.deal][leaf]
        tie = float(outcomes[self.chain.tie] / outcomes.sum()) if outcomes.any() else None
        goes_on = follower != NOT_PLAYED_OFF and self.chain.deals[follower].nodes > 0
        return {
            "next": None,
            "ends": ends,
            "svarka": f"{at} {SVARKA}" if goes_on else None,
            "tie": None if ends == FOLD or tie is None else _short(tie),
        }

    # The hands.

    def _grid(self, node: _Node) -> list[dict[str, Any]]:
        hands = self.chain.hands
        first = hands.group_first
        shares = np.round(node.behaviour.T, DIGITS).tolist()
        values = [[_known(value) for value in row] for row in node.values.T.tolist()]
        reach = np.round(node.reach, DIGITS).tolist()
        each = [
            {
                "cards": self._cards[i],
                "why": self._why[i],
                "count": int(hands.count[i]),
                "reach": reach[i],
                "frequency": shares[i],
                "value": values[i],
            }
            for i in range(hands.classes)
        ]
        return [
            self._row(node, slice(int(first[i]), int(first[i + 1])), each)
            for i in range(len(first) - 2, -1, -1)
        ]

    def _row(self, node: _Node, some: slice, each: list[dict[str, Any]]) -> dict[str, Any]:
        """The hands of a score."""
        hands = self.chain.hands
        count = hands.count[some]
        weight = node.weight[some]
        held = float(weight.sum() / node.weight.sum())
        if not weight.any():
            weight = count.astype(np.float64)
        known = ~np.isnan(node.values[0, some])
        valued = np.where(known, weight, 0.0)
        values = np.nansum(node.values[:, some] * valued, axis=1) / (valued.sum() or np.nan)
        shares = (node.behaviour[:, some] * weight).sum(axis=1) / weight.sum()
        return {
            "points": int(hands.score[some.start]),
            "count": int(count.sum()),
            "held": _short(held),
            "reach": _short(float((node.reach[some] * count).sum() / count.sum())),
            "frequency": [_short(share) for share in shares],
            "value": [_known(float(value)) for value in values],
            "hands": each[some][::-1],
        }


def _row_of(deal: Deal, node: int, word: str) -> int:
    return int(deal.first_row[node]) + words_of(deal, node).index(word)


def _short(number: float) -> float:
    """A share with as many digits as matter, small ones too."""
    return float(f"{float(number):.{DIGITS}g}")


def _known(value: float) -> float | None:
    return None if math.isnan(value) else round(value, DIGITS) + 0.0
