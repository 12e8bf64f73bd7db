"""The command line in this process. Its commands are built once: that takes longer than most of what they do."""

from __future__ import annotations

from functools import cache
from typing import Any

from typer import main, testing
from typer.testing import CliRunner, Result

from workbench.cli.main import app

testing._get_command = cache(main.get_command)


def invoke(*arguments: str, **options: Any) -> Result:
    """`workbench ARGUMENTS`, with options of `CliRunner.invoke`."""
    return CliRunner().invoke(app, list(arguments), **options)
