// The browser halves that this page runs. Each has a frame of its own, in a process of its own: the frame has no
// origin and no network, and all that it can do is to say something on one port. What it says is outside text.

import { cut } from "./text.js";

const TICK = 1000; // between two looks at the frames
const PATIENCE = 5; // looks without an answer until a half is taken for stuck
const OPENING = 30; // the same for a frame that is only just opening
const PER_SECOND = 50, AT_ONCE = 100, IN_FLIGHT = 16; // calls of one half
const FLOOD = 3000; // messages between two looks
const PANEL_PIXELS = 4000;

const runNumber = (run) => Number(/\d+$/.exec(run)?.[0] ?? 0);

// One frame, opened ahead of what will run in it.
class Frame {
  constructor(address) {
    const iframe = (this.iframe = document.createElement("iframe"));
    iframe.setAttribute("sandbox", "allow-scripts");
    iframe.setAttribute("allow", "");
    iframe.referrerPolicy = "no-referrer";
    iframe.src = address;
    iframe.addEventListener("load", () => this.loads++ && this.said({ t: "left" }));
    this.loads = 0;
    iframe.tabIndex = -1;
    this.said = () => {};
    this.looks = 0;
    this.ready = new Promise((resolve) => (this.opened = resolve));
    this.greeted = this.greeted.bind(this);
    addEventListener("message", this.greeted);
  }

  // The frame says hello once. A second time means that it has navigated: whatever is in it now is not ours.
  greeted(event) {
    if (event.source !== this.iframe.contentWindow || event.data !== "workbench:hello") return;
    if (this.port) return this.said({ t: "left" });
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    port1.onmessage = (message) => this.heard(message.data);
    this.iframe.contentWindow.postMessage("workbench:port", "*", [port2]);
  }

  heard(message) {
    if (typeof message !== "object" || message === null) return;
    if (++this.count > FLOOD) return this.said({ t: "flood" });
    if (message.t === "ready") this.opened(true);
    else if (message.t === "pong") this.waiting = false;
    else this.said(message);
  }

  say(message) {
    this.port?.postMessage(message);
  }

  // Called once per tick. True when it has not answered for too long.
  look() {
    this.count = 0;
    if (this.waiting || !this.port) return ++this.looks >= (this.port ? PATIENCE : OPENING);
    this.looks = 0;
    this.waiting = true;
    this.say({ t: "ping" });
    return false;
  }

  close() {
    removeEventListener("message", this.greeted);
    this.said = () => {};
    if (this.port) {
      this.port.onmessage = null;
      this.port.close();
    }
    this.opened(false);
    this.iframe.remove();
  }
}

// One run of one package, here. `state`: loading, loaded, waiting or failed.
class Half {
  constructor(told) {
    this.id = told.id;
    this.run = told.run;
    this.revision = told.revision;
    this.name = told.name;
    this.state = "loading";
    this.stage = this.message = "";
    this.waitingFor = [];
    this.titles = [];
    this.seats = new Map();
    this.provides = new Map();
    this.crashes = [];
    this.tokens = AT_ONCE;
    this.filledAt = performance.now();
    this.inFlight = 0;
  }
}

export class Halves {
  // `place(frame)` puts a frame into the document where it will stay: one that is moved loads anew.
  constructor(connection, place, changed, report) {
    this.connection = connection;
    this.place = place;
    this.changed = changed;
    this.report = report;
    this.byId = new Map();
    this.services = new Map(); // name -> half
    this.uses = new Map(); // number -> {half, n, provider}
    this.lastUse = 0;
    this.spare = null;
    this.framePath = "";
    this.label = Math.random().toString(36).slice(2, 10).padEnd(8, "x");
    this.frames = 0;
    this.hosts = new Map();
  }

  // Have a frame ready: opening one takes far longer than loading a half into it.
  warm() {
    if (!this.spare && this.framePath) {
      // A site of its own for each frame: frames of one site share a process, and one that loops stops them all.
      const port = location.port ? `:${location.port}` : "";
      const frame = new Frame(`http://h${++this.frames}-${this.label}.localhost${port}${this.framePath}`);
      frame.card = this.place(frame.iframe);
      this.spare = frame;
      this.beat();
    }
    return this.spare;
  }

  beat() {
    this.timer ??= setInterval(() => this.look(), TICK);
  }

  look() {
    for (const half of [...this.byId.values()]) {
      if (!half.frame || !half.frame.look()) continue;
      const stuck = half.frame.port
        ? `it has not come back for ${PATIENCE} s: a loop that never ends, work that is too long for one turn, or it has left its frame`
        : "its frame did not open; browser halves need a browser that reaches *.localhost, such as Chromium or Firefox";
      this.withdraw(half, half.frame.port ? "evaluate" : "fetch", stuck);
    }
    if (this.spare?.look()) {
      this.spare.card.remove();
      this.spare.close();
      this.spare = null;
    }
    if (!this.byId.size && !this.spare) this.timer = void clearInterval(this.timer);
  }

