"""Structured output: the last act of an agent is one call whose arguments are the result.

Source: docs/tools.md 11.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core import Context
from workbench.prompt import AssembleContext, TextSource, ToolSchema
from workbench.tools.registration import ToolError

if TYPE_CHECKING:
    from workbench.tools.events import Invocation, Settled
    from workbench.tools.runs import ToolRun

TOOL = "structured_output"
DESCRIPTION = (
    "Hand over the final result of the task. The call itself is the answer, and ends the work: it is "
    "made exactly once, when everything else is done. Arguments that do not fit the schema are "
    "returned with the reason, and can be sent again."
)
_TEXT = Path(__file__).parent / "texts" / "structured_output.md"


def register_structured_output(
    ctx: Context, schema: Mapping[str, Any], on_captured: Callable[[Any], None] | None = None
) -> StructuredOutput:
    """Register the tool, its section and its guard in the layer of `ctx`, the child's own scope.

    `on_captured(value)` is called once, when the result of a valid call is recorded as a success; for a call
    from inside a program, when the program's result is. From then on the guard refuses every call.
    Raises `ToolError` for a schema that is not of type object, or that cannot judge anything.
    """
    from workbench.tools.schema_shape import first_mistake
    from workbench.tools.validation import SchemaUnusable, SchemaValidator

    mistake = first_mistake(schema)
    if mistake is None:
        try:
            SchemaValidator(schema).problems({})
        except SchemaUnusable as error:
            mistake = str(error)
    if mistake is not None:
        raise ToolError(f"the schema of the output is no JSON Schema: {mistake}")
    return StructuredOutput(ctx, schema, on_captured, is_final=True)


class StructuredOutput:
    """The tool in one layer. `is_final`: a captured value ends all calls of that layer."""

    def __init__(
        self,
        ctx: Context,
        schema: Mapping[str, Any],
        on_captured: Callable[[Any], None] | None,
        *,
        is_final: bool,
    ) -> None:
        self._on_captured = on_captured
        self._staged: dict[str, Any] = {}
        """By the call of the model that a valid call belongs to."""
        self.is_captured = False
        self.value: Any = None
        """The captured value; frozen JSON."""
        if schema.get("type") != "object":
            raise ToolError(
                f"the schema of a structured output must be of type object, and this one's type is "
                f"{schema.get('type', 'none')}; put the value into a property"
            )
        ctx.tools.register(ToolSchema(TOOL, DESCRIPTION, schema), self._execute)
        text, source = section_text()
        tools = ctx.tools

        def guidance(context: AssembleContext) -> str:
            return text if tools.is_visible(TOOL, context.scope) else ""

        prompt = ctx.system_prompt
        order = prompt.get_section_order("STRUCTURED_OUTPUT")
        prompt.section(f"tool:{TOOL}", order, guidance, source=source)
        if is_final:
            ctx.tools.guard(self._refuse_later)
            ctx.on("tools/result", self._forget_failed)

    def _execute(self, arguments: Any, run: ToolRun) -> str:
        self._staged[run.call.root_id] = arguments
        run.when_recorded(lambda: self._capture(run.call.root_id))
        run.conclude_turn()
        return "The result was handed over."

    def _capture(self, root_id: str) -> None:
        if self.is_captured or root_id not in self._staged:
            return
        self.is_captured = True
        self.value = self._staged.pop(root_id)
        if self._on_captured is not None:
            self._on_captured(self.value)

    def _refuse_later(self, call: Invocation) -> str | None:
        if self.is_captured or call.root_id in self._staged:
            return "the result was handed over already, which ended the work"
        return None

    def _forget_failed(self, settled: Settled) -> None:
        """A call that failed behind its body, or a program that did, hands nothing over."""
        if settled.result.is_error:
            self._staged.pop(settled.call.id, None)


def section_text() -> tuple[str, TextSource]:
    """What the section says, and where it stands."""
    return _TEXT.read_text(encoding="utf-8").removesuffix("\n"), TextSource(str(_TEXT), 1, 1)
