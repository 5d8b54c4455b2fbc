"""Hands of a table as files, and files as films."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.web.clients import Client, play_out, serving


@pytest.fixture
def client(tmp_path: Path):
    with serving(tmp_path) as client:
        yield client


@pytest.mark.parametrize("form", ["jsonl", "phh"])
@pytest.mark.parametrize("game", ["svara(players=3)", "sviten_special", "dramaha(players=4)"])
def test_the_hands_of_a_table_are_replayed_from_their_file(
    client: Client, game: str, form: str
) -> None:
    luck = random.Random(4)
    view = client.call("new_hand", game=game, against=["equity"])
    won = []
    for _ in range(12):
        last = play_out(client, view, luck)[-1]
        won.append(last["returns"])
        view = client.call("new_hand", token=view["token"])
    text = client.call("history", token=view["token"], format=form)["text"]
    films = client.call("replay", text=text)["hands"]
    assert len(films) in (12, 13)  # a bot may have folded at once
    assert [film["frames"] is not None for film in films[:12]] == [True] * 10 + [False] * 2
    films[10:] = client.call("replay", text=text, first=10)["hands"][10:]
    for number, film in enumerate(films[:12]):
        own = client.call("frames", token=view["token"], hand=number)["hand"]
        assert film["frames"][-1]["view"]["returns"] == won[number]
        assert film["players"] == own["players"] and film["game"] == game
        assert [f["lines"] for f in film["frames"]] == [f["lines"] for f in own["frames"]]


def test_a_hand_that_was_not_played_by_the_rules_is_refused(client: Client) -> None:
    view = client.call("new_hand", game="svara", against=["always-call"])
    play_out(client, view, random.Random(1))
    line = json.loads(client.call("history", token=view["token"])["text"].splitlines()[0])
    line["returns"] = [-chips for chips in line["returns"]]
    assert "returns" in client.refused("replay", 422, text=json.dumps(line))


@pytest.mark.parametrize(
    "text", ["", "hello", "{", "[]", '{"format": "other"}', "variant = 'NT'", "[" * 9000, "\0"]
)
def test_other_files_are_refused_in_one_line(client: Client, text: str) -> None:
    answer = client.post("/api/replay", json={"text": text})
    if answer.status_code == 200:
        assert text == "" and answer.json() == {"hands": []}
    else:
        assert answer.status_code == 422 and "\n" not in answer.json()["error"]


def test_files_that_take_too_long_are_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pokerspiel.experiments.web import films

    view = client.call("new_hand", game="svara", against=["always-call"])
    play_out(client, view, random.Random(1))
    line = client.call("history", token=view["token"])["text"]
    monkeypatch.setattr(films, "MOST_HANDS", 3)
    assert "more than 3 hands" in client.refused("replay", 422, text=line * 4)
    assert len(client.call("replay", text=line * 3)["hands"]) == 3
    monkeypatch.setattr(films, "MOST_SECONDS", -1.0)
    assert "split the file" in client.refused("replay", 422, text=line)
