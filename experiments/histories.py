"""`pokerspiel histories`: hand histories checked, summed up, converted, or told in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from pokerspiel.agents.table.history import (
    History,
    HistoryError,
    each_line,
    each_of,
    history_of,
    line_of,
    looks_like_json,
)
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.phh import to_phh
from pokerspiel.agents.table.seat_view import Document
from pokerspiel.agents.table.telling import Telling
from pokerspiel.experiments.options import refuse_given
from pokerspiel.experiments.output import note, print_json, print_table, written_whole

BAD_HANDS = 2
"""Exit status if a hand is not right."""

FORMATS = ("jsonl", "phh")


def run(
    file: Path, to: str | None, out: Path | None, check: bool, tell: int | None, json: bool
) -> int:
    if to is None and out is not None:
        raise ValueError(f"--out {out}: name a format with --to, {' or '.join(FORMATS)}")
    if to is not None and to not in FORMATS:
        raise ValueError(f"--to {to}: expected {' or '.join(FORMATS)}")
    if to is not None:
        refuse_given("--to", check=(check, False), tell=(tell, None), json=(json, False))
        with written_whole(out) as target:
            for text in _converted(_played(file), to):
                _write(text, target)
        return 0
    if tell is not None:
        refuse_given("--tell", check=(check, False))
        _tell(file, tell, json)
        return 0
    return _sum_up(file, check, json)


# Reading.


def _each(file: Path) -> Iterator[tuple[History, LiveHand] | HistoryError]:
    """Every hand with its replay, or what is wrong with it, the file named in front."""
    with file.open(encoding="utf-8") as lines:
        try:
            beginning = next((line for line in lines if line.strip()), "")
            lines.seek(0)
            hands = each_line(lines) if looks_like_json(beginning) else each_of(lines.read())
            for history in hands:
                try:
                    if isinstance(history, HistoryError):
                        raise history
                    yield history, history.hand()
                except HistoryError as error:
                    yield HistoryError(f"{file}: {error}")
        except UnicodeDecodeError:
            raise HistoryError(f"{file} is no text in UTF-8") from None


def _played(file: Path) -> Iterator[tuple[History, LiveHand]]:
    """Every hand with its replay. Raises HistoryError at the first that is not right."""
    for result in _each(file):
        if isinstance(result, HistoryError):
            raise result
        yield result


# Summing up.


@dataclass
class _Sum:
    """What the hands of a file are."""

    hands: int = 0
    games: dict[str, int] = field(default_factory=dict)
    """Hands of each."""
    players: dict[str, list[float]] = field(default_factory=dict)
    """By name: hands and chips."""
    bad: list[str] = field(default_factory=list)

    def add(self, history: History, hand: LiveHand) -> None:
        self.hands += 1
        game = str(history.game)
        self.games[game] = self.games.get(game, 0) + 1
        for name, chips in zip(history.players, hand.returns, strict=True):
            counts = self.players.setdefault(name, [0, 0.0])
            counts[0] += 1
            counts[1] += chips

    def to_json(self) -> dict[str, Any]:
        players = [
            {"name": name, "hands": int(hands), "chips": chips}
            for name, (hands, chips) in self.players.items()
        ]
        games = [{"game": game, "hands": hands} for game, hands in self.games.items()]
        return {"hands": self.hands, "games": games, "players": players, "bad": self.bad}


def _sum_up(file: Path, check: bool, json: bool) -> int:
    """Replay every hand and say what there is; if `check`, go on behind a bad one."""
    found = _Sum()
    for result in _each(file):
        if not isinstance(result, HistoryError):
            found.add(*result)
        elif not check:
            raise result
        else:
            found.bad.append(str(result))
            note(f"pokerspiel: {result}")
    if json:
        print_json(found.to_json())
    else:
        _print(found)
    return BAD_HANDS if found.bad else 0


def _print(found: _Sum) -> None:
    games = ", ".join(f"{hands:,} of {game}" for game, hands in found.games.items())
    print(f"{_counted(found.hands)} replayed to the same chips{': ' if games else ''}{games}")
    if found.bad:
        print(f"{_counted(len(found.bad))} refused")
    rows = [
        (name, f"{int(hands):,}", f"{chips:+,.6g}")
        for name, (hands, chips) in found.players.items()
    ]
    if rows:
        print_table("", ("player", "hands>", "chips>"), rows)


def _counted(hands: int) -> str:
    return f"{hands:,} hand{'' if hands == 1 else 's'}"


# Converting.


def _converted(hands: Iterable[tuple[History, LiveHand]], to: str) -> Iterator[str]:
    """The hands in another format, piece by piece; PHH numbers them if there are several."""
    if to == "jsonl":
        for history, hand in hands:
            yield line_of(_document(history, hand)) + "\n"
        return
    first = None
    for i, (history, hand) in enumerate(hands, 1):
        text = to_phh(_document(history, hand))
        if i == 1:
            first = text
            continue
        if first is not None:
            yield f"[1]\n{first}"
            first = None
        yield f"\n[{i}]\n{text}"
    if first is not None:
        yield first


def _document(history: History, hand: LiveHand) -> Document:
    """A history as this version writes it, with the members that are not the format's own."""
    document = history_of(hand, history.viewer, history.players, history.number)
    return {**history.document, **document}


def _write(text: str, target: TextIO | None) -> None:
    if target is None:
        print(text, end="")
    else:
        target.write(text)


# Telling.


def _tell(file: Path, number: int, json: bool) -> None:
    """Print one hand in words."""
    numbers = []
    for history, hand in _played(file):
        if history.number != number:
            numbers.append(history.number)
            continue
        lines = _lines(history, hand)
        chips = dict(zip(history.players, hand.returns, strict=True))
        if json:
            print_json({"hand": number, "game": str(history.game), "lines": lines, "chips": chips})
            return
        print("\n".join([f"Hand {number} of {history.game}", *lines]))
        print("; ".join(f"{name} {won:+g}" for name, won in chips.items()))
        return
    range_ = f"from {min(numbers)} to {max(numbers)}" if numbers else "none"
    raise ValueError(f"--tell {number}: {file} has no such hand, its numbers are {range_}")


def _lines(history: History, hand: LiveHand) -> list[str]:
    telling = Telling(history.game, history.players, history.viewer)
    lines = [line for step in hand.steps for line in telling.tell(step)]
    return [*lines, *telling.flush()]
