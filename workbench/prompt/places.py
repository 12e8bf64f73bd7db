"""The place in a file of a character inside a span."""

from __future__ import annotations

from workbench.prompt import Position, Span, TextSource


def place_in_span(span: Span, before: str, source: TextSource | None) -> Position | None:
    """Where the character behind `before`, the span's own text so far, stands. `source` is the entry's.

    A value of a variable, and a text whose lines do not correspond to those of its file, have one place only.
    """
    start = span.source
    if start is None or source is None or source.indent is None:
        return start
    if span.variable is not None or source.file != start.file:
        return start
    lines = before.count("\n")
    if lines == 0:
        return start._replace(column=start.column + len(before))
    return Position(start.file, start.line + lines, source.indent + len(before) - before.rfind("\n"))
