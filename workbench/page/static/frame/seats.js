// What a half shows, each in a seat of its own, and the blame: what fails in one takes away that one alone.
import { say } from "./port.js";

const REPORTS = 20;
let reports = 0;

export const half = { id: "", name: "" };
// The activation {undo: [functions], pending: [promises], seats: Set}, and the seat whose code runs.
export const now = { activation: null, seat: null };

// One thing that the half shows; what fails in it takes away this one alone.
export function seatIn(mine, slot, element) {
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

export function make(tag, text = "", ...children) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  element.append(...children);
  return element;
}

export function measure() {
  const titles = [...document.querySelectorAll(".panel:not([hidden]) > h2")].map((each) => each.textContent);
  const height = titles.length ? document.body.getBoundingClientRect().height : 0;
  say({ t: "size", height: Math.ceil(height), titles });
}

// -- blame -------------------------------------------------------------------------------------------------

// Run code of a seat: what it raises, at once or later, takes that seat away.
export function within(seat, run) {
  const before = now.seat;
  now.seat = seat;
  try {
    const result = run();
    if (seat && typeof result?.then === "function") result.then(null, (error) => crash(seat, error));
    return result;
  } catch (error) {
    crash(seat, error);
  } finally {
    now.seat = before;
  }
}

export function crash(seat, error) {
  if (seat?.isGone) return;
  if (++reports <= REPORTS) say({ t: "crash", slot: seat?.slot ?? "browser half", message: told(error), withdrawn: Boolean(seat) });
  seat?.remove();
}

// Whose fault an error is that nobody has caught: of the only seat, or of the half.
const onlySeat = () => (now.activation?.seats.size === 1 ? [...now.activation.seats][0] : null);
addEventListener("error", (event) => crash(now.seat ?? onlySeat(), event.error ?? event.message));
addEventListener("unhandledrejection", (event) => crash(onlySeat(), event.reason));
addEventListener("securitypolicyviolation", (event) => {
  if (event.disposition === "report") return;
  crash(null, new Error(`it tried to reach ${String(event.blockedURI).slice(0, 200)} (${event.effectiveDirective}), and a browser half has no network: let the host half do it, and call that with host.call(method, args)`));
});

// Timers and listeners remember the seat that they were made in.
export function watchTimers() {
  const bound = (run) => {
    const { seat } = now;
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
    if (typeof run === "function" && now.seat && !wrapped.has(run)) wrapped.set(run, bound(run));
    return add.call(this, type, wrapped.get(run) ?? run, ...more);
  };
  EventTarget.prototype.removeEventListener = function (type, run, ...more) {
    return remove.call(this, type, (typeof run === "function" && wrapped.get(run)) || run, ...more);
  };
}

// An error in one line, with its line in the source of the half.
export function told(error) {
  let words = "an error that cannot be read", stack = "";
  try {
    words = error instanceof Error || error instanceof DOMException ? `${error.name}: ${error.message}` : String(error);
    stack = String(error?.stack ?? "");
  } catch {
    return words;
  }
  const found = new RegExp(`${half.id}\\.js:(\\d+):\\d+`).exec(stack);
  return found ? `${words} (line ${found[1] - 2})` : words; // the engine puts two lines before the body
}
