"""Matches between agents: duplicate deals, seats rotated, intervals over deals.

Every deal is played once in each cyclic rotation of the seats, with the same cards and, seat by
seat, the same luck. The deal is the sampling unit (`scores`). An agent against itself scores zero.

What a deal comes to depends on the agents, the game, the seed and the number of the deal alone:
any part of a match can be played anywhere, at any time, and put together with the others.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from types import TracebackType
from typing import Any, TextIO

import numpy as np

from pokerspiel.agents.agent import Agent, CompiledAgent, HandAgent
from pokerspiel.agents.aivat import Corrections
from pokerspiel.agents.batch import (
    HALVES,
    Batch,
    add_halves,
    begin_hands,
    longest_hand,
    new_batch,
    some_hands,
)
from pokerspiel.agents.chairs import Chair, distinct_names, names_by_seat, new_chair
from pokerspiel.agents.scores import (
    Score,
    Sprt,
    Verdict,
    bootstrap_interval,
    by_player,
    hands_saved,
    player_scores,
    score_of,
    score_of_seats,
)
from pokerspiel.agents.table.history import history_of, line_of
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.value_function import ValueFunction
from pokerspiel.games.kernel import MAX_SEATS
from pokerspiel.games.variants import Game, exact

_FIRST_HANDS = 64
_MOST_HANDS = 1024
"""Hands of a batch: as many as fit into the processor's cache."""
_MOST_EVENTS = 1 << 24
"""Room for recorded events in a batch; deep stacks make the longest possible hand very long."""
_BATCH_SECONDS = 0.25
"""Batches of slow agents are kept shorter, so that progress shows and Ctrl-C loses little."""
SPRT_EVERY = 100
"""Deals between two looks of a sequential test."""


@dataclass(frozen=True)
class DealScores:
    """What some deals of a match came to, one after the other.

    Letters: D deals, n players, seats and rotations. Player p sits on seat (p + r) % n in rotation
    r.
    """

    first: int
    """Number of the first deal in the match."""
    chips: np.ndarray
    """[D, n, n] float64: what each seat won in each rotation."""
    corrected: np.ndarray | None
    """The same after the corrections of `aivat`; None without a value function."""
    halves: np.ndarray | None
    """[n, HALVES] sums of each player; None in a game whose pots have no halves."""
    counts: np.ndarray
    """[n, 2] int64: decisions of each player, and those that its policy missed."""
    faults: tuple[Mapping[str, int], ...]
    """Decisions of each player without a good answer, by what was wrong."""

    @property
    def deals(self) -> int:
        return len(self.chips)


def no_deals(game: Game, first: int = 0, corrected: bool = False) -> DealScores:
    """The scores of no deals at all."""
    n = game.players
    none = np.zeros((0, n, n))
    return DealScores(
        first,
        none,
        none if corrected else None,
        np.zeros((n, len(HALVES))) if _has_halves(game) else None,
        np.zeros((n, 2), np.int64),
        ({},) * n,
    )


def joined(parts: Sequence[DealScores]) -> DealScores:
    """The scores of parts that follow one another. Raises ValueError if there is a gap."""
    for before, after in pairwise(parts):
        if before.first + before.deals != after.first:
            raise ValueError(
                f"deals from {after.first} on do not follow {before.deals} from {before.first} on"
            )
    corrected = [part.corrected for part in parts if part.corrected is not None]
    halves = [part.halves for part in parts if part.halves is not None]
    return DealScores(
        parts[0].first,
        np.concatenate([part.chips for part in parts]),
        np.concatenate(corrected) if len(corrected) == len(parts) else None,
        np.sum(halves, axis=0) if halves else None,
        np.sum([part.counts for part in parts], axis=0),
        tuple(
            dict(sum((Counter(part.faults[p]) for part in parts), Counter()))
            for p in range(len(parts[0].faults))
        ),
    )


@dataclass(frozen=True)
class HalvesScore:
    """Showdowns of a game whose pots have a draw half and an Omaha half."""

    showdowns: float
    """Showdowns per hand."""
    draw: float
    """Share of the chips in draw halves that the player won at its showdowns."""
    omaha: float
    """The same of the Omaha halves."""
    scoops: float
    """Share of its showdowns at which it won everything."""


