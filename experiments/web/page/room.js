/** A table at play: felt, decisions, what is said, what it comes to. */

import { getOnce } from "./api.js";
import { connect } from "./connection.js";
import { createControls } from "./controls.js";
import { announce, el, errorBox, fill, icon, kept, wantsLessMotion } from "./dom.js";
import { createFelt } from "./felt.js";
import { createFilm, PACES } from "./film.js";
import { createLog } from "./hand_log.js";
import { createPreferences } from "./preferences.js";
import { hrefFor } from "./route.js";
import { createDialog, hearKeys, keyList } from "./shortcuts.js";
import { createHands, createResult } from "./side.js";
import { createStudy } from "./study.js";
import { forgetTable, rememberTable } from "./tables_kept.js";
import { rulesOf, tagsOf, titleOf } from "./view_facts.js";

/** Fill `root` with the table of a token; returns how to leave it. */
export async function mountRoom(root, token) {
  const { games } = await getOnce("/api/games");
  const room = { root, token, games, state: "connecting", sent: false, parts: null, view: null };
  room.film = createFilm({
    pace: () => PACES[kept.get("pace", "normal")] ?? PACES.normal,
    onFrame: (frame, { last }) => showFrame(room, frame, last),
  });
  room.line = el("p", { class: "notice", role: "status" }, "Going to the table ...");
  fill(root, el("h1", { class: "visually-hidden" }, "Table"), room.line);
  room.link = connect(token, {
    onHand: (message, { joined }) => onHand(room, message, joined),
    onError: (line) => onError(room, line),
    onRefused: (line) => onRefused(room, line),
    onState: (state, seconds) => onState(room, state, seconds),
  });
  const deaf = hearKeys({
    press: (key) => room.parts?.controls.press(key),
    help: () => openHelp(room),
  });
  return () => {
    deaf();
    room.film.stop();
    room.link.close();
    room.parts?.study.close();
  };
}

// Messages.

function onHand(room, message, joined) {
  const { frames, result } = message;
  const view = frames.at(-1)?.view;
  if (!view) return;
  if (!room.parts) build(room, view);
  room.sent = false;
  room.result = result;
  if (joined) {
    room.film.stop();
    const last = frames.at(-1);
    room.parts.log.retell(
      view.hand,
      frames.flatMap((frame) => frame.lines),
    );
    showFrame(room, { view: last.view, lines: [], still: true }, true);
    rememberTable(room.token, {
      game: view.game,
      bots: view.players.filter((_, seat) => seat !== view.seat),
    });
  } else room.film.add(frames);
}

function showFrame(room, frame, last) {
  const { felt, log, controls, study, result, hands } = room.parts;
  const before = room.view;
  room.view = frame.view;
  if (frame.lines.length > 0) log.say(frame.view.hand, frame.lines);
  felt.show(frame.view, { thinking: !last, still: frame.still });
  if (before && before.hand !== frame.view.hand) study.newHand();
  controls.show(frame.view, last ? "decide" : "watch");
  if (!last) return;
  if (!frame.still) keepOwnCardsInSight(room.parts);
  result.show(room.result);
  study.show(frame.view);
  hands.show(room.result.hands);
}

/** On small screens the buttons lie over the page: move it so that they do not hide the cards. */
function keepOwnCardsInSight({ felt, controls }) {
  if (!window.matchMedia("(max-width: 63.99rem)").matches) return;
  const own = felt.node.querySelector(".own").getBoundingClientRect();
  const hidden = own.bottom - controls.node.getBoundingClientRect().top;
  if (hidden > 0)
    window.scrollBy({ top: hidden + 4, behavior: wantsLessMotion() ? "auto" : "smooth" });
}

function onError(room, line) {
  room.sent = false;
  announce(line, { urgent: true });
  fill(room.parts.problem, errorBox(line));
  room.parts.controls.show(room.view, "decide");
}

function onRefused(room, line) {
  forgetTable(room.token);
  fill(
    room.root,
    el("h1", null, "Table"),
    errorBox(line),
    el(
      "p",
      null,
      el("a", { class: "button primary", href: hrefFor("table") }, "Sit down at a new table"),
    ),
  );
}

