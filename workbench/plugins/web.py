"""The web: search for pages, and read one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workbench.plugins.guidance import register_guidance
from workbench.plugins.parameters import NULLABLE_NUMBER, TEXT, closed_object, every_key
from workbench.plugins.serving import body
from workbench.plugins.settings import Settings
from workbench.prompt import ToolSchema
from workbench.tools.output import OutputDeclaration

if TYPE_CHECKING:
    from workbench.core import Context

name = "web"
inject = ["system_prompt", "tools"]

WebToolName = Literal["web_search", "web_fetch"]

WEB_SEARCH = ToolSchema(
    "web_search",
    "Search the web. Returns for each hit its title, its address, a short excerpt and, where it is known, "
    "its date. The excerpts say whether a page is worth opening; they are not the page.",
    closed_object(
        {
            "query": {
                "type": "string",
                "minLength": 1,
                "description": "What to look for: a few distinctive words, or an error message in quotes.",
            },
            "sites": {
                "type": "array",
                "description": "Search these hosts only, such as `docs.python.org`. Without it, everywhere.",
                "items": {"type": "string"},
            },
            "newer_than_days": {
                "type": "integer",
                "minimum": 1,
                "maximum": 3650,
                "description": "Leave out what is older. Without it, the age does not matter.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 20,
                "default": 8,
                "description": "How many hits to return at most.",
            },
        },
        ["query"],
    ),
)

WEB_FETCH = ToolSchema(
    "web_fetch",
    "Read one page by its address and return its main text as Markdown, with its title and the address it "
    "was really read from. A page longer than the limit is returned in part, with a note that says where to "
    "go on. Runs no scripts, sends no cookies and fills in no forms.",
    closed_object(
        {
            "url": {
                "type": "string",
                "minLength": 1,
                "description": "The whole address, beginning with `https://` or `http://`.",
            },
            "first_character": {
                "type": "integer",
                "minimum": 0,
                "default": 0,
                "description": "Where in the text to begin: 0, or what the note of an earlier part says.",
            },
            "limit": {
                "type": "integer",
                "minimum": 500,
                "maximum": 100000,
                "default": 20000,
                "description": "How many characters to return at most.",
            },
        },
        ["url"],
    ),
)

POSITIONS = {"web_search": "TOOL_WEB_SEARCH", "web_fetch": "TOOL_WEB_FETCH"}


@dataclass(frozen=True)
class Config(Settings):
    """Which of the two tools the agent gets."""

    tools: tuple[WebToolName, ...] = ("web_search", "web_fetch")
    """An agent that is given its addresses needs `web_fetch` only."""
    guidance: bool = True
    """False leaves the sections out; the tools stay."""


def apply(ctx: Context, config: Config) -> None:
    """Register the chosen tools, each with its section."""
    for schema in (WEB_SEARCH, WEB_FETCH):
        if schema.name in config.tools:
            if schema is WEB_FETCH:
                value = every_key(address=TEXT, title=TEXT, text=TEXT, next_character=NULLABLE_NUMBER)
                output = OutputDeclaration(value)
                ctx.tools.register(schema, body(ctx, "web", "fetch"), output=output, is_concurrency_safe=True)
            else:
                ctx.tools.register(schema, body(ctx, "web", "search"), is_concurrency_safe=True)
            if config.guidance:
                register_guidance(ctx, schema.name, POSITIONS[schema.name])
