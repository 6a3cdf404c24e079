// The connection to the server: it comes back by itself, to the same game.

const KEY = "graven-session";

// The tab's own memory; a browser may forbid it.
export const memory = {
  get: (key) => { try { return sessionStorage.getItem(key); } catch { return null; } },
  set: (key, value) => { try { sessionStorage.setItem(key, value); } catch { /* then not */ } },
};

export class Connection {
  constructor(onMessage, onStatus) {
    this.onMessage = onMessage;
    this.onStatus = onStatus;
    this.wait = 250;
    this.open();
  }

  open() {
    const session = memory.get(KEY);
    const query = session ? `?session=${encodeURIComponent(session)}` : "";
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/ws${query}`);
    this.socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.type === "hello") {
        this.wait = 250;
        memory.set(KEY, message.session);
        this.onStatus("connected");
      }
      this.onMessage(message);
    };
    this.socket.onclose = () => {
      this.onStatus("reconnecting…");
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(4000, this.wait * 2);
    };
  }

  say(type, fields = {}) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify({ type, ...fields }));
    return true;
  }
}

export async function fetched(path, query = {}) {
  const words = new URLSearchParams(query).toString();
  const response = await fetch(words ? `${path}?${words}` : path);
  const said = await response.json();
  if (!response.ok) throw new Error(said.error ?? response.statusText);
  return said;
}
