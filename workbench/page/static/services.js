// What browser halves of this page do for each other. A half knows the names alone; the page carries the words.

import { cut } from "./text.js";
import { IN_FLIGHT, PER_SECOND } from "./half.js";

const METHODS = 100; // of one service

export class Services {
  constructor(halves) {
    this.halves = halves;
    this.holders = new Map(); // name -> half
    this.uses = new Map(); // number -> {half, n, provider, service}
    this.lastUse = 0;
  }

  methods() {
    return Object.fromEntries([...this.holders].map(([name, half]) => [name, half.provides.get(name)]));
  }

  provide(half, { n, name, methods }) {
    if (!half.offers.take()) return this.halves.flooded(half);
    const holder = this.holders.get((name = cut(name, 200)));
    const isTaken = holder && holder !== half;
    if (!isTaken) {
      this.holders.set(name, half);
      half.provides.set(name, Array.isArray(methods) ? methods.slice(0, METHODS).map((each) => cut(each, 200)) : []);
    }
    half.frame.say({ t: "provided", n, holder: isTaken ? holder.id : null });
    if (!isTaken) this.tell();
  }

  unprovide(half, { name }) {
    if (!half.provides.delete(name)) return;
    this.holders.delete(name);
    this.end((use) => use.provider === half && use.service === name);
    this.tell();
  }

  tell() {
    const services = this.methods();
    for (const half of this.halves.byId.values()) half.frame?.say({ t: "services", services });
  }

  use(half, { n, service, method, args }) {
    const refuse = (kind, message) => half.frame.say({ t: "reply", n, error: { kind, message } });
    const provider = this.holders.get(service);
    if (!provider) return refuse("service-gone", `no browser half provides ${cut(service, 200)}`);
    if (!half.calls.take() || half.inFlight >= IN_FLIGHT) {
      return refuse("too-many", `at most ${IN_FLIGHT} calls at a time and ${PER_SECOND} a second`);
    }
    const number = ++this.lastUse;
    half.inFlight += 1;
    this.uses.set(number, { half, n, provider, service });
    provider.frame?.say({ t: "serve", n: number, service, method, args });
  }

  served(half, { n, value, error }) {
    const use = this.uses.get(n);
    if (use?.provider === half) this.reply(n, use, { value, error });
  }

  reply(number, use, answer) {
    this.uses.delete(number);
    use.half.inFlight -= 1;
    if (this.halves.holds(use.half)) use.half.frame?.say({ t: "reply", n: use.n, ...answer });
  }

  end(isOver) {
    for (const [number, use] of this.uses) {
      if (isOver(use)) this.reply(number, use, { error: { kind: "service-gone", message: `${use.service} of ${use.provider.id} is gone` } });
    }
  }

  // A half has gone, and with it what it has done for others.
  clear(half) {
    this.end((use) => use.provider === half || use.half === half);
    if (!half.provides.size) return;
    for (const name of half.provides.keys()) this.holders.delete(name);
    half.provides.clear();
    this.tell();
  }
}
