"""Serves the page in which browser halves of packages run, on this machine alone: the service `page`.

Off by default: a composition has a page only where it names this plugin. Source: docs/page.md 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.plugins.settings import Between, Settings

if TYPE_CHECKING:
    from workbench.core import Context

name = "package_page"
inject = {"required": ["dynamic"], "optional": ["agents"]}
provides = ["page"]
owner_kind = "harness"


@dataclass(frozen=True)
class Config(Settings):
    """Where the page is served."""

    port: Annotated[int, Between(0, 65535)] = 0
    """0 takes a port that is free."""


async def apply(ctx: Context, config: Config) -> None:
    """Pages can connect when this returns. Raises `PageError`.

    Where a composition is only looked at (rendered, checked, compared), no package runs, and no port is opened.
    """
    if ctx.get("agents") is None:
        return
    from workbench.page.start import start_page

    await start_page(ctx, config.port)
