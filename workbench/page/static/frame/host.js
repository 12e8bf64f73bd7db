// The host half, as its browser half sees it: called once, or watched for what is new.
import { lossless } from "./lossless.js";
import { ask } from "./port.js";
import { crash, now, within } from "./seats.js";

const SAME = 40; // equal answers, in 10 s, until a watch ends
const later = setTimeout;
const news = new Set();
let isUp = true;

export function hostIs(up) {
  isUp = up;
  for (const each of [...news]) each();
}

export const host = Object.freeze({
  async call(method, args = null) {
    if (typeof method !== "string") throw new TypeError("host.call(method, args): `method` is the name that the host half gave to harness.handle");
    return ask({ t: "call", method, args: lossless(args, "args") });
  },
  // Call again and again, each time with what is new; through times in which the host half is not there.
  watch(method, each, args = null) {
    if (typeof each !== "function") throw new TypeError("host.watch(method, each, args): `each` is called with every value");
    const { seat, activation: mine } = now;
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
      if (!isUp) return;
      news.delete(heardOfIt);
      resolve();
    };
    news.add(heardOfIt);
    if (isUp) later(heardOfIt, 500); // it went and came before we heard
  });
}
