"""Questions to a language server: what the code means, not what it spells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.plugins.guidance import register_guidance
from workbench.plugins.parameters import closed_object
from workbench.plugins.settings import Settings
from workbench.prompt import ToolSchema

if TYPE_CHECKING:
    from workbench.core import Context

name = "lsp"
inject = ["system_prompt", "tools"]

LSP = ToolSchema(
    "lsp",
    "Ask the language server of a file: where a name is defined or used, what its type is, which symbols a "
    "file or the project has, what the compiler complains about. Read-only. Fails with a reason when no "
    "server knows the language.",
    closed_object(
        {
            "question": {
                "type": "string",
                "enum": [
                    "definition",
                    "type_definition",
                    "implementations",
                    "references",
                    "hover",
                    "file_symbols",
                    "project_symbols",
                    "diagnostics",
                ],
                "description": "What to ask. The first five need a position, `file_symbols` and `diagnostics` "
                "a path only, `project_symbols` a query.",
            },
            "path": {
                "type": "string",
                "description": "Path of the file, absolute or relative to the working directory. For "
                "`project_symbols` any file of the language in question.",
            },
            "line": {
                "type": "integer",
                "minimum": 1,
                "description": "Line of the name that is asked about, counted from 1.",
            },
            "column": {
                "type": "integer",
                "minimum": 1,
                "description": "Column of any character of that name, counted from 1.",
            },
            "query": {"type": "string", "description": "Part of a symbol's name, for `project_symbols`."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 500,
                "default": 100,
                "description": "How many places to return at most.",
            },
        },
        ["question", "path"],
    ),
)


@dataclass(frozen=True)
class Config(Settings):
    """Whether the prompt says when to ask."""

    guidance: bool = True
    """False leaves the section out; the tool itself stays."""


def apply(ctx: Context, config: Config) -> None:
    """Register the tool and, unless it is switched off, its section."""
    ctx.tools.register(LSP)
    if config.guidance:
        register_guidance(ctx, LSP.name, "TOOL_LSP")
