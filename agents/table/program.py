"""A program in any language as a player: JSON on its stdin, an action a line on its stdout.

It is told what its own seat sees, as `seat_view` says it, and nothing else. What it does wrong is
counted; its decision is then played by a rule, and the hand goes on. docs/programs.md has the
protocol.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pokerspiel.agents.agent import Follower, HandAgent, see
from pokerspiel.agents.table.child import GRACE, Child, Flooded, Gone, printable
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.seat_view import VERSION, Document, action_named, seat_view
from pokerspiel.games.kernel import (
    KIND_CALL,
    KIND_DECLINE,
    KIND_DRAW,
    KIND_FOLD,
    KIND_KEEP,
    KIND_LOOK,
)
from pokerspiel.games.variants import Game

COMMAND = "cmd:"
"""What stands before a command line that is the name of a player."""

INTERPRETERS: Mapping[str, str] = MappingProxyType(
    {
        ".py": sys.executable,
        ".js": "node",
        ".mjs": "node",
        ".pl": "perl",
        ".rb": "ruby",
    }
)
"""What runs a file that cannot be run by itself, by the end of its name."""

FAULTS = ("crash", "timeout", "garbage", "illegal", "flood", "not asked")
"""Kinds of faults; the last one counts decisions that a program was not asked for any more."""
CRASH, TIMEOUT, GARBAGE, ILLEGAL, FLOOD, NOT_ASKED = FAULTS

_NO_RULES = ("abstraction", "buckets")
"""Parameters of a game that say how bots see it."""
_BRIEFLY = 0.2
"""Seconds in which a program that has closed a pipe may end by itself."""
_NOTES = 5
"""Faults that are told in words; the others are counted only."""


@dataclass(frozen=True)
class Limits:
    """What a program may take, and how often it may fail."""

    decision: float = 2.0
    """Seconds from a question to its answer."""
    start: float = 10.0
    """Seconds from the start of the process to its first answer, if that is longer."""
    line: int = 1 << 16
    """Bytes of a line of its output, and of all that it writes unasked."""
    restarts: int = 3
    """How often it is started again after a crash or a flood."""
    in_a_row: int = 10
    """Faults in a row after which it is not asked any more."""
    faults: int = 100
    """Faults in all after which it is not asked any more."""


class Fault(Exception):  # noqa: N818
    """What a program did wrong: a kind, and a line about it."""

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(message)
        self.kind = kind


# Which names are programs, and how they are run.


def is_program(name: str) -> bool:
    """Whether a player's name is a program: a command line, or the path of a file to run."""
    if name.startswith(COMMAND) or Path(name).suffix in INTERPRETERS:
        return True
    return Path(name).is_file() and os.access(name, os.X_OK)


def command_of(name: str) -> list[str]:
    """The words that run the program `name`; ValueError, in one line, if nothing can be run."""
    if name.startswith(COMMAND):
        return _split(name)
    path = Path(name)
    if not path.is_file():
        raise ValueError(f"cannot run {name}: no such file")
    runner = INTERPRETERS.get(path.suffix)
    runs_itself = os.access(path, os.X_OK) and (runner is None or _has_shebang(path))
    if not runs_itself and runner is None:
        raise ValueError(f"cannot run {name}: it is not executable")
    place = os.path.abspath(path)
    return [place] if runs_itself or runner is None else [runner, place]


def _split(name: str) -> list[str]:
    try:
        words = shlex.split(name.removeprefix(COMMAND))
    except ValueError as error:
        raise ValueError(f"{name!r} is no command line: {error}") from None
    if not words:
        raise ValueError(f"{name!r}: expected a command line such as {COMMAND}'node bot.js'")
    return words


