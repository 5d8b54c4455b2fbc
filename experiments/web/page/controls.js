/** The decisions of a person: buttons, bet sizes, cards to discard, the next hand. */

import { announce, el, fill, plain } from "./dom.js";
import { discardHint, keyOf, labelOf, promptOf } from "./prompts.js";
import { createSizer, sizesOf } from "./sizer.js";

/**
 * The controls below a felt. `act(name)` plays an action, `deal()` deals the next hand, `skip()`
 * shows at once what the bots did.
 *
 * `show(view, mode)`: mode is "decide" (it may be the person's turn), "watch" (frames still to be
 * seen), "sent" (an answer is awaited) or "offline". `press(key)` plays a shortcut and says
 * whether there was one.
 */
export function createControls({ felt, rules, act, deal, skip }) {
  const prompt = el("p", { class: "prompt", id: "prompt", dataset: { testid: "prompt" } });
  const sizing = el("div", { class: "sizing" });
  const buttons = el("div", { class: "actions" });
  const node = el(
    "div",
    {
      class: "controls",
      role: "group",
      "aria-labelledby": "prompt",
      tabindex: "-1",
      dataset: { testid: "controls" },
    },
    prompt,
    buttons,
    sizing,
  );
  const controls = {
    node,
    prompt,
    sizing,
    buttons,
    felt,
    rules,
    act,
    deal,
    skip,
    view: null,
    asked: "",
    picked: new Set(),
  };
  return {
    node,
    show: (view, mode) => show(controls, view, mode),
    press: (key) => press(controls, key),
    say: (text) => {
      prompt.textContent = text;
    },
  };
}

function show(controls, view, mode) {
  const held =
    controls.node.contains(document.activeElement) ||
    controls.felt.node.contains(document.activeElement);
  const mine = mode === "decide" && view.turn === view.seat && view.seat !== null;
  controls.node.dataset.mode = mine ? "mine" : mode;
  controls.node.dataset.hand = view.hand;
  if (mode === "sent" || mode === "offline") {
    for (const button of controls.node.querySelectorAll("button, input")) button.disabled = true;
    if (held) controls.node.focus({ preventScroll: true });
    return;
  }
  const key = JSON.stringify([view.hand, view.events.length, mode, mine]);
  controls.view = view;
  if (controls.asked === key) {
    for (const button of controls.node.querySelectorAll("button, input")) button.disabled = false;
    return;
  }
  controls.asked = key;
  controls.picked.clear();
  fill(controls.sizing);
  controls.felt.pick(null);
  controls.prompt.textContent =
    mode === "watch" && !view.over ? watching(view) : promptOf(view, controls.rules);
  if (mine) decide(controls, view);
  else if (view.over && mode === "decide") atTheEnd(controls);
  else
    fill(
      controls.buttons,
      el(
        "button",
        { type: "button", class: "quiet", onclick: controls.skip, dataset: { key: " " } },
        "Show at once",
      ),
    );
  if (mine || (view.over && mode === "decide")) announce(controls.prompt.textContent);
  if (held) controls.node.focus({ preventScroll: true });
}

function watching(view) {
  return view.turn === null || view.turn === view.seat
    ? "Watch ..."
    : `${view.players[view.turn]} is to act ...`;
}

function decide(controls, view) {
  if (view.phase === "draw") draw(controls, view);
  else {
    const choice = sizesOf(view.actions);
    const plainActions = choice
      ? view.actions.filter((action) => action.kind !== "raise")
      : view.actions;
    fill(
      controls.buttons,
      plainActions.map((action) => actionButton(controls, action, view.actions)),
    );
    if (choice) addSizer(controls, view, choice);
  }
}

const STRONG = new Set(["call", "keep", "join", "look"]);

function actionButton(controls, action, actions) {
  const key = keyOf(action, actions);
  const kind = action.name.split(" ")[0];
  const classes = STRONG.has(action.kind)
    ? "primary"
    : action.kind === "raise" || action.kind === "blind"
      ? "raise"
      : "";
  return el(
    "button",
    {
      type: "button",
      class: `action ${classes}`,
      dataset: { action: action.name, kind: action.kind, key, verb: kind },
      "aria-keyshortcuts": key,
      onclick: () => controls.act(action.name),
    },
    labelOf(action),
    key && el("kbd", { class: "key", "aria-hidden": "true" }, key.toUpperCase()),
  );
}

