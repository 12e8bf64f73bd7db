"""The command line: `workbench`. Each command imports what it needs when it runs."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from workbench.cli.exit_codes import ExitCode
from workbench.cli.guard import guarded
from workbench.cli.plain_parameters import PlainCommand, PlainGroup
from workbench.cli.prompts import app as prompts_app

_EPILOG = (
    "Exit codes: 0 done; 1 the prompt cannot be sent, a check or a case failed, or the text is not there; "
    "2 the command line or a file cannot be used; 3 the workbench itself failed; 5 somebody else has saved since "
    "(prompts); 130 interrupted."
)
_FILE_HELP = "A composition, a prompt file, a harness config, or the name of a shipped sample."
_SCOPE_HELP = "A scope or agent of FILE, or '(global)'. Without it: its first agent, else the global layer."


class _CommandOrFile(PlainGroup):
    """`workbench FILE` means `workbench open FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Without any words: the start screen, where there is a terminal for it."""
        if not args and sys.stdin.isatty() and sys.stdout.isatty():
            args = ["open"]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-") and _names_a_file(args[0]):
            args = ["open", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_CommandOrFile,
    name="workbench",
    help="See, live, the system prompt that an agent harness is about to send: every line, its owner, and what "
    "changed it. `workbench FILE` opens a composition on the screen; the other commands need none.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


app.add_typer(prompts_app, name="prompts")


class Format(StrEnum):
    """How `render` prints."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        from workbench.cli.output import standard_output

        standard_output().line(f"workbench {version('prompt-workbench')}")
        raise typer.Exit


class ReportFormat(StrEnum):
    """How `check` prints."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of the command line itself."""


@app.command(cls=PlainCommand, epilog=_EPILOG)
def render(
    file: Annotated[str, typer.Argument(metavar="FILE", help=_FILE_HELP)],
    scope: Annotated[str | None, typer.Option("--scope", "-s", metavar="S", help=_SCOPE_HELP)] = None,
    format: Annotated[Format, typer.Option("--format", "-f", help="What to print.")] = Format.TEXT,
    context: Annotated[
        bool, typer.Option("--context", help="text: the runtime-context message as well, below the system text.")
    ] = False,
    spans: Annotated[bool, typer.Option("--spans", help="text, markdown: who wrote each line, and where.")] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="text, json, markdown: stages, listeners and what they changed.")
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="openai, anthropic: the model, if not the variable `model`."),
    ] = None,
) -> None:
    """Print what the model would read."""
    from workbench.cli.render import Wanted, run

    wanted = Wanted(
        file=file,
        scope=scope,
        format=format.value,
        context=context,
        spans=spans,
        trace=trace,
        model=model,
    )
    raise typer.Exit(run(wanted))


@app.command(cls=PlainCommand, epilog=_EPILOG)
def blame(
    file: Annotated[str, typer.Argument(metavar="FILE", help=_FILE_HELP)],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text, exactly; `-` reads standard input.")],
    scope: Annotated[str | None, typer.Option("--scope", "-s", metavar="S", help=_SCOPE_HELP)] = None,
) -> None:
    """Say who wrote, changed or removed a text."""
    from workbench.cli.blame import run

    raise typer.Exit(run(file, text, scope=scope))


@app.command(cls=PlainCommand, epilog=_EPILOG)
def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=_FILE_HELP)],
    format: Annotated[
        ReportFormat, typer.Option("--format", "-f", help="github: annotations of a workflow run.")
    ] = ReportFormat.TEXT,
    profile: Annotated[
        list[str] | None,
        typer.Option(
            "--profile", "-p", metavar="NAME", help="A provider that must take the tools, instead of those in FILE."
        ),
    ] = None,
) -> None:
    """Find everything that is wrong with compositions."""
    from workbench.cli.check import run

    raise typer.Exit(run(files, format=format.value, profiles=profile or ()))


class PlainFormat(StrEnum):
    """How `diff` prints."""

    TEXT = "text"
    JSON = "json"


@app.command(cls=PlainCommand, epilog="Exit codes: 0 the same; 1 different; 2 that cannot be said.")
def diff(
    files: Annotated[list[str], typer.Argument(metavar="A [B]", help=_FILE_HELP)],
    scope: Annotated[str | None, typer.Option("--scope", "-s", metavar="S", help=_SCOPE_HELP)] = None,
    other_scope: Annotated[
        str | None, typer.Option("--other-scope", metavar="S", help="The scope of the second side, if not --scope.")
    ] = None,
    rev: Annotated[
        list[str] | None,
        typer.Option(
            "--rev", "-r", metavar="REV", help="A git revision of A. With one, A as it is now is compared."
        ),
    ] = None,
    format: Annotated[PlainFormat, typer.Option("--format", "-f", help="What to print.")] = PlainFormat.TEXT,
) -> None:
    """Compare what the model reads: of two compositions, scopes or git revisions."""
    from workbench.cli.diff import Wanted, run

    wanted = Wanted(files=files, scope=scope, other_scope=other_scope, revisions=rev or (), format=format.value)
    raise typer.Exit(run(wanted))


class Grouping(StrEnum):
    """How `registry` groups."""

    LAYER = "layer"
    PLUGIN = "plugin"
    KIND = "kind"


@app.command(cls=PlainCommand, epilog=_EPILOG)
def registry(
    file: Annotated[str, typer.Argument(metavar="FILE", help=_FILE_HELP)],
    by: Annotated[Grouping, typer.Option("--by", "-b", help="What to group by.")] = Grouping.LAYER,
    json: Annotated[bool, typer.Option("--json", help="All facts, with the effects of each plugin.")] = False,
) -> None:
    """List what is registered, by whom, in which layer, and every plugin with what it waits for."""
    from workbench.cli.registry import run

    raise typer.Exit(run(file, by.value, json=json))


@app.command(cls=PlainCommand, epilog=_EPILOG)
def test(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Case files, or folders in which they end in .json.")
    ],
) -> None:
    """Run case files: what a composition must render, as data."""
    from workbench.cli.test import run

    raise typer.Exit(run(paths))


_LOG_HELP = (
    "A session log (JSONL), of ours or as dsh writes it; or captured requests: a JSONL or a folder of request "
    "bodies of OpenAI or Anthropic."
)


class SessionFormat(StrEnum):
    """How `session` prints."""

    TEXT = "text"
    JSON = "json"
    OPENAI = "openai"


@app.command(cls=PlainCommand, epilog=_EPILOG)
def session(
    log: Annotated[str, typer.Argument(metavar="LOG", help=_LOG_HELP)],
    step: Annotated[
        str | None,
        typer.Option(
            metavar="T.S", help="The request of turn T and step S, rebuilt; T.S#N: its attempt N, else the last."
        ),
    ] = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Compare two requests, each T.S. Exit code 1 when they differ."),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Rebuild every request, and compare it with what was sent.")
    ] = False,
    stats: Annotated[
        bool, typer.Option("--stats", help="Each request with its verdict, warnings, and figures of the session.")
    ] = False,
    format: Annotated[
        SessionFormat, typer.Option("--format", "-f", help="openai: the request body of --step.")
    ] = SessionFormat.TEXT,
) -> None:
    """Show what happened in a recorded session, and what its model was sent."""
    from workbench.cli.session import Wanted, run

    wanted = Wanted(log=log, step=step, diff=diff or (), rebuild=rebuild, stats=stats, format=format.value)
    raise typer.Exit(run(wanted))


@app.command(
    cls=PlainCommand,
    epilog="Exit codes: 0 within the limits; 1 beyond one of them, or a bad line; 2 the log cannot be used.",
)
def cache(
    log: Annotated[str, typer.Argument(metavar="LOG", help=_LOG_HELP)],
    max_lost: Annotated[
        str | None,
        typer.Option(metavar="N%", help="Fail when more of what could have been reused was lost."),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD", help="Fail on each `changed`, `drift` (undeclared), `route`, `shortened` or `warning`."
        ),
    ] = None,
    format: Annotated[PlainFormat, typer.Option("--format", "-f", help="What to print.")] = PlainFormat.TEXT,
) -> None:
    """Say what a session has cost the prefix cache, which steps broke it, and whose change it was."""
    from workbench.cli.cache import Wanted, run

    raise typer.Exit(run(Wanted(log=log, max_lost=max_lost, fail_on=fail_on or (), format=format.value)))


@app.command(cls=PlainCommand, epilog=_EPILOG)
def samples() -> None:
    """List the shipped samples. Each can be given as FILE."""
    from workbench.cli.samples import run

    raise typer.Exit(run())


@app.command(cls=PlainCommand, epilog=_EPILOG)
def schema() -> None:
    """Print the JSON Schema of compositions, by which an editor completes and explains keys."""
    from workbench.cli.schema import run

    raise typer.Exit(run())


@app.command(cls=PlainCommand, epilog=_EPILOG)
def init(
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Where to write; it must not exist.")] = "agent.yml",
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Name of the agent.")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="Its model.")] = None,
    plugin: Annotated[
        list[str] | None,
        typer.Option("--plugin", "-p", metavar="NAME", help="Tools to begin with; `none` for none at all."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing, and take what is usual.")] = False,
) -> None:
    """Write a first composition with comments. It asks for what is not given."""
    from workbench.cli.init import Wanted, run

    raise typer.Exit(run(Wanted(file=file, name=name, model=model, plugins=plugin or None, asks=not yes)))


class Approvals(StrEnum):
    """What becomes of a call that somebody has to allow."""

    WAIT = "wait"
    DENY = "deny"


@app.command(
    "run",
    cls=PlainCommand,
    epilog="Exit codes: 0 the turn was completed; 1 it ended with an error; 2 the command line or a file cannot be "
    "used; 3 the workbench itself failed; 4 the answer was cut off or the turn was blocked; 6 a package needed an "
    "answer and was denied because nobody was there, or by --approvals deny; 130 interrupted.",
)
def run_(
    file: Annotated[str, typer.Argument(metavar="FILE", help=_FILE_HELP)],
    message: Annotated[
        str | None,
        typer.Option("--message", "-m", metavar="TEXT", help="Say this, and end when the agent is done."),
    ] = None,
    script: Annotated[
        str | None,
        typer.Option(metavar="S", help="A file of messages to say, of answers instead of a model's, or of both."),
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="M", help="A model, instead of the agent's own.")] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", metavar="NAME", help="Whom to talk to, if not the first agent.")
    ] = None,
    session_log: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Record the session there, or go on with the one that is there."),
    ] = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="Nobody is there: ask nothing, and read the message from a pipe.")
    ] = False,
    approvals: Annotated[
        Approvals | None,
        typer.Option(help="Calls that somebody has to allow. Without it: wait where a person is there, else deny."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Say again what the last turn of the session log has failed on.")
    ] = False,
) -> None:
    """Talk to an agent: real tools, and the model that FILE names."""
    from workbench.cli.run import Wanted, run

    wanted = Wanted(
        file=file,
        message=message,
        script=script,
        model=model,
        agent=agent,
        session_log=session_log,
        headless=headless,
        again=again,
        approvals=None if approvals is None else approvals.value,
    )
    raise typer.Exit(run(wanted))


class KeysFormat(StrEnum):
    """How `keys` prints."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"


_KEYMAP_HELP = "A file with other keys, instead of your own."
_ASCII_HELP = "Signs in ASCII, for fonts that lack them; without it as you left it."


@app.command(cls=PlainCommand, epilog=_EPILOG)
def keys(
    format: Annotated[
        KeysFormat, typer.Option("--format", "-f", help="yaml: a file of keys, to begin with.")
    ] = KeysFormat.TEXT,
    keymap: Annotated[str | None, typer.Option("--keymap", metavar="FILE", help=_KEYMAP_HELP)] = None,
) -> None:
    """List what can be done on the screen, by which keys, and what is wrong with a file of keys."""
    from workbench.cli.keys import run

    raise typer.Exit(run(format=format.value, keymap=keymap))


@app.command("open", cls=PlainCommand, epilog=_EPILOG)
def open_(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help=f"{_FILE_HELP} Without one: recent files and samples.")
    ] = None,
    theme: Annotated[
        str | None,
        typer.Option("--theme", metavar="NAME", help="Colours; without it those that were chosen last."),
    ] = None,
    keymap: Annotated[str | None, typer.Option("--keymap", metavar="FILE", help=_KEYMAP_HELP)] = None,
    ascii: Annotated[
        bool | None, typer.Option("--ascii/--no-ascii", envvar="WORKBENCH_ASCII", help=_ASCII_HELP)
    ] = None,
) -> None:
    """Open a composition on the screen. `workbench FILE` does the same, and `workbench` alone the start screen."""
    from workbench.cli.open import run

    raise typer.Exit(run(file, theme=theme or "", keymap=keymap, signs_in_ascii=ascii))


@app.command("demo", cls=PlainCommand, epilog=_EPILOG)
def demo(
    theme: Annotated[str | None, typer.Option("--theme", metavar="NAME", help="Colours of the walk.")] = None,
    ascii: Annotated[
        bool | None, typer.Option("--ascii/--no-ascii", envvar="WORKBENCH_ASCII", help=_ASCII_HELP)
    ] = None,
) -> None:
    """Walk through the places on the samples, with captions: space next, backspace back, q quit."""
    from workbench.cli.demo import run

    raise typer.Exit(run(theme=theme or "", signs_in_ascii=ascii))


def run() -> None:
    """Takes the command line; exits."""
    guarded(_parse_and_run)


def _parse_and_run() -> None:
    stdout = sys.stdout
    try:
        app(prog_name="workbench")
    except SystemExit:
        if sys.stdout is not stdout:  # Typer found nobody behind the pipe that it printed help into
            sys.exit(ExitCode.OK)
        raise


def _names_a_file(word: str) -> bool:
    """Whether a first word that is no command is meant as a file: it is there, is a sample, or looks like one."""
    from workbench.config.samples import find_sample

    looks_like_one = os.path.basename(word) != word or "." in word
    return looks_like_one or os.path.lexists(word) or find_sample(word) is not None
