/**
 * Where the cards of a question lie: slots for hands, the board and dead cards, and the deck that
 * fills them. A card is chosen from the deck or typed, and lies in one slot at most.
 */

import { cardElement, cardName, cardNames, deckOf, deckPicker, JOKER } from "./cards.js";
import { announce, el, fill, uniqueId } from "./dom.js";

const WRITTEN = /^(10|[2-9TJQKA])([CDHS])/i;

/** The cards of a text such as "As 10d,7c". Throws Error that names what is no card. */
export function readCards(text) {
  const cards = [];
  let rest = text.replace(/[\s,]+/g, "");
  while (rest) {
    const found = WRITTEN.exec(rest);
    if (!found) throw new Error(`"${rest.slice(0, 2)}" is no card: write As, Td or 7c`);
    const card = found[1].replace("10", "T").toUpperCase() + found[2].toLowerCase();
    if (cards.includes(card)) throw new Error(`${card} comes twice`);
    cards.push(card);
    rest = rest.slice(found[0].length);
  }
  return cards;
}

/**
 * The slots and the deck under them. Each slot is {key, title, size, cards, removable?, hint?};
 * `onChange()` is called when cards have moved, `onRemove(slot)` when a slot is to go.
 */
export function cardTable({ slots, ranks, svara, onChange, onRemove }) {
  const table = { slots, active: slots.find((slot) => slot.cards.length < slot.size) ?? slots[0] };
  const deck = deckOf(ranks);
  const changed = () => {
    refresh(table, deck);
    onChange();
  };
  table.deck = new Set(deck);
  table.name = el("strong");
  table.picker = deckPicker({
    cards: deck,
    joker: svara ? JOKER : undefined,
    label: "Deck: choose cards for the marked place",
    onToggle: (card, chosen) => {
      if (chosen) put(table, card);
      else take(table, card);
      changed();
    },
  });
  table.nodes = new Map(slots.map((slot) => [slot, slotNode(table, slot, svara, changed, onRemove)]));
  table.node = el(
    "div",
    { class: "calc-cards" },
    el("div", { class: "calc-slots" }, slots.map((slot) => table.nodes.get(slot).node)),
    el("p", { class: "calc-target small" }, "Cards from the deck go to: ", table.name),
    table.picker,
  );
  table.activate = (slot) => {
    table.active = slot;
    refresh(table, deck);
  };
  refresh(table, deck);
  return table;
}

function put(table, card) {
  const roomy = (slot) => slot.cards.length < slot.size;
  const slot = roomy(table.active) ? table.active : table.slots.find(roomy);
  if (!slot) return;
  slot.cards.push(card);
  announce(`${cardName(card)}: ${slot.title}, ${slot.cards.length} of ${slot.size}`);
  // A hand that is full hands over; the board may stay at three cards.
  table.active = roomy(slot) ? slot : table.slots.find(roomy) ?? slot;
}

function take(table, card) {
  const slot = table.slots.find((one) => one.cards.includes(card));
  slot.cards.splice(slot.cards.indexOf(card), 1);
  table.active = slot;
  announce(`${cardName(card)} taken from ${slot.title}`);
}

function refresh(table, deck) {
  const taken = table.slots.flatMap((slot) => slot.cards);
  const full = table.slots.every((slot) => slot.cards.length >= slot.size);
  table.picker.update({
    selected: taken,
    disabled: full ? deck.filter((card) => !taken.includes(card)) : [],
  });
  table.name.textContent = full ? "nowhere, all places are full" : table.active.title;
  for (const [slot, parts] of table.nodes) parts.update(slot === table.active);
}

// One slot.

function slotNode(table, slot, svara, changed, onRemove) {
  const cards = el("span", { class: "calc-held" });
  const target = el(
    "button",
    { type: "button", class: "calc-target-button", dataset: { slot: slot.key },
      onclick: () => table.activate(slot) },
    el("span", { class: "calc-slot-title" }, slot.title), cards,
  );
  const problem = el("p", { class: "hint bad", id: uniqueId("problem"), role: "alert" });
  const text = textInput(table, slot, problem, changed);
  const node = el(
    "div",
    { class: "calc-slot", role: "group", "aria-label": slot.title },
    target,
    el("div", { class: "calc-slot-tools" }, text,
      el("button", { type: "button", class: "quiet", "aria-label": `Clear ${slot.title}`,
        onclick: () => {
          slot.cards.length = 0;
          table.active = slot;
          changed();
        } }, "Clear"),
      slot.removable && el("button", { type: "button", class: "quiet",
        "aria-label": `Remove ${slot.title}`, onclick: () => onRemove(slot) }, "Remove")),
    problem,
    slot.hint && el("p", { class: "hint" }, slot.hint),
  );
  const update = (active) => {
    node.classList.toggle("calc-active", active);
    target.setAttribute("aria-pressed", String(active));
    const said = slot.cards.length ? cardNames(slot.cards) : "no cards";
    target.setAttribute("aria-label", `${slot.title}: ${said}. Choose cards for it`);
    fill(cards, held(slot, svara));
    if (document.activeElement !== text) {
      text.value = slot.cards.join(" ");
      problem.textContent = "";
    }
  };
  return { node, update };
}

function held(slot, svara) {
  const options = { size: "s", decorative: true };
  const shown = slot.cards.map((card) =>
    cardElement(card, { ...options, joker: svara && card === JOKER }));
  const free = Math.max(Math.min(slot.size, 5) - shown.length, 0);
  return [...shown, ...Array.from({ length: free }, () => el("span", { class: "calc-free" }))];
}

function textInput(table, slot, problem, changed) {
  const input = el("input", {
    type: "text", class: "calc-text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    placeholder: "or type: As Td 7c", "aria-label": `${slot.title} as text`,
    "aria-describedby": problem.id, dataset: { testid: `text-${slot.key}` },
  });
  const read = () => {
    const cards = readCards(input.value);
    const missing = cards.find((card) => !table.deck.has(card));
    if (missing) throw new Error(`${missing} is not in the deck of this game`);
    if (cards.length > slot.size) throw new Error(`${cards.length} cards: ${slot.title} has ${slot.size}`);
    for (const other of table.slots) {
      const twice = other !== slot && cards.find((card) => other.cards.includes(card));
      if (twice) throw new Error(`${twice} is in ${other.title}`);
    }
    return cards;
  };
  const use = (tell) => {
    try {
      const cards = read();
      problem.textContent = "";
      if (cards.join() === slot.cards.join()) return;
      slot.cards.splice(0, slot.cards.length, ...cards);
      changed();
    } catch (error) {
      if (tell) problem.textContent = error.message;
    }
  };
  input.addEventListener("focus", () => table.activate(slot));
  input.addEventListener("input", () => use(false));
  input.addEventListener("change", () => use(true));
  input.addEventListener("blur", () => {
    if (!problem.textContent) input.value = slot.cards.join(" ");
  });
  return input;
}
