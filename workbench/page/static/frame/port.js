// The one port to the page: what is said there, what is asked and answered, and nobody else is heard.
const page = window.parent;
if (page !== window.top) throw new Error("a browser half has no frames of its own");

const hearers = {}; // type of a message -> function
const asked = new Map(); // number -> {resolve, reject}
const post = MessagePort.prototype.postMessage; // nobody keeps back what is said here
let port, lastNumber = 0;

export class HostError extends Error {
  constructor(kind, message) {
    super(message);
    this.name = "HostError";
    this.kind = kind;
  }
}

// The first message of the page brings the port. No other window is heard, here or in the half.
export function greet(given) {
  Object.assign(hearers, given);
  addEventListener("message", (event) => {
    event.stopImmediatePropagation();
    if (port || event.source !== page || event.data !== "workbench:port") return;
    port = event.ports[0];
    port.onmessage = (message) => heard(message.data);
    say({ t: "ready" });
  }, true);
  page.postMessage("workbench:hello", "*");
}

function heard(message) {
  if (message.t === "ping") return say({ t: "pong" });
  if (Object.hasOwn(hearers, message.t)) return void hearers[message.t](message);
  const waiting = asked.get(message.n);
  asked.delete(message.n);
  if (!waiting) return;
  if (message.t === "provided") waiting.resolve(message.holder);
  else if (message.error) waiting.reject(new HostError(String(message.error.kind), String(message.error.message)));
  else waiting.resolve(message.value);
}

export function say(message) {
  Reflect.apply(post, port, [message]);
}

export function ask(message) {
  const n = number();
  return new Promise((resolve, reject) => {
    asked.set(n, { resolve, reject });
    say({ ...message, n });
  });
}

// One that nobody else has.
export const number = () => ++lastNumber;
