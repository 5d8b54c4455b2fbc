"""What hands are worth: the documents of the calculator, for the page and the command line.

Both functions take plain values and return a JSON document. They raise ValueError, one line that
names the value and what would be right, and take no more than their `seconds`, and a part of a
second for what is counted exactly.

An *estimate* is `{"value", "error", "low", "high"}`: a share or a chance from 0 to 1, its standard
error (0 if it is exact) and its interval of 95 %. `exact`, `deals` and `how` say where figures come
from: over how many deals, all of them or a sample, and the same in words.
"""

from __future__ import annotations

from collections.abc import Sequence

from pokerspiel.agents.table.holdings import FULL_BOARD
from pokerspiel.experiments.game_choice import chosen_game, known_cards, remaining_deck
from pokerspiel.experiments.hand import svara_hands
from pokerspiel.experiments.web import svara_odds
from pokerspiel.experiments.web.discard_odds import discards
from pokerspiel.experiments.web.sampling import Document
from pokerspiel.experiments.web.sviten_odds import FLOP, FULL_HAND, Question, showdown
from pokerspiel.games.cards import CARDS, card_name, cards_text, parse_cards
from pokerspiel.games.variants import Game

SVITEN_GAMES = ("sviten_special", "sviten_flush", "dramaha")
SVARA_SEATS = 9
SVITEN_SEATS = 8
MOST_CHOSEN = 3
"""Opponents of whom it may be said how many cards they threw."""
SHORTEST, LONGEST = 0.05, 10.0
MOST_SAMPLES = 10_000_000
LONGEST_TEXT = 120
MAX_SEED = 2**63 - 1

PAT, BEST = "pat", "best"
"""What opponents do after the flop: they keep what they hold, or they throw what promises most."""

_VALUE = "Shares of the pot at the showdown, not values of the betting game."
_BEST = (
    "Opponents hold random cards; after the flop each throws the cards whose replacement promises "
    "most for both its halves, judged by its own cards and the flop alone."
)
_PAT = "Opponents hold random cards at the showdown: any five that are left are equally likely."
_KNOWN = "The other hands are as they will be at the showdown."
_ALL_DRAW = "Known hands draw in the same way."


# Svara.


def svara_document(
    hands: Sequence[str],
    joker_mode: str = "best",
    sevens: str = "best",
    opponents: int = 0,
    seed: int = 0,
    seconds: float = 1.0,
    samples: int | None = None,
) -> Document:
    """Points of Svara hands of 1 to 3 known cards, and their chances.

    `joker_mode` and `sevens` are the house rules of the score, `opponents` how many more hands are
    random. The document has `game`, `joker_mode`, `sevens`, `opponents`, and

    - `hands`: for each `hand`, if all its cards are known, its `points`, `why`, and the shares of
      all other hands that it `beats` and `ties` (None if too few cards are left); else its
      `possible` points: `hands` in number, `mean`, and `points`: a list of `points`, `ways`,
      `chance`, which is exact;
    - `winners`: places of the best hands, if there are several and all are known, else None;
    - `versus`: None for one hand alone, else `exact`, `deals`, `how` and `rows`, one a hand and
      then one an opponent, of estimates: `win` (the best score alone), `tie` (a svarka) and `share`
      (a tie shared equally).
    """
    game = _svara_game(joker_mode, sevens)
    _check_count("opponents", opponents, 0, SVARA_SEATS - 1)
    _check_count("hands", len(hands), 1, SVARA_SEATS)
    _check_count("hands and opponents", len(hands) + opponents, 1, SVARA_SEATS)
    _check_sampling(seconds, samples, seed)
    holdings = _svara_cards(game, hands)
    left = remaining_deck(game, *holdings)
    whole = all(len(cards) == svara_odds.HAND for cards in holdings)
    winners = svara_hands(game, holdings)["winners"] if whole and len(hands) > 1 else None
    versus = None
    if len(hands) + opponents > 1:
        seats: list[list[int]] = [*holdings, *([] for _ in range(opponents))]
        versus = svara_odds.chances(game, seats, left, seconds, samples, seed)
    return {
        "game": str(game),
        "joker_mode": joker_mode,
        "sevens": sevens,
        "opponents": opponents,
        "hands": [_svara_row(game, holdings, i, left) for i in range(len(hands))],
        "winners": winners,
        "versus": versus,
    }


def _svara_game(joker_mode: str, sevens: str) -> Game:
    for name, value in (("joker_mode", joker_mode), ("sevens", sevens)):
        if not isinstance(value, str) or len(value) > LONGEST_TEXT:
            raise ValueError(f"{name}: expected the name of a house rule")
    return chosen_game("svara", [f"joker_mode={joker_mode}", f"sevens={sevens}"])


