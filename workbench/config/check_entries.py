"""The key `check` of a composition: profiles, budgets, and rules that are off.

What they mean is decided by the checks. Source: docs/checks.md 3.
"""

from __future__ import annotations

from workbench.config.model import Budgets, CheckEntry, PartBudget, RuleSwitch
from workbench.config.nodes import Node, Path, Scalar
from workbench.config.problems import did_you_mean
from workbench.config.readers import Reader, Reading, Wrong, kind_of, line, listing, optional, shape, string

UNITS = ("tokens", "characters")


def limit(reading: Reading, node: Node, path: Path) -> int:
    """A whole number above 0."""
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise Wrong(node.start, f"a whole number above 0 was expected, and this is {kind_of(node)}")
    return value


def unit(reading: Reading, node: Node, path: Path) -> str:
    """What limits count."""
    name = string(reading, node, path)
    if name not in UNITS:
        raise Wrong(
            node.start, f'there is no unit "{name}"', did_you_mean(name, UNITS, f"known: {', '.join(UNITS)}")
        )
    return name


_PART = shape(PartBudget, limit=limit, section=optional(line), context=optional(line), tool=optional(line))
_BUDGETS = shape(
    Budgets,
    unit=unit,
    whole=optional(limit),
    runtime_context=optional(limit),
    tools=optional(limit),
    section=optional(limit),
    context=optional(limit),
    tool=optional(limit),
    parts=listing(_PART),
)
_SWITCH = shape(
    RuleSwitch,
    {"why": "call it `reason:`", "id": "call it `rule:`"},
    rule=line,
    reason=string,
    section=optional(line),
    context=optional(line),
    variable=optional(line),
    tool=optional(line),
)
CHECK: Reader[CheckEntry] = shape(
    CheckEntry,
    {"profile": "write `profiles: [name]`", "budget": "call it `budgets:`", "allow": "write `off:`"},
    profiles=optional(listing(line)),
    budgets=optional(_BUDGETS),
    off=listing(_SWITCH),
)
