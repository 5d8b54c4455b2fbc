/**
 * The explorer: the strategy of a solved game of Svara, one decision after the other, with every
 * hand. The address names the bot and the actions so far: #/explorer?bot=svara-home&at=b1%20r2.
 */

import { getOnce, post } from "./api.js";
import { cardRow, JOKER } from "./cards.js";
import { announce, busyBox, el, errorBox, field, fill, plain, select, signed } from "./dom.js";
import { createGrid } from "./explorer_grid.js";
import { hrefFor } from "./route.js";

const FIRST_BOT = "svara-home";
const SEATS = { first: "First player", dealer: "Dealer" };

export async function mount(root, params) {
  const explorer = { root, bot: params.bot ?? FIRST_BOT, at: params.at ?? "", request: null, opened: null };
  explorer.head = el("div", { class: "explorer-head" });
  explorer.body = el("div", { class: "explorer-body" });
  root.append(
    el("div", { class: "page-head" }, el("div", { class: "stack" },
      el("h1", null, "Explorer"),
      el("p", { class: "lead" }, "What a solved game of Svara says to do, with every hand, and what it is worth."))),
    explorer.head,
    explorer.body,
  );
  const { bots } = await getOnce("/api/bots");
  fill(explorer.head, chooser(explorer, bots));
  await open(explorer, explorer.bot, explorer.at, { push: false });
  return () => explorer.request?.abort();
}

// Where to look.

function chooser(explorer, bots) {
  const names = bots.filter(isSolvedForTwo).map((bot) => bot.name);
  if (!names.includes(explorer.bot)) names.unshift(explorer.bot);
  const bot = select(names, explorer.bot, {
    onchange: (event) => open(explorer, event.target.value, ""),
    dataset: { testid: "explorer-bot" },
  });
  const way = el("input", {
    type: "text", value: explorer.at, spellcheck: "false", autocomplete: "off", maxlength: 300,
    dataset: { testid: "explorer-at" },
  });
  explorer.way = way;
  explorer.pots = el("div", { class: "explorer-pots" });
  const form = el("form", { class: "explorer-form", onsubmit: (event) => {
    event.preventDefault();
    open(explorer, bot.value, way.value.trim());
  } },
  field("Bot", bot),
  field("Actions so far", way, "such as: look bet 1 raise 2"),
  el("button", { type: "submit" }, "Go"),
  explorer.pots);
  return form;
}

function isSolvedForTwo({ game }) {
  return Boolean(game) && /^(mini_)?svara\b/.test(game) && !/players=[3-9]/.test(game);
}

/** Show a decision; it becomes the address, so that it can be kept, sent and gone back from. */
async function open(explorer, bot, at, { push = true } = {}) {
  explorer.request?.abort();
  const request = new AbortController();
  explorer.request = request;
  const slow = setTimeout(() => fill(explorer.body, busyBox("The strategy is laid out ...")), 400);
  let answer;
  try {
    answer = await post("/api/explorer", { bot, at }, { signal: request.signal });
  } catch (error) {
    if (error.name !== "AbortError") {
      const retry = () => open(explorer, bot, at, { push });
      fill(explorer.body, errorBox(error, retry));
    }
    return;
  } finally {
    clearTimeout(slow);
  }
  Object.assign(explorer, { bot, at: answer.at });
  const address = hrefFor("explorer", { bot, at: answer.at || null });
  if (push && window.location.hash !== address) window.history.pushState(null, "", address);
  explorer.way.value = answer.at;
  explorer.root.dataset.title = answer.at;
  fill(explorer.pots, potChooser(explorer, answer));
  draw(explorer, answer, push);
}

/** The deals by their pot: after so many chips have gone in, a tie begins a new one. */
function potChooser(explorer, { deals, deal_pot: pot, at }) {
  if (deals.length < 2) return null;
  const chosen = at.split(" ").length > 1 && !at.startsWith("pot") ? "" : String(pot);
  const options = [
    ...(chosen === "" || !deals.some((deal) => String(deal.pot) === chosen) ? [["", "Begin at ..."]] : []),
    ...deals.map((deal) => [String(deal.pot), deal.at === "" ? `First deal, pot ${deal.pot}` : `Svarka, pot ${deal.pot}`]),
  ];
  return field("Deal", select(options, chosen, {
    dataset: { testid: "explorer-pot" },
    onchange: (event) => {
      const deal = deals.find((one) => String(one.pot) === event.target.value);
      if (deal) open(explorer, explorer.bot, deal.at);
    },
  }));
}

