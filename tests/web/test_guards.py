"""Sizes, rates, hosts and origins; what a page may load."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from pokerspiel.experiments.web.guards import MOST_BYTES, Rate, TooLargeError, limited
from tests.web.clients import serving


def test_a_client_is_served_at_its_rate(tmp_path: Path) -> None:
    with serving(tmp_path, per_second=2.0) as client:
        answers = [client.get("/api/bots").status_code for _ in range(12)]
    assert answers[:8] == [200] * 8 and 429 in answers[8:]


def test_a_bucket_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    rate = Rate(per_second=2.0, burst=3.0)
    assert [rate.allows("a") for _ in range(4)] == [True, True, True, False]
    assert rate.allows("b")
    now = 0.5
    assert [rate.allows("a") for _ in range(2)] == [True, False]


def test_large_bodies_are_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        answer = client.post("/api/act", content=b"x" * (MOST_BYTES + 1))
        assert answer.status_code == 413 and "bytes" in answer.json()["error"]


def test_bodies_that_hide_their_size_are_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        pieces = (b"x" * 1024 for _ in range(MOST_BYTES // 1024 + 1))
        assert client.post("/api/act", content=pieces).status_code in (400, 413)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"x" * 10, "more_body": True}

    guarded = limited(receive, 25)

    async def read() -> None:
        for _ in range(3):
            await guarded()

    with pytest.raises(TooLargeError):
        asyncio.run(read())


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.nip.io"])
def test_other_hosts_are_not_served(tmp_path: Path, host: str) -> None:
    with serving(tmp_path) as client:
        assert client.get("/", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "[::1]:8080"])
def test_this_machine_is_served(tmp_path: Path, host: str) -> None:
    with serving(tmp_path) as client:
        assert client.get("/api/bots", headers={"host": host}).status_code == 200


def test_pages_of_other_origins_may_not_play(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        foreign = {"origin": "https://evil.example"}
        assert client.post("/api/new_hand", json={}, headers=foreign).status_code == 403
        with (
            pytest.raises((WebSocketDisconnect, WebSocketDenialResponse)),
            client.socket(**foreign),
        ):
            pass
        own = {"origin": "http://localhost:8080"}
        assert client.post("/api/new_hand", json={}, headers=own).status_code == 200


def test_a_form_of_another_page_is_no_request(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        plain = {"content-type": "text/plain"}
        assert client.post("/api/new_hand", content=b"{}", headers=plain).status_code == 422


def test_pages_may_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        headers = client.get("/").headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/../server.py", "/%2e%2e/server.py", "/..%2fserver.py"])
def test_only_the_page_is_served(tmp_path: Path, path: str) -> None:
    with serving(tmp_path) as client:
        assert client.get(path).status_code == 404
