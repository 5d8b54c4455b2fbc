/** Choosing a game, its rules and the opponents. */

import { getOnce, post } from "./api.js";
import { cardElement } from "./cards.js";
import { announce, el, errorBox, field, fill, kept, select } from "./dom.js";
import { hrefFor, navigate } from "./route.js";
import { parametersOf, ruleControls } from "./setup_rules.js";
import { forgetTable, keptTables, rememberTable } from "./tables_kept.js";
import { capital, parseGame } from "./view_facts.js";

const PREFERRED = { svara: "svara-home", sviten_special: "sviten-limit" };
const FALLBACK = "equity";
const STUDY_CHOICES = [
  ["off", "Off"],
  ["before", "Before my move"],
  ["after", "After my move"],
];

/** Fill `root` with the form; a table that is made is gone to. */
export async function mountSetup(root) {
  const [{ games }, { bots }] = await Promise.all([getOnce("/api/games"), getOnce("/api/bots")]);
  const last = kept.get("setup", {});
  const known = games.some((game) => game.name === last.game);
  const form = {
    games,
    bots,
    game: known ? last.game : "svara",
    settings: known ? { [last.game]: last.settings ?? {} } : {},
    against: known ? (last.against ?? []) : [],
    parts: { rules: el("div"), bots: el("div"), error: el("div") },
  };
  const node = el(
    "form",
    {
      class: "setup-form",
      novalidate: false,
      dataset: { testid: "setup" },
      onsubmit: (event) => {
        event.preventDefault();
        sitDown(form, node);
      },
    },
    gameChoice(form),
    el("section", { class: "panel" }, el("h2", null, "Stakes and seats"), form.parts.rules),
    el("section", { class: "panel" }, el("h2", null, "Opponents"), form.parts.bots),
    studyChoice(),
    form.parts.error,
    el(
      "div",
      { class: "setup-go" },
      el(
        "button",
        { type: "submit", class: "primary big", dataset: { testid: "sit-down" } },
        "Sit down",
      ),
    ),
  );
  fill(
    root,
    hero(),
    el("div", { class: "setup" }, node, el("aside", { class: "setup-side" }, recentTables())),
  );
  drawRules(form);
}

function hero() {
  const fan = ["As", "Kh", "7c", "Qd", "9s"].map((card) =>
    cardElement(card, { size: "l", joker: card === "7c", decorative: true }),
  );
  return el(
    "div",
    { class: "hero" },
    el(
      "div",
      null,
      el("h1", null, "Take a seat"),
      el(
        "p",
        null,
        "Svara and Sviten Special against bots that were trained on them. Every hand is kept and can be replayed.",
      ),
    ),
    el("div", { class: "hero-fan", "aria-hidden": "true" }, fan),
  );
}

// The game.

function gameChoice(form) {
  return el(
    "fieldset",
    { class: "panel" },
    el("legend", null, el("h2", null, "Game")),
    el(
      "div",
      { class: "game-cards" },
      form.games.map((game) =>
        el(
          "label",
          { class: "game-card" },
          el("input", {
            type: "radio",
            name: "game",
            value: game.name,
            checked: game.name === form.game,
            onchange: () => {
              form.game = game.name;
              form.against = [];
              drawRules(form);
            },
          }),
          el("span", { class: "game-title" }, game.title),
          el("span", { class: "game-summary" }, capital(game.summary)),
        ),
      ),
    ),
  );
}

const gameOf = (form) => form.games.find((game) => game.name === form.game);
const settingsOf = (form) => (form.settings[form.game] ??= {});

function drawRules(form) {
  fill(
    form.parts.rules,
    ruleControls(gameOf(form), settingsOf(form), () => drawBots(form)),
  );
  drawBots(form);
}

// The opponents.

/** Whether a bot plays the chosen game by the chosen rules; the menu of bets does not matter. */
function suits(form, bot) {
  if (!bot.game) return true;
  const made = parseGame(bot.game);
  if (made.name !== form.game) return false;
  return parametersOf(gameOf(form)).every(
    (p) =>
      p.name === "bet_sizes" ||
      String(made.settings[p.name] ?? p.default) === String(settingsOf(form)[p.name] ?? p.default),
  );
}

