"""What is shown, as a file: the text, Markdown, JSON, or a picture of the screen.

The first three are what `workbench render` prints. Source: docs/tui.md 3.3.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Final, NamedTuple

from workbench.prompt.views import Preview


class Form(NamedTuple):
    """A kind of file."""

    name: str
    title: str
    ending: str
    about: str


FORMS: Final = (
    Form("text", "Text", ".txt", "The system text as it is sent."),
    Form("markdown", "Markdown", ".md", "A page for a review: texts, sections, contexts, tools, variables."),
    Form("json", "JSON", ".json", "Everything that is known of it, as `workbench render --format json`."),
    Form("svg", "Picture", ".svg", "The screen as it looks now."),
)


def with_wide_characters(svg: str) -> str:
    """The picture with the width of each piece in cells: Rich writes that of as many narrow characters."""
    from rich.cells import cell_len

    def corrected(piece: re.Match[str]) -> str:
        text = unescape(piece[3])
        cells = cell_len(text)
        if not text or cells == len(text):
            return piece[0]
        rest = piece[0][piece.end(2) - piece.start() :]
        return f"{piece[1]}{float(piece[2]) / len(text) * cells:g}{rest}"

    return _PIECE.sub(corrected, svg)


_PIECE = re.compile(r'(<text [^>]*textLength=")([\d.]+)"[^>]*>([^<]*)</text>')


def exported(form: str, preview: Preview, file: str, scope: str, notes: Sequence[str]) -> str | None:
    """The whole file; None: there is no text, because the prompt cannot be sent. Counts tokens: for a thread."""
    if form == "text":
        return None if preview.system is None else f"{preview.system}\n" if preview.system else ""
    if form == "markdown":
        from workbench.config.formats.as_markdown import preview_markdown

        return preview_markdown(preview, file=file, scope=scope) + "\n"
    from workbench.config.formats.as_json import preview_json
    from workbench.config.formats.as_request import model_of
    from workbench.tokens import PromptTexts, TokenCounter, count_prompt_now

    counts = count_prompt_now(TokenCounter.for_model(model_of(preview)), PromptTexts.of(preview))
    return preview_json(preview, file=file, scope=scope, counts=counts, notes=notes) + "\n"
