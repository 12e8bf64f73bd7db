"""Body of the to-do list: it lives in the calls themselves, so that every log shows it at every step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.tools.decisions import Success
from workbench.values import thaw

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.tools.runs import ToolRun

MARKS = {"open": "[ ]", "active": "[>]", "done": "[x]", "dropped": "[-]"}


async def write(ctx: Context, arguments: Mapping[str, Any], run: ToolRun) -> Success:
    """The list as it is kept from now on."""
    items = thaw(arguments["items"])
    lines = [f"{MARKS[item['state']]} {item['text']}" + _note(item) for item in items]
    active = sum(item["state"] == "active" for item in items)
    if active > 1:
        lines.append(f"[{active} items are active; work on one at a time.]")
    return Success({"items": items}, "\n".join(lines) or "The list is empty.")


def _note(item: Mapping[str, Any]) -> str:
    return f" ({item['note']})" if item.get("note") else ""
