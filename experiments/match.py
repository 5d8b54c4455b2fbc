"""`pokerspiel match`: bots against each other, with duplicate deals and rotated seats."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.arena import MatchResult, PlayerResult, play_match
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.scores import Score, Sprt, hands_saved
from pokerspiel.agents.table.program import FAULTS, ProgramAgent
from pokerspiel.agents.translation import at_table
from pokerspiel.agents.value_fitting import fit_values
from pokerspiel.agents.value_function import ValueFunction, load_values
from pokerspiel.experiments.game_choice import chosen_game, game_with_seats
from pokerspiel.experiments.output import note, print_json, print_table, written_whole
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.experiments.run_folder import check_writable, write_file
from pokerspiel.games.variants import Game, exact

INTERRUPTED = 130


@dataclass(frozen=True)
class Correction:
    """Whether results are corrected by a value function, and where that comes from."""

    wanted: bool
    file: Path | None
    """Used if it is there, otherwise made; None: fitted for this match alone."""
    fit_hands: int

    def values(
        self, meetings: Sequence[Sequence[Agent]], game: Game, seed: int, quiet: bool
    ) -> ValueFunction | None:
        """The function for matches of these agents; None if none is wanted.

        Raises ValueError if the file is no value function of the game, OSError if it cannot be
        written.
        """
        if not self.wanted and self.file is None:
            return None
        if self.file is not None and self.file.exists():
            values = load_values(self.file)
            values.check(game)
            return values
        if self.file is not None:
            check_writable(self.file)
        with ProgressReport(f"fitting values on {self.fit_hands:,} other hands", quiet) as report:
            values = fit_values(
                meetings, game, self.fit_hands, seed, lambda share: report.show(share, "")
            )
        if self.file is not None:
            write_file(self.file, values.save)
        return values


def run(
    players: Sequence[str],
    game_text: str | None,
    hands: int,
    seed: int,
    histories: Path | None,
    time_limit: float | None,
    correction: Correction,
    sprt: Sprt | None,
    settings: Sequence[str] | None,
    json: bool,
    quiet: bool,
) -> int:
    if len(players) < 2:
        raise ValueError(f"a match needs two players or more, not only {' '.join(players)}")
    agents, game = seated(players, game_text, settings)
    limit_programs(agents, time_limit)
    title = f"{game}: {' - '.join(agent.name for agent in agents)}"
    with _terminated_like_interrupted(agents):
        try:
            values = correction.values([agents], game, seed, quiet)
        except KeyboardInterrupt:
            note("interrupted before the first hand of the match")
            return INTERRUPTED
    with (
        written_whole(histories) as file,
        ProgressReport(title, quiet) as report,
        _terminated_like_interrupted(agents),
    ):
        result = play_match(
            agents,
            game,
            hands,
            seed,
            lambda done, total: report.show(done / total, f"{done:,} of {total:,} hands"),
            file,
            values=values,
            sprt=sprt,
        )
    if json:
        print_json(result.to_json())
    else:
        print_result(result)
    for line in faults_in_words(result):
        note(line, quiet)
    if not result.complete:
        note(f"interrupted after {result.hands:,} of {hands:,} hands")
    return 0 if result.complete else INTERRUPTED


def parse_sprt(text: str | None, error: float) -> Sprt | None:
    """The test of `--sprt LOW,HIGH`; ValueError names what is no such thing."""
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"--sprt {text}: expected two numbers, such as 0,50") from None
    try:
        return Sprt(low, high, error, error)
    except ValueError as problem:
        raise ValueError(f"--sprt {text}: {problem}") from None


def seated(
    players: Sequence[str], game_text: str | None, settings: Sequence[str] | None
) -> tuple[list[Agent], Game]:
    """The agents, and the game that they play: the one named, or that of the first bot file."""
    if game_text is None:
        agents = [find_agent(player) for player in players]
        made_for = next((agent.game for agent in agents if agent.game is not None), None)
        if made_for is None:
            raise ValueError(f"no bot file among {' '.join(players)}: name a game with --game")
        game = exact(made_for)
        if settings:
            game = chosen_game(str(game), settings)
        return [at_table(agent, game) for agent in agents], game
    game = exact(game_with_seats(game_text, settings, len(players), "players"))
    return [find_agent(player, game) for player in players], game


def limit_programs(agents: Sequence[Agent], time_limit: float | None) -> None:
    """Give all programs among the agents this many seconds a decision; None changes nothing."""
    if time_limit is None:
        return
    programs = [agent for agent in agents if isinstance(agent, ProgramAgent)]
    if not programs:
        names = ", ".join(agent.name for agent in agents)
        raise ValueError(f"--time-limit {time_limit:g}: no program is among {names}")
    for program in programs:
        program.limits = replace(program.limits, decision=time_limit)


@contextmanager
def _terminated_like_interrupted(agents: Sequence[Agent]) -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does if there are programs, so that none of them is left."""
    if not any(isinstance(agent, ProgramAgent) for agent in agents):
        yield
        return
    handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)


