"""Scenarios D01 to D14: define."""

from __future__ import annotations

import pytest

from tests.dynamic.world import B_SYN, H_NOP, H_REV, World
from workbench.dynamic.source.browser import is_available

browser = pytest.mark.skipif(not is_available(), reason="needs the extra `page`")


async def test_d01_define(w: World) -> None:
    result = await w.call("S1", "cordis_define", name="rev", purpose="reverse", code=H_REV)
    assert result.value == {
        "id": "dyn-1",
        "revision": 1,
        "name": "rev",
        "purpose": "reverse",
        "host": True,
        "client": False,
        "warnings": [],
    }
    assert all(part in result.text for part in ("dyn-1", "not running", "cordis_run"))
    assert result.meta == {"id": "dyn-1", "revision": 1}
    assert not w.has_tool("reverse_text")
    await w.check_clean()


async def test_d02_bad_arguments_use_up_no_id(w: World) -> None:
    for argument, given in {
        "name": {"name": "  ", "purpose": "x", "code": H_NOP},
        "purpose": {"name": "x", "purpose": "", "code": H_NOP},
        "code": {"name": "x", "purpose": "x"},
        "foo": {"name": "x", "purpose": "x", "code": H_NOP, "foo": 1},
        "client": {"name": "x", "purpose": "x", "client": 5},
    }.items():
        reason, message = await w.refused("S1", "cordis_define", **given)
        assert reason == "invalid-arguments"
        assert argument in message
    assert await w.define(H_NOP) == "dyn-1"


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        pytest.param("def apply(ctx):\n    return (", ["code", "line 2", "return (", "^"], id="d03"),
        pytest.param('name = "x"\nreturn 1', ["line 2", "apply"], id="d04-return"),
        pytest.param("await x", ["async def apply"], id="d04-await"),
        pytest.param("const a = () => 1", ["this half is Python"], id="d05"),
        pytest.param("x = " + "-" * 200_000 + "1", ["code"], id="d11-deep"),
        pytest.param("x = 'a\0b'", ["code"], id="d11-nul"),
        pytest.param("x = 1" + " + 1" * 60_000, ["code"], id="deep-for-the-compiler"),
        pytest.param("x = '\ud800'", ["code"], id="half-a-character"),
    ],
)
async def test_host_halves_that_do_not_parse(w: World, code: str, parts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.tools.executor.materialize", __import__("json").loads)  # as it is, lone halves too
        reason, message = await w.refused("S1", "cordis_define", name="x", purpose="x", code=code)
    assert reason == "syntax"
    assert all(part in message for part in parts), message
    assert await w.define(H_NOP) == "dyn-1"


@browser
async def test_d06_browser_halves_that_do_not_parse(w: World) -> None:
    for source, part in {
        B_SYN: "client",
        "return { t: 'x' as const }": "TypeScript",
        "return () => <div/>": "JSX",
        "} ; (function(){": "client",
        "import x from 'y'": "import",
        "let a; let a": "already been declared",
    }.items():
        reason, message = await w.refused("S1", "cordis_define", name="x", purpose="x", client=source)
        assert reason == "syntax"
        assert part in message
        assert "`client`" in message
        assert "line 1" in message


@browser
async def test_d07_one_failing_half_keeps_both_out(w: World) -> None:
    reason, message = await w.refused("S1", "cordis_define", name="x", purpose="x", code=H_REV, client=B_SYN)
    assert reason == "syntax"
    assert "client" in message
    assert w.dynamic.packages() == ()


@browser
async def test_d08_current_javascript(w: World) -> None:
    assert await w.define(client="return (a) => a?.b ?? 1") == "dyn-1"
    assert await w.define(client='const x = await host.call("m"); return () => x') == "dyn-2"


async def test_a_browser_half_needs_the_extra(w: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.dynamic.source.browser.is_available", lambda: False)
    reason, message = await w.refused("S1", "cordis_define", name="x", purpose="x", client="return 1")
    assert (reason, "page" in message) == ("invalid-arguments", True)


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("import os", "`ctx.fs`"),
        ("from urllib import request", "`ctx.web`"),
        ("import subprocess", "`ctx.shell`"),
        ("import asyncio", "`ctx.timeout`"),
        ("import json", "already bound"),
        ("import sys", "no substitute"),
        ('__import__("os")', "`ctx.fs`"),
        ("().__class__", "__class__"),
        ("(0 for _ in ()).gi_frame", "gi_frame"),
        ("match len:\n    case object(__self__=b): pass", "__self__"),
        ("int.mro()", "mro"),
        ("def f():\n    global __builtins__", "__builtins__"),
    ],
)
async def test_d09_d10_what_leads_out_of_the_sandbox(w: World, code: str, part: str) -> None:
    reason, message = await w.refused("S1", "cordis_define", name="x", purpose="x", code=f"x = 1\n{code}")
    assert reason == "forbidden-source"
    assert part in message
    assert f"line {2 + code.count(chr(10))}" in message


async def test_d10_own_methods_may_have_such_names(w: World) -> None:
    await w.define("class A:\n    def __len__(self):\n        return 1\n    def __init__(self): pass\n")


async def test_d11_a_half_over_the_limit(w: World) -> None:
    reason, message = await w.refused("S1", "cordis_define", name="x", purpose="x", code="#" * 300 * 1024)
    assert (reason, "code" in message) == ("invalid-arguments", True)


async def test_d12_a_listener_without_next_is_a_warning(w: World) -> None:
    source = 'def apply(ctx):\n    ctx.on("tools/pre-execute", f)\nasync def f(call, next):\n    %s\n'
    for body, warned in {"return None": 1, "next()": 1, "return await next()": 0, "return next()": 0}.items():
        value = await w.ok("S1", "cordis_define", name="x", purpose="x", code=source % body)
        assert len(value["warnings"]) == warned, body
        if warned:
            assert all(part in value["warnings"][0] for part in ("tools/pre-execute", "next"))


async def test_d13_define_with_an_id_appends_a_revision(w: World) -> None:
    await w.define(H_REV)
    value = await w.ok("S1", "cordis_define", id="dyn-1", name="other", purpose="test", code=H_NOP)
    assert (value["id"], value["revision"], value["name"]) == ("dyn-1", 2, "other")
    assert await w.define(H_NOP) == "dyn-2"


async def test_d14_ids_count_over_all_sessions(w: World) -> None:
    assert [await w.define(H_NOP, session) for session in ("S1", "S2")] == ["dyn-1", "dyn-2"]


async def test_without_a_session_every_acting_verb_is_refused(w: World) -> None:
    for tool, given in {
        "cordis_define": {"name": "x", "purpose": "x", "code": H_NOP},
        "cordis_run": {"id": "dyn-1"},
        "cordis_stop": {"id": "dyn-1"},
        "cordis_undefine": {"id": "dyn-1"},
    }.items():
        reason, message = await w.refused("", tool, **given)
        assert (reason, "session" in message) == ("invalid-arguments", True)
    assert "## Services" in await w.ok("", "cordis_inspect", what="services")
