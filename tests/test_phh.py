"""PHH: standard fields and actions as the standard has them, read back to the same hands."""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pokerspiel.agents.table.history import HistoryError, each_of, history_of, read_any
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.phh import to_phh, to_phhs
from pokerspiel.agents.table.seat_view import action_named
from pokerspiel.games import kuhn, leduc, sviten
from pokerspiel.games.cards import parse_cards
from pokerspiel.games.kernel import NOBODY
from pokerspiel.games.variants import load
from tests.played_hands import card_names_in, may_know, seen_hands

DOCUMENTATION = Path(__file__).parent.parent / "docs" / "histories.md"


def _of_real_cards() -> list[tuple[LiveHand, int | None, Any]]:
    return [seen for seen in seen_hands() if seen[0].game.family not in (kuhn, leduc)]


def test_hands_come_back_as_they_were() -> None:
    for hand, viewer, document in _of_real_cards()[::2]:
        (history,) = read_any(to_phh(document))
        assert history.returns == hand.returns
        assert history.viewer == viewer
        kept = ("game", "rule_version", "hand", "players", "viewer", "returns")
        for name in kept:
            assert history.document[name] == document[name]
        assert len(history.events) == len(document["events"])
        for one, other in zip(history.events, document["events"], strict=True):
            if "shows" in one:
                assert one["shows"]["cards"] == other["shows"]["cards"]
            else:
                assert one == other


def test_many_hands_are_one_file() -> None:
    seen = _of_real_cards()[::9]
    text = to_phhs(document for _, _, document in seen)
    assert list(tomllib.loads(text)) == [str(i + 1) for i in range(len(seen))]
    histories = read_any(text)
    assert [history.returns for history in histories] == [hand.returns for hand, _, _ in seen]
    assert [history.where for history in histories][:2] == ["hand [1]", "hand [2]"]


def test_a_card_that_a_seat_did_not_see_is_nowhere_in_its_file() -> None:
    for hand, viewer, document in _of_real_cards():
        if viewer is None:
            continue
        words = card_names_in(to_phh(document))
        named = {word[i : i + 2] for word in words for i in range(0, len(word), 2)}
        assert named <= may_know(hand, viewer)


CARD = r"(?:[2-9TJQKA][cdhs]|\?\?)"
ACTION = re.compile(
    rf"d db {CARD}+|d dh p[1-9] {CARD}+"
    rf"|p[1-9] (?:f|cc|cbr [0-9]+|sd|sd {CARD}+|sm {CARD}+)"
)
"""The notation of the standard for the actions that these games have."""


def test_actions_are_those_of_the_standard() -> None:
    for _, _, document in _of_real_cards():
        fields = tomllib.loads(to_phh(document))
        for action in fields["actions"]:
            assert ACTION.fullmatch(action), action
        players = len(document["players"])
        for name in ("antes", "blinds_or_straddles", "starting_stacks", "finishing_stacks"):
            assert len(fields[name]) == players
        assert sum(fields["starting_stacks"]) == pytest.approx(sum(fields["finishing_stacks"]))
        assert ("min_bet" in fields) != ("small_bet" in fields)
        own = [name for name in fields if name.startswith("_")]
        assert set(own) <= {
            f"_{name}" for name in ("format", "version", "game", "rule_version", "viewer", "moves")
        }


def test_pokerkit_reads_the_standard_fields() -> None:
    notation = pytest.importorskip("pokerkit.notation")
    for _, _, document in _of_real_cards()[::5]:
        text = to_phh(document)
        fields = tomllib.loads(text)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # it warns of fields that it does not know
            read = notation.HandHistory.loads(text)
            (one, two) = notation.HandHistory.loads_all(to_phhs([document, document]))
        assert one == two
        for name, value in fields.items():
            expected = read.user_defined_fields[name] if name[0] == "_" else getattr(read, name)
            assert (
                [float(x) for x in expected] == value
                if name == "finishing_stacks"
                else (expected == value)
            )


# Known hands.


def _svarka() -> LiveHand:
    """Seats 0 and 1 tie with 21 for 5 chips; seat 2, which folded, joins for 3 and folds again."""
    hand = LiveHand(load("svara(players=3,blind_phase=false)"))
    deck = "AhAd8cThTd9s8d8sKh7h8cAs9c7dKc9hTdQc"
    cards = [parse_cards(deck[i : i + 2])[0] for i in range(0, len(deck), 2)]
    words = ["bet 1", "call 1", "fold", "join 3", "bet 1", "fold", "fold"]
    while not hand.is_over:
        if hand.turn < 0:
            hand.play(cards.pop(0))
        else:
            hand.play(action_named(hand.game, hand.states, words.pop(0)))
    return hand


def test_a_svarka_with_a_joiner() -> None:
    text = to_phh(history_of(_svarka(), 1, ["a", "b", "c"], 5))
    fields = tomllib.loads(text)
    assert fields["actions"] == [
        *("d dh p1 ??????", "d dh p2 AdTd8s", "d dh p3 ??????", "p1 cbr 1", "p2 cc", "p3 f"),
        *("p1 sm AhTh8d", "p2 sm AdTd8s"),
        *("d dh p2 7h9c9h", "d dh p3 ??????", "d dh p1 ??????", "p2 cbr 1", "p3 f", "p1 f"),
    ]
    assert fields["_moves"] == ["8 p3 join 3"]
    assert fields["antes"] == [1, 1, 1] and fields["_viewer"] == "p2"
    assert fields["finishing_stacks"] == [18, 26, 16]


