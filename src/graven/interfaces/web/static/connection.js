// The connection to the server. It reconnects by itself and resumes the same session.

const SESSION_KEY = "graven-session";
const FIRST_RETRY = 250, LAST_RETRY = 4000; // milliseconds

// Storage of this tab; a browser may forbid it.
export const tabStorage = {
  get: (key) => { try { return sessionStorage.getItem(key); } catch { return null; } },
  set: (key, value) => { try { sessionStorage.setItem(key, value); } catch { /* not stored */ } },
};

export class Connection {
  constructor(onMessage, onStatus) {
    this.onMessage = onMessage;
    this.onStatus = onStatus;
    this.retryDelay = FIRST_RETRY;
    this.open();
  }

  open() {
    const session = tabStorage.get(SESSION_KEY);
    const query = session ? `?session=${encodeURIComponent(session)}` : "";
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/ws${query}`);
    this.socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.type === "hello") {
        this.retryDelay = FIRST_RETRY;
        tabStorage.set(SESSION_KEY, message.session);
        this.onStatus("connected");
      }
      this.onMessage(message);
    };
    this.socket.onclose = () => {
      this.onStatus("reconnecting…");
      setTimeout(() => this.open(), this.retryDelay);
      this.retryDelay = Math.min(LAST_RETRY, this.retryDelay * 2);
    };
  }

  get isOpen() { return this.socket.readyState === WebSocket.OPEN; }

  // Send a message; returns whether the connection was open.
  send(type, fields = {}) {
    if (!this.isOpen) return false;
    this.socket.send(JSON.stringify({ type, ...fields }));
    return true;
  }
}

// GET a path as JSON; an error of the server is thrown with its text.
export async function fetchJson(path, query = {}) {
  const parameters = new URLSearchParams(query).toString();
  const response = await fetch(parameters ? `${path}?${parameters}` : path);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? response.statusText);
  return answer;
}
