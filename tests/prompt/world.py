"""Random programs run in a real runtime, beside a plain model that says what each assembly must give.

Source: docs/prompt-assembly.md 4, 6, 9, 10 and 11.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.prompt.edits import edit
from tests.prompt.model import Entry, Model, Outcome
from tests.prompt.naive import Fault
from tests.prompt.steps import AddListener, AddSuppressor, AddText, AddVariable, Assemble, Dispose, Move, Say, Step
from tests.support.plugins import Key
from workbench.core import Context, Runtime, Scope, create_scope
from workbench.prompt import (
    AssembleContext,
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


class World:
    """One runtime in which a program runs beside its model."""

    def __init__(self, rt: Runtime) -> None:
        self.root: Context = rt.root
        self.rt = rt
        self.model = Model()
        # The built-in persona: an empty section at order 0 that nobody here can dispose.
        self.model.entries.append(Entry(AddText("section", None, "deployment:persona", 0, "")))
        self.keys = {name: Key(name) for name in ("child", "parent", "other")}
        self.scopes: dict[str, Scope] = {
            "parent": create_scope(self.root, self.keys["parent"]),
            "other": create_scope(self.root, self.keys["other"]),
            "child": create_scope(self.root, self.keys["child"], parent=self.keys["parent"]),
        }
        self.files: dict[str, str] = {}
        """Contents of the files that registered texts are said to come from."""

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
        live = [entry for entry in (*self.model.entries, *self.model.listeners) if entry.disposer is not None]
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
        for step in program:
            asked = world.perform(step)
            if asked is not None:
                assert await world.outcome(asked) == world.model.outcome(asked.scope)
