"""The socket of the page: frames as they happen, several windows, messages that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from tests.web.clients import Client, serving


@pytest.fixture
def client(tmp_path: Path):
    with serving(tmp_path) as client:
        yield client


def _join(socket: Any, token: str) -> dict[str, Any]:
    socket.send_json({"type": "join", "token": token})
    return socket.receive_json()


def _quiet_action(view: dict[str, Any]) -> str:
    """An action that is no fold."""
    return next(a["name"] for a in view["actions"] if a["kind"] != "fold")


def test_a_hand_is_shown_frame_by_frame(client: Client) -> None:
    view = client.call("new_hand", game="sviten_special", against=["always-call"])
    with client.socket() as socket:
        document = _join(socket, view["token"])
        assert document["type"] == "hand" and len(document["frames"]) == 1
        shown = document["frames"][0]["view"]
        assert shown == {key: view[key] for key in shown}
        assert document["frames"][0]["lines"] == view["lines"]
        lines = list(document["frames"][0]["lines"])
        while not shown["over"]:
            socket.send_json({"type": "act", "action": _quiet_action(shown)})
            document = socket.receive_json()
            shown = document["frames"][-1]["view"]
            lines += [line for frame in document["frames"] for line in frame["lines"]]
        film = client.call("frames", token=view["token"], hand=0)["hand"]["frames"]
        assert lines == [line for frame in film for line in frame["lines"]]
        assert document["result"]["hands"] == 1
        socket.send_json({"type": "deal"})
        assert socket.receive_json()["frames"][-1]["view"]["hand"] == 1


def test_a_lost_connection_goes_on_where_it_was(client: Client) -> None:
    view = client.call("new_hand", game="svara", against=["always-call"])
    with client.socket() as socket:
        shown = _join(socket, view["token"])["frames"][0]["view"]
        socket.send_json({"type": "act", "action": "look"})
        shown = socket.receive_json()["frames"][-1]["view"]
    with client.socket() as socket:
        assert _join(socket, view["token"])["frames"][0]["view"] == shown


def test_two_windows_see_the_same(client: Client) -> None:
    view = client.call("new_hand", game="svara", against=["always-call"])
    with client.socket() as one, client.socket() as two:
        _join(one, view["token"])
        _join(two, view["token"])
        one.send_json({"type": "act", "action": "look"})
        assert one.receive_json() == two.receive_json()
        client.call("act", token=view["token"], action="fold")
        assert one.receive_json() == two.receive_json()


@pytest.mark.parametrize(
    "message",
    [
        '{"type": "act", "action": "blind 900"}',
        '{"type": "act"}',
        '{"type": "act", "action": 3}',
        '{"type": "act", "action": "look", "seat": 1}',
        '{"type": "dance"}',
        '{"type": "deal"}',
        "[" * 5000,
        "not JSON",
        "null",
        json.dumps({"type": "act", "action": "x" * 70_000}),
    ],
)
def test_wrong_messages_are_answered_in_one_line_and_change_nothing(
    client: Client, message: str
) -> None:
    view = client.call("new_hand", game="svara", against=["always-call"])
    with client.socket() as socket:
        before = _join(socket, view["token"])
        socket.send_text(message)
        answer = socket.receive_json()
        assert answer["type"] == "error" and "\n" not in answer["error"]
    assert (
        client.call("view", token=view["token"])["events"] == before["frames"][0]["view"]["events"]
    )


def test_a_wrong_token_ends_the_connection(client: Client) -> None:
    with client.socket() as socket:
        answer = _join(socket, "wrong")
        assert answer == {"type": "error", "error": "no table has this token: begin a new one"}
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()


def test_a_flood_is_not_played(client: Client) -> None:
    view = client.call("new_hand", game="svara", against=["always-call"])
    with client.socket() as socket:
        _join(socket, view["token"])
        for _ in range(80):
            socket.send_text("{}")
        errors = [socket.receive_json()["error"] for _ in range(80)]
        assert any("too many messages" in error for error in errors)
