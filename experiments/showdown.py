"""`pokerspiel showdown`: who is paid what, with side pots, halves and odd chips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pokerspiel.agents.table.dealing import settle_pots
from pokerspiel.agents.table.holdings import draw_half, omaha_half, points_of
from pokerspiel.experiments.game_choice import (
    UNSEEN,
    board_size,
    game_with_seats,
    hand_text,
    known_cards,
)
from pokerspiel.experiments.output import print_json, print_table
from pokerspiel.games import svara
from pokerspiel.games.cards import cards_text
from pokerspiel.games.kernel import MAX_SEATS
from pokerspiel.games.pots import best_seats, count_seats, next_layer, share
from pokerspiel.games.variants import Game

MOST_CHIPS = 1_000_000


def run(
    game_text: str,
    hands: Sequence[str],
    board: str | None,
    contributions: Sequence[int],
    folded: Sequence[int],
    settings: Sequence[str] | None,
    json: bool,
) -> None:
    game = game_with_seats(game_text, settings, _seats(hands), "hands")
    holdings, board_cards = known_cards(game, hands, board)
    _check_seats(hands, contributions, folded)
    if game.family is svara:
        document = svara_showdown(game, holdings, contributions, folded)
    else:
        if len(board_cards) != board_size(game):
            raise ValueError(
                f"board {board or 'missing'}: {game.name} is shown down on "
                f"{board_size(game)} board cards"
            )
        document = sviten_showdown(game, holdings, board_cards, contributions, folded)
    if json:
        print_json(document)
    else:
        _print(document)


def _seats(hands: Sequence[str]) -> int:
    if len(hands) < 2:
        raise ValueError(f"--hands: {len(hands)} given, a showdown needs two or more")
    return len(hands)


def _check_seats(hands: Sequence[str], contributions: Sequence[int], folded: Sequence[int]) -> None:
    seats = len(hands)
    if len(contributions) != seats:
        raise ValueError(
            f"--contributions: {len(contributions)} given for {seats} hands: one a hand, please"
        )
    for chips in contributions:
        if not 0 <= chips <= MOST_CHIPS:
            raise ValueError(f"contribution {chips}: expected 0 to {MOST_CHIPS} chips")
    for seat in folded:
        if not 0 <= seat < seats:
            raise ValueError(f"--folded {seat}: seats are numbered 0 to {seats - 1}")
    if len(set(folded)) == seats:
        raise ValueError("--folded: every seat has folded, nobody is left to be paid")
    for seat, hand in enumerate(hands):
        if hand == UNSEEN and seat not in folded:
            raise ValueError(f"hand {UNSEEN!r} of seat {seat}: only a folded hand may be unseen")
    if max(chips for seat, chips in enumerate(contributions) if seat not in folded) == 0:
        raise ValueError("--contributions: no seat that is still in has put in a chip")


Layer = tuple[int, int]
"""Chips of a pot, and the seats that may win it, as a mask."""


def layers(contributions: Sequence[int], folded: int) -> list[Layer]:
    """The pots, main pot first; a pot of one seat is an uncalled bet that goes back."""
    paid = np.array(contributions, np.int64)
    pots: list[Layer] = []
    floor = 0
    while True:
        floor, chips, seats = next_layer(paid, folded, len(contributions), floor)
        if floor == 0:
            return pots
        pots.append((int(chips), int(seats)))


def _seat_list(seats: int) -> list[int]:
    return [seat for seat in range(MAX_SEATS) if seats >> seat & 1]


def _number(chips: float) -> int | float:
    return int(chips) if chips == int(chips) else float(chips)


# Sviten.


def sviten_showdown(
    game: Game,
    holdings: Sequence[Sequence[int]],
    board: Sequence[int],
    contributions: Sequence[int],
    folded: Sequence[int],
) -> dict[str, Any]:
    """What every seat is paid, the winners of each half of each pot, and every hand's halves."""
    seats = len(holdings)
    mask = sum(1 << seat for seat in set(folded))
    halves = [
        (draw_half(game, cards), omaha_half(game, cards, board)) if cards else None
        for cards in holdings
    ]
    draw, omaha = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    for seat, both in enumerate(halves):
        if both is not None:
            draw[seat], omaha[seat] = both[0]["rank"], both[1]["rank"]
    pays = np.zeros(seats)
    paid = np.array(contributions, np.int64)
    settle_pots(game.tables.rules, paid, mask, draw, omaha, pays, np.zeros(seats, np.int64))
    pots = [
        {
            "chips": chips,
            "seats": _seat_list(eligible),
            "draw": _seat_list(int(best_seats(draw, eligible, seats))),
            "omaha": _seat_list(int(best_seats(omaha, eligible, seats))),
        }
        for chips, eligible in layers(contributions, mask)
    ]
    return {
        "game": str(game),
        "board": cards_text(board),
        "hands": [
            {
                "hand": hand_text(cards),
                "folded": seat in folded,
                "draw": both and both[0],
                "omaha": both and both[1],
            }
            for seat, (cards, both) in enumerate(zip(holdings, halves, strict=True))
        ],
        "pays": [_number(float(chips)) for chips in pays],
        "pots": pots,
    }


