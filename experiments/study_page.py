"""The page of a study: what a solved game says to somebody who plays it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

import numpy as np

from pokerspiel.experiments import study_figures as figures
from pokerspiel.experiments import study_plots as plots
from pokerspiel.experiments.report import figure, page, table
from pokerspiel.experiments.study_figures import Contrast, Decision, Solution
from pokerspiel.experiments.study_words import (
    FOLD,
    SHOWDOWN,
    TIE,
    cards_in_words,
    meaning,
    met,
    minus,
    percent,
    situation,
)

DECISIONS = 40
"""Decisions that are shown at most."""
CONTRASTS = 6
"""Cases of hands of the same score that are shown."""
HANDS = 1000
"""Hands of an evening, for what exploitability is in money."""

_LIGHT = {
    "ink": "#1f2933",
    "soft": "#52606d",
    "muted": "#7b8794",
    "line": "#e4e7eb",
    "card": "#ffffff",
    "paper": "#fbfbf9",
    "code": "#f0f2f4",
    "fold": "#b4bdc7",
    "call": "#3e7cb1",
    "raise0": "#0b6e4f",
    "raise1": "#e0a03b",
    "raise2": "#c05746",
    "raise3": "#7e57c2",
}
_DARK = {
    "ink": "#e4e9ee",
    "soft": "#a9b4c0",
    "muted": "#8a96a3",
    "line": "#2d363f",
    "card": "#1a2027",
    "paper": "#12161b",
    "code": "#232b33",
    "fold": "#4f5b67",
    "call": "#5a9bd4",
    "raise0": "#2fae85",
    "raise1": "#e5ac50",
    "raise2": "#dc7563",
    "raise3": "#a384dd",
}


def _variables(colors: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {color};" for name, color in colors.items())


_STYLE = f"""
:root {{ color-scheme: light dark; {_variables(_LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_variables(_DARK)} }} }}
body {{ background: var(--paper); color: var(--ink); }}
main {{ max-width: 54rem; padding: 3rem 1.2rem 5rem; }}
main > p, main > ul {{ max-width: 44rem; }}
h2, td {{ border-color: var(--line); }}
h3 {{ font: 600 1rem/1.35 system-ui, "Segoe UI", Helvetica, sans-serif; margin: 0 0 .5rem; }}
th {{ color: var(--soft); border-color: var(--line); }}
p.lead, .card span, figcaption, .small {{ color: var(--soft); }}
summary {{ color: var(--call); margin: 1.4rem 0; }}
.card, figure {{ background: var(--card); border-color: var(--line); }}
.card b {{ color: var(--raise0); font-size: 1.4rem; white-space: nowrap; margin-bottom: .3rem; }}
.card span {{ display: block; line-height: 1.4; }}
.cards {{ grid-template-columns: repeat(auto-fit, minmax(9.3rem, 1fr)); gap: .8rem; }}
code {{ background: var(--code); white-space: nowrap; }}
td {{ overflow-wrap: anywhere; }}
.pair {{ display: grid; gap: 1rem; margin: 1.2rem 0; align-items: stretch;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); }}
.pair figure {{ margin: 0; min-width: 0; }}
figure svg {{ display: block; }}
figure.wide svg {{ max-width: 36rem; margin: 0 auto; }}
figure svg text {{ font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif !important; }}
.keys {{ margin: .5rem 0 .3rem; }}
.key {{ display: inline-block; margin-right: .9rem; color: var(--ink); }}
.key::before {{ content: ""; display: inline-block; width: .75em; height: .75em;
  border-radius: 2px; background: var(--c); margin-right: .35em; }}
