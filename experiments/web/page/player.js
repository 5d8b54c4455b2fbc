/** A film of a hand with what a player has: step by step, forwards and back, or by itself. */

import { withCards } from "./cards.js";
import { announce, el, fill, icon, kept } from "./dom.js";
import { createFelt } from "./felt.js";
import { PACES } from "./film.js";
import { lineNode } from "./hand_log.js";

const ICONS = {
  first: "M6 5v14M18 6l-8 6 8 6z",
  back: "M16 5l-9 7 9 7z",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  forward: "M8 5l9 7-9 7z",
  last: "M18 5v14M6 6l8 6-8 6z",
};
const SHORTEST_PACE = 350;

/** A player of `film` ({frames: [{view, lines}]}): {felt, bar, log} to place, and close(). */
export function createPlayer(film, rules) {
  const { frames } = film;
  const felt = createFelt(rules);
  const player = {
    frames,
    felt,
    at: -1,
    timer: 0,
    log: createScript(frames, (i) => go(player, i)),
  };
  const button = (name, label, key, act) =>
    el(
      "button",
      {
        type: "button",
        class: "transport",
        "aria-label": label,
        title: `${label} (${key})`,
        dataset: { testid: `replay-${name}` },
        onclick: act,
      },
      icon(ICONS[name]),
    );
  player.slider = el("input", {
    type: "range",
    min: 0,
    max: Math.max(frames.length - 1, 0),
    step: 1,
    value: "0",
    "aria-label": "Step of the hand",
    dataset: { testid: "replay-slider" },
    oninput: () => {
      pause(player);
      go(player, Number(player.slider.value));
    },
  });
  player.count = el("span", {
    class: "number small step-count",
    dataset: { testid: "replay-count" },
  });
  player.said = el("p", { class: "prompt replay-line", dataset: { testid: "replay-line" } });
  player.playButton = button("play", "Play", "Space", () => togglePlay(player));
  player.moves = {
    first: button("first", "First step", "Home", () => jump(player, 0)),
    back: button("back", "One step back", "\u2190", () => jump(player, player.at - 1)),
    forward: button("forward", "One step forward", "\u2192", () => jump(player, player.at + 1)),
    last: button("last", "Last step", "End", () => jump(player, frames.length - 1)),
  };
  const { first, back, forward, last } = player.moves;
  const bar = el(
    "div",
    { class: "controls player-bar", role: "group", "aria-label": "Player" },
    player.said,
    el(
      "div",
      { class: "player-row" },
      el("div", { class: "transports" }, first, back, player.playButton, forward, last),
      player.slider,
      player.count,
    ),
  );
  const deaf = hearKeys(player);
  go(player, 0);
  return {
    felt: felt.node,
    bar,
    log: player.log.node,
    close() {
      pause(player);
      deaf();
    },
  };
}

/** All lines of the film; those of a frame lead to it. */
function createScript(frames, open) {
  const rows = frames.flatMap((frame, i) =>
    frame.lines.map((line) => {
      const row = lineNode(line);
      row.dataset.frame = i;
      const link = el("button", { type: "button", class: "line-button", onclick: () => open(i) });
      link.append(...row.childNodes);
      row.append(link);
      return row;
    }),
  );
  const node = el(
    "div",
    { class: "log", dataset: { testid: "log" } },
    el("ol", { class: "log-lines" }, rows),
  );
  return {
    node,
    mark(at) {
      for (const row of rows) {
        const frame = Number(row.dataset.frame);
        row.classList.toggle("is-current", frame === at);
        row.classList.toggle("is-to-come", frame > at);
        if (frame === at) row.setAttribute("aria-current", "step");
        else row.removeAttribute("aria-current");
      }
      const current = rows.filter((row) => Number(row.dataset.frame) === at);
      for (const row of current.reverse()) scrollInside(node, row);
      if (at === 0) node.scrollTop = 0;
    },
  };
}

/** Bring a line into sight without moving the page. */
function scrollInside(box, row) {
  const [outer, inner] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top + 8;
  if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom + 8;
}

function go(player, wish) {
  const at = Math.min(Math.max(wish, 0), player.frames.length - 1);
  if (at === player.at || at < 0) return;
  const still = at !== player.at + 1;
  player.at = at;
  const { view, lines } = player.frames[at];
  player.felt.show(view, { still });
  player.log.mark(at);
  player.slider.value = String(at);
  const text = lines.join(". ") || (at === 0 ? "The hand begins" : "");
  player.slider.setAttribute("aria-valuetext", `${at + 1} of ${player.frames.length}: ${text}`);
  player.count.textContent = `${at + 1} / ${player.frames.length}`;
  fill(player.said, withCards(text));
  const { first, back, forward, last } = player.moves;
  for (const button of [first, back]) button.setAttribute("aria-disabled", String(at === 0));
  for (const button of [forward, last])
    button.setAttribute("aria-disabled", String(at === player.frames.length - 1));
}

function jump(player, at) {
  pause(player);
  go(player, at);
  announce(player.said.textContent);
}

function togglePlay(player) {
  if (player.timer) {
    pause(player);
    return;
  }
  if (player.at === player.frames.length - 1) go(player, 0);
  const pace = Math.max(PACES[kept.get("pace", "normal")] ?? PACES.normal, SHORTEST_PACE);
  player.timer = setInterval(() => {
    go(player, player.at + 1);
    if (player.at === player.frames.length - 1) pause(player);
  }, pace);
  drawPlay(player);
}

function pause(player) {
  if (!player.timer) return;
  clearInterval(player.timer);
  player.timer = 0;
  drawPlay(player);
}

function drawPlay(player) {
  const name = player.timer ? "pause" : "play";
  fill(player.playButton, icon(ICONS[name]));
  player.playButton.setAttribute("aria-label", player.timer ? "Pause" : "Play");
}

function hearKeys(player) {
  const moves = {
    ArrowLeft: () => jump(player, player.at - 1),
    ArrowRight: () => jump(player, player.at + 1),
    Home: () => jump(player, 0),
    End: () => jump(player, player.frames.length - 1),
    " ": () => togglePlay(player),
  };
  const hear = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !moves[event.key]) return;
    if (event.target.matches?.("input, select, textarea")) return;
    if (event.key === " " && event.target.closest?.("button, a, summary, label")) return;
    event.preventDefault();
    moves[event.key]();
  };
  document.addEventListener("keydown", hear);
  return () => document.removeEventListener("keydown", hear);
}
