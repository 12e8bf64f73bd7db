"""Body of the tool `skill`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from workbench.tools.decisions import Success
from workbench.tools.failure import ToolFailure
from workbench.values import clean_text


async def read(files: dict[str, Path], name: str) -> Success:
    """The text of a skill, and the folder that its paths are meant from. Raises `ToolFailure`."""
    file = files.get(name)
    if file is None:
        raise ToolFailure(f"there is no skill {name!r}; there are: {', '.join(files)}", "NO_SUCH_SKILL")
    try:
        text = await asyncio.to_thread(file.read_text, "utf-8-sig")
    except (OSError, ValueError) as error:
        raise ToolFailure(f"skill {name!r} cannot be read: {error}", "UNREADABLE") from error
    folder = str(file.parent.resolve())
    return Success({"text": clean_text(text), "folder": folder}, f"Folder: {folder}\n\n{clean_text(text)}")
