"""Becomes a command that can write inside some directories only. Started by its path, without the package.

    python -I -S launcher.py DIRECTORY... -- COMMAND ARGUMENT...

Source: docs/tools.md 13.
"""

from __future__ import annotations

import os
import sys

FAILED = 126
"""Exit status when the command could not be confined, and so was not started."""


def main(arguments: list[str]) -> None:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from landlock import forbid_writing_outside  # type: ignore[import-not-found]

    end = arguments.index("--")
    command = arguments[end + 1 :]
    try:
        forbid_writing_outside(arguments[:end])
        os.execvp(command[0], command)
    except OSError as error:
        print(f"the command was not started: {error}", file=sys.stderr)
        raise SystemExit(FAILED) from None


if __name__ == "__main__":
    main(sys.argv[1:])
