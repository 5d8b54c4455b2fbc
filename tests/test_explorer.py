"""The explorer: its numbers against the exact tree and the evaluation, its links lead somewhere."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pokerspiel.agents.bot_file import load_bot, save_bot
from pokerspiel.agents.roster import BOTS
from pokerspiel.experiments.web.explorer import explorer_document
from pokerspiel.games.variants import load
from pokerspiel.solvers.chart import chart_of
from pokerspiel.solvers.deal_values import ChainPlay
from pokerspiel.solvers.vector import evaluate_chain
from tests.small_decks import (
    SMALL_DECKS,
    TWO_SVARKAS,
    chain_of,
    chart_bot,
    form_of,
    random_deal_strategy,
    rounded,
    solved,
)

HOME = "svara-home"


def nodes_of(bot: Any, at: str = "", most: int = 200) -> Iterator[dict[str, Any]]:
    """Documents of the decisions that links lead to."""
    todo = [at]
    seen: set[str] = set()
    while todo and len(seen) < most:
        document = explorer_document(bot, todo.pop(0))
        if document["at"] not in seen:
            seen.add(document["at"])
            yield document
            for action in document["actions"]:
                todo += [link for link in (action["next"], action["svarka"]) if link is not None]


# Values of a chain of deals.


@pytest.mark.parametrize("game", SMALL_DECKS)
def test_deals_are_worth_what_the_evaluation_says(game: str) -> None:
    """The same as sums over hands in sorted order give (`hand_sums`)."""
    chain = chain_of(game)
    strategy = random_deal_strategy(chain, 7)
    evaluation = evaluate_chain(form_of(game), strategy)
    play = ChainPlay(chain, strategy)
    assert play.worth(0) - np.array(chain.start) == pytest.approx(evaluation.game.values, abs=1e-9)
    for number, deal in enumerate(chain.deals):
        assert play.worth(number) - deal.fair == pytest.approx(evaluation.values[number], abs=1e-9)


@pytest.mark.parametrize("game", [SMALL_DECKS[0], SMALL_DECKS[4], SMALL_DECKS[6]])
def test_the_mean_of_all_actions_is_the_value_of_the_deal(game: str) -> None:
    """At the first decision, weighted by hands and frequencies."""
    chain = chain_of(game)
    strategy = random_deal_strategy(chain, 5)
    play = ChainPlay(chain, strategy)
    for number, deal in enumerate(chain.deals):
        if deal.nodes:
            rows = strategy[number][: deal.first_row[1]]
            dealt = play.pairs.sum(axis=1)
            if deal.looked[0]:
                mean = (rows * play.action_values(number, 0) * dealt).sum()
            else:
                mean = float(rows[:, 0] @ play.blind_values(number, 0))
            assert mean == pytest.approx(play.worth(number)[deal.place[0]], abs=1e-9)


def test_so_many_svarkas_left_that_are_not_possible_are_refused() -> None:
    play = ChainPlay(chain_of("mini_svara"), random_deal_strategy(chain_of("mini_svara"), 1))
    with pytest.raises(ValueError, match="7 svarkas left: expected one of"):
        play.worth(0, 7)


# Documents.


@pytest.mark.parametrize("game", ["mini_svara", TWO_SVARKAS])
def test_every_decision_is_reached_by_links(game: str) -> None:
    chain = chain_of(game)
    bot = chart_bot(chain, random_deal_strategy(chain, 3))
    documents = list(nodes_of(bot))
    found = {(document["deal"], document["at"].split()[-1:] == []) for document in documents}
    assert {number for number, _ in found} == {i for i, d in enumerate(chain.deals) if d.nodes}
    assert len(documents) >= chain.nodes
    for document in documents:
        assert json.loads(json.dumps(document)) == document
        assert sum(a["frequency"] for a in document["actions"]) == pytest.approx(1.0, abs=1e-3)
        assert [step["word"] for step in document["path"]] == document["at"].split()
        for step in document["path"]:
            if step["at"] is not None:
                assert explorer_document(bot, step["at"])["at"] == step["at"]


def test_the_grid_adds_up_to_what_the_player_does() -> None:
    chain = chain_of("mini_svara")
    strategy = rounded(chain, random_deal_strategy(chain, 3))
    for document in nodes_of(chart_bot(chain, strategy)):
        rows = document["grid"]
        if not rows:
            continue
        assert sum(row["held"] for row in rows) == pytest.approx(1.0, abs=1e-3)
        assert [row["points"] for row in rows] == sorted({*chain.hands.score}, reverse=True)
        assert sum(hand["count"] for row in rows for hand in row["hands"]) == 6
        for i, action in enumerate(document["actions"]):
            mean = sum(row["held"] * row["frequency"][i] for row in rows)
            assert action["frequency"] == pytest.approx(mean, abs=1e-3)
            assert action["kind"] != "fold" or all(row["value"][i] in (0.0, None) for row in rows)


def test_a_solved_game_does_what_is_worth_most() -> None:
    """No hand that comes to a decision gives away much there: doing better at this decision alone
    would gain the player as much."""
    game = "mini_svara"
    chain = chain_of(game)
    bot = chart_bot(chain, solved(game, 1500))
    lost = []
    for document in nodes_of(bot):
        for row in document["grid"]:
            if None not in row["value"]:
                done = np.dot(row["frequency"], row["value"])
                lost.append(document["chance"] * row["held"] * (max(row["value"]) - done))
    assert len(lost) > 50
    assert 0.0 <= max(lost) < 2e-3


def test_home_is_found_by_name_and_answers_at_once() -> None:
    first = explorer_document(HOME)
    assert first["actions"][0]["word"] == "look" and not first["grid"] and first["pot"] == 2
    assert first["actions"][0]["value"] - 1.0 == pytest.approx(-0.1600, abs=1e-4)
    slowest = 0.0
    for at in ("look", "look b1", "b1 c svarka look", "pot 8: look b1 r2"):
        start = time.perf_counter()
        document = explorer_document(HOME, at)
        slowest = max(slowest, time.perf_counter() - start)
        assert len(document["grid"]) == 24
        assert sum(row["count"] for row in document["grid"]) == 4960
    assert slowest < 2.0  # a tenth of it, and less, on a machine that does nothing else


def test_the_seat_of_a_svarka_and_its_pot() -> None:
    document = explorer_document(HOME, "b1 c svarka look")
    assert document["svarka"] and document["deal_pot"] == 4 and document["pot"] == 4
    assert document["stacks"] == [18, 18] and document["place"] == "first"
    assert [step["word"] for step in document["path"]] == ["look", "b1", "c", "svarka", "look"]
    call = explorer_document(HOME, "look b1")["actions"][1]
    assert call["svarka"] == "look b1 c svarka" and call["ends"] == "showdown"
    assert 0.05 < call["tie"] < 0.2 and call["next"] is None


def test_what_is_never_played_is_shown_all_the_same() -> None:
    document = explorer_document(HOME, "blind1 look")
    assert document["met"] == "never met" and document["chance"] == 0.0
    assert all(row["reach"] == 1.0 for row in document["grid"])
    assert None not in document["grid"][0]["value"]


def test_a_bot_file_is_explored_and_read_anew_when_it_changes(tmp_path: Any) -> None:
    path = tmp_path / "mine.pspiel"
    chain = chain_of("mini_svara")
    game = load("mini_svara(abstraction=hands)")
    shares = []
    for seed in (1, 2):
        save_bot(
            path, game, chart_of(chain, random_deal_strategy(chain, seed)),
            algorithm="none", seed=0, iterations=1, nodes=1, seconds=0.0, name="mine",
        )  # fmt: skip
        shares.append(explorer_document(str(path))["actions"][0]["frequency"])
    assert shares[0] != shares[1]
    assert explorer_document(load_bot(path))["actions"][0]["frequency"] == shares[1]


@pytest.mark.parametrize(
    ("bot", "at", "message"),
    [
        (HOME, "b2", "'b2' is not possible at the beginning"),
        (HOME, "look f", "nobody decides anything"),
        ("sviten-limit", "", "no chain of deals|no bot of Svara"),
        ("tight", "", "tight is no bot of Svara for two"),
        ("nobody", "", "unknown agent 'nobody'"),
    ],
)
def test_bad_questions_are_refused(bot: str, at: str, message: str) -> None:
    assert (BOTS / "svara-home.pspiel").is_file()
    with pytest.raises(ValueError, match=message):
        explorer_document(bot, at)
