"""The workbench over the runtime of a program that goes on running: `python embedding.py`.

The program owns the runtime. It takes a turn every half second, whether anybody looks or not; the screen follows.
"""

import asyncio

from workbench.core import Context, Runtime, create_scope
from workbench.prompt import AssembleContext, PromptConfig, SystemPrompt


class Budget:
    """A plugin of the program: it tells the model how many turns are left."""

    name = "budget"
    inject = ("system_prompt",)

    def __init__(self, ctx: Context) -> None:
        self.turns = 0
        self._ctx = ctx
        self._undo = ctx.system_prompt.section("budget:turns", 60, "No turn has been taken yet.")

    def take_turn(self) -> None:
        """What is registered changes while the screen is open."""
        self.turns += 1
        self._undo()
        self._undo = self._ctx.system_prompt.section("budget:turns", 60, f"Turns taken: {self.turns}.")


async def work(budget: Budget) -> None:
    """The loop of the program."""
    while True:
        await asyncio.sleep(0.5)
        budget.take_turn()


async def look(runtime: Runtime) -> None:
    """Shows the workbench until the person leaves it. Only this loads Textual."""
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.live import RuntimeSubject

    scopes = {"(global)": AssembleContext(), "reviewer": AssembleContext(scope="reviewer")}
    await WorkbenchApp(RuntimeSubject(runtime, "my harness", scopes)).run_async()


async def main() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(persona="You are a careful engineer."))
        budget: list[Budget] = []

        class Counted(Budget):
            def __init__(self, ctx: Context) -> None:
                super().__init__(ctx)
                budget.append(self)

        await runtime.root.plugin(Counted)
        reviewer = create_scope(runtime.root, "reviewer")
        reviewer.ctx.system_prompt.section("review:style", 70, "Say what is wrong before you say what is good.")

        working = asyncio.create_task(work(budget[0]))
        await look(runtime)
        before = budget[0].turns
        await asyncio.sleep(1)
        print(f"The screen is gone, the runtime goes on: {budget[0].turns > before}.")
        working.cancel()
        await asyncio.wait({working})


if __name__ == "__main__":
    asyncio.run(main())
