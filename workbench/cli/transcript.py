"""A conversation as it is printed: the agent's words on standard output, all that is said about them beside it.

Source: docs/cli.md, section about `run`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.cli.diagnostics import print_error, print_notes
from workbench.cli.output import Output
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.agent.log import LoggedEvent, Session

_BRIEF = 100
"""Characters of a call or of a result that are printed."""


class Transcript:
    """Prints the events of sessions as they are appended."""

    def __init__(self, session_id: str, output: Output, errors: Output) -> None:
        self._root = session_id
        self._output = output
        self._errors = errors
        self._is_in_line = False
        """Whether the last piece of text was not ended by a line end."""
        self.last_end: str | None = None
        """Kind of the reason for which the last turn of the agent ended that is spoken to."""

    def appended(self, session: Session, event: LoggedEvent) -> None:
        """Listener of `session/appended`."""
        is_root = session.id == self._root
        indent = "" if is_root else "    "
        data = event.data
        match event.type:
            case "assistant/chunk":
                self._chunk(data["chunk"], is_root)
            case "assistant/message" if is_root:
                self.end_line()
            case "tool/call":
                self._tell(f"{indent}→ {data['name']} {_brief_arguments(data['arguments'])}", "cyan")
            case "tool/code-dispatch-start":
                self._tell(f"{indent}  → {data['name']} {_brief_arguments(data['arguments'])}", "cyan")
            case "tool/result":
                self._result(data, indent)
            case "llm/retry":
                seconds = data["delayMs"] / 1000
                count = f"{data['retry']} of {data['maxRetries']}"
                self._note(f"{data['code']}: once more in {seconds:g} s ({count})")
            case "compaction/end":
                self._note(f"the conversation was to be shortened: {data['outcome']}")
            case "turn/end":
                self._turn_end(data["reason"], is_root)

    def end_line(self) -> None:
        """Begin a new line of output, where one is begun."""
        if self._is_in_line:
            self._output.line()
            self._is_in_line = False

    def say(self, text: str) -> None:
        """A line that is no part of the conversation."""
        self._tell(text, "dim")

    def _chunk(self, chunk: Mapping[str, Any], is_root: bool) -> None:
        kind = chunk.get("type")
        if is_root and kind == "text-delta" and chunk["text"]:
            self._output.piece(chunk["text"])
            self._is_in_line = not chunk["text"].endswith("\n")
        elif is_root and kind in ("block-end", "finish"):
            self.end_line()

    def _result(self, data: Mapping[str, Any], indent: str) -> None:
        texts = [
            block["text"] for part in data["message"]["content"] for block in part["content"] if block.get("text")
        ]
        is_error = data.get("error") is not None
        self._tell(f"{indent}← {_shortened(' '.join(texts)) or '(nothing)'}", "red" if is_error else "dim")

    def _turn_end(self, reason: Mapping[str, Any], is_root: bool) -> None:
        self.end_line()
        if not is_root:
            return
        self.last_end = reason["kind"]
        match reason["kind"]:
            case "error":
                print_error(f"{reason['error'].get('code')}: {reason['error'].get('message')}", self._errors)
            case "max-tokens":
                self._note("the model has reached the longest answer that it may give")
            case "blocked":
                said = reason.get("reason")
                self._note("the turn was blocked" + (f": {said}" if said else ""))
            case "aborted":
                self._note("the turn was cancelled")

    def _note(self, text: str) -> None:
        self.end_line()
        print_notes([text], self._errors)

    def _tell(self, text: str, style: Any) -> None:
        self.end_line()
        self._errors.line(self._errors.styled(visible_line(text), style))


def _brief_arguments(arguments: Any) -> str:
    """The values of the arguments, without what a person need not read."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError:
            return _shortened(str(arguments))
    if not isinstance(arguments, Mapping):
        return _shortened(json.dumps(arguments, ensure_ascii=False))
    return _shortened("  ".join(map(_written, arguments.values())))


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _BRIEF else line[: _BRIEF - 1] + "…"
