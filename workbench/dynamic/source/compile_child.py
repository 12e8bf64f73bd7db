"""Compiles a long host half in a process of its own: parser and compiler let no other thread run meanwhile.

Source: docs/dynamic-packages.md 5.
"""

import marshal
import sys


def main() -> None:
    """`compile_child.py PACKAGE_ROOT`, with source, file and names of waterfalls on standard input, marshalled."""
    sys.path.insert(0, sys.argv[1])
    from workbench.dynamic.refusals import Refusal
    from workbench.dynamic.source.host import compile_host

    source, file, waterfalls = marshal.load(sys.stdin.buffer)
    try:
        half = compile_host(source, file, waterfalls)
        made = ("compiled", half.code, half.helpers, half.warnings)
    except Refusal as refusal:
        made = ("refused", refusal.reason, refusal.message, ())  # type: ignore[assignment]
    sys.stdout.buffer.write(marshal.dumps(made))


if __name__ == "__main__":
    main()
