"""Networks through the commands: train, resume, export, match, exploit, bench algorithms."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

pytest.importorskip("torch")

import pyspiel

from pokerspiel.agents.agent import CompiledAgent, legal
from pokerspiel.agents.bot_file import Bot, BotFileError, load_bot
from pokerspiel.agents.roster import find_bot
from pokerspiel.experiments.run_folder import RunFolder
from pokerspiel.games import openspiel  # noqa: F401, registers the games
from pokerspiel.solvers.network import Network
from tests.command_line import pokerspiel, refuse, succeed

SMALL = ("--tune", "hands=64", "--tune", "width=8", "--device", "cpu")


def train(game: str, out: Path, algorithm: str = "ppo", *more: object) -> Any:
    words = ("train", game, "--algorithm", algorithm, "--out", out, "--seed", 2, *more)
    return succeed(*words)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "leduc"
    train("leduc", folder, "ppo", *SMALL, "--iterations", 4, "-q")
    return folder


@pytest.fixture(scope="module")
def bot(run: Path) -> Path:
    path = run.parent / "leduc.pspiel"
    succeed("export", run, "-o", path, "-q")
    return path


# Run folders.


def test_a_run_says_what_it_is(run: Path, tmp_path: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["algorithm"] == "ppo" and manifest["kind"] == "neural"
    assert manifest["options"]["hands"] == 64 and manifest["options"]["passes"] == 2
    assert "torch" in manifest["versions"]
    metrics = RunFolder(run).metrics()
    assert metrics[-1]["iteration"] == 4 and metrics[-1]["nodes"] > 0
    assert {"entropy", "value_error", "nodes_per_second"} <= metrics[-1].keys()
    document = train("kuhn", tmp_path / "k", "ppo", *SMALL, "--iterations", 2, "--json").document
    assert document["status"] == "done" and document["iteration"] == 2
    assert Path(document["checkpoint"]).is_file()


def test_a_resumed_run_equals_an_uninterrupted_one(run: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut"
    train("leduc", cut, "ppo", *SMALL, "--iterations", 3, "-q")
    succeed("resume", cut, "--iterations", 1, "-q")
    ours, theirs = (load_file(RunFolder(path).latest_checkpoint()) for path in (cut, run))
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert np.array_equal(ours[name], theirs[name]), name


def test_the_usual_abstraction_is_one_for_networks(tmp_path: Path) -> None:
    train("svara", tmp_path / "svara", "ppo", *SMALL, "--iterations", 1, "-q")
    assert RunFolder(tmp_path / "svara").game().abstraction == "hands-1"


def test_a_damaged_checkpoint_is_refused(run: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut"
    train("kuhn", cut, "ppo", *SMALL, "--iterations", 1, "-q")
    folder = RunFolder(cut)
    arrays, numbers = folder.load_checkpoint()
    lacking = {name: array for name, array in arrays.items() if name != "policy.0.weight"}
    folder.save_checkpoint(lacking, numbers)
    refuse("resume", cut, "--iterations", 1, naming="policy.0.weight")
    folder.latest_checkpoint().write_bytes(b"half")
    refuse("resume", cut, "--iterations", 1, naming="is damaged")


def test_half_of_the_hands_may_be_played_against_named_bots(tmp_path: Path) -> None:
    """A station in Kuhn is to be played against without bluffs, which self-play would not teach."""
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    words = ("--against", "always-call", "--against", "tight", *SMALL)
    train("kuhn", whole, "ppo", *words, "--iterations", 3, "-q")
    train("kuhn", cut, "ppo", *words, "--iterations", 2, "-q")
    succeed("resume", cut, "--iterations", 1, "-q")
    manifest = json.loads((whole / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["against"] == ["always-call", "tight"]
    ours, theirs = (load_file(RunFolder(path).latest_checkpoint()) for path in (cut, whole))
    for name in ours:
        assert np.array_equal(ours[name], theirs[name]), name
    out = ("--out", tmp_path / "no", "--iterations", 1)
    refuse("train", "kuhn", *out, "--against", "tight", naming="not with --algorithm mccfr")
    words = ("train", "kuhn", *out, "--algorithm", "sd-cfr", "--against", "tight")
    refuse(*words, naming="--against tight: not with sd-cfr")
    words = ("train", "kuhn", *out, "--algorithm", "ppo", "--against", "tigth")
    refuse(*words, naming="did you mean tight")


def test_options_that_make_no_sense_are_refused(run: Path, tmp_path: Path) -> None:
    words = ("train", "kuhn", "--out", tmp_path / "no", "--iterations", 1)
    refuse(*words, "--algorithm", "ppoo", naming="did you mean ppo")
    refuse(*words, "--algorithm", "ppo", "--tune", "hand=3", naming="did you mean hands")
    refuse(*words, "--algorithm", "ppo", "--tune", "hands", naming="--tune 'hands'")
    refuse(*words, "--algorithm", "ppo", "--tune", "clip=7", naming="clip=7.0")
    refuse(*words, "--algorithm", "ppo", "--prune", 3, naming="--prune 3.0")
    refuse(*words, "--algorithm", "ppo", "--device", "abacus", naming="device=abacus")
    refuse(*words, "--tune", "hands=3", naming="--tune ['hands=3']: not with --algorithm mccfr")
    refuse("resume", run, "--memory-limit", "1GiB", naming="--memory-limit 1GiB")
    assert not (tmp_path / "no").exists()


# Bots.

WITHOUT_TORCH = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *more):
        hidden = name.partition('.')[0] == 'torch'
        return None if hidden else self.finder.find_spec(name, *more)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
"""


