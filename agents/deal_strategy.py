"""What an agent does in every deal with every hand, as a strategy of a chain of deals."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import binom

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.heuristics import bet_by_equity
from pokerspiel.agents.policy import (
    EQUITY,
    MISSED,
    NETWORK,
    Policy,
    lifted_probabilities,
    new_work,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.deals import Deal, DealChain
from pokerspiel.games.kernel import CHANCE, act, audience, legal_actions
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.chart import Chart, DealStrategy, chart_strategy_of
from pokerspiel.solvers.hand_matrices import chances_against_one

Found = tuple[DealStrategy, int]
"""A strategy, and how many of its decisions the agent's table does not hold."""


def deal_strategy_of(agent: Agent, chain: DealChain) -> Found:
    """(The agent's strategy, number of decisions with a hand that its table does not hold).

    Raises ValueError if the agent does not play the game, or has no such strategy: if it remembers
    earlier deals, or decides in Python.
    """
    game = load(chain.game)
    agent.check(game)
    if isinstance(agent, Bot) and isinstance(agent.table, Chart):
        return chart_strategy_of(chain, agent.table)
    if not isinstance(agent, CompiledAgent):
        raise ValueError(f"{agent.name} is no bot with a table: its strategy is not known")
    if agent.game is not None and agent.game.parameters["abstraction"] == "none":
        raise ValueError(f"{agent.name} remembers earlier deals: it has no strategy for each deal")
    policy = agent.policy(game)
    if policy.kind == NETWORK and len(policy.network.up_to) > 1:
        raise ValueError(
            f"{agent.name} draws one of {len(policy.network.up_to)} networks for a whole hand: it "
            "has no strategy for each deal"
        )
    return _Inquiry(policy, game, chain).strategy()


class _Inquiry:
    """A policy is asked for each decision and each class of hands."""

    def __init__(self, policy: Policy, game: Game, chain: DealChain) -> None:
        self._policy = policy
        self._game = game
        self._chain = chain
        self._work = new_work(game)
        self._missed = 0
        self._estimates = np.zeros((chain.hands.classes, 0))
        if policy.kind == EQUITY:
            if game.players != 2:
                raise ValueError("equity is known exactly against one opponent, not more")
            self._estimates = _estimates(chain, int(policy.samples))

    def strategy(self) -> Found:
        strategy = [np.zeros((deal.rows, self._chain.hands.classes)) for deal in self._chain.deals]
        for deal, rows in zip(self._chain.deals, strategy, strict=True):
            for node in range(deal.nodes):
                self._ask(deal, node, rows[deal.first_row[node] : deal.first_row[node + 1]])
        return strategy, self._missed

    def _ask(self, deal: Deal, node: int, out: np.ndarray) -> None:
        """Write the probabilities [actions, classes] of a decision."""
        path = np.array(_actions_to(deal, node), np.int64)
        actions = deal.action[deal.first_row[node] : deal.first_row[node + 1]]
        hands = self._chain.hands.cards if deal.looked[node] else self._chain.hands.cards[:1]
        states = self._game.new_states()
        if self._policy.kind == EQUITY and deal.looked[node]:
            places = np.zeros(self._estimates.shape[1], np.int64)
            _replay(deal.start, states, self._game.tables, path, hands[0])
            _places_by_equity(states, self._policy, self._work, places)
            for place in range(len(actions)):
                out[place] = self._estimates[:, places == place].sum(axis=1)
            return
        chances = np.zeros((len(hands), self._game.limits.num_actions))
        self._missed += int(
            _ask_hands(
                deal.start,
                states,
                self._game.tables,
                path,
                hands,
                self._policy,
                self._work,
                chances,
            )
        )
        out[:] = chances[:, actions].T


def _actions_to(deal: Deal, node: int) -> list[int]:
    """The actions that lead from the beginning of the deal to a decision."""
    path: list[int] = []
    row = int(deal.parent[node])
    while row >= 0:
        path.append(int(deal.action[row]))
        row = int(deal.parent[deal.node_of_row(row)])
    return path[::-1]


def _estimates(chain: DealChain, samples: int) -> np.ndarray:
    """[classes, 2 * samples + 1]: the chance of each estimate of the equity, in halves of a sample.

    A sample is a whole for a hand that it beats, a half for a tie.
    """
    win, tie = chances_against_one(chain.hands)
    out = np.zeros((chain.hands.classes, 2 * samples + 1))
    wins = np.arange(samples + 1)
    lose_or_tie = np.maximum(1.0 - win, 1e-300)
    for number in wins:
        chance = binom.pmf(number, samples, win)
        rest = samples - number
        ties = binom.pmf(np.arange(rest + 1)[:, None], rest, np.minimum(tie / lose_or_tie, 1.0))
        out[:, 2 * number : 2 * number + rest + 1] += (chance * ties).T
    return out


@kernel
def _replay(start: Any, states: Any, tables: Any, path: Any, hand: Any) -> None:
    """Play the actions of `path` from `start` on in `states[0]`; who acts then holds `hand`."""
    seat: Any = -1
    for again in range(2):
        # The first time shows who acts in the end, the second time that seat is dealt the hand.
        states[0] = start[0]
        state = states[0]
        given = 0
        done = 0
        while done < len(path) or state.turn == CHANCE:
            if state.turn != CHANCE:
                act(state, tables, path[done])
                done += 1
            elif audience(state, tables) == seat and again:
                card: Any = np.int64(hand[given])
                act(state, tables, card)
                given += 1
            else:
                act(state, tables, _other_card(state, hand))
        seat = np.int64(state.turn)


@kernel
def _other_card(state: Any, hand: Any) -> Any:
    """A card of the deck that is not in the hand."""
    for card in range(52):
        free = state.stub >> np.uint64(card) & np.uint64(1)
        for held in hand:
            if held == card:
                free = np.uint64(0)
        if free:
            return np.int64(card)
    return np.int64(-1)


@kernel
def _ask_hands(
    start: Any,
    states: Any,
    tables: Any,
    path: Any,
    hands: Any,
    policy: Any,
    work: Any,
    out: Any,
) -> int:
    """Write the policy's probabilities for each hand; gives how many decisions it misses."""
    missed = 0
    for i in range(len(hands)):
        _replay(start, states, tables, path, hands[i])
        found = lifted_probabilities(states, policy, work, np.uint64(0), tables, out[i])
        missed += found == MISSED
    return missed


@kernel
def _places_by_equity(states: Any, policy: Any, work: Any, out: Any) -> None:
    """Write the place of the action that each possible estimate of the equity leads to."""
    state = states[0]
    n = legal_actions(state, policy.tables, work.actions)
    for halves in range(len(out)):
        out[halves] = 0
        if n > 1:
            value = halves / 2.0 / policy.samples
            out[halves] = bet_by_equity(state, policy, work.actions, n, value)
