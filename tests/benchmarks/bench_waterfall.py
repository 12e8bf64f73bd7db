"""One dispatch of a waterfall, in units of pluggy's hook wrappers, its form of `next()`.

    uv run python tests/benchmarks/bench_waterfall.py

Pluggy's wrappers cannot await, know no owner and cannot be taken back while they run.
"""

from __future__ import annotations

import asyncio

import pluggy
from measure import HEADER, Ratio, Settings, compare_async, settings

from workbench.core import Runtime

GOALS = {4: 1.0, 50: 1.0}
spec = pluggy.HookspecMarker("bench")
hook = pluggy.HookimplMarker("bench")


class Spec:
    @spec(firstresult=True)
    def rewrite(self, value):
        """The default behind all wrappers."""


class Default:
    @hook
    def rewrite(self, value):
        return value


class Wrapper:
    @hook(wrapper=True)
    def rewrite(self, value):
        return (yield)


async def compare_dispatch(listeners: int, how: Settings) -> Ratio:
    manager = pluggy.PluginManager("bench")
    manager.add_hookspecs(Spec)
    manager.register(Default())
    for _ in range(listeners):
        manager.register(Wrapper())
    value = object()

    async def pass_on(value, next):
        return await next()

    async with Runtime() as runtime:
        root = runtime.root
        for _ in range(listeners):
            root.on("bench/rewrite", pass_on)

        async def ours():
            return await root.waterfall("bench/rewrite", value, default=lambda value: value)

        async def theirs():
            return manager.hook.rewrite(value=value)

        assert await ours() is value
        assert await theirs() is value
        return await compare_async(ours, theirs, how)


async def main() -> None:
    how = settings(__doc__ or "")
    print(HEADER)
    for listeners, goal in GOALS.items():
        print((await compare_dispatch(listeners, how)).line(f"waterfall of {listeners}", goal))


if __name__ == "__main__":
    asyncio.run(main())
