/** The seats of a table: where they are, and what is drawn at each. */

import { cardElement, JOKER } from "./cards.js";
import { el, fill, plain } from "./dom.js";
import {
  betsOf,
  hiddenCards,
  isLive,
  isSvara,
  isTied,
  lastActions,
  openHands,
  stacksOf,
  winnersOf,
} from "./view_facts.js";

const BOTTOM = Math.PI / 2;
const FREE_AT_OWN_CARDS = (66 / 180) * Math.PI;

/**
 * Where a seat is drawn, in shares of the felt's half width and half height from its middle: the
 * seat of the person below, the others clockwise of it, none beside the person's cards.
 */
export function placeOf(seat, hero, seats) {
  const steps = (seat - hero + seats) % seats;
  if (steps === 0) return { x: 0, y: 1 };
  const gap = Math.max(FREE_AT_OWN_CARDS, (2 * Math.PI) / seats);
  const spread = 2 * Math.PI - 2 * gap;
  const angle = BOTTOM + gap + (seats > 2 ? (spread * (steps - 1)) / (seats - 2) : 0);
  return { x: Math.cos(angle), y: Math.sin(angle) };
}

/** A seat's node, empty; `drawSeat` fills it. */
export function seatNode(seat, hero, seats) {
  const { x, y } = placeOf(seat, hero ?? 0, seats);
  const parts = {
    cards: el("div", { class: "seat-cards" }),
    plate: el("div", { class: "seat-plate" }),
    note: el("div", { class: "seat-note" }),
    bet: el("div", { class: "seat-bet" }),
  };
  const node = el(
    "li",
    {
      class: "seat",
      dataset: {
        seat,
        testid: `seat-${seat}`,
        side: y < -0.5 ? "top" : y > 0.5 ? "bottom" : "side",
      },
      style: { "--x": x.toFixed(4), "--y": y.toFixed(4) },
    },
    el(
      "div",
      { class: "seat-box" },
      parts.cards,
      parts.plate,
      el("div", { class: "seat-foot" }, parts.note, parts.bet),
    ),
  );
  return Object.assign(node, { parts });
}

/** Draw a seat as the view has it. */
export function drawSeat(node, view, rules, { thinking = false } = {}) {
  const seat = Number(node.dataset.seat);
  const hero = seat === view.seat;
  const live = isLive(view, seat);
  const turn = view.turn === seat;
  node.classList.toggle("is-hero", hero);
  node.classList.toggle("is-turn", turn);
  node.classList.toggle("is-thinking", turn && thinking);
  node.classList.toggle("is-out", !live);
  node.classList.toggle("is-winner", winnersOf(view).includes(seat));
  node.classList.toggle("is-shown", Boolean(openHands(view)[seat]));
  drawPlate(node.parts.plate, view, rules, seat, live);
  if (!hero) drawCards(node.parts.cards, view, rules, seat);
  drawNote(node.parts.note, view, seat);
  drawBet(node.parts.bet, betsOf(view)[seat]);
}

function drawPlate(plate, view, rules, seat, live) {
  const name = view.players[seat];
  const stack = stacksOf(view, rules)?.[seat];
  const bet = betsOf(view)[seat];
  const state = [
    view.dealer === seat && "dealer",
    view.turn === seat && "to act",
    !live && "out",
    bet > 0 && `has bet ${plain(bet)}`,
  ].filter(Boolean);
  fill(
    plate,
    el(
      "span",
      { class: "avatar", "aria-hidden": "true", style: { "--hue": hueOf(name) } },
      (seat === view.seat ? "Y" : ([...name][0] ?? "?")).toUpperCase(),
    ),
    el(
      "span",
      { class: "seat-who" },
      el("span", { class: "seat-name", title: name }, name),
      stack !== undefined &&
        el("span", { class: "seat-stack" }, stack === 0 && !view.over ? "all in" : plain(stack)),
    ),
    view.dealer === seat &&
      el("span", { class: "dealer", "aria-hidden": "true", title: "Dealer" }, "D"),
    state.length > 0 && el("span", { class: "visually-hidden" }, `, ${state.join(", ")}`),
  );
}

function drawCards(box, view, rules, seat) {
  const open = openHands(view)[seat];
  const up = faceUp(view, seat);
  const hidden = open ? 0 : hiddenCards(view, seat, rules);
  const shown = open ? open.cards : Array.from({ length: hidden }, () => null);
  const key = `${shown.map((card) => card ?? "-").join(" ")}|${up?.card}${up?.kept}`;
  if (box.dataset.key === key) return;
  const deal = box.dataset.key !== undefined && !box.dataset.key.startsWith(shown[0] ?? "-");
  box.dataset.key = key;
  const size = open && view.players.length <= 4 ? "s" : "xs";
  const label = open ? null : hidden > 0 ? `${hidden} cards face down` : null;
  fill(
    box,
    el(
      "span",
      {
        class: `fan${open ? " is-open" : ""}${deal ? " is-new" : ""}`,
        role: label && "img",
        "aria-label": label,
      },
      shown.map((card) =>
        cardElement(card, {
          size,
          joker: isSvara(view) && card === JOKER,
          decorative: Boolean(label),
        }),
      ),
    ),
    up &&
      !open &&
      el(
        "span",
        { class: "face-up" },
        cardElement(up.card, { size: "s", dim: up.kept === false }),
        el(
          "span",
          { class: "face-up-word" },
          up.kept === null ? "face up" : up.kept ? "kept" : "rejected",
        ),
      ),
  );
}

/** The card that a seat drew for all to see, if any. */
export function faceUp(view, seat) {
  const draw = view.draws?.[seat];
  return draw?.card ? draw : null;
}

function drawNote(note, view, seat) {
  const open = openHands(view)[seat];
  const parts = [];
  if (open?.points !== undefined) {
    parts.push(
      el("span", { class: "worth" }, `${open.points} points`, isTied(view, seat) && ", tied"),
    );
    if (view.over && open.why) parts.push(el("span", { class: "worth-why" }, open.why));
  } else if (open?.draw) {
    parts.push(el("span", { class: "worth" }, el("b", null, "Draw"), ` ${open.draw}`));
    parts.push(el("span", { class: "worth" }, el("b", null, "Omaha"), ` ${open.omaha}`));
  } else if (seat !== view.seat || view.over) {
    const action = lastActions(view)[seat];
    const drawn = view.draws?.[seat];
    if (action)
      parts.push(
        el(
          "span",
          { class: "deed", dataset: { deed: action.split(" ")[0].toLowerCase() } },
          action,
        ),
      );
    else if (drawn)
      parts.push(
        el("span", { class: "deed" }, drawn.count === 0 ? "Stood pat" : `Drew ${drawn.count}`),
      );
  }
  const key = parts.map((part) => part.textContent).join("|");
  if (note.dataset.key === key) return;
  note.dataset.key = key;
  fill(note, parts);
}

function drawBet(box, chips) {
  const text = chips > 0 ? plain(chips) : "";
  if (box.dataset.chips === text) return;
  box.dataset.chips = text;
  fill(
    box,
    chips > 0 && [
      el("span", { class: "chips", "aria-hidden": "true" }),
      el("span", { "aria-hidden": "true" }, text),
    ],
  );
}

/** A colour of its own for each name. */
function hueOf(name) {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) % 3600;
  return String(hash % 360);
}
