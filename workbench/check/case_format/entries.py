"""Register entries: what a case registers, and on which layer."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from workbench.check.case_format.ops import Op
from workbench.check.case_format.values import (
    GLOBAL_LAYER,
    LayerName,
    Order,
    Schema,
    ScopeName,
    Strict,
    Text,
    Value,
)


class Fails(Strict):
    """The registration must be refused with a message that contains every fragment."""

    mentions: list[str]


class ScopeTarget(Strict):
    """A whole scope with everything that it owns."""

    scope: ScopeName


def _target_form(value: object) -> str:
    return "scope target" if isinstance(value, dict | ScopeTarget) else "index"


Target = Annotated[
    Annotated[int, Tag("index")] | Annotated[ScopeTarget, Tag("scope target")], Discriminator(_target_form)
]


class _Entry(Strict):
    fails: Fails | None = None


class _Layered(_Entry):
    layer: LayerName = GLOBAL_LAYER


class SectionEntry(_Layered):
    """Registers a section. `complete` and `literal` are passed as they are."""

    kind: Literal["section"]
    name: str
    order: Order
    text: Text
    complete: Any = False
    literal: Any = False


class ContextEntry(_Layered):
    """Registers a runtime context."""

    kind: Literal["context"]
    name: str
    order: Order
    text: Text
    literal: Any = False


class VariableEntry(_Layered):
    """Registers a variable."""

    kind: Literal["variable"]
    name: str
    value: Value
    on_first_call: list[RegisterEntry] = Field(default=[])


class ToolsEntry(_Layered):
    """Registers a tool-schema provider. It returns the same schema objects at every call."""

    kind: Literal["tools"]
    schemas: list[Schema]
    known_names: list[str] | None = None
    on_first_call: list[RegisterEntry] = Field(default=[])


class SuppressorEntry(_Layered):
    """Hides all contexts of its layer's assemblies."""

    kind: Literal["suppress_runtime_context"]


class ListenerEntry(_Layered):
    """Registers a listener of `system-prompt/assemble`."""

    kind: Literal["listener"]
    ops: list[Op]
    prepend: bool = False
    only_assembly: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _has_one_way_out(self) -> Self:
        names = [op.op for op in self.ops]
        exits = [name for name in names if name in ("next", "stop", "raise")]
        if exits not in (["next"], ["stop"], ["raise"], ["next", "raise"]):
            raise ValueError("ops must contain exactly one `next` or one `stop`, or else a `raise`")
        if exits[-1] != "next" and names[-1] != exits[-1]:
            raise ValueError(f"nothing after `{exits[-1]}` would run; make it the last op")
        return self


class HarnessSourceEntry(_Entry):
    """Registers the built-in source section for that checkout."""

    kind: Literal["harness_source"]
    root: str


class ChangeListenerEntry(_Entry):
    """Registers an observer of the change event that raises once."""

    kind: Literal["change_listener"]
    raise_on: int = Field(ge=1)
    message: str


class DisposeEntry(_Entry):
    """Disposes at this point of the sequence."""

    kind: Literal["dispose"]
    target: Target


RegisterEntry = Annotated[
    SectionEntry
    | ContextEntry
    | VariableEntry
    | ToolsEntry
    | SuppressorEntry
    | ListenerEntry
    | HarnessSourceEntry
    | ChangeListenerEntry
    | DisposeEntry,
    Field(discriminator="kind"),
]
