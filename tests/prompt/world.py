"""Random programs over a prompt registry, and a plain model of what each assembly must give.

The model keeps lists and recomputes everything; listeners run the same edits on real assemblies and on
plain lists, since an assembly's sections are said to be a list.

Source: docs/prompt-assembly.md 4, 6, 9, 10 and 11.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.prompt.naive import Fault, joined, naive
from tests.support.plugins import Key
from workbench.core import Context, Disposer, Runtime, Scope, create_scope
from workbench.prompt import (
    RUNTIME_CONTEXT_PREAMBLE,
    AssembleContext,
    NamedText,
    PromptAssembly,
    PromptConfig,
    PromptError,
    RegistrationError,
    RenderError,
    SystemPrompt,
    TextSource,
    render_context_snapshot,
    render_prompt,
)

# What programs are made of

NAMES = ("n0", "n1", "n2", "\U0001d518", "\ufb01")
VARIABLES = ("va", "vb", "vc")
LAYERS = (None, "child", "parent", "other")
ORDERS = (-5, 0, 0.0, -0.0, 0.5, 10, 10.0, 99)


@dataclass(frozen=True)
class AddText:
    kind: str
    layer: str | None
    name: str
    order: float
    text: str
    provider: bool = False
    literal: bool = False
    complete: bool = False


@dataclass(frozen=True)
class AddVariable:
    layer: str | None
    name: str
    value: str | None


@dataclass(frozen=True)
class AddSuppressor:
    layer: str | None


@dataclass(frozen=True)
class AddListener:
    layer: str | None
    edits: tuple[tuple[str, int, str], ...]
    """Each: name of the edit, an index, a text."""
    next_after: int
    """How many edits come before `next()`; the others come after it."""
    prepend: bool = False


@dataclass(frozen=True)
class Say:
    """A provider says something else from now on."""

    which: int
    text: str


@dataclass(frozen=True)
class Dispose:
    which: int


@dataclass(frozen=True)
class Move:
    """Bind `child` below another scope."""

    parent: str


@dataclass(frozen=True)
class Assemble:
    scope: str | None
    renders: int = 1


Step = AddText | AddVariable | AddSuppressor | AddListener | Say | Dispose | Move | Assemble

TEXT = st.lists(
    st.sampled_from(["{{va}}", "{{vb}}", "{{vc}}", "plain", "\n", " ", "{", "é", "日本", "👩‍👩‍👧"]), max_size=4
).map("".join)
ODD_TEXT = st.sampled_from(["{{ va }}", "{{va", "}}{{", "{{{va}}}", "{{unknown}}", "{{vb}}{{"])
ANY_TEXT = TEXT | TEXT | TEXT | ODD_TEXT
LAYER = st.sampled_from(LAYERS)
INDEX = st.integers(0, 6)
EDITS = (
    "set text",
    "set text by name",
    "append to each",
    "rename",
    "literal",
    "not literal",
    "insert",
    "append",
    "delete",
    "remove",
    "replace item",
    "pop",
    "reverse",
    "sort",
    "filter",
    "new list",
    "new assembly",
    "clear",
    "set variable",
    "no value",
    "drop variable",
    "order",
    "read",
    "extend",
    "slice",
)


def _rarely() -> st.SearchStrategy[bool]:
    return st.sampled_from([False] * 7 + [True])


ADD_TEXT = st.builds(
    AddText,
    kind=st.sampled_from(["section", "section", "context"]),
    layer=LAYER,
    name=st.sampled_from(NAMES),
    order=st.sampled_from(ORDERS),
    text=ANY_TEXT,
    provider=st.booleans(),
    literal=_rarely(),
    complete=st.sampled_from([False] * 20 + [True]),
)
ADD_VARIABLE = st.builds(
    AddVariable,
    layer=LAYER,
    name=st.sampled_from(VARIABLES),
    value=st.sampled_from(["", "A", "{{vb}}", "line\nline", "}}", None]),
)
ADD_LISTENER = st.builds(
    AddListener,
    layer=LAYER,
    edits=st.lists(st.tuples(st.sampled_from(EDITS), INDEX, TEXT), max_size=3).map(tuple),
    next_after=st.integers(0, 3),
    prepend=st.booleans(),
)
ASSEMBLE = st.builds(Assemble, scope=LAYER, renders=st.integers(1, 3))
STEP = st.one_of(
    ADD_TEXT,
    ADD_TEXT,
    ADD_VARIABLE,
    ADD_LISTENER,
    st.builds(AddSuppressor, layer=LAYER),
    st.builds(Say, which=st.integers(0, 20), text=ANY_TEXT),
    st.builds(Dispose, which=st.integers(0, 20)),
    st.builds(Dispose, which=st.integers(0, 20)),
    st.builds(Move, parent=st.sampled_from(["parent", "other"])),
    ASSEMBLE,
    ASSEMBLE,
    ASSEMBLE,
)
BASE = st.sampled_from(
    [
        (),
        tuple(AddVariable(None, name, "V") for name in VARIABLES),
        (
            *(AddVariable(None, name, "V") for name in VARIABLES),
            *(AddText("section", None, name, 10, "{{va}} and", provider=False) for name in NAMES[:4]),
            Assemble(None, 2),
            Assemble("child", 2),
        ),
    ]
)
PROGRAMS = st.tuples(BASE, st.lists(STEP, min_size=3, max_size=24).map(tuple), ASSEMBLE).map(
    lambda parts: (*parts[0], *parts[1], parts[2])
)


# Edits: the same code for assemblies and for the model's plain ones


@dataclass
class PlainText:
    name: str
    text: str
    literal: bool = False
    order: float | None = None


@dataclass
class PlainAssembly:
    sections: list[PlainText] = field(default_factory=list)
    contexts: list[PlainText] = field(default_factory=list)
    tools: list[Any] = field(default_factory=list)
    variables: dict[str, str | None] = field(default_factory=dict)


def edit(assembly: Any, what: str, index: int, text: str) -> Any:
    """One edit of a listener; gives the assembly to go on with."""
    item_class = NamedText if isinstance(assembly, PromptAssembly) else PlainText
    part = "contexts" if index % 3 == 2 else "sections"
    items = getattr(assembly, part)
    at = index % len(items) if len(items) else None
    if what == "append":
        items.append(item_class(f"added{index}", text, order=0))
    elif what == "insert":
        items.insert(index, item_class(f"inserted{index}", text))
    elif what == "extend":
        items += [item_class(f"one{index}", text), item_class(f"two{index}", text, literal=True)]
    elif what == "append to each":
        for item in items:
            item.text += text
    elif what == "set text by name":
        for item in items:
            if item.name == NAMES[index % len(NAMES)]:
                item.text = text
    elif what == "reverse":
        items.reverse()
    elif what == "sort":
        items.sort(key=lambda item: item.text)
    elif what == "filter":
        setattr(assembly, part, [item for item in items if item.name != NAMES[index % len(NAMES)]])
    elif what == "new list":
        setattr(assembly, part, [item_class(item.name, item.text + text, item.literal) for item in items])
    elif what == "new assembly":
        return type(assembly)(
            sections=[*assembly.sections, item_class("fresh", text)],
            contexts=[*assembly.contexts],
            tools=assembly.tools,
            variables=dict(assembly.variables),
        )
    elif what == "clear":
        items.clear()
    elif what == "set variable":
        assembly.variables[VARIABLES[index % 3]] = text
    elif what == "no value":
        assembly.variables[VARIABLES[index % 3]] = None
    elif what == "drop variable":
        assembly.variables.pop(VARIABLES[index % 3], None)
    elif what == "read":
        assert len([item.text for item in items]) == len(items)
    elif what == "slice":
        items[index : index + 2] = [item_class(f"sliced{index}", text)]
    elif at is not None:
        if what == "set text":
            items[at].text = text
        elif what == "rename":
            items[at].name = f"renamed{index}"
        elif what == "literal":
            items[at].literal = True
        elif what == "not literal":
            items[at - len(items)].literal = False
        elif what == "order":
            items[at].order = index
        elif what == "delete":
            del items[at]
        elif what == "remove":
            items.remove(items[at])
        elif what == "pop":
            items.pop(at)
        elif what == "replace item":
            items[at] = item_class(items[at].name, items[at].text + text, items[at].literal)
    return assembly


# The model


@dataclass(eq=False)
class Entry:
    """One registration as the model knows it."""

    step: Any
    text: str | None = ""
    """What it gives now."""
    disposer: Disposer | None = None
    live: bool = True
    source: TextSource | None = None


@dataclass(frozen=True)
class Outcome:
    """What an assembly and its rendering give: texts, or what they fail with."""

    sections: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    variables: tuple[tuple[str, str | None], ...] = ()
    system: str | Fault = ""
    snapshot: str | Fault = ""
    fault_in: str = ""
    several_complete: tuple[str, ...] = ()
    """Then the assembly fails."""


def code_units(name: str) -> list[int]:
    encoded = name.encode("utf-16-le", "surrogatepass")
    return [encoded[i] + 256 * encoded[i + 1] for i in range(0, len(encoded), 2)]


class Model:
    """Everything that is registered, as plain lists."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.listeners: list[Entry] = []
        """In call order."""
        self.parents: dict[str, str] = {"child": "parent"}

    def chain(self, scope: str | None) -> list[str | None]:
        """From the farthest to the nearest layer."""
        found: list[str | None] = []
        while scope is not None:
            found.insert(0, scope)
            scope = self.parents.get(scope)
        return [None, *found]

    def of(self, kind: type, layer: str | None) -> Iterator[Entry]:
        return (entry for entry in self.entries if type(entry.step) is kind and entry.step.layer == layer)

    def effective(self, kind: str, scope: str | None) -> list[Entry]:
        winners: dict[str, Entry] = {}
        for layer in self.chain(scope):
            for entry in self.of(AddText, layer):
                if entry.step.kind == kind:
                    winners[entry.step.name] = entry
        return sorted(winners.values(), key=lambda e: (e.step.order, code_units(e.step.name)))

    def outcome(self, scope: str | None) -> Outcome:
        chain = self.chain(scope)
        suppressed = any(True for layer in chain for _ in self.of(AddSuppressor, layer))
        variables = {entry.step.name: entry.text for layer in chain for entry in self.of(AddVariable, layer)}
        sections = self.effective("section", scope)
        complete = [entry for entry in sections if entry.step.complete]
        if len(complete) > 1:
            return Outcome(several_complete=tuple(entry.step.name for entry in complete))
        contexts = [] if suppressed else self.effective("context", scope)
        assembly = PlainAssembly(plain(sections), plain(contexts), [], variables)
        assembly = self.listen(chain, assembly)
        if complete:
            assembly.sections = plain(complete)
        if suppressed:
            assembly.contexts = []
        system, fault_in = render(assembly.sections, assembly.variables)
        parts, context_fault_in = render(assembly.contexts, assembly.variables)
        snapshot = parts
        if isinstance(parts, str) and parts:
            snapshot = f"{RUNTIME_CONTEXT_PREAMBLE}\n\n{parts}"
        return Outcome(
            sections=tuple(item.name for item in assembly.sections),
            contexts=tuple(item.name for item in assembly.contexts),
            variables=tuple(assembly.variables.items()),
            system=system,
            snapshot=snapshot,
            fault_in=fault_in or context_fault_in,
        )

    def listen(self, chain: list[str | None], built: PlainAssembly) -> PlainAssembly:
        rest = [entry.step for entry in self.listeners if entry.step.layer in chain]

        def run(depth: int) -> PlainAssembly:
            if depth == len(rest):
                return built
            step = rest[depth]
            current = built
            for what in step.edits[: step.next_after]:
                current = edit(current, *what)
            current = run(depth + 1)
            for what in step.edits[step.next_after :]:
                current = edit(current, *what)
            return current

        return run(0)


