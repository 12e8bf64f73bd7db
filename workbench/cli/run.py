"""`workbench run`: talks to the first agent of a composition, with its real tools and its real model.

Source: docs/agents.md 18 and docs/cli.md.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from workbench.agent.log import LogError
from workbench.agent.options import AgentError
from workbench.agent.sessions import APPENDED
from workbench.cli.asking import Questions
from workbench.cli.diagnostics import print_error, print_notes, print_problems
from workbench.cli.exit_codes import ExitCode
from workbench.cli.lines import TypedLines
from workbench.cli.log import log_on
from workbench.cli.output import Output, standard_error, standard_output
from workbench.cli.running import run_async
from workbench.cli.transcript import Transcript
from workbench.config.live import LiveChoices, LiveComposition, open_live
from workbench.config.problems import LoadError
from workbench.config.samples import locate

ApprovalMode = Literal["wait", "deny"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The command line."""

    file: str
    message: str | None = None
    script: str | None = None
    model: str | None = None
    session_log: str | None = None
    agent: str | None = None
    headless: bool = False
    again: bool = False
    """First say again what the last turn of the session log has failed on."""
    approvals: ApprovalMode | None = None
    """None: `wait` where a person is there, else `deny`."""


def run(wanted: Wanted) -> ExitCode:
    """Run the command."""
    return run_async(_run(wanted, standard_output(), standard_error()))


async def _run(wanted: Wanted, output: Output, errors: Output) -> ExitCode:
    choices = LiveChoices(wanted.agent, wanted.model, wanted.script, wanted.session_log)
    try:
        with log_on(errors):
            async with open_live(locate(wanted.file), choices) as live:
                print_notes(live.opened.notes, errors)
                return await _Conversation(live, wanted, output, errors).run()
    except LoadError as error:
        print_problems(error.problems, errors)
    except (AgentError, LogError, OSError) as error:
        print_error(str(error), errors)
    return ExitCode.UNUSABLE


