"""The kernels that only commands need, in a file of their own: changing it empties the cache."""

from __future__ import annotations

from typing import Any

from pokerspiel.games import sviten
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import action_kind, next_card


@kernel
def top_card(states: Any, tables: Any, decks: Any) -> int:
    """The card that falls next at the chance node `states[0]`, from the deck `decks[0]`."""
    return int(next_card(states[0], tables, decks[0]))


@kernel
def kind_of(states: Any, tables: Any, action: int) -> int:
    """What an action in `states[0]` does: see `kernel`."""
    return int(action_kind(states[0], tables, action))


@kernel
def settle_pots(
    rules: Any, paid: Any, folded: int, draw: Any, omaha: Any, pays: Any, whole: Any
) -> None:
    """`sviten.settle` for the parameters `rules[0]`."""
    sviten.settle(rules[0], paid, folded, draw, omaha, pays, whole)
