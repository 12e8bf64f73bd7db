"""What a person at the terminal is asked: tool calls and packages, one at a time."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.dynamic.world import B_OK, H_SEC, World, world
from workbench.cli.asking import Questions
from workbench.cli.output import Output
from workbench.cli.transcript import Transcript
from workbench.dynamic.source.browser import is_available
from workbench.page.start import PackagePage
from workbench.tools.decisions import Ask
from workbench.tools.events import PRE_EXECUTE

pytestmark = pytest.mark.skipif(not is_available(), reason="needs the extra `page`")


class Terminal:
    """What stands on it."""

    def __init__(self) -> None:
        self._raw = io.BytesIO()
        self.output = Output(io.TextIOWrapper(self._raw, encoding="utf-8", write_through=True), {})

    @property
    def text(self) -> str:
        return self._raw.getvalue().decode()

    @property
    def last(self) -> str:
        return self.text.splitlines()[-1]


@asynccontextmanager
async def asking() -> AsyncIterator[tuple[World, Terminal, Questions]]:
    async with world() as made:
        terminal = Terminal()
        transcript = Transcript("S1", terminal.output, terminal.output)
        questions = Questions(made.root.tools.approvals, made.dynamic, transcript, terminal.output)
        questions.follow(made.root)
        yield made, terminal, questions


async def test_allow_after_a_look_at_the_code() -> None:
    async with asking() as (made, terminal, questions):
        made.page("page-1")
        assert not questions.take("y"), "nothing was asked"
        run = await made.asked(await made.define(H_SEC, client=f"{B_OK} // \x1b[2J"))
        assert terminal.last == "allow this run of dyn-1 r1? [y, N reason, s shows its code] "
        assert questions.take("use the other file")
        assert made.state("dyn-1") == "awaiting-approval", "a word for the agent decides nothing"
        assert questions.take("s")
        assert '3      ctx.system_prompt.section("x:note", 1500, "NOTE")' in terminal.text
        assert "‹ESC›[2J" in terminal.text
        assert "\x1b" not in terminal.text
        assert terminal.last.startswith("allow this run of dyn-1 r1?")
        assert questions.take("y")
        assert (await run).value["status"] == "running"
        request = made.dynamic.requests.find("req-1")
        assert request is not None
        assert request.answer is not None
        assert request.answer.by == "terminal"
        assert not questions.take("y")


@pytest.mark.parametrize(("line", "reason"), [("", ""), ("n", ""), ("N not now", "not now"), ("no", "")])
async def test_deny(line: str, reason: str) -> None:
    async with asking() as (made, _, questions):
        run = await made.asked(await made.define(client=B_OK))
        assert questions.take(line)
        error = (await run).error
        assert error.code == "rejected"
        assert (reason in error.message) is True


async def test_what_is_answered_elsewhere_or_taken_back_is_asked_no_more() -> None:
    async with asking() as (made, terminal, questions):
        page = made.page("page-1")
        first, second = await made.define(client=B_OK), await made.define(client=B_OK)
        runs = [await made.asked(first), await made.asked(second, "S1")]
        assert made.dynamic.pages.answer(page.id, "req-1", True)
        assert "dyn-1 r1: allowed by page-1" in terminal.text
        assert terminal.last.startswith("allow this run of dyn-2 r1?")
        await made.people.stop(second)
        assert "dyn-2 r1: taken back" in terminal.text
        assert not questions.take("y")
        assert [(await run).error is None for run in runs] == [True, False]


async def test_one_question_at_a_time_the_oldest_first() -> None:
    async def ask(call: Any, next: Any) -> Any:
        return Ask("policy") if call.name == "cordis_inspect" else await next()

    async with asking() as (made, terminal, questions):
        made.root.on(PRE_EXECUTE, ask)
        looking = made.running("S2", "cordis_inspect", what="temporary")
        await made.until(lambda: bool(made.root.tools.approvals.pending))
        assert terminal.last == "allow cordis_inspect (policy)? [y/N] "
        run = await made.asked(await made.define(client=B_OK))
        assert terminal.last == "allow cordis_inspect (policy)? [y/N] "
        assert questions.take("y")
        assert terminal.last.endswith("allow this run of dyn-1 r1? [y, N reason, s shows its code] ")
        assert (await looking).error is None
        questions.give_up()
        assert (await run).error.code == "rejected"
        assert made.dynamic.denied == 1
        assert (made.dynamic.approvals_mode, made.root.tools.approvals.mode) == ("deny", "deny")


async def test_without_a_page_it_says_where_one_is_to_be_opened() -> None:
    async with asking() as (made, terminal, questions):
        await made.root.plugin(PackagePage)
        run = await made.asked(await made.define(client=B_OK))
        assert questions.take("y")
        assert f"no page is open: it waits until one is, at {made.root.page.url}" in terminal.text
        await made.people.stop("dyn-1")
        assert (await run).error.code == "cancelled"


async def test_without_a_person_a_page_can_still_answer() -> None:
    async with asking() as (made, _, questions):
        page = made.page("page-1")
        run = await made.asked(await made.define(client=B_OK))
        questions.give_up()
        assert made.dynamic.pages.answer(page.id, "req-1", True)
        assert (await run).error is None
