"""Streams: bytes for pipes, visible text for terminals, colours where they are wanted."""

from __future__ import annotations

import io
import json
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.cli.formats.json_pieces import json_pieces
from workbench.cli.output import Output


class Stream(io.TextIOWrapper):
    """A stream in memory that says what it is."""

    def __init__(self, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")
        self.is_terminal = terminal

    def isatty(self) -> bool:
        return self.is_terminal

    def content(self) -> bytes:
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue()


def bytes_of(text: str, terminal: bool) -> bytes:
    stream = Stream(terminal)
    Output(stream, {}).text(text)
    return stream.content()


OUTSIDE = "a\x1b[31mb\r\n\u202e日本\x00\t👩‍👩‍👧"


def test_a_pipe_gets_the_bytes_and_one_line_end() -> None:
    assert bytes_of(OUTSIDE, terminal=False) == OUTSIDE.encode() + b"\n"


def test_a_terminal_gets_marks() -> None:
    assert bytes_of(OUTSIDE, terminal=True).decode() == "a‹ESC›[31mb‹CR›\n‹RLO›日本‹NUL›‹TAB›👩‍👩‍👧\n"


def test_nothing_gives_no_line() -> None:
    assert bytes_of("", terminal=False) == b""


def test_a_lone_surrogate_stops_nothing() -> None:
    assert bytes_of("a\ud800b", terminal=False) == b"a\\ud800b\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_json_stays_json(terminal: bool) -> None:
    document = json.dumps({"text": OUTSIDE + "\x7f\x9b𝔘"}, ensure_ascii=False)
    stream = Stream(terminal)
    Output(stream, {}).json(document)
    content = stream.content().decode()
    assert json.loads(content) == {"text": OUTSIDE + "\x7f\x9b𝔘"}
    if terminal:
        assert content.isascii()
        assert "\x7f" not in content


@pytest.mark.parametrize(
    ("terminal", "environment", "expected"),
    [
        (True, {}, True),
        (True, {"TERM": "dumb"}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (False, {}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": ""}, False),
        (True, {"FORCE_COLOR": "0"}, False),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours(terminal: bool, environment: dict[str, str], expected: bool) -> None:
    output = Output(Stream(terminal), environment)
    assert output.has_colours is expected
    assert output.styled("x", "red") == ("\x1b[31mx\x1b[0m" if expected else "x")
    assert output.styled("", "red") == ""


def test_a_reader_that_went_away_stops_nothing() -> None:
    reading, writing = os.pipe()
    with open(writing, "w", encoding="utf-8") as stream:
        output = Output(stream, {})
        output.line("seen")
        os.close(reading)
        for _ in range(3):
            output.line("not seen")


@settings(max_examples=30, deadline=None)
@given(
    st.dictionaries(st.text(max_size=6), st.recursive(st.none() | st.integers() | st.text(max_size=6), st.lists)),
    st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=6)), max_size=3),
)
def test_a_document_in_pieces_is_the_document(fields: dict[str, Any], items: list[Any]) -> None:
    whole = {**fields, "items": items, "last": 1}
    pieces = list(json_pieces({**whole, "items": iter(items)}))
    assert "".join(pieces) == json.dumps(whole, ensure_ascii=False, indent=2)
    for terminal in (True, False):
        stream = Stream(terminal)
        Output(stream, {}).json(iter(pieces))
        assert json.loads(stream.content().decode()) == whole
