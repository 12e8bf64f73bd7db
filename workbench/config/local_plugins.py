"""Plugins that are Python files beside a composition. Source: docs/compositions.md 5."""

from __future__ import annotations

import sys
from itertools import count
from os.path import join
from pathlib import Path
from types import ModuleType

from workbench.config.plugin_code import PluginMissing, attribute_of, failing_plugin
from workbench.config.problems import LoadError
from workbench.config.textfile import read_text

_PREFIX = "workbench_local_"
_SERIAL = count(1)


def is_local(use: str) -> bool:
    """Whether `use` names a Python file, with or without an attribute in it."""
    return use.endswith(".py") or ".py:" in use


def local_file(use: str) -> str:
    """The file of a local plugin, as the composition names it."""
    return use.rpartition(":")[0] if ".py:" in use else use


def load_local(use: str, folder: str) -> object:
    """The plugin in a file relative to `folder`, executed anew. Raises `PluginMissing`."""
    shown = join(folder, local_file(use))
    attribute = use.rpartition(":")[2] if ".py:" in use else ""
    try:
        source = read_text(Path(shown), shown)
    except LoadError as error:
        [problem] = error.problems
        raise PluginMissing(f"{problem.file}: {problem.message}", problem.remedy) from None
    stem = source.path.stem
    # A name of its own for each load: two loads of one file never share state. It is compiled here, because
    # the cache of the import system takes two edits within one second for the same file.
    module = ModuleType(f"{_PREFIX}{stem}_{next(_SERIAL)}")
    module.__file__ = shown
    sys.modules[module.__name__] = module
    try:
        exec(compile(source.text, shown, "exec", dont_inherit=True), module.__dict__)
    except KeyboardInterrupt:
        del sys.modules[module.__name__]
        raise
    except BaseException as error:
        del sys.modules[module.__name__]
        return failing_plugin(stem, error, shown)
    module.__dict__.setdefault("name", stem)
    return attribute_of(use, module, attribute) if attribute else module


def forget_local(plugin: object) -> None:
    """Take the module of a local plugin out of `sys.modules`, when nothing uses it any more."""
    name = plugin.__name__ if isinstance(plugin, ModuleType) else getattr(plugin, "__module__", "")
    if isinstance(name, str) and name.startswith(_PREFIX):
        sys.modules.pop(name, None)
