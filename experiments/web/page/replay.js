/** Replays: a hand of a table, or the hands of a file. */

import { getOnce, post } from "./api.js";
import { announce, busyBox, el, errorBox, fill, icon, plain, signed } from "./dom.js";
import { createPlayer } from "./player.js";
import { hrefFor, rememberParams } from "./route.js";
import { reviewOf } from "./study.js";
import { keptTables } from "./tables_kept.js";
import { rulesOf, tagsOf, titleOf } from "./view_facts.js";

const MOST_BYTES = 4_000_000;

/** With `params.token` and `params.hand` a hand of a table; otherwise a file is asked for. */
export async function mount(root, params) {
  const { games } = await getOnce("/api/games");
  const page = { root, games, player: null, sheet: el("div", { class: "replay-sheet" }) };
  const stop = () => page.player?.close();
  if (params.token) await showTable(page, params);
  else showChoice(page);
  return stop;
}

// A hand of a table.

async function showTable(page, { token, hand }) {
  const { hands } = await post("/api/hands", { token });
  if (hands.length === 0) throw new Error("No hand of this table is over yet");
  const asked = hand === undefined ? hands.at(-1).number : Number(hand);
  const step = el("div", { class: "hand-steps" });
  page.head = head(
    "Replay",
    step,
    el("a", { class: "button quiet", href: hrefFor("table", { token }) }, "To the table"),
  );
  fill(page.root, page.head, page.sheet);

  async function open(number, { focus = false } = {}) {
    fill(page.sheet, busyBox());
    rememberParams("replay", { token, hand: number });
    drawSteps(step, hands, number, open);
    try {
      const { hand: film } = await post("/api/frames", { token, hand: number });
      play(page, film, () => review(token, number));
      if (focus) announce(film.title);
    } catch (error) {
      fill(
        page.sheet,
        errorBox(error, () => open(number)),
      );
    }
  }
  await open(asked);
}

function drawSteps(box, hands, number, open) {
  const at = hands.findIndex((hand) => hand.number === number);
  const held = box.contains(document.activeElement) ? document.activeElement.dataset.step : null;
  const button = (step, label) => {
    const hand = hands[at + step];
    return el(
      "button",
      {
        type: "button",
        class: "icon-button",
        dataset: { step },
        disabled: !hand || at < 0,
        "aria-label": label,
        title: label,
        onclick: () => open(hand.number, { focus: true }),
      },
      icon(step < 0 ? "M15 5l-7 7 7 7" : "M9 5l7 7-7 7"),
    );
  };
  const list = el(
    "select",
    {
      "aria-label": "Hand",
      dataset: { testid: "hand-choice" },
      onchange: () => open(Number(list.value), { focus: true }),
    },
    hands.map((hand) =>
      el(
        "option",
        { value: hand.number, selected: hand.number === number },
        `Hand ${hand.number + 1}: ${signed(hand.won, 1)}`,
      ),
    ),
  );
  fill(box, button(-1, "Previous hand"), list, button(1, "Next hand"));
  if (held) (box.querySelector(`[data-step="${held}"]:not(:disabled)`) ?? list).focus();
}

/** What a bot says of the person's decisions in a hand, when it is asked. */
function review(token, number) {
  const box = el("div", { class: "stack" });
  const ask = async () => {
    fill(box, busyBox("The hand is looked through ..."));
    try {
      fill(box, reviewOf(await post("/api/review", { token, hand: number })));
    } catch (error) {
      fill(box, errorBox(error, ask));
    }
  };
  fill(
    box,
    el(
      "button",
      { type: "button", onclick: ask, dataset: { testid: "review" } },
      "Review my decisions",
    ),
  );
  return el("section", { class: "panel", "aria-label": "Review" }, box);
}

// A file.

