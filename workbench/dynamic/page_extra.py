"""The extra `page`: what judges browser halves, and what serves the page that runs them.

Source: docs/page.md 1.
"""

from __future__ import annotations

from importlib.util import find_spec

MODULES = ("py_mini_racer", "starlette", "uvicorn", "websockets")
REMEDY = "install prompt-workbench[page]"


def is_installed() -> bool:
    """Whether the extra is there, all of it."""
    return all(find_spec(module) is not None for module in MODULES)
