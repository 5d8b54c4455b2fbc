"""Hands of a table as a file, and hands of a file as films."""

from __future__ import annotations

import time

from pokerspiel.agents.table.frames import frames_of
from pokerspiel.agents.table.history import History, HistoryError, each_of, history_of, line_of
from pokerspiel.agents.table.phh import to_phhs
from pokerspiel.agents.table.seat_view import Document
from pokerspiel.experiments.web.tables import LiveTable, Tables

FILMS = 10
"""Hands of a file whose frames are in one answer."""
MOST_HANDS = 5000
"""Hands of a file that are read."""
MOST_SECONDS = 10.0
"""Time for reading one; hands of PHH are played for it."""


def history_text(tables: Tables, live: LiveTable, form: str) -> str:
    """The hands of a table that are over, as the guest saw them; `form` is "jsonl" or "phh"."""
    documents = []
    for row in tables.store.hands(live.token):
        if row.won is not None:
            hand = live.table.hand_of(row.number, row.actions)
            seat = row.number % live.table.game.players
            names = live.table.names_in(row.number)
            documents.append(history_of(hand, seat, names, row.number))
    if form == "phh":
        return to_phhs(documents)
    return "".join(f"{line_of(document)}\n" for document in documents)


def films_of(text: str, first: int) -> Document:
    """The hands of a file: their titles, and the frames of some, from number `first` on.

    A history that one seat saw shows what that seat saw, one with all cards shows all. Raises
    ValueError, in one line, for what cannot be read or was not played by the rules.
    """
    histories = _read(text)
    last = first + FILMS
    return {
        "hands": [
            {
                "title": _title(history),
                "game": str(history.game),
                "players": history.players,
                "frames": _frames(history) if first <= i < last else None,
            }
            for i, history in enumerate(histories)
        ]
    }


def _read(text: str) -> list[History]:
    """The hands of a file, which is read for so many hands and so long at the most."""
    histories: list[History] = []
    end = time.monotonic() + MOST_SECONDS
    for history in each_of(text):
        if isinstance(history, HistoryError):
            raise history
        histories.append(history)
        if len(histories) > MOST_HANDS:
            raise ValueError(f"more than {MOST_HANDS} hands: split the file to see it here")
        if time.monotonic() > end:
            raise ValueError(
                f"after {MOST_SECONDS:g} s only {len(histories)} hands are read: split the file"
            )
    return histories


def _frames(history: History) -> list[Document]:
    return frames_of(history.hand(), history.viewer, history.players, history.number)


def _title(history: History) -> str:
    """The number of a hand, and who won what."""
    best = max(range(len(history.returns)), key=lambda seat: history.returns[seat])
    won = history.returns[best]
    if history.viewer is not None:
        best, won = history.viewer, history.returns[history.viewer]
    return f"Hand {history.number + 1}: {history.players[best]} {won:+g}"