/** A link to another decision of the same bot. */
function linkTo(explorer, at, props, ...children) {
  return el("a", {
    ...props,
    href: hrefFor("explorer", { bot: explorer.bot, at: at || null }),
    onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      open(explorer, explorer.bot, at);
    },
  }, ...children);
}

// A decision.

function draw(explorer, node, moved) {
  const heading = el("h2", { tabindex: -1, dataset: { testid: "explorer-situation" } }, node.situation);
  const details = el("section", { class: "panel explorer-detail", "aria-live": "polite", "aria-label": "The hand chosen", dataset: { testid: "explorer-detail" } });
  const grid = node.grid.length > 0
    ? createGrid(node, { onChoose: (row) => fill(details, detailOf(node, row)), percent: shortPercent })
    : el("p", { class: "notice" }, "The cards are not seen yet: every hand is played alike.");
  fill(
    explorer.body,
    breadcrumbs(explorer, node),
    el("div", { class: "explorer-top" },
      el("section", { class: "panel stack explorer-spot" }, heading, factsOf(node), neverMet(node)),
      el("section", { class: "panel explorer-actions", "aria-labelledby": "explorer-actions-title" },
        el("div", { class: "explorer-title" },
          el("h3", { id: "explorer-actions-title" }, `${SEATS[node.place]}: what to do`),
          el("span", { class: "hint" }, `how often, and worth in ${node.unit}s`)),
        shareBar(node.actions.map((action) => action.frequency), node.actions, { big: true }),
        el("ul", { class: "explorer-list" }, node.actions.map((action, i) => actionLine(explorer, node, action, i))))),
    el("div", { class: node.grid.length > 0 ? "explorer-main" : "" },
      el("section", { class: "explorer-hands", "aria-label": "Hands" }, grid), node.grid.length > 0 && details),
  );
  if (node.grid.length > 0) fill(details, hintOf());
  if (moved) {
    heading.focus({ preventScroll: true });
    announce(`${node.situation}. ${node.actions.map((a) => `${a.meaning} ${percent(a.frequency)}`).join(", ")}`);
  }
}

function breadcrumbs(explorer, { path }) {
  const crumbs = [{ meaning: "Start", place: null, at: "" }, ...path];
  return el("nav", { class: "explorer-path", "aria-label": "Actions so far", dataset: { testid: "explorer-path" } },
    el("ol", null, crumbs.map((step, i) => crumb(explorer, step, i === crumbs.length - 1))));
}

function crumb(explorer, { meaning, place, at }, last) {
  const who = place && el("span", { class: "explorer-who" }, SEATS[place]);
  const text = el("span", null, meaning);
  if (last) return el("li", null, el("span", { class: "crumb", "aria-current": "step" }, who, text));
  if (at === null) return el("li", null, el("span", { class: "crumb" }, who, text));
  return el("li", null, linkTo(explorer, at, { class: "crumb" }, who, text));
}

