"""The socket of the page: what happens at a table, frame by frame, as it happens."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import TypeAdapter

from pokerspiel.experiments.web import messages
from pokerspiel.experiments.web.errors import line_of
from pokerspiel.experiments.web.guards import MOST_BYTES, Rate
from pokerspiel.experiments.web.tables import LiveTable

if TYPE_CHECKING:
    from pokerspiel.experiments.web.server import Server

PER_SECOND = 20.0
"""Messages of one socket a second."""
BURST = 60.0
MOST_VIEWERS = 8
"""Sockets that look at one table."""
POLICY_VIOLATION = 1008

_ON_SOCKET: TypeAdapter[messages.ActOnSocket | messages.DealOnSocket] = TypeAdapter(
    messages.OnSocket
)


class _Viewer:
    """A socket, and how much of the hand it has been shown."""

    def __init__(self, websocket: WebSocket, live: LiveTable) -> None:
        self.websocket = websocket
        self.number = live.table.number
        self.steps = len(live.table.hand.steps)

    async def show_all(self, live: LiveTable) -> None:
        """The hand as it stands, in one frame, with all that has been said of it."""
        frames = live.frames()
        lines = [line for frame in frames for line in frame["lines"]]
        await self._send(live, [{"view": frames[-1]["view"], "lines": lines}])

    async def show_new(self, live: LiveTable) -> None:
        start = self.steps if live.table.number == self.number else 0
        self.number, self.steps = live.table.number, len(live.table.hand.steps)
        await self._send(live, live.frames(start))

    async def _send(self, live: LiveTable, frames: list[dict[str, Any]]) -> None:
        document = {"type": "hand", "token": live.token, "frames": frames, "result": live.result()}
        await self.websocket.send_json(document)


class Room:
    """The sockets that look at one table."""

    def __init__(self) -> None:
        self.viewers: list[_Viewer] = []

    async def publish(self, live: LiveTable) -> None:
        """Show all of them what is new; one that is gone misses it."""
        for viewer in list(self.viewers):
            try:
                await viewer.show_new(live)
            except (WebSocketDisconnect, RuntimeError, OSError):
                self.viewers.remove(viewer)


async def serve_socket(websocket: WebSocket, server: Server) -> None:
    """Serve a socket until it is closed."""
    await websocket.accept()
    rate = Rate(PER_SECOND, BURST)
    try:
        token = await _join(websocket, server, rate)
        if token is not None:
            await _play(websocket, server, rate, token)
    except WebSocketDisconnect:
        pass
    finally:
        _leave(websocket, server)


async def _join(websocket: WebSocket, server: Server, rate: Rate) -> str | None:
    """Read the first message, and show the table; None if there is no such table."""
    try:
        token = messages.Join.model_validate(await _read(websocket, rate)).token
        live = await server.find(token)
    except Exception as error:
        await _refuse(websocket, error, close=True)
        return None
    room = server.rooms.setdefault(token, Room())
    if len(room.viewers) >= MOST_VIEWERS:
        await _refuse(websocket, ValueError("too many windows look at this table"), close=True)
        return None
    async with live.lock:
        viewer = _Viewer(websocket, live)
        await viewer.show_all(live)
        room.viewers.append(viewer)
    return token


async def _play(websocket: WebSocket, server: Server, rate: Rate, token: str) -> None:
    while True:
        try:
            message = _ON_SOCKET.validate_python(await _read(websocket, rate))
            if isinstance(message, messages.ActOnSocket):
                await server.act(token, message.action)
            else:
                await server.deal(token)
        except WebSocketDisconnect:
            raise
        except Exception as error:
            await _refuse(websocket, error)


async def _read(websocket: WebSocket, rate: Rate) -> Any:
    """The next message. Raises ValueError for what is no JSON, or comes too fast."""
    text = await websocket.receive_text()
    if not rate.allows(""):
        raise ValueError("too many messages: slow down")
    if len(text) > MOST_BYTES:
        raise ValueError(f"a message of {len(text)} letters: at most {MOST_BYTES} are read")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("the message is no JSON") from None


async def _refuse(websocket: WebSocket, error: Exception, close: bool = False) -> None:
    if isinstance(error, WebSocketDisconnect):
        raise error
    await websocket.send_json({"type": "error", "error": line_of(error)})
    if close:
        await websocket.close(POLICY_VIOLATION)


def _leave(websocket: WebSocket, server: Server) -> None:
    for token, room in list(server.rooms.items()):
        room.viewers = [viewer for viewer in room.viewers if viewer.websocket is not websocket]
        if not room.viewers:
            server.rooms.pop(token, None)
