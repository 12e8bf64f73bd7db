"""A prompt that was sent once, looked at in the places that else show the present one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from workbench.prompt.views import Preview


@dataclass(frozen=True, slots=True)
class Past:
    """One step."""

    preview: Preview
    step: str
    """Its name, such as `2.1`."""
    words: str
    """Such as `as step 2.1 sent them at 14:04:52`."""
    check: str
    """Such as `rebuilt from the log, equal to what was sent`. Outside text."""
    is_equal: bool
    """It is known to be what was sent."""
    travel: Callable[[int], Awaitable[None]]
    """Goes to the step that many before or after."""