def print_result(result: MatchResult) -> None:
    document = result.to_json()
    players = document["players"]
    rows = [_row(player) for player in players]
    columns = ["player", "mbb/hand>", "95 % interval>", "by seat>", "misses>"]
    if "halves" in players[0]:
        columns += ["draw half>", "Omaha half>", "scoops>"]
    if any(player["faults"] for player in players):
        columns.append("faults>")
        rows = [
            [*row, f"{sum(player['faults'].values()):,}"]
            for row, player in zip(rows, players, strict=True)
        ]
    unit = "milli-antes" if result.unit == "ante" else "thousandths of a big blind"
    title = f"{result.game}: {result.hands:,} hands ({result.deals:,} deals), mbb are {unit}"
    print_table(title, columns, rows)
    print_table("how sure", *_certainty(result))
    if result.values is not None:
        print(f"AIVAT: {result.values}")
    if result.sequential is not None:
        print(_sequential_words(result))


def _certainty(result: MatchResult) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of the table of intervals."""
    columns = ["player", "each hand its own cards>", "duplicate deals>", "hands saved>"]
    rows = []
    for player in result.players:
        row = [player.name, _score_text(player.plain), _score_text(player.score)]
        row.append(_saved_text(player, player.score))
        if player.corrected is not None:
            row += [_score_text(player.corrected), _saved_text(player, player.corrected)]
        rows.append(row)
    if any(player.corrected is not None for player in result.players):
        columns += ["AIVAT>", "hands saved>"]
    return columns, rows


def _score_text(score: Score) -> str:
    if score.mbb_per_hand is None:
        return ""
    mean = f"{score.mbb_per_hand:+,.1f}"
    return mean if score.width is None else f"{mean} ± {score.width:,.1f}"


def _saved_text(player: PlayerResult, score: Score) -> str:
    saved = hands_saved(player.plain, score)
    return "" if saved is None else f"{saved:,.1f} times"


def _sequential_words(result: MatchResult) -> str:
    """What the sequential test says, for people."""
    assert result.sequential is not None
    test, name = result.sequential.test, result.players[0].name
    ratio = result.sequential.log_likelihood_ratio
    low, high = test.bounds
    words = {
        "low": f"{test.low:+g} rather than {test.high:+g}",
        "high": f"{test.high:+g} rather than {test.low:+g}",
        "open": "nothing yet",
    }[result.sequential.verdict]
    return (
        f"sequential test of {name}'s mbb/hand, {test.low:+g} against {test.high:+g}, wrong with a "
        f"chance of {test.alpha:g} and {test.beta:g}: {words} (log-likelihood ratio {ratio:.2f}, "
        f"bounds {low:.2f} and {high:.2f})"
    )


def _row(player: dict[str, Any]) -> list[str]:
    mean = player["mbb_per_hand"]
    seats = (seat["mbb_per_hand"] for seat in player["seats"])
    row = [
        player["name"],
        "" if mean is None else f"{mean:+,.0f}",
        interval_text(player["ci95"]),
        "  ".join("" if score is None else f"{score:+,.0f}" for score in seats),
        f"{player['misses']:.2%}",
    ]
    if "halves" in player:
        row += [f"{player['halves'][name]:.1%}" for name in ("draw", "omaha", "scoops")]
    return row


def faults_in_words(result: MatchResult) -> list[str]:
    """What went wrong with programs, for people; nothing if nothing did."""
    lines = []
    for player in result.players:
        if player.faults:
            counts = sorted(player.faults.items(), key=lambda pair: FAULTS.index(pair[0]))
            kinds = ", ".join(f"{count:,} {kind}" for kind, count in counts)
            share = sum(player.faults.values()) / max(player.decisions, 1)
            lines.append(f"{player.name}: {kinds}; a rule played {share:.2%} of its decisions")
            lines += [f"  {line}" for line in player.notes]
    return lines


def interval_text(ci95: Sequence[float] | None) -> str:
    return "" if ci95 is None else f"{ci95[0]:+,.0f} to {ci95[1]:+,.0f}"
