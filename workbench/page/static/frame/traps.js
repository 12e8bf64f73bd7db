// Names that are in every other page and not here: whoever reaches for one is told what to do instead. They are
// globals, not parameters: a half may have names of its own that are called the same.
export function setTraps(host) {
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
  for (const name of ["pushState", "replaceState"]) {
    History.prototype[name] = () => {
      throw new Error(`history.${name} is not available to a browser half: the history is the page's; keep what is shown in a variable`);
    };
  }
  for (const name of ["cookie", "domain"]) {
    const spring = () => {
      throw new Error(`document.${name} is not available to a browser half: ${store}`);
    };
    Object.defineProperty(document, name, { get: spring, set: spring });
  }
  Object.defineProperty(window, "host", { value: host });
}