def test_the_same_hand_in_another_layout() -> None:
    """One card a line, comments, extra fields, and a discard in another order."""
    text = to_phh(history_of(_svarka(), None, ["a", "b", "c"]))
    start = text.index('    "d dh p1 AhTh8d"')
    end = text.index('    "p1 cbr 1"')
    singly = "AhAd8cThTd9s8d8sKh"
    lines = [
        f'"d dh p{i // 2 % 3 + 1} {singly[i : i + 2]} # card {i // 2}",'
        for i in range(0, len(singly), 2)
    ]
    moved = text.replace('"8 p3 join 3"', '"15 p3 join 3"')
    other = moved[:start] + '"# a hand",' + "\n".join(lines) + moved[end:] + 'venue = "here"\n'
    assert read_any(other)[0].document == read_any(text)[0].document
    draw = next(
        (document, event["action"])
        for hand, _, document in seen_hands()
        for event in document["events"]
        if hand.game.family is sviten and len(event.get("action", "")) == len("discard 7c9s")
    )
    cards = draw[1].removeprefix("discard ")
    swapped = to_phh(draw[0]).replace(f" sd {cards}", f" sd {cards[2:]}{cards[:2]}")
    assert swapped != to_phh(draw[0])
    assert read_any(swapped)[0].returns == draw[0]["returns"]


def test_examples_of_the_documentation_are_valid() -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8")
    examples = re.findall(r"```(json|toml)\n(.*?)```", text, re.DOTALL)
    assert [kind for kind, _ in examples] == ["json", "toml"]
    for kind, example in examples:
        (history,) = read_any(example)
        assert history.hand().returns == history.returns
        assert history.viewer is not None
        if kind == "toml":
            assert to_phh(history) == example


def test_cards_set_aside_are_moves_of_the_dealer() -> None:
    found = 0
    for hand, viewer, document in seen_hands():
        if hand.game.family is not sviten or hand.state["epoch"] == 0:
            continue
        dealt = {step.words for step in hand.steps if step.audience == NOBODY}
        moves = tomllib.loads(to_phh(document)).get("_moves", [])
        aside = [move for move in moves if " d aside " in move]
        if viewer is not None:
            assert not aside
            continue
        named = "".join(move.rpartition(" ")[2] for move in aside)
        assert {named[i : i + 2] for i in range(0, len(named), 2)} == dealt
        found += len(dealt)
    assert found


# Strictness.


def _replaced(old: str, new: str) -> Callable[[str], str]:
    def damage(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return damage


DAMAGE: list[tuple[str, Callable[[str], str]]] = [
    ("neither JSON lines nor PHH", lambda text: text + "more"),
    ("neither JSON lines nor PHH", lambda text: text + text),
    ('variant "NT"', lambda text: 'variant = "NT"\nactions = []\n'),
    ("variant", _replaced('"svara"', '"dramaha"')),
    ("antes", _replaced("antes = [1, 1, 1]", "antes = [2, 2, 2]")),
    ("starting_stacks null", _replaced("starting_stacks", "_stacks")),
    ("finishing_stacks", _replaced("[18, 26, 16]", "[19, 25, 16]")),
    ("finishing_stacks null", _replaced("finishing_stacks", "_stacks")),
    ("rule_version 9", _replaced("_rule_version = 1", "_rule_version = 9")),
    ("_format", _replaced("_version = 1\n", "_version = 2\n")),
    ("_viewer", _replaced('"p2"\n', '"p4"\n')),
    ("_viewer says who", _replaced('_viewer = "p2"', '_other = "p2"')),
    ("players", _replaced('"b",', "")),
    ("hand", _replaced("hand = 5", "hand = -5")),
    ("p4", _replaced("p3 f", "p4 f")),
    ("'xx' is no legal action", _replaced("p1 f", "p1 xx")),
    ("cannot act", _replaced("p2 cc", "p1 cc")),
    ("'bet 99' is no legal action", _replaced("p1 cbr 1", "p1 cbr 99")),
    ("no card of this game", _replaced("AdTd8s", "AdTd2s")),
    ("no cards fit", _replaced("p1 sm AhTh8d", "p1 sm AhTh8s")),
    ("the hand is over", _replaced("p1 sm AhTh8d", "p1 sm AhTh7h")),
    ("by the rules there are", _replaced('"p1 f",', '"p1 f", "p1 sm AsKc8s",')),
    ("move", _replaced("8 p3 join 3", "join 3")),
    ("move", _replaced("8 p3 join 3", "99 p3 join 3")),
    ("join 4", _replaced("join 3", "join 4")),
    ("actions", _replaced('"p1 f",', "7,")),
    ("nested too deep", lambda text: text + "_x = " + "[" * 100_000),
]


@pytest.mark.parametrize(("naming", "damage"), DAMAGE, ids=[naming for naming, _ in DAMAGE])
def test_a_damaged_file_is_refused_in_one_line(naming: str, damage: Callable[[str], str]) -> None:
    good = to_phh(history_of(_svarka(), 1, ["a", "b", "c"], 5))
    with pytest.raises(HistoryError) as error:
        read_any(damage(good))
    assert naming in str(error.value)
    assert "\n" not in str(error.value)


def test_good_hands_of_a_file_are_read_beside_a_bad_one() -> None:
    document = history_of(_svarka(), 1, ["a", "b", "c"], 5)
    text = to_phhs([document, document]).replace("p3 f", "p3 cc", 1)
    bad, good = each_of(text)
    assert isinstance(bad, HistoryError) and str(bad).startswith("hand [1]: ")
    assert not isinstance(good, HistoryError)


def test_games_without_real_cards_are_refused() -> None:
    document = next(d for hand, _, d in seen_hands() if hand.game.family is leduc)
    with pytest.raises(ValueError, match="leduc: PHH is for games with real cards"):
        to_phh(document)
