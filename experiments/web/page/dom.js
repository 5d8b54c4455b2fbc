/**
 * Building the page from nodes. Text always becomes text nodes, so that names and files that
 * somebody else wrote cannot become markup.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element: el("button", {class: "primary", onclick: go, "aria-label": "Go"}, "Go").
 *
 * `class`, `dataset` ({testid: "pot"}) and `style` ({"--size": "2rem"}) are set as such, functions
 * become listeners ("onclick"), true and false set or leave out an attribute, null and undefined
 * are skipped. Children are nodes, text, numbers, or arrays of them; null and false are skipped.
 */
export function el(tag, props, ...children) {
  return filled(document.createElement(tag), props, children);
}

/** An SVG element, with the same arguments. */
export function svg(tag, props, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) setProp(node, name, value);
  append(node, children);
  return node;
}

function setProp(node, name, value) {
  if (value === null || value === undefined) return;
  if (name === "dataset") {
    for (const [key, text] of Object.entries(value)) {
      if (text !== null && text !== undefined) node.dataset[key] = text;
    }
  } else if (name === "style") {
    for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
  } else if (typeof value === "function") {
    node.addEventListener(name.replace(/^on/, ""), value);
  } else if (name === "value" || name === "checked" || name === "selected") {
    node[name] = value;
  } else if (typeof value === "boolean" && !name.startsWith("aria-")) {
    node.toggleAttribute(name, value);
  } else {
    node.setAttribute(name, String(value));
  }
}

/** Add children, as `el` takes them, to a node. */
export function append(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/** Replace all children of a node. */
export function fill(node, ...children) {
  node.replaceChildren();
  return append(node, ...children);
}

let turn = 0;

/** A name for `id` and `for` that no other element has. */
export function uniqueId(stem = "id") {
  turn += 1;
  return `${stem}-${turn}`;
}

/** Tell somebody who uses a screen reader what is new; `urgent` interrupts. */
export function announce(text, { urgent = false } = {}) {
  const region = document.getElementById(urgent ? "alerter" : "announcer");
  if (!region) return;
  // Equal texts one after the other are told again only if they differ.
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

/** A box that says what went wrong, to be put where the answer would have been. */
export function errorBox(error, retry) {
  const message = error instanceof Error ? error.message : String(error);
  return el(
    "div",
    { class: "notice error", role: "alert" },
    el("p", null, message),
    retry && el("button", { type: "button", onclick: retry }, "Try again"),
  );
}

/** Something that goes on: shown until the answer is there. */
export function busyBox(text = "Loading ...") {
  return el("div", { class: "busy", role: "status" }, el("span", { class: "spinner" }), text);
}

/** A small line drawing; it is not read out, so that text has to stand beside it. */
export function icon(path) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
    svg("path", { d: path }),
  );
}

/** A labelled control: field("Seats", input, "from 2 to 9"). The control gets an id if it has none. */
export function field(label, control, hint) {
  control.id ||= uniqueId("field");
  const note = hint && el("p", { class: "hint", id: `${control.id}-hint` }, hint);
  if (note) control.setAttribute("aria-describedby", note.id);
  return el("div", { class: "field" }, el("label", { for: control.id }, label), control, note);
}

/** A <select>: options are texts or [value, text]. */
export function select(options, value, props) {
  const entries = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  return el(
    "select",
    props,
    entries.map(([key, text]) => el("option", { value: key, selected: key === value }, text)),
  );
}

/** A number with its sign, thousands apart: "+1,234". A minus is a real one. */
export function signed(number, digits = 0) {
  return `${number > 0 ? "+" : ""}${plain(number, digits)}`;
}

/** A number, thousands apart, with at most `digits` decimals. */
export function plain(number, digits = 2) {
  const text = number.toLocaleString("en-US", { maximumFractionDigits: digits });
  return text.replace("-", "\u2212");
}

/** What the browser keeps for this page; `fallback` if there is nothing or it may not keep. */
export const kept = {
  get(name, fallback = null) {
    try {
      return JSON.parse(localStorage.getItem(`pokerspiel.${name}`)) ?? fallback;
    } catch {
      return fallback;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`pokerspiel.${name}`, JSON.stringify(value));
    } catch {
      // A browser that keeps nothing: choices last as long as the page.
    }
  },
};

/** Whether the person asked for less motion. */
export function wantsLessMotion() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
