"""A Chromium for the tests of the page: `python -m tests.web.browsers` installs one if need be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
VARIABLE = "POKERSPIEL_BROWSER"
"""Environment variable with the path of another one."""


def find_browser() -> str | None:
    """The path of a Chromium on this machine; None if there is none."""
    named = os.environ.get(VARIABLE)
    if named:
        return named
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).is_file() else None


def _ways() -> Iterator[list[list[str]]]:
    """Ways to install one, each some commands in a row."""
    apt = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "chromium"]
    update = ["apt-get", "update", "--quiet"]
    if shutil.which("apt-get"):
        sudo = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
        if not sudo or shutil.which("sudo"):
            yield [[*sudo, *apt]]
            yield [[*sudo, *update], [*sudo, *apt]]
    yield [[sys.executable, "-m", "playwright", "install", "chromium"]]


def install_browser() -> str | None:
    """Install a Chromium with the system's packages, else Playwright's own; its path."""
    for commands in _ways():
        done = all(
            subprocess.run(
                command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            ).returncode
            == 0
            for command in commands
        )
        path = find_browser() if done else None
        if path is not None:
            return path
    return None


def main() -> int:
    path = find_browser() or install_browser()
    if path is None:
        print(
            f"no Chromium, and none could be installed: install one, or set {VARIABLE} to its path",
            file=sys.stderr,
        )
        return 1
    print(f"browser: {path}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
