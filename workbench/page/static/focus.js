// While a person answers a request, a frame takes the focus only from the person: with the pointer on it, or Tab.
// What is typed into a reason is nobody else's.

const THEFTS = 3; // until the half behind it is taken out

export function guardFocus(stolen) {
  let left = null, leftAt = 0, keyAt = -Infinity, tabAt = -Infinity;
  const thefts = new WeakMap();
  document.addEventListener("keydown", (event) => {
    keyAt = performance.now();
    if (event.key === "Tab") tabAt = keyAt;
  }, true);
  document.addEventListener("focusout", (event) => {
    left = event.target;
    leftAt = performance.now();
  });
  const look = () => {
    const now = performance.now(), card = document.activeElement?.closest?.(".half");
    if (!card?.half || !left?.isConnected || now - leftAt > 200 || !left.closest("#requests")) return;
    if (now - tabAt < 500 || (card.matches(":hover") && now - keyAt > 1000)) return;
    left.focus();
    const count = (thefts.get(card) ?? 0) + 1;
    thefts.set(card, count);
    if (count >= THEFTS) stolen(card.half);
  };
  document.addEventListener("focusout", () => setTimeout(look)); // only then it is known where the focus has gone
}
