"""What the room offers by name, and what asking for it loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

from workbench import config


def test_every_public_name_is_there() -> None:
    for name in config.__all__:
        assert getattr(config, name).__name__ == name


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = config.nothing


def test_opening_a_composition_loads_neither_pydantic_nor_textual() -> None:
    code = (
        "import asyncio, sys\n"
        "from workbench.config import open_composition, locate\n"
        "async def main():\n"
        "    async with open_composition(locate('broken-malformed')): pass\n"
        "asyncio.run(main())\n"
        "print([name for name in ('pydantic.main', 'textual', 'watchdog') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
