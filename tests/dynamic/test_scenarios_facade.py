"""Scenarios D29 to D37: what a package is given, and the boundary of its tools."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dynamic.world import H_REV, World, tool_source
from workbench.core import Context


@pytest.mark.parametrize("member", ["root", "fiber", "plugin", "emit", "effect", "extend", "runtime", "scope"])
async def test_d29_members_of_the_framework(w: World, member: str) -> None:
    message = await w.fails(f"def apply(ctx):\n    ctx.{member}\n")
    assert repr(member) in message
    assert "on, once, provide, get" in message


async def test_d30_undeclared_services(w: World) -> None:
    for expression, name in {
        "ctx.system_prompt": "system_prompt",
        'ctx.get("system_prompt")': "system_prompt",
        "ctx.nope": "nope",
        "ctx.timeout(1)": "timer",
    }.items():
        message = await w.fails(f"def apply(ctx):\n    {expression}\n")
        assert name in message
        assert "inject" in message


async def test_d31_setting_and_asking(w: World) -> None:
    assert "cannot be set" in await w.fails("def apply(ctx):\n    ctx.x = 1\n")
    package_id = await w.started(
        'inject = ["timer"]\ndef apply(ctx):\n'
        '    print(hasattr(ctx, "root"), hasattr(ctx, "on"), hasattr(ctx, "timer"), hasattr(ctx, "timeout"))\n'
    )
    assert w.printed(package_id) == [f"[cordis:{package_id}] False True True True"]


class Leaky:
    """A service that gives away what packages are not given."""

    plain = 7

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self.listed = [1]

    def leak(self) -> Context:
        return self._ctx

    async def later(self) -> Context:
        return self._ctx

    def fine(self) -> str:
        return "fine"


async def test_d32_guards_and_views(w: World) -> None:
    w.root.provide("leaky", Leaky(w.root))
    await w.started(H_REV)
    package_id = await w.started(
        """inject = ["leaky", "tools"]
async def apply(ctx):
    def attempt(read):
        try:
            return read()
        except AttributeError as error:
            return "refused: " + str(error)[:24]
    print(attempt(lambda: ctx.leaky.leak()))
    try:
        await ctx.leaky.later()
    except AttributeError as error:
        print("refused:", str(error)[:20])
    print(ctx.leaky.plain, ctx.leaky.listed, ctx.leaky.fine())
    print(attempt(lambda: ctx.leaky._ctx))
    print(attempt(lambda: ctx.leaky.nothing))
    tool = ctx.tools.get("reverse_text")
    print(tool.name, tool.description, tool.parameters["required"])
    print([name for name in ("execute", "register", "ledger") if hasattr(tool, name)])
    print("reverse_text" in [each.name for each in ctx.tools.schemas()])
    print(attempt(lambda: ctx.tools.restrict(deny=["x"])))
"""
    )
    lines = [line.partition("] ")[2] for line in w.printed(package_id)]
    assert lines == [
        "refused: leaky.leak() gave a Cont",
        "refused: leaky.later() gave a",
        "7 [1] fine",
        "refused: names of service 'leaky'",
        "refused: service 'leaky' has no '",
        "reverse_text Reverse a text. ['text']",
        "[]",
        "True",
        "refused: a package is not given '",
    ]


def defining(parameters: str, output: str = '{"schema": {"type": "string"}, "render": print}') -> str:
    return (
        'inject = ["tools"]\ndef apply(ctx):\n    ctx.tools.register(harness.define_tool(\n'
        f'        name="t", description="d", parameters={parameters}, output={output}, execute=print))\n'
    )


@pytest.mark.parametrize(
    ("parameters", "path", "part"),
    [
        ('{"a": {"type": "strng"}}', "parameters.properties.a.type", "string, number, integer"),
        ('{"a": {"type": "object"}}', "parameters.a", "additionalProperties"),
        ('{"type": "object", "properties": {}, "required": ["b"]}', "parameters.required", "'b'"),
        ('{"a": {"enum": []}}', "parameters.properties.a.enum", "enum"),
        ('{"a": {"type": "string", "required": False}}', "parameters.a.required", "True"),
        ('{"a": {"pattern": "x"}}', "parameters.properties.a.pattern", "unknown keyword"),
        ('{"a": {"oneOf": [{}]}}', "parameters.properties.a.oneOf", "two"),
        ('{"a": 5}', "parameters.a", "give a schema"),
        ("{1: {}}", "parameters", "not a text"),
        ('{"a": {"default": {1, 2}}}', "parameters.a.default", "set is not JSON"),
        ('{"type": "object", "additionalProperties": False}', "parameters.additionalProperties", "leave it out"),
        ('{"a": {"type": "array", "items": {"type": "x"}}}', "parameters.properties.a.items.type", "types are"),
        ("[1]", "parameters", "give an object"),
    ],
)
async def test_d33_schemas_that_are_refused(w: World, parameters: str, path: str, part: str) -> None:
    message = await w.fails(defining(parameters))
    assert path in message
    assert part in message
    assert "line 3" in message


async def test_d74_a_cycle_and_a_deep_schema_are_refused(w: World) -> None:
    assert "a cycle" in await w.fails("d = {}\nd['a'] = d\n" + defining("d"))
    deep = "d = {}\nfor i in range(5000): d = {'type': 'array', 'items': d}\n"
    message = await w.fails(deep + defining('{"a": d}'))
    assert "100" in message
    assert "parameters.a.items" in message


async def test_d34_a_json_schema(w: World) -> None:
    parameters = (
        '{"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}, '
        '"n": {"type": "integer", "default": 3}}}'
    )
    await w.started(H_REV.replace('{"text": {"type": "string", "required": True}}', parameters))
    schema = w.root.tools.get("reverse_text").schema.parameters
    assert schema["required"] == ["text"]
    assert schema["properties"]["n"] == {"type": "integer", "default": 3}
    assert (await w.call("S1", "reverse_text", n=3)).error.code == "INVALID_ARGS"


async def test_the_short_form(w: World) -> None:
    await w.started(
        defining(
            '{"a": {"type": "json", "required": True}, "type": {"type": "string"}, '
            '"o": {"type": "object", "additionalProperties": True}}'
        )
    )
    assert w.root.tools.get("t").schema.parameters == {
        "type": "object",
        "properties": {
            "a": {},
            "type": {"type": "string"},
            "o": {"type": "object", "additionalProperties": True},
        },
        "required": ["a"],
    }


async def test_d35_only_what_define_tool_gave_is_registered(w: World) -> None:
    message = await w.fails('inject = ["tools"]\ndef apply(ctx):\n    ctx.tools.register({"name": "x"})\n')
    assert "define_tool" in message
    message = await w.fails('def apply(ctx):\n    harness.define_tool(name="x", description="d", parameters={})\n')
    assert "line 2: TypeError: harness.define_tool() missing 2 required" in message


async def test_d36_the_schema_was_copied(w: World) -> None:
    await w.started(
        'inject = ["tools"]\np = {"a": {"type": "string"}}\ndef apply(ctx):\n'
        '    ctx.tools.register(harness.define_tool(name="t", description="d", parameters=p, '
        'output={"schema": {}, "render": print}, execute=print))\n    p["a"]["type"] = "number"\n    p["b"] = {}\n'
    )
    assert w.root.tools.get("t").schema.parameters["properties"] == {"a": {"type": "string"}}


async def test_d37_results_are_lossless_json(w: World) -> None:
    body = (
        'return {"tuple": lambda: (1, 2), "nan": lambda: float("nan"), "key": lambda: {1: 2}, "set": lambda: {1},'
        '"big": lambda: 2**60, "half": lambda: "\\ud800", "minus": lambda: -0.0, "bytes": lambda: b"x",'
        '"own": lambda: Own(), "deep": deep, "cycle": cycle, "ok": lambda: {"ok": 1}}[args["what"]]()'
    )
    head = """class Own: pass
