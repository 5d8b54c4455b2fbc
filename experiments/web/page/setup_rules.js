/** The rules of a game as controls: what is asked every time, and house rules. */

import { el, field, select } from "./dom.js";
import { capital } from "./view_facts.js";

const MAIN = ["players", "stack", "ante", "small_blind", "big_blind", "betting", "bet_sizes"];
const LABELS = {
  players: "Seats",
  stack: "Stack",
  ante: "Ante",
  small_blind: "Small blind",
  big_blind: "Big blind",
  betting: "Betting",
  bet_sizes: "Bet sizes",
  min_bet: "Smallest bet",
  stacks: "Stacks by seat",
  allow_check: "Checking is allowed",
  blind_phase: "Blind phase",
  svarka_ante: "A svarka costs an ante",
  one_card_face_up: "A single card is drawn face up",
  burn: "Burn cards",
  one_odd_chip_per_pot: "One odd chip for each player",
};
const ABSTRACTIONS = new Set(["abstraction", "buckets"]);

/** The parameters that are rules of the game. */
export function parametersOf(game) {
  return game.parameters.filter((parameter) => !ABSTRACTIONS.has(parameter.name));
}

/**
 * Controls for the rules. `settings` holds what differs from the defaults and is changed in
 * place; `onChange()` hears of it.
 */
export function ruleControls(game, settings, onChange) {
  const parameters = parametersOf(game);
  const main = MAIN.map((name) => parameters.find((p) => p.name === name)).filter(Boolean);
  const rest = parameters.filter((p) => !MAIN.includes(p.name));
  const sizes = main.find((p) => p.name === "bet_sizes");
  const changed = rest.some((p) => p.name in settings);
  const refresh = () => {
    const betting = settings.betting ?? main.find((p) => p.name === "betting")?.default;
    const box = sizes && root.querySelector('[data-rule="bet_sizes"]');
    if (box) box.hidden = betting === "fixed_limit";
    onChange();
  };
  const root = el(
    "div",
    { class: "stack" },
    el(
      "div",
      { class: "grid" },
      main.map((p) => ruleControl(p, settings, refresh)),
    ),
    rest.length > 0 &&
      el(
        "details",
        { class: "house-rules", open: changed },
        el("summary", null, "House rules"),
        el(
          "div",
          { class: "grid" },
          rest.map((p) => ruleControl(p, settings, refresh)),
        ),
      ),
  );
  const box = root.querySelector('[data-rule="bet_sizes"]');
  if (box)
    box.hidden =
      (settings.betting ?? main.find((p) => p.name === "betting")?.default) === "fixed_limit";
  return root;
}

function ruleControl(parameter, settings, changed) {
  const { name, low, high, choices } = parameter;
  const value = settings[name] ?? parameter.default;
  const keep = (given) => {
    if (given === parameter.default) delete settings[name];
    else settings[name] = given;
    changed();
  };
  const label = LABELS[name] ?? capital(name.replaceAll("_", " "));
  const id = `rule-${name}`;
  const shared = { id, dataset: { testid: id } };
  let node;
  if (typeof parameter.default === "boolean") {
    const box = el("input", {
      ...shared,
      type: "checkbox",
      checked: value,
      onchange: () => keep(box.checked),
    });
    node = el(
      "div",
      { class: "field" },
      el("label", { class: "check", for: id }, box, label),
      el("p", { class: "hint" }, capital(parameter.help)),
    );
  } else if (choices) {
    const options = choices.map((choice) => [
      String(choice),
      capital(String(choice).replaceAll("_", " ")),
    ]);
    const box = select(options, String(value), {
      ...shared,
      onchange: () => keep(choices.find((choice) => String(choice) === box.value)),
    });
    node = field(label, box, capital(parameter.help));
  } else if (typeof parameter.default === "number") {
    const box = el("input", {
      ...shared,
      type: "number",
      required: true,
      min: low,
      max: high,
      step: 1,
      value,
      inputmode: "numeric",
      onchange: () => box.checkValidity() && keep(Number(box.value)),
    });
    node = field(label, box, rangeHint(parameter));
  } else {
    const box = el("input", {
      ...shared,
      type: "text",
      maxlength: 200,
      value,
      spellcheck: "false",
      autocomplete: "off",
      onchange: () => keep(box.value.trim()),
    });
    node = field(label, box, capital(parameter.help));
  }
  node.dataset.rule = name;
  return node;
}

function rangeHint({ help, low, high }) {
  const short = high !== null && high < 100 ? `${low} to ${high}` : "";
  return [capital(help), short].filter(Boolean).join(" · ");
}
