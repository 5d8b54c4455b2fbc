"""Running `pokerspiel` inside the test process, and checking how it refuses bad input."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

import pytest

from pokerspiel.experiments import cli


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


def pokerspiel(*words: object, keyboard: str = "") -> Outcome:
    out, err = io.StringIO(), io.StringIO()
    patch = pytest.MonkeyPatch()
    patch.setattr(sys, "stdin", io.StringIO(keyboard))
    try:
        with redirect_stdout(out), redirect_stderr(err):
            status = cli.run([str(word) for word in words])
    finally:
        patch.undo()
    return Outcome(status, out.getvalue(), err.getvalue())


def succeed(*words: object, keyboard: str = "") -> Outcome:
    outcome = pokerspiel(*words, keyboard=keyboard)
    assert outcome.status == 0, outcome.err
    return outcome


def refuse(*words: object, naming: str) -> None:
    """The command ends with status 2 and one line on stderr that names what is wrong."""
    outcome = pokerspiel(*words)
    assert outcome.status == 2, outcome
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1, outcome.err
    assert outcome.err.startswith("pokerspiel: ")
    assert naming in outcome.err
