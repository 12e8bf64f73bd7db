"""`workbench prompts`: a team's prompts from the command line. Each command imports what it needs when it runs.

Source: docs/team.md 15.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from workbench.cli.plain_parameters import PlainCommand, PlainGroup

_EPILOG = (
    "Exit codes: 0 done; 1 refused, or (diff, check) there is something to see; 2 the command line, a file or the "
    "store cannot be used; 3 the workbench itself failed; 5 conflict: somebody else has saved since."
)

app = typer.Typer(
    cls=PlainGroup,
    help="Read and change a team's prompts. Parts, sections, skills, the policy, and their versions.",
    epilog=_EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Store = Annotated[
    str | None,
    typer.Option("--store", metavar="URL", help="URL or SQLite file of the store. Without it, your own."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
Base = Annotated[
    str | None,
    typer.Option(
        "--base", metavar="REV", help="The revision that the change was made from. Without it, the newest."
    ),
]
Reviewed = Annotated[
    bool,
    typer.Option("--reviewed", help="You have looked at the present default: it becomes the base of the text."),
]
PartName = Annotated[
    str,
    typer.Argument(
        metavar="PART", help="A part such as runtime/work, a section such as communication, or skill/NAME."
    ),
]


def _run(command: str, store: str | None, json: bool, **arguments: Any) -> None:
    from workbench.cli.prompts_run import run

    raise typer.Exit(run(command, store, json=json, **arguments))


@app.command("list", cls=PlainCommand, epilog=_EPILOG)
def list_(store: Store = None, json: Json = False) -> None:
    """List all parts by group, each with its state."""
    _run("list", store, json)


@app.command(cls=PlainCommand, epilog=_EPILOG)
def show(
    part: PartName,
    revision: Annotated[
        str | None, typer.Option("--revision", "-r", metavar="REV", help="As it was then. Without it, the newest.")
    ] = None,
    default: Annotated[bool, typer.Option("--default", help="The shipped text instead.")] = False,
    store: Store = None,
    json: Json = False,
) -> None:
    """Print a text as it is rendered. With --json the team's own, its base and the default, too."""
    _run("show", store, json, part=part, revision=revision, default=default)


@app.command(cls=PlainCommand, epilog=_EPILOG)
def edit(part: PartName, reviewed: Reviewed = False, store: Store = None, json: Json = False) -> None:
    """Change a text in an editor and save it.

    The editor is $VISUAL or $EDITOR. After a refusal the edited file stays, and is named.
    """
    _run("edit", store, json, part=part, reviewed=reviewed)


@app.command(cls=PlainCommand, epilog=_EPILOG)
def save(
    part: PartName,
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="The whole new text; `-` reads standard input.")
    ] = None,
    default: Annotated[
        bool, typer.Option("--default", help="Instead of FILE: follow the default again; a skill goes.")
    ] = False,
    about: Annotated[
        str | None,
        typer.Option("--about", metavar="TEXT", help="Of a skill: its description. A new skill needs one."),
    ] = None,
    base: Base = None,
    reviewed: Reviewed = False,
    store: Store = None,
    json: Json = False,
) -> None:
    """Save one text as the next version. Everything else stays as it is."""
    _run("save", store, json, part=part, file=file, default=default, about=about, base=base, reviewed=reviewed)


@app.command(cls=PlainCommand, epilog=_EPILOG)
def diff(
    revisions: Annotated[
        list[str] | None,
        typer.Argument(metavar="[A [B]]", help="Two revisions. Without B, A and what came before it."),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option("--part", "-p", metavar="PART", help="One part: its base, the default and the team's text."),
    ] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Show what differs between versions. Without any, between the defaults and the newest."""
    _run("diff", store, json, revisions=revisions or [], part=part)


@app.command(cls=PlainCommand, epilog=_EPILOG)
def versions(
    limit: Annotated[str, typer.Option("--limit", "-n", metavar="N", help="How many, newest first.")] = "20",
    before: Annotated[
        str | None, typer.Option("--before", metavar="REV", help="Only those before this revision.")
    ] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """List versions and what each changed."""
    _run("versions", store, json, limit=limit, before=before)


@app.command(cls=PlainCommand, epilog=_EPILOG)
def restore(
    revision: Annotated[str, typer.Argument(metavar="REV", help="A revision, or `defaults`.")],
    base: Base = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Save an earlier version as the next one. `defaults` are the shipped texts."""
    _run("restore", store, json, revision=revision, base=base)


@app.command(cls=PlainCommand, epilog=_EPILOG)
def export(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Without it: standard output.")] = None,
    revision: Annotated[
        str | None, typer.Option("--revision", "-r", metavar="REV", help="Without it, the newest.")
    ] = None,
    store: Store = None,
) -> None:
    """Write a whole configuration as JSON. Import and check read it."""
    _run("export", store, False, file=file, revision=revision)


@app.command("import", cls=PlainCommand, epilog=_EPILOG)
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What export has written; `-` reads standard input.")],
    base: Base = None,
    reviewed: Reviewed = False,
    store: Store = None,
    json: Json = False,
) -> None:
    """Save a whole configuration as the next version."""
    _run("import", store, json, file=file, base=base, reviewed=reviewed)


@app.command(cls=PlainCommand, epilog=_EPILOG)
def check(
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="What export has written. Without it: the newest version."),
    ] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Say what keeps a file from being saved. Without FILE: which defaults have changed since they were
    overridden."""
    _run("check", store, json, file=file)
