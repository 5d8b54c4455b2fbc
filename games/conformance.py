"""What every variant must pass: no chip made, no card leaked, nothing forgotten.

`check_hand` plays one random hand of a game through OpenSpiel's interface and checks every node;
`Recall` collects information sets over many hands. A failed check raises AssertionError and names
the game, the seed and the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyspiel

from pokerspiel.games import drive
from pokerspiel.games.kernel import CHANCE
from pokerspiel.games.openspiel import KernelGame, KernelState
from pokerspiel.games.variants import Game


@dataclass
class Recall:
    """Information sets met so far, by the text of the player who acts."""

    perfect: bool
    """Whether a player must remember own information sets and actions (not in an abstraction)."""
    actions: dict[str, tuple[int, ...]] = field(default_factory=dict)
    pasts: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)

    def add(self, text: str, key: int, legal: Sequence[int], past: tuple[Any, ...]) -> None:
        """One decision; the same information set must have the same actions and the same past."""
        assert self.actions.setdefault(text, tuple(legal)) == tuple(legal), (
            f"{text}: legal actions {legal} here, {self.actions[text]} elsewhere"
        )
        assert self.keys.setdefault(text, key) == key, f"{text}: two keys"
        assert self.texts.setdefault(key, text) == text, f"{text}: key of {self.texts[key]}"
        if self.perfect:
            assert self.pasts.setdefault(text, past) == past, (
                f"{text}: reached by {past} and by {self.pasts[text]}"
            )


def check_hand(pyspiel_game: KernelGame, seed: int, recall: Recall | None = None) -> None:
    """Play one random hand and check every node of it."""
    game: Game = pyspiel_game.game
    random = np.random.default_rng(seed)
    state = pyspiel_game.new_initial_state()
    chips = _chips(state)
    pasts: list[tuple[Any, ...]] = [()] * game.players
    decisions = cards = 0
    while not state.is_terminal():
        try:
            assert _chips(state) == chips, f"{_chips(state)} chips, {chips} at the start"
            if state.is_chance_node():
                action = _check_chance(game, state, random)
                cards += 1
            else:
                seat = state.current_player()
                action = _check_decision(game, state, random)
                decisions += 1
                text = state.information_state_string(seat)
                key = int(drive.key_of(state.kernel_state(), game.tables, seat))
                if recall is not None:
                    recall.add(text, key, state.legal_actions(), pasts[seat])
                pasts[seat] = (*pasts[seat], (text, action))
            state.apply_action(action)
        except AssertionError as error:
            raise AssertionError(f"{game} seed {seed} after {state.history()}: {error}") from error
    _check_end(game, state, chips, decisions, cards)


def _chips(state: KernelState) -> int | None:
    """All chips on the table; None for games without stacks."""
    record = state.kernel_state()[0]
    names = record.dtype.names or ()
    if "stack" not in names:
        return None
    if state.is_terminal():
        return None
    return int(record["stack"].sum()) + int(record["pot"])


def _check_chance(game: Game, state: KernelState, random: np.random.Generator) -> int:
    outcomes = state.chance_outcomes()
    cards = [card for card, _ in outcomes]
    assert cards == sorted(set(cards)), f"cards {cards} are not ascending"
    assert cards[0] >= 0 and cards[-1] < game.limits.max_chance_outcomes, f"cards {cards}"
    assert abs(sum(share for _, share in outcomes) - 1.0) < 1e-9, "probabilities do not sum to 1"
    return int(random.choice(cards))


def _check_decision(game: Game, state: KernelState, random: np.random.Generator) -> int:
    seat = state.current_player()
    legal = state.legal_actions()
    assert legal, "no legal action"
    assert legal == sorted(set(legal)), f"legal actions {legal} are not ascending"
    assert legal[0] >= 0 and legal[-1] < game.limits.num_actions, f"legal actions {legal}"
    names = [state.action_to_string(seat, action) for action in legal[:40]]
    assert len(set(names)) == len(names), f"two actions have one name: {names}"
    for other in range(game.players):
        assert other == seat or not state.legal_actions(other), f"seat {other} may act too"
    return int(random.choice(legal))


def _check_end(game: Game, state: KernelState, chips: Any, decisions: int, cards: int) -> None:
    returns = state.returns()
    where = f"{game} after {state.history()}"
    assert abs(sum(returns)) < 1e-6, f"{where}: returns {returns} do not sum to 0"
    assert min(returns) >= game.limits.min_utility, f"{where}: returns {returns}"
    assert max(returns) <= game.limits.max_utility, f"{where}: returns {returns}"
    assert decisions <= game.limits.max_game_length, f"{where}: {decisions} decisions"
    assert cards <= game.limits.max_chance_nodes, f"{where}: {cards} cards"


# Hidden information: swap what a player cannot see, and the player must not notice.


def check_hidden(pyspiel_game: KernelGame, seed: int) -> int:
    """Replay a random hand with other hidden cards; returns how many views were compared.

    For every player, the cards that the player has not seen in the present deal change places at
    random, others choose discards of the same number, and the player's key, texts and tensors must
    stay the same up to the first event that differs publicly.
    """
    random = np.random.default_rng(seed)
    state = pyspiel_game.new_initial_state()
    path: list[KernelState] = [state]
    while not state.is_terminal():
        if state.is_chance_node():
            action = random.choice([card for card, _ in state.chance_outcomes()])
        else:
            action = random.choice(state.legal_actions())
        state = state.child(int(action))
        path.append(state)
    compared = 0
    for player in range(pyspiel_game.game.players):
        for target in path:
            if not target.is_terminal() and target.current_player() != CHANCE:
                other = other_world(pyspiel_game, target, player, random)
                if other is not None:
                    _compare_views(pyspiel_game.game, target, other, player)
                    compared += 1
    return compared


def other_world(
    pyspiel_game: KernelGame, target: KernelState, player: int, random: np.random.Generator
) -> KernelState | None:
    """A state that `player` cannot tell from `target`; None if the attempt fails."""
    game = pyspiel_game.game
    swap = _swap_unseen(game, target, player, random)
    fixed = _events_of_earlier_deals(target)
    state = pyspiel_game.new_initial_state()
    original = pyspiel_game.new_initial_state()
    for place, action in enumerate(target.history()):
        choice = action
        if original.is_chance_node():
            if place >= fixed:
                choice = swap[action]
            if choice not in [card for card, _ in state.chance_outcomes()]:
                return None
        elif state.current_player() != original.current_player():
            return None
        elif original.current_player() != player:
            choice = _same_in_public(game, original, state, action, random)
            if choice is None:
                return None
        elif choice not in state.legal_actions():
            return None
        state.apply_action(choice)
        original.apply_action(action)
    return state


def _swap_unseen(
    game: Game, target: KernelState, player: int, random: np.random.Generator
) -> list[int]:
    """A permutation of the cards that keeps those `player` has seen in the present deal."""
    deck = int(game.tables.rules[0]["deck"])
    seen = {
        value
        for is_card, audience, value in target.events()[_events_of_earlier_deals(target) :]
        if is_card and audience in (-1, player)
    }
    free = [card for card in range(52) if deck >> card & 1 and card not in seen]
    swap = list(range(52))
    for card, other in zip(free, random.permutation(free).tolist(), strict=True):
        swap[card] = other
    return swap


def _events_of_earlier_deals(target: KernelState) -> int:
    """Number of events before the present deal: nothing hidden in them may change any more."""
    record = target.kernel_state()[0]
    if "svarkas" not in (record.dtype.names or ()):
        return 0
    history = target.history()
    state = target.get_game().new_initial_state()
    last = 0
    svarkas = 0
    for place, action in enumerate(history):
        state.apply_action(action)
        phase = state.kernel_state()[0]
        if int(phase["svarkas"]) != svarkas or int(phase["phase"]) == 3:
            svarkas = int(phase["svarkas"])
            last = place + 1
    return last


def _same_in_public(
    game: Game, original: KernelState, state: KernelState, action: int, random: np.random.Generator
) -> int | None:
    """An action in `state` that everybody but the actor takes for `action` in `original`."""
    seat = original.current_player()

    def seen(before: KernelState, choice: int) -> int:
        after = before.child(choice)
        return int(game.family.public_event(game, after.kernel_state()[0], seat, choice))

    wanted = seen(original, action)
    alike = [choice for choice in state.legal_actions() if seen(state, choice) == wanted]
    return int(random.choice(alike)) if alike else None


def _compare_views(game: Game, one: KernelState, other: KernelState, player: int) -> None:
    where = f"{game} seat {player} after {one.history()} and {other.history()}"
    keys = [drive.key_of(s.kernel_state(), game.tables, player) for s in (one, other)]
    assert keys[0] == keys[1], f"{where}: keys differ"
    for view in ("information_state_string", "observation_string"):
        texts = [getattr(s, view)(player) for s in (one, other)]
        assert texts[0] == texts[1], f"{where}: {view} differs: {texts}"
    for view in ("information_state_tensor", "observation_tensor"):
        tensors = [getattr(s, view)(player) for s in (one, other)]
        assert tensors[0] == tensors[1], f"{where}: {view} differs"
    if one.current_player() == player:
        assert one.legal_actions() == other.legal_actions(), f"{where}: legal actions differ"


# Suits: renaming them changes no information set.


def check_suits(pyspiel_game: KernelGame, seed: int, exchangeable: Sequence[int]) -> None:
    """Replay a random hand with the suits of `exchangeable` renamed; all keys stay the same."""
    game = pyspiel_game.game
    random = np.random.default_rng(seed)
    renamed = list(range(4))
    for suit, name in zip(exchangeable, random.permutation(exchangeable).tolist(), strict=True):
        renamed[suit] = name
    one, other = pyspiel_game.new_initial_state(), pyspiel_game.new_initial_state()
    while not one.is_terminal():
        if one.is_chance_node():
            action = int(random.choice([card for card, _ in one.chance_outcomes()]))
            other.apply_action(action & ~3 | renamed[action & 3])
        else:
            action = int(random.choice(one.legal_actions()))
            assert one.legal_actions() == other.legal_actions(), f"{game} after {one.history()}"
            other.apply_action(action)
        one.apply_action(action)
        if one.current_player() >= 0:
            seat = one.current_player()
            texts = [s.information_state_string(seat) for s in (one, other)]
            assert texts[0] == texts[1], f"{game} after {one.history()}: {texts}"
    assert one.returns() == other.returns(), f"{game} after {one.history()}: returns differ"


def check_openspiel(name: str, hands: int = 3) -> None:
    """OpenSpiel's own simulation test, and serialisation of states in mid-hand."""
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=hands, serialize=False, verbose=False)
    random = np.random.default_rng(1)
    state = game.new_initial_state()
    while not state.is_terminal():
        copy = game.deserialize_state(state.serialize())
        assert str(copy) == str(state) and copy.history() == state.history(), f"{name}: {state}"
        clone = state.clone()
        action = int(random.choice(state.legal_actions()))
        state.apply_action(action)
        assert clone.history() == copy.history(), f"{name}: a clone follows its original"
