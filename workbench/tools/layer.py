"""What one scope holds: tools, restrictions, guards, and how its tools are presented.

Source: docs/tools.md 9.1 and 10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from workbench.core.activation import Activation
    from workbench.core.scopes import ScopeKey
    from workbench.tools.default_bounds import DefaultBounds
    from workbench.tools.registration import ToolRegistration

Presentation: TypeAlias = Literal["native", "code", "both"]
PRESENTATIONS: tuple[Presentation, ...] = ("native", "code", "both")


class Restriction:
    """A filter over what one scope inherits. One without an allow list denies some names only."""

    __slots__ = ("allow", "deny", "ledger")

    def __init__(
        self, allow: Iterable[str] | None, deny: Iterable[str] | None, ledger: Activation | None = None
    ) -> None:
        self.allow = None if allow is None else frozenset(allow)
        self.deny = frozenset(deny or ())
        self.ledger = ledger
        """Whose it is, for views."""

    def admits(self, name: str) -> bool:
        return (self.allow is None or name in self.allow) and name not in self.deny


class Exclusion:
    """Tools that a scope and everything inside it never has, wherever they are registered, and whenever."""

    __slots__ = ("ledger", "names", "traits")

    def __init__(self, names: Iterable[str], traits: Iterable[str], ledger: Activation) -> None:
        self.names = frozenset(names)
        self.traits = frozenset(traits)
        self.ledger = ledger

    def admits(self, name: str, tool: ToolRegistration) -> bool:
        return name not in self.names and self.traits.isdisjoint(tool.traits)


class Guard:
    """A function that may deny a call, and can never allow one."""

    __slots__ = ("function", "label", "ledger")

    def __init__(self, function: Callable[[Any], Any], ledger: Activation) -> None:
        self.function = function
        self.ledger = ledger
        self.label = getattr(function, "__qualname__", type(function).__name__).rpartition("<locals>.")[2]


class ToolLayer:
    """The tools of one scope, or the global ones."""

    __slots__ = (
        "code_tool",
        "default_bounds",
        "exclusions",
        "guards",
        "presentation",
        "presented_by",
        "restrictions",
        "scope",
        "tools",
    )

    def __init__(self, scope: ScopeKey | None) -> None:
        self.scope = scope
        self.tools: dict[str, ToolRegistration] = {}
        self.restrictions: list[Restriction] = []
        self.exclusions: list[Exclusion] = []
        self.default_bounds: list[DefaultBounds] = []
        self.guards: list[Guard] = []
        self.presentation: Presentation | None = None
        """None: that of the layer around it."""
        self.presented_by = ""
        self.code_tool: ToolRegistration | None = None
        """`run_code`, where this layer brings the runtime for it."""

    @property
    def is_empty(self) -> bool:
        return not (
            self.tools
            or self.restrictions
            or self.exclusions
            or self.default_bounds
            or self.guards
            or self.presentation is not None
            or self.code_tool
        )

    def described(self, label: str) -> dict[str, Any]:
        """For snapshots of the runtime."""
        described: dict[str, Any] = {
            "scope": label,
            "tools": [[tool.name, tool.owner_name] for tool in self.tools.values()],
            "restrictions": [
                [None if each.allow is None else sorted(each.allow), sorted(each.deny)]
                for each in self.restrictions
            ],
        }
        if self.exclusions:
            described["exclusions"] = [[sorted(each.names), sorted(each.traits)] for each in self.exclusions]
        if self.default_bounds:
            described["default_bounds"] = [[sorted(each.names), each.most] for each in self.default_bounds]
        if self.guards:
            described["guards"] = [[guard.label, guard.ledger.fiber.name] for guard in self.guards]
        if self.presentation is not None:
            described["presentation"] = [self.presentation, self.presented_by]
        if self.code_tool is not None:
            described["code"] = self.code_tool.owner_name
        return described
