"""Card numbers, card text, and sets of cards."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerspiel.games.cards import (
    FULL_DECK,
    card_name,
    cards_of,
    cards_text,
    deck_mask,
    lowest_card,
    mask_of,
    nth_card,
    parse_cards,
    popcount,
)

CARD_LISTS = st.lists(st.integers(0, 51), unique=True)
MASKS = st.integers(0, FULL_DECK)


def test_card_number_is_rank_times_four_plus_suit() -> None:
    assert [card_name(card) for card in (0, 1, 2, 3, 4, 20, 51)] == [
        *("2c", "2d", "2h", "2s", "3c", "7c", "As")
    ]


@given(CARD_LISTS)
def test_text_of_cards_reads_back(cards: list[int]) -> None:
    assert parse_cards(cards_text(cards)) == cards


def test_text_of_cards_is_read_as_people_write_it() -> None:
    assert parse_cards("7c9sJs") == [20, 31, 39]
    assert parse_cards(" 7C, 9S js ") == [20, 31, 39]
    assert parse_cards("10sTh") == parse_cards("TsTh")
    assert parse_cards("") == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("7c9x", "9x"),
        ("1c", "1c"),
        ("7c9", "9"),
        ("c7", "c7"),
        ("Asjoker", "jo"),
        ("7c9s7c", "7c"),
        ("💥💥", "💥💥"),
    ],
)
def test_bad_text_is_named_in_one_line(text: str, named: str) -> None:
    with pytest.raises(ValueError, match=repr(named)) as error:
        parse_cards(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("card", [-1, 52])
def test_number_outside_the_deck_has_no_name(card: int) -> None:
    with pytest.raises(ValueError, match=str(card)):
        card_name(card)


def test_decks_are_ranks_in_suits() -> None:
    assert deck_mask() == FULL_DECK == (1 << 52) - 1
    assert cards_of(deck_mask("789TJQKA")) == list(range(20, 52))
    assert deck_mask("7 8 9 T J Q K A") == deck_mask("akqjt987", "SHDC") == deck_mask("789TJQKA")
    assert cards_text(cards_of(deck_mask("JQK", "hs"))) == "JhJsQhQsKhKs"


@pytest.mark.parametrize(
    ("ranks", "suits", "named"),
    [("78x", "cdhs", "'X'"), ("788", "cdhs", "'8'"), ("78", "cc", "'c'"), (" ", "c", "rank")],
)
def test_bad_decks_are_refused(ranks: str, suits: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        deck_mask(ranks, suits)


@given(CARD_LISTS)
def test_masks_hold_the_cards(cards: list[int]) -> None:
    assert cards_of(mask_of(cards)) == sorted(cards)


@settings(deadline=None)  # the first call compiles
@given(MASKS)
def test_kernels_agree_with_python_on_masks(mask: int) -> None:
    cards = cards_of(mask)
    assert popcount(mask) == len(cards)
    assert lowest_card(mask) == (cards[0] if cards else 64)
    assert [nth_card(mask, i) for i in range(len(cards))] == cards
    assert nth_card(mask, len(cards)) == 64