# Svara.


def svara_showdown(
    game: Game,
    holdings: Sequence[Sequence[int]],
    contributions: Sequence[int],
    folded: Sequence[int],
) -> dict[str, Any]:
    """What every seat is paid now, the winners of each pot, and the svarka for those that are tied.

    A tied pot is paid to nobody yet: `svarka` names its players and what joining costs.
    """
    seats = len(holdings)
    mask = sum(1 << seat for seat in set(folded))
    points = [points_of(game, cards) if cards else 0 for cards in holdings]
    strength = np.array(points, np.int64)
    pays = np.zeros(seats, np.int64)
    pots = []
    for chips, eligible in layers(contributions, mask):
        winners = int(best_seats(strength, eligible, seats))
        tied = count_seats(winners) > 1
        if not tied:
            share(chips, winners, 0, seats, 0, pays)
        pots.append(
            {
                "chips": chips,
                "seats": _seat_list(eligible),
                "winners": _seat_list(winners),
                "tied": tied,
            }
        )
    return {
        "game": str(game),
        "hands": [
            {"hand": hand_text(cards), "folded": seat in folded, "points": points[seat]}
            for seat, cards in enumerate(holdings)
        ],
        "pays": [int(chips) for chips in pays],
        "pots": pots,
        "svarka": _svarka(game, pots),
    }


def _svarka(game: Game, pots: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The new hand that tied pots are played off in; the price to join buys into the main pot."""
    tied = [pot for pot in pots if pot["tied"]]
    if not tied:
        return None
    price = None
    if pots[0]["tied"]:
        rounding = int(game.tables.rules[0]["rounding"])
        price = int(svara.share_of_pot(pots[0]["chips"], len(pots[0]["winners"]), rounding))
    return {
        "players": sorted({seat for pot in tied for seat in pot["winners"]}),
        "pot": sum(pot["chips"] for pot in tied),
        "price": price,
    }


def _print(document: dict[str, Any]) -> None:
    rows = []
    for seat, (hand, chips) in enumerate(zip(document["hands"], document["pays"], strict=True)):
        if "points" in hand:
            worth = [str(hand["points"])]
        else:
            worth = [hand[half]["name"] if hand[half] else "" for half in ("draw", "omaha")]
        rows.append((seat, hand["hand"], *worth, "folded" if hand["folded"] else "", chips))
    held = ("points",) if "svarka" in document else ("draw half", "Omaha half")
    board = f", board {document['board']}" if "board" in document else ""
    print_table(document["game"] + board, ("seat>", "hand", *held, "", "is paid>"), rows)
    for i, pot in enumerate(document["pots"]):
        print(_pot_words("main pot" if i == 0 else f"side pot {i}", pot))
    svarka = document.get("svarka")
    if svarka is not None:
        price = "" if svarka["price"] is None else f"; joining costs {svarka['price']}"
        print(f"svarka between seats {_words(svarka['players'])} for {svarka['pot']}{price}")


def _pot_words(name: str, pot: dict[str, Any]) -> str:
    chips = f"{name} of {pot['chips']}"
    if len(pot["seats"]) == 1:
        return f"{chips}: goes to seat {pot['seats'][0]}, nobody else has a part in it"
    if "winners" in pot:
        return f"{chips}: {'tied' if pot['tied'] else 'won'} by {_words(pot['winners'])}"
    return f"{chips}: draw half to {_words(pot['draw'])}, Omaha half to {_words(pot['omaha'])}"


def _words(seats: Sequence[int]) -> str:
    return " and ".join(str(seat) for seat in seats)
