"""What a person is shown of one assembly, as frozen data.

`preview()` makes these; the command line and the workbench only read them.
Source: docs/prompt-assembly.md 6 (assembly), 9 (waterfall), 10 (rendering).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from workbench.prompt.assembly import PromptAssembly
    from workbench.prompt.source import Position, TextSource
    from workbench.prompt.trace import AssemblyTrace

OwnerKind = Literal["harness", "deployment", "plugin", "package", "team"]
PartKind = Literal["section", "context", "separator", "header"]
EntryState = Literal["effective", "shadowed", "displaced", "suppressed", "removed"]


@dataclass(frozen=True, slots=True)
class Owner:
    """The plugin, and the load of it, that a registration belongs to."""

    plugin: str
    fiber: int
    """uid of the fiber; 0 is the root."""
    kind: OwnerKind = "plugin"

    def __str__(self) -> str:
        return self.plugin


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text with one origin. Offsets are code points, `end` is exclusive."""

    start: int
    end: int
    part: PartKind
    name: str
    """Name of the section or context; empty for separators and the snapshot's header."""
    variable: str | None
    """Set when this piece is the value of a variable."""
    owner: Owner
    """Of the entry, of the variable's provider, or of the listener that wrote the piece."""
    layer: str
    """`global`, or the label of a scope."""
    listener: bool
    """The piece was written by a listener of the waterfall; then `owner` is the listener's."""
    source: Position | None
    """Place of the first character, where the text came from a file or from code."""

    def shifted(self, by: int) -> Span:
        """The same piece in a longer text, `by` code points further on."""
        return Span(
            self.start + by,
            self.end + by,
            self.part,
            self.name,
            self.variable,
            self.owner,
            self.layer,
            self.listener,
            self.source,
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a prompt cannot be sent, at the place where a person can mend it."""

    stage: Literal["assemble", "render"]
    code: str
    """`unknown`, `no value`, `malformed`, `raised`, `complete`, `tool_order`, `reserved`, `result`, …"""
    message: str
    part: str
    """`section`, `context`, `variable`, `tools`, `listener`, or empty when no one part is at fault."""
    name: str
    owner: Owner | None
    group: str = ""
    """The group as written, such as `{{modle}}`."""
    offset: int | None = None
    """Where the group begins in the raw text of the entry, in code points."""
    length: int = 0
    line: int | None = None
    """Line in the raw text of the entry, from 1."""
    column: int | None = None
    position: Position | None = None
    """The same place in the file, where the text came from one."""
    suggestion: str = ""
    """The nearest known variable, or empty."""
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntryView:
    """A section or a context as one assembly saw it."""

    kind: Literal["section", "context"]
    name: str
    order: float | None
    """None: a listener added it; its own number, if any, is in `remark`."""
    order_key: str | None
    """Key of the named allocation when `order` is that position, such as `TOOL_BASH`."""
    owner: Owner
    layer: str
    state: EntryState
    added_by: Owner | None
    changed_by: tuple[Owner, ...]
    """Listeners that changed its text, in call order."""
    remark: str
    text: str
    """Raw text after the waterfall, before interpolation. Empty for entries that were not evaluated."""
    registered_text: str | None
    """As the registration gave it, when a listener changed it."""
    rendered: str | None
    """After interpolation; None when that failed or the entry is not in force."""
    spans: tuple[Span, ...]
    """Of `rendered`, with offsets inside it."""
    start: int | None
    """Offset of `rendered` in the whole text; None when it is not part of it."""
    complete: bool
    literal: bool
    references: tuple[str, ...]
    """Names of the variables that its text refers to, each once, in order."""
    source: TextSource | None
    """The file that the text came from, else the code that registered it."""
    failure: Failure | None


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool schema as one assembly saw it."""

    name: str
    description: str
    parameters_json: str
    """The parameters as indented JSON."""
    owner: Owner
    layer: str
    state: Literal["effective", "removed"]
    added_by: Owner | None
    changed_by: tuple[Owner, ...]
    source: TextSource | None


@dataclass(frozen=True, slots=True)
class VariableView:
    """A variable as one assembly saw it."""

    name: str
    value: str | None
    """None: registered, but without a value here."""
    owner: Owner
    layer: str
    state: Literal["effective", "shadowed"]
    set_by: Owner | None
    """The listener that set or replaced the value."""
    used_in: tuple[str, ...]
    """Names of the effective sections and contexts that refer to it."""
    source: TextSource | None


@dataclass(frozen=True, slots=True)
class Preview:
    """One assembly, its rendering, and where each piece came from."""

    trace: AssemblyTrace
    assembly: PromptAssembly | None
    """None when the assembly itself failed."""
    system: str | None
    """The system text; None when it could not be rendered."""
    spans: tuple[Span, ...]
    """Of `system`: in order and without gaps."""
    context: str | None
    """The runtime-context snapshot; None when it could not be rendered."""
    context_spans: tuple[Span, ...]
    sections: tuple[EntryView, ...]
    """Sections in force in order (those with empty text too), then displaced, removed and shadowed ones."""
    contexts: tuple[EntryView, ...]
    tools: tuple[ToolView, ...]
    variables: tuple[VariableView, ...]
    failures: tuple[Failure, ...]
    """Everything that is wrong. The first one is what `assemble` or the rendering raises."""
