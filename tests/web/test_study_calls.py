"""Advice, review, calculator and explorer over HTTP; what they say is tested beside their code."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.web.clients import Client, play_out, serving


@pytest.fixture
def client(tmp_path: Path):
    with serving(tmp_path) as client:
        yield client


def test_the_bot_that_solves_the_game_advises(client: Client) -> None:
    token = client.call("new_hand", game="svara", against=["tight"])["token"]
    document = client.call("advice", token=token)
    assert document["bot"] == "svara-home" and document["exact"]
    assert sum(action["frequency"] for action in document["actions"]) == pytest.approx(1.0)
    assert client.call("advice", token=token, bot="equity")["bot"] == "equity"


def test_elsewhere_an_opponent_advises(client: Client) -> None:
    token = client.call("new_hand", game="svara(players=4)", against=["tight"])["token"]
    assert client.call("advice", token=token)["bot"] == "tight"


def test_there_is_no_advice_where_there_is_nothing_to_decide(client: Client) -> None:
    view = client.call("new_hand", game="svara", against=["always-call"])
    token = view["token"]
    assert "hand 0" in client.refused("review", 422, token=token, hand=0)
    assert "unknown bot" in client.refused("advice", 422, token=token, bot="../svara-home")
    assert "sviten-limit" in client.refused("advice", 422, token=token, bot="sviten-limit")
    play_out(client, view, random.Random(1))
    assert "not your turn" in client.refused("advice", 409, token=token)
    document = client.call("review", token=token, hand=0)
    assert document["exact"] and document["decisions"]


def test_the_calculator_answers(client: Client) -> None:
    document = client.call("calculator/svara", hands=["7c9sJs", "AsAhKc"])
    assert [row["points"] for row in document["hands"]] == [30, 22] and document["winners"] == [0]
    document = client.call(
        "calculator/sviten",
        hand="AsAdKcKs9c",
        others=["QhTh8c6s3d"],
        board="2h7h4c",
        draw=False,
    )
    assert document["exact"] and document["deals"] == 741
    halves = document["players"][0]
    assert halves["pot"]["value"] == pytest.approx((1 + 303 / 741) / 2)


def test_the_explorer_answers(client: Client) -> None:
    document = client.call("explorer", bot="svara-home", at="b1")
    assert document["at"] == "look b1" and document["grid"]


@pytest.mark.parametrize(
    ("call", "members", "part"),
    [
        ("explorer", {"bot": "tight.pspiel"}, "unknown bot"),
        ("explorer", {"bot": "sviten-limit"}, "no chain of deals"),
        ("explorer", {"at": "nonsense"}, "nonsense"),
        ("calculator/svara", {"hands": ["7c7c"]}, "7c"),
        ("calculator/svara", {"hands": ["2c3c4c"]}, "2c"),
        ("calculator/svara", {"hands": []}, "hands"),
        ("calculator/sviten", {"hand": "AsAdKcKs"}, "AsAdKcKs"),
        ("calculator/sviten", {"hand": "AsAdKcKs9c", "seconds": 1e9}, "seconds"),
        ("calculator/sviten", {"hand": "AsAdKcKs9c", "game": "svara"}, "svara"),
    ],
)
def test_what_cannot_be_computed_is_refused(
    client: Client, call: str, members: dict, part: str
) -> None:
    assert part in client.refused(call, 422, **members)
