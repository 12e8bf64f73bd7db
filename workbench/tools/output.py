"""What the values of a tool look like. Plain, since every command that registers tools loads it.

Source: docs/tools.md 9.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.tools.runs import Render


class OutputDeclaration:
    """The JSON Schema of a tool's values, and how the model reads them."""

    __slots__ = ("render", "schema")

    def __init__(self, schema: Mapping[str, Any], render: Render | Callable[[Any, Any], Any] | None = None) -> None:
        self.schema = schema
        """Of any type."""
        self.render = render
        """`render(arguments, value)`. None: a text as it is, anything else as JSON."""
