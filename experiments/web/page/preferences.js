/** What the person likes: the pace, the colours of the suits, study mode. */

import { deckColours, setDeckColours } from "./cards.js";
import { el, kept } from "./dom.js";
import { PACES } from "./film.js";

/** The controls; `onStudy()` hears when study mode changes. */
export function createPreferences({ onStudy }) {
  return el(
    "div",
    { class: "stack preferences" },
    choice(
      "Pace of the others",
      "pace",
      Object.keys(PACES).map((name) => [name, name]),
      kept.get("pace", "normal"),
      (value) => kept.set("pace", value),
    ),
    choice(
      "Suits in",
      "deck",
      [
        ["four", "four colours"],
        ["two", "two colours"],
      ],
      deckColours(),
      setDeckColours,
    ),
    choice(
      "Study mode",
      "study-mode",
      [
        ["off", "off"],
        ["before", "before my move"],
        ["after", "after my move"],
      ],
      kept.get("study", "off"),
      (value) => {
        kept.set("study", value);
        onStudy();
      },
    ),
  );
}

function choice(legend, name, options, value, keep) {
  return el(
    "fieldset",
    { class: "choice" },
    el("legend", null, legend),
    el(
      "div",
      { class: "segments" },
      options.map(([key, text]) =>
        el(
          "label",
          null,
          el("input", {
            type: "radio",
            name,
            value: key,
            checked: key === value,
            onchange: () => keep(key),
          }),
          el("span", null, text),
        ),
      ),
    ),
  );
}
