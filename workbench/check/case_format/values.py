"""Texts, values, orders and tool schemas, as a case file writes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

GLOBAL_LAYER = "global"


def _is_no_layer_word(name: str) -> str:
    if name == GLOBAL_LAYER:
        raise ValueError(f"`{GLOBAL_LAYER}` is the layer without a scope; use another name, or null in `assemble`")
    return name


LayerName = Annotated[str, Field(min_length=1)]
"""`global`, or the name of a scope."""
ScopeName = Annotated[LayerName, AfterValidator(_is_no_layer_word)]


class Strict(BaseModel):
    """Base of everything in a case file: no unknown keys, no conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class FromScope(Strict):
    """The name of the assembly's scope, or `(none)`."""

    text_from: Literal["scope"]


class FromCalls(Strict):
    """How often this provider has been called, this call included."""

    text_from: Literal["calls"]


class FromExtra(Strict):
    """The named extra of the assembly's context."""

    text_from: Literal["extra"]
    key: str


class FromRaise(Strict):
    """Raises instead of giving a text."""

    text_from: Literal["raise"]
    message: str


def text_form(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "string"
    if isinstance(value, dict):
        return str(value.get("text_from"))
    source = getattr(value, "text_from", None)
    return source if isinstance(source, str) else type(value).__name__


_Provided = (
    Annotated[FromScope, Tag("scope")]
    | Annotated[FromCalls, Tag("calls")]
    | Annotated[FromExtra, Tag("extra")]
    | Annotated[FromRaise, Tag("raise")]
)
Text = Annotated[Annotated[str, Tag("string")] | _Provided, Discriminator(text_form)]
Value = Annotated[
    Annotated[str, Tag("string")] | Annotated[None, Tag("null")] | _Provided, Discriminator(text_form)
]


class FloatOrder(Strict):
    """A float that JSON cannot write."""

    float_: Literal["nan", "inf", "-inf"] = Field(alias="float")


class SectionOrder(Strict):
    """A section position of the named allocation."""

    section: str


class ContextOrder(Strict):
    """A context position of the named allocation."""

    context: str


def order_form(value: object) -> str:
    if isinstance(value, FloatOrder | SectionOrder | ContextOrder):
        value = value.model_dump(by_alias=True)
    if not isinstance(value, dict):
        return "plain"
    return next(iter(value), "{}") if len(value) == 1 else "several keys"


Order = Annotated[
    Annotated[Any, Tag("plain")]
    | Annotated[FloatOrder, Tag("float")]
    | Annotated[SectionOrder, Tag("section")]
    | Annotated[ContextOrder, Tag("context")],
    Discriminator(order_form),
]


class Schema(BaseModel):
    """A tool schema. Further keys are passed along, to show that they do not reach the assembly."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})


class TextEntry(Strict):
    """A section or context of a new assembly."""

    name: str
    text: str
    literal: bool = False
