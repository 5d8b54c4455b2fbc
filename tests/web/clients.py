"""A server in this process, and a client that plays on it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient, WebSocketTestSession

from pokerspiel.experiments.web.server import Settings, make_app


class Client(TestClient):
    """Calls by their names; a refusal is an AssertionError with its line."""

    def call(self, name: str, **members: Any) -> dict[str, Any]:
        answer = self.post(f"/api/{name}", json=members)
        assert answer.status_code == 200, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def socket(self, **headers: str) -> WebSocketTestSession:
        """The socket of the page."""
        host = {"host": "localhost:8080", **headers}
        return self.websocket_connect("/ws", headers=host)

    def refused(self, name: str, status: int, **members: Any) -> str:
        """The line of a refusal with this status."""
        answer = self.post(f"/api/{name}", json=members)
        assert answer.status_code == status, answer.text
        error: str = answer.json()["error"]
        assert error and "\n" not in error and "Traceback" not in error
        return error


@contextmanager
def serving(data: Path, **settings: Any) -> Iterator[Client]:
    """A client of a server that keeps its tables in `data`."""
    settings = {"seed": 1, "per_second": 1e6, **settings}
    app: Any = make_app(Settings(data, **settings))
    with Client(app, base_url="http://localhost:8080") as client:
        yield client


def play_out(client: Client, view: dict[str, Any], luck: random.Random) -> list[dict[str, Any]]:
    """Play a hand with random actions; all documents that the client saw of it."""
    seen = [view]
    while not view["over"]:
        action = luck.choice(view["actions"])
        name = action["name"]
        if "max" in action:
            name = f"{name.rsplit(' ', 1)[0]} {luck.randint(action['min'], action['max'])}"
        view = client.call("act", token=view["token"], action=name)
        seen.append(view)
    return seen
