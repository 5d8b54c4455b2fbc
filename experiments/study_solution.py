"""A bot of Svara for two as a solution to be studied."""

from __future__ import annotations

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.deal_strategy import deal_strategy_of
from pokerspiel.agents.roster import find_bot
from pokerspiel.experiments.study_figures import Solution
from pokerspiel.solvers.vector import ChainForm, evaluate_chain


def solution_of_bot(name: str) -> Solution:
    """What the bot of a name, or of the path of a bot file, plays.

    Raises ValueError, one line, if there is none, or if it is not of Svara for two.
    """
    return solution_of(find_bot(name), name)


def solution_of(agent: Agent, name: str) -> Solution:
    """What a bot plays, with all hands in all deals. Raises ValueError as `solution_of_bot`."""
    if agent.game is None or agent.game.players != 2:
        raise ValueError(f"{name} is no bot of Svara for two: those are studied")
    chain = agent.game.chain_of_deals()
    strategy, unknown = deal_strategy_of(agent, chain)
    facts = {"decisions not in its table": f"{unknown:,}"} if unknown else {}
    if isinstance(agent, Bot) and agent.manifest is not None:
        facts["algorithm"] = agent.manifest.algorithm
        facts["iterations"] = f"{agent.manifest.iterations:,}"
    return Solution(
        chain,
        strategy,
        evaluate_chain(ChainForm(chain), strategy),
        name,
        agent.game.limits.big_unit,
        facts,
    )
