// What a person sees. Drawn from the facts, once per frame, and only where they have changed: focus stays where it is.

import { whenStill } from "./pressing.js";
import { cut, el, put, span, visible } from "./text.js";

const SETTLE = 600; // ms for which buttons that have just come or moved do not count a press
const THEMES = ["system", "dark", "light"];
const $ = (id) => document.getElementById(id);
const list = (id) => $(id).querySelector("ol, ul");
const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

export class View {
  constructor(facts, acts) {
    this.facts = facts;
    this.acts = acts;
    this.movedAt = -SETTLE;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.theme = remembered();
    this.dark.addEventListener("change", () => this.paint());
    $("theme").addEventListener("click", () => {
      this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length];
      remember(this.theme);
      this.paint();
    });
    $("retry").addEventListener("click", () => this.acts.retry());
    for (const moving of ["scroll", "resize"]) addEventListener(moving, () => this.follow(), { passive: true });
    document.addEventListener("visibilitychange", () => this.unsettle());
    this.paint();
    this.changed();
  }

  // Not at once: what comes in one go is drawn in one go, and a half that loads does not wait for a picture.
  changed() {
    this.due ??= setTimeout(() => {
      const draw = () => whenStill(drawNow);
      const drawNow = () => {
        this.due = null;
        this.draw();
      };
      document.hidden ? draw() : requestAnimationFrame(draw);
    }, 30);
  }

  // What has just come or moved may be under a pointer, or below a finger, that was meant for something else.
  unsettle() {
    this.movedAt = performance.now();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.changed(), SETTLE + 20);
    this.changed();
  }

  follow() {
    const at = $("requests").hidden ? null : list("requests").getBoundingClientRect().top;
    if (at !== null && at !== this.at) this.unsettle();
    this.at = at;
  }

  // -- colours ---------------------------------------------------------------------------------------------

  paint() {
    const shown = this.theme === "system" ? (this.dark.matches ? "dark" : "light") : this.theme;
    document.documentElement.dataset.theme = shown;
    put($("theme"), el("span", "soft", "theme "), this.theme);
    $("theme").setAttribute("aria-label", `Theme: ${this.theme}. Press for ${THEMES[(THEMES.indexOf(this.theme) + 1) % 3]}`);
    if (this.shown && this.shown !== shown) this.acts.themed(shown);
    this.shown = shown;
  }

  // -- what is said to who does not look --------------------------------------------------------------------

  say(text) {
    $("said").textContent = visible(cut(text, 300));
  }

  alarm(text) {
    $("alarm").textContent = visible(cut(text, 400));
  }

  resolved(request, outcome) {
    const told = { approved: "allowed", rejected: "denied" }[outcome] ?? outcome;
    this.say(`${request.id} ${request.name}: ${told}`);
    put($("last"), request.id, " ", el("bdi", "", cut(request.name, 40)), `: ${told}, ${new Date().toTimeString().slice(0, 5)}`);
  }

  // -- drawing ---------------------------------------------------------------------------------------------

  draw() {
    const { connection, requests, packages, problems, halves, page } = this.facts;
    const isOpen = connection.kind === "open";
    const focused = document.activeElement?.closest?.("[data-key]");
    document.body.dataset.connection = connection.kind;
    put($("page-name"), page);
    put($("connection"), ...this.connectionWords(connection));
    $("connection").className = `state ${{ open: "running", gone: "failed" }[connection.kind] ?? "pending"}`;
    put($("answer"), ...this.answer());
    const hadRetry = document.activeElement === $("retry");
    $("retry").hidden = isOpen || connection.kind === "connecting";
    if (hadRetry && $("retry").hidden) $("answer").focus();
    document.title = `${requests.length ? `(${requests.length}) ` : ""}Prompt Workbench`;

    $("requests").hidden = !requests.length;
    const shownNow = requests.map((each) => each.request).join();
    if (shownNow !== this.shownRequests) this.unsettle();
    this.shownRequests = shownNow;
    const isSettled = performance.now() - this.movedAt >= SETTLE;
    keyed(list("requests"), requests, (each) => each.request, (each) => this.requestCard(each), (card, each) => card.redraw(each, isOpen && isSettled));
    this.follow();

    $("problems").hidden = !problems.length;
    keyed(list("problems"), problems, (each) => each.key, (each) => this.problem(each), () => {});

    keyed(list("packages"), packages, (each) => each.id, () => packageRow(this.acts), (row, each) => row.redraw(each, halves.get(each.id), isOpen));
    $("packages").hidden = !packages.length;

    const shown = [...halves.values()].filter((half) => half.card);
    for (const half of shown) drawHalf(half);
    const isEmpty = !shown.some((half) => half.titles.length || half.state !== "loaded");
    $("empty").hidden = !isEmpty;
    if (isEmpty) put($("empty"), ...emptyWords(packages, requests, halves));

    const seats = shown.flatMap((half) => [...half.seats].map(([key, text]) => ({ key: `${half.run}/${key}`, id: half.id, text })));
    $("seats").hidden = !seats.length;
    keyed(list("seats"), seats, (each) => each.key, () => el("li"), (item, each) => {
      const told = `${each.id} ${each.text}`;
      if (item.told !== told) put(item, el("span", "owner", each.id), " ", el("bdi", "", each.text));
      item.told = told;
    });

    // What held the focus is gone: to the next request, or to the line that says how things are.
    if (focused && !focused.isConnected) (list("requests").firstChild ?? $("answer")).focus();
    this.tickIfNeeded();
  }

  connectionWords(state) {
    if (state.kind === "open") return [sign("●"), " live"];
    if (state.kind === "connecting") return [sign("◐"), " connecting"];
    if (state.kind === "gone") return [sign("×"), " not there"];
    return [sign("◐"), ` reconnecting ${span((Date.now() - state.since) / 1000)}`];
  }

  answer() {
    const { connection, requests, packages, halves } = this.facts;
    const ago = span((Date.now() - connection.since) / 1000);
    const why = connection.reason ? `It said: ${connection.reason}. ` : "";
    if (connection.kind === "connecting") return ["Connecting…", el("span", "soft", " to the workbench.")];
    if (connection.kind === "lost") {
      return [el("span", "pending", sign("◐"), " Connection lost."), el("span", "soft", ` What you see is ${ago} old. ${why}Trying again by itself.`)];
    }
    if (connection.kind === "gone") {
      return [
        el("span", "failed", sign("×"), " The workbench is not there any more."),
        el("span", "soft", ` ${why}Nothing has answered for ${ago}. When you start it again, it prints a new address: open that one.`),
      ];
    }
    const missing = packages.filter((each) => !each.loadedHere && !isLoading(halves.get(each.id))).length;
    const running = packages.filter((each) => each.state !== "waiting").length;
    const panels = [...halves.values()].reduce((sum, half) => sum + half.titles.length, 0);
    const facts = [
      running && `${plural(running, "package")} running`,
      packages.length > running && `${packages.length - running} waiting`,
      !packages.length && "no package running",
      missing && `${missing} not loaded here`,
      panels && plural(panels, "panel"),
    ].filter(Boolean).join(", ").replace(/^./, (first) => first.toUpperCase()) + ".";
    if (!requests.length) return [facts];
    const verb = requests.length === 1 ? "waits" : "wait";
    return [el("span", "pending", sign("◆"), ` ${requests.length} ${verb} for your answer.`), el("span", "soft", " ", facts)];
  }

  requestCard(request) {
    const { id, name, purpose, session, revision } = request;
    const card = el("li", "request");
    card.tabIndex = -1;
    const title = el("h4", "", el("span", "pending", sign("◆")), " ", el("b", "", id, " ", el("bdi", "", name)), el("span", "soft", " wants to run in a browser page"));
    title.id = `title-${request.request}`;
    const age = el("span", "pending age");
    const allow = action("Allow this run", "allow", () => this.press(card, () => this.acts.allow(card.request)));
    const deny = action("Deny", "deny", () => this.press(card, () => this.acts.deny(card.request, cut(reason.value.trim(), 500))));
    const reason = el("input");
    reason.type = "text";
    reason.maxLength = 500;
    reason.placeholder = "reason, if you deny";
    reason.setAttribute("aria-label", `Reason, if you deny ${id} (optional)`);
    for (const button of [allow, deny]) button.setAttribute("aria-describedby", title.id);
    const form = el("form", "buttons", allow, deny, reason);
    form.addEventListener("submit", (event) => event.preventDefault());
    card.append(
      el("div", "head", title, age),
      el("dl", "", pair("purpose", purpose), pair("asked by", `session ${/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(session) ? session.slice(0, 8) : session}`), pair("revision", `r${revision}`)),
      el("p", "soft small", "Your answer is for this run only. Its host half acts with the rights of the workbench, on all sessions; its browser half gets a frame without network on every open page."),
      form,
    );
    card.setAttribute("aria-labelledby", title.id);
    card.redraw = (now, isReady) => {
      card.request = now;
      put(age, `waiting ${span((Date.now() - Date.parse(now.asked_at)) / 1000)}`);
      const isIdle = !isReady || now.isAnswered;
      for (const button of [allow, deny]) button.setAttribute("aria-disabled", String(Boolean(isIdle)));
      reason.readOnly = Boolean(isIdle);
      card.classList.toggle("answered", Boolean(now.isAnswered));
    };
    return card;
  }

  // A press that was meant for the request that stood here a moment ago is no answer to this one.
  press(card, act) {
    if (!card.querySelector("[aria-disabled=true]")) act();
  }

  problem(problem) {
    const { id, name, stage, slot, message, withdrawn } = problem;
    const what = stage ? ` could not be loaded here, stage ${stage}:` : ` ${slot} ${withdrawn ? "was withdrawn:" : "had an error:"}`;
    const advice = stage
      ? "The agent was told. It can define a corrected revision; until then, nothing of it runs in this page."
      : withdrawn ? "Everything else of it goes on. The agent was told, and sees this in its report." : "It goes on. The agent was told, and sees this in its report.";
    return el(
      "li", "problem",
      el("p", "", el("span", "failed", sign("×")), " ", el("b", "", id, " ", el("bdi", "", name)), el("span", "soft", what)),
      el("p", "", message),
      el("p", "soft small", advice),
      action("Dismiss", "dismiss", () => this.acts.dismiss(problem), `Dismiss: ${id} ${name}`),
    );
  }

  place(frame) {
    const card = el("article", "half spare", el("div", "head"), frame);
    card.tabIndex = -1;
    $("halves").append(card);
    return card;
  }

  // Seconds count once a second, while there are any to count.
  tickIfNeeded() {
    const isCounting = this.facts.requests.length || this.facts.connection.kind !== "open";
    if (isCounting && !this.ticking) this.ticking = setInterval(() => this.changed(), 1000);
    else if (!isCounting && this.ticking) this.ticking = void clearInterval(this.ticking);
  }
}