function factsOf(node) {
  const facts = [
    ["Pot", plain(node.pot)],
    ["To call", node.to_call ? plain(node.to_call) : "nothing"],
    ["Chips behind", `${plain(node.stacks[0])} and ${plain(node.stacks[1])}`],
    ["Deal", node.svarka ? `svarka for ${plain(node.deal_pot)}` : "first"],
    ["Met", node.met.replace(/^met /, "")],
  ];
  return el("dl", { class: "explorer-facts" },
    facts.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

function neverMet({ chance, bot }) {
  if (chance > 0) return null;
  return el("p", { class: "notice small" },
    `${bot} never plays to here. What it does here is its answer to somebody who plays otherwise, and less certain.`);
}

function actionLine(explorer, node, action, i) {
  const value = action.value === null ? null : inUnits(node, action.value);
  return el("li", { class: "explorer-action", dataset: { action: action.word } },
    swatch(node.actions, i),
    el("span", { class: "explorer-word" }, leadsOn(explorer, action)),
    el("span", { class: "number explorer-share" }, percent(action.frequency)),
    el("span", { class: "number muted explorer-value" }, value ?? ""),
    el("span", { class: "hint explorer-ends" }, endsIn(explorer, action)));
}

function leadsOn(explorer, action) {
  if (action.next === null) return action.meaning;
  return linkTo(explorer, action.next, null, action.meaning, el("span", { "aria-hidden": "true" }, " →"));
}

function endsIn(explorer, action) {
  if (action.ends === "fold") return "the deal is over";
  if (action.ends === null) return null;
  const tie = action.tie === null ? "" : `, a tie in ${percent(action.tie)}`;
  return ["showdown", tie, action.svarka && [": ", linkTo(explorer, action.svarka, null, "the svarka →")]];
}

// A hand.

function hintOf() {
  return el("p", { class: "hint" }, "Choose a row for its numbers. ", el("kbd", null, "↑"), " ", el("kbd", null, "↓"),
    " go from row to row, ", el("kbd", null, "→"), " opens the hands of a score, ", el("kbd", null, "←"), " closes them.");
}

/** The numbers of a score or of a hand. */
function detailOf(node, row) {
  const best = bestOf(row.value);
  return [
    row.cards
      ? [el("div", { class: "explorer-cards" }, cardRow(row.cards, { size: "s", isJoker: (card) => card === JOKER })),
        el("h3", null, row.why)]
      : el("h3", null, `${row.points} points`),
    el("p", { class: "hint" }, describe(node, row)),
    el("table", { class: "explorer-numbers" },
      el("thead", null, el("tr", null,
        el("th", { scope: "col" }, "Action"),
        el("th", { scope: "col", class: "number" }, "Often"),
        el("th", { scope: "col", class: "number" }, `Worth (${node.unit}s)`))),
      el("tbody", null, node.actions.map((action, i) => el("tr", { class: i === best ? "is-best" : null },
        el("th", { scope: "row" }, swatch(node.actions, i), " ", action.meaning,
          i === best && el("span", { class: "tag accent" }, "best")),
        el("td", { class: "number" }, percent(row.frequency[i])),
        el("td", { class: "number" }, row.value[i] === null ? "unknown" : inUnits(node, row.value[i])))))),
  ];
}

function describe(node, row) {
  const hands = row.cards
    ? (row.count === 1 ? "One hand." : `One of ${plain(row.count)} hands that differ by suits only.`)
    : `${plain(row.count)} hands are dealt so; ${percent(row.held)} of the hands held here.`;
  const reach = row.reach > 0.9995 ? "Its own play always leads here with it." : row.reach > 0
    ? `Its own play leads here with it in ${percent(row.reach)}.`
    : "Its own play never leads here with it.";
  return `${hands} ${reach}`;
}

function bestOf(values) {
  if (values.some((value) => value === null)) return -1;
  return values.indexOf(Math.max(...values));
}

// Shares and colours.

/** The class of an action's colour: folds, calls, and raises in their order. */
export function toneOf(actions, i) {
  const kind = actions[i].kind;
  if (kind === "fold" || kind === "look") return "tone-fold";
  if (kind === "call") return "tone-call";
  const raises = actions.slice(0, i).filter((action) => action.kind === kind).length;
  return `tone-raise${Math.min(raises, 3)}`;
}

function swatch(actions, i) {
  return el("span", { class: `swatch ${toneOf(actions, i)}`, "aria-hidden": "true" });
}

/** The shares side by side, with their words where there is room. The same stands in numbers. */
export function shareBar(shares, actions, { big = false, reach = 1 } = {}) {
  return el("span", { class: `shares${big ? " big" : ""}`, "aria-hidden": "true", style: { "--reach": reach.toFixed(3) } },
    shares.map((share, i) => share > 0.0005 && el("span", {
      class: `share ${toneOf(actions, i)}`,
      style: { "--share": share.toFixed(4) },
    }, share > (big ? 0.08 : 0.16) && el("span", null, big ? actions[i].meaning : shortOf(actions[i])))));
}

function shortOf({ word }) {
  return word === "look" ? "look" : word.replace(/^blind/, "B").toUpperCase();
}

function percent(share) {
  if (share > 0 && share < 0.001) return "< 0.1 %";
  if (share < 1 && share > 0.999) return "> 99.9 %";
  return `${plain(share * 100, share < 0.1 || share > 0.9 ? 1 : 0)} %`;
}

/** The same in whole percent, for a table. */
function shortPercent(share) {
  if (share > 0 && share < 0.005) return "< 1 %";
  if (share < 1 && share > 0.995) return "> 99 %";
  return `${plain(share * 100, 0)} %`;
}

function inUnits(node, chips) {
  return signed(chips / node.unit_chips, 3);
}
