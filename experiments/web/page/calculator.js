/** The calculator: what hands of Svara and Sviten are worth, and what to throw after the flop. */

import { post } from "./api.js";
import { cardTable, readCards } from "./calculator_cards.js";
import { svaraResults, svitenResults } from "./calculator_results.js";
import { SVARA_RANKS } from "./cards.js";
import { announce, busyBox, el, errorBox, field, fill, select, uniqueId } from "./dom.js";
import { hrefFor, rememberParams } from "./route.js";

const GAMES = {
  svara: "Svara",
  sviten_special: "Sviten Special",
  sviten_flush: "Sviten Flush",
  dramaha: "Dramaha",
};
const PAUSE_MS = 350;
const HAND_SIZE = { svara: 3, sviten: 5 };
const MOST_HANDS = { svara: 9, sviten: 8 };
const MOST_DEAD = 10;
const FLOP = 3;
const MOST_TOLD = 3;
const DECK = 52;
const MOST_DRAWN = 6;
const LONG_SECONDS = 5;
const EXAMPLES = [
  ["Which card to throw, and which to keep", { game: "sviten_special", hand: "AsAdKcKs9c", board: "2h7h4c" }],
  ["Two hands on a flop, nobody draws", { game: "sviten_special", hand: "AsAdKcKs9c", board: "2h7h4c", others: "QhTh8c6s3d", draw: "no", opponents: "0" }],
  ["A four-card flush that may grow", { game: "sviten_flush", hand: "As9s6s3sKd", board: "2h7h4c" }],
  ["Svara: joker, nine and jack", { game: "svara", hand: "7c9sJs", opponents: "2" }],
  ["Svara: two cards seen, one to come", { game: "svara", hand: "7c9s", others: "AhKd" }],
];

/** `params` are those of the address: see `paramsOf`. */
export async function mount(root, params) {
  const page = {
    ...questionOf(params),
    form: el("div", { class: "calc-form" }),
    results: el("section", { class: "calc-results", "aria-label": "Result", tabindex: "-1" }),
    peek: el("button", { type: "button", class: "primary calc-peek", hidden: true }),
    timer: 0,
    asking: null,
  };
  fill(
    root,
    el("div", { class: "page-head" },
      el("div", null, el("h1", null, "Calculator"),
        el("p", { class: "lead" }, "Points, chances of both halves, and the 32 discards ranked.")),
      gameChoice(page)),
    el("div", { class: "calc" }, page.form, page.results),
    page.peek,
  );
  const watch = watchResults(page);
  drawForm(page);
  ask(page);
  return () => {
    window.clearTimeout(page.timer);
    page.asking?.abort();
    watch.disconnect();
  };
}

/** On small screens a button leads to the result while it lies below the window. */
function watchResults(page) {
  page.peek.addEventListener("click", () => {
    page.results.scrollIntoView({ block: "start" });
    page.results.focus({ preventScroll: true });
  });
  const watch = new IntersectionObserver(([seen]) => {
    page.inSight = seen.isIntersecting;
    showPeek(page);
  });
  watch.observe(page.results);
  return watch;
}

function showPeek(page) {
  page.peek.hidden = page.inSight !== false || !page.brief;
  page.peek.textContent = `${page.brief} \u2193`;
}

// The question, and the address that holds it.

function questionOf(params) {
  const game = Object.hasOwn(GAMES, params.game ?? "") ? params.game : "sviten_special";
  const [hand, board, dead] = ["hand", "board", "dead"].map((name) => cardsOr(params[name]).join(""));
  const others = (params.others ?? "").split("-").map((text) => cardsOr(text).join("")).filter(Boolean);
  return {
    game,
    cards: { hand, board, dead, others },
    showsDead: dead !== "",
    opponents: whole(params.opponents, others.length ? 0 : 1, 0, 8),
    draw: params.draw !== "no",
    style: ["best", "pat"].includes(params.style) ? params.style : null,
    drew: (params.drew ?? "").split("_").filter(Boolean).map((count) => whole(count, -1, -1, 5)),
    joker: params.joker === "sum_all" ? "sum_all" : "best",
    sevens: params.sevens === "fixed_23" ? "fixed_23" : "best",
  };
}

