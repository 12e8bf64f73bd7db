"""The probe: evaluates the top level of a host half in a process of its own, which can be killed.

Started with a file name of its own and without site packages, so that it is ready at once. Writes one byte when
it begins; the budget counts from there. Only time and memory are judged: any other error reads as passed.

Source: docs/dynamic-packages.md 9.4.
"""

import marshal
import os
import sys

OUT_OF_MEMORY = 77
"""The one exit code that says something."""


def main() -> None:
    """`probe_child.py PACKAGE_ROOT`, with the marshalled code on standard input."""
    sys.path.insert(0, sys.argv[1])
    from workbench.dynamic.sandbox.names import frozen_object, helper_view, make_namespace

    helpers, memory_bytes, code = marshal.load(sys.stdin.buffer)

    def nothing(*_args, **_options):  # type: ignore[no-untyped-def]
        return None

    bound = {name: helper_view(name) for name in helpers}
    inert = staticmethod(nothing)
    feed = frozen_object("feed", {"put": inert, "next": inert})
    bound["harness"] = frozen_object(
        "harness", {"define_tool": inert, "handle": inert, "feed": staticmethod(lambda: feed)}
    )
    namespace = make_namespace(
        "probe", bound, print_=nothing, due=[False], look=nothing, substitute=lambda name: name
    )
    _limit_memory(memory_bytes)
    os.write(1, b"r")
    status = 0
    try:
        exec(code, namespace)
    except MemoryError:
        status = OUT_OF_MEMORY
    except BaseException:
        status = 0
    os._exit(status)


def _limit_memory(most: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        return  # not on this system: the time alone is judged


if __name__ == "__main__":
    main()
