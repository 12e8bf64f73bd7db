"""The short name of a browser, from what it says about itself.

Source: docs/page.md 6.
"""

from __future__ import annotations

import re

_KNOWN = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("HeadlessChrome", "Chromium (headless)"),
    ("Chromium", "Chromium"),
    ("Chrome", "Chrome"),
    ("Version", "Safari"),
)
LONGEST = 40


def browser_of(user_agent: str) -> str:
    """Name and major version; the first words of an agent that nobody knows; empty for none."""
    for sign, name in _KNOWN:
        found = re.search(rf"\b{sign}/(\d{{1,5}})", user_agent)
        if found is not None:
            return f"{name} {found[1]}"
    return user_agent[:LONGEST]
