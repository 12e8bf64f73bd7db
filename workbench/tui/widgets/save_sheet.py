"""Asks where to write a file, and writes it: never over another one without being told so."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen

from workbench.tui.hands.saving import write
from workbench.tui.view.frame import Bar, Region
from workbench.tui.view.pieces import Line, Piece, Role, outside, width_of
from workbench.tui.view.sizes import number
from workbench.tui.widgets.bars import BarWidget
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.line import LineWidget
from workbench.tui.workers import start_worker


class _RaisedLine(LineWidget):
    GROUND: Role = "raised"
    margin = 0


class _RaisedBar(BarWidget):
    GROUND: Role = "raised"
    margin = 0


class SaveSheet(ModalScreen[Path]):
    """Dismisses with the path that was written, or None."""

    DEFAULT_CSS = """
    SaveSheet { align: center top; background: $wb-base 70%; }
    SaveSheet > #sheet {
        width: 76; max-width: 100%; height: auto; margin-top: 3;
        border: round $wb-focus; background: $wb-raised; padding: 0 1;
    }
    SaveSheet #path-line { height: 1; margin: 1 0; }
    SaveSheet #path-sign { width: 2; }
    SaveSheet SafeInput { width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Back", show=False),
        Binding("ctrl+o", "overwrite", "Write over it", show=False),
    ]
    AUTO_FOCUS = "SafeInput"

    def __init__(self, data: bytes, what: str, name: str) -> None:
        super().__init__()
        self._data, self._what, self._name = data, what, name
        self._is_asking = False
        """Whether the person was told that a file of that name is there."""

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            yield _RaisedLine(id="title")
            with Horizontal(id="path-line"):
                yield _RaisedLine(id="path-sign")
                yield SafeInput(self._name, placeholder="file", compact=True)
            yield _RaisedLine(id="remark")
            yield _RaisedBar()

    def on_mount(self) -> None:
        size: Line = (Piece(f"{number(len(self._data))} bytes", "soft"),)
        self.query_one("#title", _RaisedLine).show(
            (Piece("Save ", "strong", bold=True), *outside(self._what)), size
        )
        self.query_one("#path-sign", _RaisedLine).show((Piece("›", "focus", bold=True),))

    @on(SafeInput.Changed)
    def _other_name(self, event: SafeInput.Changed) -> None:
        event.stop()
        self._is_asking = False
        is_far = event.value.startswith(("/", "~")) or Path(event.value).is_absolute()
        self._tell(() if is_far else (Piece("in ", "soft"), *outside(str(Path.cwd()), "soft")))

    @on(SafeInput.Submitted)
    def _save(self, event: SafeInput.Submitted) -> None:
        event.stop()
        self._write(overwrite=False)

    def action_overwrite(self) -> None:
        """Only after it was said that there is a file."""
        if self._is_asking:
            self._write(overwrite=True)

    def action_close(self) -> None:
        self.dismiss(None)

    @on(BarWidget.Pressed)
    def _pressed(self, event: BarWidget.Pressed) -> None:
        event.stop()
        if event.command == "save":
            self._write(overwrite=False)
        elif event.command == "overwrite":
            self.action_overwrite()
        else:
            self.action_close()

    def _write(self, *, overwrite: bool) -> None:
        name = self.query_one(SafeInput).value.strip()
        if name:
            start_worker(self, partial(self._written, Path(name).expanduser(), overwrite), group="save")
        else:
            self._tell((Piece("× ", "failed", bold=True), Piece("Give the file a name.")))

    async def _written(self, path: Path, overwrite: bool) -> None:
        try:
            await asyncio.to_thread(write, path, self._data, overwrite=overwrite)
        except FileExistsError:
            self._is_asking = True
            self._tell((Piece("◆ ", "pending", bold=True), Piece("There is a file of that name. Write over it?")))
        except (OSError, ValueError, RuntimeError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self._tell((Piece("× ", "failed", bold=True), *outside(reason)))
        else:
            self.dismiss(path)

    def _tell(self, remark: Line) -> None:
        self.query_one("#remark", _RaisedLine).show(remark)
        keys = [("enter", "save", "save"), ("esc", "back", "back")]
        if self._is_asking:
            keys.insert(0, ("ctrl+o", "write over it", "overwrite"))
        line: Line = ()
        regions: list[Region] = []
        for key, word, command in keys:
            line = (*line, Piece("   ")) if line else line
            start = width_of(line)
            line = (*line, Piece(key, "strong", bold=True), Piece(f" {word}", "soft"))
            regions.append(Region(start, width_of(line), command))
        self.query_one(_RaisedBar).show_bar(Bar(line, (), tuple(regions)))