def deep():
    d = []
    for i in range(200): d = [d]
    return d
def cycle():
    d = []
    d.append(d)
    return d
"""
    await w.started(tool_source(body, head=head))
    for what in ("tuple", "nan", "key", "set", "big", "half", "minus", "bytes", "own", "deep", "cycle"):
        result = await w.call("S1", "t", what=what)
        assert result.error is not None, what
        assert "lossless JSON" in result.error.message
        assert "dyn-1" in result.error.message
    assert (await w.call("S1", "t", what="ok")).value == {"ok": 1}
    assert w.state("dyn-1") == "running"


async def test_d37_a_render_that_gives_no_blocks(w: World) -> None:
    await w.started(H_REV.replace('return [{"type": "text", "text": value}]', 'return "q" * 500'))
    error = (await w.call("S1", "reverse_text", text="a")).error
    assert error is not None
    assert 100 < error.message.count("q") <= 121


async def test_exceptions_in_every_hook_stay_with_the_package(w: World) -> None:
    """Tools, renders, listeners, providers, timers: each error names the package, and none ends anything else."""
    boom = 'raise ValueError("boom")'
    await w.started(tool_source(boom))
    error = (await w.call("S1", "t")).error
    assert error is not None
    assert all(part in error.message for part in ("boom", "dyn-1", "line"))
    await w.started(
        f"""inject = ["timer", "system_prompt"]
def fail(*args):
    {boom}
def apply(ctx):
    ctx.on("tools/change", fail)
    ctx.timeout(fail, 0)
    ctx.system_prompt.variable("unused_by_all", fail)
"""
    )
    with pytest.raises(Exception, match="boom"):
        await w.prompt()
    await w.ok("S1", "cordis_stop", id="dyn-2")
    assert "You are it." in await w.prompt()
    await w.started(
        'def fail(call, next):\n    raise ValueError("boom")\ndef apply(ctx):\n    ctx.on("tools/execute", fail)\n'
    )
    error = (await w.call("S1", "cordis_inspect", what="tools")).error
    assert error is not None
    assert "dyn-3" in error.message
    await w.people.stop("dyn-3")


async def test_the_facade_ends_with_its_activation(w: World) -> None:
    kept: list[Any] = []
    w.root.provide("keeper", type("Keeper", (), {"keep": staticmethod(kept.append)})())
    w.baseline = await w.facts()
    await w.started('inject = ["keeper"]\ndef apply(ctx):\n    ctx.keeper.keep(ctx)\n')
    await w.ok("S1", "cordis_stop", id="dyn-1")
    for use in (lambda ctx: ctx.on("x", print), lambda ctx: ctx.keeper, lambda ctx: ctx.provide("x", 1)):
        with pytest.raises(Exception, match="inactive") as caught:
            use(kept[0])
        assert "dyn-1" in str(caught.value)
    await w.check_clean()


async def test_a_later_refusal_is_told_to_the_owner_once(w: World) -> None:
    await w.started(tool_source("return ctx.nope"))
    for _ in range(3):
        assert (await w.call("S1", "t")).error is not None
    assert [session for session, _ in w.notes] == ["S1"]
    assert "nope" in w.notes[0][1]
