"""What a tournament has found, from the deals that were played: a document of JSON values.

Scores are in thousandths of a big blind or an ante a hand. A bot's *score* is the mean over its
meetings, so that every opponent weighs the same; its interval is a bootstrap over deals, in which a
deal stands for all hands played with its cards, at all tables. Where there is a value function,
scores that AIVAT has corrected stand beside the others, and ranks and ratings go by them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerspiel.agents.arena import milli_units
from pokerspiel.agents.scores import (
    CONFIDENCE,
    Score,
    bootstrap_means,
    by_player,
    hands_saved,
    score_of,
    score_of_seats,
)
from pokerspiel.experiments.entrants import Entrant
from pokerspiel.experiments.ratings import (
    alpha_rank,
    circles,
    cycle_test,
    nash_averages,
    nash_of,
    ratings_of,
)
from pokerspiel.experiments.tournament_play import Meeting, hands_a_deal
from pokerspiel.experiments.tournament_store import TournamentStore
from pokerspiel.games.variants import Game

FEW = 200
"""Bootstrap replicates of ratings that take a while each."""
_AT_ONCE = 1 << 24
"""Numbers that a bootstrap looks at in one go."""

Document = dict[str, Any]


@dataclass(frozen=True)
class Played:
    """What the players of a meeting won.

    Letters: D deals, n players, in the order of the meeting's members.
    """

    plain: np.ndarray
    """[D, n] mean over the hands of a deal."""
    corrected: np.ndarray | None
    """The same after the corrections of `aivat`."""
    alone: tuple[Score, ...]
    """Of each player, as if every hand had cards of its own."""
    counts: np.ndarray
    """[n, 2] decisions, and those that a policy missed."""
    faults: tuple[Mapping[str, int], ...]
    seconds: float

    @property
    def best(self) -> np.ndarray:
        return self.plain if self.corrected is None else self.corrected


def played_of(
    store: TournamentStore, meeting: Meeting, entrants: Sequence[Entrant], game: Game, deals: int
) -> Played:
    """The first `deals` deals of a meeting, all of which are there."""
    unit = milli_units(game)
    contents = [entrants[member].content for member in meeting.members]
    chips, corrected = [], []
    counts = np.zeros((len(contents), 2), np.int64)
    faults: list[Counter[str]] = [Counter() for _ in contents]
    seconds = 0.0
    for match in meeting.matches:
        parts = store.scores(match)
        order = [match.players.index(content) for content in contents]
        chips.append(_seats([part.chips for part, _ in parts], order, deals) * unit)
        if match.values_hash:
            fair = [part.corrected for part, _ in parts if part.corrected is not None]
            corrected.append(_seats(fair, order, deals) * unit)
        for part, took in parts:
            counts += part.counts[order]
            seconds += took
            for place, player in enumerate(order):
                faults[place].update(part.faults[player])
    hands = np.concatenate(chips, axis=2)
    return Played(
        hands.mean(axis=2),
        np.concatenate(corrected, axis=2).mean(axis=2) if corrected else None,
        tuple(score_of_seats(hands[:, place]) for place in range(len(contents))),
        counts,
        tuple(dict(fault) for fault in faults),
        seconds,
    )


def _seats(parts: Sequence[np.ndarray], order: Sequence[int], deals: int) -> np.ndarray:
    """[D, n, seats] of the first deals, the players in a given order."""
    return by_player(np.concatenate(parts)[:deals])[:, order]


def document_of(
    store: TournamentStore,
    entrants: Sequence[Entrant],
    meetings: Sequence[Meeting],
    game: Game,
    seed: int,
    deals: int,
    min_hands: int,
    values: str | None,
    exploitabilities: Sequence[Mapping[str, Any] | None],
) -> Document:
    """All that is known of a tournament whose deals are played, up to matches that failed."""
    failures = [_failure(store, meeting) for meeting in meetings]
    played = [
        None if failure else played_of(store, meeting, entrants, game, deals)
        for meeting, failure in zip(meetings, failures, strict=True)
    ]
    hands = deals * hands_a_deal(game)
    names = [entrant.name for entrant in entrants]
    bots = [
        _bot(number, entrant, meetings, played, hands, found)
        for number, (entrant, found) in enumerate(zip(entrants, exploitabilities, strict=True))
    ]
    _add_scores(bots, meetings, played)
    ratings = _ratings(bots, meetings, played) if game.players == 2 else None
    order = _order(bots)
    bots = [bots[number] for number in order]
    _rank(bots, min_hands)
    return {
        "game": str(game),
        "rule_version": game.rule_version,
        "unit": game.limits.unit,
        "players": game.players,
        "seed": seed,
        "deals": deals,
        "hands": hands,
        "min_hands": min_hands,
        "values": values,
        "scored_by": "aivat" if values else "plain",
        "bots": bots,
        "matches": [
            _match(meeting, its, failure, names, hands)
            for meeting, its, failure in zip(meetings, played, failures, strict=True)
        ],
        "cross_table": _cross_table(meetings, played, order, values is not None),
        "ratings": ratings,
        "seconds": sum(its.seconds for its in played if its is not None),
    }


def _failure(store: TournamentStore, meeting: Meeting) -> str | None:
    for match in meeting.matches:
        message = store.failure(match)
        if message is not None:
            return message
    return None


# Bots.


def _bot(
    number: int,
    entrant: Entrant,
    meetings: Sequence[Meeting],
    played: Sequence[Played | None],
    hands: int,
    exploitability: Mapping[str, Any] | None,
) -> Document:
    counts, faults, finished, failed = np.zeros(2, np.int64), Counter[str](), 0, 0
    for meeting, its in zip(meetings, played, strict=True):
        if number in meeting.members:
            if its is None:
                failed += 1
                continue
            place = meeting.members.index(number)
            counts += its.counts[place]
            faults.update(its.faults[place])
            finished += 1
    return {
        "name": entrant.name,
        "given": entrant.given,
        "content": entrant.content,
        "manifest": dict(entrant.manifest),
        "rank": None,
        "hands": finished * hands,
        "failed_matches": failed,
        "decisions": int(counts[0]),
        "misses": float(counts[1] / counts[0]) if counts[0] else 0.0,
        "faults": dict(faults),
        "exploitability": None if exploitability is None else dict(exploitability),
    }


def _add_scores(
    bots: Sequence[Document], meetings: Sequence[Meeting], played: Sequence[Played | None]
) -> None:
    """Add the mean over all meetings of each bot, with its interval."""
    plain = _Means(meetings, played, lambda its: its.plain)
    has_corrected = any(its is not None and its.corrected is not None for its in played)
    fair = _Means(meetings, played, lambda its: its.best) if has_corrected else None
    for number, bot in enumerate(bots):
        bot["score"] = plain.of_bot(number)
        bot["aivat"] = None if fair is None else fair.of_bot(number)


class _Means:
    """Mean of each player in each meeting, and bootstrap replicates of it over deals."""

    def __init__(
        self,
        meetings: Sequence[Meeting],
        played: Sequence[Played | None],
        scores: Callable[[Played], np.ndarray],
    ) -> None:
        its = [(m.members, scores(p)) for m, p in zip(meetings, played, strict=True) if p]
        self.members = [members for members, _ in its]
        self.means = [values.mean(axis=0) for _, values in its]
        """[n] of each meeting."""
        self.replicates = _replicates([values for _, values in its])
        """[B, n] of each meeting, all from the same draws of deals; none with a single deal."""

    def of_bot(self, number: int) -> Document:
        places = [
            (meeting, members.index(number))
            for meeting, members in enumerate(self.members)
            if number in members
        ]
        if not places:
            return {"mbb_per_hand": None, "ci95": None}
        mean = np.mean([self.means[meeting][place] for meeting, place in places])
        if not self.replicates:
            return {"mbb_per_hand": float(mean), "ci95": None}
        drawn = np.mean([self.replicates[meeting][:, place] for meeting, place in places], axis=0)
        return {"mbb_per_hand": float(mean), "ci95": _interval(drawn)}


def _replicates(values: Sequence[np.ndarray]) -> list[np.ndarray]:
    if not values or len(values[0]) < 2:
        return []
    size = max(_AT_ONCE // values[0].size, 1)
    found: list[np.ndarray] = []
    for start in range(0, len(values), size):
        together = bootstrap_means(np.stack(values[start : start + size], axis=1))
        found += [together[:, meeting] for meeting in range(together.shape[1])]
    return found


def _interval(drawn: np.ndarray) -> list[float]:
    low, high = np.quantile(drawn, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2])
    return [float(low), float(high)]


def best_score(bot: Document) -> float | None:
    """What ranks go by."""
    mean: float | None = (bot["aivat"] or bot["score"])["mbb_per_hand"]
    return mean


def _order(bots: Sequence[Document]) -> list[int]:
    """The bots' numbers, best score first, those without one last."""

    def place(number: int) -> tuple[bool, float]:
        mean = best_score(bots[number])
        return mean is None, -(mean or 0.0)

    return sorted(range(len(bots)), key=place)


