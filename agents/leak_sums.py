"""Leaks added up: by street, line, draw, choice and half, with intervals over clusters of hands.

The hands of one deal are a cluster. A figure is a ratio, chips over hands, and its interval that of
a ratio over independent clusters (Cochran, "Sampling Techniques", 1977, section 6.4); where all
clusters have the same number of hands it is Student's interval of the deals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from pokerspiel.agents.leak_rows import DRAW_KINDS, KINDS, PARTS, Found
from pokerspiel.agents.public_lines import Line, line_to
from pokerspiel.agents.scores import CONFIDENCE, Score
from pokerspiel.games.variants import Game

_COLUMNS = 1 + len(PARTS)
"""The whole, then its parts."""
_DRAWS = {*range(DRAW_KINDS, len(KINDS)), KINDS.index("keep"), KINDS.index("reject")}


class _Sums:
    """Sums over clusters, and of their squares, for groups that turn up one after the other."""

    def __init__(self) -> None:
        self.names: dict[Any, int] = {}
        self.reached = np.zeros(0, np.int64)
        self._sums = np.zeros((3, 0, _COLUMNS))
        """[chips, their squares, chips times hands] of the clusters."""

    def place(self, name: Hashable) -> int:
        """The number of a group, a new one if it has not been met."""
        return self.names.setdefault(name, len(self.names))

    def add(
        self, clusters: np.ndarray, groups: np.ndarray, values: np.ndarray, hands: np.ndarray
    ) -> None:
        """Add `values` [rows, columns] of whole clusters; `hands` are those of each cluster."""
        self._grow()
        n = max(len(self.names), 1)
        both, row = np.unique(clusters * n + groups, return_inverse=True)
        chips = np.zeros((len(both), _COLUMNS))
        np.add.at(chips, row, values)
        weighed = chips * hands[both // n, None]
        for total, summands in zip(self._sums, (chips, chips**2, weighed), strict=True):
            np.add.at(total, both % n, summands)

    def reach(self, groups: np.ndarray) -> None:
        """Count decisions."""
        self._grow()
        np.add.at(self.reached, groups, 1)

    def _grow(self) -> None:
        more = len(self.names) - len(self.reached)
        if more > 0:
            self.reached = np.concatenate([self.reached, np.zeros(more, np.int64)])
            self._sums = np.concatenate([self._sums, np.zeros((3, more, _COLUMNS))], axis=1)

    def scores(self, group: int, hands: np.ndarray, unit: float) -> list[Score]:
        """The figures of a group; `hands` are the clusters, their hands and the squares of them."""
        clusters, total, squares = hands.tolist()
        if clusters == 0:
            return [Score(None, None)] * _COLUMNS
        scores = []
        for chips, chips_squared, weighed in self._sums[:, group].T.tolist():
            mean = chips / total
            if clusters == 1:
                scores.append(Score(mean * unit, None))
                continue
            spread = max(chips_squared - 2.0 * mean * weighed + mean**2 * squares, 0.0)
            error = math.sqrt(spread * clusters / (clusters - 1)) / total
            reach = float(stdtrit(clusters - 1, 0.5 + CONFIDENCE / 2)) * error
            scores.append(Score(mean * unit, ((mean - reach) * unit, (mean + reach) * unit)))
        return scores


@dataclass(frozen=True)
class Leak:
    """What some decisions cost, in thousandths of a big blind or an ante per hand."""

    name: str
    reached: int
    """Decisions of this kind that were judged."""
    score: Score
    parts: tuple[Score, ...]
    """The same from the draw halves, the Omaha halves and all else, where pots have halves."""

    def to_json(self) -> dict[str, Any]:
        values = {"name": self.name, "reached": self.reached, **_json(self.score)}
        if self.parts:
            values["parts"] = dict(zip(PARTS, map(_json, self.parts), strict=True))
        return values


def _json(score: Score) -> dict[str, Any]:
    return {"mbb_per_hand": score.mbb_per_hand, "ci95": score.ci95 and list(score.ci95)}


class LeakSums:
    """All that has been judged so far, of hands of `game`; `in_parts` if the halves are known."""

    def __init__(self, game: Game, in_parts: bool = True) -> None:
        self.game = game
        self.has_halves = in_parts and hasattr(game.family, "halves_won")
        self._totals = _Sums()
        for name in ("leaks", "won", "difference"):
            self._totals.place(name)
        self._lines, self._streets, self._on_street = _Sums(), _Sums(), _Sums()
        self._choices, self._draws = _Sums(), _Sums()
        self._line_of: dict[int, tuple[int, int, int]] = {}
        """By hash of the public events: places in `_lines`, `_streets` and `_on_street`."""
        self._hands = np.zeros(3)
        """Clusters, hands, sum of the squared hands of the clusters."""
        self.decisions = 0

    @property
    def hands(self) -> int:
        return int(self._hands[1])

    @property
    def clusters(self) -> int:
        return int(self._hands[0])

    def add(self, found: Found, cluster: np.ndarray) -> None:
        """Add hands; `cluster` [hands] numbers their clusters, which must be whole, from 0 on."""
        hands = np.bincount(cluster).astype(float)
        decisions, shares = found.decisions, found.shares
        places = np.array([self._places(found, row) for row in decisions], np.int64).reshape(-1, 3)
        values = np.hstack([shares["parts"].sum(axis=1)[:, None], shares["parts"]])
        where = cluster[decisions["hand"][shares["decision"]]]
        for column, sums in enumerate((self._lines, self._streets, self._on_street)):
            sums.reach(places[:, column])
            sums.add(where, places[shares["decision"], column], values, hands)
        for sums, chosen in (
            (self._draws, np.isin(shares["did"], list(_DRAWS))),
            (self._choices, ~np.isin(shares["did"], list(_DRAWS))),
        ):
            pairs = zip(shares["did"][chosen], shares["instead"][chosen], strict=True)
            groups = np.array([sums.place((int(a), int(b))) for a, b in pairs], np.int64)
            sums.reach(groups)
            sums.add(where[chosen], groups, values[chosen], hands)
        self._add_totals(cluster, found.returns, where, values, hands)
        self._hands += [len(hands), hands.sum(), (hands**2).sum()]
        self.decisions += len(decisions)

    def _add_totals(
        self,
        cluster: np.ndarray,
        returns: np.ndarray,
        where: np.ndarray,
        values: np.ndarray,
        hands: np.ndarray,
    ) -> None:
        won = np.zeros((len(returns), _COLUMNS))
        won[:, 0] = returns
        zeros, ones = np.zeros(len(where), np.int64), np.ones(len(returns), np.int64)
        self._totals.add(where, zeros, values, hands)
        self._totals.add(cluster, ones, won, hands)
        self._totals.add(
            np.concatenate([where, cluster]),
            np.full(len(where) + len(cluster), 2),
            np.concatenate([values, -won]),
            hands,
        )

    def _places(self, found: Found, row: Any) -> tuple[int, int, int]:
        history = int(row["history"])
        if history not in self._line_of:
            line: Line = line_to(self.game, found.trace[row["start"] : row["stop"]].tolist())
            self._line_of[history] = (
                self._lines.place((line.street, line.words)),
                self._streets.place((line.street,)),
                self._on_street.place((line.street, line.on_street)),
            )
        return self._line_of[history]

    def total(self) -> Leak:
        """All leaks together."""
        return self._leak(self._totals, 0, "all decisions", self.decisions)

    def won(self) -> Score:
        """What the player won in the same hands."""
        return self._totals.scores(1, self._hands, self._unit)[0]

    def difference(self) -> Score:
        """The leaks less what was won, hand by hand."""
        return self._totals.scores(2, self._hands, self._unit)[0]

    def streets(self) -> list[Leak]:
        """In the order in which they were met."""
        return self._leaks(self._streets, lambda name: str(name[0]))

    def lines(self) -> list[Leak]:
        """Every betting node by its public actions, the worst first."""
        return _worst_first(self._leaks(self._lines, lambda name: str(name[1])))

    def on_streets(self) -> list[Leak]:
        """Betting nodes by what was done on the street alone, the worst first."""
        return _worst_first(self._leaks(self._on_street, lambda name: str(name[1])))

    def choices(self) -> list[Leak]:
        """What was done too often instead of what, draws aside, the worst first."""
        return _worst_first(self._leaks(self._choices, _choice))

    def draws(self) -> list[Leak]:
        """The same of draws, by the number of cards, and of face-up cards."""
        return _worst_first(self._leaks(self._draws, _choice))

    @property
    def _unit(self) -> float:
        return 1000.0 / self.game.limits.big_unit

    def _leaks(self, sums: _Sums, name_of: Callable[[Any], str]) -> list[Leak]:
        return [
            self._leak(sums, place, name_of(name), int(sums.reached[place]))
            for name, place in sums.names.items()
        ]

    def _leak(self, sums: _Sums, place: int, name: str, reached: int) -> Leak:
        whole, *parts = sums.scores(place, self._hands, self._unit)
        return Leak(name, reached, whole, tuple(parts) if self.has_halves else ())


def _choice(pair: tuple[int, int]) -> str:
    did, instead = (KINDS[kind] for kind in pair)
    return f"{did} in another way" if did == instead else f"{did}, not {instead}"


def _worst_first(leaks: Sequence[Leak]) -> list[Leak]:
    return sorted(leaks, key=lambda leak: (leak.score.mbb_per_hand or 0.0, leak.name))
