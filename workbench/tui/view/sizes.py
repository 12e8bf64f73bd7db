"""How large a text is: in tokens once they are counted, in characters until then, and each size says which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from workbench.prompt.views import EntryView, Preview, ToolView

if TYPE_CHECKING:
    from workbench.tokens import BudgetUse, Count, PromptCounts

BudgetOf: TypeAlias = "Mapping[tuple[str, str], BudgetUse]"

NOT_EXACT = "≈"
"""Before a count that is close or an estimate; the details say which."""


class Size(NamedTuple):
    """The length of one text."""

    amount: int
    unit: str = "chars"
    """The word where there is little room."""
    is_exact: bool = True
    trust: str = ""
    """`exact`, `close` or `estimate`; empty for characters."""
    reason: str = ""
    """Why it is not exact."""

    @property
    def sign(self) -> str:
        """Stands before the number with a blank behind it, so that it is never read as more than it is."""
        return "" if self.is_exact else f"{NOT_EXACT} "

    @property
    def short(self) -> str:
        """`≈ 1,043`."""
        return f"{self.sign}{number(self.amount)}"

    def __str__(self) -> str:
        return f"{self.short} {self.unit}"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the parts of one preview, and of its wholes. A whole is never the sum of its parts."""

    counts: PromptCounts | None = None
    """None: characters."""
    budgets: BudgetOf | None = None
    """By part and name, such as `("section", "tool:bash")`; a whole has no name."""
    budget_unit: str = "tok"
    """Budgets may be in characters while sizes are in tokens."""

    @property
    def unit(self) -> str:
        """The word beside a size where there is little room."""
        return "chars" if self.counts is None else "tok"

    @property
    def unit_word(self) -> str:
        """The same in a sentence."""
        return "characters" if self.counts is None else "tokens"

    def entry(self, entry: EntryView) -> Size | None:
        """What the model reads of it, in characters where it is not sent; None: it is not rendered."""
        if self.counts is None or entry.state != "effective":
            return Size(entry_size(entry))
        if entry.rendered is None:
            return None
        counts = self.counts.sections if entry.kind == "section" else self.counts.contexts
        return _size(counts.get(entry.name))

    def tool(self, tool: ToolView) -> Size | None:
        """Of everything in the schema that the model reads."""
        if self.counts is None or tool.state != "effective":
            return Size(tool_size(tool))
        return _size(self.counts.tools.get(tool.name))

    def system(self, preview: Preview) -> Size | None:
        """Of the system text; None when it could not be rendered."""
        if self.counts is not None:
            return _size(self.counts.system)
        return None if preview.system is None else Size(len(preview.system))

    def context(self, preview: Preview) -> Size | None:
        """Of the runtime-context snapshot; None when it could not be rendered."""
        if self.counts is not None:
            return _size(self.counts.context)
        return None if preview.context is None else Size(len(preview.context))

    def tools(self, preview: Preview) -> Size:
        """Of all tools that are sent."""
        if self.counts is not None:
            return _size(self.counts.all_tools) or Size(0)
        return Size(sum(tool_size(tool) for tool in preview.tools if tool.state == "effective"))

    def request(self, preview: Preview) -> Size | None:
        """Of all that is sent before the first message; characters are those of the system text alone."""
        return self.system(preview) if self.counts is None else _size(self.counts.request)

    def budget(self, part: str, name: str = "") -> BudgetUse | None:
        """The limit of a part, or of a whole, with its use; None: there is no limit."""
        return self.budgets.get((part, name)) if self.budgets is not None else None


CHARACTERS = Sizes()
"""Sizes before anything was counted."""


def _size(count: Count | None) -> Size | None:
    if count is None:
        return None
    return Size(count.tokens, "tok", count.label == "exact", str(count.label), count.reason)


def entry_size(entry: EntryView) -> int:
    """Characters that the model reads of it; of the raw text where that could not be made."""
    return len(entry.text if entry.rendered is None else entry.rendered)


def tool_size(tool: ToolView) -> int:
    """Characters of everything in the schema that the model reads."""
    return len(tool.name) + len(tool.description) + len(tool.parameters_json)


def number(count: int) -> str:
    """`12431` as `12,431`."""
    return f"{count:,}"


def counted(count: int, word: str) -> str:
    """`1 section`, `2 sections`."""
    return f"{number(count)} {word}" if count == 1 else f"{number(count)} {word}s"
