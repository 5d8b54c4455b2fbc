"""`pokerspiel hand --discards`: the 32 discards after the flop, best first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pokerspiel.experiments.game_choice import chosen_game
from pokerspiel.experiments.output import print_json, print_table
from pokerspiel.experiments.web.calculator import SVITEN_GAMES, sviten_document
from pokerspiel.games.variants import load

_CARDS_OF_FLOP = 3


def run(
    game_text: str,
    hands: Sequence[str],
    board: str | None,
    settings: Sequence[str] | None,
    opponents: int | None,
    seconds: float | None,
    seed: int,
    json: bool,
) -> None:
    """The first hand draws, the others are known; see `sviten_document`. Raises ValueError."""
    game = chosen_game(game_text, settings)
    if game.name not in SVITEN_GAMES or game != load(game.name):
        raise ValueError(f"--discards: expected one of {', '.join(SVITEN_GAMES)}, not {game}")
    document = sviten_document(
        game.name, hands[0], board or "", hands[1:], opponents, seconds=seconds or 1.0, seed=seed
    )
    if document["discards"] is None:
        raise ValueError(f"--discards: the board needs its {_CARDS_OF_FLOP} cards of the flop")
    if json:
        print_json(document)
    else:
        _print(document)


def _print(document: dict[str, Any]) -> None:
    rows = []
    for row in document["discards"]:
        behind = row["behind"]
        rows.append(
            (
                row["discard"] or "stand pat",
                row["keep"],
                f"{row['draw']['value']:.1%}",
                f"{row['omaha']['value']:.1%}",
                f"{row['pot']['value']:.2%}",
                f"{behind['value']:.2%}" if behind["value"] else "",
                f"{behind['error']:.2%}" if behind["error"] else "",
                "best" if row["as_good"] else "",
            )
        )
    title = f"{document['game']}, hand {document['hand']}, board {document['board']}"
    columns = ("throw", "keep", "draw half>", "Omaha half>", "pot>", "behind>", "error>", "")
    print_table(f"{title}, {document['how']}", columns, rows)
    for part in document["face_up"] or ():
        if part["discard"] in {row["discard"] for row in document["discards"] if row["as_good"]}:
            print(f"Throwing {part['discard']}, keep: {_cards(part, 'keep')}")
            close = _cards(part, "either")
            if close:
                print(f"Too close to tell: {close}")
    print(document["assumption"])


def _cards(part: dict[str, Any], choice: str) -> str:
    cards = [row["card"] for row in part["cards"] if row["choice"] == choice]
    return " ".join(cards) if len(cards) < len(part["cards"]) else "any card"
