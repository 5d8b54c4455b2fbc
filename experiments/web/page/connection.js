/**
 * The socket to a table. It comes back by itself when it is lost, with longer and longer pauses,
 * and joins again: the server then shows the hand as it stands.
 */

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;

/**
 * Open the socket of a table. `handlers`: onHand(message, {joined}) for a "hand" message, `joined`
 * if it is the answer to joining; onError(line) for a refused action; onRefused(line) if the table
 * cannot be joined at all; onState(state, seconds) with "connecting", "open" or "lost".
 *
 * Returns {send(message) -> whether it could be sent, retry(), close()}.
 */
export function connect(token, handlers) {
  const link = { socket: null, joined: false, closed: false, tries: 0, timer: 0 };
  const open = () => openSocket(link, token, handlers);
  link.reopen = open;
  const wake = () => {
    if (!link.closed && link.timer) retry(link);
  };
  window.addEventListener("online", wake);
  document.addEventListener("visibilitychange", wake);
  open();
  return {
    send(message) {
      if (link.socket?.readyState !== WebSocket.OPEN || !link.joined) return false;
      link.socket.send(JSON.stringify(message));
      return true;
    },
    retry: () => retry(link),
    close() {
      link.closed = true;
      clearTimeout(link.timer);
      window.removeEventListener("online", wake);
      document.removeEventListener("visibilitychange", wake);
      link.socket?.close();
    },
  };
}

function retry(link) {
  clearTimeout(link.timer);
  link.timer = 0;
  link.reopen();
}

function openSocket(link, token, handlers) {
  if (link.closed) return;
  link.timer = 0;
  link.joined = false;
  handlers.onState("connecting");
  const scheme = window.location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${window.location.host}/ws`);
  link.socket = socket;
  socket.onopen = () => socket.send(JSON.stringify({ type: "join", token }));
  socket.onmessage = (event) => {
    if (link.socket === socket) receive(link, JSON.parse(event.data), handlers);
  };
  socket.onclose = () => {
    if (link.closed || link.socket !== socket) return;
    const pause = Math.min(FIRST_PAUSE * 2 ** link.tries, LONGEST_PAUSE);
    link.tries += 1;
    link.joined = false;
    handlers.onState("lost", Math.ceil(pause / 1000));
    link.timer = setTimeout(() => openSocket(link, token, handlers), pause);
  };
}

function receive(link, message, handlers) {
  if (message.type === "error") {
    if (link.joined) handlers.onError(message.error);
    else {
      link.closed = true;
      link.socket.close();
      handlers.onRefused(message.error);
    }
    return;
  }
  const joined = !link.joined;
  link.joined = true;
  link.tries = 0;
  if (joined) handlers.onState("open");
  handlers.onHand(message, { joined });
}
