"""Registries made by hand, so that the screen is tested without a runtime."""

from __future__ import annotations

from dataclasses import replace

from tests.support import previews as p
from workbench.config.registry.facts import (
    GLOBAL,
    LayerFact,
    LedgerEntry,
    Left,
    Need,
    Outcome,
    PluginFact,
    Registration,
    Registry,
    RegistryKey,
)
from workbench.prompt.source import TextSource
from workbench.prompt.trace import ListenerSpan
from workbench.prompt.views import Owner, Preview

AT = 1_700_000_000.0
"""22:13:20 in UTC."""
ROOT = Owner("root", 0)
HYGIENE = Owner("hygiene", 11)
NOTES = Owner("notes", 12)
QUESTIONS = Owner("questions", 13)
REVIEWER = Owner("reviewer", 14, "deployment")
LSP = Owner("lsp", 15)
ASSEMBLE = "system-prompt/assemble"
REVIEW_TEXT = (
    "You review changes; you do not make them.\n"
    "Name the file and line of each finding, and say what would convince you."
)


def text(each: p.EntryView, layer: str = GLOBAL, **fields: object) -> Registration:
    """A section or context of a preview as a registration."""
    made = Registration(
        RegistryKey(each.kind, each.name, layer),
        each.owner,
        order=each.order,
        order_key=each.order_key or "",
        text=each.text,
        source=each.source,
        since=AT,
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def listener(name: str, owner: Owner, position: int, event: str = ASSEMBLE, layer: str = GLOBAL) -> Registration:
    """A listener."""
    key = RegistryKey("listener", name, layer, event)
    return Registration(key, owner, position=position, mode="waterfall", since=AT)


def service(name: str, owner: Owner, *dependents: str) -> Registration:
    """A service."""
    key = RegistryKey("service", name, GLOBAL)
    return Registration(key, owner, detail=name.title(), dependents=dependents, since=AT)


def plugin(owner: Owner, parent: int | None = 0, **fields: object) -> PluginFact:
    """A plugin that runs."""
    made = PluginFact(owner.fiber, owner.plugin, owner, parent, GLOBAL, "active", since=AT)
    return replace(made, **fields)  # type: ignore[arg-type]


def _registrations() -> tuple[Registration, ...]:
    persona = p.SECTIONS[1]
    own = text(
        persona,
        "reviewer",
        text=REVIEW_TEXT,
        owner=REVIEWER,
        shadows=(GLOBAL,),
        source=TextSource("agents/reviewer.md", 1, 1),
    )
    return (
        *(
            text(each, shadowed_in=("reviewer",)) if each.name == persona.name else text(each)
            for each in p.SECTIONS
        ),
        *map(text, p.CONTEXTS),
        listener("trim_paths", HYGIENE, 1),
        listener("cap_foreground", p.LIMITS, 2),
        listener("house_style", NOTES, 3),
        *(
            Registration(
                RegistryKey("tool", tool.name, GLOBAL),
                tool.owner,
                text=tool.description,
                detail=tool.parameters_json,
                denied_in=("reviewer",) if tool.name in ("bash", "edit") else (),
                since=AT,
            )
            for tool in p.TOOLS
        ),
        *(
            Registration(RegistryKey("variable", each.name, GLOBAL), each.owner, is_computed=True, since=AT)
            for each in p.VARIABLES
        ),
        service("timer", ROOT),
        service("system_prompt", p.HARNESS, "bash", "files", "web", "limits", "hygiene", "notes"),
        service("tools", p.LOOP, "bash", "files"),
        Registration(
            RegistryKey("tool", "ask_user", "main"), QUESTIONS, text="Ask the person.", detail="{}", since=AT
        ),
        own,
        Registration(
            RegistryKey("restriction", "deny bash, edit", "reviewer"), REVIEWER, text="deny bash, edit", since=AT
        ),
        Registration(
            RegistryKey("tool", "report_findings", "reviewer"), REVIEWER, text="Report.", detail="{}", since=AT
        ),
    )


PLUGINS = (
    plugin(ROOT, None, provides=("timer",)),
    plugin(p.HARNESS, provides=("system_prompt",)),
    plugin(p.DEPLOYMENT),
    plugin(p.BASH, needs=(Need("system_prompt", True, "system_prompt", 1), Need("tools", True, "agents", 8))),
    plugin(p.FILES, needs=(Need("system_prompt", True, "system_prompt", 1), Need("cache", False))),
    plugin(p.WEB),
    plugin(p.LIMITS),
    plugin(p.PACKAGE),
    plugin(p.LOOP, provides=("tools",)),
    plugin(HYGIENE),
    plugin(NOTES),
    plugin(QUESTIONS, layer="main"),
    plugin(REVIEWER, 2, layer="reviewer"),
    plugin(LSP, state="waiting", reason="waits for server", needs=(Need("server", True),)),
)
CODING_AGENT = Registry(
    (
        LayerFact(GLOBAL, (GLOBAL,)),
        LayerFact("main", ("main", GLOBAL), "agent"),
        LayerFact("reviewer", ("reviewer", "main", GLOBAL), "agent"),
    ),
    _registrations(),
    PLUGINS,
)
"""34 registrations, as in the pictures."""
LEDGER = (
    LedgerEntry("section tool:bash"),
    LedgerEntry("tool bash"),
    LedgerEntry("plugin jobs", (LedgerEntry("on tools/change"), LedgerEntry("timeout 5 s"))),
)
LEFT = Outcome("stop", "bash", (Left("listener", "late on tools/change"), Left("running call", "poll")), at=AT)
CLEAN = Outcome("stop", "bash", (), at=AT)


def with_trace(preview: Preview) -> Preview:
    """The same preview with three listeners, of which the second one did not pass on."""

    def span(name: str, owner: Owner, outcome: str) -> ListenerSpan:
        return ListenerSpan(owner, "", name, 0, 0, 1, outcome, ())  # type: ignore[arg-type]

    listeners = (span("trim_paths", HYGIENE, "passed"), span("cap_foreground", p.LIMITS, "short-circuited"))
    return replace(preview, trace=replace(preview.trace, listeners=listeners))


TROUBLED = replace(
    CODING_AGENT,
    plugins=(
        *PLUGINS,
        plugin(Owner("hen", 20), state="waiting", reason="cycle: hen → egg → hen", cycle=("hen", "egg")),
        plugin(Owner("egg", 21), state="waiting", reason="cycle: egg → hen → egg", cycle=("egg", "hen")),
        plugin(Owner("boom", 22), state="failed", reason="ValueError: no way\nof doing it"),
        plugin(Owner("slow", 23), state="loading", reason="waits for plugin call of slow", seconds=12.0),
        plugin(Owner("gone", 24), state="stopped", outcome=replace(CLEAN, plugin="gone")),
        plugin(Owner("leaky", 25), state="stopped", outcome=replace(LEFT, plugin="leaky")),
    ),
    cycles=(("hen", "egg"),),
)


def hostile() -> Registry:
    """Outside text that wants out, in every field that has any."""
    bad = p.HOSTILE_NAME
    owner = Owner(bad, 9)
    source = TextSource("\x1b[2J.yml", 1, 1)
    entries = tuple(
        Registration(
            RegistryKey(kind, bad, bad, bad),  # type: ignore[arg-type]
            owner,
            order=1,
            text=p.HOSTILE,
            detail='{"a\\u009b": "[/]\\u001b[2J"}' if kind == "tool" else bad,
            source=source,
            shadowed_in=(bad,),
            dependents=(bad,),
        )
        for kind in ("section", "context", "listener", "tool", "restriction", "guard", "variable", "service")
    )
    wide = Registration(
        RegistryKey("section", "日本語:節👩‍👩‍👧", GLOBAL), Owner("漢字", 10, "team"), order=2, text="日本語。" * 400
    )
    long = Registration(RegistryKey("section", "long", GLOBAL), p.FILES, order=3, text="x" * 10_000)
    need = Need(bad, True)
    return Registry(
        (LayerFact(GLOBAL, (GLOBAL,)), LayerFact(bad, (bad, GLOBAL), bad)),
        (wide, long, *entries),
        (
            plugin(ROOT, None),
            plugin(
                owner, state="failed", reason=p.HOSTILE, needs=(need,), provides=(bad,), cycle=(bad,), source=source
            ),
            plugin(Owner(bad, 10), state="stopped", outcome=Outcome("stop", bad, (Left(bad, bad),), bad, AT)),
        ),
        ((bad,),),
    )


def big(count: int = 3000) -> Registry:
    """Many sections."""
    sections = tuple(
        Registration(
            RegistryKey("section", f"part:{index:04}", GLOBAL), p.FILES, order=index, text=f"Part {index}."
        )
        for index in range(count)
    )
    return Registry(registrations=sections, plugins=(plugin(ROOT, None), plugin(p.FILES)))
