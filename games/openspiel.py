"""Every variant as an OpenSpiel game: registration, one State, one Observer.

A State holds the record of the kernels and the log of events, each with its audience; what a player
may know follows from these alone. Cards fall one by one, every one an explicit chance node.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np
import pyspiel

from pokerspiel.games import drive
from pokerspiel.games.kernel import EVERYBODY, NOBODY, TERMINAL
from pokerspiel.games.variants import VARIANTS, Game, Variant, load_variant

_BYTES_PER_EVENT = 4


class KernelGame(pyspiel.Game):  # type: ignore[misc]
    """A variant with parameters; `variant` and `game_type` are set by `register`."""

    variant: Variant
    game_type: pyspiel.GameType

    def __init__(self, params: dict[str, Any] | None = None):
        params = dict(params or {})
        self.game: Game = load_variant(self.variant.name, params)
        limits = self.game.limits
        info = pyspiel.GameInfo(
            num_distinct_actions=limits.num_actions,
            max_chance_outcomes=limits.max_chance_outcomes,
            num_players=self.game.players,
            min_utility=limits.min_utility,
            max_utility=limits.max_utility,
            utility_sum=0.0,
            max_game_length=limits.max_game_length,
        )
        super().__init__(self.game_type, info, params)
        self.actions = np.zeros(max(limits.num_actions, 52) + 1, np.int64)

    def new_initial_state(self) -> KernelState:
        return KernelState(self)

    def max_chance_nodes_in_history(self) -> int:
        return self.game.limits.max_chance_nodes

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> KernelObserver:
        """OpenSpiel's hook for observers; asks for no parameters."""
        if params:
            raise ValueError(f"observation parameters {params}: expected none")
        return KernelObserver(
            self.game, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        )


class KernelState(pyspiel.State):  # type: ignore[misc]
    """A hand in progress."""

    def __init__(self, game: KernelGame):
        super().__init__(game)
        self._states = game.game.new_states()
        drive.begin_hand(self._states, game.game.tables)
        self._turn = int(self._states["turn"][0])
        self._events = b""

    def kernel_state(self) -> np.ndarray:
        """The record of the kernels, in an array of one: a copy."""
        return self._states.copy()

    def current_player(self) -> int:
        return self._turn

    def is_terminal(self) -> bool:
        return self._turn == TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        if player != self._turn:
            return []
        game = self.get_game()
        n = drive.list_actions(self._states, game.game.tables, game.actions)
        return game.actions[:n].tolist()  # type: ignore[no-any-return]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        buffer = self.get_game().actions
        n = drive.list_cards(self._states, buffer)
        return list(zip(buffer[:n].tolist(), repeat(1.0 / n), strict=False))

    def _apply_action(self, action: int) -> None:
        game = self.get_game().game
        seat = self._turn
        self._turn, audience = drive.apply_action(self._states, game.tables, action)
        self._events += _event(seat < 0, audience, action)
        if seat >= 0 and audience != EVERYBODY:
            seen = game.family.public_event(game, self._states[0], seat, action)
            self._events += _event(False, EVERYBODY, seen)

    def events(self) -> list[tuple[bool, int, int]]:
        """All that has happened: (whether a card fell, who saw it, card or public action)."""
        return _decode(self._events)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game().game
        if player < 0:
            return f"deal {game.card_name(action)}"
        return game.action_name(self._states[0], action)  # type: ignore[no-any-return]

    def returns(self) -> list[float]:
        players = self.get_game().game.players
        if self._turn != TERMINAL:
            return [0.0] * players
        return self._states["returns"][0, :players].tolist()  # type: ignore[no-any-return]

    def __str__(self) -> str:
        game = self.get_game().game
        return " ".join(
            game.card_name(value) if is_card else game.family.event_name(game, value)
            for is_card, audience, value in self.events()
            if is_card or audience == EVERYBODY
        )


def _event(is_card: bool, audience: int, value: int) -> bytes:
    return bytes((is_card, audience + 2, value & 255, value >> 8))


@lru_cache(maxsize=4096)
def _decode(log: bytes) -> list[tuple[bool, int, int]]:
    return [
        (bool(log[i]), log[i + 1] - 2, log[i + 2] | log[i + 3] << 8)
        for i in range(0, len(log), _BYTES_PER_EVENT)
    ]


