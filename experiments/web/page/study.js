/** Study mode: what a trained bot would do in the person's place, and what a hand has cost. */

import { post } from "./api.js";
import { withCards } from "./cards.js";
import { busyBox, el, errorBox, fill, kept, plain, signed } from "./dom.js";

const MOST_LISTED = 8;

/** The panel. `show(view)` at a decision or the end, `acted(view, action)` when the person moved. */
export function createStudy({ token }) {
  const node = el("section", {
    class: "panel study",
    "aria-labelledby": "study-title",
    dataset: { testid: "study" },
  });
  const body = el("div", { class: "stack study-body", "aria-live": "polite" });
  fill(node, el("h2", { id: "study-title" }, "Study"), body);
  const study = { token, node, body, mode: "off", at: "", advice: null, abort: null };
  const configure = () => {
    study.mode = kept.get("study", "off");
    node.hidden = study.mode === "off";
    study.at = "";
    if (study.mode === "off") fill(body);
  };
  configure();
  return {
    node,
    configure,
    show: (view) => show(study, view),
    acted: (view, action) => acted(study, view, action),
    newHand: () => fill(body),
    close: () => study.abort?.abort(),
  };
}

function show(study, view) {
  if (study.mode === "off") return;
  if (view.over) {
    offerReview(study, view);
    return;
  }
  if (view.turn !== view.seat) return;
  const at = `${view.hand} ${view.events.length}`;
  if (study.at === at) return;
  study.at = at;
  study.advice = ask(study, "/api/advice", { token: study.token });
  if (study.mode === "before") tellAdvice(study, at, null);
  else if (!study.body.firstChild) {
    fill(
      study.body,
      el("p", { class: "muted small" }, "What the bot would do is shown after your move."),
    );
    offerLook(study, at);
  } else offerLook(study, at);
}

function offerLook(study, at) {
  study.body.querySelector(".look-now")?.remove();
  study.body.append(
    el(
      "button",
      {
        type: "button",
        class: "small-button look-now",
        onclick: () => tellAdvice(study, at, null),
      },
      "Show for this decision",
    ),
  );
}

function acted(study, view, action) {
  if (study.mode === "after" && study.advice) tellAdvice(study, study.at, action);
  else if (study.mode === "before" && study.shown) fill(study.body, adviceOf(study.shown, action));
}

/** The answer, or the error as a value. Shown at once, the question before is of no use any more. */
async function ask(study, path, body) {
  if (study.mode === "before") study.abort?.abort();
  study.abort = new AbortController();
  try {
    return await post(path, body, { signal: study.abort.signal });
  } catch (error) {
    return error;
  }
}

async function tellAdvice(study, at, chosen) {
  const asked = study.advice;
  study.shown = null;
  fill(study.body, busyBox("The bot thinks about your hand ..."));
  const advice = await asked;
  if (asked !== study.advice && chosen === null) return;
  if (advice instanceof Error) {
    if (advice.name !== "AbortError") fill(study.body, errorBox(advice));
    return;
  }
  study.shown = advice;
  fill(study.body, adviceOf(advice, chosen));
}

/** Frequencies as bars, values beside them. */
export function adviceOf(advice, chosen) {
  const listed = [...advice.actions]
    .sort((a, b) => b.frequency - a.frequency)
    .slice(0, MOST_LISTED);
  return [
    el("p", { class: "small muted" }, sourceOf(advice)),
    chosen &&
      !listed.some((action) => isChosen(action, chosen)) &&
      el("p", { class: "small" }, "Your move: ", el("b", null, withCards(chosen))),
    el(
      "ul",
      { class: "advice" },
      listed.map((action) => adviceLine(action, advice, chosen)),
    ),
    advice.actions.length > MOST_LISTED &&
      el(
        "p",
        { class: "hint" },
        `${plain(advice.actions.length - MOST_LISTED)} other actions are taken less often.`,
      ),
    notesOf(advice),
  ];
}

/** Where the values come from, in a fold of its own. */
function notesOf({ notes }) {
  if (!notes?.length) return null;
  return el(
    "details",
    { class: "study-notes" },
    el("summary", null, "Where this comes from"),
    notes.map((note) => el("p", { class: "hint" }, note)),
  );
}

function sourceOf({ bot, found, exact, playouts }) {
  if (found === "missed") return `${bot} does not know this situation and goes by a rule of thumb.`;
  if (exact) return `What ${bot} would do. Values in chips, exact.`;
  return playouts
    ? `What ${bot} would do. Values in chips, from ${plain(playouts)} playouts.`
    : `What ${bot} would do.`;
}