def _rank(bots: Sequence[Document], min_hands: int) -> None:
    """Number those that have played all their matches and enough hands."""
    ranked = [bot for bot in bots if bot["hands"] >= min_hands and not bot["failed_matches"]]
    for rank, bot in enumerate(ranked, 1):
        bot["rank"] = rank


# Matches.


def _match(
    meeting: Meeting,
    played: Played | None,
    failure: str | None,
    names: Sequence[str],
    hands: int,
) -> Document:
    players = [{"name": names[member]} for member in meeting.members]
    if played is not None:
        players = [
            {"name": names[member], **_scores(played, place)}
            for place, member in enumerate(meeting.members)
        ]
    return {
        "players": players,
        "hands": 0 if played is None else hands,
        "orders": len(meeting.matches),
        "failure": failure,
    }


def _scores(played: Played, place: int) -> Document:
    plain = score_of(played.plain[:, place])
    scores: Document = {**_score(plain), "hands_saved": hands_saved(played.alone[place], plain)}
    if played.corrected is not None:
        fair = score_of(played.corrected[:, place])
        saved = hands_saved(played.alone[place], fair)
        scores["aivat"] = {**_score(fair), "hands_saved": saved}
    return scores


def _score(score: Score) -> Document:
    return {"mbb_per_hand": score.mbb_per_hand, "ci95": score.ci95 and list(score.ci95)}


