"""Hand histories: what a seat saw and no more, replayed to the same chips; bad ones are refused."""

from __future__ import annotations

import io
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.arena import play_match
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.table.completion import Slot, find_cards
from pokerspiel.agents.table.frames import frames_of
from pokerspiel.agents.table.history import (
    MOST_LETTERS,
    HistoryError,
    each_line,
    each_of,
    history_of,
    line_of,
    read_any,
)
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.games import kuhn, leduc, svara, sviten
from pokerspiel.games.variants import load
from tests.command_line import pokerspiel, refuse, succeed
from tests.played_hands import card_names_in, may_know, names_of, played_hands, seen_hands

# What can happen.


def test_the_hands_of_these_tests_have_everything() -> None:
    found: Counter[str] = Counter()
    for hand in played_hands():
        state = hand.state
        found.update({step.words.partition(" ")[0] for step in hand.steps if not step.by_chance})
        found["folded out"] += not any(step.shown for step in hand.steps)
        if hand.game.family is svara:
            found["svarka"] += state["svarkas"] > 0
        if hand.game.family is sviten:
            found["reshuffle"] += state["epoch"] > 0
            found["two reshuffles"] += state["epoch"] > 1
            live = [s for s in range(hand.game.players) if not int(state["folded"]) >> s & 1]
            found["side pot"] += len({int(state["paid"][s]) for s in live}) > 1 and len(live) > 2
    for what in ("svarka", "join", "decline", "blind", "look", "keep", "reject", "stand"):
        assert found[what], what
    for what in ("reshuffle", "two reshuffles", "side pot", "folded out"):
        assert found[what], what


def _without_reasons(value: Any) -> Any:
    """A document without "why", which names one of several reasons by the order of the deal."""
    if isinstance(value, dict):
        return {name: _without_reasons(v) for name, v in value.items() if name != "why"}
    return [_without_reasons(v) for v in value] if isinstance(value, list) else value


def test_histories_replay_to_the_same_chips_as_every_seat_saw_them() -> None:
    for hand, viewer, document in seen_hands():
        (history,) = read_any(line_of(document))
        again = history.hand()
        assert again.returns == hand.returns
        assert (history.viewer, history.players) == (viewer, names_of(hand))
        written = history_of(again, viewer, history.players, history.number)
        assert _without_reasons(written) == _without_reasons(document)
        if viewer is None:
            assert again.past == hand.past


def test_a_hand_of_a_seat_is_a_film_of_what_it_saw() -> None:
    for hand, viewer, document in seen_hands()[::7]:
        again = read_any(line_of(document))[0].hand()
        films = [frames_of(one, viewer, names_of(hand)) for one in (hand, again)]
        one, other = ([_without_reasons(frame["view"]) for frame in film] for film in films)
        assert one == other


# What is hidden.


def test_a_card_that_a_seat_did_not_see_is_nowhere_in_its_history() -> None:
    hidden = 0
    for hand, viewer, document in seen_hands():
        if viewer is None or hand.game.family in (kuhn, leduc):
            continue
        known = may_know(hand, viewer)
        named = card_names_in(line_of(document))
        named = {word[i : i + 2] for word in named for i in range(0, len(word), 2)}
        assert named <= known
        dealt = {step.words for step in hand.steps if step.by_chance}
        hidden += len(dealt - known)
    assert hidden > 500


def test_the_cards_that_a_replay_makes_up_are_not_shown() -> None:
    for hand, viewer, document in seen_hands()[::3]:
        if viewer is None or hand.game.family in (kuhn, leduc):
            continue
        film = frames_of(read_any(line_of(document))[0].hand(), viewer, names_of(hand))
        views = card_names_in(json.dumps([frame["view"] for frame in film], ensure_ascii=False))
        lines = card_names_in("\n".join(line for frame in film for line in frame["lines"]))
        named = {word[i : i + 2] for word in views | lines for i in range(0, len(word), 2)}
        assert named <= may_know(hand, viewer)