def _has_shebang(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(2) == b"#!"
    except OSError as error:
        raise ValueError(f"cannot run {path}: {error.strerror}") from None


class ProgramAgent(HandAgent):
    """A program as a player of any game; `name` is the path of a file or "cmd:" and its words."""

    def __init__(self, name: str, limits: Limits | None = None) -> None:
        """Raises ValueError, in one line, if there is nothing to run; nothing runs yet."""
        self.command = command_of(name)
        words = name.removeprefix(COMMAND) if name.startswith(COMMAND) else Path(name).name
        super().__init__(" ".join(words.split()))
        self.limits = limits or Limits()

    def follow(self, game: Game, seat: int) -> Follower:
        """A process of its own. Raises ValueError, in one line, if it cannot be started."""
        return _ProgramSeat(Dialogue(self.name, self.command, game, self.limits), game, seat)

    def follow_all(self, game: Game) -> list[Follower]:
        """One process for all seats."""
        dialogue = Dialogue(self.name, self.command, game, self.limits)
        return [_ProgramSeat(dialogue, game, seat) for seat in range(game.players)]


class _ProgramSeat(Follower):
    """A seat of a hand whose decisions a program makes."""

    def __init__(self, dialogue: Dialogue, game: Game, seat: int) -> None:
        self._dialogue = dialogue
        self._game = game
        self._seat = seat
        self._number = 0
        self._names: Sequence[str] = [f"seat {i}" for i in range(game.players)]
        self.begin()

    @property
    def faults(self) -> Mapping[str, int]:
        return dict(self._dialogue.faults)

    @property
    def notes(self) -> Sequence[str]:
        return self._dialogue.notes()

    def meet(self, number: int, names: Sequence[str]) -> None:
        self._number, self._names = number, list(names)

    def begin(self) -> None:
        self._hand = LiveHand(self._game)

    def tell(self, event: int) -> None:
        self._hand.play(event)
        if self._hand.is_over:
            self._dialogue.tell({"type": "end", **self._view()})

    def choose(self, seed: int) -> int:
        """The program's action; a single legal one, or one after a fault, it is not asked for."""
        actions = self._hand.legal()
        if len(actions) == 1:
            return actions[0]
        states = self._hand.states
        try:
            return self._dialogue.ask(
                self._view(), lambda name: action_named(self._game, states, name)
            )
        except Fault:
            return passive_action(self._hand)

    def close(self) -> None:
        self._dialogue.close()

    def _view(self) -> Document:
        return seat_view(self._hand, self._seat, self._names, self._number)


_PASSIVE = (KIND_LOOK, KIND_KEEP, KIND_DRAW, KIND_DECLINE, KIND_FOLD)
"""What is played for a program without an answer, if it cannot check: the first that is legal."""


def passive_action(hand: LiveHand) -> int:
    """What is played for a program without an answer: a check if it is free, else a fold.

    Where that is no question it looks, stands pat, keeps the card or stays out.
    """
    view = see(hand.game, hand.states, hand.past)
    by_kind: dict[int, int] = {}
    for action, kind, name in zip(view.actions, view.kinds, view.names, strict=True):
        if kind != KIND_DRAW or name == "stand pat":
            by_kind.setdefault(kind, action)
    if view.owed == 0 and KIND_CALL in by_kind:
        return by_kind[KIND_CALL]
    return next((by_kind[kind] for kind in _PASSIVE if kind in by_kind), view.actions[0])


class Dialogue:
    """A process and what is said to it and by it; it is started again after it has ended."""

    def __init__(self, name: str, command: Sequence[str], game: Game, limits: Limits) -> None:
        """Raises ValueError, in one line, if the program cannot be started."""
        self.name = name
        self.faults: Counter[str] = Counter()
        self._command = command
        self._limits = limits
        self._hello = _hello(game, limits)
        self._starts = 0
        self._questions = 0
        self._in_a_row = 0
        self._notes: list[str] = []
        self._last_words: list[str] = []
        self._is_asked = True
        self._child: Child | None = self._start()

    def _start(self) -> Child:
        try:
            child = Child(self._command, self._limits.line)
        except OSError as error:
            reason = error.strerror or str(error)
            raise ValueError(f"cannot start {self.name}: {self._command[0]}: {reason}") from None
        self._starts += 1
        self._owed = 0
        self._first_answer_by = time.monotonic() + self._limits.start
        child.send(_line(self._hello))
        return child

    def tell(self, document: Document) -> None:
        """Send a document that needs no answer."""
        if self._child is not None:
            self._child.send(_line(document))

    def ask(self, view: Document, read: Callable[[str], int]) -> int:
        """The answer to a view of a decision, as `read` understands it; ValueError if it cannot.

        Raises Fault, which has been counted, if there is no good answer in time.
        """
        try:
            name = self._answer(view)
            try:
                action = read(name)
            except ValueError as error:
                raise Fault(ILLEGAL, str(error)) from None
        except Fault as fault:
            self._count(fault, int(view["hand"]))
            raise
        self._in_a_row = 0
        return action

    def _answer(self, view: Document) -> str:
        """The name of the action that the program answers."""
        if not self._is_asked:
            raise Fault(NOT_ASKED)
        if self._child is None:
            try:
                self._child = self._start()
            except ValueError as error:
                self._starts += 1
                raise Fault(CRASH, str(error)) from None
        try:
            return self._exchange(self._child, view)
        except Gone:
            raise Fault(CRASH, self._part(_BRIEFLY) or "it closed its stdin or stdout") from None
        except Flooded:
            self._part(0.0)
            raise Fault(FLOOD, f"it wrote more than {self._limits.line:,} bytes") from None

    def _exchange(self, child: Child, view: Document) -> str:
        self._owed = max(self._owed - child.skip(), 0)
        self._questions += 1
        now = time.monotonic()
        deadline = max(now + self._limits.decision, self._first_answer_by)
        child.send(_line({"type": "act", "id": self._questions, **view}))
        while True:
            line = child.receive(deadline)
            if line is None:
                self._owed += 1
                raise Fault(TIMEOUT, f"no answer within {deadline - now:.3g} seconds")
            self._first_answer_by = now
            answer = _parsed(line)
            if not self._is_late(answer):
                break
        if not isinstance(answer, dict) or not isinstance(answer.get("action"), str):
            text = printable(line.decode("utf-8", "replace"))
            raise Fault(GARBAGE, f'{text!r} is not {{"action": "..."}}')
        return str(answer["action"])

    def _is_late(self, answer: Any) -> bool:
        """Whether it answers an earlier question: its `id` says so, or else the order of lines."""
        number = answer.get("id") if isinstance(answer, dict) else None
        if number == self._questions:
            self._owed = 0
            return False
        if self._owed or (isinstance(number, int) and number < self._questions):
            self._owed = max(self._owed - 1, 0)
            return True
        return False

    # What goes wrong, and the end.

    def notes(self) -> list[str]:
        """The first faults in words, and the last lines that the program wrote to stderr."""
        words = self._last_words or (self._child.last_words if self._child else [])
        return [*self._notes, *(f"stderr: {line}" for line in words)] if self.faults else []

    def _count(self, fault: Fault, hand: int) -> None:
        self.faults[fault.kind] += 1
        if fault.kind == NOT_ASKED:
            return
        if len(self._notes) < _NOTES:
            self._notes.append(f"hand {hand}: {fault.kind}: {fault}")
        self._in_a_row += 1
        limits = self._limits
        ended = self._child is None and self._starts > limits.restarts
        too_often = self._in_a_row >= limits.in_a_row or self.faults.total() >= limits.faults
        if ended or too_often:
            self._notes.append(f"hand {hand}: it is not asked any more")
            self.close()

    def _part(self, grace: float) -> str:
        """Let the process go; returns how it ended if it did so by itself."""
        child, self._child = self._child, None
        if child is None:
            return ""
        child.close(grace)
        self._last_words = child.last_words or self._last_words
        return f"it ended: {child.fate}" if child.fate else ""

    def close(self) -> None:
        """Say goodbye and end the process; nothing is asked any more."""
        self._is_asked = False
        self.tell({"type": "bye"})
        self._part(GRACE)


def _hello(game: Game, limits: Limits) -> Document:
    return {
        "type": "hello",
        "version": VERSION,
        "game": str(game),
        "players": game.players,
        "time_limit": limits.decision,
        "start_limit": limits.start,
        "unit": game.limits.unit,
        "unit_chips": game.limits.big_unit,
        "rules": {name: game.parameters[name] for name in game.parameters if name not in _NO_RULES},
    }


def _line(document: Document) -> str:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def _parsed(line: bytes) -> Any:
    """A line as JSON; None if it is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
