"""A real server and a real browser for the tests of the page."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from pokerspiel.experiments.web.guards import MOST_BYTES
from pokerspiel.experiments.web.server import Settings, make_app
from tests.web.browsers import find_browser
from tests.web.pages import Site

DESKTOP = {"width": 1280, "height": 860}
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def running(data: Path, port: int = 0, **settings: Any) -> Iterator[Site]:
    """A server on a port of its own, in a thread."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    app: Any = make_app(Settings(data, **{"seed": 1, "per_second": 1e6, **settings}))
    config = uvicorn.Config(
        app, log_level="error", ws_max_size=MOST_BYTES, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Site(f"http://localhost:{listener.getsockname()[1]}")
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server for one test, whose tables are dealt the same cards every time."""
    with running(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = find_browser()
    assert path is not None, "no Chromium: run `python -m tests.web.browsers`"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


NewPage = Callable[..., Page]


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Make pages in windows of their own; after the test none may have complained.

    One that `complains` may: a browser calls every refusal of a server an error.
    """
    complaints: list[str] = []
    contexts = []

    def make(complains: bool = False, **options: Any) -> Page:
        options = {"viewport": DESKTOP, "reduced_motion": "reduce", **options}
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        if complains:
            return page
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on(
            "console",
            lambda message: (
                complaints.append(f"{message.type}: {message.text}")
                if message.type in ("error", "warning")
                else None
            ),
        )
        return page

    yield make
    for context in contexts:
        context.close()
    assert not complaints, complaints


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page()
