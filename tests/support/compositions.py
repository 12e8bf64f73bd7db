"""What the fixtures for composition files give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Write = Callable[[str, str | bytes], Path]
"""Writes a file below the working directory; gives its relative path."""
Problems = Callable[[str], list[str]]
"""What is wrong in a composition with this text; nothing when it loads."""
