/** The tables that this browser sat down at: their tokens, newest first. */

import { kept } from "./dom.js";

const MOST = 12;

export function keptTables() {
  const tables = kept.get("tables", []);
  return Array.isArray(tables) ? tables.filter((table) => typeof table?.token === "string") : [];
}

/** Put a table first in the list. */
export function rememberTable(token, facts) {
  const others = keptTables().filter((table) => table.token !== token);
  kept.set("tables", [{ ...facts, token, at: Date.now() }, ...others].slice(0, MOST));
}

export function forgetTable(token) {
  kept.set(
    "tables",
    keptTables().filter((table) => table.token !== token),
  );
}
