"""A new prompt of 500 kB on the screen, against Textual's TextArea loading the same text; both until painted.

python tests/benchmarks/bench_prompt.py
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from textual.widgets import TextArea

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.bench_rows import Screen, painted
from tests.benchmarks.bench_screen import half_a_megabyte
from tests.benchmarks.measure import HEADER, Settings, compare_async, settings
from tests.support.previews import FILES, entry, preview
from workbench.tui.places.prompt.model import PromptModel
from workbench.tui.widgets.prompt_text import PromptText

GOAL = 0.1


class Both(Screen):
    """The pane of the place Prompt, and theirs."""

    def compose(self):  # type: ignore[no-untyped-def]
        from textual.containers import Horizontal

        with Horizontal():
            yield PromptText()
            yield TextArea(soft_wrap=True)


def turns(texts: list[str], show: Callable[[str], object]) -> Callable[[], None]:
    """Shows one text after the other, so that none is there already."""

    def work() -> None:
        texts.reverse()
        show(texts[0])

    return work


async def measure(how: Settings) -> None:
    app = Both()
    async with app.run_test(size=(180, 40)) as pilot:
        await pilot.pause()
        pane, area = app.query_one(PromptText), app.query_one(TextArea)

        def show(text: str) -> None:
            model = PromptModel()
            model.load(preview([entry("large", 1, text, FILES)]))
            pane.show_page(model.page())

        text = half_a_megabyte()
        ours = turns([text, text.upper()], show)
        theirs = turns([text, text.upper()], area.load_text)
        print(HEADER)
        ratio = await compare_async(lambda: painted(app, ours), lambda: painted(app, theirs), how)
        print(ratio.line("a new prompt of 500 kB, painted", GOAL))


if __name__ == "__main__":
    asyncio.run(measure(settings(__doc__ or "")))
