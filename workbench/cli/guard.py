"""What ends a command that did not end by itself: an interrupt, or a defect of ours."""

from __future__ import annotations

import sys
from collections.abc import Callable

from workbench.cli.exit_codes import ExitCode


def guarded(work: Callable[[], object]) -> None:
    """Carries out a command, and exits with 130 or 3 for what it lets out."""
    try:
        work()
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except Exception:
        import traceback

        from workbench.cli.output import standard_error

        errors = standard_error()
        errors.text(traceback.format_exc())
        errors.line("workbench: this is a defect of the workbench itself; the lines above say where")
        sys.exit(ExitCode.DEFECT)
