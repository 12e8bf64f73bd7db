"""Recorded logs of other harnesses: headers whose texts stand in files beside the log.

Source: docs/sessions.md 9.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.json_lines import decode_json, frozen_data


def filling(log: Path) -> Callable[[LoggedEvent], LoggedEvent] | None:
    """What puts the texts from the files beside `log` in the place of placeholders; None without such files."""
    system, tools = _system_beside(log), _tools_beside(log)
    if system is None and tools is None:
        return None

    def filled(event: LoggedEvent) -> LoggedEvent:
        if event.type != "request/header":
            return event
        try:
            header = RequestHeader.from_json(event.data.get("header"))
        except LogError:
            return event
        whole = _filled(header, system, tools)
        if whole is header:
            return event
        data = frozen_data({**event.data, "header": whole.to_json()}, "data")
        return LoggedEvent(
            event.type, event.seq, event.time, data, event.surface_op, event.source_event_seqs, event.ignorable
        )

    return filled


def _filled(header: RequestHeader, system: str | None, tools: list[dict[str, Any]] | None) -> RequestHeader:
    missing = header.not_recorded
    has_system = "system" in missing and system is not None
    has_tools = "tools" in missing and tools is not None
    if not has_system and not has_tools:
        return header
    return RequestHeader(
        header.config,
        header.adapter_defaults,
        system if has_system else header.system,
        tools if has_tools and tools is not None else header.tools,
        missing - {name for name, is_known in (("system", has_system), ("tools", has_tools)) if is_known},
    )


def _system_beside(log: Path) -> str | None:
    """The text file, whose last line end is the file's."""
    try:
        return _beside(log, "system-prompt", ".expected.md").read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, ValueError):
        return None


def _tools_beside(log: Path) -> list[dict[str, Any]] | None:
    """The list of the first header. Lists of later ones are kept as changes, which only their harness can apply."""
    try:
        found = decode_json(_beside(log, "tool-schemas", ".expected.json").read_bytes())
    except (OSError, ValueError):
        return None
    tools = found.get("initial") if isinstance(found, dict) and not found.get("changes") else None
    is_list = isinstance(tools, list) and all(isinstance(tool, dict) for tool in tools)
    return tools if is_list else None


def _beside(log: Path, name: str, suffix: str) -> Path:
    """`session.1.jsonl` has `<name>.1<suffix>` beside it."""
    number = log.name.removesuffix(".jsonl").removeprefix("session")
    return log.with_name(f"{name}{number}{suffix}")