def _svara_cards(game: Game, hands: Sequence[str]) -> list[list[int]]:
    owners: dict[int, str] = {}
    holdings = []
    for text in hands:
        cards = _cards(game, "hand", text, owners)
        if not 1 <= len(cards) <= svara_odds.HAND:
            raise ValueError(f"hand {text!r}: {len(cards)} cards given, expected 1, 2 or 3")
        holdings.append(cards)
    return holdings


def _svara_row(game: Game, holdings: list[list[int]], i: int, left: Sequence[int]) -> Document:
    cards = holdings[i]
    if len(cards) < svara_odds.HAND:
        return {
            "hand": cards_text(cards),
            **dict.fromkeys(("points", "why", "beats", "ties")),
            "possible": svara_odds.distribution(game, cards, left),
        }
    others = [hand for hand in holdings if hand is not cards]
    return {**svara_hands(game, [cards], others)["hands"][0], "possible": None}


# Sviten.


def sviten_document(
    game: str,
    hand: str,
    board: str = "",
    others: Sequence[str] = (),
    opponents: int | None = None,
    dead: str = "",
    draw: bool | None = None,
    opponents_draw: str | None = None,
    drew: Sequence[int] = (),
    seconds: float = 1.0,
    samples: int | None = None,
    seed: int = 0,
) -> Document:
    """Chances of a hand of sviten_special, sviten_flush or dramaha, and its best discards.

    `board` has 0, 3, 4 or 5 cards; `others` are known hands, `opponents` more hands of random
    cards (1 if no hand is known), `dead` cards that cannot come. `draw` says whether the draw is to
    come (always until the flop lies, unless it says no). `opponents_draw` is "best" for opponents
    who throw, or have thrown, the cards whose replacement promises most for both halves together,
    or "pat" for any cards that stay as they are; without it "best" if the draw is to come, else
    "pat". `drew` is how many cards the first opponents threw, -1 for one not known. The sample
    ends after `seconds`, or when it has `samples` deals.

    The document repeats what was asked, says in `assumption` how the others play, and has `exact`,
    `deals`, `how`, and

    - `players`: a row for the hand, each of the others and each opponent: `hand` (None if random),
      `draw` and `omaha` with `name` (as the cards lie now), `win`, `tie`, `share`, then `scoop`
      (both halves alone) and `pot`, all estimates. With the draw to come on the flop only the hand
      itself, after its best discard, and without `win` and `tie`;
    - `discards`: with the draw to come on the flop, the 32 discards, best first: `discard`, `keep`,
      `count`, estimates `pot`, `draw`, `omaha`, `scoop` (None if not known), `behind` the best
      (`value`, `error`), `as_good` (cannot be told apart from the best), `at_least`: the chances,
      which are exact, that the draw half becomes at least so good, `name` and `chance`, if a
      face-up card is rejected whenever it does not; else None;
    - `face_up`: where a single card comes face up, for each single discard: `discard`, `keep`,
      `kept` (chance to keep the card) and `cards`, best first: `card`, the pot share to `keep` and
      to `reject` it, `difference`, its standard `error`, and `choice`: keep, reject or either.
    """
    question = _question(
        game,
        hand,
        board,
        others,
        opponents,
        dead,
        draw,
        opponents_draw,
        drew,
        seconds,
        samples,
        seed,
    )
    on_flop = question.draw and len(question.board) == FLOP
    found = discards(question) if on_flop else showdown(question)
    return {
        "game": question.game.name,
        "hand": cards_text(question.hand),
        "board": cards_text(question.board),
        "others": [cards_text(cards) for cards in question.others],
        "opponents": question.opponents,
        "dead": cards_text(question.dead),
        "draw": question.draw,
        "opponents_draw": BEST if question.opponents_draw else PAT,
        "drew": question.drew,
        "assumption": _assumption(question),
        "discards": None,
        "face_up": None,
        **found,
    }


def _assumption(question: Question) -> str:
    words = []
    if question.opponents:
        words.append(_BEST if question.opponents_draw else _PAT)
    if question.others:
        words.append(_ALL_DRAW if question.draw and question.opponents_draw else _KNOWN)
    return " ".join([*words, _VALUE])