def test_a_bot_plays_everywhere(bot: Path) -> None:
    words = ("match", bot, "random", "--hands", 200, "--json")
    document = succeed(*words).document
    assert document["complete"] is True
    assert succeed("exploit", bot, "--json").document["exact"] is True
    described = succeed("info", bot, "--json").document
    assert described["algorithm"] == "ppo" and described["information_sets"] == 0
    game = pyspiel.load_game("leduc")
    bots = [find_bot(str(bot)).as_spiel_bot("leduc", seat) for seat in range(2)]
    state = game.new_initial_state()
    while not state.is_terminal():
        player = state.current_player()
        state.apply_action(state.legal_actions()[0] if player < 0 else bots[player].step(state))
    outcome = pokerspiel("play", "leduc", "--against", bot, "--seed", 1, keyboard="1\n" * 20)
    assert outcome.status in (0, 130)


def test_a_bot_plays_where_there_is_no_torch(bot: Path) -> None:
    """A process in which torch cannot be imported."""
    program = (
        f"{WITHOUT_TORCH}\n"
        "from pokerspiel.experiments import cli\n"
        f"status = cli.run(['match', {str(bot)!r}, 'random', '--hands', '20', '-q'])\n"
        "assert status in (0, None), status\n"
        f"cli.run(['exploit', {str(bot)!r}])\n"
        "from pokerspiel.agents.roster import find_bot\n"
        f"find_bot({str(bot)!r}).as_spiel_bot('leduc', 0)\n"
        "status = cli.run(['train', 'kuhn', '--algorithm', 'ppo', '--out', '/nonexistent/x'])\n"
        "assert status == 2, status\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "ppo needs torch: pip install 'pokerspiel[neural]'" in ended.stderr


def test_a_damaged_or_foreign_bot_is_refused(bot: Path, tmp_path: Path) -> None:
    arrays = load_file(bot)
    with bot.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        metadata = json.loads(file.read(size))["__metadata__"]
    other = tmp_path / "other.pspiel"
    save_file({**arrays, "weights": arrays["weights"] + 1}, other, metadata)
    with pytest.raises(BotFileError, match="damaged"):
        load_bot(other)
    manifest = json.loads(metadata["manifest"])
    changed = {**metadata, "manifest": json.dumps({**manifest, "game": "leduc(players=3)"})}
    save_file(arrays, other, changed)
    with pytest.raises(BotFileError, match="information sets"):
        load_bot(other)


@pytest.mark.parametrize("algorithm", ["sd-cfr", "es-mmd"])
def test_a_mixture_is_measured_exactly_as_it_plays(algorithm: str, tmp_path: Path) -> None:
    """It draws a member a hand: its winnings against `random` are those of its strategy."""
    tune = ("traversals=50", "updates=20", "width=8", "batch=64")
    words = [word for setting in tune for word in ("--tune", setting)]
    train("kuhn", tmp_path / "run", algorithm, *words, "--iterations", 6, "-q")
    path = tmp_path / "mixture.pspiel"
    succeed("export", tmp_path / "run", "-o", path, "-q")
    bot = load_bot(path)
    assert isinstance(bot, Bot) and isinstance(bot.table, Network) and len(bot.table.up_to) == 6
    from pokerspiel.agents.exact_strategy import strategy_of, values_against
    from pokerspiel.solvers.compile_tree import compile_tree

    tree = compile_tree("kuhn")
    exact = values_against(strategy_of(bot, tree)[0], find_bot("random"), tree).mean()
    words_ = ("match", path, "random", "--hands", 200_000, "--seed", 5, "--json")
    score = succeed(*words_).document["players"][0]
    low, high = score["ci95"]
    middle, reach = (low + high) / 2, (high - low) / 2
    assert abs(1000.0 * exact - middle) < 2.5 * reach


def test_a_bot_sees_by_what_its_seat_knows(bot: Path) -> None:
    """Chances are the same whatever the other seat holds."""
    agent = find_bot(str(bot))
    assert isinstance(agent, CompiledAgent) and agent.game is not None
    seated = agent.sit(agent.game)
    states = agent.game.new_states()
    from pokerspiel.games import drive

    told = []
    for theirs in (1, 2, 3):
        drive.begin_hand(states, agent.game.tables)
        for card in (0, theirs):
            drive.apply_action(states, agent.game.tables, card)
        assert len(legal(agent.game, states)) > 1
        told.append(seated.distribution(states, [0, theirs], 0))
    assert told[0] == told[1] == told[2]


# ONNX.


def test_onnx_gives_the_same_chances(bot: Path, run: Path, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime")
    paths = [tmp_path / "run.onnx", tmp_path / "bot.onnx"]
    for source, path in zip((run, bot), paths, strict=True):
        succeed("export", source, "-o", path, "-q")
    assert paths[0].read_bytes() == paths[1].read_bytes()
    session = runtime.InferenceSession(str(paths[0]), providers=["CPUExecutionProvider"])
    loaded = load_bot(bot)
    assert isinstance(loaded, Bot) and isinstance(loaded.table, Network)
    network = loaded.table
    random = np.random.default_rng(0)
    seen = (random.random((30, network.sizes[0])) < 0.3).astype(np.float32)
    legal_ = random.random((30, network.sizes[-1])) < 0.7
    legal_[:, 1] = True
    (chances,) = session.run(None, {"observations": seen, "legal": legal_})
    from tests.neural.test_network import chances_of

    for i in range(30):
        ours = chances_of(network, 0, seen[i], np.flatnonzero(legal_[i]).tolist())
        assert np.abs(chances[i][legal_[i]] - ours).max() < 1e-5
        assert chances[i][~legal_[i]].sum() == 0.0


def test_what_is_no_single_network_is_no_onnx(tmp_path: Path) -> None:
    refuse("export", tmp_path, "-o", tmp_path / "x.onnx", naming="is no run folder")
    succeed("train", "kuhn", "--out", tmp_path / "table", "--iterations", 5, "-q")
    refuse("export", tmp_path / "table", "-o", tmp_path / "x.onnx", naming="a table was learnt")
    tune = ("--tune", "traversals=10", "--tune", "updates=2", "--tune", "width=8")
    train("kuhn", tmp_path / "sd", "sd-cfr", *tune, "--iterations", 2, "-q")
    refuse("export", tmp_path / "sd", "-o", tmp_path / "x.onnx", naming="networks, of which each")
    assert not (tmp_path / "x.onnx").exists()


# Bounds and the grid.


def test_a_learned_bound_finds_much_and_never_too_much() -> None:
    """Against a station in Kuhn a third of an ante can be won; 1 s finds more than half of it."""
    words = ("exploit", "always-call", "--game", "kuhn", "--bound", "learned", "--time", 1.5)
    document = succeed(*words, "--hands", 20_000, "--device", "cpu", "--json").document
    assert document["bound"] == "learned" and document["exact"] is False
    low, high = document["ci95"]
    assert high > 1000 / 6
    assert low < 1000 / 3
    assert document["decisions"] > 0 and "training_seconds" in document


def test_a_learned_bound_is_for_any_number_of_players() -> None:
    words = ("exploit", "always-call", "--game", "kuhn(players=3)", "--time", 0.3, "--hands", 600)
    document = succeed(*words, "--bound", "learned", "--device", "cpu", "--json").document
    assert len(document["seats"]) == 3
    refuse(*words[:4], "--bound", "trained", naming="--bound learned for any")


def test_networks_are_rows_of_the_grid(tmp_path: Path) -> None:
    words = ("bench", "algorithms", "--games", "kuhn", "--algorithms", "ppo")
    document = succeed(
        *words, "--seeds", 0, "--budget", "2it", "--out", tmp_path, "--json"
    ).document
    rows = {row["algorithm"]: row for row in document["games"][0]["rows"]}
    assert rows.keys() == {"ppo"}
    assert rows["ppo"]["exploitability"]["median"] > 0.0
