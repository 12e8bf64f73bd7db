"""What is wrong with a case file, said so that its author can mend it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from workbench.check.case_format.document import (
    Assemble,
    Case,
    CaseDocument,
    Expect,
    ExpectedError,
    ServiceConfig,
)
from workbench.check.case_format.entries import Fails, ScopeTarget
from workbench.check.case_format.values import Schema, Strict

_REFERENCE = "docs/cases.md describes the format"

_FORMS = {
    "text_form": (
        "a text is expected, or a provider",
        'write "…", or {"text_from": …} with scope, calls, extra or raise',
    ),
    "order_form": (
        "an order is expected",
        'write a number, {"float": "nan"}, {"section": KEY} or {"context": KEY}',
    ),
}

_EXPECTED_TYPES = {
    "bool_type": "true or false",
    "dict_type": "an object",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_attributes_type": "an object",
    "model_type": "an object",
    "none_required": "null",
    "string_type": "a text",
}


def message_and_remedy(detail: ErrorDetails) -> tuple[str, str]:
    """One problem of the format in plain words, and what to do about it."""
    kind, context = detail["type"], detail.get("ctx", {})
    last = str(detail["loc"][-1]) if detail["loc"] else ""
    if kind == "extra_forbidden":
        known = _keys(_model_at(detail["loc"][:-1]))
        return f'unknown key "{last}"', _did_you_mean(last, known)
    if kind == "missing":
        return f'the key "{last}" is missing', "add it"
    if kind == "union_tag_invalid":
        form = _FORMS.get(str(context["discriminator"]).removesuffix("()"))
        if form is not None:
            return f"{form[0]}, not {_short(detail['input'])}", form[1]
        discriminator = str(context["discriminator"]).strip("'")
        known = [tag.strip("'") for tag in str(context["expected_tags"]).split(", ")]
        tag = str(context["tag"])
        return f'unknown {discriminator} "{tag}"', _did_you_mean(tag, known)
    if kind == "union_tag_not_found":
        return f'the key "{str(context["discriminator"]).strip(chr(39))}" is missing', "add it"
    if kind == "value_error":
        return str(context["error"]), _REFERENCE
    if kind == "literal_error":
        return f"expected {context['expected']}, not {_short(detail['input'])}", "choose one of them"
    if kind == "too_short":
        return "the list is empty, so nothing would be tested", "add at least one"
    if kind == "string_too_short":
        return "the text is empty", "give it a name"
    if kind in _EXPECTED_TYPES:
        return f"expected {_EXPECTED_TYPES[kind]}, not {_short(detail['input'])}", "change the value"
    return detail["msg"][:1].lower() + detail["msg"][1:], _REFERENCE


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    known = list(known)
    nearest = get_close_matches(word, known, n=1, cutoff=0.6)
    return f'did you mean "{nearest[0]}"?' if nearest else f"known here: {', '.join(known)}"


def _short(value: object) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= 40 else f"{written[:39]}…"


def _keys(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_at(location: Sequence[str | int]) -> type[BaseModel]:
    """The model that describes the object at a location of a validation error."""
    by_name = dict(_models_by_tag()) | {
        "assemble": Assemble,
        "config": ServiceConfig,
        "error": ExpectedError,
        "expect": Expect,
        "fails": Fails,
        "schema": Schema,
    }
    if (len(location) > 1 and "dispose" in location[:-1]) or location[-2:-1] == ("target",):
        return ScopeTarget
    for step in reversed(location):
        if isinstance(step, str) and step in by_name:
            return by_name[step]
    return Case if location else CaseDocument


def _models_by_tag() -> Iterator[tuple[str, type[BaseModel]]]:
    """Every register entry, op and provider by the word that announces it."""
    for model in _all_subclasses(Strict):
        for name in ("kind", "op", "text_from"):
            field = model.model_fields.get(name)
            if field is not None and get_origin(field.annotation) is Literal:
                yield str(get_args(field.annotation)[0]), model


def _all_subclasses(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for subclass in model.__subclasses__():
        yield subclass
        yield from _all_subclasses(subclass)
