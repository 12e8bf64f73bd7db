"""Beside the list of Team: a title, the answers that can be given, and the document below them."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from workbench.tui.view.frame import outer_margin
from workbench.tui.view.pieces import Role
from workbench.tui.widgets.bars import BarWidget
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.registry_inspector import Inspector
from workbench.tui.widgets.team_lists import without_keys


class InLine(LineWidget):
    """A line above the document, in line with it."""

    GROUND: Role = "raised"

    @property
    def free_cells(self) -> int:
        return outer_margin(self.app.size.width)


class TeamTitle(InLine):
    """Name of the chosen entry, and its state at the right end."""


class TeamAnswers(InLine, BarWidget):
    """The answers as buttons; each has a key, too."""


class TeamPage(Inspector, inherit_bindings=False):
    """The document; moving scrolls. `k` and `h` are keys of the place."""

    BINDINGS: ClassVar[list[BindingType]] = without_keys(bindings_of("lines", "text"))
