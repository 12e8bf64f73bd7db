"""What is wrong with a case file, said so that its author can mend it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from workbench.check.case_format.document import Assemble, Case, CaseDocument, Expect, ExpectedError, ServiceConfig
from workbench.check.case_format.entries import Fails, ScopeTarget
from workbench.check.case_format.values import Strict
from workbench.config.problems import did_you_mean

Said = tuple[str, str]
"""Message and remedy."""

_REFERENCE = "docs/cases.md describes the format"


def message_and_remedy(detail: ErrorDetails) -> Said:
    """One problem of the format in plain words, and what to do about it."""
    kind = detail["type"]
    if kind in _EXPECTED_TYPES:
        return f"expected {_EXPECTED_TYPES[kind]}, not {_short(detail['input'])}", "change the value"
    say = _SAYINGS.get(kind)
    if say is not None:
        return say(detail)
    return detail["msg"][:1].lower() + detail["msg"][1:], _REFERENCE


def _unknown_key(detail: ErrorDetails) -> Said:
    *container, key = detail["loc"]
    known = [field.alias or name for name, field in _model_at(container).model_fields.items()]
    return f'unknown key "{key}"', _nearest(str(key), known)


def _missing_key(detail: ErrorDetails) -> Said:
    return f'the key "{detail["loc"][-1]}" is missing', "add it"


def _no_tag(detail: ErrorDetails) -> Said:
    return f'the key "{_context(detail, "discriminator")}" is missing', "add it"


def _unknown_tag(detail: ErrorDetails) -> Said:
    discriminator = _context(detail, "discriminator")
    if discriminator in _FORMS:
        expected, remedy = _FORMS[discriminator]
        return f"{expected}, not {_short(detail['input'])}", remedy
    tag = _context(detail, "tag")
    known = [name.strip("'") for name in detail["ctx"]["expected_tags"].split(", ")]
    return f'unknown {discriminator} "{tag}"', _nearest(tag, known)


def _broken_rule(detail: ErrorDetails) -> Said:
    return _context(detail, "error"), _REFERENCE


def _none_of(detail: ErrorDetails) -> Said:
    return f"expected {detail['ctx']['expected']}, not {_short(detail['input'])}", "choose one of them"


_SAYINGS: dict[str, Callable[[ErrorDetails], Said]] = {
    "extra_forbidden": _unknown_key,
    "literal_error": _none_of,
    "missing": _missing_key,
    "string_too_short": lambda _: ("the text is empty", "give it a name"),
    "too_short": lambda _: ("the list is empty, so nothing would be tested", "add at least one"),
    "union_tag_invalid": _unknown_tag,
    "union_tag_not_found": _no_tag,
    "value_error": _broken_rule,
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

_FORMS = {
    "text_form()": (
        "a text is expected, or a provider",
        'write "…", or {"text_from": …} with scope, calls, extra or raise',
    ),
    "order_form()": (
        "an order is expected",
        'write a number, {"float": "nan"}, {"section": KEY} or {"context": KEY}',
    ),
}
"""Values whose form decides what they are, by the function that tells the forms apart."""


def _context(detail: ErrorDetails, key: str) -> str:
    return str(detail["ctx"][key]).strip("'")


def _nearest(word: str, known: Iterable[str]) -> str:
    known = list(known)
    return did_you_mean(word, known, f"known here: {', '.join(known)}")


def _short(value: object) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= 40 else f"{written[:39]}…"


def _model_at(location: Sequence[str | int]) -> type[BaseModel]:
    """The model that describes the object at a location of a validation error."""
    models = _MODELS | dict(_models_by_tag())
    for step in reversed(location):
        if step in models:
            return models[str(step)]
    return Case if location else CaseDocument


_MODELS: dict[str, type[BaseModel]] = {
    "assemble": Assemble,
    "config": ServiceConfig,
    "error": ExpectedError,
    "expect": Expect,
    "fails": Fails,
    "scope target": ScopeTarget,
}
"""By the key or the tag under which an object stands."""


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