def test_the_cards_of_others_are_null_and_their_discards_are_counts() -> None:
    nulls = 0
    for _, viewer, document in seen_hands():
        if viewer is None:
            continue
        for event in document["events"]:
            if event.get("to") not in (None, viewer, "board") and "face_up" not in event:
                assert event["card"] is None
                nulls += 1
            if event.get("seat") not in (None, viewer):
                assert not event.get("action", "").startswith("discard")
            assert event.get("to") != "nobody"
    assert nulls > 1000


# The search.


def _has_cards(slots: list[Slot], deck: list[int]) -> bool:
    """By trying everything."""
    return any(
        all(slot.domain >> card & 1 for slot, card in zip(slots, cards, strict=True))
        and all(
            cards[i] != cards[j] or not slots[i].meets(slots[j])
            for i, j in itertools.combinations(range(len(slots)), 2)
        )
        for cards in itertools.product(deck, repeat=len(slots))
    )


def test_cards_are_found_exactly_when_there_are_some() -> None:
    rng = random.Random(5)
    outcomes: Counter[bool] = Counter()
    for _ in range(300):
        size = rng.randint(2, 4)
        deck = sorted(rng.sample(range(52), size))
        slots = []
        for _ in range(rng.randint(1, 6)):
            some = rng.sample(deck, rng.choice([1, 2, size]))
            begin = rng.randint(0, 3)
            end = begin + rng.choice([1, 2, 99])
            slots.append(Slot(0, begin, sum(1 << card for card in some), end))
        cards = find_cards(slots, sum(1 << card for card in deck))
        possible = _has_cards(slots, deck)
        outcomes[possible] += 1
        assert (cards is not None) == possible, slots
        if cards is not None:
            for slot, card in zip(slots, cards, strict=True):
                assert slot.domain >> card & 1
            for i, j in itertools.combinations(range(len(slots)), 2):
                assert cards[i] != cards[j] or not slots[i].meets(slots[j])
    assert min(outcomes.values()) > 30


# Strictness.


def _a_line(game: str = "sviten_special", viewer: int | None = 0) -> Any:
    """A hand that ends with a showdown, as JSON values."""
    document = next(
        document
        for hand, seat, document in seen_hands()
        if str(hand.game) == game and seat == viewer and hand.steps[-1].shown
    )
    return json.loads(line_of(document))


def _first(document: Any, member: str) -> Any:
    return next(event for event in document["events"] if member in event)


def _put(member: str, value: Any) -> Callable[[Any], Any]:
    return lambda document: document.__setitem__(member, value)


def _put_first(kind: str, member: str, value: Any) -> Callable[[Any], Any]:
    return lambda document: _first(document, kind).__setitem__(member, value)


def _swap_shown_card(document: Any) -> None:
    """Seat 1 shows a card that seat 0 held from the first."""
    own = _first(document, "card")["card"]
    shows = [event for event in document["events"] if "shows" in event and event["seat"] == 1]
    shows[-1]["shows"]["cards"][0] = own


DAMAGE: list[tuple[str, Callable[[Any], Any]]] = [
    ("format", _put("format", "something")),
    ("version 2", _put("version", 2)),
    ("version true", _put("version", True)),
    ("unknown game 'bridge'", _put("game", "bridge")),
    ("players=1 is not allowed", _put("game", "svara(players=1)")),
    ("without abstraction", _put("game", "sviten_special(abstraction=halves)")),
    ("without buckets", _put("game", "sviten_special(buckets=/dev/zero)")),
    ("rule_version 7", _put("rule_version", 7)),
    ("hand -1", _put("hand", -1)),
    ("viewer 2", _put("viewer", 2)),
    ("viewer false", _put("viewer", False)),
    ("players", _put("players", ["one"])),
    ("players", _put("players", ["one", "t\two"])),
    ("returns", _put("returns", [0])),
    ("returns", _put("returns", [0, "0"])),
    ("events", _put("events", {})),
    ("returns is missing", lambda document: document.pop("returns")),
    ("played", _put("returns", [12345, -12345])),
    ("event 1", _put_first("card", "to", 2)),
    ("event 1", _put_first("card", "to", "nobody")),
    ("event 1", _put_first("card", "face_up", True)),
    ("event 1", _put_first("card", "more", 1)),
    ("no card of this game", _put_first("card", "card", "1c")),
    ("event 11", _put_first("action", "action", "raise to 999")),
    ("cannot act", lambda document: document["events"].pop(10)),
    ("event", lambda document: document["events"].pop(0)),
    ("the hand is over", lambda document: document["events"].append({"seat": 0, "action": "fold"})),
    ("a card falls", lambda document: document["events"].insert(9, {"seat": 0, "action": "fold"})),
    ("is not over", lambda document: document["events"].__delitem__(slice(12, None))),
    ("shows 1 cards", _put_first("shows", "shows", {"cards": ["7c"]})),
    ("no cards fit", _swap_shown_card),
    ("nested deeper", _put("more", json.loads("[" * 40 + "]" * 40))),
]


