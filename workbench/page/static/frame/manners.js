// How a half behaves in a page that it shares: Tab and F6 always leave it, its code moves the focus only when a person
// has pressed something else here, and scrolls the page only behind a person's press, which it tells the page. All that
// is used for it is taken before a half can change it.
import { say } from "./port.js";

const { apply } = Reflect;
const clock = performance.now.bind(performance);
const hasFocus = document.hasFocus.bind(document);
const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
const keyOf = getter(KeyboardEvent.prototype, "key");
const modifiers = ["ctrlKey", "altKey", "metaKey"].map((name) => getter(KeyboardEvent.prototype, name));
const isShifted = getter(KeyboardEvent.prototype, "shiftKey");
const { stopImmediatePropagation, preventDefault } = Event.prototype;
const { userActivation } = navigator;
const isActive = userActivation && getter(Object.getPrototypeOf(userActivation), "isActive");
const MODIFIERS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"]);
let leftAt = 0, pressedAt = 0; // Tab, F6, or another frame; whatever else a person has done in this one

const isPressed = () => hasFocus() && (!userActivation || apply(isActive, userActivation, []));
const mayMove = () => hasFocus() && pressedAt > leftAt;

export function setManners() {
  heedKeys();
  heedPresses();
  for (const type of ["pointerdown", "click"]) addEventListener(type, (event) => event.isTrusted && (pressedAt = clock()), true);
  for (const type of ["focus", "blur"]) {
    addEventListener(type, (event) => {
      if (event.target !== window) return;
      if (type === "blur") leftAt = clock();
      say({ t: type });
    });
  }
  for (const { prototype } of [HTMLElement, SVGElement, MathMLElement]) {
    replace(prototype, "focus", (real, it, options) => {
      if (mayMove()) apply(real, it, [isPressed() ? options : { ...options, preventScroll: true }]);
    });
  }
  for (const { prototype } of [HTMLInputElement, HTMLTextAreaElement]) {
    replace(prototype, "select", (real, it) => mayMove() && apply(real, it, []));
  }
  for (const name of ["show", "showModal"]) {
    replace(HTMLDialogElement.prototype, name, (real, it) => (mayMove() ? apply(real, it, []) : it.setAttribute("open", "")));
  }
  for (const { prototype } of [HTMLFormElement, HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement]) {
    replace(prototype, "reportValidity", (real, it) => (mayMove() ? apply(real, it, []) : it.checkValidity()));
  }
  replace(window, "focus", () => {});
  for (const name of ["scrollIntoView", "scrollIntoViewIfNeeded"]) {
    replace(Element.prototype, name, (real, it, options) => (isPressed() ? apply(real, it, [options]) : scrollInside(it)));
  }
}

function replace(owner, name, run) {
  const real = owner[name];
  if (real) owner[name] = { [name](...given) { return run(real, this, ...given); } }[name];
}

// The half does not hear Tab, so that it cannot keep it. F6 goes to the next part of the page.
function heedKeys() {
  addEventListener("keydown", (event) => {
    const key = apply(keyOf, event, []);
    if (!event.isTrusted || MODIFIERS.has(key)) return;
    if ((key !== "Tab" && key !== "F6") || modifiers.some((each) => apply(each, event, []))) return void (pressedAt = clock());
    leftAt = clock();
    apply(stopImmediatePropagation, event, []);
    if (key === "Tab") return;
    apply(preventDefault, event, []);
    say({ t: "leave", isBack: apply(isShifted, event, []) });
  }, true);
}

// The page keeps everything where it is while something here is pressed.
function heedPresses() {
  for (const type of ["pointerdown", "pointerup", "pointercancel"]) {
    addEventListener(type, (event) => event.isTrusted && say({ t: "press", isDown: type === "pointerdown" }), true);
  }
}

// In the boxes of this frame alone, as far as needed; the page stays where it is.
function scrollInside(element) {
  for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
    if (box.scrollHeight <= box.clientHeight) continue;
    const inner = element.getBoundingClientRect(), outer = box.getBoundingClientRect();
    if (inner.top < outer.top) box.scrollTop += inner.top - outer.top;
    else if (inner.bottom > outer.bottom) box.scrollTop += Math.min(inner.bottom - outer.bottom, inner.top - outer.top);
  }
}
