"""What stands before every request: limits of size and rate, the host, the origin; and headers."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 64 * 1024
"""Largest body of a request, and largest message of a socket."""
MOST_HISTORY_BYTES = 4 * 1024 * 1024
"""Largest file of hand histories."""
LARGE_BODIES = ("/api/replay",)
MOST_CLIENTS = 10_000

POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class TooLargeError(ValueError):
    """A body that is larger than allowed."""


class Rate:
    """A bucket of tokens for each client: `per_second` drip in, `burst` fit."""

    def __init__(self, per_second: float, burst: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, client: str) -> bool:
        """Take a token of the client, if there is one."""
        now = time.monotonic()
        tokens, then = self._buckets.pop(client, (self._burst, now))
        tokens = min(tokens + (now - then) * self._per_second, self._burst)
        allowed = tokens >= 1.0
        self._buckets[client] = (tokens - allowed, now)
        while len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return allowed


class Guard:
    """An ASGI application before another one, which it protects."""

    def __init__(self, app: App, rate: Rate, hosts: frozenset[str] | None) -> None:
        """`hosts` are the names that the server answers to; None for any."""
        self._app = app
        self._rate = rate
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal is not None:
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": refusal[1]})
                return
            await self._app(scope, receive, send)
            return
        if refusal is not None:
            await _refuse(with_headers(send), *refusal)
            return
        most = MOST_HISTORY_BYTES if scope["path"] in LARGE_BODIES else MOST_BYTES
        await self._app(scope, limited(receive, most), with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str] | None:
        """Status and reason if a request is not even looked at."""
        host = headers.get(b"host", "")
        if self._hosts is not None and name_of(host) not in self._hosts:
            return 403, f"host {host[:60]!r} is not served here"
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, f"origin {origin[:60]!r} is not this server"
        client = scope["client"][0] if scope.get("client") else ""
        if scope["path"].startswith(("/api/", "/ws")) and not self._rate.allows(client):
            return 429, "too many requests: slow down"
        most = MOST_HISTORY_BYTES if scope["path"] in LARGE_BODIES else MOST_BYTES
        length = headers.get(b"content-length", "0")
        if not length.isdigit() or int(length) > most:
            return 413, f"a body of {length[:20]} bytes: at most {most} are read"
        return None


def name_of(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def limited(receive: Receive, most: int) -> Receive:
    """`receive` that refuses a body which grows beyond `most` bytes without having said so."""
    read = 0

    async def receive_limited() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > most:
            raise TooLargeError(f"a body of more than {most} bytes: that is more than is read")
        return message

    return receive_limited


def with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
        await send(message)

    return send_with_headers


async def _refuse(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
