"""One layer of a composition and what an assembly for it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.prompt import EntryView, Preview, ToolView

if TYPE_CHECKING:
    from workbench.tokens import PromptTexts


@dataclass(frozen=True, eq=False)
class CheckedScope:
    """One layer and its assembly."""

    label: str
    preview: Preview
    is_sent: bool
    """Whether a prompt is sent from it: by an agent, or, where no agent lies in it, by whoever uses it."""
    known_tools: frozenset[str]
    """Names of the tools that it would see without any restriction."""

    @cached_property
    def tools(self) -> frozenset[str]:
        """Names of the tools that are sent."""
        return frozenset(tool.name for tool in self.effective_tools())

    @cached_property
    def texts(self) -> PromptTexts:
        """What is measured: the wholes and the parts, tool schemas as compact JSON."""
        from workbench.tokens import PromptTexts  # only for those who have budgets

        return PromptTexts.of(self.preview)

    @property
    def model(self) -> str | None:
        """The model that reads it, where the variable `model` says so."""
        assembly = self.preview.assembly
        return None if assembly is None else assembly.variables.get("model")

    def effective_entries(self) -> Iterator[EntryView]:
        """The sections and contexts in force."""
        for entry in (*self.preview.sections, *self.preview.contexts):
            if entry.state == "effective":
                yield entry

    def effective_tools(self) -> Iterator[ToolView]:
        """The tools that are sent."""
        return (tool for tool in self.preview.tools if tool.state == "effective")
