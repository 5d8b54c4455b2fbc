"""A hand looked at again: what a seat did, what a bot would have done, and what was lost by it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pokerspiel.agents.agent import Agent, legal
from pokerspiel.agents.table.advice import Budget, Consultation, consult
from pokerspiel.agents.table.adviser import adviser
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.playouts import MOST_PLAYOUTS
from pokerspiel.agents.table.seat_view import Document, seat_view

SECONDS = 4.0
"""Time for the play-outs of a hand."""
SURE = 2.0
"""A loss is more than its error if it is more than so many standard errors."""


def review(
    hand: LiveHand,
    seat: int,
    bot: Agent,
    number: int = 0,
    *,
    seconds: float | None = SECONDS,
    playouts: int = MOST_PLAYOUTS,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """What `seat` did in a hand against what `bot` would have done; `number` is the hand's.

    Decisions without a choice are left out. The play-outs of all decisions together take so many
    `seconds` (None: no limit), with at most `playouts` of each action.

    | member | meaning |
    |---|---|
    | `hand`, `seat`, `bot`, `game` | what was looked at, and who was asked |
    | `exact` | whether all losses are exact |
    | `decisions` | where most was lost first; where no loss is known, what the bot does least |
    | `loss`, `error` | chips lost in all decisions with a loss beyond its error, and its error |
    | `unvalued` | decisions whose loss is not known |
    | `unit`, `unit_chips` | "ante" or "big blind", and how many chips that is |

    A decision is an `advice` with the members `situation` in words, the `action` taken, the
    `frequency` with which the bot takes it, the `loss` in chips against the best action, its
    standard `error` (null: exact) and `within_error`: whether it may well be no loss at all.
    Raises ValueError, in one line, if the bot cannot say what it would do.
    """
    asked = adviser(bot, hand.game)
    places = [
        i
        for i, step in enumerate(hand.steps)
        if step.seat == seat and len(legal(hand.game, np.array([step.before]))) > 1
    ]
    share = None if seconds is None else seconds / max(len(places), 1)
    budget = Budget(share, playouts, stop)
    decisions = []
    for i in places:
        if stop():
            break
        played = hand.steps[i].action
        answer = consult(asked, hand, seat, i, played, budget)
        decisions.append(_decision(hand, seat, i, answer))
    decisions.sort(key=_worst_first)
    lost, error = _sum_of(decisions)
    return {
        "hand": number,
        "seat": seat,
        "bot": asked.agent.name,
        "game": str(asked.game),
        "exact": bool(decisions) and all(decision["exact"] for decision in decisions),
        "decisions": decisions,
        "loss": lost,
        "error": error,
        "unvalued": sum(decision["loss"] is None for decision in decisions),
        "unit": asked.game.limits.unit,
        "unit_chips": asked.game.limits.big_unit,
    }


def _decision(hand: LiveHand, seat: int, i: int, answer: Consultation) -> dict[str, Any]:
    step = hand.steps[i]
    lost = answer.loss(step.action)
    loss = error = None
    if lost is not None:
        loss = round(max(lost[0], 0.0), 6)
        error = None if lost[1] is None else round(lost[1], 6)
    within = loss is not None and error is not None and 0.0 < loss <= SURE * error
    return {
        **answer.document,
        "situation": situation(seat_view(hand, seat, [], steps=i)),
        "action": step.words,
        "frequency": round(answer.chances[step.action], 6),
        "loss": loss,
        "error": error,
        "within_error": within,
    }


def _worst_first(decision: dict[str, Any]) -> tuple[int, float]:
    """Losses beyond their error, those within it, those that are not known, and none at all."""
    loss = decision["loss"]
    if loss is None:
        return 2, decision["frequency"]
    if loss == 0.0:
        return 3, 0.0
    return int(decision["within_error"]), -loss


def _sum_of(decisions: Sequence[dict[str, Any]]) -> tuple[float, float | None]:
    """(Sum of the losses beyond their errors, its standard error or None if it is exact)."""
    some = [d for d in decisions if d["loss"] is not None and not d["within_error"]]
    errors = [d["error"] for d in some if d["error"] is not None]
    error = round(math.hypot(*errors), 6) if errors else None
    return round(sum(d["loss"] for d in some), 6), error


_PHASES = {
    "blind": "before the cards are seen",
    "join": "a svarka to join",
    "draw": "cards to change",
    "keep": "a card to keep or reject",
}


def situation(view: Document) -> str:
    """Where a seat stands that is to act, in a few words, from its view of the hand."""
    told = [_PHASES[view["phase"]]] if view["phase"] in _PHASES else []
    if "street" in view:
        told.insert(0, view["street"])
    if view.get("svarka"):
        told.insert(0, f"svarka {view['svarka']}")
    if view["cards"]:
        points = f" ({view['points']} points)" if "points" in view else ""
        told.append(f"you hold {' '.join(view['cards'])}{points}")
    if view.get("board"):
        told.append(f"board {' '.join(view['board'])}")
    if "pot" in view:
        told.append(f"pot {view['pot']}")
    if view["to_call"]:
        told.append(f"{view['to_call']} to call")
    return ", ".join(told)


def total_of(reviews: Sequence[dict[str, Any]], worst: int = 5) -> dict[str, Any]:
    """What several reviews of a seat add up to.

    | member | meaning |
    |---|---|
    | `hands`, `decisions` | how many there are |
    | `loss`, `error` | chips lost in all of them, as of `review` |
    | `loss_per_hand` | the same, in thousandths of the `unit` a hand; null without hands |
    | `clear` | decisions with a loss beyond its error |
    | `unvalued` | decisions whose loss is not known |
    | `like_the_bot` | mean frequency with which the bot does what was done; null without any |
    | `worst` | so many decisions with the largest losses beyond their errors, with their `hand` |

    Raises ValueError if they are not all of one game and one bot.
    """
    kinds = {(one["game"], one["bot"]) for one in reviews}
    if len(kinds) > 1:
        raise ValueError(f"reviews of {sorted(kinds)}: expected a single game and a single bot")
    decisions = [{**d, "hand": one["hand"]} for one in reviews for d in one["decisions"]]
    decisions.sort(key=_worst_first)
    clear = [d for d in decisions if d["loss"] and not d["within_error"]]
    lost, error = _sum_of(decisions)
    unit = reviews[0]["unit_chips"] if reviews else 1
    shares = [d["frequency"] for d in decisions]
    return {
        "hands": len(reviews),
        "decisions": len(decisions),
        "loss": lost,
        "error": error,
        "loss_per_hand": round(1000.0 * lost / unit / len(reviews), 3) if reviews else None,
        "unit": reviews[0]["unit"] if reviews else None,
        "clear": len(clear),
        "unvalued": sum(d["loss"] is None for d in decisions),
        "like_the_bot": round(sum(shares) / len(shares), 6) if shares else None,
        "worst": clear[:worst],
    }
