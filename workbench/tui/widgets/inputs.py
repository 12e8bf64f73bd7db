"""A line to type in, for finding and picking."""

from __future__ import annotations

from textual.widgets import Input

from workbench.visible import visible_line


class SafeInput(Input):
    """An input without a frame; what is pasted into it is shown like any outside text."""

    DEFAULT_CSS = """
    SafeInput, SafeInput:focus {
        border: none;
        padding: 0;
        height: 1;
        background: transparent;
        color: $wb-strong;
    }
    SafeInput > .input--placeholder { color: $wb-faint; }
    SafeInput > .input--cursor { background: $wb-focus; color: $wb-base; text-style: none; }
    """

    def validate_value(self, value: str) -> str:
        """No hidden character gets in."""
        return str(visible_line(value))
