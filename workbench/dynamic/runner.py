"""The plugin that runs packages: provides `dynamic`.

Off by default: a composition has packages only when it names this runner and the toolset.

Source: docs/dynamic-packages.md 1 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.dynamic.events import ALL_EVENTS
from workbench.dynamic.sandbox.never_awaited import capture_warnings
from workbench.dynamic.service import DynamicPackages

if TYPE_CHECKING:
    from workbench.core import Context

SYNC_BUDGET_MS = 5000
TRUST = (
    "packages that the model writes run in this process, with its rights: the sandbox keeps honest code tidy and "
    "is no security boundary; treat it like shell access"
)
"""What a surface says where packages can be run."""


@dataclass(frozen=True, slots=True)
class RunnerConfig:
    """How packages are run."""

    sync_budget_ms: int = SYNC_BUDGET_MS
    """The longest synchronous stretch of package code, in milliseconds."""


class _Group:
    """The fiber that all packages are children of."""

    name = "cordis-dynamic"
    owner_kind = "harness"

    def apply(self, _ctx: Context) -> None:
        return


class PackageRunner:
    """The plugin, for those who embed the runtime; a composition names `package_runner`."""

    name = "package_runner"
    inject = {"required": ["system_prompt", "tools"], "optional": ["agents"]}  # noqa: RUF012 - read once
    provides = ("dynamic",)
    owner_kind = "harness"

    def __init__(self, ctx: Context, config: RunnerConfig | None = None) -> None:
        self._ctx = ctx
        self._budget = (config or RunnerConfig()).sync_budget_ms

    async def start(self) -> None:
        """Ready when this returns."""
        await start_runner(self._ctx, self._budget)


async def start_runner(ctx: Context, sync_budget_ms: int) -> None:
    """Provide `dynamic`; the fiber's end stops all packages. Raises `CoreError`."""
    for event in ALL_EVENTS:
        ctx.declare(event)
    group = await ctx.plugin(_Group())
    service = DynamicPackages(ctx, group.context, sync_budget_ms)
    ctx.provide("dynamic", service)
    ctx.on("internal/status", service.fiber_changed, everywhere=True)
    ctx.effect(lambda: capture_warnings(service.warned), "warnings of packages")
    ctx.effect(lambda: _stop_all(ctx, service), "live packages")


def _stop_all(ctx: Context, service: DynamicPackages) -> Any:
    async def stop() -> None:
        await service.close_all(set(ctx.fiber.point.spared))
        service.turns.pulse.close()

    return stop
