"""The workbench over the runtime of a program that goes on running: `python embedding.py`.

The program owns the runtime. It takes a turn every half second, whether anybody looks or not; the screen follows.
"""

import asyncio

from workbench.core import Context, Runtime, create_scope
from workbench.prompt import AssembleContext, PromptConfig, SystemPrompt


class Progress:
    """A plugin of the program: it tells the model how far the work has come."""

    name = "progress"
    inject = ("system_prompt", "timer")
    turns = 0

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._undo = ctx.system_prompt.section("progress:turns", 60, "No turn has been taken yet.")
        ctx.interval(self.take_turn, 0.5)

    def take_turn(self) -> None:
        """What is registered changes, also while the screen is open."""
        Progress.turns += 1
        self._undo()
        self._undo = self._ctx.system_prompt.section("progress:turns", 60, f"Turns taken: {self.turns}.")


async def look(runtime: Runtime) -> None:
    """Shows the workbench until the person leaves it. Only this loads Textual."""
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.live import RuntimeSubject

    scopes = {"(global)": AssembleContext(), "reviewer": AssembleContext(scope="reviewer")}
    await WorkbenchApp(RuntimeSubject(runtime, "my harness", scopes)).run_async()


async def main() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(persona="You are a careful engineer."))
        await runtime.root.plugin(Progress)
        reviewer = create_scope(runtime.root, "reviewer")
        reviewer.ctx.system_prompt.section("review:style", 70, "Say what is wrong before you say what is good.")

        await look(runtime)

        before = Progress.turns
        await asyncio.sleep(1)
        print(f"The screen is gone, the runtime goes on: {Progress.turns > before}.")


if __name__ == "__main__":
    asyncio.run(main())
