"""From pieces to a strip of cells: roles become colours of the theme, and nothing else does."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.filter import ANSIToTruecolor
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from workbench.tui.view.pieces import ROLES, Line, Role
from workbench.tui.view.signs import in_ascii
from workbench.visible import visible_line

VARIABLE_PREFIX = "wb-"
TURNED: frozenset[Role] = frozenset({"cursor", "key"})
"""Grounds that are the terminal's own two colours, exchanged, where a theme uses those of the terminal."""
TERMINAL_PREFIX = "ansi_"
"""Before the name of one of the terminal's own colours, as Textual writes them; Rich has no prefix."""


class Paint:
    """The styles of one theme."""

    def __init__(self, colours: Mapping[Role, str], *, is_ascii: bool = False) -> None:
        self._colours = colours
        self._is_ascii = is_ascii
        self._styles: dict[tuple[Role, Role, bool, bool], Style] = {}

    def style(self, role: Role, ground: Role, bold: bool = False, underline: bool = False) -> Style:
        """A role on the ground of another one."""
        key = (role, ground, bold, underline)
        style = self._styles.get(key)
        if style is None:
            colour, background = (self._colours[each].removeprefix(TERMINAL_PREFIX) for each in (role, ground))
            is_turned = ground in TURNED and self._colours[ground].startswith(TERMINAL_PREFIX)
            if is_turned:  # nobody knows which of the terminal's colours can be read on one another
                colour = background = "default"
            style = Style(color=colour, bgcolor=background, bold=bold, underline=underline, reverse=is_turned)
            self._styles[key] = style
        return style

    def colour(self, role: Role) -> str:
        """As `#rrggbb`."""
        return self._colours[role]

    def strip(self, line: Line, width: int, ground: Role) -> Strip:
        """`line` in exactly `width` cells."""
        segments: list[Segment] = []
        room = width
        below = self.style("text", ground)
        styles = self._styles
        for text, role, bold, underline, own_ground, is_outside in line:
            if not text:
                continue
            if self._is_ascii and not is_outside and not text.isascii():
                text = in_ascii(text)
            if not text.isprintable():
                text = str(visible_line(text))  # the last door; the view has marked what it knew to be outside
            key = (role, own_ground or ground, bold, underline)
            segments.append(Segment(text, styles.get(key) or self.style(*key)))
            room -= len(text) if text.isascii() else cell_len(text)
        if room < 0:
            return Strip(segments, width - room).adjust_cell_length(width, below)
        if room:  # a strip is made once: each has seven caches of its own
            if segments and segments[-1].style is below:
                segments[-1] = Segment(segments[-1].text + " " * room, below)
            else:
                segments.append(Segment(" " * room, below))
        return Strip(segments, width)

    def blank(self, width: int, ground: Role) -> Strip:
        """An empty line."""
        return Strip([Segment(" " * width, self.style("text", ground))], width)


class Painted(Widget, inherit_bindings=False):
    """A widget that draws with the colours of the theme, and drops what it has drawn when they change."""

    _paint: Paint | None = None

    @property
    def paint(self) -> Paint:
        """The styles of the theme in force."""
        if self._paint is None:
            variables = self.app.theme_variables
            colours = tuple(variables[VARIABLE_PREFIX + role] for role in ROLES)
            self._paint = _paint_of(colours, bool(getattr(self.app, "is_ascii", False)))
        return self._paint

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines as they are drawn. They have all their colours, so nothing has to be laid under them.

        The general way through borders, padding and colour conversion costs more than drawing the lines.
        """
        if self.styles.gutter:
            return super().render_lines(crop)
        strips = [self.render_line(y) for y in range(crop.y, crop.bottom)]
        if crop.x or crop.width != self.size.width:
            strips = [strip.crop(crop.x, crop.right) for strip in strips]
        return _filtered(self, strips)

    def notify_style_update(self) -> None:
        """The theme or the style sheet has changed."""
        super().notify_style_update()
        self._paint = None
        self.forget_drawn()

    def forget_drawn(self) -> None:
        """Drops what a subclass keeps of drawn lines."""


class Surface(Widget):
    """Lies below others and draws nothing of its own, as with `BLANK` of Textual, which leaves the filters out."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Free cells."""
        return _filtered(self, [Strip.blank(crop.width, self.visual_style.rich_style)]) * crop.height


def _filtered(widget: Widget, strips: list[Strip]) -> list[Strip]:
    """As the settings of the person ask for, such as NO_COLOR."""
    filters = [each for each in widget.get_line_filters() if not isinstance(each, ANSIToTruecolor)]
    for each in filters:
        strips = [strip.apply_filter(each, widget.background_colors[1]) for strip in strips]
    return strips


@lru_cache(maxsize=8)
def _paint_of(colours: tuple[str, ...], is_ascii: bool) -> Paint:
    return Paint(dict(zip(ROLES, colours, strict=True)), is_ascii=is_ascii)