const STATES = { connecting: "Connecting", open: "Connected", lost: "Connection lost" };

function onState(room, state, seconds) {
  room.state = state;
  const text = state === "lost" ? `${STATES.lost}: trying again in ${seconds} s` : STATES[state];
  if (!room.parts) {
    fill(
      room.line,
      text,
      state === "lost" &&
        el("button", { type: "button", onclick: () => room.link.retry() }, "Try now"),
    );
    return;
  }
  const { status } = room.parts;
  status.dataset.state = state;
  fill(
    status,
    el("span", { class: "dot", "aria-hidden": "true" }),
    el("span", { class: "status-text" }, text),
    state === "lost" &&
      el("button", { type: "button", class: "quiet", onclick: () => room.link.retry() }, "Try now"),
  );
  if (state === "lost") {
    announce(text, { urgent: true });
    room.parts.controls.show(room.view, "offline");
  }
}

function send(room, message) {
  if (room.sent || room.state !== "open") return;
  fill(room.parts.problem);
  if (message.type === "act") room.parts.study.acted(room.view, message.action);
  if (!room.link.send(message)) return;
  room.sent = true;
  room.parts.controls.show(room.view, "sent");
}

// The room.

function build(room, view) {
  const rules = rulesOf(view.game, room.games);
  const felt = createFelt(rules);
  const controls = createControls({
    felt,
    rules,
    act: (action) => send(room, { type: "act", action }),
    deal: () => send(room, { type: "deal" }),
    skip: () => room.film.skip(),
  });
  const study = createStudy({ token: room.token });
  const log = createLog();
  const result = createResult();
  const hands = createHands(room.token);
  const sheet = createDialog("Settings and keys");
  const status = el("p", { class: "status", dataset: { testid: "status" } });
  const problem = el("div", { class: "problem" });
  room.parts = { felt, controls, study, log, result, hands, status, problem, sheet };
  const title = titleOf(view.game, room.games);
  document.title = `${title} · pokerspiel`;
  fill(
    room.root,
    el(
      "div",
      { class: "room" },
      el(
        "div",
        { class: "room-head" },
        el("h1", null, title),
        el(
          "p",
          { class: "room-tags" },
          tagsOf(view.game, rules).map((tag) => el("span", { class: "tag" }, tag)),
        ),
        status,
        el(
          "div",
          { class: "room-tools" },
          el(
            "button",
            {
              type: "button",
              class: "quiet",
              dataset: { testid: "settings" },
              onclick: () => openHelp(room),
            },
            icon("M4 7h9m5 0h2M4 17h2m5 0h9M16 4.5v5M8.5 14.5v5"),
            el("span", { class: "tool-word" }, "Settings"),
          ),
          el(
            "a",
            { class: "button quiet", href: hrefFor("table") },
            icon("M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z"),
            el("span", { class: "tool-word" }, "Other tables"),
          ),
        ),
      ),
      el("div", { class: "stage" }, felt.node),
      el("div", { class: "deck" }, problem, controls.node),
      el(
        "aside",
        { class: "side", "aria-label": "Notes on the hand" },
        result.node,
        study.node,
        el(
          "section",
          { class: "panel log-panel", "aria-labelledby": "log-title" },
          el("h2", { class: "visually-hidden", id: "log-title" }, "What happened"),
          log.node,
        ),
        hands.node,
      ),
    ),
    sheet.node,
  );
  onState(room, "open");
}

function openHelp(room) {
  if (!room.view) return;
  room.parts?.sheet.open(
    el(
      "p",
      { class: "room-tags" },
      tagsOf(room.view.game, rulesOf(room.view.game, room.games)).map((tag) =>
        el("span", { class: "tag" }, tag),
      ),
    ),
    createPreferences({
      onStudy: () => {
        room.parts.study.configure();
        room.parts.study.show(room.view);
      },
    }),
    el("h3", null, "Keys"),
    keyList(),
  );
}
