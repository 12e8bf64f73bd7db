// What a person has the pointer pressed on stays where it is: a button that moves before the pointer is up hears no
// press. Who presses all the time holds up nothing for long.

const LONGEST = 1000; // ms that one presser holds things still; a third of the time that it does not is given back
const budgets = new WeakMap(); // half, or document -> {left, at}
const held = new Map(); // the same -> timer
const waiting = new Set();

export function pressed(by, isDown) {
  const now = performance.now();
  const own = budgets.get(by) ?? { left: LONGEST, at: now };
  own.left = Math.min(LONGEST, Math.max(0, own.left + (held.has(by) ? own.at - now : (now - own.at) / 3)));
  own.at = now;
  budgets.set(by, own);
  clearTimeout(held.get(by));
  if (isDown) held.set(by, setTimeout(() => pressed(by, false), own.left));
  else held.delete(by);
  if (held.size) return;
  for (const run of waiting) {
    waiting.delete(run);
    run();
  }
}

// Run something that may move what is on the page: now, or when nothing is pressed; once, however often it is asked for.
export function whenStill(run) {
  if (held.size) waiting.add(run);
  else run();
}

// Presses on the page itself; a half tells its own. The click comes right after the pointer is up.
export function heedPresses() {
  addEventListener("pointerdown", () => pressed(document, true), true);
  for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => setTimeout(() => pressed(document, false)), true);
}
