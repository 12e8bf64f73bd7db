"""Scripts: what the `scripted` provider answers, call by call.

Read here from plain data, as a YAML file or a program gives it. Every mistake has a path, by which the reader
of a file finds the line. Source: docs/models.md 4.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.models.chunks import Chunk, Usage
from workbench.models.errors import ModelError
from workbench.values.frozen import NotJson, freeze, path_text

PathStep = str | int
Path = tuple[PathStep, ...]


@dataclass(frozen=True, slots=True)
class ScriptedToolCall:
    """One call that the model asks for."""

    id: str
    name: str
    arguments: str
    """Raw; need not be JSON."""


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """What one provider call answers: content or `chunks`, and then an end, an `error` or a `hang`."""

    reasoning: str | None = None
    text: str | None = None
    tool_calls: tuple[ScriptedToolCall, ...] = ()
    usage: Usage | None = None
    finish: str = "stop"
    chunks: tuple[Chunk, ...] | None = None
    """Sent as they stand, instead of content."""
    error: ModelError | None = None
    """Raised after what was sent."""
    hang: bool = False
    """Wait for ever after what was sent."""


@dataclass(frozen=True, slots=True)
class Script:
    """For each session, in the order of their first calls, the calls that it makes."""

    sessions: tuple[tuple[ScriptedCall, ...], ...]
    name: str = "script"
    """What messages call it; the file, where it came from one."""


@dataclass(frozen=True, slots=True)
class ScriptMistake:
    """One thing that is wrong in a script."""

    path: Path
    message: str
    remedy: str = ""
    at_key: bool = False
    """Whether the key at the end of the path is meant, not its value."""

    def __str__(self) -> str:
        place = path_text(self.path)
        return (f"{place}: " if place else "") + self.message + (f"; {self.remedy}" if self.remedy else "")


class ScriptError(Exception):
    """A script that cannot be used. `mistakes` are in the order of the data."""

    def __init__(self, mistakes: list[ScriptMistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(map(str, mistakes)))


def read_script(data: Any, name: str = "script") -> Script:
    """The script that `data` describes. Raises `ScriptError` with every mistake."""
    reading = _Reading()
    script = reading.script(data, name)
    if reading.mistakes:
        raise ScriptError(reading.mistakes)
    return script


_USAGE_KEYS = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cache_read_tokens": "cacheReadTokens",
    "reasoning_tokens": "reasoningTokens",
}
_FINISHES = ("stop", "tool-calls", "max-tokens", "content-filter")
_CONTENT = ("reasoning", "text", "tool_calls")
_CALL_KEYS = (*_CONTENT, "chunks", "usage", "finish", "error", "hang")
_ERROR_KEYS = ("code", "message", "status", "retry_after_ms")


class _Reading:
    """One pass over the data; goes on after a mistake."""

    def __init__(self) -> None:
        self.mistakes: list[ScriptMistake] = []
        self._session = 0
        self._tool_calls = 0

    def script(self, data: Any, name: str) -> Script:
        sessions: list[tuple[ScriptedCall, ...]] = []
        root = self._mapping(data, (), ("sessions",), ("sessions",))
        for index, each in enumerate(self._list(root, "sessions", ())):
            path: Path = ("sessions", index)
            self._session, self._tool_calls = index, 0
            session = self._mapping(each, path, ("calls",), ("calls",))
            calls = self._list(session, "calls", path)
            sessions.append(tuple([self._call(call, (*path, "calls", at)) for at, call in enumerate(calls)]))
        return Script(tuple(sessions), name)

    def _call(self, data: Any, path: Path) -> ScriptedCall:
        given = self._mapping(data, path, _CALL_KEYS)
        tool_calls = [
            self._tool_call(each, (*path, "tool_calls", at))
            for at, each in enumerate(self._list(given, "tool_calls", path))
        ]
        error = self._error(given["error"], (*path, "error")) if "error" in given else None
        call = ScriptedCall(
            reasoning=self._text(given, "reasoning", path),
            text=self._text(given, "text", path),
            tool_calls=tuple(tool_calls),
            usage=self._usage(given["usage"], (*path, "usage")) if "usage" in given else None,
            finish=self._finish(given, path, "tool-calls" if tool_calls else "stop"),
            chunks=self._chunks(given, path) if "chunks" in given else None,
            error=error,
            hang=self._flag(given, "hang", path),
        )
        self._check_together(given, path)
        return call

    def _check_together(self, given: Mapping[str, Any], path: Path) -> None:
        if not given:
            self._wrong(path, "a call that does nothing", 'give it a text, which may be ""')
        if "chunks" in given:
            for key in (*_CONTENT, "usage", "finish"):
                if key in given:
                    message = f"`chunks` are sent as they stand, and {key} stands beside them"
                    self._wrong((*path, key), message, "make it a chunk", at_key=True)
        if "error" in given and given.get("hang"):
            self._wrong((*path, "hang"), "a call cannot fail and wait for ever", "keep one", at_key=True)

    def _tool_call(self, data: Any, path: Path) -> ScriptedToolCall:
        given = self._mapping(data, path, ("id", "name", "arguments"), ("name",))
        self._tool_calls += 1
        id = self._text(given, "id", path)
        arguments = given.get("arguments", "")
        if isinstance(arguments, Mapping):
            arguments = self._json(arguments, (*path, "arguments"))
        elif not isinstance(arguments, str):
            self._wrong((*path, "arguments"), "arguments are a mapping, or the text that the model writes")
            arguments = ""
        name = self._text(given, "name", path) or ""
        return ScriptedToolCall(id or f"call_{self._session + 1}_{self._tool_calls}", name, arguments)

    def _json(self, value: Mapping[str, Any], path: Path) -> str:
        try:
            return json.dumps(freeze(value), ensure_ascii=False, separators=(",", ":"))
        except NotJson as error:
            self._wrong((*path, *error.path), error.reason)
            return ""

    def _usage(self, data: Any, path: Path) -> Usage | None:
        known = {**_USAGE_KEYS, **{key: key for key in _USAGE_KEYS.values()}}
        given = self._mapping(data, path, tuple(_USAGE_KEYS), also=tuple(_USAGE_KEYS.values()))
        usage = {"inputTokens": 0, "outputTokens": 0}
        for key in given:
            usage[known[key]] = self._count(given, key, path) or 0
        return usage  # type: ignore[return-value]

    def _finish(self, given: Mapping[str, Any], path: Path, default: str) -> str:
        finish = self._text(given, "finish", path)
        if finish is not None and finish not in _FINISHES:
            remedy = "give `error` instead" if finish == "error" else _near(finish, _FINISHES)
            self._wrong((*path, "finish"), f'there is no finish "{finish}"', remedy)
        return finish or default

    def _chunks(self, given: Mapping[str, Any], path: Path) -> tuple[Chunk, ...]:
        chunks: list[Chunk] = []
        for at, each in enumerate(self._list(given, "chunks", path)):
            here = (*path, "chunks", at)
            try:
                chunk = freeze(each)
            except NotJson as error:
                self._wrong((*here, *error.path), error.reason)
                continue
            if not isinstance(chunk, dict) or not isinstance(chunk.get("type"), str):
                self._wrong(here, "a chunk is a mapping with a `type`")
                continue
            chunks.append(chunk)
        return tuple(chunks)

    def _error(self, data: Any, path: Path) -> ModelError:
        given = self._mapping(data, path, _ERROR_KEYS, ("code",))
        code = self._text(given, "code", path) or ""
        message = self._text(given, "message", path)
        status, after = self._count(given, "status", path), self._count(given, "retry_after_ms", path)
        return ModelError(code, f"scripted {code}" if message is None else message, status, after)

    # -- values of one kind --------------------------------------------------------------------------------

    def _mapping(
        self,
        data: Any,
        path: Path,
        keys: tuple[str, ...],
        required: tuple[str, ...] = (),
        also: tuple[str, ...] = (),
    ) -> Mapping[str, Any]:
        if not isinstance(data, Mapping):
            self._wrong(path, f"a mapping with {' or '.join(keys)} was expected, and this is {_kind(data)}")
            return {}
        for key in data:
            if key not in keys and key not in also:
                where = f' under "{path[-1]}"' if path and isinstance(path[-1], str) else ""
                self._wrong((*path, key), f'unknown key "{key}"{where}', _near(str(key), keys), at_key=True)
        for key in required:
            if key not in data:
                self._wrong(path, f"{key} is missing")
        return {key: value for key, value in data.items() if key in keys or key in also}

    def _list(self, given: Mapping[str, Any], key: str, path: Path) -> list[Any]:
        value = given.get(key, [])
        if isinstance(value, list | tuple):
            return list(value)
        self._wrong((*path, key), f"a list was expected, and this is {_kind(value)}")
        return []

    def _text(self, given: Mapping[str, Any], key: str, path: Path) -> str | None:
        if key not in given:
            return None
        value = given[key]
        if not isinstance(value, str):
            remedy = f'quote it: "{value}"' if isinstance(value, int | float) else ""
            self._wrong((*path, key), f"a text was expected, and this is {_kind(value)}", remedy)
            return None
        if not value.isascii():
            try:
                freeze(value)
            except NotJson as error:
                self._wrong((*path, key), error.reason)
        return value

    def _flag(self, given: Mapping[str, Any], key: str, path: Path) -> bool:
        value = given.get(key, False)
        if not isinstance(value, bool):
            self._wrong((*path, key), f"true or false was expected, and this is {_kind(value)}")
        return value is True

    def _count(self, given: Mapping[str, Any], key: str, path: Path) -> int | None:
        if key not in given:
            return None
        value = given[key]
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            self._wrong((*path, key), f"a whole number from 0 was expected, and this is {_kind(value)}")
            return None
        return value

    def _wrong(self, path: Path, message: str, remedy: str = "", at_key: bool = False) -> None:
        self.mistakes.append(ScriptMistake(path, message, remedy, at_key))


_KINDS: tuple[tuple[type | tuple[type, ...], Callable[[Any], str]], ...] = (
    (bool, lambda value: str(value).lower()),
    ((int, float), lambda value: f"the number {value}"),
    (str, lambda value: "a text"),
    (Mapping, lambda value: "a mapping"),
    ((list, tuple), lambda value: "a list"),
)


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    return next((say(value) for kind, say in _KINDS if isinstance(value, kind)), f"a {type(value).__name__}")


def _near(word: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # only a mistake should cost its import

    near = get_close_matches(word, known, n=1, cutoff=0.6)
    return f'did you mean "{near[0]}"?' if near else f"known: {', '.join(known)}"
