"""The record, the parameters and the numbers of the actions of the Sviten games."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.abstraction import cluster_file, clusters, halves
from pokerspiel.games.abstraction.outlook import OUTLOOK
from pokerspiel.games.betting import (
    BETTING,
    BETTING_PARAMETERS,
    BETTING_RULES,
    FIXED_LIMIT,
    fill_rules,
    start_stacks,
)
from pokerspiel.games.cards import (
    deck_mask,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import HAND_TABLES, hand_tables
from pokerspiel.games.kernel import (
    COMMON,
)
from pokerspiel.games.parameters import Limits, Parameter

HOLE, BET, BOARD, DRAW, FACE_UP, KEEP, REPLACE, SET_ASIDE = 0, 1, 2, 3, 4, 5, 6, 7
"""Phases: deal, bet, board card, discard, face-up card, keep or reject, new cards, reshuffle."""

PREFLOP, FLOP, TURN, RIVER = 0, 1, 2, 3

SEATS = 8

MAX_HAND = 5

MAX_BOARD = 5

BURNS = 3

NOT_DRAWN, FACE_DOWN, KEPT, REJECTED = 0, 1, 2, 3

DRAW_HALVES = ("high", "flush")

TO_DRAW, TO_OMAHA, BY_POSITION, FRACTIONAL = 0, 1, 2, 3

ODD_CHIPS = ("draw", "omaha", "position", "fractional")

ABSTRACTIONS = {"none": 1, "halves": halves.VERSION, "clusters": clusters.VERSION}
"""Names of the information sets, with the version of each."""

NO_ABSTRACTION, HALVES, CLUSTERS = 0, 1, 2

OF_ABSTRACTION = ("buckets",)
"""Parameters that mean nothing in another abstraction."""

STATE = np.dtype(
    [
        *COMMON,
        *BETTING,
        ("phase", np.uint8),
        ("street", np.uint8),
        ("resume", np.uint8),  # phase to go on with after a reshuffle
        ("to_deal", np.uint8),  # cards that this chance phase still deals
        ("drawer", np.int8),  # seat that draws
        ("hole_count", np.uint8, (SEATS,)),
        ("hole", np.uint8, (SEATS, MAX_HAND)),
        ("board_count", np.uint8),
        ("flop_count", np.uint8),  # board cards that belong to the flop
        ("board", np.uint8, (MAX_BOARD,)),
        ("aside_count", np.uint8),  # board cards set aside by a reshuffle and not yet shown
        ("aside", np.uint8, (MAX_BOARD,)),
        ("reserve", np.uint8),  # cards of the stub that draws may not use
        ("muck", np.uint64),  # dead cards that a reshuffle brings back
        ("put_down", np.uint64),  # dead cards of the seat that draws now
        ("discards", np.uint64, (SEATS,)),  # cards thrown away at the draw
        ("drawn", np.uint64, (SEATS,)),  # cards received face down at the draw
        ("draws", np.int8, (SEATS,)),  # how many cards were drawn
        ("draw_end", np.uint8, (SEATS,)),  # NOT_DRAWN, FACE_DOWN, KEPT or REJECTED
        ("up_count", np.uint8),
        ("up", np.uint8, (SEATS,)),  # the face-up cards, in order
        ("memory", np.uint64, (SEATS,)),  # hash of private events
        ("round_bets", np.uint64),  # hash of the bets of the round
        ("round_pot", np.int32),  # chips in the middle when the round began
        ("led", np.int8),  # who made the last wager of the round before, -1 if nobody
        ("aggressor", np.int8),  # who made the last wager of the round
        ("bucket", np.int32, (SEATS,)),  # abstract hand, for the moment named by `bucket_tag`
        ("bucket_tag", np.uint8, (SEATS,)),
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("deck", np.uint64),
        *BETTING_RULES,
        ("small_blind", np.int32),
        ("big_blind", np.int32),
        ("max_discards", np.int32),
        ("one_card_face_up", np.int32),
        ("burn", np.int32),
        ("draw_half", np.int32),
        ("odd_chip", np.int32),
        ("one_odd_chip_per_pot", np.int32),
        ("hole_cards", np.int32),
        ("street_cards", np.int32, (4,)),
        ("rounds", np.int32),
        ("omaha_hole", np.int32),
        ("omaha_board", np.int32),
        ("abstraction", np.int32),
    ],
    align=True,
)

LOOK_UP = np.dtype(
    [
        *((name, RULES[name]) for name in RULES.names or ()),
        ("hands", HAND_TABLES),
        ("draw_class", np.int8, (halves.STRENGTHS,)),  # class of a strength, in `halves`
        ("omaha_class", np.int8, (halves.BOARDS, halves.TEXTURES, halves.STRENGTHS)),
        ("outlook", OUTLOOK),
        ("clusters", clusters.CLUSTERS),
    ],
    align=True,
)
"""RULES and the look-up tables in one record: one pointer is cheaper to pass than many arrays."""


class Tables(NamedTuple):
    """Parameters and look-up tables, for the kernels."""

    rules: np.ndarray
    """One record of type LOOK_UP."""


PARAMETERS = (
    Parameter("players", 2, "seats at the table", low=2, high=SEATS),
    Parameter("small_blind", 1, "chips", low=0, high=10_000),
    Parameter("big_blind", 2, "chips; the small bet of fixed_limit", low=1, high=10_000),
    Parameter("stack", 200, "chips of every seat", low=1, high=1_000_000),
    *BETTING_PARAMETERS,
    Parameter("max_wagers", 4, "bets and raises a round, in fixed_limit", low=1, high=20),
    Parameter("max_discards", 5, "most cards that a player may draw", low=0, high=MAX_HAND),
    Parameter("one_card_face_up", True, "whether a single drawn card is shown and may be rejected"),
    Parameter("burn", False, "whether cards are burnt before flop, turn and river"),
    Parameter("draw_half", "high", "what the held hand is ranked by", choices=DRAW_HALVES),
    Parameter("odd_chip", "draw", "which half gets the odd chip of a pot", choices=ODD_CHIPS),
    Parameter("one_odd_chip_per_pot", True, "who has an odd chip of a pot is last for another"),
    Parameter("hole_cards", 5, "cards of each player", low=1, high=MAX_HAND),
    Parameter("flop_cards", 3, "board cards on the flop", low=0, high=3),
    Parameter("turn_cards", 1, "board cards on the turn", low=0, high=1),
    Parameter("river_cards", 1, "board cards on the river", low=0, high=1),
    Parameter("rounds", 4, "betting rounds: 3 ends the hand after the turn", low=3, high=4),
    Parameter("omaha_hole", 2, "hole cards in an Omaha hand", low=1, high=2),
    Parameter("omaha_board", 3, "board cards in an Omaha hand", low=1, high=3),
    Parameter("ranks", "23456789TJQKA", "ranks in the deck"),
    Parameter("suits", "cdhs", "suits in the deck"),
    Parameter("abstraction", "none", "information sets", choices=tuple(ABSTRACTIONS)),
    Parameter("buckets", "", "of `clusters`: name or file of the centres"),
)


def make_tables(parameters: dict[str, Any]) -> Tables:
    """Check the parameters against each other and lay them out for the kernels.

    Raises ValueError with one line that names the value.
    """
    deck = deck_mask(parameters["ranks"], parameters["suits"])
    streets = [0, *(parameters[f"{street}_cards"] for street in ("flop", "turn", "river"))]
    if parameters["rounds"] == 3:
        streets[RIVER] = 0
    _check_deck(parameters, deck.bit_count(), sum(streets))
    if parameters["omaha_hole"] > parameters["hole_cards"]:
        raise ValueError(
            f"omaha_hole={parameters['omaha_hole']}: only {parameters['hole_cards']} cards are held"
        )
    if parameters["omaha_board"] > sum(streets):
        raise ValueError(
            f"omaha_board={parameters['omaha_board']}: the board has only {sum(streets)} cards"
        )
    if parameters["small_blind"] > parameters["big_blind"]:
        raise ValueError(
            f"small_blind={parameters['small_blind']}: expected at most the big blind, "
            f"{parameters['big_blind']}"
        )
    stacks = start_stacks(parameters, least=1)
    rules = np.zeros(1, RULES)
    fill_rules(rules[0], parameters, stacks, max(stacks))
    rules["deck"] = deck
    rules["can_check"] = 1
    rules["step_grows"] = 1
    rules["street_cards"] = streets
    rules["draw_half"] = DRAW_HALVES.index(parameters["draw_half"])
    rules["odd_chip"] = ODD_CHIPS.index(parameters["odd_chip"])
    rules["abstraction"] = tuple(ABSTRACTIONS).index(parameters["abstraction"])
    for name in (
        "max_wagers",
        "small_blind",
        "big_blind",
        "max_discards",
        "one_card_face_up",
        "burn",
        "one_odd_chip_per_pot",
        "hole_cards",
        "rounds",
        "omaha_hole",
        "omaha_board",
    ):
        rules[name] = parameters[name]
    tables = Tables(np.zeros(1, LOOK_UP))
    for name in RULES.names or ():
        tables.rules[name] = rules[name]
    tables.rules["hands"] = hand_tables()
    if rules["abstraction"][0] == HALVES:
        draw_class, omaha_class = _strength_classes(tables, rules.tobytes())
        tables.rules["draw_class"] = draw_class
        tables.rules["omaha_class"] = omaha_class
    if rules["abstraction"][0] == CLUSTERS:
        cluster_file.fill(tables.rules, parameters)
    return tables


_classes_of: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}


def _strength_classes(tables: Tables, key: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Classes of both halves, kept for games with the same rules."""
    if key not in _classes_of:
        _classes_of[key] = halves.strength_classes(tables.rules)
    return _classes_of[key]