class KernelObserver:
    """What one player sees, as numbers and as text.

    With perfect recall: the events that the player has seen, actions and cards apart. Without: the
    observation of the kernels, public and private parts apart. The string with perfect recall of an
    abstraction is its information set.
    """

    def __init__(self, game: Game, kind: Any):
        self._game = game
        self._kind = kind
        self._public = kind.public_info
        self._private = kind.private_info != pyspiel.PrivateInfoType.NONE
        self._everything = kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
        shapes = self._recall_shapes() if kind.perfect_recall else self._present_shapes()
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), np.float32)
        self.dict: dict[str, np.ndarray] = {}
        start = 0
        for name, shape in shapes.items():
            size = int(np.prod(shape))
            self.dict[name] = self.tensor[start : start + size].reshape(shape)
            start += size
        self._scratch = np.zeros(game.family.observation_size(game.parameters), np.float32)
        self._block = game.family.private_block(game.parameters)

    def _recall_shapes(self) -> dict[str, tuple[int, ...]]:
        limits = self._game.limits
        actions = limits.max_game_length + 2 * self._game.players
        return {
            "player": (self._game.players,),
            "actions": (actions, self._action_width() + 1),
            "cards": (limits.max_chance_nodes, limits.max_chance_outcomes),
        }

    def _present_shapes(self) -> dict[str, tuple[int, ...]]:
        size = self._game.family.observation_size(self._game.parameters)
        block = self._game.family.private_block(self._game.parameters)
        private = block.stop - block.start
        if self._everything:
            private *= self._game.players
        shapes: dict[str, tuple[int, ...]] = {}
        if self._public:
            shapes["public"] = (size - block.stop + block.start,)
        if self._private:
            shapes["private"] = (private,)
        return shapes or {"player": (self._game.players,)}

    def _any_size(self) -> bool:
        """Whether wagers are named by their total: they share one column, scaled by the stacks."""
        rules = self._game.tables.rules[0]
        return "after_wagers" in (rules.dtype.names or ()) and bool(
            rules["structure"] and not rules["sizes"]
        )

    def _action_width(self) -> int:
        if not self._any_size():
            return self._game.limits.num_actions
        return self._game.limits.num_actions - int(self._game.tables.rules[0]["after_wagers"]) + 3

    def _seen(self, state: KernelState, player: int) -> list[tuple[bool, int, int]]:
        """The events that belong to this observation."""
        return [
            event
            for event in state.events()
            if (event[1] == EVERYBODY and self._public)
            or (event[1] == player and self._private)
            or (event[1] not in (EVERYBODY, NOBODY) and self._everything)
        ]

    def set_from(self, state: KernelState, player: int) -> None:
        """Fill `tensor` (and the views of it in `dict`) with what `player` sees."""
        self.tensor.fill(0.0)
        if self._kind.perfect_recall:
            self._set_recall(state, player)
        else:
            self._set_present(state, player)

    def _set_recall(self, state: KernelState, player: int) -> None:
        self.dict["player"][player] = 1.0
        actions = cards = 0
        for is_card, _, value in self._seen(state, player):
            if is_card:
                self.dict["cards"][cards, value] = 1.0
                cards += 1
            else:
                column, amount = self._column(value)
                self.dict["actions"][actions, column] = 1.0
                self.dict["actions"][actions, -1] = amount
                actions += 1

    def _column(self, action: int) -> tuple[int, float]:
        """Column of an action, and the share of all chips that a wager of any size raises to."""
        if not self._any_size() or action < 2:
            return action, 0.0
        rules = self._game.tables.rules[0]
        after = int(rules["after_wagers"])
        if action >= after:
            return 3 + action - after, 0.0
        return 2, (action - 1) / float(rules["start_stack"].sum())

    def _set_present(self, state: KernelState, player: int) -> None:
        seats = range(self._game.players) if self._everything else (player,)
        for place, seat in enumerate(seats):
            drive.observe_into(state._states, self._game.tables, seat, self._scratch)
            if self._private:
                width = self._block.stop - self._block.start
                part = self.dict["private"][place * width : (place + 1) * width]
                part[:] = self._scratch[self._block]
        if self._public:
            drive.observe_into(state._states, self._game.tables, player, self._scratch)
            self.dict["public"][: self._block.start] = self._scratch[: self._block.start]
            self.dict["public"][self._block.start :] = self._scratch[self._block.stop :]
        if "player" in self.dict:
            self.dict["player"][player] = 1.0

    def string_from(self, state: KernelState, player: int) -> str:
        """What `player` sees, in words."""
        single = self._public and self._private and not self._everything
        if self._kind.perfect_recall and single:
            return information_text(self._game, state, player)
        if self._kind.perfect_recall:
            words = [self._word(event) for event in self._seen(state, player)]
            return " ".join([f"p{player}", *words])
        return self._present_text(state, player)

    def _word(self, event: tuple[bool, int, int]) -> str:
        is_card, audience, value = event
        owner = f"p{audience}:" if self._everything and audience != EVERYBODY else ""
        if is_card:
            return owner + self._game.card_name(value)
        if audience != EVERYBODY:
            return f"{owner}discard{value}"
        return str(self._game.family.event_name(self._game, value))

    def _present_text(self, state: KernelState, player: int) -> str:
        record, family = state._states[0], self._game.family
        parts = [f"p{player}"]
        if self._public:
            parts.append(family.situation_text(self._game, record))
        if self._private:
            seats = range(self._game.players) if self._everything else (player,)
            held = [family.private_text(self._game, record, seat) for seat in seats]
            parts.append("cards " + " ".join(held))
        return "; ".join(parts)


def information_text(game: Game, state: KernelState, player: int) -> str:
    """The information set of a player: betting and cards in words, and the key of the kernels.

    Two states have the same text exactly when they have the same key. An abstraction shows only
    the class of the hand, since it forgets some of the betting.
    """
    key = drive.key_of(state._states, game.tables, player)
    hand = game.family.hand_text(game, state._states[0], player)
    if game.parameters.get("abstraction", "none") != "none":
        return f"p{player} {hand} #{int(key):016x}"
    public = " ".join(
        game.family.event_name(game, value)
        for is_card, audience, value in state.events()
        if not is_card and audience == EVERYBODY
    )
    return f"p{player} [{public}] {hand} #{int(key):016x}"


def _register(variant: Variant) -> None:
    """Make a variant known to OpenSpiel; a name already taken is refused."""
    if variant.name in pyspiel.registered_names():
        raise ValueError(f"OpenSpiel already has a game named {variant.name}")
    players = next(p for p in variant.parameters if p.name == "players")
    game_type = pyspiel.GameType(
        short_name=variant.name,
        long_name=variant.summary,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=players.high,
        min_num_players=players.low,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={p.name: p.default for p in variant.parameters},
    )
    game_class = type(variant.name, (KernelGame,), {"variant": variant, "game_type": game_type})
    pyspiel.register_game(game_type, game_class)


for _variant in VARIANTS.values():
    _register(_variant)
