"""A hand as a film: what a seat sees after each thing that happens, with the words for it."""

from __future__ import annotations

from collections.abc import Sequence

from pokerspiel.agents.table.live_hand import LiveHand, Step
from pokerspiel.agents.table.seat_view import Document, seat_view
from pokerspiel.agents.table.telling import Telling


def frames_of(
    hand: LiveHand, seat: int | None, names: Sequence[str], number: int = 0, start: int = 0
) -> list[Document]:
    """{"view", "lines"} after each action and each deal of cards, as `seat` sees them.

    `lines` are the words for what is new in the frame, `view` is a `seat_view`. Frames of the
    first `start` steps are left out; None for the seat shows all cards, for hands that are over.
    """
    telling = Telling(hand.game, names, seat)
    frames: list[Document] = []
    lines: list[str] = []
    if start == 0:
        view = seat_view(hand, seat, names, number, 0)
        frames.append({"view": view, "lines": []})
    for i, step in enumerate(hand.steps, 1):
        told = telling.tell(step)
        if i == start:
            telling.flush()
        if i <= start:
            continue
        lines += told
        following = hand.steps[i] if i < len(hand.steps) else None
        if following is None or not _belong_together(step, following):
            lines += telling.flush()
            view = seat_view(hand, seat, names, number, i)
            frames.append({"view": view, "lines": lines})
            lines = []
    return frames


def lines_of(hand: LiveHand, seat: int | None, names: Sequence[str], start: int = 0) -> list[str]:
    """The words for what `seat` has seen of a hand from the step `start` on."""
    telling = Telling(hand.game, names, seat)
    lines: list[str] = []
    for i, step in enumerate(hand.steps):
        if i == start:
            telling.flush()
            lines.clear()
        lines += telling.tell(step)
    lines += telling.flush()
    return lines if start < len(hand.steps) else []


def _belong_together(step: Step, following: Step) -> bool:
    """Whether two steps are cards of one deal."""
    if not (step.by_chance and following.by_chance):
        return False
    fields = [name for name in ("phase", "street", "svarkas") if name in step.before.dtype.names]
    return all(step.before[name] == following.before[name] for name in fields)
