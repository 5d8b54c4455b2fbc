/** The table: play against bots. */

import { el } from "./dom.js";

export async function mount(root) {
  root.append(el("h1", null, "Table"), el("p", { class: "muted" }, "In preparation."));
}