const STATE = {
  running: ["●", "running"], delivering: ["◐", "pending"], starting: ["◐", "pending"], waiting: ["◌", "waiting"],
  stopping: ["◐", "pending"],
};

const isLoading = (half) => half?.state === "loading";

function packageRow(acts) {
  const row = el("li", "package");
  row.tabIndex = -1;
  const head = el("div", "head"), purpose = el("p", "soft"), here = el("p", "here");
  const button = action("Load here", "load", () => button.getAttribute("aria-disabled") === "true" || acts.load(row.told.id));
  row.append(head, purpose, here, button);
  row.redraw = (told, half, isOpen) => {
    row.told = told;
    const look = JSON.stringify([told, half?.state, half?.stage, half?.message, half?.waitingFor, half?.titles.length, half?.crashes.length, isOpen]);
    if (look === row.look) return;
    row.look = look;
    const [mark, colour] = STATE[told.state] ?? ["●", "running"];
    put(head, el("span", "", el("span", colour, sign(mark)), " ", el("b", "", told.id), " ", el("bdi", "", told.name)), half && el("span", `push ${colour}`, told.state));
    put(purpose, told.purpose);
    put(here, ...hereWords(told, half));
    const isHeld = half && half.state !== "failed";
    const hadFocus = document.activeElement === button;
    button.hidden = Boolean(isHeld) || (told.loadedHere && half?.state !== "failed");
    put(button, half?.state === "failed" ? "Try again" : "Load here");
    button.setAttribute("aria-label", `${half?.state === "failed" ? "Try again" : "Load here"}: ${told.id} ${told.name}`);
    button.setAttribute("aria-disabled", String(!isOpen));
    if (hadFocus && button.hidden) row.focus();
  };
  return row;
}

