"""One registered tool: its schema, and what runs it.

Source: docs/tools.md 9.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.prompt import TextSource, ToolSchema
from workbench.prompt.contributions import CodePlace, Contribution
from workbench.prompt.tool_schema import decode_json
from workbench.values import freeze

if TYPE_CHECKING:
    from workbench.core.activation import Activation
    from workbench.core.scopes import ScopeKey
    from workbench.tools.output import OutputDeclaration
    from workbench.tools.runs import ConcurrencySafe, Execute, FinalizeContent
    from workbench.tools.validation import SchemaValidator

RUN_CODE = "run_code"
"""Name of the one tool that runs programs; nobody else may have it."""


class ToolError(Exception):
    """A tool, a restriction or another registration was refused; nothing of it is left."""


class ToolRegistration(Contribution):
    """One registered tool."""

    __slots__ = (
        "_arguments",
        "_compiled_from",
        "_output",
        "execute",
        "filled",
        "finalize_content",
        "is_concurrency_safe",
        "judges_arguments",
        "output",
        "schema",
        "shipped_defaults",
        "timeout_ms",
        "traits",
    )
    kind = "tools"

    def __init__(
        self,
        schema: ToolSchema,
        execute: Execute | None,
        ledger: Activation,
        scope: ScopeKey | None,
        source: TextSource | None,
        code: CodePlace | None,
        output: OutputDeclaration | None = None,
        is_concurrency_safe: ConcurrencySafe = False,
        timeout_ms: int | None = None,
        finalize_content: FinalizeContent | None = None,
        traits: frozenset[str] = frozenset(),
        judges_arguments: bool = False,
        shipped_defaults: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(schema.name, ledger, scope, source, code)
        self.schema = schema
        self.execute = execute
        """None: a schema alone, which nothing runs."""
        self.output = output
        self.is_concurrency_safe: ConcurrencySafe = is_concurrency_safe
        self.timeout_ms = timeout_ms
        self.finalize_content = finalize_content
        self.traits = traits
        """What a call of it does to people or the workbench, such as `asks_person`: for exclusions."""
        self.judges_arguments = judges_arguments
        """The body itself refuses arguments that do not fit its schema, in words of its own."""
        self.shipped_defaults = shipped_defaults
        """Arguments whose default is the code's own, and nobody's decision."""
        self.filled: Mapping[str, Any] = {}
        """What a call that leaves an argument out gets in the scope that sees it: see `DefaultBounds`."""
        self._arguments: SchemaValidator | None = None
        self._compiled_from = b""
        self._output: SchemaValidator | None = None

    def completed(self, arguments: Any) -> Any:
        """Frozen arguments with what the scope gives in the place of those that were left out."""
        if not self.filled or not isinstance(arguments, Mapping):
            return arguments
        missing = {name: value for name, value in self.filled.items() if name not in arguments}
        return freeze({**arguments, **missing}) if missing else arguments

    def may_overlap(self, arguments: Any) -> bool:
        """Whether a call with these arguments may run beside others. A function that raises means no."""
        safe = self.is_concurrency_safe
        if not callable(safe):
            return safe is True
        try:
            return safe(arguments) is True
        except Exception:
            return False

    @property
    def arguments_validator(self) -> SchemaValidator:
        """Judges arguments; compiled with the first call, and again when the owner has edited the schema."""
        if self._arguments is None or (self.schema.is_open and self._compiled_from != self.schema.parameters_json):
            from workbench.tools.validation import SchemaValidator

            self._compiled_from = self.schema.parameters_json
            self._arguments = SchemaValidator(decode_json(self._compiled_from))
        return self._arguments

    @property
    def output_validator(self) -> SchemaValidator | None:
        """Judges values; None without an output declaration."""
        if self._output is None and self.output is not None:
            from workbench.tools.validation import SchemaValidator

            self._output = SchemaValidator(self.output.schema)
        return self._output


def check_tool(tool: ToolRegistration) -> None:
    """Raises `ToolError` for what cannot be registered."""
    check_schema(tool.schema)
    if tool.execute is None:
        return  # what nothing runs may be as the world wrote it; `workbench check` judges it
    from workbench.tools.schema_shape import first_mistake

    if not callable(tool.execute):
        raise ToolError(f"the body of tool {tool.name!r} must be callable, not {type(tool.execute).__name__}")
    mistake = first_mistake(decode_json(tool.schema.parameters_json))
    if mistake is not None:
        raise ToolError(f"the parameters of tool {tool.name!r} are no JSON Schema: {mistake}")
    if tool.output is not None and (mistake := first_mistake(tool.output.schema)) is not None:
        raise ToolError(f"the output schema of tool {tool.name!r} is no JSON Schema: {mistake}")
    limit: Any = tool.timeout_ms
    if limit is not None and (type(limit) is not int or limit <= 0):
        raise ToolError(f"timeout_ms of tool {tool.name!r} must be a positive whole number, not {limit!r}")


def check_schema(schema: object) -> None:
    """Raises `ToolError` for what is no tool schema at all."""
    if not isinstance(schema, ToolSchema):
        raise ToolError(f"a tool is registered with a ToolSchema, not with a {type(schema).__name__}")
    if not schema.name:
        raise ToolError("a tool needs a name")
    if schema.name == RUN_CODE:
        raise ToolError(f"the name {RUN_CODE!r} is reserved for programs (code mode); choose another name")
    parameters = decode_json(schema.parameters_json)
    if not isinstance(parameters, dict) or parameters.get("type") != "object":
        raise ToolError(f"the parameters of tool {schema.name!r} must be a JSON Schema of type object")
