"""The schema boundary: arguments from text, and values against JSON Schemas.

Loading `jsonschema` takes longer than a whole command, so it comes with the first call, in a thread.
References to other documents are never fetched.

Source: docs/tools.md 9.1.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NoReturn

from workbench.values import NotJson, clean_text, freeze, freeze_foreign, thaw

SHOWN_PROBLEMS = 5
SHOWN_CHARACTERS = 240
PARTS_ON_THE_LOOP = 200
"""A value with more parts is judged in a thread: about a millisecond."""


class SchemaUnusable(Exception):
    """The schema itself cannot judge anything."""


async def load_validators() -> None:
    """Load the library beside the loop; it is there with the first call, and costs nothing later."""
    if not _loaded():
        await asyncio.to_thread(_library)


def _loaded() -> bool:
    return _library.cache_info().currsize > 0


@lru_cache(maxsize=1)
def _library() -> tuple[Any, Any, Any]:
    from jsonschema.validators import Draft202012Validator, validator_for
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    return validator_for, Draft202012Validator, REGISTRY


def materialize(raw: str) -> Any:
    """The arguments that a raw text stands for, frozen: empty is `{}`, and what is no JSON stays text."""
    text = raw.strip()
    if not text:
        return freeze({})
    try:
        return freeze_foreign(_whole_numbers(json.loads(text, parse_constant=_refuse_constant)))
    except (ValueError, RecursionError):
        return clean_text(raw)


def why_not_json(raw: str) -> str:
    """Why a text is no JSON, in words; empty when it is."""
    try:
        freeze_foreign(_whole_numbers(json.loads(raw.strip(), parse_constant=_refuse_constant)))
    except json.JSONDecodeError as error:
        return f"{error.msg} at character {error.pos}"
    except (NotJson, ValueError) as error:
        return str(error)
    except RecursionError:
        return "nested too deeply"
    return ""


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _whole_numbers(value: Any) -> Any:
    """The same without `-0.0`, which is a number in JSON and does not survive it."""
    if isinstance(value, dict):
        return {key: _whole_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(each) for each in value]
    return 0.0 if type(value) is float and value == 0 else value


class SchemaValidator:
    """One schema, compiled."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        validator_for, default, registry = _library()
        plain = thaw(dict(schema))
        self._unusable = ""
        try:
            kind = validator_for(plain, default=default)
            kind.check_schema(plain)
            self._validator = kind(plain, registry=registry)
        except Exception as error:
            where = "/".join(str(step) for step in getattr(error, "path", ()))
            message = getattr(error, "message", None) or str(error) or type(error).__name__
            self._unusable = f"{where}: {_short(message)}" if where else _short(message)

    def problems(self, value: Any) -> tuple[str, ...]:
        """What the value breaks, each with its path and the rule; empty when it breaks nothing.

        Raises `SchemaUnusable` for a schema that is none, or that refers to what is not there.
        """
        if self._unusable:
            raise SchemaUnusable(self._unusable)
        found: list[str] = []
        try:
            for error in self._validator.iter_errors(value):
                if len(found) == SHOWN_PROBLEMS:
                    found.append("and more")
                    break
                found.append(_in_words(error))
        except RecursionError:
            found.append("the value is nested too deeply")
        except Exception as error:
            raise SchemaUnusable(_short(str(error))) from error
        return tuple(found)


async def problems_beside(validator: SchemaValidator, value: Any) -> tuple[str, ...]:
    """As `validator.problems`, in a thread for a large value: the loop goes on meanwhile."""
    if _has_more_parts(value, PARTS_ON_THE_LOOP):
        return await asyncio.to_thread(validator.problems, value)
    return validator.problems(value)


def _has_more_parts(value: Any, most: int) -> bool:
    """Whether a JSON value has more than so many parts; looks no further than that."""
    todo = [value]
    seen = 0
    while todo:
        each = todo.pop()
        if isinstance(each, dict | list):
            seen += len(each)
            if seen > most:
                return True
            todo.extend(each.values() if isinstance(each, dict) else each)
    return False


def _in_words(error: Any) -> str:
    path = ""
    for step in error.absolute_path:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else str(step)
    message = f"{path or 'the whole'}: {_short(error.message)} (rule `{error.validator}`)"
    if error.context:
        closest = min(error.context, key=lambda inner: (-len(inner.absolute_path), inner.validator == "type"))
        return f"{message}; closest: {_in_words(closest)}"
    return message


def _short(text: str) -> str:
    text = clean_text(text)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
