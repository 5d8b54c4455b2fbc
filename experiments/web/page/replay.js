/** Replays of hands. */

import { el } from "./dom.js";

export async function mount(root) {
  root.append(el("h1", null, "Replay"), el("p", { class: "muted" }, "In preparation."));
}
