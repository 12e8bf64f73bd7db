"""Bounds on the defaults of arguments: what a scope gives to calls that leave an argument out.

Source: docs/tools.md 9.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

from workbench.prompt import ToolSchema
from workbench.prompt.tool_schema import decode_json

if TYPE_CHECKING:
    from workbench.core.activation import Activation
    from workbench.tools.registration import ToolRegistration


class DefaultBounds:
    """The largest defaults that some arguments have in one scope, wherever their tools are registered."""

    __slots__ = ("_kept", "ledger", "most", "names")

    def __init__(self, names: Iterable[str], most: Mapping[str, int], ledger: Activation) -> None:
        self.names = frozenset(names)
        self.most = dict(most)
        self.ledger = ledger
        self._kept: dict[str, tuple[ToolRegistration, bytes, bool, ToolRegistration]] = {}
        """By name: the tool, its parameters and whether it was inherited; then what it became."""

    def applied(self, tool: ToolRegistration, *, is_inherited: bool) -> ToolRegistration:
        """The tool with the defaults that it has here: the same object where nothing is larger.

        A tool of the scope itself keeps what somebody has configured for it.
        """
        given = tool.schema.parameters_json
        kept = self._kept.get(tool.name)
        if kept is not None and kept[0] is tool and kept[1] == given and kept[2] is is_inherited:
            return kept[3]
        bounded = self._bounded(tool, given, is_inherited)
        self._kept[tool.name] = tool, given, is_inherited, bounded
        return bounded

    def _bounded(self, tool: ToolRegistration, given: bytes, is_inherited: bool) -> ToolRegistration:
        parameters = decode_json(given)
        properties = parameters.get("properties")
        filled: dict[str, Any] = {}
        for argument, most in self.most.items():
            declared = properties.get(argument) if isinstance(properties, dict) else None
            if not isinstance(declared, dict):
                continue
            stated = declared.get("default")
            is_configured = stated is not None and argument not in tool.shipped_defaults
            if (is_inherited or not is_configured) and not _is_at_most(stated, most):
                declared["default"] = filled[argument] = most
        if not filled:
            return tool
        here = copy(tool)
        here.schema = ToolSchema(tool.schema.name, tool.schema.description, parameters)
        here.filled = {**tool.filled, **filled}
        return here


def _is_at_most(stated: Any, most: int) -> bool:
    return isinstance(stated, int | float) and not isinstance(stated, bool) and stated <= most
