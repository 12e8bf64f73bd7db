// The frames in which browser halves run. Each has a process of its own, no origin and no network, and all that it
// can do is to say something on one port. What it says is outside text: plain JSON, and not too much of it.

import { weigh } from "./plain.js";

export const PATIENCE = 5; // looks without an answer until a half is taken for stuck
const OPENING = 120; // the same for a frame that is only just opening: a machine with a lot to do starts processes slowly
const OPENED = 10; // and for a document that has come, and is none of ours: it says no hello
const FLOOD = 3000; // messages between two looks
const HEAVY = 8 * 1000 * 1000; // characters and items of them
const SHOUTS = 50; // messages past the port

// One frame, opened ahead of what will run in it.
export class Frame {
  constructor(address) {
    const iframe = (this.iframe = document.createElement("iframe"));
    iframe.setAttribute("sandbox", "allow-scripts");
    iframe.setAttribute("allow", "");
    iframe.referrerPolicy = "no-referrer";
    iframe.src = address;
    iframe.addEventListener("load", () => {
      if (this.loads++) return this.said({ t: "left" });
      if (!this.port) this.looks = 0;
    });
    iframe.tabIndex = -1;
    Object.assign(iframe.style, { display: "block", width: "100%", height: "0", border: "0", background: "var(--raised)" });
    // In a shadow tree it is none of `top.frames`: no other half gets hold of its window.
    this.element = document.createElement("div");
    this.element.attachShadow({ mode: "open" }).append(iframe);
    this.said = () => {};
    this.loads = this.looks = this.count = this.weight = this.shouts = 0;
    this.ready = new Promise((resolve) => (this.opened = resolve));
    this.greeted = this.greeted.bind(this);
    addEventListener("message", this.greeted);
  }

  // The frame says hello once. A second time means that it has navigated: whatever is in it now is not ours.
  greeted(event) {
    if (event.source !== this.iframe.contentWindow) return;
    if (++this.shouts > SHOUTS) return this.said({ t: "flood" });
    if (event.data !== "workbench:hello") return;
    if (this.port) return this.said({ t: "left" });
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    port1.onmessage = (message) => this.heard(message.data);
    port1.onmessageerror = () => this.said({ t: "garbage" });
    this.iframe.contentWindow.postMessage("workbench:port", "*", [port2]);
  }

  heard(message) {
    if (++this.count > FLOOD) return this.said({ t: "flood" });
    const weight = weigh(message, HEAVY);
    if (weight === Infinity || message === null || typeof message !== "object") return this.said({ t: "garbage" });
    this.weight += weight;
    if (this.weight > HEAVY) return this.said({ t: "flood" });
    if (message.t === "ready") this.opened(true);
    else if (message.t === "pong") this.waiting = false;
    else this.said(message);
  }

  say(message) {
    this.port?.postMessage(message);
  }

  // Called once per tick. True when it has not answered for too long.
  look() {
    this.count = this.weight = this.shouts = 0;
    if (this.waiting || !this.port) return ++this.looks >= (this.port ? PATIENCE : this.loads ? OPENED : OPENING);
    this.looks = 0;
    this.waiting = true;
    this.say({ t: "ping" });
    return false;
  }

  close() {
    removeEventListener("message", this.greeted);
    this.said = () => {};
    if (this.port) {
      this.port.onmessage = null;
      this.port.close();
    }
    this.opened(false);
    this.element.remove();
  }
}