function whole(text, fallback, low, high) {
  const number = text === undefined || text === "" ? NaN : Number(text);
  return Number.isInteger(number) && number >= low && number <= high ? number : fallback;
}

function paramsOf(page) {
  const { hand, board, dead, others } = page.cards;
  const sviten = !isSvara(page);
  const known = others.filter(Boolean).join("-");
  return {
    game: page.game,
    hand: hand || null,
    others: known || null,
    opponents: page.opponents,
    board: (sviten && board) || null,
    dead: (sviten && dead) || null,
    draw: sviten && !page.draw ? "no" : null,
    style: sviten ? page.style : null,
    drew: sviten && page.drew.length ? page.drew.join("_") : null,
    joker: !sviten && page.joker !== "best" ? page.joker : null,
    sevens: !sviten && page.sevens !== "best" ? page.sevens : null,
  };
}

const isSvara = (page) => page.game === "svara";
const family = (page) => (isSvara(page) ? "svara" : "sviten");
const boardSize = (page) => page.cards.board.length / 2;
const drawsNext = (page) => page.draw && boardSize(page) <= FLOP;
const styleOf = (page) => page.style ?? (drawsNext(page) ? "best" : "pat");

function gameChoice(page) {
  const control = select(Object.entries(GAMES), page.game, { dataset: { testid: "calc-game" },
    onchange: () => {
      const before = family(page);
      page.game = control.value;
      if (family(page) !== before) Object.assign(page, questionOf({ game: page.game }));
      drawForm(page);
      ask(page);
    } });
  return field("Game", control);
}

// The form.

function drawForm(page) {
  const slots = slotsOf(page);
  page.options = el("div", { class: "calc-options" });
  const table = cardTable({
    slots,
    ranks: isSvara(page) ? SVARA_RANKS : undefined,
    svara: isSvara(page),
    onChange: () => {
      const before = boardSize(page);
      keepCards(page, slots);
      if (boardSize(page) !== before) drawOptions(page);
      askSoon(page);
    },
    onRemove: (slot) => {
      page.cards.others.splice(Number(slot.key.split("-")[1]), 1);
      page.opponents = Math.min(page.opponents + 1, MOST_HANDS[family(page)] - 1);
      drawForm(page);
      askSoon(page);
    },
  });
  fill(page.form,
    el("div", { class: "panel stack" }, el("h2", null, "Cards"), table.node, moreSlots(page)),
    el("div", { class: "panel stack" }, el("h2", null, isSvara(page) ? "House rules and opponents" : "Draw and opponents"), page.options));
  drawOptions(page);
}

function slotsOf(page) {
  const size = HAND_SIZE[family(page)];
  const slot = (key, title, text, more = {}) => ({ key, title, size, cards: cardsOr(text), ...more });
  const partly = isSvara(page) ? "1, 2 or 3 cards; those not known count as random" : null;
  const slots = [slot("hand", "Your hand", page.cards.hand, { hint: partly })];
  if (!isSvara(page)) slots.push(slot("board", "Board", page.cards.board, { size: 5 }));
  page.cards.others.forEach((text, i) => {
    slots.push(slot(`other-${i}`, `Hand ${i + 2}`, text, { removable: true }));
  });
  if (page.showsDead) {
    slots.push(slot("dead", "Dead cards", page.cards.dead, {
      size: MOST_DEAD, hint: "Cards that cannot come: thrown, rejected or shown" }));
  }
  return slots;
}

/** The cards of a text, none if it is none or damaged. */
function cardsOr(text) {
  try {
    return readCards(text ?? "");
  } catch {
    return [];
  }
}

function keepCards(page, slots) {
  for (const { key, cards } of slots) {
    if (key.startsWith("other-")) page.cards.others[Number(key.split("-")[1])] = cards.join("");
    else page.cards[key] = cards.join("");
  }
}

