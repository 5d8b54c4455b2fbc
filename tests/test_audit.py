"""More than 100,000 random hands over variants, seats, structures and stacks, all nodes checked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerspiel.games import drive
from pokerspiel.games.variants import load
from tests.audit import SOUND, audit


def sound(name: str, hands: int, seed: int) -> None:
    game = load(name)
    actions = np.zeros(game.limits.num_actions + 1, np.int64)
    result = audit(
        game.new_states(),
        game.tables,
        drive.new_decks(),
        actions,
        game.limits.max_game_length,
        hands,
        seed,
    )
    assert result == (SOUND, -1), name


STRUCTURES = ("fixed_limit", "pot_limit", "no_limit")


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("players", range(2, 10))
def test_svara_with_all_seats_and_structures(players: int, structure: str) -> None:
    stacks = " ".join(str(5 + 7 * seat % 23) for seat in range(players))
    sound(f"svara(players={players},betting={structure},stacks={stacks})", 3_000, players)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("variant", ["sviten_special", "sviten_flush", "dramaha"])
def test_sviten_with_all_seats_and_structures(variant: str, players: int, structure: str) -> None:
    stacks = " ".join(str(3 + 11 * seat % 37) for seat in range(players))
    sound(f"{variant}(players={players},betting={structure},stacks={stacks})", 1_000, players)


@given(
    players=st.integers(2, 9),
    ante=st.integers(1, 4),
    extra=st.lists(st.integers(0, 30), min_size=9, max_size=9),
    structure=st.sampled_from(STRUCTURES),
    sizes=st.sampled_from(["any", "0.5 1 max", "min pot", "1/3"]),
    laps=st.integers(1, 3),
    check=st.booleans(),
    svarkas=st.integers(0, 6),
    rounding=st.sampled_from(["up", "down", "nearest"]),
    ranks=st.sampled_from(["789TJQKA", "7KA", "7 8 9"]),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_svara_of_any_parameters(
    players, ante, extra, structure, sizes, laps, check, svarkas, rounding, ranks, seed
) -> None:
    stacks = " ".join(str(ante + extra[seat]) for seat in range(players))
    held = 3 if players * 3 <= 4 * len(ranks.replace(" ", "")) else 1
    sound(
        f"svara(players={players},ante={ante},stacks={stacks},betting={structure},"
        f"bet_sizes={sizes},max_blind_laps={laps},allow_check={check},max_svarkas={svarkas},"
        f"buyin_rounding={rounding},ranks={ranks},hole_cards={held})",
        400,
        seed,
    )


@given(
    players=st.integers(2, 8),
    extra=st.lists(st.integers(1, 60), min_size=8, max_size=8),
    structure=st.sampled_from(STRUCTURES),
    sizes=st.sampled_from(["any", "0.5 1 max", "min pot", "1/3"]),
    blinds=st.sampled_from([(0, 1), (1, 2), (5, 10), (3, 3)]),
    odd=st.sampled_from(["draw", "omaha", "position", "fractional"]),
    discards=st.integers(0, 5),
    face_up=st.booleans(),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_sviten_of_any_parameters(
    players, extra, structure, sizes, blinds, odd, discards, face_up, seed
) -> None:
    stacks = " ".join(str(extra[seat]) for seat in range(players))
    sound(
        f"sviten_special(players={players},stacks={stacks},betting={structure},"
        f"bet_sizes={sizes},small_blind={blinds[0]},big_blind={blinds[1]},odd_chip={odd},"
        f"max_discards={discards},one_card_face_up={face_up})",
        300,
        seed,
    )
