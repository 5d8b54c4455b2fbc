/** What the calculator found: each result is {node, said, brief}, in words for the ear and short. */

import { cardNames, cardRow, JOKER } from "./cards.js";
import { el, fill, plain, select, uniqueId } from "./dom.js";

const FIRST_ROWS = 8;
const HALF_TITLES = { draw: "Draw half", omaha: "Omaha half" };

const cardsOf = (text) => text.match(/../g) ?? [];

/** A share as a percentage; estimates that are not exact with one decimal less. */
function percent(value, digits = 2) {
  return `${(100 * value).toFixed(digits)} %`;
}

function estimateText(estimate) {
  return percent(estimate.value, estimate.error > 5e-4 ? 1 : 2);
}

/** The interval of an estimate, for the hint on its number. */
function intervalText(estimate) {
  if (!estimate.error) return "exact";
  return `95 % interval: ${percent(estimate.low)} to ${percent(estimate.high)}`;
}

function bar(value, kind = "") {
  return el("span", { class: `bar ${kind}`, "aria-hidden": "true" },
    el("span", { style: { width: `${Math.max(0, Math.min(1, value)) * 100}%` } }));
}

function smallCards(text, isJoker) {
  return cardRow(cardsOf(text), { size: "xs", label: cardNames(cardsOf(text)), decorative: true, isJoker });
}

function howTag(document) {
  return el("span", { class: `tag ${document.exact ? "accent" : "brass"}`, dataset: { testid: "how" } }, document.how);
}

function number(text, props) {
  return el("td", { class: "number", ...props }, text);
}

function head(...titles) {
  return el("thead", null, el("tr", null, titles.map(([title, kind]) =>
    title ? el("th", { scope: "col", class: kind }, title) : el("td", { class: kind }))));
}

/** A table that may be wider than its place: then it can be scrolled, also with the keyboard. */
function scrolled(table) {
  const box = el("div", { class: "table-scroll" }, table);
  reachable(box);
  return box;
}

function reachable(box) {
  requestAnimationFrame(() => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  });
}

// Svara.

export function svaraResults(document) {
  const first = document.hands[0];
  const said = first.points === null
    ? `${plain(first.possible.mean, 1)} points in the mean`
    : `${first.points} points: ${first.why}`;
  const node = el("div", { class: "calc-answer stack" },
    el("section", { class: "panel stack" }, el("h2", null, "Points"),
      document.hands.map((row, i) => svaraHand(row, handTitle(i), document.winners?.includes(i)))),
    document.versus && versusPanel(document));
  const share = document.versus?.rows[0].share;
  const points = first.points === null ? `${plain(first.possible.mean, 1)} points` : `${first.points} points`;
  return {
    node,
    said: share ? `${said}. Share of the pot ${estimateText(share)}` : said,
    brief: share ? `${points}, ${estimateText(share)} of the pot` : points,
  };
}

const handTitle = (i) => (i === 0 ? "Your hand" : `Hand ${i + 1}`);
const isJoker = (card) => card === JOKER;

function svaraHand(row, title, wins) {
  return el("article", { class: "calc-hand", "aria-label": title },
    el("div", { class: "calc-hand-head" },
      el("h3", null, title), smallCards(row.hand, isJoker),
      row.points !== null && el("span", { class: "calc-points", dataset: { testid: "points" } }, String(row.points)),
      wins && el("span", { class: "tag accent" }, "best")),
    row.points === null ? possiblePoints(row.possible) : wholeHand(row));
}

function wholeHand(row) {
  return [
    el("p", null, row.why),
    row.beats !== null && el("p", { class: "small muted" },
      `Beats ${percent(row.beats)} of all other hands, ties with ${percent(row.ties)}.`),
  ];
}

function possiblePoints(possible) {
  const top = Math.max(...possible.points.map((line) => line.chance));
  return scrolled(el("table", { class: "calc-table" },
    el("caption", null, `${plain(possible.hands)} hands are possible, ${plain(possible.mean, 2)} points in the mean`),
    head(["Points", "number"], ["Hands", "number"], ["Chance", "number"], ["", "calc-bar-cell"]),
    el("tbody", null, possible.points.toReversed().map((line) => el("tr", null,
      el("th", { scope: "row", class: "number" }, String(line.points)),
      number(plain(line.ways)), number(percent(line.chance)),
      el("td", { class: "calc-bar-cell" }, bar(line.chance / top)))))));
}

