/**
 * The table as it is seen: seats around the felt, board, pot, the own cards. It draws documents
 * of hands, live ones and replays alike, and changes only what differs from what it drew before.
 */

import { cardElement, cardName, cardNames, JOKER } from "./cards.js";
import { el, fill, plain, wantsLessMotion } from "./dom.js";
import { drawSeat, faceUp, seatNode } from "./seats.js";
import {
  betsOf,
  boardOf,
  halvesOf,
  isLive,
  isSvara,
  isTie,
  nameOf,
  outcomeOf,
  winnersOf,
} from "./view_facts.js";

/**
 * A felt: `show(view)` draws a document. `rules` is `rulesOf` the game.
 *
 * `pick(picker)` turns the own cards into buttons that `picker` ({selected: Set, toggle(card)})
 * hears about; null makes them plain cards again.
 */
export function createFelt(rules) {
  const parts = {
    seats: el("ol", { class: "seats", role: "list", "aria-label": "Seats" }),
    pot: el("div", { class: "pot", dataset: { testid: "pot" } }),
    board: el("div", { class: "board", dataset: { testid: "board" } }),
    news: el("div", { class: "news" }),
    own: el("div", { class: "own-cards", dataset: { testid: "own-cards" } }),
    caption: el("p", { class: "own-caption", dataset: { testid: "own-caption" } }),
  };
  const node = el(
    "section",
    { class: "felt", "aria-label": "Table" },
    el("div", { class: "cloth", "aria-hidden": "true" }),
    parts.seats,
    el("div", { class: "middle" }, parts.pot, parts.board, parts.news),
    el("div", { class: "own" }, parts.own, parts.caption),
  );
  const felt = { node, parts, rules, view: null, picker: null, seats: [], shape: "" };
  return {
    node,
    show: (view, options = {}) => show(felt, view, options),
    pick: (picker) => {
      felt.picker = picker;
      if (felt.view) drawOwn(felt, felt.view, felt.view);
    },
    get view() {
      return felt.view;
    },
  };
}

function show(felt, view, { thinking = false, still = false } = {}) {
  const before = felt.view;
  const sameHand =
    before && before.hand === view.hand && before.players.length === view.players.length;
  setSeats(felt, view);
  if (sameHand && !still && !wantsLessMotion()) sweepBets(felt, before, view);
  for (const seat of felt.seats) drawSeat(seat, view, felt.rules, { thinking });
  drawPot(felt, view);
  drawBoard(felt, view);
  drawNews(felt, view);
  drawOwn(felt, view, sameHand ? before : null);
  if (sameHand && view.over && !before.over && !still && !wantsLessMotion()) payOut(felt, view);
  felt.view = view;
}

function setSeats(felt, view) {
  const n = view.players.length;
  const shape = `${n} ${view.seat}`;
  if (felt.shape === shape) return;
  felt.shape = shape;
  felt.node.dataset.seats = n;
  felt.node.classList.toggle("is-svara", isSvara(view));
  felt.node.classList.toggle("has-hero", view.seat !== null);
  felt.node.classList.toggle("is-crowded", n > 4);
  felt.seats = Array.from({ length: n }, (_, seat) => seatNode(seat, view.seat, n));
  const hero = view.seat ?? 0;
  felt.seats.forEach((seat, i) => {
    const order = (i - hero + n) % n;
    seat.style.setProperty("--order", String(order));
    seat.classList.toggle("is-alone", order === n - 1 && n % 2 === 0); // alone in the last row of a list
  });
  fill(felt.parts.seats, felt.seats);
}

// The middle.

