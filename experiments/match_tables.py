"""What a match came to, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pokerspiel.agents.arena import MatchResult, PlayerResult
from pokerspiel.agents.scores import Score, hands_saved
from pokerspiel.agents.table.program import FAULTS
from pokerspiel.experiments.output import print_table


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
