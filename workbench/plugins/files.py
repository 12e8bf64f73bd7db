"""The file tools: read, write, edit, glob and grep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from workbench.plugins.guidance import register_guidance
from workbench.plugins.parameters import NULLABLE_NUMBER, NUMBER, TEXT, TRUTH, every_key
from workbench.plugins.serving import body
from workbench.plugins.settings import Settings
from workbench.prompt import ToolSchema
from workbench.tools.output import OutputDeclaration

if TYPE_CHECKING:
    from workbench.core import Context

name = "files"
inject = ["system_prompt", "tools"]

FileToolName = Literal["read", "write", "edit", "glob", "grep"]


@dataclass(frozen=True)
class Config(Settings):
    """Which of the file tools the agent gets."""

    tools: tuple[FileToolName, ...] = ("read", "write", "edit", "glob", "grep")
    """A reviewer, for example, needs `read`, `glob` and `grep` only."""
    guidance: bool = True
    """False leaves the sections out; the tools stay."""


@dataclass(frozen=True, slots=True)
class FileTool:
    """One tool and the named position of its section."""

    schema: ToolSchema
    position: str
    value: dict[str, Any]
    """JSON Schema of what a program gets."""
    reads_only: bool = False


def apply(ctx: Context, config: Config) -> None:
    """Register the chosen tools, each with its section."""
    for tool in FILE_TOOLS:
        if tool.schema.name in config.tools:
            ctx.tools.register(
                tool.schema,
                body(ctx, "files", tool.schema.name),
                output=OutputDeclaration(tool.value),
                is_concurrency_safe=tool.reads_only,
            )
            if config.guidance:
                register_guidance(ctx, tool.schema.name, tool.position)


def _schema(name: str, description: str, required: list[str], properties: dict[str, Any]) -> ToolSchema:
    return ToolSchema(
        name=name,
        description=description,
        parameters={
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
    )


_FILE = "Path of the file, absolute or relative to the working directory."
_FOLDER = (
    "Directory to search below, absolute or relative to the working directory. Without it, the working directory."
)

READ = FileTool(
    _schema(
        "read",
        "Read a text file. Returns its lines with their numbers, counted from 1. A file longer than the "
        "limit is returned in part, with a note that says where to go on.",
        ["path"],
        {
            "path": {"type": "string", "minLength": 1, "description": _FILE},
            "first_line": {
                "type": "integer",
                "minimum": 1,
                "default": 1,
                "description": "Line to begin with.",
            },
            "line_count": {
                "type": "integer",
                "minimum": 1,
                "maximum": 2000,
                "default": 2000,
                "description": "How many lines to return at most.",
            },
        },
    ),
    "TOOL_READ",
    every_key(path=TEXT, first_line=NUMBER, text=TEXT, next_line=NULLABLE_NUMBER),
    reads_only=True,
)

WRITE = FileTool(
    _schema(
        "write",
        "Write a whole file. Creates it, and any directory on the way, or replaces what it held before.",
        ["path", "content"],
        {
            "path": {"type": "string", "minLength": 1, "description": _FILE},
            "content": {
                "type": "string",
                "description": "The complete new content. It is written exactly as given, line ends included.",
            },
        },
    ),
    "TOOL_WRITE",
    every_key(path=TEXT, is_new=TRUTH, bytes=NUMBER),
)

EDIT = FileTool(
    _schema(
        "edit",
        "Replace one passage of a text file by another. Fails, and changes nothing, when the passage "
        "does not occur or occurs more often than expected.",
        ["path", "old", "new"],
        {
            "path": {"type": "string", "minLength": 1, "description": _FILE},
            "old": {
                "type": "string",
                "minLength": 1,
                "description": "The passage as it stands in the file, with its white space and line ends.",
            },
            "new": {
                "type": "string",
                "description": "What takes its place. An empty text deletes the passage.",
            },
            "occurrences": {
                "type": "integer",
                "minimum": 1,
                "default": 1,
                "description": "How often `old` must occur; each of them is replaced.",
            },
        },
    ),
    "TOOL_EDIT",
    every_key(path=TEXT, replaced=NUMBER, first_line=NUMBER),
)

GLOB = FileTool(
    _schema(
        "glob",
        "List the files whose path matches a pattern, most recently changed first. Files that version "
        "control ignores are left out.",
        ["pattern"],
        {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "description": "Such as `**/*.py` or `docs/*.md`. `**` stands for any number of directories.",
            },
            "directory": {"type": "string", "description": _FOLDER},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1000,
                "default": 100,
                "description": "How many paths to return at most.",
            },
        },
    ),
    "TOOL_GLOB",
    every_key(paths={"type": "array", "items": TEXT}, total=NUMBER),
    reads_only=True,
)

GREP = FileTool(
    _schema(
        "grep",
        "Search the content of files for a regular expression. Returns path, line number and line of "
        "each match. Files that version control ignores and binary files are left out.",
        ["pattern"],
        {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "description": "The regular expression. Without `literal`, characters such as `(` and "
                "`.` have their special meaning.",
            },
            "literal": {
                "type": "boolean",
                "default": False,
                "description": "Take the pattern as plain text.",
            },
            "ignore_case": {
                "type": "boolean",
                "default": False,
                "description": "Treat upper and lower case alike.",
            },
            "directory": {"type": "string", "description": _FOLDER},
            "files": {
                "type": "string",
                "description": "Search only files whose path matches this glob pattern, such as `*.ts`.",
            },
            "context_lines": {
                "type": "integer",
                "minimum": 0,
                "maximum": 20,
                "default": 0,
                "description": "Lines to show before and after each match.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1000,
                "default": 200,
                "description": "How many matches to return at most.",
            },
        },
    ),
    "TOOL_GREP",
    every_key(matches={"type": "array", "items": every_key(path=TEXT, line=NUMBER, text=TEXT)}, is_cut=TRUTH),
    reads_only=True,
)

FILE_TOOLS: tuple[FileTool, ...] = (READ, WRITE, EDIT, GLOB, GREP)
