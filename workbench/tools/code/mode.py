"""Code mode: `run_code`, the rule that announces it, and the SDK that programs are written against.

Source: docs/tools.md 10.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.core import Context
from workbench.prompt import AssembleContext, ToolSchema
from workbench.prompt.tool_schema import encode_json, openings
from workbench.tools.registration import RUN_CODE, ToolRegistration

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey
    from workbench.tools.code.limits import ProgramLimits
    from workbench.tools.layer import Presentation
    from workbench.tools.registry import ToolRegistry
    from workbench.tools.runs import ToolRun

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "code": {
            "type": "string",
            "minLength": 1,
            "description": "The Python program. `return` and `print` give its result.",
        },
        "description": {
            "type": "string",
            "description": "What the program does, in one short phrase that a person can approve or refuse.",
        },
    },
    "required": ["code", "description"],
    "additionalProperties": False,
}
DESCRIPTION = (
    "Run a Python program that can call the other tools as functions, and return what it prints and returns. "
    "For work that takes several calls, loops over many items, or needs only a part of what a call gives."
)
RULE = (
    f"# Tools through programs\n\n`{RUN_CODE}` is the only tool that you can call directly. Every other tool that "
    f"these instructions speak of is called from inside a program: write `tools.name(...)` in the code of "
    f"`{RUN_CODE}`. A direct call of another tool fails."
)


class CodeMode:
    """The runtime of programs in one layer, with its two sections."""

    def __init__(
        self,
        ctx: Context,
        presentation: Presentation | None = None,
        limits: ProgramLimits | None = None,
    ) -> None:
        self._registry: ToolRegistry = ctx.tools.registry
        self._limits = limits
        self._sdk = SdkCache(self._registry)
        frame = sys._getframe(1)
        tool = ToolRegistration(
            ToolSchema(RUN_CODE, DESCRIPTION, PARAMETERS),
            self._execute,
            ctx.home.ledger,
            ctx.scope,
            None,
            (frame.f_code, frame.f_lasti),
        )
        self._registry.add_code_tool(ctx, tool)
        prompt = ctx.system_prompt
        prompt.section("tools:ptc-only", prompt.get_section_order("PTC_ONLY"), self._rule)
        prompt.section("tools:sdk", prompt.get_section_order("TOOLS_SDK"), self._sdk.text, literal=True)
        if presentation is not None:
            ctx.tools.present(presentation)

    def _rule(self, context: AssembleContext) -> str:
        return RULE if self._registry.needs_programs(context.scope) else ""

    async def _execute(self, arguments: Mapping[str, Any], run: ToolRun) -> Any:
        from workbench.tools.code.child import Program
        from workbench.tools.code.limits import ProgramLimits
        from workbench.tools.decisions import Success

        subs = run.services.sub_calls
        assert subs is not None, "the pipeline refuses run_code inside a program"
        names = sorted(self._registry.visible(run.scope))
        program = Program(arguments["code"], names, subs, self._limits or ProgramLimits(), run.cwd)
        ended = await program.run()
        value = {"printed": ended.printed, "returned": ended.value}
        return Success(value, _told(ended.printed, ended.value))


def _told(printed: str, value: Any) -> str:
    """What the model reads: what was printed, then what was returned."""
    import json

    if value is None:
        return printed or "(the program ended without printing or returning anything)"
    returned = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    separator = "" if not printed or printed.endswith("\n") else "\n"
    return f"{printed}{separator}{returned}"


class SdkCache:
    """The SDK text of each scope, made anew only when its tool set has changed."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry
        self._scopes: dict[int, tuple[int, int, int, ScopeKey | None, str | None]] = {}
        self._texts: dict[tuple[Any, ...], str] = {}

    def text(self, context: AssembleContext) -> str:
        """The section of this scope; empty under native presentation."""
        registry, scope = self._registry, context.scope
        links = registry.runtime.scopes.version
        kept = self._scopes.get(id(scope))
        if (
            kept is not None
            and kept[0] == registry.version
            and kept[1] == links
            and kept[2] == openings[0]
            and kept[3] is scope
            and kept[4] is not None
        ):
            return kept[4]
        return self._made(scope, links)

    def _made(self, scope: ScopeKey | None, links: int) -> str:
        registry = self._registry
        text = ""
        is_open = False
        if registry.presentation(scope) != "native":
            tools = registry.visible(scope).values()
            is_open = any(tool.schema.is_open for tool in tools)
            text = self._of(tools)
        if len(self._scopes) >= 64:
            self._scopes.clear()
        # A schema that its owner holds open may change without a word: it is looked at each time.
        self._scopes[id(scope)] = (registry.version, links, openings[0], scope, None if is_open else text)
        return text

    def _of(self, tools: Any) -> str:
        from workbench.tools.code.sdk import SdkTool, sdk_text

        key = tuple(sorted(SdkTool(tool.name, tool.schema.json, _output_of(tool)) for tool in tools))
        text = self._texts.get(key)
        if text is None:
            if len(self._texts) >= 8:
                self._texts.clear()
            text = self._texts[key] = sdk_text(key)
        return text


def _output_of(tool: ToolRegistration) -> bytes:
    return b"" if tool.output is None else encode_json(dict(tool.output.schema), f"the output of {tool.name!r}")
