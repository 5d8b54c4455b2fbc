"""The kernels that a single hand needs: the next card, what an action does, who is paid what."""

from __future__ import annotations

from typing import Any

from pokerspiel.games import sviten
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import action_kind, halves_won, next_card


@kernel
def top_card(states: Any, tables: Any, decks: Any) -> int:
    """The card that falls next at the chance node `states[0]`, from the deck `decks[0]`."""
    return int(next_card(states[0], tables, decks[0]))


@kernel
def kind_of(states: Any, tables: Any, action: int) -> int:
    """What an action in `states[0]` does: see `kernel`."""
    return int(action_kind(states[0], tables, action))


@kernel(allocates=True)
def halves_of(states: Any, tables: Any, draw: Any, omaha: Any) -> int:
    """Write the chips that each seat won of both halves in `states[0]`, which is over.

    Returns the mask of the seats at the showdown; 0, and no chips, if there was none.
    """
    return int(halves_won(states[0], tables, draw, omaha))


@kernel
def settle_pots(
    rules: Any, paid: Any, folded: int, draw: Any, omaha: Any, pays: Any, whole: Any
) -> None:
    """`sviten.settle` for the parameters `rules[0]`."""
    sviten.settle(rules[0], paid, folded, draw, omaha, pays, whole)
