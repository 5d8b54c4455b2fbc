"""Svara: 2 to 9 seats, 32 cards, three cards each, blind bets, no check, ties played off.

A hand runs through blind phase, deal, betting and showdown; a tie for a pot is a *svarka*: the tied
players, and whoever buys in, begin again for the same pot with a new deck. Seat n-1 deals first.

Actions: the betting actions of `betting.py`, then look, the opening blind, a blind of each
multiplier, join, decline.
"""

import numpy as np

from pokerspiel.games.kernel import register, same_action
from pokerspiel.games.svara.classes import bucket_of_class
from pokerspiel.games.svara.deals import chain_of_deals, hands_of
from pokerspiel.games.svara.estimate import equity
from pokerspiel.games.svara.knowledge import audience, information_key, odds
from pokerspiel.games.svara.observation import observation_size, observe, private_block
from pokerspiel.games.svara.play import (
    act,
    action_kind,
    begin,
    legal_actions,
    raise_cost,
    share_of_pot,
)
from pokerspiel.games.svara.state import (
    ABSTRACTIONS,
    BET,
    JOIN,
    PARAMETERS,
    RULES,
    STATE,
    Tables,
    limits,
    make_tables,
)
from pokerspiel.games.svara.words import (
    action_name,
    describe,
    event_name,
    hand_text,
    private_text,
    public_event,
    situation_text,
)

register(
    STATE,
    Tables(np.zeros(0, RULES), np.zeros(0, np.uint16)),
    begin=begin,
    legal_actions=legal_actions,
    act=act,
    information_key=information_key,
    observe=observe,
    equity=equity,
    odds=odds,
    audience=audience,
    action_kind=action_kind,
    raise_cost=raise_cost,
    lift=same_action,
)

__all__ = [
    "ABSTRACTIONS",
    "BET",
    "JOIN",
    "PARAMETERS",
    "STATE",
    "action_name",
    "bucket_of_class",
    "chain_of_deals",
    "describe",
    "event_name",
    "hand_text",
    "hands_of",
    "limits",
    "make_tables",
    "observation_size",
    "private_block",
    "private_text",
    "public_event",
    "share_of_pot",
    "situation_text",
]
