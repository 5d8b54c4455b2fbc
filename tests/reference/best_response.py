"""Expected values and best responses for any number of players, from their definitions.

Written for reading, on the states of OpenSpiel's games, with nothing of this package. A policy maps
the player and its information state string to the probability of each legal action.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

Policy = Mapping[tuple[int, str], Mapping[int, float]]


def information_set(state: Any) -> tuple[int, str]:
    return state.current_player(), state.information_state_string()


def outcomes(state: Any, policy: Policy) -> list[tuple[int, float]]:
    """What chance or the player to act may do next, with its probability."""
    if state.is_chance_node():
        return list(state.chance_outcomes())
    return list(policy[information_set(state)].items())


def expected_values(state: Any, policy: Policy) -> list[float]:
    """What each player wins on average from `state` on."""
    if state.is_terminal():
        return list(state.returns())
    total = [0.0] * state.num_players()
    for action, probability in outcomes(state, policy):
        for player, value in enumerate(expected_values(state.child(action), policy)):
            total[player] += probability * value
    return total


def best_response_value(game: Any, policy: Policy, player: int) -> float:
    """The most that `player` can win on average if the others keep to `policy`."""
    return BestResponse(game, policy, player).value(game.new_initial_state())


class BestResponse:
    """A best response of one player; needs perfect recall.

    At an information set it takes the action with the largest value summed over the set's states,
    each weighted by the probability with which chance and the other players come there.
    """

    def __init__(self, game: Any, policy: Policy, player: int) -> None:
        self._policy = policy
        self._player = player
        self._members: dict[str, list[tuple[Any, float]]] = defaultdict(list)
        self._choice: dict[str, int] = {}
        self._values: dict[str, float] = {}
        self._collect(game.new_initial_state(), 1.0)

    def _collect(self, state: Any, reach: float) -> None:
        """Note the states of each information set, with the reach of all but the player."""
        if state.is_terminal():
            return
        if state.current_player() == self._player:
            self._members[state.information_state_string()].append((state, reach))
            for action in state.legal_actions():
                self._collect(state.child(action), reach)
        else:
            for action, probability in outcomes(state, self._policy):
                self._collect(state.child(action), reach * probability)

    def value(self, state: Any) -> float:
        """What the player wins on average from `state` on."""
        name = state.history_str()
        if name not in self._values:
            self._values[name] = self._value(state)
        return self._values[name]

    def _value(self, state: Any) -> float:
        if state.is_terminal():
            return float(state.returns()[self._player])
        if state.current_player() == self._player:
            return self.value(state.child(self.choice(state.information_state_string())))
        return sum(
            probability * self.value(state.child(action))
            for action, probability in outcomes(state, self._policy)
        )

    def choice(self, text: str) -> int:
        """The action at the information set with this text."""
        if text not in self._choice:
            members = self._members[text]
            worth = {
                action: sum(reach * self.value(state.child(action)) for state, reach in members)
                for action in members[0][0].legal_actions()
            }
            self._choice[text] = max(worth, key=lambda action: worth[action])
        return self._choice[text]


def nash_conv(game: Any, policy: Policy) -> float:
    """The sum of what the players gain by best responses."""
    values = expected_values(game.new_initial_state(), policy)
    best = [best_response_value(game, policy, player) for player in range(len(values))]
    return sum(best) - sum(values)
