"""Random hands on the reference models, and parameters drawn for them by hypothesis."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.reference.svara_model import SvaraModel
from tests.reference.sviten_model import SvitenModel

CHANCE = -1
TERMINAL = -4

WEIGHT = {"fold": 1, "check": 4, "call": 6, "raise": 5, "look": 2, "blind": 3, "join": 3}
"""How often random play takes each kind of action; 2 for the kinds not named."""

SVITEN_VARIANTS = {
    "sviten_special": {},
    "sviten_flush": {"draw_half": "flush"},
    "dramaha": {"one_card_face_up": False},
}


def choose(legal: dict[int, tuple], rng: np.random.Generator) -> int:
    """A random action: first its kind, then one of the kind (discards: by number of cards).

    Most raises are the first on offer, often the smallest, so that a hand sees many of them.
    """
    groups: dict[tuple, list[int]] = {}
    for action, description in legal.items():
        size = len(description[1]) if description[0] == "discard" else 0
        groups.setdefault((description[0], size), []).append(action)
    kinds = sorted(groups)
    weight = np.array([WEIGHT.get(kind, 2) for kind, _ in kinds], dtype=float)
    kind = kinds[rng.choice(len(kinds), p=weight / weight.sum())]
    if kind[0] == "raise" and rng.random() < 0.6:
        return groups[kind][0]
    return int(rng.choice(groups[kind]))


def step(model: Any, rng: np.random.Generator) -> None:
    """One random card or action."""
    if model.player() == CHANCE:
        model.apply(int(rng.choice(model.chance_cards())))
    else:
        model.apply(choose(model.legal_actions(), rng))


BETTING = st.sampled_from(["fixed_limit", "pot_limit", "no_limit"])
MENUS = st.sampled_from(["any", "any", "0.5 1 max", "min 0.33 0.75 1.5", "1", "max", "2 0.7 min"])


def stacks(players: int, least: int) -> st.SearchStrategy[str]:
    """Stacks per seat, short ones often, or none named."""
    one = st.one_of(st.integers(least, least + 6), st.integers(least, 40), st.integers(30, 99))
    named = st.lists(one, min_size=players, max_size=players)
    return st.one_of(st.just(""), named.map(lambda values: " ".join(map(str, values))))


SVARA_DECKS = [
    ("789TJQKA", "cdhs", 3),
    ("789TJQKA", "cdhs", 2),
    ("789T", "cdhs", 3),
    ("789", "cd", 2),
    ("7QKA", "cdhs", 1),
    ("TJQKA", "cdhs", 1),
    ("TJQKA", "cdhs", 1),
    ("TJQA", "cdhs", 3),
]
"""Ranks, suits and cards a hand; in some decks most hands tie."""


@st.composite
def svara_parameters(draw: st.DrawFn) -> dict[str, Any]:
    """Parameters of Svara, with small decks so that ties are frequent."""
    ranks, suits, hole_cards = draw(st.sampled_from(SVARA_DECKS))
    most_seats = min(9, len(ranks) * len(suits) // hole_cards)
    players = draw(st.sampled_from(sorted({2, min(3, most_seats), min(4, most_seats), most_seats})))
    ante = draw(st.integers(1, 4))
    return {
        "players": players,
        "ante": ante,
        "stack": draw(st.one_of(st.integers(ante, ante + 8), st.integers(20, 99))),
        "stacks": draw(stacks(players, ante)),
        "betting": draw(BETTING),
        "min_bet": draw(st.sampled_from([0, 0, 1, 2, 5])),
        "max_raises": draw(st.integers(0, 3)),
        "bet_sizes": draw(MENUS),
        "blind_phase": draw(st.sampled_from([True, True, False])),
        "opening_blind": draw(st.sampled_from([0, 0, 1, 3])),
        "blind_multipliers": draw(st.sampled_from(["2 3 4", "2", "2 4", "3"])),
        "max_blind_laps": draw(st.sampled_from([1, 1, 2, 3])),
        "allow_check": draw(st.booleans()),
        "joker_mode": draw(st.sampled_from(["best", "sum_all"])),
        "sevens": draw(st.sampled_from(["best", "fixed_23"])),
        "buyin_rounding": draw(st.sampled_from(["up", "down", "nearest"])),
        "svarka_ante": draw(st.booleans()),
        "max_svarkas": draw(st.sampled_from([0, 1, 2, 4, 12])),
        "ranks": ranks,
        "suits": suits,
        "hole_cards": hole_cards,
    }


SMALL_HANDS: list[dict[str, Any]] = [
    {"hole_cards": 3, "flop_cards": 1, "turn_cards": 1, "river_cards": 0, "rounds": 3}
    | {"omaha_hole": 1, "omaha_board": 1},
    {"hole_cards": 2, "flop_cards": 2, "turn_cards": 0, "river_cards": 1}
    | {"omaha_hole": 1, "omaha_board": 2},
    {"hole_cards": 2, "flop_cards": 1, "turn_cards": 0, "river_cards": 0, "rounds": 3}
    | {"omaha_hole": 1, "omaha_board": 1},
    {"hole_cards": 4, "flop_cards": 2, "turn_cards": 1, "river_cards": 1}
    | {"omaha_hole": 2, "omaha_board": 2},
    {"hole_cards": 1, "flop_cards": 1, "turn_cards": 0, "river_cards": 0, "rounds": 3}
    | {"omaha_hole": 1, "omaha_board": 1},
]
SMALL_DECKS = [
    ("23456789TJQKA", "cdhs"),
    ("789TJQKA", "cdhs"),
    ("TJQKA", "cdhs"),
    ("23456A", "cdh"),
]


@st.composite
def sviten_parameters(draw: st.DrawFn) -> dict[str, Any]:
    """Parameters of the Sviten family; decks are often just large enough, so that they run dry."""
    small = draw(st.sampled_from([{}, {}, {}, *SMALL_HANDS]))
    ranks, suits = draw(st.sampled_from(SMALL_DECKS))
    face_up = draw(st.booleans())
    burn = draw(st.sampled_from([False, False, True]))
    hole = small.get("hole_cards", 5)
    discards = draw(st.integers(0, hole))
    board = sum(small.get(f"{street}_cards", 3 if street == "flop" else 1) for street in STREETS)
    reserve = board + 3 * burn + max(discards, 2 if face_up else 1)
    if len(ranks) * len(suits) < 2 * hole + reserve:
        ranks, suits = SMALL_DECKS[0]
    most_seats = min(8, (len(ranks) * len(suits) - reserve) // hole)
    players = draw(
        st.sampled_from(sorted({2, min(3, most_seats), most_seats // 2 + 1, most_seats}))
    )
    small_blind = draw(st.integers(1, 3))
    return small | {
        "players": players,
        "small_blind": small_blind,
        "big_blind": draw(st.sampled_from([2 * small_blind, small_blind + 1, small_blind + 8])),
        "stack": draw(st.integers(small_blind, 60)),
        "stacks": draw(stacks(players, 1)),
        "betting": draw(BETTING),
        "max_wagers": draw(st.sampled_from([4, 4, 1, 2, 3])),
        "bet_sizes": draw(MENUS),
        "max_discards": discards,
        "one_card_face_up": face_up,
        "burn": burn,
        "draw_half": draw(st.sampled_from(["high", "flush"])),
        "odd_chip": draw(st.sampled_from(["draw", "omaha", "position", "fractional"])),
        "one_odd_chip_per_pot": draw(st.sampled_from([True, True, False])),
        "ranks": ranks,
        "suits": suits,
    }


STREETS = ("flop", "turn", "river")
MODELS = {"svara": SvaraModel, "sviten": SvitenModel}
