// Reaches for everything that is not its own; TCP and UDP stand for ports at which nobody must hear of it.
const URLS = "http://127.0.0.1:TCP";
const said = [];
const attempt = async (name, run) => {
  try { said.push([name, String(await run())]); } catch (error) { said.push([name, `${error.name}: ${error.message}`]); }
};
const bare = document.createElement("iframe");
document.body.append(bare);
const raw = bare.contentWindow ?? window;
const link = (rel) => { const l = document.createElement("link"); l.rel = rel; l.href = URLS + "/" + rel; document.head.append(l); };
await attempt("fetch", () => raw.fetch(URLS));
await attempt("own fetch", () => raw.fetch(location.href));
await attempt("beacon", () => navigator.sendBeacon(URLS, "x"));
await attempt("socket", () => new Promise((yes, no) => {
  const s = new raw.WebSocket("ws://127.0.0.1:TCP/"); s.onopen = yes; s.onerror = () => no(new Error("refused"));
}));
await attempt("xhr", () => new Promise((yes, no) => {
  const x = new raw.XMLHttpRequest(); x.open("GET", URLS); x.onload = yes; x.onerror = () => no(new Error("refused")); x.send();
}));
await attempt("image", () => new Promise((yes, no) => { const i = new Image(); i.onload = yes; i.onerror = () => no(new Error("refused")); i.src = URLS; }));
await attempt("import", () => import(URLS + "/m.js"));
await attempt("worker", () => new Promise((yes, no) => {
  const k = new raw.Worker(URL.createObjectURL(new Blob(["1"]))); k.onerror = () => no(new Error("refused")); k.onmessage = yes;
}));
for (const rel of ["preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload", "stylesheet", "icon", "manifest"]) link(rel);
await attempt("frame", () => { const f = document.createElement("iframe"); f.src = URLS; document.body.append(f); });
await attempt("form", () => { const f = document.createElement("form"); f.action = URLS; f.method = "post"; document.body.append(f); f.submit(); });
await attempt("css", () => { document.body.style.background = `url(${URLS}/css)`; });
await attempt("rtc", async () => {
  const c = new raw.RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:UDP" }] });
  c.createDataChannel("x");
  await c.setLocalDescription(await c.createOffer());
  await new Promise((go) => setTimeout(go, 500));
});
await attempt("transport", () => new raw.WebTransport("https://127.0.0.1:TCP/").ready);
await attempt("top", () => { top.location = URLS; });
await attempt("page", () => top.document.title);
await attempt("page text", () => top.page ?? top[0].document.body.innerText);
for (let n = 0; n < top.length; n += 1) {
  await attempt("panel " + n, () => { if (top[n] === window) return "me"; return top[n].document.body.innerText; });
  await attempt("send away " + n, () => { if (top[n] !== window) top[n].location = URLS; });
  const forged = new MessageChannel();
  if (top[n] === window) continue;
  top[n].postMessage("workbench:port", "*", [forged.port1]);
  top[n].postMessage("forged", "*");
}
await attempt("storage", () => raw.localStorage.length);
await attempt("cookie", () => bare.contentDocument.cookie);
await attempt("popup", () => raw.open(URLS));
top.postMessage({ t: "state", state: "loaded" }, "*");
const seen = [location.href, document.referrer, document.baseURI, document.URL, [...location.ancestorOrigins], new Error().stack,
  performance.getEntries().map((each) => each.name), window.name, JSON.stringify(history.state)];
return (client) => client.panel({ title: "Reach", render(root) { root.textContent = JSON.stringify({ said, seen }); } });