function moreSlots(page) {
  const seats = 1 + page.cards.others.length + page.opponents;
  const most = MOST_HANDS[family(page)];
  const full = page.cards.others.length + 1 >= most || (page.opponents === 0 && seats >= most);
  const show = (key) => {
    drawForm(page);
    page.form.querySelector(`[data-testid="text-${key}"]`).focus();
    askSoon(page);
  };
  return el("div", { class: "button-row" },
    el("button", { type: "button", disabled: full, dataset: { testid: "add-hand" }, onclick: () => {
      page.cards.others.push("");
      page.opponents = Math.max(page.opponents - 1, 0);
      show(`other-${page.cards.others.length - 1}`);
    } }, "Add a known hand"),
    !isSvara(page) && !page.showsDead && el("button", { type: "button", class: "quiet", dataset: { testid: "add-dead" }, onclick: () => {
      page.showsDead = true;
      show("dead");
    } }, "Add dead cards"));
}

function drawOptions(page) {
  const held = page.options.contains(document.activeElement) ? document.activeElement.dataset.testid : null;
  fill(page.options, isSvara(page) ? svaraOptions(page) : svitenOptions(page));
  if (held) page.options.querySelector(`[data-testid="${held}"]`)?.focus();
}

/** A <select> for one choice of the question. */
function choice(page, name, label, options, value, set, hint) {
  const control = select(options.map(([key, text]) => [String(key), text]), String(value), {
    dataset: { testid: `calc-${name}` },
    onchange: () => {
      set(control.value);
      drawOptions(page);
      askSoon(page);
    },
  });
  return field(label, control, hint);
}

function opponentsChoice(page) {
  const most = MOST_HANDS[family(page)] - 1 - page.cards.others.length;
  const counts = Array.from({ length: most + 1 }, (_, n) => [n, n === 0 ? "none" : String(n)]);
  return choice(page, "opponents", "Opponents with random cards", counts, page.opponents,
    (value) => { page.opponents = Number(value); });
}

function svaraOptions(page) {
  return [
    opponentsChoice(page),
    choice(page, "joker", "Joker", [["best", "11 and the better card"], ["sum_all", "11 and both cards"]],
      page.joker, (value) => { page.joker = value; },
      "With cards that share neither suit nor rank"),
    choice(page, "sevens", "Two sevens", [["best", "23, or more if the cards say so"], ["fixed_23", "always 23"]],
      page.sevens, (value) => { page.sevens = value; }),
  ];
}

function svitenOptions(page) {
  const onFlop = boardSize(page) <= FLOP;
  const options = [
    onFlop
      ? choice(page, "draw", "The draw", [["yes", "is to come"], ["no", "is over"]], page.draw ? "yes" : "no",
        (value) => { page.draw = value === "yes"; })
      : el("p", { class: "hint" }, "After the turn the draw is over."),
    opponentsChoice(page),
  ];
  if (page.opponents > 0 || (drawsNext(page) && page.cards.others.length)) {
    const past = !drawsNext(page);
    options.push(choice(page, "style", "Opponents", [
      ["best", past ? "have drawn well" : "draw well"],
      ["pat", past ? "hold any five cards" : "stand pat"],
    ], styleOf(page), (value) => { page.style = value; }));
  }
  if (styleOf(page) === "best" && boardSize(page) >= FLOP) {
    for (let i = 0; i < Math.min(page.opponents, MOST_TOLD); i += 1) options.push(drewChoice(page, i));
  }
  return options;
}

function drewChoice(page, i) {
  const counts = [[-1, "not known"], ...[0, 1, 2, 3, 4, 5].map((n) => [n, n === 0 ? "no card" : n === 1 ? "1 card" : `${n} cards`])];
  return choice(page, `drew-${i}`, `Opponent ${i + 1} threw`, counts, page.drew[i] ?? -1, (value) => {
    while (page.drew.length <= i) page.drew.push(-1);
    page.drew[i] = Number(value);
  });
}

