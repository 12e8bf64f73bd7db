// The page: what the workbench tells, what a person does, and the browser halves between them.

import { Connection } from "./socket.js";
import { Halves } from "./halves.js";
import { View } from "./view.js";
import { guardFocus } from "./focus.js";
import { heedPresses } from "./pressing.js";

const facts = { connection: { kind: "connecting", since: Date.now() }, page: "", packages: [], requests: [], problems: [], halves: new Map() };
let problems = 0;

const view = new View(facts, { allow, deny, load, dismiss, retry: () => connection.hurry(), themed: (theme) => halves.themed(theme) });
const connection = new Connection(told, (state) => {
  facts.connection = state;
  if (state.kind !== "open") for (const request of facts.requests) request.isAnswered = false;
  halves.connected();
  view.changed();
});
const halves = new Halves(connection, (frame) => view.place(frame), () => view.changed(), (half, problem) => {
  const { id, run, name } = half;
  facts.problems = [...facts.problems, { key: ++problems, id, run, name, ...problem }].slice(-5);
  view.alarm(`${id} ${name}: ${problem.stage ? "could not be loaded" : `${problem.slot} ${problem.withdrawn ? "was withdrawn" : "had an error"}`}. ${problem.message}`);
  view.changed();
});
facts.halves = halves.byId;
guardFocus((half) => halves.holds(half) && halves.withdraw(half, "activate", "it takes the focus away from who answers a request"));

const ACTS = {
  welcome(message) {
    facts.page = message.page;
    facts.requests = message.requests;
    facts.packages = message.packages;
    halves.framePath = message.frame;
    halves.listed(message.packages);
    // A page that was away comes back as a new one: it says what it still holds, and nothing is loaded twice.
    for (const half of halves.byId.values()) connection.ask("load", { id: half.id }).catch(() => {});
    if (message.requests.length || message.packages.length) halves.warm();
    if (message.requests.length) view.say(`${message.requests.length} waiting for your answer`);
  },
  packages(message) {
    facts.packages = message.packages;
    halves.listed(message.packages);
  },
  request(message) {
    facts.requests = [...facts.requests.filter((each) => each.request !== message.request), message];
    halves.warm();
    view.say(`${message.id} ${message.name} asks to run in a browser page: ${message.purpose}`);
  },
  resolved({ request, outcome }) {
    const over = facts.requests.find((each) => each.request === request);
    facts.requests = facts.requests.filter((each) => each.request !== request);
    if (over) view.resolved(over, outcome);
  },
  announce: (message) => void halves.announce(message),
  retract: (message) => halves.retract(message),
  tool: (message) => halves.tool(message),
};

function told(message) {
  if (Object.hasOwn(ACTS, message.type)) {
    ACTS[message.type](message);
    view.changed();
  }
}

function allow(request) {
  return answer(request, { allow: true });
}

function deny(request, reason) {
  return answer(request, reason ? { allow: false, reason } : { allow: false });
}

async function answer(request, how) {
  if (request.isAnswered) return;
  request.isAnswered = true;
  view.changed();
  try {
    const { accepted } = await connection.ask("answer", { request: request.request, ...how });
    if (accepted) return;
    view.say(`${request.id} ${request.name}: somebody else has answered already`);
    facts.requests = facts.requests.filter((each) => each !== request);
  } catch (error) {
    request.isAnswered = false;
    view.alarm(`Your answer did not arrive: ${error.message}. It still waits.`);
  }
  view.changed();
}

async function load(id) {
  try {
    const { accepted } = await connection.ask("load", { id });
    if (!accepted) view.alarm(`${id} is not running any more.`);
  } catch (error) {
    view.alarm(`${id} was not loaded: ${error.message}.`);
  }
}

function dismiss(problem) {
  facts.problems = facts.problems.filter((each) => each !== problem);
  view.changed();
}

heedPresses();
connection.open();
