"""Entry point of the command `workbench`: opening a file needs no parser, and does not wait for one."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def run() -> None:
    """Opens the file that is named alone, or the start screen; everything else is for the parser."""
    file = plain_open(sys.argv[1:])
    if file is None or not (sys.stdin.isatty() and sys.stdout.isatty()) or _has_settings():
        from workbench.cli import main

        main.run()
    else:
        from workbench.cli.guard import guarded

        guarded(lambda: _open(file or None))


def plain_open(words: Sequence[str]) -> str | None:
    """The file that a command line without options opens, "" for the start screen; None: see the parser.

    A single word is taken that no command can be: a path, or the name of a sample.
    """
    match list(words):
        case []:
            return ""
        case ["open", file] if file and not file.startswith("-"):
            return file
        case [file] if not file.startswith("-") and _is_no_command(file):
            return file
    return None


def _is_no_command(word: str) -> bool:
    if os.path.basename(word) != word or "." in word:
        return True
    from workbench.config.samples import find_sample

    return find_sample(word) is not None


def _has_settings() -> bool:
    """Options that are given by the environment."""
    return any(name.startswith("WORKBENCH_") for name in os.environ)


def _open(file: str | None) -> None:
    from workbench.cli.open import run as open_file

    sys.exit(open_file(file))
