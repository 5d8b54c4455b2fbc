/**
 * Addresses of the pages: "#/replay?token=ab12&hand=3" is the page "replay" with the parameters
 * {token: "ab12", hand: "3"}.
 */

/** The page and its parameters of an address; "table" if it names none. */
export function parseHash(hash) {
  const [, page, query] = /^#\/?([a-z]*)(?:\?(.*))?$/.exec(hash) ?? [];
  return { page: page || "table", params: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

/** The address of a page, for links. Parameters that are null or undefined are left out. */
export function hrefFor(page, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined);
  const query = new URLSearchParams(given).toString();
  return `#/${page}${query ? `?${query}` : ""}`;
}

/** Go to a page. */
export function navigate(page, params = {}) {
  window.location.hash = hrefFor(page, params);
}

/** Write parameters into the address, so that it can be kept or sent, without mounting anew. */
export function rememberParams(page, params = {}) {
  window.history.replaceState(null, "", hrefFor(page, params));
}