def _question(
    game: str,
    hand: str,
    board: str,
    others: Sequence[str],
    opponents: int | None,
    dead: str,
    draw: bool | None,
    opponents_draw: str | None,
    drew: Sequence[int],
    seconds: float,
    samples: int | None,
    seed: int,
) -> Question:
    """The question, if it makes sense. Raises ValueError."""
    if game not in SVITEN_GAMES:
        raise ValueError(
            f"game {str(game)[:LONGEST_TEXT]!r}: choose from {', '.join(SVITEN_GAMES)}"
        )
    if opponents is None:
        opponents = 0 if others else 1
    _check_count("other hands", len(others), 0, SVITEN_SEATS - 1)
    _check_count("opponents", opponents, 0, SVITEN_SEATS - 1)
    _check_count("hands and opponents", 1 + len(others) + opponents, 2, SVITEN_SEATS)
    _check_sampling(seconds, samples, seed)
    loaded = chosen_game(f"{game}(abstraction=clusters)")
    holdings, shown, gone = _sviten_cards(loaded, [hand, *others], board, dead)
    if draw is None:
        draw = len(shown) <= FLOP
    if draw and len(shown) > FLOP:
        raise ValueError(f"board {board}: the draw comes before the turn, so draw must be false")
    if opponents_draw is None:
        opponents_draw = BEST if draw else PAT
    if opponents_draw not in (PAT, BEST):
        raise ValueError(f"opponents_draw {str(opponents_draw)[:LONGEST_TEXT]!r}: pat or best")
    draws = opponents_draw == BEST
    _check_drew(drew, opponents, len(shown), draws)
    _check_deck(1 + len(others) + opponents, len(others), opponents, draw, draws, len(gone))
    return Question(
        loaded,
        holdings[0],
        shown,
        holdings[1:],
        gone,
        opponents,
        draw,
        draws,
        list(drew),
        seconds,
        samples,
        seed,
    )


def _sviten_cards(
    game: Game, hands: Sequence[str], board: str, dead: str
) -> tuple[list[list[int]], list[int], list[int]]:
    """The cards of each hand, of the board, and the dead ones."""
    for text in (*hands, board, dead):
        _check_text("cards", text)
    for text in hands:
        if len(parse_cards(text)) != FULL_HAND:
            raise ValueError(f"hand {text!r}: {len(parse_cards(text))} cards given, expected 5")
    holdings, shown = known_cards(game, hands, board.strip() or None)
    owners = {card: "a hand" for cards in holdings for card in cards}
    owners.update(dict.fromkeys(shown, "the board"))
    return holdings, shown, _cards(game, "dead", dead, owners)


def _check_drew(drew: Sequence[int], opponents: int, board: int, draws: bool) -> None:
    if not drew:
        return
    _check_count("drew: numbers", len(drew), 1, min(opponents, MOST_CHOSEN))
    for count in drew:
        _check_count("drew", count, -1, FULL_HAND)
    if any(count >= 0 for count in drew) and not (draws and board >= FLOP):
        raise ValueError("drew: cards are thrown after the flop, by opponents who draw (best)")


def _check_deck(
    seats: int, others: int, opponents: int, draw: bool, opponents_draw: bool, dead: int
) -> None:
    """Raise ValueError if the deck could run out: a drawer needs up to six cards."""
    drawers = (1 if draw else 0) + (opponents if opponents_draw else 0)
    drawers += others if draw and opponents_draw else 0
    needed = FULL_HAND * seats + FULL_BOARD + 6 * drawers
    if needed > CARDS:
        raise ValueError(
            f"{seats} players, {drawers} of whom draw: the deck can run out; fewer opponents can "
            "draw, or all stand pat"
        )
    if needed + dead > CARDS:
        raise ValueError(f"dead: {dead} cards given, at most {CARDS - needed} with so many players")


def compile_kernels() -> None:
    """Compile what the calculator needs, or load it from the cache: seconds the first time."""
    hand, other, flop = "AsAdKcKs9c", "QhTh8c6s3d", "2h7h4c"
    for board, others, draws in ((flop, (), BEST), (flop, (other,), PAT), ("", (other,), BEST)):
        sviten_document("sviten_special", hand, board, others, opponents_draw=draws, samples=1)
    for board in (flop, flop + "JhQd"):
        sviten_document("sviten_special", hand, board, draw=False, samples=1)
    sviten_document("sviten_special", hand, flop, (other,), draw=False)


# Checks.


def _cards(game: Game, where: str, text: str, owners: dict[int, str]) -> list[int]:
    """The cards of a text; `owners` remembers where each card has been seen."""
    _check_text(where, text)
    cards = parse_cards(text)
    deck = int(game.tables.rules[0]["deck"])
    for card in cards:
        if not deck >> card & 1:
            raise ValueError(f"{where} {text}: {card_name(card)} is not in the deck of {game.name}")
        if card in owners:
            raise ValueError(f"{where} {text}: {card_name(card)} is already in {owners[card]}")
        owners[card] = f"{where} {text}"
    return cards


def _check_text(where: str, text: str) -> None:
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise ValueError(
            f"{where}: expected cards such as 7c9sJs, in at most {LONGEST_TEXT} letters"
        )


def _check_count(what: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{what}: {value!r} given, expected a whole number from {low} to {high}")


def _check_sampling(seconds: float, samples: int | None, seed: int) -> None:
    if not isinstance(seconds, int | float) or not SHORTEST <= seconds <= LONGEST:
        raise ValueError(f"seconds: {seconds!r} given, expected {SHORTEST} to {LONGEST}")
    if samples is not None:
        _check_count("samples", samples, 1, MOST_SAMPLES)
    _check_count("seed", seed, 0, MAX_SEED)
