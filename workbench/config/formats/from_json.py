"""A preview read back from the JSON that `as_json` writes.

It holds what can be shown and compared of one assembly, not the assembly itself: what listeners did and where
the time went stays behind. Keys that are not known are passed over, since keys are only ever added.
Source: docs/cli.md 4 and 8.1.
"""

from __future__ import annotations

import json
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.config.formats.as_json import FORMAT
from workbench.prompt.source import Position, TextSource
from workbench.prompt.trace import AssemblyTrace
from workbench.prompt.views import EntryState, EntryView, Failure, Owner, Preview, Span, ToolView, VariableView

MOST_PROBLEMS = 5
"""That are named of one file."""


class UnreadablePreview(ValueError):
    """The text is none that was written by the workbench; the message says why, each reason on its own line."""


class ReadPreview(NamedTuple):
    """One assembly, as it was written down."""

    file: str
    """The composition, as it was named."""
    scope: str
    saved: float | None
    """Seconds since the epoch, where the text says so."""
    preview: Preview


def read_preview(text: str | bytes) -> ReadPreview:
    """The preview in `text`; raises `UnreadablePreview`."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadablePreview(f"not readable as JSON: {error}") from None
    if not isinstance(raw, dict) or "format" not in raw or "sections" not in raw:
        raise UnreadablePreview("this is no saved prompt: `workbench render FILE --format json` writes one")
    if raw["format"] != FORMAT:
        raise UnreadablePreview(f"it has format {raw['format']!r}, and this workbench reads format {FORMAT}")
    try:
        document = _Document.model_validate(raw)
    except ValidationError as error:
        raise UnreadablePreview("\n".join(_reasons(error))) from None
    return ReadPreview(document.file, document.scope, document.saved, document.preview())


def _reasons(error: ValidationError) -> list[str]:
    problems = error.errors(include_url=False, include_input=False)
    reasons = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in problems[:MOST_PROBLEMS]]
    rest = len(problems) - len(reasons)
    return [*reasons, f"and {rest} more"] if rest else reasons


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class _Owner(_Read):
    plugin: str
    fiber: int
    kind: Literal["harness", "deployment", "plugin", "package", "team"] = "plugin"

    def owner(self) -> Owner:
        return Owner(self.plugin, self.fiber, self.kind)


class _Place(_Read):
    file: str
    line: int
    column: int

    def source(self) -> TextSource:
        """Only its first character has a place: how the text is indented is not written down."""
        return TextSource(self.file, self.line, self.column, None)

    def position(self) -> Position:
        return Position(self.file, self.line, self.column)


class _Span(_Read):
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    part: Literal["section", "context", "separator", "header"]
    name: str
    variable: str | None
    owner: _Owner
    layer: str
    listener: bool
    source: _Place | None

    def span(self) -> Span:
        return Span(
            self.start,
            self.end,
            self.part,
            self.name,
            self.variable,
            self.owner.owner(),
            self.layer,
            self.listener,
            self.source.position() if self.source else None,
        )


class _Failure(_Read):
    stage: Literal["assemble", "render"]
    code: str
    message: str
    part: str
    name: str
    owner: _Owner | None
    group: str
    offset: int | None
    length: int
    line: int | None
    column: int | None
    source: _Place | None
    suggestion: str
    known: list[str]

    def failure(self) -> Failure:
        return Failure(
            stage=self.stage,
            code=self.code,
            message=self.message,
            part=self.part,
            name=self.name,
            owner=_maybe(self.owner),
            group=self.group,
            offset=self.offset,
            length=self.length,
            line=self.line,
            column=self.column,
            position=self.source.position() if self.source else None,
            suggestion=self.suggestion,
            known=tuple(self.known),
        )


class _Entry(_Read):
    name: str
    state: EntryState
    remark: str
    order: float | None
    order_key: str | None
    owner: _Owner
    layer: str
    added_by: _Owner | None
    changed_by: list[_Owner]
    complete: bool
    literal: bool
    text: str
    registered_text: str | None
    rendered: str | None
    start: int | None
    spans: list[_Span]
    references: list[str]
    source: _Place | None
    failure: _Failure | None

    def entry(self, kind: Literal["section", "context"]) -> EntryView:
        return EntryView(
            kind=kind,
            name=self.name,
            order=self.order,
            order_key=self.order_key,
            owner=self.owner.owner(),
            layer=self.layer,
            state=self.state,
            added_by=_maybe(self.added_by),
            changed_by=tuple(each.owner() for each in self.changed_by),
            remark=self.remark,
            text=self.text,
            registered_text=self.registered_text,
            rendered=self.rendered,
            spans=tuple(span.span() for span in self.spans),
            start=self.start,
            complete=self.complete,
            literal=self.literal,
            references=tuple(self.references),
            source=self.source.source() if self.source else None,
            failure=self.failure.failure() if self.failure else None,
        )


class _Tool(_Read):
    name: str
    description: str
    parameters: dict[str, object]
    state: Literal["effective", "removed"]
    owner: _Owner
    layer: str
    added_by: _Owner | None
    changed_by: list[_Owner]
    source: _Place | None

    def tool(self) -> ToolView:
        return ToolView(
            name=self.name,
            description=self.description,
            parameters_json=json.dumps(self.parameters, ensure_ascii=False, indent=2),
            owner=self.owner.owner(),
            layer=self.layer,
            state=self.state,
            added_by=_maybe(self.added_by),
            changed_by=tuple(each.owner() for each in self.changed_by),
            source=self.source.source() if self.source else None,
        )


class _Variable(_Read):
    name: str
    value: str | None
    state: Literal["effective", "shadowed"]
    owner: _Owner
    layer: str
    set_by: _Owner | None
    used_in: list[str]
    source: _Place | None

    def variable(self) -> VariableView:
        return VariableView(
            name=self.name,
            value=self.value,
            owner=self.owner.owner(),
            layer=self.layer,
            state=self.state,
            set_by=_maybe(self.set_by),
            used_in=tuple(self.used_in),
            source=self.source.source() if self.source else None,
        )


class _Document(_Read):
    file: str
    scope: str
    saved: float | None = None
    system: str | None
    context: str | None
    spans: list[_Span]
    context_spans: list[_Span]
    sections: list[_Entry]
    contexts: list[_Entry]
    tools: list[_Tool]
    variables: list[_Variable]
    failures: list[_Failure]

    def preview(self) -> Preview:
        return Preview(
            trace=AssemblyTrace(self.scope, self.saved or 0.0, 0, (), (), None),
            assembly=None,
            system=self.system,
            spans=tuple(span.span() for span in self.spans),
            context=self.context,
            context_spans=tuple(span.span() for span in self.context_spans),
            sections=tuple(entry.entry("section") for entry in self.sections),
            contexts=tuple(entry.entry("context") for entry in self.contexts),
            tools=tuple(tool.tool() for tool in self.tools),
            variables=tuple(variable.variable() for variable in self.variables),
            failures=tuple(failure.failure() for failure in self.failures),
        )


def _maybe(owner: _Owner | None) -> Owner | None:
    return None if owner is None else owner.owner()
