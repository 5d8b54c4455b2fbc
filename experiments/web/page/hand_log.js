/** What was said, hand by hand, newest below. */

import { withCards } from "./cards.js";
import { el, fill } from "./dom.js";

const MOST_HANDS = 30;

/**
 * A log. `say(number, lines)` adds lines to a hand; `retell(number, lines)` replaces what was said
 * of it, without reading it out again.
 */
export function createLog({ label = "What happened" } = {}) {
  const node = el("div", {
    class: "log",
    role: "log",
    "aria-label": label,
    tabindex: "0",
    dataset: { testid: "log" },
  });
  const hands = new Map();
  const list = (number) => {
    if (!hands.has(number)) {
      const lines = el("ol", { class: "log-lines" });
      const section = el(
        "section",
        { class: "log-hand" },
        el("h3", null, `Hand ${number + 1}`),
        lines,
      );
      hands.set(number, { section, lines });
      node.append(section);
      trim(hands);
    }
    return hands.get(number).lines;
  };
  return {
    node,
    say(number, lines) {
      const box = list(number);
      for (const line of lines) box.append(lineNode(line));
      node.scrollTop = node.scrollHeight;
    },
    retell(number, lines) {
      const box = list(number);
      const told = [...box.children].map((child) => child.dataset.line);
      if (told.join("\n") !== lines.join("\n")) {
        node.setAttribute("aria-live", "off");
        fill(box, lines.map(lineNode));
        requestAnimationFrame(() => node.removeAttribute("aria-live"));
      }
      node.scrollTop = node.scrollHeight;
    },
  };
}

function trim(hands) {
  while (hands.size > MOST_HANDS) {
    const [oldest, { section }] = hands.entries().next().value;
    section.remove();
    hands.delete(oldest);
  }
}

/** A line; those about a deal of cards for all are set apart. */
export function lineNode(line) {
  const street = /^(Flop|Turn|River|Board|New cards|The best hands tie)/.test(line);
  const own = line.startsWith("You ");
  const node = el(
    "li",
    { class: `log-line${street ? " is-street" : ""}${own ? " is-own" : ""}` },
    withCards(line),
  );
  node.dataset.line = line;
  return node;
}
