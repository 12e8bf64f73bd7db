"""A text that the model reads, from one contribution, with its way back into a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.check.finding import Finding, Severity
from workbench.prompt import EntryView, Owner, Position, ToolView, VariableView
from workbench.prompt.source import line_and_column

TextPart = Literal["section", "context", "variable", "tool"]


@dataclass(frozen=True, slots=True, eq=False)
class CheckedText:
    """The raw text of a section or context, the value of a variable, or the description of a tool."""

    part: TextPart
    name: str
    text: str
    owner: Owner
    layer: str
    view: EntryView | VariableView | ToolView
    scopes: tuple[str, ...]
    """Layers whose assemblies hold it, exactly so."""

    @property
    def title(self) -> str:
        """For a message, such as `section tool:bash`."""
        return f"{self.part} {self.name}"

    def position(self, offset: int, length: int = 1) -> Position | None:
        """The file position of a character of the text; of its beginning where it cannot be told."""
        source = self.view.source
        if source is None:
            return None
        registered = getattr(self.view, "registered_text", None)
        if registered is None:
            return source.position(self.text, offset)
        # A listener changed the text: what it left alone still stands where it was written.
        words = self.text[offset : offset + length]
        return source.position(registered, registered.index(words) if registered.count(words) == 1 else 0)

    def owner_of(self, offset: int, length: int) -> Owner:
        """Who wrote these words: the listener that changed the text, where the registration has them not."""
        view = self.view
        if not isinstance(view, EntryView) or view.registered_text is None or not view.changed_by:
            return self.owner
        if self.text[offset : offset + length] not in view.registered_text:
            return view.changed_by[-1]
        return self.owner

    def finding(
        self,
        message: str,
        *,
        offset: int | None = None,
        length: int = 1,
        remedy: str = "",
        kind: str = "",
        severity: Severity = "warning",
        scopes: tuple[str, ...] | None = None,
    ) -> Finding:
        """A finding about this text; `offset` (code points) is where the words at fault begin."""
        line, column = (None, None) if offset is None else line_and_column(self.text, offset)
        return Finding(
            rule=kind,
            severity=severity,
            message=message,
            remedy=remedy,
            part=self.part,
            name=self.name,
            owner=self.owner if offset is None else self.owner_of(offset, length),
            position=self.position(offset or 0, length),
            length=length,
            line=line,
            column=column,
            scopes=self.scopes if scopes is None else scopes,
        )