"""


def study_html(solution: Solution, sensitivity: Sequence[Mapping[str, Any]]) -> str:
    """The whole page; `sensitivity` holds rows as of `figures.sensitivity_row`."""
    some = figures.decisions(solution)[:DECISIONS]
    parts = (
        _beginning(solution),
        _blind(solution),
        _scores(solution, some),
        _contrasts(solution, some),
        _position(solution),
        _svarkas(solution),
        _endings(solution),
        _house_rules(solution, sensitivity),
        _method(solution),
    )
    return page("Svara for two, solved", "\n".join(part for part in parts if part), _STYLE)


def _pair(drawings: Sequence[str]) -> str:
    lines = "\n".join(drawings)
    return f'<div class="pair">\n{lines}\n</div>'


def _titled(title: str, svg: str, caption: str) -> str:
    return figure(f"<h3>{escape(title)}</h3>\n{svg}", caption)


def _wide(svg: str, caption: str) -> str:
    return figure(svg, caption).replace("<figure>", '<figure class="wide">', 1)


def _keys(words: Sequence[str], shares: Sequence[float] | None = None) -> str:
    """The colours of actions, with how often each is taken."""
    color = plots.color_of_words(words)
    texts = [meaning(word) for word in words]
    if shares is not None:
        texts = [f"{text} {percent(share)}" for text, share in zip(texts, shares, strict=True)]
    return '<div class="keys">{}</div>'.format(
        "".join(
            f'<span class="key" style="--c: var({plots.VARIABLES[color[word]]})">{text}</span>'
            for word, text in zip(words, texts, strict=True)
        )
    )


def antes(amount: float) -> str:
    """An amount that is never negative, with two digits that count."""
    return np.format_float_positional(amount, precision=2, unique=False, fractional=False, trim="-")


def joined(names: Sequence[str]) -> str:
    """ "a, b and c"."""
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


# What it is about.


def _beginning(solution: Solution) -> str:
    hands = int(solution.chain.hands.count.sum())
    value, off = figures.first_value(solution), figures.exploitability(solution)
    stack, ante = solution.chain.start[0], solution.unit
    cards = (
        _place_card(value, "first player"),
        _place_card(-value, "dealer"),
        (percent(figures.blind_first(solution)), "of hands: the first player bets blind"),
        (antes(off * HANDS), f"antes in {HANDS:,} hands: the most that anybody can win from it"),
        (f"{hands:,}", "hands in the deck, and each is told apart"),
    )
    return (
        "<h1>Svara for two, solved</h1>\n"
        '<p class="lead">How to play against one opponent, worked out with every hand of the deck, '
        "with blind bets, and with svarkas until somebody takes the pot.</p>\n"
        f'<div class="cards">{"".join(_card(*card) for card in cards)}</div>\n'
        "<p>A <em>solution</em> is a way to play, for both places at the table, against which "
        "nothing works. Where it says “bet 27 %”, it bets about every fourth time, at random, so "
        "that nobody can read it. This one is right but for a hair: the cleverest opponent, who "
        "knows it by heart and sits in both places equally often, wins "
        f"{antes(off)} antes a hand on average and no more. That is called its "
        f"<em>exploitability</em>. Over {HANDS:,} hands it is {antes(off * HANDS)} antes: with an "
        f"ante of one coin, {antes(off * HANDS)} coins.</p>\n"
        f"<p>Both players begin a hand with {stack} chips, of which {ante} "
        f"{'is' if ante == 1 else 'are'} the ante. The <em>first player</em> sits left of the "
        "dealer and acts first. Amounts won are in antes a hand, pots and bets in chips.</p>"
    )


def _place_card(value: float, who: str) -> tuple[str, str]:
    return (
        minus(f"{value:+.3f}"),
        minus(f"antes a hand for the {who} ({1000 * value:+.1f} thousandths)"),
    )


def _card(number: str, text: str) -> str:
    return f'<div class="card"><b>{escape(number)}</b><span>{escape(text)}</span></div>'


# Blind bets.


def _blind(solution: Solution) -> str:
    choices = figures.blind_choices(solution)
    if not choices:
        return ""
    deal = solution.chain.deals[0]
    worth = [
        _titled(
            situation(deal, node),
            plots.choices_figure(some, f"Worth of actions: {situation(deal, node)}"),
            f"{_best_choice(some)} {_at(deal.path(node))}",
        )
        for node, some in choices.items()
    ]
    by_pot = [
        _titled(
            situation(deal, node),
            plots.blind_figure(blind, f"Blind bets by pot: {situation(deal, node)}"),
            _keys(blind.words),
        )
        for node, blind in zip(choices, figures.blind_by_pot(solution), strict=True)
    ]
    return "\n".join(
        (
            "<h2>When to bet blind</h2>",
            "<p>At the first pot: how often the solution does what, and what a player wins on "
            "average in hands in which it comes to this, when both play on as the solution does. "
            "The further right a bar ends, the better.</p>",
            _pair(worth),
            f"<p>{_blind_pots(solution)} Each bar is a pot, the first one on the left; those "
            "further to the right are pots of svarkas, with fewer chips left to bet. Where "
            "the first player looks, the answer to a blind bet only has to be good enough: it may "
            "change from pot to pot without a reason.</p>",
            _pair(by_pot),
        )
    )


def _at(path: Sequence[str]) -> str:
    """What asks for the decision at the end of a path."""
    return f'<code>--at "{escape(" ".join(path))}"</code>'


def _best_choice(choices: Sequence[figures.Choice]) -> str:
    best = max(choices, key=lambda one: one.worth)
    second = max((one for one in choices if one is not best), key=lambda one: one.worth)
    return (
        f"The best is to {meaning(best.word)}: {best.worth - second.worth:.3f} antes better than "
        f"to {meaning(second.word)}."
    )


def _blind_pots(solution: Solution) -> str:
    """At which pots the first player bets blind."""
    first = figures.blind_by_pot(solution)[0]
    looks = first.frequency[first.words.index("look")]
    pots = [str(pot) for pot in first.pots[looks < 0.5]]
    if not pots:
        return "The first player looks more often than not, whatever the pot."
    return f"The first player bets blind more often than not at pots of {joined(pots)} chips."


# Scores.


def _scores(solution: Solution, some: Sequence[Decision]) -> str:
    if not some:
        return ""
    often = [one for one in some if one.chance >= figures.SELDOM]
    seldom = [one for one in some if one.chance < figures.SELDOM]
    parts = [
        "<h2>What to do with how many points</h2>",
        "<p>One picture for each decision of the first deal, the most frequent first. Every column "
        "is a score: the colours say how often hands of that score take each action. The grey "
        "columns below say how often you hold the score when it comes to this; scores that you "
        f"nearly never hold there are pale. {_ask(solution, some[0])}</p>",
        _pair([_score_picture(one) for one in often]),
    ]
    if seldom:
        parts.append(
            f"<details><summary>{len(seldom)} more decisions, each met in less than 1 % of the "
            "hands</summary>\n<p class='small'>The solution avoids what leads here. Against what "
            "an opponent does to bring you here it is safe all the same; what only your own "
            "mistakes lead to has been looked at less.</p>\n"
            f"{_pair([_score_picture(one) for one in seldom])}\n</details>"
        )
    return "\n".join(parts)


def _ask(solution: Solution, one: Decision) -> str:
    """How to ask for one decision in numbers: for this one, and for one of a svarka."""
    at = escape(" ".join(one.deal.path(one.node)))
    command = f'pokerspiel study {escape(solution.name)} --at "{at}"'
    pots = Counter(deal.pot for deal in solution.chain.deals)
    svarkas = [deal.pot for deal in solution.chain.deals[1:] if pots[deal.pot] == 1]
    more = f', <code>--at "pot {svarkas[0]}: {at}"</code> that of a svarka' if svarkas else ""
    return f"<code>{command}</code> prints a decision in numbers{more}."


def _score_picture(one: Decision) -> str:
    title = situation(one.deal, one.node)
    caption = (
        f"{_keys(one.words, list(one.frequency))}{escape(rule_of_thumb(one))} "
        f"{met(one.chance).capitalize()}. {_at(one.deal.path(one.node))}"
    )
    return _titled(title, plots.score_figure(one, title), caption)


def rule_of_thumb(one: Decision) -> str:
    """The most frequent action by score: "Mostly fold with 8 to 16, call with 17 to 20."."""
    held = [i for i in range(len(one.scores)) if not np.isnan(one.by_score[0, i])]
    runs = [
        (word, [int(one.scores[i]) for i in some])
        for word, some in groupby(held, key=lambda i: one.words[int(one.by_score[:, i].argmax())])
    ]
    spans: dict[str, list[str]] = {}
    for word, scores in runs:
        span = f"{scores[0]} to {scores[-1]}" if len(scores) > 1 else str(scores[0])
        spans.setdefault(word, []).append(span)
    texts = [f"{meaning(word)} with {joined(some)}" for word, some in spans.items()]
    return f"Mostly {', '.join(texts)}."


# Same score, different hand.


def _contrasts(solution: Solution, some: list[Decision]) -> str:
    found = figures.contrasts(solution, some, CONTRASTS)
    found = [one for one in found if one.frequency[-1] - one.frequency[0] > 0.1]
    if not found:
        return ""
    return "\n".join(
        (
            "<h2>Same points, different hand</h2>",
            "<p>Points are not all: the cards that you hold are cards that the other cannot have. "
            "These are the cases in which hands of one score are played most differently. Each dot "
            "is a hand, larger if it comes more often; the lines sort the hands by what they hold, "
            "the <em>joker</em>, an <em>A</em>, a <em>10</em> (or J, Q, K) or a <em>low</em> card "
            "(7, 8, 9). Some of the differences are choices between actions that are worth the "
            "same.</p>",
            _pair([_contrast_picture(solution, one) for one in found]),
        )
    )


def _contrast_picture(solution: Solution, one: Contrast) -> str:
    cards = solution.chain.hands.cards
    title = f"{one.score} points. {situation(one.decision.deal, one.decision.node)}"
    action = meaning(one.decision.words[one.action])
    least, most = _extreme(one, 0), _extreme(one, -1)
    caption = (
        f"{escape(action).capitalize()}: {percent(one.frequency[least])} with "
        f"{_cards(cards[one.classes[least]])}, {percent(one.frequency[most])} with "
        f"{_cards(cards[one.classes[most]])}."
    )
    return _titled(title, plots.contrast_figure(one, cards, title), caption)


def _cards(cards: np.ndarray) -> str:
    return cards_in_words(cards).replace(" ", "&nbsp;")


def _extreme(one: Contrast, end: int) -> int:
    """The hand held most often of those that take the action about as often as the last one."""
    near = np.flatnonzero(np.abs(one.frequency - one.frequency[end]) < 0.01)
    return int(near[one.weight[near].argmax()])


# Pots.


def _position(solution: Solution) -> str:
    pots = figures.svara_pots(solution)
    wins = -figures.first_value(solution) * HANDS
    who = "dealer" if wins > 0 else "first player"
    return "\n".join(
        (
            "<h2>What the place is worth</h2>",
            f"<p>Who acts last knows more. Over {HANDS:,} hands the {who} wins {abs(wins):.0f} "
            "antes from the other; as players take turns to deal it comes back. The picture shows "
            "what each place wins, on average, beyond half the pot that the deal begins with.</p>",
            _wide(
                plots.position_figure(pots, "What each place wins by pot"),
                f"{_places_key()}Left: the first deal of a hand. Further right: svarkas, with more "
                "in the pot and fewer chips left to bet.",
            ),
        )
    )


def _svarkas(solution: Solution) -> str:
    pots = figures.svara_pots(solution)
    if len(pots.pots) < 2:
        return ""
    return "\n".join(
        (
            "<h2>What a svarka is worth</h2>",
            "<p>After a tie both play a new deal for the pot. Each has half of it, more or less: "
            f"the place at the table decides how much. {_dealers_part(pots)}</p>",
            _pair(
                [
                    _titled(
                        "More or less than half the pot",
                        plots.share_figure(pots, "Share of the pot beyond half"),
                        f"{_places_key()}What a place wins beyond half, as a share of the pot.",
                    ),
                    _titled(
                        "How often a pot comes up",
                        plots.chance_figure(pots, "How often a hand comes to each pot"),
                        f"There are {figures.svarkas_per_hand(solution):.3f} svarkas a hand. Pots "
                        "that come up less than once in ten million hands are not shown.",
                    ),
                ]
            ),
        )
    )


def _dealers_part(pots: figures.Pots) -> str:
    small, large = (f"{50.0 - 100.0 * share:.1f} %" for share in (pots.share[1], pots.share[-1]))
    return (
        f"Of a pot of {pots.pots[1]} chips {small} belong to the dealer, of {pots.pots[-1]} chips "
        f"{large}."
    )


def _places_key() -> str:
    return (
        '<div class="keys"><span class="key" style="--c: var(--call)">first player</span>'
        '<span class="key" style="--c: var(--raise0)">dealer</span></div>'
    )


# Ends.


def _endings(solution: Solution) -> str:
    first = figures.endings_of_first(solution)
    svarkas = figures.endings_of_svarkas(solution)
    folds = sum(end.chance for end in first if end.kind[0] == FOLD)
    names = {end.kind: _ending_name(end.kind) for end in (*first, *svarkas)}
    pot = figures.mean_final_pot(solution)
    after = " The pale bars are deals that follow a tie." if svarkas else ""
    return "\n".join(
        (
            "<h2>How a hand ends</h2>",
            f"<p>{percent(folds).capitalize()} of the hands end without a showdown in the first "
            f"deal. The pot that somebody takes in the end, svarkas included, is {pot:.2f} antes "
            "on average.</p>",
            _wide(
                plots.endings_figure(first, svarkas, names),
                "How often deals end in each way, and the mean pot then, in chips, without bets "
                f"that nobody called.{after} What is rarer than once in 1,000 deals is not shown.",
            ),
        )
    )


def _ending_name(kind: tuple[str, ...]) -> str:
    if kind == (SHOWDOWN,):
        return "showdown, one wins"
    if kind == (TIE,):
        return "showdown, tie"
    who = "first player" if kind[1] == "first" else "dealer"
    if kind[2] == "nothing":
        return f"{who} folds at once"
    return f"{who} folds to a {kind[2]}"


# House rules.

_MEASURES = (
    ("value", "The first player's place", "Antes that the first player wins in a hand.", False),
    ("blind_first", "Blind bets", "How often the first player bets blind.", True),
    ("bet_rate", "First bets", "How often the first player bets once it has looked.", True),
    ("exploitability", "How exact", "Antes a hand that can be won from the solution.", False),
)
"""Of a row: what it holds, its title, a sentence, and whether it is a share."""


def _house_rules(solution: Solution, sensitivity: Sequence[Mapping[str, Any]]) -> str:
    if not sensitivity:
        return ""
    rows = [figures.sensitivity_row("as above", solution), *sensitivity]
    return "\n".join(
        (
            "<h2>What the house rules change</h2>",
            "<p>The same game with one rule changed, solved anew each time. The dashed line is the "
            "game of this page.</p>",
            _pair(
                [
                    _titled(title, plots.sensitivity_figure(rows, key, title, share), caption)
                    for key, title, caption, share in _MEASURES
                ]
            ),
        )
    )


# Method.


def _method(solution: Solution) -> str:
    chain, game = solution.chain, solution.evaluation.game
    ours, best = game.values / solution.unit, game.best_values / solution.unit
    facts = [
        ("game", chain.game),
        ("strategies", solution.name),
        *solution.facts.items(),
        ("hands", f"{chain.hands.count.sum():,} in {chain.hands.classes:,} classes"),
        ("deals", f"{len(chain.deals):,} with different stakes, {chain.nodes:,} decisions"),
        ("exploitability", f"{figures.exploitability(solution):.3e} antes a hand, exact"),
        *(
            (f"value for the {who}", minus(f"{mine:+.6f}; best response {most:+.6f}"))
            for who, mine, most in zip(("first player", "dealer"), ours, best, strict=True)
        ),
    ]
    return "\n".join(
        (
            "<h2>How it was made</h2>",
            "<p>The strategies were improved against each other with all hands at once, by "
            "counterfactual regret minimization. Hands that differ by the names of suits only make "
            "one class. Then the best answer to each strategy was computed, without any sampling: "
            "exploitability is what the best answers win on average over both places.</p>",
            table(("", ""), facts),
            "<p>What it leaves out: more than two players, other stacks, and all that an opponent "
            "does wrong. A solution does not lose to anybody, but whoever knows the mistakes of an "
            "opponent wins more by playing on them.</p>",
        )
    )