function versusPanel(document) {
  const names = document.versus.rows.map((_, i) =>
    i < document.hands.length ? handTitle(i) : `Opponent ${i + 1 - document.hands.length}`);
  return el("section", { class: "panel stack" },
    el("div", { class: "calc-head" }, el("h2", null, "Against each other"), howTag(document.versus)),
    scrolled(el("table", { class: "calc-table" },
      el("caption", null, "A tie leads to a svarka; the share counts it as shared equally."),
      head(["Hand"], ["Wins", "number"], ["Ties", "number"], ["Share", "number"], ["", "calc-bar-cell"]),
      el("tbody", null, document.versus.rows.map((row, i) => el("tr", null,
        el("th", { scope: "row" }, names[i]),
        number(estimateText(row.win)), number(estimateText(row.tie)),
        number(estimateText(row.share), { title: intervalText(row.share) }),
        el("td", { class: "calc-bar-cell" }, bar(row.share.value))))))));
}

// Sviten.

/** `again` asks anew for a longer sample. */
export function svitenResults(document, again) {
  const own = document.players[0];
  const best = document.discards?.[0];
  const said = best
    ? `Best discard: ${best.discard ? cardNames(cardsOf(best.discard)) : "none, stand pat"}, ${estimateText(best.pot)} of the pot`
    : `${estimateText(own.pot)} of the pot`;
  const node = el("div", { class: "calc-answer stack" },
    el("section", { class: "panel stack" },
      el("div", { class: "calc-head" }, el("h2", null, "Share of the pot"), howTag(document),
        !document.exact && document.deals && again && el("button", { type: "button", class: "quiet", onclick: again }, "More exactly (5 s)")),
      playerRows(document),
      el("p", { class: "hint" }, document.assumption)),
    document.discards && discardPanels(document));
  const move = best && (best.discard ? `Throw ${cardsOf(best.discard).join(" ")}: ` : "Stand pat: ");
  return { node, said, brief: `${move ?? ""}${estimateText(own.pot)} of the pot` };
}

function playerRows(document) {
  const known = document.players.filter((player) => player.hand !== null);
  const random = document.players.filter((player) => player.hand === null);
  const rows = known.map((player, i) => playerRow(player, handTitle(i), document));
  if (random.length > 1 && document.drew.length) {
    rows.push(...random.map((player, i) => playerRow(player, `Opponent ${i + 1}`, document)));
  } else if (random.length) {
    // Opponents of whom the same is known differ by luck of the sample only.
    const title = random.length === 1 ? "The opponent" : `Each of ${random.length} opponents`;
    rows.push(playerRow(random[0], title, document));
  }
  return rows;
}

function playerRow(player, title, document) {
  const best = document.discards?.[0];
  return el("article", { class: "calc-hand", "aria-label": title },
    el("div", { class: "calc-hand-head" },
      el("h3", null, title), player.hand && smallCards(player.hand),
      el("span", { class: "calc-points", title: intervalText(player.pot), dataset: { testid: "pot-share" } },
        estimateText(player.pot))),
    bar(player.pot.value, "calc-wide-bar"),
    best && el("p", { class: "small" }, best.discard ? "After throwing " : "Standing pat", best.discard && smallCards(best.discard)),
    el("dl", { class: "calc-halves" },
      Object.keys(HALF_TITLES).map((half) => halfEntry(player[half], HALF_TITLES[half])),
      player.scoop && el("div", null, el("dt", null, "Both halves"),
        el("dd", null, el("strong", null, estimateText(player.scoop)), el("span", { class: "muted small" }, "won alone")))));
}

function halfEntry(half, title) {
  const parts = half.win && `wins ${estimateText(half.win)}, ties ${estimateText(half.tie)}`;
  return el("div", null,
    el("dt", null, title),
    el("dd", null, el("strong", { title: intervalText(half.share) }, estimateText(half.share)), bar(half.share.value),
      half.name && el("span", { class: "small" }, `now ${half.name}`),
      parts && el("span", { class: "muted small" }, parts)));
}

// Discards.

function discardPanels(document) {
  const state = { chosen: document.discards[0], all: false };
  const table = el("div", { class: "table-scroll" });
  reachable(table);
  const detail = el("section", { class: "panel stack", "aria-label": "After a discard" });
  const more = el("button", { type: "button", class: "quiet", dataset: { testid: "all-discards" }, onclick: () => {
    state.all = !state.all;
    draw();
  } });
  const choose = (row) => {
    state.chosen = row;
    draw();
  };
  function draw() {
    const held = table.contains(globalThis.document.activeElement) ? globalThis.document.activeElement.dataset.discard : null;
    fill(table, discardTable(document, state, choose));
    if (held !== null) table.querySelector(`[data-discard="${held}"]`)?.focus();
    more.textContent = state.all ? `Show the best ${FIRST_ROWS}` : "Show all 32 discards";
    fill(detail, discardDetail(document, state, choose));
  }
  draw();
  return [
    el("section", { class: "panel stack" }, el("h2", null, "Discards, best first"), table, el("div", null, more)),
    detail,
  ];
}

