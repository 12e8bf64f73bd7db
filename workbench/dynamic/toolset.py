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
from workbench.prompt import TextSource, ToolSchema
from workbench.tools.decisions import Success
from workbench.tools.failure import ToolFailure
from workbench.tools.output import OutputDeclaration

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.dynamic.service import DynamicPackages

_TEXT = Path(__file__).parent / "texts" / "cordis.md"
_ID = {"type": "string", "description": "Required. Id of one of your packages, such as dyn-1."}

Verb = Callable[[Caller, Mapping[str, Any]], "dict[str, Any] | Awaitable[dict[str, Any]]"]


class PackageTools:
    """The plugin."""

    name = "package_tools"
    inject = ("system_prompt", "tools", "dynamic")
    owner_kind = "harness"

    def __init__(self, ctx: Context) -> None:
        self._dynamic: DynamicPackages = ctx.dynamic
        dynamic = self._dynamic
        dynamic.open()
        prompt = ctx.system_prompt
        prompt.section(
            "tool:cordis",
            prompt.get_section_order("TOOL_CORDIS"),
            _TEXT.read_text(encoding="utf-8").removesuffix("\n"),
            literal=True,
            source=TextSource(str(_TEXT), 1, 1),
        )
        self._register(ctx, "cordis_inspect", _INSPECT, self._inspect)
        self._register(ctx, "cordis_define", _DEFINE, dynamic.define)
        self._register(ctx, "cordis_run", _RUN, dynamic.run)
        self._register(ctx, "cordis_stop", _STOP, dynamic.stop)
        self._register(ctx, "cordis_undefine", _UNDEFINE, dynamic.undefine)
        ctx.effect(lambda: lambda: dynamic.close_all(set(ctx.fiber.point.spared)), "live packages of the toolset")

    def _inspect(self, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"text": inspect_report(self._dynamic, caller, arguments)}

    def _register(self, ctx: Context, name: str, told: tuple[str, dict[str, Any]], verb: Verb) -> None:
        description, properties = told
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
        schema = ToolSchema(name, description, {"type": "object", "properties": properties})
        ctx.tools.register(schema, body, output=output)


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
        waits = f" It waits there for {', '.join(value['client_waiting_for'])}." if value["client_waiting_for"] else ""
        words += f" {confirmed} of {len(value['pages'])} pages confirmed the browser half; loading is not rendering.{waits}"
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

_INSPECT: tuple[str, dict[str, Any]] = (
    "Show what the running harness has: services, plugins, tools, your packages, the interfaces of services, events, "
    "and what a page offers. Without arguments everything; read-only.",
    {
        "what": {
            "type": "string",
            "description": "One of services, plugins, tools, temporary (your packages), api, events, client.",
        },
        "name": {"type": "string", "description": "With api, events and client: that one entry in full."},
    },
)
_DEFINE: tuple[str, dict[str, Any]] = (
    "Record a package, or with `id` a further revision of one of yours. Nothing is run. At least one half.",
    {
        "name": {"type": "string", "description": "Required. Short name of the package."},
        "purpose": {"type": "string", "description": "Required. What it is for, in one sentence; a person reads it."},
        "code": {"type": "string", "description": "Host half: a Python module with `apply(ctx)` at top level."},
        "client": {
            "type": "string",
            "description": "Browser half: JavaScript, the body of an async function. A person has to allow its run.",
        },
        "id": {"type": "string", "description": "Id of one of your packages, to add a revision to it."},
    },
)
_RUN: tuple[str, dict[str, Any]] = (
    "Start a package: its newest revision, or the one named. Another revision that is live is stopped first. With a "
    "browser half it waits until a person answers.",
    {"id": _ID, "revision": {"type": "integer", "description": "Number of the revision, such as 2 for r2."}},
)
_STOP: tuple[str, dict[str, Any]] = (
    "Stop a package: all that it registered is undone when this returns. The definition remains.",
    {"id": _ID},
)
_UNDEFINE: tuple[str, dict[str, Any]] = (
    "Stop a package if it runs, and forget it with all its revisions. The id is never given again.",
    {"id": _ID},
)