class _Conversation:
    """One run of the command."""

    def __init__(self, live: LiveComposition, wanted: Wanted, output: Output, errors: Output) -> None:
        self._agent = live.agent
        self._root = live.opened.runtime.root
        self._errors = errors
        self._messages = [*live.messages]
        if wanted.message is not None:
            self._messages.append(wanted.message)
        self._says_again = wanted.again
        is_said = bool(self._messages) or wanted.again
        self._is_typed = not is_said and not wanted.headless and sys.stdin.isatty()
        self._lines: TypedLines | None = None
        is_attended = not wanted.headless and sys.stdin.isatty()
        self._asks = is_attended and wanted.approvals != "deny"
        self._approvals = self._root.tools.approvals
        self._approvals.mode = wanted.approvals or ("wait" if is_attended else "deny")
        self._dynamic = self._root.get("dynamic")
        if self._dynamic is not None and wanted.approvals == "deny":
            self._dynamic.approvals_mode = "deny"
        self._transcript = Transcript(self._agent.id, output, errors)
        self._questions = Questions(self._approvals, self._dynamic, self._transcript, errors)
        self._interrupts = 0
        self._ended = asyncio.Event()

    async def run(self) -> ExitCode:
        """Say what is to be said, wait for the end of it, and tell how it ended."""
        self._root.on(APPENDED, self._transcript.appended)
        if self._dynamic is not None:
            self._follow_packages()
        if self._asks:
            self._questions.follow(self._root)
        if self._is_typed or self._asks:
            self._lines = TypedLines()
        with _signals(self._interrupted):
            if self._is_typed:
                await self._talk()
            elif not self._says_again or await self._say_again():
                await self._say_all()
        return self._code()

    async def _say_all(self) -> None:
        """What the command line, the script or a pipe says, one message after another."""
        for message in self._messages or ([] if self._says_again else [await asyncio.to_thread(sys.stdin.read)]):
            if self._interrupts:
                break
            if message.strip():
                await self._say(message)
        if self._agent.failed_input and self._agent.session.path is not None:
            print_notes(["what was said last is kept in the log: --again says it once more"], self._errors)

    def _follow_packages(self) -> None:
        """Say what it means that packages can be run, and print what they print."""
        from workbench.dynamic.events import OUTPUT, REQUEST_RUN
        from workbench.dynamic.runner import TRUST

        page = self._root.get("page")
        at = [] if page is None else [f"the page for browser halves: {page.url}"]
        print_notes([TRUST, *at], self._errors)
        self._root.on(OUTPUT, lambda _id, line: self._transcript.say(str(line)))
        self._root.on(
            REQUEST_RUN,
            lambda asked: self._transcript.say(
                f"{asked.id} r{asked.revision} ({asked.name}) waits for a person who allows it: {asked.purpose}"
            ),
        )

    async def _talk(self) -> None:
        """Message by message, as they are typed."""
        assert self._lines is not None
        ended = asyncio.ensure_future(self._ended.wait())
        try:
            while not self._ended.is_set():
                if self._agent.failed_input:
                    print_notes(["nothing is lost: an empty line says it again"], self._errors)
                self._prompt("> ")
                typing = asyncio.ensure_future(self._lines.next())
                await asyncio.wait({typing, ended}, return_when=asyncio.FIRST_COMPLETED)
                message = typing.result() if typing.done() else None
                typing.cancel()
                if message is None:
                    return
                if message.strip():
                    await self._say(message)
                else:
                    await self._say_again()
                self._interrupts = 0
        finally:
            ended.cancel()

    async def _say(self, message: str) -> None:
        """One message, until every agent is idle."""
        self._agent.followup(message)
        await self._until_idle()

    async def _say_again(self) -> bool:
        """Likewise what the last turn has failed on; False if none has."""
        is_said = self._agent.say_again() is not None
        if is_said:
            await self._until_idle()
        return is_said

    async def _until_idle(self) -> None:
        """What is typed meanwhile answers a question, or steers."""
        idle = asyncio.ensure_future(self._all_idle())
        try:
            while not idle.done():
                typing = None if self._lines is None else asyncio.ensure_future(self._lines.next())
                await asyncio.wait(
                    {idle} if typing is None else {idle, typing}, return_when=asyncio.FIRST_COMPLETED
                )
                if typing is not None and typing.done():
                    self._typed(typing.result())
                elif typing is not None:
                    typing.cancel()
        finally:
            idle.cancel()
            await asyncio.gather(idle, return_exceptions=True)

    def _typed(self, line: str | None) -> None:
        if line is None:
            self._lines = None
            self._questions.give_up()
        elif not (self._asks and self._questions.take(line)) and line.strip() and self._is_typed:
            self._agent.steer(line)

    def _prompt(self, text: str) -> None:
        self._errors.piece(text)

    async def _all_idle(self) -> None:
        """No agent runs any more, children in the background included."""
        agents = self._root.agents
        while running := [agent for agent in agents.all() if agent.status == "running"]:
            for agent in running:
                await agent.when_idle()

    def _interrupted(self) -> None:
        """The first time the turn is cancelled, and what runs is waited for; the second time it is not."""
        self._interrupts += 1
        if self._agent.status == "running" and self._interrupts == 1:
            self._transcript.end_line()
            for agent in self._root.agents.all():
                agent.cancel("user" if agent.parent is None else "parent")
        elif self._agent.status == "running":
            self._transcript.end_line()
            print_error("ended without waiting for what still runs", self._errors)
            os._exit(ExitCode.INTERRUPTED)
        self._ended.set()

    def _code(self) -> ExitCode:
        if self._interrupts and not self._is_typed:
            return ExitCode.INTERRUPTED
        if self._is_typed:
            return ExitCode.OK
        if self._transcript.last_end is None:
            message = "there was nothing to say: give a --message, a --script, or a text on standard input"
            if self._says_again:
                message = "there is nothing to say again: no --session-log whose last turn has failed"
            print_error(message, self._errors)
            return ExitCode.UNUSABLE
        if self._dynamic is not None and self._dynamic.denied:
            return ExitCode.DECLINED
        known = {"completed": ExitCode.OK, "max-tokens": ExitCode.UNFINISHED, "blocked": ExitCode.UNFINISHED}
        return known.get(self._transcript.last_end, ExitCode.FOUND)


@contextmanager
def _signals(handler: Callable[[], None]) -> Iterator[None]:
    """Call `handler` for an interrupt, and where the terminal or the system asks for the end."""
    loop = asyncio.get_running_loop()
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    numbers: list[Any] = [getattr(signal, name) for name in names]
    try:
        for number in numbers:
            loop.add_signal_handler(number, handler)
    except (NotImplementedError, RuntimeError):  # not on this system, or not in the main thread
        numbers = []
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
