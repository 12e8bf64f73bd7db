"""JSON values that nobody can change, and the text of others at the door.

Source: docs/models.md 2.
"""

from __future__ import annotations

from typing import Any

from workbench.values.foreign_text import clean, clean_text
from workbench.values.frozen import FrozenDict, FrozenList, NotJson, freeze, thaw

__all__ = ["FrozenDict", "FrozenList", "NotJson", "clean_text", "freeze", "freeze_foreign", "thaw"]


def freeze_foreign(value: Any) -> Any:
    """As `freeze`, for what others made: half of a surrogate pair becomes U+FFFD. Raises `NotJson`."""
    try:
        return freeze(value)
    except NotJson as error:
        if "surrogate" not in error.reason:
            raise
        try:
            return freeze(clean(value))
        except (AttributeError, RecursionError):
            raise error from None  # something else is wrong with it, too
