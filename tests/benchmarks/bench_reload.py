"""Applying a one-line edit, in units of loading the composition anew.

uv run python tests/benchmarks/bench_reload.py
"""

from __future__ import annotations

import asyncio
import itertools
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import HEADER, compare_async, settings
from workload import SIZES, build

from workbench.config import open_composition
from workbench.config.samples import find_sample

GOAL = 0.2


def large_sample(folder: Path) -> tuple[Path, str, str]:
    """The shipped sample of 3,000 sections, a line of it, and what an edit makes of that."""
    sample = find_sample("big")
    assert sample is not None
    shutil.copytree(sample.parent / "plugins", folder / "plugins")
    shutil.copy(sample, folder / "big.yml")
    return folder / "big.yml", "the catalogue of a museum", "the catalogue of museum {}"


def written_out(size: str, folder: Path) -> tuple[Path, str, str]:
    """A composition whose every section stands in the file, so that reading it is most of the work."""
    lines = ["persona: first", "sections:"]
    for order, (name, text) in enumerate(build(size).sections.items(), start=1):
        text = text.replace("{{", "").replace("}}", "")
        lines += [f"  - name: {name}", f"    order: {order}", f"    text: {text}"]
    file = folder / f"{size}.yml"
    file.write_text("\n".join(lines) + "\n")
    return file, "persona: first", "persona: number {}"


async def measure(label: str, goal: float | None, file: Path, line: str, edited: str) -> None:
    """Both sides leave the new text in force, and everything has settled."""
    how = settings(__doc__ or "")
    original = file.read_text()  # noqa: ASYNC240 - nothing else runs
    count = itertools.count()

    def edit() -> None:
        file.write_text(original.replace(line, edited.format(next(count))))

    async with open_composition(file) as opened:

        async def reload() -> None:
            edit()
            assert await opened.reload()

        async def anew() -> None:
            edit()
            async with open_composition(file):
                pass

        print((await compare_async(reload, anew, how)).line(label, goal))


async def main() -> None:
    print(HEADER)
    with TemporaryDirectory() as name:
        folder = Path(name)
        await measure("one line of big.yml", GOAL, *large_sample(folder))
        written = SIZES["typical"][0], SIZES["large"][0]
        for size, sections in zip(("typical", "large"), written, strict=True):
            await measure(f"persona of {sections} written sections", None, *written_out(size, folder))


if __name__ == "__main__":
    asyncio.run(main())
