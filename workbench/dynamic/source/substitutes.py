"""What to use instead of what a package reached for.

Source: docs/dynamic-packages.md 9.2.
"""

from __future__ import annotations

_FILES = "declare `fs` in `inject` and use `ctx.fs`"
_SHELL = "declare `shell` in `inject` and use `ctx.shell`"
_WEB = "declare `web` in `inject` and use `ctx.web`"
_TIMER = "declare `timer` in `inject` and use `ctx.timeout` and `ctx.interval`"
_BOUND = "it is already bound: drop the import"
_NOTHING = "there is no substitute: services are reached through `ctx` only"

_BY_NAME = {
    **dict.fromkeys(("open", "io", "os", "pathlib", "shutil", "tempfile", "glob"), _FILES),
    **dict.fromkeys(("subprocess", "os.system", "pty"), _SHELL),
    **dict.fromkeys(("socket", "urllib", "http", "requests", "httpx", "aiohttp"), _WEB),
    **dict.fromkeys(("time", "asyncio", "threading", "sched"), _TIMER),
    **dict.fromkeys(("json", "math", "re", "base64", "datetime"), _BOUND),
    **dict.fromkeys(("workbench", "sys", "importlib", "inspect", "gc", "ctypes", "builtins"), _NOTHING),
}


def substitute(name: str) -> str:
    """What to use instead of a module or name, as a clause."""
    known = known_substitute(name)
    return known or "it is not available; bound are json, math, re, base64, datetime and harness"


def known_substitute(name: str) -> str | None:
    """The same, for names that people are known to reach for; None for any other one."""
    return _BY_NAME.get(name) or _BY_NAME.get(name.partition(".")[0])
