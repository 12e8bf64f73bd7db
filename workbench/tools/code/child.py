"""The parent's side of a program: start the child, serve its calls, and be sure that it ends.

Source: docs/tools.md 10.3.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.tools.calls import ToolFailure, ToolResult
from workbench.tools.code.limits import ProgramLimits
from workbench.tools.processes import ProcessGroup
from workbench.tools.waiting import to_the_end
from workbench.values import NotJson, clean_text, freeze_foreign

if TYPE_CHECKING:
    from workbench.tools.sub_calls import SubCalls

WORKER = Path(__file__).with_name("worker.py")
MAX_FRAME = 16 * 1024 * 1024
"""Bytes of one frame. A child that announces more is not ours any more."""
GRACE_SECONDS = 2.0
"""For a child that has closed its channel, to end by itself."""
MAX_RAW_OUTPUT = 1024 * 1024
"""Bytes that a program may write past `print`, to the raw descriptors."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A program that came to its end."""

    printed: str
    value: Any
    """What it returned; frozen JSON."""


class Program:
    """One run of one program."""

    def __init__(
        self, code: str, names: Sequence[str], subs: SubCalls, limits: ProgramLimits, cwd: str | None
    ) -> None:
        self._code = code
        self._names = names
        self._subs = subs
        self._limits = limits
        self._cwd = cwd if cwd is not None and os.path.isdir(cwd) else None
        self._printed: list[str] = []
        self._printed_size = 0
        self._raw = bytearray()
        self._ending: tuple[str, str] | None = None
        """Code and message, where the parent had to end the child."""
        self._process: ProcessGroup | None = None
        self._input: asyncio.StreamWriter | None = None
        self._clock = _Clock(limits.seconds, lambda: self._end("PROGRAM_TIMEOUT", self._too_slow()))
        self._is_ready = False
        self._replies: set[asyncio.Task[None]] = set()
        self._writing = asyncio.Lock()

    @property
    def printed(self) -> str:
        return clean_text("".join(self._printed))

    async def run(self) -> Ended:
        """Run to the end. Raises `ToolFailure`; whatever happens, the child is gone and no call is open."""
        process = self._process = self._started()
        raw: asyncio.Task[None] | None = None
        try:
            frames, errors = await process.outputs()
            self._input = await process.input()
            raw = asyncio.get_running_loop().create_task(self._drain_raw(errors), name="program: raw output")
            await self._send(
                {
                    "op": "run",
                    "code": self._code,
                    "names": list(self._names),
                    "output_limit": self._limits.output_characters,
                    "flood_limit": self._limits.flood_characters,
                    "value_limit": self._limits.value_characters,
                    "memory_limit": self._limits.memory_bytes,
                }
            )
            return await self._serve(frames)
        finally:
            self._clock.stop()
            await to_the_end(self._clean_up(process, raw))

    def _started(self) -> ProcessGroup:
        try:
            return ProcessGroup.start(
                [sys.executable, "-I", "-X", "utf8", str(WORKER)],
                cwd=self._cwd,
                env={"PATH": os.defpath, "LANG": "C.UTF-8"},
                input=subprocess.PIPE,
            )
        except OSError as error:
            raise ToolFailure(f"no process could be started for the program: {error}", "PROGRAM_DIED") from error

    async def _clean_up(self, process: ProcessGroup, raw: asyncio.Task[None] | None) -> None:
        """Kill what is left of the child, and drain its open calls."""
        await process.end()
        await self._subs.settle()
        tasks = {*self._replies} if raw is None else {*self._replies, raw}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _serve(self, stdout: asyncio.StreamReader) -> Ended:
        while True:
            frame = await self._received(stdout)
            match frame.get("op"):
                case "ready" if not self._is_ready:
                    self._is_ready = True
                    self._clock.resume()  # the start of the process is not the program's time
                case "print":
                    self._keep(str(frame.get("text", "")))
                case "call":
                    self._begin_call(frame)
                case "done":
                    return Ended(self.printed, self._checked(frame.get("value")))
                case "failed":
                    raise ToolFailure(self._with_output(str(frame.get("message", ""))), "PROGRAM_FAILED")
                case "flood":
                    self._end("OUTPUT_LIMIT", self._flooded())
                case _:
                    self._end("PROGRAM_DIED", "the program disturbed the channel to its tools")

    async def _received(self, stdout: asyncio.StreamReader) -> dict[str, Any]:
        try:
            size = int.from_bytes(await stdout.readexactly(4), "big")
            if size > MAX_FRAME:
                raise ValueError("frame too large")
            frame = json.loads(await stdout.readexactly(size))
            if not isinstance(frame, dict):
                raise ValueError("no frame")
        except (ValueError, RecursionError):
            self._end("PROGRAM_DIED", "the program disturbed the channel to its tools")
            frame = {}
        except (asyncio.IncompleteReadError, ConnectionError):
            raise await self._death() from None
        if self._ending is not None:
            raise await self._death()
        return frame

    async def _death(self) -> ToolFailure:
        """Why the child's frames have ended."""
        process = self._process
        assert process is not None
        try:
            # It has closed its channel; whoever does that without ending is ended.
            await asyncio.wait_for(process.wait(), 0 if self._ending is not None else GRACE_SECONDS)
        except TimeoutError:
            process.kill()
        status = await process.wait()
        if self._ending is not None:
            code, message = self._ending
            return ToolFailure(self._with_output(message), code)
        how = f"by signal {-status}" if status < 0 else f"with exit status {status}"
        tail = clean_text(self._raw[-500:].decode("utf-8", "replace")).strip()
        message = f"the program's process ended {how} before the program did" + (f": {tail}" if tail else "")
        return ToolFailure(self._with_output(message), "PROGRAM_DIED")

    def _end(self, code: str, message: str) -> None:
        if self._ending is None:
            self._ending = (code, message)
        if self._process is not None:
            self._process.kill()

    def _keep(self, text: str) -> None:
        self._printed_size += len(text)
        if self._printed_size > self._limits.output_characters + 1000:
            self._end("OUTPUT_LIMIT", self._flooded())
        else:
            self._printed.append(text)

    async def _drain_raw(self, stderr: asyncio.StreamReader) -> None:
        total = 0
        while chunk := await stderr.read(65536):
            total += len(chunk)
            self._raw = (self._raw + chunk)[-2000:]
            if total > MAX_RAW_OUTPUT:
                self._end("OUTPUT_LIMIT", self._flooded())

    # -- calls -------------------------------------------------------------------------------------------

    def _begin_call(self, frame: dict[str, Any]) -> None:
        number, name = frame.get("id"), str(frame.get("name"))
        try:
            arguments = freeze_foreign(frame.get("arguments"))
        except NotJson as error:
            arguments = f"{error}"
        call = self._subs.start(name, arguments)
        self._clock.pause()
        reply = asyncio.get_running_loop().create_task(self._reply(number, call), name=f"reply to {name}")
        self._replies.add(reply)
        reply.add_done_callback(self._replies.discard)

    async def _reply(self, number: Any, call: asyncio.Task[ToolResult]) -> None:
        await asyncio.wait({call})
        self._clock.resume()
        if call.cancelled() or call.exception() is not None:
            self._end("PROGRAM_DIED", "a call of the program could not be recorded")
            return
        result = call.result()
        reply: dict[str, Any] = {"op": "reply", "id": number, "ok": result.error is None}
        if result.error is not None:
            reply |= {"code": result.error.code, "message": result.error.message}
        else:
            reply["value"] = result.text if result.value is None else result.value
        with contextlib.suppress(ConnectionError):
            await self._send(reply)

    async def _send(self, message: dict[str, Any]) -> None:
        assert self._input is not None
        data = json.dumps(message).encode()
        async with self._writing:
            with contextlib.suppress(ConnectionError):
                self._input.write(len(data).to_bytes(4, "big") + data)
                await self._input.drain()

    # -- words -------------------------------------------------------------------------------------------

    def _checked(self, value: Any) -> Any:
        try:
            return freeze_foreign(value)
        except NotJson as error:
            raise ToolFailure(self._with_output(f"the program returned what is not JSON: {error}")) from error

    def _with_output(self, message: str) -> str:
        printed = self.printed
        return f"{message}\n\nIt had printed:\n{printed}" if printed.strip() else message

    def _too_slow(self) -> str:
        return f"the program computed for more than {self._limits.seconds:g} seconds and was ended"

    def _flooded(self) -> str:
        return "the program printed too much and was ended; print only what is needed"


class _Clock:
    """Counts the time in which a program computes: it stands while any of its calls is open."""

    def __init__(self, seconds: float, expired: Any) -> None:
        self._left = seconds
        self._expired = expired
        self._holds = 1
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._is_over = False

    def pause(self) -> None:
        self._holds += 1
        if self._timer is not None:
            self._left -= asyncio.get_running_loop().time() - self._since
            self._timer.cancel()
            self._timer = None

    def resume(self) -> None:
        self._holds -= 1
        if self._holds == 0 and not self._is_over:
            loop = asyncio.get_running_loop()
            self._since = loop.time()
            self._timer = loop.call_later(max(self._left, 0), self._expired)

    def stop(self) -> None:
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
