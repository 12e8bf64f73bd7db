"""Plugin code in one form: what to call, what it is named, and what it declares.

Source: docs/runtime.md 2 and 8.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from workbench.core.errors import CoreError

if TYPE_CHECKING:
    from workbench.core.context import Context

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class PluginCode:
    """One plugin, read once when it is loaded."""

    plugin: object
    """What the caller gave; plugins are told apart by the identity of this object."""
    name: str | None
    """None: it has no name of its own and goes by its nearest named ancestor's."""
    target: Callable[..., Any]
    takes_config: bool
    is_class: bool
    required: tuple[str, ...]
    optional: tuple[str, ...]
    provides: tuple[str, ...]
    config_type: Any

    def validated(self, config: Any, fiber_name: str) -> Any:
        """The config as the plugin gets it. Raises `CONFIG_INVALID` with a line for each problem."""
        validator = self.config_type
        if validator is None:
            return config
        validate_model = getattr(validator, "model_validate", None)
        try:
            if validate_model is not None:
                return validate_model({} if config is None else config)
            return validator(config)
        except Exception as error:
            raise CoreError(
                "CONFIG_INVALID",
                f"config of plugin {fiber_name!r} is invalid: {_problems(error)}; correct it and update the plugin",
            ) from error

    async def call(self, ctx: Context, config: Any) -> Any:
        """Run the plugin call; the result is what the ledger has to adopt."""
        result = self.target(ctx, config) if self.takes_config else self.target(ctx)
        if self.is_class:
            start = getattr(result, "start", None)
            if not callable(start):
                return None
            result = start()
        if isawaitable(result) and getattr(result, "entry", None) is None and not callable(result):
            result = await result
        return result


def read_plugin(plugin: object) -> PluginCode:
    """The plugin in one form. Raises `INVALID_PLUGIN` for anything that is none."""
    if inspect.isclass(plugin):
        target: Any = plugin
    else:
        apply = getattr(plugin, "apply", None)
        if callable(apply) and not inspect.isfunction(plugin):
            target = apply
        elif callable(plugin):
            target = plugin
        else:
            raise CoreError(
                "INVALID_PLUGIN",
                f"a {type(plugin).__name__} is not a plugin: give a function, a class, or a namespace with `apply`",
            )
    required, optional = _dependencies(plugin)
    return PluginCode(
        plugin=plugin,
        name=_own_name(plugin),
        target=target,
        takes_config=_takes_config(target),
        is_class=inspect.isclass(plugin),
        required=required,
        optional=optional,
        provides=_names(getattr(plugin, "provides", ()), "provides", plugin),
        config_type=getattr(plugin, "Config", None),
    )


def _own_name(plugin: object) -> str | None:
    for candidate in (getattr(plugin, "name", None), getattr(plugin, "__name__", None)):
        if isinstance(candidate, str) and candidate and candidate not in ("apply", "<lambda>"):
            return candidate
    return None


def _takes_config(target: Any) -> bool:
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return True
    if any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters):
        return True
    return sum(parameter.kind in _POSITIONAL for parameter in parameters) != 1


def _dependencies(plugin: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    inject = getattr(plugin, "inject", ())
    if isinstance(inject, dict):
        unknown = set(inject) - {"required", "optional"}
        if unknown:
            raise CoreError(
                "INVALID_PLUGIN",
                f"`inject` of {plugin!r} has unknown keys {sorted(map(str, unknown))}: "
                "use `required` and `optional`",
            )
        return (
            _names(inject.get("required", ()), "inject", plugin),
            _names(inject.get("optional", ()), "inject", plugin),
        )
    return _names(inject, "inject", plugin), ()


def _names(value: Any, attribute: str, plugin: object) -> tuple[str, ...]:
    if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
        return tuple(dict.fromkeys(value))
    raise CoreError(
        "INVALID_PLUGIN",
        f"`{attribute}` of {plugin!r} is a {type(value).__name__}: give a list of service names",
    )


def _problems(error: Exception) -> str:
    """One line for each problem, with its path, where the validator tells them apart."""
    read = getattr(error, "errors", None)
    if not callable(read):
        return f"{error}"
    lines = []
    for problem in read():
        path = ".".join(str(step) for step in problem.get("loc", ())) or "(whole)"
        lines.append(f"{path}: {problem.get('msg', problem)}")
    return "\n".join(lines)
