// Where the keyboard is. F6 goes from part to part of the page, out of a panel as well; and while a person answers a
// request, a frame takes the focus only from the person: with the pointer on it, or a key.

const THEFTS = 3; // until the half behind it is taken out
const PARTS = "#requests:not([hidden]), #problems:not([hidden]), #packages:not([hidden]), .half:not(.spare)";
let movedAt = -Infinity; // when a key has last moved the focus

// The next part behind the one that has the focus, or the one before it; round at the ends.
function toPart(isBack) {
  movedAt = performance.now();
  const parts = [...document.querySelectorAll(PARTS)];
  if (!parts.length) return;
  const at = parts.findIndex((each) => each.contains(document.activeElement));
  const next = at < 0 ? (isBack ? parts.length - 1 : 0) : (at + (isBack ? parts.length - 1 : 1)) % parts.length;
  parts[next].focus({ preventScroll: true });
  parts[next].scrollIntoView({ block: "nearest" });
}

// A half says that F6 was pressed in its frame: true only where the focus is.
export function leave(half, { isBack }) {
  if (half.card?.contains(document.activeElement)) toPart(isBack === true);
}

export function guardFocus(stolen) {
  let left = null, leftAt = 0, keyAt = -Infinity;
  const thefts = new WeakMap();
  document.addEventListener("keydown", (event) => {
    keyAt = performance.now();
    if (event.key === "Tab") movedAt = keyAt;
    if (event.key !== "F6" || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    toPart(event.shiftKey);
  }, true);
  document.addEventListener("focusout", (event) => {
    left = event.target;
    leftAt = performance.now();
  });
  const look = () => {
    const now = performance.now(), card = document.activeElement?.closest?.(".half");
    if (!card?.half || !left?.isConnected || now - leftAt > 200 || !left.closest("#requests")) return;
    if (now - movedAt < 500 || (card.matches(":hover") && now - keyAt > 1000)) return;
    left.focus();
    const count = (thefts.get(card) ?? 0) + 1;
    thefts.set(card, count);
    if (count >= THEFTS) stolen(card.half);
  };
  document.addEventListener("focusout", () => setTimeout(look)); // only then it is known where the focus has gone
}
