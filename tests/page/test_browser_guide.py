"""The example of docs/browser-half.md, as it stands there, and what else the guide says about numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.async_api import expect

from tests.page.sample_pages import shown
from tests.support.page_server import until
from workbench.page.files import frame_files, page_files

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(240)]
GUIDE = (Path(__file__).resolve().parents[2] / "workbench" / "docs" / "browser-half.md").read_text("utf-8")
COMPOSITION = """
models: [{name: scripted, script: script.json}]
agents: [{name: main, provider: scripted, model: m}]
plugins: [package_runner, package_tools, package_page]
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def calls(*steps: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """A script: what the model calls in each step, and then three answers in words."""
    made: list[dict[str, Any]] = [
        {"tool_calls": [{"name": name, "arguments": arguments} for name, arguments in step]} for step in steps
    ]
    return {"sessions": [{"calls": [*made, *({"text": word} for word in ("one", "two", "three"))]}]}


async def test_the_worked_example(browser: Browser, tmp_path: Path) -> None:
    code, client = blocks("python")[0], blocks("javascript")[0]
    defined = {"name": "length", "purpose": "Shows it.", "code": code, "client": client}
    script = calls([("cordis_define", defined)], [("cordis_run", {"id": "dyn-1"})])
    (tmp_path / "script.json").write_text(json.dumps(script))
    (tmp_path / "c.yml").write_text(COMPOSITION)
    async with shown(browser, str(tmp_path / "c.yml")) as s:
        s.agent.followup("Show me.")
        await s.allow("req-1")
        items = s.page.frame("dyn-1").get_by_role("listitem")
        await until(lambda: s.agent.status == "idle")
        await expect(items).to_have_count(1)
        await s.say("Again.")
        await expect(items).to_have_count(2)
        length = re.fullmatch(r"(\d+) characters", await items.first.inner_text())
        assert length is not None
        assert int(length[1]) > 100
        await s.page.press(s.page.frame("dyn-1").get_by_role("button", name="Forget"))
        await expect(items).to_have_count(0)
        await s.say("And again.")
        await expect(items).to_have_count(1)


@pytest.mark.slow
async def test_the_services(browser: Browser, tmp_path: Path) -> None:
    clock, board = blocks("javascript")[1:3]
    script = calls(
        [("cordis_define", {"name": "board", "purpose": "b", "client": board}), ("cordis_run", {"id": "dyn-1"})],
        [("cordis_define", {"name": "clock", "purpose": "c", "client": clock}), ("cordis_run", {"id": "dyn-2"})],
    )
    (tmp_path / "script.json").write_text(json.dumps(script))
    (tmp_path / "c.yml").write_text(COMPOSITION)
    async with shown(browser, str(tmp_path / "c.yml")) as s:
        s.agent.followup("Show me.")
        await s.allow("req-1")
        await expect(s.page.row("dyn-1")).to_contain_text("waits here for tideclock")
        await s.allow("req-2")
        await expect(s.page.frame("dyn-1").locator(".panel div")).to_have_text("14.42")
        await until(lambda: s.agent.status == "idle")


async def test_its_numbers_names_and_styles_are_those_of_the_page() -> None:
    frame = {name: file.content.decode() for name, file in frame_files().items()}
    named = ("halves.js", "half.js", "frames.js", "services.js")
    halves = "".join(page_files()[name].content.decode() for name in named)
    for words, source in (
        ("come back for 5 s", "PATIENCE = 5;"),
        ("more than 16 calls at a time or 50 a second", "PER_SECOND = 50, IN_FLIGHT = 16"),
        ("at most 80 characters", "cut(text, 80)"),
    ):
        assert words in GUIDE
        assert source in halves
    for variable in re.findall(r"`(--[a-z]+)`", GUIDE):
        assert f"{variable}:" in frame["frame.css"]
    for name in ("number", "soft", "faint", "good", "bad"):
        assert f".{name}" in frame["frame.css"]
    for kind in ("too-many", "too-large", "disconnected"):
        assert f"`{kind}`" in GUIDE
        assert kind in halves + page_files()["socket.js"].content.decode()
