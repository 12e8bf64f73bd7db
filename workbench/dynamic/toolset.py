"""The five tools with which a model extends the harness that it runs in.

They inject the runner: without one they never activate. Source: docs/dynamic-packages.md 1 and 4.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.dynamic.arguments import Caller
from workbench.dynamic.inspecting import inspect_report
from workbench.dynamic.refusals import Refusal
from workbench.dynamic.source.browser import load_engine
from workbench.prompt import TextSource, ToolSchema
from workbench.tools.decisions import Success
from workbench.tools.failure import ToolFailure
from workbench.tools.output import OutputDeclaration

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.dynamic.service import DynamicPackages

_TEXT = Path(__file__).parent / "texts" / "cordis.md"
_ID = {"type": "string", "description": "Id of one of your packages, such as dyn-1."}

Told = tuple[str, dict[str, Any], tuple[str, ...]]
"""Description, properties, and which of them are required."""
Verb = Callable[[Caller, Mapping[str, Any]], "dict[str, Any] | Awaitable[dict[str, Any]]"]


class PackageTools:
    """The plugin, for those who embed the runtime; a composition names `package_tools`."""

    name = "package_tools"
    inject = ("system_prompt", "tools", "dynamic")
    owner_kind = "harness"

    def __init__(self, ctx: Context) -> None:
        register_tools(ctx)


def register_tools(ctx: Context) -> None:
    """The five tools and the section `tool:cordis`; their end stops all packages."""
    dynamic: DynamicPackages = ctx.dynamic
    dynamic.open()
    prompt = ctx.system_prompt
    text = _TEXT.read_text(encoding="utf-8").removesuffix("\n")

    def guidance(assembly: Any) -> str:
        return text if ctx.tools.is_visible("cordis_define", assembly.scope) else ""

    order = prompt.get_section_order("TOOL_CORDIS")
    prompt.section("tool:cordis", order, guidance, literal=True, source=TextSource(str(_TEXT), 1, 1))

    def inspect(caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"text": inspect_report(dynamic, caller, arguments)}

    async def define(caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if arguments.get("client"):
            await load_engine()
        return await dynamic.define_aside(caller, arguments)

    _register(ctx, "cordis_inspect", _INSPECT, inspect)
    _register(ctx, "cordis_define", _DEFINE, define)
    _register(ctx, "cordis_run", _RUN, dynamic.run)
    _register(ctx, "cordis_stop", _STOP, dynamic.stop)
    _register(ctx, "cordis_undefine", _UNDEFINE, dynamic.undefine)
    ctx.effect(lambda: lambda: dynamic.close_all(set(ctx.fiber.point.spared)), "live packages of the toolset")


def _register(ctx: Context, name: str, told: Told, verb: Verb) -> None:
    description, properties, required = told
    words = _WORDS[name]

    async def body(arguments: Any, run: Any) -> Any:
        caller = Caller(run.session_id, (run.call.id, run.call.root_id))
        try:
            value = verb(caller, arguments if isinstance(arguments, Mapping) else {})
            if isawaitable(value):
                value = await value
        except Refusal as refusal:
            raise ToolFailure(refusal.message, refusal.reason) from None
        meta = {"id": value["id"], "revision": value["revision"]} if name == "cordis_define" else None
        return Success(value["text"] if name == "cordis_inspect" else value, words(value), meta)

    output = OutputDeclaration({"type": "string"} if name == "cordis_inspect" else {"type": "object"})
    parameters = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        parameters["required"] = list(required)
    ctx.tools.register(
        ToolSchema(name, description, parameters),
        body,
        output=output,
        is_concurrency_safe=name == "cordis_inspect",
        judges_arguments=True,
    )


def _define_words(value: dict[str, Any]) -> str:
    words = (
        f"{value['id']} r{value['revision']} ({value['name']}) is defined, and not running; "
        f"cordis_run with id {value['id']} starts it."
    )
    return "\n".join([words, *(f"Warning: {each}" for each in value["warnings"])])


def _run_words(value: dict[str, Any]) -> str:
    known = f"{value['id']} r{value['revision']} ({value['run']})"
    is_now = "is" if value["started"] else "was live already, and is"
    provides = f"provides {', '.join(value['provides'])}" if value["provides"] else "provides no service"
    if value["status"] == "waiting" and value["waiting_for"]:
        words = f"{known} {is_now} loaded, and waits for: {', '.join(value['waiting_for'])}."
    else:
        words = f"{known} {is_now} {value['status']}; it {provides}."
    if value["client"] != "none":
        confirmed = sum(page["state"] in ("loaded", "waiting") for page in value["pages"])
        waits = (
            f" It waits there for {', '.join(value['client_waiting_for'])}." if value["client_waiting_for"] else ""
        )
        pages = f"{confirmed} of {len(value['pages'])} pages"
        words += f" {pages} confirmed the browser half; loading is not rendering.{waits}"
    return "\n".join([words, *(f"Warning: {each}" for each in value["warnings"])])


def _stop_words(value: dict[str, Any]) -> str:
    what = "its pending request was taken back" if value["run"] is None else f"{value['run']} is undone"
    return f"{value['id']} is stopped: {what}. The definition remains; cordis_run starts it again."


def _undefine_words(value: dict[str, Any]) -> str:
    was = "It was running and is undone." if value["was_running"] else "It was not running."
    return f"{value['id']} is undefined: the id is invalid from now on. {was}"


_WORDS: dict[str, Callable[[dict[str, Any]], str]] = {
    "cordis_inspect": lambda value: str(value["text"]),
    "cordis_define": _define_words,
    "cordis_run": _run_words,
    "cordis_stop": _stop_words,
    "cordis_undefine": _undefine_words,
}

_INSPECT: Told = (
    "Show what the running harness has: services, plugins, tools, your packages, the interfaces of services, "
    "events, and what a page offers. Without arguments everything; read-only.",
    {
        "what": {
            "type": "string",
            "description": "One of services, plugins, tools, temporary (your packages), api, events, client.",
        },
        "name": {"type": "string", "description": "With api, events and client: that one entry in full."},
    },
    (),
)
_DEFINE: Told = (
    "Record a package, or with `id` a further revision of one of yours. Nothing is run. At least one half.",
    {
        "name": {"type": "string", "description": "Short name of the package."},
        "purpose": {"type": "string", "description": "What it is for, in one sentence; a person reads it."},
        "code": {"type": "string", "description": "Host half: a Python module with `apply(ctx)` at top level."},
        "client": {
            "type": "string",
            "description": "Browser half: JavaScript, the body of an async function. A person has to allow it.",
        },
        "id": {"type": "string", "description": "Id of one of your packages, to add a revision to it."},
    },
    ("name", "purpose"),
)
_RUN: Told = (
    "Start a package: its newest revision, or the one named. Another revision that is live is stopped first. With "
    "a browser half it waits until a person answers.",
    {"id": _ID, "revision": {"type": "integer", "description": "Number of the revision, such as 2 for r2."}},
    ("id",),
)
_STOP: Told = (
    "Stop a package: all that it registered is undone when this returns. The definition remains.",
    {"id": _ID},
    ("id",),
)
_UNDEFINE: Told = (
    "Stop a package if it runs, and forget it with all its revisions. The id is never given again.",
    {"id": _ID},
    ("id",),
)
