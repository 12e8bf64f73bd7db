"""Compiling a host half without keeping the event loop: a long one elsewhere, a short one here.

Source: docs/dynamic-packages.md 5.
"""

from __future__ import annotations

import asyncio
import marshal
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

from workbench.dynamic.refusals import Refusal
from workbench.dynamic.source.host import TOO_DEEP, HostHalf, compile_host
from workbench.tools.processes import ProcessGroup
from workbench.tools.waiting import to_the_end

LONG = 16 << 10
"""Characters from which on a process of its own is quicker than what it would keep the loop for."""
_CHILD = Path(__file__).with_name("compile_child.py")
_ROOT = Path(__file__).resolve().parents[3]


async def compile_aside(source: str, file: str, waterfalls: Collection[str]) -> HostHalf:
    """As `compile_host`. Cancelling this ends the process."""
    if len(source) < LONG:
        return compile_host(source, file, waterfalls)
    try:
        given = marshal.dumps((source, file, sorted(waterfalls)))
        status, made = await _elsewhere(given)
    except OSError:  # no process can be had
        return await asyncio.to_thread(compile_host, source, file, waterfalls)
    if status != 0:  # the compiler itself has come to its end there
        raise Refusal("syntax", TOO_DEEP)
    kind, first, second, warnings = marshal.loads(made)
    if kind == "refused":
        raise Refusal(first, second)
    return HostHalf(source, first, second, warnings)


async def _elsewhere(given: bytes) -> tuple[int, bytes]:
    """Exit status and output."""
    with tempfile.TemporaryFile() as file:
        await asyncio.to_thread(file.write, given)
        file.seek(0)
        command = [sys.executable, "-I", "-S", "-B", str(_CHILD), str(_ROOT)]
        group = ProcessGroup.start(command, input=file)
    try:
        out, _ = await group.outputs()
        made = await out.read()
        return await group.wait(), made
    finally:
        await to_the_end(group.end())


def renamed(half: HostHalf, file: str) -> HostHalf:
    """The same for the file that it turned out to be."""
    return HostHalf(half.source, _renamed(half.code, file), half.helpers, half.warnings)


def _renamed(code: Any, file: str) -> Any:
    inner = tuple(_renamed(each, file) if isinstance(each, type(code)) else each for each in code.co_consts)
    return code.replace(co_filename=file, co_consts=inner)