def _cross_table(
    meetings: Sequence[Meeting],
    played: Sequence[Played | None],
    order: Sequence[int],
    corrected: bool,
) -> Document:
    """Rows and columns in the order of the bots: what a row wins when the column sits there."""
    kinds: dict[str, Callable[[Played], np.ndarray]] = {"plain": lambda its: its.plain}
    if corrected:
        kinds["aivat"] = lambda its: its.best
    return {
        kind: [[_cell(meetings, played, row, column, scores) for column in order] for row in order]
        for kind, scores in kinds.items()
    }


def _cell(
    meetings: Sequence[Meeting],
    played: Sequence[Played | None],
    row: int,
    column: int,
    scores: Callable[[Played], np.ndarray],
) -> Document | None:
    its = [
        scores(one)[:, meeting.members.index(row)]
        for meeting, one in zip(meetings, played, strict=True)
        if one is not None and row in meeting.members and column in meeting.members
    ]
    return None if row == column or not its else _score(score_of(np.mean(its, axis=0)))


# Ratings, for two players.


def _ratings(
    bots: Sequence[Document], meetings: Sequence[Meeting], played: Sequence[Played | None]
) -> Document | None:
    """Add ratings to the bots who have met all others; what there is to say of them all."""
    means = _Means(meetings, played, lambda its: its.best)
    payoffs = _payoffs(means.members, means.means, len(bots))
    draws = range(len(means.replicates[0]) if means.replicates else 0)
    replicates = np.array(
        [
            _payoffs(means.members, [replicate[draw] for replicate in means.replicates], len(bots))
            for draw in draws
        ]
    ).reshape(-1, len(bots), len(bots))
    kept = _complete(payoffs)
    for bot in bots:
        bot["rating"] = bot["nash"] = bot["alpha_rank"] = None
    left_out = [bot["name"] for number, bot in enumerate(bots) if number not in kept]
    if len(kept) < 2:
        return {"left_out": left_out, "cycles": None, "circles": []}
    payoffs = payoffs[np.ix_(kept, kept)]
    replicates = replicates[:, kept][:, :, kept]
    _add(bots, kept, "rating", "mbb_per_hand", ratings_of, payoffs, replicates)
    few = replicates[:FEW]
    _add(bots, kept, "nash", "mbb_per_hand", _nash_averages, payoffs, few)
    shares = nash_of(payoffs)
    for number, share in zip(kept, shares, strict=True):
        bots[number]["nash"]["share"] = float(share)
    _add(bots, kept, "alpha_rank", "share", alpha_rank, payoffs, few)
    test = cycle_test(payoffs, replicates) if len(replicates) else None
    cycles = test and {
        "share": test.share,
        "by_noise": test.by_noise,
        "p_value": test.p_value,
        "replicates": len(replicates),
    }
    names = [bots[number]["name"] for number in kept]
    found = circles(_beats(replicates)) if len(replicates) else []
    return {
        "left_out": left_out,
        "cycles": cycles,
        "circles": [[names[player] for player in circle] for circle in found],
    }


def _beats(replicates: np.ndarray) -> np.ndarray:
    """Who wins from whom by a 95 % interval that excludes zero."""
    return np.asarray(np.quantile(replicates, 0.5 - CONFIDENCE / 2, axis=0) > 0)


def _nash_averages(payoffs: np.ndarray) -> np.ndarray:
    return nash_averages(payoffs, nash_of(payoffs))


def _add(
    bots: Sequence[Document],
    kept: Sequence[int],
    key: str,
    what: str,
    rate: Callable[[np.ndarray], np.ndarray],
    payoffs: np.ndarray,
    replicates: np.ndarray,
) -> None:
    """Add what `rate` makes of the payoffs, with an interval from the replicates."""
    found = rate(payoffs)
    drawn = np.array([rate(replicate) for replicate in replicates])
    for place, number in enumerate(kept):
        ci95 = _interval(drawn[:, place]) if len(drawn) else None
        bots[number][key] = {what: float(found[place]), "ci95": ci95}


def _payoffs(
    members: Sequence[tuple[int, ...]], means: Sequence[np.ndarray], bots: int
) -> np.ndarray:
    """The payoff matrix; NaN where there is no match."""
    payoffs = np.full((bots, bots), np.nan)
    np.fill_diagonal(payoffs, 0.0)
    for (first, second), mean in zip(members, means, strict=True):
        payoffs[first, second], payoffs[second, first] = mean[0], -mean[0]
    return payoffs


def _complete(payoffs: np.ndarray) -> list[int]:
    """Bots who have all met each other: without those, one by one, who lack the most matches."""
    kept = list(range(len(payoffs)))
    while True:
        lacking = np.isnan(payoffs[np.ix_(kept, kept)]).sum(axis=1)
        if not lacking.any():
            return kept
        kept.pop(int(lacking.argmax()))
