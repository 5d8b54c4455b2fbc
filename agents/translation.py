"""A bot that knows one menu of bets, at a table where other bets are made.

The bot plays a *shadow hand*: the same cards in its own game, in which every bet of the real hand
is one of the bot's menu. A bet counts as its fraction of the pot after the call. Between two
fractions of the menu one is drawn (see `chance_of_smaller`), and what the bot bets in the shadow
is made in the real hand as the same fraction of the real pot.

Chips differ between the two hands, so that betting may end earlier in one of them:

- A real bet becomes only such a shadow action as leaves the same seat to act: never a call that
  would end the round. Where there is none, as when the shadow is all-in, it becomes a call.
- What a seat does that the shadow does not ask, changes nothing but who has folded. What the
  shadow asks of a seat that has no more say in the real hand is a check or a call.
- A decision of the bot for which the shadow has none is made by a rule of thumb: call if the
  equity against random hands covers the price, never raise. So are all decisions after a card
  that the shadow cannot place, which takes three players or more.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pokerspiel.agents.agent import Agent, CompiledAgent, Follower, HandAgent, legal
from pokerspiel.agents.baselines import SAMPLES
from pokerspiel.agents.policy import EQUITY, MISSED, Policy, choose, new_policy, new_work
from pokerspiel.games import drive
from pokerspiel.games.betting import CALL, FOLD, WAGER
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    KIND_DECLINE,
    TERMINAL,
    action_kind,
    mix,
    raise_cost,
    random_unit,
)
from pokerspiel.games.variants import Game, exact


def at_table(agent: Agent, game: Game | None) -> Agent:
    """The agent, translated if `game` differs from its own in nothing but the menu of bets."""
    if game is None or not isinstance(agent, CompiledAgent) or agent.game is None:
        return agent
    other_menu = game.parameters.get("bet_sizes") != agent.game.parameters.get("bet_sizes")
    same_rules = str(exact(_with_menu_of(agent.game, game))) == str(exact(agent.game))
    return Translated(agent) if other_menu and same_rules else agent


def _with_menu_of(own: Game, game: Game) -> Game:
    if "bet_sizes" not in own.parameters or "bet_sizes" not in game.parameters:
        return game
    return game.with_parameters(bet_sizes=own.parameters["bet_sizes"])


class Translated(HandAgent):
    """`bot` at tables with any menu of bets.

    Its `game` is None, since no single menu is its own; `check` tells what it plays. Raises
    ValueError if the bot was made for no game, or for one without menus.
    """

    def __init__(self, bot: CompiledAgent) -> None:
        super().__init__(bot.name)
        if bot.game is None or "bet_sizes" not in bot.game.parameters:
            raise ValueError(f"{bot.name} has no menu of bets to translate to")
        self.bot = bot
        self._own = exact(bot.game)

    def check(self, game: Game) -> None:
        self.bot.check(_with_menu_of(self._own, game))

    def follow(self, game: Game, seat: int) -> Follower:
        self.check(game)
        return Shadowing(self.bot.policy(self._own), self._own, exact(game), seat)


def chance_of_smaller(x: float, smaller: float, larger: float) -> float:
    """Chance that a bet of `x` pots counts as `smaller` rather than `larger`.

    The pseudo-harmonic mapping of Ganzfried and Sandholm, "Action translation in extensive-form
    games with large action spaces" (2013). Bets outside count as the nearer end.
    """
    if x <= smaller:
        return 1.0
    if x >= larger:
        return 0.0
    return (larger - x) * (1.0 + smaller) / ((larger - smaller) * (1.0 + x))


def counted_as(x: float, fractions: Sequence[float], mark: float) -> int:
    """The place in `fractions`, ascending, as which a bet of `x` pots counts.

    `mark` in [0, 1) is the luck: it lies below `chance_of_smaller` if the smaller one is taken.
    """
    above = next((i for i, fraction in enumerate(fractions) if fraction >= x), len(fractions) - 1)
    if above == 0:
        return 0
    return above - (mark < chance_of_smaller(x, fractions[above - 1], fractions[above]))


@kernel
def _decide(states: Any, policy: Any, work: Any, seed: Any, tables: Any) -> Any:
    return choose(states[0], policy, work, seed, tables)


@kernel
def _kind(states: Any, tables: Any, action: int) -> int:
    return action_kind(states[0], tables, action)


@kernel
def _write_totals(states: Any, tables: Any, wagers: Any, totals: Any) -> None:
    """Write what each of the wagers raises to."""
    state = states[0]
    seat = np.int64(state.turn)
    for i in range(len(wagers)):
        totals[i] = state.bet[seat] + raise_cost(state, tables, wagers[i])


_PLACE = ("turn", "phase", "street", "epoch", "stub")
_AT_CHANCE = ("to_deal", "drawer", "in_deal")
"""Fields of a state that say where a hand is; those it has, whatever the family."""


class _Hand:
    """A hand of a game that is played along."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.states = game.new_states()
        self.after_wagers = int(game.tables.rules[0]["after_wagers"])

    def begin(self) -> None:
        drive.begin_hand(self.states, self.game.tables)

    def copy(self) -> _Hand:
        twin = copy.copy(self)
        twin.states = self.states.copy()
        return twin

    def play(self, event: int) -> None:
        drive.apply_action(self.states, self.game.tables, event)

    def of_seat(self, field: str, seat: int) -> int:
        return int(self.states[field][0, seat])

    @property
    def turn(self) -> int:
        return int(self.states["turn"][0])

    @property
    def place(self) -> tuple[int, ...]:
        """The same for two hands where the same cards or actions come next."""
        known = self.states.dtype.names or ()
        wanted = _PLACE + _AT_CHANCE if self.turn == CHANCE else _PLACE
        return tuple(int(self.states[field][0]) for field in wanted if field in known)

    @property
    def betting(self) -> bool:
        """Whether a seat is to bet, call or fold."""
        return self.turn >= 0 and legal(self.game, self.states)[0] < self.after_wagers

    def may_act(self, seat: int) -> bool:
        """Whether a seat is neither out nor all-in."""
        live = not int(self.states["folded"][0]) >> seat & 1
        return live and self.of_seat("stack", seat) > 0

    def fold(self, seat: int) -> None:
        """Take a seat out that the hand does not ask."""
        self.states["folded"][0] |= 1 << seat

    def passive(self) -> int:
        """The action of a seat that has no say: check, call, look, decline, keep its cards."""
        actions = legal(self.game, self.states)
        if CALL in actions:
            return CALL
        wagers = self.wagers()
        if wagers:
            return min(wagers, key=lambda action: wagers[action])
        kinds = [int(_kind(self.states, self.game.tables, action)) for action in actions]
        return actions[kinds.index(KIND_DECLINE)] if KIND_DECLINE in kinds else actions[0]

    def wagers(self) -> dict[int, int]:
        """The total that each legal bet or raise goes to."""
        actions = legal(self.game, self.states)
        wagers = np.array([a for a in actions if WAGER <= a < self.after_wagers], np.int64)
        totals = np.zeros(len(wagers), np.int64)
        _write_totals(self.states, self.game.tables, wagers, totals)
        return dict(zip(wagers.tolist(), totals.tolist(), strict=True))

    @property
    def all_in(self) -> int:
        """The total at which the seat to act has no chips left."""
        return self.of_seat("bet", self.turn) + self.of_seat("stack", self.turn)

    def fraction(self, total: int) -> float:
        """What a bet or raise to `total` adds to a call, in pots after that call."""
        return (total - self._level) / self._pot_after_call

    def total_of(self, fraction: float) -> float:
        """The inverse of `fraction`."""
        return self._level + fraction * self._pot_after_call

    @property
    def _level(self) -> int:
        return int(self.states["level"][0])

    @property
    def _pot_after_call(self) -> int:
        return int(self.states["pot"][0]) + self._level - self.of_seat("bet", self.turn)


