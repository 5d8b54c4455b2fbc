"""The tables of a server: made, found again by their tokens, played, kept."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.table.frames import frames_of, lines_of
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.program import ProgramAgent
from pokerspiel.agents.table.seat_view import Document
from pokerspiel.agents.table.table import Table, result_of
from pokerspiel.experiments.web.bots import Offer
from pokerspiel.experiments.web.store import HandRow, Store, TableRow
from pokerspiel.games.kernel import mix
from pokerspiel.games.variants import Game, exact, load, load_variant, parse_game

MOST_LIVE = 1000
"""Tables kept in memory; the others wait on disk."""
MOST_CHIPS = 20_000
"""Deepest stacks of a table; where any size may be bet, each is an action."""
MOST_WITH_PROGRAMS = 16
"""Of these, tables at which programs sit, each in a process of its own."""
DEFAULT_BOT = "equity"
HIDDEN_PARAMETERS = ("abstraction", "buckets")
"""What says how bots see a game, and is no rule of it."""


class NoTableError(LookupError):
    """A token that belongs to no table."""


class TurnError(ValueError):
    """Something that is asked for at the wrong time."""


class LiveTable:
    """A table in memory; one request at a time may use it, and holds its `lock`."""

    def __init__(self, token: str, table: Table, won: list[float]) -> None:
        self.token = token
        self.table = table
        self.won = won
        """Chips that the guest won or lost, by hand."""
        self.lock = asyncio.Lock()

    @property
    def has_programs(self) -> bool:
        return any(isinstance(agent, ProgramAgent) for agent in self.table.agents)

    def result(self) -> Document:
        """How the guest has done so far, in thousandths of the unit a hand, with its interval."""
        limits = self.table.game.limits
        score = result_of(self.won, limits.big_unit)
        return {
            "hands": len(self.won),
            "chips": sum(self.won),
            "mbb_per_hand": score.mbb_per_hand,
            "ci95": score.ci95 and list(score.ci95),
            "unit": limits.unit,
        }

    def frames(self, start: int = 0) -> list[Document]:
        """What the guest has seen of the hand, from the step `start` on."""
        table = self.table
        return frames_of(table.hand, table.guest, table.names, table.number, start)

    def document(self, start: int = 0) -> Document:
        """The view of the guest, the words for what is new since `start`, and the result."""
        table = self.table
        return {
            **table.view(),
            "token": self.token,
            "lines": lines_of(table.hand, table.guest, table.names, start),
            "result": self.result(),
        }


class Tables:
    """All tables. Its methods may take as long as bots think, and may be called from any thread.

    They raise ValueError for what is wrong with a request, NoTableError for an unknown token and
    StoreError if the disk fails; in that case the table goes on from what is kept.
    """

    def __init__(self, store: Store, offer: Offer, seed: int | None = None) -> None:
        """With a seed the cards of the tables follow from it and from their order."""
        self.store = store
        self.offer = offer
        self._seed = seed
        self._made = store.count_tables()
        self._live: OrderedDict[str, LiveTable] = OrderedDict()
        self._lock = threading.Lock()

    # Making and finding.

    def new(self, game_text: str, settings: Mapping[str, object], against: Sequence[str]) -> str:
        """Make a table and deal its first hand; returns its token."""
        game = _game(game_text, settings, against)
        names = list(against) or [DEFAULT_BOT]
        if len(names) == 1:
            names *= game.players - 1
        token = secrets.token_urlsafe(24)
        row = TableRow(str(game), game.rule_version, tuple(names), self._new_seed())
        live = LiveTable(token, self._table(row), [])
        self.store.add_table(token, row)
        self._go_on(live)
        self._remember(live)
        return token

    def _new_seed(self) -> int:
        with self._lock:
            self._made += 1
            if self._seed is None:
                return secrets.randbits(63)
            return int(mix(np.uint64(self._seed), np.uint64(self._made))) >> 1

    def _table(self, row: TableRow, first: int = 0) -> Table:
        game = load(row.game)
        if game.rule_version != row.rule_version:
            raise ValueError(
                f"{row.game} was played by rules {row.rule_version}, now they are "
                f"{game.rule_version}: begin a new table"
            )
        agents = [self.offer.agent(name, game) for name in row.bots]
        return Table(game, agents, row.seed, first=first)

    def find(self, token: str) -> LiveTable:
        """The table of a token, from memory or from disk."""
        with self._lock:
            live = self._live.get(token)
            if live is not None:
                self._live.move_to_end(token)
                return live
        live = self._from_disk(token)
        return self._remember(live)

    def _from_disk(self, token: str) -> LiveTable:
        row = self.store.find_table(token)
        if row is None:
            raise NoTableError("no table has this token: begin a new one")
        hands = self.store.hands(token)
        last = hands[-1] if hands else HandRow(0, (), None)
        table = self._table(row, last.number)
        table.replay(last.actions)
        table.let_bots_act()
        return LiveTable(token, table, [hand.won for hand in hands if hand.won is not None])

    def _remember(self, live: LiveTable) -> LiveTable:
        with self._lock:
            live = self._live.setdefault(live.token, live)
            self._live.move_to_end(live.token)
            everybody = list(self._live.values())
            self._let_go(everybody, MOST_LIVE)
            self._let_go([one for one in everybody if one.has_programs], MOST_WITH_PROGRAMS)
        return live

    def _let_go(self, tables: Sequence[LiveTable], most: int) -> None:
        """Of tables, oldest first, let those go that are more than `most` and not in use."""
        idle = [live for live in tables if not live.lock.locked() and live.token in self._live]
        for old in idle[: max(len(tables) - most, 0)]:
            del self._live[old.token]
            old.table.close()

    def close(self) -> None:
        """Let go of all tables; they wait on disk."""
        with self._lock:
            for live in self._live.values():
                live.table.close()
            self._live.clear()
        self.store.close()

    # Playing.

    def act(self, live: LiveTable, action: str) -> int:
        """Play an action of the guest, and what the bots answer; returns the step it began at."""
        table = live.table
        if table.hand.is_over:
            raise TurnError("the hand is over: deal the next one")
        start = len(table.hand.steps)
        table.act(action)
        self._go_on(live)
        return start

    def deal(self, live: LiveTable) -> None:
        """Deal the next hand."""
        if not live.table.hand.is_over:
            raise TurnError(f"hand {live.table.number} is not over: act first")
        live.table.deal()
        self._go_on(live)

    def _go_on(self, live: LiveTable) -> None:
        """Let the bots act, and keep the hand."""
        live.table.let_bots_act()
        self._keep(live)
        if live.table.won is not None:
            live.won.append(live.table.won)

    def _keep(self, live: LiveTable) -> None:
        """Keep the hand as it stands; if that fails the table is read from disk the next time."""
        table = live.table
        try:
            self.store.put_hand(live.token, HandRow(table.number, table.actions, table.won))
        except OSError:
            with self._lock:
                self._live.pop(live.token, None)
            raise

    # Looking back.

    def adviser(self, live: LiveTable, name: str | None) -> Agent:
        """The bot of a name; without one a bot that was trained for the game, else an opponent."""
        game = live.table.game
        if name is not None:
            return self.offer.agent(name, game)
        trained = self.offer.trained_for(game)
        return self.offer.agent(trained, game) if trained else live.table.agents[0]

    def hands(self, live: LiveTable) -> list[Document]:
        """The hands that are over: number and chips of the guest."""
        return [
            {"number": row.number, "won": row.won, "title": _title(live.table, row)}
            for row in self.store.hands(live.token)
            if row.won is not None
        ]

    def finished_hand(self, live: LiveTable, number: int) -> tuple[LiveHand, int]:
        """A hand that is over, and the seat of the guest in it.

        Raises ValueError if there is none of that number.
        """
        row = self.store.hand(live.token, number)
        if row is not None and row.won is not None:
            hand = live.table.hand_of(number, row.actions)
            return hand, number % live.table.game.players
        raise ValueError(f"hand {number}: no such hand of this table is over")

    def film(self, live: LiveTable, number: int) -> Document:
        """A hand that is over, frame by frame, as the guest saw it."""
        hand, seat = self.finished_hand(live, number)
        names = live.table.names_in(number)
        return {
            "title": f"Hand {number + 1}",
            "game": str(live.table.game),
            "players": names,
            "frames": frames_of(hand, seat, names, number),
        }


def _title(table: Table, row: HandRow) -> str:
    return f"Hand {row.number + 1}: {row.won:+g}"


def _game(text: str, settings: Mapping[str, object], against: Sequence[str]) -> Game:
    """The game of a table; ValueError, in one line, if it cannot be played here."""
    name, given = parse_game(text)
    chosen: dict[str, Any] = {**given, **settings}
    for hidden in HIDDEN_PARAMETERS:
        if hidden in chosen:
            raise ValueError(f"{hidden}={chosen[hidden]}: tables are played on the exact game")
    if len(against) > 1:
        seats = str(chosen.get("players", len(against) + 1))
        if seats != str(len(against) + 1):
            raise ValueError(f"players={seats[:20]}: {len(against)} bots are given")
        chosen["players"] = len(against) + 1
    game = exact(load_variant(name, chosen))
    rules = game.tables.rules[0]
    deepest = int(rules["start_stack"].max()) if "start_stack" in rules.dtype.names else 0
    if deepest > MOST_CHIPS:
        raise ValueError(f"stack={deepest}: a table here has at most {MOST_CHIPS} chips a seat")
    return game


def parameters_of(game: Game) -> list[Document]:
    """The rules that a table may change."""
    return [
        asdict(parameter)
        for parameter in game.variant.parameters
        if parameter.name not in HIDDEN_PARAMETERS
    ]
