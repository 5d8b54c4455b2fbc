"""One betting round: what it costs to stay, which raises are legal, when the round is over.

The kernels work on any state record with the fields of `BETTING` and any rules record with the
fields of `BETTING_RULES`. Amounts are chips; a raise is named by the total that the seat will
have put in during the round ("raise to").

A short all-in raises the price without reopening the betting: `base` is the level of the last full
wager, and a seat that has acted since `base` last changed (its bit in `closed` is set) may only
call or fold. Several short raises that together make a full one move `base` too.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import MAX_SEATS
from pokerspiel.games.parameters import Parameter

FIXED_LIMIT, POT_LIMIT, NO_LIMIT = 0, 1, 2
STRUCTURES = ("fixed_limit", "pot_limit", "no_limit")
MAX_SIZES = 8
_ALL_THAT_IS_ALLOWED = Fraction(10**9)

FOLD, CALL, WAGER = 0, 1, 2
"""Action numbers: fold, check or call, and the first of the wagers."""

GIVES_UP, STAYS, WAGERS = 1, 2, 3
"""What a seat did: fold or look; check or call; wager, by size from the smallest on. 0: nothing."""
LARGEST = 4
"""The largest size of a wager that is told from those above it."""
MOVES = 5
"""Decisions of a seat that are kept of each lane."""
_MOVE_BITS, _LANE_BITS = 3, 16

BETTING: list[Any] = [
    ("stack", np.int32, (MAX_SEATS,)),  # chips left
    ("bet", np.int32, (MAX_SEATS,)),  # chips put in during this round
    ("paid", np.int32, (MAX_SEATS,)),  # chips put in since the cards were dealt
    ("pot", np.int32),  # all chips in the middle, those of this round included
    ("level", np.int32),  # the highest bet of the round: the price to stay
    ("base", np.int32),  # level of the last full wager
    ("step", np.int32),  # size of the smallest full raise
    ("wagers", np.int32),  # full wagers made in this round
    ("folded", np.uint16),  # seats that are out, as a bit mask
    ("closed", np.uint16),  # seats that have acted since `base` last changed
    ("moves", np.uint64, (MAX_SEATS,)),  # what a seat did lately: see `note_move`
]

BETTING_RULES: list[Any] = [
    ("players", np.int32),
    ("structure", np.int32),  # FIXED_LIMIT, POT_LIMIT or NO_LIMIT
    ("max_wagers", np.int32),  # full wagers a round in FIXED_LIMIT
    ("step_grows", np.int32),  # 1: the smallest raise is the last full raise
    ("can_check", np.int32),
    ("sizes", np.int32),  # length of the bet menu; 0: any total
    ("size", np.int64, (MAX_SIZES, 2)),  # fractions of the pot: numerator, denominator
    ("after_wagers", np.int32),  # first action number that is not a wager
    ("start_stack", np.int32, (MAX_SEATS,)),
]

BETTING_PARAMETERS = (
    Parameter("betting", "fixed_limit", "betting structure", choices=STRUCTURES),
    Parameter(
        "bet_sizes",
        "any",
        "'any', or a menu of raises in pot_limit and no_limit: fractions of the pot, "
        "'min' and 'max', such as '0.5 1 max'",
    ),
    Parameter("stacks", "", "chips of each seat, such as '50 100 200'; empty: `stack` for all"),
)


def numbers(text: str, what: str) -> list[int]:
    """The whole numbers in `text`, separated by blanks; an "x" behind a number is ignored."""
    try:
        return [int(word.rstrip("x")) for word in text.split()]
    except ValueError:
        raise ValueError(f"{what}={text!r}: expected whole numbers separated by blanks") from None


def start_stacks(parameters: dict[str, Any], least: int) -> list[int]:
    """The chips of every seat, at least `least` each."""
    players = parameters["players"]
    stacks = numbers(parameters["stacks"], "stacks") or [parameters["stack"]] * players
    if len(stacks) != players:
        raise ValueError(f"stacks={parameters['stacks']!r}: expected {players} numbers, one a seat")
    for chips in stacks:
        if not least <= chips <= 1_000_000:
            raise ValueError(f"stack of {chips} chips: expected {least} to 1000000")
    return stacks


def menu(text: str) -> list[Fraction]:
    """Fractions of the pot in a bet menu; empty for 'any'."""
    if text.strip() == "any":
        return []
    words = {"min": Fraction(0), "max": _ALL_THAT_IS_ALLOWED, "pot": Fraction(1)}
    sizes = []
    for word in text.split():
        try:
            size = words[word] if word in words else Fraction(word.rstrip("p"))
        except (ValueError, ZeroDivisionError):
            size = Fraction(-1)
        if not 0 <= size <= _ALL_THAT_IS_ALLOWED or size.denominator > 10**6:
            raise ValueError(
                f"bet_sizes={text!r}: {word!r} is not a fraction of the pot, 'min', 'pot' or 'max'"
            )
        sizes.append(size)
    if not 1 <= len(sizes) <= MAX_SIZES:
        raise ValueError(f"bet_sizes={text!r}: expected 'any' or 1 to {MAX_SIZES} sizes")
    return sizes


def fill_rules(rules: Any, parameters: dict[str, Any], stacks: list[int], largest: int) -> None:
    """Write the parameters that all betting games share into the record `rules`.

    `largest` is the greatest total that any seat can ever put into one round.
    """
    structure = STRUCTURES.index(parameters["betting"])
    sizes = [] if structure == FIXED_LIMIT else menu(parameters["bet_sizes"])
    rules["players"] = parameters["players"]
    rules["structure"] = structure
    rules["sizes"] = len(sizes)
    rules["size"][: len(sizes)] = np.reshape([size.as_integer_ratio() for size in sizes], (-1, 2))
    rules["start_stack"][: len(stacks)] = stacks
    if structure == FIXED_LIMIT:
        rules["after_wagers"] = WAGER + 1
    elif sizes:
        rules["after_wagers"] = WAGER + len(sizes)
    else:
        rules["after_wagers"] = WAGER + largest


@kernel
def bit(seat: int) -> Any:
    return np.uint16(1) << np.uint16(seat)


@kernel
def is_live(state: Any, seat: int) -> bool:
    return not state.folded & bit(seat)


@kernel
def live_seats(state: Any, players: int) -> int:
    count = 0
    for seat in range(players):
        if is_live(state, seat):
            count += 1
    return count


@kernel
def seats_with_chips(state: Any, players: int) -> int:
    """Live seats that are not all-in."""
    count = 0
    for seat in range(players):
        if is_live(state, seat) and state.stack[seat] > 0:
            count += 1
    return count


@kernel
def next_live_seat(state: Any, players: int, after: int) -> int:
    """The first live seat clockwise of `after`; `after` itself comes last."""
    for i in range(1, players + 1):
        seat = (after + i) % players
        if is_live(state, seat):
            return seat
    return -1


@kernel
def pay(state: Any, seat: int, chips: int) -> None:
    """Move chips from a seat into the middle, at most what it has."""
    chips = min(chips, state.stack[seat])
    state.stack[seat] -= chips
    state.bet[seat] += chips
    state.paid[seat] += chips
    state.pot += chips


@kernel
def open_round(state: Any, players: int, step: int) -> None:
    """Begin a round in which nothing is bet yet and the smallest wager is `step`."""
    for seat in range(players):
        state.bet[seat] = 0
    state.level = 0
    state.base = 0
    state.step = step
    state.wagers = 0
    state.closed = 0


@kernel
def set_price(state: Any, level: int) -> None:
    """Make `level` the price of the round, as a full wager that nobody has answered yet."""
    state.level = level
    state.base = level
    state.wagers = 1


@kernel
def next_to_act(state: Any, players: int, after: int) -> int:
    """The seat that has to act, clockwise of `after`; -1 if the round is over.

    With at most one seat holding chips, and that one owing nothing, there is no more betting.
    """
    if live_seats(state, players) < 2:
        return -1
    with_chips = seats_with_chips(state, players)
    for i in range(1, players + 1):
        seat = (after + i) % players
        if is_live(state, seat) and state.stack[seat] > 0:
            if state.bet[seat] < state.level:
                return seat
            if with_chips > 1 and not state.closed & bit(seat):
                return seat
    return -1


@kernel
def owed(state: Any, seat: int) -> Any:
    """Chips that a call costs; a seat with fewer calls all-in."""
    return min(state.level - state.bet[seat], state.stack[seat])


@kernel
def smallest_raise(state: Any, rules: Any) -> Any:
    """The least total of a full raise."""
    if rules.structure == FIXED_LIMIT:
        return state.base + state.step
    return state.level + state.step


@kernel
def largest_raise(state: Any, rules: Any, seat: int) -> Any:
    """The greatest total that the structure and the stack allow."""
    all_in = state.bet[seat] + state.stack[seat]
    smallest = smallest_raise(state, rules)
    if rules.structure == FIXED_LIMIT:
        return min(smallest, all_in)
    if rules.structure == POT_LIMIT:
        limit = state.level + state.pot + state.level - state.bet[seat]
        return min(max(limit, smallest), all_in)
    return all_in


@kernel
def may_raise(state: Any, rules: Any, seat: int) -> bool:
    """Whether a seat may raise: not closed, chips beyond the call, somebody left to answer."""
    if state.closed & bit(seat) or state.bet[seat] + state.stack[seat] <= state.level:
        return False
    if rules.structure == FIXED_LIMIT and state.wagers >= rules.max_wagers:
        return False
    for other in range(rules.players):
        if other != seat and is_live(state, other) and state.stack[other] > 0:
            return True
    return False


@kernel
def menu_total(state: Any, rules: Any, seat: int, index: int) -> Any:
    """The total of menu size `index`: a fraction of the pot after the call, within the limits."""
    to_call = state.level - state.bet[seat]
    numerator, denominator = rules.size[index, 0], rules.size[index, 1]
    raise_by = (2 * numerator * (state.pot + to_call) + denominator) // (2 * denominator)
    total = max(state.level + raise_by, np.int64(smallest_raise(state, rules)))
    return min(total, np.int64(largest_raise(state, rules, seat)))


@kernel
def wager_total(state: Any, rules: Any, seat: int, action: int) -> Any:
    """The total that a wager (an action number from WAGER on) raises to."""
    if rules.structure == FIXED_LIMIT:
        return np.int64(largest_raise(state, rules, seat))
    if rules.sizes > 0:
        return menu_total(state, rules, seat, action - WAGER)
    return np.int64(action - WAGER + 1)


@kernel
def legal_bets(state: Any, rules: Any, seat: int, actions: Any) -> int:
    """Write the betting actions of `seat`, ascending; returns how many.

    Folding is legal when something is owed, or when there is no check.
    """
    facing = state.bet[seat] < state.level
    n = 0
    if facing or not rules.can_check:
        actions[n] = FOLD
        n += 1
    if facing or rules.can_check:
        actions[n] = CALL
        n += 1
    if not may_raise(state, rules, seat):
        return n
    if rules.structure == FIXED_LIMIT:
        actions[n] = WAGER
        return n + 1
    if rules.sizes > 0:
        for i in range(rules.sizes):
            total = menu_total(state, rules, seat, i)
            fresh = True
            for j in range(i):
                if menu_total(state, rules, seat, j) == total:
                    fresh = False
            if fresh:
                actions[n] = WAGER + i
                n += 1
        return n
    largest = largest_raise(state, rules, seat)
    for total in range(min(smallest_raise(state, rules), largest), largest + 1):
        actions[n] = WAGER - 1 + total
        n += 1
    return n


@kernel
def raise_to(state: Any, rules: Any, seat: int, total: int) -> None:
    """Bet or raise to `total`; a full wager reopens the betting for everybody else."""
    full = False
    if rules.structure == FIXED_LIMIT:
        # An all-in of half a bet or more counts as a wager.
        full = 2 * (total - state.base) >= state.step
    elif total - state.level >= state.step:
        full = True
        if rules.step_grows:
            state.step = total - state.level
    elif total - state.base >= state.step:
        full = True  # several short all-ins together
    if full:
        state.base = total
        state.wagers += 1
        state.closed = 0
    state.level = total
    pay(state, seat, total - state.bet[seat])


@kernel
def bet(state: Any, rules: Any, seat: int, action: int) -> None:
    """Play one betting action."""
    if action == FOLD:
        state.folded |= bit(seat)
    elif action == CALL:
        pay(state, seat, state.level - state.bet[seat])
    else:
        raise_to(state, rules, seat, wager_total(state, rules, seat, action))
    state.closed |= bit(seat)


@kernel
def move_kind(rules: Any, action: int) -> Any:
    """What a seat does by a betting action, as `note_move` keeps it."""
    if action < WAGER:
        return np.int64(action + GIVES_UP)
    if rules.sizes == 0:
        return np.int64(WAGERS)
    return np.int64(WAGERS + min(action - WAGER, LARGEST))


@kernel
def note_move(state: Any, seat: int, lane: int, kind: int) -> None:
    """Keep that a seat did `kind` in a lane: a round of the hand, one of four.

    Lane 0 is in the lowest bits of `moves`. Its latest decision comes first, those before it
    behind, as far as there is room for `MOVES`.
    """
    shift = np.uint64(_LANE_BITS) * np.uint64(lane)
    room = np.uint64((1 << _MOVE_BITS * MOVES) - 1)
    moves = state.moves[seat]
    lately = (moves >> shift << np.uint64(_MOVE_BITS) | np.uint64(kind)) & room
    state.moves[seat] = moves & ~(room << shift) | lately << shift


@kernel
def move_at(moves: Any, lane: int, past: int) -> Any:
    """What a seat with these `moves` did in a lane, `past` decisions before its latest there."""
    shift = np.uint64(_LANE_BITS) * np.uint64(lane) + np.uint64(_MOVE_BITS) * np.uint64(past)
    return np.int64(moves >> shift & np.uint64((1 << _MOVE_BITS) - 1))


def describe(state: Any, rules: Any, action: int) -> tuple[Any, ...]:
    """What a betting action of the seat to act means: ("call", chips), ("raise", total) ..."""
    seat = int(state["turn"])
    if action == FOLD:
        return ("fold",)
    if action == CALL:
        return ("call", int(owed(state, seat)))
    return ("raise", int(wager_total(state, rules, seat, action)))


def in_words(state: Any, described: tuple[Any, ...]) -> tuple[Any, ...]:
    """The words that players use: a call of nothing is a check, a first wager a bet."""
    if described == ("call", 0):
        return ("check",)
    if described[0] == "raise":
        return ("bet" if state["level"] == 0 else "raise to", described[1])
    return described


def short_name(rules: Any, action: int) -> str:
    """A betting action in a letter or two: "f", "c", "r", "r0" (first size of the menu), "r=12"."""
    if action < WAGER:
        return "fc"[action]
    if rules["structure"] == FIXED_LIMIT:
        return "r"
    return f"r{action - WAGER}" if rules["sizes"] else f"r={action - WAGER + 1}"


def situation_text(state: Any, players: int) -> str:
    """The chips on the table in words, as everybody sees them."""
    rows = {"stacks": state["stack"], "bets": state["bet"], "paid": state["paid"]}
    words = [f"pot {state['pot']}"]
    words += [f"{name} {' '.join(map(str, row[:players]))}" for name, row in rows.items()]
    live = [str(seat) for seat in range(players) if not int(state["folded"]) >> seat & 1]
    return ", ".join([*words, f"live {' '.join(live)}", f"wagers {state['wagers']}"])
