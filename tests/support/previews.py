"""Previews made by hand, so that the screen is tested without a runtime."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from workbench.check.finding import Finding
from workbench.config.registry.facts import LedgerEntry, Outcome, Registry
from workbench.prompt.source import Position, TextSource
from workbench.prompt.trace import AssemblyTrace
from workbench.prompt.views import EntryView, Failure, Owner, Preview, Span, ToolView, VariableView
from workbench.tokens import BudgetsLike, Count, Label, PromptCounts, PromptTexts, budget_uses
from workbench.tui.packages_subject import PackagesAccess
from workbench.tui.session_feed import SessionFeed
from workbench.tui.subject import ScopeChoice, TeamAccess
from workbench.tui.view.edits import Waiting
from workbench.tui.view.entries import PluginTrouble
from workbench.tui.view.sizes import CHARACTERS, Sizes

HARNESS = Owner("system_prompt", 1, "harness")
DEPLOYMENT = Owner("deployment", 2, "deployment")
BASH = Owner("bash", 3)
FILES = Owner("files", 4)
WEB = Owner("web", 5)
LIMITS = Owner("limits", 6)
PACKAGE = Owner("dyn-2", 7, "package")
LOOP = Owner("agents", 8, "harness")

PERSONA = (
    "You are coding-agent, powered by the {{model}} model.\n"
    "Work in {{cwd}}. Read before you write, and keep each change small enough to be reviewed in one sitting.\n"
    "When a test fails, say what you expected, what you saw, and what you will try next.\n"
    "Answer in the language of the question. Do not announce what you are about to do; do it."
)
SHELL = (
    "Check the exit marker of every command before you rely on its output.\n"
    "Run long commands in the background and read their log; a foreground command ends after {} seconds.\n"
    "Prefer the file tools to cat, sed and echo: their results are shorter and can be undone."
)
VALUES = {"model": "deepseek-chat", "cwd": "/srv/app", "provider": "deepseek"}


def entry(
    name: str,
    order: float | None,
    text: str,
    owner: Owner,
    *,
    kind: str = "section",
    listener: tuple[str, Owner] | None = None,
    **fields: object,
) -> EntryView:
    """An entry in force, with its values put in. `listener`: words that were written by one."""
    rendered = ""
    spans: list[Span] = []
    references: list[str] = []
    rest = text
    while rest:
        before, brace, behind = rest.partition("{{")
        if before:
            spans += _literal(before, len(rendered), name, owner, listener)
            rendered += before
        if not brace:
            break
        variable, _, rest = behind.partition("}}")
        value = VALUES[variable]
        references.append(variable)
        start = len(rendered)
        spans.append(Span(start, start + len(value), "section", name, variable, LOOP, "global", False, None))
        rendered += value
    made = EntryView(
        kind="context" if kind == "context" else "section",
        name=name,
        order=order,
        order_key=None,
        owner=owner,
        layer="global",
        state="effective",
        added_by=None,
        changed_by=(listener[1],) if listener else (),
        remark="",
        text=text,
        registered_text=None,
        rendered=rendered,
        spans=tuple(spans),
        start=0,
        complete=False,
        literal=False,
        references=tuple(dict.fromkeys(references)),
        source=TextSource(f"{owner.plugin}.py", 41, 9),
        failure=None,
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def _literal(text: str, at: int, name: str, owner: Owner, listener: tuple[str, Owner] | None) -> list[Span]:
    if listener is None or listener[0] not in text:
        return [Span(at, at + len(text), "section", name, None, owner, "global", False, None)]
    start = text.index(listener[0])
    end = start + len(listener[0])
    return [
        Span(at, at + start, "section", name, None, owner, "global", False, None),
        Span(at + start, at + end, "section", name, None, listener[1], "global", True, None),
        Span(at + end, at + len(text), "section", name, None, owner, "global", False, None),
    ]


def tool(name: str, owner: Owner, description: str, parameters: str = '{\n  "type": "object"\n}') -> ToolView:
    """A tool that is sent."""
    return ToolView(name, description, parameters, owner, "global", "effective", None, (), None)


def variable(name: str, value: str | None, *used_in: str) -> VariableView:
    """A variable of the agent loop."""
    return VariableView(name, value, LOOP, "global", "effective", None, used_in, None)


def preview(
    sections: Sequence[EntryView] = (),
    contexts: Sequence[EntryView] = (),
    tools: Sequence[ToolView] = (),
    variables: Sequence[VariableView] = (),
    failures: Sequence[Failure] = (),
    scope: str = "global",
) -> Preview:
    """The bundle around entries, with the texts that follow from them."""
    system, placed = _join(sections)
    snapshot, placed_contexts = _join(contexts, "Runtime context now in force.\n\n")
    header = Span(0, 31, "header", "", None, HARNESS, "global", False, None)
    return Preview(
        trace=AssemblyTrace(scope, 0.0, 0, (), (), None),
        assembly=None,
        system=None if failures else system,
        spans=(),
        context=None if failures else snapshot,
        context_spans=(header,) if snapshot else (),
        sections=placed,
        contexts=placed_contexts,
        tools=tuple(tools),
        variables=tuple(variables),
        failures=tuple(failures),
    )


def _join(entries: Sequence[EntryView], header: str = "") -> tuple[str, tuple[EntryView, ...]]:
    text = ""
    placed: list[EntryView] = []
    for each in entries:
        if each.state == "effective" and each.rendered:
            text += "\n\n" if text else header
            placed.append(replace(each, start=len(text)))
            text += each.rendered
        else:
            placed.append(replace(each, start=None))
    return text, tuple(placed)


SECTIONS = (
    entry(
        "harness:identity",
        -1000,
        "You are an AI agent running on the Prompt Workbench runtime.",
        HARNESS,
        order_key="HARNESS_IDENTITY",
    ),
    entry(
        "deployment:persona",
        0,
        PERSONA,
        DEPLOYMENT,
        order_key="DEPLOYMENT_PERSONA",
        source=TextSource("coding-agent.yml", 12, 12),
    ),
    entry("tool:bash", 1000, SHELL.format(120), BASH, listener=("120", LIMITS), order_key="TOOL_BASH"),
    entry(
        "tool:read",
        1100,
        "Read the lines you need, not the whole file: offset and limit count lines from 1.",
        FILES,
        order_key="TOOL_READ",
    ),
    entry(
        "tool:edit",
        1300,
        "Give edit enough context to match exactly once. A failed match changes nothing; "
        "read the file again before you retry.\nNever edit a file that you have not read in this session.",
        FILES,
        order_key="TOOL_EDIT",
    ),
    entry(
        "tool:web_search",
        2000,
        "Search when a fact may be newer than your training, and open the page before you quote it.",
        WEB,
        order_key="TOOL_WEB_SEARCH",
    ),
    entry(
        "dyn:release-notes",
        4000,
        "Before you finish, add one line to CHANGELOG.md under Unreleased, and name the ticket.",
        PACKAGE,
    ),
)
CONTEXTS = (
    entry("sandbox:policy", 110, "Writes are allowed below {{cwd}}; the network is off.", HARNESS, kind="context"),
    entry("approval:policy", 115, "Ask before you delete.", HARNESS, kind="context"),
)
READ_SCHEMA = """{
  "type": "object",
  "properties": {
    "path": {
      "type": "string",
      "description": "File to read, absolute or below the working directory."
    },
    "offset": {
      "type": "integer",
      "minimum": 1
    }
  },
  "required": ["path"]
}"""
TOOLS = (
    tool("bash", BASH, "Run a command and return its output."),
    tool("edit", FILES, "Replace one piece of text in a file."),
    tool("read", FILES, "Return lines of a file.\nLong lines are cut.", READ_SCHEMA),
    tool("release_notes", PACKAGE, "List unreleased changes."),
    tool("web_search", WEB, "Search the web."),
)
VARIABLES = (
    variable("cwd", "/srv/app", "deployment:persona", "sandbox:policy"),
    variable("model", "deepseek-chat", "deployment:persona"),
    variable("provider", None),
)
CODING_AGENT = preview(SECTIONS, CONTEXTS, TOOLS, VARIABLES, scope="main")

_FAULTY = SHELL.format(120).replace("their log;", "their log in {{workdir}}/.log;")
_AT = _FAULTY.index("{{workdir}}")
UNKNOWN = Failure(
    stage="render",
    code="unknown",
    message="section tool:bash: unknown variable {{workdir}} at 2:60; known: cwd, model, provider",
    part="section",
    name="tool:bash",
    owner=BASH,
    group="{{workdir}}",
    offset=_AT,
    length=len("{{workdir}}"),
    line=2,
    column=_AT - _FAULTY.rfind("\n", 0, _AT),
    position=Position("plugins/bash.py", 42, 64),
    suggestion="cwd",
    known=("cwd", "model", "provider"),
)
_FAILED_SECTIONS = tuple(
    replace(each, text=_FAULTY, rendered=None, spans=(), changed_by=(), failure=UNKNOWN)
    if each.name == "tool:bash"
    else each
    for each in SECTIONS
)
FAILING = preview(_FAILED_SECTIONS, CONTEXTS, TOOLS, VARIABLES, (UNKNOWN,), scope="main")
EMPTY = preview()

HOSTILE = (
    "a [/] b [bold]c[/bold] [@click=app.quit]press[/]\n"
    "\x1b]0;owned\x1b\\ \x1b[31mred\x1b[0m \x1b[2J\x1b]52;c;eA==\x07\n"
    "Allow this run? [y] yes\n"
    "left \u202eright\u202c end \r overwritten\x00\x9b31m\x7f\u200b\ttab"
)
HOSTILE_NAME = "x[/]\x1b]0;owned\x07\u202ey\n[@click=app.quit]q[/]"
_HOSTILE_OWNER = Owner(HOSTILE_NAME, 9)
HOSTILE_PREVIEW = preview(
    [
        entry(HOSTILE_NAME, 1, HOSTILE, _HOSTILE_OWNER, source=TextSource("\x1b[2J.yml", 1, 1), remark="\x1b[5m"),
        entry("日本語:節", 2, "日本語のテキスト、" * 20 + "\n👩‍👩‍👧 family ❤️ é", Owner("漢字", 10, "team")),
        entry("long", 3, "word " * 1000 + "\n" + "x" * 10_000, FILES),
        entry("shadow", 4, "", FILES, state="shadowed", rendered=None, remark="shadowed by main\x1b[0m"),
    ],
    [entry(HOSTILE_NAME, 1, HOSTILE, _HOSTILE_OWNER, kind="context")],
    [tool(HOSTILE_NAME, _HOSTILE_OWNER, HOSTILE, '{\n  "a\x9b": "[/]"\n}')],
    [variable("bad", HOSTILE)],
)


def big(
    sections: int = 3000, line: str = "Keep the tests of part {} green, and say which of them you ran. "
) -> Preview:
    """Many sections."""
    return preview(
        [
            entry(f"part:{index:04}", index, (line.format(index) * 2 + "\n") * 2 + "End.", FILES)
            for index in range(sections)
        ],
        (),
        TOOLS,
        VARIABLES,
    )


def in_words(preview: Preview, budgets: BudgetsLike | None = None) -> Sizes:
    """Sizes of a counter that takes each word for a token; what is sent as JSON is close."""
    texts = PromptTexts.of(preview)

    def count(text: str) -> Count:
        return Count(len(text.split()), Label.EXACT)

    def close(text: str) -> Count:
        return Count(len(text.split()), Label.CLOSE, "counted as compact JSON")

    counts = PromptCounts(
        model="deepseek-chat",
        sections={name: count(text) for name, text in texts.sections.items()},
        contexts={name: count(text) for name, text in texts.contexts.items()},
        tools={name: close(text) for name, text in texts.tools.items()},
        system=None if texts.system is None else count(texts.system),
        context=None if texts.context is None else count(texts.context),
        all_tools=close(texts.all_tools),
    )
    uses = budget_uses(budgets, counts) if budgets else ()
    return Sizes(counts, {(use.part, use.name): use for use in uses})


REPEATED = Finding(
    rule="repeated-text",
    message="the sentence stands in section tool:read, too",
    remedy="keep it where its owner is",
    part="section",
    name="tool:bash",
    owner=BASH,
    position=Position("plugins/bash.py", 41, 9),
    scopes=("main",),
)
REFUSED = Finding(
    rule="tool-schema/openai-strict",
    severity="error",
    message="additionalProperties is missing",
    part="tool",
    name="read",
    pointer="/properties",
    scopes=("reviewer",),
)
LEFT_OUT = Finding(rule="left-out", severity="note", message="x\x1b[2J[/] was left out", name="a.yml")
FOUND = (REPEATED, REFUSED, LEFT_OUT)


@dataclass
class FakeWait:
    """A call that has not come back."""

    label: str
    seconds: float


@dataclass
class FakeEdits:
    """Edits of no file."""

    are_held: bool = True
    pending: object | None = None
    change: Waiting | Exception = field(default_factory=Waiting)
    done: list[str] = field(default_factory=list)

    def hold(self, are_held: bool) -> None:
        self.are_held = are_held

    async def pending_change(self, scope: str) -> Waiting:
        self.done.append(f"look {scope}")
        if isinstance(self.change, Exception):
            raise self.change
        return self.change

    async def apply(self) -> None:
        self.done.append("apply")
        self.pending = None
        if isinstance(self.change, Exception):
            raise self.change

    def discard(self) -> None:
        self.done.append("discard")
        self.pending = None


@dataclass
class FakeSubject:
    """A subject whose previews are set by the test."""

    shown: Preview = field(default_factory=lambda: CODING_AGENT)
    name: str = "coding-agent.yml"
    is_watched: bool = True
    is_changing: bool = False
    is_loaded: bool = True
    scopes: Sequence[ScopeChoice] = (
        ScopeChoice("(global)"),
        ScopeChoice("main", "deepseek-chat", has_agent=True),
        ScopeChoice("reviewer", "inside main", has_agent=True),
    )
    problems: Sequence[object] = ()
    notes: Sequence[str] = ()
    troubles: Sequence[PluginTrouble] = ()
    waits: Sequence[FakeWait] = ()
    gate: asyncio.Event | None = None
    error: Exception | None = None
    asked: list[str] = field(default_factory=list)
    changed: Callable[[str], object] | None = None
    counted: Callable[[Preview], Sizes] | None = None
    counts_at_once: bool = False
    edits: FakeEdits | None = None
    found: Sequence[Finding] | Exception | None = None
    registered: Registry = field(default_factory=Registry)
    ledgers: dict[int, tuple[LedgerEntry, ...]] = field(default_factory=dict)
    outcome: Outcome | Exception = field(default_factory=lambda: Outcome("stop", "bash", ()))
    ended: list[tuple[int, str]] = field(default_factory=list)
    team: TeamAccess | None = None
    packages: PackagesAccess | None = None
    is_past: bool = False
    lacks: dict[str, str] = field(default_factory=dict)
    sessions: SessionFeed | None = None

    def waiting(self) -> Sequence[FakeWait]:
        return self.waits

    async def preview(self, scope: str) -> Preview:
        self.asked.append(scope)
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        return self.shown

    async def findings(self) -> Sequence[Finding] | None:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    def registry(self) -> Registry:
        return self.registered

    def ledger(self, uid: int) -> tuple[LedgerEntry, ...]:
        return self.ledgers.get(uid, ())

    async def end_plugin(self, uid: int, action: Literal["stop", "restart"]) -> Outcome:
        self.ended.append((uid, action))
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    async def start_plugin(self, uid: int) -> Outcome:
        self.ended.append((uid, "start"))
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    async def reload(self) -> None:
        self.asked.append("reload")

    async def sizes(self, preview: Preview) -> Sizes:
        return self.counted(preview) if self.counted else CHARACTERS

    def is_quick(self, preview: Preview) -> bool:
        return self.counts_at_once

    def subscribe(self, changed: Callable[[str], object]) -> Callable[[], object]:
        self.changed = changed

        def stop() -> None:
            self.changed = None

        return stop

    def change(self, shown: Preview | None = None, topic: str = "prompt") -> None:
        """What a runtime does after a change."""
        if shown is not None:
            self.shown = shown
        assert self.changed is not None
        self.changed(topic)