@pytest.mark.parametrize(("naming", "damage"), DAMAGE, ids=[naming for naming, _ in DAMAGE])
def test_a_damaged_line_is_refused_in_one_line(naming: str, damage: Callable[[Any], Any]) -> None:
    document = _a_line()
    good = json.dumps(document)
    damage(document)
    with pytest.raises(HistoryError) as error:
        for history in read_any(f"{good}\n\n{json.dumps(document)}\n"):
            history.hand()
    assert str(error.value).startswith("line 3: ") and naming in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("naming", "line"),
    [
        ("no JSON", "{"),
        ("no JSON", '{"format": "pokerspiel-hand"'),
        ("NaN", '{"format": NaN}'),
        ("'hand' comes twice", '{"hand": 1, "hand": 2}'),
        ("nested deeper", '{"a": ' + "[" * 100_000),
        ("at most", '{"a": "' + "x" * MOST_LETTERS + '"}'),
        ("format", "{}"),
    ],
)
def test_a_line_that_is_no_hand_is_refused(naming: str, line: str) -> None:
    with pytest.raises(HistoryError, match=f"line 1: .*{naming}"):
        read_any(line)


def test_hidden_cards_need_a_viewer() -> None:
    document = _a_line()
    document["viewer"] = None
    with pytest.raises(HistoryError, match="no event of this game"):
        read_any(json.dumps(document))


def test_a_check_that_takes_too_long_is_refused() -> None:
    document = _a_line()
    document["game"] = "sviten_special(betting=no_limit,stack=1000000)"
    document["events"] = [{"seat": 0, "action": "check"}] * 60
    with pytest.raises(HistoryError, match="too many"):
        read_any(json.dumps(document))


def _scrambled(value: Any, rng: random.Random) -> Any:
    """The value with one thing in it changed at random."""
    if isinstance(value, dict | list) and value and rng.random() < 0.9:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = rng.choice(list(keys))
        if rng.random() < 0.1:
            del value[key]
        else:
            value[key] = _scrambled(value[key], rng)
        return value
    return rng.choice(
        [None, True, -1, 0, 1, 3, 1e300, "", "7c", "x", "discard 7c", "draw 9", "discard", [], {}]
    )


def test_nonsense_never_ends_in_anything_but_a_refusal() -> None:
    rng = random.Random(1)
    refused = 0
    documents = [json.loads(line_of(document)) for _, _, document in seen_hands()[::12]]
    for document in documents * 8:
        line = json.dumps(_scrambled(json.loads(json.dumps(document)), rng))
        try:
            for result in each_line(["", line]):
                if isinstance(result, HistoryError):
                    raise result
                result.hand()
        except HistoryError as error:
            refused += 1
            assert str(error).startswith("line 2: ") and "\n" not in str(error)
    assert refused > 100


def test_good_hands_behind_a_bad_one_are_still_read() -> None:
    good = json.dumps(_a_line())
    results = list(each_of(f"{good}\n{{}}\n{good}"))
    assert [isinstance(result, HistoryError) for result in results] == [False, True, False]


def test_a_hand_that_is_not_over_has_no_history() -> None:
    with pytest.raises(ValueError, match="hand 3 is not over"):
        history_of(LiveHand(load("svara"), 1), None, ["a", "b"], 3)


