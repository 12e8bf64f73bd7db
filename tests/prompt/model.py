"""A plain model of a prompt registry: it keeps lists, and computes everything anew.

Source: docs/prompt-assembly.md 4, 6, 10 and 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.prompt.edits import PlainAssembly, PlainText, edit
from tests.prompt.naive import Fault, joined, naive
from tests.prompt.steps import AddSuppressor, AddText, AddVariable
from workbench.core import Disposer
from workbench.prompt import RUNTIME_CONTEXT_PREAMBLE, TextSource


@dataclass(eq=False)
class Entry:
    """One registration as the model knows it."""

    step: Any
    text: str | None = ""
    """What it gives now."""
    disposer: Disposer | None = None
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