class Shadowing(Follower):
    """A seat of a hand of `game`, played by a policy for the game `own`.

    News are taken up at the next decision, whose seed then says how bets are counted.
    """

    def __init__(self, policy: Policy, own: Game, game: Game, seat: int) -> None:
        self.real = _Hand(game)
        self.shadow = _Hand(own)
        self._seat = seat
        self._policy = policy
        self._work = new_work(own)
        self._rule = new_policy(EQUITY, game, strong=math.inf, samples=SAMPLES)
        self._rule_work = new_work(game)
        self._news: list[int] = []
        self.meant: int | None = None
        """The shadow action behind the last decision, if the shadow made it."""
        self.lost = False
        """Whether a card of this hand found no place in the shadow."""
        self.misses = 0

    def begin(self) -> None:
        self.real.begin()
        self.shadow.begin()
        self._news = []
        self.meant = None
        self.lost = False

    def tell(self, event: int) -> None:
        self._news.append(event)

    @property
    def in_step(self) -> bool:
        """Whether the shadow asks for the same decision as the real hand."""
        return not self.lost and self.shadow.place == self.real.place

    def catch_up(self, seed: int) -> None:
        """Take up the news; `seed` decides how bets are counted."""
        random = np.array([mix(np.uint64(seed), np.uint64(2))], np.uint64)
        for event in self._news:
            self._take_up(event, random)
        self._news = []

    def choose(self, seed: int) -> int:
        self.catch_up(seed)
        real, shadow = self.real, self.shadow
        self.meant = None
        if not self.in_step:
            self.misses += 1
            tables = real.game.tables
            action, _ = _decide(real.states, self._rule, self._rule_work, np.uint64(seed), tables)
            return int(action)
        tables = shadow.game.tables
        action, found = _decide(shadow.states, self._policy, self._work, np.uint64(seed), tables)
        self.misses += int(found) == MISSED
        self.meant = int(action)
        return self._made_real(int(action))

    # From the shadow to the table.

    def _made_real(self, action: int) -> int:
        """A shadow action as one of the real hand."""
        real, shadow = self.real, self.shadow
        allowed = legal(real.game, real.states)
        if WAGER <= action < shadow.after_wagers:
            return self._wager_made_real(shadow.wagers()[action])
        if action >= shadow.after_wagers:
            action += real.after_wagers - shadow.after_wagers
        return action if action in allowed else real.passive()

    def _wager_made_real(self, shadow_total: int) -> int:
        """The legal wager nearest to the same fraction of the real pot; all-in stays all-in."""
        wagers = self.real.wagers()
        if not wagers:
            return self.real.passive()
        wanted = self.real.total_of(self.shadow.fraction(shadow_total))
        if shadow_total == self.shadow.all_in:
            wanted = self.real.all_in
        return min(wagers, key=lambda action: (abs(wagers[action] - wanted), wagers[action]))

    # From the table to the shadow.

    def _take_up(self, event: int, random: np.ndarray) -> None:
        before = self.real.copy()
        self.real.play(event)
        if self.lost or self.real.turn == TERMINAL:
            return
        if before.betting:
            self._take_up_bet(before, event, random)
        elif self.shadow.place == before.place:
            self.shadow.play(self._in_shadow(before, event))
        elif before.turn == CHANCE:
            self.lost = True
            return
        self._play_passively(self.shadow)

    def _in_shadow(self, before: _Hand, event: int) -> int:
        """A card, or an action that is no bet, in the numbers of the shadow."""
        if before.turn == CHANCE:
            return event
        event += self.shadow.after_wagers - before.after_wagers
        allowed = legal(self.shadow.game, self.shadow.states)
        return event if event in allowed else self.shadow.passive()

    def _take_up_bet(self, before: _Hand, event: int, random: np.ndarray) -> None:
        shadow = self.shadow
        if shadow.place != before.place:
            if event == FOLD:
                shadow.fold(before.turn)
        elif event == FOLD:
            shadow.play(FOLD)
        elif event == CALL:
            shadow.play(shadow.passive())
        else:
            shadow.play(self._counted(before, event, float(random_unit(random))))

    def _counted(self, before: _Hand, event: int, mark: float) -> int:
        """The shadow action as which a real bet or raise counts."""
        choices = self._in_step_after()
        meant, self.meant = self.meant, None
        if not choices:
            return self.shadow.passive()
        if before.turn == self._seat and meant in choices:
            return meant
        total = before.wagers()[event]
        x = before.fraction(total)
        actions = sorted(choices, key=lambda action: choices[action])
        fractions = [choices[action] for action in actions]
        if total == before.all_in:
            nearest = min(actions, key=lambda action: abs(choices[action] - x))
            if self.shadow.wagers().get(nearest) == self.shadow.all_in:
                return nearest
        return actions[counted_as(x, fractions, mark)]

    def _in_step_after(self) -> dict[int, float]:
        """Fractions of the pot of the calls and wagers that keep the shadow in step."""
        shadow = self.shadow
        choices = {action: shadow.fraction(total) for action, total in shadow.wagers().items()}
        if CALL in legal(shadow.game, shadow.states):
            choices[CALL] = 0.0
        return {action: x for action, x in choices.items() if self._keeps_step(action)}

    def _keeps_step(self, action: int) -> bool:
        trial = self.shadow.copy()
        trial.play(action)
        self._play_passively(trial)
        return trial.place == self.real.place

    def _play_passively(self, hand: _Hand) -> None:
        """Let `hand` go on while it asks what the real hand does not."""
        while hand.turn >= 0 and not self._waits(hand):
            hand.play(hand.passive())

    def _waits(self, hand: _Hand) -> bool:
        """Whether the real hand will come, or has come, to the decision that `hand` asks for."""
        real = self.real
        if not hand.betting:
            return real.betting or hand.place == real.place
        same_round = real.betting and hand.place[1:] == real.place[1:]
        return same_round and (hand.turn == real.turn or real.may_act(hand.turn))
