"""From the name in a composition to the plugin's code.

Finding nothing is a problem of the composition, with a place. Code that is found but cannot be imported
becomes a plugin that fails with that reason: it shows up as a failed fiber of its name, and stops nobody
else. Source: docs/compositions.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from workbench.config.local_plugins import is_local, load_local
from workbench.config.plugin_code import PluginMissing, attribute_of, failing_plugin
from workbench.config.problems import did_you_mean
from workbench.plugins import FIRST_PARTY, first_party

ENTRY_POINT_GROUP = "workbench.plugins"


def find_plugin(use: str, folder: str) -> object:
    """The plugin that `use` names, taken whole. Raises `PluginMissing`."""
    if is_local(use):
        return load_local(use, folder)
    if ":" in use:
        module_name, _, attribute = use.partition(":")
        return _imported(use, module_name, attribute)
    name = use.replace("-", "_")
    if name in FIRST_PARTY:
        return first_party(name)
    for point in entry_points():
        if point.name == use:
            return _imported(use, point.module, point.attr)
    if "." in use:
        return _imported(use, use, "")
    known = {*FIRST_PARTY, *(point.name for point in entry_points())}
    raise PluginMissing(f'there is no plugin "{use}"', did_you_mean(use, known, _FORMS))


def entry_points() -> Iterator[Any]:
    """Plugins that installed distributions offer."""
    from importlib.metadata import entry_points as installed  # 45 ms that first-party plugins need not cost

    yield from installed(group=ENTRY_POINT_GROUP)


_FORMS = "name a first-party plugin, an entry point, `package.module:attribute`, or a `.py` file"


def _imported(use: str, module_name: str, attribute: str) -> object:
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and (module_name == error.name or module_name.startswith(f"{error.name}.")):
            message = f'there is no module "{error.name}"'
            raise PluginMissing(message, "install its distribution, or correct the name") from None
        return failing_plugin(use, error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return failing_plugin(use, error)
    return attribute_of(use, module, attribute) if attribute else module
