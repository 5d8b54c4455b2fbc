"""`pokerspiel leaks`: where a player loses against a reference bot, decision by decision."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.leak_rows import DECISION, SHARE, Found
from pokerspiel.agents.leak_sums import LeakSums
from pokerspiel.agents.leak_views import judge_view
from pokerspiel.agents.leaks import PLAYOUTS, Judge
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.scores import Score
from pokerspiel.agents.table.history import History, HistoryError, read_any
from pokerspiel.experiments.game_choice import chosen_game
from pokerspiel.experiments.leak_tables import print_leaks, report_html
from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.match import seated
from pokerspiel.experiments.output import print_json, written_whole
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.games.variants import exact

DEALS = 256
"""Deals that are judged before progress is shown."""
HANDS = 64
"""The same of hands that were played."""


@dataclass(frozen=True)
class Result:
    """What was judged, and how."""

    sums: LeakSums
    player: str
    reference: str
    playouts: int
    seed: int
    seconds: float
    source: dict[str, Any]
    """Where the hands are from."""

    def to_json(self, top: int) -> dict[str, Any]:
        sums = self.sums
        lines, on_streets = sums.lines(), sums.on_streets()
        return {
            "game": str(sums.game),
            "rule_version": sums.game.rule_version,
            "player": self.player,
            "reference": self.reference,
            "unit": sums.game.limits.unit,
            "source": self.source,
            "hands": sums.hands,
            "deals": sums.clusters,
            "decisions": sums.decisions,
            "playouts": self.playouts,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "top": top,
            "total": sums.total().to_json(),
            "won": _score(sums.won()),
            "difference": _score(sums.difference()),
            "streets": [leak.to_json() for leak in sums.streets()],
            "choices": [leak.to_json() for leak in sums.choices()],
            "draws": [leak.to_json() for leak in sums.draws()],
            "nodes": [leak.to_json() for leak in lines[:top]],
            "nodes_met": len(lines),
            "street_nodes": [leak.to_json() for leak in on_streets[:top]],
            "street_nodes_met": len(on_streets),
            "origin": origin(),
        }


def _score(score: Score) -> dict[str, Any]:
    return {"mbb_per_hand": score.mbb_per_hand, "ci95": score.ci95 and list(score.ci95)}


def run(
    players: Sequence[str],
    game_text: str | None,
    hands: int,
    histories: Path | None,
    name: str | None,
    playouts: int | None,
    seed: int,
    top: int,
    out: Path | None,
    settings: Sequence[str] | None,
    json: bool,
    quiet: bool,
) -> int:
    playouts = PLAYOUTS if playouts is None else playouts
    if histories is None:
        result = _of_bots(players, game_text, hands, playouts, seed, settings, quiet)
    else:
        result = _of_histories(players, game_text, histories, name, playouts, seed, settings, quiet)
    document = result.to_json(top)
    if out is not None:
        with written_whole(out) as file:
            assert file is not None
            file.write(report_html(document))
    if json:
        print_json(document)
    else:
        print_leaks(document)
    return 0


# Bots.


def _of_bots(
    players: Sequence[str],
    game_text: str | None,
    hands: int,
    playouts: int,
    seed: int,
    settings: Sequence[str] | None,
    quiet: bool,
) -> Result:
    if len(players) != 2:
        raise ValueError(
            f"{' '.join(players)}: expected two bots, the one to judge and a reference"
        )
    seats = 2 if game_text is None else _seats(game_text, settings)
    agents, game = seated([players[0], *[players[1]] * (seats - 1)], game_text, settings)
    player, reference = agents[:2]
    judge = Judge(reference, game, playouts, seed)
    if not isinstance(player, CompiledAgent):
        raise ValueError(
            f"{player.name} does not say how likely it does what: let it play a match with "
            "--histories, and judge the hands"
        )
    start = time.perf_counter()
    sums = judge_bot(judge, player, hands, f"{game}: {player.name}", quiet)
    return Result(
        sums,
        player.name,
        reference.name,
        playouts,
        seed,
        time.perf_counter() - start,
        {"match": [agent.name for agent in agents]},
    )


def _seats(game_text: str, settings: Sequence[str] | None) -> int:
    return chosen_game(game_text, settings).players


def judge_bot(
    judge: Judge, player: CompiledAgent, hands: int, title: str = "", quiet: bool = True
) -> LeakSums:
    """Judge at least so many hands of a bot against its reference, in whole deals."""
    sums = LeakSums(judge.game)
    players = judge.game.players
    deals = -(-hands // players)
    with ProgressReport(title, quiet) as report:
        for first in range(0, deals, DEALS):
            found = judge.deals(player, first, min(DEALS, deals - first))
            sums.add(found, np.arange(len(found.returns)) // players)
            report.show(
                sums.hands / (deals * players), f"{sums.hands:,} of {deals * players:,} hands"
            )
    return sums


# Hands that were played.


def _of_histories(
    players: Sequence[str],
    game_text: str | None,
    file: Path,
    name: str | None,
    playouts: int,
    seed: int,
    settings: Sequence[str] | None,
    quiet: bool,
) -> Result:
    if name is None:
        raise ValueError(f"--histories {file}: name the player to judge with --player")
    if len(players) != 1:
        raise ValueError(f"{' '.join(players)}: with --histories one bot is named, the reference")
    hands = [history for history in _read(file) if name in history.players]
    if not hands:
        raise ValueError(f"--player {name}: sits in no hand of {file}")
    game = None if game_text is None else exact(chosen_game(game_text, settings))
    reference = find_agent(players[0], game)
    if game is None:
        game = hands[0].game if reference.game is None else exact(reference.game)
    of_game = [history for history in hands if str(exact(history.game)) == str(game)]
    if not of_game:
        raise ValueError(f"{name} plays {hands[0].game} in {file}: {reference.name} plays {game}")
    judge = Judge(reference, game, playouts, seed)
    start = time.perf_counter()
    judged = _Played(judge, name, file)
    with ProgressReport(f"{game}: {name}", quiet) as report:
        for first in range(0, len(of_game), HANDS):
            judged.add(of_game[first : first + HANDS], first)
            done = min(first + HANDS, len(of_game))
            report.show(done / len(of_game), f"{done:,} of {len(of_game):,} hands")
    sums = judged.sums()
    source = {
        "file": file.name,
        "hands_of_the_player": len(hands),
        "hands_of_other_games": len(hands) - len(of_game),
        "hands_seen_by_others_alone": judged.unseen,
        "hands_with_cards_drawn": judged.viewed,
        "decisions_without_a_value": judged.unknown,
    }
    if sums.hands == 0:
        raise ValueError(f"--player {name}: the cards of {name} are in no hand of {file}")
    seconds = time.perf_counter() - start
    return Result(sums, name, reference.name, playouts, seed, seconds, source)


def _read(file: Path) -> list[History]:
    try:
        return read_any(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise HistoryError(f"{file} is no text in UTF-8") from None
    except HistoryError as error:
        raise HistoryError(f"{file}: {error}") from None


class _Played:
    """Hands that were judged, and the deals that they belong to."""

    def __init__(self, judge: Judge, name: str, file: Path) -> None:
        self._judge = judge
        self._name = name
        self._file = file
        self._found: list[Found] = []
        self._clusters: list[int] = []
        self._deals: dict[tuple[Any, ...], int] = {}
        self.unseen = 0
        """Hands that another seat saw, so that the cards of the player are not known."""
        self.viewed = 0
        """Hands that the player saw, so that the cards of the others are not known."""
        self.unknown = 0
        """Decisions in these that have no value."""

    def add(self, histories: Sequence[History], first: int) -> None:
        """Judge hands; `first` is the number of the first one in the file."""
        whole, seats, deals = [], [], []
        for number, history in enumerate(histories, first):
            try:
                hand = history.hand()
            except HistoryError as error:
                raise HistoryError(f"{self._file}: {error}") from None
            deal = self._deal_of(history, number)
            for seat in (s for s, name in enumerate(history.players) if name == self._name):
                if history.viewer is None:
                    whole.append(hand.past)
                    seats.append(seat)
                    deals.append(deal)
                elif history.viewer == seat:
                    found, unknown = judge_view(self._judge, hand, seat, number)
                    self._keep(found, [deal])
                    self.viewed += 1
                    self.unknown += unknown
                else:
                    self.unseen += 1
        if whole:
            self._keep(self._judge.hands(whole, seats, first), deals)

    def _keep(self, found: Found, deals: Sequence[int]) -> None:
        self._found.append(found)
        self._clusters += deals

    def _deal_of(self, history: History, number: int) -> int:
        """Hands of one deal of a match are a cluster, any other hand is one of its own."""
        seed, deal = (history.document.get(member) for member in ("seed", "deal"))
        known = isinstance(seed, int) and isinstance(deal, int)
        key = (seed, deal) if known else ("hand", number)
        return self._deals.setdefault(key, len(self._deals))

    def sums(self) -> LeakSums:
        sums = LeakSums(self._judge.game, in_parts=self.viewed == 0)
        if self._found:
            _, cluster = np.unique(self._clusters, return_inverse=True)
            sums.add(_together(self._found), cluster)
        return sums


def _together(several: Sequence[Found]) -> Found:
    """Hands that were judged one after the other."""
    decisions, shares = [np.zeros(0, DECISION)], [np.zeros(0, SHARE)]
    counts = np.zeros(3, np.int64)
    hands = 0
    for found in several:
        of_hands, of_decisions = found.decisions.copy(), found.shares.copy()
        of_hands["hand"] += hands
        for member in ("start", "stop"):
            of_hands[member] += counts[2]
        of_decisions["decision"] += counts[0]
        decisions.append(of_hands)
        shares.append(of_decisions)
        counts += found.counts
        hands += len(found.returns)
    return Found(
        counts,
        np.concatenate(decisions),
        np.concatenate(shares),
        np.concatenate([found.trace for found in several]),
        np.concatenate([found.returns for found in several]),
    )