def test_any_name_of_a_player_can_be_written_and_read() -> None:
    hand = played_hands()[0]
    names = ["cmd: node\tbot.js \ud800" + "x" * 500, ""]
    (history,) = read_any(line_of(history_of(hand, None, names)))
    assert history.players == ["cmd: node?bot.js ?" + "x" * 182, "?"]


# Matches.


@pytest.mark.parametrize("game", ["leduc", "svara(players=3)", "sviten_special"])
def test_histories_of_matches_are_this_format(game: str) -> None:
    text = io.StringIO()
    agents = [find_agent(name, load(game)) for name in ("random", "tight", "always-call")]
    play_match(agents[: load(game).players], load(game), 6, 4, histories=text)
    histories = read_any(text.getvalue())
    assert len(histories) == 6
    for number, history in enumerate(histories):
        assert (history.number, history.viewer) == (number, None)
        assert history.document["seed"] == 4 and "deal" in history.document
        assert history.hand().past == history.document["actions"]


# The command.


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hands.jsonl"
    lines = [
        line_of({**document, "note": "kept"})
        for hand, viewer, document in seen_hands()
        if str(hand.game) == "sviten_special" and viewer == 0
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_command_sums_up(file: Path) -> None:
    histories = read_any(file.read_text(encoding="utf-8"))
    document = succeed("histories", file, "--json").document
    assert document["hands"] == len(histories)
    assert document["games"] == [{"game": "sviten_special", "hands": len(histories)}]
    chips = np.sum([history.returns for history in histories], axis=0)
    assert [player["chips"] for player in document["players"]] == chips.tolist()
    assert f"{len(histories)} hands replayed" in succeed("histories", file).out


def test_the_command_converts_there_and_back(file: Path) -> None:
    phh, back = file.with_suffix(".phhs"), file.with_name("back.jsonl")
    succeed("histories", file, "--to", "phh", "--out", phh)
    succeed("histories", phh, "--to", "jsonl", "--out", back)
    before, after = (
        [_without_reasons(history.document) for history in read_any(path.read_text("utf-8"))]
        for path in (file, back)
    )
    assert [{**document, "note": "kept"} for document in after] == before
    same = succeed("histories", file, "--to", "jsonl").out
    assert [json.loads(line)["note"] for line in same.splitlines()] == ["kept"] * len(before)
    assert sorted(path.name for path in file.parent.iterdir()) == sorted(
        path.name for path in (file, phh, back)
    )


def test_the_command_tells_a_hand(file: Path) -> None:
    history = read_any(file.read_text(encoding="utf-8"))[1]
    out = succeed("histories", file, "--tell", history.number).out
    assert f"Hand {history.number} of sviten_special" in out
    assert "You are dealt" in out and "Flop:" in out
    assert f"{history.players[1]} {history.returns[1]:+g}" in out
    refuse("histories", file, "--tell", 999_999, naming="no such hand")


def test_the_command_names_the_first_bad_hand_or_all(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([lines[0], "{}", lines[1], '{"a": ', *lines[2:]]), encoding="utf-8")
    refuse("histories", file, naming=f"{file}: line 2: ")
    outcome = pokerspiel("histories", file, "--check", "--json")
    assert outcome.status == 2
    assert [bad.partition(": ")[2][:6] for bad in outcome.document["bad"]] == ["line 2", "line 4"]
    assert outcome.document["hands"] == len(lines)
    assert outcome.err.count("\n") == 2
    refuse("histories", file, "--to", "phh", "--out", file.with_name("new"), naming="line 2")
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_the_command_refuses_what_it_cannot_do(file: Path, tmp_path: Path) -> None:
    refuse("histories", file, "--to", "xml", naming="--to xml: expected jsonl or phh")
    refuse("histories", file, "--out", "x", naming="--out x: name a format")
    refuse("histories", file, "--to", "phh", "--json", naming="--json True: not with --to")
    refuse("histories", tmp_path / "nothing", naming="nothing")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe{}")
    refuse("histories", binary, naming="no text in UTF-8")
    empty = tmp_path / "empty"
    empty.touch()
    refuse("histories", empty, naming="no hands")
