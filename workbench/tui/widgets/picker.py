"""A sheet with a list to pick from, found by typing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.strip import Strip

from workbench.tui.view.picker import Found, Item, PickerRow, picker_line, picker_rows, search
from workbench.tui.view.pieces import Piece, Role, outside
from workbench.tui.view.sizes import number
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.lines import Lines


class _RaisedLine(LineWidget):
    GROUND: Role = "raised"


class PickList(Lines, can_focus=False):
    """The items that match."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Found] = []
        self.cursor = 0
        self._rows: list[PickerRow] = []
        self._row_of: list[int] = []
        """By item."""

    def show_found(self, found: list[Found], cursor: int = 0) -> None:
        """Shows other items with the cursor on one of them."""
        self.found = found
        self.cursor = cursor
        self._rows = picker_rows(found)
        self._row_of = [at for at, row in enumerate(self._rows) if row.item is not None]
        self._fit()
        self.refresh()

    @property
    def item(self) -> Item | None:
        """The item under the cursor."""
        return self.found[self.cursor].item if self.cursor < len(self.found) else None

    def move(self, steps: int) -> None:
        if self.found:
            self.cursor = max(0, min(len(self.found) - 1, self.cursor + steps))
            row = self._row_of[self.cursor]
            self.bring_into_view(0 if self.cursor == 0 else row, row)
            self.refresh()

    def move_to_end(self, *, last: bool) -> None:
        self.move(len(self.found) if last else -len(self.found))

    def index_at(self, y: int) -> int | None:
        """The item in that line of the screen."""
        row = y + round(self.scroll_y)
        return self._rows[row].item if row < len(self._rows) else None

    def on_resize(self) -> None:
        self._fit()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        at = y + round(self.scroll_y)
        if at >= len(self._rows):
            return self.paint.blank(width, "raised")
        row = self._rows[at]
        line = picker_line(row, self.found, self.cursor, width)
        return self.paint.strip(line, width, "cursor" if row.item == self.cursor else "raised")

    def _fit(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._rows))


class Picker(ModalScreen[str]):
    """Shows items; dismisses with the id of the picked one, or None."""

    DEFAULT_CSS = """
    Picker { align: center top; background: $wb-base 70%; }
    Picker > #sheet {
        width: 76; max-width: 100%; height: auto; max-height: 90%; margin-top: 3;
        border: round $wb-focus; background: $wb-raised; padding: 0 1;
    }
    Picker #query-line { height: 1; margin: 0 1; }
    Picker #query-sign, Picker #query-count { height: 1; }
    Picker #query-sign { width: 2; }
    Picker #query-count { width: 12; }
    Picker SafeInput { width: 1fr; }
    Picker PickList { height: auto; max-height: 20; margin: 1 0; background: $wb-raised; }
    Picker #help { height: 1; margin: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False),
        Binding("down,ctrl+n", "move(1)", "Down", show=False, priority=True),
        Binding("up,ctrl+p", "move(-1)", "Up", show=False, priority=True),
        Binding("pagedown", "move(10)", "Page down", show=False, priority=True),
        Binding("pageup", "move(-10)", "Page up", show=False, priority=True),
    ]
    AUTO_FOCUS = "SafeInput"

    def __init__(
        self,
        items: Sequence[Item],
        *,
        title: str,
        current: str | None = None,
        typed: Callable[[str], Item | None] | None = None,
    ) -> None:
        """`typed`: an item for the query itself, offered behind those that match."""
        super().__init__()
        self._typed = typed
        self._items = list(items)
        self._title = title
        self._current = current

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            with Horizontal(id="query-line"):
                yield _RaisedLine(id="query-sign")
                yield SafeInput(placeholder=self._title, compact=True)
                yield _RaisedLine(id="query-count")
            yield PickList()
            yield _RaisedLine(id="help")

    def on_mount(self) -> None:
        if not self.children:  # the app is being left
            return
        for line in self.query(_RaisedLine):
            line.margin = 0
        self.query_one("#query-sign", _RaisedLine).show((Piece("›", "focus", bold=True),))
        index = next((i for i, item in enumerate(self._items) if item.id == self._current), 0)
        self._show("", index)

    @on(SafeInput.Changed)
    def _search(self, event: SafeInput.Changed) -> None:
        event.stop()
        if self.is_mounted:
            self._show(event.value, 0)

    @on(SafeInput.Submitted)
    def _pick(self, event: SafeInput.Submitted) -> None:
        event.stop()
        item = self.query_one(PickList).item
        self.dismiss(item.id if item else None)

    def on_click(self, event: events.Click) -> None:
        listing = self.query_one(PickList)
        if event.widget is self:
            self.dismiss(None)
        elif event.widget is listing:
            index = listing.index_at(event.y)
            if index is not None:
                self.dismiss(listing.found[index].item.id)

    def action_close(self) -> None:
        self.dismiss(None)

    def action_move(self, steps: int) -> None:
        self.query_one(PickList).move(steps)
        self._show_help()

    def _show(self, query: str, cursor: int) -> None:
        found = search(self._items, query)
        typed = self._typed(query) if self._typed is not None else None
        found += [Found(typed)] if typed is not None else []
        listing = self.query_one(PickList)
        listing.show_found(found, min(cursor, max(0, len(found) - 1)))
        listing.move(0)
        count = f"{number(len(found))} of {number(len(self._items))}"
        self.query_one("#query-count", _RaisedLine).show((), (Piece(count, "soft"),))
        self._show_help()

    def _show_help(self) -> None:
        item = self.query_one(PickList).item
        text = outside(item.help, "soft") if item else (Piece("nothing of that name", "soft"),)
        self.query_one("#help", _RaisedLine).show(text)


async def pick(
    app: App[Any],
    items: Sequence[Item],
    title: str,
    picked: Callable[[str], object],
    current: str | None = None,
    typed: Callable[[str], Item | None] | None = None,
) -> None:
    """Lets the person pick an item, and calls `picked` with its id if one was.

    `typed`: makes an item of what was typed, to be offered behind those that match.
    """

    def done(item_id: str | None) -> None:
        if item_id is not None:
            picked(item_id)

    if isinstance(app.screen, Picker):
        return
    picker = Picker(items, title=title, current=current, typed=typed)
    await app.push_screen(picker, done)
    fields = picker.query(SafeInput)
    picker.set_focus(fields.first() if fields else None)  # keys typed ahead are words of the query
