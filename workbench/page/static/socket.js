// The connection with the workbench: messages out and in, and finding it again when it is lost.

const FIRST_WAIT = 500, LONGEST_WAIT = 10000, TRIES_UNTIL_GONE = 5;
const PER_SECOND = 120, AT_ONCE = 240, IN_FLIGHT = 56, BYTES = 1000 * 1000; // below what the workbench allows

// As JSON writes it; the workbench takes such a text for none.
const HALF_A_CHARACTER = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

export class AskError extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

export class Connection {
  // `told(message)` hears what the workbench says, `changed(state)` how the connection is:
  // {kind: "connecting" | "open" | "lost" | "gone", since, retryAt?, reason?}.
  constructor(told, changed) {
    this.told = told;
    this.changed = changed;
    this.pending = new Map();
    this.lastCall = 0;
    this.tries = 0;
    this.tokens = AT_ONCE;
    this.filledAt = performance.now();
    this.state = { kind: "connecting", since: Date.now() };
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
    addEventListener("online", () => this.hurry());
  }

  open() {
    clearTimeout(this.timer);
    const address = new URL("socket", location.href);
    address.protocol = "ws:";
    const socket = (this.socket = new WebSocket(address));
    socket.onmessage = (event) => {
      if (socket === this.socket) this.heard(event.data);
    };
    socket.onclose = (event) => {
      if (socket === this.socket) this.lost(event.reason);
    };
  }

  // Try at once instead of at the end of a wait.
  hurry() {
    if (this.timer) {
      this.timer = void clearTimeout(this.timer);
      this.open();
    }
  }

  heard(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (message.type === "reply") {
      const asked = this.pending.get(message.call);
      this.pending.delete(message.call);
      if (message.error) asked?.reject(new AskError(message.error.kind, message.error.message));
      else asked?.resolve(message.value);
      return;
    }
    if (message.type === "welcome") {
      this.tries = 0;
      this.set({ kind: "open", since: Date.now() });
    }
    this.told(message);
  }

  lost(reason) {
    this.socket = null;
    for (const asked of this.pending.values()) asked.reject(new AskError("disconnected", "the connection with the workbench was lost"));
    this.pending.clear();
    this.tries += 1;
    const wait = Math.min(FIRST_WAIT * 2 ** (this.tries - 1), LONGEST_WAIT) * (0.8 + 0.4 * Math.random());
    const since = this.state.kind === "lost" || this.state.kind === "gone" ? this.state.since : Date.now();
    const kind = this.tries >= TRIES_UNTIL_GONE ? "gone" : "lost";
    this.timer = setTimeout(() => this.hurry(), wait);
    this.set({ kind, since, retryAt: Date.now() + wait, reason: reason || (since === this.state.since ? this.state.reason : "") });
  }

  set(state) {
    this.state = state;
    this.changed(state);
  }

  get isOpen() {
    return this.state.kind === "open";
  }

  // Ask the workbench. Rejects with `AskError`: its own kinds, and `disconnected`, `too-many`, `too-large`.
  ask(type, fields) {
    if (!this.isOpen) return Promise.reject(new AskError("disconnected", "the workbench is not connected"));
    const now = performance.now();
    this.tokens = Math.min(AT_ONCE, this.tokens + ((now - this.filledAt) / 1000) * PER_SECOND);
    this.filledAt = now;
    if (type === "call" && (this.tokens < 40 || this.pending.size >= IN_FLIGHT)) {
      return Promise.reject(new AskError("too-many", "this page has too many calls under way; wait for one of them"));
    }
    const call = ++this.lastCall;
    const text = JSON.stringify({ call, type, ...fields });
    if (HALF_A_CHARACTER.test(text)) return Promise.reject(new AskError("handler-error", "half of a surrogate pair is no character"));
    if (text.length > BYTES / 3 && new TextEncoder().encode(text).length > BYTES) {
      return Promise.reject(new AskError("too-large", "a message of a page has at most 1 MB"));
    }
    this.tokens -= 1;
    this.socket.send(text);
    return new Promise((resolve, reject) => this.pending.set(call, { resolve, reject }));
  }
}
