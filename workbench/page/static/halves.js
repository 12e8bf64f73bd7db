// The browser halves that this page runs, each in a frame of its own: what the workbench tells them, and what they say.

import { cut } from "./text.js";
import { Frame, PATIENCE } from "./frames.js";
import { Half, IN_FLIGHT, PER_SECOND } from "./half.js";
import { pressed, whenStill } from "./pressing.js";
import { Services } from "./services.js";
import { leave } from "./focus.js";

const TICK = 1000; // between two looks at the frames
const PANEL_PIXELS = 4000;

const runNumber = (run) => Number(/\d+$/.exec(run)?.[0] ?? 0);

export class Halves {
  // `place(frame)` puts a frame into the document where it will stay: one that is moved loads anew.
  constructor(connection, place, changed, report) {
    this.connection = connection;
    this.place = place;
    this.changed = changed;
    this.report = report;
    this.byId = new Map();
    this.services = new Services(this);
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
      frame.card = this.place(frame.element);
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
      theme: document.documentElement.dataset.theme, services: this.services.methods(), isHostUp: this.isHostUp(half),
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
    if (!Object.hasOwn(ACTS, message.t)) return;
    try {
      ACTS[message.t].call(this, half, message);
    } catch {
      ACTS.garbage.call(this, half); // a field of another kind
    }
  }

  holds(half) {
    return this.byId.get(half.id) === half;
  }

  settled(half, { state, stage, message, waitingFor }) {
    if (!half.turns.take()) return this.flooded(half);
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

  flooded(half) {
    this.withdraw(half, "evaluate", "it says too much: more than the page can listen to");
  }

  crashed(half, { slot, message, withdrawn }, isTold = true) {
    if (isTold && --half.reports < 0) return this.flooded(half);
    const crash = { slot: cut(slot ?? "browser half", 100), message: cut(message ?? "", 2000), withdrawn: withdrawn === true };
    half.crashes = [...half.crashes, crash].slice(-3);
    const { id, run } = half;
    this.connection.ask("render-failed", { id, run, ...crash }).catch(() => {});
    if (isTold) this.report(half, crash);
    this.changed();
  }

  async call(half, { n, method, args }) {
    const answer = (message) => this.holds(half) && half.frame?.say({ t: "reply", n, ...message });
    if (!half.calls.take() || half.inFlight >= IN_FLIGHT) {
      const message = `at most ${IN_FLIGHT} calls at a time and ${PER_SECOND} a second: let the handler wait for news instead of asking again`;
      return answer({ error: { kind: "too-many", message } });
    }
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
    if (!Number.isSafeInteger(key)) return ACTS.garbage.call(this, half);
    if (text === null) half.seats.delete(key);
    else if (half.seats.has(key) || half.seats.size < 8) half.seats.set(key, cut(text, 80));
    this.changed();
  }

  grew(half, { height, titles }) {
    half.titles = Array.isArray(titles) ? titles.slice(0, 20).map((title) => cut(title, 100)) : [];
    half.height = Math.min(PANEL_PIXELS, Math.max(0, Number(height) || 0));
    half.fit ??= () => half.frame && (half.frame.iframe.style.height = `${half.height}px`);
    whenStill(half.fit);
    this.changed();
  }

  // -- the end ---------------------------------------------------------------------------------------------

  clear(half) {
    if (half.card?.contains(document.activeElement)) document.getElementById("answer").focus();
    half.frame?.close();
    half.card?.remove();
    half.frame = half.card = null;
    half.seats.clear();
    this.services.clear(half);
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
  press(half, { isDown }) {
    pressed(half, isDown === true);
  },
  provide(half, message) {
    this.services.provide(half, message);
  },
  unprovide(half, message) {
    this.services.unprovide(half, message);
  },
  use(half, message) {
    this.services.use(half, message);
  },
  served(half, message) {
    this.services.served(half, message);
  },
  leave,
  focus(half) {
    half.card?.classList.add("inside");
  },
  blur(half) {
    half.card?.classList.remove("inside");
  },
  left(half) {
    this.withdraw(half, "evaluate", "it has left its frame; a browser half stays where it is");
  },
  flood: Halves.prototype.flooded,
  garbage(half) {
    this.withdraw(half, "evaluate", "it says what no browser half says: no plain JSON, or far too much of it");
  },
};