  // -- what the workbench tells ----------------------------------------------------------------------------

  async announce(told) {
    const held = this.byId.get(told.id);
    if (held && held.run === told.run && held.state !== "failed") {
      if (held.state !== "loading") this.acknowledge(held);
      return;
    }
    if (held && runNumber(held.run) > runNumber(told.run)) return;
    if (held) this.drop(held);
    const half = new Half(told);
    this.byId.set(half.id, half);
    this.changed();
    const frame = (half.frame = this.warm());
    this.spare = null;
    frame.said = (message) => this.heard(half, message);
    half.card = frame.card;
    half.card.half = half;
    let source;
    try {
      [source] = await Promise.all([this.connection.ask("fetch", { id: half.id, run: half.run }), frame.ready]);
    } catch (error) {
      if (this.holds(half)) this.fail(half, "fetch", error.message);
      return;
    }
    if (!this.holds(half)) return;
    frame.waiting = false;
    frame.say({
      t: "load", id: half.id, run: half.run, name: half.name, source: source.source,
      theme: document.documentElement.dataset.theme, services: this.methods(), isHostUp: this.isHostUp(half),
    });
  }

  retract(told) {
    const half = this.byId.get(told.id);
    if (half && half.run === told.run) this.drop(half);
  }

  tool(told) {
    const half = this.byId.get(told.id);
    if (half && half.run === told.run) half.frame?.say({ t: "tool", call: told.call });
  }

  // The packages of the workbench: what is not live any more goes, and each half hears whether its host half is up.
  listed(packages) {
    const runs = new Map(packages.map((each) => [each.id, each.run]));
    this.hosts = new Map(packages.map((each) => [each.run, each.state !== "waiting"]));
    for (const half of [...this.byId.values()]) {
      if (runs.get(half.id) !== half.run) {
        if (half.state !== "failed" && half.state !== "loading") this.drop(half);
        else if (half.state === "failed") this.byId.delete(half.id);
      } else this.tellHost(half);
    }
    this.changed();
  }

  // The connection was lost or found again.
  connected() {
    for (const half of this.byId.values()) this.tellHost(half);
  }

  themed(theme) {
    for (const frame of [this.spare, ...[...this.byId.values()].map((half) => half.frame)]) frame?.say({ t: "theme", theme });
  }

  isHostUp(half) {
    return this.connection.isOpen && (this.hosts.get(half.run) ?? true);
  }

  tellHost(half) {
    const isUp = this.isHostUp(half);
    if (half.wasUp !== isUp) half.frame?.say({ t: "host", isUp });
    half.wasUp = isUp;
  }

  // -- what a half says ------------------------------------------------------------------------------------

  heard(half, message) {
    if (!this.holds(half)) return;
    const act = ACTS[message.t];
    if (act) act.call(this, half, message);
  }

  holds(half) {
    return this.byId.get(half.id) === half;
  }

  settled(half, { state, stage, message, waitingFor }) {
    if (state === "failed") return this.fail(half, stage === "activate" ? stage : "evaluate", message);
    half.state = state === "waiting" ? "waiting" : "loaded";
    half.waitingFor = Array.isArray(waitingFor) ? waitingFor.slice(0, 20).map((name) => cut(name, 200)) : [];
    this.acknowledge(half);
    this.changed();
  }

  acknowledge(half) {
    const { id, run, state, stage, message, waitingFor } = half;
    const told = { id, run, state };
    if (state === "failed") Object.assign(told, { stage, message });
    if (state === "waiting") told.waitingFor = waitingFor;
    return this.connection.ask("acknowledge", told).catch(() => {});
  }

  // It could not be loaded, or was stopped: nothing of it stays but the note that it failed.
  fail(half, stage, message) {
    half.state = "failed";
    half.stage = stage;
    half.message = cut(message ?? "", 2000);
    this.acknowledge(half);
    this.report(half, { stage, message: half.message });
    this.clear(half);
    this.changed();
  }

  // A half that has loaded, and cannot go on.
  withdraw(half, stage, message) {
    if (half.state === "loaded" || half.state === "waiting") {
      this.crashed(half, { slot: "browser half", message, withdrawn: true }, false);
      this.fail(half, "activate", message);
    } else this.fail(half, stage, message);
  }

  crashed(half, { slot, message, withdrawn }, isTold = true) {
    const crash = { slot: cut(slot ?? "browser half", 100), message: cut(message ?? "", 2000), withdrawn: withdrawn === true };
    half.crashes = [...half.crashes, crash].slice(-3);
    const { id, run } = half;
    this.connection.ask("render-failed", { id, run, ...crash }).catch(() => {});
    if (isTold) this.report(half, crash);
    this.changed();
  }