function drawBots(form) {
  const game = gameOf(form);
  const seats = Number(
    settingsOf(form).players ?? game.parameters.find((p) => p.name === "players").default,
  );
  const own = form.bots.filter((bot) => !bot.game || parseGame(bot.game).name === form.game);
  const fit = new Set(own.filter((bot) => suits(form, bot)).map((bot) => bot.name));
  const first = [PREFERRED[form.game], FALLBACK, own[0]?.name].find((name) => fit.has(name));
  form.against = Array.from({ length: Math.max(seats - 1, 1) }, (_, i) =>
    [form.against[i], form.against[0], first].find((name) => fit.has(name)),
  );
  const barred = own.filter((bot) => !fit.has(bot.name));
  fill(
    form.parts.bots,
    el(
      "div",
      { class: "grid" },
      form.against.map((name, i) => botField(form, own, fit, name, i)),
    ),
    barred.length > 0 &&
      el(
        "p",
        { class: "hint barred" },
        `${barred.map((bot) => bot.name).join(", ")} was made for other seats or stakes and cannot sit down.`,
      ),
    el(
      "dl",
      { class: "bot-notes" },
      own
        .filter((bot) => form.against.includes(bot.name))
        .map((bot) => el("div", null, el("dt", null, bot.name), el("dd", null, bot.summary))),
    ),
  );
}

function botField(form, own, fit, name, i) {
  const control = select([], name, {
    dataset: { testid: `bot-${i + 1}` },
    onchange: () => {
      form.against[i] = control.value;
      drawBots(form);
      document.getElementById(control.id)?.focus();
    },
  });
  control.id = `bot-${i + 1}`;
  for (const bot of own) {
    control.append(
      el(
        "option",
        { value: bot.name, selected: bot.name === name, disabled: !fit.has(bot.name) },
        bot.name,
      ),
    );
  }
  return field(`Seat ${i + 2}`, control);
}

function studyChoice() {
  const chosen = kept.get("study", "off");
  return el(
    "fieldset",
    { class: "panel" },
    el("legend", null, el("h2", null, "Study mode")),
    el(
      "div",
      { class: "stack" },
      el(
        "div",
        { class: "segments" },
        STUDY_CHOICES.map(([value, text]) =>
          el(
            "label",
            null,
            el("input", {
              type: "radio",
              name: "study",
              value,
              checked: value === chosen,
              onchange: () => kept.set("study", value),
            }),
            el("span", null, text),
          ),
        ),
      ),
      el(
        "p",
        { class: "hint" },
        "A trained bot says what it would do in your place and what each action is worth.",
      ),
    ),
  );
}

// Sitting down.

async function sitDown(form, node) {
  if (!node.reportValidity()) return;
  const button = node.querySelector("[type=submit]");
  button.disabled = true;
  fill(form.parts.error);
  const settings = settingsOf(form);
  kept.set("setup", { game: form.game, settings, against: form.against });
  try {
    const hand = await post("/api/new_hand", { game: form.game, settings, against: form.against });
    rememberTable(hand.token, { game: hand.game, bots: form.against });
    navigate("table", { token: hand.token });
  } catch (error) {
    button.disabled = false;
    fill(form.parts.error, errorBox(error));
  }
}

// Tables of before.

function recentTables() {
  const box = el("section", { class: "panel recent", "aria-labelledby": "recent-title" });
  const draw = () => {
    const tables = keptTables();
    fill(
      box,
      el("h2", { id: "recent-title" }, "Your tables"),
      tables.length === 0
        ? el(
            "p",
            { class: "muted small" },
            "Tables that you sit down at are listed here. They wait for you, in the middle of a hand too.",
          )
        : el(
            "ul",
            { class: "recent-list" },
            tables.map((table) => recentTable(table, draw)),
          ),
    );
  };
  draw();
  return box;
}

function recentTable(table, draw) {
  const { name, settings } = parseGame(table.game);
  const title = name.replaceAll("_", " ").replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  const rules = Object.entries(settings).map(
    ([key, value]) => `${key.replaceAll("_", " ")} ${value}`,
  );
  return el(
    "li",
    null,
    el(
      "a",
      { href: hrefFor("table", { token: table.token }) },
      el("b", null, title),
      el("span", { class: "muted small" }, `against ${[...new Set(table.bots)].join(", ")}`),
      el("span", { class: "muted small" }, [...rules, when(table.at)].join(" · ")),
    ),
    el(
      "button",
      {
        type: "button",
        class: "icon-button",
        "aria-label": `Forget this table of ${title}`,
        title: "Forget",
        onclick: () => {
          forgetTable(table.token);
          announce("Forgotten");
          draw();
        },
      },
      "\u00d7",
    ),
  );
}

function when(time) {
  return new Date(time).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
}
