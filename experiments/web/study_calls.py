"""The calls for study: a bot's advice, the calculator, strategies to look up, files to replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI

if TYPE_CHECKING:
    from pokerspiel.experiments.web.server import Server


def add_study_calls(app: FastAPI, server: Server) -> None:
    """Add the calls to the application."""