  async call(half, { n, method, args }) {
    const now = performance.now();
    half.tokens = Math.min(AT_ONCE, half.tokens + ((now - half.filledAt) / 1000) * PER_SECOND);
    half.filledAt = now;
    const answer = (message) => this.holds(half) && half.frame?.say({ t: "reply", n, ...message });
    if (half.tokens < 1 || half.inFlight >= IN_FLIGHT) {
      const message = `at most ${IN_FLIGHT} calls at a time and ${PER_SECOND} a second: let the handler wait for news instead of asking again`;
      return answer({ error: { kind: "too-many", message } });
    }
    half.tokens -= 1;
    half.inFlight += 1;
    try {
      const { id, run } = half;
      answer({ value: await this.connection.ask("call", { id, run, method: cut(method, 200), args }) });
    } catch (error) {
      answer({ error: { kind: error.kind ?? "handler-error", message: error.message } });
    } finally {
      half.inFlight -= 1;
    }
  }

  status(half, { key, text }) {
    if (text === null) half.seats.delete(key);
    else if (half.seats.has(key) || half.seats.size < 8) half.seats.set(key, cut(text, 80));
    this.changed();
  }

  grew(half, { height, titles }) {
    half.titles = Array.isArray(titles) ? titles.slice(0, 20).map((title) => cut(title, 100)) : [];
    half.frame.iframe.style.height = `${Math.min(PANEL_PIXELS, Math.max(0, Number(height) || 0))}px`;
    this.changed();
  }

  // -- services between halves -----------------------------------------------------------------------------

  methods() {
    return Object.fromEntries([...this.services].map(([name, half]) => [name, half.provides.get(name)]));
  }

  provide(half, { n, name, methods }) {
    const holder = this.services.get((name = cut(name, 200)));
    const isTaken = holder && holder !== half;
    if (!isTaken) {
      this.services.set(name, half);
      half.provides.set(name, Array.isArray(methods) ? methods.slice(0, 100).map(String) : []);
    }
    half.frame?.say({ t: "provided", n, holder: isTaken ? holder.id : null });
    if (!isTaken) this.tellServices();
  }

  unprovide(half, { name }) {
    if (!half.provides.delete(name)) return;
    this.services.delete(name);
    this.endUses((use) => use.provider === half && use.service === name);
    this.tellServices();
  }

  tellServices() {
    const services = this.methods();
    for (const half of this.byId.values()) half.frame?.say({ t: "services", services });
  }

  use(half, { n, service, method, args }) {
    const provider = this.services.get(service);
    if (!provider) return half.frame?.say({ t: "reply", n, error: { kind: "service-gone", message: `no browser half provides ${cut(service, 200)}` } });
    const number = ++this.lastUse;
    this.uses.set(number, { half, n, provider, service });
    provider.frame?.say({ t: "serve", n: number, service, method, args });
  }

  served(half, { n, value, error }) {
    const use = this.uses.get(n);
    if (!use || use.provider !== half) return;
    this.uses.delete(n);
    if (this.holds(use.half)) use.half.frame?.say({ t: "reply", n: use.n, value, error });
  }

  endUses(isOver) {
    for (const [number, use] of this.uses) {
      if (!isOver(use)) continue;
      this.uses.delete(number);
      const error = { kind: "service-gone", message: `${use.service} of ${use.provider.id} is gone` };
      if (this.holds(use.half)) use.half.frame?.say({ t: "reply", n: use.n, error });
    }
  }

  // -- the end ---------------------------------------------------------------------------------------------

  clear(half) {
    if (half.card?.contains(document.activeElement)) document.getElementById("answer").focus();
    half.frame?.close();
    half.card?.remove();
    half.frame = half.card = null;
    half.seats.clear();
    this.endUses((use) => use.provider === half || use.half === half);
    if (half.provides.size) {
      for (const name of half.provides.keys()) this.services.delete(name);
      half.provides.clear();
      this.tellServices();
    }
  }

  drop(half) {
    if (this.holds(half)) this.byId.delete(half.id);
    this.clear(half);
    this.changed();
  }
}

const ACTS = {
  state: Halves.prototype.settled,
  crash: Halves.prototype.crashed,
  call: Halves.prototype.call,
  status: Halves.prototype.status,
  size: Halves.prototype.grew,
  provide: Halves.prototype.provide,
  unprovide: Halves.prototype.unprovide,
  use: Halves.prototype.use,
  served: Halves.prototype.served,
  left(half) {
    this.withdraw(half, "evaluate", "it has left its frame; a browser half stays where it is");
  },
  flood(half) {
    this.withdraw(half, "evaluate", "it says too much: more than the page can listen to");
  },
};
