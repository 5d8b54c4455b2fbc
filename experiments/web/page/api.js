/** The server's answers as values, its refusals as errors of one line. */

const LOST = "The server does not answer. Is `pokerspiel serve` still running?";

/** The answer to a GET. Throws Error with the server's line. */
export function get(path) {
  return ask(path, { headers: { accept: "application/json" } });
}

/** The answer to a POST of a JSON body; `signal` may abort it. Throws Error with the server's line. */
export function post(path, body = {}, { signal } = {}) {
  return ask(path, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(LOST);
  }
  let document;
  try {
    document = await response.json();
  } catch {
    throw new Error(response.ok ? `${path}: no JSON in the answer` : refusal(response, path));
  }
  if (response.ok) return document;
  const said = document?.error ?? document?.detail;
  throw new Error(typeof said === "string" ? said : refusal(response, path));
}

function refusal(response, path) {
  return `${path}: ${response.status} ${response.statusText}`.trim();
}

const remembered = new Map();

/** The answer to a GET that stays the same as long as the page is open. */
export function getOnce(path) {
  if (!remembered.has(path)) {
    const answer = get(path);
    remembered.set(path, answer);
    answer.catch(() => remembered.delete(path));
  }
  return remembered.get(path);
}

/** Save a text as a file on the person's machine. */
export function saveText(text, name, type = "text/plain") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
