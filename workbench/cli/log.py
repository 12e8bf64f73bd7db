"""What the rooms below log, as one line each on standard error instead of a stack trace."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from workbench.cli.diagnostics import print_error
from workbench.cli.output import Output


@contextmanager
def log_on(errors: Output | None) -> Iterator[None]:
    """Print errors of plugin code that reach nobody else; None keeps them quiet."""
    handler = logging.NullHandler() if errors is None else _Printing(errors)
    logger = logging.getLogger("workbench")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


class _Printing(logging.Handler):
    def __init__(self, errors: Output) -> None:
        super().__init__(logging.ERROR)
        self._errors = errors

    def emit(self, record: logging.LogRecord) -> None:
        """A plugin call that failed is left out: the notes of the composition say it, with its place."""
        arguments = record.args
        if not (isinstance(arguments, tuple) and arguments[:1] == ("plugin call",)):
            print_error(record.getMessage(), self._errors)