def plain(entries: list[Entry]) -> list[PlainText]:
    return [PlainText(e.step.name, e.text or "", e.step.literal, e.step.order) for e in entries]


def render(items: list[PlainText], variables: dict[str, str | None]) -> tuple[str | Fault, str]:
    """The joined text or the first fault, and the name of the entry that the fault is in."""
    texts = []
    for item in items:
        result = item.text if item.literal else naive(item.text, variables)
        if isinstance(result, Fault):
            return result, item.name
        texts.append(result)
    return joined(texts), ""


# The real thing


class World:
    """One runtime in which a program runs beside its model."""

    def __init__(self, rt: Runtime) -> None:
        self.root: Context = rt.root
        self.rt = rt
        self.model = Model()
        self.keys = {name: Key(name) for name in ("child", "parent", "other")}
        self.scopes: dict[str, Scope] = {
            "parent": create_scope(self.root, self.keys["parent"]),
            "other": create_scope(self.root, self.keys["other"]),
            "child": create_scope(self.root, self.keys["child"], parent=self.keys["parent"]),
        }
        self.files: dict[str, str] = {}
        """Contents of the files that registered texts are said to come from."""
        self.assemblies = 0

    def key(self, scope: str | None) -> Key | None:
        return None if scope is None else self.keys[scope]

    def ctx(self, layer: str | None) -> Context:
        return self.root if layer is None else self.scopes[layer].ctx

    def perform(self, step: Step) -> Assemble | None:
        """Carry out one step; an assembly is left to the caller."""
        if isinstance(step, Assemble):
            return step
        if isinstance(step, Say):
            saying = [entry for entry in self.model.entries if isinstance(entry.step, AddText | AddVariable)]
            entry = saying[step.which % len(saying)] if saying else None
            if entry is not None and (isinstance(entry.step, AddVariable) or entry.step.provider):
                entry.text = step.text
        elif isinstance(step, Dispose):
            self._dispose(step.which)
        elif isinstance(step, Move):
            self.scopes["child"].move(self.keys[step.parent])
            self.model.parents["child"] = step.parent
        else:
            self._add(step)
        return None

    def _dispose(self, which: int) -> None:
        live = [*self.model.entries, *self.model.listeners]
        if not live:
            return
        entry = live[which % len(live)]
        assert entry.disposer is not None
        entry.disposer()
        entry.disposer()
        for entries in (self.model.entries, self.model.listeners):
            if entry in entries:
                entries.remove(entry)

    def _add(self, step: AddText | AddVariable | AddSuppressor | AddListener) -> None:
        ctx = self.ctx(step.layer)
        entry = Entry(step)
        if isinstance(step, AddListener):
            entry.disposer = ctx.on("system-prompt/assemble", listener_of(step), prepend=step.prepend)
            self.model.listeners.insert(0 if step.prepend else len(self.model.listeners), entry)
            return
        if isinstance(step, AddSuppressor):
            entry.disposer = ctx.system_prompt.suppress_runtime_context()
        elif any(same_place(step, other.step) for other in self.model.entries if type(other.step) is type(step)):
            with pytest.raises(RegistrationError, match="already registered"):
                self._register(ctx, step, entry)
            return
        else:
            self._register(ctx, step, entry)
        self.model.entries.append(entry)

    def _register(self, ctx: Context, step: AddText | AddVariable, entry: Entry) -> None:
        if isinstance(step, AddVariable):
            entry.text = step.value
            entry.disposer = ctx.system_prompt.variable(step.name, lambda _context: entry.text)
            return
        entry.text = step.text
        text = (lambda _context: entry.text or "") if step.provider else step.text
        if not step.provider:
            entry.source = self._file_with(step.text)
        if step.kind == "context":
            entry.disposer = ctx.system_prompt.context(
                step.name, step.order, text, literal=step.literal, source=entry.source
            )
        else:
            entry.disposer = ctx.system_prompt.section(
                step.name, step.order, text, complete=step.complete, literal=step.literal, source=entry.source
            )

    def _file_with(self, text: str) -> TextSource:
        """A file in which the text stands as a block, indented by three columns."""
        name = f"file{len(self.files)}.yml"
        indented = text.replace("\n", "\n" + " " * 3)
        self.files[name] = f"first line\n  key: {indented}\nlast line\n"
        return TextSource(name, 2, 8, 3)

    def character_at(self, position: Any) -> str:
        line = self.files[position.file].split("\n")[position.line - 1] + "\n"
        return line[position.column - 1]

    async def assemble(self, scope: str | None) -> PromptAssembly:
        assembly: PromptAssembly = await self.root.system_prompt.assemble(AssembleContext(scope=self.key(scope)))
        return assembly

    async def outcome(self, step: Assemble) -> Outcome:
        """What the real service gives."""
        names_of_complete = self.model.outcome(step.scope).several_complete
        if names_of_complete:
            with pytest.raises(PromptError, match="complete") as caught:
                await self.assemble(step.scope)
            assert all(repr(name) in str(caught.value) for name in names_of_complete)
            return Outcome(several_complete=names_of_complete)
        assembly = await self.assemble(step.scope)
        faults_in: list[str] = []

        def rendered(function: Callable[[PromptAssembly], str]) -> str | Fault:
            try:
                return function(assembly)
            except RenderError as error:
                faults_in.append(error.name)
                return Fault(error.code, error.group, error.offset)

        names = tuple(assembly.sections.names()), tuple(assembly.contexts.names())
        systems = [rendered(render_prompt) for _ in range(step.renders)]
        snapshots = [rendered(render_context_snapshot) for _ in range(step.renders)]
        assert len(set(systems)) == 1
        assert len(set(snapshots)) == 1
        assert tuple(item.name for item in assembly.sections) == names[0]
        assert rendered(render_prompt) == systems[0], "asking for the items changes the text"
        assert rendered(render_context_snapshot) == snapshots[0]
        return Outcome(
            sections=names[0],
            contexts=names[1],
            variables=tuple(assembly.variables.items()),
            system=systems[0],
            snapshot=snapshots[0],
            fault_in=faults_in[0] if faults_in else "",
        )


