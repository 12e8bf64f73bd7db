"""The editor of Team: up to two lines to type in, a text, and what is checked while it is typed."""

from __future__ import annotations

from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.message import Message
from textual.widgets import TextArea

from workbench.tui.view.frame import outer_margin
from workbench.tui.view.panel import wrapped
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.team_editor import EditorFacts, hidden_line, place_line, placeholder_line, size_line
from workbench.tui.view.team_entries import EntryId
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.team_editor_messages import Edited, Moved
from workbench.tui.widgets.team_page import InLine
from workbench.tui.widgets.team_text_area import TeamTextArea
from workbench.visible import visible_line

TROUBLE = 4
"""Lines that say what is wrong with the store, at most."""


class EditorField(NamedTuple):
    """One line beside the text, such as the name of a skill."""

    key: str
    label: str
    value: str


class _Line(InLine):
    """A line of the editor."""


class EditorPane(Vertical):
    """Edits one entry. It holds nothing that its messages have not told."""

    DEFAULT_CSS = """
    EditorPane { width: 1fr; height: 100%; background: $wb-raised; }
    EditorPane .field { height: 1; width: 100%; display: none; }
    EditorPane .field.-used { display: block; }
    EditorPane .field > _Line { width: 12; }
    EditorPane .field > SafeInput { width: 1fr; background: $wb-base; }
    EditorPane #text { height: 1fr; margin: 0 1; }
    EditorPane .trouble { display: none; }
    EditorPane .trouble.-used { display: block; }
    """

    area = query_one("#text", TeamTextArea)
    title_line = query_one("#editing", _Line)
    checks = query_one("#checks", _Line)
    sizes = query_one("#sizes", _Line)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.entry: EntryId | None = None
        self._fields: tuple[EditorField, ...] = ()
        self._known: tuple[str, dict[str, str]] = ("", {})
        """What was given, or told last."""

    def compose(self) -> ComposeResult:
        yield _Line(id="editing")
        for index in range(2):
            with Horizontal(classes="field"):
                yield _Line(id=f"label{index}")
                yield SafeInput(id=f"field{index}")
        yield TeamTextArea(id="text")
        for index in range(TROUBLE):
            yield _Line(id=f"trouble{index}", classes="trouble")
        yield _Line(id="checks")
        yield _Line(id="sizes")

    def show_title(self, name: Line, leave: str, save: str) -> None:
        """What is edited, as it is called now, with the keys that lead out; empty: there is none."""
        hint: Line = ()
        for key, word in ((leave, "back"), (save, "save")):
            if key:
                gap = (Piece("  "),) if hint else ()
                hint = (*hint, *gap, Piece(key, "strong", bold=True), Piece(f" {word}", "soft"))
        self.title_line.show((*name, Piece("  editing", "soft")), hint)

    def open(self, entry: EntryId, fields: tuple[EditorField, ...], text: str, place: tuple[int, int]) -> None:
        """Edits another entry; tells nobody."""
        self.entry = None
        self._fields, self._known = fields, (text, {})
        for index, row in enumerate(self.query(".field")):
            row.set_class(index < len(fields), "-used")
            with self.prevent(SafeInput.Changed):
                self.query_one(f"#field{index}", SafeInput).value = (
                    fields[index].value if index < len(fields) else ""
                )
            if index < len(fields):
                self.query_one(f"#label{index}", _Line).show((Piece(fields[index].label, "soft"),))
        with self.prevent(TextArea.Changed, TextArea.SelectionChanged):
            self.area.open(text, place)
        self.entry = entry

    def focus_first(self, *, is_new: bool) -> None:
        """The first field of something new, else the text."""
        (self.query_one("#field0", SafeInput) if is_new and self._fields else self.area).focus()

    def focus_next(self) -> None:
        """The next field, or the text behind the last one."""
        inputs = [self.query_one(f"#field{index}", SafeInput) for index in range(len(self._fields))]
        order = [*inputs, self.area]
        at = next((index for index, each in enumerate(order) if each.has_focus), -1)
        order[(at + 1) % len(order)].focus()

    def show_checks(self, facts: EditorFacts, more: Line = ()) -> None:
        """What is checked while a person types; `more`: of this kind of entry."""
        left = placeholder_line(facts.id, facts.text) or more
        self.checks.show(left, hidden_line(facts.text))
        self.sizes.show(size_line(facts.bytes, facts.limit), place_line(facts))

    def show_trouble(self, trouble: str) -> None:
        """Why the store cannot do what was asked, below the text; empty: nothing is wrong."""
        width = max(8, self.size.width - 2 * outer_margin(self.app.size.width))
        line: Line = (Piece("× ", "failed", bold=True), *outside(trouble))
        rows = list(wrapped(line, width))[:TROUBLE] if trouble else []
        for index in range(TROUBLE):
            row = self.query_one(f"#trouble{index}", _Line)
            row.set_class(index < len(rows), "-used")
            row.show(rows[index] if index < len(rows) else ())

    def takes(self, text: str, values: dict[str, str]) -> bool:
        """Whether that is something new since it was given or taken last; from now on it is not."""
        is_new = (text, values) != self._known
        self._known = (text, values)
        return is_new

    @property
    def text(self) -> str:
        """As it is now, character for character."""
        return self.area.text

    @property
    def values(self) -> dict[str, str]:
        """Fields that are another than they were given. Hidden characters in the others stay what they are."""
        changed: dict[str, str] = {}
        for index, field in enumerate(self._fields):
            value = self.query_one(f"#field{index}", SafeInput).value
            if value != str(visible_line(field.value)):
                changed[field.key] = value
        return changed

    @on(TextArea.Changed)
    @on(SafeInput.Changed)
    def _typed(self, event: Message) -> None:
        event.stop()
        if self.entry is not None:
            self.post_message(Edited(self.entry, self.text, self.values))

    @on(TextArea.SelectionChanged)
    def _moved(self, event: Message) -> None:
        event.stop()
        if self.entry is not None:
            self.post_message(Moved(self.entry, self.area.cursor_location))

    @on(SafeInput.Submitted)
    def _next_field(self, event: SafeInput.Submitted) -> None:
        event.stop()
        self.focus_next()
