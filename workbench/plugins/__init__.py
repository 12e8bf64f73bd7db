"""First-party contributors: each owns its tool schemas and what the prompt says about them.

A contributor is a module of this package with `name`, `inject` and `apply(ctx, config)`, and with `Config`
where it can be configured. Nothing is imported before it is asked for by name.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

FIRST_PARTY: tuple[str, ...] = (
    "code_mode",
    "deliverables",
    "files",
    "harness_source",
    "instructions",
    "jobs",
    "lsp",
    "machine",
    "package_page",
    "package_runner",
    "package_tools",
    "plan_policy",
    "pwsh",
    "shell",
    "skills",
    "structured_output",
    "subagent",
    "subagent_provider",
    "subagents",
    "todo",
    "tool_policy",
    "web",
)
"""Names that a composition may give instead of an entry point or a dotted path."""


def first_party(name: str) -> ModuleType:
    """The contributor of that name, taken whole, so that its `inject` and `Config` come with it.

    Raises `LookupError` for any other name.
    """
    if name not in FIRST_PARTY:
        raise LookupError(f"no first-party plugin {name!r}; there are: {', '.join(FIRST_PARTY)}")
    return import_module(f"{__name__}.{name}")
