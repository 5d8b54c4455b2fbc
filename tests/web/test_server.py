"""The HTTP calls: hands are played, kept and found again; everything wrong is one line."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from pokerspiel.experiments.web.store import Store, StoreError
from pokerspiel.games.variants import VARIANTS, load
from tests.web.clients import Client, play_out, serving


@pytest.fixture
def client(tmp_path: Path):
    with serving(tmp_path) as client:
        yield client


@pytest.mark.parametrize("game", VARIANTS)
def test_every_game_is_played(client: Client, game: str) -> None:
    luck = random.Random(game)
    view = client.call("new_hand", game=game, against=["equity"])
    won = 0.0
    for number in range(8):
        assert view["hand"] == number and view["game"] == game
        last = play_out(client, view, luck)[-1]
        assert sum(last["returns"]) == 0
        won += last["returns"][last["seat"]]
        view = client.call("new_hand", token=view["token"])
    result = view["result"]
    assert result["chips"] == won and result["hands"] in (8, 9)  # a bot may fold at once
    assert result["mbb_per_hand"] == pytest.approx(
        1000 * result["chips"] / result["hands"] / load(game).limits.big_unit
    )


def test_the_guest_moves_round_the_table(client: Client) -> None:
    view = client.call("new_hand", game="svara", against=["tight", "equity", "tight"])
    seats = []
    for _ in range(5):
        names = view["players"]
        at = names.index("You")
        assert at == view["seat"]
        assert names[at + 1 :] + names[:at] == ["tight", "equity", "tight #2"]
        seats.append(at)
        play_out(client, view, random.Random(0))
        view = client.call("new_hand", token=view["token"])
    assert seats == [0, 1, 2, 3, 0]


def test_a_table_goes_on_in_mid_hand_after_a_restart(tmp_path: Path) -> None:
    luck = random.Random(3)
    with serving(tmp_path, seed=None) as client:
        view = client.call("new_hand", game="sviten_special", against=["tight"])
        while view["hand"] < 3 or len(view["events"]) < 12:
            if view["over"]:
                view = client.call("new_hand", token=view["token"])
            else:
                names = [a["name"] for a in view["actions"]]
                view = client.call(
                    "act", token=view["token"], action=next(n for n in names if n != "fold")
                )
        before = client.call("view", token=view["token"])
    with serving(tmp_path, seed=None) as client:
        assert client.call("view", token=view["token"]) == before
        play_out(client, before, luck)
        hands = client.call("hands", token=view["token"])
        assert [hand["number"] for hand in hands["hands"]] == list(range(before["hand"] + 1))


def test_the_same_seed_deals_the_same_cards(tmp_path: Path) -> None:
    cards = []
    for folder in ("a", "b"):
        with serving(tmp_path / folder, seed=5) as client:
            first, second = (
                client.call("new_hand", game="dramaha", against=["equity"])["cards"]
                for _ in range(2)
            )
            cards.append((first, second))
    assert cards[0] == cards[1] and cards[0][0] != cards[0][1]


def test_frames_tell_a_hand_as_it_was_seen(client: Client) -> None:
    view = client.call("new_hand", game="sviten_special", against=["always-call"])
    seen = play_out(client, view, random.Random(2))
    film = client.call("frames", token=view["token"], hand=0)["hand"]
    last = film["frames"][-1]["view"]
    assert {**seen[-1], **last} == seen[-1]
    lines = [line for frame in film["frames"] for line in frame["lines"]]
    assert lines[: len(seen[0]["lines"])] == seen[0]["lines"]
    assert sum(len(view["lines"]) for view in seen) == len(lines)


@pytest.mark.parametrize(
    ("call", "status", "members", "part"),
    [
        ("new_hand", 422, {"game": "poker"}, "unknown game 'poker'"),
        ("new_hand", 422, {"game": "svara(players=12)"}, "players=12"),
        ("new_hand", 422, {"game": "svara", "settings": {"stack": 10**8}}, "stack=100000000"),
        ("new_hand", 422, {"game": "svara", "settings": {"stack": 30_000}}, "stack=30000"),
        ("new_hand", 422, {"game": "svara(stack=+30000)"}, "stack=30000"),
        ("new_hand", 422, {"game": "svara(stacks=20 3_0000)"}, "stack=30000"),
        ("new_hand", 422, {"settings": {"abstraction": "points"}}, "abstraction=points"),
        ("new_hand", 422, {"settings": {"players": "x"}}, "players=x"),
        ("new_hand", 422, {"settings": {"players": 3}, "against": ["tight"] * 3}, "players=3"),
        ("new_hand", 422, {"against": ["../../etc/passwd"]}, "unknown bot"),
        ("new_hand", 422, {"against": ["/etc/passwd"]}, "unknown bot"),
        ("new_hand", 422, {"against": ["sviten-limit"], "game": "svara"}, "sviten-limit plays"),
        ("new_hand", 422, {"against": ["random"] * 9}, "against"),
        ("new_hand", 422, {"game": 3}, "game"),
        ("new_hand", 422, {"gaem": "svara"}, "gaem"),
        ("new_hand", 404, {"token": "abc"}, "no table has this token"),
        ("act", 404, {"token": "abc", "action": "fold"}, "no table has this token"),
        ("act", 422, {"token": "abc"}, "action"),
        ("frames", 404, {"token": "abc", "hand": 0}, "no table"),
    ],
)
def test_what_is_wrong_is_refused_in_one_line(
    client: Client, call: str, status: int, members: dict, part: str
) -> None:
    assert part in client.refused(call, status, **members)


def test_actions_at_the_wrong_time_are_refused(client: Client) -> None:
    view = client.call("new_hand", game="svara", against=["random"])
    token = view["token"]
    assert "expected one of" in client.refused("act", 422, token=token, action="raise to 900")
    assert "hand 0 is not over" in client.refused("new_hand", 409, token=token)
    assert "hand 0" in client.refused("frames", 422, token=token, hand=0)
    assert client.call("view", token=token)["events"] == view["events"]
    play_out(client, view, random.Random(1))
    assert "the hand is over" in client.refused("act", 409, token=token, action="fold")
    assert "hand 7" in client.refused("frames", 422, token=token, hand=7)


def test_a_dropped_bot_file_is_on_offer_at_once(tmp_path: Path) -> None:
    from pokerspiel.agents.roster import BOTS

    folder = tmp_path / "bots"
    folder.mkdir()
    (folder / "broken.pspiel").write_text("nothing")
    with serving(tmp_path, bots=folder) as client:
        assert "unknown bot" in client.refused("new_hand", 422, against=["mine.pspiel"])
        (folder / "mine.pspiel").write_bytes((BOTS / "svara-home.pspiel").read_bytes())
        names = {entry["name"]: entry for entry in client.get("/api/bots").json()["bots"]}
        assert names["mine.pspiel"]["game"] == names["svara-home"]["game"]
        view = client.call("new_hand", game="svara", against=["mine.pspiel"])
        assert "svara-home" in view["players"]
        client.refused("new_hand", 422, game="svara", against=["broken.pspiel"])
        client.refused("new_hand", 422, game="svara", against=["bots/mine.pspiel"])


def test_the_file_of_the_tables_holds_no_token(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        token = client.call("new_hand")["token"]
    assert len(token) >= 32
    assert all(token.encode() not in path.read_bytes() for path in tmp_path.iterdir())


def test_a_disk_that_fails_is_reported_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path) as client:
        view = client.call("new_hand", game="svara", against=["always-call"])
        action = view["actions"][0]["name"]

        def full(self: Store, *_: object) -> None:
            raise StoreError("tables.sqlite cannot be written: database or disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(Store, "put_hand", full)
            error = client.refused("act", 507, token=view["token"], action=action)
            assert "disk is full" in error
        assert client.call("view", token=view["token"])["events"] == view["events"]
        client.call("act", token=view["token"], action=action)


def test_a_store_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tables.sqlite"
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA user_version = 9")
    with pytest.raises(StoreError, match="format 9"):
        Store(path)
    path.write_text("this is no database, it is a text that is long enough to be read as one")
    with pytest.raises(StoreError, match="not a database"):
        Store(path)


def test_the_description_of_the_calls_is_served(client: Client) -> None:
    description = client.get("/openapi.json").json()
    assert {"/api/new_hand", "/api/act", "/api/view"} <= set(description["paths"])
    assert description["paths"]["/api/act"]["post"]["responses"]["409"]


def test_programs_sit_at_tables_and_few_of_them_run_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pokerspiel.experiments.web import tables

    monkeypatch.setattr(tables, "MOST_WITH_PROGRAMS", 2)
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'act':\n"
        "        print(json.dumps({'action': message['actions'][-1]['name']}), flush=True)\n"
    )
    luck = random.Random(2)
    with serving(tmp_path / "data", more_bots=(str(bot),)) as client:
        views = [client.call("new_hand", game="svara", against=["bot.py"]) for _ in range(4)]
        live = client.app._app.state.server.tables._live  # type: ignore[attr-defined]
        assert len(live) == 2
        for view in views:  # those that were let go come back from disk
            play_out(client, view, luck)
        assert len(live) == 2
