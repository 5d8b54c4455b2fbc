"""Sviten Special, Sviten Flush and Dramaha: Omaha and five-card draw share one hand and one pot.

A hand runs through blinds and deal, betting, flop, betting, one draw, turn, betting, river, betting
and showdown. Seat n-1 has the button; heads-up it posts the small blind. Who draws exactly one card
sees it face up and may reject it for another.

Actions: the betting actions of `betting.py`, then the discards (a bit mask over the hand in the
order of `hand_order`; in the abstractions `halves` and `clusters` their plans), keep, reject.
"""

import numpy as np

from pokerspiel.games.kernel import register
from pokerspiel.games.sviten.estimate import equity
from pokerspiel.games.sviten.knowledge import audience, information_key, odds
from pokerspiel.games.sviten.observation import observation_size, observe, private_block
from pokerspiel.games.sviten.play import act, action_kind, begin, legal_actions, lift, raise_cost
from pokerspiel.games.sviten.showdown import draw_strength, halves_won, omaha_strength, settle
from pokerspiel.games.sviten.state import (
    ABSTRACTIONS,
    CLUSTERS,
    FACE_UP,
    HALVES,
    LOOK_UP,
    NO_ABSTRACTION,
    OF_ABSTRACTION,
    PARAMETERS,
    REPLACE,
    STATE,
    Tables,
    complete,
    key_classes,
    limits,
    make_tables,
)
from pokerspiel.games.sviten.words import (
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
    Tables(np.zeros(0, LOOK_UP)),
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
    lift=lift,
    halves_won=halves_won,
)

__all__ = [
    "ABSTRACTIONS",
    "CLUSTERS",
    "FACE_UP",
    "HALVES",
    "NO_ABSTRACTION",
    "OF_ABSTRACTION",
    "PARAMETERS",
    "REPLACE",
    "STATE",
    "act",
    "action_kind",
    "action_name",
    "audience",
    "begin",
    "complete",
    "describe",
    "draw_strength",
    "equity",
    "event_name",
    "halves_won",
    "hand_text",
    "information_key",
    "key_classes",
    "legal_actions",
    "lift",
    "limits",
    "make_tables",
    "observation_size",
    "observe",
    "odds",
    "omaha_strength",
    "private_block",
    "private_text",
    "public_event",
    "raise_cost",
    "settle",
    "situation_text",
]