// Asking.

function askSoon(page) {
  window.clearTimeout(page.timer);
  page.timer = window.setTimeout(() => ask(page), PAUSE_MS);
}

async function ask(page, seconds = 1) {
  window.clearTimeout(page.timer);
  page.asking?.abort();
  rememberParams("calculator", paramsOf(page));
  const missing = missingOf(page);
  if (missing) {
    fill(page.results, emptyResult(page, missing));
    tell(page, "");
    return;
  }
  const asking = new AbortController();
  page.asking = asking;
  const stale = page.results.querySelector(".calc-answer");
  if (stale) stale.classList.add("calc-stale");
  else fill(page.results, el("div", { class: "panel" }, busyBox("Calculating ...")));
  page.results.setAttribute("aria-busy", "true");
  try {
    const document = isSvara(page)
      ? await post("/api/calculator/svara", svaraRequest(page), { signal: asking.signal })
      : await post("/api/calculator/sviten", svitenRequest(page, seconds), { signal: asking.signal });
    const again = () => ask(page, LONG_SECONDS);
    const { node, said, brief } = isSvara(page) ? svaraResults(document) : svitenResults(document, again);
    fill(page.results, node);
    tell(page, said, brief);
  } catch (error) {
    if (error.name === "AbortError") return;
    fill(page.results, errorBox(error, () => ask(page, seconds)));
    tell(page, "");
  }
  page.results.removeAttribute("aria-busy");
}

function tell(page, said, brief = "") {
  page.brief = brief;
  if (said) announce(said);
  showPeek(page);
}

function svaraRequest(page) {
  const hands = [page.cards.hand, ...page.cards.others].filter(Boolean);
  return { hands, joker_mode: page.joker, sevens: page.sevens, opponents: page.opponents };
}

function svitenRequest(page, seconds) {
  const told = styleOf(page) === "best" && boardSize(page) >= FLOP;
  const drew = told ? page.drew.slice(0, Math.min(page.opponents, MOST_TOLD)) : [];
  return {
    game: page.game,
    hand: page.cards.hand,
    board: page.cards.board,
    others: page.cards.others.filter(Boolean),
    dead: page.cards.dead,
    opponents: page.opponents,
    draw: drawsNext(page),
    opponents_draw: styleOf(page),
    drew: drew.some((count) => count >= 0) ? drew : [],
    seconds,
  };
}

/** What has to be chosen first, null if the question is whole. */
function missingOf(page) {
  const own = page.cards.hand.length / 2;
  const others = page.cards.others.filter(Boolean);
  if (isSvara(page)) return own ? null : "Choose 1, 2 or 3 cards for your hand.";
  if (own < 5) return own ? `Your hand: ${5 - own} more of its 5 cards.` : "Choose the 5 cards of your hand.";
  if (![0, 3, 4, 5].includes(boardSize(page))) return "A board has 3, 4 or 5 cards.";
  const part = others.find((text) => text.length < 10);
  if (part) return `Hand ${page.cards.others.indexOf(part) + 2}: ${5 - part.length / 2} more of its 5 cards.`;
  const drawers = styleOf(page) !== "best" ? 0 : page.opponents + (drawsNext(page) ? 1 + others.length : 0);
  const seats = 1 + others.length + page.opponents;
  if (5 * seats + 5 + MOST_DRAWN * drawers > DECK) return "So many players who draw could run out of cards: fewer opponents, or let them stand pat.";
  return others.length + page.opponents ? null : "Choose at least one opponent or a known hand.";
}

function emptyResult(page, missing) {
  const list = uniqueId("examples");
  return el("div", { class: "panel stack" },
    el("p", { role: "status" }, missing),
    el("h2", { id: list, class: "calc-examples-head" }, "Or take an example"),
    el("ul", { class: "calc-examples", "aria-labelledby": list }, EXAMPLES.map(([title, params]) =>
      el("li", null, el("a", { href: hrefFor("calculator", params) }, title)))));
}
