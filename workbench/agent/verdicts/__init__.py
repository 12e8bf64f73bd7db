"""What each request of a session cost the prefix cache: the part that changed first, its owner, and why.

Source: docs/sessions.md 13.
"""

from workbench.agent.verdicts.causes import Cause, CauseFold
from workbench.agent.verdicts.judging import Judge
from workbench.agent.verdicts.parts import Part, PartSpan, cut_by_headings
from workbench.agent.verdicts.verdict import ChangedPart, Group, Verdict

__all__ = [
    "Cause",
    "CauseFold",
    "ChangedPart",
    "Group",
    "Judge",
    "Part",
    "PartSpan",
    "Verdict",
    "cut_by_headings",
]
