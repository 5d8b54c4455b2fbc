"""What a bot would do in the place of a seat, and what each action is worth, as a JSON document.

Values are chips that the seat wins in the hand, on average, if from then on the bot plays on all
seats. In Svara for two they are exact where the bot has a strategy for every hand; else they are
estimated by play-outs. Only what the seat knows has any influence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.table.adviser import TRIES, Adviser, Chances, adviser
from pokerspiel.agents.table.exact_values import Valued
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.playouts import MOST_PLAYOUTS, Estimate, estimate
from pokerspiel.agents.table.seat_view import FEW, actions_of
from pokerspiel.games.variants import Game

SECONDS = 1.0
"""Time for play-outs."""
SELDOM = 0.005
"""Of many sizes of a bet, those that a bot takes less often are not listed one by one."""

NOT_MET = (
    "The other seats never play to here as this bot does: the values are unknown, and the bot's "
    "own play rests on little."
)
NEVER = (
    "Another seat has done what this bot never does: its cards are drawn as if it could hold any."
)
TOO_FEW = "Too few hands of the other seats fit what they have done: the values are unknown."
ONLY_FREQUENCIES = "This bot cannot be played out: its actions are not valued."
TRIED = "The frequencies are those of {times} decisions that the bot made here."
SAMPLED = (
    "The values are estimates from {playouts:,} play-outs of each action, with {bot} on all seats; "
    "the hands of the others are drawn from what {bot} would hold after their actions."
)
EXACT = "The values are exact, with {bot} on both seats from here on."


def advice(
    hand: LiveHand,
    seat: int,
    bot: Agent,
    *,
    steps: int | None = None,
    seconds: float | None = SECONDS,
    playouts: int = MOST_PLAYOUTS,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """What `bot` would do in the place of `seat`, which is to act now or after `steps` steps.

    Play-outs end after so many `seconds` (None: no limit), after `playouts` of each action, or when
    `stop()` says so; with a limit of time the estimates depend on the machine. The first call for
    a bot of Svara takes longer: its whole strategy is laid out.

    | member | meaning |
    |---|---|
    | `bot`, `game` | who was asked, and for which game |
    | `seat`, `step` | the seat, and the number of steps of the hand before the decision |
    | `found` | "known"; "missed": the bot has no such decision, plays by a default; "only" |
    | `exact` | whether the values are exact |
    | `playouts` | of each action, if the values are estimates; else null |
    | `unit`, `unit_chips` | "ante" or "big blind", and how many chips that is |
    | `actions` | as in a view, with `frequency`, `value` in chips and its standard `error` |
    | `best` | name of the action of the highest value, or else of the most frequent one |
    | `notes` | sentences on where the values come from, or why there are none |

    Of many sizes of a bet those that the bot takes are listed; the others are one entry with `min`
    and `max`. A value or an error is null if it is unknown; exact values have no error. Raises
    ValueError, in one line, if the seat is not to act or the bot cannot say what it would do.
    """
    return consult(
        adviser(bot, hand.game), hand, seat, steps, None, Budget(seconds, playouts, stop)
    ).document


@dataclass(frozen=True)
class Budget:
    """When play-outs end."""

    seconds: float | None = SECONDS
    playouts: int = MOST_PLAYOUTS
    stop: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Consultation:
    """The answer to a question, with the numbers behind the document."""

    document: dict[str, Any]
    chances: Mapping[int, float]
    """What the bot does."""
    values: Mapping[int, float]
    """Exact values; empty if they are estimates or unknown."""
    estimate: Estimate | None

    def loss(self, played: int) -> tuple[float, float | None] | None:
        """(What an action is worth less than the best, error); no error: exact, None: unknown."""
        if self.estimate is not None and played in self.estimate.actions:
            best = self.estimate.best
            if best == played:
                return 0.0, 0.0
            return self.estimate.difference(best, played)
        if played in self.values and not math.isnan(self.values[played]):
            return float(max(self.values.values()) - self.values[played]), None
        return None

    @property
    def best(self) -> int:
        """The action of the highest value, or the most frequent one."""
        if self.estimate is not None:
            return self.estimate.best
        known = {a: v for a, v in self.values.items() if not math.isnan(v)}
        of = known or self.chances
        return max(of, key=lambda action: of[action])


def consult(
    asked: Adviser,
    hand: LiveHand,
    seat: int,
    steps: int | None,
    played: int | None,
    budget: Budget,
) -> Consultation:
    """The advice to a decision; `played` is an action that is to be valued whatever the bot does.

    Raises ValueError, in one line, if the seat is not to act there.
    """
    steps = len(hand.steps) if steps is None else steps
    if not 0 <= steps <= len(hand.steps):
        raise ValueError(f"step {steps}: the hand has {len(hand.steps)} steps so far")
    states = hand.states.copy()
    if steps < len(hand.steps):
        states[0] = hand.steps[steps].before
    state = states[0]
    if int(state["turn"]) != seat or seat < 0:
        raise ValueError(f"seat {seat} is not to act after {steps} steps: nothing to advise")
    past = [step.action for step in hand.steps[:steps]]
    chances = asked.chances(states, past)
    exact = asked.exact_values(states)
    if exact is not None:
        of = dict(zip(exact.actions, exact.chances.tolist(), strict=True))
        chances = Chances(of, chances.found)
    entries = _listed(asked.game, state, chances.of, played)
    found = None
    if exact is None and asked.policy is not None and len(entries) > 1:
        found = _estimated(
            asked, states, past, [a for a, _ in entries if a is not None], played, budget
        )
    values = {} if exact is None else dict(zip(exact.actions, exact.values.tolist(), strict=True))
    answer = Consultation({}, chances.of, values, found)
    answer.document.update(_document(asked, seat, steps, chances, entries, answer, exact))
    return answer


def _estimated(
    asked: Adviser,
    states: np.ndarray,
    past: Sequence[int],
    actions: Sequence[int],
    played: int | None,
    budget: Budget,
) -> Estimate | None:
    assert asked.policy is not None
    return estimate(
        asked.game,
        asked.policy,
        int(states[0]["turn"]),
        past,
        actions,
        seed=asked.seed_of(states),
        seconds=budget.seconds,
        playouts=budget.playouts,
        kept=[] if played is None else [played],
        stop=budget.stop,
    )


def _document(
    asked: Adviser,
    seat: int,
    steps: int,
    chances: Chances,
    entries: Sequence[tuple[int | None, dict[str, Any]]],
    answer: Consultation,
    exact: Valued | None,
) -> dict[str, Any]:
    game, found = asked.game, answer.estimate
    values = {action: value for action, value in answer.values.items() if not math.isnan(value)}
    errors: dict[int, float] = {}
    if found is not None:
        for action in found.actions:
            values[action], errors[action] = found.value(action)
    actions = [
        {
            **entry,
            "value": None if action is None else _rounded(values.get(action)),
            "error": None if action is None else _rounded(errors.get(action)),
        }
        for action, entry in entries
    ]
    best = next(entry["name"] for action, entry in entries if action == answer.best)
    return {
        "bot": asked.agent.name,
        "game": str(game),
        "seat": seat,
        "step": steps,
        "found": chances.found,
        "exact": exact is not None and bool(values),
        "playouts": None if found is None else found.playouts,
        "unit": game.limits.unit,
        "unit_chips": game.limits.big_unit,
        "actions": actions,
        "best": best,
        "notes": _notes(asked, chances, len(entries), values, found, exact),
    }


def _notes(
    asked: Adviser,
    chances: Chances,
    choices: int,
    values: Mapping[int, float],
    found: Estimate | None,
    exact: Valued | None,
) -> list[str]:
    bot = asked.plays_on
    notes = []
    if asked.is_tried:
        notes.append(TRIED.format(times=TRIES))
    if chances.found == "missed":
        notes.append(f"{asked.agent.name} does not know this decision and plays it by a default.")
    if exact is not None:
        notes.append(EXACT.format(bot=bot) if values else NOT_MET)
    elif found is not None:
        notes.append(SAMPLED.format(bot=bot, playouts=found.playouts))
        if found.never:
            notes.append(NEVER)
    elif choices > 1:
        notes.append(ONLY_FREQUENCIES if asked.policy is None else TOO_FEW)
    return notes


def _rounded(number: float | None) -> float | None:
    """A number for a document; None if it is unknown or has no bound."""
    return None if number is None or not math.isfinite(number) else round(number, 6)


# The actions that are listed.


def _listed(
    game: Game, state: Any, chances: Mapping[int, float], played: int | None
) -> list[tuple[int | None, dict[str, Any]]]:
    """(Action, its entry) of the actions that are told apart; None for a range of sizes."""
    documents = actions_of(game, state)
    if len(documents) == len(chances):
        return [
            (action, {**document, "frequency": _share(chances[action])})
            for action, document in zip(sorted(chances), documents, strict=True)
        ]
    span = next(i for i, document in enumerate(documents) if "max" in document)
    actions = sorted(chances)
    raises = actions[span : len(actions) - (len(documents) - span - 1)]
    sizes = sorted(raises, key=lambda action: -chances[action])[:FEW]
    sizes = [action for action in sizes if chances[action] >= SELDOM or action == played]
    if played in raises and played not in sizes:
        sizes.append(played)
    entries: list[tuple[int | None, dict[str, Any]]] = []
    for action, document in zip(actions[:span], documents[:span], strict=True):
        entries.append((action, {**document, "frequency": _share(chances[action])}))
    for action in sorted(sizes):
        entries.append((action, _size(game, state, action, chances[action])))
    rest = sum(chances[action] for action in raises if action not in sizes)
    if rest > 0.0 or not sizes:
        entries.append((None, {**documents[span], "frequency": _share(rest)}))
    last = len(documents) - span - 1
    for action, document in zip(actions[len(actions) - last :], documents[span + 1 :], strict=True):
        entries.append((action, {**document, "frequency": _share(chances[action])}))
    return entries


def _size(game: Game, state: Any, action: int, chance: float) -> dict[str, Any]:
    """The entry of one size of a bet among many."""
    described = game.describe(np.array([state]), action)
    return {
        "name": game.action_name(state, action),
        "kind": "raise",
        "to": int(described[1]),
        "frequency": _share(chance),
    }


def _share(chance: float) -> float:
    return round(float(chance), 6)
