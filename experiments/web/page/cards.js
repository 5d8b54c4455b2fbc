/**
 * Playing cards: "Ts" is the ten of spades, null a card that lies face down.
 *
 * Texts without a suit ("K", as in Kuhn poker) are drawn without one. Whether suits have two
 * colours or four is a choice of the person, kept by `setDeckColours`.
 */

import { el, kept, svg } from "./dom.js";

export const RANKS = "AKQJT98765432";
export const SUITS = "shdc";
export const SVARA_RANKS = "AKQJT987";
export const JOKER = "7c";

const RANK_NAMES = {
  A: "ace",
  K: "king",
  Q: "queen",
  J: "jack",
  T: "ten",
  9: "nine",
  8: "eight",
  7: "seven",
  6: "six",
  5: "five",
  4: "four",
  3: "three",
  2: "two",
};
const SUIT_NAMES = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const SUIT_SIGNS = { s: "\u2660", h: "\u2665", d: "\u2666", c: "\u2663" };
const TEXT_STYLE = "\ufe0e";

const PIPS = {
  s: "M12 2c4.2 4.7 9 7.7 9 12.1 0 2.9-2.2 4.8-4.6 4.8-1.3 0-2.3-.5-3.1-1.4.2 1.9.9 3.3 2.2 4.5H8.5c1.3-1.2 2-2.6 2.2-4.5-.8.9-1.8 1.4-3.1 1.4C5.2 18.9 3 17 3 14.1 3 9.7 7.8 6.7 12 2z",
  h: "M12 21.5C5.2 16 2 12.4 2 8.6 2 5.5 4.3 3 7.2 3c2 0 3.8 1.1 4.8 2.9C13 4.1 14.8 3 16.8 3 19.7 3 22 5.5 22 8.6c0 3.8-3.2 7.4-10 12.9z",
  d: "M12 1.5c2.2 4 4.8 7.4 8 10.5-3.2 3.1-5.8 6.5-8 10.5-2.2-4-4.8-7.4-8-10.5 3.2-3.1 5.8-6.5 8-10.5z",
  c: "M12 2a4.6 4.6 0 0 1 4 6.9 4.8 4.8 0 1 1-2.7 8.3c.2 1.9.9 3.4 2.2 4.8h-7c1.3-1.4 2-2.9 2.2-4.8A4.8 4.8 0 1 1 8 8.9 4.6 4.6 0 0 1 12 2z",
};
const STAR = "M12 2.5l2.9 6.2 6.7.8-5 4.6 1.4 6.7-6-3.4-6 3.4 1.4-6.7-5-4.6 6.7-.8z";

/** A drawing of a suit, coloured by the style sheet. */
export function suitPip(suit) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", class: "pip", "data-suit": suit, "aria-hidden": "true" },
    svg("path", { d: PIPS[suit] }),
  );
}

/** What a card is called: "ace of spades"; "face-down card" for null. */
export function cardName(text) {
  if (!text) return "face-down card";
  const rank = RANK_NAMES[text[0]] ?? text;
  const suit = SUIT_NAMES[text[1]];
  return suit ? `${rank} of ${suit}` : rank;
}

/** Cards in words, for screen readers: "ace of spades, two of hearts". */
export function cardNames(cards) {
  return cards.map(cardName).join(", ");
}

/**
 * A card to look at. `size` is one of "xs", "s", "m", "l", "xl"; `joker` marks it as the joker of
 * Svara; `dim` shows that it no longer counts; `decorative` hides it from screen readers, where
 * the same is said in words. The style sheet gives the width, `--card-width` overrules it.
 */
export function cardElement(
  text,
  { size = "m", joker = false, dim = false, decorative = false } = {},
) {
  const suit = text?.[1];
  const classes = ["card", `card-${size}`];
  if (!text) classes.push("card-back");
  if (joker) classes.push("card-joker");
  if (dim) classes.push("card-dim");
  const said = decorative
    ? { "aria-hidden": "true" }
    : { role: "img", "aria-label": `${cardName(text)}${joker ? ", the joker" : ""}` };
  return el(
    "span",
    { class: classes.join(" "), dataset: { card: text ?? "", suit }, ...said },
    text && face(text, joker),
  );
}

function face(text, joker) {
  const suit = text[1];
  return [
    el(
      "span",
      { class: "card-index", "aria-hidden": "true" },
      el("span", { class: "card-rank" }, rankText(text)),
      suit && suitPip(suit),
    ),
    suit && el("span", { class: "card-pip", "aria-hidden": "true" }, suitPip(suit)),
    joker &&
      svg(
        "svg",
        { viewBox: "0 0 24 24", class: "card-star", "aria-hidden": "true" },
        svg("path", { d: STAR }),
      ),
  ];
}

/** The rank as it stands on the card. */
export function rankText(text) {
  return text[0] === "T" ? "10" : text[0];
}

