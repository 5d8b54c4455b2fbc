"""What the seats may hold: deals weighted by the chances that the players act as seen.

A range is a set of *particles*. Each is a full state of the exact game with hidden cards of its
own, led along all that an observer has seen of the hand; its weight of a seat is the product of the
probabilities that the policy of that seat gives to what the seat did. A particle that cannot look
as seen is dead. With few hidden cards the particles are all deals that there are, and the ranges
are exact; otherwise they are a sample, and the ranges are estimates (importance sampling: a hidden
card is any that the observer has not seen, a hidden action one that the policy may have chosen).

Letters: N particles, P seats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.agents.batch import longest_hand
from pokerspiel.agents.policy import UNIFORM, Policy, lifted_probabilities, new_policy, new_work
from pokerspiel.games import drive
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    EVERYBODY,
    MAX_DECKS,
    act,
    audience,
    begin,
    legal_actions,
    mix,
    random_below,
    random_bits,
    random_unit,
)
from pokerspiel.games.variants import Game

PARTICLES = 1000
UNSEEN = -1
"""The move of an event whose card or action is hidden from the observer."""

_HIDDEN = 64
"""Most cards or actions that a hidden event may be: those of a deck, or discards."""
_ENOUGH = 0.5
"""Share of the particles that must be of use; with fewer the others are replaced."""
_ROUNDS = 4
"""How often useless particles are replaced ..."""
_MOST_ROUNDS = 200
"""... and how often while all are dead."""

SEEN = np.dtype(
    [
        ("move", np.int32),  # the card or action, or UNSEEN
        ("turn", np.int8),  # who acted, CHANCE for a card
        ("before", np.uint8),  # number of the deck that a card came from
        # The public part of the state after the event:
        ("next_turn", np.int8),
        ("shared", np.uint8),
        ("epoch", np.uint8),
        ("history", np.uint64),
    ],
    align=True,
)
"""An event of a hand as an observer sees it; nothing hidden is left in it."""


class _Room(NamedTuple):
    """Scratch of the kernels."""

    states: np.ndarray
    """[M] states that may follow one."""
    chances: np.ndarray
    """[M] what the policy gives to each; 1 for cards."""
    moves: np.ndarray
    """[M] the cards or actions that are tried."""
    policy: np.ndarray
    """[actions] probabilities of the seat to act."""
    random: np.ndarray


@kernel
def _see(states: Any, tables: Any, move: int, observer: int, seen: Any) -> None:
    """Play a true event in `states[0]` and write what the observer sees of it into `seen[0]`."""
    state = states[0]
    event = seen[0]
    who = audience(state, tables)
    event.move = move if who in (EVERYBODY, observer) else UNSEEN
    event.turn = state.turn
    event.before = state.epoch
    act(state, tables, move)
    event.next_turn = state.turn
    event.shared = state.shared
    event.epoch = state.epoch
    event.history = state.history


@kernel
def _looks_like(state: Any, event: Any) -> Any:
    return (
        state.turn == event.next_turn
        and state.shared == event.shared
        and state.epoch == event.epoch
        and state.history == event.history
    )


@kernel
def _list_cards(cards: Any, out: Any) -> Any:
    n = 0
    for card in range(_HIDDEN):
        if cards >> np.uint64(card) & np.uint64(1):
            out[n] = card
            n += 1
    return n


@kernel
def _followers(
    states: Any,
    i: int,
    event: Any,
    weighed: bool,
    excluded: Any,
    one_card: bool,
    policy: Any,
    work: Any,
    tables: Any,
    room: Any,
) -> Any:
    """Write the states after `states[i]` that look like `event`, with their chances.

    Returns how many. `weighed`: the event is an action whose chance the policy says. `excluded`
    [decks] are the cards that no hidden draw from a deck can have been. `one_card`: only one of the
    cards that may have been dealt, at random. Actions that the policy never takes count where no
    other looks so.
    """
    state = states[i]
    moves = room.moves
    moves[0] = event.move
    n: Any = 1
    if state.turn == CHANCE:
        cards = state.stub
        if event.move == UNSEEN:
            cards &= ~excluded[event.before]
        else:
            cards &= np.uint64(1) << np.uint64(event.move)
        n = _list_cards(cards, moves)
        if one_card and n > 1:
            moves[0] = moves[random_below(room.random, n)]
            n = 1
    elif event.move == UNSEEN:
        n = legal_actions(state, tables, moves)
    if weighed:
        seed = random_bits(room.random)
        lifted_probabilities(states[i : i + 1], policy, work, seed, tables, room.policy)
    count = 0
    for never in range(2):
        for k in range(n):
            chance = room.policy[moves[k]] if weighed else 1.0
            if (chance <= 0.0) == (never == 1):
                room.states[count] = states[i]
                act(room.states[count], tables, moves[k])
                if _looks_like(room.states[count], event):
                    room.chances[count] = chance
                    count += 1
        if count > 0:
            break
    return count


@kernel(allocates=True)
def _split(
    states: Any,
    weights: Any,
    event: Any,
    observer: int,
    excluded: Any,
    policy: Any,
    work: Any,
    tables: Any,
    room: Any,
    new_states: Any,
    new_weights: Any,
) -> int:
    """Every way in which the particles may look like `event[0]` next; returns how many there are.

    More than there is room for in `new_states` are not written.
    """
    turn = event[0].turn
    weighed = turn >= 0 and turn != observer
    count = 0
    for i in range(len(states)):
        n = _followers(states, i, event[0], weighed, excluded, False, policy, work, tables, room)
        for k in range(n):
            if count < len(new_states):
                new_states[count] = room.states[k]
                new_weights[count] = weights[i]
                if weighed:
                    new_weights[count, turn] *= room.chances[k]
            count += 1
    return count


@kernel
def _place(chances: Any, n: int, total: float, random: Any) -> Any:
    """A place in [0, n), each as likely as its share of the total; any where all have none."""
    if total <= 0.0:
        return random_below(random, n)
    mark = random_unit(random) * total
    place = 0
    while place < n - 1 and mark >= chances[place]:
        mark -= chances[place]
        place += 1
    return np.int64(place)


@kernel
def _sample(
    states: Any,
    weights: Any,
    alive: Any,
    which: Any,
    seeds: Any,
    event: Any,
    number: int,
    observer: int,
    excluded: Any,
    policy: Any,
    work: Any,
    tables: Any,
    room: Any,
) -> None:
    """One way in which each of the particles `which` may look like `event[0]` next, or its death.

    The event is the `number`-th of the hand; its luck depends on that and on the particle's seed.
    """
    turn = event[0].turn
    weighed = turn >= 0 and turn != observer
    for i in which:
        if not alive[i]:
            continue
        room.random[0] = mix(seeds[i], np.uint64(number))
        n = _followers(states, i, event[0], weighed, excluded, True, policy, work, tables, room)
        if n == 0:
            alive[i] = False
            continue
        total = room.chances[:n].sum()
        states[i] = room.states[_place(room.chances, n, total, room.random)]
        if weighed:
            weights[i, turn] *= total


@kernel
def _begin(
    states: Any,
    weights: Any,
    alive: Any,
    which: Any,
    tries: Any,
    seeds: Any,
    seed: Any,
    tables: Any,
) -> None:
    """Begin the hand in each of the particles `which`, with luck that it did not have before."""
    for i in which:
        begin(states[i], tables)
        weights[i] = 1.0
        alive[i] = True
        tries[i] += 1
        seeds[i] = mix(mix(np.uint64(seed), np.uint64(i)), np.uint64(tries[i]))


class Ranges:
    """The ranges of a hand of `game`, as one seat sees it, or as everybody does.

    `policies` are how the seats are taken to play; a seat without one is taken to play at random.
    The cards and actions of the seat `observer` are known and not weighed; None: no seat's are.
    At most `particles` are kept. What they are depends on `seed` and on what is seen, never on
    what is hidden from the observer.
    """

    def __init__(
        self,
        game: Game,
        policies: Mapping[int, Policy],
        observer: int | None = None,
        particles: int = PARTICLES,
    ) -> None:
        if particles < 1:
            raise ValueError(f"particles={particles} is not allowed: expected 1 or more")
        self._game = game
        self._observer = EVERYBODY if observer is None else observer
        uniform = new_policy(UNIFORM, game)
        self._policies = [policies.get(seat, uniform) for seat in range(game.players)]
        self._work = new_work(game)
        self._room = _Room(
            game.new_states(_HIDDEN),
            np.zeros(_HIDDEN),
            np.zeros(max(game.limits.num_actions, _HIDDEN), np.int64),
            np.zeros(game.limits.num_actions),
            np.zeros(1, np.uint64),
        )
        self._buffers = [
            (game.new_states(particles), np.zeros((particles, game.players))) for _ in range(2)
        ]
        self._alive = np.zeros(particles, bool)
        self._tries = np.zeros(particles, np.int64)
        self._seeds = np.zeros(particles, np.uint64)
        self._truth = game.new_states()
        self._seen = np.zeros(longest_hand(game), SEEN)
        self._excluded = np.zeros(MAX_DECKS, np.uint64)
        self.begin(0)

    def begin(self, seed: int) -> None:
        """A new hand, with its own luck for the hidden cards."""
        self._seed = np.uint64(seed % (1 << 64))
        self._events: list[int] = []
        self._excluded[:] = 0
        drive.begin_hand(self._truth, self._game.tables)
        self.exact = True
        self._used = 1
        self._tries[:] = 0
        self._restart(np.zeros(1, np.int64))

    def follow(self, events: Sequence[int]) -> None:
        """Be told all cards and actions of the hand so far; what is hidden in them is not used."""
        done = len(self._events)
        if list(events[:done]) != self._events:
            raise ValueError("these events do not go on from those told before: begin a new hand")
        for number in range(done, len(events)):
            self._see(number, events[number])
        self._events = list(events)
        if self.exact:
            self.exact = all(self._split(number) for number in range(done, len(events)))
            if not self.exact:
                self._used = len(self._alive)
                self._restart(np.arange(self._used))
                done = 0
        if not self.exact:
            everything = np.arange(self._used)
            self._lead(everything, done)
            self._replace_useless()

    def _see(self, number: int, move: int) -> None:
        """Keep what is seen of an event. A card seen from a deck was in no hidden draw from it."""
        seen = self._seen[number : number + 1]
        _see(self._truth, self._game.tables, move, self._observer, seen)
        event = seen[0]
        if event["turn"] == CHANCE and event["move"] != UNSEEN:
            self._excluded[event["before"]] |= np.uint64(1 << int(event["move"]))

    def _split(self, number: int) -> bool:
        """Let every particle become all that it may be next; False if they are too many."""
        (states, weights), (new_states, new_weights) = self._buffers
        event = self._seen[number : number + 1]
        self._room.random[0] = mix(self._seed, np.uint64(number))
        n = _split(
            states[: self._used],
            weights[: self._used],
            event,
            self._observer,
            self._excluded,
            self._policy_of(event),
            self._work,
            self._game.tables,
            self._room,
            new_states,
            new_weights,
        )
        if n > len(new_states):
            return False
        self._buffers.reverse()
        self._used = n
        self._alive[:n] = True
        return True

    def _policy_of(self, event: np.ndarray) -> Policy:
        return self._policies[max(int(event["turn"][0]), 0)]

    def _restart(self, which: np.ndarray) -> None:
        states, weights = self._buffers[0]
        _begin(
            states,
            weights,
            self._alive,
            which,
            self._tries,
            self._seeds,
            self._seed,
            self._game.tables,
        )

    def _lead(self, which: np.ndarray, first: int) -> None:
        """Lead some particles along the events from the number `first` on."""
        states, weights = self._buffers[0]
        for number in range(first, len(self._events)):
            event = self._seen[number : number + 1]
            _sample(
                states,
                weights,
                self._alive,
                which,
                self._seeds,
                event,
                number,
                self._observer,
                self._excluded,
                self._policy_of(event),
                self._work,
                self._game.tables,
                self._room,
            )

    def _replace_useless(self) -> None:
        """Replace particles that are dead, or that no seat would play to.

        The new ones know all that is seen by now: no hidden card is one that showed up later.
        """
        _, weights = self._buffers[0]
        others = [seat for seat in range(self._game.players) if seat != self._observer]
        for attempt in range(_MOST_ROUNDS):
            useful = self._alive & (weights[:, others].max(axis=1) > 0.0)
            if useful.mean() >= _ENOUGH or (attempt >= _ROUNDS and self._alive.any()):
                return
            useless = np.flatnonzero(~useful)
            self._restart(useless)
            self._lead(useless, 0)
        if not self._alive.any():
            raise RuntimeError(f"no deal of {self._game} was found that looks like this hand")

    @property
    def states(self) -> np.ndarray:
        """[N] the particles: states of the game with all cards."""
        return self._buffers[0][0][: self._used][self._alive[: self._used]]

    @property
    def weights(self) -> np.ndarray:
        """[N, P] the chance that each seat would have acted as seen; 1 for the observer."""
        return self._buffers[0][1][: self._used][self._alive[: self._used]]

    @property
    def chances(self) -> np.ndarray:
        """[N] the probability of each particle, all seats together.

        Where none is possible, since a seat has done what its policy never does, all are alike.
        """
        joint = self.weights.prod(axis=1)
        if not joint.any():
            joint[:] = 1.0
        return np.asarray(joint / joint.sum())

    @property
    def effective_size(self) -> float:
        """Number of equally likely particles that would tell as much (Kong 1992)."""
        chances = self.chances
        return float(1.0 / (chances**2).sum()) if len(chances) else 0.0