@dataclass(frozen=True)
class PlayerResult:
    """What one player of a match did."""

    name: str
    score: Score
    """The deal as the sampling unit."""
    plain: Score
    """The same mean with the interval of as many hands that each have cards of their own."""
    corrected: Score | None
    """After the corrections of `aivat`, the deal as the sampling unit."""
    bootstrap95: tuple[float, float] | None
    """Interval of the best of these means by a bootstrap over deals."""
    seats: tuple[Score, ...]
    decisions: int
    """Choices between two or more actions."""
    misses: float
    """Share of the decisions that the player's table did not hold, played at random."""
    halves: HalvesScore | None
    faults: Mapping[str, int] = field(default_factory=dict)
    """Decisions that a program gave no good answer to, by what was wrong; a rule played them."""
    notes: tuple[str, ...] = ()
    """The faults in words, and the last that a program with faults wrote to stderr."""

    @property
    def best(self) -> Score:
        """The score to go by."""
        return self.corrected or self.score


@dataclass(frozen=True)
class SequentialResult:
    """What a sequential test on the score of the first player has decided."""

    test: Sprt
    """In mbb/hand."""
    verdict: Verdict
    log_likelihood_ratio: float


@dataclass(frozen=True)
class MatchResult:
    """The outcome of a match; winnings of all players add up to zero."""

    game: str
    rule_version: int
    unit: str
    """What the thousandths are of: "big blind" or "ante"."""
    seed: int
    deals: int
    hands: int
    """Hands played: whole deals in all rotations, and thus perhaps more than were asked for."""
    hands_requested: int
    complete: bool
    """False if the match was interrupted; finished deals count."""
    seconds: float
    players: tuple[PlayerResult, ...]
    values: str | None = None
    """The value function behind corrected scores, in words."""
    sequential: SequentialResult | None = None

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values."""
        values = asdict(self)
        values["players"] = [_player_json(player) for player in self.players]
        return values


def _player_json(player: PlayerResult) -> dict[str, Any]:
    values = {
        "name": player.name,
        **_score_json(player.score),
        "hands_saved": hands_saved(player.plain, player.score),
        "plain": _score_json(player.plain),
        "bootstrap95": player.bootstrap95 and list(player.bootstrap95),
        "misses": player.misses,
        "decisions": player.decisions,
        "faults": dict(player.faults),
        "notes": list(player.notes),
        "seats": [{"seat": i, **_score_json(score)} for i, score in enumerate(player.seats)],
    }
    if player.corrected is not None:
        saved = hands_saved(player.plain, player.corrected)
        values["aivat"] = {**_score_json(player.corrected), "hands_saved": saved}
    if player.halves is not None:
        values["halves"] = asdict(player.halves)
    return values


def _score_json(score: Score) -> dict[str, Any]:
    return {"mbb_per_hand": score.mbb_per_hand, "ci95": score.ci95 and list(score.ci95)}


def play_match(
    agents: Sequence[Agent],
    game: Game,
    hands: int,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
    histories: TextIO | None = None,
    hands_at_once: int | None = None,
    values: ValueFunction | None = None,
    sprt: Sprt | None = None,
) -> MatchResult:
    """Let one agent a seat play at least `hands` hands, rounded up to whole deals.

    Matches are played on the exact game, whatever the abstraction of `game` or of the agents.
    `on_progress` is called with (hands played, hands in all); `histories` gets every hand as a line
    of JSON (docs/histories.md). The result does not depend on `hands_at_once`. With `values` there
    are corrected scores beside the others; with `sprt`, a test in mbb/hand of the first player, the
    match ends as soon as it decides, by the corrected scores if there are any. After a
    KeyboardInterrupt the result covers what was finished. Raises ValueError, in one line, if an
    agent cannot play.
    """
    if hands < 1:
        raise ValueError(f"hands={hands} is not allowed: expected 1 or more")
    start = time.perf_counter()
    with Match(agents, game, seed, histories, values) as match:
        game = match.game
        deals = -(-hands // game.players)
        parts = [no_deals(game, 0, values is not None)]
        ended = complete = False
        done = 0
        try:
            while done < deals and not ended:
                stop = min(done + SPRT_EVERY, deals) if sprt else deals
                for part in match.play(done, stop - done, hands_at_once):
                    parts.append(part)
                    done += part.deals
                    if on_progress is not None:
                        on_progress(done * game.players, deals * game.players)
                ended = sprt is not None and _verdict(sprt, joined(parts), game) != "open"
            complete = True
        except KeyboardInterrupt:
            pass
        scores = joined(parts)
        return result_of(
            scores,
            match.names,
            game,
            seed,
            hands_requested=hands,
            complete=complete,
            seconds=time.perf_counter() - start,
            notes=match.notes(),
            values=values,
            sequential=None if sprt is None else _sequential(sprt, scores, game),
        )


def check_meeting(agents: Sequence[Agent], game: Game) -> None:
    """Raise ValueError, in one line, if these agents, one a seat, cannot play `game`."""
    if len(agents) != game.players:
        raise ValueError(f"{len(agents)} agents for {game}, which needs {game.players}")
    made = [agent for agent in agents if agent.game is not None]
    for other in made[1:]:
        try:
            other.check(exact(_game_of(made[0])))
        except ValueError as error:
            raise ValueError(f"{made[0].name} and {other.name} cannot meet: {error}") from None
    for agent in agents:
        agent.check(game)


def _game_of(agent: Agent) -> Game:
    assert agent.game is not None
    return agent.game


class Match:
    """Agents who have sat down, one a seat, to play any deals of a seed. Use it as a context.

    Raises ValueError, in one line, if an agent cannot play.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        game: Game,
        seed: int = 0,
        histories: TextIO | None = None,
        values: ValueFunction | None = None,
    ) -> None:
        self.game = exact(game)
        check_meeting(agents, self.game)
        self.seed = seed % (1 << 64)
        self.names = distinct_names(agents)
        self.chairs: list[Chair] = []
        try:
            for player, agent in enumerate(agents):
                self.chairs.append(new_chair(agent, self.game, player, self.names))
            if values is not None and values.seed == self.seed:
                raise ValueError(
                    f"seed {seed}: the value function was fitted on its deals; choose another one"
                )
            policies = [chair.known_policy for chair in self.chairs]
            self._corrections = (
                None if values is None else Corrections(values, self.game, self.names, policies)
            )
        except BaseException:
            self.close()
            raise
        self._histories = histories
        self._one_by_one = any(isinstance(agent, HandAgent) for agent in agents)
        compiled = all(isinstance(agent, CompiledAgent) for agent in agents)
        self._traced = histories is not None or values is not None or not compiled
        self._hands = 0
        """Of the last batch; 0 before the first one."""

    def __enter__(self) -> Match:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let all players go."""
        for chair in self.chairs:
            chair.close()

    def notes(self) -> list[list[str]]:
        """What went wrong, in words, of each player."""
        return [chair.notes() for chair in self.chairs]

    def play(
        self, first: int, deals: int, hands_at_once: int | None = None
    ) -> Iterator[DealScores]:
        """Play so many deals from the number `first` on; gives their scores batch by batch."""
        for batch, start in self.batches(first, deals, hands_at_once):
            yield self._scores(batch, start)

    def batches(
        self, first: int, deals: int, hands_at_once: int | None = None, traced: bool = False
    ) -> Iterator[tuple[Batch, int]]:
        """Play deals; gives (hands that are over, number of their first deal), batch by batch.

        A batch lies in the memory of the one before. With `traced` its cards and actions are kept.
        """
        traced = traced or self._traced
        players = self.game.players
        usual = 1 if self._one_by_one else _FIRST_HANDS
        hands = hands_at_once or self._hands or usual
        most = deals
        if traced:
            most = max(_MOST_EVENTS // longest_hand(self.game) // players, 1)
        room = new_batch(self.game, 0, traced)
        done = 0
        while done < deals:
            size = players * min(max(hands // players, 1), most, deals - done)
            if size > len(room.states):
                room = new_batch(self.game, size, traced)
            start = time.perf_counter()
            batch = some_hands(room, 0, size)
            self._play(batch, first + done)
            yield batch, first + done
            done += size // players
            if hands_at_once is None:
                hands = self._hands = _next_size(size, time.perf_counter() - start)

    def _play(self, batch: Batch, first: int) -> None:
        """Play a batch from the deal `first` on."""
        game = self.game
        begin_hands(batch, game.tables, game.players, np.uint64(self.seed), first)
        step = 1 if self._one_by_one else len(batch.states)
        for start in range(0, len(batch.states), step):
            self._play_hands(some_hands(batch, start, start + step))
        if self._histories is not None:
            self._histories.write("".join(self._history(batch, first)))

    def _play_hands(self, batch: Batch) -> None:
        unfinished = len(batch.states)
        while unfinished:
            for chair in self.chairs:
                unfinished = chair.move(batch)
        for chair in self.chairs:
            chair.end(batch)

    def _scores(self, batch: Batch, first: int) -> DealScores:
        players = self.game.players
        shape = (-1, players, players)
        chips = batch.states["returns"][:, :players].astype(float)
        corrected = None
        if self._corrections:
            corrected = (chips + self._corrections.of(batch)).reshape(shape)
        halves = None
        if _has_halves(self.game):
            halves = np.zeros((players, len(HALVES)))
            add_halves(batch, self.game.tables, players, halves, np.zeros((2, MAX_SEATS)))
        return DealScores(
            first,
            chips.reshape(shape),
            corrected,
            halves,
            np.array([chair.taken_counts() for chair in self.chairs]),
            tuple(chair.taken_faults() for chair in self.chairs),
        )

    def _history(self, batch: Batch, first: int) -> list[str]:
        """The hands of a batch as lines of JSON, with all cards."""
        players = self.game.players
        lines = []
        for h in range(len(batch.states)):
            actions = [int(action) for action in batch.trace[h, : batch.events[h]]]
            hand = LiveHand(self.game)
            for action in actions:
                hand.play(action)
            document = history_of(
                hand,
                None,
                names_by_seat(self.names, int(batch.rotation[h])),
                first * players + h,
                seed=self.seed,
                deal=first + h // players,
                actions=actions,
            )
            lines.append(line_of(document) + "\n")
        return lines


def play_deals(
    agents: Sequence[Agent],
    game: Game,
    first: int,
    deals: int,
    seed: int = 0,
    values: ValueFunction | None = None,
) -> DealScores:
    """Play so many deals of a match, from the number `first` on.

    Raises ValueError, in one line, if an agent cannot play.
    """
    with Match(agents, game, seed, None, values) as match:
        none = no_deals(match.game, first, values is not None)
        return joined([none, *match.play(first, deals)])


def _next_size(size: int, seconds: float) -> int:
    """Hands of the next batch, after one of `size` hands took `seconds`."""
    wanted = size * _BATCH_SECONDS / max(seconds, 1e-9)
    return int(min(wanted, 4 * size, _MOST_HANDS)) or 1


def _has_halves(game: Game) -> bool:
    return hasattr(game.family, "halves_won")


# Results.


def result_of(
    scores: DealScores,
    names: Sequence[str],
    game: Game,
    seed: int,
    hands_requested: int | None = None,
    complete: bool = True,
    seconds: float = 0.0,
    notes: Sequence[Sequence[str]] | None = None,
    values: ValueFunction | None = None,
    sequential: SequentialResult | None = None,
) -> MatchResult:
    """What deals from the first of a match on come to, of players with these names."""
    hands = scores.deals * game.players
    return MatchResult(
        game=str(game),
        rule_version=game.rule_version,
        unit=game.limits.unit,
        seed=seed,
        deals=scores.deals,
        hands=hands,
        hands_requested=hands if hands_requested is None else hands_requested,
        complete=complete,
        seconds=seconds,
        players=tuple(
            _player(scores, game, p, name, notes[p] if notes else ())
            for p, name in enumerate(names)
        ),
        values=None if values is None else values.words,
        sequential=sequential,
    )


def milli_units(game: Game) -> float:
    """Thousandths of a big blind or an ante in a chip."""
    return 1000.0 / game.limits.big_unit


def _player(
    scores: DealScores, game: Game, p: int, name: str, notes: Sequence[str]
) -> PlayerResult:
    unit = milli_units(game)
    by_seat = by_player(scores.chips)[:, p]
    means = by_seat.mean(axis=1)
    corrected = None
    if scores.corrected is not None:
        means = player_scores(scores.corrected)[:, p]
        corrected = score_of(means, unit)
    decisions, missed = (int(count) for count in scores.counts[p])
    return PlayerResult(
        name,
        score_of(by_seat.mean(axis=1), unit),
        score_of_seats(by_seat, unit),
        corrected,
        bootstrap_interval(means, unit),
        tuple(score_of(by_seat[:, seat], unit) for seat in range(game.players)),
        decisions,
        missed / decisions if decisions else 0.0,
        None if scores.halves is None else _halves_score(scores.halves[p], by_seat.size),
        scores.faults[p],
        tuple(notes),
    )


def _halves_score(sums: np.ndarray, hands: int) -> HalvesScore:
    showdowns, draw, of_draw, omaha, of_omaha, scoops = (float(x) for x in sums)
    return HalvesScore(
        showdowns / hands if hands else 0.0,
        draw / of_draw if of_draw else 0.0,
        omaha / of_omaha if of_omaha else 0.0,
        scoops / showdowns if showdowns else 0.0,
    )


def _first_player(scores: DealScores, game: Game) -> np.ndarray:
    """[deals]: best scores of the first player, in mbb/hand."""
    chips = scores.chips if scores.corrected is None else scores.corrected
    return player_scores(chips)[:, 0] * milli_units(game)


def _verdict(sprt: Sprt, scores: DealScores, game: Game) -> Verdict:
    return sprt.verdict(_first_player(scores, game))


def _sequential(sprt: Sprt, scores: DealScores, game: Game) -> SequentialResult:
    values = _first_player(scores, game)
    return SequentialResult(sprt, sprt.verdict(values), sprt.log_likelihood_ratio(values))
