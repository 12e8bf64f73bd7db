// `client`: what a half can show, and the services that it gives to other halves and takes from them.
import { lossless } from "./lossless.js";
import { ask, number, say } from "./port.js";
import { crash, half, make, measure, now, seatIn, told, within } from "./seats.js";

const CARDS = 20; // of calls, in one seat
export const services = { known: {} }; // those of the page: name -> names of its methods
const served = new Map(); // those of this half: name -> its methods

export function makeClient(mine, inject) {
  const check = () => {
    if (mine.isOver) throw new Error(`this activation of ${half.id} is over: its client can do nothing any more`);
  };
  const members = {
    id: half.id,
    name: half.name,
    panel(given) {
      check();
      const { title, render } = given ?? {};
      if (typeof title !== "string" || !title.trim() || typeof render !== "function") throw new TypeError("client.panel({title, render(root)}): a text and a function");
      const heading = make("h2", title), root = make("div");
      const box = make("section", "", heading, root);
      box.className = "panel";
      heading.id = `title-${number()}`;
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
      const key = number();
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
      if (!inject.includes(name)) throw new Error(`service ${name} is not declared: add it to \`inject\` of the plugin`);
      const methods = {};
      for (const each of services.known[name] ?? []) {
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

export function showCall(call) {
  for (const seat of now.activation?.seats ?? []) {
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

export async function serve({ n, service, method, args }) {
  try {
    const methods = served.get(service);
    if (!methods || !Object.hasOwn(methods, method)) throw new TypeError(`${service} has no method ${method}`);
    say({ t: "served", n, value: lossless((await methods[method](args)) ?? null, "the result") });
  } catch (error) {
    say({ t: "served", n, error: { kind: "service-error", message: told(error) } });
  }
}
