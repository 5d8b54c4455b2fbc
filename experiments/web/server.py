"""The application: the page, the HTTP calls and the socket, over tables that it keeps.

Bots think in threads of their own, so that a table that thinks holds up no other; what is computed
for study has other threads than what is played.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, Request, WebSocket
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from pokerspiel.experiments.web import messages
from pokerspiel.experiments.web.bots import Offer
from pokerspiel.experiments.web.errors import STATUS, BusyError, line_of, status_of
from pokerspiel.experiments.web.guards import App, Guard, Rate
from pokerspiel.experiments.web.socket import Room, serve_socket
from pokerspiel.experiments.web.store import Store
from pokerspiel.experiments.web.study_calls import add_study_calls
from pokerspiel.experiments.web.tables import LiveTable, Tables, parameters_of
from pokerspiel.games.variants import VARIANTS, load

PAGE = Path(__file__).parent / "page"
LOCAL_NAMES = frozenset(("localhost", "127.0.0.1", "::1"))
"""Names of this machine for itself."""
PLAYING_THREADS = 4
STUDY_THREADS = 1
MOST_WAITING = 32
"""Computations for study that wait or run."""

T = TypeVar("T")


@dataclass(frozen=True)
class Settings:
    """How a server is set up."""

    data: Path
    """The folder that keeps its tables."""
    bots: Path | None = None
    """A folder whose bot files are on offer."""
    more_bots: tuple[str, ...] = ()
    """Other bots on offer, as commands name them."""
    seed: int | None = None
    """Of all cards; None for cards that nobody can know."""
    hosts: frozenset[str] | None = LOCAL_NAMES
    """Names that it answers to; None for any."""
    per_second: float = 200.0
    """Requests of one client a second."""


class Server:
    """What the calls share: the tables and the threads."""

    def __init__(self, settings: Settings) -> None:
        self.offer = Offer(settings.bots, settings.more_bots)
        self.tables = Tables(Store(settings.data / "tables.sqlite"), self.offer, settings.seed)
        self._playing = ThreadPoolExecutor(PLAYING_THREADS, "playing")
        self._studying = ThreadPoolExecutor(STUDY_THREADS, "studying")
        self._waiting = 0
        self.rooms: dict[str, Room] = {}

    async def play(self, work: Callable[..., T], *its: Any) -> T:
        """Run something that bots may think in."""
        return await asyncio.get_running_loop().run_in_executor(self._playing, partial(work, *its))

    async def study(self, work: Callable[..., T], *its: Any) -> T:
        """Run something that takes long and that no game waits for.

        Raises BusyError if too much of it waits already.
        """
        if self._waiting >= MOST_WAITING:
            raise BusyError("the server has much to compute: ask again in a moment")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._studying, partial(work, *its))
        finally:
            self._waiting -= 1

    async def find(self, token: str) -> LiveTable:
        return await self.play(self.tables.find, token)

    async def new_hand(self, request: messages.NewHand) -> LiveTable:
        """A new table, or the next hand of one."""
        if request.token is None:
            game = request.game or "svara"
            token = await self.play(self.tables.new, game, request.settings, request.against)
            return await self.find(token)
        if request.game is not None or request.settings or request.against:
            raise ValueError("a table keeps its game and its bots: leave out the token for others")
        return await self.deal(request.token)

    async def act(self, token: str, action: str) -> tuple[LiveTable, int]:
        """Play an action; everybody who looks at the table is told. Returns the first new step."""
        live = await self.find(token)
        async with live.lock:
            start = await self.play(self.tables.act, live, action)
            await self._publish(live)
        return live, start

    async def deal(self, token: str) -> LiveTable:
        """Deal the next hand; everybody who looks at the table is told."""
        live = await self.find(token)
        async with live.lock:
            await self.play(self.tables.deal, live)
            await self._publish(live)
        return live

    async def _publish(self, live: LiveTable) -> None:
        room = self.rooms.get(live.token)
        if room is not None:
            await room.publish(live)

    def close(self) -> None:
        self._playing.shutdown()
        self._studying.shutdown(cancel_futures=True)
        self.tables.close()


def make_app(settings: Settings) -> App:
    """The application, with its guards."""
    server = Server(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        server.close()

    app = FastAPI(
        title="pokerspiel",
        summary="Sviten Special and Svara against bots.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        lifespan=lifespan,
        responses=_ERRORS,
    )
    app.state.server = server
    _add_error_handlers(app)
    _add_calls(app, server)
    add_study_calls(app, server)

    @app.websocket("/ws")
    async def socket(websocket: WebSocket) -> None:
        await serve_socket(websocket, server)

    app.mount("/", StaticFiles(directory=PAGE, html=True))
    return Guard(app, Rate(settings.per_second, 4 * settings.per_second), settings.hosts)


# Errors.


_ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": messages.Refusal, "description": "No such table."},
    409: {"model": messages.Refusal, "description": "It is not the time for that."},
    413: {"model": messages.Refusal, "description": "Too large."},
    422: {"model": messages.Refusal, "description": "Something in the request is wrong."},
    429: {"model": messages.Refusal, "description": "Too many requests."},
    507: {"model": messages.Refusal, "description": "The server cannot keep the hand."},
}


def _add_error_handlers(app: FastAPI) -> None:
    async def refuse(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"error": line_of(error)}, status_of(error))

    async def refuse_http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)

    for kind, _ in STATUS:
        app.add_exception_handler(kind, refuse)
    app.add_exception_handler(HTTPException, refuse_http)
    app.add_exception_handler(Exception, refuse)


# Calls.


def _add_calls(app: FastAPI, server: Server) -> None:
    @app.get("/api/games", tags=["looking up"])
    async def games() -> dict[str, Any]:
        """The games, with the rules that a table may change."""
        return {"games": [_game(name) for name in VARIANTS]}

    @app.get("/api/bots", tags=["looking up"])
    async def bots() -> dict[str, Any]:
        """The bots on offer; `game` is null for those that play everything."""
        return {"bots": await server.study(server.offer.entries)}

    @app.post("/api/new_hand", tags=["playing"])
    async def new_hand(request: messages.NewHand) -> dict[str, Any]:
        """Deal a hand: at a new table, or with `token` the next one of a table."""
        return (await server.new_hand(request)).document()

    @app.post("/api/act", tags=["playing"])
    async def act(request: messages.Act) -> dict[str, Any]:
        """Play an action; the answer is the hand after the bots have acted."""
        live, start = await server.act(request.token, request.action)
        return live.document(start)

    @app.post("/api/view", tags=["playing"])
    async def view(request: messages.OfTable) -> dict[str, Any]:
        """The hand as it stands."""
        return (await server.find(request.token)).document()

    @app.post("/api/hands", tags=["looking back"])
    async def hands(request: messages.OfTable) -> dict[str, Any]:
        """The hands of a table that are over, and the result."""
        live = await server.find(request.token)
        rows = await server.play(server.tables.hands, live)
        return {"hands": rows, "result": live.result()}

    @app.post("/api/frames", tags=["looking back"])
    async def frames(request: messages.OfHand) -> dict[str, Any]:
        """A hand that is over, frame by frame, as it was seen."""
        live = await server.find(request.token)
        return {"hand": await server.play(server.tables.film, live, request.hand)}


def _game(name: str) -> dict[str, Any]:
    game = load(name)
    return {
        "name": name,
        "title": name.replace("_", " ").title(),
        "summary": game.variant.summary,
        "unit": game.limits.unit,
        "parameters": parameters_of(game),
    }
