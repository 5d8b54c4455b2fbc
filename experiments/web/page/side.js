/** Beside the felt: the running result, and the hands that are over. */

import { post, saveText } from "./api.js";
import { el, errorBox, fill, plain, signed } from "./dom.js";
import { hrefFor } from "./route.js";

/** The running result; `show(result)` draws it. */
export function createResult() {
  const node = el("section", {
    class: "panel result",
    "aria-label": "Result",
    dataset: { testid: "result" },
  });
  return {
    node,
    show(result) {
      if (!result) return;
      const mood = result.chips > 0 ? "good" : result.chips < 0 ? "bad" : "";
      fill(
        node,
        el(
          "div",
          { class: "result-main" },
          el(
            "span",
            { class: `result-chips ${mood}` },
            signed(result.chips, 1),
            el("span", { class: "result-word" }, " chips"),
          ),
          el(
            "span",
            { class: "muted small" },
            result.hands === 1 ? "1 hand" : `${plain(result.hands)} hands`,
          ),
        ),
        rateOf(result),
      );
    },
  };
}

/** The result as a rate, with its 95 % interval. */
function rateOf({ hands, mbb_per_hand: rate, ci95, unit }) {
  const known = hands > 0 && rate !== null;
  const article = /^[aeiou]/.test(unit) ? "an" : "a";
  return [
    el(
      "dl",
      { class: "rate" },
      el(
        "div",
        null,
        el("dt", null, "Rate"),
        el("dd", null, known ? `${signed(rate)} mbb/hand` : "after the first hand"),
      ),
      el(
        "div",
        null,
        el("dt", null, "95 %"),
        el("dd", null, ci95 ? `${signed(ci95[0])} to ${signed(ci95[1])}` : "after the second hand"),
      ),
    ),
    el("p", { class: "hint" }, `mbb: thousandths of ${article} ${unit}`),
  ];
}

/** The list of hands that are over, with replays and downloads; `show(number)` draws it anew. */
export function createHands(token) {
  const list = el("ol", { class: "hand-list", reversed: true, dataset: { testid: "hands" } });
  const problem = el("div");
  const count = el("span", { class: "tag" }, "0");
  const save = (format, name, type) =>
    el(
      "button",
      {
        type: "button",
        class: "small-button",
        onclick: async () => {
          try {
            fill(problem);
            const { text } = await post("/api/history", { token, format });
            saveText(text, name, type);
          } catch (error) {
            fill(problem, errorBox(error));
          }
        },
      },
      format === "jsonl" ? "JSON lines" : "PHH",
    );
  const node = el(
    "details",
    { class: "panel hands-panel", ontoggle: () => node.open && refresh() },
    el("summary", null, "Hands", count),
    el(
      "div",
      { class: "stack" },
      list,
      el(
        "div",
        { class: "button-row" },
        el("span", { class: "muted small" }, "Download all:"),
        save("jsonl", "pokerspiel-hands.jsonl", "application/jsonl"),
        save("phh", "pokerspiel-hands.phh", "text/plain"),
      ),
      problem,
    ),
  );

  async function refresh() {
    try {
      const { hands } = await post("/api/hands", { token });
      count.textContent = String(hands.length);
      fill(problem);
      if (!node.open) return;
      fill(
        list,
        [...hands]
          .reverse()
          .slice(0, 200)
          .map((hand) => handLine(token, hand)),
      );
      if (hands.length === 0)
        fill(list, el("li", { class: "muted small" }, "No hand is over yet."));
    } catch (error) {
      fill(problem, errorBox(error));
    }
  }

  return {
    node,
    /** `number` hands are over. */
    show(number) {
      if (count.textContent === String(number)) return;
      count.textContent = String(number);
      if (node.open) refresh();
    },
  };
}

function handLine(token, hand) {
  const mood = hand.won > 0 ? "good" : hand.won < 0 ? "bad" : "muted";
  return el(
    "li",
    null,
    el("a", { href: hrefFor("replay", { token, hand: hand.number }) }, `Hand ${hand.number + 1}`),
    el("span", { class: `number ${mood}` }, signed(hand.won, 1)),
  );
}