def same_place(one: Any, other: Any) -> bool:
    return (getattr(one, "kind", ""), one.layer, one.name) == (
        getattr(other, "kind", ""),
        other.layer,
        other.name,
    )


def listener_of(step: AddListener) -> Callable[..., Awaitable[PromptAssembly]]:
    async def listener(
        assembly: PromptAssembly, _context: AssembleContext, next: Callable[[], Awaitable[PromptAssembly]]
    ) -> PromptAssembly:
        current = assembly
        for what in step.edits[: step.next_after]:
            current = edit(current, *what)
        current = await next()
        for what in step.edits[step.next_after :]:
            current = edit(current, *what)
        return current

    return listener


async def run(program: tuple[Step, ...]) -> None:
    """Run a program; every assembly must give what the model says."""
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        world = World(rt)
        # The built-in persona is an empty section at order 0.
        world.model.entries.append(
            Entry(AddText("section", None, "deployment:persona", 0, ""), disposer=lambda: None)  # type: ignore[arg-type, return-value]
        )
        persona = world.model.entries[0]
        for step in program:
            asked = world.perform(step)
            if persona not in world.model.entries:
                world.model.entries.insert(0, persona)  # nobody can dispose it
            if asked is not None:
                assert await world.outcome(asked) == world.model.outcome(asked.scope)
