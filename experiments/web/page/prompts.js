/** What there is to decide, in words. */

import { plain } from "./dom.js";
import { isSvara, nameOf, outcomeOf } from "./view_facts.js";

/** The line above the buttons: what the person is asked. */
export function promptOf(view, rules) {
  if (view.over) return outcomeOf(view);
  if (view.turn === null) return "Cards are dealt";
  if (view.turn !== view.seat) return `${nameOf(view, view.turn)} is to act`;
  const ask = { blind: askBlind, join: askJoin, draw: askDraw, keep: askKeep, bet: askBet }[
    view.phase
  ];
  return ask ? ask(view, rules) : "Your turn";
}

function askBlind(view) {
  if (view.blind > 0) {
    return `The last blind is ${plain(view.blind)}: bet blind again, or look and pay ${plain(2 * view.blind)} to stay.`;
  }
  if (view.svarka > 0)
    return "The tie is played off with new cards. Look at yours, or bet blind first.";
  return "Nobody has looked yet. Look at your cards, or bet without having seen them.";
}

function askJoin(view) {
  return (
    `Svarka: the best hands tie and play on for ${plain(view.pot)}, with new cards. ` +
    `Join them for ${plain(view.price)}?`
  );
}

function askDraw() {
  return "Tap the cards that you want to change.";
}

function askKeep() {
  return "Drawn face up for everybody: keep it, or reject it for a card that only you see.";
}

function askBet(view) {
  const kinds = view.actions.map((action) => action.name);
  if (view.pot === undefined) return "Your turn.";
  if (view.to_call > 0) {
    const all = view.stacks?.[view.seat] === view.to_call ? ", all your chips" : "";
    return `${plain(view.to_call)} to call${all}. The pot is ${plain(view.pot)}.`;
  }
  if (isSvara(view) && !kinds.includes("check")) return "There is no check: bet, or you are out.";
  return "Your turn. Nothing to call.";
}

/** What a discard of so many cards means, where it is not obvious. */
export function discardHint(count, rules) {
  if (count === 0) return "Nothing chosen: you stand pat and keep all of them.";
  if (count === 1 && rules.one_card_face_up === "true") {
    return "One card is drawn face up for everybody. You may reject it for a second one, face down.";
  }
  return count === 1 ? "One card, drawn face down." : `${count} cards, drawn face down.`;
}

/** What stands on the button of an action. */
export function labelOf(action) {
  const [verb, ...rest] = action.name.split(" ");
  const tail = rest.join(" ");
  const labels = {
    look: "Look at the cards",
    decline: "Stay out",
    join: `Join for ${tail}`,
    stand: "Stand pat",
    keep: "Keep it",
    reject: "Reject it",
    blind: `Bet blind ${tail}`,
  };
  return labels[verb] ?? action.name.charAt(0).toUpperCase() + action.name.slice(1);
}

/** The key that plays an action. */
export function keyOf(action, actions) {
  const verb = action.name.split(" ")[0];
  const keys = {
    fold: "f",
    pass: "f",
    check: "c",
    call: "c",
    look: "l",
    join: "j",
    decline: "x",
    keep: "k",
    reject: "x",
  };
  if (action.kind === "raise" || verb === "bet") {
    const raises = actions.filter((other) => other.kind === "raise");
    return raises.length === 1 ? "r" : null;
  }
  if (verb === "blind")
    return actions.find((other) => other.name.startsWith("blind")) === action ? "b" : null;
  return keys[verb] ?? null;
}
