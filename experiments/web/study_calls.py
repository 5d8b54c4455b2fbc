"""The calls for study: a bot's advice, the calculator, strategies to look up, files to replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from pokerspiel.experiments.web import messages
from pokerspiel.experiments.web.films import films_of, history_text

if TYPE_CHECKING:
    from pokerspiel.experiments.web.server import Server


def add_study_calls(app: FastAPI, server: Server) -> None:
    """Add the calls to the application."""
    _add_histories(app, server)


def _add_histories(app: FastAPI, server: Server) -> None:
    @app.post("/api/history", tags=["looking back"])
    async def history(request: messages.History) -> dict[str, str]:
        """The hands of a table that are over, as a file of JSON lines or of PHH."""
        live = await server.find(request.token)
        return {"text": await server.study(history_text, server.tables, live, request.format)}

    @app.post("/api/replay", tags=["looking back"])
    async def replay(request: messages.Replay) -> dict[str, Any]:
        """The hands of a file, JSON lines or PHH; ten of them frame by frame, from `first` on."""
        return await server.study(films_of, request.text, request.first)
