"""The calls for study: a bot's advice, the calculator, strategies to look up, files to replay."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from pokerspiel.agents.table.advice import advice as advice_of
from pokerspiel.agents.table.review import review as review_of
from pokerspiel.experiments.web import messages
from pokerspiel.experiments.web.calculator import svara_document, sviten_document
from pokerspiel.experiments.web.explorer import explorer_document
from pokerspiel.experiments.web.films import films_of, history_text
from pokerspiel.experiments.web.tables import TurnError

if TYPE_CHECKING:
    from pokerspiel.experiments.web.server import Server


def add_study_calls(app: FastAPI, server: Server) -> None:
    """Add the calls to the application."""
    _add_histories(app, server)
    _add_advice(app, server)
    _add_calculator(app, server)
    _add_explorer(app, server)


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


def _add_advice(app: FastAPI, server: Server) -> None:
    @app.post("/api/advice", tags=["study"])
    async def advice(request: messages.Advice) -> dict[str, Any]:
        """What a bot would do in the place of the guest, and what each action is worth."""
        live = await server.find(request.token)
        table = live.table
        if not table.waits_for_guest:
            raise TurnError("it is not your turn: there is nothing to decide")
        hand, seat, steps = table.hand, table.guest, len(table.hand.steps)
        bot = await server.play(server.tables.adviser, live, request.bot)
        return await server.study(partial(advice_of, hand, seat, bot, steps=steps))

    @app.post("/api/review", tags=["study"])
    async def review(request: messages.Review) -> dict[str, Any]:
        """What a bot would have done in a hand that is over: where most was lost comes first."""
        live = await server.find(request.token)
        hand, seat = await server.play(server.tables.finished_hand, live, request.hand)
        bot = await server.play(server.tables.adviser, live, request.bot)
        return await server.study(review_of, hand, seat, bot, request.hand)


def _add_calculator(app: FastAPI, server: Server) -> None:
    @app.post("/api/calculator/svara", tags=["study"])
    async def svara(request: messages.SvaraHands) -> dict[str, Any]:
        """Points of hands of Svara, why, and their chances."""
        return await server.study(partial(svara_document, **request.model_dump()))

    @app.post("/api/calculator/sviten", tags=["study"])
    async def sviten(request: messages.SvitenHand) -> dict[str, Any]:
        """Chances of a hand in both halves, and its best discards."""
        return await server.study(partial(sviten_document, **request.model_dump()))


def _add_explorer(app: FastAPI, server: Server) -> None:
    @app.post("/api/explorer", tags=["study"])
    async def explorer(request: messages.Explore) -> dict[str, Any]:
        """A decision of a solved game of Svara for two, with all hands; `at` leads to it."""
        bot = await server.play(server.offer.bot, request.bot)
        return await server.study(explorer_document, bot, request.at)
