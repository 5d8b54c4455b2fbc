/** The page "Table": the form to sit down, or with a token the table itself. */

import { mountRoom } from "./room.js";
import { mountSetup } from "./setup.js";

/** With `params.token` the table of that token, otherwise the form. */
export async function mount(root, params) {
  return params.token ? mountRoom(root, params.token) : mountSetup(root);
}
