"""The calls under arbitrary requests made from their own description: none may fail inside."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest
import schemathesis
from schemathesis import Case
from schemathesis.checks import not_a_server_error

from pokerspiel.experiments.web.server import Settings, make_app
from pokerspiel.games.variants import load
from tests.web.clients import Client, play_out


def _lasting(app: Any) -> Any:
    """The application without an end: each request of the fuzzer is a client of its own."""

    async def call(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        for moment in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{moment}.complete"})

    return call


_FOLDER = tempfile.TemporaryDirectory()
_APP = _lasting(make_app(Settings(Path(_FOLDER.name), seed=1, per_second=1e6, hosts=None)))
_CLIENT = Client(_APP, base_url="http://localhost:8080")
schema = schemathesis.openapi.from_asgi("/openapi.json", _APP)

SURE = hypothesis.settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)


@schema.parametrize()
@SURE
def test_no_request_fails_inside(case: Case) -> None:
    case.call_and_validate(checks=[not_a_server_error])


_TOKEN = _CLIENT.call("new_hand", game="svara", against=["svara-home"])["token"]


@schema.include(path_regex="/api/").parametrize()
@SURE
def test_nor_one_about_a_table_that_there_is(case: Case) -> None:
    if isinstance(case.body, dict) and "token" in case.body:
        case.body["token"] = _TOKEN
    case.call_and_validate(checks=[not_a_server_error])


# Game texts and settings are texts to the description; here they are made of real names.


def _settings_of(name: str) -> st.SearchStrategy[dict[str, Any]]:
    parameters = load(name).variant.parameters
    return st.dictionaries(st.sampled_from([p.name for p in parameters]), _VALUES, max_size=5)


_VALUES = st.one_of(
    st.booleans(),
    st.integers(-3, 12),
    st.integers(0, 10**6),
    st.sampled_from(["any", "pot", "0.5 1 max", "no_limit", "pot_limit", "2x 3x", "7KA", "cd"]),
    st.text("0123456789 xcdhsTJQKA.-", max_size=8),
)


@pytest.mark.parametrize("name", ["svara", "sviten_special", "mini_sviten", "leduc"])
@hypothesis.settings(SURE, max_examples=60)
@hypothesis.given(data=st.data())
def test_any_rules_are_played_or_refused(name: str, data: st.DataObject) -> None:
    settings = data.draw(_settings_of(name))
    members = {"game": name, "settings": settings, "against": ["random"]}
    answer = _CLIENT.post("/api/new_hand", json=members)
    assert answer.status_code in (200, 422), (members, answer.text)
    if answer.status_code == 200:
        play_out(_CLIENT, answer.json(), random.Random(1))