function hereWords(told, half) {
  const facts = el("span", "faint", ` · r${told.revision}, ${told.run}`);
  if (!half) return [el("span", "pending", `${told.state}, not loaded here`), facts];
  if (half.state === "loading") return [el("span", "pending", sign("◐"), " loading here"), facts];
  if (half.state === "waiting") return [el("span", "waiting", sign("◌"), ` waits here for ${half.waitingFor.join(", ")}`), facts];
  if (half.state === "failed") return [el("span", "failed", sign("×"), ` failed here, ${half.stage}: `), half.message, facts];
  const crash = half.crashes.at(-1);
  return [
    el("span", "soft", "loaded here", half.titles.length ? `, ${plural(half.titles.length, "panel")}` : ", no panel"),
    crash && el("span", "failed", `, ${sign("×").textContent} ${crash.slot} ${crash.withdrawn ? "withdrawn" : "had an error"}`),
    facts,
  ];
}

function drawHalf(half) {
  const { card } = half;
  const look = JSON.stringify([half.id, half.name, half.state, half.waitingFor, half.titles, half.crashes]);
  if (look === card.look) return;
  card.look = look;
  const isShown = half.titles.length > 0;
  card.classList.toggle("spare", !isShown);
  const title = el("h4", "", el("span", "owner", half.id), " ", el("bdi", "", half.name));
  title.id = `half-${half.run}`;
  card.setAttribute("aria-labelledby", title.id);
  put(
    card.querySelector(".head"), title,
    el("span", "push faint", el("span", "leave", el("b", "key", "F6"), " leaves · "), `r${half.revision}, ${half.run}`),
  );
  const frame = half.frame.iframe;
  frame.title = visible(`${half.id} ${half.name}: ${half.titles.join(", ")}`);
  frame.tabIndex = isShown ? 0 : -1;
}

