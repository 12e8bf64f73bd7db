"""The way to a page, without the server's own modules: those need the extra.

Source: docs/page.md 1.
"""

from __future__ import annotations

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
    from workbench.page.service import serve

    return await serve(ctx, port)


class PackagePage:
    """The plugin, for those who embed the runtime; a composition names `package_page`."""

    name = "package_page"
    inject = ("dynamic",)
    provides = ("page",)
    owner_kind = "harness"

    def __init__(self, ctx: Context, config: int = 0) -> None:
        self._ctx = ctx
        self._port = config

    async def start(self) -> None:
        """Pages can connect when this returns. Raises `PageError`."""
        await start_page(self._ctx, self._port)