function addSizer(controls, view, choice) {
  const word = el("span", { class: "raise-word" });
  const button = el(
    "button",
    {
      type: "button",
      class: "action raise",
      dataset: { kind: "raise", verb: "raise" },
      "aria-keyshortcuts": "r",
      onclick: () => controls.act(button.dataset.action),
    },
    word,
    el("kbd", { class: "key", "aria-hidden": "true" }, "R"),
  );
  const sizer = createSizer(view, choice, {
    unit: Number(controls.rules.big_blind) || null,
    onSize: (size) => {
      const name = choice.nameOf(size);
      button.dataset.action = name;
      const all = view.stacks && size === view.stacks[view.seat] + view.bets[view.seat];
      word.textContent = `${name.charAt(0).toUpperCase()}${name.slice(1).replace(/\d+$/, plain(size))}${all ? ", all in" : ""}`;
    },
    onSubmit: () => controls.act(button.dataset.action),
  });
  fill(controls.sizing, sizer);
  controls.buttons.append(button);
}

// The draw.

function draw(controls, view) {
  const most = Math.max(...view.actions.map((action) => action.cards?.length ?? 0));
  const button = el("button", {
    type: "button",
    class: "action primary",
    dataset: { key: "d", kind: "discard" },
    "aria-keyshortcuts": "d",
    onclick: () => controls.act(button.dataset.action),
  });
  const hint = el("p", { class: "hint draw-hint", "aria-live": "polite" });
  const refresh = () => {
    const action = discardOf(view, controls.picked);
    const count = controls.picked.size;
    button.dataset.action = action?.name ?? "";
    button.disabled = !action;
    fill(
      button,
      count === 0 ? "Stand pat" : `Discard ${count}`,
      el("kbd", { class: "key", "aria-hidden": "true" }, "D"),
    );
    hint.textContent = discardHint(count, controls.rules);
  };
  controls.toggle = (card) => {
    const { picked } = controls;
    if (picked.has(card)) picked.delete(card);
    else if (picked.size < most) picked.add(card);
    else announce(`At most ${most} cards may be discarded`);
    const focused = document.activeElement?.dataset?.card;
    controls.felt.pick({ selected: picked, toggle: controls.toggle });
    if (focused)
      controls.felt.node.querySelector(`.own-card[data-card="${CSS.escape(focused)}"]`)?.focus();
    refresh();
  };
  controls.felt.pick({ selected: controls.picked, toggle: controls.toggle });
  refresh();
  fill(controls.buttons, hint, button);
}

/** The action that discards exactly these cards. */
function discardOf(view, picked) {
  return view.actions.find(
    (action) =>
      action.kind === "discard" &&
      action.cards.length === picked.size &&
      action.cards.every((card) => picked.has(card)),
  );
}

function atTheEnd(controls) {
  fill(
    controls.buttons,
    el(
      "button",
      {
        type: "button",
        class: "action primary",
        dataset: { key: "n", testid: "next-hand", action: "deal" },
        "aria-keyshortcuts": "n",
        onclick: controls.deal,
      },
      "Next hand",
      el("kbd", { class: "key", "aria-hidden": "true" }, "N"),
    ),
  );
}

// Shortcuts.

function press(controls, key) {
  const { node, view, felt } = controls;
  if (node.dataset.mode !== "mine" && key !== "n" && key !== " ") return false;
  if (/^[1-9]$/.test(key) && view.phase === "draw") {
    const card = felt.node.querySelectorAll(".own-card[data-card]")[Number(key) - 1];
    card?.click();
    return Boolean(card);
  }
  if (key === "r") {
    const sizer = node.querySelector(".sizer");
    const raise = sizer ?? node.querySelector('[data-kind="raise"]');
    if (sizer) sizer.focusSize();
    else raise?.focus();
    return Boolean(raise);
  }
  const button = node.querySelector(`button[data-key="${CSS.escape(key)}"]:not(:disabled)`);
  button?.click();
  return Boolean(button);
}
