"""Prompt assembly: contributions in layers, and one path to the text that the model reads.

Source: docs/prompt-assembly.md.
"""

from workbench.prompt.assembly import AssembleContext, NamedText, PromptAssembly
from workbench.prompt.errors import PromptError, RegistrationError, RenderError
from workbench.prompt.orders import CONTEXT_POSITIONS, SECTION_POSITIONS
from workbench.prompt.rendering import (
    RUNTIME_CONTEXT_CLEARED,
    RUNTIME_CONTEXT_PREAMBLE,
    join_context_sections,
    render_context_sections,
    render_context_snapshot,
    render_prompt,
)
from workbench.prompt.service import PromptConfig, PromptFacade, SystemPrompt, add_harness_source
from workbench.prompt.source import Position, TextSource
from workbench.prompt.tool_schema import ToolProviderResult, ToolSchema, tools_json

__all__ = [
    "CONTEXT_POSITIONS",
    "RUNTIME_CONTEXT_CLEARED",
    "RUNTIME_CONTEXT_PREAMBLE",
    "SECTION_POSITIONS",
    "AssembleContext",
    "NamedText",
    "Position",
    "PromptAssembly",
    "PromptConfig",
    "PromptError",
    "PromptFacade",
    "RegistrationError",
    "RenderError",
    "SystemPrompt",
    "TextSource",
    "ToolProviderResult",
    "ToolSchema",
    "add_harness_source",
    "join_context_sections",
    "render_context_sections",
    "render_context_snapshot",
    "render_prompt",
    "tools_json",
]