function drawPot(felt, view) {
  const chips = view.pot ?? 0;
  const label = isSvara(view) && view.svarka > 0 ? "Svarka pot" : "Pot";
  const text = view.over ? outcomeOf(view) : chips > 0 ? `${label} ${plain(chips)}` : "";
  if (felt.parts.pot.dataset.text === text) return;
  felt.parts.pot.dataset.text = text;
  felt.parts.pot.classList.toggle("is-over", view.over);
  if (view.over) {
    const won = view.seat !== null && view.returns[view.seat] > 0;
    fill(
      felt.parts.pot,
      el("span", { class: `outcome${won ? " is-won" : ""}`, dataset: { testid: "outcome" } }, text),
    );
    return;
  }
  fill(
    felt.parts.pot,
    text && [
      el("span", { class: "chips", "aria-hidden": "true" }),
      el("span", { class: "pot-label" }, `${label} `),
      el("span", { class: "pot-chips" }, plain(chips)),
    ],
  );
}

function drawBoard(felt, view) {
  const cards = boardOf(view);
  const box = felt.parts.board;
  const places = view.board ? boardSize(felt.rules) : cards.length;
  const shown = [...box.querySelectorAll(".card")].map((card) => card.dataset.card);
  box.hidden = places === 0;
  if (shown.join() === cards.join() && box.childElementCount === places) return;
  fill(
    box,
    cards.map((card, i) => {
      const node = cardElement(card, { size: "l" });
      if (shown[i] !== card) node.classList.add("is-new");
      return node;
    }),
    Array.from({ length: Math.max(places - cards.length, 0) }, () =>
      el("span", { class: "card-place", "aria-hidden": "true" }),
    ),
  );
}

function boardSize(rules) {
  const streets = [
    rules.flop_cards,
    rules.turn_cards,
    rules.rounds === "3" ? 0 : rules.river_cards,
  ];
  return streets.reduce((sum, cards) => sum + Number(cards ?? 0), 0);
}

/** What is special now: a tie that is played off, or who won what. */
function drawNews(felt, view) {
  const lines = view.over ? endLines(view) : svarkaLines(view);
  const key = lines.map((line) => line.textContent).join("|");
  if (felt.parts.news.dataset.key === key) return;
  felt.parts.news.dataset.key = key;
  fill(felt.parts.news, lines);
}

function endLines(view) {
  const halves = halvesOf(view);
  const takers = new Set(halves.flatMap(({ shares }) => shares.map((share) => share.seat)));
  if (takers.size === 1) {
    const [seat] = takers;
    return [
      el(
        "span",
        { class: "half" },
        `${nameOf(view, seat)} ${seat === view.seat ? "take" : "takes"} both halves`,
      ),
    ];
  }
  return halves.map(({ half, shares }) =>
    el(
      "span",
      { class: "half" },
      el("b", null, half === "draw" ? "Draw half" : "Omaha half"),
      " ",
      shares.map((share) => `${nameOf(view, share.seat)} ${plain(share.chips)}`).join(", "),
    ),
  );
}

function svarkaLines(view) {
  if (!isSvara(view)) return [];
  const note = (name, text) => [
    el("span", { class: "half is-svarka" }, el("b", null, name), ` ${text}`),
  ];
  if (view.phase === "join")
    return note("Svarka", `A tie is played off. Joining costs ${plain(view.price)}`);
  if (view.svarka === 0) return [];
  const word = view.svarka > 1 ? `Svarka ${view.svarka}` : "Svarka";
  return note(
    word,
    isTie(view) ? "A tie: new cards for the same pot" : "Played off for the same pot",
  );
}

// The own cards.

function drawOwn(felt, view, before) {
  const { own, caption } = felt.parts;
  const seat = view.seat;
  felt.node.classList.toggle("is-picking", felt.picker !== null);
  if (seat === null) {
    fill(own);
    caption.textContent = "";
    return;
  }
  const cards = ownCards(felt, view);
  const had = new Set(before?.cards ?? []);
  const changed = before?.cards?.length > 0 || (before && before.cards.length === 0 && cards[0]);
  const offered = view.phase === "keep" && view.turn === seat ? faceUp(view, seat)?.card : null;
  fill(
    own,
    cards.map((card, i) => {
      const fresh = changed && card && !had.has(card);
      return ownCard(felt, view, card, i, fresh);
    }),
    offered &&
      el(
        "span",
        { class: "offered" },
        el("span", { class: "offered-word" }, "Face up"),
        cardElement(offered, { size: "xl" }),
      ),
  );
  own.dataset.count = String(cards.length + (offered ? 1 : 0));
  own.classList.toggle("is-folded", !isLive(view, seat));
  fill(caption, captionOf(view, cards, offered));
}

