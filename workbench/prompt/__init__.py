"""Prompt assembly: contributions in layers, and one path to the text that the model reads.

Source: docs/prompt-assembly.md.
"""

from workbench.prompt.assembly import AssembleContext, NamedText, PromptAssembly
from workbench.prompt.errors import PromptError, RegistrationError, RenderError
from workbench.prompt.facade import PromptFacade
from workbench.prompt.orders import CONTEXT_POSITIONS, SECTION_POSITIONS
from workbench.prompt.plugin import PromptConfig, SystemPrompt, add_harness_source
from workbench.prompt.preview import preview
from workbench.prompt.rendering import (
    RUNTIME_CONTEXT_CLEARED,
    RUNTIME_CONTEXT_PREAMBLE,
    join_context_sections,
    render_context_sections,
    render_context_snapshot,
    render_prompt,
)
from workbench.prompt.source import Position, TextSource
from workbench.prompt.tool_schema import ToolProviderResult, ToolSchema, tools_json
from workbench.prompt.trace import AssemblyTrace, Change, ListenerSpan, Stage, Work
from workbench.prompt.views import EntryView, Failure, Owner, Preview, Span, ToolView, VariableView

__all__ = [
    "CONTEXT_POSITIONS",
    "RUNTIME_CONTEXT_CLEARED",
    "RUNTIME_CONTEXT_PREAMBLE",
    "SECTION_POSITIONS",
    "AssembleContext",
    "AssemblyTrace",
    "Change",
    "EntryView",
    "Failure",
    "ListenerSpan",
    "NamedText",
    "Owner",
    "Position",
    "Preview",
    "PromptAssembly",
    "PromptConfig",
    "PromptError",
    "PromptFacade",
    "RegistrationError",
    "RenderError",
    "Span",
    "Stage",
    "SystemPrompt",
    "TextSource",
    "ToolProviderResult",
    "ToolSchema",
    "ToolView",
    "VariableView",
    "Work",
    "add_harness_source",
    "join_context_sections",
    "preview",
    "render_context_sections",
    "render_context_snapshot",
    "render_prompt",
    "tools_json",
]