/** Several cards side by side. */
export function cardRow(cards, { label, isJoker = () => false, ...options } = {}) {
  return el(
    "span",
    { class: "card-row", role: label ? "group" : null, "aria-label": label },
    cards.map((card) => cardElement(card, { ...options, joker: isJoker(card) })),
  );
}

const NAMED_CARDS = /\b(?:[2-9TJQKA][cdhs])+\b/g;

/** A line of text whose cards ("7cTs") are set with coloured suits: nodes for `el`. */
export function withCards(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(NAMED_CARDS)) {
    nodes.push(text.slice(end, match.index), inlineCards(match[0]));
    end = match.index + match[0].length;
  }
  nodes.push(text.slice(end));
  return nodes;
}

function inlineCards(cards) {
  const pairs = cards.match(/../g);
  return el(
    "span",
    { class: "cards-inline" },
    pairs.map((card, i) => [
      i > 0 && " ",
      el(
        "span",
        { class: "card-inline", dataset: { suit: card[1] } },
        `${rankText(card)}${SUIT_SIGNS[card[1]]}${TEXT_STYLE}`,
      ),
    ]),
  );
}

/** All cards of a deck, suit by suit. */
export function deckOf(ranks = RANKS, suits = SUITS) {
  return [...suits].flatMap((suit) => [...ranks].map((rank) => `${rank}${suit}`));
}

/**
 * A grid of cards to choose from, one row for each suit: with the mouse, by touch, or with the
 * arrow keys and Space. `onToggle(card, chosen)` is called with what the person wants; the picker
 * changes nothing by itself: call `picker.update({selected, disabled})` on the element returned.
 */
export function deckPicker({
  cards,
  selected = [],
  disabled = [],
  onToggle,
  label = "Deck",
  joker,
}) {
  const suits = [...new Set(cards.map((card) => card[1]))];
  const buttons = new Map(cards.map((card) => [card, pickerButton(card, card === joker)]));
  const picker = el(
    "div",
    { class: "deck-picker", role: "group", "aria-label": label },
    suits.map((suit) =>
      el(
        "div",
        { class: "deck-suit", dataset: { suit } },
        cards.filter((card) => card[1] === suit).map((card) => buttons.get(card)),
      ),
    ),
  );
  picker.update = ({ selected: chosen = [], disabled: barred = [] }) => {
    const [on, off] = [new Set(chosen), new Set(barred)];
    for (const [card, button] of buttons) {
      button.setAttribute("aria-pressed", String(on.has(card)));
      button.setAttribute("aria-disabled", String(off.has(card)));
    }
  };
  picker.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button || button.getAttribute("aria-disabled") === "true") return;
    onToggle(button.dataset.card, button.getAttribute("aria-pressed") !== "true");
  });
  roam(picker, [...buttons.values()]);
  picker.update({ selected, disabled });
  return picker;
}

function pickerButton(card, joker) {
  return el(
    "button",
    {
      type: "button",
      class: "deck-card",
      dataset: { card, suit: card[1] },
      "aria-label": `${cardName(card)}${joker ? ", the joker" : ""}`,
      "aria-pressed": "false",
    },
    el("span", { class: "card-rank", "aria-hidden": "true" }, rankText(card)),
    suitPip(card[1]),
  );
}

/** One stop for Tab, arrow keys go from card to card, up and down by where the cards are drawn. */
function roam(picker, buttons) {
  const visit = (button) => {
    for (const other of buttons) other.tabIndex = other === button ? 0 : -1;
  };
  visit(buttons[0]);
  picker.addEventListener("focusin", (event) => visit(event.target));
  picker.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement);
    const next = at < 0 ? undefined : neighbour(buttons, at, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

function neighbour(buttons, at, key) {
  if (key === "ArrowRight") return buttons[at + 1];
  if (key === "ArrowLeft") return buttons[at - 1];
  if (key === "Home") return buttons[0];
  if (key === "End") return buttons.at(-1);
  if (key !== "ArrowDown" && key !== "ArrowUp") return undefined;
  const { x, y } = buttons[at].getBoundingClientRect();
  const down = key === "ArrowDown";
  const boxes = buttons.map((button) => [button, button.getBoundingClientRect()]);
  const beyond = boxes.filter(([, box]) => (down ? box.y > y + 1 : box.y < y - 1));
  const rows = beyond.map(([, box]) => box.y);
  const row = down ? Math.min(...rows) : Math.max(...rows);
  const line = beyond.filter(([, box]) => Math.abs(box.y - row) < 2);
  line.sort(([, a], [, b]) => Math.abs(a.x - x) - Math.abs(b.x - x));
  return line[0]?.[0];
}

/** Two colours of suits or four: "two" or "four". */
export function deckColours() {
  return document.documentElement.dataset.deck === "two" ? "two" : "four";
}

export function setDeckColours(colours) {
  document.documentElement.dataset.deck = colours;
  kept.set("deck", colours);
}
