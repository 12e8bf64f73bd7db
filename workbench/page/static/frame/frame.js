// What runs around one browser half, inside its frame: it evaluates the half, and keeps it active while its services
// are there. The guide for authors is docs/browser-half.md.
import { makeClient, serve, services, showCall } from "./client.js";
import { host, hostIs } from "./host.js";
import { setManners } from "./manners.js";
import { greet, say } from "./port.js";
import { crash, half, measure, now, told, watchTimers } from "./seats.js";
import { setTraps } from "./traps.js";

const AsyncFunction = (async () => {}).constructor;
let plugin;
let queue = Promise.resolve(); // activations follow each other

async function load(message) {
  Object.assign(half, { id: message.id, name: message.name });
  services.known = message.services;
  hostIs(message.isHostUp);
  document.documentElement.dataset.theme = message.theme;
  try {
    plugin = understood(await new AsyncFunction(`${message.source}\n//# sourceURL=${message.id}.js`)());
  } catch (error) {
    return say({ t: "state", state: "failed", stage: "evaluate", message: told(error) });
  }
  queue = queue.then(settle);
}

function understood(value) {
  const found = typeof value === "function" ? { inject: value.inject, apply: value } : value;
  if (typeof found?.apply !== "function") {
    throw new TypeError("a browser half returns a function `(client) => { … }`, or an object with `inject` and `apply(client)`; this one returned " + (value === null ? "null" : typeof value));
  }
  const inject = found.inject ?? [];
  if (!Array.isArray(inject) || inject.some((name) => typeof name !== "string")) throw new TypeError("`inject` is a list of names of services");
  return { inject, apply: (client) => found.apply(client) };
}

// Be active exactly while all services are there.
async function settle() {
  const missing = plugin.inject.filter((name) => !(name in services.known));
  if (missing.length) {
    if (now.activation) await deactivate();
    return say({ t: "state", state: "waiting", waitingFor: missing });
  }
  if (now.activation) return;
  const mine = (now.activation = { undo: [], pending: [], seats: new Set(), isLoading: true });
  try {
    const undo = await plugin.apply(makeClient(mine, plugin.inject));
    if (typeof undo === "function") mine.undo.push(undo);
    await Promise.all(mine.pending);
  } catch (error) {
    await deactivate();
    plugin = null;
    return say({ t: "state", state: "failed", stage: "activate", message: told(error) });
  }
  mine.isLoading = false;
  say({ t: "state", state: "loaded" });
  for (const seat of [...mine.seats]) seat.begin?.();
}

async function deactivate() {
  const over = now.activation;
  now.activation = null;
  over.isOver = true;
  for (const seat of [...over.seats]) seat.remove();
  for (const undo of over.undo.reverse()) {
    try {
      await undo();
    } catch (error) {
      crash(null, error);
    }
  }
}

function painted({ theme }) {
  document.documentElement.dataset.theme = theme;
}

setManners();
watchTimers();
setTraps(host);
new ResizeObserver(() => half.id && measure()).observe(document.body);
greet({
  load,
  theme: painted,
  tool: ({ call }) => showCall(call),
  serve,
  host: (message) => hostIs(message.isUp),
  services(message) {
    services.known = message.services;
    if (plugin) queue = queue.then(settle);
  },
});
