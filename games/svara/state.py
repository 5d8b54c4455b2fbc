"""The record, the parameters and the numbers of the actions of Svara."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.betting import (
    BETTING,
    BETTING_PARAMETERS,
    BETTING_RULES,
    FIXED_LIMIT,
    fill_rules,
    numbers,
    start_stacks,
)
from pokerspiel.games.cards import deck_mask
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    COMMON,
    MAX_DECKS,
    MAX_SEATS,
)
from pokerspiel.games.parameters import Limits, Parameter
from pokerspiel.games.svara.classes import hand_classes

BLIND, DEAL, BET, JOIN = 0, 1, 2, 3

MAX_HAND = 3

MAX_POTS = 2 * MAX_SEATS

MAIN_POT = 0

MAX_MULTIPLIERS = 4

UP, DOWN, NEAREST = 0, 1, 2

ROUNDINGS = ("up", "down", "nearest")

ABSTRACTIONS = {"none": 1, "points": 2, "blockers": 1, "hands": 1}
"""Names of the information sets, with the version of each."""

NO_ABSTRACTION, POINTS, BLOCKERS, HANDS = range(4)

COUNTED_SVARKAS = 8
"""With at most so many svarkas in a row, how many are left belongs to what is at stake.

With more the bound is met so seldom that the abstractions forget it. Where a pot may stay as it is
from one svarka to the next, with checks or with players who may still join, it is always counted.
"""

SUITS, CLUBS = 4, 0

BLIND_LANE, BETTING_LANE = 0, 1
"""Lanes of the moves of a deal: see `betting.note_move`."""

STATE = np.dtype(
    [
        *COMMON,
        *BETTING,
        ("phase", np.uint8),
        ("dealer", np.int8),
        ("svarkas", np.uint8),  # ties played off so far
        ("in_deal", np.uint16),  # seats that take part in this deal
        ("dealt", np.uint8),  # cards dealt in this deal
        ("hand", np.uint8, (MAX_SEATS, MAX_HAND)),
        ("points", np.int8, (MAX_SEATS,)),
        ("asked", np.uint8),  # seats asked so far: in the blind phase, or to join
        ("blind", np.int32),  # the last blind bet
        ("blind_seat", np.int8),  # who made it
        ("tied", np.uint16),  # seats tied for a pot, while others are asked to join
        ("price", np.int32),  # what joining costs
        ("pots", np.uint8),  # pots carried into this deal
        ("pot_chips", np.int32, (MAX_POTS,)),
        ("pot_seats", np.uint16, (MAX_POTS,)),  # seats that may win the pot
        ("deal_history", np.uint64),  # hash of the stakes at the deal, as seen from the dealer, and
        # of the actions since
        ("memory", np.uint64, (MAX_SEATS,)),  # hash of the hands held in earlier deals
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("deck", np.uint64),
        *BETTING_RULES,
        ("ante", np.int32),
        ("min_bet", np.int32),
        ("blind_phase", np.int32),
        ("opening_blind", np.int32),
        ("multipliers", np.int32),
        ("multiplier", np.int32, (MAX_MULTIPLIERS,)),
        ("max_blind_laps", np.int32),
        ("svarka_ante", np.int32),
        ("max_svarkas", np.int32),
        ("rounding", np.int32),
        ("hole_cards", np.int32),
        ("joker_mode", np.int32),
        ("sevens", np.int32),
        ("abstraction", np.int32),
    ],
    align=True,
)


class Tables(NamedTuple):
    """Parameters of the game, for the kernels."""

    rules: np.ndarray
    hand_class: np.ndarray
    """uint16: the class of each hand by its `hand_place`; empty unless the abstraction asks."""


PARAMETERS = (
    Parameter("players", 2, "seats at the table", low=2, high=MAX_SEATS),
    Parameter("ante", 1, "chips that everybody pays before the deal", low=1, high=10_000),
    Parameter("stack", 20, "chips of every seat before the ante", low=1, high=1_000_000),
    *BETTING_PARAMETERS,
    Parameter("min_bet", 0, "smallest bet and raise; 0: the ante", low=0, high=10_000),
    Parameter("max_raises", 3, "raises after the first bet, in fixed_limit", low=0, high=20),
    Parameter("allow_check", False, "whether a seat may check"),
    Parameter("blind_phase", True, "whether seats may bet before they look"),
    Parameter("opening_blind", 0, "the first blind bet; 0: the ante", low=0, high=10_000),
    Parameter("blind_multipliers", "2 3 4", "a blind bet is one of these times the last one"),
    Parameter("max_blind_laps", 1, "laps of blind betting", low=1, high=4),
    Parameter(
        "joker_mode", "best", "joker and two others: 11 + best, or all", choices=("best", "sum_all")
    ),
    Parameter(
        "sevens", "best", "exactly two sevens: the best score, or 23", choices=("best", "fixed_23")
    ),
    Parameter("buyin_rounding", "up", "how the price to join is rounded", choices=ROUNDINGS),
    Parameter("svarka_ante", False, "whether a svarka costs a new ante"),
    Parameter("max_svarkas", 12, "ties played off in a row", low=0, high=MAX_DECKS - 1),
    Parameter("hole_cards", 3, "cards of each player", low=1, high=MAX_HAND),
    Parameter("ranks", "789TJQKA", "ranks in the deck"),
    Parameter("suits", "cdhs", "suits in the deck"),
    Parameter("abstraction", "none", "information sets", choices=tuple(ABSTRACTIONS)),
)


def make_tables(parameters: dict[str, Any]) -> Tables:
    """Check the parameters against each other and lay them out for the kernels.

    Raises ValueError with one line that names the value.
    """
    deck = deck_mask(parameters["ranks"], parameters["suits"])
    needed = parameters["players"] * parameters["hole_cards"]
    if deck & 0xFFFFF:
        raise ValueError(f"ranks={parameters['ranks']!r}: Svara has no card below a seven")
    if deck.bit_count() < needed:
        raise ValueError(
            f"a deck of {deck.bit_count()} cards is too small: {parameters['players']} players "
            f"need {needed}"
        )
    multipliers = numbers(parameters["blind_multipliers"], "blind_multipliers")
    if (
        not 1 <= len(multipliers) <= MAX_MULTIPLIERS
        or min(multipliers) < 2
        or max(multipliers) > 99
    ):
        raise ValueError(
            f"blind_multipliers={parameters['blind_multipliers']!r}: expected 1 to "
            f"{MAX_MULTIPLIERS} numbers from 2 to 99"
        )
    if sorted(set(multipliers)) != multipliers:
        raise ValueError(
            f"blind_multipliers={parameters['blind_multipliers']!r}: expected ascending numbers"
        )
    ante = parameters["ante"]
    stacks = start_stacks(parameters, least=ante)
    rules = np.zeros(1, RULES)
    # A seat that won a side pot may hold more than it began with when the main pot is played off.
    largest = max(stacks) if len(stacks) == 2 else sum(stacks)
    fill_rules(rules[0], parameters, stacks, largest)
    rules["deck"] = deck
    rules["max_wagers"] = parameters["max_raises"] + 1
    rules["can_check"] = parameters["allow_check"]
    rules["ante"] = ante
    rules["min_bet"] = parameters["min_bet"] or ante
    rules["blind_phase"] = parameters["blind_phase"]
    rules["opening_blind"] = parameters["opening_blind"] or ante
    rules["multipliers"] = len(multipliers)
    rules["multiplier"][0, : len(multipliers)] = multipliers
    rules["max_blind_laps"] = parameters["max_blind_laps"]
    rules["svarka_ante"] = parameters["svarka_ante"]
    rules["max_svarkas"] = parameters["max_svarkas"]
    rules["rounding"] = ROUNDINGS.index(parameters["buyin_rounding"])
    rules["hole_cards"] = parameters["hole_cards"]
    rules["joker_mode"] = int(parameters["joker_mode"] == "sum_all")
    rules["sevens"] = int(parameters["sevens"] == "fixed_23")
    rules["abstraction"] = tuple(ABSTRACTIONS).index(parameters["abstraction"])
    classes = np.zeros(0, np.uint16)
    if rules["abstraction"] == HANDS:
        classes = hand_classes(
            deck, parameters["hole_cards"], int(rules["joker_mode"][0]), int(rules["sevens"][0])
        ).hand_class
    return Tables(rules, classes)


def limits(parameters: dict[str, Any]) -> Limits:
    rules = make_tables(parameters).rules[0]
    players = int(rules["players"])
    stacks = rules["start_stack"][:players]
    deals = int(rules["max_svarkas"]) + 1
    wagers = int(rules["max_wagers"])
    if rules["structure"] != FIXED_LIMIT:
        wagers = int(stacks.sum()) // int(rules["min_bet"])
    wagers += players  # short all-ins
    blind = players * int(rules["max_blind_laps"]) if rules["blind_phase"] else 0
    decisions = blind + players * (wagers + 2)
    return Limits(
        num_actions=int(rules["after_wagers"]) + 4 + int(rules["multipliers"]),
        max_game_length=deals * decisions + (deals - 1) * players,
        max_chance_nodes=deals * players * int(rules["hole_cards"]),
        max_chance_outcomes=52,
        min_utility=-float(stacks.max()),
        max_utility=float(stacks.sum() - stacks.min()),
        big_unit=int(rules["ante"]),
        unit="ante",
    )


# Action numbers after the wagers.


@kernel
def look(rules: Any) -> Any:
    return np.int64(rules.after_wagers)


@kernel
def first_blind(rules: Any) -> Any:
    """The opening blind; the blinds of each multiplier follow."""
    return np.int64(rules.after_wagers) + 1


@kernel
def join(rules: Any) -> Any:
    return np.int64(rules.after_wagers) + 2 + rules.multipliers


@kernel
def decline(rules: Any) -> Any:
    return join(rules) + 1
