"""`workbench render`: what the model would read, on standard output and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.cli.compositions import Look, Unusable, look_at
from workbench.cli.diagnostics import print_error, print_notes
from workbench.cli.exit_codes import ExitCode
from workbench.cli.output import Output, Style, standard_error, standard_output
from workbench.cli.running import run_async
from workbench.prompt import Preview

if TYPE_CHECKING:
    from workbench.cli.formats.as_lines import Kind, Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks for."""

    file: str
    scope: str | None
    format: str
    context: bool = False
    spans: bool = False
    trace: bool = False
    model: str | None = None


_REFUSED: dict[str, tuple[str, ...]] = {
    "text": ("model",),
    "json": ("model",),
    "markdown": ("model",),
    "openai": ("spans", "trace"),
    "anthropic": ("spans", "trace"),
}
"""Options without a meaning in a format. `--context` is never refused: the other formats hold it anyway."""


def run(wanted: Wanted) -> ExitCode:
    """Print one assembly in the form that is wanted. A prompt that cannot be sent gives no text."""
    output, errors = standard_output(), standard_error()
    for option in _REFUSED[wanted.format]:
        if getattr(wanted, option):
            print_error(f"--{option} means nothing with --format {wanted.format}", errors)
            return ExitCode.UNUSABLE
    try:
        look = run_async(look_at(wanted.file, wanted.scope, errors))
    except Unusable:
        return ExitCode.UNUSABLE
    _print(look, wanted, output, errors)
    return look.code


def _print(look: Look, wanted: Wanted, output: Output, errors: Output) -> None:
    preview = look.preview
    match wanted.format:
        case "json":
            from workbench.config.formats.as_json import preview_json
            from workbench.config.formats.as_request import model_of
            from workbench.tokens import PromptTexts, TokenCounter, count_prompt_now

            counts = count_prompt_now(TokenCounter.for_model(model_of(preview)), PromptTexts.of(preview))
            page = preview_json(
                preview, file=wanted.file, scope=look.scope, counts=counts, notes=look.notes, trace=wanted.trace
            )
            output.json(page)
        case "markdown":
            from workbench.config.formats.as_markdown import preview_markdown

            output.text(
                preview_markdown(
                    preview, file=wanted.file, scope=look.scope, spans=wanted.spans, trace=wanted.trace
                )
            )
        case "text":
            _print_text(preview, wanted, output)
        case "openai" | "anthropic" if not preview.failures:
            from workbench.config.formats.as_request import model_of, request_body

            model = wanted.model or model_of(preview)
            if model is None:
                print_notes(["no model is known here, so the body names none; --model NAME sets it"], errors)
            output.json(request_body(preview, wanted.format, model))


def _print_text(preview: Preview, wanted: Wanted, output: Output) -> None:
    """The parts that are asked for, with one blank line between them."""
    is_first = True
    for text, is_outside in _text_parts(preview, wanted, output):
        if not is_first:
            output.line()
        is_first = False
        if is_outside:
            output.text(text)
        else:
            output.line(text)


def _text_parts(preview: Preview, wanted: Wanted, output: Output) -> Iterator[tuple[str, bool]]:
    """Each part, and whether it is outside text as it stands."""
    if not preview.failures:
        wholes = [(preview.system, preview.spans, preview.sections)]
        if wanted.context:
            wholes.append((preview.context, preview.context_spans, preview.contexts))
        for text, spans, entries in wholes:
            if text and wanted.spans:
                from workbench.cli.formats.as_lines import attributed_lines

                yield "\n".join(attributed_lines(text, spans, entries, _mark(output))), False
            elif text:
                yield text, True
    if wanted.trace:
        from workbench.config.formats.as_trace import trace_lines

        yield "\n".join(trace_lines(preview.trace)), False


def _mark(output: Output) -> Mark:
    """Values and what listeners wrote stand out by colour, or by brackets where there is none."""
    colours: dict[Kind, Style] = {"value": "cyan", "listener": "yellow"}
    brackets: dict[Kind, str] = {"text": "{}", "value": "⟦{}⟧", "listener": "«{}»"}

    def mark(text: str, kind: Kind) -> str:
        if output.has_colours and kind in colours:
            return output.styled(text, colours[kind])
        return text if output.has_colours else brackets[kind].format(text)

    return mark
