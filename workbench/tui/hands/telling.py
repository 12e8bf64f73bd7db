"""What is told of something that happened elsewhere: a note in the corner, two lines of a small screen."""

from __future__ import annotations

from typing import ClassVar

from textual.notifications import SeverityLevel

from workbench.tui.hands.house import HouseBase
from workbench.tui.places.base import Place
from workbench.tui.view.pieces import cut_text
from workbench.tui.view.wrap import row_starts

SMALL = (80, 24)
"""Below these, one pane at a time is on the screen, and a note must not lie over it."""
LINES = 2
_FRAME = 3
"""Cells of a line of a note that are not text."""


class Telling(HouseBase):
    """Notes that fit the screen."""

    HORIZONTAL_BREAKPOINTS = Place.HORIZONTAL_BREAKPOINTS
    """Sheets that lie over a place have its size classes, too: by them a note has its size."""
    VERTICAL_BREAKPOINTS = Place.VERTICAL_BREAKPOINTS
    NOTES: ClassVar[str] = """
    Toast { background: $wb-raised; color: $wb-text; }
    .-tiny ToastRack, .-narrow ToastRack, .-flat ToastRack, .-low ToastRack { margin: 0; overflow-y: hidden; }
    .-tiny ToastHolder, .-narrow ToastHolder, .-flat ToastHolder, .-low ToastHolder { display: none; }
    .-tiny ToastHolder:last-child, .-narrow ToastHolder:last-child,
    .-flat ToastHolder:last-child, .-low ToastHolder:last-child { display: block; }
    .-tiny Toast, .-narrow Toast, .-flat Toast, .-low Toast {
        width: 1fr; max-width: 100%; max-height: 2; margin: 0; padding: 0 1;
    }
    """

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """As in Textual; on a small screen title and message are two lines at most, at its lower edge."""
        width, height = self.size
        if (width < SMALL[0] or height < SMALL[1]) and not markup:  # which cannot be cut
            message = in_few_lines(f"{title}: {message}" if title else message, max(8, width - _FRAME))
            title = ""
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)


def in_few_lines(text: str, width: int) -> str:
    """`text` wrapped into `LINES` lines; what has no room is `…`."""
    text = " · ".join(text.splitlines())
    starts = row_starts(text, width)[: LINES + 1]
    ends = [*starts[1:], len(text)]
    rows = [text[start:end].rstrip() for start, end in zip(starts, ends, strict=True)]
    if len(rows) > LINES:
        rest = text[starts[LINES - 1] :]
        rows = [*rows[: LINES - 1], cut_text(rest, width)]
    return "\n".join(rows)
