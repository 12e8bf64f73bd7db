// What runs around one browser half, inside its frame: the façade, the teaching traps, and the blame for what fails.
// The guide for authors is docs/browser-half.md.
(() => {
  "use strict";
  const AsyncFunction = (async () => {}).constructor;
  const LEVELS = 100, CARDS = 20, REPORTS = 20, SAME = 40;
  const page = window.parent;
  const later = setTimeout;
  let port, me, plugin, hostIsUp = true;
  let services = {};
  let activation = null; // {undo: [functions], pending: [promises], seats: Set}
  let current = null; // the seat whose code runs
  let queue = Promise.resolve(); // activations follow each other
  let lastNumber = 0, reports = 0;
  const asked = new Map(); // number -> {resolve, reject}
  const served = new Map(); // service -> its methods
  const hostNews = new Set();

  // The first message of the page brings the port. No other window is heard, here or in the half.
  addEventListener("message", (event) => {
    event.stopImmediatePropagation();
    if (port || event.source !== page || event.data !== "workbench:port") return;
    port = event.ports[0];
    port.onmessage = (message) => heard(message.data);
    say({ t: "ready" });
  }, true);
  const say = (message) => port.postMessage(message);

  function heard(message) {
    if (message.t === "ping") return say({ t: "pong" });
    if (message.t === "load") return void load(message);
    if (message.t === "theme") return void (document.documentElement.dataset.theme = message.theme);
    if (message.t === "tool") return showCall(message.call);
    if (message.t === "serve") return void serve(message);
    if (message.t === "services") {
      services = message.services;
      if (plugin) queue = queue.then(settle);
      return;
    }
    if (message.t === "host") {
      hostIsUp = message.isUp;
      for (const each of [...hostNews]) each();
      return;
    }
    const waiting = asked.get(message.n);
    asked.delete(message.n);
    if (!waiting) return;
    if (message.t === "provided") waiting.resolve(message.holder);
    else if (message.error) waiting.reject(new HostError(String(message.error.kind), String(message.error.message)));
    else waiting.resolve(message.value);
  }

  function ask(message) {
    const n = ++lastNumber;
    return new Promise((resolve, reject) => {
      asked.set(n, { resolve, reject });
      say({ ...message, n });
    });
  }

  // -- loading and activation ------------------------------------------------------------------------------

  async function load(message) {
    me = message;
    services = message.services;
    hostIsUp = message.isHostUp;
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
    const missing = plugin.inject.filter((name) => !(name in services));
    if (missing.length) {
      if (activation) await deactivate();
      return say({ t: "state", state: "waiting", waitingFor: missing });
    }
    if (activation) return;
    const mine = (activation = { undo: [], pending: [], seats: new Set(), isLoading: true });
    try {
      const undo = await plugin.apply(makeClient(mine));
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
    const over = activation;
    activation = null;
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

  // -- the host half ---------------------------------------------------------------------------------------

  class HostError extends Error {
    constructor(kind, message) {
      super(message);
      this.name = "HostError";
      this.kind = kind;
    }
  }

  const host = Object.freeze({
    async call(method, args = null) {
      if (typeof method !== "string") throw new TypeError("host.call(method, args): `method` is the name that the host half gave to harness.handle");
      return ask({ t: "call", method, args: lossless(args, "args") });
    },
    // Call again and again, each time with what is new; through times in which the host half is not there.
    watch(method, each, args = null) {
      if (typeof each !== "function") throw new TypeError("host.watch(method, each, args): `each` is called with every value");
      const seat = current, mine = activation;
      let isOver = false, last, same = 0, since = performance.now();
      const stop = () => void (isOver = true);
      const goesOn = () => !isOver && !seat?.isGone && !mine?.isOver;
      (async () => {
        while (goesOn()) {
          let value;
          try {
            value = await host.call(method, typeof args === "function" ? args(last) : args);
          } catch (error) {
            if (!["not-running", "stale-run", "disconnected"].includes(error.kind)) throw error;
            await newsOfHost();
            continue;
          }
          if (!goesOn()) return;
          // News is not the same all the time: this handler is asked again and again.
          if (same++ === 0 || JSON.stringify(value) !== JSON.stringify(last)) [same, since] = [1, performance.now()];
          else if (same >= SAME && performance.now() - since < 10000) {
            throw new Error(`host.watch(${method}): the same answer ${SAME} times; let the handler wait for news, with a feed`);
          }
          last = value;
          within(seat, () => each(value));
        }
      })().catch((error) => goesOn() && crash(seat, error));
      return stop;
    },
  });

  // Resolves when the host half may be up again.
  function newsOfHost() {
    return new Promise((resolve) => {
      const heardOfIt = () => {
        if (!hostIsUp) return;
        hostNews.delete(heardOfIt);
        resolve();
      };
      hostNews.add(heardOfIt);
      if (hostIsUp) later(heardOfIt, 500); // it went and came before we heard
    });
  }

  // A copy that says the same on the other side, or an error that says where it would not.
  function lossless(value, path, above = []) {
    const refuse = (what) => {
      throw new TypeError(`${path} is not lossless JSON: ${what}`);
    };
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "string") return value.isWellFormed?.() === false ? refuse("half of a surrogate pair") : value;
    if (typeof value === "number") {
      if (!Number.isFinite(value)) refuse(String(value));
      if (Object.is(value, -0)) refuse("-0");
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) refuse("an integer beyond 2^53 - 1");
      return value;
    }
    if (typeof value !== "object") refuse(value === undefined ? "undefined; leave it out, or use null" : `a ${typeof value}`);
    if (above.includes(value)) refuse("it holds itself");
    if (above.length >= LEVELS) refuse(`more than ${LEVELS} levels`);
    const inside = [...above, value];
    if (Array.isArray(value)) return Array.from(value, (each, at) => lossless(each, `${path}[${at}]`, inside));
    const proto = Object.getPrototypeOf(value);
    if (proto !== Object.prototype && proto !== null) refuse(`a ${proto.constructor?.name ?? "thing"} is no plain object`);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, lossless(each, `${path}.${key}`, inside)]));
  }

  // -- the façade ------------------------------------------------------------------------------------------

  function makeClient(mine) {
    const check = () => {
      if (mine.isOver) throw new Error(`this activation of ${me.id} is over: its client can do nothing any more`);
    };
    const members = {
      id: me.id,
      name: me.name,
      panel(given) {
        check();
        const { title, render } = given ?? {};
        if (typeof title !== "string" || !title.trim() || typeof render !== "function") throw new TypeError("client.panel({title, render(root)}): a text and a function");
        const heading = make("h2", title), root = make("div");
        const box = make("section", "", heading, root);
        box.className = "panel";
        heading.id = `title-${++lastNumber}`;
        box.setAttribute("aria-labelledby", heading.id);
        const seat = seatIn(mine, `panel ${title}`, box);
        document.body.append(box);
        seat.begin = () => {
          seat.begin = null;
          seat.undoWith(within(seat, () => render(root)));
          measure();
        };
        if (!mine.isLoading) seat.begin();
        measure();
        return Object.freeze({
          rename(text) {
            heading.textContent = String(text);
            measure();
          },
          remove: seat.remove,
        });
      },
      status(text) {
        check();
        const key = ++lastNumber;
        const seat = seatIn(mine, "status", null);
        const set = (words) => !seat.isGone && say({ t: "status", key, text: String(words) });
        seat.undo.push(() => say({ t: "status", key, text: null }));
        set(text);
        return Object.freeze({ set, remove: seat.remove });
      },
      tool(name, given) {
        check();
        const render = typeof given === "function" ? given : given?.render;
        if (typeof name !== "string" || typeof render !== "function") throw new TypeError("client.tool(name, (root, call) => { … }): a tool of the host half, and what draws its calls");
        const box = make("section", "");
        box.className = "panel calls";
        box.hidden = true;
        box.append(make("h2", `Calls of ${name}`));
        const seat = seatIn(mine, `tool ${name}`, box);
        Object.assign(seat, { tool: name, render, cards: new Map() });
        document.body.append(box);
        return seat.remove;
      },
      provide(name, methods) {
        check();
        const functions = Object.entries(methods ?? {}).filter(([, each]) => typeof each === "function");
        if (typeof name !== "string" || !functions.length) throw new TypeError("client.provide(name, methods): a name, and an object of functions");
        if (served.has(name)) throw new Error(`this half provides ${name} already`);
        served.set(name, Object.fromEntries(functions));
        const confirmed = ask({ t: "provide", name, methods: functions.map(([each]) => each) }).then((holder) => {
          if (holder === null) return;
          served.delete(name);
          throw new Error(`${holder} provides ${name} already: stop that package first`);
        });
        if (mine.isLoading) mine.pending.push(confirmed);
        else confirmed.catch((error) => crash(null, error));
        const remove = () => served.delete(name) && say({ t: "unprovide", name });
        mine.undo.push(remove);
        return remove;
      },
      get(name) {
        check();
        if (!plugin.inject.includes(name)) throw new Error(`service ${name} is not declared: add it to \`inject\` of the plugin`);
        const methods = {};
        for (const each of services[name] ?? []) {
          methods[each] = async (args = null) => ask({ t: "use", service: name, method: each, args: lossless(args, "args") });
        }
        return Object.freeze(methods);
      },
    };
    return new Proxy(Object.freeze(members), {
      get(target, key) {
        if (key in target || typeof key === "symbol" || key === "then") return target[key];
        throw new TypeError(`client has no ${key}; there are: ${Object.keys(members).join(", ")}`);
      },
    });
  }

  // One thing that the half shows; what fails in it takes away this one alone.
  function seatIn(mine, slot, element) {
    const seat = {
      slot, element, undo: [], isGone: false,
      undoWith(result) {
        if (typeof result === "function") seat.isGone ? within(seat, result) : seat.undo.push(result);
        else if (typeof result?.then === "function") result.then(seat.undoWith, () => {}); // `within` hears the failure
      },
      remove() {
        if (seat.isGone) return;
        seat.isGone = true;
        mine.seats.delete(seat);
        element?.remove();
        for (const undo of seat.undo.reverse()) {
          try {
            undo();
          } catch (error) {
            crash(null, error);
          }
        }
        measure();
      },
    };
    mine.seats.add(seat);
    return seat;
  }

  function showCall(call) {
    for (const seat of activation?.seats ?? []) {
      if (seat.tool !== call.tool) continue;
      let card = seat.cards.get(call.callId);
      if (!card) {
        card = { box: make("article", ""), undo: null };
        seat.cards.set(call.callId, card);
        seat.element.firstChild.after(card.box);
        if (seat.cards.size > CARDS) {
          const [oldest, { box }] = seat.cards.entries().next().value;
          box.remove();
          seat.cards.delete(oldest);
        }
      }
      const root = make("div");
      card.box.replaceChildren(make("p", `${call.callId} · ${call.state}`), root);
      card.box.className = `call ${call.state}`;
      seat.element.hidden = false;
      within(seat, () => seat.render(root, call));
      measure();
    }
  }

  async function serve({ n, service, method, args }) {
    try {
      const methods = served.get(service);
      if (!methods || !Object.hasOwn(methods, method)) throw new TypeError(`${service} has no method ${method}`);
      say({ t: "served", n, value: lossless((await methods[method](args)) ?? null, "the result") });
    } catch (error) {
      say({ t: "served", n, error: { kind: "service-error", message: told(error) } });
    }
  }

  function make(tag, text = "", ...children) {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    element.append(...children);
    return element;
  }

  function measure() {
    const titles = [...document.querySelectorAll(".panel:not([hidden]) > h2")].map((each) => each.textContent);
    const height = titles.length ? document.body.getBoundingClientRect().height : 0;
    say({ t: "size", height: Math.ceil(height), titles });
  }

  // -- blame -----------------------------------------------------------------------------------------------

  // Run code of a seat: what it raises, at once or later, takes that seat away.
  function within(seat, run) {
    const before = current;
    current = seat;
    try {
      const result = run();
      if (seat && typeof result?.then === "function") result.then(null, (error) => crash(seat, error));
      return result;
    } catch (error) {
      crash(seat, error);
    } finally {
      current = before;
    }
  }

  function crash(seat, error) {
    if (seat?.isGone) return;
    if (++reports <= REPORTS) say({ t: "crash", slot: seat?.slot ?? "browser half", message: told(error), withdrawn: Boolean(seat) });
    seat?.remove();
  }

  // Whose fault an error is that nobody has caught: of the only seat, or of the half.
  const onlySeat = () => (activation?.seats.size === 1 ? [...activation.seats][0] : null);
  addEventListener("error", (event) => crash(current ?? onlySeat(), event.error ?? event.message));
  addEventListener("unhandledrejection", (event) => crash(onlySeat(), event.reason));
  addEventListener("securitypolicyviolation", (event) => {
    if (event.disposition === "report") return;
    crash(null, new Error(`it tried to reach ${String(event.blockedURI).slice(0, 200)} (${event.effectiveDirective}), and a browser half has no network: let the host half do it, and call that with host.call(method, args)`));
  });

  // Timers and listeners remember the seat that they were made in.
  function watchTimers() {
    const bound = (run) => {
      const seat = current;
      if (!seat || typeof run !== "function") return run;
      return function (...args) {
        if (!seat.isGone) return within(seat, () => run.apply(this, args));
      };
    };
    for (const name of ["setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback", "queueMicrotask"]) {
      const real = window[name];
      if (real) window[name] = (run, ...more) => real.call(window, bound(run), ...more);
    }
    const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
    const wrapped = new WeakMap();
    EventTarget.prototype.addEventListener = function (type, run, ...more) {
      if (typeof run === "function" && current && !wrapped.has(run)) wrapped.set(run, bound(run));
      return add.call(this, type, wrapped.get(run) ?? run, ...more);
    };
    EventTarget.prototype.removeEventListener = function (type, run, ...more) {
      return remove.call(this, type, (typeof run === "function" && wrapped.get(run)) || run, ...more);
    };
  }

  // An error in one line, with its line in the source of the half.
  function told(error) {
    let words = "an error that cannot be read", stack = "";
    try {
      words = error instanceof Error || error instanceof DOMException ? `${error.name}: ${error.message}` : String(error);
      stack = String(error?.stack ?? "");
    } catch {
      return words;
    }
    const found = new RegExp(`${me.id}\\.js:(\\d+):\\d+`).exec(stack);
    return found ? `${words} (line ${found[1] - 2})` : words; // the engine puts two lines before the body
  }

  // -- traps -----------------------------------------------------------------------------------------------

  function setTraps() {
    const net = "there is no network here: let the host half do it (`ctx.web`), and call that with host.call(method, args)";
    const store = "nothing is stored in the page: keep it in a variable, or in the host half";
    const above = "a browser half sees its own frame only: show something with client.panel, client.status or client.tool";
    const dialog = "there are no dialogs here: draw what you want to ask into a panel";
    const thread = "there are no workers here: long work belongs into the host half";
    const module = "there are no modules here: a browser half is one function body";
    const why = {
      fetch: net, XMLHttpRequest: net, WebSocket: net, EventSource: net, WebTransport: net, RTCPeerConnection: net,
      localStorage: store, sessionStorage: store, indexedDB: store, caches: store, cookieStore: store,
      parent: above, opener: above, frames: above, frameElement: above, postMessage: above, BroadcastChannel: above,
      open: dialog, alert: dialog, confirm: dialog, prompt: dialog, print: dialog,
      Worker: thread, SharedWorker: thread, importScripts: module, require: module, module: module, exports: module, process: module,
    };
    for (const [name, reason] of Object.entries(why)) {
      const spring = () => {
        throw new Error(`${name} is not available to a browser half: ${reason}`);
      };
      // To look at what it is, or whether it is there, is no slip.
      const get = (target, key) => (typeof key === "symbol" || key === "then" ? undefined : spring());
      const value = new Proxy(function () {}, { apply: spring, construct: spring, get, set: spring });
      Object.defineProperty(window, name, { value, configurable: true, writable: true });
    }
    for (const name of ["cookie", "domain"]) {
      const spring = () => {
        throw new Error(`document.${name} is not available to a browser half: ${store}`);
      };
      Object.defineProperty(document, name, { get: spring, set: spring });
    }
    Object.defineProperty(window, "host", { value: host });
  }

  watchTimers();
  setTraps(); // as globals, not as parameters: a half may have names of its own that are called the same
  new ResizeObserver(() => port && me && measure()).observe(document.body);
  page.postMessage("workbench:hello", "*");
})();
