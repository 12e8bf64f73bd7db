"""Words, as limits count them.

Source: docs/team.md 13.
"""

from __future__ import annotations

import re

from workbench.tools.calls import ToolFailure

_WITHOUT_SPACES = (
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
    "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b16f"  # Kana
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
)
_RUN = re.compile(rf"[{_WITHOUT_SPACES}]|[^\s{_WITHOUT_SPACES}]+")


def count_words(text: str) -> int:
    """Each Han, Kana or Hangul character, and each other run of non-space characters with a letter or digit."""
    return sum(any(map(str.isalnum, run)) for run in _RUN.findall(text))


def check_words(what: str, text: str, limit: int) -> None:
    """Raises `ToolFailure` (`TOO_MANY_WORDS`) with count and limit; nothing is ever shortened."""
    count = count_words(text)
    if count > limit:
        raise ToolFailure(f"{what} has {count} words, and {limit} are allowed; say it shorter", "TOO_MANY_WORDS")
