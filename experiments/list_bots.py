"""`pokerspiel bots`: the players that every command knows by name."""

from __future__ import annotations

from pokerspiel.agents.roster import list_agents
from pokerspiel.experiments.output import print_json, print_table


def run(json: bool) -> None:
    bots = list_agents()
    if json:
        print_json({"bots": bots})
        return
    rows = [(bot["name"], bot["game"] or "any", bot["summary"]) for bot in bots]
    print_table("", ("bot", "game", "how it plays"), rows)
