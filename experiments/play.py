"""`pokerspiel play`: a person against bots in the terminal."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from pokerspiel.agents.agent import Agent, CompiledAgent, Seated, ViewAgent, legal
from pokerspiel.agents.roster import find_agent
from pokerspiel.experiments.dealing import top_card
from pokerspiel.experiments.game_choice import chosen_game, game_with_seats
from pokerspiel.experiments.telling import Telling, board_cards, own_cards
from pokerspiel.games import drive, svara, sviten
from pokerspiel.games.cards import mask_of, parse_cards
from pokerspiel.games.kernel import CHANCE, TERMINAL, mix
from pokerspiel.games.variants import Game, exact

INTERRUPTED = 130
MAX_LISTED = 12
"""More raises than this are offered as a range."""
ROW = 8
"""More actions than this are shown in columns."""
COLUMNS = 4
HELP = "Answer with a number or the words of an action; `q` leaves, `?` shows this again."


class Leave(Exception):  # noqa: N818
    """The person has had enough."""


def run(
    game_text: str, against: Sequence[str], seed: int | None, settings: Sequence[str] | None
) -> int:
    game, agents = _seated(game_text, against, settings)
    session = _Session(game, agents, secrets.randbits(32) if seed is None else seed)
    try:
        session.play()
    except (Leave, EOFError):
        session.say_goodbye()
        return 0
    except KeyboardInterrupt:
        session.say_goodbye()
        return INTERRUPTED
    return 0


def _seated(
    game_text: str, against: Sequence[str], settings: Sequence[str] | None
) -> tuple[Game, list[Agent]]:
    """The game and a bot for each other seat; a single bot takes all of them."""
    if len(against) == 1:
        game = exact(chosen_game(game_text, settings))
        against = list(against) * (game.players - 1)
    else:
        game = exact(game_with_seats(game_text, settings, len(against) + 1, "players"))
    agents = [find_agent(name, game) for name in against]
    for agent in agents:
        agent.check(game)
    return game, agents


class _Session:
    """Hands one after the other; the person moves one seat on with each."""

    def __init__(self, game: Game, agents: Sequence[Agent], seed: int) -> None:
        self._game = game
        self._agents = agents
        self._seed = seed
        self._seats = [_sit(agent, game) for agent in agents]
        self._luck = np.random.default_rng(seed)
        self._hands = 0
        self._total = 0.0

    def play(self) -> None:
        print(f"{self._game}, seed {self._seed}. {HELP}")
        while True:
            won = self._play_hand()
            self._hands += 1
            self._total += won
            print(f"{_result(won)} Total after {self._hands} hands: {self._total:+g}.")

    def say_goodbye(self) -> None:
        hands = f"{self._hands} hand{'' if self._hands == 1 else 's'}"
        print(f"\nGoodbye. {hands} played, total {self._total:+g} chips.")

    def _play_hand(self) -> float:
        """One hand; returns what the person wins or loses."""
        game, players = self._game, self._game.players
        person = self._hands % players
        names = self._names(person)
        states, decks = game.new_states(), drive.new_decks()
        drive.seed_hand(decks, np.uint64(mix(np.uint64(self._seed), np.uint64(self._hands))))
        drive.begin_hand(states, game.tables)
        telling = Telling(game, names, person)
        past: list[int] = []
        print(f"\nHand {self._hands + 1}. {_who_deals(game, names)}".rstrip())
        while states[0]["turn"] != TERMINAL:
            action = self._next_action(states, decks, past, person, telling)
            past.append(action)
            for line in telling.event(states, action):
                print(f"  {line}")
        return float(states[0]["returns"][person])

    def _names(self, person: int) -> list[str]:
        """Names by seat: the bots sit clockwise of the person."""
        names = ["You"] * self._game.players
        for i, agent in enumerate(self._agents):
            number = f" {i + 1}" if len(self._agents) > 1 else ""
            names[(person + 1 + i) % self._game.players] = agent.name + number
        return names

    def _next_action(
        self,
        states: np.ndarray,
        decks: np.ndarray,
        past: list[int],
        person: int,
        telling: Telling,
    ) -> int:
        turn = int(states[0]["turn"])
        if turn == CHANCE:
            return int(top_card(states, self._game.tables, decks))
        if turn == person:
            for line in telling.flush(states):
                print(f"  {line}")
            return ask(self._game, states)
        seated = self._seats[(turn - person - 1) % self._game.players]
        chances = seated.distribution(states, past, int(self._luck.integers(1 << 62)))
        actions = sorted(chances)
        weights = np.array([chances[action] for action in actions])
        return actions[int(self._luck.choice(len(actions), p=weights / weights.sum()))]


def _who_deals(game: Game, names: Sequence[str]) -> str:
    """Who has the last seat, where that seat has a name."""
    own = names[-1] == "You"
    if game.family is svara:
        return f"{names[-1]} {'deal' if own else 'deals'}."
    if game.family is sviten:
        return f"{names[-1]} {'have' if own else 'has'} the button."
    return ""


def _sit(agent: Agent, game: Game) -> Seated:
    if isinstance(agent, CompiledAgent | ViewAgent):
        return agent.sit(game)
    raise ValueError(f"{agent.name} cannot play in the terminal")


def _result(won: float) -> str:
    if won == 0:
        return "You break even."
    return f"You {'win' if won > 0 else 'lose'} {abs(won):g}."


# Asking.


def ask(game: Game, states: np.ndarray) -> int:
    """Show the seat to act where it stands and read its action; raises Leave, or EOFError."""
    actions = legal(game, states)
    names = [game.action_name(states[0], action) for action in actions]
    if len(actions) == 1:
        print(f"  (only {names[0]} is possible)")
        return actions[0]
    print(f"  {position(game, states[0])}")
    print(f"  {menu(names)}")
    while True:
        answer = input("> ").strip().lower()
        if not sys.stdin.isatty():
            print(answer)
        if answer in ("q", "quit", "exit"):
            raise Leave
        if answer in ("?", "help"):
            print(f"  {HELP}\n  {menu(names)}")
            continue
        choice = understood(answer, names)
        if choice is not None:
            return actions[choice]
        print(f"  {answer!r} is none of the actions. {HELP}")


def position(game: Game, record: Any) -> str:
    """Own cards, board, pot and stacks of the seat to act."""
    seat = int(record["turn"])
    fields = record.dtype.names or ()
    parts = []
    cards = own_cards(game, record, seat)
    if cards:
        parts.append("your cards " + " ".join(game.card_name(card) for card in cards))
        if game.family is svara:
            parts[-1] += f" ({int(record['points'][seat])} points)"
    elif game.family is not svara and "stack" not in fields:
        parts.append(f"your hand {game.family.hand_text(game, record, seat)}")
    board = board_cards(game, record)
    if board:
        parts.append("board " + " ".join(game.card_name(card) for card in board))
    if "stack" in fields:
        others = [str(int(c)) for s, c in enumerate(record["stack"][: game.players]) if s != seat]
        parts.append(f"pot {int(record['pot'])}")
        parts.append(f"you have {int(record['stack'][seat])}, others {', '.join(others)}")
    return "; ".join(parts)


def menu(names: Sequence[str]) -> str:
    """The actions with their numbers, many of them in columns; of many raises only the ends."""
    raises = [i for i, name in enumerate(names) if name.split()[0] in ("bet", "raise")]
    hidden = set(raises[1:-1]) if len(raises) > MAX_LISTED else set()
    words = []
    for i, name in enumerate(names):
        if i not in hidden:
            words.append(f"{i + 1} {name}")
        elif i == min(hidden):
            words.append("...")
    if len(words) <= ROW:
        return "   ".join(words)
    width = max(len(word) for word in words) + 2
    rows = [words[i : i + COLUMNS] for i in range(0, len(words), COLUMNS)]
    return "\n  ".join("".join(word.ljust(width) for word in row).rstrip() for row in rows)


def understood(answer: str, names: Sequence[str]) -> int | None:
    """The place of the action that an answer means: its number, its words, or cards to discard."""
    if answer.isdigit() and 1 <= int(answer) <= len(names):
        return int(answer) - 1
    plain = " ".join(answer.split())
    matches = [i for i, name in enumerate(names) if name.lower() == plain]
    if not matches:
        matches = [i for i, name in enumerate(names) if plain and name.lower().startswith(plain)]
    if len(matches) == 1:
        return matches[0]
    return _discard(plain, names)


def _discard(answer: str, names: Sequence[str]) -> int | None:
    """The discard of the cards named, in any order."""
    try:
        wanted = mask_of(parse_cards(answer.removeprefix("discard")))
    except ValueError:
        return None
    for i, name in enumerate(names):
        if name.startswith("discard ") and mask_of(parse_cards(name[8:])) == wanted:
            return i
    return None