function ownCards(felt, view) {
  if (view.cards.length > 0) return view.cards;
  const waits = isSvara(view) && isLive(view, view.seat) && !view.over;
  return waits ? Array.from({ length: Number(felt.rules.hole_cards ?? 3) }, () => null) : [];
}

function ownCard(felt, view, card, i, fresh) {
  const picture = cardElement(card, {
    size: "xl",
    joker: isSvara(view) && card === JOKER,
    decorative: felt.picker !== null,
  });
  if (fresh) picture.classList.add("is-new");
  if (!felt.picker) return el("span", { class: "own-card" }, picture);
  const chosen = felt.picker.selected.has(card);
  return el(
    "button",
    {
      type: "button",
      class: "own-card",
      dataset: { card },
      "aria-pressed": String(chosen),
      "aria-label": `Discard ${cardName(card)}`,
      "aria-keyshortcuts": String(i + 1),
      onclick: () => felt.picker?.toggle(card),
    },
    picture,
    el("span", { class: "own-mark", "aria-hidden": "true" }, chosen ? "out" : ""),
  );
}

function captionOf(view, cards, offered) {
  const said = cards.some(Boolean) ? `Your cards: ${cardNames(cards)}. ` : "";
  const parts = [el("span", { class: "visually-hidden" }, said)];
  if (view.points !== undefined) {
    parts.push(el("b", null, `${view.points} points`), view.why ? ` · ${view.why}` : "");
  } else if (isSvara(view) && cards.length > 0 && !cards[0]) parts.push("You have not looked yet");
  else if (offered) parts.push(`${cardName(offered)}: everybody has seen it`);
  else if (view.over && view.hands[view.seat]?.draw) {
    const hand = view.hands[view.seat];
    parts.push(el("b", null, "Draw"), ` ${hand.draw} · `, el("b", null, "Omaha"), ` ${hand.omaha}`);
  }
  return parts;
}

// Chips on the move.

const SWEEP = 320;

/** Bets of a round that is over slide into the pot. */
function sweepBets(felt, before, view) {
  if (!before.bets || view.over) return;
  const now = betsOf(view);
  betsOf(before).forEach((chips, seat) => {
    if (chips > 0 && now[seat] < chips) fly(felt, felt.seats[seat].parts.bet, felt.parts.pot);
  });
}

/** The pot goes to those who won it. */
function payOut(felt, view) {
  for (const seat of winnersOf(view)) fly(felt, felt.parts.pot, felt.seats[seat].parts.plate, 180);
}

function fly(felt, from, to, delay = 0) {
  const frame = felt.node.getBoundingClientRect();
  const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  if (a.width === 0 && from !== felt.parts.pot) return;
  const chip = el("span", { class: "chips flying", "aria-hidden": "true" });
  felt.node.append(chip);
  const spot = (box) =>
    `translate(${box.x + box.width / 2 - frame.x}px, ${box.y + box.height / 2 - frame.y}px)`;
  const flight = chip.animate(
    [
      { transform: spot(a), opacity: 1 },
      { transform: spot(b), opacity: 1, offset: 0.85 },
      { transform: spot(b), opacity: 0 },
    ],
    { duration: SWEEP, delay, easing: "cubic-bezier(0.4, 0, 0.2, 1)", fill: "backwards" },
  );
  flight.onfinish = () => chip.remove();
  flight.oncancel = () => chip.remove();
}
