"""`workbench keys`: what can be done on the screen, and by which keys.

Source: docs/cli.md 12 and docs/tui.md 3.1.
"""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

from workbench.cli.exit_codes import ExitCode
from workbench.cli.output import Output, standard_error, standard_output
from workbench.tui.command import Command
from workbench.tui.commands import COMMANDS
from workbench.tui.keymap import Keymap, file_of_person, key_label, load
from workbench.visible import visible, visible_line

_TITLES = {
    "app": "Everywhere",
    "lines": "Lists and texts",
    "list": "The list beside a text",
    "text": "The text beside a list",
    "start": "Start screen",
}


def run(*, format: str = "text", keymap: str | None = None) -> ExitCode:
    """Print the table with the keys of this person; what is wrong with their file goes to standard error."""
    output, errors = standard_output(), standard_error()
    keys = load(None if keymap is None else Path(keymap))
    if format == "json":
        output.json(json.dumps([_as_json(each) for each in map(keys.of, COMMANDS)], ensure_ascii=False, indent=2))
    elif format == "yaml":
        output.lines(_yaml_lines(keys))
    else:
        _print_table(keys, output)
    for problem in keys.problems:
        errors.line(errors.styled("error: ", "red"), visible(problem))
    return ExitCode.UNUSABLE if keys.problems else ExitCode.OK


def _as_json(each: Command) -> dict[str, object]:
    return {
        "id": each.id,
        "where": each.where,
        "title": each.title,
        "keys": list(each.keys),
        "help": each.help,
        "palette": each.in_palette,
    }


def _yaml_lines(keys: Keymap) -> list[str]:
    """A file that can be used as it is."""
    lines = [f"# Keys of the workbench, by command. Save it as {visible_line(str(file_of_person()))}"]
    lines.append("# or give it with --keymap, and leave in it what you change. [] is no key.")
    for where, commands in groupby(map(keys.of, COMMANDS), key=lambda each: each.where):
        lines += ["", f"# {_title(where)}"]
        lines += [f"{each.id}: {json.dumps(list(each.keys))}  # {each.help}" for each in commands]
    return lines


def _print_table(keys: Keymap, output: Output) -> None:
    table = [(each, " ".join(map(key_label, each.keys)) or "–") for each in map(keys.of, COMMANDS)]
    key_width = max(len(labels) for _, labels in table)
    id_width = max(len(each.id) for each, _ in table)
    for index, (where, rows) in enumerate(groupby(table, key=lambda row: row[0].where)):
        if index:
            output.line()
        output.line(output.styled(_title(where), "bold"))
        for each, labels in rows:
            output.line(f"  {labels:<{key_width}}  {each.id:<{id_width}}  {each.help}")


def _title(where: str) -> str:
    return _TITLES.get(where, where.capitalize())
