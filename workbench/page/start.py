"""The way to a page, without the server's own modules: those need the extra.

Source: docs/page.md 1.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from workbench.dynamic.page_extra import REMEDY, is_installed

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.page.service import PageService


class PageError(Exception):
    """No page can be served; the text says why, and what to do."""


async def start_page(ctx: Context, port: int = 0) -> PageService:
    """Serve, and provide `page`; the fiber's end closes everything. Raises `PageError`."""
    if not is_installed():
        raise PageError(f"a page needs the extra `page`: {REMEDY}")
    # Beside the loop: these are the server's libraries, which nobody else needs.
    module = await asyncio.to_thread(import_module, "workbench.page.service")
    service: PageService = await module.serve(ctx, port)
    return service


@dataclass(frozen=True, slots=True)
class PageConfig:
    """Where the page is served."""

    port: int = 0
    """0 takes one that is free."""


class PackagePage:
    """The plugin, for those who embed the runtime; a composition names `package_page`."""

    name = "package_page"
    inject = ("dynamic",)
    provides = ("page",)
    owner_kind = "harness"

    def __init__(self, ctx: Context, config: PageConfig | None = None) -> None:
        self._ctx = ctx
        self._port = (config or PageConfig()).port

    async def start(self) -> None:
        """Pages can connect when this returns. Raises `PageError`."""
        await start_page(self._ctx, self._port)