def _check_deck(parameters: dict[str, Any], deck: int, board: int) -> None:
    """Whatever is drawn, the cards left and the discards of others must serve the next drawer."""
    most = max(parameters["max_discards"], 2 if parameters["one_card_face_up"] else 1)
    needed = parameters["players"] * parameters["hole_cards"] + board + most
    needed += BURNS if parameters["burn"] else 0
    if deck < needed:
        raise ValueError(
            f"a deck of {deck} cards can run dry with {parameters['players']} players: "
            f"{needed} are needed"
        )


def complete(parameters: dict[str, Any], variant: str) -> dict[str, Any]:
    """The parameters with the full name of the centres that they name."""
    return cluster_file.complete(parameters, variant)


def key_classes(game: Any) -> int:
    """Classes of hands that a key names; 0 where it names none."""
    if game.tables.rules[0]["abstraction"] != CLUSTERS:
        return 0
    return int(game.tables.rules[0]["clusters"]["sizes"].max())


def limits(parameters: dict[str, Any]) -> Limits:
    rules = make_tables(parameters).rules[0]
    players = int(rules["players"])
    stacks = rules["start_stack"][:players]
    wagers = int(rules["max_wagers"])
    if rules["structure"] != FIXED_LIMIT:
        wagers = int(stacks.max()) // int(rules["big_blind"])
    bets = players * (wagers + players + 1)  # short all-ins come on top
    draws = players * (int(rules["hole_cards"]) + 2)
    return Limits(
        num_actions=int(rules["after_wagers"]) + (1 << int(rules["hole_cards"])) + 2,
        max_game_length=int(rules["rounds"]) * bets + 2 * players,
        max_chance_nodes=players * int(rules["hole_cards"])
        + draws
        + 2 * int(rules["street_cards"].sum()),
        max_chance_outcomes=52,
        min_utility=-float(stacks.max()),
        max_utility=float(stacks.sum() - stacks.min()),
        big_unit=int(rules["big_blind"]),
        unit="big blind",
    )


# Action numbers after the wagers.


@kernel
def first_discard(rules: Any) -> Any:
    """The discard of nothing; the masks of cards follow."""
    return np.int64(rules.after_wagers)


@kernel
def keep(rules: Any) -> Any:
    return first_discard(rules) + (1 << rules.hole_cards)


@kernel
def reject(rules: Any) -> Any:
    return keep(rules) + 1


@kernel
def held(state: Any, seat: int) -> Any:
    """The hole cards of a seat as a mask."""
    mask = np.uint64(0)
    for i in range(np.int64(state.hole_count[seat])):
        mask |= np.uint64(1) << np.uint64(state.hole[seat, i])
    return mask
