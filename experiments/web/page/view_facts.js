/** What follows from the document of a hand (`seat_view`), without drawing anything. */

import { plain } from "./dom.js";

/** Name and settings of a game's text: "svara(players=3)" is {name: "svara", settings: {players: "3"}}. */
export function parseGame(text) {
  const [, name, inner] = /^([^(]*)(?:\((.*)\))?$/.exec(text) ?? [null, text, ""];
  const pairs = (inner ?? "")
    .split(",")
    .filter(Boolean)
    .map((pair) => pair.split("="));
  return { name, settings: Object.fromEntries(pairs.map(([key, value]) => [key.trim(), value])) };
}

/** The rules of a game as texts by name: what its text says, and the defaults for the rest. */
export function rulesOf(text, games) {
  const { name, settings } = parseGame(text);
  const game = games.find((entry) => entry.name === name);
  const defaults = (game?.parameters ?? []).map((p) => [p.name, String(p.default)]);
  return { ...Object.fromEntries(defaults), ...settings };
}

export function titleOf(text, games) {
  const { name } = parseGame(text);
  return games.find((entry) => entry.name === name)?.title ?? name;
}

/** Stakes and what differs from the plain game, as short texts. */
export function tagsOf(text, rules) {
  const { settings } = parseGame(text);
  const tags = [`${settings.players ?? rules.players ?? 2} seats`];
  if (rules.betting) tags.push(rules.betting.replace("_", " "));
  if (rules.big_blind) tags.push(`blinds ${rules.small_blind}/${rules.big_blind}`);
  else if (rules.ante) tags.push(`ante ${rules.ante}`);
  if (rules.stack) tags.push(`stack ${plain(Number(rules.stack))}`);
  const told = ["players", "betting", "big_blind", "small_blind", "ante", "stack"];
  for (const [name, value] of Object.entries(settings)) {
    if (!told.includes(name)) tags.push(`${name.replaceAll("_", " ")}: ${value}`);
  }
  return tags;
}

export const isSvara = (view) => "svarka" in view;
export const isSviten = (view) => "street" in view;

/** The cards of the board in the order in which they fell. */
export function boardOf(view) {
  const cards = view.events.filter((event) => event.to === "board").map((event) => event.card);
  return view.board && view.board.length !== cards.length ? view.board : cards;
}

/** Whether a seat still plays for the pot. */
export function isLive(view, seat) {
  if (view.live) return view.live.includes(seat);
  return !view.events.some((event) => event.seat === seat && event.action === "fold");
}

/**
 * The hands that lie open, by seat. In a svarka the hands that tied stay open until somebody acts
 * or takes new cards; afterwards they are history.
 */
export function openHands(view) {
  const shownLast = view.events.at(-1)?.shows !== undefined;
  const compared = view.events.some((event) => event.shows);
  if (!compared) return view.hands;
  const current = view.over || view.phase === "join" || shownLast || !view.svarka;
  return current ? view.hands : view.hands.map(() => null);
}

/** Whether the open hands are those of a tie that is played off. */
export function isTie(view) {
  return (
    isSvara(view) &&
    !view.over &&
    view.events.some((event) => event.shows) &&
    openHands(view).some(Boolean)
  );
}

/** Whether a seat's open hand is one of the best, which tie and are played off. */
export function isTied(view, seat) {
  const hands = openHands(view);
  const best = Math.max(...hands.map((hand) => hand?.points ?? 0));
  return isTie(view) && hands[seat]?.points === best;
}

/** How many cards a seat holds that are not open: 0 if it has none in this hand. */
export function hiddenCards(view, seat, rules) {
  if (!isLive(view, seat) || (!isSvara(view) && view.events.length === 0)) return 0;
  return Number(rules.hole_cards ?? 1);
}

/** The last action of each seat since cards fell, such as "Raise to 4". */
export function lastActions(view) {
  const actions = {};
  for (const event of [...view.events].reverse()) {
    if ("card" in event && event.to !== "nobody") break;
    if (event.action && !(event.seat in actions)) actions[event.seat] = capital(event.action);
  }
  return actions;
}

/** Chips of every seat; at the end with what it won. */
export function stacksOf(view, rules) {
  if (!view.stacks) return null;
  if (!view.over) return view.stacks;
  const given = (rules.stacks ?? "").trim().split(/\s+/).filter(Boolean).map(Number);
  const start = (seat) => given[seat] ?? Number(rules.stack);
  const final = view.returns.map((chips, seat) => start(seat) + chips);
  return final.every(Number.isFinite) && given.length === 0 ? final : view.stacks;
}

/** Bets of the round under way: none at the draw, when they lie in the pot already. */
export function betsOf(view) {
  const done = view.over || view.phase === "draw" || view.phase === "keep";
  return done || !view.bets ? view.players.map(() => 0) : view.bets;
}

/** A name for the person who looks: "You" for the own seat. */
export function nameOf(view, seat) {
  return seat === view.seat ? "You" : view.players[seat];
}

/** The end in one line: "You win 3". */
export function outcomeOf(view) {
  if (view.seat === null) {
    const winners = view.returns.map((chips, seat) => [chips, seat]).filter(([chips]) => chips > 0);
    if (winners.length === 0) return "The pot is shared";
    return winners.map(([chips, seat]) => `${view.players[seat]} wins ${plain(chips)}`).join(", ");
  }
  const chips = view.returns[view.seat];
  if (chips === 0) return "You get back what you put in";
  return chips > 0 ? `You win ${plain(chips)}` : `You lose ${plain(-chips)}`;
}

/** Who won which half of a Sviten pot: [{half, shares: [{seat, chips, hand}]}]; empty without a showdown. */
export function halvesOf(view) {
  if (!view.won?.length) return [];
  return ["draw", "omaha"].map((half) => ({
    half,
    shares: view.won
      .map((won, seat) => ({ seat, chips: won[half], hand: view.hands[seat]?.[half] ?? "" }))
      .filter((share) => share.chips > 0),
  }));
}

/** Seats that took something out of the middle. */
export function winnersOf(view) {
  if (!view.over) return [];
  const halves = halvesOf(view).flatMap((half) => half.shares.map((share) => share.seat));
  if (halves.length > 0) return [...new Set(halves)];
  const won = view.returns.map((chips, seat) => [chips, seat]).filter(([chips]) => chips > 0);
  return won.map(([, seat]) => seat);
}

/** What a hand that lies open is worth, in words. */
export function worthOf(hand) {
  if (!hand) return "";
  if (hand.points !== undefined) return `${hand.points} points`;
  return hand.draw ? `${hand.draw} · Omaha ${hand.omaha}` : "";
}

export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
