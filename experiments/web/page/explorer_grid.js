/**
 * The hands of a decision as a table to walk through: a row for each score, which opens to its
 * hands. One stop for Tab; the arrow keys go from row to row (the pattern of a treegrid).
 */

import { cardNames, cardElement, JOKER } from "./cards.js";
import { el, plain } from "./dom.js";
import { shareBar } from "./explorer.js";

/** `onChoose(row)` is called with the score or the hand that is chosen; `percent` writes shares. */
export function createGrid(node, { onChoose, percent }) {
  const most = Math.max(...node.grid.map((row) => row.held));
  const grid = { node, onChoose, percent, most, chosen: null };
  grid.body = el("tbody", null, node.grid.map((row, i) => scoreRow(grid, row, i)));
  const table = el("table", { class: "explorer-grid", role: "treegrid", "aria-label": "What each score and hand does", dataset: { testid: "explorer-grid" } },
    el("thead", null, el("tr", null,
      el("th", { scope: "col" }, "Points"),
      el("th", { scope: "col", class: "held" }, "Held"),
      el("th", { scope: "col", class: "plays" }, el("span", { "aria-hidden": "true" }, "Play"), el("span", { class: "visually-hidden" }, "Play as a bar")),
      node.actions.map((action) => el("th", { scope: "col", class: "number" }, action.meaning)))),
    grid.body);
  grid.body.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (!row) return;
    if (event.target.closest(".opener")) toggle(grid, row);
    choose(grid, row);
  });
  grid.body.addEventListener("keydown", (event) => press(grid, event));
  grid.body.addEventListener("focusin", (event) => event.target.matches("tr") && choose(grid, event.target, false));
  grid.body.rows[0].tabIndex = 0;
  return el("div", { class: "table-scroll panel explorer-table" }, table);
}

// Rows.

function scoreRow(grid, row, i) {
  const line = el("tr", { tabindex: -1, "aria-level": 1, "aria-expanded": "false", "aria-posinset": i + 1, "aria-setsize": grid.node.grid.length, dataset: { points: row.points } },
    el("th", { scope: "row" },
      el("span", { class: "opener", "aria-hidden": "true" }), String(row.points)),
    el("td", { class: "held" }, grid.percent(row.held),
      el("span", { class: "bar", "aria-hidden": "true" }, el("span", { style: { width: `${(100 * row.held) / grid.most}%` } }))),
    ...shares(grid, row));
  line.row = row;
  return line;
}

function handRow(grid, hand, parent, i) {
  const line = el("tr", { class: "hand", tabindex: -1, "aria-level": 2, "aria-posinset": i + 1, "aria-setsize": parent.row.hands.length },
    el("th", { scope: "row" },
      el("span", { class: "visually-hidden" }, cardNames(hand.cards)),
      el("span", { class: "explorer-hand", "aria-hidden": "true" },
        hand.cards.map((card) => cardElement(card, { size: "xs", joker: card === JOKER, decorative: true })))),
    el("td", { class: "held" }, hand.count > 1 ? `× ${plain(hand.count)}` : "× 1"),
    ...shares(grid, hand));
  line.row = hand;
  line.scoreLine = parent;
  return line;
}

function shares(grid, row) {
  return [
    el("td", { class: "plays" }, shareBar(row.frequency, grid.node.actions, { reach: row.reach })),
    ...row.frequency.map((share) => el("td", { class: `number${share === 0 ? " none" : ""}` }, grid.percent(share))),
  ];
}

/** Open or close the hands of a score. */
function toggle(grid, line) {
  if (!line.row.hands) return;
  const opens = line.getAttribute("aria-expanded") === "false";
  line.setAttribute("aria-expanded", String(opens));
  if (opens) line.after(...line.row.hands.map((hand, i) => handRow(grid, hand, line, i)));
  else for (const hand of [...grid.body.rows].filter((row) => row.scoreLine === line)) hand.remove();
}

function choose(grid, line, focus = true) {
  if (focus) line.focus({ preventScroll: true });
  if (grid.chosen === line) return;
  for (const other of grid.body.querySelectorAll('tr[tabindex="0"]')) other.tabIndex = -1;
  grid.chosen?.removeAttribute("aria-selected");
  line.tabIndex = 0;
  line.setAttribute("aria-selected", "true");
  grid.chosen = line;
  grid.onChoose(line.row);
}

// Keys.

function press(grid, event) {
  const line = event.target.closest("tr");
  if (!line || event.altKey || event.ctrlKey || event.metaKey) return;
  const goal = goalOf(grid, line, event.key);
  if (goal === undefined) return;
  event.preventDefault();
  if (goal === line) toggle(grid, line);
  else if (goal) {
    goal.focus();
    goal.scrollIntoView({ block: "nearest" });
  }
}

/** The row that a key leads to; the row itself if it opens or closes; undefined for other keys. */
function goalOf(grid, line, key) {
  const rows = grid.body.rows;
  const open = line.getAttribute("aria-expanded") === "true";
  if (key === "ArrowDown") return line.nextElementSibling;
  if (key === "ArrowUp") return line.previousElementSibling;
  if (key === "Home") return rows[0];
  if (key === "End") return rows[rows.length - 1];
  if (key === "PageDown") return rows[Math.min(line.sectionRowIndex + 10, rows.length - 1)];
  if (key === "PageUp") return rows[Math.max(line.sectionRowIndex - 10, 0)];
  if (key === "Enter" || key === " ") return line.row.hands ? line : null;
  if (key === "ArrowRight") return !line.row.hands ? null : open ? line.nextElementSibling : line;
  if (key === "ArrowLeft") return line.scoreLine ?? (open ? line : null);
  return undefined;
}
