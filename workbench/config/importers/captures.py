"""Captured requests: a JSONL, a JSON file, or a folder of request bodies, in order.

Source: docs/sessions.md 14.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.agent.log.canonical import message_line
from workbench.agent.log.json_lines import decode_json
from workbench.config.importers.captured_bodies import CapturedBody, NoRequest, read_body
from workbench.config.recorded import captures_in
from workbench.values.frozen import FrozenDict

MOST_BYTES = 256 * 1_048_576
"""Of one file of a folder, or of one line."""


class NoCapture(ValueError):
    """Nothing in it is a request; the message says where and why."""


@dataclass(slots=True)
class Capture:
    """Requests in the order in which they were found."""

    path: Path
    bodies: list[CapturedBody] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    """Where each stands: a file, or file and line."""
    problems: list[str] = field(default_factory=list)
    """What was passed over, and what is odd about the order. Outside text."""


def read_capture(path: str | os.PathLike[str]) -> Capture:
    """Read it; blocks. Raises `NoCapture`, `OSError`."""
    capture = Capture(Path(path))
    known: dict[bytes, FrozenDict] = {}
    for place, record in _records(capture):
        try:
            body = read_body(record)
        except NoRequest as error:
            capture.problems.append(f"{place}: {error}")
            continue
        # Every request repeats the conversation: what is equal is kept once.
        body.messages = tuple([known.setdefault(message_line(message), message) for message in body.messages])
        capture.bodies.append(body)
        capture.places.append(place)
        capture.problems += [f"{place}: {remark}" for remark in body.remarks]
    if not capture.bodies:
        why = f": {capture.problems[0]}" if capture.problems else ""
        raise NoCapture(f"{path} holds no captured request{why}")
    capture.problems += _odd_order(capture)
    return capture


def _records(capture: Capture) -> Iterator[tuple[str, Any]]:
    path = capture.path
    if path.is_dir():
        for file in captures_in(path):
            yield from _in_file(capture, file)
    else:
        yield from _in_file(capture, path)


def _in_file(capture: Capture, path: Path) -> Iterator[tuple[str, Any]]:
    if path.suffix.lower() == ".json":
        if path.stat().st_size > MOST_BYTES:
            capture.problems.append(f"{path.name}: longer than {MOST_BYTES:,} bytes, passed over")
            return
        try:
            whole = decode_json(path.read_bytes())
        except ValueError as error:
            if b"\n{" in path.read_bytes()[:65_536]:
                yield from _lines(capture, path)
                return
            capture.problems.append(f"{path.name}: no JSON: {error}")
            return
        if isinstance(whole, list):
            for number, each in enumerate(whole, 1):
                yield f"{path.name}[{number}]", each
        else:
            yield path.name, whole
        return
    yield from _lines(capture, path)


def _lines(capture: Capture, path: Path) -> Iterator[tuple[str, Any]]:
    with open(path, "rb") as file:
        number = 0
        while line := file.readline(MOST_BYTES + 1):
            number += 1
            if not line.strip():
                continue
            place = f"{path.name}:{number}"
            if len(line) > MOST_BYTES:
                capture.problems.append(f"{place}: longer than {MOST_BYTES:,} bytes; nothing after it was read")
                return
            try:
                yield place, decode_json(line)
            except ValueError as error:
                capture.problems.append(f"{place}: no JSON: {error}")


def _odd_order(capture: Capture) -> Iterator[str]:
    """What speaks against the order in which the requests were found. Nothing is put in another one."""
    bodies, places = capture.bodies, capture.places
    for index in range(1, len(bodies)):
        before, body = bodies[index - 1], bodies[index]
        if body.time is not None and before.time is not None and body.time < before.time:
            yield f"{places[index]}: sent before {places[index - 1]} by its time; shown in the order of the capture"
        shorter = len(body.messages) < len(before.messages)
        if shorter and before.messages[: len(body.messages)] == body.messages and before.header == body.header:
            yield (
                f"{places[index]}: its conversation is the beginning of that of {places[index - 1]}; either "
                "messages were taken away, or the capture is in another order than that of sending. It is shown "
                "as it was captured"
            )
