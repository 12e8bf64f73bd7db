"""`cordis_inspect`: what there is, as text. Read-only; descriptions come from the code.

Source: docs/dynamic-packages.md 13.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.dynamic.arguments import Caller, check_keys, check_session, optional_text, refused
from workbench.dynamic.host.facade import MEMBERS, TIMER_MEMBERS

if TYPE_CHECKING:
    from workbench.dynamic.package import Package
    from workbench.dynamic.service import DynamicPackages

SECTIONS = ("services", "plugins", "tools", "temporary", "api", "events", "client")
_HEADINGS = {
    "services": "Services",
    "plugins": "Plugins",
    "tools": "Tools",
    "temporary": "Your packages",
    "api": "Interfaces",
    "events": "Events",
    "client": "Browser half",
}
_NEXT_RULE = (
    "A listener of a waterfall gets `next` as its last argument and ends with `return await next()`. Without it, "
    "later listeners and the default do not run; `next()` that is not awaited runs nothing."
)
_PACKAGE_API = {
    "tools": [
        "register(tool): a tool made with harness.define_tool; gives the function that takes it back",
        "schemas(): name, description and parameters of all tools",
        "get(name): the same of one tool, or None",
    ],
    "system_prompt": [
        "section(name, order, text, literal=False): a paragraph of the system text; text or text(context)",
        "context(name, order, text, literal=False): a part of the runtime context",
        "variable(name, provider): a value for {{name}}; provider(context) gives a text or None",
    ],
    "timer": [
        "ctx.timeout(function, seconds); await ctx.timeout(seconds)",
        "ctx.interval(function, seconds); async for _ in ctx.interval(seconds)",
        "ctx.throttle(function, seconds); ctx.debounce(function, seconds)",
    ],
}
"""What a package gets of these is not what the service has: docs/dynamic-packages.md 10."""
_PURPOSES = {
    "timer": "Timeouts and intervals that end with their plugin.",
    "tools": "What the model may call.",
    "system_prompt": "What the model reads: sections, runtime context, variables.",
    "fs": "Files of this machine, within the limits of the composition.",
    "shell": "Commands of this machine.",
    "web": "Pages from the web.",
    "models": "Model providers.",
    "sessions": "Open sessions and their logs.",
    "agents": "Live agents.",
    "dynamic": "The runner of these packages.",
    "subagents": "Providers of child agents.",
}
_SEATS = {
    "panel": (
        "client.panel({title, render(root)}): a titled place to draw into with the DOM. Displaces nothing; panels "
        "stand in order. One that raises is withdrawn alone, and reported."
    ),
    "status": "client.status(text): a short line, foot of the page; `set(text)` changes it. Displaces nothing.",
    "tool": "client.tool(name, (root, call) => …): draws each call of a tool of this package. Displaces nothing.",
    "service": (
        "client.provide(name, {method: (args) => …}), for browser halves that return {inject: [name], "
        "apply(client)} and call client.get(name).method(args). A taken name is refused."
    ),
}
_CLIENT_HALF = """\
- `client` is the body of an async function; it returns (client) => { … }, or {inject: [services], apply(client)}
- host.call(method, args): a handler of the host half, from harness.handle(method, function); lossless JSON
- host.watch(method, each, args): the same again and again, for a handler that waits for news (harness.feed)
- not available: network, storage, other frames, dialogs, imports"""


def inspect_report(service: DynamicPackages, caller: Caller, arguments: Mapping[str, Any]) -> str:
    """The report. Raises `Refusal` (`invalid-arguments`)."""
    check_keys(arguments, ("what", "name"))
    what, name = optional_text(arguments, "what"), optional_text(arguments, "name")
    if what is not None and what not in SECTIONS:
        raise refused(f"argument 'what' is {what!r:.60}; there are: {', '.join(SECTIONS)}")
    if name is not None and what not in ("api", "events", "client"):
        raise refused("argument 'name' goes with 'what' api, events or client")
    if what == "temporary":
        check_session(caller, "cordis_inspect of your packages")
    shown = SECTIONS if what is None else (what,)
    bodies = {each: _BODIES[each](service, caller, name) for each in shown}
    return "\n\n".join(f"## {_HEADINGS[each]}\n{body}" for each, body in bodies.items())


def _services(service: DynamicPackages, _caller: Caller, _name: str | None) -> str:
    lines = []
    for view in sorted(service.runtime.services(), key=lambda view: view.name):
        state = "" if view.state == "active" else f" ({view.state})"
        purpose = _purpose(view.name, view.value)
        lines.append(f"- {view.name}: provided by {view.provider}{state}{'. ' + purpose if purpose else ''}")
    return "\n".join(lines)


def _purpose(name: str, value: Any) -> str:
    if name in _PURPOSES:
        return _PURPOSES[name]
    kind = type(value)
    text = "" if kind.__module__ == "builtins" else inspect.getdoc(kind) or ""
    return text.partition("\n")[0]


def _plugins(service: DynamicPackages, _caller: Caller, _name: str | None) -> str:
    fibers = sorted(service.runtime.fibers(), key=lambda fiber: fiber.name)
    return "\n".join(f"- {fiber.name}: {fiber.status_text}" for fiber in fibers)


def _tools(service: DynamicPackages, caller: Caller, _name: str | None) -> str:
    scope = None
    agents = service.optional("agents")
    if agents is not None:
        scope = agents.service.get(caller.session)
    tools = service.tools.visible(scope)
    lines = [f"- {name}: {tool.schema.description.partition(chr(10))[0]}" for name, tool in sorted(tools.items())]
    return "\n".join(lines) or "(none)"


def _own(service: DynamicPackages, caller: Caller) -> list[Package]:
    """The packages of the caller's session. Those of others read as not existing."""
    return [package for package in service.packages() if package.owner == caller.session and caller.session]