function showChoice(page) {
  const problem = el("div");
  const input = el("input", {
    type: "file",
    id: "history-file",
    class: "visually-hidden",
    dataset: { testid: "history-file" },
    accept: ".jsonl,.json,.phh,.phhs,.toml,.txt,text/plain",
    onchange: () => input.files[0] && take(input.files[0]),
  });
  const zone = el(
    "div",
    {
      class: "drop-zone",
      ondragover: (event) => {
        event.preventDefault();
        zone.classList.add("is-over");
      },
      ondragleave: () => zone.classList.remove("is-over"),
      ondrop: (event) => {
        event.preventDefault();
        zone.classList.remove("is-over");
        const [file] = event.dataTransfer.files;
        if (file) take(file);
      },
    },
    el("p", null, el("b", null, "Drop a file of hands here")),
    el(
      "p",
      { class: "muted small" },
      "JSON lines as this page and the commands write them, or PHH; up to 4 MB.",
    ),
    input,
    el("label", { class: "button primary", for: "history-file" }, "Choose a file"),
  );

  async function take(file) {
    fill(problem, busyBox(`Reading ${file.name} ...`));
    try {
      if (file.size > MOST_BYTES)
        throw new Error(
          `${file.name} has ${plain(file.size)} bytes: at most ${plain(MOST_BYTES)} are read`,
        );
      const text = await file.text();
      const { hands } = await post("/api/replay", { text });
      if (hands.length === 0) throw new Error(`${file.name} holds no hands`);
      fill(problem);
      showFile(page, file.name, text, hands);
    } catch (error) {
      fill(problem, errorBox(error));
    }
    input.value = "";
  }

  fill(
    page.root,
    head("Replay"),
    el(
      "p",
      { class: "lead" },
      "Look at hands again, step by step: from a file, or from one of your tables.",
    ),
    zone,
    problem,
    ownTables(),
  );
}

function ownTables() {
  const tables = keptTables();
  if (tables.length === 0) return null;
  return el(
    "section",
    { class: "panel" },
    el("h2", null, "Hands of your tables"),
    el(
      "ul",
      { class: "recent-list" },
      tables.map((table) =>
        el(
          "li",
          null,
          el(
            "a",
            { href: hrefFor("replay", { token: table.token }) },
            el("b", null, table.game),
            el("span", { class: "muted small" }, `against ${[...new Set(table.bots)].join(", ")}`),
          ),
        ),
      ),
    ),
  );
}

function showFile(page, name, text, hands) {
  const list = el("ol", { class: "file-hands", dataset: { testid: "file-hands" } });
  const buttons = hands.map((hand, i) =>
    el(
      "button",
      { type: "button", class: "file-hand", onclick: () => open(i) },
      el("span", null, hand.title),
      el("span", { class: "muted small" }, titleOf(hand.game, page.games)),
    ),
  );
  fill(
    list,
    buttons.map((button) => el("li", null, button)),
  );
  page.head = head(
    name,
    el("span", { class: "tag" }, `${plain(hands.length)} ${hands.length === 1 ? "hand" : "hands"}`),
    el(
      "button",
      {
        type: "button",
        class: "quiet",
        onclick: () => {
          page.player?.close();
          showChoice(page);
        },
      },
      "Another file",
    ),
  );
  fill(page.root, page.head, page.sheet);

  async function open(i) {
    buttons.forEach((button, other) => button.setAttribute("aria-current", String(other === i)));
    try {
      if (!hands[i].frames) {
        const answer = await post("/api/replay", { text, first: i });
        answer.hands.forEach((hand, other) => {
          hands[other].frames ??= hand.frames;
        });
      }
      play(
        page,
        hands[i],
        () =>
          hands.length > 1 &&
          el("section", { class: "panel", "aria-label": "Hands of the file" }, list),
      );
      buttons[i].scrollIntoView({ block: "nearest" });
    } catch (error) {
      fill(
        page.sheet,
        errorBox(error, () => open(i)),
      );
    }
  }
  open(0);
}

// Both.

function head(title, ...tools) {
  const heading = el("h1", null, title);
  const tags = el("p", { class: "room-tags" });
  const node = el(
    "div",
    { class: "room-head" },
    heading,
    tags,
    el("div", { class: "room-tools" }, tools),
  );
  node.say = (text, words) => {
    heading.textContent = text;
    fill(
      tags,
      words.map((word) => el("span", { class: "tag" }, word)),
    );
  };
  return node;
}

function play(page, film, more) {
  page.player?.close();
  const rules = rulesOf(film.game, page.games);
  page.player = createPlayer(film, rules);
  page.head.say(film.title, [titleOf(film.game, page.games), ...tagsOf(film.game, rules)]);
  const { felt, bar, log } = page.player;
  fill(
    page.sheet,
    el(
      "div",
      { class: "room is-replay" },
      el("div", { class: "stage" }, felt),
      el("div", { class: "deck" }, bar),
      el(
        "aside",
        { class: "side", "aria-label": "Notes on the hand" },
        el("section", { class: "panel log-panel", "aria-label": "What happened" }, log),
        more?.(),
      ),
    ),
  );
}
