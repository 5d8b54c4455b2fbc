"""What went wrong with a request: a status, and one line that a client may read."""

from __future__ import annotations

import logging

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from pokerspiel.experiments.web.guards import TooLargeError
from pokerspiel.experiments.web.store import StoreError
from pokerspiel.experiments.web.tables import NoTableError, TurnError

LOG = logging.getLogger("pokerspiel.serve")
FAILED = 500
LONGEST = 500
"""Letters of a line."""


class BusyError(RuntimeError):
    """Too much is being computed already."""


STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NoTableError, 404),
    (TurnError, 409),
    (TooLargeError, 413),
    (BusyError, 429),
    (StoreError, 507),
    (RequestValidationError, 422),
    (ValueError, 422),
)
"""The status of the answer to what raised an error: of the first kind that it is of."""


def status_of(error: Exception) -> int:
    return next((status for kind, status in STATUS if isinstance(error, kind)), FAILED)


def line_of(error: Exception) -> str:
    """An error in one line; one that is the server's own goes to the log, not to the client."""
    if isinstance(error, RequestValidationError | ValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        return f"{where}: {first['msg']}" if where else str(first["msg"])
    if status_of(error) == FAILED:
        LOG.error("a request failed", exc_info=error)
        return "the server failed; its terminal says why"
    return " ".join(str(error).split())[:LONGEST]