def _temporary(service: DynamicPackages, caller: Caller, _name: str | None) -> str:
    own = _own(service, caller)
    if not own:
        return "You have defined no package. Definitions live in this process's memory only."
    return "\n".join(_entry(package) for package in own)


def _entry(package: Package) -> str:
    run, newest = package.run, package.newest
    shown = newest if run is None else run.revision
    revisions = ", ".join(
        f"r{each.number} {package.state if run is not None and each is run.revision else 'defined'}"
        for each in package.revisions
    )
    halves = " + ".join(
        name for name, half in (("host half", shown.half), ("browser half", shown.client)) if half is not None
    )
    lines = [
        f"- {package.id} {shown.name}: {package.state}",
        f"  revisions: {revisions}",
        f"  run: {'none' if run is None else run.id}",
        f"  halves: {halves}",
        f"  purpose: {shown.purpose}",
        f"  provides: {_listed([] if run is None else run.provides)}",
        f"  waiting for: {_listed([] if run is None else run.missing)}",
        f"  host methods: {_listed([] if run is None else sorted(run.handlers))}",
        f"  listeners on waterfalls: {_listed([] if run is None else waterfall_listeners(package))}",
        f"  last error: {'none' if package.last_error is None else package.last_error.message}",
    ]
    if run is not None and run.delivery is not None:
        pages = [
            f"{each.page} {each.state}{' ' + each.message if each.message else ''}"
            for each in run.delivery.outcomes()
        ]
        lines.append(f"  pages: {_listed(pages)}")
        crash = run.delivery.render_failure
        if crash is not None:
            lines.append(f"  render failure on {crash.page} in seat {crash.slot}: {crash.message}")
    lines.append(f"  prints: {0 if package.prints is None else package.prints.count}")
    return "\n".join(lines)


def _listed(names: Any) -> str:
    return ", ".join(names) or "none"


def waterfall_listeners(package: Package) -> list[str]:
    """The waterfall events that the live run listens to."""
    run = package.run
    if run is None or run.fiber is None:
        return []
    events = run.service.runtime.events
    return [
        name
        for name, listeners in events.all_listeners().items()
        if name in run.service.waterfalls() and any(each.ledger.fiber is run.fiber for each in listeners)
    ]


def _api(service: DynamicPackages, _caller: Caller, name: str | None) -> str:
    live = {
        view.name: view.value
        for view in service.runtime.services()
        if view.state == "active" and view.name != "dynamic"  # packages do not reach it
    }
    if name is not None:
        if name not in live:
            raise refused(f"argument 'name': service {name!r} is not running; live are: {', '.join(sorted(live))}")
        return "\n".join([f"### {name}", *_methods(name, live[name], in_full=True)])
    parts = [
        f"### ctx\n- {', '.join([*MEMBERS, *TIMER_MEMBERS])}: of every package; timers after declaring `timer`"
    ]
    reachable = []
    for each in sorted(live):
        methods = _methods(each, live[each], in_full=False)
        if methods:
            parts.append("\n".join([f"### {each}", *methods]))
        else:
            reachable.append(each)
    if reachable:
        parts.append(f"Reachable, without a description: {', '.join(reachable)}")
    absent = sorted(set(_PURPOSES) - live.keys() - {"dynamic"})
    if absent:
        parts.append(f"Not running: {', '.join(absent)}")
    return "\n".join(parts)


def _methods(name: str, value: Any, *, in_full: bool) -> list[str]:
    if name in _PACKAGE_API:
        return [f"- {line}" for line in _PACKAGE_API[name]]
    lines = []
    for each, member in inspect.getmembers_static(type(value)):
        if each.startswith("_") or not callable(getattr(type(value), each, None)):
            continue
        try:
            signature = str(inspect.signature(getattr(type(value), each)))
        except (TypeError, ValueError):
            signature = "(…)"
        doc = inspect.getdoc(member) or ""
        told = doc if in_full else doc.partition("\n")[0]
        lines.append(f"- {each}{signature}{': ' + told if told else ''}")
    return lines


def _events(service: DynamicPackages, _caller: Caller, name: str | None) -> str:
    declared = {
        each: event
        for each, event in service.runtime.events.declared.items()
        if not each.startswith(("internal/", "cordis/"))
    }
    if name is not None and name not in declared:
        raise refused(f"argument 'name': there is no event {name!r}; there are: {', '.join(sorted(declared))}")
    lines = []
    for each in sorted(declared) if name is None else [name]:
        event = declared[each]
        payload = [kind.__name__ for kind in event.payload]
        last = ["next"] if event.mode == "waterfall" else []
        lines.append(f"- {each}: {event.mode}, listener({', '.join([*payload, *last])})")
    return "\n".join([*lines, "", _NEXT_RULE])


def _client(service: DynamicPackages, caller: Caller, name: str | None) -> str:
    if name is not None and name not in _SEATS:
        raise refused(f"argument 'name': there is no seat {name!r}; there are: {', '.join(_SEATS)}")
    lines = [f"- {seat}: {text}" for seat, text in _SEATS.items() if name is None or name == seat]
    held = [
        f"- {run.package.id} ({run.id}): loaded on {len(run.delivery.held_by)} of {len(service.pages.all())} pages"
        for package in _own(service, caller)
        if (run := package.run) is not None and run.delivery is not None
    ]
    return "\n".join([*([_CLIENT_HALF] if name is None else []), *lines, *held])


_BODIES = {
    "services": _services,
    "plugins": _plugins,
    "tools": _tools,
    "temporary": _temporary,
    "api": _api,
    "events": _events,
    "client": _client,
}
