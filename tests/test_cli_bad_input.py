"""Bad input on every command: one line that names the value, status 2, nothing on stdout."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.command_line import refuse

HAND, OTHER, BOARD = "AsAdKcKs9c", "QhTh8c6s3d", "2h7hJh4c5d"
SHOW = ("showdown", "sviten_special", "--hands", HAND, OTHER)
PAID = ("--contributions", "10", "20")

BAD: list[tuple[str, Sequence[str]]] = [
    # Command lines that say nothing sensible.
    ("No such command 'plya'", ("plya",)),
    ("No such option", ("hand", "svara", "7c9sJs", "--bord", "2h")),
    ("Missing argument", ("hand",)),
    ("Missing argument", ("hand", "svara")),
    ("many", ("match", "random", "tight", "--game", "svara", "--hands", "many")),
    (
        "'--hands': 0 is not allowed",
        ("match", "random", "tight", "--game", "svara", "--hands", "0"),
    ),
    (
        "-1 is not allowed: expected a whole number from 0",
        ("match", "random", "tight", "--game", "svara", "--seed", "-1"),
    ),
    # Games and parameters.
    ("did you mean svara", ("hand", "svra", "7c9sJs")),
    ("unknown game 'poker'", ("games", "poker")),
    ("players=9", ("match", "random", "tight", "--game", "sviten_special(players=9)")),
    ("players=9", ("hand", "sviten_special", HAND, "--set", "players=9")),
    ("stack=-5", ("match", "random", "tight", "--game", "svara", "--set", "stack=-5")),
    ("stack=-5", ("hand", "svara", "7c9sJs", "--set", "stack=-5")),
    ("joker_mode=sum", ("hand", "svara", "7c9sJs", "--set", "joker_mode=sum")),
    ("unknown parameter jocker", ("hand", "svara", "7c9sJs", "--set", "jocker=best")),
    ("expected key=value", ("hand", "svara", "7c9sJs", "--set", "joker_mode")),
    ("given twice", ("hand", "svara", "7c9sJs", "--set", "ante=1", "--set", "ante=2")),
    ("svara(ante", ("hand", "svara(ante=1", "7c9sJs")),
    # Cards.
    ("'9x'", ("hand", "svara", "7c9xJs")),
    ("'7'", ("hand", "svara", "7c9s7")),
    ("comes twice", ("hand", "svara", "7c7cJs")),
    ("7c is already in hand 7c9sJs", ("hand", "svara", "7c9sJs", "7c8s9h")),
    ("2c is not in the deck", ("hand", "svara", "2c9sJs")),
    ("2 cards given", ("hand", "svara", "7c9s")),
    ("6 cards given", ("hand", "sviten_special", HAND + "2c")),
    ("has no board", ("hand", "svara", "7c9sJs", "--board", "2h7h4c")),
    ("2 cards given, expected 3 or 4 or 5", ("hand", "sviten_special", HAND, "--board", "2h7h")),
    ("6 cards given", ("hand", "sviten_special", HAND, "--board", BOARD + "6c")),
    ("As is already in hand", ("hand", "sviten_special", HAND, "--board", "As7h4c")),
    ("kuhn has no hands", ("hand", "kuhn", "7c9sJs")),
    ("11 hands", ("hand", "svara", *["7c9sJs"] * 11)),
    ("has no cards", ("hand", "svara", "-")),
    # Showdowns.
    ("a showdown needs two", (*SHOW[:4], "--board", BOARD, "--contributions", "10")),
    ("3 given for 2 hands", (*SHOW, "--board", BOARD, "--contributions", "10", "20", "30")),
    ("contribution -20", (*SHOW, "--board", BOARD, "--contributions", "10", "-20")),
    ("ten", (*SHOW, "--board", BOARD, "--contributions", "10", "ten")),
    ("contribution 10000000", (*SHOW, "--board", BOARD, "--contributions", "1", "10000000")),
    ("no seat that is still in", (*SHOW, "--board", BOARD, "--contributions", "0", "0")),
    ("--folded 2", (*SHOW, "--board", BOARD, *PAID, "--folded", "2")),
    ("every seat has folded", (*SHOW, "--board", BOARD, *PAID, "--folded", "0", "1")),
    ("board missing", (*SHOW, *PAID)),
    ("shown down on 5 board cards", (*SHOW, "--board", "2h7hJh", *PAID)),
    ("only a folded hand may be unseen", (*SHOW[:4], "-", "--board", BOARD, *PAID)),
    ("odd_chip=mine", (*SHOW, "--board", BOARD, *PAID, "--set", "odd_chip=mine")),
    ("players=2", ("showdown", "sviten_special(players=2)", "--hands", HAND, *["-"] * 2, *PAID)),
    (
        "players=9",
        ("showdown", "sviten_special", "--hands", *["-"] * 9, "--contributions", *["1"] * 9),
    ),
    # Training.
    ("memory limit 'lots'", ("train", "leduc", "--out", "{new}", "--memory-limit", "lots")),
    ("memory limit '-1GiB'", ("train", "leduc", "--out", "{new}", "--memory-limit=-1GiB")),
    ("memory_limit=1024", ("train", "leduc", "--out", "{new}", "--memory-limit", "1KiB")),
    ("unknown game 'poker'", ("train", "poker", "--out", "{new}", "--iterations", "1")),
    ("players=1", ("train", "svara(players=1)", "--out", "{new}", "--iterations", "1")),
    ("'--iterations': 0", ("train", "leduc", "--out", "{new}", "--iterations", "0")),
    ("'--time': -3", ("train", "leduc", "--out", "{new}", "--time", "-3")),
    ("'--threads': 0", ("train", "leduc", "--out", "{new}", "--threads", "0")),
    ("exists already", ("train", "leduc", "--out", "{file}", "--iterations", "1")),
    ("exists already", ("train", "leduc", "--out", "{folder}", "--iterations", "1")),
    ("cannot create", ("train", "leduc", "--out", "{file}/run", "--iterations", "1")),
    ("does not exist", ("resume", "{new}")),
    ("is a file, not a run folder", ("resume", "{file}")),
    ("is no run folder", ("resume", "{folder}")),
    ("does not exist", ("export", "{new}", "-o", "{new}.pspiel")),
    # Bots.
    ("did you mean tight", ("match", "tihgt", "random", "--game", "svara")),
    ("unknown agent 'nobody'", ("play", "svara", "--against", "nobody")),
    ("cannot read", ("match", "{new}.pspiel", "random")),
    ("{file}", ("match", "{file}", "random")),
    ("name a game with --game", ("match", "random", "tight")),
    ("two players or more", ("match", "random", "--game", "svara")),
    ("players=2: 3 players are given", ("match", *["random"] * 3, "--game", "svara(players=2)")),
    (
        "players=4: 3 players are given",
        ("play", "svara(players=4)", *["--against", "random"] * 2),
    ),
    (
        "cannot write",
        ("match", "random", "tight", "--game", "leduc", "--histories", "{file}/histories"),
    ),
    ("does not exist", ("info", "{new}")),
    ("{file}", ("info", "{file}")),
    ("is no run folder", ("info", "{folder}")),
    # The rest.
    ("no such row", ("bench", "speed", "--only", "nothing of the kind")),
    ("is no earlier demo", ("demo", "--out", "{folder}")),
    ("is no earlier demo", ("demo", "--out", "{file}")),
    ("{file}", ("hand", "svara", "7c9sJs", "--config", "{file}")),
    ("{new}", ("hand", "svara", "7c9sJs", "--config", "{new}")),
]


@pytest.mark.parametrize(("naming", "words"), BAD, ids=[" ".join(words)[:60] for _, words in BAD])
def test_refused_in_one_line(naming: str, words: Sequence[str], tmp_path: Path) -> None:
    file, folder, new = tmp_path / "file", tmp_path / "folder", tmp_path / "new"
    file.write_text("this is no bot\n", encoding="utf-8")
    folder.mkdir()
    (folder / "letter").touch()

    def filled(word: str) -> str:
        for name, path in (("{file}", file), ("{folder}", folder), ("{new}", new)):
            word = word.replace(name, str(path))
        return word

    refuse(*map(filled, words), naming=filled(naming))
    assert not new.exists()
    assert [path.name for path in folder.iterdir()] == ["letter"]


def test_an_unknown_option_in_a_configuration_file_is_named(tmp_path: Path) -> None:
    config = tmp_path / "bad.toml"
    config.write_text('colour = "red"\n', encoding="utf-8")
    refuse("hand", "svara", "7c9sJs", "--config", config, naming="unknown option 'colour'")
