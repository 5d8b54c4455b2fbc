"""What clients may send: every message has its members, types and sizes checked here."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Token = Annotated[str, Field(min_length=1, max_length=64, description="Of a table.")]
Name = Annotated[str, Field(min_length=1, max_length=200)]
GameText = Annotated[
    str, Field(min_length=1, max_length=1000, description='Such as "svara(players=3)".')
]
Cards = Annotated[str, Field(max_length=60, description='Such as "AsTd7c".')]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
HandNumber = Annotated[int, Field(ge=0, le=10**9)]
Setting = (
    bool | Annotated[int, Field(ge=-(10**9), le=10**9)] | Annotated[str, Field(max_length=200)]
)


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class NewHand(_Request):
    """The next hand of a table, or with no token the first one of a new table."""

    token: Token | None = None
    game: GameText | None = None
    settings: dict[Name, Setting] = Field(default_factory=dict, max_length=40)
    against: list[Name] = Field(default_factory=list, max_length=8)


class Act(_Request):
    """An action by its name, as the view of the hand lists it."""

    token: Token
    action: Name


class OfTable(_Request):
    """About a table."""

    token: Token


class OfHand(_Request):
    """About a hand of a table that is over."""

    token: Token
    hand: HandNumber


class History(_Request):
    """The hands of a table that are over, as a file."""

    token: Token
    format: Literal["jsonl", "phh"] = "jsonl"


class Replay(_Request):
    """A file of hand histories."""

    text: str = Field(max_length=4_000_000)
    first: HandNumber = 0


class Advice(_Request):
    """What a bot would do in the place of the guest."""

    token: Token
    bot: Name | None = None


class Review(_Request):
    """What a bot would have done in a hand that is over."""

    token: Token
    hand: HandNumber
    bot: Name | None = None


class SvaraHands(_Request):
    """Hands of Svara, some cards of which may not be known."""

    hands: list[Cards] = Field(min_length=1, max_length=9)
    joker_mode: Name = "best"
    sevens: Name = "best"
    opponents: int = Field(0, ge=0, le=8)
    seed: Seed = 0


class SvitenHand(_Request):
    """A hand of Sviten Special, Sviten Flush or Dramaha, and what is known of the others."""

    game: Name = "sviten_special"
    hand: Cards
    board: Cards = ""
    others: list[Cards] = Field(default_factory=list, max_length=7)
    opponents: int | None = Field(None, ge=0, le=7)
    dead: str = Field("", max_length=120)
    draw: bool | None = None
    opponents_draw: Literal["best", "pat"] | None = None
    drew: list[Annotated[int, Field(ge=-1, le=5)]] = Field(default_factory=list, max_length=7)
    seconds: float = Field(1.0, ge=0.05, le=5.0)
    seed: Seed = 0


class Explore(_Request):
    """A decision of a solved game."""

    bot: Name = "svara-home"
    at: str = Field(default="", max_length=500)


class Join(_Request):
    """The first message of a socket."""

    type: Literal["join"]
    token: Token


class ActOnSocket(_Request):
    type: Literal["act"]
    action: Name


class DealOnSocket(_Request):
    type: Literal["deal"]


OnSocket = Annotated[ActOnSocket | DealOnSocket, Field(discriminator="type")]


class Refusal(BaseModel):
    """Why a request was not answered, in one line."""

    error: str