function discardTable(document, state, choose) {
  const rows = state.all ? document.discards : document.discards.slice(0, FIRST_ROWS);
  const most = document.discards[0].pot.value;
  return el("table", { class: "calc-table calc-discards" },
    el("caption", { class: "visually-hidden" }, "Discards by their share of the pot"),
    head(["Throw"], ["Draw", "number"], ["Omaha", "number"], ["Pot", "number"], ["", "calc-bar-cell"], ["Behind", "number calc-behind"]),
    el("tbody", null, rows.map((row) => el("tr", { class: row === state.chosen ? "calc-chosen" : null },
      el("th", { scope: "row" }, throwButton(row, state, choose)),
      number(estimateText(row.draw)), number(estimateText(row.omaha)),
      number(el("strong", null, estimateText(row.pot)), { title: intervalText(row.pot) }),
      el("td", { class: "calc-bar-cell" }, bar(row.pot.value / most)),
      el("td", { class: "number calc-behind" }, behindText(row))))));
}

function throwButton(row, state, choose) {
  const name = row.discard ? `Throw ${cardNames(cardsOf(row.discard))}` : "Stand pat";
  return el("button", {
    type: "button", class: "quiet calc-throw", dataset: { discard: row.discard },
    "aria-pressed": String(row === state.chosen), "aria-label": `${name}: what comes of it`,
    onclick: () => choose(row),
  }, row.discard ? smallCards(row.discard) : "stand pat");
}

function behindText(row) {
  if (row.as_good) return el("span", { class: "tag accent" }, row.behind.value ? "as good" : "best");
  const error = row.behind.error ? ` ±${percent(1.96 * row.behind.error)}` : "";
  return `${percent(row.behind.value)}${error}`;
}

function discardDetail(document, state, choose) {
  const row = state.chosen;
  const options = document.discards.map((one, i) => [String(i), one.discard ? cardsOf(one.discard).join(" ") : "stand pat"]);
  const control = select(options, String(document.discards.indexOf(row)), {
    id: uniqueId("discard"), dataset: { testid: "discard-choice" },
    onchange: () => choose(document.discards[Number(control.value)]),
  });
  const faceUp = document.face_up?.find((part) => part.discard === row.discard);
  return [
    el("div", { class: "calc-head" }, el("h2", null, row.discard ? "After throwing" : "Standing pat"), row.discard && smallCards(row.discard)),
    el("div", { class: "field" }, el("label", { for: control.id }, "Discard"), control),
    atLeast(row, faceUp),
    faceUp && keepOrReject(faceUp),
  ];
}

function atLeast(row, faceUp) {
  return scrolled(el("table", { class: "calc-table" },
    el("caption", null, faceUp
      ? "Chance that the draw half becomes at least this, any card that does not make it rejected (exact)"
      : "Chance that the draw half becomes at least this (exact)"),
    head(["At least"], ["Chance", "number"], ["", "calc-bar-cell"]),
    el("tbody", null, telling(row.at_least).map((line) => el("tr", null,
      el("th", { scope: "row" }, line.name), number(percent(line.chance)),
      el("td", { class: "calc-bar-cell" }, bar(line.chance)))))));
}

/** Without kinds that are made no more often than a better one. */
function telling(lines) {
  return lines.filter((line, i) => line.chance !== lines[i + 1]?.chance);
}

const CHOICES = [["keep", "Keep"], ["either", "Too close to tell"], ["reject", "Reject"]];

function keepOrReject(part) {
  const groups = CHOICES.map(([choice, title]) => [title, part.cards.filter((row) => row.choice === choice)]);
  return el("div", { class: "stack" },
    el("h3", null, "The card that comes face up"),
    el("p", { class: "small muted" }, `It is kept ${percent(part.kept, 1)} of the time.`),
    el("dl", { class: "calc-keep" }, groups.filter(([, rows]) => rows.length).map(([title, rows]) =>
      el("div", null, el("dt", null, `${title} (${rows.length})`),
        el("dd", null, smallCards(rows.map((row) => row.card).join("")))))),
    el("details", null, el("summary", null, "Every card in numbers"), keepTable(part)));
}

function keepTable(part) {
  return scrolled(el("table", { class: "calc-table" },
    el("caption", null, "Share of the pot if the card is kept and if it is rejected"),
    head(["Card"], ["Keep", "number"], ["Reject", "number"], ["Difference", "number"]),
    el("tbody", null, part.cards.map((row) => el("tr", null,
      el("th", { scope: "row" }, smallCards(row.card)),
      number(percent(row.keep, 1)), number(percent(row.reject, 1)),
      number(differenceText(row), { class: `number ${row.choice === "keep" ? "good" : ""}` }))))));
}

function differenceText(row) {
  const sign = row.difference < 0 ? "\u2212" : "+";
  const error = row.error ? ` ±${percent(1.96 * row.error, 1)}` : "";
  return `${sign}${percent(Math.abs(row.difference), 1)}${error}`;
}
