"""The text area of Team: keeps a text byte for byte, and lets no hidden character through to the terminal."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.document._document import Document, EditResult
from textual.document._document_navigator import DocumentNavigator
from textual.document._wrapped_document import WrappedDocument
from textual.widgets import TextArea

from workbench.tui.view.team_editor import one_line_end, stand_ins

Location = tuple[int, int]


class WholeText(Document):
    """Lines end at line feeds and nowhere else: a carriage return or a form feed is a character of its line."""

    def __init__(self, text: str) -> None:
        super().__init__("")
        self._newline = "\n"
        self._lines = text.split("\n")

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        top, bottom = sorted((start, end))
        replaced = self.get_text_range(top, bottom)
        lines = self._lines
        before = lines[top[0]][: top[1]] if top[0] < len(lines) else ""
        behind = lines[bottom[0]][bottom[1] :] if bottom[0] < len(lines) else ""
        inserted = text.split("\n")
        last_column = len(inserted[-1]) + (len(before) if len(inserted) == 1 else 0)
        inserted[0] = before + inserted[0]
        inserted[-1] += behind
        lines[top[0] : bottom[0] + 1] = inserted
        return EditResult((top[0] + len(inserted) - 1, last_column), replaced)


class CountedRows(WrappedDocument):
    """Textual counts the rows of the whole text for each line that it draws."""

    @property
    def height(self) -> int:
        return len(self._offset_to_line_info)


class TeamTextArea(TextArea):
    """Undo, selection and wrapping are Textual's."""

    DEFAULT_CSS = """
    TeamTextArea, TeamTextArea:focus {
        border: none; padding: 0; background: $wb-raised; color: $wb-text;
        scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1;
    }
    TeamTextArea .text-area--cursor { background: $wb-focus; color: $wb-base; text-style: none; }
    TeamTextArea .text-area--gutter { color: $wb-faint; background: $wb-raised; }
    TeamTextArea .text-area--cursor-gutter { color: $wb-focus; background: $wb-cursor; text-style: none; }
    TeamTextArea .text-area--cursor-line { background: $wb-cursor; }
    TeamTextArea .text-area--selection { background: $wb-key; color: $wb-strong; }
    TeamTextArea .text-area--matching-bracket { background: $wb-key; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z,f7", "undo", "Undo", show=False),
        Binding("ctrl+home", "to_end(False)", "First line", show=False),
        Binding("ctrl+end", "to_end(True)", "Last line", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", id=id, soft_wrap=True, show_line_numbers=True, tab_behavior="focus", compact=True)
        self.cursor_blink = False

    def open(self, text: str, place: Location = (0, 0)) -> None:
        """Another text, with the cursor where it was left; nothing can be undone any more."""
        self.load_text(text)
        row = min(place[0], self.document.line_count - 1)
        self.move_cursor((row, min(place[1], len(self.document.get_line(row)))))

    def action_to_end(self, is_last: bool) -> None:
        """To the first character, or behind the last one."""
        self.move_cursor(self.document.end if is_last else self.document.start)

    def _set_document(self, text: str, language: str | None) -> None:
        """As Textual's for plain text, which would change line ends."""
        self._highlight_query = None
        self.document = WholeText(text)
        self.wrapped_document = CountedRows(self.document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._build_highlight_map()
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    def get_line(self, line_index: int) -> Text:
        shown, stand_in = stand_ins(self.document.get_line(line_index))
        line = Text(shown, end="", no_wrap=True)
        if stand_in:
            look = Style(bgcolor=self.app.theme_variables["wb-key"].removeprefix("ansi_"), bold=True)
            for index in stand_in:
                line.stylize(look, index, index + 1)
        return line

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        result = self._replace_via_keyboard(one_line_end(event.text), *self.selection)
        if result is not None:
            self.move_cursor(result.end_location)
