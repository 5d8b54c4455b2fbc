"""`pokerspiel serve`: the table, study, calculator and explorer as a web page, on this machine."""

from __future__ import annotations

import os
import socket
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from pokerspiel.agents.roster import find_agent
from pokerspiel.experiments.output import note
from pokerspiel.experiments.run_folder import check_writable
from pokerspiel.experiments.warm import warm_up_once
from pokerspiel.experiments.web.guards import MOST_BYTES
from pokerspiel.experiments.web.server import LOCAL_NAMES, Settings, make_app


def run(
    host: str,
    port: int,
    data: Path | None,
    bots: Path | None,
    more_bots: Sequence[str],
    seed: int | None,
    open_browser: bool,
    per_second: float,
    quiet: bool,
) -> int:
    """Serve until Ctrl-C. Raises ValueError, in one line, for what cannot be served."""
    if bots is not None and not bots.is_dir():
        raise ValueError(f"--bots {bots}: no such folder")
    for name in more_bots:
        find_agent(name)
    folder = data if data is not None else default_data()
    check_writable(folder / "tables.sqlite")
    hosts = LOCAL_NAMES if host in LOCAL_NAMES else None
    warm_up_once(quiet)
    settings = Settings(folder, bots, tuple(more_bots), seed, hosts, per_second)
    listener = _listen(host, port)
    port = listener.getsockname()[1]
    url = f"http://{'localhost' if hosts is not None else host}:{port}/"
    note(f"{url} - Ctrl-C ends it; hands are kept in {folder}", quiet)
    if hosts is None:
        note(f"anybody who reaches {host}:{port} can play; nothing is encrypted", quiet)
    if open_browser:
        webbrowser.open(url)
    config = uvicorn.Config(
        make_app(settings),
        access_log=False,
        log_level="warning",
        ws_max_size=MOST_BYTES,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    uvicorn.Server(config).run([listener])
    return 0


def default_data() -> Path:
    """Where hands are kept unless another folder is named."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "pokerspiel" / "serve"


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens; ValueError if the address is taken or not this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"cannot listen on {host}:{port}: {reason}") from None
    return listener
