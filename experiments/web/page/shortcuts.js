/** Keys of the table, and the sheet that lists them. */

import { el, fill } from "./dom.js";

const KEYS = [
  ["F", "fold"],
  ["C", "check or call"],
  ["R", "to the raise"],
  ["1 to 5", "choose a card to discard"],
  ["D", "discard, or stand pat"],
  ["K", "keep the card"],
  ["X", "reject the card, or stay out"],
  ["L", "look at the cards"],
  ["B", "bet blind"],
  ["J", "join the svarka"],
  ["N", "next hand"],
  ["Space", "show at once what the bots did"],
  ["?", "this list"],
];

/** Hear the keys as long as the view is there; `press(key)` says whether it used one. */
export function hearKeys({ press, help }) {
  const hear = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (document.querySelector("dialog[open]") || isTyping(event.target)) return;
    if (event.key === "?") {
      event.preventDefault();
      help();
      return;
    }
    const key = event.key.toLowerCase();
    if (key === " " && event.target.closest?.("button, a, summary, [tabindex='0']")) return;
    if (press(key)) event.preventDefault();
  };
  document.addEventListener("keydown", hear);
  return () => document.removeEventListener("keydown", hear);
}

function isTyping(target) {
  return target.matches?.(
    "input:not([type='range'], [type='checkbox'], [type='radio']), select, textarea",
  );
}

/** The list of keys. */
export function keyList() {
  return el(
    "dl",
    { class: "keys" },
    KEYS.map(([key, meaning]) =>
      el("div", null, el("dt", null, el("kbd", null, key)), el("dd", null, meaning)),
    ),
  );
}

/** A dialog with a heading and a button that closes it; `open()` shows it. */
export function createDialog(heading) {
  const body = el("div", { class: "stack" });
  const title = el(
    "h2",
    { id: `dialog-${heading.toLowerCase().replaceAll(/\W+/g, "-")}` },
    heading,
  );
  const close = el(
    "button",
    { type: "button", class: "primary", onclick: () => dialog.close() },
    "Close",
  );
  const dialog = el(
    "dialog",
    {
      class: "sheet",
      "aria-labelledby": title.id,
      onclick: (event) => event.target === dialog && dialog.close(),
    },
    el(
      "div",
      { class: "sheet-inner stack" },
      title,
      body,
      el("div", { class: "button-row" }, close),
    ),
  );
  return {
    node: dialog,
    open(...content) {
      fill(body, content);
      dialog.showModal();
    },
  };
}
