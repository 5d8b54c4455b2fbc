/**
 * The frame of the page: which view the address names, where the focus goes, light and dark.
 *
 * A view is a module that exports `async function mount(root, params)`: it fills `root` and may
 * return a function that cleans up. `params` is a plain object of texts. A view may set
 * `root.dataset.title` to say more than its name in the title of the window.
 */

import { announce, busyBox, el, errorBox, fill, icon, kept } from "./dom.js";
import { parseHash } from "./route.js";

const VIEWS = {
  table: { title: "Table", load: () => import("./table.js") },
  calculator: { title: "Calculator", load: () => import("./calculator.js") },
  explorer: { title: "Explorer", load: () => import("./explorer.js") },
  replay: { title: "Replay", load: () => import("./replay.js") },
};

const main = document.getElementById("main");
let leave = null;
let visit = 0;

async function show({ first = false } = {}) {
  const { page, params } = parseHash(window.location.hash);
  visit += 1;
  const current = visit;
  const view = VIEWS[page];
  mark(page);
  await cleanUp();
  const root = el("div", { class: "view", dataset: { view: page } }, busyBox());
  fill(main, root);
  document.title = `${view?.title ?? "Not found"} · pokerspiel`;
  try {
    if (!view) throw new Error(`There is no page "${page}"`);
    const module = await view.load();
    if (current !== visit) return;
    root.replaceChildren();
    const cleanup = await module.mount(root, params);
    if (current === visit) leave = cleanup ?? null;
    else await cleanup?.();
  } catch (error) {
    if (current !== visit) return;
    if (error.constructor !== Error) console.error(error); // a fault of the page, not an answer
    fill(
      root,
      el("h1", null, view?.title ?? "Not found"),
      errorBox(error, () => show()),
    );
  }
  if (current === visit && !first) focusOn(root);
}

async function cleanUp() {
  const last = leave;
  leave = null;
  try {
    await last?.();
  } catch (error) {
    console.error(error);
  }
}

/** The heading of the new page is where reading goes on, unless the view took the focus itself. */
function focusOn(root) {
  if (root.contains(document.activeElement)) return;
  const heading = root.querySelector("h1") ?? main;
  if (!heading.hasAttribute("tabindex")) heading.setAttribute("tabindex", "-1");
  heading.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

function mark(page) {
  for (const link of document.querySelectorAll(".site-nav a")) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

const THEMES = ["system", "light", "dark"];
const THEME_ICONS = {
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  light:
    "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  dark: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z",
};

function chooseTheme(theme, { tell = true } = {}) {
  const button = document.getElementById("theme-toggle");
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.setAttribute("aria-label", `Theme: ${theme}. Change to ${next}`);
  button.title = `Theme: ${theme}`;
  fill(button, icon(THEME_ICONS[theme]));
  button.onclick = () => chooseTheme(next);
  kept.set("theme", theme);
  if (tell) announce(`Theme: ${theme}`);
}

const theme = kept.get("theme", "system");
chooseTheme(THEMES.includes(theme) ? theme : "system", { tell: false });
window.addEventListener("hashchange", () => {
  if (window.location.hash !== "#main") show();
});
document.querySelector(".skip-link").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
show({ first: true });
