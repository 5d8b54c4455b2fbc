"""Programs as players: what they are told, what they may do wrong, and that none is left behind."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

from pokerspiel.agents.agent import Agent, View, ViewAgent, legal
from pokerspiel.agents.arena import MatchResult, play_match
from pokerspiel.agents.baselines import BASELINES
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.spiel_bot import from_spiel_bot, spiel_game_of
from pokerspiel.agents.table.child import Child
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.program import Dialogue, Fault, Limits, ProgramAgent
from pokerspiel.agents.table.seat_view import seat_view
from pokerspiel.agents.table.table import Table
from pokerspiel.games.kernel import EVERYBODY
from pokerspiel.games.variants import Game, load
from tests.command_line import refuse, succeed
from tests.test_cli_process import COMMAND

DOCS = Path(__file__).parent.parent / "docs"
EXAMPLES = DOCS / "examples"

PATIENT = Limits(decision=20.0, start=20.0)
STRICT = Limits(decision=20.0, start=20.0, in_a_row=3, restarts=1)
HASTY = Limits(decision=0.05, start=0.3, in_a_row=3)

LOOP = """
import json, os, random, signal, subprocess, sys, time
luck = random.Random(1)
questions = 0
def answer(name):
    print(json.dumps({"action": name}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "act":
        names = [action["name"] for action in m["actions"]]
        questions += 1
"""

CALLER = """
        by_kind = {action["kind"]: action["name"] for action in reversed(m["actions"])}
        kinds = ["call", "look", "keep", "join", "discard", "raise"]
        answer(next(by_kind[kind] for kind in kinds if kind in by_kind))
"""


def program(folder: Path, code: str, limits: Limits = PATIENT, name: str = "bot.py") -> Agent:
    (folder / name).write_text(code, encoding="utf-8")
    return ProgramAgent(str(folder / name), limits)


def baseline(name: str) -> Agent:
    return BASELINES[name]()


def scores(result: MatchResult) -> list[Any]:
    return [(player.score, player.seats, player.decisions) for player in result.players]


def children() -> set[int]:
    """Processes that this one started and that have not been reaped."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(path.parent.name))
    return found


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_until_ended(pids: Sequence[int]) -> None:
    deadline = time.monotonic() + 10
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not [pid for pid in pids if is_running(pid)]


@pytest.fixture(autouse=True)
def _no_process_is_left() -> Iterator[None]:
    before = children()
    yield
    assert children() <= before


# Good programs.


@pytest.mark.parametrize(
    "text", ["svara", "svara(players=3,betting=no_limit)", "sviten_special", "leduc"]
)
def test_a_program_plays_as_the_same_rule_does_inside(text: str, tmp_path: Path) -> None:
    game = load(text)
    others = [baseline("random") for _ in range(game.players - 1)]
    outside = play_match([program(tmp_path, LOOP + CALLER), *others], game, 30, seed=4)
    inside = play_match([baseline("always-call"), *others], game, 30, seed=4)
    assert scores(outside) == scores(inside)
    assert outside.players[0].faults == {} and outside.players[0].notes == ()


RANDOM = LOOP + "        answer(luck.choice(names))\n"


def test_two_programs_repeat_their_match(tmp_path: Path) -> None:
    game = load("svara")
    results = []
    for at_once in (None, 1, 8):
        agents = [program(tmp_path, RANDOM, name=name) for name in ("a.py", "b.py")]
        results.append(play_match(agents, game, 24, seed=3, hands_at_once=at_once))
    assert scores(results[0]) == scores(results[1]) == scores(results[2])
    assert results[0].players[0].decisions > 10
    assert not results[0].players[0].faults and not results[0].players[1].faults


def test_any_size_in_the_range_of_an_action_may_be_played(tmp_path: Path) -> None:
    code = """
        span = next((a for a in m["actions"] if "min" in a), None)
        assert span is None or span["name"].endswith(str(span["min"]))
        middle = span and f"raise  TO {(span['min'] + span['max']) // 2}"
        answer(middle if span and m["to_call"] else "look" if "look" in names else names[-1])
"""
    game = load("svara(betting=no_limit,stack=300)")
    result = play_match([program(tmp_path, LOOP + code), baseline("always-call")], game, 12)
    assert result.players[0].faults == {}


# What a program is told.


RECORDER = """
import os, sys
record = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{os.getpid()}.log"), "w")
class Recording:
    def __init__(self, file):
        self.file = file
    def __iter__(self):
        for line in self.file:
            record.write(line)
            record.flush()
            yield line
sys.stdin = Recording(sys.stdin)
"""


def recorded(folder: Path) -> list[list[dict[str, Any]]]:
    """What each process was told."""
    logs = sorted(folder.glob("*.log"), key=lambda path: int(path.stem))
    return [
        [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] for log in logs
    ]


CARD = re.compile("[2-9TJQKA][cdhs]")


class Knowledge:
    """What a seat may know of a hand, by the log of the OpenSpiel state, whoever is to act."""

    def __init__(self, game: Game, actions: Sequence[int]) -> None:
        self._state = spiel_game_of(game).new_initial_state()
        self._game = game
        self._actions = list(actions)

    def until(self, seat: int, acts: int | None) -> tuple[list[str], dict[int, set[str]]]:
        """(Cards that `seat` saw fall, cards that each seat saw) after `acts` actions, or all."""
        state, done = self._state.clone(), 0
        for action in self._actions:
            if state.current_player() >= 0:
                if done == acts:
                    break
                done += 1
            state.apply_action(action)
        fallen = [
            (audience, self._game.card_name(card))
            for is_card, audience, card in state.events()
            if is_card
        ]
        own = [card for audience, card in fallen if audience in (EVERYBODY, seat)]
        by_seat = {
            s: {card for audience, card in fallen if audience in (EVERYBODY, s)}
            for s in range(self._game.players)
        }
        return own, by_seat


def check_showdown(events: Sequence[dict[str, Any]], by_seat: dict[int, set[str]]) -> set[str]:
    """Only seats that have not folded show, and their own cards; returns the cards shown."""
    folded: set[int] = set()
    shown: set[str] = set()
    for event in events:
        if event.get("action") in ("fold", "decline"):
            folded.add(event["seat"])
        elif "card" in event and isinstance(event["to"], int):
            folded.discard(event["to"])
        elif "shows" in event:
            assert event["seat"] not in folded
            assert set(event["shows"]["cards"]) <= by_seat[event["seat"]]
            shown |= set(event["shows"]["cards"])
    return shown


@pytest.mark.parametrize(
    "text", ["svara(players=3,ranks=789T)", "sviten_special(players=3,burn=true)"]
)
def test_nothing_hidden_is_told(text: str, tmp_path: Path) -> None:
    game = load(text)
    agents = [program(tmp_path, RECORDER + RANDOM)]
    agents += [baseline("random") for _ in range(game.players - 1)]
    histories = io.StringIO()
    play_match(agents, game, 48, seed=8, histories=histories)
    hands = [json.loads(line) for line in histories.getvalue().splitlines()]
    processes = recorded(tmp_path)
    assert len(processes) == game.players
    views = 0
    for lines in processes:
        assert [line["type"] for line in lines[:1] + lines[-1:]] == ["hello", "bye"]
        assert len({line["seat"] for line in lines[1:-1]}) == 1, "a process keeps its seat"
        deals = [line["hand"] // game.players for line in lines if line["type"] == "end"]
        assert deals == list(range(48 // game.players)), "a process sees each deal once"
        for line in lines[1:-1]:
            views += 1
            check_line(game, line, hands[line["hand"]])
    assert views > 80


def check_line(game: Game, line: dict[str, Any], hand: dict[str, Any]) -> None:
    """A line tells what the seat has seen, in order, and no other card."""
    seat, events = line["seat"], line["events"]
    acts = sum("action" in event for event in events)
    over = line["type"] == "end"
    own, by_seat = Knowledge(game, hand["actions"]).until(seat, None if over else acts)
    assert [e["card"] for e in events if e.get("card") is not None] == own
    shown = check_showdown(events, by_seat)
    text = json.dumps({key: value for key, value in line.items() if key != "game"})
    assert set(CARD.findall(text)) <= set(own) | shown
    assert set(line["cards"]) <= set(own)
    assert (line["returns"] is not None) == over
    assert line["players"] == hand["players"]
    assert line["players"][seat] == "bot.py"
    if over:
        assert line["returns"] == hand["returns"]
    else:
        assert line["turn"] == seat and len(line["actions"]) > 1


def test_a_table_has_one_process_that_follows_every_hand(tmp_path: Path) -> None:
    game = load("svara(players=3)")
    agents = [program(tmp_path, RECORDER + RANDOM), baseline("random")]
    table = Table(game, agents, seed=5)
    for _ in range(7):
        table.let_bots_act()
        while not table.hand.is_over:
            table.act(table.view()["actions"][-1]["name"])
            if table.hand.is_over:
                break  # dealt on without another word to the bots
            table.let_bots_act()
        table.deal()
    table.close()
    (lines,) = recorded(tmp_path)
    ends = [line for line in lines if line["type"] == "end"]
    assert [line["hand"] for line in ends] == list(range(7))
    assert [line["seat"] for line in ends] == [(hand % 3 + 1) % 3 for hand in range(7)]
    assert all(line["players"][line["seat"]] == "bot.py" for line in ends)
    assert ends[1]["players"] == ["random", "You", "bot.py"]
    assert lines[0]["type"] == "hello" and lines[-1] == {"type": "bye"}


def test_bots_of_openspiel_sit_at_tables_too() -> None:
    game = load("svara")
    luck = np.random.RandomState(3)
    bot = from_spiel_bot(
        lambda g, p: pyspiel.make_uniform_random_bot(p, int(luck.randint(99))), "x"
    )
    table = Table(game, [bot], seed=5)
    for _ in range(6):
        table.let_bots_act()
        while not table.hand.is_over:
            table.act(table.view()["actions"][-1]["name"])
            table.let_bots_act()
        table.deal()
    assert table.number == 6


# Late answers.


LATE = """
        if m["n"] == 1:
            {on_one}
        {echo}
        answer(str(m["n"]))
"""
WITH_ID = 'answer = lambda name: print(json.dumps({"action": name, "id": m["id"]}), flush=True)'


def asked(folder: Path, code: str, limits: Limits) -> list[object]:
    """What comes of the questions 0 to 3: the answer or the kind of the fault."""
    agent = program(folder, LOOP + code)
    assert isinstance(agent, ProgramAgent)
    dialogue = Dialogue("bot", agent.command, load("kuhn"), limits)
    answers: list[object] = []
    for n in range(4):
        try:
            answers.append(dialogue.ask({"hand": 0, "n": n, "actions": []}, int))
        except Fault as fault:
            answers.append(fault.kind)
    dialogue.close()
    return answers


@pytest.mark.parametrize("echo", ["pass", WITH_ID])
def test_a_late_answer_is_not_taken_for_the_next(echo: str, tmp_path: Path) -> None:
    code = LATE.format(on_one="time.sleep(1.3)", echo=echo)
    assert asked(tmp_path, code, Limits(decision=1.0)) == [0, "timeout", 2, 3]


def test_a_program_that_stays_silent_once_gets_in_step_by_its_ids(tmp_path: Path) -> None:
    limits = Limits(decision=0.8)
    code = LATE.format(on_one="continue", echo=WITH_ID)
    assert asked(tmp_path, code, limits) == [0, "timeout", 2, 3]
    code = LATE.format(on_one="continue", echo="pass")
    assert asked(tmp_path, code, limits)[1:3] == ["timeout", "timeout"]


def test_blank_lines_and_lines_before_a_question_answer_nothing(tmp_path: Path) -> None:
    code = """
print("not asked yet", flush=True)
open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ready"), "w").close()
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "act":
        os.write(1, b'\\n\\n{"action": "%d"}\\nby the way\\n' % m["n"])
"""
    agent = program(tmp_path, LOOP.partition("for line")[0] + code)
    assert isinstance(agent, ProgramAgent)
    dialogue = Dialogue("bot", agent.command, load("kuhn"), PATIENT)
    while not (tmp_path / "ready").exists():
        time.sleep(0.01)
    assert [dialogue.ask({"hand": 0, "n": n}, int) for n in range(3)] == [0, 1, 2]
    dialogue.close()


# Bad programs.


class Passive(ViewAgent):
    """Plays what is played for a program that gives no answer."""

    def probabilities(self, view: View) -> Mapping[int, float]:
        free = ("check", "pass", "look", "stand pat", "keep", "decline", "fold")
        name = next(name for name in free if name in view.names)
        return {view.actions[view.names.index(name)]: 1.0}


BAD = {
    "silent": ("timeout", "for line in sys.stdin: pass"),
    "deaf": ("timeout", "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(99)"),
    "garbage": ("garbage", "for line in sys.stdin: print('[' * 9999, flush=True)"),
    "no text": ("garbage", "for line in sys.stdin: print('{\"action\": 1}', flush=True)"),
    "binary": ("garbage", "for line in sys.stdin: os.write(1, b'\\xff\\xfe\\x00\\n')"),
    "illegal": ("illegal", 'for line in sys.stdin: print(\'{"action": "swim"}\', flush=True)'),
    "endless line": ("flood", "while True: sys.stdout.write('x' * 999)"),
    "endless lines": ("flood", 'while True: sys.stdout.write(\'{"action": "swim"}\\n\')'),
    "ends": ("crash", "sys.exit(3)"),
    "killed": ("crash", "os.kill(os.getpid(), signal.SIGSEGV)"),
    "closes stdout": ("crash", "os.close(1); time.sleep(99)"),
    "closes stdin": ("crash", "os.close(0); time.sleep(99)"),
}


@pytest.mark.parametrize("bad", BAD)
def test_the_match_goes_on_whatever_a_program_does(bad: str, tmp_path: Path) -> None:
    kind, code = BAD[bad]
    limits = HASTY if kind == "timeout" else STRICT
    agent = program(tmp_path, "import os, signal, sys, time\n" + code, limits)
    result = play_match([agent, baseline("random")], load("leduc"), 30, seed=2)
    assert result.complete and result.hands == 30
    player = result.players[0]
    expected = {kind, "not asked"} | ({"illegal"} if bad == "endless lines" else set())
    assert kind in player.faults and set(player.faults) <= expected
    assert sum(player.faults.values()) == player.decisions
    assert player.notes and all(note.isprintable() for note in player.notes)
    assert result.players[1].faults == {}
    rule = play_match([Passive("rule"), baseline("random")], load("leduc"), 30, seed=2)
    assert scores(result) == scores(rule)


@pytest.mark.parametrize("text", ["svara(players=3,ranks=789T)", "sviten_special"])
def test_the_rule_that_plays_for_a_program(text: str, tmp_path: Path) -> None:
    game = load(text)
    others = [baseline("random") for _ in range(game.players - 1)]
    agent = program(tmp_path, "for line in iter(input, None): print('?', flush=True)", STRICT)
    results = [play_match([a, *others], game, 90, seed=2) for a in (agent, Passive("rule"))]
    assert scores(results[0]) == scores(results[1])


def test_a_crash_costs_a_decision_and_a_start(tmp_path: Path) -> None:
    crash = """
        if questions == 4:
            print("Hello\\x1b[31m there", file=sys.stderr)
            sys.exit(7)
        answer(names[-1])
"""
    agent = program(tmp_path, RECORDER + LOOP + crash)
    result = play_match([agent, baseline("always-call")], load("svara"), 60, seed=1)
    player = result.players[0]
    # Two seats, and four processes for each.
    assert player.faults["crash"] == 8
    assert player.faults["not asked"] == player.decisions - 8 * 4
    assert len(recorded(tmp_path)) == 8
    assert "exit status 7" in player.notes[0]
    assert "stderr: Hello?[31m there" in player.notes


def test_a_program_is_given_up_after_many_faults(tmp_path: Path) -> None:
    code = "        answer('swim' if questions % 3 else names[-1])\n"
    limits = Limits(decision=20.0, in_a_row=3, faults=10)
    agent = program(tmp_path, LOOP + code, limits)
    result = play_match([agent, baseline("always-call")], load("kuhn"), 60, seed=1)
    assert result.players[0].faults["illegal"] == 20
    assert "it is not asked any more" in result.players[0].notes[5]


def test_much_on_stderr_holds_nothing_up(tmp_path: Path) -> None:
    loud = "        sys.stderr.write('y' * 300_000); answer(names[-1])\n"
    agent = program(tmp_path, LOOP + loud)
    result = play_match([agent, baseline("always-call")], load("kuhn"), 10)
    assert result.players[0].faults == {} and result.players[0].notes == ()


def test_what_a_program_starts_ends_with_it(tmp_path: Path) -> None:
    family = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "99"])
with open(sys.argv[0] + f".{child.pid}", "w"): pass
"""
    agent = program(tmp_path, family + LOOP + CALLER)
    play_match([agent, baseline("random")], load("kuhn"), 4)
    pids = [int(path.suffix[1:]) for path in tmp_path.glob("bot.py.*")]
    assert len(pids) == 2
    wait_until_ended(pids)


def test_a_process_ends_with_whoever_knows_it() -> None:
    child = Child(["sleep", "99"], 100)
    assert len(children()) > 0
    del child


def test_an_interrupt_ends_the_programs(tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    agent = program(tmp_path, RECORDER + LOOP + CALLER)
    result = play_match([agent, baseline("random")], load("kuhn"), 50, on_progress=interrupt)
    assert not result.complete and result.hands > 0
    assert [lines[-1] for lines in recorded(tmp_path)] == [{"type": "bye"}] * 2


def test_a_terminated_match_leaves_no_program(tmp_path: Path) -> None:
    deaf = "import time, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(99)\n"
    program(tmp_path, RECORDER + deaf)
    words = ["match", str(tmp_path / "bot.py"), "random", "--game", "kuhn", "--json"]
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob("*.log"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out)["complete"] is False
    wait_until_ended([int(path.stem) for path in tmp_path.glob("*.log")])


# The command.


def test_faults_are_told_and_cost_no_status(tmp_path: Path) -> None:
    program(tmp_path, LOOP + "        answer('swim')\n")
    words = ("match", tmp_path / "bot.py", "always-call", "--game", "kuhn", "--hands", 20)
    outcome = succeed(*words, "--time-limit", 20)
    assert "faults" in outcome.out
    assert "bot.py: 20 illegal; a rule played 100.00% of its decisions" in outcome.err
    assert "'swim' is no legal action: expected one of pass, bet" in outcome.err
    document = succeed(*words, "--json", "-q").document
    assert document["players"][0]["faults"] == {"illegal": 20}
    assert document["players"][1]["faults"] == {} and document["players"][1]["notes"] == []
    assert "faults" not in succeed("match", "random", "tight", "--game", "kuhn", "--hands", 8).out


def test_a_program_plays_in_the_terminal(tmp_path: Path) -> None:
    program(tmp_path, LOOP + CALLER)
    words = ("play", "svara", "--against", tmp_path / "bot.py", "--seed", 1)
    assert "bot.py calls" in succeed(*words, keyboard="look\nbet\n" * 9).out


def test_what_cannot_be_run_is_refused_before_the_first_hand(tmp_path: Path) -> None:
    text = tmp_path / "words.txt"
    text.write_text("words", encoding="utf-8")
    (tmp_path / "bot.mjs").write_text("", encoding="utf-8")
    against = ("random", "--game", "kuhn")
    missing = tmp_path / "missing.py"
    refuse("match", missing, *against, naming=f"cannot run {missing}: no such file")
    refuse("match", "cmd:", *against, naming="expected a command line such as")
    refuse("match", "cmd:a 'b", *against, naming="is no command line")
    refuse("match", "cmd:/no/such x", *against, naming="cannot start /no/such x: /no/such")
    refuse("match", text, *against, naming=str(text))
    empty = tmp_path / "empty"
    empty.write_text("", encoding="utf-8")
    empty.chmod(0o755)
    refuse("match", empty, *against, naming="cannot start empty")
    refuse("match", *against, "tight", "--time-limit", 1, naming="--time-limit 1: no program")
    refuse("match", *against, "tight", "--time-limit", 0, naming="0 is not allowed")


def test_which_names_are_programs(tmp_path: Path) -> None:
    script = tmp_path / "a bot"
    script.write_text(f"#!{sys.executable}\n{LOOP}{CALLER}", encoding="utf-8")
    script.chmod(0o755)
    plain = program(tmp_path, LOOP + CALLER, name="-x.py")
    for name in (str(script), str(tmp_path / "-x.py"), f"cmd:{sys.executable} '{tmp_path}/-x.py'"):
        agent = find_agent(name)
        result = play_match([agent, baseline("random")], load("kuhn"), 4)
        assert result.players[0].faults == {}
    assert (find_agent(str(script)).name, plain.name) == ("a bot", "-x.py")


# The documentation.


def example(name: str) -> Agent:
    if name.endswith(".js") and shutil.which("node") is None:
        pytest.skip("node is not installed")
    return ProgramAgent(str(EXAMPLES / name), PATIENT)


@pytest.mark.parametrize("text", ["svara", "sviten_special"])
def test_the_examples_are_one_bot_in_two_languages(text: str) -> None:
    results = []
    for name in ("bot.py", "bot.js"):
        results.append(play_match([example(name), baseline("random")], load(text), 40, seed=1))
        assert results[-1].players[0].faults == {}
    assert scores(results[0]) == scores(results[1])


@pytest.mark.parametrize("text", ["svara", "sviten_special"])
def test_the_bot_in_the_text_plays(text: str, tmp_path: Path) -> None:
    page = (DOCS / "programs.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    result = play_match([program(tmp_path, code), baseline("random")], load(text), 10)
    assert result.players[0].faults == {}


def names_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict | list):
            yield from names_in(item)


@pytest.mark.parametrize(
    "text", ["svara(players=3,betting=no_limit)", "sviten_special(betting=pot_limit)", "leduc"]
)
def test_every_member_is_documented(text: str) -> None:
    page = (DOCS / "programs.md").read_text(encoding="utf-8")
    page = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    words = set(re.findall(r"[a-z_0-9]+", " ".join(re.findall(r"`[^`]+`", page))))
    game, luck = load(text), np.random.default_rng(2)
    for seed in range(20):
        hand = LiveHand(game, seed)
        while not hand.is_over:
            view = seat_view(hand, hand.turn, ["a"] * game.players)
            assert set(names_in(view)) <= words
            assert {action["kind"] for action in view["actions"]} <= words
            assert view["phase"] in words
            hand.play(int(luck.choice(legal(game, hand.states))))
        assert set(names_in(seat_view(hand, 0, ["a"] * game.players))) <= words
