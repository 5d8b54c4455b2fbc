"""`pokerspiel play`: a person against bots in the terminal."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from pokerspiel.agents.agent import legal
from pokerspiel.agents.table.holdings import board_cards, own_cards
from pokerspiel.agents.table.table import Table, seated_table
from pokerspiel.agents.table.telling import Telling
from pokerspiel.experiments.game_choice import chosen_game, game_with_seats
from pokerspiel.games import svara, sviten
from pokerspiel.games.cards import mask_of, parse_cards
from pokerspiel.games.variants import Game

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
    def game_of(seats: int | None) -> Game:
        if seats is None:
            return chosen_game(game_text, settings)
        return game_with_seats(game_text, settings, seats, "players")

    table = seated_table(game_of, against, secrets.randbits(32) if seed is None else seed)
    session = _Session(table)
    try:
        session.play()
    except (Leave, EOFError):
        session.say_goodbye()
        return 0
    except KeyboardInterrupt:
        session.say_goodbye()
        return INTERRUPTED
    finally:
        table.close()
    return 0


class _Session:
    """Hands one after the other at a table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._hands = 0
        self._total = 0.0

    def play(self) -> None:
        print(f"{self._table.game}, seed {self._table.seed}. {HELP}")
        while True:
            won = self._play_hand()
            self._hands += 1
            self._total += won
            print(f"{_result(won)} Total after {self._hands} hands: {self._total:+g}.")
            self._table.deal()

    def say_goodbye(self) -> None:
        hands = f"{self._hands} hand{'' if self._hands == 1 else 's'}"
        print(f"\nGoodbye. {hands} played, total {self._total:+g} chips.")

    def _play_hand(self) -> float:
        """One hand; returns what the person wins or loses."""
        table = self._table
        telling = Telling(table.game, table.names, table.guest)
        print(f"\nHand {table.number + 1}. {_who_deals(table.game, table.names)}".rstrip())
        told = 0
        while True:
            table.let_bots_act()
            for step in table.hand.steps[told:]:
                _say(telling.tell(step))
            told = len(table.hand.steps)
            if table.hand.is_over:
                return table.hand.returns[table.guest]
            _say(telling.flush())
            table.hand.play(ask(table.game, table.hand.states))


def _say(lines: Sequence[str]) -> None:
    for line in lines:
        print(f"  {line}")


def _who_deals(game: Game, names: Sequence[str]) -> str:
    """Who has the last seat, where that seat has a name."""
    own = names[-1] == "You"
    if game.family is svara:
        return f"{names[-1]} {'deal' if own else 'deals'}."
    if game.family is sviten:
        return f"{names[-1]} {'have' if own else 'has'} the button."
    return ""


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
