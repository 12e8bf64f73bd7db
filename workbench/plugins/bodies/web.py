"""Bodies of the web tools, over the service `web`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.plugins.serving import service
from workbench.tools.decisions import Success
from workbench.tools.failure import ToolFailure

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.tools.runs import ToolRun

Arguments = Mapping[str, Any]


async def fetch(ctx: Context, arguments: Arguments, run: ToolRun) -> Success:
    """A part of a page, and where to go on."""
    page = await service(ctx, "web").fetch(arguments["url"])
    first, limit = arguments.get("first_character", 0), arguments.get("limit", 20000)
    if first and first >= len(page.text):
        raise ToolFailure(f"the text of {page.address} has {len(page.text)} characters", "NO_SUCH_PART")
    part = page.text[first : first + limit]
    end = first + len(part)
    more = end if end < len(page.text) else None
    value = {"address": page.address, "title": page.title, "text": part, "next_character": more}
    head = f"{page.title}\n{page.address}\n\n" if page.title else f"{page.address}\n\n"
    note = f"\n\n[The text goes on. Read on with first_character {more}.]" if more is not None else ""
    if more is None and page.is_cut:
        note = "\n\n[The page is longer than what is read of one.]"
    return Success(value, f"{head}{part}{note}")


async def search(ctx: Context, arguments: Arguments, run: ToolRun) -> Any:
    """Whatever the service finds; one that only reads pages cannot search."""
    find = getattr(service(ctx, "web"), "search", None)
    if find is None:
        raise ToolFailure("nothing here can search the web; open an address that you know", "NO_SEARCH")
    return await find(**arguments)
