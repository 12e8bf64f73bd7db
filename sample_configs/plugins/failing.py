"""Plugins that go wrong, for the sample broken-raising-plugin.yml."""

from __future__ import annotations

import asyncio
from typing import Any

from workbench.core import Context


class Raises:
    """Registers a section, then raises: the section is undone."""

    name = "raises"
    inject = ("system_prompt",)

    def __init__(self, ctx: Context) -> None:
        ctx.system_prompt.section("lamp:care", 100, "Polish the lens every morning.")
        raise FileNotFoundError("no keeper's log at /var/lamp/log.txt")


class Waits:
    """Waits for a service that no plugin provides. That is a state, not an error."""

    name = "waits"
    inject = ("foghorn",)

    def __init__(self, ctx: Context) -> None:
        raise AssertionError("never called")


async def never_ends(ctx: Context) -> Any:
    """Waits for something that does not happen. Closing the workbench ends it all the same."""
    await asyncio.Event().wait()