function adviceLine(action, advice, chosen) {
  const best = action.name === advice.best;
  const own = chosen !== null && isChosen(action, chosen);
  const share = `${plain(action.frequency * 100, action.frequency < 0.0995 ? 1 : 0)} %`;
  const error = action.error ? ` ± ${plain(action.error, 2)}` : "";
  const value =
    action.value === null || action.value === undefined ? "" : `${signed(action.value, 2)}${error}`;
  return el(
    "li",
    {
      class: `advice-line${best ? " is-best" : ""}${own ? " is-chosen" : ""}`,
      dataset: { advice: action.name },
    },
    el(
      "span",
      { class: "advice-name" },
      withCards(action.name),
      action.max !== undefined && ` to ${plain(action.max)}`,
      own && el("span", { class: "tag accent" }, "you"),
    ),
    el("span", { class: "advice-share number" }, share),
    el(
      "span",
      { class: "bar", "aria-hidden": "true" },
      el("span", { style: { width: `${(action.frequency * 100).toFixed(1)}%` } }),
    ),
    el(
      "span",
      { class: "advice-value number" },
      value,
      value && el("span", { class: "visually-hidden" }, ` chips${best ? ", the best" : ""}`),
    ),
  );
}

/** Whether an action, which may be a range of sizes, is what the person did. */
function isChosen(action, chosen) {
  if (action.name === chosen) return true;
  const size = Number(/\d+$/.exec(chosen)?.[0]);
  const verb = (name) => name.replace(/\d+$/, "");
  return (
    action.max !== undefined &&
    verb(action.name) === verb(chosen) &&
    size >= action.min &&
    size <= action.max
  );
}

// After the hand.

function offerReview(study, view) {
  const at = `review ${view.hand}`;
  if (study.at === at) return;
  study.at = at;
  const button = el(
    "button",
    { type: "button", dataset: { testid: "review" }, onclick: () => review(study, view.hand) },
    "Review this hand",
  );
  study.body.querySelector(".look-now")?.remove();
  study.body.append(button);
}

async function review(study, hand) {
  const at = study.at;
  fill(study.body, busyBox("The hand is looked through ..."));
  const answer = await ask(study, "/api/review", { token: study.token, hand });
  if (study.at !== at) return;
  if (answer instanceof Error) {
    if (answer.name !== "AbortError") fill(study.body, errorBox(answer));
    return;
  }
  fill(study.body, reviewOf(answer));
}

/** Decisions of a hand, in the order of the server: where most was lost comes first. */
export function reviewOf(review) {
  if (review.decisions.length === 0) {
    return [el("p", { class: "muted small" }, "You had nothing to decide in this hand.")];
  }
  return [
    el("p", null, el("b", null, lossLine(review))),
    el("ol", { class: "review" }, review.decisions.map(reviewLine)),
  ];
}

function lossLine({ loss, error, exact, bot, unvalued, decisions }) {
  if (unvalued === decisions.length)
    return `Against ${bot}: what your decisions cost is not known.`;
  if (!loss) return `Against ${bot}: no decision is known to have cost anything.`;
  const range = error ? ` ± ${plain(error, 2)}` : "";
  return `Against ${bot}: your decisions cost ${plain(loss, 2)}${range} chips${exact ? ", exactly" : ""}.`;
}

function reviewLine(decision) {
  const { loss, error, within_error: within } = decision;
  const real = loss > 0 && !within;
  const range = error ? ` ± ${plain(error, 2)}` : "";
  const cost = loss === null ? "?" : loss > 0 ? `\u2212${plain(loss, 2)}${range}` : "\u00b10";
  const differs = decision.best && decision.best !== decision.action;
  return el(
    "li",
    { class: real ? "is-loss" : "" },
    el("p", { class: "small muted" }, withCards(decision.situation)),
    el(
      "p",
      { class: "review-line" },
      el(
        "span",
        null,
        "You: ",
        el("b", null, withCards(decision.action)),
        ` (the bot: ${plain(decision.frequency * 100, 0)} %)`,
      ),
      el("span", { class: `number ${real ? "bad" : "muted"}` }, cost),
    ),
    differs &&
      (real || loss === null) &&
      el(
        "p",
        { class: "small" },
        loss === null ? "Most often: " : "Better: ",
        el("b", null, withCards(decision.best)),
      ),
  );
}