function emptyWords(packages, requests, halves) {
  if (requests.length) {
    return [el("p", "", el("b", "", "No panel yet.")), el("p", "soft", "What a package wants to show stands here, as soon as somebody has allowed it.")];
  }
  if (packages.length && packages.every((each) => halves.has(each.id))) {
    return [el("p", "", el("b", "", "No panel on this page.")), el("p", "soft", "What is loaded here has nothing to show now.")];
  }
  if (packages.length) {
    return [
      el("p", "", el("b", "", "No panel on this page.")),
      el("p", "soft", "A page that was opened or loaded anew runs nothing by itself. ", el("b", "", "Load here"), " beside a package loads what is running already; nobody is asked again."),
    ];
  }
  return [
    el("p", "", el("b", "", "No panel yet."), " No package with a browser half is running."),
    el("p", "soft", "A package is code that the agent writes while it runs. Its browser half would be shown here: live panels, a short status, cards for its tool calls. Before one runs, you are asked on this page and in the terminal; the first answer counts."),
    el("p", "soft", "Leave this page open, and ask the agent to show you something. The sample ", el("code", "", "packages-live"), " does."),
  ];
}

// -- pieces ------------------------------------------------------------------------------------------------

function sign(mark) {
  const made = el("span", "sign", mark);
  made.setAttribute("aria-hidden", "true");
  return made;
}

function pair(term, value) {
  return el("div", "", el("dt", "", term), el("dd", "", value));
}

function action(words, name, act, label) {
  const button = el("button", name, words);
  button.type = "button";
  if (label) button.setAttribute("aria-label", visible(label));
  button.addEventListener("click", act);
  return button;
}

// Children of a list, one per item and in their order; those that stay are not touched.
function keyed(list, items, keyOf, make, redraw) {
  const known = new Map([...list.children].map((child) => [child.dataset.key, child]));
  let before = null;
  for (const item of items) {
    const key = String(keyOf(item));
    let child = known.get(key);
    known.delete(key);
    if (!child) {
      child = make(item);
      child.dataset.key = key;
    }
    const place = before ? before.nextSibling : list.firstChild;
    if (child !== place) list.insertBefore(child, place);
    redraw(child, item);
    before = child;
  }
  for (const child of known.values()) child.remove();
}

function remembered() {
  try {
    const theme = localStorage.getItem("theme");
    return THEMES.includes(theme) ? theme : "system";
  } catch {
    return "system";
  }
}

function remember(theme) {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // then it is for this page alone
  }
}
