"""The named allocation: positions of all first-party sections and contexts.

First-party contributors ask the live service by key and write no numbers. Values are never rendered.

Source: docs/prompt-assembly.md 5.
"""

from __future__ import annotations

from typing import NamedTuple

from workbench.prompt.errors import PromptError


class NamedPosition(NamedTuple):
    """One position of the allocation."""

    key: str
    name: str
    """Name of the section or context that stands there."""
    order: int
    group: str


_SECTION_GROUPS: dict[str, tuple[tuple[str, str, int], ...]] = {
    "product opening": (
        ("HARNESS_IDENTITY", "harness:identity", -1000),
        ("HARNESS_SOURCE", "harness:source", -900),
        ("WEB_SURFACE", "app:web-surface", -800),
        ("DEPLOYMENT_PERSONA", "deployment:persona", 0),
    ),
    "working mode": (
        ("PLAN_POLICY", "plan:policy", 500),
        ("TEAM_POLICY", "team:policy", 600),
    ),
    "before the tools": (
        ("PTC_ONLY", "tools:ptc-only", 800),
        ("FILE_REFERENCE", "context:file-reference", 900),
        ("INSTRUCTIONS", "context:instructions", 950),
    ),
    "local tools": (
        ("TOOL_BASH", "tool:bash", 1000),
        ("TOOL_PWSH", "tool:pwsh", 1010),
        ("TOOL_READ", "tool:read", 1100),
        ("TOOL_WRITE", "tool:write", 1200),
        ("TOOL_EDIT", "tool:edit", 1300),
        ("TOOL_GLOB", "tool:glob", 1400),
        ("TOOL_GREP", "tool:grep", 1500),
        ("TOOL_JOBS", "tool:jobs", 1600),
        ("TOOL_PTY", "tool:pty", 1700),
    ),
    "higher-level tools": (
        ("TOOL_WEB_SEARCH", "tool:web_search", 2000),
        ("TOOL_WEB_FETCH", "tool:web_fetch", 2100),
        ("TOOL_LSP", "tool:lsp", 2200),
        ("TOOL_SKILL", "tool:skill", 2250),
        ("TOOL_SESSION_QUERY", "tool:session-query", 2300),
        ("TOOL_GOAL", "tool:goal", 2400),
        ("TOOL_CORDIS", "tool:cordis", 2500),
        ("TOOL_WORKFLOW", "tool:workflow", 2600),
        ("TOOL_RALPH", "tool:ralph", 2700),
        ("TOOL_SUBAGENT", "tool:subagent", 2800),
        ("TOOL_REPORT", "tool:report", 2900),
    ),
    "generated protocol": (("TOOLS_SDK", "tools:sdk", 5000),),
    "team": (
        ("RUNTIME_SHARED", "runtime:shared", 6000),
        ("RUNTIME_ROLE", "runtime:role", 6010),
        ("RUNTIME_COMMUNICATION", "runtime:communication", 6020),
        ("RUNTIME_TICKET_SCOPE", "runtime:ticket_scope", 6030),
        ("RUNTIME_DELIVERY_REQUIREMENTS", "runtime:delivery_requirements", 6040),
        ("RUNTIME_SUBSCRIPTIONS", "runtime:subscriptions", 6050),
        ("RUNTIME_REPLIES", "runtime:replies", 6060),
        ("RUNTIME_DISPATCH", "runtime:dispatch", 6070),
        ("RUNTIME_WORK", "runtime:work", 6080),
        ("RUNTIME_ADMISSION", "runtime:admission", 6090),
        ("RUNTIME_HANDOFF", "runtime:handoff", 6100),
        ("RUNTIME_ENVIRONMENT", "runtime:environment", 6110),
        ("RUNTIME_POLICY", "runtime:policy", 6120),
    ),
    "final output duties": (
        ("DELIVERABLE_FILE_REFERENCES", "ui:deliverable-file-references", 9000),
        ("STRUCTURED_OUTPUT", "tool:structured_output", 9900),
        ("RUNTIME_INFERRED_NOTE", "runtime:inferred_note", 9950),
    ),
}

SECTION_POSITIONS: dict[str, NamedPosition] = {
    key: NamedPosition(key, name, order, group)
    for group, rows in _SECTION_GROUPS.items()
    for key, name, order in rows
}
"""Positions of sections by key, in ascending order."""

CONTEXT_POSITIONS: dict[str, NamedPosition] = {
    position.key: position
    for position in (
        NamedPosition("SANDBOX_POLICY", "sandbox:policy", 110, "runtime context"),
        NamedPosition("APPROVAL_POLICY", "approval:policy", 115, "runtime context"),
        NamedPosition("SUBAGENT_DELEGATION", "subagent:delegation", 120, "runtime context"),
    )
}
"""Positions of contexts by key: a sequence of its own, never merged with that of the sections."""


def order_of(positions: dict[str, NamedPosition], key: str) -> int:
    """The order that `key` stands for. Raises `PromptError` for an unknown key."""
    position = positions.get(key)
    if position is None:
        raise PromptError("order key", f"unknown order key {key!r}; known keys: {', '.join(positions)}")
    return position.order


def code_units(name: str) -> bytes:
    """Sort key for names: the order of UTF-16 code units, never of a locale or of code points."""
    return name.encode("utf-16-be", "surrogatepass")
