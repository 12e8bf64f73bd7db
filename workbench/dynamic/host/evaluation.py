"""Evaluating a host half: from a compiled module to a plugin.

Source: docs/dynamic-packages.md 9.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench.dynamic.host.refused import PluginShapeError
from workbench.dynamic.sandbox.budget import Budget
from workbench.dynamic.sandbox.names import helper_view, make_namespace
from workbench.dynamic.source.host import HostHalf
from workbench.dynamic.source.substitutes import substitute

SHAPE = 'inject = ["tools"]\ndef apply(ctx): ...'


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What an evaluated module says of itself."""

    apply: Callable[[Any], Any]
    name: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    provides: tuple[str, ...]

    @property
    def declared(self) -> frozenset[str]:
        return frozenset((*self.required, *self.optional))


def evaluate(half: HostHalf, name: str, harness: Any, print_: Callable[..., None], budget: Budget) -> Evaluated:
    """Run the top level. Raises what it raises, and `PluginShapeError`."""
    bound = {helper: helper_view(helper) for helper in half.helpers}
    bound["harness"] = harness
    namespace = make_namespace(name, bound, print_=print_, due=budget.due, look=budget.look, substitute=substitute)
    exec(half.code, namespace)
    apply = namespace.get("apply")
    if not callable(apply):
        raise PluginShapeError(f"there is no function `apply` at top level; a package has this shape:\n{SHAPE}")
    own_name = namespace.get("name", name)
    required, optional = _injected(namespace.get("inject", ()))
    if "dynamic" in (*required, *optional):
        raise PluginShapeError(
            "`inject` names 'dynamic': a package does not define or run packages; models and people do"
        )
    return Evaluated(
        apply,
        own_name.strip() if isinstance(own_name, str) and own_name.strip() else name,
        required,
        optional,
        _names(namespace.get("provides", ()), "provides"),
    )


def _injected(inject: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if isinstance(inject, dict):
        unknown = [key for key in inject if key not in ("required", "optional")]
        if unknown:
            raise PluginShapeError(f"`inject` has unknown keys {unknown!r:.80}: use `required` and `optional`")
        return (
            _names(inject.get("required", ()), "inject.required"),
            _names(inject.get("optional", ()), "inject.optional"),
        )
    return _names(inject, "inject"), ()


def _names(value: Any, what: str) -> tuple[str, ...]:
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        return tuple(dict.fromkeys(value))
    raise PluginShapeError(f'`{what}` is a {type(value).__name__}: give a list of service names, such as ["tools"]')
